/* The pcp source: metrics of the Performance Co-Pilot, as its daemon pmcd gives them.
 *
 * pmcd reads counters with its own rights, such as those of memory controllers, and
 * gives them to everyone.  An event is a metric, or one instance of it, under PCP's own
 * name.  A reading takes two fetches, each of which asks pmcd and waits for its answer.
 * If the connection is lost the reading has a gap, and the next start() connects again.
 */
#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/sources/counter.h"

#include <pcp/pmapi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct rc_source rc_source_pcp;

#define PREFIX "pcp:::"
#define NO_DUTY SIZE_MAX
#define NO_INSTANCE ((int)PM_IN_NULL)

/* A metric, by its place in PCP's name space. */
struct metric {
    const char *name;
    pmID id;
    pmDesc desc;
    size_t duty; /* index of the metric that says for which part of the time this one
                  * counted; NO_DUTY: it always counts */
};

struct event {
    size_t metric;
    int instance; /* NO_INSTANCE: the metric has none */
};

struct rc_source_state {
    const char *host;    /* as pmNewContext() takes it */
    int context;         /* of the thread that opened the source; negative: none */
    unsigned connection; /* number of reconnections */
    struct rc_pool *pool;
    struct metric *metric;
    size_t metric_count, metric_room;
    struct event *event;
    size_t count, room;
};

struct rc_group_state {
    struct rc_polled polled;
    struct rc_source_state *source;
    uint32_t *event;     /* their numbers, in the order of the readings */
    size_t *at;          /* by event: index of its metric among the fetched ones */
    pmID *id;            /* fetched metrics: those of the events and of their duties */
    const char **name;   /* of the same metrics */
    size_t fetched;      /* number of these */
    unsigned connection; /* the source's when 'id' was last checked */
    pmResult *start;     /* NULL: the fetch failed */
    const char *why;     /* reason of that failure */
    pmResult *stop;
    const char *lost; /* why no event has a reading, or NULL */
    struct rc_arena arena;
};

/* Said of readings for which a fetch failed. */
static const char gap[] = "a gap: the connection to pmcd was lost";

static void pcp_close(struct rc_source_state *state)
{
    if (!state)
        return;
    if (state->context >= 0)
        pmDestroyContext(state->context);
    rc_pool_close(state->pool);
    free(state->metric);
    free(state->event);
    free(state);
}

static int pcp_open(const struct rc_source_setup *setup, struct rc_source_state **out,
                    struct rc_error *err)
{
    const char *host = setup->argument ? setup->argument : "local:";
    struct rc_source_state *state = rc_calloc(1, sizeof *state);
    char words[PM_MAXERRMSGLEN];

    *out = NULL;
    if (!state || !(state->pool = rc_pool_create()) ||
        !(state->host = rc_pool_copy(state->pool, host))) {
        if (state)
            state->context = -1;
        pcp_close(state);
        return rc_fail(err, RC_ENOMEM, "source 'pcp': no memory");
    }
    state->context = pmNewContext(PM_CONTEXT_HOST, host);
    if (state->context < 0) {
        int status = rc_fail(err, RC_EUNSUPPORTED, "source 'pcp': no pmcd at '%s': %s",
                             host, pmErrStr_r(state->context, words, sizeof words));
        pcp_close(state);
        return status;
    }
    *out = state;
    return RC_OK;
}

/* The host that was named, and the first parts of the metrics' names: the agents. */
static void pcp_identify(struct rc_source_state *state, char *out, size_t room)
{
    char **part = NULL;

    snprintf(out, room, "pmcd (%s):", state->host);
    pmUseContext(state->context);
    int count = pmGetChildren("", &part);
    for (int i = 0; i < count; i++)
        rc_text_append(out, room, " %s", part[i]);
    if (count > 0)
        free(part);
}

/* The result of a walk over the name space: names, or no memory. */
struct walk {
    struct rc_source_state *state;
    bool failed;
};

/* Metrics of single processes are left out: their instances come and go. */
static void take_name(const char *name, void *closure)
{
    struct walk *walk = closure;
    struct rc_source_state *state = walk->state;

    if (walk->failed || strncmp(name, "proc.", 5) == 0 ||
        strncmp(name, "hotproc.", 8) == 0)
        return;
    struct metric metric = {.name = rc_pool_copy(state->pool, name), .duty = NO_DUTY};
    if (!metric.name || rc_grow(&state->metric, sizeof *state->metric,
                                state->metric_count, &state->metric_room))
        walk->failed = true;
    else
        state->metric[state->metric_count++] = metric;
}

