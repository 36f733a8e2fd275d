/* The noise command: measures detours where it is asked to; then how far readings
 * scatter, at which level, which nodes are off, and what detours cost; and what of that
 * is not as it was in another campaign.
 *
 * The answer is printed first.  Then, where the whole campaign was studied, it is in
 * DIR/noise.h5, which is put in place at the end: a disk that is full takes nothing
 * from what is said.
 */
#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "campaign/base/path.h"
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/tell.h"
#include "campaign/noise/findings.h"
#include "campaign/noise/losses.h"
#include "campaign/noise/measure.h"
#include "campaign/records/campaign_dir.h"
#include "campaign/spec/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct rc_option option_suite = {
    .name = "suite",
    .argument = "A,B",
    .repeats = true,
    .summary = "only readings of these suites of kernels; all by default"};
static const struct rc_option option_kind = {
    .name = "kind", .argument = "K", .summary = "only this kind of machine"};
static const struct rc_option option_verdict = {
    .name = "verdict",
    .argument = "A,B",
    .repeats = true,
    .summary = "list the events with these, such as node,core or differs"};

static const struct rc_option option_level = {
    .name = "level",
    .argument = "A,B",
    .repeats = true,
    .summary =
        "list the events that scatter at these: rep, core, node; with core, name "
        "cores that are off, too"};

static const struct rc_option option_against = {
    .name = "against",
    .argument = "REF",
    .summary = "say what is not as in REF, the directory of another campaign or its "
               "noise.h5; the exit status is that of a comparison"};
static const struct rc_option option_check = {
    .name = "check",
    .argument = "A,B",
    .repeats = true,
    .summary =
        "against: differences that count: nodes, periods, level; all by default"};

static const struct rc_option *const options[] = {
    &rc_option_directory,   &rc_noise_option_time,   &rc_noise_option_work,
    &rc_noise_option_alone, &rc_noise_option_rounds, &rc_noise_option_no_tracepoints,
    &option_kind,           &option_suite,           &rc_option_events,
    &option_level,          &option_verdict,         &rc_option_format,
    &option_against,        &option_check,           NULL};

enum { EXIT_TROUBLE = 2 }; /* of --against, since 1 says that something differs */

struct work {
    MPI_Comm comm;
    const char *dir;
    char path[PATH_MAX];       /* of campaign.h5 */
    char noise_path[PATH_MAX]; /* of noise.h5 */
    int has_store;             /* it is there, by what the first rank sees */
    struct rc_noise_task task; /* 'dir' is NULL: nothing is to be measured */
    struct rc_noise_losses losses;
    struct rc_store *store;
    struct rc_patterns patterns;
    struct rc_arg_words suites;
    const char *kind;
    bool verdict[RC_NOISE_VERDICTS], listed;
    bool cores; /* are judged, too */
    enum rc_format format;
    struct rc_json *json; /* on rank 0, for that format */
    struct rc_rows *rows; /* on rank 0, of events: CSV has one header for all kinds */
    const char *against;
    bool checked[RC_NOISE_CHECKS];
    struct rc_noise_findings is;
    bool save;                  /* noise.h5 is to be written */
    struct rc_noise_file *file; /* NULL: not, or not any more */
    struct rc_error unsaved;    /* why not; its status is RC_OK where nothing failed */
    struct rc_campaign_dir *held;
};

/* What is listed, by --verdict and --level. */
static int take_listed(const struct rc_args *args, struct work *w, struct rc_error *err)
{
    static const char *const levels[] = {"rep", "core", "node", NULL};
    bool level[RC_LEVEL_COUNT] = {false};
    int status =
        rc_args_choose(args, &option_verdict, rc_noise_verdict_names,
                       "exact, differs, repetition, core, node, unresolved or not-read",
                       w->verdict, err);

    if (status == RC_OK)
        status = rc_args_choose(args, &option_level, levels, "rep, core or node", level,
                                err);
    for (size_t l = 0; l < RC_LEVEL_COUNT; l++)
        w->verdict[RC_NOISE_REPETITION + l] |= level[l];
    w->cores = level[RC_LEVEL_CORE];
    w->listed = rc_args_has(args, &option_verdict) || rc_args_has(args, &option_level);
    return status;
}

static int take_patterns(const struct rc_args *args, struct work *w,
                         struct rc_error *err)
{
    struct rc_arg_words words = {0};
    int status = rc_args_words(args, &rc_option_events, true, &words, err);

