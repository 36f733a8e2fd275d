/* result.h - the results of the solve, as plain data
 *
 * A suite of a kind has one rc_suite_result, the same on every rank, and for each event
 * one entry in the columns of rc_event_columns, each rank having its own events.
 * io/metrics/metrics.h keeps both; tables and exports come from them.
 *
 * Strings are never NULL ("" where there is nothing to say), and NAN is a number that
 * is not known.  Names of events are opaque: any bytes but NUL.
 */
#ifndef RC_SOLVE_RESULT_H
#define RC_SOLVE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far an event's readings in a suite can be trusted, best last.  Stored in files:
 * append only.
 */
enum rc_class {
    RC_CLASS_INVALID,    /* there are no valid readings, or too few */
    RC_CLASS_DEAD,       /* 0 in all suites */
    RC_CLASS_IRRELEVANT, /* 0 in this suite, not in another */
    RC_CLASS_NOISY,      /* differs between repetitions by more than the threshold */
    RC_CLASS_STEADY,     /* differs by less */
    RC_CLASS_EXACT,      /* the same in all repetitions */
    RC_CLASS_COUNT
};

/* The use of an event in a suite.  Stored in files: append only. */
enum rc_use {
    RC_USE_NONE,      /* its class is the reason */
    RC_USE_OUTSIDE,   /* not a combination of the suite's ideals */
    RC_USE_IMPURE,    /* a combination here, but it counts something else elsewhere */
    RC_USE_DEPENDENT, /* adds nothing to the chosen events */
    RC_USE_CHOSEN,
    RC_USE_COUNT
};

/* The verdict on a metric.  Stored in files: append only. */
enum rc_metric_verdict {
    RC_METRIC_ABSENT,      /* not on this machine */
    RC_METRIC_APPROXIMATE, /* within a stated error */
    RC_METRIC_DEFINED,
    RC_METRIC_REJECTED,     /* fits in this suite, and is wrong in another */
    RC_METRIC_UNKNOWN,      /* the measurements do not decide it */
    RC_METRIC_REFERENCE,    /* one event, compared with a clock instead of counts */
    RC_METRIC_CONTRADICTED, /* breaks a tree, one point of which is the reason */
    RC_METRIC_VERDICT_COUNT
};

/* The words of docs/words.md by number, ended by NULL: "cannot be counted", ...,
 * "exact"; "not used", ..., "chosen"; "not on this machine", "approximate", "defined",
 * "rejected", "not known", "by reference", "contradicted".
 */
extern const char *const rc_class_names[];
extern const char *const rc_use_names[];
extern const char *const rc_metric_verdict_names[];

/* Events first .. first + count - 1 of a kind in one suite. */
struct rc_event_columns {
    size_t first, count; /* events 'first' and so on */
    size_t stride;       /* distance of blocks when written in blocks; 0: in one run */
    double *noise;       /* maxRNMSE; NAN: no valid readings */
    double *residual;    /* of the representation, relative; NAN: there is none */
    double *representation; /* [event][coordinate]; NAN: there is none */
    uint8_t *event_class;   /* enum rc_class */
    uint8_t *use;           /* enum rc_use */
    uint32_t *reason;       /* number in rc_suite_result.reason; 0 is "" */
};

struct rc_term {
    size_t event;     /* number in the kind */
    const char *name; /* of the event */
    double coefficient;
    double rounded;   /* a simple number near the coefficient, or the coefficient */
    double low, high; /* 95 % interval of the coefficient, from the repetitions */
};

/* The check of a metric on the points of a suite: its own or another one. */
struct rc_metric_check {
    const char *suite; /* its name */
    size_t points;     /* on which the signature is known and all events were counted */
    double error;      /* || combination - expected || relative to the larger of both */
    double rounded;    /* the same with rounded coefficients */
    bool passed;       /* 'error' is within the metric's tolerance */
};

/* A metric and its combination of events, or, for a formula, its values. */
struct rc_metric_result {
    const char *name, *description;
    const char *signature; /* as in the definition */
    const char *preset;    /* PAPI's name for it, or "" */
    const char *formula;   /* of a metric computed from others; "" otherwise */
    enum rc_metric_verdict verdict;
    const char *reason;   /* of any verdict; for "defined" remarks */
    double error;         /* backward error, relative; of a formula NAN */
    bool rounded_holds;   /* the rounded combination was checked against the readings */
    struct rc_term *term; /* those with coefficients other than 0; none of a formula */
    size_t term_count;
    struct rc_metric_check *check;
    size_t check_count;
    const size_t *alone; /* events each of which is the metric by itself */
    const char *const *alone_name;
    size_t alone_count;
    const char *const *input; /* the metrics in a formula */
    size_t input_count;
    /* The value of a formula on the points of the suite. */
    double *value, *value_low, *value_high; /* [point], or NULL */
};