/* Numbers and descriptions of all metrics; one that has none keeps PM_ID_NULL. */
static int look_up_metrics(struct rc_source_state *state, struct rc_error *err)
{
    const size_t count = state->metric_count;
    const char **name = rc_calloc(count, sizeof(char *));
    pmID *id = rc_calloc(count, sizeof *id);

    if (!name || !id) {
        free(name);
        free(id);
        return rc_fail(err, RC_ENOMEM, "source 'pcp': no memory for %zu metrics",
                       count);
    }
    for (size_t i = 0; i < count; i++)
        name[i] = state->metric[i].name;
    if (count)
        (void)pmLookupName((int)count, name, id);
    for (size_t i = 0; i < count; i++) {
        struct metric *metric = &state->metric[i];
        metric->id = id[i];
        if (id[i] != PM_ID_NULL && pmLookupDesc(id[i], &metric->desc) < 0)
            metric->id = PM_ID_NULL;
    }
    free(name);
    free(id);
    return RC_OK;
}

static int by_name(const void *name, const void *metric)
{
    return strcmp(name, ((const struct metric *)metric)->name);
}

static int by_names(const void *left, const void *right)
{
    return strcmp(((const struct metric *)left)->name,
                  ((const struct metric *)right)->name);
}

/* Adds one event and reports it to the sink. */
static int add_event(struct rc_source_state *state, size_t metric, int instance,
                     const char *name, const char *description,
                     struct rc_event_sink *sink, struct rc_error *err)
{
    char evidence[300];
    const struct rc_event_info info = {.name = name,
                                       .description = description,
                                       .scope = RC_SCOPE_NODE,
                                       .evidence = evidence,
                                       .state = state->metric[metric].desc.sem !=
                                                PM_SEM_COUNTER,
                                       .alike = 1};

    snprintf(evidence, sizeof evidence, "pmcd (%.200s) counts for the whole node",
             state->host);
    if (rc_grow(&state->event, sizeof *state->event, state->count, &state->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", state->count);
    state->event[state->count++] = (struct event){metric, instance};
    return sink->add(sink, &info, err);
}

/* Adds the events of a metric: the metric itself, or each of its present instances.
 * They are described as in "bytes sent (byte), a counter".
 */
static int add_metric(struct rc_source_state *state, size_t index,
                      struct rc_event_sink *sink, struct rc_error *err)
{
    const struct metric *metric = &state->metric[index];
    char description[512], name[1024], units[64], *text = NULL, **instance = NULL;
    int *number = NULL, count, status = RC_OK;

    pmUnitsStr_r(&metric->desc.units, units, sizeof units);
    if (pmLookupText(metric->id, PM_TEXT_ONELINE, &text) < 0)
        text = NULL;
    snprintf(description, sizeof description, "%.300s%s%s%s, %s",
             text ? text : metric->name, units[0] ? " (" : "", units,
             units[0] ? ")" : "",
             metric->desc.sem == PM_SEM_COUNTER ? "a counter"
                                                : "a state: its value at the end");
    free(text);
    snprintf(name, sizeof name, PREFIX "%s", metric->name);
    if (metric->desc.indom == PM_INDOM_NULL)
        return add_event(state, index, NO_INSTANCE, name, description, sink, err);
    count = pmGetInDom(metric->desc.indom, &number, &instance);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, PREFIX "%s:%s", metric->name, instance[i]);
        if ((status = add_event(state, index, number[i], name, description, sink,
                                err)) != RC_OK)
            break;
    }
    if (count > 0) {
        free(number);
        free(instance);
    }
    return status;
}

static int pcp_enumerate(struct rc_source_state *state, const struct rc_enumerate *what,
                         struct rc_event_sink *sink, struct rc_error *err)
{
    struct walk walk = {.state = state};
    char words[PM_MAXERRMSGLEN];

    (void)what;
    pmUseContext(state->context);
    int found = pmTraversePMNS_r("", take_name, &walk);
    if (found < 0)
        return rc_fail(err, RC_EIO, "source 'pcp': pmcd at '%s' lists no metrics: %s",
                       state->host, pmErrStr_r(found, words, sizeof words));
    if (walk.failed)
        return rc_fail(err, RC_ENOMEM, "source 'pcp': no memory for %d metrics", found);
    if (state->metric_count)
        qsort(state->metric, state->metric_count, sizeof *state->metric, by_names);
    int status = look_up_metrics(state, err);
    if (status != RC_OK)
        return status;
    /* The perfevent agent shares hardware counters among its events: beside each value
     * it gives the part of the time for which it counted.
     */
    static const char from[] = "perfevent.hwcounters.", end[] = ".value";
    for (size_t i = 0; i < state->metric_count; i++) {
        const char *name = state->metric[i].name;
        const size_t length = strlen(name), tail = sizeof end - 1;
        char other[512];
        if (strncmp(name, from, sizeof from - 1) != 0 || length < tail ||
            strcmp(name + length - tail, end) != 0)
            continue;
        snprintf(other, sizeof other, "%.*s.dutycycle", (int)(length - tail), name);
        const struct metric *duty =
            bsearch(other, state->metric, state->metric_count, sizeof *duty, by_name);
        if (duty && duty->desc.type == PM_TYPE_DOUBLE)
            state->metric[i].duty = (size_t)(duty - state->metric);
    }
    for (size_t i = 0; i < state->metric_count; i++)
        if (state->metric[i].id != PM_ID_NULL &&
            (status = add_metric(state, i, sink, err)) != RC_OK)
            return status;
    return status;
}

