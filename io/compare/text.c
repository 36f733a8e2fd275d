/* A comparison for people at a terminal: first whether anything differs, and how much;
 * then the columns, for each suite its metrics by column with their verdicts, the
 * definitions of those that differ (or of all), and the changes of events.
 *
 * Each different definition of a metric takes one line, with the labels of all columns
 * that have it.
 */
#include "campaign/base/text.h"
#include "io/compare/parts.h"
#include "io/metrics/metric_words.h"
#include "io/text/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVENTS_SHOWN = 8,   /* of a change, without --all */
    REASON_SHOWN = 200, /* bytes of the reason of a verdict */
    LABELS = 4096,      /* bytes of a list of labels */
    NAME_WIDE = 40,     /* columns of a name, and of a list of labels, at most */
    VERDICT_WIDE = 19,  /* columns of the longest verdict, "not on this machine" */
    ERROR_WIDE = 8,     /* columns of an error, "1.23e-04" */
    CELL_WIDE = 14      /* columns of a verdict in the table of all metrics */
};

struct sheet {
    const struct rc_compare *compare;
    struct rc_page page;
    size_t name, in; /* columns of these fields */
    size_t first;    /* column at which verdicts begin in the table of all metrics */
    bool hidden;     /* definitions of different events were not shown */
    bool all;        /* show all events of each change */
    bool failed;     /* no memory: something is missing */
};

/* Shows "A path: kind, 497 events, 9 of 10 metrics defined; against B: same kind". */
static void put_column(struct sheet *s, const struct rc_compare_column *c)
{
    struct rc_page *page = &s->page;
    size_t defined = 0, metrics = 0;

    for (size_t i = 0; i < s->compare->suite_count; i++) {
        const struct rc_suite_result *r =
            s->compare->suite[i].result[c - s->compare->column];
        for (size_t m = 0; r && m < r->metric_count; m++)
            defined += r->metric[m].verdict == RC_METRIC_DEFINED;
        metrics += r ? r->metric_count : 0;
    }
    rc_page_line(page, 0, "%s ", c->label);
    rc_page_word(page, c->path);
    rc_page_tail(page, ":");
    rc_page_word(page, c->kind->name);
    rc_page_tail(page, ",");
    rc_page_words(page, "%zu event%s, %zu of %zu metrics defined", c->event_count,
                  rc_text_s(c->event_count), defined, metrics);
    if (c->simulated)
        rc_page_tail(page, ", simulated");
    if (c->reference != RC_COMPARE_NONE) {
        rc_page_tail(page, ";");
        rc_page_words(page, "against %s: %s", s->compare->column[c->reference].label,
                      rc_relation_names[c->relation]);
        if (!c->judged && !s->compare->strict && c->relation != RC_RELATION_OTHER)
            rc_page_words(page,
                          "(readings are not there: what chance explains counts)");
    }
    rc_page_end(page);
}

static const char *const heads[] = {"metric", "in", "verdict", "error", "combination"};

static size_t within(size_t columns, size_t least, size_t most)
{
    return columns < least ? least : columns > most ? most : columns;
}

/* The column whose definition is shown for this one: the end of the chain of references
 * with equal cells.
 */
static size_t shown_by(const struct rc_compare *compare,
                       const struct rc_compare_metric *metric, size_t column)
{
    while (metric->cell[column].differs == 0 && metric->cell[column].term_count == 0 &&
           compare->column[column].reference != RC_COMPARE_NONE)
        column = compare->column[column].reference;
    return column;
}

/* Shows a line of the table up to its error; the combination follows, wrapped after its
 * column.
 */
