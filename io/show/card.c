/* Writes a card: its sentence, and its text for a terminal. */
#include "io/show/parts.h"

#include "campaign/base/text.h"
#include "io/metrics/metric_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 16, NAMED_MOST = 8, LINE_MOST = 4096 };

void rc_show_event_fini(struct rc_show_event *event)
{
    rc_arena_free(&event->arena);
    rc_pool_close(event->pool);
}

int rc_show_event_read(struct rc_store *metrics, const struct rc_show_hit *hit,
                       struct rc_show_event *out, struct rc_error *err)
{
    const size_t suites = rc_store_suite_count(metrics, hit->kind);
    int status;

    *out = (struct rc_show_event){.pool = rc_pool_create()};
    out->in = rc_arena_array(&out->arena, suites, sizeof *out->in);
    if ((status = rc_arena_check(&out->arena, err, "an event")) ||
        (status = rc_store_read_events(metrics, hit->kind, hit->event, 1, &out->is,
                                       out->pool, err)))
        return status;
    for (size_t s = 0; s < suites; s++) {
        const struct rc_suite_result *suite = rc_metrics_suite(metrics, hit->kind, s);
        struct rc_event_columns c;
        if ((status = rc_metrics_make_columns(&out->arena, 1, suite->coordinate_count,
                                              &c, err)))
            return status;
        c.first = hit->event;
        if ((status = rc_metrics_read_columns(metrics, hit->kind, s, &c, err)))
            return status;
        out->in[out->count++] = (struct rc_event_in_suite){
            .suite = suite,
            .class = (enum rc_class)c.event_class[0],
            .use = (enum rc_use)c.use[0],
            .noise = c.noise[0],
            .residual = c.residual[0],
            .x = c.representation,
            .reason =
                c.reason[0] < suite->reason_count ? suite->reason[c.reason[0]] : ""};
    }
    return RC_OK;
}

int rc_show_is_simulated(struct rc_store *metrics, const struct rc_show_hit *hit,
                         bool *simulated, struct rc_error *err)
{
    const struct rc_metric_result *m = hit->metric;
    struct rc_pool *pool = rc_pool_create();
    struct rc_store_event event;
    int status = RC_OK;

    *simulated = rc_store_kind(metrics, hit->kind)->simulated;
    for (size_t t = 0; t < m->term_count; t++) {
        status = rc_store_read_events(metrics, hit->kind, m->term[t].event, 1, &event,
                                      pool, err);
        *simulated = status == RC_OK && ((t > 0 && *simulated) || event.simulated);
        if (status != RC_OK)
            goto out;
    }
out:
    rc_pool_close(pool);
    return status;
}

void rc_show_alone(const struct rc_show_hit *hit, struct rc_show_alone *out)
{
    *out = (struct rc_show_alone){.term = {.event = hit->event,
                                           .name = hit->name,
                                           .coefficient = 1,
                                           .rounded = 1},
                                  .metric = {.name = hit->name,
                                             .description = "",
                                             .signature = "",
                                             .preset = "",
                                             .formula = "",
                                             .reason = "",
                                             .verdict = RC_METRIC_DEFINED,
                                             .rounded_holds = true,
                                             .term_count = 1}};
    out->metric.term = &out->term;
}

static void put_metric_sentence(char *out, size_t room, const char *kind,
                                const struct rc_metric_result *m)
{
    static const char *const verdict[RC_METRIC_VERDICT_COUNT] = {
        [RC_METRIC_DEFINED] = "can be counted on",
        [RC_METRIC_REFERENCE] = "can be counted, by reference, on",
        [RC_METRIC_APPROXIMATE] = "can nearly be counted on",
        [RC_METRIC_REJECTED] = "cannot be trusted on",
        [RC_METRIC_CONTRADICTED] = "is contradicted on",
        [RC_METRIC_ABSENT] = "cannot be counted on",
        [RC_METRIC_UNKNOWN] = "may or may not be countable on"};
    char checks[RC_ERROR_TEXT] = "";
    size_t terms = 0;

    rc_text_append(out, room, "'%s' %s %s", m->name, verdict[m->verdict], kind);
    for (size_t t = 0; t < m->term_count; t++)
        terms += rc_term_matters(m, &m->term[t]);
    if (rc_metric_is_usable(m)) {
        if (m->formula[0])
            rc_text_append(out, room, ": it is computed from %zu other metric%s",
                           m->input_count, rc_text_s(m->input_count));
        else
            rc_text_append(out, room, ": %s%zu event%s gives it",
                           terms == 1 ? "" : "a sum of ", terms, rc_text_s(terms));
        rc_metric_append_checks(checks, sizeof checks, m);
        if (checks[0])
            rc_text_append(out, room, ",%s", checks + 1);
    }
    if (m->reason[0])
        rc_text_append(out, room, "%s %s", rc_metric_is_defined(m) ? ";" : ":",
                       m->reason);
}

