/* kind_plan.h - what a campaign measures on a kind of machine
 *
 * Drawn up by one process of a kind from its catalogue: the kind with its
 * sources, the events, the suites and the groups, as records.  What the campaign
 * has of them already stays as it is; only what is new is drawn up.
 */
#ifndef RC_CAMPAIGN_PLAN_KIND_PLAN_H
#define RC_CAMPAIGN_PLAN_KIND_PLAN_H

#include "campaign/catalogue/catalogue.h"
#include "campaign/records/campaign.h"

/* Most events that are counted together in a unit, where more would count: a
 * unit is what a kill loses, and its readings are in memory at once.
 */
#define RC_KIND_PLAN_GROUP_MOST 1024

struct rc_kind_plan {
    const struct rc_spec *spec;           /* what is wanted */
    const struct rc_catalogue *catalogue; /* of the kind: what can be had */
    struct rc_campaign *campaign;         /* gets what is drawn up */

    /* Told of each record that the campaign has taken in; may be NULL. */
    int (*emit)(void *context, uint32_t type, const struct rc_bytes *payload,
                struct rc_error *err);
    /* Told what a user should know: a suite that cannot run here, ...; one line. */
    void (*remark)(void *context, const char *line);
    void *context;
};

/* Whether there is something to be grouped: events that the campaign knows nothing
 * of, or that are in no group any more since others of theirs are not wanted.  Then
 * the catalogue must have been opened with trials before rc_kind_plan_kind() is called.
 */
int rc_kind_plan_is_new(const struct rc_campaign *campaign,
                        const struct rc_catalogue *catalogue, bool *is_new,
                        struct rc_error *err);

/* RC_EMISSING: none of the suites can run here, or no event counts.
 * RC_ECONFLICT: a suite of this build is not the one that the campaign measured.
 */
int rc_kind_plan_kind(const struct rc_kind_plan *plan, struct rc_error *err);

/* A remark on what the trials said of all events; none where nothing was tried. */
void rc_kind_plan_say_verdicts(const struct rc_kind_plan *plan);

/* Remarks on patterns that take in nothing. */
int rc_kind_plan_say_patterns(const struct rc_kind_plan *plan, struct rc_error *err);

/* The part of it that is about suites; 'id' is the kind's. */
int rc_kind_plan_suites(const struct rc_kind_plan *plan, uint64_t id,
                        struct rc_error *err);

#endif
