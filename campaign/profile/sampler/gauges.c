/* Series: events of the node, its packages, domains and devices, read while the program
 * runs.
 *
 * The events that the user or the default list names are tried, put into groups and
 * read at equal intervals.  Some depend on the CPU that asks (a domain's counters, a
 * package's energy): they are read on a CPU of each unit, and the unit becomes part of
 * the name if there are several.
 */
#include "campaign/profile/sampler/gauges.h"

#include "campaign/base/arena.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/machine/machine.h"
#include "campaign/sources/source.h"
#include "io/journal/journal.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct rc_source rc_source_sysfs;

enum {
    EVENTS_MOST = 4096,
    KEPT = 64, /* readings of an event that wait to be written */
};

/* A source that is open. */
struct open_source {
    const struct rc_source *source;
    struct rc_source_state *state;
};

/* An event: its description, and readings that are not written yet. */
struct event {
    struct rc_profile_event info;
    size_t source;           /* index in 'source' */
    uint32_t number, domain; /* in its source */
    size_t cpu;              /* index of the CPU on which it is read; SIZE_MAX: any */
    struct rc_profile_reading reading[KEPT];
    size_t count;
    const char *why; /* of the last reading that is not valid; "": none */
};

/* Events that are read together. */
struct group {
    struct rc_group_state *state;
    const struct rc_source *source;
    size_t *event; /* numbers among all events */
    size_t count;
    bool running;
    uint64_t since_ns; /* when it was read last */
    struct rc_profile_gauge gauge;
};

struct rc_profile_gauges {
    struct rc_arena arena; /* of texts and arrays */
    struct rc_machine *machine;
    const struct rc_cpu *cpu;
    size_t cpu_count;
    struct open_source *source;
    size_t source_count;
    struct event **event;
    size_t count, room, announced;
    struct group *group;
    size_t group_count, group_room;
    struct rc_reading *reading; /* of a group: as many as there are events */
    uint64_t rounds;
};

/* Where enumerate() puts the events that it finds. */
struct sink {
    struct rc_event_sink base;
    struct rc_profile_gauges *series;
    const struct rc_profile_plan *plan;
    size_t source;
    uint32_t number;
    bool *used; /* [pattern] it matches an event; may be NULL */
};

static int add_event(struct rc_profile_gauges *s, const struct sink *sink,
                     const struct rc_event_info *info, const char *name, size_t cpu,
                     struct rc_error *err)
{
    struct event *e = rc_arena_array(&s->arena, 1, sizeof *e);

