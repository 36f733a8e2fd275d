/* The end of a run: campaign.h5 from the journals, and whether it has everything.
 *
 * The journals are read again from the disk: other jobs may have written to them, and
 * records of this run may have been damaged or deleted.  Units that were measured but
 * are gone make the run incomplete, so that they are measured again.
 */
#include "campaign/directory/campaign_dir.h"
#include "campaign/records/campaign_write.h"
#include "campaign/run/parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "campaign/cli/signals.h"
#include "campaign/cli/tell.h"
#include "campaign/machine/crowd.h"
#include "campaign/merge/merge.h"
#include "campaign/pack/journal_to_store.h"
#include "campaign/records/completeness.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

/* Writes the campaign, a kind and its share into a journal of this rank. */
static int write_definitions(struct rc_run *w, const struct rc_campaign *found,
                             struct rc_error *err)
{
    const struct rc_campaign_kind *kind = &w->opening.campaign->kind[w->kind];
    int status = rc_run_open_journal(w, found, err);

    if (status != RC_OK)
        return status;
    if ((status = rc_run_append_campaign(w, err)) ||
        (status = rc_campaign_write_kind(w->journal, kind, err)) ||
        (kind->share.of &&
         (status = rc_campaign_write(w->journal, RC_RECORD_SHARE, &kind->share, err))))
        err = NULL; /* it has the first failure already */
    const int closed = rc_journal_close(w->journal, err);
    w->journal = NULL;
    return status != RC_OK ? status : closed;
}

/* Collective.  Units are useless without their definitions: if the journals lost some
 * during the run, the first rank of each kind writes what it knows again, and all read
 * the journals again.
 */
static int read_journals(struct rc_run *w, struct rc_campaign **out,
                         struct rc_error *err)
{
    const struct rc_campaign *known = w->opening.campaign;
    int again, status = rc_campaign_read(w->comm, w->dir, out, err);

    if (status != RC_OK)
        return status;
    again = rc_team_rank(w->ranks.kind) == 0 && w->kind < known->kind_count;
    if (again) { /* unless the journals define all that this run knows of the kind */
        const struct rc_campaign_kind *kind = &known->kind[w->kind];
        const size_t at = rc_campaign_find_kind(*out, kind->id);
        const struct rc_campaign_kind *have =
            at < (*out)->kind_count ? &(*out)->kind[at] : NULL;
        again = !(*out)->record.spec || !have ||
                have->event_count < kind->event_count ||
                have->suite_count < kind->suite_count ||
                have->group_count < kind->group_count;
    }
    if (again)
        status = write_definitions(w, *out, err);
    again = rc_team_most(w->comm, again);
    if ((status = rc_agree(w->comm, status, err)) != RC_OK || !again)
        return status;
    rc_campaign_close(*out);
    *out = NULL;
    return rc_campaign_read(w->comm, w->dir, out, err);
}

/* Collective.  The run is incomplete if the journals have fewer valid units than it
 * wanted: measured units that are gone do not count.  Units of kinds that are not in
 * this job are for others.  The count of a kind's first rank is that of the kind.
 */
static int check_units_held(struct rc_run *w, const struct rc_campaign *campaign,
                            struct rc_error *err)
{
    const struct rc_campaign *known = w->opening.campaign;
    char line[RC_ERROR_TEXT];
    uint64_t held = 0;
    int status = RC_OK;

    if (rc_team_rank(w->ranks.kind) == 0 && w->kind < known->kind_count) {
        const size_t kind = rc_campaign_find_kind(campaign, known->kind[w->kind].id);
        struct rc_completeness state = {0};
        status = rc_completeness_find(campaign, &w->opening.spec, &state, err);
        for (size_t i = 0; i < state.count; i++)
            held += state.suite[i].kind == kind ? state.suite[i].ok : 0;
        rc_completeness_fini(&state);
    }
    if ((status = rc_agree(w->comm, status, err)) != RC_OK)
        return status;
    rc_team_sum(w->comm, &held, 1);
    if (!rc_run_is_first(w) || w->incomplete || held >= w->wanted)
        return RC_OK;
    snprintf(line, sizeof line,
             "campaign.h5 holds %" PRIu64 " of %" PRIu64
             " units: some of what was written to the journals is gone; measure it "
             "again with: rollcall run -o '%.300s'",
             held, w->wanted, w->dir);
    rc_run_remark(w, line);
    w->incomplete = true;
    return RC_OK;
}

/* Collective.  A campaign.h5 that has all that the journals have is not made again,
 * which would need room for a second one.
 */
static int make_store(struct rc_run *w, const struct rc_campaign *campaign,
                      struct rc_error *err)
{
    struct rc_error ignored = {.rank = -1};
    struct rc_store *there = NULL;
    struct rc_crowd crowd;
    int made = 0;
    char path[PATH_MAX];
    int status = rc_campaign_dir_results(w->dir, path, sizeof path, err);

    if (status != RC_OK)
        return status;
    if (rc_run_is_first(w) &&
        rc_store_open(MPI_COMM_NULL, path, &there, &ignored) == RC_OK) {
        made = rc_journal_to_store_is_made(campaign, rc_store_campaign(there));
        (void)rc_store_close(there, &ignored);
    }
    rc_broadcast(w->comm, 0, &made, sizeof made);
    rc_progress_stage(w->progress, "making campaign.h5");
    if (!made) {
        rc_crowd_begin(w->comm, &crowd);
        if (crowd.works)
            status =
                rc_journal_to_store(crowd.working, w->dir, campaign, NULL, NULL, err);
        status = rc_crowd_end(&crowd, status, err);
    }
    rc_progress_hide(w->progress);
    if (status != RC_OK)
        return status;
    if (rc_run_is_first(w))
        printf("%s\n", path);
    return RC_OK;
}

int rc_run_store(struct rc_run *w, struct rc_error *err)
{
    struct rc_campaign *campaign = NULL;
    char damage[600];

    rc_signals_leave(); /* all is in the journals, and a kill leaves the old file */
    int status =
        rc_campaign_dir_take_results(w->comm, w->opening.campaign_dir, rc_tell, err);
    if (status != RC_OK)
        return status;
    if ((status = read_journals(w, &campaign, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < campaign->file_count && rc_run_is_first(w); i++) {
        rc_journal_say(&campaign->file[i].report, campaign->file[i].path, damage,
                       sizeof damage);
        if (damage[0])
            rc_run_remark(w, damage);
    }
    if ((status = make_store(w, campaign, err)) == RC_OK)
        status = check_units_held(w, campaign, err);
out:
    if (status != RC_OK && campaign)
        rc_text_append(err->text, sizeof err->text,
                       "; the journals hold all that was measured: 'rollcall pack' "
                       "makes campaign.h5 from them");
    rc_campaign_close(campaign);
    return status;
}
