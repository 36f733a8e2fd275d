/* noise_study - what the noise study finds of readings in which all is planted
 *
 * bench_noise_study [DRAWS]
 *
 * Readings of 64 nodes x 8 cores x 10 repetitions at one point are drawn (normal: nodes
 * 0.5 %, cores 0.2 %, repetitions 0.1 %) and studied as 'noise' does it, DRAWS (1,000)
 * times each.  Prints a line for each goal with what was measured; ends with 1 where
 * one is missed, a rate by more than two standard errors.  All draws are the same in
 * every run.
 */
#include "campaign/base/mix.h"
#include "campaign/base/text.h"
#include "campaign/noise/parts.h"
#include "campaign/records/record.h"
#include "solve/study/quantile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 64, CORES = 8, REPEATS = 10, PLACES = NODES * CORES };
enum { READINGS = PLACES * REPEATS, EVENTS = 10 /* of a campaign */ };
static const double sigma[RC_LEVEL_COUNT] = {1e-3, 2e-3, 5e-3};
static const double false_rate = 0.05;

static uint64_t state = 1;
static uint64_t draws = 1000;
static int missed;

static double uniform(void)
{
    return ((double)(rc_mix_next(&state) >> 11) + 0.5) / 0x1p53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* One event, and room to study it. */
static struct {
    struct rc_store_suite labels;
    struct rc_noise_suite suite;
    struct rc_noise_study study;
    uint64_t iterations;
    size_t place[PLACES], node[PLACES];
    uint32_t number[PLACES];
    int64_t value[READINGS];
    uint8_t status[READINGS];
} s;

static int study_init(bool cores, struct rc_error *err)
{
    s.iterations = 1000;
    s.labels = (struct rc_store_suite){.name = "made up",
                                       .point_count = 1,
                                       .place_count = PLACES,
                                       .repetitions = REPEATS,
                                       .source_count = 1,
                                       .iterations = &s.iterations};
    for (size_t p = 0; p < PLACES; p++) {
        s.place[p] = p;
        s.number[p] = (uint32_t)p;
        s.node[p] = p / CORES;
    }
    s.suite = (struct rc_noise_suite){
        .labels = &s.labels,
        .node = s.number,
        .places = {.count = PLACES, .nodes = NODES, .place = s.place, .node = s.node}};
    rc_noise_study_fini(&s.study);
    return rc_noise_study_init(&s.suite, cores, &s.study, err);
}

/* Planted beside the scatter: the first nodes are off by 'shift', of every
 * other one with the sign changed where they are 'both'; so is one core.
 */
struct planted {
    size_t bad;
    double shift, core_shift;
    bool both;
};

static void draw(const struct planted *is, double missing)
{
    size_t at = 0;

    for (size_t node = 0; node < NODES; node++) {
        const double sign = is->both && node % 2 ? -1 : 1;
        const double of_node =
            sigma[RC_LEVEL_NODE] * normal() + (node < is->bad ? sign * is->shift : 0);
        for (size_t core = 0; core < CORES; core++) {
            const double of_core = sigma[RC_LEVEL_CORE] * normal() +
                                   (node == 0 && core == 0 ? is->core_shift : 0);
            for (size_t r = 0; r < REPEATS; r++, at++) {
                const double rest = sigma[RC_LEVEL_REPETITION] * normal();
                s.value[at] = llround(1e12 * (1 + of_node + of_core + rest));
                s.status[at] = missing > 0 && uniform() < missing ? RC_READING_FAILED
                                                                  : RC_READING_OK;
            }
        }
    }
}

static struct rc_noise_event study_event(void)
{
    struct rc_noise_event out = {.number = 0};

    rc_noise_study_event(&s.study, s.value, s.status, 0, &out);
    return out;
}

/* One line: what was measured, and whether it is between the goals, or not farther from
 * them than draws of so many may be by chance.
 */
static void say(const char *what, double found, double least, double most)
{
    const double chance = 2 * sqrt(0.05 * 0.95 / (double)draws);
    const double slack = most > 1e-3 && most <= 1 ? chance : 0; /* of rates */
    const bool met = found >= least - slack && found <= most + slack;

    missed += !met;
    printf("%-66s %9.4g  %g..%g%s\n", what, found, least, most, met ? "" : "  MISSED");
}

static void try_components(const char *how, double missing)
{
    static const char *const names[] = {"repetition", "core", "node"};
    const struct planted nothing = {0};
    double ratio[RC_LEVEL_COUNT] = {0}, covered[RC_LEVEL_COUNT] = {0}, apart = 0;
    double room[2 * PLACES], likely[RC_LEVEL_COUNT] = {0};
    char what[128];

    for (uint64_t d = 0; d < draws; d++) {
        draw(&nothing, missing);
        const struct rc_noise_event found = study_event();
        const struct rc_nesting nesting = {NODES, PLACES, s.study.node, s.study.count};
        if (missing <= 0)
            rc_components_reml(&nesting, s.study.reading, room, likely);
        for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
            const struct rc_component *c = &found.component[l];
            const double truth = sigma[l] * sigma[l];
            ratio[l] += c->variance / truth / (double)draws;
            covered[l] += (c->low <= truth && truth <= c->high) / (double)draws;
            if (missing <= 0)
                apart = fmax(apart, fabs(likely[l] / c->variance - 1));
        }
    }
    for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
        snprintf(what, sizeof what, "%s: %s, estimate / truth", how, names[l]);
        say(what, ratio[l], 0.98, 1.02);
        snprintf(what, sizeof what, "%s: %s, covered by its interval", how, names[l]);
        say(what, covered[l], 0.93, 0.97);
    }
    if (missing <= 0)
        say("REML / ANOVA - 1, the largest of all", apart, 0, 1e-6);
}

