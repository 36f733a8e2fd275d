/* The import command: turns results of other tools into a campaign.
 *
 * The campaign is made in a staged directory, as by merge, and put in place when it is
 * whole.
 */
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/import/parts.h"
#include "campaign/merge/merge.h"
#include "campaign/profile/tables/combine.h"
#include "campaign/run/progress.h"
#include "campaign/spec/options.h"
#include "io/cubex/cubex.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *const format_names[] = {"cat", "metrics-spec", NULL};
static RC_OPTION(option_format, "format", "FORMAT",
                 "cat: results of PAPI's Counter Analysis Toolkit; metrics-spec: "
                 "KOJAK's METRICS.SPEC, which is recognized by its content",
                 .words = format_names);
static RC_OPTION(option_kind, "kind", "NAME",
                 "the kind of machine that was measured ('imported')");

static RC_OPTIONS(options, &option_format, &rc_option_directory, &option_kind,
                  &rc_option_quiet, &rc_option_verbose);

static void print_line(const char *line)
{
    fprintf(stderr, "rollcall import: %s\n", line);
}

static int read_options(const struct rc_args *args, struct rc_import *import,
                        const char *dir, struct rc_error *err)
{
    const char *format = rc_args_value(args, &option_format);
    const char *kind = rc_args_value(args, &option_kind);

    if (!format)
        return rc_fail(err, RC_EUSAGE,
                       "expected --format FORMAT, see 'rollcall help import'");
    if (!dir || !dir[0])
        return rc_fail(err, RC_EUSAGE,
                       "expected -o DIR: the directory for the campaign");
    if (args->operand_count == 0)
        return rc_fail(err, RC_EUSAGE,
                       "expected PATH: files of results, or directories of such files");
    if (kind && (!kind[0] || strlen(kind) > 200))
        return rc_fail(err, RC_EUSAGE, "--kind: expected a name of 1 to 200 bytes");
    *import = (struct rc_import){.format = rc_import_find(format),
                                 .tell = print_line,
                                 .kind = kind ? kind : "imported",
                                 .path = args->operands,
                                 .path_count = args->operand_count};
    return RC_OK;
}

/* Writes one line to the standard output; skipped files are reported on the standard
 * error.
 */
static int say_result(const struct rc_import *m, const char *dir, struct rc_error *err)
{
    char path[PATH_MAX];
    size_t files = 0;
    int status = rc_campaign_dir_results(dir, path, sizeof path, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < m->count; i++)
        files += !m->item[i].left_out;
    rc_text_printable(path, sizeof path, path);
    printf("%s: %zu file%s, %zu event%s, %zu suite%s:", path, files, rc_text_s(files),
           m->event_count, rc_text_s(m->event_count), m->part_count,
           rc_text_s(m->part_count));
    for (size_t i = 0; i < m->part_count; i++)
        printf("%s %s", i ? "," : "", m->part[i].suite->name);
    printf("; left out: %zu\n", m->left_out);
    if (m->strange)
        fprintf(stderr,
                "rollcall import: %zu other file%s in the directories, skipped\n",
                m->strange, rc_text_s(m->strange));
    return RC_OK;
}

/* The campaign is made in a staged directory, which becomes DIR. */
static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const char *dir = rc_args_value(args, &rc_option_directory);
    struct rc_import import;
    struct rc_journal_id id;
    const struct rc_merge_stage stage = {.dir = dir,
                                         .node = "imported",
                                         .campaign = &id,
                                         .write = rc_import_records,
                                         .arg = &import};
    struct rc_merge_result unused;
    const char *format = rc_args_value(args, &option_format);
    bool is_spec = false;
    int status = RC_OK;

    if (args->operand_count == 1 && rc_cubex_is_name(args->operands[0]) && !format)
        return dir && dir[0]
                   ? rc_profile_import(args->operands[0], dir, &session->incomplete,
                                       err)
                   : rc_fail(err, RC_EUSAGE,
                             "expected -o DIR: the directory for the profile");
    if (args->operand_count == 1 && (!format || strcmp(format, "metrics-spec") == 0))
        status = rc_import_spec(args->operands[0], dir, format != NULL, &is_spec, err);
    else if (format && strcmp(format, "metrics-spec") == 0)
        return rc_fail(err, RC_EUSAGE, "expected one FILE, a METRICS.SPEC");
    if (status != RC_OK || is_spec ||
        (status = read_options(args, &import, dir, err)) != RC_OK)
        return status;
    if ((status = rc_import_read(&import, err)) == RC_OK &&
        (status = rc_campaign_dir_new_id(&id, err)) == RC_OK) {
        struct rc_progress *progress = rc_progress_of(MPI_COMM_NULL);
        rc_progress_stage(progress, "writing the campaign");
        status = rc_merge_stage_write(&stage, &unused, err);
        rc_progress_close(progress, NULL);
    }
    if (status == RC_OK && (status = say_result(&import, dir, err)) == RC_OK)
        session->incomplete = import.left_out > 0;
    rc_import_fini(&import);
    return status;
}

const struct rc_command rc_command_import = {
    .name = "import",
    .summary = "makes a campaign of results of other tools, or trees of their metrics",
    .operands = "PATH...",
    .operands_most = SIZE_MAX,
    .options = options,
    .mpi = RC_MPI_NONE,
    .files = RC_FILE_SPEC | RC_FILE_JOURNAL | RC_FILE_STORE,
    .see = (const char *const[]){"solve", "merge", "hierarchy", NULL},
    .run = run,
};
