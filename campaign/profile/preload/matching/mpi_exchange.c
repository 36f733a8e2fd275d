/* Ranks exchange the times at which calls began and ended, and find how long calls
 * waited.
 *
 * All ranks of MPI_COMM_WORLD take part at the same time, in the same steps: a rank
 * skips a step only for a reason that all ranks know.  Before numbers are sent, ranks
 * agree how many.
 */
#include "campaign/profile/preload/matching/mpi_pairs.h"
#include "campaign/profile/preload/matching/mpi_windows.h"

#include <string.h>

bool rc_mpi_is_quiet(struct rc_mpi_world *w, const struct rc_mpi_match *m)
{
    const int64_t mine[] = {m->under_way, m->blind};
    int64_t all[2] = {0};
    w->mpi.Allreduce(mine, all, 2, w->mpi.int64, w->mpi.sum, w->tool);
    return all[0] == 0 && all[1] == 0;
}

/* Replaces each number by the greatest that any rank has there. */
static void greatest(const struct rc_mpi_exchange *x, int64_t *number, int count)
{
    int64_t all[8];
    x->w->mpi.Allreduce(number, all, count, x->w->mpi.int64, x->w->mpi.most,
                        x->w->tool);
    memcpy(number, all, (size_t)count * sizeof *number);
}

/* Lists the events of a communicator's collectives since the last exchange, up to the
 * first that has no event, and returns how many they are.
 */
static uint32_t together_list(const struct rc_mpi_exchange *x, uint16_t comm,
                              uint32_t *number)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < x->m->events; i++) {
        const struct rc_mpi_event *event = &x->t->event[i];
        if (rc_mpi_is_together(event) && event->comm == comm &&
            event->together.number == x->t->comm[comm].since + found)
            number[found++] = i;
    }
    return found;
}

/* When the rank left a collective; a late time for one that does not block, whose end
 * does not count.
 */
static int64_t exit_of(const struct rc_mpi_exchange *x,
                       const struct rc_mpi_event *event)
{
    return event->kind == RC_EVENT_LATER ? INT64_MAX : rc_mpi_time_of(x, event->exit);
}

/* Exchanges the collectives of one communicator that contains all ranks. */
static void exchange_comm(const struct rc_mpi_exchange *x, uint16_t number)
{
    struct rc_mpi_comm *comm = &x->t->comm[number];
    struct rc_mpi_tables *t = x->t;
    const int64_t made = comm->next - comm->since;
    const uint32_t kept = together_list(x, number, t->number);
    bool scans = false;
    const int64_t next = comm->next;
    int64_t said[] = {made, -made, -(int64_t)kept, comm->rank != x->w->rank,
                      next, -next};
    greatest(x, said, 6);
    comm->since = comm->next;
    if (said[0] != -said[1] || said[4] != -said[5])
        return; /* not all ranks have begun the last ones, which do not block */
    const uint32_t count = (uint32_t)-said[2];
    for (uint32_t i = 0; i < count; i++) {
        const struct rc_mpi_event *event = &t->event[t->number[i]];
        t->mine[(size_t)2 * i] =
            rc_mpi_moment_said(event->waits_for, event->together.root == comm->rank,
                               rc_mpi_time_of(x, event->enter));
        t->mine[(size_t)2 * i + 1] = -exit_of(x, event);
        scans |= event->waits_for == RC_WAITING_EARLY_SCAN;
    }
    if (count == 0)
        return;
    x->w->mpi.Allreduce(t->mine, t->all, (int)(2 * count), x->w->mpi.int64,
                        x->w->mpi.most, x->w->tool);
    for (uint32_t i = 0; i < count; i++) {
        struct rc_mpi_event *event = &t->event[t->number[i]];
        if (event->waits_for != RC_WAITING_EARLY_SCAN)
            rc_mpi_together_known(x, event, t->all[(size_t)2 * i],
                                  -t->all[(size_t)2 * i + 1]);
    }
    if (!scans || said[3]) /* its ranks have other numbers than MPI_COMM_WORLD's */
        return;
    x->w->mpi.Exscan(t->mine, t->all, (int)(2 * count), x->w->mpi.int64, x->w->mpi.most,
                     x->w->tool);
    for (uint32_t i = 0; i < count; i++) {
        struct rc_mpi_event *event = &t->event[t->number[i]];
        if (rc_mpi_is_together(event))
            rc_mpi_together_known(x, event,
                                  comm->rank ? t->all[(size_t)2 * i] : INT64_MIN, 0);
    }
}

