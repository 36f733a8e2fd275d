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

/* An event's readings in a suite. */
struct rc_curve {
    const struct rc_curve_suite *suite;
    const char *event;
    const uint64_t *iterations;   /* of the event's source; NULL: it measures nothing */
    const int64_t *values;        /* [place][repetition][point] */
    const uint8_t *status;        /* [place][repetition] */
    const double *representation; /* [coordinate], or NULL */
    double residual;              /* of the representation, relative; NAN: none */
    size_t room; /* how many numbers the page has room for, of all readings */
};

/* What they become: markup.  Where 'drawn', the batch has a figure that is 'svg' later,
 * and 'text' goes on behind it within <figure>, which it ends.
 */
struct rc_curve_section {
    char *svg, *text;
    bool drawn;
    size_t used; /* of the room for numbers */
};

/* The readings of an event in all suites, and how many of them have room in a page:
 * where all that were chosen fit, the page has each single one, else it has fewer lines
 * and means.
 */
size_t rc_curves_readings(const struct rc_report *report, size_t kind);
enum { RC_CURVES_ROOM = 600000 };

/* curves_choose.c: whose curves are drawn, in rising order; the caller frees them. */
int rc_curves_choose(const struct rc_report *report, size_t kind, size_t **event,
                     size_t *count, struct rc_error *err);

/* curves_read.c: what all readings amount to, per iteration. */
struct rc_curve_readings {
    size_t *vector; /* the valid ones: place * repetitions + repetition */
    size_t valid, invalid;
    bool same, zero;             /* all of them are */
    double *mean, *least, *most; /* [point], NAN: not known */
    double *expected;            /* by the representation; NULL: it says nothing */
};
int rc_curve_read(const struct rc_curve *curve, struct rc_curve_readings *readings,
                  struct rc_error *err);
void rc_curve_readings_fini(struct rc_curve_readings *readings);

/* One reading; NAN where there is none. */
double rc_curve_value(const struct rc_curve *curve, size_t vector, size_t point);

/* curves_draw.c: adds the figure to the batch, with at most so many lines. */
enum { RC_CURVE_PLACES = 8, RC_CURVE_LINES = 100, RC_CURVE_LINES_LEAST = 3 };
struct rc_curve_drawn {
    bool apart;              /* places are told apart by colour */
    size_t different, lines; /* lines that can be told apart, and drawn ones */
};
int rc_curve_draw(const struct rc_curve *curve,
                  const struct rc_curve_readings *readings, struct rc_figures *figures,
                  struct rc_curve_drawn *drawn, struct rc_error *err);

/* curves_words.c: all of a section. */
int rc_curve_section(const struct rc_curve *curve, struct rc_figures *figures,
                     struct rc_curve_section *section, struct rc_error *err);

#endif
