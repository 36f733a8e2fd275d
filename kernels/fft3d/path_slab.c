/* The path 'slab': each node has its planes in shared memory, and one exchange gives
 * each rank its rows of all planes.
 *
 * Rank l of a node sends to rank l of each other node the parts that all ranks of the
 * node have for it, straight from the shared memory: one large message a node.  Where
 * there are addresses for the planes of all nodes, rows arrive at their places in the
 * grid, and columns along axis 0 are transformed in place, by strided plans.  Else they
 * arrive in an array of their own, and columns are gathered in blocks.
 */
#include "kernels/fft3d/planes.h"
#include "kernels/fft3d/split.h"

#include "campaign/base/agree.h"
#include "campaign/base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message to one rank, or from one. */
struct slab_message {
    int rank;
    MPI_Datatype type;
    char *at; /* its first row in the memory of this rank */
    uint64_t bytes;
};

struct slab_path {
    struct rc_fft_planes planes;
    struct rc_fft_axis *axis_0;
    /* Where there is no place for all planes, else NULL: */
    char *came;            /* [n0][rows][columns]; the node's planes are used only for a
                            * transposed result */
    char *buffer;          /* [n0][block] */
    size_t lo, rows;       /* this rank's rows of every plane */
    struct rc_arena arena; /* holds these: */
    struct slab_message *sent, *received;
    size_t sent_count, received_count;
    MPI_Request *request;
    size_t phase_exchange, phase_columns, phase_return;
};

static bool slab_usable(const struct rc_fft *fft, char *why, size_t room)
{
    for (size_t i = 0; i < fft->nodes.count; i++)
        if (rc_fft_split(fft->options.n[0], fft->ranks, fft->nodes.first[i]) ==
            rc_fft_split(fft->options.n[0], fft->ranks, fft->nodes.first[i + 1])) {
            snprintf(why, room, "%zu nodes would share %zu planes", fft->nodes.count,
                     fft->options.n[0]);
            return false;
        }
    return true;
}

/* The type of 'y' rows in 'x' planes of the node. */
static MPI_Datatype planes_type(const struct slab_path *path, const struct rc_fft *fft,
                                size_t x, size_t y)
{
    MPI_Datatype row, rows, planes;
    MPI_Type_contiguous((int)(fft->columns * (fft->element / 8)), MPI_DOUBLE, &row);
    MPI_Type_create_hvector((int)y, 1, (MPI_Aint)(path->planes.row * fft->element), row,
                            &rows);
    MPI_Type_create_hvector((int)x, 1, (MPI_Aint)(path->planes.plane * fft->element),
                            rows, &planes);
    MPI_Type_commit(&planes);
    MPI_Type_free(&row);
    MPI_Type_free(&rows);
    return planes;
}

/* The type of the same rows in 'came': one piece. */
static MPI_Datatype came_type(const struct rc_fft *fft, size_t x, size_t y)
{
    MPI_Datatype row, all;
    MPI_Type_contiguous((int)(fft->columns * (fft->element / 8)), MPI_DOUBLE, &row);
    MPI_Type_contiguous((int)y, row, &all);
    MPI_Type_free(&row);
    MPI_Type_contiguous((int)x, all, &row);
    MPI_Type_commit(&row);
    MPI_Type_free(&all);
    return row;
}

static size_t planes_of(const struct rc_fft *fft, size_t node, size_t *lo)
{
    const size_t *first = fft->nodes.first;
    *lo = rc_fft_split(fft->options.n[0], fft->ranks, first[node]);
    return rc_fft_split(fft->options.n[0], fft->ranks, first[node + 1]) - *lo;
}

/* The place for other nodes' rows: [x][y][z] of this rank's rows. */
static char *came_at(const struct slab_path *path, const struct rc_fft *fft, size_t x,
                     size_t y, size_t z)
{
    const struct rc_fft_planes *planes = &path->planes;
    size_t at = planes->all ? x * planes->plane + (path->lo + y) * planes->row + z
                            : (x * path->rows + y) * fft->columns + z;
    return (planes->all ? (char *)planes->window.base : path->came) + at * fft->element;
}

/* Element [x][y][z] of this rank's rows: in the node's planes, or at came_at(). */
static char *row_at(const struct slab_path *path, const struct rc_fft *fft, size_t x,
                    size_t y, size_t z)
{
    const struct rc_fft_planes *planes = &path->planes;
    if (x - planes->lo < planes->count)
        return rc_fft_planes_at(planes, fft, x - planes->lo, path->lo + y, z);
    return came_at(path, fft, x, y, z);
}

/* Lists messages to the ranks of another node, dealt to this node's ranks in turn:
 * nodes may have different sizes.
 */
