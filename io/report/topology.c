/* The machine of a kind as boxes within boxes, and the cores of it that measured. */
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CORES_MOST = 1 << 12, /* that are drawn */
    LABELLED_MOST = 300,  /* cores with their count written in them */
    NODES_DRAWN_MOST = 4, /* each by itself */
    ROWS_MOST = 200,      /* of the table */
    WIDTH = 760,
    NARROW = 460,
    SHADES = 4,
    LEGEND = 26 /* pixels below the machine */
};

/* The levels of a shape, the outermost first. */
enum { PACKAGE, DIE, NUMA, L3, L2, CORE, PU, LEVELS };
static const struct {
    const char *word, *one, *many;
} levels[LEVELS] = {
    [PACKAGE] = {"package", "package", "packages"},
    [DIE] = {"die", "die", "dies"},
    [NUMA] = {"numa", "NUMA domain", "NUMA domains"},
    [L3] = {"l3", "L3 cache", "L3 caches"},
    [L2] = {"l2", "L2 cache", "L2 caches"},
    [CORE] = {"core", "core", "cores"},
    [PU] = {"pu", "hardware thread", "hardware threads"},
};

struct shape {
    uint64_t count[LEVELS]; /* 0: the shape does not say */
    bool odd;               /* something in it was not understood */
};

/* What one core of one node measured. */
struct used {
    uint32_t node, core;
    uint64_t units, wall_ns;
};

/* A box that holds others, or a core: all of a level are alike. */
struct box {
    char name[96];        /* "package, NUMA domain" */
    size_t each;          /* how many of the next level it holds */
    size_t columns;       /* in which they stand */
    double width, height; /* in pixels, later */
};

struct plan {
    struct shape shape;
    size_t cores;
    bool cores_said;            /* by the shape, not by what was used */
    struct box box[LEVELS + 1]; /* [0] is the node; the last one is the core */
    size_t depth;               /* of the core */
    bool drawn[LEVELS];
    struct used *used; /* by node and core */
    size_t used_count, room;
    uint64_t units, elsewhere; /* of this kind; at no core of the machine */
};

static int level_of(const char *word, size_t length)
{
    int l = 0;

    while (l < LEVELS && (strlen(levels[l].word) != length ||
                          memcmp(levels[l].word, word, length) != 0))
        l++;
    return l;
}

