/* Sorts events into cells by scope and domain, and packs each cell on its own.
 *
 * Events of different scopes are measured in different lanes, and those of different
 * domains (a core's counters, a memory controller's, ...) are counted by other
 * hardware, so a group never spans cells.  The reference is added once the groups are
 * made.
 */
#include "campaign/grouping/groups.h"

#include "campaign/base/arena.h"
#include "campaign/base/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct finder {
    const struct rc_group_event *events;
    size_t count;
    const struct rc_groups_setup *setup;
    struct rc_groups *out;
    size_t group_room, unfit_room; /* allocated for the result's lists */
    size_t member_count;           /* used in out->members */

    uint32_t *order;          /* indices of events, by cell */
    uint32_t *number, *alike; /* of the events of one cell */
    const uint32_t *cell;     /* the indices of one cell */
};

static int by_cell(const void *a, const void *b, void *events)
{
    const struct rc_group_event *e = events;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return rc_compare_numbers((uint64_t[]){e[x].scope, e[x].domain, x},
                              (uint64_t[]){e[y].scope, e[y].domain, y}, 3);
}

/* Adds an event of the cell that fits nowhere, with the reason. */
static int add_unfit(void *to, size_t index, const struct rc_trial *why,
                     struct rc_error *err)
{
    struct finder *f = to;
    struct rc_groups *out = f->out;
    const char *reason = rc_pool_intern(out->reasons, why->reason);

    if (!reason ||
        rc_grow(&out->unfit, sizeof *out->unfit, out->unfit_count, &f->unfit_room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu unfit events",
                       out->unfit_count);
    out->unfit[out->unfit_count++] =
        (struct rc_group_unfit){f->cell[index], why->verdict, reason};
    return RC_OK;
}

/* Whether the reference counts in the group; it is added if there is room: 'events' are
 * the group's own, with room for one more.
 */
static bool add_reference(struct finder *f, struct rc_group *group, uint32_t *events)
{
    const struct rc_group_event *reference = f->setup->reference;
    struct rc_trial trial = {.verdict = RC_VERDICT_UNTRIED};

    if (!reference || reference->scope != group->scope ||
        reference->domain != group->domain)
        return false;
    for (size_t i = 0; i < group->own; i++)
        if (events[i] == reference->event)
            return true;
    if (f->setup->cap && group->own >= f->setup->cap)
        return false;
    events[group->own] = reference->event;
    f->setup->fits(f->setup->context, events, group->own + 1, &trial);
    f->out->statistics.trials++;
    if (trial.verdict != RC_VERDICT_OK)
        return false;
    group->count = group->own + 1;
    return true;
}

/* Appends the groups of a packed cell.  In members[] each group has room for a
 * reference after its own events.
 */
static int add_groups(struct finder *f, size_t count,
                      const struct rc_groups_found *packing, struct rc_error *err)
{
    struct rc_groups *out = f->out;
    const struct rc_group_event *first = &f->events[f->cell[0]];
    size_t before = out->count;

    for (size_t g = 0; g < packing->groups; g++) {
        if (rc_grow(&out->group, sizeof *out->group, out->count, &f->group_room))
            return rc_fail(err, RC_ENOMEM, "no memory for %zu groups", out->count);
        out->group[out->count] = (struct rc_group){
            .index = out->count, .scope = first->scope, .domain = first->domain};
        out->count++;
    }
    if (!packing->groups)
        return RC_OK;
    struct rc_group *group = out->group + before;
    for (size_t i = 0; i < count; i++)
        if (packing->group_of[i] != RC_GROUPING_UNFIT)
            group[packing->group_of[i]].count++;
    for (size_t g = 0; g < packing->groups; g++) {
        group[g].events = out->members + f->member_count;
        f->member_count += group[g].count + 1;
    }
    for (size_t i = 0; i < count; i++)
        if (packing->group_of[i] != RC_GROUPING_UNFIT) {
            struct rc_group *own = &group[packing->group_of[i]];
            out->members[(size_t)(own->events - out->members) + own->own++] =
                f->number[i];
        }
    for (size_t g = 0; g < packing->groups; g++) {
        group[g].count = group[g].own;
        group[g].reference = add_reference(
            f, &group[g], out->members + (group[g].events - out->members));
        out->statistics.with_reference += group[g].reference;
        if (group[g].own > out->statistics.largest)
            out->statistics.largest = group[g].own;
    }
    return RC_OK;
}

/* Packs the events f->cell[0..count-1], which have one scope and domain. */
static int pack_cell(struct finder *f, size_t count, struct rc_error *err)
{
    const struct rc_grouping_setup setup = {.fits = f->setup->fits,
                                            .context = f->setup->context,
                                            .cap = f->setup->cap,
                                            .trials = f->setup->trials,
                                            .whole_first = f->setup->any_number};
    struct rc_groups_found packing;

    for (size_t i = 0; i < count; i++) {
        f->number[i] = f->events[f->cell[i]].event;
        f->alike[i] = f->events[f->cell[i]].alike;
    }
    int status =
        rc_grouping(f->number, f->alike, count, &setup, add_unfit, f, &packing, err);
    if (status != RC_OK)
        return status;
    f->out->statistics.trials += packing.trials;
    f->out->statistics.repaired += packing.repaired;
    status = add_groups(f, count, &packing, err);
    free(packing.group_of);
    return status;
}

static int by_unfit(const void *a, const void *b)
{
    const struct rc_group_unfit *x = a, *y = b;

    return (x->event > y->event) - (x->event < y->event);
}

/* Sorts the events into cells and packs each of them. f->number first serves to check
 * that all numbers differ.
 */
static int find_groups(struct finder *f, struct rc_error *err)
{
    struct rc_groups *out = f->out;
    int status;

    for (size_t i = 0; i < f->count; i++) {
        if ((unsigned)f->events[i].scope >= RC_SCOPE_COUNT)
            return rc_fail(err, RC_EUSAGE, "event %u: there is no scope %d",
                           f->events[i].event, (int)f->events[i].scope);
        f->number[i] = f->events[i].event;
        f->order[i] = (uint32_t)i;
    }
    qsort(f->number, f->count, sizeof *f->number, rc_order_numbers);
    for (size_t i = 1; i < f->count; i++)
        if (f->number[i] == f->number[i - 1])
            return rc_fail(err, RC_EUSAGE,
                           "event %u is given twice, expected each event once",
                           f->number[i]);
    qsort_r(f->order, f->count, sizeof *f->order, by_cell, (void *)f->events);
    for (size_t i = 0, end; i < f->count; i = end) {
        const struct rc_group_event *first = &f->events[f->order[i]];
        f->cell = f->order + i;
        for (end = i + 1; end < f->count; end++)
            if (f->events[f->order[end]].scope != first->scope ||
                f->events[f->order[end]].domain != first->domain)
                break;
        if ((status = pack_cell(f, end - i, err)) != RC_OK)
            return status;
    }
    /* Until here 'event' is the index, so that sorting gives the order of the input. */
    if (out->unfit_count)
        qsort(out->unfit, out->unfit_count, sizeof *out->unfit, by_unfit);
    for (size_t i = 0; i < out->unfit_count; i++)
        out->unfit[i].event = f->events[out->unfit[i].event].event;
    return RC_OK;
}

int rc_groups_find(const struct rc_group_event *events, size_t count,
                   const struct rc_groups_setup *setup, struct rc_groups *out,
                   struct rc_error *err)
{
    struct finder f = {.events = events, .count = count, .setup = setup, .out = out};
    struct rc_arena arena = {0};
    uint64_t start_ns = rc_clock_ns();
    int status;

