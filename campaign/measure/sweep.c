/* One sweep: a group's events are read on each point of a suite. */
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/measure/parts.h"

#include <string.h>

/* An uncounted run before a counted one: caches and predictors have seen the
 * code and the data.  A tenth of the iterations; where that is less than a period,
 * one period, but only once for each kernel.  Simulated caches are empty at each
 * start: what reaches beyond the first level sees all of its data before.  A suite
 * that prepares its operands wants them cold.
 */
enum { WARM_PART = 10, WARM_PART_STEPPED = 4 };

static uint64_t warm_of(const struct rc_measurer *m, const struct rc_suite *suite,
                        const struct rc_point *point, uint64_t iterations)
{
    uint64_t period = suite->iterations(&m->geometry, point, 1);
    uint64_t part = iterations / (m->source->zero ? WARM_PART_STEPPED : WARM_PART);
    bool stays = suite->footprint == RC_FOOTPRINT_CORE;

    if (m->source->zero && !stays)
        return iterations;
    if (suite->prepare)
        return 0;
    if (part < period)
        return m->source->zero || m->repetitions == 0 ? period : 0;
    return part / period * period;
}

static size_t row_of(const struct rc_measurer *m, size_t event)
{
    return m->repetitions * m->events + event;
}

static void keep(struct rc_measurer *m, const struct rc_measure_part *part,
                 size_t point)
{
    for (size_t i = 0; i < part->count; i++) {
        size_t row = row_of(m, part->index[i]);
        const struct rc_reading *reading = &m->reading[i];
        m->values[row * m->point_count + point] = reading->value;
        m->enabled[row] += reading->enabled_ns;
        m->running[row] += reading->running_ns;
        if (reading->enabled_ns != reading->running_ns)
            m->status[row] = RC_READING_MULTIPLEXED;
        else if (m->status[row] == RC_READING_MISSING)
            m->status[row] = RC_READING_OK;
    }
}

static void mark(struct rc_measurer *m, const struct rc_measure_part *part,
                 enum rc_reading_status status)
{
    for (size_t i = 0; i < part->count; i++)
        m->status[row_of(m, part->index[i])] = (uint8_t)status;
}

static const char *event_name(const struct rc_measurer *m, size_t index)
{
    const struct rc_campaign_kind *kind = m->setup.kind;

    return kind->event[kind->group[m->task->group].event[index]].name;
}

static void take_part(struct rc_measurer *m, struct rc_measure_part *part,
                      struct rc_kernel *kernel, const struct rc_measurement *what)
{
    struct rc_error why = {.rank = -1};
    uint64_t took, warm = warm_of(m, what->suite, what->point, what->iterations);
    bool verified;
    int status = rc_reading_take(m->source, part->group, kernel, what, warm,
                                 m->task->team, m->reading, &took, &verified, &why);

    m->kernel_ns += took;
    if (status == RC_OK) {
        keep(m, part, what->point_index);
        return;
    }
    mark(m, part, verified ? RC_READING_FAILED : RC_READING_UNVERIFIED);
    rc_measure_blame(m,
                     verified && part->count == 1 ? event_name(m, part->index[0])
                                                  : what->point->name,
                     why.text);
}

static void mark_all(struct rc_measurer *m, enum rc_reading_status status)
{
    for (size_t i = 0; i < m->part_count; i++)
        if (!m->part[i].dead)
            mark(m, &m->part[i], status);
}

/* Making a kernel ready can take as long as running it: those that fit into
 * memory together are kept for the next repetition.  Not where each instruction is
 * counted: a kernel that has run begins at another place of its data, and two
 * repetitions would not be identical.
 */
static int get_kernel(struct rc_measurer *m, size_t index, struct rc_kernel **out,
                      struct rc_error *err)
{
    const struct rc_suite *suite = m->suite[m->task->suite];

    *out = NULL;
    if (!m->source->runs_kernels)
        return RC_OK;
    *out = m->kernel[index];
    if (*out)
        return RC_OK;
    return suite->setup(&m->geometry, &m->points[m->task->suite].points.point[index],
                        out, err);
}

static uint64_t resident_bytes(void)
{
    char line[128];
    uint64_t kib;

    if (rc_text_value_of("/proc/self/status", "VmRSS", line, sizeof line))
        return UINT64_MAX;
    line[strcspn(line, " ")] = 0;
    return rc_text_count(line, &kib) ? UINT64_MAX : kib * 1024;
}

static void put_kernel(struct rc_measurer *m, size_t index, struct rc_kernel *kernel)
{
    if (!kernel || m->kernel[index])
        return;
    if (m->resident_bytes == 0)
        m->resident_bytes = resident_bytes();
    uint64_t now = resident_bytes();
    if (!m->source->deterministic && now < UINT64_MAX &&
        now < m->resident_bytes + m->setup.kernel_bytes)
        m->kernel[index] = kernel;
    else
        m->suite[m->task->suite]->teardown(kernel);
}

