/* file.h - whole files, read and replaced */
#ifndef RC_BASE_FILE_H
#define RC_BASE_FILE_H

#include "campaign/base/error.h"

#include <stddef.h>

/* The whole of a file of at most 'most' bytes, with a 0 behind it; free() it.
 * On failure *text is NULL.
 */
int rc_file_read(const char *path, size_t most, char **text, size_t *bytes,
                 struct rc_error *err);

/* Writes a file aside, then puts it in place by renaming it: what was at 'path'
 * stays whole until the new file is, and nothing is left behind on failure.
 */
int rc_file_replace(const char *path, const char *text, size_t bytes,
                    struct rc_error *err);

#endif
