/* The whitened spectrum of starts of detours, and frequencies that stand out of it,
 * alone or with their harmonics.
 */
#include "solve/study/lines_parts.h"

#include "solve/study/outliers.h"
#include "solve/study/quantile.h"

#include <math.h>
#include <string.h>

/* The longest bin: up to 1.2 kHz are seen, above the timers of all systems. */
static const double bin_most = 400e-6;
/* A series is padded with zeros to this many times its length: frequencies between two
 * of the spectrum lose less.
 */
static const double padding = 1.5;
enum { LENGTH_LEAST = 1 << 10, LENGTH_MOST = 1 << 20 };
/* The level of a frequency is the median of AROUND frequencies on either side, or of
 * half as many as are below it if that is less: slow changes have most power at the
 * bottom.
 */
enum { AROUND = 400, AROUND_LEAST = 16 };
/* Numbers of harmonics to sum up: long periods have many, short ones few. */
static const size_t harmonics[] = {1, 16};
enum { SUMS = sizeof harmonics / sizeof *harmonics, HARMONICS_MOST = 16 };
static const double false_spectra = 0.01;
/* The least share of the strongest member's power in a family's lowest frequency. */
static const double about_as_much = 0.75;

int rc_spectrum_init(struct rc_spectrum *spectrum, struct rc_arena *arena,
                     double duration, struct rc_error *err)
{
    const double longest = LENGTH_MOST * bin_most / padding;
    size_t length = LENGTH_LEAST;

    *spectrum = (struct rc_spectrum){.duration = duration,
                                     .pieces = (size_t)(duration / longest) + 1};
    const double piece = duration / (double)spectrum->pieces;
    while ((double)length * bin_most < padding * piece)
        length *= 2;
    spectrum->bin = padding * piece / (double)length;
    spectrum->step = 1 / (spectrum->bin * (double)length);
    spectrum->count = length / 2;
    spectrum->power = rc_arena_array(arena, spectrum->count, sizeof *spectrum->power);
    spectrum->sum = rc_arena_array(arena, spectrum->count, sizeof *spectrum->sum);
    spectrum->series = rc_arena_array(arena, length, sizeof *spectrum->series);
    rc_fft_init(&spectrum->fft, arena, length);
    return rc_arena_check(arena, err, "a spectrum");
}

static size_t around(size_t number)
{
    const size_t half = number / 2;

    return half < AROUND_LEAST ? AROUND_LEAST : half > AROUND ? AROUND : half;
}

/* The median around a frequency, scaled to the mean where nothing is periodic. */
static double level_at(struct rc_spectrum *s, size_t number)
{
    const double degrees = 2 * (double)s->pieces;
    const size_t width = around(number);
    const size_t from = number > width ? number - width : 0;
    const size_t to = number + width < s->count ? number + width : s->count;

    memcpy(s->series, s->power + from, (to - from) * sizeof *s->series);
    return rc_median(s->series, to - from) * degrees / rc_quantile_chi2(0.5, degrees);
}

void rc_spectrum_take(struct rc_spectrum *spectrum, const double *start, size_t count)
{
    const size_t length = 2 * spectrum->count;
    const double piece = spectrum->duration / (double)spectrum->pieces;
    const size_t bins = (size_t)(piece / spectrum->bin);
    size_t next = 0;

    memset(spectrum->power, 0, spectrum->count * sizeof *spectrum->power);
    for (size_t p = 0; p < spectrum->pieces; p++) {
        const size_t first = next;
        memset(spectrum->series, 0, length * sizeof *spectrum->series);
        for (; next < count &&
               (start[next] < piece * (double)(p + 1) || p + 1 == spectrum->pieces);
             next++) {
            const size_t bin =
                (size_t)((start[next] - piece * (double)p) / spectrum->bin);
            spectrum->series[bin < length ? bin : length - 1]++;
        }
        const double mean = (double)(next - first) / (double)bins;
        for (size_t b = 0; b < bins; b++)
            spectrum->series[b] -= mean;
        rc_fft_add_power(&spectrum->fft, spectrum->series, spectrum->power);
    }
    /* Divides the power by its level: medians at some frequencies, interpolated between
     * them.
     */
    double below = level_at(spectrum, 0);
    for (size_t from = 0, to; from < spectrum->count; from = to) {
        to = from + around(from);
        const double above = to < spectrum->count ? level_at(spectrum, to) : below;
        for (size_t k = from; k < to && k < spectrum->count; k++) {
            const double part = (double)(k - from) / (double)(to - from);
            spectrum->sum[k] = below + part * (above - below);
        }
        below = above;
    }
    for (size_t k = 0; k < spectrum->count; k++)
        spectrum->power[k] =
            spectrum->sum[k] > 0 ? spectrum->power[k] / spectrum->sum[k] : 0;
}

