/* parts.h - what the files of io/noise share among themselves */
#ifndef RC_IO_NOISE_PARTS_H
#define RC_IO_NOISE_PARTS_H

#include "io/metrics/parts.h"
#include "io/noise/noise.h"

enum { RC_NOISE_SETS = 11 }; /* the columns of events in a suite */

/* The lists of /detours. */
enum rc_noise_list {
    RC_NOISE_START,
    RC_NOISE_LENGTH,
    RC_NOISE_WHO,
    RC_NOISE_BIN,
    RC_NOISE_BIN_GAPS,
    RC_NOISE_LISTS
};

/* Kinds of a store of this form have a struct rc_noise_file_kind, suites a struct
 * rc_noise_file_suite, and the file has a struct rc_noise_file_detours.
 */

/* columns.c, for the form. */
extern const struct rc_event_set rc_noise_sets[RC_NOISE_SETS];
void rc_noise_size_set(struct rc_event_set *set, const void *results, size_t block);

/* tables.c: what was found of a kind's nodes, in the kind's group. */
int rc_noise_put_found(hid_t group, const struct rc_noise_file_kind *kind,
                       struct rc_error *err);
int rc_noise_get_found(struct rc_store *store, size_t kind,
                       struct rc_noise_file_kind *out, struct rc_error *err);
/* The scales of a suite, and which node each place is on; 'results' is its struct
 * rc_noise_file_suite.
 */
int rc_noise_put_labels(hid_t group, const struct rc_store_kind *kind,
                        const void *results, struct rc_error *err);
int rc_noise_get_labels(struct rc_store *store, hid_t group,
                        struct rc_noise_file_suite *out, struct rc_error *err);

/* detours.c: the groups of what was measured besides, in "/". */
int rc_noise_put_detours(hid_t file, const struct rc_noise_file_detours *detours,
                         struct rc_error *err);
int rc_noise_get_detours(struct rc_store *store, struct rc_noise_file_detours *out,
                         struct rc_error *err);

#endif
