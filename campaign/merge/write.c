/* The records of the result but those of units. */
#include "campaign/merge/parts.h"
#include "campaign/records/campaign_write.h"

#include "campaign/base/version.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The lists of a kind of the result in the form of records. */
struct lists {
    struct rc_record_kind kind;
    struct rc_record_source *source;
    struct rc_record_event *event;
    struct rc_record_suite *suite;
    struct rc_record_group *group;
};

static void lists_fini(struct lists *l)
{
    free(l->source);
    free(l->event);
    free(l->suite);
    free(l->group);
}

static int lists_init(const struct rc_merge_kind *k, struct lists *l,
                      struct rc_error *err)
{
    *l = (struct lists){.kind = k->record,
                        .source = rc_calloc(k->source_count, sizeof *l->source),
                        .event = rc_calloc(k->event_count, sizeof *l->event),
                        .suite = rc_calloc(k->suite_count, sizeof *l->suite),
                        .group = rc_calloc(k->piece_count, sizeof *l->group)};
    if (!l->source || !l->event || !l->suite || !l->group)
        return rc_merge_no_memory(err);
    for (size_t i = 0; i < k->source_count; i++)
        l->source[i] = k->source[i].record;
    for (size_t i = 0; i < k->event_count; i++)
        l->event[i] = k->event[i].record;
    for (size_t i = 0; i < k->suite_count; i++) {
        l->suite[i] = k->suite[i].record;
        l->suite[i].iterations = k->suite[i].iterations;
        l->suite[i].source_count = k->source_count;
        if (k->suite[i].basis)
            l->suite[i].basis = k->suite[i].basis;
    }
    for (size_t i = 0; i < k->piece_count; i++)
        l->group[i] = (struct rc_record_group){.source = k->piece[i].source,
                                               .scope = k->piece[i].scope,
                                               .event = k->piece[i].event,
                                               .count = k->piece[i].count,
                                               .own = k->piece[i].own};
    l->kind.source = l->source;
    l->kind.source_count = k->source_count;
    return RC_OK;
}

static int write_kinds(struct rc_merge *m, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < m->kinds_kept && status == RC_OK; i++) {
        const struct rc_merge_kind *k = &m->kind[i];
        struct lists l;
        status = lists_init(k, &l, err);
        const struct rc_campaign_lists lists = {
            .kind = &l.kind,
            .event = l.event,
            .suite = l.suite,
            .group = l.group,
            .event_count = k->event_count,
            .suite_count = k->suite_count,
            .group_count = k->piece_count,
        };
        if (status == RC_OK)
            status = rc_campaign_write_kind(m->journal, &lists, err);
        lists_fini(&l);
    }
    return status;
}

static int write_campaign(struct rc_merge *m, struct rc_error *err)
{
    const struct rc_record_campaign *first = &m->operand[0].campaign->record;
    struct rc_record_campaign record = {.spec = m->spec_text,
                                        .created_by = "rollcall " RC_VERSION,
                                        .unix_time = (int64_t)time(NULL)};

    if (memcmp(&m->campaign, &m->operand[0].campaign->campaign, sizeof m->campaign) ==
            0 &&
        first->spec) {
        record.created_by = first->created_by;
        record.unix_time = first->unix_time;
    }
    return rc_campaign_write_head(m->journal, &record, err);
}

struct run {
    const struct rc_campaign_run *run;
    size_t family, operand, number;
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

static bool same_begin(const struct rc_record_run *a, const struct rc_record_run *b)
{
    return a->unix_time == b->unix_time && a->ranks == b->ranks &&
           a->nodes == b->nodes && a->units_left == b->units_left &&
           strcmp(a->created_by, b->created_by) == 0 && strcmp(a->job, b->job) == 0;
}

/* Copies and shares of one campaign tell of the same runs. */
static bool was_told(const struct run *run, size_t before, const struct run *one)
{
    for (size_t i = before;
         i-- > 0 && run[i].run->begin.unix_time == one->run->begin.unix_time;)
        if (run[i].family == one->family && run[i].operand != one->operand &&
            same_begin(&run[i].run->begin, &one->run->begin))
            return true;
    return false;
}

/* In the order of time.  What a mean was measured by, its origin says. */
static int write_runs(struct rc_merge *m, struct rc_error *err)
{
    size_t count = 0, at = 0;
    int status = RC_OK;

    for (size_t i = 0; i < m->count; i++)
        count += m->operand[i].campaign->run_count;
    struct run *run = rc_calloc(count, sizeof *run);
    if (!run)
        return rc_merge_no_memory(err);
    for (size_t i = 0; i < m->count; i++)
        for (size_t r = 0; r < m->operand[i].campaign->run_count; r++)
            run[at++] = (struct run){&m->operand[i].campaign->run[r],
                                     m->operand[i].family, i, r};
    qsort(run, count, sizeof *run, compare_runs);
    for (size_t i = 0; i < count && status == RC_OK; i++)
        if (!was_told(run, i, &run[i]))
            status = rc_campaign_write_run(m->journal, run[i].run, err);
    free(run);
    return status;
}

static int write_origins(struct rc_merge *m, struct rc_error *err)
{
    struct rc_record_operand *operand = rc_calloc(m->count, sizeof *operand);
    const struct rc_record_origin own = {.operation = m->job->operation,
                                         .unix_time = (int64_t)time(NULL),
                                         .created_by = "rollcall " RC_VERSION,
                                         .operand = operand,
                                         .operand_count = m->count};
    int status = RC_OK;

    if (!operand)
        return rc_merge_no_memory(err);
    for (size_t i = 0; i < m->count && status == RC_OK; i++) {
        const struct rc_merge_operand *o = &m->operand[i];
        operand[i] =
            (struct rc_record_operand){.campaign = o->campaign->campaign,
                                       .name = o->spec.name,
                                       .created_by = o->campaign->record.created_by,
                                       .unix_time = o->campaign->record.unix_time,
                                       .directory = o->dir};
        for (size_t p = 0; p < o->campaign->origin_count && status == RC_OK; p++)
            status = rc_campaign_write_origin(m->journal, &o->campaign->origin[p], err);
    }
    if (status == RC_OK)
        status = rc_campaign_write_origin(m->journal, &own, err);
    free(operand);
    return status;
}

int rc_merge_write_head(struct rc_merge *m, struct rc_error *err)
{
    int status = write_campaign(m, err);

    if (status == RC_OK)
        status = write_kinds(m, err);
    if (status == RC_OK && !rc_merge_is_aligned(m))
        status = write_runs(m, err);
    return status == RC_OK ? write_origins(m, err) : status;
}
