/* Adds records to a campaign, one after the other: kinds, events, suites, groups, runs,
 * origins.
 *
 * Journals that were copied or merged may hold a record twice, so a record may come
 * again, if it is the same.  A record is checked whole before any of it is kept: one
 * that is refused leaves the campaign as it was.  Records may come from strangers, so
 * lists that are searched item by item have a limit.
 */
#include "campaign/records/campaign_parts.h"

#include "campaign/base/mix.h"
#include "campaign/base/text.h"
#include "campaign/records/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lists that are searched from end to end stay short, whoever wrote the file. */
#define KINDS_MAX 1024
#define SUITES_MAX 4096
#define ORIGINS_MAX 4096

struct rc_campaign *rc_campaign_create(void)
{
    struct rc_campaign *h = rc_calloc(1, sizeof *h);

    if (!h)
        return NULL;
    h->pool = rc_pool_create();
    h->place = rc_calloc(1, sizeof *h->place);
    h->node = rc_calloc(1, sizeof *h->node);
    if (!h->pool || !h->place || !h->node) {
        rc_campaign_close(h);
        return NULL;
    }
    h->place[h->place_count++] = "";
    h->node[h->node_count++] = "";
    return h;
}

void rc_campaign_close(struct rc_campaign *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->kind_count; i++) {
        free(h->kind[i].event);
        free(h->kind[i].suite);
        free(h->kind[i].group);
    }
    free(h->kind);
    free(h->unit);
    free(h->place);
    free(h->node);
    free(h->run);
    free(h->origin);
    rc_arena_free(&h->lists);
    rc_pool_close(h->pool);
    free(h);
}

/* Makes room for one more item of one of the campaign's lists. */
static int grow_list(void *list, size_t item_bytes, size_t count, size_t *room,
                     struct rc_error *err)
{
    if (rc_grow(list, item_bytes, count, room))
        return rc_fail(err, RC_ENOMEM, "no memory for what the journals say");
    return RC_OK;
}

/* A record that comes again must have the same content. */
static int check_same(uint32_t type, const void *have, const void *now,
                      const char *name, struct rc_error *err)
{
    bool same = false;
    int status = rc_form_same(rc_record_shape(type)->form, have, now, &same, err);

    if (status != RC_OK || same)
        return status;
    return rc_fail(err, RC_EUSAGE, "%.200s is there with other content", name);
}

/* A kind is known by the hash of its key.  Its name is for people and for paths in
 * campaign.h5, so two kinds must not share one either.
 */
static int apply_kind(struct rc_campaign *h, const struct rc_record_kind *record,
                      struct rc_error *err)
{
    const uint64_t id = rc_record_kind_id(record->key);
    const size_t known = rc_campaign_find_kind(h, id);
    char name[256] = "";

    if (known < h->kind_count) {
        rc_text_append(name, sizeof name, "kind '%s'", h->kind[known].record.name);
        return check_same(RC_RECORD_KIND, &h->kind[known].record, record, name, err);
    }
    for (size_t i = 0; i < h->kind_count; i++)
        if (strcmp(h->kind[i].record.name, record->name) == 0)
            return rc_fail(err, RC_EUSAGE, "kind '%s' is there with another key",
                           record->name);
    if (h->kind_count >= KINDS_MAX)
        return rc_fail(err, RC_EUSAGE, "more than %d kinds", KINDS_MAX);
    if (grow_list(&h->kind, sizeof *h->kind, h->kind_count, &h->kind_room, err))
        return RC_ENOMEM;
    h->kind[h->kind_count++] = (struct rc_campaign_kind){.id = id, .record = *record};
    return RC_OK;
}

static int check_event(const struct rc_campaign_kind *kind, const void *item,
                       size_t number, struct rc_error *err)
{
    const struct rc_record_event *event = item;

    (void)number;
    if (event->source < kind->record.source_count)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE,
                   "event '%s' is of source %" PRIu32 ", and the kind has %zu",
                   event->name, event->source, kind->record.source_count);
}

/* A group's events must be known already, and be of the group's source: one group is
 * armed at one source.
 */
