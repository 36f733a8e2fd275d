/* profile.h - what was found out about a program while it ran, as a file (HDF5)
 *
 * profile.h5 holds all launches of a directory: /launches, /parameters, /places,
 * /threads, /paths, /values/EVENT with what was counted by call path and place over
 * launches, /calls, /instances, /phases, /stacks, /samples, /nodes/N with its clock and
 * series, /cost.
 * docs/formats/profile-h5.md describes it.  Times are ns since the zero of the file,
 * which is one for all nodes and launches.  It is written by one process, in this
 * order: create, lists, values and series in any number, close.  It grows under a name
 * of its own, and gets its right name when it is whole.
 */
#ifndef RC_IO_PROFILE_PROFILE_H
#define RC_IO_PROFILE_PROFILE_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RC_PROFILE_FILE_TIMES = 16 }; /* classes of the time of a call */

struct rc_profile_file; /* opaque */

struct rc_profile_file_head {
    const char *id, *created_by; /* of the journals; of who wrote the file */
    const char *clocks;          /* how the times of nodes were joined */
    int64_t zero_unix_ns;        /* when the zero was, since 1970 */
    bool simulated;              /* some series are */
    const char *const *lost;     /* lines on what is lost */
    size_t lost_count;
};

struct rc_profile_file_launch {
    size_t launch; /* its number */
    const char *command, *directory, *created_by;
    int64_t begin_ns, end_ns;
    size_t period_ns;  /* of series */
    size_t long_ns;    /* MPI calls that took longer are among the instances */
    size_t every;      /* instance of a region was measured */
    bool trace;        /* all MPI calls are among the instances */
    size_t budget_ppm; /* of the program's time; 0: none */
};

/* A parameter of a launch; the first is p, the number of processes. */
struct rc_profile_file_parameter {
    size_t launch;
    const char *name;
    double value;        /* NAN: not known */
    const char *formula; /* "": it was given as a number */
};

/* A thread of a rank, the same one in all launches. */
struct rc_profile_file_place {
    const char *name; /* "rank 3 thread 0" */
    int64_t rank;     /* -1: none */
    size_t thread;    /* in its rank, from 0 on */
    const char *node, *cpus;
};

struct rc_profile_file_thread {
    size_t place, launch;
    const char *node;
    size_t pid, tid;
    bool child; /* of a process that the program started */
    const char *program;
    int64_t begin_ns, end_ns;
    bool ended;  /* else the end is when it was last heard of */
    bool killed; /* it ended without a word */
    size_t lost_entries, lost_paths, repaired;
};

struct rc_profile_file_path {
    const char *path;   /* names with ';' between them, from the root; "" is the root */
    const char *region; /* the last of these */
    int64_t parent;     /* number of the path around it; -1: none */
};

struct rc_profile_file_call {
    const char *name;
    size_t launch, place, path;
    const char *site; /* program or library, and where in it the call returns to */
    size_t ranks;     /* of the communicator; 0: none */
    size_t log2_bytes;
    const char *nodes;     /* of the ranks it is with: "same node", ... */
    const char *waits_for; /* what for, in words; "": it is not known, or for nothing */
    uint32_t times[RC_PROFILE_FILE_TIMES]; /* calls by how long they took */
#define CALL(ticks, member, ...) size_t member;
#define WAIT CALL
#include "io/profile/calls.def"
};

/* An instance of a region, or an MPI call. */
struct rc_profile_file_instance {
    int64_t begin_ns, end_ns;
    size_t launch, place, path;
    int64_t call; /* number of the row of /calls; -1: it is the region itself */
    bool open;    /* it had not ended when the thread was last heard of */
};

struct rc_profile_file_cost {
    int64_t time_ns;
    const char *node;
    size_t launch;
    size_t sampler_ns, program_ns; /* processor time since the row before */
    size_t entries, calls, visits; /* of the launch, so far */
    size_t own_ns;     /* likewise, that the library took in the program's threads */
    size_t crowded_ns; /* the part of sampler_ns that was taken from the program */
    size_t samples_ns; /* of the launch, so far: samples of stacks in its threads */
};

/* A change of what is recorded, to keep within the budget. */
struct rc_profile_file_rate {
    int64_t time_ns;
    const char *node;
    size_t launch;
    int64_t place; /* of a thread; -1: of the node */
    const char *what, *name;
    size_t every;          /* each so many-th is recorded from then on; 0: none */
    size_t cost_ns, of_ns; /* what it took in the second before, of this time */
};

struct rc_profile_file_clock {
    size_t launch;
    const char *node;
    size_t at_ns;    /* CLOCK_MONOTONIC_RAW of the node */
    int64_t unix_ns; /* its wall clock then */
    bool compared;   /* the clock was compared with that of the launch's first rank */
};

