/* The simplest sum of events that equals a metric, over a pool of events.
 *
 * All vectors are scaled to norm 1, so that a coefficient is the size of a part.  The
 * first independent events, in the order of their simplicity, are the basis, in which
 * each event and the metric have one representation.  An event of the basis and one
 * outside it are exchanged as in a simplex.
 */
#include "solve/algebra/combine.h"

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "solve/algebra/coordinates.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* 'sure': rounding of a coefficient.  Least values: the tolerance of directions, the
 * new part of an event of a basis, and a coefficient.  'doubts': deviations that are
 * tolerated.
 */
static const double sure = 1e-12, same_least = 1e-9, new_least = 1e-6,
                    part_least = 1e-8, doubts = 4;

struct rc_combiner {
    struct rc_arena arena;
    size_t events, ideals, rank;
    const double *doubt; /* [event], or NULL */
    double most;         /* doubt of a combination in use */
    double *u;           /* [event][ideal] */
    double *norm;        /* [event] */
    double *gram;        /* [event][event] */
    size_t *basis;       /* [rank] */
    double *q;           /* [rank][ideal], orthogonal */
    double *r;           /* [row][column of the basis], room for [ideal][ideal] */
    double *table;       /* [event][rank] in the basis */
    /* For the present metric: */
    double *work;  /* [event][rank]; or a basis of terms */
    double *y;     /* [rank] */
    double *along; /* [event] */
    double *part, *rest, *next;
    size_t *have; /* [rank] the basis after exchanges */
};

/* The quality of a combination, compared from the first to the last: not too large for
 * use, not a difference of large numbers, few coefficients that are not positive whole
 * numbers, few events.
 */
struct merit {
    bool large, cancels;
    size_t odd, terms;
    double cost, doubt;
};

static bool is_better(const struct merit *a, const struct merit *b)
{
    if (a->large != b->large)
        return b->large;
    if (a->large)
        return a->doubt < 0.999 * b->doubt;
    if (a->cancels != b->cancels)
        return b->cancels;
    if (a->odd != b->odd)
        return a->odd < b->odd;
    return a->terms != b->terms ? a->terms < b->terms : a->cost < b->cost - 1e-9;
}

/* Takes the components along the first 'rank' vectors of q off 'rest', twice; 'part'
 * gets them.  Returns the norm of the remainder.
 */
static double take_off(const double *q, size_t rank, size_t ideals, double *rest,
                       double *part)
{
    memset(part, 0, rank * sizeof *part);
    for (int times = 0; times < 2; times++)
        for (size_t i = 0; i < rank; i++) {
            const double along = rc_dot(q + i * ideals, rest, ideals);
            part[i] += along;
            for (size_t k = 0; k < ideals; k++)
                rest[k] -= along * q[i * ideals + k];
        }
    return sqrt(rc_dot(rest, rest, ideals));
}

static void solve_back(const double *r, size_t width, size_t count, double *x)
{
    for (size_t i = count; i-- > 0;) {
        for (size_t j = i + 1; j < count; j++)
            x[i] -= r[i * width + j] * x[j];
        x[i] /= r[i * width + i];
    }
}

/* Adds a vector to an orthogonal basis unless the basis spans it. */
static bool append(double *q, double *r, size_t rank, size_t ideals, const double *u,
                   double *rest, double *part)
{
    if (rank == ideals)
        return false;
    memcpy(rest, u, ideals * sizeof *rest);
    const double left = take_off(q, rank, ideals, rest, part);
    if (!(left > new_least))
        return false;
    for (size_t i = 0; i < rank; i++)
        r[i * ideals + rank] = part[i];
    r[rank * ideals + rank] = left;
    for (size_t k = 0; k < ideals; k++)
        q[rank * ideals + k] = rest[k] / left;
    return true;
}

static double doubt_of(const struct rc_combiner *c, size_t event, double part)
{
    return c->doubt ? part * c->doubt[event] : 0;
}

/* The tolerance of a combination of norm 1. */
static double slack_of(double doubt)
{
    return fmax(same_least, doubts * doubt);
}

/* The doubt of 'y' in the basis 'have' with 'event' in the place 'place'. */
static double doubt_of_all(const struct rc_combiner *c, const size_t *have,
                           const double *y, size_t place, size_t event)
{
    double doubt = 0;

    for (size_t i = 0; i < c->rank && c->doubt; i++)
        doubt = hypot(doubt, doubt_of(c, i == place ? event : have[i], y[i]));
    return doubt;
}

