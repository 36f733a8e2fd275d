/* Creating, opening and closing metrics.h5, and adding kinds and suites. As in a
 * store, rank 0 defines alone; for the columns of the events of a suite the file is
 * handed over to all ranks, and taken back before the next suite is defined
 * (take_back()).
 *
 * All that is done is collective, and a failure breaks the store on all ranks: a file
 * that HDF5 failed to write, or that holds the half of a suite, is never put in place.
 */
#include "io/metrics/parts.h"

#include "campaign/base/agree.h"

#include <stdlib.h>
#include <string.h>

const struct rc_store_form rc_metrics_form = {.format = "rollcall metrics",
                                              .version = 1,
                                              .what = "rollcall's metrics",
                                              .remedy = "'rollcall solve DIR' makes it "
                                                        "anew",
                                              .read_suite = rc_metrics_read_suite};

static void free_file(struct rc_metrics_file *file)
{
    if (!file)
        return;
    for (size_t k = 0; k < file->count; k++)
        free(file->kind[k].suite);
    free(file->kind);
    free(file);
}

/* Collective; NULL on every rank where any has no memory. */
static struct rc_metrics_file *new_file(MPI_Comm comm, const char *path,
                                        struct rc_error *err)
{
    struct rc_metrics_file *file = calloc(1, sizeof *file);
    int status =
        file ? RC_OK : rc_fail(err, RC_ENOMEM, "'%s': no memory to open it", path);

    if (rc_agree(comm, status, err) == RC_OK)
        return file;
    free_file(file);
    return NULL;
}

/* The store is created by all ranks; only rank 0 has the file open. */
int rc_metrics_create(MPI_Comm comm, const char *path,
                      const struct rc_store_campaign *campaign,
                      struct rc_metrics_file **out, struct rc_error *err)
{
    struct rc_metrics_file *file = new_file(comm, path, err);

    *out = NULL;
    if (!file)
        return err->status;
    int status =
        rc_store_create_as(comm, path, &rc_metrics_form, campaign, &file->store, err);
    if (status == RC_OK)
        *out = file;
    else
        free_file(file);
    return status;
}

/* The datasets must be closed before the file is: on all ranks, whatever failed. */
static int close_sets(struct rc_metrics_file *file, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t k = 0; k < file->count; k++)
        for (size_t s = 0; s < file->kind[k].count; s++)
            status = rc_metrics_close_sets(&file->kind[k].suite[s], status, err);
    file->sharing = false;
    return status;
}

/* Rank 0 takes the file back from all ranks, to define more: collective, and nothing
 * where it has it.
 */
static int take_back(struct rc_metrics_file *file, struct rc_error *err)
{
    if (!file->sharing || file->store->broken)
        return RC_OK;
    int status = rc_agree(file->store->comm, close_sets(file, err), err);
    if (status == RC_OK)
        status = rc_store_unshare(file->store, err);
    if (status != RC_OK) {
        file->store->broken = true;
        status = rc_store_break(file->store, status, err);
        rc_error_prefix(err, "'%s': ", file->store->path_new);
    }
    return status;
}

/* Of a kind that was defined, or failed to be, on all ranks. */
static int note_kind(struct rc_metrics_file *file, int status, struct rc_error *err)
{
    if (status != RC_OK)
        return status;
    status = rc_agree(file->store->comm, rc_metrics_add_kind(file, err), err);
    if (status != RC_OK)
        file->store->broken = true;
    return status;
}

int rc_metrics_put_kind(struct rc_metrics_file *file, const struct rc_store_kind *kind,
                        struct rc_error *err)
{
    size_t number = 0;
    int status = take_back(file, err);

    if (status != RC_OK)
        return status;
    return note_kind(file, rc_store_define_kind(file->store, kind, &number, err), err);
}

int rc_metrics_copy_kind(struct rc_metrics_file *file, const struct rc_store *from,
                         size_t kind, struct rc_error *err)
{
    size_t number = 0;
    int status = take_back(file, err);

    if (status != RC_OK)
        return status;
    status = rc_store_copy_kind(file->store, from, kind, &number, err);
    return note_kind(file, status, err);
}

/* On rank 0, before anything is written: what is refused here leaves the file as it
 * was.
 */
static int check_suite(const struct rc_metrics_file *file,
                       const struct rc_suite_result *suite, struct rc_error *err)
{
    int status = rc_store_check_open(file->store, err);

    if (status != RC_OK)
        return status;
    if (file->count == 0)
        return rc_fail(err, RC_ECONFLICT, "there is no kind yet");
    const struct rc_metrics_kind *kind = &file->kind[file->count - 1];
    status = rc_metrics_check_suite(
        suite, file->store->kind[file->count - 1].labels.event_count, err);
    if (status != RC_OK)
        return status;
    for (size_t s = 0; s < kind->count; s++)
        if (strcmp(kind->suite[s].result.suite, suite->suite) == 0)
            return rc_fail(err, RC_ECONFLICT, "it is there already");
    return RC_OK;
}

