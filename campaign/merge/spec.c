/* The campaign file of the result. */
#include "campaign/merge/parts.h"

#include <stdlib.h>
#include <string.h>

static void say(void *arg, const char *line)
{
    rc_merge_say(arg, "%s", line);
}

/* The names of all events, for where patterns cannot say it. */
static const char **list_names(const struct rc_merge *m, size_t *count)
{
    size_t most = 0;
    const char **name;

    for (size_t k = 0; k < m->kinds_kept; k++)
        most += m->kind[k].event_count;
    name = rc_calloc(most, sizeof(char *));
    *count = 0;
    for (size_t k = 0; k < m->kinds_kept && name; k++)
        for (size_t e = 0; e < m->kind[k].event_count; e++)
            name[(*count)++] = m->kind[k].event[e].record.name;
    return name;
}

static int unite(struct rc_merge *m, struct rc_error *err)
{
    const struct rc_spec **spec = rc_calloc(m->count, sizeof(void *));
    struct rc_spec_unite job = {.spec = spec, .count = m->count, .say = say, .arg = m};
    const char **name = list_names(m, &job.event_count);
    int status = spec && name ? RC_OK : rc_merge_no_memory(err);

    job.event = name;
    for (size_t i = 0; spec && i < m->count; i++)
        spec[i] = &m->operand[i].spec;
    if (status == RC_OK)
        status = rc_spec_unite(&job, &m->spec_text, &m->spec_bytes, err);
    free(name);
    free(spec);
    return status;
}

/* Nobody goes on with a mean: it says what its first operand says. */
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
                                      : unite(m, err);
    m->spec_text = strdup(first);
    return m->spec_text ? RC_OK : rc_merge_no_memory(err);
}
