/* topology_parts.h - the machine of a kind: inside of topology*.c only */
#ifndef RC_IO_REPORT_TOPOLOGY_PARTS_H
#define RC_IO_REPORT_TOPOLOGY_PARTS_H

#include "io/report/parts.h"

/* The levels of a shape, the outermost first. */
enum {
    RC_LEVEL_PACKAGE,
    RC_LEVEL_DIE,
    RC_LEVEL_NUMA,
    RC_LEVEL_L3,
    RC_LEVEL_L2,
    RC_LEVEL_CORE,
    RC_LEVEL_PU,
    RC_LEVELS
};

struct rc_shape {
    uint64_t count[RC_LEVELS]; /* 0: the shape does not say */
    bool odd;                  /* something in it was not understood */
};

/* What one core of one node measured. */
struct rc_used {
    uint32_t node, core;
    uint64_t units, wall_ns;
};

/* A box that holds others, or a core: all of a level are alike. */
struct rc_topology_box {
    char name[96];        /* "package, NUMA domain" */
    size_t each;          /* how many of the next level it holds */
    size_t columns;       /* in which they stand */
    double width, height; /* in pixels, later */
};

struct rc_topology {
    struct rc_shape shape;
    size_t cores;
    bool cores_said;                           /* by the shape, not by what was used */
    struct rc_topology_box box[RC_LEVELS + 1]; /* [0] is the node */
    size_t depth;                              /* of the core, the last one */
    bool drawn[RC_LEVELS];
    struct rc_used *used; /* by node and core */
    size_t used_count, room;
    uint64_t units, elsewhere; /* of this kind; at no core of the machine */
};

/* topology_draw.c: adds a figure, so many pixels wide at most, to the page's batch;
 * 'units' is what each core measured.
 */
int rc_topology_draw(struct rc_report_page *page, struct rc_topology *topology,
                     const uint64_t *units, const char *title, double width,
                     struct rc_error *err);

#endif
