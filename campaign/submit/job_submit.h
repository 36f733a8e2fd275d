/* job_submit.h - a submission's directory, scripts and jobs */
#ifndef RC_CAMPAIGN_SUBMIT_JOB_SUBMIT_H
#define RC_CAMPAIGN_SUBMIT_JOB_SUBMIT_H

#include "campaign/submit/options.h"

/* Writes DIR/jobs and submits all jobs; each id goes to the standard output.  If the
 * scheduler refuses one, the call fails with its message, and the jobs taken so far are
 * cancelled.  RC_ECONFLICT: jobs of an earlier submission wait or run, or another
 * submission holds the lock of DIR/jobs.
 */
int rc_submit_send(struct rc_submit_setting *setting, struct rc_error *err);

/* --dry-run: prints scripts and commands to the standard output. */
int rc_submit_show_dry(struct rc_submit_setting *setting, struct rc_error *err);

/* Sets the ranks of parts that say 'cores' to this machine's number of cores, and says
 * so on the standard error; not if jobs get whole nodes, whose cores the job counts
 * itself.
 */
int rc_submit_find_ranks(struct rc_submit_setting *setting, struct rc_error *err);

/* Sets the time of each part that has none, by the plan's estimate on this machine, and
 * says on the standard error how it comes about.
 */
int rc_submit_find_times(struct rc_submit_setting *setting, struct rc_error *err);

#endif
