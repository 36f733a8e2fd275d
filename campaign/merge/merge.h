/* merge.h - several campaigns become one
 *
 * The result is a campaign directory like any other: DIR/journal, DIR/campaign.yaml
 * and DIR/campaign.h5.  It is whole or not there at all: everything is written to
 * DIR/.merge and put in place at the end, the journals first.  Readings pass through
 * one unit at a time.  docs/merge.md is the manual for users.
 *
 * Only this process; MPI is not used.
 */
#ifndef RC_CAMPAIGN_MERGE_MERGE_H
#define RC_CAMPAIGN_MERGE_MERGE_H

#include "campaign/cli/args.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/records/campaign.h"
#include "campaign/records/completeness.h"

/* RC_OPERATION_MERGE: everything that any operand has.  Of operands with one id the
 * best record of each unit counts, as if their journals lay in one directory; what
 * several campaigns measured is kept as more repetitions, in the order of operands.
 * A single operand is taken where it is a share.
 *
 * RC_OPERATION_MEAN: what all operands have: readings are added up, repetition by
 * repetition, and so are the iterations of the points.
 *
 * RC_OPERATION_DIFFERENCE: what both operands have, the first minus the second; all
 * expected counts are 0.
 */
struct rc_merge_job {
    enum rc_operation operation; /* one of the three above */
    const char *dir;             /* of the result: made where it is not there */
    const char *const *operand;  /* directories of campaigns */
    size_t operand_count;
    bool replaces; /* DIR may hold what an earlier merge made, and nobody ran since */
    /* Is told of each conflict and remark, which may hold names of any bytes. */
    void (*say)(void *arg, const char *line);
    void *arg; /* the first argument of 'say' */
};

struct rc_merge_result {
    char text[RC_COMPLETENESS_TEXT]; /* what it holds, for people */
    bool complete;                   /* all units that are expected are there and ok */
    uint64_t seed;                   /* of the campaign file */
};

/* RC_ECONFLICT: the operands do not go together ('say' was told why, a line for each
 * conflict), DIR holds a campaign already, or somebody works in it.  RC_EMISSING: an
 * operand has no journal.  Nothing is left in DIR then.
 */
int rc_merge(const struct rc_merge_job *job, struct rc_merge_result *out,
             struct rc_error *err);

/* The inverse: DIR/0 .. DIR/(shares - 1) get a share of the units each, dealt in
 * turn, and everything else in full.  They keep the campaign's id.  Shares that
 * were written stay where a later one fails.  RC_ECONFLICT: it is a share itself.
 */
int rc_merge_split(const char *operand, size_t shares, const char *dir,
                   void (*say)(void *arg, const char *line), void *arg,
                   struct rc_error *err);

/* For commands: rc_merge() with its lines on the standard error as those of 'command',
 * the result's line on the standard output, then the tables of metrics if 'solve'
 * (never of a difference).  job->dir may be NULL or "": RC_EUSAGE; job->say is set
 * here. Sets session->incomplete.
 */
int rc_merge_run(struct rc_session *session, const char *command,
                 struct rc_merge_job job, bool solve, struct rc_error *err);

/* That DIR is free, or, with 'replaces', holds what a merge made. */
int rc_merge_stage_check(const char *dir, bool replaces, struct rc_error *err);

/* For who makes a whole campaign directory: locks DIR, which is made where it is not
 * there, and has 'write' append all records to the journal of 'node', which grows in
 * DIR/.merge.  Then campaign.h5 and campaign.yaml are made of it, and all of them are
 * put in place.  After a failure DIR is as it was.
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
