/* Makes profile.h5 of all launches of a profile's journals. */
#include "campaign/profile/pack/pack.h"

#include "campaign/base/files/path.h"
#include "campaign/base/version.h"
#include "campaign/profile/pack/pack_parts.h"

#include <limits.h>
#include <stdlib.h>

/* Lists, values, series; a file that could not be written whole goes again. */
static int write_file(const struct rc_profile_packing *k, const char *path,
                      struct rc_error *err)
{
    const struct rc_profile *p = k->profile;
    char id[RC_JOURNAL_ID_TEXT];
    struct rc_profile_file_head head = {.id = rc_journal_id_text(id, &p->id),
                                        .created_by = "rollcall " RC_VERSION,
                                        .clocks = "wall clocks of nodes, not compared",
                                        .zero_unix_ns = k->zero_ns,
                                        .lost = k->lost,
                                        .lost_count = k->lost_count};
    struct rc_profile_file *file = NULL;
    int status;

    for (size_t n = 0; n < p->node_count; n++) {
        if (p->node[n].compared)
            head.clocks = "compared where /clocks says so, else wall clocks of nodes";
        for (size_t i = 0; i < p->node[n].series_count; i++)
            head.simulated |= p->node[n].series[i].event.simulated;
    }
    if ((status = rc_profile_file_create(path, &head, &file, err)))
        return status;
    if ((status = rc_profile_file_put_lists(file, &k->lists, err)) == RC_OK &&
        (status = rc_profile_pack_values(k, file, err)) == RC_OK)
        status = rc_profile_pack_series(k, file, err);
    return rc_profile_file_close(file, status, err);
}

static void packing_fini(struct rc_profile_packing *k)
{
    rc_cube_close(k->cube);
    rc_profile_stacks_tree_fini(&k->tree);
    rc_profile_file_lists_fini(&k->lists);
    free(k->member);
    free((void *)k->lost);
    rc_arena_free(&k->arena);
}

/* The zero of the file is the begin of the first launch, by the wall clock of the node
 * where that was earliest.
 */
int rc_profile_pack(const char *dir, void (*tell)(void *arg, const char *line),
                    void *arg, struct rc_error *err)
{
    struct rc_profile_packing k = {.profile = NULL};
    struct rc_profile *profile = NULL;
    char path[PATH_MAX];
    int status = rc_path(path, sizeof path, err, "%s/profile.h5", dir);

    if (status != RC_OK || (status = rc_profile_read(dir, true, &profile, err)))
        return status;
    for (size_t i = 0; i < profile->damage_count; i++)
        tell(arg, profile->damage[i]);
    k.profile = profile;
    k.zero_ns = rc_profile_zero_ns(profile->node, profile->node_count);
    k.cube = rc_cube_create(err);
    if ((status = k.cube ? rc_profile_pack_lists(&k, err) : RC_ENOMEM) == RC_OK &&
        (status = rc_profile_pack_stacks(&k, err)) == RC_OK)
        status = write_file(&k, path, err);
    packing_fini(&k);
    rc_profile_close(profile);
    return status;
}
