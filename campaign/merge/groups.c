/* The groups of the result: what is together in every operand stays together.
 *
 * Events begin in one class; each group of each operand takes its own events out of
 * the classes that they are in.  Two events are in one class in the end just if every
 * group has both or neither of them.  A class becomes a piece: a group of the result.
 */
#include "campaign/merge/parts.h"

#include <string.h>

/* A group of an operand, which is cut into pieces. */
struct cut {
    struct rc_merge_map *map;
    const struct rc_record_group *group;
    uint32_t operand, number; /* number: of the group in the operand's kind */
};

/* Of one kind. */
struct refining {
    struct rc_merge *m;
    struct rc_merge_kind *kind;
    struct rc_arena arena; /* of what is needed no more when the pieces are there */
    struct cut *cut;       /* all groups of all operands, in their order */
    size_t cuts;
    size_t longest;       /* groups of the operand that has the most of them */
    size_t own;           /* events of all groups together, but for references */
    uint32_t *class_of;   /* by event; 0: it is no group's own */
    uint32_t *moved;      /* by class: the class that its events go to in this round */
    uint32_t *round;      /* by class: the number of the round when that was decided */
    uint32_t *size;       /* by class: its events */
    uint32_t *piece_of;   /* by class */
    uint32_t *maker;      /* by piece: the first cut that falls into it */
    uint32_t *references; /* by piece: those of all its cuts, some of them twice */
    size_t classes;
};

/* All groups of all operands that the kind has, and room for the maps of their pieces:
 * a group falls into as many pieces as it has own events, at most.
 */
static int list_cuts(struct refining *r, struct rc_error *err)
{
    struct rc_merge *m = r->m;
    const uint32_t number = (uint32_t)(r->kind - m->kind);
    size_t room = 0;

    for (uint32_t i = 0; i < m->count; i++) {
        const struct rc_campaign *h = m->operand[i].campaign;
        for (size_t k = 0; k < h->kind_count; k++)
            room += h->kind[k].group_count;
    }
    r->cut = rc_arena_array(&r->arena, room, sizeof *r->cut);
    for (uint32_t i = 0; i < m->count && r->cut; i++) {
        const struct rc_campaign *h = m->operand[i].campaign;
        for (size_t k = 0; k < h->kind_count; k++) {
            const struct rc_campaign_kind *kind = &h->kind[k];
            struct rc_merge_map *map = &m->operand[i].map[k];
            size_t own = 0;
            if (map->kind != number)
                continue;
            for (uint32_t g = 0; g < kind->group_count; g++) {
                r->cut[r->cuts++] = (struct cut){map, &kind->group[g], i, g};
                own += kind->group[g].own;
            }
            r->own += own;
            if (kind->group_count > r->longest)
                r->longest = kind->group_count;
            map->piece = rc_arena_array(
                &m->arena, own > kind->group_count ? own : kind->group_count,
                sizeof *map->piece);
        }
    }
    int status = rc_arena_check(&r->arena, err, "the groups of the campaigns");
    return status == RC_OK ? rc_arena_check(&m->arena, err, "groups") : status;
}

/* The next piece of the cut's kind; pieces are added group after group. */
static void add_to_map(const struct cut *cut, uint32_t piece)
{
    cut->map->piece[cut->map->piece_count++] = piece;
}

/* The same events of the result in the same order, and as many of them own ones. */
static bool same_group(const struct cut *a, const struct cut *b)
{
    const struct rc_record_group *x = a->group, *y = b->group;

    if (x->count != y->count || x->own != y->own || x->scope != y->scope)
        return false;
    for (size_t i = 0; i < x->count; i++)
        if (a->map->event[x->event[i]] != b->map->event[y->event[i]])
            return false;
    return true;
}

/* Copies and shares of one campaign, and campaigns that were begun alike, keep their
 * groups and the groups' numbers: where one has a group of a number, all that have one
 * of that number have the same.
 */
