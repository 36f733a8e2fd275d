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
    const struct rc_profile_file_lists lists = {.launch = k->launch,
                                                .place = k->place,
                                                .thread = k->thread,
                                                .path = k->path,
                                                .call = k->call,
                                                .call_times = k->call_times,
                                                .instance = k->instance,
                                                .cost = k->cost,
                                                .clock = k->clock,
                                                .stack = k->stack,
                                                .sample = k->sample,
                                                .stacks = k->stacks,
                                                .function = k->function,
                                                .functions = k->functions,
                                                .library = k->library,
                                                .libraries = k->libraries,
                                                .samples = k->samples,
                                                .phase = k->phase,
                                                .offset = k->offset,
                                                .rate = k->rate,
                                                .launches = k->launches,
                                                .places = k->places_count,
                                                .threads = k->threads,
                                                .paths = k->paths_count,
                                                .calls = k->calls,
                                                .instances = k->instances,
                                                .costs = k->costs,
                                                .clocks = k->clocks,
                                                .phases = k->phases,
                                                .offsets = k->offsets,
                                                .rates = k->rates};
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
    if ((status = rc_profile_file_put_lists(file, &lists, err)) == RC_OK &&
        (status = rc_profile_pack_values(k, file, err)) == RC_OK)
        status = rc_profile_pack_series(k, file, err);
    return rc_profile_file_close(file, status, err);
}

/* All arrays grew one by one. */
static void packing_fini(struct rc_profile_packing *k)
{
    rc_map_fini(&k->paths);
    rc_map_fini(&k->places);
    rc_profile_stacks_tree_fini(&k->tree);
    free(k->member);
    free(k->launch);
    free(k->place);
    free(k->thread);
    free(k->path);
    free(k->call);
    free(k->call_times);
    free(k->instance);
    free(k->cost);
    free(k->clock);
    free(k->phase);
    free(k->offset);
    free(k->rate);
    free((void *)k->lost);
    rc_arena_free(&k->arena);
    rc_pool_close(k->texts);
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
    k.texts = rc_pool_create();
    k.zero_ns = rc_profile_zero_ns(profile->node, profile->node_count);
    if ((status = k.texts ? rc_profile_pack_lists(&k, err)
                          : rc_fail(err, RC_ENOMEM, "no memory to pack the profile")) !=
            RC_OK ||
        (status = rc_profile_pack_stacks(&k, err)) != RC_OK)
        goto out;
    status = write_file(&k, path, err);
out:
    packing_fini(&k);
    rc_profile_close(profile);
    return status;
}