/* Fetches the current values from pmcd; waits for the answer, at most for
 * PMCD_REQUEST_TIMEOUT (10 s).  Returns NULL where that fails.  *why is the reason, or
 * NULL; a result may have one, too, if an agent was restarted.
 */
static pmResult *fetch(struct rc_group_state *group, const char **why)
{
    pmResult *result = NULL;

    pmUseContext(group->source->context);
    *why = gap;
    /* After a reconnection the metrics' ids are checked: a pmcd that was restarted may
     * have given them to other metrics.
     */
    if (group->connection != group->source->connection) {
        pmID *id = rc_calloc(group->fetched, sizeof *id);
        const bool same = id &&
                          pmLookupName((int)group->fetched, group->name, id) >= 0 &&
                          memcmp(id, group->id, group->fetched * sizeof *id) == 0;
        free(id);
        if (!same)
            return NULL;
        group->connection = group->source->connection;
    }
    int status = pmFetch((int)group->fetched, group->id, &result);
    *why = status < 0                         ? gap
           : status & (int)PMCD_RESTART_AGENT ? "a gap: an agent of pmcd was restarted"
                                              : NULL;
    return status < 0 ? NULL : result;
}

/* A start that fails to fetch connects again: nothing was being counted yet, and an
 * agent that was restarted before it does no harm.
 */
static void pcp_read(struct rc_group_state *group, bool end)
{
    if (end) {
        group->stop = fetch(group, &group->lost);
        if (!group->start)
            group->lost = group->why;
        if (!group->lost && (!group->start || !group->stop))
            group->lost = gap;
        return;
    }
    if (group->start)
        pmFreeResult(group->start);
    group->start = fetch(group, &group->why);
    if (!group->start && pmReconnectContext(group->source->context) >= 0) {
        group->source->connection++;
        group->start = fetch(group, &group->why);
    }
}

/* The value of the event's instance in one of a result's sets; returns why there is
 * none, or NULL.
 */
static const char *find_value(const pmValueSet *set, const struct event *event,
                              int from, int type, pmAtomValue *out)
{
    if (set->numval < 0)
        return set->numval == PM_ERR_PERMISSION ? "pmcd gives it to others only"
                                                : "a gap: its agent gives no value";
    for (int i = 0; i < set->numval; i++)
        if (event->instance == NO_INSTANCE || set->vlist[i].inst == event->instance)
            return pmExtractValue(set->valfmt, &set->vlist[i], from, out, type) < 0
                       ? "not a whole number"
                       : NULL;
    return "a gap: it has no value now";
}

static const char *find_number(const struct rc_group_state *group, size_t index,
                               const pmResult *result, struct rc_counter_number *out)
{
    const struct rc_source_state *state = group->source;
    const struct event *event = &state->event[group->event[index]];
    const int type = state->metric[event->metric].desc.type;
    const bool is_signed = type == PM_TYPE_32 || type == PM_TYPE_64;
    pmAtomValue value;
    const char *why = find_value(result->vset[group->at[index]], event, type,
                                 is_signed ? PM_TYPE_64 : PM_TYPE_U64, &value);

    if (why)
        return why;
    out->negative = is_signed && value.ll < 0;
    out->size = out->negative ? 0 - (uint64_t)value.ll : value.ull;
    return NULL;
}

/* Returns why the event did not count all the time, as far as its agent says, or NULL.
 */
static const char *check_duty(const struct rc_group_state *group, size_t index,
                              const pmResult *result)
{
    const struct rc_source_state *state = group->source;
    const struct event *event = &state->event[group->event[index]];
    const size_t duty = state->metric[event->metric].duty;
    size_t at = 0;
    pmAtomValue value;

    if (duty == NO_DUTY)
        return NULL;
    while (group->id[at] != state->metric[duty].id)
        at++;
    const char *why =
        find_value(result->vset[at], event, PM_TYPE_DOUBLE, PM_TYPE_DOUBLE, &value);
    if (why)
        return why;
    return value.d < 1 ? "did not count all the time: its dutycycle is below 1" : NULL;
}

