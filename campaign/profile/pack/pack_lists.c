/* The lists of profile.h5 from all launches of a profile's journals.
 *
 * Threads of several launches are one place where they are the same thread of the same
 * rank, in the order in which they began; call paths are the same where their names
 * are, from the root on.
 */
#include "campaign/profile/pack/pack_parts.h"
#include "campaign/profile/read/instances.h"
#include "campaign/profile/read/phases.h"

#include "campaign/base/text.h"
#include "solve/waiting/waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory to pack the profile");
}

/* Differences are taken without a sign, since times of strangers may be any. */
int64_t rc_profile_pack_ns(const struct rc_profile_packing *k,
                           const struct rc_profile_node *node, uint64_t at_ns)
{
    return (int64_t)((uint64_t)rc_profile_unix_ns(node, at_ns) - (uint64_t)k->zero_ns);
}

/* A path by the one around it and its name. */
struct path_key {
    int64_t parent;
    const char *name;
};

/* For the map of paths: the same name in the same path. */
static bool has_path(const void *context, size_t item, const void *key)
{
    const struct rc_profile_packing *k = context;
    const struct path_key *wanted = key;

    return k->path[item].parent == wanted->parent &&
           strcmp(k->path[item].region, wanted->name) == 0;
}

static bool has_place(const void *context, size_t item, const void *key)
{
    const struct rc_profile_packing *k = context;

    return strcmp(k->place[item].name, key) == 0;
}

/* The file's number of a path. */
static int find_path(struct rc_profile_packing *k, struct path_key key, size_t *out,
                     struct rc_error *err)
{
    const uint64_t hash =
        rc_text_hash_more(rc_text_hash(key.name), &key.parent, sizeof key.parent);
    char *text = NULL;

    *out = rc_map_find(&k->paths, k, hash, &key);
    if (*out != RC_MAP_NONE)
        return RC_OK;
    *out = k->paths_count;
    const char *around = key.parent >= 0 ? k->path[key.parent].path : "";
    if (asprintf(&text, "%s%s%s", around, *around ? ";" : "", key.name) < 0)
        return fail_memory(err);
    const struct rc_profile_file_path path = {
        .path = rc_pool_copy(k->texts, text), .region = key.name, .parent = key.parent};
    free(text);
    if (!path.path || rc_grow(&k->path, sizeof path, k->paths_count, &k->path_room))
        return fail_memory(err);
    k->path[k->paths_count++] = path;
    return rc_map_put(&k->paths, k, hash, &key, *out) ? fail_memory(err) : RC_OK;
}

/* The file's number of a place. What is said of it is that of its last launch. */
static int find_place(struct rc_profile_packing *k, const char *name,
                      const struct rc_profile_file_place *like, size_t *out,
                      struct rc_error *err)
{
    const uint64_t hash = rc_text_hash(name);

    *out = rc_map_find(&k->places, k, hash, name);
    if (*out == RC_MAP_NONE) {
        const char *copy = rc_pool_copy(k->texts, name);
        *out = k->places_count;
        if (!copy ||
            rc_grow(&k->place, sizeof *k->place, k->places_count, &k->place_room))
            return fail_memory(err);
        k->place[k->places_count++].name = copy;
        if (rc_map_put(&k->places, k, hash, copy, *out))
            return fail_memory(err);
    }
    const char *copy = k->place[*out].name;
    k->place[*out] = *like; /* of the last launch */
    k->place[*out].name = copy;
    return RC_OK;
}

const char *rc_profile_place_name(const struct rc_profile_sums *s, size_t rank,
                                  size_t ordinal, char name[RC_PROFILE_PLACE_NAME])
{
    const struct rc_profile_rank *r = &s->rank[rank];
    size_t process = 0;

    while (process < rank && s->rank[rank - process - 1].rank < 0 &&
           strcmp(s->rank[rank - process - 1].node, r->node) == 0)
        process++;
    if (r->rank >= 0)
        snprintf(name, RC_PROFILE_PLACE_NAME, "rank %" PRId64 " thread %zu", r->rank,
                 ordinal);
    else
        snprintf(name, RC_PROFILE_PLACE_NAME, "%.255s process %zu thread %zu", r->node,
                 process, ordinal);
    return name;
}

/* Which place a thread is, 'ordinal' being its number in its rank. */
static int place_of(struct rc_profile_packing *k, const struct rc_profile_sums *s,
                    const struct rc_profile_member *m, size_t rank, size_t ordinal,
                    size_t *out, struct rc_error *err)
{
    const struct rc_profile_file_place like = {.rank = s->rank[rank].rank,
                                               .thread = ordinal,
                                               .node = m->node->launch.node,
                                               .cpus = m->thread->place.cpus};
    char name[RC_PROFILE_PLACE_NAME];

    return find_place(k, rc_profile_place_name(s, rank, ordinal, name), &like, out,
                      err);
}

