/* A run in a .cali file of Caliper, in its text form: a record a line.
 *
 *     __rec=node,id=33,attr=32,data=main,parent=12
 *     __rec=ctx,ref=33,attr=66=69,data=0.25=0.5
 *     __rec=globals,ref=21
 *
 * Nodes form trees.  A node has an attribute, which is a node, too, and data.  The
 * region that a record of numbers (ctx) is of is the data of those nodes, from the root
 * to the one that it refers to, whose attribute is nested.  An attribute's type,
 * properties, unit and alias are data of the nodes above it.  A few nodes are there
 * from the beginning.
 */
#include "io/model/parts.h"

#include "campaign/base/map.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/text/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTE = 8, TYPE = 9, PROPERTIES = 10, BUILT_IN = 12 }; /* nodes */
enum { INT = 1, UINT = 2, DOUBLE = 5 };                           /* of types */
enum { HIDDEN = 128, NESTED = 256, GLOBAL = 512, AGGREGATABLE = 2048 };
enum { DEPTH_MOST = 1024 };
#define NONE SIZE_MAX
#define WORK_MOST ((size_t)1 << 30) /* nodes and bytes of the regions of all records */

/* A node; what it has of the nodes above it is kept with it. */
struct node {
    uint64_t id;
    size_t attribute, parent; /* places in the list; NONE */
    const char *data;
    size_t depth, type;
    long properties;
    const char *unit, *alias;
    bool date;
};

/* The numbers of a call path and metric. */
struct number {
    const char *path, *metric, *unit; /* of the pool */
    struct rc_measured_places places;
};

enum { REC, ID, ATTR, DATA, PARENT, REF, KEYS };
static const char *const keys[] = {"__rec", "id", "attr", "data", "parent", "ref"};

struct cali {
    struct rc_lines lines;
    char *text;
    char **value; /* of a line, each ended by a 0 */
    size_t values, value_room;
    size_t first[KEYS], count[KEYS]; /* of the line's values */
    struct node *node;
    size_t nodes, node_room;
    struct rc_map by_id;
    struct number *number;
    size_t numbers, number_room;
    struct rc_map by_path;
    struct rc_pool *texts;
    char *path;
    size_t path_room, work;
    int (*put)(void *context, const char *name, double value);
    void *context;
};

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the .cali file");
}

static int fail_line(const struct cali *c, const char *expected, struct rc_error *err)
{
    return rc_fail(err, RC_EUSAGE, "line %zu: expected %s", c->lines.number, expected);
}

static bool has_id(const void *context, size_t item, const void *key)
{
    return ((const struct cali *)context)->node[item].id == *(const uint64_t *)key;
}

static bool has_path(const void *context, size_t item, const void *key)
{
    const struct number *n = &((const struct cali *)context)->number[item], *k = key;

    return n->path == k->path && n->metric == k->metric;
}

static uint64_t hash_id(uint64_t id)
{
    return rc_text_hash_more(rc_text_hash(""), &id, sizeof id);
}

/* Takes a line apart: "key=value=value,key=value"; '\' takes the meaning of the
 * character after it away, and "\n" is a line's end.
 */
static int split(struct cali *c, struct rc_error *err)
{
    char *line = c->text + (c->lines.line - c->text), *begin = line;
    size_t used = 0, key = KEYS;

    memset(c->count, 0, sizeof c->count);
    c->values = 0;
    for (size_t i = 0, part = 0; i <= c->lines.length; i++) {
        const char sign = (char)(i < c->lines.length ? line[i] : ',');
        if (sign == '\\' && i + 1 < c->lines.length) {
            i++;
            line[used++] = (char)(line[i] == 'n' ? '\n' : line[i]);
            continue;
        }
        if (sign != ',' && sign != '=') {
            line[used++] = sign;
            continue;
        }
        line[used++] = 0;
        if (part++ == 0) {
            for (key = 0; key < KEYS && strcmp(begin, keys[key]) != 0;)
                key++;
            if (key < KEYS) {
                c->first[key] = c->values;
                c->count[key] = 0;
            }
        } else if (key < KEYS) {
            if (rc_grow(&c->value, sizeof *c->value, c->values, &c->value_room))
                return fail_memory(err);
            c->value[c->values++] = begin;
            c->count[key] = c->values - c->first[key];
        }
        if (sign == ',')
            part = 0;
        begin = line + used;
    }
    return RC_OK;
}

