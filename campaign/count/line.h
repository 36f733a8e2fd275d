/* line.h - how far a program is that is stepped, on a terminal that is also its own
 *
 * The line stands there between what the program prints, never in the midst of it: it
 * is taken away before each system call, and not drawn while a line of the program's is
 * not ended.  What the program reads and writes is untouched.
 */
#ifndef RC_CAMPAIGN_COUNT_LINE_H
#define RC_CAMPAIGN_COUNT_LINE_H

#include "campaign/base/program.h"

struct rc_count_line; /* opaque */

/* Whether there is a line: the standard error is a terminal, and people want remarks.
 */
bool rc_count_line_open(struct rc_count_line **out);

/* For rc_program.watch; as long as the line is open. */
const struct rc_program_watch *rc_count_line_watch(const struct rc_count_line *line);

/* Takes it away; accepts NULL. */
void rc_count_line_close(struct rc_count_line *line);

#endif
