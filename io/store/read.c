/* Reading.  Every rank opens the file by itself, without MPI: it does not change
 * any more, and a rank that fails leaves nobody waiting.
 */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A table of 'rank' dimensions that must be those. */
static int get_table(struct rc_store *store, hid_t group, const char *name, hid_t type,
                     size_t rows, size_t columns, const void **out,
                     struct rc_error *err)
{
    size_t dims[2] = {0};
    int status = rc_h5_get_shape(group, name, 2, dims, err);

    if (status != RC_OK)
        return status;
    if (dims[0] != rows || dims[1] != columns || (columns && rows > SIZE_MAX / columns))
        return rc_fail(err, RC_EUSAGE, "'%s' is %zu x %zu, expected %zu x %zu", name,
                       dims[0], dims[1], rows, columns);
    void *data = rc_store_array(store, rows * columns, H5Tget_size(type));
    if (!data)
        return rc_fail(err, RC_ENOMEM, "no memory for '%s'", name);
    *out = data;
    return rc_h5_get_numbers(group, name, type, 0, rows * columns, data, err);
}

static int get_labels(struct rc_store *store, hid_t group, struct rc_store_suite *suite,
                      struct rc_error *err)
{
    size_t units = 0;
    int status;

    if ((status =
             rc_h5_get_word(group, "summary", store->pool, &suite->summary, err)) ||
        (status = rc_h5_get_shape(group, "repetition", 1, &suite->repetitions, err)) ||
        (status = rc_store_get_list(store, group, "place", &suite->places,
                                    &suite->place_count, err)) ||
        (status = rc_store_get_list(store, group, "point", &suite->points,
                                    &suite->point_count, err)) ||
        (status = rc_store_get_list(store, group, "ideal", &suite->ideals,
                                    &suite->ideal_count, err)) ||
        (status = rc_store_get_list(store, group, "source", &suite->sources,
                                    &suite->source_count, err)) ||
        (status = rc_store_get_list(store, group, "parameter", &suite->axes,
                                    &suite->axis_count, err)) ||
        (status = rc_store_get_list(store, group, "parameter_units", &suite->axis_units,
                                    &units, err)))
        return status;
    if (units != suite->axis_count)
        return rc_fail(err, RC_EUSAGE, "%zu units for %zu parameters", units,
                       suite->axis_count);
    status = rc_store_get_list(store, group, "status_names", &suite->statuses,
                               &suite->status_count, err);
    if (status == RC_OK)
        status = rc_store_get_list(store, group, "stop_names", &suite->stops,
                                   &suite->stop_count, err);
    if (status == RC_OK)
        status = rc_store_get_list(store, group, "workers", &suite->workers,
                                   &suite->worker_count, err);
    return status;
}

static int get_tables(struct rc_store *store, hid_t group, struct rc_store_suite *suite,
                      struct rc_error *err)
{
    const void *data = NULL;
    int64_t own = 0;
    int status = get_table(store, group, "basis", H5T_NATIVE_DOUBLE, suite->point_count,
                           suite->ideal_count, &data, err);

    suite->basis = data;
    if (status == RC_OK)
        status = rc_h5_get_integer(group, "basis_ideals", &own, err);
    if (status == RC_OK && (own < 0 || (size_t)own > suite->ideal_count))
        status = rc_fail(err, RC_EUSAGE, "'basis_ideals' is %lld, expected at most %zu",
                         (long long)own, suite->ideal_count);
    suite->own_count = (size_t)own;
    if (status == RC_OK)
        status = get_table(store, group, "parameters", H5T_NATIVE_INT64,
                           suite->point_count, suite->axis_count, &data, err);
    suite->axis = data;
    if (status == RC_OK)
        status = get_table(store, group, "iterations", H5T_NATIVE_UINT64,
                           suite->source_count, suite->point_count, &data, err);
    suite->iterations = data;
    return status;
}

static int open_results(hid_t group, struct rc_store_suite_part *part,
                        struct rc_error *err)
{
    size_t dims[RC_STORE_DIMS] = {0};
    int status = RC_OK;

    for (int set = 0; set < RC_STORE_SETS && status == RC_OK; set++) {
        const char *name = rc_store_set_name((enum rc_store_set)set);
        int rank = rc_store_set_rank((enum rc_store_set)set);
        status = rc_h5_get_shape(group, name, rank, dims, err);
        if (status == RC_OK &&
            memcmp(dims, part->dims, (size_t)rank * sizeof *dims) != 0)
            status = rc_fail(err, RC_EUSAGE,
                             "the shape of '%s' does not fit its labels", name);
        if (status == RC_OK &&
            (part->set[set] = H5Dopen2(group, name, H5P_DEFAULT)) < 0)
            status = rc_h5_fail(err, "cannot read '%s'", name);
    }
    return status;
}

