/* The sysfs source: counters and states that the kernel shows as files.
 *
 * families.c says which files there are and makes events from them, value.c reads
 * numbers.  A group keeps its files open: start() and stop() read all of them into
 * buffers, and numbers are taken from these afterwards.
 */
#include "campaign/sources/sysfs/parts.h"

#include "campaign/base/arena.h"
#include "campaign/base/clock.h"
#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct rc_source rc_source_sysfs;

/* A file of an armed group, read for all of its events at once. */
struct open_file {
    const char *path;
    int fd;
    bool whole; /* a table: see rc_sysfs_read() */
    size_t room;
    char *text[2];  /* at start and at stop */
    long bytes[2];  /* -1: it could not be read */
    uint64_t range; /* of a counter that wraps, 0: it does not */
};

struct rc_group_state {
    struct rc_polled polled;
    const struct rc_source_state *source;
    size_t file_count;
    uint32_t *event; /* their numbers, in the order of the readings */
    size_t *file_of; /* by event: index in 'file' */
    struct open_file *file;
    struct rc_arena arena; /* of all arrays and texts */
};

static void sysfs_close(struct rc_source_state *state)
{
    if (!state)
        return;
    rc_map_fini(&state->by_name);
    rc_pool_close(state->pool);
    free(state->event);
    free(state->file);
    free(state->root);
    free(state);
}

/* Without an argument, and with "/", the root is the system's. */
static int sysfs_open(const struct rc_source_setup *setup, struct rc_source_state **out,
                      struct rc_error *err)
{
    const char *root = setup->argument ? setup->argument : "/";
    size_t length = strlen(root);
    struct stat info;

    *out = NULL;
    if (!length || stat(root, &info) || !S_ISDIR(info.st_mode))
        return rc_fail(
            err, RC_EUSAGE,
            "source 'sysfs': '%s' is not a directory, expected one that holds "
            "sys/ and proc/",
            root);
    while (length && root[length - 1] == '/')
        length--;
    struct rc_source_state *state = rc_calloc(1, sizeof *state);
    if (!state || !(state->pool = rc_pool_create()) ||
        !(state->root = strndup(root, length))) {
        sysfs_close(state);
        return rc_fail(err, RC_ENOMEM, "source 'sysfs': no memory");
    }
    int status = rc_sysfs_list(state, err);
    if (status != RC_OK) {
        sysfs_close(state);
        return status;
    }
    *out = state;
    return RC_OK;
}

/* The label of readings of another tree, which a test may have written. */
static const char *sysfs_label(struct rc_source_state *state)
{
    return state->root[0] ? "a tree of files, not this system's" : NULL;
}

/* The families that are here, without the numbers of disks and interfaces: nodes that
 * differ in those are of one kind.
 */
static void sysfs_identify(struct rc_source_state *state, char *out, size_t room)
{
    const char *last = "";

    snprintf(out, room, "%s%s%sfiles of", state->root[0] ? "tree " : "", state->root,
             state->root[0] ? " instead of /: " : "");
    for (const struct rc_sysfs_family *f = rc_sysfs_families; f->name; f++) {
        bool is_here = false;
        for (size_t i = 0; i < state->count && !is_here; i++)
            is_here = strcmp(state->event[i].family->name, f->name) == 0;
        if (is_here && strcmp(f->name, last) != 0)
            rc_text_append(out, room, " %s", f->name);
        last = f->name;
    }
}

static int sysfs_enumerate(struct rc_source_state *state,
                           const struct rc_enumerate *what, struct rc_event_sink *sink,
                           struct rc_error *err)
{
    const long hz = sysconf(_SC_CLK_TCK);

