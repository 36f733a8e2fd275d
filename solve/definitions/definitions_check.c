/* Checks definitions as a whole: signatures need ideals that exist, and formulas
 * metrics that exist.
 */
#include "solve/definitions/definitions_parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "solve/definitions/formula.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_ideal(const struct rc_definitions_suite_draft *suite, const char *ideal)
{
    for (size_t i = 0; i < suite->known.ideal_count; i++)
        if (strcmp(suite->known.ideal[i], ideal) == 0)
            return true;
    return false;
}

bool rc_definitions_draft_has_ideal(const struct rc_definitions_suite_draft *suite,
                                    const char *ideal)
{
    for (size_t i = 0; i < suite->known.column_count; i++)
        if (strcmp(suite->column[i].ideal, ideal) == 0)
            return true;
    return !suite->known.ideal_count || has_ideal(suite, ideal);
}

/* RC_EUSAGE, with the ideal that was perhaps meant, or all of them. */
static int not_in_basis(const struct rc_definitions_suite_draft *suite,
                        const struct rc_metric_definition *metric, const char *ideal,
                        struct rc_error *err)
{
    const char *names[RC_TERMS_MAX + RC_COLUMNS_MAX + 1];
    char list[512] = "";
    size_t count = 0;

    for (size_t i = 0; i < suite->known.ideal_count; i++)
        names[count++] = suite->known.ideal[i];
    for (size_t i = 0; i < suite->known.column_count; i++)
        names[count++] = suite->column[i].ideal;
    names[count] = NULL;
    int nearest = rc_text_nearest(ideal, names);
    rc_text_append_list(list, sizeof list, names);
    return rc_fail(err, RC_EUSAGE,
                   "%s: metric '%s': no ideal '%s' in the basis of suite '%s', %s%s%s",
                   metric->where, metric->name, ideal, suite->known.name,
                   nearest >= 0 ? "did you mean '" : "expected one of: ",
                   nearest >= 0 ? names[nearest] : list, nearest >= 0 ? "'?" : "");
}

static int check_signature(const struct rc_definitions_suite_draft *suite,
                           const struct rc_metric_definition *metric,
                           struct rc_error *err)
{
    bool some = false;

    for (size_t i = 0; i < metric->weight_count; i++) {
        const char *ideal = metric->weight[i].ideal;
        some = some || metric->weight[i].weight != 0;
        if (!rc_definitions_draft_has_ideal(suite, ideal))
            return not_in_basis(suite, metric, ideal, err);
    }
    if (some || !metric->weight_count)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE,
                   "%s: metric '%s': the terms of '%.80s' cancel each other, expected "
                   "some that do not",
                   metric->where, metric->name, metric->signature);
}

/* A metric by its name: the suite's own, or else that of the first suite that has one
 * of that name.  NULL: there is none.
 */
static const struct rc_metric_definition *
find_metric(const struct rc_definitions_draft *draft,
            const struct rc_definitions_suite_draft *own, const char *name)
{
    const struct rc_metric_definition *found = NULL;

    for (size_t i = 0; i < draft->count; i++) {
        const struct rc_definitions_suite_draft *suite = &draft->suite[i];
        for (size_t m = 0; m < suite->known.metric_count; m++)
            if ((suite == own || !found) && strcmp(suite->metric[m].name, name) == 0) {
                found = &suite->metric[m];
                break;
            }
    }
    return found;
}

static int by_length(const void *a, const void *b)
{
    size_t x = strlen(*(const char *const *)a), y = strlen(*(const char *const *)b);

    return (x > y) - (x < y);
}

/* RC_EUSAGE, with the name that was perhaps meant. */
static int no_such_metric(const struct rc_definitions_draft *draft,
                          const struct rc_metric_definition *metric, const char *name,
                          struct rc_error *err)
{
    size_t count = 0, n = 0;

    for (size_t i = 0; i < draft->count; i++)
        count += draft->suite[i].known.metric_count;
    const char **names = rc_calloc(count + 1, sizeof *names);
    if (!names)
        return rc_definitions_draft_no_memory(err);
    for (size_t i = 0; i < draft->count; i++)
        for (size_t m = 0; m < draft->suite[i].known.metric_count; m++)
            names[n++] = draft->suite[i].metric[m].name;
    qsort(names, n, sizeof *names, by_length); /* of several, the shortest is meant */
    int nearest = rc_text_nearest(name, names);
    rc_fail(err, RC_EUSAGE, "%s: formula of '%s': no metric '%s', %s%s%s",
            metric->where, metric->name, name,
            nearest >= 0 ? "did you mean '" : "expected one that a suite has",
            nearest >= 0 ? names[nearest] : "", nearest >= 0 ? "'?" : "");
    free(names);
    return RC_EUSAGE;
}

static int check_inputs(const struct rc_definitions_draft *draft,
                        const struct rc_definitions_suite_draft *suite,
                        const struct rc_metric_definition *metric, struct rc_error *err)
{
    struct rc_expression *formula;
    int status = rc_expression_create(metric->formula, false, &formula, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < formula->name_count; i++) {
        const char *name = formula->name[i].text;
        const struct rc_metric_definition *input = find_metric(draft, suite, name);
        if (!input)
            status = no_such_metric(draft, metric, name, err);
        else if (input->formula[0])
            status = rc_fail(err, RC_EUSAGE,
                             "%s: formula of '%s': '%s' is a formula itself, expected "
                             "metrics with a signature",
                             metric->where, metric->name, name);
        if (status != RC_OK)
            break;
    }
    rc_expression_close(formula);
    return status;
}

int rc_definitions_draft_check(const struct rc_definitions_draft *draft,
                               struct rc_error *err)
{
    int status;

    for (size_t i = 0; i < draft->count; i++) {
        const struct rc_definitions_suite_draft *suite = &draft->suite[i];
        for (size_t c = 0; c < suite->known.column_count; c++)
            if (has_ideal(suite, suite->column[c].ideal))
                return rc_fail(err, RC_EUSAGE,
                               "%s: column '%s' is an ideal of suite '%s' already, "
                               "expected another name",
                               suite->column[c].where, suite->column[c].ideal,
                               suite->known.name);
    }
    for (size_t i = 0; i < draft->given_count; i++) {
        const struct rc_given *given = &draft->given[i];
        const struct rc_definitions_suite_draft *suite = &draft->suite[given->suite];
        if (given->what == RC_GIVEN_METRIC &&
            (status = check_signature(suite, &suite->metric[given->number], err)) !=
                RC_OK)
            return status;
    }
    /* Formulas are checked each time, as their metrics may have changed. */
    for (size_t i = 0; i < draft->count; i++) {
        const struct rc_definitions_suite_draft *suite = &draft->suite[i];
        for (size_t m = 0; m < suite->known.metric_count; m++)
            if (suite->metric[m].formula[0] &&
                (status = check_inputs(draft, suite, &suite->metric[m], err)) != RC_OK)
                return status;
    }
    return RC_OK;
}
