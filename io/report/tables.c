/* A suite's metrics, and its events in numbers, as a table for a terminal of any width:
 * for 'solve' and the report.
 *
 * Each metric has a line with its name and error, beside it or, without room, below it
 * the terms of its combination, one in a line, then its verdict and the points on which
 * it was tested.  Metrics with nothing but a verdict are listed together.
 */
#include "io/report/tables.h"

#include "campaign/base/text.h"
#include "io/metrics/metric_words.h"

#include <math.h>
#include <string.h>

enum {
    SUMMARY_SHOWN = 4,  /* metrics of a verdict in the summary */
    SUITES_SHOWN = 16,  /* and suites */
    OTHERS_SHOWN = 4,   /* equivalent events that are named */
    NAME_MOST = 40,     /* columns of a metric's name, at most */
    GAP = 2,            /* columns between fields */
    IMPLIED_LEAST = 64, /* columns of a page with room for a table */
    IMPLIED_SHOWN = 60, /* rows that agree, and rows that do not */
    BELOW = 8           /* column of combinations below the name */
};

void rc_tables_list(struct rc_page *page, const char *const *name, size_t count,
                    size_t most, size_t all)
{
    const size_t shown = count < most ? count : most;

    for (size_t i = 0; i < shown; i++)
        rc_page_listed(page, name[i], i + 1 < shown ? "," : "");
    if (all > shown)
        rc_page_words(page, "and %zu more", all - shown);
}

/* "rejected: A, B and 3 more": the metrics of a verdict, if any. */
static void put_verdict(struct rc_page *page,
                        const struct rc_suite_result *const *suite, size_t count,
                        enum rc_metric_verdict verdict)
{
    const char *name[SUMMARY_SHOWN];
    size_t named = 0, all = 0;

    for (size_t s = 0; s < count; s++)
        for (size_t m = 0; m < suite[s]->metric_count; m++)
            if (suite[s]->metric[m].verdict == verdict && all++ < SUMMARY_SHOWN)
                name[named++] = suite[s]->metric[m].name;
    if (all == 0)
        return;
    rc_page_line(page, 2, "%s:", rc_metric_verdict_names[verdict]);
    rc_tables_list(page, name, named, SUMMARY_SHOWN, all);
    rc_page_end(page);
}

void rc_tables_summary(struct rc_page *page, const struct rc_suite_result *const *suite,
                       size_t count, const char *kind, bool simulated, bool brief)
{
    static const enum rc_metric_verdict besides[] = {
        RC_METRIC_REFERENCE, RC_METRIC_ABSENT, RC_METRIC_UNKNOWN};
    size_t of[RC_METRIC_VERDICT_COUNT] = {0}, all = 0, shown = 0, rates = 0;

    for (size_t s = 0; s < count; s++)
        rates += suite[s]->rate_count;
    for (size_t s = 0; s < count; s++)
        for (size_t m = 0; m < suite[s]->metric_count; m++, all++)
            of[suite[s]->metric[m].verdict]++;
    rc_page_line(page, 0, "%s:", kind);
    if (all || !rates)
        rc_page_styled(page, RC_STYLE_BOLD, "%zu of %zu metric%s defined",
                       of[RC_METRIC_DEFINED], all, rc_text_s(all));
    if (rates)
        rc_page_styled(page, RC_STYLE_BOLD, "%s%zu rate%s", all ? "and " : "", rates,
                       rc_text_s(rates));
    for (size_t i = 0; i < sizeof besides / sizeof *besides; i++)
        if (of[besides[i]]) {
            rc_page_tail(page, ",");
            rc_page_words(page, "%zu %s", of[besides[i]],
                          rc_metric_verdict_names[besides[i]]);
        }
    if (simulated) {
        rc_page_tail(page, ";");
        rc_page_words(page, "simulated");
    }
    rc_page_end(page);
    if (brief)
        return;
    for (size_t s = 0; s < count && shown < SUITES_SHOWN; s++) {
        size_t good = 0;
        for (size_t m = 0; m < suite[s]->metric_count; m++)
            good += rc_metric_is_defined(&suite[s]->metric[m]);
        if (suite[s]->metric_count == 0)
            continue;
        if (shown++ == 0)
            rc_page_line(page, 2, "of its suites:");
        else
            rc_page_tail(page, ",");
        rc_page_words(page, "%s %zu of %zu", suite[s]->suite, good,
                      suite[s]->metric_count);
    }
    rc_page_end(page);
    for (int v = 0; v < RC_METRIC_VERDICT_COUNT; v++)
        if (v != RC_METRIC_DEFINED && v != RC_METRIC_REFERENCE &&
            v != RC_METRIC_ABSENT && v != RC_METRIC_UNKNOWN)
            put_verdict(page, suite, count, (enum rc_metric_verdict)v);
}

