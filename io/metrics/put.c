/* Writing a suite of metrics.h5: by rank 0 alone, with the columns of events still
 * empty; all ranks write those later (columns.c). All that could be refused is checked
 * first, since what was half written cannot be taken back out of an HDF5 file.
 *
 * docs/formats/metrics-h5.md describes what lies where.
 */
#include "io/metrics/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names must not be cut as longer texts are: they are what others are found by.  Those
 * of events are the store's, and fit.
 */
static int check_names(const struct rc_h5_table *table, const void *items, size_t count,
                       struct rc_error *err)
{
    for (const struct rc_h5_field *field = table->field; field->name; field++)
        for (size_t i = 0; i < count && field->type == RC_H5_NAME; i++) {
            const char *text;
            memcpy(&text, (const char *)items + i * table->item_bytes + field->offset,
                   sizeof text);
            if (text && strlen(text) > RC_STORE_TEXT_MAX)
                return rc_fail(err, RC_EUSAGE,
                               "'%s' number %zu has %zu bytes, expected at most %d",
                               field->name, i, strlen(text), RC_STORE_TEXT_MAX);
        }
    return RC_OK;
}

int rc_metrics_check_suite(const void *results, size_t events, struct rc_error *err)
{
    const struct rc_suite_result *suite = results;
    const struct {
        const char *what;
        size_t count;
    } lists[] = {
        {"coordinates", suite->coordinate_count}, {"points", suite->point_count},
        {"reasons", suite->reason_count},         {"remarks", suite->remark_count},
        {"chosen events", suite->chosen_count},   {"metrics", suite->metric_count},
        {"implied counts", suite->implied_count}, {"rates", suite->rate_count},
    };
    int status;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].count > RC_H5_TABLE_MAX)
            return rc_fail(err, RC_EUSAGE, "%zu %s, expected at most %zu",
                           lists[i].count, lists[i].what, RC_H5_TABLE_MAX);
    if (suite->ideal_count > suite->coordinate_count)
        return rc_fail(err, RC_EUSAGE, "%zu ideals, but %zu coordinates",
                       suite->ideal_count, suite->coordinate_count);
    if (suite->reason_count == 0 || *suite->reason[0])
        return rc_fail(err, RC_EUSAGE, "the first reason is not \"\"");
    if (suite->coordinate_count > 0 &&
        events > RC_STORE_ITEMS_MAX / suite->coordinate_count)
        return rc_fail(err, RC_EUSAGE, "%zu events x %zu coordinates are too many",
                       events, suite->coordinate_count);
    for (size_t i = 0; i < suite->rate_count; i++) {
        const struct rc_rate_result *r = &suite->rate[i], *first = suite->rate;
        if (r->node_count != first->node_count ||
            r->repetitions != first->repetitions ||
            r->point_count != suite->point_count || r->axis_count != first->axis_count)
            return rc_fail(err, RC_EUSAGE,
                           "rate '%s' has %zu nodes x %zu repetitions x %zu points, "
                           "expected %zu x %zu x %zu",
                           r->name, r->node_count, r->repetitions, r->point_count,
                           first->node_count, first->repetitions, suite->point_count);
        if (r->node_count && r->repetitions && r->point_count &&
            suite->rate_count >
                RC_STORE_TABLE_MAX / r->node_count / r->repetitions / r->point_count)
            return rc_fail(err, RC_EUSAGE, "the values of %zu rates are too many",
                           suite->rate_count);
    }
    if ((status = check_names(&rc_metrics_rate_table, suite->rate, suite->rate_count,
                              err)) != RC_OK)
        return status;
    status = check_names(&rc_metrics_metrics, suite->metric, suite->metric_count, err);
    if (status != RC_OK)
        return status;
    return check_names(&rc_metrics_presets, suite->preset, suite->preset_count, err);
}

/* How many events there are of each name, under the names as a scale. */
static int put_counts(hid_t group, const char *name, const char *scale,
                      const char *const *words, const size_t *count, size_t word_count,
                      struct rc_error *err)
{
    const int status = rc_h5_put_scale(group, scale, words, word_count, err);

    if (status != RC_OK)
        return status;
    return rc_h5_put_labelled(group, name, H5T_NATIVE_UINT64, 1, &scale, &word_count,
                              count, NULL, err);
}

/* The scales of the suite, and texts that its tables refer to by number. */
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

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if ((status = rc_h5_put_scale(group, lists[i].name, lists[i].texts,
                                      lists[i].count, err)))
            return status;
    if ((status = put_counts(group, "class_count", "classes", rc_class_names,
                             suite->class_count, RC_CLASS_COUNT, err)))
        return status;
    return put_counts(group, "use_count", "uses", rc_use_names, suite->use_count,
                      RC_USE_COUNT, err);
}

