/* The fields of each type of a profile's records.
 *
 * The order of the fields below is the order in the payload, which is a format of files
 * (docs/formats/profile-records.md, io/payload/fields.h).  Reading refuses numbers that
 * would lead a reader out of the tables of shared.h.
 */
#include "campaign/profile/wire/records.h"

#include "campaign/base/words.h"
#include "campaign/profile/wire/parameters.h"
#include "io/payload/fields.h"

#include <inttypes.h>
#include <math.h>

/* Fields of four or eight numbers of 8 bytes in an array of a struct; the name of a
 * member cannot be put in parentheses.
 * NOLINTBEGIN(bugprone-macro-parentheses)
 */
#define FOUR(type, member, i)                                                          \
    NUMBER(type, member[i], 8), NUMBER(type, member[i + 1], 8),                        \
        NUMBER(type, member[i + 2], 8), NUMBER(type, member[i + 3], 8)
#define EIGHT(type, member, i) FOUR(type, member, i), FOUR(type, member, i + 4)
/* NOLINTEND(bugprone-macro-parentheses) */

static const struct rc_field launch_fields[] = {
    NAME(rc_profile_launch, node, "a node"),
    {ARRAY(RC_FIELD_LIST, rc_profile_launch, word, word_count, "words"),
     .item = &text_form},
    TEXT(rc_profile_launch, created_by),
    TEXT(rc_profile_launch, directory),
    TEXT(rc_profile_launch, sampler_cpu),
    NUMBER(rc_profile_launch, launch, 8),
    NUMBER(rc_profile_launch, unix_ns, 8),
    NUMBER(rc_profile_launch, at_ns, 8),
    NUMBER(rc_profile_launch, period_ns, 8),
    NUMBER(rc_profile_launch, long_ns, 8),
    NUMBER(rc_profile_launch, every, 8),
    FLAG(rc_profile_launch, trace),
    {ARRAY(RC_FIELD_LIST, rc_profile_launch, counter, counter_count, "counters"),
     .item = &text_form},
    NUMBER_SINCE(4, rc_profile_launch, budget_ppm, 8),
    TEXT_SINCE(9, rc_profile_launch, set),
};

static void check_launch(struct rc_in *in, const void *record)
{
    const struct rc_profile_launch *launch = record;
    struct rc_profile_parameters parameters;
    struct rc_error why = {.rank = -1};

    if (launch->counter_count > RC_SHARED_COUNTERS)
        rc_in_wrong(in, "%zu counters, expected at most %d", launch->counter_count,
                    RC_SHARED_COUNTERS);
    else if (launch->set &&
             rc_profile_parameters_take(launch->set, NAN, &parameters, &why) != RC_OK)
        rc_in_wrong(in, "%s", why.text);
}
FORM(launch, "a launch", rc_profile_launch, check_launch);

static const struct rc_field event_fields[] = {
    NAME(rc_profile_event, name, "an event"),
    TEXT(rc_profile_event, source),
    TEXT(rc_profile_event, description),
    BYTE(rc_profile_event, scope, 0, RC_SCOPE_COUNT, "a scope of"),
    FLAG(rc_profile_event, simulated),
    FLAG(rc_profile_event, state),
    TEXT(rc_profile_event, reason),
    NUMBER_SINCE(4, rc_profile_event, tick_ns, 8),
};
FORM(event, "an event", rc_profile_event, NULL);

static const struct rc_field events_fields[] = {
    {ARRAY(RC_FIELD_LIST, rc_profile_events, event, event_count, "events"),
     .item = &event_form},
};
FORM(events, "a list of events", rc_profile_events, NULL);

static const struct rc_field place_fields[] = {
    NUMBER(rc_profile_place, place, 8),   NUMBER(rc_profile_place, pid, 8),
    NUMBER(rc_profile_place, tid, 8),     NUMBER(rc_profile_place, rank, 8),
    FLAG(rc_profile_place, child),        NUMBER(rc_profile_place, began_ns, 8),
    TEXT(rc_profile_place, program),      TEXT(rc_profile_place, cpus),
    TEXT(rc_profile_place, counters_why),
};
FORM(place, "a place", rc_profile_place, NULL);

/* The item of a list of bytes. */
static const struct rc_field char_field = {.sort = RC_FIELD_BYTES, .bytes = 1};
static const struct rc_form char_form = {
    .what = "a byte", .bytes = 1, .field = &char_field, .field_count = 1};

