/* The result's groups: events that are together in every operand stay together.
 *
 * All events begin in one class.  Each group of each operand (a cut) takes its own
 * events out of their classes, all events of one class into one new class.  In the end
 * two events share a class if every cut has both or neither of them.  A class becomes a
 * piece: a group of the result.
 */
#include "campaign/merge/parts.h"

#include <string.h>

struct refining {
    struct rc_merge *m;
    struct rc_merge_kind *kind;
    struct rc_arena arena; /* of lists that nobody needs once the pieces are made */
    bool alike;         /* all operands have the same groups under the same numbers */
    size_t own;         /* events of all cuts together, without references */
    uint32_t *class_of; /* by event, or, if 'alike', by the number of the group */
    uint32_t *latest;   /* by class: the newest class split off it */
    uint32_t *operands; /* by class: how many operands have cuts in it */
    uint32_t *piece_of; /* by class: 1 + number of its piece */
    uint32_t classes;
};

/* Lists all groups that the operands have in the kind. */
static int list_cuts(struct refining *r, struct rc_error *err)
{
    struct rc_merge *m = r->m;
    struct rc_merge_kind *kind = r->kind;
    size_t cuts = 0;

    for (size_t i = 0; i < m->count; i++)
        cuts += kind->map[i].from ? kind->map[i].from->group_count : 0;
    kind->cut = rc_arena_array(&m->arena, cuts, sizeof *kind->cut);
    const int status = rc_arena_check(&m->arena, err, "the groups of the campaigns");
    if (status != RC_OK)
        return status;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct rc_campaign_kind *from = kind->map[i].from;
        for (uint32_t g = 0; from && g < from->group_count; g++) {
            kind->cut[kind->cut_count++] = (struct rc_merge_cut){i, g, &from->group[g]};
            r->own += from->group[g].own;
        }
    }
    return RC_OK;
}

/* Number of a cut's event in the kind's list. */
static uint32_t event_of(const struct rc_merge_kind *kind,
                         const struct rc_merge_cut *cut, size_t i)
{
    return kind->map[cut->operand].event[cut->group->event[i]];
}

/* Whether the cuts have the same events in the same order, and as many own ones. */
static bool same_group(const struct rc_merge_kind *kind, const struct rc_merge_cut *a,
                       const struct rc_merge_cut *b)
{
    const struct rc_record_group *x = a->group, *y = b->group;

    if (x->count != y->count || x->own != y->own || x->scope != y->scope)
        return false;
    for (size_t i = 0; i < x->count; i++)
        if (event_of(kind, a, i) != event_of(kind, b, i))
            return false;
    return true;
}

/* Whether operands that have a group of the same number have the same group there, as
 * copies and shares of one campaign do, and campaigns that were begun alike.  They keep
 * their groups, even if an event is in two of them.
 */
static int find_alike(struct refining *r, struct rc_error *err)
{
    const struct rc_merge_kind *kind = r->kind;
    const struct rc_merge_cut **like =
        rc_arena_array(&r->arena, kind->cut_count, sizeof(const struct rc_merge_cut *));
    const int status = rc_arena_check(&r->arena, err, "the groups of the campaigns");

    if (status != RC_OK)
        return status;
    r->alike = !rc_merge_is_aligned(r->m);
    for (size_t c = 0; c < kind->cut_count && r->alike; c++) {
        const struct rc_merge_cut *cut = &kind->cut[c];
        if (!like[cut->number])
            like[cut->number] = cut;
        r->alike = same_group(kind, like[cut->number], cut);
    }
    return RC_OK;
}

/* The cut takes an event (or the group of a number) out of its class. */
static void refine_class(struct refining *r, size_t key, uint32_t cut)
{
    const struct rc_merge_cut *cuts = r->kind->cut;
    struct rc_merge_class *class = r->kind->class;
    const uint32_t from = r->class_of[key];
    uint32_t to = r->latest[from];

    if (from && class[from].cut == cut) /* the group has the event twice */
        return;
    if (!to || class[to].cut != cut) {
        to = r->latest[from] = ++r->classes;
        class[to] = (struct rc_merge_class){from, cut};
        r->operands[to] = r->operands[from] +
                          (!from || cuts[class[from].cut].operand != cuts[cut].operand);
    }
    r->class_of[key] = to;
}

static int refine_classes(struct refining *r, struct rc_error *err)
{
    struct rc_merge_kind *kind = r->kind;
    const size_t most = r->own + 1; /* an own event of a cut makes one class at most */
    const size_t keys = r->alike ? kind->cut_count : kind->event_count;
    int status;

    r->class_of = rc_arena_array(&r->arena, keys, sizeof *r->class_of);
    r->latest = rc_arena_array(&r->arena, most, sizeof *r->latest);
    r->operands = rc_arena_array(&r->arena, most, sizeof *r->operands);
    r->piece_of = rc_arena_array(&r->arena, most, sizeof *r->piece_of);
    kind->class = rc_arena_array(&r->m->arena, most, sizeof *kind->class);
    if ((status = rc_arena_check(&r->arena, err, "groups of events")) != RC_OK ||
        (status = rc_arena_check(&r->m->arena, err, "groups of events")) != RC_OK)
        return status;
    for (uint32_t c = 0; c < kind->cut_count; c++) {
        const struct rc_merge_cut *cut = &kind->cut[c];
        if (r->alike)
            refine_class(r, cut->number, c);
        else
            for (size_t i = 0; i < cut->group->own; i++)
                refine_class(r, event_of(kind, cut, i), c);
    }
    return RC_OK;
}

