/* help_parts.h - the forms of help: inside of help*.c only */
#ifndef RC_CAMPAIGN_CLI_HELP_PARTS_H
#define RC_CAMPAIGN_CLI_HELP_PARTS_H

#include "campaign/cli/args.h"

/* The files help.txt and completion.bash of this folder. */
extern const char rc_help_texts[], rc_help_completion[];

/* A section of help.txt, "NAME" and 'part': "run", " examples".  Where there is none it
 * is empty.
 */
enum { RC_HELP_SECTION = 8192 }; /* bytes, more than the longest has */
const char *rc_help_section(const char *name, const char *part,
                            char out[RC_HELP_SECTION]);

/* A man page on the standard output: of a command, or of the program (NULL), which has
 * these commands. */
void rc_help_man(const struct rc_command *const *commands,
                 const struct rc_command *command);

/* The completion for bash, likewise. */
void rc_help_bash(const struct rc_command *const *commands);

#endif
