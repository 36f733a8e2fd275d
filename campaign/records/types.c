/* The fields of each type of record, and writing records.
 *
 * The order of the fields below is the order in the payload, which is a format of files
 * (docs/formats/records.md, io/payload/fields.h).
 */
#include "campaign/records/parts.h"

#include "campaign/base/text.h"
#include "campaign/records/detours.h"
#include "io/payload/fields.h"
#include "kernels/detour.h"
#include "kernels/kernel.h"

#include <inttypes.h>
#include <string.h>

uint64_t rc_record_kind_id(const char *key)
{
    return rc_text_hash(key);
}

size_t rc_record_suite_points(const struct rc_record_suite *suite, size_t source)
{
    size_t points = 0;

    for (size_t i = 0; i < suite->point_count; i++)
        points += suite->iterations[source * suite->point_count + i] != 0;
    return points;
}

uint32_t rc_record_suite_team(const struct rc_record_suite *suite)
{
    int64_t most = 0;
    size_t axis = 0;

    while (axis < suite->axis_count && strcmp(suite->axes[axis], "workers") != 0)
        axis++;
    for (size_t i = 0; i < suite->point_count && axis < suite->axis_count; i++)
        if (suite->point[i].axis[axis] > most)
            most = suite->point[i].axis[axis];
    return suite->all_cores && most <= UINT32_MAX ? (uint32_t)most : 0;
}

/* Names by number, as in files: append only. */
const char *const *rc_unit_status_names(void)
{
    static const char *const names[] = {"", "ok", "invalid", "failed", NULL};

    return names;
}

const char *const *rc_stop_names(void)
{
    static const char *const names[] = {"",     "deterministic", "precise",
                                        "most", "interrupted",   NULL};

    _Static_assert(sizeof names / sizeof names[0] == RC_STOP_COUNT + 1, "one each");
    return names;
}

const char *const *rc_reading_status_names(void)
{
    static const char *const names[] = {"missing",    "ok",     "multiplexed",
                                        "unverified", "failed", NULL};

    _Static_assert(sizeof names / sizeof names[0] == RC_READING_STATUS_COUNT + 1,
                   "one each");
    return names;
}

const char *const *rc_operation_names(void)
{
    static const char *const names[] = {"",           "merge",  "mean",
                                        "difference", "import", NULL};

    _Static_assert(sizeof names / sizeof names[0] == RC_OPERATION_COUNT + 1,
                   "one each");
    return names;
}

/* Items of lists that are not structs. */
static const struct rc_field index_field = {
    .sort = RC_FIELD_NUMBER, .bytes = sizeof(uint32_t), .stored = 4};
static const struct rc_form index_form = {.what = "an index",
                                          .bytes = sizeof(uint32_t),
                                          .field = &index_field,
                                          .field_count = 1};

static const struct rc_field campaign_fields[] = {
    TEXT(rc_record_campaign, spec),
    TEXT(rc_record_campaign, created_by),
    NUMBER(rc_record_campaign, unix_time, 8),
};
FORM(campaign, "a campaign", rc_record_campaign, NULL);

static const struct rc_field source_fields[] = {
    NAME(rc_record_source, name, "a source"), TEXT(rc_record_source, label),
    TEXT(rc_record_source, counter_set),      FLAG(rc_record_source, deterministic),
    FLAG(rc_record_source, simulated),
};
FORM(source, "a source", rc_record_source, NULL);

static const struct rc_field kind_fields[] = {
    NAME(rc_record_kind, name, "a kind"),
    TEXT(rc_record_kind, key),
    TEXT(rc_record_kind, shape),
    {ARRAY(RC_FIELD_LIST, rc_record_kind, source, source_count, "sources"),
     .item = &source_form},
};
FORM(kind, "a kind", rc_record_kind, NULL);

