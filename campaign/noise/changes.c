/* Finds the differences between two campaigns' noise: nodes that are off, periods of
 * detours, and the level at which events scatter.
 *
 * An event's level differs where its intervals do not overlap.  Among many events some
 * do so by chance. So each gets a probability, which takes the logarithm of a variance
 * to be normal with the spread that its interval says, and reports are limited to bound
 * the rate of false ones (Benjamini and Hochberg), as for nodes.
 */
#include "campaign/noise/findings.h"

#include "campaign/base/text.h"
#include "solve/study/quantile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_noise_check_names[] = {"nodes", "periods", "level", NULL};

RC_COLUMNS(rc_noise_change_columns, RC_TEXT("check"), RC_TEXT_HIDDEN("kind"),
           RC_TEXT("suite"), RC_TEXT("what"), RC_TEXT("was"), RC_TEXT("is"));

enum { CELL = 160 };
static const double false_rate = 0.05;
static const double least_deviation = 0.001; /* smaller ones do not matter */
static const double least_share = 0.001;     /* of the time; less does not matter */
static const double normal_95 = 1.959963985;
static const double normal_degrees = 1e7; /* Student's t is normal then */

struct changes {
    struct rc_rows *rows;
    size_t count;
    const char *kind;
};

static void put_change(struct changes *c, enum rc_noise_check check, const char *suite,
                       const char *name, const char *was, const char *is)
{
    const char *const cell[] = {
        rc_noise_check_names[check], c->kind, suite, name, was, is};

    c->count++;
    rc_rows_add(c->rows, cell);
}

static const struct rc_noise_file_node *
find_node(const struct rc_noise_findings_kind *kind, const char *name)
{
    for (size_t n = 0; n < kind->node_count; n++)
        if (strcmp(kind->node[n].node, name) == 0)
            return &kind->node[n];
    return NULL;
}

static bool is_off(const struct rc_noise_file_node *node)
{
    return node->p <= RC_NOISE_OFF_P;
}

static const char *say_node(char out[CELL], const struct rc_noise_file_node *node)
{
    if (is_off(node))
        snprintf(out, CELL, "off, p %.2g, on %zu of %zu events", node->p, node->off,
                 node->of);
    else
        snprintf(out, CELL, "not off");
    return out;
}

/* Reports nodes that are off in one campaign only, and nodes that only the second has
 * if they are off.
 */
static void compare_nodes(struct changes *c, const struct rc_noise_findings_kind *was,
                          const struct rc_noise_findings_kind *is)
{
    char before[CELL], now[CELL];

    for (size_t n = 0; n < is->node_count; n++) {
        const struct rc_noise_file_node *node = &is->node[n];
        const struct rc_noise_file_node *other = find_node(was, node->node);
        if (other ? is_off(other) == is_off(node) : !is_off(node))
            continue;
        put_change(c, RC_NOISE_CHECK_NODES, NULL, node->node,
                   other ? say_node(before, other) : "not there", say_node(now, node));
    }
}

/* An event's level that may differ. */
struct candidate {
    double p;
    size_t suite, was, is; /* number of the suite in 'is'; of the event in each */
    size_t level;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return rc_compare_numbers((uint64_t[]){x->suite, x->is, x->level},
                              (uint64_t[]){y->suite, y->is, y->level}, 3);
}

/* The variance of one level, as an interval. */
struct spread {
    double variance, low, high;
};

static struct spread spread_of(const struct rc_noise_levels *s, size_t event,
                               size_t level)
{
    const size_t at = event * RC_LEVEL_COUNT + level;

    return (struct spread){s->variance[at], s->low[at], s->high[at]};
}

/* The probability that two spreads of one variance are so far apart; 1: they overlap,
 * or both are too small to matter.
 */
static double probability(struct spread a, struct spread b)
{
    const struct spread large = a.low > b.high ? a : b;
    struct spread small = a.low > b.high ? b : a;

    if (isnan(a.variance) || isnan(b.variance) || !(large.low > small.high))
        return 1;
    if (small.high == 0 && small.variance == 0) /* one is exact, the other is not */
        return 0;
    if (small.high == 0) { /* an estimate below 0 shows how far off estimates are */
        small.variance = -small.variance;
        small.high = 2 * small.variance;
        if (!(large.low > small.high))
            return 1;
    }
    if (sqrt(large.variance) < least_deviation)
        return 1;
    const double foot = small.variance > 0 ? small.variance : small.high;
    const double up = log(small.high / foot), down = log(large.variance / large.low);
    const double error = sqrt(up * up + down * down) / normal_95;
    const double z = log(large.variance / foot) / error;
    return error > 0 ? rc_both_tails_t(z, normal_degrees) : 0;
}

