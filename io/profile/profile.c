/* profile.h5 is written by one process, group by group, into a file that gets its name
 * at the end.
 */
#include "io/profile/parts.h"

#include "campaign/base/files/temporary.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 14 /* items */ };

static const struct rc_h5_form form = {.format = "rollcall profile", .version = 1};

struct rc_profile_file {
    char *path, *path_new;
    bool created;
    hid_t file, values, nodes; /* values and nodes: groups */
    size_t paths, places;
};

/* Says what the file is, and how its times are to be read. */
static int put_head(hid_t file, const struct rc_profile_file_head *head,
                    struct rc_error *err)
{
    const uint8_t simulated = head->simulated;
    int status;

    if ((status = rc_h5_put_form(file, &form, err)) ||
        (status = rc_h5_put_word(file, "profile_id", head->id, err)) ||
        (status = rc_h5_put_word(file, "created_by", head->created_by, err)) ||
        (status = rc_h5_put_word(file, "clocks", head->clocks, err)) ||
        (status = rc_h5_put_attribute(file, "zero_unix_ns", H5T_NATIVE_INT64, 1,
                                      &head->zero_unix_ns, err)) ||
        (status = rc_h5_put_attribute(file, "simulated", H5T_NATIVE_UINT8, 1,
                                      &simulated, err)))
        return status;
    return rc_h5_put_list(file, "lost", head->lost, head->lost_count, NULL, err);
}

/* On failure the unfinished file is removed. */
int rc_profile_file_create(const char *path, const struct rc_profile_file_head *head,
                           struct rc_profile_file **out, struct rc_error *err)
{
    struct rc_profile_file *file = rc_calloc(1, sizeof *file);
    int status;

    rc_h5_quiet();
    *out = NULL;
    if (!file)
        return rc_fail(err, RC_ENOMEM, "'%s': no memory to write it", path);
    file->file = file->values = file->nodes = H5I_INVALID_HID;
    file->path = strdup(path);
    file->path_new = rc_temporary_name(AT_FDCWD, path);
    if (!file->path || !file->path_new)
        status = rc_fail(err, RC_ENOMEM, "'%s': no memory to write it", path);
    else if ((status = rc_h5_create_staged(file->path_new, path, &file->created,
                                           &file->file, err)) == RC_OK &&
             (status = put_head(file->file, head, err)) == RC_OK &&
             (status = rc_h5_group(file->file, "values", &file->values, err)) == RC_OK)
        status = rc_h5_group(file->file, "nodes", &file->nodes, err);
    if (status != RC_OK)
        return rc_profile_file_close(file, status, err);
    *out = file;
    return RC_OK;
}

/* The extents of values follow from the lists. */
int rc_profile_file_put_lists(struct rc_profile_file *file,
                              const struct rc_profile_file_lists *lists,
                              struct rc_error *err)
{
    file->paths = lists->of[RC_PROFILE_FILE_PATHS].count;
    file->places = lists->of[RC_PROFILE_FILE_PLACES].count;
    return rc_profile_put_lists(file->file, lists, err);
}

/* A group in 'parent' that may have any name.  One that is there is taken; with 'own'
 * the new one gets a longer name then.
 */
static int open_group(hid_t parent, const char *name, bool own, hid_t *out,
                      struct rc_error *err)
{
    char *link = rc_store_link_of(name[0] ? name : "unnamed"), *longer = NULL;
    int status;

    for (int i = 2; own && link && H5Lexists(parent, link, H5P_DEFAULT) > 0; i++) {
        free(longer);
        if (asprintf(&longer, "%s (%d)", name, i) < 0)
            longer = NULL;
        free(link);
        link = longer ? rc_store_link_of(longer) : NULL;
    }
    free(longer);
    if (!link)
        return rc_fail(err, RC_ENOMEM, "no memory for the name of a group");
    if (H5Lexists(parent, link, H5P_DEFAULT) > 0) {
        *out = H5Gopen2(parent, link, H5P_DEFAULT);
        status = *out < 0 ? rc_h5_fail(err, "cannot open '%s'", link) : RC_OK;
    } else {
        status = rc_h5_group(parent, link, out, err);
    }
    free(link);
    return status;
}

/* A table of numbers, compressed, under scales that are linked into its group. */
static int put_values(hid_t group, const char *name, const size_t dims[2],
                      const double *data, const char *units, struct rc_error *err)
{
    static const char *const scales[] = {"path", "place"};
    struct rc_h5_layout layout = {.rank = 2,
                                  .dims = {dims[0], dims[1]},
                                  .chunk = {dims[0], dims[1]},
                                  .compressed = dims[0] > 0 && dims[1] > 0,
                                  .shuffled = true};
    hid_t set;
    int status;

    if (layout.chunk[1] > CHUNK)
        layout.chunk[1] = CHUNK;
    if (layout.compressed && layout.chunk[0] > CHUNK / layout.chunk[1] + 1)
        layout.chunk[0] = CHUNK / layout.chunk[1] + 1;
    set = rc_h5_create(group, name, H5T_NATIVE_DOUBLE, &layout);
    if (set < 0 || (layout.compressed && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL,
                                                  H5S_ALL, H5P_DEFAULT, data) < 0))
        status = rc_h5_fail(err, "cannot write '%s'", name);
    else if ((status = rc_h5_attach(group, set, scales, 2, err)) == RC_OK)
        status = rc_h5_put_word(set, "units", units, err);
    return rc_h5_close(set, status, err);
}

