/* instances.h - begin and end of regions and MPI calls, of the entries of rings */
#ifndef RC_CAMPAIGN_PROFILE_READ_INSTANCES_H
#define RC_CAMPAIGN_PROFILE_READ_INSTANCES_H

#include "campaign/profile/read/read.h"

struct rc_profile_instance {
    uint64_t begin_ns, end_ns;
    size_t first, last; /* numbers of its entries; SIZE_MAX: its end is not there */
    uint32_t number;    /* of the path, or of the row of MPI calls */
    bool call;          /* an MPI call */
    bool open;          /* it had not ended: its end is the thread's, as far as known */
};

/* Tells 'take' of each instance of the thread, by its end; those within it were
 * reported before.  Where entries were lost, a begin without its end or an end without
 * its begin is left out.  Gives the number of these.
 */
uint64_t rc_profile_instances(const struct rc_profile_thread *thread,
                              void (*take)(void *arg,
                                           const struct rc_profile_instance *instance),
                              void *arg);

#endif
