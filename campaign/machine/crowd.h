/* crowd.h - more ranks on a node than CPUs: some work, and the others sleep
 *
 * A rank that waits in MPI may look again and again without giving way (MPICH 4.0 does,
 * and has no setting for it): where it shares a CPU with the rank that it waits for,
 * each message takes as long as the scheduler leaves it there, some milliseconds.  So
 * work that needs no rank in particular is left to as many as have a CPU each.
 */
#ifndef RC_CAMPAIGN_MACHINE_CROWD_H
#define RC_CAMPAIGN_MACHINE_CROWD_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdbool.h>

struct rc_crowd {
    MPI_Comm all;     /* borrowed: who came */
    MPI_Comm working; /* those who work, in their order; 'all' where nobody sleeps */
    bool works;       /* this rank is one of them; the first of all is */
};

/* Collective over 'comm' (MPI_COMM_NULL: alone).  One rank after the other takes a CPU
 * of its node that it may use and that none has taken before; who finds none sleeps.
 * Nobody sleeps where a rank has ROLLCALL_ALL_RANKS in its environment.  To be ended by
 * rc_crowd_end(), where those who sleep go at once.
 */
void rc_crowd_begin(MPI_Comm comm, struct rc_crowd *out);

/* Collective over 'all': how the work of those who work went, as by rc_agree(). */
int rc_crowd_end(struct rc_crowd *crowd, int status, struct rc_error *err);

#endif
