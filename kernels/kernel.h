/* kernel.h - suites of kernels whose work is known exactly
 *
 * A suite stresses one part of a machine with a list of points.  A point is
 * one kernel with one set of parameters.  For each point the suite gives the
 * exact count per iteration of every ideal event that it knows, its own
 * suite's or not.  Kernels know nothing of events and sources.
 *
 * The rule of counting.  Expectations are per iteration.  The other instructions of
 * run() (its call and return, loading of registers, the loop branch that at last is not
 * taken) are the same for every number of iterations, so that for n and 2n, n being the
 * result of iterations(), and every exact ideal:
 *
 *     counts(run(2n)) - counts(run(n)) == n * rc_expect(suite, point, ideal)
 *
 * to the last count.  An expectation may be a fraction (a branch taken every other
 * time); n times it is whole.  A single reading of run(n) has the constant rest on top,
 * about a hundred instructions at most.
 */
#ifndef RC_KERNELS_KERNEL_H
#define RC_KERNELS_KERNEL_H

#include "campaign/base/error.h"
#include "kernels/ideal.h"
#include "kernels/request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far the work of a suite reaches: it must not share that part of the machine. */
enum rc_footprint {
    RC_FOOTPRINT_CORE,   /* with nobody on the same core */
    RC_FOOTPRINT_L2,     /* nor on the same L2 */
    RC_FOOTPRINT_L3,     /* nor on the same L3 */
    RC_FOOTPRINT_MEMORY, /* nor on the same memory */
    RC_FOOTPRINT_COUNT
};

const char *rc_footprint_name(enum rc_footprint footprint);

#define RC_AXES_MAX 8

/* One kernel of a suite with one set of parameters. */
struct rc_point {
    char name[48];             /* unique in the suite, stable: stored in results */
    int64_t axis[RC_AXES_MAX]; /* the parameters, by the suite's axis names */
    const char *unusable;      /* why this point cannot run on this CPU, or NULL */
    uint32_t workers;          /* that run it together; 0 as 1 */
};

/* The bounds between which a count lies.  Equal bounds: the count is exact; 0 and
 * INFINITY: nothing is known.
 */
struct rc_range {
    double low, high;
};

struct rc_range rc_exactly(double count); /* NAN gives rc_unknown() */
struct rc_range rc_between(double low, double high);
struct rc_range rc_unknown(void);
double rc_range_exact(struct rc_range range); /* the exact count, or NAN */
bool rc_range_says(struct rc_range range);    /* false for rc_unknown() */

/* Writes the range with 'digits' digits: "2", "0..12.5", "1..", or "?". */
void rc_range_put(char *out, size_t bytes, struct rc_range range, int digits);

/* A list of points. */
struct rc_points {
    struct rc_point *point;
    size_t count, room; /* in use, and allocated */
    bool failed;        /* a point was not appended for want of memory */
};

/* Appends a copy.  A failure stays: rc_points_check() says it once for all points. */
void rc_points_add(struct rc_points *points, const struct rc_point *point);
int rc_points_check(const struct rc_points *points, struct rc_error *err);
void rc_points_fini(struct rc_points *points);

/* One point made ready: owns its buffers.  Opaque to all but its suite. */
struct rc_kernel;

/* For suites: zeroed memory for the kernel of a point, freed by free().  It is aligned
 * to a page, so that it takes the same sets of a cache in each repetition.
 * RC_EUNSUPPORTED: the point cannot run here.  On failure *out is NULL.
 */
int rc_kernel_create(const struct rc_point *point, size_t bytes, struct rc_kernel **out,
                     struct rc_error *err);

/* A suite: one const descriptor, listed in table.c. */
struct rc_suite {
    const char *name;            /* stable: appears in campaign files and results */
    const char *summary;         /* one line for lists */
    enum rc_footprint footprint; /* of all its points */
    const enum rc_ideal *ideals; /* the basis, in its order; may borrow exact ideals
                                  * whose home is another suite */
    size_t ideal_count;
    const char *const *axes;      /* names of rc_point.axis, ended by NULL */
    const struct rc_axis *chosen; /* those that users may set, ended by one without a
                                   * name; NULL: none */
    bool by_default;              /* part of a campaign that names no suites */
    bool cold;      /* no iteration finds anything in a cache: expectations of memory
                     * transactions hold for each iteration, however few there are */
    bool all_cores; /* to be run on every core of the node at once, on purpose */
    bool team; /* some points have several workers; an axis 'workers' says how many */

    /* Not NULL: a compiler made the kernels, and the suite has no ideals of its own.  It
     * says the compiler with its version, and the flags.
     */
    const char *(*made_by)(const struct rc_suite_request *request);

    /* The reason why the suite cannot run in this process, or NULL.  Its points, ideals
     * and expectations are there all the same, for simulated machines.
     */
    const char *(*usable)(void);

    /* Appends the suite's points for a request, the same ones in the same order each
     * time.  No point needs what the geometry lacks (a vector width, FMA).  A point that
     * only the CPU at hand or this build cannot run has rc_point.unusable, and a source
     * that runs no code may still simulate it.  RC_EUSAGE: the suite cannot take a value
     * of an axis; else it fails only for want of memory.
     */
    int (*points)(const struct rc_suite_request *request, struct rc_points *points,
                  struct rc_error *err);

    /* The bounds of the count per iteration of 'ideal' on 'point'. */
    struct rc_range (*expect)(const struct rc_suite_request *request,
                              const struct rc_point *point, enum rc_ideal ideal);

