/* check.h - checks that a transform is right */
#ifndef RC_KERNELS_FFT3D_CHECK_H
#define RC_KERNELS_FFT3D_CHECK_H

#include "kernels/fft3d/fft3d.h"

#include <stdint.h>

/* The result: the same on all ranks. */
struct rc_fft_check {
    double error;  /* the largest difference of all checks, by the largest value */
    double limit;  /* passes: 1e-12 in double precision, 1e-5 in single */
    uint64_t bits; /* the transform of rc_fft_fill()'s numbers, its bits summed up */
};

/* Collective.  A delta, a plane wave, the transform on one rank (for grids up to 64
 * points a side), a shift, a sum, Parseval, back again, the same bits twice, padding
 * untouched.  RC_EBROKEN: one of them failed; the message says which.  The contents of
 * the array are lost.
 */
int rc_fft_check(struct rc_fft *fft, struct rc_fft_check *out, struct rc_error *err);

/* Fills this rank's input with numbers that depend only on their place in the grid. */
void rc_fft_fill(struct rc_fft *fft);

#endif
