/* mpi.h - the MPI with which this program was built, and launchers of another MPI */
#ifndef RC_CAMPAIGN_CLI_MPI_H
#define RC_CAMPAIGN_CLI_MPI_H

#include "campaign/base/error.h"
#include "campaign/cli/launch.h"

#include <stdbool.h>
#include <stddef.h>

/* The name and version of an MPI, "MPICH 4.0.2", from the result of
 * MPI_Get_library_version(); for an unknown MPI the first line of that.
 */
void rc_mpi_name_of(const char *library, char *out, size_t room);

/* The same for this build's MPI. */
void rc_mpi_name(char *out, size_t room);

/* True if a launcher's answer to '--version' shows that it belongs to another MPI than
 * this build's.  *owner is "Open MPI" or "MPICH"; NULL: the answer does not say, and
 * the result is false.
 */
bool rc_mpi_launcher_is_foreign(const char *said, const char **owner);

/* The command that starts ranks of this build's MPI: by Debian's name for it if it is
 * on the PATH, else in general words.
 */
const char *rc_mpi_start_words(void);

/* To be called once MPI runs, with what the environment said before.  RC_EUSAGE: a
 * launcher started several ranks, but to MPI this one is alone: the launcher belongs to
 * another MPI.
 */
int rc_mpi_check_launch(const struct rc_launch *launch, struct rc_error *err);

#endif
