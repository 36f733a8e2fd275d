/* seen.h - which numbers of which writers a scan has met
 *
 * Inside of io/ only.  Numbers of a writer that follow each other are kept as
 * one range, so that a file of any length needs some bytes for each writer and
 * for each gap in its numbers.
 */
#ifndef RC_IO_JOURNAL_SEEN_H
#define RC_IO_JOURNAL_SEEN_H

#include "campaign/base/map.h"

#include <stddef.h>
#include <stdint.h>

/* The lowest of this many gaps is forgotten: only a file made on purpose has so
 * many, and its numbers could be met twice.
 */
#define RC_JOURNAL_RANGES_MAX 1024

/* All numbers that were met; zeroed at first. */
struct rc_journal_seen {
    struct rc_journal_writer *writer; /* and the ranges of its numbers */
    size_t count, room;               /* of 'writer' */
    struct rc_map map; /* from numbers of writers to their places in 'writer' */
};

/* Notes a number: 1 where it is new, 0 where it was there, -1: no memory.  Begin
 * with all zero.
 */
int rc_journal_note(struct rc_journal_seen *seen, uint32_t writer, uint64_t sequence);

void rc_journal_seen_fini(struct rc_journal_seen *seen);

#endif
