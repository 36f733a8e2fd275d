/* tree.h - what a call of MPI does, and what it may wait for, by its name
 *
 * Together with waiting.h this is the tree of times.  All time is execution.  The part
 * in MPI is synchronization, communication, file I/O, beginning and end, or none of
 * these.  Waiting is a part of what the call does.
 */
#ifndef RC_SOLVE_WAITING_TREE_H
#define RC_SOLVE_WAITING_TREE_H

#include "solve/waiting/waiting.h"

enum rc_waiting_group {
    RC_WAITING_OTHER, /* MPI_Comm_rank, MPI_Type_commit, ... */
    RC_WAITING_SYNCHRONIZES,
    RC_WAITING_SYNCHRONIZES_WINDOW, /* one-sided */
    RC_WAITING_POINT_TO_POINT,
    RC_WAITING_COLLECTIVE,
    RC_WAITING_ONE_SIDED,
    RC_WAITING_FILES,
    RC_WAITING_BEGINS_ENDS,
    RC_WAITING_GROUPS
};

/* The group of a function of MPI ("MPI_Send"); OTHER: it is not in mpi_calls.h. */
enum rc_waiting_group rc_waiting_group_of(const char *function);

/* The part of a function's calls in messages from rank to rank. */
enum rc_waiting_moves {
    RC_WAITING_MOVES_NONE,
    RC_WAITING_SENDS,
    RC_WAITING_RECEIVES,
    RC_WAITING_EXCHANGES, /* MPI_Sendrecv: both */
    RC_WAITING_STARTS,    /* MPI_Start: as its requests do */
};
enum rc_waiting_moves rc_waiting_moves_of(const char *function);

/* The kind of a function's waiting; NONE: nothing that is defined.  MPI_Wait and its
 * kin may complete messages or collectives: it is LATE_SENDER unless a call is known.
 */
enum rc_waiting_kind rc_waiting_kind_of(const char *function);

/* The tree, each metric after its parent. */
struct rc_waiting_metric {
    const char *name, *title, *description;
    int parent; /* its number; -1: none */
};
enum {
    RC_TIME,
    RC_TIME_EXECUTION,
    RC_TIME_MPI,
    RC_TIME_SYNCHRONIZATION,
    RC_TIME_BARRIER_WAIT,
    RC_TIME_BARRIER_COMPLETION,
    RC_TIME_SYNCHRONIZATION_RMA,
    RC_TIME_FENCE_WAIT,
    RC_TIME_LATE_POST,
    RC_TIME_EARLY_WAIT,
    RC_TIME_LATE_COMPLETE,
    RC_TIME_COMMUNICATION,
    RC_TIME_POINT_TO_POINT,
    RC_TIME_LATE_SENDER,
    RC_TIME_WRONG_ORDER,
    RC_TIME_WRONG_ORDER_SAME,
    RC_TIME_WRONG_ORDER_OTHER,
    RC_TIME_LATE_RECEIVER,
    RC_TIME_COLLECTIVE,
    RC_TIME_EARLY_REDUCE,
    RC_TIME_EARLY_SCAN,
    RC_TIME_LATE_BROADCAST,
    RC_TIME_NXN_WAIT,
    RC_TIME_NXN_COMPLETION,
    RC_TIME_RMA,
    RC_TIME_FILES,
    RC_TIME_BEGIN_END,
    RC_TIME_OPENMP,
    RC_TIME_OPENMP_WAIT,
    RC_TIME_OPENMP_BARRIER,
    RC_TIME_OPENMP_CRITICAL,
    RC_TIME_OPENMP_LOCK,
    RC_TIME_OPENMP_ORDERED,
    RC_TIME_OPENMP_TASKWAIT,
    RC_TIME_OVERHEAD,
    RC_TIME_IDLE,
    RC_TIME_NOT_RUNNING, /* not a part of RC_TIME: wherever the thread was */
    RC_TIMES
};
extern const struct rc_waiting_metric rc_waiting_metrics[RC_TIMES];

/* The metric of a group's calls, of the waiting of a kind, and of the completion after
 * such waiting (-1: none); and of the time in a region of OpenMP by its name, "omp
 * barrier" (-1: the region is the program's).
 */
int rc_waiting_metric_of_group(enum rc_waiting_group group);
int rc_waiting_metric_of_kind(enum rc_waiting_kind kind);
int rc_waiting_completion_of_kind(enum rc_waiting_kind kind);
int rc_waiting_metric_of_region(const char *name);

#endif
