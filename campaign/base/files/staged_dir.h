/* staged_dir.h - results that grow in a directory of their own until they are whole */
#ifndef RC_CAMPAIGN_BASE_FILES_STAGED_DIR_H
#define RC_CAMPAIGN_BASE_FILES_STAGED_DIR_H

#include "campaign/base/error.h"

/* The stage is a directory beside the place of the results or in it, on the same file
 * system, under a name that is ours alone: its maker holds the lock of the campaign's
 * directory that it is for.
 *
 *     status = rc_staged_dir_make(stage, err);
 *     ... files are written to 'stage' ...
 *     status = rc_staged_dir_place(stage, names, dir, err);
 *     rc_staged_dir_remove(stage);    after success and failure
 */

/* Makes an empty directory at 'path'; leavings of a process that was killed go. */
int rc_staged_dir_make(const char *path, struct rc_error *err);

/* Renames the 'names' (ended by NULL) in the stage into 'dir', in this order: files
 * that can be made again from others come first.  A name that is missing, or a
 * directory that is in its way, is a failure; the names before it are in place then.
 */
int rc_staged_dir_place(const char *path, const char *const *names, const char *dir,
                        struct rc_error *err);

/* Removes the directory with all that is in it, as far as permissions go.  No link is
 * followed, not even 'path' itself; a 'path' that does not exist is fine.
 */
void rc_staged_dir_remove(const char *path);

#endif
