/* parts.h - filling io/compare/compare.h: what differs between campaigns
 *
 * The parts in order: columns are read, related to each other, their metrics laid
 * side by side, and their events matched.  What compares knows no file.
 */
#ifndef RC_CAMPAIGN_COMPARE_PARTS_H
#define RC_CAMPAIGN_COMPARE_PARTS_H

#include "campaign/base/memory.h"
#include "io/compare/compare.h"
#include "io/metrics/metrics.h"

/* A comparison, and what it is made of.  Starts zeroed. */
struct rc_compare_job {
    struct rc_compare compare;
    const char *const *suites; /* names that are wanted; ended by NULL; NULL: all */
    bool as_one_kind; /* kinds that are not the same are taken for the same, in order */
    struct rc_store **file;     /* [operand] */
    struct rc_store **readings; /* [operand]: campaign.h5; NULL: not there */
    double threshold;           /* a p below it is no chance */
    size_t file_count;
    size_t *operand, *kind; /* [column]: its file, and the number of its kind there */
    struct rc_pool *pool;   /* of events' names */
};

/* Opens the campaigns, compares what is in them.  Files stay open until
 * rc_compare_close(), which is to be called in any case.
 */
int rc_compare_open(struct rc_compare_job *job, const char *const *paths, size_t count,
                    struct rc_error *err);
void rc_compare_close(struct rc_compare_job *job);

/* The rest is what rc_compare_open() is made of, and what tests call by itself.
 *
 * Frees what the functions below allocated, and the arena.
 */
void rc_compare_fini(struct rc_compare *compare);

/* Labels of the columns, what each is compared with, and what is absent: 'operand' has
 * the number of each column's campaign, in rising order.
 */
int rc_compare_relate(struct rc_compare *compare, const size_t *operand,
                      bool as_one_kind, struct rc_error *err);

/* Lays the metrics of all suites side by side, and finds what differs.  Where a
 * column's 'changed' is there, verdicts and combinations whose events did not change
 * differ by chance.
 */
int rc_compare_metrics(struct rc_compare *compare, struct rc_error *err);

/* Finds the events of 'after' among those of 'before' by name and source:
 * (*match)[number after] is the number before or RC_COMPARE_NONE; free() it.
 */
int rc_compare_match(const struct rc_compare_event *before, size_t before_count,
                     const struct rc_compare_event *after, size_t after_count,
                     size_t **match, struct rc_error *err);

/* Adds to a column what happened to its events as such: gone, new, trial, scope. */
int rc_compare_events(struct rc_compare *compare, size_t column, const size_t *match,
                      struct rc_error *err);

/* Adds what happened to their states: [event] before and after.  Noise may be NULL.
 * On failure what was added stays, and goes with rc_compare_fini().
 */
struct rc_compare_states {
    const uint8_t *before, *after; /* by event of the reference, the column */
    const double *noise_before, *noise_after; /* likewise */
    const struct rc_compare_judged *judged; /* by event of the column; NULL: none is */
};
int rc_compare_states(struct rc_compare *compare, size_t column, const size_t *match,
                      enum rc_change_what what, size_t suite,
                      const struct rc_compare_states *states, struct rc_error *err);

/* Whether chance explains a difference of readings: chance.c.
 *
 * Some vectors of readings, [count][point] per iteration.
 */
struct rc_compare_readings {
    const double *vector;
    size_t count; /* 2 at least */
};
/* How likely chance makes a difference at least so large. */
struct rc_compare_judgement {
    double counts, noise; /* of the means, and of the scatter about them */
    double off;           /* the means from each other, as a share of the larger */
};
/* 'iterations' are those of a reading of each point, and 'room' holds a number for each
 * point and vector.
 */
struct rc_compare_judgement rc_compare_judge(const struct rc_compare_readings *before,
                                             const struct rc_compare_readings *after,
                                             const double *iterations, size_t points,
                                             double *room);

/* An event in a suite, of two campaigns. */
struct rc_compare_judged {
    bool known;         /* both have readings enough */
    bool counts, noise; /* other ones, which chance does not explain */
    double off;         /* as above */
};

/* readings.c: campaign.h5 beside the results that an operand names; NULL where it is
 * not there, or is not what they were made from.
 */
struct rc_store *rc_compare_open_readings(const char *operand,
                                          const struct rc_store_campaign *results);

/* Judges the events of a column in a suite; what is not known stays as it is. */
int rc_compare_judge_suite(struct rc_compare_job *job, size_t column, const char *suite,
                           const size_t *match, struct rc_compare_judged *out,
                           struct rc_error *err);

#endif