static const struct rc_field event_fields[] = {
    NAME(rc_record_event, name, "an event"),
    TEXT(rc_record_event, description),
    TEXT(rc_record_event, evidence),
    TEXT(rc_record_event, reason),
    NUMBER(rc_record_event, source, 4),
    BYTE(rc_record_event, scope, 0, RC_SCOPE_COUNT, "a scope of"),
    BYTE(rc_record_event, verdict, 0, RC_VERDICT_COUNT, "a verdict of"),
    FLAG(rc_record_event, simulated),
    {.sort = RC_FIELD_NUMBER,
     .at = offsetof(struct rc_record_event, state),
     .bytes = sizeof(bool),
     .stored = 1,
     .below = 2,
     .what = "a flag of",
     .since = 6},
};
FORM(event, "an event", rc_record_event, NULL);

static const struct rc_field point_fields[] = {
    TEXT(rc_record_point, name),
    {.sort = RC_FIELD_ROW,
     .at = offsetof(struct rc_record_point, axis),
     .count_at = offsetof(struct rc_record_suite, axis_count),
     .what = "the axes of a point"},
};
FORM(point, "a point", rc_record_point, NULL);

static const struct rc_field suite_fields[] = {
    NAME(rc_record_suite, name, "a suite"),
    TEXT(rc_record_suite, summary),
    BYTE(rc_record_suite, footprint, 0, RC_FOOTPRINT_COUNT, "a footprint of"),
    FLAG(rc_record_suite, all_cores),
    {ARRAY(RC_FIELD_LIST, rc_record_suite, axes, axis_count, "axes"),
     .item = &text_form},
    {ARRAY(RC_FIELD_LIST, rc_record_suite, ideals, ideal_count, "ideals"),
     .item = &text_form},
    NUMBER(rc_record_suite, own_count, 4),
    {ARRAY(RC_FIELD_LIST, rc_record_suite, point, point_count, "points of a suite"),
     .item = &point_form, .fewest = 1},
    {ARRAY(RC_FIELD_TABLE, rc_record_suite, basis, point_count, "the basis"),
     .columns_at = offsetof(struct rc_record_suite, ideal_count)},
    NUMBER(rc_record_suite, source_count, 4),
    {ARRAY(RC_FIELD_TABLE, rc_record_suite, iterations, source_count, "iterations"),
     .columns_at = offsetof(struct rc_record_suite, point_count)},
    NUMBER_SINCE(4, rc_record_suite, bound_rows, 4),
    {ARRAY(RC_FIELD_TABLE, rc_record_suite, low, bound_rows, "the low ends"),
     .columns_at = offsetof(struct rc_record_suite, ideal_count), .since = 4},
    {ARRAY(RC_FIELD_TABLE, rc_record_suite, high, bound_rows, "the high ends"),
     .columns_at = offsetof(struct rc_record_suite, ideal_count), .since = 4},
    {.sort = RC_FIELD_TEXT,
     .at = offsetof(struct rc_record_suite, made_by),
     .since = 5},
};

static void check_suite(struct rc_in *in, const void *record)
{
    const struct rc_record_suite *suite = record;

    if (suite->bound_rows != 0 && suite->bound_rows != suite->point_count)
        rc_in_wrong(in, "bounds of %zu points, expected none or %zu", suite->bound_rows,
                    suite->point_count);
    for (size_t i = 0; i < suite->bound_rows * suite->ideal_count; i++)
        if (!(suite->low[i] >= 0 && suite->low[i] <= suite->high[i])) {
            rc_in_wrong(in, "a count from %g to %g, expected 0 or more in order",
                        suite->low[i], suite->high[i]);
            break;
        }
    if (suite->own_count > suite->ideal_count)
        rc_in_wrong(in, "a basis of %zu ideals, expected %zu at most", suite->own_count,
                    suite->ideal_count);
}

FORM(suite, "a suite", rc_record_suite, check_suite);

