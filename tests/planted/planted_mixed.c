/* planted_mixed.c - the solve on random machines whose events mix families
 *
 *     planted_mixed [--plain] [--noise] [--least PERCENT] FIRST COUNT [DIR]
 *
 * Makes machines number FIRST to FIRST + COUNT - 1 (planted_mixed.h), solves each, and
 * judges by what was planted alone, not by readings.  A metric is composable where its
 * signature is a sum of events without noise, in rational numbers, on all points of all
 * suites.  A defined metric is false where its events count something else than its
 * signature on a point.  With --noise all events are noisy, by 1e-6, 1e-5, 1e-4 or 1e-3
 * of a reading by turns, and any of them may compose a metric.  One line for each that
 * is false or missed; then what was compared.  Exit status 1: something was false, or
 * less than PERCENT of the composable was found.
 */
#include "tests/planted/planted_mixed.h"
#include "tests/planted/planted_judge.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of results: by the noise of all events, and those that name ideals which only
 * one suite knows, or knows nearly.
 */
enum { LEVELS = 4, NEARLY = LEVELS, ROWS };

static const double levels[LEVELS] = {1e-6, 1e-5, 1e-4, 1e-3};

struct tally {
    size_t machines, events, quiet;
    size_t composable[ROWS], found[ROWS];
    size_t defined, falsehoods;    /* metrics */
    size_t besides, false_besides; /* events listed as the metric by themselves */
    size_t single, longer;         /* one event is the metric; and more were taken */
    bool noise;                    /* on all events */
};

/* One machine under judgement. */
struct trial {
    const struct planted *m;
    struct tally *tally;
    size_t level, rows;
    struct planted_exact quiet; /* what the events without noise span */
    const struct rc_suite_result *r;
};

#define SAY(t, ...) planted_say((t)->m, (t)->r ? (t)->r->suite : "-", __VA_ARGS__)

/* Allowed errors: rounded coefficients in general, and ten times the noise of the
 * events that they were found from.
 */
static double most_off(const struct trial *t, const struct rc_term *term, size_t terms,
                       bool nearly)
{
    double most = nearly ? 0.3 : 1e-6;

    for (size_t i = 0; i < terms; i++)
        most = fmax(most, 10 * t->m->event[term[i].event].noise);
    return most;
}

/* Whether one event without noise is the metric, times a number. */
static bool is_one(const struct trial *t, const double *weight, uint64_t *room)
{
    struct planted_exact one;
    bool is = false;

    if (planted_exact_init(t->rows, &one) == 0) {
        planted_fill_counts(t->m, weight, room);
        planted_exact_spans(&one, room, true);
        for (size_t e = 0; e < t->m->events && !is; e++) {
            is = t->m->event[e].noise == 0 &&
                 planted_fill_counts(t->m, t->m->event[e].weight, room) &&
                 planted_exact_spans(&one, room, false);
        }
    }
    planted_exact_fini(&one);
    return is;
}

/* Returns whether it is true. */
static bool judge_defined(struct trial *t, const struct rc_metric_result *r,
                          const double *weight, bool nearly)
{
    const double most = most_off(t, r->term, r->term_count, nearly);
    const double off = planted_off_most(t->m, r->term, r->term_count, r, weight, false);

    t->tally->defined++;
    for (size_t i = 0; i < r->alone_count; i++) {
        const struct rc_term alone = {.event = r->alone[i]};
        t->tally->besides++;
        if (planted_off_most(t->m, &alone, 1, NULL, weight, false) <=
            most_off(t, &alone, 1, nearly))
            continue;
        t->tally->false_besides++;
        SAY(t, "false: '%s' is not the same as %s", r->name, r->alone_name[i]);
    }
    if (off <= most)
        return true;
    t->tally->falsehoods++;
    SAY(t, "false: '%s' is defined by %zu events, and off by %.3g", r->name,
        r->term_count, off);
    return false;
}

static void judge_metric(struct trial *t, const struct rc_metric_result *r,
                         uint64_t *room)
{
    double weight[RC_IDEAL_COUNT];
    struct rc_error err;
    bool nearly = false;

    if (planted_read_signature(r->signature, weight, &err) != RC_OK) {
        t->tally->falsehoods++;
        SAY(t, "signature of '%s': %s", r->name, err.text);
        return;
    }
    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        nearly |= weight[q] != 0 && !rc_ideal_exact((enum rc_ideal)q);
    const bool composable = planted_fill_counts(t->m, weight, room) &&
                            planted_exact_spans(&t->quiet, room, false);
    const bool found =
        r->verdict == RC_METRIC_DEFINED && judge_defined(t, r, weight, nearly);
    if (!composable)
        return;
    const size_t row = nearly ? NEARLY : t->level;
    t->tally->composable[row]++;
    t->tally->found[row] += found;
    if (r->verdict != RC_METRIC_DEFINED)
        SAY(t, "missed: '%s' is %s (%s)", r->name, rc_metric_verdict_names[r->verdict],
            r->reason);
    if (!nearly && found && !t->tally->noise && is_one(t, weight, room)) {
        t->tally->single++;
        t->tally->longer += r->term_count > 1;
    }
}

