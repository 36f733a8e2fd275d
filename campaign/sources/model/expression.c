/* Reads sums of ideals and evaluates them on a point. */
#include "campaign/sources/model/expression.h"

#include "campaign/base/linear_sum.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/sources/model/random.h"

#include <math.h>
#include <stdio.h>

#define WORD_MOST 63

/* Appends a term; its word must be the name of an ideal, else the nearest one is named.
 */
static int add_term(void *context, const struct rc_linear_sum_term *read,
                    struct rc_error *err)
{
    struct rc_model_terms *list = context;
    struct rc_model_term term = {RC_IDEAL_COUNT, read->coefficient};

    if (read->length > 0) {
        char word[WORD_MOST + 1];
        snprintf(word, sizeof word, "%.*s",
                 (int)(read->length < WORD_MOST ? read->length : WORD_MOST),
                 read->word);
        term.ideal = rc_ideal_find(word);
        if (term.ideal == RC_IDEAL_COUNT || read->length > WORD_MOST) {
            const char *names[RC_IDEAL_COUNT + 1] = {NULL};
            for (unsigned i = 0; i < RC_IDEAL_COUNT; i++)
                names[i] = rc_ideal_name((enum rc_ideal)i);
            const int nearest = rc_text_nearest(word, names);
            if (nearest >= 0)
                return rc_fail(err, RC_EUSAGE, "no ideal '%s', did you mean '%s'?",
                               word, names[nearest]);
            return rc_fail(err, RC_EUSAGE,
                           "no ideal '%s', expected one such as INS or S_SCAL", word);
        }
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
                                 const struct rc_point *point, uint64_t key)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        double ideal = 1;
        if (term[i].ideal != RC_IDEAL_COUNT)
            ideal = suite->expect(geometry, point, term[i].ideal);
        if (!isfinite(ideal))
            ideal = rc_model_uniform(rc_model_key(key, term[i].ideal));
        sum += term[i].coefficient * ideal;
    }
    return sum;
}
