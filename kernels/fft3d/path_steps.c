/* The path 'steps': the phases of the published study one by one, on any grid of ranks.
 *
 * Each transform is along the contiguous axis.  S1CF brings the axis that is sent to
 * the front, ranks of a row exchange, S2CF joins the parts of the next axis; S1PF and
 * S2PF do the same for columns.  A rank has [N0/r][N1/c][N2] at first, then
 * [N2/c][N0/r][N1], and [N1/r][N2/c][N0] at the end.
 */
#include "kernels/fft3d/split.h"
#include "kernels/resort/resort.h"

#include "campaign/base/agree.h"

#include <stdlib.h>

enum {
    FFT2,
    S1CF,
    S1CF_NEST2,
    A2A_ROW,
    S2CF,
    FFT1,
    S1PF,
    A2A_COLUMN,
    S2PF,
    FFT0,
    SCALE,
    STEPS
};

struct steps_path {
    size_t own[4][3];  /* extents: before S1CF, before and after S1PF, at the end */
    size_t lo[4];      /* first x, y and z, and first y at the end */
    void *a, *b, *tmp; /* each of the largest extent; 'tmp' is for two nests */
    struct rc_fft_axis *axis[3];
    MPI_Comm row, column;
    struct rc_fft_exchange in_row, in_column;
    size_t phase[STEPS];
};

static bool steps_usable(const struct rc_fft *fft, char *why, size_t room)
{
    (void)fft, (void)why, (void)room;
    return true;
}

static size_t product(const size_t extent[3])
{
    return extent[0] * extent[1] * extent[2];
}

static enum rc_resort s1cf_of(const struct rc_fft *fft)
{
    static const enum rc_resort which[] = {
        [RC_FFT_RESORT_NESTS] = RC_RESORT_S1CF_NEST1,
        [RC_FFT_RESORT_COMBINED] = RC_RESORT_COMBINED,
        [RC_FFT_RESORT_TILED] = RC_RESORT_TILED,
        [RC_FFT_RESORT_NT] = RC_RESORT_TILED_NT,
    };
    return which[fft->options.resort];
}

static void place_parts(struct steps_path *path, const struct rc_fft *fft)
{
    const size_t *n = fft->options.n, columns = fft->columns;
    size_t r = fft->options.procs[0], c = fft->options.procs[1];
    size_t i = fft->rank / c, j = fft->rank % c;
    size_t x = rc_fft_share(n[0], r, i), y = rc_fft_share(n[1], c, j);
    size_t z = rc_fft_share(columns, c, j), rows = rc_fft_share(n[1], r, i);
    const size_t own[4][3] = {
        {x, y, columns}, {z, x, n[1]}, {n[1], z, x}, {rows, z, n[0]}};
    for (int s = 0; s < 4; s++)
        for (int d = 0; d < 3; d++)
            path->own[s][d] = own[s][d];
    path->lo[0] = rc_fft_split(n[0], r, i);
    path->lo[1] = rc_fft_split(n[1], c, j);
    path->lo[2] = rc_fft_split(columns, c, j);
    path->lo[3] = rc_fft_split(n[1], r, i);
}

static int find_memory(struct steps_path *path, const struct rc_fft *fft,
                       struct rc_error *err)
{
    size_t most = 0;
    for (int s = 0; s < 4; s++)
        most = product(path->own[s]) > most ? product(path->own[s]) : most;
    path->a = rc_fft_memory(most * fft->element);
    path->b = rc_fft_memory(most * fft->element);
    path->tmp = rc_fft_memory(most * fft->element);
    if (path->a && path->b && path->tmp)
        return RC_OK;
    return rc_fail(err, RC_ENOMEM, "no memory for %zu points on a rank", most);
}

/* In a row a rank keeps its planes and gets all rows of some columns; in a column it
 * keeps these columns and gets all planes of some rows.
 */
