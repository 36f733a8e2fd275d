/* Metrics of several columns side by side, and how they differ.
 *
 * Chance may decide which of several equal events a metric uses, and where a
 * coefficient lies within its interval: neither is a difference.
 */
#include "campaign/base/map.h"
#include "campaign/base/text.h"
#include "campaign/compare/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits for combinations with more differing terms and suites with more chosen events,
 * where equivalent events are not searched for: that takes the square of their number.
 */
enum { EXCHANGED_MOST = 64, CHOSEN_MOST = 4096 };

static bool has_name(const void *suite, size_t item, const void *name)
{
    return strcmp(((const struct rc_compare_suite *)suite)->metric[item].name, name) ==
           0;
}

/* Makes a row for each name, in the order of the columns.  If a column has several
 * metrics of one name, the first counts.
 */
static int make_rows(struct rc_compare *compare, struct rc_compare_suite *suite,
                     struct rc_error *err)
{
    const size_t columns = compare->column_count;
    struct rc_arena *arena = &compare->arena;
    struct rc_map map = {.same = has_name};
    size_t most = 0;

    for (size_t i = 0; i < columns; i++)
        most += suite->result[i] ? suite->result[i]->metric_count : 0;
    suite->metric = rc_arena_array(arena, most, sizeof *suite->metric);
    arena->failed |= rc_map_reserve(&map, most) != 0;
    for (size_t i = 0; i < columns; i++) {
        const struct rc_suite_result *result = suite->result[i];
        for (size_t m = 0; result && m < result->metric_count && !arena->failed; m++) {
            const struct rc_metric_result *metric = &result->metric[m];
            const uint64_t hash = rc_text_hash(metric->name);
            size_t row = rc_map_find(&map, suite, hash, metric->name);
            if (row == RC_MAP_NONE) {
                row = suite->metric_count++;
                suite->metric[row].name = metric->name;
                suite->metric[row].cell =
                    rc_arena_array(arena, columns, sizeof *suite->metric->cell);
                rc_map_put(&map, suite, hash, metric->name, row);
            }
            struct rc_compare_cell *cell = suite->metric[row].cell;
            if (cell && !cell[i].metric)
                cell[i].metric = metric;
        }
    }
    rc_map_fini(&map);
    return rc_arena_check(arena, err, "metrics");
}

static int by_event(const void *a, const void *b)
{
    const struct rc_term *x = *(const struct rc_term *const *)a;
    const struct rc_term *y = *(const struct rc_term *const *)b;

    return strcmp(x->name, y->name);
}

/* Terms by the names of their events; NULL if there is no memory, and the arena has
 * failed.
 */
static const struct rc_term **sort_terms(struct rc_arena *arena,
                                         const struct rc_metric_result *m)
{
    const struct rc_term **list =
        rc_arena_array(arena, m->term_count, sizeof(const struct rc_term *));

    for (size_t i = 0; i < m->term_count && list; i++)
        list[i] = &m->term[i];
    if (list)
        qsort((void *)list, m->term_count, sizeof(const struct rc_term *), by_event);
    return list;
}

static bool is_within(double value, const struct rc_term *t)
{
    return value >= t->low && value <= t->high;
}

/* Two coefficients are the same if they round to the same number, or if one lies in the
 * 95 % interval of the other.
 */
static bool is_same(const struct rc_term *a, const struct rc_term *b)
{
    return a->rounded == b->rounded ||
           fabs(a->coefficient - b->coefficient) <=
               1e-9 * fmax(1, fmax(fabs(a->coefficient), fabs(b->coefficient))) ||
           is_within(a->coefficient, b) || is_within(b->coefficient, a);
}

/* Lists the terms that differ.  A term that only one metric has is compared with 0. */
static int compare_terms(struct rc_compare *compare,
                         const struct rc_metric_result *before,
                         const struct rc_metric_result *after,
                         struct rc_compare_cell *cell, struct rc_error *err)
{
    static const struct rc_term none;
    struct rc_arena *arena = &compare->arena;
    const struct rc_term **a = sort_terms(arena, before);
    const struct rc_term **b = sort_terms(arena, after);

