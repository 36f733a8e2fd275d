/* The class of a planted machine's events in each suite: by simple dense algebra from
 * the planted counts, without the solve's own functions.
 */
#include "tests/planted/planted.h"

#include "campaign/base/memory.h"
#include "campaign/records/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A smaller number is rounding; one above NEAR times a threshold of the solve exceeds
 * it, and between the two nothing is sure.
 */
static const double rounding = 1e-9;
#define NEAR 3.0

/* Allowed counts of nothing, per iteration, relative to the largest weight. */
static const double stray_most = 1e-2;

double planted_norm(const double *vector, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += vector[i] * vector[i];
    return sqrt(sum);
}

int planted_span_init(size_t rows, struct planted_span *out)
{
    *out = (struct planted_span){.rows = rows};
    out->q = rc_calloc(rows * rows, sizeof *out->q);
    return out->q ? 0 : -1;
}

void planted_span_fini(struct planted_span *span)
{
    free(span->q);
}

double planted_span_rest(const struct planted_span *span, const double *vector,
                         double *rest)
{
    memmove(rest, vector, span->rows * sizeof *rest);
    for (int twice = 0; twice < 2; twice++)
        for (size_t j = 0; j < span->count; j++) {
            const double *q = span->q + j * span->rows;
            double along = 0;
            for (size_t i = 0; i < span->rows; i++)
                along += q[i] * rest[i];
            for (size_t i = 0; i < span->rows; i++)
                rest[i] -= along * q[i];
        }
    return planted_norm(rest, span->rows);
}

bool planted_span_add(struct planted_span *span, const double *vector, double least)
{
    double *rest;
    const double norm = planted_norm(vector, span->rows);

    if (span->count == span->rows)
        return false;
    rest = span->q + span->count * span->rows;
    const double left = planted_span_rest(span, vector, rest);
    if (norm == 0 || left <= least * norm)
        return false;
    for (size_t i = 0; i < span->rows; i++)
        rest[i] /= left;
    span->count++;
    return true;
}

/* By Householder's reflections, on columns scaled to 1. */
static double solve_squares(double *a, size_t rows, size_t columns, double *b,
                            double *x, double *scale)
{
    const double all = planted_norm(b, rows);

    for (size_t j = 0; j < columns; j++) {
        double *column = a + j * rows;
        scale[j] = planted_norm(column, rows);
        for (size_t i = 0; i < rows; i++)
            column[i] /= scale[j];
    }
    for (size_t j = 0; j < columns; j++) {
        double *v = a + j * rows, square = 0;
        const double norm = planted_norm(v + j, rows - j);
        const double diagonal = v[j] > 0 ? -norm : norm;
        v[j] -= diagonal;
        for (size_t i = j; i < rows; i++)
            square += v[i] * v[i];
        for (size_t k = j + 1; k <= columns && square > 0; k++) {
            double *c = k < columns ? a + k * rows : b, along = 0;
            for (size_t i = j; i < rows; i++)
                along += v[i] * c[i];
            for (size_t i = j; i < rows; i++)
                c[i] -= 2 * along / square * v[i];
        }
        x[j] = diagonal;
    }
    for (size_t j = columns; j-- > 0;) {
        double sum = b[j];
        for (size_t k = j + 1; k < columns; k++)
            sum -= a[k * rows + j] * x[k];
        x[j] = sum / x[j];
    }
    for (size_t j = 0; j < columns; j++)
        x[j] /= scale[j];
    return all > 0 ? planted_norm(b + columns, rows - columns) / all : 0;
}

double planted_squares(const double *a, size_t rows, size_t columns, const double *b,
                       double *x)
{
    double *room = rc_calloc(rows * (columns + 1) + columns, sizeof *room);
    double left = NAN;

    if (room) {
        double *copy = room + rows * columns;
        memcpy(room, a, rows * columns * sizeof *room);
        memcpy(copy, b, rows * sizeof *copy);
        left = solve_squares(room, rows, columns, copy, x, copy + rows);
    }
    free(room);
    return left;
}

