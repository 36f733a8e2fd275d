/* hierarchy.h - metrics as trees whose children add up to their parent
 *
 * Files define a node by others, an event, or a metric that the solve found.  They are
 * read into definitions; rc_hierarchy_fill() finds, for one kind of machine, which
 * nodes it can have and how, and rc_hierarchy_value() computes them from counts.
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

/* Limits of files, which may come from strangers. */
enum {
    RC_HIERARCHY_NODES_MAX = 4096,
    RC_HIERARCHY_DEPTH_MAX = 64,
    RC_HIERARCHY_OPERANDS_MAX = 256, /* in a node */
    RC_HIERARCHY_TERMS_MAX = 1000000 /* events of all nodes */
};

/* --- Definitions: the contents of files, for all kinds of machines --- */

struct rc_hierarchies; /* opaque */

/* rollcall's own files.  On success the caller owns *out. */
int rc_hierarchies_create(struct rc_hierarchies **out, struct rc_error *err);
int rc_hierarchies_create_empty(struct rc_hierarchies **out, struct rc_error *err);
void rc_hierarchies_close(struct rc_hierarchies *all); /* accepts NULL */

/* Adds a file of rollcall's own form or a METRICS.SPEC; its text shows which it is.  A
 * node without 'kind' replaces one of that name in an earlier file.  RC_EUSAGE:
 * "FILE:LINE: what is wrong, what was expected"; 'all' is not usable then.
 */
int rc_hierarchies_add_file(struct rc_hierarchies *all, const char *path,
                            struct rc_error *err);
int rc_hierarchies_add_text(struct rc_hierarchies *all, const char *name,
                            const char *text, size_t bytes, struct rc_error *err);

/* Adds laws of metrics, by which parts are at most their whole (docs/metrics.md), as
 * nodes that have a 'law': rollcall's own, or text of that form.  Fails as above.
 */
int rc_hierarchies_add_laws(struct rc_hierarchies *all, struct rc_error *err);
int rc_hierarchies_add_laws_text(struct rc_hierarchies *all, const char *name,
                                 const char *text, size_t bytes, struct rc_error *err);

/* Whether the text is a METRICS.SPEC: its first statement is one of the four. */
bool rc_hierarchy_is_spec(const char *text, size_t bytes);

/* Converts a METRICS.SPEC to a file of rollcall's own form; free() *out.  'hierarchy'
 * becomes the name of the trees.
 */
int rc_hierarchy_convert(const char *name, const char *text, size_t bytes,
                         const char *hierarchy, char **out, size_t *out_bytes,
                         struct rc_error *err);

/* The names of events that nodes may consist of, without patterns: their number, and
 * the first 'room' names, borrowed.  A name may come twice; where a file takes all
 * names that are not nodes as events, names of nodes come, too.
 */
size_t rc_hierarchies_events(struct rc_hierarchies *all, const char **name,
                             size_t room);

/* The counters of a group of a METRICS.SPEC: their number, and the first 'room' names,
 * borrowed.  0: there is no such group.
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

/* All members are borrowed and must outlive the trees that are filled with them. */
struct rc_hierarchy_machine {
    const char *kind;  /* its name, which globs in the files' 'kind' may match */
    const char *shape; /* topology as text: "package:1 l3:1 ..."; "": not known */
    const struct rc_hierarchy_event *event;
    size_t event_count;
    const struct rc_suite_result *const *suite; /* results of the solve */
    size_t suite_count;
    bool insist; /* computes values even where operands are missing */
};

enum rc_hierarchy_status {
    RC_HIERARCHY_VOID,       /* no value */
    RC_HIERARCHY_INCOMPLETE, /* some operands are missing: the value is the sum of the
                              * others */
    RC_HIERARCHY_COMPUTED,   /* a difference or formula */
    RC_HIERARCHY_COMPOSED,   /* a sum of others */
    RC_HIERARCHY_MEASURED,   /* an event of its own */
    RC_HIERARCHY_STATUS_COUNT
};

/* "void", "incomplete", ... by number, ended by NULL. */
extern const char *const rc_hierarchy_status_names[];

/* Part of a value: counts of the event times the coefficient, which lies between 'low'
 * and 'high'; 'off' is a further error, the largest of the metric where it was tried.
 */
struct rc_hierarchy_term {
    size_t event; /* number in the machine */
    double coefficient, low, high, off;
};

