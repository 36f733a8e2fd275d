/* levels.h - the series of a launch over bins of time: of each event the mean of all
 * nodes, the least and the most
 *
 * All events share one axis, which begins with the first node's sampler.  A rate is in
 * all bins between its reading and the one before, a state in the bin of its reading.
 */
#ifndef RC_CAMPAIGN_PROFILE_READ_LEVELS_H
#define RC_CAMPAIGN_PROFILE_READ_LEVELS_H

#include "campaign/profile/read/sums.h"

/* An event that was read on some node.  Numbers of a bin without a reading are NAN. */
struct rc_profile_level {
    const struct rc_profile_event *event;
    double *mean, *least, *most; /* [bin] of readings: see rc_profile_unit() */
    double *given; /* [bin] what the mean is of: bins for rates, readings for states */
    size_t nodes;  /* that read it */
};

struct rc_profile_levels {
    int64_t zero_unix_ns; /* ns since 1970 of the axis' begin */
    uint64_t bin_ns;      /* the sampler's period, or a multiple of it */
    size_t bins; /* 0: the launch was shorter than one, or its times cannot be */
    struct rc_profile_level *level;
    size_t count, room;
    struct rc_arena arena; /* of the arrays of bins */
};

/* At most 'most' bins.  rc_profile_levels_fini() in any case. */
int rc_profile_levels_find(const struct rc_profile_sums *sums, size_t most,
                           struct rc_profile_levels *out, struct rc_error *err);
void rc_profile_levels_fini(struct rc_profile_levels *levels);

/* The mean from bin 'from' up to the one before 'to'; NAN: there is no reading. */
double rc_profile_level_mean(const struct rc_profile_level *level, size_t from,
                             size_t to);

#endif