static void list_sent(struct slab_path *path, const struct rc_fft *fft, size_t node)
{
    const struct rc_fft_nodes *nodes = &fft->nodes;
    for (size_t rank = nodes->first[node]; rank < nodes->first[node + 1]; rank++) {
        size_t rows = rc_fft_share(fft->options.n[1], fft->ranks, rank);
        if ((rank - nodes->first[node]) % nodes->ranks != nodes->rank || rows == 0)
            continue;
        struct slab_message *m = &path->sent[path->sent_count++];
        m->rank = (int)rank;
        m->at = rc_fft_planes_at(&path->planes, fft, 0,
                                 rc_fft_split(fft->options.n[1], fft->ranks, rank), 0);
        m->type = planes_type(path, fft, path->planes.count, rows);
        m->bytes = path->planes.count * rows * fft->columns * fft->element;
    }
}

static void list_received(struct slab_path *path, const struct rc_fft *fft, size_t node)
{
    const struct rc_fft_nodes *nodes = &fft->nodes;
    size_t ranks = nodes->first[node + 1] - nodes->first[node], lo;
    size_t planes = planes_of(fft, node, &lo);
    if (path->rows == 0)
        return;
    struct slab_message *m = &path->received[path->received_count++];
    m->rank = (int)(nodes->first[node] + nodes->rank % ranks);
    m->at = came_at(path, fft, lo, 0, 0);
    m->type = path->planes.all ? planes_type(path, fft, planes, path->rows)
                               : came_type(fft, planes, path->rows);
    m->bytes = planes * path->rows * fft->columns * fft->element;
}

static void add_work(struct slab_path *path, struct rc_fft *fft)
{
    const struct rc_fft_options *o = &fft->options;
    struct rc_fft_work exchange = {0}, back = {0}, columns = {0};
    size_t columns_lines = (fft->columns * fft->element + 63) / 64;
    for (size_t i = 0; i < path->sent_count; i++) {
        exchange.sent_bytes += path->sent[i].bytes;
        exchange.messages++;
    }
    for (size_t i = 0; i < path->received_count; i++) {
        back.sent_bytes += path->received[i].bytes;
        back.messages++;
    }
    exchange.mpi_bytes = exchange.sent_bytes;
    back.mpi_bytes = back.sent_bytes;
    exchange.load_bytes = back.store_bytes = exchange.sent_bytes;
    exchange.store_bytes = back.load_bytes = back.sent_bytes;
    rc_fft_work_add(&columns, path->axis_0, fft->columns, path->rows);
    if (!path->planes.all) { /* gathered, transformed, scattered */
        columns.load_bytes *= 3;
        columns.store_bytes *= 3;
    }
    columns.lines_read = columns.lines_written = path->rows * o->n[0] * columns_lines;
    exchange.lines_read = exchange.load_bytes / 64;
    exchange.lines_written = exchange.store_bytes / 64;
    back.lines_read = back.load_bytes / 64;
    back.lines_written = back.store_bytes / 64;
    path->phase_exchange = rc_fft_phase_add(&fft->phases, "slab/exchange", &exchange);
    path->phase_columns = rc_fft_phase_add(&fft->phases, "slab/columns", &columns);
    path->phase_return = rc_fft_phase_add(&fft->phases, "slab/return", &back);
}

static int slab_memory(struct slab_path *path, struct rc_fft *fft, struct rc_error *err)
{
    const struct rc_fft_options *o = &fft->options;
    path->lo = rc_fft_split(o->n[1], fft->ranks, fft->rank);
    path->rows = rc_fft_share(o->n[1], fft->ranks, fft->rank);
    bool all = path->planes.all;
    if (!all) {
        path->came = rc_fft_memory(o->n[0] * path->rows * fft->columns * fft->element);
        path->buffer = rc_fft_memory(o->n[0] * o->block * fft->element);
    }
    path->sent = rc_arena_array(&path->arena, fft->ranks, sizeof *path->sent);
    path->received = rc_arena_array(&path->arena, fft->ranks, sizeof *path->received);
    path->request = rc_arena_array(&path->arena, 2 * fft->ranks, sizeof(MPI_Request));
    path->arena.failed |= !all && !(path->came && path->buffer);
    return rc_agree(fft->comm, rc_arena_check(&path->arena, err, "the rows of planes"),
                    err);
}

static int slab_create(struct rc_fft *fft, struct rc_error *err)
{
    static const char *const names[] = {"slab/planes", "slab/rows", "slab/fence"};
    const struct rc_fft_options *o = &fft->options;
    struct slab_path *path = fft->own;
    int status = rc_fft_planes_init(&path->planes, fft, names, true, err);
    if (status == RC_OK)
        status = slab_memory(path, fft, err);
    if (status)
        return status;
    const struct rc_fft_planes *planes = &path->planes;
    const struct rc_fft_shape shape = {.length = o->n[0],
                                       .stride = planes->all ? planes->plane : o->block,
                                       .dist = 1,
                                       .count = o->block,
                                       .tail = fft->columns % o->block,
                                       .step = planes->all && o->plain ? 1 : o->block};
    status = rc_fft_axis_create(&fft->planner, &shape, &path->axis_0, err);
    if (status)
        return status;
    for (size_t node = 0; node < fft->nodes.count; node++)
        if (node != fft->nodes.own) {
            list_sent(path, fft, node);
            list_received(path, fft, node);
        }
    add_work(path, fft);
    if (o->transposed)
        fft->out = (struct rc_fft_box){
            .lo = {0, path->lo, 0},
            .extent = {path->rows ? o->n[0] : 0, path->rows,
                       path->rows ? fft->columns : 0},
            .stride = {path->rows * fft->columns, fft->columns, 1},
            .base = path->rows ? came_at(path, fft, 0, 0, 0) : NULL,
        };
    if (o->transposed && planes->all) {
        fft->out.stride[0] = planes->plane;
        fft->out.stride[1] = planes->row;
    }
    return RC_OK;
}

