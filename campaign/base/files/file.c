/* Whole files: read into memory, and replaced by writing aside and renaming.
 *
 * A campaign's directory may belong to a stranger who changes it while it is read.  So
 * a path is never checked first and opened afterwards: directories are opened one by
 * one without following links, the last name is opened in them, and the open file is
 * checked by its descriptor.
 */
#include "campaign/base/files/file.h"

#include "campaign/base/files/temporary.h"
#include "campaign/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PATIENCE_S = 60 }; /* how long a pipe may give nothing */

/* How many characters of a path name its last name's directory; 0: the current one. */
static size_t directory_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

/* Opens the directory that the first 'length' bytes of a path name; O_PATH needs no
 * permission to read it.
 */
static int open_part(int at, const char *path, size_t length, int flags)
{
    char *part = length ? strndup(path, length) : strdup(".");
    int fd = part ? openat(at, part, O_PATH | O_CLOEXEC | flags) : -1;
    int number = errno;

    free(part);
    errno = number;
    return fd;
}

/* Closes 'fd', which may be -1, and leaves errno as it is. */
static void close_quietly(int fd)
{
    int number = errno;

    if (fd >= 0)
        close(fd);
    errno = number;
}

/* Opens the directory in which the last name of a path, *name, lies: other calls go on
 * from there.
 */
static int open_parent(const char *path, enum rc_file_place place, const char **name)
{
    const size_t length = directory_length(path, strlen(path));
    struct stat info;

    *name = path + length + strspn(path + length, "/");
    if (place != RC_FILE_BELOW)
        return open_part(AT_FDCWD, path, length, O_DIRECTORY);
    const size_t top = directory_length(path, length);
    const char *middle = path + top + strspn(path + top, "/");
    int at = open_part(AT_FDCWD, path, top, O_DIRECTORY);
    int fd = at < 0
                 ? -1
                 : open_part(at, middle, (size_t)(path + length - middle), O_NOFOLLOW);
    close_quietly(at);
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISLNK(info.st_mode)) {
        close(fd);
        errno = ELOOP;
        return -1;
    }
    return fd;
}

/* Closes a file that must not be opened, sets errno and returns -1; else gives 'fd'. */
static int check_sort(int fd, enum rc_file_place place, int flags)
{
    struct stat info;
    struct statfs system;

    if (fd < 0 || (flags & O_DIRECTORY) ||
        (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)))
        return fd;
    /* A nameless pipe, as the shell's <(...) and | make, has its writer already. */
    if (place == RC_FILE_GIVEN && fstatfs(fd, &system) == 0 &&
        system.f_type == PIPEFS_MAGIC)
        return fd;
    close(fd);
    errno = S_ISDIR(info.st_mode) ? EISDIR : ENXIO;
    return -1;
}

int rc_file_open(const char *path, enum rc_file_place place, int flags)
{
    const int safely = flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const char *name;
    struct stat info;

    if (place == RC_FILE_GIVEN)
        return check_sort(open(path, safely, 0666), place, flags);
    int at = open_parent(path, place, &name);
    int fd = at < 0 ? -1 : openat(at, name, safely | O_NOFOLLOW, 0666);
    if (at >= 0 && fd < 0 && errno == ENOTDIR)
        errno =
            fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode)
                ? ELOOP
                : ENOTDIR;
    close_quietly(at);
    return check_sort(fd, place, flags);
}

DIR *rc_file_open_directory(const char *path, enum rc_file_place place)
{
    int fd = rc_file_open(path, place, O_RDONLY | O_DIRECTORY);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);

    if (!directory)
        close_quietly(fd);
    return directory;
}

static const char *sort_name(mode_t mode)
{
    return S_ISDIR(mode)    ? "directory"
           : S_ISFIFO(mode) ? "pipe"
           : S_ISCHR(mode)  ? "device"
           : S_ISBLK(mode)  ? "disk"
                            : "socket";
}

int rc_file_fail_open(struct rc_error *err, const char *path)
{
    const int number = errno;
    struct stat info;

    if (number == ELOOP)
        return rc_fail(err, RC_EUSAGE,
                       "'%.400s' is a symbolic link or is reached through one: links "
                       "are not followed in a campaign's directory",
                       path);
    if ((number == EISDIR || number == ENXIO) && stat(path, &info) == 0)
        return rc_fail(err, RC_EUSAGE, "'%.400s' is a %s, expected a file", path,
                       sort_name(info.st_mode));
    errno = number;
    return rc_fail_errno(err, "cannot open '%.400s'", path);
}

