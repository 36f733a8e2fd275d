/* groups.h - events packed into groups that the hardware counts at once
 *
 * Nothing is known of the counters but what trials answer.  A group holds
 * events of one scope and one domain only, and every group that is handed out
 * was tried as a whole.  How, and what is promised: docs/groups.md.
 */
#ifndef RC_CAMPAIGN_GROUPING_GROUPS_H
#define RC_CAMPAIGN_GROUPING_GROUPS_H

#include "campaign/grouping/grouping.h"
#include "campaign/sources/source.h"

/* One event to be placed. */
struct rc_group_event {
    uint32_t event; /* the source's number, each at most once */
    uint32_t domain;
    uint32_t alike; /* as in struct rc_event_info; 0: nothing is known */
    enum rc_scope scope;
};

struct rc_groups_setup {
    rc_grouping_fits fits; /* must be given */
    void *context;         /* handed to fits() */
    size_t cap;            /* most events in a group, 0: no limit */
    uint64_t trials; /* spent on packing at most, see rc_grouping_setup; 0: chosen */
    bool any_number; /* expect that everything fits: try that first */

    /* An event that costs next to nothing and is added to every group of its
     * scope and domain that still takes it; NULL: none.  No group is made
     * smaller for it.
     */
    const struct rc_group_event *reference;
};

/* A plain record, for everybody to print. */
struct rc_group {
    size_t index; /* in the list of groups */
    enum rc_scope scope;
    uint32_t domain;
    const uint32_t *events; /* what is to count together: first the group's own,
                             * in the order of the input, then the reference */
    size_t count;           /* all of them */
    size_t own;             /* without a reference that was added */
    bool reference;         /* the reference counts in it, added or its own */
};

/* An event that counts in no group, not even alone, and why. */
struct rc_group_unfit {
    uint32_t event;
    enum rc_verdict verdict;
    const char *reason;
};

struct rc_groups_statistics {
    uint64_t trials;       /* calls of fits() */
    uint64_t repaired;     /* groups that failed their last trial and were split */
    uint64_t wall_ns;      /* the one value that differs from run to run */
    size_t with_reference; /* groups in which the reference counts */
    size_t largest;        /* most own events in a group */
};

struct rc_groups {
    struct rc_group *group; /* by scope, domain, and their first event in the input */
    size_t count;
    struct rc_group_unfit *unfit; /* in the order of the input */
    size_t unfit_count;
    struct rc_groups_statistics statistics;

    uint32_t *members; /* what the groups' 'events' point into */
    struct rc_pool *reasons;
};

/* Places every event: it is in exactly one group or in the list of unfit ones.
 * Equal input and equal answers of fits() give equal groups.  An event that is
 * given twice, and a scope that does not exist, are RC_EUSAGE.  On success
 * release *out with rc_groups_fini(); on failure it is empty.
 */
int rc_groups_find(const struct rc_group_event *events, size_t count,
                   const struct rc_groups_setup *setup, struct rc_groups *out,
                   struct rc_error *err);

/* As rc_groups_find(), by trials of an open source whose events have been
 * enumerated.  'setup' gives cap, trials and reference; fits, context and
 * any_number are the source's and are ignored.
 */
int rc_groups_of_source(const struct rc_source *source, struct rc_source_state *state,
                        const struct rc_group_event *events, size_t count,
                        const struct rc_groups_setup *setup, struct rc_groups *out,
                        struct rc_error *err);

void rc_groups_fini(struct rc_groups *groups); /* accepts an empty one */

#endif
