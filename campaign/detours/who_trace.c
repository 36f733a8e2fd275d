/* The kernel's tracepoints of one core by perf_event_open(2), with a ring that is read
 * when all is over.
 */
#include "campaign/detours/who_parts.h"

#include "campaign/base/files/file.h"
#include "campaign/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#ifndef PERF_FORMAT_LOST /* since Linux 6.0 */
#define PERF_FORMAT_LOST (1U << 4)
#endif

/* Where the kernel shows its tracepoints. */
static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
                                     NULL};

/* Tracepoints to listen to: the first is needed, the others are optional. */
static const struct wanted {
    const char *event; /* folder and name */
    enum rc_trace_kind kind;
    const char *what;
    const char *number, *text; /* fields */
} wanted[] = {
    {"sched/sched_switch", RC_TRACE_SWITCH, "thread", "next_pid", "next_comm"},
    {"irq/irq_handler_entry", RC_TRACE_ENTER, "irq", "irq", "name"},
    {"irq/irq_handler_exit", RC_TRACE_LEAVE, "irq", "irq", NULL},
    {"irq/softirq_entry", RC_TRACE_ENTER, "softirq", "vec", NULL},
    {"irq/softirq_exit", RC_TRACE_LEAVE, "softirq", "vec", NULL},
    {"nmi/nmi_handler", RC_TRACE_NMI, "nmi", "delta_ns", NULL},
#define VECTOR(name, words)                                                            \
    {"irq_vectors/" name "_entry", RC_TRACE_ENTER, words " interrupt", NULL, NULL},    \
    {                                                                                  \
        "irq_vectors/" name "_exit", RC_TRACE_LEAVE, words " interrupt", NULL, NULL    \
    }
    VECTOR("local_timer", "local timer"),
    VECTOR("reschedule", "reschedule"),
    VECTOR("call_function", "call function"),
    VECTOR("call_function_single", "call function single"),
    VECTOR("irq_work", "irq work"),
    VECTOR("x86_platform_ipi", "platform"),
    VECTOR("thermal_apic", "thermal"),
    VECTOR("threshold_apic", "threshold"),
    VECTOR("deferred_error_apic", "deferred error"),
    VECTOR("error_apic", "error"),
    VECTOR("spurious_apic", "spurious"),
#undef VECTOR
};
enum { WANTED = sizeof wanted / sizeof *wanted };
_Static_assert(WANTED <= (int)RC_TRACE_POINTS_MOST, "all find room");

/* Bytes of the ring by time, within limits: a quiet core needs a tenth, one that many
 * threads share more.  Where memory may not be locked it gets less.
 */
enum {
    RING_PER_S = 1 << 20,
    RING_FIRST = 4 << 20,
    RING_MOST = 32 << 20,
    RING_LEAST = 64 << 10
};

/* The offset of a field in an event's data, by the lines of its format such as
 * "field:int irq;\toffset:8;\tsize:4;\tsigned:1;"; 0: it has no such field.
 */
static uint32_t field_offset(const char *format, const char *field)
{
    const size_t length = field ? strlen(field) : 0;

    for (const char *at = format; field && (at = strstr(at, field)); at += length) {
        const char *end = at + length;
        const char *offset = strstr(end, "offset:");
        if (at == format || at[-1] != ' ' || (*end != ';' && *end != '[') || !offset)
            continue;
        const unsigned long number = strtoul(offset + strlen("offset:"), NULL, 10);
        return number < RC_TRACE_DATA - 16 ? (uint32_t)number : 0;
    }
    return 0;
}

/* Reads what the kernel says of an event.  RC_EMISSING: it does not have it. */
static int read_format(const char *tracefs, const struct wanted *want,
                       struct rc_trace_point *point, struct rc_error *err)
{
    char path[256], *format = NULL;
    size_t bytes = 0;

    snprintf(path, sizeof path, "%s/events/%s/format", tracefs, want->event);
    const int status = rc_file_read(path, RC_FILE_GIVEN, 1 << 16, &format, &bytes, err);
    if (status != RC_OK)
        return status;
    const char *id = strstr(format, "ID:");
    *point = (struct rc_trace_point){
        .fd = -1,
        .id = (uint16_t)(id ? strtoul(id + 3, NULL, 10) : 0),
        .kind = want->kind,
        .what = want->what,
        .number = field_offset(format, want->number),
        .text = field_offset(format, want->text),
    };
    free(format);
    if (point->id == 0 || (want->number && !point->number))
        return rc_fail(err, RC_EUNSUPPORTED, "%s: not the format that was expected",
                       path);
    return RC_OK;
}

