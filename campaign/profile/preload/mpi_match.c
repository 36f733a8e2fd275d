/* Calls that are matched with others' are kept, and looked at together now and then. */
#include "campaign/profile/preload/mpi_match.h"
#include "campaign/profile/preload/mpi_layer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { FIRST_ASK = 16, OLD_NS = 1000000000 };

#define M (&rc_mpi_match)

/* Number of a communicator; -1: it is not known, as those between two groups. */
static int comm_find(intptr_t handle)
{
    static uint32_t last;
    const struct rc_mpi_comm *comm = M->t->comm;
    if (last < M->comms && comm[last].handle == handle)
        return (int)last;
    for (uint32_t i = 0; i < M->comms; i++)
        if (comm[i].handle == handle)
            return (int)(last = i);
    return -1;
}

/* A new one: its id is made of that of the one that it was made of, and of how many
 * were before, which all its ranks know.
 */
static void comm_add(struct rc_mpi_world *w, intptr_t handle, uint64_t id)
{
    const int root = 0;
    int inter = 0, old = comm_find(handle);
    uint32_t at = 0;
    if (old >= 0)
        M->t->comm[old].handle = 0; /* freed by a call that was not seen */
    /* Some MPIs have numbers, some addresses. */
    /* NOLINTNEXTLINE(performance-no-int-to-ptr,misc-misplaced-const) */
    MPI_Comm made = RC_MPI_HANDLE(MPI_Comm, handle);
    w->mpi.Comm_test_inter(made, &inter);
    while (at < M->comms && M->t->comm[at].used)
        at++;
    if (inter || at >= RC_MATCH_COMMS)
        return;
    struct rc_mpi_comm *comm = &M->t->comm[at];
    *comm = (struct rc_mpi_comm){.handle = handle, .id = id, .used = true};
    w->mpi.Comm_size(made, &comm->size);
    w->mpi.Comm_rank(made, &comm->rank);
    w->mpi.Comm_group(made, &comm->group);
    w->mpi.Group_translate_ranks(comm->group, 1, &root, M->t->comm[0].group,
                                 &comm->first);
    comm->wide = comm->size == w->ranks;
    if (at == M->comms)
        M->comms++;
}

/* Requests stand in a table by a hash of their handle; one whose place is taken stands
 * in the next that is free.
 */
static size_t slot_of(intptr_t request)
{
    return (size_t)(((uint64_t)request * UINT64_C(0x9e3779b97f4a7c15)) >> 40) %
           RC_MATCH_SLOTS;
}

/* The slot that the request has, or that it would have. */
static size_t slot_find(intptr_t request)
{
    const struct rc_mpi_slot *slot = M->t->slot;
    size_t at = slot_of(request);
    while (slot[at].request && slot[at].request != request)
        at = (at + 1) % RC_MATCH_SLOTS;
    return at;
}

/* A persistent request is not known any more. */
static void lasting_end(const struct rc_mpi_slot *slot)
{
    if (slot->request && slot->lasting)
        M->t->lasting[slot->lasting - 1].used = false;
}

/* What is not kept would be missed: then messages cannot be matched any more.  NULL. */
static struct rc_mpi_slot *request_keep(intptr_t request, int64_t event)
{
    struct rc_mpi_slot *slot = &M->t->slot[slot_find(request)];
    if (!slot->request && M->requests >= RC_MATCH_SLOTS / 2) {
        M->lost = true;
        return NULL;
    }
    lasting_end(slot); /* freed unseen */
    M->requests += !slot->request;
    M->blind += event == RC_REQUEST_RECEIVE;
    *slot = (struct rc_mpi_slot){.request = request, .event = event};
    return slot;
}

/* False: it is not known.  Those behind it move up. */
static bool request_take(intptr_t request, int64_t *event)
{
    struct rc_mpi_slot *slot = M->t->slot;
    size_t at = slot_find(request);
    if (!slot[at].request)
        return false;
    *event = slot[at].event;
    lasting_end(&slot[at]);
    for (size_t next = (at + 1) % RC_MATCH_SLOTS; slot[next].request;
         next = (next + 1) % RC_MATCH_SLOTS) {
        const size_t wants = slot_of(slot[next].request);
        if ((next - wants) % RC_MATCH_SLOTS < (next - at) % RC_MATCH_SLOTS)
            continue; /* it stands between its place and here */
        slot[at] = slot[next];
        at = next;
    }
    slot[at].request = 0;
    M->requests--;
    return true;
}

