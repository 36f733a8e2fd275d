/* Sums of a few events that are a metric, by what was planted: the simplex method on
 * the least sum of sizes, which has few terms and little that cancels; events that are
 * worth little in it are made dearer, until there are few enough.
 */
#include "tests/planted/planted_caches.h"

#include "campaign/base/memory.h"
#include "campaign/base/mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts of a vector of norm 1: least that is new, least part of a sum, and step that
 * moves a start aside.
 */
static const double new_least = 1e-7, part_least = 1e-9, aside = 1e-6;

enum { ROUNDS = 8, PIVOTS = 400 };

struct planted_sparse {
    const struct planted *m;
    size_t rows, rank;
    double *unit;   /* [row] 1 / instructions */
    double *q;      /* [rank][row] orthonormal */
    double *a;      /* [event][rank], of norm 1 in q */
    double *norm;   /* [event] of the counts */
    double *vector; /* [row] */
    /* For a metric. */
    double b[PLANTED_EVENTS];
    double table[PLANTED_EVENTS][PLANTED_EVENTS + 2]; /* events, b, b moved aside */
    double cost[PLANTED_EVENTS];
    size_t basis[PLANTED_EVENTS];
};

static double fill_vector(struct planted_sparse *s, const double *given)
{
    double weight[RC_IDEAL_COUNT];
    size_t row = 0;

    memcpy(weight, given, sizeof weight);
    planted_caches_reduce(weight);
    for (size_t i = 0; i < s->m->suites; i++)
        for (size_t p = 0; p < s->m->suite[i].points.count; p++, row++) {
            const double *done = s->m->suite[i].done + p * RC_IDEAL_COUNT;
            double sum = 0;
            for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
                if (weight[q] != 0)
                    sum += weight[q] * done[q];
            s->vector[row] = sum * s->unit[row];
        }
    return planted_norm(s->vector, s->rows);
}

/* The vector's coordinates in q, whose rest stays in it; the rest's norm. */
static double project(struct planted_sparse *s, double *out)
{
    memset(out, 0, PLANTED_EVENTS * sizeof *out);
    for (int times = 0; times < 2; times++)
        for (size_t j = 0; j < s->rank; j++) {
            const double *q = s->q + j * s->rows;
            double along = 0;
            for (size_t i = 0; i < s->rows; i++)
                along += q[i] * s->vector[i];
            out[j] += along;
            for (size_t i = 0; i < s->rows; i++)
                s->vector[i] -= along * q[i];
        }
    return planted_norm(s->vector, s->rows);
}

static void fill_units(struct planted_sparse *s)
{
    size_t row = 0;

    for (size_t i = 0; i < s->m->suites; i++)
        for (size_t p = 0; p < s->m->suite[i].points.count; p++)
            s->unit[row++] =
                1 / fmax(1e-3, s->m->suite[i].done[p * RC_IDEAL_COUNT + RC_IDEAL_INS]);
}

static void add_event(struct planted_sparse *s, size_t event)
{
    double along[PLANTED_EVENTS];
    const double norm = fill_vector(s, s->m->event[event].weight);

    s->norm[event] = norm;
    if (norm == 0)
        return;
    for (size_t i = 0; i < s->rows; i++)
        s->vector[i] /= norm;
    const double rest = project(s, along);
    if (rest > new_least) {
        for (size_t i = 0; i < s->rows; i++)
            s->q[s->rank * s->rows + i] = s->vector[i] / rest;
        along[s->rank++] = rest;
    }
    memcpy(s->a + event * PLANTED_EVENTS, along, sizeof along);
}

struct planted_sparse *planted_sparse_create(const struct planted *m)
{
    struct planted_sparse *s = rc_calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->m = m;
    s->rows = planted_rows(m);
    s->unit = rc_calloc(s->rows, sizeof *s->unit);
    s->vector = rc_calloc(s->rows, sizeof *s->vector);
    s->q = rc_calloc(s->rows * PLANTED_EVENTS, sizeof *s->q);
    s->a = rc_calloc((size_t)PLANTED_EVENTS * PLANTED_EVENTS, sizeof *s->a);
    s->norm = rc_calloc(PLANTED_EVENTS, sizeof *s->norm);
    if (!s->unit || !s->vector || !s->q || !s->a || !s->norm) {
        planted_sparse_free(s);
        return NULL;
    }
    fill_units(s);
    for (size_t e = 0; e < m->events; e++)
        add_event(s, e);
    return s;
}

void planted_sparse_free(struct planted_sparse *s)
{
    if (!s)
        return;
    free(s->unit);
    free(s->vector);
    free(s->q);
    free(s->a);
    free(s->norm);
    free(s);
}

/* Makes the event's column that of 'row' alone. */
static void pivot(struct planted_sparse *s, size_t row, size_t event)
{
    const size_t columns = s->m->events + 2;
    const double by = s->table[row][event];

    for (size_t j = 0; j < columns; j++)
        s->table[row][j] /= by;
    for (size_t i = 0; i < s->rank; i++) {
        const double factor = s->table[i][event];
        if (i == row || factor == 0)
            continue;
        for (size_t j = 0; j < columns; j++)
            s->table[i][j] -= factor * s->table[row][j];
    }
    s->basis[row] = event;
}

