/* Plans the suites of a kind: points, iterations and bases become records.
 *
 * A suite that the campaign has already is made again and compared with it: a build
 * whose kernels do other work must not resume the campaign.
 */
#include "campaign/base/text.h"
#include "campaign/catalogue/points.h"
#include "campaign/plan/kind_plan.h"
#include "campaign/plan/lengthen.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The counts of each ideal on each point, per iteration. */
struct counts {
    const char *ideals[RC_IDEAL_COUNT];
    double *basis, *low, *high; /* [point][ideal] */
};

/* Lists the suite's own ideals, then the others that it knows on at least one point;
 * the basis is their exact counts, NAN where a count is not exactly known.
 */
static void fill_ideals(const struct rc_suite_request *request,
                        const struct rc_suite *suite, const struct rc_points *points,
                        struct counts *out, size_t *ideal_count)
{
    enum rc_ideal known[RC_IDEAL_COUNT];
    size_t count = suite->ideal_count;

    if (count)
        memcpy(known, suite->ideals, count * sizeof *known);
    for (int j = 0; j < RC_IDEAL_COUNT; j++) {
        bool is_known = false, is_own = false;
        for (size_t k = 0; k < suite->ideal_count && !is_own; k++)
            is_own = suite->ideals[k] == (enum rc_ideal)j;
        for (size_t i = 0; i < points->count && !is_own && !is_known; i++)
            is_known = rc_range_says(
                rc_expect_range(suite, request, &points->point[i], (enum rc_ideal)j));
        if (is_known)
            known[count++] = (enum rc_ideal)j;
    }
    *ideal_count = count;
    for (size_t j = 0; j < count; j++) {
        out->ideals[j] = rc_ideal_name(known[j]);
        for (size_t i = 0; i < points->count; i++) {
            const struct rc_range range =
                rc_expect_range(suite, request, &points->point[i], known[j]);
            out->basis[i * count + j] = rc_range_exact(range);
            out->low[i * count + j] = range.low;
            out->high[i * count + j] = range.high;
        }
    }
}

/* The campaign's record of a suite, or NULL. */
static const struct rc_record_suite *find_record(const struct rc_kind_plan *plan,
                                                 uint64_t id, const char *name)
{
    const size_t at = rc_campaign_find_kind(plan->campaign, id);
    const struct rc_campaign_kind *kind = &plan->campaign->kind[at];

    for (size_t s = 0; s < kind->suite_count; s++)
        if (strcmp(kind->suite[s].name, name) == 0)
            return &kind->suite[s];
    return NULL;
}

/* A new suite gets the next number.  A known one is not handed to the journal again:
 * applying it only checks that it is the same.
 */
static int put_suite(const struct rc_kind_plan *plan, uint64_t id,
                     const struct rc_record_suite *record, struct rc_error *err)
{
    const struct rc_campaign_kind *kind =
        &plan->campaign->kind[rc_campaign_find_kind(plan->campaign, id)];
    const struct rc_record_suite *had = find_record(plan, id, record->name);
    const size_t number = had ? (size_t)(had - kind->suite) : kind->suite_count;
    const bool known = had != NULL;
    struct rc_bytes payload = {0};
    int status =
        rc_record_put_list(RC_RECORD_SUITE, id, number, record, 1, &payload, err);
    if (status == RC_OK)
        status = rc_campaign_apply(plan->campaign, RC_RECORD_SUITE, payload.byte,
                                   payload.count, err);
    if (status == RC_EUSAGE && known)
        status =
            rc_fail(err, RC_ECONFLICT,
                    "suite '%s' of this build has other points or another basis "
                    "than the one that this campaign measured: use a new directory",
                    record->name);
    if (status == RC_OK && !known && plan->emit)
        status = plan->emit(plan->context, RC_RECORD_SUITE, &payload, err);
    rc_bytes_fini(&payload);
    return status;
}

