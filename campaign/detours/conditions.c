/* Reads counts and settings of the kernel's from /proc and /sys.
 *
 * The tables of /proc/interrupts and /proc/softirqs have a line for each cause and a
 * column for each CPU that is on, whose numbers stand in the first line.
 */
#include "campaign/detours/conditions.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "kernels/detour.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { NAME = 96 };

const struct rc_noise_counts_from rc_noise_counts_here = {
    "/proc/interrupts", "/proc/softirqs", "/proc/stat", "/proc/thread-self/schedstat"};

static int add_count(struct rc_noise_counts *c, const char *name, uint64_t count,
                     struct rc_error *err)
{
    char printable[NAME];

    if (rc_grow(&c->total, sizeof *c->total, c->count, &c->room))
        return rc_fail(err, RC_ENOMEM, "no memory for counts of interrupts");
    c->total[c->count++] = (struct rc_noise_total){
        rc_arena_text(&c->arena, rc_text_printable(printable, sizeof printable, name)),
        count};
    return rc_arena_check(&c->arena, err, "counts of interrupts");
}

/* A line "NAME:  n0  n1 ...  what it is": its number and, of one that is only known by
 * number, the last word of what it is.
 */
static bool read_line(const char *line, int column, const char *sort, char *name,
                      size_t room, uint64_t *count)
{
    const char *colon = strchr(line, ':'), *at = colon ? colon + 1 : NULL;
    char *end = NULL;

    if (!colon)
        return false;
    for (int i = 0; i <= column; i++, at = end) {
        *count = strtoull(at, &end, 10);
        if (end == at)
            return false;
    }
    line += strspn(line, " ");
    snprintf(name, room, "%s %.*s", sort, (int)(colon - line), line);
    const char *last = strrchr(at, ' ');
    if (isdigit((unsigned char)*line) && last && last[1] && last[1] != '\n')
        rc_text_append(name, room, " %.*s", (int)strcspn(last + 1, "\n"), last + 1);
    return true;
}

static int read_table(const char *path, const char *sort, uint32_t cpu,
                      struct rc_noise_counts *out, struct rc_error *err)
{
    FILE *file = fopen(path, "re");
    char *line = NULL, *save = NULL, name[NAME], wanted[16];
    size_t room = 0;
    uint64_t count;
    int status = RC_OK, column = -1;

    if (!file)
        return RC_OK;
    /* The column of the CPU by the first line, "  CPU0  CPU2 ...": from 0; -1: none. */
    snprintf(wanted, sizeof wanted, "CPU%" PRIu32, cpu);
    char *word = getline(&line, &room, file) > 0 ? strtok_r(line, " \n", &save) : NULL;
    for (int i = 0; word && column < 0; word = strtok_r(NULL, " \n", &save), i++)
        if (strcmp(word, wanted) == 0)
            column = i;
    while (column >= 0 && getline(&line, &room, file) > 0)
        if (read_line(line, column, sort, name, sizeof name, &count) &&
            (status = add_count(out, name, count, err)) != RC_OK)
            break;
    free(line);
    (void)fclose(file);
    return status;
}

/* "ran waited slices", in ns; all 0 where the kernel does not account for it. */
static int read_waited(const char *path, struct rc_noise_counts *out,
                       struct rc_error *err)
{
    uint64_t ran = 0, waited = 0;
    FILE *file = fopen(path, "re");

    if (!file)
        return RC_OK;
    const int found = fscanf(file, "%" SCNu64 " %" SCNu64, &ran, &waited);
    (void)fclose(file);
    return found == 2 && ran > 0 ? add_count(out, RC_NOISE_WAITED, waited, err) : RC_OK;
}

