/* measured.h - numbers that were measured at several values of parameters
 *
 * Files of other tools, and profiles, become this: for each kernel (a function, region or
 * call path) and each metric (time, bytes, calls) readings at some points of the
 * parameters.
 */
#ifndef RC_IO_MODEL_MEASURED_H
#define RC_IO_MODEL_MEASURED_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    RC_MEASURED_PARAMETERS = 4,
    RC_MEASURED_DRAFT_PARAMETERS =
        32,                  /* of a draft: parameters that never vary may go */
    RC_MEASURED_NAME = 4096, /* bytes of a name, with the 0 at its end */
};

enum rc_measured_kind {
    RC_MEASURED_TIME,  /* or another number with noise, never below 0 */
    RC_MEASURED_COUNT, /* exact where it was counted or stepped */
};

struct rc_measured_metric {
    const char *name, *unit; /* "s", "bytes", "1", "" where it is not known */
    enum rc_measured_kind kind;
    bool simulated;
};

/* The readings of a kernel and metric, as in struct rc_observed. */
struct rc_measured_series {
    size_t kernel, metric;
    size_t *first; /* of points, and one more */
    double *value;
    double *spread; /* of each point the standard error of the mean; NULL: not given */
};

struct rc_measured {
    size_t parameters, points, kernels, metrics, series;
    const char *const *parameter; /* names */
    const double *at;             /* [point][parameter] */
    const char *const *kernel;    /* names; call paths have ';' between names */
    const struct rc_measured_metric *metric;
    const struct rc_measured_series *of; /* by kernel, then metric */
    const char *origin;                  /* "Extra-P's text", ... : for provenance */
};

/* Readings may be added in any order; rc_measured_end() sorts and checks them, and makes
 * equal points one.  It closes the draft, also where it fails; rc_measured_drop() is for
 * a draft that is not ended.  'spread' is the standard error of the value; NAN: unknown.
 *
 * Points are in the order of their parameters, kernels and metrics in that of their
 * names, and the readings of a point as they were added.  A draft may have more than
 * RC_MEASURED_PARAMETERS where at most that many vary: the others go.  A metric with a
 * reading that is not a whole number is not a count.  A series has standard errors where
 * each of its readings has one; they are NAN at points that were not measured.
 *
 * RC_EUSAGE: a parameter that is not above 0, a reading below 0 or one that is not
 * finite, two units of a metric, no reading at all.  Names may have any bytes: those
 * that cannot be shown are written as \xNN, and the end of a name that is too long
 * becomes a digest of it.  Without a name a kernel is "program", a metric "value".
 */
struct rc_measured_draft; /* opaque */
int rc_measured_begin(const char *const *parameter, size_t parameters,
                      struct rc_measured_draft **out, struct rc_error *err);
int rc_measured_add(struct rc_measured_draft *draft, const double *at,
                    const char *kernel, const struct rc_measured_metric *metric,
                    double value, double spread, struct rc_error *err);
int rc_measured_end(struct rc_measured_draft *draft, const char *origin,
                    struct rc_measured **out, struct rc_error *err);
void rc_measured_drop(struct rc_measured_draft *draft); /* accepts NULL */
void rc_measured_close(struct rc_measured *measured);   /* likewise */

/* Reads files of other tools; the format is known by the content.  Directories
 * 'name.x10y1z1.r1' with a profile.cubex each are given by the directory around them.
 * RC_EUSAGE: "FILE: line N: expected ...".
 */
int rc_measured_read(const char *path, struct rc_measured **out, struct rc_error *err);

#endif
