/* Reading campaign.h5. Every rank opens the file by itself, without MPI: it does not
 * change any more, and a rank that fails leaves nobody waiting.
 *
 * The file may come from a stranger. Rank 0 first reads all that describes it in a
 * child process (labels.c), since damage can crash HDF5 itself; then each rank
 * checks shapes, sizes and codes before it uses them. The description of a suite is
 * read when the file is opened and kept in memory; its results are read block by block.
 */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

#include <string.h>

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
        (H5Aexists(group, "made_by") > 0 &&
         (status =
              rc_h5_get_word(group, "made_by", store->pool, &suite->made_by, err))) ||
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

/* The bounds of counts, in files that have them. */
static int read_bounds(struct rc_store *store, hid_t group,
                       struct rc_store_suite *suite, struct rc_error *err)
{
    const size_t dims[] = {suite->point_count, suite->ideal_count};
    void *low = NULL, *high = NULL;
    int status;

    if (H5Lexists(group, "low", H5P_DEFAULT) <= 0)
        return RC_OK;
    if ((status = rc_store_get_table(store, group, "low", H5T_NATIVE_DOUBLE, dims, &low,
                                     err)) ||
        (status = rc_store_get_table(store, group, "high", H5T_NATIVE_DOUBLE, dims,
                                     &high, err)))
        return status;
    suite->low = low;
    suite->high = high;
    for (size_t i = 0; i < dims[0] * dims[1]; i++)
        if (!(suite->low[i] >= 0 && suite->low[i] <= suite->high[i]))
            return rc_fail(err, RC_EUSAGE,
                           "a count from %g ('low') to %g ('high'), expected 0 or more "
                           "in order",
                           suite->low[i], suite->high[i]);
    return RC_OK;
}

/* A suite of a kind: what describes it is read, and its results are opened. */
static int read_suite(struct rc_store *store, size_t unused,
                      struct rc_store_suite_part *part, hid_t group,
                      struct rc_error *err)
{
    struct rc_store_suite *suite = &part->labels;
    void *basis = NULL, *axis = NULL, *iterations = NULL;
    int64_t own = 0;
    int status;

    (void)unused;
    if ((status = get_labels(store, group, suite, err)))
        return status;
    /* These do not depend on events; their shapes must be those that the labels say. */
    const size_t ideals[] = {suite->point_count, suite->ideal_count},
                 axes[] = {suite->point_count, suite->axis_count},
                 sources[] = {suite->source_count, suite->point_count};
    if ((status = rc_store_get_table(store, group, "basis", H5T_NATIVE_DOUBLE, ideals,
                                     &basis, err)) ||
        (status = rc_h5_get_integer(group, "basis_ideals", &own, err)))
        return status;
    if (own < 0 || (size_t)own > suite->ideal_count)
        return rc_fail(err, RC_EUSAGE, "'basis_ideals' is %lld, expected at most %zu",
                       (long long)own, suite->ideal_count);
    if ((status = rc_store_get_table(store, group, "parameters", H5T_NATIVE_INT64, axes,
                                     &axis, err)) ||
        (status = rc_store_get_table(store, group, "iterations", H5T_NATIVE_UINT64,
                                     sources, &iterations, err)))
        return status;
    suite->own_count = (size_t)own;
    suite->basis = basis;
    suite->axis = axis;
    suite->iterations = iterations;
    if ((status = read_bounds(store, group, suite, err)))
        return status;
    return rc_event_sets_open(store, part, group, suite, err);
}

/* If rank 0 could read the file in a child process, all ranks open it, each by itself.
 */
int rc_store_open_as(MPI_Comm comm, const char *path, const struct rc_store_form *form,
                     enum rc_store_depth depth, struct rc_store **out,
                     struct rc_error *err)
{
    int status = RC_OK;

    rc_h5_quiet();
    *out = NULL;
    if (rc_team_rank(comm) == 0)
        status = rc_h5_check_seal(path, form->file.remedy, err);
    if (rc_team_rank(comm) == 0 && status == RC_OK)
        status = rc_store_sandbox_read(path, form, depth, err);
    status = rc_agree(comm, status, err);
    if (status != RC_OK)
        return status;
    struct rc_store *store = rc_store_new(comm, path, form, false, err);
    if (!store)
        return err->status;
    store->depth = depth;
    status = rc_agree(store->comm, rc_store_read_labels(store, err), err);
    if (status == RC_OK)
        *out = store;
    else
        rc_store_abandon(store);
    return status;
}

const struct rc_store_form rc_store_campaign_form = {
    .file = {.format = "rollcall",
             .version = 2,
             .what = "a rollcall campaign",
             .remedy = "'rollcall pack DIR' makes it again"},
    .read_suite = read_suite,
    .check_suite = rc_store_check_suite,
    .put_suite = rc_store_put_suite,
    .set = rc_store_sets,
    .set_count = RC_STORE_SETS,
    .size_set = rc_store_size_set,
};

int rc_store_open_part(MPI_Comm comm, const char *path, enum rc_store_depth depth,
                       struct rc_store **out, struct rc_error *err)
{
    return rc_store_open_as(comm, path, &rc_store_campaign_form, depth, out, err);
}

int rc_store_open(MPI_Comm comm, const char *path, struct rc_store **out,
                  struct rc_error *err)
{
    return rc_store_open_part(comm, path, RC_STORE_WHOLE, out, err);
}

int rc_store_read_alone(struct rc_store *store, size_t kind, size_t suite,
                        struct rc_store_block *block, struct rc_error *err)
{
    const struct rc_event_range range = {block->first, block->count, 0};

    return rc_event_sets_read(store, kind, suite, &range, block, err);
}
