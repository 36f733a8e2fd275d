/* Numbers of a model at a point: of a series, and of all kernels together. */
#include "campaign/model/parts.h"

#include <math.h>
#include <string.h>

struct rc_predicted rc_model_series_at(const struct rc_model *model, size_t series,
                                       const double *at)
{
    struct rc_laws fit;

    rc_model_laws_get(&model->laws, series, &fit);
    return rc_laws_predict(&fit, at);
}

bool rc_model_adds_up(const struct rc_measured_metric *metric)
{
    const size_t length = strlen(metric->name), end = strlen(RC_MODEL_MAX);

    return length < end || (strcmp(metric->name + length - end, RC_MODEL_MAX) != 0 &&
                            strcmp(metric->name + length - end, "_max") != 0);
}

/* Kernels are taken as independent: their deviations add up by squares, on each side.
 * Where one has no law the others are at least known; the upper limit is not.
 */
struct rc_predicted rc_model_total_at(const struct rc_model *model, size_t metric,
                                      size_t whole, const double *at)
{
    struct rc_predicted total = {0};
    double below = 0, above = 0;

    if (whole < model->measured->series)
        return rc_model_series_at(model, whole, at);
    for (size_t i = 0; i < model->measured->series; i++) {
        if (model->measured->of[i].metric != metric)
            continue;
        const struct rc_predicted part = rc_model_series_at(model, i, at);
        total.words |= part.words;
        if (!isfinite(part.value)) {
            total.words |= RC_LAWS_UNKNOWN;
            above = NAN;
            continue;
        }
        total.value += part.value;
        below += pow(part.value - part.low, 2);
        above += pow(part.high - part.value, 2);
    }
    total.low = fmax(total.value - sqrt(below), 0);
    total.high = total.value + sqrt(above);
    return total;
}
