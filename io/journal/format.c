/* The header and the record heads of a journal, as bytes: docs/formats/journal.md.
 * Everything has its own checksum, and each record begins with a mark and names its
 * campaign, so that records are found even in a file with damage anywhere.
 */
#include "io/journal/format.h"

#include "io/journal/crc32c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Both begin with a byte that begins no character of UTF-8, and contain line ends that
 * careless copying changes.
 */
static const unsigned char magic[8] = {0x89, 'R', 'C', 'J', '\r', '\n', 0x1a, '\n'};
const unsigned char rc_journal_mark[RC_JOURNAL_MARK] = {0x8b, 'r',  'e',  'c',
                                                        '\r', '\n', 0x1a, 0xf5};

#define BYTE_ORDER_MARK UINT32_C(0x01020304)
/* Offsets in the header, and in a record. */
enum { AT_VERSION = 8, AT_ORDER = 12, AT_CAMPAIGN = 16, AT_HEADER_CRC = 60 };
enum {
    AT_OWNER = 8,
    AT_SEQUENCE = 24,
    AT_WRITER = 32,
    AT_TYPE = 36,
    AT_BYTES = 40,
    AT_CRC = 44
};

void rc_journal_put32(unsigned char *out, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(number >> 8 * i);
}

uint32_t rc_journal_get32(const unsigned char *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 |
           (uint32_t)in[3] << 24;
}

void rc_journal_put_header(unsigned char *out, const struct rc_journal_id *campaign)
{
    const uint32_t order = BYTE_ORDER_MARK;

    memset(out, 0, RC_JOURNAL_HEADER);
    memcpy(out, magic, sizeof magic);
    rc_journal_put32(out + AT_VERSION, RC_JOURNAL_VERSION);
    memcpy(out + AT_ORDER, &order, sizeof order); /* in this machine's byte order */
    memcpy(out + AT_CAMPAIGN, campaign->byte, sizeof campaign->byte);
    rc_journal_put32(out + AT_HEADER_CRC, rc_crc32c(0, out, AT_HEADER_CRC));
}

struct rc_journal_id rc_journal_header_campaign(const unsigned char *header)
{
    struct rc_journal_id campaign;

    memcpy(campaign.byte, header + AT_CAMPAIGN, sizeof campaign.byte);
    return campaign;
}

const char *rc_journal_id_text(char *out, const struct rc_journal_id *id)
{
    for (size_t i = 0; i < sizeof id->byte; i++)
        snprintf(out + 2 * i, 3, "%02x", id->byte[i]);
    return out;
}

/* One damaged byte leaves magic or campaign intact; a crash of the system may leave
 * zeros; a cut leaves the beginning; a file that was emptied while it was written has a
 * record in place of the header.
 */
static enum rc_journal_header what_is_left(const unsigned char *header, size_t bytes,
                                           const struct rc_journal_id *campaign)
{
    size_t zeros = 0;

    while (zeros < bytes && header[zeros] == 0)
        zeros++;
    if (zeros == bytes ||
        memcmp(header, magic, bytes < sizeof magic ? bytes : sizeof magic) == 0)
        return RC_JOURNAL_HEADER_DAMAGED;
    if (campaign && bytes >= AT_CAMPAIGN + sizeof campaign->byte &&
        memcmp(header + AT_CAMPAIGN, campaign->byte, sizeof campaign->byte) == 0)
        return RC_JOURNAL_HEADER_DAMAGED;
    if (campaign && bytes >= AT_OWNER + sizeof campaign->byte &&
        memcmp(header, rc_journal_mark, RC_JOURNAL_MARK) == 0 &&
        memcmp(header + AT_OWNER, campaign->byte, sizeof campaign->byte) == 0)
        return RC_JOURNAL_HEADER_DAMAGED;
    return RC_JOURNAL_HEADER_STRANGE;
}

/* The checksum comes first: only a whole header is trusted enough to blame a version or
 * another campaign.
 */
int rc_journal_check_header(const char *path, const unsigned char *header, size_t bytes,
                            const struct rc_journal_id *campaign,
                            enum rc_journal_header *out, struct rc_error *err)
{
    const uint32_t order = BYTE_ORDER_MARK;
    char found[33], expected[33];

    *out = RC_JOURNAL_HEADER_WHOLE;
    if (bytes < RC_JOURNAL_HEADER || memcmp(header, magic, sizeof magic) != 0 ||
        rc_journal_get32(header + AT_HEADER_CRC) !=
            rc_crc32c(0, header, AT_HEADER_CRC)) {
        *out = what_is_left(header, bytes, campaign);
        return RC_OK;
    }
    if (rc_journal_get32(header + AT_VERSION) != RC_JOURNAL_VERSION)
        return rc_fail(err, RC_EUNSUPPORTED,
                       "%s: offset %d: a journal of version %" PRIu32
                       ", this program reads version %d",
                       path, AT_VERSION, rc_journal_get32(header + AT_VERSION),
                       RC_JOURNAL_VERSION);
    if (memcmp(header + AT_ORDER, &order, sizeof order) != 0)
        return rc_fail(err, RC_EUNSUPPORTED,
                       "%s: offset %d: a journal written on a machine of another byte "
                       "order, expected this machine's",
                       path, AT_ORDER);
    struct rc_journal_id id = rc_journal_header_campaign(header);
    if (campaign && memcmp(id.byte, campaign->byte, sizeof id.byte) != 0)
        return rc_fail(
            err, RC_ECONFLICT,
            "%s: offset %d: the journal of another campaign, %s, expected %s", path,
            AT_CAMPAIGN, rc_journal_id_text(found, &id),
            rc_journal_id_text(expected, campaign));
    return RC_OK;
}

uint32_t rc_journal_put_before(unsigned char *out, const struct rc_journal_id *campaign,
                               const struct rc_journal_record *record)
{
    uint32_t crc;

    memcpy(out, rc_journal_mark, RC_JOURNAL_MARK);
    memcpy(out + AT_OWNER, campaign->byte, sizeof campaign->byte);
    rc_journal_put32(out + AT_SEQUENCE, (uint32_t)record->sequence);
    rc_journal_put32(out + AT_SEQUENCE + 4, (uint32_t)(record->sequence >> 32));
    rc_journal_put32(out + AT_WRITER, record->writer);
    rc_journal_put32(out + AT_TYPE, record->type);
    rc_journal_put32(out + AT_BYTES, (uint32_t)record->bytes);
    crc = rc_crc32c(0, out, AT_CRC);
    rc_journal_put32(out + AT_CRC, crc);
    return crc;
}

bool rc_journal_get_before(const unsigned char *in, struct rc_journal_id *campaign,
                           struct rc_journal_record *record, uint32_t *crc)
{
    *crc = rc_crc32c(0, in, AT_CRC);
    if (memcmp(in, rc_journal_mark, RC_JOURNAL_MARK) != 0 ||
        rc_journal_get32(in + AT_CRC) != *crc)
        return false;
    memcpy(campaign->byte, in + AT_OWNER, sizeof campaign->byte);
    record->sequence = rc_journal_get32(in + AT_SEQUENCE) |
                       (uint64_t)rc_journal_get32(in + AT_SEQUENCE + 4) << 32;
    record->writer = rc_journal_get32(in + AT_WRITER);
    record->type = rc_journal_get32(in + AT_TYPE);
    record->bytes = rc_journal_get32(in + AT_BYTES);
    return record->bytes <= RC_JOURNAL_PAYLOAD_MAX;
}
