/* planted.h - random machines of which it is known what their events count
 *
 * A machine has the points and ideals of real suites.  Its events are random sums of
 * ideals, some with noise, some dead, some measured in part only, and its readings are
 * whole numbers as a counter would give them.  All of it follows from a seed.
 */
#ifndef RC_TESTS_PLANTED_PLANTED_H
#define RC_TESTS_PLANTED_PLANTED_H

#include "campaign/base/error.h"
#include "io/metrics/metrics.h"
#include "kernels/kernel.h"
#include "solve/definitions/definitions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLANTED_SUITES = 12, PLANTED_EVENTS = 96, PLANTED_METRICS = 3 };

struct planted_suite {
    const struct rc_suite *suite;
    struct rc_points points;
    uint64_t *iterations;   /* [point] of one reading */
    struct rc_range *range; /* [point][ideal] per iteration, all that is known */
    double *known;          /* likewise, exactly, or NAN */
    double *done;           /* likewise, with made-up numbers where nobody knows */
    int64_t *reading;       /* [event][repetition][point] */
    uint8_t *status;        /* [event][repetition] */
    double metric[PLANTED_METRICS][RC_IDEAL_COUNT]; /* signatures of its own */
};

struct planted_event {
    char name[64];
    double weight[RC_IDEAL_COUNT];
    double rest;         /* counts of a reading besides */
    double noise;        /* relative, of a reading */
    uint32_t unmeasured; /* bits of suites */
    size_t invalid;      /* repetitions that were multiplexed */
};

struct planted {
    uint64_t seed;
    struct rc_geometry geometry;
    struct planted_suite suite[PLANTED_SUITES];
    size_t suites;
    struct planted_event event[PLANTED_EVENTS];
    size_t events, repetitions;
};

/* Makes the machine of that number; planted_fini() accepts one that failed. */
int planted_init(uint64_t seed, struct planted *out, struct rc_error *err);
void planted_fini(struct planted *machine);

/* Writes DIR/campaign.h5, and its metrics to DIR/planted.yaml; solves, and opens
 * DIR/metrics.h5.  planted_remove() takes them away, and DIR.
 */
int planted_solve(const struct planted *machine, const char *dir, bool plain,
                  struct rc_store **out, struct rc_error *err);
void planted_remove(const char *dir);

/* Counts of an event per iteration, exactly. */
double planted_count(const struct planted *machine, size_t event, size_t suite,
                     size_t point);

/* Sets of vectors by an orthonormal basis of what they span. */
struct planted_span {
    size_t rows, count;
    double *q; /* [vector][row] */
};

int planted_span_init(size_t rows, struct planted_span *out);
void planted_span_fini(struct planted_span *span);

/* The part of a vector that is not in the span (in 'rest'), and its norm. */
double planted_span_rest(const struct planted_span *span, const double *vector,
                         double *rest);
/* Adds what is new in the vector, where that is more than 'least' of its norm. */
bool planted_span_add(struct planted_span *span, const double *vector, double least);

/* x = argmin || A x - b ||, columns of A one after the other and independent; what
 * is left of b is its result, relative.  NAN: no memory.
 */
double planted_squares(const double *a, size_t rows, size_t columns, const double *b,
                       double *x);
double planted_norm(const double *vector, size_t count);

/* The class of an event in a suite, by its planted counts. */
enum planted_kind {
    PLANTED_UNUSABLE, /* its class says so */
    PLANTED_OUTSIDE,  /* no sum of the suite's ideals, or less than alpha of them */
    PLANTED_IMPURE,   /* one here, and something else elsewhere */
    PLANTED_EITHER,   /* near to the threshold between these two */
    PLANTED_UNSURE,   /* near to a threshold, or what tells was not measured */
    PLANTED_PURE,
};

struct planted_truth {
    const struct planted *machine;
    size_t suite;
    const struct rc_suite_definition *definition;
    enum rc_ideal *ideal; /* the basis */
    size_t ideals;
    bool overhead; /* a column of ones follows them */
    struct {
        enum rc_class class;
        bool class_unsure;
        enum planted_kind kind;
        bool nearly;              /* one ideal that is known nearly only, nearly */
        double x[RC_IDEAL_COUNT]; /* in the basis */
    } event[PLANTED_EVENTS];
};

/* By the basis that the result names. */
int planted_truth_find(const struct planted *machine, size_t suite,
                       const struct rc_suite_definition *definition,
                       const struct rc_suite_result *result, struct planted_truth *out,
                       struct rc_error *err);
void planted_truth_fini(struct planted_truth *truth);

#endif
