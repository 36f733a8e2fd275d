/* exact.c - laws of exact counts: a sparse search over sums of terms, and what of it is
 * more than chance
 *
 * Sums of one to four terms are tried in the order of their simplicity.  A sum fits if the
 * counts lie in the space that its terms span at the points; reflections (Householder's)
 * take a term's direction out of all others, so that for the last term only its direction
 * is compared with what is left of the counts.  Coefficients of what fits are solved, made
 * fractions, and the law must then give each count to its last digit.
 */
#include "solve/model/exact.h"

#include "campaign/base/arena.h"
#include "campaign/base/mix.h"
#include "solve/model/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TERMS = 4,
    DIMENSIONS = 8,    /* of the space in which the search is done */
    DICTIONARY = 3000, /* terms of several parameters, at most */
    FACTORS = 96,      /* of one parameter, at most */
    DENOMINATOR = 64,
    MOST_BITS = 40, /* of a term */
    APART = 10,     /* bits: a law that is 1,000 times as likely as others is the one */
};
/* The expected number of laws that hold by chance, above which none is believed. */
static const double CHANCE = 0.04;

struct fraction {
    double over;
    int under;
};

struct term {
    unsigned char of[RC_LAW_PARAMETERS]; /* factors of the dictionary */
    bool unlikely; /* has a factor that no law along one parameter has */
    int bits;      /* the less, the simpler */
};

struct column {
    double x[DIMENSIONS];
};

struct held {
    size_t terms, term[TERMS];
    struct fraction coefficient[TERMS];
    double bits;   /* of its terms and coefficients */
    double chance; /* expected number of laws of this kind that hold by chance */
};

struct search {
    struct rc_arena arena;
    size_t parameters, points;
    double *at;                            /* [point][parameter] */
    double *count;                         /* of each point */
    bool rational;                         /* counts are whole or fractions */
    bool same;                             /* in each repetition, or in most of them */
    size_t values[RC_LAW_PARAMETERS];      /* different ones, of each parameter */
    long double *table[RC_LAW_PARAMETERS]; /* factors: [factor][point] */
    struct term *term;
    size_t terms;
    long double *solving; /* TERMS + 1 columns of points */

    size_t dimensions;
    struct column *column[TERMS]; /* after so many reflections, of each term */
    struct column left[TERMS];    /* of the counts */
    size_t wanted, reach;         /* terms of a law; of the dictionary that are tried */
    size_t chosen[TERMS];
    int limit; /* bits of terms */

    size_t holding;
    struct held held[RC_LAWS_CHOICES]; /* the simplest first */
    /* Factors that laws along one parameter have; in the search of these laws factors are
     * all that is noted.
     */
    bool likely[RC_LAW_PARAMETERS][FACTORS], line;
};

/* The value that most readings of a point are; false: there is no such value. */
static bool usual_value(const double *value, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) {
        size_t equal = 0;

        for (size_t j = 0; j < count; j++)
            equal += value[j] == value[i]; /* NOLINT: counts are exact */
        if (2 * equal > count) {
            *out = value[i];
            return true;
        }
    }
    return false;
}

/* False: there is no memory, or readings of a point differ by more than an over-count. */
static bool load_points(struct search *s, const struct rc_observed *o)
{
    s->parameters = o->parameters;
    s->at = rc_arena_array(&s->arena, o->points * o->parameters, sizeof *s->at);
    s->count = rc_arena_array(&s->arena, o->points, sizeof *s->count);
    s->same = true;
    if (s->arena.failed)
        return false;
    for (size_t i = 0; i < o->points; i++) {
        const size_t readings = o->first[i + 1] - o->first[i];
        const double *value = o->value + o->first[i];
        double sum = 0, least = INFINITY, most = -INFINITY;

        if (readings == 0)
            continue;
        memcpy(s->at + s->points * o->parameters, o->at + i * o->parameters,
               o->parameters * sizeof *s->at);
        for (size_t j = 0; j < readings; j++) {
            sum += value[j] / (double)readings;
            least = fmin(least, value[j]);
            most = fmax(most, value[j]);
        }
        if (!usual_value(value, readings, &s->count[s->points])) {
            s->count[s->points] = sum;
            s->same = false;
            if (most - least > 0.02 * fabs(sum))
                return false;
        }
        s->points++;
    }
    return true;
}