/* A thread with its place and its paths; parents come before their paths. */
static int add_thread(struct rc_profile_packing *k, const struct rc_profile_sums *s,
                      const struct rc_profile_node *node,
                      const struct rc_profile_thread *thread, size_t *ordinals,
                      struct rc_error *err)
{
    const size_t rank = rc_profile_rank_number(s, node, thread);
    const struct rc_profile_place *place = &thread->place;
    struct rc_profile_member m = {.node = node, .thread = thread};
    int status = place_of(k, s, &m, rank, ordinals[rank]++, &m.place, err);

    if (status != RC_OK)
        return status;
    m.path = rc_arena_array(&k->arena, thread->path_count, sizeof *m.path);
    if (!m.path ||
        rc_grow(&k->member, sizeof *k->member, k->member_count, &k->member_room) ||
        rc_grow(&k->thread, sizeof *k->thread, k->threads, &k->thread_room))
        return fail_memory(err);
    for (size_t p = 0; p < thread->path_count; p++) {
        const struct path_key key = {p > 0 ? (int64_t)m.path[thread->path[p].parent]
                                           : -1,
                                     p > 0 ? rc_profile_region_name(thread, p) : ""};
        if ((status = find_path(k, key, &m.path[p], err)))
            return status;
    }
    k->member[k->member_count++] = m;
    k->thread[k->threads++] = (struct rc_profile_file_thread){
        .place = m.place,
        .launch = node->launch.launch,
        .node = node->launch.node,
        .pid = place->pid,
        .tid = place->tid,
        .child = place->child,
        .program = place->program,
        .begin_ns = rc_profile_pack_ns(k, node, place->began_ns),
        .end_ns = rc_profile_pack_ns(k, node, thread->ended_ns),
        .ended = thread->closed,
        .killed = thread->close.killed,
        .lost_entries = thread->close.lost_entries,
        .lost_paths = thread->close.lost_paths,
        .repaired = thread->close.repaired};
    return RC_OK;
}

/* The rows of MPI calls of a thread. The first one is of calls that found no row, and
 * most often empty.
 */
static int add_calls(struct rc_profile_packing *k, struct rc_profile_member *m,
                     struct rc_error *err)
{
    const struct rc_profile_thread *thread = m->thread;
    char site[128];

    m->call = rc_arena_array(&k->arena, thread->call_count, sizeof *m->call);
    if (!m->call)
        return fail_memory(err);
    for (size_t i = 0; i < thread->call_count; i++) {
        const struct rc_profile_call *call = &thread->call[i];
        m->call[i] = i == 0 && call->calls == 0 ? -1 : (int64_t)k->calls;
        if (m->call[i] < 0) /* no call found the table full */
            continue;
        snprintf(site, sizeof site, "%.80s+0x%" PRIx64,
                 call->module ? rc_profile_name(thread, call->module) : "", call->site);
        struct rc_profile_file_call row = {.name = rc_profile_call_name(thread, call),
                                           .waits_for = "",
                                           .launch = m->node->launch.launch,
                                           .place = m->place,
                                           .path = m->path[call->path],
                                           .site = rc_pool_intern(k->texts, site),
                                           .ranks = call->ranks,
                                           .log2_bytes = call->log_bytes,
                                           .calls = call->calls,
                                           .ns = call->ns,
                                           .longest_ns = call->longest_ns,
                                           .bytes = call->bytes,
                                           .received = call->received,
                                           .started = call->started,
                                           .started_receives = call->started_receives,
                                           .apart_ns = call->apart_ns};
        const struct rc_profile_wait *wait = rc_profile_wait_of(thread, call);
        if (wait) {
            row.waits_for = rc_waiting_name(wait->kind);
            row.known = wait->known;
            row.waited_ns = wait->waited_ns;
            row.completing_ns = wait->completing_ns;
            row.part_ns = wait->part_ns;
            row.same_source_ns = wait->same_source_ns;
            row.instances = wait->instances;
        }
        if (!row.site || rc_grow(&k->call, sizeof row, k->calls, &k->call_room))
            return fail_memory(err);
        for (size_t t = 0; t < RC_SHARED_TIMES; t++) {
            if (rc_grow(&k->call_times, sizeof *k->call_times,
                        k->calls * RC_SHARED_TIMES + t, &k->times_room))
                return fail_memory(err);
            k->call_times[k->calls * RC_SHARED_TIMES + t] =
                call->time[t] > UINT32_MAX ? UINT32_MAX : (uint32_t)call->time[t];
        }
        k->call[k->calls++] = row;
    }
    return RC_OK;
}
_Static_assert((int)RC_SHARED_TIMES == (int)RC_PROFILE_FILE_TIMES, "as in the file");

