/* pack_parts.h - inside of pack*.c only: what becomes profile.h5 */
#ifndef RC_CAMPAIGN_PROFILE_PACK_PACK_PARTS_H
#define RC_CAMPAIGN_PROFILE_PACK_PACK_PARTS_H

#include "campaign/profile/read/stacks.h"
#include "campaign/profile/show/show_parts.h"
#include "io/profile/profile.h"

/* A thread in the file: which place it is, and which of the file's paths its own are.
 */
struct rc_profile_member {
    const struct rc_profile_node *node;
    const struct rc_profile_thread *thread;
    size_t place;
    size_t *path;  /* [path of the thread] */
    int64_t *call; /* [row of the thread]; -1: it is not in the file */
};

struct rc_profile_packing {
    const struct rc_profile *profile;
    int64_t zero_ns;
    struct rc_profile_member *member;
    size_t member_count, member_room;
    struct rc_map paths, places; /* by name and parent; by name */
    struct rc_profile_file_launch *launch;
    struct rc_profile_file_place *place;
    struct rc_profile_file_thread *thread;
    struct rc_profile_file_path *path;
    struct rc_profile_file_call *call;
    uint32_t *call_times;
    struct rc_profile_file_instance *instance;
    struct rc_profile_file_cost *cost;
    struct rc_profile_file_clock *clock;
    struct rc_profile_file_phase *phase;
    struct rc_profile_file_offset *offset;
    struct rc_profile_file_rate *rate;
    size_t launches, places_count, threads, paths_count, calls, instances, costs,
        clocks, phases, offsets, rates;
    size_t launch_room, place_room, thread_room, path_room, call_room, times_room,
        instance_room, cost_room, clock_room, phase_room, offset_room, rate_room;
    struct rc_profile_stacks_tree tree; /* of all launches */
    struct rc_profile_file_stack *stack;
    struct rc_profile_file_function *function;
    struct rc_profile_file_sample *sample;
    struct rc_profile_file_library *library;
    size_t stacks, samples, functions, libraries;
    const char **lost;
    size_t lost_count, lost_room;
    const struct rc_profile_member *at; /* whose instances are being taken */
    bool failed;                        /* no memory */
    struct rc_arena arena;
    struct rc_pool *texts;
};

/* pack_lists.c: all lists, of all launches; the lines on what is lost. */
int rc_profile_pack_lists(struct rc_profile_packing *k, struct rc_error *err);

/* pack_stacks.c: the samples of stacks */
int rc_profile_pack_stacks(struct rc_profile_packing *k, struct rc_error *err);

/* pack_values.c: what was measured by path and place; then the series of nodes. */
int rc_profile_pack_values(const struct rc_profile_packing *k,
                           struct rc_profile_file *file, struct rc_error *err);
int rc_profile_pack_series(const struct rc_profile_packing *k,
                           struct rc_profile_file *file, struct rc_error *err);

/* pack_lists.c: a time of a node on the axis of the file */
int64_t rc_profile_pack_ns(const struct rc_profile_packing *k,
                           const struct rc_profile_node *node, uint64_t at_ns);

#endif
