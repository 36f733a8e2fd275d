/* measure.h - measuring detours on all cores of a job, into a directory's journals */
#ifndef RC_CAMPAIGN_DETOURS_MEASURE_H
#define RC_CAMPAIGN_DETOURS_MEASURE_H

#include "campaign/base/error.h"
#include "campaign/cli/args.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The requested measurement. */
struct rc_noise_task {
    const char *dir;          /* NULL: nothing is to be measured */
    uint64_t duration_ns;     /* of each pass */
    uint32_t rounds;          /* 1 or more */
    struct rc_arg_words work; /* "SUITE" or "SUITE:POINT": a pass each */
    bool alone;               /* each pass also on one core of a node at a time */
    bool tracepoints;         /* find out who took the time, where that is allowed */
};

/* task.c: the options that say it, and reading them.  *dir gets the directory that is
 * to be judged, whether it is measured or not.  rc_noise_task_fini() in any case.
 */
extern const struct rc_option rc_noise_option_time, rc_noise_option_work,
    rc_noise_option_alone, rc_noise_option_rounds, rc_noise_option_no_tracepoints;
int rc_noise_task_take(const struct rc_args *args, struct rc_noise_task *task,
                       const char **dir, struct rc_error *err);
void rc_noise_task_fini(struct rc_noise_task *task); /* accepts a zeroed one */

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
