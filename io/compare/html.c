/* A comparison as one page of HTML: the columns, a table of metrics for each suite
 * with the definitions side by side, and the changes of events against the reference
 * of each column. Long lists of events are cut unless all are asked for; the page says
 * so.
 */
#include "io/text/html.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/compare/parts.h"
#include "io/metrics/metric_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_SHOWN = 200 }; /* of a change, unless all are asked for */

struct sheet {
    const struct rc_compare *compare;
    FILE *out;
    bool all;    /* events of each change are shown */
    bool failed; /* for want of memory something is not in it */
};

/* The title, and links to the sections of the page. */
static void put_head(const struct sheet *s)
{
    FILE *out = s->out;

    fputs("<h1>Comparison</h1>\n<nav class=\"top\" aria-label=\"sections\">\n"
          "<a href=\"#columns\">Columns</a>\n",
          out);
    for (size_t i = 0; i < s->compare->suite_count; i++) {
        fprintf(out, "<a href=\"#suite-%zu\">", i);
        rc_html_put(out,
                    s->compare->suite[i].name[0] ? s->compare->suite[i].name : "suite");
        fputs("</a>\n", out);
    }
    for (size_t i = 0; i < s->compare->column_count; i++)
        if (s->compare->column[i].reference != RC_COMPARE_NONE)
            fprintf(out, "<a href=\"#events-%zu\">Events of %s</a>\n", i,
                    s->compare->column[i].label);
    fputs(
        "<button type=\"button\" class=\"theme push\">light / dark</button>\n</nav>\n",
        out);
}

/* The answer, and kinds that a campaign lacks. */
static void put_sum(const struct sheet *s)
{
    const struct rc_compare *c = s->compare;
    char sum[RC_COMPARE_LINE];

    fprintf(s->out, "<p><strong class=\"v %s\">%s</strong></p>\n",
            rc_compare_differs(c) ? "v-rejected" : "v-defined",
            rc_compare_say_sum(c, sum));
    for (size_t i = 0; i < c->absent_count; i++) {
        fputs("<p class=\"v-rejected\">", s->out);
        rc_html_name(s->out, c->absent[i].path);
        rc_html_say(s->out, " has no kind like %s.",
                    c->column[c->absent[i].column].label);
        fputs("</p>\n", s->out);
    }
}

/* Which campaign and kind each column is, and what it is compared with. */
static void put_columns(const struct sheet *s)
{
    static const char *const heads[] = {"column",   "campaign", "kind",     ">events",
                                        "readings", "against",  "relation", NULL};

    fputs("<h2 id=\"columns\">Columns</h2>\n", s->out);
    rc_html_table(s->out, "What is compared with what.", heads);
    for (size_t i = 0; i < s->compare->column_count; i++) {
        const struct rc_compare_column *c = &s->compare->column[i];
        fprintf(s->out, "<tr><th scope=\"row\">%s</th>", c->label);
        rc_html_cell_name(s->out, c->path);
        rc_html_cell_name(s->out, c->kind->name);
        rc_html_cell(s->out, "%zu", c->event_count);
        fprintf(s->out, "<td>%s</td>", c->simulated ? "simulated" : "counted");
        fprintf(s->out, "<td>%s</td><td>%s</td></tr>\n",
                c->reference == RC_COMPARE_NONE
                    ? ""
                    : s->compare->column[c->reference].label,
                rc_relation_names[c->relation]);
    }
    rc_html_table_end(s->out);
}

/* A term in a line of its own, as names may be long. */
static void put_term(const char *before, const char *event, void *context)
{
    FILE *out = context;

    fputs("<div>", out);
    rc_html_put(out, before);
    rc_html_name(out, event);
    fputs("</div>", out);
}

/* What the metric is in a column: its verdict, the events that it is made of, how
 * exact it is.
 */
static void put_definition(const struct sheet *s, const struct rc_metric_result *m)
{
    FILE *out = s->out;

    fprintf(out, "<div class=\"v v-%s\">%s</div>", rc_metric_verdict_marks[m->verdict],
            rc_metric_verdict_names[m->verdict]);
    if (rc_metric_has_combination(m) && m->formula[0]) {
        fputs("<div>", out);
        rc_html_name(out, m->formula);
        fputs("</div>", out);
    } else if (rc_metric_has_combination(m))
        rc_compare_each_term(m, put_term, out);
    if (!isnan(m->error)) {
        fputs("<div class=\"note\">", out);
        rc_html_say(out, "error %.2e", m->error);
        fputs("</div>", out);
    }
}

/* How it differs from the reference in words; what differs in form only is a note. */
static void put_difference(struct sheet *s, const struct rc_compare_metric *metric,
                           size_t column)
{
    const struct rc_compare_cell *cell = &metric->cell[column];
    char *text = rc_compare_say_cell(s->compare, metric, column);

    if (!text)
        s->failed = true;
    else if (text[0]) {
        fprintf(s->out, "<div class=\"%s\">", cell->differs ? "v-rejected" : "note");
        rc_html_say(s->out, "%s from %s: ", cell->differs ? "differs" : "not different",
                    s->compare->column[s->compare->column[column].reference].label);
        rc_html_put(s->out, text);
        fputs("</div>", s->out);
    }
    free(text);
}

