/* mpi_events.h - calls as events, in the tables of mpi_match.h: for those who make them
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_EVENTS_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_EVENTS_H

#include "campaign/profile/preload/matching/mpi_match.h"
#include "campaign/profile/preload/mpi/mpi_layer.h"

/* The number of a communicator; -1: it is not known, as those between two groups. */
int rc_mpi_comm_find(intptr_t handle);

/* A new one of 'parent', or a window: it has the ranks of 'of' and is known by
 * 'handle'. All ranks of a communicator make others of it in the same order, each of
 * them a part of one or none.  Where there is no room for it, it will not be known.
 */
void rc_mpi_comm_add(struct rc_mpi_world *world, int parent, intptr_t of,
                     intptr_t handle);

/* An event of a call.  NULL: there is no room, or messages are not matched now. */
struct rc_mpi_event *rc_mpi_event_add(const struct rc_mpi_record *record, uint32_t row,
                                      int comm, enum rc_mpi_event_kind kind);

/* A message to or from a rank, or from any; 'peer' is not MPI_PROC_NULL. */
struct rc_mpi_event *rc_mpi_message_add(const struct rc_mpi_record *record,
                                        uint32_t row, int comm,
                                        enum rc_mpi_event_kind kind, int peer, int tag);

/* Where a message came from, which the receive may have left open. */
void rc_mpi_message_from(const char *status, int *peer, int *tag);

#endif