/* A node that is part of another one, and how often it counts. */
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
    const struct rc_hierarchy_part *child; /* parts of its sum, in the file's order */
    size_t child_count;
    const size_t *also; /* nodes that are also shown here: another view */
    size_t also_count;

    enum rc_hierarchy_status status;
    bool absent;      /* void since the machine cannot have it: it counts as 0 */
    bool overlaps;    /* parts may add up to more, and none of them is wrong */
    bool approximate; /* only within the bounds of its terms */
    bool simulated;
    bool linear; /* 'term' has the value; else 'formula' or 'part' */
    const struct rc_metric_result *metric; /* the metric that is the value, or NULL */
    double off;         /* error of the metric where it was tried, relative */
    const char *how;    /* source of the value: "event 'X'", "A + B", "metric 'X'" */
    const char *lacks;  /* missing operands, "A, B", or "" */
    const char *reason; /* of a void one, or "" */
    const struct rc_hierarchy_term *term;
    size_t term_count;
    const struct rc_hierarchy_part *part; /* the parts of the value */
    size_t part_count;
    const struct rc_expression *formula; /* of the parts, in their order; or NULL */
};

/* "~≈ sim", as far as each holds for the node's value.  Returns 'out'. */
enum { RC_HIERARCHY_MARKS = 24 };
const char *rc_hierarchy_marks(const struct rc_hierarchy_node *node,
                               char out[RC_HIERARCHY_MARKS]);

/* Trees filled on a machine. */
struct rc_hierarchy {
    struct rc_arena arena;
    const struct rc_hierarchy_machine *machine;
    struct rc_hierarchy_node *node; /* a parent before its children, depth first */
    size_t count;
    size_t *order;  /* all nodes, each after its parts */
    size_t *orphan; /* numbers of events that are counted and in no tree */
    size_t orphan_count;
    struct rc_expression **formulas; /* owned; nodes point to them */
    size_t formula_count;
};

/* Fills the trees for a machine.  On success free *out with rc_hierarchy_fini().
 * RC_EUSAGE: "FILE:LINE: ..." of nodes that do not exist, contain themselves, or are
 * too deep.
 */
int rc_hierarchy_fill(const struct rc_hierarchies *all,
                      const struct rc_hierarchy_machine *machine,
                      struct rc_hierarchy *out, struct rc_error *err);
void rc_hierarchy_fini(struct rc_hierarchy *h); /* accepts a zeroed one */

/* The node of that name, or RC_HIERARCHY_NONE. */
size_t rc_hierarchy_find(const struct rc_hierarchy *h, const char *name);

/* Sets chosen[node] where one of the words names its hierarchy, its file, the node or a
 * node above it; NULL: all are chosen.  RC_EUSAGE: a word that names nothing; 'option'
 * is the option that has the words.
 */
int rc_hierarchy_choose(const struct rc_hierarchy *h, const char *option,
                        const char *const *words, bool *chosen, struct rc_error *err);

/* The n-th event that counts the same as 'event': each is the same metric by itself, by
 * the results of the solve.  NULL: there are no more.  One may come twice.
 */
const char *rc_hierarchy_alike(const struct rc_hierarchy_machine *machine,
                               const char *event, size_t n);

/* Sets needed[event of the machine] for the events of the values of chosen nodes. */
int rc_hierarchy_needs(const struct rc_hierarchy *h, const bool *chosen, bool *needed,
                       struct rc_error *err);

/* Counts nodes by status, without those for counters. */
void rc_hierarchy_tally(const struct rc_hierarchy *h,
                        size_t count[RC_HIERARCHY_STATUS_COUNT]);

/* --- Values --- */

/* Whether the node has a value of its own beside those of its children, so that there
 * is a rest.
 */
bool rc_hierarchy_has_rest(const struct rc_hierarchy *h, size_t node);

/* Computes value[node] from the counts of the machine's events; a count of NAN: not
 * counted.  A node that is not known is NAN with open bounds.
 */
void rc_hierarchy_value(const struct rc_hierarchy *h, const double *count,
                        struct rc_interval *value);

/* Readings over cells: points of suites, or call paths and places.  Only rows of events
 * in nodes are read.
 */
struct rc_hierarchy_cells {
    size_t count;
    const char *const *name;    /* for messages */
    const double *const *value; /* [event][cell], a row may be NULL: not counted */
    const double *const *error; /* standard errors, likewise; NULL: exact */
    const size_t *group; /* [cell] its suite, for laws; cells of one suite follow each
                          * other; NULL: all are in one */
};

/* A parent that is less than its children: something in it is counted twice. */
struct rc_hierarchy_excess {
    size_t node;
    size_t cell;             /* the worst one */
    size_t cells;            /* how many there are */
    double parent, children; /* their values in 'cell' */
    double bound;            /* largest error of the difference */
};

/* Compares each parent that has a value of its own with its children, in each cell
 * where all their events were counted.  free() *out.
 */
int rc_hierarchy_check(const struct rc_hierarchy *h,
                       const struct rc_hierarchy_cells *cells,
                       struct rc_hierarchy_excess **out, size_t *count,
                       struct rc_error *err);

#endif
