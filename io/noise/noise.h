/* noise.h - what the noise study found out, as a file (HDF5)
 *
 * noise.h5 mirrors campaign.h5: groups /campaign, /kinds/K/{events,nodes}, and beside
 * them /kinds/K/{by_node,outliers}, /kinds/K/suites/S with numbers of each event, and
 * /detours, /periods, /tail, /scale, /clock of what was measured besides.
 * docs/formats/noise-h5.md describes it.  It is written by a team of ranks in this
 * order: create, for each kind: kind, and for each of its suites: suite, then columns;
 * detours; close.  Like a store it grows under a name of its own.
 *
 * All functions that take 'err' are collective over the communicator, and all ranks
 * return the same; MPI_COMM_NULL is a process alone.
 */
#ifndef RC_IO_NOISE_NOISE_H
#define RC_IO_NOISE_NOISE_H

#include "campaign/base/arena.h"
#include "io/store/store.h"

struct rc_store; /* opaque */

/* A node is off, or off perhaps, where chance makes any of so many nodes, none of which
 * is off, as far off with a probability of at most these.  Nobody is interested in
 * events that are off by less than LEAST_DELTA.
 */
#define RC_NOISE_OFF_P 0.02
#define RC_NOISE_PERHAPS_P 0.3
#define RC_NOISE_LEAST_DELTA 0.005

/* A node, and how many of its readings are unlike those of the others. */
struct rc_noise_file_node {
    const char *node;
    size_t off, of; /* readings of events that are off, and that were compared */
    double p;       /* of any node being as far off by chance, by all events */
    const char *event, *suite; /* the worst, or "" */
    double delta, z; /* of the worst: off by how much, relative, and over the scatter */
};

/* An event on a node that is off. */
struct rc_noise_file_off {
    const char *event;
    size_t number; /* of the event in the kind */
    const char *suite;
    size_t node; /* number in the list of nodes */
    double delta, z, p;
};

struct rc_noise_file_kind {
    struct rc_noise_file_node *node;
    size_t node_count;
    struct rc_noise_file_off *off; /* by rising p */
    size_t off_count;
    uint64_t tests; /* nodes that were compared, over all events */
};

/* Describes the numbers of a suite's events. */
struct rc_noise_file_suite {
    const char *name;
    const char *const *level; /* "repetition", "core", "node" */
    size_t level_count;
    const char *const *verdict; /* names of the codes */
    size_t verdict_count;       /* up to 256 */
    const char *const *place;   /* in order of their nodes */
    const uint64_t *node;       /* [place] number in the kind's list of nodes */
    size_t place_count;
};

/* Numbers of events: relative to the kind's median reading at each point.  NAN: not
 * known.  Arrays may be NULL; what nobody gives is NAN or 0.
 */
struct rc_noise_file_columns {
    size_t first, count;
    size_t stride;  /* events lie in blocks of that distance; 0: they are one run */
    double *median; /* [event] counts per iteration, summed over the points */
    double *mad;    /* [event] median absolute deviation */
    double *variance, *low, *high; /* [event][level] and its 95 % interval */
    double *distance;              /* [event][level] root mean square of pairs */
    float *place_median;           /* [event][place] */
    uint8_t *verdict;              /* [event] by the suite's names */
    uint8_t *heavy, *classes;      /* [event] 1: a few readings make it; two classes */
    uint8_t *judged;               /* [event] 1: nodes were compared */
};

/* Detours of a core in one measurement.  The detours of all records follow each other
 * in struct rc_noise_file_detours, and so do the bins of their histograms.
 */
struct rc_noise_file_record {
    const char *node;
    size_t core, round;
    const char *work;  /* "": the bare loop; else the suite whose kernel ran */
    const char *quota; /* cpu.max of a control group that holds it back; "": none */
    bool alone;        /* no other core of the node measured meanwhile */
    size_t begin_ns;   /* CLOCK_MONOTONIC_RAW of its node */
    size_t duration_ns, gaps, tau_ns, dropped;
    size_t median_gap_ps;
    size_t first, count;    /* its detours */
    size_t first_bin, bins; /* its bins, which are not empty */
};

struct rc_noise_file_detour {
    uint64_t start_ns, length_ns; /* start: since the record began */
    uint64_t who;                 /* number in the names of causes */
};

/* Gaps between readings of the clock that are so long, up to the next bin's begin; a
 * record's bins are in order.
 */
struct rc_noise_file_bin {
    uint64_t begin_ps, gaps;
};

/* A periodic cause of detours on a core; as struct rc_line of the study. */
struct rc_noise_file_period {
    size_t record;
    double hz, hz_error, phase_ns, window_ns;
    double stolen_ns, share; /* per pulse; of the measured time */
    size_t pulses, hits;
    const char *who; /* most of its detours are of; "": not known */
};

