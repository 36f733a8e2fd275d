/* mpi.h - which MPI this program was built with, and launchers that are another MPI's
 */
#ifndef RC_CAMPAIGN_CLI_MPI_H
#define RC_CAMPAIGN_CLI_MPI_H

#include "campaign/base/error.h"
#include "campaign/cli/launch.h"

#include <stdbool.h>
#include <stddef.h>

/* The name and version of an MPI, "MPICH 4.0.2", from what MPI_Get_library_version()
 * says of it; of one that is not known the first line of that.
 */
void rc_mpi_name_of(const char *library, char *out, size_t room);

/* The same of the MPI at hand. */
void rc_mpi_name(char *out, size_t room);

/* True if a launcher's words for '--version' are of another MPI's launcher than the
 * programs of the MPI at hand are started by.  Its owner, "Open MPI" or "MPICH", is
 * written into *owner; NULL: the words say of none, and so it is no other.
 */
bool rc_mpi_launcher_is_foreign(const char *said, const char **owner);

/* By which commands ranks of the MPI at hand are started: the first of them that this
 * PATH has by Debian's name for it, else in general words.
 */
const char *rc_mpi_start_words(void);

/* To be asked once MPI runs, with what the environment said before.  Fails with
 * RC_EUSAGE where a launcher started several ranks, and MPI takes this one for alone:
 * the launcher is of another MPI.
 */
int rc_mpi_check_launch(const struct rc_launch *launch, struct rc_error *err);

#endif
