/* The basis of a suite, for each source on the points that it measures.
 *
 * Ideals that no point of this machine has are left out.  Where the definition says so,
 * two nuisance columns are added: a constant count in each iteration (the loop), and a
 * constant count in each reading (starting and stopping), which per iteration is
 * 1 / iterations.  See docs/metrics.md.
 */
#include "campaign/base/text.h"
#include "campaign/solve/parts.h"
#include "kernels/ideal.h"
#include "solve/algebra/fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A nuisance column that is nearer than this to the span of the ideals is not new. */
static const double distance_least = 1e-3;

static const char of_iteration[] = "each iteration", of_reading[] = "each reading";

const char *rc_solve_words(struct rc_solve_kind *k, const char *format, ...)
{
    char text[RC_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rc_arena_text(&k->arena, text);
}

void rc_solve_remark(struct rc_solve_suite *s, const char *text)
{
    s->remark[s->result.remark_count++] = text;
}

const struct rc_suite_definition *
rc_solve_definition(const struct rc_definitions *definitions, const char *suite)
{
    static const struct rc_suite_definition defaults = {
        .alpha = 5e-4, .tau = NAN, .residual = 1e-2, .purity = 1e-2};
    const struct rc_suite_definition *found = rc_definitions_find(definitions, suite);

    return found ? found : &defaults;
}

size_t rc_solve_find(const char *const *list, size_t count, const char *word)
{
    size_t i = 0;

    while (i < count && strcmp(list[i], word) != 0)
        i++;
    return i;
}

/* A user's own column takes precedence over the store. */
struct rc_range rc_solve_range(const struct rc_solve_suite *s, const char *ideal,
                               size_t point)
{
    const struct rc_suite_definition *d = s->definition;
    const struct rc_store_suite *l = s->labels;

    for (size_t i = 0; i < d->column_count; i++)
        if (strcmp(d->column[i].ideal, ideal) == 0)
            return rc_exactly(rc_column_value(&d->column[i], l->points[point]));
    const size_t i = rc_solve_find(l->ideals, l->ideal_count, ideal),
                 at = point * l->ideal_count + i;
    if (i == l->ideal_count)
        return rc_unknown();
    return l->low ? rc_between(l->low[at], l->high[at]) : rc_exactly(l->basis[at]);
}

double rc_solve_ideal(const struct rc_solve_suite *s, const char *ideal, size_t point)
{
    return rc_range_exact(rc_solve_range(s, ideal, point));
}

size_t rc_solve_source_number(const struct rc_solve_suite *s, const char *name)
{
    return rc_solve_find(s->labels->sources, s->labels->source_count, name);
}

static bool is_measured(const struct rc_store_suite *l, size_t source, size_t point)
{
    return l->iterations[source * l->point_count + point] != 0;
}

/* Checks that each point or pattern in a user's own columns matches the suite. */
static int check_columns(const struct rc_solve_suite *s, struct rc_error *err)
{
    const struct rc_suite_definition *d = s->definition;
    const struct rc_store_suite *l = s->labels;

    for (size_t i = 0; i < d->column_count; i++) {
        const struct rc_column_definition *c = &d->column[i];
        for (size_t j = 0; j < c->count; j++) {
            size_t p = 0;
            while (p < l->point_count && !rc_text_glob(c->point[j], l->points[p]))
                p++;
            if (p == l->point_count)
                return rc_fail(err, RC_EUSAGE,
                               "%s: column '%s': point '%s', expected a point of suite "
                               "'%s', such as '%s'",
                               c->where, c->ideal, c->point[j], l->name, l->points[0]);
        }
    }
    return RC_OK;
}

/* Puts an ideal into the basis, or among those left out if it is 0 or not known on each
 * measured point.
 */
static void place_ideal(struct rc_solve_suite *s, const char *ideal)
{
    const struct rc_store_suite *l = s->labels;
    bool has_part = false;

    for (size_t p = 0; p < l->point_count && !has_part; p++) {
        const double value = rc_solve_ideal(s, ideal, p);
        for (size_t i = 0; i < l->source_count && !isnan(value) && value != 0; i++)
            has_part |= is_measured(l, i, p);
    }
    if (has_part)
        s->coordinate[s->ideals++] = ideal;
    else
        s->left_out[s->left_out_count++] = ideal;
}

/* Whether an ideal that the store does not have belongs to the suite: the build that
 * measured the suite did not have that ideal yet.
 */
static bool is_newer(const struct rc_store_suite *l, const char *ideal)
{
    return strcmp(rc_ideal_suite(rc_ideal_find(ideal)), l->name) == 0;
}

/* Chooses the ideals that the definition lists, else the suite's own; then adds those
 * of a user's columns.
 */
static int choose_ideals(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    const struct rc_suite_definition *d = s->definition;
    const struct rc_store_suite *l = s->labels;
    const bool named = d->ideal_count > 0;
    const size_t count = named ? d->ideal_count : l->own_count;
    const size_t columns = d->column_count;
    const char *const *ideal = named ? d->ideal : l->ideals;

    s->coordinate = rc_arena_array(&k->arena, count + columns + 2, sizeof *ideal);
    s->left_out = rc_arena_array(&k->arena, count + columns, sizeof *ideal);
    s->remark = rc_arena_array(
        &k->arena, RC_SOLVE_REMARKS + l->source_count + s->definition->rate_count,
        sizeof *s->remark);
    s->result.remark = s->remark;
    const int status = rc_arena_check(&k->arena, k->err, "the ideals of a suite");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (rc_solve_find(l->ideals, l->ideal_count, ideal[i]) == l->ideal_count &&
            !is_newer(l, ideal[i]))
            return rc_fail(k->err, RC_EUSAGE,
                           "%s: ideal '%s', expected one that campaign.h5 knows on the "
                           "points of suite '%s'",
                           named ? d->where : l->name, ideal[i], l->name);
        place_ideal(s, ideal[i]);
    }
    for (size_t i = 0; i < columns; i++)
        if (rc_solve_find(ideal, count, d->column[i].ideal) == count)
            place_ideal(s, d->column[i].ideal);
    s->coordinates = s->ideals;
    return RC_OK;
}

