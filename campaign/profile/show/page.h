/* page.h - a launch of a profile as a page of HTML that holds everything itself
 *
 * The page is data: what 'rollcall profile DIR --format json' says, lanes over time,
 * trees of call paths and of sampled functions; io/report/profile.js draws them.
 */
#ifndef RC_CAMPAIGN_PROFILE_SHOW_PAGE_H
#define RC_CAMPAIGN_PROFILE_SHOW_PAGE_H

#include "campaign/profile/export/export.h"

/* For rc_profile_export(): a page has room for a part of the instances and threads,
 * and says so itself.  'choice' has a say in the launch and in metrics only.
 */
extern const struct rc_profile_export_format rc_profile_page;

#endif