static void put_fields(struct sheet *s, const char *mark, const char *const *field)
{
    struct rc_page *page = &s->page;
    const size_t in = 5 + s->name, verdict = in + s->in + 2;

    rc_page_begin(page, 0);
    page->hang = 8;
    if (mark[0])
        rc_page_word(page, mark);
    rc_page_column(page, 3);
    rc_page_word(page, field[0]);
    rc_page_column(page, in);
    rc_page_word(page, field[1]);
    rc_page_column(page, verdict);
    rc_page_word(page, field[2]);
    rc_page_column(page, verdict + VERDICT_WIDE + 2 + ERROR_WIDE - strlen(field[3]));
    rc_page_word(page, field[3]);
}

/* A term is one word, so that its coefficient stays beside it. */
static void put_term(const char *before, const char *event, void *context)
{
    struct rc_page *page = context;
    char word[RC_STORE_TEXT_MAX + 64];

    snprintf(word, sizeof word, "%s%s", before, event);
    rc_page_word(page, word);
}

/* Begins and ends a line in a style of its own. */
static struct rc_page *begin_line(struct sheet *s, size_t indent, enum rc_style style)
{
    rc_page_begin(&s->page, indent);
    rc_page_style(&s->page, style);
    return &s->page;
}

static void end_line(struct sheet *s)
{
    rc_page_end(&s->page);
    rc_page_style(&s->page, RC_STYLE_PLAIN);
}

/* Shows "B: coefficient of E 1 -> 2" below the metric's line. */
static void put_difference(struct sheet *s, const struct rc_compare_metric *metric,
                           size_t column)
{
    char *text = rc_compare_say_cell(s->compare, metric, column);
    struct rc_page *page =
        begin_line(s, 4, metric->cell[column].differs ? RC_STYLE_BAD : RC_STYLE_DIM);

    if (text)
        rc_page_words(page, "%s: %s", s->compare->column[column].label, text);
    else
        s->failed = true;
    end_line(s);
    free(text);
}

/* Whether a cell differs from its reference only in its events: both definitions are
 * shown, one below the other, which says it all.
 */
static bool tells_itself(const struct rc_compare *compare,
                         const struct rc_compare_metric *metric, size_t column)
{
    return metric->cell[column].differs == RC_DIFFERS_EVENTS &&
           shown_by(compare, metric, column) == column;
}

/* Shows a line for each different definition. */
static void put_metric(struct sheet *s, const struct rc_compare_suite *suite,
                       const struct rc_compare_metric *metric)
{
    const char *mark = metric->differs ? "!" : "", *name = metric->name;

    for (size_t i = 0; i < s->compare->column_count; i++) {
        const struct rc_metric_result *m = metric->cell[i].metric;
        char labels[LABELS] = "", error[RC_METRIC_ERROR + 1];
        if (m && shown_by(s->compare, metric, i) == i) {
            for (size_t k = i; k < s->compare->column_count; k++)
                if (shown_by(s->compare, metric, k) == i)
                    rc_text_append(labels, sizeof labels, "%s%s", labels[0] ? " " : "",
                                   s->compare->column[k].label);
            rc_metric_put_error(error, m);
            put_fields(s, mark,
                       (const char *[]){name, labels,
                                        rc_metric_verdict_names[m->verdict], error});
            if (!rc_metric_has_combination(m))
                rc_page_word(&s->page, "-");
            else if (m->formula[0])
                rc_page_words(&s->page, "%s", m->formula);
            else
                rc_compare_each_term(m, put_term, &s->page);
            rc_page_end(&s->page);
            mark = name = "";
        }
        /* If a column lacks a whole suite, the suite's head says so once. */
        const size_t reference = s->compare->column[i].reference;
        if ((metric->cell[i].differs || metric->cell[i].term_count) &&
            suite->result[i] && suite->result[reference] &&
            (s->all || !tells_itself(s->compare, metric, i)))
            put_difference(s, metric, i);
    }
}

/* Shows a verdict in the table of all metrics; '*' marks a difference from the
 * reference.
 */
