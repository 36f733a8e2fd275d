/* Plans a kind: its sources, events, suites and groups become records.
 *
 * Each record is applied to the campaign at once, as if it had been read from a
 * journal, and then handed to the caller for the journal.  So a plan has only one form,
 * and a resumed run reads what the first run had.
 *
 * Events have three numbers, which rc_event_numbers relates: the source's own, the
 * index in the catalogue, and the number in the kind, which is permanent.
 */
#include "campaign/plan/kind_plan.h"

#include "campaign/base/text.h"
#include "campaign/grouping/groups.h"
#include "campaign/records/event_numbers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct work {
    const struct rc_kind_plan *plan;
    struct rc_arena arena;       /* of all arrays here */
    uint64_t id;                 /* of the kind */
    size_t kind;                 /* index in the campaign */
    struct rc_event_numbers map; /* the kind's events among those of the catalogue */
    struct rc_groups *groups;    /* by source: its new groups */
    uint32_t **members; /* by source: index in the catalogue by the source's number */
};

static const struct rc_catalogue *catalogue_of(const struct work *w)
{
    return w->plan->catalogue;
}

static struct rc_campaign_kind *kind_of(const struct work *w)
{
    return &w->plan->campaign->kind[w->kind];
}

/* 'status' is that of making the payload; the payload is freed. */
static int emit_record(const struct work *w, uint32_t type, int status,
                       struct rc_bytes *payload, struct rc_error *err)
{
    const struct rc_kind_plan *plan = w->plan;

    if (status != RC_OK ||
        (status = rc_campaign_apply(plan->campaign, type, payload->byte, payload->count,
                                    err)) != RC_OK)
        goto out;
    if (plan->emit)
        status = plan->emit(plan->context, type, payload, err);
out:
    rc_bytes_fini(payload);
    return status;
}

/* Marks the events of groups whose own events are all still wanted: a group that is
 * wanted only in part is not measured any more.
 */
static void mark_placed(const struct rc_campaign_kind *kind,
                        const struct rc_event_numbers *map, bool *placed)
{
    for (size_t g = 0; g < kind->group_count; g++) {
        const struct rc_record_group *group = &kind->group[g];
        bool wanted = true;
        for (size_t i = 0; i < group->own; i++)
            wanted = wanted && map->listed[group->event[i]] != RC_EVENT_ABSENT;
        for (size_t i = 0; i < group->own && wanted; i++)
            placed[map->listed[group->event[i]]] = true;
    }
}

/* An event that counted nothing in its trial may count in other kernels. */
static bool is_candidate(uint8_t verdict)
{
    return verdict == RC_VERDICT_OK || verdict == RC_VERDICT_COUNTS_NOTHING;
}

int rc_kind_plan_is_new(const struct rc_campaign *campaign,
                        const struct rc_catalogue *catalogue, bool *is_new,
                        struct rc_error *err)
{
    struct rc_event_numbers map = {0};
    const size_t at =
        rc_campaign_find_kind(campaign, rc_record_kind_id(catalogue->kind.key));

    *is_new = true;
    if (at == campaign->kind_count)
        return RC_OK;
    const struct rc_campaign_kind *kind = &campaign->kind[at];
    bool *placed = rc_calloc(catalogue->count, sizeof *placed);
    if (!placed)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", catalogue->count);
    int status = rc_event_numbers_make(kind, catalogue, &map, err);
    if (status != RC_OK)
        goto out;
    mark_placed(kind, &map, placed);
    *is_new = false;
    for (size_t i = 0; i < catalogue->count && !*is_new; i++)
        *is_new = map.of_listed[i] == RC_EVENT_ABSENT ||
                  (!placed[i] && is_candidate(kind->event[map.of_listed[i]].verdict));
out:
    rc_event_numbers_fini(&map);
    free(placed);
    return status;
}

