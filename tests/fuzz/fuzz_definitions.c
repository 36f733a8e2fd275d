/* Any bytes as a file of definitions: refused with one line and nothing added, or
 * definitions whose formulas have values with their bounds in order.  Any bytes as a
 * formula likewise.
 */
#include "solve/definitions/definitions.h"
#include "solve/definitions/formula.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void value_formula(const char *text, bool must_be_one)
{
    struct rc_interval input[RC_EXPRESSION_NAMES_MAX];
    struct rc_error err = {.text = ""};
    struct rc_expression *formula;

    if (rc_expression_create(text, false, &formula, &err) != RC_OK) {
        if (must_be_one || formula || !err.text[0] || strchr(err.text, '\n'))
            abort();
        return;
    }
    for (size_t i = 0; i < RC_EXPRESSION_NAMES_MAX; i++)
        input[i] = (struct rc_interval){(double)i - 1, (double)i, (double)i + 2};
    struct rc_interval value = rc_formula_value(formula, input);
    if (isnan(value.value) ? value.low != -INFINITY || value.high != INFINITY
                           : !(value.low <= value.value && value.value <= value.high))
        abort();
    rc_expression_close(formula);
}

/* As a rate's formula, for three workers. */
static void value_rate(const char *text, bool must_be_one)
{
    enum { WORKERS = 3 };
    static long double value[RC_EXPRESSION_NAMES_MAX * WORKERS],
        room[RC_EXPRESSION_DEPTH * WORKERS];
    struct rc_error err = {.text = ""};
    struct rc_expression *formula;

    if (rc_expression_create(text, true, &formula, &err) != RC_OK) {
        if (must_be_one || formula || !err.text[0] || strchr(err.text, '\n'))
            abort();
        return;
    }
    if (formula->name_count == 0 || formula->name_count > RC_EXPRESSION_NAMES_MAX)
        abort();
    for (size_t i = 0; i < sizeof value / sizeof *value; i++)
        value[i] = (long double)i - 2;
    (void)rc_expression_over_workers(formula, value, WORKERS, room);
    rc_expression_close(formula);
}

static void look_at(const struct rc_definitions *definitions)
{
    for (size_t i = 0; i < rc_definitions_count(definitions); i++) {
        const struct rc_suite_definition *suite = rc_definitions_suite(definitions, i);
        if (!(suite->alpha > 0) || suite->tau < 0 || !(suite->residual > 0) ||
            !(suite->purity > 0))
            abort();
        for (size_t m = 0; m < suite->metric_count; m++) {
            const struct rc_metric_definition *metric = &suite->metric[m];
            if (!metric->name[0] || !metric->where[0] ||
                !metric->formula[0] == !metric->weight_count)
                abort();
            for (size_t w = 0; w < metric->weight_count; w++)
                if (!isfinite(metric->weight[w].weight))
                    abort();
            if (metric->formula[0])
                value_formula(metric->formula, true);
        }
        for (size_t r = 0; r < suite->rate_count; r++)
            value_rate(suite->rate[r].formula, true);
        for (size_t c = 0; c < suite->column_count; c++)
            if (!(rc_column_value(&suite->column[c], "sp-scalar-24") >= 0))
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Reading rollcall's own files takes longer than all else, so they are read again
     * only when something was added to them, and now and then.
     */
    enum { RUNS_MOST = 1000 };
    static struct rc_definitions *definitions;
    static int runs;
    struct rc_error err = {.text = ""};
    char *text = strndup((const char *)data, size);

    if (!text)
        return 0;
    value_formula(text, false);
    value_rate(text, false);
    free(text);
    if (!definitions && rc_definitions_create(&definitions, &err) != RC_OK)
        abort();
    size_t count = rc_definitions_count(definitions);
    int status =
        rc_definitions_add_text(definitions, "fuzz", (const char *)data, size, &err);
    if (status != RC_OK && (!err.text[0] || strchr(err.text, '\n') ||
                            rc_definitions_count(definitions) != count))
        abort();
    look_at(definitions);
    if (status == RC_OK || ++runs % RUNS_MOST == 0) {
        rc_definitions_close(definitions);
        definitions = NULL;
    }
    return 0;
}
