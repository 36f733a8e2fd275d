/* who.h - who had a core while the program that measures there had not
 *
 * The kernel's tracepoints tell: switches of threads, interrupts, soft interrupts and
 * NMIs (non-maskable ones), from rc_who_start() to rc_who_stop().  The kernel writes
 * them with times of CLOCK_MONOTONIC_RAW into a ring of bounded size, which nobody
 * reads before the end: listening takes no time of its own from the core but that of
 * the writing.  It needs tracefs and the right to trace; where these are missing
 * everything works as well, says why, and nobody has a name.
 */
#ifndef RC_CAMPAIGN_DETOURS_WHO_H
#define RC_CAMPAIGN_DETOURS_WHO_H

#include "campaign/base/error.h"
#include "campaign/records/detours.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rc_who; /* opaque; of one core, used by one thread */

/* Gets ready to listen on a core, by the operating system's number, for about so long.
 * 'tracefs': where that is mounted; NULL: where it is usually.  Missing tracepoints are
 * not a failure.  On success the caller owns *who; else it is NULL.
 */
int rc_who_open(uint32_t core, uint64_t duration_ns, const char *tracefs,
                struct rc_who **who, struct rc_error *err);
void rc_who_close(struct rc_who *who); /* accepts NULL */

/* One line: why there are no tracepoints; "" where there are. */
const char *rc_who_missing(const struct rc_who *who);

/* Called by the thread that measures, bound to the core, right before and after its
 * loop.  A start forgets what was heard before it.  The stop reads the ring and fails
 * for want of memory only.
 */
void rc_who_start(struct rc_who *who);
int rc_who_stop(struct rc_who *who, struct rc_error *err);

/* The number of events that did not fit into the ring, or are missing for other
 * reasons: 0 means that all were heard. Detours after the last event are "not asked".
 */
uint64_t rc_who_lost(const struct rc_who *who);

/* For each detour, whose starts count from 'begin_ns' of CLOCK_MONOTONIC_RAW, the
 * number of the name of who had most of it: an interrupt's time is without that of the
 * interrupts in it.  Those with no name are the host's in a virtual machine whose
 * kernel traces all its interrupts: nothing else is below it.  Elsewhere they are where
 * the host says itself ("steal", of the same time) that it took half as much.
 */
int rc_who_name(struct rc_who *who, uint64_t begin_ns, uint64_t steal_ns,
                bool is_virtual, const struct rc_detour *detour, size_t count,
                uint16_t *number, struct rc_error *err);

/* All names so far: those of rc_noise_who_names[], then such as "local timer
 * interrupt", "softirq NET_RX", "irq 24 virtio0", "nmi", "thread kworker/0:1:77".  They
 * live as long as 'who'; the list until the next rc_who_stop().
 */
const char *const *rc_who_names(const struct rc_who *who, size_t *count);

#endif
