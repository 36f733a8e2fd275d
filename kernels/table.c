#include "kernels/kernel.h"

#include "campaign/base/memory.h"

#include <stdlib.h>
#include <string.h>

extern const struct rc_suite rc_suite_dcache;
extern const struct rc_suite rc_suite_dcache_write;

static const struct rc_suite *const suites[] = {
    &rc_suite_dcache,
    &rc_suite_dcache_write,
    NULL,
};

const struct rc_geometry rc_geometry_default = {
    .l1d = {UINT64_C(32) << 10, 8},
    .l1i = {UINT64_C(32) << 10, 8},
    .l2 = {UINT64_C(1) << 20, 16},
    .l3 = {UINT64_C(8) << 20, 16},
    .line_bytes = 64,
    .page_bytes = 4096,
    .huge_page_bytes = UINT64_C(2) << 20,
    .dtlb_entries = 64,
    .vector_bits = 512,
    .fma = true,
};

static const char *const footprints[RC_FOOTPRINT_COUNT] = {
    [RC_FOOTPRINT_CORE] = "core",
    [RC_FOOTPRINT_L2] = "l2",
    [RC_FOOTPRINT_L3] = "l3",
    [RC_FOOTPRINT_MEMORY] = "memory",
};

const char *rc_footprint_name(enum rc_footprint footprint)
{
    return footprints[footprint];
}

int rc_points_add(struct rc_points *points, const struct rc_point *point)
{
    if (rc_grow(&points->point, sizeof *points->point, points->count, &points->room))
        return RC_ENOMEM;
    points->point[points->count++] = *point;
    return RC_OK;
}

void rc_points_fini(struct rc_points *points)
{
    free(points->point);
    *points = (struct rc_points){0};
}

const struct rc_suite *const *rc_suites(void)
{
    return suites;
}

const struct rc_suite *rc_suite_find(const char *name)
{
    for (size_t i = 0; suites[i]; i++)
        if (strcmp(suites[i]->name, name) == 0)
            return suites[i];
    return NULL;
}
