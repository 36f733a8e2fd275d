#include "campaign/cli/commands.h"

#include "campaign/base/text.h"
#include "campaign/base/version.h"
#include "campaign/base/words.h"
#include "campaign/spec/spec.h"
#include "io/text/rows.h"

#include <stdint.h>
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

const struct rc_option rc_option_campaign = {
    .name = "campaign",
    .letter = 'c',
    .argument = "FILE",
    .summary = "campaign file (YAML); what options say goes before it"};
const struct rc_option rc_option_directory = {.name = "output",
                                              .letter = 'o',
                                              .argument = "DIR",
                                              .summary = "directory for results"};
const struct rc_option rc_option_format = {.name = "format",
                                           .argument = "FORMAT",
                                           .words = rc_format_names,
                                           .summary =
                                               "text (default), csv, json or csv-raw"};
const struct rc_option rc_option_source = {
    .name = "source",
    .letter = 's',
    .argument = "S[:ARG]",
    .repeats = true,
    .summary = "where numbers come from; 'auto' (default) takes what counts here"};
const struct rc_option rc_option_suite = {
    .name = "suite",
    .argument = "A,B",
    .repeats = true,
    .summary = "suites of kernels; all that are usable by default"};
const struct rc_option rc_option_events = {
    .name = "events",
    .letter = 'e',
    .argument = "PATTERN",
    .repeats = true,
    .summary = "GLOB takes events in, !GLOB out, @FILE reads patterns, a line each"};
const struct rc_option rc_option_scope = {
    .name = "scope",
    .argument = "A,B",
    .repeats = true,
    .summary =
        "only events of these scopes: core, l2, l3, numa, package, node, device"};
const struct rc_option rc_option_qualifiers = {
    .name = "qualifiers",
    .argument = "Q",
    .words = rc_qualifiers_names,
    .summary = "none: plain events; umasks (default): one for each unit mask; all: "
               "with every modifier too"};
const struct rc_option rc_option_presets = {
    .name = "presets", .argument = "YES", .summary = "yes: the library's presets too"};
const struct rc_option rc_option_repeat = {
    .name = "repeat",
    .argument = "MIN[:MAX]",
    .summary = "repetitions: at least MIN (5), at most MAX (30); 'auto:MAX' leaves "
               "MIN to the source"};
const struct rc_option rc_option_seed = {
    .name = "seed", .argument = "N", .summary = "seed of simulated noise (1)"};

const struct rc_option rc_option_replicate = {
    .name = "replicate",
    .argument = "WHERE",
    .words = rc_replicate_names,
    .summary = "measure each unit once (none, default), on each node or on each core"};
const struct rc_option rc_option_smt = {
    .name = "smt", .summary = "a worker on each hardware thread, not on each core"};
const struct rc_option rc_option_sync = {
    .name = "sync",
    .argument = "WHEN",
    .summary =
        "results safe against a power cut: always, never, or every so long (1s)"};

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
