/* The families of events of the sysfs source: which files there are, and what they say.
 *
 * Each family is a pattern of files below the root.  A name is the family's with the
 * words that its wildcards match: sys/class/net/ * /statistics/ * becomes
 * net:eth0:rx_bytes.
 */
#include "campaign/sources/sysfs/parts.h"

#include "campaign/base/files/path.h"
#include "campaign/base/text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU "sys/devices/system/cpu/cpu[0-9]*/"
#define PORT "sys/class/infiniband/*/ports/*/"
#define HWMON "sys/class/hwmon/*/"
#define NODE RC_SCOPE_NODE

/* The widths of a port's counters are those of PortCounters in the InfiniBand
 * specification, where they stay at their largest value; on newer adapters data and
 * packets have 64 bits.
 */
const struct rc_sysfs_family rc_sysfs_families[] = {
    {"powercap", "sys/class/powercap/*:*/energy_uj", "energy of a power zone (uJ)",
     .scope = RC_SCOPE_PACKAGE, .each = RC_SYSFS_ZONE, .range = "max_energy_range_uj"},
    {"infiniband", PORT "counters/port_{rcv,xmit}_data",
     "data of a port (4-byte words)", .scope = NODE, .sticks_bits = 32},
    {"infiniband", PORT "counters/port_{rcv_packets,xmit_packets,xmit_wait}",
     "packets of a port; xmit_wait: ticks without a credit to send", .scope = NODE,
     .sticks_bits = 32},
    {"infiniband", PORT "counters/{unicast,multicast}_{rcv,xmit}_packets",
     "packets of a port", .scope = NODE},
    {"infiniband",
     PORT "counters/{symbol_error,port_rcv_errors,port_rcv_remote_physical_errors,"
          "port_rcv_switch_relay_errors,port_xmit_discards,VL15_dropped}",
     "errors of a port", .scope = NODE, .sticks_bits = 16},
    {"infiniband",
     PORT
     "counters/{link_error_recovery,link_downed,port_{rcv,xmit}_constraint_errors}",
     "errors of a port", .scope = NODE, .sticks_bits = 8},
    {"infiniband_ext", PORT "counters_ext/*",
     "64-bit counter of a port (data: 4-byte words)", .scope = NODE},
    {"infiniband_hw",
     PORT "hw_counters/{[!l]*,l[!i]*}", /* not the setting "lifespan" */
     "counter of a port's hardware", .scope = NODE},
    {"net", "sys/class/net/*/statistics/*",
     "bytes, packets or errors of a network interface", .scope = NODE},
    {"block", "sys/block/*/stat",
     "requests to a disk, their time in ms, or sectors of 512 bytes", .scope = NODE,
     .columns = "reads reads_merged read_sectors read_ms writes writes_merged "
                "written_sectors write_ms - io_ms weighted_io_ms discards "
                "discards_merged discarded_sectors discard_ms flushes flush_ms"},
    {"cray", "sys/cray/pm_counters/*energy", "energy of the node or a part of it (J)",
     .scope = NODE},
    {"cray", "sys/cray/pm_counters/*power", "power of the node or a part of it (W)",
     .scope = NODE, .state = true},
    {"hwmon", HWMON "energy*_input", "energy (uJ)", .scope = NODE, .label = "name"},
    {"hwmon", HWMON "power*_{input,average}", "power (uW)", .scope = NODE,
     .label = "name", .state = true},
    {"hwmon", HWMON "{temp,in,curr,fan}*_input",
     "sensor (temp: 0.001 degrees Celsius, in: mV, curr: mA, fan: turns a minute)",
     .scope = NODE, .label = "name", .state = true},
    {"thermal", "sys/class/thermal/thermal_zone*/temp",
     "temperature (0.001 degrees Celsius)", .scope = NODE, .label = "type",
     .state = true},
    {"throttle", CPU "thermal_throttle/package_throttle_*",
     "how often, or for how many ms, heat slowed the package down",
     .scope = RC_SCOPE_PACKAGE, .each = RC_SYSFS_CPU},
    {"throttle", CPU "thermal_throttle/core_throttle_*",
     "how often, or for how many ms, heat slowed the core down", .scope = RC_SCOPE_CORE,
     .each = RC_SYSFS_CPU},
    {"cpufreq", CPU "cpufreq/scaling_cur_freq", "frequency of the core (kHz)",
     .scope = RC_SCOPE_CORE, .each = RC_SYSFS_CPU, .state = true},
    {"cpuidle", CPU "cpuidle/state[0-9]*/{time,usage}",
     "how long (us) or how often the core was in an idle state", .scope = RC_SCOPE_CORE,
     .each = RC_SYSFS_CPU},
    {"numastat", "sys/devices/system/node/node[0-9]*/numastat",
     "allocations of memory in the NUMA domain (pages)", .scope = RC_SCOPE_NUMA,
     .each = RC_SYSFS_NUMA, .keys = "*"},
    {"pressure", "proc/pressure/*", "time in which some tasks waited for it (us)",
     .scope = NODE, .columns = "- - - some_us", .line = "some", .tick_ns = 1000},
    {"pressure", "proc/pressure/*", "time in which all tasks waited for it (us)",
     .scope = NODE, .columns = "- - - full_us", .line = "full", .tick_ns = 1000},
    {"stat", "proc/stat", "time of all CPUs (ticks of the clock, mostly 10 ms)",
     .scope = NODE,
     .columns = "cpu_user cpu_nice cpu_system cpu_idle cpu_iowait cpu_irq cpu_softirq "
                "cpu_steal cpu_guest cpu_guest_nice",
     .line = "cpu", .tick_ns = RC_SYSFS_TICKS},
    {"stat", "proc/stat", "how often on this node", .scope = NODE,
     .keys = "!(cpu*|btime|procs_*)"},
    {"stat", "proc/stat", "tasks in this state", .scope = NODE, .keys = "procs_*",
     .state = true},
    {"meminfo", "proc/meminfo", "memory of the node (KiB; HugePages_*: pages)",
     .scope = NODE, .keys = "*", .state = true},
    {"vmstat", "proc/vmstat", "how often the memory management of the node did this",
     .scope = NODE,
     .keys = "@(nr_@(dirtied|written|throttled_written|vmscan_*|foll_pin_*)|"
             "!(nr_*|workingset_nodes))"},
    {"vmstat", "proc/vmstat", "memory of the node in this state (pages)", .scope = NODE,
     .keys = "@(nr_!(dirtied|written|throttled_written|vmscan_*|foll_pin_*)|"
             "workingset_nodes)",
     .state = true},
    {"io", "proc/self/io",
     "reads and writes of this process and of these readings (bytes; syscr, syscw: "
     "calls)",
     .scope = RC_SCOPE_CORE, .keys = "*"},
    {"schedstat", "proc/self/schedstat",
     "how long this process ran or waited for a CPU, or how often it ran",
     .scope = RC_SCOPE_CORE, .columns = "run_ns wait_ns slices"},
    {.name = NULL},
};

