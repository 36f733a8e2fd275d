/* The lines of a figure: which readings differ, and what they amount to. */
#include "io/report/curves_parts.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double rc_curve_value(const struct rc_curve *c, size_t vector, size_t point)
{
    const int64_t value = c->values[vector * c->suite->labels->point_count + point];

    if (c->iterations[point] == 0 || value == RC_STORE_MISSING_VALUE)
        return NAN;
    return (double)value / (double)c->iterations[point];
}

static int compare(const struct rc_curve *c, size_t a, size_t b)
{
    const size_t points = c->suite->labels->point_count;

    return memcmp(c->values + a * points, c->values + b * points,
                  points * sizeof *c->values);
}

bool rc_curve_same(const struct rc_curve *c, size_t a, size_t b)
{
    return compare(c, a, b) == 0;
}

static size_t place_of(const struct rc_curve *c, size_t vector)
{
    return vector / c->suite->labels->repetitions;
}

/* Sorted by what they count, by place first where places are told apart. */
struct order {
    const struct rc_curve *curve;
    bool apart;
};

static int by_counts(const void *a, const void *b, void *context)
{
    const struct order *o = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const size_t p = place_of(o->curve, x), q = place_of(o->curve, y);

    if (o->apart && p != q)
        return p < q ? -1 : 1;
    const int differs = compare(o->curve, x, y);
    return differs ? differs : (x > y) - (x < y);
}

static void sort(struct rc_curve_lines *l, const struct rc_curve *c)
{
    struct order order = {c, l->apart};

    qsort_r(l->vector, l->valid, sizeof *l->vector, by_counts, &order);
    for (size_t i = 0; i < l->valid; i++)
        l->different +=
            i == 0 || !rc_curve_same(c, l->vector[i - 1], l->vector[i]) ||
            (l->apart && place_of(c, l->vector[i - 1]) != place_of(c, l->vector[i]));
    l->drawn = l->different < RC_CURVE_LINES ? l->different : RC_CURVE_LINES;
}

static void put_valid(struct rc_curve_lines *l, const struct rc_curve *c)
{
    const struct rc_store_suite *s = c->suite->labels;

    for (size_t v = 0; v < s->place_count * s->repetitions; v++) {
        if (c->status[v] == c->suite->ok)
            l->vector[l->valid++] = v;
        else
            l->invalid += c->status[v] != 0;
    }
}

/* The mean without sums that could lose digits or overflow: as a running mean. */
static void put_point(struct rc_curve_lines *l, const struct rc_curve *c, size_t point)
{
    double mean = 0, least = NAN, most = NAN;
    size_t n = 0;

    for (size_t i = 0; i < l->valid; i++) {
        const double y = rc_curve_value(c, l->vector[i], point);
        if (isnan(y))
            continue;
        mean += (y - mean) / (double)++n;
        least = fmin(least, y);
        most = fmax(most, y);
    }
    /* Where all are the same, so is their mean. */
    l->mean[point] = n == 0 ? NAN : least == most ? least : mean;
    l->least[point] = least;
    l->most[point] = most;
    if (n && (least != 0 || most != 0))
        l->zero = false;
}

static double ideal_at(const struct rc_curve *c, size_t coordinate, size_t point)
{
    const struct rc_store_suite *s = c->suite->labels;
    const size_t ideal = c->suite->ideal[coordinate];

    if (ideal == RC_CURVE_ITERATION)
        return 1;
    if (ideal == RC_CURVE_READING)
        return 1 / (double)c->iterations[point];
    return ideal == RC_CURVE_UNKNOWN ? NAN : s->basis[point * s->ideal_count + ideal];
}

static double expected_at(const struct rc_curve *c, size_t point)
{
    double sum = 0;

    for (size_t i = 0; i < c->suite->result->coordinate_count; i++)
        if (c->representation[i] != 0)
            sum += c->representation[i] * ideal_at(c, i, point);
    return c->iterations[point] && rc_report_can_draw(sum) ? sum : NAN;
}

/* What the representation says; NULL where it says nothing on any point. */
static int put_expected(struct rc_curve_lines *l, const struct rc_curve *c,
                        struct rc_error *err)
{
    const size_t points = c->suite->labels->point_count;
    bool any = false;

    if (!c->representation || !c->suite->result)
        return RC_OK;
    l->expected = rc_calloc(points, sizeof *l->expected);
    if (!l->expected)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu points", points);
    for (size_t p = 0; p < points; p++) {
        l->expected[p] = expected_at(c, p);
        any |= !isnan(l->expected[p]);
    }
    if (!any) {
        free(l->expected);
        l->expected = NULL;
    }
    return RC_OK;
}

int rc_curve_lines_init(struct rc_curve_lines *l, const struct rc_curve *c,
                        struct rc_error *err)
{
    const struct rc_store_suite *s = c->suite->labels;

    *l = (struct rc_curve_lines){.zero = true,
                                 .apart = s->place_count <= RC_CURVE_PLACES};
    l->vector = rc_calloc(s->place_count * s->repetitions, sizeof *l->vector);
    l->mean = rc_calloc(s->point_count, 3 * sizeof *l->mean);
    if (!l->vector || !l->mean)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu points", s->point_count);
    l->least = l->mean + s->point_count;
    l->most = l->least + s->point_count;
    if (c->iterations)
        put_valid(l, c);
    sort(l, c);
    for (size_t p = 0; p < s->point_count && l->valid; p++)
        put_point(l, c, p);
    return l->valid && !l->zero ? put_expected(l, c, err) : RC_OK;
}

void rc_curve_lines_fini(struct rc_curve_lines *l)
{
    free(l->vector);
    free(l->mean);
    free(l->expected);
}
