/* The points of a suite on a machine, and their iterations under each source. */
#include "campaign/catalogue/points.h"

#include "campaign/base/text.h"
#include "campaign/cli/signals.h"
#include "kernels/own/own.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs a user's suite in another process before it runs in this one. */
static int try_suite(const struct rc_catalogue *catalogue, const struct rc_suite *suite,
                     struct rc_error *err)
{
    size_t s = 0;

    while (s < catalogue->source_count && !catalogue->source[s].source->runs_kernels)
        s++;
    if (s == catalogue->source_count)
        return RC_OK;
    rc_signals_inside(suite->name);
    const int status = rc_own_try(suite, err);
    rc_signals_inside(NULL);
    return status;
}

int rc_suite_points_find(const struct rc_catalogue *catalogue,
                         const struct rc_suite_request *request,
                         const struct rc_suite *suite, struct rc_suite_points *out,
                         struct rc_error *err)
{
    *out = (struct rc_suite_points){.reason = suite->usable ? suite->usable() : NULL};
    const size_t sources = catalogue->source_count;
    int status = try_suite(catalogue, suite, err);

    if (status == RC_OK)
        status = suite->points(request, &out->points, err);
    if (status == RC_OK && !(out->iterations = rc_calloc(sources * out->points.count,
                                                         sizeof *out->iterations)))
        status = rc_fail(err, RC_ENOMEM, "no memory for the points of suite '%s'",
                         suite->name);
    if (status != RC_OK) {
        rc_suite_points_fini(out);
        return status;
    }
    for (size_t s = 0; s < sources; s++)
        for (size_t i = 0; i < out->points.count; i++) {
            const struct rc_source *source = catalogue->source[s].source;
            const struct rc_point *point = &out->points.point[i];
            const uint64_t budget =
                source->runs_kernels ? source->instruction_budget : 0;
            if (!source->runs_kernels ||
                (!out->reason && !point->unusable &&
                 (!suite->command || source->follow) &&
                 rc_point_fits(suite, request, point, source->instructions_most)))
                out->iterations[s * out->points.count + i] =
                    suite->iterations(request, point, budget);
        }
    return RC_OK;
}

int rc_suite_team_check(const struct rc_catalogue *catalogue, const char *suite,
                        uint32_t most, struct rc_error *err)
{
    const size_t cores = rc_machine_unit_count(catalogue->machine, RC_SCOPE_CORE);
    const uint32_t workers = catalogue->workers ? catalogue->workers : 1;

    if (most <= workers)
        return RC_OK;
    if (most > cores)
        return rc_fail(err, RC_EUSAGE,
                       "suite '%s': a team of %" PRIu32
                       " workers, and a node of kind %s has %zu core%s",
                       suite, most, catalogue->kind.name, cores, rc_text_s(cores));
    return rc_fail(err, RC_EUSAGE,
                   "suite '%s': a team of %" PRIu32 " workers, and a node of this run "
                   "has %" PRIu32 " rank%s with a core of its own, expected %" PRIu32
                   ": 'mpirun -n %" PRIu32 " rollcall ...' on one node",
                   suite, most, workers, rc_text_s(workers), most, most);
}

void rc_suite_points_fini(struct rc_suite_points *points)
{
    rc_points_fini(&points->points);
    free(points->iterations);
    *points = (struct rc_suite_points){0};
}
