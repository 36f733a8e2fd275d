/* The fewest passes that complete the trees: the events that nodes are made of, packed
 * into groups by trials of the source that counts them.
 */
#include "campaign/base/text.h"
#include "campaign/grouping/groups.h"
#include "campaign/hierarchy/parts.h"

#include <stdlib.h>
#include <string.h>

int rc_hierarchy_catalogue_read(struct rc_hierarchy_kind *k,
                                const struct rc_catalogue *c,
                                const struct rc_hierarchies *all,
                                const struct rc_hierarchy_request *request,
                                struct rc_error *err)
{
    struct rc_hierarchy_event *event =
        rc_arena_array(&k->arena, c->count, sizeof *event);

    if (!event)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", c->count);
    for (size_t e = 0; e < c->count; e++)
        event[e] = (struct rc_hierarchy_event){
            .name = c->event[e].name,
            .reason = c->event[e].reason[0]
                          ? c->event[e].reason
                          : rc_verdict_name((enum rc_verdict)c->event[e].verdict),
            .counted = c->event[e].verdict == RC_VERDICT_OK ||
                       c->event[e].verdict == RC_VERDICT_COUNTS_NOTHING,
            .simulated = c->event[e].simulated};
    k->machine = (struct rc_hierarchy_machine){.kind = c->kind.name,
                                               .shape = "",
                                               .event = event,
                                               .event_count = c->count,
                                               .insist = request->insist};
    snprintf(k->unchecked, sizeof k->unchecked, "there are none without a campaign");
    return rc_hierarchy_fill(all, &k->machine, &k->h, err);
}

/* The events of one source that chosen nodes are made of. */
static size_t collect_events(const struct rc_hierarchy_kind *k, const bool *chosen,
                             const struct rc_catalogue *c, uint32_t source,
                             struct rc_group_event *out)
{
    size_t count = 0;

    for (size_t e = 0; e < c->count; e++) {
        const struct rc_event *event = &c->event[e];
        bool used = false;
        if (event->source != source)
            continue;
        for (size_t n = 0; n < k->h.count && !used; n++)
            for (size_t t = 0; chosen[n] && t < k->h.node[n].term_count; t++)
                used |= strcmp(k->machine.event[k->h.node[n].term[t].event].name,
                               event->name) == 0;
        if (used)
            out[count++] =
                (struct rc_group_event){.event = event->number,
                                        .domain = event->domain,
                                        .alike = event->alike,
                                        .scope = (enum rc_scope)event->scope};
    }
    return count;
}

static const char *name_of(const struct rc_catalogue *c, uint32_t source,
                           uint32_t number)
{
    for (size_t e = 0; e < c->count; e++)
        if (c->event[e].source == source && c->event[e].number == number)
            return c->event[e].name;
    return c->source[source].reference.name ? c->source[source].reference.name : "";
}

static int plan_source(const struct rc_hierarchy_kind *k, const bool *chosen,
                       const struct rc_catalogue *c, uint32_t source, size_t *pass,
                       struct rc_json *json, FILE *out, struct rc_error *err)
{
    const struct rc_open_source *from = &c->source[source];
    const struct rc_event *r = &c->source[source].reference;
    const struct rc_group_event reference = {
        .event = r->number, .domain = r->domain, .scope = (enum rc_scope)r->scope};
    const struct rc_groups_setup setup = {.reference = r->name ? &reference : NULL};
    struct rc_group_event *event = rc_calloc(c->count, sizeof *event);
    struct rc_groups groups;
    char name[256];

    if (!event)
        return rc_fail(err, RC_ENOMEM, "no memory for the passes");
    const size_t count = collect_events(k, chosen, c, source, event);
    const int status = rc_groups_of_source(from->source, from->state, event, count,
                                           &setup, &groups, err);
    free(event);
    if (status != RC_OK)
        return status;
    for (size_t g = 0; g < groups.count; g++) {
        const struct rc_group *group = &groups.group[g];
        ++*pass;
        if (json)
            rc_json_array(json, NULL);
        else
            fprintf(out, "pass %zu:", *pass);
        for (size_t i = 0; i < group->count; i++) {
            const char *of = name_of(c, source, group->events[i]);
            if (json)
                rc_json_text(json, NULL, of);
            else
                fprintf(out, "%s %s", i ? "," : "",
                        rc_text_printable(name, sizeof name, of));
        }
        if (json)
            rc_json_end(json);
        else
            fputc('\n', out);
    }
    rc_groups_fini(&groups);
    return RC_OK;
}

int rc_hierarchy_passes(const struct rc_hierarchy_kind *k, const bool *chosen,
                        const struct rc_catalogue *c, struct rc_json *json, FILE *out,
                        struct rc_error *err)
{
    size_t pass = 0;
    int status = RC_OK;

    if (json)
        rc_json_array(json, "passes");
    for (uint32_t s = 0; s < c->source_count; s++)
        if ((status = plan_source(k, chosen, c, s, &pass, json, out, err)) != RC_OK)
            break;
    if (json)
        rc_json_end(json);
    else if (status == RC_OK)
        fprintf(
            out,
            "%zu pass%s complete%s the trees, as far as there are events for them\n",
            pass, pass == 1 ? "" : "es", pass == 1 ? "s" : "");
    return status;
}