static const struct rc_field group_fields[] = {
    NUMBER(rc_record_group, source, 4),
    BYTE(rc_record_group, scope, 0, RC_SCOPE_COUNT, "a scope of"),
    NUMBER(rc_record_group, own, 4),
    {ARRAY(RC_FIELD_LIST, rc_record_group, event, count, "events"),
     .item = &index_form},
};

static void check_group(struct rc_in *in, const void *record)
{
    const struct rc_record_group *group = record;

    if (group->own == 0 || group->own > group->count)
        rc_in_wrong(in, "%zu of %zu events are the group's own, expected 1 or more",
                    group->own, group->count);
}

FORM(group, "a group", rc_record_group, check_group);

static const struct rc_field run_fields[] = {
    NUMBER(rc_record_run, unix_time, 8),
    NUMBER(rc_record_run, ranks, 4),
    NUMBER(rc_record_run, nodes, 4),
    TEXT(rc_record_run, created_by),
    TEXT(rc_record_run, job),
    NUMBER(rc_record_run, units_left, 8),
    FLAG(rc_record_run, interrupted),
};
FORM(run, "a run", rc_record_run, NULL);

static const struct rc_field operand_fields[] = {
    {.sort = RC_FIELD_BYTES,
     .at = offsetof(struct rc_record_operand, campaign),
     .bytes = sizeof(struct rc_journal_id)},
    TEXT(rc_record_operand, name),
    TEXT(rc_record_operand, created_by),
    NUMBER(rc_record_operand, unix_time, 8),
    TEXT(rc_record_operand, directory),
};
FORM(operand, "an operand", rc_record_operand, NULL);

static const struct rc_field origin_fields[] = {
    BYTE(rc_record_origin, operation, RC_OPERATION_MERGE, RC_OPERATION_COUNT,
         "an operation of"),
    NUMBER(rc_record_origin, unix_time, 8),
    TEXT(rc_record_origin, created_by),
    {ARRAY(RC_FIELD_LIST, rc_record_origin, operand, operand_count,
           "operands of an origin"),
     .item = &operand_form, .fewest = 1},
};
FORM(origin, "an origin", rc_record_origin, NULL);

static const struct rc_field share_unit_fields[] = {
    NUMBER(rc_record_share_unit, suite, 4),
    NUMBER(rc_record_share_unit, group, 4),
};
FORM(share_unit, "a unit of a share", rc_record_share_unit, NULL);

static const struct rc_field share_fields[] = {
    NUMBER(rc_record_share, kind, 8),
    NUMBER(rc_record_share, number, 4),
    NUMBER(rc_record_share, of, 4),
    NUMBER(rc_record_share, units, 8),
    {ARRAY(RC_FIELD_LIST, rc_record_share, unit, count, "units"),
     .item = &share_unit_form},
};

/* Units are in order and each is there once, so that binary search finds them. */
static void check_share(struct rc_in *in, const void *record)
{
    const struct rc_record_share *share = record;

    if (share->of > RC_SHARES_MOST || share->number >= share->of)
        rc_in_wrong(in,
                    "share %" PRIu32 " of %" PRIu32
                    ", expected a number below that of at most %d shares",
                    share->number, share->of, RC_SHARES_MOST);
    if (share->count > share->units)
        rc_in_wrong(in, "a share has %zu of %" PRIu64 " units", share->count,
                    share->units);
    for (size_t i = 1; i < share->count; i++) {
        const struct rc_record_share_unit *a = &share->unit[i - 1], *b = a + 1;
        if (a->suite > b->suite || (a->suite == b->suite && a->group >= b->group))
            rc_in_wrong(in,
                        "unit %zu of a share is suite %" PRIu32 ", group %" PRIu32
                        ", expected one after suite %" PRIu32 ", group %" PRIu32,
                        i, b->suite, b->group, a->suite, a->group);
    }
}

FORM(share, "a share", rc_record_share, check_share);

