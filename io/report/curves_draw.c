/* An event's readings in a suite as a figure. */
#include "io/report/curves_parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 230, FEW = 4 };

/* Half of what stands for a point without neighbours, in slots. */
static const double dash = .25;

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the curves of an event");
}

/* A figure while it is put together. */
struct drawing {
    const struct rc_curve *curve;
    const struct rc_curve_readings *readings;
    struct rc_curve_drawn *drawn;
    struct rc_report_scale scale;
    double *x, *y;              /* of all lines, one behind the other */
    double *by_point, *by_slot; /* room for one */
    double *least, *most;       /* by slot */
    struct rc_figure_series series[RC_CURVE_PLACES + 2];
    size_t count;
};

static void drawing_fini(struct drawing *d)
{
    free(d->x);
    free(d->by_point);
}

static int drawing_init(struct drawing *d, struct rc_error *err)
{
    const size_t slots = d->curve->suite->points.slots;
    const size_t points = d->curve->suite->labels->point_count;
    const struct rc_curve_readings *r = d->readings;

    d->by_point = rc_calloc(points + 3 * slots, sizeof *d->by_point);
    if (!d->by_point)
        return no_memory(err);
    d->by_slot = d->by_point + points;
    d->least = d->by_slot + slots;
    d->most = d->least + slots;
    rc_report_scale_see(&d->scale, r->least, points);
    rc_report_scale_see(&d->scale, r->most, points);
    if (r->expected)
        rc_report_scale_see(&d->scale, r->expected, points);
    return rc_report_scale_make(&d->scale, r->mean, points, err);
}

/* For all lines, and what is expected. */
static int make_room(struct drawing *d, struct rc_error *err)
{
    const size_t each = 2 * d->curve->suite->points.slots + 1;
    const size_t items = (d->drawn->lines + 1) * each;

    d->x = rc_calloc(items, 2 * sizeof *d->x);
    if (!d->x)
        return no_memory(err);
    d->y = d->x + items;
    return RC_OK;
}

static void put_slots(struct drawing *d, const double *by_point, double *by_slot)
{
    const struct rc_report_points *p = &d->curve->suite->points;

    rc_report_to_slots(p, by_point, by_slot);
    rc_report_scale_put(&d->scale, by_slot, p->slots);
}

/* One line behind the others, and a gap; where they go on. */
static size_t put_line(struct drawing *d, const double *by_point, size_t at)
{
    const size_t slots = d->curve->suite->points.slots;
    const double *y = d->by_slot;

    put_slots(d, by_point, d->by_slot);
    for (size_t i = 0; i < slots; i++) {
        const bool alone = (i == 0 || isnan(y[i - 1])) &&
                           (i + 1 == slots || isnan(y[i + 1])) && !isnan(y[i]);
        d->x[at] = (double)i - (alone ? dash : 0);
        d->y[at++] = y[i];
        if (!alone)
            continue;
        d->x[at] = (double)i + dash;
        d->y[at++] = y[i];
    }
    d->x[at] = 0;
    d->y[at] = NAN;
    return at + 1;
}

static void add_series(struct drawing *d, size_t begin, size_t end, int colour,
                       const char *title, bool dashed)
{
    const bool few =
        d->drawn->lines <= FEW; /* are broad, so that a dashed line shows */

    d->series[d->count++] = (struct rc_figure_series){.title = title,
                                                      .colour = colour,
                                                      .dashed = dashed,
                                                      .thin = !dashed && !few,
                                                      .count = end - begin,
                                                      .x = d->x + begin,
                                                      .y = d->y + begin};
}

/* A line as it is seen: what differs by less than that share of the axis is the same.
 */
static const double seen_share = 1. / 500;

/* A valid vector, and what its line looks like. */
struct seen {
    uint64_t hash;
    size_t index; /* in the readings */
};