static const char *pcp_number(const struct rc_group_state *group, size_t index,
                              bool end, struct rc_counter_number *out)
{
    const pmResult *result = end ? group->stop : group->start;

    if (group->lost || !result)
        return group->lost ? group->lost : gap;
    const char *why = find_number(group, index, result, out);
    return why || !end ? why : check_duty(group, index, result);
}

static struct rc_counter_rule pcp_rule(const struct rc_group_state *group, size_t index)
{
    const size_t metric = group->source->event[group->event[index]].metric;

    return (struct rc_counter_rule){.state = group->source->metric[metric].desc.sem !=
                                             PM_SEM_COUNTER};
}

static void pcp_turn(struct rc_group_state *group)
{
    if (group->start)
        pmFreeResult(group->start);
    group->start = group->stop;
    group->why = gap; /* said where that fetch failed */
}

static const struct rc_polled_way way = {pcp_read, pcp_number, pcp_rule, pcp_turn};

/* The index of a metric among those that a group fetches; adds the metric if it is not
 * there.
 */
static size_t place_of(struct rc_group_state *group, const struct metric *metric)
{
    size_t at = 0;

    while (at < group->fetched && group->id[at] != metric->id)
        at++;
    if (at == group->fetched) {
        group->id[at] = metric->id;
        group->name[at] = metric->name;
        group->fetched++;
    }
    return at;
}

static void pcp_disarm(struct rc_group_state *group)
{
    if (!group)
        return;
    if (group->start)
        pmFreeResult(group->start);
    rc_arena_free(&group->arena);
    free(group);
}

/* Adds the metric of an event, and that of its duty, to those that are fetched. */
static int arm_event(struct rc_group_state *group, size_t index, uint32_t number,
                     struct rc_error *err)
{
    const struct rc_source_state *state = group->source;

    if (number >= state->count)
        return rc_fail(err, RC_EMISSING, "pcp: no event number %u", number);
    const struct metric *metric = &state->metric[state->event[number].metric];
    const int type = metric->desc.type;
    if (type != PM_TYPE_32 && type != PM_TYPE_U32 && type != PM_TYPE_64 &&
        type != PM_TYPE_U64)
        return rc_fail(err, RC_EUNSUPPORTED, "%s: its values are not whole numbers",
                       metric->name);
    group->event[index] = number;
    group->at[index] = place_of(group, metric);
    if (metric->duty != NO_DUTY)
        (void)place_of(group, &state->metric[metric->duty]);
    return RC_OK;
}

static int pcp_arm(struct rc_source_state *state, const uint32_t *events, size_t count,
                   struct rc_group_state **out, struct rc_error *err)
{
    struct rc_group_state *group = rc_calloc(1, sizeof *group);

    *out = NULL;
    if (!group)
        return rc_fail(err, RC_ENOMEM, "no memory for a group of %zu events", count);
    group->source = state;
    group->polled = (struct rc_polled){.way = &way, .count = count};
    group->event = rc_arena_array(&group->arena, count, sizeof *group->event);
    group->at = rc_arena_array(&group->arena, count, sizeof *group->at);
    group->id = rc_arena_array(&group->arena, 2 * count, sizeof *group->id);
    group->name = rc_arena_array(&group->arena, 2 * count, sizeof(char *));
    int status = rc_arena_check(&group->arena, err, "a group of metrics");
    for (size_t i = 0; i < count && status == RC_OK; i++)
        status = arm_event(group, i, events[i], err);
    if (status != RC_OK) {
        pcp_disarm(group);
        return status;
    }
    *out = group;
    return RC_OK;
}

static void pcp_trial(struct rc_source_state *state, const uint32_t *events,
                      size_t count, struct rc_trial *out)
{
    rc_polled_trial(&rc_source_pcp, state, events, count, out);
}

const struct rc_source rc_source_pcp = {
    .name = "pcp",
    .summary = "metrics of the Performance Co-Pilot daemon of this node",
    .argument = "host, as in pmNewContext(3); local: by default",
    .label = "real",
    .runs_kernels = true,
    .any_number = true,
    .open = pcp_open,
    .close = pcp_close,
    .identify = pcp_identify,
    .enumerate = pcp_enumerate,
    .trial = pcp_trial,
    .arm = pcp_arm,
    .disarm = pcp_disarm,
    .start = rc_polled_start,
    .stop = rc_polled_stop,
    .lap = rc_polled_lap,
};
