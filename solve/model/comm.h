/* comm.h - times of MPI calls as laws of latency and bandwidth
 *
 * The time of a call is a sum of costs.  The factor of a cost says how often the call
 * meets it among P ranks with s bytes; its coefficient, how long it takes each time:
 *
 *     t = overhead + A(P, s) alpha + B(P, s) beta + C(P, s) gamma
 *         + P late, or P^(1/2) tail, + P^2/2 match
 *
 *     alpha  latency of a message
 *     beta   a byte that is sent
 *     gamma  a byte that is reduced
 *     late   the last rank comes late to the call: seldom, but always by as much, or
 *     tail   by delays that have a heavy tail
 *     match  a step through a rank's queue, in which each other rank has a message
 *
 * No coefficient is below 0 but the overhead's: messages within a node take less than
 * alpha, and their number does not grow with that of nodes.
 *
 * A table has A, B and C of each algorithm of each operation.  Which of them a library
 * uses is not known: all are fitted, and those that the times allow share the weight.
 * Messages between two ranks are operations, too, with Hockney's law alpha + s beta;
 * the border between eager and rendezvous messages is found as that of two segments.
 */
#ifndef RC_SOLVE_MODEL_COMM_H
#define RC_SOLVE_MODEL_COMM_H

#include "solve/model/laws.h"

enum rc_comm_operation {
    RC_COMM_NEAR, /* messages between ranks of a node */
    RC_COMM_FAR,  /* messages between nodes */
    RC_COMM_BARRIER,
    RC_COMM_BCAST,
    RC_COMM_REDUCE,
    RC_COMM_ALLREDUCE,
    RC_COMM_GATHER,
    RC_COMM_SCATTER,
    RC_COMM_ALLGATHER,
    RC_COMM_ALLTOALL,
    RC_COMM_REDUCE_SCATTER,
    RC_COMM_SCAN,
    RC_COMM_OPERATIONS,
};

enum rc_comm_cost {
    RC_COMM_ALPHA,
    RC_COMM_BETA,
    RC_COMM_GAMMA,
    RC_COMM_OVERHEAD,
    RC_COMM_LATE,
    RC_COMM_TAIL,
    RC_COMM_MATCH,
    RC_COMM_COSTS,
};

enum {
    RC_COMM_TERMS = 3,
    RC_COMM_SEGMENTS = 3,
    RC_COMM_CHOICES = 16,
};

#define RC_COMM_BIT(cost) (1u << (cost))

/* times * P^(halves/2) * L^steps * s^bytes, L = log2(P), rounded up */
struct rc_comm_term {
    double times; /* 0: the list ends */
    signed char halves, steps, bytes;
};

struct rc_comm_algorithm {
    const char *name;
    enum rc_comm_operation operation;
    struct rc_comm_term of[RC_COMM_COSTS][RC_COMM_TERMS];
    /* It is made for powers of two: other numbers of ranks are folded to the next lower
     * one, by so many messages more, and so many times all bytes.
     */
    double fold_messages, fold_bytes;
    double segment; /* bytes of a piece, in a chain of ranks; 0: whole messages */
};

/* Those of all operations; the last has the name NULL. */
extern const struct rc_comm_algorithm rc_comm_algorithms[];

/* The mean of calls.  'bytes' are those of one rank, as 'rollcall profile' counts them:
 * its contribution to a gather or a reduction, the message of a broadcast, all that it
 * sends in a scatter or an all-to-all.  'ranks' is 2 for messages.
 */
struct rc_comm_row {
    enum rc_comm_operation operation;
    double ranks, bytes; /* of one call */
    double seconds;      /* of one call */
    double spread;       /* standard error of 'seconds'; 0: not known */
};

struct rc_comm_choice {
    /* Among powers of two, and among other numbers of ranks. */
    const struct rc_comm_algorithm *powers, *others;
    double weight; /* of all choices of the segment together 1 */
    double aic;    /* Akaike's criterion, up to a constant of the segment's rows */
    unsigned costs, shared; /* RC_COMM_BIT; 'shared': with other operations */
    double coefficient[RC_COMM_COSTS];
    double covariance[RC_COMM_COSTS][RC_COMM_COSTS];
};

struct rc_comm_segment {
    double from; /* bytes or ranks; the first has all that is below it, too */
    size_t count;
    struct rc_comm_choice choice[RC_COMM_CHOICES]; /* the best one first */
};

struct rc_comm_law {
    double least[2], most[2]; /* ranks and bytes that were measured */
    bool all_powers;          /* all numbers of ranks were powers of two */
    double misfit;            /* standard deviation of times around a law, relative */
    double degrees;           /* of freedom, that this is known with */
    uint32_t words;           /* enum rc_laws_word */
    enum { RC_COMM_BY_RANKS, RC_COMM_BY_BYTES } by; /* which of both divides segments */
    size_t segments;                                /* 0: nothing can be told */
    struct rc_comm_segment segment[RC_COMM_SEGMENTS];
};

struct rc_comm {
    struct rc_comm_law of[RC_COMM_OPERATIONS];
};

enum rc_comm_method {
    RC_COMM_FITTED,
    /* a log P + b s + c by least squares, as published; for comparison */
    RC_COMM_PUBLISHED,
};

/* Fits all operations that rows have.  The caller frees *out.  RC_EUSAGE names the first
 * row that no call can have (times not above 0, ranks below 1, bytes below 0).
 */
int rc_comm_fit(const struct rc_comm_row *rows, size_t count,
                enum rc_comm_method method, struct rc_comm **out, struct rc_error *err);

bool rc_comm_is_power(double ranks); /* of two */

/* How often a call meets each cost, and its time, by one law. */
void rc_comm_choice_costs(const struct rc_comm_choice *choice, double ranks,
                          double bytes, double costs[RC_COMM_COSTS]);
double rc_comm_choice_time(const struct rc_comm_choice *choice, double ranks,
                           double bytes);

/* The segment that a call belongs to; the law has one. */
const struct rc_comm_segment *rc_comm_segment_at(const struct rc_comm_law *law,
                                                 double ranks, double bytes);

/* The time of one call.  The interval holds the mean of many calls of one run. */
struct rc_predicted rc_comm_predict(const struct rc_comm *fit,
                                    enum rc_comm_operation operation, double ranks,
                                    double bytes);

/* The laws of an operation at these ranks and bytes as sums of terms of P and s, or of P
 * alone where 'bytes' never varied.  False where none is such a sum: chains of pieces,
 * and algorithms with steps where numbers of ranks were not powers of two.
 */
bool rc_comm_laws(const struct rc_comm *fit, enum rc_comm_operation operation,
                  double ranks, double bytes, struct rc_laws *out);

/* "MPI_Bcast"; "messages of a node". */
const char *rc_comm_operation_name(enum rc_comm_operation operation);

#endif
