/* metrics.h5: a store of a form of its own, whose suites are results of the solve.  How
 * they are defined, shared among ranks and put in place is the store's
 * (io/store/event_sets.c).
 */
#include "io/metrics/parts.h"

/* The rates of all suites of a kind in one array. */
static int read_rest(struct rc_store *store, struct rc_error *err)
{
    for (size_t k = 0; k < store->count && store->depth != RC_STORE_NAMES; k++) {
        size_t count = 0, at = 0;
        for (size_t s = 0; s < store->kind[k].count; s++)
            count += rc_metrics_suite(store, k, s)->rate_count;
        struct rc_rate_result *all = rc_store_array(store, count, sizeof *all);
        if (!all)
            return rc_fail(err, RC_ENOMEM, "no memory for rates");
        store->kind[k].results = all;
        for (size_t s = 0; s < store->kind[k].count; s++) {
            const struct rc_suite_result *suite = rc_metrics_suite(store, k, s);
            for (size_t i = 0; i < suite->rate_count; i++)
                all[at++] = suite->rate[i];
        }
    }
    return RC_OK;
}

const struct rc_store_form rc_metrics_form = {
    .file = {.format = "rollcall metrics",
             .version = 1,
             .what = "rollcall's metrics",
             .remedy = "'rollcall solve DIR' makes it again"},
    .read_suite = rc_metrics_read_suite,
    .read_rest = read_rest,
    .in_turns = true,
    .check_suite = rc_metrics_check_suite,
    .put_suite = rc_metrics_put_results,
    .set = rc_metrics_sets,
    .set_count = RC_METRICS_SETS,
    .size_set = rc_metrics_size_set,
};

int rc_metrics_create(MPI_Comm comm, const char *path,
                      const struct rc_store_campaign *campaign, struct rc_store **out,
                      struct rc_error *err)
{
    return rc_store_create_as(comm, path, &rc_metrics_form, campaign, out, err);
}

int rc_metrics_put_suite(struct rc_store *file, const struct rc_suite_result *suite,
                         size_t block, struct rc_error *err)
{
    return rc_event_sets_define(file, file->count - 1, suite->suite, suite, block, NULL,
                                err);
}

int rc_metrics_open_part(MPI_Comm comm, const char *path, enum rc_store_depth depth,
                         struct rc_store **out, struct rc_error *err)
{
    return rc_store_open_as(comm, path, &rc_metrics_form, depth, out, err);
}

int rc_metrics_open(MPI_Comm comm, const char *path, struct rc_store **out,
                    struct rc_error *err)
{
    return rc_metrics_open_part(comm, path, RC_STORE_WHOLE, out, err);
}

const struct rc_suite_result *rc_metrics_suite(const struct rc_store *file, size_t kind,
                                               size_t suite)
{
    return file->kind[kind].suite[suite].results;
}

const struct rc_rate_result *rc_metrics_rates(const struct rc_store *file, size_t kind,
                                              size_t *count)
{
    *count = 0;
    for (size_t s = 0; s < file->kind[kind].count; s++)
        *count += rc_metrics_suite(file, kind, s)->rate_count;
    return file->kind[kind].results;
}

bool rc_metrics_next(const struct rc_store *file, size_t kind,
                     struct rc_metrics_walk *walk)
{
    for (; !walk->suite || walk->at == walk->suite->metric_count; walk->at = 0) {
        if (walk->suites == rc_store_suite_count(file, kind))
            return false;
        walk->suite = rc_metrics_suite(file, kind, walk->suites++);
    }
    walk->metric = &walk->suite->metric[walk->at++];
    return true;
}
