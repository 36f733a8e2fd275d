/* Waiting for the access to windows.
 *
 * Calls are kept as if they sent messages in the window, one to each rank of their
 * group: MPI_Win_post to the ranks that may access the window now, and MPI_Win_complete
 * to the ranks that were accessed.  MPI_Win_start receives the messages of
 * MPI_Win_post, and MPI_Win_wait those of MPI_Win_complete.  Some MPIs wait for the
 * post in MPI_Win_start and others in MPI_Win_complete, so both calls may have waited.
 */
#include "campaign/profile/preload/matching/mpi_windows.h"
#include "campaign/profile/preload/matching/mpi_events.h"

enum { POST_TAG, COMPLETE_TAG };

/* The rank in the window of the i-th rank of a group. */
static int peer_of(struct rc_mpi_world *w, const struct rc_mpi_comm *window,
                   rc_mpi_handle group, int i)
{
    int peer = RC_MPI_UNDEFINED;
    w->mpi.Group_translate_ranks(group, 1, &i, window->group, &peer);
    return peer;
}

static rc_mpi_handle group_of(const struct rc_mpi_args *args)
{
    return rc_mpi_group(args, args->call->who[1]);
}

/* Begins an epoch that receives a message from each rank of the group; 'call' is the
 * number of another event that may wait for these, too, or 0.  Either all messages have
 * events, or none has.
 */
static void epoch_begin(struct rc_mpi_world *w, const struct rc_mpi_record *record,
                        int window, rc_mpi_handle group, int tag, uint8_t kind,
                        uint32_t call, struct rc_mpi_epoch *epoch)
{
    int made = 0;
    epoch->count = 0;
    epoch->first = rc_match.events;
    w->mpi.Group_size(group, &epoch->count);
    for (; made < epoch->count; made++) {
        struct rc_mpi_event *event =
            rc_mpi_message_add(record, 0, window, RC_EVENT_IRECEIVE,
                               peer_of(w, &rc_match.t->comm[window], group, made), tag);
        if (!event)
            break;
        event->waits_for = kind;
        event->ended.also_by = call;
    }
    if (made == epoch->count)
        return;
    for (int i = 0; i < made; i++)
        rc_match.t->event[epoch->first + i].kind = RC_EVENT_GONE;
    epoch->first = -1;
    rc_match.blind += epoch->count;
}

/* Ends an epoch: its messages have come in the call with the event 'complete'.  NULL:
 * the call has no event, so the messages lose theirs.
 */
static void epoch_end(struct rc_mpi_event *complete, uint8_t kind,
                      struct rc_mpi_epoch *epoch)
{
    const uint32_t by = complete ? (uint32_t)(complete - rc_match.t->event) + 1 : 0;
    rc_match.under_way -= epoch->count;
    if (epoch->first < 0)
        rc_match.blind -= epoch->count;
    for (int i = 0; epoch->first >= 0 && i < epoch->count; i++) {
        struct rc_mpi_event *event = &rc_match.t->event[epoch->first + i];
        event->ended.by = by;
        event->kind = complete ? RC_EVENT_IRECEIVE : RC_EVENT_GONE;
    }
    if (complete) {
        complete->waits_for = epoch->first < 0 ? RC_EVENT_UNKNOWN : kind;
        complete->pending = epoch->first < 0 ? 0 : (uint16_t)epoch->count;
    }
    *epoch = (struct rc_mpi_epoch){.first = -1};
}

/* Sends a message to each rank that was accessed; its exit is the end of the last
 * access.
 */
static void access_tell(const struct rc_mpi_record *record, int number)
{
    struct rc_mpi_comm *window = &rc_match.t->comm[number];
    const struct rc_mpi_epoch *epoch = &window->access;
    for (int i = 0; i < epoch->count; i++) {
        const int peer =
            epoch->first < 0 ? 0 : rc_match.t->event[epoch->first + i].message.peer;
        struct rc_mpi_event *event =
            rc_mpi_message_add(record, 0, number, RC_EVENT_ISEND, peer, COMPLETE_TAG);
        if (event)
            event->exit = window->accessed;
    }
}

