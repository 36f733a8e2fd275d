#include "campaign/cli/commands.h"

#include "campaign/base/text.h"
#include "campaign/base/version.h"

#include <stdio.h>
#include <string.h>

static const struct rc_command *const commands[] = {
    &rc_command_doctor,
    &rc_command_events,
    &rc_command_kernels,
    &rc_command_plan,
    &rc_command_run,
    &rc_command_status,
    &rc_command_pack,
    &rc_command_solve,
    &rc_command_report,
    &rc_command_export,
    &rc_command_import,
    &rc_command_compare,
    &rc_command_merge,
    &rc_command_submit,
    &rc_command_verify,
    &rc_command_help,
    NULL,
};

const struct rc_command *const *rc_commands(void)
{
    return commands;
}

const struct rc_command *rc_command_find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

int rc_command_unknown(const char *word, struct rc_error *err)
{
    const char *names[sizeof commands / sizeof commands[0]] = {NULL};

    for (size_t i = 0; commands[i]; i++)
        names[i] = commands[i]->name;
    int nearest = rc_text_nearest(word, names);
    if (nearest >= 0)
        return rc_fail(err, RC_EUSAGE, "unknown command '%s', did you mean '%s'?", word,
                       names[nearest]);
    return rc_fail(err, RC_EUSAGE, "unknown command '%s', see 'rollcall help'", word);
}

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
    .description = "Prints the version.",
    .options = no_options,
    .mpi = RC_MPI_NONE,
    .run = version_run,
};
