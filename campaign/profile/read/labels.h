/* labels.h - texts that a file has once and refers to by number */
#ifndef RC_CAMPAIGN_PROFILE_READ_LABELS_H
#define RC_CAMPAIGN_PROFILE_READ_LABELS_H

#include "campaign/base/error.h"
#include "campaign/base/map.h"

/* Begins zeroed.  The texts stay the caller's, and must live as long. */
struct rc_labels {
    const char **text; /* by number, in the order in which they were met */
    size_t count, room;
    struct rc_map map; /* from texts to numbers */
};

/* The number of a text, from 0 on; a new one is 'count' - 1 then.  RC_ENOMEM. */
int rc_labels_find(struct rc_labels *labels, const char *text, size_t *number,
                   struct rc_error *err);

/* The same of a text that does not live: a new one is kept as a copy in 'pool'. */
struct rc_pool;
int rc_labels_copy(struct rc_labels *labels, struct rc_pool *pool, const char *text,
                   size_t *number, struct rc_error *err);

void rc_labels_fini(struct rc_labels *labels);

#endif