/* NULL: there is no room, or messages are not matched now. */
static struct rc_mpi_event *event_add(const struct rc_mpi_record *record, uint32_t row,
                                      int comm, enum rc_mpi_event_kind kind)
{
    if (M->events >= RC_MATCH_EVENTS)
        M->lost = true;
    const bool message = kind != RC_EVENT_TOGETHER && kind != RC_EVENT_LATER;
    if (M->events >= RC_MATCH_EVENTS || (M->lost && message)) {
        struct rc_preload_block *block = rc_preload_self.block;
        if (block)
            atomic_fetch_add_explicit(&block->shared.unmatched, 1,
                                      memory_order_relaxed);
        return NULL;
    }
    struct rc_mpi_event *event = &M->t->event[M->events++];
    *event =
        (struct rc_mpi_event){.enter = record->began,
                              .exit = record->ended,
                              .row = M->home == &rc_preload_self ? (uint16_t)row : 0,
                              .comm = (uint16_t)comm,
                              .kind = (uint8_t)kind};
    return event;
}

/* A message to or from a rank, or from any; to nobody none is. */
static struct rc_mpi_event *message_add(const struct rc_mpi_record *record,
                                        uint32_t row, int comm,
                                        enum rc_mpi_event_kind kind, int peer, int tag)
{
    struct rc_mpi_event *event = event_add(record, row, comm, kind);
    if (kind == RC_EVENT_SEND || kind == RC_EVENT_ISEND)
        M->under_way++;
    if (kind == RC_EVENT_RECEIVE)
        M->under_way--;
    if (event) {
        event->peer = peer;
        event->tag = tag;
    }
    return event;
}

/* Where a message came from, which the receive may have left open. */
static void message_from(const char *status, int *peer, int *tag)
{
    if (*peer == MPI_ANY_SOURCE)
        memcpy(peer, status + offsetof(MPI_Status, MPI_SOURCE), sizeof *peer);
    if (*tag == MPI_ANY_TAG)
        memcpy(tag, status + offsetof(MPI_Status, MPI_TAG), sizeof *tag);
}

/* A blocking receive that has ended; 'peer' and 'tag' are the arguments. */
static void receive_end(const struct rc_mpi_args *args,
                        const struct rc_mpi_record *record, uint32_t row, int comm,
                        unsigned who)
{
    int peer = rc_mpi_integer(args, args->call->who[who]);
    int tag = rc_mpi_integer(args, args->call->who[who + 1]);
    if (peer == MPI_PROC_NULL) {
        rc_mpi_match_known((uint16_t)row, RC_WAITING_LATE_SENDER, 0, 0);
        return;
    }
    message_from(args->word[args->call->status - 1], &peer, &tag);
    message_add(record, row, comm, RC_EVENT_RECEIVE, peer, tag);
}

/* A send that has ended, or that will not be waited for.  To nobody nothing is sent. */
static void send_end(const struct rc_mpi_args *args, const struct rc_mpi_record *record,
                     uint32_t row, int comm, enum rc_mpi_event_kind kind)
{
    const int peer = rc_mpi_integer(args, args->call->who[0]);
    if (peer != MPI_PROC_NULL)
        message_add(record, row, comm, kind, peer,
                    rc_mpi_integer(args, args->call->who[1]));
    else if (kind == RC_EVENT_SEND)
        rc_mpi_match_known((uint16_t)row, RC_WAITING_LATE_RECEIVER, 0, 0);
}

/* Whether the receive takes any message. */
static bool is_wild(const struct rc_mpi_event *event)
{
    return event->peer == MPI_ANY_SOURCE || event->tag == MPI_ANY_TAG;
}

/* A message that is not waited for yet: what its request is. */
static int64_t message_begin(const struct rc_mpi_record *record, int comm,
                             bool receives, int peer, int tag)
{
    if (peer == MPI_PROC_NULL)
        return RC_REQUEST_SEND; /* there is nothing to wait for */
    struct rc_mpi_event *event = message_add(
        record, 0, comm, receives ? RC_EVENT_IRECEIVE : RC_EVENT_ISEND, peer, tag);
    if (!receives)
        return RC_REQUEST_SEND;
    if (!event)
        return RC_REQUEST_RECEIVE;
    event->exit = 0;
    M->wild += is_wild(event);
    return event - M->t->event;
}

