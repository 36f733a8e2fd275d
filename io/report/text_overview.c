/* The ends of a report for a terminal: first the answer, which is the number of defined
 * metrics and each suite's progress; after the suites the campaign, what was measured
 * where, and the runs.
 */
#include "io/report/parts.h"
#include "io/report/text_parts.h"

#include "campaign/base/text.h"
#include "io/report/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BAR_MOST = 20,   /* columns of a bar of progress */
    NODES_SHOWN = 8, /* nodes of a kind that are named */
    RUNS_SHOWN = 8,  /* runs, the last ones */
    SUITE_MOST = 16  /* columns for the names of suites */
};

/* Shows the campaign, and its creator. */
static void show_title(const struct rc_report *r, struct rc_page *page)
{
    const struct rc_store_campaign *c = rc_store_campaign(r->store);

    rc_page_begin(page, 0);
    rc_page_styled(page, RC_STYLE_BOLD, "campaign %s", r->name[0] ? r->name : c->id);
    rc_page_line(page, 2, "in %s,", r->directory);
    if (r->name[0])
        rc_page_words(page, "id %s,", c->id);
    if (r->created[0])
        rc_page_words(page, "created %s by %s", r->created, c->created_by);
    else
        rc_page_words(page, "created by %s", c->created_by);
    rc_page_line(page, 2, "this report: rollcall %s, %s", r->version, r->made);
    rc_page_end(page);
}

/* Shows the wanted metrics of a kind, in a few lines. */
static int show_metrics(const struct rc_report *r, struct rc_page *page, size_t number,
                        struct rc_error *err)
{
    const struct rc_store_kind *k = rc_store_kind(r->store, number);
    const size_t in = rc_report_metrics_kind(r, number),
                 most = rc_store_suite_count(r->store, number);
    const struct rc_suite_result **suite =
        rc_calloc(most, sizeof(const struct rc_suite_result *));
    size_t count = 0;

    if (!suite)
        return rc_fail(err, RC_ENOMEM, "no memory for the report");
    for (size_t s = 0; s < most; s++) {
        const char *name = rc_store_suite(r->store, number, s)->name;
        const size_t at = rc_report_metrics_suite(r, in, name);
        if (at != SIZE_MAX && rc_report_text_wants(r, k->name, name))
            suite[count++] = rc_metrics_suite(r->metrics, in, at);
    }
    if (count > 0)
        rc_tables_summary(page, suite, count, k->name, k->simulated, false);
    else
        rc_page_line(page, 0, "%s: not solved", k->name);
    rc_page_end(page);
    free((void *)suite);
    return RC_OK;
}

/* Shows the remarks that a reader needs first. */
static void show_notes(const struct rc_report *r, struct rc_page *page)
{
    if (rc_store_campaign(r->store)->simulated) {
        rc_page_begin(page, 2);
        rc_page_styled(page, RC_STYLE_DOUBTFUL,
                       "SIMULATED: readings here did not come from hardware "
                       "counters alone, see the sources");
    }
    for (size_t i = 0; i < r->note_count; i++) {
        rc_page_begin(page, 2);
        rc_page_styled(page, RC_STYLE_BAD, "note:");
        rc_page_words(page, "%s", r->note[i]);
    }
    rc_page_end(page);
}

/* Counts the events of each verdict. */
static bool count_verdict(void *context, size_t number,
                          const struct rc_store_event *event)
{
    size_t *of = context;

    (void)number;
    of[event->verdict]++;
    return true;
}

static int show_kind(const struct rc_report *r, struct rc_page *page, size_t number,
                     struct rc_error *err)
{
    const struct rc_store_kind *k = rc_store_kind(r->store, number);
    size_t of[RC_VERDICT_COUNT] = {0}, left = k->event_count;
    int status = rc_store_each_name(r->store, number, count_verdict, of, err);

    if (status != RC_OK)
        return status;
    rc_page_line(page, 2, "kind %s", k->name);
    if (k->node_count) { /* a simulated machine has none */
        rc_page_words(page, "on %zu node%s:", k->node_count, rc_text_s(k->node_count));
        rc_tables_list(page, k->nodes, k->node_count, NODES_SHOWN, k->node_count);
    }
    rc_page_begin(page, 4);
    if (k->shape && k->shape[0])
        rc_page_words(page, "topology %s", k->shape);
    rc_page_line(page, 4, "%zu event%s:", k->event_count, rc_text_s(k->event_count));
    for (int v = 0; v < RC_VERDICT_COUNT; v++) {
        left -= of[v];
        if (of[v])
            rc_page_words(page, "%zu %s%s", of[v], rc_verdict_name((enum rc_verdict)v),
                          left ? "," : "");
    }
    rc_page_end(page);
    return RC_OK;
}

/* Shows "flops [#####.....] 12 of 24 units, 1 failed; 497 events, 5 to 8 repetitions on
 * 4 places".
 */
