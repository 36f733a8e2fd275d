/* Rings of perf_event_open(2): mapped, and read record by record. */
#include "campaign/perf/perf.h"

#include "campaign/base/text.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

const char *rc_perf_paranoid(char out[RC_PERF_PARANOID])
{
    if (rc_text_first_line("/proc/sys/kernel/perf_event_paranoid", out,
                           RC_PERF_PARANOID) != 0)
        snprintf(out, RC_PERF_PARANOID, "not known");
    return out;
}

int rc_perf_ring_map(struct rc_perf_ring *ring, int fd, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *map = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (map == MAP_FAILED)
        return -1;
    *ring = (struct rc_perf_ring){
        .about = map, .data = (const char *)map + page, .bytes = bytes};
    return 0;
}

void rc_perf_ring_unmap(struct rc_perf_ring *ring)
{
    if (ring->about)
        (void)munmap(ring->about,
                     (size_t)(ring->data - (char *)ring->about) + ring->bytes);
    *ring = (struct rc_perf_ring){0};
}

const struct perf_event_header *
rc_perf_ring_next(const struct rc_perf_ring *ring, uint64_t end, uint64_t *at,
                  uint64_t record[RC_PERF_RECORD_MOST / 8])
{
    struct perf_event_header head;
    const size_t from = (size_t)(*at & (ring->bytes - 1)), room = ring->bytes - from;
    enum { ZEROS = 64 };

    if (end - *at < sizeof head)
        return NULL;
    memcpy(&head, ring->data + from, sizeof head); /* it is not split */
    if (head.size < sizeof head || head.size > end - *at)
        return NULL;
    const size_t first = head.size < room ? head.size : room;
    const size_t zeros = RC_PERF_RECORD_MOST - (size_t)head.size;
    memcpy(record, ring->data + from, first);
    memcpy((char *)record + first, ring->data, head.size - first);
    memset((char *)record + head.size, 0, zeros < ZEROS ? zeros : ZEROS);
    *at += head.size;
    return (const void *)record;
}
