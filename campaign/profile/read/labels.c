/* Texts of an exported file, each once. */
#include "campaign/profile/read/labels.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

static bool has_text(const void *context, size_t item, const void *key)
{
    const struct rc_labels *labels = context;

    return strcmp(labels->text[item], key) == 0;
}

size_t rc_labels_find(struct rc_labels *labels, const char *text)
{
    const uint64_t hash = rc_text_hash(text);

    labels->map.same = has_text;
    const size_t found = rc_map_find(&labels->map, labels, hash, text),
                 number = labels->count;
    if (found != RC_MAP_NONE)
        return found;
    rc_arena_append(&labels->memory, &labels->text, sizeof text, &labels->count,
                    &labels->room, &text);
    if (labels->memory.failed || rc_map_put(&labels->map, labels, hash, text, number)) {
        labels->memory.failed = true;
        return 0;
    }
    return number;
}

size_t rc_labels_copy(struct rc_labels *labels, const char *text)
{
    const size_t before = labels->count, number = rc_labels_find(labels, text);

    if (labels->count > before)
        labels->text[before] = rc_arena_text(&labels->memory, text);
    return number;
}

int rc_labels_check(const struct rc_labels *labels, struct rc_error *err)
{
    return rc_arena_check(&labels->memory, err, "the names of the profile");
}

void rc_labels_fini(struct rc_labels *labels)
{
    free((void *)labels->text);
    rc_map_fini(&labels->map);
    rc_arena_free(&labels->memory);
}
