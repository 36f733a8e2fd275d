/* Keeps calls that are to be matched with those of other ranks, and decides when the
 * ranks exchange them.
 */
#include "campaign/profile/preload/matching/mpi_match.h"
#include "campaign/profile/preload/matching/mpi_events.h"
#include "campaign/profile/preload/matching/mpi_pending.h"
#include "campaign/profile/preload/matching/mpi_windows.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { FIRST_ASK = 16, OLD_NS = 1000000000, EVENTS_LEAST = 2048, EVENTS_A_RANK = 64 };

/* A blocking receive that has ended; 'peer' and 'tag' are the arguments. */
static void receive_end(const struct rc_mpi_args *args,
                        const struct rc_mpi_record *record, uint32_t row, int comm,
                        unsigned who)
{
    int peer = rc_mpi_integer(args, args->call->who[who]);
    int tag = rc_mpi_integer(args, args->call->who[who + 1]);
    if (peer == rc_mpi_abi.proc_null) {
        rc_mpi_match_known((uint16_t)row, RC_WAITING_LATE_SENDER, 0, 0);
        return;
    }
    rc_mpi_message_from(args->word[args->call->status - 1], &peer, &tag);
    rc_mpi_message_add(record, row, comm, RC_EVENT_RECEIVE, peer, tag);
}

/* A send that has ended, or whose end does not matter.  A send to MPI_PROC_NULL has no
 * event.
 */
static void send_end(const struct rc_mpi_args *args, const struct rc_mpi_record *record,
                     uint32_t row, int comm, enum rc_mpi_event_kind kind)
{
    const int peer = rc_mpi_integer(args, args->call->who[0]);
    if (peer != rc_mpi_abi.proc_null)
        rc_mpi_message_add(record, row, comm, kind, peer,
                           rc_mpi_integer(args, args->call->who[1]));
    else if (kind == RC_EVENT_SEND)
        rc_mpi_match_known((uint16_t)row, RC_WAITING_LATE_RECEIVER, 0, 0);
}

/* Adds a collective.  It gets a number even without room for its event, so that later
 * ones still have the same numbers as on other ranks.
 */
static struct rc_mpi_event *together_add(const struct rc_mpi_args *args,
                                         const struct rc_mpi_record *record,
                                         uint32_t row, int comm,
                                         enum rc_mpi_event_kind kind)
{
    const uint8_t *who = args->call->who;
    struct rc_mpi_event *event = rc_mpi_event_add(record, row, comm, kind);
    const uint32_t number = rc_match.t->comm[comm].next++;
    if (event) {
        event->together.root = who[1] ? rc_mpi_integer(args, who[1]) : -1;
        event->together.number = number;
        event->waits_for = who[0];
    }
    return event;
}

/* Adds a collective that does not block; the call that completes it may wait. */
static void together_made(const struct rc_mpi_args *args,
                          const struct rc_mpi_record *record, int comm)
{
    struct rc_mpi_event *event = together_add(args, record, 0, comm, RC_EVENT_LATER);
    rc_mpi_pending_keep(rc_mpi_request(args, args->call->who[2], 0),
                        event ? event - rc_match.t->event : RC_REQUEST_TOGETHER);
}

RC_PRELOAD_HOT void rc_mpi_match_begin(const struct rc_mpi_args *args, void **word)
{
    const uint8_t *who = args->call->who;
    const enum rc_mpi_matched matched = args->call->matched;
    if (!rc_match.on)
        return;
    if (matched == RC_MPI_FREES || matched == RC_MPI_FREES_WINDOW) {
        const int comm =
            rc_mpi_comm_find(matched == RC_MPI_FREES ? rc_mpi_comm_made(args, 1)
                                                     : rc_mpi_window_made(args, 1));
        if (comm > 0)
            rc_match.t->comm[comm].handle = 0;
    }
    if (matched == RC_MPI_FORGETS)
        rc_mpi_pending_forget(rc_mpi_request(args, 1, 0));
    if (matched != RC_MPI_COMPLETES && matched != RC_MPI_TESTS)
        return;
    rc_match.held = who[0] ? rc_mpi_integer(args, who[0]) : 1;
    if (rc_match.held > RC_MATCH_HELD) {
        rc_match.held = RC_MATCH_HELD;
        rc_match.lost = true;
    }
    for (int i = 0; i < rc_match.held; i++)
        rc_match.t->held[i] = rc_mpi_request(args, who[1], i);
    if (rc_match.wild && who[3] != RC_MPI_ONE && rc_mpi_statuses_ignored(args, who[2]))
        word[who[2] - 1] = rc_match.t->status;
}