static int keep_groups(struct refining *r, bool *alike, struct rc_error *err)
{
    struct rc_arena *arena = &r->m->arena;
    const struct cut **like =
        rc_arena_array(&r->arena, r->longest, sizeof(const struct cut *));
    int status = rc_arena_check(&r->arena, err, "the groups of the campaigns");

    *alike = status == RC_OK && !rc_merge_is_aligned(r->m);
    for (size_t c = 0; c < r->cuts && *alike; c++) {
        const struct cut *cut = &r->cut[c];
        if (!like[cut->number])
            like[cut->number] = cut;
        *alike = same_group(like[cut->number], cut);
    }
    if (!*alike)
        return status;
    struct rc_merge_piece *piece =
        rc_arena_array(arena, r->longest, sizeof *r->kind->piece);
    for (size_t g = 0; g < r->longest && piece; g++) {
        const struct rc_record_group *group = like[g]->group;
        uint32_t *event = rc_arena_array(arena, group->count, sizeof *event);
        for (size_t i = 0; i < group->count && event; i++)
            event[i] = like[g]->map->event[group->event[i]];
        piece[g] =
            (struct rc_merge_piece){.event = event,
                                    .count = group->count,
                                    .own = group->own,
                                    .source = like[g]->map->source[group->source],
                                    .scope = group->scope};
    }
    if ((status = rc_arena_check(arena, err, "groups")) != RC_OK)
        return status;
    r->kind->piece = piece;
    r->kind->piece_count = r->longest;
    for (size_t c = 0; c < r->cuts; c++) {
        add_to_map(&r->cut[c], r->cut[c].number);
        r->cut[c].map->piece_first[r->cut[c].number + 1] = r->cut[c].number + 1;
    }
    return RC_OK;
}

/* A mean has no group for an event that one operand did not count.  'sharing' counts
 * the first operands, one after the other, that have the event in a group of their own.
 */
static int leave_out_unshared(struct refining *r, struct rc_error *err)
{
    const size_t events = r->kind->event_count;
    uint32_t *sharing = rc_arena_array(&r->arena, events, sizeof *sharing);
    int status = rc_arena_check(&r->arena, err, "events");

    if (status != RC_OK)
        return status;
    for (size_t c = 0; c < r->cuts; c++)
        for (size_t i = 0; i < r->cut[c].group->own; i++) {
            const uint32_t e = r->cut[c].map->event[r->cut[c].group->event[i]];
            if (e != RC_MERGE_NONE && sharing[e] == r->cut[c].operand)
                sharing[e]++;
        }
    for (size_t e = 0; e < events; e++)
        if (sharing[e] < r->m->count)
            r->class_of[e] = RC_MERGE_NONE;
    return RC_OK;
}

/* The class of an event of the cut, or RC_MERGE_NONE. */
static uint32_t class_in(const struct refining *r, const struct cut *cut, size_t i)
{
    const uint32_t e = cut->map->event[cut->group->event[i]];

    return e == RC_MERGE_NONE ? e : r->class_of[e];
}

/* Each cut is a round: the events that it owns leave their classes for new ones, those
 * of one class for the same one.
 */
static void split_classes(struct refining *r)
{
    for (size_t c = 0; c < r->cuts; c++) {
        const struct cut *cut = &r->cut[c];
        const size_t before = r->classes;
        for (size_t i = 0; i < cut->group->own; i++) {
            const uint32_t from = class_in(r, cut, i);
            if (from >= before) /* RC_MERGE_NONE is, too */
                continue;
            if (r->round[from] != before) {
                r->round[from] = (uint32_t)before;
                r->moved[from] = (uint32_t)r->classes++;
            }
            r->class_of[cut->map->event[cut->group->event[i]]] = r->moved[from];
        }
    }
    for (size_t e = 0; e < r->kind->event_count; e++)
        if (r->class_of[e] != RC_MERGE_NONE)
            r->size[r->class_of[e]]++;
}

/* The pieces that each cut falls into, in the order of its events. */
static void find_pieces(struct refining *r)
{
    memset(r->piece_of, 0xff, r->classes * sizeof *r->piece_of);
    memset(r->round, 0xff, r->classes * sizeof *r->round);
    for (uint32_t c = 0; c < r->cuts; c++) {
        const struct cut *cut = &r->cut[c];
        for (size_t i = 0; i < cut->group->own; i++) {
            const uint32_t class = class_in(r, cut, i);
            if (class == RC_MERGE_NONE || r->round[class] == c)
                continue;
            r->round[class] = c;
            if (r->piece_of[class] == RC_MERGE_NONE) {
                r->maker[r->kind->piece_count] = c;
                r->piece_of[class] = (uint32_t)r->kind->piece_count++;
            }
            add_to_map(cut, r->piece_of[class]);
            r->references[r->piece_of[class]] +=
                (uint32_t)(cut->group->count - cut->group->own);
        }
        cut->map->piece_first[cut->number + 1] = cut->map->piece_count;
    }
}

