/* The noise command: measures detours if it is asked to; then says how far readings
 * scatter, at which level, which nodes are off, and what detours cost, and writes that
 * into DIR/noise.h5; or says what differs from another campaign.
 */
#include "campaign/noise/request.h"

#include "campaign/base/agree.h"
#include "campaign/base/files/path.h"
#include "campaign/cli/commands.h"
#include "campaign/spec/options.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static RC_OPTION(option_suite, "suite", "A,B",
                 "only readings of these suites of kernels; all by default",
                 .repeats = true, .hint = rc_suite_hint);
static RC_OPTION(option_verdict, "verdict", "A,B",
                 "list the events with these verdicts, such as node,core or differs",
                 .repeats = true);

static RC_OPTION(option_level, "level", "A,B",
                 "list the events that scatter at these: rep, core, node; with core, "
                 "name cores that are off, too",
                 .repeats = true);

static RC_OPTION(option_against, "against", "REF",
                 "say what differs from REF, the directory of another campaign or its "
                 "noise.h5; the exit status is that of a comparison");
static RC_OPTION(
    option_check, "check", "A,B",
    "against: differences that matter: nodes, periods, level; all by default",
    .repeats = true);

static RC_OPTIONS(options, &rc_option_directory, &rc_noise_option_time,
                  &rc_noise_option_work, &rc_noise_option_alone,
                  &rc_noise_option_rounds, &rc_noise_option_no_tracepoints,
                  &rc_option_result_kind, &option_suite, &rc_option_events,
                  &option_level, &option_verdict, &rc_option_format, &option_against,
                  &option_check, &rc_option_quiet, &rc_option_verbose);

enum { EXIT_TROUBLE = 2 }; /* of --against, since 1 says that something differs */

/* Reads which events are listed, from --verdict and --level. */
static int take_listed(const struct rc_args *args, struct rc_noise_request *r,
                       struct rc_error *err)
{
    static const char *const levels[] = {"rep", "core", "node", NULL};
    bool level[RC_LEVEL_COUNT] = {false};
    int status =
        rc_args_choose(args, &option_verdict, rc_noise_verdict_names,
                       "exact, differs, repetition, core, node, unresolved or not-read",
                       r->verdict, err);

    if (status == RC_OK)
        status = rc_args_choose(args, &option_level, levels, "rep, core or node", level,
                                err);
    for (size_t l = 0; l < RC_LEVEL_COUNT; l++)
        r->verdict[RC_NOISE_REPETITION + l] |= level[l];
    r->cores = level[RC_LEVEL_CORE];
    r->listed = rc_args_has(args, &option_verdict) || rc_args_has(args, &option_level);
    return status;
}

static int take_options(const struct rc_args *args, struct rc_noise_request *r,
                        struct rc_error *err)
{
    int status = rc_noise_task_take(args, &r->task, &r->dir, err);

    if (status != RC_OK)
        return status;
    r->kind = rc_args_value(args, &rc_option_result_kind);
    r->format = rc_rows_format(rc_args_value(args, &rc_option_format));
    r->against = rc_args_value(args, &option_against);
    if ((status = rc_campaign_dir_results(r->dir, r->path, sizeof r->path, err)) !=
            RC_OK ||
        (status = rc_path(r->noise_path, sizeof r->noise_path, err, "%s/noise.h5",
                          r->dir)) != RC_OK ||
        (status = take_listed(args, r, err)) != RC_OK ||
        (status = rc_patterns_read(&r->patterns, args, &rc_option_events, err)) !=
            RC_OK)
        return status;
    const bool all = !rc_args_has(args, &option_check);
    if (!all && !r->against)
        return rc_fail(err, RC_EUSAGE, "--check goes with --against");
    if (r->against && r->listed)
        return rc_fail(err, RC_EUSAGE, "--verdict: --against lists what differs");
    for (size_t i = 0; i < RC_NOISE_CHECKS; i++)
        r->checked[i] = all;
    status = rc_args_choose(args, &option_check, rc_noise_check_names,
                            "nodes, periods or level", r->checked, err);
    return status == RC_OK ? rc_args_words(args, &option_suite, true, &r->suites, err)
                           : status;
}