    assert(setup->fits);
    *out = (struct rc_groups){0};
    f.order = rc_arena_array(&arena, count, sizeof *f.order);
    f.number = rc_arena_array(&arena, count, sizeof *f.number);
    f.alike = rc_arena_array(&arena, count, sizeof *f.alike);
    out->members = rc_calloc(2 * count, sizeof *out->members);
    out->reasons = rc_pool_create();
    if (arena.failed || !out->members || !out->reasons)
        status = rc_fail(err, RC_ENOMEM, "no memory to group %zu events", count);
    else
        status = find_groups(&f, err);
    out->statistics.wall_ns = rc_clock_ns() - start_ns;
    rc_arena_free(&arena);
    if (status != RC_OK)
        rc_groups_fini(out);
    return status;
}

/* The context of source_fits(). */
struct opened {
    const struct rc_source *source;
    struct rc_source_state *state;
};

/* In a trial of a group an event that counts nothing is fine: it takes a counter like
 * any other.
 */
static void source_fits(void *context, const uint32_t *events, size_t count,
                        struct rc_trial *out)
{
    const struct opened *opened = context;

    opened->source->trial(opened->state, events, count, out);
    if (out->verdict == RC_VERDICT_COUNTS_NOTHING)
        *out = (struct rc_trial){.verdict = RC_VERDICT_OK};
}

int rc_groups_of_source(const struct rc_source *source, struct rc_source_state *state,
                        const struct rc_group_event *events, size_t count,
                        const struct rc_groups_setup *setup, struct rc_groups *out,
                        struct rc_error *err)
{
    struct opened opened = {source, state};
    struct rc_groups_setup own = *setup;

    own.fits = source_fits;
    own.context = &opened;
    own.any_number = source->any_number;
    return rc_groups_find(events, count, &own, out, err);
}

void rc_groups_fini(struct rc_groups *groups)
{
    free(groups->group);
    free(groups->unfit);
    free(groups->members);
    rc_pool_close(groups->reasons);
    *groups = (struct rc_groups){0};
}
