/* Takes in records one after the other: kinds, events, suites, groups, units and
 * runs.
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

struct rc_campaign_extra {
    void **block; /* arrays that live as long as the campaign */
    size_t block_count, block_room;
    size_t kind_room, run_room, origin_room;
    bool no_memory; /* for a text */
};

struct rc_campaign *rc_campaign_create(void)
{
    struct rc_campaign *h = rc_calloc(1, sizeof *h);

    if (!h)
        return NULL;
    h->extra = rc_calloc(1, sizeof *h->extra);
    h->pool = rc_pool_create();
    h->place = rc_calloc(1, sizeof *h->place);
    h->node = rc_calloc(1, sizeof *h->node);
    if (!h->extra || !h->pool || !h->place || !h->node) {
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
    for (size_t i = 0; h->extra && i < h->extra->block_count; i++)
        free(h->extra->block[i]);
    if (h->extra)
        free(h->extra->block);
    for (size_t i = 0; i < h->kind_count; i++) {
        free(h->kind[i].event);
        free(h->kind[i].suite);
        free(h->kind[i].group);
        free(h->kind[i].node);
        rc_record_share_fini(&h->kind[i].share);
    }
    for (size_t i = 0; i < h->file_count; i++)
        free(h->file[i].path);
    free(h->kind);
    free(h->unit);
    free(h->place);
    free(h->node);
    free(h->run);
    free(h->origin);
    free(h->file);
    free(h->extra);
    rc_pool_close(h->pool);
    free(h);
}

/* Texts of which many are alike; a failure shows in all_kept(). */
static const char *keep_text(struct rc_campaign *h, const char *text)
{
    const char *kept = rc_pool_intern(h->pool, text);

    if (!kept)
        h->extra->no_memory = true;
    return kept;
}

static int all_kept(struct rc_campaign *h, struct rc_error *err)
{
    if (!h->extra->no_memory)
        return RC_OK;
    h->extra->no_memory = false;
    return rc_fail(err, RC_ENOMEM, "no memory for what the journals say");
}

/* Room for a few more arrays to be adopted. */
static int expect_blocks(struct rc_campaign *h, size_t count, struct rc_error *err)
{
    struct rc_campaign_extra *x = h->extra;

    if (rc_grow(&x->block, sizeof *x->block, x->block_count + count - 1,
                &x->block_room))
        return rc_fail(err, RC_ENOMEM, "no memory for what the journals say");
    return RC_OK;
}

static void adopt(struct rc_campaign *h, const void *block)
{
    h->extra->block[h->extra->block_count++] = (void *)block;
}

static int grow(void *array, size_t item_bytes, size_t count, size_t *room,
                struct rc_error *err)
{
    if (rc_grow(array, item_bytes, count, room))
        return rc_fail(err, RC_ENOMEM, "no memory for what the journals say");
    return RC_OK;
}

static int apply_campaign(struct rc_campaign *h, const void *payload, size_t bytes,
                          struct rc_error *err)
{
    struct rc_record_campaign record;
    int status = rc_record_get_campaign(payload, bytes, &record, err);

    if (status != RC_OK)
        return status;
    record.spec = keep_text(h, record.spec);
    record.created_by = keep_text(h, record.created_by);
    status = all_kept(h, err);
    if (status == RC_OK)
        h->record = record;
    return status;
}

/* Equal content has equal bytes behind the version. */
static bool same_bytes(const struct rc_bytes *have, const void *payload, size_t bytes)
{
    return have->count == bytes &&
           memcmp(have->byte + 1, (const char *)payload + 1, bytes - 1) == 0;
}

static int check_same(const struct rc_bytes *have, const void *payload, size_t bytes,
                      const char *what, const char *name, struct rc_error *err)
{
    if (same_bytes(have, payload, bytes))
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "%s '%s' is there with other content", what, name);
}

static int check_same_kind(const struct rc_campaign_kind *kind, const void *payload,
                           size_t bytes, struct rc_error *err)
{
    struct rc_bytes have = {0};
    int status = rc_record_put_kind(&kind->record, &have, err);

    if (status == RC_OK)
        status = check_same(&have, payload, bytes, "kind", kind->record.name, err);
    rc_bytes_fini(&have);
    return status;
}

static int add_kind(struct rc_campaign *h, struct rc_record_kind *record,
                    struct rc_error *err)
{
    struct rc_record_source *source = (void *)record->source;
    int status;

