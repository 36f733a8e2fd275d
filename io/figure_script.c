/* The commands that gnuplot gets.  No text of the figure is among them. */
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/figure_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 300, TEXT_MOST = 44 };

void rc_marked_fini(struct rc_marked *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->text[i]);
    free(m->text);
    free(m->title);
    *m = (struct rc_marked){0};
}

/* As many characters as have room; the last one says that there were more. */
static char *cut(const char *text)
{
    size_t bytes = 0, before = 0, count = 0;

    for (; text[bytes] && count < TEXT_MOST; count++) {
        const size_t length = rc_text_utf8(text + bytes);
        before = bytes;
        bytes += length ? length : 1;
    }
    if (!text[bytes])
        return strdup(text);
    char *out = malloc(before + sizeof "\xe2\x80\xa6");
    if (out) {
        memcpy(out, text, before);
        memcpy(out + before, "\xe2\x80\xa6", sizeof "\xe2\x80\xa6");
    }
    return out;
}

static size_t characters(const char *text)
{
    size_t count = 0;

    for (; *text; count++) {
        const size_t length = rc_text_utf8(text);
        text += length ? length : 1;
    }
    return count;
}

/* The mark of a text, within double quotes. */
static int put_text(FILE *script, const char *text, struct rc_marked *m,
                    struct rc_error *err)
{
    if (rc_grow(&m->text, sizeof *m->text, m->count, &m->room))
        return rc_fail(err, RC_ENOMEM, "no memory for a figure");
    m->text[m->count] = cut(text);
    if (!m->text[m->count])
        return rc_fail(err, RC_ENOMEM, "no memory for a figure");
    const int length =
        fprintf(script, "\"" RC_MARK_BEGIN "%zu" RC_MARK_END, m->count) - 1;
    for (size_t i = (size_t)length; i < characters(m->text[m->count]); i++)
        fputc('x', script);
    fputc('"', script);
    m->count++;
    return RC_OK;
}

static void put_number(FILE *script, double value)
{
    if (isfinite(value))
        fprintf(script, " %.7g", value);
    else
        fputs(" nan", script);
}

static void put_data(FILE *script, const struct rc_figure_series *s, size_t number)
{
    const double *const column[] = {s->x, s->y, s->x2, s->y2};

    fprintf(script, "$d%zu << END\n", number);
    for (size_t i = 0; i < s->count; i++) {
        for (size_t c = 0; c < sizeof column / sizeof *column; c++)
            put_number(script, column[c] ? column[c][i] : (double)i);
        fputc('\n', script);
    }
    fputs("END\n", script);
}

static double opacity_of(const struct rc_figure_series *s)
{
    if (s->opacity > 0)
        return s->opacity;
    return s->faint ? .25 : 1;
}

/* What stands between the data and the title. */
static void put_style(FILE *script, const struct rc_figure_series *s)
{
    static const char *const style[] = {
        [RC_FIGURE_LINE] = "1:2 w lines",
        [RC_FIGURE_POINTS] = "1:2 w points pt 7",
        [RC_FIGURE_LINE_POINTS] = "1:2 w linespoints pt 7",
        [RC_FIGURE_STEPS] = "1:2 w fsteps",
        [RC_FIGURE_BAND] = "1:2:4 w filledcurves",
        [RC_FIGURE_BOX] = "(($1+$3)/2):(($2+$4)/2):1:3:2:4 w boxxyerror"};
    const bool point =
        s->style == RC_FIGURE_POINTS || s->style == RC_FIGURE_LINE_POINTS;
    const bool filled = s->style == RC_FIGURE_BAND || s->style == RC_FIGURE_BOX;

    fprintf(script, "%s lc rgb \"#0101%02x\"", style[s->style], (unsigned)s->colour);
    if (point)
        fprintf(script, " ps %.2f", s->size > 0 ? s->size : 0.4);
    if (filled && s->outlined)
        fprintf(script, " lw .7 fs transparent solid %.2f border lc rgb \"#0101%02x\"",
                opacity_of(s), (unsigned)s->colour);
    else if (filled)
        fprintf(script, " fs transparent solid %.2f noborder", opacity_of(s));
    else
        fprintf(script, " lw %s%s", s->thin ? ".6" : "1.5", s->dashed ? " dt 2" : "");
}

static int put_axis(FILE *script, char name, const struct rc_figure_axis *axis,
                    struct rc_marked *m, struct rc_error *err)
{
    int status = RC_OK;

