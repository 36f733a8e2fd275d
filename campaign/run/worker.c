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
#include "campaign/run/all_cores.h"

#include <stdlib.h>
#include <string.h>

struct rc_worker {
    struct rc_worker_setup setup;
    const struct rc_campaign_kind *kind; /* the kind of these units */
    struct rc_queue *queue;
    struct rc_exclusive *exclusive[RC_SCOPE_COUNT]; /* NULL: nobody needs quiet there */
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

/* Measures one unit and appends its record.  A unit that was given up (a signal) has
 * only complete repetitions.  'team' are the other ranks that run its kernels, or NULL;
 * 'busy' is, in a simulation, the number of busy neighbours in each scope, or NULL.
 */
static int measure_unit(struct rc_worker *w, const struct rc_plan_unit *unit,
                        const struct rc_reading_team *team, const uint32_t *busy,
                        struct rc_error *err)
{
    struct rc_measure_task task = {.suite = unit->suite,
                                   .group = unit->group,
                                   .team = team,
                                   .ending = draw_ahead,
                                   .ending_arg = w};
    struct rc_record_readings readings;
    struct rc_record_unit record;
    char own[RC_PLACE_LABEL], place[RC_PLACE_LABEL];
    uint64_t start = rc_clock_ns();
    int status;

    rc_ranks_label(w->setup.ranks, replicate_of(w), (enum rc_scope)w->lane, own);
    task.where = rc_units_where(w->setup.units, w->lane, unit, own, place);
    if (busy)
        memcpy(task.busy, busy, sizeof task.busy);
    fill_where(w, unit, place, &record);
    w->unit = unit;
    w->credited_ns = 0;
    status = rc_measurer_run(w->setup.measurer, &task, &record, &readings, err);
    w->unit = NULL;
    if (status != RC_OK || record.status == 0)
        return status;
    if ((status = rc_record_put_sweeps(&record, &readings, &w->payload, err)) !=
            RC_OK ||
        (status = rc_journal_append(w->setup.journal, RC_RECORD_UNIT, w->payload.byte,
                                    w->payload.count, err)) != RC_OK)
        return status;
    if (record.status != RC_UNIT_OK) {
        char line[512];
        snprintf(line, sizeof line, "%s, group %u: %s: %s",
                 w->kind->suite[unit->suite].name, unit->group,
                 rc_unit_status_names()[record.status], record.reason);
        w->setup.detail(w->setup.arg, line);
    }
    if (record.stop != RC_STOP_INTERRUPTED)
        count_unit(w, unit, &record);
    rc_rank_counters_add(w->setup.rank_counters, RC_RANK_COUNTER_UNIT_NS,
                         rc_clock_ns() - start);
    return RC_OK;
}

/* In a simulation all cores of the machine are busy; otherwise the other ranks of the
 * node run the kernel.
 */
static int lead_unit(struct rc_worker *w, struct rc_all_cores *all_cores,
                     const struct rc_plan_unit *unit, struct rc_error *err)
{
    const struct rc_machine *machine = w->setup.ranks->catalogue->machine;
    const struct rc_reading_team team = rc_all_cores_team(all_cores);
    uint32_t busy[RC_SCOPE_COUNT] = {0};

    if (!is_simulated(w, unit)) {
        all_cores->suite = unit->suite;
        return measure_unit(w, unit, &team, NULL, err);
    }
    for (int s = RC_SCOPE_CORE + 1; s < RC_SCOPE_COUNT; s++) {
        const struct rc_unit *shared = rc_machine_unit(
            machine, (enum rc_scope)(s < RC_SCOPE_NODE ? s : RC_SCOPE_NODE), 0);
        busy[s] = shared && shared->core_count ? (uint32_t)shared->core_count - 1 : 0;
    }
    return measure_unit(w, unit, NULL, busy, err);
}

/* Measures the units of a lane until none is left or the run is stopped.  'all_cores'
 * is NULL except in the last lane.
 */
static int run_lane(struct rc_worker *w, size_t lane, struct rc_all_cores *all_cores,
                    struct rc_error *err)
{
    const struct rc_lane *units = &w->setup.plan->lane[lane];
    struct rc_exclusive *exclusive = w->exclusive[lane];
    uint64_t ticket;
    int status = RC_OK;

    w->lane = lane;
    while (!is_stopped(w) && rc_queue_take(w->queue, lane, &ticket)) {
        const struct rc_plan_unit *unit = &units->unit[ticket];
        if (exclusive)
            rc_exclusive_acquire(exclusive);
        status = all_cores ? lead_unit(w, all_cores, unit, err)
                           : measure_unit(w, unit, NULL, NULL, err);
        if (exclusive)
            rc_exclusive_release(exclusive);
        rc_worker_idle(w);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
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
            status = run_lane(w, l, NULL, err);
        if (w->exclusive[l] && status == RC_OK && !is_stopped(w))
            rc_exclusive_rest(w->exclusive[l]);
        if (status != RC_OK)
            break;
    }
    if (status != RC_OK || is_stopped(w)) /* perhaps only this rank got the signal */
        rc_queue_stop(w->queue);
    if (!w->setup.plan->lane[RC_LANE_ALL_CORES].count)
        return status;
    /* All ranks of a node come here, also one that failed: the others follow the first
     * rank until they are dismissed, and would wait for ever without it.
     */
    struct rc_all_cores all_cores = {.node = w->setup.ranks->node,
                                     .measurer = w->setup.measurer,
                                     .idle = rc_worker_idle,
                                     .arg = w};
    rc_worker_leave(w);
    if (rc_team_rank(all_cores.node) != 0) {
        rc_all_cores_follow(&all_cores);
        return status;
    }
    if (status == RC_OK)
        status = run_lane(w, RC_LANE_ALL_CORES, &all_cores, err);
    rc_all_cores_dismiss(&all_cores);
    return status;
}
