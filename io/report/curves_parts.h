/* curves_parts.h - inside of curves*.c only */
#ifndef RC_IO_REPORT_CURVES_PARTS_H
#define RC_IO_REPORT_CURVES_PARTS_H

#include "io/report/axes.h"
#include "io/report/parts.h"

/* One suite of the kind, the same for all events. */
struct rc_curve_suite {
    size_t number; /* in the store */
    const struct rc_store_suite *labels;
    const struct rc_suite_result *result; /* NULL: it was not solved, or differs */
    size_t in;                            /* its number in the metrics file */
    size_t ok;                            /* the status of a reading that is valid */
    size_t *ideal; /* [coordinate]: in the store's basis, or RC_CURVE_... */
    struct rc_report_points points;
};
enum {
    RC_CURVE_UNKNOWN = 1 << 30, /* an ideal that the store does not know */
    RC_CURVE_ITERATION,         /* one in each iteration */
    RC_CURVE_READING,           /* one in each reading */
};

/* What an event's readings in a suite are, and what they become. */
struct rc_curve {
    const struct rc_curve_suite *suite;
    const char *event;
    const uint64_t *iterations;   /* of the event's source; NULL: it measures nothing */
    const int64_t *values;        /* [place][repetition][point] */
    const uint8_t *status;        /* [place][repetition] */
    const double *representation; /* [coordinate], or NULL */
};

/* Of one event in one suite: markup.  Where 'drawn', the batch has a figure that is
 * 'svg' later, and 'text' goes on behind it within <figure>, which it ends.
 */
struct rc_curve_section {
    char *svg, *text;
    bool drawn;
};

/* curves_choose.c: whose curves are drawn, in rising order; the caller frees them. */
int rc_curves_choose(const struct rc_report *report, size_t kind, size_t **event,
                     size_t *count, struct rc_error *err);

/* curves_draw.c: adds the figure to the batch where there is anything to draw, and
 * says the rest in words and numbers.
 */
int rc_curve_draw(const struct rc_curve *curve, struct rc_figures *figures,
                  struct rc_curve_section *section, struct rc_error *err);

/* curves_lines.c: the lines of a figure, out of all readings. */
enum { RC_CURVE_PLACES = 8, RC_CURVE_LINES = 100 };
struct rc_curve_lines {
    size_t *vector; /* the valid ones: place * repetitions + repetition; sorted so that
                     * equal ones stand together */
    size_t valid, different, drawn, invalid;
    bool apart;                  /* places are told apart */
    double *mean, *least, *most; /* [point] per iteration, NAN: not known */
    double *expected;            /* likewise, or NULL */
    bool zero;                   /* all is 0 */
};
int rc_curve_lines_init(struct rc_curve_lines *lines, const struct rc_curve *curve,
                        struct rc_error *err);
void rc_curve_lines_fini(struct rc_curve_lines *lines);

/* A count per iteration; NAN where there is none. */
double rc_curve_value(const struct rc_curve *curve, size_t vector, size_t point);

/* Whether two vectors count the same. */
bool rc_curve_same(const struct rc_curve *curve, size_t a, size_t b);

#endif