static void add_reference(struct rc_merge_piece *piece, uint32_t event)
{
    size_t at = 0;

    while (at < piece->count && piece->event[at] != event)
        at++;
    if (event != RC_MERGE_NONE && at == piece->count)
        piece->event[piece->count++] = event;
}

/* A piece has its events in the order of the cut that made it, then the references of
 * all cuts that fall into it.
 */
static void fill_pieces(struct refining *r)
{
    bool *placed = rc_arena_array(&r->arena, r->kind->event_count, sizeof *placed);

    for (uint32_t c = 0; c < r->cuts && placed; c++) {
        const struct cut *cut = &r->cut[c];
        const struct rc_merge_map *map = cut->map;
        for (size_t i = 0; i < cut->group->own; i++) {
            const uint32_t class = class_in(r, cut, i);
            const uint32_t e = map->event[cut->group->event[i]];
            if (class == RC_MERGE_NONE || r->maker[r->piece_of[class]] != c ||
                placed[e])
                continue;
            struct rc_merge_piece *piece = &r->kind->piece[r->piece_of[class]];
            piece->event[piece->count++] = e;
            placed[e] = true;
        }
        for (size_t p = map->piece_first[cut->number];
             p < map->piece_first[cut->number + 1]; p++)
            for (size_t i = cut->group->own; i < cut->group->count; i++)
                add_reference(&r->kind->piece[map->piece[p]],
                              map->event[cut->group->event[i]]);
    }
}

static int cut_groups(struct refining *r, struct rc_error *err)
{
    const size_t most = r->own + 1;
    struct rc_arena *arena = &r->m->arena;
    int status;

    r->classes = 1;
    r->class_of = rc_arena_array(&r->arena, r->kind->event_count, sizeof *r->class_of);
    r->moved = rc_arena_array(&r->arena, most, sizeof *r->moved);
    r->round = rc_arena_array(&r->arena, most, sizeof *r->round);
    r->size = rc_arena_array(&r->arena, most, sizeof *r->size);
    r->piece_of = rc_arena_array(&r->arena, most, sizeof *r->piece_of);
    r->maker = rc_arena_array(&r->arena, most, sizeof *r->maker);
    r->references = rc_arena_array(&r->arena, most, sizeof *r->references);
    if ((status = rc_arena_check(&r->arena, err, "groups of events")) != RC_OK ||
        (rc_merge_is_aligned(r->m) && (status = leave_out_unshared(r, err)) != RC_OK))
        return status;
    split_classes(r);
    find_pieces(r);
    struct rc_merge_piece *piece = r->kind->piece =
        rc_arena_array(arena, r->kind->piece_count, sizeof *piece);
    for (size_t class = 1; class < r->classes && piece; class ++) {
        const uint32_t number = r->piece_of[class];
        if (number == RC_MERGE_NONE)
            continue;
        const struct cut *cut = &r->cut[r->maker[number]];
        const size_t room = (size_t)r->size[class] + r->references[number];
        piece[number] = (struct rc_merge_piece){
            .event = rc_arena_array(arena, room, sizeof *piece->event),
            .own = r->size[class],
            .source = cut->map->source[cut->group->source],
            .scope = cut->group->scope};
    }
    if ((status = rc_arena_check(arena, err, "groups")) != RC_OK)
        return status;
    fill_pieces(r);
    return rc_arena_check(&r->arena, err, "groups");
}

int rc_merge_groups(struct rc_merge *m, struct rc_error *err)
{
    bool any = !rc_merge_is_aligned(m);

    for (size_t k = 0; k < m->kinds_kept; k++) {
        struct refining r = {.m = m, .kind = &m->kind[k]};
        bool alike = false;
        int status = list_cuts(&r, err);
        if (status == RC_OK)
            status = keep_groups(&r, &alike, err);
        if (status == RC_OK && !alike)
            status = cut_groups(&r, err);
        rc_arena_free(&r.arena);
        if (status != RC_OK)
            return status;
        any = any || (m->kind[k].suite_count && m->kind[k].piece_count);
    }
    if (!any)
        return rc_fail(err, RC_ECONFLICT,
                       "there is no event that all campaigns count in the same suite");
    return RC_OK;
}
