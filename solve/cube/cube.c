/* Makes cubes: finds items that are in the trees already, and puts trees in an order
 * that does not depend on how they were filled.
 */
#include "solve/cube/cube.h"

#include "campaign/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the numbers of a profile");
}

static bool has_metric(const void *context, size_t item, const void *key)
{
    return strcmp(((const struct rc_cube *)context)->metric[item].name, key) == 0;
}

struct path_key {
    int64_t parent;
    const char *name;
};

static bool has_path(const void *context, size_t item, const void *key)
{
    const struct rc_cube_path *path = &((const struct rc_cube *)context)->path[item];
    const struct path_key *wanted = key;

    return path->parent == wanted->parent && strcmp(path->name, wanted->name) == 0;
}

static bool has_place(const void *context, size_t item, const void *key)
{
    return strcmp(((const struct rc_cube *)context)->place[item].name, key) == 0;
}

struct rc_cube *rc_cube_create(struct rc_error *err)
{
    struct rc_cube *cube = rc_calloc(1, sizeof *cube);
    struct rc_pool *texts = rc_pool_create();

    if (!cube || !texts) {
        free(cube);
        rc_pool_close(texts);
        (void)fail_memory(err);
        return NULL;
    }
    cube->texts = texts;
    cube->title = cube->derived = "";
    cube->metric_map.same = has_metric;
    cube->path_map.same = has_path;
    cube->place_map.same = has_place;
    size_t root;
    if (rc_cube_add_path(cube, RC_CUBE_TOP, "", "user", &root, err) != RC_OK) {
        rc_cube_close(cube);
        return NULL;
    }
    return cube;
}

void rc_cube_close(struct rc_cube *cube)
{
    if (!cube)
        return;
    rc_map_fini(&cube->metric_map);
    rc_map_fini(&cube->path_map);
    rc_map_fini(&cube->place_map);
    free(cube->metric);
    free(cube->path);
    free(cube->place);
    free((void *)cube->source);
    rc_arena_free(&cube->arena);
    rc_pool_close(cube->texts);
    free(cube);
}

static int check_count(size_t count, const char *what, struct rc_error *err)
{
    if (count < RC_CUBE_MOST)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "more than %d %s: expected fewer", RC_CUBE_MOST,
                   what);
}

int rc_cube_add_metric(struct rc_cube *cube, int64_t parent, const char *name,
                       const char *unit, const char *description, size_t *number,
                       struct rc_error *err)
{
    const uint64_t hash = rc_text_hash(name);
    int status = check_count(cube->metrics, "metrics", err);

    *number = rc_map_find(&cube->metric_map, cube, hash, name);
    if (*number != RC_MAP_NONE || status != RC_OK)
        return status;
    const struct rc_cube_metric metric = {
        rc_pool_copy(cube->texts, name), rc_pool_intern(cube->texts, unit),
        rc_pool_intern(cube->texts, description), parent, RC_CUBE_ADDED};
    if (!metric.name || !metric.unit || !metric.description ||
        rc_grow(&cube->metric, sizeof metric, cube->metrics, &cube->metric_room))
        return fail_memory(err);
    *number = cube->metrics;
    cube->metric[cube->metrics++] = metric;
    return rc_map_put(&cube->metric_map, cube, hash, metric.name, *number)
               ? fail_memory(err)
               : RC_OK;
}

int rc_cube_copy_metric(struct rc_cube *cube, int64_t parent,
                        const struct rc_cube_metric *metric, size_t *number,
                        struct rc_error *err)
{
    const int status = rc_cube_add_metric(cube, parent, metric->name, metric->unit,
                                          metric->description, number, err);

    if (status == RC_OK)
        cube->metric[*number].rule = metric->rule;
    return status;
}

int rc_cube_add_path(struct rc_cube *cube, int64_t parent, const char *name,
                     const char *paradigm, size_t *number, struct rc_error *err)
{
    const struct path_key key = {parent, name};
    const uint64_t hash = rc_text_hash_more(rc_text_hash(name), &parent, sizeof parent);
    int status = check_count(cube->paths, "call paths", err);

    *number = rc_map_find(&cube->path_map, cube, hash, &key);
    if (*number != RC_MAP_NONE || status != RC_OK)
        return status;
    const struct rc_cube_path path = {rc_pool_intern(cube->texts, name),
                                      rc_pool_intern(cube->texts, paradigm), parent};
    if (!path.name || !path.paradigm ||
        rc_grow(&cube->path, sizeof path, cube->paths, &cube->path_room))
        return fail_memory(err);
    *number = cube->paths;
    cube->path[cube->paths++] = path;
    return rc_map_put(&cube->path_map, cube, hash, &key, *number) ? fail_memory(err)
                                                                  : RC_OK;
}

/* Where a place has several nodes, as runs were on different ones, the first by name is
 * kept.
 */
