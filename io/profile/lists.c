/* The lists of profile.h5, field by field: which member of which struct is which
 * dataset.
 */
#include "io/profile/parts.h"

#include "campaign/base/memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define OF(kind_of_it, tag, member, unit)                                              \
    RC_H5_FIELD(kind_of_it, struct rc_profile_file_##tag, member, #member, unit)
#define TABLE(list, of_name, tag)                                                      \
    [RC_PROFILE_FILE_##list] = {.name = (of_name),                                     \
                                .item_bytes = sizeof(struct rc_profile_file_##tag),    \
                                .any_length = true,                                    \
                                .field = tag##_fields}

static const struct rc_h5_field launch_fields[] = {
    OF(RC_H5_WIDE, launch, launch, NULL),
    OF(RC_H5_TEXT, launch, command, NULL),
    OF(RC_H5_TEXT, launch, directory, NULL),
    OF(RC_H5_TEXT, launch, created_by, NULL),
    OF(RC_H5_SIGNED, launch, begin_ns, "ns"),
    OF(RC_H5_SIGNED, launch, end_ns, "ns"),
    OF(RC_H5_WIDE, launch, period_ns, "ns"),
    OF(RC_H5_WIDE, launch, long_ns, "ns"),
    OF(RC_H5_WIDE, launch, every, "1"),
    OF(RC_H5_FLAG, launch, trace, NULL),
    OF(RC_H5_WIDE, launch, budget_ppm, "1e-6"),
    {0}};

static const struct rc_h5_field parameter_fields[] = {
    OF(RC_H5_WIDE, parameter, launch, NULL),
    OF(RC_H5_TEXT, parameter, name, NULL),
    OF(RC_H5_REAL, parameter, value, "1"),
    OF(RC_H5_TEXT, parameter, formula, NULL),
    {0}};

static const struct rc_h5_field place_fields[] = {
    RC_H5_FIELD(RC_H5_TEXT, struct rc_profile_file_place, name, "place", NULL),
    OF(RC_H5_SIGNED, place, rank, NULL),
    OF(RC_H5_NUMBER, place, thread, NULL),
    OF(RC_H5_TEXT, place, node, NULL),
    OF(RC_H5_TEXT, place, cpus, NULL),
    {0}};

static const struct rc_h5_field thread_fields[] = {
    OF(RC_H5_NUMBER, thread, place, NULL),
    OF(RC_H5_WIDE, thread, launch, NULL),
    OF(RC_H5_TEXT, thread, node, NULL),
    OF(RC_H5_WIDE, thread, pid, NULL),
    OF(RC_H5_WIDE, thread, tid, NULL),
    OF(RC_H5_FLAG, thread, child, NULL),
    OF(RC_H5_TEXT, thread, program, NULL),
    OF(RC_H5_SIGNED, thread, begin_ns, "ns"),
    OF(RC_H5_SIGNED, thread, end_ns, "ns"),
    OF(RC_H5_FLAG, thread, ended, NULL),
    OF(RC_H5_FLAG, thread, killed, NULL),
    OF(RC_H5_WIDE, thread, lost_entries, "1"),
    OF(RC_H5_WIDE, thread, lost_paths, "1"),
    OF(RC_H5_WIDE, thread, repaired, "1"),
    {0}};

static const struct rc_h5_field path_fields[] = {OF(RC_H5_TEXT, path, path, NULL),
                                                 OF(RC_H5_TEXT, path, region, NULL),
                                                 OF(RC_H5_SIGNED, path, parent, NULL),
                                                 {0}};

static const struct rc_h5_field call_fields[] = {
    RC_H5_FIELD(RC_H5_TEXT, struct rc_profile_file_call, name, "call", NULL),
    OF(RC_H5_WIDE, call, launch, NULL),
    OF(RC_H5_NUMBER, call, place, NULL),
    OF(RC_H5_NUMBER, call, path, NULL),
    OF(RC_H5_TEXT, call, site, NULL),
    OF(RC_H5_WIDE, call, ranks, "1"),
    OF(RC_H5_WIDE, call, log2_bytes, "1"),
    OF(RC_H5_TEXT, call, nodes, NULL),
#define COUNT "1"
#define BYTES "byte"
#define TIME "ns"
#define CALL(ticks, member, unit, since) OF(RC_H5_WIDE, call, member, unit),
#define WAIT CALL
#define TIMES OF(RC_H5_TEXT, call, waits_for, NULL),
#include "io/profile/calls.def"
    {0}};

static const struct rc_h5_field instance_fields[] = {
    OF(RC_H5_SIGNED, instance, begin_ns, "ns"),
    OF(RC_H5_SIGNED, instance, end_ns, "ns"),
    OF(RC_H5_WIDE, instance, launch, NULL),
    OF(RC_H5_NUMBER, instance, place, NULL),
    OF(RC_H5_NUMBER, instance, path, NULL),
    OF(RC_H5_SIGNED, instance, call, NULL),
    OF(RC_H5_FLAG, instance, open, NULL),
    {0}};

static const struct rc_h5_field cost_fields[] = {
    RC_H5_FIELD(RC_H5_SIGNED, struct rc_profile_file_cost, time_ns, "time", "ns"),
    OF(RC_H5_TEXT, cost, node, NULL),
    OF(RC_H5_WIDE, cost, launch, NULL),
    OF(RC_H5_WIDE, cost, sampler_ns, "ns"),
    OF(RC_H5_WIDE, cost, program_ns, "ns"),
    OF(RC_H5_WIDE, cost, entries, "1"),
    OF(RC_H5_WIDE, cost, calls, "1"),
    OF(RC_H5_WIDE, cost, visits, "1"),
    OF(RC_H5_WIDE, cost, own_ns, "ns"),
    OF(RC_H5_WIDE, cost, crowded_ns, "ns"),
    OF(RC_H5_WIDE, cost, samples_ns, "ns"),
    {0}};

static const struct rc_h5_field rate_fields[] = {
    RC_H5_FIELD(RC_H5_SIGNED, struct rc_profile_file_rate, time_ns, "time", "ns"),
    OF(RC_H5_TEXT, rate, node, NULL),
    OF(RC_H5_WIDE, rate, launch, NULL),
    OF(RC_H5_SIGNED, rate, place, NULL),
    OF(RC_H5_TEXT, rate, what, NULL),
    OF(RC_H5_TEXT, rate, name, NULL),
    OF(RC_H5_WIDE, rate, every, "1"),
    OF(RC_H5_WIDE, rate, cost_ns, "ns"),
    OF(RC_H5_WIDE, rate, of_ns, "ns"),
    {0}};

static const struct rc_h5_field clock_fields[] = {
    OF(RC_H5_WIDE, clock, launch, NULL),   OF(RC_H5_TEXT, clock, node, NULL),
    OF(RC_H5_WIDE, clock, at_ns, "ns"),    OF(RC_H5_SIGNED, clock, unix_ns, "ns"),
    OF(RC_H5_FLAG, clock, compared, NULL), {0}};

static const struct rc_h5_field offset_fields[] = {
    OF(RC_H5_WIDE, offset, launch, NULL),    OF(RC_H5_TEXT, offset, node, NULL),
    OF(RC_H5_SIGNED, offset, at_ns, "ns"),   OF(RC_H5_SIGNED, offset, low_ns, "ns"),
    OF(RC_H5_SIGNED, offset, high_ns, "ns"), {0}};

static const struct rc_h5_field phase_fields[] = {
    OF(RC_H5_SIGNED, phase, begin_ns, "ns"),
    OF(RC_H5_SIGNED, phase, end_ns, "ns"),
    OF(RC_H5_WIDE, phase, launch, NULL),
    OF(RC_H5_TEXT, phase, mostly, NULL),
    OF(RC_H5_REAL, phase, share, "1"),
    OF(RC_H5_TEXT, phase, event, NULL),
    OF(RC_H5_TEXT, phase, unit, NULL),
    OF(RC_H5_REAL, phase, mean, NULL),
    OF(RC_H5_REAL, phase, mean_of_all, NULL),
    OF(RC_H5_FLAG, phase, simulated, NULL),
    {0}};

static const struct rc_h5_field stack_fields[] = {
    OF(RC_H5_TEXT, stack, function, NULL),
    OF(RC_H5_TEXT, stack, file, NULL),
    OF(RC_H5_SIGNED, stack, parent, NULL),
    OF(RC_H5_WIDE, stack, self, "1"),
    OF(RC_H5_WIDE, stack, inclusive, "1"),
    OF(RC_H5_FLAG, stack, truncated, NULL),
    {0}};

static const struct rc_h5_field function_fields[] = {
    OF(RC_H5_TEXT, function, function, NULL),
    OF(RC_H5_TEXT, function, file, NULL),
    OF(RC_H5_WIDE, function, self, "1"),
    OF(RC_H5_WIDE, function, inclusive, "1"),
    OF(RC_H5_REAL, function, share, "1"),
    OF(RC_H5_REAL, function, low, "1"),
    OF(RC_H5_REAL, function, high, "1"),
    OF(RC_H5_REAL, function, inclusive_share, "1"),
    OF(RC_H5_REAL, function, inclusive_low, "1"),
    OF(RC_H5_REAL, function, inclusive_high, "1"),
    {0}};

static const struct rc_h5_field library_fields[] = {
    OF(RC_H5_TEXT, library, library, NULL),
    OF(RC_H5_WIDE, library, samples, "1"),
    OF(RC_H5_REAL, library, ns, "ns"),
    OF(RC_H5_REAL, library, share, "1"),
    OF(RC_H5_REAL, library, low, "1"),
    OF(RC_H5_REAL, library, high, "1"),
    {0}};

static const struct rc_h5_field sample_fields[] = {
    OF(RC_H5_NUMBER, sample, stack, NULL),
    OF(RC_H5_WIDE, sample, launch, NULL),
    OF(RC_H5_TEXT, sample, node, NULL),
    OF(RC_H5_SIGNED, sample, rank, NULL),
    OF(RC_H5_WIDE, sample, pid, NULL),
    OF(RC_H5_WIDE, sample, tid, NULL),
    OF(RC_H5_WIDE, sample, samples, "1"),
    OF(RC_H5_WIDE, sample, period_ns, "ns"),
    {0}};

static const struct rc_h5_table tables[RC_PROFILE_FILE_LISTS] = {
    TABLE(LAUNCHES, "launches", launch),
    TABLE(PARAMETERS, "parameters", parameter),
    TABLE(PLACES, "places", place),
    TABLE(THREADS, "threads", thread),
    TABLE(PATHS, "paths", path),
    TABLE(INSTANCES, "instances", instance),
    TABLE(COSTS, "cost", cost),
    TABLE(CLOCKS, "clocks", clock),
    TABLE(PHASES, "phases", phase),
    TABLE(OFFSETS, "offsets", offset),
    TABLE(STACKS, "stacks", stack),
    TABLE(FUNCTIONS, "functions", function),
    TABLE(LIBRARIES, "libraries", library),
    TABLE(SAMPLES, "samples", sample),
    TABLE(RATES, "rates", rate),
    TABLE(CALLS, "calls", call),
};

/* The shortest time of each class, as a scale, and the histograms of calls under it. */
static int put_times(hid_t group, const struct rc_profile_file_list *calls,
                     struct rc_error *err)
{
    static const char *const scales[] = {"call", "time_class"};
    const size_t dims[] = {calls->count, RC_PROFILE_FILE_TIMES};
    const struct rc_profile_file_call *call = calls->row;
    uint64_t least[RC_PROFILE_FILE_TIMES] = {0};
    uint32_t *times = rc_calloc(calls->count, sizeof call->times);
    hid_t set = H5I_INVALID_HID;
    int status =
        times ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for times of calls");

    for (size_t i = 0; times && i < calls->count; i++)
        memcpy(times + i * RC_PROFILE_FILE_TIMES, call[i].times, sizeof call->times);
    for (size_t i = 1; i < RC_PROFILE_FILE_TIMES; i++) /* the first has all below */
        least[i] = UINT64_C(64) << i;
    if (status == RC_OK &&
        (status = rc_h5_put_numbers(group, "time_class", H5T_NATIVE_UINT64, 1, dims + 1,
                                    least, &set, err)) == RC_OK &&
        (status = rc_h5_scale(set, "time_class", err)) == RC_OK &&
        (status = rc_h5_put_word(set, "units", "ns", err)) == RC_OK)
        status = rc_h5_put_labelled(group, "times", H5T_NATIVE_UINT32, 2, scales, dims,
                                    times, "1", err);
    free(times);
    return rc_h5_close(set, status, err);
}

void rc_profile_file_add(struct rc_profile_file_lists *lists,
                         enum rc_profile_file_rows list, const void *row)
{
    struct rc_profile_file_list *to = &lists->of[list];
    const size_t bytes = tables[list].item_bytes;

    if (rc_grow(&to->row, bytes, to->count, &to->room))
        lists->failed = true;
    else
        memcpy((char *)to->row + to->count++ * bytes, row, bytes);
}

void rc_profile_file_lists_fini(struct rc_profile_file_lists *lists)
{
    for (size_t i = 0; i < RC_PROFILE_FILE_LISTS; i++)
        free(lists->of[i].row);
}

int rc_profile_put_lists(hid_t file, const struct rc_profile_file_lists *lists,
                         struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < RC_PROFILE_FILE_LISTS && status == RC_OK; i++) {
        const bool calls = i == RC_PROFILE_FILE_CALLS;
        hid_t group = H5I_INVALID_HID;
        status = rc_h5_put_table(file, &tables[i], lists->of[i].row, lists->of[i].count,
                                 calls ? &group : NULL, err);
        if (status == RC_OK && calls)
            status = rc_h5_close(group, put_times(group, &lists->of[i], err), err);
    }
    return status;
}