    /* Iterations of a good measurement on real counters, never 0.  With a 'budget'
     * other than 0 at most so many instructions are executed, but at least the suite's
     * period (iterations come in whole periods): a budget too small for that is
     * exceeded.
     */
    uint64_t (*iterations)(const struct rc_suite_request *request,
                           const struct rc_point *point, uint64_t budget);

    /* setup makes 'point' ready on the calling thread; on failure *out is NULL.  run
     * executes the kernel: it allocates nothing, prints nothing, cannot fail, and may
     * be called again.  verify says whether the last run really did 'iterations' of its
     * work; it fails after setup alone, and for 0 iterations, which leave no trace.
     * teardown accepts NULL.  All are NULL where no kernel was written for this kind of
     * processor: then usable() gives the reason.
     */
    int (*setup)(const struct rc_suite_request *request, const struct rc_point *point,
                 struct rc_kernel **out, struct rc_error *err);
    /* Puts a kernel that has run back to where setup left it: operands fresh and, where
     * the suite is about memory, out of the caches.  To be called before each
     * repetition, never while events are counted.  NULL: a run changes nothing that the
     * next one would notice.
     */
    void (*prepare)(struct rc_kernel *kernel);
    void (*run)(struct rc_kernel *kernel, uint64_t iterations);
    /* For suites of commands, in place of run: the words of the program that does the
     * iterations; else NULL.  The program's start and end do not count: the result is
     * the difference to a run of twice as many iterations.
     */
    char *const *(*command)(struct rc_kernel *kernel, uint64_t iterations);
    int (*verify)(const struct rc_kernel *kernel, uint64_t iterations,
                  struct rc_error *err);
    void (*teardown)(struct rc_kernel *kernel);

    /* A remark for readers of the results on how the point lies in memory (no huge
     * pages, ...), or NULL.  The member may be NULL, too.  Not for a measured region.
     */
    const char *(*note)(const struct rc_kernel *kernel);
};

/* The exact count per iteration of 'ideal' on 'point', or NAN. */
double rc_expect(const struct rc_suite *suite, const struct rc_suite_request *request,
                 const struct rc_point *point, enum rc_ideal ideal);

/* Its bounds.  Useful work is known of compiled suites only, and nothing else of them
 * than they say: all other callers than suites ask here, not expect().
 */
struct rc_range rc_expect_range(const struct rc_suite *suite,
                                const struct rc_suite_request *request,
                                const struct rc_point *point, enum rc_ideal ideal);

/* The instructions of an iteration, to estimate its time: those that are expected; of
 * compiled kernels one for each vector that they move.  NAN: nothing is known.
 */
double rc_point_instructions(const struct rc_suite *suite,
                             const struct rc_suite_request *request,
                             const struct rc_point *point);

/* False where even the fewest iterations of the point execute more than 'budget'
 * instructions: the point is to be left out, with that as the reason.  0: no limit.
 */
bool rc_point_fits(const struct rc_suite *suite, const struct rc_suite_request *request,
                   const struct rc_point *point, uint64_t budget);

/* For suites that stay inside a core.  'counts', by ideal, holds the counts of the
 * point's code in an iteration: the exact ideals (0 where not set), M (NAN: not known),
 * and CE where it differs from CR.  The rest is derived: OPS_SP and OPS_DP follow from
 * the instructions; loads and stores hit in the L1 data cache, code in the L1
 * instruction cache if it fits; lines of code (L1IH) lie between the fewest and the
 * most that so many instructions and jumps can enter; CHAIN is not known; CYC is that
 * of a core that retires four instructions a cycle and loses 20 cycles with each
 * misprediction.
 */
struct rc_range rc_expect_core(const struct rc_geometry *geometry,
                               const double counts[RC_IDEAL_COUNT],
                               enum rc_ideal ideal);

/* The most lines of data that an iteration asks for and does not find in L1, nor in L2,
 * nor in any cache.  INFINITY: not known.
 */
struct rc_misses {
    double l1, l2, any;
};

/* 'lines' for each level that is too small for 'bytes' to stay there, 0 for the others.
 * Half of L1 or L2 counts, and a quarter of the last level, which other cores use, too.
 */
struct rc_misses rc_misses_of(const struct rc_geometry *geometry, double bytes,
                              double lines);

/* The same as rc_expect_core() where loads and stores need not hit, on a machine whose
 * prefetchers fetch up to twice the lines asked for and up to 64 lines past the end.
 */
struct rc_range rc_expect_missing(const struct rc_geometry *geometry,
                                  const double counts[RC_IDEAL_COUNT],
                                  struct rc_misses most, enum rc_ideal ideal);

/* How many of the operations (RC_IDEAL_OPS_SP or _DP) one such instruction does. */
double rc_ideal_operations(enum rc_ideal instruction, enum rc_ideal operations);

/* base^n modulo 2^64, as in the registers of a loop. */
uint64_t rc_power(uint64_t base, uint64_t n);

/* The result of iterations() for a point of 'instructions' per iteration: 'wanted'
 * unless the budget allows less, in whole periods, at least one.
 */
uint64_t rc_iterations(double instructions, uint64_t wanted, uint64_t period,
                       uint64_t budget);

/* Appends a suite to the table.  It must live as long as the process; there is room for
 * those of kernels/own/.
 */
int rc_suite_add(const struct rc_suite *suite);

/* All suites, ended by NULL, and one by its name (NULL: no such suite). */
const struct rc_suite *const *rc_suites(void);
const struct rc_suite *rc_suite_find(const char *name);

#endif
