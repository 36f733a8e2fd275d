/* Extra-P's JSON, in two forms.  The newer one has the points of each call path and
 * metric, with their values; the older one lists of paths, metrics, points and
 * parameters, and measurements that name them by id.
 */
#include "io/model/parts.h"

#include "campaign/base/memory.h"
#include "io/text/json_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Begins the draft with the names of parameters, which are texts or have "name". */
static int read_parameters(const struct rc_json_tree *list,
                           struct rc_measured_draft **draft, size_t *count,
                           struct rc_error *err)
{
    const char *name[RC_MEASURED_DRAFT_PARAMETERS];

    *count = rc_json_tree_count(list);
    for (size_t i = 0; i < *count && i < RC_MEASURED_DRAFT_PARAMETERS; i++) {
        const struct rc_json_tree *item = rc_json_tree_item(list, i);
        name[i] = rc_json_tree_string(item) ? rc_json_tree_string(item)
                                            : rc_json_tree_text(item, "name");
        if (!name[i])
            return rc_fail(err, RC_EUSAGE, "'parameters' %zu: expected a name", i + 1);
    }
    return rc_measured_begin(name, *count, draft, err);
}

/* Reads the numbers of "point". */
static int read_point(const struct rc_json_tree *list, size_t parameters, double *at,
                      struct rc_error *err)
{
    if (rc_json_tree_count(list) != parameters)
        return rc_fail(err, RC_EUSAGE, "expected 'point' with %zu numbers", parameters);
    for (size_t i = 0; i < parameters; i++)
        at[i] = rc_json_tree_real(rc_json_tree_item(list, i));
    return RC_OK;
}

static int read_values(const struct rc_json_tree *item, size_t parameters,
                       const char *path, const struct rc_measured_metric *metric,
                       struct rc_measured_draft *draft, struct rc_error *err)
{
    const struct rc_json_tree *values = rc_json_tree_member(item, "values");
    double at[RC_MEASURED_DRAFT_PARAMETERS];
    int status = read_point(rc_json_tree_member(item, "point"), parameters, at, err);

    if (status == RC_OK && rc_json_tree_count(values) == 0)
        return rc_fail(err, RC_EUSAGE, "expected 'values', a list of numbers");
    for (size_t i = 0; status == RC_OK && i < rc_json_tree_count(values); i++)
        status = rc_measured_add_path(draft, at, path, metric,
                                      rc_json_tree_real(rc_json_tree_item(values, i)),
                                      NAN, err);
    return status;
}

static int read_newer(const struct rc_json_tree *root, struct rc_measured_draft **draft,
                      struct rc_error *err)
{
    const struct rc_json_tree *paths = rc_json_tree_member(root, "measurements");
    size_t parameters;
    int status = read_parameters(rc_json_tree_member(root, "parameters"), draft,
                                 &parameters, err);

    for (const char *path = NULL;
         status == RC_OK && (path = rc_json_tree_key(paths, path));) {
        const struct rc_json_tree *metrics = rc_json_tree_member(paths, path);
        for (const char *name = NULL;
             status == RC_OK && (name = rc_json_tree_key(metrics, name));) {
            const struct rc_json_tree *list = rc_json_tree_member(metrics, name);
            const struct rc_measured_metric metric = rc_measured_guess(name, "");
            for (size_t i = 0; status == RC_OK && i < rc_json_tree_count(list); i++) {
                status = read_values(rc_json_tree_item(list, i), parameters, path,
                                     &metric, *draft, err);
                if (status != RC_OK)
                    rc_error_prefix(err, "'%.200s' '%.100s' %zu: ", path, name, i + 1);
            }
        }
    }
    return status;
}

/* Items of a list by their ids. */
struct ids {
    const char *list;
    struct id {
        double id;
        const struct rc_json_tree *item;
        size_t place; /* in the list */
    } * of;
    size_t count;
};

static int order_ids(const void *a, const void *b)
{
    return rc_order_reals(a, b); /* the first member */
}

static int read_ids(const struct rc_json_tree *root, const char *list, struct ids *out,
                    struct rc_error *err)
{
    const struct rc_json_tree *items = rc_json_tree_member(root, list);

    *out = (struct ids){.list = list, .count = rc_json_tree_count(items)};
    if (!(out->of = rc_calloc(out->count, sizeof *out->of)))
        return rc_fail(err, RC_ENOMEM, "no memory for Extra-P's JSON");
    for (size_t i = 0; i < out->count; i++) {
        const struct rc_json_tree *item = rc_json_tree_item(items, i);
        out->of[i] = (struct id){rc_json_tree_number(item, "id"), item, i};
        if (isnan(out->of[i].id))
            return rc_fail(err, RC_EUSAGE, "'%s' %zu: expected 'id', a number", list,
                           i + 1);
    }
    qsort(out->of, out->count, sizeof *out->of, order_ids);
    for (size_t i = 1; i < out->count; i++)
        if (out->of[i].id == out->of[i - 1].id)
            return rc_fail(err, RC_EUSAGE, "'%s': two have the id %g", list,
                           out->of[i].id);
    return RC_OK;
}

