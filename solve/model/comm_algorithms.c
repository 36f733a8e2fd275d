/* comm_algorithms.c - the costs of algorithms of MPI's collectives
 *
 * R. Thakur, R. Rabenseifner, W. Gropp: Optimization of collective communication
 * operations in MPICH, IJHPCA 19, 2005; E. Chan, M. Heimlich, A. Purkayastha, R. van de
 * Geijn: Collective communication: theory, practice, and experience, CCPE 19, 2007;
 * rings: P. Patarasuk, X. Yuan, JPDC 69, 2009; queues: K. D. Underwood, R. Brightwell:
 * The impact of MPI queue usage on message latency, ICPP 2004; ranks that come late:
 * S. Agarwal, R. Garg, N. Vishnoi: The impact of noise on the scaling of collectives,
 * HiPC 2005: the last of P ranks is late by log P, if delays are exponential, by a power
 * of P between 0 and 1, if they have a heavy tail, and by P, if they are rare and equal.
 */
#include "solve/model/comm.h"

#include <math.h>

/* clang-format off */
/* Beginnings of the rows: the costs that all collectives may have. */
#define COLLECTIVE(OPERATION, NAME)                                            \
    .operation = (OPERATION), .name = (NAME),                                  \
    .of[RC_COMM_OVERHEAD] = {{.times = 1}},                                    \
    .of[RC_COMM_LATE] = {{.times = 1, .halves = 2}},                           \
    .of[RC_COMM_TAIL] = {{.times = 1, .halves = 1}}
#define ALPHA .of[RC_COMM_ALPHA]
#define BETA .of[RC_COMM_BETA]
#define GAMMA .of[RC_COMM_GAMMA]
/* The root, or each rank, has P messages in its queue. */
#define QUEUE .of[RC_COMM_MATCH] = {{.times = 0.5, .halves = 4}}

/* n L, n (P-1), n L s, n (P-1) s, and n (P-1)/P s */
#define STEPS(n) {{.times = (n), .steps = 1}}
#define RANKS(n) {{.times = (n), .halves = 2}, {.times = -(n)}}
#define BYTES_STEPS(n) {{.times = (n), .steps = 1, .bytes = 1}}
#define BYTES_RANKS(n) {{.times = (n), .halves = 2, .bytes = 1}, {.times = -(n), .bytes = 1}}
#define SHARES(n) {{.times = (n), .bytes = 1}, {.times = -(n), .halves = -2, .bytes = 1}}

