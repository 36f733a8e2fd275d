/* queue.h - distributes units: tickets drawn from counters, without a master
 *
 * A lane is a list of units that every rank knows, in the caller's order (big units
 * first); the queue gives each of its indices, the tickets, to one rank.  A lane's
 * counter is in the memory of rank 0 and is drawn from by an MPI one-sided
 * fetch-and-add. docs/queue.md has measurements on several transports.
 *
 * Where the transport cannot reach rank 0's memory by itself (TCP), a draw is answered
 * when rank 0 next calls MPI, and that rank may be deep in a kernel.  So a rank draws
 * ahead:
 *
 *     while (rc_queue_take(queue, lane, &ticket)) {
 *         for (each sweep of unit[ticket]) {
 *             if (it may be the last one)
 *                 rc_queue_request(queue, lane);
 *             measure;
 *             rc_queue_progress(queue);
 *         }
 *     }
 *
 * A take then waits, asleep, only if rank 0 made no call during the caller's last
 * sweep; at worst for one sweep of rank 0's.  A rank that draws a whole unit ahead
 * keeps that unit waiting while others may have none left.
 *
 * A rank that dies or stops loses its tickets, at most two in a lane: the one it
 * measures and the one drawn ahead.  Nobody else draws them: units that are not in the
 * journal are measured when the campaign is resumed.
 */
#ifndef RC_CAMPAIGN_QUEUE_QUEUE_H
#define RC_CAMPAIGN_QUEUE_QUEUE_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rc_queue; /* opaque; used by one thread of each rank */

/* The queue's cost for this rank. */
struct rc_queue_stats {
    uint64_t draws;      /* requests sent to a counter */
    uint64_t taken;      /* tickets handed to the caller */
    uint64_t waits;      /* takes whose draw was not yet answered */
    uint64_t request_ns; /* in rc_queue_request(), by the caller or by a take */
    uint64_t take_ns;    /* in rc_queue_take(), with its waiting but without requests */
};

/* Collective over 'comm', which is duplicated, and MPI_COMM_NULL makes a queue for this
 * process alone.  'tickets' are the numbers of tickets by lane, below 2^62; all ranks
 * give the same, else RC_ECONFLICT.  On success the caller owns *out and must
 * rc_queue_close() it on every rank; on failure *out is NULL on every rank.
 */
int rc_queue_create(MPI_Comm comm, const uint64_t *tickets, size_t lanes,
                    struct rc_queue **out, struct rc_error *err);

/* Draws the next ticket of a lane and does not wait for the answer.  Does nothing if a
 * drawn one is not taken yet, or none is left.
 */
void rc_queue_request(struct rc_queue *queue, size_t lane);

/* Takes the ticket that was requested, or requests one now.  Sleeps until the answer
 * comes.  False: the lane has none left.
 */
bool rc_queue_take(struct rc_queue *queue, size_t lane, uint64_t *ticket);

/* Leaves no ticket in any lane, for any rank; not collective.  Tickets that were drawn
 * but not taken are lost.  Sleeps until rank 0 has answered.
 */
void rc_queue_stop(struct rc_queue *queue);

/* Answers the draws of other ranks that are waiting for this one; to be called
 * between sweeps and while a rank sleeps, never in a measured region.  Costs a
 * few polls.
 */
void rc_queue_progress(struct rc_queue *queue);

void rc_queue_stats(const struct rc_queue *queue, struct rc_queue_stats *out);

/* Collective; accepts NULL if all ranks do.  Sleeps until all ranks are here, and
 * meanwhile answers their draws.  A ticket that was drawn ahead and not taken is lost.
 */
void rc_queue_close(struct rc_queue *queue);

#endif
