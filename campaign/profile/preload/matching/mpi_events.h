/* mpi_events.h - adds communicators and events of calls to the tables of mpi_match.h */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_EVENTS_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_EVENTS_H

#include "campaign/profile/preload/matching/mpi_match.h"
#include "campaign/profile/preload/mpi/mpi_layer.h"

/* The number of a communicator; -1: it is unknown, like those between two groups. */
int rc_mpi_comm_find(intptr_t handle);

/* Adds a communicator or window that was made from the communicator 'parent': its
 * handle is 'handle', and its ranks are those of the communicator 'of'.  All ranks of
 * 'parent' must call this in the same order, also those that are not in the new one.
 * Without room for it, it stays unknown.
 */
void rc_mpi_comm_add(struct rc_mpi_world *world, int parent, intptr_t of,
                     intptr_t handle);

/* Adds an event of a call.  NULL: there is no room, or messages are not matched now. */
struct rc_mpi_event *rc_mpi_event_add(const struct rc_mpi_record *record, uint32_t row,
                                      int comm, enum rc_mpi_event_kind kind);

/* Adds a message to or from a rank, or a receive from any; 'peer' is not MPI_PROC_NULL.
 */
struct rc_mpi_event *rc_mpi_message_add(const struct rc_mpi_record *record,
                                        uint32_t row, int comm,
                                        enum rc_mpi_event_kind kind, int peer, int tag);

/* Replaces "any" in '*peer' and '*tag' of a receive by the message's, from its status.
 */
void rc_mpi_message_from(const char *status, int *peer, int *tag);

#endif
