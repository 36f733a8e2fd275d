/* event_sets.h - numbers of each event of a suite, as datasets of a file
 *
 * campaign.h5 holds readings of each event of a suite, metrics.h5 and noise.h5 what was
 * found of it: each such dataset goes by the event first, and some by more labels.  A
 * form of files (struct rc_store_form) lists its datasets in one table, and they are
 * created, written by all ranks at once and read here.
 *
 * Ranks are dealt blocks of events, and a chunk of the file is such a block or a part
 * of one: so no two ranks write the same chunk, which HDF5 would have to send from rank
 * to rank.
 */
#ifndef RC_IO_STORE_EVENT_SETS_H
#define RC_IO_STORE_EVENT_SETS_H

#include "campaign/base/error.h"
#include "io/hdf5/hdf5.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

struct rc_store;
struct rc_store_suite_part;

enum { RC_EVENT_CHUNK_BYTES = 1 << 20 }; /* of the widest dataset, about, at most */

struct rc_event_set {
    const char *name; /* of the dataset */
    /* The type of the numbers, in memory and in the file. Numbers that are not written
     * are NAN, in signed integers RC_STORE_MISSING_VALUE, else 0.  Bytes and words are
     * codes.
     */
    enum {
        RC_EVENT_REAL,
        RC_EVENT_SINGLE,
        RC_EVENT_SIGNED,
        RC_EVENT_UNSIGNED,
        RC_EVENT_BYTE,
        RC_EVENT_WORD
    } type;
    bool required; /* whoever writes events must give it */
    size_t member; /* offset of their pointer in the struct of the form's columns */
    const char *scale[RC_H5_DIMS - 1]; /* of dimensions after the event's, up to NULL */
    const char *meaning, *unit, *labels; /* attributes; NULL: it has none */
    const char *const *words; /* names of codes, an attribute; NULL: there is none */
    size_t limit;             /* codes are less */
    /* For one suite: */
    size_t dim[RC_H5_DIMS - 1]; /* as many as there are scales, then 1 */
    size_t chunk;               /* events in a chunk, at most */
    hid_t set;                  /* where it is open */
};

/* Events 'first' and so on, 'count' in all; in one run, or with a stride in blocks that
 * begin so far apart.
 */
struct rc_event_range {
    size_t first, count, stride;
};

/* Collective: a suite of a kind, with datasets that are empty.  Its events are given in
 * blocks of 'block'.  'results' is what the form's functions take.  All is read on rank
 * 0.  A refusal leaves the file as it was.
 */
int rc_event_sets_define(struct rc_store *store, size_t kind, const char *name,
                         const void *results, size_t block, size_t *number,
                         struct rc_error *err);

/* Opens those of a suite that is read, on this rank, with their shapes checked: 'group'
 * is the suite's, and 'results' as above.
 */
int rc_event_sets_open(struct rc_store *store, struct rc_store_suite_part *suite,
                       hid_t group, const void *results, struct rc_error *err);

/* The same of a suite that was defined, to be written. */
int rc_event_sets_open_again(const struct rc_store *store, size_t kind,
                             struct rc_store_suite_part *suite, struct rc_error *err);

/* Whether events are there, and all codes stand for something, on writing also what is
 * required; 'columns' is the form's struct, whose arrays may be NULL.
 */
int rc_event_sets_check(const struct rc_store *store, size_t kind, size_t suite,
                        const struct rc_event_range *range, const void *columns,
                        struct rc_error *err);

/* The numbers of a set in 'columns', or NULL; bytes of those of one event. */
void *rc_event_set_data(const struct rc_event_set *set, const void *columns);
size_t rc_event_set_bytes(const struct rc_event_set *set);

/* Reads or writes numbers of a set, with 'data' NULL none: collective where it writes
 * through MPI.
 */
int rc_event_set_transfer(const struct rc_event_set *set,
                          const struct rc_event_range *range, size_t block, bool write,
                          bool collective, void *data, struct rc_error *err);

/* write.c, collective: each rank writes events of its own, or none, of one suite for
 * all ranks.  A rank whose events or codes are refused tells all, and none writes.
 */
int rc_event_sets_write(struct rc_store *store, size_t kind, size_t suite,
                        const struct rc_event_range *range, const void *columns,
                        struct rc_error *err);
int rc_event_sets_write_last(struct rc_store *store, const struct rc_event_range *range,
                             const void *columns, struct rc_error *err);

/* Fills the arrays that are not NULL, on this rank.  A code that stands for nothing is
 * RC_EUSAGE.
 */
int rc_event_sets_read(const struct rc_store *store, size_t kind, size_t suite,
                       const struct rc_event_range *range, const void *columns,
                       struct rc_error *err);

#endif
