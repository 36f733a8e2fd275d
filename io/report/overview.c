/* What was measured where, and how far it is. */
#include "io/report/parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_fact(FILE *out, const char *name, const char *text)
{
    if (!text[0])
        return;
    fprintf(out, "<dt>%s</dt><dd>", name);
    rc_html_put(out, text);
    fputs("</dd>\n", out);
}

static void put_labels(FILE *out, const struct rc_store_campaign *campaign)
{
    fputs("<dt>sources</dt><dd>", out);
    for (size_t i = 0; i < campaign->source_label_count; i++) {
        fputs(i ? "<br>" : "", out);
        rc_html_put(out, campaign->source_labels[i]);
    }
    fputs("</dd>\n", out);
}

/* "98 of 100 units ok", and a bar of it. */
static void put_completeness(struct rc_report_page *page)
{
    const struct rc_report *r = page->report;
    uint64_t ok = 0, units = 0;

    for (size_t i = 0; i < r->progress_count; i++) {
        ok += r->progress[i].ok;
        units += r->progress[i].units;
    }
    fputs("<dt>complete</dt><dd>", page->out);
    if (!r->complete_known)
        fputs("not known without the journals", page->out);
    else
        rc_html_say(page->out, "%s: %" PRIu64 " of %" PRIu64 " units ok",
                    r->complete ? "yes" : "no", ok, units);
    if (r->complete_known && units)
        fprintf(page->out,
                "<br><progress aria-label=\"units that are ok\" max=\"%" PRIu64
                "\" value=\"%" PRIu64 "\">%" PRIu64 "</progress>",
                units, ok, ok);
    fputs("</dd>\n", page->out);
}

static void put_facts(struct rc_report_page *page)
{
    const struct rc_report *r = page->report;
    const struct rc_store_campaign *campaign = rc_store_campaign(r->store);
    FILE *out = page->out;

    fputs("<dl class=\"facts\">\n", out);
    put_fact(out, "campaign", campaign->id);
    put_fact(out, "created", r->created);
    put_fact(out, "results by", campaign->created_by);
    if (r->metrics)
        put_fact(out, "metrics by", rc_metrics_campaign(r->metrics)->created_by);
    put_fact(out, "directory", r->directory);
    put_labels(out, campaign);
    put_completeness(page);
    fputs("<dt>this report</dt><dd>", out);
    rc_html_say(out, "%s, by rollcall %s", r->made, r->version);
    fputs("</dd>\n</dl>\n", out);
    for (size_t i = 0; i < r->note_count; i++) {
        fputs("<p class=\"note\"><strong>Note:</strong> ", out);
        rc_html_put(out, r->note[i]);
        fputs("</p>\n", out);
    }
    if (campaign->spec[0]) {
        fputs("<details><summary>the campaign file</summary><pre><code>", out);
        rc_html_lines(out, campaign->spec);
        fputs("</code></pre></details>\n", out);
    }
}

/* A kind's key without what the kind, such as a simulated one, does not have. */
static void put_key(FILE *out, const char *key)
{
    static const char *const nothing[] = {"architecture=", "family=-1",   "model=-1",
                                          "stepping=-1",   "core types=", NULL};
    const size_t room = strlen(key) + 1;
    char *text = rc_calloc(room, 1);

    for (const char *at = key, *end; text && *at; at = *end ? end + 2 : end) {
        bool dull = false;
        end = strstr(at, "; ");
        if (!end)
            end = at + strlen(at);
        for (size_t i = 0; nothing[i] && !dull; i++)
            dull = strlen(nothing[i]) == (size_t)(end - at) &&
                   strncmp(at, nothing[i], (size_t)(end - at)) == 0;
        if (!dull)
            rc_text_append(text, room, "%s%.*s", text[0] ? "; " : "", (int)(end - at),
                           at);
    }
    rc_html_name(out, text ? text : key);
    free(text);
}

static void put_kinds(struct rc_report_page *page)
{
    static const char *const heads[] = {"kind", ">nodes", ">events",
                                        "what tells it from others", NULL};
    const struct rc_store *store = page->report->store;
    FILE *out = page->out;

    rc_html_table(out, "Kinds of machines: nodes that are built alike.", heads);
    for (size_t k = 0; k < rc_store_kind_count(store); k++) {
        const struct rc_store_kind *kind = rc_store_kind(store, k);
        fprintf(out, "<tr><td><a href=\"#kind-%zu\">", k);
        rc_html_name(out, kind->name);
        fputs("</a></td>", out);
        rc_html_cell(out, "%zu", kind->node_count);
        rc_html_cell(out, "%zu", kind->event_count);
        fputs("<td>", out);
        put_key(out, kind->key);
        fputs("</td></tr>\n", out);
    }
    rc_html_table_end(out);
}

