/* Fills a block of results from the records of units.
 *
 * A block has some events of a suite.  The groups from which the events have their
 * readings give the units; each is read once, in the order in which they lie in the
 * files, and its events that are in the block are decoded straight into it.  Readings
 * that no unit has stay "missing".
 */
#include "campaign/pack/parts.h"
#include "campaign/records/unit_reader.h"

#include <stdlib.h>
#include <string.h>

/* The units that a block needs, and the reader of their records. */
struct work {
    const struct rc_block_filling *assembly;
    const struct rc_store_block *block;
    struct rc_arena arena; /* of the lists below */
    const struct rc_campaign_unit **needed;
    size_t count;
    uint32_t *place_of; /* index by the campaign's number of a place */
    struct rc_unit_reader reader;
};

static int compare_places_in_files(const void *a, const void *b)
{
    const struct rc_campaign_unit *x = *(const struct rc_campaign_unit *const *)a;
    const struct rc_campaign_unit *y = *(const struct rc_campaign_unit *const *)b;

    return rc_compare_numbers((uint64_t[]){x->file, x->offset},
                              (uint64_t[]){y->file, y->offset}, 2);
}

/* Lists the units of the block's events, each once, in the order of the files, and maps
 * the campaign's places to those of the suite.
 */
static int find_units(struct work *w, struct rc_error *err)
{
    const struct rc_block_filling *a = w->assembly;
    const size_t groups = a->campaign->kind[a->kind].group_count;
    bool *wanted = rc_arena_array(&w->arena, groups, sizeof *wanted);

    w->needed = rc_arena_array(&w->arena, a->unit_count,
                               sizeof(const struct rc_campaign_unit *));
    w->place_of =
        rc_arena_array(&w->arena, a->campaign->place_count, sizeof *w->place_of);
    const int status = rc_arena_check(&w->arena, err, "the units of a block");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < a->place_count; i++)
        w->place_of[a->place[i]] = (uint32_t)i;
    for (size_t i = 0; i < w->block->count; i++)
        if (a->home[w->block->first + i].group != RC_NOWHERE)
            wanted[a->home[w->block->first + i].group] = true;
    for (size_t i = 0; i < a->unit_count; i++)
        if (wanted[a->unit[i].group])
            w->needed[w->count++] = &a->unit[i];
    if (w->count > 0)
        qsort((void *)w->needed, w->count, sizeof(const struct rc_campaign_unit *),
              compare_places_in_files);
    return RC_OK;
}

/* The block has room for a unit of the size that the campaign knows: a file that was
 * changed since then must not lead to a write past its arrays.
 */
static int check_unit(const struct rc_block_filling *a,
                      const struct rc_campaign_unit *unit, const void *payload,
                      struct rc_error *err)
{
    const struct rc_campaign *h = a->campaign;
    struct rc_record_unit found;
    int status = rc_record_get_unit(payload, unit->bytes, &found, err);

    if (status == RC_OK &&
        (found.kind != h->kind[a->kind].id || found.suite != unit->suite ||
         found.group != unit->group || found.repetitions != unit->repetitions ||
         found.points != a->point_count ||
         found.events != h->kind[a->kind].group[unit->group].count))
        status = rc_fail(err, RC_EIO, "another unit: the file was changed meanwhile");
    if (status != RC_OK)
        rc_error_prefix(err, "%s: offset %llu: ", h->file[unit->file].path,
                        (unsigned long long)unit->offset);
    return status;
}

/* Puts one event of the unit into the block. */
static int put_event(struct work *w, const struct rc_campaign_unit *unit,
                     const void *payload, uint32_t member, size_t event,
                     struct rc_error *err)
{
    const struct rc_block_filling *a = w->assembly;
    const struct rc_store_block *b = w->block;
    const size_t row = (event - b->first) * a->place_count + w->place_of[unit->place];
    const size_t at = row * a->repetitions;
    const struct rc_who who = rc_who_of(unit);
    const struct rc_who *worker =
        bsearch(&who, a->worker + 1, a->worker_count - 1, sizeof who, rc_who_compare);
    struct rc_record_readings into = {b->values + at * a->point_count,
                                      b->enabled_ns + at, b->running_ns + at,
                                      b->status + at};

    b->stop[row] = unit->stop;
    b->worker[row] = worker ? (uint32_t)(worker - a->worker) : 0;
    if (unit->status != RC_UNIT_FAILED)
        return rc_record_get_event(payload, unit->bytes, member, &into, err);
    memset(into.status, RC_READING_FAILED, unit->repetitions ? unit->repetitions : 1);
    return RC_OK;
}

/* Puts the unit's events into the block that are in it and have their readings from
 * this group: an event may be in several groups.
 */
static int put_unit(struct work *w, const struct rc_campaign_unit *unit,
                    struct rc_error *err)
{
    const struct rc_block_filling *a = w->assembly;
    const struct rc_record_group *group =
        &a->campaign->kind[a->kind].group[unit->group];
    void *payload;
    int status = rc_unit_reader_get(&w->reader, unit, &payload, err);

    if (status != RC_OK)
        return status;
    if ((status = check_unit(a, unit, payload, err)) != RC_OK)
        return status;
    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t event = group->event[i];
        if (event < w->block->first || event - w->block->first >= w->block->count ||
            a->home[event].group != unit->group || a->home[event].member != i)
            continue;
        status = put_event(w, unit, payload, i, event, err);
        if (status == RC_EUSAGE)
            rc_error_prefix(err,
                            "%s: offset %llu: ", a->campaign->file[unit->file].path,
                            (unsigned long long)unit->offset);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_block_filling_fill(const struct rc_block_filling *a,
                          const struct rc_store_block *block, struct rc_error *err)
{
    struct work w = {.assembly = a, .block = block, .reader.campaign = a->campaign};
    const size_t rows = block->count * a->place_count;
    const size_t readings = rows * a->repetitions;

    /* At first all readings are missing, and nobody measured. */
    for (size_t i = 0; i < readings * a->point_count; i++)
        block->values[i] = RC_STORE_MISSING_VALUE;
    memset(block->enabled_ns, 0, readings * sizeof *block->enabled_ns);
    memset(block->running_ns, 0, readings * sizeof *block->running_ns);
    memset(block->status, 0, readings);
    memset(block->stop, 0, rows);
    memset(block->worker, 0, rows * sizeof *block->worker);
    int status = find_units(&w, err);
    for (size_t i = 0; i < w.count && status == RC_OK; i++)
        status = put_unit(&w, w.needed[i], err);
    rc_unit_reader_fini(&w.reader);
    rc_arena_free(&w.arena);
    return status;
}
