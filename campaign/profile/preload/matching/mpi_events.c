/* Adds communicators and events of calls to the tables of mpi_match.h, where they stay
 * until the ranks exchange them.
 */
#include "campaign/profile/preload/matching/mpi_events.h"

#include <string.h>

/* The number of a communicator; -1: it is unknown, like those between two groups. */
RC_PRELOAD_HOT int rc_mpi_comm_find(intptr_t handle)
{
    const struct rc_mpi_comm *comm = rc_match.t->comm;
    if (rc_match.found < rc_match.comms && comm[rc_match.found].handle == handle)
        return (int)rc_match.found;
    for (uint32_t i = 0; i < rc_match.comms; i++)
        if (comm[i].handle == handle)
            return (int)(rc_match.found = i);
    return -1;
}

/* The id is made by all ranks in the same way: from the parent's id and the number of
 * communicators that were made from the parent before.
 */
void rc_mpi_comm_add(struct rc_mpi_world *w, int parent, intptr_t of, intptr_t handle)
{
    struct rc_mpi_comm *from = &rc_match.t->comm[parent];
    const uint64_t id = (from->id + ++from->made) * UINT64_C(0xd6e8feb86659fd93);
    const int root = 0;
    int inter = 0, old = rc_mpi_comm_find(handle);
    uint32_t at = 0;
    if (of == w->mpi.null)
        return;
    if (old >= 0)
        rc_match.t->comm[old].handle = 0; /* freed by a call that was not recorded */
    w->mpi.Comm_test_inter(of, &inter);
    while (at < rc_match.comms && rc_match.t->comm[at].used)
        at++;
    if (inter || at >= RC_MATCH_COMMS)
        return;
    struct rc_mpi_comm *comm = &rc_match.t->comm[at];
    *comm = (struct rc_mpi_comm){.handle = handle, .id = id ^ id >> 32, .used = true};
    w->mpi.Comm_size(of, &comm->size);
    w->mpi.Comm_rank(of, &comm->rank);
    w->mpi.Comm_group(of, &comm->group);
    rc_mpi_handle_made(&comm->group);
    w->mpi.Group_translate_ranks(comm->group, 1, &root, rc_match.t->comm[0].group,
                                 &comm->first);
    comm->wide = comm->size == w->ranks;
    if (at == rc_match.comms)
        rc_match.comms++;
}

RC_PRELOAD_HOT void rc_mpi_match_expect(void)
{
    if (!rc_match.on)
        return;
    __builtin_prefetch(&rc_match.t->comm[rc_match.found]);
    if (rc_match.events < RC_MATCH_EVENTS)
        __builtin_prefetch(&rc_match.t->event[rc_match.events], 1);
}

/* NULL: there is no room, or messages are not matched now. */
RC_PRELOAD_HOT struct rc_mpi_event *rc_mpi_event_add(const struct rc_mpi_record *record,
                                                     uint32_t row, int comm,
                                                     enum rc_mpi_event_kind kind)
{
    if (rc_match.events >= RC_MATCH_EVENTS)
        rc_match.lost = true;
    const bool message = kind != RC_EVENT_TOGETHER && kind != RC_EVENT_LATER;
    if (rc_match.events >= RC_MATCH_EVENTS || (rc_match.lost && message)) {
        struct rc_preload_block *block = rc_preload_self.block;
        if (block)
            rc_preload_add(&block->shared.unmatched, 1);
        return NULL;
    }
    struct rc_mpi_event *event = &rc_match.t->event[rc_match.events++];
    *event = (struct rc_mpi_event){
        .enter = record->began,
        .row = rc_match.home == &rc_preload_self ? (uint16_t)row : 0,
        .comm = (uint16_t)comm,
        .kind = (uint8_t)kind};
    if (kind != RC_EVENT_IRECEIVE && kind != RC_EVENT_LATER)
        event->exit = record->ended;
    return event;
}

/* Adds a message to or from a rank, or a receive from any rank. */
RC_PRELOAD_HOT struct rc_mpi_event *
rc_mpi_message_add(const struct rc_mpi_record *record, uint32_t row, int comm,
                   enum rc_mpi_event_kind kind, int peer, int tag)
{
    struct rc_mpi_event *event = rc_mpi_event_add(record, row, comm, kind);
    if (kind == RC_EVENT_SEND || kind == RC_EVENT_ISEND)
        rc_match.under_way++;
    if (kind == RC_EVENT_RECEIVE)
        rc_match.under_way--;
    if (event) {
        event->message.peer = peer;
        event->message.tag = tag;
    }
    return event;
}

/* Replaces "any" as rank or tag of a receive by those of the message, by its status. */
RC_PRELOAD_HOT void rc_mpi_message_from(const char *status, int *peer, int *tag)
{
    if (*peer == rc_mpi_abi.any_source)
        memcpy(peer, status + rc_mpi_abi.source_at, sizeof *peer);
    if (*tag == RC_MPI_ANY_TAG)
        memcpy(tag, status + rc_mpi_abi.tag_at, sizeof *tag);
}
