/* The doctor's checks of a node: counters, permissions, topology, disk and libraries.
 *
 * Each check_NAME() adds the findings on one subject and never stops the others; its
 * results for later checks are in struct node_checks.  The sysctls and capabilities are
 * those of perf_event_open(2) and the kernel's perf-security page.
 */
#include "campaign/commands/checks.h"

#include "campaign/base/child.h"
#include "campaign/base/text.h"
#include "campaign/perf/perf.h"
#include "campaign/sources/source.h"
#include "jobs/scheduler.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { ASK_SECONDS = 10 }; /* for a scheduler to answer */

const char *const rc_level_names[] = {"ok", "note", "warning", "problem", NULL};

void rc_finding_add(struct rc_findings *findings, const char *check,
                    enum rc_level level, const char *mend, const char *format, ...)
{
    va_list args;

    if (findings->count == RC_FINDINGS_MOST)
        return;
    struct rc_finding *f = &findings->finding[findings->count++];
    f->check = check;
    f->level = level;
    va_start(args, format);
    vsnprintf(f->said, sizeof f->said, format, args);
    va_end(args);
    snprintf(f->mend, sizeof f->mend, "%s", mend ? mend : "");
    rc_text_printable(f->said, sizeof f->said, f->said);
    rc_text_printable(f->mend, sizeof f->mend, f->mend);
}

struct node_checks {
    struct rc_findings *findings;
    const struct rc_machine *machine; /* NULL: it could not be opened */
    const char *directory;            /* for results */
    bool launched;                    /* by mpirun, srun or the like */
    bool can_perfmon;                 /* CAP_PERFMON or CAP_SYS_ADMIN */
    long paranoid; /* perf_event_paranoid; 4, more than any: no perf events */
};

/* Checks the processor, its allowed part, and SMT. */
static void check_machine(struct node_checks *l)
{
    struct rc_cpu_model model = rc_machine_cpu_model(l->machine);
    size_t cpus, allowed = 0, cores = 0;
    const struct rc_cpu *cpu = rc_machine_cpus(l->machine, &cpus);

    for (size_t i = 0; i < cpus; i++) {
        allowed += cpu[i].allowed;
        cores += cpu[i].first_of_core;
    }
    char numbers[64] = "processor of unknown name";
    if (model.vendor[0] && model.model >= 0)
        snprintf(numbers, sizeof numbers, "%.30s processor 0x%x", model.vendor,
                 (unsigned)model.model);
    rc_finding_add(l->findings, "machine", RC_LEVEL_OK, NULL, "%s, %s",
                   model.name[0] ? model.name : numbers, rc_machine_shape(l->machine));
    if (allowed < cpus && l->launched)
        rc_finding_add(l->findings, "allowed", RC_LEVEL_OK, NULL,
                       "the launcher gives this rank %zu of %zu processing units",
                       allowed, cpus);
    else if (allowed < cpus)
        rc_finding_add(l->findings, "allowed", RC_LEVEL_NOTE,
                       "ask the batch system or the launcher for whole nodes",
                       "%zu of %zu processing units may be used", allowed, cpus);
    else
        rc_finding_add(l->findings, "allowed", RC_LEVEL_OK, NULL,
                       "all %zu processing units may be used", cpus);
    if (cores < allowed)
        rc_finding_add(
            l->findings, "smt", RC_LEVEL_NOTE,
            "one worker runs on each core; switch SMT off for quieter counts",
            "%zu hardware threads share %zu cores", allowed, cores);
    else
        rc_finding_add(l->findings, "smt", RC_LEVEL_OK, NULL,
                       "one hardware thread for each core");
}

/* Checks the clock: cycles and times vary if it changes between readings. */
static void check_governor(struct node_checks *l)
{
    char governor[64];

    if (rc_text_first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                           governor, sizeof governor))
        rc_finding_add(l->findings, "governor", RC_LEVEL_NOTE, NULL,
                       "the system does not say how it sets the clock");
    else if (strcmp(governor, "performance") != 0)
        rc_finding_add(l->findings, "governor", RC_LEVEL_WARNING,
                       "cpupower frequency-set -g performance",
                       "the clock follows '%s': cycles and times will vary", governor);
    else
        rc_finding_add(l->findings, "governor", RC_LEVEL_OK, NULL, "performance");
}

/* Checks for hypervisors, which decide what can be counted, and containers, which may
 * forbid the system call.
 */
