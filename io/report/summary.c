/* What the page shows without its script: its first lines, which say how many metrics
 * are defined, which events cannot be counted and why, what is simulated and what is
 * missing; and, in <noscript>, the tables of metrics.
 */
#include "io/report/parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/metrics/metric_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "59 of 69 metrics are defined, 3 approximate, 7 not on this machine". */
static void put_metrics(const struct rc_report *r, size_t in, FILE *out)
{
    size_t count[RC_METRIC_VERDICT_COUNT] = {0}, all = 0;

    for (size_t s = 0; s < rc_metrics_suite_count(r->metrics, in); s++) {
        const struct rc_suite_result *suite = rc_metrics_suite(r->metrics, in, s);
        for (size_t i = 0; i < suite->metric_count; i++, all++)
            count[suite->metric[i].verdict]++;
    }
    rc_html_say(out, "%zu of %zu metric%s defined", count[RC_METRIC_DEFINED], all,
                rc_text_s(all));
    count[RC_METRIC_DEFINED] = 0;
    for (size_t v = 0; v < RC_METRIC_VERDICT_COUNT; v++)
        if (count[v])
            rc_html_say(out, ", %zu %s", count[v], rc_metric_verdict_names[v]);
}

enum { NAMES_MOST = 16 /* metrics that are named in the first lines */ };

/* Which metrics are defined, those that suites share once. */
static void put_defined(const struct rc_report *r, size_t in, FILE *out)
{
    const char *named[NAMES_MOST];
    size_t count = 0, more = 0;

    for (size_t s = 0; s < rc_metrics_suite_count(r->metrics, in); s++) {
        const struct rc_suite_result *suite = rc_metrics_suite(r->metrics, in, s);
        for (size_t i = 0; i < suite->metric_count; i++) {
            const struct rc_metric_result *m = &suite->metric[i];
            size_t seen = 0;
            while (seen < count && strcmp(named[seen], m->name) != 0)
                seen++;
            if (m->verdict != RC_METRIC_DEFINED || seen < count)
                continue;
            if (count == NAMES_MOST) {
                more++;
                continue;
            }
            named[count] = m->name;
            fputs(count++ ? ", " : "<li>Defined: ", out);
            rc_html_put(out, m->name);
        }
    }
    if (more)
        rc_html_say(out, " and %zu more", more);
    if (count)
        fputs(".</li>\n", out);
}

/* "497 of 553 events count; 56 cannot be counted (30 counts nothing, ...): REASON". */
static void put_events(const struct rc_report_tally *t, FILE *out)
{
    const size_t bad = t->events - t->verdict[RC_VERDICT_OK];
    bool any = false;

    rc_html_say(out, "%zu of %zu event%s can be counted", t->verdict[RC_VERDICT_OK],
                t->events, rc_text_s(t->events));
    if (bad == 0)
        return;
    rc_html_say(out, ", %zu cannot (", bad);
    for (int v = 0; v < RC_VERDICT_COUNT; v++)
        if (v != RC_VERDICT_OK && t->verdict[v]) {
            rc_html_say(out, "%s%zu %s", any ? ", " : "", t->verdict[v],
                        rc_verdict_name((enum rc_verdict)v));
            any = true;
        }
    fputs(")", out);
    size_t most = 0; /* the reason that most of them have */
    for (size_t i = 1; i < t->reasons; i++)
        if (t->reason[i].count > t->reason[most].count)
            most = i;
    if (t->reasons == 0)
        return;
    if (t->reason[most].count == bad)
        fputs(": ", out);
    else
        rc_html_say(out, "; %zu of them: ", t->reason[most].count);
    rc_html_name(out, t->reason[most].text);
}

/* Whether all units were measured, and how many are valid. */
static void put_completeness(const struct rc_report *r, FILE *out)
{
    uint64_t ok = 0, units = 0;

    for (size_t i = 0; i < r->progress_count; i++) {
        ok += r->progress[i].ok;
        units += r->progress[i].units;
    }
    if (!r->complete_known) {
        fputs("<li>Whether it is complete is not known without the journals.</li>\n",
              out);
        return;
    }
    fputs(r->complete ? "<li>"
                      : "<li class=\"v-rejected\"><strong>Not complete:</strong> ",
          out);
    rc_html_say(out, "%" PRIu64 " of %" PRIu64 " unit%s measured and valid", ok, units,
                rc_text_s(units));
    fputs(".</li>\n", out);
}

/* "4K" of "l1d=4096/8" in a kind's key: the number behind 'key', in bytes, with
 * 'before' in front.
 */
static void put_size(const char *label, const char *key, const char *before, FILE *out)
{
    const char *at = strstr(label, key);
    const unsigned long bytes = at ? strtoul(at + strlen(key), NULL, 10) : 0;

    if (bytes)
        rc_html_say(out, bytes % 1024 ? "%s%lu" : "%s%luK", before,
                    bytes % 1024 ? bytes : bytes / 1024);
}

/* What of the readings is simulated, in words. */
static void put_simulated(const struct rc_report *r, FILE *out)
{
    const struct rc_store_campaign *campaign = rc_store_campaign(r->store);
    const char *caches = NULL;

    for (size_t k = 0; k < rc_store_kind_count(r->store) && !caches; k++)
        caches = strstr(rc_store_kind(r->store, k)->key, "l1d=");
    if (caches) {
        fputs("<li class=\"v-approximate\"><strong>Simulated caches ", out);
        put_size(caches, "l1d=", "", out);
        put_size(caches, "l2=", "/", out);
        put_size(caches, "l3=", "/", out);
        fputs("</strong>, not this machine's; TLB and branch prediction are simulated, "
              "too. Instructions are counted exactly.</li>\n",
              out);
    }
    for (size_t i = 0; i < campaign->source_label_count; i++)
        if (strncmp(campaign->source_labels[i], "model", strlen("model")) == 0)
            fputs("<li class=\"v-approximate\"><strong>A simulated machine:</strong> "
                  "its readings were made up by a model.</li>\n",
                  out);
}

