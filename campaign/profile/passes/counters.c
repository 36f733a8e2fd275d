/* Events that threads count for themselves: by name, as perf_event_open(2) wants them.
 *
 * The kernel's own names are in a table; the processor's are native_counters.c's.
 */
#include "campaign/profile/passes/program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

_Static_assert(sizeof(struct perf_event_attr) <= RC_SHARED_ATTR,
               "the shared file has room for an event");

struct generic_event {
    const char *name;
    uint32_t type;
    uint64_t config;
};

/* As libpfm4 and PAPI name them, after "perf::". */
static const struct generic_event generic[] = {
    {"CPU-CLOCK", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"TASK-CLOCK", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"PAGE-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"CONTEXT-SWITCHES", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"CPU-MIGRATIONS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"MINOR-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"MAJOR-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"ALIGNMENT-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"EMULATION-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"CYCLES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"CPU-CYCLES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"INSTRUCTIONS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"CACHE-REFERENCES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"CACHE-MISSES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"BRANCHES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"BRANCH-INSTRUCTIONS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"BRANCH-MISSES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"BUS-CYCLES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"REF-CYCLES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"STALLED-CYCLES-FRONTEND", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"STALLED-CYCLES-BACKEND", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
};

/* "perf::NAME" in any case, with ":u" after it where only the program itself counts,
 * without the kernel's work for it.
 */
static bool find_generic(const char *name, struct perf_event_attr *attr)
{
    static const char prefix[] = "perf::";
    const bool prefixed = strncasecmp(name, prefix, strlen(prefix)) == 0;
    const char *own = prefixed ? name + strlen(prefix) : name;
    const size_t bytes = strcspn(own, ":");

    if (own[bytes] && strcmp(own + bytes, ":u") != 0)
        return false;
    for (size_t i = 0; i < sizeof generic / sizeof generic[0]; i++) {
        if (strlen(generic[i].name) != bytes ||
            strncasecmp(generic[i].name, own, bytes) != 0)
            continue;
        attr->type = generic[i].type;
        attr->config = generic[i].config;
        attr->exclude_kernel = own[bytes] != 0;
        return true;
    }
    return false;
}

static int open_counter(struct perf_event_attr *attr, int leader)
{
    attr->disabled = leader < 0;
    return rc_perf_open(attr, 0, -1, leader);
}

/* Opens the event beside those before it, in one group as threads do.  Where the
 * kernel's work may not be counted, the program's own is.
 */
static int try_counter(const struct rc_shared_event *before, size_t count,
                       struct perf_event_attr *attr)
{
    int fd[RC_SHARED_COUNTERS + 1], opened = 0, failed = 0;
    struct perf_event_attr other;

    for (; opened < (int)count && !failed; opened += !failed) {
        memcpy(&other, before[opened].attr, sizeof other);
        fd[opened] = open_counter(&other, opened ? fd[0] : -1);
        failed = fd[opened] < 0 ? errno : 0;
    }
    if (!failed) {
        fd[opened] = open_counter(attr, opened ? fd[0] : -1);
        if (fd[opened] < 0 && (errno == EACCES || errno == EPERM) &&
            !attr->exclude_kernel) {
            attr->exclude_kernel = attr->exclude_hv = 1;
            fd[opened] = open_counter(attr, opened ? fd[0] : -1);
        }
        failed = fd[opened] < 0 ? errno : 0;
    }
    for (int i = 0; i <= opened; i++)
        if (fd[i] >= 0)
            close(fd[i]);
    return failed;
}

bool rc_profile_counter_is_generic(const char *name)
{
    struct perf_event_attr ignored;

    return find_generic(name, &ignored);
}

int rc_profile_counter_find_by(bool (*native)(const char *, struct perf_event_attr *),
                               const char *name, const struct rc_shared_event *before,
                               size_t count, struct rc_shared_event *out,
                               struct rc_error *err)
{
    struct perf_event_attr attr = {.size = sizeof attr};

    if (!find_generic(name, &attr) && !(native && native(name, &attr)))
        return rc_fail(err, RC_EMISSING,
                       "-e '%.200s': neither an event of the node or a part of it (see "
                       "'rollcall events --source sysfs') nor one that threads count, "
                       "such as perf::PAGE-FAULTS",
                       name);
    if (count >= RC_SHARED_COUNTERS)
        return rc_fail(err, RC_EUSAGE, "-e '%.200s': threads count at most %d events",
                       name, RC_SHARED_COUNTERS);
    const bool whole = !attr.exclude_kernel;
    if ((errno = try_counter(before, count, &attr)) != 0)
        return rc_fail(
            err, errno == EACCES || errno == EPERM ? RC_EPERM : RC_EUNSUPPORTED,
            "-e '%.200s': threads cannot count it here: %s%s", name, strerror(errno),
            errno == ENOENT || errno == EOPNOTSUPP
                ? " (the processor shows no counters)"
                : "");
    *out = (struct rc_shared_event){.attr_bytes = sizeof attr};
    snprintf(out->name, sizeof out->name, "%.240s%s", name,
             whole && attr.exclude_kernel ? ":u" : "");
    attr.disabled = 1;
    memcpy(out->attr, &attr, sizeof attr);
    return RC_OK;
}
