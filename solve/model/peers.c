/* peers.c - laws as other tools and publications fit them */
#include "solve/model/peers.h"

#include "campaign/base/arena.h"
#include "solve/model/parts.h"

#include <math.h>
#include <stdlib.h>

enum {
    EXTRAP_TERMS = 42, /* of the dictionary, after the constant */
    SOLVED = 5,        /* coefficients */
};

/* Means of the points that were measured. */
struct means {
    struct rc_arena arena;
    size_t parameters, points;
    double *at, *mean;
    double *column[SOLVED + 1]; /* for solving */
};

static bool means_init(struct means *m, size_t points, size_t parameters)
{
    m->parameters = parameters;
    m->at = rc_arena_array(&m->arena, points * parameters, sizeof *m->at);
    m->mean = rc_arena_array(&m->arena, points, sizeof *m->mean);
    for (size_t k = 0; k <= SOLVED; k++)
        m->column[k] = rc_arena_array(&m->arena, points, sizeof *m->column[k]);
    return !m->arena.failed;
}

/* Takes means, and notes in 'out' the parameters' ranges.  False: no memory. */
static bool take_means(struct means *m, const struct rc_observed *o,
                       struct rc_laws *out)
{
    *out = (struct rc_laws){.parameters = o->parameters, .noise = NAN};
    rc_laws_extent(o, out);
    if (!means_init(m, o->points, o->parameters))
        return false;
    for (size_t i = 0; i < o->points; i++) {
        const size_t readings = o->first[i + 1] - o->first[i];

        if (readings == 0)
            continue;
        for (size_t j = o->first[i]; j < o->first[i + 1]; j++)
            m->mean[m->points] += o->value[j] / (double)readings;
        for (size_t p = 0; p < o->parameters; p++)
            m->at[m->points * o->parameters + p] = o->at[i * o->parameters + p];
        m->points++;
    }
    return true;
}

static bool varies(const struct rc_laws *out, size_t parameter)
{
    return out->most[parameter] > out->least[parameter];
}

/* A term that is 1, and one with one factor. */
static struct rc_law_term term_of(size_t parameter, struct rc_law_factor factor)
{
    struct rc_law_term term = {.coefficient = 0};

    for (size_t p = 0; p < RC_LAW_PARAMETERS; p++)
        term.of[p] = p == parameter ? factor : (struct rc_law_factor){0, 1, 0};
    return term;
}

static const struct rc_law_factor one = {0, 1, 0};

/* Least squares of the law's coefficients by orthogonal columns, without the point
 * 'left_out' (SIZE_MAX: with all).  False: the points do not tell the terms apart.
 */
static bool solve_law(struct means *m, struct rc_law *law, size_t left_out)
{
    const size_t k = law->terms;
    double r[SOLVED][SOLVED + 1], whole[SOLVED] = {0};
    size_t n = 0;

    for (size_t i = 0; i < m->points; i++) {
        if (i == left_out)
            continue;
        for (size_t t = 0; t < k; t++) {
            const double x =
                rc_law_term_at(&law->term[t], m->at + i * m->parameters, m->parameters);

            m->column[t][n] = x;
            whole[t] += x * x;
        }
        m->column[k][n++] = m->mean[i];
    }
    for (size_t t = 0; t < k; t++) {
        double norm = 0;

        for (size_t i = 0; i < n; i++)
            norm += m->column[t][i] * m->column[t][i];
        if (!(norm > 1e-28 * whole[t]))
            return false;
        for (size_t u = t + 1; u <= k; u++) {
            double along = 0;

            for (size_t i = 0; i < n; i++)
                along += m->column[t][i] * m->column[u][i];
            r[t][u] = along / norm;
            for (size_t i = 0; i < n; i++)
                m->column[u][i] -= r[t][u] * m->column[t][i];
        }
    }
    for (size_t t = k; t-- > 0;) {
        law->term[t].coefficient = r[t][k];
        for (size_t u = t + 1; u < k; u++)
            law->term[t].coefficient -= r[t][u] * law->term[u].coefficient;
    }
    return true;
}