/* "package:2 numa:8 form:..."; words that are not known are left alone. */
static void parse_shape(const char *text, struct shape *s)
{
    *s = (struct shape){0};
    while (*(text += strspn(text, " "))) {
        const size_t length = strcspn(text, " "), name = strcspn(text, ": ");
        const int level = level_of(text, name);
        char number[24] = "";
        uint64_t count = 0;

        if (name < length && length - name - 1 < sizeof number)
            memcpy(number, text + name + 1, length - name - 1);
        if (level < LEVELS) {
            if (rc_text_count(number, &count) != 0 || count == 0 || s->count[level])
                s->odd = true;
            else
                s->count[level] = count;
        }
        text += length;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct used *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->core < y->core ? -1 : x->core > y->core;
}

/* Units of the same place become one. */
static void melt(struct plan *p)
{
    size_t kept = 0;

    if (p->used_count > 0)
        qsort(p->used, p->used_count, sizeof *p->used, by_place);
    for (size_t i = 0; i < p->used_count; i++) {
        if (kept > 0 && by_place(&p->used[kept - 1], &p->used[i]) == 0) {
            p->used[kept - 1].units += p->used[i].units;
            p->used[kept - 1].wall_ns += p->used[i].wall_ns;
        } else
            p->used[kept++] = p->used[i];
    }
    p->used_count = kept;
}

/* A unit of a simulated machine is of no node and has a core that means nothing. */
static bool has_place(const struct rc_report *r, const struct plan *p,
                      const struct rc_report_unit *u)
{
    const uint64_t cores = p->shape.count[CORE];

    return u->node < r->node_count && r->node[u->node][0] && u->core < CORES_MOST &&
           (cores == 0 || u->core < cores);
}

static int find_used(const struct rc_report *r, size_t kind, struct plan *p,
                     struct rc_error *err)
{
    for (size_t i = 0; i < r->unit_count; i++) {
        const struct rc_report_unit *u = &r->unit[i];
        if (u->kind != kind)
            continue;
        p->units++;
        if (!has_place(r, p, u)) {
            p->elsewhere++;
            continue;
        }
        if (rc_grow(&p->used, sizeof *p->used, p->used_count, &p->room))
            return rc_fail(err, RC_ENOMEM, "no memory for the places of %zu units",
                           p->used_count);
        p->used[p->used_count++] = (struct used){u->node, u->core, 1, u->wall_ns};
    }
    melt(p);
    return RC_OK;
}

static void find_cores(struct plan *p)
{
    p->cores_said = p->shape.count[CORE] > 0;
    p->cores = p->shape.count[CORE] <= CORES_MOST ? (size_t)p->shape.count[CORE] : 0;
    if (p->cores_said)
        return;
    for (size_t i = 0; i < p->used_count; i++)
        if (p->used[i].core + 1 > p->cores)
            p->cores = p->used[i].core + 1;
}

/* Whether a level can be drawn: its boxes hold the same number of cores each, and
 * divide those around them evenly.
 */
static bool divides(const struct plan *p, int level, size_t around)
{
    const uint64_t count = p->shape.count[level];

    return count > 0 && count <= p->cores && p->cores % count == 0 &&
           count % around == 0;
}

static void add_word(struct box *b, const char *word)
{
    if (b->name[0])
        rc_text_append(b->name, sizeof b->name, ", ");
    rc_text_append(b->name, sizeof b->name, "%s", word);
}

/* Levels of as many boxes share one; those of as many as there are cores are the
 * cores themselves.  The fewer there are the further out they stand.
 */
static void find_boxes(struct plan *p)
{
    bool done[CORE] = {false};
    size_t around = 1;

    add_word(&p->box[0], "node");
    for (int round = PACKAGE; round < CORE; round++) {
        int l = -1;
        for (int i = PACKAGE; i < CORE; i++)
            if (!done[i] && (l < 0 || p->shape.count[i] < p->shape.count[l]))
                l = i;
        done[l] = true;
        if (!divides(p, l, around) || p->shape.count[l] == p->cores)
            continue;
        if (p->shape.count[l] > around) {
            p->box[p->depth++].each = (size_t)p->shape.count[l] / around;
            around = (size_t)p->shape.count[l];
        }
        p->drawn[l] = true;
        add_word(&p->box[p->depth], levels[l].one);
    }
    p->box[p->depth++].each = p->cores / around;
}

/* Pixels around the boxes of a level: its own border, and a little between. */
static double margin(const struct plan *p, size_t level, double cell)
{
    return level + 1 == p->depth ? cell * .16 : cell * .22 + 2;
}

static double down_of(const struct box *b)
{
    return (double)((b->each + b->columns - 1) / b->columns);
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
static void measure(struct plan *p, double cell)
{
    p->box[p->depth].width = cell;
    p->box[p->depth].height = cell * .62;
    for (size_t l = p->depth; l-- > 0;) {
        struct box *b = &p->box[l];
        const struct box *in = &p->box[l + 1];
        const double gap = margin(p, l, cell), wanted = l == 0 ? 3.2 : 1.6;
        const double across =
            sqrt((double)b->each * wanted * (in->height + gap) / (in->width + gap));
        b->columns = columns_of(b->each, across);
        b->width = (double)b->columns * (in->width + gap) + gap;
        b->height = down_of(b) * (in->height + gap) + gap;
    }
}

/* A cell as large as lets the machine be as wide as it may, within reason. */
static double fit(struct plan *p, double width)
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
static void corner(const struct plan *p, size_t level, size_t number, double cell,
                   double *x, double *y)
{
    size_t within = 1; /* of this level's boxes are in one of level l + 1 */

    *x = *y = 0;
    for (size_t l = level; l-- > 0;) {
        const struct box *b = &p->box[l], *in = &p->box[l + 1];
        const size_t index = number / within % b->each;
        const double gap = margin(p, l, cell);
        *x += gap + (double)(index % b->columns) * (in->width + gap);
        *y += gap + (double)(index / b->columns) * (in->height + gap);
        within *= b->each;
    }
}

/* Rectangles, as arrays of a series; and what else a figure is made of. */
struct rectangles {
    double *x, *y, *x2, *y2;
    size_t count;
};

struct drawing {
    struct rectangles level[LEVELS + 1]; /* the boxes that hold others */
    struct rectangles shade[SHADES + 1]; /* cores; [0]: not used */
    struct rectangles legend[SHADES + 1];
    struct rc_figure_series series[LEVELS + 1 + 4 * (SHADES + 1)];
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
    for (size_t i = 0; i <= LEVELS; i++)
        rectangles_fini(&d->level[i]);
    for (size_t i = 0; i <= SHADES; i++) {
        rectangles_fini(&d->shade[i]);
        rectangles_fini(&d->legend[i]);
    }
    free(d->label);
    free(d->text);
}

static int drawing_init(const struct plan *p, struct drawing *d, struct rc_error *err)
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

static void add_boxes(const struct plan *p, double cell, struct drawing *d)
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

static void add_cores(const struct plan *p, double cell, const uint64_t *units,
                      struct drawing *d)
{
    const struct box *core = &p->box[p->depth];

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
static int add_figure(struct rc_report_page *page, struct plan *p,
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

/* The units of each core on one node, or on all (SIZE_MAX). */
static size_t sum_units(const struct plan *p, size_t node, uint64_t *units)
{
    size_t used = 0;

    memset(units, 0, p->cores * sizeof *units);
    for (size_t i = 0; i < p->used_count; i++)
        if ((node == SIZE_MAX || p->used[i].node == node) &&
            p->used[i].core < p->cores) {
            used += units[p->used[i].core] == 0;
            units[p->used[i].core] += p->used[i].units;
        }
    return used;
}

static size_t nodes_used(const struct plan *p)
{
    size_t nodes = 0;

    for (size_t i = 0; i < p->used_count; i++)
        nodes += i == 0 || p->used[i].node != p->used[i - 1].node;
    return nodes;
}

/* "2 packages, 8 NUMA domains, ...". */
static void write_levels(FILE *out, const struct plan *p)
{
    bool any = false;

    for (int l = 0; l < LEVELS; l++)
        if (p->shape.count[l]) {
            rc_html_say(out, "%s%llu %s", any ? ", " : "",
                        (unsigned long long)p->shape.count[l],
                        p->shape.count[l] == 1 ? levels[l].one : levels[l].many);
            any = true;
        }
}

/* What the shape does not say, and what cannot be drawn of what it says. */
static void write_doubts(FILE *out, const struct plan *p, const char *shape)
{
    if (!*shape)
        fputs(" What the machine is made of was not recorded.", out);
    else if (p->shape.odd || !p->cores_said) {
        fputs(" Its shape is not of the form that this report knows: ", out);
        rc_html_name(out, shape);
        fputs(".", out);
    }
    if (!p->cores_said && p->cores > 0)
        rc_html_say(out,
                    " The cores drawn are those up to the last one that was used.");
    if (p->shape.count[CORE] > CORES_MOST) {
        rc_html_say(out, " More than %d cores are not drawn.", (int)CORES_MOST);
        return;
    }
    for (int l = PACKAGE; l < CORE && p->cores > 0; l++)
        if (p->shape.count[l] && p->shape.count[l] != p->cores && !p->drawn[l])
            rc_html_say(out,
                        " %llu %s do not hold equally many cores each: they are not "
                        "drawn.",
                        (unsigned long long)p->shape.count[l], levels[l].many);
    for (int l = PACKAGE; l < CORE && p->cores > 1; l++)
        if (p->shape.count[l] == p->cores)
            rc_html_say(out, " Each core has %s %s of its own.", l >= L3 ? "an" : "a",
                        levels[l].one);
}

static void write_use(FILE *out, const struct plan *p)
{
    if (p->units == 0)
        fputs(" No unit is recorded on it.", out);
    if (p->elsewhere > 0)
        rc_html_say(out,
                    " %llu of %llu units are recorded at no core of such a machine, as "
                    "those of a simulated machine are: they are not in here.",
                    (unsigned long long)p->elsewhere, (unsigned long long)p->units);
}

/* From outside in: "Boxes within each other are a node, a package, ...". */
static void write_nesting(FILE *out, const struct plan *p)
{
    fputs(" Boxes from outside in: ", out);
    for (size_t l = 0; l < p->depth; l++)
        rc_html_say(out, "%s; ", p->box[l].name);
    fputs("the smallest are cores, shaded by the number of units that each measured.",
          out);
    if (p->depth > 1)
        fputs(
            " The boxes are drawn as if the cores were spread over them evenly and in "
            "order: the shape says how many there are, not which holds which.",
            out);
}

static void write_caption(FILE *out, const struct plan *p, size_t nodes, size_t used)
{
    if (nodes == 0)
        fputs("The machine; no core of it is known to have measured.", out);
    else
        rc_html_say(out, "%zu of %zu cores measured", used, p->cores);
    if (nodes > 1)
        rc_html_say(out, ", the cores of %zu nodes taken together", nodes);
    if (nodes > 0)
        fputs(".", out);
    write_nesting(out, p);
}

static void write_table(FILE *out, const struct rc_report *r, const struct plan *p)
{
    static const char *const heads[] = {"node", ">core", ">units", ">seconds", NULL};
    const size_t rows = p->used_count < ROWS_MOST ? p->used_count : ROWS_MOST;

    if (rows == 0)
        return;
    fputs("<details><summary>Cores and what they measured</summary>\n", out);
    rc_html_table(out, "Units and the time that they took, by node and core", heads);
    for (size_t i = 0; i < rows; i++) {
        const struct used *u = &p->used[i];
        fputs("<tr>", out);
        rc_html_cell_name(out, r->node[u->node]);
        rc_html_cell(out, "%lu", (unsigned long)u->core);
        rc_html_cell(out, "%llu", (unsigned long long)u->units);
        rc_html_cell(out, "%.3f", (double)u->wall_ns * 1e-9);
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
    if (rows < p->used_count)
        rc_html_say(out, "These are the first %zu of %zu.", rows, p->used_count);
    fputs("</details>\n", out);
}

/* All nodes together. */
static int draw_all(struct rc_report_page *page, struct plan *p, uint64_t *units,
                    struct rc_error *err)
{
    const size_t used = sum_units(p, SIZE_MAX, units), nodes = nodes_used(p);
    char *caption = NULL, title[160];
    size_t bytes;
    FILE *words = open_memstream(&caption, &bytes);

    if (words)
        write_caption(words, p, nodes, used);
    int status = words && fclose(words) == 0
                     ? RC_OK
                     : rc_fail(err, RC_ENOMEM, "no memory for a figure");
    snprintf(title, sizeof title,
             "A machine of %zu cores as nested boxes; %zu of them measured", p->cores,
             used);
    if (status == RC_OK)
        status = add_figure(page, p, units, title, WIDTH, err);
    if (status == RC_OK)
        status = rc_report_draw(page, (const char *const[]){caption}, NULL, NULL, err);
    free(caption);
    return status;
}

static int add_node(struct rc_report_page *page, struct plan *p, uint32_t node,
                    uint64_t *units, char **caption, struct rc_error *err)
{
    const size_t used = sum_units(p, node, units);
    size_t bytes;
    FILE *words = open_memstream(caption, &bytes);
    char title[160];

    if (words) {
        rc_html_name(words, page->report->node[node]);
        rc_html_say(words, ": %zu of %zu cores measured.", used, p->cores);
    }
    if (!words || fclose(words) != 0)
        return rc_fail(err, RC_ENOMEM, "no memory for a figure");
    snprintf(title, sizeof title, "One node: %zu of its %zu cores measured", used,
             p->cores);
    return add_figure(page, p, units, title, NARROW, err);
}

/* Where there are few nodes, each by itself, too. */
static int draw_each(struct rc_report_page *page, struct plan *p, uint64_t *units,
                     struct rc_error *err)
{
    char *caption[NODES_DRAWN_MOST] = {NULL};
    const size_t nodes = nodes_used(p);
    size_t count = 0;
    int status = RC_OK;

    if (nodes < 2 || nodes > NODES_DRAWN_MOST)
        return RC_OK;
    for (size_t i = 0; i < p->used_count && status == RC_OK; i++)
        if (i == 0 || p->used[i].node != p->used[i - 1].node)
            status = add_node(page, p, p->used[i].node, units, &caption[count++], err);
    if (status == RC_OK) {
        fputs("<div class=\"figures\">\n", page->out);
        status = rc_report_draw(page, (const char *const *)caption, NULL, NULL, err);
        fputs("</div>\n", page->out);
    }
    while (count > 0)
        free(caption[--count]);
    return status;
}

static int draw_machine(struct rc_report_page *page, struct plan *p,
                        struct rc_error *err)
{
    uint64_t *units = rc_calloc(p->cores, sizeof *units);
    int status = units ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for a figure");

    if (status == RC_OK)
        status = draw_all(page, p, units, err);
    if (status == RC_OK)
        status = draw_each(page, p, units, err);
    free(units);
    return status;
}

int rc_report_topology(struct rc_report_page *page, size_t kind, struct rc_error *err)
{
    const struct rc_report *r = page->report;
    const struct rc_store_kind *k = rc_store_kind(r->store, kind);
    struct plan p = {.depth = 0};

    parse_shape(k->shape, &p.shape);
    int status = find_used(r, kind, &p, err);
    find_cores(&p);
    if (p.cores > 0)
        find_boxes(&p);
    if (status == RC_OK) {
        fputs("<h3>The machine</h3>\n<p>Each node has ", page->out);
        write_levels(page->out, &p);
        fputs(".", page->out);
        write_doubts(page->out, &p, k->shape);
        write_use(page->out, &p);
        fputs("</p>\n", page->out);
        if (p.cores > 0)
            status = draw_machine(page, &p, err);
    }
    if (status == RC_OK)
        write_table(page->out, r, &p);
    free(p.used);
    return status;
}