/* What every rank must know of a suite to write its columns. */
static int note_suite(struct rc_metrics_file *file, const struct rc_suite_result *suite,
                      size_t block, struct rc_error *err)
{
    const char *name = rc_pool_copy(file->store->pool, suite->suite);
    struct rc_metrics_suite *part = NULL;

    if (!name)
        return rc_fail(err, RC_ENOMEM, "no memory for suite '%s'", suite->suite);
    int status = rc_metrics_add_suite(file, file->count - 1, &part, err);
    if (status != RC_OK)
        return status;
    part->result = (struct rc_suite_result){.suite = name,
                                            .coordinate_count = suite->coordinate_count,
                                            .reason_count = suite->reason_count};
    part->block = block > 0 ? block : 1;
    return RC_OK;
}

/* Agrees on the status of what rank 0 did for a suite, and names the suite in its
 * error.
 */
static int agree_suite(const struct rc_metrics_file *file,
                       const struct rc_suite_result *suite, int status,
                       struct rc_error *err)
{
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': suite '%s': ", file->store->path,
                        suite->suite ? suite->suite : "");
    return rc_agree(file->store->comm, status, err);
}

/* Checked by rank 0, written by rank 0, noted by all; each step only if no rank failed
 * in the one before.
 */
int rc_metrics_put_suite(struct rc_metrics_file *file,
                         const struct rc_suite_result *suite, size_t block,
                         struct rc_error *err)
{
    struct rc_store *store = file->store;
    const bool first = rc_team_rank(store->comm) == 0;
    int status = take_back(file, err);

    if (status != RC_OK)
        return status;
    status = first ? check_suite(file, suite, err) : RC_OK;
    if ((status = agree_suite(file, suite, status, err)))
        return status;
    if (first) {
        const struct rc_store_kind *kind = &store->kind[file->count - 1].labels;
        char *path = rc_store_group_path(kind->name, suite->suite);
        hid_t group = H5I_INVALID_HID;
        if (!path)
            status = rc_fail(err, RC_ENOMEM, "no memory for its name");
        else if ((status = rc_h5_group(store->file, path, &group, err)) == RC_OK)
            status = rc_metrics_write_suite(group, kind, suite, block, err);
        free(path);
        status = rc_h5_close(group, status, err);
    }
    if ((status = agree_suite(file, suite, status, err)) == RC_OK)
        status = rc_agree(store->comm, note_suite(file, suite, block, err), err);
    /* What was half written cannot be taken back out of the file. */
    store->broken = status != RC_OK;
    return rc_store_break(store, status, err);
}

/* Suites are read as the store is opened, by rc_metrics_read_suite(). */
int rc_metrics_open(MPI_Comm comm, const char *path, struct rc_metrics_file **out,
                    struct rc_error *err)
{
    struct rc_metrics_file *file = new_file(comm, path, err);

    *out = NULL;
    if (!file)
        return err->status;
    struct rc_error ignored = {.rank = -1}; /* there is an error already */
    int status =
        rc_store_open_as(comm, path, &rc_metrics_form, file, &file->store, err);
    if (status != RC_OK)
        goto out;
    while (status == RC_OK && file->count < file->store->count)
        status = rc_metrics_add_kind(file, err); /* of kinds without suites */
    if ((status = rc_agree(comm, status, err)) != RC_OK)
        goto out;
    *out = file;
    return RC_OK;
out:
    close_sets(file, &ignored);
    rc_store_close(file->store, &ignored);
    free_file(file);
    return status;
}

/* Datasets first, on all ranks; the first error wins, and a store that is broken is
 * closed without HDF5.
 */
int rc_metrics_close(struct rc_metrics_file *file, struct rc_error *err)
{
    if (!file)
        return RC_OK;
    int status = file->store->broken
                     ? RC_OK
                     : rc_agree(file->store->comm, close_sets(file, err), err);
    file->store->broken = file->store->broken || status != RC_OK;
    status = rc_store_break(file->store, status, err);
    struct rc_error later = {.rank = -1};
    int closed = rc_store_close(file->store, status == RC_OK ? err : &later);
    free_file(file);
    return status == RC_OK ? closed : status;
}

void rc_metrics_abandon(struct rc_metrics_file *file)
{
    struct rc_error ignored = {.rank = -1}; /* nothing of the file is kept */

    if (!file)
        return;
    if (!file->store->broken)
        close_sets(file, &ignored);
    rc_store_abandon(file->store);
    free_file(file);
}

const struct rc_store_campaign *rc_metrics_campaign(const struct rc_metrics_file *file)
{
    return rc_store_campaign(file->store);
}

size_t rc_metrics_kind_count(const struct rc_metrics_file *file)
{
    return file->count;
}

const struct rc_store_kind *rc_metrics_kind(const struct rc_metrics_file *file,
                                            size_t kind)
{
    return rc_store_kind(file->store, kind);
}

size_t rc_metrics_suite_count(const struct rc_metrics_file *file, size_t kind)
{
    return file->kind[kind].count;
}

const struct rc_suite_result *rc_metrics_suite(const struct rc_metrics_file *file,
                                               size_t kind, size_t suite)
{
    return &file->kind[kind].suite[suite].result;
}

int rc_metrics_read_events(struct rc_metrics_file *file, size_t kind, size_t first,
                           size_t count, struct rc_store_event *events,
                           struct rc_pool *pool, struct rc_error *err)
{
    return rc_store_read_events(file->store, kind, first, count, events, pool, err);
}