int rc_cube_add_place(struct rc_cube *cube, const struct rc_cube_place *place,
                      size_t *number, struct rc_error *err)
{
    const uint64_t hash = rc_text_hash(place->name);
    int status = check_count(cube->places, "places", err);

    *number = rc_map_find(&cube->place_map, cube, hash, place->name);
    if (status != RC_OK)
        return status;
    struct rc_cube_place copy = *place;
    copy.name = rc_pool_intern(cube->texts, place->name);
    copy.node = rc_pool_intern(cube->texts, place->node);
    if (!copy.name || !copy.node)
        return fail_memory(err);
    if (*number != RC_MAP_NONE) {
        if (strcmp(copy.node, cube->place[*number].node) < 0)
            cube->place[*number].node = copy.node;
        return RC_OK;
    }
    if (rc_grow(&cube->place, sizeof copy, cube->places, &cube->place_room))
        return fail_memory(err);
    *number = cube->places;
    cube->place[cube->places++] = copy;
    return rc_map_put(&cube->place_map, cube, hash, copy.name, *number)
               ? fail_memory(err)
               : RC_OK;
}

/* Keeps sources in order, each once. */
int rc_cube_add_source(struct rc_cube *cube, const char *source, struct rc_error *err)
{
    size_t at = cube->sources;

    while (at > 0 && strcmp(cube->source[at - 1], source) > 0)
        at--;
    if (at > 0 && strcmp(cube->source[at - 1], source) == 0)
        return RC_OK;
    const char *copy = rc_pool_copy(cube->texts, source);
    if (!copy ||
        rc_grow(&cube->source, sizeof *cube->source, cube->sources, &cube->source_room))
        return fail_memory(err);
    for (size_t i = cube->sources++; i > at; i--)
        cube->source[i] = cube->source[i - 1];
    cube->source[at] = copy;
    return RC_OK;
}

/* An item of a tree, while it is being put in order. */
struct item {
    int64_t parent;
    const char *name;
    size_t number; /* as it was added */
};

static int order_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    const int by_name = strcmp(x->name, y->name);

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return by_name ? by_name : (x->number > y->number) - (x->number < y->number);
}

static bool is_below(const void *item, const void *parent)
{
    return ((const struct item *)item)->parent < *(const int64_t *)parent;
}

/* at[number] becomes the place of an item in the order: each parent before its
 * children, these by name.  A stack holds the next item in each list of siblings.
 * Returns how many items were reached: items in a circle are not.
 */
static size_t put_in_order(struct item *item, size_t count, size_t *stack, size_t *at)
{
    size_t depth = 0, done = 0;

    qsort(item, count, sizeof *item, order_items);
    stack[depth++] = 0;
    while (depth > 0) {
        const size_t i = stack[depth - 1];
        const int64_t siblings_of =
            depth > 1 ? (int64_t)item[stack[depth - 2] - 1].number : RC_CUBE_TOP;
        if (i == count || item[i].parent != siblings_of) {
            depth--;
            continue;
        }
        stack[depth - 1]++;
        at[item[i].number] = done++;
        const int64_t parent = (int64_t)item[i].number;
        const size_t child =
            rc_count_before(item, count, sizeof *item, &parent, is_below);
        if (child < count && item[child].parent == (int64_t)item[i].number)
            stack[depth++] = child;
    }
    return done;
}

/* Puts an array of structs in the order 'at'. */
static void move_items(void *array, size_t item_bytes, size_t count, const size_t *at,
                       void *room)
{
    const char *from = array;
    char *to = room;

    for (size_t i = 0; i < count; i++)
        memcpy(to + at[i] * item_bytes, from + i * item_bytes, item_bytes);
    if (count > 0)
        memcpy(array, room, count * item_bytes);
}

