/* records.h - records that the sampler of a node writes into the journal
 *
 * A directory of a profile is one of a campaign without kinds: DIR/journal/NODE.rcj, an
 * id that all files share.  Each launch of the program adds records; those of one
 * sampler have one writer number, which no other launch or node has.  A place is a
 * thread of the program on its node: it is numbered by the sampler, from 0 on.  Names,
 * paths and calls are numbered within their place, as in shared.h.
 *
 * Times are ns of the node's CLOCK_MONOTONIC_RAW.  docs/formats/profile-records.md
 * describes the payloads.
 */
#ifndef RC_CAMPAIGN_PROFILE_WIRE_RECORDS_H
#define RC_CAMPAIGN_PROFILE_WIRE_RECORDS_H

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "campaign/profile/wire/shared.h"
#include "io/payload/payload.h"

#define RC_PROFILE_RECORD_VERSION 10 /* see docs/formats/profile-records.md */

/* Numbers of writers for each line of launches.txt: the first is its sampler's, and the
 * others were those of samplers that earlier versions started in its place.
 */
enum { RC_PROFILE_WRITERS = 256 };

/* They follow the types of campaigns, which a directory of a profile does not have. */
enum rc_profile_type {
    RC_PROFILE_LAUNCH = 100, /* struct rc_profile_launch: a sampler began */
    RC_PROFILE_EVENTS,       /* list of struct rc_profile_event: further events */
    RC_PROFILE_PLACE, /* struct rc_profile_place: a thread of the program began */
    RC_PROFILE_NAMES, /* struct rc_profile_names */
    RC_PROFILE_PATHS, /* struct rc_profile_paths: rows that changed, as they are now */
    RC_PROFILE_CALLS, /* struct rc_profile_calls: likewise */
    RC_PROFILE_SPANS, /* struct rc_profile_spans: entries of a ring */
    RC_PROFILE_CLOSE, /* struct rc_profile_close: the thread has ended */
    RC_PROFILE_READINGS,     /* struct rc_profile_readings: of series */
    RC_PROFILE_COST,         /* struct rc_profile_cost */
    RC_PROFILE_END,          /* struct rc_profile_end: the sampler ended by itself */
    RC_PROFILE_STACKS = 111, /* struct rc_profile_stacks: samples since the last one */
    RC_PROFILE_CLOCK, /* struct rc_profile_offset: the node's clock was compared */
    RC_PROFILE_WAITS, /* struct rc_profile_waits: rows that changed, as they are now */
    RC_PROFILE_RATE,  /* struct rc_profile_rate: less is recorded, or more again */
    RC_PROFILE_RUNS,  /* struct rc_profile_runs: how much of their time threads ran */
    RC_PROFILE_LAST = RC_PROFILE_RUNS,
};

/* The time from one reading of series to the next, unless --rate gives it; and the same
 * if the sampler has no processor that the program does not use.
 */
#define RC_PROFILE_PERIOD_NS UINT64_C(100000000)
#define RC_PROFILE_CROWDED_NS UINT64_C(200000000)

struct rc_profile_launch {
    const char *node;
    const char *const *word; /* of the program's command line */
    size_t word_count;
    const char *created_by;  /* program and version */
    const char *directory;   /* where it was started */
    const char *sampler_cpu; /* "3", or why it has no core of its own */
    uint64_t
        launch; /* which launch of the directory: 0, 1, ...; equal on all its nodes */
    int64_t unix_ns; /* the wall clock when it was 'at_ns' */
    uint64_t at_ns;
    uint64_t period_ns;         /* of series */
    uint64_t long_ns;           /* MPI calls that take longer are among the spans */
    uint64_t every;             /* each so many-th instance of a region is measured */
    bool trace;                 /* all MPI calls are among the spans */
    const char *const *counter; /* names of the events that threads count */
    size_t counter_count;
    uint64_t budget_ppm; /* of the program's time, which the profile may take; 0: any */
    const char *set;     /* since version 9: see parameters.h; NULL or "": nothing */
};

/* A series: readings of one event of a source, over time, of the node or a part of it.
 */
struct rc_profile_event {
    const char *name, *source, *description;
    uint8_t scope; /* enum rc_scope */
    bool simulated;
    bool state;         /* its values are states (a temperature), not counts */
    const char *reason; /* why it is not read, or ""; then it has no readings */
    uint64_t tick_ns;   /* ns in one count of an event that counts time; 0: others */
};

struct rc_profile_events {
    const struct rc_profile_event *event;
    size_t event_count;
};

struct rc_profile_place {
    uint64_t place;
    uint64_t pid, tid;
    int64_t rank; /* -1: none, or not known; RC_PROFILE_CLOSE knows better */
    bool child;   /* of a process that the program started */
    uint64_t began_ns;
    const char *program;      /* what the process ran, as /proc/PID/exe has it, or "" */
    const char *cpus;         /* that it may run on: "0-3" */
    const char *counters_why; /* why its events are not counted, or "" */
};

