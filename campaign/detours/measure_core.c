/* One core measures: the loop or a kernel, and what held and happened meanwhile.
 *
 * Counts of the kernel's are read right before the loop and right after it; everything
 * that takes memory comes after them.
 */
#include "campaign/detours/measure_core.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/base/version.h"
#include "campaign/cli/signals.h"
#include "campaign/detours/conditions.h"
#include "campaign/detours/who.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    QUANTUM_NS = 20000, /* of work, or more where the list would not do */
    EACH_NS = 16000,    /* there is room for a detour, or quantum, in so much time */
    LIST_LEAST = 1 << 16,
    LIST_MOST = 1 << 20
};

struct rc_noise_core {
    struct rc_noise_core_setup setup;
    struct rc_detour_loop *loop;
    size_t list;        /* detours, or quanta, that it holds */
    struct rc_who *who; /* NULL: nobody is to be asked */

    /* The last measurement. */
    struct rc_noise_counts before, after;
    struct rc_arena arena;
    struct rc_noise_detours seen;
};

int rc_noise_core_create(const struct rc_noise_core_setup *setup,
                         struct rc_noise_core **out, struct rc_error *err)
{
    const uint64_t wanted = setup->duration_ns / EACH_NS;
    struct rc_noise_core *core = rc_calloc(1, sizeof *core);

    *out = NULL;
    if (!core)
        return rc_fail(err, RC_ENOMEM, "no memory to measure detours");
    core->setup = *setup;
    core->list = wanted < LIST_LEAST  ? LIST_LEAST
                 : wanted > LIST_MOST ? LIST_MOST
                                      : (size_t)wanted;
    int status = rc_detour_create(core->list, &core->loop, err);
    if (status == RC_OK && setup->tracepoints)
        status = rc_who_open(setup->cpu, setup->duration_ns, NULL, &core->who, err);
    if (status != RC_OK) {
        rc_noise_core_close(core);
        return status;
    }
    *out = core;
    return RC_OK;
}

static void forget(struct rc_noise_core *core)
{
    rc_noise_counts_fini(&core->before);
    rc_noise_counts_fini(&core->after);
    rc_arena_free(&core->arena);
    core->seen = (struct rc_noise_detours){.node = NULL};
}

void rc_noise_core_close(struct rc_noise_core *core)
{
    if (!core)
        return;
    forget(core);
    rc_detour_close(core->loop);
    rc_who_close(core->who);
    free(core);
}

/* The first kernel of the suite that can run here, or the one that is named. */
int rc_noise_work_find(const char *word, const struct rc_suite_request *request,
                       struct rc_noise_work *out, struct rc_error *err)
{
    const char *colon = strchr(word, ':');
    const char *point = colon ? colon + 1 : NULL;
    struct rc_points points = {0};
    bool found = false;
    char name[64];

    snprintf(name, sizeof name, "%.*s", colon ? (int)(colon - word) : 63, word);
    *out = (struct rc_noise_work){.suite = rc_suite_find(name)};
    if (!out->suite)
        return rc_fail(err, RC_EUSAGE,
                       "--work: no suite '%.60s', 'rollcall kernels' lists them", name);
    const char *why = out->suite->usable ? out->suite->usable() : NULL;
    if (why || !out->suite->setup)
        return rc_fail(err, RC_EUNSUPPORTED, "--work: suite '%s' cannot run here: %s",
                       name, why ? why : "it has no kernels for this processor");
    const int status = out->suite->points(request, &points, err);
    for (size_t i = 0; i < points.count && !found; i++) {
        found = points.point[i].unusable == NULL &&
                (!point || strcmp(points.point[i].name, point) == 0);
        if (found)
            out->point = points.point[i];
    }
    rc_points_fini(&points);
    if (status != RC_OK || found)
        return status;
    return rc_fail(err, RC_EUSAGE,
                   "--work: suite '%s' has no kernel%s%.60s%s that can run here, "
                   "'rollcall kernels --suite %s' lists them",
                   name, point ? " '" : "", point ? point : "", point ? "'" : "", name);
}

static void run_quantum(void *arg)
{
    const struct rc_noise_work *w = arg;

    w->suite->run(w->kernel, w->iterations);
}

int rc_noise_work_begin(const struct rc_noise_core *core, struct rc_noise_work *work,
                        struct rc_error *err)
{
    const struct rc_suite_request *request = &core->setup.request;
    const uint64_t for_list = core->setup.duration_ns / (core->list / 5 * 4);
    const uint64_t wanted = for_list > QUANTUM_NS ? for_list : QUANTUM_NS;
    int status = work->suite->setup(request, &work->point, &work->kernel, err);

