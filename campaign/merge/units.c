/* Which units of the operands a unit of the result is made of.
 *
 * All units of all operands are listed by what they are in the result (kind, suite,
 * place, piece), once for each piece that their group falls into, and sorted: those of
 * one unit of the result then stand together.
 */
#include "campaign/base/text.h"
#include "campaign/merge/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An operand's unit, in one of the pieces that its group falls into. */
struct entry {
    uint32_t kind, suite, place, piece; /* numbers of the result */
    uint32_t operand;
    uint32_t family; /* of the records of one family the best one counts */
    const struct rc_campaign_unit *unit;
};

struct listing {
    struct entry *entry;
    size_t count, room;
};

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All places of all operands, each once. */
static int find_places(struct rc_merge *m, struct rc_error *err)
{
    size_t most = 0, kept = 0;

    for (size_t i = 0; i < m->count; i++)
        most += m->operand[i].campaign->place_count;
    m->place = rc_arena_array(&m->arena, most, sizeof *m->place);
    int status = rc_arena_check(&m->arena, err, "the places of the campaigns");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < m->count; i++)
        for (size_t p = 0; p < m->operand[i].campaign->place_count; p++)
            m->place[m->place_count++] = m->operand[i].campaign->place[p];
    qsort(m->place, m->place_count, sizeof *m->place, compare_texts);
    for (size_t i = 0; i < m->place_count; i++)
        if (i == 0 || strcmp(m->place[i], m->place[kept - 1]) != 0)
            m->place[kept++] = m->place[i];
    m->place_count = kept;
    for (size_t i = 0; i < m->count; i++)
        for (size_t p = 0; p < m->operand[i].campaign->place_count; p++) {
            const char *const *found =
                bsearch(&m->operand[i].campaign->place[p], m->place, m->place_count,
                        sizeof *m->place, compare_texts);
            m->operand[i].place[p] = (uint32_t)(found - m->place);
        }
    return RC_OK;
}

/* Records of the same unit and family stand together, the best of them in front: a
 * valid one before an invalid one, then the one that was written last.
 */
static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const uint64_t left[] = {x->kind,           x->suite,        x->place,
                             x->piece,          x->family,       x->unit->status,
                             y->unit->sequence, y->unit->writer, x->operand};
    const uint64_t right[] = {y->kind,           y->suite,        y->place,
                              y->piece,          y->family,       y->unit->status,
                              x->unit->sequence, x->unit->writer, y->operand};

    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static bool same_unit(const struct entry *a, const struct entry *b)
{
    return a->kind == b->kind && a->suite == b->suite && a->place == b->place &&
           a->piece == b->piece;
}

/* Lists a unit for each piece of its group.  In a mean or difference every operand
 * counts, copies of one campaign too: each is a family of its own.
 */
static int list_unit(struct rc_merge *m, struct rc_merge_operand *o,
                     const struct rc_campaign_unit *unit, struct listing *list,
                     struct rc_error *err)
{
    const struct rc_merge_map *map = &o->map[unit->kind];

    if (map->kind == RC_MERGE_NONE || map->suite[unit->suite] == RC_MERGE_NONE)
        return RC_OK;
    for (uint32_t i = map->piece_first[unit->group];
         i < map->piece_first[unit->group + 1]; i++) {
        if (rc_grow(&list->entry, sizeof *list->entry, list->count, &list->room))
            return rc_fail(err, RC_ENOMEM, "no memory for %zu units", list->count);
        list->entry[list->count++] =
            (struct entry){map->kind,
                           map->suite[unit->suite],
                           o->place[unit->place],
                           map->piece[i],
                           (uint32_t)o->number,
                           (uint32_t)(rc_merge_is_aligned(m) ? o->number : o->family),
                           unit};
    }
    return RC_OK;
}

static int list_units(struct rc_merge *m, struct listing *list, struct rc_error *err)
{
    int status = find_places(m, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < m->count; i++) {
        const struct rc_campaign *h = m->operand[i].campaign;
        for (size_t u = 0; u < h->unit_count; u++)
            if ((status = list_unit(m, &m->operand[i], &h->unit[u], list, err)) !=
                RC_OK)
                return status;
    }
    if (list->count)
        qsort(list->entry, list->count, sizeof *list->entry, compare_entries);
    return RC_OK;
}

