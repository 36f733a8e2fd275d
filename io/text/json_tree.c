/* Reads JSON texts, by jansson. */
#include "io/text/json_tree.h"

#include <jansson.h>
#include <math.h>

/* Whole numbers may have more digits than a machine's. */
int rc_json_tree_read(const char *name, const char *text, size_t bytes,
                      struct rc_json_tree **out, struct rc_error *err)
{
    json_error_t why;

    *out = (struct rc_json_tree *)json_loadb(
        text, bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &why);
    if (*out)
        return RC_OK;
    rc_fail(err, RC_EUSAGE, "line %d: not JSON: %s", why.line, why.text);
    if (name)
        rc_error_prefix(err, "%.300s: ", name);
    return RC_EUSAGE;
}

void rc_json_tree_free(struct rc_json_tree *tree)
{
    json_decref((json_t *)tree);
}

const struct rc_json_tree *rc_json_tree_member(const struct rc_json_tree *tree,
                                               const char *key)
{
    return (const struct rc_json_tree *)json_object_get((const json_t *)tree, key);
}

const struct rc_json_tree *rc_json_tree_item(const struct rc_json_tree *tree,
                                             size_t number)
{
    return (const struct rc_json_tree *)json_array_get((const json_t *)tree, number);
}

size_t rc_json_tree_count(const struct rc_json_tree *tree)
{
    return json_array_size((const json_t *)tree);
}

const char *rc_json_tree_key(const struct rc_json_tree *tree, const char *key)
{
    json_t *object = (json_t *)tree;

    return json_object_iter_key(
        key ? json_object_iter_next(object, json_object_iter_at(object, key))
            : json_object_iter(object));
}

double rc_json_tree_real(const struct rc_json_tree *tree)
{
    return json_is_number((const json_t *)tree)
               ? json_number_value((const json_t *)tree)
               : NAN;
}

const char *rc_json_tree_string(const struct rc_json_tree *tree)
{
    return json_string_value((const json_t *)tree);
}

double rc_json_tree_number(const struct rc_json_tree *tree, const char *key)
{
    return rc_json_tree_real(rc_json_tree_member(tree, key));
}

const char *rc_json_tree_text(const struct rc_json_tree *tree, const char *key)
{
    return rc_json_tree_string(rc_json_tree_member(tree, key));
}

bool rc_json_tree_flag(const struct rc_json_tree *tree, const char *key)
{
    return json_is_true(json_object_get((const json_t *)tree, key));
}
