/* Ranks tell each other when calls began and ended, and so learn how long they waited.
 *
 * All ranks of MPI_COMM_WORLD are here at the same time.  Nothing depends on what one
 * of them has found alone: how many numbers are sent is told first, and each sends as
 * many as the other takes.
 */
#include "campaign/profile/preload/mpi_match.h"

#include <stdlib.h>
#include <string.h>

struct rc_mpi_match rc_mpi_match;

void rc_mpi_match_known(uint16_t row, enum rc_waiting_kind kind, int64_t waited,
                        int64_t completing)
{
    struct rc_preload_block *block =
        row && rc_mpi_match.home == &rc_preload_self ? rc_preload_enter() : NULL;
    if (!block)
        return;
    struct rc_shared_call *call = &block->shared.call[row];
    call->waits_for = kind;
    call->known++;
    call->waited += waited > 0 ? (uint64_t)waited : 0;
    call->completing += completing > 0 ? (uint64_t)completing : 0;
    rc_preload_leave();
}

void rc_mpi_match_wrong(uint16_t row, int64_t waited)
{
    struct rc_preload_block *block =
        row && rc_mpi_match.home == &rc_preload_self ? rc_preload_enter() : NULL;
    if (!block)
        return;
    block->shared.call[row].wrong_order += (uint64_t)waited;
    rc_preload_leave();
}

bool rc_mpi_is_quiet(struct rc_mpi_world *w, const struct rc_mpi_match *m)
{
    const int64_t mine[] = {m->under_way, m->blind};
    int64_t all[2] = {0};
    w->mpi.Allreduce(mine, all, 2, w->mpi.int64, w->mpi.sum, w->tool);
    return all[0] == 0 && all[1] == 0;
}

/* One exchange. */
struct exchange {
    struct rc_mpi_world *w;
    struct rc_mpi_match *m;
    struct rc_mpi_tables *t;
    int *to, *from, *out, *in, *to_at, *from_at; /* [ranks]: events, and of numbers */
    uint32_t items, taken;                       /* of this rank; of others */
    bool truncated;                              /* others did not take all */
    uint32_t messages;                           /* received, whose sends are known */
};

static int64_t time_of(const struct exchange *x, uint64_t ticks)
{
    return rc_mpi_time(&x->w->line, ticks);
}

static struct rc_waiting_call call_of(const struct exchange *x,
                                      const struct rc_mpi_event *event)
{
    return (struct rc_waiting_call){time_of(x, event->enter), time_of(x, event->exit)};
}

/* Common time that has passed, in ticks. */
static int64_t ticks_of(const struct exchange *x, int64_t time)
{
    return (int64_t)((double)time / x->w->line.rate);
}

/* The greatest numbers of all ranks take the place of this rank's. */
static void greatest(const struct exchange *x, int64_t *number, int count)
{
    int64_t all[8];
    x->w->mpi.Allreduce(number, all, count, x->w->mpi.int64, x->w->mpi.most,
                        x->w->tool);
    memcpy(number, all, (size_t)count * sizeof *number);
}

/* What a rank says of a collective, so that the greatest of all is what others wait
 * for.
 */
static int64_t moment_said(const struct exchange *x, const struct rc_mpi_event *event,
                           bool root)
{
    const int64_t enter = time_of(x, event->enter);
    switch (event->flags) {
    case RC_WAITING_LATE_BROADCAST:
        return root ? enter : INT64_MIN;
    case RC_WAITING_EARLY_REDUCE:
        return root ? INT64_MIN : -enter;
    default:
        return enter;
    }
}

/* A collective of which it is known what was waited for: 'moment' is the greatest that
 * was said, for a scan by lower ranks alone.
 */
