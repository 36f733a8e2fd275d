/* Makes cubes from others.
 *
 * With several cubes the trees are joined first; then each number of the result is
 * computed from the cubes' numbers in the same place.  Cubes are taken in the order of
 * their sources, so that the same cubes give the same bytes in whatever order they are
 * given.
 */
#include "solve/cube/algebra.h"

#include "campaign/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rc_cube_cell missing_cell = {0, NAN, NAN, NAN, NAN};

/* A cube that is joined with others, and the correspondence of its items. */
struct operand {
    const struct rc_cube *cube;
    size_t *metric, *path, *place;          /* [of the result]: its item, or SIZE_MAX */
    size_t *metric_to, *path_to, *place_to; /* [of the cube]: as added to the result */
    double runs; /* of the present metric and place; -1: not computed yet */
};

struct joint {
    struct rc_cube *cube; /* the result */
    struct operand *operand;
    size_t count;
    struct rc_arena arena;
};

static int order_sources(const void *a, const void *b)
{
    const struct rc_cube *x = ((const struct operand *)a)->cube,
                         *y = ((const struct operand *)b)->cube;

    for (size_t i = 0; i < x->sources && i < y->sources; i++) {
        const int order = strcmp(x->source[i], y->source[i]);
        if (order)
            return order;
    }
    return (x->sources > y->sources) - (x->sources < y->sources);
}