static void show_suite(struct rc_page *page, const struct rc_report_progress *p,
                       const char *suite, size_t column)
{
    const struct {
        uint64_t units;
        const char *what;
    } part[] = {
        {p->invalid, "invalid"}, {p->failed, "failed"}, {p->missing, "missing"}};

    rc_page_begin(page, 4);
    rc_page_word(page, suite);
    rc_page_column(page, column);
    page->hang = column;
    /* "[#####.....]": full only if all is done. */
    const size_t room = page->width / 4 < BAR_MOST ? page->width / 4 : BAR_MOST;
    const size_t filled =
        p->units ? (size_t)((double)p->ok / (double)p->units * (double)room) : room;
    char bar[BAR_MOST + 3];
    memset(bar, '.', sizeof bar);
    memset(bar + 1, '#', filled < room ? filled : room);
    bar[0] = '[';
    bar[room + 1] = ']';
    bar[room + 2] = 0;
    rc_page_style(page, p->ok < p->units ? RC_STYLE_DOUBTFUL : RC_STYLE_GOOD);
    rc_page_word(page, bar);
    rc_page_style(page, RC_STYLE_PLAIN);
    rc_page_words(page, "%" PRIu64 " of %" PRIu64 " unit%s", p->ok, p->units,
                  rc_text_s(p->units));
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        if (part[i].units) {
            rc_page_tail(page, ",");
            rc_page_styled(page, RC_STYLE_BAD, "%" PRIu64 " %s", part[i].units,
                           part[i].what);
        }
    rc_page_tail(page, ";");
    rc_page_words(page, "%" PRIu64 " event%s, %" PRIu32, p->events,
                  rc_text_s(p->events), p->repetitions_min);
    if (p->repetitions_max != p->repetitions_min)
        rc_page_words(page, "to %" PRIu32, p->repetitions_max);
    rc_page_words(page, "repetition%s on %zu place%s", rc_text_s(p->repetitions_max),
                  p->places, rc_text_s(p->places));
}

/* Shows each suite's progress, as bars. */
static void show_progress(const struct rc_report *r, struct rc_page *page)
{
    const size_t most = page->width / 4 < SUITE_MOST ? page->width / 4 : SUITE_MOST;
    size_t kind = SIZE_MAX, widest = 0;

    for (size_t i = 0; i < r->progress_count; i++) {
        const struct rc_report_progress *p = &r->progress[i];
        const size_t wide =
            rc_page_columns(page, rc_store_suite(r->store, p->kind, p->suite)->name);
        widest = wide > widest ? wide : widest;
    }
    /* Bars begin in one column, after the names of suites. */
    const size_t column = 5 + (widest < most ? widest : most);
    rc_report_text_title(page, !r->complete_known ? "how far it is is not known"
                               : r->complete      ? "complete"
                                                  : "incomplete");
    for (size_t i = 0; i < r->progress_count; i++) {
        const struct rc_report_progress *p = &r->progress[i];
        const char *name = rc_store_kind(r->store, p->kind)->name;
        const char *suite = rc_store_suite(r->store, p->kind, p->suite)->name;
        if (!rc_report_text_wants(r, name, suite))
            continue;
        if (p->kind != kind) {
            rc_page_line(page, 2, "%s", name);
        }
        kind = p->kind;
        show_suite(page, p, suite, column);
    }
    rc_page_end(page);
}

/* Shows "run 1: 2026-11-21T06:12:03Z, 4 ranks on 2 nodes, 24 units to do; ended ...
 * with 0 left".
 */
static void show_runs(const struct rc_report *r, struct rc_page *page)
{
    const size_t hidden = r->run_count > RUNS_SHOWN ? r->run_count - RUNS_SHOWN : 0;

    if (r->run_count)
        rc_report_text_title(page, "runs");
    if (hidden) {
        rc_page_line(page, 2, "%zu earlier run%s", hidden, rc_text_s(hidden));
    }
    for (size_t i = hidden; i < r->run_count; i++) {
        const struct rc_report_run *run = &r->run[i];
        rc_page_line(page, 2,
                     "run %zu: %s, %" PRIu32 " rank%s on %" PRIu32 " node%s, %" PRIu64
                     " unit%s to do;",
                     i + 1, run->begin, run->ranks, rc_text_s(run->ranks), run->nodes,
                     rc_text_s(run->nodes), run->units_to_do,
                     rc_text_s(run->units_to_do));
        if (run->end[0])
            rc_page_words(page, "%s %s with %" PRIu64 " left",
                          run->interrupted ? "stopped by a signal" : "ended", run->end,
                          run->units_left);
        else
            rc_page_words(page, "did not end by itself");
        if (run->job[0])
            rc_page_words(page, "(job %s)", run->job);
    }
    rc_page_end(page);
}

int rc_report_text_answer(const struct rc_report *report, struct rc_page *page,
                          struct rc_error *err)
{
    for (size_t k = 0; k < rc_store_kind_count(report->store); k++)
        if (rc_report_text_wants(report, rc_store_kind(report->store, k)->name, NULL)) {
            const int status = show_metrics(report, page, k, err);
            if (status != RC_OK)
                return status;
        }
    show_notes(report, page);
    show_progress(report, page);
    return RC_OK;
}

int rc_report_text_provenance(const struct rc_report *report, struct rc_page *page,
                              struct rc_error *err)
{
    const struct rc_store_campaign *c = rc_store_campaign(report->store);
    int status;

    fputc('\n', page->out);
    show_title(report, page);
    /* The campaigns from which it was made, by merging and the like. */
    for (size_t i = 0; i < report->origin_count; i++) {
        const struct rc_report_origin *o = &report->origin[i];
        if (i == 0)
            rc_report_text_title(page, "made of");
        rc_page_line(page, 2, "%s:", o->operation);
        if (o->name[0])
            rc_page_words(page, "%s,", o->name);
        rc_page_words(page, "id %s, created %s by %s", o->id, o->created,
                      o->created_by);
        if (o->directory[0])
            rc_page_words(page, "in %s", o->directory);
    }
    rc_page_end(page);
    rc_report_text_title(page, "measured");
    for (size_t i = 0; i < c->source_label_count; i++) {
        rc_page_line(page, 2, "source %s", c->source_labels[i]);
    }
    for (size_t k = 0; k < rc_store_kind_count(report->store); k++)
        if (rc_report_text_wants(report, rc_store_kind(report->store, k)->name, NULL) &&
            (status = show_kind(report, page, k, err)))
            return status;
    rc_page_end(page);
    show_runs(report, page);
    rc_report_text_busy(report, page);
    return RC_OK;
}
