/* The run command: a campaign from its file to campaign.h5. */
#include "campaign/assemble.h"
#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/text.h"
#include "campaign/calibrate.h"
#include "campaign/commands.h"
#include "campaign/crew.h"
#include "campaign/draft_team.h"
#include "campaign/opening.h"
#include "campaign/signals.h"
#include "campaign/version.h"
#include "campaign/worker.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct rc_option option_extend = {
    .name = "extend",
    .summary = "measure what a changed campaign file or another kind of machine adds"};

static const struct rc_option *const options[] = {
    &rc_option_directory, &rc_option_campaign,  &rc_option_source,
    &rc_option_suite,     &rc_option_events,    &rc_option_scope,
    &rc_option_repeat,    &rc_option_replicate, &rc_option_qualifiers,
    &rc_option_presets,   &rc_option_seed,      &rc_option_smt,
    &rc_option_sync,      &option_extend,       NULL};

struct work {
    MPI_Comm comm;
    const char *dir;
    bool extend;
    struct rc_opening opening;
    struct rc_crew crew;
    struct rc_journal *journal;
    struct rc_log *log;
    struct rc_progress *progress; /* on rank 0 */
    struct rc_tally *tally;
    size_t kind;
    struct rc_event_map map;
    struct rc_measurer *measurer;
    struct rc_costs costs;
    struct rc_units_setup setup;
    struct rc_units units;
    struct rc_worker *worker;
    uint64_t totals[2]; /* units and their cost, of the job */
    uint64_t began_ns;
    bool interrupted, incomplete;
};

static bool is_first(const struct work *w)
{
    return rc_team_rank(w->comm) == 0;
}

/* For people, from the first rank, and into the log. */
static void say(struct work *w, const char *line)
{
    if (!line[0])
        return;
    if (w->progress)
        rc_progress_say(w->progress, "%s", line);
    else if (is_first(w))
        rc_log_say(w->log, "%s", line);
}

/* A speaker may be any rank: its remarks are for the log there, for people here. */
static void remark(void *context, const char *line)
{
    struct work *w = context;
    char printable[600];

    if (w->progress) {
        rc_progress_say(w->progress, "%s", line);
        return;
    }
    rc_log_say(w->log, "%s", line);
    fprintf(stderr, "%s\n", rc_text_printable(printable, sizeof printable, line));
}

static int open_files(struct work *w, struct rc_error *err)
{
    const struct rc_history *history = w->opening.history;
    const struct rc_journal_setting setting = {
        .dir = w->dir,
        .node = w->crew.nodes.node[w->crew.nodes.mine].name,
        .campaign = history->campaign,
        .writer = (uint32_t)rc_team_rank(w->comm),
        .first_sequence = history->next_sequence,
        .sync_ms = w->opening.spec.sync_ms};
    int status = rc_log_open(w->dir, rc_team_rank(w->comm), &w->log, err);

    if (status == RC_OK && is_first(w))
        status = rc_progress_open(stderr, w->log, &w->progress, err);
    if (status == RC_OK)
        status = rc_journal_open(&setting, &w->journal, err);
    return rc_agree(w->comm, status, err);
}

static int append(struct work *w, uint32_t type, struct rc_bytes *payload, int status,
                  struct rc_error *err)
{
    if (status == RC_OK)
        status =
            rc_journal_append(w->journal, type, payload->byte, payload->count, err);
    rc_bytes_fini(payload);
    return status;
}

static int append_campaign(struct work *w, struct rc_error *err)
{
    struct rc_bytes payload = {0};
    char *text;
    size_t bytes;
    int status = rc_spec_text(&w->opening.spec, &text, &bytes, err);

    if (status != RC_OK)
        return status;
    const struct rc_record_campaign record = {
        .spec = text, .created_by = "rollcall " RC_VERSION, .unix_time = time(NULL)};
    status = append(w, RC_RECORD_CAMPAIGN, &payload,
                    rc_record_put_campaign(&record, &payload, err), err);
    free(text);
    return status;
}

