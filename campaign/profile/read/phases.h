/* phases.h - the phases of a launch: stretches of time between which the series of its
 * nodes change their levels
 *
 * Nothing in the program has to name them.  Series of one event are the mean of all
 * nodes; how boundaries are found, solve/series/phases.h says.  A phase is called after
 * the region or the MPI call in which the program's threads were longest then, as far
 * as instances are on the axis of time.
 */
#ifndef RC_CAMPAIGN_PROFILE_READ_PHASES_H
#define RC_CAMPAIGN_PROFILE_READ_PHASES_H

#include "campaign/profile/read/sums.h"

struct rc_profile_phase {
    int64_t begin_ns, end_ns; /* as rc_profile_unix_ns() has it */
    const char *mostly; /* a region, an MPI function, "(outside of regions)"; "": no
                         * thread was there */
    double share; /* of the threads' time in the phase that they were there; NAN */
    const struct rc_profile_event *event; /* whose mean there is furthest from that of
                                           * all the time, in units of its scatter */
    double mean, all;                     /* these means: see rc_profile_unit() */
};

struct rc_profile_phases {
    struct rc_profile_phase *phase; /* in the order of time, from begin to end */
    size_t count;                   /* 0: no boundary was found; else two or more */
    uint64_t bin_ns;                /* boundaries are right to about that */
    size_t series, used;            /* that have readings; that jump somewhere */
    struct rc_arena arena;
};

/* 'sums' are of all regions; entries of rings must have been read for the names.  On
 * failure there are none; rc_profile_phases_fini() in any case.
 */
int rc_profile_phases_find(const struct rc_profile_sums *sums,
                           struct rc_profile_phases *out, struct rc_error *err);
void rc_profile_phases_fini(struct rc_profile_phases *phases);

#endif
