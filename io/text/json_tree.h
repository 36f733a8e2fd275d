/* json_tree.h - reading a JSON text as a whole
 *
 * Texts may come from strangers: values that are missing, or have another type, are
 * NULL, NAN or 0, which is not an error.  All functions accept a NULL tree.
 */
#ifndef RC_IO_TEXT_JSON_TREE_H
#define RC_IO_TEXT_JSON_TREE_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct rc_json_tree; /* opaque; a value with its contents */

/* RC_EUSAGE with 'name' (NULL: none), line and the fault.  On success the caller owns *out and frees
 * it with rc_json_tree_free(); results of the functions below are part of it.
 */
int rc_json_tree_read(const char *name, const char *text, size_t bytes,
                      struct rc_json_tree **out, struct rc_error *err);
void rc_json_tree_free(struct rc_json_tree *tree);

/* A member of an object; an element of an array, and how many there are. */
const struct rc_json_tree *rc_json_tree_member(const struct rc_json_tree *tree,
                                               const char *key);
const struct rc_json_tree *rc_json_tree_item(const struct rc_json_tree *tree,
                                             size_t number);
size_t rc_json_tree_count(const struct rc_json_tree *tree);

/* The key of the member after that of 'key', or of the first one for NULL; NULL: none. */
const char *rc_json_tree_key(const struct rc_json_tree *tree, const char *key);

/* The number that a value is, or NAN; the text that it is, or NULL. */
double rc_json_tree_real(const struct rc_json_tree *tree);
const char *rc_json_tree_string(const struct rc_json_tree *tree);

/* The number of a member, or NAN; the text of a member, or NULL; whether it is true. */
double rc_json_tree_number(const struct rc_json_tree *tree, const char *key);
const char *rc_json_tree_text(const struct rc_json_tree *tree, const char *key);
bool rc_json_tree_flag(const struct rc_json_tree *tree, const char *key);

#endif