static void put_cell(struct sheet *s, const struct rc_compare_cell *cell)
{
    static const char *const words[RC_METRIC_VERDICT_COUNT] = {
        [RC_METRIC_ABSENT] = "not there",
        [RC_METRIC_APPROXIMATE] = "approximate",
        [RC_METRIC_DEFINED] = "defined",
        [RC_METRIC_REJECTED] = "rejected",
        [RC_METRIC_UNKNOWN] = "not known",
        [RC_METRIC_REFERENCE] = "by reference",
        [RC_METRIC_CONTRADICTED] = "contradicted"};
    static const enum rc_style styles[RC_METRIC_VERDICT_COUNT] = {
        [RC_METRIC_ABSENT] = RC_STYLE_DIM,
        [RC_METRIC_APPROXIMATE] = RC_STYLE_DOUBTFUL,
        [RC_METRIC_DEFINED] = RC_STYLE_GOOD,
        [RC_METRIC_REFERENCE] = RC_STYLE_GOOD,
        [RC_METRIC_REJECTED] = RC_STYLE_BAD,
        [RC_METRIC_UNKNOWN] = RC_STYLE_DIM,
        [RC_METRIC_CONTRADICTED] = RC_STYLE_BAD};

    if (!cell->metric) {
        rc_page_words(&s->page, "-%s", cell->differs ? "*" : "");
        return;
    }
    rc_page_styled(&s->page, styles[cell->metric->verdict], "%s%s",
                   words[cell->metric->verdict], cell->differs ? "*" : "");
}

/* Whether the column has no event of its reference: it is another machine, whose
 * definitions have nothing in common.
 */
static bool is_foreign(const struct rc_compare *compare, size_t column)
{
    const struct rc_compare_column *c = &compare->column[column];

    for (size_t i = 0; i < c->group_count; i++)
        if (c->group[i].what == RC_CHANGE_NEW)
            return c->group[i].count == c->event_count;
    return false;
}

/* Whether definitions differ: both exist and differ, or equivalent events were
 * exchanged.  If one does not exist, the table of all metrics says so.
 */
static bool shows_definition(struct sheet *s, const struct rc_compare_metric *metric)
{
    const struct rc_compare *compare = s->compare;

    for (size_t i = 0; i < compare->column_count; i++) {
        const struct rc_compare_cell *cell = &metric->cell[i];
        const size_t reference = compare->column[i].reference;
        if ((cell->differs || (cell->term_count && !cell->chance)) && cell->metric &&
            metric->cell[reference].metric && rc_metric_has_combination(cell->metric) &&
            rc_metric_has_combination(metric->cell[reference].metric)) {
            if (!is_foreign(compare, i))
                return true;
            s->hidden = true;
        }
    }
    return false;
}

/* Shows the table of all metrics: a line for each, with its verdicts by column. */
static void put_matrix(struct sheet *s, const struct rc_compare_suite *suite)
{
    struct rc_page *page = &s->page;

    for (size_t m = 0; m < suite->metric_count; m++) {
        rc_page_begin(page, 2);
        rc_page_word(page, suite->metric[m].name);
        for (size_t i = 0; i < s->compare->column_count; i++) {
            rc_page_column(page, s->first + CELL_WIDE * i);
            put_cell(s, &suite->metric[m].cell[i]);
        }
        rc_page_end(page);
    }
}

/* Shows "suite flops: 12 metrics, 3 differ (not in C)  A  B", the table of its metrics
 * and the definitions of those that differ.
 */
