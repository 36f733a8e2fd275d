/* help_parts.h - the forms of help: for help*.c only */
#ifndef RC_CAMPAIGN_CLI_HELP_PARTS_H
#define RC_CAMPAIGN_CLI_HELP_PARTS_H

#include "campaign/cli/args.h"

/* The files help.txt and completion.bash of this folder. */
extern const char rc_help_texts[], rc_help_completion[];

/* The section "NAME" and 'part' of help.txt: "run", " examples".  Empty if there is
 * none.
 */
enum { RC_HELP_SECTION = 8192 }; /* bytes, more than the longest needs */
const char *rc_help_section(const char *name, const char *part,
                            char out[RC_HELP_SECTION]);

/* Prints a man page: of a command, or of the program with these commands (NULL). */
void rc_help_man(const struct rc_command *const *commands,
                 const struct rc_command *command);

/* Prints the completion for bash. */
void rc_help_bash(const struct rc_command *const *commands);

#endif
