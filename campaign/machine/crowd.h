/* crowd.h - for more ranks on a node than CPUs: some work, the others sleep
 *
 * A rank that waits in MPI may poll without yielding (MPICH 4.0 does, and has no
 * setting for it): if it shares a CPU with the rank that it waits for, each message
 * takes some milliseconds, until the scheduler switches.  So work that any rank can do
 * is left to as many ranks as have a CPU each.
 */
#ifndef RC_CAMPAIGN_MACHINE_CROWD_H
#define RC_CAMPAIGN_MACHINE_CROWD_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdbool.h>

struct rc_crowd {
    MPI_Comm all;     /* borrowed: all ranks */
    MPI_Comm working; /* the ranks that work, in order; 'all' if none sleeps */
    bool works;       /* this rank works; the first rank always does */
};

/* Collective over 'comm' (MPI_COMM_NULL: alone).  One rank after the other takes a CPU
 * of its node that it may use and that is free; a rank that finds none sleeps.  None
 * sleeps if a rank has ROLLCALL_ALL_RANKS in its environment. rc_crowd_end() must
 * follow; ranks that do not work call it at once.
 */
void rc_crowd_begin(MPI_Comm comm, struct rc_crowd *out);

/* Collective over 'all': gives all ranks the status of those that worked, as rc_agree()
 * does.
 */
int rc_crowd_end(struct rc_crowd *crowd, int status, struct rc_error *err);

#endif
