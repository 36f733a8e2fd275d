/* The steps that a run shares with the dealing out of its units: opening, plan, end.
 *
 * All of them are collective: each ends with all ranks agreed on success or failure.
 */
#include "campaign/base/agree.h"
#include "campaign/plan/calibrate.h"
#include "campaign/plan/kind_plan_team.h"
#include "campaign/run/parts.h"

int rc_run_open_journal(struct rc_run *w, const struct rc_campaign *campaign,
                        struct rc_error *err)
{
    const struct rc_journal_setting setting = {
        .dir = w->dir,
        .node = w->ranks.nodes.node[w->ranks.nodes.mine].name,
        .campaign = campaign->campaign,
        .writer = (uint32_t)rc_team_rank(w->comm),
        .first_sequence = campaign->next_sequence,
        .sync_ms = w->opening.spec.sync_ms};

    return rc_journal_open(&setting, &w->journal, err);
}

/* Called when the plan of every kind is settled: the campaign's record must precede
 * everything in the journal that belongs to it.
 */
static int begin_campaign(void *run, struct rc_error *err)
{
    struct rc_run *w = run;
    int status = rc_campaign_open_write(w->comm, w->dir, &w->opening, err);

    if (status == RC_OK && rc_run_is_first(w) && w->opening.new_spec)
        status = rc_run_append_campaign(w, err);
    return rc_agree(w->comm, status, err);
}

int rc_run_open(struct rc_run *w, const struct rc_args *args, struct rc_error *err)
{
    int status;

    if ((status = rc_campaign_open_init(w->comm, w->dir, args, w->extend, w->anew,
                                        &w->opening, err)) != RC_OK)
        return status;
    w->progress = rc_progress_of(w->comm); /* there is no log yet */
    rc_progress_stage(w->progress, "trying events");
    status = rc_ranks_init(w->comm, &w->opening.spec, &w->ranks, err);
    rc_progress_close(w->progress, NULL);
    w->progress = NULL;
    if (status != RC_OK)
        return status;
    status = rc_log_open(w->dir, rc_team_rank(w->comm), &w->log, err);
    if (status == RC_OK && rc_run_is_first(w))
        status = rc_progress_open(stderr, w->log, &w->progress, err);
    if (status == RC_OK)
        status = rc_run_open_journal(w, w->opening.campaign, err);
    if ((status = rc_agree(w->comm, status, err)) != RC_OK)
        return status;
    rc_run_say_ranks(w);
    return RC_OK;
}

int rc_run_plan(struct rc_run *w, struct rc_error *err)
{
    const struct rc_kind_plan_team team = {.ranks = &w->ranks,
                                           .spec = &w->opening.spec,
                                           .campaign = w->opening.campaign,
                                           .journal = w->journal,
                                           .extend = w->extend,
                                           .remark = rc_run_remark,
                                           .begin = begin_campaign,
                                           .context = w};
    rc_progress_stage(w->progress, "planning");
    const int status = rc_kind_plan_team(&team, &w->kind, err);

    rc_progress_hide(w->progress);
    return status;
}

void rc_run_fini(struct rc_run *w)
{
    rc_worker_close(w->worker);
    rc_rank_counters_close(w->rank_counters);
    rc_units_fini(&w->units);
    rc_costs_fini(&w->costs);
    rc_measurer_close(w->measurer);
    rc_event_numbers_fini(&w->map);
    rc_progress_close(w->progress, NULL);
    rc_log_close(w->log);
    (void)rc_journal_close(w->journal, NULL);
    rc_ranks_fini(&w->ranks);
    rc_campaign_open_fini(&w->opening);
}
