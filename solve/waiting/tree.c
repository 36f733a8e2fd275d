/* Which metric of the tree of times a call of MPI belongs to, by its name. */
#include "solve/waiting/tree.h"

#include <string.h>

/* Functions by how their names begin; the first that fits holds.  A name that ends with
 * '$' is the whole name.  Those that begin with I and do not block wait in MPI_Wait.
 */
static const struct {
    const char *begin;
    enum rc_waiting_group group;
    enum rc_waiting_kind kind;
} functions[] = {
    {"Barrier$", RC_WAITING_SYNCHRONIZES, RC_WAITING_BARRIER},
    {"Ibarrier$", RC_WAITING_SYNCHRONIZES, RC_WAITING_NONE},
    {"Win_fence$", RC_WAITING_SYNCHRONIZES_WINDOW, RC_WAITING_FENCE},
    {"Win_post$", RC_WAITING_SYNCHRONIZES_WINDOW, RC_WAITING_NONE},
    {"Win_start$", RC_WAITING_SYNCHRONIZES_WINDOW, RC_WAITING_LATE_POST},
    {"Win_complete$", RC_WAITING_SYNCHRONIZES_WINDOW, RC_WAITING_LATE_POST},
    {"Win_wait$", RC_WAITING_SYNCHRONIZES_WINDOW, RC_WAITING_EARLY_WAIT},
    {"Win_test$", RC_WAITING_SYNCHRONIZES_WINDOW, RC_WAITING_NONE},
    {"Win_lock", RC_WAITING_SYNCHRONIZES_WINDOW, RC_WAITING_NONE},
    {"Win_unlock", RC_WAITING_SYNCHRONIZES_WINDOW, RC_WAITING_NONE},
    {"Win_flush", RC_WAITING_SYNCHRONIZES_WINDOW, RC_WAITING_NONE},
    {"Win_sync$", RC_WAITING_SYNCHRONIZES_WINDOW, RC_WAITING_NONE},
    {"File_", RC_WAITING_FILES, RC_WAITING_NONE},
    {"Init", RC_WAITING_BEGINS_ENDS, RC_WAITING_NONE},
    {"Finalize$", RC_WAITING_BEGINS_ENDS, RC_WAITING_NONE},
    {"Put$", RC_WAITING_ONE_SIDED, RC_WAITING_NONE},
    {"Rput$", RC_WAITING_ONE_SIDED, RC_WAITING_NONE},
    {"Get$", RC_WAITING_ONE_SIDED, RC_WAITING_NONE},
    {"Rget$", RC_WAITING_ONE_SIDED, RC_WAITING_NONE},
    {"Get_accumulate$", RC_WAITING_ONE_SIDED, RC_WAITING_NONE},
    {"Rget_accumulate$", RC_WAITING_ONE_SIDED, RC_WAITING_NONE},
    {"Accumulate$", RC_WAITING_ONE_SIDED, RC_WAITING_NONE},
    {"Raccumulate$", RC_WAITING_ONE_SIDED, RC_WAITING_NONE},
    {"Fetch_and_op$", RC_WAITING_ONE_SIDED, RC_WAITING_NONE},
    {"Compare_and_swap$", RC_WAITING_ONE_SIDED, RC_WAITING_NONE},
    {"Send$", RC_WAITING_POINT_TO_POINT, RC_WAITING_LATE_RECEIVER},
    {"Ssend$", RC_WAITING_POINT_TO_POINT, RC_WAITING_LATE_RECEIVER},
    {"Rsend$", RC_WAITING_POINT_TO_POINT, RC_WAITING_LATE_RECEIVER},
    {"Bsend$", RC_WAITING_POINT_TO_POINT, RC_WAITING_LATE_RECEIVER},
    {"Recv$", RC_WAITING_POINT_TO_POINT, RC_WAITING_LATE_SENDER},
    {"Sendrecv", RC_WAITING_POINT_TO_POINT, RC_WAITING_LATE_SENDER},
    {"Wait", RC_WAITING_POINT_TO_POINT, RC_WAITING_LATE_SENDER},
    {"Isend", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Issend$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Irsend$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Ibsend$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Irecv$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Imrecv$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Mrecv$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Send_init$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Bsend_init$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Ssend_init$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Rsend_init$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Recv_init$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Start", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Probe$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Iprobe$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Mprobe$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Improbe$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Test$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Testa", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Testsome$", RC_WAITING_POINT_TO_POINT, RC_WAITING_NONE},
    {"Bcast$", RC_WAITING_COLLECTIVE, RC_WAITING_LATE_BROADCAST},
    {"Scatter$", RC_WAITING_COLLECTIVE, RC_WAITING_LATE_BROADCAST},
    {"Scatterv$", RC_WAITING_COLLECTIVE, RC_WAITING_LATE_BROADCAST},
    {"Reduce$", RC_WAITING_COLLECTIVE, RC_WAITING_EARLY_REDUCE},
    {"Gather$", RC_WAITING_COLLECTIVE, RC_WAITING_EARLY_REDUCE},
    {"Gatherv$", RC_WAITING_COLLECTIVE, RC_WAITING_EARLY_REDUCE},
    {"Scan$", RC_WAITING_COLLECTIVE, RC_WAITING_EARLY_SCAN},
    {"Exscan$", RC_WAITING_COLLECTIVE, RC_WAITING_EARLY_SCAN},
    {"Allreduce$", RC_WAITING_COLLECTIVE, RC_WAITING_ALL},
    {"Allgather", RC_WAITING_COLLECTIVE, RC_WAITING_ALL},
    {"Alltoall", RC_WAITING_COLLECTIVE, RC_WAITING_ALL},
    {"Reduce_scatter", RC_WAITING_COLLECTIVE, RC_WAITING_ALL},
    {"Neighbor_", RC_WAITING_COLLECTIVE, RC_WAITING_NONE},
    {"Ineighbor_", RC_WAITING_COLLECTIVE, RC_WAITING_NONE},
    {"Ibcast$", RC_WAITING_COLLECTIVE, RC_WAITING_NONE},
    {"Iscatter", RC_WAITING_COLLECTIVE, RC_WAITING_NONE},
    {"Ireduce", RC_WAITING_COLLECTIVE, RC_WAITING_NONE},
    {"Igather", RC_WAITING_COLLECTIVE, RC_WAITING_NONE},
    {"Iscan$", RC_WAITING_COLLECTIVE, RC_WAITING_NONE},
    {"Iexscan$", RC_WAITING_COLLECTIVE, RC_WAITING_NONE},
    {"Iall", RC_WAITING_COLLECTIVE, RC_WAITING_NONE},
};

/* The row of a function; SIZE_MAX: it has none. */
static size_t row_of(const char *function)
{
    if (strncmp(function, "MPI_", 4) != 0)
        return SIZE_MAX;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const size_t length = strcspn(functions[i].begin, "$");
        if (strncmp(function + 4, functions[i].begin, length) == 0 &&
            (!functions[i].begin[length] || !function[4 + length]))
            return i;
    }
    return SIZE_MAX;
}

