/* Lists the events of all sources of a node and tries each alone, for its verdict.
 *
 * Sources hand their events one by one to a sink, which keeps those that the spec
 * wants: there may be half a million, of which a campaign uses few.  Descriptions and
 * reasons repeat, so equal ones are kept once.
 */
#include "campaign/catalogue/catalogue.h"

#include "campaign/base/clock.h"
#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

/* The sink that takes the events of one source that the spec wants. */
struct taker {
    struct rc_event_sink sink; /* first: take_event() gets its address */
    struct rc_catalogue *catalogue;
    const struct rc_spec *spec;
    uint32_t source; /* its index in the catalogue */
    uint32_t number; /* of the next event: sources number theirs from 0 on */
    const char *const *references; /* names, ended by NULL; or NULL */
    struct rc_event *offered;      /* by index in 'references': events of the source */
};

static int keep_strings(struct rc_catalogue *c, const struct rc_event_info *info,
                        struct rc_event *event, struct rc_error *err)
{
    event->name = rc_pool_copy(c->pool, info->name);
    event->description = rc_pool_intern(c->pool, info->description);
    event->evidence = rc_pool_intern(c->pool, info->evidence);
    if (!event->name || !event->description || !event->evidence)
        return rc_fail(err, RC_ENOMEM, "no memory for more than %zu events", c->count);
    return RC_OK;
}

/* Keeps the event for each pattern that it is nearer to than those before.  After very
 * many events it stops, since that takes long.
 */
static int note_near(struct rc_catalogue *c, const struct rc_patterns *p,
                     const char *name, struct rc_error *err)
{
    enum { OFFERED_MOST = 20000 };

    for (size_t i = 0; i < p->count && i < RC_PATTERNS_NEAR; i++)
        if (c->offered <= OFFERED_MOST && p->item[i][0] != '!' &&
            rc_patterns_is_nearer(p, i, c->near[i], name) &&
            !(c->near[i] = rc_pool_intern(c->pool, name)))
            return rc_fail(err, RC_ENOMEM, "no memory for events");
    return RC_OK;
}

/* rc_event_sink.add: counts and numbers every event, keeps those that are wanted, and
 * those that may become the reference, wanted or not.
 */
static int take_event(struct rc_event_sink *sink, const struct rc_event_info *info,
                      struct rc_error *err)
{
    struct taker *taker = (struct taker *)(void *)sink;
    struct rc_catalogue *c = taker->catalogue;
    struct rc_event event = {.source = taker->source,
                             .number = taker->number++,
                             .domain = info->domain,
                             .alike = info->alike,
                             .scope = (uint8_t)info->scope,
                             .verdict = RC_VERDICT_UNTRIED,
                             .preset = info->preset,
                             .simulated = info->simulated,
                             .state = info->state,
                             .reason = ""};

    size_t i = 0;
    int status = RC_OK;

    c->offered++;
    while (taker->references && i < RC_REFERENCES_MOST && taker->references[i] &&
           strcmp(taker->references[i], info->name) != 0)
        i++;
    if (taker->references && i < RC_REFERENCES_MOST && taker->references[i]) {
        taker->offered[i] = event;
        status = keep_strings(c, info, &taker->offered[i], err);
    }
    if (status != RC_OK)
        return status;
    if (!rc_spec_takes(taker->spec, info->name, info->scope))
        return note_near(c, &taker->spec->events, info->name, err);
    if ((status = keep_strings(c, info, &event, err)) != RC_OK)
        return status;
    if (rc_grow(&c->event, sizeof *c->event, c->count, &c->room))
        return rc_fail(err, RC_ENOMEM, "no memory for more than %zu events", c->count);
    c->event[c->count++] = event;
    return RC_OK;
}

static int list_events(struct rc_catalogue *c, const struct rc_spec *spec,
                       struct rc_error *err)
{
    const struct rc_enumerate what = {spec->qualifiers, spec->presets};
    const char *const named[] = {spec->reference, NULL};

