/* The groups of the result: what is together in every operand stays together.
 *
 * Events begin in one class; each group of each operand takes its own events out of
 * the classes that they are in.  Two events are in one class in the end just if every
 * group has both or neither of them.
 */
#include "campaign/merge/parts.h"

#include <stdlib.h>
#include <string.h>

/* Of one kind. */
struct refining {
    struct rc_merge *m;
    struct rc_merge_kind *kind;
    uint32_t number;
    uint32_t *class_of; /* by event; 0: it is no group's own */
    uint32_t *moved;    /* by class: the class that its events go to in this round */
    uint32_t *round;    /* when that was decided */
    uint32_t *piece_of; /* by class */
    uint32_t *size;     /* events of a class */
    uint32_t *sharing;  /* by event: how many operands have it in a group */
    bool *placed;       /* by event: it is in the list of its piece */
    uint32_t stamp;     /* of the group that is being cut */
    size_t classes, most;
};

typedef int (*visitor)(struct refining *r, struct rc_merge_operand *o,
                       struct rc_merge_map *map, const struct rc_campaign_kind *kind,
                       struct rc_error *err);

/* Each operand that has the kind. */
static int visit(struct refining *r, visitor call, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < r->m->count; i++) {
        struct rc_merge_operand *o = &r->m->operand[i];
        for (size_t k = 0; k < o->campaign->kind_count && status == RC_OK; k++)
            if (o->map[k].kind == r->number)
                status = call(r, o, &o->map[k], &o->campaign->kind[k], err);
    }
    return status;
}

static int count_members(struct refining *r, struct rc_merge_operand *o,
                         struct rc_merge_map *map, const struct rc_campaign_kind *kind,
                         struct rc_error *err)
{
    (void)o;
    (void)map;
    (void)err;
    for (size_t g = 0; g < kind->group_count; g++)
        r->most += kind->group[g].own;
    return RC_OK;
}

/* A mean has no group for an event that one operand did not count. */
static int count_sharing(struct refining *r, struct rc_merge_operand *o,
                         struct rc_merge_map *map, const struct rc_campaign_kind *kind,
                         struct rc_error *err)
{
    (void)err;
    for (size_t g = 0; g < kind->group_count; g++)
        for (size_t i = 0; i < kind->group[g].own; i++) {
            const uint32_t e = map->event[kind->group[g].event[i]];
            if (e != RC_MERGE_NONE && r->sharing[e] == o->number)
                r->sharing[e]++;
        }
    return RC_OK;
}

static bool is_taken(const struct refining *r, uint32_t event)
{
    return event != RC_MERGE_NONE &&
           (!rc_merge_is_aligned(r->m) || r->sharing[event] == r->m->count);
}

static int split_classes(struct refining *r, struct rc_merge_operand *o,
                         struct rc_merge_map *map, const struct rc_campaign_kind *kind,
                         struct rc_error *err)
{
    (void)o;
    (void)err;
    for (size_t g = 0; g < kind->group_count; g++) {
        const size_t before = r->classes;
        for (size_t i = 0; i < kind->group[g].own; i++) {
            const uint32_t e = map->event[kind->group[g].event[i]];
            if (!is_taken(r, e) || r->class_of[e] >= before)
                continue;
            const uint32_t from = r->class_of[e];
            if (r->round[from] != (uint32_t)before) {
                r->round[from] = (uint32_t)before;
                r->moved[from] = (uint32_t)r->classes++;
            }
            r->class_of[e] = r->moved[from];
        }
    }
    return RC_OK;
}

static int add_piece(struct refining *r, uint32_t class, const struct rc_merge_map *map,
                     const struct rc_record_group *group, struct rc_error *err)
{
    struct rc_merge_kind *kind = r->kind;
    uint32_t *event = rc_calloc(r->size[class], sizeof *event);

    if (!event ||
        rc_grow(&kind->piece, sizeof *kind->piece, kind->piece_count, &kind->room[3])) {
        free(event);
        return rc_merge_no_memory(err);
    }
    r->piece_of[class] = (uint32_t)kind->piece_count;
    kind->piece[kind->piece_count++] =
        (struct rc_merge_piece){.event = event,
                                .own = r->size[class],
                                .source = map->source[group->source],
                                .scope = group->scope};
    return RC_OK;
}

