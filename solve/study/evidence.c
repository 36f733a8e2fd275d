/* Finds nodes that are off, by all events together.
 *
 * Each node is compared with the nodes that are not off: in each event by Student's t,
 * which becomes a normal score u.  The sum of u^2 over m independent events is
 * chi-square with m degrees of freedom; where events depend on each other it is taken
 * as m/f times chi-square with fewer, f.  f is estimated from the products of nodes
 * (sum over all pairs of events of r^2 = the sum over all pairs of nodes of their
 * products squared), without the part that chance adds to r^2, so no matrix of events
 * is needed.  Nodes that are not off are found by iteration, from the 70 % nearest the
 * medians of all (Billor, Hadi, Velleman 2000: BACON), so that nodes that are off
 * neither hide each other nor make others look off.
 */
#include "solve/study/evidence.h"

#include "campaign/base/memory.h"
#include "solve/study/outliers.h"
#include "solve/study/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 20,
    PRODUCTS_MOST = 128 /* nodes; with more, the scatter of their sums is used */
};
static const double apart_p = 0.05;
static const double normal_mad = 1.4826, normal_degrees = 1e7;
static const double most_score = 36; /* of one event, where f is not known */

/* Sums over processes are of integers, which have the same sum in any order. */
static const double fixed = 0x1p20, fixed_factor = 0x1p10;

int rc_evidence_add(struct rc_evidence *e, const double *value, const double *error,
                    const uint32_t *node, size_t count)
{
    if (rc_grow(&e->end, sizeof *e->end, e->events, &e->event_room))
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (rc_grow(&e->cell, sizeof *e->cell, e->cells, &e->cell_room))
            return -1;
        e->cell[e->cells++] = (struct rc_evidence_cell){
            node[i], (float)(value[i] - value[0]), (float)error[i]};
    }
    e->end[e->events++] = e->cells;
    return 0;
}

void rc_evidence_fini(struct rc_evidence *e)
{
    free(e->cell);
    free(e->end);
    *e = (struct rc_evidence){.nodes = 0};
}

/* Sums over all events: for each node, then for all. */
struct sums {
    int64_t *score;  /* [node] sum of u^2 */
    int64_t *weight; /* [node] its expectation */
    int64_t *events; /* [node] */
    int64_t *most;   /* [node] largest u^2 */
    int64_t *of_all; /* [2] weights of events, and their squares */
    int64_t *product;
};

struct judging {
    const struct rc_evidence *e;
    const struct rc_evidence_team *team;
    double least;
    bool *apart;
    size_t kept;      /* nodes that are not apart */
    struct sums sums; /* one array, from 'score' on */
    double *scratch;  /* [2 * nodes] */
    size_t *at;       /* [node] its number among the kept ones */
    int32_t *factor;  /* [kept] */
    double freedom;   /* f, over all events; 0: not known from products */
    double skew;      /* degrees of freedom of the chi-square with the same skewness */
};

static size_t products_of(size_t nodes)
{
    return nodes <= PRODUCTS_MOST ? nodes * nodes : 0;
}

size_t rc_evidence_room(const struct rc_evidence *e)
{
    const size_t n = e->nodes;

    return (4 * n + 2 + products_of(n)) * sizeof(int64_t) + 2 * n * sizeof(double) +
           n * sizeof(size_t) + n * sizeof(int32_t);
}

static void lay_out(struct judging *j, void *room)
{
    const size_t n = j->e->nodes;
    int64_t *number = room;

    j->sums = (struct sums){number,         number + n,     number + 2 * n,
                            number + 3 * n, number + 4 * n, number + 4 * n + 2};
    j->scratch = (double *)(void *)(j->sums.product + products_of(n));
    j->at = (size_t *)(void *)(j->scratch + 2 * n);
    j->factor = (int32_t *)(void *)(j->at + n);
}

/* The square of the normal score of Student's t (Wallace 1959). */
static double score_of(double t, double degrees)
{
    const double c = (8 * degrees + 1) / (8 * degrees + 3);

    return c * c * degrees * log1p(t * t / degrees);
}

/* The kept nodes of one event. */
struct kept {
    double count, sum, square;
};

static struct kept kept_of(const struct judging *j, size_t first, size_t end)
{
    struct kept k = {0};

