/* The lists of profile.h5 from all launches of a profile's journals.
 *
 * Places and call paths of several launches are joined as in a cube.
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

/* Differences are taken without a sign, since times of strangers may be any. */
int64_t rc_profile_pack_ns(const struct rc_profile_packing *k,
                           const struct rc_profile_node *node, uint64_t at_ns)
{
    return (int64_t)((uint64_t)rc_profile_unix_ns(node, at_ns) - (uint64_t)k->zero_ns);
}

/* A copy of the text that lives as long as the lists. */
static const char *intern(struct rc_profile_packing *k, const char *text)
{
    const char *copy = rc_pool_intern(k->cube->texts, text);

    k->lists.failed |= !copy;
    return copy ? copy : "";
}

/* A thread, and its place: what is said of that is of its last launch. */
static void add_thread(struct rc_profile_packing *k, const struct rc_profile_member *m)
{
    const struct rc_profile_node *node = m->node;
    const struct rc_profile_thread *thread = m->thread;
    const struct rc_profile_place *place = &thread->place;
    const struct rc_cube_place *of = &k->cube->place[m->place];
    struct rc_profile_file_list *places = &k->lists.of[RC_PROFILE_FILE_PLACES];
    const struct rc_profile_file_place row = {.name = of->name,
                                              .rank = of->rank,
                                              .thread = of->thread,
                                              .node = node->launch.node,
                                              .cpus = place->cpus};

    if (m->place < places->count)
        ((struct rc_profile_file_place *)places->row)[m->place] = row;
    else
        rc_profile_file_add(&k->lists, RC_PROFILE_FILE_PLACES, &row);
    rc_profile_file_add(&k->lists, RC_PROFILE_FILE_THREADS,
                        &(struct rc_profile_file_thread){
                            .place = m->place,
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
                            .repaired = thread->close.repaired});
}

/* The rows of MPI calls of a thread. The first one is of calls that found no row, and
 * most often empty.
 */
static void add_calls(struct rc_profile_packing *k, const struct rc_profile_member *m)
{
    const struct rc_profile_thread *thread = m->thread;
    char site[128];

    for (size_t i = 0; i < thread->call_count; i++) {
        const struct rc_profile_call *call = &thread->call[i];
        m->call[i] = k->lists.of[RC_PROFILE_FILE_CALLS].count;
        if (i == 0 && call->calls == 0) { /* no call found the table full */
            m->call[i] = SIZE_MAX;
            continue;
        }
        snprintf(site, sizeof site, "%.80s+0x%" PRIx64,
                 call->module ? rc_profile_name(thread, call->module) : "", call->site);
        struct rc_profile_file_call row = {
            .name = rc_profile_call_name(thread, call),
            .waits_for = "",
            .launch = m->node->launch.launch,
            .place = m->place,
            .path = m->path[call->path],
            .site = intern(k, site),
            .ranks = call->ranks,
            .log2_bytes = call->log_bytes,
            .nodes = rc_profile_nodes_name(call->nodes),
#define CALL(ticks, member, ...) .member = call->member,
#include "io/profile/calls.def"
        };
        const struct rc_profile_wait *wait = rc_profile_wait_of(thread, call);
        if (wait) {
            row.waits_for = rc_waiting_name(wait->kind);
#define WAIT(ticks, member, ...) row.member = wait->member;
#include "io/profile/calls.def"
        }
        for (size_t t = 0; t < RC_SHARED_TIMES; t++)
            row.times[t] =
                call->time[t] > UINT32_MAX ? UINT32_MAX : (uint32_t)call->time[t];
        rc_profile_file_add(&k->lists, RC_PROFILE_FILE_CALLS, &row);
    }
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

    rc_profile_file_add(
        &k->lists, RC_PROFILE_FILE_INSTANCES,
        &(struct rc_profile_file_instance){
            .begin_ns = rc_profile_pack_ns(k, m->node, instance->begin_ns),
            .end_ns = rc_profile_pack_ns(k, m->node, instance->end_ns),
            .launch = m->node->launch.launch,
            .place = m->place,
            .path = m->path[path],
            .call = instance->call && m->call[instance->number] != SIZE_MAX
                        ? (int64_t)m->call[instance->number]
                        : -1,
            .open = instance->open});
}

