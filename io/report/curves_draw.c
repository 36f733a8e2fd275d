/* An event's readings in a suite as a figure, in words and in numbers. */
#include "io/report/curves_parts.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 230 };

/* Half of what stands for a point without neighbours, in slots. */
static const double dash = .25;

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the curves of an event");
}

/* A figure while it is put together. */
struct drawing {
    const struct rc_curve *curve;
    const struct rc_curve_lines *lines;
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
    const size_t items = (d->lines->drawn + 1) * (2 * slots + 1);

    d->x = rc_calloc(items, 2 * sizeof *d->x);
    d->by_point = rc_calloc(points + 3 * slots, sizeof *d->by_point);
    if (!d->x || !d->by_point)
        return no_memory(err);
    d->y = d->x + items;
    d->by_slot = d->by_point + points;
    d->least = d->by_slot + slots;
    d->most = d->least + slots;
    rc_report_scale_see(&d->scale, d->lines->least, points);
    rc_report_scale_see(&d->scale, d->lines->most, points);
    if (d->lines->expected)
        rc_report_scale_see(&d->scale, d->lines->expected, points);
    return rc_report_scale_make(&d->scale, d->lines->mean, points, err);
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
    d->series[d->count++] = (struct rc_figure_series){.title = title,
                                                      .colour = colour,
                                                      .dashed = dashed,
                                                      .thin = !dashed,
                                                      .count = end - begin,
                                                      .x = d->x + begin,
                                                      .y = d->y + begin};
}

static size_t put_vector(struct drawing *d, size_t vector, size_t at)
{
    for (size_t p = 0; p < d->curve->suite->labels->point_count; p++)
        d->by_point[p] = rc_curve_value(d->curve, vector, p);
    return put_line(d, d->by_point, at);
}

/* Of those that differ from the one before them, every so many-th; a series for each
 * place, which they are sorted by.
 */
static size_t put_lines(struct drawing *d)
{
    const struct rc_store_suite *s = d->curve->suite->labels;
    const struct rc_curve_lines *l = d->lines;
    size_t at = 0, begin = 0, seen = 0, taken = 0, place = SIZE_MAX;

    for (size_t i = 0; i < l->valid; i++) {
        const size_t v = l->vector[i], its = l->apart ? v / s->repetitions : 0;
        const bool same =
            i > 0 && its == place && rc_curve_same(d->curve, l->vector[i - 1], v);
        if (its != place && place != SIZE_MAX && at > begin) {
            add_series(d, begin, at, RC_COLOUR_1 + (int)place,
                       s->place_count > 1 ? s->places[place] : NULL, false);
            begin = at;
        }
        place = its;
        if (!same && seen++ * l->drawn >= taken * l->different && taken < l->drawn) {
            at = put_vector(d, v, at);
            taken++;
        }
    }
    if (at > begin)
        add_series(d, begin, at, RC_COLOUR_1 + (int)place,
                   l->apart && s->place_count > 1 ? s->places[place] : NULL, false);
    return at;
}

static void put_band(struct drawing *d)
{
    put_slots(d, d->lines->least, d->least);
    put_slots(d, d->lines->most, d->most);
    d->series[d->count++] =
        (struct rc_figure_series){.style = RC_FIGURE_BAND,
                                  .colour = RC_COLOUR_1,
                                  .faint = true,
                                  .count = d->curve->suite->points.slots,
                                  .y = d->least,
                                  .y2 = d->most};
}

static int draw(const struct rc_curve *c, const struct rc_curve_lines *l,
                struct rc_figures *figures, struct rc_error *err)
{
    struct drawing d = {.curve = c, .lines = l};
    struct rc_report_points points = c->suite->points;
    size_t at;
    int status = drawing_init(&d, err);