static bool has_name(const void *context, size_t item, const void *name)
{
    const struct rc_noise_findings_kind *kind = context;

    return strcmp(kind->event[item], name) == 0;
}

static const struct rc_noise_levels *
find_suite(const struct rc_noise_findings_kind *kind, const char *name)
{
    for (size_t s = 0; s < kind->suite_count; s++)
        if (strcmp(kind->suite[s].suite, name) == 0)
            return &kind->suite[s];
    return NULL;
}

struct candidates {
    struct candidate *item;
    size_t count, room;
    uint64_t tests; /* levels of events that were compared */
};

/* Finds for each event of a suite the level that differs most. */
static int find_candidates(const struct rc_noise_levels *was,
                           const struct rc_noise_findings_kind *is, size_t suite,
                           const size_t *match, struct candidates *out,
                           struct rc_error *err)
{
    const struct rc_noise_levels *now = &is->suite[suite];

    for (size_t e = 0; e < is->event_count; e++) {
        struct candidate best = {.p = 1, .suite = suite, .was = match[e], .is = e};
        if (match[e] == RC_MAP_NONE || now->verdict[e] == RC_NOISE_NOT_READ ||
            was->verdict[match[e]] == RC_NOISE_NOT_READ)
            continue;
        for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
            const struct spread a = spread_of(was, match[e], l);
            const struct spread b = spread_of(now, e, l);
            const double p = probability(a, b);
            out->tests += !isnan(a.variance) && !isnan(b.variance);
            if (p < best.p) {
                best.p = p;
                best.level = l;
            }
        }
        if (best.p > false_rate)
            continue;
        if (rc_grow(&out->item, sizeof *out->item, out->count, &out->room))
            return rc_fail(err, RC_ENOMEM, "no memory for %zu events", out->count);
        out->item[out->count++] = best;
    }
    return RC_OK;
}

/* "node, core 1.2 % (0.9 to 1.6)": the verdict, and the level that differs. */
static const char *say_level(char out[CELL], const struct rc_noise_levels *s,
                             size_t event, size_t level)
{
    const struct spread of = spread_of(s, event, level);

    snprintf(out, CELL, "%s; %s %.3g %% (%.3g to %.3g)",
             rc_noise_verdict_names[s->verdict[event]], rc_noise_level_names[level],
             100 * sqrt(fmax(of.variance, 0)), 100 * sqrt(of.low), 100 * sqrt(of.high));
    return out;
}

/* Reports as many candidates as the bounded rate of false ones allows. */
static int put_candidates(struct changes *c, const struct rc_noise_findings_kind *was,
                          const struct rc_noise_findings_kind *is,
                          struct candidates *found, struct rc_error *err)
{
    double *p = rc_calloc(found->count, sizeof *p);
    char before[CELL], now[CELL];

    if (!p)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", found->count);
    if (found->count > 0)
        qsort(found->item, found->count, sizeof *found->item, compare_candidates);
    for (size_t i = 0; i < found->count; i++)
        p[i] = found->item[i].p;
    const double most = rc_false_discovery(p, found->count, found->tests, false_rate);
    for (size_t i = 0; i < found->count; i++) {
        const struct candidate *at = &found->item[i];
        const struct rc_noise_levels *s = &is->suite[at->suite];
        if (at->p <= most)
            put_change(c, RC_NOISE_CHECK_LEVEL, s->suite, is->event[at->is],
                       say_level(before, find_suite(was, s->suite), at->was, at->level),
                       say_level(now, s, at->is, at->level));
    }
    free(p);
    return RC_OK;
}

static int compare_levels(struct changes *c, const struct rc_noise_findings_kind *was,
                          const struct rc_noise_findings_kind *is, struct rc_error *err)
{
    struct candidates found = {.item = NULL};
    struct rc_map map = {.same = has_name};
    size_t *match = rc_calloc(is->event_count, sizeof *match);
    bool failed = !match;
    int status = RC_OK;

    /* The number in 'was' of each event of 'is'; RC_MAP_NONE: it is not there. */
    for (size_t e = 0; e < was->event_count && !failed; e++)
        failed =
            rc_map_put(&map, was, rc_text_hash(was->event[e]), was->event[e], e) != 0;
    if (failed)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu events", is->event_count);
    for (size_t e = 0; e < is->event_count && !failed; e++)
        match[e] = rc_map_find(&map, was, rc_text_hash(is->event[e]), is->event[e]);
    rc_map_fini(&map);
    if (status != RC_OK)
        goto out;
    for (size_t s = 0; s < is->suite_count; s++) {
        const struct rc_noise_levels *other = find_suite(was, is->suite[s].suite);
        if (other &&
            (status = find_candidates(other, is, s, match, &found, err)) != RC_OK)
            goto out;
    }
    status = put_candidates(c, was, is, &found, err);
out:
    free(found.item);
    free(match);
    return status;
}

