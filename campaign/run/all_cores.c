#include "campaign/run/all_cores.h"

#include "campaign/base/agree.h"
#include "campaign/queue/mpi_counter.h"

#include <stddef.h>

struct order {
    uint64_t iterations; /* 0: there is no more */
    uint32_t suite, point;
};

static void send(const struct rc_gang *gang, struct order order)
{
    MPI_Request request;

    if (gang->node == MPI_COMM_NULL)
        return;
    MPI_Ibcast(&order, sizeof order, MPI_BYTE, 0, gang->node, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* All wait here for the slowest: the last thing before the kernel. */
static void line_up(const struct rc_gang *gang)
{
    if (gang->node != MPI_COMM_NULL)
        MPI_Barrier(gang->node);
}

static bool all_did(const struct rc_gang *gang, bool did)
{
    int all = did;

    if (gang->node != MPI_COMM_NULL)
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, gang->node);
    return all != 0;
}

static void begin(void *arg, const struct rc_measurement *what)
{
    const struct rc_gang *gang = arg;

    send(gang, (struct order){what->iterations, gang->suite, what->point_index});
    line_up(gang);
}

static bool end(void *arg)
{
    return all_did(arg, true);
}

struct rc_reading_team rc_gang_team(struct rc_gang *gang)
{
    return (struct rc_reading_team){.begin = begin, .end = end, .arg = gang};
}

static void obey(const struct rc_gang *gang, const struct order *order)
{
    struct rc_error ignored;
    struct rc_kernel *kernel = NULL;
    const struct rc_suite *suite;
    bool made = rc_measurer_kernel(gang->measurer, order->suite, order->point, &suite,
                                   &kernel, &ignored) == RC_OK;

    line_up(gang);
    if (made)
        suite->run(kernel, order->iterations);
    all_did(gang, made);
    if (made)
        suite->teardown(kernel);
}

/* Asleep: it may take a while until the leader comes to this. */
static struct order hear(const struct rc_gang *gang)
{
    struct order order;
    MPI_Request request;

    MPI_Ibcast(&order, sizeof order, MPI_BYTE, 0, gang->node, &request);
    rc_onesided_wait(&request, gang->idle, gang->arg);
    return order; /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): that waited */
}

void rc_gang_follow(struct rc_gang *gang)
{
    for (struct order order = hear(gang); order.iterations; order = hear(gang))
        obey(gang, &order);
}

void rc_gang_dismiss(struct rc_gang *gang)
{
    send(gang, (struct order){0});
}
