/* metrics.h - what the solve found out, as a file (HDF5)
 *
 * metrics.h5 mirrors campaign.h5: groups /campaign, /kinds/K/{events,nodes} and
 * /kinds/K/suites/S/{noise,residual,class,use,reason,representation,pivots,metrics,
 * rates}.
 * docs/formats/metrics-h5.md describes it.  It is written by a team of ranks in this
 * order: create, for each kind: kind, and for each of its suites: suite, then
 * columns any number of times; close.  Like a store it grows under a name of its own.
 *
 * All functions that take 'err' are collective over the communicator, and all
 * ranks return the same; MPI_COMM_NULL is a process alone.
 */
#ifndef RC_IO_METRICS_METRICS_H
#define RC_IO_METRICS_METRICS_H

#include "campaign/base/arena.h"
#include "io/store/store.h"
#include "solve/result.h"

/* 'campaign' and the kinds are what the store says of itself; kinds are defined with
 * rc_store_define_kind() or rc_store_copy_kind().
 */
int rc_metrics_create(MPI_Comm comm, const char *path,
                      const struct rc_store_campaign *campaign, struct rc_store **out,
                      struct rc_error *err);

/* A suite of the last kind, which is read on rank 0.  Its events are given in blocks of
 * 'block' events: chunks of the file, so that no two ranks write the same one. Contents
 * that cannot be are RC_EUSAGE and leave the file as it was: names that are too long,
 * codes without a name, events that are not there.
 */
int rc_metrics_put_suite(struct rc_store *file, const struct rc_suite_result *suite,
                         size_t block, struct rc_error *err);

/* Columns of the last suite: each rank gives other events, or none (count 0), each
 * event once, and all of them write together.  With a 'stride' they are the blocks from
 * 'first' on, as solve/algebra/grid.h deals them out.  Arrays may be NULL; what nobody
 * gives is NAN or 0.
 */
int rc_metrics_put_columns(struct rc_store *file,
                           const struct rc_event_columns *columns,
                           struct rc_error *err);

/* Opens a file for reading, as rc_store_open() does; the suites of all kinds are read,
 * without the columns of events.
 */
int rc_metrics_open(MPI_Comm comm, const char *path, struct rc_store **out,
                    struct rc_error *err);

/* As rc_store_open_part(). */
int rc_metrics_open_part(MPI_Comm comm, const char *path, enum rc_store_depth depth,
                         struct rc_store **out, struct rc_error *err);

/* The findings of a suite; borrowed. */
const struct rc_suite_result *rc_metrics_suite(const struct rc_store *file, size_t kind,
                                               size_t suite);

/* The rates of all suites of a kind; borrowed. */
const struct rc_rate_result *rc_metrics_rates(const struct rc_store *file, size_t kind,
                                              size_t *count);

/* The metrics of a kind, one after the other, suite by suite:
 *
 *     struct rc_metrics_walk walk = {.at = 0};
 *     while (rc_metrics_next(file, kind, &walk))
 *         use(walk.suite, walk.metric);
 */
struct rc_metrics_walk {
    const struct rc_suite_result *suite;
    const struct rc_metric_result *metric;
    size_t suites, at; /* suites that were begun, metrics of the last that were given */
};
bool rc_metrics_next(const struct rc_store *file, size_t kind,
                     struct rc_metrics_walk *walk);

/* Fills the arrays that are not NULL.  A number in the file that stands for no name
 * is RC_EUSAGE.
 */
int rc_metrics_read_columns(struct rc_store *file, size_t kind, size_t suite,
                            struct rc_event_columns *columns, struct rc_error *err);

/* Arrays in 'arena' for all columns of 'count' events, with so many coordinates;
 * 'first' and 'count' of *out may be set to less afterwards.  Also checks the arena for
 * what was asked of it before: RC_ENOMEM.
 */
int rc_metrics_make_columns(struct rc_arena *arena, size_t count, size_t coordinates,
                            struct rc_event_columns *out, struct rc_error *err);

#endif
