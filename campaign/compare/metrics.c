/* Metrics of several columns side by side, and how they differ. */
#include "campaign/compare/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of combinations longer than this nobody asks which events count the same. */
enum { EXCHANGED_MOST = 64, CHOSEN_MOST = 4096 };

/* A metric of a column, on the way to its place. */
struct entry {
    const struct rc_metric_result *metric;
    size_t column, number; /* in the column's suite */
};

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
                                  : (x->number > y->number) - (x->number < y->number);
}

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = strcmp(x->metric->name, y->metric->name);

    return order ? order : by_place(a, b);
}

static struct entry *gather(const struct rc_compare *compare,
                            const struct rc_compare_suite *suite, size_t *count)
{
    struct entry *list;
    size_t at = 0;

    for (size_t i = 0; i < compare->column_count; i++)
        at += suite->result[i] ? suite->result[i]->metric_count : 0;
    *count = at;
    list = rc_calloc(at, sizeof *list);
    at = 0;
    for (size_t i = 0; i < compare->column_count && list; i++)
        for (size_t m = 0; suite->result[i] && m < suite->result[i]->metric_count; m++)
            list[at++] = (struct entry){&suite->result[i]->metric[m], i, m};
    return list;
}

/* The end of those that have the name of the one at 'at'. */
static size_t end_of_name(const struct entry *list, size_t count, size_t at)
{
    size_t end = at;

    while (end < count && strcmp(list[end].metric->name, list[at].metric->name) == 0)
        end++;
    return end;
}

/* Rows in the order in which the columns have them: the first of each name, which is
 * the first by its place, goes to the front of the list.
 */
static size_t find_rows(struct entry *list, size_t count, struct entry *row)
{
    size_t rows = 0;

    qsort(list, count, sizeof *list, by_name);
    for (size_t at = 0; at < count; at = end_of_name(list, count, at))
        row[rows++] = list[at];
    qsort(row, rows, sizeof *row, by_place);
    return rows;
}

/* The first entry of that name in the list that is sorted by names. */
static const struct entry *find(const struct entry *list, size_t count,
                                const char *name)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(list[middle].metric->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return &list[low];
}

static int lay_out(struct rc_compare *compare, struct rc_compare_suite *suite,
                   struct rc_error *err)
{
    size_t count = 0;
    struct entry *list = gather(compare, suite, &count);
    struct entry *row = rc_calloc(count, sizeof *row);
    int status = list && row ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for metrics");

    if (status == RC_OK) {
        const size_t rows = find_rows(list, count, row);
        suite->metric = rc_calloc(rows, sizeof *suite->metric);
        if (!suite->metric)
            status = rc_fail(err, RC_ENOMEM, "no memory for %zu metrics", rows);
        for (size_t r = 0; r < rows && status == RC_OK; r++) {
            struct rc_compare_metric *m = &suite->metric[r];
            const struct entry *e = find(list, count, row[r].metric->name);
            m->name = row[r].metric->name;
            m->cell = rc_calloc(compare->column_count, sizeof *m->cell);
            if (!m->cell)
                status = rc_fail(err, RC_ENOMEM, "no memory for %zu metrics", rows);
            suite->metric_count += m->cell != NULL;
            for (; m->cell && e < list + count && strcmp(e->metric->name, m->name) == 0;
                 e++)
                if (!m->cell[e->column].metric) /* of several the first */
                    m->cell[e->column].metric = e->metric;
        }
    }
    free(list);
    free(row);
    return status;
}

static int by_event(const void *a, const void *b)
{
    const struct rc_term *x = *(const struct rc_term *const *)a;
    const struct rc_term *y = *(const struct rc_term *const *)b;

    return strcmp(x->name, y->name);
}