/* Fills in the points of a source, and the ideals there; leaves out points where an
 * ideal is not known.
 */
static void fill_source(const struct rc_solve_suite *s, size_t number)
{
    const struct rc_store_suite *l = s->labels;
    struct rc_solve_source *source = &s->source[number];

    for (size_t p = 0; p < l->point_count; p++) {
        size_t known = 0;
        if (!is_measured(l, number, p))
            continue;
        source->measured++;
        while (known < s->ideals && isfinite(s->ideal[p * s->ideals + known]))
            known++;
        if (known == s->ideals)
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
}

static int fill_sources(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    const size_t points = s->labels->point_count, sources = s->labels->source_count;
    struct rc_arena *arena = &k->arena;

    s->ideal = rc_arena_array(arena, points * s->ideals, sizeof *s->ideal);
    s->source = rc_arena_array(arena, sources, sizeof *s->source);
    if (!s->source)
        return rc_arena_check(arena, k->err, "the basis of a suite");
    for (size_t i = 0; i < sources; i++) {
        struct rc_solve_source *source = &s->source[i];
        source->point = rc_arena_array(arena, points, sizeof *source->point);
        source->value =
            rc_arena_array(arena, points * (s->ideals + 2), sizeof *source->value);
    }
    const int status = rc_arena_check(arena, k->err, "the basis of a suite");
    if (status != RC_OK)
        return status;
    for (size_t p = 0; p < points; p++)
        for (size_t i = 0; i < s->ideals; i++)
            s->ideal[p * s->ideals + i] = rc_solve_ideal(s, s->coordinate[i], p);
    for (size_t i = 0; i < sources; i++)
        fill_source(s, i);
    return RC_OK;
}

/* Appends a nuisance column to the basis of each source.  Keeps it, and returns true,
 * only if it is new for every source, so that all have the same coordinates.
 */
static bool add_nuisance(struct rc_solve_suite *s, const char *name)
{
    const struct rc_store_suite *l = s->labels;
    bool is_new = true;

    for (size_t i = 0; i < l->source_count; i++) {
        const struct rc_solve_source *source = &s->source[i];
        const uint64_t *iterations = l->iterations + i * l->point_count;
        double *column = source->value + s->coordinates * source->points;
        for (size_t p = 0; p < source->points; p++)
            column[p] =
                name == of_iteration ? 1 : 1 / (double)iterations[source->point[p]];
        if (source->points > 0 &&
            (source->points <= s->coordinates + 1 ||
             !(rc_basis_distance(&source->basis, column) > distance_least)))
            is_new = false;
    }
    if (!is_new)
        return false;
    s->coordinate[s->coordinates++] = name;
    for (size_t i = 0; i < l->source_count; i++)
        s->source[i].basis.coordinates = s->coordinates;
    return true;
}

/* Where the number of iterations follows from the work in each, a constant count in
 * each reading looks like a little of several ideals.  Finds how much of each, for each
 * source, so that it can be subtracted from events (reading_overhead.c).
 */
static int find_overheads(struct rc_solve_kind *k, const struct rc_solve_suite *s)
{
    const size_t points = s->labels->point_count;
    double *inverse =
        rc_arena_array(&k->step, points * s->coordinates, sizeof *inverse);
    int status = rc_arena_check(&k->step, k->err, "the basis of a suite");

    if (status != RC_OK)
        return status;
    for (size_t n = 0; n < s->labels->source_count; n++) {
        struct rc_solve_source *source = &s->source[n];
        const uint64_t *iterations = s->labels->iterations + n * points;
        if (source->no_basis)
            continue;
        source->overhead =
            rc_arena_array(&k->arena, s->coordinates, sizeof *source->overhead);
        if ((status = rc_arena_check(&k->arena, k->err, "the basis of a suite")) !=
                RC_OK ||
            (status = rc_fit_inverse(&source->basis, inverse, k->err)) != RC_OK)
            return status;
        for (size_t p = 0; p < source->points; p++)
            for (size_t i = 0; i < s->coordinates; i++)
                source->overhead[i] += inverse[i + p * s->coordinates] /
                                       (double)iterations[source->point[p]];
    }
    return RC_OK;
}

/* No event is solved on kernels whose instructions nobody knows. */
static int pass_by(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    s->result.compiled = true;
    for (size_t i = 0; i < s->labels->source_count; i++)
        s->source[i].no_basis = "a compiler made this suite's kernels";
    rc_solve_remark(s, rc_solve_words(k,
                                      "no event is solved on it, since a compiler made "
                                      "its kernels: %s",
                                      s->labels->made_by));
    return RC_OK;
}

int rc_solve_basis(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    const struct rc_suite_definition *d = s->definition;
    bool hidden_overhead = false;
    char list[512] = "";
    int status;

    if ((status = check_columns(s, k->err)) != RC_OK ||
        (status = choose_ideals(k, s)) != RC_OK ||
        (status = fill_sources(k, s)) != RC_OK)
        return status;
    if (s->labels->made_by)
        return pass_by(k, s);
    if (d->note)
        rc_solve_remark(s, d->note);
    for (size_t i = 0; i < s->left_out_count; i++)
        rc_text_append(list, sizeof list, "%s%s", i ? ", " : "", s->left_out[i]);
    if (s->left_out_count)
        rc_solve_remark(s, rc_solve_words(k, "no point of this machine has %s", list));
    if (d->single && s->labels->repetitions == 1)
        rc_solve_remark(s, "only one repetition: noise is not known and is given as 0");
    if (s->ideals == 0)
        rc_solve_remark(s, "none of its ideals is known on the points measured");
    if (d->nuisance && !k->how->plain && s->ideals) {
        add_nuisance(s, of_iteration);
        hidden_overhead = !add_nuisance(s, of_reading);
    }
    /* Events of a source whose points do not tell the ideals apart get no coordinates.
     */
    for (size_t i = 0; i < s->labels->source_count; i++) {
        struct rc_solve_source *source = &s->source[i];
        struct rc_error why;
        if (source->measured == 0) {
            source->no_basis = "it measures no points of this suite";
            continue;
        }
        if (rc_basis_check(&source->basis, NULL, &why) == RC_OK)
            continue;
        source->no_basis = rc_arena_text(&k->arena, why.text);
        rc_solve_remark(s, rc_solve_words(k, "source %s: no basis: %s",
                                          s->labels->sources[i], why.text));
    }
    return hidden_overhead ? find_overheads(k, s) : RC_OK;
}