/* Collective.  Finds what there is to judge: campaign.h5, and losses by detours. */
static int find_results(struct rc_noise_request *r, struct rc_error *err)
{
    int status = RC_OK;

    if (rc_team_rank(r->comm) == 0 && access(r->dir, F_OK) != 0 && errno == ENOENT)
        status =
            rc_fail(err, RC_EMISSING,
                    "'%s' is not there, expected the directory of a campaign", r->dir);
    status = rc_agree(r->comm, status, err);
    if (status != RC_OK)
        return status;
    r->has_store = access(r->path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
    rc_broadcast(r->comm, 0, &r->has_store, sizeof r->has_store);
    status = rc_noise_losses_read(r->comm, r->dir, &r->losses, err);
    if (status != RC_OK || r->has_store || (r->losses.count > 0 && !r->against))
        return status;
    return rc_fail(
        err, RC_EMISSING,
        "'%s' is not there, 'rollcall pack DIR' makes it from a campaign's journals",
        r->path);
}

/* Checks that the store has the requested names, in one kind at least. */
static int check_names(const struct rc_noise_request *r, struct rc_error *err)
{
    const size_t kinds = rc_store_kind_count(r->store);

    if (r->kind && rc_store_find_kind(r->store, r->kind) == kinds)
        return rc_fail(err, RC_EMISSING, "no kind '%.100s' in '%s'", r->kind, r->path);
    for (size_t i = 0; i < r->suites.count; i++) {
        bool found = false;
        for (size_t k = 0; k < kinds; k++)
            found = found || rc_store_find_suite(r->store, k, r->suites.word[i]) <
                                 rc_store_suite_count(r->store, k);
        if (!found)
            return rc_fail(err, RC_EMISSING, "no readings of suite '%.100s' in '%s'",
                           r->suites.word[i], r->path);
    }
    return RC_OK;
}

struct search {
    const struct rc_patterns *patterns;
    bool found;
    char near[256]; /* the nearest name */
};

static bool match_name(void *context, size_t number, const struct rc_store_event *event)
{
    struct search *s = context;

    (void)number;
    s->found = rc_patterns_may_take(s->patterns, event->name);
    if (rc_patterns_is_nearer(s->patterns, 0, s->near[0] ? s->near : NULL, event->name))
        snprintf(s->near, sizeof s->near, "%s", event->name);
    return !s->found;
}

/* Checks that the patterns match an event.  Not collective. */
static int check_patterns(const struct rc_noise_request *r, struct rc_error *err)
{
    struct search s = {&r->patterns, r->patterns.count == 0, ""};
    const char *near = s.near;
    int status = RC_OK;

    for (size_t k = 0; k < rc_store_kind_count(r->store) && !s.found && status == RC_OK;
         k++)
        status = rc_store_each_name(r->store, k, match_name, &s, err);
    if (status != RC_OK || s.found)
        return status;
    return rc_fail(
        err, RC_EMISSING, "--events: no event of this campaign matches '%s'%s%s%s%s",
        r->patterns.item[0], r->patterns.count > 1 ? " or the other patterns" : "",
        near[0] ? ", did you mean '" : "", near, near[0] ? "'?" : "");
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    struct rc_noise_request r = {.comm = session->comm,
                                 .save = {.unsaved = {.rank = -1}}};
    struct rc_error late = {.rank = -1};

    session->trouble = rc_args_has(args, &option_against) ? EXIT_TROUBLE : 0;
    int status = rc_agree(r.comm, take_options(args, &r, err), err);
    if (status != RC_OK)
        goto out;
    if (r.task.dir)
        status = rc_noise_measure(r.comm, &r.task, &session->incomplete, err);
    if (status != RC_OK || session->incomplete ||
        (status = find_results(&r, err)) != RC_OK)
        goto out;
    if (r.has_store &&
        ((status = rc_noise_save_hold(&r, err)) != RC_OK ||
         (status = rc_store_open(r.comm, r.path, &r.store, err)) != RC_OK ||
         (status = check_names(&r, err)) != RC_OK ||
         (status = rc_agree(r.comm,
                            rc_team_rank(r.comm) == 0 ? check_patterns(&r, err) : RC_OK,
                            err)) != RC_OK))
        goto out;
    if (r.against) {
        status = rc_noise_compare(&r, &session->differs, err);
        goto out;
    }
    if ((status = rc_noise_together_find(r.comm, r.dir, &r.losses, err)) != RC_OK)
        goto out;
    if (r.has_store)
        rc_noise_save_begin(&r);
    if ((status = rc_noise_answer(&r, err)) != RC_OK)
        goto out;
    status = rc_noise_save_end(&r, err);
out:
    rc_noise_save_fini(&r.save);
    (void)rc_store_close(r.store, &late);
    rc_noise_losses_fini(&r.losses);
    rc_noise_task_fini(&r.task);
    rc_arg_words_fini(&r.suites);
    rc_patterns_fini(&r.patterns);
    return status;
}

const struct rc_command rc_command_noise = {
    .name = "noise",
    .summary = "says how far readings scatter, which nodes are off, what detours cost",
    .operands = "[DIR]",
    .operands_most = 1,
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
