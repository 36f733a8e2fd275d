/* Numbers of kinds, suites and events in the result: those that it keeps, in the order
 * of their lists.  A mean or difference keeps what all operands have.
 */
#include "campaign/base/text.h"
#include "campaign/merge/parts.h"

#include <inttypes.h>

/* Numbers a list whose items, 'bytes' long, begin with a struct rc_merge_item.  Returns
 * how many are kept.
 */
static uint32_t number_items(struct rc_merge *m, const char *what, void *list,
                             size_t count, size_t bytes)
{
    const char *first = NULL;
    uint32_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct rc_merge_item *item = (void *)((char *)list + i * bytes);
        const bool keeps = !rc_merge_is_aligned(m) || item->operands == m->count;
        item->number = keeps ? kept++ : RC_MERGE_NONE;
        if (!keeps && !first)
            first = item->name;
    }
    const uint64_t dropped = count - kept;
    if (first)
        rc_merge_say(m, "%" PRIu64 " %s%s not in all campaigns and left out: %s%s",
                     dropped, what, rc_text_plural(dropped, " is", "s are"),
                     rc_text_plural(dropped, "", "the first is "), first);
    return kept;
}

int rc_merge_number(struct rc_merge *m, struct rc_error *err)
{
    if (number_items(m, "kind", m->kind, m->kind_count, sizeof *m->kind) == 0)
        return rc_fail(err, RC_ECONFLICT, "no kind of machine is in all campaigns");
    for (size_t k = 0; k < m->kind_count; k++) {
        struct rc_merge_kind *kind = &m->kind[k];
        if (kind->item.number == RC_MERGE_NONE)
            continue;
        number_items(m, "suite", kind->suite, kind->suite_count, sizeof *kind->suite);
        number_items(m, "event", kind->event, kind->event_count, sizeof *kind->event);
    }
    return RC_OK;
}
