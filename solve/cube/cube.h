/* cube.h - the values of a profile by metric, call path and place
 *
 * A cube has three trees: metrics, call paths, and places, which are threads of ranks
 * of nodes.  Each metric has a number for each path and place, or it is missing there,
 * which is not 0.  The number of a path excludes the paths inside it; the number of a
 * metric includes its children.  It stands for one or more runs of the program: how
 * many, their mean, least, most, and the sum of squared deviations.
 *
 * A cube is filled in two steps: items are added to the trees in any order; sealing
 * puts them in the order of the cube, and then the numbers can be put:
 *
 *     rc_cube_add_metric(cube, RC_CUBE_TOP, "time", "ns", "", &time, err);
 *     rc_cube_seal(cube, err);
 *     rc_cube_put(cube, cube->metric_at[time], cube->path_at[path], ..., 1e9);
 *
 * Two cubes with the same trees have them in the same order, in whatever order they
 * were filled: paths are told apart by the names from the root on, metrics and places
 * by their names.  Knows neither ranks nor files.
 */
#ifndef RC_SOLVE_CUBE_CUBE_H
#define RC_SOLVE_CUBE_CUBE_H

#include "campaign/base/arena.h"
#include "campaign/base/map.h"
#include "campaign/base/memory.h"

#include <stdint.h>

#define RC_CUBE_TOP ((int64_t)-1) /* the parent of an item that has none */

enum {
    RC_CUBE_MOST = 1 << 20,      /* items of each tree */
    RC_CUBE_CELLS_MOST = 1 << 25 /* numbers in all */
};

/* How the numbers of several paths or places become one. */
enum rc_cube_rule { RC_CUBE_ADDED, RC_CUBE_LEAST, RC_CUBE_GREATEST };

/* Joins two numbers by the rule; NAN counts as missing. */
double rc_cube_join(enum rc_cube_rule rule, double a, double b);

struct rc_cube_metric {
    const char *name, *unit, *description;
    int64_t parent;
    enum rc_cube_rule rule; /* set after it was added; else RC_CUBE_ADDED */
};

struct rc_cube_path {
    const char *name;     /* of the region or function; "" for the root */
    const char *paradigm; /* "user", "mpi", "openmp" */
    int64_t parent;
};

struct rc_cube_place {
    const char *name; /* "rank 3 thread 0" */
    const char *node;
    int64_t rank; /* -1: none */
    size_t thread;
};

/* A number; where it is missing, n is 0 and the others are NAN. */
struct rc_cube_cell {
    double n;              /* runs */
    double mean, min, max; /* over the runs */
    double m2;             /* sum of squared deviations from the mean */
};

struct rc_cube {
    struct rc_cube_metric *metric; /* a parent before its children, these by name */
    struct rc_cube_path *path;     /* likewise */
    struct rc_cube_place *place;   /* by node, rank, thread, name */
    size_t metrics, paths, places;
    size_t *metric_at, *path_at, *place_at; /* [as it was added]: its place in order */
    struct rc_cube_cell *cell;              /* NULL until it is sealed */
    const char **source;                    /* its runs, in order */
    size_t sources;
    const char *title;   /* its program, in words */
    const char *derived; /* operations that made it: "", or "cut solve", ... */
    bool simulated;      /* some of its numbers are simulated */

    struct rc_pool *texts; /* this and the members below are private */
    struct rc_map metric_map, path_map, place_map;
    size_t metric_room, path_room, place_room, source_room;
    struct rc_arena arena;
};

/* Makes a cube with the path of the program itself, number 0 and "", which contains all
 * others.  NULL: no memory.
 */
struct rc_cube *rc_cube_create(struct rc_error *err);
void rc_cube_close(struct rc_cube *cube); /* accepts NULL */

/* Each finds an item that is there already; texts are copied.  RC_EUSAGE: too many. */
int rc_cube_add_metric(struct rc_cube *cube, int64_t parent, const char *name,
                       const char *unit, const char *description, size_t *number,
                       struct rc_error *err);
int rc_cube_copy_metric(struct rc_cube *cube, int64_t parent,
                        const struct rc_cube_metric *metric, size_t *number,
                        struct rc_error *err);
int rc_cube_add_path(struct rc_cube *cube, int64_t parent, const char *name,
                     const char *paradigm, size_t *number, struct rc_error *err);
int rc_cube_add_place(struct rc_cube *cube, const struct rc_cube_place *place,
                      size_t *number, struct rc_error *err);
int rc_cube_add_source(struct rc_cube *cube, const char *source, struct rc_error *err);

/* Puts trees in order; all numbers are missing then.  RC_EUSAGE: metrics are in a
 * circle, or there would be too many numbers.
 */
int rc_cube_seal(struct rc_cube *cube, struct rc_error *err);

/* A cell of a sealed cube, by the numbers in order. */
static inline struct rc_cube_cell *
rc_cube_cell(const struct rc_cube *cube, size_t metric, size_t path, size_t place)
{
    return &cube->cell[(metric * cube->paths + path) * cube->places + place];
}

/* Puts a number of one run; joins it to a number of this run that is there. */
void rc_cube_put(struct rc_cube *cube, size_t metric, size_t path, size_t place,
                 double value);

static inline bool rc_cube_is_missing(const struct rc_cube_cell *cell)
{
    return !(cell->n > 0);
}

/* The metric of a name; SIZE_MAX: none. */
size_t rc_cube_find_metric(const struct rc_cube *cube, const char *name);

/* The numbers joined over all places, 'path' and the paths inside it; missing numbers
 * are left out and counted in *missing, which may be NULL.  NAN where all are missing.
 */
double rc_cube_sum(const struct rc_cube *cube, size_t metric, size_t path,
                   size_t *missing);

/* The end of the paths inside a path: they follow it. */
size_t rc_cube_path_end(const struct rc_cube *cube, size_t path);

/* The number of ranks that have places. */
size_t rc_cube_ranks(const struct rc_cube *cube);

#endif
