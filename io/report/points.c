/* Where the points of a suite stand on the x axis. */
#include "io/report/axes.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PANELS_MOST = 8,
    PANEL_LEAST = 4, /* points on the average: less are no curves */
    SIZE_LEAST = 64, /* of the largest: smaller numbers stand for words */
    SIZE_SPAN = 8,   /* from the least to the largest */
    TIC_PIXELS = 15,
    BESIDES = 70, /* pixels of a figure beside the axis */
    TEXT_PIXELS = 7,
    TEXT_MOST = 44 /* letters: figures cut what is longer */
};

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the points of a figure");
}

static int64_t parameter(const struct rc_store_suite *s, size_t point, size_t axis)
{
    return s->axis[point * s->axis_count + axis];
}

/* Whether two points are the same but for one parameter. */
static bool same_panel(const struct rc_store_suite *s, size_t axis, size_t a, size_t b)
{
    for (size_t i = 0; i < s->axis_count; i++)
        if (i != axis && parameter(s, a, i) != parameter(s, b, i))
            return false;
    return true;
}

static size_t panel_of(const struct rc_store_suite *s, size_t axis, const size_t *first,
                       size_t panels, size_t point)
{
    size_t at = 0;

    while (at < panels && !same_panel(s, axis, first[at], point))
        at++;
    return at;
}

/* The panels that a parameter makes, by their first points; 0: too many, or it is no
 * size.
 */
static size_t find_panels(const struct rc_store_suite *s, size_t axis, size_t *first)
{
    int64_t least = INT64_MAX, most = 0;
    size_t panels = 0;

    for (size_t p = 0; p < s->point_count; p++) {
        const int64_t size = parameter(s, p, axis);
        const size_t at = panel_of(s, axis, first, panels, p);
        if (at == PANELS_MOST || size <= 0)
            return 0;
        if (at == panels)
            first[panels++] = p;
        least = size < least ? size : least;
        most = size > most ? size : most;
    }
    return most >= SIZE_LEAST && most / SIZE_SPAN >= least &&
                   s->point_count >= panels * PANEL_LEAST
               ? panels
               : 0;
}

/* The parameter that is a size; axis_count: none is. */
static size_t find_size(const struct rc_store_suite *s, size_t *first, size_t *panels)
{
    size_t best = s->axis_count, other[PANELS_MOST];

    *panels = 0;
    for (size_t i = 0; i < s->axis_count; i++) {
        const size_t count = find_panels(s, i, other);
        if (count && (*panels == 0 || count < *panels)) {
            best = i;
            *panels = count;
            memcpy(first, other, sizeof other);
        }
    }
    return best;
}

/* Sorted by size behind what is there. */
static void insert(struct rc_report_points *p, const struct rc_store_suite *s,
                   size_t axis, size_t begin, size_t point)
{
    size_t at = p->slots++;

    while (at > begin &&
           parameter(s, p->point[at - 1], axis) > parameter(s, point, axis)) {
        p->point[at] = p->point[at - 1];
        at--;
    }
    p->point[at] = point;
}

/* The parameters that differ between panels are their names. */
static bool differs(const struct rc_store_suite *s, const size_t *first, size_t panels,
                    size_t axis)
{
    for (size_t i = 1; i < panels; i++)
        if (parameter(s, first[i], axis) != parameter(s, first[0], axis))
            return true;
    return false;
}

static const char *name_panel(struct rc_report_points *p,
                              const struct rc_store_suite *s, const size_t *first,
                              size_t panels, size_t axis, size_t number)
{
    char text[RC_PANEL_WORDS] = "";

    p->words[0] = '\0';
    for (size_t i = 0; i < s->axis_count; i++) {
        if (i == axis || !differs(s, first, panels, i))
            continue;
        rc_text_append(text, sizeof text, "%s%" PRId64, text[0] ? "/" : "",
                       parameter(s, first[number], i));
        rc_text_append(p->words, sizeof p->words, "%s%s", p->words[0] ? "/" : "",
                       s->axes[i]);
    }
    return rc_pool_copy(p->pool, text);
}

