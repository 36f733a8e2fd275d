/* The scope of a PMU or component: from what the kernel publishes, the topology, and a
 * table.
 *
 * The kernel gives each PMU outside the cores a cpumask, the CPUs on which it is to
 * be opened: one in each part of the machine that has such a PMU.  So the scope is the
 * one whose units have exactly one CPU each in the mask.  Components without a mask are
 * in a table.  A component that is in neither gets the widest scope, the node, which
 * two workers never measure at once.
 */
#include "campaign/sources/papi/parts.h"

#include "campaign/base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Components whose events the kernel gives no cpumask for. */
static const struct {
    const char *component;
    enum rc_scope scope;
    const char *reason;
} table[] = {
    {"perf_event", RC_SCOPE_CORE, "counts the calling thread"},
    {"perf_event_uncore", RC_SCOPE_PACKAGE, "counts outside the cores"},
    {"sde", RC_SCOPE_CORE, "counts in software, inside this process"},
    {"appio", RC_SCOPE_CORE, "counts the calls of this process"},
    {"vmware", RC_SCOPE_NODE, "counts for the virtual machine"},
    {"stealtime", RC_SCOPE_NODE, "reads /proc/stat of the node"},
    {"io", RC_SCOPE_CORE, "reads /proc/self/io, of this process"},
    {"coretemp", RC_SCOPE_NODE, "reads sensors of the node"},
    {"lmsensors", RC_SCOPE_NODE, "reads sensors of the node"},
    {"sensors_ppc", RC_SCOPE_NODE, "reads sensors of the node"},
    {"powercap", RC_SCOPE_PACKAGE, "reads power zones, one for each package"},
    {"powercap_ppc", RC_SCOPE_NODE, "reads the power of the node"},
    {"rapl", RC_SCOPE_PACKAGE, "reads energy registers of the packages"},
    {"libmsr", RC_SCOPE_PACKAGE, "reads energy registers of the packages"},
    {"pcp", RC_SCOPE_NODE, "asks the Performance Co-Pilot daemon of the node"},
    {"net", RC_SCOPE_NODE, "counts the network interfaces of the node"},
    {"infiniband", RC_SCOPE_NODE, "counts the InfiniBand ports of the node"},
    {"infiniband_umad", RC_SCOPE_NODE, "counts the InfiniBand ports of the node"},
    {"mx", RC_SCOPE_NODE, "counts the network interfaces of the node"},
    {"lustre", RC_SCOPE_NODE, "counts the file system client of the node"},
    {"sysdetect", RC_SCOPE_NODE, "describes the node"},
    {"cuda", RC_SCOPE_DEVICE, "counts on a GPU"},
    {"nvml", RC_SCOPE_DEVICE, "reads the state of a GPU"},
    {"rocm", RC_SCOPE_DEVICE, "counts on a GPU"},
    {"rocm_smi", RC_SCOPE_DEVICE, "reads the state of a GPU"},
    {"rocp_sdk", RC_SCOPE_DEVICE, "counts on a GPU"},
    {"amd_smi", RC_SCOPE_DEVICE, "reads the state of a GPU"},
    {"intel_gpu", RC_SCOPE_DEVICE, "counts on a GPU"},
    {"micpower", RC_SCOPE_DEVICE, "reads the power of an accelerator"},
    {"host_micpower", RC_SCOPE_DEVICE, "reads the power of an accelerator"},
};

/* libpfm's PMU names, by their ends, where they differ from the kernel's. */
static const struct {
    const char *end, *device;
} renamed[] = {
    {"_glc", "cpu_core"}, {"_rwc", "cpu_core"},   {"_lnc", "cpu_core"},
    {"_grt", "cpu_atom"}, {"_cmt", "cpu_atom"},   {"_skt", "cpu_atom"},
    {"rapl", "power"},    {"_l3", "amd_l3"},      {"_df", "amd_df"},
    {"_umc", "amd_umc"},  {"hv_24x7", "hv_24x7"}, {"_iommu", "amd_iommu_0"},
};

