/* A source of series: the resources that the program's processes together take on this
 * node, without those of other processes.
 */
#include "campaign/profile/sampler/gauges.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/sources/source.h"

#include <stdlib.h>
#include <string.h>

struct rc_source_state {
    struct rc_profile_watch *watch;
};

struct rc_group_state {
    struct rc_profile_watch *watch;
    size_t count;
    uint32_t event[RC_PROFILE_TAKEN];
    uint64_t since_ns, since[RC_PROFILE_TAKEN];
};

static const struct rc_event_info taken[RC_PROFILE_TAKEN] = {
    [RC_PROFILE_CPU_NS] = {.name = "program:::cpu_ns",
                           .description =
                               "processor time of the program's processes on "
                               "this node (ns)",
                           .scope = RC_SCOPE_NODE,
                           .tick_ns = 1},
    [RC_PROFILE_PAGE_FAULTS] =
        {.name = "program:::page_faults",
         .description = "page faults of the program's processes on this node",
         .scope = RC_SCOPE_NODE},
    [RC_PROFILE_BYTES_READ] = {.name = "program:::read_bytes",
                               .description = "bytes that the program's processes on "
                                              "this node read, of all kinds of files",
                               .scope = RC_SCOPE_NODE},
    [RC_PROFILE_BYTES_WRITTEN] = {.name = "program:::written_bytes",
                                  .description =
                                      "bytes that the program's processes on "
                                      "this node wrote, to all kinds of files",
                                  .scope = RC_SCOPE_NODE}};

static void program_close(struct rc_source_state *state)
{
    free(state);
}

int rc_profile_program_open(struct rc_profile_watch *watch,
                            struct rc_source_state **out, struct rc_error *err)
{
    *out = rc_calloc(1, sizeof **out);
    if (!*out)
        return rc_fail(err, RC_ENOMEM, "no memory for the program's series");
    (*out)->watch = watch;
    return RC_OK;
}

static int program_enumerate(struct rc_source_state *state,
                             const struct rc_enumerate *what,
                             struct rc_event_sink *sink, struct rc_error *err)
{
    int status = RC_OK;

    (void)state;
    (void)what;
    for (size_t i = 0; i < RC_PROFILE_TAKEN && status == RC_OK; i++)
        status = sink->add(sink, &taken[i], err);
    return status;
}

static void program_trial(struct rc_source_state *state, const uint32_t *events,
                          size_t count, struct rc_trial *out)
{
    (void)state;
    (void)events;
    (void)count;
    *out = (struct rc_trial){.verdict = RC_VERDICT_OK};
}

static int program_arm(struct rc_source_state *state, const uint32_t *events,
                       size_t count, struct rc_group_state **out, struct rc_error *err)
{
    struct rc_group_state *group = rc_calloc(1, sizeof *group);

    *out = group;
    if (!group)
        return rc_fail(err, RC_ENOMEM, "no memory for the program's series");
    group->watch = state->watch;
    group->count = count;
    memcpy(group->event, events, count * sizeof *events);
    return RC_OK;
}

static void program_disarm(struct rc_group_state *group)
{
    free(group);
}

static int program_start(struct rc_group_state *group,
                         const struct rc_measurement *what, struct rc_error *err)
{
    (void)what;
    (void)err;
    rc_profile_watch_taken(group->watch, group->since);
    group->since_ns = rc_clock_ns();
    return RC_OK;
}

/* A process that has ended counts with its last reading, or with the processor time that
 * it told.  When no process is left there is no reading, since the last one may have
 * taken more before it ended.
 */
static int program_lap(struct rc_group_state *group, struct rc_reading *readings,
                       struct rc_error *err)
{
    uint64_t now[RC_PROFILE_TAKEN];

    (void)err;
    rc_profile_watch_taken(group->watch, now);
    const uint64_t now_ns = rc_clock_ns(),
                   passed = group->watch->count ? now_ns - group->since_ns : 0;
    for (size_t i = 0; i < group->count; i++) {
        const uint32_t e = group->event[i];
        readings[i] = (struct rc_reading){.value = (int64_t)(now[e] - group->since[e]),
                                          .enabled_ns = passed,
                                          .running_ns = passed};
        if (group->watch->unread &&
            (e == RC_PROFILE_BYTES_READ || e == RC_PROFILE_BYTES_WRITTEN))
            readings[i].why = "bytes of a process cannot be read (no permission, or "
                              "there are more than 256)";
    }
    memcpy(group->since, now, sizeof now);
    group->since_ns = now_ns;
    return RC_OK;
}

const struct rc_source rc_profile_source_program = {
    .name = "program",
    .summary = "what the program's processes take",
    .label = "real",
    .any_number = true,
    .close = program_close,
    .enumerate = program_enumerate,
    .trial = program_trial,
    .arm = program_arm,
    .disarm = program_disarm,
    .start = program_start,
    .lap = program_lap,
};
