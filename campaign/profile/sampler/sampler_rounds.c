/* The work of a sampler: its core, its series and counters, its rounds, its end. */
#include "campaign/profile/passes/passes.h"
#include "campaign/profile/sampler/sampler.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/version.h"
#include "io/journal/journal.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG_CALL_NS = 100000 };

static const uint64_t drain_ns = 100000000, rows_ns = 5000000000, flush_ns = 200000000,
                      account_ns = 1000000000, first_account_ns = 100000000,
                      soon_ns = 5000000, /* until the first process has entered */
    patience_ns = 800000000,             /* for a full disk, at the end */
    child_ns = 300000000; /* for a child whose parent has ended to claim a block */

/* A recurring task: when it is due next, and its period. */
struct moment {
    uint64_t at_ns, every_ns;
};

struct moments {
    struct moment drain, read, flush; /* reading blocks, reading and writing series */
    struct moment rows, account;
};

static struct moment moment_from(uint64_t now, uint64_t every_ns)
{
    return (struct moment){now + every_ns, every_ns};
}

/* Whether a task is due; then its next time is in the future, and times that have
 * passed are left out.
 */
static bool moment_comes(struct moment *m, uint64_t now)
{
    if (now < m->at_ns)
        return false;
    m->at_ns += ((now - m->at_ns) / m->every_ns + 1) * m->every_ns;
    return true;
}

/* A sampler without a processor of its own takes one from a rank each time, and the
 * other ranks wait for that one.  So its rounds are rarer, if rings of samples have
 * room for that long.  Tasks with equal periods are done in the same round.
 */
static void set_pace(struct rc_profile_sampler *s, struct moments *m, uint64_t now)
{
    const bool crowded = s->taken.crowded,
               unasked = s->plan->period_ns == RC_PROFILE_PERIOD_NS,
               rarely = crowded &&
                        (!s->sampling ||
                         rc_profile_sampling_keeps(s->sampling, RC_PROFILE_CROWDED_NS));

    m->drain = moment_from(now, rarely ? RC_PROFILE_CROWDED_NS : drain_ns);
    m->read = moment_from(now, crowded && unasked ? RC_PROFILE_CROWDED_NS
                                                  : s->plan->period_ns);
    m->flush = moment_from(now, flush_ns);
    s->taken.read_ns = m->read.every_ns;
}

/* Finds the CPUs on which processes of the program may run.  Before the first of them
 * is known these are the sampler's own, which come from the launcher.
 */
static void find_cpus(const struct rc_profile_sampler *s, cpu_set_t *used)
{
    CPU_ZERO(used);
    if (s->processes == 0)
        sched_getaffinity(0, sizeof *used, used);
    for (size_t cpu = 0; cpu < RC_SHARED_CPUS; cpu++)
        if (atomic_load(&s->shared->head->cpus[cpu / 64]) >> cpu % 64 & 1)
            CPU_SET(cpu, used);
}

/* Moves the sampler to a CPU on which no process of the program may run; if there is
 * none it runs where they do, as one process more.
 */
static void choose_cpu(struct rc_profile_sampler *s)
{
    cpu_set_t used, allowed, one;
    size_t cpu = CPU_SETSIZE;

    CPU_ZERO(&one);
    find_cpus(s, &used);
    memset(&allowed, 0xff, sizeof allowed);
    sched_setaffinity(0, sizeof allowed, &allowed); /* those that the system allows */
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    while (cpu > 0 && !(CPU_ISSET(cpu - 1, &allowed) && !CPU_ISSET(cpu - 1, &used)))
        cpu--;
    s->taken.crowded = cpu == 0;
    if (cpu > 0) {
        CPU_SET(cpu - 1, &one);
        sched_setaffinity(0, sizeof one, &one);
        snprintf(s->cpu, sizeof s->cpu, "%zu, where the first process may not run",
                 cpu - 1);
        return;
    }
    if (CPU_COUNT(&used) > 0)
        sched_setaffinity(0, sizeof used, &used);
    snprintf(s->cpu, sizeof s->cpu, "none of its own: the program may run on all");
}

/* Adds events that each pass counts where a counter is free, to show how much launches
 * differ.
 */