static int check_group(const struct rc_campaign_kind *kind, const void *item,
                       size_t number, struct rc_error *err)
{
    const struct rc_record_group *group = item;

    for (size_t i = 0; i < group->count; i++) {
        const uint32_t event = group->event[i];
        if (event >= kind->event_count)
            return rc_fail(err, RC_EUSAGE,
                           "group %zu has event %" PRIu32 ", and the kind has %zu",
                           number, event, kind->event_count);
        if (kind->event[event].source != group->source)
            return rc_fail(err, RC_EUSAGE,
                           "group %zu of source %" PRIu32 " has event %" PRIu32
                           " of source %" PRIu32,
                           number, group->source, event, kind->event[event].source);
    }
    return RC_OK;
}

/* Suites are found by their names in campaign.h5 and in definitions of metrics, so a
 * name stands once in a kind.
 */
static int check_suite(const struct rc_campaign_kind *kind, const void *item,
                       size_t number, struct rc_error *err)
{
    const struct rc_record_suite *suite = item;

    if (suite->source_count != kind->record.source_count)
        return rc_fail(err, RC_EUSAGE,
                       "suite '%s' has iterations of %zu sources, and the kind has %zu",
                       suite->name, suite->source_count, kind->record.source_count);
    if (number >= SUITES_MAX)
        return rc_fail(err, RC_EUSAGE, "more than %d suites in a kind", SUITES_MAX);
    for (size_t i = 0; i < kind->suite_count; i++)
        if (strcmp(kind->suite[i].name, suite->name) == 0)
            return rc_fail(err, RC_EUSAGE, "suite '%s' is there as number %zu",
                           suite->name, i);
    return RC_OK;
}

/* A list of a kind: where it is in struct rc_campaign_kind, and the check of a new
 * item.
 */
struct kind_list {
    const char *item, *items;
    size_t list_at, count_at, room_at;
    int (*check)(const struct rc_campaign_kind *kind, const void *item, size_t number,
                 struct rc_error *err);
};