const struct rc_comm_algorithm rc_comm_algorithms[] = {
    {.operation = RC_COMM_NEAR, .name = "Hockney", ALPHA = {{.times = 1}}, BETA = {{.times = 1, .bytes = 1}}},
    {.operation = RC_COMM_FAR, .name = "Hockney", ALPHA = {{.times = 1}}, BETA = {{.times = 1, .bytes = 1}}},

    {COLLECTIVE(RC_COMM_BARRIER, "dissemination"), ALPHA = STEPS(1)},
    {COLLECTIVE(RC_COMM_BARRIER, "recursive doubling"), ALPHA = STEPS(1), .fold_messages = 2},
    {COLLECTIVE(RC_COMM_BARRIER, "tree"), ALPHA = STEPS(2)},
    {COLLECTIVE(RC_COMM_BARRIER, "double ring"), ALPHA = {{.times = 2, .halves = 2}}},
    {COLLECTIVE(RC_COMM_BARRIER, "linear"), ALPHA = RANKS(2), QUEUE},

    {COLLECTIVE(RC_COMM_BCAST, "binomial tree"), ALPHA = STEPS(1), BETA = BYTES_STEPS(1)},
    {COLLECTIVE(RC_COMM_BCAST, "scatter, recursive doubling"), ALPHA = STEPS(2), BETA = SHARES(2)},
    {COLLECTIVE(RC_COMM_BCAST, "scatter, ring"),
     ALPHA = {{.times = 1, .steps = 1}, {.times = 1, .halves = 2}, {.times = -1}}, BETA = SHARES(2)},
    {COLLECTIVE(RC_COMM_BCAST, "linear, or a chain"), ALPHA = RANKS(1), BETA = BYTES_RANKS(1)},
    {COLLECTIVE(RC_COMM_BCAST, "chain of 8 KiB"), ALPHA = {{.times = 1}}, BETA = {{.times = 1}}, .segment = 8192},
    {COLLECTIVE(RC_COMM_BCAST, "chain of 128 KiB"), ALPHA = {{.times = 1}}, BETA = {{.times = 1}}, .segment = 131072},

    {COLLECTIVE(RC_COMM_REDUCE, "binomial tree"),
     ALPHA = STEPS(1), BETA = BYTES_STEPS(1), GAMMA = BYTES_STEPS(1)},
    {COLLECTIVE(RC_COMM_REDUCE, "Rabenseifner"),
     ALPHA = STEPS(2), BETA = SHARES(2), GAMMA = SHARES(1), .fold_messages = 1, .fold_bytes = 1},
    {COLLECTIVE(RC_COMM_REDUCE, "linear, or a chain"),
     ALPHA = RANKS(1), BETA = BYTES_RANKS(1), GAMMA = BYTES_RANKS(1), QUEUE},
    {COLLECTIVE(RC_COMM_REDUCE, "chain of 64 KiB"),
     ALPHA = {{.times = 1}}, BETA = {{.times = 1}}, GAMMA = {{.times = 1}}, .segment = 65536},

    {COLLECTIVE(RC_COMM_ALLREDUCE, "recursive doubling"), ALPHA = STEPS(1),
     BETA = BYTES_STEPS(1), GAMMA = BYTES_STEPS(1), .fold_messages = 2, .fold_bytes = 2},
    {COLLECTIVE(RC_COMM_ALLREDUCE, "Rabenseifner"),
     ALPHA = STEPS(2), BETA = SHARES(2), GAMMA = SHARES(1), .fold_messages = 2, .fold_bytes = 2},
    {COLLECTIVE(RC_COMM_ALLREDUCE, "ring"), ALPHA = RANKS(2), BETA = SHARES(2), GAMMA = SHARES(1)},
    {COLLECTIVE(RC_COMM_ALLREDUCE, "reduce, broadcast"),
     ALPHA = STEPS(2), BETA = BYTES_STEPS(2), GAMMA = BYTES_STEPS(1)},

    {COLLECTIVE(RC_COMM_GATHER, "binomial tree"), ALPHA = STEPS(1), BETA = BYTES_RANKS(1)},
    {COLLECTIVE(RC_COMM_GATHER, "linear"), ALPHA = RANKS(1), BETA = BYTES_RANKS(1), QUEUE},

    {COLLECTIVE(RC_COMM_SCATTER, "binomial tree"), ALPHA = STEPS(1), BETA = SHARES(1)},
    {COLLECTIVE(RC_COMM_SCATTER, "linear"), ALPHA = RANKS(1), BETA = SHARES(1)},

    {COLLECTIVE(RC_COMM_ALLGATHER, "Bruck, or recursive doubling"),
     ALPHA = STEPS(1), BETA = BYTES_RANKS(1)},
    {COLLECTIVE(RC_COMM_ALLGATHER, "ring"), ALPHA = RANKS(1), BETA = BYTES_RANKS(1)},
    {COLLECTIVE(RC_COMM_ALLGATHER, "gather, broadcast"), ALPHA = STEPS(2),
     BETA = {{.times = 1, .halves = 2, .bytes = 1}, {.times = -1, .bytes = 1}, {.times = 1, .halves = 2, .steps = 1, .bytes = 1}}},

    {COLLECTIVE(RC_COMM_ALLTOALL, "Bruck"),
     ALPHA = STEPS(1), BETA = BYTES_STEPS(0.5)},
    {COLLECTIVE(RC_COMM_ALLTOALL, "pairwise"), ALPHA = RANKS(1), BETA = SHARES(1)},
    {COLLECTIVE(RC_COMM_ALLTOALL, "linear"), ALPHA = RANKS(1), BETA = SHARES(1), QUEUE},

    {COLLECTIVE(RC_COMM_REDUCE_SCATTER, "recursive halving"),
     ALPHA = STEPS(1), BETA = SHARES(1), GAMMA = SHARES(1), .fold_messages = 2, .fold_bytes = 1},
    {COLLECTIVE(RC_COMM_REDUCE_SCATTER, "pairwise, or a ring"),
     ALPHA = RANKS(1), BETA = SHARES(1), GAMMA = SHARES(1)},
    {COLLECTIVE(RC_COMM_REDUCE_SCATTER, "recursive doubling"), ALPHA = STEPS(1),
     BETA = {{.times = 1, .steps = 1, .bytes = 1}, {.times = -1, .bytes = 1}, {.times = 1, .halves = -2, .bytes = 1}},
     GAMMA = {{.times = 1, .steps = 1, .bytes = 1}, {.times = -1, .bytes = 1}, {.times = 1, .halves = -2, .bytes = 1}}},

    {COLLECTIVE(RC_COMM_SCAN, "recursive doubling"),
     ALPHA = STEPS(1), BETA = BYTES_STEPS(1), GAMMA = BYTES_STEPS(1)},
    {COLLECTIVE(RC_COMM_SCAN, "linear"),
     ALPHA = RANKS(1), BETA = BYTES_RANKS(1), GAMMA = BYTES_RANKS(1)},
    {.name = NULL},
};
/* clang-format on */

