/* store.h - the campaign's result file (HDF5)
 *
 * One file holds a campaign: its kinds of machines, the events of each kind,
 * and for each suite what was measured: values[event][place][repetition][point]
 * with labels on every dimension.  docs/formats/campaign-h5.md describes the file.
 *
 * A file is written by a team of ranks in this order: create, define the kinds
 * and their suites, write blocks of results, close.  It grows under a name of
 * its own beside PATH (campaign/base/files/temporary.h) and takes PATH's place when it
 * is closed and whole; until then, and when anything fails, a file at PATH stays as it
 * is. It is read by any number of ranks.
 *
 * All functions that take 'err' are collective over the communicator that the
 * store was created or opened with, unless they say that they are not, and 'err'
 * must not be NULL.  When one rank fails, every rank returns that rank's status
 * and error.  MPI_COMM_NULL is a process alone, without MPI.  Words that are not
 * UTF-8 are stored with U+FFFD for each byte in question; names of events, kinds
 * and suites are stored without loss, too.
 */
#ifndef RC_IO_STORE_STORE_H
#define RC_IO_STORE_STORE_H

#include "campaign/base/error.h"
#include "campaign/base/memory.h"
#include "campaign/base/words.h"
#include "io/hdf5/limits.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RC_STORE_MISSING_VALUE INT64_MIN /* in 'values' where nothing was written */
struct rc_store; /* opaque; one per open file: campaign.h5, metrics.h5 or noise.h5 */

/* Strings may be NULL, which is "". */
struct rc_store_campaign {
    const char *id;
    const char *created_by;           /* program and version */
    const char *spec;                 /* the campaign file in full */
    const char *const *source_labels; /* "soft: instruction-exact", ... */
    size_t source_label_count;
    bool simulated;     /* any of the readings of any kind is */
    const char *digest; /* of the records it was made from; "": not known */
    /* Only in results of the solve, which take the rest from the campaign: */
    const char *definitions; /* digest of rollcall's and the campaign file's */
    const char *settings;    /* what else the solve was told, as text */
    const char *added;       /* files of definitions that were given to the solve */
};

struct rc_store_event {
    const char *name; /* not empty */
    const char *source;
    const char *description;
    const char *evidence; /* how the scope is known */
    const char *reason;   /* of the verdict */
    enum rc_scope scope;
    enum rc_verdict verdict;
    bool simulated;
    bool state; /* it does not count: a reading is its value at the end */
};

struct rc_store_kind {
    const char *name;  /* not empty, unique in the file */
    const char *key;   /* what makes two nodes one kind */
    const char *shape; /* the topology as text */
    const char *const *nodes;
    size_t node_count;
    const struct rc_store_event *events; /* NULL where a file is read */
    size_t event_count;
    bool simulated; /* where a file is read: any of its events is */
};

struct rc_store_suite {
    const char *name; /* not empty, unique in the kind */
    const char *summary;
    const char
        *made_by; /* compiler and flags of its kernels, which have no basis; NULL:
                          * instructions are counted */
    const char *const *points;
    size_t point_count;
    const char *const *axes;       /* names of the points' parameters */
    const char *const *axis_units; /* as many; NULL: none has a unit */
    size_t axis_count;
    const int64_t *axis;           /* [point][axis] */
    const char *const *ideals;     /* the basis, then others that are known */
    size_t ideal_count, own_count; /* of the basis; 0 on writing: all of them, or none
                                    * where 'made_by' is not NULL */
    const double *basis;      /* [point][ideal] per iteration, NAN: not exactly known */
    const double *low, *high; /* likewise, what the count lies between; both NULL: of
                               * what is not in 'basis' nothing is known */
    const char *const *sources;
    size_t source_count;
    const uint64_t *iterations; /* [source][point] of one reading */
    const char *const *places;
    size_t place_count;
    size_t repetitions;
    const char *const *statuses; /* the names of 'status'; 0 is for what is missing */
    size_t status_count;         /* 1 to 256 */
    const char *const *stops;    /* the names of 'stop': why repetitions ended */
    size_t stop_count;           /* up to 256; number 0 is "", and there without it */
    const char *const *workers;  /* the labels of 'worker': who measured */
    size_t worker_count;         /* up to 2^32 - 1; likewise */
};

/* Results of the events first .. first + count - 1, in C order.  On writing, NULL
 * for 'stop' or 'worker' leaves their number 0, on some ranks or on all.
 */
struct rc_store_block {
    size_t first, count;
    int64_t *values;      /* [event][place][repetition][point] */
    uint64_t *enabled_ns; /* [event][place][repetition], over all points */
    uint64_t *running_ns; /* likewise; less than enabled: multiplexed */
    uint8_t *status;      /* likewise, by the suite's 'statuses' */
    uint8_t *stop;        /* [event][place], by the suite's 'stops' */
    uint32_t *worker;     /* [event][place], by the suite's 'workers' */
};

/* Creates the file under its first name.  'campaign' is read on
 * rank 0.  On success the caller owns *out and must rc_store_close() or
 * rc_store_abandon() it on every rank; on failure *out is NULL on every rank.
 * 'comm' is duplicated.
 */
