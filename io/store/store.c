/* Creating, closing and putting in place a file of results.
 *
 * All that is defined is defined by rank 0 alone, in a file that only it has open:
 * parallel HDF5 does not write strings, and where one rank works nothing can hang.
 * With the first block of results the file is opened again, by all ranks through MPI
 * (write.c).
 *
 * The file grows under a name of its own beside PATH. Only when it is closed, and its
 * bytes are on the disk, it is renamed to PATH: whoever opens PATH sees the old file
 * or the new one, whole, and a job that dies leaves the old one.
 */
#include "io/store/store.h"

#include "campaign/base/agree.h"
#include "campaign/base/files/file.h"
#include "io/store/parts.h"

#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

static int put_campaign(hid_t file, const struct rc_store_form *form,
                        const struct rc_store_campaign *campaign, struct rc_error *err)
{
    const uint8_t simulated = campaign->simulated;
    hid_t group = H5I_INVALID_HID, kinds = H5I_INVALID_HID;
    int status;

    if ((status = rc_h5_put_form(file, &form->file, err)) ||
        (status = rc_h5_put_word(file, "campaign_id", campaign->id, err)) ||
        (status = rc_h5_put_word(file, "created_by", campaign->created_by, err)) ||
        (status = rc_h5_put_attribute(file, "simulated", H5T_NATIVE_UINT8, 1,
                                      &simulated, err)))
        goto out;
    for (size_t i = 0; i < RC_STORE_MADE_FROM; i++) {
        const void *at = (const char *)campaign + rc_store_made_from[i].offset;
        const char *text = *(const char *const *)at;
        if (text && text[0] &&
            (status = rc_h5_put_word(file, rc_store_made_from[i].name, text, err)))
            goto out;
    }
    if ((status = rc_h5_group(file, "campaign", &group, err)) ||
        (status = rc_h5_put_text(group, "spec", campaign->spec, err)) ||
        (status = rc_h5_put_scale(group, "sources", campaign->source_labels,
                                  campaign->source_label_count, err)))
        goto out;
    status = rc_h5_group(file, "kinds", &kinds, err);
out:
    return RC_H5_CLOSE(status, err, kinds, group);
}

/* A rank that would later open another file, on a directory that is not shared, would
 * leave the others waiting in HDF5. So each compares the number of the file that it
 * sees (st_ino) with that of rank 0.
 */
static int all_see(struct rc_store *store, struct rc_error *err)
{
    struct stat file = {0};
    unsigned long long first = 0;
    bool there =
        stat(store->path_new, &file) == 0 && access(store->path_new, W_OK) == 0;

    if (store->comm == MPI_COMM_NULL)
        return RC_OK;
    first = file.st_ino;
    rc_broadcast(store->comm, 0, &first, sizeof first);
    int status = RC_OK;
    if (!there || first != file.st_ino)
        status =
            rc_fail(err, RC_EIO,
                    "'%s' is not the file that rank 0 created, or cannot be written",
                    store->path_new);
    return rc_agree(store->comm, status, err);
}

int rc_store_create_as(MPI_Comm comm, const char *path,
                       const struct rc_store_form *form,
                       const struct rc_store_campaign *campaign, struct rc_store **out,
                       struct rc_error *err)
{
    int status = RC_OK;

    rc_h5_quiet();
    *out = NULL;
    struct rc_store *store = rc_store_new(comm, path, form, true, err);
    if (!store)
        return err->status;
    if (rc_team_rank(comm) == 0 &&
        (status = rc_h5_create_staged(store->path_new, store->path, &store->created,
                                      &store->file, err)) == RC_OK &&
        (status = put_campaign(store->file, form, campaign, err)) != RC_OK)
        rc_error_prefix(err, "'%s': ", store->path_new);
    if ((status = rc_store_break(store, rc_agree(store->comm, status, err), err)) ||
        (status = all_see(store, err))) {
        rc_store_abandon(store);
        return status;
    }
    *out = store;
    return RC_OK;
}

int rc_store_create(MPI_Comm comm, const char *path,
                    const struct rc_store_campaign *campaign, struct rc_store **out,
                    struct rc_error *err)
{
    return rc_store_create_as(comm, path, &rc_store_campaign_form, campaign, out, err);
}

int rc_store_close(struct rc_store *store, struct rc_error *err)
{
    int status;

    if (!store)
        return RC_OK;
    if (store->broken) /* on all ranks; HDF5 must not be called for the file */
        status = rc_fail(err, RC_EIO, "'%s': not put in place, since writing failed",
                         store->path);
    else
        status = rc_store_break(store, rc_store_close_file(store, err), err);
    if (store->created) {
        if (status == RC_OK)
            status = rc_h5_place_staged(store->path_new, store->path, err);
        if (status != RC_OK)
            unlink(store->path_new);
    }
    status = rc_agree(store->comm, status, err);
    rc_store_free(store);
    return status;
}
