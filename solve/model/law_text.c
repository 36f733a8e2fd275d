/* law_text.c - laws as text, for people and in the notation of Extra-P */
#include "solve/model/law_text.h"

#include "campaign/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER = 32 };

/* The fewest digits from which the same number is read back. */
static const char *all_digits(char out[NUMBER], double value)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(out, NUMBER, "%.*g", digits, value);
        if (strtod(out, NULL) == value) /* NOLINT: the same number */
            break;
    }
    return out;
}

/* A number above 0 for people; with 'digits' 0 it is exact, and written without an
 * exponent where it is whole, or as a fraction.
 */
static const char *for_people(char out[NUMBER], double value, int digits)
{
    if (digits > 0) {
        snprintf(out, NUMBER, "%.*g", digits, value);
        return out;
    }
    if (value < 1e15 && value == rint(value)) { /* NOLINT: whole */
        snprintf(out, NUMBER, "%.0f", value);
        return out;
    }
    snprintf(out, NUMBER, "%.6g", value);
    for (int under = 2; under <= 64 && strtod(out, NULL) != value; under++) {
        const double over = rint(value * under);

        if (over < 1e6 && over / under == value) /* NOLINT: the same number */
            snprintf(out, NUMBER, "%.0f/%d", over, under);
        if (over < 1e6 && over / under == value) /* NOLINT: the same number */
            return out;
    }
    return strtod(out, NULL) == value ? out : all_digits(out, value);
}

/* The sum of the powers of a term; logarithms count less than any power. */
static double powers(const struct rc_law_term *term, size_t parameters)
{
    double sum = 0;

    for (size_t p = 0; p < parameters; p++)
        sum += (double)term->of[p].over / term->of[p].under + 1e-3 * term->of[p].logs;
    return sum;
}

/* Appends "^POWER"; people read no power of 1, and no parentheses around whole ones. */
static void append_power(char *out, size_t room, int over, int under, bool extrap)
{
    if (under != 1)
        rc_text_append(out, room, "^(%d/%d)", over, under);
    else if (extrap)
        rc_text_append(out, room, "^(%d)", over);
    else if (over != 1)
        rc_text_append(out, room, "^%d", over);
}

/* Appends the factors of a term, each after 'between'. */
static void append_factors(char *out, size_t room, const struct rc_law_term *term,
                           const char *const *names, size_t parameters,
                           const char *between, bool extrap)
{
    for (size_t p = 0; p < parameters; p++) {
        const struct rc_law_factor f = term->of[p];

        if (f.over) {
            rc_text_append(out, room, "%s%s", between, names[p]);
            append_power(out, room, f.over, f.under, extrap);
        }
        if (f.logs) {
            rc_text_append(out, room, "%slog2(%s)", between, names[p]);
            append_power(out, room, f.logs, 1, extrap);
        }
    }
}

static bool is_constant(const struct rc_law_term *term, size_t parameters)
{
    for (size_t p = 0; p < parameters; p++)
        if (term->of[p].over || term->of[p].logs)
            return false;
    return true;
}

/* The order of terms; sorting by insertion keeps the given one among equals. */
static void sort_terms(const struct rc_law *law, size_t parameters, const double *at,
                       size_t *order)
{
    double size[RC_LAW_TERMS];

    for (size_t t = 0; t < law->terms; t++) {
        const double value = at ? fabs(law->term[t].coefficient *
                                       rc_law_term_at(&law->term[t], at, parameters))
                                : powers(&law->term[t], parameters);
        size_t place = t;

        for (; place > 0 && size[place - 1] < value; place--) {
            size[place] = size[place - 1];
            order[place] = order[place - 1];
        }
        size[place] = value;
        order[place] = t;
    }
}

const char *rc_law_text(char *out, size_t room, const struct rc_law *law,
                        const char *const *names, size_t parameters, const double *at,
                        int digits)
{
    size_t order[RC_LAW_TERMS];

    sort_terms(law, parameters, at, order);
    out[0] = 0;
    for (size_t i = 0; i < law->terms; i++) {
        const struct rc_law_term *term = &law->term[order[i]];
        const bool below = term->coefficient < 0;
        char number[NUMBER], factors[RC_LAW_TEXT] = "";

        for_people(number, fabs(term->coefficient), digits);
        append_factors(factors, sizeof factors, term, names, parameters, " ", false);
        rc_text_append(out, room, "%s",
                       i == 0  ? below ? "-" : ""
                       : below ? " - "
                               : " + ");
        if (factors[0] && !strcmp(number, "1"))
            rc_text_append(out, room, "%s", factors + 1);
        else
            rc_text_append(out, room, "%s%s", number, factors);
    }
    if (law->terms == 0)
        rc_text_append(out, room, "0");
    return out;
}

const char *rc_law_text_extrap(char *out, size_t room, const struct rc_law *law,
                               const char *const *names, size_t parameters)
{
    double constant = 0;
    char number[NUMBER];

    for (size_t t = 0; t < law->terms; t++)
        if (is_constant(&law->term[t], parameters))
            constant += law->term[t].coefficient;
    out[0] = 0;
    rc_text_append(out, room, "%s", all_digits(number, constant));
    for (size_t t = 0; t < law->terms; t++) {
        if (is_constant(&law->term[t], parameters))
            continue;
        rc_text_append(out, room, " + %s",
                       all_digits(number, law->term[t].coefficient));
        append_factors(out, room, &law->term[t], names, parameters, " * ", true);
    }
    return out;
}
