/* What all readings of an event in a suite amount to. */
#include "io/report/curves_parts.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double rc_curve_value(const struct rc_curve *c, size_t vector, size_t point)
{
    const int64_t value = c->values[vector * c->suite->labels->point_count + point];

    if (!c->iterations || c->iterations[point] == 0 || value == RC_STORE_MISSING_VALUE)
        return NAN;
    return (double)value / (double)c->iterations[point];
}

static bool same(const struct rc_curve *c, size_t a, size_t b)
{
    const size_t points = c->suite->labels->point_count;

    return memcmp(c->values + a * points, c->values + b * points,
                  points * sizeof *c->values) == 0;
}

static void put_valid(struct rc_curve_readings *r, const struct rc_curve *c)
{
    const struct rc_store_suite *s = c->suite->labels;

    for (size_t v = 0; v < s->place_count * s->repetitions; v++) {
        if (c->status[v] == c->suite->ok) {
            r->vector[r->valid++] = v;
            r->same &= same(c, r->vector[0], v);
        } else
            r->invalid += c->status[v] != 0;
    }
}

/* The mean without sums that could lose digits or overflow: as a running mean. */
static void put_point(struct rc_curve_readings *r, const struct rc_curve *c,
                      size_t point)
{
    double mean = 0, least = NAN, most = NAN;
    size_t n = 0;

    for (size_t i = 0; i < r->valid; i++) {
        const double y = rc_curve_value(c, r->vector[i], point);
        if (isnan(y))
            continue;
        mean += (y - mean) / (double)++n;
        least = fmin(least, y);
        most = fmax(most, y);
    }
    /* Where all are the same, so is their mean. */
    r->mean[point] = n == 0 ? NAN : least == most ? least : mean;
    r->least[point] = least;
    r->most[point] = most;
    if (n && (least != 0 || most != 0))
        r->zero = false;
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
static int put_expected(struct rc_curve_readings *r, const struct rc_curve *c,
                        struct rc_error *err)
{
    const size_t points = c->suite->labels->point_count;
    bool any = false;

    if (!c->iterations || !c->representation || !c->suite->result)
        return RC_OK;
    r->expected = rc_calloc(points, sizeof *r->expected);
    if (!r->expected)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu points", points);
    for (size_t p = 0; p < points; p++) {
        r->expected[p] = expected_at(c, p);
        any |= !isnan(r->expected[p]);
    }
    if (!any) {
        free(r->expected);
        r->expected = NULL;
    }
    return RC_OK;
}

int rc_curve_read(const struct rc_curve *c, struct rc_curve_readings *r,
                  struct rc_error *err)
{
    const struct rc_store_suite *s = c->suite->labels;

    *r = (struct rc_curve_readings){.zero = true, .same = true};
    r->vector = rc_calloc(s->place_count * s->repetitions, sizeof *r->vector);
    r->mean = rc_calloc(s->point_count, 3 * sizeof *r->mean);
    if (!r->vector || !r->mean)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu points", s->point_count);
    r->least = r->mean + s->point_count;
    r->most = r->least + s->point_count;
    if (c->iterations)
        put_valid(r, c);
    for (size_t p = 0; p < s->point_count && r->valid; p++)
        put_point(r, c, p);
    return r->valid && !r->zero ? put_expected(r, c, err) : RC_OK;
}

void rc_curve_readings_fini(struct rc_curve_readings *r)
{
    free(r->vector);
    free(r->mean);
    free(r->expected);
}
