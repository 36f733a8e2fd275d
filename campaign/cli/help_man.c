/* Man pages, from the table of commands, in the man(7) macros of troff.
 *
 * Lines are broken here, so that the pages can be read in a diff; a line must not begin
 * with '.' or '\'', which would be a request, and '-' and '\' are escaped.
 */
#include "campaign/cli/help_parts.h"

#include "campaign/base/version.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 78 }; /* columns */

/* An item of a section: a name and its description, for commands whose mask has the
 * bit.
 */
struct item {
    unsigned bit;
    const char *name, *text;
};

static const struct item files[] = {
    {RC_FILE_SPEC, "DIR/campaign.yaml",
     "The campaign file in full, with every default."},
    {RC_FILE_JOURNAL, "DIR/journal/NODE.rcj",
     "What each unit gave, appended as it is measured: everything else can be made of "
     "it."},
    {RC_FILE_STORE, "DIR/campaign.h5", "All results with labels, as HDF5."},
    {RC_FILE_METRICS, "DIR/metrics.h5",
     "What every event measures, and the metrics, as HDF5."},
    {RC_FILE_NOISE, "DIR/noise.h5",
     "Where readings scatter, and which nodes are off, as HDF5."},
    {RC_FILE_MODEL, "DIR/model.h5", "A performance model of a program, as HDF5."},
    {RC_FILE_REPORT, "DIR/report.html",
     "The report, one page that needs nothing else."},
    {RC_FILE_LOG, "DIR/log.txt",
     "What was said, with time and rank; units that failed, with the reason."},
    {RC_FILE_JOBS, "DIR/jobs/",
     "Scripts, logs and records of the jobs, jobs.txt with their ids."},
    {0, NULL, NULL}};

/* Pages of section 5 on those files. */
static const struct item formats[] = {
    {RC_FILE_SPEC, "campaign-file", NULL}, {RC_FILE_JOURNAL, "journal", NULL},
    {RC_FILE_JOURNAL, "records", NULL},    {RC_FILE_STORE, "campaign-h5", NULL},
    {RC_FILE_METRICS, "metrics-h5", NULL}, {RC_FILE_NOISE, "noise-h5", NULL},
    {RC_FILE_MODEL, "model-h5", NULL},     {0, NULL, NULL}};

static const struct item variables[] = {
    {RC_VARIABLE_TERMINAL, "COLUMNS",
     "Columns of a line, where the output is not a terminal; 80 by default."},
    {RC_VARIABLE_TERMINAL, "NO_COLOR", "Where it is not empty, there are no colours."},
    {RC_VARIABLE_TERMINAL, "TERM",
     "Where it is 'dumb' or not set, there are no colours."},
    {RC_VARIABLE_DATA, "ROLLCALL_DATA",
     "A directory in which machines, bases and metrics are looked for first."},
    {RC_VARIABLE_JOB, "SLURM_JOB_ID, PBS_JOBID, LSB_JOBID, FLUX_JOB_ID, JOB_ID",
     "The job's name, which is kept with the run."},
    {RC_VARIABLE_RANKS, "ROLLCALL_ALL_RANKS",
     "Where it is not empty, all ranks pack and solve, also those of a node that has "
     "no "
     "CPU for them."},
    {0, NULL, NULL}};

static const char *const exits[][2] = {
    {"0", "Done and complete."},
    {"1",
     "Failed; a line on the standard error says what, where and what was expected."},
    {"2", "Wrong usage; likewise."},
    {"3", "Done, but incomplete: some of what was to be measured has no valid result."},
    {NULL, NULL}};

static void put_escaped(char c)
{
    if (c == '\\')
        fputs("\\e", stdout);
    else if (c == '-')
        fputs("\\-", stdout);
    else
        putchar(c);
}

static void put_name(const char *name)
{
    for (; *name; name++)
        put_escaped(*name);
}

/* Prints paragraphs, with empty lines between, from 'column' of the line on. */
static void put_behind(size_t column, const char *text)
{
    while (*text) {
        const size_t bytes = strcspn(text, " \n");
        if (bytes && column && column + 1 + bytes > LINE) {
            putchar('\n');
            column = 0;
        }
        if (bytes && column) {
            putchar(' ');
            column++;
        } else if (*text == '.' || *text == '\'') /* would begin a request */
            fputs("\\&", stdout);
        for (size_t i = 0; i < bytes; i++)
            put_escaped(text[i]);
        column += bytes;
        text += bytes;
        if (strncmp(text, "\n\n", 2) == 0) {
            fputs("\n.PP\n", stdout);
            column = 0;
        }
        text += strspn(text, " \n");
    }
    if (column)
        putchar('\n');
}

static void put_text(const char *text)
{
    put_behind(0, text);
}

/* Prints lines as they are. */
static void put_lines(const char *text)
{
    fputs(".nf\n", stdout);
    for (const char *at = text; *at; at++) {
        if ((at == text || at[-1] == '\n') && (*at == '.' || *at == '\''))
            fputs("\\&", stdout);
        put_escaped(*at);
    }
    fputs(".fi\n", stdout);
}