/* The record of one suite, from its points on this machine. */
static int draft_suite(const struct rc_kind_plan *plan, uint64_t id,
                       const struct rc_suite_request *request,
                       const struct rc_suite *suite,
                       const struct rc_suite_points *found, struct rc_error *err)
{
    const struct rc_points *points = &found->points;
    struct rc_arena arena = {0};
    struct rc_record_point *point =
        rc_arena_array(&arena, points->count, sizeof *point);
    const size_t room = points->count * RC_IDEAL_COUNT;
    struct counts counts = {.basis = rc_arena_array(&arena, room, sizeof(double)),
                            .low = rc_arena_array(&arena, room, sizeof(double)),
                            .high = rc_arena_array(&arena, room, sizeof(double))};
    struct rc_record_suite record = {.name = suite->name,
                                     .summary = suite->summary,
                                     .footprint = (uint8_t)suite->footprint,
                                     .all_cores = suite->all_cores || suite->team,
                                     .axes = suite->axes,
                                     .point = point,
                                     .point_count = points->count,
                                     .ideals = counts.ideals,
                                     .basis = counts.basis,
                                     .bound_rows = points->count,
                                     .low = counts.low,
                                     .high = counts.high,
                                     .own_count = suite->ideal_count,
                                     .iterations = found->iterations,
                                     .source_count = plan->catalogue->source_count,
                                     .made_by =
                                         suite->made_by ? suite->made_by(request) : ""};
    int status = rc_arena_check(&arena, err, "the points of a suite");

    if (status != RC_OK)
        goto out;
    while (suite->axes && suite->axes[record.axis_count])
        record.axis_count++;
    for (size_t i = 0; i < points->count; i++)
        point[i] =
            (struct rc_record_point){points->point[i].name, points->point[i].axis};
    fill_ideals(request, suite, points, &counts, &record.ideal_count);
    status = put_suite(plan, id, &record, err);
out:
    rc_arena_free(&arena);
    return status;
}

/* The points of a suite.  Teams are those that fit on this run's nodes; a suite that the
 * campaign has keeps its own.
 */
static int find_points(const struct rc_kind_plan *plan, const struct rc_suite *suite,
                       const struct rc_record_suite *had,
                       struct rc_suite_request *request, struct rc_suite_points *out,
                       struct rc_error *err)
{
    const uint32_t kept = had ? rc_record_suite_team(had) : 0;
    uint32_t most = 1;
    char line[256];

    *request = rc_catalogue_campaign_request(plan->catalogue);
    if (kept)
        request->workers = kept;
    int status = rc_suite_points_find(plan->catalogue, request, suite, out, err);
    if (status != RC_OK || kept || !suite->team)
        return status;
    for (size_t i = 0; i < out->points.count; i++)
        if (out->points.point[i].workers > most)
            most = out->points.point[i].workers;
    if ((status = rc_suite_team_check(plan->catalogue, suite->name, most, err)) !=
        RC_OK) {
        rc_suite_points_fini(out);
        return status;
    }
    snprintf(
        line, sizeof line,
        "suite %s: teams of up to %" PRIu32 " worker%s; the ranks of this run allow "
        "%" PRIu32 " on each node",
        suite->name, most, rc_text_s(most), request->workers ? request->workers : 1);
    if (plan->remark)
        plan->remark(plan->context, line);
    return RC_OK;
}

int rc_kind_plan_suites(const struct rc_kind_plan *plan, uint64_t id,
                        struct rc_error *err)
{
    const struct rc_spec *spec = plan->spec;
    size_t suites = 0;

    for (size_t i = 0; rc_suites()[i]; i++) {
        const struct rc_suite *suite = rc_suites()[i];
        struct rc_suite_request request;
        struct rc_suite_points found;
        bool measured = false; /* by any source, at any point */
        char line[512];
        if (!rc_spec_wants_suite(spec, suite))
            continue;
        const struct rc_record_suite *had = find_record(plan, id, suite->name);
        int status = find_points(plan, suite, had, &request, &found, err);
        if (status != RC_OK)
            return status;
        rc_kind_plan_lengthen(plan, had, &request, suite, &found);
        for (size_t p = 0; p < plan->catalogue->source_count * found.points.count; p++)
            measured |= found.iterations[p] != 0;
        suites += measured;
        snprintf(line, sizeof line, "suite %s is left out on kind %s: %s", suite->name,
                 plan->catalogue->kind.name,
                 found.reason ? found.reason : "none of its points can run here");
        if (measured)
            status = draft_suite(plan, id, &request, suite, &found, err);
        else if (plan->remark)
            plan->remark(plan->context, line);
        rc_suite_points_fini(&found);
        if (status != RC_OK)
            return status;
    }
    if (suites > 0)
        return RC_OK;
    return rc_fail(err, RC_EMISSING,
                   "no suite can run on kind %s, see 'rollcall kernels'",
                   plan->catalogue->kind.name);
}