#define DEVICES "bus/event_source/devices"

/* First line of a file of a PMU; -1 where there is none. */
static int read_line(const char *sys, const char *device, const char *file, char *out,
                     size_t room)
{
    char path[1024];

    if (snprintf(path, sizeof path, "%s/" DEVICES "/%s/%s", sys, device, file) >=
        (int)sizeof path)
        return -1;
    return rc_text_first_line(path, out, room) == 0 && out[0] ? 0 : -1;
}

/* "unc_imc0", "uncore_imc_0" -> "imc" and "0" */
static void split_name(const char *name, char *letters, char *digits, size_t room)
{
    const char *tail = strstr(name, "unc_");
    size_t l = 0, d = 0;

    if (strncmp(name, "uncore_", 7) == 0)
        tail = name + 3; /* "ore_", of 4 letters as "unc_", which are skipped */
    for (const char *p = tail ? tail + 4 : name; *p; p++)
        if (isdigit((unsigned char)*p) && d + 1 < room)
            digits[d++] = *p;
        else if (*p != '_' && l + 1 < room)
            letters[l++] = (char)tolower((unsigned char)*p);
    letters[l] = digits[d] = 0;
}

/* Whether a device of the kernel is the PMU that libpfm calls 'pmu', or one of
 * several of that name.  For uncore PMUs the numbers are equal and one name begins the
 * other ("cbo0", "cbox_0").
 */
static bool is_device(const char *device, const char *pmu)
{
    char l1[64], d1[64], l2[64], d2[64];
    size_t length = strlen(pmu);

    if (strncmp(device, pmu, length) == 0 &&
        (!device[length] ||
         (device[length] == '_' && isdigit((unsigned char)device[length + 1]))))
        return true;
    if (!strstr(pmu, "_unc_") || strncmp(device, "uncore_", 7) != 0)
        return false;
    split_name(device, l1, d1, sizeof l1);
    split_name(pmu, l2, d2, sizeof l2);
    size_t shorter = strlen(l1) < strlen(l2) ? strlen(l1) : strlen(l2);
    return shorter > 0 && strcmp(d1, d2) == 0 && strncmp(l1, l2, shorter) == 0;
}

/* The kernel's name of a PMU; the lowest where several fit, so that the
 * directory's order does not matter.
 */
static int find_device(const char *sys, const char *pmu, char *out, size_t room)
{
    char path[1024];
    const char *wanted = pmu;
    struct dirent *entry;
    DIR *dir;

    out[0] = 0;
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0] && wanted == pmu; i++) {
        const size_t length = strlen(pmu), tail = strlen(renamed[i].end);
        if (length >= tail && strcmp(pmu + length - tail, renamed[i].end) == 0)
            wanted = renamed[i].device;
    }
    if (snprintf(path, sizeof path, "%s/" DEVICES, sys) >= (int)sizeof path)
        return -1;
    dir = opendir(path);
    if (!dir)
        return -1;
    while ((entry = readdir(dir)))
        if (is_device(entry->d_name, wanted) && strlen(entry->d_name) < room &&
            (!out[0] || strcmp(entry->d_name, out) < 0))
            memcpy(out, entry->d_name, strlen(entry->d_name) + 1);
    closedir(dir);
    return out[0] ? 0 : -1;
}

/* Whether a list of CPUs ("0-3,8") holds 'cpu'; sets 'bad' where the text is not such a
 * list.
 */
static bool list_holds(const char *list, uint32_t cpu, bool *bad)
{
    unsigned long low, high;
    bool found = false;

    *bad |= !*list;
    while (rc_text_next_range(&list, &low, &high))
        found |= cpu >= low && cpu <= high;
    *bad |= *list != 0;
    return found && !*bad;
}