/* A scale of the suite under its name in one of its groups. */
static int link_scale(hid_t suite, hid_t group, const char *name, struct rc_error *err)
{
    if (H5Lcreate_hard(suite, name, group, name, H5P_DEFAULT, H5P_DEFAULT) < 0)
        return rc_h5_fail(err, "cannot link '%s'", name);
    return RC_OK;
}

/* The items of all owners as rows of one table, in the order of the owners, each with
 * its owner's number.
 */
static int put_owned(hid_t group, const struct rc_metrics_owned *owned,
                     const void *owners, size_t owner_count, struct rc_error *err)
{
    const struct rc_h5_table *table = owned->table;
    const char *const first = owners;
    size_t count = 0, at = 0;

    for (size_t o = 0; o < owner_count; o++)
        count += *(const size_t *)(const void *)(first + o * owned->owner_bytes +
                                                 owned->count);
    char *rows = rc_calloc(count, table->item_bytes);
    if (!rows)
        return rc_fail(err, RC_ENOMEM, "no memory for '%s'", table->name);
    for (size_t o = 0; o < owner_count; o++) {
        const char *owner = first + o * owned->owner_bytes;
        const size_t items = *(const size_t *)(const void *)(owner + owned->count);
        for (size_t i = 0; i < items; i++, at++) {
            char *row = rows + at * table->item_bytes;
            *(size_t *)(void *)row = o;
            for (int p = 0; p < RC_METRICS_PARTS && owned->part[p].bytes > 0; p++) {
                const struct rc_metrics_part *part = &owned->part[p];
                const char *list;
                memcpy(&list, owner + part->list, sizeof list);
                memcpy(row + part->member, list + i * part->bytes, part->bytes);
            }
        }
    }
    int status = rc_h5_put_table(group, table, rows, count, NULL, err);
    free(rows);
    return status;
}

/* The chosen events with their coordinates, and the events that may stand in for each.
 */
static int put_pivots(hid_t suite_group, const struct rc_suite_result *suite,
                      struct rc_error *err)
{
    static const char *const scales[] = {"event", "coordinate"};
    const size_t dims[2] = {suite->chosen_count, suite->coordinate_count};
    double *all = rc_calloc(dims[0] * dims[1], sizeof *all);
    hid_t group = H5I_INVALID_HID;
    int status = rc_h5_put_table(suite_group, &rc_metrics_pivots, suite->chosen,
                                 suite->chosen_count, &group, err);

    if (status != RC_OK)
        goto out;
    if (!all) {
        status = rc_fail(err, RC_ENOMEM, "no memory for the pivots");
        goto out;
    }
    for (size_t i = 0; i < dims[0] && dims[1] > 0; i++)
        memcpy(all + i * dims[1], suite->chosen[i].coordinate, dims[1] * sizeof *all);
    if ((status = link_scale(suite_group, group, "coordinate", err)) ||
        (status = rc_h5_put_labelled(group, "representation", H5T_NATIVE_DOUBLE, 2,
                                     scales, dims, all, NULL, err)))
        goto out;
    status =
        put_owned(group, &rc_metrics_others, suite->chosen, suite->chosen_count, err);
out:
    free(all);
    return rc_h5_close(group, status, err);
}

/* The metrics, the lists that belong to them, and the values of formulas on each point,
 * as three tables: metrics without values have NAN there.
 */
static int put_metrics(hid_t suite_group, const struct rc_suite_result *suite,
                       struct rc_error *err)
{
    static const char *const sets[] = {"value", "value_low", "value_high"};
    static const char *const scales[] = {"metric", "point"};
    const size_t dims[2] = {suite->metric_count, suite->point_count};
    const size_t numbers = dims[0] * dims[1];
    double *all = NULL;
    hid_t group = H5I_INVALID_HID;
    int status = rc_h5_put_table(suite_group, &rc_metrics_metrics, suite->metric,
                                 suite->metric_count, &group, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < RC_METRICS_LISTS; i++)
        if ((status = put_owned(group, &rc_metrics_lists[i], suite->metric,
                                suite->metric_count, err)))
            goto out;
    if (numbers > RC_STORE_TABLE_MAX) {
        status = rc_fail(err, RC_EUSAGE, "%zu metrics x %zu points are too many",
                         dims[0], dims[1]);
        goto out;
    }
    all = rc_calloc(numbers, sizeof *all);
    if (!all) {
        status = rc_fail(err, RC_ENOMEM, "no memory for values");
        goto out;
    }
    if ((status = link_scale(suite_group, group, "point", err)) != RC_OK)
        goto out;
    for (int which = 0; which < 3; which++) {
        for (size_t i = 0; i < numbers; i++) {
            const struct rc_metric_result *metric = &suite->metric[i / dims[1]];
            const double *value = which == 0   ? metric->value
                                  : which == 1 ? metric->value_low
                                               : metric->value_high;
            all[i] = value ? value[i % dims[1]] : NAN;
        }
        if ((status = rc_h5_put_labelled(group, sets[which], H5T_NATIVE_DOUBLE, 2,
                                         scales, dims, all, NULL, err)) != RC_OK)
            goto out;
    }
out:
    free(all);
    return rc_h5_close(group, status, err);
}