#define KIND_LIST(name)                                                                \
    .item = #name, .items = #name "s",                                                 \
    .list_at = offsetof(struct rc_campaign_kind, name),                                \
    .count_at = offsetof(struct rc_campaign_kind, name##_count),                       \
    .room_at = offsetof(struct rc_campaign_kind, name##_room)

static const struct kind_list kind_lists[] = {
    [RC_RECORD_EVENTS] = {KIND_LIST(event), .check = check_event},
    [RC_RECORD_SUITE] = {KIND_LIST(suite), .check = check_suite},
    [RC_RECORD_GROUPS] = {KIND_LIST(group), .check = check_group},
};

/* Whether item 'number' of a kind's list may be added; where it is among the 'have'
 * items of the list, it must be the same as that one.
 */
static int check_item(uint32_t type, const struct rc_campaign_kind *kind, size_t have,
                      const void *item, size_t number, struct rc_error *err)
{
    const struct kind_list *l = &kind_lists[type];
    char name[64] = "";
    const char *items;

    if (number >= have)
        return l->check(kind, item, number, err);
    memcpy(&items, (const char *)kind + l->list_at, sizeof items);
    rc_text_append(name, sizeof name, "%s %zu", l->item, number);
    return check_same(type, items + number * rc_record_shape(type)->form->bytes, item,
                      name, err);
}

/* Items that the list has must be the same; the others are added after them.  The count
 * grows only when all items are in the list.
 */
static int apply_list(struct rc_campaign *h, uint32_t type,
                      const struct rc_record_list *list, struct rc_error *err)
{
    const struct kind_list *l = &kind_lists[type];
    const size_t bytes = rc_record_shape(type)->form->bytes;
    const size_t at = rc_campaign_find_kind(h, list->kind);
    const char *item = list->item;
    int status;

    if (at == h->kind_count)
        return rc_fail(err, RC_EUSAGE,
                       "kind %016" PRIx64 " is not there, expected its record before",
                       list->kind);
    char *kind = (char *)&h->kind[at], *items;
    size_t *count = (void *)(kind + l->count_at), have = *count;
    if (list->first > have)
        return rc_fail(err, RC_EUSAGE,
                       "%s from number %" PRIu64 " on, and there are %zu", l->items,
                       list->first, have);
    const size_t first = (size_t)list->first;
    for (size_t i = 0; i < list->count; i++) {
        if ((status = check_item(type, &h->kind[at], have, item + i * bytes, first + i,
                                 err)) != RC_OK)
            return status;
    }
    for (size_t i = have - first; i < list->count; i++) {
        if ((status = grow_list(kind + l->list_at, bytes, have,
                                (void *)(kind + l->room_at), err)) != RC_OK)
            return status;
        memcpy(&items, kind + l->list_at, sizeof items);
        memcpy(items + have++ * bytes, item + i * bytes, bytes);
    }
    *count = have;
    return RC_OK;
}

/* Runs alternate: one begins, and ends or not; the next one begins.  A run that was
 * killed has no end.
 */
static int apply_run(struct rc_campaign *h, bool ends,
                     const struct rc_record_run *record, struct rc_error *err)
{
    struct rc_campaign_run *last = h->run_count ? &h->run[h->run_count - 1] : NULL;

    if (ends) {
        if (!last || last->ended)
            return rc_fail(err, RC_EUSAGE, "a run ends that had not begun");
        last->end = *record;
        last->ended = true;
        return RC_OK;
    }
    if (grow_list(&h->run, sizeof *h->run, h->run_count, &h->run_room, err))
        return RC_ENOMEM;
    h->run[h->run_count++] = (struct rc_campaign_run){.begin = *record};
    return RC_OK;
}

/* Journals of several operands of a merge may hold the same origin: it is kept once. */
static int apply_origin(struct rc_campaign *h, const struct rc_record_origin *origin,
                        struct rc_error *err)
{
    const struct rc_form *form = rc_record_shape(RC_RECORD_ORIGIN)->form;
    bool found = false;
    int status;

    for (size_t i = 0; i < h->origin_count; i++) {
        status = rc_form_same(form, &h->origin[i], origin, &found, err);
        if (status != RC_OK || found)
            return status;
    }
    if (h->origin_count >= ORIGINS_MAX)
        return rc_fail(err, RC_EUSAGE, "more than %d origins", ORIGINS_MAX);
    if ((status = grow_list(&h->origin, sizeof *h->origin, h->origin_count,
                            &h->origin_room, err)) != RC_OK)
        return status;
    h->origin[h->origin_count++] = *origin;
    return RC_OK;
}

/* A directory is one share, of all of its kinds. */
static int apply_share(struct rc_campaign *h, const struct rc_record_share *share,
                       struct rc_error *err)
{
    const struct rc_record_share *have = rc_campaign_share(h);
    const size_t at = rc_campaign_find_kind(h, share->kind);
    char name[256] = "";

    if (at == h->kind_count)
        return rc_fail(err, RC_EUSAGE,
                       "a share of kind %016" PRIx64
                       ", which is not there, expected its record before",
                       share->kind);
    if (have && (have->number != share->number || have->of != share->of))
        return rc_fail(err, RC_EUSAGE,
                       "share %" PRIu32 " of %" PRIu32 ", and this is share %" PRIu32
                       " of %" PRIu32,
                       share->number, share->of, have->number, have->of);
    struct rc_campaign_kind *kind = &h->kind[at];
    /* Units are sorted by suite first, so the last of a suite need not have the largest
     * group.
     */
    for (size_t i = 0; i < share->count; i++)
        if (share->unit[i].suite >= kind->suite_count ||
            share->unit[i].group >= kind->group_count)
            return rc_fail(err, RC_EUSAGE,
                           "a share has suite %" PRIu32 ", group %" PRIu32
                           ", and the kind has %zu suites, %zu groups",
                           share->unit[i].suite, share->unit[i].group,
                           kind->suite_count, kind->group_count);
    if (kind->share.of) {
        rc_text_append(name, sizeof name, "the share of kind '%s'", kind->record.name);
        return check_same(RC_RECORD_SHARE, &kind->share, share, name, err);
    }
    kind->share = *share;
    return RC_OK;
}

/* Any of the records that a campaign takes in. */
union record {
    struct rc_record_campaign campaign;
    struct rc_record_kind kind;
    struct rc_record_list list;
    struct rc_record_run run;
    struct rc_record_origin origin;
    struct rc_record_share share;
};

/* Reads a payload by the shape of its type; texts and arrays are kept by the campaign.
 */
static int get_record(struct rc_campaign *h, const struct rc_record_shape *shape,
                      const void *payload, size_t bytes, union record *out,
                      struct rc_error *err)
{
    struct rc_in in;

    rc_in_begin(&in, RC_RECORD_VERSION, shape->what, payload, bytes, err);
    in.texts = h->pool;
    in.lists = &h->lists;
    if (shape->number_bytes)
        rc_list_get(&in, shape, &out->list);
    else
        rc_form_get(&in, shape->form, out);
    return rc_in_end(&in);
}

int rc_campaign_apply(struct rc_campaign *h, uint32_t type, const void *payload,
                      size_t bytes, struct rc_error *err)
{
    const struct rc_record_shape *shape = rc_record_shape(type);
    union record record;

    if (!shape)
        return rc_fail(err, RC_EUSAGE, "a record of type %" PRIu32 ", expected 1 to %d",
                       type, RC_RECORD_DETOURS);
    if (type == RC_RECORD_UNIT || type == RC_RECORD_DETOURS)
        return rc_fail(err, RC_EUSAGE, "%s, expected a record of another type",
                       shape->what);
    int status = get_record(h, shape, payload, bytes, &record, err);
    if (status != RC_OK)
        return status;
    switch (type) {
    case RC_RECORD_CAMPAIGN:
        h->record = record.campaign;
        return RC_OK;
    case RC_RECORD_KIND:
        return apply_kind(h, &record.kind, err);
    case RC_RECORD_RUN:
    case RC_RECORD_END:
        return apply_run(h, type == RC_RECORD_END, &record.run, err);
    case RC_RECORD_ORIGIN:
        return apply_origin(h, &record.origin, err);
    case RC_RECORD_SHARE:
        return apply_share(h, &record.share, err);
    default:
        return apply_list(h, type, &record.list, err);
    }
}

size_t rc_campaign_find_text(const char *const *list, size_t count, const char *text)
{
    const char *const *found =
        bsearch(&text, list, count, sizeof *list, rc_order_texts);

    return found ? (size_t)(found - list) : count;
}

int rc_campaign_compare_units(const void *a, const void *b)
{
    const struct rc_campaign_unit *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->kind, x->suite, x->group, x->place},
                              (uint64_t[]){y->kind, y->suite, y->group, y->place}, 4);
}

