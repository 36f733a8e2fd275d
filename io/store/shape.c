/* The datasets of results: which there are, how they lie, one piece of one. */
#include "io/store/parts.h"

enum { CHUNK_BYTES = 1 << 20 };

static const char *const names[RC_STORE_SETS] = {
    [RC_STORE_VALUES] = "values",   [RC_STORE_ENABLED] = "enabled",
    [RC_STORE_RUNNING] = "running", [RC_STORE_STATUS] = "status",
    [RC_STORE_STOP] = "stop",       [RC_STORE_WORKER] = "worker",
};

const char *rc_store_set_name(enum rc_store_set set)
{
    return names[set];
}

hid_t rc_store_set_type(enum rc_store_set set)
{
    switch (set) {
    case RC_STORE_VALUES:
        return H5T_NATIVE_INT64;
    case RC_STORE_STATUS:
    case RC_STORE_STOP:
        return H5T_NATIVE_UINT8;
    case RC_STORE_WORKER:
        return H5T_NATIVE_UINT32;
    default:
        return H5T_NATIVE_UINT64;
    }
}

int rc_store_set_rank(enum rc_store_set set)
{
    if (set == RC_STORE_VALUES)
        return RC_STORE_DIMS;
    return rc_store_set_optional(set) ? 2 : RC_STORE_DIMS - 1;
}

bool rc_store_set_optional(enum rc_store_set set)
{
    return set == RC_STORE_STOP || set == RC_STORE_WORKER;
}

size_t rc_store_event_items(const struct rc_store_suite_part *suite,
                            enum rc_store_set set)
{
    size_t items = 1;

    for (int i = 1; i < rc_store_set_rank(set); i++)
        items *= suite->dims[i];
    return items;
}

void *rc_store_block_data(const struct rc_store_block *block, enum rc_store_set set)
{
    void *const data[RC_STORE_SETS] = {
        [RC_STORE_VALUES] = block->values,      [RC_STORE_ENABLED] = block->enabled_ns,
        [RC_STORE_RUNNING] = block->running_ns, [RC_STORE_STATUS] = block->status,
        [RC_STORE_STOP] = block->stop,          [RC_STORE_WORKER] = block->worker,
    };
    return data[set];
}

size_t rc_store_chunk_of(const size_t dims[RC_STORE_DIMS])
{
    size_t bytes = dims[1] * dims[2] * dims[3] * sizeof(int64_t);
    size_t events = bytes > 0 ? CHUNK_BYTES / bytes : dims[0];

    events = events > dims[0] ? dims[0] : events;
    return events > 0 ? events : 1;
}

static int check_code(enum rc_store_set set, size_t code, size_t names_of_it,
                      struct rc_error *err)
{
    if (code < names_of_it)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "%s %zu, expected less than %zu: it has no name",
                   names[set], code, names_of_it);
}

int rc_store_check_codes(const struct rc_store_suite_part *part,
                         const struct rc_store_block *block, struct rc_error *err)
{
    size_t statuses = block->count * rc_store_event_items(part, RC_STORE_STATUS);
    size_t stops = block->count * rc_store_event_items(part, RC_STORE_STOP);
    int status = RC_OK;

    for (size_t i = 0; block->status && i < statuses && status == RC_OK; i++)
        status = check_code(RC_STORE_STATUS, block->status[i],
                            part->labels.status_count, err);
    for (size_t i = 0; block->stop && i < stops && status == RC_OK; i++)
        status =
            check_code(RC_STORE_STOP, block->stop[i], part->labels.stop_count, err);
    for (size_t i = 0; block->worker && i < stops && status == RC_OK; i++)
        status = check_code(RC_STORE_WORKER, block->worker[i],
                            part->labels.worker_count, err);
    return status;
}

static int check_data(const struct rc_store *store,
                      const struct rc_store_suite_part *part,
                      const struct rc_store_block *block, struct rc_error *err)
{
    for (enum rc_store_set set = 0; set < RC_STORE_SETS; set++)
        if (block->count > 0 && rc_store_event_items(part, set) > 0 &&
            !rc_store_set_optional(set) && !rc_store_block_data(block, set))
            return rc_fail(err, RC_EUSAGE, "'%s': the block holds no '%s'", store->path,
                           names[set]);
    int status = rc_store_check_codes(part, block, err);
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", store->path);
    return status;
}

int rc_store_check_block(const struct rc_store *store, size_t kind, size_t suite,
                         const struct rc_store_block *block, struct rc_error *err)
{
    if (kind >= store->count || suite >= store->kind[kind].count)
        return rc_fail(err, RC_EUSAGE, "'%s': there is no suite %zu of kind %zu",
                       store->path, suite, kind);

    const struct rc_store_suite_part *part = &store->kind[kind].suite[suite];
    if (block->first > part->dims[0] || block->count > part->dims[0] - block->first)
        return rc_fail(err, RC_EUSAGE, "'%s': %zu events from number %zu on, of %zu",
                       store->path, block->count, block->first, part->dims[0]);
    return store->path_new ? check_data(store, part, block, err) : RC_OK;
}

int rc_store_transfer(const struct rc_store_suite_part *suite, enum rc_store_set set,
                      bool write, bool collective, size_t first, size_t count,
                      void *data, struct rc_error *err)
{
    struct rc_h5_piece piece = {.set = suite->set[set],
                                .type = rc_store_set_type(set),
                                .name = names[set],
                                .rank = rc_store_set_rank(set),
                                .start = {first},
                                .extent = {count}};

    for (int i = 1; i < piece.rank; i++)
        piece.extent[i] = suite->dims[i];
    return rc_h5_transfer(&piece, write, collective, data, err);
}
