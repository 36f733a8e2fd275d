/* mpi_polls.h - functions of MPI that ask whether something has come, again and again
 *
 * A poll is one of those of mpi_calls.h that have POLLS; rc_preload_poll has what is
 * known of each in a thread.
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MPI_MPI_POLLS_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MPI_MPI_POLLS_H

#include "campaign/profile/preload/mpi/mpi_layer.h"
#include "campaign/profile/preload/preload.h"

enum {
    RC_MPI_POLL_REQUESTS = 4, /* of one call, which may be counted only */
    RC_MPI_POLL_WORDS = 5,    /* arguments that such a function has at most */
};

/* Functions of which the next other call of MPI ends a stretch: a bit for each. */
extern uint32_t rc_mpi_polls_any __attribute__((visibility("hidden")));

/* Between enter and leave: polls that were only counted are added to their rows; one
 * was recorded: so many of the next are only counted.
 */
void rc_mpi_polls_add(struct rc_preload_block *block);
void rc_mpi_polls_give(struct rc_preload_block *block,
                       const struct rc_mpi_record *record, uint32_t row);

/* A poll was recorded that found nothing: the program may be left alone with 'next',
 * instead of 'own', our function of this name.
 */
void rc_mpi_polls_leave(const struct rc_mpi_args *args, const char *name, void *own,
                        void *next, const struct rc_mpi_record *record);

/* Before another call of MPI, with this frame on the stack; 'last': MPI ends.  'ends'
 * is told of polls that were not seen and found something, as behind a call.
 */
typedef void rc_mpi_ends(const struct rc_mpi_args *args, struct rc_mpi_record *record,
                         int code);
void rc_mpi_polls_stretch(uintptr_t frame, bool last, rc_mpi_ends *ends);

#endif
