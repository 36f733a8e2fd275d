/* work.h - trees on their way from files to a machine: only for this folder
 *
 * Items that hold for a kind are put together node by node (link.c), then each node
 * gets its status and value after its parts (fill.c), and at last all are laid out
 * depth first (layout.c).
 */
#ifndef RC_SOLVE_HIERARCHY_WORK_H
#define RC_SOLVE_HIERARCHY_WORK_H

#include "campaign/base/map.h"
#include "solve/hierarchy/parts.h"

/* The meaning of a name in a sum, difference or formula. */
struct rc_hierarchy_link {
    size_t node;  /* or RC_HIERARCHY_NONE: an event */
    size_t event; /* of the machine, or RC_HIERARCHY_NONE: it has none of that name */
    double factor;
    const char *name;
};

struct rc_hierarchy_links {
    struct rc_hierarchy_link *link;
    size_t count;
};

struct rc_hierarchy_work {
    struct rc_hierarchy_item item; /* the definitions of all files together */
    struct rc_hierarchy_links sum, difference, inputs;
    struct rc_expression *formula;
    struct rc_hierarchy_node node; /* has numbers of 'work' until the layout */
};

struct rc_hierarchy_filler {
    const struct rc_hierarchies *all;
    const struct rc_hierarchy_machine *machine;
    struct rc_arena *arena; /* of the result */
    struct rc_arena own;    /* freed once the result is there */
    struct rc_error *err;
    struct rc_hierarchy_work *work; /* named nodes, then nodes for counters */
    size_t count, room, named;
    struct rc_map nodes, events, ends, declared; /* by name; 'ends': after "::" */
    size_t *order;                               /* of the named ones */
    bool *used;                                  /* [event] it is in some definition */
    size_t terms;                                /* of all nodes */

    double *coefficient, *low, *high, *off; /* [event] of the sum in progress */
    bool *touched;
    size_t *touch; /* the events of that sum */
    size_t touch_count;
};

/* link.c: makes 'work' with its links, and 'order'. */
int rc_hierarchy_link(struct rc_hierarchy_filler *f);

/* The event of that name, or with that name after "::"; RC_HIERARCHY_NONE. */
size_t rc_hierarchy_event(const struct rc_hierarchy_filler *f, const char *name);

/* layout.c: parents, depths, and the result's arrays. */
int rc_hierarchy_layout(struct rc_hierarchy_filler *f, struct rc_hierarchy *out);

#endif
