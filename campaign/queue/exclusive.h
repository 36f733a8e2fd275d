/* exclusive.h - one reader at a time in a shared unit, and all others asleep
 *
 * An event of a shared unit (a cache, a package, a node) counts for all of its workers,
 * so one worker reads while the others of the unit are quiet: they sleep in the kernel.
 * A worker is busy until it says otherwise:
 *
 *     while (rc_queue_take(queue, lane, &ticket)) {   busy
 *         rc_exclusive_acquire(quiet);                    all others are quiet now
 *         measure;
 *         rc_exclusive_release(quiet);                    busy
 *     }
 *     rc_exclusive_rest(quiet);    quiet, until nobody of the unit reads any more
 *
 * A worker that waits in rc_exclusive_acquire() is quiet.  Readers take turns in the
 * order in which they asked.  A worker that is killed counts as gone, and a reader that
 * is killed leaves its place to the next: the others notice within 0.1 s.
 *
 * A worker belongs to several units, one for each scope: one rc_exclusive for each.
 */
#ifndef RC_CAMPAIGN_QUEUE_EXCLUSIVE_H
#define RC_CAMPAIGN_QUEUE_EXCLUSIVE_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct rc_exclusive; /* opaque; used by the thread that created it, which must live on
                      */

/* Called now and then while waiting, unless another worker of the unit reads: a rank
 * that holds a queue's counter must answer the draws of busy ranks, or over TCP all
 * wait for each other. rc_queue_progress() is meant.
 */
struct rc_exclusive_idle {
    void (*call)(void *arg); /* NULL: nothing to do */
    void *arg;
    uint64_t every_ns; /* 0: every 5 ms */
};

/* Collective over 'node', whose ranks share one node; MPI_COMM_NULL is a team of
 * one.  Ranks that give the same 'unit' share it.  'idle' may be NULL and
 * is copied.  On success the caller owns *out and must rc_exclusive_close() it; on
 * failure *out is NULL on every rank.  Nothing stays in the file system.
 */
int rc_exclusive_create(MPI_Comm node, size_t unit,
                        const struct rc_exclusive_idle *idle, struct rc_exclusive **out,
                        struct rc_error *err);

/* Sleeps until all others of the unit are quiet or gone and it is this worker's turn.
 */
void rc_exclusive_acquire(struct rc_exclusive *exclusive);
void rc_exclusive_release(struct rc_exclusive *exclusive);

/* Sleeps, quiet, until all others of the unit rest too, or are gone.  Busy afterwards.
 */
void rc_exclusive_rest(struct rc_exclusive *exclusive);

/* Not collective: the worker is gone from its unit.  Accepts NULL. */
void rc_exclusive_close(struct rc_exclusive *exclusive);

#endif
