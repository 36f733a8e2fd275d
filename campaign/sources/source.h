/* source.h - where numbers come from
 *
 * One const descriptor per source, listed in table.c.  Nothing outside a
 * source knows how it counts.  A source is used by one thread of one process;
 * every rank opens its own.
 */
#ifndef RC_CAMPAIGN_SOURCES_SOURCE_H
#define RC_CAMPAIGN_SOURCES_SOURCE_H

#include "campaign/base/error.h"
#include "campaign/base/words.h"
#include "kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rc_cpu; /* campaign/machine/machine.h: one processing unit and where it belongs
                */

/* Facts that a source may need to open itself.  Borrowed for the call. */
struct rc_source_setup {
    const char *argument;               /* what followed "NAME:", or NULL */
    uint64_t seed;                      /* of simulated noise */
    const struct rc_cpu *cpu;           /* the processing units of this machine */
    size_t cpu_count;                   /* 0: not known */
    const struct rc_geometry *geometry; /* of this machine; NULL: not known */
};

/* Which qualified forms of an event are events of their own. */
enum rc_qualifiers {
    RC_QUALIFIERS_NONE,   /* events under their plain names */
    RC_QUALIFIERS_UMASKS, /* one event for each unit mask */
    RC_QUALIFIERS_ALL,    /* and each with the modifiers that change what counts */
};

/* The options of an enumeration. */
struct rc_enumerate {
    enum rc_qualifiers qualifiers;
    bool presets; /* list also the combinations that the source's library predefines */
};

/* An event as its source describes it.  The strings are borrowed for the call
 * that passes it on.
 */
struct rc_event_info {
    const char *name; /* full and native, unique in the source, opaque to others */
    const char *description; /* for people, as the source's library has it */
    enum rc_scope scope;
    const char *evidence; /* how the scope is known, for people */
    bool preset;          /* a combination that the source's library predefines */
    bool simulated;       /* readings come from a simulation of any kind */
    bool state;           /* not a counter: a reading is its value at the end */
    uint32_t tick_ns;     /* ns in one count of an event that counts time; 0: others */

    /* Events of different domains never count together (PAPI: components). */
    uint32_t domain;
    /* Events of a domain with the same 'alike', if it is not 0, can replace each
     * other in any group, which saves trials; 0 is always right.
     */
    uint32_t alike;
};

/* Takes what enumerate() finds.  add() returns 0 or a negative rc_status that
 * enumerate() must return at once.  Events are numbered 0, 1, 2, ... in the
 * order of the calls: these numbers name them in all other functions.
 */
struct rc_event_sink {
    int (*add)(struct rc_event_sink *sink, const struct rc_event_info *info,
               struct rc_error *err);
};

/* The outcome of the trial of an event alone, or of a group. */
struct rc_trial {
    enum rc_verdict verdict;
    char reason[240]; /* one line; empty for RC_VERDICT_OK */
};

/* Where a reading is taken, for sources that simulate: keys that are the same in every
 * run; zeros: on any core of any node.
 */
struct rc_where {
    uint64_t place;       /* of the node and the core */
    uint64_t node;        /* of the node alone */
    uint32_t node_number; /* of a simulated node, from 0 on: see rc_source.nodes */
};

/* The measurement during which a group counts: sources that simulate read it. */
struct rc_measurement {
    const struct rc_suite *suite;
    const struct rc_suite_request *request; /* by which the suite chose its points */
    const struct rc_point *point;
    uint32_t point_index; /* of the point in its suite */
    uint32_t repetition;  /* from 0 on */
    uint64_t iterations;  /* of the kernel, per reading */
    struct rc_where where;
    uint32_t worker, workers; /* number of this worker in its team, and how many take
                               * part; 0 of 0: it is alone */

    /* By scope: how many other workers measure in the same unit meanwhile.  Their
     * work may show in readings of events with that scope.
     */
    uint32_t busy[RC_SCOPE_COUNT];
};

/* One event's value.  enabled != running: the event did not count all the
 * time, and the value is not to be used.
 */
struct rc_reading {
    int64_t value;
    uint64_t enabled_ns, running_ns;
    const char *why; /* reason why it is not to be used, in a few words that are never
                      * freed; NULL: it is good, or did not count all the time */
};

struct rc_program; /* campaign/base/program.h: started, and waits to be let go */

/* The end of a program that was followed. */
struct rc_followed {
    int ended;                 /* status as waitpid() gives it */
    size_t processes, threads; /* that were counted */
    size_t left;     /* processes that were not counted, or not to their end */
    const char *why; /* reason for the last of these; NULL: there are none */
};

struct rc_source_state; /* opaque, one per open source; each source its own */
struct rc_group_state;  /* opaque, one per armed group */

/* A source. */
struct rc_source {
    const char *name;            /* as in --source NAME[:ARGUMENT] */
    const char *summary;         /* one line for lists */
    const char *argument;        /* what ARGUMENT is, or NULL where there is none */
    const char *label;           /* shown with every result: "real", "simulated", ... */
    bool runs_kernels;           /* false: readings are made up, no code needs to run */
    bool deterministic;          /* equal work gives equal readings, by declaration */
    bool any_number;             /* one reading holds any number of events */
    uint64_t instruction_budget; /* instructions for one point, 0: no limit */
    uint64_t instructions_most;  /* of a point's fewest iterations; 0: no limit */

    /* Other workers do not show in readings of core scope: any number of them may
     * measure side by side, whatever the kernel's footprint is.
     */
    bool isolated;