/* A request was made: it is known from here on. */
static void request_made(const struct rc_mpi_args *args,
                         const struct rc_mpi_record *record, int comm)
{
    const uint8_t *who = args->call->who;
    const bool receives = args->call->matched == RC_MPI_RECEIVES_LATER;
    request_keep(rc_mpi_request(args, who[2], 0),
                 message_begin(record, comm, receives, rc_mpi_integer(args, who[0]),
                               rc_mpi_integer(args, who[1])));
}

/* A persistent one, which begins to do something when it is started. */
static void lasting_made(const struct rc_mpi_args *args, int comm)
{
    const uint8_t *who = args->call->who;
    uint16_t at = 0;
    while (at < RC_MATCH_LASTING && M->t->lasting[at].used)
        at++;
    struct rc_mpi_slot *slot =
        at < RC_MATCH_LASTING
            ? request_keep(rc_mpi_request(args, who[2], 0), RC_REQUEST_IDLE)
            : NULL;
    if (!slot)
        return; /* when it is started that will be seen */
    slot->lasting = (uint16_t)(at + 1);
    M->t->lasting[at] = (struct rc_mpi_lasting){.peer = rc_mpi_integer(args, who[0]),
                                                .tag = rc_mpi_integer(args, who[1]),
                                                .comm = (uint16_t)comm,
                                                .used = true,
                                                .receives = args->call->matched ==
                                                            RC_MPI_RECEIVES_OFTEN};
}

/* What is started without being known is a message that is missing. */
static void lasting_start(const struct rc_mpi_args *args,
                          const struct rc_mpi_record *record)
{
    const uint8_t *who = args->call->who;
    const int count = who[0] ? rc_mpi_integer(args, who[0]) : 1;
    for (int i = 0; i < count; i++) {
        struct rc_mpi_slot *slot =
            &M->t->slot[slot_find(rc_mpi_request(args, who[1], i))];
        if (!slot->request || !slot->lasting) {
            M->lost = true;
            continue;
        }
        const struct rc_mpi_lasting *as = &M->t->lasting[slot->lasting - 1];
        slot->event = message_begin(record, as->comm, as->receives, as->peer, as->tag);
        M->blind += slot->event == RC_REQUEST_RECEIVE;
    }
}

/* The status of a call's i-th request; NULL: the program has none of it. */
static const char *status_of(const struct rc_mpi_args *args, int i)
{
    const uint8_t *who = args->call->who;
    const char *status = args->word[who[2] - 1];
    int at = i;
    if (who[3] == RC_MPI_ONE)
        return status;
    if (rc_mpi_statuses_ignored(args, who[2]))
        return NULL;
    if (who[3] == RC_MPI_SOME) {
        const int *which = args->word[who[2] - 2];
        const int count = *(const int *)args->word[who[2] - 3];
        for (at = 0; at < count && which[at] - args->fortran != i;)
            at++;
        if (at >= count)
            return NULL;
    }
    return status + (size_t)at * sizeof(MPI_Status);
}

/* A receive has ended in the call 'by'; false: it is not known what it received. */
static bool receive_complete(struct rc_mpi_world *w, const struct rc_mpi_args *args,
                             int64_t number, int i, uint32_t by)
{
    struct rc_mpi_event *event = &M->t->event[number];
    const char *status = status_of(args, i);
    MPI_Status aligned;
    int cancelled = 0;
    M->wild -= is_wild(event);
    if (status) {
        memcpy(&aligned, status, sizeof aligned);
        w->mpi.Test_cancelled(&aligned, &cancelled);
        message_from(status, &event->peer, &event->tag);
    }
    if (cancelled) {
        event->kind = RC_EVENT_GONE;
        return true;
    }
    M->under_way--;
    if (is_wild(event))
        M->lost = true;
    else
        event->exit = by + 1;
    return event->exit != 0;
}