static void check_virtual(struct node_checks *l)
{
    char flags[8192] = "", container[128] = "";
    bool vm = rc_text_value_of("/proc/cpuinfo", "flags", flags, sizeof flags) == 0 &&
              strstr(flags, " hypervisor");
    bool boxed = access("/.dockerenv", F_OK) == 0 ||
                 access("/run/.containerenv", F_OK) == 0 ||
                 rc_text_first_line("/run/systemd/container", container,
                                    sizeof container) == 0 ||
                 getenv("APPTAINER_CONTAINER") || getenv("SINGULARITY_CONTAINER");

    if (vm)
        rc_finding_add(
            l->findings, "virtual", RC_LEVEL_WARNING,
            "measure on the bare machine, or let the host pass a virtual PMU",
            "a virtual machine%s: the host decides what can be counted",
            boxed ? " and a container" : "");
    else if (boxed)
        rc_finding_add(l->findings, "virtual", RC_LEVEL_NOTE,
                       "give the container CAP_PERFMON and the perf_event_open call",
                       "a container%s%s: its profile may forbid perf_event_open",
                       container[0] ? " " : "", container);
    else
        rc_finding_add(l->findings, "virtual", RC_LEVEL_OK, NULL,
                       "no sign of a virtual machine or a container");
}

/* Whether this process has a capability in the first user namespace, which maps all
 * ids; root of another namespace, as in a rootless container, has every capability only
 * there.  A kernel without user namespaces has no map.
 */
static bool has_capability(unsigned bit)
{
    char text[64];
    unsigned long inside, outside, count;

    if (rc_text_first_line("/proc/self/uid_map", text, sizeof text) == 0 &&
        (sscanf(text, "%lu %lu %lu", &inside, &outside, &count) != 3 || inside != 0 ||
         outside != 0 || count != UINT32_MAX))
        return false;
    return rc_text_value_of("/proc/self/status", "CapEff", text, sizeof text) == 0 &&
           strtoull(text, NULL, 16) >> bit & 1;
}

/* Checks perf_event_paranoid: -1 all, 0 no raw tracepoints, 1 no whole cores (and no
 * counters outside the cores), 2 only one's own processes in user mode; Debian's 3 and
 * Ubuntu's 4 nothing at all.  CAP_PERFMON, or CAP_SYS_ADMIN before Linux 5.8, lifts all
 * of it.
 */
static void check_rights(struct node_checks *l)
{
    enum { CAP_SYS_ADMIN_BIT = 21, CAP_PERFMON_BIT = 38 };
    char text[RC_PERF_PARANOID], *end;
    const char *held = has_capability(CAP_PERFMON_BIT)     ? "CAP_PERFMON"
                       : has_capability(CAP_SYS_ADMIN_BIT) ? "CAP_SYS_ADMIN"
                                                           : NULL;

    l->can_perfmon = held != NULL;
    l->paranoid = strtol(rc_perf_paranoid(text), &end, 10);
    if (end == text) {
        l->paranoid = 4;
        rc_finding_add(l->findings, "rights", RC_LEVEL_PROBLEM,
                       "a Linux kernel with CONFIG_PERF_EVENTS",
                       "this kernel has no perf events");
        return;
    }
    if (held)
        rc_finding_add(l->findings, "rights", RC_LEVEL_OK, NULL,
                       "perf_event_paranoid %ld, but this process holds %s",
                       l->paranoid, held);
    else if (l->paranoid > 2)
        rc_finding_add(
            l->findings, "rights", RC_LEVEL_PROBLEM,
            l->paranoid == 3
                ? "sysctl kernel.perf_event_paranoid=2: PAPI 7 stops at 3, CAP_PERFMON "
                  "or not"
                : "sysctl kernel.perf_event_paranoid=2, or setcap cap_perfmon+ep on "
                  "the program",
            "perf_event_paranoid %ld: no events at all without CAP_PERFMON",
            l->paranoid);
    else
        rc_finding_add(l->findings, "rights", RC_LEVEL_OK, NULL,
                       "perf_event_paranoid %ld: core events of one's own processes",
                       l->paranoid);
}

/* Checks the NMI watchdog, which uses a counter of cycles on each core. */
static void check_watchdog(struct node_checks *l)
{
    char text[32];

    if (rc_text_first_line("/proc/sys/kernel/nmi_watchdog", text, sizeof text) == 0 &&
        text[0] == '1')
        rc_finding_add(l->findings, "nmi_watchdog", RC_LEVEL_WARNING,
                       "sysctl kernel.nmi_watchdog=0",
                       "on: the kernel keeps one hardware counter of each core");
    else
        rc_finding_add(l->findings, "nmi_watchdog", RC_LEVEL_OK, NULL,
                       "off: it takes no counter");
}

static void note_component(void *context, const char *name, const char *reason)
{
    struct node_checks *l = context;

    if (reason && reason[0])
        rc_finding_add(l->findings, "papi_component", RC_LEVEL_NOTE, NULL,
                       "%s is disabled: %s", name, reason);
}

