/* step.h - counts the instructions of a kernel's iteration by stepping it
 *
 * A child runs the kernel one instruction at a time under ptrace, the same way
 * for each number of iterations: what two runs differ in is the iterations.
 */
#ifndef RC_TESTS_UNIT_KERNELS_STEP_H
#define RC_TESTS_UNIT_KERNELS_STEP_H

#include "kernels/kernel.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Instructions of one run with all that is around it; -1: ptrace is not
 * permitted here.
 */
static long rc_step_run(const struct rc_suite *suite, struct rc_kernel *kernel,
                        uint64_t iterations)
{
    long steps = 0;
    int state;
    pid_t child = fork();

    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(1);
        (void)raise(SIGSTOP);
        suite->run(kernel, iterations);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &state, 0) != child || !WIFSTOPPED(state))
        return -1;
    while (WIFSTOPPED(state)) {
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) ||
            waitpid(child, &state, 0) != child)
            return -1;
        steps++;
    }
    return steps;
}

/* Instructions of one iteration, or -1. */
static long rc_step_iteration(const struct rc_suite *suite, struct rc_kernel *kernel)
{
    long one = rc_step_run(suite, kernel, 1), three = rc_step_run(suite, kernel, 3);

    return one < 0 || three < 0 || (three - one) % 2 ? -1 : (three - one) / 2;
}

#endif