/* Whether the list has exactly one CPU in each unit of 'scope'. */
static bool one_in_each(const char *list, enum rc_scope scope, const struct rc_cpu *cpu,
                        size_t count)
{
    bool bad = false;

    for (size_t i = 0; i < count; i++) {
        uint32_t unit = cpu[i].unit[scope];
        size_t held = 0;
        if (i > 0 && unit == cpu[i - 1].unit[scope])
            continue; /* neighbours share units: no need to look again */
        for (size_t k = 0; k < count; k++)
            held +=
                cpu[k].unit[scope] == unit && list_holds(list, cpu[k].os_index, &bad);
        if (unit == RC_NO_UNIT || held != 1 || bad)
            return false;
    }
    return true;
}

/* Several scopes may fit, as on a machine with one package and one L3.  The L3 is tried
 * first if the PMU's name has it, else the package, to which most such PMUs belong.
 */
static bool find_scope(const char *list, const char *device, const struct rc_cpu *cpu,
                       size_t count, enum rc_scope *out)
{
    enum rc_scope order[] = {RC_SCOPE_PACKAGE, RC_SCOPE_PACKAGE, RC_SCOPE_NUMA,
                             RC_SCOPE_L3,      RC_SCOPE_NODE,    RC_SCOPE_L2,
                             RC_SCOPE_CORE};

    if (strstr(device, "l3"))
        order[0] = RC_SCOPE_L3;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (one_in_each(list, order[i], cpu, count)) {
            *out = order[i];
            return true;
        }
    return false;
}

void rc_papi_scope(const char *sys, const struct rc_cpu *cpu, size_t cpu_count,
                   const char *component, const char *pmu, struct rc_papi_scope *out)
{
    char device[128], list[256];
    bool found = pmu[0] && find_device(sys, pmu, device, sizeof device) == 0;

    if (found && read_line(sys, device, "cpumask", list, sizeof list) == 0) {
        /* The scope by a PMU's cpumask. */
        const size_t room = sizeof out->evidence;
        snprintf(out->evidence, room, "cpumask %.60s of %.80s: ", list, device);
        if (cpu_count == 0) {
            out->scope = strstr(device, "l3") ? RC_SCOPE_L3 : RC_SCOPE_PACKAGE;
            rc_text_append(out->evidence, room,
                           "not compared, the topology is not known; %s assumed",
                           rc_scope_name(out->scope));
        } else if (find_scope(list, device, cpu, cpu_count, &out->scope)) {
            rc_text_append(out->evidence, room, "one CPU in each %s",
                           rc_scope_name(out->scope));
        } else {
            out->scope = RC_SCOPE_NODE;
            rc_text_append(out->evidence, room, "fits no shared unit; node assumed");
        }
        return;
    }
    out->scope = RC_SCOPE_NODE;
    snprintf(out->evidence, sizeof out->evidence,
             "component %.100s: not known to rollcall; node assumed", component);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].component, component) == 0) {
            out->scope = table[i].scope;
            snprintf(out->evidence, sizeof out->evidence, "component %s: %s", component,
                     table[i].reason);
        }
    if (found && read_line(sys, device, "cpus", list, sizeof list) == 0)
        rc_text_append(out->evidence, sizeof out->evidence,
                       "; PMU %.60s is only in CPUs %.80s", device, list);
    else if (strcmp(component, "perf_event_uncore") == 0)
        rc_text_append(out->evidence, sizeof out->evidence,
                       "; no cpumask for PMU %.60s, package assumed", pmu);
}

bool rc_papi_has_core_pmu(const char *sys)
{
    char path[1024];
    struct dirent *entry;
    DIR *dir;
    bool found = false;

    if (snprintf(path, sizeof path, "%s/" DEVICES, sys) >= (int)sizeof path)
        return false;
    dir = opendir(path);
    if (!dir)
        return false;
    while ((entry = readdir(dir)))
        found = found || strncmp(entry->d_name, "cpu", 3) == 0 ||
                strncmp(entry->d_name, "arm", 3) == 0;
    closedir(dir);
    return found;
}
