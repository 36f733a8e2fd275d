/* event_numbers.h - the events of a campaign among those that this process counts
 *
 * A campaign numbers the events of a kind once and for all; a source numbers
 * those that it finds when it is opened.  Names bring the two together.
 */
#ifndef RC_CAMPAIGN_RECORDS_EVENT_NUMBERS_H
#define RC_CAMPAIGN_RECORDS_EVENT_NUMBERS_H

#include "campaign/catalogue/catalogue.h"
#include "campaign/records/campaign.h"

#define RC_EVENT_ABSENT UINT32_MAX

struct rc_event_numbers {
    uint32_t *number;    /* the source's, by the kind's event; or RC_EVENT_ABSENT */
    uint32_t *listed;    /* the catalogue's index, likewise: a reference that no pattern
                          * matches has only a number */
    uint32_t *of_listed; /* the kind's event, by the catalogue's index; or
                          * RC_EVENT_ABSENT */
    size_t events;
    struct rc_arena arena; /* of these arrays */
};

/* On failure *out is empty. */
int rc_event_numbers_make(const struct rc_campaign_kind *kind,
                          const struct rc_catalogue *catalogue,
                          struct rc_event_numbers *out, struct rc_error *err);
void rc_event_numbers_fini(struct rc_event_numbers *map); /* accepts an empty one */

#endif
