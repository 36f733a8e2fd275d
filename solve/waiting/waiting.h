/* waiting.h - how long calls of MPI waited for other ranks: definitions
 *
 * E is when a call was entered, X when it was left, both on one clock for all ranks, in
 * any unit (int64_t).  No function knows ranks or MPI: each takes the times of the
 * calls that belong together.  A call's waiting is never less than 0 nor more than the
 * call itself took: where clocks are off against each other the rest is cut.
 *
 *     Late Sender         the receiver is there, the message is not yet sent
 *     Wrong Order         part of it: another message, sent before, is received later
 *     Late Receiver       a blocking send waits for its receiver
 *     Wait at Barrier     until the last rank has entered
 *     Wait at NxN         the same where all need data of all (MPI_Allreduce, ...)
 *     Completion          after either of them: from when the first rank has left
 *     Late Broadcast      the root has not yet entered (MPI_Bcast, MPI_Scatter, ...)
 *     Early Reduce        the root is there before all others (MPI_Reduce, MPI_Gather)
 *     Early Scan          a rank is there before one of those below it
 *     Wait at Fence       as at a barrier, of a window (MPI_Win_fence)
 *     Late Post           MPI_Win_start, or MPI_Win_complete, until the last of the
 *                         ranks that are accessed has entered MPI_Win_post
 *     Early Wait          MPI_Win_wait, until the last that accesses has entered
 *                         MPI_Win_complete
 *     Late Complete       of that: since the last access of all of them ended
 */
#ifndef RC_SOLVE_WAITING_WAITING_H
#define RC_SOLVE_WAITING_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of waiting.  The numbers are kept in files. */
enum rc_waiting_kind {
    RC_WAITING_NONE, /* nothing that is defined here */
    RC_WAITING_LATE_SENDER,
    RC_WAITING_LATE_RECEIVER,
    RC_WAITING_BARRIER,
    RC_WAITING_ALL, /* NxN */
    RC_WAITING_LATE_BROADCAST,
    RC_WAITING_EARLY_REDUCE,
    RC_WAITING_EARLY_SCAN,
    RC_WAITING_FENCE,
    RC_WAITING_LATE_POST,
    RC_WAITING_EARLY_WAIT,
    RC_WAITING_KINDS
};

/* A name for people: "late sender"; "" of RC_WAITING_NONE and of unknown kinds. */
const char *rc_waiting_name(uint64_t kind);

struct rc_waiting_call {
    int64_t enter, exit;
};

/* min(E_s, X_r) - E_r, for a receive or a wait that completes one. */
int64_t rc_waiting_late_sender(struct rc_waiting_call receive, int64_t send_enter);

/* E_r - E_s, if the send had not ended before the receive began (X_s > E_r). */
int64_t rc_waiting_late_receiver(struct rc_waiting_call send, int64_t receive_enter);

/* max E - E_i: the latest of all ranks. */
int64_t rc_waiting_for_all(struct rc_waiting_call call, int64_t latest_enter);

/* X_i - min X, with the earliest X of all ranks.  Together with the call's wait for all
 * it is never longer than the call.
 */
int64_t rc_waiting_completion(struct rc_waiting_call call, int64_t latest_enter,
                              int64_t earliest_exit);

/* min(E_root, X_i) - E_i, for all ranks but the root. */
int64_t rc_waiting_late_broadcast(struct rc_waiting_call call, int64_t root_enter);

/* min E of the others - E_i, for the root. */
int64_t rc_waiting_early_reduce(struct rc_waiting_call root, int64_t earliest_other);

/* The part of MPI_Win_wait's waiting that is after the last access. */
int64_t rc_waiting_late_complete(struct rc_waiting_call wait, int64_t waited,
                                 int64_t last_access);

/* max E of lower ranks - E_i. */
int64_t rc_waiting_early_scan(struct rc_waiting_call call, int64_t latest_lower);

/* True: the message arrived before it was sent, so the clocks are wrong. */
bool rc_waiting_is_impossible(struct rc_waiting_call receive, int64_t send_enter);

/* A message that a rank received, and whether it came in the order of sending. */
enum rc_waiting_order {
    RC_WAITING_IN_ORDER,
    RC_WAITING_OTHER_SOURCE, /* one that was sent earlier is received later */
    RC_WAITING_SAME_SOURCE,  /* likewise, one of the same source */
};
struct rc_waiting_message {
    int64_t sent;
    uint32_t source;
    enum rc_waiting_order order; /* result */
};

/* Judges the order of all messages that one rank received, given in the order of their
 * receipt.  'earliest' has room for one number of each source.
 */
void rc_waiting_order_judge(struct rc_waiting_message *message, size_t count,
                            int64_t *earliest, size_t sources);

#endif
