/* The rates of a suite in the report for a terminal: for each kernel a figure of
 * characters, over the size of data, and the plateaus of its curves in words.
 */
#include "io/report/parts.h"
#include "io/report/rates.h"
#include "io/report/text_parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 12, LEFT = 8 /* columns of the y axis */, LOGARITHMIC = 8 };

/* A figure: rows of characters, and the axes, of which sizes are logarithmic. */
struct plot {
    char *cell; /* [row][column], each row a text */
    size_t wide;
    double least, most; /* bytes */
    double low, high;   /* of the rate; 0 and more: linear from 0 */
};

static size_t column_of(const struct plot *p, double bytes)
{
    return (size_t)lround(log2(bytes / p->least) / log2(p->most / p->least) *
                          (double)(p->wide - 1));
}

static size_t row_of(const struct plot *p, double rate)
{
    const double part =
        p->low > 0 ? log(rate / p->low) / log(p->high / p->low) : rate / p->high;

    return ROWS - 1 - (size_t)lround(fmin(fmax(part, 0), 1) * (ROWS - 1));
}

static double rate_at(const struct plot *p, size_t row)
{
    const double part = (double)(ROWS - 1 - row) / (ROWS - 1);

    return p->low > 0 ? p->low * pow(p->high / p->low, part) : p->high * part;
}

static void put_mark(struct plot *p, double bytes, double rate, char mark)
{
    char *at = &p->cell[row_of(p, rate) * (p->wide + 1) + column_of(p, bytes)];

    if (mark == '.' && *at != ' ' && *at != ':')
        return;
    *at =
        isalpha((unsigned char)*at) || *at == '*' ? '*' : mark; /* where curves meet */
}

/* Sizes and rates from the least to the most.  False: there is no curve to draw. */
static bool find_range(struct plot *p, const struct rc_rate_curve *c, size_t count)
{
    p->least = p->low = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < c[i].count; k++) {
            const struct rc_rate_at *at = &c[i].at[k];
            p->least = fmin(p->least, (double)at->bytes);
            p->most = fmax(p->most, (double)at->bytes);
            p->low = fmin(p->low, fmin(at->best, at->low));
            p->high = fmax(p->high, fmax(at->best, at->high));
        }
    if (p->high < LOGARITHMIC * p->low)
        p->low = 0;
    return p->least > 0 && p->most > p->least && p->high > 0 && p->low >= 0;
}

/* Lines at the sizes of caches, with words in 'top', a line above; then the curves. */
static void fill(struct plot *p, char *top, const struct rc_rate_curve *c, size_t count)
{
    char size[RC_TEXT_SHORT], word[32];

    for (size_t i = 0; i < count; i++)
        for (size_t l = 0; l < c[i].levels; l++) {
            const struct rc_rate_level *level = &c[i].level[l];
            if ((double)level->bytes < p->least || (double)level->bytes > p->most)
                continue;
            const size_t column = column_of(p, (double)level->bytes);
            for (size_t row = 0; row < ROWS; row++)
                p->cell[row * (p->wide + 1) + column] = ':';
            snprintf(word, sizeof word, "%s %s", level->name,
                     rc_rate_size(size, level->bytes));
            const size_t from = column > strlen(word) ? column - strlen(word) : 0;
            if (strspn(top + from, " ") > strlen(word))
                for (size_t k = 0; word[k]; k++)
                    top[from + k] = word[k];
        }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < c[i].count; k++) {
            const struct rc_rate_at *at = &c[i].at[k];
            if (!isnan(at->low) && at->low >= p->low) {
                put_mark(p, (double)at->bytes, at->low, '.');
                put_mark(p, (double)at->bytes, at->high, '.');
            }
            put_mark(p, (double)at->bytes, at->best, (char)('a' + i % 26));
        }
}

/* Cuts the blanks at the end of a row. */
static void cut(char *row, size_t wide)
{
    while (wide > 0 && row[wide - 1] == ' ')
        wide--;
    row[wide] = 0;
}