/* Readings per iteration that are valid; their number. */
static size_t valid_vectors(const struct planted *m, size_t event, size_t suite,
                            double *out)
{
    const struct planted_suite *s = &m->suite[suite];
    const size_t points = s->points.count;
    size_t count = 0;

    for (size_t r = 0; r < m->repetitions; r++) {
        const size_t row = event * m->repetitions + r;
        if (s->status[row] != RC_READING_OK)
            continue;
        for (size_t p = 0; p < points; p++)
            out[count * points + p] =
                (double)s->reading[row * points + p] / (double)s->iterations[p];
        count++;
    }
    return count;
}

static double mean_of(const double *vector, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += vector[i];
    return sum / (double)count;
}

/* maxRNMSE, as method.md has it. */
static double noise_of(const double *vector, size_t count, size_t points)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const double *a = vector + i * points, *b = vector + j * points;
            const double means = mean_of(a, points) * mean_of(b, points);
            double sum = 0;
            for (size_t p = 0; p < points; p++)
                sum += (a[p] - b[p]) * (a[p] - b[p]);
            if (means > 0)
                most = fmax(most, sqrt(sum / (double)points / means));
            else if (sum > 0)
                most = fmax(most, 1);
        }
    return most;
}

/* DEAD is said of what is 0 here: whether it is so everywhere comes later. */
static enum rc_class class_of(const struct planted *m, size_t event, size_t suite,
                              double tau, bool *unsure)
{
    const size_t points = m->suite[suite].points.count;
    double *vector = rc_calloc(m->repetitions * points, sizeof *vector), noise;
    size_t count = vector ? valid_vectors(m, event, suite, vector) : 0;
    enum rc_class class = RC_CLASS_INVALID;

    *unsure = false;
    if (count >= 2) {
        noise = noise_of(vector, count, points);
        *unsure = noise > tau / 1.2 && noise < tau * 1.2;
        class = noise > tau ? RC_CLASS_NOISY
                : noise > 0 ? RC_CLASS_STEADY
                            : RC_CLASS_EXACT;
        if (planted_norm(vector, count * points) == 0)
            class = RC_CLASS_DEAD;
    }
    free(vector);
    return class;
}

/* An event that is 0 in one suite only is irrelevant there. */
static enum rc_class tell_dead(const struct planted *m, size_t event)
{
    bool unsure;

    for (size_t s = 0; s < m->suites; s++)
        if (class_of(m, event, s, 1, &unsure) > RC_CLASS_DEAD)
            return RC_CLASS_IRRELEVANT;
    return RC_CLASS_DEAD;
}

static bool is_known(const struct planted_truth *t, size_t point)
{
    const double *known = t->machine->suite[t->suite].known + point * RC_IDEAL_COUNT;

    for (size_t i = 0; i < t->ideals; i++)
        if (isnan(known[t->ideal[i]]))
            return false;
    return true;
}

/* The basis on the suite's points, followed by a column of ones. */
static size_t fill_basis(const struct planted_truth *t, double *a)
{
    const struct planted_suite *s = &t->machine->suite[t->suite];
    const size_t points = s->points.count;
    size_t rows = 0, row = 0;

    for (size_t p = 0; p < points; p++)
        rows += is_known(t, p);
    for (size_t p = 0; p < points; p++) {
        if (!is_known(t, p))
            continue;
        for (size_t i = 0; i < t->ideals; i++)
            a[i * rows + row] = s->known[p * RC_IDEAL_COUNT + t->ideal[i]];
        a[t->ideals * rows + row++] = 1;
    }
    return rows;
}

/* How far the event is from what it is in its suite, on the points of another one. */
static double off_elsewhere(const struct planted_truth *t, size_t event, size_t other)
{
    const struct planted_suite *s = &t->machine->suite[other];
    const double *x = t->event[event].x;
    double off = 0, counted = 0, claimed = 0, most = 0, least = INFINITY;
    size_t points = 0;

    for (size_t i = 0; i < t->ideals; i++)
        most = fmax(most, fabs(x[i]));
    for (size_t i = 0; i < t->ideals; i++)
        if (fabs(x[i]) > t->definition->alpha * most)
            least = fmin(least, fabs(x[i]));
    for (size_t p = 0; p < s->points.count; p++) {
        const double count = planted_count(t->machine, event, other, p);
        double claim = 0;
        for (size_t i = 0; i < t->ideals; i++)
            if (fabs(x[i]) > rounding * most)
                claim += x[i] * s->known[p * RC_IDEAL_COUNT + t->ideal[i]];
        if (isnan(claim))
            continue;
        off += (count - claim) * (count - claim);
        counted += count * count;
        claimed += claim * claim;
        points++;
    }
    const double scale =
        fmax(least * sqrt((double)points), sqrt(fmax(counted, claimed)));
    const double stray = sqrt(off / (double)points) / most * t->definition->purity;
    return points ? fmax(sqrt(off) / scale, claimed > 0 ? 0 : stray / stray_most) : 0;
}