/* Finds the same kind of machine: by its key, or by its name if there are no keys. */
static const struct rc_noise_findings_kind *
find_kind(const struct rc_noise_findings *f, const struct rc_noise_findings_kind *like)
{
    for (size_t k = 0; k < f->count; k++) {
        const struct rc_noise_findings_kind *kind = &f->kind[k];
        if (like->key[0] || kind->key[0] ? strcmp(kind->key, like->key) == 0
                                         : strcmp(kind->name, like->name) == 0)
            return kind;
    }
    return NULL;
}

/* Whether a period was found by the bare loop and takes a share that matters. */
static bool is_notable(const struct rc_noise_file_detours *d, size_t period)
{
    return d->period[period].share >= least_share &&
           d->record[d->period[period].record].work[0] == 0;
}

static const char *node_of(const struct rc_noise_file_detours *d, size_t period)
{
    return d->record[d->period[period].record].node;
}

/* Whether period 'i' is on the node, on any core, and of about the frequency of 'p'. */
static bool is_like(const struct rc_noise_file_detours *d, size_t i, const char *node,
                    const struct rc_noise_file_period *p)
{
    const struct rc_noise_file_period *other = &d->period[i];

    return strcmp(node_of(d, i), node) == 0 &&
           fabs(other->hz - p->hz) <=
               3 * (other->hz_error + p->hz_error) + 1e-3 * p->hz;
}

/* Reports periods in 'a' that are not in 'b', on nodes that both have.  A period that
 * several cores of a node have is reported once.
 */
static void put_periods(struct changes *c, const struct rc_noise_file_detours *a,
                        const struct rc_noise_file_detours *b, bool gone)
{
    char name[CELL], text[CELL];

    for (size_t i = 0; i < a->period_count; i++) {
        const struct rc_noise_file_period *p = &a->period[i];
        const char *node = node_of(a, i);
        bool both = false;
        for (size_t r = 0; r < b->record_count; r++)
            both |= strcmp(b->record[r].node, node) == 0;
        bool told = !is_notable(a, i) || !both;
        for (size_t j = 0; j < b->period_count && !told; j++)
            told = is_like(b, j, node, p);
        for (size_t j = 0; j < i && !told; j++)
            told = is_notable(a, j) && is_like(a, j, node, p);
        if (told)
            continue;
        snprintf(name, CELL, "%.100s %.6g Hz", node, p->hz);
        snprintf(text, CELL, "%.3g %% of the time, %.80s", 100 * p->share,
                 p->who[0] ? p->who : "cause not known");
        put_change(c, RC_NOISE_CHECK_PERIODS, NULL, name, gone ? text : "not there",
                   gone ? "not there" : text);
    }
}

static const struct rc_noise_file_detours *detours_of(const struct rc_noise_findings *f)
{
    const struct rc_noise_file_detours *d =
        f->file ? rc_noise_file_detours(f->file) : NULL;

    return d && d->record_count ? d : NULL;
}

int rc_noise_changes(const struct rc_noise_findings *was,
                     const struct rc_noise_findings *is,
                     const bool checked[RC_NOISE_CHECKS], struct rc_rows *rows,
                     size_t *count, struct rc_error *err)
{
    struct changes c = {.rows = rows};
    const struct rc_noise_file_detours *a = detours_of(was), *b = detours_of(is);
    const bool kinds = checked[RC_NOISE_CHECK_NODES] || checked[RC_NOISE_CHECK_LEVEL];
    size_t both = 0;
    int status = RC_OK;

    for (size_t k = 0; k < is->count && kinds; k++) {
        const struct rc_noise_findings_kind *kind = &is->kind[k];
        const struct rc_noise_findings_kind *other = find_kind(was, kind);
        if (!other)
            continue;
        both++;
        c.kind = kind->name;
        if (checked[RC_NOISE_CHECK_NODES])
            compare_nodes(&c, other, kind);
        if (checked[RC_NOISE_CHECK_LEVEL] &&
            (status = compare_levels(&c, other, kind, err)) != RC_OK)
            goto out;
    }
    if (kinds && both == 0)
        return rc_fail(err, RC_EMISSING,
                       "the two campaigns have no kind of machine in common");
    if (!kinds && !(a && b))
        return rc_fail(
            err, RC_EMISSING,
            "periods cannot be compared: one of the campaigns has no noise.h5 "
            "with detours");
    if (checked[RC_NOISE_CHECK_PERIODS] && a && b) {
        c.kind = NULL;
        put_periods(&c, b, a, false);
        put_periods(&c, a, b, true);
    }
out:
    *count = c.count;
    return status;
}
