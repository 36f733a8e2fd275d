/* Robust tests of single nodes against the others of their kind. */
#include "solve/study/outliers.h"

#include "solve/study/quantile.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double normal_mad = 1.4826; /* standard deviation over MAD of a normal */

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Puts the values so that the one at 'rank' is where sorting would put it, those before
 * it are not larger, and those behind not smaller (Hoare).
 */
static void select_rank(double *value, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1;

    while (low < high) {
        const double pivot = value[low + (high - low) / 2];
        size_t up = low, down = high + 1; /* one more than the number, never below 0 */
        while (up < down) {
            while (value[up] < pivot)
                up++;
            while (down > up && value[down - 1] > pivot)
                down--;
            if (up < down) {
                const double swap = value[up];
                value[up++] = value[--down];
                value[down] = swap;
            }
        }
        if (rank < down)
            high = down - 1;
        else if (rank >= up)
            low = up;
        else
            return;
    }
}

double rc_median(double *value, size_t count)
{
    const size_t middle = count / 2;
    double below = -INFINITY;

    select_rank(value, count, middle);
    if (count % 2)
        return value[middle];
    for (size_t i = 0; i < middle; i++)
        below = fmax(below, value[i]);
    return below / 2 + value[middle] / 2;
}

static double z_of(double delta, double scale)
{
    if (delta == 0)
        return 0;
    return scale > 0 ? delta / scale : copysign(INFINITY, delta);
}

static double p_of(double z, double degrees)
{
    return isinf(z) ? 0 : rc_both_tails_t(fabs(z), degrees);
}

/* The mean of the nodes but one and its standard deviation from a node that is like
 * them. Nodes that are off themselves are left out, those farther from the median than
 * 'cut' as measured by the median absolute deviation, again and again, since each that
 * is left out makes that smaller.  The cut is so wide that hardly a node that is like
 * the others is left out: so what is off is tested by Student's t as if nobody had
 * looked.
 */
static double others(const double *median, size_t nodes, size_t but, double *room,
                     double *scale, double *degrees)
{
    double *distance = room + nodes, middle = 0, mean = 0, square = 0;
    size_t count = 0;

    for (size_t i = 0; i < nodes; i++)
        if (i != but)
            room[count++] = median[i];
    for (size_t before = 0; before != count;) {
        before = count;
        middle = rc_median(room, count);
        for (size_t i = 0; i < count; i++)
            distance[i] = fabs(room[i] - middle);
        const double cut = 4 + 450 / ((double)count * (double)count);
        const double most = cut * normal_mad * rc_median(distance, count);
        count = 0;
        for (size_t i = 0; i < before; i++)
            if (fabs(room[i] - middle) <= most)
                room[count++] = room[i];
    }
    const double kept = (double)count;
    for (size_t i = 0; i < count; i++)
        mean += (room[i] - middle) / kept;
    for (size_t i = 0; i < count; i++)
        square += pow(room[i] - middle - mean, 2);
    *scale = count > 1 ? sqrt(square / (kept - 1) * (1 + 1 / kept)) : 0;
    *degrees = fmax(kept - 1, 1);
    return middle + mean;
}

/* Critical values of r10 = gap / range for 3 to 6 numbers, either end (Rorabacher
 * 1991). */
static double dixon_p(double r, size_t nodes)
{
    static const double level[] = {0.01, 0.05, 0.10};
    static const double critical[][3] = {{0.994, 0.970, 0.941},
                                         {0.926, 0.829, 0.765},
                                         {0.821, 0.710, 0.642},
                                         {0.740, 0.625, 0.560}};

    for (size_t i = 0; i < 3; i++)
        if (r > critical[nodes - 3][i])
            return level[i];
    return 1;
}

static void by_dixon(const double *median, const double *error, size_t nodes,
                     double *room, struct rc_off *out)
{
    memcpy(room, median, nodes * sizeof *room);
    qsort(room, nodes, sizeof *room, compare_numbers);
    const double range = room[nodes - 1] - room[0];
    for (size_t i = 0; i < nodes; i++) {
        const bool lowest = median[i] == room[0] && room[0] < room[1];
        const bool highest =
            median[i] == room[nodes - 1] && room[nodes - 1] > room[nodes - 2];
        const double gap = lowest    ? room[1] - room[0]
                           : highest ? room[nodes - 1] - room[nodes - 2]
                                     : 0;
        if (gap > 3 * error[i])
            out[i].p = dixon_p(gap / range, nodes);
    }
}

