/* Counts the units that are done, missing or without a valid result, by suite and
 * place.
 *
 * The number of units that a suite should have is not stored, since it depends on where
 * it was measured: a group is expected at each place at which any group of the same
 * source and scope was measured in this suite, and at one place where none was yet.
 */
#include "campaign/records/completeness.h"

#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Properties of a unit that decide where it is measured: units with equal ones are
 * expected at the same places.
 */
struct spot {
    uint32_t source, scope, place;
};

static int compare_spots(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->source, x->scope, x->place},
                              (uint64_t[]){y->source, y->scope, y->place}, 3);
}

/* One suite's units, and the distinct spots among them. */
struct part {
    const struct rc_campaign_kind *kind;
    const struct rc_record_suite *suite;
    uint32_t number; /* of the suite */
    const struct rc_campaign *campaign;
    const struct rc_campaign_unit *unit;
    size_t unit_count;
    bool teams;        /* a unit has a record of each worker */
    bool replicated;   /* and it is wanted on each node */
    uint32_t *node_of; /* by place: the first place of its node */
    struct spot *spot;
    size_t spot_count;
};

/* Units of other shares in a share's journal do not count.  A team's records count as
 * one; the best of all nodes' teams counts where the unit is wanted once.
 */
static bool is_counted(const struct part *part, const struct rc_campaign_unit *unit)
{
    if (!rc_campaign_owns(part->kind, part->number, unit->group))
        return false;
    if (part->teams && !part->replicated)
        return unit == rc_campaign_find_team(part->campaign, unit->kind, unit->suite,
                                             unit->group, "");
    return !part->teams || unit == part->unit ||
           !rc_campaign_same_team(part->campaign, unit - 1, unit);
}

static uint32_t place_of(const struct part *part, const struct rc_campaign_unit *unit)
{
    return !part->teams       ? unit->place
           : part->replicated ? part->node_of[unit->place]
                              : 0;
}

/* Fills part->spot, which has room for all units: sorted, each once. */
static void find_spots(struct part *part)
{
    size_t last = 0, count = 0;

    for (size_t i = 0; i < part->unit_count; i++) {
        const struct rc_record_group *group = &part->kind->group[part->unit[i].group];
        if (is_counted(part, &part->unit[i]))
            part->spot[count++] = (struct spot){group->source, group->scope,
                                                place_of(part, &part->unit[i])};
    }
    qsort(part->spot, count, sizeof *part->spot, compare_spots);
    for (size_t i = 1; i < count; i++)
        if (compare_spots(&part->spot[last], &part->spot[i]) != 0)
            part->spot[++last] = part->spot[i];
    part->spot_count = count ? last + 1 : 0;
}

/* Adds the groups of each source and scope, times the places at which they are
 * expected.  'groups' has an element for each pair.
 */
static void count_expected(const struct part *part, uint64_t *groups,
                           struct rc_suite_state *out)
{
    const size_t sources = part->kind->record.source_count;

    for (uint32_t i = 0; i < part->kind->group_count; i++)
        groups[part->kind->group[i].source * RC_SCOPE_COUNT +
               part->kind->group[i].scope] +=
            rc_campaign_owns(part->kind, part->number, i);
    for (uint32_t i = 0; i < sources * RC_SCOPE_COUNT; i++) {
        const uint32_t source = i / RC_SCOPE_COUNT, scope = i % RC_SCOPE_COUNT;
        size_t places = 0;
        if (!groups[i] || rc_record_suite_points(part->suite, source) == 0)
            continue;
        for (size_t s = 0; s < part->spot_count; s++)
            places += part->spot[s].source == source && part->spot[s].scope == scope;
        out->units += groups[i] * (places ? places : 1);
    }
}

/* 'spec' is NULL where any number of repetitions is enough. */
static void count_units(const struct part *part, const struct rc_spec *spec,
                        struct rc_suite_state *out)
{
    uint64_t wall_ns = 0;
    uint32_t last = UINT32_MAX; /* group with readings */

    for (size_t i = 0; i < part->unit_count; i++) {
        const struct rc_campaign_unit *unit = &part->unit[i];
        const struct rc_record_group *group = &part->kind->group[unit->group];
        const bool deterministic =
            part->kind->record.source[group->source].deterministic;
        if (!is_counted(part, unit))
            continue;
        if (unit->status == RC_UNIT_FAILED) {
            out->failed++;
            continue;
        }
        if (out->repetitions_max == 0 || unit->repetitions < out->repetitions_min)
            out->repetitions_min = unit->repetitions;
        if (unit->repetitions > out->repetitions_max)
            out->repetitions_max = unit->repetitions;
        if (unit->group != last)
            out->events += group->own;
        last = unit->group;
        if (unit->status == RC_UNIT_INVALID)
            out->invalid++;
        else if (unit->stop != RC_STOP_INTERRUPTED &&
                 (!spec ||
                  unit->repetitions >= rc_spec_repeat_min(spec, deterministic))) {
            out->ok++;
            wall_ns += unit->wall_ns / 1024; /* cannot overflow */
        }
    }
    out->unit_ns = out->ok ? wall_ns / out->ok * 1024 : 0;
    const uint64_t there = out->ok + out->invalid + out->failed;
    out->missing = out->units > there ? out->units - there : 0;
}

/* The units of the suite begin at '*at', which is moved to the first one after them:
 * units are sorted by kind and suite.
 */
