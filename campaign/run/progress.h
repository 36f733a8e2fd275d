/* progress.h - what a run says while it works, and its log */
#ifndef RC_CAMPAIGN_RUN_PROGRESS_H
#define RC_CAMPAIGN_RUN_PROGRESS_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

/* DIR/log.txt.  Every rank appends lines of its own, each with one write() and
 * with time (UTC) and rank in front.  What cannot be shown on one line becomes
 * '?', and a line ends after 4 KiB.  A log that cannot be written stops nobody: it
 * is opened all the same (failing only for want of memory) and tells its first
 * problem.
 */
struct rc_log;

int rc_log_open(const char *dir, int rank, struct rc_log **out, struct rc_error *err);
void rc_log_say(struct rc_log *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));            /* accepts NULL */
const char *rc_log_problem(const struct rc_log *log); /* NULL: there is none */
void rc_log_close(struct rc_log *log);                /* accepts NULL */

/* How far a run is, or whatever else goes from unit to unit. */
struct rc_progress_state {
    uint64_t units, units_total;     /* of this run */
    uint64_t events;                 /* that were measured: group members x units */
    uint64_t invalid, failed;        /* units */
    uint64_t work_ns, work_total_ns; /* by the plan's estimate, of all workers: share
                                      * and ETA go by it where work_total_ns is not 0 */
    uint64_t wall_ns; /* that all of it takes by the plan's estimate; 0: as
                       * long as the work */
    const char *what; /* the units by their name; NULL: "units" */
    const char *at;   /* what is at hand, "flops: repetition 2, point 7 of
                       * 48"; NULL or "": it is not said */
};

/* "412 of 1,024 units (40 %), 8,123 events/min, ETA 3 min, 2 invalid; flops: ..."; 100
 * % means that nothing is left.  On a terminal one line, rewritten at most four times a
 * second, without its less important parts where it is too long; else a plain line at
 * the start, then every 10 s in the first minute, every minute in the first ten and
 * every 5 min after that, and one at the end.  The same plain lines go to 'log', which
 * may be NULL and must live as long; its first problem is said once.  A terminal that
 * is called "dumb" ($TERM) gets plain lines.
 *
 * Where people want no remarks (rc_tell_level()) only the log gets all this.  All but
 * rc_progress_open() accept NULL: that of a rank that says nothing.
 */
struct rc_progress;
int rc_progress_open(FILE *out, struct rc_log *log, struct rc_progress **out_progress,
                     struct rc_error *err);

/* For a command: on the standard error of the first rank of 'comm' (or alone), without
 * a log; NULL elsewhere, and where there is no memory: it is as good.
 */
struct rc_progress *rc_progress_of(MPI_Comm comm);

/* Time counts from here on, not from the opening. */
void rc_progress_start(struct rc_progress *progress);
void rc_progress_tick(struct rc_progress *progress,
                      const struct rc_progress_state *state); /* cheap when not due */

/* Work that tells nothing of itself: "making campaign.h5 ... 3 s" is kept up to date by
 * a thread until the next stage, tick, hide or close.  Not while something is counted
 * that a thread could disturb.  Where people want details, each stage leaves a line.
 */
void rc_progress_stage(struct rc_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends a stage and takes the line away: something else is to be written to the same
 * terminal.
 */
void rc_progress_hide(struct rc_progress *progress);

/* A line for people between, also to the log: the progress line goes away and
 * comes back.
 */
void rc_progress_say(struct rc_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same where people want no remarks, too. */
void rc_progress_warn(struct rc_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says how far it came, and in which time; 'state' NULL: says nothing. */
void rc_progress_close(struct rc_progress *progress,
                       const struct rc_progress_state *state);

#endif
