/* journal_to_store.h - journals become DIR/campaign.h5
 *
 * Each event takes its readings from a group whose own it is, one that was measured in
 * the suite if there is any.  The result says the same whatever the number of ranks.
 */
#ifndef RC_CAMPAIGN_PACK_JOURNAL_TO_STORE_H
#define RC_CAMPAIGN_PACK_JOURNAL_TO_STORE_H

#include "campaign/records/campaign.h"
#include "io/store/store.h"

/* Collective over 'comm' (or alone); 'campaign' is what rc_campaign_read() gave, the
 * same on all ranks.  A file that is there stays as it is until the new one is
 * whole.  'tell' (may be NULL) is called on every rank after each piece of work,
 * with how many events of all suites are done.  A journal that was changed since
 * it was read is RC_EIO.  Each rank needs 32 MiB for a block of results (or as
 * much as one chunk of the file takes), and some bytes for each unit and event.
 */
int rc_journal_to_store(MPI_Comm comm, const char *dir,
                        const struct rc_campaign *campaign,
                        void (*tell)(void *arg, size_t done, size_t total), void *arg,
                        struct rc_error *err);

/* Whether the store is what rc_journal_to_store() would make of 'campaign': of the same
 * campaign, campaign file and records.  A file of earlier versions does not say of
 * which it is.
 */
bool rc_journal_to_store_is_made(const struct rc_campaign *campaign,
                                 const struct rc_store_campaign *made);

/* Whether its labels say that its readings are those of one campaign less another's. */
bool rc_journal_to_store_is_difference(const struct rc_store_campaign *campaign);

#endif
