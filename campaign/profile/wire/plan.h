/* plan.h - which program is to be profiled, and how */
#ifndef RC_CAMPAIGN_PROFILE_WIRE_PLAN_H
#define RC_CAMPAIGN_PROFILE_WIRE_PLAN_H

#include "campaign/profile/wire/parameters.h"
#include "campaign/spec/patterns.h"
#include "io/journal/journal.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far stacks are followed. */
enum {
    RC_PROFILE_STACK_KIB = 63, /* the most of a stack that the kernel copies */
    RC_PROFILE_PLACES = 256,   /* calls that are followed in such a copy */
    RC_PROFILE_POINTERS = 127, /* calls by frame pointers, the kernel's default */
};

struct perf_event_attr;
struct rc_profile_plan;
struct rc_source;

/* Parts of a launch that need many libraries, with which rollcall-launch is not linked.
 * NULL: the part is not here, and launches that need it are left to rollcall-main.
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
    uint64_t began_ns;   /* when the launcher began, by the raw clock */
    char *const *word;   /* the program's command line, ended by NULL */
    size_t word_count;
    struct rc_patterns patterns; /* the default ones, then the user's */
    size_t default_count;        /* of patterns */
    const char *const *source;   /* "sysfs", "pcp:HOST": of series */
    size_t source_count;
    uint64_t period_ns, every; /* of series; one region in 'every' is measured */
    uint64_t stacks_hz;        /* samples of stacks a second; 0: none */
    uint64_t stack_bytes;      /* that are copied of a stack, to find callers without
                                * frame pointers; 0: none */
    uint64_t passes;     /* over which events of threads are spread; 0: all at once */
    uint64_t budget_ppm; /* part of the program's time that the profile may take */
    bool fewest;         /* as few passes as can count all, not the user's number */
    const char *metrics; /* a campaign whose metrics are to be counted, or NULL */
    const char *const *tree; /* trees whose events are to be counted; or NULL */
    char set[RC_PROFILE_SET];
    bool trace, no_waiting;
    char node[128];
    struct rc_journal_id id; /* this and three more: rc_profile_launches_add() */
    uint64_t launch;
    uint64_t pass;   /* of the launch, where there are passes */
    uint32_t writer; /* the number of its sampler in the journal */
};

#endif