void rc_measure_point(struct rc_measurer *m, size_t index)
{
    const struct rc_suite *suite = m->suite[m->task->suite];
    struct rc_measurement what = {
        .suite = suite,
        .geometry = &m->geometry,
        .point = &m->points[m->task->suite].points.point[index],
        .point_index = (uint32_t)index,
        .repetition = m->repetitions,
        .iterations = m->iterations[index],
        .place = m->task->place,
    };
    struct rc_error why = {.rank = -1};
    struct rc_kernel *kernel = NULL;

    memcpy(what.busy, m->task->busy, sizeof what.busy);
    if (get_kernel(m, index, &kernel, &why) != RC_OK) {
        mark_all(m, RC_READING_UNVERIFIED);
        rc_measure_blame(m, what.point->name, why.text);
        return;
    }
    for (size_t i = 0; i < m->part_count; i++)
        if (!m->part[i].dead)
            take_part(m, &m->part[i], kernel, &what);
    put_kernel(m, index, kernel);
}

static bool is_usable(const struct rc_measurer *m)
{
    for (size_t e = 0; e < m->events; e++)
        if (!m->spoiled[e] && m->status[row_of(m, e)] != RC_READING_OK)
            return false;
    return true;
}

void rc_measure_forget(struct rc_measurer *m)
{
    size_t row = row_of(m, 0);

    for (size_t i = 0; i < m->events * m->point_count; i++)
        m->values[row * m->point_count + i] = INT64_MIN;
    memset(m->enabled + row, 0, m->events * sizeof *m->enabled);
    memset(m->running + row, 0, m->events * sizeof *m->running);
    memset(m->status + row, RC_READING_MISSING, m->events);
    for (size_t i = 0; i < m->part_count; i++)
        if (m->part[i].dead)
            mark(m, &m->part[i], RC_READING_FAILED);
}

/* A point that fails ends the sweep: it is done again from the start. */
static bool has_failed(const struct rc_measurer *m)
{
    for (size_t e = 0; e < m->events; e++)
        if (!m->spoiled[e] && m->status[row_of(m, e)] > RC_READING_MULTIPLEXED)
            return true;
    return false;
}

static void ask_pause(struct rc_measurer *m)
{
    m->given_up = m->pause && m->pause(m->pause_arg);
}

bool rc_measure_sweep(struct rc_measurer *m)
{
    rc_measure_forget(m);
    for (size_t i = 0; i < m->point_count && !m->given_up; i++) {
        if (m->iterations[i] == 0 || m->left_out[i])
            continue;
        rc_measure_point(m, i);
        ask_pause(m);
        if (has_failed(m))
            break;
    }
    return is_usable(m);
}

/* What is wrong with one point is seen when that point is taken alone.  True: a
 * part failed that may do better event by event; not where any number of events
 * counts at once and each reading takes long.
 */
static bool settle_point(struct rc_measurer *m, size_t point)
{
    bool unverified = false, several = false;

    rc_measure_forget(m);
    rc_measure_point(m, point);
    for (size_t i = 0; i < m->part_count; i++) {
        struct rc_measure_part *part = &m->part[i];
        if (part->dead)
            continue;
        uint8_t status = m->status[row_of(m, part->index[0])];
        unverified |= status == RC_READING_UNVERIFIED;
        bool apart = part->count > 1 && !m->source->any_number;
        several |= status == RC_READING_FAILED && apart;
        part->dead = status == RC_READING_FAILED && !apart;
        for (size_t e = 0; e < part->count && part->dead; e++)
            m->spoiled[part->index[e]] = true;
    }
    m->left_out[point] |= unverified;
    return several;
}

static void settle_multiplexed(struct rc_measurer *m)
{
    for (size_t e = 0; e < m->events; e++)
        if (m->status[row_of(m, e)] == RC_READING_MULTIPLEXED && !m->spoiled[e]) {
            m->spoiled[e] = true;
            rc_measure_blame(m, event_name(m, e), "did not count all the time");
        }
}

int rc_measure_settle(struct rc_measurer *m, struct rc_error *err)
{
    bool several = false;

    settle_multiplexed(m);
    if (!has_failed(m))
        return RC_OK;
    for (size_t i = 0; i < m->point_count && !several && !m->given_up; i++)
        if (m->iterations[i] && !m->left_out[i]) {
            several = settle_point(m, i);
            ask_pause(m);
        }
    return several && !m->given_up ? rc_measure_group_singly(m, m->task->group, err)
                                   : RC_OK;
}
