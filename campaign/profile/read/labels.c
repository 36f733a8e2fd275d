/* Texts of an exported file, each once. */
#include "campaign/profile/read/labels.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

static bool has_text(const void *context, size_t item, const void *key)
{
    const struct rc_labels *labels = context;

    return strcmp(labels->text[item], key) == 0;
}

int rc_labels_find(struct rc_labels *labels, const char *text, size_t *number,
                   struct rc_error *err)
{
    const uint64_t hash = rc_text_hash(text);

    labels->map.same = has_text;
    *number = rc_map_find(&labels->map, labels, hash, text);
    if (*number != RC_MAP_NONE)
        return RC_OK;
    *number = labels->count;
    if (rc_grow(&labels->text, sizeof *labels->text, labels->count, &labels->room))
        return rc_fail(err, RC_ENOMEM, "no memory for the names of the profile");
    labels->text[labels->count++] = text;
    if (rc_map_put(&labels->map, labels, hash, text, *number))
        return rc_fail(err, RC_ENOMEM, "no memory for the names of the profile");
    return RC_OK;
}

int rc_labels_copy(struct rc_labels *labels, struct rc_pool *pool, const char *text,
                   size_t *number, struct rc_error *err)
{
    const size_t before = labels->count;
    const int status = rc_labels_find(labels, text, number, err);

    if (status != RC_OK || labels->count == before)
        return status;
    labels->text[before] = rc_pool_copy(pool, text);
    return labels->text[before]
               ? RC_OK
               : rc_fail(err, RC_ENOMEM, "no memory for the names of the profile");
}

void rc_labels_fini(struct rc_labels *labels)
{
    free((void *)labels->text);
    rc_map_fini(&labels->map);
}
