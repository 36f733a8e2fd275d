/* Disk space reserved before results are written. When some ranks find the disk full
 * in the midst of a collective write and others do not, HDF5 does not survive it:
 * closing the file, the ranks wait for each other for ever. So a rank asks for all of
 * the space first, where a refusal is an ordinary error, and gives back in the end
 * what was not taken.
 *
 * Space is reserved past the end of the file without changing its length
 * (FALLOC_FL_KEEP_SIZE), which HDF5 does not notice.
 */
#include "campaign/base/text.h"
#include "io/hdf5/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* For a file system that cannot reserve: whether as much is free now. That may change,
 * but catches a disk that is full already.
 */
static int check_free(const char *path, uint64_t bytes, struct rc_error *err)
{
    struct statvfs disk;
    char wanted[RC_TEXT_SHORT], there[RC_TEXT_SHORT];

    if (statvfs(path, &disk) != 0 || (uint64_t)disk.f_bavail >= bytes / disk.f_frsize)
        return RC_OK;
    return rc_fail(err, RC_EUNSUPPORTED, "expected %s of free space, found %s",
                   rc_text_put_size(wanted, bytes),
                   rc_text_put_size(there, (uint64_t)disk.f_bavail * disk.f_frsize));
}

int rc_disk_reserve(const char *path, uint64_t bytes, struct rc_error *err)
{
    int file = open(path, O_WRONLY | O_CLOEXEC), status = RC_OK;
    char wanted[RC_TEXT_SHORT], allowed[RC_TEXT_SHORT];
    struct rlimit limit;
    struct stat now;

    if (file < 0 || fstat(file, &now) != 0) {
        status = rc_fail_errno(err, "cannot open it again");
        goto out;
    }
    /* A write beyond the limit of the process for the size of files (ulimit -f) fails
     * as one to a full disk does.
     */
    const uint64_t end = (uint64_t)now.st_size + bytes;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < end) {
        status = rc_fail(err, RC_EUNSUPPORTED,
                         "it may become %s long, and this process may write files of "
                         "%s (ulimit -f)",
                         rc_text_put_size(wanted, end),
                         rc_text_put_size(allowed, limit.rlim_cur));
        goto out;
    }
    if (fallocate(file, FALLOC_FL_KEEP_SIZE, now.st_size, (off_t)bytes) != 0) {
        if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
            status = rc_fail(err, RC_EUNSUPPORTED,
                             "cannot reserve the %s that it may take: %s",
                             rc_text_put_size(wanted, bytes), strerror(errno));
        else
            status = check_free(path, bytes, err);
    }
out:
    if (file >= 0)
        close(file);
    return status;
}

/* Truncating a file to the length that it has frees what is reserved past its end. */
int rc_disk_release(const char *path, struct rc_error *err)
{
    struct stat now;

    if (stat(path, &now) != 0 || truncate(path, now.st_size) != 0)
        return rc_fail_errno(err, "cannot release the space after the end of '%s'",
                             path);
    return RC_OK;
}