const char *rc_show_sentence(char out[RC_SHOW_SENTENCE], struct rc_store *metrics,
                             const struct rc_show_hit *hit,
                             const struct rc_show_event *event)
{
    char sentence[RC_SHOW_SENTENCE];

    out[0] = 0;
    if (hit->metric) {
        put_metric_sentence(out, RC_SHOW_SENTENCE,
                            rc_store_kind(metrics, hit->kind)->name, hit->metric);
        return out;
    }
    rc_text_append(out, RC_SHOW_SENTENCE, "%s %s", hit->name,
                   rc_event_sentence(sentence, sizeof sentence, &event->is, hit->event,
                                     event->in, event->count));
    return out;
}

/* A row of the card: its label, and what follows in a column of its own. */
static void begin_row(struct rc_page *page, const char *label)
{
    rc_page_begin(page, 2);
    page->hang = LABEL;
    rc_page_styled(page, RC_STYLE_DIM, "%s", label);
    rc_page_column(page, LABEL);
}

void rc_show_row(struct rc_page *page, const char *label, const char *text)
{
    if (!text[0])
        return;
    begin_row(page, label);
    rc_page_words(page, "%s", text);
    rc_page_end(page);
}

/* A line to paste, in one piece: a terminal may break it, and what is copied is whole.
 */
static void put_line(struct rc_page *page, const char *tool, const char *line)
{
    char text[LINE_MOST];

    begin_row(page, tool);
    fprintf(page->out, " %s", rc_text_printable(text, sizeof text, line));
    page->at = LABEL;
    rc_page_end(page);
}

/* For each tool what one types, or why the tool cannot.  An event alone needs no
 * definition for PAPI, and no formula after the command.
 */
static int put_lines(struct rc_page *page, struct rc_store *metrics,
                     const struct rc_show_hit *hit, const struct rc_suite_result *suite,
                     const struct rc_metric_result *metric, struct rc_error *err)
{
    const struct rc_export_choice choice = {
        .kind = rc_store_kind(metrics, hit->kind)->name, .approximate = true};
    struct rc_export x;
    int status = rc_export_open(&x, metrics, &choice, NULL, NULL, err);

    if (status != RC_OK)
        goto out;
    for (size_t t = 0; t < RC_EXPORT_TOOLS; t++) {
        struct rc_export_text line = {0};
        char why[RC_EXPORT_WHY] = "", text[RC_EXPORT_WHY + 32], *formula;
        char alone[LINE_MOST];
        status = rc_export_tools[t].line_of(&x, suite, metric, &line, why, err);
        if (status == RC_OK && line.failed)
            status = rc_fail(err, RC_ENOMEM, "no memory for lines to paste");
        if (status == RC_OK && !why[0] && line.text) {
            line.text[strcspn(line.text, "\n")] = 0;
            if (!hit->metric && (formula = strstr(line.text, "  # ")))
                *formula = 0;
            snprintf(alone, sizeof alone, "papi_command_line '%s'", hit->name);
            put_line(page, rc_export_tools[t].name,
                     hit->metric || t != RC_EXPORT_PAPI ? line.text : alone);
        } else if (status == RC_OK) {
            snprintf(text, sizeof text, "cannot say it: %s", why);
            rc_show_row(page, rc_export_tools[t].name, text);
        }
        free(line.text);
        if (status != RC_OK)
            goto out;
    }
out:
    rc_export_close(&x);
    return status;
}

