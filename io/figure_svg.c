/* What gnuplot drew, made small: its head, its definitions and empty groups are left
 * out, colours become those of the page, marks become texts.
 */
#include "io/figure_parts.h"
#include "io/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *line, size_t length, const char *with)
{
    const size_t n = strlen(with);

    return length >= n && memcmp(line, with, n) == 0;
}

static const char *find(const char *line, size_t length, const char *word)
{
    return memmem(line, length, word, strlen(word));
}

/* "rgb(  1,   1,   4)" in the words of the page; how many bytes it is long. */
static size_t put_colour(FILE *out, const char *at, size_t left)
{
    static const char *const name[] = {"ink", "muted", "grid"};
    const char *end = memchr(at, ')', left);
    const char *comma = end ? memrchr(at, ',', (size_t)(end - at)) : NULL;
    long number = comma ? strtol(comma + 1, NULL, 10) : -1;

    if (number < 0 || number >= RC_COLOUR_COUNT)
        return 0;
    if (number < RC_COLOUR_1)
        fprintf(out, "var(--%s)", name[number]);
    else
        fprintf(out, "var(--c%ld)", number - RC_COLOUR_1 + 1);
    return (size_t)(end + 1 - at);
}

/* "zq12qzxxx" as the text that it stands for; how many bytes it is long. */
static size_t put_mark(FILE *out, const char *at, size_t left,
                       const struct rc_marked *m)
{
    char *end;
    const size_t begin = strlen(RC_MARK_BEGIN);
    size_t used, number = strtoul(at + begin, &end, 10);

    used = (size_t)(end - at);
    if (used == begin || number >= m->count || !begins(end, left - used, RC_MARK_END))
        return 0;
    used += strlen(RC_MARK_END);
    while (used < left && at[used] == 'x')
        used++;
    rc_html_put(out, m->text[number]);
    return used;
}

/* Words of gnuplot that every line of a kind has, or that mean nothing in a page. */
static size_t skip(const char *at, size_t left)
{
    static const char *const words[] = {
        " font-family=\"sans-serif\" font-size=\"12.00\" ", " class=\"gridline\" ",
        " shape-rendering='crispEdges'", "xlink:"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins(at, left, words[i]))
            return strlen(words[i]);
    return 0;
}

/* A path as gnuplot draws it goes from corner to corner by their places on the sheet;
 * here it goes on from the corner before, in tenths of a pixel.
 */
struct path {
    bool in;     /* its end is on another line */
    bool closed; /* a polygon */
    long x, y;   /* tenths */
    char letter; /* the last that was written */
};

/* "12.3", "-.5": 'more' says that a number stands in front. */
static void put_tenths(FILE *out, long tenths, bool more)
{
    const long size = labs(tenths);

    if (tenths < 0)
        fputc('-', out);
    else if (more)
        fputc(' ', out);
    if (size >= 10 || size == 0)
        fprintf(out, "%ld", size / 10);
    if (size % 10)
        fprintf(out, ".%ld", size % 10);
}

/* "37.75,264.00" at 'at'; how many bytes it is long. */
static size_t put_corner(FILE *out, const char *at, bool move, struct path *path)
{
    char *end;
    const long x = lround(strtod(at, &end) * 10);
    const long y = *end == ',' ? lround(strtod(end + 1, &end) * 10) : 0;

    if (move) {
        fputc('M', out);
        put_tenths(out, x, false);
        put_tenths(out, y, true);
        path->letter = 'M';
    } else if (x != path->x || y != path->y) {
        if (path->letter != 'l')
            fputc('l', out);
        put_tenths(out, x - path->x, path->letter == 'l');
        put_tenths(out, y - path->y, true);
        path->letter = 'l';
    }
    path->x = x;
    path->y = y;
    return end > at ? (size_t)(end - at) : 1;
}

/* Up to the path's end, or the line's: "M1,2 L3,4 Z" of a path, "1,2 3,4" of a polygon.
 */
static size_t put_path(FILE *out, const char *at, size_t left, struct path *path)
{
    size_t i = 0;

    while (i < left && at[i] != '\'') {
        if (strchr("0123456789-.", at[i])) {
            const bool move = path->letter == '\0' || (i > 0 && at[i - 1] == 'M');
            i += put_corner(out, at + i, move, path);
            continue;
        }
        if (at[i] == 'Z') {
            fputc('z', out);
            path->letter = 'z';
        }
        i++;
    }
    path->in = i >= left;
    if (!path->in && path->closed)
        fputc('z', out);
    return i;
}

