#include "campaign/base/file.h"

#include "campaign/base/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

static int write_aside(const char *path, const char *aside, const char *text,
                       size_t bytes, struct rc_error *err)
{
    FILE *stream = fopen(aside, "wbx");

    if (!stream)
        return rc_fail_errno(err, "cannot create '%s'", aside);
    bool failed = fwrite(text, 1, bytes, stream) != bytes || fflush(stream) != 0 ||
                  fsync(fileno(stream)) != 0;
    int status = failed ? rc_fail_errno(err, "cannot write '%s'", aside) : RC_OK;
    if (fclose(stream) != 0 && status == RC_OK)
        status = rc_fail_errno(err, "cannot write '%s'", aside);
    if (status == RC_OK && rename(aside, path) != 0)
        status = rc_fail_errno(err, "cannot put '%s' in place", path);
    if (status != RC_OK)
        unlink(aside);
    return status;
}

int rc_file_replace(const char *path, const char *text, size_t bytes,
                    struct rc_error *err)
{
    char *aside;

    if (asprintf(&aside, "%s.%ld.new", path, (long)getpid()) < 0)
        return rc_fail(err, RC_ENOMEM, "no memory to write '%s'", path);
    int status = write_aside(path, aside, text, bytes, err);
    free(aside);
    return status;
}
