/* The completion for bash, from the table of commands: words that may stand next are
 * the commands, the options of the command, or the few arguments that an option takes;
 * else files.
 */
#include "campaign/cli/help_parts.h"

#include "campaign/base/version.h"

#include <stdio.h>
#include <string.h>

/* A case for each option of the command whose argument is one of a few words, or of
 * those that are well known, with commas between; kinds are asked for.
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

void rc_help_bash(const struct rc_command *const *all)
{
    printf("# bash completion for rollcall %s, made by 'rollcall help --format bash'\n"
           "_rollcall_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- "
           "\"$word\"); }\n"
           "_rollcall_list() {\n"
           "  local last=\"${word##*,}\"\n"
           "  mapfile -t COMPREPLY < <(compgen -P \"${word%%\"$last\"}\" -W \"$1\" -- "
           "\"$last\")\n}\n"
           "_rollcall_kinds() {\n  local dir\n"
           "  for dir in \"${COMP_WORDS[@]:2}\"; do\n"
           "    [ ! -d \"$dir/journal\" ] || \"${COMP_WORDS[0]}\" status \"$dir\" "
           "--format csv "
           "2>/dev/null |\n      sed 1d | cut -d, -f1 | sort -u | tr '\\n' ' '\n"
           "  done\n}\n"
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
