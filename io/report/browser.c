/* The browser of events: its form, and the data that its script shows.
 *
 * A kind has one element "events-K" with what there is to search and sort by, one
 * "suite-K-S" for each suite, and for each PAGE events one "detail-K-P".  The script
 * unpacks them when they are needed.
 */
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/json.h"
#include "io/report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 2048, MANY = 20000, SOURCES_MOST = 62 };

static const char digits[] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the events of the report");
}

/* JSON in memory. */
struct text {
    char *text;
    size_t bytes;
    FILE *stream;
    struct rc_json *json;
};

static int text_open(struct text *t, struct rc_error *err)
{
    *t = (struct text){.stream = NULL};
    t->stream = open_memstream(&t->text, &t->bytes);
    t->json = t->stream ? rc_json_create(t->stream) : NULL;
    return t->json ? RC_OK : no_memory(err);
}

static void text_fini(struct text *t)
{
    rc_json_close(t->json);
    if (t->stream)
        fclose(t->stream);
    free(t->text);
    *t = (struct text){.stream = NULL};
}

/* Ends the JSON and writes it as data of the page. */
static int text_close(struct text *t, FILE *out, const char *id, struct rc_error *err)
{
    rc_json_close(t->json);
    t->json = NULL;
    int status = fclose(t->stream) == 0 ? RC_OK : no_memory(err);
    t->stream = NULL;
    if (status == RC_OK)
        status = rc_html_data(out, id, t->text, t->bytes, err);
    text_fini(t);
    return status;
}

/* What is collected of all events of a kind, a character for each. */
struct letters {
    char *class, *use;
    struct text noise; /* {"noise": [... */
};

struct browser {
    struct rc_report_page *page;
    size_t kind, in; /* in the store, in the metrics file */
    size_t events, suites;
    struct text names; /* {"events": [... */
    char *source, *scope, *verdict, *best;
    struct letters *suite;
    const char *source_name[SOURCES_MOST];
    size_t sources;
    struct rc_pool *pool;
};

static const struct rc_suite_result *result_of(const struct browser *b, size_t suite)
{
    return rc_metrics_suite(b->page->report->metrics, b->in, suite);
}

static void browser_fini(struct browser *b)
{
    text_fini(&b->names);
    for (size_t s = 0; b->suite && s < b->suites; s++) {
        free(b->suite[s].class);
        free(b->suite[s].use);
        text_fini(&b->suite[s].noise);
    }
    free(b->suite);
    free(b->source);
    free(b->scope);
    free(b->verdict);
    free(b->best);
    rc_pool_close(b->pool);
}

static int browser_init(struct browser *b, struct rc_error *err)
{
    const size_t room = b->events + 1;
    int status = text_open(&b->names, err);

    b->pool = rc_pool_create();
    b->source = rc_calloc(room, 1);
    b->scope = rc_calloc(room, 1);
    b->verdict = rc_calloc(room, 1);
    b->best = rc_calloc(room, 1);
    b->suite = rc_calloc(b->suites, sizeof *b->suite);
    if (!b->pool || !b->source || !b->scope || !b->verdict || !b->best || !b->suite)
        status = no_memory(err);
    for (size_t s = 0; s < b->suites && status == RC_OK; s++) {
        b->suite[s].class = rc_calloc(room, 1);
        b->suite[s].use = rc_calloc(room, 1);
        status = b->suite[s].class && b->suite[s].use
                     ? text_open(&b->suite[s].noise, err)
                     : no_memory(err);
        if (status == RC_OK) {
            rc_json_object(b->suite[s].noise.json, NULL);
            rc_json_array(b->suite[s].noise.json, "noise");
        }
    }
    if (status == RC_OK) {
        rc_json_object(b->names.json, NULL);
        rc_json_array(b->names.json, "events");
    }
    return status;
}

static char letter_of_source(struct browser *b, const char *name)
{
    size_t i = 0;

    while (i < b->sources && strcmp(b->source_name[i], name) != 0)
        i++;
    if (i == b->sources && b->sources < SOURCES_MOST) {
        const char *kept = rc_pool_copy(b->pool, name);
        b->source_name[b->sources++] = kept ? kept : "";
    }
    return digits[i < SOURCES_MOST ? i : SOURCES_MOST - 1];
}

