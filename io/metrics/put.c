/* Writing a suite: by rank 0 alone, with the columns of events still empty. */
#include "campaign/base/memory.h"
#include "io/metrics/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int check_name(const char *what, const char *name, struct rc_error *err)
{
    size_t bytes = name ? strlen(name) : 0;

    if (bytes <= RC_STORE_TEXT_MAX)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "%s of %zu bytes, expected at most %d", what, bytes,
                   RC_STORE_TEXT_MAX);
}

/* What must not be cut, before anything is written: it could not be taken back. */
static int check_names(const struct rc_suite_result *suite, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t m = 0; m < suite->metric_count && status == RC_OK; m++) {
        const struct rc_metric_result *metric = &suite->metric[m];
        if ((status = check_name("a metric's name", metric->name, err)) ||
            (status = check_name("a signature", metric->signature, err)) ||
            (status = check_name("a formula", metric->formula, err)) ||
            (status = check_name("a preset's name", metric->preset, err)))
            return status;
        for (size_t t = 0; t < metric->term_count && status == RC_OK; t++)
            status = check_name("an event's name", metric->term[t].name, err);
        for (size_t i = 0; i < metric->input_count && status == RC_OK; i++)
            status = check_name("a metric's name", metric->input[i], err);
    }
    for (size_t p = 0; p < suite->preset_count && status == RC_OK; p++)
        status = check_name("a preset's name", suite->preset[p].preset, err);
    return status;
}

int rc_metrics_check_suite(const struct rc_suite_result *suite, size_t events,
                           struct rc_error *err)
{
    const struct {
        const char *what;
        size_t count;
    } lists[] = {
        {"coordinates", suite->coordinate_count}, {"points", suite->point_count},
        {"reasons", suite->reason_count},         {"remarks", suite->remark_count},
        {"chosen events", suite->chosen_count},   {"metrics", suite->metric_count},
    };
    int status = rc_store_check_name("suite", suite->suite, err);

    for (size_t i = 0; i < sizeof lists / sizeof *lists && status == RC_OK; i++)
        if (lists[i].count > RC_METRICS_LIST_MAX)
            status = rc_fail(err, RC_EUSAGE, "%zu %s, expected at most %zu",
                             lists[i].count, lists[i].what, RC_METRICS_LIST_MAX);
    if (status == RC_OK && suite->ideal_count > suite->coordinate_count)
        status = rc_fail(err, RC_EUSAGE, "%zu ideals, but %zu coordinates",
                         suite->ideal_count, suite->coordinate_count);
    if (status == RC_OK && (suite->reason_count == 0 || *suite->reason[0]))
        status = rc_fail(err, RC_EUSAGE, "the first reason is not \"\"");
    if (status == RC_OK && suite->coordinate_count > 0 &&
        events > RC_STORE_ITEMS_MAX / suite->coordinate_count)
        status = rc_fail(err, RC_EUSAGE, "%zu events x %zu coordinates are too many",
                         events, suite->coordinate_count);
    return status == RC_OK ? check_names(suite, err) : status;
}

static int put_settings(hid_t group, const struct rc_suite_result *suite,
                        struct rc_error *err)
{
    const struct {
        const char *name;
        double value;
    } reals[] = {
        {"alpha", suite->alpha},           {"alpha_low", suite->alpha_low},
        {"alpha_high", suite->alpha_high}, {"tau", suite->tau},
        {"tau_low", suite->tau_low},       {"tau_high", suite->tau_high},
        {"residual", suite->residual},
    };
    const uint8_t automatic = suite->tau_auto;
    const uint64_t ideals = suite->ideal_count;
    int status = rc_h5_put_word(group, "name", suite->suite, err);

    for (size_t i = 0; i < sizeof reals / sizeof *reals && status == RC_OK; i++)
        status = rc_h5_put_attribute(group, reals[i].name, H5T_NATIVE_DOUBLE, 1,
                                     &reals[i].value, err);
    if (status == RC_OK)
        status = rc_h5_put_attribute(group, "tau_auto", H5T_NATIVE_UINT8, 1, &automatic,
                                     err);
    if (status == RC_OK)
        status = rc_h5_put_attribute(group, "ideal_count", H5T_NATIVE_UINT64, 1,
                                     &ideals, err);
    return status;
}

/* How many events there are of each name, under the names as a scale. */
static int put_counts(hid_t group, const char *name, const char *scale,
                      const char *const *words, const size_t *count, size_t word_count,
                      struct rc_error *err)
{
    hid_t set = H5I_INVALID_HID;
    int status = rc_h5_put_scale(group, scale, words, word_count, err);