static const char *value_of(const struct cali *c, size_t key, size_t i)
{
    return c->value[c->first[key] + i];
}

/* The node that the line's value i of a key names; NONE: there is none. */
static size_t node_of(const struct cali *c, size_t key, size_t i)
{
    uint64_t id;

    if (i >= c->count[key] || rc_text_count(value_of(c, key, i), &id) != 0)
        return NONE;
    return rc_map_find(&c->by_id, c, hash_id(id), &id);
}

static int add_node(struct cali *c, uint64_t id, size_t attribute, size_t parent,
                    const char *data, struct rc_error *err)
{
    struct node node = {.id = id, .attribute = attribute, .parent = parent};

    if (!(node.data = rc_pool_intern(c->texts, data)) ||
        rc_grow(&c->node, sizeof *c->node, c->nodes, &c->node_room))
        return fail_memory(err);
    node.type = attribute == TYPE ? c->nodes : NONE;
    if (parent != NONE) {
        const struct node *above = &c->node[parent];
        node.depth = above->depth + 1;
        node.type = node.type == NONE ? above->type : node.type;
        node.properties = above->properties;
        node.unit = above->unit;
        node.alias = above->alias;
        node.date = above->date;
    }
    if (attribute < c->nodes) {
        const char *of = c->node[attribute].data;
        if (attribute == PROPERTIES)
            node.properties = strtol(data, NULL, 10);
        else if (strcmp(of, "attribute.unit") == 0)
            node.unit = node.data;
        else if (strcmp(of, "attribute.alias") == 0)
            node.alias = node.data;
        else if (strcmp(of, "adiak.type") == 0)
            node.date = strcmp(data, "date") == 0;
    }
    if (node.depth == DEPTH_MOST)
        return fail_line(c, "less than 1024 nodes above one another", err);
    c->node[c->nodes] = node;
    if (rc_map_put(&c->by_id, c, hash_id(id), &id, c->nodes))
        return fail_memory(err);
    c->nodes++;
    return RC_OK;
}

/* Types, and the three attributes that describe attributes, which are of the types
 * "string", "type" and "int".
 */
static int add_built_in(struct cali *c, struct rc_error *err)
{
    static const size_t parent[] = {3, 7, 1};
    int status = RC_OK;

    for (size_t i = 0; i < BUILT_IN && status == RC_OK; i++)
        status = i >= ATTRIBUTE && i <= PROPERTIES
                     ? add_node(c, i, ATTRIBUTE, parent[i - ATTRIBUTE], "", err)
                     : add_node(c, i, TYPE, NONE, "", err);
    return status;
}

static int read_node(struct cali *c, struct rc_error *err)
{
    const size_t attribute = node_of(c, ATTR, 0);
    const size_t parent = c->count[PARENT] ? node_of(c, PARENT, 0) : NONE;
    uint64_t id;

    if (c->count[ID] == 0 || rc_text_count(value_of(c, ID, 0), &id) != 0)
        return fail_line(c, "a node with an id", err);
    if (attribute == NONE || (c->count[PARENT] && parent == NONE))
        return fail_line(c, "'attr' and 'parent' to be nodes of lines before it", err);
    return add_node(c, id, attribute, parent,
                    c->count[DATA] ? value_of(c, DATA, 0) : "", err);
}

/* The nodes from the root to the one that the line refers to as number i. */
static int find_chain(struct cali *c, size_t i, size_t chain[DEPTH_MOST], size_t *count,
                      struct rc_error *err)
{
    size_t node = node_of(c, REF, i);

    if (node == NONE)
        return fail_line(c, "'ref' to be a node of a line before it", err);
    *count = c->node[node].depth + 1;
    for (size_t k = *count; k-- > 0; node = c->node[node].parent)
        chain[k] = node;
    if ((c->work += *count) > WORK_MOST)
        return fail_line(c, "less nodes in all", err);
    return RC_OK;
}