/* Lines on what is lost go into the file, too. */
static void note_lost(void *arg, const char *line)
{
    struct rc_profile_packing *k = arg;
    const char *copy = intern(k, line);

    if (rc_grow(&k->lost, sizeof *k->lost, k->lost_count, &k->lost_room))
        k->lists.failed = true;
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
    return intern(k, text);
}

/* The clock and the costs of a node in a launch. */
static void add_node(struct rc_profile_packing *k, const struct rc_profile_node *node)
{
    rc_profile_file_add(&k->lists, RC_PROFILE_FILE_CLOCKS,
                        &(struct rc_profile_file_clock){.launch = node->launch.launch,
                                                        .node = node->launch.node,
                                                        .at_ns = node->launch.at_ns,
                                                        .unix_ns = node->launch.unix_ns,
                                                        .compared = node->compared});
    for (size_t i = 0; i < node->clock.count; i++) {
        const struct rc_clock_offset *o = &node->clock.offset[i];
        rc_profile_file_add(
            &k->lists, RC_PROFILE_FILE_OFFSETS,
            &(struct rc_profile_file_offset){.launch = node->launch.launch,
                                             .node = node->launch.node,
                                             .at_ns = o->at_ns,
                                             .low_ns = o->low_ns,
                                             .high_ns = o->high_ns});
    }
    for (size_t i = 0; i < node->cost_count; i++) {
        const struct rc_profile_cost *cost = &node->cost[i];
        rc_profile_file_add(&k->lists, RC_PROFILE_FILE_COSTS,
                            &(struct rc_profile_file_cost){
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
                                .samples_ns = cost->samples_ns});
    }
}

/* The changes of rates of a node, whose threads 'member' are. */
static void add_rates(struct rc_profile_packing *k, const struct rc_profile_node *node,
                      const struct rc_profile_member *member)
{
    char text[1024];

    for (size_t i = 0; i < node->rate_count; i++) {
        const struct rc_profile_rate *rate = &node->rate[i];
        const bool of_node = rate->what == RC_PROFILE_RATED_SERIES ||
                             rate->what == RC_PROFILE_RATED_STACKS;
        rc_profile_file_add(
            &k->lists, RC_PROFILE_FILE_RATES,
            &(struct rc_profile_file_rate){
                .time_ns = rc_profile_pack_ns(k, node, rate->at_ns),
                .node = node->launch.node,
                .launch = node->launch.launch,
                .place = of_node ? -1 : (int64_t)member[rate->place].place,
                .what = rc_profile_rate_what(rate),
                .name = intern(k, rc_profile_rate_name(node, rate, text, sizeof text)),
                .every = rate->every,
                .cost_ns = rate->cost_ns,
                .of_ns = rate->of_ns});
    }
}

/* The phases of a launch, whose strings are the profile's. */
static int add_phases(struct rc_profile_packing *k, const struct rc_profile_sums *s,
                      struct rc_error *err)
{
    struct rc_profile_phases phases;
    int status = rc_profile_phases_find(s, &phases, err);

    for (size_t i = 0; i < phases.count && status == RC_OK; i++) {
        const struct rc_profile_phase *p = &phases.phase[i];
        rc_profile_file_add(
            &k->lists, RC_PROFILE_FILE_PHASES,
            &(struct rc_profile_file_phase){
                .begin_ns = (int64_t)((uint64_t)p->begin_ns - (uint64_t)k->zero_ns),
                .end_ns = (int64_t)((uint64_t)p->end_ns - (uint64_t)k->zero_ns),
                .launch = s->node->launch.launch,
                .mostly = p->mostly,
                .share = p->share,
                .event = p->event ? p->event->name : "",
                .unit = p->event ? rc_profile_unit(p->event) : "",
                .mean = p->mean,
                .mean_of_all = p->all,
                .simulated = p->event && p->event->simulated});
    }
    rc_profile_phases_fini(&phases);
    return status;
}