struct rc_profile_names {
    uint64_t place;
    uint64_t first;   /* number of the first byte in 'byte' */
    const char *byte; /* names, each ended by a NUL */
    size_t byte_count;
};

/* As struct rc_shared_path and rc_shared_call, in ns. */
struct rc_profile_path {
    uint64_t number, parent, name, visits, measured;
    uint64_t ns, shortest_ns, longest_ns, lost;
    uint64_t count[RC_SHARED_COUNTERS];
    uint64_t stands_for; /* visits whose time is 'ns'; before version 4: 'measured' */
    int8_t openmp; /* the metric of its time if it is a region of OpenMP, else -1: the
                    * reader sets it, no record has it */
};
struct rc_profile_paths {
    uint64_t place;
    const struct rc_profile_path *path;
    size_t path_count;
};

struct rc_profile_call {
    uint64_t number, path, name, module, site, ranks, log_bytes;
    uint64_t nodes; /* since version 10: enum rc_shared_nodes */
#define CALL(ticks, member, ...) uint64_t member;
#define TIMES uint64_t time[RC_SHARED_TIMES];
#include "io/profile/calls.def"
};
struct rc_profile_calls {
    uint64_t place;
    const struct rc_profile_call *call;
    size_t call_count;
};

/* An entry of a ring: enum rc_shared_what. */
struct rc_profile_span {
    uint64_t at_ns, what, number;
};
struct rc_profile_spans {
    uint64_t place;
    const struct rc_profile_span *span;
    size_t span_count;
};

struct rc_profile_close {
    uint64_t place;
    int64_t rank, ranks;
    uint64_t ended_ns;                   /* as it says, or when its end was noticed */
    bool killed;                         /* it ended without saying so */
    uint64_t mpi_began_ns, mpi_ended_ns; /* 0: never */
    uint64_t lost_entries, lost_paths, repaired;
    uint64_t own_ns, joined; /* since version 5 */
};

/* Readings of one series, one after the other. */
struct rc_profile_reading {
    uint64_t at_ns, half_ns; /* between at_ns - half_ns and at_ns + half_ns */
    int64_t value;           /* counted since the reading before, or the state */
    uint64_t since_ns;       /* for counts: when that reading was; 0: it is not valid */
};
struct rc_profile_readings {
    uint64_t event; /* number among all events of this writer */
    const struct rc_profile_reading *reading;
    size_t reading_count;
    const char *why; /* of those that are not valid, the last reason, or "" */
};

/* The cost of the profile itself, since the record before. */
struct rc_profile_cost {
    uint64_t at_ns, sampler_ns;      /* processor time of the sampler */
    uint64_t program_ns;             /* processor time of all processes it watches */
    uint64_t entries, calls, visits; /* of all blocks, so far */
    uint64_t own_ns; /* likewise: time of the library in the program's threads */
    /* Since version 6: the part of sampler_ns in which the sampler had no processor
     * that the program leaves free; and, so far, the time of samples of stacks in the
     * program's threads, estimated by that of one in a trial.
     */
    uint64_t crowded_ns, samples_ns;
};

/* From now on less of this is recorded, or more again, to keep within the budget. */
enum rc_profile_rated {
    RC_PROFILE_RATED_SERIES, /* 'number' is an event, read with others of its source */
    RC_PROFILE_RATED_PATH,   /* a call path of 'place': instances are measured */
    RC_PROFILE_RATED_SPANS,  /* likewise: measured instances are among the spans */
    RC_PROFILE_RATED_CALL,   /* a row of MPI calls of 'place': traced, as spans */
    RC_PROFILE_RATED_STACKS, /* samples of stacks, of all threads; 'number' is 0 */
    RC_PROFILE_RATED_POLLS,  /* of earlier versions: a row of polls of 'place', of
                              * which a part was counted */
    RC_PROFILE_RATED_COUNT
};
struct rc_profile_rate {
    uint64_t at_ns;
    uint8_t what; /* enum rc_profile_rated */
    uint64_t place, number;
    uint64_t every;   /* each so many-th is recorded; 1: all; 0: none (of calls) */
    uint64_t cost_ns; /* the time that it took in the second before, about */
    uint64_t of_ns; /* the program's time in that second: the budget is a part of it */
};

struct rc_profile_end {
    uint64_t at_ns;
    uint64_t no_block;  /* threads that found no room */
    uint64_t late_ns;   /* the longest delay of a round of the sampler */
    uint64_t restarted; /* 0; earlier versions: samplers killed before this one */
    /* Since version 6, 0: not known: when the first launcher became the program, and
     * when the end of the last of its processes was seen.
     */
    uint64_t program_began_ns, program_ended_ns;
    uint64_t start_ns; /* from the first launcher's begin to the program's */
    uint64_t filtered; /* since version 8: processes that filtered their system calls */
};