/* Picks the best record of each family, and of these the ones whose status is the best
 * of all.  A mean or difference takes a record of every operand, whatever its status.
 */
static size_t pick_units(struct rc_merge *m, const struct entry *entry, size_t count,
                         struct rc_merge_pick *out)
{
    uint8_t best = RC_UNIT_FAILED;
    size_t picked = 0, kept = 0;

    for (size_t i = 0; i < count; i++)
        if (i == 0 || entry[i].family != entry[i - 1].family) {
            out[picked++] =
                (struct rc_merge_pick){&m->operand[entry[i].operand], entry[i].unit};
            if (entry[i].unit->status < best)
                best = entry[i].unit->status;
        }
    if (rc_merge_is_aligned(m))
        return picked;
    for (size_t i = 0; i < picked; i++)
        if (out[i].unit->status == best)
            out[kept++] = out[i];
    m->worse_units += picked - kept;
    return best == RC_UNIT_FAILED ? 1 : kept; /* of failures one is enough */
}

/* Whether a mean or difference can be made of it: every operand has repetitions. */
static bool is_whole(const struct rc_merge *m, const struct rc_merge_pick *pick,
                     size_t count)
{
    if (!rc_merge_is_aligned(m))
        return true;
    for (size_t i = 0; i < count; i++)
        if (pick[i].unit->repetitions == 0)
            return false;
    return count == m->count;
}

static int put_units(struct rc_merge *m, const struct listing *list,
                     struct rc_merge_pick *picked, struct rc_merge_scratch *scratch,
                     struct rc_error *err)
{
    for (size_t at = 0, next; at < list->count; at = next) {
        const struct entry *entry = &list->entry[at];
        const struct rc_merge_target target = {entry->kind, entry->suite, entry->piece};
        next = at + 1;
        while (next < list->count && same_unit(entry, &list->entry[next]))
            next++;
        const size_t count = pick_units(m, entry, next - at, picked);
        if (!is_whole(m, picked, count)) {
            m->dropped_units++;
            continue;
        }
        const int status = rc_merge_put_unit(m, &target, picked, count, scratch, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* What was left out or marked, for people. */
static void say_units(struct rc_merge *m)
{
    if (m->worse_units)
        rc_merge_say(m,
                     "%" PRIu64 " unit%s left out, since another campaign has a better "
                     "result",
                     m->worse_units, rc_text_plural(m->worse_units, " is", "s are"));
    if (m->dropped_units)
        rc_merge_say(m, "%" PRIu64 " unit%s left out, not all campaigns have readings",
                     m->dropped_units,
                     rc_text_plural(m->dropped_units, " is", "s are"));
    if (m->dropped_repetitions)
        rc_merge_say(m,
                     "%" PRIu64 " repetition%s of units left out, not all campaigns "
                     "have as many",
                     m->dropped_repetitions, rc_text_s(m->dropped_repetitions));
    if (m->overflows)
        rc_merge_say(m,
                     "%" PRIu64 " repetition%s of events marked missing: a value is "
                     "beyond 64 bits",
                     m->overflows, rc_text_s(m->overflows));
}

int rc_merge_units(struct rc_merge *m, struct rc_error *err)
{
    struct rc_arena arena = {0};
    struct rc_merge_pick *picked = rc_arena_array(&arena, m->count, sizeof *picked);
    struct rc_merge_scratch scratch = {0};
    struct listing list = {0};
    size_t events = 0;
    int status;

    for (size_t k = 0; k < m->kinds_kept; k++)
        if (m->kind[k].event_count > events)
            events = m->kind[k].event_count;
    scratch.slot = rc_arena_array(&arena, events, sizeof *scratch.slot);
    if ((status = rc_arena_check(&arena, err, "events")) == RC_OK &&
        (status = list_units(m, &list, err)) == RC_OK &&
        (status = put_units(m, &list, picked, &scratch, err)) == RC_OK)
        say_units(m);
    rc_bytes_fini(&scratch.payload);
    rc_arena_free(&arena);
    free(list.entry);
    return status;
}