    for (size_t i = 0; i < h->kind_count; i++)
        if (strcmp(h->kind[i].record.name, record->name) == 0)
            return rc_fail(err, RC_EUSAGE, "kind '%s' is there with another key",
                           record->name);
    if (h->kind_count >= KINDS_MAX)
        return rc_fail(err, RC_EUSAGE, "more than %d kinds", KINDS_MAX);
    struct rc_campaign_kind kind = {.id = rc_record_kind_id(record->key)};
    record->name = keep_text(h, record->name);
    record->key = keep_text(h, record->key);
    record->shape = keep_text(h, record->shape);
    for (size_t i = 0; i < record->source_count; i++) {
        source[i].name = keep_text(h, source[i].name);
        source[i].label = keep_text(h, source[i].label);
        source[i].counter_set = keep_text(h, source[i].counter_set);
    }
    status = all_kept(h, err);
    if (status == RC_OK)
        status = expect_blocks(h, 1, err);
    if (status == RC_OK)
        status =
            grow(&h->kind, sizeof *h->kind, h->kind_count, &h->extra->kind_room, err);
    if (status != RC_OK)
        return status;
    adopt(h, source);
    kind.record = *record;
    h->kind[h->kind_count++] = kind;
    *record = (struct rc_record_kind){0};
    return RC_OK;
}

static int apply_kind(struct rc_campaign *h, const void *payload, size_t bytes,
                      struct rc_error *err)
{
    struct rc_record_kind record;
    int status = rc_record_get_kind(payload, bytes, &record, err);

    if (status != RC_OK)
        return status;
    size_t kind = rc_campaign_find_kind(h, rc_record_kind_id(record.key));
    status = kind < h->kind_count ? check_same_kind(&h->kind[kind], payload, bytes, err)
                                  : add_kind(h, &record, err);
    rc_record_kind_fini(&record);
    return status;
}

static int kind_of(struct rc_campaign *h, uint64_t id, struct rc_campaign_kind **out,
                   struct rc_error *err)
{
    size_t kind = rc_campaign_find_kind(h, id);

    if (kind == h->kind_count)
        return rc_fail(err, RC_EUSAGE,
                       "kind %016" PRIx64 " is not there, expected its record before",
                       id);
    *out = &h->kind[kind];
    return RC_OK;
}

static int check_first(uint64_t first, size_t have, const char *what,
                       struct rc_error *err)
{
    if (first <= have)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "%s from number %" PRIu64 " on, and there are %zu",
                   what, first, have);
}

static bool same_event(const struct rc_record_event *a, const struct rc_record_event *b)
{
    return a->source == b->source && a->scope == b->scope && a->verdict == b->verdict &&
           a->simulated == b->simulated && strcmp(a->name, b->name) == 0 &&
           strcmp(a->description, b->description) == 0 &&
           strcmp(a->evidence, b->evidence) == 0 && strcmp(a->reason, b->reason) == 0;
}

/* What is there already must be the same. */
static int check_events(const struct rc_campaign_kind *kind,
                        const struct rc_record_list *list, struct rc_error *err)
{
    int status = check_first(list->first, kind->event_count, "events", err);

    for (size_t i = 0; i < list->count && status == RC_OK; i++) {
        const struct rc_record_event *event = &list->event[i];
        const size_t number = (size_t)list->first + i;
        if (event->source >= kind->record.source_count)
            status =
                rc_fail(err, RC_EUSAGE,
                        "event '%s' is of source %" PRIu32 ", and the kind has %zu",
                        event->name, event->source, kind->record.source_count);
        else if (number < kind->event_count && !same_event(event, &kind->event[number]))
            status = rc_fail(err, RC_EUSAGE,
                             "event %zu is there with other content: '%s', now '%s'",
                             number, kind->event[number].name, event->name);
    }
    return status;
}

static int add_events(struct rc_campaign *h, struct rc_campaign_kind *kind,
                      const struct rc_record_list *list, struct rc_error *err)
{
    size_t count = kind->event_count;
    int status = check_events(kind, list, err);

    for (size_t i = count - (status == RC_OK ? (size_t)list->first : count);
         i < list->count && status == RC_OK; i++) {
        struct rc_record_event event = list->event[i];
        event.name = keep_text(h, event.name);
        event.description = keep_text(h, event.description);
        event.evidence = keep_text(h, event.evidence);
        event.reason = keep_text(h, event.reason);
        status = grow(&kind->event, sizeof event, count, &kind->room[0], err);
        if (status == RC_OK)
            kind->event[count++] = event;
    }
    if (status == RC_OK)
        status = all_kept(h, err);
    if (status == RC_OK)
        kind->event_count = count;
    return status;
}