/* A comparison of clocks: that of the first rank's node less this one, when this one
 * was at_ns, is between these.
 */
struct rc_profile_file_offset {
    size_t launch;
    const char *node;
    int64_t at_ns, low_ns, high_ns;
};

/* Between two boundaries, where series jump to other levels. */
struct rc_profile_file_phase {
    int64_t begin_ns, end_ns;
    size_t launch;
    const char *mostly; /* the region or MPI function that threads were in longest */
    double share;       /* of their time there; NAN */
    const char *event;  /* that is furthest from its mean of all the time */
    const char *unit;   /* of these: "1/s", "%", "state" */
    double mean, mean_of_all;
    bool simulated; /* that event is */
};

/* A function that was called from that of its parent, by samples of stacks. */
struct rc_profile_file_stack {
    const char *function, *file; /* in brackets: without a name, or no file */
    int64_t parent;              /* a lower row; -1: the outermost that is known */
    size_t self, inclusive;      /* samples of all threads and launches */
    bool truncated;              /* outer functions are not known */
};
/* A function, all its stacks together: samples, and shares of the sampled time with
 * their intervals of 95 %.
 */
struct rc_profile_file_function {
    const char *function, *file;
    size_t self, inclusive;
    double share, low, high, inclusive_share, inclusive_low, inclusive_high;
};

/* The files in which samples were: programs, libraries, the kernel, MPI as one. */
struct rc_profile_file_library {
    const char *library;
    size_t samples;
    double ns; /* of processor time that they stand for */
    double share, low, high;
};
struct rc_profile_file_sample {
    size_t stack, launch;
    const char *node;
    int64_t rank; /* -1: none */
    size_t pid, tid, samples;
    size_t period_ns; /* processor time that one sample stands for */
};

enum rc_profile_file_rows {
    RC_PROFILE_FILE_LAUNCHES,
    RC_PROFILE_FILE_PARAMETERS,
    RC_PROFILE_FILE_PLACES,
    RC_PROFILE_FILE_THREADS,
    RC_PROFILE_FILE_PATHS,
    RC_PROFILE_FILE_INSTANCES,
    RC_PROFILE_FILE_COSTS,
    RC_PROFILE_FILE_CLOCKS,
    RC_PROFILE_FILE_PHASES,
    RC_PROFILE_FILE_OFFSETS,
    RC_PROFILE_FILE_STACKS,
    RC_PROFILE_FILE_FUNCTIONS,
    RC_PROFILE_FILE_LIBRARIES,
    RC_PROFILE_FILE_SAMPLES,
    RC_PROFILE_FILE_RATES,
    RC_PROFILE_FILE_CALLS,
    RC_PROFILE_FILE_LISTS
};

/* Zeroed, they are empty. */
struct rc_profile_file_lists {
    struct rc_profile_file_list {
        void *row; /* of the struct that the list is of, from 'launch' to 'call' */
        size_t count, room;
    } of[RC_PROFILE_FILE_LISTS];
    bool failed; /* there was no memory for a row */
};

/* Appends a copy of the row; its texts stay the caller's. */
void rc_profile_file_add(struct rc_profile_file_lists *lists,
                         enum rc_profile_file_rows list, const void *row);
void rc_profile_file_lists_fini(struct rc_profile_file_lists *lists);

/* Measurements of one sort by path and place; over launches: how many there are,
 * mean, least, most, and the sum of squared deviations from the mean.  NAN where it was
 * never measured.
 */
struct rc_profile_file_values {
    const char *name, *units;
    const double *n, *mean, *min, *max, *m2; /* [path][place] */
};

struct rc_profile_file_series {
    const char *node, *name, *source, *scope, *description, *units, *not_read;
    bool state, simulated;
    size_t count;
    const int64_t *time_ns, *value;
    const uint64_t *half_ns, *span_ns; /* of counts: since the reading before */
    const uint8_t *valid;
};

/* 'path' is DIR/profile.h5.  On failure *out is NULL and nothing is left behind. */
int rc_profile_file_create(const char *path, const struct rc_profile_file_head *head,
                           struct rc_profile_file **out, struct rc_error *err);
int rc_profile_file_put_lists(struct rc_profile_file *file,
                              const struct rc_profile_file_lists *lists,
                              struct rc_error *err);
int rc_profile_file_put_values(struct rc_profile_file *file,
                               const struct rc_profile_file_values *values,
                               struct rc_error *err);
int rc_profile_file_put_series(struct rc_profile_file *file,
                               const struct rc_profile_file_series *series,
                               struct rc_error *err);

/* Puts the file in place and frees it, also on failure; with 'status' that is one it
 * goes, and 'status' is returned.  Accepts NULL.
 */
int rc_profile_file_close(struct rc_profile_file *file, int status,
                          struct rc_error *err);

#endif
