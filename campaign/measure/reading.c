/* Runs a kernel once between the start and stop of a source.
 *
 * Only the kernel runs between start and stop, since everything there is counted.  A
 * source with zero() simulates its caches from its start on, so it is started before
 * the kernel is warmed; otherwise the kernel is warmed before.
 */
#include "campaign/measure/reading.h"

#include "campaign/base/clock.h"
#include "campaign/base/program.h"

#include <string.h>
#include <sys/wait.h>

/* Counts one run of the kernel.  Without a kernel the source makes its readings up. */
static int count_kernel(const struct rc_source *source, struct rc_group_state *group,
                        struct rc_kernel *kernel, const struct rc_measurement *what,
                        uint64_t warm, struct rc_reading *readings,
                        struct rc_error *err)
{
    int status = source->start(group, what, err);

    if (status != RC_OK)
        return status;
    if (!kernel)
        return source->stop(group, readings, err);
    if (source->zero) {
        what->suite->run(kernel, warm);
        status = source->zero(group, err);
    }
    what->suite->run(kernel, what->iterations);
    int stopped = source->stop(group, readings, status == RC_OK ? err : NULL);
    return status == RC_OK ? stopped : status;
}

/* Counts one run of a program of the suite. */
static int count_program(const struct rc_source *source, struct rc_group_state *group,
                         char *const *words, bool less, struct rc_reading *readings,
                         struct rc_error *err)
{
    struct rc_followed followed = {.ended = 0};
    struct rc_program program;
    int status = rc_program_start(words, true, &program, err);

    if (status != RC_OK)
        return status;
    status = source->follow(group, &program, less, readings, &followed, err);
    const int why = rc_program_end(&program), ended = followed.ended;
    if (status != RC_OK)
        return status;
    if (why != 0)
        return rc_fail(err, RC_EMISSING, "cannot run '%.400s': %s", words[0],
                       strerror(why));
    if (WIFSIGNALED(ended))
        return rc_fail(err, RC_ECONFLICT, "'%.400s' was ended by signal %d", words[0],
                       WTERMSIG(ended));
    if (WEXITSTATUS(ended) != 0)
        return rc_fail(err, RC_ECONFLICT, "'%.400s' ended with %d, expected 0",
                       words[0], WEXITSTATUS(ended));
    if (followed.left)
        return rc_fail(err, RC_ECONFLICT, "'%.400s' was not counted to its end: %s",
                       words[0], followed.why);
    return RC_OK;
}

/* Counts two runs and takes the difference, in which the program's start, end and all
 * else outside of its iterations cancel out.
 */
static int count_command(const struct rc_source *source, struct rc_group_state *group,
                         struct rc_kernel *kernel, const struct rc_measurement *what,
                         struct rc_reading *readings, struct rc_error *err)
{
    char *const *(*command)(struct rc_kernel *, uint64_t) = what->suite->command;
    int status = count_program(source, group, command(kernel, what->iterations), false,
                               readings, err);

    if (status != RC_OK)
        return status;
    return count_program(source, group, command(kernel, 2 * what->iterations), true,
                         readings, err);
}

int rc_reading_take(const struct rc_source *source, struct rc_group_state *group,
                    struct rc_kernel *kernel, const struct rc_measurement *what,
                    uint64_t warm, const struct rc_measure_team *team,
                    struct rc_reading *readings, uint64_t *counted_ns, bool *verified,
                    struct rc_error *err)
{
    const struct rc_suite *suite = what->suite;
    int status;

    *verified = true;
    if (kernel && suite->command) {
        const uint64_t begin = rc_clock_ns();
        status = count_command(source, group, kernel, what, readings, err);
        *counted_ns = rc_clock_ns() - begin;
        return status;
    }
    if (kernel && !source->zero)
        suite->run(kernel, warm);
    if (kernel && suite->prepare)
        suite->prepare(kernel);
    rc_measure_team_line_up(team, what->workers);
    uint64_t start = rc_clock_ns();
    status = count_kernel(source, group, kernel, what, warm, readings, err);
    *counted_ns = rc_clock_ns() - start;
    if (status != RC_OK || !kernel)
        return status;
    status = suite->verify(kernel, what->iterations, err);
    *verified = status == RC_OK;
    return status;
}
