/* The datasets that a suite has for each event: names, types and sizes. */
#include "io/metrics/parts.h"

#include <math.h>

static const char *const names[RC_METRICS_SETS] = {
    [RC_METRICS_NOISE] = "noise",
    [RC_METRICS_RESIDUAL] = "residual",
    [RC_METRICS_REPRESENTATION] = "representation",
    [RC_METRICS_CLASS] = "class",
    [RC_METRICS_USE] = "use",
    [RC_METRICS_REASON] = "reason",
};

const char *rc_metrics_set_name(enum rc_metrics_set set)
{
    return names[set];
}

hid_t rc_metrics_set_type(enum rc_metrics_set set)
{
    switch (set) {
    case RC_METRICS_CLASS:
    case RC_METRICS_USE:
        return H5T_NATIVE_UINT8;
    case RC_METRICS_REASON:
        return H5T_NATIVE_UINT32;
    default:
        return H5T_NATIVE_DOUBLE;
    }
}

void *rc_metrics_set_data(const struct rc_event_columns *columns,
                          enum rc_metrics_set set)
{
    void *const data[RC_METRICS_SETS] = {
        [RC_METRICS_NOISE] = columns->noise,
        [RC_METRICS_RESIDUAL] = columns->residual,
        [RC_METRICS_REPRESENTATION] = columns->representation,
        [RC_METRICS_CLASS] = columns->event_class,
        [RC_METRICS_USE] = columns->use,
        [RC_METRICS_REASON] = columns->reason,
    };
    return data[set];
}

size_t rc_metrics_set_width(const struct rc_suite_result *suite,
                            enum rc_metrics_set set)
{
    return set == RC_METRICS_REPRESENTATION ? suite->coordinate_count : 1;
}
