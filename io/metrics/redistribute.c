/* Whole chunks for each rank.  Those that several ranks have parts of parallel HDF5
 * 1.10.8 puts together by itself, which takes it about twice the time of this.
 */
#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "io/metrics/parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A run on its way: within a chunk, and with its place among what is sent, or was
 * received.
 */
struct piece {
    uint64_t first, count, at;
};

struct deal {
    MPI_Comm comm;
    int ranks;
    size_t chunk;
    int *count[2], *start[2]; /* pieces sent [0] and received [1], by rank */
    int *bytes[2], *offset[2];
    struct piece *piece[2];
    size_t pieces[2], events[2];
};

static int deal_init(struct deal *d, MPI_Comm comm, size_t chunk)
{
    *d = (struct deal){.comm = comm, .ranks = rc_team_size(comm), .chunk = chunk};
    for (int way = 0; way < 2; way++) {
        const size_t ranks = (size_t)d->ranks;
        int *room = rc_calloc(ranks, 4 * sizeof *room);
        if (!room)
            return -1;
        d->count[way] = room;
        d->start[way] = room + ranks;
        d->bytes[way] = room + 2 * ranks;
        d->offset[way] = room + 3 * ranks;
    }
    return 0;
}

static void deal_fini(struct deal *d)
{
    for (int way = 0; way < 2; way++) {
        free(d->count[way]);
        free(d->piece[way]);
    }
}

static int owner(const struct deal *d, uint64_t event)
{
    return (int)(event / d->chunk % (uint64_t)d->ranks);
}

/* The part of a run that lies in the chunk of its event 'from'. */
static uint64_t in_chunk(const struct deal *d, const struct rc_metrics_run *run,
                         uint64_t from)
{
    uint64_t end = run->first + run->count;
    uint64_t next = (from / d->chunk + 1) * d->chunk;

    return (next < end ? next : end) - from;
}

/* Cuts the runs at the ends of chunks and sorts the pieces by their new ranks. */
static int cut(struct deal *d, const struct rc_metrics_buffer *buffer)
{
    size_t at = 0;

    for (int pass = 0; pass < 2; pass++) {
        at = 0;
        for (size_t i = 0; i < buffer->runs; i++) {
            const struct rc_metrics_run *run = &buffer->run[i];
            uint64_t step;
            for (uint64_t from = run->first; from < run->first + run->count;
                 from += step, at += step) {
                int rank = owner(d, from);
                step = in_chunk(d, run, from);
                if (pass == 1)
                    d->piece[0][d->start[0][rank] + d->count[0][rank]] =
                        (struct piece){from, step, at};
                d->count[0][rank]++;
            }
        }
        if (pass == 1)
            break;
        for (int rank = 0; rank < d->ranks; rank++) {
            d->start[0][rank] = (int)d->pieces[0];
            d->pieces[0] += (size_t)d->count[0][rank];
            d->count[0][rank] = 0;
        }
        d->piece[0] = rc_calloc(d->pieces[0], sizeof *d->piece[0]);
        if (!d->piece[0])
            return -1;
    }
    d->events[0] = at;
    return 0;
}

