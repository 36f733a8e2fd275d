/* The soft source: kernels run step by step, and counted instruction by instruction.
 *
 * start() sets the processor's trap flag; from then on a handler (step.c) looks at each
 * instruction before it executes, decodes it (decode.c, classify.c) and counts it
 * (count.c), until stop() is entered.  The readings are the counters: all events are
 * counted at once, and equal work gives equal counts.  docs/source-soft.md.
 */
#include "campaign/sources/soft/soft.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/sources/soft/argument.h"
#include "campaign/sources/soft/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The cache suites need this many to show their plateaus; a sweep of all default suites
 * then takes about two million instructions.
 */
#define INSTRUCTIONS_EACH_POINT 20000
#define INSTRUCTIONS_MOST 1000000 /* of one piece of work: an eighth of a second */

struct rc_source_state {
    struct rc_soft_options options; /* of the simulated processor */
    struct rc_soft_stepper stepper; /* with the counters of all events */
};

/* An armed group: which counters are its readings. */
struct rc_group_state {
    struct rc_source_state *source;
    uint64_t started_ns; /* of the last start() or zero() */
    size_t count;
    uint32_t event[]; /* numbers, in the order of the readings */
};

static void soft_close(struct rc_source_state *state)
{
    if (!state)
        return;
    rc_soft_stepper_fini(&state->stepper);
    free(state);
}

/* Stepping is tried before anything is allocated. */
static int soft_open(const struct rc_source_setup *setup, struct rc_source_state **out,
                     struct rc_error *err)
{
    struct rc_soft_options options;

    *out = NULL;
    int status = rc_soft_argument(setup->argument, setup->geometry, &options, err);
    if (status != RC_OK)
        return status;
    const char *reason = rc_soft_step_trial();
    if (reason)
        return rc_fail(err, RC_EUNSUPPORTED, "%s", reason);
    /* Kernels really run: which instructions they can use depends on this processor. */
    if (setup->geometry) {
        options.geometry.vector_bits = setup->geometry->vector_bits;
        options.geometry.fma = setup->geometry->fma;
    } else {
        __builtin_cpu_init();
        options.geometry.vector_bits = __builtin_cpu_supports("avx512f") ? 512
                                       : __builtin_cpu_supports("avx")   ? 256
                                                                         : 128;
        options.geometry.fma = __builtin_cpu_supports("fma") != 0;
    }
    struct rc_source_state *state = rc_calloc(1, sizeof *state);
    if (!state)
        return rc_fail(err, RC_ENOMEM, "no memory for a source");
    state->options = options;
    status = rc_soft_stepper_init(&state->stepper, &options, err);
    if (status != RC_OK) {
        free(state);
        return status;
    }
    *out = state;
    return RC_OK;
}

static void soft_identify(struct rc_source_state *state, char *out, size_t room)
{
    char text[256];
    rc_soft_argument_put(&state->options, text, sizeof text);
    snprintf(out, room, "soft:%s", text);
}

static const struct rc_geometry *soft_geometry(struct rc_source_state *state)
{
    return &state->options.geometry;
}

/* All events are counters in software: soft_open() has tried all that can fail. */
static void soft_trial(struct rc_source_state *state, const uint32_t *events,
                       size_t count, struct rc_trial *out)
{
    (void)state;
    (void)events;
    (void)count;
    *out = (struct rc_trial){.verdict = RC_VERDICT_OK};
}

static int soft_arm(struct rc_source_state *state, const uint32_t *events, size_t count,
                    struct rc_group_state **out, struct rc_error *err)
{
    *out = NULL;
    for (size_t i = 0; i < count; i++)
        if (events[i] >= rc_soft_event_count())
            return rc_fail(err, RC_EMISSING, "soft: no event number %u", events[i]);
    struct rc_group_state *group =
        rc_calloc(1, sizeof *group + count * sizeof group->event[0]);
    if (!group)
        return rc_fail(err, RC_ENOMEM, "no memory for a group of %zu events", count);
    group->source = state;
    group->count = count;
    if (count)
        memcpy(group->event, events, count * sizeof group->event[0]);
    *out = group;
    return RC_OK;
}

static void soft_disarm(struct rc_group_state *group)
{
    free(group);
}

static int soft_stop(struct rc_group_state *group, struct rc_reading *readings,
                     struct rc_error *err);
static int soft_zero(struct rc_group_state *group, struct rc_error *err);

/* Counting begins once this function has returned, which the stepper sees by its return
 * address and frame.
 */
