/* Finds out where a sampled thread was and who called it. */
#include "campaign/profile/stacks/sampling.h"

#include "campaign/base/clock.h"
#include "campaign/perf/perf.h"

#include <string.h>

static const uint64_t again_ns = 1000000000;

/* Where an address of the process is.  Where one is not in known code, 'again' has the
 * mappings read again, once a second.
 */
static bool find_place(struct rc_profile_mappings *mappings,
                       struct rc_profile_modules *modules, uint64_t address, bool again,
                       struct rc_profile_frame *out)
{
    uint32_t module = 0;
    uint64_t offset = 0;
    bool found = rc_profile_mappings_find(mappings, address, modules, &module, &offset);

    if (!found && again && rc_clock_ns() >= mappings->read_ns) {
        rc_profile_mappings_read(mappings, mappings->pid, modules->texts);
        mappings->read_ns = rc_clock_ns() + again_ns;
        found = rc_profile_mappings_find(mappings, address, modules, &module, &offset);
    }
    *out = (struct rc_profile_frame){.module = module, .offset = offset};
    return found;
}

/* By addresses that the kernel found, as far as they are code; words after the first
 * that is not were not a stack.  Outer frames are where a call comes from, so it is the
 * byte before that says in which function.
 *
 * Frame pointers tell nothing of the caller of an innermost function that has not, or
 * not yet, or no more, made one of its own: its return address is in the stack.
 */
static size_t follow_pointers(struct rc_profile_mappings *mappings,
                              struct rc_profile_modules *modules,
                              const struct rc_profile_sample *sample,
                              struct rc_profile_frame out[RC_PROFILE_PLACES])
{
    uint64_t caller;
    size_t used = 0;

    for (size_t i = 0; i < sample->addresses && used + 1 < RC_PROFILE_PLACES; i++) {
        const uint64_t address = sample->address[i];
        if (address >= (uint64_t)PERF_CONTEXT_MAX)
            continue; /* a mark of the kernel's */
        if (!find_place(mappings, modules, address - (used > 0), used == 0,
                        &out[used]) &&
            used > 0)
            break;
        if (used++ > 0)
            continue;
        const struct rc_profile_caller by =
            rc_profile_modules_caller(modules, (uint32_t)out[0].module, out[0].offset);
        if (by.from != RC_PROFILE_FROM_STACK || (uint64_t)by.end > sample->stack_bytes)
            continue;
        memcpy(&caller, sample->stack + by.end - sizeof caller, sizeof caller);
        used += find_place(mappings, modules, caller - 1, false, &out[used]);
    }
    return used;
}

/* A word of the stack; false: it is not in the piece that is there. */
static bool read_word(const struct rc_profile_sample *sample, uint64_t stack_pointer,
                      uint64_t at, uint64_t *out)
{
    const uint64_t from = at - stack_pointer;

    if (at < stack_pointer || sample->stack_bytes < sizeof *out ||
        from > sample->stack_bytes - sizeof *out)
        return false;
    memcpy(out, sample->stack + from, sizeof *out);
    return true;
}

/* By what files say of their functions' frames: from each the next one outside of it.
 * *whole: the outermost has no caller.  *cut: why there are no more where it has.
 */
static size_t follow_tables(struct rc_profile_mappings *mappings,
                            struct rc_profile_modules *modules,
                            const struct rc_profile_sample *sample,
                            struct rc_profile_frame out[RC_PROFILE_PLACES], bool *whole,
                            enum rc_profile_cut *cut)
{
    const uint64_t stack_pointer = sample->registers[1];
    uint64_t frame = sample->registers[0], stack = stack_pointer,
             address = sample->registers[2];
    size_t used = 0;

    *whole = false;
    *cut = RC_PROFILE_CUT_UNKNOWN;
    while (used < RC_PROFILE_PLACES &&
           find_place(mappings, modules, address - (used > 0), used == 0, &out[used])) {
        const struct rc_profile_caller by = rc_profile_modules_caller(
            modules, (uint32_t)out[used].module, out[used].offset);
        used++;
        *whole = by.from == RC_PROFILE_FROM_NOBODY;
        if (*whole || by.from == RC_PROFILE_FROM_UNKNOWN)
            break;
        const uint64_t end = (by.from == RC_PROFILE_FROM_STACK ? stack : frame) +
                             (uint64_t)(int64_t)by.end;
        if (end <= stack)
            break;
        if (!read_word(sample, stack_pointer, end - 8, &address) ||
            (by.frame_at && !read_word(sample, stack_pointer,
                                       end + (uint64_t)(int64_t)by.frame_at, &frame))) {
            if (sample->filled)
                *cut = RC_PROFILE_CUT_BYTES;
            break;
        }
        stack = end;
    }
    if (used == RC_PROFILE_PLACES)
        *cut = RC_PROFILE_CUT_DEPTH;
    return used;
}

/* Tables may end where frame pointers go on, as in code that a program makes itself. */
size_t rc_profile_unwind(struct rc_profile_mappings *mappings,
                         struct rc_profile_modules *modules,
                         const struct rc_profile_sample *sample,
                         struct rc_profile_frame out[RC_PROFILE_PLACES],
                         enum rc_profile_cut *cut)
{
    struct rc_profile_frame place[RC_PROFILE_PLACES];
    bool whole = false;

    *cut = sample->addresses >= RC_PROFILE_POINTERS ? RC_PROFILE_CUT_DEPTH
                                                    : RC_PROFILE_CUT_UNKNOWN;
    const size_t by_tables =
        sample->registers ? follow_tables(mappings, modules, sample, place, &whole, cut)
                          : 0;
    const size_t count = whole ? 0 : follow_pointers(mappings, modules, sample, out);

    if (count >= by_tables)
        return count;
    memcpy(out, place, by_tables * sizeof *place);
    return by_tables;
}
