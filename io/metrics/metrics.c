/* metrics.h5: a store of a form of its own, whose suites are results of the solve.  How
 * they are defined, shared among ranks and put in place is the store's
 * (io/store/event_sets.c).
 */
#include "io/metrics/parts.h"

const struct rc_store_form rc_metrics_form = {
    .format = "rollcall metrics",
    .version = 1,
    .what = "rollcall's metrics",
    .remedy = "'rollcall solve DIR' makes it anew",
    .read_suite = rc_metrics_read_suite,
    .in_turns = true,
    .check_suite = rc_metrics_check_suite,
    .put_suite = rc_metrics_put_results,
    .set = rc_metrics_sets,
    .set_count = RC_METRICS_SETS,
    .size_set = rc_metrics_size_set,
};

/* A file is a store, and nothing else. */
static struct rc_metrics_file *file_of(struct rc_store *store)
{
    return (struct rc_metrics_file *)store;
}

static struct rc_store *store_of(struct rc_metrics_file *file)
{
    return file ? &file->store : NULL;
}

int rc_metrics_create(MPI_Comm comm, const char *path,
                      const struct rc_store_campaign *campaign,
                      struct rc_metrics_file **out, struct rc_error *err)
{
    struct rc_store *store = NULL;
    const int status =
        rc_store_create_as(comm, path, &rc_metrics_form, campaign, &store, err);

    *out = file_of(store);
    return status;
}

int rc_metrics_put_kind(struct rc_metrics_file *file, const struct rc_store_kind *kind,
                        struct rc_error *err)
{
    size_t number = 0;

    return rc_store_define_kind(&file->store, kind, &number, err);
}

int rc_metrics_copy_kind(struct rc_metrics_file *file, const struct rc_store *from,
                         size_t kind, struct rc_error *err)
{
    size_t number = 0;

    return rc_store_copy_kind(&file->store, from, kind, &number, err);
}

int rc_metrics_put_suite(struct rc_metrics_file *file,
                         const struct rc_suite_result *suite, size_t block,
                         struct rc_error *err)
{
    size_t number = 0;

    return rc_event_sets_define(&file->store, file->store.count - 1, suite->suite,
                                suite, block, &number, err);
}

int rc_metrics_open(MPI_Comm comm, const char *path, struct rc_metrics_file **out,
                    struct rc_error *err)
{
    struct rc_store *store = NULL;
    const int status = rc_store_open_as(comm, path, &rc_metrics_form, &store, err);

    *out = file_of(store);
    return status;
}

int rc_metrics_close(struct rc_metrics_file *file, struct rc_error *err)
{
    return rc_store_close(store_of(file), err);
}

void rc_metrics_abandon(struct rc_metrics_file *file)
{
    rc_store_abandon(store_of(file));
}

const struct rc_store_campaign *rc_metrics_campaign(const struct rc_metrics_file *file)
{
    return &file->store.campaign;
}

size_t rc_metrics_kind_count(const struct rc_metrics_file *file)
{
    return file->store.count;
}

const struct rc_store_kind *rc_metrics_kind(const struct rc_metrics_file *file,
                                            size_t kind)
{
    return &file->store.kind[kind].labels;
}

size_t rc_metrics_suite_count(const struct rc_metrics_file *file, size_t kind)
{
    return file->store.kind[kind].count;
}

const struct rc_suite_result *rc_metrics_suite(const struct rc_metrics_file *file,
                                               size_t kind, size_t suite)
{
    return file->store.kind[kind].suite[suite].results;
}

int rc_metrics_read_events(struct rc_metrics_file *file, size_t kind, size_t first,
                           size_t count, struct rc_store_event *events,
                           struct rc_pool *pool, struct rc_error *err)
{
    return rc_store_read_events(&file->store, kind, first, count, events, pool, err);
}
