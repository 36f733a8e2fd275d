/* Sets of record numbers by writer, kept as ranges. */
#include "io/journal/seen.h"

#include "campaign/base/memory.h"
#include "campaign/base/mix.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct range {
    uint64_t first, last;
};

struct rc_journal_writer {
    uint32_t writer;
    struct range *range; /* ascending, with gaps between */
    size_t count, room;
};

static struct rc_journal_writer *slot_of(const struct rc_journal_seen *seen,
                                         uint32_t writer)
{
    size_t i = rc_mix(writer) & (seen->slots - 1);

    while (seen->slot[i].range && seen->slot[i].writer != writer)
        i = (i + 1) & (seen->slots - 1);
    return &seen->slot[i];
}

static int make_room(struct rc_journal_seen *seen)
{
    struct rc_journal_seen more = {.slots = seen->slots ? 2 * seen->slots : 64,
                                   .used = seen->used};

    if (seen->slots && 2 * (seen->used + 1) <= seen->slots)
        return 0;
    more.slot = rc_calloc(more.slots, sizeof *more.slot);
    if (!more.slot)
        return -1;
    for (size_t i = 0; i < seen->slots; i++)
        if (seen->slot[i].range)
            *slot_of(&more, seen->slot[i].writer) = seen->slot[i];
    free(seen->slot);
    *seen = more;
    return 0;
}

/* The first range that ends at 'sequence' or above; nearly always none. */
static size_t range_for(const struct rc_journal_writer *writer, uint64_t sequence)
{
    size_t low = 0, high = writer->count;

    if (high > 0 && writer->range[high - 1].last < sequence)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (writer->range[middle].last < sequence)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void drop_range(struct rc_journal_writer *writer, size_t at)
{
    writer->count--;
    memmove(writer->range + at, writer->range + at + 1,
            (writer->count - at) * sizeof *writer->range);
}

static int insert_range(struct rc_journal_writer *writer, size_t at, uint64_t sequence)
{
    if (writer->count >= RC_JOURNAL_RANGES_MAX) {
        drop_range(writer, 0);
        at -= at > 0;
    }
    if (rc_grow(&writer->range, sizeof *writer->range, writer->count, &writer->room))
        return -1;
    memmove(writer->range + at + 1, writer->range + at,
            (writer->count - at) * sizeof *writer->range);
    writer->range[at] = (struct range){sequence, sequence};
    writer->count++;
    return 0;
}

int rc_journal_note(struct rc_journal_seen *seen, uint32_t number, uint64_t sequence)
{
    if (make_room(seen))
        return -1;
    struct rc_journal_writer *writer = slot_of(seen, number);
    struct range *range = writer->range;
    size_t at = range_for(writer, sequence);
    if (at < writer->count && range[at].first <= sequence)
        return 0;
    bool below = at > 0 && range[at - 1].last + 1 == sequence;
    bool above = at < writer->count && range[at].first - 1 == sequence;
    if (below && above) {
        range[at - 1].last = range[at].last;
        drop_range(writer, at);
    } else if (below) {
        range[at - 1].last = sequence;
    } else if (above) {
        range[at].first = sequence;
    } else {
        if (insert_range(writer, at, sequence))
            return -1;
        seen->used += !range;
        writer->writer = number;
    }
    return 1;
}

void rc_journal_seen_fini(struct rc_journal_seen *seen)
{
    for (size_t i = 0; i < seen->slots; i++)
        free(seen->slot[i].range);
    free(seen->slot);
    *seen = (struct rc_journal_seen){0};
}