static double law_at(const struct means *m, const struct rc_law *law, size_t point)
{
    return rc_law_at(law, m->at + point * m->parameters, m->parameters);
}

/* Sum of squared deviations from the law. */
static double squares_left(const struct means *m, const struct rc_law *law)
{
    double sum = 0;

    for (size_t i = 0; i < m->points; i++) {
        const double left = m->mean[i] - law_at(m, law, i);
        sum += left * left;
    }
    return sum;
}

/* A law of another tool: nothing is known of its coefficients' deviations. */
static void take_law(const struct rc_law *law, struct rc_laws *out)
{
    out->count = 1;
    out->choice[0].law = *law;
    out->choice[0].weight = 1;
    for (size_t t = 0; t < RC_LAW_TERMS; t++)
        for (size_t u = 0; u < RC_LAW_TERMS; u++)
            out->choice[0].covariance[t][u] = NAN;
}

static int finish(struct means *m, struct rc_error *err)
{
    const int status = rc_arena_check(&m->arena, err, "the means of points");

    rc_arena_free(&m->arena);
    return status;
}

/* Symmetric relative error of one point, 0 to 2. */
static double relative_error(double predicted, double actual)
{
    const double size = fabs(predicted) + fabs(actual);

    return size > 0 ? 2 * fabs(predicted - actual) / size : 0;
}

static double mean_error(const struct means *m, const struct rc_law *law)
{
    double sum = 0;

    for (size_t i = 0; i < m->points; i++)
        sum += relative_error(law_at(m, law, i), m->mean[i]) / (double)m->points;
    return sum;
}

/* Extra-P refuses a law with a term that is nowhere 0.05 % of the numbers. */
static const double CONTRIBUTION = 0.0005;

static bool contributes(const struct means *m, const struct rc_law_term *term)
{
    double most = 0;

    for (size_t i = 0; i < m->points; i++)
        most = fmax(
            most, fabs(term->coefficient *
                       rc_law_term_at(term, m->at + i * m->parameters, m->parameters) /
                       m->mean[i]));
    return most >= CONTRIBUTION;
}

/* The error of each point by a law that is fitted without it.  A constant under 0.05 % of
 * the least number is taken as 0.
 */
static double error_left_out(struct means *m, struct rc_law *law)
{
    double sum = 0;

    for (size_t i = 0; i < m->points; i++) {
        double least = INFINITY;

        if (!solve_law(m, law, i))
            return INFINITY;
        for (size_t j = 0; j < m->points; j++)
            if (j != i)
                least = fmin(least, m->mean[j]);
        if (fabs(law->term[0].coefficient) / (least != 0 ? fabs(least) : 1) <
            CONTRIBUTION)
            law->term[0].coefficient = 0;
        sum += relative_error(law_at(m, law, i), m->mean[i]) / (double)m->points;
    }
    return sum;
}

/* The best law of one parameter: a constant, or a constant and a term. */
static struct rc_law best_of_one(struct means *m)
{
    struct rc_law best = {1, {term_of(0, one)}};
    double error, least = INFINITY;

    (void)solve_law(m, &best, SIZE_MAX);
    for (size_t i = 0; i < m->points; i++)
        least = fmin(least, m->at[i]);
    if (squares_left(m, &best) <= 0)
        return best;
    error = mean_error(m, &best);
    for (size_t f = 1; f <= EXTRAP_TERMS; f++) {
        struct rc_law law = {2, {term_of(0, one), term_of(0, rc_terms[f])}};

        if (rc_terms[f].logs && least < 1)
            continue;
        const double left_out = error_left_out(m, &law);
        if (!(left_out < error) || !solve_law(m, &law, SIZE_MAX) ||
            !contributes(m, &law.term[1]))
            continue;
        best = law;
        error = left_out;
    }
    return best;
}

