/* planted.c - the solve on random machines of which the truth is known
 *
 *     planted [--plain] FIRST COUNT [DIR]
 *
 * Makes machines number FIRST to FIRST + COUNT - 1 (planted.h), solves each, and
 * compares classes, choice, metrics and interchangeable events with what was planted.
 * One line for each failure; then what was compared, and the rates.  Exit status 1:
 * something was wrong.  With --plain it judges the published method alone.
 */
#include "tests/planted/planted_judge.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/hierarchy/parts.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The fate of a metric. */
enum outcome {
    FOUND,
    MISSED,
    NOISY,
    DISPLACED,
    UNTOLD,
    OPEN,
    CANCELLED,
    NOT_CANCELLED,
    NEARLY,
    NONE,
    CONTRADICTED,
    OUTCOMES
};

static const char *const outcome_names[OUTCOMES] = {
    [FOUND] = "made up by pure events, and defined",
    [MISSED] = "made up by pure events, and not defined",
    [NOISY] = "likewise, but for the noise of the events",
    [DISPLACED] = "likewise, but an event was chosen that nothing shows to be impure",
    [UNTOLD] = "likewise, but of caches, which the suites at hand do not tell apart",
    [OPEN] = "made up only with events that are near to a threshold or not to be told",
    [CANCELLED] = "made up by impure events that cancel, and defined",
    [NOT_CANCELLED] = "made up by impure events that cancel, and not defined",
    [NEARLY] = "made up by no events exactly, and defined within the tolerance",
    [NONE] = "made up by no events, and not defined",
    [CONTRADICTED] = "contradicted, and false by what was planted"};

/* Counts over all machines. */
struct tally {
    size_t machines, wrong_machines, suites, events;
    size_t classes, unsure_classes;
    size_t kind[PLANTED_PURE + 1];
    size_t spans, unsure_spans;
    size_t outcome[OUTCOMES];
    size_t hidden; /* defined, and wrong where nobody can know */
    size_t others;
    size_t trees;
    size_t failures;
};

/* One machine under judgement. */
struct trial {
    const struct planted *m;
    struct rc_definitions *definitions;
    struct rc_store *file;
    struct tally *tally;
    struct planted_truth truth;
    const struct rc_suite_result *r;
    struct rc_event_columns columns;
    double steadiness[PLANTED_EVENTS]; /* noise of the mean, relative */
};

