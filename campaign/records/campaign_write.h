/* campaign_write.h - what a campaign says, written as records */
#ifndef RC_CAMPAIGN_RECORDS_CAMPAIGN_WRITE_H
#define RC_CAMPAIGN_RECORDS_CAMPAIGN_WRITE_H

#include "campaign/records/campaign.h"

/* Each of these appends one record, or as many as a list takes.  Only this process.  On
 * failure some records may have been appended: the journal is whole, but says less.
 */
int rc_campaign_write_head(struct rc_journal *journal,
                           const struct rc_record_campaign *campaign,
                           struct rc_error *err);
int rc_campaign_write_run(struct rc_journal *journal, const struct rc_campaign_run *run,
                          struct rc_error *err);
int rc_campaign_write_origin(struct rc_journal *journal,
                             const struct rc_record_origin *origin,
                             struct rc_error *err);

/* A kind with lists of the campaign's form, all borrowed. */
struct rc_campaign_lists {
    const struct rc_record_kind *kind;
    const struct rc_record_event *event;
    const struct rc_record_suite *suite;
    const struct rc_record_group *group;
    size_t event_count, suite_count, group_count;
};
int rc_campaign_write_kind(struct rc_journal *journal,
                           const struct rc_campaign_lists *kind, struct rc_error *err);

/* Appends what a kind is: its events, suites and groups. */
int rc_campaign_write_whole_kind(struct rc_journal *journal,
                                 const struct rc_campaign_kind *kind,
                                 struct rc_error *err);

/* Appends everything that a campaign says except units and shares. */
int rc_campaign_write_all(struct rc_journal *journal,
                          const struct rc_campaign *campaign, struct rc_error *err);

#endif
