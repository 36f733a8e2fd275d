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

/* Parts to be held.  DIR/.lock is for the journals and campaign.yaml: if another run
 * has it, this one is refused at once.  DIR/.lock-results is for the files that are
 * made from them, which takes so little time that one waits for it.
 */
enum rc_campaign_dir_hold {
    RC_CAMPAIGN_DIR_CAMPAIGN, /* to measure: the journals; waits while others pack */
    RC_CAMPAIGN_DIR_PACK, /* the journals, so that nobody adds to them while they are
                           * read, and the results; waits for others that write results
                           */
    RC_CAMPAIGN_DIR_ALL,  /* as CAMPAIGN, then the results */
};

/* Called once, on rank 0, with a line on whom it waits for.  NULL: not called. */
typedef void rc_campaign_dir_tell(const char *line);

/* Collective.  Makes DIR with its parents if it does not exist, and takes it for this
 * job.  On success the caller owns *out and must rc_campaign_dir_close() it; on failure
 * *out is NULL on every rank, and existing files are unchanged.  Incomplete files of
 * killed processes are removed from the held parts.
 *
 * RC_ECONFLICT: another rollcall is working in it (the line says where, which process,
 * since when), or a rank does not see the directory that rank 0 sees (it names the
 * node, after 3 s of looking), or DIR/.lock is not rollcall's, or a signal that is
 * watched (campaign/cli/signals.h) came while it waited.  RC_EUSAGE: DIR is not a
 * directory or has no name.  A killed run leaves no lock.  'remark' is one line, the
 * same on all ranks, if the file system has no locks, else "".
 */
int rc_campaign_dir_open(MPI_Comm comm, const char *dir, enum rc_campaign_dir_hold hold,
                         rc_campaign_dir_tell *tell, struct rc_campaign_dir **out,
                         char *remark, size_t room, struct rc_error *err);

/* Collective.  To write only results, such as metrics.h5: waits likewise.  Nothing is
 * held, and *out is NULL, if there is no campaign.h5 and no metrics.h5 yet.  'tell'
 * also gets a line if the file system has no locks.
 */
int rc_campaign_dir_open_results(MPI_Comm comm, const char *dir,
                                 rc_campaign_dir_tell *tell,
                                 struct rc_campaign_dir **out, struct rc_error *err);

/* Collective.  To hold the results, too, after RC_CAMPAIGN_DIR_CAMPAIGN. */
int rc_campaign_dir_take_results(MPI_Comm comm, struct rc_campaign_dir *campaign_dir,
                                 rc_campaign_dir_tell *tell, struct rc_error *err);

/* "DIR/campaign.h5". */
int rc_campaign_dir_results(const char *dir, char *out, size_t room,
                            struct rc_error *err);

/* "DIR/campaign.h5" or, with 'solved', "DIR/metrics.h5", to be read: RC_EMISSING, if it
 * does not exist, names the command that makes it.
 */
int rc_campaign_dir_find_results(const char *dir, bool solved, char *out, size_t room,
                                 struct rc_error *err);

/* Whether DIR holds a performance model, DIR/model.h5, and nothing of a campaign. */
bool rc_campaign_dir_is_model(const char *dir);

/* RC_EUSAGE for such a DIR, with the commands that read it. */
int rc_campaign_dir_refuse_model(const char *dir, struct rc_error *err);

/* The command line; if it has no operand, "." is the first, or else "results", if it
 * has something of a campaign, a profile or a model.  '*here' is room for the operand.
 */
struct rc_args rc_campaign_dir_or_here(const struct rc_args *args, const char **here);

/* Makes DIR with its parents if it does not exist.  Only this process. */
int rc_campaign_dir_make(const char *dir, struct rc_error *err);

/* Not collective; the locks go when rank 0 closes.  DIR/.lock stays, empty. */
void rc_campaign_dir_close(struct rc_campaign_dir *campaign_dir); /* accepts NULL */

/* The same; if rc_campaign_dir_open() made DIR and it is empty, DIR is removed, with
 * the parents that were made with it.
 */
void rc_campaign_dir_leave(struct rc_campaign_dir *campaign_dir);

/* On rank 0: removes everything except the locks' files. */
void rc_campaign_dir_empty(const struct rc_campaign_dir *campaign_dir);

/* Removes the locks' files, from a directory that is given up. */
void rc_campaign_dir_remove_locks(const char *dir);

/* Whether 'path' is, or would be, a file directly in DIR: then it must be written with
 * the results held.
 */
bool rc_campaign_dir_holds_file(const char *dir, const char *path);

/* A new campaign's id, from the system's randomness. */
int rc_campaign_dir_new_id(struct rc_journal_id *out, struct rc_error *err);

/* The batch system's name for this job, printable, or "". */
const char *rc_campaign_dir_job(char *out, size_t room);

#endif
