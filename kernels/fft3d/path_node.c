/* The path 'node': two passes over memory that all ranks of a node share.
 *
 * Planes are transformed along axes 2 and 1 by their owners, then columns along axis 0
 * by strided plans in place: nothing is copied, and the result is in the order of the
 * input at no cost.
 */
#include "kernels/fft3d/planes.h"
#include "kernels/fft3d/split.h"

#include <stdio.h>

struct node_path {
    struct rc_fft_planes planes;
    struct rc_fft_axis *axis_0;
    size_t begin, end; /* this rank's blocks of columns, counted over all rows */
    size_t phase;
};

static bool node_usable(const struct rc_fft *fft, char *why, size_t room)
{
    if (fft->nodes.count == 1)
        return true;
    snprintf(why, room, "it is for ranks that share memory, and these are on %zu nodes",
             fft->nodes.count);
    return false;
}

/* Row and column where block 'i' begins; returns its number of columns. */
static size_t block_of(const struct node_path *path, const struct rc_fft *fft, size_t i,
                       size_t *y, size_t *z)
{
    *y = i / path->planes.blocks;
    *z = i % path->planes.blocks * fft->options.block;
    size_t left = fft->columns - *z;
    return left < fft->options.block ? left : fft->options.block;
}

static void add_columns(struct node_path *path, struct rc_fft *fft)
{
    struct rc_fft_work work = {0};
    size_t y, z;
    for (size_t i = path->begin; i < path->end; i++) {
        size_t width = block_of(path, fft, i, &y, &z);
        rc_fft_work_add(&work, path->axis_0, width, 1);
        work.lines_read += fft->options.n[0] * ((width * fft->element + 63) / 64);
    }
    work.lines_written = work.lines_read;
    path->phase = rc_fft_phase_add(&fft->phases, "node/columns", &work);
}

static int node_create(struct rc_fft *fft, struct rc_error *err)
{
    static const char *const names[] = {"node/planes", "node/rows", "node/fence"};
    const struct rc_fft_options *o = &fft->options;
    struct node_path *path = fft->own;
    int status = rc_fft_planes_init(&path->planes, fft, names, false, err);
    if (status)
        return status;
    size_t blocks = path->planes.blocks * o->n[1];
    path->begin = rc_fft_split(blocks, fft->ranks, fft->rank);
    path->end = rc_fft_split(blocks, fft->ranks, fft->rank + 1);
    const struct rc_fft_shape shape = {.length = o->n[0],
                                       .stride = path->planes.plane,
                                       .dist = 1,
                                       .count = o->block,
                                       .tail = fft->columns % o->block,
                                       .step = o->plain ? 1 : o->block};
    status = rc_fft_axis_create(&fft->planner, &shape, &path->axis_0, err);
    if (status)
        return status;
    add_columns(path, fft);
    if (o->transposed) {
        size_t lo = rc_fft_split(o->n[1], fft->ranks, fft->rank);
        size_t own = rc_fft_share(o->n[1], fft->ranks, fft->rank);
        fft->out = (struct rc_fft_box){
            .lo = {0, lo, 0},
            .extent = {own ? o->n[0] : 0, own, own ? fft->columns : 0},
            .stride = {path->planes.plane, path->planes.row, 1},
            .base = own ? rc_fft_planes_at(&path->planes, fft, 0, lo, 0) : NULL,
        };
    }
    return RC_OK;
}

static void node_destroy(struct rc_fft *fft)
{
    struct node_path *path = fft->own;
    rc_fft_axis_close(path->axis_0);
    rc_fft_planes_fini(&path->planes);
}

/* Fetches a block: its lines lie a plane apart, which no processor predicts. */
static void fetch_block(const struct node_path *path, const struct rc_fft *fft,
                        size_t i)
{
    size_t y, z, bytes = block_of(path, fft, i, &y, &z) * fft->element;
    for (size_t x = 0; x < fft->options.n[0]; x++)
        rc_fft_fetch(rc_fft_planes_at(&path->planes, fft, x, y, z), bytes);
}

static void transform_columns(struct node_path *path, struct rc_fft *fft,
                              enum rc_fft_direction direction)
{
    size_t y, z;
    rc_fft_phase_begin(&fft->phases, path->phase);
    for (size_t i = path->begin; i < path->end; i++) {
        size_t width = block_of(path, fft, i, &y, &z);
        if (path->planes.fetches && i + 1 < path->end)
            fetch_block(path, fft, i + 1);
        rc_fft_axis_run(path->axis_0, direction,
                        rc_fft_planes_at(&path->planes, fft, 0, y, z), width);
    }
    rc_fft_phase_end(&fft->phases, path->phase);
    rc_fft_planes_fence(&path->planes, fft);
}

static void node_forward(struct rc_fft *fft)
{
    struct node_path *path = fft->own;
    rc_fft_planes_forward(&path->planes, fft);
    transform_columns(path, fft, RC_FFT_FORWARD);
}

static void node_backward(struct rc_fft *fft, double scale)
{
    struct node_path *path = fft->own;
    transform_columns(path, fft, RC_FFT_BACKWARD);
    rc_fft_planes_backward(&path->planes, fft, scale);
}

const struct rc_fft_path rc_fft_node = {
    .name = "node",
    .summary = "ranks that share memory: two passes over it, nothing is copied",
    .own_bytes = sizeof(struct node_path),
    .usable = node_usable,
    .create = node_create,
    .destroy = node_destroy,
    .forward = node_forward,
    .backward = node_backward,
};