/* Each group of values has links to the labels of paths and places, so that tools which
 * open one group see them.
 */
int rc_profile_file_put_values(struct rc_profile_file *file,
                               const struct rc_profile_file_values *values,
                               struct rc_error *err)
{
    const struct {
        const char *name;
        const double *data;
        bool plain; /* a number without a unit */
    } all[] = {{"n", values->n, true},
               {"mean", values->mean, false},
               {"min", values->min, false},
               {"max", values->max, false},
               {"m2", values->m2, true}};
    const size_t dims[] = {file->paths, file->places};
    hid_t group = H5I_INVALID_HID;
    int status;

    if ((status = open_group(file->values, values->name, true, &group, err)) ||
        (status = rc_h5_put_word(group, "name", values->name, err)))
        goto out;
    if (H5Lcreate_hard(group, "/paths/path", group, "path", H5P_DEFAULT, H5P_DEFAULT) <
            0 ||
        H5Lcreate_hard(group, "/places/place", group, "place", H5P_DEFAULT,
                       H5P_DEFAULT) < 0) {
        status = rc_h5_fail(err, "cannot label '%s'", values->name);
        goto out;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((status = put_values(group, all[i].name, dims, all[i].data,
                                 all[i].plain ? "1" : values->units, err)))
            goto out;
out:
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", values->name);
    return rc_h5_close(group, status, err);
}

/* Describes a series by attributes of its group. */
static int put_series_words(hid_t group, const struct rc_profile_file_series *series,
                            struct rc_error *err)
{
    const struct {
        const char *name, *text;
    } words[] = {{"name", series->name},   {"source", series->source},
                 {"scope", series->scope}, {"description", series->description},
                 {"units", series->units}, {"not_read", series->not_read}};
    const uint8_t flags[] = {series->state, series->simulated};
    int status;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((status = rc_h5_put_word(group, words[i].name, words[i].text, err)))
            return status;
    if ((status = rc_h5_put_attribute(group, "state", H5T_NATIVE_UINT8, 1, flags, err)))
        return status;
    return rc_h5_put_attribute(group, "simulated", H5T_NATIVE_UINT8, 1, flags + 1, err);
}

/* Readings of one event under their times. */
static int put_readings(hid_t group, const struct rc_profile_file_series *series,
                        struct rc_error *err)
{
    static const char *const scale[] = {"time"};
    const struct {
        const char *name;
        hid_t type;
        const void *data;
        const char *units;
    } columns[] = {{"value", H5T_NATIVE_INT64, series->value, series->units},
                   {"half", H5T_NATIVE_UINT64, series->half_ns, "ns"},
                   {"span", H5T_NATIVE_UINT64, series->span_ns, "ns"},
                   {"valid", H5T_NATIVE_UINT8, series->valid, "1"}};
    hid_t time = H5I_INVALID_HID;
    int status;

    if ((status = rc_h5_put_numbers(group, "time", H5T_NATIVE_INT64, 1, &series->count,
                                    series->time_ns, &time, err)) ||
        (status = rc_h5_scale(time, "time", err)) ||
        (status = rc_h5_put_word(time, "units", "ns", err)))
        goto out;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if ((status = rc_h5_put_labelled(group, columns[i].name, columns[i].type, 1,
                                         scale, &series->count, columns[i].data,
                                         columns[i].units, err)))
            goto out;
out:
    return rc_h5_close(time, status, err);
}

/* The group of the node is made with its first series. */
int rc_profile_file_put_series(struct rc_profile_file *file,
                               const struct rc_profile_file_series *series,
                               struct rc_error *err)
{
    hid_t node = H5I_INVALID_HID, all = H5I_INVALID_HID, group = H5I_INVALID_HID;
    int status;

    if ((status = open_group(file->nodes, series->node, false, &node, err)) ||
        (status = open_group(node, "series", false, &all, err)) ||
        (status = open_group(all, series->name, true, &group, err)) ||
        (status = put_series_words(group, series, err)))
        goto out;
    status = put_readings(group, series, err);
out:
    if (status != RC_OK)
        rc_error_prefix(err, "'%s' of '%s': ", series->name, series->node);
    status = rc_h5_close(group, status, err);
    status = rc_h5_close(all, status, err);
    return rc_h5_close(node, status, err);
}

/* The name comes last: whoever opens it sees the old file or the new one, whole. */
int rc_profile_file_close(struct rc_profile_file *file, int status,
                          struct rc_error *err)
{
    if (!file)
        return status;
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", file->path);
    status = rc_h5_close(file->nodes, status, err);
    status = rc_h5_close(file->values, status, err);
    if (file->file >= 0 && H5Fclose(file->file) < 0 && status == RC_OK)
        status = rc_h5_fail(err, "'%s': cannot close it", file->path_new);
    if (status == RC_OK)
        status = rc_h5_place_staged(file->path_new, file->path, err);
    if (status != RC_OK && file->created && file->path_new)
        unlink(file->path_new);
    rc_temporary_forget(file->path_new);
    free(file->path);
    free(file);
    return status;
}