/* Opens PAPI, if possible, for the counter set and the disabled components; a trial
 * shows whether a hardware event really counts.
 */
static void check_papi(struct node_checks *l, char *counter_set, size_t room)
{
    const struct rc_source *papi = rc_source_find("papi");
    const char *reason = papi ? papi->unavailable ? papi->unavailable() : NULL
                              : "not part of this build";
    struct rc_error err = {.text = ""};
    struct rc_source_state *state = NULL;
    struct rc_source_setup setup = {.seed = 1};
    char why[256] = "this build's papi source does not say";

    if (l->machine)
        setup.cpu = rc_machine_cpus(l->machine, &setup.cpu_count);
    if (!reason && papi->open(&setup, &state, &err) != RC_OK)
        reason = err.text;
    if (reason) {
        rc_finding_add(l->findings, "papi", RC_LEVEL_PROBLEM,
                       "install PAPI for this kernel and processor",
                       "PAPI cannot be used: %s", reason);
        return;
    }
    papi->identify(state, counter_set, room);
    rc_finding_add(l->findings, "papi", RC_LEVEL_OK, NULL, "%s", counter_set);
    if (papi->components)
        papi->components(state, note_component, l);
    if (papi->hardware && papi->hardware(state, why, sizeof why))
        rc_finding_add(l->findings, "pmu", RC_LEVEL_OK, NULL, "hardware counts: %s",
                       why);
    else
        rc_finding_add(l->findings, "pmu", RC_LEVEL_WARNING,
                       "the 'soft' and 'model' sources work without hardware counters",
                       "%s", why);
    papi->close(state);
}

/* Checks the counters outside the cores: the kernel lists them with a cpumask. */
static void check_uncore(struct node_checks *l)
{
    static const char root[] = "/sys/bus/event_source/devices";
    DIR *directory = opendir(root);
    char path[512];
    size_t units = 0;

    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        snprintf(path, sizeof path, "%s/%.255s/cpumask", root, entry->d_name);
        units += access(path, R_OK) == 0;
    }
    if (directory)
        closedir(directory);
    if (units == 0)
        rc_finding_add(l->findings, "uncore", RC_LEVEL_NOTE, NULL,
                       "the kernel offers no counters outside the cores");
    else if (l->paranoid > 0 && !l->can_perfmon)
        rc_finding_add(
            l->findings, "uncore", RC_LEVEL_WARNING,
            "sysctl kernel.perf_event_paranoid=0, CAP_PERFMON, or PAPI's pcp "
            "component",
            "%zu units outside the cores, but no permission to read them", units);
    else
        rc_finding_add(l->findings, "uncore", RC_LEVEL_OK, NULL,
                       "%zu units outside the cores can be read", units);
}

/* Checks sources that need no counter of a core: whether they open, and what they have
 * or cost.
 */
static void check_files_and_daemon(struct node_checks *l)
{
    static const char *const names[] = {"sysfs", "pcp", "nvml", "time"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct rc_source *source = rc_source_find(names[i]);
        const struct rc_source_setup setup = {.seed = 1};
        struct rc_source_state *state = NULL;
        struct rc_error err = {.text = "not part of this build: libpcp was not found"};
        char has[400] = "";
        if (!source || source->open(&setup, &state, &err) != RC_OK) {
            rc_finding_add(l->findings, names[i], RC_LEVEL_NOTE, NULL, "%s", err.text);
            continue;
        }
        if (source->costs)
            source->costs(state, has, sizeof has);
        else
            source->identify(state, has, sizeof has);
        rc_finding_add(l->findings, names[i], RC_LEVEL_OK, NULL, "%s", has);
        source->close(state);
    }
}

/* Binds to each allowed core in turn, checks where it runs, and restores the affinity;
 * without a known affinity it does not bind.
 */
static void check_binding(struct node_checks *l)
{
    struct rc_error err = {.text = ""};
    cpu_set_t before;
    size_t cpus, tried = 0;
    const struct rc_cpu *cpu = rc_machine_cpus(l->machine, &cpus);
    bool saved = sched_getaffinity(0, sizeof before, &before) == 0;

    if (!saved)
        rc_fail_errno(&err, "cannot ask for the affinity of this process");
    for (size_t i = 0; i < cpus && !err.text[0]; i++) {
        if (!cpu[i].first_of_core)
            continue;
        tried++;
        if (rc_machine_bind(l->machine, i, &err) == RC_OK &&
            (uint32_t)sched_getcpu() != cpu[i].os_index)
            rc_fail(&err, RC_EIO, "bound to processing unit %" PRIu32 ", but on %d",
                    cpu[i].os_index, sched_getcpu());
    }
    if (saved)
        sched_setaffinity(0, sizeof before, &before);
    if (err.text[0])
        rc_finding_add(l->findings, "binding", RC_LEVEL_PROBLEM,
                       "let the batch system give whole cores, without a fake topology",
                       "%s", err.text);
    else
        rc_finding_add(l->findings, "binding", RC_LEVEL_OK, NULL,
                       "bound to each of %zu allowed core%s in turn, and ran there",
                       tried, rc_text_s(tried));
}

