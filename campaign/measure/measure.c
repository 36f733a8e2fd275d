/* Measures a unit: sweeps are repeated until the stopping rule is satisfied. */
#include "campaign/measure/measure.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/catalogue/points.h"
#include "campaign/measure/parts.h"
#include "campaign/spec/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 3, SETTLINGS_MOST = 8, KERNELS_PART = 8 };

static const struct rc_campaign_kind *kind_of(const struct rc_measurer *m)
{
    return m->setup.kind;
}

static int ready_suite(struct rc_measurer *m, size_t s, struct rc_error *err)
{
    const struct rc_record_suite *record = &kind_of(m)->suite[s];

    m->suite[s] = rc_suite_find(record->name);
    if (!m->suite[s])
        return RC_OK;
    int status = rc_suite_points_find(m->setup.catalogue, &m->geometry, m->suite[s],
                                      &m->points[s], err);
    if (status == RC_OK && m->points[s].points.count != record->point_count)
        status = rc_fail(err, RC_ECONFLICT,
                         "suite '%s' has %zu points on this node, expected %zu as on "
                         "the others of its kind",
                         record->name, m->points[s].points.count, record->point_count);
    return status;
}

int rc_measurer_create(const struct rc_measurer_setup *setup, struct rc_measurer **out,
                       struct rc_error *err)
{
    struct rc_measurer *m = rc_calloc(1, sizeof *m);
    size_t suites = setup->kind->suite_count;
    int status = RC_OK;

    *out = NULL;
    if (m) {
        m->setup = *setup;
        if (!setup->kernel_bytes)
            m->setup.kernel_bytes = rc_measurer_kernel_bytes(1);
        m->geometry = rc_catalogue_campaign_geometry(setup->catalogue);
        m->suite = rc_calloc(suites, sizeof(void *));
        m->points = rc_calloc(suites, sizeof *m->points);
    }
    if (!m || !m->suite || !m->points)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu suites", suites);
    for (size_t s = 0; s < suites && status == RC_OK; s++)
        status = ready_suite(m, s, err);
    if (status != RC_OK) {
        rc_measurer_close(m);
        return status;
    }
    *out = m;
    return RC_OK;
}

void rc_measurer_pause(struct rc_measurer *m, bool (*pause)(void *arg), void *arg)
{
    m->pause = pause;
    m->pause_arg = arg;
}

void rc_measure_release(struct rc_measurer *m)
{
    for (size_t i = 0; m->kernel && i < m->point_count; i++)
        if (m->kernel[i])
            m->suite[m->task_suite]->teardown(m->kernel[i]);
    free(m->kernel);
    m->kernel = NULL;
    rc_measure_disarm(m);
    rc_stop_rule_close(m->stop_rule);
    m->stop_rule = NULL;
    free(m->left_out);
    free(m->spoiled);
    free(m->reading);
    m->left_out = m->spoiled = NULL;
    m->reading = NULL;
}

static void release_rows(struct rc_measurer *m)
{
    free(m->values);
    free(m->enabled);
    free(m->running);
    free(m->status);
    free(m->out_values);
    free(m->out_enabled);
    free(m->out_running);
    free(m->out_status);
    m->values = m->out_values = NULL;
    m->enabled = m->running = m->out_enabled = m->out_running = NULL;
    m->status = m->out_status = NULL;
    m->room = 0;
}

void rc_measurer_close(struct rc_measurer *m)
{
    if (!m)
        return;
    rc_measure_release(m);
    release_rows(m);
    for (size_t s = 0; m->points && s < kind_of(m)->suite_count; s++)
        rc_suite_points_fini(&m->points[s]);
    free(m->points);
    free(m->suite);
    free(m);
}

uint64_t rc_measurer_kernel_bytes(size_t workers)
{
    uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

    return pages / KERNELS_PART / (workers ? workers : 1) * page_bytes;
}

uint64_t rc_measurer_bytes(uint64_t events, uint64_t points, uint64_t repetitions)
{
    uint64_t readings = events * repetitions;

    return 2 * readings * (points * sizeof(int64_t) + 2 * sizeof(uint64_t) + 1);
}

static void *resized(void *array, size_t repetitions, size_t bytes)
{
    if (bytes && repetitions > SIZE_MAX / bytes)
        return NULL;
    return realloc(array, repetitions * bytes + 1);
}

