/* Names this build's MPI, and finds launchers that belong to another MPI. */
#include "campaign/cli/mpi.h"

#include "campaign/base/agree.h"
#include "campaign/base/child.h"
#include "campaign/base/text.h"

#include <stdio.h>
#include <string.h>

/* The words before the version, and a name.  Derivatives of MPICH contain its words,
 * too, so they come first.
 */
static const struct {
    const char *before, *name;
} libraries[] = {
    {"Open MPI v", "Open MPI"},           {"Intel(R) MPI Library", "Intel MPI"},
    {"CRAY MPICH version", "Cray MPICH"}, {"MVAPICH2 Version", "MVAPICH2"},
    {"MVAPICH Version", "MVAPICH"},       {"MPICH Version", "MPICH"},
};

void rc_mpi_name_of(const char *library, char *out, size_t room)
{
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        const char *at = strstr(library, libraries[i].before);
        if (!at)
            continue;
        at += strlen(libraries[i].before);
        at += strspn(at, " \t:");
        snprintf(out, room, "%s %.*s", libraries[i].name, (int)strcspn(at, " \t\r\n,"),
                 at);
        return;
    }
    snprintf(out, room, "%.*s", (int)strcspn(library, ",\r\n"), library);
    for (char *c = out; *c; c++)
        if (*c == '\t')
            *c = ' ';
}

void rc_mpi_name(char *out, size_t room)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(library, &length);
    rc_mpi_name_of(library, out, room);
}

#ifdef OPEN_MPI
static const char own[] = "Open MPI";
#else /* MPICH and its derivatives */
static const char own[] = "MPICH";
#endif

bool rc_mpi_launcher_is_foreign(const char *said, const char **owner)
{
    *owner = NULL;
    if (strstr(said, "(Open MPI)") || strstr(said, "(OpenRTE)"))
        *owner = "Open MPI";
    else if (strstr(said, "HYDRA") || strstr(said, "Intel(R) MPI"))
        *owner = "MPICH";
    return *owner && strcmp(*owner, own) != 0;
}

const char *rc_mpi_start_words(void)
{
#ifdef OPEN_MPI
    return rc_child_is_there("mpirun.openmpi")
               ? "start it by mpirun.openmpi"
               : "start it by Open MPI's mpirun, or by srun --mpi=pmix";
#else
    return rc_child_is_there("mpirun.mpich")
               ? "start it by mpirun.mpich"
               : "start it by this MPI's mpiexec, or by srun --mpi=pmi2";
#endif
}

int rc_mpi_check_launch(const struct rc_launch *launch, struct rc_error *err)
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING], ranks[RC_TEXT_SHORT] = "several";

    if ((launch->size < 2 && launch->rank == 0) || rc_team_size(MPI_COMM_WORLD) > 1)
        return RC_OK;
    rc_mpi_name(name, sizeof name);
    if (launch->size > 0)
        snprintf(ranks, sizeof ranks, "%d", launch->size);
    return rc_fail(err, RC_EUSAGE,
                   "%s started %s ranks, but each of them is alone for %s, which "
                   "rollcall was built with; %s",
                   launch->launcher, ranks, name, rc_mpi_start_words());
}
