/* A hash table of a simulated machine's event names, also of lines that stand for
 * many.
 */
#include "campaign/sources/model/names.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/sources/model/file.h"

#include <stdlib.h>
#include <string.h>

struct rc_model_slot {
    uint32_t tag;            /* other bits of the hash than those that chose the slot */
    uint32_t event_plus_one; /* 0: empty */
};

int rc_model_names_init(struct rc_model_names *names, const struct rc_model *model)
{
    *names = (struct rc_model_names){.model = model, .slot_count = 64};
    while (names->slot_count < (size_t)model->event_count * 2)
        names->slot_count *= 2;
    names->slot = rc_calloc(names->slot_count, sizeof *names->slot);
    return names->slot ? 0 : -1;
}

void rc_model_names_fini(struct rc_model_names *names)
{
    free(names->slot);
    *names = (struct rc_model_names){0};
}

/* The slot of that name, or the empty one where it belongs. */
static struct rc_model_slot *find(const struct rc_model_names *names, const char *name,
                                  uint32_t tag, size_t at)
{
    char other[RC_MODEL_NAME_MAX + 1];

    for (;; at++) {
        struct rc_model_slot *slot = &names->slot[at & (names->slot_count - 1)];
        if (slot->event_plus_one == 0)
            return slot;
        if (slot->tag != tag)
            continue;
        rc_model_event_name(names->model, slot->event_plus_one - 1, other);
        if (strcmp(name, other) == 0)
            return slot;
    }
}

static struct rc_model_slot *find_name(const struct rc_model_names *names,
                                       const char *name, uint32_t *tag)
{
    uint64_t hash = rc_text_hash(name);

    *tag = (uint32_t)(hash >> 32);
    return find(names, name, *tag, (size_t)(hash ^ (hash >> 29)));
}

uint32_t rc_model_names_add(struct rc_model_names *names, uint32_t event,
                            const char *name)
{
    uint32_t tag;
    struct rc_model_slot *slot = find_name(names, name, &tag);

    if (slot->event_plus_one == 0)
        *slot = (struct rc_model_slot){tag, event + 1};
    return slot->event_plus_one - 1;
}

bool rc_model_names_has(const struct rc_model_names *names, const char *name)
{
    uint32_t tag;

    return find_name(names, name, &tag)->event_plus_one != 0;
}

const struct rc_model_line *rc_model_line_of(const struct rc_model *model,
                                             uint32_t event, struct rc_model_at *at)
{
    size_t low = 0, high = model->line_count;

    while (high - low > 1) { /* the last line that begins at or before 'event' */
        size_t middle = low + (high - low) / 2;
        if (model->line[middle].first <= event)
            low = middle;
        else
            high = middle;
    }
    const struct rc_model_line *line = &model->line[low];
    rc_model_range_at(&line->range, event - line->first, at);
    return line;
}

void rc_model_event_name(const struct rc_model *model, uint32_t event, char *out)
{
    struct rc_model_at at;
    const struct rc_model_line *line = rc_model_line_of(model, event, &at);

    rc_model_render(line->name, &line->range, &at, out, RC_MODEL_NAME_MAX + 1);
}
