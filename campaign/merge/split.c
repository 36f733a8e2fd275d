/* Splits a campaign into shares, the inverse of merging.
 *
 * Units are dealt out in turn, in the order of suites and groups.  Each share gets the
 * records of its units and all other records unchanged, so that a merge of the shares
 * has everything again.
 */
#include "campaign/base/files/path.h"
#include "campaign/merge/parts.h"
#include "campaign/records/campaign_write.h"

#include <limits.h>

struct dealing {
    struct rc_merge_operand operand;
    const char *dir; /* the directory of all shares */
    size_t shares;
    uint32_t share; /* the one that is written now */
};

/* Writes the records of the current share. */
static int write_records(void *dealing, struct rc_journal *journal,
                         struct rc_error *err)
{
    struct dealing *d = dealing;
    const struct rc_campaign *h = d->operand.campaign;
    int status;

    if ((status = rc_campaign_write_all(journal, h, err)) != RC_OK)
        return status;
    for (size_t i = 0, turn = 0; i < h->unit_count; i++) {
        const struct rc_campaign_unit *unit = &h->unit[i];
        void *payload;
        turn += i > 0 && !rc_campaign_same_team(h, unit - 1, unit);
        if (turn % d->shares != d->share)
            continue;
        if ((status = rc_unit_reader_get(&d->operand.reader, unit, &payload, err)) ||
            (status = rc_journal_append_of(journal, unit->writer, RC_RECORD_UNIT,
                                           payload, unit->bytes, err)))
            return status;
    }
    return RC_OK;
}

static int write_share(struct dealing *d, struct rc_error *err)
{
    char path[PATH_MAX];
    const struct rc_merge_stage stage = {.dir = path,
                                         .node = RC_MERGE_NODE,
                                         .campaign = &d->operand.campaign->campaign,
                                         .write = write_records,
                                         .arg = d};
    struct rc_merge_result unused;
    int status;

    if ((status = rc_path(path, sizeof path, err, "%s/%u", d->dir, d->share)) == RC_OK)
        status = rc_merge_stage_write(&stage, &unused, err);
    return status;
}

int rc_merge_split(const char *operand, size_t shares, const char *dir,
                   void (*say)(void *arg, const char *line), void *arg,
                   struct rc_error *err)
{
    const struct rc_merge_job job = {.operation = RC_OPERATION_MERGE,
                                     .dir = dir,
                                     .operand = &operand,
                                     .operand_count = 1,
                                     .say = say,
                                     .arg = arg};
    struct dealing d = {.dir = dir, .shares = shares};
    struct rc_merge m = {.job = &job, .count = 1, .operand = &d.operand};
    char path[PATH_MAX], share[128];
    int status;

    if (shares < 1 || shares > RC_SHARES_MOST)
        return rc_fail(err, RC_EUSAGE, "%zu shares, expected 1 to %d", shares,
                       RC_SHARES_MOST);
    /* All shares' directories must be free before the first is written. */
    for (size_t i = 0; i < shares; i++)
        if ((status = rc_path(path, sizeof path, err, "%s/%zu", dir, i)) != RC_OK ||
            (status = rc_merge_stage_check(path, false, err)) != RC_OK)
            return status;
    if ((status = rc_merge_read(&m, err)) != RC_OK)
        goto out;
    if (!d.operand.campaign->record.spec) {
        status = rc_fail(err, RC_ECONFLICT,
                         "%s: the journal has lost the campaign file", operand);
        goto out;
    }
    if (rc_campaign_share(d.operand.campaign)) {
        status = rc_fail(
            err, RC_ECONFLICT,
            "%s: %s; expected a whole campaign: merge the shares first", operand,
            rc_campaign_share_text(d.operand.campaign, share, sizeof share));
        goto out;
    }
    for (; d.share < shares; d.share++)
        if ((status = write_share(&d, err)) != RC_OK)
            goto out;
out:
    rc_merge_operand_fini(&d.operand);
    rc_arena_free(&m.arena);
    return status;
}