/* Writes the region that a record is of to c->path. */
static int put_path(struct cali *c, struct rc_error *err)
{
    size_t chain[DEPTH_MOST], count, used = 0;

    for (size_t i = 0; i < c->count[REF]; i++) {
        const int status = find_chain(c, i, chain, &count, err);
        if (status != RC_OK)
            return status;
        for (size_t k = 0; k < count; k++) {
            const struct node *n = &c->node[chain[k]];
            const size_t length = strlen(n->data);
            if (!(c->node[n->attribute].properties & NESTED))
                continue;
            while (used + length + 2 > c->path_room) {
                if (rc_grow(&c->path, 1, c->path_room, &c->path_room))
                    return fail_memory(err);
            }
            if (used > 0)
                c->path[used++] = ';';
            memcpy(c->path + used, n->data, length);
            used += length;
            if ((c->work += length) > WORK_MOST)
                return fail_line(c, "shorter call paths", err);
        }
    }
    if (!c->path && rc_grow(&c->path, 1, 0, &c->path_room))
        return fail_memory(err);
    c->path[used] = 0;
    return RC_OK;
}

/* Numbers that were measured, and neither ranks nor iterations: what Caliper adds up
 * over records, or gives a unit.
 */
static bool is_measured(const struct node *attribute)
{
    return attribute->attribute == ATTRIBUTE && !(attribute->properties & HIDDEN) &&
           (attribute->type == INT || attribute->type == UINT ||
            attribute->type == DOUBLE) &&
           (attribute->properties & AGGREGATABLE || attribute->unit ||
            attribute->alias || strpbrk(attribute->data, "#") ||
            strcmp(attribute->data, "count") == 0 || strstr(attribute->data, "time."));
}

/* Adds a number of a record to those of its region and metric. */
static int put_number(struct cali *c, const struct node *attribute, const char *path,
                      double value, bool of_rank, struct rc_error *err)
{
    struct number n = {.path = path,
                       .unit = attribute->unit ? attribute->unit : "",
                       .metric = attribute->alias ? attribute->alias : attribute->data};
    const uint64_t hash =
        rc_text_hash_more(rc_text_hash_more(rc_text_hash(""), &n.path, sizeof n.path),
                          &n.metric, sizeof n.metric);
    size_t i = rc_map_find(&c->by_path, c, hash, &n);

    if (i == RC_MAP_NONE) {
        if (rc_grow(&c->number, sizeof *c->number, c->numbers, &c->number_room))
            return fail_memory(err);
        c->number[c->numbers] = n;
        if (rc_map_put(&c->by_path, c, hash, &n, c->numbers))
            return fail_memory(err);
        i = c->numbers++;
    }
    rc_measured_place(&c->number[i].places, value);
    c->number[i].places.apart |= of_rank;
    return RC_OK;
}

static int read_record(struct cali *c, struct rc_error *err)
{
    const char *path = NULL;
    bool of_rank = false;
    int status = RC_OK;

    if (c->count[ATTR] != c->count[DATA])
        return fail_line(c, "as many 'data' as 'attr'", err);
    for (size_t i = 0; i < c->count[ATTR]; i++) {
        const size_t attribute = node_of(c, ATTR, i);
        of_rank |=
            attribute != NONE && strcmp(c->node[attribute].data, "mpi.rank") == 0;
    }
    for (size_t i = 0; i < c->count[ATTR] && status == RC_OK; i++) {
        const size_t attribute = node_of(c, ATTR, i);
        const char *word = value_of(c, DATA, i);
        double value;
        if (attribute == NONE)
            return fail_line(c, "'attr' to be nodes of lines before it", err);
        if (!is_measured(&c->node[attribute]))
            continue;
        if (!path && (status = put_path(c, err)) == RC_OK &&
            !(path = rc_pool_intern(c->texts, *c->path ? c->path : "(no region)")))
            status = fail_memory(err);
        if (status == RC_OK && (rc_text_real(word, &value) != 0 || value < 0))
            return rc_lines_fail(&c->lines, word, strlen(word), "a number from 0 on",
                                 err);
        if (status == RC_OK)
            status = put_number(c, &c->node[attribute], path, value, of_rank, err);
    }
    return status;
}