/* Whether an event is independent of the basis, beyond doubt. */
static bool is_new(struct rc_combiner *c, size_t event)
{
    memcpy(c->rest, c->u + event * c->ideals, c->ideals * sizeof *c->rest);
    const double left = take_off(c->q, c->rank, c->ideals, c->rest, c->y);
    solve_back(c->r, c->ideals, c->rank, c->y);
    return left > 3 * slack_of(hypot(doubt_of(c, event, 1),
                                     doubt_of_all(c, c->basis, c->y, SIZE_MAX, 0)));
}

int rc_combiner_create(const struct rc_combine_events *from, struct rc_combiner **out,
                       struct rc_error *err)
{
    const size_t n = from->events, d = from->ideals, number = sizeof(double);
    struct rc_combiner *c = *out = rc_calloc(1, sizeof *c);

    if (!c)
        return rc_fail(err, RC_ENOMEM, "no memory for combinations");
    struct rc_arena *arena = &c->arena;
    c->events = n;
    c->ideals = d;
    c->doubt = from->doubt;
    c->u = rc_arena_array(arena, n * d, number);
    c->norm = rc_arena_array(arena, n, number);
    c->gram = rc_arena_array(arena, n, n * number);
    c->basis = rc_arena_array(arena, d, sizeof *c->basis);
    c->have = rc_arena_array(arena, d, sizeof *c->have);
    c->q = rc_arena_array(arena, d * d, number);
    c->r = rc_arena_array(arena, d * d, number);
    c->table = rc_arena_array(arena, n * d, number);
    c->work = rc_arena_array(arena, (n > 2 * d ? n : 2 * d) * d, number);
    c->y = rc_arena_array(arena, d, number);
    c->next = rc_arena_array(arena, d, number);
    c->along = rc_arena_array(arena, n, number);
    c->part = rc_arena_array(arena, d, number);
    c->rest = rc_arena_array(arena, d, number);
    const int status = rc_arena_check(arena, err, "combinations");
    if (status != RC_OK) {
        rc_combiner_close(c);
        *out = NULL;
        return status;
    }
    for (size_t e = 0; e < n; e++) {
        const double *x = from->x + e * d;
        c->norm[e] = sqrt(rc_dot(x, x, d));
        for (size_t k = 0; k < d && c->norm[e] > 0; k++)
            c->u[e * d + k] = x[k] / c->norm[e];
        if (is_new(c, e) &&
            append(c->q, c->r, c->rank, d, c->u + e * d, c->rest, c->part))
            c->basis[c->rank++] = e;
    }
    for (size_t e = 0; e < n; e++) {
        memcpy(c->rest, c->u + e * d, d * number);
        (void)take_off(c->q, c->rank, d, c->rest, c->table + e * c->rank);
        solve_back(c->r, d, c->rank, c->table + e * c->rank);
        for (size_t f = 0; f <= e; f++)
            c->gram[e * n + f] = c->gram[f * n + e] =
                rc_dot(c->u + e * d, c->u + f * d, d);
    }
    return RC_OK;
}

void rc_combiner_close(struct rc_combiner *combiner)
{
    if (!combiner)
        return;
    rc_arena_free(&combiner->arena);
    free(combiner);
}

/* How far from simple the coefficient of an event is: 1 costs nothing, a fraction costs
 * its digits, and other numbers cost most.
 */
static double cost_of(const struct rc_combiner *c, size_t event, double part,
                      double norm, double slack)
{
    const double value = part * norm / c->norm[event];
    struct rc_fraction f;

    if (!rc_fraction_near(value, 3 * slack * fabs(value), 1 << 16, &f) || f.over == 0)
        return 64;
    return log2(fabs((double)f.over)) + log2((double)f.under) + (f.over < 0 ? 0.5 : 0);
}

/* Whether a coefficient is not a positive whole number. */
static bool is_odd(const struct rc_combiner *c, size_t event, double part, double norm,
                   double slack)
{
    const double value = part * norm / c->norm[event];

    return !(rint(value) >= 1 && fabs(value - rint(value)) <= 3 * slack * value);
}

/* The distance of the combination from the metric of norm 1. */
static double off_by(const struct rc_combiner *c, const double *s, const size_t *event,
                     const double *y, size_t count)
{
    double square = 0;

    for (size_t k = 0; k < c->ideals; k++) {
        double sum = -s[k];
        for (size_t i = 0; i < count; i++)
            sum += y[i] * c->u[event[i] * c->ideals + k];
        square += sum * sum;
    }
    return sqrt(square);
}

