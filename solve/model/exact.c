/* exact.c - laws of exact counts: a sparse search over sums of terms
 *
 * Sums of one to four terms are tried in the order of their simplicity.  A sum fits if the
 * counts lie in the space that its terms span at the points; reflections (Householder's)
 * take a term's direction out of all others, so that for the last term only its direction
 * is compared with what is left of the counts.  Coefficients of what fits are solved, made
 * fractions, and the law must then give each count to its last digit.
 */
#include "solve/model/exact.h"

#include "campaign/base/mix.h"
#include "solve/model/exact_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DICTIONARY = 3000, /* terms of several parameters, at most */
    MOST_BITS = 40,    /* of a term */
    APART = 10, /* bits: a law that is 1,000 times as likely as others is the one */
};
/* The expected number of laws that hold by chance, above which none is believed. */
static const double CHANCE = 0.04;

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
static bool load_points(struct rc_exact *s, const struct rc_observed *o)
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

/* A fraction with a denominator that coefficients may have. */
static bool is_rational(double value)
{
    for (int under = 1; under <= RC_EXACT_DENOMINATOR; under++)
        if (fabs(value * under - rint(value * under)) <= fabs(value * under) * 1e-15)
            return true;
    return false;
}

/* Large numbers look whole whatever they are: numbers that show their last digits tell. */
static bool are_rational(const struct rc_exact *s)
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