/* Exchanges the collectives of all communicators that contain all ranks, in the order
 * of their ids.  If one rank had no room for a communicator, and so has not the same
 * list as the others, only those of MPI_COMM_WORLD.
 */
static void exchange_wide(const struct rc_mpi_exchange *x)
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

/* The rank of MPI_COMM_WORLD that an event is sent to; -1: none. */
static int destination(const struct rc_mpi_exchange *x,
                       const struct rc_mpi_event *event)
{
    const struct rc_mpi_comm *comm = &x->t->comm[event->comm];
    int peer = -1;
    if (rc_mpi_is_together(event))
        return comm->wide ? -1 : comm->first;
    if ((event->kind != RC_EVENT_SEND && event->kind != RC_EVENT_ISEND) || x->m->off)
        return -1;
    if (event->comm == 0)
        return event->message.peer;
    x->w->mpi.Group_translate_ranks(comm->group, 1, &event->message.peer,
                                    x->t->comm[0].group, &peer);
    return peer >= 0 ? peer : -1;
}

static void item_fill(const struct rc_mpi_exchange *x, const struct rc_mpi_event *event,
                      struct rc_mpi_item *item)
{
    const struct rc_mpi_comm *comm = &x->t->comm[event->comm];
    *item = (struct rc_mpi_item){.comm = comm->id,
                                 .enter = rc_mpi_time_of(x, event->enter),
                                 .exit = exit_of(x, event),
                                 .tag = event->message.tag,
                                 .kind = event->kind,
                                 .flags = event->waits_for};
    if (rc_mpi_is_together(event)) {
        item->kind = RC_EVENT_TOGETHER;
        item->tag = (int32_t)event->together.number;
        item->root = event->together.root == comm->rank;
        if (event->waits_for == RC_WAITING_EARLY_SCAN)
            item->exit = comm->rank;
    }
}

/* Turns counts of items, each of 'each' numbers, into counts of numbers and the indices
 * at which they begin.
 */
static void places_of(const int *count, int each, int ranks, int *numbers, int *at)
{
    int sum = 0;
    for (int r = 0; r < ranks; r++) {
        numbers[r] = count[r] * each;
        at[r] = sum;
        sum += numbers[r];
    }
}

/* Sends this rank's items, sorted by destination, and receives those of others.  The
 * events of the items are kept in number[].  A rank that would get more items than it
 * has room for takes a part of each other rank's.
 */
