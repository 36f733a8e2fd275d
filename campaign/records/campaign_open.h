/* campaign_open.h - a campaign begun, or gone on with: directory, journals, spec */
#ifndef RC_CAMPAIGN_RECORDS_CAMPAIGN_OPEN_H
#define RC_CAMPAIGN_RECORDS_CAMPAIGN_OPEN_H

#include "campaign/directory/campaign_dir.h"
#include "campaign/records/campaign.h"
#include "campaign/spec/spec.h"

struct rc_campaign_open {
    const char *dir; /* borrowed */
    bool had_log;    /* DIR/log.txt was there before */
    bool begun; /* set by the caller once records stand in the journal: DIR stays */
    struct rc_campaign_dir *campaign_dir; /* DIR, held */
    struct rc_campaign *campaign;         /* what its journals say */
    struct rc_spec spec;                  /* what is to be measured */
    bool new_spec;  /* to be put into the journal: a new campaign, or an extended one */
    bool was_there; /* the directory holds a campaign */
    char remark[512]; /* "" or a line for people */
};

/* Collective over 'comm' (or alone).  Takes DIR for this job, reads its journals
 * and settles what is to be measured: what the command line says, over the
 * campaign file of DIR where there is one and no other is named.
 *
 * A campaign file in a directory without a campaign is taken, too: a kill may have
 * come before the first record.  What is there without the journal it belongs
 * to is RC_ECONFLICT.
 *
 * With 'anew' DIR is a stage of the caller's: what a process that was killed left in it
 * goes first.
 *
 * RC_ECONFLICT: that is not what the campaign in DIR was begun with, and 'extend'
 * was not given or cannot mend it; the line tells the differences.
 * rc_campaign_open_fini() in any case.
 */
int rc_campaign_open_init(MPI_Comm comm, const char *dir, const struct rc_args *args,
                          bool extend, bool anew, struct rc_campaign_open *out,
                          struct rc_error *err);
void rc_campaign_open_fini(struct rc_campaign_open *opening); /* accepts a zeroed one */

/* Collective.  Rank 0 writes DIR/campaign.yaml if 'new_spec' is set.  On failure the
 * file that was there before is whole.
 */
int rc_campaign_open_write(MPI_Comm comm, const char *dir,
                           const struct rc_campaign_open *opening,
                           struct rc_error *err);

#endif
