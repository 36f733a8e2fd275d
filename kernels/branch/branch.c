/* The suite 'branch': conditional branches taken by known patterns.
 *
 * A loop has one to three branches: one that closes it, one that random bits decide,
 * and one that is always or never taken.  After a misprediction a processor executes
 * branches that never retire; multiplications ("work") prevent that where CE has to be
 * known.
 */
#include "kernels/branch/branch.h"

#include "kernels/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Iterations come in whole periods: each aligned block of so many random bits holds as
 * many ones as zeros, so that a branch on them is taken in exactly half of the
 * iterations.
 */
enum { PERIOD = 256 };

/* Iterations of points with random bits.  Each run reads the same bits, so that equal
 * runs count equally; a predictor that can will learn them: a Zen 4 learns 16,384 bits
 * within ten runs, 65,536 in part, 131,072 and more not within sixty.
 */
enum { RANDOM = RC_BRANCH_WORDS * 64 };

static const enum rc_ideal ideals[] = {
    RC_IDEAL_CE, RC_IDEAL_CR, RC_IDEAL_T, RC_IDEAL_D, RC_IDEAL_M,
};

static const char *const axes[] = {"pattern", NULL};

/* Counts of branches per iteration, the loop branch included, and how often the
 * fall-through sides pass, which the loop counts as proof of its work.
 */
static const struct {
    const char *name;
    double executed, retired, taken, direct, mispredicted, passes;
    uint64_t wanted; /* iterations on real counters: a millisecond or two */
} pattern[RC_BRANCH_POINTS] = {
    {"halves", 2, 2, 1.5, 0, 0, 0.5, 1 << 21},
    {"never", 2, 2, 1, 0, 0, 1, 1 << 21},
    {"always", 2, 2, 2, 0, 0, 0, 1 << 21},
    {"random-work", 2, 2, 1.5, 0, 0.5, 0.5, RANDOM},
    {"random-work-not-taken", 2.5, 2.5, 1.5, 0, 0.5, 1, RANDOM},
    {"random-work-taken", 2.5, 2.5, 2, 0, 0.5, 0.5, RANDOM},
    {"random", 2.5, 2, 1.5, 0, 0.5, 0.5, RANDOM},
    {"random-not-taken", 3, 2.5, 1.5, 0, 0.5, 1, RANDOM},
    {"random-taken", 3, 2.5, 2, 0, 0.5, 0.5, RANDOM},
    {"goto", 2, 2, 1, 1, 0, 0, 1 << 21},
    {"loop", 1, 1, 1, 0, 0, 0, 1 << 22},
};

struct rc_kernel {
    struct rc_branch_data data;     /* input and results of the loop */
    uint64_t done;                  /* iterations of the last run */
    size_t pattern;                 /* index of the point */
    uint64_t bits[RC_BRANCH_WORDS]; /* random, as many ones as zeros in each period */
};

static const char *branch_usable(void)
{
    return rc_branch_code[0].loop ? NULL
                                  : "no kernel is written for this kind of processor";
}

static int branch_points(const struct rc_suite_request *request,
                         struct rc_points *points, struct rc_error *err)
{
    (void)request;
    for (int i = 0; i < RC_BRANCH_POINTS; i++) {
        struct rc_point point = {.axis = {i}, .unusable = branch_usable()};
        snprintf(point.name, sizeof point.name, "%s", pattern[i].name);
        rc_points_add(points, &point);
    }
    return rc_points_check(points, err);
}

/* Counts of branches are in the table of patterns, those of other instructions in the
 * code of this processor.
 */
static struct rc_range branch_expect(const struct rc_suite_request *request,
                                     const struct rc_point *point, enum rc_ideal ideal)
{
    size_t i = (size_t)point->axis[0];
    const struct rc_branch_code *code = &rc_branch_code[i];
    const double counts[RC_IDEAL_COUNT] = {
        [RC_IDEAL_CE] = pattern[i].executed,    [RC_IDEAL_CR] = pattern[i].retired,
        [RC_IDEAL_T] = pattern[i].taken,        [RC_IDEAL_D] = pattern[i].direct,
        [RC_IDEAL_M] = pattern[i].mispredicted, [RC_IDEAL_INS] = code->ins,
        [RC_IDEAL_INT_ADD] = code->int_add,     [RC_IDEAL_INT_LOGIC] = code->int_logic,
        [RC_IDEAL_INT_MOV] = code->int_mov,     [RC_IDEAL_INT_MUL] = code->int_mul,
        [RC_IDEAL_LOADS] = code->loads,
    };

    /* One load of random bits in 512 misses where L1 cannot hold them all. */
    return rc_expect_core(&request->geometry, counts, ideal);
}

