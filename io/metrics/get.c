/* Reading a suite.  The file may come from a stranger: nothing is believed. */
#include "campaign/base/memory.h"
#include "io/metrics/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct rc_store *store;
    size_t events; /* of the kind */
    struct rc_suite_result *suite;
    hid_t group; /* of the suite */
};

static int get_real(hid_t object, const char *name, double *out, struct rc_error *err)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t space = attribute < 0 ? attribute : H5Aget_space(attribute);
    int status = RC_OK;

    if (space < 0 || H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(attribute, H5T_NATIVE_DOUBLE, out) < 0)
        status = rc_h5_fail(err, "cannot read the attribute '%s'", name);
    status = rc_h5_close(space, status, err);
    return rc_h5_close(attribute, status, err);
}

static int get_settings(const struct reader *r, struct rc_error *err)
{
    struct rc_suite_result *suite = r->suite;
    const struct {
        const char *name;
        double *value;
    } reals[] = {
        {"alpha", &suite->alpha},           {"alpha_low", &suite->alpha_low},
        {"alpha_high", &suite->alpha_high}, {"tau", &suite->tau},
        {"tau_low", &suite->tau_low},       {"tau_high", &suite->tau_high},
        {"residual", &suite->residual},
    };
    int64_t automatic = 0, ideals = 0;
    int status = RC_OK;

    for (size_t i = 0; i < sizeof reals / sizeof *reals && status == RC_OK; i++)
        status = get_real(r->group, reals[i].name, reals[i].value, err);
    if (status == RC_OK)
        status = rc_h5_get_integer(r->group, "tau_auto", &automatic, err);
    if (status == RC_OK)
        status = rc_h5_get_integer(r->group, "ideal_count", &ideals, err);
    if (status == RC_OK && (ideals < 0 || (size_t)ideals > suite->coordinate_count))
        status = rc_fail(err, RC_EUSAGE, "'ideal_count' is %lld, expected 0 to %zu",
                         (long long)ideals, suite->coordinate_count);
    suite->tau_auto = automatic != 0;
    suite->ideal_count = status == RC_OK ? (size_t)ideals : 0;
    return status;
}

static int get_list(const struct reader *r, const char *name, const char *const **out,
                    size_t *count, struct rc_error *err)
{
    int status = rc_h5_get_shape(r->group, name, 1, count, err);

    if (status == RC_OK && *count > RC_METRICS_LIST_MAX)
        status = rc_fail(err, RC_EUSAGE, "'%s' has %zu items, expected at most %zu",
                         name, *count, RC_METRICS_LIST_MAX);
    return status == RC_OK
               ? rc_store_get_list(r->store, r->group, name, out, count, err)
               : status;
}

/* A file of an older program may know fewer names; counts of more mean nothing. */
static int get_counts(const struct reader *r, const char *name, size_t *out,
                      size_t most, struct rc_error *err)
{
    uint64_t counts[16] = {0};
    size_t have = 0;
    int status = rc_h5_get_shape(r->group, name, 1, &have, err);

    if (status == RC_OK && have > most)
        status = rc_fail(err, RC_EUSAGE, "'%s' has %zu items, expected at most %zu",
                         name, have, most);
    if (status == RC_OK)
        status =
            rc_h5_get_numbers(r->group, name, H5T_NATIVE_UINT64, 0, have, counts, err);
    for (size_t i = 0; i < have && status == RC_OK; i++) {
        if (counts[i] > r->events)
            status = rc_fail(err, RC_EUSAGE, "'%s' tells of %llu events, of %zu", name,
                             (unsigned long long)counts[i], r->events);
        out[i] = (size_t)counts[i];
    }
    return status;
}

