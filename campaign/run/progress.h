/* progress.h - what a run says while it works, and its log */
#ifndef RC_CAMPAIGN_RUN_PROGRESS_H
#define RC_CAMPAIGN_RUN_PROGRESS_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
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

/* How far a run is. */
struct rc_progress_state {
    uint64_t units, units_total;     /* of this run */
    uint64_t events;                 /* that were measured: group members x units */
    uint64_t invalid, failed;        /* units */
    uint64_t work_ns, work_total_ns; /* by the plan's estimate, of all workers: the ETA
                                      * goes by it where work_total_ns is not 0 */
};

/* "412 of 1,024 units (40 %), 8,123 events/min, ETA 3 min, 2 invalid"; 100 % means that
 * nothing is left.  On a terminal one line, rewritten at most four times a second; else
 * a plain line at the start, then every 10 s in the first minute, every minute in the
 * first ten and every 5 min after that, and one at the end.  The same plain lines go to
 * 'log', which may be NULL and must live as long; its first problem is said once.
 * A terminal that is called "dumb" ($TERM) gets plain lines.
 */
struct rc_progress;
int rc_progress_open(FILE *out, struct rc_log *log, struct rc_progress **out_progress,
                     struct rc_error *err);
void rc_progress_tick(struct rc_progress *progress,
                      const struct rc_progress_state *state); /* cheap when not due */

/* A line for people between, also to the log: the progress line goes away and
 * comes back.
 */
void rc_progress_say(struct rc_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says how far it came, and in which time; 'state' NULL: says nothing. */
void rc_progress_close(struct rc_progress *progress,
                       const struct rc_progress_state *state); /* accepts NULL */

#endif