    (void)what;
    for (size_t i = 0; i < state->count; i++) {
        const struct rc_sysfs_event *event = &state->event[i];
        uint32_t tick_ns = event->family->tick_ns;
        if (tick_ns == RC_SYSFS_TICKS)
            tick_ns = hz > 0 ? (uint32_t)(1000000000 / hz) : 0;
        const struct rc_event_info info = {.name = event->name,
                                           .description = event->description,
                                           .scope = event->scope,
                                           .evidence = event->evidence,
                                           .simulated = state->root[0] != 0,
                                           .state = event->family->state,
                                           .tick_ns = tick_ns,
                                           .alike = 1};
        int status = sink->add(sink, &info, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* The number of the thread's CPU, NUMA domain or package, as a family's files need it.
 */
static uint32_t unit_here(const struct rc_source_state *state, enum rc_sysfs_each each)
{
    char path[PATH_MAX], line[32];
    unsigned cpu = 0, node = 0;
    uint64_t package;

    if (getcpu(&cpu, &node))
        return RC_SYSFS_NO_UNIT;
    if (each != RC_SYSFS_ZONE)
        return each == RC_SYSFS_CPU ? cpu : node;
    if (rc_path(path, sizeof path, NULL,
                "%s/sys/devices/system/cpu/cpu%u/topology/physical_package_id",
                state->root, cpu) != RC_OK ||
        rc_text_first_line(path, line, sizeof line) || rc_text_count(line, &package))
        return RC_SYSFS_NO_UNIT;
    return (uint32_t)package;
}

/* The file to read an event from on this CPU.  Where the CPU's package is not known, a
 * single zone is taken for it.
 */
static const char *find_file(const struct rc_source_state *state, uint32_t event)
{
    const enum rc_sysfs_each each = state->event[event].family->each;
    const uint32_t here =
        each == RC_SYSFS_NODE ? RC_SYSFS_NO_UNIT : unit_here(state, each);
    const char *last = NULL;
    size_t files = 0;

    for (size_t i = 0; i < state->file_count; i++) {
        if (state->file[i].event != event)
            continue;
        last = state->file[i].path;
        if (state->file[i].unit == here || state->file[i].unit == RC_SYSFS_NO_UNIT)
            return last;
        files++;
    }
    return files == 1 && here == RC_SYSFS_NO_UNIT ? last : NULL;
}

/* Says why a file cannot be read, by errno. */
static int fail_read(const char *path, struct rc_error *err)
{
    const bool denied = errno == EACCES || errno == EPERM;

    return rc_fail(err, denied ? RC_EPERM : RC_EMISSING, "%s: %s%s", path,
                   strerror(errno),
                   denied && strstr(path, "energy_uj")
                       ? "; since Linux 5.10 only root may read it, else chmod a+r"
                       : "");
}

/* Opens a file, with room for twice its present length; reads the value at which its
 * counter wraps.
 */
static int open_file(struct rc_group_state *group, struct open_file *file,
                     const struct rc_sysfs_family *family, struct rc_error *err)
{
    char *text = rc_sysfs_slurp(file->path), path[PATH_MAX], line[64];

    if (!text)
        return fail_read(file->path, err);
    file->room = 2 * strlen(text) + 128;
    file->whole = family->keys || family->columns;
    free(text);
    file->fd = rc_file_open(file->path, RC_FILE_GIVEN, O_RDONLY);
    if (file->fd < 0)
        return fail_read(file->path, err);
    for (int i = 0; i < 2; i++)
        file->text[i] = rc_arena_array(&group->arena, file->room, 1);
    int status = rc_arena_check(&group->arena, err, "files of the system");
    if (status != RC_OK || !family->range)
        return status;
    const int length = (int)(strrchr(file->path, '/') + 1 - file->path);
    if ((status = rc_path(path, sizeof path, err, "%.*s%s", length, file->path,
                          family->range)) != RC_OK)
        return status;
    if (rc_text_first_line(path, line, sizeof line) ||
        rc_text_count(line, &file->range) || !file->range)
        return rc_fail(err, RC_EMISSING,
                       "%s: found '%s', expected the range of the counter", path, line);
    return RC_OK;
}

/* Finds an event's file among those that the group has open, or opens it. */
static int arm_event(struct rc_group_state *group, size_t index, struct rc_error *err)
{
    const struct rc_source_state *state = group->source;
    const uint32_t event = group->event[index];

    if (event >= state->count)
        return rc_fail(err, RC_EMISSING, "sysfs: no event number %u", event);
    const char *path = find_file(state, event);
    if (!path)
        return rc_fail(err, RC_EMISSING, "'%s' has no file for CPU %d",
                       state->event[event].name, sched_getcpu());
    size_t at = 0;
    while (at < group->file_count && strcmp(group->file[at].path, path) != 0)
        at++;
    group->file_of[index] = at;
    if (at < group->file_count)
        return RC_OK;
    struct open_file *file = &group->file[group->file_count++];
    *file = (struct open_file){.path = path, .fd = -1};
    return open_file(group, file, state->event[event].family, err);
}

static void sysfs_read(struct rc_group_state *group, bool end)
{
    for (size_t i = 0; i < group->file_count; i++) {
        struct open_file *file = &group->file[i];
        file->bytes[end] =
            rc_sysfs_read(file->fd, file->text[end], file->room, file->whole);
    }
}

static const char *sysfs_number(const struct rc_group_state *group, size_t index,
                                bool end, struct rc_counter_number *out)
{
    const struct open_file *file = &group->file[group->file_of[index]];
    const struct rc_sysfs_event *event = &group->source->event[group->event[index]];

    if (file->bytes[end] < 0)
        return "a gap: its file is gone or cannot be read any more";
    if ((size_t)file->bytes[end] + 1 >= file->room)
        return "its file has grown to twice its length";
    return rc_sysfs_find(file->text[end], event->key, event->column, out);
}

static struct rc_counter_rule sysfs_rule(const struct rc_group_state *group,
                                         size_t index)
{
    const struct rc_sysfs_family *family =
        group->source->event[group->event[index]].family;

    return (struct rc_counter_rule){family->state, family->sticks_bits,
                                    group->file[group->file_of[index]].range};
}

static void sysfs_turn(struct rc_group_state *group)
{
    for (size_t i = 0; i < group->file_count; i++) {
        struct open_file *file = &group->file[i];
        char *text = file->text[0];
        file->text[0] = file->text[1];
        file->text[1] = text;
        file->bytes[0] = file->bytes[1];
    }
}

static const struct rc_polled_way way = {sysfs_read, sysfs_number, sysfs_rule,
                                         sysfs_turn};

static void sysfs_disarm(struct rc_group_state *group)
{
    if (!group)
        return;
    for (size_t i = 0; i < group->file_count; i++)
        if (group->file[i].fd >= 0)
            close(group->file[i].fd);
    rc_arena_free(&group->arena);
    free(group);
}

static int sysfs_arm(struct rc_source_state *state, const uint32_t *events,
                     size_t count, struct rc_group_state **out, struct rc_error *err)
{
    struct rc_group_state *group = rc_calloc(1, sizeof *group);

    *out = NULL;
    if (!group)
        return rc_fail(err, RC_ENOMEM, "no memory for a group of %zu events", count);
    group->source = state;
    group->polled = (struct rc_polled){.way = &way, .count = count};
    group->event = rc_arena_array(&group->arena, count, sizeof *group->event);
    group->file_of = rc_arena_array(&group->arena, count, sizeof *group->file_of);
    group->file = rc_arena_array(&group->arena, count, sizeof *group->file);
    int status = rc_arena_check(&group->arena, err, "a group of events");
    if (status != RC_OK)
        goto out;
    if (count)
        memcpy(group->event, events, count * sizeof *events);
    for (size_t i = 0; i < count; i++)
        if ((status = arm_event(group, i, err)) != RC_OK)
            goto out;
out:
    if (status != RC_OK) {
        sysfs_disarm(group);
        return status;
    }
    *out = group;
    return RC_OK;
}

static void sysfs_trial(struct rc_source_state *state, const uint32_t *events,
                        size_t count, struct rc_trial *out)
{
    rc_polled_trial(&rc_source_sysfs, state, events, count, out);
}

const struct rc_source rc_source_sysfs = {
    .name = "sysfs",
    .summary = "counters and states in files of the kernel: energy, networks, pressure",
    .argument = "directory with sys/ and proc/ in it, for tests; / by default",
    .label = "real",
    .runs_kernels = true,
    .any_number = true,
    .label_of = sysfs_label,
    .open = sysfs_open,
    .close = sysfs_close,
    .identify = sysfs_identify,
    .enumerate = sysfs_enumerate,
    .trial = sysfs_trial,
    .arm = sysfs_arm,
    .disarm = sysfs_disarm,
    .start = rc_polled_start,
    .stop = rc_polled_stop,
    .lap = rc_polled_lap,
};