/* One line for each kind, and what a reader must know before believing any of it. */
void rc_report_summary(const struct rc_report *r, const struct rc_report_tally *tally,
                       FILE *out)
{
    const size_t kinds = rc_store_kind_count(r->store);

    fputs("<h1><small>Report of the campaign</small> ", out);
    rc_html_put(out, r->name);
    fputs("</h1>\n<ul class=\"sum\">\n", out);
    for (size_t k = 0; k < kinds; k++) {
        const size_t in = rc_report_metrics_kind(r, k);
        fputs("<li>", out);
        if (kinds > 1) {
            rc_html_name(out, rc_store_kind(r->store, k)->name);
            fputs(": ", out);
        }
        if (in != SIZE_MAX) {
            fputs("<strong>", out);
            put_metrics(r, in, out);
            fputs(".</strong> ", out);
        }
        put_events(&tally[k], out);
        fputs("</li>\n", out);
        if (in != SIZE_MAX)
            put_defined(r, in, out);
    }
    put_simulated(r, out);
    put_completeness(r, out);
    for (size_t i = 0; i < r->note_count; i++) {
        fputs("<li class=\"note\"><strong>Note:</strong> ", out);
        rc_html_put(out, r->note[i]);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

/* "2 x A + B", the rounded coefficients where those hold. */
static void put_definition(FILE *out, const struct rc_metric_result *m)
{
    bool first = true;

    if (m->formula[0])
        rc_html_name(out, m->formula);
    for (int sign = 1; sign >= -1; sign -= 2) /* what is added goes first */
        for (size_t i = 0; i < m->term_count; i++) {
            const struct rc_term *t = &m->term[i];
            const double value = rc_term_value(m, t);
            char text[RC_TEXT_SHORT];
            if (!rc_term_matters(m, t) || value * sign <= 0)
                continue;
            fputs(value < 0 ? " &minus; " : first ? "" : " + ", out);
            snprintf(text, sizeof text, "%.6g", fabs(value));
            if (strcmp(text, "1") != 0)
                rc_html_say(out, "%s \xc3\x97 ", text);
            rc_html_name(out, t->name);
            first = false;
        }
}

/* A row: name, verdict, definition, remarks, error. */
static void put_metric(FILE *out, const struct rc_metric_result *m)
{
    char checks[RC_ERROR_TEXT] = "";

    fputs("<tr><th scope=\"row\">", out);
    rc_html_put(out, m->name);
    fprintf(out, "</th><td class=\"v v-%s\">%s</td><td>",
            rc_metric_verdict_marks[m->verdict], rc_metric_verdict_names[m->verdict]);
    put_definition(out, m);
    rc_metric_append_checks(checks, sizeof checks, m);
    fputs("</td><td>", out);
    rc_html_put(out, m->reason);
    rc_html_put(out, m->reason[0] || !checks[0] ? checks : checks + strlen("; "));
    fputs("</td>", out);
    if (isnan(m->error))
        fputs("<td></td>", out);
    else
        rc_html_cell(out, "%.2e", m->error);
    fputs("</tr>\n", out);
}

/* Those that one can count come first. */
static void put_suite_metrics(FILE *out, const struct rc_suite_result *suite)
{
    static const enum rc_metric_verdict order[] = {
        RC_METRIC_DEFINED, RC_METRIC_APPROXIMATE, RC_METRIC_REJECTED, RC_METRIC_UNKNOWN,
        RC_METRIC_ABSENT};

    for (size_t v = 0; v < sizeof order / sizeof *order; v++)
        for (size_t m = 0; m < suite->metric_count; m++)
            if (suite->metric[m].verdict == order[v])
                put_metric(out, &suite->metric[m]);
}

/* For browsers that run no script. */
void rc_report_tables(const struct rc_report *r, FILE *out)
{
    static const char *const heads[] = {"metric",  "verdict", "definition",
                                        "remarks", ">error",  NULL};
    const size_t kinds = r->metrics ? rc_metrics_kind_count(r->metrics) : 0;

    fputs("<noscript>\n<p>Without its script the page shows the tables of metrics; "
          "'rollcall report --text' shows more, and 'rollcall export --format csv "
          "--table events' has all events.</p>\n",
          out);
    for (size_t k = 0; k < kinds; k++) {
        fputs("<h2>Kind ", out);
        rc_html_put(out, rc_metrics_kind(r->metrics, k)->name);
        fputs("</h2>\n", out);
        for (size_t s = 0; s < rc_metrics_suite_count(r->metrics, k); s++) {
            const struct rc_suite_result *suite = rc_metrics_suite(r->metrics, k, s);
            fputs("<h3>Suite ", out);
            rc_html_put(out, suite->suite);
            fputs("</h3>\n", out);
            if (suite->metric_count == 0) {
                fputs("<p>No metrics are defined for this suite.</p>\n", out);
                continue;
            }
            rc_html_table(out, "Metrics, and what they are made of.", heads);
            put_suite_metrics(out, suite);
            rc_html_table_end(out);
        }
    }
    fputs("</noscript>\n", out);
}
