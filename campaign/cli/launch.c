/* Tells from the environment whether mpirun, srun or the like started this process. */
#include "campaign/cli/launch.h"

#include "campaign/base/text.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The first that is set tells.  SLURM_PROCID alone does not: a batch script
 * has it too, before any srun.
 */
static const char *const variables[] = {
    "OMPI_COMM_WORLD_RANK", /* Open MPI's mpirun */
    "PMIX_RANK",            /* srun --mpi=pmix, prrte, flux */
    "PMI_RANK",             /* srun --mpi=pmi2, MPICH's mpiexec */
    "MPI_LOCALRANKID",      /* Intel MPI */
    "PALS_RANKID",          /* HPE Cray */
    "JSM_NAMESPACE_RANK",   /* IBM jsrun */
    "FLUX_TASK_RANK",
};

static const char *launcher_value(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = getenv(variables[i]);
        if (value)
            return value;
    }
    return NULL;
}

bool rc_launched(void)
{
    return launcher_value() != NULL;
}

int rc_launch_rank(void)
{
    const char *value = launcher_value();
    uint64_t rank;

    return value && rc_text_count(value, &rank) == 0 && rank <= INT_MAX ? (int)rank : 0;
}

/* The first variable that is a whole number from 'least' on, and no more than INT_MAX.
 */
static bool first_number(const char *const *name, size_t names, uint64_t least,
                         uint64_t *out)
{
    for (size_t i = 0; i < names; i++) {
        const char *value = getenv(name[i]);
        if (value && rc_text_count(value, out) == 0 && *out >= least && *out <= INT_MAX)
            return true;
    }
    return false;
}

bool rc_launch_speaks(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_LOCAL_RANK",
                                        "MPI_LOCALRANKID",
                                        "PMI_LOCAL_RANK",
                                        "PALS_LOCAL_RANKID",
                                        "FLUX_TASK_LOCAL_ID",
                                        "JSM_NAMESPACE_LOCAL_RANK",
                                        "SLURM_LOCALID"};
    uint64_t rank;

    return !first_number(ranks, sizeof ranks / sizeof *ranks, 0, &rank) || rank == 0;
}

int rc_launch_size(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE",
                                        "PMIX_SIZE",
                                        "PMI_SIZE",
                                        "PALS_SIZE",
                                        "FLUX_JOB_SIZE",
                                        "JSM_NAMESPACE_SIZE",
                                        "SLURM_STEP_NUM_TASKS"};
    uint64_t size;

    return first_number(sizes, sizeof sizes / sizeof *sizes, 1, &size) ? (int)size : 0;
}

/* The first that is set tells. */
static const char *const job_variables[][2] = {
    {"PMIX_NAMESPACE", NULL}, {"SLURM_JOB_ID", "SLURM_STEP_ID"},
    {"PALS_APID", NULL},      {"FLUX_JOB_ID", NULL},
    {"PMI_JOBID", NULL},
};

bool rc_launch_job(char *out, size_t room)
{
    for (size_t i = 0;
         rc_launched() && i < sizeof job_variables / sizeof job_variables[0]; i++) {
        const char *const *name = job_variables[i];
        const char *job = getenv(name[0]), *step = name[1] ? getenv(name[1]) : "";
        if (job && step) {
            snprintf(out, room, "%s %s", job, step);
            return true;
        }
    }
    return false;
}

void rc_launch_settings(void)
{
    setenv("OMPI_MCA_osc", "^ucx", 0);
}
