/* parts.h - shared by readers of hierarchy files and the filling: only for this folder
 */
#ifndef RC_SOLVE_HIERARCHY_PARTS_H
#define RC_SOLVE_HIERARCHY_PARTS_H

#include "campaign/base/memory.h"
#include "campaign/base/yaml.h"
#include "solve/hierarchy/hierarchy.h"

/* A name in a sum, or in a difference with its sign. */
struct rc_hierarchy_operand {
    const char *name;
    double factor;
};

struct rc_hierarchy_sum {
    struct rc_hierarchy_operand *operand;
    size_t count;
};

/* A file's definition of one node.  NULL and counts of 0: not given. */
struct rc_hierarchy_item {
    const char *name, *hierarchy, *where;
    const char *kind;                        /* glob: only for these kinds; NULL: all */
    struct rc_hierarchy_sum sum, difference; /* factors of a sum are above 0 */
    const char *const *event;                /* names or globs, the first that counts */
    size_t event_count;
    const char *metric, *formula, *absent, *unit, *description, *also;
    const char *overlap; /* why parts may add up to more than the node */
    const char *law;     /* the law whose node this is */
    size_t file;         /* number of its file */
};

/* A file's names of events of the machine. */
struct rc_hierarchy_file {
    const char *name;
    bool open; /* any name that is not a node is an event */
    const char *const *event;
    size_t event_count;
};

/* Counters for one run, as a METRICS.SPEC groups them. */
struct rc_hierarchy_group {
    const char *name;
    struct rc_hierarchy_sum counters; /* each with the factor 1 */
};

struct rc_hierarchies {
    struct rc_arena arena;
    struct rc_hierarchy_item *item;
    size_t count, room;
    struct rc_hierarchy_file *file;
    size_t file_count, file_room;
    struct rc_hierarchy_group *group;
    size_t group_count, group_room;
};

/* Appends an item of the last file.  RC_EUSAGE: too many, or the file has that node
 * twice without 'kind'.
 */
int rc_hierarchies_add(struct rc_hierarchies *all, const struct rc_hierarchy_item *item,
                       struct rc_error *err);

/* The fault of a node's name, as "expected ...", or NULL. */
const char *rc_hierarchy_name_wrong(const char *name);

/* Reads "A + 2 B - C", with blanks around signs.  Without 'minus' only sums are
 * accepted.  RC_EUSAGE: what is wrong, without a place.
 */
int rc_hierarchy_read_sum(struct rc_arena *arena, const char *text, bool minus,
                          struct rc_hierarchy_sum *out, struct rc_error *err);

/* Readers of the two forms, which add the items of one file. */
int rc_hierarchies_read_yaml(struct rc_hierarchies *all, struct rc_yaml *file,
                             struct rc_error *err);
int rc_hierarchies_read_spec(struct rc_hierarchies *all, const char *name,
                             const char *text, size_t bytes, struct rc_error *err);

/* The same for a file of laws. */
int rc_hierarchies_read_laws(struct rc_hierarchies *all, struct rc_yaml *file,
                             struct rc_error *err);

#endif
