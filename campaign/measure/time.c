/* Short readings for estimating the costs of sweeps and groups.
 *
 * A suite may have very many points, so a few of them are timed, and the sweep's time
 * is scaled by the weights of all points.  Estimates only decide the order of units and
 * what people are told: an error of half does no harm.
 */
#include "campaign/measure/parts.h"

#include "campaign/base/clock.h"
#include "campaign/cli/signals.h"

#include <math.h>

enum { SAMPLES = 4 }; /* points of a suite that are timed */
static const uint64_t samples_most_ns = 5000000000; /* until these took so long */

/* The amount of work at a point, to estimate the time of others.  Suites choose
 * iterations for readings of about equal length.
 */
static double weight_of(const struct rc_measurer *m, size_t index)
{
    const struct rc_suite *suite = m->suite[m->unit.task->suite];
    const struct rc_point *point = &m->points[m->unit.task->suite].points.point[index];
    double cycles = rc_expect(suite, &m->request, point, RC_IDEAL_CYC);
    double instructions = rc_point_instructions(suite, &m->request, point);
    double each = m->unit.source->zero || !(cycles > 0) ? instructions : cycles;

    if (!m->unit.source->runs_kernels || !(each > 0) ||
        (suite->prepare && suite->footprint == RC_FOOTPRINT_MEMORY))
        return 1; /* preparing takes most of the time, or no counts are known */
    return each * (double)m->unit.iterations[index];
}

static uint64_t time_point(struct rc_measurer *m, size_t index)
{
    uint64_t start;

    rc_measure_forget(m);
    start = rc_clock_ns();
    rc_measure_point(m, index);
    return rc_clock_ns() - start;
}

/* Estimates the number of repetitions from the largest difference between two of a
 * point, as a share of the value.  A mean of n is known to 2 / sqrt(n) standard
 * deviations.  The difference of two values is 1.4 of them on average, and often less:
 * it is taken for one, since a unit that turns out shorter than expected does no harm.
 */
static uint32_t expect_repetitions(const struct rc_measurer *m, size_t point)
{
    const bool deterministic = m->unit.source->deterministic;
    const uint32_t least = rc_spec_repeat_min(m->setup.spec, deterministic);
    const uint32_t most = rc_spec_repeat_max(m->setup.spec, deterministic);
    double largest = 0;

    for (size_t e = 0; e < m->unit.events; e++) {
        int64_t a = m->sweeps.values[e * m->unit.point_count + point];
        int64_t b =
            m->sweeps.values[(m->unit.events + e) * m->unit.point_count + point];
        if (m->unit.spoiled[e] || a == INT64_MIN || b == INT64_MIN || a == b)
            continue;
        double mean = ((double)a + (double)b) / 2;
        largest =
            fmax(largest, mean > 0 ? fabs((double)a - (double)b) / mean : INFINITY);
    }
    const double root = 2 * largest / m->setup.spec->target;

    if (!(root * root > least))
        return least;
    return root * root < most ? (uint32_t)(root * root) : most;
}

/* False if the suite is not in this build, or no event can be armed. */
static bool begin_timing(struct rc_measurer *m, const struct rc_measure_task *task)
{
    struct rc_error ignored;

    return m->suite[task->suite] && rc_measure_begin(m, task, &ignored) == RC_OK &&
           !rc_measure_all_spoiled(m);
}

uint64_t rc_measurer_time_sweep(struct rc_measurer *m, uint32_t source, uint32_t suite)
{
    struct rc_measure_task task = {.suite = suite};
    const struct rc_campaign_kind *kind = m->setup.kind;

    while (task.group < kind->group_count && kind->group[task.group].source != source)
        task.group++;
    if (task.group == kind->group_count)
        return 0;
    const bool ready = begin_timing(m, &task);
    /* Some of the points, evenly spread.  A source that steps is slow, and one reading
     * suffices: its time depends on the number of instructions.
     */
    const size_t samples = ready && m->unit.source->zero ? 1 : SAMPLES;
    size_t count = 0, seen = 0;
    double all = 0, sampled = 0;
    uint64_t took = 0;
    for (size_t i = 0; i < m->unit.point_count && ready; i++)
        count += m->unit.iterations[i] != 0;
    for (size_t i = 0; i < m->unit.point_count && ready; i++) {
        if (m->unit.iterations[i] == 0)
            continue;
        all += weight_of(m, i);
        if (took < samples_most_ns && !rc_signals_came() &&
            (count <= samples ||
             seen * samples / count != (seen + 1) * samples / count)) {
            took += time_point(m, i);
            sampled += weight_of(m, i);
        }
        seen++;
    }
    rc_measure_release(m);
    return sampled > 0 ? (uint64_t)((double)took / sampled * all) : 0;
}

/* The shorter of two readings of the smallest point, and the repetitions that their
 * difference lets expect.
 */
uint64_t rc_measurer_time_group(struct rc_measurer *m, uint32_t group,
                                uint32_t *repetitions)
{
    const struct rc_campaign_kind *kind = m->setup.kind;
    struct rc_measure_task task = {.group = group};
    const struct rc_measure_unit *unit = &m->unit;
    uint64_t took[2] = {0};
    size_t least;

    *repetitions = 0;
    while (task.suite < kind->suite_count &&
           rc_record_suite_points(&kind->suite[task.suite],
                                  kind->group[group].source) == 0)
        task.suite++;
    if (task.suite == kind->suite_count)
        return 0;
    if (!begin_timing(m, &task))
        goto out;
    least = unit->point_count;
    for (size_t i = 0; i < unit->point_count; i++)
        if (unit->iterations[i] &&
            (least == unit->point_count || weight_of(m, i) < weight_of(m, least)))
            least = i;
    if (least == unit->point_count)
        goto out;
    for (m->repetitions = 0; m->repetitions < 2 && !rc_signals_came(); m->repetitions++)
        took[m->repetitions] = time_point(m, least);
    *repetitions = expect_repetitions(m, least);
out:
    rc_measure_release(m);
    return took[0] < took[1] ? took[0] : took[1];
}