/* "translate(46.14,193.66" in tenths; how many bytes it is long. */
static size_t put_place(FILE *out, const char *at)
{
    static const char word[] = "translate(";
    char *end;
    const long x = lround(strtod(at + strlen(word), &end) * 10);
    const long y = *end == ',' ? lround(strtod(end + 1, &end) * 10) : 0;

    fputs(word, out);
    put_tenths(out, x, false);
    fputc(',', out);
    put_tenths(out, y, false);
    return (size_t)(end - at);
}

/* A path of one corner, which a tic of no length is; how many bytes it is long. */
static size_t skip_corner(const char *at, size_t left)
{
    static const char last[] = "'/>";
    const char *end = find(at, left, last);

    if (!end || memchr(at, 'L', (size_t)(end - at)))
        return 0;
    return (size_t)(end - at) + strlen(last);
}

/* Where a path's corners begin, or those of a polygon, which becomes a path. */
static size_t begin_path(FILE *out, const char *at, size_t left, struct path *path)
{
    static const char *const words[] = {"d='", "points = '"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins(at, left, words[i])) {
            const size_t used = strlen(words[i]);
            *path = (struct path){.closed = i == 1};
            fputs("d='", out);
            return used + put_path(out, at + used, left - used, path);
        }
    if (!begins(at, left, "<polygon "))
        return 0;
    fputs("<path ", out);
    return strlen("<polygon ");
}

static void put_line(FILE *out, const char *line, size_t length,
                     const struct rc_marked *m, struct path *path)
{
    size_t i = path->in ? put_path(out, line, length, path) : 0;

    while (i < length) {
        const char *at = line + i;
        const size_t left = length - i;
        size_t used = skip(at, left);
        if (!used && begins(at, left, "<path stroke="))
            used = skip_corner(at, left);
        if (!used && begins(at, left, "translate("))
            used = put_place(out, at);
        if (!used && begins(at, left, "rgb("))
            used = put_colour(out, at, left);
        if (!used && begins(at, left, RC_MARK_BEGIN))
            used = put_mark(out, at, left, m);
        if (!used)
            used = begin_path(out, at, left, path);
        if (!used) {
            fputc(*at, out);
            used = 1;
        }
        i += used;
    }
    if (!path->in)
        fputc('\n', out);
}

/* A group of gnuplot's own: its width of lines is all that matters. */
static void put_group(FILE *out, const char *line, size_t length)
{
    static const char word[] = "stroke-width=\"";
    const char *width = find(line, length, word);

    if (width)
        fprintf(out, "<g stroke-width=\"%.2g\">\n", strtod(width + strlen(word), NULL));
    else
        fputs("<g>\n", out);
}

/* The group of a series: its title is what a pointer over it shows. */
static void put_series(FILE *out, const char *line, size_t length,
                       const struct rc_marked *m)
{
    const char *title = find(line, length, "<title>" RC_MARK_BEGIN);

    fputs("<g>", out);
    if (title)
        put_line(out, title, (size_t)(line + length - title), m, &(struct path){0});
}

struct held {
    const char *line;
    size_t length;
};

static void put_held(FILE *out, struct held *held)
{
    if (held->line)
        put_group(out, held->line, held->length);
    held->line = NULL;
}

static void put_body(FILE *out, const char *at, const char *end,
                     const struct rc_marked *m)
{
    struct held held = {NULL, 0};
    struct path path = {0};

    while (at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        while (*at == '\t' || *at == ' ')
            at++;
        const size_t length = (size_t)((next ? next : end) - at);
        if (held.line && begins(at, length, "</g>"))
            held.line = NULL;
        else if (length > 0) {
            put_held(out, &held);
            if (begins(at, length, "<g fill=\"none\" color="))
                held = (struct held){at, length};
            else if (begins(at, length, "<g id=\"gnuplot_plot"))
                put_series(out, at, length, m);
            else
                put_line(out, at, length, m, &path);
        }
        at = next ? next + 1 : end;
    }
}

void rc_figure_svg(FILE *out, const char *svg, size_t bytes, const struct rc_marked *m)
{
    const char *body = find(svg, bytes, "</defs>");

    /* Smaller than so, nobody could read it: a narrow page scrolls it instead. */
    fprintf(out,
            "<svg viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" "
            "style=\"min-width:%upx\" role=\"img\"><title>",
            m->width, m->height, m->width, m->height, m->width * 3 / 4);
    rc_html_put(out, m->title);
    fputs("</title>\n<g>\n", out); /* gnuplot's outermost group began before the body */
    if (body)
        put_body(out, body + strlen("</defs>"), svg + bytes, m);
}