static const struct rc_field unit_fields[] = {
    NUMBER(rc_record_unit, kind, 8),
    NUMBER(rc_record_unit, suite, 4),
    NUMBER(rc_record_unit, group, 4),
    TEXT(rc_record_unit, place),
    TEXT(rc_record_unit, node),
    NUMBER(rc_record_unit, core, 4),
    NUMBER(rc_record_unit, cpu, 4),
    NUMBER(rc_record_unit, tries, 4),
    NUMBER_SINCE(3, rc_record_unit, begin_ns, 8),
    NUMBER(rc_record_unit, wall_ns, 8),
    NUMBER(rc_record_unit, kernel_ns, 8),
    BYTE(rc_record_unit, status, RC_UNIT_OK, RC_UNIT_FAILED + 1, "a status of"),
    BYTE(rc_record_unit, stop, 0, RC_STOP_COUNT, "a stop of"),
    TEXT(rc_record_unit, reason),
    NUMBER(rc_record_unit, events, 4),
    NUMBER(rc_record_unit, repetitions, 4),
    NUMBER(rc_record_unit, points, 4),
};

/* A table with 4 bytes for each event follows the head (see unit.c). */
static void check_unit(struct rc_in *in, const void *record)
{
    const struct rc_record_unit *unit = record;

    if (rc_in_left(in) / 4 < unit->events)
        rc_in_wrong(in, "%zu bytes are left for a table of %lu events", rc_in_left(in),
                    (unsigned long)unit->events);
}

FORM(unit, "a unit", rc_record_unit, check_unit);

static const struct rc_field total_fields[] = {
    NAME(rc_noise_total, name, "a total"),
    NUMBER(rc_noise_total, count, 8),
};
FORM(total, "a total", rc_noise_total, NULL);

static const struct rc_field condition_fields[] = {
    NAME(rc_noise_condition, name, "a condition"),
    TEXT(rc_noise_condition, value),
};
FORM(condition, "a condition", rc_noise_condition, NULL);

static const struct rc_field clock_fields[] = {
    NUMBER(rc_clock_offset, at_ns, 8),
    NUMBER(rc_clock_offset, low_ns, 8),
    NUMBER(rc_clock_offset, high_ns, 8),
};
FORM(clock, "an offset of a clock", rc_clock_offset, NULL);

/* The histogram, the detours and the paces follow these (see detours.c). */
static const struct rc_field detours_fields[] = {
    NAME(rc_noise_detours, node, "a node"),
    NUMBER(rc_noise_detours, core, 4),
    NUMBER(rc_noise_detours, round, 4),
    TEXT(rc_noise_detours, work),
    TEXT(rc_noise_detours, point),
    NUMBER(rc_noise_detours, iterations, 8),
    FLAG(rc_noise_detours, alone),
    NUMBER(rc_noise_detours, unix_time, 8),
    NUMBER(rc_noise_detours, begin_ns, 8),
    NUMBER(rc_noise_detours, duration_ns, 8),
    NUMBER(rc_noise_detours, gaps, 8),
    NUMBER(rc_noise_detours, median_gap_ps, 8),
    NUMBER(rc_noise_detours, tau_ns, 8),
    NUMBER(rc_noise_detours, stolen_ns, 8),
    NUMBER(rc_noise_detours, dropped, 8),
    NUMBER(rc_noise_detours, faults, 8),
    NUMBER(rc_noise_detours, switches, 8),
    {ARRAY(RC_FIELD_LIST, rc_noise_detours, name, names, "names"), .item = &text_form,
     .fewest = RC_NOISE_WHO_NAMES},
    {ARRAY(RC_FIELD_LIST, rc_noise_detours, total, totals, "totals"),
     .item = &total_form},
    {ARRAY(RC_FIELD_LIST, rc_noise_detours, condition, conditions, "conditions"),
     .item = &condition_form},
    {ARRAY(RC_FIELD_LIST, rc_noise_detours, clock, clocks, "offsets of a clock"),
     .item = &clock_form},
};

