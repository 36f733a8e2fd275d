/* One sweep: a group's events are read on each point of a suite.
 *
 * Each row (one event in one repetition) has one status for all points: ok, or the
 * worst that occurred.  A sweep ends at the first point that fails, and is repeated
 * from the start.  After enough failures rc_measure_settle() reads the points one by
 * one to find the point or event that fails.
 */
#include "campaign/base/text.h"
#include "campaign/cli/signals.h"
#include "campaign/measure/parts.h"
#include "kernels/own/own.h"

#include <string.h>

/* An uncounted run before a counted one, so that caches and predictors have seen code
 * and data.  It has a tenth of the iterations; if that is less than a period, one
 * period, but only once for each kernel.  Simulated caches are empty at each start, so
 * with footprints beyond the first level it sees all of the data.  A suite that
 * prepares its operands wants them cold.
 */
enum { WARM_PART = 10, WARM_PART_STEPPED = 4 };

static uint64_t warm_of(const struct rc_measurer *m, const struct rc_suite *suite,
                        const struct rc_point *point, uint64_t iterations)
{
    uint64_t period = suite->iterations(&m->request, point, 1);
    uint64_t part = iterations / (m->unit.source->zero ? WARM_PART_STEPPED : WARM_PART);
    bool stays = suite->footprint == RC_FOOTPRINT_CORE;
    bool cold = suite->prepare && suite->footprint == RC_FOOTPRINT_MEMORY;

    if (m->unit.source->zero && !stays && !cold)
        return iterations;
    if (suite->prepare)
        return 0;
    if (part < period)
        return m->unit.source->zero || m->repetitions == 0 ? period : 0;
    return part / period * period;
}

/* The row of an event in the current repetition. */
static size_t row_of(const struct rc_measurer *m, size_t event)
{
    return m->repetitions * m->unit.events + event;
}

static const char *event_name(const struct rc_measurer *m, size_t index)
{
    const struct rc_campaign_kind *kind = m->setup.kind;

    return kind->event[kind->group[m->unit.task->group].event[index]].name;
}

static void mark_part(struct rc_measurer *m, const struct rc_measure_part *part,
                      enum rc_reading_status status)
{
    for (size_t i = 0; i < part->count; i++)
        m->sweeps.status[row_of(m, part->first + i)] = (uint8_t)status;
}

/* Reads one part at a point: values, or a failure as the status of its rows.  Times are
 * summed over the points; an event that did not count all the time was multiplexed.
 */
static void take_part(struct rc_measurer *m, struct rc_measure_part *part,
                      struct rc_kernel *kernel, const struct rc_measurement *what)
{
    struct rc_error why = {.rank = -1};
    uint64_t took, warm = warm_of(m, what->suite, what->point, what->iterations);
    bool verified;
    int status =
        rc_reading_take(m->unit.source, part->group, kernel, what, warm,
                        m->unit.task->team, m->unit.reading, &took, &verified, &why);

    m->unit.kernel_ns += took;
    if (status != RC_OK) {
        mark_part(m, part, verified ? RC_READING_FAILED : RC_READING_UNVERIFIED);
        rc_measure_blame(m,
                         verified && part->count == 1 ? event_name(m, part->first)
                                                      : what->point->name,
                         why.text);
        return;
    }
    for (size_t i = 0; i < part->count; i++) {
        size_t row = row_of(m, part->first + i);
        const struct rc_reading *reading = &m->unit.reading[i];
        m->sweeps.values[row * m->unit.point_count + what->point_index] =
            reading->value;
        m->sweeps.enabled_ns[row] += reading->enabled_ns;
        m->sweeps.running_ns[row] += reading->running_ns;
        if (reading->enabled_ns != reading->running_ns) {
            m->sweeps.status[row] = RC_READING_MULTIPLEXED;
            if (reading->why)
                rc_measure_blame(m, event_name(m, part->first + i), reading->why);
        } else if (m->sweeps.status[row] == RC_READING_MISSING)
            m->sweeps.status[row] = RC_READING_OK;
    }
}

