/* Whether chance explains how two campaigns' readings of an event differ
 * (docs/compare.md).
 *
 * Welch's test compares the means twice: along the direction of their common mean,
 * which detects an event that counts more or less of the same thing, and on each point,
 * which detects one that counts something else.  The least p of all counts, times the
 * number of tests.  Scatter is compared by an F test whose degrees of freedom are those
 * of the repetitions alone, since the points of a sweep may scatter together.
 */
#include "campaign/compare/parts.h"
#include "solve/study/quantile.h"

#include <math.h>

/* Rounding alone may put a whole number off by one: at worst for half of the readings.
 */
#define ROUNDING 0.25 /* counts, squared */
/* The mean of each campaign is measured to 0.5 % (docs/run.md). */
#define LEAST_SHARE 0.01
/* Starting and reading add about so many counts, which may differ between runs. */
#define LEAST_COUNTS 32

/* Mean and variance of numbers, each of which may be 'rounding' (squared) off. */
struct moments {
    double mean, variance;
    size_t count;
};

static struct moments moments_of(const double *value, size_t stride, size_t count,
                                 double rounding)
{
    struct moments m = {.count = count};

    for (size_t i = 0; i < count; i++)
        m.mean += value[i * stride] / (double)count;
    for (size_t i = 0; i < count; i++)
        m.variance += (value[i * stride] - m.mean) * (value[i * stride] - m.mean) /
                      (double)(count - 1);
    m.variance = fmax(m.variance, rounding);
    return m;
}

/* The probability that means differ so much by chance. */
static double welch(const struct moments *a, const struct moments *b)
{
    const double x = a->variance / (double)a->count, y = b->variance / (double)b->count;
    const double freedom =
        (x + y) * (x + y) /
        (x * x / (double)(a->count - 1) + y * y / (double)(b->count - 1));

    return rc_tail_f((a->mean - b->mean) * (a->mean - b->mean) / (x + y), 1, freedom);
}

struct rc_compare_judgement rc_compare_judge(const struct rc_compare_readings *before,
                                             const struct rc_compare_readings *after,
                                             const double *iterations, size_t points,
                                             double *room)
{
    const struct rc_compare_readings *side[] = {before, after};
    double least = 1, apart = 0, most = 0, rounding = 0, scatter[2] = {0},
           norm[2] = {0}, common = 0;
    struct moments along[2];

    for (size_t p = 0; p < points; p++) {
        const double off = ROUNDING / (iterations[p] * iterations[p]);
        struct moments m[2];
        for (int s = 0; s < 2; s++) {
            m[s] = moments_of(side[s]->vector + p, points, side[s]->count, off);
            scatter[s] += m[s].variance;
            norm[s] += m[s].mean * m[s].mean;
        }
        const double difference = m[0].mean - m[1].mean;
        room[p] = (m[0].mean + m[1].mean) / 2;
        common += room[p] * room[p];
        rounding += off * room[p] * room[p];
        apart += difference * difference;
        most = fmax(most, fabs(difference) * iterations[p]);
        if (difference != 0)
            least = fmin(least, (double)points * welch(&m[0], &m[1]));
    }
    struct rc_compare_judgement out = {.counts = 1, .noise = 1};
    if (common > 0 && apart > 0) {
        double *line = room + points;
        for (int s = 0; s < 2; s++) {
            for (size_t v = 0; v < side[s]->count; v++) {
                line[v] = 0;
                for (size_t p = 0; p < points; p++)
                    line[v] += side[s]->vector[v * points + p] * room[p];
            }
            along[s] = moments_of(line, 1, side[s]->count, rounding);
        }
        least = fmin(least, welch(&along[0], &along[1]));
    }
    out.off = apart > 0 ? sqrt(apart / fmax(norm[0], norm[1])) : 0;
    if (out.off >= LEAST_SHARE && most >= LEAST_COUNTS)
        out.counts = fmin(1, 2 * least);
    if (scatter[0] != scatter[1]) {
        const int larger = scatter[1] > scatter[0];
        out.noise = fmin(1, 2 * rc_tail_f(scatter[larger] / scatter[!larger],
                                          (double)(side[larger]->count - 1),
                                          (double)(side[!larger]->count - 1)));
    }
    return out;
}
