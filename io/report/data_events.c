/* The page's data on every event of a kind.  There may be half a million, so the page
 * gets the keys for sorting and filtering as strings with one letter for each event
 * ("events-K", "suite-K-S"), descriptions once for all events that share them
 * ("descriptions-K"), the numbers that count ("tally-K"), and all else in pages of
 * events that the script unpacks when one is opened ("detail-K-P").
 *
 * Events are read once, page by page; data collected over all pages are written at the
 * end.
 */
#include "io/report/parts.h"

#include "campaign/base/map.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 2048,  /* events whose details are one element */
    MANY = 20000, /* with more events the page leaves out the least useful data */
    LETTERS = 62, /* for numbers */
    DIGITS = 3    /* of noise and residuals */
};

/* The letter of a number, for strings with one letter for each event. */
static const char digits[] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* A suite's results for all events: a letter for each. */
struct letters {
    char *class, *use;
    struct rc_report_json noise; /* {"noise": [... */
};

/* A text that many events have in common. */
struct shared {
    const char *text;
    size_t events; /* that have it */
};

/* Such texts, each once. */
struct texts {
    struct rc_map by_text; /* from texts to indices in 'item' */
    struct shared *item;
    size_t count, room; /* items, and allocated ones */
};

/* Data collected over all pages of events. */
struct listing {
    const struct rc_report *report;
    FILE *out;
    size_t kind, in;             /* in the store, in the metrics file */
    size_t events, suites;       /* of the kind; suites that were solved */
    struct rc_report_json names; /* {"events": [... */
    struct texts descriptions, sources, reasons; /* reasons why events do not count */
    size_t *described;                 /* by event: its description's number */
    size_t verdicts[RC_VERDICT_COUNT]; /* events of each */
    char *source, *scope, *verdict;    /* by event: letters */
    char *best;                        /* its best class in all suites */
    struct letters *suite;
    struct rc_arena arena; /* of all arrays and texts but those of 'texts' */
};

static int listing_init(struct listing *b, struct rc_error *err)
{
    static const char what[] = "the events of the report";
    const size_t room = b->events + 1; /* letters are strings: a 0 ends them */
    int status;

    b->described = rc_arena_array(&b->arena, room, sizeof *b->described);
    b->source = rc_arena_array(&b->arena, room, 1);
    b->scope = rc_arena_array(&b->arena, room, 1);
    b->verdict = rc_arena_array(&b->arena, room, 1);
    b->best = rc_arena_array(&b->arena, room, 1);
    b->suite = rc_arena_array(&b->arena, b->suites, sizeof *b->suite);
    for (size_t s = 0; s < b->suites && b->suite; s++) {
        b->suite[s].class = rc_arena_array(&b->arena, room, 1);
        b->suite[s].use = rc_arena_array(&b->arena, room, 1);
    }
    if ((status = rc_arena_check(&b->arena, err, what)) ||
        (status = rc_report_json_open(&b->names, err)))
        return status;
    rc_json_object(&b->names.json, NULL);
    rc_json_array(&b->names.json, "events");
    for (size_t s = 0; s < b->suites; s++) {
        struct rc_report_json *noise = &b->suite[s].noise;
        if ((status = rc_report_json_open(noise, err)))
            return status;
        rc_json_object(&noise->json, NULL);
        rc_json_array(&noise->json, "noise");
    }
    return RC_OK;
}

static bool is_text(const void *texts, size_t item, const void *text)
{
    return strcmp(((const struct texts *)texts)->item[item].text, text) == 0;
}

/* Notes that one more event has the text, which gets a number if it is new. */
static int note_text(struct listing *b, struct texts *t, const char *text,
                     size_t *number, struct rc_error *err)
{
    const uint64_t hash = rc_text_hash(text);

    *number = rc_map_find(&t->by_text, t, hash, text);
    if (*number == RC_MAP_NONE) {
        *number = t->count;
        const char *kept = rc_arena_text(&b->arena, text);
        if (b->arena.failed || rc_grow(&t->item, sizeof *t->item, t->count, &t->room) ||
            rc_map_put(&t->by_text, t, hash, text, t->count))
            return rc_report_fail_memory(err);
        t->item[t->count].text = kept;
        t->item[t->count++].events = 0;
    }
    t->item[*number].events++;
    return RC_OK;
}

static void texts_fini(struct texts *t)
{
    rc_map_fini(&t->by_text);
    free(t->item);
}

static void put_texts(struct rc_json *json, const char *key, const struct texts *t)
{
    rc_json_array(json, key);
    for (size_t i = 0; i < t->count; i++)
        rc_json_text(json, NULL, t->item[i].text);
    rc_json_end(json);
}

/* Writes a representation: [weight, coordinate, weight, coordinate, ...]; null if 'x'
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

/* Writes a suite's results for a page's events: into its letters, and into the page. */
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
        rc_json_short(&letters->noise.json, NULL, c.noise[i], DIGITS);
        rc_json_short(page, NULL,
                      c.event_class[i] < RC_CLASS_STEADY ? NAN : c.residual[i], DIGITS);
    }
    rc_json_end(page);
    rc_json_array(page, "x");
    /* The representation of a noisy event is noise, and takes much of the page.  With
     * very many events, the nearest combination of an event outside of the ideals is
     * left out, too.
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

/* Reads a page of events: writes its details, and collects the rest. */
static int put_page(struct listing *b, size_t first, size_t count,
                    struct rc_store_event *event, struct rc_error *err)
{
    struct rc_pool *pool = rc_pool_create();
    struct rc_report_json page = {.stream = NULL};
    size_t number;
    int status;

