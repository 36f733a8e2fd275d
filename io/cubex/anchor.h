/* anchor.h - anchor.xml of a .cubex file: its metrics, regions, call paths and places
 */
#ifndef RC_IO_CUBEX_ANCHOR_H
#define RC_IO_CUBEX_ANCHOR_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RC_ANCHOR_DEPTH = 4096 }; /* elements in one another, at most */

/* Texts are printable, and live as long as the anchor. */
struct rc_anchor_metric {
    const char *name; /* NULL: it has none */
    const char *unit, *description, *type, *dtype, *id;
    int64_t parent; /* among these; -1: none */
    bool hidden;
    size_t number; /* in the cube, as it was added; SIZE_MAX: it is not */
};
struct rc_anchor_region {
    uint64_t id;
    const char *name, *mangled, *paradigm;
};
struct rc_anchor_cnode {
    uint64_t region; /* its id */
    int64_t parent;
    size_t number; /* of the path */
};
struct rc_anchor_location {
    uint64_t id;
    const char *name, *node, *thread;
    size_t group;
    size_t number; /* of the place */
};
struct rc_anchor_group {
    const char *name, *rank;
};
struct rc_anchor_word {
    const char *key, *value;
};

struct rc_anchor {
    struct rc_anchor_metric *metric; /* all in the document's order */
    struct rc_anchor_region *region;
    struct rc_anchor_cnode *cnode;
    struct rc_anchor_location *location;
    struct rc_anchor_group *group;
    struct rc_anchor_word *word; /* attributes of the file */
    size_t metrics, regions, cnodes, locations, groups, words;
    char *texts; /* which the strings above point into */
};

/* RC_EUSAGE, with the line: it is not XML, declares entities or lacks what a profile
 * has.  Free with rc_anchor_fini(), even where it fails.
 */
int rc_anchor_read(struct rc_anchor *a, const char *document, size_t bytes,
                   struct rc_error *err);
void rc_anchor_fini(struct rc_anchor *a);

/* The value of an attribute of the file; NULL: it has none of that name. */
const char *rc_anchor_attribute(const struct rc_anchor *a, const char *key);

/* A number that a text of the anchor is; UINT64_MAX: it is none. */
uint64_t rc_anchor_number(const char *text);

#endif
