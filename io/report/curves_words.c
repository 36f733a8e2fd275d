/* An event's readings in a suite in words and numbers. */
#include "io/report/curves_parts.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 5, DIGITS_SAME = 9 }; /* as the table's caption says */

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the curves of an event");
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void put_counts(FILE *out, const struct rc_curve *c,
                       const struct rc_curve_readings *r)
{
    const size_t places = c->suite->labels->place_count;

    rc_html_say(out, "%zu repetition%s", r->valid, plural(r->valid));
    if (places > 1)
        rc_html_say(out, " on %zu places", places);
    if (r->invalid)
        rc_html_say(out, ", and %zu that %s not valid and left out", r->invalid,
                    r->invalid == 1 ? "is" : "are");
}

static void put_caption(FILE *out, const struct rc_curve *c,
                        const struct rc_curve_readings *r,
                        const struct rc_curve_drawn *d)
{
    const struct rc_report_points *p = &c->suite->points;

    fputs("<figcaption>Counts per iteration: ", out);
    put_counts(out, c, r);
    fputs(r->valid > 1 && r->same ? ", all the same." : ".", out);
    if (d->lines < d->different)
        rc_html_say(out,
                    " %zu of the %zu lines that can be told apart are drawn; the band "
                    "reaches from the least to the most of all.",
                    d->lines, d->different);
    if (!d->apart)
        fputs(" The places are not told apart.", out);
    if (r->expected)
        rc_html_say(out,
                    " Dashed: what its representation says, which leaves a residual of "
                    "%.2g.",
                    c->residual);
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

/* The next readings of a point that are the same, and how many; 0: that was all. */
static size_t next_run(const struct rc_curve *c, size_t point, size_t *v, double *y)
{
    size_t times, at;
    double next;

    if (!next_reading(c, point, v, y))
        return 0;
    at = *v;
    for (times = 1; next_reading(c, point, &at, &next) && next == *y; times++)
        *v = at;
    return times;
}

static size_t count_runs(const struct rc_curve *c)
{
    size_t runs = 0;
    double y;

    for (size_t p = 0; p < c->suite->labels->point_count; p++)
        for (size_t v = 0; next_run(c, p, &v, &y);)
            runs++;
    return runs;
}

/* All readings of a point: "24 \xc3\x97 30, 25". */
static void put_runs(FILE *out, const struct rc_curve *c, size_t point)
{
    const char *before = "";
    size_t v = 0, times;
    double y;

    while ((times = next_run(c, point, &v, &y))) {
        fprintf(out, times > 1 ? "%s%.*g \xc3\x97 %zu" : "%s%.*g", before, DIGITS, y,
                times);
        before = ", ";
    }
}

static void put_number(FILE *out, double y, int digits)
{
    if (isnan(y))
        fputs("<td></td>", out);
    else
        fprintf(out, "<td class=\"r\">%.*g</td>", digits, y);
}

static void put_row(FILE *out, const struct rc_curve *c,
                    const struct rc_curve_readings *r, size_t point, bool runs)
{
    fputs("<tr>", out);
    rc_html_cell_name(out, c->suite->labels->points[point]);
    put_number(out, r->mean[point], r->same ? DIGITS_SAME : DIGITS);
    if (!r->same) {
        put_number(out, r->least[point], DIGITS);
        put_number(out, r->most[point], DIGITS);
    }
    if (runs) {
        fputs("<td class=\"all\">", out);
        put_runs(out, c, point);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

/* How many numbers stand in the table for single readings. */
static size_t put_table(FILE *out, const struct rc_curve *c,
                        const struct rc_curve_readings *r)
{
    static const char *const same[] = {"point", ">count", NULL};
    static const char *const some[] = {"point", ">mean", ">least", ">most", NULL};
    static const char *const all[] = {
        "point", ">mean", ">least", ">most", "-all repetitions", NULL};
    const size_t runs = r->same ? 0 : count_runs(c);
    const bool fits = runs <= c->room;

    fputs("<details><summary>Values</summary>", out);
    if (!fits)
        rc_html_say(
            out,
            "The %zu single readings are too many for this page, which has room "
            "for all of fewer events (--curves); campaign.h5 has them.",
            runs);
    rc_html_table(out,
                  r->same ? "Per iteration, to nine digits; nothing: not measured"
                          : "Per iteration, to five digits; nothing: not measured",
                  r->same ? same
                  : fits  ? all
                          : some);
    for (size_t p = 0; p < c->suite->labels->point_count; p++)
        put_row(out, c, r, p, !r->same && fits);
    rc_html_table_end(out);
    fputs("</details>", out);
    return fits ? runs : 0;
}

static void put_nothing(FILE *out, const struct rc_curve *c,
                        const struct rc_curve_readings *r)
{
    fputs("<p class=\"note\">", out);
    if (!r->valid) {
        rc_html_say(out, "No valid readings");
        rc_html_say(out, r->invalid ? ", and %zu that are not valid." : ".",
                    r->invalid);
    } else {
        fputs("0 on all points, in ", out);
        put_counts(out, c, r);
        fputs(".", out);
    }
    fputs("</p>", out);
}

static int put_section(FILE *out, const struct rc_curve *c,
                       const struct rc_curve_readings *r, struct rc_figures *figures,
                       struct rc_curve_section *section, struct rc_error *err)
{
    struct rc_curve_drawn drawn;
    int status;

    section->drawn = r->valid && !r->zero;
    if (!section->drawn) {
        put_nothing(out, c, r);
        return RC_OK;
    }
    status = rc_curve_draw(c, r, figures, &drawn, err);
    if (status == RC_OK) {
        put_caption(out, c, r, &drawn);
        section->used =
            put_table(out, c, r) + drawn.lines * c->suite->labels->point_count;
    }
    return status;
}

int rc_curve_section(const struct rc_curve *curve, struct rc_figures *figures,
                     struct rc_curve_section *section, struct rc_error *err)
{
    struct rc_curve_readings readings;
    size_t bytes;
    FILE *out = open_memstream(&section->text, &bytes);
    int status = rc_curve_read(curve, &readings, err);

    if (status == RC_OK && !out)
        status = no_memory(err);
    if (status == RC_OK)
        status = put_section(out, curve, &readings, figures, section, err);
    if (out && fclose(out) != 0 && status == RC_OK)
        status = no_memory(err);
    rc_curve_readings_fini(&readings);
    return status;
}
