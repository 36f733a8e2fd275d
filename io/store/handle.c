/* An open store in memory: made, given kinds and suites, asked for them, and freed.
 * Kinds and suites are counted alike on all ranks, so that their numbers mean the same
 * everywhere, while what describes them is complete on the rank that read or defined
 * them only.
 */
#include "campaign/base/agree.h"
#include "campaign/base/files/temporary.h"
#include "io/store/parts.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Collective. The name that the file grows under is chosen by rank 0. The others learn
 * only its end: 'path' may be written differently on each rank, and the end is of
 * fixed length.
 */
struct rc_store *rc_store_new(MPI_Comm comm, const char *path,
                              const struct rc_store_form *form, bool write,
                              struct rc_error *err)
{
    struct rc_store *store = calloc(1, sizeof *store);
    bool whole = store != NULL;

    if (store) {
        store->comm = MPI_COMM_NULL;
        store->form = form;
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
        if (write) /* what rank 0 chose, after this rank's name of the directory */
            rc_broadcast(comm, 0, store->path_new + strlen(path), RC_TEMPORARY_BYTES);
    }
    return store;
}

/* Zeroed memory for what was read, which lives as long as the store; NULL: no memory.
 */
void *rc_store_array(struct rc_store *store, size_t count, size_t item_bytes)
{
    return rc_arena_array(&store->arena, count, item_bytes);
}

void rc_store_free(struct rc_store *store)
{
    if (!store)
        return;
    for (size_t k = 0; k < store->count; k++)
        free(store->kind[k].suite);
    free(store->kind);
    rc_arena_free(&store->arena);
    rc_pool_close(store->pool);
    if (store->comm != MPI_COMM_NULL)
        MPI_Comm_free(&store->comm);
    free(store->path);
    rc_temporary_forget(store->path_new);
    free(store);
}

int rc_store_break(struct rc_store *store, int status, struct rc_error *err)
{
    if (status != RC_EIO)
        return status;
    store->broken = true;
    return err->status = RC_EBROKEN;
}

int rc_store_break_off(struct rc_store *store, int status, struct rc_error *err)
{
    store->broken = true;
    return rc_store_break(store, status, err);
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
                       struct rc_store_suite_part **out, struct rc_error *err)
{
    struct rc_store_kind_part *part = &store->kind[kind];
    const char *copy = rc_pool_copy(store->pool, name);

    *out = NULL;
    if (!copy || rc_grow(&part->suite, sizeof *part->suite, part->count, &part->room))
        return rc_fail(err, RC_ENOMEM, "no memory for suite '%s'", name);
    *out = &part->suite[part->count++];
    **out = (struct rc_store_suite_part){.labels.name = copy,
                                         .events = part->labels.event_count};
    return RC_OK;
}

int rc_store_open_group(const struct rc_store *store, size_t kind, const char *suite,
                        hid_t *out, struct rc_error *err)
{
    char *path = rc_store_group_path(store->kind[kind].labels.name, suite);
    int status = RC_OK;

    *out = path ? H5Gopen2(store->file, path, H5P_DEFAULT) : H5I_INVALID_HID;
    if (!path)
        status = rc_fail(err, RC_ENOMEM, "no memory to open a group");
    else if (*out < 0)
        status = rc_h5_fail(err, "cannot open '%s'", path);
    free(path);
    return status;
}

int rc_store_close_sets(struct rc_store *store, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t k = 0; k < store->count; k++)
        for (size_t s = 0; s < store->kind[k].count; s++) {
            struct rc_event_set *set = store->kind[k].suite[s].by_event;
            for (size_t i = 0; set && i < store->form->set_count; i++) {
                status = rc_h5_close(set[i].set, status, err);
                set[i].set = H5I_INVALID_HID;
            }
        }
    return status;
}

/* Collective: the same calls of HDF5 on all ranks.  A file that is written is not
 * closed where any rank failed to close a dataset, since ranks would hang.
 */
int rc_store_close_file(struct rc_store *store, struct rc_error *err)
{
    int status = rc_agree(store->comm, rc_store_close_sets(store, err), err);

    if (status != RC_OK && store->path_new)
        return status;
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
