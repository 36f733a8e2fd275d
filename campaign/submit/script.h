/* script.h - a submission's jobs and their scripts */
#ifndef RC_CAMPAIGN_SUBMIT_SCRIPT_H
#define RC_CAMPAIGN_SUBMIT_SCRIPT_H

#include "campaign/submit/options.h"

/* Sorts of jobs: measuring, dealing units out to shares, and putting shares and parts
 * together; 'noise' and 'profile' are without a campaign.
 */
enum rc_submit_kind {
    RC_SUBMIT_RUN,
    RC_SUBMIT_DEAL,
    RC_SUBMIT_FINISH,
    RC_SUBMIT_NOISE,
    RC_SUBMIT_PROFILE
};
extern const char *const rc_submit_kind_names[]; /* "run", ...; ended by NULL */

enum { RC_SUBMIT_JOB_NAME = 32, RC_SUBMIT_JOB_ID = 128 }; /* bytes, with the 0 */

/* One job of a submission. */
struct rc_submit_job {
    char name[RC_SUBMIT_JOB_NAME]; /* "run", "deal", "finish", "noise", "profile", or
                                    * "run1" for a part */
    char script[RC_SUBMIT_JOB_NAME + 16]; /* "jobs/run.sh", in DIR */
    enum rc_submit_kind kind;
    const struct rc_submit_part *part; /* queue, nodes and time, from the setting */
    size_t number;                     /* of the part */
    uint32_t shares;                   /* of a run that is an array; else 0 */
    size_t after[RC_SUBMIT_PARTS];     /* jobs that must end before this one begins */
    size_t after_count;
    char *text;   /* the script */
    size_t bytes; /* of the script */
};

/* All jobs of a submission, and the campaign files that they need. */
struct rc_submit_jobs {
    struct rc_submit_job *job; /* in the order of submission */
    size_t count;
    char *spec[RC_SUBMIT_PARTS]; /* of parts with their own campaign file */
    size_t spec_bytes[RC_SUBMIT_PARTS];
};

/* Makes all jobs and their scripts for submission 'round' of this directory; nothing is
 * written.  Times of 0 in the setting's parts must have been found before, unless the
 * scheduler takes jobs without a limit.  Call rc_submit_jobs_fini() in any case.
 */
int rc_submit_jobs_make(const struct rc_submit_setting *setting, unsigned round,
                        struct rc_submit_jobs *out, struct rc_error *err);
void rc_submit_jobs_fini(struct rc_submit_jobs *jobs);

#endif
