/* job_submit.h - a submission: its directory, scripts and jobs */
#ifndef RC_CAMPAIGN_SUBMIT_JOB_SUBMIT_H
#define RC_CAMPAIGN_SUBMIT_JOB_SUBMIT_H

#include "campaign/submit/options.h"

/* Writes DIR/jobs and submits all jobs; each id goes to the standard output.  What the
 * scheduler refuses fails with its message; jobs that it had taken by then are
 * cancelled.  RC_ECONFLICT: jobs of an earlier submission wait or run, or another one
 * is at work, against which DIR/jobs is held.
 */
int rc_submit_send(struct rc_submit_setting *setting, struct rc_error *err);

/* --dry-run: scripts and commands to the standard output. */
int rc_submit_show_dry(struct rc_submit_setting *setting, struct rc_error *err);

/* Where nodes do not come whole, ranks must be said beforehand: sets those of parts
 * that say 'cores' to the number of this machine's, and says so on the standard error.
 */
int rc_submit_find_ranks(struct rc_submit_setting *setting, struct rc_error *err);

/* Sets the time of each part that has none, by the plan's estimate on this machine,
 * and says on the standard error what it is made of.
 */
int rc_submit_find_times(struct rc_submit_setting *setting, struct rc_error *err);

#endif
