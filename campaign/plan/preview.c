/* Groups, units and costs of a run on this machine, without measuring: the steps of a
 * run in their order, with a campaign in memory only.
 */
#include "campaign/plan/preview.h"

#include "campaign/plan/calibrate.h"
#include "campaign/plan/kind_plan.h"

int rc_preview_make(struct rc_preview *o, struct rc_error *err)
{
    o->campaign = rc_campaign_create();
    if (!o->campaign)
        return rc_fail(err, RC_ENOMEM, "no memory for a plan");
    const struct rc_kind_plan plan = {.spec = o->spec,
                                      .catalogue = o->catalogue,
                                      .campaign = o->campaign,
                                      .remark = o->remark,
                                      .context = o->context};
    int status = rc_kind_plan_kind(&plan, err);
    if (status != RC_OK)
        return status;
    if ((status = rc_event_numbers_make(o->campaign->kind, o->catalogue, &o->map,
                                        err)) != RC_OK)
        return status;
    const struct rc_measurer_setup measurer = {.spec = o->spec,
                                               .catalogue = o->catalogue,
                                               .kind = o->campaign->kind,
                                               .map = &o->map};
    if ((status = rc_measurer_create(&measurer, &o->measurer, err)) != RC_OK ||
        (status = rc_calibrate(MPI_COMM_NULL, o->measurer, o->campaign->kind, &o->costs,
                               err)) != RC_OK)
        return status;
    o->setup = (struct rc_units_setup){.campaign = o->campaign,
                                       .spec = o->spec,
                                       .catalogue = o->catalogue,
                                       .map = &o->map,
                                       .costs = &o->costs};
    return rc_units_find(&o->setup, &o->units, err);
}

void rc_preview_fini(struct rc_preview *o)
{
    rc_units_fini(&o->units);
    rc_costs_fini(&o->costs);
    rc_measurer_close(o->measurer);
    rc_event_numbers_fini(&o->map);
    rc_campaign_close(o->campaign);
    o->measurer = NULL;
    o->campaign = NULL;
}