static size_t different_values(const struct rc_exact *s, size_t parameter)
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
static size_t usable_factors(const struct rc_exact *s, size_t parameter,
                             unsigned char *out)
{
    size_t count = 0;

    for (size_t f = 0; f < rc_terms_count && f < RC_EXACT_FACTORS; f++) {
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
    const struct rc_exact_term *a = one, *b = other;

    if (a->unlikely != b->unlikely)
        return a->unlikely - b->unlikely;
    return a->bits != b->bits ? a->bits - b->bits : memcmp(a->of, b->of, sizeof a->of);
}

/* Appends the products of factors from 'parameter' on to the term so far: likely ones,
 * and unlikely ones of at most 'most' bits; with 'most' below 0 both are limited.  False:
 * there is no room for all.
 */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as there are parameters */
static bool add_products(struct rc_exact *s,
                         const unsigned char (*usable)[RC_EXACT_FACTORS],
                         const size_t *count, size_t parameter,
                         struct rc_exact_term so_far, int most, size_t room)
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
        struct rc_exact_term next = so_far;

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

/* Brings terms and counts into the space of the search.  More points than it has
 * dimensions are mixed by random weights: what holds at all points holds for any sums of
 * them.
 */
static void fill_columns(struct rc_exact *s)
{
    uint64_t state = 1;

    s->dimensions = s->points < RC_EXACT_DIMENSIONS ? s->points : RC_EXACT_DIMENSIONS;
    for (size_t i = 0; i < s->points; i++) {
        double weight[RC_EXACT_DIMENSIONS] = {0};
        const double size = rc_exact_row_size(s, i);

        for (size_t d = 0; d < s->dimensions; d++)
            weight[d] = s->points > RC_EXACT_DIMENSIONS
                            ? (double)(rc_mix_next(&state) >> 11) * 0x1p-52 - 1
                            : (d == i);
        for (size_t d = 0; d < s->dimensions; d++)
            s->left[0].x[d] += weight[d] * s->count[i] / size;
        for (size_t t = 0; t < s->terms; t++) {
            const double value = (double)rc_exact_term_at(s, t, i) / size;

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

static double dot(const struct rc_exact_column *a, const struct rc_exact_column *b,
                  size_t dimensions)
{
    double sum = 0;

    for (size_t d = 0; d < dimensions; d++)
        sum += a->x[d] * b->x[d];
    return sum;
}

static void reflect(const struct rc_exact_column *mirror, double factor,
                    const struct rc_exact_column *in, size_t dimensions,
                    struct rc_exact_column *out)
{
    const double along = factor * dot(mirror, in, dimensions);

    for (size_t d = 1; d < dimensions; d++)
        out->x[d - 1] = in->x[d] - along * mirror->x[d];
}

/* Takes the direction of a term out of the later terms and of the counts.  False: the
 * term is one of those before it at these points, or nothing is left of the counts.
 */
static bool take_out(struct rc_exact *s, size_t level, size_t term)
{
    const size_t dimensions = s->dimensions - level;
    struct rc_exact_column mirror = s->column[level][term];
    const double size = sqrt(dot(&mirror, &mirror, dimensions));

    if (!(size > 1e-10))
        return false;
    mirror.x[0] += mirror.x[0] < 0 ? -size : size;
    const double factor = 2 / dot(&mirror, &mirror, dimensions);
    struct rc_exact_column *left = &s->left[level + 1];

    reflect(&mirror, factor, &s->left[level], dimensions, left);
    if (dot(left, left, dimensions - 1) < 1e-24)
        return false;
    for (size_t t = term + 1; t < s->reach; t++)
        reflect(&mirror, factor, &s->column[level][t], dimensions,
                &s->column[level + 1][t]);
    return true;
}

/* Keeps the chosen terms and 'last' if they are a law that holds. */
static void try_terms(struct rc_exact *s, size_t last)
{
    struct rc_exact_law law = {.terms = s->wanted};
    size_t place = s->holding;

    s->chosen[s->wanted - 1] = last;
    if (s->line) {
        for (size_t t = 0; t < s->wanted; t++)
            s->likely[0][s->term[s->chosen[t]].of[0]] = true;
        s->holding++;
        return;
    }
    memcpy(law.term, s->chosen, sizeof law.term);
    if (!rc_exact_judge(s, &law))
        return;
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
/* NOLINTNEXTLINE(misc-no-recursion): as deep as a law has terms */
static void try_from(struct rc_exact *s, size_t level, size_t from, int bits)
{
    const size_t dimensions = s->dimensions - level;
    const struct rc_exact_column *left = &s->left[level];

    for (size_t t = from; t < s->reach; t++) {
        const struct rc_exact_column *column = &s->column[level][t];

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

static void search_laws(struct rc_exact *s, size_t most)
{
    static const size_t reach[] = {DICTIONARY, 1200, 250, 90};

    s->limit = 1000;
    /* One point that is held out is enough for two terms only. */
    for (size_t k = 1; k <= most && k + (k > 2 && !s->line) < s->points; k++) {
        s->wanted = k;
        s->reach = s->terms < reach[k - 1] ? s->terms : reach[k - 1];
        try_from(s, 0, 0, 0);
        if (s->line && s->holding)
            break;
    }
}

/* The points on the line through 'through' along a parameter. */
static size_t take_line(const struct rc_exact *s, size_t parameter, size_t through,
                        struct rc_exact *line)
{
    const size_t k = s->parameters;
    size_t count = 0;

    for (size_t i = 0; i < s->points; i++) {
        if (!rc_law_same_line(s->at + i * k, s->at + through * k, k, parameter))
            continue;
        line->at[count] = s->at[i * k + parameter];
        line->count[count++] = s->count[i];
    }
    return count;
}

static void prepare_search(struct rc_exact *s);

/* Notes the factors of the laws, with any coefficients, that hold on the longest line
 * along the parameter.
 */
/* NOLINTNEXTLINE(misc-no-recursion): a line has one parameter */
static void note_likely(struct rc_exact *s, size_t parameter)
{
    struct rc_exact line = {.parameters = 1, .same = true, .line = true};
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
    for (size_t f = 0; f < RC_EXACT_FACTORS; f++)
        s->likely[parameter][f] = f == 0 || line.likely[0][f];
    s->arena.failed = s->arena.failed || line.arena.failed;
    rc_arena_free(&line.arena);
}

/* The terms that a law of these points may have, those of likely factors first. */
/* NOLINTNEXTLINE(misc-no-recursion): a line has one parameter */
static void build_dictionary(struct rc_exact *s, size_t room)
{
    unsigned char usable[RC_LAW_PARAMETERS][RC_EXACT_FACTORS];
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
    } while (!add_products(s, (const unsigned char(*)[RC_EXACT_FACTORS])usable, count,
                           0, (struct rc_exact_term){.bits = 0}, most--, room));
    qsort(s->term, s->terms, sizeof *s->term, by_bits);
}

/* Makes all that the search needs; a failure is noted in the arena. */
/* NOLINTNEXTLINE(misc-no-recursion): a line has one parameter */
static void prepare_search(struct rc_exact *s)
{
    const size_t room = s->parameters > 1 ? DICTIONARY : RC_EXACT_FACTORS;

    for (size_t p = 0; p < s->parameters; p++)
        s->table[p] =
            rc_arena_array(&s->arena, rc_terms_count * s->points, sizeof *s->table[p]);
    s->solving =
        rc_arena_array(&s->arena, (RC_EXACT_TERMS + 1) * s->points, sizeof *s->solving);
    s->term = rc_arena_array(&s->arena, room, sizeof *s->term);
    for (size_t k = 0; k < RC_EXACT_TERMS; k++)
        s->column[k] = rc_arena_array(&s->arena, room, sizeof *s->column[k]);
    if (s->arena.failed)
        return;
    s->rational = s->same && are_rational(s);
    build_dictionary(s, room);
    fill_columns(s);
}

/* Takes the simplest law that holds, and all that are nearly as simple. */
static void take_held(const struct rc_exact *s, struct rc_laws *out)
{
    double sum = 0;

    if (s->holding == 0 || s->held[0].chance > CHANCE)
        return;
    while (out->count < s->holding &&
           s->held[out->count].bits <= s->held[0].bits + APART) {
        struct rc_laws_choice *choice = &out->choice[out->count];

        choice->law = rc_exact_law_of(s, &s->held[out->count]);
        choice->weight = exp2(s->held[0].bits - s->held[out->count].bits);
        sum += choice->weight;
        out->count++;
    }
    for (size_t i = 0; i < out->count; i++)
        out->choice[i].weight /= sum;
    out->exact = out->count == 1;
    out->degrees = (double)(s->points - s->held[0].terms);
}

static bool is_constant(const struct rc_exact *s, struct rc_laws *out)
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
static bool exceeded_alike(double least, double most, struct rc_exact_fraction *out)
{
    for (int under = 1; under <= 3; under++)
        for (int unit = 1; unit <= 8; unit += 7) {
            const double over = floor(least * under / unit) * unit;
            const double low = least * under / over - 1, high = most * under / over - 1;
            const double middle = (low + high) / 2;

            if (over > 0 && low >= 0.0025 && high <= 0.02 && low >= 0.5 * middle &&
                high <= 1.5 * middle &&
                0.0175 * over * (under > 2 ? 2 : 1) / unit < 0.2) {
                *out = (struct rc_exact_fraction){over, under};
                return true;
            }
        }
    return false;
}

/* Laws of one term that all points exceed by about the same share. */
static void find_over_count(struct rc_exact *s, struct rc_laws *out)
{
    for (size_t t = 0; t < s->terms; t++) {
        struct rc_exact_law law = {.terms = 1, .term = {t}};
        double least = INFINITY, most = 0, small = INFINITY, sum = 0, squares = 0;

        for (size_t i = 0; i < s->points; i++) {
            const double ratio = s->count[i] / (double)rc_exact_term_at(s, t, i);

            least = fmin(least, ratio);
            most = fmax(most, ratio);
            small = fmin(small, s->count[i]);
            sum += ratio / (double)s->points;
            squares += ratio * ratio / (double)s->points;
        }
        if (!(least > 0 && most < 1.0125 * least) || rc_exact_largest(s) < 4 * small ||
            !rc_exact_has_values(s, &law) ||
            !exceeded_alike(least, most, &law.coefficient[0]))
            continue;
        out->words |= RC_LAWS_OVERCOUNT;
        out->over_count = sum * law.coefficient[0].under / law.coefficient[0].over - 1;
        out->count = 1;
        out->degrees = (double)s->points - 1;
        out->misfit = sqrt(fmax(squares - sum * sum, 0)) / sum;
        out->noise = out->misfit;
        out->choice[0].law = rc_exact_law_of(s, &law);
        out->choice[0].weight = 1;
        return;
    }
}

int rc_laws_exact(const struct rc_observed *observed, struct rc_laws *out,
                  struct rc_error *err)
{
    struct rc_exact s = {0};
    int status;

    *out = (struct rc_laws){.parameters = observed->parameters};
    rc_laws_extent(observed, out);
    if (!load_points(&s, observed))
        goto out;
    if (s.points < 3 || (s.same && is_constant(&s, out)))
        goto out;
    prepare_search(&s);
    if (s.arena.failed)
        goto out;
    if (s.same) {
        search_laws(&s, RC_EXACT_TERMS);
        take_held(&s, out);
    }
    if (out->count == 0 && s.holding == 0 && s.points > 3)
        find_over_count(&s, out);
out:
    status = rc_arena_check(&s.arena, err, "the search of an exact law");
    rc_arena_free(&s.arena);
    return status;
}
