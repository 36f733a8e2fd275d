/* reading.h - one reading of one kernel, the same for all of rollcall */
#ifndef RC_CAMPAIGN_MEASURE_READING_H
#define RC_CAMPAIGN_MEASURE_READING_H

#include "campaign/measure/team.h"
#include "campaign/sources/source.h"

/* Prepares the kernel, warms it by 'warm' iterations that are not counted (if the
 * source simulates caches, in that simulation), counts what->iterations and verifies.
 * The first what->workers of 'team', which may be NULL, start counting together, also
 * where one of them fails before.  *counted_ns is the time between start and stop; *verified says
 * whether a failure is the source's and not the kernel's.
 *
 * Without a 'kernel' the source makes its readings up.
 */
int rc_reading_take(const struct rc_source *source, struct rc_group_state *group,
                    struct rc_kernel *kernel, const struct rc_measurement *what,
                    uint64_t warm, const struct rc_measure_team *team,
                    struct rc_reading *readings, uint64_t *counted_ns, bool *verified,
                    struct rc_error *err);

#endif