static const struct rc_field names_fields[] = {
    NUMBER(rc_profile_names, place, 8),
    NUMBER(rc_profile_names, first, 4),
    {ARRAY(RC_FIELD_LIST, rc_profile_names, byte, byte_count, "bytes of names"),
     .item = &char_form},
};

static void check_names(struct rc_in *in, const void *record)
{
    const struct rc_profile_names *names = record;

    if (names->first > RC_SHARED_NAMES ||
        names->byte_count > RC_SHARED_NAMES - names->first)
        rc_in_wrong(in, "%zu bytes of names after %" PRIu64 ", expected %d at most",
                    names->byte_count, names->first, RC_SHARED_NAMES);
    else if (names->byte_count && names->byte[names->byte_count - 1])
        rc_in_wrong(in, "a name without an end");
}
FORM(names, "names", rc_profile_names, check_names);

static const struct rc_field path_fields[] = {
    NUMBER(rc_profile_path, number, 4),
    NUMBER(rc_profile_path, parent, 4),
    NUMBER(rc_profile_path, name, 4),
    NUMBER(rc_profile_path, visits, 8),
    NUMBER(rc_profile_path, measured, 8),
    NUMBER(rc_profile_path, ns, 8),
    NUMBER(rc_profile_path, shortest_ns, 8),
    NUMBER(rc_profile_path, longest_ns, 8),
    NUMBER(rc_profile_path, lost, 8),
    EIGHT(rc_profile_path, count, 0),
    NUMBER_SINCE(4, rc_profile_path, stands_for, 8),
};
_Static_assert(RC_SHARED_COUNTERS == 8, "a path has a field for each counter");

static void check_path(struct rc_in *in, const void *record)
{
    const struct rc_profile_path *path = record;

    if (path->number >= RC_SHARED_PATHS || path->name >= RC_SHARED_NAMES)
        rc_in_wrong(in,
                    "path %" PRIu64 " of name %" PRIu64 ", expected less than %d, %d",
                    path->number, path->name, RC_SHARED_PATHS, RC_SHARED_NAMES);
    else if (path->number ? path->parent >= path->number : path->parent != 0)
        rc_in_wrong(in,
                    "path %" PRIu64 " inside of %" PRIu64
                    ", expected one with a lower number",
                    path->number, path->parent);
}
FORM(path, "a path", rc_profile_path, check_path);

static const struct rc_field paths_fields[] = {
    NUMBER(rc_profile_paths, place, 8),
    {ARRAY(RC_FIELD_LIST, rc_profile_paths, path, path_count, "paths"),
     .item = &path_form},
};
FORM(paths, "paths", rc_profile_paths, NULL);

static const struct rc_field call_fields[] = {
    NUMBER(rc_profile_call, number, 4),
    NUMBER(rc_profile_call, path, 4),
    NUMBER(rc_profile_call, name, 4),
    NUMBER(rc_profile_call, module, 4),
    NUMBER(rc_profile_call, site, 8),
    NUMBER(rc_profile_call, ranks, 4),
    BYTE(rc_profile_call, log_bytes, 0, 65, "a size of"),
    BYTE_SINCE(10, rc_profile_call, nodes, 0, RC_SHARED_SEVERAL_NODES + 1, "nodes of"),
#define CALL(ticks, member, unit, since)                                               \
    NUMBER_SINCE(since, rc_profile_call, member, 8),
#define TIMES EIGHT(rc_profile_call, time, 0), EIGHT(rc_profile_call, time, 8),
#include "io/profile/calls.def"
};
_Static_assert(RC_SHARED_TIMES == 16, "a call has a field for each class of times");

static void check_call(struct rc_in *in, const void *record)
{
    const struct rc_profile_call *call = record;

    if (call->number >= RC_SHARED_CALLS || call->path >= RC_SHARED_PATHS ||
        call->name >= RC_SHARED_NAMES || call->module >= RC_SHARED_NAMES)
        rc_in_wrong(in,
                    "call %" PRIu64 " of name %" PRIu64 " in path %" PRIu64
                    ", expected less than %d, %d and %d",
                    call->number, call->name, call->path, RC_SHARED_CALLS,
                    RC_SHARED_NAMES, RC_SHARED_PATHS);
}
FORM(call, "a call", rc_profile_call, check_call);