/* Tries one event, then two; 'norm' is the metric's.  Returns how many it takes. */
static size_t try_few(const struct rc_combiner *c, const double *s, double norm,
                      size_t *event, double *y)
{
    double least = INFINITY;
    size_t count = 0;

    for (size_t e = 0; e < c->events; e++) {
        const double part = c->along[e], slack = slack_of(doubt_of(c, e, part));
        if (fabs(part) < 0.5 || off_by(c, s, &e, &part, 1) > slack)
            continue;
        const double cost = cost_of(c, e, part, norm, slack);
        if (cost < least - 1e-9) {
            least = cost;
            event[0] = e;
            y[0] = part;
            count = 1;
        }
    }
    for (size_t e = 0; e < c->events && count != 1; e++)
        for (size_t f = 0; f < e; f++) {
            const double g = c->gram[e * c->events + f], whole = 1 - g * g;
            const size_t both[] = {f, e};
            if (whole < new_least * new_least)
                continue;
            const double part[] = {(c->along[f] - g * c->along[e]) / whole,
                                   (c->along[e] - g * c->along[f]) / whole};
            const double doubt =
                hypot(doubt_of(c, f, part[0]), doubt_of(c, e, part[1]));
            const double slack = slack_of(doubt);
            if (fabs(1 - part[0] * c->along[f] - part[1] * c->along[e]) >
                    1e-6 + 10 * slack ||
                fabs(part[0]) + fabs(part[1]) > RC_COMBINE_PARTS || doubt > c->most ||
                off_by(c, s, both, part, 2) > slack)
                continue;
            const double cost = cost_of(c, f, part[0], norm, slack) +
                                cost_of(c, e, part[1], norm, slack);
            if (cost >= least - 1e-9)
                continue;
            least = cost;
            memcpy(event, both, sizeof both);
            memcpy(y, part, sizeof part);
            count = 2;
        }
    return count;
}

static bool is_part(double y, double doubt)
{
    return fabs(y) > fmax(part_least, doubts * doubt);
}

/* The merit of y[i] in the basis c->have with 'event' in the place 'place'. */
static struct merit merit_of(const struct rc_combiner *c, const double *y, size_t place,
                             size_t event, double norm, const struct merit *best)
{
    struct merit m = {0};
    double all = 0;

    m.doubt = doubt_of_all(c, c->have, y, place, event);
    for (size_t i = 0; i < c->rank; i++) {
        all += fabs(y[i]);
        m.terms += is_part(y[i], m.doubt);
    }
    m.large = all > RC_COMBINE_PARTS || m.doubt > c->most;
    m.cancels = all > RC_COMBINE_CANCELS;
    for (size_t i = 0; i < c->rank; i++)
        m.odd += is_part(y[i], m.doubt) && is_odd(c, i == place ? event : c->have[i],
                                                  y[i], norm, slack_of(m.doubt));
    const bool close = !best || (m.odd == best->odd && m.terms <= best->terms);
    for (size_t i = 0; i < c->rank && close; i++)
        if (is_part(y[i], m.doubt))
            m.cost += cost_of(c, i == place ? event : c->have[i], y[i], norm,
                              slack_of(m.doubt));
    return m;
}

/* y with the event in the place of another of the basis; false: it cannot go there. */
static bool exchange(const struct rc_combiner *c, size_t place, size_t event, double *y)
{
    const double *column = c->work + event * c->rank;

    if (!(fabs(column[place]) > 1e-5))
        return false;
    const double step = c->y[place] / column[place];
    for (size_t i = 0; i < c->rank; i++)
        y[i] = c->y[i] - step * column[i];
    y[place] = step;
    return true;
}

/* Exchanges events as long as that improves the combination. */
static void improve(struct rc_combiner *c, double norm)
{
    enum { EXCHANGES = 64 };
    struct merit best = merit_of(c, c->y, SIZE_MAX, 0, norm, NULL);

    for (int times = 0; times < EXCHANGES; times++) {
        size_t place = SIZE_MAX, event = 0;
        for (size_t e = 0; e < c->events; e++)
            for (size_t i = 0; i < c->rank; i++) {
                if (!is_part(c->y[i], best.doubt) || c->have[i] == e ||
                    !exchange(c, i, e, c->next))
                    continue;
                const struct merit m = merit_of(c, c->next, i, e, norm, &best);
                if (is_better(&m, &best)) {
                    best = m;
                    place = i;
                    event = e;
                }
            }
        if (place == SIZE_MAX)
            return;
        (void)exchange(c, place, event, c->next);
        memcpy(c->y, c->next, c->rank * sizeof *c->y);
        /* Represents all events in the basis after the exchange. */
        double *pivot = c->part;
        memcpy(pivot, c->work + event * c->rank, c->rank * sizeof *pivot);
        for (size_t e = 0; e < c->events; e++) {
            double *column = c->work + e * c->rank;
            const double step = column[place] / pivot[place];
            for (size_t i = 0; i < c->rank; i++)
                column[i] -= step * pivot[i];
            column[place] = step;
        }
        c->have[place] = event;
    }
}