static bool is_loose(const struct rc_suite_definition *d, enum rc_ideal ideal)
{
    for (size_t i = 0; i < d->loose_count; i++)
        if (strcmp(d->loose[i], rc_ideal_name(ideal)) == 0)
            return true;
    return false;
}

/* One ideal that is known nearly only, nearly. */
static bool is_nearly(const struct planted_truth *t, const double *a, size_t rows,
                      const double *b)
{
    double factor;

    for (size_t i = 0; i < t->ideals; i++)
        if (is_loose(t->definition, t->ideal[i]) &&
            planted_squares(a + i * rows, rows, 1, b, &factor) <
                NEAR * t->definition->within)
            return true;
    return false;
}

/* Whether the planted event is a sum of the suite's ideals, or of numbers that are the
 * same on all points, known to the solve or not.
 */
static bool is_meant(const struct planted_truth *t, size_t event)
{
    const struct planted *m = t->machine;
    double off = 0, all = 0;

    for (size_t s = 0; s < m->suites; s++)
        for (size_t p = 0; p < m->suite[s].points.count; p++) {
            const double *done = m->suite[s].done + p * RC_IDEAL_COUNT;
            const double count = planted_count(m, event, s, p);
            double claim = 0;
            for (size_t i = 0; i < t->ideals; i++)
                claim += t->event[event].x[i] * done[t->ideal[i]];
            off += (count - claim) * (count - claim);
            all += count * count;
        }
    return sqrt(off) <= 1e-7 * sqrt(all);
}

static enum planted_kind kind_at_home(struct planted_truth *t, size_t event,
                                      const double *a, size_t rows, const double *b)
{
    const struct rc_suite_definition *d = t->definition;
    double x[RC_IDEAL_COUNT + 1] = {0}, most = 0, besides;
    const double all = planted_norm(b, rows);
    const size_t columns = t->ideals + t->overhead;
    const double left = planted_squares(a, rows, columns, b, x);

    memcpy(t->event[event].x, x, t->ideals * sizeof *x);
    for (size_t i = 0; i < t->ideals; i++)
        most = fmax(most, fabs(x[i]));
    besides = t->overhead ? fabs(x[t->ideals]) * sqrt((double)rows) / all : 0;
    t->event[event].nearly = left > rounding && is_nearly(t, a, rows, b);
    if (t->event[event].nearly)
        return PLANTED_UNSURE;
    if (left > NEAR * d->residual || most < d->alpha / NEAR)
        return t->machine->event[event].rest > 250 ? PLANTED_EITHER : PLANTED_OUTSIDE;
    if (left > rounding || most < d->alpha * NEAR)
        return PLANTED_UNSURE;
    if (besides > NEAR * d->alpha)
        return PLANTED_IMPURE;
    return besides > rounding ? PLANTED_UNSURE : PLANTED_PURE;
}

static bool is_read(const struct planted_truth *t, size_t event, size_t suite)
{
    bool unsure;

    return class_of(t->machine, event, suite, 1, &unsure) != RC_CLASS_INVALID;
}

/* A weight that noise could have made, of an ideal that another suite does not know:
 * whether there are such ideals, or something else was counted, nobody can tell.
 */