static int apply_events(struct rc_campaign *h, const void *payload, size_t bytes,
                        struct rc_error *err)
{
    struct rc_campaign_kind *kind = NULL;
    struct rc_record_list list;
    int status = rc_record_get_events(payload, bytes, &list, err);

    if (status != RC_OK)
        return status;
    status = kind_of(h, list.kind, &kind, err);
    if (status == RC_OK)
        status = add_events(h, kind, &list, err);
    rc_record_list_fini(&list);
    return status;
}

static bool same_group(const struct rc_record_group *a, const struct rc_record_group *b)
{
    return a->source == b->source && a->scope == b->scope && a->own == b->own &&
           a->count == b->count &&
           memcmp(a->event, b->event, a->count * sizeof *a->event) == 0;
}

static int check_members(const struct rc_campaign_kind *kind,
                         const struct rc_record_group *group, size_t number,
                         struct rc_error *err)
{
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

static int check_groups(const struct rc_campaign_kind *kind,
                        const struct rc_record_list *list, struct rc_error *err)
{
    int status = check_first(list->first, kind->group_count, "groups", err);

    for (size_t i = 0; i < list->count && status == RC_OK; i++) {
        const size_t number = (size_t)list->first + i;
        status = check_members(kind, &list->group[i], number, err);
        if (status == RC_OK && number < kind->group_count &&
            !same_group(&list->group[i], &kind->group[number]))
            status = rc_fail(err, RC_EUSAGE, "group %zu is there with other content",
                             number);
    }
    return status;
}

static int add_groups(struct rc_campaign *h, struct rc_campaign_kind *kind,
                      struct rc_record_list *list, struct rc_error *err)
{
    size_t count = kind->group_count;
    int status = check_groups(kind, list, err);

    if (status == RC_OK)
        status = expect_blocks(h, 1, err);
    for (size_t i = count - (status == RC_OK ? (size_t)list->first : count);
         i < list->count && status == RC_OK; i++) {
        status = grow(&kind->group, sizeof *kind->group, count, &kind->room[2], err);
        if (status == RC_OK)
            kind->group[count++] = list->group[i];
    }
    if (status != RC_OK || count == kind->group_count)
        return status;
    kind->group_count = count;
    adopt(h, list->members);
    list->members = NULL;
    return RC_OK;
}

static int apply_groups(struct rc_campaign *h, const void *payload, size_t bytes,
                        struct rc_error *err)
{
    struct rc_campaign_kind *kind = NULL;
    struct rc_record_list list;
    int status = rc_record_get_groups(payload, bytes, &list, err);

    if (status != RC_OK)
        return status;
    status = kind_of(h, list.kind, &kind, err);
    if (status == RC_OK)
        status = add_groups(h, kind, &list, err);
    rc_record_list_fini(&list);
    return status;
}

static int check_new_suite(const struct rc_campaign_kind *kind,
                           const struct rc_record_suite_of *record,
                           struct rc_error *err)
{
    const struct rc_record_suite *suite = &record->suite;
    int status = check_first(record->number, kind->suite_count, "suites", err);

    if (status == RC_OK && suite->source_count != kind->record.source_count)
        status = rc_fail(err, RC_EUSAGE,
                         "suite '%s' has iterations of %zu sources, and the kind has "
                         "%zu",
                         suite->name, suite->source_count, kind->record.source_count);
    if (status == RC_OK && kind->suite_count >= SUITES_MAX)
        status = rc_fail(err, RC_EUSAGE, "more than %d suites in a kind", SUITES_MAX);
    for (size_t i = 0; i < kind->suite_count && status == RC_OK; i++)
        if (strcmp(kind->suite[i].name, suite->name) == 0)
            status = rc_fail(err, RC_EUSAGE, "suite '%s' is there as number %zu",
                             suite->name, i);
    return status;
}

static void keep_suite_texts(struct rc_campaign *h, struct rc_record_suite *suite)
{
    const char **axis = (void *)suite->axes, **ideal = (void *)suite->ideals;
    struct rc_record_point *point = (void *)suite->point;

    suite->name = keep_text(h, suite->name);
    suite->summary = keep_text(h, suite->summary);
    for (size_t i = 0; i < suite->axis_count; i++)
        axis[i] = keep_text(h, axis[i]);
    for (size_t i = 0; i < suite->ideal_count; i++)
        ideal[i] = keep_text(h, ideal[i]);
    for (size_t i = 0; i < suite->point_count; i++)
        point[i].name = keep_text(h, point[i].name);
}

static int add_suite(struct rc_campaign *h, struct rc_campaign_kind *kind,
                     struct rc_record_suite_of *record, struct rc_error *err)
{
    struct rc_record_suite *suite = &record->suite;
    int status = check_new_suite(kind, record, err);

