/* Launches in passes count other events each; what several passes count of the same
 * event says whether they are runs of the same.
 */
#include "campaign/profile/tables/trees.h"

#include "campaign/base/text.h"
#include "solve/cube/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A launch, and all that its threads counted. */
struct launch {
    const struct rc_profile_launch *launch;
    size_t pass; /* launches that count the same are of one */
    double count[RC_SHARED_COUNTERS];
};

static bool count_the_same(const struct rc_profile_launch *a,
                           const struct rc_profile_launch *b)
{
    bool same = a->counter_count == b->counter_count;

    for (size_t c = 0; same && c < a->counter_count; c++)
        same = strcmp(a->counter[c], b->counter[c]) == 0;
    return same;
}

/* The launches of a profile, whose nodes stand together. */
static void add_launches(const struct rc_profile *profile, struct launch *launch,
                         size_t *launches)
{
    size_t passes = 0;

    for (size_t n = 0; n < profile->node_count; n++) {
        const struct rc_profile_node *node = &profile->node[n];
        struct launch *of = &launch[*launches - 1];
        if (*launches == 0 || of->launch->launch != node->launch.launch) {
            of = &launch[(*launches)++];
            *of = (struct launch){.launch = &node->launch, .pass = passes};
            for (size_t i = 0; i + 1 < *launches && of->pass == passes; i++)
                if (count_the_same(launch[i].launch, of->launch))
                    of->pass = launch[i].pass;
            passes += of->pass == passes;
        }
        for (size_t t = 0; t < node->thread_count; t++)
            for (size_t c = 0;
                 node->thread[t].path_count > 0 && c < of->launch->counter_count; c++)
                of->count[c] += (double)node->thread[t].path[0].count[c];
    }
}

/* The launches that count an event, in passes that are numbered again; how many these
 * are.
 */
static size_t runs_of(const struct launch *launch, size_t launches, const char *event,
                      struct rc_run *run, size_t *pass, size_t *runs)
{
    size_t passes = 0, p;

    *runs = 0;
    for (size_t i = 0; i < launches; i++)
        for (size_t c = 0; c < launch[i].launch->counter_count; c++) {
            if (strcmp(launch[i].launch->counter[c], event) != 0)
                continue;
            for (p = 0; p < passes && pass[p] != launch[i].pass; p++)
                ;
            if (p == passes)
                pass[passes++] = launch[i].pass;
            run[(*runs)++] = (struct rc_run){p, launch[i].count[c]};
        }
    return passes;
}

/* The first launch that counts the event. */
static size_t first_with(const struct launch *launch, const char *event)
{
    for (size_t i = 0;; i++)
        for (size_t c = 0; c < launch[i].launch->counter_count; c++)
            if (strcmp(launch[i].launch->counter[c], event) == 0)
                return i;
}

static void put_difference(const struct rc_run_differs *d, const char *event,
                           uint64_t number, struct rc_json *json)
{
    if (!json) {
        printf("runs that differ: %s is %.6g in launch %" PRIu64
               " and those that count the same, and %.6g in the other passes\n",
               event, d->value, number, d->others);
        return;
    }
    rc_json_object(json, NULL);
    rc_json_text(json, "event", event);
    rc_json_integer(json, "launch", (int64_t)number);
    rc_json_short(json, "value", d->value, 0);
    rc_json_short(json, "others", d->others, 0);
    rc_json_short(json, "bound", d->bound, 0);
    rc_json_end(json);
}

int rc_profile_show_references(const struct rc_profile *profile, struct rc_json *json,
                               struct rc_error *err)
{
    struct rc_arena arena = {0};
    const size_t room = profile->node_count;
    struct launch *launch = rc_arena_array(&arena, room, sizeof *launch);
    struct rc_run *run = rc_arena_array(&arena, room, sizeof *run);
    struct rc_run_differs *out = rc_arena_array(&arena, room, sizeof *out);
    size_t *pass = rc_arena_array(&arena, room, sizeof *pass), launches = 0, runs;
    int status = rc_arena_check(&arena, err, "the launches of the profile");

    if (status != RC_OK || room == 0)
        goto out;
    add_launches(profile, launch, &launches);
    if (json)
        rc_json_array(json, "passes_differ");
    for (size_t i = 0; i < launches; i++)
        for (size_t c = 0; c < launch[i].launch->counter_count; c++) {
            const char *event = launch[i].launch->counter[c];
            const size_t passes = runs_of(launch, launches, event, run, pass, &runs);
            if (passes < 2 || first_with(launch, event) != i) /* once each */
                continue;
            const size_t differ = rc_runs_judge(run, runs, passes, out);
            for (size_t d = 0; d < differ && differ != SIZE_MAX; d++) {
                size_t first = 0;
                while (launch[first].pass != pass[out[d].pass])
                    first++;
                put_difference(&out[d], event, launch[first].launch->launch, json);
            }
        }
    if (json)
        rc_json_end(json);
out:
    rc_arena_free(&arena);
    return status;
}