int rc_store_create(MPI_Comm comm, const char *path,
                    const struct rc_store_campaign *campaign, struct rc_store **out,
                    struct rc_error *err);

/* Define a kind, and a suite of kind number 'kind', and give its number on every
 * rank: 0, 1, ..., unless 'number' is NULL.  The descriptions are read on rank 0, the
 * others may pass NULL. Bad ones are RC_EUSAGE and leave the store as it was.
 * RC_ECONFLICT: the name is there already, or a block was written.
 */
int rc_store_define_kind(struct rc_store *store, const struct rc_store_kind *kind,
                         size_t *number, struct rc_error *err);
int rc_store_define_suite(struct rc_store *store, size_t kind,
                          const struct rc_store_suite *suite, size_t *number,
                          struct rc_error *err);

/* As rc_store_define_kind(), for a kind of a store that is open for reading on rank 0.
 * The columns of its events are copied in pieces: nobody needs them whole in
 * memory.
 */
int rc_store_copy_kind(struct rc_store *store, const struct rc_store *from, size_t kind,
                       size_t *number, struct rc_error *err);

/* Each rank writes a block of its own, of one kind and suite for all ranks; with
 * 'count' 0 it writes nothing.  Blocks must not overlap.  Whole chunks are
 * fastest: 'first' a multiple of rc_store_chunk(), which is 1 or more.  Blocks
 * outside of the suite are RC_EUSAGE and leave the store as it was.
 */
int rc_store_write(struct rc_store *store, size_t kind, size_t suite,
                   const struct rc_store_block *block, struct rc_error *err);
size_t rc_store_chunk(const struct rc_store *store, size_t kind, size_t suite);

/* How many events are read at a time: whole chunks, one at least, of about 16 MiB of
 * 'values' at most.  Not collective.
 */
size_t rc_store_piece(const struct rc_store *store, size_t kind, size_t suite);

/* Opens a whole file for reading.  RC_EMISSING: there is none.  RC_EUSAGE: it is
 * something else.  Otherwise as rc_store_create().
 */
int rc_store_open(MPI_Comm comm, const char *path, struct rc_store **out,
                  struct rc_error *err);

/* The same for a part of the file, in a fraction of the time: nothing else may be read
 * from the store.
 */
enum rc_store_depth {
    RC_STORE_WHOLE,
    RC_STORE_LABELS, /* all that describes kinds and suites */
    RC_STORE_NAMES,  /* of suites only their names */
};
int rc_store_open_part(MPI_Comm comm, const char *path, enum rc_store_depth depth,
                       struct rc_store **out, struct rc_error *err);

/* The file's description of itself; borrowed from a store that was opened.  Kinds and
 * suites have the numbers that they were defined with, which must be less than
 * the counts.
 */
const struct rc_store_campaign *rc_store_campaign(const struct rc_store *store);
size_t rc_store_kind_count(const struct rc_store *store);
const struct rc_store_kind *rc_store_kind(const struct rc_store *store, size_t kind);
size_t rc_store_suite_count(const struct rc_store *store, size_t kind);
const struct rc_store_suite *rc_store_suite(const struct rc_store *store, size_t kind,
                                            size_t suite);

/* The number of a kind, and of a suite of a kind, by name; the counts where there is
 * none (0 of a kind that is not there either).
 */
size_t rc_store_find_kind(const struct rc_store *store, const char *name);
size_t rc_store_find_suite(const struct rc_store *store, size_t kind, const char *name);

/* Events first .. first + count - 1 of a kind; their strings live in 'pool'.
 * Each rank may ask for others, or for none.
 */
int rc_store_read_events(struct rc_store *store, size_t kind, size_t first,
                         size_t count, struct rc_store_event *events,
                         struct rc_pool *pool, struct rc_error *err);

/* The same, but only name, source and verdict: the rest is "" and 0.  Not collective.
 */
int rc_store_read_names(struct rc_store *store, size_t kind, size_t first, size_t count,
                        struct rc_store_event *events, struct rc_pool *pool,
                        struct rc_error *err);

/* Calls 'take' with each event of a kind, read so, until it returns false.  The event
 * is borrowed for the call.
 */
typedef bool rc_store_take_name(void *context, size_t number,
                                const struct rc_store_event *event);
int rc_store_each_name(struct rc_store *store, size_t kind, rc_store_take_name *take,
                       void *context, struct rc_error *err);

/* Fills the arrays of the block that are not NULL.  Each code in 'status', 'stop' and
 * 'worker' has a name: other files are RC_EUSAGE.  Not collective: each rank reads what
 * and as often as it likes, waits for nobody, and is to tell the others in the end if
 * it failed.
 */
int rc_store_read_alone(struct rc_store *store, size_t kind, size_t suite,
                        struct rc_store_block *block, struct rc_error *err);

/* Closes and frees the store, on failure too; accepts NULL on every rank.  A store
 * that was created is put in place at PATH, after everything reached the disk.
 */
int rc_store_close(struct rc_store *store, struct rc_error *err);

/* Closes and frees the store and removes the file; collective; accepts NULL on
 * every rank.  For a store that was opened, the same as rc_store_close().
 */
void rc_store_abandon(struct rc_store *store);

#endif
