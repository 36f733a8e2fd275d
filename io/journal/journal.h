/* journal.h - the truth of a campaign: records appended to one file per node
 *
 * Every worker of a node appends to the node's file, DIR/journal/NODE.rcj,
 * through a descriptor of its own and with one system call for each record, or for
 * several. A record has a type and a payload, whose meaning is the caller's, and
 * carries the campaign, its writer, a number and checksums, so that whatever happens to
 * a file, each record in it is either whole or known to be damaged.  Nothing
 * here ever changes or cuts what was written.  The format, byte by byte, is in
 * docs/formats/journal.md.
 */
#ifndef RC_IO_JOURNAL_JOURNAL_H
#define RC_IO_JOURNAL_JOURNAL_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RC_JOURNAL_PAYLOAD_MAX (UINT32_C(1) << 30)

/* Whose records they are: any 16 bytes, the same in all files of a campaign. */
struct rc_journal_id {
    unsigned char byte[16];
};

/* As 32 hexadecimal digits, the way people see it.  Returns 'out'. */
#define RC_JOURNAL_ID_TEXT 33
const char *rc_journal_id_text(char *out, const struct rc_journal_id *id);

/* Writes DIR/journal/NODE.rcj.  A node name that is empty, begins with a dot or
 * holds a '/' is RC_EUSAGE: no name leads outside of the directory.
 */
int rc_journal_path(const char *dir, const char *node, char *out, size_t room,
                    struct rc_error *err);

/* When a record must have reached the disk, and not only the system: a kill of
 * any process loses nothing even without, a power cut may.
 */
#define RC_JOURNAL_SYNC_NEVER (-1)
#define RC_JOURNAL_SYNC_EACH 0 /* any larger number: at least that many ms apart */

struct rc_journal_setting {
    const char *dir;  /* the campaign's, which must be there */
    const char *node; /* of the file */
    struct rc_journal_id campaign;
    uint32_t writer;         /* the rank; no two at once with the same number */
    uint64_t first_sequence; /* of the first record: 0, or report.next_sequence of
                              * what was there before, the highest of all files */
    int64_t sync_ms;
};

struct rc_journal; /* opaque; one writer of one file, used by one thread */

/* Opens the file, and creates it with its directory where they are not there;
 * of many that do so at once one creates it and all go on.  The file appears
 * with its header whole or not at all.  RC_ECONFLICT: it belongs to another
 * campaign; RC_EUNSUPPORTED: it is of a later version or of a machine of the
 * other byte order; RC_EUSAGE: it is not a journal.  A file with records of this
 * campaign and a damaged header is taken.  On failure *out is NULL.
 */
int rc_journal_open(const struct rc_journal_setting *setting, struct rc_journal **out,
                    struct rc_error *err);

/* Appends one record.  'payload' may be NULL where 'bytes' is 0.  On failure
 * the record is not in the journal (or, where only the disk refused to sync it,
 * may not stay) and all others are untouched.  The caller may try again; the
 * record gets another number then, since no number is used twice.  Fails also
 * when somebody has removed the file, of which the system says nothing.  A process
 * that may meet a limit of file sizes must ignore SIGXFSZ to hear of it here.
 */
int rc_journal_append(struct rc_journal *journal, uint32_t type, const void *payload,
                      size_t bytes, struct rc_error *err);

/* The same for a record that another writer made: it keeps that name and gets this
 * journal's number.
 */
int rc_journal_append_of(struct rc_journal *journal, uint32_t writer, uint32_t type,
                         const void *payload, size_t bytes, struct rc_error *err);

/* From rc_journal_hold() on what is appended is only kept, until rc_journal_release()
 * appends all of it with one system call.  On failure none of it counts as appended,
 * though some of the records may be there; nothing is kept then.  Without memory to
 * begin with, records are appended one by one as ever.
 */
void rc_journal_hold(struct rc_journal *journal);
int rc_journal_release(struct rc_journal *journal, struct rc_error *err);

/* Makes what was appended safe against a power cut, whatever the setting. */
int rc_journal_sync(struct rc_journal *journal, struct rc_error *err);

/* Syncs unless the setting is never, and frees the journal, also on failure;
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

/* Functions that a scan calls, in the order of the file.  A status that is not RC_OK
 * ends the scan, which returns it.  'damage' may be NULL.
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
    uint64_t first_damage;   /* offset, where damaged_places > 0 */
    uint64_t tail_bytes;     /* damage that reaches the end of the file */
    uint64_t records;        /* delivered */
    uint64_t repeated;       /* with a writer and number that were there before */
    uint64_t foreign;        /* whole, but of another campaign */
    uint64_t next_sequence;  /* above all numbers of the campaign in the file */
    bool header_damaged;
};

/* Reads the file once from end to end and delivers each whole record of the
 * campaign; 'campaign' NULL stands for that of the header, or of the first
 * whole record where the header is damaged.  Damage of any sort is passed over
 * and reported, not an error.  Needs a buffer of 1 MiB or of the longest
 * record, and some bytes for each writer and for each gap in its numbers.  Records that
 * others append during the scan may be left out.
 *
 * RC_ECONFLICT, RC_EUNSUPPORTED, RC_EUSAGE as rc_journal_open(), before
 * any record is delivered; only that a file with a strange header and whole
 * records is read.  RC_EIO: the system could not read on, records before that
 * have been delivered.  'report' is filled in any case.
 */
int rc_journal_scan(const char *path, const struct rc_journal_id *campaign,
                    const struct rc_journal_visitor *visitor,
                    struct rc_journal_report *report, struct rc_error *err);

/* Reads one record again that a scan delivered: 'record' says its type, sequence,
 * offset and bytes, and 'fd' is open on the file 'path'.  'room' has place for its
 * bytes and RC_JOURNAL_AROUND more; record->payload is in there afterwards.
 * RC_EIO: the record is not there any more.
 */
#define RC_JOURNAL_AROUND 52
int rc_journal_get(int fd, const char *path, const struct rc_journal_id *campaign,
                   struct rc_journal_record *record, void *room, struct rc_error *err);

/* One line on what is wrong with the file for people: "" where nothing is. */
void rc_journal_say(const struct rc_journal_report *report, const char *path, char *out,
                    size_t room);

#endif
