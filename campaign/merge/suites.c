/* The suites of the result: points, bases and iterations.
 *
 * A suite of one name must have the same points, expected counts and, for each source
 * that measured it, iterations in all operands; a mean adds the iterations up.
 */
#include "campaign/merge/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool same_texts(const char *const *a, const char *const *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

static bool same_axes(const struct rc_record_suite *a, const struct rc_record_suite *b)
{
    if (a->axis_count != b->axis_count || !same_texts(a->axes, b->axes, a->axis_count))
        return false;
    for (size_t p = 0; p < a->point_count; p++)
        for (size_t i = 0; i < a->axis_count; i++)
            if (a->point[p].axis[i] != b->point[p].axis[i])
                return false;
    return true;
}

/* Compares the tables by point and ideal; a suite may have no bounds. */
static bool same_counts(const struct rc_record_suite *a,
                        const struct rc_record_suite *b)
{
    const size_t bytes = a->point_count * a->ideal_count * sizeof *a->basis;

    return memcmp(a->basis, b->basis, bytes) == 0 && a->bound_rows == b->bound_rows &&
           (a->bound_rows == 0 || (memcmp(a->low, b->low, bytes) == 0 &&
                                   memcmp(a->high, b->high, bytes) == 0));
}

/* Whether two campaigns have the same suite; says the first difference. */
static bool compare_suites(struct rc_merge *m, const struct rc_merge_operand *o,
                           const struct rc_merge_kind *kind,
                           const struct rc_merge_suite *have,
                           const struct rc_record_suite *suite)
{
    const struct rc_record_suite *first = &have->record;
    const char *const dir = m->operand[have->item.from].dir, *what = NULL;

    if (first->point_count != suite->point_count) {
        rc_merge_conflict(m,
                          "kind '%s', suite '%s': it has %zu points in '%s', %zu in "
                          "'%s'",
                          kind->item.name, suite->name, first->point_count, dir,
                          suite->point_count, o->dir);
        return false;
    }
    size_t p = 0;
    while (p < first->point_count &&
           strcmp(first->point[p].name, suite->point[p].name) == 0)
        p++;
    if (p < first->point_count) {
        rc_merge_conflict(
            m, "kind '%s', suite '%s': its point %zu is '%s' in '%s', '%s' in '%s'",
            kind->item.name, suite->name, p, first->point[p].name, dir,
            suite->point[p].name, o->dir);
        return false;
    }
    if (!same_axes(first, suite))
        what = "parameters of points";
    else if (first->ideal_count != suite->ideal_count ||
             first->own_count != suite->own_count ||
             !same_texts(first->ideals, suite->ideals, first->ideal_count) ||
             !same_counts(first, suite))
        what = "expected counts (basis)";
    else if (first->footprint != suite->footprint ||
             first->all_cores != suite->all_cores)
        what = "use of the machine (footprint, cores)";
    else if (strcmp(first->made_by ? first->made_by : "",
                    suite->made_by ? suite->made_by : "") != 0)
        what = "compiler or flags of its kernels";
    if (what)
        rc_merge_conflict(m, "kind '%s', suite '%s': other %s in '%s' than in '%s'",
                          kind->item.name, suite->name, what, dir, o->dir);
    return !what;
}

/* Takes the suite over, with no iterations yet: these are by the result's sources. */
static int add_suite(struct rc_merge *m, const struct rc_merge_operand *o,
                     struct rc_merge_kind *kind, const struct rc_record_suite *suite,
                     struct rc_error *err)
{
    const size_t points = suite->point_count;
    struct rc_merge_suite out = {
        .item = {.name = suite->name, .from = (uint32_t)o->number}, .record = *suite};

