/* points.h - the points of a suite, and their iterations under each source */
#ifndef RC_CAMPAIGN_CATALOGUE_POINTS_H
#define RC_CAMPAIGN_CATALOGUE_POINTS_H

#include "campaign/catalogue/catalogue.h"

/* Points of a suite of this build. */
struct rc_suite_points {
    struct rc_points points;
    uint64_t *iterations; /* [source][point], 0: the source cannot measure it */
    const char *reason;   /* why real sources cannot run the suite, or NULL */
};

/* rc_suite_points_fini() in any case. */
int rc_suite_points_find(const struct rc_catalogue *catalogue,
                         const struct rc_suite_request *request,
                         const struct rc_suite *suite, struct rc_suite_points *out,
                         struct rc_error *err);
/* RC_EUSAGE: a team of 'most' workers needs more ranks on a node than this run has on
 * cores of their own, or more cores than a node has.
 */
int rc_suite_team_check(const struct rc_catalogue *catalogue, const char *suite,
                        uint32_t most, struct rc_error *err);

void rc_suite_points_fini(struct rc_suite_points *points);

#endif
