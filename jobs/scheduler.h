/* scheduler.h - batch systems: how a job is written, submitted, queried and cancelled
 *
 * Each is one descriptor in a file of its own, one line in table.c, and a file of
 * texts, jobs/templates: directives, and shell that starts ranks, submits, queries and
 * cancels.  A site may replace any of these texts by a file, template.h.
 * docs/submit.md is the manual for users, docs/schedulers.md for adding a scheduler.
 */
#ifndef RC_JOBS_SCHEDULER_H
#define RC_JOBS_SCHEDULER_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The sections of template files.  The sections from RC_JOB_HEAD on are the same for
 * all schedulers, unless a template has its own.
 */
enum rc_job_text {
    RC_JOB_HEADER, /* directives */
    RC_JOB_SETUP,  /* sets job, index (of an array's element, or empty), nodes */
    RC_JOB_LAUNCH, /* the words that start ranks; their program follows */
    RC_JOB_AGAIN,  /* has this job run once more when it has ended; may set 'next',  its
                    * id then, or 'leave', the status that it ends with now
                    */
    RC_JOB_SUBMIT, /* submits $script from DIR, and prints the job's id */
    RC_JOB_QUERY,  /* prints the state of the job $1 */
    RC_JOB_CANCEL, /* ends the job $1 */
    RC_JOB_HEAD,   /* what a script begins with */
    RC_JOB_COMMON, /* functions that the steps use */
    RC_JOB_RUN,    /* the steps of jobs: measure, solve, report */
    RC_JOB_DEAL,   /* deal a campaign out to shares */
    RC_JOB_FINISH, /* put parts and shares together, solve, report */
    RC_JOB_NOISE,  /* measure what else runs on the nodes, judge it */
    RC_JOB_PROFILE, /* run a program, record where its time goes */
    RC_JOB_TEXTS
};
extern const char *const rc_job_text_names[]; /* "header", ...; ended by NULL */

/* The state of a job by its scheduler. */
enum rc_job_state {
    RC_JOB_UNKNOWN, /* the scheduler did not say */
    RC_JOB_WAITING,
    RC_JOB_RUNNING, /* or just starting, or ending */
    RC_JOB_DONE,    /* ended by itself, whatever its exit status */
    RC_JOB_FAILED,  /* by a time limit, a lost node or a status, says the scheduler */
    RC_JOB_CANCELLED,
    RC_JOB_GONE, /* the scheduler does not know it, or no longer */
    RC_JOB_STATES
};
extern const char *const rc_job_state_names[]; /* "unknown", "waiting", ... */

/* A job, or all elements of an array. */
struct rc_job_answer {
    size_t count[RC_JOB_STATES]; /* elements in each state; a plain job counts as 1 */
    char word[64];               /* the scheduler's own word for the first of them */
    char reason[200];            /* why it waits, or how it ended; or "" */
};

/* A batch system. */
struct rc_scheduler {
    const char *name;            /* "slurm": appears in files */
    const char *summary;         /* "Slurm", for people */
    const char *manual;          /* "sbatch(1)" */
    const char *const *programs; /* it is here if all are on the PATH; ended by NULL */
    const char *variable;        /* must be set, too; or NULL */
    const char *const *ask;      /* words of a command that lists places for jobs, and
                                  * fails without an answer; or NULL */
    const char *directive;       /* the beginning of its lines in a script: "#SBATCH" */
    const char *texts[3];        /* template files, later ones replace sections of
                                  * earlier ones; ended by NULL */

    /* The signals that come before the time limit, as trap(1) names them; "": none
     * comes, the script watches the clock.
     */
    const char *signals;
    const char *log_index;     /* an array's element in a log's name: "%a" */
    bool node_ranges;          /* it takes "2-4" nodes */
    const char *no_such_job;   /* text of a query that fails for a job that is no longer
                                * known: any other failure is no answer; NULL: there is
                                * no such failure */
    const char *directory_bad; /* characters no directory's name may have, or NULL */
    unsigned first_index;      /* of an array's elements: 0 or 1 */
    bool arrays;               /* else an array is submitted element by element */
    bool whole_nodes;          /* nodes come whole: ranks may be counted on them */
    bool one_node;             /* jobs run on one node, one after the other */
    bool unlimited;            /* jobs have no time limit except that of --time */

    /* How directives quote values with characters other than letters, digits and
     * _.,:=+@/%^~-.
     */
    struct rc_job_quoting {
        char quote; /* on both sides; 0: such values are refused */
        const char
            *escaped;    /* characters that a backslash stands in front of, or NULL */
        const char *bad; /* characters that cannot stand between, or NULL */
        const char *why; /* they cannot: "it has a ..." */
    } quoting;

    /* Reads a line of the query's output for that job, or, where single lines do not
     * suffice, all of it; calls rc_job_answer_add() for each job or element.
     */
    void (*read_line)(const char *line, const char *job, struct rc_job_answer *out);
    void (*read_all)(const char *answer, struct rc_job_answer *out);
    bool silent_of_gone; /* for an unknown job the query prints nothing and succeeds;
                          * else it fails */
};

/* All schedulers, ended by NULL; 'local' is the last. */
const struct rc_scheduler *const *rc_schedulers(void);
extern const char *const rc_scheduler_names[]; /* "auto" first; ended by NULL */
const struct rc_scheduler *rc_scheduler_find(const char *name); /* or NULL */

/* The first that is here: never NULL, since 'local' always is. */
const struct rc_scheduler *rc_scheduler_detect(void);
bool rc_scheduler_is_here(const struct rc_scheduler *scheduler);

/* Writes a value as directives need it; NULL, or the reason why that cannot be: words
 * for "...: REASON".
 */
const char *rc_job_directive_value(const struct rc_scheduler *scheduler,
                                   const char *value, char *out, size_t room);

/* Reads the query's output and exit status.  'out' must be zeroed. */
void rc_job_answer_read(const struct rc_scheduler *scheduler, const char *answer,
                        int exited, const char *job, struct rc_job_answer *out);

/* For descriptors: adds the answer for one job, or for one more element. */
void rc_job_answer_add(struct rc_job_answer *answer, enum rc_job_state state,
                       const char *word, const char *reason);

/* For descriptors: the state whose words include this one.  Words of a state have
 * blanks between.
 */
enum rc_job_state rc_job_word_state(const char *const words[RC_JOB_STATES],
                                    const char *word);

#endif
