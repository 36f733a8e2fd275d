/* buffer.h - large memory for kernels, in huge pages where the system has them */
#ifndef RC_KERNELS_BUFFER_H
#define RC_KERNELS_BUFFER_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of memory; zeroed: empty. */
struct rc_buffer {
    void *data;          /* zeroed, at a multiple of the huge page size */
    size_t bytes;        /* as asked for */
    size_t mapped_bytes; /* 'bytes' rounded up to whole pages */
    bool reserved_huge;  /* taken from the pool of reserved huge pages */
};

/* Fails with one line where there is not enough free memory, before any of it is
 * touched: else the system would end the process later.  On failure the buffer is
 * empty.  'huge_page_bytes' may be 0.
 */
int rc_buffer_init(struct rc_buffer *buffer, uint64_t bytes, uint64_t huge_page_bytes,
                   struct rc_error *err);
void rc_buffer_fini(struct rc_buffer *buffer); /* accepts an empty one */

/* Whether the buffer, once touched, really lies in huge pages.  Reads
 * /proc/self/smaps: not for a measured region.
 */
bool rc_buffer_is_huge(const struct rc_buffer *buffer);

/* The most that one buffer may take on this machine, whatever is free now:
 * half of its memory.
 */
uint64_t rc_buffer_most_bytes(void);

#endif
