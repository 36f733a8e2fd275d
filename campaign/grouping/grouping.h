/* grouping.h - packing things into as few groups as an oracle allows
 *
 * The oracle is asked whether a set fits.  It should be monotone (each part of a set
 * that fits also fits) and steady; otherwise there may be more groups than needed, but
 * nothing hangs, gets lost or is placed twice.
 */
#ifndef RC_CAMPAIGN_GROUPING_GROUPING_H
#define RC_CAMPAIGN_GROUPING_GROUPING_H

#include "campaign/base/error.h"
#include "campaign/base/memory.h"
#include "campaign/base/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rc_trial; /* campaign/sources/source.h */

/* Tries these events together and fills 'out': RC_VERDICT_OK, or why not. */
typedef void (*rc_grouping_fits)(void *context, const uint32_t *events, size_t count,
                                 struct rc_trial *out);

/* Gets the reason why an event does not fit alone; a status other than RC_OK ends the
 * packing.
 */
typedef int rc_grouping_unfit(void *to, size_t index, const struct rc_trial *why,
                              struct rc_error *err);

struct rc_grouping_setup {
    rc_grouping_fits fits;
    void *context;
    size_t cap;       /* most events in a group, 0: no limit */
    bool whole_first; /* begin with a trial of all events together */

    /* Trials to be spent on finding good groups; 0: chosen here.  The first simple
     * packing (at most about 4 for each event) and the last trial of each group are not
     * included, since there is no result without them.
     */
    uint64_t trials;
};

#define RC_GROUPING_UNFIT UINT32_MAX

struct rc_groups_found {
    uint32_t *group_of; /* for each event its group, or RC_GROUPING_UNFIT */
    size_t groups;      /* numbered by their first event, from 0 */
    uint64_t trials, repaired;
};

/* Packs 'count' different events.  Events with equal alike[i], unless 0, can replace
 * each other in any group; 'alike' may be NULL.  Every group was tried as a whole.
 * unfit() gets the reason for each event that does not fit alone, in the order of the
 * input.  On success free(out->group_of); the only other failure is RC_ENOMEM, and then
 * *out is empty.
 */
int rc_grouping(const uint32_t *events, const uint32_t *alike, size_t count,
                const struct rc_grouping_setup *setup, rc_grouping_unfit *unfit,
                void *to, struct rc_groups_found *out, struct rc_error *err);

#endif
