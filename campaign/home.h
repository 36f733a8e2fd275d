/* home.h - a campaign's directory: DIR/campaign.yaml, journal/, log.txt, ... */
#ifndef RC_CAMPAIGN_HOME_H
#define RC_CAMPAIGN_HOME_H

#include "campaign/base/error.h"
#include "io/journal.h"

#include <mpi.h>
#include <stddef.h>

struct rc_home; /* opaque: DIR, held against other runs */

/* Collective.  Makes DIR with its parents where it is not there, and takes it for
 * this job by a lock on DIR/.lock.  On success the caller owns *out and must
 * rc_home_close() it; on failure *out is NULL on every rank, and of what was
 * there nothing has changed.
 *
 * RC_ECONFLICT: another rollcall works in it (says where, which process, since when),
 * or a rank does not see the directory that rank 0 sees (says which node, after
 * 3 s of looking), or DIR/.lock is somebody else's.  RC_EUSAGE: DIR is no
 * directory or has no name.  A killed run leaves no lock behind.  A file system without
 * locks is said in 'remark', one line, the same on all ranks, else "".
 */
int rc_home_open(MPI_Comm comm, const char *dir, struct rc_home **out, char *remark,
                 size_t room, struct rc_error *err);

/* Makes DIR with its parents where it is not there.  Only this process. */
int rc_home_make(const char *dir, struct rc_error *err);

/* Not collective; the lock goes when rank 0 closes.  DIR/.lock stays, empty. */
void rc_home_close(struct rc_home *home); /* accepts NULL */

/* A new campaign's id, from the system's randomness. */
int rc_home_new_id(struct rc_journal_id *out, struct rc_error *err);

/* The batch system's name for this job, printable, or "". */
const char *rc_home_job(char *out, size_t room);

#endif
