/* model_app.h - programs that never were: what they take on a machine is known
 *
 * A program is a text, a line for each part; laws are formulas (tests/lib/formula.h) of
 * the parameters, of which p is the number of ranks:
 *
 *     machine ghz=2.5 l1=1.6 l2=4.8 l3=16 memory=80 alpha=1.5e-6 beta=1e-10 gamma=2e-10
 *     noise 0.02
 *     kernel solve instructions=40*n^3/p cpi=0.8 memory=n^3/p*past(8*n^3/p,3e7) bf=0.3 imbalance=0.05
 *     message halo calls=6*p bytes=48*n^2*p^(1/3)
 *     collective residual operation=Allreduce calls=20 size=8
 *
 * Latencies are ns of an access, alpha seconds a message, beta and gamma seconds a byte,
 * sent and reduced.  'noise' is the standard deviation of a time, relative.
 *
 * A kernel's laws are of a rank: instructions, cycles for each of them, accesses that
 * hit in l1, l2, l3 and memory, the part bf of their time that is not hidden, and the
 * slowest rank's time over the mean, less 1.  A message's calls and bytes are sums over
 * all ranks.  A collective's calls are of a rank, and its size is that of one call, as
 * its formula in the specification has it: a rank's vector, or for Allgather, Gather
 * and Scatter that of all ranks together.
 */
#ifndef RC_TESTS_PLANTED_MODEL_APP_H
#define RC_TESTS_PLANTED_MODEL_APP_H

#include "tests/lib/formula.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MODEL_PARTS = 64, MODEL_WORD = 256 };

enum model_kind { MODEL_KERNEL, MODEL_MESSAGE, MODEL_COLLECTIVE };

/* Members of a part, by number: those that its kind has not are "". */
enum model_law {
    MODEL_INSTRUCTIONS,
    MODEL_CPI,
    MODEL_L1,
    MODEL_L2,
    MODEL_L3,
    MODEL_MEMORY,
    MODEL_BF,
    MODEL_IMBALANCE,
    MODEL_CALLS,
    MODEL_BYTES,
    MODEL_SIZE,
    MODEL_LAWS
};

struct model_part {
    enum model_kind kind;
    char name[MODEL_WORD], operation[32];
    char law[MODEL_LAWS][MODEL_WORD];
};

enum model_rate {
    MODEL_GHZ,
    MODEL_NS_L1,
    MODEL_NS_L2,
    MODEL_NS_L3,
    MODEL_NS_MEMORY,
    MODEL_ALPHA,
    MODEL_BETA,
    MODEL_GAMMA,
    MODEL_RATES
};

struct model_app {
    double rate[MODEL_RATES], noise;
    size_t parts;
    struct model_part part[MODEL_PARTS];
};

/* Times and counts of a part at a point.  Counts are sums over all ranks. */
struct model_taken {
    double mean_s, most_s;                     /* of ranks */
    double instructions, cycles, stall_cycles; /* of kernels */
    double hits[4];                            /* in l1, l2, l3, memory */
    double calls, bytes;                       /* of messages and collectives */
};

/* Reads a program.  Returns the number of the line that is wrong, or 0. */
size_t model_app_read(FILE *file, struct model_app *out);

/* The part at a point; names[0] is p.  NAN where a law has no value there. */
struct model_taken model_app_at(const struct model_app *app,
                                const struct model_part *part,
                                const struct formula_name *names, size_t count);

/* A time as a run measures it: with the program's noise, and never 0 or less. */
double model_app_measured(const struct model_app *app, double seconds,
                          uint64_t *random);

/* Writes a random program of that number, whose parts are laws of p and n. */
void model_app_random(uint64_t seed, FILE *out);

#endif
