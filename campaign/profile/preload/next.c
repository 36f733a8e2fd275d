/* next.c - the function that a program would have called without the preloaded library
 */
#include "campaign/profile/preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>

/* One of the libraries that are loaded: which of them, and its path. */
struct library {
    size_t before;
    char path[PATH_MAX];
};

static int library_path(struct dl_phdr_info *info, size_t bytes, void *data)
{
    struct library *library = data;
    (void)bytes;
    if (library->before--)
        return 0;
    snprintf(library->path, sizeof library->path, "%s", info->dlpi_name);
    return 1;
}

/* A library that was loaded for another alone is in no common order: each is asked.
 * Their list is gone over once for each, since none may be opened from inside of it.
 */
static void *find_in_libraries(const char *name, const void *own)
{
    void *found = NULL;
    for (size_t i = 0; !found; i++) {
        struct library library = {.before = i};
        if (!dl_iterate_phdr(library_path, &library))
            break;
        void *opened =
            library.path[0] ? dlopen(library.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (!opened)
            continue;
        found = dlsym(opened, name);
        if (found == own)
            found = NULL;
        dlclose(opened);
    }
    return found;
}

/* Whether the file has the address in one of the parts that are loaded. */
static int file_has(struct dl_phdr_info *info, size_t bytes, void *data)
{
    struct rc_preload_loaded *file = data;
    (void)bytes;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD ||
            file->address - info->dlpi_addr - part->p_vaddr >= part->p_memsz)
            continue;
        file->base = info->dlpi_addr;
        file->name = info->dlpi_name[0] ? info->dlpi_name : program_invocation_name;
        return 1;
    }
    return 0;
}

bool rc_preload_loaded_find(const void *address, struct rc_preload_loaded *out)
{
    *out = (struct rc_preload_loaded){.address = (uintptr_t)address};
    return dl_iterate_phdr(file_has, out) != 0;
}

void *rc_preload_next(const char *name, void *own)
{
    int kept = errno;
    struct rc_preload_loaded in;
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        found = find_in_libraries(name, own);
    if (found && /* it stays, though the program may close it */
        rc_preload_loaded_find(found, &in))
        dlopen(in.name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    dlerror(); /* what was not found is not the program's business */
    errno = kept;
    return found;
}
