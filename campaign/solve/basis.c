/* The basis of a suite, for each source on the points that it measures. */
#include "campaign/base/text.h"
#include "campaign/solve/parts.h"
#include "solve/fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nuisance columns nearer than that to what the ideals span say nothing new. */
static const double distance_least = 1e-3;

static const char of_iteration[] = "each iteration", of_reading[] = "each reading";

void rc_solve_remark(struct rc_solve_kind *k, struct rc_solve_suite *s,
                     const char *format, ...)
{
    struct rc_suite_result *r = &s->result;
    const char **list =
        realloc((void *)r->remark, (r->remark_count + 1) * sizeof *list);
    char text[RC_ERROR_TEXT];
    va_list args;

    if (!list)
        return; /* a remark less, and memory will be missed elsewhere, too */
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->remark = list;
    if ((list[r->remark_count] = rc_pool_copy(k->pool, text)))
        r->remark_count++;
}

size_t rc_solve_find(const char *const *list, size_t count, const char *word)
{
    size_t i = 0;

    while (i < count && strcmp(list[i], word) != 0)
        i++;
    return i;
}

static const struct rc_column_definition *own_column(const struct rc_solve_suite *s,
                                                     const char *ideal)
{
    const struct rc_suite_definition *d = s->definition;

    for (size_t i = 0; d && i < d->column_count; i++)
        if (strcmp(d->column[i].ideal, ideal) == 0)
            return &d->column[i];
    return NULL;
}

double rc_solve_ideal(const struct rc_solve_suite *s, const char *ideal, size_t point)
{
    const struct rc_column_definition *own = own_column(s, ideal);
    const struct rc_store_suite *l = s->labels;

    if (own)
        return rc_column_value(own, l->points[point]);
    size_t i = rc_solve_find(l->ideals, l->ideal_count, ideal);
    return i < l->ideal_count ? l->basis[point * l->ideal_count + i] : NAN;
}

size_t rc_solve_source_number(const struct rc_solve_suite *s, const char *name)
{
    return rc_solve_find(s->labels->sources, s->labels->source_count, name);
}

static bool is_measured(const struct rc_store_suite *l, size_t source, size_t point)
{
    return l->iterations[source * l->point_count + point] != 0;
}

static bool is_measured_at_all(const struct rc_store_suite *l, size_t point)
{
    for (size_t i = 0; i < l->source_count; i++)
        if (is_measured(l, i, point))
            return true;
    return false;
}

/* An ideal that is 0, or not known, on every point that is measured has no part in
 * the basis of this machine.
 */
static bool has_part(const struct rc_solve_suite *s, const char *ideal)
{
    for (size_t p = 0; p < s->labels->point_count; p++) {
        const double value = rc_solve_ideal(s, ideal, p);
        if (!isnan(value) && value != 0 && is_measured_at_all(s->labels, p))
            return true;
    }
    return false;
}

/* Whether the name or pattern is of any point of the suite. */
static bool is_of_a_point(const struct rc_store_suite *l, const char *pattern)
{
    for (size_t p = 0; p < l->point_count; p++)
        if (rc_text_glob(pattern, l->points[p]))
            return true;
    return false;
}

/* That the columns of a user's own name points of the suite. */
static int check_columns(const struct rc_solve_suite *s, struct rc_error *err)
{
    const struct rc_suite_definition *d = s->definition;
    const struct rc_store_suite *l = s->labels;

    for (size_t i = 0; d && i < d->column_count; i++) {
        const struct rc_column_definition *c = &d->column[i];
        for (size_t j = 0; j < c->count; j++)
            if (!is_of_a_point(l, c->point[j]))
                return rc_fail(err, RC_EUSAGE,
                               "%s: column '%s': point '%s', expected a point of suite "
                               "'%s', such as '%s'",
                               c->where, c->ideal, c->point[j], l->name, l->points[0]);
    }
    return RC_OK;
}