/* The next family in the sums of 'many' harmonics: the lowest of its peaks; its members
 * are erased.  0: none is above 'least'.
 */
static double next_family(struct rc_spectrum *s, size_t first, double least)
{
    size_t strongest = 0, lowest = 0;

    for (size_t j = first; j < s->count; j++)
        if (s->sum[j] > least && (!strongest || s->sum[j] > s->sum[strongest]))
            strongest = j;
    if (!strongest)
        return 0;
    const double enough = 1 + about_as_much * (s->sum[strongest] - 1);
    for (lowest = first; s->sum[lowest] < enough;)
        lowest++;
    while (lowest + 1 < s->count && s->sum[lowest + 1] > s->sum[lowest])
        lowest++;
    for (size_t j = lowest; j < s->count; j += lowest)
        for (size_t near = j > 3 ? j - 3 : 0; near < s->count && near <= j + 3; near++)
            s->sum[near] = 0;
    return (double)lowest;
}

size_t rc_spectrum_candidates(struct rc_spectrum *spectrum, double *hz, size_t most)
{
    const double miss = false_spectra / SUMS / (double)spectrum->count;
    const double lowest = RC_LINES_PULSES / spectrum->duration;
    size_t found = 0;

    for (size_t i = 0; i < SUMS; i++) {
        const size_t many = harmonics[i];
        const size_t share = (most - found) / (SUMS - i) + found;
        const double degrees = 2 * (double)(spectrum->pieces * many);
        const double least = rc_quantile_chi2(1 - miss, degrees) / degrees;
        /* Sums of the power at 'many' harmonics, the highest of which is at each number
         * of the spectrum in turn: so fundamentals are tried as finely as necessary.
         * The first number is that whose fundamental has enough periods.
         */
        const size_t first = (size_t)ceil(lowest / spectrum->step) * many;
        for (size_t j = first; j < spectrum->count; j++) {
            double sum = 0;
            for (size_t h = 1; h <= many; h++)
                sum += spectrum->power[(h * j + many / 2) / many];
            spectrum->sum[j] = sum / (double)many;
        }
        while (found < share) {
            const double number = next_family(spectrum, first, least);
            if (number == 0)
                break;
            hz[found++] = number * spectrum->step / (double)many;
        }
    }
    return found;
}

double rc_spectrum_between(const struct rc_spectrum *spectrum, double hz, size_t by)
{
    double own[2] = {0}, count[2] = {0}; /* of harmonics: others, multiples */

    for (size_t h = 1; h <= HARMONICS_MOST * by; h++) {
        const double number = (double)h * hz / spectrum->step + 0.5;
        if (number >= (double)spectrum->count)
            break;
        own[h % by == 0] += spectrum->power[(size_t)number] - 1; /* less random power */
        count[h % by == 0]++;
    }
    if (hz < RC_LINES_PULSES / spectrum->duration || count[1] < 1 || own[1] <= 0)
        return NAN;
    return own[0] / count[0] / (own[1] / count[1]);
}