static void items_send(struct rc_mpi_exchange *x)
{
    const struct rc_mpi_world *w = x->w;
    struct rc_mpi_tables *t = x->t;
    int64_t coming = 0;
    memset(x->to, 0, (size_t)w->ranks * sizeof *x->to);
    for (uint32_t i = 0; i < x->m->events; i++) {
        const int to = destination(x, &t->event[i]);
        t->mine[i] = to; /* kept for the second loop */
        if (to >= 0)
            x->to[to]++;
    }
    w->mpi.Alltoall(x->to, 1, w->mpi.integer, x->from, 1, w->mpi.integer, w->tool);
    for (int r = 0; r < w->ranks; r++)
        coming += x->from[r];
    for (int r = 0; r < w->ranks && coming > RC_MATCH_ITEMS; r++)
        x->from[r] = (int)((int64_t)x->from[r] * RC_MATCH_ITEMS / coming);
    w->mpi.Alltoall(x->from, 1, w->mpi.integer, x->out, 1, w->mpi.integer, w->tool);
    /* 'out' is how many items each rank takes; only these are packed, without gaps. */
    int begin = 0;
    for (int r = 0; r < w->ranks; r++) {
        x->truncated |= x->out[r] < x->to[r];
        x->to[r] = x->out[r];
        x->to_at[r] = begin;
        begin += x->to[r];
        x->out[r] = 0; /* from here on: how many are packed */
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

/* Uses the answers to this rank's items. */
static void answers_take(const struct rc_mpi_exchange *x)
{
    struct rc_mpi_tables *t = x->t;
    for (uint32_t i = 0; i < x->items; i++) {
        struct rc_mpi_event *event = &t->event[t->number[i]];
        const struct rc_mpi_reply *reply = &t->answer[i];
        const bool together = rc_mpi_is_together(event);
        if (together && reply->when != RC_REPLY_UNKNOWN)
            rc_mpi_together_known(x, event, reply->when, reply->ends);
        else if (event->kind == RC_EVENT_SEND && reply->when > RC_REPLY_UNKNOWN)
            rc_mpi_match_known(
                event->row, RC_WAITING_LATE_RECEIVER,
                rc_mpi_ticks_of(
                    x, rc_waiting_late_receiver(rc_mpi_call_of(x, event), reply->when)),
                0);
        if (!together && reply->when != RC_REPLY_LATER)
            event->kind = RC_EVENT_GONE;
    }
}

/* Exchanges messages, and collectives of communicators without all ranks. */
static void exchange_items(struct rc_mpi_exchange *x)
{
    const struct rc_mpi_world *w = x->w;
    int64_t any = 0;
    for (uint32_t i = 0; i < x->m->events && !any; i++)
        any = destination(x, &x->t->event[i]) >= 0;
    greatest(x, &any, 1);
    if (any) {
        items_send(x);
        rc_mpi_messages_match(x);
        rc_mpi_order_judge(x);
        rc_mpi_together_match(x);
        places_of(x->to, 2, w->ranks, x->out, x->to_at);
        places_of(x->from, 2, w->ranks, x->in, x->from_at);
        w->mpi.Alltoallv(x->t->reply, x->in, x->from_at, w->mpi.int64, x->t->answer,
                         x->out, x->to_at, w->mpi.int64, w->tool);
        answers_take(x);
    }
    x->m->lost |= x->truncated;
}

/* Finishes calls that completed requests, if all of these are known. */
static void completions_known(const struct rc_mpi_exchange *x)
{
    for (uint32_t i = 0; i < x->m->events; i++) {
        struct rc_mpi_event *event = &x->t->event[i];
        if (event->kind == RC_EVENT_LATER || event->kind == RC_EVENT_MOMENT)
            rc_mpi_moment_take(x, event);
    }
    for (uint32_t i = 0; i < x->m->events; i++) {
        struct rc_mpi_event *event = &x->t->event[i];
        if (event->kind == RC_EVENT_COMPLETE && event->pending == 0)
            rc_mpi_complete_known(x, event);
    }
}

/* Whether an event is to be kept.  After a loss of events of messages, only those of
 * open receives are kept, and only if messages are matched again.
 */
static bool is_kept(const struct rc_mpi_event *event, bool lost, bool again)
{
    const bool open = event->kind == RC_EVENT_IRECEIVE && !event->ended.by;
    if (event->kind == RC_EVENT_MOMENT)
        return true; /* a call that completes it is still to come */
    return event->kind != RC_EVENT_GONE && event->kind != RC_EVENT_TOGETHER &&
           (!lost || (open && again));
}

/* Moves events that are kept to the front of the table, and changes the numbers that
 * refer to them.  A freed communicator is forgotten once nothing refers to it.
 */
static void events_close_up(const struct rc_mpi_exchange *x, bool lost, bool again)
{
    struct rc_mpi_tables *t = x->t;
    uint32_t left = 0;
    for (uint32_t c = 0; c < x->m->comms; c++)
        t->comm[c].named = false;
    for (uint32_t i = 0; i < x->m->events; i++) {
        const struct rc_mpi_event *event = &t->event[i];
        const bool kept = is_kept(event, lost, again);
        t->number[i] = kept ? left : UINT32_MAX;
        if (!kept)
            continue;
        t->comm[event->comm].named = true;
        t->event[left++] = *event;
    }
    for (uint32_t i = 0; i < left; i++) { /* UINT32_MAX, not kept, + 1 becomes 0 */
        struct rc_mpi_event *event = &t->event[i];
        if (event->kind != RC_EVENT_IRECEIVE)
            continue;
        if (event->ended.by)
            event->ended.by = t->number[event->ended.by - 1] + 1;
        if (event->ended.also_by)
            event->ended.also_by = t->number[event->ended.also_by - 1] + 1;
    }
    rc_mpi_windows_move(x->m);
    for (size_t i = 0; i < RC_MATCH_SLOTS; i++)
        if (t->slot[i].request && t->slot[i].event >= 0) {
            const uint32_t number = t->number[t->slot[i].event];
            const bool forgotten = number == UINT32_MAX;
            t->slot[i].event = forgotten ? RC_REQUEST_RECEIVE : (int64_t)number;
            x->m->blind += forgotten;
        }
    for (size_t i = 0; i < RC_MATCH_LASTING; i++)
        if (t->lasting[i].used)
            t->comm[t->lasting[i].comm].named = true;
    x->m->events = left;
    if (lost && !again)
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
    struct rc_mpi_exchange x = {.w = w,
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