    out.iterations =
        rc_arena_array(&m->arena, kind->source_count * points, sizeof *out.iterations);
    out.row_from = rc_arena_array(&m->arena, kind->source_count, sizeof *out.row_from);
    out.number_in = rc_arena_array(&m->arena, m->count, sizeof *out.number_in);
    if (rc_grow(&kind->suite, sizeof out, kind->suite_count, &kind->suite_room))
        m->arena.failed = true;
    int status = rc_arena_check(&m->arena, err, "the suites of the campaigns");
    if (status != RC_OK)
        return status;
    memset(out.row_from, 0xff, kind->source_count * sizeof *out.row_from);
    memset(out.number_in, 0xff, m->count * sizeof *out.number_in);
    out.record.iterations = out.iterations;
    out.record.source_count = kind->source_count;
    kind->suite[kind->suite_count++] = out;
    return RC_OK;
}

/* Adds up the iterations of all operands for a mean; a point that one of them did not
 * measure has none.
 */
static void add_rows(struct rc_merge *m, const struct rc_merge_operand *o,
                     const struct rc_merge_kind *kind,
                     const struct rc_merge_suite *suite, uint64_t *to,
                     const uint64_t *row)
{
    bool overflow = false;

    for (size_t p = 0; p < suite->record.point_count; p++)
        if (to[p] && row[p])
            overflow |= __builtin_add_overflow(to[p], row[p], &to[p]);
        else
            to[p] = 0;
    if (overflow)
        rc_merge_conflict(m,
                          "kind '%s', suite '%s': iterations up to '%s' are more than "
                          "2^64 together",
                          kind->item.name, suite->item.name, o->dir);
}

static void compare_rows(struct rc_merge *m, const struct rc_merge_operand *o,
                         const struct rc_merge_kind *kind,
                         const struct rc_merge_suite *suite, uint32_t source,
                         const uint64_t *to, const uint64_t *row)
{
    size_t p = 0;

    while (p < suite->record.point_count && to[p] == row[p])
        p++;
    if (p == suite->record.point_count)
        return;
    rc_merge_conflict(m,
                      "kind '%s', suite '%s', source '%s': point '%s' has %" PRIu64
                      " iterations in '%s', %" PRIu64 " in '%s'",
                      kind->item.name, suite->item.name,
                      kind->source[source].record.name, suite->record.point[p].name,
                      to[p], m->operand[suite->row_from[source]].dir, row[p], o->dir);
}

/* A row of zeros is not compared: its source did not measure the suite. */
static void add_iterations(struct rc_merge *m, const struct rc_merge_operand *o,
                           const struct rc_merge_kind *kind, struct rc_merge_suite *to,
                           const struct rc_record_suite *suite)
{
    const size_t points = suite->point_count;

    for (size_t s = 0; s < suite->source_count; s++) {
        const uint64_t *row = suite->iterations + s * points;
        const uint32_t source = kind->map[o->number].source[s];
        uint64_t *mine = to->iterations + source * points;
        size_t first = 0;
        while (first < points && row[first] == 0)
            first++;
        if (first == points && m->job->operation != RC_OPERATION_MEAN)
            continue;
        if (to->row_from[source] == RC_MERGE_NONE)
            memcpy(mine, row, points * sizeof *row);
        else if (m->job->operation == RC_OPERATION_MEAN)
            add_rows(m, o, kind, to, mine, row);
        else
            compare_rows(m, o, kind, to, source, mine, row);
        if (to->row_from[source] == RC_MERGE_NONE)
            to->row_from[source] = (uint32_t)o->number;
    }
}

int rc_merge_suites(struct rc_merge *m, const struct rc_merge_operand *o,
                    struct rc_merge_kind *kind, struct rc_error *err)
{
    const struct rc_campaign_kind *from = kind->map[o->number].from;
    int status;

    for (uint32_t i = 0; i < from->suite_count; i++) {
        const struct rc_record_suite *suite = &from->suite[i];
        size_t s = 0;
        bool same = true;
        while (s < kind->suite_count &&
               strcmp(kind->suite[s].item.name, suite->name) != 0)
            s++;
        if (s < kind->suite_count)
            same = compare_suites(m, o, kind, &kind->suite[s], suite);
        else if ((status = add_suite(m, o, kind, suite, err)) != RC_OK)
            return status;
        kind->suite[s].number_in[o->number] = i;
        kind->suite[s].item.operands++;
        if (same)
            add_iterations(m, o, kind, &kind->suite[s], suite);
    }
    return RC_OK;
}
