/* The machine of a kind as boxes within boxes. */
#include "campaign/base/memory.h"
#include "io/report/topology_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LABELLED_MOST = 300, /* cores with their count written in them */
    SHADES = 4,
    LEGEND = 26 /* pixels below the machine */
};

/* Pixels around the boxes of a level: its own border, and a little between. */
static double margin(const struct rc_topology *p, size_t level, double cell)
{
    return level + 1 == p->depth ? cell * .16 : cell * .22 + 2;
}

static double down_of(const struct rc_topology_box *b)
{
    return ceil((double)b->each / (double)b->columns);
}

/* Columns near the wanted number; a last row that is not full is worth avoiding. */
static size_t columns_of(size_t each, double wanted)
{
    double best = INFINITY;
    size_t found = 1;

    for (size_t c = 1; c <= each; c++) {
        const size_t blank = (each + c - 1) / c * c - each;
        const double bad =
            fabs(log((double)c / wanted)) + 3. * (double)blank / (double)each;
        if (bad < best) {
            best = bad;
            found = c;
        }
    }
    return found;
}

/* Sizes from the cores outwards.  Boxes get columns that make them wide rather than
 * high: 1.6 to 1 within, and as wide as the page outside.
 */
static void measure(struct rc_topology *p, double cell)
{
    p->box[p->depth].width = cell;
    p->box[p->depth].height = cell * .62;
    for (size_t l = p->depth; l-- > 0;) {
        struct rc_topology_box *b = &p->box[l];
        const struct rc_topology_box *in = &p->box[l + 1];
        const double gap = margin(p, l, cell), wanted = l == 0 ? 3.2 : 1.6;
        const double across =
            sqrt((double)b->each * wanted * (in->height + gap) / (in->width + gap));
        b->columns = columns_of(b->each, across);
        b->width = (double)b->columns * (in->width + gap) + gap;
        b->height = down_of(b) * (in->height + gap) + gap;
    }
}

/* A cell as large as lets the machine be as wide as it may, within reason. */
static double fit(struct rc_topology *p, double width)
{
    double cell = 64;

    for (int i = 0; i < 8; i++) {
        measure(p, cell);
        if (p->box[0].width > width)
            cell *= width / p->box[0].width;
    }
    measure(p, cell);
    return cell;
}

/* The left upper corner of box 'number' of a level; y goes down. */
static void corner(const struct rc_topology *p, size_t level, size_t number,
                   double cell, double *x, double *y)
{
    size_t within = 1; /* of this level's boxes are in one of level l + 1 */

    *x = *y = 0;
    for (size_t l = level; l-- > 0;) {
        const struct rc_topology_box *b = &p->box[l], *in = &p->box[l + 1];
        const size_t index = number / within % b->each, row = index / b->columns;
        const double gap = margin(p, l, cell);
        *x += gap + (double)(index % b->columns) * (in->width + gap);
        *y += gap + (double)row * (in->height + gap);
        within *= b->each;
    }
}

/* Rectangles, as arrays of a series; and what else a figure is made of. */
struct rectangles {
    double *x, *y, *x2, *y2;
    size_t count;
};

struct drawing {
    struct rectangles level[RC_LEVELS + 1]; /* the boxes that hold others */
    struct rectangles shade[SHADES + 1];    /* cores; [0]: not used */
    struct rectangles legend[SHADES + 1];
    struct rc_figure_series series[RC_LEVELS + 1 + 4 * (SHADES + 1)];
    size_t series_count;
    struct rc_figure_label *label;
    char (*text)[48];
    size_t labels;
    uint64_t most; /* units on one core */
    double width, height;
};

static void rectangles_fini(struct rectangles *r)
{
    free(r->x);
    free(r->y);
    free(r->x2);
    free(r->y2);
}

static bool rectangles_init(struct rectangles *r, size_t room)
{
    r->x = rc_calloc(room, sizeof *r->x);
    r->y = rc_calloc(room, sizeof *r->y);
    r->x2 = rc_calloc(room, sizeof *r->x2);
    r->y2 = rc_calloc(room, sizeof *r->y2);
    return r->x && r->y && r->x2 && r->y2;
}

/* Figures have y go up. */
static void add_rectangle(const struct drawing *d, struct rectangles *r, double x,
                          double y, double width, double height)
{
    r->x[r->count] = x;
    r->x2[r->count] = x + width;
    r->y[r->count] = d->height - y - height;
    r->y2[r->count++] = d->height - y;
}

static void drawing_fini(struct drawing *d)
{
    for (size_t i = 0; i <= RC_LEVELS; i++)
        rectangles_fini(&d->level[i]);
    for (size_t i = 0; i <= SHADES; i++) {
        rectangles_fini(&d->shade[i]);
        rectangles_fini(&d->legend[i]);
    }
    free(d->label);
    free(d->text);
}

static int drawing_init(const struct rc_topology *p, struct drawing *d,
                        struct rc_error *err)
{
    size_t boxes = 1;
    bool room = true;

    for (size_t l = 0; l < p->depth; l++) {
        room = room && rectangles_init(&d->level[l], boxes);
        boxes *= p->box[l].each;
    }
    for (size_t i = 0; i <= SHADES; i++)
        room = room && rectangles_init(&d->shade[i], p->cores) &&
               rectangles_init(&d->legend[i], 1);
    d->label = rc_calloc(LABELLED_MOST + SHADES + 1, sizeof *d->label);
    d->text = rc_calloc(LABELLED_MOST + SHADES + 1, sizeof *d->text);
    return room && d->label && d->text
               ? RC_OK
               : rc_fail(err, RC_ENOMEM, "no memory for a figure of %zu cores",
                         p->cores);
}

