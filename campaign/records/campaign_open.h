/* campaign_open.h - begins or resumes a campaign: directory, journals, spec */
#ifndef RC_CAMPAIGN_RECORDS_CAMPAIGN_OPEN_H
#define RC_CAMPAIGN_RECORDS_CAMPAIGN_OPEN_H

#include "campaign/directory/campaign_dir.h"
#include "campaign/records/campaign.h"
#include "campaign/spec/spec.h"

struct rc_campaign_open {
    const char *dir; /* borrowed */
    bool had_log;    /* DIR/log.txt was there before */
    bool begun;      /* set by the caller once the journal has records: DIR stays */
    struct rc_campaign_dir *campaign_dir; /* DIR, held */
    struct rc_campaign *campaign;         /* read from its journals */
    struct rc_spec spec;                  /* what is to be measured */
    bool new_spec;    /* to be put into the journal: a new or an extended campaign */
    bool was_there;   /* the directory holds a campaign */
    char remark[512]; /* "" or a line for people */
};

/* Collective over 'comm' (or alone).  Takes DIR for this job, reads its journals and
 * settles what is to be measured: the command line, over the campaign file that it
 * names, or else over that of DIR if there is one.
 *
 * A campaign file in a directory without a campaign is used, too: a kill may have come
 * before the first record.  Results or settings without the journal that they belong to
 * are RC_ECONFLICT.
 *
 * With 'anew' DIR is a stage of the caller's: files that a killed process left in it
 * are removed first.
 *
 * RC_ECONFLICT: the campaign in DIR was begun with other settings, and 'extend' was not
 * given or does not help; the line says which. rc_campaign_open_fini() in any case.
 */
int rc_campaign_open_init(MPI_Comm comm, const char *dir, const struct rc_args *args,
                          bool extend, bool anew, struct rc_campaign_open *out,
                          struct rc_error *err);
void rc_campaign_open_fini(struct rc_campaign_open *opening); /* accepts a zeroed one */

/* Collective.  Rank 0 writes DIR/campaign.yaml if 'new_spec' is set.  On failure the
 * file of before stays whole.
 */
int rc_campaign_open_write(MPI_Comm comm, const char *dir,
                           const struct rc_campaign_open *opening,
                           struct rc_error *err);

#endif
