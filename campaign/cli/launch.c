/* Tells from the environment whether mpirun, srun or the like started this process. */
#include "campaign/cli/launch.h"

#include "campaign/base/text.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
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

void rc_launch_settings(void)
{
    setenv("OMPI_MCA_osc", "^ucx", 0);
}
