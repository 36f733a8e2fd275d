/* Options that several commands share: most say what a campaign file may say, too.  The
 * row of rc_spec_settings[] (settings.c) that names an option says what it sets.
 */
#include "campaign/spec/options.h"
#include "campaign/base/version.h"
#include "campaign/spec/parts.h"
#include "io/text/rows.h"

const char *const rc_qualifiers_names[] = {"none", "umasks", "all", NULL};
const char *const rc_replicate_names[] = {"none", "node", "core", NULL};

const char *rc_suite_hint(size_t i)
{
    return rc_suites()[i] ? rc_suites()[i]->name : NULL;
}

static const char *source_hint(size_t i)
{
    return i == 0 ? "auto" : rc_sources()[i - 1] ? rc_sources()[i - 1]->name : NULL;
}

const struct rc_option rc_option_campaign = {
    .name = "campaign",
    .letter = 'c',
    .argument = "FILE",
    .summary = "campaign file (YAML); options take precedence over it"};

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
    .hint = source_hint,
    .summary = "where numbers come from; 'auto' (default) takes what counts here"};

const struct rc_option rc_option_suite = {
    .name = "suite",
    .argument = "A,B",
    .repeats = true,
    .hint = rc_suite_hint,
    .summary = "suites of kernels; all that are usable by default"};

const struct rc_option rc_option_kernel = {
    .name = "kernel",
    .argument = "FILE",
    .repeats = true,
    .summary = "a suite of your own, own-NAME: a shared object or YAML of commands"};

const struct rc_option rc_option_result_suite = {
    .name = "suite",
    .argument = "A,B",
    .repeats = true,
    .hint = rc_suite_hint,
    .summary = "only results of these suites of kernels; all by default"};

const struct rc_option rc_option_result_kind = {
    .name = "kind", .argument = "K", .summary = "only this kind of machine"};

const struct rc_option rc_option_result_file = {
    .name = "output",
    .letter = 'o',
    .argument = "FILE",
    .summary = "a file; the standard output (-) by default"};

const struct rc_option rc_option_events = {
    .name = "events",
    .letter = 'e',
    .argument = "PATTERN",
    .repeats = true,
    .summary = "GLOB or the beginning of a name adds events, !GLOB removes them, @FILE "
               "reads a list"};

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

const struct rc_option rc_option_sync = {.name = "sync",
                                         .argument = "WHEN",
                                         .summary =
                                             "make results safe against a power cut: "
                                             "always, never, or at this interval (1s)"};

const struct rc_option rc_option_quiet = {
    .name = "quiet",
    .letter = 'q',
    .summary = "no progress and no remarks: only results, and what is wrong"};

const struct rc_option rc_option_verbose = {
    .name = "verbose",
    .letter = 'v',
    .summary = "says more: how long each stage took, and each unit that failed"};
