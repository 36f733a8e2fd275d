/* next.c - the function that a program would have called without the preloaded library
 */
#include "campaign/profile/preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>

/* A loaded library: how many come before it in the loader's list, and its path. */
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

/* Asks each library, as dlsym(RTLD_NEXT) does not see those that were loaded with
 * RTLD_LOCAL.  The loader's list is read from the start for each library, since none
 * may be opened during dl_iterate_phdr().
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

/* Fills in 'data' and ends the search if the address is in a loaded part of this file.
 */
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
    if (found && /* it stays loaded, even if the program closes it */
        rc_preload_loaded_find(found, &in))
        dlopen(in.name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    dlerror(); /* so that the program does not see an error of this search */
    errno = kept;
    return found;
}