static int append_run(struct work *w, uint32_t type, uint64_t left,
                      struct rc_error *err)
{
    const char *job = getenv("SLURM_JOB_ID");
    struct rc_bytes payload = {0};
    const struct rc_record_run record = {.unix_time = time(NULL),
                                         .ranks = (uint32_t)rc_team_size(w->comm),
                                         .nodes = (uint32_t)w->crew.nodes.count,
                                         .created_by = "rollcall " RC_VERSION,
                                         .job = job ? job : "",
                                         .units_left = left,
                                         .interrupted = w->interrupted};

    return append(w, type, &payload, rc_record_put_run(&record, &payload, err), err);
}

/* The campaign's record stands before anything that belongs to it. */
static int begin(struct work *w, struct rc_error *err)
{
    int status = rc_opening_write(w->comm, w->dir, &w->opening, err);

    if (status == RC_OK && is_first(w) && w->opening.new_spec)
        status = append_campaign(w, err);
    return rc_agree(w->comm, status, err);
}

static int prepare_measurer(struct work *w, struct rc_error *err)
{
    const struct rc_history *history = w->opening.history;
    const struct rc_measurer_setup setup = {
        .spec = &w->opening.spec,
        .catalogue = w->crew.catalogue,
        .kind = &history->kind[w->kind],
        .map = &w->map,
        .kernel_bytes = rc_measurer_kernel_bytes((size_t)rc_team_size(w->crew.node))};
    int status = rc_event_map_make(setup.kind, w->crew.catalogue, &w->map, err);

    if (status == RC_OK)
        status = rc_measurer_create(&setup, &w->measurer, err);
    w->setup = (struct rc_units_setup){.history = history,
                                       .kind = (uint32_t)w->kind,
                                       .spec = &w->opening.spec,
                                       .catalogue = w->crew.catalogue,
                                       .map = &w->map};
    return rc_agree(w->comm, status, err);
}

/* Whether this rank speaks for the units of its place in a lane. */
static bool counts(const struct work *w, enum rc_scope reach)
{
    switch (w->opening.spec.replicate) {
    case RC_REPLICATE_NODE:
        return w->crew.nodes.leads;
    case RC_REPLICATE_CORE:
        return w->crew.reads[reach];
    default:
        return rc_team_rank(w->crew.kind) == 0;
    }
}

/* Finds what is not done and sums it up, each unit once for each place that it is
 * wanted in.
 */
static int find_units(struct work *w, struct rc_error *err)
{
    char label[RC_PLACE_LABEL];
    int status;

    rc_units_fini(&w->units);
    memset(w->totals, 0, sizeof w->totals);
    status = rc_agree(w->comm, rc_units_find(&w->setup, &w->units, err), err);
    if (status != RC_OK)
        return status;
    for (size_t l = 0; l < RC_LANE_COUNT; l++) {
        enum rc_scope reach = l < RC_SCOPE_NODE ? (enum rc_scope)l : RC_SCOPE_NODE;
        const struct rc_lane *lane = &w->units.lane[l];
        rc_crew_label(&w->crew, w->opening.spec.replicate, reach, label);
        rc_units_drop_done(&w->setup, l, label, &w->units);
        w->totals[0] += counts(w, reach) ? lane->count : 0;
        for (size_t i = 0; i < lane->count && counts(w, reach); i++)
            w->totals[1] += lane->unit[i].cost_ns;
    }
    if (w->comm != MPI_COMM_NULL)
        MPI_Allreduce(MPI_IN_PLACE, w->totals, 2, MPI_UINT64_T, MPI_SUM, w->comm);
    return RC_OK;
}

/* Where something is left, its order and the time it takes are worth a trial. */
static int prepare_units(struct work *w, struct rc_error *err)
{
    int status = prepare_measurer(w, err);

    if (status == RC_OK)
        status = find_units(w, err);
    if (status != RC_OK || w->totals[0] == 0)
        return status;
    status = rc_calibrate(w->crew.kind, w->measurer, &w->opening.history->kind[w->kind],
                          &w->costs, err);
    status = rc_agree(w->comm, status, err);
    w->setup.costs = &w->costs;
    return status == RC_OK ? find_units(w, err) : status;
}

