/* Links the lines of a buffer into one random cycle. */
#include "kernels/dcache/chase.h"

#include "campaign/base/mix.h"

#include <stddef.h>

struct rc_chase_line *rc_chase_link(void *buffer, uint64_t lines, uint64_t stride,
                                    uint64_t lines_per_block, uint64_t seed,
                                    uint32_t *order)
{
    struct rc_chase_line *first = NULL, **link = &first;

    for (uint64_t base = 0; base < lines; base += lines_per_block) {
        uint64_t left = lines - base;
        uint32_t count = (uint32_t)(left < lines_per_block ? left : lines_per_block);
        /* A random order of 0 to count - 1 (Fisher and Yates, filling as it goes). */
        for (uint32_t i = 0; i < count; i++) {
            uint32_t j = (uint32_t)(((rc_mix_next(&seed) >> 32) * (i + 1)) >> 32);
            order[i] = order[j];
            order[j] = i;
        }
        for (uint32_t i = 0; i < count; i++) {
            char *at = (char *)buffer + (base + order[i]) * stride;
            struct rc_chase_line *line = (struct rc_chase_line *)at;
            *link = line;
            link = &line->next;
            line->written[0] = line->written[1] = 0;
            line->position = base + i;
        }
    }
    *link = first;
    return first;
}
