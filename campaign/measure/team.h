/* team.h - workers of a node that measure a unit together
 *
 * Every worker of a team is a rank with a measurer of its own, and all of them do the
 * same with a unit, step by step: they begin each reading together and agree on its
 * outcome, the worst of all, so that all repeat a sweep, leave out a point or give the
 * unit up where one has to.  Each keeps its own readings.
 */
#ifndef RC_CAMPAIGN_MEASURE_TEAM_H
#define RC_CAMPAIGN_MEASURE_TEAM_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rc_measure_team {
    MPI_Comm comm;   /* a rank's number in it is the worker's; MPI_COMM_NULL: alone */
    uint32_t number; /* of this worker, from 0 on, which leads */
    uint32_t size;
    void (*idle)(
        void *arg); /* called while this worker has nothing to do; may be NULL */
    void *arg;      /* for 'idle' */
};

/* Collective over the ranks of a node (or alone): they are numbered in the order of
 * their cores.  Sets all but 'idle' and 'arg'.
 */
void rc_measure_team_open(MPI_Comm node, size_t core, struct rc_measure_team *out);
void rc_measure_team_close(struct rc_measure_team *team); /* collective */

/* The next thing that the leader has its team do. */
struct rc_measure_order {
    uint64_t unit;     /* its number in the list that all of them have */
    uint64_t begin_ns; /* when it is taken, since 1970; 0: there is no more work */
};

/* Collective: gives the leader's order to all, who sleep until it comes. */
void rc_measure_team_tell(const struct rc_measure_team *team,
                          struct rc_measure_order *order);

/* Collective over the first 'workers' of the team: they go on together.  A worker
 * without a team (NULL) goes on at once; so it is below.
 */
void rc_measure_team_line_up(const struct rc_measure_team *team, uint32_t workers);

/* Collective: each byte becomes the largest that any worker gives.  One that is asleep
 * has nothing to do until the others are here.
 */
void rc_measure_team_worst(const struct rc_measure_team *team, uint8_t *byte,
                           size_t count, bool asleep);

/* Collective: rc_agree() of the team. */
int rc_measure_team_agree(const struct rc_measure_team *team, int status,
                          struct rc_error *err);

#endif
