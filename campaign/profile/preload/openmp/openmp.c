/* openmp.c - regions of OpenMP in programs that use GCC's libgomp, and the functions
 * that ompt.c uses for LLVM's
 *
 * Each thread of a team has a region 'omp parallel PLACE' while it does its part of the
 * work, then 'omp wait PLACE' until all threads of the team have done theirs.  The
 * thread that leads the team sees both ends of its wait.  Each other thread only sees
 * when its wait begins: libgomp does not return from the wait to this library.  The
 * leading thread writes the end into a table of teams, and the wait is added later:
 * when the thread joins its next team or ends, or by the thread that ends the process.
 *
 * Explicit barriers, those at the end of loops and sections, locks, critical and
 * ordered sections and waits for tasks are regions while the thread waits there.
 */
#include "campaign/profile/preload/parts.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum {
    PLACES = 1024, /* a power of 2 */
    PLACE_TEXT = 96,
    TEAMS = 4096, /* the last ones, whose ends are kept; older waits are not added */
};

/* A place where teams are begun, by an address there, and the names of its regions. */
struct place {
    _Atomic uintptr_t function; /* 0: the entry is free */
    atomic_bool named;
    char parallel[PLACE_TEXT], wait[PLACE_TEXT];
};

static struct place places[PLACES];

static struct {
    _Atomic uint32_t last;
    struct {
        _Atomic uint32_t number;
        _Atomic uint64_t ended; /* ticks */
    } team[TEAMS];
} ends;

/* Names a place by the file and the offset in it, which are equal on all ranks.
 * Readers of the profile find the function by them.
 */
static void place_name(struct place *place, uintptr_t function)
{
    Dl_info in = {.dli_fname = NULL};
    const void *address =
        (const void *)function; /* NOLINT(performance-no-int-to-ptr) */
    const char *file = dladdr(address, &in) && in.dli_fname ? in.dli_fname : "?";
    const char *slash = strrchr(file, '/');
    const uintptr_t offset = function - (uintptr_t)in.dli_fbase;
    snprintf(place->parallel, PLACE_TEXT, "omp parallel %.64s+0x%lx",
             slash ? slash + 1 : file, (unsigned long)offset);
    snprintf(place->wait, PLACE_TEXT, "omp wait %.64s+0x%lx", slash ? slash + 1 : file,
             (unsigned long)offset);
}

/* Whether the place has its names; waits a while if another thread is writing them. */
static bool is_named(struct place *place)
{
    for (unsigned looks = 0; looks < 10000; looks++) {
        if (atomic_load_explicit(&place->named, memory_order_acquire))
            return true;
        sched_yield();
    }
    return false;
}