static void together_known(const struct exchange *x, struct rc_mpi_event *event,
                           bool root, int64_t moment, int64_t earliest_exit)
{
    const struct rc_waiting_call call = call_of(x, event);
    int64_t waited = 0, completing = 0;
    switch (event->flags) {
    case RC_WAITING_LATE_BROADCAST:
        waited = root ? 0 : rc_waiting_late_broadcast(call, moment);
        break;
    case RC_WAITING_EARLY_REDUCE:
        waited =
            root && moment > INT64_MIN ? rc_waiting_early_reduce(call, -moment) : 0;
        break;
    case RC_WAITING_EARLY_SCAN:
        waited = rc_waiting_early_scan(call, moment);
        break;
    default:
        waited = rc_waiting_for_all(call, moment);
        completing = rc_waiting_completion(call, moment, earliest_exit);
        break;
    }
    rc_mpi_match_known(event->row, event->flags, ticks_of(x, waited),
                       ticks_of(x, completing));
    event->kind = RC_EVENT_GONE;
}

/* The events of a communicator's collectives since the last exchange, up to the first
 * that is missing.
 */
static uint32_t together_list(const struct exchange *x, uint16_t comm, uint32_t *number)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < x->m->events; i++) {
        const struct rc_mpi_event *event = &x->t->event[i];
        if (event->kind == RC_EVENT_TOGETHER && event->comm == comm &&
            (uint32_t)event->tag == x->t->comm[comm].since + found)
            number[found++] = i;
    }
    return found;
}

/* The collectives of one communicator that has all ranks. */
static void exchange_comm(const struct exchange *x, uint16_t number)
{
    struct rc_mpi_comm *comm = &x->t->comm[number];
    struct rc_mpi_tables *t = x->t;
    const int64_t made = comm->next - comm->since;
    const uint32_t kept = together_list(x, number, t->number);
    bool scans = false;
    int64_t said[] = {made, -made, -(int64_t)kept, comm->rank != x->w->rank};
    greatest(x, said, 4);
    comm->since = comm->next;
    if (said[0] != -said[1])
        return; /* ranks have not made the same calls: a program in error */
    const uint32_t count = (uint32_t)-said[2];
    for (uint32_t i = 0; i < count; i++) {
        const struct rc_mpi_event *event = &t->event[t->number[i]];
        t->mine[(size_t)2 * i] = moment_said(x, event, event->peer == comm->rank);
        t->mine[(size_t)2 * i + 1] = -time_of(x, event->exit);
        scans |= event->flags == RC_WAITING_EARLY_SCAN;
    }
    if (count == 0)
        return;
    x->w->mpi.Allreduce(t->mine, t->all, (int)(2 * count), x->w->mpi.int64,
                        x->w->mpi.most, x->w->tool);
    for (uint32_t i = 0; i < count; i++) {
        struct rc_mpi_event *event = &t->event[t->number[i]];
        if (event->flags != RC_WAITING_EARLY_SCAN)
            together_known(x, event, event->peer == comm->rank, t->all[(size_t)2 * i],
                           -t->all[(size_t)2 * i + 1]);
    }
    if (!scans || said[3]) /* ranks have other numbers there */
        return;
    x->w->mpi.Exscan(t->mine, t->all, (int)(2 * count), x->w->mpi.int64, x->w->mpi.most,
                     x->w->tool);
    for (uint32_t i = 0; i < count; i++) {
        struct rc_mpi_event *event = &t->event[t->number[i]];
        if (event->kind == RC_EVENT_TOGETHER)
            together_known(x, event, false,
                           comm->rank ? t->all[(size_t)2 * i] : INT64_MIN, 0);
    }
}

/* Communicators of all ranks, in the order of their ids: if all ranks know the same, as
 * they do unless one of them has run out of room.
 */
static void exchange_wide(const struct exchange *x)
{
    uint16_t list[RC_MATCH_COMMS];
    size_t count = 0;
    uint64_t hash = 0;
    for (uint32_t c = 0; c < x->m->comms; c++) {
        const struct rc_mpi_comm *comm = &x->t->comm[c];
        if (!comm->used || !comm->wide || comm->next == comm->since)
            continue;
        size_t at = count++;
        for (; at > 0 && x->t->comm[list[at - 1]].id > comm->id; at--)
            list[at] = list[at - 1];
        list[at] = (uint16_t)c;
        hash += comm->id * UINT64_C(0x9e3779b97f4a7c15);
    }
    int64_t said[] = {(int64_t)(hash >> 1), -(int64_t)(hash >> 1), (int64_t)count,
                      -(int64_t)count};
    greatest(x, said, 4);
    const bool same = said[0] == -said[1] && said[2] == -said[3];
    if (same)
        for (size_t i = 0; i < count; i++)
            exchange_comm(x, list[i]);
    else
        exchange_comm(x, 0);
}