enum { NAME = 1024, WORD_MOST = 255 };

/* A file that a pattern found, while it becomes events. */
struct found {
    const struct rc_sysfs_family *family;
    const char *path;
    const char *label; /* what a file beside it calls it, or "" */
    enum rc_scope scope;
    uint32_t unit;
    char name[NAME]; /* of its events, as far as the path gives it */
};

/* Appends ":WORD"; characters that a shell may not take as a plain word become %XX. */
static void append_word(char *name, const char *word, size_t length)
{
    rc_text_append(name, NAME, ":");
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)word[i];
        if (isalnum(c) || (c && strchr("_.-+@()", c)))
            rc_text_append(name, NAME, "%c", c);
        else
            rc_text_append(name, NAME, "%%%02X", c);
    }
}

/* The first line of a file beside the one at 'path'. */
static int read_beside(const char *path, const char *file, char *out, size_t room)
{
    char beside[PATH_MAX];
    const int length = (int)(strrchr(path, '/') - path);

    if (rc_path(beside, sizeof beside, NULL, "%.*s/%s", length, path, file) != RC_OK)
        return -1;
    return rc_text_first_line(beside, out, room) == 0 && out[0] ? 0 : -1;
}

/* Names a power zone.  "intel-rapl:0:1" is the second zone within the first of its
 * type; each has a file with its name, here "package-0" and "dram".  The number of a
 * package's zone becomes the unit; other zones, such as "psys", belong to the node.
 */
static void name_zone(struct found *f, const char *zone, size_t length)
{
    const int parent = (int)(zone - f->path); /* 'zone' is a part of the path */
    const char *end = memchr(zone, ':', length);
    char file[PATH_MAX], name[WORD_MOST];

    append_word(f->name, zone, end ? (size_t)(end - zone) : length);
    f->scope = RC_SCOPE_NODE;
    while (end) {
        const char *next = memchr(end + 1, ':', (size_t)(zone + length - end - 1));
        const int part = (int)((next ? next : zone + length) - zone);
        int digits = 0;
        if (rc_path(file, sizeof file, NULL, "%.*s%.*s/name", parent, f->path, part,
                    zone) != RC_OK ||
            rc_text_first_line(file, name, sizeof name) || !name[0])
            snprintf(name, sizeof name, "%.*s", part, zone);
        if (sscanf(name, "package-%9u%n", &f->unit, &digits) == 1 && !name[digits]) {
            f->scope = RC_SCOPE_PACKAGE;
            name[strlen("package")] = 0;
        } else if (f->scope == RC_SCOPE_NODE) {
            f->unit = RC_SYSFS_NO_UNIT;
        }
        append_word(f->name, name, strlen(name));
        end = next;
    }
}