enum { COEFFICIENT = 128 };

static const char *coefficient_of(char out[COEFFICIENT], const struct rc_term *t,
                                  const struct rc_metric_result *m)
{
    out[0] = 0;
    rc_metric_put_coefficient(out, COEFFICIENT, t, m->rounded_holds);
    return out;
}

/* Layout of a metric's parts. */
struct layout {
    size_t name;  /* columns for its name */
    size_t text;  /* the column of combinations */
    bool stacked; /* below the name, without room beside it */
};

/* The same for all metrics of a suite: combinations are beside the names if the widest
 * term, or formula, fits there.
 */
static struct layout layout_of(const struct rc_page *page,
                               const struct rc_suite_result *r)
{
    const size_t around = GAP + GAP + RC_METRIC_ERROR;
    const size_t room = page->width > around + GAP ? page->width - around : GAP;
    struct layout l = {.name = strlen("metric")};
    size_t widest = 0;
    char text[COEFFICIENT];

    for (size_t i = 0; i < r->metric_count; i++) {
        const struct rc_metric_result *m = &r->metric[i];
        const size_t name = rc_page_columns(page, m->name);
        const size_t formula = rc_page_columns(page, m->formula);
        l.name = name > l.name ? name : l.name;
        widest = formula > widest ? formula : widest;
        for (size_t t = 0; t < m->term_count; t++) {
            const size_t term = strlen(coefficient_of(text, &m->term[t], m)) +
                                strlen(" x ") + rc_page_columns(page, m->term[t].name);
            widest = term > widest ? term : widest;
        }
    }
    l.name = l.name < NAME_MOST ? l.name : NAME_MOST;
    l.name = l.name < room ? l.name : room;
    l.text = around + l.name + GAP;
    l.stacked = l.text + widest > page->width;
    if (l.stacked)
        l.text = BELOW;
    return l;
}

/* Begins a line in the column of combinations. */
static void begin_line(struct rc_page *page, const struct layout *l, bool first)
{
    if (!first || l->stacked)
        rc_page_end(page);
    page->hang = l->text + GAP;
    rc_page_column(page, l->text);
}

/* Shows the terms of one sign. */
static size_t show_signed(struct rc_page *page, const struct rc_metric_result *m,
                          const struct layout *l, bool negative, size_t shown)
{
    char text[COEFFICIENT];

    for (size_t i = 0; i < m->term_count; i++) {
        const struct rc_term *t = &m->term[i];
        const double value = rc_term_value(m, t);
        if (!rc_term_matters(m, t) || (value < 0) != negative)
            continue;
        begin_line(page, l, shown++ == 0);
        rc_page_words(page, "%s x", coefficient_of(text, t, m));
        rc_page_word(page, t->name);
    }
    return shown;
}

/* Shows the added terms, then the subtracted ones; terms whose coefficients were
 * rounded to 0 are only counted.
 */
