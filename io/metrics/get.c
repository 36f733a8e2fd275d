/* Reading a suite of metrics.h5: everything but the columns of events, which are read
 * later, block by block (columns.c). The file may come from a stranger: nothing is
 * believed. Counts, codes and numbers of events are checked before memory is asked for
 * or anything is indexed by them.
 *
 * Lists that belong to a metric or to a pivot lie in tables of their own, one row for
 * each item, in the order of their owners (tables.c); reading gives each owner its
 * part of one array again.
 */
#include "io/metrics/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A suite that is being read. */
struct reader {
    struct rc_store *store;        /* owns all that is read */
    size_t events;                 /* of the kind */
    struct rc_suite_result *suite; /* what is filled */
    hid_t group;                   /* of the suite, open */
};

static int get_settings(const struct reader *r, struct rc_error *err)
{
    struct rc_suite_result *suite = r->suite;

    int64_t automatic = 0, ideals = 0;
    int status;

    for (const struct rc_h5_field *real = rc_metrics_settings; real->name; real++)
        if ((status = rc_h5_get_real(r->group, real->name,
                                     (void *)((char *)suite + real->offset), err)))
            return status;
    if ((status = rc_h5_get_integer(r->group, "tau_auto", &automatic, err)) ||
        (status = rc_h5_get_integer(r->group, "ideal_count", &ideals, err)))
        return status;
    if (ideals < 0 || (size_t)ideals > suite->coordinate_count)
        return rc_fail(err, RC_EUSAGE, "'ideal_count' is %lld, expected 0 to %zu",
                       (long long)ideals, suite->coordinate_count);
    suite->tau_auto = automatic != 0;
    suite->compiled = H5Aexists(r->group, "compiled") > 0;
    suite->ideal_count = (size_t)ideals;
    return RC_OK;
}

static int get_list(const struct reader *r, const char *name, const char *const **out,
                    size_t *count, struct rc_error *err)
{
    int status = rc_h5_get_shape(r->group, name, 1, count, err);

    if (status != RC_OK)
        return status;
    if (*count > RC_H5_TABLE_MAX)
        return rc_fail(err, RC_EUSAGE, "'%s' has %zu items, expected at most %zu", name,
                       *count, RC_H5_TABLE_MAX);
    return rc_store_get_list(r->store, r->group, name, out, count, err);
}

/* How many events there are of each class, or of each use. A file of an older program
 * may know fewer names; one with more names is refused.
 */
static int get_counts(const struct reader *r, const char *name, size_t *out,
                      size_t most, struct rc_error *err)
{
    uint64_t counts[16] = {0};
    size_t have = 0;
    int status = rc_h5_get_shape(r->group, name, 1, &have, err);

    if (status != RC_OK)
        return status;
    if (have > most)
        return rc_fail(err, RC_EUSAGE, "'%s' has %zu items, expected at most %zu", name,
                       have, most);
    if ((status = rc_h5_get_numbers(r->group, name, H5T_NATIVE_UINT64, 0, have, counts,
                                    err)))
        return status;
    for (size_t i = 0; i < have; i++) {
        if (counts[i] > r->events)
            return rc_fail(err, RC_EUSAGE,
                           "'%s' counts %llu events, but the kind has %zu", name,
                           (unsigned long long)counts[i], r->events);
        out[i] = (size_t)counts[i];
    }
    return RC_OK;
}

/* Every row begins with the number of its owner. */
static size_t owner_of(const void *rows, size_t row_bytes, size_t row)
{
    return *(const size_t *)(const void *)((const char *)rows + row * row_bytes);
}

/* Reads the rows of a table whose items belong to 'owners', and gives each owner its
 * items: rows of one owner follow each other, owners in ascending order.
 */
static int get_owned(const struct reader *r, hid_t group,
                     const struct rc_metrics_owned *owned, void *owners,
                     size_t owner_count, struct rc_error *err)
{
    const size_t row_bytes = owned->table->item_bytes;
    void *rows = NULL;
    char *list[RC_METRICS_PARTS] = {NULL};
    size_t count = 0, at = 0;
    int status = rc_h5_get_table(r->store->pool, &r->store->arena, group, owned->table,
                                 r->events, &rows, &count, err);

    if (status != RC_OK)
        return status;
    for (int p = 0; p < RC_METRICS_PARTS && owned->part[p].bytes > 0; p++) {
        const struct rc_metrics_part *part = &owned->part[p];
        list[p] = rc_store_array(r->store, count, part->bytes);
        if (!list[p])
            return rc_fail(err, RC_ENOMEM, "no memory for '%s'", owned->table->name);
        for (size_t i = 0; i < count; i++)
            memcpy(list[p] + i * part->bytes,
                   (const char *)rows + i * row_bytes + part->member, part->bytes);
    }
    for (size_t o = 0; o < owner_count; o++) {
        char *owner = (char *)owners + o * owned->owner_bytes;
        const size_t first = at;
        while (at < count && owner_of(rows, row_bytes, at) == o)
            at++;
        *(size_t *)(void *)(owner + owned->count) = at - first;
        for (int p = 0; p < RC_METRICS_PARTS && list[p]; p++) {
            const void *mine = list[p] + first * owned->part[p].bytes;
            memcpy(owner + owned->part[p].list, &mine, sizeof mine);
        }
    }
    if (at < count)
        return rc_fail(err, RC_EUSAGE,
                       "'%s' number %zu belongs to number %zu, out of order or more "
                       "than the %zu that there are",
                       owned->table->name, at, owner_of(rows, row_bytes, at),
                       owner_count);
    return RC_OK;
}