    for (size_t i = 0; i < words.count && status == RC_OK; i++) {
        const char *expected = NULL;
        status = rc_patterns_add(&w->patterns, words.word[i], &expected, err);
        if (status == RC_EUSAGE && expected)
            status = rc_fail(err, RC_EUSAGE, "--events: '%.60s', expected %s",
                             words.word[i], expected);
    }
    rc_arg_words_fini(&words);
    return status;
}

static int take_checks(const struct rc_args *args, struct work *w, struct rc_error *err)
{
    const bool all = !rc_args_has(args, &option_check);

    if (!all && !w->against)
        return rc_fail(err, RC_EUSAGE, "--check goes with --against");
    if (w->against && w->listed)
        return rc_fail(err, RC_EUSAGE, "--verdict: --against lists what differs");
    for (size_t i = 0; i < RC_NOISE_CHECKS; i++)
        w->checked[i] = all;
    return rc_args_choose(args, &option_check, rc_noise_check_names,
                          "nodes, periods or level", w->checked, err);
}

static int take_options(const struct rc_args *args, struct work *w,
                        struct rc_error *err)
{
    int status = rc_noise_task_take(args, &w->task, &w->dir, err);

    if (status != RC_OK)
        return status;
    w->kind = rc_args_value(args, &option_kind);
    w->format = rc_rows_format(rc_args_value(args, &rc_option_format));
    w->against = rc_args_value(args, &option_against);
    status = rc_campaign_dir_results(w->dir, w->path, sizeof w->path, err);
    if (status == RC_OK)
        status =
            rc_path(w->noise_path, sizeof w->noise_path, err, "%s/noise.h5", w->dir);
    if (status != RC_OK || (status = take_listed(args, w, err)) != RC_OK ||
        (status = take_patterns(args, w, err)) != RC_OK ||
        (status = take_checks(args, w, err)) != RC_OK)
        return status;
    return rc_args_words(args, &option_suite, true, &w->suites, err);
}