void rc_outliers(const double *median, const double *error, size_t nodes, double *room,
                 struct rc_off *out)
{
    for (size_t i = 0; i < nodes; i++) {
        double scale = 0, degrees = 1;
        const double middle =
            nodes > 1 ? others(median, nodes, i, room, &scale, &degrees) : median[i];
        out[i] = (struct rc_off){.delta = median[i] - middle, .p = 1};
        out[i].z = z_of(out[i].delta, fmax(scale, error[i]));
        if (nodes >= RC_NODES_FOR_DEVIATE)
            out[i].p = p_of(out[i].z, degrees);
    }
    if (nodes >= RC_NODES_FOR_ONE && nodes < RC_NODES_FOR_DEVIATE)
        by_dixon(median, error, nodes, room, out);
}

/* Two normal distributions with one variance, of which each number may be. */
struct mixture {
    double mean[2], part[2], variance;
};

/* A step of expectation and maximization: -2 times the logarithm of the likelihood
 * before it.
 */
static double improve(struct mixture *m, const double *value, size_t count,
                      double least)
{
    double sum[2] = {0}, weight[2] = {0}, square[2] = {0}, result = 0;

    for (size_t i = 0; i < count; i++) {
        double log_of[2], of[2];
        for (int c = 0; c < 2; c++)
            log_of[c] =
                log(m->part[c]) - pow(value[i] - m->mean[c], 2) / (2 * m->variance);
        const double most = fmax(log_of[0], log_of[1]);
        of[0] = exp(log_of[0] - most);
        of[1] = exp(log_of[1] - most);
        const double all = of[0] + of[1];
        result -= 2 * (most + log(all)) - log(2 * 3.141592653589793 * m->variance);
        for (int c = 0; c < 2; c++) {
            weight[c] += of[c] / all;
            sum[c] += of[c] / all * value[i];
            square[c] += of[c] / all * value[i] * value[i];
        }
    }
    m->variance = 0;
    for (int c = 0; c < 2; c++) {
        m->part[c] = fmax(weight[c] / (double)count, DBL_MIN);
        if (weight[c] <= 0)
            continue;
        m->mean[c] = sum[c] / weight[c];
        m->variance += fmax(square[c] - sum[c] * m->mean[c], 0) / (double)count;
    }
    m->variance = fmax(m->variance, least);
    return result;
}

static double mean_of(const double *value, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += value[i];
    return sum / (double)count;
}

static double squares(const double *value, size_t count)
{
    const double mean = mean_of(value, count);
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += pow(value[i] - mean, 2);
    return sum;
}

/* The best cut of ascending numbers in two, of which each has a fifth of them. */
static size_t best_cut(const double *ascending, size_t count, double *least)
{
    const size_t fifth = (count + 4) / 5;
    size_t best = fifth;

    *least = INFINITY;
    for (size_t at = fifth; at <= count - fifth; at++) {
        const double sum = squares(ascending, at) + squares(ascending + at, count - at);
        if (sum < *least) {
            *least = sum;
            best = at;
        }
    }
    return best;
}

bool rc_two_classes(const double *median, const double *error, size_t nodes,
                    double *room, size_t *low, double *edge)
{
    const double n = (double)nodes;
    double least = 0, apart, before, after;

    if (nodes < RC_NODES_FOR_DEVIATE)
        return false;
    memcpy(room, median, nodes * sizeof *room);
    qsort(room, nodes, sizeof *room, compare_numbers);
    const double shift = room[nodes / 2];
    for (size_t i = 0; i < nodes; i++) {
        room[i] -= shift; /* nothing is lost where they are nearly the same */
        least += error[i] * error[i] / n;
    }
    least = fmax(least, shift * shift * 1e-24);
    const double one = fmax(squares(room, nodes) / n, least);
    const size_t cut = best_cut(room, nodes, &apart);
    if (!(one > least) || apart / n > one / 3) /* of one normal class 0.36 are left */
        return false;
    struct mixture m = {.mean = {mean_of(room, cut), mean_of(room + cut, nodes - cut)},
                        .part = {(double)cut / n, 1 - (double)cut / n},
                        .variance = fmax(apart / n, least)};
    after = improve(&m, room, nodes, least);
    do {
        before = after;
        after = improve(&m, room, nodes, least);
    } while (before - after > 1e-6 * fabs(after) + 1e-9);
    /* A mean and a variance; two means, a part and a variance. */
    const double alone = n * (log(2 * 3.141592653589793 * one) + 1);
    *low = cut;
    *edge = shift + room[cut - 1] / 2 + room[cut] / 2;
    return after + 4 * log(n) + 10 < alone + 2 * log(n) &&
           fmin(m.part[0], m.part[1]) >= 0.2 - 0.5 / n;
}

double rc_false_discovery(const double *ascending, size_t count, uint64_t tests,
                          double rate)
{
    for (size_t i = count; i-- > 0;)
        if (ascending[i] <= rate * (double)(i + 1) / (double)tests)
            return ascending[i] > 0 ? ascending[i] : DBL_MIN;
    return 0;
}
