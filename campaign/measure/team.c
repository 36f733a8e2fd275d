/* Keeps the workers of a team in step: orders, starts and agreements.
 *
 * Workers that have no part in a reading must not delay its start: those that have one
 * line up among themselves, by messages from each to the next one, the second, the
 * fourth and so on, after which each has heard of all.
 */
#include "campaign/measure/team.h"

#include "campaign/base/agree.h"

enum { LINE_UP_TAG = 1 };

void rc_measure_team_open(MPI_Comm node, size_t core, struct rc_measure_team *out)
{
    *out = (struct rc_measure_team){.comm = MPI_COMM_NULL};
    if (node != MPI_COMM_NULL)
        MPI_Comm_split(node, 0, (int)core, &out->comm);
    out->number = (uint32_t)rc_team_rank(out->comm);
    out->size = (uint32_t)rc_team_size(out->comm);
}

void rc_measure_team_close(struct rc_measure_team *team)
{
    if (team->comm != MPI_COMM_NULL)
        MPI_Comm_free(&team->comm);
}

static void wait_for(const struct rc_measure_team *team, MPI_Request *request,
                     bool asleep)
{
    if (asleep)
        rc_wait_asleep(request, team->idle, team->arg);
    else
        rc_wait_yielding(request);
}

void rc_measure_team_tell(const struct rc_measure_team *team,
                          struct rc_measure_order *order)
{
    MPI_Request request;

    if (team->comm == MPI_COMM_NULL)
        return;
    MPI_Ibcast(order, sizeof *order, MPI_BYTE, 0, team->comm, &request);
    wait_for(team, &request, team->number != 0);
} /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): it was waited for */

void rc_measure_team_line_up(const struct rc_measure_team *team, uint32_t workers)
{
    /* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): both are waited for */
    for (uint32_t step = 1; team && step < workers; step *= 2) {
        const uint32_t to = (team->number + step) % workers;
        const uint32_t from = (team->number + workers - step) % workers;
        MPI_Request heard, said;
        MPI_Irecv(NULL, 0, MPI_BYTE, (int)from, LINE_UP_TAG, team->comm, &heard);
        MPI_Isend(NULL, 0, MPI_BYTE, (int)to, LINE_UP_TAG, team->comm, &said);
        rc_wait_yielding(&heard);
        rc_wait_yielding(&said);
    }
    /* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */
}

void rc_measure_team_worst(const struct rc_measure_team *team, uint8_t *byte,
                           size_t count, bool asleep)
{
    MPI_Request request;

    if (!team || team->comm == MPI_COMM_NULL)
        return;
    MPI_Iallreduce(MPI_IN_PLACE, byte, (int)count, MPI_UINT8_T, MPI_MAX, team->comm,
                   &request);
    wait_for(team, &request, asleep);
} /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): it was waited for */

int rc_measure_team_agree(const struct rc_measure_team *team, int status,
                          struct rc_error *err)
{
    return team ? rc_agree(team->comm, status, err) : status;
}