static int get_labels(const struct reader *r, struct rc_error *err)
{
    struct rc_suite_result *s = r->suite;
    int status;

    if ((status =
             get_list(r, "coordinate", &s->coordinate, &s->coordinate_count, err)) ||
        (status = get_list(r, "point", &s->point, &s->point_count, err)) ||
        (status = get_list(r, "left_out", &s->left_out, &s->left_out_count, err)) ||
        (status = get_list(r, "reasons", &s->reason, &s->reason_count, err)) ||
        (status = get_list(r, "remarks", &s->remark, &s->remark_count, err)) ||
        (status = get_counts(r, "class_count", s->class_count, RC_CLASS_COUNT, err)) ||
        (status = get_counts(r, "use_count", s->use_count, RC_USE_COUNT, err)))
        return status;
    if (s->reason_count == 0)
        return rc_fail(err, RC_EUSAGE,
                       "there are no 'reasons', expected \"\" at least");
    return RC_OK;
}

/* Where the items of each owner begin: first[owner] to first[owner + 1].  To be
 * freed.  Every item begins with its owner's number.
 */
static int find_owners(const char *what, const void *items, size_t item_bytes,
                       size_t count, size_t owners, size_t **first,
                       struct rc_error *err)
{
    size_t at = 0;

    *first = rc_calloc(owners + 1, sizeof **first);
    if (!*first)
        return rc_fail(err, RC_ENOMEM, "no memory for '%s'", what);
    for (size_t owner = 0; owner < owners; owner++) {
        while (at < count && *(const size_t *)(const void *)((const char *)items +
                                                             at * item_bytes) == owner)
            at++;
        (*first)[owner + 1] = at;
    }
    if (at == count)
        return RC_OK;
    return rc_fail(
        err, RC_EUSAGE,
        "'%s' number %zu belongs to number %zu, out of order or more than "
        "the %zu that there are",
        what, at,
        *(const size_t *)(const void *)((const char *)items + at * item_bytes), owners);
}

/* A table of what belongs to others, and where each one's items begin; *first is
 * to be freed.
 */
static int get_owned(const struct reader *r, hid_t group,
                     const struct rc_metrics_table *table, size_t owners, void **items,
                     size_t *count, size_t **first, struct rc_error *err)
{
    int status =
        rc_metrics_get_table(r->store, group, table, r->events, items, count, err);

    return status == RC_OK ? find_owners(table->name, *items, table->item_bytes, *count,
                                         owners, first, err)
                           : status;
}

/* Numbers and names of events, as two lists. */
static int split_events(struct rc_store *store, const struct rc_metrics_event *items,
                        size_t count, size_t **number, const char ***name,
                        struct rc_error *err)
{
    *number = rc_store_array(store, count, sizeof **number);
    *name = rc_store_array(store, count, sizeof **name);
    if (!*number || !*name)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", count);
    for (size_t i = 0; i < count; i++) {
        (*number)[i] = items[i].event;
        (*name)[i] = items[i].name;
    }
    return RC_OK;
}

static int get_others(const struct reader *r, hid_t group, struct rc_error *err)
{
    void *items = NULL;
    size_t count = 0, *first = NULL, *number = NULL;
    const char **name = NULL;
    int status = get_owned(r, group, &rc_metrics_others, r->suite->chosen_count, &items,
                           &count, &first, err);

    if (status == RC_OK)
        status = split_events(r->store, items, count, &number, &name, err);
    for (size_t i = 0; i < r->suite->chosen_count && status == RC_OK; i++) {
        struct rc_chosen *chosen = &r->suite->chosen[i];
        chosen->other = number + first[i];
        chosen->other_name = name + first[i];
        chosen->other_count = first[i + 1] - first[i];
        if (chosen->others < chosen->other_count)
            status =
                rc_fail(err, RC_EUSAGE,
                        "pivot %zu lists %zu other events, but 'other_count' is %zu", i,
                        chosen->other_count, chosen->others);
    }
    free(first);
    return status;
}

