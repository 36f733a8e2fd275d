/* Starts one kernel on all cores of a node together: a leader reads, the others follow.
 *
 * For each reading the leader broadcasts an order; then all wait in a barrier for the
 * slowest, so that they begin together, run the kernel, and agree on whether all of
 * them ran it.  An order of 0 iterations ends it.
 */
#include "campaign/run/all_cores.h"

#include "campaign/base/agree.h"

struct order {
    uint64_t iterations; /* 0: the end */
    uint32_t suite, point;
};

/* The others wait for a non-blocking broadcast (hear_order()), so this one must be one,
 * too.
 */
static void send_order(const struct rc_all_cores *a, struct order order)
{
    MPI_Request request;

    if (a->node == MPI_COMM_NULL)
        return;
    MPI_Ibcast(&order, sizeof order, MPI_BYTE, 0, a->node, &request);
    rc_wait_yielding(&request);
} /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): waited above */

/* All wait here for the slowest, directly before the kernel. */
static void line_up(const struct rc_all_cores *a)
{
    MPI_Request all;

    if (a->node == MPI_COMM_NULL)
        return;
    MPI_Ibarrier(a->node, &all);
    rc_wait_yielding(&all);
}

static bool all_did(const struct rc_all_cores *a, bool did)
{
    return rc_team_most(a->node, !did) == 0;
}

static void begin_reading(void *arg, const struct rc_measurement *what)
{
    const struct rc_all_cores *a = arg;

    send_order(a, (struct order){what->iterations, a->suite, what->point_index});
    line_up(a);
}

static bool end_reading(void *arg)
{
    return all_did(arg, true);
}

struct rc_reading_team rc_all_cores_team(struct rc_all_cores *a)
{
    return (struct rc_reading_team){
        .begin = begin_reading, .end = end_reading, .arg = a};
}

/* Sleeps instead of waiting in MPI_Bcast(), which would keep the core busy: it may take
 * long until the leader comes to this lane.
 */
static struct order hear_order(const struct rc_all_cores *a)
{
    struct order order;
    MPI_Request request;

    MPI_Ibcast(&order, sizeof order, MPI_BYTE, 0, a->node, &request);
    rc_wait_asleep(&request, a->idle, a->arg);
    return order; /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): waited above */
}

/* A rank that cannot make the kernel takes part in the barrier and the agreement all
 * the same, and says there that it did not run.
 */
void rc_all_cores_follow(struct rc_all_cores *a)
{
    for (struct order order = hear_order(a); order.iterations; order = hear_order(a)) {
        struct rc_error ignored;
        struct rc_kernel *kernel = NULL;
        const struct rc_suite *suite;
        bool made = rc_measurer_kernel(a->measurer, order.suite, order.point, &suite,
                                       &kernel, &ignored) == RC_OK;
        line_up(a);
        if (made)
            suite->run(kernel, order.iterations);
        all_did(a, made);
        if (made)
            suite->teardown(kernel);
    }
}

void rc_all_cores_dismiss(struct rc_all_cores *a)
{
    send_order(a, (struct order){0});
}