static int get_pivots(const struct reader *r, struct rc_error *err)
{
    struct rc_suite_result *suite = r->suite;
    void *items = NULL;
    void *coordinates = NULL;
    int status =
        rc_h5_get_table(r->store->pool, &r->store->arena, r->group, &rc_metrics_pivots,
                        r->events, &items, &suite->chosen_count, err);

    if (status != RC_OK)
        return status;
    suite->chosen = items;
    hid_t group = H5Gopen2(r->group, rc_metrics_pivots.name, H5P_DEFAULT);
    const size_t dims[2] = {suite->chosen_count, suite->coordinate_count};
    if (group < 0)
        return rc_h5_fail(err, "cannot read 'pivots'");
    if ((status = rc_store_get_table(r->store, group, "representation",
                                     H5T_NATIVE_DOUBLE, dims, &coordinates, err)) ||
        (status = get_owned(r, group, &rc_metrics_others, suite->chosen, dims[0], err)))
        goto out;
    for (size_t i = 0; i < dims[0]; i++) {
        struct rc_chosen *chosen = &suite->chosen[i];
        chosen->coordinate = (double *)coordinates + i * dims[1];
        if (chosen->others < chosen->other_count) {
            status =
                rc_fail(err, RC_EUSAGE,
                        "pivot %zu lists %zu other events, but 'other_count' is %zu", i,
                        chosen->other_count, chosen->others);
            goto out;
        }
    }
out:
    return rc_h5_close(group, status, err);
}

static int get_metrics(const struct reader *r, struct rc_error *err)
{
    static const char *const sets[] = {"value", "value_low", "value_high"};
    struct rc_suite_result *suite = r->suite;
    void *items = NULL;
    int status =
        rc_h5_get_table(r->store->pool, &r->store->arena, r->group, &rc_metrics_metrics,
                        r->events, &items, &suite->metric_count, err);

    if (status != RC_OK)
        return status;
    suite->metric = items;
    hid_t group = H5Gopen2(r->group, rc_metrics_metrics.name, H5P_DEFAULT);
    const size_t dims[2] = {suite->metric_count, suite->point_count};
    if (group < 0)
        return rc_h5_fail(err, "cannot read 'metrics'");
    for (size_t i = 0; i < RC_METRICS_LISTS; i++)
        if ((status = get_owned(r, group, &rc_metrics_lists[i], suite->metric,
                                suite->metric_count, err)))
            goto out;
    for (int which = 0; which < 3; which++) {
        void *values = NULL;
        if ((status = rc_store_get_table(r->store, group, sets[which],
                                         H5T_NATIVE_DOUBLE, dims, &values, err)))
            goto out;
        double *all = values;
        for (size_t m = 0; m < dims[0]; m++) {
            struct rc_metric_result *metric = &suite->metric[m];
            double **row = which == 0   ? &metric->value
                           : which == 1 ? &metric->value_low
                                        : &metric->value_high;
            /* A metric without values has NAN in all of its row, and NULL in memory. */
            for (size_t p = 0; p < dims[1] && !*row; p++)
                if (!isnan(all[m * dims[1] + p]))
                    *row = all + m * dims[1];
        }
    }
out:
    return rc_h5_close(group, status, err);
}

/* Reads a dataset of numbers of all rates, and gives each rate its part. */
static int get_rate_numbers(const struct reader *r,
                            const struct rc_metrics_rate_numbers *of,
                            struct rc_error *err)
{
    struct rc_suite_result *suite = r->suite;
    const struct rc_rate_result *first = suite->rate;
    const size_t dims[4] = {suite->rate_count, first->node_count,
                            of->each ? first->repetitions : 1, suite->point_count};
    size_t have[4] = {0}, numbers = 1;
    int status = rc_h5_get_shape(r->group, of->name, of->each ? 4 : 3, have, err);

