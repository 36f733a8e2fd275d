/* who_parts.h - what the files of who.h share among themselves */
#ifndef RC_CAMPAIGN_DETOURS_WHO_PARTS_H
#define RC_CAMPAIGN_DETOURS_WHO_PARTS_H

#include "campaign/detours/who.h"
#include "campaign/perf/perf.h"

/* The kind of change that a tracepoint reports for the core. */
enum rc_trace_kind {
    RC_TRACE_SWITCH, /* another thread has it */
    RC_TRACE_ENTER,  /* something is in front of what was there */
    RC_TRACE_LEAVE,  /* it is gone */
    RC_TRACE_NMI     /* something was in front for a stated time, and is gone */
};

/* A tracepoint that is heard, and where in its data is what. */
struct rc_trace_point {
    int fd;
    uint16_t id; /* the kernel's number of it, with which its data begin */
    enum rc_trace_kind kind;
    const char *what; /* "softirq": the same for entry and exit */
    uint32_t number;  /* offset of its number (vector, thread, ns); 0: it has none */
    uint32_t text;    /* offset of its name, or of where that is; 0: it has none */
};

enum { RC_TRACE_POINTS_MOST = 32, RC_TRACE_DATA = 512 };

/* The tracepoints of one core and the ring that all of them write to. */
struct rc_trace {
    struct rc_trace_point point[RC_TRACE_POINTS_MOST];
    size_t count;
    struct rc_perf_ring ring;
    uint64_t lost;
    bool all; /* whatever interrupts this core is heard */
};

/* One event of the ring. */
struct rc_trace_event {
    const struct rc_trace_point *point;
    uint64_t time_ns; /* CLOCK_MONOTONIC_RAW */
    int32_t thread;   /* that had the core, as the kernel numbers it */
    int64_t number;   /* 0 where it has none */
    const char *text; /* "" where it has none; lives until the next event */
};

/* RC_EMISSING, RC_EPERM or RC_EUNSUPPORTED with the reason: they cannot be had here.
 * rc_trace_close() in any case.
 */
int rc_trace_open(struct rc_trace *trace, uint32_t core, uint64_t duration_ns,
                  const char *tracefs, struct rc_error *err);
void rc_trace_close(struct rc_trace *trace); /* accepts one that is zeroed */

/* Empties the ring and lets the kernel write; lets it write no more. */
void rc_trace_start(struct rc_trace *trace);
void rc_trace_stop(struct rc_trace *trace);

/* Calls 'hear' for each event of the ring, oldest first, as long as that is RC_OK, and
 * counts those that were lost.
 */
typedef int rc_trace_hear(void *context, const struct rc_trace_event *event,
                          struct rc_error *err);
int rc_trace_read(struct rc_trace *trace, rc_trace_hear *hear, void *context,
                  struct rc_error *err);

#endif