/* The parameters of a launch; those before one that is wrong. */
static void add_parameters(struct rc_profile_packing *k, uint64_t launch)
{
    struct rc_profile_parameters all;
    struct rc_error why = {.rank = -1};

    if (rc_profile_parameters_of(k->profile, launch, &all, &why) != RC_OK)
        note_lost(k, why.text);
    for (size_t i = 0; i < all.count; i++)
        rc_profile_file_add(&k->lists, RC_PROFILE_FILE_PARAMETERS,
                            &(struct rc_profile_file_parameter){
                                .launch = launch,
                                .name = intern(k, all.of[i].name),
                                .value = all.of[i].value,
                                .formula = intern(k, all.of[i].formula)});
}

/* All that is in lists, of one launch. */
static int add_launch(struct rc_profile_packing *k, const struct rc_profile_sums *s,
                      struct rc_error *err)
{
    const struct rc_profile_launch *launch = &s->node->launch;
    const int64_t begin = (int64_t)((uint64_t)s->began_unix_ns - (uint64_t)k->zero_ns);
    struct rc_profile_member *member;
    int status = rc_profile_cube_join(s, false, k->cube, &k->arena, &member, err);

    for (size_t n = 0; n < s->node_count && status == RC_OK; n++) {
        const struct rc_profile_node *node = &s->node[n];
        add_node(k, node);
        for (size_t t = 0; t < node->thread_count; t++) {
            add_thread(k, &member[t]);
            add_calls(k, &member[t]);
            k->at = &member[t];
            (void)rc_profile_instances(&node->thread[t], add_instance, k);
            if (rc_grow(&k->member, sizeof *k->member, k->member_count,
                        &k->member_room))
                k->lists.failed = true;
            else
                k->member[k->member_count++] = member[t];
        }
        add_rates(k, node, member);
        member += node->thread_count;
    }
    if (status != RC_OK)
        return status;
    rc_profile_say_lost(s, note_lost, k);
    rc_profile_file_add(
        &k->lists, RC_PROFILE_FILE_LAUNCHES,
        &(struct rc_profile_file_launch){.launch = launch->launch,
                                         .command = command_of(k, launch),
                                         .directory = launch->directory,
                                         .created_by = launch->created_by,
                                         .begin_ns = begin,
                                         .end_ns = begin + (int64_t)s->wall_ns,
                                         .period_ns = launch->period_ns,
                                         .long_ns = launch->long_ns,
                                         .every = launch->every,
                                         .trace = launch->trace,
                                         .budget_ppm = launch->budget_ppm});
    add_parameters(k, launch->launch);
    return add_phases(k, s, err);
}

/* Each path as a text, too. */
static void add_paths(struct rc_profile_packing *k)
{
    const struct rc_profile_file_list *paths = &k->lists.of[RC_PROFILE_FILE_PATHS];

    for (size_t i = 0; i < k->cube->paths && !k->lists.failed; i++) {
        const struct rc_cube_path *of = &k->cube->path[i];
        const struct rc_profile_file_path *row = paths->row;
        const char *around = of->parent >= 0 ? row[of->parent].path : "";
        char *text = NULL;
        if (asprintf(&text, "%s%s%s", around, *around ? ";" : "", of->name) < 0)
            text = NULL;
        rc_profile_file_add(&k->lists, RC_PROFILE_FILE_PATHS,
                            &(struct rc_profile_file_path){.path = intern(k, text),
                                                           .region = of->name,
                                                           .parent = of->parent});
        free(text);
    }
}

/* Launch by launch: what is met first has the lower number. */
int rc_profile_pack_lists(struct rc_profile_packing *k, struct rc_error *err)
{
    const struct rc_profile *p = k->profile;
    int status = RC_OK;

    rc_profile_say_damage(p, note_lost, k);
    for (size_t n = 0; n < p->node_count && status == RC_OK; n++) {
        struct rc_profile_sums sums = {0};
        const uint64_t launch = p->node[n].launch.launch;
        if (n > 0 && p->node[n - 1].launch.launch == launch)
            continue;
        if ((status = rc_profile_sum(p, launch, NULL, &sums, err)) == RC_OK)
            status = add_launch(k, &sums, err);
        rc_profile_sums_fini(&sums);
    }
    add_paths(k);
    return status;
}