/* Takes a wildcard's match: as the number of the unit, or as a part of the name. */
static void take_word(struct found *f, const char *word, size_t length, bool first)
{
    const enum rc_sysfs_each each = f->family->each;
    char label[WORD_MOST];

    if (first && (each == RC_SYSFS_CPU || each == RC_SYSFS_NUMA)) {
        f->unit = (uint32_t)strtoul(word + strcspn(word, "0123456789"), NULL, 10);
    } else if (first && each == RC_SYSFS_ZONE) {
        name_zone(f, word, length);
    } else if (first && f->family->label &&
               read_beside(f->path, f->family->label, label, sizeof label) == 0) {
        append_word(f->name, label, strlen(label));
    } else {
        append_word(f->name, word, length);
    }
}

/* Makes the name as far as the path gives it, component by component of the pattern. */
static void name_file(struct found *f, const char *relative)
{
    const char *pattern = f->family->pattern;
    bool first = true;

    snprintf(f->name, sizeof f->name, "sysfs:::%s", f->family->name);
    for (;;) {
        size_t word = strcspn(relative, "/"), part = strcspn(pattern, "/");
        const bool wild = strcspn(pattern, "*[{") < part, last = !pattern[part];
        if (wild || (last && !f->family->keys && !f->family->columns)) {
            take_word(f, relative, word, first && wild);
            first = first && !wild;
        }
        if (last || !relative[word])
            return;
        relative += word + 1;
        pattern += part + 1;
    }
}

static bool has_name(const void *state, size_t item, const void *name)
{
    return strcmp(((const struct rc_source_state *)state)->event[item].name, name) == 0;
}

/* Whether an event has a file for the unit already. */
static bool has_unit(const struct rc_source_state *state, size_t event, uint32_t unit)
{
    for (size_t i = state->file_count; i-- > 0;)
        if (state->file[i].event == event && state->file[i].unit == unit)
            return true;
    return false;
}

/* Adds an event under a name that is free, with a description such as "temperature
 * (0.001 degrees Celsius), a state: its value at the end: Core 0".
 */
static int add_event(struct rc_source_state *state, const struct found *f,
                     const char *name, const char *key, unsigned column)
{
    static const char *const files_of[] = {
        [RC_SYSFS_NODE] = "one file for the node",
        [RC_SYSFS_CPU] = "one file for each CPU, that of the thread's is read",
        [RC_SYSFS_NUMA] = "one file for each NUMA domain, that of the thread's is read",
        [RC_SYSFS_ZONE] = "one zone for each package, that of the thread's is read",
    };
    const enum rc_sysfs_each each =
        f->unit == RC_SYSFS_NO_UNIT ? RC_SYSFS_NODE : f->family->each;
    const bool own = each == RC_SYSFS_NODE && f->scope == RC_SCOPE_CORE;
    char description[512], evidence[512];

    snprintf(description, sizeof description, "%s, %s%s%s", f->family->what,
             f->family->state ? "a state: its value at the end" : "a counter",
             f->label[0] ? ": " : "", f->label);
    snprintf(evidence, sizeof evidence, "%.300s: %s", f->path,
             own ? "of this process" : files_of[each]);
    rc_text_printable(evidence, sizeof evidence, evidence);
    struct rc_sysfs_event event = {.name = rc_pool_copy(state->pool, name),
                                   .description =
                                       rc_pool_intern(state->pool, description),
                                   .evidence = rc_pool_intern(state->pool, evidence),
                                   .family = f->family,
                                   .scope = f->scope,
                                   .key = key ? rc_pool_intern(state->pool, key) : NULL,
                                   .column = column};
    if (!event.name || !event.description || !event.evidence || (key && !event.key) ||
        rc_grow(&state->event, sizeof *state->event, state->count, &state->room))
        return -1;
    state->event[state->count] = event;
    return rc_map_put(&state->by_name, state, rc_text_hash(name), name, state->count++);
}

/* Adds the file to its event, and the event if it is new.  A second sensor of the same
 * name becomes "NAME#2".
 */
