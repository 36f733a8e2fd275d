/* Finds, in the events of all ranks, the receive of each send and the rank that a
 * collective waited for, and adds the waiting to the rows of the calls.
 */
#include "campaign/profile/preload/matching/mpi_pairs.h"

#include <stdlib.h>
#include <string.h>

RC_PRELOAD_OFTEN struct rc_mpi_match rc_match;

void rc_mpi_match_known(uint16_t row, enum rc_waiting_kind kind, int64_t waited,
                        int64_t completing)
{
    struct rc_preload_block *block =
        row && rc_match.home == &rc_preload_self ? rc_preload_enter() : NULL;
    if (!block)
        return;
    struct rc_shared_call *call = &block->shared.call[row];
    call->waits_for = kind;
    call->known++;
    call->waited += waited > 0 ? (uint64_t)waited : 0;
    call->instances += waited > 0;
    call->completing += completing > 0 ? (uint64_t)completing : 0;
    rc_preload_leave();
}

void rc_mpi_match_part(uint16_t row, int64_t waited, bool same_source)
{
    struct rc_preload_block *block =
        row && rc_match.home == &rc_preload_self ? rc_preload_enter() : NULL;
    if (!block)
        return;
    block->shared.call[row].part += (uint64_t)waited;
    block->shared.call[row].same_source += same_source ? (uint64_t)waited : 0;
    rc_preload_leave();
}

/* Which ranks report a moment depends on the kind of waiting: for a broadcast only the
 * root, for an early reduce all others.
 */
int64_t rc_mpi_moment_said(uint8_t kind, bool root, int64_t enter)
{
    switch (kind) {
    case RC_WAITING_LATE_BROADCAST:
        return root ? enter : INT64_MIN;
    case RC_WAITING_EARLY_REDUCE:
        return root ? INT64_MIN : -enter;
    default:
        return enter;
    }
}

/* How long a call waited for a collective until this moment. */
static int64_t waited_for(const struct rc_mpi_event *event, struct rc_waiting_call call,
                          int64_t until)
{
    switch (event->waits_for) {
    case RC_WAITING_LATE_BROADCAST:
        return rc_waiting_late_broadcast(call, until);
    case RC_WAITING_EARLY_REDUCE:
        return rc_waiting_early_reduce(call, until);
    case RC_WAITING_EARLY_SCAN:
        return rc_waiting_early_scan(call, until);
    default:
        return rc_waiting_for_all(call, until);
    }
}

void rc_mpi_together_known(const struct rc_mpi_exchange *x, struct rc_mpi_event *event,
                           int64_t moment, int64_t earliest_exit)
{
    const bool root = event->together.root == x->t->comm[event->comm].rank;
    const uint8_t kind = event->waits_for;
    if (kind == RC_WAITING_EARLY_REDUCE)
        moment = root && moment > INT64_MIN ? -moment : INT64_MIN;
    else if (kind == RC_WAITING_LATE_BROADCAST && root)
        moment = INT64_MIN;
    if (event->kind == RC_EVENT_LATER) {
        event->kind = RC_EVENT_MOMENT;
        event->until = moment;
        return;
    }
    const struct rc_waiting_call call = rc_mpi_call_of(x, event);
    const bool ends = kind == RC_WAITING_BARRIER || kind == RC_WAITING_ALL;
    const int64_t completing =
        ends ? rc_waiting_completion(call, moment, earliest_exit) : 0;
    rc_mpi_match_known(event->row, kind,
                       rc_mpi_ticks_of(x, waited_for(event, call, moment)),
                       rc_mpi_ticks_of(x, completing));
    event->kind = RC_EVENT_GONE;
}

/* Notes that a call that completed requests waited so long for one of them.  The
 * longest of these is the call's waiting.
 */
static void complete_add(struct rc_mpi_event *by, uint8_t kind, int64_t waited)
{
    if (kind == RC_EVENT_UNKNOWN || !by->waits_for ||
        (by->waits_for != RC_EVENT_UNKNOWN && waited > by->longest))
        by->waits_for = kind;
    by->longest = waited > by->longest ? waited : by->longest;
    by->pending--;
}

/* The ACCESSED event that follows the event of MPI_Win_wait; NULL: this is another
 * call, or there was no room.
 */
