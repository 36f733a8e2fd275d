/* The help command: text for people; help_man.c and help_bash.c make man pages and bash
 * completion from the same table of commands.
 */
#include "campaign/cli/commands.h"
#include "campaign/cli/help_parts.h"

#include "campaign/base/version.h"
#include "campaign/base/words.h"
#include "io/text/terminal.h"

#include <stdio.h>
#include <string.h>

enum { FORMAT_TEXT, FORMAT_MAN, FORMAT_BASH, FORMAT_NAMES };
static const char *const formats[] = {"text", "man", "bash", "names", NULL};

static RC_OPTION(
    option_format, "format", "FORMAT",
    "text (default), man (a man page), bash (completion) or names (of all commands)",
    .words = formats);
static RC_OPTIONS(options, &option_format);

static const char common[] =
    "Results go to the standard output, messages to the standard error.";

static const char usual_exits[] =
    "0 done and complete, 1 failed, 2 wrong usage, 3 done but incomplete.";

/* Prints paragraphs, with empty lines between, indented by 'indent' in lines of 80
 * columns.
 */
static void print_wrapped(const char *text, size_t indent)
{
    struct rc_page page = {
        .out = stdout, .width = 80, .whole = true, .indent = indent, .hang = indent};

    for (const char *end; *text; text = end + (*end == '\n')) {
        end = strchrnul(text, '\n');
        if (end == text) {
            rc_page_end(&page);
            putchar('\n');
        }
        rc_page_words(&page, "%.*s", (int)(end - text), text);
    }
    rc_page_end(&page);
}

static void text_command(const struct rc_command *command)
{
    char text[RC_HELP_SECTION];

    printf("rollcall %s: %s\n\n  rollcall %s [options]%s%s\n\n", command->name,
           command->summary, command->name, command->operands[0] ? " " : "",
           command->operands);
    print_wrapped(rc_help_section(command->name, "", text), 0);
    printf("\nOptions:\n");
    for (size_t i = 0; command->options[i]; i++) {
        const struct rc_option *o = command->options[i];
        const char letter[] = {'-', o->letter, ',', ' ', '\0'};
        printf("  %s--%s%s%s%s\n", o->letter ? letter : "    ", o->name,
               o->argument ? " " : "", o->argument ? o->argument : "",
               o->repeats ? "..." : "");
        print_wrapped(o->summary, 10);
    }
    printf("  -h, --help\n          prints this\n");
    if (rc_help_section(command->name, " examples", text)[0])
        printf("\nExamples:\n%s", text);
    printf("\n%s\nExit status: %s\n", common,
           command->exits ? command->exits : usual_exits);
}

static int help_run(struct rc_session *session, const struct rc_args *args,
                    struct rc_error *err)
{
    const char *word = rc_args_value(args, &option_format);
    int format = word ? rc_word_find(word, formats) : FORMAT_TEXT;
    const struct rc_command *command = NULL;
    char text[RC_HELP_SECTION];

    if (args->wants_help)
        command = args->command == &rc_command_version ? NULL : args->command;
    else if (args->operand_count > 0) {
        command = rc_command_find(session->commands, args->operands[0]);
        if (!command)
            return rc_command_unknown(session->commands, args->operands[0], err);
    }
    if (format == FORMAT_BASH)
        rc_help_bash(session->commands);
    else if (format == FORMAT_NAMES)
        for (size_t i = 0; session->commands[i]; i++)
            printf("%s\n", session->commands[i]->name);
    else if (format == FORMAT_MAN)
        rc_help_man(session->commands, command);
    else if (command)
        text_command(command);
    else {
        printf("rollcall %s\n\n", RC_VERSION);
        print_wrapped(rc_help_section("about", "", text), 0);
        printf("\n  rollcall COMMAND [options]\n\nCommands:\n");
        for (size_t i = 0; session->commands[i]; i++)
            printf("  %-9s %s\n", session->commands[i]->name,
                   session->commands[i]->summary);
        printf("\n'rollcall help COMMAND' explains one. %s\nExit status: %s\n", common,
               usual_exits);
        printf("Pages: %s, of which words.md explains the words.\n", RC_DOCS);
    }
    return RC_OK;
}

const struct rc_command rc_command_help = {
    .name = "help",
    .summary = "lists the commands, or explains one",
    .operands = "[COMMAND]",
    .operands_most = 1,
    .options = options,
    .mpi = RC_MPI_NONE,
    .run = help_run,
};

static int version_run(struct rc_session *session, const struct rc_args *args,
                       struct rc_error *err)
{
    (void)session;
    (void)args;
    (void)err;
    printf("rollcall %s\n", RC_VERSION);
    return RC_OK;
}

static const struct rc_option *const no_options[] = {NULL};

const struct rc_command rc_command_version = {
    .name = "--version",
    .summary = "prints the version",
    .operands = "",
    .options = no_options,
    .mpi = RC_MPI_NONE,
    .run = version_run,
};