static int make_room(struct rc_measurer *m, struct rc_error *err)
{
    uint32_t room = m->room ? 2 * m->room : 4;

    if (m->repetitions < m->room)
        return RC_OK;
    int64_t *values =
        resized(m->values, room, m->events * m->point_count * sizeof *m->values);
    m->values = values ? values : m->values;
    uint64_t *enabled = resized(m->enabled, room, m->events * sizeof *m->enabled);
    m->enabled = enabled ? enabled : m->enabled;
    uint64_t *running = resized(m->running, room, m->events * sizeof *m->running);
    m->running = running ? running : m->running;
    uint8_t *status = resized(m->status, room, m->events * sizeof *m->status);
    m->status = status ? status : m->status;
    if (!values || !enabled || !running || !status)
        return rc_fail(err, RC_ENOMEM,
                       "no memory for %u repetitions of %zu events at %zu points", room,
                       m->events, m->point_count);
    m->room = room;
    return RC_OK;
}

static void unit_source(struct rc_measurer *m, const struct rc_measure_task *task)
{
    const struct rc_record_group *group = &kind_of(m)->group[task->group];

    m->task = task;
    m->task_suite = task->suite;
    m->resident_bytes = 0;
    m->source = m->setup.catalogue->source[group->source].source;
    m->events = group->count;
    m->point_count = kind_of(m)->suite[task->suite].point_count;
    m->iterations = m->points[task->suite].iterations + group->source * m->point_count;
    m->repetitions = m->tries = 0;
    m->kernel_ns = 0;
    m->given_up = false;
    m->reason[0] = 0;
}

int rc_measure_begin(struct rc_measurer *m, const struct rc_measure_task *task,
                     struct rc_error *err)
{
    bool deterministic;

    rc_measure_release(m);
    release_rows(m);
    unit_source(m, task);
    deterministic = m->source->deterministic;
    const struct rc_stop_rule_limits rule = {
        .min = rc_spec_repeat_min(m->setup.spec, deterministic),
        .max = rc_spec_repeat_max(m->setup.spec, deterministic),
        .target = m->setup.spec->target,
        .settles = deterministic};
    m->left_out = rc_calloc(m->point_count, sizeof *m->left_out);
    m->kernel = rc_calloc(m->point_count, sizeof(void *));
    m->spoiled = rc_calloc(m->events, sizeof *m->spoiled);
    m->reading = rc_calloc(m->events, sizeof *m->reading);
    if (!m->left_out || !m->kernel || !m->spoiled || !m->reading)
        return rc_fail(err, RC_ENOMEM, "no memory for a unit of %zu events", m->events);
    int status = make_room(m, err);
    if (status == RC_OK)
        status =
            rc_stop_rule_create(&rule, m->events, m->point_count, &m->stop_rule, err);
    if (status == RC_OK)
        status = rc_measure_group(m, task->group, err);
    return status;
}

bool rc_measure_all_spoiled(const struct rc_measurer *m)
{
    for (size_t e = 0; e < m->events; e++)
        if (!m->spoiled[e])
            return false;
    return true;
}

static size_t given_up_on(const struct rc_measurer *m)
{
    size_t count = 0;

    for (size_t e = 0; e < m->events; e++)
        count += m->spoiled[e];
    for (size_t p = 0; p < m->point_count; p++)
        count += m->left_out[p];
    return count;
}

/* No event can be read any more, or no kernel runs. */
static bool nothing_left(const struct rc_measurer *m)
{
    bool parts = false, points = false;

    for (size_t i = 0; i < m->part_count; i++)
        parts |= !m->part[i].dead;
    for (size_t p = 0; p < m->point_count; p++)
        points |= m->iterations[p] && !m->left_out[p];
    return !parts || !points;
}

/* One repetition, with the tries it takes.  What went well at last is no reason. */
static int repetition(struct rc_measurer *m, struct rc_error *err)
{
    char before[sizeof m->reason];
    size_t lost = given_up_on(m);
    bool usable = false;
    int status = RC_OK, sweeps = 0;

    memcpy(before, m->reason, sizeof before);
    for (int settled = 0; !usable && settled <= SETTLINGS_MOST; settled++) {
        if (settled > 0)
            status = rc_measure_settle(m, err);
        if (given_up_on(m) == lost)
            memcpy(m->reason, before, sizeof before);
        if (status != RC_OK || m->given_up || nothing_left(m))
            return status;
        for (int try = 0; try < TRIES && !usable && !m->given_up; try++) {
            m->tries += sweeps++ > 0;
            usable = rc_measure_sweep(m);
        }
    }
    if (usable && given_up_on(m) == lost)
        memcpy(m->reason, before, sizeof before);
    return RC_OK;
}