    if (s->count >= EVENTS_MOST)
        return rc_fail(err, RC_EUSAGE,
                       "-e matches more than %d events of source '%s', expected fewer",
                       EVENTS_MOST, s->source[sink->source].source->name);
    if (!e || rc_grow(&s->event, sizeof(struct event *), s->count, &s->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", s->count);
    *e = (struct event){
        .info = {.name = rc_arena_text(&s->arena, name),
                 .source = s->source[sink->source].source->name,
                 .description = rc_arena_text(&s->arena, info->description),
                 .scope = (uint8_t)info->scope,
                 .simulated = info->simulated,
                 .state = info->state,
                 .tick_ns = info->tick_ns,
                 .reason = ""},
        .source = sink->source,
        .number = sink->number,
        .domain = info->domain,
        .cpu = cpu,
        .why = ""};
    s->event[s->count++] = e;
    return rc_arena_check(&s->arena, err, "events");
}

/* Opens the machine's topology: that takes long, and few sources need it. */
static void open_machine(struct rc_profile_gauges *s)
{
    if (!s->machine &&
        rc_machine_open(RC_MACHINE_THIS, NULL, &s->machine, NULL) == RC_OK)
        s->cpu = rc_machine_cpus(s->machine, &s->cpu_count);
}

/* Adds an event for each of several units of the machine. */
static int add_for_units(struct rc_profile_gauges *s, const struct sink *sink,
                         const struct rc_event_info *info, struct rc_error *err)
{
    const size_t units =
        s->machine ? rc_machine_unit_count(s->machine, info->scope) : 0;
    char name[1200];

    for (size_t u = 0; u < units; u++) {
        const struct rc_unit *unit = rc_machine_unit(s->machine, info->scope, u);
        size_t i = 0;
        while (i < unit->cpu_count && !s->cpu[unit->cpus[i]].allowed)
            i++;
        if (i == unit->cpu_count)
            continue; /* the batch system does not let us use it */
        snprintf(name, sizeof name, "%.1000s:%s=%u", info->name,
                 rc_scope_name(info->scope), unit->os_index);
        int status = add_event(s, sink, info, name, unit->cpus[i], err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

static int take_event(struct rc_event_sink *base, const struct rc_event_info *info,
                      struct rc_error *err)
{
    struct sink *sink = (struct sink *)base;
    struct rc_profile_gauges *s = sink->series;
    const bool shared = info->scope != RC_SCOPE_CORE && info->scope != RC_SCOPE_L2;
    const bool by_unit = info->scope == RC_SCOPE_L3 || info->scope == RC_SCOPE_NUMA ||
                         info->scope == RC_SCOPE_PACKAGE;
    int status = RC_OK;

    if (shared && sink->used)
        rc_patterns_note(&sink->plan->patterns, info->name, sink->used);
    const bool taken = shared && rc_patterns_take(&sink->plan->patterns, info->name);
    if (taken && by_unit)
        open_machine(s);
    if (taken)
        status =
            by_unit && s->machine && rc_machine_unit_count(s->machine, info->scope) > 1
                ? add_for_units(s, sink, info, err)
                : add_event(s, sink, info, info->name, SIZE_MAX, err);
    sink->number++;
    return status;
}

/* Lists the events of the next source, which has just been opened. */
static int enumerate_source(struct rc_profile_gauges *s,
                            const struct rc_profile_plan *plan, bool *used,
                            struct rc_error *err)
{
    const struct rc_enumerate all = {.qualifiers = RC_QUALIFIERS_UMASKS};
    const struct open_source *o = &s->source[s->source_count];
    struct sink sink = {{take_event}, s, plan, s->source_count, 0, used};

    s->source_count++;
    return o->source->enumerate(o->state, &all, &sink.base, err);
}

/* Opens a source by "NAME:ARGUMENT", as --source has it. */
static int open_source(struct rc_profile_gauges *s, const struct rc_profile_plan *plan,
                       const char *word, bool *used, struct rc_error *err)
{
    const char *argument = strchr(word, ':');
    struct open_source *o = &s->source[s->source_count];
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, ":"), word);
    o->source =
        plan->hooks->find_source ? plan->hooks->find_source(name) : &rc_source_sysfs;
    if (!o->source)
        return rc_fail(err, RC_EUNSUPPORTED,
                       "this rollcall was built without source '%s'", name);
    const char *why = o->source->unavailable ? o->source->unavailable() : NULL;
    if (why)
        return rc_fail(err, RC_EUNSUPPORTED, "source '%s': %s", name, why);
    if (strcmp(name, "sysfs") != 0)
        open_machine(s);
    const struct rc_source_setup setup = {.argument = argument ? argument + 1 : NULL,
                                          .cpu = s->cpu,
                                          .cpu_count = s->cpu_count};
    const int status = o->source->open(&setup, &o->state, err);
    return status == RC_OK ? enumerate_source(s, plan, used, err) : status;
}

static void bind_to(const struct rc_profile_gauges *s, size_t cpu)
{
    cpu_set_t set;

    if (cpu >= s->cpu_count || s->cpu[cpu].os_index >= CPU_SETSIZE)
        return;
    CPU_ZERO(&set);
    CPU_SET(s->cpu[cpu].os_index, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* Tries an event.  One that has counted nothing so far is accepted: it may count later.
 */
static void try_event(struct rc_profile_gauges *s, struct event *e)
{
    const struct open_source *o = &s->source[e->source];
    struct rc_trial trial = {.verdict = RC_VERDICT_OK};

    bind_to(s, e->cpu);
    o->source->trial(o->state, &e->number, 1, &trial);
    if (trial.verdict != RC_VERDICT_OK && trial.verdict != RC_VERDICT_COUNTS_NOTHING)
        e->info.reason = rc_arena_text(&s->arena, trial.reason);
}

/* Whether the event 'b' may be read in the group that begins with 'a'. */
static bool go_together(const struct rc_profile_gauges *s, const struct event *a,
                        const struct event *b)
{
    return s->source[a->source].source->any_number && a->source == b->source &&
           a->domain == b->domain && a->cpu == b->cpu && !b->info.reason[0];
}

static void start_group(struct group *g)
{
    const struct rc_measurement nothing = {.iterations = 0};
    const uint64_t before = rc_clock_raw_ns();

    g->running = g->source->start(g->state, &nothing, NULL) == RC_OK;
    g->since_ns = before + (rc_clock_raw_ns() - before) / 2;
}

/* Reads a group.  A source without lap() is stopped; the caller starts it again. */
static int read_group(const struct rc_profile_gauges *s, const struct group *g)
{
    return !g->running      ? RC_EIO
           : g->source->lap ? g->source->lap(g->state, s->reading, NULL)
                            : g->source->stop(g->state, s->reading, NULL);
}

/* Notes the processor time of a reading, which began at '*cpu_ns', and sets that to the
 * present time.  The last reading has a weight of a quarter in the mean.
 */
static void note_time(struct group *g, uint64_t *cpu_ns)
{
    const uint64_t now = rc_clock_cpu_ns();
    const double took = (double)(now - *cpu_ns);

    g->gauge.ns = g->gauge.ns > 0 ? (3 * g->gauge.ns + took) / 4 : took;
    *cpu_ns = now;
}

/* Reads a group once, to learn how long that takes; returns whether all its events
 * could be read.
 */
static bool read_once(struct rc_profile_gauges *s, struct group *g)
{
    start_group(g);
    uint64_t cpu_ns = rc_clock_cpu_ns();
    bool all = read_group(s, g) == RC_OK;

    note_time(g, &cpu_ns);
    for (size_t i = 0; i < g->count; i++)
        all = all && !s->reading[i].why;
    if (!g->source->lap)
        start_group(g);
    g->since_ns = rc_clock_raw_ns();
    return all;
}

/* Makes a group from the event 'first' and later ones that can be read with it and are
 * in no group yet.  -1: no memory.
 */
static int collect_group(struct rc_profile_gauges *s, size_t first, const bool *grouped,
                         struct group *g)
{
    const struct event *e = s->event[first];

    *g = (struct group){.source = s->source[e->source].source,
                        .gauge = {.event = first}};
    if (!(g->event = rc_arena_array(&s->arena, s->count, sizeof *g->event)))
        return -1;
    for (size_t i = first; i < s->count; i++)
        if (i == first || (!grouped[i] && go_together(s, e, s->event[i])))
            g->event[g->count++] = i;
    return 0;
}

/* Arms a group on its CPU and reads it once; returns whether all its events could be
 * read.  If they cannot be armed together 'state' is NULL, and 'why' says why.
 */
static bool begin_group(struct rc_profile_gauges *s, struct group *g,
                        struct rc_error *why)
{
    const struct event *e = s->event[g->gauge.event];
    uint32_t *number = rc_arena_array(&s->arena, g->count, sizeof *number);

    for (size_t i = 0; number && i < g->count; i++)
        number[i] = s->event[g->event[i]]->number;
    bind_to(s, e->cpu);
    if (!number)
        rc_fail(why, RC_ENOMEM, "no memory for %zu events", g->count);
    else if (g->source->arm(s->source[e->source].state, number, g->count, &g->state,
                            why) == RC_OK)
        return read_once(s, g);
    g->state = NULL;
    return false;
}

/* Adds a group with the event 'first'.  If all events that fit together can be read at
 * once, none of them has to be tried alone; else each is.
 */
static int add_group(struct rc_profile_gauges *s, size_t first, bool *grouped,
                     struct rc_error *err)
{
    struct rc_error why = {.text = ""};
    struct group g;

    if (rc_grow(&s->group, sizeof *s->group, s->group_count, &s->group_room) ||
        collect_group(s, first, grouped, &g) != 0)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", s->count);
    if (!g.source->any_number || !begin_group(s, &g, &why)) {
        if (g.state)
            g.source->disarm(g.state);
        for (size_t i = 0; i < g.count; i++)
            try_event(s, s->event[g.event[i]]);
        if (s->event[first]->info.reason[0])
            return RC_OK;
        if (collect_group(s, first, grouped, &g) != 0)
            return rc_fail(err, RC_ENOMEM, "no memory for %zu events", s->count);
        (void)begin_group(s, &g, &why);
    }
    for (size_t i = 0; i < g.count; i++) {
        grouped[g.event[i]] = true;
        if (!g.state)
            s->event[g.event[i]]->info.reason = rc_arena_text(&s->arena, why.text);
    }
    if (g.state)
        s->group[s->group_count++] = g;
    return RC_OK;
}

/* Makes the groups; for each this thread goes to a CPU of its unit, and at last back.
 */
static int make_groups(struct rc_profile_gauges *s, struct rc_error *err)
{
    bool *grouped = rc_arena_array(&s->arena, s->count, sizeof *grouped);
    cpu_set_t before;
    const bool known = sched_getaffinity(0, sizeof before, &before) == 0;
    int status = RC_OK;

    s->reading = rc_arena_array(&s->arena, s->count, sizeof *s->reading);
    if (!grouped || !s->reading)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", s->count);
    for (size_t i = 0; i < s->count && status == RC_OK; i++)
        if (!grouped[i] && !s->event[i]->info.reason[0])
            status = add_group(s, i, grouped, err);
    if (known)
        sched_setaffinity(0, sizeof before, &before);
    return status;
}

int rc_profile_gauges_open(const struct rc_profile_plan *plan,
                           struct rc_profile_watch *watch, bool *used,
                           struct rc_profile_gauges **out, struct rc_error *err)
{
    struct rc_profile_gauges *s = rc_calloc(1, sizeof *s);
    int status = RC_OK;

    *out = s;
    if (!s || !(s->source = rc_calloc(plan->source_count + 1, sizeof *s->source)))
        status = rc_fail(err, RC_ENOMEM, "no memory for series");
    if (status != RC_OK)
        goto out;
    s->source[0].source = &rc_profile_source_program;
    if ((status = rc_profile_program_open(watch, &s->source[0].state, err)) != RC_OK ||
        (status = enumerate_source(s, plan, used, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < plan->source_count; i++)
        if ((status = open_source(s, plan, plan->source[i], used, err)) != RC_OK)
            goto out;
    status = make_groups(s, err);
out:
    if (status != RC_OK) {
        rc_profile_gauges_close(s);
        *out = NULL;
    }
    return status;
}

void rc_profile_gauges_close(struct rc_profile_gauges *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->group_count; i++)
        s->group[i].source->disarm(s->group[i].state);
    for (size_t i = 0; i < s->source_count; i++)
        s->source[i].source->close(s->source[i].state);
    rc_machine_close(s->machine);
    rc_arena_free(&s->arena);
    free(s->group);
    free(s->event);
    free(s->source);
    free(s);
}

/* Some at a time, so that no record is too long. */
int rc_profile_gauges_announce(struct rc_profile_gauges *s,
                               struct rc_profile_writer *writer)
{
    while (s->announced < s->count) {
        struct rc_profile_event info[64];
        size_t count = 0;
        while (count < sizeof info / sizeof info[0] &&
               s->announced + count < s->count) {
            info[count] = s->event[s->announced + count]->info;
            count++;
        }
        const struct rc_profile_payload payload = {.type = RC_PROFILE_EVENTS,
                                                   .events = {info, count}};
        const int status = rc_profile_put(writer, &payload);
        if (status != RC_OK)
            return status;
        s->announced += count;
    }
    return RC_OK;
}

/* Keeps a reading, if there is one.  Without room for it the oldest one is dropped,
 * which shows as a gap.
 */
static void keep_reading(struct event *e, const struct rc_reading *r, uint64_t since_ns,
                         uint64_t at_ns, uint64_t half_ns)
{
    const bool valid = !r->why && r->running_ns == r->enabled_ns;

    if (!r->why && r->enabled_ns == 0)
        return;
    if (e->count == KEPT)
        memmove(e->reading, e->reading + 1, --e->count * sizeof e->reading[0]);
    if (!valid)
        e->why = r->why ? r->why : "did not count all the time";
    e->reading[e->count++] =
        (struct rc_profile_reading){.at_ns = at_ns,
                                    .half_ns = half_ns,
                                    .value = valid ? r->value : INT64_MIN,
                                    .since_ns = valid ? since_ns : 0};
}

static void sample_group(struct rc_profile_gauges *s, struct group *g)
{
    const uint64_t before = rc_clock_raw_ns(), since_ns = g->since_ns;
    const int status = read_group(s, g);
    const uint64_t half = (rc_clock_raw_ns() - before) / 2;
    bool any = false;

    g->since_ns = before + half;
    for (size_t i = 0; i < g->count; i++) {
        if (status != RC_OK)
            s->reading[i] = (struct rc_reading){.why = "its source could not read it"};
        any |= !s->reading[i].why;
        keep_reading(s->event[g->event[i]], &s->reading[i], since_ns, before + half,
                     half);
    }
    if (!any || !g->source->lap) /* its daemon may be back again, too */
        start_group(g);
}

void rc_profile_gauges_read(struct rc_profile_gauges *s, bool all)
{
    uint64_t cpu_ns = rc_clock_cpu_ns();

    for (size_t i = 0; i < s->group_count; i++)
        if (all || (s->rounds & ((1U << s->group[i].gauge.level) - 1)) == 0) {
            sample_group(s, &s->group[i]);
            note_time(&s->group[i], &cpu_ns);
        }
    s->rounds++;
}

size_t rc_profile_gauges_count(const struct rc_profile_gauges *s)
{
    return s->group_count;
}

struct rc_profile_gauge *rc_profile_gauges_at(struct rc_profile_gauges *s, size_t group)
{
    return &s->group[group].gauge;
}

void rc_profile_gauges_write(struct rc_profile_gauges *s,
                             struct rc_profile_writer *writer)
{
    int status = rc_profile_gauges_announce(s, writer);

    if (status != RC_OK)
        return;
    rc_journal_hold(writer->journal);
    for (size_t i = 0; i < s->count && status == RC_OK; i++) {
        const struct event *e = s->event[i];
        const struct rc_profile_payload payload = {
            .type = RC_PROFILE_READINGS,
            .readings = {.event = i,
                         .reading = e->reading,
                         .reading_count = e->count,
                         .why = e->why}};
        if (e->count > 0)
            status = rc_profile_put(writer, &payload);
    }
    if (rc_journal_release(writer->journal, &writer->err) != RC_OK || status != RC_OK)
        return; /* all is written again later, with what was written now */
    for (size_t i = 0; i < s->count; i++) {
        s->event[i]->count = 0;
        s->event[i]->why = "";
    }
}