    if ((status = rc_report_json_open(&page, err)) ||
        (status = rc_store_read_events(b->report->store, b->kind, first, count, event,
                                       pool, err)))
        goto out;
    for (size_t i = 0; i < count; i++) {
        rc_json_text(&b->names.json, NULL, event[i].name);
        if ((status = note_text(b, &b->sources, event[i].source, &number, err)))
            goto out;
        /* More sources than letters share the last one, which does not happen. */
        b->source[first + i] = digits[number < LETTERS ? number : LETTERS - 1];
        b->scope[first + i] = digits[event[i].scope];
        b->verdict[first + i] = digits[event[i].verdict];
        b->best[first + i] = b->suites ? '0' : ' ';
        b->verdicts[event[i].verdict]++;
        if ((status = note_text(b, &b->descriptions, event[i].description,
                                &b->described[first + i], err)))
            goto out;
        if (event[i].verdict != RC_VERDICT_OK && event[i].reason[0] &&
            (status = note_text(b, &b->reasons, event[i].reason, &number, err)))
            goto out;
    }
    rc_json_object(&page.json, NULL);
    rc_json_array(&page.json, "evidence");
    for (size_t i = 0; i < count; i++)
        rc_json_text(&page.json, NULL, event[i].evidence);
    rc_json_end(&page.json);
    rc_json_array(&page.json, "reason");
    for (size_t i = 0; i < count; i++)
        rc_json_text(&page.json, NULL, event[i].reason);
    rc_json_end(&page.json);
    rc_json_array(&page.json, "suites");
    for (size_t s = 0; s < b->suites; s++)
        if ((status = put_suite(b, s, first, count, &page.json, err)))
            goto out;
    status =
        rc_report_json_put(&page, b->out, err, "detail-%zu-%zu", b->kind, first / PAGE);
out:
    rc_report_json_fini(&page);
    rc_pool_close(pool);
    return status;
}

/* Writes how many events have each verdict, and the most frequent reason of those that
 * do not count.
 */
static int put_tally(const struct listing *b, struct rc_error *err)
{
    struct rc_report_json j;
    size_t most = 0;
    int status = rc_report_json_open(&j, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 1; i < b->reasons.count; i++)
        if (b->reasons.item[i].events > b->reasons.item[most].events)
            most = i;
    rc_json_object(&j.json, NULL);
    rc_json_sizes(&j.json, "verdicts", b->verdicts, RC_VERDICT_COUNT);
    rc_json_text(&j.json, "reason", b->reasons.count ? b->reasons.item[most].text : "");
    rc_json_integer(&j.json, "events",
                    b->reasons.count ? (int64_t)b->reasons.item[most].events : 0);
    return rc_report_json_put(&j, b->out, err, "tally-%zu", b->kind);
}

/* Ends the collected data, and writes them. */
static int put_collected(struct listing *b, struct rc_error *err)
{
    struct rc_json *json = &b->names.json;
    struct rc_report_json j;
    int status;

    for (size_t s = 0; s < b->suites; s++) {
        struct letters *l = &b->suite[s];
        rc_json_end(&l->noise.json);
        rc_json_text(&l->noise.json, "class", l->class);
        rc_json_text(&l->noise.json, "use", l->use);
        if ((status = rc_report_json_put(&l->noise, b->out, err, "suite-%zu-%zu",
                                         b->kind, s)))
            return status;
    }
    if ((status = put_tally(b, err)) || (status = rc_report_json_open(&j, err)))
        return status;
    rc_json_object(&j.json, NULL);
    put_texts(&j.json, "text", &b->descriptions);
    rc_json_sizes(&j.json, "of", b->described, b->events);
    if ((status = rc_report_json_put(&j, b->out, err, "descriptions-%zu", b->kind)))
        return status;
    rc_json_end(json);
    rc_json_integer(json, "page", PAGE);
    rc_json_text(json, "source", b->source);
    rc_json_text(json, "scope", b->scope);
    rc_json_text(json, "verdict", b->verdict);
    rc_json_text(json, "best", b->best);
    put_texts(json, "sources", &b->sources);
    return rc_report_json_put(&b->names, b->out, err, "events-%zu", b->kind);
}

int rc_report_events(const struct rc_report *r, size_t kind, FILE *out,
                     struct rc_error *err)
{
    struct listing b = {.report = r,
                        .out = out,
                        .kind = kind,
                        .in = rc_report_metrics_kind(r, kind),
                        .descriptions = {.by_text = {.same = is_text}},
                        .sources = {.by_text = {.same = is_text}},
                        .reasons = {.by_text = {.same = is_text}}};
    struct rc_store_event *event = rc_calloc(PAGE, sizeof *event);
    int status;

    b.events = rc_store_kind(r->store, kind)->event_count;
    if (b.in != SIZE_MAX && rc_store_kind(r->metrics, b.in)->event_count == b.events)
        b.suites = rc_store_suite_count(r->metrics, b.in);
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
    for (size_t s = 0; b.suite && s < b.suites; s++)
        rc_report_json_fini(&b.suite[s].noise);
    texts_fini(&b.descriptions);
    texts_fini(&b.sources);
    texts_fini(&b.reasons);
    rc_arena_free(&b.arena);
    free(event);
    return status;
}
