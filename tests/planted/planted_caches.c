/* planted_caches.c - the solve on random machines with events of caches and memory
 *
 *     planted_caches [--list] [--least PERCENT] [--false PERCENT] FIRST COUNT [DIR]
 *
 * Makes machines number FIRST to FIRST + COUNT - 1 (planted_caches.h), solves each, and
 * judges by what was planted alone, not by readings.  A metric is composable where its
 * signature is a sum of events, in rational numbers, on all points of all suites, with
 * at most 8 events and coefficients up to 100; one whose parts' noise is more than 5 %
 * of it is drowned, and counted apart.  A defined metric is false where its events
 * count
 * something else by more than 2 %, or four times their noise, on a point, or of an
 * ideal of caches; an approximate metric is, where it is farther off than the bound it
 * states, on a point.  With --list one line for each that is false or missed, and for
 * each event that could have to do with it.  Then what was compared, and by metrics,
 * the worst first.  Exit status 1: more than PERCENT (0) of the defined was false, or
 * of the bounds, or less than PERCENT of the composable was found.
 */
#include "tests/planted/planted_caches.h"
#include "tests/planted/planted_parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METRICS_MOST = 128 };

struct counts {
    char name[80]; /* of a metric, and its suite */
    size_t composable, found, drowned, defined, falsehoods;
};

struct tally {
    size_t machines, events;
    size_t unknown;                   /* composable, and no short sum was found */
    size_t besides, false_besides;    /* events listed as the metric by themselves */
    size_t bounds, few, false_bounds; /* stated of approximate metrics; from below */
    struct counts all, metric[METRICS_MOST];
    size_t metrics;
};

/* The options. */
struct request {
    uint64_t first, count;
    bool list;
    double least, most_false; /* percent */
};

/* One machine under judgement. */
struct trial {
    const struct planted *m;
    struct tally *tally;
    bool list;
    struct planted_exact span;
    struct planted_sparse *sparse;
    bool occurs[RC_IDEAL_COUNT];
    size_t suite;
    const struct rc_suite_result *r;
};

#define SAY(t, ...) planted_say((t)->m, (t)->r ? (t)->r->suite : "-", __VA_ARGS__)

/* "    E3::pure: 64 L1DM + 0.3 LOADS, noise 1e-3" */
static void say_event(const struct trial *t, size_t event, double coefficient)
{
    const struct planted_event *e = &t->m->event[event];

    printf("seed %lu,     %.4g x %s:", (unsigned long)t->m->seed, coefficient, e->name);
    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        if (e->weight[q] != 0)
            printf(" %+.4g %s", e->weight[q], rc_ideal_name((enum rc_ideal)q));
    printf(", noise %.2g, rest %g\n", e->noise, e->rest);
}

static struct counts *counts_of(struct tally *tally, const char *suite,
                                const char *metric)
{
    char name[sizeof tally->metric[0].name];
    size_t i = 0;

    snprintf(name, sizeof name, "%s (%s)", metric, suite);
    while (i < tally->metrics && strcmp(tally->metric[i].name, name) != 0)
        i++;
    if (i == METRICS_MOST)
        return &tally->metric[METRICS_MOST - 1];
    if (i == tally->metrics)
        snprintf(tally->metric[tally->metrics++].name, sizeof name, "%s", name);
    return &tally->metric[i];
}

/* How far the sum is from the signature in an ideal of caches, memory or speculation
 * that this machine has; the worst one in *worst.
 */
static double off_in_ideals(const struct trial *t, const struct rc_term *term,
                            size_t terms, const struct rc_metric_result *r,
                            const double *weight, size_t *worst)
{
    double sum[RC_IDEAL_COUNT] = {0}, claim[RC_IDEAL_COUNT], size = 0, most = 0;

    memcpy(claim, weight, sizeof claim);
    for (size_t i = 0; i < terms; i++)
        for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
            sum[q] += t->m->event[term[i].event].weight[q] *
                      (r ? rc_term_value(r, &term[i]) : 1);
    planted_caches_reduce(sum);
    planted_caches_reduce(claim);
    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        size = fmax(size, fabs(claim[q]));
    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        if (!rc_ideal_exact((enum rc_ideal)q) && t->occurs[q] &&
            fabs(sum[q] - claim[q]) > most * size) {
            most = fabs(sum[q] - claim[q]) / size;
            *worst = q;
        }
    return most;
}

