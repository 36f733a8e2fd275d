/* conditions.h - what held on a node, and what happened there, while detours were
 * measured
 *
 * All of it comes from files that anybody may read.  Files that are missing are left
 * out.
 */
#ifndef RC_CAMPAIGN_DETOURS_CONDITIONS_H
#define RC_CAMPAIGN_DETOURS_CONDITIONS_H

#include "campaign/records/detours.h"

/* How often things had happened by some moment. */
struct rc_noise_counts {
    struct rc_arena arena; /* of the names */
    struct rc_noise_total *total;
    size_t count, room;
};

#define RC_NOISE_WAITED "other threads ns"

/* Where these numbers are: "/proc", or another folder in tests. */
struct rc_noise_counts_from {
    const char *interrupts, *softirqs, *stat, *schedstat;
};
extern const struct rc_noise_counts_from rc_noise_counts_here;

/* Reads the numbers of one CPU: its interrupts and softirqs by name, and "steal ms",
 * the time that the host of a virtual machine took, in steps of the kernel's tick; of
 * the calling thread RC_NOISE_WAITED, how long it waited for its CPU, which other
 * threads had.  Fails only for want of memory.  rc_noise_counts_fini() in any case.
 */
int rc_noise_counts_read(const struct rc_noise_counts_from *from, uint32_t cpu,
                         struct rc_noise_counts *out, struct rc_error *err);
void rc_noise_counts_fini(struct rc_noise_counts *counts); /* accepts a zeroed one */

/* Leaves in 'after' what rose since 'before', and nothing that did not. */
void rc_noise_counts_subtract(const struct rc_noise_counts *before,
                              struct rc_noise_counts *after);

/* The tightest CPU quota of this process's control groups, "50000 100000": so many us
 * of a period of so many.  "" where there is none.  'groups' is /proc/self/cgroup,
 * 'mount' where control groups are mounted.
 */
const char *rc_noise_quota(const char *groups, const char *mount, char *out,
                           size_t room);

/* Appends what holds here: scheduling policy and its limits, quota, clock source,
 * isolated CPUs, frequency governor, kernel.  *condition is the arena's.
 */
int rc_noise_conditions(uint32_t cpu, struct rc_arena *arena,
                        struct rc_noise_condition **condition, size_t *count,
                        struct rc_error *err);

/* Room in the list above for what the caller adds. */
enum { RC_NOISE_CONDITIONS_MORE = 8 };

#endif
