/* The data of the page: what there is of every event. */
#include "io/report/parts.h"

#include "campaign/base/map.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 2048, MANY = 20000, SOURCES_MOST = 62, DIGITS = 3 };

static const char digits[] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the events of the report");
}

/* What is collected of all events of a kind, a character for each. */
struct letters {
    char *class, *use;
    struct rc_report_json noise; /* {"noise": [... */
};

struct listing {
    const struct rc_report *report;
    FILE *out;
    struct rc_report_tally *tally;
    size_t kind, in; /* in the store, in the metrics file */
    size_t events, suites;
    struct rc_report_json names; /* {"events": [... */

    /* {"text": [... of all descriptions, each once; and which of them an event has. */
    struct rc_report_json descriptions;
    struct rc_map by_description; /* the numbers of the texts in 'description' */
    const char **description;
    size_t description_count, description_room;
    uint32_t *described; /* by event: its description's number */

    char *source, *scope, *verdict, *best;
    struct letters *suite;
    const char *source_name[SOURCES_MOST];
    size_t sources;
    struct rc_pool *pool;
};

static const struct rc_suite_result *result_of(const struct listing *b, size_t suite)
{
    return rc_metrics_suite(b->report->metrics, b->in, suite);
}

static void listing_fini(struct listing *b)
{
    rc_report_json_fini(&b->names);
    rc_report_json_fini(&b->descriptions);
    rc_map_fini(&b->by_description);
    free(b->description);
    free(b->described);
    for (size_t s = 0; b->suite && s < b->suites; s++) {
        free(b->suite[s].class);
        free(b->suite[s].use);
        rc_report_json_fini(&b->suite[s].noise);
    }
    free(b->suite);
    free(b->source);
    free(b->scope);
    free(b->verdict);
    free(b->best);
    rc_pool_close(b->pool);
}

static int listing_init(struct listing *b, struct rc_error *err)
{
    const size_t room = b->events + 1;
    int status = rc_report_json_open(&b->names, err);

    if (status == RC_OK)
        status = rc_report_json_open(&b->descriptions, err);
    b->described = rc_calloc(room, sizeof *b->described);
    b->pool = rc_pool_create();
    b->source = rc_calloc(room, 1);
    b->scope = rc_calloc(room, 1);
    b->verdict = rc_calloc(room, 1);
    b->best = rc_calloc(room, 1);
    b->suite = rc_calloc(b->suites, sizeof *b->suite);
    if (!b->described || !b->pool || !b->source || !b->scope || !b->verdict ||
        !b->best || !b->suite)
        status = no_memory(err);
    for (size_t s = 0; s < b->suites && status == RC_OK; s++) {
        b->suite[s].class = rc_calloc(room, 1);
        b->suite[s].use = rc_calloc(room, 1);
        status = b->suite[s].class && b->suite[s].use
                     ? rc_report_json_open(&b->suite[s].noise, err)
                     : no_memory(err);
        if (status == RC_OK) {
            rc_json_object(b->suite[s].noise.json, NULL);
            rc_json_array(b->suite[s].noise.json, "noise");
        }
    }
    if (status == RC_OK) {
        rc_json_object(b->names.json, NULL);
        rc_json_array(b->names.json, "events");
        rc_json_object(b->descriptions.json, NULL);
        rc_json_array(b->descriptions.json, "text");
    }
    return status;
}

static bool is_description(const void *listing, size_t item, const void *text)
{
    return strcmp(((const struct listing *)listing)->description[item], text) == 0;
}

/* Many events of a machine have the same description: the page holds it once. */
static int describe(struct listing *b, size_t event, const char *text,
                    struct rc_error *err)
{
    const uint64_t hash = rc_text_hash(text);
    size_t item = rc_map_find(&b->by_description, b, hash, text);

    if (item == RC_MAP_NONE) {
        item = b->description_count;
        const char *kept = rc_pool_copy(b->pool, text);
        if (!kept ||
            rc_grow(&b->description, sizeof *b->description, item,
                    &b->description_room) ||
            rc_map_put(&b->by_description, b, hash, text, item))
            return no_memory(err);
        b->description[b->description_count++] = kept;
        rc_json_text(b->descriptions.json, NULL, text);
    }
    b->described[event] = (uint32_t)item;
    return RC_OK;
}

static char letter_of_source(struct listing *b, const char *name)
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

/* What an event counts: [weight, coordinate, weight, coordinate, ...]; null where 'x'
 * is NULL or not known.
 */
static void put_representation(struct rc_json *json, const struct rc_suite_result *r,
                               const double *x)
{
    if (!x || r->coordinate_count == 0 || isnan(x[0])) {
        rc_json_text(json, NULL, NULL);
        return;
    }
    rc_json_array(json, NULL);
    for (size_t i = 0; i < r->coordinate_count; i++)
        if (fabs(x[i]) >= r->alpha) {
            rc_json_short(json, NULL, x[i], DIGITS + 1);
            rc_json_integer(json, NULL, (int64_t)i);
        }
    rc_json_end(json);
}

struct columns {
    struct rc_event_columns of;
    double *room;
    uint8_t *codes;
    uint32_t *reasons;
};