/* An MPI call lies in the path of its row. */
static void add_instance(void *arg, const struct rc_profile_instance *instance)
{
    struct rc_profile_packing *k = arg;
    const struct rc_profile_member *m = k->at;
    const struct rc_profile_thread *thread = m->thread;
    const size_t path =
        instance->call ? thread->call[instance->number].path : instance->number;

    if (rc_grow(&k->instance, sizeof *k->instance, k->instances, &k->instance_room)) {
        k->failed = true;
        return;
    }
    k->instance[k->instances++] = (struct rc_profile_file_instance){
        .begin_ns = rc_profile_pack_ns(k, m->node, instance->begin_ns),
        .end_ns = rc_profile_pack_ns(k, m->node, instance->end_ns),
        .launch = m->node->launch.launch,
        .place = m->place,
        .path = m->path[path],
        .call = instance->call ? m->call[instance->number] : -1,
        .open = instance->open};
}

/* Lines on what is lost go into the file, too. */
static void note_lost(void *arg, const char *line)
{
    struct rc_profile_packing *k = arg;
    const char *copy = rc_pool_copy(k->texts, line);

    if (!copy || rc_grow(&k->lost, sizeof *k->lost, k->lost_count, &k->lost_room))
        k->failed = true;
    else
        k->lost[k->lost_count++] = copy;
}

/* The program's words as one text. */
static const char *command_of(struct rc_profile_packing *k,
                              const struct rc_profile_launch *launch)
{
    char text[8192] = "";

    for (size_t i = 0; i < launch->word_count; i++)
        rc_text_append(text, sizeof text, "%s%s", i ? " " : "", launch->word[i]);
    return rc_pool_copy(k->texts, text);
}

/* The clock and the costs of a node in a launch. */
static int add_node(struct rc_profile_packing *k, const struct rc_profile_node *node,
                    struct rc_error *err)
{
    if (rc_grow(&k->clock, sizeof *k->clock, k->clocks, &k->clock_room))
        return fail_memory(err);
    k->clock[k->clocks++] =
        (struct rc_profile_file_clock){.launch = node->launch.launch,
                                       .node = node->launch.node,
                                       .at_ns = node->launch.at_ns,
                                       .unix_ns = node->launch.unix_ns,
                                       .compared = node->compared};
    for (size_t i = 0; i < node->clock.count; i++) {
        const struct rc_clock_offset *o = &node->clock.offset[i];
        if (rc_grow(&k->offset, sizeof *k->offset, k->offsets, &k->offset_room))
            return fail_memory(err);
        k->offset[k->offsets++] =
            (struct rc_profile_file_offset){.launch = node->launch.launch,
                                            .node = node->launch.node,
                                            .at_ns = o->at_ns,
                                            .low_ns = o->low_ns,
                                            .high_ns = o->high_ns};
    }
    for (size_t i = 0; i < node->cost_count; i++) {
        const struct rc_profile_cost *cost = &node->cost[i];
        if (rc_grow(&k->cost, sizeof *k->cost, k->costs, &k->cost_room))
            return fail_memory(err);
        k->cost[k->costs++] = (struct rc_profile_file_cost){
            .time_ns = rc_profile_pack_ns(k, node, cost->at_ns),
            .node = node->launch.node,
            .launch = node->launch.launch,
            .sampler_ns = cost->sampler_ns,
            .program_ns = cost->program_ns,
            .entries = cost->entries,
            .calls = cost->calls,
            .visits = cost->visits,
            .own_ns = cost->own_ns,
            .crowded_ns = cost->crowded_ns,
            .samples_ns = cost->samples_ns};
    }
    return RC_OK;
}

