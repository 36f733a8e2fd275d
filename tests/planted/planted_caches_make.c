/* Random machines whose events count what caches and memory do: pure ones, some of them
 * missing, mixed ones of one family and of two, strangers that move with them on some
 * kernels, prefetched lines and accesses of mispredicted paths besides.
 */
#include "tests/planted/planted_caches.h"
#include "tests/planted/planted_parts.h"

#include "campaign/base/mix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])
#define KIB(n) (UINT64_C(n) << 10)
#define MIB(n) (UINT64_C(n) << 20)

/* A machine in the making. */
struct maker {
    struct planted_maker k;
    double noise;       /* of all events, or 0: of each its own */
    double prefetch[3]; /* share of a level's misses, in its pure events */
};

static size_t store_misses(void)
{
    return rc_ideal_find("L1DWM");
}

void planted_caches_reduce(double weight[RC_IDEAL_COUNT])
{
    static const enum rc_ideal operations[] = {RC_IDEAL_OPS_SP, RC_IDEAL_OPS_DP};

    weight[RC_IDEAL_L1DM] += weight[RC_IDEAL_LOADS];
    weight[RC_IDEAL_L1DH] += weight[RC_IDEAL_LOADS];
    weight[RC_IDEAL_LOADS] = 0;
    if (store_misses() != RC_IDEAL_COUNT) {
        weight[store_misses()] += weight[RC_IDEAL_STORES];
        weight[RC_IDEAL_L1DWH] += weight[RC_IDEAL_STORES];
        weight[RC_IDEAL_STORES] = 0;
    }
    for (size_t i = 0; i < COUNT_OF(operations); i++) {
        const double each = weight[operations[i]];
        for (int q = RC_IDEAL_S_SCAL; q <= RC_IDEAL_DF_512 && each != 0; q++)
            weight[q] += each * rc_ideal_operations((enum rc_ideal)q, operations[i]);
        weight[operations[i]] = 0;
    }
}

/* Counts on a point where the kernel does not know them. */

/* An eighth, or 64th, of a number, drawn. */
static double part_of(struct maker *x, double whole, unsigned parts, unsigned most)
{
    return whole * (double)planted_below(&x->k, most + 1) / parts;
}

struct filler {
    struct maker *x;
    const struct rc_range *range;
    const double *known;
    double *done;
};

/* The known number, or one within the known range. */
static double fill(const struct filler *f, size_t ideal, double value)
{
    if (isnan(f->known[ideal]))
        f->done[ideal] = fmin(f->range[ideal].high, fmax(f->range[ideal].low, value));
    return f->done[ideal];
}

static void fill_code(const struct filler *f)
{
    struct maker *x = f->x;
    const double *done = f->done;
    const double lines = 1 + part_of(x, done[RC_IDEAL_INS], 16, 3);
    const double wrong = part_of(x, done[RC_IDEAL_CR], 64, 8);

    const double misses = fill(f, RC_IDEAL_L1IM, part_of(x, lines, 64, 8));
    fill(f, RC_IDEAL_L1IH, lines);
    fill(f, RC_IDEAL_L2IH, part_of(x, misses, 8, 8));
    fill(f, RC_IDEAL_M, wrong);
    fill(f, RC_IDEAL_CE, done[RC_IDEAL_CR] + part_of(x, done[RC_IDEAL_M], 8, 8));
}

/* Loads: what misses all caches is in the traffic where that is known. */
static double fill_loads(const struct filler *f)
{
    struct maker *x = f->x;
    const struct rc_geometry *g = &x->k.m->geometry;
    const double loads = f->done[RC_IDEAL_LOADS], read = f->known[RC_IDEAL_MEM_RD];
    double missed = part_of(x, loads, 64, 12);

    if (read >= 0)
        missed = fmin(loads, fmax(missed, read));
    missed = fill(f, RC_IDEAL_L1DM, missed);
    fill(f, RC_IDEAL_L1DH, loads - missed);
    const double beyond = part_of(x, read >= 0 ? fmin(missed, read) : missed, 8, 8);
    const double l2 = g->l3.bytes ? part_of(x, missed - beyond, 8, 8) : missed - beyond;
    const double hits = fill(f, RC_IDEAL_L2DH, g->l2.bytes ? l2 : 0);
    const double l3 = missed - beyond - hits;
    return fmax(0,
                missed - hits - fill(f, RC_IDEAL_L3DH, g->l3.bytes ? fmax(0, l3) : 0));
}

