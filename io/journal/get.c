/* Reads one record of a journal again, at the place where a scan found it.  It is
 * checked again, since the file may have been changed meanwhile.
 */
#include "io/journal/crc32c.h"
#include "io/journal/format.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

_Static_assert(RC_JOURNAL_AROUND == RC_JOURNAL_BEFORE + RC_JOURNAL_AFTER,
               "what is around a payload");

/* Whether the bytes are that record, undamaged. */
static bool is_whole(const unsigned char *byte, const struct rc_journal_id *campaign,
                     const struct rc_journal_record *record)
{
    struct rc_journal_record found = {.type = 0};
    struct rc_journal_id of;
    uint32_t crc;

    if (!rc_journal_get_before(byte, &of, &found, &crc))
        return false;
    const unsigned char *payload = byte + RC_JOURNAL_BEFORE;
    return memcmp(of.byte, campaign->byte, sizeof of.byte) == 0 &&
           found.type == record->type && found.sequence == record->sequence &&
           found.bytes == record->bytes &&
           rc_crc32c(crc, payload, found.bytes) ==
               rc_journal_get32(payload + found.bytes);
}

/* Also works on a file that grows meanwhile. */
int rc_journal_get(int fd, const char *path, const struct rc_journal_id *campaign,
                   struct rc_journal_record *record, void *room, struct rc_error *err)
{
    const size_t total = record->bytes + RC_JOURNAL_AROUND;
    unsigned char *byte = room;
    size_t have = 0;

    while (have < total) {
        ssize_t got =
            pread(fd, byte + have, total - have, (off_t)(record->offset + have));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return rc_fail_errno(err, "%s: cannot read at offset %" PRIu64, path,
                                 record->offset);
        if (got == 0)
            break;
        have += (size_t)got;
    }
    if (have < total || !is_whole(byte, campaign, record))
        return rc_fail(err, RC_EIO,
                       "%s: offset %" PRIu64 ": record %" PRIu64
                       " is not there any more: the file was changed meanwhile",
                       path, record->offset, record->sequence);
    record->payload = byte + RC_JOURNAL_BEFORE;
    return RC_OK;
}
