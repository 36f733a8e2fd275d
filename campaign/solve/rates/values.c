/* Rates: their values in each repetition, and over the repetitions. */
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/records/record.h"
#include "campaign/solve/rates/rates.h"
#include "solve/study/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The node of a team's worker, "NODE core N"; another place is a row of its own, and "any"
 * the node where there is only one.
 */
static const char *row_of(struct rc_solve_kind *k, const char *place, bool team)
{
    static const char mark[] = " core ";
    const char *end = NULL;

    if (k->labels->node_count == 1 && strcmp(place, "any") == 0)
        return k->labels->nodes[0];
    for (const char *at = place; team && (at = strstr(at, mark)); at++)
        end = at;
    return end ? rc_solve_words(k, "%.*s", (int)(end - place), place) : place;
}

int rc_rate_rows_make(struct rc_solve_kind *k, const struct rc_store_suite *l,
                      struct rc_rate_rows *out)
{
    const size_t places = l->place_count;
    const size_t axis = rc_solve_find(l->axes, l->axis_count, "workers");
    size_t *row = rc_arena_array(&k->arena, places, sizeof *row);

    *out = (struct rc_rate_rows){
        .name = rc_arena_array(&k->arena, places, sizeof *out->name),
        .place = rc_arena_array(&k->arena, places, sizeof *out->place),
        .first = rc_arena_array(&k->arena, places + 1, sizeof *out->first),
        .stride = l->axis_count,
        .workers_most = 1};
    if (k->arena.failed)
        return rc_arena_check(&k->arena, k->err, "the rows of rates");
    if (axis < l->axis_count)
        out->worker = l->axis + axis;
    for (size_t p = 0; p < l->point_count && out->worker; p++)
        if (out->worker[p * out->stride] > (int64_t)out->workers_most)
            out->workers_most = (size_t)out->worker[p * out->stride];
    for (size_t p = 0; p < places; p++) {
        const char *name = row_of(k, l->places[p], out->worker != NULL);
        size_t n = out->worker ? out->count : 0; /* the last one is the likeliest */
        while (n > 0 && strcmp(out->name[n - 1], name) != 0)
            n--;
        if (n == 0) {
            out->name[out->count++] = name;
            n = out->count;
        }
        row[p] = n - 1;
        out->first[n]++;
    }
    for (size_t n = 0; n < out->count; n++)
        out->first[n + 1] += out->first[n];
    for (size_t p = places; p-- > 0;) /* each place at the end of its row, in order */
        out->place[--out->first[row[p] + 1]] = p;
    memmove(out->first, out->first + 1, out->count * sizeof *out->first);
    out->first[out->count] = places;
    return RC_OK;
}

/* A rate that is made. */
struct making {
    struct rc_solve_kind *k;
    const struct rc_store_suite *l;
    size_t suite; /* its number in the store's kind */
    const struct rc_rate_rows *rows;
    struct rc_rate_formula formula;
    struct rc_rate_result *out;
    size_t *member;     /* [worker] its place */
    long double *value; /* [name][worker] */
    long double *room;  /* rc_expression_over_workers() */
    /* Values that are not known, by their reason. */
    size_t lacks, apart, none;
};

