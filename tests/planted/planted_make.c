/* Random machines whose events stay within a family, mostly, and readings of any. */
#include "tests/planted/planted_parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/mix.h"
#include "campaign/records/record.h"
#include "tests/lib/request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double planted_uniform(struct planted_maker *k)
{
    return ((double)(rc_mix_next(&k->state) >> 11) + 0.5) * 0x1p-53;
}

size_t planted_below(struct planted_maker *k, size_t count)
{
    return (size_t)(planted_uniform(k) * (double)count);
}

bool planted_chance(struct planted_maker *k, double share)
{
    return planted_uniform(k) < share;
}

static double normal(struct planted_maker *k)
{
    const double size = planted_uniform(k), angle = planted_uniform(k);

    return sqrt(-2 * log(size)) * cos(2 * M_PI * angle);
}

/* Mostly what counters weigh with, or anything in sixteenths. */
static double coefficient(struct planted_maker *k)
{
    static const double usual[] = {1, 1, 1, 1, 2, 2, 4, 8, 16, 0.5, 0.25, 3};

    if (planted_chance(k, 0.2))
        return (double)(4 + planted_below(k, 60)) / 16;
    return usual[planted_below(k, sizeof usual / sizeof *usual)];
}

/* Suites that a machine may lack, and those that it has. */
static const char *const always[] = {"flops", "branch", NULL};
static const char *const often[] = {"instructions", "dcache",       "icache",
                                    "blas",         "dcache-write", NULL};

/* A count that nobody knows is something all the same, on a machine that can be:
 * nothing hits in a cache that did not miss the one before it.
 */
static double guessed(const struct planted_suite *s, size_t point, enum rc_ideal ideal);

/* A guess, within the range where one is known. */
static double made_up(const struct planted_suite *s, size_t point, enum rc_ideal ideal)
{
    const struct rc_range *range = s->range + point * RC_IDEAL_COUNT;
    const double low = range[ideal].low, high = range[ideal].high;
    double share = 0.5 + 0.01 * (double)ideal;

    if (ideal == RC_IDEAL_L1DH)
        return fmax(low, s->known[point * RC_IDEAL_COUNT + RC_IDEAL_LOADS] -
                             made_up(s, point, RC_IDEAL_L1DM));
    if (ideal == RC_IDEAL_L1DWH)
        return fmax(low, s->known[point * RC_IDEAL_COUNT + RC_IDEAL_STORES] -
                             made_up(s, point, RC_IDEAL_L1DWM));
    /* No more miss than there are. */
    if (isinf(high) && ideal == RC_IDEAL_L1DM)
        return fmin(s->known[point * RC_IDEAL_COUNT + RC_IDEAL_LOADS],
                    guessed(s, point, ideal));
    if (isinf(high) && ideal == RC_IDEAL_L1DWM)
        return fmin(s->known[point * RC_IDEAL_COUNT + RC_IDEAL_STORES],
                    guessed(s, point, ideal));
    if (isinf(high) || ideal == RC_IDEAL_M || ideal == RC_IDEAL_L2DH ||
        ideal == RC_IDEAL_L3DH || ideal == RC_IDEAL_L2IH)
        return fmin(high, fmax(low, guessed(s, point, ideal)));
    share += 0.37 * (double)point; /* some numbers that differ */
    return low + (share - floor(share)) * (high - low);
}

static double guessed(const struct planted_suite *s, size_t point, enum rc_ideal ideal)
{
    const double *known = s->known + point * RC_IDEAL_COUNT;
    const double ins = isnan(known[RC_IDEAL_INS]) ? 10 : known[RC_IDEAL_INS];

    switch (ideal) {
    case RC_IDEAL_L1IH:
        return 1 + ins / 7;
    case RC_IDEAL_CE:
        return 1.5 + 1.25 * s->range[point * RC_IDEAL_COUNT + RC_IDEAL_CE].low;
    case RC_IDEAL_M:
        return 0.25;
    case RC_IDEAL_CYC:
        return 1 + ins / 2;
    case RC_IDEAL_L2DH:
        return made_up(s, point, RC_IDEAL_L1DM) / 2;
    case RC_IDEAL_L3DH:
        return made_up(s, point, RC_IDEAL_L1DM) / 4;
    case RC_IDEAL_L2IH:
        return made_up(s, point, RC_IDEAL_L1IM) / 2;
    default:
        return (double)(ideal + 1) / 16;
    }
}

