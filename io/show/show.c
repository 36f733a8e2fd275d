/* The cards of what fits the words best, and a line for each of the next. */
#include "io/show/parts.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { CARDS_MOST = 8, LISTED_MOST = 10 };

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

static int list_others(struct rc_page *page, const struct rc_show_request *r,
                       const struct rc_show_hits *hits, size_t from,
                       struct rc_error *err)
{
    const size_t left = hits->count - from;
    char sentence[RC_SHOW_SENTENCE];

    if (left == 0)
        return RC_OK;
    fprintf(page->out, "\n%zu more %s all of these words; --all shows each:\n", left,
            rc_text_plural(left, "has", "have"));
    for (size_t i = from; i < hits->count && i < from + LISTED_MOST; i++) {
        struct rc_show_event event = {.pool = NULL};
        const struct rc_show_hit *hit = &hits->item[i];
        int status =
            hit->metric ? RC_OK : rc_show_event_read(r->metrics, hit, &event, err);
        if (status == RC_OK)
            rc_page_line(page, 2, "%s",
                         rc_show_sentence(sentence, r->metrics, hit, &event));
        rc_page_end(page);
        rc_show_event_fini(&event);
        if (status != RC_OK)
            return status;
    }
    if (left > LISTED_MOST)
        fprintf(page->out, "  and %zu more\n", left - LISTED_MOST);
    return RC_OK;
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
    status = list_others(&page, r, hits, cards, err);
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
    int status = rc_show_find(request, &hits, err);

    if (status == RC_OK)
        status = request->format == RC_FORMAT_JSON
                     ? show_json(request, &hits, out, err)
                     : show_text(request, &hits, out, err);
    rc_show_hits_fini(&hits);
    return status;
}