/* Memory of this process; UINT64_MAX: not known. */
static uint64_t resident_bytes(void)
{
    char line[128];
    uint64_t kib;

    if (rc_text_value_of("/proc/self/status", "VmRSS", line, sizeof line))
        return UINT64_MAX;
    line[strcspn(line, " ")] = 0;
    return rc_text_count(line, &kib) ? UINT64_MAX : kib * 1024;
}

/* Kernels that fit into memory together are kept for the next repetition, since setting
 * one up can take as long as running it.  Not if each instruction is counted: a kernel
 * that has run starts at another place in its data, and two repetitions would differ.
 */
static void put_kernel(struct rc_measurer *m, size_t index, struct rc_kernel *kernel)
{
    if (!kernel || m->unit.kernel[index])
        return;
    if (m->unit.resident_bytes == 0)
        m->unit.resident_bytes = resident_bytes();
    uint64_t now = resident_bytes();
    if (!m->unit.source->deterministic && now < UINT64_MAX &&
        now < m->unit.resident_bytes + m->setup.kernel_bytes)
        m->unit.kernel[index] = kernel;
    else
        m->suite[m->unit.task->suite]->teardown(kernel);
}

/* How many workers of a team, the first ones, measure a point. */
static uint32_t workers_of(const struct rc_suite *suite, const struct rc_point *point,
                           const struct rc_measure_team *team)
{
    if (!team || !suite->team)
        return team ? team->size : 0;
    return point->workers ? point->workers : 1;
}

/* A worker whose kernel could not be set up lines up all the same: others wait. */
static void read_point(struct rc_measurer *m, size_t index, struct rc_measurement *what)
{
    const struct rc_suite *suite = what->suite;
    struct rc_error why = {.rank = -1};
    const bool runs = m->unit.source->runs_kernels;
    /* kept from the repetition before, or a new one */
    struct rc_kernel *kernel = runs ? m->unit.kernel[index] : NULL;
    const bool ready = !runs || kernel ||
                       suite->setup(&m->request, what->point, &kernel, &why) == RC_OK;

    if (!ready)
        rc_measure_blame(m, what->point->name, why.text);
    for (size_t i = 0; i < m->unit.part_count; i++) {
        struct rc_measure_part *part = &m->unit.part[i];
        if (part->dead)
            continue;
        if (ready) {
            take_part(m, part, kernel, what);
        } else {
            mark_part(m, part, RC_READING_UNVERIFIED);
            rc_measure_team_line_up(m->unit.task->team, what->workers);
        }
    }
    put_kernel(m, index, kernel);
}

/* Makes the status of each event the worst of the team's, and the unit given up where
 * any worker is asked to.  Workers that had no part in the reading wait for it here.
 */
static void agree_on_point(struct rc_measurer *m, bool took_part)
{
    uint8_t *status = m->sweeps.status + row_of(m, 0), *agreed = m->unit.agreed;
    const size_t events = m->unit.events;

    if (!m->unit.task->team)
        return;
    memcpy(agreed, status, events);
    agreed[events] = m->unit.given_up;
    rc_measure_team_worst(m->unit.task->team, agreed, events + 1, !took_part);
    memcpy(status, agreed, events);
    m->unit.given_up = agreed[events];
}

static void measure_point(struct rc_measurer *m, size_t index)
{
    const struct rc_suite *suite = m->suite[m->unit.task->suite];
    const struct rc_measure_team *team = m->unit.task->team;
    struct rc_measurement what = {
        .suite = suite,
        .request = &m->request,
        .point = &m->points[m->unit.task->suite].points.point[index],
        .point_index = (uint32_t)index,
        .repetition = m->repetitions,
        .iterations = m->unit.iterations[index],
        .where = m->unit.task->where,
        .worker = team ? team->number : 0,
    };
    what.workers = workers_of(suite, what.point, team);
    const bool takes_part = !team || team->number < what.workers;

    memcpy(what.busy, m->unit.task->busy, sizeof what.busy);
    for (int s = 0; s < RC_SCOPE_COUNT && suite->team && what.workers; s++)
        if (what.busy[s] >= what.workers)
            what.busy[s] = what.workers - 1;
    if (takes_part)
        read_point(m, index, &what);
    m->unit.given_up = m->pause && m->pause(m->pause_arg);
    agree_on_point(m, takes_part);
}