static void put_names(struct rc_page *page, const char *label, const char *const *name,
                      size_t count)
{
    if (count == 0)
        return;
    begin_row(page, label);
    for (size_t i = 0; i < count && i < NAMED_MOST; i++)
        rc_page_listed(page, name[i], i + 1 < count && i + 1 < NAMED_MOST ? "," : "");
    if (count > NAMED_MOST)
        rc_page_words(page, "and %zu more", count - NAMED_MOST);
    rc_page_end(page);
}

static void put_terms(struct rc_page *page, const struct rc_metric_result *m)
{
    const char *label = rc_metric_has_combination(m) ? "definition" : "nearest";
    char coefficient[128];

    for (size_t t = 0; t < m->term_count; t++) {
        if (!rc_term_matters(m, &m->term[t]))
            continue;
        rc_metric_put_coefficient(coefficient, sizeof coefficient, &m->term[t],
                                  m->rounded_holds);
        begin_row(page, label);
        rc_page_words(page, "%s x", coefficient);
        rc_page_word(page, m->term[t].name);
        rc_page_end(page);
        label = "";
    }
}

/* How rollcall counts the metric over a command, which works where no tool does. */
static void put_count(struct rc_page *page, const char *dir, const char *metric)
{
    char line[LINE_MOST];
    const char *quote = strpbrk(dir, " \t\"$`&;()<>|*?[]#~\\") ? "'" : "";

    if (strpbrk(metric, "',=") || strchr(dir, '\''))
        return;
    snprintf(line, sizeof line, "rollcall count %s%s%s -m '%s' -- COMMAND", quote, dir,
             quote, metric);
    put_line(page, "rollcall", line);
}

/* Points of users' kernels whose counts imply the metric. */
static void put_implied(struct rc_page *page, struct rc_store *metrics,
                        const struct rc_show_hit *hit)
{
    char text[RC_ERROR_TEXT];
    size_t rows = 0;

    for (size_t s = 0; s < rc_store_suite_count(metrics, hit->kind); s++) {
        const struct rc_suite_result *r = rc_metrics_suite(metrics, hit->kind, s);
        for (size_t i = 0; i < r->implied_count && rows < NAMED_MOST; i++) {
            const struct rc_implied *m = &r->implied[i];
            if (strcmp(m->metric, hit->metric->name) != 0 ||
                strcmp(m->suite, hit->suite->suite) != 0 || isnan(m->counted))
                continue;
            snprintf(text, sizeof text, "%s of %s: expected %.6g, counted %.6g, %s",
                     m->point, r->suite, m->expected, m->counted,
                     m->agrees ? "agrees" : "off");
            rc_show_row(page, rows++ ? "" : "your kernel", text);
        }
    }
}

static int put_metric(struct rc_page *page, const struct rc_show_request *request,
                      const struct rc_show_hit *hit, struct rc_error *err)
{
    const struct rc_metric_result *m = hit->metric;

    rc_show_row(page, "counts", m->description);
    rc_show_row(page, "PAPI's name", m->preset);
    rc_show_row(page, "suite", hit->suite->suite);
    for (size_t i = 0; i < hit->suite->remark_count; i++)
        rc_show_row(page, "note", hit->suite->remark[i]);
    rc_show_row(page, "should be", m->signature);
    rc_show_row(page, "definition", m->formula);
    put_terms(page, m);
    put_names(page, "or alone", m->alone_name, m->alone_count);
    /* The suites on whose points the combination is wrong. */
    char text[RC_ERROR_TEXT];
    for (size_t i = 0; i < m->check_count; i++) {
        const struct rc_metric_check *c = &m->check[i];
        if (c->passed || c->points == 0)
            continue;
        snprintf(text, sizeof text, "in suite %s: off by %.2g on %zu points", c->suite,
                 c->error, c->points);
        rc_show_row(page, "fails", text);
    }
    put_implied(page, request->metrics, hit);
    if (!rc_metric_is_usable(m))
        return RC_OK;
    if (!m->formula[0])
        put_count(page, request->dir, m->name);
    return put_lines(page, request->metrics, hit, hit->suite, m, err);
}