static int by_hash(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

static size_t place_of(const struct drawing *d, size_t index)
{
    return d->drawn->apart
               ? d->readings->vector[index] / d->curve->suite->labels->repetitions
               : 0;
}

static void get_vector(struct drawing *d, size_t index)
{
    for (size_t p = 0; p < d->curve->suite->labels->point_count; p++)
        d->by_point[p] = rc_curve_value(d->curve, d->readings->vector[index], p);
}

/* How high a number stands on the axis. */
static int64_t seen_at(const struct rc_report_scale *s, double y)
{
    const double share = s->log ? log(y / s->low) / log(s->high / s->low)
                                : (y - s->low) / (s->high - s->low);

    return isnan(share) ? INT64_MIN : (int64_t)(share / seen_share);
}

static uint64_t look(struct drawing *d, size_t index)
{
    const size_t place = place_of(d, index), slots = d->curve->suite->points.slots;
    uint64_t hash = rc_text_hash_more(rc_text_hash(""), &place, sizeof place);

    get_vector(d, index);
    put_slots(d, d->by_point, d->by_slot);
    for (size_t i = 0; i < slots; i++) {
        const int64_t at = seen_at(&d->scale, d->by_slot[i]);
        hash = rc_text_hash_more(hash, &at, sizeof at);
    }
    return hash;
}

/* Those that can be told apart, in their order. */
static size_t look_at_all(struct drawing *d, struct seen *seen)
{
    size_t kept = 0;

    for (size_t i = 0; i < d->readings->valid; i++)
        seen[i] = (struct seen){look(d, i), i};
    qsort(seen, d->readings->valid, sizeof *seen, by_hash);
    for (size_t i = 0; i < d->readings->valid; i++)
        if (kept == 0 || seen[kept - 1].hash != seen[i].hash)
            seen[kept++] = seen[i];
    qsort(seen, kept, sizeof *seen, by_index);
    return kept;
}

static void end_place(struct drawing *d, size_t begin, size_t end, size_t place)
{
    const struct rc_store_suite *s = d->curve->suite->labels;

    if (end > begin)
        add_series(d, begin, end, RC_COLOUR_1 + (int)place,
                   d->drawn->apart && s->place_count > 1 ? s->places[place] : NULL,
                   false);
}

/* Every so many-th of those that can be told apart; a series for each place. */
static size_t put_lines(struct drawing *d, const struct seen *seen)
{
    const struct rc_curve_drawn *n = d->drawn;
    size_t at = 0, begin = 0, place = 0;

    for (size_t i = 0; i < n->lines; i++) {
        const size_t index = seen[i * n->different / n->lines].index;
        if (place_of(d, index) != place) {
            end_place(d, begin, at, place);
            begin = at;
            place = place_of(d, index);
        }
        get_vector(d, index);
        at = put_line(d, d->by_point, at);
    }
    end_place(d, begin, at, place);
    return at;
}

static void put_band(struct drawing *d)
{
    put_slots(d, d->readings->least, d->least);
    put_slots(d, d->readings->most, d->most);
    d->series[d->count++] =
        (struct rc_figure_series){.style = RC_FIGURE_BAND,
                                  .colour = RC_COLOUR_1,
                                  .faint = true,
                                  .count = d->curve->suite->points.slots,
                                  .y = d->least,
                                  .y2 = d->most};
}

static int put_all(struct drawing *d, struct rc_error *err)
{
    struct seen *seen = rc_calloc(d->readings->valid, sizeof *seen);
    struct rc_curve_drawn *n = d->drawn;
    size_t most = d->curve->room / d->curve->suite->points.slots, at;
    int status = seen ? RC_OK : no_memory(err);

    if (status == RC_OK) {
        most = most > RC_CURVE_LINES ? RC_CURVE_LINES : most;
        most = most < RC_CURVE_LINES_LEAST ? RC_CURVE_LINES_LEAST : most;
        n->different = look_at_all(d, seen);
        n->lines = n->different < most ? n->different : most;
        status = make_room(d, err);
    }
    if (status == RC_OK) {
        if (n->lines < n->different)
            put_band(d);
        at = put_lines(d, seen);
        if (d->readings->expected)
            add_series(d, at, put_line(d, d->readings->expected, at), RC_COLOUR_INK,
                       NULL, true);
    }
    free(seen);
    return status;
}

int rc_curve_draw(const struct rc_curve *curve,
                  const struct rc_curve_readings *readings, struct rc_figures *figures,
                  struct rc_curve_drawn *drawn, struct rc_error *err)
{
    struct drawing d = {.curve = curve, .readings = readings, .drawn = drawn};
    struct rc_report_points points = curve->suite->points; /* whose labels move */
    int status = drawing_init(&d, err);

    *drawn = (struct rc_curve_drawn){.apart = curve->suite->labels->place_count <=
                                              RC_CURVE_PLACES};
    if (status == RC_OK)
        status = put_all(&d, err);
    if (status == RC_OK) {
        const bool key = drawn->apart && curve->suite->labels->place_count > 1;
        struct rc_figure figure = {.title = curve->event,
                                   .width = WIDTH,
                                   .height = HEIGHT + points.tic_pixels,
                                   .key_below = key,
                                   .no_key = !key,
                                   .series = d.series,
                                   .series_count = d.count};
        rc_report_axes(&figure, &points, &d.scale);
        status = rc_figures_add(figures, &figure, err);
    }
    drawing_fini(&d);
    return status;
}
