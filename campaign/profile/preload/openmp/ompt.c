/* ompt.c - regions of OpenMP in programs that use LLVM's libomp.  If the process has a
 * function 'ompt_start_tool', libomp calls it and then the callbacks that it sets
 * (OMPT, OpenMP 5.1, chapter 4).  Not all machines have the header omp-tools.h, so the
 * few definitions needed are here.
 *
 * The runtime keeps a value for each team and for each thread's part of it.  The value
 * holds the place in its upper half and the team's number in its lower half; in the
 * value of a part the bit 'leads' says that its thread leads the team.
 */
#include "campaign/profile/preload/parts.h"

enum { SCOPE_BEGIN = 1, SCOPE_END = 2, TASK_IMPLICIT = 2, SET_ALWAYS = 5 };

enum callback {
    PARALLEL_BEGIN = 3,
    PARALLEL_END = 4,
    IMPLICIT_TASK = 7,
    SYNC_REGION = 23,
    MUTEX_ACQUIRE = 26,
    MUTEX_ACQUIRED = 27,
};

/* Kinds of synchronisation.  Up to version 14 LLVM has one kind, IMPLICIT_OLD, for the
 * barriers that end loops and other parts of a team's work, and that end the team.
 */
enum sync { IMPLICIT_OLD = 2, TASKWAIT = 5, TASKGROUP = 6, TEAM_END = 9 };

enum mutex { CRITICAL = 5, ATOMIC = 6, ORDERED = 7 };

union data {
    uint64_t value;
    void *pointer;
};

static const uint64_t leads = UINT64_C(1) << 63;

static uint32_t place_in(uint64_t value)
{
    return (uint32_t)(value >> 32) & ~(uint32_t)(leads >> 32);
}

static void parallel_begin(union data *task, const void *frame, union data *team,
                           unsigned threads, int flags, const void *code)
{
    (void)task, (void)frame, (void)threads, (void)flags;
    const uint32_t place = rc_preload_openmp_place((uintptr_t)code);
    team->value = place ? (uint64_t)place << 32 | rc_preload_openmp_team() : 0;
}

static void parallel_end(union data *team, union data *task, int flags,
                         const void *code)
{
    (void)task, (void)flags, (void)code;
    if (team->value)
        rc_preload_openmp_end(place_in(team->value), (uint32_t)team->value);
}

/* A thread's part of a team begins.  The end is not used: libomp reports it only when
 * the thread wakes up for its next team.
 */
static void implicit_task(int scope, const union data *team, union data *task,
                          unsigned threads, unsigned index, int flags)
{
    (void)threads;
    if (scope != SCOPE_BEGIN || !(flags & TASK_IMPLICIT) || !team)
        return;
    task->value = team->value && index == 0 ? team->value | leads : team->value;
    if (task->value)
        rc_preload_openmp_begin(place_in(task->value));
}

static const char *sync_name(int kind)
{
    return kind == TASKWAIT || kind == TASKGROUP ? "omp taskwait" : "omp barrier";
}

/* Whether this barrier ends the thread's team.  An old one does if its code is the
 * place where the team was begun, or is not known.
 */
static bool ends_team(int kind, const union data *task, const void *code)
{
    return kind == TEAM_END || (kind == IMPLICIT_OLD && task && task->value &&
                                (!code || rc_preload_openmp_place((uintptr_t)code) ==
                                              place_in(task->value)));
}

static void sync_region(int kind, int scope, const union data *team, union data *task,
                        const void *code)
{
    (void)team;
    if (ends_team(kind, task, code)) {
        if (scope == SCOPE_BEGIN && task && task->value)
            rc_preload_openmp_done(place_in(task->value),
                                   task->value & leads ? 0 : (uint32_t)task->value);
    } else if (scope == SCOPE_BEGIN) {
        rc_preload_region_begin(sync_name(kind), RC_PRELOAD_CONSTANT);
    } else if (scope == SCOPE_END) {
        rc_preload_region_end(sync_name(kind), RC_PRELOAD_CONSTANT);
    }
}

static const char *mutex_name(int kind)
{
    return kind == CRITICAL  ? "omp critical"
           : kind == ORDERED ? "omp ordered"
                             : "omp lock";
}

static void mutex_acquire(int kind, unsigned hint, unsigned how, uint64_t id,
                          const void *code)
{
    (void)hint, (void)how, (void)id, (void)code;
    if (kind != ATOMIC)
        rc_preload_region_begin(mutex_name(kind), RC_PRELOAD_CONSTANT);
}

static void mutex_acquired(int kind, uint64_t id, const void *code)
{
    (void)id, (void)code;
    if (kind != ATOMIC)
        rc_preload_region_end(mutex_name(kind), RC_PRELOAD_CONSTANT);
}

typedef void function(void);

static int begin(function *(*lookup)(const char *), int device, union data *data)
{
    static const struct {
        enum callback number;
        function *of;
    } callback[] = {{PARALLEL_BEGIN, (function *)parallel_begin},
                    {PARALLEL_END, (function *)parallel_end},
                    {IMPLICIT_TASK, (function *)implicit_task},
                    {SYNC_REGION, (function *)sync_region},
                    {MUTEX_ACQUIRE, (function *)mutex_acquire},
                    {MUTEX_ACQUIRED, (function *)mutex_acquired}};
    int (*set)(int, function *) = (int (*)(int, function *))lookup("ompt_set_callback");
    (void)device, (void)data;
    for (size_t i = 0; set && i < sizeof callback / sizeof *callback; i++)
        set((int)callback[i].number, callback[i].of);
    return set != NULL;
}

static void end(union data *data)
{
    (void)data;
}

struct start_result {
    int (*begin)(function *(*)(const char *), int, union data *);
    void (*end)(union data *);
    union data data;
};

/* A tool that the program was linked or started with has precedence. */
RC_PRELOAD_EXPORT struct start_result *ompt_start_tool(unsigned version,
                                                       const char *runtime);
struct start_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct start_result result = {begin, end, {0}};
    struct start_result *(*next)(unsigned, const char *) =
        (struct start_result * (*)(unsigned, const char *))
            rc_preload_next("ompt_start_tool", (void *)ompt_start_tool);
    struct start_result *others = next ? next(version, runtime) : NULL;
    return others ? others : atomic_load(&rc_preload_on) ? &result : NULL;
}