static void show_terms(struct rc_page *page, const struct rc_metric_result *m,
                       const struct layout *l)
{
    size_t shown = show_signed(page, m, l, false, 0), hidden;

    shown = show_signed(page, m, l, true, shown);
    hidden = m->term_count - shown;
    if (shown == 0) {
        begin_line(page, l, true);
        rc_page_word(page, "-");
    }
    if (hidden) {
        begin_line(page, l, false);
        rc_page_words(page, "and %zu event%s that add%s nearly nothing", hidden,
                      rc_text_s(hidden), hidden == 1 ? "s" : "");
    }
}

/* Whether the value on a point is known well enough to be useful. */
static bool is_known(const struct rc_metric_result *m, size_t p, double scale)
{
    const double width = m->value_high[p] - m->value_low[p];

    return !isnan(m->value[p]) &&
           (width <= 0.2 * fabs(m->value[p]) || width <= 0.02 * scale);
}

static void show_value(struct rc_page *page, const struct rc_metric_result *m,
                       size_t at, const char *point)
{
    rc_page_words(page, "%.4g", m->value[at]);
    if (m->value_high[at] - m->value_low[at] > 1e-9 * fabs(m->value[at]))
        rc_page_words(page, "(%.4g to %.4g)", m->value_low[at], m->value_high[at]);
    rc_page_words(page, "on point");
    rc_page_word(page, point);
}

/* Shows the least and the largest value of those that are known within 20 %, or within
 * 2 % of the largest.
 */
static void show_values(struct rc_page *page, const struct rc_metric_result *m,
                        const struct rc_suite_result *r)
{
    size_t least = SIZE_MAX, most = SIZE_MAX;
    double scale = 0; /* the largest value that is known within 20 % */

    for (size_t i = 0; m->value && i < r->point_count; i++)
        if (is_known(m, i, 0))
            scale = fmax(scale, fabs(m->value[i]));
    for (size_t i = 0; m->value && i < r->point_count; i++) {
        if (!is_known(m, i, scale))
            continue;
        if (least == SIZE_MAX || m->value[i] < m->value[least])
            least = i;
        if (most == SIZE_MAX || m->value[i] > m->value[most])
            most = i;
    }
    if (least == SIZE_MAX)
        return;
    rc_page_begin(page, 6);
    if (least != most) {
        rc_page_words(page, "from");
        show_value(page, m, least, r->point[least]);
        rc_page_words(page, "to");
    }
    show_value(page, m, most, r->point[most]);
}

static void show_verdict(struct rc_page *page, const struct rc_metric_result *m)
{
    static const enum rc_style style[RC_METRIC_VERDICT_COUNT] = {
        [RC_METRIC_ABSENT] = RC_STYLE_DIM,
        [RC_METRIC_APPROXIMATE] = RC_STYLE_DOUBTFUL,
        [RC_METRIC_DEFINED] = RC_STYLE_GOOD,
        [RC_METRIC_REFERENCE] = RC_STYLE_GOOD,
        [RC_METRIC_REJECTED] = RC_STYLE_BAD,
        [RC_METRIC_UNKNOWN] = RC_STYLE_DIM,
        [RC_METRIC_CONTRADICTED] = RC_STYLE_BAD};

    rc_page_begin(page, 6);
    rc_page_styled(page, style[m->verdict], "%s%s", rc_metric_verdict_names[m->verdict],
                   m->reason[0] ? ":" : "");
    if (m->reason[0])
        rc_page_words(page, "%s", m->reason);
}

/* Shows name and error; "metric" and "error" in the head of the table. */
static void show_name(struct rc_page *page, const struct layout *l, const char *name,
                      const char *error)
{
    const size_t column = GAP + l->name + GAP;

    rc_page_begin(page, GAP);
    rc_page_style(page, RC_STYLE_BOLD);
    if (rc_page_columns(page, name) <= l->name)
        rc_page_word(page, name);
    else
        rc_page_words(page, "%s", name);
    rc_page_style(page, RC_STYLE_PLAIN);
    rc_page_column(page, column + RC_METRIC_ERROR - strlen(error));
    rc_page_word(page, error);
}

