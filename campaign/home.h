/* home.h - a campaign's directory: DIR/campaign.yaml, journal/, log.txt, ... */
#ifndef RC_CAMPAIGN_HOME_H
#define RC_CAMPAIGN_HOME_H

#include "campaign/base/error.h"
#include "io/journal.h"

#include <mpi.h>

struct rc_home; /* opaque: DIR, held against other runs */

/* Collective.  Makes DIR with its parents where it is not there, and takes it for
 * this job: RC_ECONFLICT where another run works in it (says who: host, process,
 * since when), and where a rank does not see the directory that rank 0 sees (says
 * which node, and that a shared file system is expected).  A killed run leaves no
 * lock behind.  A file system without locks is a remark, not an error.
 */
int rc_home_open(MPI_Comm comm, const char *dir, struct rc_home **out, char *remark,
                 size_t room, struct rc_error *err);
void rc_home_close(struct rc_home *home); /* accepts NULL */

/* A new campaign's id, from the system's randomness. */
int rc_home_new_id(struct rc_journal_id *out, struct rc_error *err);

#endif