static void wrong(struct trial *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void wrong(struct trial *t, const char *format, ...)
{
    char text[RC_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("seed %lu, suite %s: %s\n", (unsigned long)t->m->seed,
           t->r ? t->r->suite : "-", text);
    t->tally->failures++;
}

/* Readings may be off by so much of the counts of a combination's parts, or by the
 * noise that coefficients were found with; and by one count of each, as whole numbers.
 */
static const double rounding = 1e-4;

static const char *const kind_names[] = {"unusable",          "outside", "impure",
                                         "impure or outside", "unsure",  "pure"};

static void judge_classes(struct trial *t)
{
    for (size_t e = 0; e < t->m->events; e++) {
        if (t->truth.event[e].class_unsure) {
            t->tally->unsure_classes++;
            continue;
        }
        t->tally->classes++;
        if (t->columns.event_class[e] != t->truth.event[e].class)
            wrong(t, "class of %s is %s, expected %s", t->m->event[e].name,
                  rc_class_names[t->columns.event_class[e]],
                  rc_class_names[t->truth.event[e].class]);
    }
}

static bool is_right(enum planted_kind kind, enum rc_use use)
{
    switch (kind) {
    case PLANTED_UNUSABLE:
        return use == RC_USE_NONE;
    case PLANTED_OUTSIDE:
        return use == RC_USE_OUTSIDE;
    case PLANTED_IMPURE:
        return use == RC_USE_IMPURE;
    case PLANTED_EITHER:
        return use == RC_USE_IMPURE || use == RC_USE_OUTSIDE;
    case PLANTED_PURE:
        return use == RC_USE_CHOSEN || use == RC_USE_DEPENDENT;
    default:
        return true;
    }
}

static void judge_uses(struct trial *t)
{
    for (size_t e = 0; e < t->m->events; e++) {
        const enum planted_kind kind = t->truth.event[e].kind;
        const enum rc_use use = (enum rc_use)t->columns.use[e];
        t->tally->kind[kind]++;
        if (!is_right(kind, use))
            wrong(t, "%s is %s (%s; residual %.2g), expected %s", t->m->event[e].name,
                  rc_use_names[use], t->r->reason[t->columns.reason[e]],
                  t->columns.residual[e], kind_names[kind]);
    }
}

/* The part of an event's coordinates that may be noise. */
static double grain_of(const struct trial *t, size_t event)
{
    const double norm = planted_norm(t->truth.event[event].x, t->truth.ideals);

    return 4 * t->steadiness[event] * norm + 1e-4 * norm;
}

/* The spans of the chosen events, of the pure ones, and of those that may be pure.
 */
struct spans {
    struct planted_span chosen, pure, possible;
};

static int spans_init(size_t rows, struct spans *s)
{
    *s = (struct spans){0};
    return planted_span_init(rows, &s->chosen) || planted_span_init(rows, &s->pure) ||
           planted_span_init(rows, &s->possible);
}

static void spans_fini(struct spans *s)
{
    planted_span_fini(&s->chosen);
    planted_span_fini(&s->pure);
    planted_span_fini(&s->possible);
}

/* Takes those chosen, which must be independent; true: one of them is something that
 * is known nearly only.
 */
static bool take_chosen(struct trial *t, struct planted_span *chosen)
{
    bool nearly = false;

    for (size_t j = 0; j < t->r->chosen_count; j++) {
        const struct rc_chosen *c = &t->r->chosen[j];
        if (c->completes || t->truth.event[c->event].kind < PLANTED_UNSURE)
            continue;
        nearly |= t->truth.event[c->event].nearly;
        if (!planted_span_add(chosen, t->truth.event[c->event].x, 1e-9))
            wrong(t, "%s is chosen, and depends on those before it", c->name);
    }
    return nearly;
}

/* The chosen pure events are independent, and span all that are pure, but for what is
 * less than alpha asks for, or less than what is known of an ideal.
 */
static int judge_span(struct trial *t, struct spans *s)
{
    const double beta = t->r->alpha * sqrt((double)t->truth.ideals);
    const bool nearly = take_chosen(t, &s->chosen);
    double *rest = rc_calloc(t->truth.ideals, sizeof *rest);
    bool sure = true;

    if (!rest)
        return -1;
    for (size_t e = 0; e < t->m->events; e++) {
        const double *x = t->truth.event[e].x;
        if (t->truth.event[e].kind < PLANTED_UNSURE)
            continue;
        const double left = planted_span_rest(&s->chosen, x, rest);
        const bool spanned = left <= 1e-9 * planted_norm(x, t->truth.ideals);
        planted_span_add(&s->possible, x, 1e-9);
        if (t->truth.event[e].kind == PLANTED_UNSURE)
            continue;
        if (spanned)
            planted_span_add(&s->pure, x, 1e-9);
        else if (left > beta + grain_of(t, e) && !nearly)
            wrong(t, "%s is not in the span of those chosen: %.3g left",
                  t->m->event[e].name, left);
        sure = sure && spanned;
    }
    t->tally->spans += sure;
    t->tally->unsure_spans += !sure;
    free(rest);
    return 0;
}

/* Equal events, and no others, stand beside a chosen event. */
static bool is_listed(const struct rc_chosen *c, size_t event)
{
    for (size_t i = 0; i < c->other_count; i++)
        if (c->other[i] == event)
            return true;
    return false;
}

static void judge_others(struct trial *t)
{
    const struct planted_truth *truth = &t->truth;

    for (size_t j = 0; j < t->r->chosen_count; j++) {
        const struct rc_chosen *c = &t->r->chosen[j];
        for (size_t e = 0; e < t->m->events && !c->completes; e++) {
            double off = 0;
            for (size_t i = 0; i < truth->ideals; i++)
                off =
                    fmax(off, fabs(truth->event[e].x[i] - truth->event[c->event].x[i]));
            const double grain = grain_of(t, e) + grain_of(t, c->event);
            const bool pure = truth->event[e].kind == PLANTED_PURE;
            if (e == c->event || truth->event[e].kind == PLANTED_UNSURE)
                continue;
            if (pure && off <= 1e-9 && grain < t->r->alpha) {
                t->tally->others++;
                if (!is_listed(c, e))
                    wrong(t, "%s is as good as %s, and not listed", t->m->event[e].name,
                          c->name);
            } else if ((!pure || off > t->r->alpha + grain) && is_listed(c, e))
                wrong(t, "%s is listed as good as %s", t->m->event[e].name, c->name);
        }
    }
}

/* Coefficients that a user takes: rounded ones that hold. */
static double coefficient_of(const struct rc_metric_result *metric, size_t term)
{
    return metric->rounded_holds ? metric->term[term].rounded
                                 : metric->term[term].coefficient;
}

static double least_of(const double *weight)
{
    double least = INFINITY;

    for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
        if (weight[q] != 0)
            least = fmin(least, fabs(weight[q]));
    return least;
}

/* How far the metric's combination is from its signature, on the points of a suite
 * where the signature is known, or on the others; relative.
 */
static double off_on(const struct trial *t, const struct rc_metric_result *metric,
                     const double *weight, size_t suite, bool known)
{
    const struct planted_suite *s = &t->m->suite[suite];
    const double least = least_of(weight);
    double off = 0, counted = 0, claimed = 0;
    size_t points = 0;

    for (size_t p = 0; p < s->points.count; p++) {
        const double *ideal = s->known + p * RC_IDEAL_COUNT;
        double claim = 0, count = 0, slack = 0;
        bool is_known = true;
        for (size_t q = 0; q < RC_IDEAL_COUNT; q++) {
            is_known = is_known && !(weight[q] != 0 && isnan(ideal[q]));
            claim += weight[q] * s->done[p * RC_IDEAL_COUNT + q];
        }
        for (size_t i = 0; i < metric->term_count; i++) {
            const size_t event = metric->term[i].event;
            const double each = coefficient_of(metric, i);
            const double part = each * planted_count(t->m, event, suite, p);
            count += part;
            slack += fmax(rounding, t->steadiness[event]) * fabs(part) +
                     fabs(each) / (double)s->iterations[p];
        }
        if (is_known != known)
            continue;
        off += pow(fmax(0, fabs(count - claim) - slack), 2);
        counted += count * count;
        claimed += claim * claim;
        points++;
    }
    const double scale =
        fmax(least * sqrt((double)points), sqrt(fmax(counted, claimed)));
    return points ? sqrt(off) / scale : 0;
}

/* Whether a metric's events were all measured there. */
static bool is_seen(const struct trial *t, const struct rc_metric_result *metric,
                    size_t suite)
{
    for (size_t i = 0; i < metric->term_count; i++) {
        const struct planted_event *e = &t->m->event[metric->term[i].event];
        if (e->unmeasured >> suite & 1 || e->invalid + 2 > t->m->repetitions)
            return false;
    }
    return true;
}

/* The sum of coefficients times what was planted, against the signature; 0 where an
 * event has coordinates only nearly, or none in this suite: it was chosen by others.
 */
static double off_signature(const struct trial *t,
                            const struct rc_metric_result *metric, const double *weight)
{
    double off = 0, all = 0;

    for (size_t i = 0; i < t->truth.ideals; i++) {
        const double wanted = weight[t->truth.ideal[i]];
        double sum = 0;
        for (size_t j = 0; j < metric->term_count; j++) {
            const size_t event = metric->term[j].event;
            if (t->truth.event[event].nearly ||
                t->truth.event[event].kind == PLANTED_UNUSABLE)
                return 0;
            sum += coefficient_of(metric, j) * t->truth.event[event].x[i];
        }
        off += (sum - wanted) * (sum - wanted);
        all += wanted * wanted;
    }
    return sqrt(off / all);
}

static double tolerance_of(const struct trial *t, const double *weight)
{
    const struct rc_suite_definition *d = t->truth.definition;
    double most = d->purity;

    for (size_t i = 0; i < d->loose_count; i++)
        if (weight[rc_ideal_find(d->loose[i])] != 0)
            most = fmax(most, d->within);
    return most;
}

/* Nothing that is defined counts anything but its signature. */
static bool judge_defined(struct trial *t, const struct rc_metric_result *metric,
                          const double *weight)
{
    const double most = tolerance_of(t, weight);
    bool hidden = false;

    for (size_t s = 0; s < t->m->suites; s++) {
        const bool seen = is_seen(t, metric, s);
        const double off = off_on(t, metric, weight, s, true);
        if (seen && off > 2 * most)
            wrong(t, "'%s' is defined, and off by %.3g on suite %s", metric->name, off,
                  t->m->suite[s].suite->name);
        hidden |=
            (!seen && off > 2 * most) || off_on(t, metric, weight, s, false) > 2 * most;
    }
    t->tally->hidden += hidden;
    const double off = off_signature(t, metric, weight);
    if (off > 2 * most)
        wrong(t, "'%s' is defined, and its events' ideals are off by %.3g",
              metric->name, off);
    return hidden;
}

/* A metric that is contradicted counts something else than its signature in some suite,
 * by what was planted, known to the solve or not.
 */
static void judge_contradicted(struct trial *t, const struct rc_metric_result *metric,
                               const double *weight)
{
    double off = 0;

    for (size_t s = 0; s < t->m->suites; s++)
        off = fmax(off, fmax(off_on(t, metric, weight, s, true),
                             off_on(t, metric, weight, s, false)));
    if (off <= tolerance_of(t, weight))
        wrong(t, "'%s' is contradicted (%s), and off by no more than %.3g",
              metric->name, metric->reason, off);
}

/* All points of all suites on which a signature is known, and was counted. */
static size_t stack(const struct trial *t, const double *weight, size_t event,
                    double *out)
{
    size_t rows = 0;

    for (size_t s = 0; s < t->m->suites; s++)
        for (size_t p = 0; p < t->m->suite[s].points.count; p++) {
            const double *known = t->m->suite[s].known + p * RC_IDEAL_COUNT;
            double claim = 0;
            for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
                if (weight[q] != 0)
                    claim += weight[q] * known[q];
            if (isnan(claim))
                continue;
            out[rows++] = event == SIZE_MAX ? claim : planted_count(t->m, event, s, p);
        }
    return rows;
}

/* Whether any events that are steady here make up the metric on all suites. */
static bool can_cancel(const struct trial *t, const double *weight)
{
    struct planted_span span = {0};
    size_t points = 0;
    bool can = false;

    for (size_t s = 0; s < t->m->suites; s++)
        points += t->m->suite[s].points.count;
    double *room = rc_calloc(2 * points, sizeof *room);
    const size_t rows = room ? stack(t, weight, SIZE_MAX, room) : 0;
    if (rows == 0 || planted_span_init(rows, &span)) {
        free(room);
        return false;
    }
    for (size_t e = 0; e < t->m->events; e++)
        if (t->truth.event[e].kind != PLANTED_UNUSABLE) {
            stack(t, weight, e, room + points);
            planted_span_add(&span, room + points, 1e-7);
        }
    const double norm = planted_norm(room, rows);
    can = norm > 0 && planted_span_rest(&span, room, room + points) < 1e-7 * norm;
    planted_span_fini(&span);
    free(room);
    return can;
}

/* The effect of noise on a combination, on the points of the suite where that is the
 * largest share of what is to be counted.
 */
static double noise_in(const struct trial *t, const struct rc_metric_result *metric,
                       const double *weight)
{
    double most = 0;
    bool steady = true;

    /* The noise of one event is in the coefficients of all. */
    for (size_t j = 0; j < metric->term_count; j++)
        steady = steady && t->steadiness[metric->term[j].event] == 0;
    for (size_t s = 0; s < t->m->suites; s++) {
        const struct planted_suite *suite = &t->m->suite[s];
        double noise = 0, claimed = 0;
        for (size_t p = 0; p < suite->points.count; p++) {
            const double *done = suite->done + p * RC_IDEAL_COUNT;
            double claim = 0;
            for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
                claim += weight[q] * done[q];
            claimed += fmax(claim * claim, pow(least_of(weight), 2));
            for (size_t j = 0; j < metric->term_count; j++) {
                const struct rc_term *term = &metric->term[j];
                const double count = planted_count(t->m, term->event, s, p);
                noise +=
                    pow(2 * t->steadiness[term->event] * term->coefficient * count, 2);
                if (!steady && !isnan(term->low))
                    noise += pow((term->high - term->low) / 2 * count, 2);
            }
        }
        most = fmax(most, sqrt(noise / claimed));
    }
    return most;
}

/* Why a metric that pure events make up may not be defined all the same. */
static enum outcome why_not(const struct trial *t,
                            const struct rc_metric_result *metric, const double *weight)
{
    bool steady = true, wide = false;

    for (size_t i = 0; i < metric->term_count; i++) {
        const struct rc_term *term = &metric->term[i];
        if (t->truth.event[term->event].kind == PLANTED_UNSURE)
            return DISPLACED;
        steady = steady && t->steadiness[term->event] == 0;
        wide |= term->high - term->low > 0.1 * fabs(term->coefficient);
    }
    if ((wide && !steady) ||
        noise_in(t, metric, weight) > 0.2 * t->truth.definition->purity)
        return NOISY;
    /* These machines have some of the suites: planted_caches judges those that have
     * all. */
    return !t->truth.definition->nuisance && (metric->verdict == RC_METRIC_UNKNOWN ||
                                              metric->verdict == RC_METRIC_APPROXIMATE)
               ? UNTOLD
               : MISSED;
}

static enum outcome outcome_of(struct trial *t, const struct rc_metric_result *metric,
                               const double *weight, const struct spans *spans)
{
    double own[RC_IDEAL_COUNT] = {0}, rest[RC_IDEAL_COUNT];
    const size_t ideals = t->truth.ideals;
    const bool defined = metric->verdict == RC_METRIC_DEFINED;
    const bool hidden = defined && judge_defined(t, metric, weight);

    if (metric->verdict == RC_METRIC_CONTRADICTED) {
        judge_contradicted(t, metric, weight);
        return CONTRADICTED;
    }
    for (size_t i = 0; i < ideals; i++)
        own[i] = weight[t->truth.ideal[i]];
    const double norm = planted_norm(own, ideals);
    if (norm > 0 && planted_span_rest(&spans->pure, own, rest) < 1e-9 * norm)
        return defined ? FOUND : why_not(t, metric, weight);
    if (hidden || (norm > 0 && planted_span_rest(&spans->possible, own, rest) <
                                   t->truth.definition->residual * norm))
        return OPEN;
    if (norm > 0 && can_cancel(t, weight))
        return defined ? CANCELLED : NOT_CANCELLED;
    return defined ? NEARLY : NONE;
}

static void judge_metric(struct trial *t, const struct rc_metric_result *metric,
                         const struct spans *spans)
{
    double weight[RC_IDEAL_COUNT] = {0};
    struct rc_error err;

    if (planted_read_signature(metric->signature, weight, &err) != RC_OK) {
        wrong(t, "signature of '%s': %s", metric->name, err.text);
        return;
    }
    const enum outcome outcome = outcome_of(t, metric, weight, spans);
    t->tally->outcome[outcome]++;
    if (outcome == MISSED)
        wrong(t, "'%s' is %s (%s), expected defined", metric->name,
              rc_metric_verdict_names[metric->verdict], metric->reason);
}

static int judge_suite(struct trial *t)
{
    struct spans spans;
    int failed = spans_init(t->truth.ideals, &spans);

    if (!failed) {
        judge_classes(t);
        judge_uses(t);
        failed = judge_span(t, &spans);
    }
    if (!failed) {
        judge_others(t);
        for (size_t i = 0; i < t->r->metric_count; i++)
            if (!t->r->metric[i].formula[0])
                judge_metric(t, &t->r->metric[i], &spans);
    }
    spans_fini(&spans);
    return failed;
}

static int columns_init(struct trial *t, struct rc_error *err)
{
    struct rc_event_columns *c = &t->columns;
    const size_t count = t->m->events;

    *c = (struct rc_event_columns){.count = count,
                                   .noise = rc_calloc(count, sizeof *c->noise),
                                   .residual = rc_calloc(count, sizeof *c->residual),
                                   .event_class = rc_calloc(count, 1),
                                   .use = rc_calloc(count, 1),
                                   .reason = rc_calloc(count, sizeof *c->reason)};
    if (c->noise && c->residual && c->event_class && c->use && c->reason)
        return RC_OK;
    return rc_fail(err, RC_ENOMEM, "no memory for columns");
}

static void columns_fini(struct trial *t)
{
    free(t->columns.noise);
    free(t->columns.residual);
    free(t->columns.event_class);
    free(t->columns.use);
    free(t->columns.reason);
}

static int judge_machine(struct trial *t, struct rc_error *err)
{
    int status = columns_init(t, err);

    for (size_t e = 0; e < t->m->events; e++)
        t->steadiness[e] = t->m->event[e].noise / sqrt((double)t->m->repetitions);
    for (size_t s = 0; s < t->m->suites && status == RC_OK; s++) {
        t->r = rc_metrics_suite(t->file, 0, s);
        status = rc_metrics_read_columns(t->file, 0, s, &t->columns, err);
        if (status == RC_OK)
            status = planted_truth_find(
                t->m, s, rc_definitions_find(t->definitions, t->r->suite), t->r,
                &t->truth, err);
        if (status == RC_OK && judge_suite(t))
            status = rc_fail(err, RC_ENOMEM, "no memory to judge");
        planted_truth_fini(&t->truth);
        t->tally->suites++;
    }
    columns_fini(t);
    return status;
}

/* Trees of what is defined add up on all readings, but for parts that may overlap. */
static int judge_trees(struct trial *t, const char *dir, struct rc_error *err)
{
    const struct rc_hierarchy_request request = {.dir = dir};
    struct rc_hierarchy_kind k = {.metrics = t->file};
    struct rc_hierarchies *all = NULL;
    int status = rc_hierarchies_create(&all, err);

    if (status == RC_OK)
        status = rc_hierarchy_kind_read(&k, all, &request, err);
    if (status == RC_OK)
        status = rc_hierarchy_kind_check(&k, dir, err);
    if (status == RC_OK && k.unchecked[0])
        wrong(t, "trees: %s", k.unchecked);
    for (size_t i = 0; i < k.excess_count; i++) {
        const struct rc_hierarchy_excess *e = &k.excess[i];
        if (!k.h.node[e->node].overlaps)
            wrong(t, "trees: %s is %g, and its parts %g on %s", k.h.node[e->node].name,
                  e->parent, e->children, k.cells.name[e->cell]);
    }
    for (size_t n = 0; n < k.h.count; n++)
        t->tally->trees += rc_hierarchy_has_rest(&k.h, n);
    rc_hierarchy_kind_fini(&k);
    rc_hierarchies_close(all);
    return status;
}

static void try_machine(uint64_t seed, const char *dir, bool plain,
                        struct rc_definitions *definitions, struct tally *tally)
{
    struct planted m;
    struct trial t = {.m = &m, .definitions = definitions, .tally = tally};
    struct rc_error err = {.text = ""};
    const size_t before = tally->failures;
    int status = planted_init(seed, &m, &err);

    if (status == RC_OK)
        status = planted_solve(&m, dir, plain, &t.file, &err);
    if (status == RC_OK)
        status = judge_machine(&t, &err);
    if (status == RC_OK && !plain)
        status = judge_trees(&t, dir, &err);
    if (t.file)
        rc_store_abandon(t.file);
    if (status != RC_OK)
        wrong(&t, "%s", err.text);
    tally->machines++;
    tally->events += m.events;
    tally->wrong_machines += tally->failures > before;
    planted_fini(&m);
}

static void report(const struct tally *t)
{
    printf("machines %zu, with suites %zu, events %zu\n", t->machines, t->suites,
           t->events);
    printf("classes compared %zu, near a threshold %zu\n", t->classes,
           t->unsure_classes);
    for (int i = PLANTED_OUTSIDE; i <= PLANTED_PURE; i++)
        printf("usable events, %s: %zu\n", kind_names[i], t->kind[i]);
    printf("choices that span what is pure %zu, but for less than alpha %zu\n",
           t->spans, t->unsure_spans);
    for (int i = 0; i < OUTCOMES; i++)
        printf("metrics %s: %zu\n", outcome_names[i], t->outcome[i]);
    printf("metrics defined, and wrong where nothing is known or measured %zu\n",
           t->hidden);
    printf("interchangeable events compared %zu\n", t->others);
    printf("wholes held against their parts %zu\n", t->trees);
    printf("failures %zu, machines without any %zu of %zu: %.2f %%\n", t->failures,
           t->machines - t->wrong_machines, t->machines,
           100.0 * (double)(t->machines - t->wrong_machines) / (double)t->machines);
}

static int run(uint64_t first, uint64_t count, const char *dir, bool plain)
{
    struct rc_definitions *definitions = NULL;
    struct tally tally = {0};
    struct rc_error err = {.text = ""};

    if (rc_definitions_create(&definitions, &err) != RC_OK) {
        fprintf(stderr, "planted: %s\n", err.text);
        return 1;
    }
    for (uint64_t i = 0; i < count; i++)
        try_machine(first + i, dir, plain, definitions, &tally);
    report(&tally);
    rc_definitions_close(definitions);
    return tally.failures > 0;
}

int main(int argc, char **argv)
{
    const bool plain = argc > 1 && strcmp(argv[1], "--plain") == 0;
    char made[] = "/tmp/rollcall-planted-XXXXXX";
    uint64_t first, count;

    argc -= plain;
    argv += plain;
    if (argc < 3 || argc > 4 || rc_text_count(argv[1], &first) ||
        rc_text_count(argv[2], &count) || count == 0) {
        fputs("usage: planted [--plain] FIRST COUNT [DIR]\n", stderr);
        return 2;
    }
    if (argc == 4)
        return run(first, count, argv[3], plain);
    if (!mkdtemp(made)) {
        perror("planted: /tmp");
        return 1;
    }
    const int status = run(first, count, made, plain);
    planted_remove(made);
    return status;
}
