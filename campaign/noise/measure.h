/* measure.h - measuring detours on all cores of a job, into a directory's journals */
#ifndef RC_CAMPAIGN_NOISE_MEASURE_H
#define RC_CAMPAIGN_NOISE_MEASURE_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* What is asked for. */
struct rc_noise_task {
    const char *dir;
    uint64_t duration_ns;    /* of each pass */
    uint32_t rounds;         /* 1 or more */
    const char *const *work; /* "SUITE" or "SUITE:POINT": a pass each, ended by NULL */
    bool alone;              /* each pass also on one core of a node at a time */
    bool tracepoints;        /* find out who took the time, where that is allowed */
};

/* Collective over 'comm' (or alone).  Each rank is bound to a core, as 'run' binds, and
 * measures there; a record for each core and pass is appended to the journal of its
 * node when all ranks have measured the pass.  DIR is made where it is not there, and
 * held against others meanwhile.
 *
 * 'stopped': a signal came; what was complete is in the journals.  A failure, too,
 * leaves there what was complete before.
 */
int rc_noise_measure(MPI_Comm comm, const struct rc_noise_task *task, bool *stopped,
                     struct rc_error *err);

#endif
