/* path.h - names of files made of parts */
#ifndef RC_CAMPAIGN_BASE_FILES_PATH_H
#define RC_CAMPAIGN_BASE_FILES_PATH_H

#include "campaign/base/error.h"

#include <stddef.h>

/* Prints a path into 'out', which holds 'room' bytes (PATH_MAX as a rule):
 *
 *     char path[PATH_MAX];
 *     int status = rc_path(path, sizeof path, err, "%s/campaign.h5", dir);
 *
 * RC_EUSAGE where it is too long for 'out': the line names its beginning, and 'out' is
 * "", which opens nothing.  A caller whose directory was found short enough before may
 * pass NULL for 'err' and need not check the status.
 */
int rc_path(char *out, size_t room, struct rc_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
