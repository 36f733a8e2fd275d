/* line.h - shows the progress of a stepped program on the terminal that it also uses
 *
 * The line appears between the program's lines, never inside of one: it is removed
 * before each system call, and not drawn while a line of the program is not ended.  The
 * program's input and output are untouched.
 */
#ifndef RC_CAMPAIGN_COUNT_LINE_H
#define RC_CAMPAIGN_COUNT_LINE_H

#include "campaign/base/program.h"

struct rc_count_line; /* opaque */

/* False: no line, since the standard error is not a terminal, or --quiet is set. */
bool rc_count_line_open(struct rc_count_line **out);

/* For rc_program.watch; as long as the line is open. */
const struct rc_program_watch *rc_count_line_watch(const struct rc_count_line *line);

/* Removes the line; accepts NULL. */
void rc_count_line_close(struct rc_count_line *line);

#endif
