/* Puts files of trees together: rollcall's own, then those of users. */
#include "solve/hierarchy/parts.h"

#include "campaign/base/files/data_files.h"
#include "campaign/base/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTORY "hierarchies"
#define ENDING ".yaml"
#define FILE_MOST ((size_t)1 << 20)

static int begin_file(struct rc_hierarchies *all, const char *name, bool open,
                      struct rc_error *err)
{
    if (rc_grow(&all->file, sizeof *all->file, all->file_count, &all->file_room))
        return rc_fail(err, RC_ENOMEM, "no memory for hierarchies");
    all->file[all->file_count++] = (struct rc_hierarchy_file){
        .name = rc_arena_text(&all->arena, name), .open = open};
    return RC_OK;
}

int rc_hierarchies_add_text(struct rc_hierarchies *all, const char *name,
                            const char *text, size_t bytes, struct rc_error *err)
{
    struct rc_yaml file = {0};
    const bool spec = rc_hierarchy_is_spec(text, bytes);
    int status = begin_file(all, name, spec, err);

    if (status != RC_OK)
        return status;
    if (spec)
        status = rc_hierarchies_read_spec(all, name, text, bytes, err);
    else if ((status = rc_yaml_from_text(name, text, bytes, &file, err)) == RC_OK)
        status = rc_hierarchies_read_yaml(all, &file, err);
    rc_yaml_fini(&file);
    return status ? status : rc_arena_check(&all->arena, err, "hierarchies");
}

/* Adds the laws in 'file', and frees it; 'status' is the result of opening it. */
static int add_laws(struct rc_hierarchies *all, struct rc_yaml *file, int status,
                    struct rc_error *err)
{
    if (status == RC_OK &&
        (status = begin_file(all, file->name, false, err)) == RC_OK &&
        (status = rc_hierarchies_read_laws(all, file, err)) == RC_OK)
        status = rc_arena_check(&all->arena, err, "laws of metrics");
    rc_yaml_fini(file);
    return status;
}

int rc_hierarchies_add_laws(struct rc_hierarchies *all, struct rc_error *err)
{
    struct rc_yaml file = {0};
    char path[PATH_MAX];
    int status = rc_data_file_find("laws", "relations.yaml", path, sizeof path, err);

    if (status == RC_OK)
        status = rc_yaml_open(path, RC_FILE_GIVEN, &file, err);
    return add_laws(all, &file, status, err);
}

int rc_hierarchies_add_laws_text(struct rc_hierarchies *all, const char *name,
                                 const char *text, size_t bytes, struct rc_error *err)
{
    struct rc_yaml file = {0};

    return add_laws(all, &file, rc_yaml_from_text(name, text, bytes, &file, err), err);
}

int rc_hierarchies_add_file(struct rc_hierarchies *all, const char *path,
                            struct rc_error *err)
{
    char *text = NULL;
    size_t bytes;
    int status = rc_file_read(path, RC_FILE_GIVEN, FILE_MOST, &text, &bytes, err);

    if (status == RC_OK)
        status = rc_hierarchies_add_text(all, path, text, bytes, err);
    free(text);
    return status;
}

int rc_hierarchies_create_empty(struct rc_hierarchies **out, struct rc_error *err)
{
    *out = rc_calloc(1, sizeof **out);
    return *out ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for hierarchies");
}

int rc_hierarchies_create(struct rc_hierarchies **out, struct rc_error *err)
{
    char names[4096], path[PATH_MAX], file[256];
    char *rest = NULL;
    int status = rc_hierarchies_create_empty(out, err);

    if (status != RC_OK)
        return status;
    rc_data_file_list(DIRECTORY, ENDING, names, sizeof names);
    if (!names[0])
        status =
            rc_fail(err, RC_EMISSING,
                    "rollcall's files of hierarchies are not there, expected a "
                    "directory '" DIRECTORY "' in $ROLLCALL_DATA or where rollcall "
                    "is installed");
    for (char *name = strtok_r(names, ", ", &rest); name && status == RC_OK;
         name = strtok_r(NULL, ", ", &rest)) {
        snprintf(file, sizeof file, "%.200s" ENDING, name);
        if ((status = rc_data_file_find(DIRECTORY, file, path, sizeof path, err)) ==
            RC_OK)
            status = rc_hierarchies_add_file(*out, path, err);
    }
    if (status != RC_OK) {
        rc_hierarchies_close(*out);
        *out = NULL;
    }
    return status;
}

size_t rc_hierarchies_group(const struct rc_hierarchies *all, const char *name,
                            const char **counter, size_t room)
{
    for (size_t g = 0; g < all->group_count; g++) {
        const struct rc_hierarchy_sum *counters = &all->group[g].counters;
        if (strcmp(all->group[g].name, name) != 0)
            continue;
        for (size_t i = 0; i < counters->count && i < room; i++)
            counter[i] = counters->operand[i].name;
        return counters->count;
    }
    return 0;
}

void rc_hierarchies_close(struct rc_hierarchies *all)
{
    if (!all)
        return;
    free(all->item);
    free(all->file);
    free(all->group);
    rc_arena_free(&all->arena);
    free(all);
}
