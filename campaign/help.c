/* The help command: text for people, man pages and bash completion, all from
 * the table of commands.
 */
#include "campaign/commands.h"

#include "campaign/base/words.h"
#include "campaign/version.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT_TEXT, FORMAT_MAN, FORMAT_BASH, FORMAT_NAMES };
static const char *const formats[] = {"text", "man", "bash", "names", NULL};

static const struct rc_option option_format = {
    .name = "format",
    .argument = "FORMAT",
    .words = formats,
    .summary = "text (default), man (a man page), bash (completion) or names (of all "
               "commands)"};
static const struct rc_option *const options[] = {&option_format, NULL};

static const char about[] =
    "rollcall calls the roll of every hardware event of a machine. It runs kernels "
    "whose work is known exactly, counts every event over them on every core and node "
    "it is given, and works out what each event really measures.";

static const char common[] =
    "Results go to the standard output, messages to the standard error.";

static const char usual_exits[] =
    "0 done and complete, 1 failed, 2 wrong usage, 3 done but incomplete.";

/* One paragraph, broken at blanks to fit 'width' columns. */
static void wrap(const char *text, int indent, int width)
{
    int column = 0;

    while (*text) {
        if (*text == '\n') {
            putchar('\n');
            column = 0;
            text++;
            continue;
        }
        int length = (int)strcspn(text, " \n");
        if (column && column + 1 + length > width - indent) {
            putchar('\n');
            column = 0;
        }
        printf("%*s%.*s", column ? 1 : indent, "", length, text);
        column += length + (column ? 1 : 0);
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void option_words(char *out, size_t room, const struct rc_option *option)
{
    char letter[8] = "    ";

    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(out, room, "%s--%s%s%s%s", letter, option->name,
             option->argument ? " " : "", option->argument ? option->argument : "",
             option->repeats ? "..." : "");
}

static void text_command(const struct rc_command *command)
{
    char words[80];

    printf("rollcall %s: %s\n\n  rollcall %s [options]%s%s\n\n", command->name,
           command->summary, command->name, command->operands[0] ? " " : "",
           command->operands);
    wrap(command->description, 0, 80);
    printf("\nOptions:\n");
    for (size_t i = 0; command->options[i]; i++) {
        option_words(words, sizeof words, command->options[i]);
        printf("  %s\n", words);
        wrap(command->options[i]->summary, 10, 80);
    }
    printf("  -h, --help\n          prints this\n");
    if (command->examples)
        printf("\nExamples:\n%s", command->examples);
    printf("\n%s\nExit status: %s\n", common,
           command->exits ? command->exits : usual_exits);
}

static void text_overview(void)
{
    const struct rc_command *const *all = rc_commands();

    printf("rollcall %s\n\n", RC_VERSION);
    wrap(about, 0, 80);
    printf("\n  rollcall COMMAND [options]\n\nCommands:\n");
    for (size_t i = 0; all[i]; i++)
        printf("  %-8s %s\n", all[i]->name, all[i]->summary);
    printf("\n'rollcall help COMMAND' explains one. %s\nExit status: %s\n", common,
           usual_exits);
}

/* Text for troff: '\' and '-' protected, lines never begin with a request. */
static void roff(const char *text)
{
    bool line_start = true;

    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        line_start = *text == '\n';
    }
}

static void roff_description(const char *text)
{
    for (const char *end; (end = strstr(text, "\n\n")); text = end + 2) {
        char paragraph[4096];
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)(end - text), text);
        roff(paragraph);
        printf("\n.PP\n");
    }
    roff(text);
    putchar('\n');
}

static void man_head(const char *name, const char *summary)
{
    printf(".TH \"%s\" 1 \"\" \"rollcall %s\" \"rollcall\"\n.SH NAME\n", name,
           RC_VERSION);
    roff(name);
    printf(" \\- ");
    roff(summary);
    printf("\n.SH SYNOPSIS\n");
}

