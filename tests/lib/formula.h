/* formula.h - laws as they are typed: 1e6*n^3/p + 20*log2(p), of names that have values
 *
 * Numbers, names, + - * / ^ and parentheses; functions log2, sqrt, ceil, floor, and of
 * two numbers min, max, and past(x, edge), which is 1 where x is above the edge, else 0.
 */
#ifndef RC_TESTS_LIB_FORMULA_H
#define RC_TESTS_LIB_FORMULA_H

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct formula_name {
    const char *name;
    double value;
};

struct formula {
    const char *at; /* that is read next; NULL: it is wrong */
    const struct formula_name *name;
    size_t names;
};

static inline double formula_sum(struct formula *f);

static inline double formula_wrong(struct formula *f)
{
    f->at = NULL;
    return NAN;
}

/* Whether the next character is this one, which is read then. */
static inline int formula_next(struct formula *f, char c)
{
    while (f->at && *f->at == ' ')
        f->at++;
    if (!f->at || *f->at != c)
        return 0;
    f->at++;
    return 1;
}

static inline double formula_function(struct formula *f, const char *word,
                                      size_t length)
{
    static const char *const known[] = {"log2", "sqrt", "ceil", "floor",
                                        "min",  "max",  "past"};
    size_t which = 0;
    while (which < 7 &&
           (strlen(known[which]) != length || strncmp(known[which], word, length) != 0))
        which++;
    const double x = formula_sum(f);
    const double y = which >= 4 && formula_next(f, ',') ? formula_sum(f) : NAN;
    if (!formula_next(f, ')'))
        return formula_wrong(f);
    switch (which) {
    case 0:
        return log2(x);
    case 1:
        return sqrt(x);
    case 2:
        return ceil(x);
    case 3:
        return floor(x);
    case 4:
        return fmin(x, y);
    case 5:
        return fmax(x, y);
    case 6:
        return x > y;
    default:
        return formula_wrong(f);
    }
}

/* A number, a name, a function, or what stands in parentheses. */
static inline double formula_item(struct formula *f)
{
    if (formula_next(f, '-'))
        return -formula_item(f);
    if (formula_next(f, '(')) {
        const double inside = formula_sum(f);
        return formula_next(f, ')') ? inside : formula_wrong(f);
    }
    if (!f->at)
        return NAN;
    const char *const word = f->at;
    if (isdigit((unsigned char)*word) || *word == '.') {
        char *end;
        const double number = strtod(word, &end);
        f->at = end;
        return end > word ? number : formula_wrong(f);
    }
    while (isalnum((unsigned char)*f->at) || *f->at == '_')
        f->at++;
    const size_t length = (size_t)(f->at - word);
    if (formula_next(f, '('))
        return formula_function(f, word, length);
    for (size_t i = 0; i < f->names; i++)
        if (strlen(f->name[i].name) == length &&
            strncmp(f->name[i].name, word, length) == 0)
            return f->name[i].value;
    return formula_wrong(f);
}

static inline double formula_power(struct formula *f)
{
    const double base = formula_item(f);

    return formula_next(f, '^') ? pow(base, formula_power(f)) : base;
}

static inline double formula_product(struct formula *f)
{
    double value = formula_power(f);

    for (;;) {
        if (formula_next(f, '*'))
            value *= formula_power(f);
        else if (formula_next(f, '/'))
            value /= formula_power(f);
        else
            return value;
    }
}

static inline double formula_sum(struct formula *f)
{
    double value = formula_product(f);

    for (;;) {
        if (formula_next(f, '+'))
            value += formula_product(f);
        else if (formula_next(f, '-'))
            value -= formula_product(f);
        else
            return value;
    }
}

/* The value of a law; NAN: it is wrong, or has none. */
static inline double formula_value(const char *text, const struct formula_name *name,
                                   size_t names)
{
    struct formula f = {text, name, names};
    const double value = formula_sum(&f);

    return f.at && *f.at == '\0' ? value : NAN;
}

#endif
