/* The data of the page: what there is of every event of a kind. There may be half a
 * million, so the page gets what it sorts and filters by as strings with one letter
 * for each event ("events-K", "suite-K-S"), descriptions once for all events that
 * share them ("descriptions-K"), and all else in pages of events that the script
 * unpacks when one is opened ("detail-K-P").
 *
 * Events are read once, page by page; what is collected over all pages is written at
 * the end.
 */
#include "io/report/parts.h"

#include "campaign/base/arena.h"
#include "campaign/base/map.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 2048,  /* events of which the details are one element */
    MANY = 20000, /* events from which on the page leaves out what is of least use */
    SOURCES_MOST = 62, /* for which there are letters */
    DIGITS = 3         /* of noise and residuals */
};

/* The letter of a number, for strings with one letter for each event. */
static const char digits[] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* What a suite of the metrics says of all events: a letter for each. */
struct letters {
    char *class, *use;
    struct rc_report_json noise; /* {"noise": [... */
};

/* What is collected over all pages of events. */
struct listing {
    const struct rc_report *report;
    FILE *out;
    struct rc_report_tally *tally;
    size_t kind, in;             /* in the store, in the metrics file */
    size_t events, suites;       /* of the kind; suites that were solved */
    struct rc_report_json names; /* {"events": [... */

    /* {"text": [... of all descriptions, each once; and which of them an event has. */
    struct rc_report_json descriptions;
    struct rc_map by_description; /* the numbers of the texts in 'description' */
    const char **description;
    size_t description_count, description_room;
    uint32_t *described; /* by event: its description's number */

    char *source, *scope, *verdict; /* by event: letters */
    char *best;                     /* its best class in all suites */
    struct letters *suite;
    const char *source_name[SOURCES_MOST]; /* by letter */
    size_t sources;
    struct rc_arena arena; /* of all arrays and texts but 'description' */
};

static int listing_init(struct listing *b, struct rc_error *err)
{
    static const char what[] = "the events of the report";
    const size_t room = b->events + 1; /* letters are strings: 0 is behind the last */
    int status;

    b->described = rc_arena_array(&b->arena, room, sizeof *b->described);
    b->source = rc_arena_array(&b->arena, room, 1);
    b->scope = rc_arena_array(&b->arena, room, 1);
    b->verdict = rc_arena_array(&b->arena, room, 1);
    b->best = rc_arena_array(&b->arena, room, 1);
    b->suite = rc_arena_array(&b->arena, b->suites, sizeof *b->suite);
    if ((status = rc_arena_check(&b->arena, err, what)))
        return status;
    for (size_t s = 0; s < b->suites; s++) {
        b->suite[s].class = rc_arena_array(&b->arena, room, 1);
        b->suite[s].use = rc_arena_array(&b->arena, room, 1);
    }
    if ((status = rc_arena_check(&b->arena, err, what)) ||
        (status = rc_report_json_open(&b->names, err)) ||
        (status = rc_report_json_open(&b->descriptions, err)))
        return status;
    rc_json_object(b->names.json, NULL);
    rc_json_array(b->names.json, "events");
    rc_json_object(b->descriptions.json, NULL);
    rc_json_array(b->descriptions.json, "text");
    for (size_t s = 0; s < b->suites; s++) {
        struct rc_report_json *noise = &b->suite[s].noise;
        if ((status = rc_report_json_open(noise, err)))
            return status;
        rc_json_object(noise->json, NULL);
        rc_json_array(noise->json, "noise");
    }
    return RC_OK;
}

static bool is_description(const void *listing, size_t item, const void *text)
{
    return strcmp(((const struct listing *)listing)->description[item], text) == 0;
}

/* Many events of a machine have the same description: the page holds it once. */
static int note_description(struct listing *b, size_t event, const char *text,
                            struct rc_error *err)
{
    const uint64_t hash = rc_text_hash(text);
    size_t item = rc_map_find(&b->by_description, b, hash, text);

    if (item == RC_MAP_NONE) {
        item = b->description_count;
        const char *kept = rc_arena_text(&b->arena, text);
        if (b->arena.failed ||
            rc_grow(&b->description, sizeof *b->description, item,
                    &b->description_room) ||
            rc_map_put(&b->by_description, b, hash, text, item))
            return rc_report_fail_memory(err);
        b->description[b->description_count++] = kept;
        rc_json_text(b->descriptions.json, NULL, text);
    }
    b->described[event] = (uint32_t)item;
    return RC_OK;
}

