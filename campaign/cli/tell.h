/* tell.h - lines for people, on the standard error, and how many of them are wanted */
#ifndef RC_CAMPAIGN_CLI_TELL_H
#define RC_CAMPAIGN_CLI_TELL_H

#include "campaign/base/error.h"

/* Of the process: main() sets it by -q and -v.  Errors and results are never kept. */
enum rc_tell_level {
    RC_TELL_QUIET,  /* no remarks and no progress, only what is wrong */
    RC_TELL_NORMAL, /* as long as nobody says otherwise */
    RC_TELL_VERBOSE /* details, too: what takes which time, each unit that failed */
};
void rc_tell_set_level(enum rc_tell_level level);
enum rc_tell_level rc_tell_level(void);

/* "rollcall: LINE", a remark.  For commands, that modules below them are given it. */
void rc_tell(const char *line);

/* "rollcall COMMAND: what failed", for main(); 'command' may be NULL.  Of a team of
 * more than one 'size' the rank is named, too.
 */
void rc_tell_failure(const char *command, const struct rc_error *err, int size);

/* Files that are opened must not get the numbers of streams that were closed: what
 * is said would be written into them.  Writing to such a stream fails, as before.
 */
void rc_tell_open_streams(void);

#endif