    if (status == RC_OK)
        status = rc_h5_put_numbers(group, name, H5T_NATIVE_UINT64, 1, &word_count,
                                   count, &set, err);
    if (status == RC_OK)
        status = rc_h5_attach(group, set, &scale, 1, err);
    return rc_h5_close(set, status, err);
}

static int put_labels(hid_t group, const char *kind,
                      const struct rc_suite_result *suite, struct rc_error *err)
{
    const struct {
        const char *name;
        const char *const *texts;
        size_t count;
    } lists[] = {
        {"coordinate", suite->coordinate, suite->coordinate_count},
        {"point", suite->point, suite->point_count},
        {"left_out", suite->left_out, suite->left_out_count},
        {"reasons", suite->reason, suite->reason_count},
        {"remarks", suite->remark, suite->remark_count},
    };
    int status = rc_store_link_events(group, kind, err);

    for (size_t i = 0; i < sizeof lists / sizeof *lists && status == RC_OK; i++)
        status =
            rc_h5_put_scale(group, lists[i].name, lists[i].texts, lists[i].count, err);
    if (status == RC_OK)
        status = put_counts(group, "class_count", "classes", rc_class_names,
                            suite->class_count, RC_CLASS_COUNT, err);
    if (status == RC_OK)
        status = put_counts(group, "use_count", "uses", rc_use_names, suite->use_count,
                            RC_USE_COUNT, err);
    return status;
}

/* A scale of the suite under its name in one of its groups. */
static int link_scale(hid_t suite, hid_t group, const char *name, struct rc_error *err)
{
    if (H5Lcreate_hard(suite, name, group, name, H5P_DEFAULT, H5P_DEFAULT) < 0)
        return rc_h5_fail(err, "cannot link '%s'", name);
    return RC_OK;
}

static int put_coordinates(hid_t suite_group, hid_t group,
                           const struct rc_suite_result *suite, struct rc_error *err)
{
    static const char *const scales[] = {"event", "coordinate"};
    const size_t dims[2] = {suite->chosen_count, suite->coordinate_count};
    double *all = rc_calloc(dims[0] * dims[1], sizeof *all);
    int status = all ? link_scale(suite_group, group, "coordinate", err)
                     : rc_fail(err, RC_ENOMEM, "no memory for the pivots");

    for (size_t i = 0; i < dims[0] && all && dims[1] > 0; i++)
        memcpy(all + i * dims[1], suite->chosen[i].coordinate, dims[1] * sizeof *all);
    if (status == RC_OK)
        status = rc_metrics_put_grid(group, "representation", scales, dims, all, err);
    free(all);
    return status;
}

static int put_others(hid_t group, const struct rc_suite_result *suite,
                      struct rc_error *err)
{
    size_t count = 0, at = 0;

    for (size_t i = 0; i < suite->chosen_count; i++)
        count += suite->chosen[i].other_count;
    struct rc_metrics_event *list = rc_calloc(count, sizeof *list);
    if (!list)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", count);
    for (size_t i = 0; i < suite->chosen_count; i++)
        for (size_t k = 0; k < suite->chosen[i].other_count; k++)
            list[at++] = (struct rc_metrics_event){i, suite->chosen[i].other[k],
                                                   suite->chosen[i].other_name[k]};
    int status =
        rc_metrics_put_table(group, &rc_metrics_others, list, count, NULL, err);
    free(list);
    return status;
}

static int put_pivots(hid_t suite_group, const struct rc_suite_result *suite,
                      struct rc_error *err)
{
    hid_t group = H5I_INVALID_HID;
    int status = rc_metrics_put_table(suite_group, &rc_metrics_pivots, suite->chosen,
                                      suite->chosen_count, &group, err);

    if (status == RC_OK)
        status = put_coordinates(suite_group, group, suite, err);
    if (status == RC_OK)
        status = put_others(group, suite, err);
    return rc_h5_close(group, status, err);
}

static int put_terms(hid_t group, const struct rc_suite_result *suite,
                     struct rc_error *err)
{
    size_t count = 0, at = 0;

    for (size_t m = 0; m < suite->metric_count; m++)
        count += suite->metric[m].term_count;
    struct rc_metrics_term *list = rc_calloc(count, sizeof *list);
    if (!list)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu terms", count);
    for (size_t m = 0; m < suite->metric_count; m++)
        for (size_t t = 0; t < suite->metric[m].term_count; t++)
            list[at++] = (struct rc_metrics_term){m, suite->metric[m].term[t]};
    int status = rc_metrics_put_table(group, &rc_metrics_terms, list, count, NULL, err);
    free(list);
    return status;
}

static int put_checks(hid_t group, const struct rc_suite_result *suite,
                      struct rc_error *err)
{
    size_t count = 0, at = 0;

