/* The files in which samples of stacks found a profile's threads: programs, libraries,
 * the kernel, and all that belongs to MPI as one.
 */
#include "campaign/profile/read/stacks.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

/* Begins of the names of files that MPI consists of: Open MPI, MPICH and those made of
 * it, and what they send messages by.
 */
static const char *const mpi_files[] = {
    "libmpi",   "libopen-pal", "libopen-rte", "mca_",    "libmca_",   "liboshmem",
    "libprrte", "libpmix",     "pmix_mca_",   "libpmpi", "libfabric", "libpsm",
    "libucp",   "libucs",      "libuct",      "libucm",  "libhcoll",  "libsharp",
    "libefa",   "libibverbs",  "librdmacm",   "libmlx"};

/* The library of a profile that is preloaded into the program. */
static const char own_file[] = "librollcall-profile";

static bool begins_with_one_of(const char *file, const char *const *begin, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(file, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

enum rc_profile_owner rc_profile_owner_of(const char *path)
{
    const char *file = base_of(path);

    if (strncmp(file, own_file, strlen(own_file)) == 0)
        return RC_PROFILE_OWNER_ROLLCALL;
    return begins_with_one_of(file, mpi_files, sizeof mpi_files / sizeof *mpi_files)
               ? RC_PROFILE_OWNER_MPI
               : RC_PROFILE_OWNER_PROGRAM;
}

/* Libraries that are being put together, by name. */
struct libraries {
    struct rc_profile_library *item;
    size_t count, room;
};

static struct rc_profile_library *find_library(struct libraries *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->item[i].name, name) == 0)
            return &all->item[i];
    if (rc_grow(&all->item, sizeof *all->item, all->count, &all->room))
        return NULL;
    all->item[all->count] = (struct rc_profile_library){.name = name};
    return &all->item[all->count++];
}

static int compare_libraries(const void *a, const void *b)
{
    const struct rc_profile_library *x = a, *y = b;
    const int order = (y->ns > x->ns) - (y->ns < x->ns);

    return order ? order : strcmp(x->name, y->name);
}

int rc_profile_libraries(const struct rc_profile_node *node, size_t nodes,
                         struct rc_profile_libraries *out, struct rc_error *err)
{
    static const char *const name_of[] = {[RC_PROFILE_OWNER_MPI] = "MPI",
                                          [RC_PROFILE_OWNER_ROLLCALL] =
                                              "rollcall (this profile)"};
    struct libraries all = {.item = NULL};
    double squares = 0;

    *out = (struct rc_profile_libraries){.item = NULL};
    for (size_t n = 0; n < nodes; n++) {
        const struct rc_profile_samples *s = &node[n].samples;
        squares += s->squares;
        out->ns += s->ns;
        out->samples += s->total;
        for (size_t i = 0; i < s->counts; i++) {
            const struct rc_profile_sampled *count = &s->count[i];
            const uint64_t module =
                count->frame ? s->frame[count->frame - 1].module : 0;
            const char *path = module ? s->module[module - 1].path : "[not known]";
            const enum rc_profile_owner owner = rc_profile_owner_of(path);
            struct rc_profile_library *of =
                find_library(&all, owner == RC_PROFILE_OWNER_PROGRAM ? base_of(path)
                                                                     : name_of[owner]);
            if (!of) {
                free(all.item);
                return rc_fail(err, RC_ENOMEM, "no memory for the profile's libraries");
            }
            of->samples += count->samples;
            of->ns += count->ns;
        }
    }
    if (all.count > 0)
        qsort(all.item, all.count, sizeof *all.item, compare_libraries);
    out->item = all.item;
    out->count = all.count;
    out->effective = squares > 0 ? out->ns * out->ns / squares : 0;
    return RC_OK;
}
