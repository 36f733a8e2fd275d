/* status_parts.h - inside of status*.c only: what the status command found out */
#ifndef RC_CAMPAIGN_COMMANDS_STATUS_PARTS_H
#define RC_CAMPAIGN_COMMANDS_STATUS_PARTS_H

#include "campaign/noise/saved.h"
#include "campaign/records/completeness.h"
#include "campaign/submit/jobs_state.h"
#include "io/text/rows.h"

#include <limits.h>

enum { RC_STATUS_REASONS = 200 }; /* different ones that are told apart */

/* Why units are not ok. */
struct rc_status_reason {
    const char *text; /* the campaign's pool owns it */
    uint64_t units;   /* that have this reason */
};

struct rc_status_view {
    struct rc_campaign *campaign; /* what the journals say */
    struct rc_spec spec;          /* the campaign file, where it could be read */
    bool spec_known;
    char name[256];               /* what the campaign is called, or "" */
    struct rc_completeness state; /* what is done, and what is missing */

    struct rc_status_reason reason[RC_STATUS_REASONS]; /* the most frequent first */
    size_t reason_count;
    uint64_t other_reasons; /* units with yet other ones */

    char store[PATH_MAX]; /* where campaign.h5 is or should be */
    bool store_there;
    bool store_old; /* not made of what the journals hold now */
    uint64_t store_bytes;
    char store_problem[300]; /* why it is not this campaign's, or "" */

    char metrics[PATH_MAX]; /* where metrics.h5 is or should be */
    bool metrics_there;
    char metrics_problem[RC_ERROR_TEXT]; /* why it is not the store's, or "" */

    char noise_path[PATH_MAX]; /* where noise.h5 is or should be */
    struct rc_noise_saved noise;

    bool submitted;            /* there is a list of jobs */
    struct rc_jobs_state jobs; /* where it was submitted */
};

/* Prints all of it to the standard output. */
int rc_status_show(const struct rc_status_view *view, enum rc_format format,
                   struct rc_error *err);

#endif