static void show_metric(struct rc_page *page, const struct rc_metric_result *m,
                        const struct rc_suite_result *r, const struct layout *l)
{
    char error[RC_METRIC_ERROR + 1], checks[RC_ERROR_TEXT] = "";

    rc_metric_put_error(error, m);
    show_name(page, l, m->name, error);
    if (m->formula[0]) {
        begin_line(page, l, true);
        rc_page_words(page, "%s", m->formula);
        show_values(page, m, r);
    } else
        show_terms(page, m, l);
    show_verdict(page, m);
    rc_metric_append_checks(checks, sizeof checks, m);
    if (checks[0]) {
        rc_page_tail(page, ";");
        rc_page_words(page, "%s", checks + strlen(";"));
    }
    if (m->alone_count) {
        rc_page_line(page, 6, "single-event equivalents:");
        rc_tables_list(page, m->alone_name, m->alone_count, OTHERS_SHOWN,
                       m->alone_count);
    }
    rc_page_end(page);
}

/* Whether a metric has nothing but a verdict and its reason, which others may share:
 * the nearest combination for a metric that this machine lacks does not count.
 */
static bool is_bare(const struct rc_metric_result *m)
{
    return !rc_metric_has_combination(m) ||
           (m->term_count == 0 && isnan(m->error) && !rc_metric_is_defined(m) &&
            !m->formula[0]);
}

static bool is_alike(const struct rc_metric_result *a, const struct rc_metric_result *b)
{
    return is_bare(a) && is_bare(b) && a->verdict == b->verdict &&
           strcmp(a->reason, b->reason) == 0;
}

/* Shows all metrics with the same verdict and reason, at the first of them. */
static void show_bare(struct rc_page *page, const struct rc_suite_result *r,
                      size_t number)
{
    const struct rc_metric_result *m = &r->metric[number];

    for (size_t i = 0; i < number; i++)
        if (is_alike(&r->metric[i], m))
            return;
    rc_page_begin(page, GAP);
    rc_page_style(page, RC_STYLE_BOLD);
    rc_page_words(page, "%s", m->name);
    for (size_t i = number + 1; i < r->metric_count; i++)
        if (is_alike(&r->metric[i], m)) {
            rc_page_tail(page, ",");
            rc_page_words(page, "%s", r->metric[i].name);
        }
    rc_page_style(page, RC_STYLE_PLAIN);
    show_verdict(page, m);
    rc_page_end(page);
}

static void show_preset(struct rc_page *page, const struct rc_preset_check *c,
                        const char *others)
{
    rc_page_line(page, GAP, "preset %s%s: %s", c->preset, others, c->outcome);
    rc_page_end(page);
}

/* Shows presets that could be compared with derived metrics one by one; of the others
 * only the first, since the reason is the same for all.
 */
static void show_presets(struct rc_page *page, const struct rc_suite_result *r)
{
    static const char cannot[] = "cannot be checked";
    const struct rc_preset_check *unchecked = NULL;
    size_t count = 0;

    for (size_t i = 0; i < r->preset_count; i++) {
        const struct rc_preset_check *c = &r->preset[i];
        if (strncmp(c->outcome, cannot, sizeof cannot - 1) != 0)
            show_preset(page, c, "");
        else
            unchecked = count++ ? unchecked : c;
    }
    if (unchecked)
        show_preset(page, unchecked, count > 1 ? " and others" : "");
}