uint32_t rc_preload_openmp_place(uintptr_t function)
{
    uintptr_t at = (function >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    for (unsigned tries = 0; tries < PLACES; tries++, at++) {
        struct place *place = &places[at % PLACES];
        uintptr_t known = atomic_load_explicit(&place->function, memory_order_acquire);
        if (!known &&
            atomic_compare_exchange_strong(&place->function, &known, function)) {
            place_name(place, function);
            atomic_store_explicit(&place->named, true, memory_order_release);
            known = function;
        }
        if (known == function)
            return is_named(place) ? at % PLACES + 1 : 0;
    }
    return 0;
}

uint32_t rc_preload_openmp_team(void)
{
    uint32_t number;
    do
        number = atomic_fetch_add(&ends.last, 1) + 1;
    while (!number);
    return number;
}

/* If the leading thread has not written the team's end yet, and it is the calling
 * thread's own wait, the wait ends now.
 */
void rc_preload_openmp_waited(struct rc_preload_thread *thread)
{
    const uint32_t number = atomic_exchange(&thread->team, 0);
    if (!number || !thread->block)
        return;
    const uint32_t at = number % TEAMS;
    uint64_t ended = atomic_load_explicit(&ends.team[at].ended, memory_order_relaxed);
    const uint32_t said =
        atomic_load_explicit(&ends.team[at].number, memory_order_acquire);
    if (said != number && thread == &rc_preload_self && (int32_t)(number - said) > 0)
        ended = rc_preload_ticks();
    else if (said != number)
        return;
    rc_preload_region_add(thread->block, places[thread->team_place - 1].wait,
                          thread->team_ended, ended);
}

void rc_preload_openmp_begin(uint32_t place)
{
    if (atomic_load_explicit(&rc_preload_self.team, memory_order_relaxed) &&
        rc_preload_enter()) {
        rc_preload_openmp_waited(&rc_preload_self);
        rc_preload_leave();
    }
    rc_preload_region_begin(places[place - 1].parallel, RC_PRELOAD_CONSTANT);
}

void rc_preload_openmp_done(uint32_t place, uint32_t number)
{
    struct rc_preload_thread *self = &rc_preload_self;
    rc_preload_region_end(places[place - 1].parallel, RC_PRELOAD_CONSTANT);
    if (!number) {
        rc_preload_region_begin(places[place - 1].wait, RC_PRELOAD_CONSTANT);
    } else if (rc_preload_enter()) {
        self->team_ended = rc_preload_ticks();
        self->team_place = place;
        rc_preload_add(&self->block->shared.joined, 1);
        atomic_store(&self->team, number);
        rc_preload_leave();
    }
}

void rc_preload_openmp_end(uint32_t place, uint32_t number)
{
    if (number) {
        const uint32_t at = number % TEAMS;
        atomic_store_explicit(&ends.team[at].ended, rc_preload_ticks(),
                              memory_order_relaxed);
        atomic_store_explicit(&ends.team[at].number, number, memory_order_release);
    }
    rc_preload_region_end(places[place - 1].wait, RC_PRELOAD_CONSTANT);
}

void rc_preload_openmp_done_alone(uint32_t place)
{
    rc_preload_region_end(places[place - 1].parallel, RC_PRELOAD_CONSTANT);
}

/* Whether the calling thread is the only one of its team. */
static bool is_team_of_one(void)
{
    static _Atomic(void *) kept;
    void *found = atomic_load_explicit(&kept, memory_order_relaxed);
    if (!found) {
        found = rc_preload_next("omp_get_num_threads", NULL);
        atomic_store_explicit(&kept, found, memory_order_relaxed);
    }
    return found && ((int (*)(void))found)() == 1;
}

/* The argument of team_member(), which the threads of a team call instead of the
 * program's own function.
 */
struct team {
    void (*function)(void *);
    void *data;
    uint32_t place;                      /* 0: nothing is recorded */
    const struct rc_preload_thread *led; /* the thread that leads the team */
    _Atomic uint32_t number;             /* 0: no other thread has done its part yet */
    bool alone;                          /* the leading thread is the only one */
};

static uint32_t team_number(struct team *team)
{
    uint32_t number = atomic_load(&team->number);
    if (number)
        return number;
    const uint32_t made = rc_preload_openmp_team();
    return atomic_compare_exchange_strong(&team->number, &number, made) ? made : number;
}

/* Runs in each thread of a team. */
static void team_member(void *data)
{
    struct team *team = data;
    rc_preload_openmp_begin(team->place);
    if (team->led == &rc_preload_self)
        team->alone = is_team_of_one();
    team->function(team->data);
    if (team->led == &rc_preload_self && team->alone)
        rc_preload_openmp_done_alone(team->place);
    else
        rc_preload_openmp_done(team->place,
                               team->led == &rc_preload_self ? 0 : team_number(team));
}

/* Defines a function that begins a team and ends it.  'result' is what to put before
 * the call of 'next' to keep its result, and 'give' is the statement that returns it.
 */
#define TEAM(type, name, result, give, parameters, ...)                                \
    RC_PRELOAD_EXPORT type name parameters;                                            \
    type name parameters                                                               \
    {                                                                                  \
        RC_PRELOAD_NEXT(name);                                                         \
        struct team team = {function, data, 0, &rc_preload_self, 0, false};            \
        if (atomic_load_explicit(&rc_preload_on, memory_order_relaxed))                \
            team.place = rc_preload_openmp_place((uintptr_t)function);                 \
        if (team.place) {                                                              \
            function = team_member;                                                    \
            data = &team;                                                              \
        }                                                                              \
        result next(__VA_ARGS__);                                                      \
        if (team.place && !team.alone)                                                 \
            rc_preload_openmp_end(team.place, atomic_load(&team.number));              \
        give;                                                                          \
    }
#define TEAM_VOID(name, parameters, ...)                                               \
    TEAM(void, name, , return, parameters, __VA_ARGS__)
#define WORK void (*function)(void *), void *data, unsigned threads
#define LOOP WORK, long start, long end, long step
#define TEAM_CHUNKS(name)                                                              \
    TEAM_VOID(name, (LOOP, long chunk, unsigned flags), function, data, threads,       \
              start, end, step, chunk, flags)
#define TEAM_LOOP(name)                                                                \
    TEAM_VOID(name, (LOOP, unsigned flags), function, data, threads, start, end, step, \
              flags)

TEAM_VOID(GOMP_parallel, (WORK, unsigned flags), function, data, threads, flags)
TEAM(unsigned, GOMP_parallel_reductions, unsigned made =, return made,
     (WORK, unsigned flags), function, data, threads, flags)
TEAM_VOID(GOMP_parallel_sections, (WORK, unsigned count, unsigned flags), function,
          data, threads, count, flags)
TEAM_CHUNKS(GOMP_parallel_loop_static)
TEAM_CHUNKS(GOMP_parallel_loop_dynamic)
TEAM_CHUNKS(GOMP_parallel_loop_guided)
TEAM_CHUNKS(GOMP_parallel_loop_nonmonotonic_dynamic)
TEAM_CHUNKS(GOMP_parallel_loop_nonmonotonic_guided)
TEAM_LOOP(GOMP_parallel_loop_runtime)
TEAM_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
TEAM_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

static bool is_counted_only(const char *region)
{
    return rc_preload_is_alone() && is_team_of_one() && rc_preload_region_count(region);
}

/* Defines a function in which a thread waits for others, with a region of this name.
 * If there are no other threads the region is only counted.
 */
#define KEPT(type, name, region, result, give, parameters, ...)                        \
    RC_PRELOAD_EXPORT type name parameters;                                            \
    type name parameters                                                               \
    {                                                                                  \
        RC_PRELOAD_NEXT(name);                                                         \
        const bool counted = is_counted_only(region);                                  \
        if (!counted)                                                                  \
            rc_preload_region_begin(region, RC_PRELOAD_CONSTANT);                      \
        result next(__VA_ARGS__);                                                      \
        if (!counted)                                                                  \
            rc_preload_region_end(region, RC_PRELOAD_CONSTANT);                        \
        give;                                                                          \
    }
#define KEPT_VOID(name, region) KEPT(void, name, region, , return, (void), )
#define KEPT_BOOL(name, region)                                                        \
    KEPT(bool, name, region, const bool ended =, return ended, (void), )
#define KEPT_AT(name, region) KEPT(void, name, region, , return, (void *of), of)

KEPT_VOID(GOMP_barrier, "omp barrier")
KEPT_VOID(GOMP_loop_end, "omp barrier")
KEPT_VOID(GOMP_sections_end, "omp barrier")
KEPT_BOOL(GOMP_barrier_cancel, "omp barrier")
KEPT_BOOL(GOMP_loop_end_cancel, "omp barrier")
KEPT_BOOL(GOMP_sections_end_cancel, "omp barrier")
KEPT_VOID(GOMP_critical_start, "omp critical")
KEPT_AT(GOMP_critical_name_start, "omp critical")
KEPT_VOID(GOMP_ordered_start, "omp ordered")
KEPT_VOID(GOMP_taskwait, "omp taskwait")
KEPT_VOID(GOMP_taskgroup_end, "omp taskwait")
KEPT_AT(omp_set_lock, "omp lock")
KEPT_AT(omp_set_nest_lock, "omp lock")
KEPT_AT(omp_set_lock_, "omp lock") /* Fortran's */
KEPT_AT(omp_set_nest_lock_, "omp lock")