    cell->term = rc_arena_array(arena, before->term_count + after->term_count,
                                sizeof *cell->term);
    const int status = rc_arena_check(arena, err, "terms");
    if (status != RC_OK)
        return status;
    for (size_t i = 0, j = 0; i < before->term_count || j < after->term_count;) {
        const int order = i == before->term_count  ? 1
                          : j == after->term_count ? -1
                                                   : strcmp(a[i]->name, b[j]->name);
        const struct rc_term *x = order <= 0 ? a[i++] : NULL;
        const struct rc_term *y = order >= 0 ? b[j++] : NULL;
        if (!is_same(x ? x : &none, y ? y : &none))
            cell->term[cell->term_count++] = (struct rc_compare_term){x, y, false};
    }
    return RC_OK;
}

/* Whether a suite's choice says that two events carry the same information. */
static bool are_alike(const struct rc_suite_result *suite, const char *chosen,
                      const char *other)
{
    if (suite->chosen_count > CHOSEN_MOST)
        return false;
    for (size_t i = 0; i < suite->chosen_count; i++) {
        const struct rc_chosen *c = &suite->chosen[i];
        if (strcmp(c->name, chosen) != 0)
            continue;
        for (size_t k = 0; k < c->other_count; k++)
            if (strcmp(c->other_name[k], other) == 0)
                return true;
    }
    return false;
}

/* Joins a term that is gone with a new one whose event counts the same: chance decides
 * which of several equal events is chosen.
 */
static void join_term(struct rc_compare_cell *cell, size_t gone,
                      const struct rc_suite_result *before,
                      const struct rc_suite_result *after)
{
    struct rc_compare_term *t = &cell->term[gone];

    for (size_t i = 0; i < cell->term_count; i++) {
        struct rc_compare_term *n = &cell->term[i];
        if (n->before || !is_same(t->before, n->after) ||
            !(are_alike(before, t->before->name, n->after->name) ||
              are_alike(after, n->after->name, t->before->name)))
            continue;
        t->after = n->after;
        t->exchanged = true;
        memmove(n, n + 1, (cell->term_count - i - 1) * sizeof *n);
        cell->term_count--;
        return;
    }
}

/* A metric without a definition has no terms to compare. */
static bool has_definition(const struct rc_metric_result *m)
{
    return rc_metric_is_usable(m);
}

/* Finds the differences of a metric between two columns.  Terms are compared only if
 * both have a usable combination.
 */
static int compare_cells(struct rc_compare *compare,
                         const struct rc_compare_cell *before,
                         struct rc_compare_cell *cell,
                         const struct rc_suite_result *suite_before,
                         const struct rc_suite_result *suite, struct rc_error *err)
{
    const struct rc_metric_result *a = before->metric, *b = cell->metric;

    if (!a || !b) {
        cell->differs = !a && !b ? 0 : a ? RC_DIFFERS_GONE : RC_DIFFERS_NEW;
        return RC_OK;
    }
    if (a->verdict != b->verdict)
        cell->differs |= RC_DIFFERS_VERDICT;
    if (strcmp(a->signature, b->signature) != 0)
        cell->differs |= RC_DIFFERS_SIGNATURE;
    if (strcmp(a->formula, b->formula) != 0)
        cell->differs |= RC_DIFFERS_FORMULA;
    if (!has_definition(a) || !has_definition(b))
        return RC_OK;
    const int status = compare_terms(compare, a, b, cell, err);
    if (status != RC_OK)
        return status;
    /* Joining removes a term from the list, before or after the present one: then the
     * short list is gone through again from its beginning.
     */
    for (size_t i = 0; i < cell->term_count && cell->term_count <= EXCHANGED_MOST;) {
        const size_t count = cell->term_count;
        if (cell->term[i].before && !cell->term[i].after)
            join_term(cell, i, suite_before, suite);
        i = cell->term_count < count ? 0 : i + 1;
    }
    for (size_t i = 0; i < cell->term_count; i++)
        if (!cell->term[i].exchanged)
            cell->differs |= cell->term[i].before && cell->term[i].after
                                 ? RC_DIFFERS_COEFFICIENTS
                                 : RC_DIFFERS_EVENTS;
    return RC_OK;
}

