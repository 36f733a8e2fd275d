/* The datasets of results of a suite: which there are, of which types and shapes, and
 * how one piece of one is read or written. All are indexed by the event first, so that
 * a block of events is one piece in each of them.
 */
#include "io/store/parts.h"

enum { CHUNK_BYTES = 1 << 20 }; /* of 'values', at most, where an event takes no more */

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

/* 'stop' and 'worker' are by event and place; the times and 'status' by repetition,
 * too; 'values' also by point.
 */
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

/* Events in a chunk, the same for all datasets of the suite, so that whoever writes
 * whole chunks of one does so in all. An event is never divided: the chunk is as many
 * as fit in CHUNK_BYTES, and at least 1.
 */
size_t rc_store_chunk_of(const size_t dims[RC_STORE_DIMS])
{
    size_t bytes = dims[1] * dims[2] * dims[3] * sizeof(int64_t);
    size_t events = bytes > 0 ? CHUNK_BYTES / bytes : dims[0];

    events = events > dims[0] ? dims[0] : events;
    return events > 0 ? events : 1;
}

/* The codes of one dataset, which must be less than 'limit'; without 'data' there are
 * none.
 */
static int check_set(enum rc_store_set set, const void *data, size_t count,
                     size_t limit, struct rc_error *err)
{
    for (size_t i = 0; data && i < count; i++) {
        const size_t code = set == RC_STORE_WORKER ? ((const uint32_t *)data)[i]
                                                   : ((const uint8_t *)data)[i];
        if (code >= limit)
            return rc_fail(err, RC_EUSAGE,
                           "%s %zu, expected less than %zu: it has no name", names[set],
                           code, limit);
    }
    return RC_OK;
}

int rc_store_check_codes(const struct rc_store_suite_part *part,
                         const struct rc_store_block *block, struct rc_error *err)
{
    const struct rc_store_suite *suite = &part->labels;
    const size_t readings = block->count * rc_store_event_items(part, RC_STORE_STATUS);
    const size_t places = block->count * rc_store_event_items(part, RC_STORE_STOP);
    int status;

    if ((status = check_set(RC_STORE_STATUS, block->status, readings,
                            suite->status_count, err)) ||
        (status =
             check_set(RC_STORE_STOP, block->stop, places, suite->stop_count, err)))
        return status;
    return check_set(RC_STORE_WORKER, block->worker, places, suite->worker_count, err);
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
    if (!store->path_new) /* what is read has no data and codes yet */
        return RC_OK;
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
