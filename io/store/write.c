/* Writes datasets by event, on all ranks together.
 *
 * Every collective call of HDF5 is followed by rc_agree(): a rank for which it failed
 * says so, and no rank goes on to the next one. A write that failed breaks the store
 * on all ranks (rc_store_break()); HDF5 is not called for that file again, since it
 * would wait for ranks that are not coming.
 */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

enum {
    PIECE_BYTES = 16 << 20, /* of 'values' that are read at a time */
    /* Bytes of 'values' that a rank hands to HDF5 at once, which keeps these chunks in
     * memory until it has compressed them.
     */
    ROUND_BYTES = 32 << 20,
};

/* Whether a suite is among those that are written now: all, or in turns the last. */
static bool is_written(const struct rc_store *store, size_t kind, size_t suite)
{
    return !store->form->in_turns ||
           (kind + 1 == store->count && suite + 1 == store->kind[kind].count);
}

/* The first event after the piece that begins at 'at': whole chunks of ROUND_BYTES of
 * the suite's first dataset together, or one chunk where that is larger.
 */
static size_t piece_end(const struct rc_store_suite_part *suite, size_t at, size_t end)
{
    const struct rc_event_set *set = suite->by_event;
    const size_t bytes = rc_event_set_bytes(set) * set->chunk;
    const size_t chunks = bytes ? ROUND_BYTES / bytes : 1;
    const size_t next = (at / set->chunk + (chunks ? chunks : 1)) * set->chunk;

    return next < end ? next : end;
}

/* Collective.  Ranks have blocks of different lengths, and every write is made by all:
 * so they go through as many rounds as the longest block has pieces, and who is done
 * takes part with nothing.
 */
static int write_set(const struct rc_store *store,
                     const struct rc_store_suite_part *suite,
                     const struct rc_event_set *set, const struct rc_event_range *range,
                     char *data, struct rc_error *err)
{
    const size_t bytes = rc_event_set_bytes(set);
    const size_t end = data ? range->first + range->count : range->first;
    size_t at = range->first;
    uint64_t most = 0;

    if (bytes == 0 || suite->events == 0) /* no rank may write an empty dataset */
        return RC_OK;
    for (size_t e = at; e < end; e = piece_end(suite, e, end))
        most++;
    rc_team_reduce(store->comm, &most, 1, MPI_UINT64_T, MPI_MAX);
    for (uint64_t round = 0; round < most; round++) {
        const size_t next = at < end ? piece_end(suite, at, end) : at;
        const struct rc_event_range piece = {at, next - at, range->stride};
        int status = rc_event_set_transfer(
            set, &piece, suite->block, true, store->parallel,
            next > at ? data + (at - range->first) * bytes : NULL, err);
        status = rc_agree(store->comm, status, err);
        if (status != RC_OK)
            return status;
        at = next;
    }
    return RC_OK;
}

/* Collective.  All ranks must be about the same suite, or they would wait for each
 * other.
 */
static int check_write(const struct rc_store *store, size_t kind, size_t suite,
                       const struct rc_event_range *range, const void *columns,
                       struct rc_error *err)
{
    unsigned long long first[2] = {kind, suite};
    int status;

    if (!store->path_new)
        status = rc_fail(err, RC_ECONFLICT, "it is open for reading");
    else if (store->broken)
        status = rc_fail(err, RC_EIO, "writing failed before");
    else
        status = rc_event_sets_check(store, kind, suite, range, columns, err);
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", store->path);
    status = rc_agree(store->comm, status, err);
    if (status != RC_OK || store->comm == MPI_COMM_NULL)
        return status;
    rc_broadcast(store->comm, 0, first, sizeof first);
    if (first[0] != kind || first[1] != suite)
        status = rc_fail(err, RC_EUSAGE,
                         "'%s': suite %zu of kind %zu, but rank 0 writes suite %llu of "
                         "kind %llu",
                         store->path, suite, kind, first[1], first[0]);
    return rc_agree(store->comm, status, err);
}