static bool is_unit_before(const void *unit, const void *wanted)
{
    return rc_campaign_compare_units(unit, wanted) < 0;
}

size_t rc_campaign_first_unit(const struct rc_campaign *h, uint32_t kind,
                              uint32_t suite, uint32_t group)
{
    const struct rc_campaign_unit wanted = {
        .kind = kind, .suite = suite, .group = group};

    return rc_count_before(h->unit, h->unit_count, sizeof wanted, &wanted,
                           is_unit_before);
}

const struct rc_campaign_unit *rc_campaign_find_unit(const struct rc_campaign *h,
                                                     uint32_t kind, uint32_t suite,
                                                     uint32_t group, const char *place)
{
    const size_t number = rc_campaign_find_text(h->place, h->place_count, place);
    const struct rc_campaign_unit wanted = {
        .kind = kind, .suite = suite, .group = group, .place = (uint32_t)number};

    if (number == h->place_count || h->unit_count == 0)
        return NULL;
    return bsearch(&wanted, h->unit, h->unit_count, sizeof wanted,
                   rc_campaign_compare_units);
}

/* Sums of mixed hashes, so that the order of kinds and units does not matter. */
uint64_t rc_campaign_digest(const struct rc_campaign *campaign)
{
    uint64_t sum = campaign->origin_count;

    for (size_t k = 0; k < campaign->kind_count; k++) {
        const struct rc_campaign_kind *kind = &campaign->kind[k];
        const uint64_t counts[] = {kind->event_count, kind->suite_count,
                                   kind->group_count};
        sum += rc_mix(
            rc_text_hash_more(rc_text_hash(kind->record.name), counts, sizeof counts));
    }
    for (size_t i = 0; i < campaign->unit_count; i++) {
        const struct rc_campaign_unit *unit = &campaign->unit[i];
        const struct rc_campaign_kind *kind = &campaign->kind[unit->kind];
        const uint64_t numbers[] = {kind->id,       unit->group, unit->sequence,
                                    unit->begin_ns, unit->bytes, unit->status};
        const uint64_t hash = rc_text_hash_more(
            rc_text_hash(kind->suite[unit->suite].name), numbers, sizeof numbers);
        sum += rc_mix(hash ^ rc_text_hash(campaign->place[unit->place]));
    }
    return sum;
}
