/* Finds the fewest passes that complete the trees: packs the events of the nodes into
 * groups by trials of their source.
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

/* Events of one source to be packed, by their indices in the catalogue. */
struct packing {
    const struct rc_hierarchy_kind *k;
    const struct rc_catalogue *c;
    uint32_t source;
    struct rc_group_event *event;
    size_t *at, *wanted; /* in the catalogue; 'wanted': the event that it stands for */
    size_t count;
};

static void set_event(struct packing *p, size_t i, size_t at)
{
    const struct rc_event *event = &p->c->event[at];

    p->at[i] = at;
    p->event[i] = (struct rc_group_event){.event = event->number,
                                          .domain = event->domain,
                                          .alike = event->alike,
                                          .scope = (enum rc_scope)event->scope};
}

/* Collects the source's events that are terms of chosen nodes. */
static void collect_events(struct packing *p, const bool *chosen)
{
    const struct rc_hierarchy_kind *k = p->k;

    for (size_t e = 0; e < p->c->count; e++) {
        bool used = false;
        if (p->c->event[e].source != p->source)
            continue;
        for (size_t n = 0; n < k->h.count && !used; n++)
            for (size_t t = 0; chosen[n] && t < k->h.node[n].term_count; t++)
                used |= strcmp(k->machine.event[k->h.node[n].term[t].event].name,
                               p->c->event[e].name) == 0;
        if (used) {
            p->wanted[p->count] = e;
            set_event(p, p->count++, e);
        }
    }
}

static bool are_alike(const struct rc_hierarchy_kind *k, const char *a, const char *b)
{
    const char *other;

    for (size_t n = 0; (other = rc_hierarchy_alike(&k->machine, a, n)); n++)
        if (strcmp(other, b) == 0)
            return true;
    return false;
}

/* Keeps the first of events that are alike: it is counted for all. */
static void drop_alike(struct packing *p)
{
    size_t left = 0;

    for (size_t i = 0; i < p->count; i++) {
        bool is_there = false;
        for (size_t l = 0; l < left && !is_there; l++)
            is_there =
                are_alike(p->k, p->c->event[p->at[l]].name, p->c->event[p->at[i]].name);
        if (is_there)
            continue;
        p->wanted[left] = p->wanted[i];
        set_event(p, left++, p->at[i]);
    }
    p->count = left;
}

static int pack(const struct packing *p, struct rc_groups *groups, struct rc_error *err)
{
    const struct rc_open_source *from = &p->c->source[p->source];
    const struct rc_event *r = &from->reference;
    const struct rc_group_event reference = {
        .event = r->number, .domain = r->domain, .scope = (enum rc_scope)r->scope};
    const struct rc_groups_setup setup = {.reference = r->name ? &reference : NULL};

    return rc_groups_of_source(from->source, from->state, p->event, p->count, &setup,
                               groups, err);
}

/* Replaces events by others that count the same if that makes fewer passes; 'groups'
 * are the ones found so far.
 */
static int exchange_events(struct packing *p, struct rc_groups *groups,
                           struct rc_error *err)
{
    enum { TRIES_MOST = 32 }; /* each packs again */
    int tries = TRIES_MOST, status;

    for (size_t i = 0; i < p->count; i++)
        for (size_t e = 0; e < p->c->count && groups->count > 1 && tries > 0; e++) {
            const struct rc_event *other = &p->c->event[e];
            const size_t before = p->at[i];
            struct rc_groups found;
            if (e == before || other->source != p->source ||
                other->verdict != RC_VERDICT_OK ||
                !are_alike(p->k, p->c->event[before].name, other->name))
                continue;
            tries--;
            set_event(p, i, e);
            if ((status = pack(p, &found, err)) != RC_OK)
                return status;
            const bool fewer = found.count < groups->count;
            struct rc_groups *worse = fewer ? groups : &found;
            rc_groups_fini(worse);
            if (fewer)
                *groups = found;
            else
                set_event(p, i, before);
        }
    return RC_OK;
}

static const char *name_of(const struct rc_catalogue *c, uint32_t source,
                           uint32_t number)
{
    for (size_t e = 0; e < c->count; e++)
        if (c->event[e].source == source && c->event[e].number == number)
            return c->event[e].name;
    return c->source[source].reference.name ? c->source[source].reference.name : "";
}

static void put_passes(const struct packing *p, const struct rc_groups *groups,
                       size_t *pass, struct rc_json *json, FILE *out)
{
    char name[256], other[256];

    for (size_t g = 0; g < groups->count; g++) {
        const struct rc_group *group = &groups->group[g];
        ++*pass;
        if (json)
            rc_json_array(json, NULL);
        else
            fprintf(out, "pass %zu:", *pass);
        for (size_t i = 0; i < group->count; i++) {
            const char *of = name_of(p->c, p->source, group->events[i]);
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
    for (size_t i = 0; i < p->count && !json; i++)
        if (p->at[i] != p->wanted[i])
            fprintf(
                out, "%s is counted for %s, which is the same here\n",
                rc_text_printable(name, sizeof name, p->c->event[p->at[i]].name),
                rc_text_printable(other, sizeof other, p->c->event[p->wanted[i]].name));
}

static int plan_source(const struct rc_hierarchy_kind *k, const bool *chosen,
                       const struct rc_catalogue *c, uint32_t source, size_t *pass,
                       struct rc_json *json, FILE *out, struct rc_error *err)
{
    struct rc_arena arena = {0};
    struct packing p = {.k = k,
                        .c = c,
                        .source = source,
                        .event = rc_arena_array(&arena, c->count, sizeof *p.event),
                        .at = rc_arena_array(&arena, c->count, sizeof *p.at),
                        .wanted = rc_arena_array(&arena, c->count, sizeof *p.wanted)};
    struct rc_groups groups = {0};
    int status = rc_arena_check(&arena, err, "the passes");

    if (status != RC_OK)
        goto out;
    collect_events(&p, chosen);
    drop_alike(&p);
    if ((status = pack(&p, &groups, err)) == RC_OK &&
        (status = exchange_events(&p, &groups, err)) == RC_OK)
        put_passes(&p, &groups, pass, json, out);
out:
    rc_groups_fini(&groups);
    rc_arena_free(&arena);
    return status;
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
