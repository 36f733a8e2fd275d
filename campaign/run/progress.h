/* progress.h - shows people how far a run is, and its log */
#ifndef RC_CAMPAIGN_RUN_PROGRESS_H
#define RC_CAMPAIGN_RUN_PROGRESS_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

/* DIR/log.txt.  Every rank appends lines of its own, each with one write() and with
 * time (UTC) and rank in front.  Characters that cannot be shown on one line become
 * '?', and a line ends after 4 KiB.  A log that cannot be written stops nobody: opening
 * it fails only if memory is lacking, and rc_log_problem() gives the first problem.
 */
struct rc_log;

int rc_log_open(const char *dir, int rank, struct rc_log **out, struct rc_error *err);
void rc_log_say(struct rc_log *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));            /* accepts NULL */
const char *rc_log_problem(const struct rc_log *log); /* NULL: there is none */
void rc_log_close(struct rc_log *log);                /* accepts NULL */

/* The state of a run, or of anything else that proceeds unit by unit. */
struct rc_progress_state {
    uint64_t units, units_total;     /* of this run */
    uint64_t events;                 /* measured events: group members x units */
    uint64_t invalid, failed;        /* units */
    uint64_t work_ns, work_total_ns; /* by the plan's estimate, of all workers: share
                                      * and ETA are by work if work_total_ns is not 0 */
    uint64_t wall_ns; /* the plan's estimate of all the time; 0: as 'work_total_ns' */
    const char *what; /* name of the units; NULL: "units" */
    const char *at;   /* what is being measured, "flops: repetition 2, point 7 of 48";
                       * NULL or "": not shown */
};

/* "412 of 1,024 units (40 %), 8,123 events/min, ETA 3 min, 2 invalid; flops: ..."; 100
 * % means that nothing is left.  On a terminal one line, rewritten at most four times a
 * second, without its less important parts if it is too long; else a plain line at the
 * start, then every 10 s in the first minute, every minute in the first ten and every 5
 * min after that, and one at the end.  The same plain lines go to 'log', which may be
 * NULL and must live as long; its first problem is said once.  A terminal that is
 * called "dumb" ($TERM) gets plain lines.
 *
 * With --quiet (rc_tell_level()) only the log gets all this.  All but
 * rc_progress_open() accept NULL, which is that of a rank that says nothing.
 */
struct rc_progress;
int rc_progress_open(FILE *out, struct rc_log *log, struct rc_progress **out_progress,
                     struct rc_error *err);

/* For a command: on the standard error of the first rank of 'comm' (or alone), without
 * a log.  NULL on other ranks, and without memory, which does no harm.
 */
struct rc_progress *rc_progress_of(MPI_Comm comm);

/* Time counts from here on instead of from the opening. */
void rc_progress_start(struct rc_progress *progress);
void rc_progress_tick(struct rc_progress *progress,
                      const struct rc_progress_state *state); /* cheap when not due */

/* For work that does not report its progress: "making campaign.h5 ... 3 s" is kept up
 * to date by a thread until the next stage, tick, hide or close.  Not to be used while
 * anything is counted that a thread could disturb.  With --verbose each stage leaves a
 * line.
 */
void rc_progress_stage(struct rc_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends a stage and removes the line, before something else is written to the terminal.
 */
void rc_progress_hide(struct rc_progress *progress);

/* Writes a line for people, also to the log, in place of the progress line, which comes
 * back below it.
 */
void rc_progress_say(struct rc_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, also with --quiet. */
void rc_progress_warn(struct rc_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Shows how far it came, and in which time, unless 'state' is NULL. */
void rc_progress_close(struct rc_progress *progress,
                       const struct rc_progress_state *state);

#endif