/* Warns if less than 1 GiB is free. */
static void check_disk(struct node_checks *l)
{
    struct statvfs fs;
    char size[RC_TEXT_SHORT];

    if (statvfs(l->directory, &fs) != 0 || access(l->directory, W_OK | X_OK) != 0) {
        rc_finding_add(l->findings, "disk", RC_LEVEL_PROBLEM,
                       "name a directory that can be written with -o",
                       "results cannot go to '%s': %s", l->directory, strerror(errno));
        return;
    }
    uint64_t bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
    bool small = bytes < (UINT64_C(1) << 30);
    rc_finding_add(l->findings, "disk", small ? RC_LEVEL_WARNING : RC_LEVEL_OK,
                   small ? "make room, or name another directory with -o" : NULL,
                   "%s free where results go ('%s')", rc_text_put_size(size, bytes),
                   l->directory);
}

/* Asks a scheduler for the resources to run jobs on: its commands may be installed
 * without a running server.
 */
static void ask_scheduler(struct node_checks *l, const struct rc_scheduler *scheduler)
{
    const char *program = scheduler->ask[0];
    struct rc_error why = {.rank = -1};
    struct rc_child child = {0};
    /* The words are not changed: their type is execvp()'s. */
    int status = rc_child_run((char *const *)scheduler->ask, NULL, NULL, ASK_SECONDS,
                              &child, &why);

    if (status == RC_OK && child.exited != 0)
        status = rc_child_failed(&child, program, &why);
    if (status == RC_EMISSING)
        rc_finding_add(l->findings, "scheduler", RC_LEVEL_NOTE, NULL,
                       "%s: its commands are on the PATH, but not '%s', which would "
                       "say whether it answers",
                       scheduler->summary, program);
    else if (status != RC_OK)
        rc_finding_add(l->findings, "scheduler", RC_LEVEL_WARNING,
                       "ask who runs it; 'rollcall submit --scheduler local' runs jobs "
                       "on this machine without it",
                       "%s does not answer: %.250s", scheduler->summary, why.text);
    else if (child.output[strspn(child.output, " \n")] == 0)
        rc_finding_add(l->findings, "scheduler", RC_LEVEL_WARNING, "ask who runs it",
                       "%s answers, and '%s' names nothing to run "
                       "jobs on",
                       scheduler->summary, program);
    else
        rc_finding_add(l->findings, "scheduler", RC_LEVEL_OK, NULL,
                       "%s answers: %s has '%.*s'", scheduler->summary, program,
                       (int)strcspn(child.output, "\n"), child.output);
    rc_child_fini(&child);
}

/* Looks for a scheduler, which is needed only to submit jobs. */
static void check_scheduler(struct node_checks *l)
{
    const struct rc_scheduler *found = rc_scheduler_detect();

    if (found->ask)
        ask_scheduler(l, found);
    else
        rc_finding_add(l->findings, "scheduler", RC_LEVEL_NOTE,
                       "'rollcall submit' runs jobs on this machine, in the background",
                       "no batch system's commands were found");
}

void rc_checks_of_node(struct rc_findings *findings, const struct rc_machine *machine,
                       const char *why, bool launched, const char *directory,
                       char *counter_set, size_t room)
{
    struct node_checks l = {.findings = findings,
                            .machine = machine,
                            .launched = launched,
                            .directory = directory};

    counter_set[0] = 0;
    if (machine)
        check_machine(&l);
    else
        rc_finding_add(findings, "machine", RC_LEVEL_PROBLEM, NULL, "%s", why);
    check_governor(&l);
    check_virtual(&l);
    check_rights(&l);
    check_watchdog(&l);
    check_papi(&l, counter_set, room);
    check_uncore(&l);
    check_files_and_daemon(&l);
    const struct rc_source *soft = rc_source_find("soft");
    const char *reason = soft ? soft->unavailable ? soft->unavailable() : NULL
                              : "not part of this build (x86-64 with Zydis only)";
    if (reason)
        rc_finding_add(l.findings, "soft", RC_LEVEL_NOTE, NULL,
                       "no instruction-exact source: %s", reason);
    else
        rc_finding_add(l.findings, "soft", RC_LEVEL_OK, NULL,
                       "the instruction-exact source works");
    if (machine)
        check_binding(&l);
    check_disk(&l);
    check_scheduler(&l);
}
