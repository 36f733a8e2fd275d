/* help_parts.h - the forms of help: inside of help*.c only */
#ifndef RC_CAMPAIGN_CLI_HELP_PARTS_H
#define RC_CAMPAIGN_CLI_HELP_PARTS_H

#include "campaign/cli/args.h"

/* What the program is, in a paragraph. */
extern const char rc_help_about[];

/* A man page on the standard output: of a command, or of the program (NULL), which has
 * these commands. */
void rc_help_man(const struct rc_command *const *commands,
                 const struct rc_command *command);

/* The completion for bash, likewise. */
void rc_help_bash(const struct rc_command *const *commands);

#endif
