/* unit_reader.h - the records of a campaign's units, read again from its journal */
#ifndef RC_CAMPAIGN_RECORDS_UNIT_READER_H
#define RC_CAMPAIGN_RECORDS_UNIT_READER_H

#include "campaign/records/campaign.h"

/* Zeroed but for the campaign, which lives longer.  One file is open at a time. */
struct rc_unit_reader {
    const struct rc_campaign *campaign;
    const struct rc_campaign_unit *unit; /* whose record is in memory; NULL: none */
    void *payload;                       /* of that record */
    int fd;                              /* of the file, if 'is_open' */
    uint32_t file;                       /* the campaign's number of it */
    bool is_open;
    struct rc_bytes room;
};

/* Where the payload of the unit's record is, unit->bytes bytes, until the next unit is
 * asked for.  It is the caller's to change.
 */
int rc_unit_reader_get(struct rc_unit_reader *reader,
                       const struct rc_campaign_unit *unit, void **payload,
                       struct rc_error *err);

void rc_unit_reader_fini(struct rc_unit_reader *reader);

#endif