static void take_ideal(struct rc_solve_suite *s, const char *ideal)
{
    if (has_part(s, ideal))
        s->coordinate[s->ideals++] = ideal;
    else
        s->left_out[s->left_out_count++] = ideal;
}

/* Those that the definition lists, or the suite's own; then a user's columns. */
static int choose_ideals(struct rc_solve_suite *s, struct rc_error *err)
{
    const struct rc_suite_definition *d = s->definition;
    const struct rc_store_suite *l = s->labels;
    const bool named = d && d->ideal_count;
    const size_t count = named ? d->ideal_count : l->own_count;
    const size_t columns = d ? d->column_count : 0;
    const char *const *ideal = named ? d->ideal : l->ideals;

    s->coordinate = rc_calloc(count + columns + 2, sizeof *s->coordinate);
    s->left_out = rc_calloc(count + columns, sizeof *s->left_out);
    if (!s->coordinate || !s->left_out)
        return rc_solve_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (rc_solve_find(l->ideals, l->ideal_count, ideal[i]) == l->ideal_count)
            return rc_fail(err, RC_EUSAGE,
                           "%s: ideal '%s', expected one that campaign.h5 knows on the "
                           "points of suite '%s'",
                           named ? d->where : l->name, ideal[i], l->name);
        take_ideal(s, ideal[i]);
    }
    for (size_t i = 0; i < columns; i++)
        if (rc_solve_find(ideal, count, d->column[i].ideal) == count)
            take_ideal(s, d->column[i].ideal);
    s->coordinates = s->ideals;
    return RC_OK;
}

static int fill_ideals(struct rc_solve_suite *s, struct rc_error *err)
{
    const size_t points = s->labels->point_count;

    s->ideal = rc_calloc(points * s->ideals, sizeof *s->ideal);
    if (!s->ideal)
        return rc_solve_no_memory(err);
    for (size_t p = 0; p < points; p++)
        for (size_t i = 0; i < s->ideals; i++)
            s->ideal[p * s->ideals + i] = rc_solve_ideal(s, s->coordinate[i], p);
    return RC_OK;
}

static bool is_known(const struct rc_solve_suite *s, size_t point)
{
    for (size_t i = 0; i < s->ideals; i++)
        if (!isfinite(s->ideal[point * s->ideals + i]))
            return false;
    return true;
}

/* The points of a source, and the ideals there. */
static int fill_source(const struct rc_solve_suite *s, size_t number,
                       struct rc_error *err)
{
    const struct rc_store_suite *l = s->labels;
    struct rc_solve_source *source = &s->source[number];

    source->point = rc_calloc(l->point_count, sizeof *source->point);
    source->value = rc_calloc(l->point_count * (s->ideals + 2), sizeof *source->value);
    if (!source->point || !source->value)
        return rc_solve_no_memory(err);
    for (size_t p = 0; p < l->point_count; p++) {
        source->measured += is_measured(l, number, p);
        if (is_measured(l, number, p) && is_known(s, p))
            source->point[source->points++] = p;
    }
    for (size_t i = 0; i < s->ideals; i++)
        for (size_t p = 0; p < source->points; p++)
            source->value[i * source->points + p] =
                s->ideal[source->point[p] * s->ideals + i];
    source->basis = (struct rc_basis){.points = source->points,
                                      .coordinates = s->ideals,
                                      .value = source->value,
                                      .name = s->coordinate};
    return RC_OK;
}

/* Adds a nuisance column behind the basis of a source: true if it says anything new.
 * It is kept only if it does so for every source, so that coordinates stay the same.
 */
static bool try_nuisance(const struct rc_solve_suite *s, size_t number,
                         const char *name)
{
    struct rc_solve_source *source = &s->source[number];
    double *column = source->value + s->coordinates * source->points;

    if (source->points == 0)
        return true;
    for (size_t p = 0; p < source->points; p++)
        column[p] =
            name == of_iteration
                ? 1
                : 1 / (double)s->labels->iterations[number * s->labels->point_count +
                                                    source->point[p]];
    return source->points > s->coordinates + 1 &&
           rc_basis_distance(&source->basis, column) > distance_least;
}

