/* The hierarchy command: a campaign's metrics and events as trees. */
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/hierarchy/parts.h"
#include "campaign/solve/origin.h"
#include "campaign/spec/options.h"

#include <stdio.h>
#include <string.h>

static RC_OPTION(option_only, "only", "A,B",
                 "only these trees, or what is below these nodes", .repeats = true);
static RC_OPTION(
    option_with, "with", "FILE",
    "also the trees of this file, in rollcall's own form or a METRICS.SPEC",
    .repeats = true);
static RC_OPTION(option_counted, "counted", "A,B",
                 "as if only these events, or groups of a METRICS.SPEC, were counted",
                 .repeats = true);
static RC_OPTION(
    option_insist, "insist", NULL,
    "also compute differences with missing operands: they may be negative");
static RC_OPTION(option_all, "all", NULL,
                 "also nodes without a value, with the reason");
static RC_OPTION(option_orphans, "orphans", NULL,
                 "name the counters that are in no tree");
static RC_OPTION(option_passes, "passes", NULL,
                 "the fewest passes that complete the trees, by trials of --source");
static RC_OPTIONS(options, &rc_option_source, &option_passes, &rc_option_result_kind,
                  &option_only, &option_with, &option_counted, &option_insist,
                  &option_all, &option_orphans, &rc_option_format);

static int show_kind(struct rc_store *metrics, size_t kind,
                     const struct rc_hierarchies *all,
                     const struct rc_hierarchy_request *request, struct rc_json *json,
                     struct rc_error *err)
{
    struct rc_hierarchy_kind k = {.metrics = metrics, .number = kind};
    int status;

    if ((status = rc_hierarchy_kind_read(&k, all, request, err)) == RC_OK &&
        (status = rc_hierarchy_kind_check(&k, request->dir, err)) == RC_OK)
        status = rc_hierarchy_show(&k, request, json, stdout, err);
    rc_hierarchy_kind_fini(&k);
    return status;
}

static int show_kinds(struct rc_store *metrics, const char *kind,
                      const struct rc_hierarchies *all,
                      const struct rc_hierarchy_request *request, struct rc_error *err)
{
    const size_t kinds = rc_store_kind_count(metrics);
    struct rc_json own, *json = rc_rows_json(request->format, &own, stdout);
    size_t shown = 0;
    int status = RC_OK;

    if (kind && rc_store_find_kind(metrics, kind) == kinds)
        return rc_fail(err, RC_EUSAGE,
                       "--kind '%.200s': not in '%.300s', expected %s%s", kind,
                       request->dir, kinds == 1 ? "" : "one such as ",
                       kinds ? rc_store_kind(metrics, 0)->name : "another campaign");
    if (json) {
        rc_json_object(json, NULL);
        rc_json_array(json, "kinds");
    }
    rc_hierarchy_head(request, stdout);
    for (size_t i = 0; i < kinds; i++) {
        if (kind && strcmp(kind, rc_store_kind(metrics, i)->name) != 0)
            continue;
        if (shown++ && request->format == RC_FORMAT_TEXT)
            puts("");
        if ((status = show_kind(metrics, i, all, request, json, err)) != RC_OK)
            break;
    }
    if (json && status == RC_OK) {
        rc_json_end(json);
        rc_json_end(json);
        rc_json_close(json);
    }
    return status;
}

/* Without a campaign: the trees as far as names of the source's events can fill them.
 */
static int show_source(const struct rc_catalogue *catalogue,
                       const struct rc_hierarchies *all,
                       const struct rc_hierarchy_request *request, struct rc_error *err)
{
    struct rc_hierarchy_kind k = {.number = 0};
    struct rc_json own, *json = rc_rows_json(request->format, &own, stdout);
    int status = rc_hierarchy_catalogue_read(&k, catalogue, all, request, err);

    rc_hierarchy_head(request, stdout);
    if (status != RC_OK ||
        (status = rc_hierarchy_show(&k, request, json, stdout, err)) != RC_OK)
        goto out;
    rc_json_close(json);
out:
    rc_hierarchy_kind_fini(&k);
    return status;
}

