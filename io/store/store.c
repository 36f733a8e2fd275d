/* Creating, closing, putting in place.
 *
 * Everything that is defined is defined by rank 0 alone, in a file that only it
 * has open: strings, which parallel HDF5 does not write, are no matter then, and
 * nothing can hang.  With the first block of results the file is opened again, by
 * all ranks through MPI.
 */
#include "io/store/store.h"

#include "campaign/base/agree.h"
#include "campaign/base/file.h"
#include "io/store/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Attributes that older files do not have, and others not all of them. */
static int put_made_from(hid_t file, const struct rc_store_campaign *campaign,
                         struct rc_error *err)
{
    const struct {
        const char *name, *text;
    } word[] = {{"digest", campaign->digest},
                {"definitions", campaign->definitions},
                {"settings", campaign->settings},
                {"added_definitions", campaign->added}};
    int status = RC_OK;

    for (size_t i = 0; i < sizeof word / sizeof *word && status == RC_OK; i++)
        if (word[i].text && word[i].text[0])
            status = rc_h5_put_word(file, word[i].name, word[i].text, err);
    return status;
}

static int put_campaign(hid_t file, const struct rc_store_form *form,
                        const struct rc_store_campaign *campaign, struct rc_error *err)
{
    const uint8_t simulated = campaign->simulated;
    hid_t group = H5I_INVALID_HID, kinds = H5I_INVALID_HID;
    int status;

    if ((status = rc_h5_put_word(file, "format", form->format, err)) ||
        (status = rc_h5_put_attribute(file, "format_version", H5T_NATIVE_INT64, 1,
                                      &form->version, err)) ||
        (status = rc_h5_put_word(file, "campaign_id", campaign->id, err)) ||
        (status = rc_h5_put_word(file, "created_by", campaign->created_by, err)) ||
        (status = rc_h5_put_attribute(file, "simulated", H5T_NATIVE_UINT8, 1,
                                      &simulated, err)) ||
        (status = put_made_from(file, campaign, err)) ||
        (status = rc_h5_group(file, "campaign", &group, err)) ||
        (status = rc_h5_put_text(group, "spec", campaign->spec, err)) ||
        (status = rc_h5_put_scale(group, "sources", campaign->source_labels,
                                  campaign->source_label_count, err)))
        goto out;
    status = rc_h5_group(file, "kinds", &kinds, err);
out:
    status = rc_h5_close(kinds, status, err);
    return rc_h5_close(group, status, err);
}

/* What kept HDF5 from creating a file is said better by the system.  The name is this
 * process's own, and no link is followed.
 */
static int create_file(struct rc_store *store, struct rc_error *err)
{
    int probe = open(store->path_new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (probe < 0)
        return rc_fail_errno(err, "cannot create '%s'", store->path_new);
    rc_file_keep_mode(probe, store->path, S_IRUSR | S_IWUSR);
    close(probe);
    store->created = true;
    store->file = H5Fcreate(store->path_new, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (store->file < 0)
        return rc_h5_fail(err, "cannot create '%s'", store->path_new);
    return RC_OK;
}

/* A rank that would later open another file would leave the others waiting. */
static int all_see(struct rc_store *store, struct rc_error *err)
{
    struct stat file = {0};
    unsigned long long first = 0;
    bool there =
        stat(store->path_new, &file) == 0 && access(store->path_new, W_OK) == 0;

    if (store->comm == MPI_COMM_NULL)
        return RC_OK;
    first = file.st_ino;
    MPI_Bcast(&first, 1, MPI_UNSIGNED_LONG_LONG, 0, store->comm);
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
    struct rc_store *store = rc_store_new(comm, path, true, err);
    if (!store)
        return err->status;
    if (rc_team_rank(comm) == 0) {
        status = create_file(store, err);
        if (status == RC_OK) {
            status = put_campaign(store->file, form, campaign, err);
            if (status != RC_OK)
                rc_error_prefix(err, "'%s': ", store->path_new);
        }
    }
    status = rc_store_break(store, rc_agree(store->comm, status, err), err);
    if (status == RC_OK)
        status = all_see(store, err);
    if (status == RC_OK)
        *out = store;
    else
        rc_store_abandon(store);
    return status;
}

int rc_store_create(MPI_Comm comm, const char *path,
                    const struct rc_store_campaign *campaign, struct rc_store **out,
                    struct rc_error *err)
{
    return rc_store_create_as(comm, path, &rc_store_campaign_form, campaign, out, err);
}

int rc_store_break(struct rc_store *store, int status, struct rc_error *err)
{
    if (status != RC_EIO)
        return status;
    store->broken = true;
    return err->status = RC_EBROKEN;
}

static int sync_path(const char *path, int flags, struct rc_error *err)
{
    int file = open(path, flags | O_RDONLY | O_CLOEXEC), status = RC_OK;

    /* Some file systems cannot sync a directory, and say so by EINVAL. */
    if (file < 0 || (fsync(file) != 0 && !((flags & O_DIRECTORY) && errno == EINVAL)))
        status = rc_fail_errno(err, "cannot bring '%s' to the disk", path);
    if (file >= 0)
        close(file);
    return status;
}

static int put_in_place(struct rc_store *store, struct rc_error *err)
{
    int status = rc_disk_release(store->path_new, err);

    if (status == RC_OK)
        status = sync_path(store->path_new, 0, err);
    if (status == RC_OK && rename(store->path_new, store->path) != 0)
        status = rc_fail_errno(err, "cannot rename '%s' to '%s'", store->path_new,
                               store->path);
    if (status == RC_OK) /* dirname() may change its argument, which is freed next */
        status = sync_path(dirname(store->path), O_DIRECTORY, err);
    return status;
}

int rc_store_close(struct rc_store *store, struct rc_error *err)
{
    if (!store)
        return RC_OK;

    int status = RC_OK;
    if (store->broken)
        status = rc_fail(err, RC_EIO, "'%s': not put in place, since writing failed",
                         store->path);
    int closed = store->broken ? RC_OK : rc_store_close_file(store, err);
    closed = rc_store_break(store, closed, err);
    status = status == RC_OK ? closed : status;
    if (store->created) {
        if (status == RC_OK)
            status = put_in_place(store, err);
        if (status != RC_OK)
            unlink(store->path_new);
    }
    status = rc_agree(store->comm, status, err);
    rc_store_free(store);
    return status;
}
