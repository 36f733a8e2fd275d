/* Parts of ranks: their sizes, their places in memory, and their exchange. */
#include "kernels/fft3d/split.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, PAGE = 4096 };

int rc_fft_nodes_init(MPI_Comm world, size_t node_size, MPI_Comm *comm,
                      struct rc_fft_nodes *nodes, struct rc_error *err)
{
    int rank, ranks, leader, own, size;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &nodes->comm);
    if (node_size > 0) { /* made-up nodes share memory: they are parts of real ones */
        MPI_Comm real = nodes->comm;
        int in_real;
        MPI_Comm_rank(real, &in_real);
        MPI_Comm_split(real, (int)((size_t)in_real / node_size), rank, &nodes->comm);
        MPI_Comm_free(&real);
    }
    leader = rank;
    MPI_Bcast(&leader, 1, MPI_INT, 0, nodes->comm);
    /* Orders ranks by the first rank of their nodes, then by their own. */
    MPI_Comm by_leader;
    MPI_Comm_split(world, leader == rank ? 0 : MPI_UNDEFINED, rank, &by_leader);
    own = 0;
    if (by_leader != MPI_COMM_NULL) {
        MPI_Comm_rank(by_leader, &own);
        MPI_Comm_free(&by_leader);
    }
    MPI_Bcast(&own, 1, MPI_INT, 0, nodes->comm);
    MPI_Comm_rank(nodes->comm, &rank);
    MPI_Comm_size(nodes->comm, &size);
    /* Keys of a split are integers; equal keys keep the order of 'world'. */
    MPI_Comm_split(world, 0, own, comm);
    nodes->own = (size_t)own;
    nodes->rank = (size_t)rank;
    nodes->ranks = (size_t)size;
    int *node_of = rc_calloc((size_t)ranks, sizeof *node_of);
    nodes->first = rc_calloc((size_t)ranks + 1, sizeof *nodes->first);
    int status = RC_OK;
    if (!node_of || !nodes->first)
        status = rc_fail(err, RC_ENOMEM, "no memory for %d ranks", ranks);
    status = rc_agree(*comm, status, err);
    if (status == RC_OK) {
        MPI_Allgather(&own, 1, MPI_INT, node_of, 1, MPI_INT, *comm);
        for (int i = 0; i < ranks; i++)
            if (i == 0 || node_of[i] != node_of[i - 1])
                nodes->first[nodes->count++] = (size_t)i;
        nodes->first[nodes->count] = (size_t)ranks;
    }
    free(node_of);
    return status;
}

void rc_fft_nodes_fini(struct rc_fft_nodes *nodes)
{
    if (nodes->ranks > 0)
        MPI_Comm_free(&nodes->comm);
    free(nodes->first);
    *nodes = (struct rc_fft_nodes){.comm = MPI_COMM_NULL};
}

/* Ranks that are not idle in any of the three steps. */
static size_t busy(const size_t n[3], size_t r, size_t c)
{
    size_t rows = r < n[0] ? r : n[0], columns = c < n[1] ? c : n[1];
    rows = rows < n[1] ? rows : n[1];
    columns = columns < n[2] ? columns : n[2];
    return rows * columns;
}

void rc_fft_procs_choose(const struct rc_fft_nodes *nodes, size_t ranks,
                         const size_t n[3], size_t procs[2])
{
    procs[0] = ranks;
    procs[1] = 1;
    /* Where nodes have equally many ranks, each is a row, which shares memory. */
    bool equal = nodes->count > 1 && ranks % nodes->count == 0;
    for (size_t i = 0; i < nodes->count && equal; i++)
        equal = (nodes->first[i + 1] - nodes->first[i]) * nodes->count == ranks;
    if (equal && busy(n, nodes->count, ranks / nodes->count) >= busy(n, ranks, 1)) {
        procs[0] = nodes->count;
        procs[1] = ranks / nodes->count;
    }
    for (size_t c = 2; c <= ranks; c++)
        if (ranks % c == 0 && busy(n, ranks / c, c) > busy(n, procs[0], procs[1])) {
            procs[0] = ranks / c;
            procs[1] = c;
        }
}

size_t rc_fft_row_pitch(size_t used, size_t element, bool plain)
{
    if (plain)
        return used;
    return ((used * element + LINE - 1) / LINE | 1) * (LINE / element);
}

/* Adjacent planes' lines lie a bit more than one block of columns apart in a page, so
 * that a store to one does not look like a load from the next.
 */
size_t rc_fft_plane_pitch(size_t rows, size_t row, size_t element, bool plain)
{
    enum { APART = 9, IN_PAGE = PAGE / LINE };
    if (plain)
        return rows * row;
    size_t lines = rows * row * element / LINE | 1;
    while (lines % IN_PAGE < APART || lines % IN_PAGE > IN_PAGE - APART)
        lines += 2;
    return lines * (LINE / element);
}

