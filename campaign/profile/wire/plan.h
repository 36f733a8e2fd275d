/* plan.h - which program is to be profiled, and how */
#ifndef RC_CAMPAIGN_PROFILE_WIRE_PLAN_H
#define RC_CAMPAIGN_PROFILE_WIRE_PLAN_H

#include "campaign/spec/patterns.h"
#include "io/journal/journal.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far stacks are followed: KiB of one that the kernel copies at most; calls in
 * these, and by frame pointers, as the kernel is set.
 */
enum {
    RC_PROFILE_STACK_KIB = 63,
    RC_PROFILE_PLACES = 256,
    RC_PROFILE_POINTERS = 127,
};

struct perf_event_attr;
struct rc_profile_plan;
struct rc_source;

/* Parts of a launch that need many libraries, which rollcall-launch does not have;
 * NULL: this one is not here, and what needs it is for rollcall-main.
 */
struct rc_profile_hooks {
    const struct rc_source *(*find_source)(const char *name); /* others than sysfs */
    bool (*native)(const char *name, struct perf_event_attr *attr); /* program.h */
    int (*plan_metrics)(struct rc_profile_plan *plan, struct rc_error *err);
    int (*plan_trees)(struct rc_profile_plan *plan, struct rc_error *err);
    int (*choose_pass)(struct rc_profile_plan *plan, struct rc_error *err);
    int (*spread)(const struct rc_profile_plan *plan, const char *const *name,
                  size_t count, uint32_t *group, struct rc_error *err);
};

/* A profile's program, and how it is to be profiled.  The strings live as long as the
 * process.
 */
struct rc_profile_plan {
    const struct rc_profile_hooks *hooks;
    char dir[PATH_MAX];  /* absolute */
    char here[PATH_MAX]; /* where the program is started */
    uint64_t began_ns;   /* by the raw clock: the launcher */
    char *const *word;   /* the program's command line, ended by NULL */
    size_t word_count;
    struct rc_patterns patterns; /* the default ones, then the user's */
    size_t default_count;        /* of patterns */
    const char *const *source;   /* "sysfs", "pcp:HOST": of series */
    size_t source_count;
    uint64_t period_ns, every; /* of series; of regions */
    uint64_t stacks_hz;        /* samples of stacks a second; 0: none */
    uint64_t stack_bytes;      /* of the stack are copied, so that callers without frame
                                * pointers are found; 0: they are not */
    uint64_t passes;     /* that events of threads are spread over; 0: all at once */
    uint64_t budget_ppm; /* of the program's time, which the profile may take */
    bool fewest;         /* these are as few as count all, not a number of the user's */
    const char *metrics; /* a campaign, whose metrics are to be counted; or NULL */
    const char *const *tree; /* trees whose events are to be counted; or NULL */
    bool trace, no_waiting;
    char node[128];
    struct rc_journal_id id; /* these four by rc_profile_launches_add() */
    uint64_t launch;
    uint64_t pass;   /* of the launch, where there are passes */
    uint32_t writer; /* the number of its sampler in the journal */
};

#endif