static int add_value(struct rc_source_state *state, const struct found *f,
                     const char *word, const char *key, unsigned column)
{
    char full[NAME], name[NAME + 16];
    size_t event;

    snprintf(full, sizeof full, "%s", f->name);
    if (word)
        append_word(full, word, strlen(word));
    snprintf(name, sizeof name, "%s", full);
    for (unsigned twin = 2;; twin++) {
        event = rc_map_find(&state->by_name, state, rc_text_hash(name), name);
        if (event == RC_MAP_NONE || !has_unit(state, event, f->unit))
            break;
        snprintf(name, sizeof name, "%s#%u", full, twin);
    }
    if (event == RC_MAP_NONE) {
        event = state->count;
        if (add_event(state, f, name, key, column))
            return -1;
    }
    struct rc_sysfs_file file = {(uint32_t)event, f->unit,
                                 rc_pool_intern(state->pool, f->path)};
    if (!file.path || rc_grow(&state->file, sizeof *state->file, state->file_count,
                              &state->file_room))
        return -1;
    state->file[state->file_count++] = file;
    return 0;
}

/* Adds an event for each line of a table whose key is wanted. */
static int add_lines(struct rc_source_state *state, const struct found *f)
{
    char *text = rc_sysfs_slurp(f->path), key[WORD_MOST];
    int failed = 0;

    for (const char *line = text; line && *line && !failed;) {
        const size_t length = strcspn(line, ": \t\n");
        const bool is_line =
            length > 0 && length < sizeof key && line[length] && line[length] != '\n';
        snprintf(key, sizeof key, "%.*s", is_line ? (int)length : 0, line);
        if (is_line && fnmatch(f->family->keys, key, FNM_EXTMATCH) == 0)
            failed = add_value(state, f, key, key, 0);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    free(text);
    return failed;
}

/* Adds an event for each column that has a name and exists in the line. */
static int add_columns(struct rc_source_state *state, const struct found *f)
{
    char *text = rc_sysfs_slurp(f->path), word[64];
    const char *name = f->family->columns;
    struct rc_counter_number number;
    int failed = 0;

    for (unsigned column = 0; text && *name && !failed; column++) {
        const size_t length = strcspn(name, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        if (strcmp(word, "-") != 0 &&
            !rc_sysfs_find(text, f->family->line, column, &number))
            failed = add_value(state, f, word, f->family->line, column);
        name += length + (name[length] == ' ');
    }
    free(text);
    return failed;
}

/* Makes events from a file.  -1: no memory. */
static int add_file(struct rc_source_state *state, const struct rc_sysfs_family *family,
                    const char *path)
{
    struct found f = {.family = family,
                      .path = path,
                      .scope = family->scope,
                      .unit = RC_SYSFS_NO_UNIT};
    const char *input = strstr(path, "_input");
    char file[PATH_MAX], label[WORD_MOST] = "";

    name_file(&f, path + strlen(state->root) + 1);
    if (input && rc_path(file, sizeof file, NULL, "%.*s_label", (int)(input - path),
                         path) == RC_OK)
        (void)rc_text_first_line(file, label, sizeof label);
    f.label = label;
    if (family->keys)
        return add_lines(state, &f);
    return family->columns ? add_columns(state, &f)
                           : add_value(state, &f, NULL, NULL, 0);
}

int rc_sysfs_list(struct rc_source_state *state, struct rc_error *err)
{
    char pattern[PATH_MAX];
    size_t used = 0;

    state->by_name = (struct rc_map){.same = has_name};
    /* The root, with characters that glob() would interpret quoted, then the pattern.
     */
    for (const char *root = state->root; *root && used + 2 < sizeof pattern; root++) {
        if (strchr("*?[]{},\\", *root))
            pattern[used++] = '\\';
        pattern[used++] = *root;
    }
    for (const struct rc_sysfs_family *f = rc_sysfs_families; f->name; f++) {
        const size_t room = sizeof pattern - used;
        glob_t found = {0};
        if (snprintf(pattern + used, room, "/%s", f->pattern) >= (int)room)
            return rc_fail(err, RC_EUSAGE,
                           "source 'sysfs': the path '%.60s...' is too "
                           "long",
                           state->root);
        int status = glob(pattern, GLOB_BRACE, NULL, &found);
        for (size_t i = 0; status == 0 && i < found.gl_pathc; i++)
            status = add_file(state, f, found.gl_pathv[i]) ? GLOB_NOSPACE : 0;
        globfree(&found);
        if (status == GLOB_NOSPACE)
            return rc_fail(err, RC_ENOMEM, "source 'sysfs': no memory for %zu events",
                           state->count);
    }
    return RC_OK;
}
