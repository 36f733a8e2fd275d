/* completeness.h - how far a campaign is: units that are done, that are not, and why */
#ifndef RC_CAMPAIGN_RECORDS_COMPLETENESS_H
#define RC_CAMPAIGN_RECORDS_COMPLETENESS_H

#include "campaign/records/campaign.h"
#include "campaign/spec/spec.h"

/* Of one suite of one kind.  A unit is expected for each group whose source
 * measures any point of the suite, at each place where units of that source,
 * suite and scope were measured; in a share, of the units that are its own.
 */
struct rc_suite_state {
    uint32_t kind, suite; /* indices in the campaign, in its kind */
    uint64_t units;       /* that are expected; each is one of: */
    uint64_t ok, invalid, failed, missing;
    uint64_t events; /* own events of groups of which there are readings */
    uint32_t repetitions_min, repetitions_max; /* of units with readings */
    size_t places;                             /* at which units were measured */
    uint64_t unit_ns; /* mean time of those that are done; 0: there is none */
};

struct rc_completeness {
    struct rc_suite_state *suite; /* by kind and suite */
    size_t count;
    struct rc_suite_state all; /* without places; kind and suite mean nothing */
    uint64_t left_ns;          /* of workers' time, for units that are not done */
    bool left_known;           /* each suite with something left has a unit done */
    bool complete;             /* something was to be done, and all of it is ok */
};

/* A unit of fewer repetitions than 'spec' wants is missing, and nothing is missing of
 * a suite that it does not want; NULL: any will do.  On
 * success free *out with rc_completeness_fini().
 */
int rc_completeness_find(const struct rc_campaign *campaign, const struct rc_spec *spec,
                         struct rc_completeness *out, struct rc_error *err);
void rc_completeness_fini(struct rc_completeness *state); /* accepts a zeroed one */

/* "1 kind, 2 suites, 553 events; of 146 units 146 are ok, 0 invalid, 0 failed, 0
 * missing", and that readings are simulated where some are.  Returns 'out'.
 */
enum { RC_COMPLETENESS_TEXT = 256 };
const char *rc_completeness_text(const struct rc_campaign *campaign,
                                 const struct rc_completeness *state,
                                 char out[RC_COMPLETENESS_TEXT]);

/* By the campaign file that is in the journals: it is in *spec where *known is true, to
 * be freed by rc_spec_fini() also after a failure; one that cannot be read any more
 * since files that it names are gone is as none.
 */
int rc_completeness_find_own(const struct rc_campaign *campaign, struct rc_spec *spec,
                             bool *known, struct rc_completeness *out,
                             struct rc_error *err);

#endif
