/* Reads the records of a journal from end to end; torn and damaged ones are skipped and
 * reported.
 *
 * The scan goes from mark to mark.  The bytes after a mark are a record if head and
 * payload have their checksums; otherwise the search for a mark continues one byte
 * later, and everything between two whole records is a run of damaged bytes.  The file
 * is read through a buffer that holds the present record.
 */
#include "campaign/base/files/file.h"
#include "io/journal/crc32c.h"
#include "io/journal/format.h"
#include "io/journal/seen.h"

#include "campaign/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 20)

/* A record may claim a length and be damaged inside: all of it is read, then searched
 * again for records from its second byte on.  To limit the cost of a file with many
 * such claims, the search inside stops when so much was read in vain.
 */
#define WASTE_TIMES 16
#define WASTE_LEAST ((uint64_t)64 << 20)

struct scan {
    int fd;
    const char *path;
    uint64_t end;          /* of the file when the scan began */
    unsigned char *buffer; /* holds 'fill' bytes of the file from 'base' on */
    uint64_t base;
    size_t fill, room;
    bool campaign_known;         /* report->campaign is known, whose records count */
    uint64_t waste;              /* bytes read in vain, see above */
    uint64_t damage;             /* begin of the present run of damaged bytes */
    bool damaged;                /* there is such a run */
    struct rc_journal_seen seen; /* numbers of delivered records */
    const struct rc_journal_visitor *visitor;
    struct rc_journal_report *report;
    struct rc_error *err;
};

/* Makes room for 'need' bytes, and for enough after them to make a read worth its call.
 */
static int make_room(struct scan *scan, size_t need)
{
    size_t room = need > BUFFER_BYTES / 2 ? need + BUFFER_BYTES : BUFFER_BYTES;

    if (scan->room >= need + BUFFER_BYTES / 2)
        return RC_OK;
    unsigned char *more = realloc(scan->buffer, room);
    if (!more)
        return rc_fail(scan->err, RC_ENOMEM,
                       "%s: offset %" PRIu64 ": no memory for a record of %zu bytes",
                       scan->path, scan->base, need);
    scan->buffer = more;
    scan->room = room;
    return RC_OK;
}

/* Brings the bytes from 'at' on into the buffer: 'need' of them, or all that there are.
 * Bytes before 'at' are dropped.
 */
static int fetch_bytes(struct scan *scan, uint64_t at, size_t need)
{
    size_t skip;

    if (at + need <= scan->base + scan->fill)
        return RC_OK;
    if (scan->base + scan->fill >= scan->end)
        return RC_OK; /* the end is in the buffer */
    skip = at - scan->base < scan->fill ? (size_t)(at - scan->base) : scan->fill;
    scan->fill -= skip;
    if (skip > 0)
        memmove(scan->buffer, scan->buffer + skip, scan->fill);
    scan->base = at;
    const int status = make_room(scan, need);
    if (status != RC_OK)
        return status;
    while (scan->fill < scan->room && scan->base + scan->fill < scan->end) {
        uint64_t from = scan->base + scan->fill, left = scan->end - from;
        size_t want = scan->room - scan->fill;
        ssize_t got = pread(scan->fd, scan->buffer + scan->fill,
                            want < left ? want : (size_t)left, (off_t)from);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return rc_fail_errno(scan->err, "%s: cannot read at offset %" PRIu64,
                                 scan->path, from);
        if (got == 0)
            scan->end = from; /* the file was cut meanwhile */
        scan->fill += (size_t)got;
    }
    return RC_OK;
}

/* How many bytes from 'at' on are in the buffer. */
static size_t held_bytes(const struct scan *scan, uint64_t at)
{
    uint64_t behind = scan->base + scan->fill;

    return at < behind ? (size_t)(behind - at) : 0;
}

static const unsigned char *bytes_at(const struct scan *scan, uint64_t at)
{
    return scan->buffer + (at - scan->base);
}