static int put_panels(struct rc_report_points *p, const struct rc_store_suite *s,
                      const size_t *first, size_t panels, size_t axis,
                      struct rc_error *err)
{
    p->panel = rc_calloc(panels, sizeof *p->panel);
    if (!p->panel)
        return no_memory(err);
    for (size_t i = 0; i < panels; i++) {
        if (i > 0)
            p->point[p->slots++] = SIZE_MAX;
        const size_t begin = p->slots;
        for (size_t q = 0; q < s->point_count; q++)
            if (same_panel(s, axis, first[i], q))
                insert(p, s, axis, begin, q);
        const char *name = name_panel(p, s, first, panels, axis, i);
        if (!name)
            return no_memory(err);
        p->panel[i] = (struct rc_figure_label){
            .x = (double)(begin + p->slots - 1) / 2, .text = name, .centred = true};
    }
    p->panel_count = panels > 1 ? panels : 0;
    p->title = s->axes[axis];
    return RC_OK;
}

/* "32K" of bytes, in the units that names of points have; other sizes as they are. */
static const char *size_text(struct rc_pool *pool, const char *axis, int64_t size)
{
    static const char unit[] = "KMG";
    char text[RC_TEXT_SHORT];
    int units = -1;

    while (strcmp(axis, "bytes") == 0 && units < 2 && size >= 1024 &&
           size % 1024 == 0) {
        size /= 1024;
        units++;
    }
    snprintf(text, sizeof text, "%" PRId64 "%.*s", size, units >= 0,
             unit + (units > 0 ? units : 0));
    return rc_pool_copy(pool, text);
}

static int put_tics(struct rc_report_points *p, const char *const *name,
                    const struct rc_store_suite *s, size_t axis, unsigned pixels,
                    struct rc_error *err)
{
    const size_t room =
        pixels > BESIDES + TIC_PIXELS ? (pixels - BESIDES) / TIC_PIXELS : 1;
    const size_t step = (p->slots + room - 1) / room;
    size_t since = 0, longest = 0;

    p->tic = rc_calloc(p->slots, sizeof *p->tic);
    p->tic_text = rc_calloc(p->slots, sizeof *p->tic_text);
    if (!p->tic || !p->tic_text)
        return no_memory(err);
    for (size_t i = 0; i < p->slots; i++) {
        if (p->point[i] == SIZE_MAX) {
            since = 0;
            continue;
        }
        if (since++ % step)
            continue;
        const char *text =
            s ? size_text(p->pool, s->axes[axis], parameter(s, p->point[i], axis))
              : rc_pool_copy(p->pool, name[p->point[i]]);
        if (!text)
            return no_memory(err);
        longest = strlen(text) > longest ? strlen(text) : longest;
        p->tic[p->tic_count] = (double)i;
        p->tic_text[p->tic_count++] = text;
    }
    p->tic_pixels = (unsigned)(longest < TEXT_MOST ? longest : TEXT_MOST) * TEXT_PIXELS;
    return RC_OK;
}

int rc_report_points_init(struct rc_report_points *p, const char *const *name,
                          size_t count, const struct rc_store_suite *suite,
                          unsigned pixels, struct rc_error *err)
{
    size_t first[PANELS_MOST], panels = 0, axis = 0;
    int status = RC_OK;

    *p = (struct rc_report_points){.title = "", .pool = rc_pool_create()};
    p->point = rc_calloc(count + PANELS_MOST, sizeof *p->point);
    if (!p->pool || !p->point)
        return no_memory(err);
    if (suite)
        axis = find_size(suite, first, &panels);
    if (panels)
        status = put_panels(p, suite, first, panels, axis, err);
    for (size_t i = 0; i < count && !panels; i++)
        p->point[p->slots++] = i;
    if (status == RC_OK)
        status = put_tics(p, name, panels ? suite : NULL, axis, pixels, err);
    return status;
}

void rc_report_points_fini(struct rc_report_points *p)
{
    free(p->point);
    free(p->tic);
    free((void *)p->tic_text);
    free(p->panel);
    rc_pool_close(p->pool);
    *p = (struct rc_report_points){0};
}

bool rc_report_same_points(const struct rc_store_suite *suite, const char *const *name,
                           size_t count)
{
    if (suite->point_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(suite->points[i], name[i]) != 0)
            return false;
    return true;
}