    for (size_t c = first; c < end; c++)
        if (!j->apart[j->e->cell[c].node]) {
            const double value = j->e->cell[c].value;
            k.count++;
            k.sum += value;
            k.square += value * value;
        }
    return k;
}

static double deviation_of(const struct kept *k)
{
    const double rest = k->square - k->sum * k->sum / k->count;

    return rest > 1e-12 * k->square ? sqrt(rest / (k->count - 1)) : 0;
}

/* Adds each node's score in each event, compared with the other kept nodes.  Scores are
 * bounded, so that one event of many does not decide by the sum.
 */
static void add_scores(struct judging *j)
{
    const struct rc_evidence *e = j->e;
    const double most = j->freedom > 0 ? 9 + 100 / j->freedom : most_score;
    struct sums *s = &j->sums;

    memset(s->score, 0, 4 * e->nodes * sizeof *s->score);
    for (size_t v = 0, c = 0; v < e->events; v++) {
        const struct kept all = kept_of(j, c, e->end[v]);
        for (; c < e->end[v]; c++) {
            const struct rc_evidence_cell *cell = &e->cell[c];
            const double value = cell->value;
            struct kept others = all;
            if (!j->apart[cell->node]) {
                others.count--;
                others.sum -= value;
                others.square -= value * value;
            }
            if (others.count < 2)
                continue;
            const double scale = deviation_of(&others) * sqrt(1 + 1 / others.count);
            const double unit = fmax(scale, fmax((double)cell->error, j->least));
            const double t = (value - others.sum / others.count) / unit;
            const double score = score_of(t, others.count - 1);
            const int64_t number = llround(score * fixed);
            s->score[cell->node] += llround(fmin(score, most) * fixed);
            s->weight[cell->node] += llround(scale * scale / (unit * unit) * fixed);
            s->events[cell->node]++;
            if (number > s->most[cell->node])
                s->most[cell->node] = number;
        }
    }
    j->team->sum(j->team->arg, s->score, 3 * e->nodes);
    j->team->most(j->team->arg, s->most, e->nodes);
}

/* The trace of the third power of the products. */
static double cubes_of(const struct judging *j)
{
    const size_t n = j->kept;
    const int64_t *product = j->sums.product;
    double sum = 0;

    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++) {
            double both = 0;
            for (size_t c = 0; c < n; c++) {
                const double x = (double)product[a > c ? a * n + c : c * n + a];
                both += x * (double)product[b > c ? b * n + c : c * n + b];
            }
            sum += both * (double)product[a * n + b] * (a == b ? 1 : 2);
        }
    return sum / (fixed * fixed * fixed);
}

/* The degrees of freedom of the sum of squares over all events. */
static void find_freedom(struct judging *j)
{
    const struct rc_evidence *e = j->e;
    const size_t n = j->kept;
    struct sums *s = &j->sums;
    double squares = 0, cubes;

    j->freedom = 0;
    if (products_of(e->nodes) == 0)
        return;
    for (size_t i = 0, at = 0; i < e->nodes; i++)
        j->at[i] = at += i > 0 && !j->apart[i - 1];
    memset(s->of_all, 0, 2 * sizeof *s->of_all);
    memset(s->product, 0, n * n * sizeof *s->product);
    for (size_t v = 0, first = 0; v < e->events; first = e->end[v++]) {
        const struct kept all = kept_of(j, first, e->end[v]);
        if (all.count < 3)
            continue;
        const double scale = deviation_of(&all), unit = fmax(scale, j->least);
        const double weight = scale * scale / (unit * unit);
        memset(j->factor, 0, n * sizeof *j->factor);
        for (size_t c = first; c < e->end[v]; c++)
            if (!j->apart[e->cell[c].node])
                j->factor[j->at[e->cell[c].node]] = (int32_t)lround(
                    (e->cell[c].value - all.sum / all.count) / unit * fixed_factor);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b <= a; b++)
                s->product[a * n + b] += (int64_t)j->factor[a] * j->factor[b];
        s->of_all[0] += llround(weight * fixed);
        s->of_all[1] += llround(weight * weight * fixed);
    }
    j->team->sum(j->team->arg, s->of_all, 2 + n * n);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++)
            squares += pow((double)s->product[a * n + b] / fixed, 2) * (a == b ? 1 : 2);
    const double all = (double)s->of_all[0] / fixed, own = (double)s->of_all[1] / fixed;
    const double pairs = all * all - own, degrees = (double)n - 1;
    double common = 0, thirds = 0; /* of pairs and triples, without chance's share */
    j->freedom = j->skew = 1;
    if (!(own > 0) || n < 3)
        return;
    squares /= degrees * degrees;
    cubes = cubes_of(j) / (degrees * degrees * degrees);
    common = (squares - own - pairs / degrees) / (1 - 1 / degrees);
    common = fmin(fmax(common, 0), pairs);
    thirds = cubes - own - 3 * (squares - own) - 3 * all * common / degrees -
             all * all * all / (degrees * degrees);
    /* Allows for estimates from so few nodes, which may be too small. */
    const double more = 1 + 2 * sqrt(2 / degrees);
    common = fmin(common * more, pairs);
    const double second = own + common;
    const double third = own + 3 * common + fmax(thirds, 0) * pow(more, 1.5);
    j->freedom = fmax(all * all / second, 1);
    j->skew = fmin(fmax(pow(second, 3) / (third * third), 1), j->freedom);
}