static int read_hierarchies(const struct rc_args *args, struct rc_hierarchies **all,
                            struct rc_error *err)
{
    struct rc_arg_words files = {0};
    int status;

    if ((status = rc_hierarchies_create(all, err)) == RC_OK)
        status = rc_args_words(args, &option_with, false, &files, err);
    for (size_t i = 0; i < files.count && status == RC_OK; i++)
        status = rc_hierarchies_add_file(*all, files.word[i], err);
    rc_arg_words_fini(&files);
    return status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    struct rc_hierarchy_request request = {
        .format = rc_rows_format(rc_args_value(args, &rc_option_format)),
        .dir = args->operand_count ? args->operands[0] : "",
        .insist = rc_args_has(args, &option_insist),
        .all = rc_args_has(args, &option_all),
        .orphans = rc_args_has(args, &option_orphans)};
    struct rc_arg_words only = {0}, counted = {0};
    struct rc_error closing = {.rank = -1}; /* of a file that was only read */
    struct rc_hierarchies *all = NULL;
    struct rc_store *metrics = NULL;
    struct rc_catalogue *catalogue = NULL;
    struct rc_spec spec = {0};
    char why[RC_ERROR_TEXT] = "";
    int status;

    (void)session;
    struct rc_args of_source = *args; /* operands would be patterns of events */
    of_source.operand_count = 0;
    const bool passes = rc_args_has(args, &option_passes);
    const bool source = rc_args_has(args, &rc_option_source);
    if (!request.dir[0] && !source)
        return rc_fail(err, RC_EUSAGE,
                       "expected DIR, the directory of a campaign, or --source");
    if (passes && !source)
        return rc_fail(
            err, RC_EUSAGE,
            "--passes: expected --source, by whose trials passes are planned");
    if (passes && rc_rows_is_csv(request.format))
        return rc_fail(err, RC_EUSAGE,
                       "--passes: expected --format text or json, since passes are no "
                       "rows of the nodes' table");
    if (source &&
        ((status = rc_spec_resolve(&of_source, NULL, RC_FILE_GIVEN, &spec, err)) ||
         (status = rc_catalogue_open(&spec, true, &catalogue, err)))) {
        rc_spec_fini(&spec);
        return status;
    }
    request.catalogue = passes ? catalogue : NULL;
    if ((status = rc_args_words(args, &option_only, true, &only, err)) == RC_OK &&
        (status = rc_args_words(args, &option_counted, true, &counted, err)) == RC_OK &&
        (status = read_hierarchies(args, &all, err)) == RC_OK && request.dir[0] &&
        (status = rc_solve_open_results(request.dir, &metrics, why, sizeof why, err)) ==
            RC_OK) {
        if (why[0])
            fprintf(stderr, "rollcall hierarchy: '%s': %s\n", request.dir, why);
        request.only = only.count ? only.word : NULL;
        request.counted = counted.count ? counted.word : NULL;
        status = show_kinds(metrics, rc_args_value(args, &rc_option_result_kind), all,
                            &request, err);
    }
    if (status == RC_OK && !request.dir[0]) {
        request.only = only.count ? only.word : NULL;
        status = show_source(catalogue, all, &request, err);
    }
    rc_catalogue_close(catalogue);
    rc_spec_fini(&spec);
    if (metrics)
        (void)rc_store_close(metrics, &closing);
    rc_hierarchies_close(all);
    rc_arg_words_fini(&only);
    rc_arg_words_fini(&counted);
    return status;
}

const struct rc_command rc_command_hierarchy = {
    .name = "hierarchy",
    .summary = "metrics as trees whose parts add up, filled by what 'solve' found",
    .operands = "[DIR]",
    .operands_most = 1,
    .options = options,
    .mpi = RC_MPI_NONE,
    .files = RC_FILE_METRICS | RC_FILE_STORE,
    .variables = RC_VARIABLE_TERMINAL | RC_VARIABLE_DATA,
    .see = (const char *const[]){"solve", "show", "import", NULL},
    .run = run,
};
