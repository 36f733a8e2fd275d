/* labels.h - texts that a file has once and refers to by number */
#ifndef RC_CAMPAIGN_PROFILE_READ_LABELS_H
#define RC_CAMPAIGN_PROFILE_READ_LABELS_H

#include "campaign/base/arena.h"
#include "campaign/base/error.h"
#include "campaign/base/map.h"

/* Begins zeroed.  A text that finds no memory is noted, and its number is 0. */
struct rc_labels {
    const char **text; /* by number, in the order in which they were met */
    size_t count, room;
    struct rc_map map; /* from texts to numbers */
    struct rc_arena memory;
};

/* The number of a text, from 0 on; a new one is 'count' - 1 then.  The text stays the
 * caller's, and must live as long.
 */
size_t rc_labels_find(struct rc_labels *labels, const char *text);

/* The same of a text that does not live: a new one is copied. */
size_t rc_labels_copy(struct rc_labels *labels, const char *text);

/* RC_ENOMEM if something was noted. */
int rc_labels_check(const struct rc_labels *labels, struct rc_error *err);

void rc_labels_fini(struct rc_labels *labels);

#endif
