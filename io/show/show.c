/* The cards of what fits the words best, and a line for each of the next. */
#include "io/show/parts.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { CARDS_MOST = 8, LISTED_MOST = 10, GROUPED_MOST = 500 };

/* How many of the hits get cards: those of the first one's name, or all. */
static size_t count_cards(const struct rc_show_request *r,
                          const struct rc_show_hits *hits)
{
    const struct rc_show_hit *first = hits->item;
    size_t cards = 1;

    if (r->all)
        return hits->count;
    while (cards < hits->count && cards < CARDS_MOST &&
           strcmp(hits->item[cards].name, first->name) == 0 &&
           !hits->item[cards].metric == !first->metric)
        cards++;
    return cards;
}

/* Why a hit cannot be counted at all, in *why; NULL: it can, or nobody knows. */
static int read_why_not(const struct rc_show_request *r, const struct rc_show_hit *hit,
                        struct rc_pool *pool, const char **why, struct rc_error *err)
{
    struct rc_store_event event;
    char text[RC_SHOW_SENTENCE];

    *why = NULL;
    if (hit->metric) {
        if (hit->metric->verdict == RC_METRIC_ABSENT && hit->metric->reason[0])
            *why = hit->metric->reason;
        return RC_OK;
    }
    const int status =
        rc_store_read_events(r->metrics, hit->kind, hit->event, 1, &event, pool, err);
    if (status != RC_OK || event.verdict == RC_VERDICT_OK)
        return status;
    snprintf(text, sizeof text, "%s%s%s", rc_verdict_name(event.verdict),
             event.reason[0] ? ", " : "", event.reason);
    *why = rc_pool_copy(pool, text);
    return *why ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for reasons");
}

static size_t count_same(const char *const *why, size_t count, const char *of)
{
    size_t same = 0;

    for (size_t i = 0; of && i < count; i++)
        same += why[i] && strcmp(why[i], of) == 0;
    return same;
}

static int list_one(struct rc_page *page, const struct rc_show_request *r,
                    const struct rc_show_hit *hit, struct rc_error *err)
{
    struct rc_show_event event = {.pool = NULL};
    char sentence[RC_SHOW_SENTENCE];
    const int status =
        hit->metric ? RC_OK : rc_show_event_read(r->metrics, hit, &event, err);

    if (status == RC_OK)
        rc_page_line(page, 2, "%s",
                     rc_show_sentence(sentence, r->metrics, hit, &event));
    rc_page_end(page);
    rc_show_event_fini(&event);
    return status;
}

/* The next best, a line for each; those of the first GROUPED_MOST that cannot be
 * counted for a reason that others have, too, are a line together, after the others.
 */
static int list_others(struct rc_page *page, const struct rc_show_request *r,
                       const struct rc_show_hit *hit, size_t left, struct rc_error *err)
{
    const size_t tried = left < GROUPED_MOST ? left : GROUPED_MOST;
    const char **why = rc_calloc(tried, sizeof *why);
    struct rc_pool *pool = rc_pool_create();
    size_t listed = 0, grouped = 0;
    int status = why ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for reasons");

    fprintf(page->out, "\n%zu more %s all of these words; --all shows each:\n", left,
            rc_text_plural(left, "has", "have"));
    for (size_t i = 0; i < tried && status == RC_OK; i++)
        status = read_why_not(r, &hit[i], pool, &why[i], err);
    for (size_t i = 0; i < left && listed < LISTED_MOST && status == RC_OK; i++)
        if (i >= tried || count_same(why, tried, why[i]) < 2) {
            status = list_one(page, r, &hit[i], err);
            listed++;
        }
    for (size_t i = 0; i < tried && status == RC_OK; i++) {
        const size_t same = count_same(why, tried, why[i]);
        if (same < 2 || count_same(why, i, why[i]) > 0)
            continue;
        rc_page_line(page, 2, "%zu more cannot be counted here: %s", same, why[i]);
        rc_page_end(page);
        grouped += same;
    }
    if (status == RC_OK && left > listed + grouped)
        fprintf(page->out, "  and %zu more\n", left - listed - grouped);
    rc_pool_close(pool);
    free(why);
    return status;
}

static int show_text(const struct rc_show_request *r, const struct rc_show_hits *hits,
                     FILE *out, struct rc_error *err)
{
    const size_t cards = count_cards(r, hits);
    struct rc_page page;
    int status = RC_OK;

    rc_page_init(&page, out);
    for (size_t i = 0; i < cards; i++) {
        if (i)
            fputc('\n', out);
        if ((status = rc_show_text_card(&page, r, &hits->item[i], err)) != RC_OK)
            goto out;
    }
    if (hits->count > cards)
        status = list_others(&page, r, hits->item + cards, hits->count - cards, err);
out:
    rc_page_fini(&page);
    return status;
}

static int show_json(const struct rc_show_request *r, const struct rc_show_hits *hits,
                     FILE *out, struct rc_error *err)
{
    const size_t cards = count_cards(r, hits);
    struct rc_json json;
    int status = RC_OK;

    rc_json_object(rc_json_begin(&json, out), NULL);
    rc_json_texts(&json, "words", r->word, r->word_count);
    rc_json_integer(&json, "found", (int64_t)hits->count);
    rc_json_array(&json, "cards");
    for (size_t i = 0; i < cards; i++)
        if ((status = rc_show_json_card(&json, r->metrics, &hits->item[i], err)) !=
            RC_OK)
            goto out;
    rc_json_end(&json);
    rc_json_array(&json, "others");
    for (size_t i = cards; i < hits->count; i++)
        rc_json_text(&json, NULL, hits->item[i].name);
out:
    rc_json_close(&json);
    return status;
}

int rc_show(const struct rc_show_request *request, FILE *out, struct rc_error *err)
{
    struct rc_show_hits hits = {.item = NULL};
    const char *suite = rc_show_suite(request);
    if (suite)
        return rc_show_rates(request, suite, out, err);
    int status = rc_show_find(request, &hits, err);

    if (status == RC_OK)
        status = request->format == RC_FORMAT_JSON
                     ? show_json(request, &hits, out, err)
                     : show_text(request, &hits, out, err);
    rc_show_hits_fini(&hits);
    return status;
}