static int read_suite(struct rc_store *store, size_t kind, hid_t suites,
                      const char *link, struct rc_error *err)
{
    const char *name = NULL;
    hid_t group = H5Gopen2(suites, link, H5P_DEFAULT);
    int status = group < 0 ? rc_h5_fail(err, "cannot read its group") : RC_OK;

    if (status == RC_OK && !(name = rc_store_name_of(store->pool, link)))
        status = rc_fail(err, RC_ENOMEM, "no memory for its name");
    if (status != RC_OK || (status = rc_store_add_suite(store, kind, name, err)))
        return rc_h5_close(group, status, err);

    struct rc_store_kind_part *owner = &store->kind[kind];
    struct rc_store_suite_part *part = &owner->suite[owner->count - 1];
    struct rc_store_suite *suite = &part->labels;
    status = get_labels(store, group, suite, err);
    if (status == RC_OK)
        status = get_tables(store, group, suite, err);
    part->dims[0] = owner->labels.event_count;
    part->dims[1] = suite->place_count;
    part->dims[2] = suite->repetitions;
    part->dims[3] = suite->point_count;
    if (status == RC_OK)
        status = open_results(group, part, err);
    if (status == RC_OK)
        part->chunk = rc_store_chunk_of(part->dims);
    return rc_h5_close(group, status, err);
}

int rc_store_open_as(MPI_Comm comm, const char *path, const struct rc_store_form *form,
                     void *owner, struct rc_store **out, struct rc_error *err)
{
    int status = RC_OK;

    rc_h5_quiet();
    *out = NULL;
    if (rc_team_rank(comm) == 0)
        status = rc_store_sandbox_read(path, form, owner, err);
    status = rc_agree(comm, status, err);
    if (status != RC_OK)
        return status;
    struct rc_store *store = rc_store_new(comm, path, false, err);
    if (!store)
        return err->status;
    store->form = form;
    store->owner = owner;
    status = rc_agree(store->comm, rc_store_read_labels(store, err), err);
    if (status == RC_OK)
        *out = store;
    else
        rc_store_abandon(store);
    return status;
}

const struct rc_store_form rc_store_campaign_form = {.format = "rollcall",
                                                     .version = 2,
                                                     .what = "a rollcall campaign",
                                                     .remedy =
                                                         "'rollcall pack DIR' makes it "
                                                         "anew",
                                                     .read_suite = read_suite};

int rc_store_open(MPI_Comm comm, const char *path, struct rc_store **out,
                  struct rc_error *err)
{
    return rc_store_open_as(comm, path, &rc_store_campaign_form, NULL, out, err);
}

const struct rc_store_campaign *rc_store_campaign(const struct rc_store *store)
{
    return &store->campaign;
}

size_t rc_store_kind_count(const struct rc_store *store)
{
    return store->count;
}

const struct rc_store_kind *rc_store_kind(const struct rc_store *store, size_t kind)
{
    return &store->kind[kind].labels;
}

size_t rc_store_suite_count(const struct rc_store *store, size_t kind)
{
    return store->kind[kind].count;
}

const struct rc_store_suite *rc_store_suite(const struct rc_store *store, size_t kind,
                                            size_t suite)
{
    return &store->kind[kind].suite[suite].labels;
}

size_t rc_store_find_kind(const struct rc_store *store, const char *name)
{
    const size_t count = rc_store_kind_count(store);
    size_t k = 0;

    while (k < count && strcmp(rc_store_kind(store, k)->name, name) != 0)
        k++;
    return k;
}

size_t rc_store_find_suite(const struct rc_store *store, size_t kind, const char *name)
{
    const size_t count =
        kind < rc_store_kind_count(store) ? rc_store_suite_count(store, kind) : 0;
    size_t s = 0;

    while (s < count && strcmp(rc_store_suite(store, kind, s)->name, name) != 0)
        s++;
    return s;
}

static int read_sets(const struct rc_store_suite_part *part,
                     struct rc_store_block *block, struct rc_error *err)
{
    int status = RC_OK;

    for (int set = 0; set < RC_STORE_SETS && status == RC_OK; set++) {
        enum rc_store_set which = (enum rc_store_set)set;
        void *data = rc_store_block_data(block, which);
        if (!data || block->count == 0 || rc_store_event_items(part, which) == 0)
            continue;
        status = rc_store_transfer(part, which, false, false, block->first,
                                   block->count, data, err);
    }
    return status == RC_OK ? rc_store_check_codes(part, block, err) : status;
}

int rc_store_read_alone(struct rc_store *store, size_t kind, size_t suite,
                        struct rc_store_block *block, struct rc_error *err)
{
    int status = RC_OK;

    if (store->path_new)
        status = rc_fail(err, RC_ECONFLICT, "'%s' is open for writing", store->path);
    else
        status = rc_store_check_block(store, kind, suite, block, err);
    if (status == RC_OK) {
        status = read_sets(&store->kind[kind].suite[suite], block, err);
        if (status != RC_OK)
            rc_error_prefix(err, "'%s': ", store->path);
    }
    return status;
}

int rc_store_read(struct rc_store *store, size_t kind, size_t suite,
                  struct rc_store_block *block, struct rc_error *err)
{
    return rc_agree(store->comm, rc_store_read_alone(store, kind, suite, block, err),
                    err);
}
