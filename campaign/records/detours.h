/* detours.h - the record of detours: one measurement on one core
 *
 * Unlike a unit it belongs to no kind, suite or group: a directory may hold detours and
 * no campaign. docs/formats/records.md describes the payload.
 */
#ifndef RC_CAMPAIGN_RECORDS_DETOURS_H
#define RC_CAMPAIGN_RECORDS_DETOURS_H

#include "campaign/base/arena.h"
#include "campaign/clock/clock.h"
#include "campaign/records/record.h"
#include "solve/study/lines.h"

/* Limit of the rounds of a directory; their numbers are below it. */
#define RC_NOISE_ROUNDS_MOST 1000000

/* Values of a detour's 'who' that are not names of something on the node. */
enum rc_noise_who {
    RC_NOISE_WHO_NOT_ASKED,    /* no tracepoints were read */
    RC_NOISE_WHO_UNATTRIBUTED, /* nothing that the kernel reports: firmware, host */
    RC_NOISE_WHO_HOST,         /* time that the host of a virtual machine took */
    RC_NOISE_WHO_NAMES         /* the first number of the other names */
};
extern const char *const rc_noise_who_names[RC_NOISE_WHO_NAMES];
/* Values of the condition "tracepoints": they were read; the user did not want them.
 * Any other value says why they could not be read.
 */
#define RC_NOISE_TRACED "heard"
#define RC_NOISE_TRACE_UNWANTED "not asked for"

/* A count of what happened during the measurement, on its CPU or to its thread:
 * "interrupt LOC", "softirq TIMER", "steal ms", "involuntary switches", ...
 */
struct rc_noise_total {
    const char *name;
    uint64_t count;
};

/* A condition of the measurement: "cpu.max" "50000 100000", "policy" "fifo 50", ... */
struct rc_noise_condition {
    const char *name, *value;
};

/* One measurement: one core, one round, one pass. */
struct rc_noise_detours {
    const char *node;    /* named as in journals */
    uint32_t core;       /* number of the operating system */
    uint32_t round;      /* from 0 */
    const char *work;    /* "" for the bare loop, else the suite whose kernel ran */
    const char *point;   /* which of its kernels */
    uint64_t iterations; /* of the kernel in a quantum */
    bool alone;          /* one core of the node at a time */
    int64_t unix_time;   /* when it ended */
    uint64_t begin_ns;   /* CLOCK_MONOTONIC_RAW of its node at that time */
    uint64_t duration_ns;
    uint64_t gaps;             /* or quanta, with work */
    uint64_t median_gap_ps;    /* or quantum, with work */
    uint64_t tau_ns;           /* a longer gap is a detour */
    uint64_t stolen_ns;        /* in all detours, dropped ones included */
    uint64_t dropped;          /* detours that are not in the list */
    uint64_t faults, switches; /* page faults, involuntary switches meanwhile */

    /* The histogram of gaps, or of quanta, by length in ps: bins that are not empty,
     * ascending; see rc_detour_bin_begin().
     */
    uint32_t *bin;
    uint64_t *bin_count;
    size_t bins;

    struct rc_detour *detour; /* ascending, not overlapping */
    uint16_t *who;            /* by detour: index into 'name' */
    size_t count;
    const char **name; /* rc_noise_who_names first; a thread is "thread NAME" */
    size_t names;

    uint64_t *pace_ps, *pace_hz; /* of the work: see struct rc_detour_seen */
    size_t paces;
    struct rc_noise_total *total;
    size_t totals;
    struct rc_noise_condition *condition;
    size_t conditions;
    const struct rc_clock_offset
        *clock; /* of its node, before and after; none: on the first node */
    size_t clocks;
};

/* The value of a condition; "" if it is not there. */
const char *rc_noise_condition(const struct rc_noise_detours *detours,
                               const char *name);

/* As the other writers in record.h. */
int rc_record_put_detours(const struct rc_noise_detours *detours, struct rc_bytes *out,
                          struct rc_error *err);

/* Reads and checks a payload.  Its arrays are in 'arena', its texts in the payload. */
int rc_record_get_detours(const void *payload, size_t bytes, struct rc_arena *arena,
                          struct rc_noise_detours *out, struct rc_error *err);

/* Reads the round alone; the rest of the payload may be damaged. */
int rc_record_get_round(const void *payload, size_t bytes, uint32_t *round,
                        struct rc_error *err);

#endif