static int create_exchange(struct steps_path *path, struct rc_fft *fft, bool in_row,
                           struct rc_error *err)
{
    const size_t *n = fft->options.n;
    size_t r = fft->options.procs[0], c = fft->options.procs[1];
    size_t i = fft->rank / c, j = fft->rank % c, peers = in_row ? c : r;
    MPI_Comm *comm = in_row ? &path->row : &path->column;
    MPI_Comm_split(fft->comm, (int)(in_row ? i : j), (int)(in_row ? j : i), comm);
    size_t *sent = malloc(2 * peers * sizeof *sent);
    int status = RC_OK;
    if (!sent)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu ranks", peers);
    if ((status = rc_agree(fft->comm, status, err)) != RC_OK)
        goto out;
    for (size_t p = 0; p < peers; p++)
        if (in_row) {
            sent[p] =
                path->own[0][0] * path->own[0][1] * rc_fft_share(fft->columns, c, p);
            sent[peers + p] =
                path->own[1][0] * path->own[1][1] * rc_fft_share(n[1], c, p);
        } else {
            sent[p] = path->own[2][1] * path->own[2][2] * rc_fft_share(n[1], r, p);
            sent[peers + p] =
                path->own[3][0] * path->own[3][1] * rc_fft_share(n[0], r, p);
        }
    status =
        rc_agree(fft->comm,
                 rc_fft_exchange_init(in_row ? &path->in_row : &path->in_column, *comm,
                                      fft->element, sent, sent + peers, err),
                 err);
out:
    free(sent);
    return status;
}

