/* job_list.h - the jobs of a campaign: DIR/jobs/jobs.txt and the records beside it
 *
 * jobs.txt is written by 'submit', a line for each job that the scheduler has taken;
 * JOB.record, or JOB-ELEMENT.record, is written by the scripts, a line for whatever
 * happened to them.  Both are files of lines, and may come from strangers.
 */
#ifndef RC_CAMPAIGN_SUBMIT_JOB_LIST_H
#define RC_CAMPAIGN_SUBMIT_JOB_LIST_H

#include "campaign/base/text.h"
#include "campaign/submit/script.h"

/* A job that the scheduler has taken. */
struct rc_job_list_entry {
    char name[RC_SUBMIT_JOB_NAME]; /* of its script and its record: "run" */
    char id[RC_SUBMIT_JOB_ID];     /* the scheduler's */
    enum rc_submit_kind kind;
    size_t number;         /* of the part */
    uint32_t first, count; /* elements of an array; count 0: a plain job */
    char queue[128];       /* printable, or "" */
};

/* A submission: its scheduler, its size, and its jobs. */
struct rc_job_list {
    const struct rc_scheduler *scheduler;
    unsigned round;                  /* of submissions, from 1 on */
    size_t parts;                    /* of the campaign, one in each queue */
    uint32_t shares;                 /* of each part; 0: parts are not split */
    struct rc_job_list_entry *entry; /* in the order in which they were submitted */
    size_t count, room;              /* of 'entry' */
};

/* RC_EMISSING: nothing was submitted for DIR.  rc_job_list_fini() after success. */
int rc_job_list_read(const char *dir, struct rc_job_list *out, struct rc_error *err);

/* Replaces jobs.txt as a whole. */
int rc_job_list_write(const char *dir, const struct rc_job_list *list,
                      struct rc_error *err);
int rc_job_list_add(struct rc_job_list *list, const struct rc_job_list_entry *entry,
                    struct rc_error *err);
void rc_job_list_fini(struct rc_job_list *list); /* accepts a zeroed one */

/* Writes DIR/jobs/cancelled: no job of this round or an earlier one begins any more,
 * nor has itself run again.  Scripts look at it themselves.
 */
int rc_job_list_cancel(const char *dir, unsigned round, struct rc_error *err);

/* Without a list there is no round that was cancelled. */
void rc_job_list_uncancel(const char *dir);

/* What may stand on a scheduler's command line as a job's id. */
bool rc_job_list_is_id(const char *id);

/* What a job's record says of the latest round. */
struct rc_job_list_record {
    char time[RC_TEXT_TIME];    /* of the last line, or "" */
    char job[RC_SUBMIT_JOB_ID]; /* the id of the job that goes on, or "" */
    char event[80];             /* of the last line: "begun", "ended 3", ...; or "" */
    unsigned tries;             /* how often it has begun */
    bool ended;                 /* its last line says so */
    bool cancelled;             /* and it has not begun again since */
    int exited;                 /* the status that it ended with, or -1 */
};

/* 'element' < 0: of a plain job.  A record that is not there is empty. */
int rc_job_list_record_read(const char *dir, const char *name, int64_t element,
                            unsigned round, struct rc_job_list_record *out,
                            struct rc_error *err);

#endif
