/* The loop of a rank: draws units, measures them and appends their records.
 *
 * Lanes are done in order, from the core's to the widest.  In the lane of a shared unit
 * of the machine only its reader draws, and measures with exclusive use of that unit;
 * the other ranks of it sleep until the reader has nothing left.  In the last lane all
 * ranks of a node run each kernel together.  A waiting rank still makes progress in
 * MPI: the queue's counters are in some rank's memory, and others can read them only
 * while that rank calls MPI.
 */
#include "campaign/run/worker.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/queue/exclusive.h"

#include <stdlib.h>
#include <string.h>

struct rc_worker {
    struct rc_worker_setup setup;
    const struct rc_campaign_kind *kind; /* the kind of these units */
    struct rc_queue *queue;
    struct rc_exclusive *exclusive[RC_SCOPE_COUNT]; /* NULL: nobody needs quiet there */
    struct rc_measure_team team;                    /* the ranks of the node */
    struct rc_bytes payload;
    size_t lane;                     /* that is being worked on */
    const struct rc_plan_unit *unit; /* that is measured, or NULL */
    uint64_t credited_ns; /* part of its cost that the counters have already */
    uint64_t idled_ns;    /* time of the last call for others */
};

/* Progress for others costs a call of the scheduler if ranks share cores, so it is not
 * made after each reading, of which a simulation makes a million a second.
 */
static const uint64_t idle_every_ns = 1000000;

static enum rc_replicate replicate_of(const struct rc_worker *w)
{
    return rc_units_replicate(w->setup.units);
}

/* Counts the unit under way in parts, since it may take minutes.  The last part is for
 * its record.
 */
static void credit_unit(struct rc_worker *w)
{
    const struct rc_measure_at at = rc_measurer_at(w->setup.measurer);

    if (!w->unit || !at.suite || at.points == 0 || w->unit->repetitions == 0)
        return;
    const double sweeps =
        at.repetition - 1 + (double)(at.point - 1) / (double)at.points;
    const double part = sweeps / w->unit->repetitions;
    const uint64_t done =
        (uint64_t)((double)w->unit->cost_ns * (part < 0.95 ? part : 0.95));
    if (done <= w->credited_ns)
        return;
    rc_rank_counters_add(w->setup.rank_counters, RC_RANK_COUNTER_COST_NS,
                         done - w->credited_ns);
    w->credited_ns = done;
}

void rc_worker_idle(void *worker)
{
    struct rc_worker *w = worker;
    uint64_t now = rc_clock_ns();

    if (now - w->idled_ns < idle_every_ns)
        return;
    w->idled_ns = now;
    credit_unit(w);
    if (w->queue)
        rc_queue_progress(w->queue);
    rc_rank_counters_progress(w->setup.rank_counters);
    if (w->setup.tick)
        w->setup.tick(w->setup.arg);
}

bool rc_worker_pause(void *worker)
{
    struct rc_worker *w = worker;

    rc_worker_idle(w);
    return w->setup.pressed && w->setup.pressed(w->setup.arg);
}

/* Every rank of the kind plans the same lanes, so all ranks of a node agree on which
 * scopes need quiet; with 'replicate' the remaining units may differ by place, so all
 * scopes that any rank needs get a lock.
 */
static int open_exclusives(struct rc_worker *w, struct rc_error *err)
{
    const struct rc_exclusive_idle idle = {.call = rc_worker_idle, .arg = w};
    const struct rc_ranks *ranks = w->setup.ranks;
    int needed[RC_SCOPE_COUNT] = {0}, status = RC_OK;

    for (int s = RC_SCOPE_CORE + 1; s <= RC_SCOPE_NODE; s++)
        needed[s] = w->setup.plan->lane[s].count > 0;
    rc_team_reduce(ranks->node, needed, RC_SCOPE_COUNT, MPI_INT, MPI_MAX);
    for (int s = RC_SCOPE_CORE + 1; s <= RC_SCOPE_NODE; s++)
        if (needed[s] &&
            (status = rc_exclusive_create(ranks->node, ranks->unit[s], &idle,
                                          &w->exclusive[s], err)) != RC_OK)
            return status;
    return status;
}

int rc_worker_create(const struct rc_worker_setup *setup, struct rc_worker **out,
                     struct rc_error *err)
{
    MPI_Comm comm = setup->ranks->comm;
    struct rc_worker *w = rc_calloc(1, sizeof *w);
    uint64_t tickets[RC_LANE_COUNT];
    int status = w ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for a worker");