static const struct rc_term **sort_terms(const struct rc_metric_result *m)
{
    const struct rc_term **list =
        rc_calloc(m->term_count, sizeof(const struct rc_term *));

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

/* The same once rounded, or one within the interval of the other. */
static bool is_same(const struct rc_term *a, const struct rc_term *b)
{
    return a->rounded == b->rounded ||
           fabs(a->coefficient - b->coefficient) <=
               1e-9 * fmax(1, fmax(fabs(a->coefficient), fabs(b->coefficient))) ||
           is_within(a->coefficient, b) || is_within(b->coefficient, a);
}

/* A term that is in one of both only, and not as good as 0. */
static bool is_same_as_none(const struct rc_term *t)
{
    return is_same(t, &(const struct rc_term){0});
}

static int add_term(struct rc_compare_cell *cell, size_t *room,
                    const struct rc_term *before, const struct rc_term *after,
                    struct rc_error *err)
{
    if (rc_grow(&cell->term, sizeof *cell->term, cell->term_count, room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu terms", cell->term_count);
    cell->term[cell->term_count++] =
        (struct rc_compare_term){.before = before, .after = after};
    return RC_OK;
}

/* Fills the list of terms that differ. */
static int compare_terms(const struct rc_metric_result *before,
                         const struct rc_metric_result *after,
                         struct rc_compare_cell *cell, struct rc_error *err)
{
    const struct rc_term **a = sort_terms(before), **b = sort_terms(after);
    size_t i = 0, j = 0, room = 0;
    int status = a && b ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for terms");

    while (status == RC_OK && (i < before->term_count || j < after->term_count)) {
        const int order = i == before->term_count  ? 1
                          : j == after->term_count ? -1
                                                   : strcmp(a[i]->name, b[j]->name);
        if (order < 0) {
            if (!is_same_as_none(a[i]))
                status = add_term(cell, &room, a[i], NULL, err);
            i++;
        } else if (order > 0) {
            if (!is_same_as_none(b[j]))
                status = add_term(cell, &room, NULL, b[j], err);
            j++;
        } else {
            if (!is_same(a[i], b[j]))
                status = add_term(cell, &room, a[i], b[j], err);
            i++;
            j++;
        }
    }
    free((void *)a);
    free((void *)b);
    return status;
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

/* Joins a term that went with one that came, where their events count the same: which
 * of several equal events is chosen is up to chance.
 */
static void join(struct rc_compare_cell *cell, size_t gone,
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

/* Joining takes a term from behind or before the one at hand: after that it is looked
 * for from the beginning again, of few.
 */
static void join_all(struct rc_compare_cell *cell, const struct rc_suite_result *before,
                     const struct rc_suite_result *after)
{
    if (cell->term_count > EXCHANGED_MOST)
        return;
    for (size_t i = 0; i < cell->term_count;) {
        const size_t count = cell->term_count;
        if (cell->term[i].before && !cell->term[i].after)
            join(cell, i, before, after);
        i = cell->term_count < count ? 0 : i + 1;
    }
}

static bool has_definition(const struct rc_metric_result *m)
{
    return m->verdict == RC_METRIC_DEFINED || m->verdict == RC_METRIC_APPROXIMATE;
}

static int compare_cells(const struct rc_compare_cell *before,
                         struct rc_compare_cell *cell,
                         const struct rc_suite_result *suite_before,
                         const struct rc_suite_result *suite, struct rc_error *err)
{
    const struct rc_metric_result *a = before->metric, *b = cell->metric;
    int status = RC_OK;

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
    status = compare_terms(a, b, cell, err);
    join_all(cell, suite_before, suite);
    for (size_t i = 0; i < cell->term_count; i++)
        if (!cell->term[i].exchanged)
            cell->differs |= cell->term[i].before && cell->term[i].after
                                 ? RC_DIFFERS_COEFFICIENTS
                                 : RC_DIFFERS_EVENTS;
    return status;
}

static int compare_metric(struct rc_compare *compare,
                          const struct rc_compare_suite *suite,
                          struct rc_compare_metric *metric, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < compare->column_count && status == RC_OK; i++) {
        const size_t r = compare->column[i].reference;
        if (r == RC_COMPARE_NONE)
            continue;
        status = compare_cells(&metric->cell[r], &metric->cell[i], suite->result[r],
                               suite->result[i], err);
        metric->differs |= metric->cell[i].differs != 0;
        compare->differences[RC_COMPARE_METRICS] += metric->cell[i].differs != 0;
    }
    return status;
}

int rc_compare_metrics(struct rc_compare *compare, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t s = 0; s < compare->suite_count && status == RC_OK; s++) {
        struct rc_compare_suite *suite = &compare->suite[s];
        status = lay_out(compare, suite, err);
        for (size_t m = 0; m < suite->metric_count && status == RC_OK; m++) {
            status = compare_metric(compare, suite, &suite->metric[m], err);
            suite->differing += suite->metric[m].differs;
        }
    }
    return status;
}
