/* The time source: how long a kernel takes, and when it began and ended.
 *
 * The skeleton of polled sources reads CLOCK_MONOTONIC as the last thing of a start and
 * the first of a stop, so that nothing else lies between.  The thread's processor time
 * is read outside of that, since it costs a call of the system.  An empty reading shows
 * the costs: they are in every reading.
 */
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/sources/counter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct rc_source rc_source_time;

enum event { WALL, BEGIN, END, THREAD, EVENTS };

/* How many empty readings, calls and steps of a clock its measurement takes; and how many
 * times its cost a reading is to last.
 */
enum { TRIED = 201, STEPS = 5, COSTS_LEAST = 100 };
static const uint64_t step_most_ns = 100000;     /* of a clock that can be used */
static const uint64_t step_waited_ns = 50000000; /* for STEPS steps, at most */

/* Properties of a clock, measured when the source was opened. */
struct clock {
    uint64_t cost_ns; /* of an empty reading */
    uint64_t step_ns; /* the smallest that was seen: its steps are no longer */
};

struct rc_source_state {
    struct clock wall, thread;
};

struct rc_group_state {
    struct rc_polled polled;
    bool reads_thread;
    uint64_t thread_ns[2];
    uint32_t event[];
};

static void time_read(struct rc_group_state *group, bool end)
{
    if (group->reads_thread)
        group->thread_ns[end] = rc_clock_thread_ns();
}

static const char *time_number(const struct rc_group_state *group, size_t index,
                               bool end, struct rc_counter_number *out)
{
    const struct rc_polled *polled = &group->polled;
    const uint32_t event = group->event[index];

    if (event == THREAD)
        out->size = group->thread_ns[end];
    else
        out->size = event == END || (event == WALL && end) ? polled->stopped_ns
                                                           : polled->started_ns;
    return NULL;
}

static bool is_state(uint32_t event)
{
    return event == BEGIN || event == END;
}

static struct rc_counter_rule time_rule(const struct rc_group_state *group,
                                        size_t index)
{
    return (struct rc_counter_rule){.state = is_state(group->event[index])};
}

static void time_turn(struct rc_group_state *group)
{
    group->thread_ns[0] = group->thread_ns[1];
}

static const struct rc_polled_way way = {time_read, time_number, time_rule, time_turn};

static void time_disarm(struct rc_group_state *group)
{
    free(group);
}

static int time_arm(struct rc_source_state *state, const uint32_t *events, size_t count,
                    struct rc_group_state **out, struct rc_error *err)
{
    struct rc_group_state *group =
        rc_calloc(1, sizeof *group + count * sizeof group->event[0]);

    (void)state;
    *out = NULL;
    if (!group)
        return rc_fail(err, RC_ENOMEM, "no memory for a group of %zu events", count);
    group->polled = (struct rc_polled){.way = &way, .count = count};
    for (size_t i = 0; i < count; i++) {
        if (events[i] >= EVENTS) {
            free(group);
            return rc_fail(err, RC_EMISSING, "time: no event number %" PRIu32,
                           events[i]);
        }
        group->event[i] = events[i];
        group->reads_thread |= events[i] == THREAD;
    }
    *out = group;
    return RC_OK;
}

static int by_size(const void *left, const void *right)
{
    return rc_compare_numbers(left, right, 1);
}

/* The smallest step of a clock among several; UINT64_MAX: it stands still. */
static uint64_t step_of(uint64_t (*clock_ns)(void))
{
    const uint64_t begin = rc_clock_ns();
    uint64_t before = clock_ns(), least = UINT64_MAX;

    for (int calls = 0, steps = 0;
         calls < TRIED || (steps < STEPS && rc_clock_ns() - begin < step_waited_ns);
         calls++) {
        const uint64_t now = clock_ns();
        steps += now > before;
        if (now > before && now - before < least)
            least = now - before;
        before = now;
    }
    return least;
}

/* Measures both clocks; their costs by empty readings of all events. */
static int measure_clocks(struct rc_source_state *state, struct rc_error *err)
{
    static const uint32_t all[EVENTS] = {WALL, BEGIN, END, THREAD};
    uint64_t wall[TRIED] = {0}, thread[TRIED] = {0};
    struct rc_reading reading[EVENTS] = {{0}};
    struct rc_group_state *group;
    int status = time_arm(state, all, EVENTS, &group, err);

    if (status != RC_OK)
        return status;
    for (int i = 0; i < TRIED && status == RC_OK; i++) {
        (void)rc_polled_start(group, NULL, err);
        status = rc_polled_stop(group, reading, err);
        wall[i] = (uint64_t)reading[WALL].value;
        thread[i] = (uint64_t)reading[THREAD].value;
    }
    time_disarm(group);
    qsort(wall, TRIED, sizeof *wall, by_size);
    qsort(thread, TRIED, sizeof *thread, by_size);
    state->wall = (struct clock){wall[TRIED / 2], step_of(rc_clock_ns)};
    state->thread = (struct clock){thread[TRIED / 2], step_of(rc_clock_thread_ns)};
    return status;
}