/* The metric of that name in any suite; NULL: there is none. */
static const struct rc_compare_metric *find_metric(const struct rc_compare *compare,
                                                   const char *name)
{
    for (size_t s = 0; s < compare->suite_count; s++)
        for (size_t m = 0; m < compare->suite[s].metric_count; m++)
            if (strcmp(compare->suite[s].metric[m].name, name) == 0)
                return &compare->suite[s].metric[m];
    return NULL;
}

/* Whether an event of the definition, or a metric in the formula, has changed. */
static bool has_changed(const struct rc_compare *compare, size_t column,
                        const struct rc_metric_result *m, const bool *changed,
                        size_t events)
{
    for (size_t i = 0; i < m->term_count; i++)
        if (m->term[i].event >= events || changed[m->term[i].event])
            return true;
    for (size_t i = 0; i < m->input_count; i++) {
        const struct rc_compare_metric *input = find_metric(compare, m->input[i]);
        if (!input || input->cell[column].differs)
            return true;
    }
    return false;
}

/* Verdicts and combinations follow from readings: if their events count as before,
 * their differences are chance.
 */
static void leave_to_chance(const struct rc_compare *compare,
                            struct rc_compare_metric *metric, size_t column)
{
    const struct rc_compare_column *c = &compare->column[column];
    struct rc_compare_cell *cell = &metric->cell[column];
    const struct rc_metric_result *before = metric->cell[c->reference].metric;

    if (!c->judged || !cell->differs || !before || !cell->metric ||
        cell->differs & (RC_DIFFERS_GONE | RC_DIFFERS_NEW | RC_DIFFERS_SIGNATURE |
                         RC_DIFFERS_FORMULA) ||
        has_changed(compare, column, before, c->changed_before,
                    compare->column[c->reference].event_count) ||
        has_changed(compare, column, cell->metric, c->changed, c->event_count))
        return;
    cell->chance = cell->differs;
    cell->differs = 0;
}

/* Adds up the differences: formulas come last, since they depend on their inputs. */
static void settle_metrics(struct rc_compare *compare)
{
    for (int formulas = 0; formulas < 2; formulas++)
        for (size_t s = 0; s < compare->suite_count; s++)
            for (size_t m = 0; m < compare->suite[s].metric_count; m++) {
                struct rc_compare_metric *metric = &compare->suite[s].metric[m];
                for (size_t i = 0; i < compare->column_count; i++) {
                    const struct rc_metric_result *result = metric->cell[i].metric;
                    if ((result && result->formula[0]) == formulas)
                        leave_to_chance(compare, metric, i);
                }
            }
    for (size_t s = 0; s < compare->suite_count; s++) {
        struct rc_compare_suite *suite = &compare->suite[s];
        for (size_t m = 0; m < suite->metric_count; m++) {
            struct rc_compare_metric *metric = &suite->metric[m];
            for (size_t i = 0; i < compare->column_count; i++) {
                metric->differs |= metric->cell[i].differs != 0;
                compare->differences[RC_COMPARE_METRICS] +=
                    metric->cell[i].differs != 0;
                compare->chance[RC_COMPARE_METRICS] += metric->cell[i].chance != 0;
            }
            suite->differing += metric->differs;
        }
    }
}

int rc_compare_metrics(struct rc_compare *compare, struct rc_error *err)
{
    for (size_t s = 0; s < compare->suite_count; s++) {
        struct rc_compare_suite *suite = &compare->suite[s];
        int status = make_rows(compare, suite, err);
        if (status != RC_OK)
            return status;
        for (size_t m = 0; m < suite->metric_count; m++) {
            struct rc_compare_metric *metric = &suite->metric[m];
            for (size_t i = 0; i < compare->column_count; i++) {
                const size_t r = compare->column[i].reference;
                if (r == RC_COMPARE_NONE)
                    continue;
                status = compare_cells(compare, &metric->cell[r], &metric->cell[i],
                                       suite->result[r], suite->result[i], err);
                if (status != RC_OK)
                    return status;
            }
        }
    }
    settle_metrics(compare);
    return RC_OK;
}
