/* record.h - what the records of a campaign's journals mean
 *
 * io/journal/journal.h keeps bytes; this header gives them a meaning.  A campaign's
 * journals hold everything that its store is made from: what was to be measured, the
 * kinds of machines with their events, suites and groups, and one record for each unit
 * that was measured. docs/formats/records.md describes the payloads byte by byte.
 *
 * Payloads may come from strangers: readers check every number before they use it, and
 * RC_EUSAGE says what was found and what was expected.
 */
#ifndef RC_CAMPAIGN_RECORDS_RECORD_H
#define RC_CAMPAIGN_RECORDS_RECORD_H

#include "campaign/base/error.h"
#include "campaign/base/words.h"
#include "io/journal/journal.h"
#include "io/payload/payload.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stored in files: append only. */
enum rc_record_type {
    RC_RECORD_CAMPAIGN = 1, /* the campaign file in full; the latest one holds */
    RC_RECORD_KIND,         /* a kind of machine and its sources */
    RC_RECORD_EVENTS,       /* events after those that the kind has */
    RC_RECORD_SUITE,        /* a suite with points, basis and iterations */
    RC_RECORD_GROUPS,       /* groups after those that the kind has */
    RC_RECORD_UNIT,         /* a measured unit */
    RC_RECORD_RUN,          /* a run began */
    RC_RECORD_END,          /* a run ended by itself */
    RC_RECORD_ORIGIN,       /* how the campaign was made from others */
    RC_RECORD_SHARE,        /* which units of a kind are this directory's own */
    RC_RECORD_DETOURS,      /* interruptions of a core: see detours.h */
};

/* Strings below are never NULL after reading, and NULL may stand for "" in writing.
 * Kinds are named by rc_record_kind_id().
 */
uint64_t rc_record_kind_id(const char *key);

struct rc_record_campaign {
    const char *spec;       /* the campaign file in full */
    const char *created_by; /* program and version */
    int64_t unix_time;
};

struct rc_record_source {
    const char *name;        /* "papi", "soft", "model" */
    const char *label;       /* for people: "real", "simulated" */
    const char *counter_set; /* what distinguishes its events between machines */
    bool deterministic;      /* equal sweeps give equal counts */
    bool simulated;          /* it runs no kernels: its counts are made up */
};

struct rc_record_kind {
    const char *name;  /* "amd-epyc-25-17-1-2c-4ff8f0dd" */
    const char *key;   /* everything that defines the kind; its hash is the id */
    const char *shape; /* of the topology: "package:1 numa:1 ..." */
    const struct rc_record_source *source;
    size_t source_count;
};

struct rc_record_event {
    const char *name;        /* in full, with qualifiers */
    const char *description; /* the source's, for people */
    const char *evidence;    /* observations of the trial */
    const char *reason;      /* of a verdict that is not ok */
    uint32_t source;         /* index in the kind's sources */
    uint8_t scope, verdict;  /* enum rc_scope, enum rc_verdict */
    bool simulated;
    bool state; /* it does not count: a reading is its value at the end */
};

struct rc_record_point {
    const char *name;
    const int64_t *axis; /* a value for each axis of the suite */
};

struct rc_record_suite {
    const char *name, *summary;
    uint8_t footprint;       /* enum rc_footprint */
    bool all_cores;          /* runs on all cores of a node at once */
    const char *const *axes; /* names of the points' parameters */
    size_t axis_count;
    const struct rc_record_point *point;
    size_t point_count;
    const char *const *ideals;     /* the suite's basis, then other known ideals */
    size_t ideal_count, own_count; /* of the basis */
    const double *basis;           /* [point][ideal], NAN: not exactly known */
    size_t bound_rows;             /* point_count, or 0: low and high are not there */
    const double *low, *high;      /* [point][ideal], the bounds of the count */
    const uint64_t *iterations;    /* [source][point]; 0: not measured by that source */
    size_t source_count;
    const char *made_by; /* compiler and flags of its kernels; "" or NULL: their
                          * instructions are counted */
};

/* Points of the suite that a source of its kind measures. */
size_t rc_record_suite_points(const struct rc_record_suite *suite, size_t source);

/* The workers of its largest team, each of which has a record of a unit of its own: the
 * largest number on the axis "workers" of a suite for all cores.  0: it has no teams.
 */
uint32_t rc_record_suite_team(const struct rc_record_suite *suite);

struct rc_record_group {
    uint32_t source;       /* index in the kind's sources */
    uint8_t scope;         /* enum rc_scope, of all of its events */
    const uint32_t *event; /* indices in the kind's events */
    size_t count, own;     /* after the 'own' events comes a reference that was added */
};

/* How a unit ended.  Stored in files: append only. */
enum rc_unit_status {
    RC_UNIT_OK = 1,
    RC_UNIT_INVALID, /* some readings must not be used, in spite of retries */
    RC_UNIT_FAILED,  /* there are no readings */
};

/* Why its repetitions ended.  Stored in files: append only. */
enum rc_stop {
    RC_STOP_NONE,          /* not measured */
    RC_STOP_DETERMINISTIC, /* sweeps were equal */
    RC_STOP_PRECISE,       /* each mean is known well enough */
    RC_STOP_MOST,          /* the largest number of repetitions was reached */
    RC_STOP_INTERRUPTED,   /* the run was stopped: the unit is measured again */
    RC_STOP_COUNT
};

/* State of one event in one repetition.  Stored in files, and the names are those in
 * the store: append only.
 */