static const struct rc_field calls_fields[] = {
    NUMBER(rc_profile_calls, place, 8),
    {ARRAY(RC_FIELD_LIST, rc_profile_calls, call, call_count, "calls"),
     .item = &call_form},
};
FORM(calls, "calls", rc_profile_calls, NULL);

static const struct rc_field span_fields[] = {
    NUMBER(rc_profile_span, at_ns, 8),
    BYTE(rc_profile_span, what, RC_SHARED_ENTER, RC_SHARED_CALL_ENDED + 1,
         "an entry of"),
    NUMBER(rc_profile_span, number, 4),
};

static void check_span(struct rc_in *in, const void *record)
{
    const struct rc_profile_span *span = record;
    const bool region = span->what < RC_SHARED_CALL_BEGAN;
    const int most = region ? RC_SHARED_PATHS : RC_SHARED_CALLS;

    if (span->number >= (uint64_t)most)
        rc_in_wrong(in, "%s %" PRIu64 ", expected less than %d",
                    region ? "path" : "call", span->number, most);
}
FORM(span, "an entry of a ring", rc_profile_span, check_span);

static const struct rc_field spans_fields[] = {
    NUMBER(rc_profile_spans, place, 8),
    {ARRAY(RC_FIELD_LIST, rc_profile_spans, span, span_count, "entries"),
     .item = &span_form},
};
FORM(spans, "entries of a ring", rc_profile_spans, NULL);

static const struct rc_field close_fields[] = {
    NUMBER(rc_profile_close, place, 8),
    NUMBER(rc_profile_close, rank, 8),
    NUMBER(rc_profile_close, ranks, 8),
    NUMBER(rc_profile_close, ended_ns, 8),
    FLAG(rc_profile_close, killed),
    NUMBER(rc_profile_close, mpi_began_ns, 8),
    NUMBER(rc_profile_close, mpi_ended_ns, 8),
    NUMBER(rc_profile_close, lost_entries, 8),
    NUMBER(rc_profile_close, lost_paths, 8),
    NUMBER(rc_profile_close, repaired, 8),
    NUMBER_SINCE(5, rc_profile_close, own_ns, 8),
    NUMBER_SINCE(5, rc_profile_close, joined, 8),
};
FORM(close, "the end of a place", rc_profile_close, NULL);

static const struct rc_field reading_fields[] = {
    NUMBER(rc_profile_reading, at_ns, 8),
    NUMBER(rc_profile_reading, half_ns, 8),
    NUMBER(rc_profile_reading, value, 8),
    NUMBER(rc_profile_reading, since_ns, 8),
};

static void check_reading(struct rc_in *in, const void *record)
{
    const struct rc_profile_reading *reading = record;

    if (reading->since_ns > reading->at_ns)
        rc_in_wrong(in, "a reading at %" PRIu64 " since %" PRIu64, reading->at_ns,
                    reading->since_ns);
}
FORM(reading, "a reading", rc_profile_reading, check_reading);

static const struct rc_field readings_fields[] = {
    NUMBER(rc_profile_readings, event, 8),
    {ARRAY(RC_FIELD_LIST, rc_profile_readings, reading, reading_count, "readings"),
     .item = &reading_form},
    TEXT(rc_profile_readings, why),
};
FORM(readings, "readings", rc_profile_readings, NULL);

static const struct rc_field cost_fields[] = {
    NUMBER(rc_profile_cost, at_ns, 8),
    NUMBER(rc_profile_cost, sampler_ns, 8),
    NUMBER(rc_profile_cost, program_ns, 8),
    NUMBER(rc_profile_cost, entries, 8),
    NUMBER(rc_profile_cost, calls, 8),
    NUMBER(rc_profile_cost, visits, 8),
    NUMBER_SINCE(4, rc_profile_cost, own_ns, 8),
    NUMBER_SINCE(6, rc_profile_cost, crowded_ns, 8),
    NUMBER_SINCE(6, rc_profile_cost, samples_ns, 8),
};
FORM(cost, "a cost", rc_profile_cost, NULL);