static double fill_stores(const struct filler *f)
{
    struct maker *x = f->x;
    const struct rc_geometry *g = &x->k.m->geometry;
    const double stores = f->done[RC_IDEAL_STORES];
    double missed = part_of(x, stores, 64, 12);

    if (store_misses() != RC_IDEAL_COUNT)
        missed = fill(f, store_misses(), missed);
    missed = stores - fill(f, RC_IDEAL_L1DWH, stores - missed);
    const double written = f->known[RC_IDEAL_MEM_WR];
    const double most = fmin(stores, f->done[RC_IDEAL_L1DM] + missed);
    const double l1 = fill(f, RC_IDEAL_L1WB, part_of(x, most, 8, 8));
    const double l2 = fill(f, RC_IDEAL_L2WB, g->l2.bytes ? part_of(x, l1, 8, 8) : 0);
    const double last = g->l2.bytes ? l2 : l1;
    const double l3 = part_of(x, written >= 0 ? fmin(last, written) : last, 8, 8);
    const double out = fill(f, RC_IDEAL_L3WB, g->l3.bytes ? l3 : 0);
    fill(f, RC_IDEAL_MEM_WR, (g->l3.bytes ? out : last) + part_of(x, stores, 64, 8));
    return missed;
}

/* Whether the sum is the whole, but for what doubles round. */
static bool is_sum(double whole, double a, double b)
{
    return fabs(whole - a - b) <= 1e-9 * fmax(1, fabs(whole));
}

static int fill_point(struct maker *x, struct planted_suite *s, size_t point,
                      struct rc_error *err)
{
    const struct filler f = {.x = x,
                             .range = s->range + point * RC_IDEAL_COUNT,
                             .known = s->known + point * RC_IDEAL_COUNT,
                             .done = s->done + point * RC_IDEAL_COUNT};
    const double *done = f.done;

    fill_code(&f);
    const double reads = fill_loads(&f), writes = fill_stores(&f);
    fill(&f, RC_IDEAL_MEM_RD, reads + part_of(x, writes, 8, 8));
    if (!is_sum(done[RC_IDEAL_LOADS], done[RC_IDEAL_L1DM], done[RC_IDEAL_L1DH]))
        return rc_fail(err, RC_ECONFLICT,
                       "point '%s' of %s: %g loads are %g misses and %g hits",
                       s->points.point[point].name, s->suite->name,
                       done[RC_IDEAL_LOADS], done[RC_IDEAL_L1DM], done[RC_IDEAL_L1DH]);
    if (store_misses() != RC_IDEAL_COUNT &&
        !is_sum(done[RC_IDEAL_STORES], done[store_misses()], done[RC_IDEAL_L1DWH]))
        return rc_fail(
            err, RC_ECONFLICT, "point '%s' of %s: %g stores are %g misses and %g hits",
            s->points.point[point].name, s->suite->name, done[RC_IDEAL_STORES],
            done[store_misses()], done[RC_IDEAL_L1DWH]);
    return RC_OK;
}