/* The coefficient for users: the rounded one where that was checked. */
double rc_term_value(const struct rc_metric_result *metric, const struct rc_term *term);

/* The ends of the coefficient's interval.  They contain rc_term_value(), too, where
 * rounding took it out of the interval; NAN: not known.
 */
double rc_term_low(const struct rc_metric_result *metric, const struct rc_term *term);
double rc_term_high(const struct rc_metric_result *metric, const struct rc_term *term);

/* Whether one can count by the metric as it is, and whether at least nearly. */
bool rc_metric_is_defined(const struct rc_metric_result *metric);
bool rc_metric_is_usable(const struct rc_metric_result *metric);

/* False: no combination of events comes near the metric, or that is not known. */
bool rc_metric_has_combination(const struct rc_metric_result *metric);

/* Whether a term is worth showing: it was not rounded to 0, or that does not hold. */
bool rc_term_matters(const struct rc_metric_result *metric, const struct rc_term *term);

/* A chosen event, and the events that carry the same information. */
struct rc_chosen {
    size_t event;             /* number in the kind */
    const char *name;         /* of the event */
    double score;             /* of the choice: the lower, the simpler */
    double norm;              /* of its remainder when it was chosen */
    const double *coordinate; /* [coordinate] */
    bool completes;           /* impure: serves only metrics that need it */
    const size_t *other; /* equal within alpha, at most RC_EQUIVALENTS_MAX of them */
    const char *const *other_name;
    size_t other_count, others; /* listed, and in all */
};

enum { RC_EQUIVALENTS_MAX = 64 };

/* A preset of the machine's library, compared with the derived metric. */
struct rc_preset_check {
    const char *preset, *metric; /* names */
    const char *definition;      /* "N0|N1|+ of A, B" as the library has it */
    const char *outcome; /* "agrees", "differs by ...", "cannot be checked: ..." */
};

/* A metric whose value is implied by the counts of a point of a user's suite. */
struct rc_implied {
    const char *metric, *suite; /* names, also of the metric's suite */
    enum rc_metric_verdict verdict;
    const char *point;
    double expected, counted; /* per iteration; NAN: its events were not measured */
    bool agrees; /* within the metric's tolerance and the constant rest of a reading */
};

/* A rate of a suite: a formula over the readings of one repetition, on each node, or on
 * each place of a suite whose points have no workers.  NAN: it is not known there.
 */
struct rc_rate_result {
    const char *name, *unit;
    const char *convention; /* by which bytes or operations are counted; "": none */
    const char *formula;
    const char *suite;       /* its name */
    const char *const *node; /* names; the same for all rates of a suite, as are: */
    size_t node_count, repetitions;
    const char *const *point; /* of the suite */
    size_t point_count;
    const char *const *axis; /* of the suite: names of the points' parameters */
    size_t axis_count;
    const int64_t *parameter; /* [point][axis] */
    double *values;           /* [node][repetition][point] */
    /* [node][point] over the repetitions: the smallest, the median, the largest, and the
     * 95 % interval of the median, which few repetitions do not have.
     */
    double *least, *median, *best, *low, *high;
};

/* A suite of a kind. */
struct rc_suite_result {
    const char *suite;             /* its name */
    const char *const *coordinate; /* the ideals, then nuisance columns */
    size_t coordinate_count, ideal_count;
    const char *const *left_out; /* ideals that no point of this machine has */
    size_t left_out_count;
    const char *const *point; /* names */
    size_t point_count;
    double alpha, alpha_low, alpha_high; /* the selection is the same in the range */
    double tau, tau_low, tau_high;       /* no event's noise is in the range */
    bool tau_auto;                       /* 'tau' was found from the data */
    bool compiled;                       /* a compiler made it: no event is solved */
    double residual;                     /* the largest of a representation, relative */
    size_t class_count[RC_CLASS_COUNT], use_count[RC_USE_COUNT]; /* events */
    const char *const *reason; /* the words of rc_event_columns.reason */
    size_t reason_count;
    const char *const *remark; /* remarks for readers: missing units, ... */
    size_t remark_count;
    struct rc_chosen *chosen; /* in the order of the choice */
    size_t chosen_count;
    struct rc_metric_result *metric; /* with a signature, then formulas */
    size_t metric_count;
    struct rc_preset_check *preset; /* NULL: none, or PAPI could not be asked */
    size_t preset_count;
    struct rc_implied *implied; /* of a user's suite, point after point */
    size_t implied_count;
    struct rc_rate_result *rate;
    size_t rate_count;
};

#endif