/* Makes the record of the kind and its sources, unless the campaign has it. */
static int draft_sources(struct work *w, struct rc_error *err)
{
    const struct rc_catalogue *c = catalogue_of(w);
    const struct rc_campaign *campaign = w->plan->campaign;
    struct rc_bytes payload = {0};

    w->id = rc_record_kind_id(c->kind.key);
    w->kind = rc_campaign_find_kind(campaign, w->id);
    if (w->kind < campaign->kind_count)
        return RC_OK;
    struct rc_record_source *source =
        rc_arena_array(&w->arena, c->source_count, sizeof *source);
    struct rc_record_kind kind = {.name = c->kind.name,
                                  .key = c->kind.key,
                                  .shape = rc_machine_shape(c->machine),
                                  .source = source,
                                  .source_count = c->source_count};
    int status = rc_arena_check(&w->arena, err, "the sources");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < c->source_count; i++)
        source[i] = (struct rc_record_source){
            .name = c->source[i].source->name,
            .label = c->source[i].label,
            .counter_set = c->source[i].counter_set,
            .deterministic = c->source[i].source->deterministic,
            .simulated = !c->source[i].source->runs_kernels};
    status = rc_record_put(RC_RECORD_KIND, &kind, &payload, err);
    status = emit_record(w, RC_RECORD_KIND, status, &payload, err);
    w->kind = rc_campaign_find_kind(campaign, w->id);
    return status;
}

static struct rc_group_event group_event(const struct rc_event *e)
{
    return (struct rc_group_event){e->number, e->domain, e->alike,
                                   (enum rc_scope)e->scope};
}

/* Groups the wanted events of a source that are not in a wanted group.  If the campaign
 * knows an event, its verdict is the campaign's.
 */
static int group_source(struct work *w, uint32_t source, const bool *placed,
                        struct rc_error *err)
{
    const struct rc_catalogue *c = catalogue_of(w);
    const struct rc_open_source *s = &c->source[source];
    uint32_t cap = w->plan->spec->group_size, numbers = s->reference.number + 1;
    struct rc_groups_setup setup = {
        .cap = cap && cap < RC_KIND_PLAN_GROUP_MOST ? cap : RC_KIND_PLAN_GROUP_MOST};
    struct rc_group_event reference = group_event(&s->reference);
    struct rc_group_event *events = rc_arena_array(&w->arena, c->count, sizeof *events);
    size_t count = 0;

    for (size_t i = 0; i < c->count; i++)
        if (c->event[i].source == source && c->event[i].number >= numbers)
            numbers = c->event[i].number + 1;
    w->members[source] = rc_arena_array(&w->arena, numbers, sizeof **w->members);
    int status = rc_arena_check(&w->arena, err, "the events of a source");
    if (status != RC_OK)
        return status;
    memset(w->members[source], 0xff,
           numbers * sizeof **w->members); /* RC_EVENT_ABSENT */
    for (size_t i = 0; i < c->count; i++) {
        if (c->event[i].source != source)
            continue;
        const uint32_t known = w->map.of_listed[i];
        const uint8_t verdict = known != RC_EVENT_ABSENT
                                    ? kind_of(w)->event[known].verdict
                                    : c->event[i].verdict;
        w->members[source][c->event[i].number] = (uint32_t)i;
        if (!placed[i] && is_candidate(verdict))
            events[count++] = group_event(&c->event[i]);
    }
    if (s->reference.name)
        setup.reference = &reference;
    if (count == 0)
        return RC_OK;
    return rc_groups_of_source(s->source, s->state, events, count, &setup,
                               &w->groups[source], err);
}

/* Makes new groups of all sources, for events that are in none. */
static int find_groups(struct work *w, struct rc_error *err)
{
    const struct rc_catalogue *c = catalogue_of(w);
    bool *placed = rc_arena_array(&w->arena, c->count, sizeof *placed);
    char line[512], took[RC_TEXT_SHORT];

    w->groups = rc_arena_array(&w->arena, c->source_count, sizeof *w->groups);
    w->members = rc_arena_array(&w->arena, c->source_count, sizeof(uint32_t *));
    int status = rc_arena_check(&w->arena, err, "the groups");
    if (status != RC_OK)
        return status;
    mark_placed(kind_of(w), &w->map, placed);
    for (uint32_t i = 0; i < c->source_count; i++) {
        if ((status = group_source(w, i, placed, err)) != RC_OK)
            return status;
    }
    /* "papi: 430 events in 120 groups, at most 6 together, 3,000 trials in 2 s" */
    for (uint32_t i = 0; i < c->source_count; i++) {
        const struct rc_groups *g = &w->groups[i];
        size_t events = 0;
        if (g->count == 0 || !w->plan->remark)
            continue;
        for (size_t n = 0; n < g->count; n++)
            events += g->group[n].own;
        snprintf(line, sizeof line,
                 "%s: %zu event%s in %zu group%s, at most %zu together, %" PRIu64
                 " trial%s in %s",
                 c->source[i].source->name, events, rc_text_s(events), g->count,
                 rc_text_s(g->count), g->statistics.largest, g->statistics.trials,
                 rc_text_s(g->statistics.trials),
                 rc_text_put_duration(took, g->statistics.wall_ns));
        if (c->source[i].reference.name)
            rc_text_append(line, sizeof line, "; reference %s in %zu of %zu",
                           c->source[i].reference.name, g->statistics.with_reference,
                           g->count);
        w->plan->remark(w->plan->context, line);
    }
    return RC_OK;
}