/* Class of a cut's own event; 0: the event is left out of a mean or difference, since
 * an operand lacks it.
 */
static uint32_t class_at(const struct refining *r, const struct rc_merge_cut *cut,
                         size_t i)
{
    const uint32_t class =
        r->class_of[r->alike ? cut->number : event_of(r->kind, cut, i)];

    return rc_merge_is_aligned(r->m) && r->operands[class] < r->m->count ? 0 : class;
}

/* Adds the pieces of a cut that no earlier cut has, and counts their events. */
static void add_pieces(struct refining *r, uint32_t c)
{
    struct rc_merge_kind *kind = r->kind;
    const struct rc_merge_cut *cut = &kind->cut[c];

    for (size_t i = 0; i < cut->group->own; i++) {
        const uint32_t class = class_at(r, cut, i);
        if (class && !r->piece_of[class]) {
            kind->piece[kind->piece_count++] =
                (struct rc_merge_piece){.class = class, .maker = c};
            r->piece_of[class] = (uint32_t)kind->piece_count;
        }
        if (class && kind->piece[r->piece_of[class] - 1].maker == c)
            kind->piece[r->piece_of[class] - 1].own++;
    }
}

/* Adds the cut's references after the own events, each once, without those that are
 * left out of the result.
 */
static void add_references(const struct rc_merge_kind *kind,
                           struct rc_merge_piece *piece, const struct rc_merge_cut *cut)
{
    for (size_t i = cut->group->own; i < cut->group->count; i++) {
        const uint32_t event = event_of(kind, cut, i);
        size_t at = 0;
        while (at < piece->count && piece->event[at] != event)
            at++;
        if (at == piece->count && kind->event[event].item.number != RC_MERGE_NONE)
            piece->event[piece->count++] = event;
    }
}

/* Turns classes into pieces, in the order of the cuts.  A piece has its events in the
 * order of its first cut, then the references of all its cuts.
 */
static int make_pieces(struct refining *r, struct rc_error *err)
{
    struct rc_merge_kind *kind = r->kind;
    int status;

    kind->piece = rc_arena_array(&r->m->arena, r->classes, sizeof *kind->piece);
    if ((status = rc_arena_check(&r->m->arena, err, "groups")) != RC_OK)
        return status;
    for (uint32_t c = 0; c < kind->cut_count; c++)
        add_pieces(r, c);
    for (size_t p = 0; p < kind->piece_count; p++) {
        size_t room = kind->piece[p].own;
        for (uint32_t k = kind->piece[p].class; k; k = kind->class[k].before) {
            const struct rc_record_group *group = kind->cut[kind->class[k].cut].group;
            room += group->count - group->own;
        }
        kind->piece[p].event = rc_arena_array(&r->m->arena, room, sizeof(uint32_t));
    }
    if ((status = rc_arena_check(&r->m->arena, err, "groups")) != RC_OK)
        return status;
    for (uint32_t c = 0; c < kind->cut_count; c++)
        for (size_t i = 0; i < kind->cut[c].group->own; i++) {
            const uint32_t class = class_at(r, &kind->cut[c], i);
            struct rc_merge_piece *piece =
                class ? &kind->piece[r->piece_of[class] - 1] : NULL;
            if (piece && piece->maker == c)
                piece->event[piece->count++] = event_of(kind, &kind->cut[c], i);
        }
    for (size_t p = 0; p < kind->piece_count; p++)
        for (uint32_t k = kind->piece[p].class; k; k = kind->class[k].before)
            add_references(kind, &kind->piece[p], &kind->cut[kind->class[k].cut]);
    return RC_OK;
}

int rc_merge_groups(struct rc_merge *m, struct rc_error *err)
{
    bool any = !rc_merge_is_aligned(m);

    for (size_t k = 0; k < m->kind_count; k++) {
        struct refining r = {.m = m, .kind = &m->kind[k]};
        int status;
        if (r.kind->item.number == RC_MERGE_NONE)
            continue;
        if ((status = list_cuts(&r, err)) == RC_OK &&
            (status = find_alike(&r, err)) == RC_OK &&
            (status = refine_classes(&r, err)) == RC_OK)
            status = make_pieces(&r, err);
        rc_arena_free(&r.arena);
        if (status != RC_OK)
            return status;
        for (size_t s = 0; s < m->kind[k].suite_count; s++)
            any = any || (m->kind[k].piece_count &&
                          m->kind[k].suite[s].item.number != RC_MERGE_NONE);
    }
    if (!any)
        return rc_fail(err, RC_ECONFLICT,
                       "there is no event that all campaigns count in the same suite");
    return RC_OK;
}
