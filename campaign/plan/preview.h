/* preview.h - a run on this machine without measuring: its groups, units and costs */
#ifndef RC_CAMPAIGN_PLAN_PREVIEW_H
#define RC_CAMPAIGN_PLAN_PREVIEW_H

#include "campaign/catalogue/catalogue.h"
#include "campaign/measure/measure.h"
#include "campaign/plan/units.h"

struct rc_preview {
    /* Set by the caller, who owns them. */
    const struct rc_spec *spec;
    struct rc_catalogue *catalogue;                  /* opened with trials */
    void (*remark)(void *context, const char *line); /* may be NULL */
    void *context;

    /* Made here, and freed by rc_preview_fini(). */
    struct rc_campaign *campaign; /* as at the begin of a run: one kind */
    struct rc_event_numbers map;  /* its events among those of the catalogue */
    struct rc_measurer *measurer; /* that timed the units */
    struct rc_costs costs;        /* of sweeps and groups */
    struct rc_units_setup setup;  /* of the units; points to the members above */
    struct rc_units units;        /* all units of a run */
};

/* Makes the kind's groups and estimates the times of its units.  Only this process.
 * rc_preview_fini() in any case.
 */
int rc_preview_make(struct rc_preview *preview, struct rc_error *err);
void rc_preview_fini(struct rc_preview *preview); /* accepts a zeroed one */

#endif
