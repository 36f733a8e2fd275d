/* rounds.h - passes forward and backward in turn, their times and the report of them */
#ifndef RC_KERNELS_FFT3D_ROUNDS_H
#define RC_KERNELS_FFT3D_ROUNDS_H

#include "campaign/base/arena.h"
#include "kernels/fft3d/check.h"
#include "kernels/fft3d/fft3d.h"

#include <stdint.h>
#include <stdio.h>

/* Times of rounds: 'phases' + 1 for each round, the last that of the whole pass. */
struct rc_fft_rounds {
    struct rc_arena arena; /* of the times */
    size_t rounds, phases;
    uint64_t *ns[2];      /* [direction]: this rank's, [round][phase] */
    uint64_t *slowest[2]; /* likewise, the slowest rank's in each round */
    unsigned runs[2][RC_FFT_PHASES_MAX]; /* [direction][phase] in a pass */
};

/* Collective: one round without times, then so many with times, named to tools. */
int rc_fft_rounds_run(struct rc_fft *fft, size_t rounds, struct rc_fft_rounds *out,
                      struct rc_error *err);
void rc_fft_rounds_fini(struct rc_fft_rounds *rounds); /* accepts a zeroed one */

struct rc_fft_seconds {
    double least, median, most;
};
/* Times of the slowest ranks; 'phase' may be rounds->phases, the whole pass. */
struct rc_fft_seconds rc_fft_rounds_seconds(const struct rc_fft_rounds *rounds,
                                            enum rc_fft_direction direction,
                                            size_t phase);

/* Collective: the first rank writes the results as tables, or as one object of JSON,
 * which has the work and the times of each rank.  'check' may be NULL.
 */
int rc_fft_rounds_tell(FILE *out, const struct rc_fft *fft,
                       const struct rc_fft_rounds *rounds,
                       const struct rc_fft_check *check, bool json,
                       struct rc_error *err);

#endif
