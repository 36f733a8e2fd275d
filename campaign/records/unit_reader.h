/* unit_reader.h - reads the records of a campaign's units again from its journals */
#ifndef RC_CAMPAIGN_RECORDS_UNIT_READER_H
#define RC_CAMPAIGN_RECORDS_UNIT_READER_H

#include "campaign/records/campaign.h"

/* Zeroed except for the campaign, which must live longer.  One file is open at a time.
 */
struct rc_unit_reader {
    const struct rc_campaign *campaign;
    const struct rc_campaign_unit *unit; /* whose record is in memory; NULL: none */
    void *payload;                       /* of that record */
    int fd;                              /* of the file, if 'is_open' */
    uint32_t file;                       /* the campaign's number of the file */
    bool is_open;
    struct rc_bytes room;
};

/* Gives the payload of the unit's record, unit->bytes bytes, until the next unit is
 * read.  The caller may change it.
 */
int rc_unit_reader_get(struct rc_unit_reader *reader,
                       const struct rc_campaign_unit *unit, void **payload,
                       struct rc_error *err);

void rc_unit_reader_fini(struct rc_unit_reader *reader);

#endif
