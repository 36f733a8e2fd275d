/* Writes the campaign, kinds and suites of campaign.h5.
 *
 * Only rank 0 describes kinds and suites to the store, so only it needs memory for
 * their labels; the others pass structs without lists, and all call the store together.
 */
#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "campaign/base/version.h"
#include "campaign/pack/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Labels, each once. */
struct label_list {
    struct rc_arena *arena;
    const char **item; /* with room for all */
    size_t count;
};

static void add_label(struct label_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i], text) == 0)
            return;
    list->item[list->count++] = rc_arena_text(list->arena, text);
}

/* "model: simulated", and for campaigns made from others "mean: of 2: A, B".  A merge
 * leaves readings as they are and needs no label.
 */
static void put_labels(const struct rc_campaign *h, struct label_list *list)
{
    for (size_t k = 0; k < h->kind_count; k++)
        for (size_t s = 0; s < h->kind[k].record.source_count; s++) {
            const struct rc_record_source *source = &h->kind[k].record.source[s];
            char text[1024];
            snprintf(text, sizeof text, "%s%s%s", source->name,
                     source->label[0] ? ": " : "", source->label);
            add_label(list, text);
        }
    for (size_t i = 0; i < h->origin_count; i++) {
        const struct rc_record_origin *origin = &h->origin[i];
        char text[1024] = "";
        if (origin->operation == RC_OPERATION_MERGE)
            continue;
        rc_text_append(text, sizeof text,
                       "%s: of %zu:", rc_operation_names()[origin->operation],
                       origin->operand_count);
        for (size_t o = 0; o < origin->operand_count; o++)
            rc_text_append(text, sizeof text, "%s %s", o ? "," : "",
                           origin->operand[o].directory[0]
                               ? origin->operand[o].directory
                               : origin->operand[o].name);
        add_label(list, text);
    }
}

int rc_store_making_create(struct rc_store_making *a, const char *path,
                           struct rc_error *err)
{
    const struct rc_campaign *h = a->campaign;
    struct rc_store_campaign campaign = {.created_by = "rollcall " RC_VERSION,
                                         .spec = h->record.spec};
    struct label_list list = {.arena = &a->arena};
    char id[RC_JOURNAL_ID_TEXT], digest[RC_DIGEST_TEXT];
    size_t most = h->origin_count;

    /* Readings may be simulated by a source, or for one event of another source (see
     * rc_record_event).
     */
    for (size_t k = 0; k < h->kind_count; k++) {
        most += h->kind[k].record.source_count;
        for (size_t s = 0; s < h->kind[k].record.source_count; s++)
            campaign.simulated |= h->kind[k].record.source[s].simulated;
        for (size_t e = 0; e < h->kind[k].event_count; e++)
            campaign.simulated |= h->kind[k].event[e].simulated;
    }
    list.item = rc_arena_array(&a->arena, most, sizeof(char *));
    if (list.item)
        put_labels(h, &list);
    int status = rc_agree(a->comm, rc_arena_check(&a->arena, err, "labels"), err);
    if (status != RC_OK)
        return status;
    rc_journal_id_text(id, &h->campaign);
    campaign.id = id;
    campaign.digest = rc_text_put_digest(digest, rc_campaign_digest(h));
    campaign.source_labels = list.item;
    campaign.source_label_count = list.count;
    return rc_store_create(a->comm, path, &campaign, &a->store, err);
}

/* Collective; rank 0 describes the kind, and needs memory for its events. */
static int define_kind(struct rc_store_making *a, uint32_t kind, size_t *number,
                       struct rc_error *err)
{
    const struct rc_campaign_kind *k = &a->campaign->kind[kind];
    struct rc_store_kind out = {.name = k->record.name,
                                .key = k->record.key,
                                .shape = k->record.shape,
                                .nodes = k->node,
                                .node_count = k->node_count,
                                .event_count = k->event_count};
    const size_t count = rc_team_rank(a->comm) == 0 ? k->event_count : 0;
    struct rc_arena arena = {0};
    struct rc_store_event *event = rc_arena_array(&arena, count, sizeof *event);
    int status = rc_arena_check(&arena, err, "the events of a kind");

    for (size_t i = 0; event && i < count; i++) {
        const struct rc_record_event *e = &k->event[i];
        event[i] = (struct rc_store_event){
            .name = e->name,
            .source = k->record.source[e->source].name,
            .description = e->description,
            .evidence = e->evidence,
            .reason = e->reason,
            .scope = (enum rc_scope)e->scope,
            .verdict = (enum rc_verdict)e->verdict,
            .simulated = e->simulated,
            .state = e->state,
        };
    }
    out.events = event;
    if ((status = rc_agree(a->comm, status, err)) == RC_OK)
        status = rc_store_define_kind(a->store, &out, number, err);
    rc_arena_free(&arena);
    return status;
}

