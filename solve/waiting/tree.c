/* Which metric of the tree of times a call of MPI belongs to, by its name. */
#include "solve/waiting/tree.h"

#include <string.h>

struct function {
    const char *name;
    enum rc_waiting_group group;
    enum rc_waiting_kind kind;
    enum rc_waiting_moves moves;
};

/* A name that is not recorded has the last row, which is empty. */
static const struct function *function_of(const char *name)
{
    static const struct function functions[] = {
#define CALL(c, f, Name, small, group, kind, moves, ...)                               \
    {"MPI_" #Name, RC_WAITING_##group, RC_WAITING_##kind, RC_WAITING_##moves},
#include "solve/waiting/mpi_calls.h"
#undef CALL
        {0}};
    const struct function *at = functions;

    while (at->name && strcmp(at->name, name) != 0)
        at++;
    return at;
}

enum rc_waiting_group rc_waiting_group_of(const char *function)
{
    return function_of(function)->group;
}

enum rc_waiting_kind rc_waiting_kind_of(const char *function)
{
    return function_of(function)->kind;
}

enum rc_waiting_moves rc_waiting_moves_of(const char *function)
{
    return function_of(function)->moves;
}

const struct rc_waiting_metric rc_waiting_metrics[RC_TIMES] = {
    [RC_TIME] = {"time", "Time", "all of the time of threads", -1},
    [RC_TIME_EXECUTION] = {"execution", "Execution", "the program's own and in MPI",
                           RC_TIME},
    [RC_TIME_MPI] = {"mpi", "MPI", "in calls of MPI", RC_TIME_EXECUTION},
    [RC_TIME_SYNCHRONIZATION] = {"mpi_synchronization", "Synchronization",
                                 "calls that make ranks wait for each other",
                                 RC_TIME_MPI},
    [RC_TIME_BARRIER_WAIT] = {"wait_at_barrier", "Wait at Barrier",
                              "until the last rank has entered",
                              RC_TIME_SYNCHRONIZATION},
    [RC_TIME_BARRIER_COMPLETION] = {"barrier_completion", "Barrier Completion",
                                    "from when the first rank has left",
                                    RC_TIME_SYNCHRONIZATION},
    [RC_TIME_SYNCHRONIZATION_RMA] = {"mpi_rma_synchronization", "RMA synchronization",
                                     "of windows", RC_TIME_SYNCHRONIZATION},
    [RC_TIME_FENCE_WAIT] = {"wait_at_fence", "Wait at Fence",
                            "until the last rank has entered",
                            RC_TIME_SYNCHRONIZATION_RMA},
    [RC_TIME_LATE_POST] = {"late_post", "Late Post",
                           "until all that are accessed have let others in",
                           RC_TIME_SYNCHRONIZATION_RMA},
    [RC_TIME_EARLY_WAIT] = {"early_wait", "Early Wait",
                            "until all that access have ended that",
                            RC_TIME_SYNCHRONIZATION_RMA},
    [RC_TIME_LATE_COMPLETE] = {"late_complete", "Late Complete",
                               "of that: since the last access", RC_TIME_EARLY_WAIT},
    [RC_TIME_COMMUNICATION] = {"mpi_communication", "Communication",
                               "calls that move data", RC_TIME_MPI},
    [RC_TIME_POINT_TO_POINT] = {"mpi_point_to_point", "Point-to-point",
                                "from rank to rank", RC_TIME_COMMUNICATION},
    [RC_TIME_LATE_SENDER] = {"late_sender", "Late Sender", "until the message was sent",
                             RC_TIME_POINT_TO_POINT},
    [RC_TIME_WRONG_ORDER] = {"late_sender_wrong_order", "Wrong Order",
                             "of that: a message that was sent before is received "
                             "later",
                             RC_TIME_LATE_SENDER},
    [RC_TIME_WRONG_ORDER_SAME] = {"wrong_order_same_source", "Same source",
                                  "and it comes from the same rank",
                                  RC_TIME_WRONG_ORDER},
    [RC_TIME_WRONG_ORDER_OTHER] = {"wrong_order_different_source", "Different source",
                                   "and it comes from another rank",
                                   RC_TIME_WRONG_ORDER},
    [RC_TIME_LATE_RECEIVER] = {"late_receiver", "Late Receiver",
                               "until the receive was posted", RC_TIME_POINT_TO_POINT},
    [RC_TIME_COLLECTIVE] = {"mpi_collective", "Collective", "of all ranks together",
                            RC_TIME_COMMUNICATION},
    [RC_TIME_EARLY_REDUCE] = {"early_reduce", "Early Reduce",
                              "the root, until the first of the others entered",
                              RC_TIME_COLLECTIVE},
    [RC_TIME_EARLY_SCAN] = {"early_scan", "Early Scan",
                            "until the last of the lower ranks entered",
                            RC_TIME_COLLECTIVE},
    [RC_TIME_LATE_BROADCAST] = {"late_broadcast", "Late Broadcast",
                                "until the root entered", RC_TIME_COLLECTIVE},
    [RC_TIME_NXN_WAIT] = {"wait_at_nxn", "Wait at NxN",
                          "until the last rank has entered", RC_TIME_COLLECTIVE},
    [RC_TIME_NXN_COMPLETION] = {"nxn_completion", "NxN Completion",
                                "from when the first rank has left",
                                RC_TIME_COLLECTIVE},
    [RC_TIME_RMA] = {"mpi_rma_communication", "RMA", "one-sided",
                     RC_TIME_COMMUNICATION},
    [RC_TIME_FILES] = {"mpi_file_io", "File I/O", "of files", RC_TIME_MPI},
    [RC_TIME_BEGIN_END] = {"mpi_init_exit", "Init/Exit", "to begin and to end",
                           RC_TIME_MPI},
    [RC_TIME_OPENMP] = {"openmp", "OpenMP", "waiting of teams", RC_TIME_EXECUTION},
    [RC_TIME_OPENMP_WAIT] = {"openmp_wait", "Wait",
                             "until all threads of the team have come", RC_TIME_OPENMP},
    [RC_TIME_OPENMP_BARRIER] = {"openmp_barrier", "Barrier",
                                "in a barrier, or at the end of a loop",
                                RC_TIME_OPENMP},
    [RC_TIME_OPENMP_CRITICAL] = {"openmp_critical", "Critical",
                                 "until the thread may go on", RC_TIME_OPENMP},
    [RC_TIME_OPENMP_LOCK] = {"openmp_lock", "Lock", "until the thread may go on",
                             RC_TIME_OPENMP},
    [RC_TIME_OPENMP_ORDERED] = {"openmp_ordered", "Ordered",
                                "until the thread may go on", RC_TIME_OPENMP},
    [RC_TIME_OPENMP_TASKWAIT] = {"openmp_taskwait", "Taskwait",
                                 "waiting for tasks, with those done meanwhile",
                                 RC_TIME_OPENMP},
    [RC_TIME_OVERHEAD] = {"overhead", "Overhead", "of the profile itself, in threads",
                          RC_TIME},
    [RC_TIME_IDLE] = {"idle_threads", "Idle threads",
                      "of teams of OpenMP, while there is none", RC_TIME},
    [RC_TIME_NOT_RUNNING] = {"not_running", "Not running",
                             "could run, and waited for a processor", -1},
};

int rc_waiting_metric_of_group(enum rc_waiting_group group)
{
    static const int metric[RC_WAITING_GROUPS] = {
        [RC_WAITING_OTHER] = RC_TIME_MPI,
        [RC_WAITING_SYNCHRONIZES] = RC_TIME_SYNCHRONIZATION,
        [RC_WAITING_SYNCHRONIZES_WINDOW] = RC_TIME_SYNCHRONIZATION_RMA,
        [RC_WAITING_POINT_TO_POINT] = RC_TIME_POINT_TO_POINT,
        [RC_WAITING_COLLECTIVE] = RC_TIME_COLLECTIVE,
        [RC_WAITING_ONE_SIDED] = RC_TIME_RMA,
        [RC_WAITING_FILES] = RC_TIME_FILES,
        [RC_WAITING_BEGINS_ENDS] = RC_TIME_BEGIN_END};

    return metric[group];
}

int rc_waiting_metric_of_kind(enum rc_waiting_kind kind)
{
    static const int metric[RC_WAITING_KINDS] = {
        [RC_WAITING_NONE] = -1,
        [RC_WAITING_LATE_SENDER] = RC_TIME_LATE_SENDER,
        [RC_WAITING_LATE_RECEIVER] = RC_TIME_LATE_RECEIVER,
        [RC_WAITING_BARRIER] = RC_TIME_BARRIER_WAIT,
        [RC_WAITING_ALL] = RC_TIME_NXN_WAIT,
        [RC_WAITING_LATE_BROADCAST] = RC_TIME_LATE_BROADCAST,
        [RC_WAITING_EARLY_REDUCE] = RC_TIME_EARLY_REDUCE,
        [RC_WAITING_EARLY_SCAN] = RC_TIME_EARLY_SCAN,
        [RC_WAITING_FENCE] = RC_TIME_FENCE_WAIT,
        [RC_WAITING_LATE_POST] = RC_TIME_LATE_POST,
        [RC_WAITING_EARLY_WAIT] = RC_TIME_EARLY_WAIT};

    return kind < RC_WAITING_KINDS ? metric[kind] : -1;
}

int rc_waiting_completion_of_kind(enum rc_waiting_kind kind)
{
    return kind == RC_WAITING_BARRIER ? RC_TIME_BARRIER_COMPLETION
           : kind == RC_WAITING_ALL   ? RC_TIME_NXN_COMPLETION
                                      : -1;
}

int rc_waiting_metric_of_region(const char *name)
{
    static const struct {
        const char *begin;
        int metric;
    } regions[] = {{"omp wait", RC_TIME_OPENMP_WAIT},
                   {"omp barrier", RC_TIME_OPENMP_BARRIER},
                   {"omp critical", RC_TIME_OPENMP_CRITICAL},
                   {"omp lock", RC_TIME_OPENMP_LOCK},
                   {"omp ordered", RC_TIME_OPENMP_ORDERED},
                   {"omp taskwait", RC_TIME_OPENMP_TASKWAIT},
                   {"omp ", RC_TIME_EXECUTION}};

    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        if (strncmp(name, regions[i].begin, strlen(regions[i].begin)) == 0)
            return regions[i].metric;
    return -1;
}
