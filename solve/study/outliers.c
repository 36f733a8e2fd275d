/* Robust tests of single nodes against the others of their kind. */
#include "solve/study/outliers.h"

#include "campaign/base/memory.h"
#include "solve/study/quantile.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double normal_mad = 1.4826; /* standard deviation over MAD of a normal */

/* Puts the value of that rank at its place, with none larger before it: quickselect.
 * It has few branches that depend on the numbers, and removes equal numbers at once.
 */
double rc_select(double *value, size_t count, size_t rank)
{
    size_t low = 0, high = count;

    while (high - low > 1) {
        const double a = value[low], b = value[low + (high - low) / 2];
        const double c = value[high - 1], less = a < b ? a : b, more = a < b ? b : a;
        const double pivot = c < less ? less : c > more ? more : c;
        size_t edge = low;
        for (size_t i = low; i < high; i++) {
            const double x = value[i];
            value[i] = value[edge];
            value[edge] = x;
            edge += x < pivot;
        }
        if (rank < edge) {
            high = edge;
            continue;
        }
        low = edge;
        for (size_t i = low; i < high; i++) {
            const double x = value[i];
            value[i] = value[edge];
            value[edge] = x;
            edge += x <= pivot;
        }
        if (rank < edge)
            break;
        low = edge;
    }
    return value[rank];
}

double rc_median(double *value, size_t count)
{
    const size_t half = count / 2;

    const double above = rc_select(value, count, half);
    if (count % 2)
        return above;
    double before = value[0];
    for (size_t i = 1; i < half; i++)
        before = value[i] > before ? value[i] : before;
    return before / 2 + above / 2;
}

double rc_mean(const double *value, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += value[i];
    return sum / (double)count;
}

/* All nodes in order, relative to the middle one, and their sums up to each node, which
 * are 0 in the middle: sums over neighbours lose no digits to values farther out.
 */
struct sorted {
    double *value, *sum, *square; /* [count], [count + 1] */
    double middle;
    size_t count;
};

static struct sorted sort_nodes(const double *median, size_t nodes, double *room)
{
    struct sorted s = {.value = room,
                       .sum = room + nodes,
                       .square = room + 2 * nodes + 1,
                       .count = nodes};
    const size_t half = nodes / 2;

    memcpy(s.value, median, nodes * sizeof *s.value);
    qsort(s.value, nodes, sizeof *s.value, rc_order_reals);
    s.middle = s.value[half];
    for (size_t i = 0; i < nodes; i++)
        s.value[i] -= s.middle;
    s.sum[half] = s.square[half] = 0;
    for (size_t i = half; i < nodes; i++) {
        s.sum[i + 1] = s.sum[i] + s.value[i];
        s.square[i + 1] = s.square[i] + s.value[i] * s.value[i];
    }
    for (size_t i = half; i-- > 0;) {
        s.sum[i] = s.sum[i + 1] - s.value[i];
        s.square[i] = s.square[i + 1] - s.value[i] * s.value[i];
    }
    return s;
}

/* A range of sorted nodes: 'low' up to, not including, 'high', without 'but'. */
struct range {
    const struct sorted *all;
    size_t low, high, but;
};

static bool has_but(const struct range *r)
{
    return r->low <= r->but && r->but < r->high;
}

static size_t count_of(const struct range *r)
{
    return r->high - r->low - has_but(r);
}

static double value_at(const struct range *r, size_t i)
{
    const size_t at = r->low + i;

    return r->all->value[at + (r->low <= r->but && r->but <= at)];
}

/* The n-th smallest distance from 'middle', from 0: the n + 1 nearest nodes are
 * neighbours, the first of which is searched for.
 */
static double distance_at(const struct range *r, double middle, size_t n)
{
    size_t low = 0, high = count_of(r) - n - 1;

    while (low < high) {
        const size_t at = low + (high - low) / 2;
        if (middle - value_at(r, at) > value_at(r, at + n + 1) - middle)
            low = at + 1;
        else
            high = at;
    }
    return fmax(middle - value_at(r, low), value_at(r, low + n) - middle);
}

static double mean_of_range(const struct range *r, double *deviation)
{
    const struct sorted *all = r->all;
    const double count = (double)count_of(r), but = has_but(r) ? all->value[r->but] : 0;
    const double sum = all->sum[r->high] - all->sum[r->low] - but;
    const double squares = all->square[r->high] - all->square[r->low] - but * but;
    const double rest = squares - sum * sum / count;

    /* A rest that is rounding means that all are the same. */
    *deviation = rest > 1e-14 * squares ? sqrt(rest / fmax(count - 1, 1)) : 0;
    return sum / count;
}

/* How many deviations a node may be from the middle of the others: more where these are
 * few, as their deviation is not well known.
 */
static double cut_of(double most, double for_few, size_t count)
{
    return most + for_few / ((double)count * (double)count);
}

/* The mean of all nodes but one, and the standard deviation of a like node from it.
 * First all nodes that may be off are left out, as seen from the median by the median
 * absolute deviation, repeatedly, since that becomes smaller each time.  The remaining
 * ones are hardly ever contaminated, but scatter too little, as they have no tails: so
 * nodes that are less far off than nearly all like nodes are taken back, only once,
 * lest each makes way for the next.  Student's t then tests a node as if none had been
 * left out.
 */
