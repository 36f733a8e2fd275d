/* The best record of each unit, from the heads that all ranks gathered. */
#include "campaign/records/campaign_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A unit, and the texts that its place and node will be numbered by. */
struct candidate {
    struct rc_campaign_unit unit;
    const char *place, *node;
};

/* Whether the unit goes with what is known of its kind. */
static int check_unit(const struct rc_campaign_kind *k,
                      const struct rc_campaign_head *head, struct rc_error *why)
{
    if (head->unit.suite >= k->suite_count)
        return rc_fail(why, RC_EUSAGE, "a unit of suite %" PRIu32 ", and there are %zu",
                       head->unit.suite, k->suite_count);
    if (head->unit.group >= k->group_count)
        return rc_fail(why, RC_EUSAGE, "a unit of group %" PRIu32 ", and there are %zu",
                       head->unit.group, k->group_count);
    if (head->points != k->suite[head->unit.suite].point_count)
        return rc_fail(why, RC_EUSAGE,
                       "a unit of %" PRIu32 " points, and its suite has %zu",
                       head->points, k->suite[head->unit.suite].point_count);
    if (head->events != k->group[head->unit.group].count)
        return rc_fail(why, RC_EUSAGE,
                       "a unit of %" PRIu32 " events, and its group has %zu",
                       head->events, k->group[head->unit.group].count);
    return RC_OK;
}

static int find_kind(const struct rc_campaign *h, const struct rc_campaign_head *head,
                     struct rc_campaign_unit *out, struct rc_error *why)
{
    const size_t kind = rc_campaign_find_kind(h, head->kind);

    if (kind == h->kind_count)
        return rc_fail(why, RC_EUSAGE,
                       "a unit of kind %016" PRIx64 ", which is not there", head->kind);
    *out = head->unit;
    out->kind = (uint32_t)kind;
    return check_unit(&h->kind[kind], head, why);
}

/* Those that fit.  'candidate' has room for all, or is NULL to count them. */
static size_t take_heads(struct rc_campaign_reading *r, struct candidate *candidate)
{
    size_t heads = 0, taken = 0;

    for (size_t at = 0; at < r->all.count; heads++) {
        struct candidate c = {.place = NULL};
        struct rc_error why = {.text = ""};
        struct rc_campaign_head head;
        memcpy(&head, r->all.byte + at, sizeof head);
        c.place = (const char *)r->all.byte + at + sizeof head;
        c.node = c.place + strlen(c.place) + 1;
        at = (size_t)((const unsigned char *)c.node - r->all.byte) + strlen(c.node) + 1;
        if (!candidate)
            continue;
        if (find_kind(r->campaign, &head, &c.unit, &why) != RC_OK) {
            rc_campaign_refuse(&r->refusal, head.unit.file, head.unit.offset, why.text);
            continue;
        }
        candidate[taken++] = c;
    }
    return candidate ? taken : heads;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The distinct ones of 'count' texts, sorted and kept, behind the "" that is there. */
static int number_texts(struct rc_campaign *h, const char **text, size_t count,
                        const char ***list, size_t *list_count, struct rc_error *err)
{
    size_t room = 1;

    qsort(text, count, sizeof *text, compare_texts);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text[i], (*list)[*list_count - 1]) == 0)
            continue;
        const char *kept = rc_pool_intern(h->pool, text[i]);
        if (!kept || rc_grow(list, sizeof **list, *list_count, &room))
            return rc_fail(err, RC_ENOMEM, "no memory for %zu places", count);
        (*list)[(*list_count)++] = kept;
    }
    return RC_OK;
}

static int number_places(struct rc_campaign *h, struct candidate *candidate,
                         size_t count, struct rc_error *err)
{
    const char **text = rc_calloc(count, sizeof *text);
    int status;

    if (!text)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu places", count);
    for (size_t i = 0; i < count; i++)
        text[i] = candidate[i].place;
    status = number_texts(h, text, count, &h->place, &h->place_count, err);
    for (size_t i = 0; i < count; i++)
        text[i] = candidate[i].node;
    if (status == RC_OK)
        status = number_texts(h, text, count, &h->node, &h->node_count, err);
    for (size_t i = 0; i < count && status == RC_OK; i++) {
        struct candidate *c = &candidate[i];
        c->unit.place =
            (uint32_t)rc_campaign_find_text(h->place, h->place_count, c->place);
        c->unit.node = (uint32_t)rc_campaign_find_text(h->node, h->node_count, c->node);
    }
    free(text);
    return status;
}

/* Of one unit the best comes first: a smaller status, then a later one. */
static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    const int order = rc_campaign_compare_units(&x->unit, &y->unit);
    const uint64_t left[] = {x->unit.status, y->unit.sequence, y->unit.writer,
                             x->unit.file, x->unit.offset};
    const uint64_t right[] = {y->unit.status, x->unit.sequence, x->unit.writer,
                              y->unit.file, y->unit.offset};

    if (order != 0)
        return order;
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int name_nodes(struct rc_campaign *h, struct rc_error *err)
{
    bool *seen = rc_calloc(h->node_count, sizeof *seen);
    size_t at = 0;

    for (size_t k = 0; k < h->kind_count && seen; k++) {
        struct rc_campaign_kind *kind = &h->kind[k];
        memset(seen, 0, h->node_count * sizeof *seen);
        for (; at < h->unit_count && h->unit[at].kind == k; at++)
            seen[h->unit[at].node] = true;
        kind->node = rc_calloc(h->node_count, sizeof *kind->node);
        for (size_t n = 1; n < h->node_count && kind->node; n++)
            if (seen[n])
                kind->node[kind->node_count++] = h->node[n];
        if (!kind->node)
            break;
    }
    const bool failed = !seen || (h->kind_count && !h->kind[h->kind_count - 1].node);
    free(seen);
    return failed ? rc_fail(err, RC_ENOMEM, "no memory for %zu nodes", h->node_count)
                  : RC_OK;
}

int rc_campaign_take_units(struct rc_campaign_reading *r, struct rc_error *err)
{
    struct rc_campaign *h = r->campaign;
    size_t count = take_heads(r, NULL);
    struct candidate *candidate = rc_calloc(count, sizeof *candidate);
    int status;

    if (!candidate)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu units", count);
    count = take_heads(r, candidate);
    status = number_places(h, candidate, count, err);
    h->unit = status == RC_OK ? rc_calloc(count, sizeof *h->unit) : NULL;
    if (status == RC_OK && !h->unit)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu units", count);
    if (status == RC_OK)
        qsort(candidate, count, sizeof *candidate, compare_candidates);
    for (size_t i = 0; i < count && status == RC_OK; i++)
        if (i == 0 ||
            rc_campaign_compare_units(&candidate[i - 1].unit, &candidate[i].unit) != 0)
            h->unit[h->unit_count++] = candidate[i].unit;
    free(candidate);
    return status == RC_OK ? name_nodes(h, err) : status;
}