int planted_add_suite(struct planted *m, const char *name, struct rc_error *err)
{
    struct planted_suite *s = &m->suite[m->suites++];
    int status;

    s->suite = rc_suite_find(name);
    status = s->suite->points(REQUEST(&m->geometry), &s->points, err);
    if (status != RC_OK)
        return status;
    const size_t count = s->points.count;
    s->iterations = rc_calloc(count, sizeof *s->iterations);
    s->range = rc_calloc(count * RC_IDEAL_COUNT, sizeof *s->range);
    s->known = rc_calloc(count * RC_IDEAL_COUNT, sizeof *s->known);
    s->done = rc_calloc(count * RC_IDEAL_COUNT, sizeof *s->done);
    if (!s->iterations || !s->range || !s->known || !s->done)
        return rc_fail(err, RC_ENOMEM, "no memory for a suite");
    for (size_t p = 0; p < count; p++) {
        const struct rc_point *point = &s->points.point[p];
        double *known = s->known + p * RC_IDEAL_COUNT;
        s->iterations[p] = s->suite->iterations(REQUEST(&m->geometry), point, 0);
        struct rc_range *range = s->range + p * RC_IDEAL_COUNT;
        for (int q = 0; q < RC_IDEAL_COUNT; q++) {
            range[q] = rc_expect_range(s->suite, REQUEST(&m->geometry), point,
                                       (enum rc_ideal)q);
            known[q] = rc_range_exact(range[q]);
        }
        for (int q = 0; q < RC_IDEAL_COUNT; q++)
            s->done[p * RC_IDEAL_COUNT + (size_t)q] =
                isnan(known[q]) ? made_up(s, p, (enum rc_ideal)q) : known[q];
    }
    return RC_OK;
}

static int make_suites(struct planted_maker *k, struct rc_error *err)
{
    static const uint32_t widths[] = {128, 256, 512, 512};
    struct planted *m = k->m;
    int status = RC_OK;

    m->geometry = rc_request_default.geometry;
    m->geometry.vector_bits = widths[planted_below(k, 4)];
    m->geometry.fma = planted_chance(k, 0.8);
    for (size_t i = 0; always[i] && status == RC_OK; i++)
        status = planted_add_suite(m, always[i], err);
    for (size_t i = 0; often[i] && status == RC_OK; i++)
        if (planted_chance(k, 0.6))
            status = planted_add_suite(m, often[i], err);
    return status;
}

double planted_count(const struct planted *m, size_t event, size_t suite, size_t point)
{
    const double *done = m->suite[suite].done + point * RC_IDEAL_COUNT;
    double sum = 0;

    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        sum += m->event[event].weight[q] * done[q];
    return sum;
}

/* The kinds of events.  Each fills the weights. */
static enum rc_ideal any_ideal(struct planted_maker *k, size_t suite)
{
    const struct rc_suite *s = k->m->suite[suite].suite;

    return s->ideals[planted_below(k, s->ideal_count)];
}

static void plant_ideal(struct planted_maker *k, double *weight)
{
    weight[any_ideal(k, planted_below(k, k->m->suites))] =
        planted_chance(k, 0.7) ? 1 : coefficient(k);
}

static void plant_sum(struct planted_maker *k, double *weight)
{
    const size_t suite = planted_below(k, k->m->suites),
                 terms = 2 + planted_below(k, 4);

    for (size_t i = 0; i < terms; i++)
        weight[any_ideal(k, suite)] = coefficient(k);
}

/* A run of the basis, each weighing the same or twice the one before. */
static void plant_run(struct planted_maker *k, double *weight)
{
    const struct rc_suite *s = k->m->suite[planted_below(k, k->m->suites)].suite;
    const size_t first = planted_below(k, s->ideal_count),
                 terms = 2 + planted_below(k, 4);
    const double step = planted_chance(k, 0.5) ? 1 : 2;
    double value = 1;

    for (size_t i = first; i < first + terms && i < s->ideal_count; i++) {
        weight[s->ideals[i]] = value;
        value *= step;
    }
}

static void plant_difference(struct planted_maker *k, double *weight)
{
    static const enum rc_ideal pair[][2] = {{RC_IDEAL_CR, RC_IDEAL_T},
                                            {RC_IDEAL_CR, RC_IDEAL_M},
                                            {RC_IDEAL_L1DM, RC_IDEAL_L2DH},
                                            {RC_IDEAL_L1IM, RC_IDEAL_L2IH}};
    const size_t i = planted_below(k, sizeof pair / sizeof *pair);

    weight[pair[i][0]] = 1;
    weight[pair[i][1]] = -1;
}

/* The same weights as an event's before, times 'factor'. */
static void add_other(struct planted_maker *k, double factor, double *weight)
{
    if (k->m->events == 0)
        return;
    const double *other = k->m->event[planted_below(k, k->m->events)].weight;
    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        weight[q] += factor * other[q];
}

