/* help_parts.h - the forms of help: inside of help*.c only */
#ifndef RC_CAMPAIGN_CLI_HELP_PARTS_H
#define RC_CAMPAIGN_CLI_HELP_PARTS_H

#include "campaign/cli/args.h"

/* What the program is, in a paragraph. */
extern const char rc_help_about[];

/* "-o, --output DIR", with four blanks in place of a letter that there is not. */
void rc_help_option(char *out, size_t room, const struct rc_option *option);

/* A man page on the standard output: of a command, or of the program (NULL), which has
 * these commands. */
void rc_help_man(const struct rc_command *const *commands,
                 const struct rc_command *command);

/* The completion for bash, likewise. */
void rc_help_bash(const struct rc_command *const *commands);

#endif