/* Says the suites' findings, but those in which the event should be 0 and is. */
static void put_suites(struct rc_page *page, const struct rc_show_hit *hit,
                       const struct rc_show_event *e)
{
    char text[RC_SHOW_SENTENCE], sum[400];

    for (size_t s = 0; s < e->count; s++) {
        const struct rc_event_in_suite *in = &e->in[s];
        if (in->class == RC_CLASS_DEAD || in->class == RC_CLASS_IRRELEVANT)
            continue;
        snprintf(text, sizeof text, "%s", rc_event_word(in));
        rc_event_sum(sum, sizeof sum, in, hit->event);
        if (in->class >= RC_CLASS_STEADY && in->use >= RC_USE_IMPURE && sum[0])
            rc_text_append(text, sizeof text, ": %s", sum);
        if (in->noise > 0)
            rc_text_append(text, sizeof text, "; repetitions differ by %.2g",
                           in->noise);
        if (in->reason[0] && in->use != RC_USE_DEPENDENT)
            rc_text_append(text, sizeof text, "; %s", in->reason);
        rc_show_row(page, in->suite->suite, text);
    }
}

static bool has_term(const struct rc_metric_result *m, size_t event)
{
    for (size_t t = 0; t < m->term_count && rc_metric_has_combination(m); t++)
        if (m->term[t].event == event)
            return true;
    return false;
}

/* The metrics that the event is a part of, and events that say the same. */
static void put_relations(struct rc_page *page, const struct rc_show_hit *hit,
                          const struct rc_show_event *e)
{
    size_t parts = 0;

    for (size_t s = 0; s < e->count; s++) {
        const struct rc_suite_result *r = e->in[s].suite;
        for (size_t m = 0; m < r->metric_count; m++) {
            if (!has_term(&r->metric[m], hit->event))
                continue;
            if (parts++ == 0)
                begin_row(page, "is part of");
            else
                rc_page_tail(page, ";");
            rc_page_words(page, "%s", r->metric[m].name);
        }
    }
    rc_page_end(page);
    for (size_t s = 0; s < e->count; s++) {
        const struct rc_suite_result *r = e->in[s].suite;
        for (size_t c = 0; c < r->chosen_count; c++) {
            const struct rc_chosen *chosen = &r->chosen[c];
            if (chosen->event == hit->event)
                put_names(page, "says the same", chosen->other_name,
                          chosen->other_count);
            for (size_t o = 0; o < chosen->other_count; o++)
                if (chosen->other[o] == hit->event)
                    put_names(page, "says the same", &chosen->name, 1);
        }
    }
}

static int put_event(struct rc_page *page, struct rc_store *metrics,
                     const struct rc_show_hit *hit, const struct rc_show_event *e,
                     struct rc_error *err)
{
    struct rc_show_alone alone;
    char text[RC_ERROR_TEXT];

    rc_show_row(page, "described as", e->is.description);
    snprintf(text, sizeof text, "%s; scope %s: %s", e->is.source,
             rc_scope_name(e->is.scope), e->is.evidence);
    rc_show_row(page, "source", text);
    if (e->is.verdict != RC_VERDICT_OK)
        return RC_OK;
    put_suites(page, hit, e);
    put_relations(page, hit, e);
    rc_show_alone(hit, &alone);
    return put_lines(page, metrics, hit, NULL, &alone.metric, err);
}

int rc_show_text_card(struct rc_page *page, const struct rc_show_request *request,
                      const struct rc_show_hit *hit, struct rc_error *err)
{
    struct rc_store *metrics = request->metrics;
    const struct rc_store_kind *kind = rc_store_kind(metrics, hit->kind);
    char sentence[RC_SHOW_SENTENCE];
    struct rc_show_event event = {.pool = NULL};
    bool simulated = false;
    int status = hit->metric ? RC_OK : rc_show_event_read(metrics, hit, &event, err);

    if (status != RC_OK)
        goto out;
    rc_page_begin(page, 0);
    rc_page_styled(page, RC_STYLE_BOLD, "%s.",
                   rc_show_sentence(sentence, metrics, hit, &event));
    rc_page_end(page);
    if (hit->metric)
        status = rc_show_is_simulated(metrics, hit, &simulated, err);
    if (status != RC_OK)
        goto out;
    if (hit->metric ? simulated : event.is.simulated)
        rc_show_row(page, "SIMULATED", "no hardware was measured");
    if (!hit->metric)
        rc_show_row(page, "kind", kind->name);
    status = hit->metric ? put_metric(page, request, hit, err)
                         : put_event(page, metrics, hit, &event, err);
out:
    rc_show_event_fini(&event);
    return status;
}
