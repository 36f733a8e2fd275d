/* Analysis of variance of readings nested in places nested in nodes, with unequal
 * numbers of each (Searle, Casella, McCulloch: Variance Components, 1992), and Burdick
 * and Graybill's intervals for differences of mean squares.
 */
#include "solve/study/components.h"

#include "solve/study/outliers.h"
#include "solve/study/quantile.h"

#include <math.h>
#include <string.h>

static const double miss = 0.05; /* significance level: intervals cover 95 % */

/* Mean squares of deviations from the means of one level up, and the coefficients of
 * their expectations.
 */
struct table {
    double readings;                                 /* how many */
    double square[RC_LEVEL_COUNT];                   /* mean squares */
    double degrees[RC_LEVEL_COUNT];                  /* of freedom */
    double core_in_core, core_in_node, node_in_node; /* E square = ... components */
};

bool rc_nesting_has(const struct rc_nesting *nesting, enum rc_level level)
{
    size_t readings = 0;

    for (size_t p = 0; p < nesting->places; p++)
        readings += nesting->count[p];
    switch (level) {
    case RC_LEVEL_REPETITION:
        return readings > nesting->places;
    case RC_LEVEL_CORE:
        return nesting->places > nesting->nodes;
    default:
        return nesting->nodes > 1;
    }
}

static double divided(double sum, double degrees)
{
    return degrees > 0 ? sum / degrees : NAN;
}

/* Takes all readings relative to the first one, so that nearly equal readings lose no
 * digits.
 */
static struct table analyse(const struct rc_nesting *n, const double *reading)
{
    struct table t = {0};
    double sum = 0, places_in_nodes = 0, nodes_square = 0, places_square = 0;
    double core = 0, rest = 0, node = 0;
    const double *at = reading;

    for (size_t p = 0, end; p < n->places; p = end) {
        double node_sum = 0, node_count = 0, own_places_square = 0;
        for (end = p; end < n->places && n->node[end] == n->node[p]; end++) {
            const double count = (double)n->count[end];
            const double mean = rc_mean(at, n->count[end]) - reading[0];
            for (size_t r = 0; r < n->count[end]; r++)
                rest += pow(at[r] - reading[0] - mean, 2);
            core += count * mean * mean;
            node_sum += count * mean;
            node_count += count;
            own_places_square += count * count;
            at += n->count[end];
        }
        core -= node_sum * node_sum / node_count;
        node += node_sum * node_sum / node_count;
        sum += node_sum;
        t.readings += node_count;
        places_in_nodes += own_places_square / node_count;
        places_square += own_places_square;
        nodes_square += node_count * node_count;
    }
    node -= sum * sum / t.readings;

    t.degrees[RC_LEVEL_REPETITION] = t.readings - (double)n->places;
    t.degrees[RC_LEVEL_CORE] = (double)(n->places - n->nodes);
    t.degrees[RC_LEVEL_NODE] = (double)n->nodes - 1;
    t.square[RC_LEVEL_REPETITION] = divided(rest, t.degrees[RC_LEVEL_REPETITION]);
    t.square[RC_LEVEL_CORE] = divided(fmax(core, 0), t.degrees[RC_LEVEL_CORE]);
    t.square[RC_LEVEL_NODE] = divided(fmax(node, 0), t.degrees[RC_LEVEL_NODE]);
    t.core_in_core = divided(t.readings - places_in_nodes, t.degrees[RC_LEVEL_CORE]);
    t.core_in_node =
        divided(places_in_nodes - places_square / t.readings, t.degrees[RC_LEVEL_NODE]);
    t.node_in_node =
        divided(t.readings - nodes_square / t.readings, t.degrees[RC_LEVEL_NODE]);
    return t;
}

/* Finds the constants of an interval for a mean square with 'above' degrees of freedom,
 * or for its difference from one with 'below'.
 */