/* Whether the sum is the metric; otherwise 'why', where it is given, gets the words. */
static bool is_true(const struct trial *t, const struct rc_term *term, size_t terms,
                    const struct rc_metric_result *r, const double *weight, char *why,
                    size_t room)
{
    size_t worst = 0;
    double most = 0.02;

    for (size_t i = 0; i < terms; i++)
        most = fmax(most, 4 * t->m->event[term[i].event].noise);
    const double ideals = off_in_ideals(t, term, terms, r, weight, &worst);
    const double points = planted_off_most(t->m, term, terms, r, weight, true);
    if (points <= most && ideals <= most)
        return true;
    snprintf(why, room, "off by %.3g on a point, by %.3g in %s", points, ideals,
             rc_ideal_name((enum rc_ideal)worst));
    return false;
}

static void judge_besides(struct trial *t, const struct rc_metric_result *r,
                          const double *weight)
{
    char why[128];

    for (size_t i = 0; i < r->alone_count; i++) {
        const struct rc_term alone = {.event = r->alone[i]};
        t->tally->besides++;
        if (is_true(t, &alone, 1, NULL, weight, why, sizeof why))
            continue;
        t->tally->false_besides++;
        if (t->list)
            SAY(t, "false: '%s' is not the same as %s, %s", r->name, r->alone_name[i],
                why);
    }
}

/* Returns whether it is true. */
static bool judge_defined(struct trial *t, const struct rc_metric_result *r,
                          const double *weight, struct counts *counts)
{
    char why[128];

    counts->defined++;
    judge_besides(t, r, weight);
    if (is_true(t, r->term, r->term_count, r, weight, why, sizeof why))
        return true;
    counts->falsehoods++;
    if (!t->list)
        return false;
    SAY(t, "false: '%s' = %s, %s", r->name, r->signature, why);
    for (size_t i = 0; i < r->term_count; i++)
        say_event(t, r->term[i].event, rc_term_value(r, &r->term[i]));
    return false;
}

/* An approximate metric is no farther off than it says, and to no other side, on all
 * points: by what was planted, and four times the noise of its event.
 */
static void judge_bound(struct trial *t, const struct rc_metric_result *r,
                        const double *weight)
{
    char word[8];
    double percent;

    if (sscanf(r->reason, "too %7s by up to %lf", word, &percent) != 2)
        return;
    const bool few = strcmp(word, "few") == 0;
    const struct planted_off off =
        planted_off(t->m, r->term, r->term_count, r, weight, true, 1e-3);
    const double room = 1e-6 + 4 * t->m->event[r->term[0].event].noise;
    t->tally->bounds++;
    t->tally->few += few;
    if ((few ? off.less : off.more) <= percent / 100 + room &&
        (few ? off.more : off.less) <= room)
        return;
    t->tally->false_bounds++;
    if (!t->list)
        return;
    SAY(t, "false: '%s' = %s is %s, and off by +%.3g, -%.3g", r->name, r->signature,
        r->reason, off.more, off.less);
    say_event(t, r->term[0].event, rc_term_value(r, &r->term[0]));
}

/* The parts' noise relative to the metric, on the points of its suite. */
static double noise_of(const struct trial *t, const double *coefficient,
                       const double *weight)
{
    const struct planted_suite *s = &t->m->suite[t->suite];
    double noise = 0, all = 0;

    for (size_t p = 0; p < s->points.count; p++) {
        const double *done = s->done + p * RC_IDEAL_COUNT;
        double claim = 0;
        for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
            if (weight[q] != 0)
                claim += weight[q] * done[q];
        all += claim * claim;
        for (size_t e = 0; e < t->m->events; e++)
            if (coefficient[e] != 0)
                noise += pow(coefficient[e] * t->m->event[e].noise *
                                 planted_count(t->m, e, t->suite, p),
                             2);
    }
    return all > 0 ? sqrt(noise / all) : INFINITY;
}

