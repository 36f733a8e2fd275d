/* perf.h - events of perf_event_open(2), and the rings that the kernel writes for them
 *
 * The home of that system call, but for PAPI, which has its own.
 */
#ifndef RC_CAMPAIGN_PERF_PERF_H
#define RC_CAMPAIGN_PERF_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An event of a thread or process (0: the caller, -1: all) on a core (-1: any), in the
 * group of 'leader' (-1: in none): its file, or -1 with errno.  Here, since the library
 * that is loaded into programs links nothing.
 */
static inline int rc_perf_open(struct perf_event_attr *attr, pid_t thread, int core,
                               int leader)
{
    return (int)syscall(SYS_perf_event_open, attr, thread, core, leader,
                        (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

enum { RC_PERF_PARANOID = 32 }; /* bytes of what rc_perf_paranoid() says, with the 0 */

/* The kernel's perf_event_paranoid, or "not known": 'out'. */
const char *rc_perf_paranoid(char out[RC_PERF_PARANOID]);

/* Where the kernel writes records for an event, mapped. */
struct rc_perf_ring {
    struct perf_event_mmap_page *about; /* NULL: there is none */
    const char *data;                   /* after that page */
    size_t bytes;                       /* of the data: a power of 2 */
};

/* 0, or -1 with errno.  rc_perf_ring_unmap() accepts a ring that is zeroed. */
int rc_perf_ring_map(struct rc_perf_ring *ring, int fd, size_t bytes);
void rc_perf_ring_unmap(struct rc_perf_ring *ring);

/* Up to where there are records that are whole. */
static inline uint64_t rc_perf_ring_end(const struct rc_perf_ring *ring)
{
    return __atomic_load_n(&ring->about->data_head, __ATOMIC_ACQUIRE);
}

/* Lets the kernel write over all before 'at'. */
static inline void rc_perf_ring_free(const struct rc_perf_ring *ring, uint64_t at)
{
    __atomic_store_n(&ring->about->data_tail, at, __ATOMIC_RELEASE);
}

enum { RC_PERF_RECORD_MOST = 65536 }; /* bytes: a record says its own in 16 bits */

/* Copies the record at '*at', which may begin at the ring's end and go on at its
 * beginning, with 64 zeros at its end; '*at' becomes the place of the next.  NULL:
 * there is none before 'end'.
 */
const struct perf_event_header *
rc_perf_ring_next(const struct rc_perf_ring *ring, uint64_t end, uint64_t *at,
                  uint64_t record[RC_PERF_RECORD_MOST / 8]);

#endif
