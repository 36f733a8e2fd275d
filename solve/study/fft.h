/* fft.h - the power spectrum of a real series
 *
 * Radix 2, in double precision: a million numbers take tens of milliseconds.
 */
#ifndef RC_SOLVE_STUDY_FFT_H
#define RC_SOLVE_STUDY_FFT_H

#include "campaign/base/arena.h"

#include <stddef.h>

struct rc_fft {
    size_t length; /* of the series: a power of two, 4 at least */
    double *turn;  /* cos and -sin of 2 pi k / length, k < length / 2 */
};

/* The caller checks 'arena' before the first use. */
void rc_fft_init(struct rc_fft *fft, struct rc_arena *arena, size_t length);

/* Adds |sum_t series[t] exp(-2 pi i k t / length)|^2 to power[k], k < length / 2.
 * 'series' is scratch afterwards.
 */
void rc_fft_add_power(const struct rc_fft *fft, double *series, double *power);

#endif
