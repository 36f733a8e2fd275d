/* pack.h - the journals of a profile become DIR/profile.h5 */
#ifndef RC_CAMPAIGN_PROFILE_PACK_PACK_H
#define RC_CAMPAIGN_PROFILE_PACK_PACK_H

#include "campaign/base/error.h"

/* Writes DIR/profile.h5 again, of all launches; a file that is there stays until the
 * new one is whole.  'tell' gets a line for each damage in the journals.
 */
int rc_profile_pack(const char *dir, void (*tell)(void *arg, const char *line),
                    void *arg, struct rc_error *err);

#endif