static struct rc_progress_state progress_of(struct work *w)
{
    return (struct rc_progress_state){
        .units = rc_tally_value(w->tally, RC_TALLY_UNITS),
        .units_total = w->totals[0],
        .events = rc_tally_value(w->tally, RC_TALLY_EVENTS),
        .invalid = rc_tally_value(w->tally, RC_TALLY_INVALID),
        .failed = rc_tally_value(w->tally, RC_TALLY_FAILED),
        .work_ns = rc_tally_value(w->tally, RC_TALLY_COST_NS),
        .work_total_ns = w->totals[1]};
}

static void tick(void *arg)
{
    struct work *w = arg;

    if (!w->progress)
        return;
    const struct rc_progress_state state = progress_of(w);
    rc_progress_tick(w->progress, &state);
}

static bool stopped(void *arg)
{
    (void)arg;
    return rc_signals_came() != 0;
}

static bool pressed(void *arg)
{
    (void)arg;
    return rc_signals_pressing();
}

static void idle(void *arg)
{
    rc_worker_idle(((struct work *)arg)->worker);
}

/* The measurer was made before the worker that it calls. */
static int measure(struct work *w, struct rc_error *err)
{
    const struct rc_worker_setup setup = {.crew = &w->crew,
                                          .units = &w->setup,
                                          .plan = &w->units,
                                          .measurer = w->measurer,
                                          .journal = w->journal,
                                          .log = w->log,
                                          .tally = w->tally,
                                          .tick = tick,
                                          .stopped = stopped,
                                          .pressed = pressed,
                                          .arg = w};
    int status = rc_worker_create(&setup, &w->worker, err);

    if (status != RC_OK)
        return status;
    rc_measurer_pause(w->measurer, rc_worker_pause, w->worker);
    w->began_ns = rc_clock_ns();
    status = rc_worker_run(w->worker, err);
    if (status != RC_OK)
        rc_log_say(w->log, "%s", err->text);
    rc_worker_leave(w->worker);
    rc_tally_settle(w->tally, idle, w);
    return rc_agree(w->comm, status, err);
}

static void say_work(struct work *w)
{
    double wall = (double)(rc_clock_ns() - w->began_ns) * rc_team_size(w->comm);
    double units = (double)rc_tally_value(w->tally, RC_TALLY_UNIT_NS);
    double kernels = (double)rc_tally_value(w->tally, RC_TALLY_KERNEL_NS);
    char line[256], took[RC_TEXT_SHORT];

    if (!is_first(w) || w->totals[0] == 0)
        return;
    snprintf(line, sizeof line,
             "measured %" PRIu64 " of %" PRIu64 " units in %s on %d rank%s: %.1f %% of "
             "their time in units, %.1f %% of that in kernels and counters",
             rc_tally_value(w->tally, RC_TALLY_UNITS), w->totals[0],
             rc_text_put_duration(took, rc_clock_ns() - w->began_ns),
             rc_team_size(w->comm), rc_team_size(w->comm) == 1 ? "" : "s",
             100 * units / wall, units > 0 ? 100 * kernels / units : 0);
    say(w, line);
}

/* Into the log: what it cost all ranks together to share the work. */
static void log_queue(struct work *w)
{
    struct rc_queue_stats own;
    char line[256];

    rc_worker_stats(w->worker, &own);
    uint64_t sum[] = {own.taken, own.waits, own.request_ns, own.take_ns};
    if (w->comm != MPI_COMM_NULL)
        MPI_Allreduce(MPI_IN_PLACE, sum, sizeof sum / sizeof *sum, MPI_UINT64_T,
                      MPI_SUM, w->comm);
    if (!is_first(w) || sum[0] == 0)
        return;
    snprintf(line, sizeof line,
             "queue: %" PRIu64 " units drawn, %" PRIu64 " waited for; %.2f us a unit "
             "to ask, %.2f us to take",
             sum[0], sum[1], (double)sum[2] / 1e3 / (double)sum[0],
             (double)sum[3] / 1e3 / (double)sum[0]);
    rc_log_say(w->log, "%s", line);
}

