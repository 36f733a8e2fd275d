/* parts.h - fills io/compare/compare.h with the differences between campaigns
 *
 * The steps in order: columns are read, related to each other, their metrics put side
 * by side, and their events matched.  The comparing parts use no files.
 */
#ifndef RC_CAMPAIGN_COMPARE_PARTS_H
#define RC_CAMPAIGN_COMPARE_PARTS_H

#include "campaign/base/memory.h"
#include "io/compare/compare.h"
#include "io/metrics/metrics.h"

/* A comparison, and the files and arrays that it uses.  Starts zeroed. */
struct rc_compare_job {
    struct rc_compare compare;
    const char *const *suites;  /* names that are wanted, ended by NULL; NULL: all */
    bool as_one_kind;           /* compare kinds in order, although they differ */
    struct rc_store **file;     /* [operand] */
    struct rc_store **readings; /* [operand]: campaign.h5; NULL: not there */
    double threshold;           /* chance does not explain a smaller p */
    size_t file_count;
    size_t *operand, *kind; /* [column]: its file, and the number of its kind there */
    struct rc_pool *pool;   /* of events' names */
};

/* Opens and compares the campaigns.  Files stay open until rc_compare_close(), which
 * must be called in any case.
 */
int rc_compare_open(struct rc_compare_job *job, const char *const *paths, size_t count,
                    struct rc_error *err);
void rc_compare_close(struct rc_compare_job *job);

/* The rest are parts of rc_compare_open(), which tests call by themselves.
 *
 * Frees what the functions below allocated, and the arena.
 */
void rc_compare_fini(struct rc_compare *compare);

/* Sets the labels of the columns, the column that each is compared with, and absent
 * kinds: 'operand' has the number of each column's campaign, in rising order.
 */
int rc_compare_relate(struct rc_compare *compare, const size_t *operand,
                      bool as_one_kind, struct rc_error *err);

/* Puts the metrics of all suites side by side, and finds the differences.  In columns
 * with 'changed', differences of verdicts and combinations are chance if their events
 * did not change.
 */
int rc_compare_metrics(struct rc_compare *compare, struct rc_error *err);

/* Finds the events of 'after' among those of 'before' by name and source:
 * (*match)[number after] is the number before or RC_COMPARE_NONE; free() it.
 */
int rc_compare_match(const struct rc_compare_event *before, size_t before_count,
                     const struct rc_compare_event *after, size_t after_count,
                     size_t **match, struct rc_error *err);

/* Adds a column's changes of events as such: gone, new, trial, scope. */
int rc_compare_events(struct rc_compare *compare, size_t column, const size_t *match,
                      struct rc_error *err);

/* Adds a column's changes of states: [event] before and after.  Noise may be NULL.  On
 * failure the groups added so far stay, until rc_compare_fini().
 */
struct rc_compare_states {
    const uint8_t *before, *after; /* by event: of the reference, of the column */
    const double *noise_before, *noise_after; /* likewise */
    const struct rc_compare_judged
        *judged; /* by event of the column; NULL: not judged */
};
int rc_compare_states(struct rc_compare *compare, size_t column, const size_t *match,
                      enum rc_change_what what, size_t suite,
                      const struct rc_compare_states *states, struct rc_error *err);

/* rates.c: adds the rates of a suite that changed in a column, as a group. */
int rc_compare_rates(struct rc_compare_job *job, size_t column, size_t suite,
                     struct rc_error *err);

/* chance.c: whether chance explains a difference of readings.
 *
 * Some vectors of readings, [count][point] per iteration.
 */
struct rc_compare_readings {
    const double *vector;
    size_t count; /* at least 2 */
};
/* The probability that chance makes a difference at least so large. */
struct rc_compare_judgement {
    double counts, noise; /* of the means, and of the scatter about them */
    double off;           /* distance of the means, as a share of the larger one */
};
/* 'iterations' are those of a reading of each point, and 'room' has a number for each
 * point and vector.
 */
struct rc_compare_judgement rc_compare_judge(const struct rc_compare_readings *before,
                                             const struct rc_compare_readings *after,
                                             const double *iterations, size_t points,
                                             double *room);

/* The judgement of an event in a suite, for two campaigns. */
struct rc_compare_judged {
    bool known;         /* both have enough readings */
    bool counts, noise; /* differs, and chance does not explain it */
    double off;         /* as above */
};

/* readings.c: campaign.h5 beside the results that an operand names; NULL if it does not
 * exist, or the results were not made from it.
 */
struct rc_store *rc_compare_open_readings(const char *operand,
                                          const struct rc_store_campaign *results);

/* Judges the events of a column in a suite; elements of 'out' for others stay as they
 * are.
 */
int rc_compare_judge_suite(struct rc_compare_job *job, size_t column, const char *suite,
                           const size_t *match, struct rc_compare_judged *out,
                           struct rc_error *err);

#endif