/* Whether events compose it; the coefficients of one sum that does. */
static bool is_composable(struct trial *t, const double *weight, uint64_t *room,
                          double *coefficient, struct counts *counts)
{
    double reduced[RC_IDEAL_COUNT];

    memcpy(reduced, weight, sizeof reduced);
    planted_caches_reduce(reduced);
    if (!planted_fill_counts(t->m, reduced, room) ||
        !planted_exact_spans(&t->span, room, false))
        return false;
    if (!planted_sparse_find(t->sparse, weight, coefficient)) {
        t->tally->unknown++;
        return false;
    }
    if (noise_of(t, coefficient, weight) > 0.05) {
        counts->drowned++;
        return false;
    }
    return true;
}

static void judge_metric(struct trial *t, const struct rc_metric_result *r,
                         uint64_t *room)
{
    double weight[RC_IDEAL_COUNT], coefficient[PLANTED_EVENTS];
    struct counts *counts = counts_of(t->tally, t->r->suite, r->name);
    struct rc_error err;

    if (planted_read_signature(r->signature, weight, &err) != RC_OK) {
        counts->falsehoods++;
        SAY(t, "signature of '%s': %s", r->name, err.text);
        return;
    }
    const bool found =
        r->verdict == RC_METRIC_DEFINED && judge_defined(t, r, weight, counts);
    if (r->verdict == RC_METRIC_APPROXIMATE)
        judge_bound(t, r, weight);
    if (!is_composable(t, weight, room, coefficient, counts))
        return;
    counts->composable++;
    counts->found += found;
    if (r->verdict == RC_METRIC_DEFINED || !t->list)
        return;
    SAY(t, "missed: '%s' = %s is %s (%s)", r->name, r->signature,
        rc_metric_verdict_names[r->verdict], r->reason);
    for (size_t e = 0; e < t->m->events; e++)
        if (coefficient[e] != 0)
            say_event(t, e, coefficient[e]);
}

static int judge_machine(struct trial *t, struct rc_store *file)
{
    const size_t rows = planted_rows(t->m);
    uint64_t *room = rc_calloc(rows, sizeof *room);

    t->sparse = planted_sparse_create(t->m);
    const bool failed = planted_exact_init(rows, &t->span) || !room || !t->sparse;
    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        t->occurs[q] = planted_occurs(t->m, q);
    for (size_t e = 0; e < t->m->events && !failed; e++) {
        double weight[RC_IDEAL_COUNT];
        memcpy(weight, t->m->event[e].weight, sizeof weight);
        planted_caches_reduce(weight);
        planted_fill_counts(t->m, weight, room);
        planted_exact_spans(&t->span, room, true);
    }
    for (t->suite = 0; t->suite < t->m->suites && !failed; t->suite++) {
        t->r = rc_metrics_suite(file, 0, t->suite);
        for (size_t i = 0; i < t->r->metric_count; i++)
            if (!t->r->metric[i].formula[0])
                judge_metric(t, &t->r->metric[i], room);
    }
    planted_exact_fini(&t->span);
    planted_sparse_free(t->sparse);
    free(room);
    return failed ? -1 : 0;
}

static int try_machine(uint64_t seed, const char *dir, bool list, struct tally *tally)
{
    struct planted m;
    struct trial t = {.m = &m, .tally = tally, .list = list};
    struct rc_store *file = NULL;
    struct rc_error err = {.text = ""};
    int status = planted_caches_init(seed, &m, &err);

    if (status == RC_OK)
        status = planted_solve(&m, dir, false, &file, &err);
    if (status == RC_OK && judge_machine(&t, file))
        status = rc_fail(&err, RC_ENOMEM, "no memory to judge");
    if (file)
        rc_store_abandon(file);
    t.r = NULL;
    if (status != RC_OK)
        SAY(&t, "%s", err.text);
    tally->machines++;
    tally->events += m.events;
    planted_fini(&m);
    return status;
}