static bool add_nuisance(struct rc_solve_suite *s, const char *name)
{
    bool is_new = true;

    for (size_t i = 0; i < s->labels->source_count; i++)
        is_new = try_nuisance(s, i, name) && is_new;
    if (!is_new)
        return false;
    s->coordinate[s->coordinates++] = name;
    for (size_t i = 0; i < s->labels->source_count; i++)
        s->source[i].basis.coordinates = s->coordinates;
    return true;
}

/* Where iterations go with what is done in them, the constant rest of a reading looks
 * like a little of all ideals: which ones is kept, to be taken off again.
 */
static int find_rest(const struct rc_solve_suite *s, size_t number,
                     struct rc_error *err)
{
    struct rc_solve_source *source = &s->source[number];
    const uint64_t *iterations =
        s->labels->iterations + number * s->labels->point_count;
    double *inverse = rc_calloc(source->points * s->coordinates, sizeof *inverse);
    int status = inverse ? RC_OK : rc_solve_no_memory(err);

    source->rest = rc_calloc(s->coordinates, sizeof *source->rest);
    if (status == RC_OK && !source->rest)
        status = rc_solve_no_memory(err);
    if (status == RC_OK)
        status = rc_fit_inverse(&source->basis, inverse, err);
    for (size_t p = 0; p < source->points && status == RC_OK; p++)
        for (size_t i = 0; i < s->coordinates; i++)
            source->rest[i] +=
                inverse[i + p * s->coordinates] / (double)iterations[source->point[p]];
    free(inverse);
    return status;
}

static int find_rests(const struct rc_solve_suite *s, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < s->labels->source_count && status == RC_OK; i++)
        if (!s->source[i].no_basis)
            status = find_rest(s, i, err);
    return status;
}

static void check_sources(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    for (size_t i = 0; i < s->labels->source_count; i++) {
        struct rc_solve_source *source = &s->source[i];
        struct rc_error why;
        if (source->measured == 0) {
            source->no_basis = "it measures no points of this suite";
            continue;
        }
        if (rc_basis_check(&source->basis, NULL, &why) == RC_OK)
            continue;
        source->no_basis = rc_pool_copy(k->pool, why.text);
        rc_solve_remark(k, s, "source %s: no basis: %s", s->labels->sources[i],
                        why.text);
    }
}

static void remark_left_out(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    char list[512] = "";

    for (size_t i = 0; i < s->left_out_count; i++) {
        rc_text_append(list, sizeof list, "%s%s", i ? ", " : "", s->left_out[i]);
    }
    if (s->left_out_count)
        rc_solve_remark(k, s, "no point of this machine has %s", list);
}

int rc_solve_basis(struct rc_solve_kind *k, struct rc_solve_suite *s,
                   struct rc_error *err)
{
    const struct rc_suite_definition *d = s->definition;
    bool hidden_rest = false;
    int status = check_columns(s, err);

    if (status == RC_OK)
        status = choose_ideals(s, err);
    if (status == RC_OK)
        status = fill_ideals(s, err);
    s->source = rc_calloc(s->labels->source_count, sizeof *s->source);
    if (status == RC_OK && !s->source)
        status = rc_solve_no_memory(err);
    for (size_t i = 0; i < s->labels->source_count && status == RC_OK; i++)
        status = fill_source(s, i, err);
    if (status != RC_OK)
        return status;
    remark_left_out(k, s);
    if (d && d->single && s->labels->repetitions == 1)
        rc_solve_remark(k, s,
                        "one repetition only: nothing is known of noise, which stands "
                        "as 0");
    if (s->ideals == 0)
        rc_solve_remark(k, s, "none of its ideals is known on the points measured");
    if (d && d->nuisance && !k->how->plain && s->ideals) {
        add_nuisance(s, of_iteration);
        hidden_rest = !add_nuisance(s, of_reading);
    }
    check_sources(k, s);
    return hidden_rest ? find_rests(s, err) : RC_OK;
}
