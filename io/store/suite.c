/* Suites of campaign.h5: whether one can be written, and what describes it.  How suites
 * are defined, and their datasets of readings, are in event_sets.c;
 * docs/formats/campaign-h5.md lists these.
 */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

#include <stdlib.h>
#include <string.h>

/* Names of numbers, of which 0 is the one of what nobody wrote. */
static int check_names(const char *what, const char *const *names, size_t count,
                       size_t most, struct rc_error *err)
{
    if (count > most)
        return rc_fail(err, RC_EUSAGE, "%zu names of %s, expected at most %zu", count,
                       what, most);
    if (count > 0 && names[0] && *names[0])
        return rc_fail(err, RC_EUSAGE, "the first name of %s is '%s', expected \"\"",
                       what, names[0]);
    return RC_OK;
}

int rc_store_check_suite(const void *results, size_t events, struct rc_error *err)
{
    const struct rc_store_suite *suite = results;
    const size_t dims[] = {events, suite->place_count, suite->repetitions,
                           suite->point_count};
    size_t items = 1;
    int status;

    if (suite->status_count < 1 || suite->status_count > 256)
        return rc_fail(err, RC_EUSAGE, "%zu names of statuses, expected 1 to 256",
                       suite->status_count);
    if ((status = check_names("stops", suite->stops, suite->stop_count, 256, err)) ||
        (status = check_names("workers", suite->workers, suite->worker_count,
                              UINT32_MAX, err)))
        return status;
    /* That the largest dataset of results can be written: the number of its items, and
     * the bytes of its smallest chunk, which is one event.
     */
    for (int i = 0; i < RC_H5_DIMS; i++) {
        if (dims[i] == 0)
            return RC_OK;
        if (dims[i] > RC_STORE_ITEMS_MAX / items)
            return rc_fail(err, RC_EUSAGE,
                           "%zu events x %zu places x %zu repetitions x %zu points are "
                           "more than a file can hold",
                           dims[0], dims[1], dims[2], dims[3]);
        items *= dims[i];
    }
    /* HDF5 takes chunks of less than 4 GiB. */
    if (items / dims[0] >= (UINT64_C(1) << 32) / sizeof(int64_t))
        return rc_fail(err, RC_EUSAGE, "%zu readings of each event are too many",
                       items / dims[0]);
    return RC_OK;
}

int rc_store_put_repetitions(hid_t group, size_t count, struct rc_error *err)
{
    int64_t *numbers = rc_calloc(count, sizeof *numbers);
    hid_t set = H5I_INVALID_HID;

    if (!numbers)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu repetitions", count);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (int64_t)i;
    int status = rc_h5_put_numbers(group, "repetition", H5T_NATIVE_INT64, 1, &count,
                                   numbers, &set, err);
    free(numbers);
    if (status != RC_OK)
        return status;
    status = rc_h5_scale(set, "repetition", err);
    return rc_h5_close(set, status, err);
}

int rc_store_link_events(hid_t group, const char *kind, struct rc_error *err)
{
    char *path = rc_store_group_path(kind, NULL), *events = NULL;
    int status = RC_OK;

    if (!path || asprintf(&events, "%s/events/event", path) < 0) {
        events = NULL;
        status = rc_fail(err, RC_ENOMEM, "no memory for '%s'", kind);
    } else if (H5Lcreate_hard(group, events, group, "event", H5P_DEFAULT, H5P_DEFAULT) <
               0)
        status = rc_h5_fail(err, "cannot link '%s'", events);
    free(events);
    free(path);
    return status;
}

/* The labels of all dimensions, and the names that numbers in the results stand for. */
static int put_labels(hid_t group, const char *kind, const struct rc_store_suite *suite,
                      struct rc_error *err)
{
    const struct {
        const char *name;
        const char *const *texts;
        size_t count;
    } lists[] = {
        {"place", suite->places, suite->place_count},
        {"point", suite->points, suite->point_count},
        {"ideal", suite->ideals, suite->ideal_count},
        {"source", suite->sources, suite->source_count},
        {"parameter", suite->axes, suite->axis_count},
        {"status_names", suite->statuses, suite->status_count},
        {"stop_names", suite->stops, suite->stop_count},
        {"workers", suite->workers, suite->worker_count},
    };
    int status;

