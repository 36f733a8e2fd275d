/* Maps large memory for kernels, in huge pages where the system gives them: from the
 * pool of reserved ones, else transparent ones, else ordinary pages.
 */
#include "kernels/buffer.h"

#include "campaign/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The number after 'key' in a file of lines such as "MemAvailable: 12 kB"; with an
 * empty key, the number the file begins with.  0 where there is none.
 */
static uint64_t number_in(const char *path, const char *key)
{
    char text[64];

    return rc_text_value_of(path, key, text, sizeof text) == 0
               ? strtoull(text, NULL, 10)
               : 0;
}

uint64_t rc_buffer_most_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 2
                                       : UINT64_MAX;
}

/* Transparent huge pages need a start at a multiple of their size. */
static void *map_aligned(size_t bytes, size_t align)
{
    char *all = mmap(NULL, bytes + align, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (all == MAP_FAILED)
        return MAP_FAILED;
    size_t before = (align - (uintptr_t)all % align) % align;
    if (before)
        munmap(all, before);
    if (align - before)
        munmap(all + before + bytes, align - before);
    madvise(all + before, bytes, MADV_HUGEPAGE);
    return all + before;
}

int rc_buffer_init(struct rc_buffer *buffer, uint64_t bytes, uint64_t huge_page_bytes,
                   struct rc_error *err)
{
    size_t align = huge_page_bytes ? huge_page_bytes : (size_t)sysconf(_SC_PAGESIZE);
    char text[RC_TEXT_SHORT], text_free[RC_TEXT_SHORT];
    /* Memory that is free now, on the machine and in the container. */
    uint64_t free_now = number_in("/proc/meminfo", "MemAvailable") * 1024;
    uint64_t limit = number_in("/sys/fs/cgroup/memory.max", "");
    uint64_t used = number_in("/sys/fs/cgroup/memory.current", "");
    void *data = MAP_FAILED;

    *buffer = (struct rc_buffer){0};
    if (!free_now)
        free_now = UINT64_MAX; /* the system does not say */
    if (limit && limit > used && limit - used < free_now)
        free_now = limit - used;
    rc_text_put_size(text, bytes);
    if (bytes > free_now || bytes > SIZE_MAX / 2 - align)
        return rc_fail(err, RC_ENOMEM, "no memory for a buffer of %s: %s is free", text,
                       rc_text_put_size(text_free, free_now));
    size_t mapped = ((size_t)bytes + align - 1) / align * align;
    if (huge_page_bytes)
        data = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    buffer->reserved_huge = data != MAP_FAILED;
    if (data == MAP_FAILED)
        data = map_aligned(mapped, align);
    if (data == MAP_FAILED)
        return rc_fail_errno(err, "no memory for a buffer of %s", text);
    buffer->data = data;
    buffer->bytes = bytes;
    buffer->mapped_bytes = mapped;
    return RC_OK;
}

void rc_buffer_fini(struct rc_buffer *buffer)
{
    if (buffer->data)
        munmap(buffer->data, buffer->mapped_bytes);
    *buffer = (struct rc_buffer){0};
}

bool rc_buffer_is_huge(const struct rc_buffer *buffer)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    uintptr_t at = (uintptr_t)buffer->data;
    unsigned long low, high, kilobytes = 0;
    bool inside = false, found = false;
    char line[512];

    if (!file)
        return buffer->reserved_huge;
    while (!found && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lx-%lx ", &low, &high) == 2)
            inside = low <= at && at < high;
        else if (inside && sscanf(line, "AnonHugePages: %lu kB", &kilobytes) == 1)
            found = true;
    }
    fclose(file);
    return buffer->reserved_huge || (uint64_t)kilobytes * 1024 >= buffer->bytes;
}
