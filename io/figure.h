/* figure.h - figures as SVG, drawn by gnuplot
 *
 * Only home of gnuplot.  A figure is described as data; many are drawn by one
 * process.  Texts in figures may be anything: gnuplot gets marks in their place, and
 * the texts come into the SVG afterwards, escaped.  Colours are those of the page
 * that the SVG stands in (var(--ink), var(--c1), ...), points are its #gpPt6: see
 * io/html.h.
 */
#ifndef RC_IO_FIGURE_H
#define RC_IO_FIGURE_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum rc_figure_style {
    RC_FIGURE_LINE,
    RC_FIGURE_POINTS,
    RC_FIGURE_LINE_POINTS,
    RC_FIGURE_STEPS,
    RC_FIGURE_BAND, /* from y up to y2 */
    RC_FIGURE_BOX,  /* a rectangle for each item: x to x2, y to y2 */
};

enum rc_figure_colour {
    RC_COLOUR_INK,
    RC_COLOUR_MUTED,
    RC_COLOUR_GRID,
    RC_COLOUR_1, /* to RC_COLOUR_8: told apart in light and dark, and by the
                    colour-blind */
    RC_COLOUR_8 = RC_COLOUR_1 + 7,
    RC_COLOUR_COUNT
};

/* Numbers that are not finite leave a gap.  All is borrowed until it is drawn. */
struct rc_figure_series {
    const char *title; /* in the key; NULL or "": not there */
    enum rc_figure_style style;
    int colour; /* enum rc_figure_colour */
    bool dashed, thin, faint;
    bool outlined;  /* what is filled */
    double size;    /* of points, 0: as usual */
    double opacity; /* of what is filled, below 1; 0: as usual */
    size_t count;
    const double *x, *y; /* x NULL: 0, 1, 2, ... */
    const double *x2, *y2;
};

struct rc_figure_label {
    double x, y; /* in the units of the axes */
    const char *text;
    bool centred;
};

struct rc_figure_axis {
    const char *title; /* "" or NULL: none */
    bool log, hidden;
    double low, high;            /* both 0: found from the data */
    const double *tic;           /* where; NULL: found */
    const char *const *tic_text; /* as many; NULL: the numbers */
    size_t tic_count;
    bool upright; /* texts of tics are turned by 90 degrees */
};

struct rc_figure {
    const char *title;      /* what it shows, for those who do not see it */
    unsigned width, height; /* in pixels of a screen; 0: 640 x 300 */
    struct rc_figure_axis x, y;
    bool no_key, key_below;
    bool bare; /* boxes, lines and labels alone: no axes, no margins */
    const struct rc_figure_series *series;
    size_t series_count;
    const struct rc_figure_label *label;
    size_t label_count;
};

struct rc_figures; /* a batch */

/* NULL: no memory. */
struct rc_figures *rc_figures_create(void);
void rc_figures_close(struct rc_figures *figures); /* accepts NULL */

/* Adds one; what it points to is not needed after this. */
int rc_figures_add(struct rc_figures *figures, const struct rc_figure *figure,
                   struct rc_error *err);

/* Draws all that were added and forgets them.  'take' gets them in their order, each
 * as one <svg> element.  RC_EMISSING: there is no gnuplot.
 */
int rc_figures_draw(struct rc_figures *figures,
                    int (*take)(void *context, size_t number, const char *svg,
                                size_t bytes, struct rc_error *err),
                    void *context, struct rc_error *err);

/* The same for one figure, which is written to 'out'. */
int rc_figure_draw(const struct rc_figure *figure, FILE *out, struct rc_error *err);

/* What gnuplot says of itself: "gnuplot 5.4 patchlevel 4". */
int rc_figures_version(char *out, size_t room, struct rc_error *err);

#endif