    if ((status = rc_store_link_events(group, kind, err)) ||
        (status = rc_store_put_repetitions(group, suite->repetitions, err)))
        return status;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if ((status = rc_h5_put_scale(group, lists[i].name, lists[i].texts,
                                      lists[i].count, err)))
            return status;
    return RC_OK;
}

/* The units of parameters, "" for those without. */
static int put_units(hid_t group, const struct rc_store_suite *suite,
                     struct rc_error *err)
{
    static const char *const scales[] = {"parameter"};
    const char **none = NULL;
    hid_t set = H5I_INVALID_HID;

    if (!suite->axis_units && !(none = rc_calloc(suite->axis_count, sizeof *none)))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu axes", suite->axis_count);
    int status = rc_h5_put_list(group, "parameter_units",
                                suite->axis_units ? suite->axis_units : none,
                                suite->axis_count, &set, err);
    free(none);
    if (status != RC_OK)
        return status;
    status = rc_h5_attach(group, set, scales, 1, err);
    return rc_h5_close(set, status, err);
}

/* Labels, and what does not depend on events: the basis, the parameters of the points,
 * and how often each source runs a kernel in a reading.
 */
int rc_store_put_suite(hid_t group, const struct rc_store_kind *kind,
                       const void *results, struct rc_error *err)
{
    const struct rc_store_suite *suite = results;
    static const char *const basis[] = {"point", "ideal"},
                             *const parameters[] = {"point", "parameter"},
                             *const iterations[] = {"source", "point"};
    const size_t ideals[] = {suite->point_count, suite->ideal_count},
                 axes[] = {suite->point_count, suite->axis_count},
                 sources[] = {suite->source_count, suite->point_count};
    const uint64_t own =
        suite->own_count || suite->made_by ? suite->own_count : suite->ideal_count;
    int status;

    if ((status = rc_h5_put_word(group, "name", suite->name, err)) ||
        (status = rc_h5_put_word(group, "summary", suite->summary, err)) ||
        (suite->made_by &&
         (status = rc_h5_put_word(group, "made_by", suite->made_by, err))) ||
        (status = put_labels(group, kind->name, suite, err)) ||
        (status = put_units(group, suite, err)) ||
        (status = rc_h5_put_labelled(group, "basis", H5T_NATIVE_DOUBLE, 2, basis,
                                     ideals, suite->basis, "1", err)) ||
        (status = rc_h5_put_attribute(group, "basis_ideals", H5T_NATIVE_UINT64, 1, &own,
                                      err)) ||
        (suite->low &&
         ((status = rc_h5_put_labelled(group, "low", H5T_NATIVE_DOUBLE, 2, basis,
                                       ideals, suite->low, "1", err)) ||
          (status = rc_h5_put_labelled(group, "high", H5T_NATIVE_DOUBLE, 2, basis,
                                       ideals, suite->high, "1", err)))) ||
        (status = rc_h5_put_labelled(group, "parameters", H5T_NATIVE_INT64, 2,
                                     parameters, axes, suite->axis, NULL, err)))
        return status;
    return rc_h5_put_labelled(group, "iterations", H5T_NATIVE_UINT64, 2, iterations,
                              sources, suite->iterations, "1", err);
}

/* Number 0 of stops and workers always has a name, "", also where nobody gave any. */
int rc_store_define_suite(struct rc_store *store, size_t kind,
                          const struct rc_store_suite *suite, size_t *number,
                          struct rc_error *err)
{
    static const char *const no_names[] = {""};
    struct rc_store_suite given = {.name = NULL};

    if (rc_team_rank(store->comm) == 0)
        given = *suite;
    if (given.stop_count == 0) {
        given.stops = no_names;
        given.stop_count = 1;
    }
    if (given.worker_count == 0) {
        given.workers = no_names;
        given.worker_count = 1;
    }
    return rc_event_sets_define(store, kind, given.name, &given, 1, number, err);
}