/* Moves '*at' to the next mark of a record, or to the end. */
static int find_mark(struct scan *scan, uint64_t *at)
{
    while (*at < scan->end) {
        const unsigned char *mark;
        int status = fetch_bytes(scan, *at, RC_JOURNAL_MARK);
        size_t have = held_bytes(scan, *at);
        if (status != RC_OK)
            return status;
        if (have < RC_JOURNAL_MARK)
            break;
        mark = memmem(bytes_at(scan, *at), have, rc_journal_mark, RC_JOURNAL_MARK);
        if (mark) {
            *at += (uint64_t)(mark - bytes_at(scan, *at));
            return RC_OK;
        }
        *at += have - (RC_JOURNAL_MARK - 1);
    }
    *at = scan->end;
    return RC_OK;
}

/* Reports the run of damaged bytes, if any, which ends at 'at'. */
static void damage_ends(struct scan *scan, uint64_t at)
{
    struct rc_journal_report *report = scan->report;
    uint64_t bytes = at - scan->damage;

    if (!scan->damaged)
        return;
    scan->damaged = false;
    if (report->damaged_places++ == 0)
        report->first_damage = scan->damage;
    report->damaged_bytes += bytes;
    if (at == scan->end)
        report->tail_bytes = bytes;
    if (scan->visitor->damage)
        scan->visitor->damage(scan->visitor->user, scan->damage, bytes);
}

static void damage_begins(struct scan *scan, uint64_t at)
{
    if (!scan->damaged)
        scan->damage = at;
    scan->damaged = true;
}

/* Delivers a whole record at record->offset; its payload is in the buffer. */
static int deliver_record(struct scan *scan, const struct rc_journal_id *campaign,
                          const struct rc_journal_record *record)
{
    struct rc_journal_report *report = scan->report;

    if (!scan->campaign_known) {
        report->campaign = *campaign;
        scan->campaign_known = true;
    }
    if (memcmp(campaign->byte, report->campaign.byte, sizeof campaign->byte) != 0) {
        report->foreign++;
        return RC_OK;
    }
    int fresh = rc_journal_note(&scan->seen, record->writer, record->sequence);
    if (fresh < 0)
        return rc_fail(scan->err, RC_ENOMEM, "%s: offset %" PRIu64 ": no memory",
                       scan->path, record->offset);
    if (record->sequence >= report->next_sequence && record->sequence < UINT64_MAX)
        report->next_sequence = record->sequence + 1;
    if (fresh == 0) {
        report->repeated++;
        return RC_OK;
    }
    report->records++;
    return scan->visitor->record(scan->visitor->user, record, scan->err);
}

/* Examines the bytes after a mark at '*at', and moves '*at' after the record, or, if it
 * is damaged, to its second byte.
 */
static int take_record(struct scan *scan, uint64_t *at)
{
    struct rc_journal_record record = {.offset = *at};
    struct rc_journal_id campaign;
    uint32_t crc;
    int status = fetch_bytes(scan, *at, RC_JOURNAL_BEFORE);

    if (status != RC_OK)
        return status;
    if (held_bytes(scan, *at) < RC_JOURNAL_BEFORE ||
        !rc_journal_get_before(bytes_at(scan, *at), &campaign, &record, &crc))
        goto damaged;
    const size_t total = RC_JOURNAL_BEFORE + record.bytes + RC_JOURNAL_AFTER;
    if (total > scan->end - *at)
        goto damaged;
    if ((status = fetch_bytes(scan, *at, total)) != RC_OK)
        return status;
    if (held_bytes(scan, *at) < total)
        goto damaged;
    const unsigned char *payload = bytes_at(scan, *at) + RC_JOURNAL_BEFORE;
    if (rc_crc32c(crc, payload, record.bytes) !=
        rc_journal_get32(payload + record.bytes)) {
        damage_begins(scan, *at);
        scan->waste += total;
        *at += scan->waste > WASTE_LEAST + WASTE_TIMES * scan->end ? total : 1;
        return RC_OK;
    }
    damage_ends(scan, *at);
    record.payload = payload;
    *at += total;
    scan->report->whole_bytes += total;
    return deliver_record(scan, &campaign, &record);
damaged:
    damage_begins(scan, *at);
    *at += 1;
    return RC_OK;
}

/* Reads the header, and settles the campaign whose records count. */
static int read_header(struct scan *scan, const struct rc_journal_id *campaign,
                       enum rc_journal_header *header)
{
    int status = fetch_bytes(scan, 0, RC_JOURNAL_HEADER);
    size_t have = held_bytes(scan, 0);

