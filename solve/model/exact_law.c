/* exact_law.c - a law of exact counts: its coefficients, whether it holds to the last digit,
 * and how many such laws chance would make
 */
#include "solve/model/exact_parts.h"

#include <math.h>
#include <string.h>

static bool is_whole(double value)
{
    return value == rint(value); /* NOLINT: whole numbers are exact */
}

long double rc_exact_term_at(const struct rc_exact *s, size_t term, size_t point)
{
    long double value = 1;

    for (size_t p = 0; p < s->parameters; p++)
        value *= s->table[p][s->term[term].of[p] * s->points + point];
    return value;
}

double rc_exact_row_size(const struct rc_exact *s, size_t point)
{
    double least = INFINITY;

    if (s->count[point] != 0)
        return fabs(s->count[point]);
    for (size_t i = 0; i < s->points; i++)
        if (s->count[i] != 0)
            least = fmin(least, fabs(s->count[i]));
    return least;
}

double rc_exact_largest(const struct rc_exact *s)
{
    double largest = 0;

    for (size_t i = 0; i < s->points; i++)
        largest = fmax(largest, fabs(s->count[i]));
    return largest;
}

/* Orthogonal columns (Gram and Schmidt, modified): solves for the coefficients where
 * 'solution' is given; the determinant of the space that the terms span, as a logarithm
 * to the base 2.  Rows are divided by 'size', or left as they are.
 */
static double solve_terms(struct rc_exact *s, const struct rc_exact_law *law,
                          bool scaled, long double *solution)
{
    const size_t n = s->points, k = law->terms;
    long double *q = s->solving, r[RC_EXACT_TERMS][RC_EXACT_TERMS + 1], determinant = 0;

    for (size_t i = 0; i < n; i++) {
        const long double size = scaled ? rc_exact_row_size(s, i) : 1;

        for (size_t t = 0; t < k; t++)
            q[t * n + i] = rc_exact_term_at(s, law->term[t], i) / size;
        q[k * n + i] = s->count[i] / size;
    }
    for (size_t t = 0; t < k; t++) {
        long double norm = 0;

        for (size_t i = 0; i < n; i++)
            norm += q[t * n + i] * q[t * n + i];
        determinant += norm > 0 ? log2l(norm) / 2 : 0;
        for (size_t u = t + 1; u <= k; u++) {
            long double along = 0;

            for (size_t i = 0; i < n; i++)
                along += q[t * n + i] * q[u * n + i];
            r[t][u] = along / norm;
            for (size_t i = 0; i < n; i++)
                q[u * n + i] -= r[t][u] * q[t * n + i];
        }
    }
    for (size_t t = k; t-- > 0 && solution;) {
        solution[t] = r[t][k];
        for (size_t u = t + 1; u < k; u++)
            solution[t] -= r[t][u] * solution[u];
    }
    return (double)determinant;
}

/* The simplest fraction near the coefficient; false: none, or it is 0. */
static bool simple_fraction(long double value, struct rc_exact_fraction *out)
{
    const long double within = 1e-5L + 1e-12L * fabsl(value);

    for (int under = 1; under <= RC_EXACT_DENOMINATOR; under++) {
        const long double over = rintl(value * under);

        if (fabsl(value - over / under) > within)
            continue;
        *out = (struct rc_exact_fraction){(double)over, under};
        return over != 0;
    }
    return false;
}

/* The law gives each count to its last digit.  Only counts that are not whole, or too
 * large to show their last digit, are rounded.
 */
static bool holds(const struct rc_exact *s, const struct rc_exact_law *law)
{
    for (size_t i = 0; i < s->points; i++) {
        const double count = s->count[i];
        const bool digits = is_whole(count) && fabs(count) <= 0x1p53;
        long double value = 0, size = 0;

        for (size_t t = 0; t < law->terms; t++) {
            const long double part = law->coefficient[t].over *
                                     rc_exact_term_at(s, law->term[t], i) /
                                     law->coefficient[t].under;
            value += part;
            size += fabsl(part);
        }
        if (!(fabsl(value - count) <= size * (digits ? 0x1p-59L : 0x1p-50L)))
            return false;
    }
    return true;
}

bool rc_exact_has_values(const struct rc_exact *s, const struct rc_exact_law *law)
{
    for (size_t p = 0; p < s->parameters; p++) {
        bool seen[RC_EXACT_FACTORS] = {false};
        size_t factors = 0;

        for (size_t t = 0; t < law->terms; t++) {
            const unsigned char f = s->term[law->term[t]].of[p];

            factors += !seen[f];
            seen[f] = true;
        }
        if ((factors > 1 || !seen[0]) && factors >= s->values[p])
            return false;
    }
    return true;
}

/* Whole counts with a constant of a half or a quarter are as well a rounded law without
 * it: n/4 + 1/2 at 10, 18, 26 is n/4, rounded up.
 */
static bool may_be_rounded(const struct rc_exact *s, const struct rc_exact_law *law)
{
    bool fraction = false;

    for (size_t t = 0; t < law->terms; t++)
        fraction = fraction ||
                   (s->term[law->term[t]].bits == 1 &&
                    !memcmp(s->term[law->term[t]].of,
                            (unsigned char[RC_LAW_PARAMETERS]){0}, RC_LAW_PARAMETERS) &&
                    law->coefficient[t].under > 1);
    for (size_t i = 0; i < s->points && fraction; i++)
        fraction = is_whole(s->count[i]);
    return fraction;
}

