/* Writes results: the file passes from rank 0, which defines in it alone, to all
 * ranks, which write numbers together through MPI, and back.
 *
 * Every collective call of HDF5 is followed by rc_agree(): a rank for which it failed
 * says so, and no rank goes on to the next one. A write that failed breaks the store
 * on all ranks (rc_store_break()); HDF5 is not called for that file again, since it
 * would wait for ranks that are not coming.
 */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    PIECE_BYTES = 16 << 20, /* of 'values' that are read at a time */
    /* Of 'values' that a rank hands to HDF5 at once, which keeps these chunks in memory
     * until it has compressed them.
     */
    ROUND_BYTES = 32 << 20,
    DIRTY_BYTES = 32 << 20, /* of metadata: as much as HDF5 takes */
};

/* Opens all datasets of a suite on this rank; opening is not collective. */
static int open_sets(struct rc_store *store, const char *kind,
                     struct rc_store_suite_part *suite, struct rc_error *err)
{
    char *path = rc_store_group_path(kind, suite->labels.name);
    int status = path ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory to open a suite");
    hid_t group = path ? H5Gopen2(store->file, path, H5P_DEFAULT) : H5I_INVALID_HID;

    for (int set = 0; set < RC_STORE_SETS && group >= 0; set++)
        suite->set[set] =
            H5Dopen2(group, rc_store_set_name((enum rc_store_set)set), H5P_DEFAULT);
    for (int set = 0; set < RC_STORE_SETS && status == RC_OK; set++)
        if (suite->set[set] < 0)
            status = rc_h5_fail(err, "cannot open the results of suite '%s'",
                                suite->labels.name);
    free(path);
    return rc_h5_close(group, status, err);
}

/* What all results take at most, for rc_disk_reserve(): numbers as they are before
 * they are compressed, whole chunks, and what HDF5 notes of each.
 */
static uint64_t most_bytes(const struct rc_store *store)
{
    uint64_t bytes = RC_STORE_FILE_NOTES;

    for (size_t k = 0; k < store->count; k++)
        for (size_t s = 0; s < store->kind[k].count; s++) {
            const struct rc_store_suite_part *suite = &store->kind[k].suite[s];
            size_t chunks = (suite->dims[0] + suite->chunk - 1) / suite->chunk;
            for (enum rc_store_set set = 0; set < RC_STORE_SETS; set++)
                bytes += chunks * (suite->chunk * rc_store_event_items(suite, set) *
                                       H5Tget_size(rc_store_set_type(set)) +
                                   RC_STORE_CHUNK_NOTES);
        }
    return bytes;
}

/* Rank 0 closes the file and reserves the space that it may take; then all open it
 * through MPI. Collective.
 */
int rc_store_share(struct rc_store *store, uint64_t bytes, struct rc_error *err)
{
    int status = RC_OK;

    store->parallel = rc_team_size(store->comm) > 1;
    if (!store->parallel) { /* alone, the file stays as it is */
        if (H5Fflush(store->file, H5F_SCOPE_LOCAL) < 0)
            return rc_h5_fail(err, "cannot write it");
        return rc_disk_reserve(store->path_new, bytes, err);
    }
    if (store->file >= 0) {
        if (H5Fclose(store->file) < 0)
            status = rc_h5_fail(err, "cannot write it");
        else
            status = rc_disk_reserve(store->path_new, bytes, err);
    }
    store->file = H5I_INVALID_HID;
    status = rc_agree(store->comm, status, err);
    if (status != RC_OK)
        return status;

    /* HDF5 1.10.8 writes its own metadata in the midst of a collective write once so
     * much of it is dirty, and takes the data's MPI types for it: the process crashes,
     * or waits for ever for a write that failed.  So that happens at the file's end
     * only: the most that HDF5 takes here is more than all metadata of a store.
     */
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bool usable = access >= 0 &&
                  H5Pset_fapl_mpio(access, store->comm, MPI_INFO_NULL) >= 0 &&
                  H5Pget_mdc_config(access, &cache) >= 0;
    cache.dirty_bytes_threshold = DIRTY_BYTES;
    if (!usable || H5Pset_mdc_config(access, &cache) < 0)
        status = rc_h5_fail(err, "cannot use MPI");
    status = rc_agree(store->comm, status, err);
    if (status == RC_OK) {
        store->file = H5Fopen(store->path_new, H5F_ACC_RDWR, access);
        if (store->file < 0)
            status = rc_h5_fail(err, "cannot open it on all ranks");
    }
    status = rc_h5_close(access, status, err);
    return rc_agree(store->comm, status, err);
}

int rc_store_unshare(struct rc_store *store, struct rc_error *err)
{
    int status = RC_OK;

    if (!store->parallel)
        return RC_OK;
    store->parallel = false;
    if (H5Fclose(store->file) < 0)
        status = rc_h5_fail(err, "cannot write it");
    store->file = H5I_INVALID_HID;
    status = rc_agree(store->comm, status, err);
    if (status == RC_OK && rc_team_rank(store->comm) == 0) {
        store->file = H5Fopen(store->path_new, H5F_ACC_RDWR, H5P_DEFAULT);
        if (store->file < 0)
            status = rc_h5_fail(err, "cannot open it again");
    }
    return rc_agree(store->comm, status, err);
}