    if (status != RC_OK)
        return status;
    status = rc_journal_check_header(
        scan->path, scan->buffer, have < RC_JOURNAL_HEADER ? have : RC_JOURNAL_HEADER,
        campaign, header, scan->err);
    if (status != RC_OK)
        return status;
    scan->report->header_damaged = *header != RC_JOURNAL_HEADER_WHOLE;
    if (campaign)
        scan->report->campaign = *campaign;
    else if (*header == RC_JOURNAL_HEADER_WHOLE)
        scan->report->campaign = rc_journal_header_campaign(scan->buffer);
    scan->campaign_known = campaign || *header == RC_JOURNAL_HEADER_WHOLE;
    return RC_OK;
}

static int scan_all(struct scan *scan, const struct rc_journal_id *campaign)
{
    struct rc_journal_report *report = scan->report;
    enum rc_journal_header header = RC_JOURNAL_HEADER_STRANGE;
    uint64_t at = 0;
    int status = read_header(scan, campaign, &header);

    if (status != RC_OK)
        return status;
    if (header == RC_JOURNAL_HEADER_WHOLE)
        report->whole_bytes = at = RC_JOURNAL_HEADER;
    while (at < scan->end) {
        uint64_t mark = at;
        if ((status = find_mark(scan, &mark)))
            return status;
        if (mark > at)
            damage_begins(scan, at);
        at = mark;
        if (at < scan->end && (status = take_record(scan, &at)))
            return status;
    }
    damage_ends(scan, scan->end);
    report->file_bytes = scan->end;
    if (header == RC_JOURNAL_HEADER_STRANGE && report->records + report->foreign == 0)
        return rc_fail(scan->err, RC_EUSAGE,
                       "%s: offset 0: not a journal, expected its header or a record",
                       scan->path);
    if (report->header_damaged && report->records == 0 && report->foreign > 0)
        return rc_fail(scan->err, RC_ECONFLICT,
                       "%s: the header is damaged and all %" PRIu64
                       " records belong to another campaign",
                       scan->path, report->foreign);
    return RC_OK;
}

int rc_journal_scan(const char *path, const struct rc_journal_id *campaign,
                    const struct rc_journal_visitor *visitor,
                    struct rc_journal_report *report, struct rc_error *err)
{
    struct scan scan = {.path = path, .visitor = visitor, .report = report, .err = err};
    struct stat file;
    int status;

    *report = (struct rc_journal_report){0};
    scan.fd = rc_file_open(path, RC_FILE_BELOW, O_RDONLY);
    if (scan.fd < 0)
        return rc_file_fail_open(err, path);
    if (fstat(scan.fd, &file) != 0) {
        status = rc_fail_errno(err, "cannot examine '%s'", path);
        goto out;
    }
    scan.end = (uint64_t)file.st_size;
    if ((status = make_room(&scan, RC_JOURNAL_HEADER)) == RC_OK)
        status = scan_all(&scan, campaign);
    report->file_bytes = scan.end;
out:
    close(scan.fd);
    free(scan.buffer);
    rc_journal_seen_fini(&scan.seen);
    return status;
}

void rc_journal_say(const struct rc_journal_report *report, const char *path, char *out,
                    size_t room)
{
    out[0] = '\0';
    if (report->damaged_places > 0)
        rc_text_append(out, room,
                       "%s: %" PRIu64 " of %" PRIu64 " bytes are damaged, in %" PRIu64
                       " place%s from offset %" PRIu64 " on%s; %" PRIu64
                       " whole records are taken",
                       path, report->damaged_bytes, report->file_bytes,
                       report->damaged_places, report->damaged_places == 1 ? "" : "s",
                       report->first_damage,
                       report->header_damaged ? " (the header among them)"
                       : report->tail_bytes == report->damaged_bytes ? " (a torn end)"
                                                                     : "",
                       report->records);
    if (report->foreign > 0)
        rc_text_append(out, room,
                       "%s%s%" PRIu64 " records of another campaign are left out",
                       out[0] ? "; " : path, out[0] ? "" : ": ", report->foreign);
    if (report->repeated > 0)
        rc_text_append(out, room,
                       "%s%s%" PRIu64 " records that came twice are taken once",
                       out[0] ? "; " : path, out[0] ? "" : ": ", report->repeated);
    rc_text_printable(out, room, out);
}
