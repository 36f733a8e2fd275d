/* parts.h - what the files of io/noise share among themselves
 *
 * A file of the noise study is built like a store, as metrics.h5 is: a struct rc_store
 * holds the file, its campaign, its kinds and their events.
 */
#ifndef RC_IO_NOISE_PARTS_H
#define RC_IO_NOISE_PARTS_H

#include "io/metrics/parts.h"
#include "io/noise/noise.h"

/* The columns of a suite: a member of struct rc_noise_file_columns each. */
enum rc_noise_set {
    RC_NOISE_MEDIAN,
    RC_NOISE_MAD,
    RC_NOISE_VARIANCE,
    RC_NOISE_LOW,
    RC_NOISE_HIGH,
    RC_NOISE_DISTANCE,
    RC_NOISE_PLACE_MEDIAN,
    RC_NOISE_VERDICT,
    RC_NOISE_HEAVY,
    RC_NOISE_CLASSES,
    RC_NOISE_JUDGED,
    RC_NOISE_SETS
};

/* The lists of /detours. */
enum rc_noise_list {
    RC_NOISE_START,
    RC_NOISE_LENGTH,
    RC_NOISE_WHO,
    RC_NOISE_BIN,
    RC_NOISE_BIN_GAPS,
    RC_NOISE_LISTS
};

/* A suite of an open file. */
struct rc_noise_file_part {
    struct rc_noise_file_suite
        labels;   /* where it is written: the name and the counts */
    size_t block; /* events that a rank gives at once; where it is written */
    hid_t set[RC_NOISE_SETS]; /* the columns, where they are open */
};

struct rc_noise_file_kind_part {
    struct rc_noise_file_kind found; /* where the file was opened */
    struct rc_noise_file_part *suite;
    size_t count, room; /* suites, and how many the array has room for */
};

struct rc_noise_file {
    struct rc_store *store; /* the file, its campaign, its kinds and their events */
    struct rc_noise_file_kind_part *kind; /* as many as the store has */
    size_t count, room;                   /* kinds, and what the array has room for */
    struct rc_noise_file_detours detours; /* where the file was opened */
    bool sharing; /* the sets of the last suite are open on all ranks */
};

/* columns.c: creates the columns of a suite, empty; opens them, with their shapes
 * checked; closes those that are open and returns the first error, 'status' where it is
 * one.
 */
int rc_noise_create_sets(hid_t group, size_t events, size_t block,
                         const struct rc_noise_file_suite *suite, struct rc_error *err);
int rc_noise_open_sets(hid_t group, size_t events, struct rc_noise_file_part *suite,
                       struct rc_error *err);
int rc_noise_close_sets(struct rc_noise_file_part *suite, int status,
                        struct rc_error *err);

/* tables.c: what was found of a kind's nodes, in the kind's group. */
int rc_noise_put_found(hid_t group, const struct rc_noise_file_kind *kind,
                       struct rc_error *err);
int rc_noise_get_found(struct rc_store *store, size_t kind,
                       struct rc_noise_file_kind *out, struct rc_error *err);
/* The scales of a suite, and which node each place is on. */
int rc_noise_put_labels(hid_t group, const char *kind,
                        const struct rc_noise_file_suite *suite, struct rc_error *err);
int rc_noise_get_labels(struct rc_store *store, hid_t group,
                        struct rc_noise_file_suite *out, struct rc_error *err);

/* detours.c: the groups of what was measured besides, in "/". */
int rc_noise_put_detours(hid_t file, const struct rc_noise_file_detours *detours,
                         struct rc_error *err);
int rc_noise_get_detours(struct rc_store *store, struct rc_noise_file_detours *out,
                         struct rc_error *err);

#endif
