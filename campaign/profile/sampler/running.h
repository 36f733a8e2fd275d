/* running.h - how much of their time threads run */
#ifndef RC_CAMPAIGN_PROFILE_SAMPLER_RUNNING_H
#define RC_CAMPAIGN_PROFILE_SAMPLER_RUNNING_H

#include "campaign/profile/wire/writer.h"

/* How much of its time a thread ran, as the kernel's scheduler counts it.  It is read
 * again and again while the thread is there, and written in stretches, which are short
 * while the thread waits for a processor.
 */
struct rc_profile_running {
    char path[64];
    int fd;                     /* of that file; -1: it is opened each time */
    struct rc_profile_run last; /* 'at_ns' of the last reading, and totals then */
    struct rc_profile_run next; /* the stretch to be written; 'since_ns' 0: none */
};
void rc_profile_running_begin(struct rc_profile_running *running, uint64_t place,
                              uint32_t pid, uint32_t tid, bool keep_open);
/* Reads the thread's times; with 'all' writes the stretch so far, however short. */
void rc_profile_running_round(struct rc_profile_running *running, bool all,
                              struct rc_profile_writer *writer);
void rc_profile_running_end(struct rc_profile_running *running); /* no more is read */

#endif
