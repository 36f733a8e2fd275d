/* Finds the operands' units that make up each unit of the result.
 *
 * A unit of a piece is made from units of its cuts, which are together in each
 * operand's campaign.  They are sorted by place, so that those of one unit of the
 * result are neighbours.
 */
#include "campaign/base/text.h"
#include "campaign/merge/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The units of all operands that belong to one piece and suite. */
struct listing {
    struct rc_merge_pick *pick;
    size_t count, room;
};

static const char *place_of(const struct rc_merge_pick *pick)
{
    return pick->operand->campaign->place[pick->unit->place];
}

/* Sorts records of the same unit and family together, the best first: valid before
 * invalid, then the one that was written last.
 */
static int compare_picks(const void *a, const void *b)
{
    const struct rc_merge_pick *x = a, *y = b;
    const int order = strcmp(place_of(x), place_of(y));
    const uint64_t left[5] = {x->operand->family, x->unit->status, y->unit->sequence,
                              y->unit->writer, x->operand->number};
    const uint64_t right[5] = {y->operand->family, y->unit->status, x->unit->sequence,
                               x->unit->writer, y->operand->number};

    return order ? order : rc_compare_numbers(left, right, 5);
}

static int list_units(struct rc_merge *m, const struct rc_merge_target *t,
                      struct listing *list, struct rc_error *err)
{
    list->count = 0;
    for (uint32_t k = t->piece->class; k; k = t->kind->class[k].before) {
        const struct rc_merge_cut *cut = &t->kind->cut[t->kind->class[k].cut];
        struct rc_merge_operand *o = &m->operand[cut->operand];
        const struct rc_campaign *h = o->campaign;
        const uint32_t kind = (uint32_t)(t->kind->map[cut->operand].from - h->kind);
        const uint32_t suite = t->suite->number_in[cut->operand];
        const size_t end = rc_campaign_first_unit(h, kind, suite, cut->number + 1);
        for (size_t u = rc_campaign_first_unit(h, kind, suite, cut->number); u < end;
             u++) {
            if (rc_grow(&list->pick, sizeof *list->pick, list->count, &list->room))
                return rc_fail(err, RC_ENOMEM, "no memory for %zu units", list->count);
            list->pick[list->count++] = (struct rc_merge_pick){o, &h->unit[u]};
        }
    }
    if (list->count)
        qsort(list->pick, list->count, sizeof *list->pick, compare_picks);
    return RC_OK;
}

/* Moves the best record of each family to the front, and keeps those whose status is
 * the best of all; returns how many.  A mean or difference takes a record of every
 * operand, whatever its status.  A worker of a team keeps one record, since the team of
 * another family may have had other workers.
 */
static size_t pick_units(struct rc_merge *m, const struct rc_merge_target *target,
                         struct rc_merge_pick *pick, size_t count)
{
    uint8_t best = RC_UNIT_FAILED;
    size_t families = 0, kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (families && pick[families - 1].operand->family == pick[i].operand->family)
            continue;
        pick[families++] = pick[i];
        if (pick[i].unit->status < best)
            best = pick[i].unit->status;
    }
    if (rc_merge_is_aligned(m))
        return families;
    for (size_t i = 0; i < families; i++)
        if (pick[i].unit->status == best &&
            (kept == 0 || !rc_record_suite_team(&target->suite->record)))
            pick[kept++] = pick[i];
    m->worse_units += families - kept;
    return best == RC_UNIT_FAILED ? 1 : kept; /* one failure is enough */
}

/* Writes the units of a piece in a suite, place by place. */
static int put_units(struct rc_merge *m, const struct rc_merge_target *target,
                     struct listing *list, struct rc_error *err)
{
    int status;

    if ((status = list_units(m, target, list, err)) != RC_OK)
        return status;
    for (size_t at = 0, next; at < list->count; at = next) {
        struct rc_merge_pick *pick = &list->pick[at];
        for (next = at + 1; next < list->count; next++)
            if (strcmp(place_of(pick), place_of(&list->pick[next])) != 0)
                break;
        const size_t count = pick_units(m, target, pick, next - at);
        /* A mean or difference needs repetitions of every operand. */
        const bool aligned = rc_merge_is_aligned(m);
        bool whole = !aligned || count == m->count;
        for (size_t i = 0; i < count && aligned; i++)
            whole = whole && pick[i].unit->repetitions > 0;
        if (!whole)
            m->dropped_units++;
        else if ((status = rc_merge_put_unit(m, target, pick, count, err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Tells people what was left out or marked. */
static void say_units(struct rc_merge *m)
{
    if (m->worse_units)
        rc_merge_say(m,
                     "%" PRIu64 " unit%s left out, since another campaign has a better "
                     "result, or one as good of a team",
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
    struct listing list = {0};
    struct rc_bytes bytes = {0};
    int status = RC_OK;

    for (size_t k = 0; k < m->kind_count; k++) {
        const struct rc_merge_kind *kind = &m->kind[k];
        struct rc_merge_target target = {.kind = kind, .bytes = &bytes};
        if (kind->item.number == RC_MERGE_NONE)
            continue;
        target.slot = rc_arena_array(&m->arena, kind->event_count, sizeof(uint32_t));
        if ((status = rc_arena_check(&m->arena, err, "events")) != RC_OK)
            goto out;
        for (size_t s = 0; s < kind->suite_count; s++) {
            target.suite = &kind->suite[s];
            if (target.suite->item.number == RC_MERGE_NONE)
                continue;
            for (size_t p = 0; p < kind->piece_count; p++) {
                target.piece = &kind->piece[p];
                if ((status = put_units(m, &target, &list, err)) != RC_OK)
                    goto out;
            }
        }
    }
    say_units(m);
out:
    rc_bytes_fini(&bytes);
    free(list.pick);
    return status;
}
