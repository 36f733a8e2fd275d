/* The tree of sampled stacks: places become frames, and samples counts of them. */
#include "campaign/profile/stacks/frames.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/mix.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    FRAMES_MOST = 65536, /* of the tree: 2 MiB */
    COUNTS_MOST = 65536, /* that wait for being written */
    RETURNS_MOST = 64,
};

/* The key by which a frame or a count is found. */
static uint64_t hash_of(uint64_t a, uint64_t b, uint64_t c)
{
    return rc_mix(rc_mix(rc_mix(a) + b) + c);
}

static bool has_frame(const void *context, size_t item, const void *key)
{
    const struct rc_profile_frame *f = &((const struct rc_profile_frames *)context)
                                            ->frame[item],
                                  *wanted = key;

    return f->parent == wanted->parent && f->module == wanted->module &&
           f->offset == wanted->offset;
}

static bool has_count(const void *context, size_t item, const void *key)
{
    const struct rc_profile_stack_count *c =
                                            &((const struct rc_profile_frames *)context)
                                                 ->count[item],
                                        *wanted = key;

    return c->task == wanted->task && c->frame == wanted->frame;
}

int rc_profile_frames_init(struct rc_profile_frames *f)
{
    *f = (struct rc_profile_frames){.frame_map.same = has_frame,
                                    .count_map.same = has_count};
    return rc_profile_modules_init(&f->modules);
}

void rc_profile_frames_fini(struct rc_profile_frames *f)
{
    rc_profile_modules_fini(&f->modules);
    rc_map_fini(&f->frame_map);
    rc_map_fini(&f->count_map);
    free(f->task);
    free(f->frame);
    free(f->count);
}

static uint64_t hash_of_frame(const struct rc_profile_frame *frame)
{
    return hash_of(frame->parent, frame->module, frame->offset);
}

/* The frame that is called by 'parent' at that place, new or not; 0: there is no room.
 */
static uint64_t find_frame(struct rc_profile_frames *f, uint64_t parent,
                           uint64_t module, uint64_t offset)
{
    const struct rc_profile_frame frame = {
        .parent = parent, .module = module, .offset = offset};
    const uint64_t hash = hash_of_frame(&frame);
    const size_t found = rc_map_find(&f->frame_map, f, hash, &frame);

    if (found != RC_MAP_NONE)
        return found + 1;
    if (f->frames >= FRAMES_MOST ||
        rc_grow(&f->frame, sizeof *f->frame, f->frames, &f->frame_room))
        return 0;
    f->frame[f->frames] = frame;
    if (rc_map_put(&f->frame_map, f, hash, &frame, f->frames))
        return 0;
    return ++f->frames;
}

static void add_count(struct rc_profile_frames *f, uint32_t task, uint64_t frame)
{
    const struct rc_profile_stack_count count = {
        .task = task, .frame = frame, .samples = 1};
    const uint64_t hash = hash_of(task, frame, 0);
    const size_t found = rc_map_find(&f->count_map, f, hash, &count);

    if (found != RC_MAP_NONE) {
        f->count[found].samples++;
        return;
    }
    if (f->counts >= COUNTS_MOST ||
        rc_grow(&f->count, sizeof *f->count, f->counts, &f->count_room)) {
        f->lost++;
        return;
    }
    f->count[f->counts] = count;
    if (rc_map_put(&f->count_map, f, hash, &count, f->counts))
        f->lost++;
    else
        f->counts++;
}

/* Where the functions of this thread will return to, from the last to the first. */
static void *find_returns(void *out)
{
    void **returns = out;

    (void)backtrace(returns, RETURNS_MOST); /* those after the last stay NULL */
    return NULL;
}

/* A stack that is whole ends where main() or a thread's function was called.  Those
 * places are functions of the C library without names: this process tells where they
 * are, since it has a main() and can have a thread; what the last frames of both are in
 * the library, they are in the program.
 */