RC_PRELOAD_HOT void rc_mpi_match_hold(const rc_mpi_handle *request, int count)
{
    if (!rc_match.on)
        return;
    rc_match.held = count;
    for (int i = 0; i < count; i++)
        rc_match.t->held[i] = request[i];
}

RC_PRELOAD_HOT void rc_mpi_match_end(const struct rc_mpi_args *args,
                                     const struct rc_mpi_record *record, uint32_t row,
                                     int code)
{
    struct rc_mpi_world *w = rc_match.on ? rc_mpi_world_get() : NULL;
    const enum rc_mpi_matched matched = args->call->matched;
    int comm = 0;
    if (!w || rc_match.mute)
        return;
    if (code != 0) { /* it may have done a part of its work */
        rc_match.lost = true;
        return;
    }
    if (args->call->comm &&
        (comm = rc_mpi_comm_find(rc_mpi_comm(args, args->call->comm))) < 0)
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
        rc_mpi_pending_made(args, record, comm);
        break;
    case RC_MPI_COMPLETES:
    case RC_MPI_TESTS:
        rc_mpi_pending_end(w, args, record, row);
        break;
    case RC_MPI_SENDS_OFTEN:
    case RC_MPI_RECEIVES_OFTEN:
        rc_mpi_pending_make_lasting(args, comm);
        break;
    case RC_MPI_STARTS:
        rc_mpi_pending_start(args, record);
        break;
    case RC_MPI_TOGETHER:
        together_add(args, record, row, comm, RC_EVENT_TOGETHER);
        break;
    case RC_MPI_TOGETHER_LATER:
        together_made(args, record, comm);
        break;
    case RC_MPI_MAKES: {
        const intptr_t made = rc_mpi_comm_made(args, args->call->who[0]);
        rc_mpi_comm_add(w, comm, made, made);
        break;
    }
    case RC_MPI_MAKES_WINDOW:
        rc_mpi_comm_add(w, comm, rc_mpi_comm(args, args->call->comm),
                        rc_mpi_window_made(args, args->call->who[0]));
        break;
    case RC_MPI_FENCES:
        comm = rc_mpi_comm_find(rc_mpi_window(args, args->call->who[2]));
        if (comm >= 0)
            together_add(args, record, row, comm, RC_EVENT_TOGETHER);
        break;
    case RC_MPI_STARTS_ACCESS:
    case RC_MPI_ENDS_ACCESS:
    case RC_MPI_POSTS:
    case RC_MPI_WAITS_FOR_ACCESS:
    case RC_MPI_ACCESSES:
        rc_mpi_window_end(w, args, record, row);
        break;
    default:
        break;
    }
}

void rc_mpi_match_mute(void)
{
    rc_match.mute = true;
}

/* How many events are enough for an exchange.  For few ranks it is so small a number
 * that all data of the exchange stay in the processor's cache; for more ranks, whose
 * exchange takes longer, it is larger.
 */
static int64_t enough(const struct rc_mpi_world *w)
{
    const int64_t events = (int64_t)EVENTS_A_RANK * w->ranks,
                  half = RC_MATCH_EVENTS / 2;

    return events < EVENTS_LEAST ? EVENTS_LEAST : events > half ? half : events;
}

/* After how many calls that may ask there will be enough events, if the table goes on
 * filling as in the last 'asked' ones; at most twice as many.  All ranks get the same
 * result.
 */
static uint64_t next_ask(const struct rc_mpi_world *w, uint64_t asked, int64_t fill)
{
    const uint64_t events = fill > 0 ? (uint64_t)fill : 1;
    const uint64_t fits = asked * (uint64_t)enough(w) / events;
    return fits > 2 * asked ? 2 * asked : fits;
}

