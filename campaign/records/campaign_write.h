/* campaign_write.h - writes a campaign as records */
#ifndef RC_CAMPAIGN_RECORDS_CAMPAIGN_WRITE_H
#define RC_CAMPAIGN_RECORDS_CAMPAIGN_WRITE_H

#include "campaign/records/campaign.h"

/* Each of these appends one record, or as many as a list takes.  Only this process.  On
 * failure some records may have been appended: the journal is whole, but not complete.
 * 'record' is as in rc_record_put().
 */
int rc_campaign_write(struct rc_journal *journal, uint32_t type, const void *record,
                      struct rc_error *err);
int rc_campaign_write_run(struct rc_journal *journal, const struct rc_campaign_run *run,
                          struct rc_error *err);

/* Appends a kind: its record, and its lists of events, suites and groups. */
int rc_campaign_write_kind(struct rc_journal *journal,
                           const struct rc_campaign_kind *kind, struct rc_error *err);

/* Appends all of a campaign except units and shares. */
int rc_campaign_write_all(struct rc_journal *journal,
                          const struct rc_campaign *campaign, struct rc_error *err);

#endif