/* The numbers of all rates, one rate after the other. */
static int put_rate_numbers(hid_t group, const struct rc_suite_result *suite,
                            const struct rc_metrics_rate_numbers *of,
                            struct rc_error *err)
{
    static const char *const each[] = {"rate", "node", "repetition", "point"};
    static const char *const over[] = {"rate", "node", "point"};
    const struct rc_rate_result *first = suite->rate;
    const size_t dims[2][4] = {
        {suite->rate_count, first->node_count, suite->point_count},
        {suite->rate_count, first->node_count, first->repetitions, suite->point_count}};
    const size_t of_rate =
        first->node_count * suite->point_count * (of->each ? first->repetitions : 1);
    double *all = rc_calloc(suite->rate_count * of_rate, sizeof *all);

    if (!all)
        return rc_fail(err, RC_ENOMEM, "no memory for '%s' of rates", of->name);
    for (size_t r = 0; r < suite->rate_count && of_rate; r++) {
        const double *from;
        memcpy(&from, (const char *)&suite->rate[r] + of->offset, sizeof from);
        memcpy(all + r * of_rate, from, of_rate * sizeof *all);
    }
    const int status =
        rc_h5_put_labelled(group, of->name, H5T_NATIVE_DOUBLE, of->each ? 4 : 3,
                           of->each ? each : over, dims[of->each], all, NULL, err);
    free(all);
    return status;
}

static int put_rates(hid_t suite_group, const struct rc_suite_result *suite,
                     struct rc_error *err)
{
    static const char *const parameters[] = {"point", "parameter"};
    const struct rc_rate_result *first = suite->rate;
    hid_t group = H5I_INVALID_HID;
    int status = RC_OK;

    if (suite->rate_count == 0)
        return RC_OK;
    if ((status = rc_h5_put_table(suite_group, &rc_metrics_rate_table, suite->rate,
                                  suite->rate_count, &group, err)) ||
        (status =
             rc_h5_put_scale(group, "node", first->node, first->node_count, err)) ||
        (status = rc_store_put_repetitions(group, first->repetitions, err)) ||
        (status = link_scale(suite_group, group, "point", err)) ||
        (status = rc_h5_put_scale(group, "parameter", first->axis, first->axis_count,
                                  err)) ||
        (status =
             rc_h5_put_labelled(group, "parameters", H5T_NATIVE_INT64, 2, parameters,
                                (const size_t[]){first->point_count, first->axis_count},
                                first->parameter, NULL, err)))
        goto out;
    for (int i = 0; i < RC_METRICS_RATE_NUMBERS && status == RC_OK; i++)
        status = put_rate_numbers(group, suite, &rc_metrics_rate_numbers[i], err);
out:
    return rc_h5_close(group, status, err);
}

/* The order is that in which tools list the file. */
int rc_metrics_put_results(hid_t group, const struct rc_store_kind *kind,
                           const void *results, struct rc_error *err)
{
    const struct rc_suite_result *suite = results;
    const uint8_t automatic = suite->tau_auto;
    const uint64_t ideals = suite->ideal_count;
    int status;

    /* Numbers of the suite as a whole, as attributes. */
    if ((status = rc_h5_put_word(group, "name", suite->suite, err)))
        return status;
    for (const struct rc_h5_field *real = rc_metrics_settings; real->name; real++)
        if ((status = rc_h5_put_attribute(group, real->name, H5T_NATIVE_DOUBLE, 1,
                                          (const char *)suite + real->offset, err)))
            return status;
    if ((status = rc_h5_put_attribute(group, "tau_auto", H5T_NATIVE_UINT8, 1,
                                      &automatic, err)) ||
        (status = rc_h5_put_attribute(group, "ideal_count", H5T_NATIVE_UINT64, 1,
                                      &ideals, err)) ||
        (suite->compiled &&
         (status = rc_h5_put_attribute(group, "compiled", H5T_NATIVE_UINT8, 1,
                                       &(uint8_t){1}, err))) ||
        (status = put_labels(group, kind->name, suite, err)) ||
        (status = put_pivots(group, suite, err)) ||
        (status = put_metrics(group, suite, err)) ||
        (status = put_rates(group, suite, err)) ||
        (suite->implied_count &&
         (status = rc_h5_put_table(group, &rc_metrics_implied, suite->implied,
                                   suite->implied_count, NULL, err))))
        return status;
    return rc_h5_put_table(group, &rc_metrics_presets, suite->preset,
                           suite->preset_count, NULL, err);
}
