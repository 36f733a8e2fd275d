/* Completion for bash: completion.bash with lists from the table of commands.  It
 * offers the commands, the options of the command, or an option's well-known arguments;
 * else files.
 */
#include "campaign/cli/help_parts.h"

#include "campaign/base/version.h"
#include "jobs/fill.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Prints a case for each option of the command that has a list of valid or well-known
 * arguments, which may be given with commas; kinds are looked up.
 */
static void bash_arguments(const struct rc_command *command)
{
    for (size_t i = 0; command->options[i]; i++) {
        const struct rc_option *o = command->options[i];
        const bool kinds = strcmp(o->name, "kind") == 0;
        const char *word;
        if (!o->words && !o->hint && !kinds)
            continue;
        printf("    %s:--%s", command->name, o->name);
        if (o->letter)
            printf("|%s:-%c", command->name, o->letter);
        printf(") %s", o->words ? "_rollcall_words '" : "_rollcall_list '");
        for (size_t w = 0; (word = o->words  ? o->words[w]
                                   : o->hint ? o->hint(w)
                                             : NULL);
             w++)
            printf("%s%s", w ? " " : "", word);
        printf("'%s; return ;;\n", kinds ? "\"$(_rollcall_kinds)\"" : "");
    }
}

/* Prints the names of all commands, in the order of the table. */
static void bash_commands(const struct rc_command *const *all)
{
    for (; *all; all++)
        printf("%s ", (*all)->name);
}

/* Prints a case for each command: the names of its options. */
static void bash_options(const struct rc_command *command)
{
    printf("    %s) words='", command->name);
    for (size_t o = 0; command->options[o]; o++)
        printf("--%s ", command->options[o]->name);
    printf("--help' ;;\n");
}

void rc_help_bash(const struct rc_command *const *all)
{
    char name[RC_FILL_NAME];
    const char *at = rc_help_completion;

    for (const char *behind; (behind = rc_fill_next(at, name)); at = behind) {
        printf("%.*s",
               (int)(behind - at - (ptrdiff_t)strlen("{{}}") - (ptrdiff_t)strlen(name)),
               at);
        if (strcmp(name, "version") == 0)
            printf("%s", RC_VERSION);
        else if (strcmp(name, "commands") == 0)
            bash_commands(all);
        for (size_t i = 0; all[i]; i++)
            if (strcmp(name, "arguments") == 0)
                bash_arguments(all[i]);
            else if (strcmp(name, "options") == 0)
                bash_options(all[i]);
    }
    fputs(at, stdout);
}