    if (status != RC_OK)
        return status;
    keep_suite_texts(h, suite);
    status = all_kept(h, err);
    if (status == RC_OK)
        status = expect_blocks(h, 5, err);
    if (status == RC_OK)
        status = grow(&kind->suite, sizeof *kind->suite, kind->suite_count,
                      &kind->room[1], err);
    if (status != RC_OK)
        return status;
    adopt(h, suite->axes);
    adopt(h, suite->ideals);
    adopt(h, suite->point);
    adopt(h, suite->basis);
    adopt(h, suite->iterations);
    kind->suite[kind->suite_count++] = *suite;
    *suite = (struct rc_record_suite){0};
    return RC_OK;
}

static int check_same_suite(const struct rc_campaign_kind *kind, size_t number,
                            const void *payload, size_t bytes, struct rc_error *err)
{
    const struct rc_record_suite *suite = &kind->suite[number];
    struct rc_bytes have = {0};
    int status = rc_record_put_suite(kind->id, number, suite, &have, err);

    if (status == RC_OK)
        status = check_same(&have, payload, bytes, "suite", suite->name, err);
    rc_bytes_fini(&have);
    return status;
}

static int apply_suite(struct rc_campaign *h, const void *payload, size_t bytes,
                       struct rc_error *err)
{
    struct rc_campaign_kind *kind = NULL;
    struct rc_record_suite_of record;
    int status = rc_record_get_suite(payload, bytes, &record, err);

    if (status != RC_OK)
        return status;
    status = kind_of(h, record.kind, &kind, err);
    if (status == RC_OK)
        status = record.number < kind->suite_count
                     ? check_same_suite(kind, record.number, payload, bytes, err)
                     : add_suite(h, kind, &record, err);
    rc_record_suite_fini(&record.suite);
    return status;
}

static int apply_run(struct rc_campaign *h, bool ends, const void *payload,
                     size_t bytes, struct rc_error *err)
{
    struct rc_record_run record;
    int status = rc_record_get_run(payload, bytes, &record, err);

    if (status != RC_OK)
        return status;
    if (ends && (h->run_count == 0 || h->run[h->run_count - 1].ended))
        return rc_fail(err, RC_EUSAGE, "a run ends, and none had begun");
    record.created_by = keep_text(h, record.created_by);
    record.job = keep_text(h, record.job);
    status = all_kept(h, err);
    if (status == RC_OK && !ends)
        status = grow(&h->run, sizeof *h->run, h->run_count, &h->extra->run_room, err);
    if (status != RC_OK)
        return status;
    if (ends) {
        h->run[h->run_count - 1].end = record;
        h->run[h->run_count - 1].ended = true;
    } else {
        h->run[h->run_count++] = (struct rc_campaign_run){.begin = record};
    }
    return RC_OK;
}

/* Journals of several operands may hold the same one. */
static int find_origin(const struct rc_campaign *h, const void *payload, size_t bytes,
                       bool *found, struct rc_error *err)
{
    struct rc_bytes have = {0};
    int status = RC_OK;

    *found = false;
    for (size_t i = 0; i < h->origin_count && !*found && status == RC_OK; i++) {
        status = rc_record_put_origin(&h->origin[i], &have, err);
        *found = status == RC_OK && same_bytes(&have, payload, bytes);
    }
    rc_bytes_fini(&have);
    return status;
}

static int add_origin(struct rc_campaign *h, struct rc_record_origin *origin,
                      struct rc_error *err)
{
    struct rc_record_operand *operand = (void *)origin->operand;
    int status;

