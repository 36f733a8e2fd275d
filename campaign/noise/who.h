/* who.h - what ran on a core while its program did not: the kernel's tracepoints
 *
 * A rank listens on the cores that it measures: to switches of threads and to
 * interrupts, soft interrupts and NMIs (non-maskable ones), from rc_who_start() to
 * rc_who_stop().  The kernel writes them into a ring of bounded size for each core, with
 * times of CLOCK_MONOTONIC_RAW; nobody reads it before the end, so that listening takes
 * no time of its own from the core but what the kernel's writing takes.  That needs
 * tracefs and the right to trace; without them there are the totals of /proc alone, and
 * rc_who_missing() says why.
 */
#ifndef RC_CAMPAIGN_NOISE_WHO_H
#define RC_CAMPAIGN_NOISE_WHO_H

#include "campaign/base/error.h"
#include "solve/study/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rc_who; /* opaque; of one rank, and of one thread at a time */

/* The first names.  Not asked: no tracepoints, or the ring was full by then.
 * Unattributed: the kernel saw nobody, it was firmware or the host of a virtual machine.
 * Host: likewise, and the host says that it took about as much ("steal").
 */
enum { RC_WHO_NOT_ASKED, RC_WHO_UNATTRIBUTED, RC_WHO_HOST, RC_WHO_NAMED };

/* What happened on one core between start and stop; counts of /proc, of all machines. */
struct rc_who_totals {
    uint64_t interrupts;  /* /proc/interrupts, the core's column */
    uint64_t softirqs;    /* /proc/softirqs, likewise */
    uint64_t steal_ns;    /* /proc/stat, in steps of a clock tick (10 ms) */
    uint64_t involuntary; /* switches of the calling thread that it did not ask for */
    uint64_t lost;        /* of what the kernel had to tell, did not fit into the ring */
};

/* Gets ready to listen on cores, by the numbers of the operating system.  'tracepoints':
 * try to (the option --no-tracepoints says no).  That they cannot be had is no failure.
 * On success the caller owns *who; on failure it is NULL.
 */
int rc_who_open(const uint32_t *core, size_t count, bool tracepoints,
                struct rc_who **who, struct rc_error *err);
void rc_who_close(struct rc_who *who); /* accepts NULL */

/* One line: why there are no tracepoints; NULL where there are. */
const char *rc_who_missing(const struct rc_who *who);

/* By the thread that runs the loop, before and after it.  Both may be repeated; a start
 * forgets what was heard before, but no names.  Each takes about 0.1 ms and more with
 * many cores in the machine, and rc_who_stop() reads the rings, too.
 */
int rc_who_start(struct rc_who *who, struct rc_error *err);
int rc_who_stop(struct rc_who *who, struct rc_error *err);

/* For each detour of a core, whose starts count from 'begin_ns' of CLOCK_MONOTONIC_RAW,
 * the number of the name of who had most of it.  The time of an interrupt is without
 * that of the interrupts in it.  After rc_who_stop(); 'core' is one that was opened.
 */
int rc_who_name(struct rc_who *who, uint32_t core, uint64_t begin_ns,
                const struct rc_detour *detour, size_t count, uint16_t *number,
                struct rc_error *err);

/* All names so far: "not asked", "unattributed", "host", then such as "timer", "softirq
 * NET_RX", "irq 24 virtio0", "nmi", "thread kworker/0:1:77".  They live as long as 'who'.
 */
size_t rc_who_names(const struct rc_who *who, const char *const **name);

/* After rc_who_stop(). */
void rc_who_totals(const struct rc_who *who, uint32_t core, struct rc_who_totals *out);

#endif
