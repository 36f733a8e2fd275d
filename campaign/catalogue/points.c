/* The points of a suite on a machine, and their iterations under each source. */
#include "campaign/catalogue/points.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t iterations_of(const struct rc_source *source,
                              const struct rc_geometry *geometry,
                              const struct rc_suite *suite,
                              const struct rc_point *point, bool runs)
{
    if (!source->runs_kernels)
        return suite->iterations(geometry, point, 0);
    if (!runs || point->unusable ||
        !rc_point_fits(suite, geometry, point, source->instruction_budget))
        return 0;
    return suite->iterations(geometry, point, source->instruction_budget);
}

int rc_suite_points_find(const struct rc_catalogue *catalogue,
                         const struct rc_geometry *geometry,
                         const struct rc_suite *suite, struct rc_suite_points *out,
                         struct rc_error *err)
{
    *out = (struct rc_suite_points){.reason = suite->usable ? suite->usable() : NULL};
    const size_t sources = catalogue->source_count;
    int status = suite->points(geometry, &out->points, err);

    if (status == RC_OK && !(out->iterations = rc_calloc(sources * out->points.count,
                                                         sizeof *out->iterations)))
        status = rc_fail(err, RC_ENOMEM, "no memory for the points of suite '%s'",
                         suite->name);
    if (status != RC_OK) {
        rc_suite_points_fini(out);
        return status;
    }
    for (size_t s = 0; s < sources; s++)
        for (size_t i = 0; i < out->points.count; i++)
            out->iterations[s * out->points.count + i] =
                iterations_of(catalogue->source[s].source, geometry, suite,
                              &out->points.point[i], !out->reason);
    return RC_OK;
}

void rc_suite_points_fini(struct rc_suite_points *points)
{
    rc_points_fini(&points->points);
    free(points->iterations);
    *points = (struct rc_suite_points){0};
}