static void man_tail(const char *exits)
{
    printf(".SH EXIT STATUS\n");
    roff(exits
             ? exits
             : "0 done and complete, 1 failed, 2 wrong usage, 3 done but incomplete.");
    putchar('\n');
}

static void man_command(const struct rc_command *command)
{
    char name[64], words[80];

    snprintf(name, sizeof name, "rollcall-%s", command->name);
    man_head(name, command->summary);
    printf(".B rollcall %s\n[options] ", command->name);
    roff(command->operands);
    printf("\n.SH DESCRIPTION\n");
    roff_description(command->description);
    printf(".SH OPTIONS\n");
    for (size_t i = 0; command->options[i]; i++) {
        option_words(words, sizeof words, command->options[i]);
        printf(".TP\n");
        roff(words + strspn(words, " "));
        putchar('\n');
        roff(command->options[i]->summary);
        putchar('\n');
    }
    if (command->examples) {
        printf(".SH EXAMPLES\n.nf\n");
        roff(command->examples);
        printf(".fi\n");
    }
    man_tail(command->exits);
    printf(".SH SEE ALSO\n.BR rollcall (1)\n");
}

static void man_overview(void)
{
    const struct rc_command *const *all = rc_commands();

    man_head("rollcall", "characterizes the hardware events of whole machines");
    printf(".B rollcall\nCOMMAND [options]\n.SH DESCRIPTION\n");
    roff_description(about);
    printf(".SH COMMANDS\n");
    for (size_t i = 0; all[i]; i++) {
        printf(".TP\n.BR rollcall-%s (1)\n", all[i]->name);
        roff(all[i]->summary);
        putchar('\n');
    }
    man_tail(NULL);
}

static void bash_options(const struct rc_command *command)
{
    printf("    %s) words='", command->name);
    for (size_t i = 0; command->options[i]; i++)
        printf("--%s ", command->options[i]->name);
    printf("--help' ;;\n");
}

/* Arguments that are one of a few words, and files. */
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

static void bash_completion(void)
{
    const struct rc_command *const *all = rc_commands();

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
    for (size_t i = 0; all[i]; i++)
        bash_options(all[i]);
    printf("  esac\n"
           "  if [[ \"$word\" == -* ]]; then\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
           "  else\n    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n  fi\n}\n"
           "complete -o filenames -F _rollcall rollcall\n");
}

static void names(void)
{
    const struct rc_command *const *all = rc_commands();

    for (size_t i = 0; all[i]; i++)
        printf("%s\n", all[i]->name);
}

static int help_run(struct rc_session *session, const struct rc_args *args,
                    struct rc_error *err)
{
    const char *word = rc_args_value(args, &option_format);
    int format = word ? rc_word_find(word, formats) : FORMAT_TEXT;
    const struct rc_command *command = NULL;

    (void)session;
    if (args->wants_help)
        command = args->command == &rc_command_version ? NULL : args->command;
    else if (args->operand_count > 0) {
        command = rc_command_find(args->operands[0]);
        if (!command)
            return rc_command_unknown(args->operands[0], err);
    }
    if (format == FORMAT_BASH)
        bash_completion();
    else if (format == FORMAT_NAMES)
        names();
    else if (format == FORMAT_MAN && command)
        man_command(command);
    else if (format == FORMAT_MAN)
        man_overview();
    else if (command)
        text_command(command);
    else
        text_overview();
    return RC_OK;
}

const struct rc_command rc_command_help = {
    .name = "help",
    .summary = "lists the commands, or explains one",
    .operands = "[COMMAND]",
    .operands_most = 1,
    .description = "Without an operand, lists the commands. With one, explains that "
                   "command and its options. The man pages and the completion for bash "
                   "are made by this command too, from the same table.",
    .examples = "  rollcall help events\n"
                "  rollcall help --format man plan | man -l -\n"
                "  rollcall help --format bash > ~/.local/share/bash-completion/"
                "completions/rollcall\n",
    .options = options,
    .mpi = RC_MPI_NONE,
    .run = help_run,
};