/* The item that a member of a measurement, or of a pair, names. */
static int find_id(const struct ids *ids, const struct rc_json_tree *from,
                   const char *key, const struct id **out, struct rc_error *err)
{
    const struct id wanted = {.id = rc_json_tree_number(from, key)};

    *out = NULL;
    if (!isnan(wanted.id))
        *out = bsearch(&wanted, ids->of, ids->count, sizeof *ids->of, order_ids);
    return *out ? RC_OK
                : rc_fail(err, RC_EUSAGE, "expected '%s', an id of '%s'", key,
                          ids->list);
}

static int read_pairs(const struct rc_json_tree *coordinate, const struct ids *ids,
                      double *at, struct rc_error *err)
{
    const struct rc_json_tree *pairs =
        rc_json_tree_member(coordinate, "parameter_value_pairs");
    const struct id *parameter;
    int status = RC_OK;

    if (rc_json_tree_count(pairs) != ids->count)
        return rc_fail(err, RC_EUSAGE, "expected %zu 'parameter_value_pairs'",
                       ids->count);
    for (size_t i = 0; i < ids->count; i++)
        at[i] = NAN;
    for (size_t i = 0; i < rc_json_tree_count(pairs) && status == RC_OK; i++) {
        const struct rc_json_tree *pair = rc_json_tree_item(pairs, i);
        status = find_id(ids, pair, "parameter_id", &parameter, err);
        if (status == RC_OK)
            at[parameter->place] = rc_json_tree_number(pair, "parameter_value");
    }
    return status;
}

static int read_older(const struct rc_json_tree *root, struct rc_measured_draft **draft,
                      struct rc_error *err)
{
    enum { PATHS, METRICS, POINTS, PARAMETERS, LISTS };
    static const char *const list[] = {"callpaths", "metrics", "coordinates",
                                       "parameters"};
    static const char *const key[] = {"callpath_id", "metric_id", "coordinate_id"};
    const struct rc_json_tree *all = rc_json_tree_member(root, "measurements");
    const struct id *found[PARAMETERS];
    struct ids ids[LISTS] = {{0}};
    double at[RC_MEASURED_DRAFT_PARAMETERS];
    size_t parameters;
    int status = read_parameters(rc_json_tree_member(root, "parameters"), draft,
                                 &parameters, err);

    for (size_t k = 0; k < LISTS && status == RC_OK; k++)
        status = read_ids(root, list[k], &ids[k], err);
    for (size_t i = 0; i < rc_json_tree_count(all) && status == RC_OK; i++) {
        const struct rc_json_tree *item = rc_json_tree_item(all, i);
        for (size_t k = 0; k < PARAMETERS && status == RC_OK; k++)
            status = find_id(&ids[k], item, key[k], &found[k], err);
        if (status == RC_OK)
            status = read_pairs(found[POINTS]->item, &ids[PARAMETERS], at, err);
        if (status == RC_OK) {
            const char *path = rc_json_tree_text(found[PATHS]->item, "name"),
                       *name = rc_json_tree_text(found[METRICS]->item, "name");
            const struct rc_measured_metric metric =
                rc_measured_guess(name ? name : "", "");
            status = rc_measured_add_path(*draft, at, path ? path : "", &metric,
                                          rc_json_tree_number(item, "value"), NAN, err);
        }
        if (status != RC_OK)
            rc_error_prefix(err, "'measurements' %zu: ", i + 1);
    }
    for (size_t k = 0; k < LISTS; k++)
        free(ids[k].of);
    return status;
}

static bool is_json(char *text, size_t bytes)
{
    (void)bytes;
    return text[strspn(text, " \t\r\n")] == '{';
}

static int read_json(char *text, size_t bytes, struct rc_measured_draft **draft,
                     struct rc_error *err)
{
    struct rc_json_tree *root;
    int status = rc_json_tree_read(NULL, text, bytes, &root, err);

    if (status != RC_OK)
        return status;
    if (rc_json_tree_count(rc_json_tree_member(root, "parameters")) == 0 ||
        !rc_json_tree_member(root, "measurements"))
        status = rc_fail(err, RC_EUSAGE,
                         "expected 'parameters', a list, and 'measurements', as in "
                         "Extra-P's JSON");
    else
        status = rc_json_tree_member(root, "callpaths") ? read_older(root, draft, err)
                                                        : read_newer(root, draft, err);
    rc_json_tree_free(root);
    return status;
}

const struct rc_measured_form rc_measured_extrap_json = {
    .origin = "Extra-P's JSON", .is = is_json, .read = read_json};
