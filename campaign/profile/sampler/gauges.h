/* gauges.h - readings of the node and of the program's processes, as series */
#ifndef RC_CAMPAIGN_PROFILE_SAMPLER_GAUGES_H
#define RC_CAMPAIGN_PROFILE_SAMPLER_GAUGES_H

#include "campaign/profile/wire/plan.h"
#include "campaign/profile/wire/watch.h"
#include "campaign/profile/wire/writer.h"
#include "campaign/sources/source.h"

/* The resources of the program's own processes (enum rc_profile_taken), as a source of
 * series, which has no open().
 */
extern const struct rc_source rc_profile_source_program;
struct rc_source_state;
int rc_profile_program_open(struct rc_profile_watch *watch,
                            struct rc_source_state **out, struct rc_error *err);

/* Gauges: events of sources that are read as series, for the node and its parts. */
struct rc_profile_gauges;
/* Events of one source that are read together. */
struct rc_profile_gauge {
    size_t event; /* the first of them, by number in the records */
    double ns;    /* processor time of a reading, mean of the last; open() reads once */
    uint8_t level; /* they are read in each 2^level-th round; the governor sets it */
};
size_t rc_profile_gauges_count(const struct rc_profile_gauges *gauges);
struct rc_profile_gauge *rc_profile_gauges_at(struct rc_profile_gauges *gauges,
                                              size_t group);
int rc_profile_gauges_open(const struct rc_profile_plan *plan,
                           struct rc_profile_watch *watch, bool *used,
                           struct rc_profile_gauges **out, struct rc_error *err);
void rc_profile_gauges_close(struct rc_profile_gauges *gauges); /* accepts NULL */
int rc_profile_gauges_announce(struct rc_profile_gauges *gauges,
                               struct rc_profile_writer *writer);
/* Reads the groups that are due in this round by their levels, or all. */
void rc_profile_gauges_read(struct rc_profile_gauges *gauges, bool all);
void rc_profile_gauges_write(struct rc_profile_gauges *gauges,
                             struct rc_profile_writer *writer);

#endif