static bool same_others(const struct means *m, size_t a, size_t b, size_t parameter)
{
    return rc_law_same_line(m->at + a * m->parameters, m->at + b * m->parameters,
                            m->parameters, parameter);
}

/* Points on the line through 'point' along the parameter. */
static size_t line_length(const struct means *m, size_t point, size_t parameter)
{
    size_t length = 0;

    for (size_t i = 0; i < m->points; i++)
        length += same_others(m, i, point, parameter);
    return length;
}

static bool line_has(const struct means *m, size_t point, size_t parameter, double x)
{
    for (size_t i = 0; i < m->points; i++)
        if (m->at[i * m->parameters + parameter] == x && /* NOLINT: the same point */
            same_others(m, i, point, parameter))
            return true;
    return false;
}

/* The points of one parameter: for each of its values the mean over its longest lines,
 * on which the other parameters do not vary.  Only lines that have the value of the first
 * of them are taken.
 */
static void take_line(const struct means *m, size_t parameter, struct means *line)
{
    const double *x = m->at + parameter; /* of point i: x[i * parameters] */
    double *lines = line->column[0];
    size_t longest = 0, first = SIZE_MAX;

    for (size_t i = 0; i < m->points; i++) {
        const size_t length = line_length(m, i, parameter);
        longest = length > longest ? length : longest;
    }
    line->points = 0;
    for (size_t i = 0; i < m->points; i++) {
        const double here = x[i * m->parameters];
        size_t place = 0;

        if (line_length(m, i, parameter) < longest)
            continue;
        first = first == SIZE_MAX ? i : first;
        if (!line_has(m, i, parameter, x[first * m->parameters]))
            continue;
        while (place < line->points && line->at[place] != here)
            place++;
        if (place == line->points) {
            line->at[place] = here;
            line->mean[place] = lines[place] = 0;
            line->points++;
        }
        line->mean[place] += m->mean[i];
        lines[place]++;
    }
    for (size_t i = 0; i < line->points; i++)
        line->mean[i] /= lines[i];
}

/* Laws of two to four parameters, as words.  A digit is a term: the bits of the parameters
 * whose single terms it multiplies.  The other laws have to be better than the first.
 */
static const char forms_of_three[] =
    "7 124 71 72 74 73 76 75 734 761 752 712 714 724 34 342 341 52 521 524 61 612 614";
static const char *const forms[] = {
    [2] = "3 12 13 23", [3] = forms_of_three, [4] = "F 1248"};

/* The term which multiplies the single terms whose bits are set. */
static struct rc_law_term product_of(const struct rc_law_term *of, size_t count,
                                     unsigned long bits)
{
    struct rc_law_term product = term_of(0, one);

    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < RC_LAW_PARAMETERS && (bits >> i & 1); p++)
            if (of[i].of[p].over || of[i].of[p].logs)
                product.of[p] = of[i].of[p];
    return product;
}

/* Sums and products of the terms that single parameters have. */
static struct rc_law best_of_forms(struct means *m, const struct rc_law_term *of,
                                   size_t count)
{
    struct rc_law best = {0};
    double error = INFINITY;

    for (const char *form = forms[count]; *form; form += *form == ' ') {
        struct rc_law law = {1, {term_of(0, one)}};
        const bool first = form == forms[count];
        bool good;

        for (; *form && *form != ' '; form++)
            law.term[law.terms++] =
                product_of(of, count, strtoul((char[]){*form, 0}, NULL, 16));
        good = solve_law(m, &law, SIZE_MAX);
        for (size_t t = 1; t < law.terms && !first && good; t++)
            good = contributes(m, &law.term[t]);
        if (good && mean_error(m, &law) < error) {
            best = law;
            error = mean_error(m, &law);
        }
    }
    return best;
}

/* The law of the only parameter that has a term: with the coefficients of its line, or
 * with those of all points, whichever errs less.
 */