__attribute__((noinline)) static int soft_start(struct rc_group_state *group,
                                                const struct rc_measurement *what,
                                                struct rc_error *err)
{
    struct rc_soft_stepper *stepper = &group->source->stepper;
    const struct rc_suite *suite = what ? what->suite : NULL;

    int status = rc_soft_stepper_enter(stepper, err);
    if (status != RC_OK)
        return status;
    rc_soft_counter_reset(&stepper->counter);
    stepper->only = suite && suite->run ? (uint64_t)(uintptr_t)suite->run : 0;
    stepper->end[0] = (uint64_t)(uintptr_t)soft_stop;
    stepper->end[1] = (uint64_t)(uintptr_t)soft_zero;
    group->started_ns = rc_clock_ns();
    rc_soft_stepper_go(stepper, __builtin_return_address(0),
                       __builtin_frame_address(0));
    return RC_OK;
}

static int fail_lost(struct rc_error *err)
{
    return rc_fail(err, RC_EUNSUPPORTED,
                   "soft: stepping was lost on the way: the measured code replaced the "
                   "handler of SIGTRAP, left a signal handler by longjmp(), or "
                   "continued in another thread");
}

__attribute__((noinline)) static int soft_zero(struct rc_group_state *group,
                                               struct rc_error *err)
{
    struct rc_soft_stepper *stepper = &group->source->stepper;

    if (stepper->phase != RC_SOFT_ENDED)
        return fail_lost(err);
    rc_soft_counter_zero(&stepper->counter);
    stepper->counter.unwritten = rc_soft_caches_unwritten(&stepper->counter.caches);
    group->started_ns = rc_clock_ns();
    rc_soft_stepper_go(stepper, __builtin_return_address(0),
                       __builtin_frame_address(0));
    return RC_OK;
}

static void fill_readings(const struct rc_group_state *group, bool less,
                          struct rc_reading *readings)
{
    const uint64_t took = rc_clock_ns() - group->started_ns;

    rc_soft_counter_drain(&group->source->stepper.counter);
    for (size_t i = 0; i < group->count; i++)
        readings[i] = (struct rc_reading){
            .value = (int64_t)group->source->stepper.counter.count[group->event[i]] -
                     (less ? readings[i].value : 0),
            .enabled_ns = took,
            .running_ns = took,
        };
}

__attribute__((noinline)) static int soft_stop(struct rc_group_state *group,
                                               struct rc_reading *readings,
                                               struct rc_error *err)
{
    struct rc_soft_stepper *stepper = &group->source->stepper;
    bool reached = stepper->phase == RC_SOFT_ENDED;

    rc_soft_stepper_leave(stepper);
    if (!reached)
        return fail_lost(err);
    fill_readings(group, false, readings);
    return RC_OK;
}

static int soft_follow(struct rc_group_state *group, struct rc_program *program,
                       bool less, struct rc_reading *readings, struct rc_followed *out,
                       struct rc_error *err)
{
    struct rc_soft_stepper *stepper = &group->source->stepper;

    rc_soft_counter_reset(&stepper->counter);
    group->started_ns = rc_clock_ns();
    const int status = rc_soft_trace(stepper, program, out, err);
    fill_readings(group, less, readings);
    return status;
}

struct rc_soft_stats rc_soft_stats(const struct rc_source_state *state)
{
    return (struct rc_soft_stats){
        .steps = state->stepper.steps,
        .decodes = state->stepper.decoder.decodes,
        .all_ticks = state->stepper.all_ticks,
        .step_ticks = state->stepper.ticks,
        .decode_ticks = state->stepper.decoder.ticks,
    };
}

const struct rc_source rc_source_soft = {
    .name = "soft",
    .summary =
        "exact counts of instructions by stepping; caches and predictor simulated",
    .argument = RC_SOFT_ARGUMENT,
    .label = "exact by stepping (sim_: simulated)",
    .runs_kernels = true,
    .deterministic = true,
    .any_number = true,
    .isolated = true, /* it counts stepped instructions and simulates the caches */
    .instruction_budget = INSTRUCTIONS_EACH_POINT,
    .instructions_most = INSTRUCTIONS_MOST,
    .unavailable = rc_soft_step_trial,
    .open = soft_open,
    .close = soft_close,
    .identify = soft_identify,
    .event_of_ideal = rc_soft_event_of_ideal,
    .geometry = soft_geometry,
    .enumerate = rc_soft_events_enumerate,
    .trial = soft_trial,
    .arm = soft_arm,
    .disarm = soft_disarm,
    .start = soft_start,
    .zero = soft_zero,
    .stop = soft_stop,
    .follow = soft_follow,
};