static int judge_machine(struct trial *t, struct rc_store *file)
{
    t->rows = planted_rows(t->m);
    uint64_t *room = rc_calloc(t->rows, sizeof *room);
    const bool failed = planted_exact_init(t->rows, &t->quiet) || !room;
    for (size_t e = 0; e < t->m->events && !failed; e++)
        if (t->tally->noise || t->m->event[e].noise == 0) {
            planted_fill_counts(t->m, t->m->event[e].weight, room);
            planted_exact_spans(&t->quiet, room, true);
            t->tally->quiet++;
        }
    for (size_t s = 0; s < t->m->suites && !failed; s++) {
        t->r = rc_metrics_suite(file, 0, s);
        for (size_t i = 0; i < t->r->metric_count; i++)
            if (!t->r->metric[i].formula[0])
                judge_metric(t, &t->r->metric[i], room);
    }
    planted_exact_fini(&t->quiet);
    free(room);
    return failed ? -1 : 0;
}

static int try_machine(uint64_t seed, const char *dir, bool plain, struct tally *tally)
{
    struct planted m;
    struct trial t = {.m = &m, .tally = tally, .level = seed % LEVELS};
    struct rc_store *file = NULL;
    struct rc_error err = {.text = ""};
    int status = planted_mixed_init(seed, tally->noise ? levels[t.level] : 0, &m, &err);

    if (status == RC_OK)
        status = planted_solve(&m, dir, plain, &file, &err);
    if (status == RC_OK && judge_machine(&t, file))
        status = rc_fail(&err, RC_ENOMEM, "no memory to judge");
    if (file)
        rc_store_abandon(file);
    if (status != RC_OK)
        SAY(&t, "%s", err.text);
    tally->machines++;
    tally->events += m.events;
    planted_fini(&m);
    return status;
}

static void report_found(const char *what, size_t found, size_t composable)
{
    printf("composable metrics found%s: %zu of %zu (%.2f %%)\n", what, found,
           composable, composable ? 100.0 * (double)found / (double)composable : 100);
}

/* The share of what was found that counts, in percent. */
static double report(const struct tally *t)
{
    size_t composable = 0, found = 0;

    printf("machines %zu, events %zu, %zu that compose\n", t->machines, t->events,
           t->quiet);
    for (size_t i = 0; i < LEVELS; i++) {
        char what[48];
        snprintf(what, sizeof what, ", noise %.0e", levels[i]);
        if (t->noise && t->composable[i])
            report_found(what, t->found[i], t->composable[i]);
        composable += t->composable[i];
        found += t->found[i];
    }
    report_found("", found, composable);
    report_found(", with ideals that one suite knows", t->found[NEARLY],
                 t->composable[NEARLY]);
    printf("metrics defined %zu, false %zu\n", t->defined, t->falsehoods);
    printf("events the same by themselves %zu, false %zu\n", t->besides,
           t->false_besides);
    if (!t->noise)
        printf("metrics that are one event %zu, found as more %zu\n", t->single,
               t->longer);
    return composable ? 100.0 * (double)found / (double)composable : 100;
}

/* The options. */
struct request {
    uint64_t first, count;
    bool plain, noise;
    double least;
};

static int run(const char *dir, void *context)
{
    const struct request *how = context;
    struct tally tally = {.noise = how->noise};
    bool failed = false;

    for (uint64_t i = 0; i < how->count; i++)
        failed |= try_machine(how->first + i, dir, how->plain, &tally) != RC_OK;
    const double share = report(&tally);
    return failed || tally.falsehoods + tally.false_besides > 0 || share < how->least;
}

int main(int argc, char **argv)
{
    struct request how = {0};
    int i = 1;

    for (; i < argc && argv[i][0] == '-'; i++)
        if (strcmp(argv[i], "--least") == 0 && i + 1 < argc)
            how.least = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--plain") == 0)
            how.plain = true;
        else if (strcmp(argv[i], "--noise") == 0)
            how.noise = true;
        else
            break;
    if (argc - i < 2 || argc - i > 3 || rc_text_count(argv[i], &how.first) ||
        rc_text_count(argv[i + 1], &how.count) || how.count == 0) {
        fputs("usage: planted_mixed [--plain] [--noise] [--least PERCENT] FIRST COUNT "
              "[DIR]\n",
              stderr);
        return 2;
    }
    return planted_in_dir("planted_mixed", argc - i == 3 ? argv[i + 2] : NULL, run,
                          &how);
}