static struct rc_law best_of_line(struct means *m, const struct rc_law *line)
{
    struct rc_law all = *line;

    return solve_law(m, &all, SIZE_MAX) && mean_error(m, &all) < mean_error(m, line)
               ? all
               : *line;
}

int rc_laws_extrap(const struct rc_observed *observed, struct rc_laws *out,
                   struct rc_error *err)
{
    struct means all = {.points = 0}, line = {.points = 0};
    struct rc_law_term of[RC_LAW_PARAMETERS];
    struct rc_law law = {1, {term_of(0, one)}};
    size_t count = 0;
    int status;

    if (!take_means(&all, observed, out) || !means_init(&line, all.points, 1) ||
        all.points == 0)
        goto out;
    for (size_t p = 0; p < all.parameters; p++) {
        if (!varies(out, p))
            continue;
        take_line(&all, p, &line);
        const struct rc_law found = best_of_one(&line);
        if (found.terms < 2)
            continue;
        law = found;
        law.term[1] = term_of(p, found.term[1].of[0]);
        law.term[1].coefficient = found.term[1].coefficient;
        of[count++] = law.term[1];
    }
    if (count == 0)
        (void)solve_law(&all, &law, SIZE_MAX);
    else if (count > 1)
        law = best_of_forms(&all, of, count);
    else if (all.parameters > 1)
        law = best_of_line(&all, &law);
    take_law(&law, out);
out:
    status = finish(&all, err);
    rc_arena_free(&line.arena);
    return status;
}

int rc_laws_apmt(const struct rc_observed *observed, struct rc_laws *out,
                 struct rc_error *err)
{
    struct means m = {.points = 0};
    double least = INFINITY;

    if (!take_means(&m, observed, out))
        return finish(&m, err);
    for (size_t p = 0; p < m.parameters; p++)
        for (signed char over = -2; over <= 2; over++)
            for (signed char logs = 0; logs <= 1; logs++) {
                struct rc_law law = {
                    2,
                    {term_of(0, one),
                     term_of(p, (struct rc_law_factor){over, 1, logs})}};

                if (!varies(out, p) || (over == 0 && logs == 0) || m.points < 3 ||
                    !solve_law(&m, &law, SIZE_MAX) || !(squares_left(&m, &law) < least))
                    continue;
                least = squares_left(&m, &law);
                take_law(&law, out);
            }
    return finish(&m, err);
}

int rc_laws_amdahl(const struct rc_observed *observed, struct rc_laws *out,
                   struct rc_error *err)
{
    struct means m = {.points = 0};
    double least = INFINITY;

    if (!take_means(&m, observed, out))
        return finish(&m, err);
    for (signed char over = -31; over <= 96 && m.points > 3; over++) {
        struct rc_law_factor power = {over, 32, 0};
        struct rc_law law;

        for (; power.under > 1 && power.over % 2 == 0; power.under /= 2)
            power.over /= 2;
        law = (struct rc_law){3,
                              {term_of(0, one),
                               term_of(0, (struct rc_law_factor){-1, 1, 0}),
                               term_of(0, power)}};
        if (over == 0 || !solve_law(&m, &law, SIZE_MAX) ||
            !(squares_left(&m, &law) < least))
            continue;
        least = squares_left(&m, &law);
        take_law(&law, out);
    }
    return finish(&m, err);
}

int rc_laws_analytic(const struct rc_observed *observed, struct rc_laws *out,
                     struct rc_error *err)
{
    struct means m = {.points = 0};
    struct rc_law law = {
        2, {term_of(0, one), term_of(0, (struct rc_law_factor){-1, 1, 0})}};

    if (!take_means(&m, observed, out))
        return finish(&m, err);
    for (size_t p = 1; p < m.parameters; p++)
        law.term[1].of[p] = (struct rc_law_factor){1, 1, 0};
    if (m.points > 2 && solve_law(&m, &law, SIZE_MAX))
        take_law(&law, out);
    return finish(&m, err);
}