void rc_tables_head(struct rc_page *page, const struct rc_suite_result *r,
                    const char *kind, size_t events, bool simulated)
{
    const size_t used = r->use_count[RC_USE_CHOSEN] + r->use_count[RC_USE_DEPENDENT];
    const size_t zero =
        r->class_count[RC_CLASS_DEAD] + r->class_count[RC_CLASS_IRRELEVANT];
    const size_t other =
        r->class_count[RC_CLASS_EXACT] + r->class_count[RC_CLASS_STEADY] - used;
    size_t defined = 0, reference = 0;
    char more[40] = "";

    for (size_t i = 0; i < r->metric_count; i++) {
        defined += r->metric[i].verdict == RC_METRIC_DEFINED;
        reference += r->metric[i].verdict == RC_METRIC_REFERENCE;
    }
    rc_page_begin(page, 0);
    if (reference)
        rc_text_append(more, sizeof more, ", %zu by reference", reference);
    rc_page_styled(page, RC_STYLE_BOLD, "%s, suite %s: %zu of %zu metrics defined%s",
                   kind, r->suite, defined, r->metric_count, more);
    if (simulated) {
        rc_page_line(page, GAP, "simulated readings are among these");
    }
    if (r->ideal_count == 0 && r->class_count[RC_CLASS_INVALID] == events) {
        rc_page_end(page); /* nothing was solved: a remark says why */
        return;
    }
    /* Events by class, and how the usable ones were used. */
    rc_page_line(page, GAP, "%zu event%s:", events, rc_text_s(events));
    rc_page_words(page, "%zu exact or good", used);
    if (used)
        rc_page_words(page, "(%zu chosen, %zu that say nothing more)",
                      r->use_count[RC_USE_CHOSEN], r->use_count[RC_USE_DEPENDENT]);
    rc_page_tail(page, ",");
    rc_page_words(page, "%zu too noisy for this suite, %zu not used here",
                  r->class_count[RC_CLASS_NOISY], zero + other);
    if (zero + other)
        rc_page_words(page,
                      "(%zu counted 0, %zu are not a sum of its %zu ideal%s, %zu count "
                      "something else in other suites)",
                      zero, r->use_count[RC_USE_OUTSIDE], r->ideal_count,
                      rc_text_s(r->ideal_count), r->use_count[RC_USE_IMPURE]);
    rc_page_tail(page, ",");
    rc_page_words(page, "%zu cannot be counted", r->class_count[RC_CLASS_INVALID]);
    /* The noise up to which events were used, and the range of thresholds that gives
     * the same result.
     */
    rc_page_line(page, GAP, "noise up to %.2g%s:", r->tau,
                 r->tau_auto ? " (widest gap)" : "");
    if (isinf(r->tau_high))
        rc_page_words(page, "none is above %.2g", r->tau_low);
    else
        rc_page_words(page, "none is between %.2g and %.2g", r->tau_low, r->tau_high);
    if (r->chosen_count) {
        rc_page_tail(page, ";");
        rc_page_words(page, "alpha %.2g: the same choice from %.2g to %.2g", r->alpha,
                      r->alpha_low, r->alpha_high);
    }
    rc_page_end(page);
}

/* Adds a row, or a line on pages that are too narrow for a table. */
static void put_implied(struct rc_page *page, struct rc_table *table,
                        const struct rc_implied *m)
{
    const double off = m->counted - m->expected;
    const bool exact = fabs(off) <= 1e-9 * fabs(m->expected);
    char metric[RC_ERROR_TEXT], number[4][32] = {"", "-", "not measured", ""};

    snprintf(metric, sizeof metric, "%s", m->metric);
    if (m->verdict != RC_METRIC_DEFINED && m->verdict != RC_METRIC_REFERENCE)
        rc_text_append(metric, sizeof metric, " (%s)",
                       rc_metric_verdict_names[m->verdict]);
    snprintf(number[0], sizeof *number, "%.6g", m->expected);
    if (!isnan(off)) {
        snprintf(number[1], sizeof *number, "%.6g", m->counted);
        snprintf(number[2], sizeof *number, exact ? "exact" : "%+.3g", off);
    }
    if (!isnan(off) && !exact && m->expected != 0)
        snprintf(number[3], sizeof *number, "%+.2f", 100 * off / fabs(m->expected));
    if (!table)
        rc_page_line(page, GAP, "%s, %s: expected %s, counted %s, off: %s", metric,
                     m->point, number[0], number[1], number[2]);
    rc_table_put(table,
                 m->agrees    ? RC_STYLE_GOOD
                 : isnan(off) ? RC_STYLE_DIM
                              : RC_STYLE_BAD,
                 (const char *const[]){metric, m->point, number[0], number[1],
                                       number[2], number[3]});
}

