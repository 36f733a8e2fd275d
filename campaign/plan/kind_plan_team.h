/* kind_plan_team.h - the plan of a kind, made by its speaker and sent to its ranks */
#ifndef RC_CAMPAIGN_PLAN_KIND_PLAN_TEAM_H
#define RC_CAMPAIGN_PLAN_KIND_PLAN_TEAM_H

#include "campaign/catalogue/ranks.h"
#include "campaign/plan/kind_plan.h"
#include "io/journal/journal.h"

struct rc_kind_plan_team {
    const struct rc_ranks *ranks; /* of the job, by kind */
    const struct rc_spec *spec;   /* what is wanted, the same on all ranks */
    struct rc_campaign *campaign; /* of every rank: gets the new records */
    struct rc_journal *journal;   /* the speaker's: gets the same records */
    bool extend;                  /* kinds may be added to those of the campaign */
    void (*remark)(void *context, const char *line); /* may be NULL; on speakers */

    /* Collective: called when the plan of every kind is settled, before any of it is
     * written, so that a failed plan writes nothing.
     */
    int (*begin)(void *context, struct rc_error *err);
    void *context;
};

/* Collective over the ranks' job.  *kind is the index of this rank's kind in its
 * campaign.  RC_ECONFLICT: the campaign has measured other kinds only, and
 * 'extend' is not set.
 */
int rc_kind_plan_team(const struct rc_kind_plan_team *team, size_t *kind,
                      struct rc_error *err);

#endif