/* Whether the i-th request, which is there still, has ended in the call. */
static bool is_ended(const struct rc_mpi_args *args, int i)
{
    const uint8_t *who = args->call->who;
    const bool tests = args->call->matched == RC_MPI_TESTS;
    void *const *behind = args->word + who[2] - 1; /* of what is before statuses */
    if (tests && who[3] != RC_MPI_SOME && !*(const int *)*--behind)
        return false;
    if (who[3] == RC_MPI_ONE && who[0])
        return *(const int *)*--behind - args->fortran == i;
    if (who[3] != RC_MPI_SOME)
        return true;
    const int *which = behind[-1];
    const int count = *(const int *)behind[-2];
    for (int k = 0; k < count; k++)
        if (which[k] - args->fortran == i)
            return true;
    return false;
}

/* What the i-th request of the call was, which has ended in it; false: it has not. */
static bool request_ended(const struct rc_mpi_args *args, int i, int64_t *event,
                          bool *unknown)
{
    const intptr_t request = M->t->held[i];
    if (rc_mpi_request(args, args->call->who[1], i) != request) {
        if (!request_take(request, event))
            *unknown = true;
        return true;
    }
    if (!is_ended(args, i)) /* else it can be started again */
        return false;
    struct rc_mpi_slot *slot = &M->t->slot[slot_find(request)];
    if (slot->request && slot->lasting)
        *event = slot->event;
    else
        *unknown = true;
    slot->event = slot->request ? RC_REQUEST_IDLE : slot->event;
    return true;
}

/* Requests that were there before the call and are not any more have ended in it, and
 * persistent ones of which it says so.
 */
static void requests_end(struct rc_mpi_world *w, const struct rc_mpi_args *args,
                         const struct rc_mpi_record *record, uint32_t row)
{
    const bool waits = args->call->matched == RC_MPI_COMPLETES;
    const intptr_t none = (intptr_t)w->mpi.request_null;
    bool unknown = M->lost;
    uint32_t by = M->events;
    struct rc_mpi_event *complete = NULL;
    for (int i = 0; i < M->held; i++) {
        int64_t number = RC_REQUEST_SEND;
        if (M->t->held[i] == none || !request_ended(args, i, &number, &unknown))
            continue;
        if (number == RC_REQUEST_RECEIVE) {
            M->under_way--;
            M->blind--;
        }
        unknown |= number == RC_REQUEST_RECEIVE || number == RC_REQUEST_TOGETHER;
        if (number < 0)
            continue;
        struct rc_mpi_event *event = &M->t->event[number];
        const bool message = event->kind == RC_EVENT_IRECEIVE;
        if (!complete)
            complete = event_add(record, waits ? row : 0, 0, RC_EVENT_COMPLETE);
        if (!message)
            event->exit = complete ? by + 1 : RC_EVENT_NOBODY;
        if (complete && (!message || receive_complete(w, args, number, i, by)))
            complete->pending =
                (uint16_t)(complete->pending + (event->kind != RC_EVENT_GONE));
        else
            unknown = true;
        if (!complete && message)
            M->under_way--;
    }
    if (complete)
        complete->flags = unknown;
    else if (waits && !unknown)
        rc_mpi_match_known((uint16_t)row, RC_WAITING_LATE_SENDER, 0, 0);
}

/* A collective has its number whether there is room for it or not, so that those of
 * other ranks still find theirs.
 */
static struct rc_mpi_event *together_add(const struct rc_mpi_args *args,
                                         const struct rc_mpi_record *record,
                                         uint32_t row, int comm,
                                         enum rc_mpi_event_kind kind)
{
    const uint8_t *who = args->call->who;
    struct rc_mpi_event *event = event_add(record, row, comm, kind);
    const uint32_t number = M->t->comm[comm].next++;
    if (event) {
        event->peer = who[1] ? rc_mpi_integer(args, who[1]) : -1;
        event->tag = (int32_t)number;
        event->flags = who[0];
    }
    return event;
}

/* One that does not block: others wait from when it is completed. */
static void together_made(const struct rc_mpi_args *args,
                          const struct rc_mpi_record *record, int comm)
{
    struct rc_mpi_event *event = together_add(args, record, 0, comm, RC_EVENT_LATER);
    if (event)
        event->exit = 0;
    request_keep(rc_mpi_request(args, args->call->who[2], 0),
                 event ? event - M->t->event : RC_REQUEST_TOGETHER);
}

/* All ranks of a communicator make others of it in the same order, each of them a part
 * of one or none.
 */
