/* An open store in memory: made, given kinds and suites, and freed. Kinds and suites
 * are counted alike on all ranks, so that their numbers mean the same everywhere,
 * while what describes them is complete on the rank that read or defined them only.
 */
#include "campaign/base/agree.h"
#include "campaign/base/temporary.h"
#include "io/store/parts.h"
#include "io/store/store.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Collective. The name that the file grows under is chosen by rank 0. The others learn
 * only its end: 'path' may be written differently on each rank, and the end is of
 * fixed length.
 */
struct rc_store *rc_store_new(MPI_Comm comm, const char *path, bool write,
                              struct rc_error *err)
{
    struct rc_store *store = calloc(1, sizeof *store);
    bool whole = store != NULL;

    if (store) {
        store->comm = MPI_COMM_NULL;
        store->file = H5I_INVALID_HID;
        store->path = strdup(path);
        store->pool = rc_pool_create();
        if (write && rc_team_rank(comm) == 0)
            store->path_new = rc_temporary_name(AT_FDCWD, path);
        else if (write)
            store->path_new = calloc(strlen(path) + RC_TEMPORARY_BYTES, 1);
        whole = store->path && store->pool && (store->path_new || !write);
    }
    int status =
        whole ? RC_OK : rc_fail(err, RC_ENOMEM, "'%s': no memory to open it", path);
    if (rc_agree(comm, status, err) != RC_OK) {
        rc_store_free(store);
        return NULL;
    }
    if (store && write && rc_team_rank(comm) != 0)
        memcpy(store->path_new, path, strlen(path) + 1);
    if (store && comm != MPI_COMM_NULL) {
        MPI_Comm_dup(comm, &store->comm);
        if (write) /* what rank 0 chose, behind this rank's name of the directory */
            MPI_Bcast(store->path_new + strlen(path), RC_TEMPORARY_BYTES, MPI_CHAR, 0,
                      comm);
    }
    return store;
}

/* Zeroed memory for what was read, which lives as long as the store; NULL: no memory.
 */
void *rc_store_array(struct rc_store *store, size_t count, size_t item_bytes)
{
    if (rc_grow(&store->owned, sizeof *store->owned, store->owned_count,
                &store->owned_room))
        return NULL;
    void *array = rc_calloc(count, item_bytes);
    if (array)
        store->owned[store->owned_count++] = array;
    return array;
}

void rc_store_free(struct rc_store *store)
{
    if (!store)
        return;
    for (size_t k = 0; k < store->count; k++)
        free(store->kind[k].suite);
    free(store->kind);
    for (size_t i = 0; i < store->owned_count; i++)
        free(store->owned[i]);
    free(store->owned);
    rc_pool_close(store->pool);
    if (store->comm != MPI_COMM_NULL)
        MPI_Comm_free(&store->comm);
    free(store->path);
    rc_temporary_forget(store->path_new);
    free(store);
}

int rc_store_add_kind(struct rc_store *store, const char *name, struct rc_error *err)
{
    const char *copy = rc_pool_copy(store->pool, name);

    if (!copy || rc_grow(&store->kind, sizeof *store->kind, store->count, &store->room))
        return rc_fail(err, RC_ENOMEM, "no memory for kind '%s'", name);
    store->kind[store->count++] = (struct rc_store_kind_part){.labels.name = copy};
    return RC_OK;
}

int rc_store_add_suite(struct rc_store *store, size_t kind, const char *name,
                       struct rc_error *err)
{
    struct rc_store_kind_part *part = &store->kind[kind];
    const char *copy = rc_pool_copy(store->pool, name);

    if (!copy || rc_grow(&part->suite, sizeof *part->suite, part->count, &part->room))
        return rc_fail(err, RC_ENOMEM, "no memory for suite '%s'", name);

    struct rc_store_suite_part *suite = &part->suite[part->count++];
    *suite = (struct rc_store_suite_part){.labels.name = copy};
    for (int set = 0; set < RC_STORE_SETS; set++)
        suite->set[set] = H5I_INVALID_HID;
    return RC_OK;
}

/* Collective: the same calls of HDF5 on all ranks, whatever failed before. */
int rc_store_close_file(struct rc_store *store, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t k = 0; k < store->count; k++)
        for (size_t s = 0; s < store->kind[k].count; s++)
            for (int set = 0; set < RC_STORE_SETS; set++) {
                hid_t *id = &store->kind[k].suite[s].set[set];
                status = rc_h5_close(*id, status, err);
                *id = H5I_INVALID_HID;
            }
    if (store->file >= 0 && H5Fclose(store->file) < 0 && status == RC_OK)
        status = rc_h5_fail(err, "'%s': cannot close it",
                            store->path_new ? store->path_new : store->path);
    store->file = H5I_INVALID_HID;
    return rc_agree(store->comm, status, err);
}

void rc_store_abandon(struct rc_store *store)
{
    struct rc_error ignored = {.rank = -1}; /* nothing of the file is kept */

    if (!store)
        return;
    if (!store->broken) /* a file that HDF5 cannot write it cannot close: ranks hang */
        rc_store_close_file(store, &ignored);
    if (store->created)
        unlink(store->path_new);
    rc_store_free(store);
}