/* A basis of events, the cheapest first, each at its largest place. */
static bool begin(struct planted_sparse *s, uint64_t *state)
{
    const size_t events = s->m->events;
    bool taken[PLANTED_EVENTS] = {false};

    for (size_t i = 0; i < s->rank; i++) {
        for (size_t e = 0; e < events; e++)
            s->table[i][e] = s->norm[e] > 0 ? s->a[e * PLANTED_EVENTS + i] : 0;
        s->table[i][events] = s->table[i][events + 1] = s->b[i];
        s->basis[i] = SIZE_MAX;
    }
    for (size_t have = 0; have < s->rank;) {
        size_t best = SIZE_MAX, row = SIZE_MAX;
        for (size_t e = 0; e < events; e++)
            if (!taken[e] && (best == SIZE_MAX || s->cost[e] < s->cost[best]))
                best = e;
        if (best == SIZE_MAX)
            return false;
        taken[best] = true;
        for (size_t i = 0; i < s->rank; i++)
            if (s->basis[i] == SIZE_MAX && fabs(s->table[i][best]) > new_least &&
                (row == SIZE_MAX ||
                 fabs(s->table[i][best]) > fabs(s->table[row][best])))
                row = i;
        if (row == SIZE_MAX)
            continue;
        pivot(s, row, best);
        have++;
    }
    for (size_t i = 0; i < s->rank; i++)
        s->table[i][events + 1] +=
            aside * (1 + (double)(rc_mix_next(state) >> 44) * 0x1p-20);
    return true;
}

/* By how much the costs fall with a little of the event; its sign in *sign. */
static double gain_of(const struct planted_sparse *s, size_t event, double *sign)
{
    const size_t b = s->m->events + 1;
    double slope = 0;

    for (size_t i = 0; i < s->rank; i++)
        slope += copysign(s->cost[s->basis[i]], s->table[i][b]) * s->table[i][event];
    *sign = slope < 0 ? -1 : 1;
    return fabs(slope) - s->cost[event];
}

/* One exchange; false: there is none that helps. */
static bool improve(struct planted_sparse *s)
{
    const size_t b = s->m->events + 1;
    double most = 1e-9, sign = 1, step = INFINITY;
    size_t in = SIZE_MAX, out = SIZE_MAX;

    for (size_t e = 0; e < s->m->events; e++) {
        double way = 1;
        const double gain = s->norm[e] > 0 ? gain_of(s, e, &way) : 0;
        if (gain > most) {
            most = gain;
            in = e;
            sign = way;
        }
    }
    if (in == SIZE_MAX)
        return false;
    for (size_t i = 0; i < s->rank; i++) {
        const double along = sign * s->table[i][in];
        const double until = fabs(along) > new_least ? s->table[i][b] / along : -1;
        if (until > 0 && until < step) {
            step = until;
            out = i;
        }
    }
    if (out == SIZE_MAX)
        return false;
    pivot(s, out, in);
    return true;
}

/* Coefficients of what is in the basis; whether that may be. */
static bool read_sum(const struct planted_sparse *s, double norm, double *coefficient)
{
    size_t terms = 0;
    bool small = true;

    memset(coefficient, 0, s->m->events * sizeof *coefficient);
    for (size_t i = 0; i < s->rank; i++) {
        const size_t e = s->basis[i];
        const double part = s->table[i][s->m->events];
        if (fabs(part) < part_least)
            continue;
        coefficient[e] = part * norm / s->norm[e];
        small &= fabs(coefficient[e]) <= PLANTED_COEFFICIENT * (1 + 1e-9);
        terms++;
    }
    return terms <= PLANTED_TERMS && small;
}

/* A small part of the sum, or too large a coefficient, costs more. */
static void make_dearer(struct planted_sparse *s, const double *coefficient,
                        double norm)
{
    for (size_t e = 0; e < s->m->events; e++) {
        const double part = fabs(coefficient[e]) * s->norm[e] / norm;
        s->cost[e] = (s->m->event[e].noise + 2e-3) / (part + 0.02);
        if (fabs(coefficient[e]) > PLANTED_COEFFICIENT)
            s->cost[e] *= 100;
    }
}

bool planted_sparse_find(struct planted_sparse *s, const double *weight,
                         double *coefficient)
{
    uint64_t state = rc_mix(s->m->seed);
    const double norm = fill_vector(s, weight);

    if (norm == 0)
        return false;
    for (size_t i = 0; i < s->rows; i++)
        s->vector[i] /= norm;
    if (project(s, s->b) > new_least)
        return false;
    for (size_t e = 0; e < s->m->events; e++)
        s->cost[e] = s->m->event[e].noise + 2e-3;
    for (int round = 0; round < ROUNDS; round++) {
        if (!begin(s, &state))
            return false;
        for (int i = 0; i < PIVOTS && improve(s); i++)
            ;
        if (read_sum(s, norm, coefficient))
            return true;
        make_dearer(s, coefficient, norm);
    }
    return false;
}
