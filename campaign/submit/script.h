/* script.h - the jobs of a submission, and the scripts that they are */
#ifndef RC_CAMPAIGN_SUBMIT_SCRIPT_H
#define RC_CAMPAIGN_SUBMIT_SCRIPT_H

#include "campaign/submit/options.h"

/* The sorts of jobs: one that measures, one that deals units out to shares, one that
 * puts shares and parts together; and those that are no campaign's, 'noise' and
 * 'profile'.
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
                                    * "run1" of a part */
    char script[RC_SUBMIT_JOB_NAME + 16]; /* "jobs/run.sh", in DIR */
    enum rc_submit_kind kind;
    const struct rc_submit_part *part; /* its queue, nodes, time; the setting's */
    size_t number;                     /* of the part */
    uint32_t shares;                   /* of a run that is an array, else 0 */
    size_t after[RC_SUBMIT_PARTS];     /* jobs before this one that must have ended */
    size_t after_count;
    char *text;   /* the script */
    size_t bytes; /* of the script */
};

/* All jobs of a submission, and the campaign files that they need. */
struct rc_submit_jobs {
    struct rc_submit_job *job; /* in the order in which they are submitted */
    size_t count;
    char *spec[RC_SUBMIT_PARTS]; /* campaign files of the parts that have their own */
    size_t spec_bytes[RC_SUBMIT_PARTS];
};

/* Makes all jobs with their scripts, as the round 'round' of this directory; nothing is
 * written.  Times that are 0 in the setting's parts must have been found before.
 * rc_submit_jobs_fini() in any case.
 */
int rc_submit_jobs_make(const struct rc_submit_setting *setting, unsigned round,
                        struct rc_submit_jobs *out, struct rc_error *err);
void rc_submit_jobs_fini(struct rc_submit_jobs *jobs);

#endif