/* Opens the file and the datasets that are written on all ranks.  Collective. */
static int begin_writing(struct rc_store *store, struct rc_error *err)
{
    uint64_t bytes = RC_STORE_FILE_NOTES;

    /* The most bytes that the datasets take, for rc_disk_reserve(): numbers as they are
     * before they are compressed, whole chunks, and what HDF5 notes of each.
     */
    for (size_t k = 0; k < store->count; k++)
        for (size_t s = 0; s < store->kind[k].count; s++)
            for (size_t i = 0; is_written(store, k, s) && i < store->form->set_count;
                 i++) {
                const struct rc_store_suite_part *suite = &store->kind[k].suite[s];
                const struct rc_event_set *set = &suite->by_event[i];
                const size_t chunks = (suite->events + set->chunk - 1) / set->chunk;
                bytes += chunks *
                         (set->chunk * rc_event_set_bytes(set) + RC_STORE_CHUNK_NOTES);
            }
    int status = rc_store_share(store, bytes, err);
    store->writing = true; /* also where it fails: nothing may be defined any more */
    if ((status = rc_agree(store->comm, status, err)) != RC_OK)
        return status;
    for (size_t k = 0; k < store->count; k++)
        for (size_t s = 0; s < store->kind[k].count; s++) {
            if (!is_written(store, k, s))
                continue;
            if (store->file >= 0)
                status =
                    rc_event_sets_open_again(store, k, &store->kind[k].suite[s], err);
            if ((status = rc_agree(store->comm, status, err)) != RC_OK)
                return status;
        }
    return RC_OK;
}

int rc_event_sets_write(struct rc_store *store, size_t kind, size_t suite,
                        const struct rc_event_range *range, const void *columns,
                        struct rc_error *err)
{
    int status = check_write(store, kind, suite, range, columns, err);

    if (status != RC_OK)
        return status;
    if (!store->writing && (status = begin_writing(store, err)))
        goto out;
    const struct rc_store_suite_part *part = &store->kind[kind].suite[suite];
    for (size_t i = 0; i < store->form->set_count; i++) {
        const struct rc_event_set *set = &part->by_event[i];
        char *data = rc_event_set_data(set, columns);
        status = store->form->in_turns
                     ? rc_event_set_write_first(store, part, set, range, data, err)
                     : write_set(store, part, set, range, data, err);
        if (status != RC_OK)
            goto out;
    }
    return RC_OK;
out:
    status = rc_store_break_off(store, status, err);
    rc_error_prefix(err, "'%s': ", store->path_new);
    return status;
}

int rc_event_sets_write_last(struct rc_store *store, const struct rc_event_range *range,
                             const void *columns, struct rc_error *err)
{
    const size_t kind = store->count - 1;

    if (store->count == 0 || store->kind[kind].count == 0)
        return rc_fail(err, RC_ECONFLICT, "'%s': there is no suite yet", store->path);
    return rc_event_sets_write(store, kind, store->kind[kind].count - 1, range, columns,
                               err);
}

int rc_store_write(struct rc_store *store, size_t kind, size_t suite,
                   const struct rc_store_block *block, struct rc_error *err)
{
    const struct rc_event_range range = {block->first, block->count, 0};

    return rc_event_sets_write(store, kind, suite, &range, block, err);
}

size_t rc_store_chunk(const struct rc_store *store, size_t kind, size_t suite)
{
    return store->kind[kind].suite[suite].by_event->chunk;
}

size_t rc_store_piece(const struct rc_store *store, size_t kind, size_t suite)
{
    const struct rc_event_set *values = store->kind[kind].suite[suite].by_event;
    const size_t bytes = rc_event_set_bytes(values);
    const size_t chunks = bytes ? PIECE_BYTES / (bytes * values->chunk + 1) : 1;

    return values->chunk * (chunks ? chunks : 1);
}
