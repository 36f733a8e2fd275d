/* status_parts.h - inside of status*.c only */
#ifndef RC_CAMPAIGN_COMMANDS_STATUS_PARTS_H
#define RC_CAMPAIGN_COMMANDS_STATUS_PARTS_H

#include "campaign/records/completeness.h"
#include "campaign/submit/jobs_state.h"
#include "io/text/rows.h"

#include <limits.h>

enum { RC_STATUS_REASONS = 200 };

struct rc_status_reason {
    const char *text;
    uint64_t units;
};

struct rc_status_view {
    struct rc_campaign *campaign;
    struct rc_spec spec;
    bool spec_known;
    struct rc_completeness state;
    struct rc_status_reason reason[RC_STATUS_REASONS];
    size_t reason_count;
    uint64_t other_reasons; /* units with yet other ones */
    char store[PATH_MAX];
    bool store_there, store_old; /* not made of what the journals hold now */
    uint64_t store_bytes;
    char metrics[PATH_MAX];
    bool metrics_there;
    char metrics_problem[RC_ERROR_TEXT]; /* why it is not the store's, or "" */
    bool submitted;
    struct rc_jobs_state jobs; /* where it was */
    char store_problem[300];   /* why it is not this campaign's, or "" */
};

int rc_status_show(const struct rc_status_view *view, enum rc_format format,
                   struct rc_error *err);

#endif
