/* The run command: a campaign from its file to campaign.h5 and metrics.h5.
 *
 * All functions with a struct rc_run are collective over the job.  Each step ends with
 * an agreement, so that all ranks leave at the same step; a rank that fails alone while
 * it measures leaves its units to the others (queue/queue.h).
 */
#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/launch.h"
#include "campaign/cli/signals.h"
#include "campaign/machine/crowd.h"
#include "campaign/run/parts.h"
#include "campaign/solve/solve.h"
#include "campaign/spec/options.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static RC_OPTION(
    option_extend, "extend", NULL,
    "measure what a changed campaign file or another kind of machine adds");

static RC_OPTION(option_shares, "shares", "K",
                 "measure nothing: DIR/0 to DIR/(K-1) become shares of the campaign, "
                 "dealt out in turn, each to be measured by 'run -o DIR/I'");

static RC_OPTION(option_no_solve, "no-solve", NULL,
                 "measure only: no metrics.h5 and no summary of the metrics");

static RC_OPTIONS(options, &rc_option_directory, &rc_option_campaign, &rc_option_name,
                  &rc_option_source, &rc_option_suite, &rc_option_axis,
                  &rc_option_kernel, &rc_option_events, &rc_option_scope,
                  &rc_option_repeat, &rc_option_replicate, &rc_option_qualifiers,
                  &rc_option_presets, &rc_option_seed, &rc_option_smt, &rc_option_sync,
                  &option_extend, &option_shares, &option_no_solve, &rc_option_quiet,
                  &rc_option_verbose);

/* After one signal no new unit is begun, and the present ones are finished. */
static bool is_stopped(void *arg)
{
    struct rc_run *w = arg;
    struct rc_launch launch;
    const int came = rc_signals_came();

    if (came && !w->said_signal) {
        w->said_signal = true;
        /* If the launcher kills its ranks, nobody can say later how to resume. */
        if ((came == SIGINT || came == SIGTERM) && rc_launch_find(&launch) &&
            launch.kills) {
            rc_signals_hurry();
            rc_run_warn(w,
                        "stopping: what was measured is safe, 'rollcall run -o %.300s' "
                        "resumes it; mpirun kills its ranks about 2 s after Ctrl-C: of "
                        "the unit at hand its whole repetitions are kept, and it is "
                        "measured again (SIGUSR1 to mpirun lets it end)",
                        w->dir);
        } else {
            rc_run_warn(w, "stopping: the current unit may finish, for at most 5 s; a "
                           "second signal abandons it");
        }
    }
    return rc_signals_came() != 0;
}

/* After a second signal the present unit is given up. */
static bool is_pressed(void *arg)
{
    return is_stopped(arg) && rc_signals_pressing();
}

static void keep_worker_idle(void *arg)
{
    rc_worker_idle(((struct rc_run *)arg)->worker);
}

/* Does everything from the plan to the last unit; then settles the counts of all ranks.
 */
static int plan_and_measure(struct rc_run *w, struct rc_error *err)
{
    int status = rc_run_plan(w, err);

    if (status != RC_OK)
        return status;
    rc_progress_stage(w->progress, "timing kernels for the estimate");
    status = rc_run_prepare_units(w, err);
    rc_progress_hide(w->progress);
    if (status != RC_OK)
        return status;
    if (rc_run_is_first(w))
        status = rc_run_append_run(w, RC_RECORD_RUN, w->totals[0], err);
    status = rc_agree(w->comm, status, err);
    if (status != RC_OK)
        return status;
    w->opening.begun = true;
    if ((status = rc_rank_counters_create(w->comm, RC_RANK_COUNTER_COUNT,
                                          &w->rank_counters, err)) != RC_OK)
        return status;
    const struct rc_worker_setup setup = {.ranks = &w->ranks,
                                          .units = &w->setup,
                                          .plan = &w->units,
                                          .measurer = w->measurer,
                                          .journal = w->journal,
                                          .rank_counters = w->rank_counters,
                                          .tick = rc_run_tick,
                                          .detail = rc_run_detail,
                                          .stopped = is_stopped,
                                          .pressed = is_pressed,
                                          .arg = w};
    if ((status = rc_worker_create(&setup, &w->worker, err)) != RC_OK)
        return status;
    /* Measurer and worker call each other; the measurer was made first. */
    rc_measurer_pause(w->measurer, rc_worker_pause, w->worker);
    w->began_ns = rc_clock_ns();
    rc_progress_start(w->progress);
    rc_run_tick(w);
    status = rc_worker_run(w->worker, err);
    if (status != RC_OK)
        rc_log_say(w->log, "%s", err->text);
    rc_worker_leave(w->worker);
    rc_rank_counters_settle(w->rank_counters, keep_worker_idle, w);
    return rc_agree(w->comm, status, err);
}