static void put_number(struct rc_json *json, double value)
{
    char text[32];

    if (isfinite(value)) {
        snprintf(text, sizeof text, "%.3g", value);
        rc_json_bare(json, NULL, text);
    } else
        rc_json_text(json, NULL, NULL);
}

/* "2 SF_SCAL + S_SCAL", or null where 'x' is NULL or not known. */
static int put_representation(struct rc_json *json, const struct rc_suite_result *r,
                              const double *x, struct rc_error *err)
{
    char *text = NULL;
    size_t bytes;

    if (!x || r->coordinate_count == 0 || isnan(x[0])) {
        rc_json_text(json, NULL, NULL);
        return RC_OK;
    }
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return no_memory(err);
    for (size_t i = 0, any = 0; i < r->coordinate_count; i++) {
        char number[64];
        if (!(fabs(x[i]) >= r->alpha))
            continue;
        snprintf(number, sizeof number, "%.4g", any ? fabs(x[i]) : x[i]);
        fprintf(out, "%s%s%s%s", any ? x[i] < 0 ? " - " : " + " : "",
                strcmp(number, "1") ? number : "", strcmp(number, "1") ? " " : "",
                r->coordinate[i]);
        any = 1;
    }
    const bool failed = fclose(out) != 0;
    if (!failed)
        rc_json_text(json, NULL, bytes ? text : "0");
    free(text);
    return failed ? no_memory(err) : RC_OK;
}

struct columns {
    struct rc_event_columns of;
    double *room;
    uint8_t *codes;
    uint32_t *reasons;
};

static int read_columns(struct browser *b, size_t suite, size_t first, size_t count,
                        struct columns *c, struct rc_error *err)
{
    const size_t wide = result_of(b, suite)->coordinate_count;

    c->room = rc_calloc(count * (wide + 2), sizeof *c->room);
    c->codes = rc_calloc(2 * count, 1);
    c->reasons = rc_calloc(count, sizeof *c->reasons);
    if (!c->room || !c->codes || !c->reasons)
        return no_memory(err);
    c->of = (struct rc_event_columns){.first = first,
                                      .count = count,
                                      .noise = c->room,
                                      .residual = c->room + count,
                                      .representation = c->room + 2 * count,
                                      .event_class = c->codes,
                                      .use = c->codes + count,
                                      .reason = c->reasons};
    return rc_metrics_read_columns(b->page->report->metrics, b->in, suite, &c->of, err);
}

static void columns_fini(struct columns *c)
{
    free(c->room);
    free(c->codes);
    free(c->reasons);
    *c = (struct columns){.room = NULL};
}

/* What noise is made of is of no use, and takes much of the page.  Where there are
 * very many events, neither is what is nearest to one that is no combination.
 */
static bool says_something(const struct browser *b, const struct rc_event_columns *c,
                           size_t i)
{
    return c->event_class[i] >= RC_CLASS_STEADY &&
           (c->use[i] != RC_USE_OUTSIDE || b->events <= MANY);
}

/* What one suite says of a page's events: into its letters, and into the page. */
static int put_suite(struct browser *b, size_t suite, size_t first, size_t count,
                     struct rc_json *page, struct rc_error *err)
{
    const struct rc_suite_result *r = result_of(b, suite);
    struct letters *letters = &b->suite[suite];
    struct columns c = {.room = NULL};
    int status = read_columns(b, suite, first, count, &c, err);

    rc_json_object(page, NULL);
    rc_json_array(page, "residual");
    for (size_t i = 0; i < count && status == RC_OK; i++) {
        const char class = digits[c.of.event_class[i]];
        letters->class[first + i] = class;
        letters->use[first + i] = digits[c.of.use[i]];
        if (class > b->best[first + i])
            b->best[first + i] = class;
        put_number(letters->noise.json, c.of.noise[i]);
        put_number(page,
                   c.of.event_class[i] < RC_CLASS_STEADY ? NAN : c.of.residual[i]);
    }
    rc_json_end(page);
    rc_json_array(page, "x");
    for (size_t i = 0; i < count && status == RC_OK; i++)
        status = put_representation(page, r,
                                    says_something(b, &c.of, i)
                                        ? c.of.representation + i * r->coordinate_count
                                        : NULL,
                                    err);
    rc_json_end(page);
    rc_json_array(page, "why");
    for (size_t i = 0; i < count && status == RC_OK; i++)
        rc_json_text(page, NULL,
                     c.of.reason[i] < r->reason_count ? r->reason[c.of.reason[i]] : "");
    rc_json_end(page);
    rc_json_end(page);
    columns_fini(&c);
    return status;
}