static int make_suites(struct maker *x, struct rc_error *err)
{
    static const struct {
        struct rc_cache_geometry l1d, l1i, l2, l3;
    } caches[] = {
        {{KIB(32), 8}, {KIB(32), 8}, {MIB(1), 16}, {MIB(8), 16}},
        {{KIB(32), 8}, {KIB(32), 8}, {KIB(512), 8}, {MIB(32), 16}},
        {{KIB(48), 12}, {KIB(32), 8}, {MIB(2), 16}, {MIB(30), 15}},
        {{KIB(48), 12}, {KIB(64), 16}, {KIB(1280), 20}, {MIB(24), 12}},
        {{KIB(32), 8}, {KIB(32), 8}, {KIB(256), 4}, {MIB(16), 16}},
        {{KIB(64), 4}, {KIB(64), 4}, {MIB(1), 8}, {MIB(32), 16}},
        {{KIB(32), 8}, {KIB(32), 8}, {MIB(2), 16}, {0, 0}},
        {{KIB(64), 4}, {KIB(64), 4}, {MIB(8), 16}, {0, 0}},
    };
    static const uint32_t widths[] = {128, 256, 512, 512};
    struct planted *m = x->k.m;
    const size_t which = planted_below(&x->k, COUNT_OF(caches));
    int status = RC_OK;

    m->geometry = rc_request_default.geometry;
    m->geometry.l1d = caches[which].l1d;
    m->geometry.l1i = caches[which].l1i;
    m->geometry.l2 = caches[which].l2;
    m->geometry.l3 = caches[which].l3;
    m->geometry.vector_bits = widths[planted_below(&x->k, COUNT_OF(widths))];
    m->geometry.fma = planted_chance(&x->k, 0.8);
    for (size_t i = 0; rc_suites()[i] && status == RC_OK; i++)
        if (rc_suites()[i]->by_default && m->suites < PLANTED_SUITES)
            status = planted_add_suite(m, rc_suites()[i]->name, err);
    for (size_t s = 0; s < m->suites && status == RC_OK; s++)
        for (size_t p = 0; p < m->suite[s].points.count && status == RC_OK; p++)
            status = fill_point(x, &m->suite[s], p, err);
    return status;
}

/* Events.  Sums are written as words: a weight, an ideal, and so on; a name without an
 * ideal in this version makes no event.
 */
struct part {
    double weight;
    const char *ideal;
};

static bool add_parts(const struct part *part, size_t count, double *weight)
{
    for (size_t i = 0; i < count && part[i].ideal; i++) {
        const enum rc_ideal ideal = rc_ideal_find(part[i].ideal);
        if (ideal == RC_IDEAL_COUNT)
            return false;
        weight[ideal] += part[i].weight;
    }
    return true;
}

static const char *const loose[] = {"L1DM", "L1DH", "L2DH",   "L3DH",  "L1DWH", "L1DWM",
                                    "L1WB", "L2WB", "L3WB",   "L1IM",  "L1IH",  "L2IH",
                                    "M",    "CE",   "MEM_RD", "MEM_WR"};
static const char *const exact[] = {"LOADS",   "STORES",    "INS",     "CR",
                                    "T",       "INT_LOGIC", "D_SCAL",  "S_SCAL",
                                    "D",       "INT_ADD",   "INT_MUL", "INT_MOV",
                                    "DF_SCAL", "D_256",     "S_512"};

static const struct part family[][3] = {
    {{1, "L1DM"}, {1, "L1DH"}},
    {{1, "L1DM"}, {-1, "L2DH"}},
    {{1, "L1DM"}, {-1, "L2DH"}, {-1, "L3DH"}},
    {{1, "L2DH"}, {1, "L3DH"}},
    {{1, "L1DM"}, {2, "L2DH"}},
    {{1, "L1IM"}, {1, "L1IH"}},
    {{1, "L1IM"}, {-1, "L2IH"}},
    {{1, "L1IM"}, {0.5, "L2IH"}},
    {{1, "MEM_RD"}, {1, "MEM_WR"}},
    {{64, "MEM_RD"}, {64, "MEM_WR"}},
    {{1, "MEM_RD"}, {2, "MEM_WR"}},
    {{0.5, "MEM_RD"}, {0.5, "MEM_WR"}},
    {{1, "L1WB"}, {1, "L2WB"}},
    {{1, "L2WB"}, {1, "L3WB"}},
    {{1, "L1DWH"}, {1, "L1DWM"}},
    {{1, "L1DWM"}, {1, "L1WB"}},
    {{1, "CE"}, {1, "M"}},
};
static const struct part two_families[][3] = {
    {{1, "L1DH"}, {1, "L1IM"}},
    {{1, "L1DM"}, {0.3, "LOADS"}},
    {{4, "LOADS"}, {0.5, "D_SCAL"}, {1, "S_SCAL"}},
    {{1, "L2DH"}, {1, "L1IM"}},
    {{1, "L2DH"}, {1, "L2IH"}},
    {{1, "CR"}, {0.5, "M"}},
    {{1, "LOADS"}, {0.05, "L1DM"}},
    {{1, "L1DM"}, {1, "L1WB"}},
    {{1, "L1DM"}, {1, "L1DWM"}},
    {{1, "L1DH"}, {1, "L1DWH"}},
    {{1, "L1IH"}, {1, "STORES"}},
    {{1, "MEM_RD"}, {0.02, "INS"}},
    {{1, "L1DM"}, {0.5, "MEM_WR"}},
    {{1, "STORES"}, {0.5, "L1DWM"}},
};
static const struct part strangers[][3] = {
    {{2, "CR"}, {2, "T"}},
    {{1, "INT_LOGIC"}, {1, "LOADS"}},
    {{0.5, "INT_LOGIC"}, {0.5, "D_SCAL"}, {1, "S_SCAL"}},
    {{1, "LOADS"}, {1, "STORES"}},
    {{1, "INS"}, {1, "S_SCAL"}},
    {{1, "CR"}, {-1, "T"}},
    {{1, "INT_ADD"}, {2, "CR"}},
    {{0.5, "D_SCAL"}},
    {{2, "STORES"}, {0.5, "D_SCAL"}},
    {{1, "LOADS"}, {0.5, "STORES"}, {1, "T"}},
};
static const struct part speculated[][2] = {
    {{1, "LOADS"}, {1, "M"}},
    {{1, "L1DM"}, {1, "M"}},
    {{1, "L1IH"}, {1, "M"}},
    {{1, "L1DH"}, {1, "M"}},
};

