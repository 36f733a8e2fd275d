/* Data files, looked for in the environment's directory, beside the program, and where
 * it was installed or built.
 */
#include "campaign/base/files/data_files.h"

#include "campaign/base/files/path.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The places where data are looked for, in this order. */
enum place { ENVIRONMENT, PROGRAM, INSTALLED, BUILT, PLACES };

/* The directory of a place; false if there is none.  The program's is two levels above
 * its file.
 */
static bool root_of(enum place place, char *out, size_t room)
{
    const char *text = place == ENVIRONMENT ? getenv("ROLLCALL_DATA")
                       : place == INSTALLED ? RC_DATA_INSTALLED
                                            : RC_DATA_BUILT;
    char program[PATH_MAX];

    if (place != PROGRAM)
        return text && *text && rc_path(out, room, NULL, "%s", text) == RC_OK;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = 0;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(program, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    return rc_path(out, room, NULL, "%s/share/rollcall", program) == RC_OK;
}

static bool is_plain(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/');
}

int rc_data_file_find(const char *directory, const char *name, char *path, size_t room,
                      struct rc_error *err)
{
    char root[PATH_MAX];

    if (!is_plain(directory) || !is_plain(name))
        return rc_fail(err, RC_EUSAGE,
                       "'%s' is not the name of a data file, expected one without '/' "
                       "that does not begin with a dot",
                       is_plain(directory) ? name : directory);
    for (int i = 0; i < PLACES; i++)
        if (root_of((enum place)i, root, sizeof root) &&
            rc_path(path, room, NULL, "%s/%s/%s", root, directory, name) == RC_OK &&
            access(path, F_OK) == 0)
            return RC_OK;
    return rc_fail(err, RC_EMISSING,
                   "no data file '%s/%s', looked in $ROLLCALL_DATA, beside the program "
                   "and in '%s'",
                   directory, name, RC_DATA_INSTALLED);
}

struct names {
    char **name;
    size_t count, room;
};

/* Adds the names in one directory, or none if it cannot be read. */
static void add_names(const char *path, const char *ending, struct names *names)
{
    DIR *directory = opendir(path);
    struct dirent *entry;

    while (directory && (entry = readdir(directory))) {
        size_t length = strlen(entry->d_name), cut = strlen(ending);
        if (entry->d_name[0] == '.' || length <= cut ||
            strcmp(entry->d_name + length - cut, ending) != 0 ||
            rc_grow(&names->name, sizeof *names->name, names->count, &names->room))
            continue;
        char *name = strndup(entry->d_name, length - cut);
        if (name)
            names->name[names->count++] = name;
    }
    if (directory)
        closedir(directory);
}

void rc_data_file_list(const char *directory, const char *ending, char *out,
                       size_t room)
{
    char root[PATH_MAX], path[PATH_MAX];
    struct names names = {0};

    for (int i = 0; i < PLACES && is_plain(directory); i++)
        if (root_of((enum place)i, root, sizeof root) &&
            rc_path(path, sizeof path, NULL, "%s/%s", root, directory) == RC_OK)
            add_names(path, ending, &names);
    if (names.count > 0)
        qsort(names.name, names.count, sizeof *names.name, rc_order_texts);
    out[0] = 0;
    for (size_t i = 0; i < names.count; i++) { /* each once, as many as fit */
        if (i > 0 && strcmp(names.name[i - 1], names.name[i]) == 0)
            continue;
        if (strlen(out) + strlen(names.name[i]) + sizeof ", " > room)
            break;
        rc_text_append(out, room, "%s%s", out[0] ? ", " : "", names.name[i]);
    }
    for (size_t i = 0; i < names.count; i++)
        free(names.name[i]);
    free(names.name);
}