    if (status != RC_OK)
        return status;
    work->iterations = work->suite->iterations(request, &work->point, 1);
    /* The time that a quantum takes is the least of some. */
    for (;; work->iterations *= 2) {
        uint64_t best = UINT64_MAX;
        for (int i = 0; i < 5; i++) {
            const uint64_t begin = rc_clock_ns();
            run_quantum(work);
            const uint64_t took = rc_clock_ns() - begin;
            best = took < best ? took : best;
        }
        if (best >= wanted)
            return RC_OK;
    }
}

void rc_noise_work_end(struct rc_noise_work *work)
{
    if (work->suite)
        work->suite->teardown(work->kernel);
    *work = (struct rc_noise_work){.suite = NULL};
}

static bool is_stopped(void *arg)
{
    (void)arg;
    return rc_signals_came() != 0;
}

/* Adds the conditions of the node and of this process. */
static int put_conditions(struct rc_noise_core *core, const char *locked,
                          struct rc_arena *arena, struct rc_noise_detours *d,
                          struct rc_error *err)
{
    const size_t sharing = core->setup.sharing;
    const char *traced = RC_NOISE_TRACED;
    char ranks[64], lost[64];
    int status =
        rc_noise_conditions(core->setup.cpu, arena, &d->condition, &d->conditions, err);

    if (status != RC_OK)
        return status;
    d->condition[d->conditions++] = (struct rc_noise_condition){"memory", locked};
    d->condition[d->conditions++] =
        (struct rc_noise_condition){"measured by", "rollcall " RC_VERSION};
    /* How it was found out who made detours, or why it was not. */
    if (!core->who) {
        traced = RC_NOISE_TRACE_UNWANTED;
    } else if (*rc_who_missing(core->who)) {
        traced = rc_arena_text(&core->arena, rc_who_missing(core->who));
    } else if (rc_who_lost(core->who) > 0) {
        snprintf(lost, sizeof lost, "%" PRIu64 " of the kernel's events were lost",
                 rc_who_lost(core->who));
        traced = rc_arena_text(&core->arena, lost);
    }
    d->condition[d->conditions++] = (struct rc_noise_condition){"tracepoints", traced};
    if (sharing > 0) {
        snprintf(ranks, sizeof ranks, "%zu other rank%s", sharing, rc_text_s(sharing));
        d->condition[d->conditions++] = (struct rc_noise_condition){
            "core shared with", rc_arena_text(arena, ranks)};
    }
    return rc_arena_check(arena, err, "conditions of a measurement");
}

/* The bins that are not empty, and the list of detours, as the record has them. */
static int put_seen(const struct rc_detour_seen *seen, struct rc_arena *arena,
                    struct rc_noise_detours *d, struct rc_error *err)
{
    d->bin = rc_arena_array(arena, RC_DETOUR_BINS, sizeof *d->bin);
    d->bin_count = rc_arena_array(arena, RC_DETOUR_BINS, sizeof *d->bin_count);
    d->detour = rc_arena_array(arena, seen->count, sizeof *d->detour);
    d->pace_ps = rc_arena_array(arena, seen->paces, sizeof *d->pace_ps);
    d->pace_hz = rc_arena_array(arena, seen->paces, sizeof *d->pace_hz);
    int status = rc_arena_check(arena, err, "detours");
    if (status != RC_OK)
        return status;
    for (uint32_t i = 0; i < RC_DETOUR_BINS; i++)
        if (seen->bin[i] > 0) {
            d->bin[d->bins] = i;
            d->bin_count[d->bins++] = seen->bin[i];
        }
    for (size_t i = 0; i < seen->count; i++)
        d->detour[i] =
            (struct rc_detour){seen->gap[i].start_ns, seen->gap[i].length_ns};
    for (size_t i = 0; i < seen->paces; i++) {
        d->pace_ps[i] = seen->pace_ps[i];
        d->pace_hz[i] = seen->pace_hz[i];
    }
    d->count = seen->count;
    d->paces = seen->paces;
    return RC_OK;
}

