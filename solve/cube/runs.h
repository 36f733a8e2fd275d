/* runs.h - whether a program's passes, each of which counts other events, agree on the
 * events that all of them count
 */
#ifndef RC_SOLVE_CUBE_RUNS_H
#define RC_SOLVE_CUBE_RUNS_H

#include <stddef.h>

/* One run: its pass, and its count of a reference event. */
struct rc_run {
    size_t pass;
    double value;
};

/* A pass whose mean differs by more than 'bound' from the median of all passes (with
 * two passes, from the other one).
 */
struct rc_run_differs {
    size_t pass;
    double value, others, bound;
};

/* Finds passes that differ.  The scatter between runs of the same pass is the noise of
 * all: the bound is eight standard errors of it, and where hardly any pass ran twice,
 * at least 2 % of the others.  Nothing is scaled: the reader decides.  Each of 'passes'
 * has a run; 'out' has room for all.  Returns how many differ; SIZE_MAX: no memory.
 */
size_t rc_runs_judge(const struct rc_run *run, size_t runs, size_t passes,
                     struct rc_run_differs *out);

#endif