enum rc_waiting_group rc_waiting_group_of(const char *function)
{
    const size_t row = row_of(function);

    return row == SIZE_MAX ? RC_WAITING_OTHER : functions[row].group;
}

enum rc_waiting_kind rc_waiting_kind_of(const char *function)
{
    const size_t row = row_of(function);

    return row == SIZE_MAX ? RC_WAITING_NONE : functions[row].kind;
}

enum rc_waiting_moves rc_waiting_moves_of(const char *function)
{
    static const struct {
        const char *name;
        enum rc_waiting_moves moves;
    } all[] = {{"MPI_Send", RC_WAITING_SENDS},
               {"MPI_Ssend", RC_WAITING_SENDS},
               {"MPI_Rsend", RC_WAITING_SENDS},
               {"MPI_Bsend", RC_WAITING_SENDS},
               {"MPI_Isend", RC_WAITING_SENDS},
               {"MPI_Issend", RC_WAITING_SENDS},
               {"MPI_Irsend", RC_WAITING_SENDS},
               {"MPI_Ibsend", RC_WAITING_SENDS},
               {"MPI_Recv", RC_WAITING_RECEIVES},
               {"MPI_Irecv", RC_WAITING_RECEIVES},
               {"MPI_Mrecv", RC_WAITING_RECEIVES},
               {"MPI_Imrecv", RC_WAITING_RECEIVES},
               {"MPI_Sendrecv", RC_WAITING_EXCHANGES},
               {"MPI_Sendrecv_replace", RC_WAITING_EXCHANGES},
               {"MPI_Start", RC_WAITING_STARTS},
               {"MPI_Startall", RC_WAITING_STARTS}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(function, all[i].name) == 0)
            return all[i].moves;
    return RC_WAITING_MOVES_NONE;
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
                   {"omp taskwait", RC_TIME_OPENMP_TASKWAIT}};

    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        if (strncmp(name, regions[i].begin, strlen(regions[i].begin)) == 0)
            return regions[i].metric;
    return -1;
}