static int read_readings(struct making *m)
{
    const size_t vectors = m->l->place_count * m->l->repetitions;

    for (size_t i = 0; i < m->formula.readings; i++) {
        struct rc_rate_reading *r = &m->formula.reading[i];
        r->value =
            rc_arena_array(&m->k->step, vectors, m->l->point_count * sizeof *r->value);
        r->status = rc_arena_array(&m->k->step, vectors, 1);
        int status = rc_arena_check(&m->k->step, m->k->err, "the readings of a rate");
        struct rc_store_block block = {
            .first = r->event, .count = 1, .values = r->value, .status = r->status};
        if (status != RC_OK ||
            (status = rc_store_read_alone(m->k->store, m->k->number, m->suite, &block,
                                          m->k->err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

static int64_t reading_at(const struct making *m, size_t reading, size_t vector,
                          size_t point)
{
    const struct rc_rate_reading *r = &m->formula.reading[reading];

    return r->status[vector] == RC_READING_OK
               ? r->value[vector * m->l->point_count + point]
               : RC_STORE_MISSING_VALUE;
}

/* How many workers of the row have all readings, into 'member'; 'partly': another has
 * some of them.
 */
static size_t find_members(struct making *m, size_t row, size_t repetition,
                           size_t point, bool *partly)
{
    size_t count = 0;

    *partly = false;
    for (size_t i = m->rows->first[row]; i < m->rows->first[row + 1]; i++) {
        const size_t vector = m->rows->place[i] * m->l->repetitions + repetition;
        size_t there = 0;
        for (size_t r = 0; r < m->formula.readings; r++)
            there += reading_at(m, r, vector, point) != RC_STORE_MISSING_VALUE;
        if (there == m->formula.readings)
            m->member[count++] = vector;
        else
            *partly |= there > 0;
    }
    return count;
}

/* Whether all workers were at work at once. */
static bool is_together(const struct making *m, size_t workers, size_t point)
{
    const size_t begin = m->formula.begin, end = m->formula.end;
    int64_t last_begin = INT64_MIN, first_end = INT64_MAX;

    for (size_t w = 0; w < workers && begin != SIZE_MAX && end != SIZE_MAX; w++) {
        const int64_t began = reading_at(m, begin, m->member[w], point),
                      ended = reading_at(m, end, m->member[w], point);
        last_begin = began > last_begin ? began : last_begin;
        first_end = ended < first_end ? ended : first_end;
    }
    return workers == 1 || last_begin <= first_end;
}

/* The rate in one repetition, or NAN. */
static double value_at(struct making *m, size_t row, size_t repetition, size_t point)
{
    const struct rc_rate_formula *f = &m->formula;
    const int64_t wanted =
        m->rows->worker ? m->rows->worker[point * m->rows->stride] : 1;
    const size_t needed = wanted > 1 ? (size_t)wanted : 1;
    bool partly;
    const size_t workers = find_members(m, row, repetition, point, &partly);

    if (workers != needed || partly) {
        m->lacks += workers > 0 || partly;
        return NAN;
    }
    if (!is_together(m, workers, point)) {
        m->apart++;
        return NAN;
    }
    for (size_t n = 0; n < f->expression->name_count; n++)
        for (size_t w = 0; w < workers; w++) {
            const struct rc_rate_input *in = &f->input[n];
            long double sum = in->number ? (long double)in->number[point] : 0;
            for (size_t t = 0; t < in->terms; t++)
                sum += (long double)in->term[t].coefficient *
                       (long double)reading_at(m, in->term[t].reading, m->member[w],
                                               point);
            m->value[n * workers + w] = sum;
        }
    const double value =
        rc_expression_over_workers(f->expression, m->value, workers, m->room);
    if (isfinite(value))
        return value;
    m->none++;
    return NAN;
}

/* Puts together the repetitions of a row and point; 'sorted' is room for them. */
static void summarize(const struct rc_rate_result *out, size_t row, size_t point,
                      double *sorted)
{
    const size_t points = out->point_count, at = row * points + point;
    size_t count = 0;

    for (size_t r = 0; r < out->repetitions; r++) {
        const double v = out->values[(row * out->repetitions + r) * points + point];
        if (!isnan(v))
            sorted[count++] = v;
    }
    qsort(sorted, count, sizeof *sorted, rc_order_reals);
    const size_t order = rc_median_order(count);
    out->least[at] = count ? sorted[0] : NAN;
    out->best[at] = count ? sorted[count - 1] : NAN;
    out->median[at] = count ? (sorted[(count - 1) / 2] + sorted[count / 2]) / 2 : NAN;
    out->low[at] = order ? sorted[order - 1] : NAN;
    out->high[at] = order ? sorted[count - order] : NAN;
}

static int make_numbers(struct making *m)
{
    const struct rc_rate_result *out = m->out;
    double *sorted = rc_arena_array(&m->k->step, out->repetitions, sizeof *sorted);

    m->member = rc_arena_array(&m->k->step, m->l->place_count, sizeof *m->member);
    m->value = rc_arena_array(&m->k->step,
                              m->formula.expression->name_count * m->rows->workers_most,
                              sizeof *m->value);
    m->room = rc_arena_array(&m->k->step, RC_EXPRESSION_DEPTH * m->rows->workers_most,
                             sizeof *m->room);
    const int status = rc_arena_check(&m->k->step, m->k->err, "the values of a rate");
    if (status != RC_OK)
        return status;
    for (size_t row = 0; row < out->node_count; row++)
        for (size_t p = 0; p < out->point_count; p++) {
            for (size_t r = 0; r < out->repetitions; r++)
                out->values[(row * out->repetitions + r) * out->point_count + p] =
                    value_at(m, row, r, p);
            summarize(out, row, p, sorted);
        }
    return RC_OK;
}

/* Says in one line which values are not known. */
static void remark_unknown(struct making *m, struct rc_solve_suite *s)
{
    const struct {
        size_t count;
        const char *why;
    } reason[] = {{m->lacks, "without readings of all its workers"},
                  {m->apart, "whose workers did not work at once"},
                  {m->none,
                   "in which the formula divides by 0 or has a count that is not "
                   "known"}};
    const struct rc_rate_result *out = m->out;
    char line[RC_ERROR_TEXT] = "";

    for (size_t i = 0; i < sizeof reason / sizeof *reason; i++)
        if (reason[i].count)
            rc_text_append(line, sizeof line, "%s %zu %s", line[0] ? "," : ":",
                           reason[i].count, reason[i].why);
    if (line[0])
        rc_solve_remark(
            s, rc_solve_words(m->k, "rate %s lacks %zu of %zu values%s", out->name,
                              m->lacks + m->apart + m->none,
                              out->node_count * out->repetitions * out->point_count,
                              line));
}

static int make_rate(struct rc_solve_kind *k, struct rc_solve_suite *s,
                     const struct rc_rate_rows *rows,
                     const struct rc_rate_definition *d)
{
    const struct rc_store_suite *l = s->labels;
    struct rc_rate_result *out = &s->result.rate[s->result.rate_count];
    struct making m = {.k = k, .l = l, .suite = s->number, .rows = rows, .out = out};
    const size_t over = rows->count * l->point_count;
    const char *why = NULL;
    int status = rc_rate_find_names(k, s, rows, d, &m.formula, &why);

    if (status != RC_OK)
        goto out;
    if (why) {
        rc_solve_remark(s, s->no_rate[s->no_rates++] =
                               rc_solve_words(k, "rate %s is left out: %s: %s", d->name,
                                              d->where, why));
        goto out;
    }
    *out = (struct rc_rate_result){
        .name = d->name,
        .unit = d->unit,
        .convention = d->convention,
        .formula = d->formula,
        .suite = l->name,
        .node = rows->name,
        .node_count = rows->count,
        .repetitions = l->repetitions,
        .point = l->points,
        .point_count = l->point_count,
        .axis = l->axes,
        .axis_count = l->axis_count,
        .parameter = l->axis,
        .values = rc_arena_array(&k->arena, over * l->repetitions, sizeof *out->values),
        .least = rc_arena_array(&k->arena, over, sizeof *out->least),
        .median = rc_arena_array(&k->arena, over, sizeof *out->median),
        .best = rc_arena_array(&k->arena, over, sizeof *out->best),
        .low = rc_arena_array(&k->arena, over, sizeof *out->low),
        .high = rc_arena_array(&k->arena, over, sizeof *out->high)};
    if ((status = rc_arena_check(&k->arena, k->err, "the values of rates")) ||
        (status = read_readings(&m)) || (status = make_numbers(&m)))
        goto out;
    s->result.rate_count++;
    remark_unknown(&m, s);
out:
    rc_expression_close(m.formula.expression);
    rc_arena_free(&k->step);
    return status;
}

int rc_solve_rates(struct rc_solve_kind *k)
{
    int status = RC_OK;

    for (size_t i = 0; i < k->count && rc_team_rank(k->how->comm) == 0; i++) {
        struct rc_solve_suite *s = &k->suite[i];
        const size_t rates = s->definition->rate_count;
        struct rc_rate_rows rows;
        if (rates == 0 || !s->wanted)
            continue;
        s->result.rate = rc_arena_array(&k->arena, rates, sizeof *s->result.rate);
        s->no_rate = rc_arena_array(&k->arena, rates, sizeof *s->no_rate);
        status = rc_rate_rows_make(k, s->labels, &rows);
        for (size_t r = 0; r < rates && status == RC_OK; r++)
            status = make_rate(k, s, &rows, &s->definition->rate[r]);
        if (status != RC_OK)
            break;
    }
    return rc_solve_agree(k, status);
}
