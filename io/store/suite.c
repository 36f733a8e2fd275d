/* Suites: checked and written by rank 0, their sizes known by all ranks.
 *
 * A suite is checked completely before anything of it is written, as kinds are
 * (define.c). Its datasets of results are created here with their shapes, chunks and
 * fill values, and stay empty: all ranks write into them later (write.c).
 * docs/formats/campaign-h5.md lists them.
 */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

#include <stdlib.h>
#include <string.h>

enum { SIZES = 7 /* of a suite, that rank 0 tells the others */ };

/* Number 0 of stops and workers always has a name, "", also where nobody gave any. */
static size_t at_least_1(size_t count)
{
    return count > 0 ? count : 1;
}

/* That the largest dataset of results can be written: the number of its items, and the
 * bytes of its smallest chunk, which is one event.
 */
static int check_sizes(const size_t dims[RC_STORE_DIMS], struct rc_error *err)
{
    size_t items = 1;

    for (int i = 0; i < RC_STORE_DIMS; i++) {
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

/* Everything that could be refused, in the order in which users should hear of it. */
static int check_suite(const struct rc_store *store, size_t kind,
                       const struct rc_store_suite *suite, struct rc_error *err)
{
    int status = rc_store_check_open(store, err);

    if (status != RC_OK)
        return status;
    if (kind >= store->count)
        return rc_fail(err, RC_EUSAGE, "kind %zu of %zu", kind, store->count);
    if ((status = rc_store_check_name("suite", suite->name, err)))
        return status;
    if (suite->status_count < 1 || suite->status_count > 256)
        return rc_fail(err, RC_EUSAGE, "%zu names of statuses, expected 1 to 256",
                       suite->status_count);
    if ((status = check_names("stops", suite->stops, suite->stop_count, 256, err)) ||
        (status = check_names("workers", suite->workers, suite->worker_count,
                              UINT32_MAX, err)))
        return status;
    for (size_t s = 0; s < store->kind[kind].count; s++)
        if (strcmp(store->kind[kind].suite[s].labels.name, suite->name) == 0)
            return rc_fail(err, RC_ECONFLICT, "it is there already");

    const size_t dims[RC_STORE_DIMS] = {store->kind[kind].labels.event_count,
                                        suite->place_count, suite->repetitions,
                                        suite->point_count};
    return check_sizes(dims, err);
}

/* The labels of repetitions are their numbers, so that the dimension has a scale as
 * the others have.
 */
static int put_repetitions(hid_t group, size_t count, struct rc_error *err)
{
    int64_t *numbers = rc_calloc(count, sizeof *numbers);
    hid_t set = H5I_INVALID_HID;

    if (!numbers)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu repetitions", count);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (int64_t)i;
    int status = rc_h5_put_numbers(group, "repetition", H5T_NATIVE_INT64, 1, &count,
                                   numbers, &set, err);
    if (status == RC_OK)
        status = rc_h5_scale(set, "repetition", err);
    free(numbers);
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

static const char *const no_names[] = {""};

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
        {"stop_names", suite->stop_count > 0 ? suite->stops : no_names,
         at_least_1(suite->stop_count)},
        {"workers", suite->worker_count > 0 ? suite->workers : no_names,
         at_least_1(suite->worker_count)},
    };
    int status;

    if ((status = rc_store_link_events(group, kind, err)) ||
        (status = put_repetitions(group, suite->repetitions, err)))
        return status;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if ((status = rc_h5_put_scale(group, lists[i].name, lists[i].texts,
                                      lists[i].count, err)))
            return status;
    return RC_OK;
}

/* A small table of two dimensions with its labels; 'units' may be NULL. */
static int put_table(hid_t group, const char *name, hid_t type,
                     const char *const scales[2], size_t rows, size_t columns,
                     const void *data, const char *units, struct rc_error *err)
{
    const size_t dims[] = {rows, columns};
    hid_t set = H5I_INVALID_HID;
    int status;

    if ((status = rc_h5_put_numbers(group, name, type, 2, dims, data, &set, err)) ||
        (status = rc_h5_attach(group, set, scales, 2, err)))
        goto out;
    if (units)
        status = rc_h5_put_word(set, "units", units, err);
out:
    return rc_h5_close(set, status, err);
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
    if (status == RC_OK)
        status = rc_h5_attach(group, set, scales, 1, err);
    free(none);
    return rc_h5_close(set, status, err);
}

/* What does not depend on events: the basis, the parameters of the points, and how
 * often each source runs a kernel in a reading.
 */
static int put_tables(hid_t group, const struct rc_store_suite *suite,
                      struct rc_error *err)
{
    static const char *const basis[] = {"point", "ideal"},
                             *const parameters[] = {"point", "parameter"},
                             *const iterations[] = {"source", "point"};
    const uint64_t own = suite->own_count ? suite->own_count : suite->ideal_count;
    int status;

    if ((status = put_units(group, suite, err)) ||
        (status =
             put_table(group, "basis", H5T_NATIVE_DOUBLE, basis, suite->point_count,
                       suite->ideal_count, suite->basis, "1", err)) ||
        (status = rc_h5_put_attribute(group, "basis_ideals", H5T_NATIVE_UINT64, 1, &own,
                                      err)) ||
        (status =
             put_table(group, "parameters", H5T_NATIVE_INT64, parameters,
                       suite->point_count, suite->axis_count, suite->axis, NULL, err)))
        return status;
    return put_table(group, "iterations", H5T_NATIVE_UINT64, iterations,
                     suite->source_count, suite->point_count, suite->iterations, "1",
                     err);
}

/* What the numbers of a dataset are: counts, times or names of something. */
static int put_meaning(hid_t set, enum rc_store_set which,
                       const struct rc_store_suite *suite, struct rc_error *err)
{
    const int64_t missing = RC_STORE_MISSING_VALUE;
    int status;

    switch (which) {
    case RC_STORE_VALUES:
        if ((status = rc_h5_put_word(set, "units", "1", err)))
            return status;
        return rc_h5_put_attribute(set, "_FillValue", H5T_NATIVE_INT64, 1, &missing,
                                   err);
    case RC_STORE_STATUS:
        return rc_h5_put_flags(set, suite->statuses, suite->status_count, err);
    case RC_STORE_STOP:
        return rc_h5_put_flags(set, suite->stop_count > 0 ? suite->stops : no_names,
                               at_least_1(suite->stop_count), err);
    case RC_STORE_WORKER: /* too many for an attribute */
        return rc_h5_put_word(set, "labels", "workers", err);
    default:
        return rc_h5_put_word(set, "units", "ns", err);
    }
}

/* An empty dataset of results.  A chunk holds all readings of some events: readers and
 * writers take events in blocks, and never a part of one.
 */
static int put_results(hid_t group, const struct rc_store_suite_part *part,
                       enum rc_store_set which, const struct rc_store_suite *suite,
                       struct rc_error *err)
{
    static const char *const scales[] = {"event", "place", "repetition", "point"};
    const char *name = rc_store_set_name(which);
    const int64_t missing = RC_STORE_MISSING_VALUE;
    struct rc_h5_layout layout = {.rank = rc_store_set_rank(which),
                                  .compressed = true,
                                  .shuffled = true,
                                  .fill = which == RC_STORE_VALUES ? &missing : NULL};
    int status;

    for (int i = 0; i < layout.rank; i++) {
        layout.dims[i] = part->dims[i];
        layout.chunk[i] = i == 0 ? part->chunk : part->dims[i];
        layout.compressed &= part->dims[i] > 0;
    }
    hid_t set = rc_h5_create(group, name, rc_store_set_type(which), &layout);
    if (set < 0)
        return rc_h5_fail(err, "cannot create '%s'", name);
    if ((status = rc_h5_attach(group, set, scales, layout.rank, err)))
        goto out;
    status = put_meaning(set, which, suite, err);
out:
    return rc_h5_close(set, status, err);
}

/* The shape of the results, and of their chunks, which all ranks must know to write
 * them.
 */
static void fill_part(struct rc_store_suite_part *part, size_t events, size_t places,
                      size_t repetitions, size_t points)
{
    part->dims[0] = events;
    part->dims[1] = places;
    part->dims[2] = repetitions;
    part->dims[3] = points;
    part->chunk = rc_store_chunk_of(part->dims);
}

/* The group of a suite, complete but for its results. */
static int put_suite(hid_t file, const char *path, const struct rc_store_kind *kind,
                     const struct rc_store_suite *suite, struct rc_error *err)
{
    struct rc_store_suite_part part = {0};
    hid_t group = H5I_INVALID_HID;
    int status;

    fill_part(&part, kind->event_count, suite->place_count, suite->repetitions,
              suite->point_count);
    if ((status = rc_h5_group(file, path, &group, err)) ||
        (status = rc_h5_put_word(group, "name", suite->name, err)) ||
        (status = rc_h5_put_word(group, "summary", suite->summary, err)) ||
        (status = put_labels(group, kind->name, suite, err)) ||
        (status = put_tables(group, suite, err)))
        goto out;
    for (enum rc_store_set set = 0; set < RC_STORE_SETS; set++)
        if ((status = put_results(group, &part, set, suite, err)))
            goto out;
out:
    return rc_h5_close(group, status, err);
}

/* On rank 0. */
static int define_suite(struct rc_store *store, size_t kind,
                        const struct rc_store_suite *suite, struct rc_error *err)
{
    int status = check_suite(store, kind, suite, err);

    if (status == RC_OK) {
        char *path = rc_store_group_path(store->kind[kind].labels.name, suite->name);
        status =
            path ? put_suite(store->file, path, &store->kind[kind].labels, suite, err)
                 : rc_fail(err, RC_ENOMEM, "no memory for its name");
        store->broken = status != RC_OK;
        free(path);
    }
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': suite '%s': ", store->path,
                        suite->name ? suite->name : "");
    return status;
}