static void find_interval(double above, double below, struct rc_interval *is)
{
    const double degrees[2] = {above, below};

    if (is->degrees[0] == above && is->degrees[1] == below)
        return;
    *is = (struct rc_interval){.degrees = {above, below}};
    for (int i = 0; i < 2 && degrees[i] > 0; i++) {
        is->g[i] = 1 - degrees[i] / rc_quantile_chi2(1 - miss / 2, degrees[i]);
        is->h[i] = degrees[i] / rc_quantile_chi2(miss / 2, degrees[i]) - 1;
    }
    if (!(below > 0))
        return;
    const double f1 = rc_quantile_f(1 - miss / 2, above, below);
    const double f2 = rc_quantile_f(miss / 2, above, below);
    is->g_both = (pow(f1 - 1, 2) - pow(is->g[0] * f1, 2) - is->h[1] * is->h[1]) / f1;
    is->h_both = (pow(1 - f2, 2) - pow(is->h[0] * f2, 2) - is->g[1] * is->g[1]) / f2;
}

/* An interval for (above - below) / scale of two mean squares. */
static void around_difference(const struct table *t, enum rc_level above,
                              enum rc_level below, double scale,
                              struct rc_intervals *known, struct rc_component *out)
{
    const double s1 = t->square[above] / scale, s2 = t->square[below] / scale;

    if (!known)
        return;
    struct rc_interval *is = &known->level[above];
    find_interval(t->degrees[above], t->degrees[below], is);
    const double under =
        pow(is->g[0] * s1, 2) + pow(is->h[1] * s2, 2) + is->g_both * s1 * s2;
    const double over =
        pow(is->h[0] * s1, 2) + pow(is->g[1] * s2, 2) + is->h_both * s1 * s2;
    out->low = fmax(s1 - s2 - sqrt(fmax(under, 0)), 0);
    out->high = fmax(s1 - s2 + sqrt(fmax(over, 0)), 0);
}

/* The table that equal numbers of readings would give (Thomas and Hultquist): from
 * means of places and of nodes, each counted once, and harmonic means of the numbers.
 */
static struct table balanced(const struct rc_nesting *n, const double *reading,
                             const struct table *t)
{
    struct table b = *t;
    double inverse = 0, places_inverse = 0, core = 0, node = 0, sum = 0;
    const double *at = reading;

    for (size_t p = 0, end; p < n->places; p = end) {
        double places = 0, mean = 0, square = 0;
        for (end = p; end < n->places && n->node[end] == n->node[p]; end++) {
            const double own = rc_mean(at, n->count[end]) - reading[0];
            places++;
            mean += own;
            square += own * own;
            inverse += 1 / (double)n->count[end];
            at += n->count[end];
        }
        mean /= places;
        core += square - places * mean * mean;
        node += mean * mean;
        sum += mean;
        places_inverse += 1 / places;
    }
    node -= sum * sum / (double)n->nodes;
    const double each = (double)n->places / inverse;
    const double places_each = (double)n->nodes / places_inverse;
    b.core_in_core = b.core_in_node = each;
    b.node_in_node = each * places_each;
    b.square[RC_LEVEL_CORE] = divided(each * fmax(core, 0), b.degrees[RC_LEVEL_CORE]);
    b.square[RC_LEVEL_NODE] =
        divided(each * places_each * fmax(node, 0), b.degrees[RC_LEVEL_NODE]);
    return b;
}

void rc_components_anova(const struct rc_nesting *nesting, const double *reading,
                         struct rc_intervals *known,
                         struct rc_component out[RC_LEVEL_COUNT])
{
    const struct table t = analyse(nesting, reading);
    const struct table b = balanced(nesting, reading, &t);
    const double rest = t.square[RC_LEVEL_REPETITION];
    const bool has_rest = rc_nesting_has(nesting, RC_LEVEL_REPETITION);
    const bool has_core = rc_nesting_has(nesting, RC_LEVEL_CORE);