static struct rc_record_event record_of(const struct rc_event *event)
{
    return (struct rc_record_event){.name = event->name,
                                    .description = event->description,
                                    .evidence = event->evidence,
                                    .reason = event->reason,
                                    .source = event->source,
                                    .scope = event->scope,
                                    .verdict = event->verdict,
                                    .simulated = event->simulated,
                                    .state = event->state};
}

/* The kind's number of a source's reference, or the kind's event_count. */
static uint32_t find_reference(const struct work *w, uint32_t source)
{
    const struct rc_campaign_kind *kind = kind_of(w);
    const uint32_t number = catalogue_of(w)->source[source].reference.number;
    uint32_t i = 0;

    while (i < kind->event_count &&
           (kind->event[i].source != source || w->map.number[i] != number))
        i++;
    return i;
}

/* Makes records of the new events in the catalogue's order, then of references that no
 * pattern matches, if a group has room for them.
 */
static int draft_events(struct work *w, struct rc_error *err)
{
    const struct rc_catalogue *c = catalogue_of(w);
    struct rc_bytes payload = {0};
    struct rc_record_event *all =
        rc_arena_array(&w->arena, c->count + c->source_count, sizeof *all);
    size_t count = 0;
    int status = rc_arena_check(&w->arena, err, "the events of a kind");

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < c->count; i++)
        all[i] = record_of(&c->event[i]);
    /* An event that counts in no group does not count, whatever its trial found. */
    for (size_t s = 0; s < c->source_count; s++)
        for (size_t i = 0; i < w->groups[s].unfit_count; i++) {
            const struct rc_group_unfit *unfit = &w->groups[s].unfit[i];
            struct rc_record_event *record = &all[w->members[s][unfit->event]];
            record->verdict = (uint8_t)unfit->verdict;
            record->reason = unfit->reason;
        }
    for (size_t i = 0; i < c->count; i++)
        if (w->map.of_listed[i] == RC_EVENT_ABSENT)
            all[count++] = all[i];
    for (uint32_t i = 0; i < c->source_count; i++) {
        const struct rc_event *reference = &c->source[i].reference;
        if (w->groups[i].statistics.with_reference > 0 &&
            w->members[i][reference->number] == RC_EVENT_ABSENT &&
            find_reference(w, i) == kind_of(w)->event_count) {
            all[count] = record_of(reference);
            all[count++].verdict = RC_VERDICT_OK;
        }
    }
    if (count == 0)
        return RC_OK;
    status = rc_record_put_list(RC_RECORD_EVENTS, w->id, kind_of(w)->event_count, all,
                                count, &payload, err);
    return emit_record(w, RC_RECORD_EVENTS, status, &payload, err);
}

/* Makes the groups of a source a record, with the kind's numbers of events instead of
 * the source's.  An event that the catalogue does not list is the reference.
 */
static int put_groups(struct work *w, uint32_t source, struct rc_error *err)
{
    const struct rc_campaign_kind *kind = kind_of(w);
    const struct rc_groups *found = &w->groups[source];
    struct rc_record_group *group =
        rc_arena_array(&w->arena, found->count, sizeof *group);
    const uint32_t reference = find_reference(w, source);
    size_t members = 0, at = 0;
    struct rc_bytes payload = {0};

    for (size_t g = 0; g < found->count; g++)
        members += found->group[g].count;
    uint32_t *event = rc_arena_array(&w->arena, members, sizeof *event);
    int status = rc_arena_check(&w->arena, err, "the groups of a source");
    if (status != RC_OK)
        return status;
    for (size_t g = 0; g < found->count; g++) {
        group[g] = (struct rc_record_group){.source = source,
                                            .scope = (uint8_t)found->group[g].scope,
                                            .event = event + at,
                                            .count = found->group[g].count,
                                            .own = found->group[g].own};
        for (size_t i = 0; i < group[g].count; i++) {
            const uint32_t listed = w->members[source][found->group[g].events[i]];
            event[at++] =
                listed == RC_EVENT_ABSENT ? reference : w->map.of_listed[listed];
        }
    }
    status = rc_record_put_list(RC_RECORD_GROUPS, w->id, kind->group_count, group,
                                found->count, &payload, err);
    return emit_record(w, RC_RECORD_GROUPS, status, &payload, err);
}