static void put_texts(struct rc_json *json, const char *key,
                      const struct rc_store_event *event, size_t count, size_t at)
{
    rc_json_array(json, key);
    for (size_t i = 0; i < count; i++) {
        const char *text;
        memcpy(&text, (const char *)&event[i] + at, sizeof text);
        rc_json_text(json, NULL, text ? text : "");
    }
    rc_json_end(json);
}

static int put_page(struct browser *b, size_t first, size_t count,
                    struct rc_store_event *event, struct rc_error *err)
{
    struct rc_pool *pool = rc_pool_create();
    struct text page = {.stream = NULL};
    char id[64];
    int status = pool ? text_open(&page, err) : no_memory(err);

    if (status == RC_OK)
        status = rc_store_read_events(b->page->report->store, b->kind, first, count,
                                      event, pool, err);
    if (status == RC_OK) {
        for (size_t i = 0; i < count; i++) {
            rc_json_text(b->names.json, NULL, event[i].name);
            b->source[first + i] = letter_of_source(b, event[i].source);
            b->scope[first + i] = digits[event[i].scope];
            b->verdict[first + i] = digits[event[i].verdict];
            b->best[first + i] = b->suites ? '0' : ' ';
        }
        rc_json_object(page.json, NULL);
        put_texts(page.json, "description", event, count,
                  offsetof(struct rc_store_event, description));
        put_texts(page.json, "evidence", event, count,
                  offsetof(struct rc_store_event, evidence));
        put_texts(page.json, "reason", event, count,
                  offsetof(struct rc_store_event, reason));
        rc_json_array(page.json, "suites");
    }
    for (size_t s = 0; s < b->suites && status == RC_OK; s++)
        status = put_suite(b, s, first, count, page.json, err);
    snprintf(id, sizeof id, "detail-%zu-%zu", b->kind, first / PAGE);
    if (status == RC_OK)
        status = text_close(&page, b->page->out, id, err);
    text_fini(&page);
    rc_pool_close(pool);
    return status;
}

static void put_words(struct rc_json *json, const char *key, const char *const *words,
                      size_t count)
{
    rc_json_array(json, key);
    for (size_t i = 0; i < count; i++)
        rc_json_text(json, NULL, words[i]);
    rc_json_end(json);
}

/* Ends what was collected, and writes it. */
static int put_collected(struct browser *b, struct rc_error *err)
{
    struct rc_json *json = b->names.json;
    char id[64];
    int status = RC_OK;

    for (size_t s = 0; s < b->suites && status == RC_OK; s++) {
        struct letters *letters = &b->suite[s];
        rc_json_end(letters->noise.json);
        rc_json_text(letters->noise.json, "class", letters->class);
        rc_json_text(letters->noise.json, "use", letters->use);
        snprintf(id, sizeof id, "suite-data-%zu-%zu", b->kind, s);
        status = text_close(&letters->noise, b->page->out, id, err);
    }
    rc_json_end(json);
    rc_json_text(json, "kind", rc_store_kind(b->page->report->store, b->kind)->name);
    rc_json_integer(json, "page", PAGE);
    rc_json_text(json, "source", b->source);
    rc_json_text(json, "scope", b->scope);
    rc_json_text(json, "verdict", b->verdict);
    rc_json_text(json, "best", b->best);
    put_words(json, "sources", b->source_name, b->sources);
    put_words(json, "scopes", rc_scope_names(), RC_SCOPE_COUNT);
    put_words(json, "verdicts", rc_verdict_names(), RC_VERDICT_COUNT);
    put_words(json, "classes", rc_class_names, RC_CLASS_COUNT);
    put_words(json, "uses", rc_use_names, RC_USE_COUNT);
    rc_json_array(json, "suites");
    for (size_t s = 0; s < b->suites; s++)
        rc_json_text(json, NULL, result_of(b, s)->suite);
    rc_json_end(json);
    snprintf(id, sizeof id, "events-data-%zu", b->kind);
    return status == RC_OK ? text_close(&b->names, b->page->out, id, err) : status;
}