static void say_signal(struct work *w)
{
    int came = rc_signals_came();
    char line[512];

    if (w->comm != MPI_COMM_NULL)
        MPI_Allreduce(MPI_IN_PLACE, &came, 1, MPI_INT, MPI_MAX, w->comm);
    w->interrupted = came != 0;
    if (!w->interrupted)
        return;
    snprintf(
        line, sizeof line,
        "stopped by signal %d; what was measured is safe, go on with: rollcall run "
        "-o '%.300s'%s",
        came, w->dir,
        rc_team_size(w->comm) > 1 ? " (under the launcher, on any number of ranks)"
                                  : "");
    say(w, line);
}

/* Everything from the plan to the last unit. */
static int work(struct work *w, struct rc_error *err)
{
    const struct rc_draft_team team = {.crew = &w->crew,
                                       .spec = &w->opening.spec,
                                       .history = w->opening.history,
                                       .journal = w->journal,
                                       .extend = w->extend,
                                       .remark = remark,
                                       .context = w};
    int status = begin(w, err);

    if (status == RC_OK)
        status = rc_draft_team(&team, &w->kind, err);
    if (status == RC_OK)
        status = prepare_units(w, err);
    if (status != RC_OK)
        return status;
    if (is_first(w))
        status = append_run(w, RC_RECORD_RUN, w->totals[0], err);
    status = rc_agree(w->comm, status, err);
    if (status == RC_OK)
        status = rc_tally_create(w->comm, RC_TALLY_COUNTERS, &w->tally, err);
    if (status == RC_OK)
        status = measure(w, err);
    return status;
}

static void say_crew(struct work *w)
{
    const struct rc_catalogue *c = w->crew.catalogue;
    char line[700];

    say(w, w->opening.remark);
    say(w, w->crew.remark);
    if (!is_first(w)) {
        if (w->crew.nodes.leads && w->crew.remark[0])
            rc_log_say(w->log, "%s", w->crew.remark);
        return;
    }
    say(w, c->remark);
    for (size_t i = 0; i < c->source_count; i++) {
        snprintf(line, sizeof line, "source %s, %s: %s", c->source[i].source->name,
                 c->source[i].source->label, c->source[i].counter_set);
        say(w, line);
    }
    snprintf(line, sizeof line, "%d rank%s on %zu node%s of %zu kind%s%s",
             rc_team_size(w->comm), rc_team_size(w->comm) == 1 ? "" : "s",
             w->crew.nodes.count, w->crew.nodes.count == 1 ? "" : "s",
             w->crew.kinds.count, w->crew.kinds.count == 1 ? "" : "s",
             w->opening.was_there ? "; going on with the campaign that is there" : "");
    say(w, line);
}

static int finish(struct work *w, struct rc_error *err)
{
    int status = RC_OK;

    say_signal(w);
    if (w->progress) {
        const struct rc_progress_state state = progress_of(w);
        rc_progress_close(w->progress, &state);
        w->progress = NULL;
    }
    if (is_first(w))
        status =
            append_run(w, RC_RECORD_END,
                       w->totals[0] - rc_tally_value(w->tally, RC_TALLY_UNITS), err);
    int closed = rc_journal_close(w->journal, status == RC_OK ? err : NULL);
    w->journal = NULL;
    return rc_agree(w->comm, status == RC_OK ? closed : status, err);
}

/* The store is made of all that the journals hold by now, of earlier runs too. */
static int store(struct work *w, struct rc_error *err)
{
    struct rc_history *history = NULL;
    char path[PATH_MAX], damage[600];
    int status = rc_history_read(w->comm, w->dir, &history, err);

    for (size_t i = 0; status == RC_OK && i < history->file_count && is_first(w); i++) {
        rc_journal_say(&history->file[i].report, history->file[i].path, damage,
                       sizeof damage);
        if (damage[0])
            remark(w, damage);
    }
    if (status == RC_OK)
        status = rc_assemble(w->comm, w->dir, history, NULL, NULL, err);
    if (status == RC_OK)
        status = rc_assemble_path(w->dir, path, sizeof path, err);
    if (status == RC_OK && is_first(w))
        printf("%s\n", path);
    rc_history_close(history);
    return status;
}

