/* The inverse of merging: a campaign's units dealt out to several directories. */
#include "campaign/base/text.h"
#include "campaign/merge_parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHARES_MOST = 10000 };

struct dealing {
    struct rc_merge_operand operand;
    const char *dir;
    size_t shares;
    uint32_t *share_of; /* by unit */
};

static const struct rc_history_unit *const *by_cost(const struct rc_history *h)
{
    const struct rc_history_unit **unit = rc_calloc(h->unit_count, sizeof(void *));

    for (size_t i = 0; unit && i < h->unit_count; i++)
        unit[i] = &h->unit[i];
    return unit;
}

static int compare_costs(const void *a, const void *b)
{
    const struct rc_history_unit *x = *(const struct rc_history_unit *const *)a;
    const struct rc_history_unit *y = *(const struct rc_history_unit *const *)b;

    if (x->wall_ns != y->wall_ns)
        return x->wall_ns > y->wall_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* The longest unit goes to the share that has least. */
static int deal(struct dealing *d, struct rc_error *err)
{
    const struct rc_history *h = d->operand.history;
    const struct rc_history_unit **unit = (void *)by_cost(h);
    double *load = rc_calloc(d->shares, sizeof *load);

    d->share_of = rc_calloc(h->unit_count, sizeof *d->share_of);
    if (!unit || !load || !d->share_of) {
        free(unit);
        free(load);
        return rc_merge_no_memory(err);
    }
    qsort(unit, h->unit_count, sizeof(void *), compare_costs);
    for (size_t i = 0; i < h->unit_count; i++) {
        uint32_t least = 0;
        for (uint32_t s = 1; s < d->shares; s++)
            if (load[s] < load[least])
                least = s;
        d->share_of[unit[i] - h->unit] = least;
        load[least] += (double)unit[i]->wall_ns + 1;
    }
    free(unit);
    free(load);
    return RC_OK;
}

static int write_head(const struct rc_history *h, struct rc_journal *journal,
                      struct rc_error *err)
{
    int status = rc_merge_write_campaign(journal, &h->record, err);

    for (size_t k = 0; k < h->kind_count && status == RC_OK; k++) {
        const struct rc_history_kind *kind = &h->kind[k];
        const struct rc_merge_lists lists = {.kind = &kind->record,
                                             .event = kind->event,
                                             .suite = kind->suite,
                                             .group = kind->group,
                                             .event_count = kind->event_count,
                                             .suite_count = kind->suite_count,
                                             .group_count = kind->group_count};
        status = rc_merge_write_kind(journal, &lists, err);
    }
    for (size_t i = 0; i < h->run_count && status == RC_OK; i++)
        status = rc_merge_write_run(journal, &h->run[i], err);
    for (size_t i = 0; i < h->origin_count && status == RC_OK; i++)
        status = rc_merge_write_origin(journal, &h->origin[i], err);
    return status;
}

static int write_units(struct dealing *d, uint32_t share, struct rc_journal *journal,
                       struct rc_error *err)
{
    const struct rc_history *h = d->operand.history;
    int status = RC_OK;

    for (size_t i = 0; i < h->unit_count && status == RC_OK; i++) {
        const struct rc_journal_record *record;
        if (d->share_of[i] != share)
            continue;
        status = rc_merge_get_unit(&d->operand, &h->unit[i], &record, err);
        if (status == RC_OK)
            status = rc_journal_append_of(journal, h->unit[i].writer, RC_RECORD_UNIT,
                                          record->payload, record->bytes, err);
    }
    return status;
}

static int write_share(struct dealing *d, uint32_t share, struct rc_error *err)
{
    struct rc_merge_stage stage = {.dir = NULL};
    struct rc_merge_result result;
    struct rc_journal *journal = NULL;
    char path[PATH_MAX];
    int status = RC_OK;

    if (snprintf(path, sizeof path, "%s/%u", d->dir, share) >= (int)sizeof path)
        return rc_fail(err, RC_EUSAGE, "the directory's name is too long");
    status = rc_merge_stage_open(path, false, &stage, err);
    if (status == RC_OK)
        status = rc_merge_stage_journal(&stage, &d->operand.history->campaign, &journal,
                                        err);
    if (status == RC_OK)
        status = write_head(d->operand.history, journal, err);
    if (status == RC_OK)
        status = write_units(d, share, journal, err);
    if (status == RC_OK)
        status = rc_merge_stage_finish(&stage, &journal, &result, err);
    (void)rc_journal_close(journal, NULL);
    rc_merge_stage_close(&stage, status != RC_OK);
    return status;
}

static int check_shares(const struct dealing *d, struct rc_error *err)
{
    char path[PATH_MAX];
    int status = RC_OK;

    for (size_t i = 0; i < d->shares && status == RC_OK; i++) {
        if (snprintf(path, sizeof path, "%s/%zu", d->dir, i) >= (int)sizeof path)
            return rc_fail(err, RC_EUSAGE, "the directory's name is too long");
        status = rc_merge_stage_check(path, false, err);
    }
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
    struct rc_merge m = {.job = &job, .count = 1};
    struct dealing d = {.dir = dir, .shares = shares, .operand.fd = -1};
    int status = RC_OK;

    if (shares < 1 || shares > SHARES_MOST)
        return rc_fail(err, RC_EUSAGE, "%zu shares, expected 1 to %d", shares,
                       SHARES_MOST);
    status = check_shares(&d, err);
    m.operand = &d.operand;
    if (status == RC_OK)
        status = rc_merge_read(&m, err);
    if (status == RC_OK && !d.operand.history->record.spec)
        status = rc_fail(err, RC_ECONFLICT,
                         "%s: the journal has lost the campaign file", operand);
    if (status == RC_OK)
        status = deal(&d, err);
    for (uint32_t i = 0; i < shares && status == RC_OK; i++)
        status = write_share(&d, i, err);
    rc_merge_operand_fini(&d.operand);
    free(d.share_of);
    free(m.by_age);
    return status;
}
