/* rank_counters.h - counters to which every rank adds and which rank 0 reads
 *
 * For progress: nobody waits for anybody.  An addition goes to rank 0 one-sided and
 * arrives with some delay; until it is answered, further additions to its counter are
 * collected here, and sent by a later call.
 */
#ifndef RC_CAMPAIGN_QUEUE_RANK_COUNTERS_H
#define RC_CAMPAIGN_QUEUE_RANK_COUNTERS_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct rc_rank_counters; /* opaque; used by one thread of each rank */

/* Collective over 'comm', which is duplicated; MPI_COMM_NULL: alone.  All counters
 * are 0, and all ranks give the same number of them.  On success the caller owns *out
 * and must rc_rank_counters_close() it on every rank; on failure *out is NULL on every
 * rank.
 */
int rc_rank_counters_create(MPI_Comm comm, size_t counters,
                            struct rc_rank_counters **out, struct rc_error *err);

/* Does not wait for rank 0.  (osc/ucx over TCP does, by itself: docs/queue.md.)
 * 'counter' is below the number of counters.
 */
void rc_rank_counters_add(struct rc_rank_counters *rank_counters, size_t counter,
                          uint64_t amount);

/* On rank 0: what has arrived.  Elsewhere: what this rank added. */
uint64_t rc_rank_counters_value(struct rc_rank_counters *rank_counters, size_t counter);

/* Makes progress with additions, by a few polls. */
void rc_rank_counters_progress(struct rc_rank_counters *rank_counters);

/* Collective; sleeps until all ranks are here and all additions have arrived, and calls
 * 'idle' (may be NULL) meanwhile. rc_rank_counters_value() is exact on rank 0 then.
 */
void rc_rank_counters_settle(struct rc_rank_counters *rank_counters,
                             void (*idle)(void *arg), void *arg);

/* Collective; accepts NULL if all ranks do. */
void rc_rank_counters_close(struct rc_rank_counters *rank_counters);

#endif