static int read_columns(struct listing *b, size_t suite, size_t first, size_t count,
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
    return rc_metrics_read_columns(b->report->metrics, b->in, suite, &c->of, err);
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
static bool says_something(const struct listing *b, const struct rc_event_columns *c,
                           size_t i)
{
    return c->event_class[i] >= RC_CLASS_STEADY &&
           (c->use[i] != RC_USE_OUTSIDE || b->events <= MANY);
}

/* What one suite says of a page's events: into its letters, and into the page. */
static int put_suite(struct listing *b, size_t suite, size_t first, size_t count,
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
        rc_json_short(letters->noise.json, NULL, c.of.noise[i], DIGITS);
        rc_json_short(page, NULL,
                      c.of.event_class[i] < RC_CLASS_STEADY ? NAN : c.of.residual[i],
                      DIGITS);
    }
    rc_json_end(page);
    rc_json_array(page, "x");
    for (size_t i = 0; i < count && status == RC_OK; i++)
        put_representation(page, r,
                           says_something(b, &c.of, i)
                               ? c.of.representation + i * r->coordinate_count
                               : NULL);
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

/* Counts an event, and why it does not count. */
static void tally(struct rc_report_tally *t, const struct rc_store_event *event)
{
    size_t i = 0;

    t->events++;
    t->verdict[event->verdict]++;
    if (event->verdict == RC_VERDICT_OK || !event->reason[0])
        return;
    while (i < t->reasons && strcmp(t->reason[i].text, event->reason) != 0)
        i++;
    if (i == RC_REPORT_REASONS)
        return;
    if (i == t->reasons) {
        const char *kept = rc_pool_copy(t->pool, event->reason);
        if (!kept)
            return; /* it is not worth a failure */
        t->reason[t->reasons++].text = kept;
    }
    t->reason[i].count++;
}

static int put_page(struct listing *b, size_t first, size_t count,
                    struct rc_store_event *event, struct rc_error *err)
{
    struct rc_pool *pool = rc_pool_create();
    struct rc_report_json page = {.stream = NULL};
    char id[64];
    int status = pool ? rc_report_json_open(&page, err) : no_memory(err);

    if (status == RC_OK)
        status = rc_store_read_events(b->report->store, b->kind, first, count, event,
                                      pool, err);
    if (status == RC_OK) {
        for (size_t i = 0; i < count; i++) {
            rc_json_text(b->names.json, NULL, event[i].name);
            b->source[first + i] = letter_of_source(b, event[i].source);
            b->scope[first + i] = digits[event[i].scope];
            b->verdict[first + i] = digits[event[i].verdict];
            b->best[first + i] = b->suites ? '0' : ' ';
            tally(b->tally, &event[i]);
            if (status == RC_OK)
                status = describe(b, first + i, event[i].description, err);
        }
        rc_json_object(page.json, NULL);
        rc_json_array(page.json, "evidence");
        for (size_t i = 0; i < count; i++)
            rc_json_text(page.json, NULL, event[i].evidence);
        rc_json_end(page.json);
        rc_json_array(page.json, "reason");
        for (size_t i = 0; i < count; i++)
            rc_json_text(page.json, NULL, event[i].reason);
        rc_json_end(page.json);
        rc_json_array(page.json, "suites");
    }
    for (size_t s = 0; s < b->suites && status == RC_OK; s++)
        status = put_suite(b, s, first, count, page.json, err);
    snprintf(id, sizeof id, "detail-%zu-%zu", b->kind, first / PAGE);
    if (status == RC_OK)
        status = rc_report_json_put(&page, b->out, id, err);
    rc_report_json_fini(&page);
    rc_pool_close(pool);
    return status;
}

/* Ends what was collected, and writes it. */
static int put_collected(struct listing *b, struct rc_error *err)
{
    struct rc_json *json = b->names.json;
    char id[64];
    int status = RC_OK;

    for (size_t s = 0; s < b->suites && status == RC_OK; s++) {
        struct letters *letters = &b->suite[s];
        rc_json_end(letters->noise.json);
        rc_json_text(letters->noise.json, "class", letters->class);
        rc_json_text(letters->noise.json, "use", letters->use);
        snprintf(id, sizeof id, "suite-%zu-%zu", b->kind, s);
        status = rc_report_json_put(&letters->noise, b->out, id, err);
    }
    if (status == RC_OK) {
        rc_json_end(b->descriptions.json);
        rc_json_array(b->descriptions.json, "of");
        for (size_t i = 0; i < b->events; i++)
            rc_json_integer(b->descriptions.json, NULL, b->described[i]);
        rc_json_end(b->descriptions.json);
        snprintf(id, sizeof id, "descriptions-%zu", b->kind);
        status = rc_report_json_put(&b->descriptions, b->out, id, err);
    }
    rc_json_end(json);
    rc_json_integer(json, "page", PAGE);
    rc_json_text(json, "source", b->source);
    rc_json_text(json, "scope", b->scope);
    rc_json_text(json, "verdict", b->verdict);
    rc_json_text(json, "best", b->best);
    rc_report_put_texts(json, "sources", b->source_name, b->sources);
    snprintf(id, sizeof id, "events-%zu", b->kind);
    return status == RC_OK ? rc_report_json_put(&b->names, b->out, id, err) : status;
}

int rc_report_events(const struct rc_report *r, size_t kind, FILE *out,
                     struct rc_report_tally *tally, struct rc_error *err)
{
    struct listing b = {.report = r,
                        .out = out,
                        .tally = tally,
                        .kind = kind,
                        .in = rc_report_metrics_kind(r, kind),
                        .by_description = {.same = is_description}};
    struct rc_store_event *event = rc_calloc(PAGE, sizeof *event);

    b.events = rc_store_kind(r->store, kind)->event_count;
    if (b.in != SIZE_MAX && rc_metrics_kind(r->metrics, b.in)->event_count == b.events)
        b.suites = rc_metrics_suite_count(r->metrics, b.in);
    int status = event ? listing_init(&b, err) : no_memory(err);
    for (size_t first = 0; first < b.events && status == RC_OK; first += PAGE)
        status = put_page(&b, first, b.events - first < PAGE ? b.events - first : PAGE,
                          event, err);
    if (status == RC_OK)
        status = put_collected(&b, err);
    listing_fini(&b);
    free(event);
    return status;
}
