/* Evaluates formulas of metrics and trees by interval arithmetic. */
#include "solve/definitions/formula.h"

#include <math.h>

static const struct rc_interval unknown = {-INFINITY, NAN, INFINITY};

/* Puts the bounds in order; a bound that is not a number is open. */
static struct rc_interval orderly(struct rc_interval x)
{
    if (!isfinite(x.value))
        return unknown;
    double low = isnan(x.low) ? -INFINITY : x.low;
    double high = isnan(x.high) ? INFINITY : x.high;
    return (struct rc_interval){fmin(fmin(low, high), x.value), x.value,
                                fmax(fmax(low, high), x.value)};
}

/* A bound of 0 times an open one is 0: the factor is 0 whatever the other one is. */
static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static struct rc_interval multiply(struct rc_interval a, struct rc_interval b)
{
    double ll = times(a.low, b.low), lh = times(a.low, b.high);
    double hl = times(a.high, b.low), hh = times(a.high, b.high);

    return (struct rc_interval){fmin(fmin(ll, lh), fmin(hl, hh)), a.value * b.value,
                                fmax(fmax(ll, lh), fmax(hl, hh))};
}

static struct rc_interval combine(char what, struct rc_interval a, struct rc_interval b)
{
    if (isnan(a.value) || isnan(b.value))
        return unknown;
    switch (what) {
    case '+':
        return orderly(
            (struct rc_interval){a.low + b.low, a.value + b.value, a.high + b.high});
    case '-':
        return orderly(
            (struct rc_interval){a.low - b.high, a.value - b.value, a.high - b.low});
    case '*':
        return orderly(multiply(a, b));
    default: /* a division by an interval that holds 0 may give any number */
        if (b.low <= 0 && b.high >= 0)
            return unknown;
        const struct rc_interval inverse = {1 / b.high, 1 / b.value, 1 / b.low};
        struct rc_interval quotient = multiply(a, inverse);
        quotient.value = a.value / b.value;
        return orderly(quotient);
    }
}

struct rc_interval rc_formula_value(const struct rc_expression *formula,
                                    const struct rc_interval *input)
{
    struct rc_interval stack[RC_EXPRESSION_DEPTH] = {{0}};
    size_t count = 0;

    for (size_t i = 0; i < formula->count; i++) {
        const struct rc_expression_step *step = &formula->step[i];
        struct rc_interval *top = count ? &stack[count - 1] : stack;
        if (step->what == RC_EXPRESSION_NUMBER)
            stack[count++] =
                (struct rc_interval){step->number, step->number, step->number};
        else if (step->what == RC_EXPRESSION_NAME)
            stack[count++] = orderly(input[step->name]);
        else if (step->what == RC_EXPRESSION_NEGATIVE)
            *top = orderly((struct rc_interval){-top->high, -top->value, -top->low});
        else {
            stack[count - 2] = combine(step->what, stack[count - 2], *top);
            count--;
        }
    }
    return stack[0];
}
