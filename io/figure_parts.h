/* figure_parts.h - inside of figure*.c only */
#ifndef RC_IO_FIGURE_PARTS_H
#define RC_IO_FIGURE_PARTS_H

#include "io/figure.h"

/* A text of a figure is a mark in gnuplot's script: "zq12qz", then as many 'x' as
 * make it as wide as the text.
 */
#define RC_MARK_BEGIN "zq"
#define RC_MARK_END "qz"

struct rc_marked {
    char *title; /* of the figure */
    unsigned width, height;
    char **text; /* by the number of the mark */
    size_t count, room;
};

/* figure_script.c: the commands for one figure; its texts go into 'marked'. */
int rc_figure_script(FILE *script, const struct rc_figure *figure,
                     struct rc_marked *marked, struct rc_error *err);
void rc_marked_fini(struct rc_marked *marked);

/* figure_svg.c: gnuplot's SVG of one figure, one element for a page. */
void rc_figure_svg(FILE *out, const char *svg, size_t bytes,
                   const struct rc_marked *marked);

#endif
