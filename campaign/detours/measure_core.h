/* measure_core.h - one core measures once: the bare loop, or a kernel as fixed work
 *
 * Inside of campaign/noise/measure*.c.  Nothing here is collective.
 */
#ifndef RC_CAMPAIGN_DETOURS_MEASURE_CORE_H
#define RC_CAMPAIGN_DETOURS_MEASURE_CORE_H

#include "campaign/records/detours.h"
#include "kernels/detour.h"
#include "kernels/kernel.h"

/* A kernel that runs as fixed work; zeroed: there is none. */
struct rc_noise_work {
    const struct rc_suite *suite;
    struct rc_point point;
    struct rc_kernel *kernel;
    uint64_t iterations; /* of a quantum */
};

/* A core and what it measures with. */
struct rc_noise_core_setup {
    const char *node;
    uint32_t cpu;         /* the kernel's number */
    size_t sharing;       /* other ranks on the same core */
    uint64_t duration_ns; /* of each measurement */
    bool tracepoints;     /* ask the kernel who made each detour, where it says */
    struct rc_suite_request request;
};

struct rc_noise_core; /* opaque: room for one measurement at a time */

/* 'setup' is copied, its node is borrowed. */
int rc_noise_core_create(const struct rc_noise_core_setup *setup,
                         struct rc_noise_core **out, struct rc_error *err);
void rc_noise_core_close(struct rc_noise_core *core); /* accepts NULL */

/* The suite and the kernel of a word "SUITE" (its first kernel) or "SUITE:POINT".
 * RC_EUSAGE: there is no such one; RC_EUNSUPPORTED: it cannot run here.
 */
int rc_noise_work_find(const char *word, const struct rc_suite_request *request,
                       struct rc_noise_work *out, struct rc_error *err);

/* Makes a kernel that was found ready, with as many iterations as fill a quantum: 20
 * us, or more where the list of quanta would be too short.  rc_noise_work_end() in any
 * case.
 */
int rc_noise_work_begin(const struct rc_noise_core *core, struct rc_noise_work *work,
                        struct rc_error *err);
void rc_noise_work_end(struct rc_noise_work *work); /* accepts a zeroed one */

/* Measures on the core that this thread is bound to.  Where a signal ended that early
 * there is nothing to be recorded.
 */
int rc_noise_core_measure(struct rc_noise_core *core, struct rc_noise_work *work,
                          uint32_t round, bool alone, struct rc_error *err);

/* The record of what was measured last, with differences of the node's clock, which may
 * be measured in between.
 */
int rc_noise_core_record(const struct rc_noise_core *core,
                         const struct rc_clock_offset *clock, size_t clocks,
                         struct rc_bytes *payload, struct rc_error *err);

#endif
