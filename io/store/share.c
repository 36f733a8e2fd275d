/* The file of a store passes from rank 0, which defines in it alone, to all ranks,
 * which write numbers together through MPI, and back.
 */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

enum { DIRTY_BYTES = 32 << 20 /* of metadata: as much as HDF5 takes */ };

/* Rank 0 closes the file and reserves the space that it may take; then all open it
 * through MPI. Collective.
 */
int rc_store_share(struct rc_store *store, uint64_t bytes, struct rc_error *err)
{
    int status = RC_OK;

    store->parallel = rc_team_size(store->comm) > 1 && !store->form->in_turns;
    if (!store->parallel) { /* the file stays as it is */
        if (store->file < 0)
            return RC_OK;
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
    if ((status = rc_agree(store->comm, status, err)) != RC_OK)
        goto out;
    store->file = H5Fopen(store->path_new, H5F_ACC_RDWR, access);
    if (store->file < 0)
        status = rc_h5_fail(err, "cannot open it on all ranks");
out:
    status = rc_h5_close(access, status, err);
    return rc_agree(store->comm, status, err);
}

int rc_store_take_back(struct rc_store *store, struct rc_error *err)
{
    if (!store->writing || !store->form->in_turns || store->broken)
        return RC_OK;
    int status = rc_agree(store->comm, rc_store_close_sets(store, err), err);
    if (status == RC_OK) {
        store->writing = false;
        return RC_OK;
    }
    status = rc_store_break_off(store, status, err);
    rc_error_prefix(err, "'%s': ", store->path_new);
    return status;
}