    for (size_t i = 0; i < c->source_count; i++) {
        struct rc_open_source *s = &c->source[i];
        struct taker taker = {.sink = {take_event},
                              .catalogue = c,
                              .spec = spec,
                              .source = (uint32_t)i,
                              .references = named,
                              .offered = s->offered};
        if (strcmp(spec->reference, "none") == 0)
            taker.references = NULL;
        else if (strcmp(spec->reference, "auto") == 0)
            taker.references =
                s->source->references ? s->source->references(s->state) : NULL;
        int status = s->source->enumerate(s->state, &what, &taker.sink, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Makes names that no event has prefixes of names, and drops events that were kept only
 * because they begin with a name that another event has.
 */
static int widen_patterns(struct rc_catalogue *c, const struct rc_spec *spec,
                          struct rc_error *err)
{
    struct rc_patterns wide = spec->events;
    bool *used = rc_calloc(wide.count, sizeof *used);
    size_t kept = 0;

    c->begins = rc_calloc(wide.count, sizeof *c->begins);
    if (!used || !c->begins) {
        free(used);
        return rc_fail(err, RC_ENOMEM, "no memory for %zu patterns", wide.count);
    }
    for (size_t e = 0; e < c->count; e++)
        rc_patterns_note(&wide, c->event[e].name, used);
    rc_patterns_widen(&wide, used, c->begins);
    for (size_t e = 0; e < c->count; e++)
        if (rc_patterns_take(&wide, c->event[e].name))
            c->event[kept++] = c->event[e];
    c->count = kept;
    free(used);
    return RC_OK;
}

/* Chooses each source's first possible reference that counts.  A reference that the
 * spec names must exist.
 */
static int choose_references(struct rc_catalogue *c, const struct rc_spec *spec,
                             struct rc_error *err)
{
    bool found =
        strcmp(spec->reference, "auto") == 0 || strcmp(spec->reference, "none") == 0;

    for (size_t n = 0; n < c->source_count; n++) {
        struct rc_open_source *s = &c->source[n];
        for (size_t i = 0; i < RC_REFERENCES_MOST && !s->reference.name; i++) {
            struct rc_trial trial = {.verdict = RC_VERDICT_UNTRIED};
            if (!s->offered[i].name)
                continue;
            s->source->trial(s->state, &s->offered[i].number, 1, &trial);
            if (trial.verdict == RC_VERDICT_OK)
                s->reference = s->offered[i];
        }
        found |= s->reference.name != NULL;
    }
    return found ? RC_OK
                 : rc_fail(err, RC_EMISSING,
                           "reference: no source here counts an event '%s'",
                           spec->reference);
}

/* Adds, starts and reads each event alone, since a library's list may be wrong. */
static int try_all(struct rc_catalogue *c, struct rc_error *err)
{
    uint64_t start = rc_clock_ns();

    for (size_t i = 0; i < c->count; i++) {
        struct rc_event *event = &c->event[i];
        struct rc_open_source *s = &c->source[event->source];
        struct rc_trial trial = {.verdict = RC_VERDICT_UNTRIED};
        s->source->trial(s->state, &event->number, 1, &trial);
        event->verdict = (uint8_t)trial.verdict;
        event->reason = rc_pool_intern(c->pool, trial.reason);
        if (!event->reason)
            return rc_fail(err, RC_ENOMEM, "no memory for the verdicts of %zu events",
                           c->count);
    }
    c->trial_ns = rc_clock_ns() - start;
    return RC_OK;
}

/* Opens one source ("NAME" or "NAME:ARGUMENT") after the open ones. */
static int open_source(struct rc_catalogue *c, const struct rc_spec *spec,
                       const char *words, struct rc_error *err)
{
    char name[64];
    const char *colon = strchr(words, ':');

    snprintf(name, sizeof name, "%.*s", (int)strcspn(words, ":"), words);
    const struct rc_source *source = rc_source_find(name);
    const char *reason = source && source->unavailable ? source->unavailable() : NULL;
    if (!source)
        return rc_fail(err, RC_EMISSING, "no source '%s' in this build", name);
    if (reason)
        return rc_fail(err, RC_EUNSUPPORTED, "source '%s' cannot be used here: %s",
                       name, reason);
    struct rc_open_source *s = &c->source[c->source_count];
    const struct rc_geometry geometry = rc_machine_geometry(c->machine);
    struct rc_source_setup setup = {.argument = colon ? colon + 1 : NULL,
                                    .seed = spec->seed,
                                    .geometry = &geometry};
    setup.cpu = rc_machine_cpus(c->machine, &setup.cpu_count);
    int status = source->open(&setup, &s->state, err);
    if (status != RC_OK)
        return status;
    s->source = source;
    s->label = source->label_of ? source->label_of(s->state) : NULL;
    s->label = s->label ? s->label : source->label;
    source->identify(s->state, s->counter_set, sizeof s->counter_set);
    rc_text_printable(s->counter_set, sizeof s->counter_set, s->counter_set);
    if (source->costs) {
        char costs[256];
        source->costs(s->state, costs, sizeof costs);
        rc_text_append(c->remark, sizeof c->remark, "%s%s: %s",
                       c->remark[0] ? "; " : "", name, costs);
    }
    c->source_count++;
    return RC_OK;
}

/* 'auto': papi if a hardware counter really counts; else soft, and papi for the
 * software events that do count.
 */
static int open_auto(struct rc_catalogue *c, const struct rc_spec *spec,
                     struct rc_error *err)
{
    struct rc_error papi = {.text = ""}, soft = {.text = ""};
    char why[256] = "";
    size_t first = c->source_count;

    if (open_source(c, spec, "papi", &papi) == RC_OK) {
        struct rc_open_source *s = &c->source[first];
        if (s->source->hardware && s->source->hardware(s->state, why, sizeof why)) {
            rc_text_append(c->remark, sizeof c->remark, "%sauto: papi, since %s",
                           c->remark[0] ? "; " : "", why);
            return RC_OK;
        }
        snprintf(papi.text, sizeof papi.text, "%s", why);
    }
    bool has_soft = open_source(c, spec, "soft", &soft) == RC_OK;
    bool has_papi = c->source_count - first > has_soft;
    if (!has_soft && !has_papi)
        return rc_fail(err, RC_EUNSUPPORTED,
                       "nothing counts here: %s; %s; a simulated machine works "
                       "everywhere: --source model:spr",
                       papi.text, soft.text);
    rc_text_append(c->remark, sizeof c->remark, "%sauto: %s%s%s; %.300s",
                   c->remark[0] ? "; " : "", has_soft ? "soft (single-stepping)" : "",
                   has_soft && has_papi ? " and " : "",
                   has_papi ? "papi (software events)" : "", papi.text);
    return RC_OK;
}

/* Opens the sources in the order of the spec. */
static int open_sources(struct rc_catalogue *c, const struct rc_spec *spec,
                        struct rc_error *err)
{
    /* 'auto' may open two. */
    c->source = rc_calloc(2 * spec->sources.count, sizeof *c->source);
    if (!c->source)
        return rc_fail(err, RC_ENOMEM, "no memory for the sources");
    for (size_t i = 0; i < spec->sources.count; i++) {
        const char *words = spec->sources.item[i];
        int status = strcmp(words, "auto") == 0 ? open_auto(c, spec, err)
                                                : open_source(c, spec, words, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* A source that simulates, if all simulate the same machine; NULL: one counts on this
 * machine, or they differ.
 */
static const struct rc_open_source *simulating(const struct rc_catalogue *c)
{
    const char *first = NULL;

    for (size_t i = 0; i < c->source_count; i++) {
        const struct rc_open_source *s = &c->source[i];
        const char *own = s->source->topology ? s->source->topology(s->state) : NULL;
        if (!own || (first && strcmp(own, first) != 0))
            return NULL;
        first = own;
    }
    return c->source;
}

/* Makes the machine that all sources simulate, if there is one, the catalogue's
 * machine.
 */
static int use_simulated_machine(struct rc_catalogue *c, struct rc_error *err)
{
    const struct rc_open_source *s = simulating(c);
    struct rc_machine *machine;

    if (!s)
        return RC_OK;
    const int status = rc_machine_open(RC_MACHINE_SYNTHETIC,
                                       s->source->topology(s->state), &machine, err);
    if (status != RC_OK)
        return status;
    rc_machine_close(c->machine);
    c->machine = machine;
    return RC_OK;
}

int rc_catalogue_open(const struct rc_spec *spec, bool with_trial,
                      struct rc_catalogue **out, struct rc_error *err)
{
    struct rc_catalogue *c = rc_calloc(1, sizeof *c);
    char counter_set[1024] = "";
    int status;

    *out = NULL;
    if (!c || !(c->pool = rc_pool_create())) {
        status = rc_fail(err, RC_ENOMEM, "no memory for the catalogue");
        goto out;
    }
    c->axes = rc_spec_axes(spec);
    if ((status = rc_machine_open(RC_MACHINE_THIS, NULL, &c->machine, err)) != RC_OK ||
        (status = open_sources(c, spec, err)) != RC_OK ||
        (status = use_simulated_machine(c, err)) != RC_OK ||
        (status = list_events(c, spec, err)) != RC_OK ||
        (status = widen_patterns(c, spec, err)) != RC_OK)
        goto out;
    if (with_trial) {
        if ((status = choose_references(c, spec, err)) != RC_OK ||
            (status = try_all(c, err)) != RC_OK)
            goto out;
    }
    /* The kind is the machine with all its counter sets. */
    for (size_t i = 0; i < c->source_count; i++)
        rc_text_append(counter_set, sizeof counter_set, "%s%s: %s", i ? "; " : "",
                       c->source[i].source->name, c->source[i].counter_set);
    const struct rc_open_source *s = simulating(c);
    rc_machine_kind(c->machine, s ? s->source->machine(s->state) : NULL, counter_set,
                    &c->kind);
    *out = c;
    return RC_OK;
out:
    rc_catalogue_close(c);
    return status;
}

void rc_catalogue_close(struct rc_catalogue *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->source_count; i++)
        c->source[i].source->close(c->source[i].state);
    free(c->source);
    free(c->event);
    free(c->begins);
    rc_machine_close(c->machine);
    rc_pool_close(c->pool);
    free(c);
}

static struct rc_suite_request request_with(const struct rc_catalogue *c,
                                            const struct rc_geometry *own)
{
    return (struct rc_suite_request){.geometry =
                                         own ? *own : rc_machine_geometry(c->machine),
                                     .axes = &c->axes,
                                     .workers = c->workers};
}

static const struct rc_geometry *geometry_of(const struct rc_open_source *s)
{
    return s->source->geometry ? s->source->geometry(s->state) : NULL;
}

struct rc_suite_request rc_catalogue_request(const struct rc_catalogue *c,
                                             size_t source)
{
    return request_with(c, geometry_of(&c->source[source]));
}

struct rc_suite_request rc_catalogue_campaign_request(const struct rc_catalogue *c)
{
    size_t i = 0;

    while (i < c->source_count && !geometry_of(&c->source[i]))
        i++;
    return request_with(c, i < c->source_count ? geometry_of(&c->source[i]) : NULL);
}

bool rc_catalogue_simulated(const struct rc_catalogue *c)
{
    return simulating(c) != NULL;
}

uint32_t rc_catalogue_nodes(const struct rc_catalogue *c)
{
    const struct rc_open_source *s = simulating(c);

    return s && s->source->nodes ? s->source->nodes(s->state) : 0;
}

void rc_catalogue_tally(const struct rc_catalogue *c, size_t *tally)
{
    memset(tally, 0, RC_VERDICT_COUNT * sizeof *tally);
    for (size_t i = 0; i < c->count; i++)
        tally[c->event[i].verdict]++;
}

int rc_catalogue_idle_patterns(const struct rc_catalogue *c,
                               const struct rc_patterns *p, char *out, size_t room,
                               struct rc_error *err)
{
    enum { NAMED_MOST = 5 };
    bool *used = rc_calloc(p->count, sizeof *used);
    struct rc_patterns wide = *p;
    const char *near = NULL;
    char name[80];
    size_t idle = 0;

    out[0] = 0;
    if (!used)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu patterns", p->count);
    wide.begins = c->begins;
    for (size_t e = 0; e < c->count; e++)
        rc_patterns_note(&wide, c->event[e].name, used);
    for (size_t i = 0; i < p->count; i++) {
        if (rc_patterns_is_noted(p, i, used) || p->item[i][0] == '!')
            continue;
        near = !near && i < RC_PATTERNS_NEAR ? c->near[i] : near;
        if (idle++ >= NAMED_MOST)
            continue;
        if (idle == 1)
            rc_text_append(out, room, "no event on kind %s matches", c->kind.name);
        rc_text_append(out, room, "%s '%s'", idle > 1 ? "," : "",
                       rc_text_printable(name, sizeof name, p->item[i]));
    }
    if (idle > NAMED_MOST)
        rc_text_append(out, room, " and %zu more patterns", idle - NAMED_MOST);
    if (near)
        rc_text_append(out, room, ", did you mean '%s'?",
                       rc_text_printable(name, sizeof name, near));
    free(used);
    return RC_OK;
}
