/* Reads the records of units from the journals that a campaign was read from.
 *
 * A campaign has only the place of a unit's record.  Units that follow each other
 * mostly lie in one file, so one open file and the memory of one record are enough.
 * The record is checked again as it was when it was scanned: the file may have changed
 * meanwhile.
 */
#include "campaign/records/unit_reader.h"

#include "campaign/base/files/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int rc_unit_reader_get(struct rc_unit_reader *r, const struct rc_campaign_unit *unit,
                       void **payload, struct rc_error *err)
{
    const char *path = r->campaign->file[unit->file].path;
    const size_t need = unit->bytes + RC_JOURNAL_AROUND;
    struct rc_journal_record record = {.type = RC_RECORD_UNIT,
                                       .writer = unit->writer,
                                       .sequence = unit->sequence,
                                       .offset = unit->offset,
                                       .bytes = unit->bytes};
    int status;

    *payload = r->payload;
    if (r->unit == unit)
        return RC_OK;
    r->unit = NULL;
    if (!r->is_open || r->file != unit->file) {
        if (r->is_open)
            close(r->fd);
        r->fd = rc_file_open(path, RC_FILE_BELOW, O_RDONLY);
        r->file = unit->file;
        r->is_open = r->fd >= 0;
        if (!r->is_open)
            return rc_file_fail_open(err, path);
    }
    if (r->room.room < need) {
        rc_bytes_fini(&r->room);
        r->room.byte = malloc(need);
        r->room.room = r->room.byte ? need : 0;
    }
    if (!r->room.byte)
        return rc_fail(err, RC_ENOMEM, "%s: no memory for a record of %zu bytes", path,
                       need);
    if ((status = rc_journal_get(r->fd, path, &r->campaign->campaign, &record,
                                 r->room.byte, err)) != RC_OK)
        return status;
    r->unit = unit;
    r->payload = r->room.byte + ((const unsigned char *)record.payload - r->room.byte);
    *payload = r->payload;
    return RC_OK;
}

void rc_unit_reader_fini(struct rc_unit_reader *r)
{
    if (r->is_open)
        close(r->fd);
    rc_bytes_fini(&r->room);
    *r = (struct rc_unit_reader){.campaign = r->campaign};
}