static uint64_t branch_iterations(const struct rc_suite_request *request,
                                  const struct rc_point *point, uint64_t budget)
{
    size_t i = (size_t)point->axis[0];

    (void)request;
    return rc_iterations(rc_branch_code[i].ins, pattern[i].wanted, PERIOD, budget);
}

static int branch_setup(const struct rc_suite_request *request,
                        const struct rc_point *point, struct rc_kernel **out,
                        struct rc_error *err)
{
    unsigned char bit[PERIOD];
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    const int status = rc_kernel_create(point, sizeof **out, out, err);

    (void)request;
    if (status != RC_OK)
        return status;
    struct rc_kernel *kernel = *out;
    kernel->pattern = (size_t)point->axis[0];
    /* Puts as many ones as zeros in a random order.  The first bit is 0 in every block:
     * loops count from n to 1, so they read the first bit of the block after their
     * last instead of the first bit of their first.
     */
    for (uint64_t *words = kernel->bits; words < kernel->bits + RC_BRANCH_WORDS;
         words += PERIOD / 64) {
        for (unsigned i = 0; i < PERIOD; i++)
            bit[i] = i > PERIOD / 2 - 1;
        for (unsigned i = PERIOD - 1; i > 1; i--) {
            state ^= state << 13; /* xorshift64: the same bits in every run */
            state ^= state >> 7;
            state ^= state << 17;
            unsigned j = 1 + (unsigned)(state >> 33) % i;
            unsigned char kept = bit[i];
            bit[i] = bit[j];
            bit[j] = kept;
        }
        for (unsigned i = 0; i < PERIOD; i++)
            words[i / 64] |= (uint64_t)bit[i] << i % 64;
    }
    kernel->data.bits = kernel->bits;
    return RC_OK;
}

static void branch_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->data.half = iterations / 2;
    kernel->data.count = 0;
    kernel->data.wrong = 0;
    kernel->data.work = 1;
    kernel->done = iterations;
    if (iterations > 0)
        kernel->done -= rc_branch_code[kernel->pattern].loop(&kernel->data, iterations);
}

/* Passed fall-through sides, and in points with work its product, prove the iterations;
 * the loop itself counts branches that went the wrong way.
 */
static int branch_verify(const struct rc_kernel *kernel, uint64_t iterations,
                         struct rc_error *err)
{
    const struct rc_branch_data *data = &kernel->data;
    uint64_t work = rc_branch_code[kernel->pattern].int_mul > 0
                        ? rc_power(3, iterations * RC_BRANCH_WORK)
                        : 1;
    uint64_t passes = (uint64_t)(pattern[kernel->pattern].passes * 2) * iterations / 2;

    if (iterations == 0 || kernel->done != iterations)
        return rc_fail(err, RC_ECONFLICT,
                       "branch: %" PRIu64 " iterations were done, expected %" PRIu64,
                       kernel->done, iterations);
    if (iterations % PERIOD != 0)
        return rc_fail(err, RC_ECONFLICT,
                       "branch: %" PRIu64 " iterations, expected a multiple of %d",
                       iterations, PERIOD);
    if (data->count != passes || data->wrong != 0 || data->work != work)
        return rc_fail(err, RC_ECONFLICT,
                       "branch: fall-through sides passed %" PRIu64 " times, %" PRIu64
                       " wrongly, expected %" PRIu64 " and 0",
                       data->count, data->wrong, passes);
    return RC_OK;
}

static void branch_teardown(struct rc_kernel *kernel)
{
    free(kernel);
}

const struct rc_suite rc_suite_branch = {
    .name = "branch",
    .summary = "conditional branches: taken or not, predictable or random",
    .footprint = RC_FOOTPRINT_CORE,
    .ideals = ideals,
    .ideal_count = sizeof ideals / sizeof ideals[0],
    .axes = axes,
    .by_default = true,
    .usable = branch_usable,
    .points = branch_points,
    .expect = branch_expect,
    .iterations = branch_iterations,
    .setup = branch_setup,
    .run = branch_run,
    .verify = branch_verify,
    .teardown = branch_teardown,
};