/* The mean of the kept nodes' numbers, and their standard deviation. */
static double mean_of_kept(const struct judging *j, const double *number,
                           double *deviation, double *count)
{
    struct kept k = {0};

    for (size_t i = 0; i < j->e->nodes; i++)
        if (!j->apart[i] && j->sums.events[i] > 0) {
            k.count++;
            k.sum += number[i];
            k.square += number[i] * number[i];
        }
    *deviation = k.count > 1 ? deviation_of(&k) : 0;
    *count = k.count;
    return k.count > 0 ? k.sum / k.count : 0;
}

/* The probability that Student's t is 't' or more. */
static double above(double t, double degrees)
{
    const double half = rc_both_tails_t(fabs(t), degrees) / 2;

    return t > 0 ? half : 1 - half;
}

/* p by the sum of scores.  Its cube root is normal (Wilson and Hilferty 1931).  Where
 * the kept nodes scatter more than chi-square does (heavy tails), by more than chance
 * explains, their scatter is used.
 */
static void sums_p(struct judging *j, double *p)
{
    const struct sums *s = &j->sums;
    const double all = fmax((double)s->of_all[0] / fixed, 1);
    double *y = j->scratch, deviation, count;

    for (size_t i = 0; i < j->e->nodes; i++) {
        const double weight = fmax((double)s->weight[i] / fixed, 1);
        y[i] = cbrt((double)s->score[i] / fixed / weight);
        if (j->freedom > 0) {
            const double part = fmin(weight / all, 1), h = fmax(j->skew * part, 1);
            const double f = fmax(j->freedom * part, 1);
            const double x = (double)s->score[i] / fixed / weight;
            y[i] =
                (cbrt(1 + (x - 1) * sqrt(f / h)) - 1 + 2 / (9 * h)) / sqrt(2 / (9 * h));
        }
    }
    const double mean = mean_of_kept(j, y, &deviation, &count);
    double middle = mean, scale = deviation * sqrt(1 + 1 / count), degrees = count - 1;
    if (j->freedom > 0) {
        const double known = fmax(count - 1, 1);
        const double more =
            deviation * deviation * known / rc_quantile_chi2(0.9, known);
        middle = 0;
        scale = sqrt(fmax(more, 1));
        degrees = fmax(known * known / 2, 1); /* of the estimate of f */
    }
    for (size_t i = 0; i < j->e->nodes; i++)
        p[i] = s->events[i] > 0 && scale > 0 && count > 1
                   ? above((y[i] - middle) / scale, degrees)
                   : 1;
}

/* p by the farthest events: for each by chance, and by the extreme value distribution
 * (Gumbel) with the median and the median absolute deviation of all nodes' farthest
 * ones, since with heavy tails every node has an event that is far off.
 */