    *out = NULL;
    status = rc_agree(comm, status, err);
    if (status != RC_OK) {
        free(w);
        return status;
    }
    w->setup = *setup;
    w->kind = &setup->units->campaign->kind[setup->units->kind];
    /* The lowest rank has the counters: it is the reader of every shared unit that it
     * is in, so it never sleeps while another one reads.
     */
    for (size_t l = 0; l < RC_LANE_COUNT; l++)
        tickets[l] = setup->plan->lane[l].count;
    /* The ranks that draw from the same lanes: all of the kind, or those of a place if
     * units are replicated.
     */
    const enum rc_replicate replicate = replicate_of(w);
    MPI_Comm drawing = replicate == RC_REPLICATE_NODE   ? setup->ranks->node
                       : replicate == RC_REPLICATE_CORE ? MPI_COMM_NULL
                                                        : setup->ranks->kind;
    status = rc_agree(
        comm, rc_queue_create(drawing, tickets, RC_LANE_COUNT, &w->queue, err), err);
    if (status == RC_OK)
        status = rc_agree(comm, open_exclusives(w, err), err);
    /* Ranks that share a core with a rank before them come last. */
    const struct rc_ranks *ranks = setup->ranks;
    const size_t cores =
        rc_machine_unit_count(ranks->catalogue->machine, RC_SCOPE_CORE);
    rc_measure_team_open(ranks->node,
                         ranks->place.core + (ranks->reads[RC_SCOPE_CORE] ? 0 : cores),
                         &w->team);
    w->team.idle = rc_worker_idle;
    w->team.arg = w;
    if (status != RC_OK) {
        rc_worker_close(w);
        return status;
    }
    *out = w;
    return RC_OK;
}

void rc_worker_leave(struct rc_worker *w)
{
    for (int s = 0; s < RC_SCOPE_COUNT; s++) {
        rc_exclusive_close(w->exclusive[s]);
        w->exclusive[s] = NULL;
    }
}

void rc_worker_close(struct rc_worker *w)
{
    if (!w)
        return;
    rc_worker_leave(w);
    rc_measure_team_close(&w->team);
    rc_queue_close(w->queue);
    rc_bytes_fini(&w->payload);
    free(w);
}

void rc_worker_stats(const struct rc_worker *w, struct rc_queue_stats *out)
{
    rc_queue_stats(w->queue, out);
}

static bool is_stopped(const struct rc_worker *w)
{
    return w->setup.stopped && w->setup.stopped(w->setup.arg);
}

static void count_unit(struct rc_worker *w, const struct rc_plan_unit *unit,
                       const struct rc_record_unit *record)
{
    struct rc_rank_counters *rank_counters = w->setup.rank_counters;

    rc_rank_counters_add(rank_counters, RC_RANK_COUNTER_UNITS, 1);
    rc_rank_counters_add(rank_counters, RC_RANK_COUNTER_EVENTS, record->events);
    rc_rank_counters_add(rank_counters, RC_RANK_COUNTER_COST_NS,
                         unit->cost_ns - w->credited_ns);
    rc_rank_counters_add(rank_counters, RC_RANK_COUNTER_KERNEL_NS, record->kernel_ns);
    if (record->status == RC_UNIT_INVALID)
        rc_rank_counters_add(rank_counters, RC_RANK_COUNTER_INVALID, 1);
    if (record->status == RC_UNIT_FAILED)
        rc_rank_counters_add(rank_counters, RC_RANK_COUNTER_FAILED, 1);
}

static bool is_simulated(const struct rc_worker *w, const struct rc_plan_unit *unit)
{
    return w->kind->record.source[w->kind->group[unit->group].source].simulated;
}

/* Fills in the unit and its place; a source that runs no kernel runs nowhere. */
static void fill_where(const struct rc_worker *w, const struct rc_plan_unit *unit,
                       const char *place, struct rc_record_unit *record)
{
    const struct rc_ranks *ranks = w->setup.ranks;

    *record = (struct rc_record_unit){.kind = w->kind->id,
                                      .suite = unit->suite,
                                      .group = unit->group,
                                      .place = place,
                                      .node = ""};
    if (is_simulated(w, unit))
        return;
    record->node = ranks->nodes.node[ranks->nodes.mine].name;
    record->core = (uint32_t)ranks->place.core;
    record->cpu = ranks->cpu.os_index;
}

/* Called when the last sweep of a unit begins: the next unit is asked for while this
 * one is still measured, so that nobody waits for the answer.  Not earlier: the longest
 * units are drawn first, and a long one would wait for this one while other ranks have
 * none left.
 */
static void draw_ahead(void *worker)
{
    struct rc_worker *w = worker;

    rc_queue_request(w->queue, w->lane);
}