static const struct rc_field end_fields[] = {
    NUMBER(rc_profile_end, at_ns, 8),
    NUMBER(rc_profile_end, no_block, 8),
    NUMBER(rc_profile_end, late_ns, 8),
    NUMBER(rc_profile_end, restarted, 8),
    NUMBER_SINCE(6, rc_profile_end, program_began_ns, 8),
    NUMBER_SINCE(6, rc_profile_end, program_ended_ns, 8),
    NUMBER_SINCE(6, rc_profile_end, start_ns, 8),
    NUMBER_SINCE(8, rc_profile_end, filtered, 8),
};
FORM(end, "the end of a sampler", rc_profile_end, NULL);

static const struct rc_field module_fields[] = {
    NAME(rc_profile_module, path, "a module"),
    TEXT(rc_profile_module, build_id),
};
FORM(module, "a module", rc_profile_module, NULL);

static const struct rc_field task_fields[] = {
    NUMBER(rc_profile_task, pid, 8),
    NUMBER(rc_profile_task, tid, 8),
    NUMBER(rc_profile_task, rank, 8),
};
FORM(task, "a sampled thread", rc_profile_task, NULL);

static const struct rc_field frame_fields[] = {
    NUMBER(rc_profile_frame, parent, 4),
    NUMBER(rc_profile_frame, module, 4),
    NUMBER(rc_profile_frame, offset, 8),
    FLAG(rc_profile_frame, start),
};
FORM(frame, "a frame", rc_profile_frame, NULL);

static const struct rc_field count_fields[] = {
    NUMBER(rc_profile_stack_count, task, 4),
    NUMBER(rc_profile_stack_count, frame, 4),
    NUMBER(rc_profile_stack_count, samples, 4),
};
FORM(count, "a count of samples", rc_profile_stack_count, NULL);

static const struct rc_field stacks_fields[] = {
    NUMBER(rc_profile_stacks, at_ns, 8),
    NUMBER(rc_profile_stacks, period_ns, 8),
    FLAG(rc_profile_stacks, kernel),
    NUMBER(rc_profile_stacks, lost, 8),
    NUMBER(rc_profile_stacks, full, 8),
    NUMBER(rc_profile_stacks, missed, 8),
    TEXT(rc_profile_stacks, why),
    NUMBER(rc_profile_stacks, modules, 4),
    NUMBER(rc_profile_stacks, tasks, 4),
    NUMBER(rc_profile_stacks, frames, 4),
    {ARRAY(RC_FIELD_LIST, rc_profile_stacks, module, module_count, "modules"),
     .item = &module_form},
    {ARRAY(RC_FIELD_LIST, rc_profile_stacks, task, task_count, "sampled threads"),
     .item = &task_form},
    {ARRAY(RC_FIELD_LIST, rc_profile_stacks, frame, frame_count, "frames"),
     .item = &frame_form},
    {ARRAY(RC_FIELD_LIST, rc_profile_stacks, count, count_count, "counts"),
     .item = &count_form},
    NUMBER_SINCE(7, rc_profile_stacks, stack_bytes, 8),
    NUMBER_SINCE(7, rc_profile_stacks, brief, 8),
    NUMBER_SINCE(7, rc_profile_stacks, deep, 8),
};
FORM(stacks, "samples of stacks", rc_profile_stacks, NULL);

static const struct rc_field offset_fields[] = {
    NUMBER(rc_profile_offset, at_ns, 8),
    NUMBER(rc_profile_offset, low_ns, 8),
    NUMBER(rc_profile_offset, high_ns, 8),
};
FORM(offset, "a comparison of clocks", rc_profile_offset, NULL);

static const struct rc_field wait_fields[] = {
    NUMBER(rc_profile_wait, number, 4),
    NUMBER(rc_profile_wait, kind, 4),
#define WAIT(ticks, member, unit, since)                                               \
    NUMBER_SINCE(since, rc_profile_wait, member, 8),
#include "io/profile/calls.def"
};

static void check_wait(struct rc_in *in, const void *record)
{
    const struct rc_profile_wait *wait = record;

    if (wait->number >= RC_SHARED_CALLS)
        rc_in_wrong(in, "waiting of call %" PRIu64 ", expected less than %d",
                    wait->number, RC_SHARED_CALLS);
}
FORM(wait, "waiting", rc_profile_wait, check_wait);

static const struct rc_field waits_fields[] = {
    NUMBER(rc_profile_waits, place, 8),
    NUMBER(rc_profile_waits, exchanges, 8),
    NUMBER(rc_profile_waits, exchange_ns, 8),
    NUMBER(rc_profile_waits, unmatched, 8),
    NUMBER(rc_profile_waits, impossible, 8),
    {ARRAY(RC_FIELD_LIST, rc_profile_waits, wait, wait_count, "rows of waiting"),
     .item = &wait_form},
};
FORM(waits, "waiting of calls", rc_profile_waits, NULL);