static void put_suite(struct sheet *s, const struct rc_compare_suite *suite)
{
    bool first = true;
    const bool table = suite->differing || (s->all && suite->metric_count);
    struct rc_page *page;

    if (table || suite == s->compare->suite)
        fputc('\n', s->page.out);
    page = begin_line(s, 0, RC_STYLE_BOLD);
    rc_page_words(page, "suite");
    rc_page_word(page, suite->name);
    rc_page_tail(page, ":");
    rc_page_words(page, "%zu metric%s, %zu differ%s", suite->metric_count,
                  rc_text_s(suite->metric_count), suite->differing,
                  rc_text_plural(suite->differing, "s", ""));
    for (size_t i = 0; i < s->compare->column_count; i++)
        if (!suite->result[i])
            rc_page_words(page, "(not in %s)", s->compare->column[i].label);
    for (size_t i = 0; i < s->compare->column_count && table; i++) {
        rc_page_column(page, s->first + CELL_WIDE * i);
        rc_page_word(page, s->compare->column[i].label);
    }
    end_line(s);
    if (table)
        put_matrix(s, suite);
    for (size_t m = 0; m < suite->metric_count; m++) {
        if (!s->all && !shows_definition(s, &suite->metric[m]))
            continue;
        if (first) {
            fputc('\n', page->out);
            rc_page_style(page, RC_STYLE_BOLD);
            put_fields(s, "", heads);
            rc_page_words(page, " %s", heads[4]);
            end_line(s);
        }
        first = false;
        put_metric(s, suite, &suite->metric[m]);
    }
}

static const char *noise_word(char out[32], double noise)
{
    if (isnan(noise))
        return "none";
    snprintf(out, 32, "%.2g", noise);
    return out;
}

/* Shows "suite S, class good -> too noisy: 3 events: a (noise 0.1, now 3) ... and 12
 * more".
 */
static void put_group(struct sheet *s, const struct rc_compare_column *c,
                      const struct rc_compare_group *g)
{
    const size_t shown = s->all || g->count <= EVENTS_SHOWN ? g->count : EVENTS_SHOWN;
    struct rc_page *page = &s->page;
    char reason[REASON_SHOWN], noise[2][32];

    rc_page_begin(page, 2);
    if (g->chance)
        rc_page_words(page, "by chance:");
    if (g->suite != RC_COMPARE_NONE) {
        rc_page_words(page, "suite");
        rc_page_word(page, s->compare->suite[g->suite].name);
        rc_page_tail(page, ",");
    }
    if (g->what == RC_CHANGE_GONE || g->what == RC_CHANGE_NEW)
        rc_page_words(page, "only in %s:",
                      g->what == RC_CHANGE_NEW
                          ? c->label
                          : s->compare->column[c->reference].label);
    else if (g->what == RC_CHANGE_COUNTS || g->what == RC_CHANGE_RATES)
        rc_page_words(page, "other %s:", rc_change_names[g->what]);
    else
        rc_page_words(page, "%s %s -> %s:", rc_change_names[g->what],
                      rc_change_word(g->what, g->from), rc_change_word(g->what, g->to));
    rc_page_words(page, "%zu %s%s:", g->count,
                  g->what == RC_CHANGE_RATES ? "rate" : "event", rc_text_s(g->count));
    for (size_t i = 0; i < shown; i++) {
        const struct rc_compare_change *change = &g->change[i];
        const struct rc_compare_event *event =
            rc_compare_event_of(s->compare, c, g, change);
        rc_page_word(page, event->name);
        if (g->what == RC_CHANGE_CLASS)
            rc_page_words(page, "(noise %s, now %s)",
                          noise_word(noise[0], change->noise_before),
                          noise_word(noise[1], change->noise_after));
        else if (g->what == RC_CHANGE_COUNTS)
            rc_page_words(page, "(%.3g %% off)", 100 * change->off);
        else if (g->what == RC_CHANGE_RATES)
            rc_page_words(page, "(%.3g %% %s)", 100 * fabs(change->off),
                          change->off < 0 ? "less" : "more");
        else if (g->what == RC_CHANGE_VERDICT && event->reason[0])
            rc_page_words(page, "(%s)",
                          rc_text_printable(reason, sizeof reason, event->reason));
        if (i + 1 < g->count)
            rc_page_tail(page, ",");
    }
    if (shown < g->count)
        rc_page_words(page, "and %zu more", g->count - shown);
    rc_page_end(page);
}