/* How many sources of 'cube' the other one has, too. */
static size_t shared_sources(const struct rc_cube *cube, const struct rc_cube *other)
{
    size_t shared = 0;

    for (size_t i = 0, k = 0; i < cube->sources && k < other->sources;) {
        const int order = strcmp(cube->source[i], other->source[k]);
        shared += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    return shared;
}

static int check_fit(const struct joint *j, struct rc_error *err)
{
    const struct rc_cube *first = j->operand[0].cube;
    const size_t ranks = rc_cube_ranks(first);

    for (size_t i = 1; i < j->count; i++) {
        const size_t others = rc_cube_ranks(j->operand[i].cube);
        if (others != ranks)
            return rc_fail(
                err, RC_EUSAGE,
                "profiles of %zu and %zu ranks: expected as many in each, or "
                "--collapse, which adds up all places",
                ranks < others ? ranks : others, ranks < others ? others : ranks);
    }
    return RC_OK;
}

static int join_metrics(struct joint *j, struct operand *o, struct rc_error *err)
{
    for (size_t m = 0; m < o->cube->metrics; m++) {
        const struct rc_cube_metric *metric = &o->cube->metric[m];
        const int status =
            rc_cube_copy_metric(j->cube, RC_CUBE_TOP, metric, &o->metric_to[m], err);
        if (status != RC_OK)
            return status;
        const struct rc_cube_metric *there = &j->cube->metric[o->metric_to[m]];
        if (strcmp(there->unit, metric->unit) != 0)
            return rc_fail(err, RC_EUSAGE,
                           "%s is in '%s' and in '%s': expected one unit", metric->name,
                           there->unit, metric->unit);
    }
    return RC_OK;
}

/* A metric is in the tree once.  Where profiles have it below several parents, the one
 * that comes first by name becomes its parent.
 */
static void join_parents(struct joint *j, const struct operand *o)
{
    for (size_t m = 0; m < o->cube->metrics; m++) {
        struct rc_cube_metric *there = &j->cube->metric[o->metric_to[m]];
        const int64_t parent = o->cube->metric[m].parent;
        if (parent < 0)
            continue;
        const char *name = o->cube->metric[parent].name;
        if (there->parent < 0 || strcmp(name, j->cube->metric[there->parent].name) < 0)
            there->parent = (int64_t)o->metric_to[parent];
    }
}

static int join_paths(struct joint *j, struct operand *o, struct rc_error *err)
{
    int status = RC_OK;

    o->path_to[0] = 0;
    for (size_t p = 1; p < o->cube->paths; p++) {
        const struct rc_cube_path *path = &o->cube->path[p];
        if ((status = rc_cube_add_path(j->cube, (int64_t)o->path_to[path->parent],
                                       path->name, path->paradigm, &o->path_to[p],
                                       err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

static int join_places(struct joint *j, struct operand *o, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t l = 0; l < o->cube->places; l++)
        if ((status = rc_cube_add_place(j->cube, &o->cube->place[l], &o->place_to[l],
                                        err)) != RC_OK)
            return status;
    return status;
}

/* Inverts a map: from the result's items to the operand's. */
static size_t *turn_round(struct rc_arena *arena, const size_t *to, const size_t *at,
                          size_t count, size_t items)
{
    size_t *from = rc_arena_array(arena, items, sizeof *from);

    for (size_t i = 0; from && i < items; i++)
        from[i] = SIZE_MAX;
    for (size_t i = 0; from && i < count; i++)
        from[at[to[i]]] = i;
    return from;
}

static int join_trees(struct joint *j, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < j->count; i++) {
        struct operand *o = &j->operand[i];
        const struct rc_cube *c = o->cube;
        o->metric_to = rc_arena_array(&j->arena, c->metrics, sizeof *o->metric_to);
        o->path_to = rc_arena_array(&j->arena, c->paths, sizeof *o->path_to);
        o->place_to = rc_arena_array(&j->arena, c->places, sizeof *o->place_to);
        if ((status = rc_arena_check(&j->arena, err, "the trees of profiles")) ==
                RC_OK &&
            (status = join_metrics(j, o, err)) == RC_OK &&
            (status = join_paths(j, o, err)) == RC_OK)
            status = join_places(j, o, err);
        j->cube->simulated |= c->simulated;
        if (status != RC_OK)
            return status;
        for (size_t s = 0; s < c->sources; s++)
            if ((status = rc_cube_add_source(j->cube, c->source[s], err)) != RC_OK)
                return status;
    }
    for (size_t i = 0; i < j->count; i++)
        join_parents(j, &j->operand[i]);
    if ((status = rc_cube_seal(j->cube, err)) != RC_OK)
        return status;
    for (size_t i = 0; i < j->count; i++) {
        struct operand *o = &j->operand[i];
        o->metric = turn_round(&j->arena, o->metric_to, j->cube->metric_at,
                               o->cube->metrics, j->cube->metrics);
        o->path = turn_round(&j->arena, o->path_to, j->cube->path_at, o->cube->paths,
                             j->cube->paths);
        o->place = turn_round(&j->arena, o->place_to, j->cube->place_at,
                              o->cube->places, j->cube->places);
    }
    return rc_arena_check(&j->arena, err, "the trees of profiles");
}

static void joint_fini(struct joint *j)
{
    rc_arena_free(&j->arena);
    rc_cube_close(j->cube);
}

/* Joins the trees of cubes; with 'copies' cubes whose sources others have are left out.
 */
static int join(const struct rc_cube *const *of, size_t count, bool copies,
                struct joint *j, struct rc_error *err)
{
    int status;

    *j = (struct joint){.cube = rc_cube_create(err)};
    j->operand = rc_arena_array(&j->arena, count, sizeof *j->operand);
    if (!j->cube || !j->operand)
        return rc_fail(err, RC_ENOMEM, "no memory to join profiles");
    for (size_t i = 0; i < count; i++) {
        bool is_copy = false;
        for (size_t k = 0; copies && k < count && !is_copy; k++) {
            const size_t shared = k == i ? 0 : shared_sources(of[i], of[k]);
            is_copy = shared > 0 && shared == of[i]->sources &&
                      (of[k]->sources > shared || k < i);
            if (shared > 0 && shared < of[i]->sources && shared < of[k]->sources)
                return rc_fail(err, RC_ECONFLICT,
                               "'%s' would count twice: two profiles have it, and each "
                               "has others, too",
                               of[i]->source[0]);
        }
        if (!is_copy)
            j->operand[j->count++].cube = of[i];
    }
    if (j->count > 0)
        qsort(j->operand, j->count, sizeof *j->operand, order_sources);
    for (size_t i = 1; i < j->count; i++)
        if (copies &&
            strcmp(j->operand[i].cube->derived, j->operand[0].cube->derived) != 0)
            return rc_fail(err, RC_EUSAGE,
                           "one profile is '%s' and another '%s': expected profiles to "
                           "which the same was done",
                           j->operand[0].cube->derived, j->operand[i].cube->derived);
    if (j->count > 0 && (status = check_fit(j, err)) != RC_OK)
        return status;
    return join_trees(j, err);
}

/* How many runs of an operand measured a metric at a place. */
static double runs_at(const struct rc_cube *cube, size_t metric, size_t place)
{
    double most = 0;

    for (size_t p = 0; p < cube->paths; p++)
        most = fmax(most, rc_cube_cell(cube, metric, p, place)->n);
    return most;
}

/* The number of a path that runs never visited; a least or greatest one is missing. */
static struct rc_cube_cell never_visited(const struct rc_cube *cube, size_t metric,
                                         double runs)
{
    return runs > 0 && cube->metric[metric].rule == RC_CUBE_ADDED
               ? (struct rc_cube_cell){runs, 0, 0, 0, 0}
               : missing_cell;
}

/* An operand's cell for one of the result. */
static struct rc_cube_cell cell_of(struct operand *o, size_t metric, size_t path,
                                   size_t place)
{
    if (o->metric[metric] == SIZE_MAX || o->place[place] == SIZE_MAX)
        return missing_cell;
    if (o->path[path] == SIZE_MAX) {
        if (o->runs < 0)
            o->runs = runs_at(o->cube, o->metric[metric], o->place[place]);
        return never_visited(o->cube, o->metric[metric], o->runs);
    }
    return *rc_cube_cell(o->cube, o->metric[metric], o->path[path], o->place[place]);
}

/* Two sets of runs as one (Chan, Golub and LeVeque). */
static struct rc_cube_cell pool(struct rc_cube_cell a, struct rc_cube_cell b)
{
    if (rc_cube_is_missing(&a))
        return b;
    if (rc_cube_is_missing(&b))
        return a;
    const double n = a.n + b.n, step = b.mean - a.mean;
    return (struct rc_cube_cell){n, a.mean + step * (b.n / n), fmin(a.min, b.min),
                                 fmax(a.max, b.max),
                                 a.m2 + b.m2 + step * step * (a.n * b.n / n)};
}

/* The variance of a mean; 0 for one run, where it is not known. */
static double variance_of_mean(struct rc_cube_cell a)
{
    return a.n > 1 ? a.m2 / (a.n * (a.n - 1)) : 0;
}

/* a + sign * b, for independent runs. */
static struct rc_cube_cell combine(struct rc_cube_cell a, struct rc_cube_cell b,
                                   double sign)
{
    if (rc_cube_is_missing(&a) || rc_cube_is_missing(&b))
        return missing_cell;
    const double n = fmin(a.n, b.n);
    return (struct rc_cube_cell){
        n, a.mean + sign * b.mean, a.min + (sign > 0 ? b.min : -b.max),
        a.max + (sign > 0 ? b.max : -b.min),
        n * (n - 1) * (variance_of_mean(a) + variance_of_mean(b))};
}

/* Joins numbers of the same runs, whose covariance is not known. */
static struct rc_cube_cell join_cells(enum rc_cube_rule rule, struct rc_cube_cell a,
                                      struct rc_cube_cell b)
{
    if (rule != RC_CUBE_ADDED && (rc_cube_is_missing(&a) || rc_cube_is_missing(&b)))
        return rc_cube_is_missing(&a) ? b : a;
    if (rule != RC_CUBE_ADDED)
        return (struct rc_cube_cell){fmin(a.n, b.n), rc_cube_join(rule, a.mean, b.mean),
                                     rc_cube_join(rule, a.min, b.min),
                                     rc_cube_join(rule, a.max, b.max),
                                     fmax(a.m2, b.m2)};
    if (rc_cube_is_missing(&a) || rc_cube_is_missing(&b))
        return missing_cell;
    const double n = fmin(a.n, b.n), spread = sqrt(a.m2 / a.n) + sqrt(b.m2 / b.n);
    return (struct rc_cube_cell){n, a.mean + b.mean, a.min + b.min, a.max + b.max,
                                 n * spread * spread};
}

/* The operation that makes one cell from those of all operands. */
enum operation { MERGE, MEAN, DIFFERENCE, TOTAL };

static struct rc_cube_cell operate(enum operation operation, enum rc_cube_rule rule,
                                   struct rc_cube_cell so_far, struct rc_cube_cell next,
                                   size_t number, size_t *there)
{
    struct rc_cube_cell as_run = {1, next.mean, next.mean, next.mean, 0};

    if (operation == TOTAL && rule != RC_CUBE_ADDED)
        return number == 0 ? next : join_cells(rule, so_far, next);
    if (operation == DIFFERENCE || operation == TOTAL)
        return number == 0 ? next : combine(so_far, next, operation == TOTAL ? 1 : -1);
    if (operation == MERGE || rc_cube_is_missing(&next))
        return operation == MERGE ? pool(so_far, next) : so_far;
    if (++*there == 1)
        return next;
    if (*there == 2) /* from here on the first one counts as a run */
        so_far = (struct rc_cube_cell){1, so_far.mean, so_far.mean, so_far.mean, 0};
    return pool(so_far, as_run);
}

static void fill(struct joint *j, enum operation operation)
{
    struct rc_cube *cube = j->cube;

    for (size_t m = 0; m < cube->metrics; m++)
        for (size_t l = 0; l < cube->places; l++) {
            for (size_t i = 0; i < j->count; i++)
                j->operand[i].runs = -1;
            for (size_t p = 0; p < cube->paths; p++) {
                struct rc_cube_cell sum = missing_cell;
                size_t there = 0;
                for (size_t i = 0; i < j->count; i++)
                    sum = operate(operation, cube->metric[m].rule, sum,
                                  cell_of(&j->operand[i], m, p, l), i, &there);
                *rc_cube_cell(cube, m, p, l) = sum;
            }
        }
}

/* Sets the texts of the result; the joint's cube becomes the caller's. */
static int finish(struct joint *j, const char *title, const char *derived,
                  struct rc_cube **out, struct rc_error *err)
{
    j->cube->title = rc_pool_copy(j->cube->texts, title);
    j->cube->derived = rc_pool_copy(j->cube->texts, derived);
    if (!j->cube->title || !j->cube->derived)
        return rc_fail(err, RC_ENOMEM, "no memory to join profiles");
    *out = j->cube;
    j->cube = NULL;
    return RC_OK;
}

/* "mean, cut solve": earlier operations follow. */
static void derive(char *out, size_t room, const char *what, const char *before)
{
    snprintf(out, room, "%s%s%s", what, *before ? ", " : "", before);
}

int rc_cube_merge(const struct rc_cube *const *of, size_t count, struct rc_cube **out,
                  struct rc_error *err)
{
    struct joint j;
    int status = join(of, count, true, &j, err);

    *out = NULL;
    if (status == RC_OK) {
        fill(&j, MERGE);
        status = finish(&j, j.count ? j.operand[0].cube->title : "",
                        j.count ? j.operand[0].cube->derived : "", out, err);
    }
    joint_fini(&j);
    return status;
}

int rc_cube_mean(const struct rc_cube *const *of, size_t count, struct rc_cube **out,
                 struct rc_error *err)
{
    char derived[1024];
    struct joint j;
    int status = join(of, count, false, &j, err);

    *out = NULL;
    if (status == RC_OK) {
        const char *before = count ? j.operand[0].cube->derived : "";
        derive(derived, sizeof derived, "mean", before);
        fill(&j, MEAN);
        status = finish(&j, count ? j.operand[0].cube->title : "",
                        count == 1 ? before : derived, out, err);
    }
    joint_fini(&j);
    return status;
}

/* Keeps the two in their order. */
static int two(const struct rc_cube *one, const struct rc_cube *other,
               enum operation operation, const char *what, struct rc_cube **out,
               struct rc_error *err)
{
    const struct rc_cube *of[2] = {one, other};
    char derived[1024], title[1024];
    struct joint j;
    int status = join(of, 2, false, &j, err);

    *out = NULL;
    if (status == RC_OK) {
        if (j.operand[0].cube != one) {
            const struct operand first = j.operand[0];
            j.operand[0] = j.operand[1];
            j.operand[1] = first;
        }
        derive(derived, sizeof derived, what, one->derived);
        snprintf(title, sizeof title, "%.400s, %.400s", one->title, other->title);
        fill(&j, operation);
        status = finish(&j, title, derived, out, err);
    }
    joint_fini(&j);
    return status;
}

int rc_cube_difference(const struct rc_cube *from, const struct rc_cube *less,
                       struct rc_cube **out, struct rc_error *err)
{
    return two(from, less, DIFFERENCE, "difference", out, err);
}

int rc_cube_total(const struct rc_cube *one, const struct rc_cube *other,
                  struct rc_cube **out, struct rc_error *err)
{
    return two(one, other, TOTAL, "total", out, err);
}

/* A cube whose paths or places are added up: the target of each, as it was added;
 * SIZE_MAX: it has none.
 */
struct folding {
    const struct rc_cube *from;
    struct rc_cube *to;
    size_t *path_to, *place_to;
    struct rc_arena arena;
};

/* Copies everything except paths and places. */
static int folding_begin(const struct rc_cube *from, struct folding *f,
                         struct rc_error *err)
{
    size_t unused;
    int status = RC_OK;

    *f = (struct folding){.from = from, .to = rc_cube_create(err)};
    f->path_to = rc_arena_array(&f->arena, from->paths, sizeof *f->path_to);
    f->place_to = rc_arena_array(&f->arena, from->places, sizeof *f->place_to);
    if (!f->to || f->arena.failed)
        return rc_fail(err, RC_ENOMEM, "no memory for a part of the profile");
    for (size_t m = 0; m < from->metrics; m++)
        if ((status = rc_cube_copy_metric(f->to, from->metric[m].parent,
                                          &from->metric[m], &unused, err)) != RC_OK)
            goto out;
    for (size_t i = 0; i < from->sources; i++)
        if ((status = rc_cube_add_source(f->to, from->source[i], err)) != RC_OK)
            goto out;
out:
    f->to->simulated = from->simulated;
    return status;
}

static int keep_places(struct folding *f, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t l = 0; l < f->from->places; l++)
        if ((status = rc_cube_add_place(f->to, &f->from->place[l], &f->place_to[l],
                                        err)) != RC_OK)
            return status;
    return status;
}

static int keep_path(struct folding *f, size_t path, int64_t parent,
                     struct rc_error *err)
{
    return rc_cube_add_path(f->to, parent, f->from->path[path].name,
                            f->from->path[path].paradigm, &f->path_to[path], err);
}

/* Adds up cells with the same target; a cell without sources was never visited. */
static void add_all(struct folding *f, size_t metric)
{
    const struct rc_cube *from = f->from;
    struct rc_cube *to = f->to;
    const struct rc_cube_cell untouched = {-1, 0, 0, 0, 0};
    const size_t m = to->metric_at[metric];

    for (size_t i = 0; i < to->paths * to->places; i++)
        *rc_cube_cell(to, m, 0, i) = untouched;
    for (size_t p = 0; p < from->paths; p++)
        for (size_t l = 0; f->path_to[p] != SIZE_MAX && l < from->places; l++) {
            struct rc_cube_cell *cell = rc_cube_cell(to, m, to->path_at[f->path_to[p]],
                                                     to->place_at[f->place_to[l]]);
            const struct rc_cube_cell next = *rc_cube_cell(from, metric, p, l);
            *cell =
                cell->n < 0 ? next : join_cells(from->metric[metric].rule, *cell, next);
        }
    for (size_t l = 0; l < from->places; l++) {
        const double runs = runs_at(from, metric, l);
        for (size_t p = 0; p < to->paths; p++) {
            struct rc_cube_cell *cell =
                rc_cube_cell(to, m, p, to->place_at[f->place_to[l]]);
            if (cell->n < 0)
                *cell = never_visited(from, metric, runs);
        }
    }
}

static int folding_end(struct folding *f, const char *what, int status,
                       struct rc_cube **out, struct rc_error *err)
{
    char derived[1024];

    if (status == RC_OK && (status = rc_cube_seal(f->to, err)) == RC_OK) {
        for (size_t m = 0; m < f->from->metrics; m++)
            add_all(f, m);
        derive(derived, sizeof derived, what, f->from->derived);
        f->to->title = rc_pool_copy(f->to->texts, f->from->title);
        f->to->derived = rc_pool_copy(f->to->texts, derived);
        if (!f->to->title || !f->to->derived)
            status = rc_fail(err, RC_ENOMEM, "no memory for a part of the profile");
    }
    rc_arena_free(&f->arena);
    *out = status == RC_OK ? f->to : NULL;
    if (status != RC_OK)
        rc_cube_close(f->to);
    return status;
}

int rc_cube_cut(const struct rc_cube *cube, const char *region, struct rc_cube **out,
                struct rc_error *err)
{
    struct folding f;
    char what[512];
    size_t found = 0;
    int status = folding_begin(cube, &f, err);

    if (status != RC_OK || (status = keep_places(&f, err)) != RC_OK)
        goto out;
    for (size_t p = 0; p < cube->paths; p++) {
        const int64_t parent = cube->path[p].parent;
        const bool inside = parent >= 0 && f.path_to[parent] != SIZE_MAX;
        const bool outermost =
            !inside && parent >= 0 && rc_text_glob(region, cube->path[p].name);
        found += outermost;
        f.path_to[p] = SIZE_MAX;
        if (inside || outermost)
            status = keep_path(&f, p, inside ? (int64_t)f.path_to[parent] : 0, err);
        if (status != RC_OK)
            goto out;
    }
    if (found == 0)
        status = rc_fail(err, RC_EMISSING, "no region is called '%s'", region);
out:
    snprintf(what, sizeof what, "cut %.500s", region);
    return folding_end(&f, what, status, out, err);
}

int rc_cube_flat(const struct rc_cube *cube, struct rc_cube **out, struct rc_error *err)
{
    struct folding f;
    int status = folding_begin(cube, &f, err);

    if (status != RC_OK || (status = keep_places(&f, err)) != RC_OK)
        goto out;
    for (size_t p = 1; p < cube->paths; p++)
        if ((status = keep_path(&f, p, 0, err)) != RC_OK)
            goto out;
out:
    return folding_end(&f, "flat", status, out, err);
}

int rc_cube_collapse(const struct rc_cube *cube, struct rc_cube **out,
                     struct rc_error *err)
{
    const struct rc_cube_place all = {.name = "all places", .node = "", .rank = -1};
    struct folding f;
    int status = folding_begin(cube, &f, err);

    if (status != RC_OK)
        goto out;
    for (size_t l = 0; l < cube->places; l++)
        if ((status = rc_cube_add_place(f.to, &all, &f.place_to[l], err)) != RC_OK)
            goto out;
    for (size_t p = 1; p < cube->paths; p++)
        if ((status = keep_path(&f, p, (int64_t)f.path_to[cube->path[p].parent],
                                err)) != RC_OK)
            goto out;
out:
    return folding_end(&f, "collapse", status, out, err);
}

int rc_cube_compare(const struct rc_cube *one, const struct rc_cube *other,
                    struct rc_cube_common *out, struct rc_error *err)
{
    const struct rc_cube *of[2] = {one, other};
    struct joint j;
    int status = join(of, 2, false, &j, err);

    *out = (struct rc_cube_common){0};
    for (size_t i = 0; i < 3 && status == RC_OK; i++) {
        const struct operand *a = &j.operand[j.operand[0].cube == one ? 0 : 1],
                             *b = &j.operand[j.operand[0].cube == one ? 1 : 0];
        const size_t *const in_a[] = {a->metric, a->path, a->place}, *const in_b[] = {
                                                                         b->metric,
                                                                         b->path,
                                                                         b->place};
        const size_t items[] = {j.cube->metrics, j.cube->paths, j.cube->places};
        size_t *const common[] = {&out->metrics, &out->paths, &out->places},
                      *const only[] = {out->only_metrics, out->only_paths,
                                       out->only_places};
        for (size_t k = 0; k < items[i]; k++) {
            const bool first = in_a[i][k] != SIZE_MAX, second = in_b[i][k] != SIZE_MAX;
            *common[i] += first && second;
            only[i][0] += first && !second;
            only[i][1] += second && !first;
        }
    }
    joint_fini(&j);
    return status;
}