    /* The label where it depends on what was opened, else NULL for the one above; may
     * be NULL itself.
     */
    const char *(*label_of)(struct rc_source_state *state);

    /* Why the source cannot be used in this process, or NULL; may be NULL itself. */
    const char *(*unavailable)(void);

    /* On success the caller owns *out and must close() it; on failure *out is
     * NULL.  A bad argument is RC_EUSAGE.
     */
    int (*open)(const struct rc_source_setup *setup, struct rc_source_state **out,
                struct rc_error *err);
    void (*close)(struct rc_source_state *state); /* accepts NULL */

    /* The counter set as one line of text: the part of a kind's key that the
     * source knows.  Equal on nodes that count alike.
     */
    void (*identify)(struct rc_source_state *state, char *out, size_t room);

    /* The costs of a reading as measured when the source was opened, as one line of text
     * that is not part of a kind.  May be NULL itself.
     */
    void (*costs)(struct rc_source_state *state, char *out, size_t room);

    /* Shorter readings tell more of what reading costs than of the kernel: points get
     * more iterations, or are left out (campaign/plan/lengthen.h).  NULL itself: there
     * is no such limit.
     */
    uint64_t (*least_ns)(struct rc_source_state *state);

    /* hwloc's synthetic description of the machine that is simulated, or NULL
     * where the source counts on the machine at hand.  May be NULL itself.
     */
    const char *(*topology)(struct rc_source_state *state);

    /* How many nodes are simulated, each as topology() has it: readings are made up for
     * all of them, whatever the nodes of the job are.  0, or the function itself NULL:
     * readings are of the nodes of the job.
     */
    uint32_t (*nodes)(struct rc_source_state *state);

    /* Name of the machine that is simulated.  Not NULL where topology() is not. */
    const char *(*machine)(struct rc_source_state *state);

    /* The sizes that suites are to choose their points by: those of the caches
     * that the source simulates under code that really runs; borrowed from
     * 'state'.  NULL, or the function itself NULL: the machine's own.
     */
    const struct rc_geometry *(*geometry)(struct rc_source_state *state);

    /* Full name of the event that counts 'ideal' by declaration, or NULL: what
     * the kernels are verified by.  NULL itself: the source declares nothing.
     */
    const char *(*event_of_ideal)(enum rc_ideal ideal);

    /* Whether any hardware counter of a core really counts here, by a trial;
     * 'why' is one line either way ("perf::INSTRUCTIONS counts", "no PMU: ...").
     * NULL: the source has nothing to do with hardware counters.
     */
    bool (*hardware)(struct rc_source_state *state, char *why, size_t room);

    /* Names of cheap events that every group can carry as a reference where a
     * counter is free, the best first, ended by NULL.  May be NULL.
     */
    const char *const *(*references)(struct rc_source_state *state);

    /* Calls tell() for each component of the source, with the reason why it gives
     * no events here, or NULL where it is active.  The strings are borrowed for the
     * call.  May be NULL itself.
     */
    void (*components)(struct rc_source_state *state,
                       void (*tell)(void *context, const char *component,
                                    const char *reason),
                       void *context);

    /* Called once, before anything below. */
    int (*enumerate)(struct rc_source_state *state, const struct rc_enumerate *what,
                     struct rc_event_sink *sink, struct rc_error *err);

    /* Adds the events to an empty set, starts it, lets something happen, reads
     * and stops.  RC_VERDICT_OK for a group: all of them really counted all
     * the time.  RC_VERDICT_COUNTS_NOTHING is said of single events only.
     */
    void (*trial)(struct rc_source_state *state, const uint32_t *events, size_t count,
                  struct rc_trial *out);

    /* A group ready to be started, as often as wanted.  The caller owns *out
     * and must disarm() it before the source is closed.
     */
    int (*arm)(struct rc_source_state *state, const uint32_t *events, size_t count,
               struct rc_group_state **out, struct rc_error *err);
    void (*disarm)(struct rc_group_state *group); /* accepts NULL */

    /* start() zeroes and starts the counters; stop() stops them and fills one
     * reading for each event, in the order given to arm().  Nothing is
     * allocated in either.
     */
    int (*start)(struct rc_group_state *group, const struct rc_measurement *what,
                 struct rc_error *err);
    int (*stop)(struct rc_group_state *group, struct rc_reading *readings,
                struct rc_error *err);

    /* As stop(), and the next reading begins where this one ends: nothing that is
     * counted in between is lost.  NULL: not possible.
     */
    int (*lap)(struct rc_group_state *group, struct rc_reading *readings,
               struct rc_error *err);

    /* Counts a program instead of code of this process.  Lets it go, waits for its end
     * and fills one reading for each event of 'group', which must not be started; the
     * program's children and threads count, too.  With 'less' the values that the
     * readings had before are subtracted.  NULL: not possible.
     */
    int (*follow)(struct rc_group_state *group, struct rc_program *program, bool less,
                  struct rc_reading *readings, struct rc_followed *out,
                  struct rc_error *err);

    /* Zeroes the counters of a started group and lets them go on, so that work
     * done since start() has warmed what the source simulates and is not
     * counted.  NULL: the source simulates nothing that would be cold.
     */
    int (*zero)(struct rc_group_state *group, struct rc_error *err);
};

/* All sources of this build, ended by NULL, and one by its name, or NULL. */
const struct rc_source *const *rc_sources(void);
const struct rc_source *rc_source_find(const char *name);

#endif