static void add_references(struct rc_shared *head)
{
    static const char *const reference[] = {"perf::CYCLES:u", "perf::INSTRUCTIONS:u"};
    struct rc_error ignored = {.rank = -1};

    for (size_t i = 0; i < sizeof reference / sizeof *reference; i++) {
        struct rc_shared_event event;
        bool there = head->event_count >= RC_SHARED_COUNTERS;
        for (size_t e = 0; e < head->event_count; e++)
            there |= strcmp(head->event[e].name, reference[i]) == 0;
        if (!there &&
            rc_profile_counter_find_by(NULL, reference[i], head->event,
                                       head->event_count, &event, &ignored) == RC_OK)
            head->event[head->event_count++] = event;
    }
}

/* Finds the events that threads count: those named by patterns that match no series.
 * With passes only those of this launch's pass are counted.
 */
static int find_counters(struct rc_profile_sampler *s, const bool *used,
                         struct rc_error *err)
{
    const struct rc_patterns *patterns = &s->plan->patterns;
    struct rc_shared *head = s->shared->head;
    const char **name = rc_calloc(patterns->count, sizeof *name);
    uint32_t *pass = rc_calloc(patterns->count, sizeof *pass);
    size_t count = 0;
    int status = name && pass ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for events");

    for (size_t i = s->plan->default_count; i < patterns->count && status == RC_OK; i++)
        if (patterns->item[i][0] != '!' && !rc_patterns_is_noted(patterns, i, used))
            name[count++] = patterns->item[i];
    if (status == RC_OK && s->plan->passes > 0)
        status = s->plan->hooks->spread(s->plan, name, count, pass, err);
    head->event_count = 0;
    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < count; i++) {
        struct rc_shared_event event;
        if (s->plan->passes > 0 && pass[i] != s->plan->pass)
            continue;
        if ((status = rc_profile_counter_find_by(s->plan->hooks->native, name[i],
                                                 head->event, head->event_count, &event,
                                                 err)) != RC_OK)
            goto out;
        head->event[head->event_count++] = event;
    }
    if (s->plan->fewest)
        add_references(head);
out:
    free((void *)name);
    free(pass);
    return status;
}

static int open_series(struct rc_profile_sampler *s, struct rc_error *err)
{
    bool *used = rc_calloc(s->plan->patterns.count, sizeof *used);
    int status = used
                     ? rc_profile_gauges_open(s->plan, &s->watch, used, &s->gauges, err)
                     : rc_fail(err, RC_ENOMEM, "no memory for events");

    if (status == RC_OK)
        status = find_counters(s, used, err);
    free(used);
    return status;
}

static int write_launch(struct rc_profile_sampler *s, struct rc_error *err)
{
    const struct rc_profile_plan *plan = s->plan;
    const struct rc_shared *head = s->shared->head;
    const char *counter[RC_SHARED_COUNTERS] = {NULL};

    for (uint32_t i = 0; i < head->event_count; i++)
        counter[i] = head->event[i].name;
    const struct rc_profile_payload payload = {
        .type = RC_PROFILE_LAUNCH,
        .launch = {.node = plan->node,
                   .word = (const char *const *)plan->word,
                   .word_count = plan->word_count,
                   .created_by = "rollcall " RC_VERSION,
                   .directory = plan->here,
                   .sampler_cpu = s->cpu,
                   .launch = plan->launch,
                   .unix_ns = (int64_t)rc_clock_unix_ns(),
                   .at_ns = rc_clock_raw_ns(),
                   .period_ns = plan->period_ns,
                   .long_ns = LONG_CALL_NS,
                   .every = plan->every,
                   .trace = plan->trace,
                   .counter = counter,
                   .counter_count = head->event_count,
                   .budget_ppm = plan->budget_ppm,
                   .set = plan->set}};
    const int status = rc_profile_put(&s->writer, &payload);
    if (status != RC_OK)
        *err = s->writer.err;
    return status;
}

