/* mpi_windows.h - calls that open and close windows, kept as messages between ranks */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_WINDOWS_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_WINDOWS_H

#include "campaign/profile/preload/matching/mpi_match.h"
#include "campaign/profile/preload/mpi/mpi_layer.h"

/* After a call of RC_MPI_STARTS_ACCESS .. RC_MPI_ACCESSES. */
void rc_mpi_window_end(struct rc_mpi_world *world, const struct rc_mpi_args *args,
                       const struct rc_mpi_record *record, uint32_t row);

/* Follows the events of windows after an exchange has moved them: t->number[] has their
 * new numbers, or UINT32_MAX for events that are gone.
 */
void rc_mpi_windows_move(struct rc_mpi_match *match);

#endif
