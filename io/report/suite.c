/* The metrics of a suite: verdicts, definitions, errors, events that stand in. */
#include "campaign/base/text.h"
#include "io/metric_words.h"
#include "io/report/parts.h"

#include <math.h>
#include <string.h>

enum { OTHERS_SHOWN = 12 };

static const char *const verdict_mark[] = {[RC_METRIC_ABSENT] = "absent",
                                           [RC_METRIC_APPROXIMATE] = "approximate",
                                           [RC_METRIC_DEFINED] = "defined",
                                           [RC_METRIC_REJECTED] = "rejected",
                                           [RC_METRIC_UNKNOWN] = "unknown"};

/* An event that the browser of events shows when it is followed. */
static void put_event(FILE *out, size_t kind, size_t event, const char *name)
{
    fprintf(out, "<a href=\"#event-%zu-%zu\">", kind, event);
    rc_html_name(out, name);
    fputs("</a>", out);
}

static void put_events(FILE *out, size_t kind, const size_t *event,
                       const char *const *name, size_t count, size_t all)
{
    const size_t shown = count < OTHERS_SHOWN ? count : OTHERS_SHOWN;

    for (size_t i = 0; i < shown; i++) {
        fputs(i ? ", " : "", out);
        put_event(out, kind, event[i], name[i]);
    }
    if (all > shown)
        rc_html_say(out, " and %zu more", all - shown);
}

/* "0.8 x EVENT (0.78 to 0.81)": rounded where that holds, and the interval where the
 * repetitions leave one.
 */
static void put_term(FILE *out, size_t kind, const struct rc_term *t, double value,
                     bool first)
{
    const double near = 1e-9 * fmax(1, fabs(t->coefficient));
    char text[256];

    fputs("<div>", out);
    fputs(value < 0 ? "&minus; " : first ? "" : "+ ", out);
    snprintf(text, sizeof text, "%.6g", fabs(value));
    if (strcmp(text, "1") != 0)
        rc_html_say(out, "%s \xc3\x97 ", text);
    put_event(out, kind, t->event, t->name);
    if (t->high - t->low > near || fabs(t->coefficient - value) > near) {
        rc_metric_put_coefficient(text, sizeof text, t, false);
        fputs(" <span class=\"note\">", out);
        rc_html_put(out, text);
        fputs("</span>", out);
    }
    fputs("</div>", out);
}

/* The terms that are added, or those that are taken off. */
static size_t put_signed(FILE *out, size_t kind, const struct rc_metric_result *m,
                         bool negative, size_t shown)
{
    for (size_t i = 0; i < m->term_count; i++) {
        const struct rc_term *t = &m->term[i];
        const double value = rc_term_value(m, t);
        if (!rc_term_matters(m, t) || (value < 0) != negative)
            continue;
        put_term(out, kind, t, value, shown++ == 0);
    }
    return shown;
}

static void put_terms(FILE *out, size_t kind, const struct rc_metric_result *m)
{
    size_t shown, hidden;

    if (m->formula[0])
        rc_html_name(out, m->formula);
    shown = put_signed(out, kind, m, false, 0);
    shown = put_signed(out, kind, m, true, shown);
    hidden = m->term_count - shown;
    if (hidden == 0)
        return;
    fputs("<div class=\"note\">", out);
    rc_html_say(out, "and %zu event%s that add%s nearly nothing", hidden,
                hidden == 1 ? "" : "s", hidden == 1 ? "s" : "");
    fputs("</div>", out);
}

static void put_metric(FILE *out, size_t kind, const struct rc_metric_result *m)
{
    char checks[RC_ERROR_TEXT] = "";

    fputs("<tr><th scope=\"row\">", out);
    if (m->description[0])
        fputs("<span tabindex=\"0\" data-tip=\"", out);
    if (m->description[0]) {
        rc_html_put(out, m->description);
        fputs("\">", out);
    }
    rc_html_put(out, m->name);
    fputs(m->description[0] ? "</span></th>" : "</th>", out);
    fprintf(out, "<td class=\"v v-%s\">%s</td><td>", verdict_mark[m->verdict],
            rc_metric_verdict_names[m->verdict]);
    put_terms(out, kind, m);
    rc_metric_append_checks(checks, sizeof checks, m);
    if (m->reason[0] || checks[0]) {
        fputs("<div class=\"note\">", out);
        rc_html_put(out, m->reason);
        rc_html_put(out, m->reason[0] || !checks[0] ? checks : checks + strlen("; "));
        fputs("</div>", out);
    }
    if (m->alone_count) {
        fputs("<div class=\"note\">the same by itself: ", out);
        put_events(out, kind, m->alone, m->alone_name, m->alone_count, m->alone_count);
        fputs("</div>", out);
    }
    fputs("</td>", out);
    if (isnan(m->error))
        rc_html_cell(out, "%s", "");
    else
        rc_html_cell(out, "%.2e", m->error);
    fputs("</tr>\n", out);
}

static void put_metrics(FILE *out, size_t kind, const struct rc_suite_result *s)
{
    static const char *const heads[] = {"metric", "verdict", "definition", ">error",
                                        NULL};

    if (s->metric_count == 0) {
        fputs("<p>No metrics are defined for this suite.</p>\n", out);
        return;
    }
    rc_html_table(
        out,
        "Metrics. The error is the backward error of the combination against "
        "the signature: near 0 the metric exists. Behind a term stands its "
        "coefficient as it was found, with its 95 % interval, where it is not "
        "known exactly.",
        heads);
    for (size_t i = 0; i < s->metric_count; i++)
        put_metric(out, kind, &s->metric[i]);
    rc_html_table_end(out);
}

