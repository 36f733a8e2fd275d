/* descriptors.h - the schedulers by name: for table.c and tests */
#ifndef RC_JOBS_DESCRIPTORS_H
#define RC_JOBS_DESCRIPTORS_H

#include "jobs/scheduler.h"

extern const struct rc_scheduler rc_scheduler_slurm;
extern const struct rc_scheduler rc_scheduler_pbs;
extern const struct rc_scheduler rc_scheduler_lsf;
extern const struct rc_scheduler rc_scheduler_jsrun;
extern const struct rc_scheduler rc_scheduler_flux;
extern const struct rc_scheduler rc_scheduler_sge;
extern const struct rc_scheduler rc_scheduler_local;

#endif
