/* groups.h - events packed into groups that the hardware counts at once
 *
 * Only trials say what the counters can do.  A group has events of one scope and one
 * domain only, and every group in the result was tried as a whole. docs/groups.md has
 * the method and its promises.
 */
#ifndef RC_CAMPAIGN_GROUPING_GROUPS_H
#define RC_CAMPAIGN_GROUPING_GROUPS_H

#include "campaign/grouping/grouping.h"
#include "campaign/sources/source.h"

/* One event to be placed. */
struct rc_group_event {
    uint32_t event; /* the source's number; all differ */
    uint32_t domain;
    uint32_t alike; /* as in struct rc_event_info; 0: not known */
    enum rc_scope scope;
};

struct rc_groups_setup {
    rc_grouping_fits fits; /* must be given */
    void *context;         /* handed to fits() */
    size_t cap;            /* most events in a group, 0: no limit */
    uint64_t trials;       /* limit for packing, see rc_grouping_setup; 0: chosen */
    bool any_number; /* try all events together first: the source counts any number */

    /* A cheap event that is added to every group of its scope and domain that still
     * takes it; NULL: none.  No group is made smaller for it.
     */
    const struct rc_group_event *reference;
};

/* One group of the result. */
struct rc_group {
    size_t index; /* in the list of groups */
    enum rc_scope scope;
    uint32_t domain;
    const uint32_t *events; /* that count together: own ones first, in input order */
    size_t count;           /* with a reference that was added */
    size_t own;             /* without a reference that was added */
    bool reference;         /* the reference counts in it, added or its own */
};

/* An event that counts in no group, not even alone, with the reason. */
struct rc_group_unfit {
    uint32_t event;
    enum rc_verdict verdict;
    const char *reason;
};

struct rc_groups_statistics {
    uint64_t trials;       /* calls of fits() */
    uint64_t repaired;     /* groups that failed their last trial and were split */
    uint64_t wall_ns;      /* the only value that differs from run to run */
    size_t with_reference; /* groups in which the reference counts */
    size_t largest;        /* most own events in a group */
};

struct rc_groups {
    struct rc_group *group; /* by scope, domain, and their first event in the input */
    size_t count;
    struct rc_group_unfit *unfit; /* in the order of the input */
    size_t unfit_count;
    struct rc_groups_statistics statistics;

    uint32_t *members; /* storage of the groups' 'events' */
    struct rc_pool *reasons;
};

/* Places every event: it is in exactly one group or in the list of unfit ones.  Equal
 * input and equal answers of fits() give equal groups.  RC_EUSAGE: an event is given
 * twice, or a scope does not exist.  On success release *out with rc_groups_fini(); on
 * failure it is empty.
 */
int rc_groups_find(const struct rc_group_event *events, size_t count,
                   const struct rc_groups_setup *setup, struct rc_groups *out,
                   struct rc_error *err);

/* As rc_groups_find(), by trials of an open source whose events were enumerated.
 * Members fits, context and any_number of 'setup' are ignored: they are the source's.
 */
int rc_groups_of_source(const struct rc_source *source, struct rc_source_state *state,
                        const struct rc_group_event *events, size_t count,
                        const struct rc_groups_setup *setup, struct rc_groups *out,
                        struct rc_error *err);

void rc_groups_fini(struct rc_groups *groups); /* accepts an empty one */

#endif
