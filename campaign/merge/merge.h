/* merge.h - several campaigns become one
 *
 * The result is a usual campaign directory: DIR/journal, DIR/campaign.yaml and
 * DIR/campaign.h5.  It is there as a whole or not at all: all files are written to
 * DIR/.merge and put in place at the end, the journals first.  Readings pass through
 * one unit at a time.  docs/merge.md is the manual for users.
 *
 * Only this process works; MPI is not used.
 */
#ifndef RC_CAMPAIGN_MERGE_MERGE_H
#define RC_CAMPAIGN_MERGE_MERGE_H

#include "campaign/cli/args.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/records/campaign.h"
#include "campaign/records/completeness.h"

/* RC_OPERATION_MERGE: everything that any operand has.  If operands have the same id,
 * the best record of each unit counts, as if their journals lay in one directory; units
 * of several campaigns become more repetitions, in the order of operands.  A single
 * operand must be a share, unless 'replaces'.
 *
 * RC_OPERATION_MEAN: only what all operands have; readings are added up, repetition by
 * repetition, and so are the iterations of the points.
 *
 * RC_OPERATION_DIFFERENCE: only what both operands have, the first minus the second;
 * all expected counts are 0.
 */
struct rc_merge_job {
    enum rc_operation operation; /* one of the three above */
    const char *dir;             /* of the result; made if it is missing */
    const char *const *operand;  /* directories of campaigns */
    size_t operand_count;
    bool replaces; /* DIR may hold an earlier merge, if nobody ran there since */
    /* Gets each conflict and remark, which may hold names of any bytes. */
    void (*say)(void *arg, const char *line);
    void *arg; /* the first argument of 'say' */
};

struct rc_merge_result {
    char text[RC_COMPLETENESS_TEXT]; /* what the result holds, for people */
    bool complete;                   /* all expected units are there and ok */
    uint64_t seed;                   /* of the campaign file */
};

/* RC_ECONFLICT: the operands do not go together ('say' got a line for each conflict),
 * DIR holds a campaign already, or somebody works in it.  RC_EMISSING: an operand has
 * no journal.  Nothing is left in DIR then.
 */
int rc_merge(const struct rc_merge_job *job, struct rc_merge_result *out,
             struct rc_error *err);

/* The inverse: deals the units out in turn, to DIR/0 up to DIR/(shares - 1); all other
 * records go to each share in full.  Shares keep the campaign's id.  If one fails,
 * those already written stay.  RC_ECONFLICT: the campaign is a share itself.
 */
int rc_merge_split(const char *operand, size_t shares, const char *dir,
                   void (*say)(void *arg, const char *line), void *arg,
                   struct rc_error *err);

/* Does rc_merge() for commands: its lines go to the standard error as those of
 * 'command', the result's line to the standard output, then the tables of metrics if
 * 'solve' (never of a difference).  job->dir may be NULL or "": RC_EUSAGE; job->say is
 * set here.  Sets session->incomplete.
 */
int rc_merge_run(struct rc_session *session, const char *command,
                 struct rc_merge_job job, bool solve, struct rc_error *err);

/* Checks that DIR is free or, with 'replaces', holds only a merge. */
int rc_merge_stage_check(const char *dir, bool replaces, struct rc_error *err);

/* Makes a whole campaign directory: locks DIR, which is made if it is missing, and lets
 * 'write' append all records to the journal of 'node', which grows in DIR/.merge.  Then
 * campaign.h5 and campaign.yaml are made from it, and all are put in place.  After a
 * failure DIR is as it was.
 */
struct rc_merge_stage {
    const char *dir, *node;
    const struct rc_journal_id *campaign;
    bool replaces; /* as in rc_merge_job */
    int (*write)(void *arg, struct rc_journal *journal, struct rc_error *err);
    void *arg; /* the first argument of 'write' */
};
int rc_merge_stage_write(const struct rc_merge_stage *stage,
                         struct rc_merge_result *out, struct rc_error *err);

#endif