static struct rc_mpi_event *accessed_of(const struct rc_mpi_exchange *x,
                                        struct rc_mpi_event *wait)
{
    return wait + 1 < x->t->event + x->m->events && wait[1].kind == RC_EVENT_ACCESSED
               ? wait + 1
               : NULL;
}

/* For MPI_Win_wait also adds the part of its waiting that was after the last access.
 */
void rc_mpi_complete_known(const struct rc_mpi_exchange *x, struct rc_mpi_event *event)
{
    const uint8_t kind = event->waits_for;
    struct rc_mpi_event *accessed = accessed_of(x, event);
    if (kind != RC_EVENT_UNKNOWN) {
        rc_mpi_match_known(event->row, kind ? kind : RC_WAITING_LATE_SENDER,
                           rc_mpi_ticks_of(x, event->longest), 0);
        if (accessed)
            rc_mpi_match_part(
                event->row,
                rc_mpi_ticks_of(x, rc_waiting_late_complete(rc_mpi_call_of(x, event),
                                                            event->longest,
                                                            accessed->last_access)),
                false);
    }
    if (accessed)
        accessed->kind = RC_EVENT_GONE;
    event->kind = RC_EVENT_GONE;
}

void rc_mpi_moment_take(const struct rc_mpi_exchange *x, struct rc_mpi_event *event)
{
    if (event->kind == RC_EVENT_LATER) { /* this exchange did not find the moment */
        event->kind = RC_EVENT_MOMENT;
        event->waits_for = RC_EVENT_UNKNOWN;
        event->until = INT64_MIN;
    }
    if (!event->ended.by)
        return;
    if (event->ended.by != RC_EVENT_NOBODY) {
        struct rc_mpi_event *by = &x->t->event[event->ended.by - 1];
        complete_add(by, event->waits_for,
                     waited_for(event, rc_mpi_call_of(x, by), event->until));
    }
    event->kind = RC_EVENT_GONE;
}