/* The lists of a suite in the file, as rank 0 hands them over. */
struct labels {
    struct rc_arena arena;
    const char **point, **place, **worker, **source;
    int64_t *axis;
};

/* Texts are borrowed from the campaign, except those of workers, which are made here:
 * "n1 core 3 cpu 7", or "" for worker 0, which stands for nobody.
 */
static int fill_labels(const struct rc_block_filling *s, struct labels *l,
                       struct rc_error *err)
{
    const struct rc_campaign_kind *kind = &s->campaign->kind[s->kind];
    const struct rc_record_suite *suite = &kind->suite[s->suite];
    const size_t axes = suite->axis_count;

    l->point = rc_arena_array(&l->arena, suite->point_count, sizeof *l->point);
    l->axis = rc_arena_array(&l->arena, suite->point_count * axes, sizeof *l->axis);
    l->place = rc_arena_array(&l->arena, s->place_count, sizeof *l->place);
    l->worker = rc_arena_array(&l->arena, s->worker_count, sizeof *l->worker);
    l->source = rc_arena_array(&l->arena, suite->source_count, sizeof *l->source);
    int status = rc_arena_check(&l->arena, err, "the labels of a suite");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < suite->point_count; i++) {
        l->point[i] = suite->point[i].name;
        for (size_t j = 0; j < axes; j++)
            l->axis[i * axes + j] = suite->point[i].axis[j];
    }
    for (size_t i = 0; i < s->place_count; i++)
        l->place[i] = s->place[i] ? s->campaign->place[s->place[i]] : "any";
    for (size_t i = 0; i < s->worker_count; i++) {
        const struct rc_who *worker = &s->worker[i];
        char text[RC_ERROR_TEXT];
        snprintf(text, sizeof text, "%s core %lu cpu %lu",
                 s->campaign->node[worker->node], (unsigned long)worker->core,
                 (unsigned long)worker->cpu);
        l->worker[i] = worker->node ? rc_arena_text(&l->arena, text)
                       : i          ? "simulated"
                                    : "";
    }
    for (size_t i = 0; i < suite->source_count; i++)
        l->source[i] = kind->record.source[i].name;
    return rc_arena_check(&l->arena, err, "the labels of a suite");
}

/* Collective; rank 0 describes the suite. */
static int define_suite(struct rc_store_making *a, struct rc_block_filling *s,
                        struct rc_error *err)
{
    const struct rc_record_suite *suite = &s->campaign->kind[s->kind].suite[s->suite];
    struct labels l = {0};
    int status = RC_OK;

    if (rc_team_rank(a->comm) == 0)
        status = fill_labels(s, &l, err);
    const struct rc_store_suite out = {
        .name = suite->name,
        .summary = suite->summary,
        .made_by = suite->made_by && *suite->made_by ? suite->made_by : NULL,
        .points = l.point,
        .point_count = suite->point_count,
        .axes = suite->axes,
        .axis_count = suite->axis_count,
        .axis = l.axis,
        .ideals = suite->ideals,
        .ideal_count = suite->ideal_count,
        .own_count = suite->own_count,
        .basis = suite->basis,
        .low = suite->bound_rows ? suite->low : NULL,
        .high = suite->bound_rows ? suite->high : NULL,
        .sources = l.source,
        .source_count = suite->source_count,
        .iterations = suite->iterations,
        .places = l.place,
        .place_count = s->place_count,
        .repetitions = s->repetitions,
        .statuses = rc_reading_status_names(),
        .status_count = RC_READING_STATUS_COUNT,
        .stops = rc_stop_names(),
        .stop_count = RC_STOP_COUNT,
        .workers = l.worker,
        .worker_count = s->worker_count,
    };
    if ((status = rc_agree(a->comm, status, err)) == RC_OK)
        status =
            rc_store_define_suite(a->store, s->store_kind, &out, &s->store_suite, err);
    rc_arena_free(&l.arena);
    return status;
}

int rc_store_making_define(struct rc_store_making *a, struct rc_error *err)
{
    size_t number = 0;

    for (size_t i = 0; i < a->campaign->kind_count; i++) {
        int status = define_kind(a, a->kind[i], &number, err);
        if (status != RC_OK)
            return status;
        for (size_t s = 0; s < a->suite_count; s++) {
            if (a->suite[s].kind != a->kind[i])
                continue;
            a->suite[s].store_kind = number;
            if ((status = define_suite(a, &a->suite[s], err)) != RC_OK)
                return status;
        }
    }
    return RC_OK;
}
