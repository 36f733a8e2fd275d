/* journal_to_store.h - journals become DIR/campaign.h5
 *
 * Each event takes its readings from a group that has it as its own event, if possible
 * one that was measured in the suite.  The result is the same for any number of ranks.
 */
#ifndef RC_CAMPAIGN_PACK_JOURNAL_TO_STORE_H
#define RC_CAMPAIGN_PACK_JOURNAL_TO_STORE_H

#include "campaign/records/campaign.h"
#include "io/store/store.h"

/* Collective over 'comm' (or alone); 'campaign' comes from rc_campaign_read(), the same
 * on all ranks.  An older file stays as it is until the new one is whole.  'tell' (may
 * be NULL) is called on every rank after each piece of work, with the number of events
 * of all suites that are done.  A journal that was changed since it was read is RC_EIO.
 * Each rank needs 32 MiB for a block of results (or as much as one chunk of the file
 * takes), and some bytes for each unit and event.
 */
int rc_journal_to_store(MPI_Comm comm, const char *dir,
                        const struct rc_campaign *campaign,
                        void (*tell)(void *arg, size_t done, size_t total), void *arg,
                        struct rc_error *err);

/* Whether the store equals what rc_journal_to_store() would make from 'campaign': same
 * campaign, campaign file and records.  Files of earlier versions do not say.
 */
bool rc_journal_to_store_is_made(const struct rc_campaign *campaign,
                                 const struct rc_store_campaign *made);

/* Whether its labels say that its readings are differences of two campaigns. */
bool rc_journal_to_store_is_difference(const struct rc_store_campaign *campaign);

#endif