/* Shows "differs: metrics 2, events 1 (not counted)", by check. */
static void put_sum(struct sheet *s)
{
    const struct rc_compare *c = s->compare;
    const bool differs = rc_compare_differs(c);
    struct rc_page *page = begin_line(s, 0, differs ? RC_STYLE_BAD : RC_STYLE_GOOD);
    const char *between = ":";

    rc_page_words(page, "%s", differs ? "differs" : "same");
    for (size_t i = 0; i < RC_COMPARE_CHECKS; i++) {
        if (c->differences[i] == 0)
            continue;
        rc_page_tail(page, between);
        rc_page_words(page, "%s %zu%s", rc_compare_check_names[i], c->differences[i],
                      c->checked[i] ? "" : " (not counted)");
        between = ",";
    }
    if (c->absent_count > 0) {
        rc_page_tail(page, between);
        rc_page_words(page, "kinds %zu", c->absent_count);
    }
    between = "; by chance:";
    for (size_t i = 0; i < RC_COMPARE_CHECKS; i++)
        if (c->chance[i]) {
            rc_page_tail(page, between);
            rc_page_words(page, "%s %zu", rc_compare_check_names[i], c->chance[i]);
            between = ",";
        }
    if (between[0] == ',' && !s->all)
        rc_page_words(page, "(--all names them)");
    end_line(s);
}

int rc_compare_write_text(const struct rc_compare *compare, bool all, FILE *out,
                          struct rc_error *err)
{
    struct sheet s = {.compare = compare, .all = all};

    rc_page_init(&s.page, out);
    put_sum(&s);
    fputc('\n', out);
    for (size_t i = 0; i < compare->column_count; i++) {
        put_column(&s, &compare->column[i]);
        s.in += strlen(compare->column[i].label) + (i > 0);
    }
    s.in = within(s.in, strlen(heads[1]), NAME_WIDE);
    s.name = strlen(heads[0]);
    for (size_t i = 0; i < compare->suite_count; i++) {
        const struct rc_compare_suite *suite = &compare->suite[i];
        const size_t head = strlen("suite : 10 metrics, 10 differ  ");
        s.first = within(rc_page_columns(&s.page, suite->name) + head, s.first,
                         NAME_WIDE + head);
        for (size_t m = 0; m < suite->metric_count; m++)
            s.name = within(rc_page_columns(&s.page, suite->metric[m].name), s.name,
                            NAME_WIDE);
    }
    s.first = within(s.name + 4, s.first, SIZE_MAX);
    for (size_t i = 0; i < compare->absent_count; i++) {
        const struct rc_compare_absence *absence = &compare->absent[i];
        rc_page_word(begin_line(&s, 0, RC_STYLE_BAD), absence->path);
        rc_page_words(&s.page, "has no kind like %s",
                      compare->column[absence->column].label);
        end_line(&s);
    }
    if (compare->simulated)
        fputs("simulated readings are among these\n", out);
    for (size_t i = 0; i < compare->suite_count; i++)
        put_suite(&s, &compare->suite[i]);
    if (s.hidden)
        fputs("\ndefinitions have no event in common: --all prints them\n", out);
    /* Changes of events in each column against its reference. */
    for (size_t i = 0; i < compare->column_count; i++) {
        const struct rc_compare_column *c = &compare->column[i];
        if (c->reference == RC_COMPARE_NONE)
            continue;
        fputc('\n', out);
        rc_page_words(begin_line(&s, 0, RC_STYLE_BOLD), "events of %s against %s: %s",
                      c->label, compare->column[c->reference].label,
                      c->change_count ? "these changed" : "same");
        end_line(&s);
        for (size_t k = 0; k < c->group_count; k++)
            if (all || !c->group[k].chance)
                put_group(&s, c, &c->group[k]);
    }
    rc_page_fini(&s.page);
    return s.failed ? rc_fail(err, RC_ENOMEM, "no memory for a difference") : RC_OK;
}