/* Collective: what there is to judge. */
static int find_results(struct work *w, struct rc_error *err)
{
    int status = RC_OK;

    if (rc_team_rank(w->comm) == 0 && access(w->dir, F_OK) != 0 && errno == ENOENT)
        status =
            rc_fail(err, RC_EMISSING,
                    "'%s' is not there, expected the directory of a campaign", w->dir);
    status = rc_agree(w->comm, status, err);
    if (status != RC_OK)
        return status;
    w->has_store = access(w->path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
    if (w->comm != MPI_COMM_NULL)
        MPI_Bcast(&w->has_store, 1, MPI_INT, 0, w->comm);
    status = rc_noise_losses_read(w->comm, w->dir, &w->losses, err);
    if (status != RC_OK || w->has_store || (w->losses.count > 0 && !w->against))
        return status;
    return rc_fail(err, RC_EMISSING,
                   "'%s' is not there, 'rollcall pack DIR' makes it of a campaign's "
                   "journals",
                   w->path);
}

/* What is asked for is in the store, of one kind at least. */
static int check_names(const struct work *w, struct rc_error *err)
{
    const size_t kinds = rc_store_kind_count(w->store);

    if (w->kind && rc_store_find_kind(w->store, w->kind) == kinds)
        return rc_fail(err, RC_EMISSING, "no kind '%.100s' in '%s'", w->kind, w->path);
    for (size_t i = 0; i < w->suites.count; i++) {
        bool found = false;
        for (size_t k = 0; k < kinds; k++)
            found = found || rc_store_find_suite(w->store, k, w->suites.word[i]) <
                                 rc_store_suite_count(w->store, k);
        if (!found)
            return rc_fail(err, RC_EMISSING, "no readings of suite '%.100s' in '%s'",
                           w->suites.word[i], w->path);
    }
    return RC_OK;
}

/* Collective: cores of the kind that are off; all is read again. */
static int show_cores(struct work *w, const struct rc_noise_kind *nodes,
                      struct rc_error *err)
{
    struct rc_noise_kind k = {.comm = w->comm,
                              .patterns = nodes->patterns,
                              .suites = nodes->suites,
                              .cores = true};
    int status = rc_noise_kind_study(&k, w->store, nodes->number, err);

    if (status == RC_OK && rc_team_rank(w->comm) == 0)
        status = rc_noise_show_cores(&k, w->json, err);
    rc_noise_kind_fini(&k);
    return status;
}

static int show_kind(struct work *w, struct rc_noise_kind *k, struct rc_error *err)
{
    const bool first = rc_team_rank(w->comm) == 0;
    const bool own_rows = first && !rc_rows_is_csv(w->format) && (w->json || w->listed);
    int status = RC_OK;

    if (w->json)
        rc_json_object(w->json, NULL);
    if (first && !rc_rows_is_csv(w->format))
        status = rc_noise_show(k, w->json, err);
    if (w->cores && !rc_rows_is_csv(w->format)) {
        const int cores = show_cores(w, k, err);
        status = status == RC_OK ? cores : status;
    }
    if (w->json)
        rc_json_array(w->json, "events");
    status = rc_agree(w->comm, status, err);
    if (status == RC_OK && own_rows) {
        if (w->listed && !w->json)
            putchar('\n');
        w->rows = rc_rows_create(stdout, w->format, rc_noise_columns, w->json);
    }
    if (status == RC_OK && (w->listed || w->format != RC_FORMAT_TEXT)) {
        status = rc_noise_list(k, w->listed ? w->verdict : NULL, w->rows, err);
        if (own_rows) {
            status = rc_rows_end(w->rows, status, err);
            w->rows = NULL;
        }
        status = rc_agree(w->comm, status, err);
    }
    if (w->json) {
        rc_json_end(w->json);
        rc_json_end(w->json);
    }
    return status;
}

/* What failed is told at the end; the file is not put in place. */
static void forget_file(struct work *w, struct rc_error *why)
{
    w->unsaved = *why;
    rc_noise_file_abandon(w->file);
    w->file = NULL;
}

/* What kinds are studied for. */
static struct rc_noise_kind wanted_of(struct work *w)
{
    return (struct rc_noise_kind){.comm = w->comm,
                                  .patterns = &w->patterns,
                                  .suites = w->suites.count ? w->suites.word : NULL,
                                  .medians = w->file != NULL};
}

static int study_kind(struct work *w, size_t number, struct rc_error *err)
{
    struct rc_noise_kind k = wanted_of(w);
    struct rc_error why = {.rank = -1};

    if (w->kind && strcmp(w->kind, rc_store_kind(w->store, number)->name) != 0)
        return RC_OK;
    int status = rc_noise_kind_study(&k, w->store, number, err);
    if (status != RC_OK)
        goto out;
    status =
        w->against ? rc_noise_findings_add(&w->is, &k, err) : show_kind(w, &k, err);
    if (status == RC_OK && w->file && rc_noise_write(&k, w->file, &why) != RC_OK)
        forget_file(w, &why);
out:
    rc_noise_kind_fini(&k);
    return status;
}

/* Begins what goes around the kinds' tables, on rank 0. */
static int open_output(struct work *w, struct rc_error *err)
{
    if (rc_rows_is_csv(w->format) && w->has_store) {
        rc_rows_head(stdout, w->format, rc_noise_columns);
        w->rows = rc_rows_create(stdout, w->format, rc_noise_columns, NULL);
    }
    if (w->format != RC_FORMAT_JSON)
        return RC_OK;
    w->json = rc_json_create(stdout);
    if (!w->json)
        return rc_fail(err, RC_ENOMEM, "no memory for a table");
    rc_json_object(w->json, NULL);
    rc_json_array(w->json, "kinds");
    return RC_OK;
}

/* What detours cost, on rank 0.  CSV has room for one table: that of events, where
 * there are any.
 */
static int show_losses(struct work *w, struct rc_error *err)
{
    if (w->json)
        rc_json_end(w->json); /* the kinds */
    if (rc_rows_is_csv(w->format) && w->has_store)
        return RC_OK;
    if (w->format == RC_FORMAT_TEXT && w->has_store && w->losses.count > 0)
        putchar('\n');
    return rc_noise_losses_show(&w->losses, w->format, w->json, err);
}

static int study_all(struct work *w, struct rc_error *err)
{
    const bool first = rc_team_rank(w->comm) == 0;
    const size_t kinds = w->store ? rc_store_kind_count(w->store) : 0;
    int status = first ? open_output(w, err) : RC_OK;

    status = rc_agree(w->comm, status, err);
    for (size_t k = 0; k < kinds && status == RC_OK; k++) {
        if (k > 0 && first && w->format == RC_FORMAT_TEXT && !w->kind)
            putchar('\n');
        status = study_kind(w, k, err);
    }
    if (status == RC_OK && first)
        status = show_losses(w, err);
    if (first && rc_rows_is_csv(w->format) && w->has_store)
        status = rc_rows_end(w->rows, status, err);
    rc_json_close(w->json);
    return rc_agree(w->comm, status, err);
}

static int study_each(struct work *w, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t k = 0; k < rc_store_kind_count(w->store) && status == RC_OK; k++)
        status = study_kind(w, k, err);
    return status;
}

