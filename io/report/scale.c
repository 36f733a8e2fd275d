/* The y axis: linear from 0, or logarithmic with a foot for what is 0. */
#include "io/report/axes.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Numbers beyond these are no measurement, and more than axes can be made of. */
static const double huge = 1e290, tiniest = 1e-290;

static const double squeezed = 300; /* times less than the most is at the foot */
static const double decades = 1e-9; /* of the most: the least that is shown */

bool rc_report_can_draw(double value)
{
    return isfinite(value) && fabs(value) < huge &&
           (value == 0 || fabs(value) > tiniest);
}

void rc_report_to_slots(const struct rc_report_points *points, const double *by_point,
                        double *by_slot)
{
    for (size_t i = 0; i < points->slots; i++)
        by_slot[i] = points->point[i] == SIZE_MAX ? NAN : by_point[points->point[i]];
}

void rc_report_scale_see(struct rc_report_scale *s, const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!rc_report_can_draw(y[i]))
            continue;
        s->least = s->any ? fmin(s->least, y[i]) : y[i];
        s->most = s->any ? fmax(s->most, y[i]) : y[i];
        if (y[i] > 0)
            s->tiny = s->tiny > 0 ? fmin(s->tiny, y[i]) : y[i];
        s->any = true;
    }
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Whether half of those above 0 would be at the foot of a linear axis. */
static int wants_log(const struct rc_report_scale *s, const double *typical,
                     size_t count, bool *out, struct rc_error *err)
{
    double *above = rc_calloc(count, sizeof *above);
    size_t n = 0;

    if (!above)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu points", count);
    for (size_t i = 0; i < count; i++)
        if (rc_report_can_draw(typical[i]) && typical[i] > 0)
            above[n++] = typical[i];
    qsort(above, n, sizeof *above, by_number);
    *out = n > 0 && above[n / 2] * squeezed < s->most && s->least >= -s->most * 1e-3;
    free(above);
    return RC_OK;
}

static void put_tic(struct rc_report_scale *s, double at, const char *format,
                    double value)
{
    s->tic[s->tic_count] = at;
    snprintf(s->text[s->tic_count], RC_TEXT_SHORT, format, value);
    s->tic_text[s->tic_count] = s->text[s->tic_count];
    s->tic_count++;
}

static void put_decade(struct rc_report_scale *s, int exponent)
{
    if (exponent > 4 || exponent < -3)
        put_tic(s, pow(10, exponent), "1e%.0f", exponent);
    else
        put_tic(s, pow(10, exponent), "%g", pow(10, exponent));
}

static void make_log(struct rc_report_scale *s)
{
    const int first = (int)floor(log10(fmax(s->tiny, s->most * decades)) + 1e-9);
    const int last = (int)ceil(log10(s->most) - 1e-9);
    const int step = (last - first) / (RC_SCALE_TICS / 2) + 1;

    s->floor = pow(10, first) * (1 - 1e-9);
    s->low = s->floor;
    s->high = pow(10, last + .3);
    if (s->least < s->floor) {
        s->low = s->floor / pow(10, .5 * step);
        if (s->least == 0 && s->tiny >= s->floor)
            put_tic(s, s->low, "0", 0);
        else
            put_tic(s, s->low, "<1e%.0f", first);
    }
    for (int i = first; i <= last && s->tic_count < RC_SCALE_TICS; i += step)
        put_decade(s, i);
}

/* 1, 2 or 5 and noughts: five steps at most. */
static void put_steps(struct rc_report_scale *s)
{
    static const double nice[] = {1, 2, 5, 10};
    const double span = s->high - s->low, unit = pow(10, floor(log10(span / 5)));
    double step = unit;

    for (int i = 0; step < span / 5 && i < 4; i++)
        step = unit * nice[i];
    for (double i = ceil(s->low / step); i * step <= s->high; i++)
        if (s->tic_count < RC_SCALE_TICS)
            put_tic(s, i * step, "%.6g", i == 0 ? 0 : i * step);
}

static void make_linear(struct rc_report_scale *s)
{
    const double low = fmin(s->least, 0), high = fmax(s->most, 0);
    const double span = high > low ? high - low : 1;

    s->low = low < 0 ? low - span * .05 : 0;
    s->high = low + span * 1.05;
    s->floor = -INFINITY;
    put_steps(s);
}

int rc_report_scale_make(struct rc_report_scale *s, const double *typical, size_t count,
                         struct rc_error *err)
{
    int status = s->any ? wants_log(s, typical, count, &s->log, err) : RC_OK;

    if (status != RC_OK)
        return status;
    if (s->log)
        make_log(s);
    else
        make_linear(s);
    return RC_OK;
}

void rc_report_scale_put(const struct rc_report_scale *s, double *y, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!rc_report_can_draw(y[i]))
            y[i] = NAN;
        else if (y[i] < s->floor)
            y[i] = s->low;
    }
}

/* Names of panels stand above all that is drawn. */
static double room_above(const struct rc_report_scale *s, double share)
{
    if (s->log)
        return s->high * pow(s->high / s->low, share);
    return s->high + (s->high - s->low) * share;
}

void rc_report_axes(struct rc_figure *figure, struct rc_report_points *points,
                    struct rc_report_scale *scale)
{
    for (size_t i = 0; i < points->panel_count; i++)
        points->panel[i].y = room_above(scale, .06);
    figure->x = (struct rc_figure_axis){.title = points->title,
                                        .low = -.75,
                                        .high = (double)points->slots - .25,
                                        .tic = points->tic,
                                        .tic_text = points->tic_text,
                                        .tic_count = points->tic_count,
                                        .upright = true};
    figure->y = (struct rc_figure_axis){
        .log = scale->log,
        .low = scale->low,
        .high = points->panel_count ? room_above(scale, .13) : scale->high,
        .tic = scale->tic,
        .tic_text = scale->log ? scale->tic_text : NULL,
        .tic_count = scale->tic_count};
    figure->label = points->panel;
    figure->label_count = points->panel_count;
}