static void comm_made(struct rc_mpi_world *w, const struct rc_mpi_args *args, int comm)
{
    const intptr_t made = rc_mpi_comm_made(args, args->call->who[0]);
    struct rc_mpi_comm *parent = &M->t->comm[comm];
    const uint64_t id = (parent->id + ++parent->made) * UINT64_C(0xd6e8feb86659fd93);
    if (made != (intptr_t)w->mpi.null)
        comm_add(w, made, id ^ id >> 32);
}

void rc_mpi_match_begin(const struct rc_mpi_args *args, void **word)
{
    const uint8_t *who = args->call->who;
    const enum rc_mpi_matched matched = args->call->matched;
    if (!M->on)
        return;
    if (matched == RC_MPI_FREES) {
        const int comm = comm_find(rc_mpi_comm_made(args, 1));
        if (comm > 0)
            M->t->comm[comm].handle = 0;
    }
    if (matched == RC_MPI_FORGETS) {
        const intptr_t request = rc_mpi_request(args, 1, 0);
        int64_t event = RC_REQUEST_IDLE;
        if (M->t->slot[slot_find(request)].lasting)
            request_take(request, &event);
        M->lost |= event >= 0; /* it is under way, and nobody will tell of its end */
    }
    if (matched != RC_MPI_COMPLETES && matched != RC_MPI_TESTS)
        return;
    M->held = who[0] ? rc_mpi_integer(args, who[0]) : 1;
    if (M->held > RC_MATCH_HELD) {
        M->held = RC_MATCH_HELD;
        M->lost = true;
    }
    for (int i = 0; i < M->held; i++)
        M->t->held[i] = rc_mpi_request(args, who[1], i);
    if (M->wild && who[3] != RC_MPI_ONE && rc_mpi_statuses_ignored(args, who[2]))
        word[who[2] - 1] = M->t->status;
}

bool rc_mpi_match_is_wild(void)
{
    return M->on && M->wild;
}

void rc_mpi_match_hold(void *const *request, int count)
{
    if (!M->on)
        return;
    M->held = count;
    for (int i = 0; i < count; i++)
        M->t->held[i] = (intptr_t)request[i];
}

void rc_mpi_match_end(const struct rc_mpi_args *args,
                      const struct rc_mpi_record *record, uint32_t row, int code)
{
    struct rc_mpi_world *w = M->on ? rc_mpi_world_get() : NULL;
    const enum rc_mpi_matched matched = args->call->matched;
    int comm = 0;
    if (!w || M->mute)
        return;
    if (code != 0) { /* what it has done, and what not, is not known */
        M->lost = true;
        return;
    }
    if (args->call->comm && (comm = comm_find(rc_mpi_comm(args, args->call->comm))) < 0)
        return;
    switch (matched) {
    case RC_MPI_SENDS:
        send_end(args, record, row, comm, RC_EVENT_SEND);
        break;
    case RC_MPI_RECEIVES:
        receive_end(args, record, row, comm, 0);
        break;
    case RC_MPI_SENDS_AND_RECEIVES:
        send_end(args, record, 0, comm, RC_EVENT_ISEND);
        receive_end(args, record, row, comm, 2);
        break;
    case RC_MPI_SENDS_LATER:
    case RC_MPI_RECEIVES_LATER:
        request_made(args, record, comm);
        break;
    case RC_MPI_COMPLETES:
    case RC_MPI_TESTS:
        requests_end(w, args, record, row);
        break;
    case RC_MPI_SENDS_OFTEN:
    case RC_MPI_RECEIVES_OFTEN:
        lasting_made(args, comm);
        break;
    case RC_MPI_STARTS:
        lasting_start(args, record);
        break;
    case RC_MPI_TOGETHER:
        together_add(args, record, row, comm, RC_EVENT_TOGETHER);
        break;
    case RC_MPI_TOGETHER_LATER:
        together_made(args, record, comm);
        break;
    case RC_MPI_MAKES:
        comm_made(w, args, comm);
        break;
    default:
        break;
    }
}

void rc_mpi_match_mute(void)
{
    M->mute = true;
}

/* The table is to be half full at the next time: as it has filled so far, but not more
 * than twice as late.  All ranks come to the same.
 */
static uint64_t next_ask(uint64_t asked, int64_t fill)
{
    const uint64_t half = RC_MATCH_EVENTS / 2, events = fill > 0 ? (uint64_t)fill : 1;
    const uint64_t fits = asked * half / events;
    return fits > 2 * asked ? 2 * asked : fits;
}