static int order_places(const void *a, const void *b)
{
    const struct rc_cube_place *x = *(const struct rc_cube_place *const *)a,
                               *y = *(const struct rc_cube_place *const *)b;
    const int by_node = strcmp(x->node, y->node);

    if (by_node)
        return by_node;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Scratch memory of sealing. */
struct sealing {
    struct item *item;
    size_t *stack;
    void *room;
    const struct rc_cube_place **place;
};

static int seal_metrics(struct rc_cube *cube, const struct sealing *s,
                        struct rc_error *err)
{
    for (size_t i = 0; i < cube->metrics; i++)
        s->item[i] = (struct item){cube->metric[i].parent, cube->metric[i].name, i};
    if (put_in_order(s->item, cube->metrics, s->stack, cube->metric_at) < cube->metrics)
        return rc_fail(err, RC_EUSAGE, "metrics are in a circle: expected a tree");
    move_items(cube->metric, sizeof *cube->metric, cube->metrics, cube->metric_at,
               s->room);
    for (size_t i = 0; i < cube->metrics; i++)
        if (cube->metric[i].parent >= 0)
            cube->metric[i].parent = (int64_t)cube->metric_at[cube->metric[i].parent];
    return RC_OK;
}

static void seal_places(struct rc_cube *cube, const struct sealing *s)
{
    for (size_t i = 0; i < cube->places; i++)
        s->place[i] = &cube->place[i];
    if (cube->places > 0)
        qsort((void *)s->place, cube->places, sizeof(struct rc_cube_place *),
              order_places);
    for (size_t i = 0; i < cube->places; i++)
        cube->place_at[s->place[i] - cube->place] = i;
    move_items(cube->place, sizeof *cube->place, cube->places, cube->place_at, s->room);
}

/* The cells are the largest part by far: their number is checked first. */
int rc_cube_seal(struct rc_cube *cube, struct rc_error *err)
{
    const size_t most = cube->metrics > cube->paths ? cube->metrics : cube->paths;
    const size_t room = most > cube->places ? most : cube->places;
    const size_t lines = cube->paths * (cube->places ? cube->places : 1);
    struct rc_arena arena = {0};
    struct sealing s;
    int status;

    if (lines > 0 && cube->metrics > RC_CUBE_CELLS_MOST / lines)
        return rc_fail(err, RC_EUSAGE,
                       "%zu metrics of %zu call paths on %zu places: expected %d "
                       "numbers at most",
                       cube->metrics, cube->paths, cube->places, RC_CUBE_CELLS_MOST);
    const size_t cells = cube->metrics * cube->paths * cube->places;
    s.item = rc_arena_array(&arena, room, sizeof *s.item);
    s.stack = rc_arena_array(&arena, room + 1, sizeof *s.stack);
    s.room = rc_arena_array(
        &arena, room, sizeof(struct rc_cube_metric) + sizeof(struct rc_cube_place));
    s.place = rc_arena_array(&arena, room, sizeof(struct rc_cube_place *));
    cube->metric_at =
        rc_arena_array(&cube->arena, cube->metrics, sizeof *cube->metric_at);
    cube->path_at = rc_arena_array(&cube->arena, cube->paths, sizeof *cube->path_at);
    cube->place_at = rc_arena_array(&cube->arena, cube->places, sizeof *cube->place_at);
    cube->cell = rc_arena_array(&cube->arena, cells, sizeof *cube->cell);
    if (arena.failed || cube->arena.failed) {
        status = fail_memory(err);
        goto out;
    }
    if ((status = seal_metrics(cube, &s, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < cube->paths; i++)
        s.item[i] = (struct item){cube->path[i].parent, cube->path[i].name, i};
    (void)put_in_order(s.item, cube->paths, s.stack, cube->path_at);
    move_items(cube->path, sizeof *cube->path, cube->paths, cube->path_at, s.room);
    for (size_t i = 0; i < cube->paths; i++)
        if (cube->path[i].parent >= 0)
            cube->path[i].parent = (int64_t)cube->path_at[cube->path[i].parent];
    seal_places(cube, &s);
    for (size_t i = 0; i < cells; i++)
        cube->cell[i] = (struct rc_cube_cell){0, NAN, NAN, NAN, NAN};
out:
    rc_arena_free(&arena);
    return status;
}

double rc_cube_join(enum rc_cube_rule rule, double a, double b)
{
    return isnan(a)                   ? b
           : isnan(b)                 ? a
           : rule == RC_CUBE_LEAST    ? fmin(a, b)
           : rule == RC_CUBE_GREATEST ? fmax(a, b)
                                      : a + b;
}

void rc_cube_put(struct rc_cube *cube, size_t metric, size_t path, size_t place,
                 double value)
{
    struct rc_cube_cell *cell = rc_cube_cell(cube, metric, path, place);

    if (isnan(value))
        return;
    value = rc_cube_join(cube->metric[metric].rule, cell->mean, value);
    *cell = (struct rc_cube_cell){1, value, value, value, 0};
}

size_t rc_cube_find_metric(const struct rc_cube *cube, const char *name)
{
    for (size_t i = 0; i < cube->metrics; i++)
        if (strcmp(cube->metric[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

/* Parents precede their paths, and all paths inside a path follow it directly. */
size_t rc_cube_path_end(const struct rc_cube *cube, size_t path)
{
    size_t end = path + 1;

    while (end < cube->paths && cube->path[end].parent >= (int64_t)path)
        end++;
    return end;
}

double rc_cube_sum(const struct rc_cube *cube, size_t metric, size_t path,
                   size_t *missing)
{
    const size_t end = rc_cube_path_end(cube, path);
    size_t gaps = 0;
    double sum = NAN;

    for (size_t p = path; p < end; p++)
        for (size_t l = 0; l < cube->places; l++) {
            const struct rc_cube_cell *cell = rc_cube_cell(cube, metric, p, l);
            gaps += rc_cube_is_missing(cell);
            sum = rc_cube_join(cube->metric[metric].rule, sum, cell->mean);
        }
    if (missing)
        *missing = gaps;
    return sum;
}

/* Places of a rank may be on several nodes where runs were on different ones. */
size_t rc_cube_ranks(const struct rc_cube *cube)
{
    size_t ranks = 0;

    for (size_t i = 0; i < cube->places; i++) {
        bool before = cube->place[i].rank < 0;
        for (size_t k = i; k > 0 && !before; k--)
            before = cube->place[k - 1].rank == cube->place[i].rank;
        ranks += !before;
    }
    return ranks;
}