/* Fits the coefficients of these events alone; false where they are not independent. */
static bool refit(struct rc_combiner *c, const double *s, const size_t *event,
                  size_t count, double *y)
{
    double *q = c->work, *r = c->work + c->ideals * c->ideals;

    for (size_t i = 0; i < count; i++)
        if (!append(q, r, i, c->ideals, c->u + event[i] * c->ideals, c->rest, c->part))
            return false;
    memcpy(c->rest, s, c->ideals * sizeof *s);
    (void)take_off(q, count, c->ideals, c->rest, y);
    solve_back(r, c->ideals, count, y);
    return true;
}

/* How many of the coefficients are not positive whole numbers. */
static size_t count_odd(const struct rc_combiner *c, const size_t *event,
                        const double *y, size_t count, double norm)
{
    double doubt = 0;
    size_t odd = 0;

    for (size_t i = 0; i < count; i++)
        doubt = hypot(doubt, doubt_of(c, event[i], y[i]));
    for (size_t i = 0; i < count; i++)
        odd += is_odd(c, event[i], y[i], norm, slack_of(doubt));
    return odd;
}

/* Tries more than two events: exchanges, starting from the simplest. */
static size_t try_many(struct rc_combiner *c, const double *s, double norm,
                       size_t *event, double *y)
{
    size_t count = 0;

    memcpy(c->work, c->table, c->events * c->rank * sizeof *c->work);
    memcpy(c->have, c->basis, c->rank * sizeof *c->have);
    solve_back(c->r, c->ideals, c->rank, c->y);
    improve(c, norm);
    const double doubt = doubt_of_all(c, c->have, c->y, SIZE_MAX, 0);
    for (size_t i = 0; i < c->rank; i++)
        if (is_part(c->y[i], doubt))
            event[count++] = c->have[i];
    qsort(event, count, sizeof *event, rc_order_sizes);
    return refit(c, s, event, count, y) ? count : 0;
}

/* Whether the combination is the metric, and its parts are not too large. */
static bool holds(const struct rc_combiner *c, const double *s, const size_t *event,
                  const double *y, size_t count)
{
    double all = 0, doubt = 0;

    for (size_t i = 0; i < count; i++) {
        all += fabs(y[i]);
        doubt = hypot(doubt, doubt_of(c, event[i], y[i]));
    }
    return all <= RC_COMBINE_PARTS &&
           off_by(c, s, event, y, count) <= 3 * slack_of(doubt);
}

int rc_combine(struct rc_combiner *c, const double *wanted, double doubt, size_t *event,
               double *coefficient, size_t *count, bool *spanned, struct rc_error *err)
{
    const size_t d = c->ideals;
    const double norm = sqrt(rc_dot(wanted, wanted, d));
    struct rc_arena arena = {0};
    double *s = rc_arena_array(&arena, d, sizeof *s);
    double *part = rc_arena_array(&arena, d + 1, sizeof *part);
    size_t *many = rc_arena_array(&arena, d + 1, sizeof *many);
    const int status = rc_arena_check(&arena, err, "combinations");

    *count = 0;
    *spanned = false;
    c->most = doubt;
    if (status != RC_OK || !(norm > 0))
        goto out;
    for (size_t k = 0; k < d; k++)
        s[k] = c->rest[k] = wanted[k] / norm;
    const double off = take_off(c->q, c->rank, d, c->rest, c->y);
    memcpy(c->next, c->y, c->rank * sizeof *c->y);
    solve_back(c->r, d, c->rank, c->next);
    *spanned = off <= 3 * slack_of(doubt_of_all(c, c->basis, c->next, SIZE_MAX, 0));
    if (!*spanned)
        goto out;
    for (size_t e = 0; e < c->events; e++)
        c->along[e] = rc_dot(c->u + e * d, s, d);
    size_t found = try_few(c, s, norm, event, coefficient);
    const size_t odd = count_odd(c, event, coefficient, found, norm);
    /* One event comes before any sum, and two before more where both are whole. */
    if (found == 0 || (found == 2 && odd > 0)) {
        const size_t more = try_many(c, s, norm, many, part);
        if (more > 0 && holds(c, s, many, part, more) &&
            (found == 0 || count_odd(c, many, part, more, norm) < odd)) {
            memcpy(event, many, more * sizeof *event);
            memcpy(coefficient, part, more * sizeof *part);
            found = more;
        }
    }
    if (found == 0 || !holds(c, s, event, coefficient, found))
        goto out;
    for (size_t i = 0; i < found; i++) {
        struct rc_fraction f;
        const double value = coefficient[i] * norm / c->norm[event[i]];
        coefficient[i] = rc_fraction_near(value, sure * fabs(value), 1 << 16, &f)
                             ? rc_fraction_value(f)
                             : value;
    }
    *count = found;
out:
    rc_arena_free(&arena);
    return status;
}