/* *place becomes the one of those given that has tracepoints. */
static int find_tracefs(const char *given, const char **place, struct rc_error *err)
{
    char path[256];

    for (size_t i = 0; places[i]; i++) {
        *place = given ? given : places[i];
        snprintf(path, sizeof path, "%s/events/%s/format", *place, wanted[0].event);
        if (access(path, R_OK) == 0)
            return RC_OK;
        if (errno == EACCES)
            return rc_fail(err, RC_EPERM, "no permission to read %s", path);
    }
    *place = given ? given : places[0];
    return rc_fail(err, RC_EMISSING,
                   "tracefs is not mounted; as root: mount -t tracefs tracefs %s",
                   *place);
}

static int open_point(struct rc_trace_point *point, uint32_t core)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT,
        .size = sizeof attr,
        .config = point->id,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
        .read_format = PERF_FORMAT_LOST,
        .disabled = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC_RAW,
    };

    point->fd = rc_perf_open(&attr, -1, (int)core, -1);
    if (point->fd < 0 && errno == EINVAL) {
        attr.read_format = 0;
        point->fd = rc_perf_open(&attr, -1, (int)core, -1);
    }
    return point->fd < 0 ? -1 : 0;
}

static int fail_open(const char *what, struct rc_error *err)
{
    const int number = errno;
    char paranoid[RC_PERF_PARANOID];

    if (number == EACCES || number == EPERM)
        return rc_fail(err, RC_EPERM,
                       "no permission to trace (%s): it takes root, CAP_PERFMON or a "
                       "perf_event_paranoid of -1, which is %s",
                       what, rc_perf_paranoid(paranoid));
    errno = number;
    return rc_fail_errno(err, "the kernel does not trace: %s", what);
}

/* A ring as large as is wanted, or as the limit of locked memory allows. */
static int map_ring(struct rc_trace *trace, uint64_t duration_ns, struct rc_error *err)
{
    const double wanted_bytes = (double)duration_ns * 1e-9 * RING_PER_S;
    size_t bytes = RING_FIRST;

    while (bytes < RING_MOST && (double)bytes < wanted_bytes)
        bytes *= 2;
    for (; bytes >= RING_LEAST; bytes /= 2)
        if (rc_perf_ring_map(&trace->ring, trace->point[0].fd, bytes) == 0)
            return RC_OK;
    return fail_open("the ring of tracepoints", err);
}

/* Adds an event that writes to the ring of the first.  Not every kernel has all, or
 * lets them be heard; entries whose exits are missing would never end.
 */
static void add_point(struct rc_trace *trace, const struct wanted *want, uint32_t core,
                      const char *tracefs)
{
    struct rc_trace_point *point = &trace->point[trace->count];
    struct rc_trace_point *before = point - 1;

    if (read_format(tracefs, want, point, NULL) == RC_OK &&
        open_point(point, core) == 0) {
        if (ioctl(point->fd, PERF_EVENT_IOC_SET_OUTPUT, trace->point[0].fd) == 0) {
            trace->count++;
            return;
        }
        (void)close(point->fd);
    }
    if (want->kind == RC_TRACE_LEAVE && before->kind == RC_TRACE_ENTER &&
        strcmp(before->what, want->what) == 0) {
        (void)close(before->fd);
        trace->count--;
    }
}

int rc_trace_open(struct rc_trace *trace, uint32_t core, uint64_t duration_ns,
                  const char *tracefs, struct rc_error *err)
{
    *trace = (struct rc_trace){.count = 0};
    int status = find_tracefs(tracefs, &tracefs, err);
    if (status != RC_OK ||
        (status = read_format(tracefs, &wanted[0], &trace->point[0], err)) != RC_OK)
        return status;
    if (open_point(&trace->point[0], core) < 0)
        return fail_open(wanted[0].event, err);
    trace->count = 1;
    status = map_ring(trace, duration_ns, err);
    for (size_t i = 1; i < WANTED && status == RC_OK; i++)
        add_point(trace, &wanted[i], core, tracefs);
    bool timer = false, nmi = false; /* kernels need not have the other vectors */
    for (size_t i = 0; i < trace->count; i++) {
        timer |= strcmp(trace->point[i].what, "local timer interrupt") == 0;
        nmi |= trace->point[i].kind == RC_TRACE_NMI;
    }
    trace->all = timer && nmi;
    return status;
}

void rc_trace_close(struct rc_trace *trace)
{
    rc_perf_ring_unmap(&trace->ring);
    for (size_t i = 0; i < trace->count; i++)
        (void)close(trace->point[i].fd);
    *trace = (struct rc_trace){.count = 0};
}

