/* mpi_pending.h - requests between the call that makes them and the one that completes
 * them
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_PENDING_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_PENDING_H

#include "campaign/profile/preload/matching/mpi_match.h"
#include "campaign/profile/preload/mpi/mpi_layer.h"

/* A request is what event[] or enum RC_REQUEST_... say.  NULL: there is no room, so
 * that messages cannot be matched any more.
 */
struct rc_mpi_slot *rc_mpi_pending_keep(intptr_t request, int64_t event);

/* After a call that made a request, or one that can be started again and again; after
 * one that started such; before one that frees one.
 */
void rc_mpi_pending_made(const struct rc_mpi_args *args,
                         const struct rc_mpi_record *record, int comm);
void rc_mpi_pending_make_lasting(const struct rc_mpi_args *args, int comm);
void rc_mpi_pending_start(const struct rc_mpi_args *args,
                          const struct rc_mpi_record *record);
void rc_mpi_pending_forget(intptr_t request);

/* After a call that may have completed those of 'held'. */
void rc_mpi_pending_end(struct rc_mpi_world *world, const struct rc_mpi_args *args,
                        const struct rc_mpi_record *record, uint32_t row);

#endif
