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

void *rc_preload_next(const char *name, void *own)
{
    int kept = errno;
    Dl_info in;
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        found = find_in_libraries(name, own);
    if (found && dladdr(found, &in)) /* it stays, though the program may close it */
        dlopen(in.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    dlerror(); /* what was not found is not the program's business */
    errno = kept;
    return found;
}
