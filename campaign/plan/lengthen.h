/* lengthen.h - iterations under sources whose readings are not to be too short */
#ifndef RC_CAMPAIGN_PLAN_LENGTHEN_H
#define RC_CAMPAIGN_PLAN_LENGTHEN_H

#include "campaign/catalogue/points.h"
#include "campaign/plan/kind_plan.h"

/* Tries the points of a new suite under each source with least_ns(): one whose readings
 * are shorter gets twice the iterations until they are not.  A point whose readings stay
 * too short, or of which a second iteration would find the first one's data in caches,
 * gets 0, and a remark.  'known' is the campaign's record of the suite, whose iterations
 * are kept, or NULL.
 */
void rc_kind_plan_lengthen(const struct rc_kind_plan *plan,
                           const struct rc_record_suite *known,
                           const struct rc_suite_request *request,
                           const struct rc_suite *suite, struct rc_suite_points *found);

#endif