/* The changes of rates of a node, whose threads are members from 'first' on. */
static int add_rates(struct rc_profile_packing *k, const struct rc_profile_node *node,
                     size_t first, struct rc_error *err)
{
    char text[1024];

    for (size_t i = 0; i < node->rate_count; i++) {
        const struct rc_profile_rate *rate = &node->rate[i];
        const bool of_node = rate->what == RC_PROFILE_RATED_SERIES ||
                             rate->what == RC_PROFILE_RATED_STACKS;
        const char *name = rc_pool_intern(
            k->texts, rc_profile_rate_name(node, rate, text, sizeof text));
        if (!name || rc_grow(&k->rate, sizeof *k->rate, k->rates, &k->rate_room))
            return fail_memory(err);
        k->rate[k->rates++] = (struct rc_profile_file_rate){
            .time_ns = rc_profile_pack_ns(k, node, rate->at_ns),
            .node = node->launch.node,
            .launch = node->launch.launch,
            .place = of_node ? -1 : (int64_t)k->member[first + rate->place].place,
            .what = rc_profile_rate_what(rate),
            .name = name,
            .every = rate->every,
            .cost_ns = rate->cost_ns,
            .of_ns = rate->of_ns};
    }
    return RC_OK;
}

/* The phases of a launch, whose strings are the profile's. */
static int add_phases(struct rc_profile_packing *k, const struct rc_profile_sums *s,
                      struct rc_error *err)
{
    struct rc_profile_phases phases;
    int status = rc_profile_phases_find(s, &phases, err);

    for (size_t i = 0; i < phases.count && status == RC_OK; i++) {
        const struct rc_profile_phase *p = &phases.phase[i];
        if (rc_grow(&k->phase, sizeof *k->phase, k->phases, &k->phase_room))
            status = fail_memory(err);
        else
            k->phase[k->phases++] = (struct rc_profile_file_phase){
                .begin_ns = (int64_t)((uint64_t)p->begin_ns - (uint64_t)k->zero_ns),
                .end_ns = (int64_t)((uint64_t)p->end_ns - (uint64_t)k->zero_ns),
                .launch = s->node->launch.launch,
                .mostly = p->mostly,
                .share = p->share,
                .event = p->event ? p->event->name : "",
                .unit = p->event ? rc_profile_unit(p->event) : "",
                .mean = p->mean,
                .mean_of_all = p->all,
                .simulated = p->event && p->event->simulated};
    }
    rc_profile_phases_fini(&phases);
    return status;
}

/* All that is in lists, of one launch. */
static int add_launch(struct rc_profile_packing *k, const struct rc_profile_sums *s,
                      struct rc_error *err)
{
    const struct rc_profile_launch *launch = &s->node->launch;
    size_t *ordinals = rc_arena_array(&k->arena, s->rank_count, sizeof *ordinals);
    const int64_t begin = (int64_t)((uint64_t)s->began_unix_ns - (uint64_t)k->zero_ns);
    const char *command = command_of(k, launch);
    int status;

    if (!ordinals || !command ||
        rc_grow(&k->launch, sizeof *k->launch, k->launches, &k->launch_room))
        return fail_memory(err);
    for (size_t n = 0; n < s->node_count; n++) {
        const struct rc_profile_node *node = &s->node[n];
        const size_t first = k->member_count;
        if ((status = add_node(k, node, err)))
            return status;
        for (size_t t = 0; t < node->thread_count; t++) {
            if ((status = add_thread(k, s, node, &node->thread[t], ordinals, err)) ||
                (status = add_calls(k, &k->member[k->member_count - 1], err)))
                return status;
            k->at = &k->member[k->member_count - 1];
            (void)rc_profile_instances(&node->thread[t], add_instance, k);
        }
        if ((status = add_rates(k, node, first, err)))
            return status;
    }
    rc_profile_say_lost(s, note_lost, k);
    k->launch[k->launches++] =
        (struct rc_profile_file_launch){.launch = launch->launch,
                                        .command = command,
                                        .directory = launch->directory,
                                        .created_by = launch->created_by,
                                        .begin_ns = begin,
                                        .end_ns = begin + (int64_t)s->wall_ns,
                                        .period_ns = launch->period_ns,
                                        .long_ns = launch->long_ns,
                                        .every = launch->every,
                                        .trace = launch->trace,
                                        .budget_ppm = launch->budget_ppm};
    return k->failed ? fail_memory(err) : add_phases(k, s, err);
}

/* Launch by launch: what is met first has the lower number. */
int rc_profile_pack_lists(struct rc_profile_packing *k, struct rc_error *err)
{
    const struct rc_profile *p = k->profile;
    int status = RC_OK;

    k->paths.same = has_path;
    k->places.same = has_place;
    rc_profile_say_damage(p, note_lost, k);
    for (size_t n = 0; n < p->node_count; n++) {
        struct rc_profile_sums sums = {0};
        const uint64_t launch = p->node[n].launch.launch;
        if (n > 0 && p->node[n - 1].launch.launch == launch)
            continue;
        if ((status = rc_profile_sum(p, launch, NULL, &sums, err)) == RC_OK)
            status = add_launch(k, &sums, err);
        rc_profile_sums_fini(&sums);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}
