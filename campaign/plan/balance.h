/* balance.h - units dealt out to shares, so that all take about as long */
#ifndef RC_CAMPAIGN_PLAN_BALANCE_H
#define RC_CAMPAIGN_PLAN_BALANCE_H

#include "campaign/base/error.h"

#include <stddef.h>
#include <stdint.h>

struct rc_balance_item {
    uint64_t cost_ns;
    uint32_t lane; /* any number: those with the same one are balanced */
};

/* share_of[item] becomes a number below 'shares' (1 or more).  Lane by lane, in the
 * order of their numbers, the longest item goes to the share that has least of that
 * lane; of several, to the one that has least in all.  So
 *
 * - in each lane two shares differ by no more than its longest item,
 * - no share is empty where there are as many items as shares,
 * - equal items in the same order are dealt alike.
 */
int rc_balance(const struct rc_balance_item *item, size_t count, size_t shares,
               uint32_t *share_of, struct rc_error *err);

#endif
