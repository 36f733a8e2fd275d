/* all_cores.h - kernels that run on all cores of a node at once
 *
 * One worker of the node leads: it measures.  The others run the same kernel with the
 * same number of iterations from the moment at which the leader begins to count.
 */
#ifndef RC_CAMPAIGN_RUN_ALL_CORES_H
#define RC_CAMPAIGN_RUN_ALL_CORES_H

#include "campaign/measure/measure.h"

struct rc_all_cores {
    MPI_Comm node;                /* whose rank 0 leads; MPI_COMM_NULL: it is alone */
    struct rc_measurer *measurer; /* of this rank: makes the kernels */
    void (*idle)(void *arg);      /* called while waiting for the leader */
    void *arg;                    /* for 'idle' */
    uint32_t suite;               /* of the unit being measured: the leader sets it */
};

/* The team for the leader's readings; 'all_cores' must outlive it. */
struct rc_reading_team rc_all_cores_team(struct rc_all_cores *all_cores);

/* On the others: runs kernels until the leader dismisses them. */
void rc_all_cores_follow(struct rc_all_cores *all_cores);

/* On the leader, in any case, as the last call. */
void rc_all_cores_dismiss(struct rc_all_cores *all_cores);

#endif