/* Passes on a whole number that the file says of its run. */
static int put_global(const struct cali *c, size_t attribute, const char *data)
{
    const struct node *a = &c->node[attribute];
    double value;

    if (a->attribute != ATTRIBUTE || !(a->properties & GLOBAL) || a->date ||
        !*a->data || (a->type != INT && a->type != UINT) ||
        strncmp(a->data, "cali.", 5) == 0 || rc_text_real(data, &value) != 0)
        return RC_OK;
    const bool ranks =
        strcmp(a->data, "mpi.world.size") == 0 || strcmp(a->data, "jobsize") == 0;
    return c->put(c->context, ranks ? "p" : a->data, value);
}

static int read_globals(struct cali *c, struct rc_error *err)
{
    size_t chain[DEPTH_MOST], count = 0;
    int status = RC_OK;

    for (size_t i = 0; i < c->count[REF] && status == RC_OK; i++) {
        status = find_chain(c, i, chain, &count, err);
        for (size_t k = 0; k < count && status == RC_OK; k++)
            status = put_global(c, c->node[chain[k]].attribute, c->node[chain[k]].data);
    }
    for (size_t i = 0; i < c->count[ATTR] && i < c->count[DATA] && status == RC_OK; i++)
        if (node_of(c, ATTR, i) != NONE)
            status = put_global(c, node_of(c, ATTR, i), value_of(c, DATA, i));
    return status;
}

static int read_line(struct cali *c, struct rc_error *err)
{
    const char *record;
    int status = split(c, err);

    if (status != RC_OK)
        return status;
    if (c->count[REC] == 0)
        return fail_line(c, "a record, '__rec=...'", err);
    record = value_of(c, REC, 0);
    if (strcmp(record, "node") == 0)
        return read_node(c, err);
    if (strcmp(record, "ctx") == 0 && !c->put)
        return read_record(c, err);
    if (strcmp(record, "globals") == 0 && c->put)
        return read_globals(c, err);
    return RC_OK;
}

static int read_all(struct cali *c, struct rc_error *err)
{
    int status;

    c->by_id.same = has_id;
    c->by_path.same = has_path;
    if (!(c->texts = rc_pool_create()))
        return fail_memory(err);
    if ((status = add_built_in(c, err)) != RC_OK)
        return status;
    while (rc_lines_next(&c->lines, &status, err))
        if ((status = read_line(c, err)) != RC_OK)
            return status;
    return status;
}

static void fini(struct cali *c)
{
    rc_map_fini(&c->by_id);
    rc_map_fini(&c->by_path);
    rc_pool_close(c->texts);
    free(c->value);
    free(c->node);
    free(c->number);
    free(c->path);
}

static bool is_cali(const char *text, size_t bytes)
{
    return bytes > 6 && memcmp(text, "__rec=", 6) == 0;
}

static int add_cali(char *text, size_t bytes, const double *at,
                    struct rc_measured_draft *draft, struct rc_error *err)
{
    struct cali c = {.text = text, .lines = {.at = text, .end = text + bytes}};
    int status = read_all(&c, err);

    for (size_t i = 0; i < c.numbers && status == RC_OK; i++) {
        const struct number *n = &c.number[i];
        const struct rc_measured_metric metric =
            rc_measured_guess(n->metric, strcmp(n->unit, "sec") == 0 ? "s" : n->unit);
        status = rc_measured_add_places(draft, at, n->path, &metric, &n->places, err);
    }
    fini(&c);
    return status;
}

static int head_cali(char *text, size_t bytes,
                     int (*put)(void *context, const char *name, double value),
                     void *context, struct rc_error *err)
{
    struct cali c = {.text = text,
                     .lines = {.at = text, .end = text + bytes},
                     .put = put,
                     .context = context};
    const int status = read_all(&c, err);

    fini(&c);
    return status;
}

const struct rc_measured_run rc_measured_cali = {.origin = "Caliper's .cali files",
                                                 .is = is_cali,
                                                 .add = add_cali,
                                                 .head = head_cali};