static int open_parts(struct rc_profile_sampler *s, struct rc_error *err)
{
    const struct rc_profile_plan *plan = s->plan;
    const struct rc_journal_setting setting = {.dir = plan->dir,
                                               .node = plan->node,
                                               .campaign = plan->id,
                                               .writer = plan->writer,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};
    struct rc_error why = {.rank = -1};
    int status;

    choose_cpu(s);
    if ((status = rc_journal_open(&setting, &s->writer.journal, err)) != RC_OK ||
        (status = open_series(s, err)) != RC_OK ||
        (status = write_launch(s, err)) != RC_OK)
        return status;
    if (rc_profile_gauges_announce(s->gauges, &s->writer) != RC_OK) {
        *err = s->writer.err;
        return err->status;
    }
    if (plan->stacks_hz > 0)
        rc_profile_sampling_open(plan->stacks_hz, plan->stack_bytes, &s->writer,
                                 &s->sampling, &why);
    snprintf(s->shared->head->no_stacks, sizeof s->shared->head->no_stacks, "%s",
             why.text);
    if ((status = rc_profile_drain_open(s->shared, &s->writer, &s->drain, err)) !=
        RC_OK)
        return status;
    return rc_profile_governor_open(s->shared, s->drain, s->gauges, s->sampling, plan,
                                    &s->writer, &s->governor, err);
}

static void fill_head(const struct rc_profile_plan *plan, struct rc_shared *head)
{
    head->long_ticks = (uint64_t)((double)LONG_CALL_NS * 4294967296.0 /
                                  (double)(head->ticks_ns ? head->ticks_ns : 1));
    head->trace = plan->trace;
    head->no_waiting = plan->no_waiting;
    head->every = (uint32_t)plan->every;
    snprintf(head->dir, sizeof head->dir, "%s", plan->dir);
    head->magic = RC_SHARED_MAGIC;
}

int rc_profile_sampler_open(struct rc_profile_sampler *s, struct rc_error *err)
{
    struct rc_shared *head = s->shared->head;
    const int status = open_parts(s, err);

    if (status == RC_OK)
        fill_head(s->plan, head);
    return status;
}

/* Takes over the processes that launchers have entered since the last round. */
static void take_processes(struct rc_profile_sampler *s)
{
    const struct rc_shared *head = s->shared->head;
    const uint32_t count = atomic_load(&head->process_count);

    if (count == s->processes)
        return;
    for (; s->processes < count && s->processes < RC_SHARED_PROCESSES; s->processes++) {
        const struct rc_shared_process *p = &head->process[s->processes];
        (void)rc_profile_watch_add(&s->watch, p->pid, p->rank, p->began);
    }
    choose_cpu(s);
}

/* Writes the comparisons of clocks that the program's ranks have made since then. */
static void write_offsets(struct rc_profile_sampler *s)
{
    struct rc_shared *head = s->shared->head;
    const uint32_t count = atomic_load(&head->offset_head);

    for (uint32_t i = atomic_load(&head->offset_tail); i != count; i++) {
        const struct rc_shared_offset *o = &head->offset[i % RC_SHARED_OFFSETS];
        const struct rc_profile_payload payload = {
            .type = RC_PROFILE_CLOCK, .offset = {o->at_ns, o->low_ns, o->high_ns}};
        if (rc_profile_put(&s->writer, &payload) != RC_OK)
            return; /* there is no room on the disk: later */
        atomic_store(&head->offset_tail, i + 1);
    }
}

/* Writes the cost since the last account, and with 'govern' gives it to the governor.
 * The first account is left out there: the cost of starting comes once.
 */
static void write_cost(struct rc_profile_sampler *s, bool govern)
{
    uint64_t taken[RC_PROFILE_TAKEN];

    rc_profile_watch_taken(&s->watch, taken);
    const uint64_t own = rc_clock_cpu_ns(), program = taken[RC_PROFILE_CPU_NS];
    struct rc_profile_payload payload = {
        .type = RC_PROFILE_COST,
        .cost = {
            .at_ns = rc_clock_raw_ns(),
            .sampler_ns = own - s->own_cpu_ns,
            .program_ns = program > s->program_cpu_ns ? program - s->program_cpu_ns : 0,
            .crowded_ns = govern && s->taken.crowded ? own - s->own_cpu_ns : 0,
            .samples_ns = s->sampling ? rc_profile_sampling_taken_ns(s->sampling) : 0}};

    rc_profile_drain_totals(s->drain, &payload.cost);
    if (rc_profile_put(&s->writer, &payload) != RC_OK)
        return;
    s->own_cpu_ns = own;
    s->program_cpu_ns = program;
    s->taken.processes = s->watch.count;
    if (govern)
        rc_profile_governor_second(s->governor, &payload.cost, &s->taken);
    s->taken.drain_ns = s->taken.stacks_ns = 0;
}