static double percent(size_t part, size_t whole, double otherwise)
{
    return whole ? 100.0 * (double)part / (double)whole : otherwise;
}

static size_t wrong(const struct counts *c)
{
    return c->composable - c->found + c->falsehoods;
}

static int by_wrong(const void *a, const void *b)
{
    const struct counts *x = a, *y = b;

    if (wrong(x) != wrong(y))
        return wrong(x) < wrong(y) ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void report(struct tally *t)
{
    struct counts *all = &t->all;

    qsort(t->metric, t->metrics, sizeof t->metric[0], by_wrong);
    printf("%-56s %10s %6s %7s %7s %6s\n", "metric (suite)", "composable", "found",
           "drowned", "defined", "false");
    for (size_t i = 0; i < t->metrics; i++) {
        const struct counts *c = &t->metric[i];
        printf("%-56s %10zu %6zu %7zu %7zu %6zu\n", c->name, c->composable, c->found,
               c->drowned, c->defined, c->falsehoods);
        all->composable += c->composable;
        all->found += c->found;
        all->drowned += c->drowned;
        all->defined += c->defined;
        all->falsehoods += c->falsehoods;
    }
    printf("machines %zu, events %zu\n", t->machines, t->events);
    printf("composable metrics found: %zu of %zu (%.2f %%)\n", all->found,
           all->composable, percent(all->found, all->composable, 100));
    printf("composable but drowned in noise: %zu\n", all->drowned);
    printf("composable, but of no %d events with coefficients up to %d: %zu\n",
           PLANTED_TERMS, PLANTED_COEFFICIENT, t->unknown);
    printf("metrics defined %zu, false %zu (%.2f %%)\n", all->defined, all->falsehoods,
           percent(all->falsehoods, all->defined, 0));
    printf("events the same by themselves %zu, false %zu\n", t->besides,
           t->false_besides);
    printf("approximate with a bound %zu, from below %zu, false %zu\n", t->bounds,
           t->few, t->false_bounds);
}

static int run(const char *dir, void *context)
{
    const struct request *how = context;
    struct tally *tally = rc_calloc(1, sizeof *tally);
    bool failed = !tally;

    for (uint64_t i = 0; i < how->count && tally; i++)
        failed |= try_machine(how->first + i, dir, how->list, tally) != RC_OK;
    if (tally) {
        report(tally);
        failed |=
            percent(tally->all.found, tally->all.composable, 100) < how->least ||
            percent(tally->all.falsehoods, tally->all.defined, 0) > how->most_false ||
            percent(tally->false_bounds, tally->bounds, 0) > how->most_false;
    }
    free(tally);
    return failed;
}

int main(int argc, char **argv)
{
    struct request how = {0};
    int i = 1;

    for (; i < argc && argv[i][0] == '-'; i++)
        if (strcmp(argv[i], "--list") == 0)
            how.list = true;
        else if (strcmp(argv[i], "--least") == 0 && i + 1 < argc)
            how.least = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--false") == 0 && i + 1 < argc)
            how.most_false = strtod(argv[++i], NULL);
        else
            break;
    if (argc - i < 2 || argc - i > 3 || rc_text_count(argv[i], &how.first) ||
        rc_text_count(argv[i + 1], &how.count) || how.count == 0) {
        fputs("usage: planted_caches [--list] [--least PERCENT] [--false PERCENT] "
              "FIRST COUNT [DIR]\n",
              stderr);
        return 2;
    }
    return planted_in_dir("planted_caches", argc - i == 3 ? argv[i + 2] : NULL, run,
                          &how);
}
