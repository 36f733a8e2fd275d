/* jobs_state.h - states of a campaign's jobs, and its progress */
#ifndef RC_CAMPAIGN_SUBMIT_JOBS_STATE_H
#define RC_CAMPAIGN_SUBMIT_JOBS_STATE_H

#include "campaign/base/arena.h"
#include "campaign/records/completeness.h"
#include "campaign/submit/job_list.h"
#include "io/text/rows.h"

/* State of a job or of the elements of an array.  Texts are printable. */
struct rc_jobs_state_job {
    const struct rc_job_list_entry *entry; /* in the list of jobs */
    char id[RC_SUBMIT_JOB_ID];   /* the latest: a job may submit itself again */
    enum rc_job_state state;     /* of an array: of the elements that are not over */
    size_t count[RC_JOB_STATES]; /* elements, or 1 */
    char reason[200];            /* why it waits, or the last event; or "" */
    char time[RC_TEXT_TIME];     /* of the last line of its record, or "" */
    char log[80];                /* in DIR: its own log, or that of a failed element */
    unsigned tries;              /* how often it has begun; the most of any element */
    int exited;                  /* a plain job's exit status when it ended, or -1 */
};

/* A directory that a run works in: DIR itself, that of a part or of a share. */
struct rc_jobs_state_leaf {
    char path[64]; /* in DIR: "", "parts/1", "shares/3", "parts/1/shares/3" */
    bool there;    /* it holds a campaign */
    struct rc_suite_state all; /* units to be measured */
    bool complete;             /* nothing is missing */
};

/* All jobs of a campaign. */
struct rc_jobs_state {
    struct rc_job_list list; /* the last submission */
    struct rc_template own;  /* used if the caller's is another scheduler's */
    const struct rc_template *template;     /* asks for jobs and ends them */
    struct rc_jobs_state_job *job;          /* one for each entry of the list */
    const struct rc_jobs_state_job *active; /* the first that waits or runs, or NULL */
    struct rc_jobs_state_leaf *leaf; /* one for each part or, if it is split, each of
                                      * its shares; none for 'noise' and 'profile' */
    size_t leaf_count;
    struct rc_arena arena; /* of 'job' and 'leaf' */
};

/* Reads DIR/jobs and, if 'ask', asks the scheduler for each job (if it does not answer,
 * the job's reason says so).  'template' NULL: the site's or the scheduler's own texts;
 * files in DIR never decide what is run.  RC_EMISSING: nothing was submitted for DIR.
 * After success call rc_jobs_state_fini().
 */
int rc_jobs_state_read(const char *dir, const struct rc_template *template, bool ask,
                       struct rc_jobs_state *out, struct rc_error *err);

/* Reads the journals of all leaves.  'total' gets their sum, which is complete if every
 * leaf is; for 'noise' and 'profile', if their job has ended with 0.
 */
int rc_jobs_state_measure(const char *dir, struct rc_jobs_state *jobs_state,
                          struct rc_jobs_state_leaf *total, struct rc_error *err);

void rc_jobs_state_fini(struct rc_jobs_state *jobs_state); /* accepts a zeroed one */

/* Whether there is one job, of 'noise' or 'profile' instead of a campaign. */
bool rc_jobs_state_is_whole(const struct rc_jobs_state *jobs_state);

/* Lets the scheduler end a job. */
int rc_jobs_state_cancel_one(const struct rc_template *template, const char *id,
                             struct rc_error *err);

/* Prints the table of jobs; 'json' is as for rc_rows_create(). */
int rc_job_view_show(const struct rc_jobs_state *jobs_state, enum rc_format format,
                     struct rc_json *json, struct rc_error *err);

/* The end of --status and --watch. */
struct rc_jobs_state_end {
    bool complete;              /* the campaign is complete */
    char failed[RC_ERROR_TEXT]; /* if no job continues: the first that failed and its
                                 * log, a line for people; else "" */
};

/* These do what --status, --cancel and --watch ask for; 'template' is as for
 * rc_jobs_state_read().  'end' is set after success.  --cancel tries all jobs and fails
 * with the first error; --watch returns at a signal or once no job is active.
 */
int rc_job_view_status(const char *dir, const struct rc_template *template,
                       enum rc_format format, struct rc_jobs_state_end *end,
                       struct rc_error *err);
int rc_job_view_cancel(const char *dir, const struct rc_template *template,
                       struct rc_error *err);
int rc_job_view_watch(const char *dir, const struct rc_template *template,
                      struct rc_jobs_state_end *end, struct rc_error *err);

#endif