/* Levels: their hits, and what is prefetched of their accesses. */
static const struct part levels[][4] = {
    {{1, "L2DH"}, {1, "L1DM"}},
    {{1, "L3DH"}, {1, "L1DM"}, {-1, "L2DH"}},
    {{1, "MEM_RD"}, {1, "L1DM"}, {-1, "L2DH"}, {-1, "L3DH"}},
};

static void close_event(struct maker *x, const char *kind)
{
    struct planted *m = x->k.m;
    struct planted_event *e = &m->event[m->events];

    /* Nothing counts less than 0. */
    if (planted_counts_down(m, m->events))
        for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
            e->weight[q] = fabs(e->weight[q]);
    snprintf(e->name, sizeof e->name, "E%zu::%s", m->events, kind);
    if (planted_chance(&x->k, 0.3))
        e->rest = (double)planted_below(&x->k, 200);
    if (planted_chance(&x->k, 0.75))
        e->noise = x->noise > 0 ? x->noise : pow(10, -4 + 2 * planted_uniform(&x->k));
    m->events++;
}

/* The event to be made, or NULL: there are enough. */
static double *open_event(const struct maker *x)
{
    struct planted *m = x->k.m;

    if (m->events == 50)
        return NULL;
    memset(&m->event[m->events], 0, sizeof m->event[0]);
    return m->event[m->events].weight;
}

static double scale_of(struct maker *x)
{
    static const double usual[] = {1, 1, 1, 1, 1, 2, 64, 0.5, 4};

    return usual[planted_below(&x->k, COUNT_OF(usual))];
}

static void make_parts(struct maker *x, const struct part *part, size_t count,
                       double scale, const char *kind)
{
    double *weight = open_event(x);

    if (!weight || !add_parts(part, count, weight))
        return;
    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        weight[q] *= scale;
    close_event(x, kind);
}

static void make_pure(struct maker *x)
{
    for (size_t i = 0; i < COUNT_OF(loose); i++) {
        const enum rc_ideal ideal = rc_ideal_find(loose[i]);
        double *weight = open_event(x);
        if (ideal == RC_IDEAL_COUNT || !weight || !planted_chance(&x->k, 0.6))
            continue;
        weight[ideal] = 1;
        for (size_t l = 0; l < COUNT_OF(levels); l++)
            for (size_t j = 1; j < 4 && strcmp(loose[i], levels[l][0].ideal) == 0 &&
                               levels[l][j].ideal;
                 j++)
                weight[rc_ideal_find(levels[l][j].ideal)] +=
                    x->prefetch[l] * levels[l][j].weight;
        const double scale = scale_of(x);
        for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
            weight[q] *= scale;
        close_event(x, "pure");
    }
}

/* An event before, in other units. */
static void make_copy(struct maker *x)
{
    static const double scales[] = {2, 64, 0.5, 4, 1};
    const struct planted *m = x->k.m;
    double *weight = open_event(x);

    if (!weight || m->events == 0)
        return;
    const struct planted_event *other = &m->event[planted_below(&x->k, m->events)];
    const double scale = scales[planted_below(&x->k, COUNT_OF(scales))];
    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        weight[q] = scale * other->weight[q];
    close_event(x, "copy");
}

