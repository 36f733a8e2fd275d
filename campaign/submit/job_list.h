/* job_list.h - the jobs of a campaign: DIR/jobs/jobs.txt and the records next to it
 *
 * 'submit' writes jobs.txt, a line for each job that the scheduler has taken; scripts
 * write JOB.record or JOB-ELEMENT.record, a line for each event.  Strangers may have
 * written either.
 */
#ifndef RC_CAMPAIGN_SUBMIT_JOB_LIST_H
#define RC_CAMPAIGN_SUBMIT_JOB_LIST_H

#include "campaign/base/text.h"
#include "campaign/submit/script.h"

/* A job that the scheduler has taken. */
struct rc_job_list_entry {
    char name[RC_SUBMIT_JOB_NAME]; /* "run": names its script and record */
    char id[RC_SUBMIT_JOB_ID];     /* the scheduler's */
    enum rc_submit_kind kind;
    size_t number;         /* of the part */
    uint32_t first, count; /* elements of an array; count 0: a plain job */
    char queue[128];       /* printable, or "" */
};

/* A submission: scheduler, size and jobs. */
struct rc_job_list {
    const struct rc_scheduler *scheduler;
    unsigned round;                  /* number of the submission, from 1 on */
    size_t parts;                    /* of the campaign, one in each queue */
    uint32_t shares;                 /* of each part; 0: parts are not split */
    struct rc_job_list_entry *entry; /* in the order of submission */
    size_t count, room;              /* of 'entry' */
};

/* Reads jobs.txt.  RC_EMISSING: nothing was submitted for DIR.  After success call
 * rc_job_list_fini().
 */
int rc_job_list_read(const char *dir, struct rc_job_list *out, struct rc_error *err);

/* Replaces jobs.txt as a whole. */
int rc_job_list_write(const char *dir, const struct rc_job_list *list,
                      struct rc_error *err);
int rc_job_list_add(struct rc_job_list *list, const struct rc_job_list_entry *entry,
                    struct rc_error *err);
void rc_job_list_fini(struct rc_job_list *list); /* accepts a zeroed one */

/* Writes DIR/jobs/cancelled: then no job of this or an earlier round begins or submits
 * itself again.  Scripts look at it themselves.
 */
int rc_job_list_cancel(const char *dir, unsigned round, struct rc_error *err);

/* Removes DIR/jobs/cancelled: without a list, no round was cancelled. */
void rc_job_list_uncancel(const char *dir);

/* Whether a job's id may be put into a scheduler's command line. */
bool rc_job_list_is_id(const char *id);

/* The events of the latest round in a job's record. */
struct rc_job_list_record {
    char time[RC_TEXT_TIME];    /* of the last line, or "" */
    char job[RC_SUBMIT_JOB_ID]; /* id of the job that continues, or "" */
    char event[80];             /* of the last line: "begun", "ended 3", ...; or "" */
    unsigned tries;             /* how often it has begun */
    bool ended;                 /* the last line is "ended" */
    bool cancelled;             /* and has not begun again since */
    int exited;                 /* its exit status when it ended, or -1 */
};

/* Reads a record; 'element' < 0: of a plain job.  A missing record is empty. */
int rc_job_list_record_read(const char *dir, const char *name, int64_t element,
                            unsigned round, struct rc_job_list_record *out,
                            struct rc_error *err);

#endif
