/* seen.h - the record numbers of each writer that a scan has met
 *
 * For io/ only.  Consecutive numbers of a writer are kept as one range, so that a file
 * of any length needs some bytes for each writer and for each gap in its numbers.
 */
#ifndef RC_IO_JOURNAL_SEEN_H
#define RC_IO_JOURNAL_SEEN_H

#include "campaign/base/map.h"

#include <stddef.h>
#include <stdint.h>

/* With more gaps the lowest range is dropped: only a file made on purpose has so many,
 * and its repeated records might be delivered twice.
 */
#define RC_JOURNAL_RANGES_MAX 1024

/* All numbers so far; zeroed at first. */
struct rc_journal_seen {
    struct rc_journal_writer *writer; /* with the ranges of its numbers */
    size_t count, room;               /* of 'writer' */
    struct rc_map map; /* from numbers of writers to their places in 'writer' */
};

/* Notes a number: 1 if it is new, 0 if not, -1: no memory. */
int rc_journal_note(struct rc_journal_seen *seen, uint32_t writer, uint64_t sequence);

void rc_journal_seen_fini(struct rc_journal_seen *seen);

#endif
