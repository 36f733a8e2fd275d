/* Reads sums of ideals and evaluates them on a point. */
#include "campaign/sources/model/expression.h"

#include "campaign/base/linear_sum.h"
#include "campaign/base/memory.h"
#include "campaign/sources/model/random.h"

#include <math.h>
#include <stdbool.h>

/* Appends a term; its word must be the name of an ideal, else the nearest one is named.
 */
static int add_term(void *context, const struct rc_linear_sum_term *read,
                    struct rc_error *err)
{
    struct rc_model_terms *list = context;
    struct rc_model_term term = {RC_IDEAL_COUNT, read->coefficient};

    if (read->length > 0) {
        const int status =
            rc_ideal_read(read->word, read->length,
                          "expected one such as INS or S_SCAL", &term.ideal, err);
        if (status != RC_OK)
            return status;
    }
    if (rc_grow(&list->term, sizeof term, list->count, &list->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu terms", list->count);
    list->term[list->count++] = term;
    return RC_OK;
}

int rc_model_expression_read(const char *text, struct rc_model_terms *list,
                             struct rc_error *err)
{
    return rc_linear_sum_read(text, add_term, list, err);
}

/* A simulated machine obeys the laws of caches where kernels leave it a choice: 'part'
 * is at most 'whole' less 'beside', and exactly that with 'all', where 'part' and
 * 'beside' make up the whole.
 */
static const struct {
    enum rc_ideal part, whole, beside; /* RC_IDEAL_COUNT: nothing is beside it */
    bool all;
} parts[] = {
    {RC_IDEAL_L1DH, RC_IDEAL_LOADS, RC_IDEAL_L1DM, true},
    {RC_IDEAL_L1DWH, RC_IDEAL_STORES, RC_IDEAL_L1DWM, true},
    {RC_IDEAL_L2DH, RC_IDEAL_L1DM, RC_IDEAL_COUNT, false},
    {RC_IDEAL_L3DH, RC_IDEAL_L1DM, RC_IDEAL_L2DH, false},
    {RC_IDEAL_L2IH, RC_IDEAL_L1IM, RC_IDEAL_COUNT, false},
};

/* An ideal's number on a point: the exact one, else one in its range, else NAN. */
/* NOLINTNEXTLINE(misc-no-recursion): no ideal is a part of itself in 'parts' */
static double ideal_value(enum rc_ideal ideal, const struct rc_suite *suite,
                          const struct rc_suite_request *request,
                          const struct rc_point *point, uint64_t point_key)
{
    const struct rc_range range = rc_expect_range(suite, request, point, ideal);
    double low = range.low, high = range.high;

    if (low == high)
        return low;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].part != ideal)
            continue;
        double whole = ideal_value(parts[i].whole, suite, request, point, point_key);
        if (parts[i].beside != RC_IDEAL_COUNT)
            whole -= ideal_value(parts[i].beside, suite, request, point, point_key);
        high = fmax(low, fmin(high, whole)); /* each ignores a NAN */
        if (parts[i].all && isfinite(whole))
            low = high;
    }
    return isfinite(high)
               ? low + (high - low) * rc_model_uniform(rc_model_key(point_key, ideal))
               : NAN;
}

double rc_model_expression_value(const struct rc_model_term *term, size_t count,
                                 const struct rc_suite *suite,
                                 const struct rc_suite_request *request,
                                 const struct rc_point *point, uint64_t point_key,
                                 uint64_t key)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        const enum rc_ideal ideal = term[i].ideal;
        double value = ideal == RC_IDEAL_COUNT
                           ? 1
                           : ideal_value(ideal, suite, request, point, point_key);
        if (isnan(value))
            value = rc_expect_range(suite, request, point, ideal).low +
                    rc_model_uniform(rc_model_key(key, ideal));
        sum += term[i].coefficient * value;
    }
    return sum;
}