void rc_measure_point(struct rc_measurer *m, size_t index)
{
    const uint32_t suite = m->unit.task->suite;

    if (m->unit.source->runs_kernels && rc_own_is_name(m->suite[suite]->name))
        rc_signals_inside(m->points[suite].points.point[index].name);
    measure_point(m, index);
    rc_signals_inside(NULL);
}

void rc_measure_forget(struct rc_measurer *m)
{
    size_t row = row_of(m, 0);

    for (size_t i = 0; i < m->unit.events * m->unit.point_count; i++)
        m->sweeps.values[row * m->unit.point_count + i] = INT64_MIN;
    memset(m->sweeps.enabled_ns + row, 0,
           m->unit.events * sizeof *m->sweeps.enabled_ns);
    memset(m->sweeps.running_ns + row, 0,
           m->unit.events * sizeof *m->sweeps.running_ns);
    memset(m->sweeps.status + row, RC_READING_MISSING, m->unit.events);
    for (size_t i = 0; i < m->unit.part_count; i++)
        if (m->unit.part[i].dead)
            mark_part(m, &m->unit.part[i], RC_READING_FAILED);
}

/* Whether a point has failed, which ends the sweep. */
static bool has_failed(const struct rc_measurer *m)
{
    for (size_t e = 0; e < m->unit.events; e++)
        if (!m->unit.spoiled[e] &&
            m->sweeps.status[row_of(m, e)] > RC_READING_MULTIPLEXED)
            return true;
    return false;
}

bool rc_measure_sweep(struct rc_measurer *m)
{
    rc_measure_forget(m);
    for (size_t i = 0; i < m->unit.point_count && !m->unit.given_up; i++) {
        if (m->unit.iterations[i] == 0 || m->unit.left_out[i])
            continue;
        m->unit.point = i;
        rc_measure_point(m, i);
        if (has_failed(m))
            break;
    }
    for (size_t e = 0; e < m->unit.events; e++)
        if (!m->unit.spoiled[e] && m->sweeps.status[row_of(m, e)] != RC_READING_OK)
            return false;
    return true;
}

/* Reads one point alone: a point whose kernel did not do its work is left out; a part
 * that the source could not read is dead.  True: a part of several events failed, whose
 * single events may count; never for a source that counts any number of events at once,
 * since each of its readings takes long.
 */
static bool settle_point(struct rc_measurer *m, size_t point)
{
    bool unverified = false, several = false;

    rc_measure_forget(m);
    rc_measure_point(m, point);
    for (size_t i = 0; i < m->unit.part_count; i++) {
        struct rc_measure_part *part = &m->unit.part[i];
        if (part->dead)
            continue;
        uint8_t status = m->sweeps.status[row_of(m, part->first)];
        unverified |= status == RC_READING_UNVERIFIED;
        bool apart = part->count > 1 && !m->unit.source->any_number;
        several |= status == RC_READING_FAILED && apart;
        part->dead = status == RC_READING_FAILED && !apart;
        for (size_t e = 0; e < part->count && part->dead; e++)
            m->unit.spoiled[part->first + e] = true;
    }
    m->unit.left_out[point] |= unverified;
    return several;
}

int rc_measure_settle(struct rc_measurer *m, struct rc_error *err)
{
    bool several = false;

    for (size_t e = 0; e < m->unit.events; e++)
        if (m->sweeps.status[row_of(m, e)] == RC_READING_MULTIPLEXED &&
            !m->unit.spoiled[e]) {
            m->unit.spoiled[e] = true; /* for the rest of the unit */
            rc_measure_blame(m, event_name(m, e), "did not count all the time");
        }
    if (!has_failed(m))
        return RC_OK;
    for (size_t i = 0; i < m->unit.point_count && !several && !m->unit.given_up; i++)
        if (m->unit.iterations[i] && !m->unit.left_out[i])
            several = settle_point(m, i);
    return several && !m->unit.given_up
               ? rc_measure_group_singly(m, m->unit.task->group, err)
               : RC_OK;
}