static void say_problems(struct work *w)
{
    uint64_t invalid, failed;
    char line[512];

    if (!is_first(w) || !w->tally)
        return;
    invalid = rc_tally_value(w->tally, RC_TALLY_INVALID);
    failed = rc_tally_value(w->tally, RC_TALLY_FAILED);
    w->incomplete =
        invalid + failed > 0 || rc_tally_value(w->tally, RC_TALLY_UNITS) < w->totals[0];
    if (invalid + failed == 0)
        return;
    snprintf(line, sizeof line,
             "%" PRIu64 " units have readings that are not to be used, %" PRIu64
             " have none: 'rollcall status' and log.txt in '%.300s' say why",
             invalid, failed, w->dir);
    say(w, line);
}

static void work_fini(struct work *w)
{
    rc_worker_close(w->worker);
    rc_tally_close(w->tally);
    rc_units_fini(&w->units);
    rc_costs_fini(&w->costs);
    rc_measurer_close(w->measurer);
    rc_event_map_fini(&w->map);
    rc_progress_close(w->progress, NULL);
    rc_log_close(w->log);
    (void)rc_journal_close(w->journal, NULL);
    rc_crew_fini(&w->crew);
    rc_opening_fini(&w->opening);
}

/* The first rank knows; all leave with the same exit status. */
static bool is_incomplete(const struct work *w)
{
    int incomplete = w->incomplete || w->interrupted;

    if (w->comm != MPI_COMM_NULL)
        MPI_Bcast(&incomplete, 1, MPI_INT, 0, w->comm);
    return incomplete != 0;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    struct work w = {.comm = session->comm,
                     .dir = rc_args_value(args, &rc_option_directory),
                     .extend = rc_args_has(args, &option_extend)};
    int status;

    if (!w.dir || !w.dir[0])
        return rc_fail(err, RC_EUSAGE,
                       "expected -o DIR: where the campaign is, or is to be");
    rc_signals_watch();
    status = rc_opening_init(w.comm, w.dir, args, w.extend, &w.opening, err);
    if (status == RC_OK)
        status = rc_crew_init(w.comm, &w.opening.spec, &w.crew, err);
    if (status == RC_OK)
        status = open_files(&w, err);
    if (status == RC_OK) {
        say_crew(&w);
        status = work(&w, err);
    }
    if (status == RC_OK) {
        say_work(&w);
        log_queue(&w);
        say_problems(&w);
        status = finish(&w, err);
    }
    if (status == RC_OK && !w.interrupted)
        status = store(&w, err);
    session->incomplete = is_incomplete(&w);
    work_fini(&w);
    return status;
}

const struct rc_command rc_command_run = {
    .name = "run",
    .summary = "runs a campaign, or goes on with one",
    .operands = "[PATTERN]...",
    .operands_most = SIZE_MAX,
    .description =
        "Measures every event that counts over the kernels of all suites, on all the "
        "cores and nodes that it is given, and keeps each repetition in DIR. Alone it "
        "uses one core; under mpirun or srun one core for each rank.\n\n"
        "DIR/journal holds what was measured; nothing there is ever changed or lost. "
        "When a run is killed, or told to stop by SIGINT, SIGTERM or SIGUSR1, "
        "'rollcall "
        "run -o DIR' goes on with what is missing, on any number of ranks and nodes. A "
        "campaign in DIR keeps its campaign file, DIR/campaign.yaml: other options or "
        "another kind of machine are refused unless --extend is given.\n\n"
        "The exit status is 3 where units are missing or have no valid result.",
    .examples =
        "  rollcall run -o results  # everything that counts here, on one core\n"
        "  mpirun -n 8 rollcall run -o results --suite flops,branch\n"
        "  mpirun rollcall run -o results  # goes on with what is missing\n"
        "  rollcall run -o simulated --source model:spr 'FP_ARITH*'\n",
    .options = options,
    .mpi = RC_MPI_LAUNCHED,
    .run = run,
};