/* How a unit is measured. */
struct way {
    const struct rc_measure_team *team; /* with whom; NULL: this rank alone */
    uint64_t begin_ns;                  /* the team's; 0: now */
    uint32_t busy[RC_SCOPE_COUNT]; /* in a simulation: busy neighbours in each scope */
};

/* The workers of a team that read and keep a unit: those of its largest point, or the
 * first one alone, for which the others run the kernels.
 */
static bool keeps_unit(const struct rc_worker *w, const struct rc_plan_unit *unit,
                       const struct rc_measure_team *team)
{
    const uint32_t most = rc_record_suite_team(&w->kind->suite[unit->suite]);

    return !team || team->number < (most ? most : 1);
}

/* Appends the record of a unit; of a team the first worker's is the last one, and there
 * is none if another could not append its own: the unit is not done then.
 */
static int append_unit(struct rc_worker *w, const struct rc_record_unit *record,
                       const struct rc_record_readings *readings,
                       const struct rc_measure_team *team, bool keeps,
                       struct rc_error *err)
{
    const bool first = !team || team->number == 0;
    int status = RC_OK;

    if (keeps)
        status = rc_record_put_sweeps(record, readings, &w->payload, err);
    if (status == RC_OK && keeps && !first)
        status = rc_journal_append(w->setup.journal, RC_RECORD_UNIT, w->payload.byte,
                                   w->payload.count, err);
    if (status != RC_OK)
        err->rank = rc_team_rank(w->setup.ranks->comm);
    if (team)
        status = rc_agree(team->comm, status, err);
    if (status == RC_OK && first)
        status = rc_journal_append(w->setup.journal, RC_RECORD_UNIT, w->payload.byte,
                                   w->payload.count, err);
    return status;
}

/* Says it if the unit is not ok, and adds the unit to the job's counters. */
static void say_unit(struct rc_worker *w, const struct rc_plan_unit *unit,
                     const struct rc_record_unit *record, uint64_t took_ns)
{
    if (record->status != RC_UNIT_OK) {
        char line[512];
        snprintf(line, sizeof line, "%s, group %u: %s: %s",
                 w->kind->suite[unit->suite].name, unit->group,
                 rc_unit_status_names()[record->status], record->reason);
        w->setup.detail(w->setup.arg, line);
    }
    if (record->stop != RC_STOP_INTERRUPTED)
        count_unit(w, unit, record);
    rc_rank_counters_add(w->setup.rank_counters, RC_RANK_COUNTER_UNIT_NS, took_ns);
}

/* Measures one unit and appends its record.  A unit that was given up (a signal) has
 * only complete repetitions.
 */
static int measure_unit(struct rc_worker *w, const struct rc_plan_unit *unit,
                        const struct way *way, struct rc_error *err)
{
    const struct rc_measure_team *team = way->team;
    const bool keeps = keeps_unit(w, unit, team), first = !team || team->number == 0;
    struct rc_measure_task task = {.suite = unit->suite,
                                   .group = unit->group,
                                   .team = team,
                                   .unread = !keeps,
                                   .begin_ns = way->begin_ns,
                                   .ending = first ? draw_ahead : NULL,
                                   .ending_arg = w};
    struct rc_record_readings readings;
    struct rc_record_unit record;
    char own[RC_PLACE_LABEL], place[RC_PLACE_LABEL];
    uint64_t start = rc_clock_ns();
    int status;

    const bool named = team && rc_record_suite_team(&w->kind->suite[unit->suite]);
    rc_ranks_label(w->setup.ranks, named ? RC_REPLICATE_CORE : replicate_of(w),
                   named ? RC_SCOPE_CORE : (enum rc_scope)w->lane, own);
    task.where = rc_units_where(w->setup.units, w->lane, unit, own,
                                named ? team->number : RC_NO_WORKER, place);
    memcpy(task.busy, way->busy, sizeof task.busy);
    fill_where(w, unit, place, &record);
    w->unit = first ? unit : NULL;
    w->credited_ns = 0;
    status = rc_measurer_run(w->setup.measurer, &task, &record, &readings, err);
    w->unit = NULL;
    if (status != RC_OK || record.status == 0 ||
        (status = append_unit(w, &record, &readings, team, keeps, err)) != RC_OK)
        return status;
    if (first)
        say_unit(w, unit, &record, rc_clock_ns() - start);
    return RC_OK;
}

/* How the ranks of a node measure a unit of the last lane.  Readings that are made up
 * are those of a machine whose cores are all busy; one rank makes them up, unless the
 * suite has teams.
 */