const char *rc_comm_operation_name(enum rc_comm_operation operation)
{
    static const char *const names[RC_COMM_OPERATIONS] = {
        [RC_COMM_NEAR] = "messages of a node",
        [RC_COMM_FAR] = "messages between nodes",
        [RC_COMM_BARRIER] = "MPI_Barrier",
        [RC_COMM_BCAST] = "MPI_Bcast",
        [RC_COMM_REDUCE] = "MPI_Reduce",
        [RC_COMM_ALLREDUCE] = "MPI_Allreduce",
        [RC_COMM_GATHER] = "MPI_Gather",
        [RC_COMM_SCATTER] = "MPI_Scatter",
        [RC_COMM_ALLGATHER] = "MPI_Allgather",
        [RC_COMM_ALLTOALL] = "MPI_Alltoall",
        [RC_COMM_REDUCE_SCATTER] = "MPI_Reduce_scatter",
        [RC_COMM_SCAN] = "MPI_Scan",
    };

    return names[operation];
}

bool rc_comm_is_power(double ranks)
{
    return exp2(floor(log2(ranks))) == ranks;
}

static void costs_at(const struct rc_comm_algorithm *algorithm, double ranks,
                     double bytes, double costs[RC_COMM_COSTS])
{
    double folds = algorithm->fold_messages > 0 && !rc_comm_is_power(ranks) ? 1 : 0;
    double p = folds > 0 ? exp2(floor(log2(ranks))) : ranks, steps = ceil(log2(p));
    double more[RC_COMM_COSTS] = {[RC_COMM_ALPHA] = algorithm->fold_messages,
                                  [RC_COMM_BETA] = algorithm->fold_bytes * bytes,
                                  [RC_COMM_GAMMA] = bytes};
    double pieces =
        algorithm->segment > 0 ? fmax(ceil(bytes / algorithm->segment), 1) : 0;
    double hops = fmax(ranks - 2 + pieces, 0);

    for (size_t c = 0; c < RC_COMM_COSTS; c++) {
        const struct rc_comm_term *term = algorithm->of[c];

        costs[c] = 0;
        for (size_t t = 0; t < RC_COMM_TERMS && term[t].times != 0; t++)
            costs[c] += term[t].times * pow(p, term[t].halves / 2.0) *
                        pow(steps, term[t].steps) * pow(bytes, term[t].bytes);
        if (pieces > 0 && (c == RC_COMM_BETA || c == RC_COMM_GAMMA))
            costs[c] *= ranks < 2 ? 0 : hops * bytes / pieces;
        else if (pieces > 0 && c == RC_COMM_ALPHA)
            costs[c] *= ranks < 2 ? 0 : hops;
        else if (folds > 0 && costs[c] > 0)
            costs[c] += more[c];
    }
}

void rc_comm_choice_costs(const struct rc_comm_choice *choice, double ranks,
                          double bytes, double costs[RC_COMM_COSTS])
{
    costs_at(rc_comm_is_power(ranks) ? choice->powers : choice->others, ranks, bytes,
             costs);
}

double rc_comm_choice_time(const struct rc_comm_choice *choice, double ranks,
                           double bytes)
{
    double costs[RC_COMM_COSTS], sum = 0;

    rc_comm_choice_costs(choice, ranks, bytes, costs);
    for (size_t i = 0; i < RC_COMM_COSTS; i++)
        sum += choice->coefficient[i] * costs[i];
    return sum;
}
