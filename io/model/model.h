/* model.h - a performance model as a file (HDF5): what was measured, and its laws
 *
 * model.h5 holds the readings that a model was made from, and for each kernel and metric
 * the laws that they allow.  docs/formats/model-h5.md describes it.  One process writes it,
 * under a name of its own until it is whole, and one reads it, whole.
 */
#ifndef RC_IO_MODEL_MODEL_H
#define RC_IO_MODEL_MODEL_H

#include "campaign/base/error.h"
#include "io/model/measured.h"
#include "solve/model/laws.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RC_MODEL_FILE "model.h5" /* in the directory of a model */

/* The laws of many series, packed: a struct rc_laws has room for all that may be, and
 * takes 7 KiB.  Zeroed, there are none.  Ranks that fit a part each send these arrays as
 * they are; who gets them takes each fit out of the part and adds it to the whole.
 */
struct rc_model_laws {
    size_t parameters; /* of all fits: set by the first one that is added */
    struct rc_model_fit {
        double least[RC_LAW_PARAMETERS], most[RC_LAW_PARAMETERS];
        double over_count, noise, degrees, misfit, reach;
        size_t anchors;
        struct rc_laws_anchor anchor[RC_LAWS_ANCHORS];
        bool exact;
        size_t words;
        size_t first, count; /* its laws, the best one first */
    } * fit;
    struct rc_model_law {
        double weight;
        size_t terms, first_term;
        size_t
            first_covariance; /* terms * (terms + 1) / 2: the lower triangle, by rows */
    } * law;
    struct rc_law_term *term;
    double *covariance;
    size_t fits, laws, terms, covariances;
    size_t fit_room, law_room, term_room, covariance_room;
};

/* Appends the laws of one more series.  RC_ENOMEM: the others are as they were. */
int rc_model_laws_add(struct rc_model_laws *laws, const struct rc_laws *fit,
                      struct rc_error *err);
/* Unpacks those of series number 'series'. */
void rc_model_laws_get(const struct rc_model_laws *laws, size_t series,
                       struct rc_laws *out);
/* Frees what was added; not for laws that were read from a file. */
void rc_model_laws_fini(struct rc_model_laws *laws);

/* Why a kernel of the program is modelled alone. */
enum rc_model_why {
    RC_MODEL_REST,   /* it is not: it is a part of the rest */
    RC_MODEL_SHARE,  /* its share of the time */
    RC_MODEL_RISING, /* its time does not fall with more processes */
};
extern const char *const rc_model_why_names[]; /* ended by NULL */

struct rc_model_kernel {
    const char *name;
    enum rc_model_why why;
    double share; /* of the time, the largest at any point; NAN: not known */
};

struct rc_model {
    const char *created_by; /* program and version */
    int64_t unix_time;      /* when it was made */
    const char *method;     /* the name of a row of rc_laws_methods[] */
    const char *const *source;
    size_t sources;   /* files and directories that it was made from */
    double accuracy;  /* relative: a prediction that is further off is wrong */
    double threshold; /* kernels with such a share of the time are modelled alone */
    double coverage;  /* share of the time in these, the least of all points; NAN */
    bool simulated;   /* some metric is; set by the reader */
    const struct rc_measured *measured;
    struct rc_model_laws laws; /* a fit for each series of 'measured', in its order */
    /* How the kernels of the program were chosen, those of the rest included; none where
     * all that was measured is modelled.
     */
    const struct rc_model_kernel *kernel;
    size_t kernels;
};

/* Writes 'path', which is replaced where it is there.  On failure it is as it was, and
 * nothing is left behind.
 */
int rc_model_write(const char *path, const struct rc_model *model,
                   struct rc_error *err);

/* RC_EMISSING: there is no such file; RC_EUSAGE: it is something else, or damaged.  All
 * of *out, 'measured' too, is freed by rc_model_close().
 */
int rc_model_read(const char *path, struct rc_model **out, struct rc_error *err);
void rc_model_close(struct rc_model *model); /* accepts NULL */

#endif