void rc_profile_frames_find_starts(struct rc_profile_frames *f)
{
    struct rc_profile_mappings own = {.item = NULL};
    void *returns[2][RETURNS_MOST] = {{NULL}};
    uint32_t program = 0, module;
    uint64_t offset;
    pthread_t thread;

    find_returns(returns[0]);
    if (pthread_create(&thread, NULL, find_returns, returns[1]) == 0)
        pthread_join(thread, NULL);
    rc_profile_mappings_read(&own, (uint32_t)getpid(), f->modules.texts);
    (void)rc_profile_mappings_find(&own, (uint64_t)(uintptr_t)find_returns, &f->modules,
                                   &program, &offset);
    for (size_t k = 0; k < 2; k++) {
        bool behind = false; /* what is called by _start, which is the program's own */
        for (size_t i = RETURNS_MOST; i-- > 0;) {
            const uint64_t address = (uint64_t)(uintptr_t)returns[k][i];
            if (!address || !rc_profile_mappings_find(&own, address - 1, &f->modules,
                                                      &module, &offset))
                continue;
            if (module == program && behind)
                break;
            if (module == program)
                continue;
            behind = true;
            const uint64_t frame = find_frame(f, 0, module, offset);
            if (frame)
                f->frame[frame - 1].start = true;
        }
    }
    rc_profile_mappings_fini(&own);
}

/* Whether a program or a thread starts there. */
static bool is_start(const struct rc_profile_frames *f,
                     const struct rc_profile_frame *place)
{
    const size_t found =
        rc_map_find(&f->frame_map, f, hash_of_frame(place), place); /* as a root */

    return found != RC_MAP_NONE && f->frame[found].start;
}

int rc_profile_frames_task(struct rc_profile_frames *f,
                           const struct rc_profile_task *task, uint32_t *number)
{
    if (rc_grow(&f->task, sizeof *f->task, f->tasks, &f->task_room))
        return -1;
    *number = (uint32_t)f->tasks;
    f->task[f->tasks++] = *task;
    return 0;
}

/* Frames outside of a start are part of it. */
void rc_profile_frames_add(struct rc_profile_frames *f, uint32_t task,
                           const struct rc_profile_frame *place, size_t count,
                           bool kernel, enum rc_profile_cut cut, uint64_t period_ns)
{
    uint64_t frame = 0, next = 1;

    for (size_t i = 0; i < count; i++)
        if (is_start(f, &place[i])) {
            count = i + 1;
            cut = RC_PROFILE_CUT_UNKNOWN;
        }
    f->brief += cut == RC_PROFILE_CUT_BYTES;
    f->deep += cut == RC_PROFILE_CUT_DEPTH;
    while (count-- > 0 && next > 0)
        if ((next = find_frame(f, frame, place[count].module, place[count].offset)))
            frame = next;
    if (next && kernel) {
        const uint32_t module = rc_profile_modules_find(&f->modules, RC_PROFILE_KERNEL);
        if ((next = find_frame(f, frame, module, 0)))
            frame = next;
    }
    f->full += next == 0;
    f->taken++;
    f->taken_ns += period_ns;
    add_count(f, task, frame);
}

bool rc_profile_frames_crowded(const struct rc_profile_frames *f)
{
    return f->counts >= COUNTS_MOST / 2;
}

bool rc_profile_frames_new(const struct rc_profile_frames *f)
{
    return f->counts + f->lost > 0;
}

bool rc_profile_frames_write(struct rc_profile_frames *f,
                             const struct rc_profile_stacks *also,
                             struct rc_profile_writer *writer)
{
    struct rc_profile_payload payload = {.type = RC_PROFILE_STACKS, .stacks = *also};
    struct rc_profile_stacks *s = &payload.stacks;

    s->at_ns = rc_clock_raw_ns();
    s->period_ns = f->taken ? f->taken_ns / f->taken : also->period_ns;
    s->lost = f->lost;
    s->full = f->full;
    s->brief = f->brief;
    s->deep = f->deep;
    s->modules = f->modules_written;
    s->tasks = f->tasks_written;
    s->frames = f->frames_written;
    s->module = f->modules.item + f->modules_written;
    s->module_count = f->modules.count - f->modules_written;
    s->task = f->task + f->tasks_written;
    s->task_count = f->tasks - f->tasks_written;
    s->frame = f->frame + f->frames_written;
    s->frame_count = f->frames - f->frames_written;
    s->count = f->count;
    s->count_count = f->counts;
    if (rc_profile_put(writer, &payload) != RC_OK)
        return false;
    f->modules_written = f->modules.count;
    f->tasks_written = f->tasks;
    f->frames_written = f->frames;
    f->counts = f->lost = f->full = f->brief = f->deep = f->taken = f->taken_ns = 0;
    rc_map_fini(&f->count_map);
    f->count_map = (struct rc_map){.same = has_count};
    return true;
}