/* What the group adds to a piece behind its own events. */
static int add_references(struct rc_merge_piece *piece, const struct rc_merge_map *map,
                          const struct rc_record_group *group, struct rc_error *err)
{
    for (size_t i = group->own; i < group->count; i++) {
        const uint32_t e = map->event[group->event[i]];
        size_t at = 0;
        if (e == RC_MERGE_NONE)
            continue;
        while (at < piece->count && piece->event[at] != e)
            at++;
        if (at < piece->count)
            continue;
        uint32_t *more = realloc(piece->event, (piece->count + 1) * sizeof *more);
        if (!more)
            return rc_merge_no_memory(err);
        piece->event = more;
        piece->event[piece->count++] = e;
    }
    return RC_OK;
}

/* The pieces that a group falls into, in the order of its events: those that no group
 * before fell into are made of it.
 */
static int cut_group(struct refining *r, struct rc_merge_map *map, size_t *room,
                     const struct rc_record_group *group, struct rc_error *err)
{
    const size_t begin = map->piece_count, known = r->kind->piece_count;
    int status = RC_OK;

    for (size_t i = 0; i < group->own && status == RC_OK; i++) {
        const uint32_t e = map->event[group->event[i]];
        if (!is_taken(r, e))
            continue;
        const uint32_t class = r->class_of[e];
        if (r->piece_of[class] == RC_MERGE_NONE)
            status = add_piece(r, class, map, group, err);
        if (status != RC_OK)
            break;
        const uint32_t number = r->piece_of[class];
        struct rc_merge_piece *piece = &r->kind->piece[number];
        if (r->round[class] != r->stamp) {
            r->round[class] = r->stamp;
            if (rc_grow(&map->piece, sizeof *map->piece, map->piece_count, room))
                return rc_merge_no_memory(err);
            map->piece[map->piece_count++] = number;
        }
        if (number >= known && piece->count < piece->own && !r->placed[e]) {
            piece->event[piece->count++] = e;
            r->placed[e] = true;
        }
    }
    for (size_t i = begin; i < map->piece_count && status == RC_OK; i++)
        status = add_references(&r->kind->piece[map->piece[i]], map, group, err);
    return status;
}

static int cut_groups(struct refining *r, struct rc_merge_operand *o,
                      struct rc_merge_map *map, const struct rc_campaign_kind *kind,
                      struct rc_error *err)
{
    size_t room = 0;
    int status = RC_OK;

    (void)o;
    for (size_t g = 0; g < kind->group_count && status == RC_OK; g++) {
        map->piece_first[g] = map->piece_count;
        r->stamp++;
        status = cut_group(r, map, &room, &kind->group[g], err);
    }
    map->piece_first[kind->group_count] = map->piece_count;
    return status;
}

/* The longest list of groups, where all others are the beginning of it. */
struct longest {
    const struct rc_campaign_kind *kind;
    const struct rc_merge_map *map;
};

static bool same_group(const struct rc_merge_map *a, const struct rc_record_group *x,
                       const struct rc_merge_map *b, const struct rc_record_group *y)
{
    if (x->count != y->count || x->own != y->own || x->scope != y->scope)
        return false;
    for (size_t i = 0; i < x->count; i++)
        if (a->event[x->event[i]] != b->event[y->event[i]])
            return false;
    return true;
}

static bool begins_like(const struct longest *a, const struct rc_merge_map *map,
                        const struct rc_campaign_kind *kind)
{
    for (size_t g = 0; g < a->kind->group_count && g < kind->group_count; g++)
        if (!same_group(a->map, &a->kind->group[g], map, &kind->group[g]))
            return false;
    return true;
}

/* Copies and shares of one campaign, and campaigns that were begun alike, keep their
 * groups and the groups' numbers.
 */
static bool are_alike(const struct refining *r, struct longest *out)
{
    *out = (struct longest){NULL, NULL};
    if (rc_merge_is_aligned(r->m))
        return false;
    for (size_t i = 0; i < r->m->count; i++) {
        const struct rc_merge_operand *o = &r->m->operand[i];
        for (size_t k = 0; k < o->campaign->kind_count; k++) {
            const struct rc_campaign_kind *kind = &o->campaign->kind[k];
            if (o->map[k].kind != r->number)
                continue;
            if (out->kind && !begins_like(out, &o->map[k], kind))
                return false;
            if (!out->kind || kind->group_count > out->kind->group_count)
                *out = (struct longest){kind, &o->map[k]};
        }
    }
    return out->kind != NULL;
}