static int create_axes(struct steps_path *path, struct rc_fft *fft,
                       struct rc_error *err)
{
    const struct rc_fft_options *o = &fft->options;
    int status = RC_OK;
    for (int axis = 2; axis >= 0; axis--) {
        size_t dist = axis == 2 ? fft->columns : o->n[axis];
        const struct rc_fft_shape shape = {.length = o->n[axis],
                                           .stride = 1,
                                           .dist = dist,
                                           .count = 8,
                                           .tail = 1,
                                           .real = axis == 2 && o->real,
                                           .step = dist};
        if ((status = rc_fft_axis_create(&fft->planner, &shape, &path->axis[axis],
                                         err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Work of a re-sort.  A line that is stored to is also read from memory, except with
 * streaming stores.  Re-sorts that store in the order of memory use these; the
 * processors of the published study avoided the reads by themselves.
 */
static void add_resort(struct steps_path *path, struct rc_fft *fft, int step,
                       const char *name, size_t elements)
{
    struct rc_fft_work work = {.load_bytes = elements * fft->element,
                               .store_bytes = elements * fft->element,
                               .exact = true};
    bool bypass = step == S2CF || step == S2PF ||
                  (step == S1CF && fft->options.resort == RC_FFT_RESORT_NT);
    work.lines_written = (elements * fft->element + 63) / 64;
    work.lines_read = bypass ? work.lines_written : 2 * work.lines_written;
    path->phase[step] = rc_fft_phase_add(&fft->phases, name, &work);
}

static void add_transform(struct steps_path *path, struct rc_fft *fft, int step,
                          const char *name, int axis, const size_t own[3])
{
    struct rc_fft_work work = {0};
    rc_fft_work_add(&work, path->axis[axis], own[0] * own[1], 1);
    work.lines_read = work.lines_written = (product(own) * fft->element + 63) / 64;
    path->phase[step] = rc_fft_phase_add(&fft->phases, name, &work);
}

static void add_exchange(struct steps_path *path, struct rc_fft *fft, int step,
                         const char *name, const struct rc_fft_exchange *exchange)
{
    struct rc_fft_work work = {0};
    rc_fft_exchange_work(exchange, &work);
    path->phase[step] = rc_fft_phase_add(&fft->phases, name, &work);
}

static void add_phases(struct steps_path *path, struct rc_fft *fft)
{
    bool nests = fft->options.resort == RC_FFT_RESORT_NESTS;
    add_transform(path, fft, FFT2, "steps/fft2", 2, path->own[0]);
    add_resort(path, fft, S1CF, nests ? "steps/s1cf-nest1" : "steps/s1cf",
               product(path->own[0]));
    if (nests)
        add_resort(path, fft, S1CF_NEST2, "steps/s1cf-nest2", product(path->own[0]));
    add_exchange(path, fft, A2A_ROW, "steps/a2a-row", &path->in_row);
    add_resort(path, fft, S2CF, "steps/s2cf", product(path->own[1]));
    add_transform(path, fft, FFT1, "steps/fft1", 1, path->own[1]);
    add_resort(path, fft, S1PF, "steps/s1pf", product(path->own[1]));
    add_exchange(path, fft, A2A_COLUMN, "steps/a2a-column", &path->in_column);
    add_resort(path, fft, S2PF, "steps/s2pf", product(path->own[3]));
    add_transform(path, fft, FFT0, "steps/fft0", 0, path->own[3]);
    add_resort(path, fft, SCALE, "steps/scale", product(path->own[0]));
    struct rc_fft_work *scale = &fft->phases.phase[path->phase[SCALE]].work;
    scale->flops = 2.0 * (double)product(path->own[0]);
    scale->lines_read = scale->lines_written;
}

static struct rc_fft_box box_of(void *base, size_t elements)
{
    return (struct rc_fft_box){.base = elements ? base : NULL};
}

static void place_boxes(struct steps_path *path, struct rc_fft *fft)
{
    const size_t *in = path->own[0], *out = path->own[3];
    fft->in = box_of(path->a, product(in));
    fft->out = box_of(path->a, product(out));
    if (fft->in.base)
        for (int d = 0; d < 3; d++)
            fft->in.extent[d] = in[d];
    fft->in.lo[0] = path->lo[0];
    fft->in.lo[1] = path->lo[1];
    fft->in.stride[0] = in[1] * in[2];
    fft->in.stride[1] = in[2];
    fft->in.stride[2] = 1;
    if (fft->out.base)
        for (int d = 0; d < 3; d++)
            fft->out.extent[d] = out[(d + 2) % 3];
    fft->out.lo[1] = path->lo[3];
    fft->out.lo[2] = path->lo[2];
    fft->out.stride[0] = 1;
    fft->out.stride[1] = out[1] * out[2];
    fft->out.stride[2] = out[2];
}

static int steps_create(struct rc_fft *fft, struct rc_error *err)
{
    struct steps_path *path = fft->own;
    path->row = path->column = MPI_COMM_NULL;
    place_parts(path, fft);
    int status = rc_agree(fft->comm, find_memory(path, fft, err), err);
    if (status != RC_OK || (status = create_exchange(path, fft, true, err)) != RC_OK ||
        (status = create_exchange(path, fft, false, err)) != RC_OK ||
        (status = create_axes(path, fft, err)) != RC_OK)
        return status;
    add_phases(path, fft);
    place_boxes(path, fft);
    return RC_OK;
}

static void steps_destroy(struct rc_fft *fft)
{
    struct steps_path *path = fft->own;
    for (int axis = 0; axis < 3; axis++)
        rc_fft_axis_close(path->axis[axis]);
    rc_fft_exchange_fini(&path->in_row);
    rc_fft_exchange_fini(&path->in_column);
    if (path->row != MPI_COMM_NULL)
        MPI_Comm_free(&path->row);
    if (path->column != MPI_COMM_NULL)
        MPI_Comm_free(&path->column);
    free(path->a);
    free(path->b);
    free(path->tmp);
}

static void transform(struct steps_path *path, struct rc_fft *fft, int step, int axis,
                      enum rc_fft_direction direction, void *at, const size_t own[3])
{
    rc_fft_phase_begin(&fft->phases, path->phase[step]);
    rc_fft_axis_run(path->axis[axis], direction, at, own[0] * own[1]);
    rc_fft_phase_end(&fft->phases, path->phase[step]);
}

static void resort(struct steps_path *path, struct rc_fft *fft, int step,
                   enum rc_resort which, void *out, const void *in,
                   const size_t extent[3], bool back)
{
    bool rows = step == S1CF || step == S1CF_NEST2 || step == S2CF;
    rc_fft_phase_begin(&fft->phases, path->phase[step]);
    (back ? rc_resort_back : rc_resort)(which, out, in, path->tmp, extent,
                                        fft->options.procs[rows], fft->element);
    rc_fft_phase_end(&fft->phases, path->phase[step]);
}

static void exchange(struct steps_path *path, struct rc_fft *fft, int step,
                     const void *out, void *in, bool back)
{
    rc_fft_phase_begin(&fft->phases, path->phase[step]);
    rc_fft_exchange_run(step == A2A_ROW ? &path->in_row : &path->in_column, out, in,
                        back);
    rc_fft_phase_end(&fft->phases, path->phase[step]);
}

static void steps_forward(struct rc_fft *fft)
{
    struct steps_path *path = fft->own;
    void *a = path->a, *b = path->b;
    transform(path, fft, FFT2, 2, RC_FFT_FORWARD, a, path->own[0]);
    resort(path, fft, S1CF, s1cf_of(fft), b, a, path->own[0], false);
    if (fft->options.resort == RC_FFT_RESORT_NESTS)
        resort(path, fft, S1CF_NEST2, RC_RESORT_S1CF_NEST2, b, a, path->own[0], false);
    exchange(path, fft, A2A_ROW, b, a, false);
    resort(path, fft, S2CF, RC_RESORT_S2CF_NT, b, a, path->own[1], false);
    transform(path, fft, FFT1, 1, RC_FFT_FORWARD, b, path->own[1]);
    resort(path, fft, S1PF, RC_RESORT_S1PF, a, b, path->own[1], false);
    exchange(path, fft, A2A_COLUMN, a, b, false);
    resort(path, fft, S2PF, RC_RESORT_S2PF_NT, a, b, path->own[3], false);
    transform(path, fft, FFT0, 0, RC_FFT_FORWARD, a, path->own[3]);
}

/* The way back has one-nest re-sorts only. */
static void steps_backward(struct rc_fft *fft, double scale)
{
    struct steps_path *path = fft->own;
    void *a = path->a, *b = path->b;
    transform(path, fft, FFT0, 0, RC_FFT_BACKWARD, a, path->own[3]);
    resort(path, fft, S2PF, RC_RESORT_S2PF_NT, b, a, path->own[3], true);
    exchange(path, fft, A2A_COLUMN, b, a, true);
    resort(path, fft, S1PF, RC_RESORT_S1PF, b, a, path->own[1], true);
    transform(path, fft, FFT1, 1, RC_FFT_BACKWARD, b, path->own[1]);
    resort(path, fft, S2CF, RC_RESORT_S2CF_NT, a, b, path->own[1], true);
    exchange(path, fft, A2A_ROW, a, b, true);
    resort(path, fft, S1CF, RC_RESORT_COMBINED, a, b, path->own[0], true);
    transform(path, fft, FFT2, 2, RC_FFT_BACKWARD, a, path->own[0]);
    if (scale == 1)
        return;
    rc_fft_phase_begin(&fft->phases, path->phase[SCALE]);
    rc_fft_scale(a, 2 * path->own[0][0] * path->own[0][1] * fft->columns,
                 fft->options.single, scale);
    rc_fft_phase_end(&fft->phases, path->phase[SCALE]);
}

const struct rc_fft_path rc_fft_steps = {
    .name = "steps",
    .summary = "four re-sorts and two exchanges one by one, transposed",
    .own_bytes = sizeof(struct steps_path),
    .only_transposed = true,
    .usable = steps_usable,
    .create = steps_create,
    .destroy = steps_destroy,
    .forward = steps_forward,
    .backward = steps_backward,
};