    if (h->origin_count >= ORIGINS_MAX)
        return rc_fail(err, RC_EUSAGE, "more than %d origins", ORIGINS_MAX);
    origin->created_by = keep_text(h, origin->created_by);
    for (size_t i = 0; i < origin->operand_count; i++) {
        operand[i].name = keep_text(h, operand[i].name);
        operand[i].created_by = keep_text(h, operand[i].created_by);
        operand[i].directory = keep_text(h, operand[i].directory);
    }
    status = all_kept(h, err);
    if (status == RC_OK)
        status = expect_blocks(h, 1, err);
    if (status == RC_OK)
        status = grow(&h->origin, sizeof *h->origin, h->origin_count,
                      &h->extra->origin_room, err);
    if (status != RC_OK)
        return status;
    adopt(h, operand);
    h->origin[h->origin_count++] = *origin;
    *origin = (struct rc_record_origin){0};
    return RC_OK;
}

static int apply_origin(struct rc_campaign *h, const void *payload, size_t bytes,
                        struct rc_error *err)
{
    struct rc_record_origin origin;
    bool found = false;
    int status = rc_record_get_origin(payload, bytes, &origin, err);

    if (status != RC_OK)
        return status;
    status = find_origin(h, payload, bytes, &found, err);
    if (status == RC_OK && !found)
        status = add_origin(h, &origin, err);
    rc_record_origin_fini(&origin);
    return status;
}

int rc_campaign_apply(struct rc_campaign *h, uint32_t type, const void *payload,
                      size_t bytes, struct rc_error *err)
{
    switch (type) {
    case RC_RECORD_CAMPAIGN:
        return apply_campaign(h, payload, bytes, err);
    case RC_RECORD_KIND:
        return apply_kind(h, payload, bytes, err);
    case RC_RECORD_EVENTS:
        return apply_events(h, payload, bytes, err);
    case RC_RECORD_SUITE:
        return apply_suite(h, payload, bytes, err);
    case RC_RECORD_GROUPS:
        return apply_groups(h, payload, bytes, err);
    case RC_RECORD_RUN:
    case RC_RECORD_END:
        return apply_run(h, type == RC_RECORD_END, payload, bytes, err);
    case RC_RECORD_ORIGIN:
        return apply_origin(h, payload, bytes, err);
    case RC_RECORD_SHARE:
        return rc_campaign_apply_share(h, payload, bytes, err);
    case RC_RECORD_UNIT:
        return rc_fail(err, RC_EUSAGE, "a unit, expected a record of another type");
    default:
        return rc_fail(err, RC_EUSAGE, "a record of type %" PRIu32 ", expected 1 to %d",
                       type, RC_RECORD_SHARE);
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t rc_campaign_find_text(const char *const *list, size_t count, const char *text)
{
    const char *const *found = bsearch(&text, list, count, sizeof *list, compare_texts);

    return found ? (size_t)(found - list) : count;
}

int rc_campaign_compare_units(const struct rc_campaign_unit *a,
                              const struct rc_campaign_unit *b)
{
    const uint32_t left[] = {a->kind, a->suite, a->group, a->place};
    const uint32_t right[] = {b->kind, b->suite, b->group, b->place};

    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int compare_units(const void *a, const void *b)
{
    return rc_campaign_compare_units(a, b);
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
    return bsearch(&wanted, h->unit, h->unit_count, sizeof wanted, compare_units);
}

static uint64_t add_number(uint64_t hash, uint64_t number)
{
    return rc_text_hash_more(hash, &number, sizeof number);
}

uint64_t rc_campaign_digest(const struct rc_campaign *campaign)
{
    uint64_t sum = campaign->origin_count;

    for (size_t k = 0; k < campaign->kind_count; k++) {
        const struct rc_campaign_kind *kind = &campaign->kind[k];
        uint64_t hash = rc_text_hash(kind->record.name);
        hash = add_number(hash, kind->event_count);
        hash = add_number(hash, kind->suite_count);
        hash = add_number(hash, kind->group_count);
        sum += rc_mix(hash);
    }
    for (size_t i = 0; i < campaign->unit_count; i++) {
        const struct rc_campaign_unit *unit = &campaign->unit[i];
        const struct rc_campaign_kind *kind = &campaign->kind[unit->kind];
        uint64_t hash = rc_text_hash(kind->suite[unit->suite].name);
        hash = add_number(hash, kind->id);
        hash = add_number(hash, unit->group);
        hash = add_number(hash, unit->sequence);
        hash = add_number(hash, unit->begin_ns);
        hash = add_number(hash, unit->bytes);
        hash = add_number(hash, unit->status);
        sum += rc_mix(hash ^ rc_text_hash(campaign->place[unit->place]));
    }
    return sum;
}