static int compare_keys(const void *a, const void *b)
{
    const struct rc_mpi_key *x = a, *y = b;
    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Whether two are of one stream: messages from one rank with one tag. */
static bool is_stream(const struct rc_mpi_key *a, const struct rc_mpi_key *b)
{
    return a->comm == b->comm && a->rank == b->rank && a->tag == b->tag;
}

/* The stream of messages from one rank with one tag, which is added if it is new.  The
 * table of streams is searched by a hash of all three numbers.
 */
static struct rc_mpi_stream *stream_find(const struct rc_mpi_exchange *x, uint64_t comm,
                                         int rank, int tag)
{
    const uint64_t h = (comm ^ ((uint64_t)(uint32_t)rank << 32 | (uint32_t)tag)) *
                       UINT64_C(0x9e3779b97f4a7c15);
    for (size_t at = (h ^ h >> 32) & x->stream_mask;; at = (at + 1) & x->stream_mask) {
        struct rc_mpi_stream *s = &x->t->stream[at];
        if (!s->used)
            *s = (struct rc_mpi_stream){
                .comm = comm, .rank = rank, .tag = tag, .used = true};
        if (s->comm == comm && s->rank == rank && s->tag == tag)
            return s;
    }
}

/* Sorts all sends that came into streams.  There are at most as many streams as items
 * and events of this rank, so half of the table stays free.
 */
static void sends_list(struct rc_mpi_exchange *x)
{
    struct rc_mpi_tables *t = x->t;
    size_t room = 16;
    while (room < 2 * ((size_t)x->taken + x->m->events))
        room *= 2;
    x->stream_mask = room - 1;
    memset(t->stream, 0, room * sizeof *t->stream);
    for (int r = 0, i = 0; r < x->w->ranks; r++)
        for (int k = 0; k < x->from[r]; k++, i++) {
            if (t->in[i].kind == RC_EVENT_TOGETHER)
                continue;
            struct rc_mpi_stream *s = stream_find(x, t->in[i].comm, r, t->in[i].tag);
            t->reply[i].when = RC_REPLY_LATER;
            t->next[i] = 0;
            *(s->last ? &t->next[s->last - 1] : &s->first) = (uint32_t)i + 1;
            s->last = (uint32_t)i + 1;
        }
}

/* Adds the waiting for a message of a window to the two calls that may have waited for
 * it.  'send' is NULL if it will not be known.
 */
static void signal_known(const struct rc_mpi_exchange *x,
                         const struct rc_mpi_event *event,
                         const struct rc_mpi_item *send)
{
    const uint32_t number[] = {event->ended.by, event->ended.also_by};
    for (int i = 0; i < 2; i++) {
        struct rc_mpi_event *by = number[i] ? &x->t->event[number[i] - 1] : NULL;
        if (!by)
            continue;
        complete_add(by, send ? event->waits_for : RC_EVENT_UNKNOWN,
                     send ? rc_waiting_for_all(rc_mpi_call_of(x, by), send->enter) : 0);
        struct rc_mpi_event *accessed =
            event->waits_for == RC_WAITING_EARLY_WAIT ? accessed_of(x, by) : NULL;
        if (accessed && send && send->exit > accessed->last_access)
            accessed->last_access = send->exit;
    }
}

/* Adds the waiting of a receive.  'send' is NULL if it will not be known.  A call that
 * completed several receives gets the longest of their waiting times.
 */
static void receive_known(struct rc_mpi_exchange *x, struct rc_mpi_event *event,
                          int from, const struct rc_mpi_item *send,
                          struct rc_mpi_reply *reply)
{
    if (event->kind == RC_EVENT_IRECEIVE && event->waits_for) {
        signal_known(x, event, send);
        event->kind = RC_EVENT_GONE;
        if (send)
            *reply = (struct rc_mpi_reply){.when = rc_mpi_time_of(x, event->enter)};
        return;
    }
    struct rc_mpi_event *by =
        event->kind == RC_EVENT_RECEIVE ? event : &x->t->event[event->ended.by - 1];
    const struct rc_waiting_call call = rc_mpi_call_of(x, by);
    const int64_t waited = send ? rc_waiting_late_sender(call, send->enter) : 0;
    if (send) {
        *reply = (struct rc_mpi_reply){.when = rc_mpi_time_of(x, event->enter)};
        x->t->taken[x->messages++] =
            (struct rc_mpi_taken){.by = (uint32_t)(by - x->t->event),
                                  .row = by == event ? event->row : 0,
                                  .from = (uint32_t)from,
                                  .sent = send->enter,
                                  .waited = rc_mpi_ticks_of(x, waited)};
        struct rc_preload_block *block = rc_preload_self.block;
        if (block && rc_waiting_is_impossible(call, send->enter))
            atomic_fetch_add_explicit(&block->shared.impossible, 1,
                                      memory_order_relaxed);
    }
    if (by == event) {
        if (send)
            rc_mpi_match_known(event->row, RC_WAITING_LATE_SENDER,
                               rc_mpi_ticks_of(x, waited), 0);
    } else {
        complete_add(by, send ? RC_WAITING_LATE_SENDER : RC_EVENT_UNKNOWN, waited);
    }
    event->kind = RC_EVENT_GONE;
}

/* Goes through receives in the order in which they were posted.  A receive from any
 * rank or with any tag that is not complete may still turn out to have taken a message
 * that seems to belong to a later receive.  So all later receives of its communicator
 * wait for the next exchange, and so do those of a stream after one of it that is not
 * complete.
 */
void rc_mpi_messages_match(struct rc_mpi_exchange *x)
{
    struct rc_mpi_tables *t = x->t;
    bool open[RC_MATCH_COMMS] = {false};
    sends_list(x);
    for (uint32_t i = 0; i < x->m->events; i++) {
        struct rc_mpi_event *event = &t->event[i];
        const struct rc_mpi_comm *comm = &t->comm[event->comm];
        const bool complete = event->kind == RC_EVENT_RECEIVE || event->ended.by != 0;
        int from = event->message.peer;
        if (event->kind != RC_EVENT_RECEIVE && event->kind != RC_EVENT_IRECEIVE &&
            event->kind != RC_EVENT_UNSEEN)
            continue;
        if (!complete && rc_mpi_is_wild(event)) {
            open[event->comm] = true;
            continue;
        }
        if (event->comm != 0)
            x->w->mpi.Group_translate_ranks(comm->group, 1, &event->message.peer,
                                            t->comm[0].group, &from);
        struct rc_mpi_stream *s = stream_find(x, comm->id, from, event->message.tag);
        s->waits |= !complete || open[event->comm];
        if (s->waits)
            continue;
        const uint32_t sent = s->first;
        s->first = sent ? t->next[sent - 1] : 0;
        receive_known(x, event, from, sent ? &t->in[sent - 1] : NULL,
                      sent ? &t->reply[sent - 1] : NULL);
    }
}

/* The latest time at which a rank lower than that of 'item' entered the scan whose
 * items have the keys from .. to - 1.
 */
static int64_t latest_lower(const struct rc_mpi_exchange *x, uint32_t from, uint32_t to,
                            const struct rc_mpi_item *item)
{
    int64_t latest = RC_REPLY_UNKNOWN + 1; /* if no rank is lower */
    for (uint32_t i = from; i < to; i++) {
        const struct rc_mpi_item *other = &x->t->in[x->t->send[i].number];
        if (other->exit < item->exit && other->enter > latest)
            latest = other->enter;
    }
    return latest;
}

static int compare_taken(const void *a, const void *b)
{
    const struct rc_mpi_taken *x = a, *y = b;
    return (x->by > y->by) - (x->by < y->by);
}

/* Sorts messages by their events, whose order is that in which receives ended. */
void rc_mpi_order_judge(const struct rc_mpi_exchange *x)
{
    struct rc_mpi_tables *t = x->t;
    bool sorted = true;
    for (uint32_t i = 1; i < x->messages && sorted; i++)
        sorted = t->taken[i - 1].by <= t->taken[i].by;
    if (!sorted)
        qsort(t->taken, x->messages, sizeof *t->taken, compare_taken);
    for (uint32_t i = 0; i < x->messages; i++)
        t->message[i] = (struct rc_waiting_message){.sent = t->taken[i].sent,
                                                    .source = t->taken[i].from};
    rc_waiting_order_judge(t->message, x->messages, x->m->earliest,
                           (size_t)x->w->ranks);
    for (uint32_t i = 0; i < x->messages; i++)
        if (t->message[i].order != RC_WAITING_IN_ORDER && t->taken[i].waited > 0)
            rc_mpi_match_part(t->taken[i].row, t->taken[i].waited,
                              t->message[i].order == RC_WAITING_SAME_SOURCE);
}

void rc_mpi_together_match(const struct rc_mpi_exchange *x)
{
    struct rc_mpi_tables *t = x->t;
    uint32_t count = 0;
    for (int r = 0, i = 0; r < x->w->ranks; r++)
        for (int k = 0; k < x->from[r]; k++, i++)
            if (t->in[i].kind == RC_EVENT_TOGETHER)
                t->send[count++] = (struct rc_mpi_key){
                    .comm = t->in[i].comm, .tag = t->in[i].tag, .number = (uint32_t)i};
    qsort(t->send, count, sizeof *t->send, compare_keys);
    for (uint32_t from = 0, to; from < count; from = to) {
        int64_t moment = INT64_MIN, ends = INT64_MAX;
        int size = 0;
        for (uint32_t c = 0; c < x->m->comms; c++)
            if (t->comm[c].used && t->comm[c].id == t->send[from].comm &&
                t->comm[c].rank == 0)
                size = t->comm[c].size;
        for (to = from; to < count && is_stream(&t->send[from], &t->send[to]); to++) {
            const struct rc_mpi_item *item = &t->in[t->send[to].number];
            const int64_t said =
                rc_mpi_moment_said(item->flags, item->root, item->enter);
            moment = said > moment ? said : moment;
            ends = item->exit < ends ? item->exit : ends;
        }
        for (uint32_t i = from; i < to; i++) {
            const uint32_t number = t->send[i].number;
            const struct rc_mpi_item *item = &t->in[number];
            t->reply[number] = (struct rc_mpi_reply){RC_REPLY_UNKNOWN, 0};
            if (to - from == (uint32_t)size)
                t->reply[number] =
                    (struct rc_mpi_reply){item->flags == RC_WAITING_EARLY_SCAN
                                              ? latest_lower(x, from, to, item)
                                              : moment,
                                          ends};
        }
    }
}