/* Where an event goes to, a rank of MPI_COMM_WORLD; -1: nowhere. */
static int destination(const struct exchange *x, const struct rc_mpi_event *event)
{
    const struct rc_mpi_comm *comm = &x->t->comm[event->comm];
    int peer = -1;
    if (event->kind == RC_EVENT_TOGETHER)
        return comm->wide ? -1 : comm->first;
    if ((event->kind != RC_EVENT_SEND && event->kind != RC_EVENT_ISEND) || x->m->off)
        return -1;
    if (event->comm == 0)
        return event->peer;
    x->w->mpi.Group_translate_ranks(comm->group, 1, &event->peer, x->t->comm[0].group,
                                    &peer);
    return peer >= 0 ? peer : -1;
}

static void item_fill(const struct exchange *x, const struct rc_mpi_event *event,
                      struct rc_mpi_item *item)
{
    const struct rc_mpi_comm *comm = &x->t->comm[event->comm];
    *item = (struct rc_mpi_item){.comm = comm->id,
                                 .enter = time_of(x, event->enter),
                                 .exit = time_of(x, event->exit),
                                 .tag = event->tag,
                                 .kind = event->kind,
                                 .flags = event->flags};
    if (event->kind == RC_EVENT_TOGETHER) {
        item->root = event->peer == comm->rank;
        if (event->flags == RC_WAITING_EARLY_SCAN)
            item->exit = comm->rank;
    }
}

/* Counts of numbers and where they begin. */
static void places_of(const int *count, int each, int ranks, int *numbers, int *at)
{
    int sum = 0;
    for (int r = 0; r < ranks; r++) {
        numbers[r] = count[r] * each;
        at[r] = sum;
        sum += numbers[r];
    }
}

/* This rank's items, by destination; number[] says of which events.  Then as many go as
 * each takes: one that would get more than it has room for takes a part of each.
 */