uint64_t rc_mpi_match_ask(const struct rc_mpi_args *args)
{
    enum { FILL, LOST, MUTE, OLD, NUMBERS };
    struct rc_mpi_world *w = M->on ? rc_mpi_world_get() : NULL;
    const uint8_t asks = args->call->asks;
    if (!w || rc_mpi_comm(args, args->call->comm) != (intptr_t)w->mpi.world ||
        (asks != RC_MPI_ASKS_ALWAYS && rc_mpi_integer(args, asks) <= 0) ||
        ++M->asked < M->ask || rc_mpi_world_is_copy())
        return 0;
    const uint64_t began = rc_preload_ticks();
    const int64_t mine[NUMBERS] = {M->events, M->lost != M->off, M->mute,
                                   w->node_count > 1 &&
                                       rc_mpi_raw_ns() - w->compared_ns > OLD_NS};
    int64_t all[NUMBERS];
    w->mpi.Allreduce(mine, all, NUMBERS, w->mpi.int64, w->mpi.most, w->tool);
    const uint64_t waited = rc_preload_ticks() - began;
    if (all[MUTE]) {
        M->on = false;
        return waited;
    }
    if (M->off)
        M->lost = M->off = !rc_mpi_is_quiet(w, M);
    if (!all[LOST] && all[FILL] < RC_MATCH_EVENTS / 2) {
        M->ask = next_ask(M->asked, all[FILL]);
        M->ask = M->ask > M->asked ? M->ask : M->asked + 1;
        return waited;
    }
    if (all[OLD] || w->points < 2)
        rc_mpi_world_compare_clocks(w);
    rc_mpi_exchange(w, M);
    /* As often as it takes to be half full again; more often if that was too late. */
    M->ask = all[LOST] ? M->asked / 4 : next_ask(M->asked, all[FILL]);
    M->ask = M->ask > FIRST_ASK ? FIRST_ASK : M->ask > 0 ? M->ask : 1;
    M->asked = 0;
    return waited;
}

/* All ranks match calls, or none does. */
static void match_open(struct rc_mpi_world *w)
{
    const size_t bytes = sizeof *M->t;
    int64_t cannot, any = 1;
    void *room =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *M = (struct rc_mpi_match){.t = room == MAP_FAILED ? NULL : room,
                               .count = malloc((size_t)w->ranks * 6 * sizeof(int)),
                               .home = &rc_preload_self,
                               .ask = FIRST_ASK};
    cannot = !M->t || !M->count || w->level >= MPI_THREAD_MULTIPLE ||
             rc_preload_head->no_waiting || !rc_mpi_usable();
    w->mpi.Allreduce(&cannot, &any, 1, w->mpi.int64, w->mpi.most, w->tool);
    if (any)
        return;
    M->t->comm[0] = (struct rc_mpi_comm){.handle = (intptr_t)w->mpi.world,
                                         .id = 1,
                                         .size = w->ranks,
                                         .rank = w->rank,
                                         .used = true,
                                         .wide = true};
    w->mpi.Comm_group(w->mpi.world, &M->t->comm[0].group);
    M->comms = 1;
    M->on = true;
}

void rc_mpi_match_init(void)
{
    const int kept = errno;
    struct rc_mpi_world *w = rc_mpi_world_begin();
    if (w)
        match_open(w);
    errno = kept;
}

uint64_t rc_mpi_match_finalize(void)
{
    const int kept = errno;
    struct rc_mpi_world *w = rc_mpi_world_get();
    int64_t mute = M->mute, any = 0;
    if (!w || rc_mpi_world_is_copy())
        return 0;
    const uint64_t began = rc_preload_ticks();
    w->mpi.Allreduce(&mute, &any, 1, w->mpi.int64, w->mpi.most, w->tool);
    const uint64_t waited = rc_preload_ticks() - began;
    rc_mpi_world_compare_clocks(w);
    if (M->on && !any)
        rc_mpi_exchange(w, M);
    M->on = false;
    for (uint32_t i = 0; M->t && i < M->comms; i++)
        if (M->t->comm[i].used)
            w->mpi.Group_free(&M->t->comm[i].group);
    if (M->t)
        munmap(M->t, sizeof *M->t);
    free(M->count);
    M->t = NULL;
    M->count = NULL;
    rc_mpi_world_end(w);
    errno = kept;
    return waited;
}
