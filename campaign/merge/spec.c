/* Makes the result's campaign file: the operands' own if all have the same, else the
 * union of what they ask for.
 */
#include "campaign/merge/parts.h"

#include <stdlib.h>
#include <string.h>

static int join_specs(struct rc_merge *m, struct rc_error *err)
{
    struct rc_arena arena = {0};
    size_t events = 0, count = 0;

    for (size_t k = 0; k < m->kind_count; k++)
        events += m->kind[k].event_count;
    /* Lists all events by name, for what patterns cannot say. */
    const char **name = rc_arena_array(&arena, events, sizeof *name);
    const struct rc_spec **spec =
        rc_arena_array(&arena, m->count, sizeof(const struct rc_spec *));
    int status = rc_arena_check(&arena, err, "the names of events");
    if (status != RC_OK)
        goto out;
    for (size_t k = 0; k < m->kind_count; k++)
        for (size_t e = 0; e < m->kind[k].event_count; e++)
            name[count++] = m->kind[k].event[e].item.name;
    for (size_t i = 0; i < m->count; i++)
        spec[i] = &m->operand[i].spec;
    struct rc_spec_unite job = {.spec = spec,
                                .count = m->count,
                                .event = name,
                                .event_count = events,
                                .say = m->job->say,
                                .arg = m->job->arg};
    status = rc_spec_unite(&job, &m->spec_text, &m->spec_bytes, err);
out:
    rc_arena_free(&arena);
    return status;
}

/* Takes the first operand's file for a mean or difference: no run can continue it, so
 * only people read the file.
 */
int rc_merge_spec(struct rc_merge *m, struct rc_error *err)
{
    const char *first = m->operand[0].campaign->record.spec;
    bool same = first != NULL;

    for (size_t i = 1; i < m->count && same && !rc_merge_is_aligned(m); i++)
        same = m->operand[i].campaign->record.spec &&
               strcmp(first, m->operand[i].campaign->record.spec) == 0;
    if (!same)
        return rc_merge_is_aligned(m) ? rc_spec_text(&m->operand[0].spec, &m->spec_text,
                                                     &m->spec_bytes, err)
                                      : join_specs(m, err);
    m->spec_text = strdup(first);
    return m->spec_text ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for a text");
}
