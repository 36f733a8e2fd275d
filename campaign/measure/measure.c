/* Measures a unit: sweeps are repeated until the stopping rule is satisfied.
 *
 * One repetition is one usable sweep.  It is tried up to three times; then sweep.c
 * finds the event or point that spoils it, which is left out from then on, and the
 * repetition starts again.  Readings are kept as [repetition][event][point], since
 * repetitions come one by one; the record's writer turns them.
 */
#include "campaign/measure/measure.h"

#include "campaign/base/clock.h"
#include "campaign/base/text.h"
#include "campaign/measure/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 3, SETTLINGS_MOST = 8, KERNELS_PART = 8 };

static const struct rc_campaign_kind *kind_of(const struct rc_measurer *m)
{
    return m->setup.kind;
}

/* Makes the request the one by which a suite was planned: this run's teams may differ. */
static void set_team(struct rc_measurer *m, size_t suite)
{
    const uint32_t team = rc_record_suite_team(&kind_of(m)->suite[suite]);

    m->request.workers = team ? team : m->setup.catalogue->workers;
}

int rc_measurer_create(const struct rc_measurer_setup *setup, struct rc_measurer **out,
                       struct rc_error *err)
{
    struct rc_measurer *m = *out = rc_calloc(1, sizeof *m);
    const size_t suites = setup->kind->suite_count;
    const size_t sources = setup->catalogue->source_count;

    if (!m)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu suites", suites);
    m->setup = *setup;
    if (!setup->kernel_bytes)
        m->setup.kernel_bytes = rc_measurer_kernel_bytes(1);
    m->request = rc_catalogue_campaign_request(setup->catalogue);
    m->suite = rc_arena_array(&m->arena, suites, sizeof(void *));
    m->points = rc_arena_array(&m->arena, suites, sizeof *m->points);
    int status = rc_arena_check(&m->arena, err, "the suites");
    if (status != RC_OK)
        goto out;
    for (size_t s = 0; s < suites; s++) {
        const struct rc_record_suite *record = &setup->kind->suite[s];
        m->suite[s] = rc_suite_find(record->name);
        if (!m->suite[s]) /* a suite that this build does not have is not measured */
            continue;
        set_team(m, s);
        if ((status = rc_suite_points_find(setup->catalogue, &m->request, m->suite[s],
                                           &m->points[s], err)) != RC_OK)
            goto out;
        if (m->points[s].points.count != record->point_count) {
            status =
                rc_fail(err, RC_ECONFLICT,
                        "suite '%s' has %zu points on this node, expected %zu as "
                        "on the others of its kind",
                        record->name, m->points[s].points.count, record->point_count);
            goto out;
        }
        /* The plan has multiples where readings would be too short, or 0. */
        const size_t rows = record->source_count == sources ? sources : 0;
        for (size_t i = 0; i < rows * record->point_count; i++) {
            uint64_t *iterations = &m->points[s].iterations[i];
            if (*iterations && record->iterations[i] % *iterations == 0)
                *iterations = record->iterations[i];
        }
    }
out:
    if (status != RC_OK) {
        rc_measurer_close(m);
        *out = NULL;
    }
    return status;
}

void rc_measurer_pause(struct rc_measurer *m, bool (*pause)(void *arg), void *arg)
{
    m->pause = pause;
    m->pause_arg = arg;
}

struct rc_measure_at rc_measurer_at(const struct rc_measurer *m)
{
    if (!m || !m->unit.task)
        return (struct rc_measure_at){.suite = NULL};
    return (struct rc_measure_at){.suite = kind_of(m)->suite[m->unit.suite].name,
                                  .repetition = m->repetitions + 1,
                                  .point = m->unit.point + 1,
                                  .points = m->unit.point_count};
}

