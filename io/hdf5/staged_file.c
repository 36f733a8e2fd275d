/* A file of results that grows under a name of its own, until it is whole and its bytes
 * are on the disk: then it gets its right name.
 */
#include "campaign/base/files/file.h"
#include "io/hdf5/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* HDF5 keeps the places of chunks in trees whose nodes have room for twice as many:
 * most datasets here are one chunk, and a node of the usual size takes 2 KiB.
 */
enum { CHUNKS_HALF = 4 };

/* The system says better than HDF5 why a file could not be created.  The name is this
 * process's own, and no link is followed.
 */
int rc_h5_create_staged(const char *path_new, const char *path, bool *created,
                        hid_t *out, struct rc_error *err)
{
    int probe = open(path_new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (probe < 0)
        return rc_fail_errno(err, "cannot create '%s'", path_new);
    rc_file_keep_mode(probe, path, S_IRUSR | S_IWUSR);
    close(probe);
    *created = true;
    *out = H5I_INVALID_HID;
    hid_t how = H5Pcreate(H5P_FILE_CREATE);
    if (how >= 0 && H5Pset_userblock(how, RC_H5_BLOCK_BYTES) >= 0 &&
        H5Pset_istore_k(how, CHUNKS_HALF) >= 0 &&
        H5Pset_obj_track_times(how, false) >= 0)
        *out = H5Fcreate(path_new, H5F_ACC_TRUNC, how, H5P_DEFAULT);
    if (how >= 0)
        H5Pclose(how);
    return *out < 0 ? rc_h5_fail(err, "cannot create '%s'", path_new) : RC_OK;
}

/* Brings a file, or with O_DIRECTORY the names in a directory, to the disk. */
static int sync_path(const char *path, int flags, struct rc_error *err)
{
    int file = open(path, flags | O_RDONLY | O_CLOEXEC), status = RC_OK;

    /* Some file systems cannot sync a directory, and say so by EINVAL. */
    if (file < 0 || (fsync(file) != 0 && !((flags & O_DIRECTORY) && errno == EINVAL)))
        status = rc_fail_errno(err, "cannot flush '%s' to disk", path);
    if (file >= 0)
        close(file);
    return status;
}

/* The order matters: the bytes reach the disk before the name does, or a crash of the
 * machine could leave an empty file at 'path'.
 */
int rc_h5_place_staged(const char *path_new, const char *path, struct rc_error *err)
{
    char *directory = strdup(path); /* dirname() may change its argument */
    int status;

    if (!directory)
        return rc_fail(err, RC_ENOMEM, "no memory for '%s'", path);
    if ((status = rc_disk_release(path_new, err)) ||
        (status = rc_h5_seal(path_new, err)) || (status = sync_path(path_new, 0, err)))
        goto out;
    if (rename(path_new, path) != 0)
        status = rc_fail_errno(err, "cannot rename '%s' to '%s'", path_new, path);
    else
        status = sync_path(dirname(directory), O_DIRECTORY, err);
out:
    free(directory);
    return status;
}