static int map_alike(struct refining *r, struct rc_merge_operand *o,
                     struct rc_merge_map *map, const struct rc_campaign_kind *kind,
                     struct rc_error *err)
{
    (void)r;
    (void)o;
    map->piece = rc_calloc(kind->group_count, sizeof *map->piece);
    if (!map->piece)
        return rc_merge_no_memory(err);
    for (uint32_t g = 0; g < kind->group_count; g++)
        map->piece[g] = map->piece_first[g] = g;
    map->piece_count = map->piece_first[kind->group_count] =
        (uint32_t)kind->group_count;
    return RC_OK;
}

static int keep_groups(struct refining *r, const struct longest *from,
                       struct rc_error *err)
{
    struct rc_merge_kind *kind = r->kind;

    kind->piece = rc_calloc(from->kind->group_count, sizeof *kind->piece);
    if (!kind->piece)
        return rc_merge_no_memory(err);
    for (size_t g = 0; g < from->kind->group_count; g++) {
        const struct rc_record_group *group = &from->kind->group[g];
        struct rc_merge_piece *piece = &kind->piece[kind->piece_count++];
        *piece = (struct rc_merge_piece){
            .event = rc_calloc(group->count, sizeof *piece->event),
            .count = group->count,
            .own = group->own,
            .source = from->map->source[group->source],
            .scope = group->scope};
        if (!piece->event)
            return rc_merge_no_memory(err);
        for (size_t i = 0; i < group->count; i++)
            piece->event[i] = from->map->event[group->event[i]];
    }
    return visit(r, map_alike, err);
}

static int refine(struct refining *r, struct rc_error *err)
{
    const size_t events = r->kind->event_count;
    int status = visit(r, count_members, err);

    r->classes = 1;
    r->most++;
    r->class_of = rc_calloc(events, sizeof *r->class_of);
    r->sharing = rc_calloc(events, sizeof *r->sharing);
    r->placed = rc_calloc(events, sizeof *r->placed);
    r->moved = rc_calloc(r->most, sizeof *r->moved);
    r->round = rc_calloc(r->most, sizeof *r->round);
    r->piece_of = rc_calloc(r->most, sizeof *r->piece_of);
    r->size = rc_calloc(r->most, sizeof *r->size);
    if (!r->class_of || !r->sharing || !r->placed || !r->moved || !r->round ||
        !r->piece_of || !r->size)
        return rc_merge_no_memory(err);
    if (rc_merge_is_aligned(r->m))
        status = visit(r, count_sharing, err);
    if (status == RC_OK)
        status = visit(r, split_classes, err);
    for (size_t e = 0; e < events; e++)
        r->size[r->class_of[e]]++;
    memset(r->piece_of, 0xff, r->most * sizeof *r->piece_of);
    memset(r->round, 0, r->most * sizeof *r->round);
    return status == RC_OK ? visit(r, cut_groups, err) : status;
}

static int refine_kind(struct rc_merge *m, uint32_t number, struct rc_error *err)
{
    struct refining r = {.m = m, .kind = &m->kind[number], .number = number};
    struct longest longest;
    int status =
        are_alike(&r, &longest) ? keep_groups(&r, &longest, err) : refine(&r, err);

    free(r.class_of);
    free(r.sharing);
    free(r.placed);
    free(r.moved);
    free(r.round);
    free(r.piece_of);
    free(r.size);
    return status;
}

int rc_merge_groups(struct rc_merge *m, struct rc_error *err)
{
    int status = RC_OK;

    bool any = !rc_merge_is_aligned(m);

    for (uint32_t k = 0; k < m->kinds_kept && status == RC_OK; k++) {
        status = refine_kind(m, k, err);
        any = any || (m->kind[k].suite_count && m->kind[k].piece_count);
    }
    if (status == RC_OK && !any)
        status =
            rc_fail(err, RC_ECONFLICT,
                    "there is no event that all campaigns count in the same suite");
    return status;
}
