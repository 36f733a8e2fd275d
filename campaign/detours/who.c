/* Finds from the kernel's tracepoints who had a core when, and so who made each detour.
 */
#include "campaign/detours/who_parts.h"

#include "campaign/base/map.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Threads that come and go could be without number: later ones share a name. */
enum { NAMES_MOST = 4096 };
/* Interrupts in interrupts; there are never as many. */
enum { DEPTH_MOST = 16 };
/* A detour is of whom the kernel saw in this part of it or more: the switch to them and
 * back, which in a virtual machine takes the host, too, is theirs; but a pause in which
 * somebody had the core for a moment is not.
 */
static const double seen_least = 0.1;

/* A stretch of time that was not the measuring thread's. */
struct stretch {
    uint64_t from_ns, to_ns;
    uint16_t name;
};

struct rc_who {
    struct rc_trace trace;
    char missing[256];
    struct rc_pool *pool;
    const char **name;
    size_t names, names_room;
    struct rc_map by_name;
    struct stretch *stretch; /* ascending */
    size_t stretches, room;
    uint64_t *took; /* [names] scratch: of one detour */

    /* The core at the moment that the reading of the ring has come to. */
    uint64_t since_ns; /* nothing has changed since then */
    bool began;        /* there was an event */
    int64_t self;      /* the measuring thread, as the kernel numbers it */
    uint16_t thread;   /* that has the core; 0: the measuring one */
    size_t depth;
    struct layer {
        const char *what;
        int64_t number;
        uint16_t name;
    } layer[DEPTH_MOST]; /* interrupts in front of it, the last one on top */
};

static bool has_name(const void *who, size_t item, const void *name)
{
    return strcmp(((const struct rc_who *)who)->name[item], name) == 0;
}

/* The number of a name, which is added where it is new. */
static int number_name(struct rc_who *who, const char *name, uint16_t *number,
                       struct rc_error *err)
{
    char printable[64];
    size_t at = 0;

    (void)rc_text_printable(printable, sizeof printable, name);
    if (who->names >= NAMES_MOST - 1)
        snprintf(printable, sizeof printable, "%s", "one of many threads");
    const uint64_t hash = rc_text_hash(printable);
    at = rc_map_find(&who->by_name, who, hash, printable);
    if (at == RC_MAP_NONE) {
        const char *copy = rc_pool_copy(who->pool, printable);
        at = who->names;
        if (!copy || rc_grow(&who->name, sizeof *who->name, at, &who->names_room))
            return rc_fail(err, RC_ENOMEM, "no memory for %zu names", at);
        who->name[who->names++] = copy;
        if (rc_map_put(&who->by_name, who, hash, printable, at))
            return rc_fail(err, RC_ENOMEM, "no memory for %zu names", at);
    }
    *number = (uint16_t)at;
    return RC_OK;
}

int rc_who_open(uint32_t core, uint64_t duration_ns, const char *tracefs,
                struct rc_who **who, struct rc_error *err)
{
    struct rc_who *own = rc_calloc(1, sizeof *own);
    struct rc_error why;
    uint16_t number = 0;
    int status = RC_OK;

    *who = NULL;
    if (!own)
        return rc_fail(err, RC_ENOMEM, "no memory for tracepoints");
    own->by_name.same = has_name;
    own->pool = rc_pool_create();
    if (!own->pool)
        status = rc_fail(err, RC_ENOMEM, "no memory for tracepoints");
    for (size_t i = 0; i < RC_NOISE_WHO_NAMES && status == RC_OK; i++)
        status = number_name(own, rc_noise_who_names[i], &number, err);
    if (status != RC_OK) {
        rc_who_close(own);
        return status;
    }
    if (rc_trace_open(&own->trace, core, duration_ns, tracefs, &why) != RC_OK) {
        rc_trace_close(&own->trace);
        snprintf(own->missing, sizeof own->missing, "%.250s", why.text);
    }
    *who = own;
    return RC_OK;
}

void rc_who_close(struct rc_who *who)
{
    if (!who)
        return;
    rc_trace_close(&who->trace);
    rc_map_fini(&who->by_name);
    rc_pool_close(who->pool);
    free(who->name);
    free(who->stretch);
    free(who->took);
    free(who);
}

const char *rc_who_missing(const struct rc_who *who)
{
    return who->missing;
}

uint64_t rc_who_lost(const struct rc_who *who)
{
    return who->trace.lost;
}

const char *const *rc_who_names(const struct rc_who *who, size_t *count)
{
    *count = who->names;
    return who->name;
}

void rc_who_start(struct rc_who *who)
{
    rc_trace_start(&who->trace);
}

