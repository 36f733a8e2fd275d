/* file.h - whole files, read and replaced */
#ifndef RC_BASE_FILE_H
#define RC_BASE_FILE_H

#include "campaign/base/error.h"

#include <stddef.h>
#include <stdio.h>

/* The whole of a file of at most 'most' bytes, with a 0 behind it; free() it.
 * On failure *text is NULL.
 */
int rc_file_read(const char *path, size_t most, char **text, size_t *bytes,
                 struct rc_error *err);

/* Writes a file aside, then puts it in place by renaming it: what was at 'path'
 * stays whole until the new file is, and nothing is left behind on failure.
 *
 * Of a link the file that it leads to is replaced, and the link stays; one that
 * leads nowhere is RC_EUSAGE.  Terminals, pipes and other such devices, and what is
 * our own standard output or error, are written to as they are; a pipe that
 * nobody reads is RC_EIO.  Directories, sockets and disks are RC_EUSAGE.
 */
int rc_file_replace(const char *path, const char *text, size_t bytes,
                    struct rc_error *err);

/* The same for what 'write' writes to the stream that it is given, of any size.  It
 * returns RC_OK or fails, and leaves errors of the stream to the caller.
 */
struct rc_file_writer {
    int (*write)(FILE *out, void *context, struct rc_error *err);
    void *context;
};
int rc_file_replace_by(const char *path, const struct rc_file_writer *writer,
                       struct rc_error *err);

#endif
