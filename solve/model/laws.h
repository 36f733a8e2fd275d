/* laws.h - laws that measured numbers allow, and what they say of points that were not
 * measured
 *
 * One number (a time, a count) was read at some points, several times at each.  A fit
 * has the laws that these readings allow, each with its weight, and predicts from all
 * of them together, with an interval.  Methods of other tools fit in the same form.
 */
#ifndef RC_SOLVE_MODEL_LAWS_H
#define RC_SOLVE_MODEL_LAWS_H

#include "campaign/base/error.h"
#include "solve/model/law.h"

#include <stdint.h>

enum { RC_LAWS_CHOICES = 16, RC_LAWS_ANCHORS = 8 };

enum rc_laws_kind {
    RC_LAWS_MEASURED, /* times and sampled counts: noisy, never below 0 */
    RC_LAWS_COUNTED,  /* exact counts: the same in each repetition, or nearly so */
};

/* Readings of one number.  No two points have the same parameters: the caller joins their
 * readings.  Those of point i are value[first[i]] to value[first[i + 1] - 1]; where there
 * are none, it was not measured.
 */
struct rc_observed {
    enum rc_laws_kind kind;
    size_t parameters, points;
    const double *at;    /* [point][parameter]: finite, above 0 */
    const size_t *first; /* of points, and one more */
    const double *value; /* finite */
    /* Standard errors of the points' means; NULL: repetitions tell. */
    const double *spread;
};

/* Words to be said beside a fit or a prediction: bits. */
enum rc_laws_word {
    /* Fewer than 5 values of a parameter that varies. */
    RC_LAWS_FEW_POINTS = 1,
    /* The target is more than 16 times beyond what was measured. */
    RC_LAWS_FAR = 2,
    /* Logarithms of parameters below 1. */
    RC_LAWS_SMALL_LOGS = 4,
    /* Laws that are as good differ by more than 2 times there. */
    RC_LAWS_CHOICES_DIFFER = 8,
    /* A parameter has one value at all points, and another at the target. */
    RC_LAWS_FIXED_PARAMETER = 16,
    /* Parameters vary together: their parts cannot be told apart. */
    RC_LAWS_TOGETHER = 32,
    /* The number is 0 at some points only: nothing is fitted through these. */
    RC_LAWS_ZEROS = 64,
    /* The interval is wider than twice the value: it is not known. */
    RC_LAWS_UNKNOWN = 128,
    /* No law holds at all points: it is of those nearest the target. */
    RC_LAWS_SEGMENTS = 256,
    /* An exact law, which all points exceed by the same share. */
    RC_LAWS_OVERCOUNT = 512,
    /* No point was repeated: the noise is what is left around the law. */
    RC_LAWS_ONE_READING = 1024,
};

struct rc_laws_choice {
    struct rc_law law;
    double weight;                                 /* of all laws together 1 */
    double covariance[RC_LAW_TERMS][RC_LAW_TERMS]; /* of the coefficients */
};

/* Points that are off the laws move predictions near them: the logarithm by the sum of
 * off * exp(-distance / reach), the distance in the extents of what was measured.
 */
struct rc_laws_anchor {
    double at[RC_LAW_PARAMETERS], off;
};

struct rc_laws {
    size_t parameters;
    double least[RC_LAW_PARAMETERS], most[RC_LAW_PARAMETERS]; /* that were measured */
    bool exact;        /* the law holds to the last digit, also at a point held out */
    double over_count; /* with RC_LAWS_OVERCOUNT, relative */
    double noise;      /* standard deviation of a reading, relative */
    double degrees;    /* of freedom, that this is known with */
    /* Standard deviation of points' means around the laws beyond their noise, relative:
     * what a law misses of a program. */
    double misfit;
    double reach; /* of anchors */
    size_t anchors;
    struct rc_laws_anchor anchor[RC_LAWS_ANCHORS];
    uint32_t words; /* enum rc_laws_word */
    size_t count;   /* the best one first; 0: none can be told */
    struct rc_laws_choice choice[RC_LAWS_CHOICES];
};

struct rc_predicted {
    /* The interval holds the mean of many readings with 90 %; NAN: nothing is known. */
    double value, low, high;
    double spread; /* standard error of the value, in its unit */
    uint32_t words;
};

/* A method, by its name: 'rollcall', and those of other tools for comparison. */
struct rc_laws_method {
    const char *name;
    const char *about; /* a line of help */
    /* RC_ENOMEM, or RC_OK: where no law can be told 'count' is 0, and 'words' say why. */
    int (*fit)(const struct rc_observed *observed, struct rc_laws *out,
               struct rc_error *err);
};
/* The first is the default; the last has the name NULL. */
extern const struct rc_laws_method rc_laws_methods[];

struct rc_predicted rc_laws_predict(const struct rc_laws *fit, const double *at);

/* One of several predictions of a number; the weights need not add up to 1. */
struct rc_alternative {
    double weight, value, spread; /* the standard error, in the value's unit */
};

/* The median of predictions above 0, with their interval, and words that are added to
 * those of 'out'; at most RC_LAWS_CHOICES.
 */
void rc_predicted_mix(const struct rc_alternative *each, size_t count, double degrees,
                      struct rc_predicted *out);

/* The word as people read it, of one bit: "fewer than 5 values of a parameter". */
const char *rc_laws_word_text(enum rc_laws_word word);

/* The texts of all words that are set, with "; " between them, cut to fit. */
const char *rc_laws_words_text(uint32_t words, char *out, size_t room);

#endif
