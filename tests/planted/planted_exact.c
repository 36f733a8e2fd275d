/* Arithmetic of rational numbers modulo the prime 2^61 - 1: whether a vector is a sum
 * of others, without a rounding.
 */
#include "tests/planted/planted_judge.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t prime = (UINT64_C(1) << 61) - 1;

int planted_exact_init(size_t rows, struct planted_exact *out)
{
    *out = (struct planted_exact){.rows = rows};
    out->row = rc_calloc(rows * PLANTED_EVENTS, sizeof *out->row);
    out->lead = rc_calloc(PLANTED_EVENTS, sizeof *out->lead);
    return out->row && out->lead ? 0 : -1;
}

void planted_exact_fini(struct planted_exact *span)
{
    free(span->row);
    free(span->lead);
}

uint64_t planted_exact_add(uint64_t a, uint64_t b)
{
    const uint64_t sum = a + b;

    return sum >= prime ? sum - prime : sum;
}

uint64_t planted_exact_times(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b % prime);
}

static uint64_t power(uint64_t base, uint64_t n)
{
    uint64_t result = 1;

    for (; n > 0; n >>= 1) {
        if (n & 1)
            result = planted_exact_times(result, base);
        base = planted_exact_times(base, base);
    }
    return result;
}

/* For whole numbers below 2^61. */
static uint64_t ratio(double above, uint64_t below)
{
    const uint64_t whole = (uint64_t)fabs(above) % prime;

    return planted_exact_times(above < 0 && whole ? prime - whole : whole,
                               power(below, prime - 2));
}

uint64_t planted_exact_bits(double value)
{
    int exponent;
    const double mantissa = ldexp(frexp(value, &exponent), 53);
    const uint64_t digits = ratio(mantissa, 1);
    const unsigned shift = (unsigned)abs(exponent - 53);
    const uint64_t two = power(2, shift);

    return planted_exact_times(digits, exponent < 53 ? power(two, prime - 2) : two);
}

/* By continued fractions: the first that the double cannot be told from. */
uint64_t planted_exact_fraction(double value)
{
    double above = 1, above_before = 0, below = 0, below_before = 1, left = fabs(value);

    for (int steps = 0; steps < 40; steps++) {
        const double whole = floor(left), a = whole * above + above_before,
                     b = whole * below + below_before;
        above_before = above;
        below_before = below;
        above = a;
        below = b;
        if (fabs(above / below - fabs(value)) <= 2e-15 * fabs(value) || left == whole)
            break;
        left = 1 / (left - whole);
    }
    return ratio(value < 0 ? -above : above, (uint64_t)below);
}

bool planted_exact_spans(struct planted_exact *span, uint64_t *vector, bool take)
{
    for (size_t j = 0; j < span->count; j++) {
        const uint64_t *row = span->row + j * span->rows;
        const uint64_t factor = vector[span->lead[j]];
        for (size_t i = 0; i < span->rows && factor; i++)
            vector[i] = planted_exact_add(vector[i],
                                          prime - planted_exact_times(factor, row[i]));
    }
    size_t lead = 0;
    while (lead < span->rows && vector[lead] == 0)
        lead++;
    if (lead == span->rows)
        return true;
    if (take && span->count < PLANTED_EVENTS) {
        uint64_t *row = span->row + span->count * span->rows;
        const uint64_t inverse = power(vector[lead], prime - 2);
        for (size_t i = 0; i < span->rows; i++)
            row[i] = planted_exact_times(vector[i], inverse);
        span->lead[span->count++] = lead;
    }
    return false;
}