/* More sources than there are letters share the last one: nobody has as many. */
static char letter_of_source(struct listing *b, const char *name)
{
    size_t i = 0;

    while (i < b->sources && strcmp(b->source_name[i], name) != 0)
        i++;
    if (i == b->sources && b->sources < SOURCES_MOST)
        b->source_name[b->sources++] = rc_arena_text(&b->arena, name);
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

/* What one suite says of a page's events: into its letters, and into the page. */
static int put_suite(struct listing *b, size_t suite, size_t first, size_t count,
                     struct rc_json *page, struct rc_error *err)
{
    const struct rc_suite_result *r =
        rc_metrics_suite(b->report->metrics, b->in, suite);
    struct letters *letters = &b->suite[suite];
    struct rc_arena arena = {0};
    struct rc_event_columns c;
    int status = rc_metrics_make_columns(&arena, count, r->coordinate_count, &c, err);

    c.first = first;
    if (status != RC_OK ||
        (status = rc_metrics_read_columns(b->report->metrics, b->in, suite, &c, err)))
        goto out;
    rc_json_object(page, NULL);
    rc_json_array(page, "residual");
    for (size_t i = 0; i < count; i++) {
        const char class = digits[c.event_class[i]];
        letters->class[first + i] = class;
        letters->use[first + i] = digits[c.use[i]];
        if (class > b->best[first + i])
            b->best[first + i] = class;
        rc_json_short(letters->noise.json, NULL, c.noise[i], DIGITS);
        rc_json_short(page, NULL,
                      c.event_class[i] < RC_CLASS_STEADY ? NAN : c.residual[i], DIGITS);
    }
    rc_json_end(page);
    rc_json_array(page, "x");
    /* The representation of a noisy event is made of noise, and takes much of the page.
     * Where there are very many events, neither is the nearest combination of one that
     * is none worth its room.
     */
    for (size_t i = 0; i < count; i++) {
        const bool shown = c.event_class[i] >= RC_CLASS_STEADY &&
                           (c.use[i] != RC_USE_OUTSIDE || b->events <= MANY);
        put_representation(page, r,
                           shown ? c.representation + i * r->coordinate_count : NULL);
    }
    rc_json_end(page);
    rc_json_array(page, "why");
    for (size_t i = 0; i < count; i++)
        rc_json_text(page, NULL,
                     c.reason[i] < r->reason_count ? r->reason[c.reason[i]] : "");
    rc_json_end(page);
    rc_json_end(page);
out:
    rc_arena_free(&arena);
    return status;
}

/* Counts an event, and why it does not count: of the reasons the first
 * RC_REPORT_REASONS, which the summary chooses from.
 */
static void tally_event(struct rc_report_tally *t, const struct rc_store_event *event)
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

/* Reads a page of events: its details are written, the rest is collected. */
static int put_page(struct listing *b, size_t first, size_t count,
                    struct rc_store_event *event, struct rc_error *err)
{
    struct rc_pool *pool = rc_pool_create();
    struct rc_report_json page = {.stream = NULL};
    char id[64];
    int status;

    if (!pool) {
        status = rc_report_fail_memory(err);
        goto out;
    }
    if ((status = rc_report_json_open(&page, err)) ||
        (status = rc_store_read_events(b->report->store, b->kind, first, count, event,
                                       pool, err)))
        goto out;
    for (size_t i = 0; i < count; i++) {
        rc_json_text(b->names.json, NULL, event[i].name);
        b->source[first + i] = letter_of_source(b, event[i].source);
        b->scope[first + i] = digits[event[i].scope];
        b->verdict[first + i] = digits[event[i].verdict];
        b->best[first + i] = b->suites ? '0' : ' ';
        tally_event(b->tally, &event[i]);
        if ((status = note_description(b, first + i, event[i].description, err)))
            goto out;
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
    for (size_t s = 0; s < b->suites; s++)
        if ((status = put_suite(b, s, first, count, page.json, err)))
            goto out;
    snprintf(id, sizeof id, "detail-%zu-%zu", b->kind, first / PAGE);
    status = rc_report_json_put(&page, b->out, id, err);
out:
    rc_report_json_fini(&page);
    rc_pool_close(pool);
    return status;
}

/* Ends what was collected, and writes it. */
static int put_collected(struct listing *b, struct rc_error *err)
{
    struct rc_json *json = b->names.json;
    char id[64];
    int status;

    for (size_t s = 0; s < b->suites; s++) {
        struct letters *letters = &b->suite[s];
        rc_json_end(letters->noise.json);
        rc_json_text(letters->noise.json, "class", letters->class);
        rc_json_text(letters->noise.json, "use", letters->use);
        snprintf(id, sizeof id, "suite-%zu-%zu", b->kind, s);
        if ((status = rc_report_json_put(&letters->noise, b->out, id, err)))
            return status;
    }
    rc_json_end(b->descriptions.json);
    rc_json_array(b->descriptions.json, "of");
    for (size_t i = 0; i < b->events; i++)
        rc_json_integer(b->descriptions.json, NULL, b->described[i]);
    rc_json_end(b->descriptions.json);
    snprintf(id, sizeof id, "descriptions-%zu", b->kind);
    if ((status = rc_report_json_put(&b->descriptions, b->out, id, err)))
        return status;
    rc_json_end(json);
    rc_json_integer(json, "page", PAGE);
    rc_json_text(json, "source", b->source);
    rc_json_text(json, "scope", b->scope);
    rc_json_text(json, "verdict", b->verdict);
    rc_json_text(json, "best", b->best);
    rc_report_put_texts(json, "sources", b->source_name, b->sources);
    snprintf(id, sizeof id, "events-%zu", b->kind);
    return rc_report_json_put(&b->names, b->out, id, err);
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
    int status;

    b.events = rc_store_kind(r->store, kind)->event_count;
    if (b.in != SIZE_MAX && rc_metrics_kind(r->metrics, b.in)->event_count == b.events)
        b.suites = rc_metrics_suite_count(r->metrics, b.in);
    if (!event) {
        status = rc_report_fail_memory(err);
        goto out;
    }
    if ((status = listing_init(&b, err)))
        goto out;
    for (size_t first = 0; first < b.events; first += PAGE) {
        const size_t left = b.events - first;
        if ((status = put_page(&b, first, left < PAGE ? left : PAGE, event, err)))
            goto out;
    }
    status = put_collected(&b, err);
out:
    rc_report_json_fini(&b.names);
    rc_report_json_fini(&b.descriptions);
    for (size_t s = 0; b.suite && s < b.suites; s++)
        rc_report_json_fini(&b.suite[s].noise);
    rc_map_fini(&b.by_description);
    free(b.description);
    rc_arena_free(&b.arena);
    free(event);
    return status;
}