/* On rank 0: the differences, in the format that is asked for. */
static int put_changes(const struct work *w, const struct rc_noise_findings *was,
                       size_t *count, struct rc_error *err)
{
    const bool is_json = w->format == RC_FORMAT_JSON;
    struct rc_json *json = is_json ? rc_json_create(stdout) : NULL;

    if (is_json && !json)
        return rc_fail(err, RC_ENOMEM, "no memory for a table");
    if (json) {
        rc_json_object(json, NULL);
        rc_json_text(json, "against", w->against);
        rc_json_array(json, "differences");
    }
    rc_rows_head(stdout, w->format, rc_noise_change_columns);
    struct rc_rows *rows =
        rc_rows_create(stdout, w->format, rc_noise_change_columns, json);
    int status = rc_noise_changes(was, &w->is, w->checked, rows, count, err);
    if (status == RC_OK && w->format == RC_FORMAT_TEXT) {
        char name[128];
        printf("%zu difference%s from %s\n", *count, rc_text_s(*count),
               rc_text_printable(name, sizeof name, w->against));
    }
    if (w->format == RC_FORMAT_TEXT && (status != RC_OK || *count == 0))
        rc_rows_drop(rows);
    status = rc_rows_end(rows, status, err);
    if (json) {
        rc_json_end(json);
        rc_json_flag(json, "differs", *count > 0);
    }
    rc_json_close(json);
    return status;
}

static int compare(struct work *w, bool *differs, struct rc_error *err)
{
    const struct rc_noise_kind like = wanted_of(w);
    struct rc_noise_findings was = {.file = NULL};
    size_t count = 0;
    int status = rc_noise_reference(w->against, &like, &was, err);

    if (status == RC_OK)
        status = study_each(w, err);
    if (status == RC_OK && rc_team_rank(w->comm) == 0) {
        if (w->checked[RC_NOISE_CHECK_PERIODS])
            rc_noise_findings_open(&w->is, w->dir, w->store);
        status = put_changes(w, &was, &count, err);
    }
    status = rc_agree(w->comm, status, err);
    int any = count > 0;
    if (w->comm != MPI_COMM_NULL)
        MPI_Bcast(&any, 1, MPI_INT, 0, w->comm);
    *differs = any;
    rc_noise_findings_fini(&was);
    return status;
}

/* Collective.  A part of a campaign, and a comparison, leave noise.h5 as it is; so does
 * who may not write into DIR, and is told.
 */
static int hold_results(struct work *w, struct rc_error *err)
{
    int can = 0;

    if (w->against || w->kind || w->suites.count || w->patterns.count)
        return RC_OK;
    if (rc_team_rank(w->comm) == 0) {
        can = access(w->dir, W_OK) == 0;
        if (!can)
            fprintf(stderr, "rollcall noise: no noise.h5: cannot write into '%s'\n",
                    w->dir);
    }
    if (w->comm != MPI_COMM_NULL)
        MPI_Bcast(&can, 1, MPI_INT, 0, w->comm);
    w->save = can;
    return can ? rc_campaign_dir_open_results(w->comm, w->dir, rc_tell, &w->held, err)
               : RC_OK;
}

static void begin_file(struct work *w)
{
    struct rc_error why = {.rank = -1};

    if (w->save &&
        rc_noise_file_create(w->comm, w->noise_path, rc_store_campaign(w->store),
                             &w->file, &why) != RC_OK)
        w->unsaved = why;
}

