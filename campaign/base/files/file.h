/* file.h - whole files, read and replaced */
#ifndef RC_CAMPAIGN_BASE_FILES_FILE_H
#define RC_CAMPAIGN_BASE_FILES_FILE_H

#include "campaign/base/error.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* The origin of a path.  One that the user gave may lead over links.  A campaign's
 * directory may be a stranger's: DIR itself may be a link or be reached over one, but
 * in it none is followed.
 */
enum rc_file_place {
    RC_FILE_GIVEN,
    RC_FILE_IN,   /* the last name is one in the directory: DIR/log.txt */
    RC_FILE_BELOW /* the last two are: DIR/journal/NODE.rcj */
};

/* As open(2) with mode 0666, but never waits, and opens only a regular file, or a
 * directory with O_DIRECTORY.  A path that was given may also be a pipe without a name
 * (the shell's <(...)).  -1: errno is ELOOP for a link that is not followed, EISDIR for
 * a directory, ENXIO for anything else; rc_file_fail_open() makes the error of it.
 */
int rc_file_open(const char *path, enum rc_file_place place, int flags);
int rc_file_fail_open(struct rc_error *err, const char *path);
DIR *rc_file_open_directory(const char *path, enum rc_file_place place); /* or NULL */

/* Reads a whole file of at most 'most' bytes and ends the text with a 0; free() it.  On
 * failure *text is NULL.  A pipe through which nothing comes for a minute is RC_EIO.
 */
int rc_file_read(const char *path, enum rc_file_place place, size_t most, char **text,
                 size_t *bytes, struct rc_error *err);

/* Writes a file aside, then puts it in place by renaming it: the old file stays whole
 * until the new one is, and a failure leaves nothing of the new one.  A regular file
 * that is replaced keeps its mode, and its owner and group where we may give them;
 * access lists and other attributes go.
 *
 * In a campaign's directory a link, pipe or device is replaced itself.  A link that was
 * given stays, and the file that it leads to is replaced; one that leads nowhere is
 * RC_EUSAGE.  Terminals, pipes and other such devices that were given, and our own
 * standard output or error, are written to as they are; a pipe that nobody reads is
 * RC_EIO.  Directories, sockets and disks are RC_EUSAGE.  "-" that was given is the
 * standard output.
 */
int rc_file_replace(const char *path, enum rc_file_place place, const char *text,
                    size_t bytes, struct rc_error *err);

/* The same for the data, of any size, that 'write' writes to the stream it is given.
 * It returns RC_OK or fails, and leaves errors of the stream to the caller.
 */
struct rc_file_writer {
    int (*write)(FILE *out, void *context, struct rc_error *err);
    void *context;
};
int rc_file_replace_by(const char *path, enum rc_file_place place,
                       const struct rc_file_writer *writer, struct rc_error *err);

/* The same into memory, ended by a 0; free() *text in any case. */
int rc_file_to_memory(char **text, size_t *bytes, const struct rc_file_writer *writer,
                      struct rc_error *err);

/* Gives the open, new file the mode, owner and group of the regular file at 'path' that
 * it will replace, if there is one; 'also' are permissions that are needed until then.
 */
void rc_file_keep_mode(int fd, const char *path, mode_t also);

#endif