static int get_pivots(const struct reader *r, struct rc_error *err)
{
    struct rc_suite_result *suite = r->suite;
    void *items = NULL;
    double *coordinates = NULL;
    int status = rc_metrics_get_table(r->store, r->group, &rc_metrics_pivots, r->events,
                                      &items, &suite->chosen_count, err);

    if (status != RC_OK)
        return status;
    suite->chosen = items;
    hid_t group = H5Gopen2(r->group, rc_metrics_pivots.name, H5P_DEFAULT);
    const size_t dims[2] = {suite->chosen_count, suite->coordinate_count};
    status = group < 0 ? rc_h5_fail(err, "cannot read 'pivots'")
                       : rc_metrics_get_grid(r->store, group, "representation", dims,
                                             &coordinates, err);
    for (size_t i = 0; i < suite->chosen_count && status == RC_OK; i++)
        suite->chosen[i].coordinate = coordinates + i * dims[1];
    if (status == RC_OK)
        status = get_others(r, group, err);
    return rc_h5_close(group, status, err);
}

static int get_terms(const struct reader *r, hid_t group, struct rc_error *err)
{
    void *items = NULL;
    size_t count = 0, *first = NULL;
    int status = get_owned(r, group, &rc_metrics_terms, r->suite->metric_count, &items,
                           &count, &first, err);
    struct rc_term *all =
        status == RC_OK ? rc_store_array(r->store, count, sizeof *all) : NULL;

    if (status == RC_OK && !all)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu terms", count);
    for (size_t i = 0; i < count && status == RC_OK; i++)
        all[i] = ((const struct rc_metrics_term *)items)[i].term;
    for (size_t m = 0; m < r->suite->metric_count && status == RC_OK; m++) {
        r->suite->metric[m].term = all + first[m];
        r->suite->metric[m].term_count = first[m + 1] - first[m];
    }
    free(first);
    return status;
}

static int get_checks(const struct reader *r, hid_t group, struct rc_error *err)
{
    void *items = NULL;
    size_t count = 0, *first = NULL;
    int status = get_owned(r, group, &rc_metrics_checks, r->suite->metric_count, &items,
                           &count, &first, err);
    struct rc_metric_check *all =
        status == RC_OK ? rc_store_array(r->store, count, sizeof *all) : NULL;

    if (status == RC_OK && !all)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu checks", count);
    for (size_t i = 0; i < count && status == RC_OK; i++)
        all[i] = ((const struct rc_metrics_check *)items)[i].check;
    for (size_t m = 0; m < r->suite->metric_count && status == RC_OK; m++) {
        r->suite->metric[m].check = all + first[m];
        r->suite->metric[m].check_count = first[m + 1] - first[m];
    }
    free(first);
    return status;
}

static int get_alone(const struct reader *r, hid_t group, struct rc_error *err)
{
    void *items = NULL;
    size_t count = 0, *first = NULL, *number = NULL;
    const char **name = NULL;
    int status = get_owned(r, group, &rc_metrics_alone, r->suite->metric_count, &items,
                           &count, &first, err);

    if (status == RC_OK)
        status = split_events(r->store, items, count, &number, &name, err);
    for (size_t m = 0; m < r->suite->metric_count && status == RC_OK; m++) {
        r->suite->metric[m].alone = number + first[m];
        r->suite->metric[m].alone_name = name + first[m];
        r->suite->metric[m].alone_count = first[m + 1] - first[m];
    }
    free(first);
    return status;
}

static int get_inputs(const struct reader *r, hid_t group, struct rc_error *err)
{
    void *items = NULL;
    size_t count = 0, *first = NULL;
    int status = get_owned(r, group, &rc_metrics_inputs, r->suite->metric_count, &items,
                           &count, &first, err);
    const char **all =
        status == RC_OK ? rc_store_array(r->store, count, sizeof *all) : NULL;

    if (status == RC_OK && !all)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu inputs", count);
    for (size_t i = 0; i < count && status == RC_OK; i++)
        all[i] = ((const struct rc_metrics_input *)items)[i].metric;
    for (size_t m = 0; m < r->suite->metric_count && status == RC_OK; m++) {
        r->suite->metric[m].input = all + first[m];
        r->suite->metric[m].input_count = first[m + 1] - first[m];
    }
    free(first);
    return status;
}

