/* hierarchy.h - metrics as trees whose children add up to their parent
 *
 * Files say what a node is made of: others, an event, a metric that the solve found.
 * They are read into definitions; rc_hierarchy_fill() finds, for one kind of machine,
 * what of them can be had and how, and rc_hierarchy_value() computes it from counts.
 * docs/hierarchy.md is the manual for users.  Nothing here knows ranks.
 */
#ifndef RC_SOLVE_HIERARCHY_HIERARCHY_H
#define RC_SOLVE_HIERARCHY_HIERARCHY_H

#include "campaign/base/arena.h"
#include "campaign/base/error.h"
#include "solve/definitions/formula.h"
#include "solve/result.h"

#include <stdbool.h>
#include <stddef.h>

#define RC_HIERARCHY_NONE SIZE_MAX

/* What files may say at most: they may come from strangers. */
enum {
    RC_HIERARCHY_NODES_MAX = 4096,
    RC_HIERARCHY_DEPTH_MAX = 64,
    RC_HIERARCHY_OPERANDS_MAX = 256, /* of a node */
    RC_HIERARCHY_TERMS_MAX = 1000000 /* events of all nodes */
};

/* --- Definitions: what the files say, of all kinds of machines --- */

struct rc_hierarchies; /* opaque */

/* rollcall's own files.  On success the caller owns *out. */
int rc_hierarchies_create(struct rc_hierarchies **out, struct rc_error *err);
int rc_hierarchies_create_empty(struct rc_hierarchies **out, struct rc_error *err);
void rc_hierarchies_close(struct rc_hierarchies *all); /* accepts NULL */

/* Adds a file, of rollcall's own form or a METRICS.SPEC, which is told by its text.  A
 * node without 'kind' takes the place of one of that name in an earlier file.
 * RC_EUSAGE: "FILE:LINE: what is wrong, what was expected"; 'all' is of no use then.
 */
int rc_hierarchies_add_file(struct rc_hierarchies *all, const char *path,
                            struct rc_error *err);
int rc_hierarchies_add_text(struct rc_hierarchies *all, const char *name,
                            const char *text, size_t bytes, struct rc_error *err);

/* Adds laws of metrics: parts are no more than their whole (docs/metrics.md), as nodes
 * that have a 'law'.  rollcall's own, or text of that form; failures as above.
 */
int rc_hierarchies_add_laws(struct rc_hierarchies *all, struct rc_error *err);
int rc_hierarchies_add_laws_text(struct rc_hierarchies *all, const char *name,
                                 const char *text, size_t bytes, struct rc_error *err);

/* Whether the text is a METRICS.SPEC: its first statement is one of the four. */
bool rc_hierarchy_is_spec(const char *text, size_t bytes);

/* A METRICS.SPEC as a file of rollcall's own form; free() *out.  'hierarchy' is the
 * name that the trees get.
 */
int rc_hierarchy_convert(const char *name, const char *text, size_t bytes,
                         const char *hierarchy, char **out, size_t *out_bytes,
                         struct rc_error *err);

/* The names of events that nodes may be made of, without those that are patterns: the
 * number of them, and the first 'room', borrowed.  A name may come twice, and in files
 * where all names that are no node are events, those of nodes come, too.
 */
size_t rc_hierarchies_events(struct rc_hierarchies *all, const char **name,
                             size_t room);

/* The counters of a group that a METRICS.SPEC names: the number of them, and the first
 * 'room' of their names, borrowed.  0: there is no such group.
 */
size_t rc_hierarchies_group(const struct rc_hierarchies *all, const char *name,
                            const char **counter, size_t room);

/* --- A machine, and the trees that are filled on it --- */

struct rc_hierarchy_event {
    const char *name;
    const char *reason; /* why it is not counted, or "" */
    bool counted;       /* by some pass, or it can be */
    bool simulated;
};

/* All is borrowed and must outlive what is filled with it. */
struct rc_hierarchy_machine {
    const char *kind;  /* its name, which the files' 'kind' are globs for */
    const char *shape; /* topology as text: "package:1 l3:1 ..."; "": not known */
    const struct rc_hierarchy_event *event;
    size_t event_count;
    const struct rc_suite_result *const *suite; /* what was solved */
    size_t suite_count;
    bool insist; /* a computation is done without the operands that lack */
};

enum rc_hierarchy_status {
    RC_HIERARCHY_VOID,       /* nothing is there */
    RC_HIERARCHY_INCOMPLETE, /* some operands lack: the value is the sum of the others
                              */
    RC_HIERARCHY_COMPUTED,   /* a difference or formula */
    RC_HIERARCHY_COMPOSED,   /* a sum of others */
    RC_HIERARCHY_MEASURED,   /* an event of its own */
    RC_HIERARCHY_STATUS_COUNT
};

/* "void", "incomplete", ... by number, ended by NULL. */
extern const char *const rc_hierarchy_status_names[];

/* Part of a value: counts of the event times the coefficient, which is known to lie
 * between 'low' and 'high'; 'off' is how far it may be from these besides, as far as
 * the metric was off where it was tried.
 */
struct rc_hierarchy_term {
    size_t event; /* number in the machine */
    double coefficient, low, high, off;
};

/* A node that another one is made of, and how often it counts. */
struct rc_hierarchy_part {
    size_t node;
    double factor;
};

/* One node.  A counter that is itself a part of a sum is a node as well ('is_event').
 * Values of linear nodes are sums of counts, so that they can be added up over places
 * and call paths; others (ratios, products) are computed from sums.
 */
