/* Reads sums of ideals and evaluates them on a point. */
#include "campaign/sources/model/expression.h"

#include "campaign/base/linear_sum.h"
#include "campaign/base/memory.h"
#include "campaign/sources/model/random.h"

#include <math.h>

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

double rc_model_expression_value(const struct rc_model_term *term, size_t count,
                                 const struct rc_suite *suite,
                                 const struct rc_geometry *geometry,
                                 const struct rc_point *point, uint64_t point_key,
                                 uint64_t key)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        struct rc_range range = rc_exactly(1);
        if (term[i].ideal != RC_IDEAL_COUNT)
            range = suite->expect(geometry, point, term[i].ideal);
        double ideal = range.low;
        const double width = range.high - range.low;
        if (!isfinite(width))
            ideal += rc_model_uniform(rc_model_key(key, term[i].ideal));
        else if (width > 0)
            ideal += rc_model_uniform(rc_model_key(point_key, term[i].ideal)) * width;
        sum += term[i].coefficient * ideal;
    }
    return sum;
}
