/* fft3d.h - the built-in application: 'rollcall profile fft3d -n N' */
#ifndef RC_CAMPAIGN_FFT3D_FFT3D_H
#define RC_CAMPAIGN_FFT3D_FFT3D_H

#include "campaign/base/error.h"
#include "campaign/cli/args.h"

extern const struct rc_option rc_profile_option_size, rc_profile_option_ranks,
    rc_profile_option_stepped;

/* Whether this is asked for: the operand fft3d with -n. */
bool rc_profile_is_fft3d(const struct rc_args *args);

/* Under mpirun or srun this rank becomes the program, recorded; *exits as of
 * rc_profile_launch().  Else a job of --ranks ranks of this machine is started and
 * recorded, one rank is stepped through a small problem, and what was measured is shown
 * against what was expected.  RC_ECONFLICT: something is off.
 */
int rc_profile_fft3d(const struct rc_args *args, int *exits, struct rc_error *err);

#endif
