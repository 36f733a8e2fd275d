/* runs.h - runs of a program in passes, each of which counts other events: whether what
 * all of them count is the same
 */
#ifndef RC_SOLVE_CUBE_RUNS_H
#define RC_SOLVE_CUBE_RUNS_H

#include <stddef.h>

/* One run: of which pass, and what it counted of a reference event. */
struct rc_run {
    size_t pass;
    double value;
};

/* A pass whose mean is further from the median of all (of two from the other one) than
 * 'bound'.
 */
struct rc_run_differs {
    size_t pass;
    double value, others, bound;
};

/* What runs of one pass scatter by is the noise of all: eight standard errors of it are
 * the bound, and where hardly a pass was run twice 2 % of the others at least.  Nothing
 * is scaled: who reads it decides.  There are 'passes' of them, each with a run; 'out'
 * has room for as many.  Returns how many differ; SIZE_MAX: no memory.
 */
size_t rc_runs_judge(const struct rc_run *run, size_t runs, size_t passes,
                     struct rc_run_differs *out);

#endif
