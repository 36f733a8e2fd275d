/* Reads JSON texts, by jansson. */
#include "io/text/json_tree.h"

#include <jansson.h>
#include <math.h>

int rc_json_tree_read(const char *name, const char *text, size_t bytes,
                      struct rc_json_tree **out, struct rc_error *err)
{
    json_error_t why;

    *out = (struct rc_json_tree *)json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why);
    if (*out)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "%.300s:%d: not JSON: %s", name, why.line, why.text);
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

double rc_json_tree_number(const struct rc_json_tree *tree, const char *key)
{
    const json_t *value = json_object_get((const json_t *)tree, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *rc_json_tree_text(const struct rc_json_tree *tree, const char *key)
{
    return json_string_value(json_object_get((const json_t *)tree, key));
}

bool rc_json_tree_flag(const struct rc_json_tree *tree, const char *key)
{
    return json_is_true(json_object_get((const json_t *)tree, key));
}
