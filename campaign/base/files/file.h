/* file.h - whole files, read and replaced */
#ifndef RC_CAMPAIGN_BASE_FILES_FILE_H
#define RC_CAMPAIGN_BASE_FILES_FILE_H

#include "campaign/base/error.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Whose a path is.  One that the user gave may lead over links.  A campaign's directory
 * may be a stranger's: DIR itself may be or be behind a link, but in it none is
 * followed.
 */
enum rc_file_place {
    RC_FILE_GIVEN,
    RC_FILE_IN,   /* the last name is one in the directory: DIR/log.txt */
    RC_FILE_BELOW /* the last two are: DIR/journal/NODE.rcj */
};

/* As open(2) with mode 0666, never waiting, and only of a regular file, or with
 * O_DIRECTORY of a directory; of what was given a pipe that has no name is taken, too
 * (the shell's <(...)).  -1: errno is ELOOP for a link that is not followed, EISDIR for
 * a directory, ENXIO for what is no file either; rc_file_fail_open() says it.
 */
int rc_file_open(const char *path, enum rc_file_place place, int flags);
int rc_file_fail_open(struct rc_error *err, const char *path);
DIR *rc_file_open_directory(const char *path, enum rc_file_place place); /* or NULL */

/* The whole of a file of at most 'most' bytes, with a 0 behind it; free() it.
 * On failure *text is NULL.  A pipe through which nothing comes for a minute is RC_EIO.
 */
int rc_file_read(const char *path, enum rc_file_place place, size_t most, char **text,
                 size_t *bytes, struct rc_error *err);

/* Writes a file aside, then puts it in place by renaming it: what was at 'path'
 * stays whole until the new file is, and nothing is left behind on failure.  A regular
 * file that is replaced keeps its mode, and its owner and group where we may give them;
 * access lists and other attributes go.
 *
 * In a campaign's directory a link, pipe or device is replaced itself.  Of a link that
 * was given the file that it leads to is replaced, and the link stays; one that leads
 * nowhere is RC_EUSAGE.  Terminals, pipes and other such devices that were given, and
 * what is our own standard output or error, are written to as they are; a pipe that
 * nobody reads is RC_EIO.  Directories, sockets and disks are RC_EUSAGE.  "-" that was
 * given is the standard output.
 */
int rc_file_replace(const char *path, enum rc_file_place place, const char *text,
                    size_t bytes, struct rc_error *err);

/* The same for what 'write' writes to the stream that it is given, of any size.  It
 * returns RC_OK or fails, and leaves errors of the stream to the caller.
 */
struct rc_file_writer {
    int (*write)(FILE *out, void *context, struct rc_error *err);
    void *context;
};
int rc_file_replace_by(const char *path, enum rc_file_place place,
                       const struct rc_file_writer *writer, struct rc_error *err);

/* The same into memory, with a 0 behind it; free() *text in any case. */
int rc_file_to_memory(char **text, size_t *bytes, const struct rc_file_writer *writer,
                      struct rc_error *err);

/* Gives the open, new file the mode, owner and group of the regular file at 'path' that
 * it will replace, if there is one; 'also' are rights that are needed until then.
 */
void rc_file_keep_mode(int fd, const char *path, mode_t also);

#endif