int rc_kind_plan_say_patterns(const struct rc_kind_plan *plan, struct rc_error *err)
{
    char line[RC_PATTERNS_LINE];
    int status = rc_catalogue_idle_patterns(plan->catalogue, &plan->spec->events, line,
                                            sizeof line, err);

    if (line[0] && plan->remark)
        plan->remark(plan->context, line);
    return status;
}

void rc_kind_plan_say_verdicts(const struct rc_kind_plan *plan)
{
    const size_t count = plan->catalogue->count;
    size_t tally[RC_VERDICT_COUNT];
    char line[512];

    rc_catalogue_tally(plan->catalogue, tally);
    snprintf(line, sizeof line, "%zu event%s of %zu%s", count, rc_text_s(count),
             plan->catalogue->offered, count ? ":" : "");
    for (int v = 0, some = 0; v < RC_VERDICT_COUNT; v++)
        if (tally[v])
            rc_text_append(line, sizeof line, "%s %zu %s", some++ ? "," : "", tally[v],
                           rc_verdict_name((enum rc_verdict)v));
    if (plan->remark && !tally[RC_VERDICT_UNTRIED])
        plan->remark(plan->context, line);
}

/* Refuses a catalogue without events, and says which patterns match nothing. */
static int check_events(const struct rc_kind_plan *plan, struct rc_error *err)
{
    const struct rc_patterns *patterns = &plan->spec->events;

    if (plan->catalogue->count)
        return RC_OK;
    char line[RC_PATTERNS_LINE];
    int status =
        rc_catalogue_idle_patterns(plan->catalogue, patterns, line, sizeof line, err);
    if (status != RC_OK)
        return status;
    return line[0]
               ? rc_fail(err, RC_EMISSING, "%s%s", line,
                         strstr(line, "did you mean") ? "" : ", see 'rollcall events'")
               : rc_fail(err, RC_EMISSING,
                         "no event on kind %s matches the patterns and scopes, see "
                         "'rollcall events'",
                         plan->catalogue->kind.name);
}

int rc_kind_plan_kind(const struct rc_kind_plan *plan, struct rc_error *err)
{
    struct work w = {.plan = plan};
    int status = check_events(plan, err);

    if (status != RC_OK)
        return status;
    if ((status = draft_sources(&w, err)) != RC_OK ||
        (status = rc_event_numbers_make(kind_of(&w), catalogue_of(&w), &w.map, err)) !=
            RC_OK ||
        (status = find_groups(&w, err)) != RC_OK ||
        (status = draft_events(&w, err)) != RC_OK ||
        (status = rc_kind_plan_suites(plan, w.id, err)) != RC_OK)
        goto out;
    /* Groups refer to events by the kind's numbers, and the kind has more events now.
     */
    rc_event_numbers_fini(&w.map);
    if ((status = rc_event_numbers_make(kind_of(&w), catalogue_of(&w), &w.map, err)) !=
        RC_OK)
        goto out;
    for (uint32_t s = 0; s < catalogue_of(&w)->source_count; s++)
        if (w.groups[s].count && (status = put_groups(&w, s, err)) != RC_OK)
            goto out;
    if (kind_of(&w)->group_count == 0)
        status = rc_fail(err, RC_EMISSING,
                         "none of the %zu events that match counts on kind %s, "
                         "see 'rollcall events'",
                         catalogue_of(&w)->count, catalogue_of(&w)->kind.name);
out:
    for (size_t i = 0; w.groups && i < catalogue_of(&w)->source_count; i++)
        rc_groups_fini(&w.groups[i]);
    rc_event_numbers_fini(&w.map);
    rc_arena_free(&w.arena);
    return status;
}