static const struct rc_field rate_fields[] = {
    NUMBER(rc_profile_rate, at_ns, 8),
    BYTE(rc_profile_rate, what, 0, RC_PROFILE_RATED_COUNT, "a rate of"),
    NUMBER(rc_profile_rate, place, 8),
    NUMBER(rc_profile_rate, number, 8),
    NUMBER(rc_profile_rate, every, 8),
    NUMBER(rc_profile_rate, cost_ns, 8),
    NUMBER(rc_profile_rate, of_ns, 8),
};

static void check_rate(struct rc_in *in, const void *record)
{
    const struct rc_profile_rate *rate = record;
    static const uint64_t rows[RC_PROFILE_RATED_COUNT] = {
        UINT64_MAX, RC_SHARED_PATHS, RC_SHARED_PATHS, RC_SHARED_CALLS,
        1,          RC_SHARED_CALLS};
    const uint64_t most = rows[rate->what < RC_PROFILE_RATED_COUNT ? rate->what : 0];

    if (rate->number >= most)
        rc_in_wrong(in, "a rate of row %" PRIu64 ", expected less than %" PRIu64,
                    rate->number, most);
}
FORM(rate, "a rate", rc_profile_rate, check_rate);

static const struct rc_field run_fields[] = {
    NUMBER(rc_profile_run, place, 8),     NUMBER(rc_profile_run, since_ns, 8),
    NUMBER(rc_profile_run, at_ns, 8),     NUMBER(rc_profile_run, ran_ns, 8),
    NUMBER(rc_profile_run, waited_ns, 8),
};

static void check_run(struct rc_in *in, const void *record)
{
    const struct rc_profile_run *run = record;

    if (run->since_ns >= run->at_ns)
        rc_in_wrong(in, "a stretch at %" PRIu64 " since %" PRIu64, run->at_ns,
                    run->since_ns);
}
FORM(run, "a stretch of a thread's time", rc_profile_run, check_run);

static const struct rc_field runs_fields[] = {
    {ARRAY(RC_FIELD_LIST, rc_profile_runs, run, run_count, "stretches"),
     .item = &run_form},
};
FORM(runs, "stretches of threads' time", rc_profile_runs, NULL);

static const struct rc_form *form_of(uint32_t type)
{
    static const struct rc_form *const forms[] = {
        &launch_form,   &events_form, &place_form, &names_form,
        &paths_form,    &calls_form,  &spans_form, &close_form,
        &readings_form, &cost_form,   &end_form,   &stacks_form,
        &offset_form,   &waits_form,  &rate_form,  &runs_form,
    };
    _Static_assert(sizeof forms / sizeof forms[0] ==
                       RC_PROFILE_LAST - RC_PROFILE_LAUNCH + 1,
                   "one each");

    return type >= RC_PROFILE_LAUNCH && type <= RC_PROFILE_LAST
               ? forms[type - RC_PROFILE_LAUNCH]
               : NULL;
}

/* All members of the union begin where the first one does. */
int rc_profile_encode(const struct rc_profile_payload *payload, struct rc_bytes *bytes,
                      struct rc_error *err)
{
    return rc_form_write(form_of(payload->type), RC_PROFILE_RECORD_VERSION,
                         &payload->launch, bytes, err);
}

int rc_profile_decode(uint32_t type, const void *payload, size_t bytes,
                      struct rc_pool *texts, struct rc_arena *lists,
                      struct rc_profile_payload *out, struct rc_error *err)
{
    const struct rc_form *form = form_of(type);
    struct rc_in in;

    *out = (struct rc_profile_payload){.type = type};
    if (!form)
        return rc_fail(err, RC_EUNSUPPORTED,
                       "a record of type %" PRIu32 ", expected %d to %d", type,
                       RC_PROFILE_LAUNCH, RC_PROFILE_LAST);
    rc_in_begin(&in, RC_PROFILE_RECORD_VERSION, form->what, payload, bytes, err);
    in.texts = texts;
    in.lists = lists;
    rc_form_get(&in, form, &out->launch);
    return rc_in_end(&in);
}