/* Writes the record of the run's end and closes all journals. */
static int finish_journals(struct rc_run *w, struct rc_error *err)
{
    int status = RC_OK;

    rc_run_say_signal(w);
    rc_run_close_progress(w);
    if (rc_run_is_first(w))
        status = rc_run_append_run(
            w, RC_RECORD_END,
            w->totals[0] -
                rc_rank_counters_value(w->rank_counters, RC_RANK_COUNTER_UNITS),
            err);
    int closed = rc_journal_close(w->journal, status == RC_OK ? err : NULL);
    w->journal = NULL;
    return rc_agree(w->comm, status == RC_OK ? closed : status, err);
}

/* Collective: makes metrics.h5, and prints the number of metrics. */
static int solve_campaign(const struct rc_run *w, struct rc_error *err)
{
    struct rc_solving how = {.dir = w->dir,
                             .spec = &w->opening.spec,
                             .seed = w->opening.spec.seed,
                             .progress = w->progress,
                             .out = stdout,
                             .summary = true};
    bool incomplete; /* by units, which the run itself knows better */
    struct rc_crowd crowd;
    int status = RC_OK;

    rc_crowd_begin(w->comm, &crowd);
    how.comm = crowd.working;
    if (crowd.works)
        status = rc_solve(&how, &incomplete, err);
    status = rc_crowd_end(&crowd, status, err);
    if (status != RC_OK)
        rc_text_append(err->text, sizeof err->text,
                       "; campaign.h5 is whole: 'rollcall solve' solves it");
    return status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    struct rc_run w = {.comm = session->comm,
                       .dir = rc_args_value(args, &rc_option_directory),
                       .extend = rc_args_has(args, &option_extend)};
    const char *shares = rc_args_value(args, &option_shares);
    int status, incomplete;

    if ((!w.dir || !w.dir[0]) && args->operand_count == 1 && args->operands[0][0])
        return rc_fail(err, RC_EUSAGE,
                       "expected -o DIR: a new directory, or that of a campaign to "
                       "resume; did you mean 'rollcall run -o %s'?",
                       args->operands[0]);
    if (!w.dir || !w.dir[0])
        return rc_fail(
            err, RC_EUSAGE,
            "expected -o DIR: a new directory, or that of a campaign to resume");
    if (shares && w.extend)
        return rc_fail(err, RC_EUSAGE,
                       "--shares begins a campaign, and --extend continues one: "
                       "expected one of them");
    rc_signals_watch();
    if (shares)
        return rc_run_shares(session, args, w.dir, shares, err);
    if ((status = rc_run_open(&w, args, err)) != RC_OK ||
        (status = plan_and_measure(&w, err)) != RC_OK)
        goto out;
    rc_run_say_work(&w);
    rc_run_log_queue(&w);
    rc_run_say_problems(&w);
    if ((status = finish_journals(&w, err)) != RC_OK || w.interrupted)
        goto out;
    w.progress = rc_progress_of(w.comm); /* for the files made from the journals */
    if ((status = rc_run_store(&w, err)) != RC_OK ||
        rc_args_has(args, &option_no_solve) || rc_campaign_share(w.opening.campaign))
        goto out;
    status = solve_campaign(&w, err);
out:
    /* The first rank decides; all come here and leave with the same exit status. */
    incomplete = w.incomplete || w.interrupted;
    rc_broadcast(w.comm, 0, &incomplete, sizeof incomplete);
    session->incomplete = incomplete != 0;
    rc_run_fini(&w);
    return status;
}

const struct rc_command rc_command_run = {
    .name = "run",
    .summary = "runs a campaign, or resumes one",
    .operands = "[PATTERN]...",
    .operands_most = SIZE_MAX,
    .options = options,
    .mpi = RC_MPI_LAUNCHED,
    .files =
        RC_FILE_SPEC | RC_FILE_JOURNAL | RC_FILE_STORE | RC_FILE_METRICS | RC_FILE_LOG,
    .variables =
        RC_VARIABLE_TERMINAL | RC_VARIABLE_DATA | RC_VARIABLE_JOB | RC_VARIABLE_RANKS,
    .see = (const char *const[]){"plan", "status", "solve", "report", "merge", NULL},
    .run = run,
};
