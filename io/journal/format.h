/* format.h - the bytes of a journal, for its writer and its scanner
 *
 * Inside of io/ only.  Numbers are little-endian on every machine.
 */
#ifndef RC_IO_JOURNAL_FORMAT_H
#define RC_IO_JOURNAL_FORMAT_H

#include "io/journal/journal.h"

#define RC_JOURNAL_VERSION 1
#define RC_JOURNAL_HEADER 64
#define RC_JOURNAL_MARK 8    /* bytes of the mark at the begin of a record */
#define RC_JOURNAL_BEFORE 48 /* bytes of a record before its payload */
#define RC_JOURNAL_AFTER 4   /* and after it */

/* The mark at the begin of a record: bytes that text does not have. */
extern const unsigned char rc_journal_mark[RC_JOURNAL_MARK];

/* Writes the RC_JOURNAL_HEADER bytes at the begin of a file. */
void rc_journal_put_header(unsigned char *out, const struct rc_journal_id *campaign);

enum rc_journal_header {
    RC_JOURNAL_HEADER_WHOLE,   /* as it was written */
    RC_JOURNAL_HEADER_DAMAGED, /* a journal's, but damaged */
    RC_JOURNAL_HEADER_STRANGE, /* not a journal's */
};

/* Judges the first 'bytes' bytes of the file 'path', which may be fewer than a header.
 * A whole header with another version, byte order or campaign than expected is an
 * error.  Without a 'campaign' any is accepted.
 */
int rc_journal_check_header(const char *path, const unsigned char *header, size_t bytes,
                            const struct rc_journal_id *campaign,
                            enum rc_journal_header *out, struct rc_error *err);

/* The campaign that a whole header names. */
struct rc_journal_id rc_journal_header_campaign(const unsigned char *header);

/* Writes the RC_JOURNAL_BEFORE bytes before a payload of record->bytes.  Returns the
 * checksum so far, which continues over the payload.
 */
uint32_t rc_journal_put_before(unsigned char *out, const struct rc_journal_id *campaign,
                               const struct rc_journal_record *record);

/* Reads them back, except offset and payload, with that checksum; false: they are
 * damaged, or claim a payload longer than any record's.
 */
bool rc_journal_get_before(const unsigned char *in, struct rc_journal_id *campaign,
                           struct rc_journal_record *record, uint32_t *crc);

/* Numbers of 32 bits, at any address. */
void rc_journal_put32(unsigned char *out, uint32_t number);
uint32_t rc_journal_get32(const unsigned char *in);

#endif