static void farthest_p(const struct judging *j, const double *farthest, double *p)
{
    const size_t nodes = j->e->nodes;
    double *room = j->scratch;

    memcpy(room, farthest, nodes * sizeof *room);
    const double middle = rc_median(room, nodes);
    for (size_t i = 0; i < nodes; i++)
        room[i] = fabs(farthest[i] - middle);
    const double scale = rc_median(room, nodes) / 0.767, mode = middle - 0.367 * scale;
    for (size_t i = 0; i < nodes; i++) {
        const double events = (double)j->sums.events[i];
        const double chance = events * rc_both_tails_t(farthest[i], normal_degrees);
        const double like = -expm1(-exp(-(farthest[i] - mode) / scale));
        if (events > 1) /* two tests were made */
            p[i] = 2 * fmin(p[i], scale > 0 ? fmax(chance, like) : chance);
    }
}

static void find_p(struct judging *j, double *p)
{
    double *farthest = j->scratch + j->e->nodes;

    add_scores(j);
    sums_p(j, p);
    for (size_t i = 0; i < j->e->nodes; i++)
        farthest[i] = sqrt((double)j->sums.most[i] / fixed);
    farthest_p(j, farthest, p);
    for (size_t i = 0; i < j->e->nodes; i++)
        p[i] = fmin(p[i] * (double)j->e->nodes, 1);
}

/* Scores each node by the medians of all. */
static void score_by_medians(struct judging *j)
{
    const struct rc_evidence *e = j->e;

    memset(j->sums.score, 0, 3 * e->nodes * sizeof *j->sums.score);
    for (size_t v = 0, first = 0; v < e->events; first = e->end[v++]) {
        const size_t count = e->end[v] - first;
        for (size_t i = 0; i < count; i++)
            j->scratch[i] = e->cell[first + i].value;
        const double middle = rc_median(j->scratch, count);
        for (size_t i = 0; i < count; i++)
            j->scratch[i] = fabs(e->cell[first + i].value - middle);
        const double mad = normal_mad * rc_median(j->scratch, count);
        for (size_t c = first; c < e->end[v]; c++) {
            const struct rc_evidence_cell *cell = &e->cell[c];
            const double unit = fmax(mad, fmax((double)cell->error, j->least));
            const double score =
                score_of((cell->value - middle) / unit, fmax((double)count / 2, 1));
            j->sums.score[cell->node] += llround(score * fixed);
            j->sums.events[cell->node]++;
        }
    }
    j->team->sum(j->team->arg, j->sums.score, 3 * e->nodes);
}

/* Leaves the 30 % with the largest scores apart. */
static void begin(struct judging *j)
{
    const size_t nodes = j->e->nodes, out = nodes * 3 / 10;
    double *mean = j->scratch;

    score_by_medians(j);
    for (size_t i = 0; i < nodes; i++) {
        const double events = (double)j->sums.events[i];
        mean[i] = events > 0 ? (double)j->sums.score[i] / events : 0;
        mean[nodes + i] = mean[i];
    }
    qsort(mean + nodes, nodes, sizeof *mean, rc_order_reals);
    j->kept = 0;
    for (size_t i = 0; i < nodes; i++) {
        j->apart[i] = mean[i] > mean[2 * nodes - 1 - out];
        j->kept += !j->apart[i];
    }
}

static void sum_alone(void *arg, int64_t *number, size_t count)
{
    (void)arg;
    (void)number;
    (void)count;
}

void rc_evidence_judge(const struct rc_evidence *e, double least,
                       const struct rc_evidence_team *team, void *room, double *p,
                       bool *apart)
{
    static const struct rc_evidence_team alone = {sum_alone, sum_alone, NULL};
    /* A distance of up to 'least' is at most 3 units. */
    struct judging j = {
        .e = e, .team = team ? team : &alone, .least = least / 3, .apart = apart};
    bool changed = true;

    for (size_t i = 0; i < e->nodes; i++)
        p[i] = 1;
    if (e->nodes < 3)
        return;
    lay_out(&j, room);
    begin(&j);
    for (int round = 0; round < ROUNDS && changed; round++) {
        find_freedom(&j);
        find_p(&j, p);
        size_t kept = 0;
        for (size_t i = 0; i < e->nodes; i++)
            kept += p[i] > apart_p;
        changed = false;
        if (2 * kept <= e->nodes) /* the others would not be a majority */
            break;
        for (size_t i = 0; i < e->nodes; i++) {
            changed |= apart[i] != (p[i] <= apart_p);
            apart[i] = p[i] <= apart_p;
        }
        j.kept = kept;
    }
}