    for (size_t m = 0; m < suite->metric_count; m++)
        count += suite->metric[m].check_count;
    struct rc_metrics_check *list = rc_calloc(count, sizeof *list);
    if (!list)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu checks", count);
    for (size_t m = 0; m < suite->metric_count; m++)
        for (size_t c = 0; c < suite->metric[m].check_count; c++)
            list[at++] = (struct rc_metrics_check){m, suite->metric[m].check[c]};
    int status =
        rc_metrics_put_table(group, &rc_metrics_checks, list, count, NULL, err);
    free(list);
    return status;
}

static int put_alone(hid_t group, const struct rc_suite_result *suite,
                     struct rc_error *err)
{
    size_t count = 0, at = 0;

    for (size_t m = 0; m < suite->metric_count; m++)
        count += suite->metric[m].alone_count;
    struct rc_metrics_event *list = rc_calloc(count, sizeof *list);
    if (!list)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", count);
    for (size_t m = 0; m < suite->metric_count; m++)
        for (size_t a = 0; a < suite->metric[m].alone_count; a++)
            list[at++] = (struct rc_metrics_event){m, suite->metric[m].alone[a],
                                                   suite->metric[m].alone_name[a]};
    int status = rc_metrics_put_table(group, &rc_metrics_alone, list, count, NULL, err);
    free(list);
    return status;
}

static int put_inputs(hid_t group, const struct rc_suite_result *suite,
                      struct rc_error *err)
{
    size_t count = 0, at = 0;

    for (size_t m = 0; m < suite->metric_count; m++)
        count += suite->metric[m].input_count;
    struct rc_metrics_input *list = rc_calloc(count, sizeof *list);
    if (!list)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu inputs", count);
    for (size_t m = 0; m < suite->metric_count; m++)
        for (size_t i = 0; i < suite->metric[m].input_count; i++)
            list[at++] = (struct rc_metrics_input){m, suite->metric[m].input[i]};
    int status =
        rc_metrics_put_table(group, &rc_metrics_inputs, list, count, NULL, err);
    free(list);
    return status;
}

static const double *value_of(const struct rc_metric_result *metric, int which)
{
    return which == 0   ? metric->value
           : which == 1 ? metric->value_low
                        : metric->value_high;
}

/* Metrics without values have NAN there. */
static int put_values(hid_t suite_group, hid_t group,
                      const struct rc_suite_result *suite, struct rc_error *err)
{
    static const char *const sets[] = {"value", "value_low", "value_high"};
    static const char *const scales[] = {"metric", "point"};
    const size_t dims[2] = {suite->metric_count, suite->point_count};
    size_t numbers = dims[0] * dims[1];

    if (numbers > RC_METRICS_NUMBERS_MAX)
        return rc_fail(err, RC_EUSAGE, "%zu metrics x %zu points are too many", dims[0],
                       dims[1]);
    double *all = rc_calloc(numbers, sizeof *all);
    if (!all)
        return rc_fail(err, RC_ENOMEM, "no memory for values");
    int status = link_scale(suite_group, group, "point", err);
    for (int which = 0; which < 3 && status == RC_OK; which++) {
        for (size_t i = 0; i < numbers; i++) {
            const double *value = value_of(&suite->metric[i / dims[1]], which);
            all[i] = value ? value[i % dims[1]] : NAN;
        }
        status = rc_metrics_put_grid(group, sets[which], scales, dims, all, err);
    }
    free(all);
    return status;
}

static int put_metrics(hid_t suite_group, const struct rc_suite_result *suite,
                       struct rc_error *err)
{
    hid_t group = H5I_INVALID_HID;
    int status = rc_metrics_put_table(suite_group, &rc_metrics_metrics, suite->metric,
                                      suite->metric_count, &group, err);

    if (status == RC_OK && (status = put_terms(group, suite, err)) == RC_OK &&
        (status = put_checks(group, suite, err)) == RC_OK &&
        (status = put_alone(group, suite, err)) == RC_OK &&
        (status = put_inputs(group, suite, err)) == RC_OK)
        status = put_values(suite_group, group, suite, err);
    return rc_h5_close(group, status, err);
}

int rc_metrics_write_suite(hid_t group, const struct rc_store_kind *kind,
                           const struct rc_suite_result *suite, size_t block,
                           struct rc_error *err)
{
    int status;

    if ((status = put_settings(group, suite, err)) != RC_OK ||
        (status = put_labels(group, kind->name, suite, err)) != RC_OK ||
        (status = put_pivots(group, suite, err)) != RC_OK ||
        (status = put_metrics(group, suite, err)) != RC_OK ||
        (status = rc_metrics_put_table(group, &rc_metrics_presets, suite->preset,
                                       suite->preset_count, NULL, err)) != RC_OK)
        return status;
    return rc_metrics_create_sets(group, kind->event_count, block, suite, err);
}
