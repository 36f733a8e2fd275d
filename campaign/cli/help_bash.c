/* The completion for bash, from the table of commands: words that may stand next are
 * the commands, the options of the command, or the few arguments that an option takes;
 * else files.
 */
#include "campaign/cli/help_parts.h"

#include "campaign/base/version.h"

#include <stdio.h>

/* A case for each option of the command whose argument is one of a few words. */
static void bash_arguments(const struct rc_command *command)
{
    for (size_t i = 0; command->options[i]; i++) {
        const struct rc_option *o = command->options[i];
        if (!o->words)
            continue;
        printf("    %s:--%s) mapfile -t COMPREPLY < <(compgen -W '", command->name,
               o->name);
        for (size_t w = 0; o->words[w]; w++)
            printf("%s%s", w ? " " : "", o->words[w]);
        printf("' -- \"$word\"); return ;;\n");
    }
}

void rc_help_bash(const struct rc_command *const *all)
{
    printf("# bash completion for rollcall %s, made by 'rollcall help --format bash'\n"
           "_rollcall() {\n"
           "  local word=\"${COMP_WORDS[COMP_CWORD]}\" "
           "before=\"${COMP_WORDS[COMP_CWORD-1]}\""
           " words=''\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='",
           RC_VERSION);
    for (size_t i = 0; all[i]; i++)
        printf("%s ", all[i]->name);
    printf("--help --version'\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n    "
           "return\n  fi\n"
           "  case \"${COMP_WORDS[1]}:$before\" in\n");
    for (size_t i = 0; all[i]; i++)
        bash_arguments(all[i]);
    printf("    help:help) words='");
    for (size_t i = 0; all[i]; i++)
        printf("%s ", all[i]->name);
    printf("'\n      mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n    "
           "  return ;;\n"
           "  esac\n  case \"${COMP_WORDS[1]}\" in\n");
    for (size_t i = 0; all[i]; i++) {
        printf("    %s) words='", all[i]->name);
        for (size_t o = 0; all[i]->options[o]; o++)
            printf("--%s ", all[i]->options[o]->name);
        printf("--help' ;;\n");
    }
    printf("  esac\n"
           "  if [[ \"$word\" == -* ]]; then\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "  else\n    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n  fi\n}\n"
           "complete -o filenames -F _rollcall rollcall\n");
}