/* Whether the program is over: it has no processes, a child of it has had the time to
 * claim a block, and no launcher is about to enter a process.  A launcher that was
 * killed before it entered its process is not waited for.
 */
static bool is_over(struct rc_profile_sampler *s)
{
    const uint64_t now = rc_clock_ns();

    if (s->watch.count > 0)
        s->deserted_ns = 0;
    else if (!s->deserted_ns)
        s->deserted_ns = now;
    const uint64_t patience = rc_profile_drain_open_blocks(s->drain) > 0 ? patience_ns
                              : atomic_load(&s->shared->head->forks)     ? child_ns
                                                                         : drain_ns;
    if (s->watch.count > 0 || now - s->deserted_ns < patience)
        return false;
    if (!rc_profile_shared_try_lock(s->shared))
        return false;
    if (atomic_load(&s->shared->head->process_count) == s->processes)
        return true;
    rc_profile_shared_unlock(s->shared);
    return false;
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void rc_profile_sampler_rounds(struct rc_profile_sampler *s)
{
    uint64_t now = rc_clock_ns();
    struct moments next = {.rows = moment_from(now, rows_ns),
                           .account = {now + first_account_ns, 2 * first_account_ns}};

    set_pace(s, &next, now);
    write_cost(s, false);
    do {
        if (s->processes == 0) /* soon, so that stacks are sampled from the begin on */
            next.drain.at_ns = now + soon_ns;
        const uint64_t until = earliest(next.drain.at_ns, next.read.at_ns);
        rc_profile_watch_wait(&s->watch, until);
        now = rc_clock_ns();
        if (now > until && now - until > s->late_ns)
            s->late_ns = now - until;
        const bool alone = s->processes == 0, crowded = s->taken.crowded;
        take_processes(s);
        if ((alone && s->processes > 0) || crowded != s->taken.crowded)
            set_pace(s, &next, now);
        if (moment_comes(&next.read, now))
            rc_profile_gauges_read(s->gauges, false);
        if (moment_comes(&next.flush, now))
            rc_profile_gauges_write(s->gauges, &s->writer);
        const uint64_t before = rc_clock_cpu_ns();
        if (s->sampling)
            rc_profile_sampling_round(s->sampling, &s->watch);
        const uint64_t sampled = rc_clock_cpu_ns();
        rc_profile_drain_round(s->drain, &s->watch, moment_comes(&next.rows, now));
        s->taken.stacks_ns += sampled - before;
        s->taken.drain_ns += rc_clock_cpu_ns() - sampled;
        write_offsets(s);
        if (moment_comes(&next.account, now)) { /* more often at the beginning */
            write_cost(s, true);
            next.account.every_ns = earliest(2 * next.account.every_ns, account_ns);
        }
        (void)moment_comes(&next.drain, now);
        rc_profile_watch_forget(&s->watch);
    } while (!is_over(s));
}

void rc_profile_sampler_end(struct rc_profile_sampler *s)
{
    const struct rc_shared *head = s->shared->head;
    const struct rc_profile_payload end = {
        .type = RC_PROFILE_END,
        .end = {.at_ns = rc_clock_raw_ns(),
                .no_block = atomic_load(&head->no_block),
                .late_ns = s->late_ns,
                .program_began_ns = head->program_began_ns,
                .program_ended_ns = s->watch.ended_ns,
                .filtered = atomic_load(&head->filtered),
                .start_ns = head->program_began_ns - head->launcher_began_ns}};

    rc_profile_gauges_read(s->gauges, true);
    rc_profile_gauges_write(s->gauges, &s->writer);
    if (s->sampling)
        rc_profile_sampling_end(s->sampling);
    write_cost(s, false);
    write_offsets(s);
    (void)rc_profile_put(&s->writer, &end);
    (void)rc_journal_close(s->writer.journal, NULL);
}
