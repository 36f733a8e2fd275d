/* Requests of messages and of collectives: one call makes them, and another completes
 * them.
 */
#include "campaign/profile/preload/matching/mpi_pending.h"
#include "campaign/profile/preload/matching/mpi_events.h"

#include <string.h>

/* The place of a request in the table; if it is taken, the next free one is used.
 * Handles that follow each other get places that do.  A handle is a small number, or
 * the address of an object larger than REQUEST_BYTES.
 */
static size_t slot_of(intptr_t request)
{
    enum { REQUEST_BYTES = 64 };
    const size_t number = (size_t)request;
    return (rc_mpi_abi.spare_bits ? number : number / REQUEST_BYTES) % RC_MATCH_SLOTS;
}

/* The slot of the request, or the one that it would get. */
static RC_PRELOAD_HOT size_t slot_find(intptr_t request)
{
    const struct rc_mpi_slot *slot = rc_match.t->slot;
    size_t at = slot_of(request);
    while (slot[at].request && slot[at].request != request)
        at = (at + 1) % RC_MATCH_SLOTS;
    return at;
}

/* Forgets the message of a persistent request. */
static void lasting_end(const struct rc_mpi_slot *slot)
{
    if (slot->request && slot->lasting)
        rc_match.t->lasting[slot->lasting - 1].used = false;
}

static bool receives_nothing(int64_t event)
{
    return event == RC_REQUEST_SEND || event == RC_REQUEST_TOGETHER ||
           (event >= 0 && rc_match.t->event[event].kind != RC_EVENT_IRECEIVE);
}

/* Ends a request that is freed, or whose handle was given to a new one: that one has
 * ended in a call that was not recorded, such as the program's own PMPI_Wait.
 */
static void ended_unseen(const struct rc_mpi_slot *slot)
{
    const bool kept = slot->event >= 0, blind = slot->event == RC_REQUEST_RECEIVE;
    struct rc_mpi_event *event = &rc_match.t->event[kept ? slot->event : 0];
    const bool receives = kept && event->kind == RC_EVENT_IRECEIVE;
    rc_match.lost |= receives || blind;
    rc_match.under_way -= receives || blind;
    rc_match.blind -= blind;
    if (receives) {
        rc_match.wild -= rc_mpi_is_wild(event);
        event->kind = RC_EVENT_UNSEEN;
    } else if (kept) {
        event->ended.by = RC_EVENT_NOBODY;
    }
}

/* Whether a new request may share the handle of one that is in the slot.  MPIs use one
 * handle for all sends that end at once, and MPICH does so for collectives, too.
 */
static bool is_shared(const struct rc_mpi_slot *slot, int64_t event)
{
    return slot->request && !slot->lasting && receives_nothing(slot->event) &&
           receives_nothing(event);
}

/* Keeps a request.  NULL: there is no room, so messages cannot be matched any more. */
RC_PRELOAD_HOT struct rc_mpi_slot *rc_mpi_pending_keep(intptr_t request, int64_t event)
{
    struct rc_mpi_slot *slot = &rc_match.t->slot[slot_find(request)];
    if (!slot->request && rc_match.requests >= RC_MATCH_SLOTS / 2) {
        rc_match.lost = true;
        return NULL;
    }
    const uint16_t also = is_shared(slot, event) ? (uint16_t)(slot->also + 1) : 0;
    lasting_end(slot);
    if (slot->request)
        ended_unseen(slot);
    rc_match.requests += !slot->request;
    rc_match.blind += event == RC_REQUEST_RECEIVE;
    *slot = (struct rc_mpi_slot){.request = request, .event = event, .also = also};
    return slot;
}

/* Takes a request out of the table and moves others into the gap.  False: it is
 * unknown.
 */
static RC_PRELOAD_HOT bool request_take(intptr_t request, int64_t *event)
{
    struct rc_mpi_slot *slot = rc_match.t->slot;
    size_t at = slot_find(request);
    if (!slot[at].request)
        return false;
    *event = slot[at].event;
    if (slot[at].also) {
        slot[at].also--;
        slot[at].event = RC_REQUEST_SEND;
        return true;
    }
    lasting_end(&slot[at]);
    for (size_t next = (at + 1) % RC_MATCH_SLOTS; slot[next].request;
         next = (next + 1) % RC_MATCH_SLOTS) {
        const size_t wants = slot_of(slot[next].request);
        if ((next - wants) % RC_MATCH_SLOTS < (next - at) % RC_MATCH_SLOTS)
            continue; /* it would be before its own place there */
        slot[at] = slot[next];
        at = next;
    }
    slot[at].request = 0;
    rc_match.requests--;
    return true;
}