/* Draws the curves of a kernel.  Without memory the words below have to do. */
static void draw(struct rc_page *page, const struct rc_rate_curve *c, size_t count)
{
    struct plot p = {.wide = page->width - LEFT - 2};
    char size[2][RC_TEXT_SHORT];

    if (!find_range(&p, c, count) || !(p.cell = rc_calloc(ROWS + 1, p.wide + 1)))
        return;
    char *top = p.cell + ROWS * (p.wide + 1);
    for (size_t row = 0; row <= ROWS; row++)
        memset(p.cell + row * (p.wide + 1), ' ', p.wide);
    fill(&p, top, c, count);
    cut(top, p.wide);
    fprintf(page->out, "%*s%s\n", top[0] ? LEFT + 1 : 0, "", top);
    for (size_t row = 0; row < ROWS; row++) {
        char number[RC_TEXT_SHORT];
        char *line = p.cell + row * (p.wide + 1);
        cut(line, p.wide);
        if (row % 3 == 0 || row == ROWS - 1)
            fprintf(page->out, "%*s |%s\n", LEFT - 1,
                    rc_rate_number(number, 3, rate_at(&p, row)), line);
        else
            fprintf(page->out, "%*s |%s\n", LEFT - 1, "", line);
    }
    memset(p.cell, '-', p.wide);
    p.cell[p.wide] = 0;
    rc_rate_size(size[0], (int64_t)p.least);
    rc_rate_size(size[1], (int64_t)p.most);
    fprintf(page->out, "%*s +%s\n%*s%s%*s\n", LEFT - 1, "", p.cell, LEFT + 1, "",
            size[0], (int)(p.wide - strlen(size[0])), size[1]);
    free(p.cell);
}

static void show_kernel(struct rc_page *page, const struct rc_rate_result *r,
                        const struct rc_rate_curve *c, size_t count)
{
    char words[RC_RATE_LINE], slow[RC_RATE_LINE];

    rc_page_begin(page, 2);
    rc_page_styled(page, RC_STYLE_BOLD, "%s", c->kernel);
    rc_page_end(page);
    draw(page, c, count);
    for (size_t i = 0; i < count; i++) {
        rc_page_line(page, 4, "%c  %s:", (char)('a' + i % 26),
                     rc_rate_curve_words(words, &c[i]));
        rc_rate_slowest(slow, r, &c[i]);
        rc_page_words(page, "%s%s%s", rc_rate_words(words, &c[i], r->unit),
                      slow[0] ? "; " : "", slow);
    }
    rc_page_end(page);
}

int rc_report_text_rates(const struct rc_report *report, struct rc_page *page,
                         size_t kind, const char *suite, struct rc_error *err)
{
    const struct rc_store_kind *k = rc_store_kind(report->metrics, kind);
    size_t count = 0;
    const struct rc_rate_result *rate = rc_metrics_rates(report->metrics, kind, &count);
    const struct rc_rate_result *first = NULL; /* whose curves are drawn */

    for (size_t i = 0; i < count; i++) {
        if (strcmp(rate[i].suite, suite) != 0)
            continue;
        if (first) {
            rc_page_line(page, 2, "also %s, convention '%s', in %s", rate[i].name,
                         rate[i].convention, rate[i].unit);
            continue;
        }
        first = &rate[i];
        struct rc_rate_curves curves = {.count = 0};
        const int status = rc_rate_curves_make(first, &curves, err);
        rc_page_end(page);
        fputc('\n', page->out);
        rc_page_line(page, 0, "%s, suite %s: %s in %s", k->name, suite, first->name,
                     first->unit);
        if (first->convention[0])
            rc_page_words(page, "by convention '%s'%s", first->convention,
                          rc_rate_convention_words(first->convention));
        if (k->simulated)
            rc_page_styled(page, RC_STYLE_DOUBTFUL, "(SIMULATED)");
        rc_page_end(page);
        for (size_t c = 0, next; c < curves.count && status == RC_OK; c = next) {
            for (next = c + 1;
                 next < curves.count &&
                 strcmp(curves.curve[next].kernel, curves.curve[c].kernel) == 0;)
                next++;
            show_kernel(page, first, &curves.curve[c], next - c);
        }
        rc_arena_free(&curves.arena);
        if (status != RC_OK)
            return status;
    }
    rc_page_end(page);
    return RC_OK;
}