void rc_measure_release(struct rc_measurer *m)
{
    struct rc_measure_unit *unit = &m->unit;

    for (size_t i = 0; unit->kernel && i < unit->point_count; i++)
        if (unit->kernel[i])
            m->suite[unit->suite]->teardown(unit->kernel[i]);
    rc_measure_disarm(m);
    rc_stop_rule_close(unit->stop_rule);
    rc_arena_free(&unit->arena);
    *unit = (struct rc_measure_unit){0};
}

static void release_readings(struct rc_measurer *m)
{
    free(m->sweeps.values);
    free(m->sweeps.enabled_ns);
    free(m->sweeps.running_ns);
    free(m->sweeps.status);
    m->sweeps = (struct rc_record_readings){0};
    m->room = 0;
}

void rc_measurer_close(struct rc_measurer *m)
{
    if (!m)
        return;
    rc_measure_release(m);
    release_readings(m);
    for (size_t s = 0; m->points && s < kind_of(m)->suite_count; s++)
        rc_suite_points_fini(&m->points[s]);
    rc_arena_free(&m->arena);
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

/* 'array' is the address of a pointer to items; 'bytes' is the size of a repetition. */
static bool resize_array(void *array, size_t repetitions, size_t bytes)
{
    void *items;

    if (bytes && repetitions > SIZE_MAX / bytes)
        return false;
    memcpy(&items, array, sizeof items);
    /* cppcheck-suppress memleakOnRealloc ; the caller's own pointer keeps them */
    items = realloc(items, repetitions * bytes + 1);
    if (!items)
        return false;
    memcpy(array, &items, sizeof items);
    return true;
}

/* Makes room for one more repetition, by doubling. */
static int make_room(struct rc_measurer *m, struct rc_error *err)
{
    const size_t events = m->unit.events, points = m->unit.point_count;
    const uint32_t room = m->room ? 2 * m->room : 4;
    struct rc_record_readings *r = &m->sweeps;

    if (m->repetitions < m->room)
        return RC_OK;
    if (!resize_array(&r->values, room, events * points * sizeof *r->values) ||
        !resize_array(&r->enabled_ns, room, events * sizeof *r->enabled_ns) ||
        !resize_array(&r->running_ns, room, events * sizeof *r->running_ns) ||
        !resize_array(&r->status, room, events * sizeof *r->status))
        return rc_fail(err, RC_ENOMEM,
                       "no memory for %u repetitions of %zu events at %zu points", room,
                       events, points);
    m->room = room;
    return RC_OK;
}

/* In place of a source's functions, for a worker that reads nothing. */
static int arm_nothing(struct rc_source_state *state, const uint32_t *events,
                       size_t count, struct rc_group_state **out, struct rc_error *err)
{
    (void)state, (void)events, (void)count, (void)err;
    *out = NULL;
    return RC_OK;
}

static int start_nothing(struct rc_group_state *group,
                         const struct rc_measurement *what, struct rc_error *err)
{
    (void)group, (void)what, (void)err;
    return RC_OK;
}

static int stop_nothing(struct rc_group_state *group, struct rc_reading *readings,
                        struct rc_error *err)
{
    (void)group, (void)readings, (void)err; /* the readings are zeros */
    return RC_OK;
}

int rc_measure_begin(struct rc_measurer *m, const struct rc_measure_task *task,
                     struct rc_error *err)
{
    const struct rc_record_group *group = &kind_of(m)->group[task->group];
    const size_t points = kind_of(m)->suite[task->suite].point_count;
    struct rc_measure_unit *unit = &m->unit;

    rc_measure_release(m);
    release_readings(m);
    m->repetitions = 0;
    set_team(m, task->suite);
    *unit = (struct rc_measure_unit){
        .task = task,
        .suite = task->suite,
        .source = m->setup.catalogue->source[group->source].source,
        .events = group->count,
        .point_count = points,
        .iterations = m->points[task->suite].iterations + group->source * points};
    if (task->unread) {
        unit->unread = *unit->source;
        unit->unread.zero = NULL;
        unit->unread.arm = arm_nothing;
        unit->unread.start = start_nothing;
        unit->unread.stop = stop_nothing;
        unit->source = &unit->unread;
    }
    const bool deterministic = unit->source->deterministic;
    const struct rc_stop_rule_limits rule = {
        .min = rc_spec_repeat_min(m->setup.spec, deterministic),
        .max = rc_spec_repeat_max(m->setup.spec, deterministic),
        .target = m->setup.spec->target,
        .settles = deterministic};
    unit->left_out = rc_arena_array(&unit->arena, points, sizeof *unit->left_out);
    unit->kernel = rc_arena_array(&unit->arena, points, sizeof(void *));
    unit->spoiled = rc_arena_array(&unit->arena, unit->events, sizeof *unit->spoiled);
    unit->reading = rc_arena_array(&unit->arena, unit->events, sizeof *unit->reading);
    unit->agreed = rc_arena_array(&unit->arena, unit->events + 1, 1);
    int status = rc_arena_check(&unit->arena, err, "a unit's events and points");
    if (status == RC_OK && (status = make_room(m, err)) == RC_OK)
        status =
            rc_stop_rule_create(&rule, unit->events, points, &unit->stop_rule, err);
    if ((status = rc_measure_team_agree(m->unit.task->team, status, err)) != RC_OK)
        return status;
    return rc_measure_group(m, task->group, err);
}

bool rc_measure_all_spoiled(const struct rc_measurer *m)
{
    for (size_t e = 0; e < m->unit.events; e++)
        if (!m->unit.spoiled[e])
            return false;
    return true;
}

/* The number of events and points that are not measured any more. */
static size_t given_up_on(const struct rc_measurer *m)
{
    size_t count = 0;

    for (size_t e = 0; e < m->unit.events; e++)
        count += m->unit.spoiled[e];
    for (size_t p = 0; p < m->unit.point_count; p++)
        count += m->unit.left_out[p];
    return count;
}

/* Whether no event can be read any more, or no kernel runs. */
static bool nothing_left(const struct rc_measurer *m)
{
    bool parts = false, points = false;

    for (size_t i = 0; i < m->unit.part_count; i++)
        parts |= !m->unit.part[i].dead;
    for (size_t p = 0; p < m->unit.point_count; p++)
        points |= m->unit.iterations[p] && !m->unit.left_out[p];
    return !parts || !points;
}

/* Measures one repetition, with the tries it takes.  If it is usable in the end and
 * nothing was given up for it, failures of earlier tries are not the unit's reason.
 */
static int measure_repetition(struct rc_measurer *m, struct rc_error *err)
{
    char before[sizeof m->unit.reason];
    size_t lost = given_up_on(m);
    bool usable = false;
    int status = RC_OK, sweeps = 0;

    memcpy(before, m->unit.reason, sizeof before);
    for (int settled = 0; !usable && settled <= SETTLINGS_MOST; settled++) {
        if (settled > 0)
            status = rc_measure_settle(m, err);
        if (given_up_on(m) == lost)
            memcpy(m->unit.reason, before, sizeof before);
        if (status != RC_OK || m->unit.given_up || nothing_left(m))
            return status;
        for (int try = 0; try < TRIES && !usable && !m->unit.given_up; try++) {
            m->unit.tries += sweeps++ > 0;
            usable = rc_measure_sweep(m);
        }
    }
    if (usable && given_up_on(m) == lost)
        memcpy(m->unit.reason, before, sizeof before);
    return RC_OK;
}

/* The verdict of the stopping rule; for a team, once every worker's is one. */
static enum rc_stop verdict_of(const struct rc_measurer *m)
{
    const enum rc_stop stop = rc_stop_rule_verdict(m->unit.stop_rule);
    uint8_t of_all[] = {stop == RC_STOP_NONE, (uint8_t)stop};

    rc_measure_team_worst(m->unit.task->team, of_all, sizeof of_all, false);
    return of_all[0] ? RC_STOP_NONE : (enum rc_stop)of_all[1];
}

/* Returns before the stopping rule is satisfied if the unit is given up, or if no event
 * or point is left.
 */
static int measure_until_stop(struct rc_measurer *m, enum rc_stop *stop,
                              struct rc_error *err)
{
    *stop = RC_STOP_NONE;
    while (*stop == RC_STOP_NONE && !rc_measure_all_spoiled(m)) {
        int status = rc_measure_team_agree(m->unit.task->team, make_room(m, err), err);
        if (status != RC_OK)
            return status;
        if (m->unit.task->ending && rc_stop_rule_may_end(m->unit.stop_rule))
            m->unit.task->ending(m->unit.task->ending_arg);
        status = measure_repetition(m, err);
        if (status != RC_OK || m->unit.given_up || nothing_left(m))
            return status;
        rc_stop_rule_add(m->unit.stop_rule,
                         m->sweeps.values +
                             m->repetitions * m->unit.events * m->unit.point_count,
                         m->unit.spoiled);
        m->repetitions++;
        *stop = verdict_of(m);
    }
    return RC_OK;
}

/* Makes the reason of the first worker that has one that of its whole team. */
static void agree_on_reason(struct rc_measurer *m)
{
    char *reason = m->unit.reason;
    const bool own = reason[0];
    struct rc_error why = {.rank = -1};

    rc_text_append(why.text, sizeof why.text, "%s", reason);
    if (rc_measure_team_agree(m->unit.task->team, own ? RC_ECONFLICT : RC_OK, &why) ==
            RC_OK ||
        !m->unit.task->team)
        return;
    reason[0] = 0;
    if (why.rank > 0)
        rc_text_append(reason, sizeof m->unit.reason, "worker %d: ", why.rank);
    rc_text_append(reason, sizeof m->unit.reason, "%s", why.text);
}

int rc_measurer_run(struct rc_measurer *m, const struct rc_measure_task *task,
                    struct rc_record_unit *unit, struct rc_record_readings *readings,
                    struct rc_error *err)
{
    const uint64_t start = rc_clock_ns();
    const uint64_t begin = task->begin_ns ? task->begin_ns : rc_clock_unix_ns();
    enum rc_stop stop = RC_STOP_NONE;
    int status = rc_measure_begin(m, task, err);

    if (status == RC_OK)
        status = measure_until_stop(m, &stop, err);
    if (status == RC_OK)
        agree_on_reason(m);
    rc_measure_disarm(m);
    m->unit.task = NULL;
    unit->status = 0;
    if (status != RC_OK || (m->unit.given_up && m->repetitions == 0))
        return status;
    if (m->unit.given_up)
        stop = RC_STOP_INTERRUPTED;
    if (m->repetitions == 0)
        rc_measure_blame(m, kind_of(m)->suite[task->suite].name,
                         "none of its points can be measured here");
    *readings = m->sweeps;
    bool whole = given_up_on(m) == 0; /* all readings of the unit are usable */
    for (size_t row = 0; row < m->repetitions * m->unit.events; row++)
        whole = whole && m->sweeps.status[row] == RC_READING_OK;
    unit->status = whole                ? RC_UNIT_OK
                   : m->repetitions > 0 ? RC_UNIT_INVALID
                                        : RC_UNIT_FAILED;
    unit->stop = stop;
    unit->tries = m->unit.tries;
    unit->reason = unit->status == RC_UNIT_OK ? "" : m->unit.reason;
    unit->events = (uint32_t)m->unit.events;
    unit->repetitions = m->repetitions;
    unit->points = (uint32_t)m->unit.point_count;
    unit->kernel_ns = m->unit.kernel_ns;
    unit->begin_ns = begin;
    unit->wall_ns = rc_clock_ns() - start;
    return RC_OK;
}
