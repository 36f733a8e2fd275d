/* Options that several commands share.  Most correspond to a key of the campaign file:
 * the row of rc_spec_settings[] (settings.c) that names an option says which.
 */
#include "campaign/spec/options.h"
#include "campaign/base/version.h"
#include "campaign/spec/parts.h"
#include "io/text/rows.h"

const char *const rc_qualifiers_names[] = {"none", "umasks", "all", NULL};
const char *const rc_replicate_names[] = {"none", "node", "core", NULL};

RC_OPTION(rc_option_campaign, "campaign", "FILE",
          "campaign file (YAML); options take precedence over it", .letter = 'c');

RC_OPTION(rc_option_name, "name", "NAME",
          "the campaign's name, for people, instead of its directory's");

RC_OPTION(rc_option_directory, "output", "DIR", "directory for results", .letter = 'o');

RC_OPTION(rc_option_format, "format", "FORMAT", "text (default), csv, json or csv-raw",
          .words = rc_format_names);

RC_OPTION(rc_option_kernel, "kernel", "FILE",
          "a suite of your own, own-NAME: a shared object or YAML of commands",
          .repeats = true);

RC_OPTION(rc_option_result_kind, "kind", "K", "only this kind of machine");

RC_OPTION(rc_option_result_file, "output", "FILE",
          "a file; the standard output (-) by default", .letter = 'o');

RC_OPTION(rc_option_events, "events", "PATTERN",
          "GLOB or the beginning of a name adds events, !GLOB removes them, @FILE "
          "reads a list",
          .letter = 'e', .repeats = true);

RC_OPTION(rc_option_scope, "scope", "A,B",
          "only events of these scopes: core, l2, l3, numa, package, node, device",
          .repeats = true);

RC_OPTION(rc_option_qualifiers, "qualifiers", "Q",
          "none: plain events; umasks (default): one for each unit mask; all: with "
          "every modifier too",
          .words = rc_qualifiers_names);

RC_OPTION(rc_option_presets, "presets", "YES", "yes: the library's presets too");

RC_OPTION(rc_option_repeat, "repeat", "MIN[:MAX]",
          "repetitions: at least MIN (5), at most MAX (30); 'auto:MAX' leaves MIN to "
          "the source");

RC_OPTION(rc_option_seed, "seed", "N", "seed of simulated noise (1)");

RC_OPTION(rc_option_replicate, "replicate", "WHERE",
          "measure each unit once (none, default), on each node or on each core",
          .words = rc_replicate_names);

RC_OPTION(rc_option_smt, "smt", NULL,
          "a worker on each hardware thread, not on each core");

RC_OPTION(
    rc_option_sync, "sync", "WHEN",
    "make results safe against a power cut: always, never, or at this interval (1s)");

RC_OPTION(rc_option_quiet, "quiet", NULL,
          "no progress and no remarks: only results, and what is wrong", .letter = 'q');

RC_OPTION(rc_option_verbose, "verbose", NULL,
          "says more: how long each stage took, and each unit that failed",
          .letter = 'v');