int rc_noise_counts_read(const struct rc_noise_counts_from *from, uint32_t cpu,
                         struct rc_noise_counts *out, struct rc_error *err)
{
    *out = (struct rc_noise_counts){.count = 0};
    int status = read_table(from->interrupts, "interrupt", cpu, out, err);
    if (status != RC_OK ||
        (status = read_table(from->softirqs, "softirq", cpu, out, err)) != RC_OK)
        return status;
    if ((status = read_waited(from->schedstat, out, err)) != RC_OK)
        return status;
    /* "cpu3 user nice system idle iowait irq softirq steal ...", in ticks. */
    char key[16], value[256], *end = value;
    uint64_t ticks = 0;
    const long hz = sysconf(_SC_CLK_TCK);
    snprintf(key, sizeof key, "cpu%" PRIu32, cpu);
    if (hz <= 0 || rc_text_value_of(from->stat, key, value, sizeof value))
        return RC_OK;
    for (int i = 0; i < 8; i++) {
        const char *at = end;
        ticks = strtoull(at, &end, 10);
        if (end == at)
            return RC_OK;
    }
    return add_count(out, "steal ms", ticks * 1000 / (uint64_t)hz, err);
}

void rc_noise_counts_fini(struct rc_noise_counts *counts)
{
    free(counts->total);
    rc_arena_free(&counts->arena);
    *counts = (struct rc_noise_counts){.count = 0};
}

/* Both lists are in the order of the same files, so the place is nearly always the
 * same.
 */
void rc_noise_counts_subtract(const struct rc_noise_counts *before,
                              struct rc_noise_counts *after)
{
    size_t kept = 0, at = 0;

    for (size_t i = 0; i < after->count; i++) {
        struct rc_noise_total one = after->total[i];
        for (size_t tried = 0; tried < before->count; tried++, at++) {
            const struct rc_noise_total *was = &before->total[at % before->count];
            if (strcmp(was->name, one.name) != 0)
                continue;
            one.count = one.count > was->count ? one.count - was->count : 0;
            break;
        }
        if (one.count > 0)
            after->total[kept++] = one;
    }
    after->count = kept;
}

/* A group and those around it, up to the mount: each of them may have a quota, and the
 * tightest holds: cpu.max "QUOTA PERIOD" or "max PERIOD", or the two files of
 * version 1.
 */
static void read_quotas(const char *mount, const char *group, double *tightest,
                        char *out, size_t room)
{
    char path[PATH_MAX / 2], file[PATH_MAX], text[128], period_text[32], *end, *slash;
    const size_t root = strlen(mount);

    if (snprintf(path, sizeof path, "%s%s", mount, group) >= (int)sizeof path)
        return;
    do {
        snprintf(file, sizeof file, "%s/cpu.max", path);
        if (rc_text_first_line(file, text, sizeof text)) {
            snprintf(file, sizeof file, "%s/cpu.cfs_period_us", path);
            (void)rc_text_first_line(file, period_text, sizeof period_text);
            snprintf(file, sizeof file, "%s/cpu.cfs_quota_us", path);
            (void)rc_text_first_line(file, text, sizeof text);
            rc_text_append(text, sizeof text, " %s", period_text);
        }
        const double quota = strtod(text, &end), period = strtod(end, NULL);
        if (quota > 0 && period > 0 && quota / period < *tightest) {
            *tightest = quota / period;
            snprintf(out, room, "%.0f %.0f", quota, period);
        }
        slash = strrchr(path + root, '/');
        if (slash)
            *slash = 0;
    } while (slash);
}

/* Whether "cpu" is among words with commas between. */
static bool has_cpu(const char *controllers)
{
    for (const char *at = controllers; *at; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        if (length == 3 && strncmp(at, "cpu", 3) == 0)
            return true;
        at += length;
    }
    return false;
}

