/* campaign_dir.h - a campaign's directory: DIR/campaign.yaml, journal/, log.txt, ... */
#ifndef RC_CAMPAIGN_DIRECTORY_CAMPAIGN_DIR_H
#define RC_CAMPAIGN_DIRECTORY_CAMPAIGN_DIR_H

#include "campaign/base/error.h"
#include "campaign/cli/args.h"
#include "io/journal/journal.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct rc_campaign_dir; /* opaque: DIR, or a part of it, held against others */

/* What is held.  DIR/.lock stands for the journals and campaign.yaml, and is refused at
 * once where another run has it; DIR/.lock-results stands for the files that are
 * made of them, which takes so short that one waits for it.
 */
enum rc_campaign_dir_hold {
    RC_CAMPAIGN_DIR_CAMPAIGN, /* who measures: the journals; waits for who packs */
    RC_CAMPAIGN_DIR_PACK, /* the journals, so that nobody adds to them while they are
                           * read, and the results; waits for others that write
                           * results */
    RC_CAMPAIGN_DIR_ALL,  /* as CAMPAIGN, then the results */
};

/* Told once, on rank 0, that one waits and for whom.  NULL: nobody. */
typedef void rc_campaign_dir_tell(const char *line);

/* Collective.  Makes DIR with its parents where it is not there, and takes it for this
 * job.  On success the caller owns *out and must
 * rc_campaign_dir_close() it; on failure *out is NULL on every rank, and of what was
 * there nothing has changed.  Files that were not whole when their process was killed
 * are removed from what is held.
 *
 * RC_ECONFLICT: another rollcall is working in it (says where, which process, since
 * when), or a rank does not see the directory that rank 0 sees (says which node, after
 * 3 s of looking), or DIR/.lock is somebody else's, or a signal that is watched
 * (campaign/cli/signals.h) came while it waited.  RC_EUSAGE: DIR is no
 * directory or has no name.  A killed run leaves no lock behind.  A file system without
 * locks is said in 'remark', one line, the same on all ranks, else "".
 */
int rc_campaign_dir_open(MPI_Comm comm, const char *dir, enum rc_campaign_dir_hold hold,
                         rc_campaign_dir_tell *tell, struct rc_campaign_dir **out,
                         char *remark, size_t room, struct rc_error *err);

/* Collective.  For who writes results only, such as metrics.h5: waits likewise. Nothing
 * is held, and *out is NULL, where there is no campaign.h5 and no metrics.h5 yet.
 * 'tell' is told of a file system without locks, too.
 */
int rc_campaign_dir_open_results(MPI_Comm comm, const char *dir,
                                 rc_campaign_dir_tell *tell,
                                 struct rc_campaign_dir **out, struct rc_error *err);

/* Collective.  For who holds RC_CAMPAIGN_DIR_CAMPAIGN: the results, too, from now on.
 */
int rc_campaign_dir_take_results(MPI_Comm comm, struct rc_campaign_dir *campaign_dir,
                                 rc_campaign_dir_tell *tell, struct rc_error *err);

/* "DIR/campaign.h5". */
int rc_campaign_dir_results(const char *dir, char *out, size_t room,
                            struct rc_error *err);

/* "DIR/campaign.h5" or, with 'solved', "DIR/metrics.h5", for who reads it: RC_EMISSING
 * where it is not there says what makes it.
 */
int rc_campaign_dir_find_results(const char *dir, bool solved, char *out, size_t room,
                                 struct rc_error *err);

/* A command line whose first operand is a directory: where there is none at all, "."
 * stands for it, else "results", if something of a campaign or a profile is there.
 * '*here' is room for its operands.
 */
struct rc_args rc_campaign_dir_or_here(const struct rc_args *args, const char **here);

/* Makes DIR with its parents where it is not there.  Only this process. */
int rc_campaign_dir_make(const char *dir, struct rc_error *err);

/* Not collective; the locks go when rank 0 closes.  DIR/.lock stays, empty. */
void rc_campaign_dir_close(struct rc_campaign_dir *campaign_dir); /* accepts NULL */

/* The same, and where rc_campaign_dir_open() made DIR and nothing is in it, DIR goes,
 * and its parents that were made with it.
 */
void rc_campaign_dir_leave(struct rc_campaign_dir *campaign_dir);

/* On rank 0: all but the files of the locks goes. */
void rc_campaign_dir_empty(const struct rc_campaign_dir *campaign_dir);

/* The files of the locks, in a directory that is given up. */
void rc_campaign_dir_remove_locks(const char *dir);

/* Whether 'path' is, or would be, a file right in DIR: to write it the results are to
 * be held.
 */
bool rc_campaign_dir_holds_file(const char *dir, const char *path);

/* A new campaign's id, from the system's randomness. */
int rc_campaign_dir_new_id(struct rc_journal_id *out, struct rc_error *err);

/* The batch system's name for this job, printable, or "". */
const char *rc_campaign_dir_job(char *out, size_t room);

#endif
