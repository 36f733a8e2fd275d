/* Random machines whose events mix families, as those of real processors do: a
 * floating-point event that counts some loads besides, instructions in everything,
 * copies in thousands or thousandths, offsets, and noise on some or on all.
 */
#include "tests/planted/planted_mixed.h"

#include "tests/planted/planted_parts.h"

#include "campaign/base/mix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { IMPURITIES = 5 };

/* Parts outside of an event's own family are drawn from the machine's few. */
struct mixer {
    struct planted_maker k;
    enum rc_ideal impurity[IMPURITIES];
};

static const enum rc_ideal integers[] = {RC_IDEAL_INT_ADD,   RC_IDEAL_INT_MUL,
                                         RC_IDEAL_INT_LOGIC, RC_IDEAL_INT_MOV,
                                         RC_IDEAL_LOADS,     RC_IDEAL_STORES};
static const enum rc_ideal branches[] = {RC_IDEAL_CR, RC_IDEAL_CR, RC_IDEAL_T,
                                         RC_IDEAL_T,  RC_IDEAL_D,  RC_IDEAL_M,
                                         RC_IDEAL_CE};

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

/* 0.02, 0.04, ... 3, or what counters weigh with. */
static double share_of(struct mixer *x)
{
    static const double usual[] = {1, 1, 1, 2, 0.5, 0.25, 3};

    if (planted_chance(&x->k, 0.6))
        return (double)(1 + planted_below(&x->k, 150)) / 50;
    return usual[planted_below(&x->k, COUNT_OF(usual))];
}

/* Floating-point instructions, or operations, of one precision or both, of one width or
 * all, FMAs once, twice or not at all.
 */
static void plant_floating(struct mixer *x, double *weight)
{
    enum { WIDTHS = 4 };
    const bool all_widths = planted_chance(&x->k, 0.5);
    const bool both = planted_chance(&x->k, 0.2);
    const bool operations = planted_chance(&x->k, 0.4);
    const size_t precision = planted_below(&x->k, 2);
    const size_t width = planted_below(&x->k, WIDTHS);
    const double fma = (double)planted_below(&x->k, 3);

    for (size_t p = 0; p < 2; p++)
        for (size_t w = 0; w < WIDTHS; w++) {
            const size_t lanes = w == 0 ? 1 : ((size_t)(p ? 1 : 2) << w);
            const double each = operations ? (double)lanes : 1;
            if ((!both && p != precision) || (!all_widths && w != width))
                continue;
            weight[(p ? RC_IDEAL_D_SCAL : RC_IDEAL_S_SCAL) + w] = each;
            weight[(p ? RC_IDEAL_DF_SCAL : RC_IDEAL_SF_SCAL) + w] = fma * each;
        }
}

static void plant_of(struct mixer *x, const enum rc_ideal *family, size_t count,
                     double *weight)
{
    size_t terms = planted_chance(&x->k, 0.6) ? 1 : 2 + planted_below(&x->k, 2);

    while (terms-- > 0)
        weight[family[planted_below(&x->k, count)]] =
            planted_chance(&x->k, 0.6) ? 1 : share_of(x);
}

static void plant_family(struct mixer *x, double *weight)
{
    const double which = planted_uniform(&x->k);

    if (which < 0.45)
        plant_floating(x, weight);
    else if (which < 0.65)
        plant_of(x, branches, COUNT_OF(branches), weight);
    else if (which < 0.9)
        plant_of(x, integers, COUNT_OF(integers), weight);
    else
        weight[RC_IDEAL_INS] = planted_chance(&x->k, 0.6) ? 1 : share_of(x);
}

static void add_impurities(struct mixer *x, double *weight)
{
    size_t terms = 1 + planted_below(&x->k, 3);

    while (terms-- > 0) {
        const double share = share_of(x);
        weight[x->impurity[planted_below(&x->k, IMPURITIES)]] +=
            planted_chance(&x->k, 0.25) ? -share : share;
    }
    if (planted_chance(&x->k, 0.4))
        weight[RC_IDEAL_INS] += planted_chance(&x->k, 0.5) ? 1 : share_of(x);
}

/* An event before, in other units, or two of them. */
static bool plant_again(struct mixer *x, double *weight)
{
    static const double scales[] = {1000, 1000, 0.001, 0.001, 1, 2, 64};
    const struct planted *m = x->k.m;
    const bool two = planted_chance(&x->k, 0.3);

    if (m->events == 0)
        return false;
    for (size_t i = 0; i < 1 + (size_t)two; i++) {
        const struct planted_event *other = &m->event[planted_below(&x->k, m->events)];
        const double scale = two ? 1 : scales[planted_below(&x->k, COUNT_OF(scales))];
        for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
            weight[q] += scale * other->weight[q];
    }
    return true;
}

static void make_event(struct mixer *x, double noise)
{
    struct planted *m = x->k.m;
    struct planted_event *e = &m->event[m->events];
    const double sort = planted_uniform(&x->k);

    if (sort < 0.18 && plant_again(x, e->weight))
        snprintf(e->name, sizeof e->name, "E%zu::again", m->events);
    else if (sort < 0.2)
        snprintf(e->name, sizeof e->name, "E%zu::dead", m->events);
    else {
        plant_family(x, e->weight);
        if (planted_chance(&x->k, 0.6))
            add_impurities(x, e->weight);
        snprintf(e->name, sizeof e->name, "E%zu::mixed", m->events);
    }
    /* Nothing counts less than 0. */
    if (planted_counts_down(m, m->events))
        for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
            e->weight[q] = fabs(e->weight[q]);
    if (planted_chance(&x->k, 0.4))
        e->rest = (double)planted_below(&x->k, 200);
    if (planted_chance(&x->k, 0.25))
        e->noise = pow(10, -6 + 5.5 * planted_uniform(&x->k));
    if (noise > 0)
        e->noise = noise;
    m->events++;
}

/* The first four always. */
static int make_suites(struct mixer *x, struct rc_error *err)
{
    static const char *const names[] = {"flops",  "branch", "instructions", "blas",
                                        "icache", "dcache", "dcache-write"};
    static const uint32_t widths[] = {128, 256, 512, 512};
    struct planted *m = x->k.m;
    int status = RC_OK;

    m->geometry = rc_request_default.geometry;
    m->geometry.vector_bits = widths[planted_below(&x->k, 4)];
    m->geometry.fma = planted_chance(&x->k, 0.8);
    for (size_t i = 0; i < COUNT_OF(names) && status == RC_OK; i++)
        if (i < 4 || planted_chance(&x->k, 0.25))
            status = planted_add_suite(m, names[i], err);
    return status;
}

int planted_mixed_init(uint64_t seed, double noise, struct planted *m,
                       struct rc_error *err)
{
    struct mixer x = {.k = {.m = m, .state = rc_mix(seed ^ RC_GOLDEN)}};
    int status;

    memset(m, 0, sizeof *m);
    m->seed = seed;
    status = make_suites(&x, err);
    m->repetitions = 5;
    for (size_t i = 0; i < IMPURITIES; i++)
        x.impurity[i] = planted_chance(&x.k, 0.3)
                            ? branches[planted_below(&x.k, 5)]
                            : integers[planted_below(&x.k, COUNT_OF(integers))];
    for (size_t left = 20 + planted_below(&x.k, 30); left > 0 && status == RC_OK;
         left--)
        make_event(&x, noise);
    for (size_t s = 0; s < m->suites && status == RC_OK; s++)
        planted_make_metrics(&x.k, s);
    for (size_t s = 0; s < m->suites && status == RC_OK; s++)
        status = planted_make_readings(&x.k, s, err);
    return status;
}