/* The tail of the lengths of detours: a generalised Pareto distribution. */
struct rc_noise_file_tail {
    size_t record;
    double threshold_ns, scale_ns, shape, rate_hz;
    double worst_ns, worst_low_ns, worst_high_ns;
};

/* How much slower a program is that waits for all ranks every 'grain', if they are
 * independent of each other.  A row of cores that were measured together says what the
 * same was then, and the part of what is lost; in others the rest is NAN.
 */
struct rc_noise_file_scale {
    double grain_ns, ranks, slowdown;
    double measured, synchrony, synchrony_error;
};

/* A node's clock against that of the first node of its job, as it was compared before
 * and after a record: their difference is 'offset_ns', to within 'uncertainty_ns', when
 * the node's own is 'at_ns', and grows by 'drift' a ns; NAN: it was compared once.
 */
struct rc_noise_file_clock {
    const char *node;
    size_t record;
    size_t at_ns;
    double offset_ns, drift, uncertainty_ns;
};

struct rc_noise_file_detours {
    uint64_t journal_records; /* that were read, copies and refused ones included */
    struct rc_noise_file_record *record;
    size_t record_count;
    const struct rc_noise_file_detour *detour;
    size_t detour_count;
    const struct rc_noise_file_bin *bin;
    size_t bin_count;
    const char *const *who; /* names of causes, those that are not known first */
    size_t who_count;
    struct rc_noise_file_period *period;
    size_t period_count;
    struct rc_noise_file_tail *tail;
    size_t tail_count;
    struct rc_noise_file_scale *scale;
    size_t scale_count;
    struct rc_noise_file_clock *clock;
    size_t clock_count;
};

/* 'campaign' is what the store says of itself; read on rank 0. */
int rc_noise_file_create(MPI_Comm comm, const char *path,
                         const struct rc_store_campaign *campaign,
                         struct rc_store **out, struct rc_error *err);

/* Kind number 'number' of a store that is open for reading, with its events, and what
 * was found of its nodes, which is read on rank 0.
 */
int rc_noise_file_put_kind(struct rc_store *store, const struct rc_store *from,
                           size_t number, const struct rc_noise_file_kind *kind,
                           struct rc_error *err);

/* A suite of the last kind, which is read on rank 0 but for its counts and name.  Its
 * events are given in blocks of 'block', so that no two ranks write the same chunk.
 */
int rc_noise_file_put_suite(struct rc_store *file,
                            const struct rc_noise_file_suite *suite, size_t block,
                            struct rc_error *err);

/* Columns of the last suite: each rank gives other events, or none, all at once. */
int rc_noise_file_put_columns(struct rc_store *file,
                              const struct rc_noise_file_columns *columns,
                              struct rc_error *err);

/* All that was measured besides the campaign, once; read on rank 0. */
int rc_noise_file_put_detours(struct rc_store *store,
                              const struct rc_noise_file_detours *detours,
                              struct rc_error *err);

/* Opens a file for reading, as rc_store_open() does.  Numbers of events and the lists
 * of detours are read later.
 */
int rc_noise_file_open(MPI_Comm comm, const char *path, struct rc_store **out,
                       struct rc_error *err);

/* The same without numbers of events, as rc_store_open_part() with labels. */
int rc_noise_file_open_labels(MPI_Comm comm, const char *path, struct rc_store **out,
                              struct rc_error *err);

/* The findings; borrowed. */
const struct rc_noise_file_kind *rc_noise_file_kind(const struct rc_store *file,
                                                    size_t kind);
const struct rc_noise_file_suite *rc_noise_file_suite(const struct rc_store *file,
                                                      size_t kind, size_t suite);

/* Everything but detours and bins: NULL in 'detour' and 'bin', with their counts. */
const struct rc_noise_file_detours *rc_noise_file_detours(const struct rc_store *file);

/* Fills the arrays that are not NULL.  A code that stands for nothing is RC_EUSAGE. */
int rc_noise_file_read_columns(struct rc_store *file, size_t kind, size_t suite,
                               struct rc_noise_file_columns *columns,
                               struct rc_error *err);

/* Detours first .. first + count - 1 of all records, and bins likewise.  Not
 * collective.
 */
int rc_noise_file_read_detours(const struct rc_store *file, size_t first, size_t count,
                               struct rc_noise_file_detour *out, struct rc_error *err);
int rc_noise_file_read_bins(const struct rc_store *file, size_t first, size_t count,
                            struct rc_noise_file_bin *out, struct rc_error *err);

/* Why what 'results' say is not, or is not known to be, of the readings in campaign.h5:
 * a sentence without its end; "" where it is.
 */
void rc_noise_file_mismatch(const struct rc_store_campaign *results,
                            const struct rc_store_campaign *campaign, char *out,
                            size_t room);

#endif