    if (status != RC_OK)
        return status;
    if (!of->each) {
        have[3] = have[2];
        have[2] = 1;
    }
    for (int i = 0; i < 4; i++) {
        if (have[i] != dims[i])
            return rc_fail(err, RC_EUSAGE,
                           "'%s' is %zu x %zu x %zu x %zu, expected %zu x %zu x %zu x "
                           "%zu",
                           of->name, have[0], have[1], have[2], have[3], dims[0],
                           dims[1], dims[2], dims[3]);
        if (dims[i] && numbers > RC_STORE_TABLE_MAX / dims[i])
            return rc_fail(err, RC_EUSAGE, "'%s' has too many items, expected %zu",
                           of->name, RC_STORE_TABLE_MAX);
        numbers *= dims[i];
    }
    double *all = rc_store_array(r->store, numbers, sizeof *all);
    if (!all)
        return rc_fail(err, RC_ENOMEM, "no memory for '%s'", of->name);
    for (size_t i = 0; i < dims[0]; i++) {
        const double *mine = all + i * (numbers / dims[0]);
        memcpy((char *)&suite->rate[i] + of->offset, &mine, sizeof mine);
    }
    return rc_h5_get_numbers(r->group, of->name, H5T_NATIVE_DOUBLE, 0, numbers, all,
                             err);
}

/* Older files have no rates. */
static int get_rates(const struct reader *r, struct rc_error *err)
{
    struct rc_suite_result *suite = r->suite;
    struct rc_rate_result labels = {0};
    void *rates = NULL, *parameters = NULL;
    int status;

    if (H5Lexists(r->group, rc_metrics_rate_table.name, H5P_DEFAULT) <= 0)
        return RC_OK;
    if ((status = rc_h5_get_table(r->store->pool, &r->store->arena, r->group,
                                  &rc_metrics_rate_table, r->events, &rates,
                                  &suite->rate_count, err)) != RC_OK ||
        suite->rate_count == 0)
        return status;
    suite->rate = rates;
    hid_t group = H5Gopen2(r->group, rc_metrics_rate_table.name, H5P_DEFAULT);
    const struct reader in = {r->store, r->events, suite, group};
    if (group < 0)
        return rc_h5_fail(err, "cannot read 'rates'");
    if ((status = get_list(&in, "node", &labels.node, &labels.node_count, err)) ||
        (status = rc_h5_get_shape(group, "repetition", 1, &labels.repetitions, err)) ||
        (status = get_list(&in, "parameter", &labels.axis, &labels.axis_count, err)) ||
        (status =
             rc_store_get_table(r->store, group, "parameters", H5T_NATIVE_INT64,
                                (const size_t[]){suite->point_count, labels.axis_count},
                                &parameters, err)))
        goto out;
    for (size_t i = 0; i < suite->rate_count; i++) {
        struct rc_rate_result *rate = &suite->rate[i];
        rate->suite = suite->suite;
        rate->node = labels.node;
        rate->node_count = labels.node_count;
        rate->repetitions = labels.repetitions;
        rate->point = suite->point;
        rate->point_count = suite->point_count;
        rate->axis = labels.axis;
        rate->axis_count = labels.axis_count;
        rate->parameter = parameters;
    }
    for (int i = 0; i < RC_METRICS_RATE_NUMBERS && status == RC_OK; i++)
        status = get_rate_numbers(&in, &rc_metrics_rate_numbers[i], err);
out:
    return rc_h5_close(group, status, err);
}

int rc_metrics_read_suite(struct rc_store *store, size_t kind,
                          struct rc_store_suite_part *part, hid_t group,
                          struct rc_error *err)
{
    struct rc_suite_result *suite = rc_store_array(store, 1, sizeof *suite);
    const struct reader r = {store, store->kind[kind].labels.event_count, suite, group};
    void *presets = NULL, *implied = NULL;
    int status;

    if (!suite)
        return rc_fail(err, RC_ENOMEM, "no memory for its results");
    part->results = suite;
    suite->suite = part->labels.name;
    if ((status = get_list(&r, "coordinate", &suite->coordinate,
                           &suite->coordinate_count, err)) ||
        (status = get_list(&r, "point", &suite->point, &suite->point_count, err)) ||
        (status =
             get_list(&r, "left_out", &suite->left_out, &suite->left_out_count, err)) ||
        (status = get_list(&r, "reasons", &suite->reason, &suite->reason_count, err)) ||
        (status = get_list(&r, "remarks", &suite->remark, &suite->remark_count, err)) ||
        (status =
             get_counts(&r, "class_count", suite->class_count, RC_CLASS_COUNT, err)) ||
        (status = get_counts(&r, "use_count", suite->use_count, RC_USE_COUNT, err)))
        return status;
    if (suite->reason_count == 0)
        return rc_fail(err, RC_EUSAGE,
                       "there are no 'reasons', expected \"\" at least");
    if ((status = get_settings(&r, err)) || (status = get_pivots(&r, err)) ||
        (status = get_metrics(&r, err)) || (status = get_rates(&r, err)) ||
        (status =
             rc_h5_get_table(store->pool, &store->arena, group, &rc_metrics_presets,
                             r.events, &presets, &suite->preset_count, err)))
        return status;
    suite->preset = presets;
    if (H5Lexists(group, rc_metrics_implied.name, H5P_DEFAULT) > 0 &&
        (status =
             rc_h5_get_table(store->pool, &store->arena, group, &rc_metrics_implied,
                             r.events, &implied, &suite->implied_count, err)))
        return status;
    suite->implied = implied;
    return rc_event_sets_open(store, part, group, suite, err);
}
