/* Reading campaign.h5. Every rank opens the file by itself, without MPI: it does not
 * change any more, and a rank that fails leaves nobody waiting.
 *
 * The file may come from a stranger. Rank 0 first reads all that describes it in a
 * child process (sandbox_read.c), since damage can crash HDF5 itself; then each rank
 * checks shapes, sizes and codes before it uses them. What describes a suite is read
 * when the file is opened and kept in memory; its results are read block by block.
 */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A table of two dimensions, which must be 'rows' and 'columns'; *out lives as long as
 * the store.
 */
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

/* The labels of all dimensions, and the names that numbers in the results stand for. */
static int get_labels(struct rc_store *store, hid_t group, struct rc_store_suite *suite,
                      struct rc_error *err)
{
    size_t units = 0;
    const struct {
        const char *name;
        const char *const **out;
        size_t *count;
    } lists[] = {
        {"place", &suite->places, &suite->place_count},
        {"point", &suite->points, &suite->point_count},
        {"ideal", &suite->ideals, &suite->ideal_count},
        {"source", &suite->sources, &suite->source_count},
        {"parameter", &suite->axes, &suite->axis_count},
        {"parameter_units", &suite->axis_units, &units},
        {"status_names", &suite->statuses, &suite->status_count},
        {"stop_names", &suite->stops, &suite->stop_count},
        {"workers", &suite->workers, &suite->worker_count},
    };
    int status;

    if ((status =
             rc_h5_get_word(group, "summary", store->pool, &suite->summary, err)) ||
        (status = rc_h5_get_shape(group, "repetition", 1, &suite->repetitions, err)))
        return status;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if ((status = rc_store_get_list(store, group, lists[i].name, lists[i].out,
                                        lists[i].count, err)))
            return status;
    if (units != suite->axis_count)
        return rc_fail(err, RC_EUSAGE, "%zu units for %zu parameters", units,
                       suite->axis_count);
    return RC_OK;
}

/* What does not depend on events; shapes must be those that the labels say. */
static int get_tables(struct rc_store *store, hid_t group, struct rc_store_suite *suite,
                      struct rc_error *err)
{
    const void *basis = NULL, *axis = NULL, *iterations = NULL;
    int64_t own = 0;
    int status;

    if ((status = get_table(store, group, "basis", H5T_NATIVE_DOUBLE,
                            suite->point_count, suite->ideal_count, &basis, err)) ||
        (status = rc_h5_get_integer(group, "basis_ideals", &own, err)))
        return status;
    if (own < 0 || (size_t)own > suite->ideal_count)
        return rc_fail(err, RC_EUSAGE, "'basis_ideals' is %lld, expected at most %zu",
                       (long long)own, suite->ideal_count);
    if ((status = get_table(store, group, "parameters", H5T_NATIVE_INT64,
                            suite->point_count, suite->axis_count, &axis, err)) ||
        (status = get_table(store, group, "iterations", H5T_NATIVE_UINT64,
                            suite->source_count, suite->point_count, &iterations, err)))
        return status;
    suite->own_count = (size_t)own;
    suite->basis = basis;
    suite->axis = axis;
    suite->iterations = iterations;
    return RC_OK;
}

/* Opens the datasets of results, whose shapes must be those that the labels say.  They
 * stay open until the store is closed.
 */
static int open_results(hid_t group, struct rc_store_suite_part *part,
                        struct rc_error *err)
{
    size_t dims[RC_STORE_DIMS] = {0};

    for (enum rc_store_set set = 0; set < RC_STORE_SETS; set++) {
        const char *name = rc_store_set_name(set);
        const int rank = rc_store_set_rank(set);
        int status = rc_h5_get_shape(group, name, rank, dims, err);
        if (status != RC_OK)
            return status;
        if (memcmp(dims, part->dims, (size_t)rank * sizeof *dims) != 0)
            return rc_fail(err, RC_EUSAGE, "the shape of '%s' does not fit its labels",
                           name);
        part->set[set] = H5Dopen2(group, name, H5P_DEFAULT);
        if (part->set[set] < 0)
            return rc_h5_fail(err, "cannot read '%s'", name);
    }
    return RC_OK;
}

/* A suite of a kind: what describes it is read, and its results are opened. */
static int read_suite(struct rc_store *store, size_t kind, hid_t suites,
                      const char *link, struct rc_error *err)
{
    hid_t group = H5Gopen2(suites, link, H5P_DEFAULT);
    int status;

    if (group < 0)
        return rc_h5_fail(err, "cannot read its group");
    const char *name = rc_store_name_of(store->pool, link);
    if (!name) {
        status = rc_fail(err, RC_ENOMEM, "no memory for its name");
        goto out;
    }
    if ((status = rc_store_add_suite(store, kind, name, err)))
        goto out;

    struct rc_store_kind_part *owner = &store->kind[kind];
    struct rc_store_suite_part *part = &owner->suite[owner->count - 1];
    struct rc_store_suite *suite = &part->labels;
    if ((status = get_labels(store, group, suite, err)) ||
        (status = get_tables(store, group, suite, err)))
        goto out;
    part->dims[0] = owner->labels.event_count;
    part->dims[1] = suite->place_count;
    part->dims[2] = suite->repetitions;
    part->dims[3] = suite->point_count;
    part->chunk = rc_store_chunk_of(part->dims);
    status = open_results(group, part, err);
out:
    return rc_h5_close(group, status, err);
}

/* If rank 0 could read the file in a child process, all ranks open it, each by itself.
 */
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
    size_t k = 0;

    while (k < store->count && strcmp(store->kind[k].labels.name, name) != 0)
        k++;
    return k;
}

size_t rc_store_find_suite(const struct rc_store *store, size_t kind, const char *name)
{
    const size_t count = kind < store->count ? store->kind[kind].count : 0;
    size_t s = 0;

    while (s < count && strcmp(store->kind[kind].suite[s].labels.name, name) != 0)
        s++;
    return s;
}

/* Codes are checked behind reading: whoever uses them as numbers of names need not. */
int rc_store_read_alone(struct rc_store *store, size_t kind, size_t suite,
                        struct rc_store_block *block, struct rc_error *err)
{
    int status;

    if (store->path_new)
        return rc_fail(err, RC_ECONFLICT, "'%s' is open for writing", store->path);
    if ((status = rc_store_check_block(store, kind, suite, block, err)))
        return status;
    const struct rc_store_suite_part *part = &store->kind[kind].suite[suite];
    for (enum rc_store_set set = 0; set < RC_STORE_SETS; set++) {
        void *data = rc_store_block_data(block, set);
        if (!data || block->count == 0 || rc_store_event_items(part, set) == 0)
            continue;
        if ((status = rc_store_transfer(part, set, false, false, block->first,
                                        block->count, data, err)))
            goto out;
    }
    status = rc_store_check_codes(part, block, err);
out:
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", store->path);
    return status;
}
