/* Finds the units that are left for this run, and writes the records of the run itself.
 *
 * Units are listed twice: first to see whether any are left, and again in order of
 * their times, once the costs of sweeps and groups are known.
 */
#include "campaign/run/parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/version.h"
#include "campaign/catalogue/points.h"
#include "campaign/plan/calibrate.h"
#include "campaign/plan/estimate.h"
#include "campaign/records/campaign_write.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

int rc_run_append_campaign(struct rc_run *w, struct rc_error *err)
{
    char *text;
    size_t bytes;
    int status = rc_spec_text(&w->opening.spec, &text, &bytes, err);

    if (status != RC_OK)
        return status;
    const struct rc_record_campaign record = {
        .spec = text, .created_by = "rollcall " RC_VERSION, .unix_time = time(NULL)};
    status = rc_campaign_write(w->journal, RC_RECORD_CAMPAIGN, &record, err);
    free(text);
    return status;
}

int rc_run_append_run(struct rc_run *w, uint32_t type, uint64_t left,
                      struct rc_error *err)
{
    char job[256];
    const struct rc_record_run record = {.unix_time = time(NULL),
                                         .ranks = (uint32_t)rc_team_size(w->comm),
                                         .nodes = (uint32_t)w->ranks.nodes.count,
                                         .created_by = "rollcall " RC_VERSION,
                                         .job = rc_campaign_dir_job(job, sizeof job),
                                         .units_left = left,
                                         .interrupted = w->interrupted};

    return rc_campaign_write(w->journal, type, &record, err);
}

/* Collective: lists the units that are not done and sums them up, each unit once for
 * each place at which it is wanted.
 */
static int find_units(struct rc_run *w, struct rc_error *err)
{
    const enum rc_replicate replicate = rc_units_replicate(&w->setup);
    char label[RC_PLACE_LABEL];
    int status;

    rc_units_fini(&w->units);
    memset(w->totals, 0, sizeof w->totals);
    w->wanted = 0;
    if ((status = rc_agree(w->comm, rc_units_find(&w->setup, &w->units, err), err)) !=
        RC_OK)
        return status;
    for (size_t l = 0; l < RC_LANE_COUNT; l++) {
        enum rc_scope reach = l < RC_SCOPE_NODE ? (enum rc_scope)l : RC_SCOPE_NODE;
        const struct rc_lane *lane = &w->units.lane[l];
        const size_t wanted = lane->count;
        /* One rank counts for each place. */
        const bool speaks = replicate == RC_REPLICATE_NODE ? w->ranks.nodes.leads
                            : replicate == RC_REPLICATE_CORE
                                ? w->ranks.reads[reach]
                                : rc_team_rank(w->ranks.kind) == 0;
        rc_ranks_label(&w->ranks, replicate, reach, label);
        rc_units_drop_done(&w->setup, l, label, &w->units);
        if (!speaks)
            continue;
        w->wanted += wanted;
        w->totals[0] += lane->count;
        for (size_t i = 0; i < lane->count; i++)
            w->totals[1] += lane->unit[i].cost_ns;
    }
    rc_team_sum(w->comm, w->totals, 2);
    rc_team_sum(w->comm, &w->wanted, 1);
    return RC_OK;
}

/* Refuses teams that this run is too small for, before anything is measured. */
static int check_teams(const struct rc_run *w, struct rc_error *err)
{
    const struct rc_lane *lane = &w->units.lane[RC_LANE_ALL_CORES];
    const struct rc_record_suite *suites = w->opening.campaign->kind[w->kind].suite;
    int status = RC_OK;

    for (size_t i = 0; i < lane->count && status == RC_OK; i++) {
        const struct rc_record_suite *suite = &suites[lane->unit[i].suite];
        status = rc_suite_team_check(w->ranks.catalogue, suite->name,
                                     rc_record_suite_team(suite), err);
    }
    return status;
}

/* Estimates the time that the ranks of this kind need for their units; other kinds
 * measure meanwhile.
 */
static void estimate_wall(struct rc_run *w)
{
    const size_t nodes = (size_t)w->ranks.kinds.kind[w->ranks.kinds.mine].node_count;
    const size_t ranks = (size_t)rc_team_size(w->ranks.kind);
    const struct rc_estimate_team team =
        rc_estimate_team(w->ranks.catalogue->machine, nodes ? ranks / nodes : ranks,
                         nodes ? nodes : 1, rc_units_replicate(&w->setup));
    struct rc_estimate estimate;

    rc_estimate(&w->setup, &w->units, &team, &estimate);
    w->wall_ns = estimate.least_ns;
}

int rc_run_prepare_units(struct rc_run *w, struct rc_error *err)
{
    const struct rc_campaign *campaign = w->opening.campaign;
    const struct rc_measurer_setup setup = {
        .spec = &w->opening.spec,
        .catalogue = w->ranks.catalogue,
        .kind = &campaign->kind[w->kind],
        .map = &w->map,
        .kernel_bytes = rc_measurer_kernel_bytes((size_t)rc_team_size(w->ranks.node))};
    int status;

    if ((status = rc_event_numbers_make(setup.kind, w->ranks.catalogue, &w->map,
                                        err)) == RC_OK)
        status = rc_measurer_create(&setup, &w->measurer, err);
    w->setup = (struct rc_units_setup){.campaign = campaign,
                                       .kind = (uint32_t)w->kind,
                                       .spec = &w->opening.spec,
                                       .catalogue = w->ranks.catalogue,
                                       .map = &w->map};
    if ((status = rc_agree(w->comm, status, err)) != RC_OK)
        return status;
    status = find_units(w, err);
    if (status != RC_OK || w->totals[0] == 0)
        return status;
    if ((status = rc_agree(w->comm, check_teams(w, err), err)) != RC_OK)
        return status;
    status = rc_calibrate(w->ranks.kind, w->measurer, setup.kind, &w->costs, err);
    if ((status = rc_agree(w->comm, status, err)) != RC_OK)
        return status;
    w->setup.costs = &w->costs;
    if ((status = find_units(w, err)) == RC_OK)
        estimate_wall(w);
    return status;
}
