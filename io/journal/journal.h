/* journal.h - the truth of a campaign: records appended to one file per node
 *
 * Every worker of a node appends to the node's file, DIR/journal/NODE.rcj, through a
 * descriptor of its own and with one system call for each record, or for several.  A
 * record has a type and a payload, whose meaning is the caller's, and carries the
 * campaign, its writer, a number and checksums, so that whatever happens to a file,
 * each record in it is either whole or known to be damaged.  Written data are never
 * changed or cut.  The format, byte by byte, is in docs/formats/journal.md.
 */
#ifndef RC_IO_JOURNAL_JOURNAL_H
#define RC_IO_JOURNAL_JOURNAL_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RC_JOURNAL_PAYLOAD_MAX (UINT32_C(1) << 30)

/* A campaign's id: any 16 bytes, the same in all of its files. */
struct rc_journal_id {
    unsigned char byte[16];
};

/* As 32 hexadecimal digits, for people.  Returns 'out'. */
#define RC_JOURNAL_ID_TEXT 33
const char *rc_journal_id_text(char *out, const struct rc_journal_id *id);

/* Writes the path DIR/journal/NODE.rcj.  RC_EUSAGE: a node name that is empty, begins
 * with a dot or contains a '/', so that no name leads outside of the directory.
 */
int rc_journal_path(const char *dir, const char *node, char *out, size_t room,
                    struct rc_error *err);

/* How often records are synced to the disk: without a sync a kill of any process loses
 * nothing, but a power cut may.
 */
#define RC_JOURNAL_SYNC_NEVER (-1)
#define RC_JOURNAL_SYNC_EACH 0 /* any larger number: at least that many ms apart */

struct rc_journal_setting {
    const char *dir;  /* the campaign's, which must exist */
    const char *node; /* of the file */
    struct rc_journal_id campaign;
    uint32_t writer;         /* the rank; different for all simultaneous writers */
    uint64_t first_sequence; /* for the first record: 0 or the last next_sequence */
    int64_t sync_ms;
};

struct rc_journal; /* opaque; one writer of one file, used by one thread */

/* Opens the file, and creates it with its directory if they do not exist; if many do so
 * at once, one creates it and all use it.  The file appears with its whole header or
 * not at all.  RC_ECONFLICT: it belongs to another campaign; RC_EUNSUPPORTED: it has a
 * later version or the other byte order; RC_EUSAGE: it is not a journal.  A file with
 * records of this campaign and a damaged header is accepted.  On failure *out is NULL.
 */
int rc_journal_open(const struct rc_journal_setting *setting, struct rc_journal **out,
                    struct rc_error *err);

/* Appends one record.  'payload' may be NULL if 'bytes' is 0.  On failure the record is
 * not in the journal (or, if only the sync failed, may not stay) and all others are
 * untouched.  The caller may try again; the record then gets another number, since no
 * number is used twice.  Also fails if the file was removed, which the system does not
 * report.  A process with a limit of file sizes must ignore SIGXFSZ to get the error
 * here.
 */
int rc_journal_append(struct rc_journal *journal, uint32_t type, const void *payload,
                      size_t bytes, struct rc_error *err);

/* The same for a record that another writer made: it keeps that writer and gets this
 * journal's number.
 */
int rc_journal_append_of(struct rc_journal *journal, uint32_t writer, uint32_t type,
                         const void *payload, size_t bytes, struct rc_error *err);

/* After rc_journal_hold() records are kept in memory until rc_journal_release() appends
 * all of them with one system call.  On failure none of them counts as appended, though
 * some may be in the file; they are not kept.  Without memory to hold any, records are
 * appended one by one.
 */
void rc_journal_hold(struct rc_journal *journal);
int rc_journal_release(struct rc_journal *journal, struct rc_error *err);

/* Makes appended records safe against a power cut, whatever the setting. */
int rc_journal_sync(struct rc_journal *journal, struct rc_error *err);

/* Syncs, except with RC_JOURNAL_SYNC_NEVER, and frees the journal, also on failure;
 * accepts NULL.
 */
int rc_journal_close(struct rc_journal *journal, struct rc_error *err);

struct rc_journal_record {
    uint32_t type, writer;
    uint64_t sequence;
    uint64_t offset;     /* in the file */
    const void *payload; /* at any address: copy numbers out with memcpy() */
    size_t bytes;
};

/* Calls of a scan, in the order of the file.  A status other than RC_OK ends the scan,
 * which returns it.  'damage' may be NULL.
 */
struct rc_journal_visitor {
    int (*record)(void *user, const struct rc_journal_record *record,
                  struct rc_error *err);
    void (*damage)(void *user, uint64_t offset, uint64_t bytes);
    void *user;
};

struct rc_journal_report {
    struct rc_journal_id campaign;
    uint64_t file_bytes;
    uint64_t whole_bytes;    /* header and whole records of all sorts */
    uint64_t damaged_bytes;  /* the rest */
    uint64_t damaged_places; /* runs of damaged bytes, the torn tail included */
    uint64_t first_damage;   /* offset, if damaged_places > 0 */
    uint64_t tail_bytes;     /* damage that reaches the end of the file */
    uint64_t records;        /* delivered */
    uint64_t repeated;       /* with a writer and number that occurred before */
    uint64_t foreign;        /* whole, but of another campaign */
    uint64_t next_sequence;  /* above all numbers of the campaign in the file */
    bool header_damaged;
};

/* Reads the file once from end to end and delivers each whole record of the campaign;
 * 'campaign' NULL stands for that of the header, or of the first whole record if the
 * header is damaged.  Damage of any sort is skipped and reported; it is not an error.
 * Needs a buffer of 1 MiB or of the longest record, and some bytes for each writer and
 * for each gap in its numbers.  Records that others append during the scan may be left
 * out.
 *
 * RC_ECONFLICT, RC_EUNSUPPORTED, RC_EUSAGE as for rc_journal_open(), before any record
 * is delivered; but a file with a strange header and whole records is read.  RC_EIO:
 * reading failed after some records had been delivered.  'report' is filled in any
 * case.
 */
int rc_journal_scan(const char *path, const struct rc_journal_id *campaign,
                    const struct rc_journal_visitor *visitor,
                    struct rc_journal_report *report, struct rc_error *err);

/* Reads a record again that a scan delivered: 'record' has its type, sequence, offset
 * and bytes, and 'fd' is open on the file 'path'.  'room' has space for its bytes and
 * RC_JOURNAL_AROUND more; record->payload then points into it.  RC_EIO: the record is
 * not there any more.
 */
#define RC_JOURNAL_AROUND 52
int rc_journal_get(int fd, const char *path, const struct rc_journal_id *campaign,
                   struct rc_journal_record *record, void *room, struct rc_error *err);

/* One line for people on what is wrong with the file, or "". */
void rc_journal_say(const struct rc_journal_report *report, const char *path, char *out,
                    size_t room);

#endif