static bool is_whole(const struct rc_measurer *m)
{
    for (size_t e = 0; e < m->events; e++)
        if (m->spoiled[e])
            return false;
    for (size_t p = 0; p < m->point_count; p++)
        if (m->left_out[p])
            return false;
    for (size_t row = 0; row < m->repetitions * m->events; row++)
        if (m->status[row] != RC_READING_OK)
            return false;
    return true;
}

/* From [repetition][event][point] to [event][repetition][point]. */
static int turn(struct rc_measurer *m, struct rc_record_readings *out,
                struct rc_error *err)
{
    size_t rows = m->events * m->repetitions;

    m->out_values = rc_calloc(rows * m->point_count, sizeof *m->out_values);
    m->out_enabled = rc_calloc(rows, sizeof *m->out_enabled);
    m->out_running = rc_calloc(rows, sizeof *m->out_running);
    m->out_status = rc_calloc(rows, sizeof *m->out_status);
    if (!m->out_values || !m->out_enabled || !m->out_running || !m->out_status)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu readings", rows);
    for (size_t e = 0; e < m->events; e++)
        for (size_t r = 0; r < m->repetitions; r++) {
            size_t from = r * m->events + e, to = e * m->repetitions + r;
            memcpy(m->out_values + to * m->point_count,
                   m->values + from * m->point_count,
                   m->point_count * sizeof *m->values);
            m->out_enabled[to] = m->enabled[from];
            m->out_running[to] = m->running[from];
            m->out_status[to] = m->status[from];
        }
    *out = (struct rc_record_readings){m->out_values, m->out_enabled, m->out_running,
                                       m->out_status};
    return RC_OK;
}

static int stop_rule(struct rc_measurer *m, enum rc_stop *stop, struct rc_error *err)
{
    *stop = RC_STOP_NONE;
    while (*stop == RC_STOP_NONE && !rc_measure_all_spoiled(m)) {
        int status = make_room(m, err);
        if (status != RC_OK)
            return status;
        if (m->task->ending && rc_stop_rule_may_end(m->stop_rule))
            m->task->ending(m->task->ending_arg);
        status = repetition(m, err);
        if (status != RC_OK || m->given_up || nothing_left(m))
            return status;
        rc_stop_rule_add(m->stop_rule,
                         m->values + m->repetitions * m->events * m->point_count,
                         m->spoiled);
        m->repetitions++;
        *stop = rc_stop_rule_verdict(m->stop_rule);
    }
    return RC_OK;
}

int rc_measurer_run(struct rc_measurer *m, const struct rc_measure_task *task,
                    struct rc_record_unit *unit, struct rc_record_readings *readings,
                    struct rc_error *err)
{
    uint64_t start = rc_clock_ns(), begin = rc_clock_unix_ns();
    enum rc_stop stop = RC_STOP_NONE;
    int status = rc_measure_begin(m, task, err);

    if (status == RC_OK)
        status = stop_rule(m, &stop, err);
    rc_measure_disarm(m);
    unit->status = 0;
    if (status == RC_OK && m->given_up)
        return RC_OK;
    if (m->repetitions == 0)
        rc_measure_blame(m, kind_of(m)->suite[task->suite].name,
                         "none of its points can be measured here");
    if (status == RC_OK)
        status = turn(m, readings, err);
    if (status != RC_OK)
        return status;
    unit->status = is_whole(m)          ? RC_UNIT_OK
                   : m->repetitions > 0 ? RC_UNIT_INVALID
                                        : RC_UNIT_FAILED;
    unit->stop = stop;
    unit->tries = m->tries;
    unit->reason = unit->status == RC_UNIT_OK ? "" : m->reason;
    unit->events = (uint32_t)m->events;
    unit->repetitions = m->repetitions;
    unit->points = (uint32_t)m->point_count;
    unit->kernel_ns = m->kernel_ns;
    unit->begin_ns = begin;
    unit->wall_ns = rc_clock_ns() - start;
    return RC_OK;
}

int rc_measurer_kernel(const struct rc_measurer *m, uint32_t suite, uint32_t point,
                       const struct rc_suite **found, struct rc_kernel **kernel,
                       struct rc_error *err)
{
    const struct rc_suite *from = m->suite[suite];

    *found = from;
    return from->setup(&m->geometry, &m->points[suite].points.point[point], kernel,
                       err);
}