bool rc_mpi_match_takes_any(void)
{
    const struct rc_mpi_tables *t = rc_match.t;
    for (int i = 0; rc_match.on && rc_match.wild && i < rc_match.held; i++) {
        const struct rc_mpi_slot *slot = &t->slot[slot_find(t->held[i])];
        const struct rc_mpi_event *event =
            slot->request && slot->event >= 0 ? &t->event[slot->event] : NULL;
        if (event && event->kind == RC_EVENT_IRECEIVE && rc_mpi_is_wild(event))
            return true;
    }
    return false;
}

/* Adds a message that does not wait, and returns the 'event' of its request. */
static int64_t message_begin(const struct rc_mpi_record *record, int comm,
                             bool receives, int peer, int tag)
{
    if (peer == rc_mpi_abi.proc_null)
        return RC_REQUEST_SEND; /* there is nothing to wait for */
    struct rc_mpi_event *event = rc_mpi_message_add(
        record, 0, comm, receives ? RC_EVENT_IRECEIVE : RC_EVENT_ISEND, peer, tag);
    if (!receives)
        return RC_REQUEST_SEND;
    if (!event)
        return RC_REQUEST_RECEIVE;
    rc_match.wild += rc_mpi_is_wild(event);
    return event - rc_match.t->event;
}

/* Keeps the request that a call has made. */
RC_PRELOAD_HOT void rc_mpi_pending_made(const struct rc_mpi_args *args,
                                        const struct rc_mpi_record *record, int comm)
{
    const uint8_t *who = args->call->who;
    const bool receives = args->call->matched == RC_MPI_RECEIVES_LATER;
    rc_mpi_pending_keep(rc_mpi_request(args, who[2], 0),
                        message_begin(record, comm, receives,
                                      rc_mpi_integer(args, who[0]),
                                      rc_mpi_integer(args, who[1])));
}

/* Keeps a persistent request, which has no event until it is started. */
void rc_mpi_pending_make_lasting(const struct rc_mpi_args *args, int comm)
{
    const uint8_t *who = args->call->who;
    uint16_t at = 0;
    while (at < RC_MATCH_LASTING && rc_match.t->lasting[at].used)
        at++;
    struct rc_mpi_slot *slot =
        at < RC_MATCH_LASTING
            ? rc_mpi_pending_keep(rc_mpi_request(args, who[2], 0), RC_REQUEST_IDLE)
            : NULL;
    if (!slot)
        return; /* rc_mpi_pending_start() will find it missing */
    slot->lasting = (uint16_t)(at + 1);
    rc_match.t->lasting[at] = (struct rc_mpi_lasting){
        .peer = rc_mpi_integer(args, who[0]),
        .tag = rc_mpi_integer(args, who[1]),
        .comm = (uint16_t)comm,
        .used = true,
        .receives = args->call->matched == RC_MPI_RECEIVES_OFTEN};
}

/* Adds messages of persistent requests.  If an unknown one is started a message is
 * missing.
 */
void rc_mpi_pending_start(const struct rc_mpi_args *args,
                          const struct rc_mpi_record *record)
{
    const uint8_t *who = args->call->who;
    const int count = who[0] ? rc_mpi_integer(args, who[0]) : 1;
    for (int i = 0; i < count; i++) {
        struct rc_mpi_slot *slot =
            &rc_match.t->slot[slot_find(rc_mpi_request(args, who[1], i))];
        if (!slot->request || !slot->lasting) {
            rc_match.lost = true;
            continue;
        }
        const struct rc_mpi_lasting *as = &rc_match.t->lasting[slot->lasting - 1];
        slot->event = message_begin(record, as->comm, as->receives, as->peer, as->tag);
        rc_match.blind += slot->event == RC_REQUEST_RECEIVE;
    }
}

/* The status of a call's i-th request; NULL: the program did not ask for it. */
static const char *status_of(const struct rc_mpi_args *args, int i)
{
    const uint8_t *who = args->call->who;
    const char *status = args->word[who[2] - 1];
    int at = i;
    if (who[3] == RC_MPI_ONE)
        return rc_mpi_status_ignored(status, args->fortran) ? NULL : status;
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
    return status + (size_t)at * rc_mpi_abi.status_bytes;
}

/* Whether a receive was cancelled; false without a status. */
static bool is_cancelled(const struct rc_mpi_world *w, const char *status)
{
    struct rc_mpi_status aligned;
    int cancelled = 0;
    if (status) {
        memcpy(&aligned, status, rc_mpi_abi.status_bytes);
        w->mpi.Test_cancelled(&aligned, &cancelled);
    }
    return cancelled;
}