const char *rc_noise_quota(const char *groups, const char *mount, char *out,
                           size_t room)
{
    FILE *file = fopen(groups, "re");
    char *line = NULL, version_1[PATH_MAX / 4];
    size_t length = 0;
    double tightest = 1e9;

    out[0] = 0;
    while (file && getline(&line, &length, file) > 0) { /* "4:cpu,cpuacct:/path" */
        char *words = strchr(line, ':'), *path = words ? strchr(words + 1, ':') : NULL;
        if (!path)
            continue;
        path[1 + strcspn(path + 1, "\n")] = 0;
        *path = 0;
        if (words[1] == 0) {
            read_quotas(mount, path + 1, &tightest, out, room);
        } else if (has_cpu(words + 1)) {
            snprintf(version_1, sizeof version_1, "%s/%s", mount, words + 1);
            read_quotas(version_1, path + 1, &tightest, out, room);
            snprintf(version_1, sizeof version_1, "%s/cpu", mount);
            read_quotas(version_1, path + 1, &tightest, out, room);
        }
    }
    free(line);
    if (file)
        (void)fclose(file);
    return out;
}

/* "other", "fifo 50", ... */
static const char *put_policy(char *out, size_t room)
{
    const int policy = sched_getscheduler(0);
    struct sched_param param = {.sched_priority = 0};
    const char *name = policy == SCHED_FIFO    ? "fifo"
                       : policy == SCHED_RR    ? "rr"
                       : policy == SCHED_BATCH ? "batch"
                       : policy == SCHED_IDLE  ? "idle"
                                               : "other";

    (void)sched_getparam(0, &param);
    if (policy == SCHED_FIFO || policy == SCHED_RR)
        snprintf(out, room, "%s %d", name, param.sched_priority);
    else
        snprintf(out, room, "%s nice %d", name, getpriority(PRIO_PROCESS, 0));
    return out;
}

/* A list that is being filled. */
struct list {
    struct rc_arena *arena;
    struct rc_noise_condition *condition;
    size_t count;
};

static void add_condition(struct list *list, const char *name, const char *value)
{
    if (*value)
        list->condition[list->count++] =
            (struct rc_noise_condition){name, rc_arena_text(list->arena, value)};
}

int rc_noise_conditions(uint32_t cpu, struct rc_arena *arena,
                        struct rc_noise_condition **condition, size_t *count,
                        struct rc_error *err)
{
    static const struct {
        const char *name, *path;
    } files[] = {
        {"kernel.sched_rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us"},
        {"kernel.sched_rt_period_us", "/proc/sys/kernel/sched_rt_period_us"},
        {"clock source",
         "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
        {"isolated CPUs", "/sys/devices/system/cpu/isolated"},
        {"nohz_full CPUs", "/sys/devices/system/cpu/nohz_full"},
    };
    enum { FILES = sizeof files / sizeof files[0] };
    char text[256], path[128];
    struct utsname system;
    struct list list = {
        arena,
        rc_arena_array(arena, FILES + 5 + RC_NOISE_CONDITIONS_MORE, sizeof **condition),
        0};

    if (!list.condition)
        return rc_arena_check(arena, err, "conditions of a measurement");
    add_condition(&list, "policy", put_policy(text, sizeof text));
    for (size_t i = 0; i < FILES; i++)
        if (rc_text_first_line(files[i].path, text, sizeof text) == 0)
            add_condition(&list, files[i].name, text);
    add_condition(
        &list, "cpu.max",
        rc_noise_quota("/proc/self/cgroup", "/sys/fs/cgroup", text, sizeof text));
    snprintf(path, sizeof path,
             "/sys/devices/system/cpu/cpu%" PRIu32 "/cpufreq/scaling_governor", cpu);
    if (rc_text_first_line(path, text, sizeof text) == 0)
        add_condition(&list, "frequency governor", text);
    add_condition(&list, "machine", rc_detour_is_virtual() ? "virtual" : "");
    if (uname(&system) == 0)
        add_condition(&list, "kernel", system.release);
    *condition = list.condition;
    *count = list.count;
    return rc_arena_check(arena, err, "conditions of a measurement");
}
