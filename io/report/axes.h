/* axes.h - how the points of a suite and what was counted there stand in figures:
 * inside of io/report/ only
 *
 * Points stand side by side in slots.  Where a parameter of the points is a size, they
 * are sorted by it, in a panel for each combination of the other parameters.
 */
#ifndef RC_IO_REPORT_AXES_H
#define RC_IO_REPORT_AXES_H

#include "campaign/base/text.h"
#include "io/figure.h"
#include "io/store.h"

#define RC_PANEL_WORDS 128

struct rc_report_points {
    size_t slots;
    size_t *point; /* [slot]; SIZE_MAX: a gap between panels */
    double *tic;
    const char **tic_text; /* as many: not all points have room for their names */
    size_t tic_count;
    unsigned tic_pixels; /* how high their texts are */
    struct rc_figure_label *panel;
    size_t panel_count;
    char words[RC_PANEL_WORDS]; /* what the names of panels are: "stride/ppb"; or "" */
    const char *title;          /* of the axis: the parameter's name, or "" */
    struct rc_pool *pool;
};

/* Points by their names and, where 'suite' is not NULL, by the parameters that it has
 * for them; tics for a figure of so many pixels.  rc_report_points_fini() in any case.
 */
int rc_report_points_init(struct rc_report_points *points, const char *const *name,
                          size_t count, const struct rc_store_suite *suite,
                          unsigned pixels, struct rc_error *err);
void rc_report_points_fini(struct rc_report_points *points); /* accepts a zeroed one */

/* The suite's points are the same, and in the same order. */
bool rc_report_same_points(const struct rc_store_suite *suite, const char *const *name,
                           size_t count);

/* Numbers by point, by slot: NAN in gaps. */
void rc_report_to_slots(const struct rc_report_points *points, const double *by_point,
                        double *by_slot);

/* The y axis.  A logarithmic one has a foot where 0 and what is too small stands. */
enum { RC_SCALE_TICS = 12 };
struct rc_report_scale {
    double least, most, tiny; /* of what was seen; the least above 0 */
    bool log, any;
    double low, high, floor; /* floor: what is below it stands at the foot, 'low' */
    double tic[RC_SCALE_TICS];
    char text[RC_SCALE_TICS][RC_TEXT_SHORT];
    const char *tic_text[RC_SCALE_TICS];
    size_t tic_count;
};

/* What can stand in a figure: finite, and neither near the largest numbers that there
 * are nor near the least.
 */
bool rc_report_can_draw(double value);

/* The scale sees numbers, any number of times; then it is made, by 'typical' numbers,
 * which say whether most of what matters would be at the foot of a linear axis.
 */
void rc_report_scale_see(struct rc_report_scale *scale, const double *y, size_t count);
int rc_report_scale_make(struct rc_report_scale *scale, const double *typical,
                         size_t count, struct rc_error *err);

/* What stands in the figure for numbers that were seen; in place. */
void rc_report_scale_put(const struct rc_report_scale *scale, double *y, size_t count);

/* Axes and panels' names of a figure, which borrows both. */
void rc_report_axes(struct rc_figure *figure, struct rc_report_points *points,
                    struct rc_report_scale *scale);

#endif
