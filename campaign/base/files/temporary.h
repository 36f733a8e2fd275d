/* temporary.h - files that grow under a name of their own until they are whole */
#ifndef RC_CAMPAIGN_BASE_FILES_TEMPORARY_H
#define RC_CAMPAIGN_BASE_FILES_TEMPORARY_H

#include <stdbool.h>

enum { RC_TEMPORARY_BYTES = sizeof ".rc-XXXXXX.new" }; /* more than PATH */

/* A name beside 'path' that nobody else has chosen, "PATH.rc-XXXXXX.new"; the file is
 * to be made with O_EXCL.  'path' may begin in the directory 'at', which stays open
 * until rc_temporary_forget(); else 'at' is AT_FDCWD.  Until then a signal that ends
 * the process and that nobody has caught or ignored before (SIGINT, SIGTERM, SIGPIPE,
 * ...) removes the file first.  NULL: no memory.
 */
char *rc_temporary_name(int at, const char *path);

/* To be called when the file was removed or has got its right name; frees 'name'. */
void rc_temporary_forget(char *name); /* accepts NULL */

/* Whether a file's name, without its directory, is such a name, or one that earlier
 * versions gave to campaign.h5, metrics.h5 and report.html until they were whole.
 */
bool rc_temporary_is(const char *name);

#endif
