/* jobs_state.h - how the jobs of a campaign are, and how far it is */
#ifndef RC_CAMPAIGN_SUBMIT_JOBS_STATE_H
#define RC_CAMPAIGN_SUBMIT_JOBS_STATE_H

#include "campaign/base/arena.h"
#include "campaign/records/completeness.h"
#include "campaign/submit/job_list.h"
#include "io/text/rows.h"

/* How a job is, or the elements of an array.  Texts are printable. */
struct rc_jobs_state_job {
    const struct rc_job_list_entry *entry; /* in the list of jobs */
    char id[RC_SUBMIT_JOB_ID];   /* the latest: it may have submitted itself again */
    enum rc_job_state state;     /* of an array: of those that are not over */
    size_t count[RC_JOB_STATES]; /* elements, or 1 */
    char reason[200];            /* why it waits, what happened last; or "" */
    char time[RC_TEXT_TIME];     /* of the last line of its record, or "" */
    char log[80];                /* in DIR: its own, or of an element that failed */
    unsigned tries;              /* how often it has begun, of elements the most */
    int exited;                  /* the status that a plain one ended with, or -1 */
};

/* A directory that a run works in: DIR itself, or of a part, or of a share of it. */
struct rc_jobs_state_leaf {
    char path[64]; /* in DIR: "", "parts/1", "shares/3", "parts/1/shares/3" */
    bool there;    /* it holds a campaign */
    struct rc_suite_state all; /* units that it has to measure */
    bool complete;             /* nothing is missing */
};

/* All jobs of a campaign. */
struct rc_jobs_state {
    struct rc_job_list list;            /* what was submitted last */
    struct rc_template own;             /* where the caller's are another scheduler's */
    const struct rc_template *template; /* by which jobs are asked for and ended */
    struct rc_jobs_state_job *job;      /* as many as the list has entries */
    const struct rc_jobs_state_job *active; /* the first that waits or runs, or NULL */
    struct rc_jobs_state_leaf *leaf;        /* of each part, and of each share of it;
                                             * 'noise' and 'profile' have none */
    size_t leaf_count;
    struct rc_arena arena; /* of 'job' and 'leaf' */
};

/* Reads DIR/jobs; 'ask': and asks the scheduler for each job (where it does not answer,
 * the job's reason says so).  'template' NULL: the site's or the scheduler's own texts;
 * what lies in DIR never says what is run.  RC_EMISSING: nothing was submitted for DIR.
 * rc_jobs_state_fini() after success.
 */
int rc_jobs_state_read(const char *dir, const struct rc_template *template, bool ask,
                       struct rc_jobs_state *out, struct rc_error *err);

/* Reads the journals of all leaves.  'total' gets their sum, which is complete if every
 * leaf is, of 'noise' and 'profile' if their job has ended with 0.
 */
int rc_jobs_state_measure(const char *dir, struct rc_jobs_state *jobs_state,
                          struct rc_jobs_state_leaf *total, struct rc_error *err);

void rc_jobs_state_fini(struct rc_jobs_state *jobs_state); /* accepts a zeroed one */

/* Whether there is one job, of 'noise' or 'profile' and not of a campaign. */
bool rc_jobs_state_is_whole(const struct rc_jobs_state *jobs_state);

/* Has the scheduler end a job. */
int rc_jobs_state_cancel_one(const struct rc_template *template, const char *id,
                             struct rc_error *err);

/* Prints the table of jobs; 'json' as rc_rows_create() says. */
int rc_job_view_show(const struct rc_jobs_state *jobs_state, enum rc_format format,
                     struct rc_json *json, struct rc_error *err);

/* What --status and --watch end with. */
struct rc_jobs_state_end {
    bool complete;              /* the campaign */
    char failed[RC_ERROR_TEXT]; /* where no job goes on: the first that has failed and
                                 * its log, as a line for people; or "" */
};

/* Do what --status, --cancel and --watch say, with 'template' as rc_jobs_state_read()
 * has it.  'end' is set where they succeed.  --cancel tries all jobs and fails with the
 * first that could not be cancelled; --watch returns when no job is active or at a
 * signal.
 */
int rc_job_view_status(const char *dir, const struct rc_template *template,
                       enum rc_format format, struct rc_jobs_state_end *end,
                       struct rc_error *err);
int rc_job_view_cancel(const char *dir, const struct rc_template *template,
                       struct rc_error *err);
int rc_job_view_watch(const char *dir, const struct rc_template *template,
                      struct rc_jobs_state_end *end, struct rc_error *err);

#endif