    for (size_t l = 0; l < RC_LEVEL_COUNT; l++)
        out[l] = (struct rc_component){NAN, NAN, NAN};
    out[RC_LEVEL_REPETITION].variance = rest; /* NAN where there is none */
    if (has_rest && known) {
        struct rc_interval *is = &known->level[RC_LEVEL_REPETITION];
        find_interval(t.degrees[RC_LEVEL_REPETITION], 0, is);
        out[RC_LEVEL_REPETITION].low = rest * (1 - is->g[0]);
        out[RC_LEVEL_REPETITION].high = rest * (1 + is->h[0]);
    }
    if (has_core && has_rest) {
        struct rc_component *core = &out[RC_LEVEL_CORE];
        core->variance = (t.square[RC_LEVEL_CORE] - rest) / t.core_in_core;
        around_difference(&b, RC_LEVEL_CORE, RC_LEVEL_REPETITION, b.core_in_core, known,
                          core);
    }
    if (!rc_nesting_has(nesting, RC_LEVEL_NODE) || (!has_core && !has_rest))
        return;
    /* Without cores, readings of a node differ from each other as repetitions do. */
    struct rc_component *node = &out[RC_LEVEL_NODE];
    const double core = has_core && has_rest ? out[RC_LEVEL_CORE].variance : 0;
    const double below = has_rest ? rest : t.square[RC_LEVEL_CORE];
    node->variance =
        (t.square[RC_LEVEL_NODE] - below - (has_rest ? t.core_in_node * core : 0)) /
        t.node_in_node;
    around_difference(&b, RC_LEVEL_NODE, has_core ? RC_LEVEL_CORE : RC_LEVEL_REPETITION,
                      b.node_in_node, known, node);
}

void rc_distances(const struct rc_nesting *nesting, const double *vector, size_t points,
                  double *room, double out[RC_LEVEL_COUNT])
{
    double *sum[RC_LEVEL_COUNT] = {room, room + points, room + 2 * points};
    double *own_sum = room, *own_square = room + 3 * points; /* of a place */
    double pairs[RC_LEVEL_COUNT] = {0}, square[RC_LEVEL_COUNT] = {0};
    double count[RC_LEVEL_COUNT] = {0}, length[RC_LEVEL_COUNT] = {0};
    const double *at = vector;

    memset(room, 0, 4 * points * sizeof *room);
    for (size_t p = 0; p < nesting->places; p++) {
        for (size_t r = 0; r < nesting->count[p]; r++, at += points)
            for (size_t i = 0; i < points; i++) {
                const double x = at[i] - vector[i]; /* keeps all digits */
                own_sum[i] += x;
                own_square[i] += x * x; /* a single sum would wait for each addition */
            }
        for (size_t i = 0; i < points; i++)
            length[0] += own_square[i];
        memset(own_square, 0, points * sizeof *own_square);
        count[0] = (double)nesting->count[p];
        /* Sums over the pairs of this level, lower levels included, are passed on to
         * the level above where this one ends.
         */
        for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
            const bool ends =
                l == RC_LEVEL_REPETITION || p + 1 == nesting->places ||
                (l == RC_LEVEL_CORE && nesting->node[p + 1] != nesting->node[p]);
            if (!ends)
                break;
            double between = count[l] * length[l];
            for (size_t i = 0; i < points; i++)
                between -= sum[l][i] * sum[l][i];
            pairs[l] += count[l] * (count[l] - 1) / 2;
            square[l] += between;
            if (l + 1 == RC_LEVEL_COUNT)
                break;
            for (size_t i = 0; i < points; i++)
                sum[l + 1][i] += sum[l][i];
            count[l + 1] += count[l];
            length[l + 1] += length[l];
            memset(sum[l], 0, points * sizeof *sum[l]);
            count[l] = length[l] = 0;
        }
    }
    for (size_t l = RC_LEVEL_COUNT; l-- > 0;) {
        const double under = l ? square[l - 1] : 0,
                     own = pairs[l] - (l ? pairs[l - 1] : 0);
        out[l] = own > 0 ? fmax(square[l] - under, 0) / own : NAN;
    }
}
