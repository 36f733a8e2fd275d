/* Plans the suites of a kind: points, iterations and bases become records. */
#include "campaign/catalogue/points.h"
#include "campaign/plan/kind_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arrays that a suite's record points to. */
struct arrays {
    struct rc_record_point *point;
    const char **ideals;
    double *basis;
    size_t ideal_count;
};

static void arrays_fini(struct arrays *a)
{
    free(a->point);
    free(a->ideals);
    free(a->basis);
}

/* The suite's own ideals, then the others that it knows on a point or more. */
static void fill_ideals(struct arrays *a, const struct rc_geometry *geometry,
                        const struct rc_suite *suite, const struct rc_points *points)
{
    enum rc_ideal known[RC_IDEAL_COUNT];
    size_t count = suite->ideal_count;

    memcpy(known, suite->ideals, count * sizeof *known);
    for (int j = 0; j < RC_IDEAL_COUNT; j++) {
        bool is_known = false, is_own = false;
        for (size_t k = 0; k < suite->ideal_count && !is_own; k++)
            is_own = suite->ideals[k] == (enum rc_ideal)j;
        for (size_t i = 0; i < points->count && !is_own && !is_known; i++)
            is_known =
                !isnan(suite->expect(geometry, &points->point[i], (enum rc_ideal)j));
        if (is_known)
            known[count++] = (enum rc_ideal)j;
    }
    a->ideal_count = count;
    for (size_t j = 0; j < count; j++) {
        a->ideals[j] = rc_ideal_name(known[j]);
        for (size_t i = 0; i < points->count; i++)
            a->basis[i * count + j] =
                suite->expect(geometry, &points->point[i], known[j]);
    }
}

static int arrays_fill(struct arrays *a, const struct rc_geometry *geometry,
                       const struct rc_suite *suite, const struct rc_points *points,
                       struct rc_error *err)
{
    *a = (struct arrays){
        .point = rc_calloc(points->count, sizeof *a->point),
        .ideals = rc_calloc(RC_IDEAL_COUNT, sizeof *a->ideals),
        .basis = rc_calloc(points->count * RC_IDEAL_COUNT, sizeof *a->basis)};
    if (!a->point || !a->ideals || !a->basis)
        return rc_fail(err, RC_ENOMEM, "no memory for suite '%s'", suite->name);
    for (size_t i = 0; i < points->count; i++)
        a->point[i] =
            (struct rc_record_point){points->point[i].name, points->point[i].axis};
    fill_ideals(a, geometry, suite, points);
    return RC_OK;
}

/* The number of a suite, or that of the next one. */
static size_t suite_number(const struct rc_campaign_kind *kind, const char *name)
{
    size_t number = 0;

    while (number < kind->suite_count && strcmp(kind->suite[number].name, name) != 0)
        number++;
    return number;
}

/* The campaign checks a suite that it has against this one. */
static int put_suite(const struct rc_kind_plan *plan, uint64_t id,
                     const struct rc_record_suite *record, struct rc_error *err)
{
    const struct rc_campaign_kind *kind =
        &plan->campaign->kind[rc_campaign_find_kind(plan->campaign, id)];
    size_t number = suite_number(kind, record->name);
    struct rc_bytes payload = {0};
    bool known = number < kind->suite_count;
    int status = rc_record_put_suite(id, number, record, &payload, err);

    if (status == RC_OK)
        status = rc_campaign_apply(plan->campaign, RC_RECORD_SUITE, payload.byte,
                                   payload.count, err);
    if (status == RC_EUSAGE && known)
        status = rc_fail(err, RC_ECONFLICT,
                         "suite '%s' of this build has other points or another basis "
                         "than the one that this campaign measured: start another "
                         "directory",
                         record->name);
    if (status == RC_OK && !known && plan->emit)
        status = plan->emit(plan->context, RC_RECORD_SUITE, &payload, err);
    rc_bytes_fini(&payload);
    return status;
}

static int draft_suite(const struct rc_kind_plan *plan, uint64_t id,
                       const struct rc_geometry *geometry, const struct rc_suite *suite,
                       const struct rc_suite_points *found, struct rc_error *err)
{
    struct arrays arrays;
    struct rc_record_suite record = {.name = suite->name,
                                     .summary = suite->summary,
                                     .footprint = (uint8_t)suite->footprint,
                                     .all_cores = suite->all_cores,
                                     .axes = suite->axes,
                                     .point_count = found->points.count,
                                     .own_count = suite->ideal_count,
                                     .iterations = found->iterations,
                                     .source_count = plan->catalogue->source_count};
    int status = arrays_fill(&arrays, geometry, suite, &found->points, err);

    while (suite->axes && suite->axes[record.axis_count])
        record.axis_count++;
    record.point = arrays.point;
    record.ideals = arrays.ideals;
    record.ideal_count = arrays.ideal_count;
    record.basis = arrays.basis;
    if (status == RC_OK)
        status = put_suite(plan, id, &record, err);
    arrays_fini(&arrays);
    return status;
}

static bool is_wanted(const struct rc_spec *spec, const struct rc_suite *suite)
{
    return spec->suites.count ? rc_spec_names_suite(spec, suite) : suite->by_default;
}

static size_t points_measured(const struct rc_kind_plan *plan,
                              const struct rc_suite_points *found)
{
    size_t measured = 0;

    for (size_t i = 0; i < plan->catalogue->source_count * found->points.count; i++)
        measured += found->iterations[i] != 0;
    return measured;
}

static void say_left_out(const struct rc_kind_plan *plan, const struct rc_suite *suite,
                         const char *reason)
{
    char line[512];

    snprintf(line, sizeof line, "suite %s is left out on kind %s: %s", suite->name,
             plan->catalogue->kind.name,
             reason ? reason : "none of its points can run here");
    if (plan->remark)
        plan->remark(plan->context, line);
}

int rc_kind_plan_suites(const struct rc_kind_plan *plan, uint64_t id,
                        struct rc_error *err)
{
    struct rc_geometry geometry = rc_catalogue_campaign_geometry(plan->catalogue);
    size_t suites = 0;
    int status = RC_OK;

    for (size_t i = 0; rc_suites()[i] && status == RC_OK; i++) {
        const struct rc_suite *suite = rc_suites()[i];
        struct rc_suite_points found;
        if (!is_wanted(plan->spec, suite))
            continue;
        status = rc_suite_points_find(plan->catalogue, &geometry, suite, &found, err);
        if (status != RC_OK)
            break;
        if (points_measured(plan, &found) == 0) {
            say_left_out(plan, suite, found.reason);
        } else {
            status = draft_suite(plan, id, &geometry, suite, &found, err);
            suites++;
        }
        rc_suite_points_fini(&found);
    }
    if (status == RC_OK && suites == 0)
        status = rc_fail(err, RC_EMISSING,
                         "no suite can run on kind %s, see 'rollcall kernels'",
                         plan->catalogue->kind.name);
    return status;
}