static void put_progress(struct rc_report_page *page)
{
    static const char *const heads[] = {
        "kind",     "suite",   ">units",  ">ok",         ">invalid", ">failed",
        ">missing", ">events", ">places", "repetitions", NULL};
    const struct rc_report *r = page->report;
    FILE *out = page->out;

    if (r->progress_count == 0)
        return;
    rc_html_table(out,
                  "How far each suite is. A unit is a suite of kernels with a group "
                  "of events that count together.",
                  heads);
    for (size_t i = 0; i < r->progress_count; i++) {
        const struct rc_report_progress *p = &r->progress[i];
        const uint64_t number[] = {p->units,   p->ok,     p->invalid, p->failed,
                                   p->missing, p->events, p->places};
        fputs("<tr>", out);
        rc_html_cell_name(out, rc_store_kind(r->store, p->kind)->name);
        rc_html_cell_name(out, rc_store_suite(r->store, p->kind, p->suite)->name);
        for (size_t n = 0; n < sizeof number / sizeof *number; n++)
            rc_html_cell(out, "%" PRIu64, number[n]);
        fputs("<td>", out);
        rc_html_say(out, p->repetitions_min == p->repetitions_max ? "%u" : "%u to %u",
                    p->repetitions_min, p->repetitions_max);
        fputs("</td></tr>\n", out);
    }
    rc_html_table_end(out);
}

static void put_run(FILE *out, const struct rc_report_run *run)
{
    fputs("<tr><td>", out);
    rc_html_put(out, run->begin);
    fputs("</td><td>", out);
    rc_html_put(out, run->end[0]        ? run->end
                     : run->interrupted ? "stopped by a signal"
                                        : "did not end by itself");
    if (run->end[0] && run->interrupted)
        fputs(", stopped by a signal", out);
    fputs("</td>", out);
    rc_html_cell(out, "%" PRIu32, run->ranks);
    rc_html_cell(out, "%" PRIu32, run->nodes);
    rc_html_cell(out, "%" PRIu64, run->units_to_do);
    if (run->end[0])
        rc_html_cell(out, "%" PRIu64, run->units_left);
    else
        rc_html_cell(out, "%s", "");
    fputs("<td>", out);
    rc_html_put(out, run->job);
    fputs("</td><td>", out);
    rc_html_put(out, run->created_by);
    fputs("</td></tr>\n", out);
}

static void put_runs(struct rc_report_page *page)
{
    static const char *const heads[] = {"begin",  "end",          ">ranks",
                                        ">nodes", ">units to do", ">units left",
                                        "job",    "program",      NULL};
    const struct rc_report *r = page->report;

    if (r->run_count == 0)
        return;
    rc_html_table(page->out, "Runs of this campaign.", heads);
    for (size_t i = 0; i < r->run_count; i++)
        put_run(page->out, &r->run[i]);
    rc_html_table_end(page->out);
}

static void put_origins(struct rc_report_page *page)
{
    static const char *const heads[] = {"made by", "of",        "campaign", "created",
                                        "program", "directory", NULL};
    const struct rc_report *r = page->report;
    FILE *out = page->out;

    if (r->origin_count == 0)
        return;
    rc_html_table(out, "This campaign was made of others.", heads);
    for (size_t i = 0; i < r->origin_count; i++) {
        const struct rc_report_origin *o = &r->origin[i];
        const char *const cell[] = {o->operation, o->name,       o->id,
                                    o->created,   o->created_by, o->directory};
        fputs("<tr>", out);
        for (size_t c = 0; c < sizeof cell / sizeof *cell; c++) {
            fputs("<td>", out);
            rc_html_put(out, cell[c]);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
}

void rc_report_overview(struct rc_report_page *page)
{
    fputs("<h2 id=\"overview\">What was measured where</h2>\n", page->out);
    put_facts(page);
    put_kinds(page);
    put_progress(page);
    put_runs(page);
    put_origins(page);
}
