/* Coordinates with noise become small fractions, the surest first. */
#include "solve/algebra/snap.h"

#include "campaign/base/memory.h"
#include "solve/algebra/fraction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double deviations = 4;      /* largest distance of a fraction */
static const double risk_whole = 0.05;   /* that a whole number is met by chance */
static const double risk_most = 0.003;   /* that another fraction is */
static const double risk_lattice = 0.02; /* that all are multiples of one, likewise */
static const double risk_each = 0.1;     /* that one of these is */
enum { LATTICE_MOST = 128 }; /* largest common denominator of an event's coordinates */

/* How much less a number is expected at that distance from its presumed value than
 * within a deviation: the risk that it is another number, which can be anywhere, grows
 * by as much.
 */
static double surprise(double distance, double deviation)
{
    const double far = deviation > 0 ? distance / deviation : 0;

    return exp(fmax(0, (far * far - 1) / 2));
}

/* The fraction that a coordinate may be, in units of 'scale', and the risk that it is
 * not one: there are about under^2 fractions as simple in a unit.
 */
static double risk_of(double x, double deviation, double scale, double *out)
{
    const double within = deviations * deviation / scale;
    struct rc_fraction f;

    if (!rc_fraction_near(x / scale, within, INT64_C(1) << 10, &f))
        return INFINITY;
    *out = rc_fraction_value(f) * scale;
    return within * (double)f.under * (double)f.under *
           (f.under == 1 ? risk_most / risk_whole : 1) * surprise(x - *out, deviation);
}

bool rc_snap_one(double x, double deviation, double *out)
{
    return risk_of(x, deviation, 1, out) <= risk_most;
}

/* Sets coordinate 'at' to 'value': the others follow by their covariance with it. */
static void condition(size_t columns, size_t at, double value, double *covariance,
                      double *x)
{
    const double variance = covariance[at * columns + at], step = x[at] - value;

    for (size_t i = 0; i < columns && variance > 0; i++) {
        const double share = covariance[i * columns + at] / variance;
        x[i] -= share * step;
        if (i == at)
            continue;
        for (size_t k = 0; k < columns; k++)
            if (k != at)
                covariance[i * columns + k] -= share * covariance[at * columns + k];
        covariance[i * columns + i] = fmax(covariance[i * columns + i], 0);
    }
    for (size_t i = 0; i < columns; i++)
        covariance[i * columns + at] = covariance[at * columns + i] = 0;
    x[at] = value;
}

/* The unit of an event's coordinates: some count in thousands or thousandths. */
static double scale_of(const double *x, size_t ideals)
{
    double largest = 0;

    for (size_t i = 0; i < ideals; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest > 500 ? 1000 : largest < 0.01 ? 0.001 : 1;
}

/* Coordinates, some of which are fractions already. */
struct snap {
    size_t columns, ideals;
    double *covariance, *x, scale;
    bool *done;    /* [ideal], then room for a trial */
    size_t count;  /* of fractions */
    double square; /* sum of squares of their distances, in deviations */
};

static void snap_to(struct snap *s, size_t at, double value)
{
    const double variance = s->covariance[at * s->columns + at];

    s->square += variance > 0 ? (s->x[at] - value) * (s->x[at] - value) / variance : 0;
    condition(s->columns, at, value, s->covariance, s->x);
    s->done[at] = true;
    s->count++;
}

/* Rounds coordinates that are not fractions yet to multiples of 'unit', the most
 * certain first, as far as they are known well enough.  Returns the chance that all of
 * them that do not become 0 are near such multiples, or INFINITY where one is not.
 */
static double snap_to_multiples(struct snap *s, double unit)
{
    double chance = 1;

    for (;;) {
        size_t at = s->ideals;
        double least = risk_each * unit / 2 / deviations;
        for (size_t i = 0; i < s->ideals; i++) {
            const double own = sqrt(s->covariance[i * s->columns + i]);
            if (!s->done[i] && own < least) {
                least = own;
                at = i;
            }
        }
        if (at == s->ideals)
            return chance;
        const double value = rint(s->x[at] / unit) * unit;
        if (fabs(s->x[at] - value) > deviations * least)
            return INFINITY;
        if (value != 0)
            chance *= 2 * deviations * least / unit * surprise(s->x[at] - value, least);
        snap_to(s, at, value);
    }
}

/* The common denominator of the present fractions; 1 where it is large. */
static int denominator_of(const struct snap *s)
{
    int64_t all = 1;

    for (size_t i = 0; i < s->ideals; i++) {
        struct rc_fraction f = {0, 1};
        if (s->done[i] && s->x[i] != 0 &&
            !rc_fraction_near(s->x[i] / s->scale, 1e-12, LATTICE_MOST, &f))
            return 1;
        int64_t a = all, b = f.under;
        while (b != 0) {
            const int64_t rest = a % b;
            a = b;
            b = rest;
        }
        if ((all = all / a * f.under) > LATTICE_MOST)
            return 1;
    }
    return (int)all;
}

/* Gives the remaining coordinates the common denominator of the others, or a multiple
 * of it, if their agreement is more than chance: the more multiples are tried, the
 * larger the chance.
 */
static void snap_together(struct snap *s, double *room)
{
    const int first = denominator_of(s);
    const size_t n = s->columns;
    double *covariance = room, *x = covariance + n * n;
    bool *done = s->done + s->ideals;

    for (int under = first; under <= LATTICE_MOST && s->count < s->ideals;
         under += first) {
        struct snap try = *s;
        try.covariance = covariance;
        try.x = x;
        try.done = done;
        memcpy(covariance, s->covariance, n * n * sizeof *x);
        memcpy(x, s->x, n * sizeof *x);
        memcpy(done, s->done, s->ideals * sizeof *done);
        if (snap_to_multiples(&try, s->scale / under) * under / first > risk_lattice)
            continue;
        memcpy(s->covariance, covariance, n * n * sizeof *x);
        memcpy(s->x, x, n * sizeof *x);
        memcpy(s->done, done, s->ideals * sizeof *done);
        s->count = try.count;
        s->square = try.square;
        return;
    }
}

bool rc_snap(size_t columns, size_t ideals, double *covariance, double *x)
{
    double *was = rc_calloc(columns + 1, sizeof *was);
    double *room = rc_calloc(columns * (columns + 1) + 1, sizeof *room);
    bool *done = rc_calloc(2 * ideals + 1, sizeof *done);
    struct snap s = {columns, ideals, covariance, x, scale_of(x, ideals), done, 0, 0};
    bool likely = was && done && room;

    if (likely)
        memcpy(was, x, columns * sizeof *x);
    while (likely && s.count < ideals) {
        double least = INFINITY, value = 0, best = 0;
        size_t at = 0;
        for (size_t i = 0; i < ideals; i++) {
            const double deviation = sqrt(covariance[i * columns + i]);
            const double risk =
                done[i] ? INFINITY : risk_of(x[i], deviation, s.scale, &value);
            if (risk < least) {
                least = risk;
                best = value;
                at = i;
            }
        }
        if (!(least <= risk_most))
            break;
        snap_to(&s, at, best);
    }
    if (likely)
        snap_together(&s, room);
    /* If noise is all, the mean of 'count' squares is 1, with a known deviation. */
    likely = likely && s.square <= (double)s.count + 4 * sqrt(2 * (double)s.count);
    if (!likely && was)
        memcpy(x, was, columns * sizeof *x);
    free(was);
    free(room);
    free(done);
    return likely;
}