static void slab_destroy(struct rc_fft *fft)
{
    struct slab_path *path = fft->own;
    for (size_t i = 0; i < path->sent_count; i++)
        MPI_Type_free(&path->sent[i].type);
    for (size_t i = 0; i < path->received_count; i++)
        MPI_Type_free(&path->received[i].type);
    rc_fft_axis_close(path->axis_0);
    free(path->came);
    free(path->buffer);
    rc_arena_free(&path->arena);
    rc_fft_planes_fini(&path->planes);
}

/* Sends from the node's planes to other nodes, or back into the planes. */
static void exchange(struct slab_path *path, struct rc_fft *fft, bool back)
{
    size_t count = 0;
    size_t phase = back ? path->phase_return : path->phase_exchange;
    rc_fft_phase_begin(&fft->phases, phase);
    for (size_t i = 0; i < path->received_count; i++) {
        const struct slab_message *m = &path->received[i];
        if (back)
            MPI_Isend(m->at, 1, m->type, m->rank, 0, fft->comm,
                      &path->request[count++]);
        else
            MPI_Irecv(m->at, 1, m->type, m->rank, 0, fft->comm,
                      &path->request[count++]);
    }
    for (size_t i = 0; i < path->sent_count; i++) {
        const struct slab_message *m = &path->sent[i];
        if (back)
            MPI_Irecv(m->at, 1, m->type, m->rank, 0, fft->comm,
                      &path->request[count++]);
        else
            MPI_Isend(m->at, 1, m->type, m->rank, 0, fft->comm,
                      &path->request[count++]);
    }
    MPI_Waitall((int)count, path->request, MPI_STATUSES_IGNORE);
    rc_fft_phase_end(&fft->phases, phase);
}

/* Transforms columns z to z + width of row y in a buffer. */
static void transform_gathered(struct slab_path *path, struct rc_fft *fft,
                               enum rc_fft_direction direction, size_t y, size_t z,
                               size_t width)
{
    const struct rc_fft_options *o = &fft->options;
    size_t pitch = o->block * fft->element, bytes = width * fft->element;
    bool from_came = o->transposed && direction == RC_FFT_BACKWARD;
    bool to_came = o->transposed && direction == RC_FFT_FORWARD;
    for (size_t x = 0; x < o->n[0]; x++)
        memcpy(path->buffer + x * pitch,
               (from_came ? came_at : row_at)(path, fft, x, y, z), bytes);
    rc_fft_axis_run(path->axis_0, direction, path->buffer, width);
    for (size_t x = 0; x < o->n[0]; x++)
        memcpy((to_came ? came_at : row_at)(path, fft, x, y, z),
               path->buffer + x * pitch, bytes);
}

static void transform_columns(struct slab_path *path, struct rc_fft *fft,
                              enum rc_fft_direction direction)
{
    size_t block = fft->options.block;
    rc_fft_phase_begin(&fft->phases, path->phase_columns);
    for (size_t y = 0; y < path->rows; y++)
        for (size_t z = 0; z < fft->columns; z += block) {
            size_t left = fft->columns - z, width = left < block ? left : block;
            if (path->planes.all)
                rc_fft_axis_run(path->axis_0, direction, came_at(path, fft, 0, y, z),
                                width);
            else
                transform_gathered(path, fft, direction, y, z, width);
        }
    rc_fft_phase_end(&fft->phases, path->phase_columns);
}

static void slab_forward(struct rc_fft *fft)
{
    struct slab_path *path = fft->own;
    rc_fft_planes_forward(&path->planes, fft);
    exchange(path, fft, false);
    transform_columns(path, fft, RC_FFT_FORWARD);
    if (!fft->options.transposed)
        exchange(path, fft, true);
    rc_fft_planes_fence(&path->planes, fft);
}

static void slab_backward(struct rc_fft *fft, double scale)
{
    struct slab_path *path = fft->own;
    if (!fft->options.transposed) {
        rc_fft_planes_fence(&path->planes, fft);
        exchange(path, fft, false);
    }
    transform_columns(path, fft, RC_FFT_BACKWARD);
    exchange(path, fft, true);
    rc_fft_planes_fence(&path->planes, fft);
    rc_fft_planes_backward(&path->planes, fft, scale);
}

const struct rc_fft_path rc_fft_slab = {
    .name = "slab",
    .summary = "several nodes: planes shared in each, one exchange between them",
    .own_bytes = sizeof(struct slab_path),
    .usable = slab_usable,
    .create = slab_create,
    .destroy = slab_destroy,
    .forward = slab_forward,
    .backward = slab_backward,
};