/* Rank 0 defines; then all learn what they need to write blocks: the shape, and how
 * many names there are of each sort of number.
 */
int rc_store_define_suite(struct rc_store *store, size_t kind,
                          const struct rc_store_suite *suite, size_t *number,
                          struct rc_error *err)
{
    int first = rc_team_rank(store->comm) == 0;
    int status = first ? define_suite(store, kind, suite, err) : RC_OK;
    unsigned long long sizes[SIZES] = {0};
    char name[RC_STORE_NAME_MAX + 1] = "";

    status = rc_agree(store->comm, status, err);
    if (status != RC_OK) {
        rc_store_share_broken(store);
        return rc_store_break(store, status, err);
    }
    if (first) {
        sizes[0] = kind;
        sizes[1] = suite->place_count;
        sizes[2] = suite->repetitions;
        sizes[3] = suite->point_count;
        sizes[4] = suite->status_count;
        sizes[5] = at_least_1(suite->stop_count);
        sizes[6] = at_least_1(suite->worker_count);
    }
    if (store->comm != MPI_COMM_NULL)
        MPI_Bcast(sizes, SIZES, MPI_UNSIGNED_LONG_LONG, 0, store->comm);
    rc_store_tell_name(store, first ? suite->name : NULL, name);
    struct rc_store_kind_part *part = &store->kind[sizes[0]];
    status = rc_store_add_suite(store, sizes[0], name, err);
    status = rc_agree(store->comm, status, err);
    if (status != RC_OK) {
        store->broken = true;
        return status;
    }
    *number = part->count - 1;
    part->suite[*number].labels.status_count = sizes[4];
    part->suite[*number].labels.stop_count = sizes[5];
    part->suite[*number].labels.worker_count = sizes[6];
    fill_part(&part->suite[*number], part->labels.event_count, sizes[1], sizes[2],
              sizes[3]);
    return RC_OK;
}
