/* A line for each rate: the best and the median where it is largest, and on which node. */
#include "campaign/solve/rates/rates.h"
#include "io/text/terminal.h"

#include <math.h>
#include <string.h>

/* Whether the point has as many bytes as any; all have where there is no such axis. */
static bool is_largest(const struct rc_store_suite *l, size_t point)
{
    const size_t axis = rc_solve_find(l->axes, l->axis_count, "bytes");

    for (size_t p = 0; p < l->point_count && axis < l->axis_count; p++)
        if (l->axis[p * l->axis_count + axis] > l->axis[point * l->axis_count + axis])
            return false;
    return true;
}

static void show_rate(struct rc_page *page, const struct rc_store_suite *l,
                      const struct rc_rate_result *r)
{
    const size_t points = r->point_count;
    size_t best = SIZE_MAX, worst = SIZE_MAX; /* [node][point], by their medians */

    for (size_t p = 0; p < points; p++) {
        const size_t nodes = is_largest(l, p) ? r->node_count : 0;
        for (size_t n = 0; n < nodes; n++)
            if (r->median[n * points + p] >
                (best == SIZE_MAX ? -INFINITY : r->median[best]))
                best = n * points + p;
    }
    const char *unit = strcmp(r->unit, "1") != 0 ? r->unit : "";

    rc_page_line(page, 2, "rate");
    rc_page_word(page, r->name);
    if (r->convention[0])
        rc_page_words(page, "(%s)", r->convention);
    rc_page_tail(page, ":");
    if (best == SIZE_MAX) {
        rc_page_words(page, "no value is known at the largest size");
        rc_page_end(page);
        return;
    }
    for (size_t n = 0; n < r->node_count; n++) {
        const size_t at = n * points + best % points;
        if (!isnan(r->median[at]) &&
            (worst == SIZE_MAX || r->median[at] < r->median[worst]))
            worst = at;
    }
    rc_page_styled(page, RC_STYLE_BOLD, "best %.4g, median %.4g %s", r->best[best],
                   r->median[best], unit);
    rc_page_words(page, "at");
    rc_page_word(page, r->point[best % points]);
    rc_page_words(page, "on");
    rc_page_word(page, r->node[best / points]);
    if (worst != best) {
        rc_page_tail(page, ";");
        rc_page_words(page, "slowest");
        rc_page_word(page, r->node[worst / points]);
        rc_page_tail(page, ",");
        rc_page_words(page, "median %.4g %s", r->median[worst], unit);
    }
    rc_page_end(page);
}

void rc_solve_show_rates(struct rc_page *page, const struct rc_solve_suite *s, bool all)
{
    for (size_t i = 0; i < s->result.rate_count; i++)
        show_rate(page, s->labels, &s->result.rate[i]);
    for (size_t i = 0; i < s->no_rates && all; i++) {
        rc_page_line(page, 2, "%s", s->no_rate[i]);
        rc_page_end(page);
    }
}