static void check_detours(struct rc_in *in, const void *record)
{
    const struct rc_noise_detours *d = record;

    if (d->round >= RC_NOISE_ROUNDS_MOST)
        rc_in_wrong(in, "round %" PRIu32 ", expected less than %d", d->round,
                    RC_NOISE_ROUNDS_MOST);
    if (d->duration_ns == 0 || d->duration_ns > 2 * RC_DETOUR_LONGEST_NS)
        rc_in_wrong(in, "a measurement of %" PRIu64 " ns, expected two days at most",
                    d->duration_ns);
    if (d->stolen_ns > d->duration_ns)
        rc_in_wrong(in, "%" PRIu64 " ns were stolen of %" PRIu64, d->stolen_ns,
                    d->duration_ns);
    if (d->names > UINT16_MAX)
        rc_in_wrong(in, "%zu names, expected at most %d", d->names, UINT16_MAX);
}

FORM(detours, "detours", rc_noise_detours, check_detours);

const struct rc_record_shape *rc_record_shape(uint32_t type)
{
    static const struct rc_record_shape shapes[] = {
        [RC_RECORD_CAMPAIGN] = {"a campaign", &campaign_form, 0},
        [RC_RECORD_KIND] = {"a kind", &kind_form, 0},
        [RC_RECORD_EVENTS] = {"a list of events", &event_form, 8},
        [RC_RECORD_SUITE] = {"a suite", &suite_form, 4},
        [RC_RECORD_GROUPS] = {"a list of groups", &group_form, 8},
        [RC_RECORD_UNIT] = {"a unit", &unit_form, 0},
        [RC_RECORD_RUN] = {"a run", &run_form, 0},
        [RC_RECORD_END] = {"a run", &run_form, 0},
        [RC_RECORD_ORIGIN] = {"an origin", &origin_form, 0},
        [RC_RECORD_SHARE] = {"a share", &share_form, 0},
        [RC_RECORD_DETOURS] = {"detours", &detours_form, 0},
    };
    const size_t count = sizeof shapes / sizeof shapes[0];

    return type < count && shapes[type].form ? &shapes[type] : NULL;
}

int rc_record_put(uint32_t type, const void *record, struct rc_bytes *bytes,
                  struct rc_error *err)
{
    return rc_form_write(rc_record_shape(type)->form, RC_RECORD_VERSION, record, bytes,
                         err);
}

int rc_record_put_list(uint32_t type, uint64_t kind, size_t first, const void *item,
                       size_t count, struct rc_bytes *bytes, struct rc_error *err)
{
    const struct rc_record_shape *shape = rc_record_shape(type);
    struct rc_out out;

    rc_out_begin(&out, RC_RECORD_VERSION, bytes);
    rc_out_number(&out, kind, 8);
    rc_out_number(&out, first, shape->number_bytes);
    if (shape->number_bytes == 8)
        rc_out_number(&out, count, 4);
    for (size_t i = 0; i < count && rc_out_is_good(&out); i++)
        rc_form_put(&out, shape->form, (const char *)item + i * shape->form->bytes);
    return rc_out_end(&out, shape->what, err);
}

void rc_list_get(struct rc_in *in, const struct rc_record_shape *shape,
                 struct rc_record_list *list)
{
    const size_t bytes = shape->form->bytes;

    *list = (struct rc_record_list){.kind = rc_in_number(in, 8), .count = 1};
    list->first = rc_in_number(in, shape->number_bytes);
    if (shape->number_bytes == 8)
        list->count = rc_in_count(in, rc_form_least(shape->form, in->version), "items");
    char *item = rc_in_room(in, list->count, bytes);
    list->item = item;
    for (size_t i = 0; i < list->count && rc_in_is_good(in); i++)
        rc_form_get(in, shape->form, item + i * bytes);
}