/* Reads to the end.  A pipe says beforehand neither how much will come nor when. */
static int read_descriptor(int fd, const char *path, size_t most, char **text,
                           size_t *bytes, struct rc_error *err)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    size_t room = 0;
    ssize_t got = 1;

    while (got != 0) {
        if (rc_grow(text, 1, *bytes, &room))
            return rc_fail(err, RC_ENOMEM, "no memory to read '%s'", path);
        if (poll(&wait, 1, PATIENCE_S * 1000) == 0)
            return rc_fail(
                err, RC_EIO,
                "'%s': nothing came through this pipe for %d s, not even its end", path,
                PATIENCE_S);
        got = read(fd, *text + *bytes, room - *bytes);
        if (got < 0 && errno != EINTR && errno != EAGAIN)
            return rc_fail_errno(err, "cannot read '%s'", path);
        *bytes += got > 0 ? (size_t)got : 0;
        if (*bytes > most)
            return rc_fail(err, RC_EUSAGE,
                           "%s: larger than the %zu MiB that are accepted", path,
                           most >> 20);
    }
    (*text)[*bytes] = 0;
    return RC_OK;
}

int rc_file_read(const char *path, enum rc_file_place place, size_t most, char **text,
                 size_t *bytes, struct rc_error *err)
{
    int fd = rc_file_open(path, place, O_RDONLY);

    *text = NULL;
    *bytes = 0;
    if (fd < 0)
        return rc_file_fail_open(err, path);
    int status = read_descriptor(fd, path, most, text, bytes, err);
    close(fd);
    if (status != RC_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

/* The data that rc_file_replace() writes. */
struct text {
    const char *text;
    size_t bytes;
};

static int write_text(FILE *out, void *context, struct rc_error *err)
{
    const struct text *text = context;

    (void)err;
    fwrite(text->text, 1, text->bytes, out);
    return RC_OK;
}

/* A new file until it is whole and renamed. */
struct aside {
    int at;        /* the directory */
    char *name;    /* in it, until it is renamed */
    bool nameless; /* it has not even that name yet */
};

/* Writes the file's contents, and closes the stream. */
static int fill_stream(FILE *stream, const char *path,
                       const struct rc_file_writer *writer, const struct aside *aside,
                       struct rc_error *err)
{
    int status = writer->write(stream, writer->context, err);
    char open_as[64];

    if (status != RC_OK)
        goto out;
    if (fflush(stream) != 0 || ferror(stream) ||
        (aside && fsync(fileno(stream)) != 0)) {
        status = rc_fail_errno(err, "cannot write '%s'", path);
        goto out;
    }
    if (aside && aside->nameless) {
        /* Gives it its name, for which the open descriptor is enough. */
        snprintf(open_as, sizeof open_as, "/proc/self/fd/%d", fileno(stream));
        if (linkat(AT_FDCWD, open_as, aside->at, aside->name, AT_SYMLINK_FOLLOW) != 0)
            status = rc_fail_errno(err, "cannot create '%s'", path);
    }
out:
    if (fclose(stream) != 0 && status == RC_OK)
        status = rc_fail_errno(err, "cannot write '%s'", path);
    return status;
}

/* Gives a new file the mode and owner of an old one.  If the old one's group is not
 * ours to give, its permissions for the group are dropped.
 */
static void keep_mode(int fd, int at, const char *name, mode_t also)
{
    struct stat old, now;

    if (fstatat(at, name, &old, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(old.st_mode))
        return;
    mode_t mode = old.st_mode & 0777;
    if (fchown(fd, old.st_uid, old.st_gid) != 0 &&
        fchown(fd, (uid_t)-1, old.st_gid) != 0 && fstat(fd, &now) == 0 &&
        now.st_gid != old.st_gid)
        mode &= ~(mode_t)S_IRWXG;
    fchmod(fd, mode | also); /* not every file system has modes */
}

void rc_file_keep_mode(int fd, const char *path, mode_t also)
{
    keep_mode(fd, AT_FDCWD, path, also);
}

/* Writes the new file and puts it in the old one's place, or leaves the old one alone.
 * The new file has no name at first, so that nothing is left if we are killed; not
 * every file system can do that.
 */
static int write_aside(struct aside *aside, const char *name, const char *path,
                       const struct rc_file_writer *writer, struct rc_error *err)
{
    int fd = -1;

    if (access("/proc/self/fd", X_OK) == 0)
        fd = openat(aside->at, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    aside->nameless = fd >= 0;
    if (fd < 0)
        fd = openat(aside->at, aside->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                    0666);
    if (fd >= 0)
        keep_mode(fd, aside->at, name, 0);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!stream) {
        close_quietly(fd);
        return rc_fail_errno(err, "cannot create '%s'", path);
    }
    int status = fill_stream(stream, path, writer, aside, err);
    if (status == RC_OK && renameat(aside->at, aside->name, aside->at, name) != 0)
        status =
            errno == EISDIR
                ? rc_fail(err, RC_EUSAGE, "'%s' is a directory, expected a file", path)
                : rc_fail_errno(err, "cannot move '%s' into place", path);
    if (status != RC_OK)
        unlinkat(aside->at, aside->name, 0);
    return status;
}

/* Replaces the file at 'path'; a link there would be replaced itself. */
static int replace_file(const char *path, enum rc_file_place place,
                        const struct rc_file_writer *writer, struct rc_error *err)
{
    struct aside aside = {.at = -1};
    const char *name;
    int status;

    aside.at = open_parent(path, place, &name);
    if (aside.at < 0)
        return errno == ELOOP ? rc_file_fail_open(err, path)
                              : rc_fail_errno(err, "cannot create '%s'", path);
    aside.name = rc_temporary_name(aside.at, name);
    status = aside.name ? write_aside(&aside, name, path, writer, err)
                        : rc_fail(err, RC_ENOMEM, "no memory to write '%s'", path);
    rc_temporary_forget(aside.name);
    close(aside.at);
    return status;
}

/* Closes 'fd', which may be -1 with errno set. */
static int write_through(int fd, const char *path, const struct rc_file_writer *writer,
                         struct rc_error *err)
{
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "wb");

    if (stream)
        return fill_stream(stream, path, writer, NULL, err);
    int status = rc_fail_errno(err, "cannot write '%s'", path);
    if (fd >= 0)
        close(fd);
    return status;
}

/* Opens without waiting: a pipe that nobody reads would keep us waiting for ever. */
static int write_device(const char *path, const struct rc_file_writer *writer,
                        struct rc_error *err)
{
    int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 && errno == ENXIO)
        return rc_fail(err, RC_EIO, "nobody reads from '%s'", path);
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return write_through(fd, path, writer, err);
}

/* Writes to the path that the user named, whatever it is; file.h says how. */
int rc_file_replace_by(const char *path, enum rc_file_place place,
                       const struct rc_file_writer *writer, struct rc_error *err)
{
    struct stat there, itself, ours;

    if (place != RC_FILE_GIVEN)
        return replace_file(path, place, writer, err);
    bool is_there = stat(path, &there) == 0;
    bool is_link = lstat(path, &itself) == 0 && S_ISLNK(itself.st_mode);
    if (!*path)
        return rc_fail(err, RC_EUSAGE, "'' is not a name, expected the name of a file");
    if (strcmp(path, "-") == 0) {
        fflush(stdout); /* earlier output comes first */
        return write_through(dup(STDOUT_FILENO), "-", writer, err);
    }
    if (!is_there && is_link)
        return rc_fail(err, RC_EUSAGE, "'%s' is a dangling link", path);
    if (!is_there)
        return replace_file(path, place, writer, err);
    /* Our own standard output or error, which "/dev/stdout" stands for: if it were
     * opened again, it would be written from its beginning.
     */
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &ours) == 0 && ours.st_dev == there.st_dev &&
            ours.st_ino == there.st_ino)
            return write_through(dup(fd), path, writer, err);
    if (S_ISCHR(there.st_mode) || S_ISFIFO(there.st_mode))
        return write_device(path, writer, err);
    if (!S_ISREG(there.st_mode))
        return rc_fail(err, RC_EUSAGE, "'%s' is a %s, expected a file", path,
                       sort_name(there.st_mode));
    if (!is_link)
        return replace_file(path, place, writer, err);
    /* The link stays, and the file that it leads to is replaced. */
    char *target = realpath(path, NULL);
    int status = target ? replace_file(target, place, writer, err)
                        : rc_fail_errno(err, "cannot write '%s'", path);
    free(target);
    return status;
}

int rc_file_replace(const char *path, enum rc_file_place place, const char *text,
                    size_t bytes, struct rc_error *err)
{
    struct text all = {text, bytes};
    const struct rc_file_writer writer = {write_text, &all};

    return rc_file_replace_by(path, place, &writer, err);
}

int rc_file_to_memory(char **text, size_t *bytes, const struct rc_file_writer *writer,
                      struct rc_error *err)
{
    FILE *out = open_memstream(text, bytes);

    if (!out)
        return rc_fail(err, RC_ENOMEM, "no memory for the output");
    const int status = writer->write(out, writer->context, err);
    const bool failed = ferror(out) != 0;
    if ((fclose(out) == 0 && !failed) || status != RC_OK)
        return status;
    return rc_fail(err, RC_ENOMEM, "no memory for the output");
}
