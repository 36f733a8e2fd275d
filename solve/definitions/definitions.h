/* definitions.h - bases and signatures: the metrics to find, as text
 *
 * For each suite a file lists the ideals of its basis, how its readings are judged, and
 * the metrics as signatures in the coordinates of the ideals.  rollcall's own files are
 * in the data directory "metrics"; users add files of the same form, and a campaign
 * file may hold metrics, too.  docs/metrics.md is the manual for users.
 */
#ifndef RC_SOLVE_DEFINITIONS_DEFINITIONS_H
#define RC_SOLVE_DEFINITIONS_DEFINITIONS_H

#include "campaign/base/error.h"
#include "campaign/base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A term of a signature. */
struct rc_weight {
    const char *ideal; /* its name */
    double weight;
};

/* A metric as a sum of ideals, or, with a formula, computed from other metrics. */
struct rc_metric_definition {
    const char *name, *description;
    const char *preset;    /* PAPI's name for it, or "" */
    const char *unit;      /* "instructions", "bytes per ...", or "" */
    const char *signature; /* as text: "2 SF_SCAL + S_SCAL"; "" for a formula */
    const struct rc_weight *weight;
    size_t weight_count;
    const char *formula; /* "[DP operations] / [memory bytes]"; "" for a signature */
    const char *where;   /* "FILE:LINE", for messages */
};

/* An ideal of the user's own, with its counts per iteration by point.  In the basis it
 * follows the suite's ideals.
 */
struct rc_column_definition {
    const char *ideal;
    const char *const *point; /* names, or globs over names: the last that matches a
                               * point decides; a point without a match counts 0 */
    const double *value;      /* counts per iteration, likewise */
    size_t count;             /* of both */
    const char *where;        /* "FILE:LINE" */
};

/* A rate: a formula over the readings of a repetition (docs/metrics.md). */
struct rc_rate_definition {
    const char *name, *unit;
    const char *convention; /* by which bytes or operations are counted, or "" */
    const char *formula;
    const char *where; /* "FILE:LINE", for messages */
};

/* How the readings of several places of a repetition become one. */
enum rc_places {
    RC_PLACES_POOL,   /* each place's repetitions count: they should be the same */
    RC_PLACES_MEDIAN, /* the median over the places, for caches */
};

/* The basis and metrics of a suite, and how its readings are judged. */
struct rc_suite_definition {
    const char *name;
    const char *const *ideal; /* the basis, in this order; none: the suite's own */
    size_t ideal_count;
    double alpha;             /* of the rounding in the selection */
    double tau;               /* threshold of noise; NAN: by the widest gap */
    double residual;          /* largest of a representation, relative */
    double purity;            /* likewise on the points of other suites */
    const char *const *loose; /* ideals that are known only ... */
    size_t loose_count;
    double within;  /* ... within this share of them */
    bool nuisance;  /* columns for counts of the loop and of the reading itself */
    bool single;    /* one repetition is enough: its noise is not known then */
    bool reference; /* its ideal is a clock: an event is tried against it as it is, and
                     * metrics are known by reference (docs/solve.md) */
    enum rc_places places;
    const struct rc_column_definition *column;
    size_t column_count;
    const struct rc_metric_definition *metric;
    size_t metric_count;
    const struct rc_rate_definition *rate;
    size_t rate_count;
    const char *where; /* of the ideals, where a file lists them */
    const char *note;  /* for readers of the suite's table, or NULL */
};

/* The column's count per iteration on a point of that name. */
double rc_column_value(const struct rc_column_definition *column, const char *point);

/* Opaque; owns everything that it returns, until the next call that adds to it. */
struct rc_definitions;

/* All of rollcall's own files.  On success the caller owns *out. */
int rc_definitions_create(struct rc_definitions **out, struct rc_error *err);

/* Adds a user's file, or text of that form: new suites, and metrics, rates and columns
 * for known ones.  A metric, rate or setting that exists is replaced.  RC_EUSAGE with "FILE:LINE:
 * what is wrong, what was expected", and nothing is added.
 */
int rc_definitions_add_file(struct rc_definitions *definitions, const char *path,
                            struct rc_error *err);
int rc_definitions_add_text(struct rc_definitions *definitions, const char *name,
                            const char *text, size_t bytes, struct rc_error *err);

/* Adds metrics of a campaign file: all, or none on failure.  Each must have passed
 * rc_metric_text_check() and name its suite; 'where' holds a "FILE:LINE" for each.
 */
struct rc_metric_text;
int rc_definitions_add_metrics(struct rc_definitions *definitions,
                               const struct rc_metric_text *metric,
                               const char *const *where, size_t count,
                               struct rc_error *err);

void rc_definitions_close(struct rc_definitions *definitions); /* accepts NULL */

/* The number of suites, and each of them. */
size_t rc_definitions_count(const struct rc_definitions *definitions);
const struct rc_suite_definition *
rc_definitions_suite(const struct rc_definitions *definitions, size_t number);

/* A hash of a definition without its place in files: equal ones give equal results. */
uint64_t rc_suite_definition_digest(const struct rc_suite_definition *suite);

/* By name; NULL: no file names the suite, which has the defaults and no metrics. */
const struct rc_suite_definition *
rc_definitions_find(const struct rc_definitions *definitions, const char *suite);

#endif