static void add_series(struct drawing *d, const struct rectangles *r, int colour,
                       double opacity, bool outlined)
{
    if (r->count > 0)
        d->series[d->series_count++] = (struct rc_figure_series){.style = RC_FIGURE_BOX,
                                                                 .colour = colour,
                                                                 .opacity = opacity,
                                                                 .outlined = outlined,
                                                                 .count = r->count,
                                                                 .x = r->x,
                                                                 .y = r->y,
                                                                 .x2 = r->x2,
                                                                 .y2 = r->y2};
}

static void add_label(struct drawing *d, double x, double y, bool centred)
{
    d->label[d->labels] = (struct rc_figure_label){
        .x = x, .y = d->height - y, .text = d->text[d->labels], .centred = centred};
    d->labels++;
}

/* The fewest units of a shade. */
static uint64_t least_of(size_t shade, uint64_t most)
{
    return shade == 0 ? 0 : 1 + ((shade - 1) * most + SHADES - 1) / SHADES;
}

static size_t shade_of(uint64_t units, uint64_t most)
{
    size_t shade = SHADES;

    while (shade > 0 && units < least_of(shade, most))
        shade--;
    return shade;
}

static void add_boxes(const struct rc_topology *p, double cell, struct drawing *d)
{
    size_t boxes = 1;

    for (size_t l = 0; l < p->depth; l++) {
        for (size_t i = 0; i < boxes; i++) {
            double x, y;
            corner(p, l, i, cell, &x, &y);
            add_rectangle(d, &d->level[l], x, y, p->box[l].width, p->box[l].height);
        }
        boxes *= p->box[l].each;
    }
}

static void add_cores(const struct rc_topology *p, double cell, const uint64_t *units,
                      struct drawing *d)
{
    const struct rc_topology_box *core = &p->box[p->depth];

    for (size_t i = 0; i < p->cores; i++) {
        double x, y;
        corner(p, p->depth, i, cell, &x, &y);
        add_rectangle(d, &d->shade[shade_of(units[i], d->most)], x, y, core->width,
                      core->height);
        if (p->cores > LABELLED_MOST || cell < 24)
            continue;
        snprintf(d->text[d->labels], sizeof *d->text,
                 units[i] < 10000 ? "%.0f" : "%.2g", (double)units[i]);
        if (units[i] > 0)
            add_label(d, x + core->width / 2, y + core->height / 2, true);
    }
}

static double opacity_of(size_t shade)
{
    return shade == 0 ? 1 : .2 + .4 * (double)(shade - 1) / (SHADES - 1);
}

/* What the shades stand for, below the machine. */
static void add_legend(struct drawing *d)
{
    const double y = d->height - LEGEND + 8;
    double x = 0;

    for (size_t s = 0; s <= SHADES; s++) {
        const uint64_t low = least_of(s, d->most);
        const uint64_t high = s < SHADES ? least_of(s + 1, d->most) - 1 : d->most;
        if (low > high)
            continue;
        if (s == 0)
            snprintf(d->text[d->labels], sizeof *d->text, "no units");
        else if (low == high)
            snprintf(d->text[d->labels], sizeof *d->text, "%.6g", (double)low);
        else
            snprintf(d->text[d->labels], sizeof *d->text, "%.6g to %.6g", (double)low,
                     (double)high);
        add_rectangle(d, &d->legend[s], x, y, 16, 11);
        add_label(d, x + 22, y + 5.5, false);
        x += 34 + 7.5 * (double)strlen(d->text[d->labels - 1]);
    }
}

/* 'units' of each core; title in words. */
int rc_topology_draw(struct rc_report_page *page, struct rc_topology *p,
                     const uint64_t *units, const char *title, double width,
                     struct rc_error *err)
{
    struct drawing d = {.most = 0};
    const double cell = fit(p, width);
    int status = drawing_init(p, &d, err);

    d.width = width;
    d.height = p->box[0].height + LEGEND;
    for (size_t i = 0; i < p->cores; i++)
        if (units[i] > d.most)
            d.most = units[i];
    if (status == RC_OK) {
        add_boxes(p, cell, &d);
        add_cores(p, cell, units, &d);
        add_legend(&d);
        for (size_t l = 0; l < p->depth; l++)
            add_series(&d, &d.level[l], RC_COLOUR_MUTED, .01, true);
        for (size_t s = 0; s <= SHADES; s++) {
            add_series(&d, &d.shade[s], RC_COLOUR_GRID, 1, false);
            add_series(&d, &d.legend[s], RC_COLOUR_GRID, 1, false);
            if (s == 0)
                continue;
            add_series(&d, &d.shade[s], RC_COLOUR_1, opacity_of(s), false);
            add_series(&d, &d.legend[s], RC_COLOUR_1, opacity_of(s), false);
        }
        const struct rc_figure figure = {.title = title,
                                         .width = (unsigned)ceil(d.width),
                                         .height = (unsigned)ceil(d.height),
                                         .x = {.low = 0, .high = d.width},
                                         .y = {.low = 0, .high = d.height},
                                         .bare = true,
                                         .no_key = true,
                                         .series = d.series,
                                         .series_count = d.series_count,
                                         .label = d.label,
                                         .label_count = d.labels};
        status = rc_figures_add(page->figures, &figure, err);
    }
    drawing_fini(&d);
    return status;
}