static double others(const struct sorted *all, double but, double *scale,
                     double *degrees)
{
    struct range r = {.all = all, .high = all->count};
    size_t end = all->count, before;
    double deviation;

    while (r.but < end) { /* finds the first that is not less */
        const size_t at = r.but + (end - r.but) / 2;
        if (all->value[at] < but)
            r.but = at + 1;
        else
            end = at;
    }
    do {
        before = count_of(&r);
        const size_t half = before / 2, other = (before - 1) / 2;
        const double middle = value_at(&r, other) / 2 + value_at(&r, half) / 2;
        const double distance =
            distance_at(&r, middle, other) / 2 + distance_at(&r, middle, half) / 2;
        const double most = cut_of(2.8, 300, before) * normal_mad * distance;
        while (middle - all->value[r.low] > most)
            r.low++;
        while (all->value[r.high - 1] - middle > most)
            r.high--;
    } while (count_of(&r) != before);
    const double mean = mean_of_range(&r, &deviation);
    const double most = cut_of(4, 400, before) * deviation;
    while (r.low > 0 && mean - all->value[r.low - 1] <= most)
        r.low--;
    while (r.high < all->count && all->value[r.high] - mean <= most)
        r.high++;
    const double kept = (double)count_of(&r), middle = mean_of_range(&r, &deviation);
    *scale = deviation * sqrt(1 + 1 / kept);
    *degrees = fmax(kept - 1, 1);
    return middle;
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

void rc_outliers(const double *median, const double *error, size_t nodes, double *room,
                 struct rc_off *out)
{
    const struct sorted all = sort_nodes(median, nodes, room);

    for (size_t i = 0; i < nodes; i++) {
        const double own = median[i] - all.middle;
        double scale = 0, degrees = 1;
        const double mean = nodes > 1 ? others(&all, own, &scale, &degrees) : own;
        const double delta = own - mean, unit = fmax(scale, error[i]);
        const double z = delta == 0 ? 0
                         : unit > 0 ? delta / unit
                                    : copysign(INFINITY, delta);
        out[i] = (struct rc_off){.delta = delta, .z = z, .p = 1};
        if (nodes >= RC_NODES_FOR_DEVIATE)
            out[i].p = isinf(z) ? 0 : rc_both_tails_t(fabs(z), degrees);
    }
    if (nodes < RC_NODES_FOR_ONE || nodes >= RC_NODES_FOR_DEVIATE)
        return;
    memcpy(room, median, nodes * sizeof *room);
    qsort(room, nodes, sizeof *room, rc_order_reals);
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

/* Two normal distributions with one variance; each number may be from either. */
struct mixture {
    double mean[2], part[2], variance;
};

/* A step of expectation and maximization; returns -2 times the logarithm of the
 * likelihood before it.
 */
static double improve(struct mixture *m, const double *value, size_t count,
                      double least)
{
    const double log_part[2] = {log(m->part[0]), log(m->part[1])};
    double sum[2] = {0}, weight[2] = {0}, square[2] = {0}, result = 0;

    for (size_t i = 0; i < count; i++) {
        double log_of[2], of[2];
        for (int c = 0; c < 2; c++)
            log_of[c] = log_part[c] - pow(value[i] - m->mean[c], 2) / (2 * m->variance);
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

static double squares(const double *value, size_t count)
{
    const double mean = rc_mean(value, count);
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += pow(value[i] - mean, 2);
    return sum;
}

/* The fewest nodes of a class; fewer are nodes that are off. */
static size_t class_least(size_t nodes)
{
    const size_t fifth = (nodes + 4) / 5;

    return fifth > 3 ? fifth : 3;
}

/* The best cut of ascending numbers in two classes: the cut with the largest sum of
 * squares between the two, and so the least within them.
 */
static size_t best_cut(const double *ascending, size_t count, double *least)
{
    const size_t fewest = class_least(count);
    const double all = rc_mean(ascending, count) * (double)count;
    double below = 0, most = -1;
    size_t best = fewest;

    for (size_t at = 0; at <= count - fewest; below += ascending[at++]) {
        const double low = (double)at, high = (double)(count - at);
        if (at < fewest)
            continue;
        const double between = pow(below / low - (all - below) / high, 2) * low * high;
        if (between > most) {
            most = between;
            best = at;
        }
    }
    *least = squares(ascending, best) + squares(ascending + best, count - best);
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
    qsort(room, nodes, sizeof *room, rc_order_reals);
    const double shift = room[nodes / 2];
    for (size_t i = 0; i < nodes; i++) {
        room[i] -= shift; /* keeps the digits of nearly equal medians */
        least += error[i] * error[i] / n;
    }
    least = fmax(least, shift * shift * 1e-24);
    const double one = fmax(squares(room, nodes) / n, least);
    const size_t cut = best_cut(room, nodes, &apart);
    if (!(one > least) || apart / n > one / 3) /* one normal class would leave 0.36 */
        return false;
    struct mixture m = {.mean = {rc_mean(room, cut), rc_mean(room + cut, nodes - cut)},
                        .part = {(double)cut / n, 1 - (double)cut / n},
                        .variance = fmax(apart / n, least)};
    after = improve(&m, room, nodes, least);
    do {
        before = after;
        after = improve(&m, room, nodes, least);
    } while (before - after > 1e-6 * fabs(after) + 1e-9);
    /* One class: a mean and a variance; two: two means, a part and a variance. */
    const double alone = n * (log(2 * 3.141592653589793 * one) + 1);
    *low = cut;
    *edge = shift + room[cut - 1] / 2 + room[cut] / 2;
    return after + 4 * log(n) + 10 < alone + 2 * log(n) &&
           fmin(m.part[0], m.part[1]) * n >= (double)class_least(nodes) - 0.5;
}

double rc_false_discovery(const double *ascending, size_t count, uint64_t tests,
                          double rate)
{
    for (size_t i = count; i-- > 0;)
        if (ascending[i] <= rate * (double)(i + 1) / (double)tests)
            return ascending[i] > 0 ? ascending[i] : DBL_MIN;
    return 0;
}