static int find_suite(const struct rc_campaign *h, const struct rc_spec *spec,
                      size_t *at, struct rc_suite_state *out, struct rc_error *err)
{
    const uint32_t k = out->kind, s = out->suite;
    struct part part = {.kind = &h->kind[k],
                        .suite = &h->kind[k].suite[s],
                        .number = s,
                        .campaign = h,
                        .teams = rc_record_suite_team(&h->kind[k].suite[s]) > 0,
                        .replicated = !spec || spec->replicate != RC_REPLICATE_NONE,
                        .unit = h->unit ? h->unit + *at : NULL};
    struct rc_arena arena = {0};

    for (; part.unit && *at < h->unit_count && h->unit[*at].kind == k &&
           h->unit[*at].suite == s;
         ++*at)
        part.unit_count++;
    part.spot = rc_arena_array(&arena, part.unit_count, sizeof *part.spot);
    part.node_of = rc_arena_array(&arena, h->place_count, sizeof *part.node_of);
    bool *seen = rc_arena_array(&arena, h->place_count, sizeof *seen);
    uint64_t *groups = rc_arena_array(
        &arena, part.kind->record.source_count * RC_SCOPE_COUNT, sizeof *groups);
    int status = rc_arena_check(&arena, err, "the units of a suite");
    if (status != RC_OK)
        goto out;
    for (uint32_t p = 0; p < h->place_count; p++)
        part.node_of[p] = p > 0 && rc_campaign_same_node(h->place[p - 1], h->place[p])
                              ? part.node_of[p - 1]
                              : p;
    find_spots(&part);
    count_expected(&part, groups, out);
    count_units(&part, spec, out);
    const struct rc_suite *suite = rc_suite_find(part.suite->name);
    if (spec && spec->suites.count && !(suite && rc_spec_names_suite(spec, suite))) {
        /* The campaign file doesn't name it any more: only the units that were measured
         * count.
         */
        out->units = out->ok + out->invalid + out->failed;
        out->missing = 0;
    }
    for (size_t i = 0; i < part.unit_count; i++) { /* of any source and scope */
        if (!rc_campaign_owns(part.kind, s, part.unit[i].group))
            continue;
        out->places += !seen[part.unit[i].place];
        seen[part.unit[i].place] = true;
    }
out:
    rc_arena_free(&arena);
    return status;
}

int rc_completeness_find(const struct rc_campaign *h, const struct rc_spec *spec,
                         struct rc_completeness *out, struct rc_error *err)
{
    size_t suites = 0, at = 0;

    for (size_t k = 0; k < h->kind_count; k++)
        suites += h->kind[k].suite_count;
    *out = (struct rc_completeness){.left_known = true};
    out->suite = rc_calloc(suites, sizeof *out->suite);
    if (!out->suite)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu suites", suites);
    for (uint32_t k = 0; k < h->kind_count; k++)
        for (uint32_t s = 0; s < h->kind[k].suite_count; s++) {
            struct rc_suite_state *suite = &out->suite[out->count++];
            *suite = (struct rc_suite_state){.kind = k, .suite = s};
            const int status = find_suite(h, spec, &at, suite, err);
            if (status != RC_OK) {
                rc_completeness_fini(out);
                return status;
            }
            const uint64_t left =
                suite->units > suite->ok ? suite->units - suite->ok : 0;
            out->all.units += suite->units;
            out->all.ok += suite->ok;
            out->all.invalid += suite->invalid;
            out->all.failed += suite->failed;
            out->all.missing += suite->missing;
            out->left_ns += left * suite->unit_ns;
            out->left_known &= !left || suite->unit_ns;
        }
    out->complete = out->all.units > 0 &&
                    out->all.missing + out->all.invalid + out->all.failed == 0;
    return RC_OK;
}

int rc_completeness_find_own(const struct rc_campaign *campaign, struct rc_spec *spec,
                             bool *known, struct rc_completeness *out,
                             struct rc_error *err)
{
    const char *text = campaign->record.spec;

    *known = text && rc_spec_from_text("campaign file", text, strlen(text), spec,
                                       NULL) == RC_OK;
    return rc_completeness_find(campaign, *known ? spec : NULL, out, err);
}

const char *rc_completeness_text(const struct rc_campaign *h,
                                 const struct rc_completeness *state,
                                 char out[RC_COMPLETENESS_TEXT])
{
    bool simulated = false;
    size_t events = 0;

    for (size_t k = 0; k < h->kind_count; k++) {
        events += h->kind[k].event_count;
        for (size_t s = 0; s < h->kind[k].record.source_count; s++)
            simulated = simulated || h->kind[k].record.source[s].simulated;
    }
    out[0] = 0;
    rc_text_append(
        out, RC_COMPLETENESS_TEXT,
        "%zu kind%s, %zu suite%s, %zu event%s; of %" PRIu64 " units %" PRIu64
        " are ok, %" PRIu64 " invalid, %" PRIu64 " failed, %" PRIu64 " missing%s",
        h->kind_count, rc_text_s(h->kind_count), state->count, rc_text_s(state->count),
        events, rc_text_s(events), state->all.units, state->all.ok, state->all.invalid,
        state->all.failed, state->all.missing,
        simulated ? "; simulated readings are among them" : "");
    return out;
}

void rc_completeness_fini(struct rc_completeness *state)
{
    free(state->suite);
    *state = (struct rc_completeness){0};
}
