/* Finds by trial which events count beside some others, in one group.
 *
 * The source tries each event; events that can replace each other in any group share
 * one trial.
 */
#include "campaign/commands/beside.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 64 };

/* The given events, by the source's numbers, with room for one more. */
struct given {
    const struct rc_catalogue *catalogue;
    size_t event[NAMES_MOST]; /* indices in the catalogue */
    uint32_t number[NAMES_MOST + 1];
    size_t count;
};

/* The result for a class of events that are alike. */
struct class
{
    uint32_t domain, alike;
    bool fits;
};

/* Finds the event of that name, in upper or lower case; otherwise names the nearest. */
static int find_event(const struct rc_catalogue *c, const char *name, size_t *out,
                      struct rc_error *err)
{
    char text[128], near[128];
    const char **names;
    int nearest;

    for (*out = 0; *out < c->count; (*out)++)
        if (strcasecmp(c->event[*out].name, name) == 0)
            return RC_OK;
    names = rc_calloc(c->count + 1, sizeof *names);
    for (size_t i = 0; names && i < c->count; i++)
        names[i] = c->event[i].name;
    nearest = names ? rc_text_nearest(name, names) : -1;
    rc_text_printable(text, sizeof text, name);
    rc_text_printable(near, sizeof near, nearest < 0 ? "" : names[nearest]);
    free((void *)names);
    return nearest < 0 ? rc_fail(err, RC_EMISSING, "--with: no event '%s' on kind %s",
                                 text, c->kind.name)
                       : rc_fail(err, RC_EMISSING,
                                 "--with: no event '%s' on kind %s, did you mean '%s'?",
                                 text, c->kind.name, near);
}

static int add_given(struct given *g, const char *name, struct rc_error *err)
{
    const struct rc_catalogue *c = g->catalogue;
    size_t at;
    int status = find_event(c, name, &at, err);

    if (status != RC_OK)
        return status;
    const struct rc_event *e = &c->event[at], *first = &c->event[g->event[0]];
    if (g->count == NAMES_MOST)
        return rc_fail(err, RC_EUSAGE, "--with: expected at most %d events",
                       NAMES_MOST);
    if (e->verdict != RC_VERDICT_OK)
        return rc_fail(err, rc_verdict_status(e->verdict),
                       "--with: '%.128s' cannot be counted: %s, %s", e->name,
                       rc_verdict_name(e->verdict), e->reason);
    if (g->count && e->source != first->source)
        return rc_fail(err, RC_ECONFLICT,
                       "--with: '%.128s' belongs to source %s and '%.128s' to %s: they "
                       "are never in one group",
                       first->name, c->source[first->source].source->name, e->name,
                       c->source[e->source].source->name);
    for (size_t i = 0; i < g->count; i++)
        if (g->event[i] == at)
            return RC_OK;
    g->event[g->count] = at;
    g->number[g->count++] = e->number;
    return RC_OK;
}

/* Whether the first 'count' of g->number count together. */
static bool counts(struct given *g, size_t count, struct rc_trial *trial,
                   struct rc_beside *out)
{
    const struct rc_catalogue *c = g->catalogue;
    const struct rc_open_source *s = &c->source[c->event[g->event[0]].source];

    if (s->source->any_number)
        return true;
    out->trials++;
    s->source->trial(s->state, g->number, count, trial);
    return trial->verdict == RC_VERDICT_OK;
}

/* Tries one more event, unless one like it was tried. */
static int try_event(struct given *g, const struct rc_event *e, struct class **known,
                     size_t *count, size_t *room, bool *fits, struct rc_beside *out,
                     struct rc_error *err)
{
    struct rc_trial trial = {.verdict = RC_VERDICT_UNTRIED};

    for (size_t i = 0; e->alike && i < *count; i++)
        if ((*known)[i].domain == e->domain && (*known)[i].alike == e->alike) {
            *fits = (*known)[i].fits;
            return RC_OK;
        }
    g->number[g->count] = e->number;
    *fits = counts(g, g->count + 1, &trial, out);
    if (!e->alike)
        return RC_OK;
    if (rc_grow(known, sizeof **known, *count, room))
        return rc_fail(err, RC_ENOMEM, "no memory for trials");
    (*known)[(*count)++] = (struct class){e->domain, e->alike, *fits};
    return RC_OK;
}

int rc_beside_find(const struct rc_catalogue *c, const char *const *name,
                   struct rc_beside *out, struct rc_error *err)
{
    struct given g = {.catalogue = c};
    struct rc_trial trial = {.verdict = RC_VERDICT_UNTRIED};
    struct class *known = NULL;
    size_t count = 0, room = 0;
    int status = RC_OK;

    *out = (struct rc_beside){.fits = rc_calloc(c->count, sizeof *out->fits)};
    if (!out->fits)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", c->count);
    for (; *name; name++)
        if ((status = add_given(&g, *name, err)) != RC_OK)
            return status;
    if (!counts(&g, g.count, &trial, out))
        return rc_fail(err, RC_ECONFLICT, "--with: these do not count together: %s",
                       trial.reason);
    const struct rc_event *first = &c->event[g.event[0]];
    for (size_t i = 0; i < c->count; i++) {
        const struct rc_event *e = &c->event[i];
        bool given = false;
        for (size_t k = 0; k < g.count; k++)
            given |= g.event[k] == i;
        if (given || e->source != first->source || e->verdict != RC_VERDICT_OK)
            continue;
        out->of++;
        if (e->domain == first->domain)
            status = try_event(&g, e, &known, &count, &room, &out->fits[i], out, err);
        out->count += out->fits[i];
        if (status != RC_OK)
            break;
    }
    free(known);
    return status;
}
