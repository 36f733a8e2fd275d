/* parts.h - what the files of io/metrics share among themselves */
#ifndef RC_IO_METRICS_PARTS_H
#define RC_IO_METRICS_PARTS_H

#include "io/hdf5/table.h"
#include "io/metrics/metrics.h"
#include "io/store/parts.h"

enum { RC_METRICS_SETS = 6 }; /* the columns of events in a suite */

/* Suites of a store of this form have a struct rc_suite_result. */
extern const struct rc_store_form rc_metrics_form;

/* Parts of the form, which say of themselves what they do in struct rc_store_form:
 * those of columns.c, put.c and get.c.
 */
extern const struct rc_event_set rc_metrics_sets[RC_METRICS_SETS];
void rc_metrics_size_set(struct rc_event_set *set, const void *results, size_t block);
int rc_metrics_check_suite(const void *results, size_t events, struct rc_error *err);
int rc_metrics_put_results(hid_t group, const struct rc_store_kind *kind,
                           const void *results, struct rc_error *err);
int rc_metrics_read_suite(struct rc_store *store, size_t kind,
                          struct rc_store_suite_part *part, hid_t group,
                          struct rc_error *err);

/* tables.c: which tables there are.  Lists that belong to metrics or pivots are tables
 * of their own: a row is the number of its owner and an item, and rows are in the
 * order of their owners.
 */
struct rc_metrics_term {
    size_t owner;        /* number of the metric */
    struct rc_term term; /* of its combination */
};
struct rc_metrics_check {
    size_t owner;                 /* number of the metric */
    struct rc_metric_check check; /* on the points of a suite */
};
struct rc_metrics_event {
    size_t owner;     /* number of the metric or pivot */
    size_t event;     /* number in the kind */
    const char *name; /* of the event */
};
struct rc_metrics_input {
    size_t owner;       /* number of the metric, which is a formula */
    const char *metric; /* that is in it */
};
/* Where an owner has its items: an array of them, or two, of the same length. */
struct rc_metrics_part {
    size_t list;   /* offset in the owner of the pointer to the array */
    size_t member; /* offset of an item in a row */
    size_t bytes;  /* of an item; 0: there is no such array */
};
enum { RC_METRICS_PARTS = 2 };
struct rc_metrics_owned {
    const struct rc_h5_table *table; /* of the rows */
    size_t owner_bytes;              /* of the owner's struct */
    size_t count;                    /* offset in it of the number of its items */
    struct rc_metrics_part part[RC_METRICS_PARTS];
};
/* Terms, checks, events that are the metric alone, and inputs of formulas. */
enum { RC_METRICS_LISTS = 4 };
extern const struct rc_metrics_owned
    rc_metrics_lists[RC_METRICS_LISTS];                 /* of metrics */
extern const struct rc_metrics_owned rc_metrics_others; /* of pivots */
/* Attributes of the suite: thresholds and the intervals in which they change nothing.
 */
extern const struct rc_h5_field rc_metrics_settings[];
extern const struct rc_h5_table rc_metrics_pivots, rc_metrics_metrics,
    rc_metrics_presets, rc_metrics_implied, rc_metrics_rate_table;
/* The numbers of rates, each a dataset [rate][node][point], or with 'each' repetition
 * [rate][node][repetition][point].
 */
enum { RC_METRICS_RATE_NUMBERS = 6 };
struct rc_metrics_rate_numbers {
    const char *name;
    size_t offset; /* of the pointer to a rate's numbers in its struct */
    bool each;
};
extern const struct rc_metrics_rate_numbers
    rc_metrics_rate_numbers[RC_METRICS_RATE_NUMBERS];

#endif
