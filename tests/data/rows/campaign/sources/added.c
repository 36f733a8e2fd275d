/* The source 'added': it counts its own readings. */
#include "campaign/sources/counter.h"

#include "campaign/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

extern const struct rc_source rc_source_added;

struct rc_source_state {
    uint64_t readings;
};

struct rc_group_state {
    struct rc_polled polled;
    struct rc_source_state *source;
    uint64_t number[2];
};

static int added_open(const struct rc_source_setup *setup, struct rc_source_state **out,
                      struct rc_error *err)
{
    *out = NULL;
    if (setup->argument)
        return rc_fail(err, RC_EUSAGE, "source 'added' takes no argument");
    *out = rc_calloc(1, sizeof **out);
    return *out ? RC_OK : rc_fail(err, RC_ENOMEM, "source 'added': no memory");
}

static void added_close(struct rc_source_state *state)
{
    free(state);
}

static void added_identify(struct rc_source_state *state, char *out, size_t room)
{
    (void)state;
    snprintf(out, room, "added");
}

static int added_enumerate(struct rc_source_state *state,
                           const struct rc_enumerate *what, struct rc_event_sink *sink,
                           struct rc_error *err)
{
    const struct rc_event_info info = {.name = "added:::readings",
                                       .description = "readings of the source",
                                       .scope = RC_SCOPE_NODE,
                                       .evidence = "the source counts them itself",
                                       .alike = 1};

    (void)state;
    (void)what;
    return sink->add(sink, &info, err);
}

static void read_all(struct rc_group_state *group, bool end)
{
    group->number[end] = ++group->source->readings;
}

static const char *number_of(const struct rc_group_state *group, size_t index, bool end,
                             struct rc_counter_number *out)
{
    (void)index;
    *out = (struct rc_counter_number){.size = group->number[end]};
    return NULL;
}

static struct rc_counter_rule rule_of(const struct rc_group_state *group, size_t index)
{
    (void)group;
    (void)index;
    return (struct rc_counter_rule){.state = false};
}

static void turn(struct rc_group_state *group)
{
    group->number[0] = group->number[1];
}

static const struct rc_polled_way way = {read_all, number_of, rule_of, turn};

static void added_trial(struct rc_source_state *state, const uint32_t *events,
                        size_t count, struct rc_trial *out)
{
    rc_polled_trial(&rc_source_added, state, events, count, out);
}

static int added_arm(struct rc_source_state *state, const uint32_t *events,
                     size_t count, struct rc_group_state **out, struct rc_error *err)
{
    (void)events;
    *out = rc_calloc(1, sizeof **out);
    if (!*out)
        return rc_fail(err, RC_ENOMEM, "source 'added': no memory");
    (*out)->polled = (struct rc_polled){.way = &way, .count = count};
    (*out)->source = state;
    return RC_OK;
}

static void added_disarm(struct rc_group_state *group)
{
    free(group);
}

const struct rc_source rc_source_added = {
    .name = "added",
    .summary = "counts its own readings",
    .label = "real",
    .runs_kernels = true,
    .any_number = true,
    .open = added_open,
    .close = added_close,
    .identify = added_identify,
    .enumerate = added_enumerate,
    .trial = added_trial,
    .arm = added_arm,
    .disarm = added_disarm,
    .start = rc_polled_start,
    .stop = rc_polled_stop,
    .lap = rc_polled_lap,
};
