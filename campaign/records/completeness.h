/* completeness.h - how far a campaign is: which units are done, which are not, and why
 */
#ifndef RC_CAMPAIGN_RECORDS_COMPLETENESS_H
#define RC_CAMPAIGN_RECORDS_COMPLETENESS_H

#include "campaign/records/campaign.h"
#include "campaign/spec/spec.h"

/* State of one suite of one kind.  A unit is expected for each group whose source
 * measures any point of the suite, at each place where units of that source, suite and
 * scope were measured; in a share, for its own groups only.
 */
struct rc_suite_state {
    uint32_t kind, suite; /* indices in the campaign, in its kind */
    uint64_t units;       /* expected ones; each is one of: */
    uint64_t ok, invalid, failed, missing;
    uint64_t events; /* own events of groups that have readings */
    uint32_t repetitions_min, repetitions_max; /* of units with readings */
    size_t places;                             /* at which units were measured */
    uint64_t unit_ns; /* mean time of those that are ok; 0: there is none */
};

struct rc_completeness {
    struct rc_suite_state *suite; /* by kind and suite */
    size_t count;
    struct rc_suite_state all; /* sums; no places; its kind and suite mean nothing */
    uint64_t left_ns;          /* workers' time for the units that are not ok */
    bool left_known;           /* each suite with units left has one that is ok */
    bool complete;             /* there are units, and all of them are ok */
};

/* A unit of fewer repetitions than 'spec' wants is missing, and no unit is missing in a
 * suite that it does not name; NULL: any number is enough, all suites count.  On
 * success free *out with rc_completeness_fini().
 */
int rc_completeness_find(const struct rc_campaign *campaign, const struct rc_spec *spec,
                         struct rc_completeness *out, struct rc_error *err);
void rc_completeness_fini(struct rc_completeness *state); /* accepts a zeroed one */

/* Writes "1 kind, 2 suites, 553 events; of 146 units 146 are ok, 0 invalid, 0 failed, 0
 * missing", and says so if some readings are simulated.  Returns 'out'.
 */
enum { RC_COMPLETENESS_TEXT = 256 };
const char *rc_completeness_text(const struct rc_campaign *campaign,
                                 const struct rc_completeness *state,
                                 char out[RC_COMPLETENESS_TEXT]);

/* Counts with the campaign file in the journals, read into *spec if *known becomes
 * true; then call rc_spec_fini(), also after a failure.  A file that cannot be read,
 * because files that it names are gone, counts as none.
 */
int rc_completeness_find_own(const struct rc_campaign *campaign, struct rc_spec *spec,
                             bool *known, struct rc_completeness *out,
                             struct rc_error *err);

#endif