/* Names the taker of each detour, and keeps only names that a detour has. */
static int put_who(struct rc_noise_core *core, struct rc_error *err)
{
    struct rc_noise_detours *d = &core->seen;
    const char *const *name = rc_noise_who_names;
    size_t names = RC_NOISE_WHO_NAMES;
    uint64_t steal_ns = 0; /* what the host took meanwhile, by its own word */
    int status = RC_OK;

    for (size_t i = 0; i < core->after.count; i++)
        if (strcmp(core->after.total[i].name, "steal ms") == 0)
            steal_ns = core->after.total[i].count * 1000000;
    if (core->who)
        name = rc_who_names(core->who, &names);
    uint16_t *number = rc_arena_array(&core->arena, names, sizeof *number);
    d->who = rc_arena_array(&core->arena, d->count, sizeof *d->who);
    d->name = rc_arena_array(&core->arena, names, sizeof(const char *));
    if ((status = rc_arena_check(&core->arena, err, "names of what made detours")) !=
            RC_OK ||
        (core->who &&
         (status = rc_who_name(core->who, d->begin_ns, steal_ns, rc_detour_is_virtual(),
                               d->detour, d->count, d->who, err)) != RC_OK))
        return status;
    for (; d->names < RC_NOISE_WHO_NAMES; d->names++)
        d->name[d->names] = name[d->names];
    for (size_t i = 0; i < d->count; i++) {
        const uint16_t own = d->who[i];
        if (own >= RC_NOISE_WHO_NAMES && number[own] == 0) {
            number[own] = (uint16_t)d->names;
            d->name[d->names++] = name[own];
        }
        d->who[i] = own < RC_NOISE_WHO_NAMES ? own : number[own];
    }
    return RC_OK;
}

/* Runs the loop, with this process's memory locked where that is allowed. */
static int run_loop(struct rc_noise_core *core, struct rc_noise_work *work,
                    char *locked, size_t room, struct rc_detour_seen *seen,
                    struct rc_error *err)
{
    const struct rc_detour_setup setup = {.duration_ns = core->setup.duration_ns,
                                          .stopped = is_stopped,
                                          .work = work->kernel ? run_quantum : NULL,
                                          .arg = work};
    const bool held = mlockall(MCL_CURRENT) == 0;

    snprintf(locked, room, "%s%s",
             held ? "locked" : "not locked: ", held ? "" : strerror(errno));
    if (core->who)
        rc_who_start(core->who);
    int status = rc_detour_measure(core->loop, &setup, seen, err);
    if (core->who) {
        struct rc_error *why = status == RC_OK ? err : NULL;
        const int heard = rc_who_stop(core->who, why);
        status = status == RC_OK ? heard : status;
    }
    if (held)
        (void)munlockall();
    if (status != RC_OK || !work->kernel || seen->stopped)
        return status;
    return work->suite->verify(work->kernel, work->iterations, err);
}

int rc_noise_core_measure(struct rc_noise_core *core, struct rc_noise_work *work,
                          uint32_t round, bool alone, struct rc_error *err)
{
    const uint32_t cpu = core->setup.cpu;
    struct rc_noise_detours *d = &core->seen;
    struct rc_detour_seen seen;
    char locked[128];

    forget(core);
    int status = rc_noise_counts_read(&rc_noise_counts_here, cpu, &core->before, err);
    if (status != RC_OK)
        return status;
    status = run_loop(core, work, locked, sizeof locked, &seen, err);
    if (status != RC_OK || seen.stopped)
        return status;
    status = rc_noise_counts_read(&rc_noise_counts_here, cpu, &core->after, err);
    if (status != RC_OK)
        return status;
    rc_noise_counts_subtract(&core->before, &core->after);
    *d = (struct rc_noise_detours){.node = core->setup.node,
                                   .core = cpu,
                                   .round = round,
                                   .work = work->suite ? work->suite->name : "",
                                   .point =
                                       rc_arena_text(&core->arena, work->point.name),
                                   .iterations = work->iterations,
                                   .alone = alone,
                                   .unix_time = (int64_t)time(NULL),
                                   .begin_ns = seen.begin_ns,
                                   .duration_ns = seen.duration_ns,
                                   .gaps = seen.gaps,
                                   .median_gap_ps = seen.median_gap_ps,
                                   .tau_ns = seen.tau_ns,
                                   .stolen_ns = seen.stolen_ns,
                                   .dropped = seen.dropped,
                                   .faults = seen.faults,
                                   .switches = seen.switches,
                                   .total = core->after.total,
                                   .totals = core->after.count};
    if ((status = put_seen(&seen, &core->arena, d, err)) != RC_OK ||
        (status = put_who(core, err)) != RC_OK)
        return status;
    return put_conditions(core, rc_arena_text(&core->arena, locked), &core->arena, d,
                          err);
}

int rc_noise_core_record(const struct rc_noise_core *core,
                         const struct rc_clock_offset *clock, size_t clocks,
                         struct rc_bytes *payload, struct rc_error *err)
{
    struct rc_noise_detours d = core->seen;

    d.clock = clock;
    d.clocks = clocks;
    return rc_record_put_detours(&d, payload, err);
}