    if (axis->log)
        fprintf(script, "set logscale %c\n", name);
    if (axis->low < axis->high)
        fprintf(script, "set %crange [%.7g:%.7g]\n", name, axis->low, axis->high);
    if (axis->title && axis->title[0]) {
        fprintf(script, "set %clabel ", name);
        status = put_text(script, axis->title, m, err);
        fputs(" textcolor rgb \"#010100\"\n", script);
    }
    if (axis->hidden)
        fprintf(script, "unset %ctics\n", name);
    if (!axis->tic || axis->hidden || status != RC_OK)
        return status;
    fprintf(script, "set %ctics %s (", name, axis->upright ? "rotate by 90 right" : "");
    for (size_t i = 0; i < axis->tic_count && status == RC_OK; i++) {
        fputs(i ? ", " : "", script);
        if (axis->tic_text)
            status = put_text(script, axis->tic_text[i], m, err);
        put_number(script, axis->tic[i]);
    }
    fputs(")\n", script);
    return status;
}

static int put_labels(FILE *script, const struct rc_figure *f, struct rc_marked *m,
                      struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < f->label_count && status == RC_OK; i++) {
        fprintf(script, "set label %zu ", i + 1);
        status = put_text(script, f->label[i].text, m, err);
        fprintf(script, " at %.7g,%.7g %s front textcolor rgb \"#010100\"\n",
                f->label[i].x, f->label[i].y, f->label[i].centred ? "center" : "left");
    }
    return status;
}

static bool can_stand(double value, const struct rc_figure_axis *axis)
{
    return isfinite(value) && (!axis->log || value > 0);
}

/* Whether there is a point to draw: gnuplot refuses figures without any. */
static bool has_points(const struct rc_figure_series *s, const struct rc_figure *f)
{
    for (size_t i = 0; i < s->count; i++)
        if (can_stand(s->x ? s->x[i] : (double)i, &f->x) && can_stand(s->y[i], &f->y))
            return true;
    return false;
}

static int put_series(FILE *script, const struct rc_figure_series *s, size_t number,
                      struct rc_marked *m, struct rc_error *err)
{
    fprintf(script, ", $d%zu u ", number);
    put_style(script, s);
    if (s->title && s->title[0]) {
        fputs(" t ", script);
        return put_text(script, s->title, m, err);
    }
    fputs(" notitle", script);
    return RC_OK;
}

static int put_plot(FILE *script, const struct rc_figure *f, struct rc_marked *m,
                    struct rc_error *err)
{
    bool any = false;
    int status = RC_OK;

    for (size_t i = 0; i < f->series_count; i++)
        if (has_points(&f->series[i], f)) {
            put_data(script, &f->series[i], i);
            any = true;
        }
    if (!any)
        fputs("unset logscale\nset xrange [0:1]\nset yrange [0:1]\n", script);
    fputs("plot NaN notitle", script);
    for (size_t i = 0; i < f->series_count && status == RC_OK; i++)
        if (has_points(&f->series[i], f))
            status = put_series(script, &f->series[i], i, m, err);
    fputc('\n', script);
    return status;
}

int rc_figure_script(FILE *script, const struct rc_figure *f, struct rc_marked *m,
                     struct rc_error *err)
{
    int status;

    *m = (struct rc_marked){.title = strdup(f->title ? f->title : ""),
                            .width = f->width ? f->width : WIDTH,
                            .height = f->height ? f->height : HEIGHT};
    if (!m->title)
        return rc_fail(err, RC_ENOMEM, "no memory for a figure");
    fprintf(script,
            "reset\nset terminal svg size %u,%u noenhanced font \"sans-serif,12\"\n"
            "set border 3 lw .7 lc rgb \"#010101\"\n"
            "set tics textcolor rgb \"#010100\" nomirror scale .5\n"
            "set grid lc rgb \"#010102\" lt 1 lw .5\n"
            "set key %s textcolor rgb \"#010100\" samplen 2\n%s",
            m->width, m->height,
            f->key_below ? "below left Left reverse horizontal maxrows 4 height 1"
                         : "outside right top Left reverse",
            f->no_key ? "unset key\n" : "");
    if (f->x.upright) /* many names: lines from each would be all that is seen */
        fputs("set grid noxtics\nset ytics scale 0\n", script);
    if (f->bare)
        fputs("unset border\nunset tics\nunset grid\nset margins 0,0,0,0\n", script);
    status = put_axis(script, 'x', &f->x, m, err);
    if (status == RC_OK)
        status = put_axis(script, 'y', &f->y, m, err);
    if (status == RC_OK)
        status = put_labels(script, f, m, err);
    return status == RC_OK ? put_plot(script, f, m, err) : status;
}