static void copy_row(char *out, size_t out_stride, const char *in, size_t in_stride,
                     size_t count, size_t element)
{
    if (out_stride == 1 && in_stride == 1) {
        memcpy(out, in, count * element);
        return;
    }
    if (element == 8)
        for (size_t i = 0; i < count; i++)
            memcpy(out + i * out_stride * 8, in + i * in_stride * 8, 8);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(out + i * out_stride * 16, in + i * in_stride * 16, 16);
}

void rc_fft_copy(void *out, const size_t out_stride[3], const void *in,
                 const size_t in_stride[3], const size_t extent[3], size_t element)
{
    for (size_t i = 0; i < extent[0]; i++)
        for (size_t j = 0; j < extent[1]; j++)
            copy_row((char *)out + (i * out_stride[0] + j * out_stride[1]) * element,
                     out_stride[2],
                     (const char *)in + (i * in_stride[0] + j * in_stride[1]) * element,
                     in_stride[2], extent[2], element);
}

int rc_fft_exchange_init(struct rc_fft_exchange *exchange, MPI_Comm comm,
                         size_t element, const size_t *sent, const size_t *received,
                         struct rc_error *err)
{
    *exchange = (struct rc_fft_exchange){.comm = comm,
                                         .type = MPI_DATATYPE_NULL,
                                         .element = element,
                                         .rank = rc_team_rank(comm),
                                         .ranks = rc_team_size(comm)};
    size_t ranks = (size_t)exchange->ranks, out = 0, in = 0;
    int *counts = rc_calloc(4 * ranks, sizeof *counts);
    int status = RC_OK;
    if (!counts)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu ranks", ranks);
    exchange->sent = counts;
    for (size_t i = 0; counts && i < ranks; i++) {
        if (out + sent[i] > INT_MAX || in + received[i] > INT_MAX) {
            status = rc_fail(err, RC_EUNSUPPORTED,
                             "a rank has more than %d points, which MPI cannot count: "
                             "take more ranks, or --path w",
                             INT_MAX);
            break;
        }
        counts[i] = (int)sent[i];
        counts[ranks + i] = (int)out;
        counts[2 * ranks + i] = (int)received[i];
        counts[3 * ranks + i] = (int)in;
        out += sent[i];
        in += received[i];
    }
    status = rc_agree(comm, status, err);
    if (status) {
        free(counts);
        *exchange = (struct rc_fft_exchange){.type = MPI_DATATYPE_NULL};
        return status;
    }
    int even = ranks > 1;
    for (size_t i = 0; i < ranks; i++)
        even = even && sent[i] == sent[0] && received[i] == sent[0];
    MPI_Allreduce(MPI_IN_PLACE, &even, 1, MPI_INT, MPI_MIN, comm);
    exchange->even = even;
    exchange->sent_at = counts + ranks;
    exchange->received = counts + 2 * ranks;
    exchange->received_at = counts + 3 * ranks;
    MPI_Type_contiguous((int)element, MPI_BYTE, &exchange->type);
    MPI_Type_commit(&exchange->type);
    return RC_OK;
}

void rc_fft_exchange_fini(struct rc_fft_exchange *exchange)
{
    if (exchange->sent)
        MPI_Type_free(&exchange->type);
    free(exchange->sent);
    *exchange = (struct rc_fft_exchange){.type = MPI_DATATYPE_NULL};
}

void rc_fft_exchange_run(const struct rc_fft_exchange *exchange, const void *out,
                         void *in, bool back)
{
    const struct rc_fft_exchange *e = exchange;
    int *sent = back ? e->received : e->sent, *received = back ? e->sent : e->received;
    int *from = back ? e->received_at : e->sent_at;
    int *to = back ? e->sent_at : e->received_at;
    int own = sent[e->rank], own_received = received[e->rank];
    if (e->even) {
        MPI_Alltoall(out, own, e->type, in, own, e->type, e->comm);
        return;
    }
    memcpy((char *)in + (size_t)to[e->rank] * e->element,
           (const char *)out + (size_t)from[e->rank] * e->element,
           (size_t)own * e->element);
    sent[e->rank] = received[e->rank] = 0;
    MPI_Alltoallv(out, sent, from, e->type, in, received, to, e->type, e->comm);
    sent[e->rank] = own;
    received[e->rank] = own_received;
}

void rc_fft_exchange_work(const struct rc_fft_exchange *exchange,
                          struct rc_fft_work *work)
{
    for (int i = 0; i < exchange->ranks; i++)
        if (i != exchange->rank && exchange->sent[i] > 0) {
            work->sent_bytes += (uint64_t)exchange->sent[i] * exchange->element;
            work->messages++;
        }
    work->mpi_bytes += work->sent_bytes;
    if (exchange->even)
        work->mpi_bytes += (uint64_t)exchange->sent[0] * exchange->element;
}

void *rc_fft_memory(size_t bytes)
{
    void *memory = NULL;
    return posix_memalign(&memory, PAGE, bytes ? bytes : 1) ? NULL : memory;
}

void rc_fft_scale(void *numbers, size_t count, bool single, double factor)
{
    float *f = numbers;
    double *d = numbers;
    if (single)
        for (size_t i = 0; i < count; i++)
            f[i] *= (float)factor;
    else
        for (size_t i = 0; i < count; i++)
            d[i] *= factor;
}