/* The number of events that the kernel could not write so far; 1 where it does not say
 * how many. */
static uint64_t count_lost(const struct rc_trace *trace)
{
    uint64_t lost = 0;

    for (size_t i = 0; i < trace->count; i++) {
        uint64_t values[2] = {0}; /* how often it happened, and what of that was lost */
        if (read(trace->point[i].fd, values, sizeof values) == (ssize_t)sizeof values)
            lost += values[1];
    }
    return lost;
}

void rc_trace_start(struct rc_trace *trace)
{
    if (!trace->ring.about)
        return;
    rc_perf_ring_free(&trace->ring, rc_perf_ring_end(&trace->ring));
    trace->lost = count_lost(trace);
    for (size_t i = trace->count; i-- > 0;)
        (void)ioctl(trace->point[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

void rc_trace_stop(struct rc_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        (void)ioctl(trace->point[i].fd, PERF_EVENT_IOC_DISABLE, 0);
    trace->lost = count_lost(trace) - trace->lost;
}

static int64_t number_at(const char *data, uint32_t offset, size_t bytes)
{
    int32_t number = 0;
    int64_t wide = 0;

    memcpy(&number, data + offset, sizeof number);
    memcpy(&wide, data + offset, sizeof wide);
    return bytes == sizeof wide ? wide : number;
}

/* A field that is text stands there itself (a thread's name), or the field says where
 * it stands (an interrupt's).  'data' ends with a 0.
 */
static const char *text_at(const char *data, const struct rc_trace_point *point)
{
    if (point->text == 0)
        return "";
    if (point->kind == RC_TRACE_SWITCH)
        return data + point->text;
    const int64_t place = number_at(data, point->text, sizeof(int32_t)) & 0xffff;
    return place < RC_TRACE_DATA ? data + place : "";
}

enum { COMMON_PID = 4 }; /* where all tracepoints have the thread that was running */

/* A sample is the time, the size of the tracepoint's data, and these. */
static bool read_sample(const struct rc_trace *trace,
                        const struct perf_event_header *head,
                        char data[RC_TRACE_DATA + 1], struct rc_trace_event *event)
{
    const size_t before = sizeof event->time_ns + sizeof(uint32_t);
    const size_t bytes = head->size - sizeof *head;
    uint16_t id = 0;

    if (bytes < before)
        return false;
    memcpy(&event->time_ns, head + 1, sizeof event->time_ns);
    memset(data, 0, RC_TRACE_DATA + 1);
    memcpy(data, (const char *)(head + 1) + before,
           bytes - before < RC_TRACE_DATA ? bytes - before : RC_TRACE_DATA);
    memcpy(&id, data, sizeof id);
    for (size_t i = 0; i < trace->count; i++) {
        const struct rc_trace_point *point = &trace->point[i];
        if (point->id != id)
            continue;
        const size_t wide = point->kind == RC_TRACE_NMI ? sizeof(int64_t) : sizeof(int);
        event->point = point;
        event->thread = (int32_t)number_at(data, COMMON_PID, sizeof(int32_t));
        event->number = point->number ? number_at(data, point->number, wide) : 0;
        event->text = text_at(data, point);
        return true;
    }
    return false;
}

int rc_trace_read(struct rc_trace *trace, rc_trace_hear *hear, void *context,
                  struct rc_error *err)
{
    const struct perf_event_header *head;
    uint64_t record[RC_PERF_RECORD_MOST / 8];
    char data[RC_TRACE_DATA + 1];
    int status = RC_OK;

    if (!trace->ring.about)
        return RC_OK;
    const uint64_t end = rc_perf_ring_end(&trace->ring);
    uint64_t at = trace->ring.about->data_tail;
    /* Older kernels do not count what is lost: a ring without room has lost something.
     */
    if (trace->lost == 0 && end - at + RC_TRACE_DATA > trace->ring.bytes)
        trace->lost = 1;
    while (status == RC_OK &&
           (head = rc_perf_ring_next(&trace->ring, end, &at, record))) {
        struct rc_trace_event event = {.point = NULL};
        if (head->type == PERF_RECORD_LOST || head->type == PERF_RECORD_THROTTLE)
            trace->lost += trace->lost == 0;
        else if (head->type == PERF_RECORD_SAMPLE &&
                 read_sample(trace, head, data, &event))
            status = hear(context, &event, err);
    }
    rc_perf_ring_free(&trace->ring, end);
    return status;
}
