/* status_parts.h - the findings of the status command, for status*.c only */
#ifndef RC_CAMPAIGN_COMMANDS_STATUS_PARTS_H
#define RC_CAMPAIGN_COMMANDS_STATUS_PARTS_H

#include "campaign/noise/saved.h"
#include "campaign/records/completeness.h"
#include "campaign/submit/jobs_state.h"
#include "io/text/rows.h"

#include <limits.h>

enum { RC_STATUS_REASONS = 200 }; /* different ones that are kept */

/* A reason why units are not ok. */
struct rc_status_reason {
    const char *text; /* the campaign's pool owns it */
    uint64_t units;   /* that have this reason */
};

struct rc_status_view {
    struct rc_campaign *campaign; /* from the journals */
    struct rc_spec spec;          /* the campaign file, if it could be read */
    bool spec_known;
    char name[256];               /* the campaign's name, or "" */
    struct rc_completeness state; /* progress, and what is missing */

    struct rc_status_reason reason[RC_STATUS_REASONS]; /* the most frequent first */
    size_t reason_count;
    uint64_t other_reasons; /* units with further ones */

    char store[PATH_MAX]; /* the present or future campaign.h5 */
    bool store_there;
    bool store_old; /* not made from all that the journals have now */
    uint64_t store_bytes;
    char store_problem[300]; /* why it is not usable for this campaign, or "" */

    char metrics[PATH_MAX]; /* the present or future metrics.h5 */
    bool metrics_there;
    char metrics_problem[RC_ERROR_TEXT]; /* why it does not match the store, or "" */

    char noise_path[PATH_MAX]; /* the present or future noise.h5 */
    struct rc_noise_saved noise;

    bool submitted;            /* there is a list of jobs */
    struct rc_jobs_state jobs; /* states of its jobs */
};

/* Prints all of it to the standard output. */
int rc_status_show(const struct rc_status_view *view, enum rc_format format,
                   struct rc_error *err);

/* status_model.c: the same for a directory that holds a model. */
int rc_status_model(const char *dir, enum rc_format format, struct rc_error *err);

#endif
