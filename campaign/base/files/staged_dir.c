/* Makes, empties and puts in place directories in which results grow.
 *
 * Files are removed by descriptors of directories and not by paths, so that a link that
 * somebody puts there meanwhile leads nowhere.
 */
#include "campaign/base/files/staged_dir.h"

#include "campaign/base/files/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Goes as deep as files may be open.  NOLINTNEXTLINE(misc-no-recursion) */
static void remove_at(int at, const char *name)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int fd = openat(at, name, flags);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    while (directory && (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_at(fd, entry->d_name);
    if (directory)
        closedir(directory);
    else if (fd >= 0)
        close(fd);
    unlinkat(at, name, fd >= 0 ? AT_REMOVEDIR : 0);
}

void rc_staged_dir_remove(const char *path)
{
    remove_at(AT_FDCWD, path);
}

int rc_staged_dir_make(const char *path, struct rc_error *err)
{
    rc_staged_dir_remove(path);
    if (mkdir(path, 0777) != 0)
        return rc_fail_errno(err, "cannot make directory '%s'", path);
    return RC_OK;
}

int rc_staged_dir_place(const char *path, const char *const *names, const char *dir,
                        struct rc_error *err)
{
    char from[PATH_MAX], to[PATH_MAX];

    for (size_t i = 0; names[i]; i++) {
        int status = rc_path(from, sizeof from, err, "%s/%s", path, names[i]);
        if (status != RC_OK)
            return status;
        if ((status = rc_path(to, sizeof to, err, "%s/%s", dir, names[i])) != RC_OK)
            return status;
        if (rename(from, to) != 0)
            return rc_fail_errno(err, "cannot rename '%s' to '%s'", from, to);
    }
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd); /* not every file system does it for directories */
        close(fd);
    }
    return RC_OK;
}
