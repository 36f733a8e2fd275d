/* The shares of a campaign that is not measured yet, written as directories.
 *
 * The plan is in the journals and the same on every rank: its units are dealt out in
 * turn, suite after suite, so the shares differ by at most one unit in each suite.
 */
#include "campaign/base/agree.h"
#include "campaign/base/files/path.h"
#include "campaign/records/campaign_write.h"
#include "campaign/run/parts.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* The units of a kind, by suite and group. */
struct kind_units {
    struct rc_record_share_unit *unit;
    size_t count;
    uint64_t before; /* units of the kinds before this one */
};

struct dealing {
    const struct rc_run_shares *job;
    struct rc_arena arena;
    struct kind_units *kind;
    struct rc_record_share_unit *mine; /* of one share and kind; has room for all */
};

static int list_units(struct dealing *d, uint64_t *units, struct rc_error *err)
{
    const struct rc_campaign *h = d->job->campaign;
    size_t most = 0;

    d->kind = rc_arena_array(&d->arena, h->kind_count, sizeof *d->kind);
    for (size_t k = 0; k < h->kind_count && d->kind; k++) {
        const struct rc_campaign_kind *kind = &h->kind[k];
        struct kind_units *list = &d->kind[k];
        const size_t room = kind->suite_count * kind->group_count;
        list->before = *units;
        list->unit = rc_arena_array(&d->arena, room, sizeof *list->unit);
        for (uint32_t s = 0; s < kind->suite_count && list->unit; s++)
            for (uint32_t g = 0; g < kind->group_count; g++)
                if (rc_record_suite_points(&kind->suite[s], kind->group[g].source))
                    list->unit[list->count++] = (struct rc_record_share_unit){s, g};
        *units += list->count;
        most = list->count > most ? list->count : most;
    }
    d->mine = rc_arena_array(&d->arena, most, sizeof *d->mine);
    const int status = rc_arena_check(&d->arena, err, "units that are dealt out");
    if (status == RC_OK && d->job->shares > *units)
        return rc_fail(err, RC_EUSAGE,
                       "--shares %" PRIu32 ": the campaign has %" PRIu64
                       " units, expected 1 to %" PRIu64 " shares",
                       d->job->shares, *units, *units);
    return status;
}

/* Writes which units of a kind are the share's. */
static int write_kind(const struct dealing *d, uint32_t share, size_t kind,
                      struct rc_journal *journal, struct rc_error *err)
{
    const struct kind_units *list = &d->kind[kind];
    const uint32_t shares = d->job->shares;
    struct rc_record_share record = {.kind = d->job->campaign->kind[kind].id,
                                     .number = share,
                                     .of = shares,
                                     .units = list->count,
                                     .unit = d->mine};

    for (uint64_t i = (share + shares - list->before % shares) % shares;
         i < list->count; i += shares)
        d->mine[record.count++] = list->unit[i];
    return rc_campaign_write(journal, RC_RECORD_SHARE, &record, err);
}

/* Makes a directory with the campaign file and a journal of everything but units. */
static int write_share(const struct dealing *d, uint32_t share, struct rc_error *err)
{
    const struct rc_campaign *h = d->job->campaign;
    char dir[PATH_MAX], path[PATH_MAX];
    struct rc_journal *journal = NULL;
    int status;

    if ((status = rc_path(dir, sizeof dir, err, "%s/%" PRIu32, d->job->stage, share)) !=
            RC_OK ||
        (status = rc_path(path, sizeof path, err, "%s/campaign.yaml", dir)) != RC_OK)
        return status;
    if (mkdir(dir, 0777) != 0)
        return rc_fail_errno(err, "cannot make directory '%s'", dir);
    const struct rc_journal_setting setting = {.dir = dir,
                                               .node = "draft",
                                               .campaign = h->campaign,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};
    if ((status = rc_journal_open(&setting, &journal, err)) != RC_OK ||
        (status = rc_campaign_write_all(journal, h, err)) != RC_OK)
        goto out;
    for (size_t k = 0; k < h->kind_count; k++)
        if ((status = write_kind(d, share, k, journal, err)) != RC_OK)
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
    return status;
}

int rc_run_write_shares(struct rc_run *w, const struct rc_run_shares *job,
                        uint64_t *units, struct rc_error *err)
{
    const uint32_t size = (uint32_t)rc_team_size(w->comm);
    struct dealing d = {.job = job};
    int status;

    *units = 0;
    if ((status = rc_agree(w->comm, list_units(&d, units, err), err)) != RC_OK)
        goto out;
    for (uint32_t i = (uint32_t)rc_team_rank(w->comm); i < job->shares; i += size)
        if ((status = write_share(&d, i, err)) != RC_OK)
            break;
    status = rc_agree(w->comm, status, err);
out:
    rc_arena_free(&d.arena);
    return status;
}
