/* tell.h - lines for people, on the standard error, and how many of them are wanted */
#ifndef RC_CAMPAIGN_CLI_TELL_H
#define RC_CAMPAIGN_CLI_TELL_H

#include "campaign/base/error.h"

/* Level of the process: main() sets it by -q and -v.  Errors and results are always
 * shown.
 */
enum rc_tell_level {
    RC_TELL_QUIET,  /* no remarks and no progress, only errors */
    RC_TELL_NORMAL, /* the default */
    RC_TELL_VERBOSE /* details, too: the time of each stage, each unit that failed */
};
void rc_tell_set_level(enum rc_tell_level level);
enum rc_tell_level rc_tell_level(void);

/* Prints "rollcall: LINE", a remark.  Commands pass it to modules below them. */
void rc_tell(const char *line);

/* Prints "rollcall COMMAND: what failed", for main(); 'command' may be NULL.  In a team
 * of more than one ('size') the rank is named, too.
 */
void rc_tell_failure(const char *command, const struct rc_error *err, int size);

/* Keeps files that are opened from getting the numbers of closed streams, into which
 * messages would then be written.  Writing to such a stream still fails.
 */
void rc_tell_open_streams(void);

#endif