RC_PRELOAD_HOT uint64_t rc_mpi_match_ask(const struct rc_mpi_args *args,
                                         uint64_t *asked)
{
    struct rc_mpi_match *m = &rc_match;
    enum { FILL, LOST, MUTE, OLD, NUMBERS };
    struct rc_mpi_world *w = m->on ? rc_mpi_world_get() : NULL;
    const uint8_t asks = args->call->asks;
    if (!w || rc_mpi_comm(args, args->call->comm) != w->mpi.world ||
        (asks != RC_MPI_ASKS_ALWAYS && rc_mpi_integer(args, asks) <= 0) ||
        ++m->asked < m->ask || rc_mpi_world_is_copy())
        return 0;
    const uint64_t began = *asked = rc_preload_ticks();
    const int64_t mine[NUMBERS] = {m->events, m->lost != m->off, m->mute,
                                   w->node_count > 1 &&
                                       rc_mpi_raw_ns() - w->compared_ns > OLD_NS};
    int64_t all[NUMBERS];
    w->mpi.Allreduce(mine, all, NUMBERS, w->mpi.int64, w->mpi.most, w->tool);
    const uint64_t waited = rc_preload_ticks() - began;
    if (all[MUTE]) {
        m->on = false;
        return waited;
    }
    if (m->off)
        m->lost = m->off = !rc_mpi_is_quiet(w, m);
    if (!all[LOST] && all[FILL] < enough(w)) {
        m->ask = next_ask(w, m->asked, all[FILL]);
        m->ask = m->ask > m->asked ? m->ask : m->asked + 1;
        return waited;
    }
    if (all[OLD] || w->points < 2)
        rc_mpi_world_compare_clocks(w);
    rc_mpi_exchange(w, m);
    /* The next exchange is due when there are enough events; earlier, if some had no
     * room this time.
     */
    m->ask = all[LOST] ? m->asked / 4 : next_ask(w, m->asked, all[FILL]);
    m->ask = m->ask > FIRST_ASK ? FIRST_ASK : m->ask > 0 ? m->ask : 1;
    m->asked = 0;
    return waited;
}

/* Makes the tables.  Their begin, which most calls use, is in one huge page if the
 * system has them: the program leaves few entries of the processor's TLB to others.
 */
static struct rc_mpi_tables *tables_new(void)
{
    enum { HUGE = 2 << 20 };
    char *room = mmap(NULL, sizeof *rc_match.t + HUGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (room == MAP_FAILED)
        return NULL;
    room += -(uintptr_t)room % HUGE;
    madvise(room, HUGE, MADV_HUGEPAGE);
    return (struct rc_mpi_tables *)room;
}

/* Begins to match calls, on all ranks or on none. */
static void match_open(struct rc_mpi_world *w)
{
    int64_t cannot, any = 1;

    rc_match = (struct rc_mpi_match){
        .t = tables_new(),
        .count = malloc((size_t)w->ranks * 6 * sizeof(int)),
        .earliest = malloc((size_t)w->ranks * sizeof *rc_match.earliest),
        .home = &rc_preload_self,
        .ask = FIRST_ASK};
    cannot = !rc_match.t || !rc_match.count || !rc_match.earliest ||
             w->level >= RC_MPI_THREAD_MULTIPLE || rc_preload_head->no_waiting ||
             !rc_mpi_usable();
    w->mpi.Allreduce(&cannot, &any, 1, w->mpi.int64, w->mpi.most, w->tool);
    if (any)
        return;
    rc_match.t->comm[0] = (struct rc_mpi_comm){.handle = w->mpi.world,
                                               .id = 1,
                                               .size = w->ranks,
                                               .rank = w->rank,
                                               .used = true,
                                               .wide = true};
    w->mpi.Comm_group(w->mpi.world, &rc_match.t->comm[0].group);
    rc_mpi_handle_made(&rc_match.t->comm[0].group);
    rc_match.comms = 1;
    rc_match.on = true;
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
    int64_t mute = rc_match.mute, any = 0;
    rc_mpi_nodes_end();
    if (!w || rc_mpi_world_is_copy())
        return 0;
    const uint64_t began = rc_preload_ticks();
    w->mpi.Allreduce(&mute, &any, 1, w->mpi.int64, w->mpi.most, w->tool);
    const uint64_t waited = rc_preload_ticks() - began;
    rc_mpi_world_compare_clocks(w);
    if (rc_match.on && !any)
        rc_mpi_exchange(w, &rc_match);
    for (uint32_t i = 0; rc_match.t && i < rc_match.comms; i++)
        if (rc_match.t->comm[i].used)
            w->mpi.Group_free(&rc_match.t->comm[i].group);
    if (rc_match.t)
        munmap(rc_match.t, sizeof *rc_match.t);
    free(rc_match.count);
    free(rc_match.earliest);
    rc_match = (struct rc_mpi_match){0};
    rc_mpi_world_end(w);
    errno = kept;
    return waited;
}