/* Prints a section with the items that the mask chooses, if any. */
static void put_items(const char *section, const struct item *item, unsigned mask)
{
    bool first = true;

    for (; item->name; item++) {
        if (!(item->bit & mask))
            continue;
        if (first)
            printf(".SH %s\n", section);
        first = false;
        fputs(".TP\n.I ", stdout);
        put_name(item->name);
        putchar('\n');
        put_text(item->text);
    }
}

/* Prints the exit statuses of the command (NULL: of the program). */
static void put_exits(const struct rc_command *command)
{
    fputs(".SH EXIT STATUS\n", stdout);
    if (command && command->exits) {
        put_text(command->exits);
        return;
    }
    for (size_t i = 0; exits[i][0]; i++) {
        printf(".TP\n.B %s\n", exits[i][0]);
        put_text(exits[i][1]);
    }
}

static void put_head(const char *name, const char *summary)
{
    fputs(".TH \"", stdout);
    for (const char *at = name; *at; at++)
        put_escaped((char)toupper((unsigned char)*at));
    printf("\" 1 \"%s\" \"rollcall %s\" \"rollcall\"\n.SH NAME\n", RC_VERSION_DATE,
           RC_VERSION);
    put_name(name);
    fputs(" \\-", stdout);
    put_behind(2 * strlen(name), summary);
    fputs(".SH SYNOPSIS\n", stdout);
}

/* Prints an option with its argument, and its summary. */
static void put_option(const struct rc_option *option)
{
    fputs(".TP\n", stdout);
    if (option->letter)
        printf("\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", stdout);
    put_name(option->name);
    fputs("\\fR", stdout);
    if (option->argument) {
        fputs(" \\fI", stdout);
        put_name(option->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put_text(option->summary);
    if (option->repeats)
        put_text("(may be given more than once)");
}

/* Ends SEE ALSO: formats of the files, and the place of the pages. */
static void put_formats(unsigned mask)
{
    for (const struct item *format = formats; format->name; format++)
        if (format->bit & mask) {
            fputs(",\n.BR rollcall\\-", stdout);
            put_name(format->name);
            fputs(" (5)", stdout);
        }
    fputs("\n.PP\n", stdout);
    put_text("Pages on all of it are in " RC_DOCS
             "; words.md there explains the words.");
}

/* Prints the page of one command, rollcall-NAME(1). */
static void put_command(const struct rc_command *command)
{
    static const char *const none[] = {NULL};
    char name[64], text[RC_HELP_SECTION];

    snprintf(name, sizeof name, "rollcall-%s", command->name);
    put_head(name, command->summary);
    printf(".B rollcall %s\n", command->name);
    if (command->options[0])
        fputs("[\\fIOPTION\\fR]...\n", stdout);
    if (command->operands[0])
        put_text(command->operands);
    fputs(".SH DESCRIPTION\n", stdout);
    put_text(rc_help_section(command->name, "", text));
    fputs(".SH OPTIONS\n", stdout);
    for (size_t i = 0; command->options[i]; i++)
        put_option(command->options[i]);
    fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprints all this in short\n", stdout);
    put_exits(command);
    put_items("FILES", files, command->files);
    put_items("ENVIRONMENT", variables, command->variables);
    if (rc_help_section(command->name, " examples", text)[0]) {
        fputs(".SH EXAMPLES\n", stdout);
        put_lines(text);
    }
    const char *const *see = command->see ? command->see : none;
    fputs(".SH SEE ALSO\n.BR rollcall (1)", stdout);
    for (; *see; see++)
        printf(",\n.BR rollcall\\-%s (1)", *see);
    put_formats(command->files);
}

/* Prints the page of a command, or that of the program, rollcall(1). */
void rc_help_man(const struct rc_command *const *commands,
                 const struct rc_command *command)
{
    char text[RC_HELP_SECTION];

    if (command) {
        put_command(command);
        return;
    }
    put_head("rollcall", "characterizes the hardware events of whole machines");
    fputs(".B rollcall\n\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n"
          ".br\n.B rollcall help\n[\\fICOMMAND\\fR]\n.br\n"
          ".B rollcall \\-\\-version\n.SH DESCRIPTION\n",
          stdout);
    put_text(rc_help_section("about", "", text));
    fputs(".PP\n", stdout);
    put_text(rc_help_section("flow", "", text));
    fputs(".SH COMMANDS\n", stdout);
    for (size_t i = 0; commands[i]; i++) {
        printf(".TP\n.BR rollcall\\-%s (1)\n", commands[i]->name);
        put_text(commands[i]->summary);
    }
    fputs(".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\n"
          "lists the commands; after a command, explains that\n"
          ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nprints the version\n",
          stdout);
    put_exits(NULL);
    put_items("FILES", files, ~0U);
    put_items("ENVIRONMENT", variables, ~0U);
    fputs(".SH EXAMPLES\n", stdout);
    put_lines(rc_help_section("session", "", text));
    fputs(".SH SEE ALSO", stdout);
    for (size_t i = 0; commands[i]; i++)
        printf("%s\n.BR rollcall\\-%s (1)", i ? "," : "", commands[i]->name);
    put_formats(~0U);
}
