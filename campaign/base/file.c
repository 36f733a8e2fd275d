#include "campaign/base/file.h"

#include "campaign/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_stream(FILE *stream, const char *path, size_t most, char **text,
                       size_t *bytes, struct rc_error *err)
{
    size_t room = 0;

    do {
        if (rc_grow(text, 1, *bytes, &room))
            return rc_fail(err, RC_ENOMEM, "no memory to read '%s'", path);
        *bytes += fread(*text + *bytes, 1, room - *bytes, stream);
        if (ferror(stream))
            return rc_fail_errno(err, "cannot read '%s'", path);
        if (*bytes > most)
            return rc_fail(err, RC_EUSAGE, "%s: larger than the %zu MiB that are taken",
                           path, most >> 20);
    } while (!feof(stream));
    if (rc_grow(text, 1, *bytes, &room))
        return rc_fail(err, RC_ENOMEM, "no memory to read '%s'", path);
    (*text)[*bytes] = 0;
    return RC_OK;
}

int rc_file_read(const char *path, size_t most, char **text, size_t *bytes,
                 struct rc_error *err)
{
    FILE *stream = fopen(path, "rb");

    *text = NULL;
    *bytes = 0;
    if (!stream)
        return rc_fail_errno(err, "cannot open '%s'", path);
    int status = read_stream(stream, path, most, text, bytes, err);
    fclose(stream);
    if (status != RC_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

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

/* Writes all of it, and closes the stream; before that 'name' (may be NULL) is called
 * for a file that is whole.
 */
static int fill(FILE *stream, const char *path, const struct rc_file_writer *writer,
                bool sync, int (*name)(FILE *stream, const char *path),
                struct rc_error *err)
{
    int status = writer->write(stream, writer->context, err);

    if (status == RC_OK &&
        (fflush(stream) != 0 || ferror(stream) || (sync && fsync(fileno(stream)) != 0)))
        status = rc_fail_errno(err, "cannot write '%s'", path);
    if (status == RC_OK && name && name(stream, path) != 0)
        status = rc_fail_errno(err, "cannot create '%s'", path);
    if (fclose(stream) != 0 && status == RC_OK)
        status = rc_fail_errno(err, "cannot write '%s'", path);
    return status;
}

/* A file that has no name yet, in the directory of 'path': a kill leaves nothing of it.
 * NULL: not every file system has such.
 */
static FILE *open_nameless(const char *path)
{
    char *copy = strdup(path);
    int fd = -1;

    if (copy && access("/proc/self/fd", X_OK) == 0)
        fd = open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(copy);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (fd >= 0 && !stream)
        close(fd);
    return stream;
}

static int name_it(FILE *stream, const char *path)
{
    char open_as[64];

    snprintf(open_as, sizeof open_as, "/proc/self/fd/%d", fileno(stream));
    return linkat(AT_FDCWD, open_as, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

static int write_aside(const char *path, const char *aside,
                       const struct rc_file_writer *writer, struct rc_error *err)
{
    FILE *nameless = open_nameless(aside);
    FILE *stream = nameless ? nameless : fopen(aside, "wbx");

    if (!stream)
        return rc_fail_errno(err, "cannot create '%s'", aside);
    int status = fill(stream, aside, writer, true, nameless ? name_it : NULL, err);
    if (status == RC_OK && rename(aside, path) != 0)
        status = rc_fail_errno(err, "cannot put '%s' in place", path);
    if (status != RC_OK)
        unlink(aside);
    return status;
}

static int replace(const char *path, const struct rc_file_writer *writer,
                   struct rc_error *err)
{
    char *aside;

    if (asprintf(&aside, "%s.%ld.new", path, (long)getpid()) < 0)
        return rc_fail(err, RC_ENOMEM, "no memory to write '%s'", path);
    int status = write_aside(path, aside, writer, err);
    free(aside);
    return status;
}

/* Closes 'fd', which may be -1 with errno set. */
static int write_through(int fd, const char *path, const struct rc_file_writer *writer,
                         struct rc_error *err)
{
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "wb");

    if (stream)
        return fill(stream, path, writer, false, NULL, err);
    int status = rc_fail_errno(err, "cannot write '%s'", path);
    if (fd >= 0)
        close(fd);
    return status;
}

/* A pipe that nobody reads would keep us waiting for ever. */
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

static int replace_target(const char *link, const struct rc_file_writer *writer,
                          struct rc_error *err)
{
    char *target = realpath(link, NULL);
    int status = target ? replace(target, writer, err)
                        : rc_fail_errno(err, "cannot write '%s'", link);

    free(target);
    return status;
}

/* Our own standard output or error, which "/dev/stdout" stands for: opened anew,
 * a file would be written from its beginning once more.
 */
static int own_stream(const struct stat *there)
{
    struct stat info;

    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &info) == 0 && info.st_dev == there->st_dev &&
            info.st_ino == there->st_ino)
            return fd;
    return -1;
}

int rc_file_replace(const char *path, const char *text, size_t bytes,
                    struct rc_error *err)
{
    struct text all = {text, bytes};
    const struct rc_file_writer writer = {write_text, &all};

    return rc_file_replace_by(path, &writer, err);
}

int rc_file_replace_by(const char *path, const struct rc_file_writer *writer,
                       struct rc_error *err)
{
    struct stat there, itself;
    bool is_there = stat(path, &there) == 0;
    bool is_link = lstat(path, &itself) == 0 && S_ISLNK(itself.st_mode);

    if (!*path)
        return rc_fail(err, RC_EUSAGE, "'' is no name, expected that of a file");
    if (!is_there && is_link)
        return rc_fail(err, RC_EUSAGE, "'%s' is a link that leads nowhere", path);
    if (!is_there)
        return replace(path, writer, err);
    int own = own_stream(&there);
    if (own >= 0)
        return write_through(dup(own), path, writer, err);
    if (S_ISREG(there.st_mode))
        return is_link ? replace_target(path, writer, err) : replace(path, writer, err);
    if (S_ISCHR(there.st_mode) || S_ISFIFO(there.st_mode))
        return write_device(path, writer, err);
    return rc_fail(err, RC_EUSAGE, "'%s' is a %s, expected a file", path,
                   S_ISDIR(there.st_mode)   ? "directory"
                   : S_ISBLK(there.st_mode) ? "disk"
                                            : "socket");
}