/* The pieces that come to this rank, with their places in what is received. */
static int exchange_pieces(struct deal *d, struct rc_error *err)
{
    int status = RC_OK;

    MPI_Alltoall(d->count[0], 1, MPI_INT, d->count[1], 1, MPI_INT, d->comm);
    for (int rank = 0; rank < d->ranks; rank++) {
        d->start[1][rank] = (int)d->pieces[1];
        d->pieces[1] += (size_t)d->count[1][rank];
    }
    d->piece[1] = rc_calloc(d->pieces[1], sizeof *d->piece[1]);
    if (!d->piece[1])
        status = rc_fail(err, RC_ENOMEM, "no memory to exchange columns");
    status = rc_agree(d->comm, status, err);
    if (status != RC_OK)
        return status;

    MPI_Datatype type;
    MPI_Type_contiguous(3, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Alltoallv(d->piece[0], d->count[0], d->start[0], type, d->piece[1], d->count[1],
                  d->start[1], type, d->comm);
    MPI_Type_free(&type);
    for (size_t i = 0; i < d->pieces[1]; i++) {
        d->piece[1][i].at = d->events[1];
        d->events[1] += d->piece[1][i].count;
    }
    return RC_OK;
}

static void set_bytes(struct deal *d, size_t each)
{
    for (int way = 0; way < 2; way++) {
        int offset = 0;
        for (int rank = 0; rank < d->ranks; rank++) {
            size_t events = 0;
            for (int i = 0; i < d->count[way][rank]; i++)
                events += d->piece[way][d->start[way][rank] + i].count;
            d->bytes[way][rank] = (int)(events * each);
            d->offset[way][rank] = offset;
            offset += d->bytes[way][rank];
        }
    }
}

static int by_first(const void *a, const void *b)
{
    const struct piece *left = a, *right = b;

    return (left->first > right->first) - (left->first < right->first);
}

/* One column: packed by ranks, sent, and put in the order of the file.  'sorted' are
 * the pieces received, in that order.
 */
static int exchange_set(struct deal *d, size_t each, const struct piece *sorted,
                        void **data, struct rc_error *err)
{
    char *sent = rc_calloc(d->events[0], each), *got = rc_calloc(d->events[1], each);
    char *whole = rc_calloc(d->events[1], each);
    int status = sent && got && whole
                     ? RC_OK
                     : rc_fail(err, RC_ENOMEM, "no memory to exchange columns");
    size_t at = 0;

    status = rc_agree(d->comm, status, err);
    if (status == RC_OK) {
        for (size_t i = 0; i < d->pieces[0]; i++) {
            const struct piece *piece = &d->piece[0][i];
            memcpy(sent + at, (char *)*data + piece->at * each, piece->count * each);
            at += piece->count * each;
        }
        set_bytes(d, each);
        MPI_Alltoallv(sent, d->bytes[0], d->offset[0], MPI_BYTE, got, d->bytes[1],
                      d->offset[1], MPI_BYTE, d->comm);
        at = 0;
        for (size_t i = 0; i < d->pieces[1]; i++) {
            memcpy(whole + at, got + sorted[i].at * each, sorted[i].count * each);
            at += sorted[i].count * each;
        }
        free(*data);
        *data = whole;
        whole = NULL;
    }
    free(sent);
    free(got);
    free(whole);
    return status;
}

/* The runs of what this rank has now. */
static int take_runs(const struct deal *d, const struct piece *sorted,
                     struct rc_metrics_buffer *buffer)
{
    buffer->runs = 0;
    for (size_t i = 0; i < d->pieces[1]; i++) {
        struct rc_metrics_run *last =
            buffer->runs > 0 ? &buffer->run[buffer->runs - 1] : NULL;
        if (last && last->first + last->count == sorted[i].first) {
            last->count += sorted[i].count;
            continue;
        }
        if (rc_grow(&buffer->run, sizeof *buffer->run, buffer->runs, &buffer->run_room))
            return -1;
        buffer->run[buffer->runs++] =
            (struct rc_metrics_run){sorted[i].first, sorted[i].count};
    }
    buffer->events = buffer->room = d->events[1];
    return 0;
}

/* MPI counts bytes in an int: what would be more for any rank stays where it is. */
static bool is_too_much(const struct deal *d, const struct rc_suite_result *suite)
{
    size_t events = d->events[0] > d->events[1] ? d->events[0] : d->events[1];
    int too_much = 0;

    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++) {
        size_t each = rc_metrics_set_bytes_each(suite, set);
        if (each > 0 && events > INT_MAX / each)
            too_much = 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, &too_much, 1, MPI_INT, MPI_MAX, d->comm);
    return too_much != 0;
}

static int exchange(struct deal *d, const struct rc_suite_result *suite,
                    struct rc_metrics_buffer *buffer, struct rc_error *err)
{
    int status = exchange_pieces(d, err);
    if (status != RC_OK || is_too_much(d, suite))
        return status;
    struct piece *sorted = rc_calloc(d->pieces[1], sizeof *sorted);

    if (status == RC_OK && !sorted)
        status = rc_fail(err, RC_ENOMEM, "no memory to exchange columns");
    status = rc_agree(d->comm, status, err);
    if (status == RC_OK && d->pieces[1] > 0) {
        memcpy(sorted, d->piece[1], d->pieces[1] * sizeof *sorted);
        qsort(sorted, d->pieces[1], sizeof *sorted, by_first);
    }
    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS && status == RC_OK; set++)
        if (rc_metrics_set_width(suite, set) > 0)
            status = exchange_set(d, rc_metrics_set_bytes_each(suite, set), sorted,
                                  &buffer->data[set], err);
    if (status == RC_OK && take_runs(d, sorted, buffer) != 0)
        status = rc_fail(err, RC_ENOMEM, "no memory to exchange columns");
    free(sorted);
    return rc_agree(d->comm, status, err);
}

int rc_metrics_redistribute(MPI_Comm comm, const struct rc_suite_result *suite,
                            size_t chunk, struct rc_metrics_buffer *buffer,
                            struct rc_error *err)
{
    struct deal d;
    int status = RC_OK;

    if (deal_init(&d, comm, chunk) != 0 || cut(&d, buffer) != 0)
        status = rc_fail(err, RC_ENOMEM, "no memory to exchange columns");
    status = rc_agree(comm, status, err);
    if (status == RC_OK)
        status = exchange(&d, suite, buffer, err);
    deal_fini(&d);
    return status;
}
