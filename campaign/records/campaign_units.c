/* The best record of each unit, from the heads that all ranks gathered.
 *
 * A unit may have been measured several times: by runs that were resumed, on several
 * nodes, or in journals that were merged.  All records of units are sorted so that
 * those of one unit are neighbours and the best of them is the first; the others are
 * dropped. Places and nodes become numbers of sorted lists, the same on all ranks.
 *
 * Where a suite has teams, the records of a team's workers, one at each place, count
 * together or not at all.  Those of one measurement have one time of beginning: so
 * readings that were not taken together are never combined.
 */
#include "campaign/records/campaign_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A unit, and the texts that its place and node are numbered by. */
struct candidate {
    struct rc_campaign_unit unit;
    const char *place, *node;
};

/* Gives the unit the number of its kind, and checks its numbers against the lists of
 * the kind.
 */
static int find_kind(const struct rc_campaign *h, const struct rc_campaign_head *head,
                     struct rc_campaign_unit *out, struct rc_error *why)
{
    const size_t kind = rc_campaign_find_kind(h, head->kind);

    if (kind == h->kind_count)
        return rc_fail(why, RC_EUSAGE,
                       "a unit of kind %016" PRIx64 ", which is not there", head->kind);
    const struct rc_campaign_kind *k = &h->kind[kind];
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
    *out = head->unit;
    out->kind = (uint32_t)kind;
    return RC_OK;
}

/* Takes the units that agree with their kind; the others are counted as refused. */
static int take_heads(struct rc_campaign_reading *r, struct candidate **out,
                      size_t *count, struct rc_error *err)
{
    size_t room = 0;

    for (size_t at = 0; at < r->all.count;) {
        struct candidate c = {.place = NULL};
        struct rc_error why = {.text = ""};
        struct rc_campaign_head head;
        memcpy(&head, r->all.byte + at, sizeof head);
        c.place = (const char *)r->all.byte + at + sizeof head;
        c.node = c.place + strlen(c.place) + 1;
        at = (size_t)((const unsigned char *)c.node - r->all.byte) + strlen(c.node) + 1;
        if (find_kind(r->campaign, &head, &c.unit, &why) != RC_OK) {
            rc_campaign_refuse(&r->refusal, head.unit.file, head.unit.offset, why.text);
            continue;
        }
        if (rc_grow(out, sizeof **out, *count, &room))
            return rc_fail(err, RC_ENOMEM, "no memory for %zu units", *count);
        (*out)[(*count)++] = c;
    }
    return RC_OK;
}

/* Sorts 'count' texts and adds the distinct ones to the list after its "". -1: no
 * memory.
 */
static int list_texts(struct rc_campaign *h, const char **text, size_t count,
                      const char ***list, size_t *list_count)
{
    size_t room = 1;

    qsort(text, count, sizeof *text, rc_order_texts);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text[i], (*list)[*list_count - 1]) == 0)
            continue;
        const char *kept = rc_pool_intern(h->pool, text[i]);
        if (!kept || rc_grow(list, sizeof **list, *list_count, &room))
            return -1;
        (*list)[(*list_count)++] = kept;
    }
    return 0;
}

/* Makes the lists of places and nodes, and sets each unit's numbers in them. */
static int number_places(struct rc_campaign *h, struct candidate *candidate,
                         size_t count, struct rc_error *err)
{
    struct rc_arena arena = {0};
    const char **place = rc_arena_array(&arena, count, sizeof *place);
    const char **node = rc_arena_array(&arena, count, sizeof *node);

    for (size_t i = 0; i < count && !arena.failed; i++) {
        place[i] = candidate[i].place;
        node[i] = candidate[i].node;
    }
    const bool failed = arena.failed ||
                        list_texts(h, place, count, &h->place, &h->place_count) ||
                        list_texts(h, node, count, &h->node, &h->node_count);
    for (size_t i = 0; i < count && !failed; i++) {
        struct candidate *c = &candidate[i];
        c->unit.place =
            (uint32_t)rc_campaign_find_text(h->place, h->place_count, c->place);
        c->unit.node = (uint32_t)rc_campaign_find_text(h->node, h->node_count, c->node);
    }
    rc_arena_free(&arena);
    return failed ? rc_fail(err, RC_ENOMEM, "no memory for %zu places", count) : RC_OK;
}

/* The order is ok, invalid, interrupted, failed: an interrupted unit is measured again,
 * and the new record replaces it, whatever its status.
 */
static uint64_t rank_of(const struct rc_campaign_unit *unit)
{
    return 2U * unit->status + (unit->stop == RC_STOP_INTERRUPTED ? 3 : 0);
}

/* The best record of a unit comes first, by its rank, then the later one.  File and
 * offset decide between copies.
 */
static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    const int order = rc_campaign_compare_units(&x->unit, &y->unit);
    const uint64_t left[] = {rank_of(&x->unit), y->unit.sequence, y->unit.writer,
                             x->unit.file, x->unit.offset};
    const uint64_t right[] = {rank_of(&y->unit), x->unit.sequence, x->unit.writer,
                              y->unit.file, y->unit.offset};

    return order ? order : rc_compare_numbers(left, right, 5);
}

/* The length of a place's first word, its node. */
static size_t node_of(const char *place)
{
    return strcspn(place, " ");
}