struct rc_hierarchy_node {
    const char *name, *hierarchy, *unit, *description; /* "" where there is none */
    const char *law;                                   /* "A + B <= C (why)", or NULL */
    const char *where;                                 /* "FILE:LINE" */
    bool is_event;
    size_t parent;                         /* RC_HIERARCHY_NONE: a root */
    size_t depth;                          /* 0: a root */
    const struct rc_hierarchy_part *child; /* of its sum, in the file's order */
    size_t child_count;
    const size_t *also; /* nodes that are shown here, too: another view */
    size_t also_count;

    enum rc_hierarchy_status status;
    bool absent;      /* void since the machine cannot have it: it counts as 0 */
    bool overlaps;    /* parts may add up to more, and none of them is wrong */
    bool approximate; /* within the bounds of its terms only */
    bool simulated;
    bool linear; /* 'term' is the value; else 'formula' or 'part' is */
    const struct rc_metric_result *metric; /* that is the value, or NULL */
    double off;         /* how far the metric was off where it was tried, relative */
    const char *how;    /* what the value is: "event 'X'", "A + B", "metric 'X'" */
    const char *lacks;  /* operands that are not there, "A, B", or "" */
    const char *reason; /* of a void one, or "" */
    const struct rc_hierarchy_term *term;
    size_t term_count;
    const struct rc_hierarchy_part *part; /* what the value is made of */
    size_t part_count;
    const struct rc_formula *formula; /* of the parts, in their order; or NULL */
};

/* "~≈ sim" of what holds for the node's value.  Returns 'out'. */
enum { RC_HIERARCHY_MARKS = 24 };
const char *rc_hierarchy_marks(const struct rc_hierarchy_node *node,
                               char out[RC_HIERARCHY_MARKS]);

/* Trees filled on a machine. */
struct rc_hierarchy {
    struct rc_arena arena;
    const struct rc_hierarchy_machine *machine;
    struct rc_hierarchy_node *node; /* a parent before its children, depth first */
    size_t count;
    size_t *order;  /* all nodes, each behind those that it is made of */
    size_t *orphan; /* numbers of events that are counted and in no tree */
    size_t orphan_count;
    struct rc_formula **formulas; /* that nodes point to */
    size_t formula_count;
};

/* On success free *out with rc_hierarchy_fini().  RC_EUSAGE: "FILE:LINE: ..." of nodes
 * that are not there, are made of themselves, or are too deep.
 */
int rc_hierarchy_fill(const struct rc_hierarchies *all,
                      const struct rc_hierarchy_machine *machine,
                      struct rc_hierarchy *out, struct rc_error *err);
void rc_hierarchy_fini(struct rc_hierarchy *h); /* accepts a zeroed one */

/* The node of that name, or RC_HIERARCHY_NONE. */
size_t rc_hierarchy_find(const struct rc_hierarchy *h, const char *name);

/* chosen[node]: whether it is of a hierarchy, or of a file, or is or is below a node,
 * that one of the words names; NULL: all are.  RC_EUSAGE: a word that names nothing;
 * 'option' is what it was given to.
 */
int rc_hierarchy_choose(const struct rc_hierarchy *h, const char *option,
                        const char *const *words, bool *chosen, struct rc_error *err);

/* The n-th event that counts what 'event' does: each is the same metric by itself, as
 * 'solve' found.  NULL: there are no more.  One may come twice.
 */
const char *rc_hierarchy_alike(const struct rc_hierarchy_machine *machine,
                               const char *event, size_t n);

/* Adds to needed[event of the machine] those that the values of chosen nodes are made
 * of.
 */
int rc_hierarchy_needs(const struct rc_hierarchy *h, const bool *chosen, bool *needed,
                       struct rc_error *err);

/* The numbers of nodes, those for counters left out, by status. */
void rc_hierarchy_tally(const struct rc_hierarchy *h,
                        size_t count[RC_HIERARCHY_STATUS_COUNT]);

/* --- Values --- */

/* Whether the node has a value of its own beside those of its children, so that there
 * is a rest.
 */
bool rc_hierarchy_has_rest(const struct rc_hierarchy *h, size_t node);

/* value[node] from the counts of the machine's events; NAN: not counted there.  A node
 * that is not known is NAN with open bounds.
 */
void rc_hierarchy_value(const struct rc_hierarchy *h, const double *count,
                        struct rc_interval *value);

/* Readings over cells: points of suites, or call paths and places.  Only rows of events
 * that nodes are made of are looked at.
 */
struct rc_hierarchy_cells {
    size_t count;
    const char *const *name;    /* for messages */
    const double *const *value; /* [event][cell], a row may be NULL: not counted */
    const double *const *error; /* standard errors, likewise; NULL: exact */
    const size_t *group; /* suite of each cell, for laws; those of one follow each
                          * other; NULL: all are one */
};

/* A parent that is less than its children: something in it is counted twice. */
struct rc_hierarchy_excess {
    size_t node;
    size_t cell;             /* where it is worst */
    size_t cells;            /* in how many */
    double parent, children; /* their values there */
    double bound;            /* what the difference may be off by */
};

/* Looks at each parent that has a value of its own in each cell where it and all of its
 * children's events were counted.  free() *out.
 */
int rc_hierarchy_check(const struct rc_hierarchy *h,
                       const struct rc_hierarchy_cells *cells,
                       struct rc_hierarchy_excess **out, size_t *count,
                       struct rc_error *err);

#endif
