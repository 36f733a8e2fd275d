/* The shares of a campaign that is not measured yet: dealt out and written. */
#include "campaign/base/agree.h"
#include "campaign/base/gather.h"
#include "campaign/base/path.h"
#include "campaign/plan/balance.h"
#include "campaign/records/campaign_write.h"
#include "campaign/run/parts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Goes from rank to rank as bytes. */
struct unit {
    uint64_t id, cost_ns; /* of its kind */
    uint32_t kind, lane, suite, group;
};

struct dealing {
    struct rc_arena arena; /* of the arrays that follow */
    struct rc_run *run;
    const struct rc_run_shares *job;
    struct rc_gathered all; /* what 'unit' points to */
    struct unit *unit;      /* of all kinds, by kind, suite and group */
    size_t count;
    uint32_t *share_of;
};

/* Collective: one rank of each kind tells its units to all. */
static int gather_units(struct dealing *d, struct rc_error *err)
{
    const struct rc_run *w = d->run;
    const bool speaks = rc_team_rank(w->ranks.kind) == 0;
    const size_t count = speaks ? w->units.count : 0;
    struct unit *mine = rc_arena_array(&d->arena, count, sizeof *mine), *out = mine;
    int status = rc_agree(
        w->comm, rc_arena_check(&d->arena, err, "units that are dealt out"), err);

    if (status != RC_OK)
        return status;
    for (uint32_t l = 0; l < RC_LANE_COUNT && speaks; l++)
        for (size_t i = 0; i < w->units.lane[l].count; i++) {
            const struct rc_plan_unit *unit = &w->units.lane[l].unit[i];
            *out++ = (struct unit){.id = w->opening.campaign->kind[w->kind].id,
                                   .cost_ns = unit->cost_ns,
                                   .lane = l,
                                   .suite = unit->suite,
                                   .group = unit->group};
        }
    if ((status = rc_gather(w->comm, mine, count * sizeof *mine, &d->all, err)) !=
        RC_OK)
        return status;
    d->count = d->all.from[rc_team_size(w->comm)] / sizeof *d->unit;
    d->unit = (void *)d->all.byte;
    return RC_OK;
}

static int compare_units(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->kind, x->suite, x->group},
                              (uint64_t[]){y->kind, y->suite, y->group}, 3);
}

/* The same on every rank.  Lanes of different kinds are not each other's. */
static int deal_units(struct dealing *d, struct rc_error *err)
{
    const struct rc_campaign *h = d->job->campaign;
    struct rc_balance_item *item = rc_arena_array(&d->arena, d->count, sizeof *item);

    d->share_of = rc_arena_array(&d->arena, d->count, sizeof *d->share_of);
    int status = rc_arena_check(&d->arena, err, "units that are dealt out");
    if (status != RC_OK)
        return status;
    if (d->job->shares > d->count)
        return rc_fail(err, RC_EUSAGE,
                       "--shares %" PRIu32
                       ": the campaign has %zu units, expected 1 to %zu shares",
                       d->job->shares, d->count, d->count);
    for (size_t i = 0; i < d->count; i++)
        d->unit[i].kind = (uint32_t)rc_campaign_find_kind(h, d->unit[i].id);
    qsort(d->unit, d->count, sizeof *d->unit, compare_units);
    for (size_t i = 0; i < d->count; i++)
        item[i] = (struct rc_balance_item){.cost_ns = d->unit[i].cost_ns,
                                           .lane = d->unit[i].kind * RC_LANE_COUNT +
                                                   d->unit[i].lane};
    return rc_balance(item, d->count, d->job->shares, d->share_of, err);
}

/* What the share has of a kind; 'mine' has room for all. */
static int write_kind(const struct dealing *d, uint32_t share, uint32_t kind,
                      struct rc_record_share_unit *mine, struct rc_journal *journal,
                      struct rc_error *err)
{
    struct rc_record_share record = {.kind = d->job->campaign->kind[kind].id,
                                     .number = share,
                                     .of = d->job->shares,
                                     .unit = mine};

    for (size_t i = 0; i < d->count; i++) {
        if (d->unit[i].kind != kind)
            continue;
        record.units++;
        if (d->share_of[i] == share)
            mine[record.count++] =
                (struct rc_record_share_unit){d->unit[i].suite, d->unit[i].group};
    }
    return rc_campaign_write(journal, RC_RECORD_SHARE, &record, err);
}

/* A directory with the campaign file and a journal of all but units. */
static int write_share(const struct dealing *d, uint32_t share, struct rc_error *err)
{
    const struct rc_campaign *h = d->job->campaign;
    char dir[PATH_MAX], path[PATH_MAX];
    struct rc_journal *journal = NULL;
    struct rc_record_share_unit *mine = rc_calloc(d->count, sizeof *mine);
    int status =
        mine ? rc_path(dir, sizeof dir, err, "%s/%" PRIu32, d->job->stage, share)
             : rc_fail(err, RC_ENOMEM, "no memory for %zu units", d->count);

    if (status != RC_OK ||
        (status = rc_path(path, sizeof path, err, "%s/campaign.yaml", dir)) != RC_OK)
        goto out;
    if (mkdir(dir, 0777) != 0) {
        status = rc_fail_errno(err, "cannot make directory '%s'", dir);
        goto out;
    }
    const struct rc_journal_setting setting = {.dir = dir,
                                               .node = "draft",
                                               .campaign = h->campaign,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};
    if ((status = rc_journal_open(&setting, &journal, err)) != RC_OK ||
        (status = rc_campaign_write_all(journal, h, err)) != RC_OK)
        goto out;
    for (uint32_t k = 0; k < h->kind_count; k++)
        if ((status = write_kind(d, share, k, mine, journal, err)) != RC_OK)
            goto out;
    if ((status = rc_journal_sync(journal, err)) != RC_OK)
        goto out;
    status = rc_journal_close(journal, err);
    journal = NULL;
    if (status != RC_OK)
        goto out;
    status =
        rc_file_replace(path, RC_FILE_IN, h->record.spec, strlen(h->record.spec), err);
out:
    (void)rc_journal_close(journal, NULL);
    free(mine);
    return status;
}

int rc_run_write_shares(struct rc_run *w, const struct rc_run_shares *job,
                        struct rc_run_dealt *done, struct rc_error *err)
{
    const uint32_t size = (uint32_t)rc_team_size(w->comm);
    struct dealing d = {.run = w, .job = job};
    int status = gather_units(&d, err);

    if (status != RC_OK)
        goto out;
    done->units = rc_calloc(job->shares, sizeof *done->units);
    done->cost_ns = rc_calloc(job->shares, sizeof *done->cost_ns);
    status = done->units && done->cost_ns
                 ? deal_units(&d, err)
                 : rc_fail(err, RC_ENOMEM, "no memory for %zu units", d.count);
    if ((status = rc_agree(w->comm, status, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < d.count; i++) {
        done->units[d.share_of[i]]++;
        done->cost_ns[d.share_of[i]] += d.unit[i].cost_ns;
    }
    for (uint32_t i = (uint32_t)rc_team_rank(w->comm); i < job->shares; i += size)
        if ((status = write_share(&d, i, err)) != RC_OK)
            break;
    status = rc_agree(w->comm, status, err);
out:
    rc_gathered_fini(&d.all);
    rc_arena_free(&d.arena);
    return status;
}
