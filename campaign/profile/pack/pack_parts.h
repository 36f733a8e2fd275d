/* pack_parts.h - inside of pack*.c only: what becomes profile.h5 */
#ifndef RC_CAMPAIGN_PROFILE_PACK_PACK_PARTS_H
#define RC_CAMPAIGN_PROFILE_PACK_PACK_PARTS_H

#include "campaign/profile/read/stacks.h"
#include "campaign/profile/show/show_parts.h"
#include "campaign/profile/tables/cube.h"
#include "io/profile/profile.h"

struct rc_profile_packing {
    const struct rc_profile *profile;
    int64_t zero_ns;
    struct rc_cube *cube; /* of all launches, not sealed: its paths are the file's */
    struct rc_profile_member
        *member; /* of all launches; 'call' is the row in the file */
    size_t member_count, member_room;
    const struct rc_profile_member *at; /* whose instances are being taken */
    struct rc_profile_file_lists lists;
    struct rc_profile_stacks_tree tree; /* of all launches */
    const char **lost;
    size_t lost_count, lost_room;
    struct rc_arena arena;
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
