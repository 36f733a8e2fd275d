/* expected.h - what the built-in 3D-FFT should have done, against what was measured */
#ifndef RC_CAMPAIGN_FFT3D_EXPECTED_H
#define RC_CAMPAIGN_FFT3D_EXPECTED_H

#include "campaign/profile/read/sums.h"
#include "campaign/profile/show/show.h"
#include "io/text/rows.h"

/* Files of DIR: what the program expects of itself, of the launch and of the one that
 * was stepped, and what was counted by stepping.
 */
#define RC_PROFILE_EXPECTED "fft3d.json"
#define RC_PROFILE_EXPECTED_STEPPED "fft3d-stepped.json"
#define RC_PROFILE_STEPPED "fft3d-stepped.txt"

/* expected_series.c: what moves through the memory and the network of whole nodes. */
enum rc_profile_traffic {
    RC_PROFILE_MEMORY_READ,
    RC_PROFILE_MEMORY_WRITTEN,
    RC_PROFILE_NETWORK_SENT
};
struct rc_profile_traffic_seen {
    double bytes;       /* NAN: instances are shorter than two readings are apart */
    char source[32];    /* "pcp"; "": no series of any node counts such */
    uint64_t instances; /* that are on the axis of time */
    bool simulated;
};

/* The counts of series while threads of their node were in regions of that name. */
int rc_profile_traffic_of(const struct rc_profile_sums *sums, const char *region,
                          enum rc_profile_traffic traffic,
                          struct rc_profile_traffic_seen *out, struct rc_error *err);

/* Launches of which DIR has expectations. */
extern const struct rc_profile_study rc_fft3d_study;

#endif
