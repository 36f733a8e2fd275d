/* Writes datasets by event on rank 0 alone, which gathers them from all ranks in pieces
 * of whole chunks, by the numbers of the events.  So HDF5 is told the same in the same
 * order whatever the ranks are, and the file is the same to its last byte.
 */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

#include <string.h>

enum { PIECE_BYTES = 8 << 20 }; /* of a dataset that are gathered at once */

/* A dataset on its way from all ranks to rank 0. */
struct passage {
    const struct rc_event_set *set;
    size_t block, bytes;         /* of events; of one event */
    int ranks, rank;             /* of all, and this one */
    struct rc_event_range *from; /* [rank] what each gives */
    size_t *at;                  /* [rank] how many of these are gone */
    int *count, *place;          /* [rank] bytes of the piece, and where they come */
    char *mine, *all, *piece;    /* of this rank; of all; in the order of events */
    uint8_t *there;              /* [event of the piece] whether any rank gave it */
    struct rc_arena arena;       /* of all arrays */
};

static size_t number_of(const struct passage *p, int rank, size_t at)
{
    const struct rc_event_range *r = &p->from[rank];

    if (!r->stride)
        return r->first + at;
    return r->first + at / p->block * r->stride + at % p->block;
}

/* Collective.  All ranks know what each gives. */
static int begin_passage(struct passage *p, MPI_Comm comm,
                         const struct rc_event_range *range, size_t most,
                         struct rc_error *err)
{
    const size_t ranks = (size_t)p->ranks, gathered = p->rank == 0 ? most : 1;
    struct rc_arena *a = &p->arena;

    p->from = rc_arena_array(a, ranks, sizeof *p->from);
    p->at = rc_arena_array(a, ranks, sizeof *p->at);
    p->count = rc_arena_array(a, ranks, sizeof *p->count);
    p->place = rc_arena_array(a, ranks, sizeof *p->place);
    p->mine = rc_arena_array(a, most, p->bytes);
    p->all = rc_arena_array(a, gathered, p->bytes);
    p->piece = rc_arena_array(a, gathered, p->bytes);
    p->there = rc_arena_array(a, most, 1);
    const int status = rc_agree(comm, rc_arena_check(a, err, p->set->name), err);
    if (status != RC_OK)
        return status;
    p->from[p->rank] = *range;
    if (comm != MPI_COMM_NULL)
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, p->from, sizeof *p->from, MPI_BYTE,
                      comm);
    return RC_OK;
}

/* Whose events of first .. first + events - 1 are on which rank, the same on all: how
 * many bytes each gives.  False: two ranks give the same one.
 */
static bool share_out(struct passage *p, size_t first, size_t events)
{
    size_t given = 0;

    memset(p->there, 0, events);
    for (int r = 0; r < p->ranks; r++) {
        p->place[r] = (int)(given * p->bytes);
        size_t at = p->at[r], number;
        for (; at < p->from[r].count && (number = number_of(p, r, at)) - first < events;
             at++, given++) {
            if (p->there[number - first])
                return false;
            p->there[number - first] = 1;
        }
        p->count[r] = (int)((at - p->at[r]) * p->bytes);
    }
    return true;
}

/* On rank 0: the events that are there, in runs. */
static int write_runs(struct passage *p, size_t first, size_t events,
                      struct rc_error *err)
{
    for (int r = 0; r < p->ranks; r++)
        for (size_t i = 0; i < (size_t)p->count[r] / p->bytes; i++)
            memcpy(p->piece + (number_of(p, r, p->at[r] + i) - first) * p->bytes,
                   p->all + (size_t)p->place[r] + i * p->bytes, p->bytes);
    for (size_t at = 0, end; at < events; at = end) {
        for (end = at; end < events && p->there[end] == p->there[at];)
            end++;
        const struct rc_event_range run = {first + at, end - at, 0};
        const int status =
            p->there[at] ? rc_event_set_transfer(p->set, &run, p->block, true, false,
                                                 p->piece + at * p->bytes, err)
                         : RC_OK;
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Collective. */
static int pass_piece(struct passage *p, MPI_Comm comm, size_t first, size_t events,
                      const char *data, struct rc_error *err)
{
    int status = RC_OK;

    if (!share_out(p, first, events)) /* on all ranks */
        return rc_fail(err, RC_EUSAGE, "events of '%s' are given twice", p->set->name);
    const char *from = data ? data + p->at[p->rank] * p->bytes : p->mine;
    const int bytes = p->count[p->rank];
    if (comm == MPI_COMM_NULL)
        memcpy(p->all, from, (size_t)bytes);
    else
        MPI_Gatherv(from, bytes, MPI_BYTE, p->all, p->count, p->place, MPI_BYTE, 0,
                    comm);
    if (p->rank == 0)
        status = write_runs(p, first, events, err);
    for (int r = 0; r < p->ranks; r++)
        p->at[r] += (size_t)p->count[r] / p->bytes;
    return rc_agree(comm, status, err);
}

int rc_event_set_write_first(const struct rc_store *store,
                             const struct rc_store_suite_part *suite,
                             const struct rc_event_set *set,
                             const struct rc_event_range *range, const char *data,
                             struct rc_error *err)
{
    struct passage p = {.set = set,
                        .block = suite->block,
                        .bytes = rc_event_set_bytes(set),
                        .ranks = rc_team_size(store->comm),
                        .rank = rc_team_rank(store->comm)};
    const struct rc_event_range own = {range->first, data ? range->count : 0,
                                       range->stride};

    if (p.bytes == 0 || suite->events == 0)
        return RC_OK;
    const size_t chunks = PIECE_BYTES / (p.bytes * set->chunk) + 1;
    size_t most = chunks * set->chunk;
    most = most < suite->events ? most : suite->events;
    int status = begin_passage(&p, store->comm, &own, most, err);
    for (size_t at = 0; at < suite->events && status == RC_OK; at += most) {
        const size_t left = suite->events - at;
        status = pass_piece(&p, store->comm, at, left < most ? left : most, data, err);
    }
    rc_arena_free(&p.arena);
    return status;
}