/* A row of which nothing is known is none. */
static double *known_row(double *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isnan(row[i]))
            return row;
    return NULL;
}

static int get_values(const struct reader *r, hid_t group, struct rc_error *err)
{
    static const char *const sets[] = {"value", "value_low", "value_high"};
    const size_t dims[2] = {r->suite->metric_count, r->suite->point_count};
    int status = RC_OK;

    for (int which = 0; which < 3 && status == RC_OK; which++) {
        double *all = NULL;
        status = rc_metrics_get_grid(r->store, group, sets[which], dims, &all, err);
        for (size_t m = 0; m < dims[0] && status == RC_OK; m++) {
            struct rc_metric_result *metric = &r->suite->metric[m];
            double **row = which == 0   ? &metric->value
                           : which == 1 ? &metric->value_low
                                        : &metric->value_high;
            *row = known_row(all + m * dims[1], dims[1]);
        }
    }
    return status;
}

static int get_metrics(const struct reader *r, struct rc_error *err)
{
    void *items = NULL;
    int status = rc_metrics_get_table(r->store, r->group, &rc_metrics_metrics,
                                      r->events, &items, &r->suite->metric_count, err);

    if (status != RC_OK)
        return status;
    r->suite->metric = items;
    hid_t group = H5Gopen2(r->group, rc_metrics_metrics.name, H5P_DEFAULT);
    if (group < 0)
        status = rc_h5_fail(err, "cannot read 'metrics'");
    else if ((status = get_terms(r, group, err)) == RC_OK &&
             (status = get_checks(r, group, err)) == RC_OK &&
             (status = get_alone(r, group, err)) == RC_OK &&
             (status = get_inputs(r, group, err)) == RC_OK)
        status = get_values(r, group, err);
    return rc_h5_close(group, status, err);
}

static int get_suite(const struct reader *r, struct rc_metrics_suite *part,
                     struct rc_error *err)
{
    void *items = NULL;
    int status;

    if ((status = get_labels(r, err)) != RC_OK ||
        (status = get_settings(r, err)) != RC_OK ||
        (status = get_pivots(r, err)) != RC_OK ||
        (status = get_metrics(r, err)) != RC_OK ||
        (status =
             rc_metrics_get_table(r->store, r->group, &rc_metrics_presets, r->events,
                                  &items, &r->suite->preset_count, err)) != RC_OK)
        return status;
    r->suite->preset = items;
    return rc_metrics_open_sets(r->group, r->events, part, err);
}

/* Called for each suite of each kind, in their order. */
int rc_metrics_read_suite(struct rc_store *store, size_t kind, hid_t suites,
                          const char *link, struct rc_error *err)
{
    struct rc_metrics_file *file = store->owner;
    struct rc_metrics_suite *part = NULL;
    int status = RC_OK;

    while (file->count <= kind && status == RC_OK)
        status = rc_metrics_add_kind(file, err);
    if (status == RC_OK)
        status = rc_metrics_add_suite(file, kind, &part, err);
    if (status != RC_OK)
        return status;
    part->result.suite = rc_store_name_of(store->pool, link);
    if (!part->result.suite)
        return rc_fail(err, RC_ENOMEM, "no memory for its name");
    struct reader r = {.store = store,
                       .events = store->kind[kind].labels.event_count,
                       .suite = &part->result,
                       .group = H5Gopen2(suites, link, H5P_DEFAULT)};
    status = r.group < 0 ? rc_h5_fail(err, "cannot read its group")
                         : get_suite(&r, part, err);
    return rc_h5_close(r.group, status, err);
}
