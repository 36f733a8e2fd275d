/* journal_lib.h - what the tests of the journal share */
#ifndef RC_TESTS_LIB_JOURNAL_LIB_H
#define RC_TESTS_LIB_JOURNAL_LIB_H

#include "io/journal/journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rc_journal_id journal_ours = {"campaign of test"};

/* Records of any length whose bytes follow from writer and number, so that a
 * reader can tell a wrong one.
 */
static inline size_t journal_bytes_of(uint32_t writer, uint64_t sequence)
{
    return (size_t)((writer * 7 + sequence * 13) % 90);
}

static inline void journal_fill(unsigned char *out, uint32_t writer, uint64_t sequence)
{
    for (size_t i = 0; i < journal_bytes_of(writer, sequence); i++)
        out[i] = (unsigned char)(writer * 31 + sequence * 17 + i);
}

static inline int journal_put(struct rc_journal *journal, uint32_t writer,
                              uint64_t sequence, struct rc_error *err)
{
    unsigned char payload[90];

    journal_fill(payload, writer, sequence);
    return rc_journal_append(journal, writer + 100, payload,
                             journal_bytes_of(writer, sequence), err);
}

#define JOURNAL_WRITERS 8
#define JOURNAL_RECORDS 4096

/* Findings of a scan: which records, and whether anything was not as written. */
struct journal_met {
    bool record[JOURNAL_WRITERS][JOURNAL_RECORDS];
    uint64_t last[JOURNAL_WRITERS]; /* its number and 1 */
    size_t count, wrong, disordered, damages;
    uint64_t damaged_bytes;
};

static inline int journal_meet(void *user, const struct rc_journal_record *record,
                               struct rc_error *err)
{
    struct journal_met *met = user;
    unsigned char expected[90];

    (void)err;
    met->count++;
    if (record->writer >= JOURNAL_WRITERS || record->sequence >= JOURNAL_RECORDS ||
        record->type != record->writer + 100 ||
        record->bytes != journal_bytes_of(record->writer, record->sequence) ||
        met->record[record->writer][record->sequence]) {
        met->wrong++;
        return RC_OK;
    }
    journal_fill(expected, record->writer, record->sequence);
    met->wrong += memcmp(record->payload, expected, record->bytes) != 0;
    met->disordered += record->sequence < met->last[record->writer];
    met->last[record->writer] = record->sequence + 1;
    met->record[record->writer][record->sequence] = true;
    return RC_OK;
}

static inline void journal_hurt(void *user, uint64_t offset, uint64_t bytes)
{
    struct journal_met *met = user;

    (void)offset;
    met->damages++;
    met->damaged_bytes += bytes;
}

static inline int journal_read(const char *path, const struct rc_journal_id *campaign,
                               struct journal_met *met,
                               struct rc_journal_report *report, struct rc_error *err)
{
    const struct rc_journal_visitor visitor = {journal_meet, journal_hurt, met};

    memset(met, 0, sizeof *met);
    return rc_journal_scan(path, campaign, &visitor, report, err);
}

#endif