static void plant_copy(struct planted_maker *k, double *weight)
{
    add_other(k, 1, weight);
}

static void plant_scaled(struct planted_maker *k, double *weight)
{
    static const double factors[] = {2, 4, 8, 64, 0.5, 0.125, 1.0 / 64, 3, 1.5};

    add_other(k, factors[planted_below(k, sizeof factors / sizeof *factors)], weight);
}

static void plant_dependent(struct planted_maker *k, double *weight)
{
    add_other(k, 1, weight);
    add_other(k, planted_chance(k, 0.5) ? 1 : 2, weight);
}

static void plant_instructions(struct planted_maker *k, double *weight)
{
    weight[RC_IDEAL_INS] = planted_chance(k, 0.7) ? 1 : coefficient(k);
    if (planted_chance(k, 0.3))
        weight[planted_chance(k, 0.5) ? RC_IDEAL_LOADS : RC_IDEAL_STORES] = 1;
}

static void plant_cycles(struct planted_maker *k, double *weight)
{
    weight[RC_IDEAL_CYC] = planted_chance(k, 0.7) ? 1 : 0.75;
}

static void plant_two_suites(struct planted_maker *k, double *weight)
{
    const size_t first = planted_below(k, k->m->suites);

    weight[any_ideal(k, first)] = coefficient(k);
    weight[any_ideal(k, (first + 1 + planted_below(k, k->m->suites - 1)) %
                            k->m->suites)] = coefficient(k);
}

/* An event before, and a little of what runs always. */
static void plant_polluted(struct planted_maker *k, double *weight)
{
    static const enum rc_ideal by[] = {RC_IDEAL_INS, RC_IDEAL_CYC, RC_IDEAL_CR,
                                       RC_IDEAL_LOADS, RC_IDEAL_INT_ADD};

    add_other(k, 1, weight);
    weight[by[planted_below(k, sizeof by / sizeof *by)]] +=
        planted_chance(k, 0.5) ? 1 : 0.125;
}

static void plant_nothing(struct planted_maker *k, double *weight)
{
    (void)k;
    (void)weight;
}

static const struct {
    const char *name;
    void (*plant)(struct planted_maker *k, double *weight);
    size_t share;
} kinds[] = {
    {"ideal", plant_ideal, 10},
    {"sum", plant_sum, 6},
    {"run", plant_run, 4},
    {"difference", plant_difference, 2},
    {"copy", plant_copy, 4},
    {"scaled", plant_scaled, 3},
    {"dependent", plant_dependent, 3},
    {"instructions", plant_instructions, 2},
    {"cycles", plant_cycles, 1},
    {"two suites", plant_two_suites, 4},
    {"polluted", plant_polluted, 3},
    {"dead", plant_nothing, 1},
};

/* Nothing counts less than 0. */
bool planted_counts_down(const struct planted *m, size_t event)
{
    for (size_t s = 0; s < m->suites; s++)
        for (size_t p = 0; p < m->suite[s].points.count; p++)
            if (planted_count(m, event, s, p) < 0)
                return true;
    return false;
}

bool planted_occurs(const struct planted *m, size_t ideal)
{
    for (size_t s = 0; s < m->suites; s++)
        for (size_t p = 0; p < m->suite[s].points.count; p++)
            if (m->suite[s].done[p * RC_IDEAL_COUNT + ideal] != 0)
                return true;
    return false;
}

/* The smallest weight of an ideal that this machine has; 0: there is none. */
static double least_weight(const struct planted *m, const struct planted_event *e)
{
    double least = INFINITY;

    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        if (e->weight[q] != 0 && planted_occurs(m, q))
            least = fmin(least, fabs(e->weight[q]));
    return isinf(least) ? 0 : least;
}

static void make_flaws(struct planted_maker *k, struct planted_event *e)
{
    const struct planted *m = k->m;

    if (planted_chance(k, 0.4))
        e->rest = rint(least_weight(m, e) * (double)planted_below(k, 100));
    if (planted_chance(k, 0.3))
        e->noise = planted_chance(k, 0.6) ? 1e-3 * (double)(1 + planted_below(k, 20))
                                          : 0.5 + planted_uniform(k);
    if (planted_chance(k, 0.04))
        e->unmeasured = UINT32_MAX;
    else if (planted_chance(k, 0.04))
        e->unmeasured = UINT32_C(1) << planted_below(k, m->suites);
    if (planted_chance(k, 0.06))
        e->invalid = 1 + planted_below(k, m->repetitions);
}