static bool is_whole(double value)
{
    return value == rint(value); /* NOLINT: whole numbers are exact */
}

/* A fraction with a denominator that coefficients may have. */
static bool is_rational(double value)
{
    for (int under = 1; under <= DENOMINATOR; under++)
        if (fabs(value * under - rint(value * under)) <= fabs(value * under) * 1e-15)
            return true;
    return false;
}

/* Large numbers look whole whatever they are: numbers that show their last digits tell. */
static bool are_rational(const struct search *s)
{
    bool told = false;

    for (size_t i = 0; i < s->points; i++) {
        if (fabs(s->count[i]) >= 0x1p44)
            continue;
        if (!is_rational(s->count[i]))
            return false;
        told = true;
    }
    return told;
}

static size_t different_values(const struct search *s, size_t parameter)
{
    size_t different = 0;

    for (size_t i = 0; i < s->points; i++) {
        size_t j = 0;

        while (s->at[j * s->parameters + parameter] !=
               s->at[i * s->parameters + parameter])
            j++;
        different += j == i;
    }
    return different;
}

/* Simple exponents have few bits: x 1, x^2 2, x^3 3, log2(x) 3, x^(1/2) 4. */
static int factor_bits(struct rc_law_factor f)
{
    const int size = abs(f.over);
    int bits = f.under == 1 ? size : f.under == 2 ? 4 + (size > 1) : 6 + (size > 2);

    if (f.logs)
        bits += f.logs == 2 ? 5 : 3;
    return bits + (f.over < 0);
}

static long double factor_at(struct rc_law_factor f, double x)
{
    long double value = 1;

    if (f.under == 1) {
        for (int i = 0; i < abs(f.over); i++)
            value *= x;
        value = f.over < 0 ? 1 / value : value;
    } else {
        value = powl(x, (long double)f.over / f.under);
    }
    for (int i = 0; i < f.logs; i++)
        value *= log2l(x);
    return value;
}

/* The factor is rational at x: its root and its logarithm are whole. */
static bool factor_is_rational(struct rc_law_factor f, double x)
{
    const double root = rint(pow(x, 1.0 / f.under));
    int exponent;

    return (f.logs == 0 || frexp(x, &exponent) == 0.5) && /* NOLINT: a power of 2 */
           (f.under == 1 || pow(root, f.under) == x);     /* NOLINT: whole */
}

/* The factors that a law of these points may have of a parameter.  Two of its values do
 * not tell one factor from another, and counts that are rational have rational terms.
 */
static size_t usable_factors(const struct search *s, size_t parameter,
                             unsigned char *out)
{
    size_t count = 0;

    for (size_t f = 0; f < rc_terms_count && f < FACTORS; f++) {
        bool usable = f == 0 || s->values[parameter] > 2;

        for (size_t i = 0; i < s->points && usable; i++) {
            const double x = s->at[i * s->parameters + parameter];

            usable = isfinite((double)s->table[parameter][f * s->points + i]) &&
                     (!s->rational || factor_is_rational(rc_terms[f], x));
        }
        if (usable)
            out[count++] = (unsigned char)f;
    }
    return count;
}

static int by_bits(const void *one, const void *other)
{
    const struct term *a = one, *b = other;

    if (a->unlikely != b->unlikely)
        return a->unlikely - b->unlikely;
    return a->bits != b->bits ? a->bits - b->bits : memcmp(a->of, b->of, sizeof a->of);
}

