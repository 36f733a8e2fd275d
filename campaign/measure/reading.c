/* Runs a kernel once between the start and stop of a source. */
#include "campaign/measure/reading.h"

#include "campaign/base/clock.h"

static void begin_together(const struct rc_reading_team *team,
                           const struct rc_measurement *what)
{
    if (team)
        team->begin(team->arg, what);
}

/* No kernel runs: the source makes its readings up. */
static int made_up(const struct rc_source *source, struct rc_group_state *group,
                   const struct rc_measurement *what, struct rc_reading *readings,
                   struct rc_error *err)
{
    int status = source->start(group, what, err);

    return status == RC_OK ? source->stop(group, readings, err) : status;
}

static int count_kernel(const struct rc_source *source, struct rc_group_state *group,
                        struct rc_kernel *kernel, const struct rc_measurement *what,
                        uint64_t warm, struct rc_reading *readings,
                        struct rc_error *err)
{
    int status = source->start(group, what, err);

    if (status != RC_OK)
        return status;
    if (source->zero) {
        what->suite->run(kernel, warm);
        status = source->zero(group, err);
    }
    what->suite->run(kernel, what->iterations);
    int stopped = source->stop(group, readings, status == RC_OK ? err : NULL);
    return status == RC_OK ? stopped : status;
}

int rc_reading_take(const struct rc_source *source, struct rc_group_state *group,
                    struct rc_kernel *kernel, const struct rc_measurement *what,
                    uint64_t warm, const struct rc_reading_team *team,
                    struct rc_reading *readings, uint64_t *counted_ns, bool *verified,
                    struct rc_error *err)
{
    const struct rc_suite *suite = what->suite;
    int status;

    *verified = true;
    if (kernel && !source->zero)
        suite->run(kernel, warm);
    if (kernel && suite->prepare)
        suite->prepare(kernel);
    begin_together(team, what);
    uint64_t start = rc_clock_ns();
    status = kernel ? count_kernel(source, group, kernel, what, warm, readings, err)
                    : made_up(source, group, what, readings, err);
    *counted_ns = rc_clock_ns() - start;
    if (team && !team->end(team->arg) && status == RC_OK) {
        *verified = false;
        status = rc_fail(err, RC_ECONFLICT, "the kernel did not run on all cores");
    }
    if (status != RC_OK || !kernel)
        return status;
    status = suite->verify(kernel, what->iterations, err);
    *verified = status == RC_OK;
    return status;
}