static bool is_hidden(const struct planted_truth *t, size_t event)
{
    const struct planted *m = t->machine;
    const double *x = t->event[event].x;
    double most = 0;

    for (size_t i = 0; i < t->ideals; i++)
        most = fmax(most, fabs(x[i]));
    for (size_t i = 0; i < t->ideals; i++) {
        if (fabs(x[i]) <= rounding * most ||
            fabs(x[i]) > NEAR * t->definition->alpha * most)
            continue;
        for (size_t s = 0; s < m->suites; s++)
            for (size_t p = 0; p < m->suite[s].points.count; p++)
                if (isnan(m->suite[s].known[p * RC_IDEAL_COUNT + t->ideal[i]]))
                    return true;
    }
    return false;
}

/* The doubt that whole numbers leave on an event that counts little. */
static double grain_at_home(const struct planted_truth *t, const double *b, size_t rows)
{
    const struct planted_suite *s = &t->machine->suite[t->suite];
    double sum = 0;

    for (size_t p = 0; p < s->points.count; p++)
        sum += pow(0.5 / (double)s->iterations[p], 2);
    return sqrt(sum) / planted_norm(b, rows);
}

static enum planted_kind kind_of(struct planted_truth *t, size_t event, const double *a,
                                 size_t rows, double *b)
{
    const struct planted *m = t->machine;
    const struct rc_suite_definition *d = t->definition;
    size_t row = 0;

    for (size_t p = 0; p < m->suite[t->suite].points.count; p++)
        if (is_known(t, p))
            b[row++] = planted_count(m, event, t->suite, p);
    const double grain = grain_at_home(t, b, row);
    const enum planted_kind home = kind_at_home(t, event, a, rows, b);
    enum planted_kind kind = home;
    for (size_t s = 0; s < m->suites && kind >= PLANTED_UNSURE; s++) {
        if (s == t->suite || !is_read(t, event, s))
            continue;
        const double off = off_elsewhere(t, event, s);
        if (off > NEAR * fmax(d->purity, home == PLANTED_UNSURE ? d->within : 0))
            kind = home == PLANTED_UNSURE ? PLANTED_EITHER : PLANTED_IMPURE;
        else if (off > rounding)
            kind = PLANTED_UNSURE;
    }
    if (kind == PLANTED_PURE &&
        (!is_meant(t, event) || is_hidden(t, event) || grain > d->alpha / 200))
        return PLANTED_UNSURE;
    return kind;
}

static int find_events(struct planted_truth *t, double tau, double *a, double *b)
{
    const struct planted *m = t->machine;
    const size_t rows = fill_basis(t, a);

    for (size_t e = 0; e < m->events; e++) {
        t->event[e].class = class_of(m, e, t->suite, tau, &t->event[e].class_unsure);
        if (t->event[e].class == RC_CLASS_DEAD)
            t->event[e].class = tell_dead(m, e);
        t->event[e].kind = t->event[e].class < RC_CLASS_STEADY
                               ? PLANTED_UNUSABLE
                               : kind_of(t, e, a, rows, b);
        if (t->event[e].class_unsure)
            t->event[e].kind = PLANTED_UNSURE;
    }
    return 0;
}

int planted_truth_find(const struct planted *m, size_t suite,
                       const struct rc_suite_definition *definition,
                       const struct rc_suite_result *r, struct planted_truth *out,
                       struct rc_error *err)
{
    const size_t points = m->suite[suite].points.count;
    double *a = rc_calloc(points * (r->ideal_count + 1), sizeof *a);
    double *b = rc_calloc(points, sizeof *b);
    int status = RC_OK;

    *out = (struct planted_truth){.machine = m,
                                  .suite = suite,
                                  .definition = definition,
                                  .ideals = r->ideal_count,
                                  .overhead = definition->nuisance};
    out->ideal = rc_calloc(r->ideal_count, sizeof *out->ideal);
    if (!a || !b || !out->ideal)
        status = rc_fail(err, RC_ENOMEM, "no memory for a truth");
    for (size_t i = 0; i < r->ideal_count && status == RC_OK; i++)
        out->ideal[i] = rc_ideal_find(r->coordinate[i]);
    if (status == RC_OK) {
        size_t rows = fill_basis(out, a);
        out->overhead &=
            planted_squares(a, rows, out->ideals, a + out->ideals * rows, b) > 1e-3;
        find_events(out, r->tau, a, b);
    }
    free(a);
    free(b);
    return status;
}

void planted_truth_fini(struct planted_truth *truth)
{
    free(truth->ideal);
}