static void make_stranger(struct maker *x)
{
    const struct part one = {1, exact[planted_below(&x->k, COUNT_OF(exact))]};

    if (planted_chance(&x->k, 0.55)) {
        make_parts(x, &one, 1, 1, "exact");
        return;
    }
    if (planted_chance(&x->k, 0.7)) {
        make_parts(x, strangers[planted_below(&x->k, COUNT_OF(strangers))], 3, 1,
                   "sum");
        return;
    }
    struct part sum[3] = {{0}};
    const size_t terms = 2 + planted_below(&x->k, 2);
    for (size_t i = 0; i < terms; i++)
        sum[i] = (struct part){(double)(1 + planted_below(&x->k, 4)) / 2,
                               exact[planted_below(&x->k, COUNT_OF(exact))]};
    make_parts(x, sum, terms, 1, "sum");
}

/* An event of a cache and a stranger, with the stranger beside it. */
static void make_cancelling(struct maker *x)
{
    const struct part parts[] = {
        {1, loose[planted_below(&x->k, COUNT_OF(loose))]},
        {1, exact[planted_below(&x->k, 8)]},
    };

    make_parts(x, parts, 2, 1, "with a stranger");
    make_parts(x, parts + 1, 1, 1, "exact");
}

static void make_prefetched(struct maker *x)
{
    const double share = 0.05 * (double)(1 + planted_below(&x->k, 6));
    struct part parts[4];

    memcpy(parts, levels[planted_below(&x->k, COUNT_OF(levels))], sizeof parts);
    for (size_t i = 1; i < 4; i++)
        parts[i].weight *= share;
    make_parts(x, parts, 4, 1, "prefetched");
}

static void make_speculated(struct maker *x)
{
    static const double weights[] = {0.5, 1, 1.5, 2, 3, 4};
    struct part parts[2];

    memcpy(parts, speculated[planted_below(&x->k, COUNT_OF(speculated))], sizeof parts);
    parts[1].weight = weights[planted_below(&x->k, COUNT_OF(weights))];
    make_parts(x, parts, 2, 1, "speculated");
}

static void make_events(struct maker *x)
{
    struct planted_maker *k = &x->k;

    make_pure(x);
    for (size_t left = planted_below(k, 5); left > 0; left--)
        make_copy(x);
    for (size_t left = planted_below(k, 6); left > 0; left--)
        make_parts(x, family[planted_below(k, COUNT_OF(family))], 3, scale_of(x),
                   "family");
    for (size_t left = planted_below(k, 6); left > 0; left--)
        make_parts(x, two_families[planted_below(k, COUNT_OF(two_families))], 3,
                   scale_of(x), "two families");
    for (size_t left = planted_below(k, 3); left > 0; left--)
        make_prefetched(x);
    for (size_t left = planted_below(k, 3); left > 0; left--)
        make_speculated(x);
    for (size_t left = planted_below(k, 3); left > 0; left--)
        make_cancelling(x);
    for (size_t left = 4 + planted_below(k, 21); left > 0; left--)
        make_stranger(x);
    while (k->m->events < 20)
        make_stranger(x);
}

int planted_caches_init(uint64_t seed, struct planted *m, struct rc_error *err)
{
    struct maker x = {.k = {.m = m, .state = rc_mix(seed * 2 + RC_GOLDEN / 3)}};
    int status;

    memset(m, 0, sizeof *m);
    m->seed = seed;
    m->repetitions = 5;
    status = make_suites(&x, err);
    if (planted_chance(&x.k, 0.5))
        x.noise = pow(10, -4 + 2 * planted_uniform(&x.k));
    for (size_t i = 0; i < COUNT_OF(x.prefetch); i++)
        if (planted_chance(&x.k, 0.15))
            x.prefetch[i] = 0.05 * (double)(1 + planted_below(&x.k, 6));
    if (status == RC_OK)
        make_events(&x);
    for (size_t s = 0; s < m->suites && status == RC_OK; s++)
        status = planted_make_readings(&x.k, s, err);
    return status;
}
