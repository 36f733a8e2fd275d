#include "campaign/plan/preview.h"

#include "campaign/base/memory.h"
#include "campaign/plan/calibrate.h"
#include "campaign/plan/kind_plan.h"

static int draft(struct rc_outlook *o, struct rc_error *err)
{
    const struct rc_draft draft = {.spec = o->spec,
                                   .catalogue = o->catalogue,
                                   .history = o->history,
                                   .remark = o->remark,
                                   .context = o->context};
    int status = rc_draft_kind(&draft, err);

    return status == RC_OK
               ? rc_event_map_make(o->history->kind, o->catalogue, &o->map, err)
               : status;
}

static int find_units(struct rc_outlook *o, struct rc_error *err)
{
    const struct rc_measurer_setup measurer = {.spec = o->spec,
                                               .catalogue = o->catalogue,
                                               .kind = o->history->kind,
                                               .map = &o->map};
    int status = rc_measurer_create(&measurer, &o->measurer, err);

    if (status == RC_OK)
        status =
            rc_calibrate(MPI_COMM_NULL, o->measurer, o->history->kind, &o->costs, err);
    o->setup = (struct rc_units_setup){.history = o->history,
                                       .spec = o->spec,
                                       .catalogue = o->catalogue,
                                       .map = &o->map,
                                       .costs = &o->costs};
    return status == RC_OK ? rc_units_find(&o->setup, &o->units, err) : status;
}

int rc_outlook_make(struct rc_outlook *o, struct rc_error *err)
{
    o->history = rc_history_create();
    if (!o->history)
        return rc_fail(err, RC_ENOMEM, "no memory for a plan");
    int status = draft(o, err);
    return status == RC_OK ? find_units(o, err) : status;
}

void rc_outlook_fini(struct rc_outlook *o)
{
    rc_units_fini(&o->units);
    rc_costs_fini(&o->costs);
    rc_measurer_close(o->measurer);
    rc_event_map_fini(&o->map);
    rc_history_close(o->history);
    o->measurer = NULL;
    o->history = NULL;
}