/* Puts noise.h5 in place, with detours where there are any, and says where it is. */
static int end_file(struct work *w, struct rc_error *err)
{
    struct rc_error why = {.rank = -1};
    char name[PATH_MAX];

    if (w->file &&
        rc_noise_write_detours(w->comm, w->dir, &w->losses, w->file, &why) != RC_OK)
        forget_file(w, &why);
    if (w->unsaved.status != RC_OK) {
        *err = w->unsaved;
        return err->status;
    }
    if (!w->file)
        return RC_OK;
    const int status = rc_noise_file_close(w->file, err);
    w->file = NULL;
    if (status == RC_OK && rc_team_rank(w->comm) == 0)
        fprintf(w->format == RC_FORMAT_TEXT ? stdout : stderr, "%s%s\n",
                w->format == RC_FORMAT_TEXT ? "\n" : "",
                rc_text_printable(name, sizeof name, w->noise_path));
    return status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    struct work w = {.comm = session->comm, .unsaved = {.rank = -1}};
    struct rc_error late = {.rank = -1};

    session->trouble = rc_args_has(args, &option_against) ? EXIT_TROUBLE : 0;
    int status = rc_agree(w.comm, take_options(args, &w, err), err);
    if (status != RC_OK)
        goto out;
    if (w.task.dir)
        status = rc_noise_measure(w.comm, &w.task, &session->incomplete, err);
    if (status != RC_OK || session->incomplete ||
        (status = find_results(&w, err)) != RC_OK)
        goto out;
    if (w.has_store &&
        ((status = hold_results(&w, err)) != RC_OK ||
         (status = rc_store_open(w.comm, w.path, &w.store, err)) != RC_OK ||
         (status = check_names(&w, err)) != RC_OK))
        goto out;
    if (w.against) {
        status = compare(&w, &session->differs, err);
        goto out;
    }
    begin_file(&w);
    status = study_all(&w, err);
    if (status == RC_OK)
        status = end_file(&w, err);
out:
    rc_noise_file_abandon(w.file);
    (void)rc_store_close(w.store, &late);
    rc_campaign_dir_close(w.held);
    rc_noise_findings_fini(&w.is);
    rc_noise_losses_fini(&w.losses);
    rc_noise_task_fini(&w.task);
    rc_arg_words_fini(&w.suites);
    rc_patterns_fini(&w.patterns);
    return status;
}

const struct rc_command rc_command_noise = {
    .name = "noise",
    .summary = "says how far readings scatter, which nodes are off, what detours cost",
    .operands = "[DIR]",
    .operands_most = 1,
    .description =
        "Reads DIR/campaign.h5 and says, for each kind of machine, which of its nodes "
        "are unlike the others, and for each event whether its readings scatter from "
        "repetition to repetition, from core to core of a node, or from node to node. "
        "Places are told apart where the campaign was run with --replicate core or "
        "--replicate node; what cannot be told for want of readings is said with the "
        "command that brings them. Of what is reported to be off at most one in twenty "
        "is false. As CSV and JSON each event has a row with the deviations of its "
        "levels and their intervals. Under mpirun or srun all ranks share the work; "
        "the "
        "result is the same. docs/noise.md explains the tables.\n\n"
        "With -o DIR it measures first what else runs on the cores that it is given: a "
        "loop on each of them only reads the time stamp counter, and where two "
        "readings "
        "are far apart something took the core for so long, a detour. What it took, "
        "how "
        "often and at which periods is shown beside the rest. DIR may be new, or hold "
        "a "
        "campaign. With --work a kernel runs instead in a second pass; time stolen by "
        "detours is told from time that the core itself was slower. Each repetition of "
        "the command, and each of --rounds, adds a round to DIR's journals. The exit "
        "status is 3 where a signal ended it; passes that were complete are kept.\n\n"
        "Writes DIR/noise.h5, too, which 'rollcall report' shows; with --kind, --suite "
        "or --events, and where there is no campaign.h5, that stays as it is.\n\n"
        "With --against it says what is not as in another campaign: nodes that are off "
        "in one of them, periods of detours that one of them lacks, and events whose "
        "levels differ by more than their intervals allow.",
    .examples = "  mpirun -n 64 rollcall run -o results --replicate core\n"
                "  rollcall noise results\n"
                "  rollcall noise results --verdict node,differs\n"
                "  rollcall noise results --level core\n"
                "  mpirun -n 4 rollcall noise results --format csv > noise.csv\n"
                "  mpirun -n 64 rollcall noise -o results --time 60s --rounds 3\n"
                "  mpirun -n 64 rollcall noise -o quiet --work flops,dcache --alone\n"
                "  rollcall noise results --against accepted --check nodes\n",
    .options = options,
    .mpi = RC_MPI_LAUNCHED,
    .files = RC_FILE_STORE | RC_FILE_JOURNAL | RC_FILE_NOISE,
    .variables = RC_VARIABLE_TERMINAL,
    .see = (const char *const[]){"run", "solve", "compare", NULL},
    .exits =
        "0 done, 1 failed, 2 wrong usage, 3 stopped by a signal; with --against 0 the "
        "same, 1 different in what --check names, 2 trouble of any sort.",
    .run = run,
};