    if (status == RC_OK) {
        if (l->drawn < l->different)
            put_band(&d);
        at = put_lines(&d);
        if (l->expected)
            add_series(&d, at, put_line(&d, l->expected, at), RC_COLOUR_INK, NULL,
                       true);
        struct rc_figure figure = {.title = c->event,
                                   .width = WIDTH,
                                   .height = HEIGHT + points.tic_pixels,
                                   .key_below = l->apart,
                                   .no_key = !l->apart,
                                   .series = d.series,
                                   .series_count = d.count};
        rc_report_axes(&figure, &points, &d.scale);
        status = rc_figures_add(figures, &figure, err);
    }
    drawing_fini(&d);
    return status;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void put_counts(FILE *out, const struct rc_curve *c,
                       const struct rc_curve_lines *l)
{
    const size_t places = c->suite->labels->place_count;

    rc_html_say(out, "%zu repetition%s", l->valid, plural(l->valid));
    if (places > 1)
        rc_html_say(out, " on %zu places", places);
    if (l->invalid)
        rc_html_say(out, ", and %zu that %s not valid and left out", l->invalid,
                    l->invalid == 1 ? "is" : "are");
}

static void put_caption(FILE *out, const struct rc_curve *c,
                        const struct rc_curve_lines *l)
{
    const struct rc_report_points *p = &c->suite->points;

    fputs("<figcaption>Counts per iteration: ", out);
    put_counts(out, c, l);
    fputs(l->valid > 1 && l->different == 1 ? ", all the same." : ".", out);
    if (l->drawn < l->different)
        rc_html_say(out,
                    " %zu of %zu different lines are drawn; the band reaches from the "
                    "least to the most of all.",
                    l->drawn, l->different);
    if (!l->apart)
        fputs(" The places are not told apart.", out);
    if (l->expected)
        fputs(" Dashed: what its representation says.", out);
    if (p->panel_count)
        rc_html_say(out, " By %s, in panels by %s.", p->title, p->words);
    fputs("</figcaption></figure>", out);
}

/* The next valid reading of a point from vector '*v' on; false: there is none. */
static bool next_reading(const struct rc_curve *c, size_t point, size_t *v, double *y)
{
    const struct rc_store_suite *s = c->suite->labels;

    for (; *v < s->place_count * s->repetitions; ++*v)
        if (c->status[*v] == c->suite->ok) {
            *y = rc_curve_value(c, *v, point);
            if (!isnan(*y)) {
                ++*v;
                return true;
            }
        }
    return false;
}

/* All readings of a point: "24 \xc3\x97 30, 25": where the same follows, how often. */
static void put_all(FILE *out, const struct rc_curve *c, size_t point)
{
    size_t v = 0, times = 1;
    double y, next;
    bool more = next_reading(c, point, &v, &y);

    while (more) {
        more = next_reading(c, point, &v, &next);
        if (more && next == y) {
            times++;
            continue;
        }
        fprintf(out, "%.7g", y);
        if (times > 1)
            fprintf(out, " \xc3\x97 %zu", times);
        fputs(more ? ", " : "", out);
        times = 1;
        y = next;
    }
}

static void put_number(FILE *out, double y)
{
    if (isnan(y))
        fputs("<td></td>", out);
    else
        fprintf(out, "<td class=\"r\">%.7g</td>", y);
}

static void put_table(FILE *out, const struct rc_curve *c,
                      const struct rc_curve_lines *l)
{
    static const char *const same[] = {"point", ">count", NULL};
    static const char *const all[] = {
        "point", ">mean", ">least", ">most", "-all repetitions", NULL};
    const struct rc_store_suite *s = c->suite->labels;
    const bool one = l->different == 1;

    fputs("<details><summary>Values</summary>", out);
    rc_html_table(out, "Per iteration, to seven digits; nothing: not measured",
                  one ? same : all);
    for (size_t p = 0; p < s->point_count; p++) {
        fputs("<tr>", out);
        rc_html_cell_name(out, s->points[p]);
        put_number(out, l->mean[p]);
        if (!one) {
            put_number(out, l->least[p]);
            put_number(out, l->most[p]);
            fputs("<td>", out);
            put_all(out, c, p);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
    fputs("</details>", out);
}

static void put_nothing(FILE *out, const struct rc_curve *c,
                        const struct rc_curve_lines *l)
{
    fputs("<p class=\"note\">", out);
    if (!l->valid) {
        rc_html_say(out, "No valid readings");
        rc_html_say(out, l->invalid ? ", and %zu that are not valid." : ".",
                    l->invalid);
    } else {
        fputs("0 on all points, in ", out);
        put_counts(out, c, l);
        fputs(".", out);
    }
    fputs("</p>", out);
}

int rc_curve_draw(const struct rc_curve *curve, struct rc_figures *figures,
                  struct rc_curve_section *section, struct rc_error *err)
{
    struct rc_curve_lines lines;
    size_t bytes;
    FILE *out = open_memstream(&section->text, &bytes);
    int status = rc_curve_lines_init(&lines, curve, err);

    if (status == RC_OK && !out)
        status = no_memory(err);
    section->drawn = status == RC_OK && lines.valid && !lines.zero;
    if (section->drawn) {
        put_caption(out, curve, &lines);
        put_table(out, curve, &lines);
        status = draw(curve, &lines, figures, err);
    } else if (status == RC_OK)
        put_nothing(out, curve, &lines);
    if (out && fclose(out) != 0 && status == RC_OK)
        status = no_memory(err);
    rc_curve_lines_fini(&lines);
    return status;
}