/* Appends the products of factors from 'parameter' on to the term so far: likely ones,
 * and unlikely ones of at most 'most' bits; with 'most' below 0 both are limited.  False:
 * there is no room for all.
 */
static bool add_products(struct search *s, const unsigned char (*usable)[FACTORS],
                         const size_t *count, size_t parameter, struct term so_far,
                         int most, size_t room)
{
    if (most < 0 ? so_far.bits > most + MOST_BITS
                 : so_far.unlikely && so_far.bits > most)
        return true;
    if (parameter == s->parameters) {
        if (s->terms == room)
            return false;
        so_far.bits += so_far.bits == 0; /* the constant has a bit, too */
        s->term[s->terms++] = so_far;
        return true;
    }
    for (size_t i = 0; i < count[parameter]; i++) {
        const unsigned char f = usable[parameter][i];
        struct term next = so_far;

        next.of[parameter] = f;
        next.unlikely = so_far.unlikely || !s->likely[parameter][f];
        if (f > 0)
            next.bits += factor_bits(rc_terms[f]) +
                         (s->parameters > 2 ? 2 : (int)s->parameters - 1);
        if (!add_products(s, usable, count, parameter + 1, next, most, room))
            return false;
    }
    return true;
}

static long double term_at(const struct search *s, size_t term, size_t point)
{
    long double value = 1;

    for (size_t p = 0; p < s->parameters; p++)
        value *= s->table[p][s->term[term].of[p] * s->points + point];
    return value;
}

/* Rows are divided by this, so that deviations are relative; a count of 0 is as the least
 * of the others.
 */
static double row_size(const struct search *s, size_t point)
{
    double least = INFINITY;

    if (s->count[point] != 0)
        return fabs(s->count[point]);
    for (size_t i = 0; i < s->points; i++)
        if (s->count[i] != 0)
            least = fmin(least, fabs(s->count[i]));
    return least;
}

static double largest_count(const struct search *s)
{
    double largest = 0;

    for (size_t i = 0; i < s->points; i++)
        largest = fmax(largest, fabs(s->count[i]));
    return largest;
}

/* Brings terms and counts into the space of the search.  More points than it has
 * dimensions are mixed by random weights: what holds at all points holds for any sums of
 * them.
 */
static void fill_columns(struct search *s)
{
    uint64_t state = 1;

    s->dimensions = s->points < DIMENSIONS ? s->points : DIMENSIONS;
    for (size_t i = 0; i < s->points; i++) {
        double weight[DIMENSIONS] = {0};
        const double size = row_size(s, i);

        for (size_t d = 0; d < s->dimensions; d++)
            weight[d] = s->points > DIMENSIONS
                            ? (double)(rc_mix_next(&state) >> 11) * 0x1p-52 - 1
                            : (d == i);
        for (size_t d = 0; d < s->dimensions; d++)
            s->left[0].x[d] += weight[d] * s->count[i] / size;
        for (size_t t = 0; t < s->terms; t++) {
            const double value = (double)term_at(s, t, i) / size;

            for (size_t d = 0; d < s->dimensions; d++)
                s->column[0][t].x[d] += weight[d] * value;
        }
    }
    for (size_t t = 0; t < s->terms; t++) {
        double sum = 0;

        for (size_t d = 0; d < s->dimensions; d++)
            sum += s->column[0][t].x[d] * s->column[0][t].x[d];
        for (size_t d = 0; d < s->dimensions; d++)
            s->column[0][t].x[d] /= sqrt(sum);
    }
}

static double dot(const struct column *a, const struct column *b, size_t dimensions)
{
    double sum = 0;

    for (size_t d = 0; d < dimensions; d++)
        sum += a->x[d] * b->x[d];
    return sum;
}

static void reflect(const struct column *mirror, double factor, const struct column *in,
                    size_t dimensions, struct column *out)
{
    const double along = factor * dot(mirror, in, dimensions);

    for (size_t d = 1; d < dimensions; d++)
        out->x[d - 1] = in->x[d] - along * mirror->x[d];
}

