/* Takes in records of sampled stacks: lists that grow, and counts that add up. */
#include "campaign/profile/read/samples.h"

#include "campaign/base/memory.h"
#include "campaign/base/mix.h"

#include <inttypes.h>
#include <stdlib.h>

static bool has_count(const void *context, size_t item, const void *key)
{
    const struct rc_profile_samples *s = context;
    const struct rc_profile_sampled *wanted = key;

    return s->count[item].task == wanted->task && s->count[item].frame == wanted->frame;
}

void rc_profile_samples_begin(struct rc_profile_samples *s)
{
    s->map.same = has_count;
    s->why = s->why ? s->why : "";
}

/* Numbers that are in no list, of a record whose lists follow those before. */
static int check_numbers(const struct rc_profile_samples *s,
                         const struct rc_profile_stacks *r, struct rc_error *err)
{
    const uint64_t modules = r->modules + r->module_count,
                   frames = r->frames + r->frame_count,
                   tasks = r->tasks + r->task_count;
    bool good = true;

    if (r->modules != s->modules || r->frames != s->frames || r->tasks != s->tasks)
        return rc_fail(err, RC_EUSAGE,
                       "stacks with %" PRIu64 " frames before them, expected %zu",
                       r->frames, s->frames);
    for (size_t i = 0; i < r->frame_count; i++)
        good &= r->frame[i].parent <= r->frames + i && r->frame[i].module <= modules;
    for (size_t i = 0; i < r->count_count; i++)
        good &= r->count[i].task < tasks && r->count[i].frame <= frames;
    return good ? RC_OK
                : rc_fail(err, RC_EUSAGE,
                          "stacks of %" PRIu64 " modules, %" PRIu64
                          " frames and %" PRIu64 " threads name another one",
                          modules, frames, tasks);
}

/* The sum for a thread and a frame, which is new where it is met first. */
static void add_count(struct rc_profile_samples *s, struct rc_arena *memory,
                      const struct rc_profile_sampled *count)
{
    const uint64_t hash = rc_mix(rc_mix(count->task) + count->frame);
    const size_t found = rc_map_find(&s->map, s, hash, count);

    s->total += count->samples;
    s->ns += count->ns;
    s->squares += count->samples ? count->ns * count->ns / (double)count->samples : 0;
    if (found != RC_MAP_NONE) {
        s->count[found].samples += count->samples;
        s->count[found].ns += count->ns;
        return;
    }
    rc_arena_append(memory, &s->count, sizeof *count, &s->counts, &s->count_room,
                    count);
    memory->failed =
        memory->failed || rc_map_put(&s->map, s, hash, count, s->counts - 1) != 0;
}

int rc_profile_samples_take(struct rc_profile_samples *s,
                            const struct rc_profile_stacks *r, struct rc_arena *memory,
                            struct rc_error *err)
{
    const int status = check_numbers(s, r, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < r->module_count; i++)
        rc_arena_append(memory, &s->module, sizeof *s->module, &s->modules,
                        &s->module_room, &r->module[i]);
    for (size_t i = 0; i < r->frame_count; i++)
        rc_arena_append(memory, &s->frame, sizeof *s->frame, &s->frames, &s->frame_room,
                        &r->frame[i]);
    for (size_t i = 0; i < r->task_count; i++)
        rc_arena_append(memory, &s->task, sizeof *s->task, &s->tasks, &s->task_room,
                        &r->task[i]);
    for (size_t i = 0; i < r->count_count; i++) {
        const struct rc_profile_stack_count *of = &r->count[i];
        const struct rc_profile_sampled count = {.task = of->task,
                                                 .frame = of->frame,
                                                 .samples = of->samples,
                                                 .ns = (double)of->samples *
                                                       (double)r->period_ns};
        add_count(s, memory, &count);
    }
    s->records++;
    s->kernel = r->kernel;
    s->lost += r->lost;
    s->full += r->full;
    s->missed += r->missed;
    s->stack_bytes = r->stack_bytes;
    s->brief += r->brief;
    s->deep += r->deep;
    if (r->why[0])
        s->why = r->why;
    return RC_OK;
}

void rc_profile_samples_fini(struct rc_profile_samples *s)
{
    free(s->module);
    free(s->frame);
    free(s->task);
    free(s->count);
    rc_map_fini(&s->map);
}
