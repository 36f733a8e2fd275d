/* Writes the records of the result except units: the campaign, its kinds, its runs, and
 * the campaigns ("origins") that it was made from, directly or not.
 */
#include "campaign/merge/parts.h"
#include "campaign/records/campaign_write.h"

#include "campaign/base/version.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Writes the records of a kind, without what the result leaves out. */
static int write_kind(struct rc_merge *m, const struct rc_merge_kind *k,
                      struct rc_error *err)
{
    struct rc_arena arena = {0};
    struct rc_record_source *source =
        rc_arena_array(&arena, k->source_count, sizeof *source);
    struct rc_record_event *event =
        rc_arena_array(&arena, k->event_count, sizeof *event);
    struct rc_record_suite *suite =
        rc_arena_array(&arena, k->suite_count, sizeof *suite);
    struct rc_record_group *group =
        rc_arena_array(&arena, k->piece_count, sizeof *group);
    struct rc_campaign_kind whole = {.record = k->record,
                                     .event = event,
                                     .suite = suite,
                                     .group = group,
                                     .group_count = k->piece_count};
    int status = rc_arena_check(&arena, err, "the events of the result");

    if (status != RC_OK)
        goto out;
    whole.record.source = source;
    whole.record.source_count = k->source_count;
    for (size_t i = 0; i < k->source_count; i++)
        source[i] = k->source[i].record;
    for (size_t i = 0; i < k->event_count; i++)
        if (k->event[i].item.number != RC_MERGE_NONE)
            event[whole.event_count++] = k->event[i].record;
    for (size_t i = 0; i < k->suite_count; i++) {
        if (k->suite[i].item.number == RC_MERGE_NONE)
            continue;
        struct rc_record_suite *s = &suite[whole.suite_count++];
        *s = k->suite[i].record;
        if (m->job->operation == RC_OPERATION_DIFFERENCE) { /* nothing is expected */
            s->basis = rc_arena_array(&arena, s->point_count * s->ideal_count,
                                      sizeof *s->basis);
            s->bound_rows = 0;
        }
    }
    for (size_t i = 0; i < k->piece_count; i++) {
        const struct rc_merge_piece *piece = &k->piece[i];
        const struct rc_merge_cut *maker = &k->cut[piece->maker];
        uint32_t *number = rc_arena_array(&arena, piece->count, sizeof *number);
        for (size_t e = 0; e < piece->count && number; e++)
            number[e] = k->event[piece->event[e]].item.number;
        group[i] = (struct rc_record_group){
            .source = k->map[maker->operand].source[maker->group->source],
            .scope = maker->group->scope,
            .event = number,
            .count = piece->count,
            .own = piece->own};
    }
    if ((status = rc_arena_check(&arena, err, "the suites of the result")) == RC_OK)
        status = rc_campaign_write_kind(m->journal, &whole, err);
out:
    rc_arena_free(&arena);
    return status;
}

struct run {
    const struct rc_campaign_run *run;
    size_t family, operand;
    size_t number; /* of the operand */
};

static int compare_runs(const void *a, const void *b)
{
    const struct run *x = a, *y = b;

    if (x->run->begin.unix_time != y->run->begin.unix_time)
        return x->run->begin.unix_time < y->run->begin.unix_time ? -1 : 1;
    if (x->operand != y->operand)
        return x->operand < y->operand ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Whether an earlier copy or share of the campaign has the same run. */
static bool was_told(const struct run *run, size_t before, const struct run *one)
{
    const struct rc_record_run *y = &one->run->begin;

    while (before-- > 0 && run[before].run->begin.unix_time == y->unix_time) {
        const struct rc_record_run *x = &run[before].run->begin;
        if (run[before].family == one->family && run[before].operand != one->operand &&
            x->ranks == y->ranks && x->nodes == y->nodes &&
            x->units_left == y->units_left &&
            strcmp(x->created_by, y->created_by) == 0 && strcmp(x->job, y->job) == 0)
            return true;
    }
    return false;
}

/* Writes the runs in the order of time.  A mean or difference has none: its origins
 * have them.
 */
static int write_runs(struct rc_merge *m, struct rc_error *err)
{
    size_t count = 0, at = 0;
    int status;

    for (size_t i = 0; i < m->count; i++)
        count += m->operand[i].campaign->run_count;
    struct run *run = rc_arena_array(&m->arena, count, sizeof *run);
    if ((status = rc_arena_check(&m->arena, err, "the runs")) != RC_OK)
        return status;
    for (size_t i = 0; i < m->count; i++)
        for (size_t r = 0; r < m->operand[i].campaign->run_count; r++)
            run[at++] = (struct run){&m->operand[i].campaign->run[r],
                                     m->operand[i].family, i, r};
    qsort(run, count, sizeof *run, compare_runs);
    for (size_t i = 0; i < count; i++)
        if (!was_told(run, i, &run[i]) &&
            (status = rc_campaign_write_run(m->journal, run[i].run, err)) != RC_OK)
            return status;
    return RC_OK;
}

static int write_origins(struct rc_merge *m, struct rc_error *err)
{
    struct rc_record_operand *operand =
        rc_arena_array(&m->arena, m->count, sizeof *operand);
    const struct rc_record_origin own = {.operation = m->job->operation,
                                         .unix_time = (int64_t)time(NULL),
                                         .created_by = "rollcall " RC_VERSION,
                                         .operand = operand,
                                         .operand_count = m->count};
    int status = rc_arena_check(&m->arena, err, "the campaigns");

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < m->count; i++) {
        const struct rc_merge_operand *o = &m->operand[i];
        operand[i] =
            (struct rc_record_operand){.campaign = o->campaign->campaign,
                                       .name = o->spec.name,
                                       .created_by = o->campaign->record.created_by,
                                       .unix_time = o->campaign->record.unix_time,
                                       .directory = o->dir};
        for (size_t p = 0; p < o->campaign->origin_count; p++)
            if ((status = rc_campaign_write(m->journal, RC_RECORD_ORIGIN,
                                            &o->campaign->origin[p], err)) != RC_OK)
                return status;
    }
    return rc_campaign_write(m->journal, RC_RECORD_ORIGIN, &own, err);
}

int rc_merge_write_head(struct rc_merge *m, struct rc_error *err)
{
    const struct rc_campaign *first = m->operand[0].campaign;
    struct rc_record_campaign record = {.spec = m->spec_text,
                                        .created_by = "rollcall " RC_VERSION,
                                        .unix_time = (int64_t)time(NULL)};

    /* A merge of one family keeps who made that campaign, and when. */
    if (memcmp(&m->campaign, &first->campaign, sizeof m->campaign) == 0 &&
        first->record.spec) {
        record.created_by = first->record.created_by;
        record.unix_time = first->record.unix_time;
    }
    int status = rc_campaign_write(m->journal, RC_RECORD_CAMPAIGN, &record, err);
    if (status != RC_OK)
        return status;
    for (size_t k = 0; k < m->kind_count; k++)
        if (m->kind[k].item.number != RC_MERGE_NONE &&
            (status = write_kind(m, &m->kind[k], err)) != RC_OK)
            return status;
    if (!rc_merge_is_aligned(m) && (status = write_runs(m, err)) != RC_OK)
        return status;
    return write_origins(m, err);
}