/* A row of the table of a suite: a metric in all columns. */
static void put_metric(struct sheet *s, const struct rc_compare_metric *metric)
{
    fputs("<tr><th scope=\"row\">", s->out);
    rc_html_put(s->out, metric->name);
    fprintf(s->out, "</th><td>%s</td>", metric->differs ? "differs" : "same");
    for (size_t i = 0; i < s->compare->column_count; i++) {
        fputs("<td>", s->out);
        if (metric->cell[i].metric)
            put_definition(s, metric->cell[i].metric);
        put_difference(s, metric, i);
        fputs("</td>", s->out);
    }
    fputs("</tr>\n", s->out);
}

/* The table of a suite, with a column for each of the comparison. */
static void put_suite(struct sheet *s, size_t number)
{
    const struct rc_compare_suite *suite = &s->compare->suite[number];
    char caption[128];

    fprintf(s->out, "<h2 id=\"suite-%zu\">Suite ", number);
    rc_html_put(s->out, suite->name);
    fputs("</h2>\n", s->out);
    if (suite->metric_count == 0) {
        fputs("<p>No metrics are defined for it.</p>\n", s->out);
        return;
    }
    const char **heads = rc_calloc(s->compare->column_count + 3, sizeof(const char *));
    if (!heads) {
        s->failed = true;
        return;
    }
    heads[0] = "metric";
    heads[1] = "result";
    for (size_t i = 0; i < s->compare->column_count; i++)
        heads[i + 2] = s->compare->column[i].label;
    snprintf(caption, sizeof caption, "%zu metric%s, of which %zu differ%s.",
             suite->metric_count, rc_text_s(suite->metric_count), suite->differing,
             rc_text_plural(suite->differing, "s", ""));
    rc_html_table(s->out, caption, heads);
    for (size_t m = 0; m < suite->metric_count; m++)
        put_metric(s, &suite->metric[m]);
    rc_html_table_end(s->out);
    free((void *)heads);
}

static void put_noise(FILE *out, double noise)
{
    if (isnan(noise))
        rc_html_cell(out, "none");
    else
        rc_html_cell(out, "%.3g", noise);
}

/* The events of a change, with their noise or the reason of their verdict where that
 * is what changed.
 */
static void put_group(const struct sheet *s, const struct rc_compare_column *c,
                      const struct rc_compare_group *g)
{
    static const char *const plain[] = {"event", "source", NULL};
    static const char *const noise[] = {"event", "source", ">noise before",
                                        ">noise after", NULL};
    static const char *const reason[] = {"event", "source", "reason", NULL};
    const size_t shown = s->all || g->count < EVENTS_SHOWN ? g->count : EVENTS_SHOWN;
    char caption[128] = "All of them.", line[RC_COMPARE_LINE];

    fputs("<h3>", s->out);
    if (g->suite != RC_COMPARE_NONE) {
        fputs("Suite ", s->out);
        rc_html_put(s->out, s->compare->suite[g->suite].name);
        fputs(", ", s->out);
    }
    rc_html_put(s->out, rc_compare_say_group(s->compare, c, g, line));
    fputs("</h3>\n", s->out);
    if (shown < g->count)
        snprintf(caption, sizeof caption,
                 "The first %zu; --all shows all %zu, and so does --format json.",
                 shown, g->count);
    rc_html_table(s->out, caption,
                  g->what == RC_CHANGE_CLASS     ? noise
                  : g->what == RC_CHANGE_VERDICT ? reason
                                                 : plain);
    for (size_t i = 0; i < shown; i++) {
        const struct rc_compare_change *change = &g->change[i];
        const struct rc_compare_event *event =
            rc_compare_event_of(s->compare, c, g, change);
        fputs("<tr>", s->out);
        rc_html_cell_name(s->out, event->name);
        fputs("<td>", s->out);
        rc_html_put(s->out, event->source);
        fputs("</td>", s->out);
        if (g->what == RC_CHANGE_CLASS) {
            put_noise(s->out, change->noise_before);
            put_noise(s->out, change->noise_after);
        } else if (g->what == RC_CHANGE_VERDICT) {
            fputs("<td>", s->out);
            rc_html_put(s->out, event->reason);
            fputs("</td>", s->out);
        }
        fputs("</tr>\n", s->out);
    }
    rc_html_table_end(s->out);
}

/* What became of the events of the reference in a column. */
static void put_changes(const struct sheet *s, size_t column)
{
    const struct rc_compare_column *c = &s->compare->column[column];

    if (c->reference == RC_COMPARE_NONE)
        return;
    fprintf(s->out, "<h2 id=\"events-%zu\">Events of %s against %s</h2>\n", column,
            c->label, s->compare->column[c->reference].label);
    if (c->change_count == 0)
        fputs("<p>Nothing changed.</p>\n", s->out);
    for (size_t i = 0; i < c->group_count; i++)
        put_group(s, c, &c->group[i]);
}

int rc_compare_write_html(const struct rc_compare *compare, bool all, FILE *out,
                          struct rc_error *err)
{
    const struct rc_html_page page = {.title = "rollcall compare",
                                      .simulated = compare->simulated};
    struct sheet s = {.compare = compare, .out = out, .all = all};

    rc_html_begin(out, &page);
    put_head(&s);
    put_sum(&s);
    put_columns(&s);
    for (size_t i = 0; i < compare->suite_count; i++)
        put_suite(&s, i);
    for (size_t i = 0; i < compare->column_count; i++)
        put_changes(&s, i);
    rc_html_end(out, &page);
    return s.failed ? rc_fail(err, RC_ENOMEM, "no memory for the page") : RC_OK;
}
