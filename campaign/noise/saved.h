/* saved.h - whether the noise.h5 of a directory matches its campaign.h5 and journals */
#ifndef RC_CAMPAIGN_NOISE_SAVED_H
#define RC_CAMPAIGN_NOISE_SAVED_H

#include "io/store/store.h"

struct rc_noise_saved {
    bool there;
    char problem[RC_ERROR_TEXT]; /* why it is not what 'noise' would write now; or "" */
};

/* Examines the file at 'path'.  'campaign' is that of the campaign.h5 beside it, NULL
 * if there is none that can be read.  'records' is the number of records of detours in
 * the journals, copies and refused ones included.  Not collective.
 */
void rc_noise_saved_find(const char *path, const struct rc_store_campaign *campaign,
                         uint64_t records, struct rc_noise_saved *out);

#endif