/* Shows the metrics implied by a user's kernel: the limit of rows counts agreeing and
 * other ones apart.
 */
static void show_implied(struct rc_page *page, const struct rc_suite_result *r)
{
    static const struct rc_table_column columns[] = {
        {"metric", false}, {"point", false}, {"expected", true}, {"counted", true},
        {"off", true},     {"%", true},      {NULL, false}};
    struct rc_table *table =
        page->width < IMPLIED_LEAST ? NULL : rc_table_create(columns);
    struct rc_error failed = {.rank = -1};
    size_t good = 0, absent = 0, bad = 0, shown[2] = {0};

    for (size_t i = 0; i < r->implied_count; i++) {
        good += r->implied[i].agrees;
        absent += !r->implied[i].agrees && isnan(r->implied[i].counted) ? 1 : 0;
    }
    bad = r->implied_count - good - absent;
    if (r->implied_count == 0)
        goto out;
    rc_page_line(page, GAP, "metrics that its counts imply: %zu %s,", good,
                 rc_text_plural(good, "agrees", "agree"));
    rc_page_words(page, "%zu %s off", bad, rc_text_plural(bad, "is", "are"));
    if (absent)
        rc_page_words(page, "and %zu not measured", absent);
    rc_page_end(page);
    page->indent = GAP;
    for (size_t i = 0; i < r->implied_count; i++)
        if (shown[r->implied[i].agrees]++ < IMPLIED_SHOWN)
            put_implied(page, table, &r->implied[i]);
    if (table && rc_table_write(table, page, &failed) != RC_OK)
        rc_page_line(page, GAP, "%s", failed.text);
    if (shown[0] > IMPLIED_SHOWN || shown[1] > IMPLIED_SHOWN)
        rc_page_line(page, GAP, "of either no more than %d rows: 'export' has all",
                     IMPLIED_SHOWN);
    rc_page_end(page);
out:
    rc_table_close(table);
}

void rc_tables_metrics(struct rc_page *page, const struct rc_suite_result *r)
{
    const struct layout l = layout_of(page, r);

    for (size_t i = 0; i < r->remark_count; i++) {
        rc_page_line(page, GAP, "note: %s", r->remark[i]);
    }
    if (r->metric_count == 0) {
        rc_page_line(page, GAP, "no metrics are defined for this suite");
        rc_page_end(page);
        show_implied(page, r);
        return;
    }
    rc_page_end(page);
    fputc('\n', page->out);
    show_name(page, &l, "metric", "error");
    begin_line(page, &l, true);
    rc_page_words(page, "combination");
    for (size_t i = 0; i < r->metric_count; i++)
        if (is_bare(&r->metric[i]))
            show_bare(page, r, i);
        else
            show_metric(page, &r->metric[i], r, &l);
    /* Events with the same information as a chosen one. */
    for (size_t i = 0; i < r->chosen_count; i++) {
        const struct rc_chosen *c = &r->chosen[i];
        if (c->others == 0 || c->completes)
            continue;
        rc_page_line(page, GAP, "equivalent to");
        rc_page_listed(page, c->name, ":");
        rc_tables_list(page, c->other_name, c->other_count, OTHERS_SHOWN, c->others);
    }
    rc_page_end(page);
    show_presets(page, r);
    show_implied(page, r);
}