static int compare_off(const void *a, const void *b)
{
    const double x = ((const struct rc_noise_off *)a)->p;
    const double y = ((const struct rc_noise_off *)b)->p;

    return (x > y) - (x < y);
}

/* GEOPM's outlier detection, as it would judge one event: a normal distribution of all
 * nodes, bad ones too, and p = exp(-(d - d's 90th percentile)) of distances d in its
 * deviations.
 */
static size_t gaussian_hits(const double *median, size_t bad)
{
    double mean = 0, square = 0, distance[NODES], sorted[NODES];
    size_t hits = 0;

    for (size_t i = 0; i < NODES; i++)
        mean += median[i] / NODES;
    for (size_t i = 0; i < NODES; i++)
        square += (median[i] - mean) * (median[i] - mean) / (NODES - 1);
    for (size_t i = 0; i < NODES; i++)
        distance[i] = fabs(median[i] - mean) / sqrt(square);
    memcpy(sorted, distance, sizeof sorted);
    for (size_t i = 1; i < NODES; i++) /* few: by insertion */
        for (size_t j = i; j > 0 && sorted[j - 1] > sorted[j]; j--) {
            const double t = sorted[j];
            sorted[j] = sorted[j - 1];
            sorted[j - 1] = t;
        }
    for (size_t i = 0; i < bad; i++)
        hits += exp(-(distance[i] - sorted[NODES * 9 / 10])) <= 0.05;
    return hits;
}

/* Parts of bad nodes and events, or of draws. */
struct rates {
    double events;   /* found, of bad node x event */
    double nodes;    /* found by one event at least, of bad nodes */
    double lies;     /* mean part of false ones among node x event reported */
    double classes;  /* events with two classes of nodes */
    double gaussian; /* as 'events', by GEOPM's fit */
    double limit;    /* as 'events', by a test that knows which nodes are bad */
};

/* Found by Student's t against the good nodes alone, at the level that is allowed where
 * as many are reported as are bad: no test of single events does better.
 */
static size_t limit_hits(const double *median, size_t bad)
{
    const double good = (double)(NODES - bad);
    double mean = 0, square = 0;
    size_t hits = 0;

    for (size_t i = bad; i < NODES; i++)
        mean += median[i] / good;
    for (size_t i = bad; i < NODES; i++)
        square += (median[i] - mean) * (median[i] - mean) / (good - 1);
    for (size_t i = 0; i < bad; i++) {
        const double z = fabs(median[i] - mean) / sqrt(square * (1 + 1 / good));
        hits += rc_both_tails_t(z, good - 1) <= false_rate * (double)bad / NODES;
    }
    return hits;
}

/* Campaigns of 'events' events each, of which each node or core is judged. */
static struct rates try_outliers(const struct planted *is, size_t events)
{
    static struct rc_noise_off off[EVENTS * PLACES];
    static double p[EVENTS * PLACES], room[3 * PLACES + 2];
    static struct rc_off one[PLACES];
    struct rates out = {0};
    const size_t bad = is->core_shift != 0 ? 1 : is->bad;
    double hits = 0, named = 0, gaussian = 0, limit = 0;

