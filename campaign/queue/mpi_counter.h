/* mpi_counter.h - counters in the memory of rank 0, to which all ranks add
 *
 * Used by queue.h and rank_counters.h.  An addition is an MPI one-sided fetch-and-add
 * that is started and not waited for.  Where the transport cannot reach rank 0's memory
 * by itself, it is done when rank 0 next calls MPI (docs/queue.md).
 */
#ifndef RC_CAMPAIGN_QUEUE_MPI_COUNTER_H
#define RC_CAMPAIGN_QUEUE_MPI_COUNTER_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rc_mpi_counter {
    MPI_Comm comm; /* its own */
    MPI_Win win;
    const char *memory; /* of the counters, on rank 0 */
};

/* Collective over 'comm', which is duplicated: makes 'counters' counters of 0.  The
 * first operation on rank 0 opens a connection and may wait for it: that is done here,
 * while all ranks are in MPI.
 */
void rc_mpi_counter_open(MPI_Comm comm, size_t counters, struct rc_mpi_counter *out);

/* Starts to add '*amount'.  When the request is complete, '*before' has the counter's
 * value before the addition.  Both must live until then.
 */
void rc_mpi_counter_add(struct rc_mpi_counter *window, size_t counter,
                        const int64_t *amount, int64_t *before, MPI_Request *request);

/* On rank 0: the counter's present value. */
int64_t rc_mpi_counter_value(const struct rc_mpi_counter *window, size_t counter);

/* Makes progress for other ranks' operations on this rank, by a few polls. */
void rc_mpi_counter_poll(struct rc_mpi_counter *window);

/* Collective; all requests are complete.  Sleeps until all ranks are here. */
void rc_mpi_counter_close(struct rc_mpi_counter *window);

#endif