static void time_close(struct rc_source_state *state)
{
    free(state);
}

static int time_open(const struct rc_source_setup *setup, struct rc_source_state **out,
                     struct rc_error *err)
{
    *out = NULL;
    if (setup->argument)
        return rc_fail(err, RC_EUSAGE,
                       "source 'time' takes no argument, found 'time:%s'",
                       setup->argument);
    struct rc_source_state *state = rc_calloc(1, sizeof *state);
    int status = state ? measure_clocks(state, err)
                       : rc_fail(err, RC_ENOMEM, "source 'time': no memory");
    if (status == RC_OK && state->wall.step_ns > step_most_ns)
        status = rc_fail(err, RC_EUNSUPPORTED,
                         "source 'time': CLOCK_MONOTONIC stands still, or its steps "
                         "are longer than %" PRIu64 " ns",
                         step_most_ns);
    if (status != RC_OK) {
        time_close(state);
        return status;
    }
    *out = state;
    return RC_OK;
}

/* Equal on all nodes: what the clocks cost is measured on each, and differs a little.
 */
static void time_identify(struct rc_source_state *state, char *out, size_t room)
{
    (void)state;
    snprintf(out, room, "ns of CLOCK_MONOTONIC and CLOCK_THREAD_CPUTIME_ID");
}

static bool has_thread(const struct rc_source_state *state)
{
    return state->thread.step_ns <= step_most_ns;
}

static uint64_t cost_of(const struct clock *clock)
{
    return clock->cost_ns > clock->step_ns ? clock->cost_ns : clock->step_ns;
}

static uint64_t time_least_ns(struct rc_source_state *state)
{
    const uint64_t wall = cost_of(&state->wall), thread = cost_of(&state->thread);

    return COSTS_LEAST * (has_thread(state) && thread > wall ? thread : wall);
}

static void time_costs(struct rc_source_state *state, char *out, size_t room)
{
    char least[RC_TEXT_SHORT];

    snprintf(out, room, "an empty reading is %" PRIu64 " ns of time::wall",
             state->wall.cost_ns);
    if (has_thread(state))
        rc_text_append(out, room, " and %" PRIu64 " ns of time::thread",
                       state->thread.cost_ns);
    rc_text_append(out, room, ", steps are %" PRIu64, state->wall.step_ns);
    if (has_thread(state))
        rc_text_append(out, room, " and %" PRIu64, state->thread.step_ns);
    rc_text_append(out, room, " ns or less: readings last %s or longer",
                   rc_text_put_duration(least, time_least_ns(state)));
}

static int time_enumerate(struct rc_source_state *state,
                          const struct rc_enumerate *what, struct rc_event_sink *sink,
                          struct rc_error *err)
{
    static const char *const names[EVENTS] = {"time::wall", "time::begin", "time::end",
                                              "time::thread"};
    static const char *const says[EVENTS] = {
        "wall time between start and stop (ns), of which an empty reading has",
        "CLOCK_MONOTONIC at the start (ns), a state",
        "CLOCK_MONOTONIC at the stop (ns), a state",
        "processor time of the thread (ns), of which an empty reading has"};
    int status = RC_OK;

    (void)what;
    for (uint32_t i = 0; i < EVENTS && status == RC_OK; i++) {
        char text[160];
        const struct rc_event_info info = {.name = names[i],
                                           .description = text,
                                           .scope = RC_SCOPE_CORE,
                                           .evidence =
                                               "a clock of the thread that runs "
                                               "the kernel",
                                           .state = is_state(i),
                                           .tick_ns = is_state(i) ? 0 : 1,
                                           .alike = 1};
        snprintf(text, sizeof text, "%s", says[i]);
        if (!is_state(i))
            rc_text_append(text, sizeof text, " %" PRIu64,
                           i == WALL ? state->wall.cost_ns : state->thread.cost_ns);
        status = sink->add(sink, &info, err);
    }
    return status;
}

static void time_trial(struct rc_source_state *state, const uint32_t *events,
                       size_t count, struct rc_trial *out)
{
    rc_polled_trial(&rc_source_time, state, events, count, out);
    for (size_t i = 0; i < count && !has_thread(state); i++)
        if (events[i] == THREAD) {
            out->verdict = RC_VERDICT_UNSUPPORTED;
            snprintf(out->reason, sizeof out->reason,
                     "the clock of a thread stands still, or its steps are longer than "
                     "%" PRIu64 " ns",
                     step_most_ns);
        }
}

const struct rc_source rc_source_time = {
    .name = "time",
    .summary = "how long a kernel takes: wall time and processor time of its thread",
    .label = "real",
    .runs_kernels = true,
    .any_number = true,
    .open = time_open,
    .close = time_close,
    .identify = time_identify,
    .costs = time_costs,
    .least_ns = time_least_ns,
    .enumerate = time_enumerate,
    .trial = time_trial,
    .arm = time_arm,
    .disarm = time_disarm,
    .start = rc_polled_start,
    .stop = rc_polled_stop,
    .lap = rc_polled_lap,
};