static void make_event(struct planted_maker *k)
{
    struct planted *m = k->m;
    struct planted_event *e = &m->event[m->events];
    size_t all = 0, kind = 0;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        all += kinds[i].share;
    for (size_t left = planted_below(k, all); left >= kinds[kind].share; kind++)
        left -= kinds[kind].share;
    kinds[kind].plant(k, e->weight);
    if (planted_counts_down(m, m->events))
        for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
            e->weight[q] = fabs(e->weight[q]);
    snprintf(e->name, sizeof e->name, "E%zu::%s", m->events, kinds[kind].name);
    make_flaws(k, e);
    m->events++;
}

static void read_point(struct planted_maker *k, size_t event, size_t suite,
                       size_t point, int64_t *out)
{
    const struct planted_event *e = &k->m->event[event];
    const double count = planted_count(k->m, event, suite, point) *
                         (double)k->m->suite[suite].iterations[point];
    double value = count;

    if (e->noise > 0)
        value *= 1 + e->noise * normal(k);
    *out = (int64_t)llrint(fmax(0, value) + e->rest);
}

int planted_make_readings(struct planted_maker *k, size_t suite, struct rc_error *err)
{
    struct planted *m = k->m;
    struct planted_suite *s = &m->suite[suite];
    const size_t points = s->points.count, repetitions = m->repetitions;

    s->reading = rc_calloc(m->events * repetitions * points, sizeof *s->reading);
    s->status = rc_calloc(m->events * repetitions, 1);
    if (!s->reading || !s->status)
        return rc_fail(err, RC_ENOMEM, "no memory for readings");
    for (size_t e = 0; e < m->events; e++)
        for (size_t r = 0; r < repetitions; r++) {
            const size_t row = e * repetitions + r;
            const bool measured = !(m->event[e].unmeasured >> suite & 1);
            s->status[row] =
                (uint8_t)(!measured                 ? RC_READING_MISSING
                          : r < m->event[e].invalid ? RC_READING_MULTIPLEXED
                                                    : RC_READING_OK);
            for (size_t p = 0; p < points; p++)
                if (measured)
                    read_point(k, e, suite, p, &s->reading[row * points + p]);
                else
                    s->reading[row * points + p] = RC_STORE_MISSING_VALUE;
        }
    return RC_OK;
}

static bool is_inside(const struct planted *m, size_t suite, size_t event)
{
    const struct rc_suite *s = m->suite[suite].suite;
    double inside[RC_IDEAL_COUNT] = {0};

    for (size_t i = 0; i < s->ideal_count; i++)
        inside[s->ideals[i]] = 1;
    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        if (m->event[event].weight[q] != 0 && inside[q] == 0)
            return false;
    return true;
}

void planted_make_metrics(struct planted_maker *k, size_t suite)
{
    static const double factors[] = {1, 1, 2, -1, 0.5};
    struct planted_suite *s = &k->m->suite[suite];

    for (size_t i = 0; i + 1 < PLANTED_METRICS; i++)
        for (size_t tries = 0, found = 0; tries < 40 && found < 2; tries++) {
            const size_t event = planted_below(k, k->m->events);
            const double factor = factors[planted_below(k, 5)];
            if (!is_inside(k->m, suite, event))
                continue;
            for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
                s->metric[i][q] += factor * k->m->event[event].weight[q];
            found++;
        }
    for (size_t terms = 1 + planted_below(k, 3); terms > 0; terms--)
        s->metric[PLANTED_METRICS - 1][any_ideal(k, suite)] = coefficient(k);
}

int planted_init(uint64_t seed, struct planted *m, struct rc_error *err)
{
    struct planted_maker k = {.m = m, .state = rc_mix(seed + RC_GOLDEN)};
    int status;

    memset(m, 0, sizeof *m);
    m->seed = seed;
    status = make_suites(&k, err);
    if (status != RC_OK)
        return status;
    m->repetitions = 3 + planted_below(&k, 4);
    for (size_t left = 8 + planted_below(&k, PLANTED_EVENTS - 8); left > 0; left--)
        make_event(&k);
    for (size_t s = 0; s < m->suites && status == RC_OK; s++) {
        planted_make_metrics(&k, s);
        status = planted_make_readings(&k, s, err);
    }
    return status;
}

void planted_fini(struct planted *m)
{
    for (size_t i = 0; i < m->suites; i++) {
        struct planted_suite *s = &m->suite[i];
        rc_points_fini(&s->points);
        free(s->iterations);
        free(s->range);
        free(s->known);
        free(s->done);
        free(s->reading);
        free(s->status);
    }
    memset(m, 0, sizeof *m);
}
