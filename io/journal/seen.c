/* Sets of record numbers by writer, kept as ranges.  A writer numbers its records one
 * by one, so a file of any length needs one range for each writer; a number that
 * occurred before belongs to a repeated record, as in a file that was appended to
 * itself.
 */
#include "io/journal/seen.h"

#include "campaign/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that all occurred. */
struct range {
    uint64_t first, last;
};

struct rc_journal_writer {
    uint32_t number;
    struct range *range; /* ascending, with gaps between */
    size_t count, room;
};

static bool has_number(const void *seen, size_t item, const void *number)
{
    return ((const struct rc_journal_seen *)seen)->writer[item].number ==
           *(const uint32_t *)number;
}

static bool ends_before(const void *range, const void *sequence)
{
    return ((const struct range *)range)->last < *(const uint64_t *)sequence;
}

static void drop_range(struct rc_journal_writer *writer, size_t at)
{
    writer->count--;
    memmove(writer->range + at, writer->range + at + 1,
            (writer->count - at) * sizeof *writer->range);
}

/* Inserts a range of one number.  If there are too many ranges, the lowest is dropped:
 * see RC_JOURNAL_RANGES_MAX.
 */
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
    seen->map.same = has_number;
    size_t item = rc_map_find(&seen->map, seen, number, &number);
    if (item == RC_MAP_NONE) {
        item = seen->count;
        if (rc_grow(&seen->writer, sizeof *seen->writer, item, &seen->room) ||
            rc_map_put(&seen->map, seen, number, &number, item))
            return -1;
        seen->writer[seen->count++] = (struct rc_journal_writer){.number = number};
    }
    struct rc_journal_writer *writer = &seen->writer[item];
    if (writer->count == 0)
        return insert_range(writer, 0, sequence) ? -1 : 1;
    /* The first range that ends at or above 'sequence'; nearly always none. */
    struct range *range = writer->range;
    size_t at = writer->count;
    if (range[at - 1].last >= sequence)
        at = rc_count_before(range, at, sizeof *range, &sequence, ends_before);
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
    } else if (insert_range(writer, at, sequence)) {
        return -1;
    }
    return 1;
}

void rc_journal_seen_fini(struct rc_journal_seen *seen)
{
    for (size_t i = 0; i < seen->count; i++)
        free(seen->writer[i].range);
    free(seen->writer);
    rc_map_fini(&seen->map);
    *seen = (struct rc_journal_seen){0};
}