static int put_curves(struct browser *b, struct rc_error *err)
{
    FILE *out = b->page->out;
    size_t *drawn = NULL, count = 0;
    int status = rc_report_curves(b->page, b->kind, &drawn, &count, err);

    free(drawn);
    if (status != RC_OK)
        return status;
    fputs("<p class=\"note\">Of ", out);
    rc_html_name(out, rc_store_kind(b->page->report->store, b->kind)->name);
    rc_html_say(out,
                " the curves of %zu of %zu events are in this page, those that "
                "tell most: 'rollcall report --curves N' or '--events PATTERN' "
                "takes in others.",
                count, b->events);
    fputs("</p>\n", out);
    return RC_OK;
}

static int put_kind(struct rc_report_page *page, size_t kind, struct rc_error *err)
{
    const struct rc_report *r = page->report;
    struct browser b = {
        .page = page, .kind = kind, .in = rc_report_metrics_kind(r, kind)};
    struct rc_store_event *event = rc_calloc(PAGE, sizeof *event);

    b.events = rc_store_kind(r->store, kind)->event_count;
    if (b.in != SIZE_MAX && rc_metrics_kind(r->metrics, b.in)->event_count == b.events)
        b.suites = rc_metrics_suite_count(r->metrics, b.in);
    int status = event ? browser_init(&b, err) : no_memory(err);
    for (size_t first = 0; first < b.events && status == RC_OK; first += PAGE)
        status = put_page(&b, first, b.events - first < PAGE ? b.events - first : PAGE,
                          event, err);
    if (status == RC_OK)
        status = put_collected(&b, err);
    if (status == RC_OK)
        status = put_curves(&b, err);
    browser_fini(&b);
    free(event);
    return status;
}

static void put_choice(FILE *out, const char *id, const char *label)
{
    fprintf(out,
            "<label>%s<select id=\"%s\"><option value=\"\">any</option></select>"
            "</label>\n",
            label, id);
}

static void put_form(FILE *out, const struct rc_report *r)
{
    fputs("<noscript><p>This list needs the page's script: no other part of the page "
          "does. 'rollcall export --format csv --table events' has the same.</p>"
          "</noscript>\n<div class=\"tools\" role=\"search\" aria-label=\"events\">\n",
          out);
    fprintf(out, "<label%s>kind<select id=\"f-kind\">",
            rc_store_kind_count(r->store) < 2 ? " hidden" : "");
    for (size_t k = 0; k < rc_store_kind_count(r->store); k++) {
        fprintf(out, "<option value=\"%zu\">", k);
        rc_html_put(out, rc_store_kind(r->store, k)->name);
        fputs("</option>", out);
    }
    fputs(
        "</select></label>\n<label class=\"wide\">search (words in any order; press / "
        "to come here)<input id=\"f-text\" type=\"search\" autocomplete=\"off\" "
        "spellcheck=\"false\"></label>\n",
        out);
    put_choice(out, "f-suite", "suite");
    put_choice(out, "f-class", "class");
    put_choice(out, "f-use", "use");
    put_choice(out, "f-scope", "scope");
    put_choice(out, "f-verdict", "trial");
    put_choice(out, "f-source", "source");
    fputs("<button type=\"button\" id=\"f-clear\">clear</button>\n</div>\n"
          "<p id=\"found\" role=\"status\">Loading the events&hellip;</p>\n"
          "<div class=\"t\"><table id=\"rows\" data-own=\"\"><caption>Press an event's "
          "name for all that is known of it. The class is the best of all suites, or "
          "that in the suite that is chosen above.</caption><thead><tr><th "
          "scope=\"col\">event</th></tr></thead>"
          "<tbody><tr><td>&hellip;</td></tr></tbody></table></div>\n"
          "<div class=\"tools\"><button type=\"button\" id=\"p-first\">first</button>"
          "<button type=\"button\" id=\"p-back\">back</button>"
          "<button type=\"button\" id=\"p-next\">next</button>"
          "<button type=\"button\" id=\"p-last\">last</button>"
          "<label>rows<select id=\"p-size\"><option>50</option>"
          "<option selected>100</option><option>500</option></select></label></div>\n",
          out);
}

int rc_report_browser(struct rc_report_page *page, struct rc_error *err)
{
    int status = RC_OK;

    fputs("<h2 id=\"events\">All events</h2>\n", page->out);
    put_form(page->out, page->report);
    for (size_t k = 0; k < rc_store_kind_count(page->report->store) && status == RC_OK;
         k++)
        status = put_kind(page, k, err);
    return status;
}
