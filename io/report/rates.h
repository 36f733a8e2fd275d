/* rates.h - the rates of a suite as curves over the size of data
 *
 * A curve is of one kernel, number of workers and variant, such as plain stores: of all
 * points that differ in nothing but axis 'bytes', and in 'level' and 'cache', which
 * follow from it.  A suite without these axes has curves of one point.
 */
#ifndef RC_IO_REPORT_RATES_H
#define RC_IO_REPORT_RATES_H

#include "campaign/base/arena.h"
#include "io/text/json.h"
#include "solve/result.h"

enum { RC_RATE_LEVELS = 8, RC_RATE_NAME = 64, RC_RATE_LINE = 320 };

/* A rate at a point, over the nodes where it is known. */
struct rc_rate_at {
    size_t point;  /* of the suite */
    int64_t bytes; /* of the arrays of a worker; 0: not known */
    size_t nodes;  /* that have it */
    double best; /* repetition, by which levels are told; of several nodes the median */
    double median;    /* of the repetitions, likewise */
    double low, high; /* of one node the median's interval, of several the smallest and
                       * the largest of their medians; NAN: not known */
    size_t slow;      /* the node of the smallest median */
};

/* A level of memory on a curve. */
struct rc_rate_level {
    char name[16];       /* "L1", "memory" */
    int64_t bytes;       /* of the cache, as far as it is one worker's; 0: memory */
    size_t first, count; /* its points on the curve */
    size_t plateau;      /* a point of the curve; SIZE_MAX: it has none */
};

struct rc_rate_curve {
    char kernel[RC_RATE_NAME], variant[RC_RATE_NAME]; /* "triad", "streaming" or "" */
    int64_t workers;
    struct rc_rate_at *at; /* by rising size, with a rate on any node */
    size_t count;
    struct rc_rate_level level[RC_RATE_LEVELS];
    size_t levels; /* 0: the suite does not say them */
};

struct rc_rate_curves {
    const struct rc_rate_result *rate;
    struct rc_rate_curve *curve; /* those of a kernel stand together */
    size_t count;
    struct rc_arena arena;
};

/* rc_arena_free() of the arena in any case. */
int rc_rate_curves_make(const struct rc_rate_result *rate, struct rc_rate_curves *out,
                        struct rc_error *err);

/* "210 GB/s in L1, 95.1 in L2, 12.6 in memory (no plateau in L3)": the best on the
 * plateaus, or without any the best of all.  'out' holds RC_RATE_LINE bytes.
 */
const char *rc_rate_words(char *out, const struct rc_rate_curve *curve,
                          const char *unit);

/* "10 % less on n3 at 48M": of several nodes the one that is furthest below the median, or
 * "".  'out' holds RC_RATE_LINE bytes.
 */
const char *rc_rate_slowest(char *out, const struct rc_rate_result *rate,
                            const struct rc_rate_curve *curve);

/* "2 workers, streaming": 'out' holds RC_RATE_LINE bytes. */
const char *rc_rate_curve_words(char *out, const struct rc_rate_curve *curve);

/* ": each array ..." for a convention of counting bytes, or "". */
const char *rc_rate_convention_words(const char *convention);

/* A curve as an object of JSON. */
void rc_rate_put_curve(const struct rc_rate_result *rate,
                       const struct rc_rate_curve *curve, struct rc_json *json);

/* A rate to 'digits' digits, and to the whole number where that has more: "0.41",
 * "64300".  Returns 'out', of RC_TEXT_SHORT bytes.
 */
const char *rc_rate_number(char *out, int digits, double rate);

/* "48K", for axes and tables, or "" for 0: 'out' holds RC_TEXT_SHORT bytes. */
const char *rc_rate_size(char *out, int64_t bytes);

#endif