/* Samples of stacks.  Modules, frames and tasks are numbered by the sampler over its
 * records: modules and frames from 1 on, tasks from 0 on.  A frame is a place in the
 * program as it was called from the frames outside of it.
 */
#define RC_PROFILE_KERNEL "[kernel]" /* the module of frames in the kernel */
struct rc_profile_module {
    const char *path;     /* of its file; in brackets: it has no file */
    const char *build_id; /* hexadecimal digits, or "" */
};
struct rc_profile_frame {
    uint64_t parent; /* the frame of the caller, whose number is lower; 0: not known */
    uint64_t module; /* 0: not known */
    uint64_t offset; /* by the file's own addresses; of a caller: within its call */
    bool start;      /* main(), or a thread's function, is called here */
};
struct rc_profile_task { /* a thread: of a place, or of none */
    uint64_t pid, tid;
    int64_t rank; /* -1: none */
};
struct rc_profile_stack_count {
    uint64_t task;
    uint64_t frame; /* the innermost; 0: no stack was found */
    uint64_t samples;
};
struct rc_profile_stacks {
    uint64_t at_ns;     /* until when */
    uint64_t period_ns; /* processor time that each stands for, on average */
    bool kernel;        /* threads were sampled in the kernel, too */
    uint64_t lost;      /* samples that are not here */
    uint64_t full;      /* samples whose inner frames had no room, among 'count' */
    uint64_t missed;    /* attempts to sample a thread that failed */
    const char *why;    /* the last reason for that, or "" */
    /* Since version 7, 0 before: bytes of a stack that are copied (0: callers are found
     * by frame pointers); samples with callers beyond the copy; samples with more
     * callers than can be followed.
     */
    uint64_t stack_bytes, brief, deep;
    uint64_t modules, tasks, frames; /* how many of each there were before */
    const struct rc_profile_module *module;
    size_t module_count;
    const struct rc_profile_task *task;
    size_t task_count;
    const struct rc_profile_frame *frame;
    size_t frame_count;
    const struct rc_profile_stack_count *count;
    size_t count_count;
};

/* The clocks of nodes were compared by the ranks of the program: CLOCK_MONOTONIC_RAW of
 * the node of MPI's rank 0 less that of this node, when this one was 'at_ns', is
 * between low_ns and high_ns.  On the node of rank 0 itself both are 0.
 */
struct rc_profile_offset {
    int64_t at_ns, low_ns, high_ns;
};

/* How long the calls of a row waited, as far as it is known: see struct rc_shared_call.
 */
struct rc_profile_wait {
    uint64_t number; /* the row's */
    uint64_t kind;   /* enum rc_waiting_kind, or one that a later version has */
#define WAIT(ticks, member, ...) uint64_t member;
#include "io/profile/calls.def"
};
struct rc_profile_waits {
    uint64_t place;
    uint64_t exchanges, exchange_ns; /* of events between ranks, and their time */
    uint64_t unmatched;              /* calls for which there was no room */
    uint64_t impossible;             /* messages that arrived before they were sent */
    const struct rc_profile_wait *wait;
    size_t wait_count;
};

/* A stretch of a thread's time: how long it ran, and how long it could have run and
 * waited for a processor.
 */
struct rc_profile_run {
    uint64_t place, since_ns, at_ns, ran_ns, waited_ns;
};
struct rc_profile_runs {
    const struct rc_profile_run *run;
    size_t run_count;
};

/* A record of any type. */
struct rc_profile_payload {
    enum rc_profile_type type;
    union {
        struct rc_profile_launch launch;
        struct rc_profile_events events;
        struct rc_profile_place place;
        struct rc_profile_names names;
        struct rc_profile_paths paths;
        struct rc_profile_calls calls;
        struct rc_profile_spans spans;
        struct rc_profile_close close;
        struct rc_profile_readings readings;
        struct rc_profile_cost cost;
        struct rc_profile_end end;
        struct rc_profile_stacks stacks;
        struct rc_profile_offset offset;
        struct rc_profile_waits waits;
        struct rc_profile_rate rate;
        struct rc_profile_runs runs;
    };
};

/* Puts the payload of a record in the place of what 'out' held. */
int rc_profile_encode(const struct rc_profile_payload *payload, struct rc_bytes *out,
                      struct rc_error *err);

/* Takes one apart; its strings live in 'texts', its arrays in 'lists'.  A record that
 * was read fits the tables of shared.h: numbers of paths are below RC_SHARED_PATHS,
 * those of calls below RC_SHARED_CALLS, those of names, and the end of the bytes of
 * names, not above RC_SHARED_NAMES; a path's parent has a lower number than the path.
 * RC_EUSAGE: a payload that is damaged or impossible.  RC_EUNSUPPORTED: an unknown
 * type, perhaps of a later version: the record can be skipped.
 */
int rc_profile_decode(uint32_t type, const void *payload, size_t bytes,
                      struct rc_pool *texts, struct rc_arena *lists,
                      struct rc_profile_payload *out, struct rc_error *err);

#endif