static void start_end(struct rc_mpi_world *w, const struct rc_mpi_record *record,
                      uint32_t row, int number, rc_mpi_handle group)
{
    struct rc_mpi_comm *window = &rc_match.t->comm[number];
    struct rc_mpi_event *start = rc_mpi_event_add(record, row, 0, RC_EVENT_COMPLETE);
    const uint32_t call = start ? (uint32_t)(start - rc_match.t->event + 1) : 0;
    epoch_begin(w, record, number, group, POST_TAG, RC_WAITING_LATE_POST, call,
                &window->access);
    window->accessed = record->ended;
    if (!start)
        return;
    start->waits_for =
        window->access.first < 0 ? RC_EVENT_UNKNOWN : RC_WAITING_LATE_POST;
    start->pending = window->access.first < 0 ? 0 : (uint16_t)window->access.count;
}

static void post_end(struct rc_mpi_world *w, const struct rc_mpi_record *record,
                     int number, rc_mpi_handle group)
{
    struct rc_mpi_comm *window = &rc_match.t->comm[number];
    epoch_begin(w, record, number, group, COMPLETE_TAG, RC_WAITING_EARLY_WAIT, 0,
                &window->exposure);
    for (int i = 0; i < window->exposure.count; i++)
        rc_mpi_message_add(record, 0, number, RC_EVENT_ISEND,
                           peer_of(w, window, group, i), POST_TAG);
}

/* MPI_Win_wait has an event of its own and an ACCESSED event after it. */
static void wait_end(const struct rc_mpi_record *record, uint32_t row, int number)
{
    struct rc_mpi_event *complete = rc_mpi_event_add(record, row, 0, RC_EVENT_COMPLETE);
    struct rc_mpi_event *accessed =
        complete ? rc_mpi_event_add(record, 0, 0, RC_EVENT_ACCESSED) : NULL;
    if (accessed)
        accessed->last_access = INT64_MIN;
    epoch_end(complete, RC_WAITING_EARLY_WAIT, &rc_match.t->comm[number].exposure);
}

void rc_mpi_window_end(struct rc_mpi_world *w, const struct rc_mpi_args *args,
                       const struct rc_mpi_record *record, uint32_t row)
{
    const uint8_t *who = args->call->who;
    const int number = rc_mpi_comm_find(rc_mpi_window(args, who[0]));
    if (number < 0)
        return;
    switch (args->call->matched) {
    case RC_MPI_STARTS_ACCESS:
        start_end(w, record, row, number, group_of(args));
        break;
    case RC_MPI_ENDS_ACCESS:
        access_tell(record, number);
        epoch_end(rc_mpi_event_add(record, row, 0, RC_EVENT_COMPLETE),
                  RC_WAITING_LATE_POST, &rc_match.t->comm[number].access);
        break;
    case RC_MPI_POSTS:
        post_end(w, record, number, group_of(args));
        break;
    case RC_MPI_WAITS_FOR_ACCESS:
        if (!who[1])
            wait_end(record, row, number);
        else if (*(const int *)args->word[who[1] - 1])
            wait_end(record, 0, number);
        break;
    default:
        rc_match.t->comm[number].accessed = record->ended;
        break;
    }
}

static void epoch_move(struct rc_mpi_match *m, struct rc_mpi_epoch *epoch)
{
    if (epoch->first < 0 || epoch->count == 0)
        return;
    const uint32_t to = m->t->number[epoch->first];
    epoch->first = to == UINT32_MAX ? -1 : (int64_t)to;
    if (to == UINT32_MAX)
        m->blind += epoch->count;
}

void rc_mpi_windows_move(struct rc_mpi_match *m)
{
    for (uint32_t c = 1; c < m->comms; c++) {
        epoch_move(m, &m->t->comm[c].access);
        epoch_move(m, &m->t->comm[c].exposure);
    }
}