enum rc_reading_status {
    RC_READING_MISSING,
    RC_READING_OK,
    RC_READING_MULTIPLEXED, /* the event did not count all the time */
    RC_READING_UNVERIFIED,  /* the kernel did not do its work */
    RC_READING_FAILED,      /* the source could not start or read */
    RC_READING_STATUS_COUNT
};
const char *const *rc_unit_status_names(void); /* by number, from 0 on: "", "ok", ... */
const char *const *rc_stop_names(void);
const char *const *rc_reading_status_names(void);

/* Names a unit, and says where and how it was measured. */
struct rc_record_unit {
    uint64_t kind;
    uint32_t suite;     /* number in the kind, in the order of its suites' records */
    uint32_t group;     /* likewise */
    const char *place;  /* as requested: "" any, "NODE" or "NODE core N" */
    const char *node;   /* where it ran; "" in a simulation */
    uint32_t core;      /* of the node, in hwloc's order */
    uint32_t cpu;       /* the kernel's number of it */
    uint32_t tries;     /* sweeps that were discarded and repeated */
    uint64_t begin_ns;  /* when the unit was taken, since 1970 (UTC); 0: not known */
    uint64_t wall_ns;   /* from then until it was done */
    uint64_t kernel_ns; /* of wall_ns, in sources and kernels: the rest is overhead */
    enum rc_unit_status status;
    enum rc_stop stop;
    const char *reason; /* of a status that is not RC_UNIT_OK */
    uint32_t events, repetitions, points;
};

/* The readings of a unit: 'events' is the group's count. */
struct rc_record_readings {
    int64_t *values;      /* [event][repetition][point]; INT64_MIN: there is none */
    uint64_t *enabled_ns; /* [event][repetition], over all points */
    uint64_t *running_ns;
    uint8_t *status; /* [event][repetition], enum rc_reading_status */
};

struct rc_record_run {
    int64_t unix_time;            /* when it began, or ended */
    uint32_t ranks, nodes;        /* of the job */
    const char *created_by, *job; /* of the batch system, or "" */
    uint64_t units_left;          /* when it began, or when it ended */
    bool interrupted;             /* of an end: the run was stopped by a signal */
};

/* How a campaign was made from others.  Stored in files: append only. */
enum rc_operation {
    RC_OPERATION_MERGE = 1,  /* units of all operands together */
    RC_OPERATION_MEAN,       /* sums of readings, with the sums of their iterations */
    RC_OPERATION_DIFFERENCE, /* the first one's readings less the second one's */
    RC_OPERATION_IMPORT,     /* made from files of other programs */
    RC_OPERATION_COUNT
};
const char *const *
rc_operation_names(void); /* by number, from 0 on: "", "merge", ... */

/* An operand: a campaign, or a file of which only name and directory are known. */
struct rc_record_operand {
    struct rc_journal_id campaign; /* zeros: none */
    const char *name, *created_by;
    int64_t unix_time;     /* when the operand was created; 0: not known */
    const char *directory; /* as it was given */
};

struct rc_record_origin {
    enum rc_operation operation;
    int64_t unix_time;
    const char *created_by; /* the program that did it, and its version */
    const struct rc_record_operand *operand;
    size_t operand_count; /* 1 or more */
};

/* For a campaign that was dealt out to several directories: the units of a kind that
 * this one is to measure.
 */
#define RC_SHARES_MOST 10000
struct rc_record_share_unit {
    uint32_t suite, group; /* numbers in the kind */
};
struct rc_record_share {
    uint64_t kind;
    uint32_t number, of; /* this share, counted from 0, and the number of shares */
    uint64_t units;      /* of the kind, in all shares */
    const struct rc_record_share_unit *unit; /* by suite, then group; each once */
    size_t count;
};

/* Writers replace what 'out' held.  They fail if memory is lacking, and with RC_EUSAGE
 * where the payload would be longer than a journal takes.  'record' is the struct of
 * its type: struct rc_record_campaign for RC_RECORD_CAMPAIGN, ...
 */
int rc_record_put(uint32_t type, const void *record, struct rc_bytes *out,
                  struct rc_error *err);

/* For events, suites and groups, of which a kind has many: 'item' is an array of
 * 'count' of their struct, the first one with the number 'first'.  A record holds one
 * suite.  Numbers keep the later items in their places if a record is lost.
 */
int rc_record_put_list(uint32_t type, uint64_t kind, size_t first, const void *item,
                       size_t count, struct rc_bytes *out, struct rc_error *err);

/* 'readings' may be NULL for a unit of 0 repetitions. */
int rc_record_put_unit(const struct rc_record_unit *unit,
                       const struct rc_record_readings *readings, struct rc_bytes *out,
                       struct rc_error *err);

/* The same with readings in the order in which they are taken: the arrays are
 * [repetition][event][point] and [repetition][event].
 */
int rc_record_put_sweeps(const struct rc_record_unit *unit,
                         const struct rc_record_readings *sweeps, struct rc_bytes *out,
                         struct rc_error *err);
/* Reads the part before the readings, and checks that these can be there: a payload of
 * n bytes holds less than n values.  The strings point into 'payload'.
 */
int rc_record_get_unit(const void *payload, size_t bytes, struct rc_record_unit *out,
                       struct rc_error *err);

/* Changes the suite and the group in the payload of a unit. */
void rc_record_move_unit(void *payload, uint32_t suite, uint32_t group);

/* Reads one event of the unit, by its place in the group: values[repetition]
 * [point], and [repetition] for the rest.  Any array may be NULL.
 */
int rc_record_get_event(const void *payload, size_t bytes, uint32_t event,
                        struct rc_record_readings *out, struct rc_error *err);

#endif
