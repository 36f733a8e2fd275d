/* reading.h - one reading of one kernel, the same for all of rollcall */
#ifndef RC_CAMPAIGN_MEASURE_READING_H
#define RC_CAMPAIGN_MEASURE_READING_H

#include "campaign/sources/source.h"

/* Calls around the counted part, for kernels that run on all cores at once; begin()
 * comes directly before counting starts, and end() says whether all of them ran it.
 */
struct rc_reading_team {
    void (*begin)(void *arg, const struct rc_measurement *what);
    bool (*end)(void *arg);
    void *arg;
};

/* Prepares the kernel, warms it by 'warm' iterations that are not counted (if the
 * source simulates caches, in that simulation), counts what->iterations and verifies.
 * 'team' may be NULL.  *counted_ns is the time between start and stop; *verified says
 * whether a failure is the source's and not the kernel's.
 *
 * Without a 'kernel' the source makes its readings up.
 */
int rc_reading_take(const struct rc_source *source, struct rc_group_state *group,
                    struct rc_kernel *kernel, const struct rc_measurement *what,
                    uint64_t warm, const struct rc_reading_team *team,
                    struct rc_reading *readings, uint64_t *counted_ns, bool *verified,
                    struct rc_error *err);

#endif
