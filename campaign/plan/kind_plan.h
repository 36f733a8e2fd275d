/* kind_plan.h - plans the measurements on a kind of machine
 *
 * One process of a kind makes the plan from its catalogue: the kind with its sources,
 * the events, the suites and the groups, as records.  Existing ones of the campaign
 * stay as they are; only new ones are made.
 */
#ifndef RC_CAMPAIGN_PLAN_KIND_PLAN_H
#define RC_CAMPAIGN_PLAN_KIND_PLAN_H

#include "campaign/catalogue/catalogue.h"
#include "campaign/records/campaign.h"

/* The most events that are counted together in a unit, even if more could be: a kill
 * loses a whole unit, and its readings are in memory at once.
 */
#define RC_KIND_PLAN_GROUP_MOST 1024

struct rc_kind_plan {
    const struct rc_spec *spec;           /* what is wanted */
    const struct rc_catalogue *catalogue; /* of the kind: what is available */
    struct rc_campaign *campaign;         /* gets the new records */

    /* Gets each record that was applied to the campaign; may be NULL. */
    int (*emit)(void *context, uint32_t type, const struct rc_bytes *payload,
                struct rc_error *err);
    /* Gets a line for the user: a suite that cannot run here, ... */
    void (*remark)(void *context, const char *line);
    void *context;
};

/* Whether any event must be grouped: one that the campaign does not know, or that is in
 * no group any more since others of its group are not wanted.  Then the catalogue must
 * have been opened with trials before rc_kind_plan_kind() is called.
 */
int rc_kind_plan_is_new(const struct rc_campaign *campaign,
                        const struct rc_catalogue *catalogue, bool *is_new,
                        struct rc_error *err);

/* RC_EMISSING: none of the suites can run here, or no event counts.  RC_ECONFLICT: a
 * suite of this build differs from the one that the campaign measured.
 */
int rc_kind_plan_kind(const struct rc_kind_plan *plan, struct rc_error *err);

/* Makes a remark on the verdicts of all trials; none if nothing was tried. */
void rc_kind_plan_say_verdicts(const struct rc_kind_plan *plan);

/* Makes remarks on patterns that match nothing. */
int rc_kind_plan_say_patterns(const struct rc_kind_plan *plan, struct rc_error *err);

/* Plans the suites; 'id' is the kind's. */
int rc_kind_plan_suites(const struct rc_kind_plan *plan, uint64_t id,
                        struct rc_error *err);

#endif