static struct way way_of(const struct rc_worker *w, const struct rc_plan_unit *unit)
{
    const struct rc_machine *machine = w->setup.ranks->catalogue->machine;
    const bool simulated = is_simulated(w, unit);
    struct way way = {.team = &w->team};

    if (simulated && !rc_record_suite_team(&w->kind->suite[unit->suite]))
        way.team = NULL;
    for (int s = RC_SCOPE_CORE + 1; s < RC_SCOPE_COUNT && simulated; s++) {
        const struct rc_unit *shared = rc_machine_unit(
            machine, (enum rc_scope)(s < RC_SCOPE_NODE ? s : RC_SCOPE_NODE), 0);
        way.busy[s] =
            shared && shared->core_count ? (uint32_t)shared->core_count - 1 : 0;
    }
    return way;
}

/* The first worker of a node gives the order for each unit that the others measure with
 * it, and one more as the end.
 */
static int lead_unit(struct rc_worker *w, uint64_t number, struct rc_error *err)
{
    const struct rc_plan_unit *unit = &w->setup.plan->lane[w->lane].unit[number];
    struct rc_measure_order order = {number, rc_clock_unix_ns()};
    struct way way = way_of(w, unit);

    if (way.team)
        rc_measure_team_tell(way.team, &order);
    way.begin_ns = order.begin_ns;
    return measure_unit(w, unit, &way, err);
}

static int follow_units(struct rc_worker *w, struct rc_error *err)
{
    struct rc_measure_order order;
    int status = RC_OK;

    w->lane = RC_LANE_ALL_CORES;
    for (rc_measure_team_tell(&w->team, &order); order.begin_ns;
         rc_measure_team_tell(&w->team, &order)) {
        const struct rc_plan_unit *unit =
            &w->setup.plan->lane[w->lane].unit[order.unit];
        struct way way = way_of(w, unit);
        struct rc_error later;
        way.begin_ns = order.begin_ns;
        const int failed = measure_unit(w, unit, &way, status == RC_OK ? err : &later);
        status = status == RC_OK ? failed : status;
    }
    return status;
}

/* Measures the units of a lane until none is left or the run is stopped. */
static int run_lane(struct rc_worker *w, size_t lane, struct rc_error *err)
{
    const struct rc_lane *units = &w->setup.plan->lane[lane];
    struct rc_exclusive *exclusive = w->exclusive[lane];
    uint64_t ticket;
    int status = RC_OK;

    w->lane = lane;
    while (!is_stopped(w) && rc_queue_take(w->queue, lane, &ticket)) {
        if (exclusive)
            rc_exclusive_acquire(exclusive);
        status = lane == RC_LANE_ALL_CORES
                     ? lead_unit(w, ticket, err)
                     : measure_unit(w, &units->unit[ticket], &(struct way){0}, err);
        if (exclusive)
            rc_exclusive_release(exclusive);
        rc_worker_idle(w);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* The last lane.  All ranks of a node come here, also one that failed: the others
 * follow the first one until they are dismissed, and would wait for ever without it.
 */
static int run_team(struct rc_worker *w, int status, struct rc_error *err)
{
    struct rc_measure_order end = {.begin_ns = 0};
    struct rc_error later;
    int failed = RC_OK;

    rc_worker_leave(w);
    if (w->team.number != 0) {
        failed = follow_units(w, status == RC_OK ? err : &later);
    } else {
        if (status == RC_OK)
            failed = run_lane(w, RC_LANE_ALL_CORES, err);
        rc_measure_team_tell(&w->team, &end);
    }
    return status == RC_OK ? failed : status;
}

int rc_worker_run(struct rc_worker *w, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t l = 0; l <= RC_SCOPE_NODE && !is_stopped(w); l++) {
        /* In a shared unit only its reader draws; with 'replicate: core' only the first
         * of the ranks that share a core.
         */
        const bool draws =
            (l == RC_SCOPE_CORE && replicate_of(w) != RC_REPLICATE_CORE) ||
            w->setup.ranks->reads[l];
        if (w->setup.plan->lane[l].count && draws)
            status = run_lane(w, l, err);
        if (w->exclusive[l] && status == RC_OK && !is_stopped(w))
            rc_exclusive_rest(w->exclusive[l]);
        if (status != RC_OK)
            break;
    }
    if (status != RC_OK || is_stopped(w)) /* perhaps only this rank got the signal */
        rc_queue_stop(w->queue);
    if (w->setup.plan->lane[RC_LANE_ALL_CORES].count)
        status = run_team(w, status, err);
    return status;
}