/* Notes that the owner of the core since the last change had it until now. */
static int end_stretch(struct rc_who *who, uint64_t now_ns, struct rc_error *err)
{
    const uint16_t name = who->depth ? who->layer[who->depth - 1].name : who->thread;
    const uint64_t since = who->since_ns;

    if (now_ns <= since)
        return RC_OK; /* times of events in NMIs may be a little earlier */
    who->since_ns = now_ns;
    if (name == 0)
        return RC_OK;
    if (rc_grow(&who->stretch, sizeof *who->stretch, who->stretches, &who->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu stretches of time",
                       who->stretches);
    who->stretch[who->stretches++] = (struct stretch){since, now_ns, name};
    return RC_OK;
}

static int hear_switch(struct rc_who *who, const struct rc_trace_event *event,
                       struct rc_error *err)
{
    char name[64];

    who->depth = 0;
    who->thread = 0;
    if (event->number == who->self)
        return RC_OK;
    if (event->number == 0) /* it was not let run: real-time throttling, a quota */
        snprintf(name, sizeof name, "%s", "idle");
    else
        snprintf(name, sizeof name, "thread %.40s:%lld", event->text,
                 (long long)event->number);
    return number_name(who, name, &who->thread, err);
}

static int hear_enter(struct rc_who *who, const struct rc_trace_event *event,
                      struct rc_error *err)
{
    static const char *const softirq[] = {"HI",      "TIMER",    "NET_TX",  "NET_RX",
                                          "BLOCK",   "IRQ_POLL", "TASKLET", "SCHED",
                                          "HRTIMER", "RCU"};
    char name[64];

    if (who->depth == DEPTH_MOST)
        return RC_OK;
    struct layer *layer = &who->layer[who->depth];
    *layer = (struct layer){event->point->what, event->number, 0};
    if (event->point->number == 0)
        snprintf(name, sizeof name, "%s", event->point->what);
    else if (event->point->text == 0 && event->number >= 0 && event->number < 10)
        snprintf(name, sizeof name, "%s %s", event->point->what,
                 softirq[event->number]);
    else
        snprintf(name, sizeof name, "%s %lld %.40s", event->point->what,
                 (long long)event->number, event->text);
    const int status = number_name(who, name, &layer->name, err);
    if (status != RC_OK)
        return status;
    who->depth++;
    return RC_OK;
}

/* Tells of an NMI when it is over: before it was what is on top. */
static int hear_nmi(struct rc_who *who, const struct rc_trace_event *event,
                    struct rc_error *err)
{
    const uint64_t took = event->number > 0 ? (uint64_t)event->number : 0;
    int status = end_stretch(who, event->time_ns - took, err);

    if (status != RC_OK || who->depth == DEPTH_MOST)
        return status;
    struct layer *layer = &who->layer[who->depth];
    status = number_name(who, event->point->what, &layer->name, err);
    who->depth++;
    if (status == RC_OK)
        status = end_stretch(who, event->time_ns, err);
    who->depth--;
    return status;
}

static int hear_event(void *context, const struct rc_trace_event *event,
                      struct rc_error *err)
{
    struct rc_who *who = context;

    if (!who->began) { /* the measuring thread had the core when it began to listen */
        who->began = true;
        who->self = event->thread;
        who->since_ns = event->time_ns;
    }
    if (event->point->kind == RC_TRACE_NMI)
        return hear_nmi(who, event, err);
    const int status = end_stretch(who, event->time_ns, err);
    if (status != RC_OK)
        return status;
    switch (event->point->kind) {
    case RC_TRACE_SWITCH:
        return hear_switch(who, event, err);
    case RC_TRACE_ENTER:
        return hear_enter(who, event, err);
    default:
        /* The layer that is left goes and, where their ends were lost, those on it. */
        for (size_t d = who->depth; d-- > 0;)
            if (who->layer[d].what == event->point->what &&
                who->layer[d].number == event->number) {
                who->depth = d;
                break;
            }
        return RC_OK;
    }
}

int rc_who_stop(struct rc_who *who, struct rc_error *err)
{
    rc_trace_stop(&who->trace);
    who->stretches = who->depth = 0;
    who->began = false;
    who->since_ns = 0;
    who->thread = 0;
    return rc_trace_read(&who->trace, hear_event, who, err);
}

/* The name that had most of the time; 0: nobody had enough of it. Stretches before
 * *first are over, for this detour and the later ones.
 */
static uint16_t most_of(struct rc_who *who, uint64_t from, uint64_t to, size_t *first)
{
    uint16_t most = 0;
    uint64_t seen = 0;

    while (*first < who->stretches && who->stretch[*first].to_ns <= from)
        ++*first;
    size_t end = *first;
    for (; end < who->stretches && who->stretch[end].from_ns < to; end++) {
        const struct stretch *s = &who->stretch[end];
        const uint64_t begin = s->from_ns > from ? s->from_ns : from;
        const uint64_t own = (s->to_ns < to ? s->to_ns : to) - begin;
        who->took[s->name] += own;
        seen += own;
        if (most == 0 || who->took[s->name] > who->took[most])
            most = s->name;
    }
    for (size_t i = *first; i < end; i++)
        who->took[who->stretch[i].name] = 0;
    return (double)seen >= seen_least * (double)(to - from) ? most : 0;
}

int rc_who_name(struct rc_who *who, uint64_t begin_ns, uint64_t steal_ns,
                bool is_virtual, const struct rc_detour *detour, size_t count,
                uint16_t *number, struct rc_error *err)
{
    uint64_t without = 0; /* a name, ns */
    size_t first = 0;

    memset(number, 0, count * sizeof *number);
    if (who->missing[0])
        return RC_OK;
    free(who->took);
    who->took = rc_calloc(who->names, sizeof *who->took);
    if (!who->took)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu names", who->names);
    for (size_t i = 0; i < count; i++) {
        const uint64_t from = begin_ns + detour[i].start_ns;
        const uint64_t to = from + detour[i].length_ns;
        if (who->trace.lost > 0 && to > who->since_ns)
            break;
        number[i] = most_of(who, from, to, &first);
        if (number[i] == 0) {
            number[i] = RC_NOISE_WHO_UNATTRIBUTED;
            without += detour[i].length_ns;
        }
    }
    const bool host = steal_ns > without / 2 || (is_virtual && who->trace.all);
    for (size_t i = 0; i < count && host; i++)
        if (number[i] == RC_NOISE_WHO_UNATTRIBUTED)
            number[i] = RC_NOISE_WHO_HOST;
    return RC_OK;
}