static int compare_nodes(const char *place, const char *other)
{
    const size_t length = node_of(place), others = node_of(other);

    return strncmp(place, other, length > others ? length : others);
}

/* The order of records of one unit with teams: by node, measurement and place, and the
 * best copy first.
 */
static int compare_in_teams(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    const int order = compare_nodes(x->place, y->place);

    if (order || x->unit.begin_ns != y->unit.begin_ns)
        return order ? order : x->unit.begin_ns < y->unit.begin_ns ? -1 : 1;
    return compare_candidates(a, b);
}

/* Adds the units of the best whole measurement by a team of each node, of all records
 * of one unit.
 */
static void add_teams(struct rc_campaign *h, struct candidate *c, size_t count,
                      uint32_t team)
{
    struct candidate *best = NULL;
    size_t end;

    qsort(c, count, sizeof *c, compare_in_teams);
    for (size_t i = 0; i < count; i = end) {
        size_t workers = 1,
               last = i; /* copies are moved to the end of the measurement */
        for (end = i + 1; end < count && c[end].unit.begin_ns == c[i].unit.begin_ns &&
                          compare_nodes(c[end].place, c[i].place) == 0;
             end++)
            if (c[end].unit.place != c[last].unit.place) {
                c[++last] = c[end];
                workers++;
            }
        if (workers >= team && (!best || rank_of(&c[i].unit) <= rank_of(&best->unit)))
            best = &c[i];
        if (!best || (end < count && compare_nodes(c[end].place, c[i].place) == 0))
            continue;
        for (size_t w = 0; w < team; w++)
            h->unit[h->unit_count++] = best[w].unit;
        best = NULL;
    }
}

bool rc_campaign_same_node(const char *place, const char *other)
{
    return compare_nodes(place, other) == 0;
}

bool rc_campaign_same_team(const struct rc_campaign *h,
                           const struct rc_campaign_unit *unit,
                           const struct rc_campaign_unit *other)
{
    return unit->kind == other->kind && unit->suite == other->suite &&
           unit->group == other->group &&
           rc_record_suite_team(&h->kind[unit->kind].suite[unit->suite]) &&
           compare_nodes(h->place[unit->place], h->place[other->place]) == 0;
}

const struct rc_campaign_unit *rc_campaign_find_team(const struct rc_campaign *h,
                                                     uint32_t kind, uint32_t suite,
                                                     uint32_t group, const char *node)
{
    const size_t end = rc_campaign_first_unit(h, kind, suite, group + 1);
    const struct rc_campaign_unit *best = NULL;

    for (size_t i = rc_campaign_first_unit(h, kind, suite, group); i < end; i++) {
        const struct rc_campaign_unit *unit = &h->unit[i];
        if (node[0] && compare_nodes(h->place[unit->place], node) != 0)
            continue;
        if (!best ||
            rc_compare_numbers((uint64_t[]){rank_of(unit), best->repetitions},
                               (uint64_t[]){rank_of(best), unit->repetitions}, 2) < 0)
            best = unit;
    }
    return best;
}

/* Lists the nodes that measured units of each kind; node 0 is "", a simulation's. */
static int name_nodes(struct rc_campaign *h, struct rc_error *err)
{
    bool *seen = rc_arena_array(&h->lists, h->node_count, sizeof *seen);
    size_t at = 0;

    for (size_t k = 0; k < h->kind_count && !h->lists.failed; k++) {
        struct rc_campaign_kind *kind = &h->kind[k];
        memset(seen, 0, h->node_count * sizeof *seen);
        for (; at < h->unit_count && h->unit[at].kind == k; at++)
            seen[h->unit[at].node] = true;
        kind->node = rc_arena_array(&h->lists, h->node_count, sizeof *kind->node);
        for (size_t n = 1; n < h->node_count && kind->node; n++)
            if (seen[n])
                kind->node[kind->node_count++] = h->node[n];
    }
    return rc_arena_check(&h->lists, err, "the nodes of kinds");
}

int rc_campaign_take_units(struct rc_campaign_reading *r, struct rc_error *err)
{
    struct rc_campaign *h = r->campaign;
    struct candidate *candidate = NULL;
    size_t count = 0;
    int status;

    if ((status = take_heads(r, &candidate, &count, err)) != RC_OK ||
        (status = number_places(h, candidate, count, err)) != RC_OK)
        goto out;
    h->unit = rc_calloc(count, sizeof *h->unit);
    if (!h->unit) {
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu units", count);
        goto out;
    }
    if (count)
        qsort(candidate, count, sizeof *candidate, compare_candidates);
    for (size_t i = 0, end; i < count; i = end) {
        const struct rc_campaign_unit *unit = &candidate[i].unit;
        const uint32_t team =
            rc_record_suite_team(&h->kind[unit->kind].suite[unit->suite]);
        for (end = i + 1; end < count; end++)
            if (team ? candidate[end].unit.kind != unit->kind ||
                           candidate[end].unit.suite != unit->suite ||
                           candidate[end].unit.group != unit->group
                     : rc_campaign_compare_units(unit, &candidate[end].unit) != 0)
                break;
        if (team)
            add_teams(h, &candidate[i], end - i, team);
        else
            h->unit[h->unit_count++] = *unit;
    }
    status = name_nodes(h, err);
out:
    free(candidate);
    return status;
}
