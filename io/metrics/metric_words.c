/* Coefficients and remarks of metrics as text, for tables of terminals and pages. A
 * number is shown with as many digits as its interval of confidence bears, so that
 * nobody copies noise.
 */
#include "io/metrics/metric_words.h"

#include "campaign/base/text.h"

#include <math.h>

void rc_metric_put_coefficient(char *out, size_t room, const struct rc_term *t,
                               bool rounded)
{
    const double near = 1e-9 * fmax(1, fabs(t->coefficient));
    const bool same = fabs(t->coefficient - t->rounded) <= near;
    const double width = t->high - t->low;

    out[0] = 0;
    if (width > near) {
        /* As many decimals as tell two numbers apart that are so far from each other.
         */
        const double digits = 1 - floor(log10(width));
        const int d = digits < 0 ? 0 : digits > 9 ? 9 : (int)digits;
        rc_text_append(out, room, "%.*f (%.*f to %.*f)", d, t->coefficient, d, t->low,
                       d, t->high);
    } else
        rc_text_append(out, room, "%.6g", same ? t->rounded : t->coefficient);
    if (!same && rounded)
        rc_text_append(out, room, " -> %.6g", t->rounded);
}

void rc_metric_append_checks(char *line, size_t room, const struct rc_metric_result *m)
{
    const struct rc_metric_check *worst = NULL;
    size_t points = 0;

    for (size_t i = 0; i < m->check_count; i++) {
        points += m->check[i].points;
        if (!worst || m->check[i].error > worst->error)
            worst = &m->check[i];
    }
    if (!worst || !rc_metric_has_combination(m))
        return;
    if (worst->error > 0)
        rc_text_append(line, room, "; off by at most %.2g", worst->error);
    else
        rc_text_append(line, room, "; exact");
    if (worst->error > 0 && m->check_count > 1)
        rc_text_append(line, room, " (%s)", worst->suite);
    if (m->check_count > 1)
        rc_text_append(line, room, " on %zu points of %zu suites", points,
                       m->check_count);
    else
        rc_text_append(line, room, " on %zu points of this suite alone", points);
}

void rc_metric_put_error(char out[RC_METRIC_ERROR + 1],
                         const struct rc_metric_result *m)
{
    static const double rounding = 1e-12;

    out[0] = 0;
    if (isnan(m->error))
        rc_text_append(out, RC_METRIC_ERROR + 1, "-");
    else if (fabs(m->error) < rounding)
        rc_text_append(out, RC_METRIC_ERROR + 1, "exact");
    else
        rc_text_append(out, RC_METRIC_ERROR + 1, "%.2e", m->error);
}
