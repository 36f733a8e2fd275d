/* check.h - whether a transform is one */
#ifndef RC_KERNELS_FFT3D_CHECK_H
#define RC_KERNELS_FFT3D_CHECK_H

#include "kernels/fft3d/fft3d.h"

#include <stdint.h>

/* What came out of it: the same on all ranks. */
struct rc_fft_check {
    double error;  /* the largest difference of all checks, of the largest value */
    double limit;  /* what is allowed: 1e-12 in double precision, 1e-5 in single */
    uint64_t bits; /* of the transform of rc_fft_fill()'s numbers, summed up */
};

/* Collective.  A delta, a plane wave, the transform on one rank (of grids up to 64
 * points a side), a shift, a sum, Parseval, back again, the same bits twice, padding
 * untouched.  RC_EBROKEN: one of them failed, with which.  What was in the array is
 * lost.
 */
int rc_fft_check(struct rc_fft *fft, struct rc_fft_check *out, struct rc_error *err);

/* Fills this rank's input with numbers that depend on their place in the grid only. */
void rc_fft_fill(struct rc_fft *fft);

#endif