struct rc_law rc_exact_law_of(const struct rc_exact *s, const struct rc_exact_law *held)
{
    struct rc_law law = {.terms = held->terms};

    for (size_t t = 0; t < held->terms; t++) {
        law.term[t].coefficient =
            held->coefficient[t].over / held->coefficient[t].under;
        for (size_t p = 0; p < RC_LAW_PARAMETERS; p++)
            law.term[t].of[p] = rc_terms[s->term[held->term[t]].of[p]];
    }
    return law;
}

/* Factors by which all parameters grow, the fastest by 1024: as they do together from one
 * point to another, so that a parameter that follows from others still does (p = px * py).
 */
static void find_growth(const struct rc_exact *s, double growth[RC_LAW_PARAMETERS])
{
    double sum[RC_LAW_PARAMETERS] = {0}, most = 0;

    for (size_t i = 0; i < s->points; i++)
        for (size_t j = 0; j < s->points; j++) {
            const double *from = s->at + j * s->parameters,
                         *to = s->at + i * s->parameters;
            bool grows = true;

            for (size_t p = 0; p < s->parameters; p++)
                grows = grows && to[p] >= from[p];
            for (size_t p = 0; p < s->parameters && grows; p++)
                sum[p] += log2(to[p] / from[p]);
        }
    for (size_t p = 0; p < s->parameters; p++)
        most = fmax(most, sum[p]);
    for (size_t p = 0; p < s->parameters; p++)
        growth[p] = most > 0 ? exp2(10 * sum[p] / most) : 1;
}

/* A count is at least 0, also where all parameters are much larger. */
static bool stays_above(const struct rc_exact *s, const struct rc_exact_law *held)
{
    const struct rc_law law = rc_exact_law_of(s, held);
    double at[RC_LAW_PARAMETERS], growth[RC_LAW_PARAMETERS];

    find_growth(s, growth);
    for (size_t i = 0; i < s->points; i++) {
        for (size_t p = 0; p < s->parameters; p++)
            at[p] = growth[p] * s->at[i * s->parameters + p];
        if (!(rc_law_at(&law, at, s->parameters) >= 0))
            return false;
    }
    return true;
}

/* The last decimal place that the numbers have: 1000 for 5000 and 12000. */
static double last_place(const double *value, size_t count)
{
    double place = 1e-12;

    for (int exponent = -11; exponent < 16; exponent++) {
        const double next = pow(10, exponent);

        for (size_t i = 0; i < count; i++) {
            const double scaled = value[i] / next;

            if (!(fabs(scaled - rint(scaled)) <= fabs(scaled) * 1e-15))
                return place;
        }
        place = next;
    }
    return place;
}

/* Terms that are taken away are rare, but for constants. */
static int term_bits(const struct rc_exact *s, const struct rc_exact_law *law, size_t t)
{
    const int bits = s->term[law->term[t]].bits;

    return bits + (law->coefficient[t].over < 0 && bits > 1 ? 2 : 0);
}

/* How many laws of as many terms, of such simplicity, are expected to hold by chance, if
 * the counts were some smooth function with rounding or noise of any size from half a
 * digit on, each size as likely as its double.  Coefficients for which the law stays within
 * the noise fill a volume, (2 noise)^terms over the determinant; fractions like those
 * found lie in it at a known density; and one in (2 noise + 1)^(points - terms) of them
 * also meets the other points.
 */
static double laws_by_chance(struct rc_exact *s, const struct rc_exact_law *law)
{
    const double place = last_place(s->count, s->points);
    const double largest = fmax(rc_exact_largest(s) / place, 1);
    double bits = -solve_terms(s, law, false, NULL), left = M_LN2, power = 1;

    for (size_t t = 0; t < law->terms; t++) {
        const int under = law->coefficient[t].under;
        const double round = under > 1 ? 1 : last_place(&law->coefficient[t].over, 1);

        bits += term_bits(s, law, t) + log2(place / fmax(1, fmin(round, place))) +
                log2(1 + 0.304 * (under * under - 1));
    }
    for (size_t i = 1; i < s->points - law->terms; i++) {
        power /= 2;
        left -= power / (double)i;
    }
    return exp2(bits) * fmax(left, 0x1p-30) / log(2 * largest);
}

/* Bits of a law, as someone would write it down. */
static double law_bits(const struct rc_exact *s, const struct rc_exact_law *law)
{
    double bits = 0;

    for (size_t t = 0; t < law->terms; t++) {
        const struct rc_exact_fraction c = law->coefficient[t];
        const double round = last_place(&c.over, 1);

        bits += term_bits(s, law, t) + log2(1 + fabs(c.over) / round) +
                2 * log2(c.under) + log2(1 + log10(round));
    }
    return bits;
}

bool rc_exact_judge(struct rc_exact *s, struct rc_exact_law *law)
{
    long double solution[RC_EXACT_TERMS] = {0};

    (void)solve_terms(s, law, true, solution);
    for (size_t t = 0; t < law->terms; t++)
        if (!simple_fraction(solution[t], &law->coefficient[t]))
            return false;
    if (!rc_exact_has_values(s, law) || !holds(s, law) || may_be_rounded(s, law) ||
        !stays_above(s, law))
        return false;
    law->bits = law_bits(s, law);
    law->chance = laws_by_chance(s, law);
    return true;
}
