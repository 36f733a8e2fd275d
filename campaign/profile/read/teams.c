/* Names of teams of OpenMP: what a thread recorded as a place, a file and an offset in
 * it from where it was loaded, becomes the function that is there.
 */
#include "campaign/profile/read/read.h"

#include "campaign/base/text.h"
#include "campaign/profile/read/labels.h"
#include "campaign/profile/stacks/symbols.h"
#include "solve/waiting/tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_TEXT = 1024 };

/* A file that was asked for its functions. */
struct asked {
    const char *path, *build_id;
    struct rc_profile_symbols *symbols; /* NULL: there are none */
};

struct naming {
    struct asked *asked;
    size_t count, room;
    struct rc_labels regions; /* of the node */
    const char **name;        /* of each of them; NULL: it stays */
    size_t names, name_room;
};

static bool has_base(const char *path, const char *name, size_t bytes)
{
    const char *slash = strrchr(path, '/');

    return slash && strlen(slash + 1) == bytes && memcmp(slash + 1, name, bytes) == 0;
}

/* The file of that name which was sampled on the node, or which a process ran there, if
 * it has not changed since; false: there is none, or more than one.
 */
static bool find_file(const struct rc_profile_node *node, const char *name,
                      size_t bytes, struct rc_profile_module *found)
{
    struct stat status;

    *found = (struct rc_profile_module){.path = NULL, .build_id = ""};
    for (size_t i = 0; i < node->samples.modules; i++) {
        const struct rc_profile_module *module = &node->samples.module[i];
        if (!has_base(module->path, name, bytes))
            continue;
        if (found->path && strcmp(found->path, module->path) != 0)
            return false;
        *found = *module;
    }
    for (size_t i = 0; i < node->thread_count; i++) {
        const char *path = node->thread[i].place.program;
        if (!has_base(path, name, bytes))
            continue;
        if (found->path && strcmp(found->path, path) != 0)
            return false;
        found->path = path;
    }
    return found->path && (*found->build_id || (stat(found->path, &status) == 0 &&
                                                status.st_mtim.tv_sec <=
                                                    node->launch.unix_ns / 1000000000));
}

/* Each file is read once, whatever the nodes. */
static struct rc_profile_symbols *ask(struct naming *all,
                                      const struct rc_profile_module *file)
{
    const char *why;

    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->asked[i].path, file->path) == 0 &&
            strcmp(all->asked[i].build_id, file->build_id) == 0)
            return all->asked[i].symbols;
    if (rc_grow(&all->asked, sizeof *all->asked, all->count, &all->room))
        return NULL;
    all->asked[all->count] =
        (struct asked){file->path, file->build_id, rc_profile_symbols_open(file, &why)};
    return all->asked[all->count++].symbols;
}

/* "omp parallel solve [omp 0]" for "omp parallel FILE+0xOFFSET"; where the place is
 * within the function, as LLVM says it, with how far.  False: it stays.
 */
static bool put_name(struct naming *all, const struct rc_profile_node *node,
                     const char *name, char out[NAME_TEXT])
{
    const size_t kind = strncmp(name, "omp parallel ", 13) == 0 ? 13
                        : strncmp(name, "omp wait ", 9) == 0    ? 9
                                                                : 0;
    const char *plus = strrchr(name, '+');
    char *end, function[NAME_TEXT / 2];

    if (kind == 0 || !plus || plus < name + kind || strncmp(plus, "+0x", 3) != 0)
        return false;
    uint64_t at = strtoull(plus + 3, &end, 16);
    struct rc_profile_module file;
    struct rc_profile_symbols *symbols =
        !*end && find_file(node, name + kind, (size_t)(plus - name) - kind, &file)
            ? ask(all, &file)
            : NULL;
    at += rc_profile_symbols_first(symbols);
    const char *found = rc_profile_symbols_find(symbols, at);
    const uint64_t begin = rc_profile_symbols_begin(symbols, at);
    if (!found || begin == 0)
        return false;
    snprintf(out, NAME_TEXT, "%.*s%s", (int)kind, name,
             rc_profile_symbols_readable(found, function, sizeof function));
    if (at > begin)
        rc_text_append(out, NAME_TEXT, "+0x%" PRIx64, at - begin);
    return true;
}

/* The name of a region, each of the node's looked up once; NULL: it stays. */
static const char *find_name(struct naming *all, const struct rc_profile_node *node,
                             const char *region)
{
    char name[NAME_TEXT];
    const size_t number = rc_labels_copy(&all->regions, region);

    if (number == all->names) {
        const char *readable = put_name(all, node, region, name)
                                   ? rc_arena_text(&all->regions.memory, name)
                                   : NULL;
        rc_arena_append(&all->regions.memory, &all->name, sizeof readable, &all->names,
                        &all->name_room, &readable);
    }
    return number < all->names ? all->name[number] : NULL;
}

/* Says which regions are OpenMP's.  Names are added after those that the threads have.
 */
static void name_node(struct naming *all, const struct rc_profile_node *node)
{
    for (size_t t = 0; t < node->thread_count; t++) {
        struct rc_profile_thread *thread = &node->thread[t];
        for (size_t i = 1; i < thread->path_count; i++) {
            const uint64_t at = thread->path[i].name;
            const char *region =
                at < thread->names.count ? (const char *)thread->names.byte + at : "";
            const char *name = find_name(all, node, region);
            thread->path[i].openmp = (int8_t)rc_waiting_metric_of_region(region);
            if (!name)
                continue;
            thread->path[i].name = thread->names.count;
            rc_bytes_add(&thread->names, name, strlen(name) + 1);
            all->regions.memory.failed |= thread->names.failed;
        }
    }
}

int rc_profile_name_teams(struct rc_profile *profile, struct rc_error *err)
{
    struct naming all = {.asked = NULL};
    int status = RC_OK;

    for (size_t n = 0; n < profile->node_count && status == RC_OK; n++) {
        name_node(&all, &profile->node[n]);
        status = rc_labels_check(&all.regions, err);
        rc_labels_fini(&all.regions);
        all.regions = (struct rc_labels){.text = NULL};
        all.names = 0;
    }
    for (size_t i = 0; i < all.count; i++)
        rc_profile_symbols_close(all.asked[i].symbols);
    free(all.asked);
    free((void *)all.name);
    return status;
}