    for (uint64_t d = 0; d < draws; d++) {
        bool seen[PLACES] = {false};
        size_t tests = 0, reported = 0, lies = 0;
        for (size_t e = 0; e < events; e++) {
            draw(is, 0);
            const struct rc_noise_event found = study_event();
            out.classes += found.classes;
            gaussian += (double)gaussian_hits(s.study.node_median, is->bad);
            limit += (double)limit_hits(s.study.node_median, is->bad);
            if (!found.judged)
                continue;
            rc_outliers(s.study.node_median, s.study.node_error, s.study.nodes, room,
                        one);
            for (size_t i = 0; i < s.study.nodes; i++)
                off[tests++] = (struct rc_noise_off){.node = s.study.node_number[i],
                                                     .delta = one[i].delta,
                                                     .z = one[i].z,
                                                     .p = one[i].p};
        }
        qsort(off, tests, sizeof *off, compare_off);
        for (size_t i = 0; i < tests; i++)
            p[i] = off[i].p;
        const double most = rc_false_discovery(p, tests, tests, false_rate);
        for (size_t i = 0; i < tests && off[i].p <= most; i++) {
            if (fabs(off[i].delta) <= 0.005 || fabs(off[i].z) <= 3)
                continue; /* as in campaign/noise/nodes.c */
            reported++;
            lies += off[i].node >= bad;
            seen[off[i].node] = true;
        }
        hits += (double)(reported - lies);
        out.lies += reported ? (double)lies / (double)reported : 0;
        for (size_t n = 0; n < bad; n++)
            named += seen[n];
    }
    const double all = (double)draws, tried = all * (double)(events * (bad ? bad : 1));
    out.events = hits / tried;
    out.nodes = named / (all * (double)(bad ? bad : 1));
    out.lies /= all;
    out.classes /= all * (double)events;
    out.gaussian = gaussian / tried;
    out.limit = limit / tried;
    return out;
}

static void try_nodes(void)
{
    const struct planted one = {.bad = 1, .shift = -0.03}, none = {0};
    const struct planted many = {.bad = 12, .shift = -0.03};
    const struct planted fifth = {.bad = 13, .shift = -0.03};
    const struct planted both = {.bad = 13, .shift = -0.03, .both = true};
    struct rates r = try_outliers(&one, 1);

    say("1 of 64 nodes -3 %, 1 event: found", r.events, r.limit - 0.01, 1);
    say("  by a test that knows which nodes are good", r.limit, 0, 1);
    say("  false among those reported", r.lies, 0, 0.06);
    r = try_outliers(&one, EVENTS);
    say("1 of 64 nodes -3 %, 10 events: node named", r.nodes, 0.99, 1);
    say("  node x event found", r.events, r.limit - 0.01, 1);
    say("  false among those reported", r.lies, 0, 0.06);
    r = try_outliers(&many, 1);
    say("12 of 64 nodes -3 %, 1 event: two classes", r.classes, 0, 0.2);
    say("  found where they are not", r.events / (1 - r.classes), 0.98, 1);
    say("  false among those reported", r.lies, 0, 0.06);
    say("  found by GEOPM's normal distribution of all nodes", r.gaussian, 0, 0.5);
    r = try_outliers(&both, 1);
    say("13 of 64 nodes -3 % or +3 %, 1 event: found", r.events, 0.98, 1);
    say("  false among those reported", r.lies, 0, 0.06);
    say("  found by GEOPM's normal distribution of all nodes", r.gaussian, 0, 0.5);
    r = try_outliers(&fifth, 1);
    say("13 of 64 nodes -3 %, 1 event: two classes, or found", r.classes + r.events,
        0.98, 1);
    r = try_outliers(&none, EVENTS);
    say("no node off, 10 events: draws with a false one", r.lies, 0, 0.06);
}

int main(int argc, char **argv)
{
    const struct planted core = {.core_shift = -0.02}, none = {0};
    struct rc_error err = {.rank = -1};

    if (argc > 2 || (argc == 2 && rc_text_count(argv[1], &draws)) || draws == 0) {
        fputs("bench_noise_study: expected a number of draws\n", stderr);
        return 2;
    }
    printf("%llu draws each: standard error of a rate of 0.05 or 0.95: %.4f\n\n",
           (unsigned long long)draws, sqrt(0.05 * 0.95 / (double)draws));
    if (study_init(false, &err) != RC_OK) {
        fprintf(stderr, "bench_noise_study: %s\n", err.text);
        return 2;
    }
    try_components("balanced", 0);
    try_components("10 % missing", 0.1);
    try_nodes();
    if (study_init(true, &err) != RC_OK) {
        fprintf(stderr, "bench_noise_study: %s\n", err.text);
        return 2;
    }
    struct rates r = try_outliers(&core, 1);
    say("1 of 512 cores -2 %, 1 event: found", r.events, 0.98, 1);
    say("  false among those reported", r.lies, 0, 0.06);
    r = try_outliers(&none, 1);
    say("no core off, 1 event: draws with a false one", r.lies, 0, 0.06);
    rc_noise_study_fini(&s.study);
    printf("\n%d missed\n", missed);
    return missed > 0;
}
