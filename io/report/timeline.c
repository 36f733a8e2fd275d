/* Who measured what when: in words, as figures and as numbers. */
#include "io/report/timeline_parts.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum {
    SPANS_DRAWN = 4, /* runs that have a figure */
    SPANS_LISTED = 50
};

/* Of many runs those with the most units are drawn, in the order of time. */
static int draw_spans(struct rc_report_page *page, const struct rc_timeline *t,
                      struct rc_error *err)
{
    size_t drawn = 0;
    int status = RC_OK;

    for (size_t i = 0; i < t->spans && status == RC_OK; i++) {
        size_t larger = 0;
        for (size_t j = 0; j < t->spans && larger < SPANS_DRAWN; j++)
            larger += j < i ? t->span[j].units >= t->span[i].units
                            : t->span[j].units > t->span[i].units;
        if (larger >= SPANS_DRAWN)
            continue;
        status = rc_timeline_draw(page, t, i, err);
        drawn++;
    }
    if (drawn < t->spans)
        rc_html_say(page->out,
                    "The %zu runs with the most units are drawn, of %zu that measured.",
                    drawn, t->spans);
    return status;
}

static void put_time(FILE *out, uint64_t ns)
{
    const time_t t = (time_t)(ns / RC_SECOND_NS);
    char text[40] = "";
    struct tm tm;

    if (ns > 0 && gmtime_r(&t, &tm))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
    fprintf(out, "<td>%s</td>", text);
}

static void write_spans(FILE *out, const struct rc_timeline *t)
{
    static const char *const heads[] = {"first unit (UTC)",
                                        "last unit's end (UTC)",
                                        ">units",
                                        ">workers",
                                        ">seconds",
                                        ">busy",
                                        NULL};

    if (t->spans == 0)
        return;
    rc_html_table(out, "Runs that measured", heads);
    for (size_t i = 0; i < t->spans && i < SPANS_LISTED; i++) {
        const struct rc_span *s = &t->span[i];
        fputs("<tr>", out);
        put_time(out, s->begin_ns);
        put_time(out, s->end_ns);
        rc_html_cell(out, "%zu", s->units);
        rc_html_cell(out, "%zu", s->workers);
        rc_html_cell(out, "%.3f", rc_seconds(s->begin_ns, s->end_ns));
        rc_html_cell(out, "%.1f %%", rc_span_utilisation(s));
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
    if (t->spans > SPANS_LISTED)
        rc_html_say(out, "These are the first %d of %zu.", SPANS_LISTED, t->spans);
}

static void write_workers(FILE *out, const struct rc_timeline *t)
{
    static const char *const heads[] = {
        "node",  ">rank",       ">units",          ">seconds busy",
        ">idle", "first (UTC)", "last ends (UTC)", NULL};

    rc_html_table(out, "Workers", heads);
    for (size_t i = 0; i < t->rows; i++) {
        const struct rc_report_worker *w = &t->report->worker[t->row[i]];
        const struct rc_busy *s = &t->sum[t->row[i]];
        fputs("<tr>", out);
        rc_html_cell_name(out, w->node);
        rc_html_cell(out, "%lu", (unsigned long)w->rank);
        rc_html_cell(out, "%zu", s->units);
        rc_html_cell(out, "%.3f", s->busy_s + s->untimed_s);
        if (s->present_s > 0)
            rc_html_cell(out, "%.1f %%", fmax(0, 100 * (1 - s->busy_s / s->present_s)));
        else
            fputs("<td class=\"r\"></td>", out);
        put_time(out, s->first_ns);
        put_time(out, s->last_ns);
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
    if (t->rows < t->report->worker_count)
        rc_html_say(out,
                    "These are %zu of %zu workers, spread evenly, with the least and "
                    "the most busy one.",
                    t->rows, t->report->worker_count);
}

static void write_summary(FILE *out, const struct rc_timeline *t)
{
    const struct rc_report *r = t->report;
    double busy = 0, all = 0;

    for (size_t i = 0; i < t->spans; i++) {
        busy += t->span[i].busy_s;
        all += rc_seconds(t->span[i].begin_ns, t->span[i].end_ns) *
               (double)t->span[i].workers;
    }
    fputs("<p>", out);
    if (all > 0)
        rc_html_say(out,
                    "From the first to the last unit of each run, those of its workers "
                    "that measured at all were busy for %.3g %% of the time. ",
                    fmin(100, 100 * busy / all));
    rc_html_say(out, "%zu of %zu workers (a rank on a node: a row) measured %zu units.",
                t->busy, r->worker_count, r->unit_count);
    if (t->bad > 0)
        rc_html_say(out, " %zu units are invalid or failed.", t->bad);
    if (t->untimed > 0)
        rc_html_say(out,
                    " Of %zu units it is not known when they began: older versions did "
                    "not record it. They are counted, not drawn.",
                    t->untimed);
    fputs("</p>\n", out);
}

int rc_report_timeline(struct rc_report_page *page, struct rc_error *err)
{
    FILE *out = page->out;
    struct rc_timeline t;
    int status = rc_timeline_init(page->report, &t, err);

    if (status == RC_OK) {
        fputs("<h2 id=\"timeline\">Who measured what when</h2>\n", out);
        if (page->report->unit_count == 0)
            fputs("<p>No unit was measured yet.</p>\n", out);
        else {
            write_summary(out, &t);
            status = draw_spans(page, &t, err);
        }
    }
    if (status == RC_OK && t.busy > 0) {
        fputs("<details><summary>Runs and workers as numbers</summary>\n", out);
        write_spans(out, &t);
        write_workers(out, &t);
        fputs("</details>\n", out);
    }
    rc_timeline_fini(&t);
    return status;
}