/* Takes the direction of a term out of the later terms and of the counts.  False: the
 * term is one of those before it at these points, or nothing is left of the counts.
 */
static bool take_out(struct search *s, size_t level, size_t term)
{
    const size_t dimensions = s->dimensions - level;
    struct column mirror = s->column[level][term];
    const double size = sqrt(dot(&mirror, &mirror, dimensions));

    if (!(size > 1e-10))
        return false;
    mirror.x[0] += mirror.x[0] < 0 ? -size : size;
    const double factor = 2 / dot(&mirror, &mirror, dimensions);
    struct column *left = &s->left[level + 1];

    reflect(&mirror, factor, &s->left[level], dimensions, left);
    if (dot(left, left, dimensions - 1) < 1e-24)
        return false;
    for (size_t t = term + 1; t < s->reach; t++)
        reflect(&mirror, factor, &s->column[level][t], dimensions,
                &s->column[level + 1][t]);
    return true;
}

/* Orthogonal columns (Gram and Schmidt, modified): solves for the coefficients where
 * 'solution' is given; the determinant of the space that the terms span, as a logarithm
 * to the base 2.  Rows are divided by 'size', or left as they are.
 */
static double solve_terms(struct search *s, const struct held *law, bool scaled,
                          long double *solution)
{
    const size_t n = s->points, k = law->terms;
    long double *q = s->solving, r[TERMS][TERMS + 1], determinant = 0;

    for (size_t i = 0; i < n; i++) {
        const long double size = scaled ? row_size(s, i) : 1;

        for (size_t t = 0; t < k; t++)
            q[t * n + i] = term_at(s, law->term[t], i) / size;
        q[k * n + i] = s->count[i] / size;
    }
    for (size_t t = 0; t < k; t++) {
        long double norm = 0;

        for (size_t i = 0; i < n; i++)
            norm += q[t * n + i] * q[t * n + i];
        determinant += log2l(norm) / 2;
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
static bool simple_fraction(long double value, struct fraction *out)
{
    const long double within = 1e-5L + 1e-12L * fabsl(value);

    for (int under = 1; under <= DENOMINATOR; under++) {
        const long double over = rintl(value * under);

        if (fabsl(value - over / under) > within)
            continue;
        *out = (struct fraction){(double)over, under};
        return over != 0;
    }
    return false;
}

/* The law gives each count to its last digit.  Only counts that are not whole, or too
 * large to show their last digit, are rounded.
 */
static bool holds(const struct search *s, const struct held *law)
{
    for (size_t i = 0; i < s->points; i++) {
        const double count = s->count[i];
        const bool digits = is_whole(count) && fabs(count) <= 0x1p53;
        long double value = 0, size = 0;

        for (size_t t = 0; t < law->terms; t++) {
            const long double part = law->coefficient[t].over *
                                     term_at(s, law->term[t], i) /
                                     law->coefficient[t].under;
            value += part;
            size += fabsl(part);
        }
        if (!(fabsl(value - count) <= size * (digits ? 0x1p-59L : 0x1p-50L)))
            return false;
    }
    return true;
}

/* Each parameter of the law has more values than the law has factors of it, 1 included. */
static bool has_values(const struct search *s, const struct held *law)
{
    for (size_t p = 0; p < s->parameters; p++) {
        bool seen[FACTORS] = {false};
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
static bool may_be_rounded(const struct search *s, const struct held *law)
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

static struct rc_law law_of(const struct search *s, const struct held *held)
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

/* A count is at least 0, also where all parameters are much larger. */
static bool stays_above(const struct search *s, const struct held *held)
{
    const struct rc_law law = law_of(s, held);
    double at[RC_LAW_PARAMETERS];

    for (size_t i = 0; i < s->points; i++) {
        for (size_t p = 0; p < s->parameters; p++)
            at[p] = 1024 * s->at[i * s->parameters + p];
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
static int term_bits(const struct search *s, const struct held *law, size_t t)
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
static double laws_by_chance(struct search *s, const struct held *law)
{
    const double place = last_place(s->count, s->points);
    const double largest = fmax(largest_count(s) / place, 1);
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
static double law_bits(const struct search *s, const struct held *law)
{
    double bits = 0;

    for (size_t t = 0; t < law->terms; t++) {
        const struct fraction c = law->coefficient[t];
        const double round = last_place(&c.over, 1);

        bits += term_bits(s, law, t) + log2(1 + fabs(c.over) / round) +
                2 * log2(c.under) + log2(1 + log10(round));
    }
    return bits;
}

/* Keeps the chosen terms and 'last' if they are a law that holds. */
static void try_terms(struct search *s, size_t last)
{
    struct held law = {.terms = s->wanted};
    long double solution[TERMS];
    size_t place = s->holding;

    s->chosen[s->wanted - 1] = last;
    if (s->line) {
        for (size_t t = 0; t < s->wanted; t++)
            s->likely[0][s->term[s->chosen[t]].of[0]] = true;
        s->holding++;
        return;
    }
    memcpy(law.term, s->chosen, sizeof law.term);
    (void)solve_terms(s, &law, true, solution);
    for (size_t t = 0; t < law.terms; t++)
        if (!simple_fraction(solution[t], &law.coefficient[t]))
            return;
    if (!has_values(s, &law) || !holds(s, &law) || may_be_rounded(s, &law) ||
        !stays_above(s, &law))
        return;
    law.bits = law_bits(s, &law);
    law.chance = laws_by_chance(s, &law);
    while (place > 0 && s->held[place - 1].bits > law.bits)
        place--;
    if (place == RC_LAWS_CHOICES)
        return;
    s->holding += s->holding < RC_LAWS_CHOICES;
    memmove(s->held + place + 1, s->held + place,
            (s->holding - place - 1) * sizeof law);
    s->held[place] = law;
    s->limit = (int)s->held[0].bits + APART;
}

/* Tries all laws of the wanted number of terms which go on after those that are chosen. */
static void try_from(struct search *s, size_t level, size_t from, int bits)
{
    const size_t dimensions = s->dimensions - level;
    const struct column *left = &s->left[level];

    for (size_t t = from; t < s->reach; t++) {
        const struct column *column = &s->column[level][t];

        if (bits + s->term[t].bits > s->limit)
            continue;
        if (level + 1 < s->wanted) {
            s->chosen[level] = t;
            if (take_out(s, level, t))
                try_from(s, level + 1, t + 1, bits + s->term[t].bits);
            continue;
        }
        const double size = dot(column, column, dimensions);
        const double along = dot(column, left, dimensions) / size;
        double rest = 0;

        for (size_t d = 0; d < dimensions; d++) {
            const double one = left->x[d] - along * column->x[d];
            rest += one * one;
        }
        if (size > 1e-20 && rest < 1e-20)
            try_terms(s, t);
    }
}

static void search_laws(struct search *s, size_t most)
{
    static const size_t reach[] = {DICTIONARY, 1200, 250, 90};

    s->limit = 1000;
    for (size_t k = 1; k <= most && k < s->points; k++) {
        s->wanted = k;
        s->reach = s->terms < reach[k - 1] ? s->terms : reach[k - 1];
        try_from(s, 0, 0, 0);
        if (s->line && s->holding)
            break;
    }
}

/* The points on the line through 'through' along a parameter. */
static size_t take_line(const struct search *s, size_t parameter, size_t through,
                        struct search *line)
{
    const size_t k = s->parameters;
    size_t count = 0;

    for (size_t i = 0; i < s->points; i++) {
        bool on = true;

        for (size_t p = 0; p < k && on; p++)
            on = p == parameter || s->at[i * k + p] == s->at[through * k + p];
        if (!on)
            continue;
        line->at[count] = s->at[i * k + parameter];
        line->count[count++] = s->count[i];
    }
    return count;
}

static void prepare_search(struct search *s);

/* Notes the factors of the laws, with any coefficients, that hold on the longest line
 * along the parameter.
 */
static void note_likely(struct search *s, size_t parameter)
{
    struct search line = {.parameters = 1, .same = true, .line = true};
    size_t longest = 0, through = 0;

    line.at = rc_arena_array(&line.arena, s->points, sizeof *line.at);
    line.count = rc_arena_array(&line.arena, s->points, sizeof *line.count);
    for (size_t i = 0; i < s->points && !line.arena.failed; i++) {
        const size_t length = take_line(s, parameter, i, &line);

        if (length > longest) {
            longest = length;
            through = i;
        }
    }
    if (longest > 2) {
        line.points = take_line(s, parameter, through, &line);
        prepare_search(&line);
        if (!line.arena.failed)
            search_laws(&line, 3);
    }
    for (size_t f = 0; f < FACTORS; f++)
        s->likely[parameter][f] = f == 0 || line.likely[0][f];
    s->arena.failed = s->arena.failed || line.arena.failed;
    rc_arena_free(&line.arena);
}

/* The terms that a law of these points may have, those of likely factors first. */
static void build_dictionary(struct search *s, size_t room)
{
    unsigned char usable[RC_LAW_PARAMETERS][FACTORS];
    size_t count[RC_LAW_PARAMETERS];
    int most = MOST_BITS;

    for (size_t p = 0; p < s->parameters; p++) {
        s->values[p] = different_values(s, p);
        for (size_t f = 0; f < rc_terms_count; f++)
            for (size_t i = 0; i < s->points; i++)
                s->table[p][f * s->points + i] =
                    factor_at(rc_terms[f], s->at[i * s->parameters + p]);
        count[p] = usable_factors(s, p, usable[p]);
        if (s->parameters > 1 && s->same)
            note_likely(s, p);
    }
    do {
        s->terms = 0;
    } while (!add_products(s, (const unsigned char(*)[FACTORS])usable, count, 0,
                           (struct term){.bits = 0}, most--, room));
    qsort(s->term, s->terms, sizeof *s->term, by_bits);
}

/* Makes all that the search needs; a failure is noted in the arena. */
static void prepare_search(struct search *s)
{
    const size_t room = s->parameters > 1 ? DICTIONARY : FACTORS;

    for (size_t p = 0; p < s->parameters; p++)
        s->table[p] =
            rc_arena_array(&s->arena, rc_terms_count * s->points, sizeof *s->table[p]);
    s->solving = rc_arena_array(&s->arena, (TERMS + 1) * s->points, sizeof *s->solving);
    s->term = rc_arena_array(&s->arena, room, sizeof *s->term);
    for (size_t k = 0; k < TERMS; k++)
        s->column[k] = rc_arena_array(&s->arena, room, sizeof *s->column[k]);
    if (s->arena.failed)
        return;
    s->rational = s->same && are_rational(s);
    build_dictionary(s, room);
    fill_columns(s);
}

/* Takes the simplest law that holds, and all that are nearly as simple. */
static void take_held(const struct search *s, struct rc_laws *out)
{
    double sum = 0;

    if (s->holding == 0 || s->held[0].chance > CHANCE)
        return;
    while (out->count < s->holding &&
           s->held[out->count].bits <= s->held[0].bits + APART) {
        struct rc_laws_choice *choice = &out->choice[out->count];

        choice->law = law_of(s, &s->held[out->count]);
        choice->weight = exp2(s->held[0].bits - s->held[out->count].bits);
        sum += choice->weight;
        out->count++;
    }
    for (size_t i = 0; i < out->count; i++)
        out->choice[i].weight /= sum;
    out->exact = out->count == 1;
    out->degrees = (double)(s->points - s->held[0].terms);
}

static bool is_constant(const struct search *s, struct rc_laws *out)
{
    for (size_t i = 0; i < s->points; i++)
        if (s->count[i] != s->count[0]) /* NOLINT: counts are exact */
            return false;
    out->exact = true;
    out->count = 1;
    out->degrees = (double)s->points - 1;
    out->choice[0] = (struct rc_laws_choice){.weight = 1, .law.terms = 1};
    out->choice[0].law.term[0].coefficient = s->count[0];
    for (size_t p = 0; p < RC_LAW_PARAMETERS; p++)
        out->choice[0].law.term[0].of[p] = rc_terms[0];
    return true;
}

/* A coefficient so simple that few numbers lie so near above one, and which the shares
 * 'least' to 'most' exceed alike: each by 0.5 to 1.5 times the middle one.
 */
static bool exceeded_alike(double least, double most, struct fraction *out)
{
    for (int under = 1; under <= 3; under++)
        for (int unit = 1; unit <= 8; unit += 7) {
            const double over = floor(least * under / unit) * unit;
            const double low = least * under / over - 1, high = most * under / over - 1;
            const double middle = (low + high) / 2;

            if (over > 0 && low >= 0.0025 && high <= 0.02 && low >= 0.5 * middle &&
                high <= 1.5 * middle &&
                0.0175 * over * (under > 2 ? 2 : 1) / unit < 0.2) {
                *out = (struct fraction){over, under};
                return true;
            }
        }
    return false;
}

/* Laws of one term that all points exceed by about the same share. */
static void find_over_count(struct search *s, struct rc_laws *out)
{
    for (size_t t = 0; t < s->terms; t++) {
        struct held law = {.terms = 1, .term = {t}};
        double least = INFINITY, most = 0, small = INFINITY, sum = 0, squares = 0;

        for (size_t i = 0; i < s->points; i++) {
            const double ratio = s->count[i] / (double)term_at(s, t, i);

            least = fmin(least, ratio);
            most = fmax(most, ratio);
            small = fmin(small, s->count[i]);
            sum += ratio / (double)s->points;
            squares += ratio * ratio / (double)s->points;
        }
        if (!(least > 0 && most < 1.0125 * least) || largest_count(s) < 4 * small ||
            !has_values(s, &law) || !exceeded_alike(least, most, &law.coefficient[0]))
            continue;
        out->words |= RC_LAWS_OVERCOUNT;
        out->over_count = sum * law.coefficient[0].under / law.coefficient[0].over - 1;
        out->count = 1;
        out->degrees = (double)s->points - 1;
        out->misfit = sqrt(fmax(squares - sum * sum, 0)) / sum;
        out->noise = out->misfit;
        out->choice[0].law = law_of(s, &law);
        out->choice[0].weight = 1;
        return;
    }
}

static void note_range(const struct search *s, struct rc_laws *out)
{
    for (size_t p = 0; p < s->parameters; p++) {
        out->least[p] = INFINITY;
        for (size_t i = 0; i < s->points; i++) {
            const double x = s->at[i * s->parameters + p];

            out->least[p] = fmin(out->least[p], x);
            out->most[p] = fmax(out->most[p], x);
        }
    }
}

int rc_laws_exact(const struct rc_observed *observed, struct rc_laws *out,
                  struct rc_error *err)
{
    struct search s = {0};
    int status;

    *out = (struct rc_laws){.parameters = observed->parameters};
    if (!load_points(&s, observed))
        goto out;
    note_range(&s, out);
    if (s.points < 3 || (s.same && is_constant(&s, out)))
        goto out;
    prepare_search(&s);
    if (s.arena.failed)
        goto out;
    if (s.same) {
        search_laws(&s, TERMS);
        take_held(&s, out);
    }
    if (out->count == 0 && s.holding == 0 && s.points > 3)
        find_over_count(&s, out);
out:
    status = rc_arena_check(&s.arena, err, "the search of an exact law");
    rc_arena_free(&s.arena);
    return status;
}
