/* mpi_pending.h - requests between the call that makes them and the one that completes
 * them
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_PENDING_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_PENDING_H

#include "campaign/profile/preload/matching/mpi_match.h"
#include "campaign/profile/preload/mpi/mpi_layer.h"

/* Keeps a request with the number of its event, or RC_REQUEST_...  NULL: there is no
 * room, so messages cannot be matched any more.
 */
struct rc_mpi_slot *rc_mpi_pending_keep(intptr_t request, int64_t event);

/* To be called after a call that made a request, made a persistent one or started such;
 * the last one before a call that frees a request.
 */
void rc_mpi_pending_made(const struct rc_mpi_args *args,
                         const struct rc_mpi_record *record, int comm);
void rc_mpi_pending_make_lasting(const struct rc_mpi_args *args, int comm);
void rc_mpi_pending_start(const struct rc_mpi_args *args,
                          const struct rc_mpi_record *record);
void rc_mpi_pending_forget(intptr_t request);

/* To be called after a call that may have completed requests; 'held' are those it was
 * given.
 */
void rc_mpi_pending_end(struct rc_mpi_world *world, const struct rc_mpi_args *args,
                        const struct rc_mpi_record *record, uint32_t row);

#endif