/* Ends a receive in the call with event 'by'; false: its message is not known. */
static bool receive_complete(struct rc_mpi_world *w, const struct rc_mpi_args *args,
                             int64_t number, int i, uint32_t by)
{
    struct rc_mpi_event *event = &rc_match.t->event[number];
    const char *status = status_of(args, i);
    rc_match.wild -= rc_mpi_is_wild(event);
    if (status)
        rc_mpi_message_from(status, &event->message.peer, &event->message.tag);
    if (is_cancelled(w, status)) {
        event->kind = RC_EVENT_GONE;
        return true;
    }
    rc_match.under_way--;
    if (rc_mpi_is_wild(event))
        rc_match.lost = true;
    else
        event->ended.by = by + 1;
    return event->ended.by != 0;
}

/* Whether the i-th request, which still exists, has ended in the call. */
static bool is_ended(const struct rc_mpi_args *args, int i)
{
    const uint8_t *who = args->call->who;
    const bool tests = args->call->matched == RC_MPI_TESTS;
    void *const *behind = args->word + who[2] - 1; /* statuses; goes back from there */
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

/* Whether the call's i-th request has ended in it; 'event' is that of the request, and
 * 'unknown' is set if there is none.
 */
static bool request_ended(const struct rc_mpi_args *args, int i, int64_t *event,
                          bool *unknown)
{
    const intptr_t request = rc_match.t->held[i];
    if (rc_mpi_request(args, args->call->who[1], i) != request) {
        if (!request_take(request, event))
            *unknown = true;
        return true;
    }
    if (!is_ended(args, i)) /* else it can be started again */
        return false;
    struct rc_mpi_slot *slot = &rc_match.t->slot[slot_find(request)];
    if (slot->request && slot->lasting)
        *event = slot->event;
    else
        *unknown = true;
    slot->event = slot->request ? RC_REQUEST_IDLE : slot->event;
    return true;
}

/* A request has ended in the call if its handle was in the array before the call and is
 * not any more.  A persistent one keeps its handle, so the call's results tell.
 */
RC_PRELOAD_HOT void rc_mpi_pending_end(struct rc_mpi_world *w,
                                       const struct rc_mpi_args *args,
                                       const struct rc_mpi_record *record, uint32_t row)
{
    const bool waits = args->call->matched == RC_MPI_COMPLETES;
    const rc_mpi_handle none = w->mpi.request_null;
    bool unknown = rc_match.lost;
    uint32_t by = rc_match.events;
    struct rc_mpi_event *complete = NULL;
    for (int i = 0; i < rc_match.held; i++) {
        int64_t number = RC_REQUEST_SEND;
        if (rc_match.t->held[i] == none || !request_ended(args, i, &number, &unknown))
            continue;
        if (number == RC_REQUEST_RECEIVE) {
            rc_match.under_way -= !is_cancelled(w, status_of(args, i));
            rc_match.blind--;
        }
        unknown |= number == RC_REQUEST_RECEIVE || number == RC_REQUEST_TOGETHER;
        if (number < 0)
            continue;
        struct rc_mpi_event *event = &rc_match.t->event[number];
        const bool message = event->kind == RC_EVENT_IRECEIVE;
        if (!complete)
            complete = rc_mpi_event_add(record, waits ? row : 0, 0, RC_EVENT_COMPLETE);
        if (!message)
            event->ended.by = complete ? by + 1 : RC_EVENT_NOBODY;
        if (complete && (!message || receive_complete(w, args, number, i, by)))
            complete->pending =
                (uint16_t)(complete->pending + (event->kind != RC_EVENT_GONE));
        else
            unknown = true;
        if (!complete && message) {
            rc_match.wild -= rc_mpi_is_wild(event);
            rc_match.under_way--;
            event->kind = RC_EVENT_GONE;
        }
    }
    if (complete)
        complete->waits_for = unknown ? RC_EVENT_UNKNOWN : RC_WAITING_NONE;
    else if (waits && !unknown)
        rc_mpi_match_known((uint16_t)row, RC_WAITING_LATE_SENDER, 0, 0);
}

void rc_mpi_pending_forget(intptr_t request)
{
    const struct rc_mpi_slot *slot = &rc_match.t->slot[slot_find(request)];
    int64_t ignored;
    if (!slot->request)
        return;
    ended_unseen(slot);
    request_take(request, &ignored);
}