/* The first event behind the piece that begins at 'at': whole chunks of ROUND_BYTES
 * together, or one chunk where that is larger.
 */
static size_t piece_end(const struct rc_store_suite_part *suite, size_t at, size_t end)
{
    size_t bytes = rc_store_event_items(suite, RC_STORE_VALUES) * sizeof(int64_t);
    size_t chunks = bytes ? ROUND_BYTES / (bytes * suite->chunk) : 1;
    size_t next = (at / suite->chunk + (chunks ? chunks : 1)) * suite->chunk;

    return next < end ? next : end;
}

/* Collective.  Ranks have blocks of different lengths, and every write is made by all:
 * so they go through as many rounds as the longest block has pieces, and who is done
 * takes part with nothing.
 */
static int write_set(const struct rc_store *store,
                     const struct rc_store_suite_part *suite, enum rc_store_set set,
                     const struct rc_store_block *block, struct rc_error *err)
{
    size_t bytes =
        rc_store_event_items(suite, set) * H5Tget_size(rc_store_set_type(set));
    char *data = rc_store_block_data(block, set);
    size_t at = block->first, end = data ? block->first + block->count : at;
    uint64_t mine = 0, most;

    if (bytes == 0 || suite->dims[0] == 0) /* no rank may write an empty dataset */
        return RC_OK;
    for (size_t e = at; e < end; e = piece_end(suite, e, end))
        mine++;
    most = mine;
    if (store->comm != MPI_COMM_NULL)
        MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, store->comm);
    for (uint64_t round = 0; round < most; round++) {
        size_t next = at < end ? piece_end(suite, at, end) : at;
        char *piece = next > at ? data + (at - block->first) * bytes : NULL;
        int status = rc_store_transfer(suite, set, true, store->parallel, at, next - at,
                                       piece, err);
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
                       const struct rc_store_block *block, struct rc_error *err)
{
    unsigned long long first[2] = {kind, suite};
    int status;

    if (!store->path_new)
        status = rc_fail(err, RC_ECONFLICT, "'%s' is open for reading", store->path);
    else if (store->broken)
        status = rc_fail(err, RC_EIO, "'%s': writing failed before", store->path);
    else
        status = rc_store_check_block(store, kind, suite, block, err);
    status = rc_agree(store->comm, status, err);
    if (status != RC_OK || store->comm == MPI_COMM_NULL)
        return status;
    MPI_Bcast(first, 2, MPI_UNSIGNED_LONG_LONG, 0, store->comm);
    if (first[0] != kind || first[1] != suite)
        status = rc_fail(err, RC_EUSAGE,
                         "'%s': suite %zu of kind %zu, but rank 0 writes suite %llu of "
                         "kind %llu",
                         store->path, suite, kind, first[1], first[0]);
    return rc_agree(store->comm, status, err);
}

/* Opens the file and all datasets on all ranks.  Collective. */
static int begin_writing(struct rc_store *store, struct rc_error *err)
{
    int status = rc_store_share(store, most_bytes(store), err);

    store->writing = true; /* also where it fails: nothing may be defined any more */
    if (status != RC_OK)
        return status;
    for (size_t k = 0; k < store->count; k++)
        for (size_t s = 0; s < store->kind[k].count; s++) {
            status = open_sets(store, store->kind[k].labels.name,
                               &store->kind[k].suite[s], err);
            status = rc_agree(store->comm, status, err);
            if (status != RC_OK)
                return status;
        }
    return RC_OK;
}

int rc_store_write(struct rc_store *store, size_t kind, size_t suite,
                   const struct rc_store_block *block, struct rc_error *err)
{
    int status = check_write(store, kind, suite, block, err);

    if (status != RC_OK)
        return status;
    if (!store->writing && (status = begin_writing(store, err)))
        goto out;
    for (enum rc_store_set set = 0; set < RC_STORE_SETS; set++)
        if ((status =
                 write_set(store, &store->kind[kind].suite[suite], set, block, err)))
            goto out;
out:
    if (status != RC_OK) {
        store->broken = true;
        status = rc_store_break(store, status, err);
        rc_error_prefix(err, "'%s': ", store->path_new);
    }
    return status;
}

size_t rc_store_chunk(const struct rc_store *store, size_t kind, size_t suite)
{
    return store->kind[kind].suite[suite].chunk;
}

size_t rc_store_piece(const struct rc_store *store, size_t kind, size_t suite)
{
    const struct rc_store_suite *l = rc_store_suite(store, kind, suite);
    const size_t chunk = rc_store_chunk(store, kind, suite);
    const size_t bytes = l->place_count * l->repetitions * l->point_count * 8;
    const size_t chunks = bytes ? PIECE_BYTES / (bytes * chunk + 1) : 1;

    return chunk * (chunks ? chunks : 1);
}