/* "2 SF_SCAL + S_SCAL": what an event counts, in the words of the ideals. */
static void put_coordinates(FILE *out, const struct rc_suite_result *s, const double *x)
{
    bool any = false;

    for (size_t i = 0; i < s->coordinate_count; i++) {
        char text[64];
        if (isnan(x[i]) || fabs(x[i]) < s->alpha)
            continue;
        snprintf(text, sizeof text, "%.4g", any ? fabs(x[i]) : x[i]);
        fputs(any ? " <span class=\"term\">" : "<span class=\"term\">", out);
        fputs(any ? x[i] < 0 ? "&minus; " : "+ " : "", out);
        if (strcmp(text, "1") != 0)
            rc_html_say(out, "%s ", text);
        rc_html_name(out, s->coordinate[i]);
        fputs("</span>", out);
        any = true;
    }
    fputs(any ? "" : "0", out);
}

static void put_chosen(FILE *out, size_t kind, const struct rc_suite_result *s)
{
    static const char *const heads[] = {"event", "measures", ">score", "the same as it",
                                        NULL};

    if (s->chosen_count == 0)
        return;
    rc_html_table(out,
                  "Chosen events, in the order of the choice: these are enough to say "
                  "what all others say.",
                  heads);
    for (size_t i = 0; i < s->chosen_count; i++) {
        const struct rc_chosen *c = &s->chosen[i];
        fputs("<tr><td>", out);
        put_event(out, kind, c->event, c->name);
        fputs(c->completes
                  ? " <span class=\"note\">impure, only where it is needed</span>"
                  : "",
              out);
        fputs("</td><td>", out);
        put_coordinates(out, s, c->coordinate);
        fputs("</td>", out);
        rc_html_cell(out, "%.4g", c->score);
        fputs("<td>", out);
        put_events(out, kind, c->other, c->other_name, c->other_count, c->others);
        fputs("</td></tr>\n", out);
    }
    rc_html_table_end(out);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "12 presets of PAPI: 3 agree, 1 differs, 8 cannot be checked". */
static void put_outcomes(FILE *out, const struct rc_suite_result *s)
{
    size_t agree = 0, unknown = 0;

    for (size_t i = 0; i < s->preset_count; i++) {
        agree += begins(s->preset[i].outcome, "agrees");
        unknown += begins(s->preset[i].outcome, "cannot be checked");
    }
    rc_html_say(out, "%zu preset%s of PAPI against what was derived: ", s->preset_count,
                s->preset_count == 1 ? "" : "s");
    rc_html_say(out, "%zu agree, %zu differ, %zu cannot be checked", agree,
                s->preset_count - agree - unknown, unknown);
}

static void put_presets(FILE *out, const struct rc_suite_result *s)
{
    static const char *const heads[] = {"preset", "metric", "definition of the library",
                                        "outcome", NULL};

    if (s->preset_count == 0)
        return;
    fputs("<details><summary>", out);
    put_outcomes(out, s);
    fputs("</summary>\n", out);
    rc_html_table(out, "Presets of the PAPI at hand when the campaign was solved.",
                  heads);
    for (size_t i = 0; i < s->preset_count; i++) {
        const struct rc_preset_check *p = &s->preset[i];
        fputs("<tr>", out);
        rc_html_cell_name(out, p->preset);
        fputs("<td>", out);
        rc_html_put(out, p->metric);
        fputs("</td>", out);
        rc_html_cell_name(out, p->definition);
        fputs("<td>", out);
        rc_html_put(out, p->outcome);
        fputs("</td></tr>\n", out);
    }
    rc_html_table_end(out);
    fputs("</details>\n", out);
}

static void put_counts(FILE *out, const struct rc_suite_result *s)
{
    bool any = false;

    fputs("<p>", out);
    for (int i = RC_CLASS_COUNT; i-- > 0;)
        if (s->class_count[i]) {
            rc_html_say(out, "%s%zu %s", any ? ", " : "Events: ", s->class_count[i],
                        rc_class_names[i]);
            any = true;
        }
    rc_html_say(out,
                "%sOf the exact and steady ones %zu are chosen, %zu dependent, %zu "
                "impure, %zu outside the basis of %zu ideals.",
                any ? ". " : "", s->use_count[RC_USE_CHOSEN],
                s->use_count[RC_USE_DEPENDENT], s->use_count[RC_USE_IMPURE],
                s->use_count[RC_USE_OUTSIDE], s->ideal_count);
    if (s->chosen_count)
        rc_html_say(out,
                    " Rounding alpha %.2g: the choice is the same from %.2g to %.2g.",
                    s->alpha, s->alpha_low, s->alpha_high);
    fputs("</p>\n", out);
    if (s->left_out_count) {
        fputs("<p class=\"note\">Left out, since no point of this machine has them: ",
              out);
        for (size_t i = 0; i < s->left_out_count; i++) {
            fputs(i ? ", " : "", out);
            rc_html_name(out, s->left_out[i]);
        }
        fputs("</p>\n", out);
    }
    for (size_t i = 0; i < s->remark_count; i++) {
        fputs("<p class=\"note\"><strong>Note:</strong> ", out);
        rc_html_put(out, s->remark[i]);
        fputs("</p>\n", out);
    }
}

void rc_report_suite(struct rc_report_page *page, size_t kind, size_t suite)
{
    const struct rc_suite_result *s =
        rc_metrics_suite(page->report->metrics, kind, suite);
    const size_t in = rc_report_store_kind(page->report, kind);
    FILE *out = page->out;

    fprintf(out, "<h3 id=\"suite-%zu-%zu\">Suite ", in, suite);
    rc_html_put(out, s->suite);
    fputs("</h3>\n", out);
    put_counts(out, s);
    put_metrics(out, in, s);
    put_chosen(out, in, s);
    put_presets(out, s);
}