static void items_send(struct exchange *x)
{
    const struct rc_mpi_world *w = x->w;
    struct rc_mpi_tables *t = x->t;
    int64_t coming = 0;
    memset(x->to, 0, (size_t)w->ranks * sizeof *x->to);
    for (uint32_t i = 0; i < x->m->events; i++) {
        const int to = destination(x, &t->event[i]);
        t->mine[i] = to; /* a place to keep it */
        if (to >= 0)
            x->to[to]++;
    }
    w->mpi.Alltoall(x->to, 1, w->mpi.integer, x->from, 1, w->mpi.integer, w->tool);
    for (int r = 0; r < w->ranks; r++)
        coming += x->from[r];
    for (int r = 0; r < w->ranks && coming > RC_MATCH_ITEMS; r++)
        x->from[r] = (int)((int64_t)x->from[r] * RC_MATCH_ITEMS / coming);
    w->mpi.Alltoall(x->from, 1, w->mpi.integer, x->out, 1, w->mpi.integer, w->tool);
    /* out: what may go; its items follow each other without gaps. */
    int begin = 0;
    for (int r = 0; r < w->ranks; r++) {
        x->truncated |= x->out[r] < x->to[r];
        x->to[r] = x->out[r];
        x->to_at[r] = begin;
        begin += x->to[r];
        x->out[r] = 0; /* so many are there */
    }
    for (uint32_t i = 0; i < x->m->events; i++) {
        const int to = (int)t->mine[i];
        if (to < 0 || x->out[to] >= x->to[to])
            continue;
        const int at = x->to_at[to] + x->out[to]++;
        item_fill(x, &t->event[i], &t->out[at]);
        t->number[at] = i;
    }
    x->items = (uint32_t)begin;
    x->taken = 0;
    for (int r = 0; r < w->ranks; r++)
        x->taken += (uint32_t)x->from[r];
    places_of(x->to, RC_ITEM_NUMBERS, w->ranks, x->out, x->to_at);
    places_of(x->from, RC_ITEM_NUMBERS, w->ranks, x->in, x->from_at);
    w->mpi.Alltoallv(t->out, x->out, x->to_at, w->mpi.int64, t->in, x->in, x->from_at,
                     w->mpi.int64, w->tool);
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

/* Receives of this rank, in the order in which they were posted.  One that takes any
 * message and is not complete may take one that those behind it would seem to have
 * received: they wait for it.
 */
static uint32_t receives_list(const struct exchange *x)
{
    bool open[RC_MATCH_COMMS] = {false};
    uint32_t count = 0;
    for (uint32_t i = 0; i < x->m->events; i++) {
        const struct rc_mpi_event *event = &x->t->event[i];
        const struct rc_mpi_comm *comm = &x->t->comm[event->comm];
        const bool complete = event->kind == RC_EVENT_RECEIVE || event->exit != 0;
        struct rc_mpi_key *key = &x->t->receive[count];
        if (event->kind != RC_EVENT_RECEIVE && event->kind != RC_EVENT_IRECEIVE)
            continue;
        if (!complete && (event->peer == MPI_ANY_SOURCE || event->tag == MPI_ANY_TAG)) {
            open[event->comm] = true;
            continue;
        }
        *key = (struct rc_mpi_key){.comm = comm->id,
                                   .rank = event->peer,
                                   .tag = event->tag,
                                   .number = i,
                                   .complete = complete && !open[event->comm]};
        if (event->comm != 0)
            x->w->mpi.Group_translate_ranks(comm->group, 1, &event->peer,
                                            x->t->comm[0].group, &key->rank);
        count++;
    }
    qsort(x->t->receive, count, sizeof *x->t->receive, compare_keys);
    return count;
}

/* A receive whose send is known (NULL: it will not be).  The call that completed it may
 * have completed others: the longest counts.
 */
static void receive_known(struct exchange *x, struct rc_mpi_event *event,
                          const struct rc_mpi_item *send, struct rc_mpi_reply *reply)
{
    struct rc_mpi_event *by =
        event->kind == RC_EVENT_RECEIVE ? event : &x->t->event[event->exit - 1];
    const struct rc_waiting_call call = call_of(x, by);
    const int64_t waited = send ? rc_waiting_late_sender(call, send->enter) : 0;
    if (send) {
        *reply = (struct rc_mpi_reply){.when = time_of(x, event->enter)};
        x->t->taken[x->messages++] =
            (struct rc_mpi_taken){.by = (uint32_t)(by - x->t->event),
                                  .row = by == event ? event->row : 0,
                                  .sent = send->enter,
                                  .waited = ticks_of(x, waited)};
        struct rc_preload_block *block = rc_preload_self.block;
        if (block && rc_waiting_is_impossible(call, send->enter))
            atomic_fetch_add_explicit(&block->shared.impossible, 1,
                                      memory_order_relaxed);
    }
    if (by == event) {
        if (send)
            rc_mpi_match_known(event->row, RC_WAITING_LATE_SENDER, ticks_of(x, waited),
                               0);
    } else {
        by->flags |= !send;
        by->longest = waited > by->longest ? waited : by->longest;
        by->pending--;
    }
    event->kind = RC_EVENT_GONE;
}

/* Sends that have come, with the receives of this rank: the n-th of a stream with the
 * n-th.
 */
static void messages_match(struct exchange *x)
{
    struct rc_mpi_tables *t = x->t;
    const uint32_t receives = receives_list(x);
    uint32_t sends = 0, s = 0;
    for (int r = 0, i = 0; r < x->w->ranks; r++)
        for (int k = 0; k < x->from[r]; k++, i++)
            if (t->in[i].kind != RC_EVENT_TOGETHER)
                t->send[sends++] = (struct rc_mpi_key){.comm = t->in[i].comm,
                                                       .rank = r,
                                                       .tag = t->in[i].tag,
                                                       .number = (uint32_t)i};
    qsort(t->send, sends, sizeof *t->send, compare_keys);
    for (uint32_t i = 0; i < sends; i++)
        t->reply[t->send[i].number].when = RC_REPLY_LATER;
    for (uint32_t r = 0; r < receives; r++) {
        const struct rc_mpi_key *key = &t->receive[r];
        const bool goes_on = r > 0 && is_stream(key, key - 1) && !key[-1].complete;
        if (goes_on)
            t->receive[r].complete = false; /* one before it is not */
        while (s < sends && !is_stream(&t->send[s], key) &&
               compare_keys(&t->send[s], &(struct rc_mpi_key){.comm = key->comm,
                                                              .rank = key->rank,
                                                              .tag = key->tag}) < 0)
            s++;
        const bool sent = s < sends && is_stream(&t->send[s], key);
        if (!key->complete)
            continue;
        receive_known(x, &t->event[key->number],
                      sent ? &t->in[t->send[s].number] : NULL,
                      sent ? &t->reply[t->send[s].number] : NULL);
        s += sent;
    }
}

/* Of one scan, keys from .. to - 1: the latest of the ranks below that of 'item'. */
static int64_t latest_lower(const struct exchange *x, uint32_t from, uint32_t to,
                            const struct rc_mpi_item *item)
{
    int64_t latest = RC_REPLY_UNKNOWN + 1; /* nobody */
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

/* Events are in the order in which receives ended. */
static void order_judge(const struct exchange *x)
{
    struct rc_mpi_tables *t = x->t;
    qsort(t->taken, x->messages, sizeof *t->taken, compare_taken);
    for (uint32_t i = 0; i < x->messages; i++)
        t->mine[i] = t->taken[i].sent;
    rc_waiting_wrong_order(t->mine, x->messages, t->wrong);
    for (uint32_t i = 0; i < x->messages; i++)
        if (t->wrong[i] && t->taken[i].waited > 0)
            rc_mpi_match_wrong(t->taken[i].row, t->taken[i].waited);
}

/* Collectives of communicators whose first rank this is: known if all have said theirs.
 */
static void together_match(const struct exchange *x)
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
            const int64_t said = item->flags == RC_WAITING_LATE_BROADCAST
                                     ? (item->root ? item->enter : INT64_MIN)
                                 : item->flags == RC_WAITING_EARLY_REDUCE
                                     ? (item->root ? INT64_MIN : -item->enter)
                                     : item->enter;
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

/* Answers to this rank's items. */
static void answers_take(const struct exchange *x)
{
    struct rc_mpi_tables *t = x->t;
    for (uint32_t i = 0; i < x->items; i++) {
        struct rc_mpi_event *event = &t->event[t->number[i]];
        const struct rc_mpi_reply *reply = &t->answer[i];
        if (event->kind == RC_EVENT_TOGETHER && reply->when != RC_REPLY_UNKNOWN)
            together_known(x, event, event->peer == t->comm[event->comm].rank,
                           reply->when, reply->ends);
        else if (event->kind == RC_EVENT_SEND && reply->when > RC_REPLY_UNKNOWN)
            rc_mpi_match_known(
                event->row, RC_WAITING_LATE_RECEIVER,
                ticks_of(x, rc_waiting_late_receiver(call_of(x, event), reply->when)),
                0);
        if (event->kind == RC_EVENT_TOGETHER || reply->when != RC_REPLY_LATER)
            event->kind = RC_EVENT_GONE;
    }
}

/* Messages, and collectives of a part of the ranks. */
static void exchange_items(struct exchange *x)
{
    const struct rc_mpi_world *w = x->w;
    int64_t any = 0;
    for (uint32_t i = 0; i < x->m->events && !any; i++)
        any = destination(x, &x->t->event[i]) >= 0;
    greatest(x, &any, 1);
    if (any) {
        items_send(x);
        messages_match(x);
        order_judge(x);
        together_match(x);
        places_of(x->to, 2, w->ranks, x->out, x->to_at);
        places_of(x->from, 2, w->ranks, x->in, x->from_at);
        w->mpi.Alltoallv(x->t->reply, x->in, x->from_at, w->mpi.int64, x->t->answer,
                         x->out, x->to_at, w->mpi.int64, w->tool);
        answers_take(x);
    }
    x->m->lost |= x->truncated;
}

/* Calls of which all that they completed is known. */
static void completions_known(const struct exchange *x)
{
    for (uint32_t i = 0; i < x->m->events; i++) {
        struct rc_mpi_event *event = &x->t->event[i];
        if (event->kind != RC_EVENT_COMPLETE || event->pending > 0)
            continue;
        if (!event->flags)
            rc_mpi_match_known(event->row, RC_WAITING_LATE_SENDER,
                               ticks_of(x, event->longest), 0);
        event->kind = RC_EVENT_GONE;
    }
}

/* What is left moves to the front, and what refers to it follows.  Where events of
 * messages were lost nothing stays but receives that are open, and those only if
 * messages are matched again.  A communicator that is freed and that nothing names is
 * forgotten.
 */
static void events_close_up(const struct exchange *x, bool lost, bool again)
{
    const bool messages = lost && !again;
    struct rc_mpi_tables *t = x->t;
    uint32_t left = 0;
    for (uint32_t c = 0; c < x->m->comms; c++)
        t->comm[c].named = false;
    for (uint32_t i = 0; i < x->m->events; i++) {
        const struct rc_mpi_event *event = &t->event[i];
        t->number[i] = left;
        const bool open = event->kind == RC_EVENT_IRECEIVE && !event->exit;
        if (event->kind == RC_EVENT_GONE || event->kind == RC_EVENT_TOGETHER ||
            (lost && (!open || !again)))
            continue;
        t->comm[event->comm].named = true;
        t->event[left++] = *event;
    }
    for (uint32_t i = 0; i < left; i++)
        if (t->event[i].kind == RC_EVENT_IRECEIVE && t->event[i].exit)
            t->event[i].exit = t->number[t->event[i].exit - 1] + 1;
    for (size_t i = 0; i < RC_MATCH_SLOTS; i++)
        if (t->slot[i].request && t->slot[i].event >= 0) {
            t->slot[i].event =
                messages ? RC_REQUEST_RECEIVE : (int64_t)t->number[t->slot[i].event];
            x->m->blind += messages;
        }
    x->m->events = left;
    if (messages)
        x->m->wild = 0;
    for (uint32_t c = 1; c < x->m->comms; c++)
        if (t->comm[c].used && !t->comm[c].handle && !t->comm[c].named) {
            x->w->mpi.Group_free(&t->comm[c].group);
            t->comm[c].used = false;
        }
}

void rc_mpi_exchange(struct rc_mpi_world *w, struct rc_mpi_match *m)
{
    const uint64_t began = rc_preload_ticks();
    const size_t ranks = (size_t)w->ranks;
    int64_t lost;
    struct exchange x = {.w = w,
                         .m = m,
                         .t = m->t,
                         .to = m->count,
                         .from = m->count + ranks,
                         .out = m->count + 2 * ranks,
                         .in = m->count + 3 * ranks,
                         .to_at = m->count + 4 * ranks,
                         .from_at = m->count + 5 * ranks};
    exchange_wide(&x);
    exchange_items(&x);
    completions_known(&x);
    lost = m->lost;
    greatest(&x, &lost, 1);
    const bool again = lost && rc_mpi_is_quiet(w, m);
    events_close_up(&x, lost != 0, again);
    m->lost = m->off = lost && !again;
    struct rc_preload_block *block = rc_preload_self.block;
    if (!block)
        return;
    atomic_fetch_add_explicit(&block->shared.exchanges, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&block->shared.exchange_ticks, rc_preload_ticks() - began,
                              memory_order_relaxed);
}
