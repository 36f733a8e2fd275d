/* The paths 'pencil' and 'w': any grid of ranks, whose rows and columns exchange.
 *
 * Ranks are a grid of r x c.  Step 0 has [N0/r][N1/c][all of axis 2], step 1 [N0/r][all
 * of axis 1][N2/c], step 2 [all of axis 0][N1/r][N2/c], all with axis 2 contiguous.
 * Arrays go from step to step among the ranks of a row of the grid, then of a column:
 * packed, or by MPI_Alltoallw with types that describe where parts lie.  Where each row
 * of the grid is a node, 'pencil' has steps 0 and 1 in memory that the node shares, and
 * ranks copy from each other.
 */
#include "kernels/fft3d/split.h"
#include "kernels/fft3d/window.h"

#include "campaign/base/agree.h"
#include "campaign/base/arena.h"

#include <stdlib.h>
#include <string.h>

/* This rank's array in a step. */
struct step {
    size_t lo[3], extent[3], stride[3];
    void *base;
    struct rc_fft_axis *axis;
};

/* The exchange between steps s and s + 1. */
struct between {
    MPI_Comm comm; /* a row or a column of the grid */
    size_t ranks, rank;
    /* Each peer's part in the arrays of both steps. */
    size_t (*extent)[2][3];
    size_t (*from)[2];             /* element at which it begins */
    struct rc_fft_exchange packed; /* for 'pencil' */
    MPI_Datatype *type[2];         /* for 'w': each peer's, in both steps */
    int *ones[2], *zeros;          /* how many of each type: none if it is empty */
};

struct grid_path {
    struct rc_arena arena; /* of what is known of peers */
    struct step step[3];
    struct between between[2];
    void *memory[2], *send, *receive; /* arrays of steps, packed messages */
    size_t phase_fft[3], phase_pack[2], phase_a2a[2], phase_unpack[2];
    size_t phase_share, phase_fence;
    bool by_types, shares; /* rows of the grid share memory: */
    struct rc_fft_window window;
    char *(*peer)[2]; /* [rank of the row]: its arrays of steps 0 and 1 */
};

static bool grid_usable(const struct rc_fft *fft, char *why, size_t room)
{
    (void)fft, (void)why, (void)room;
    return true;
}

static void place_steps(struct grid_path *path, const struct rc_fft *fft)
{
    const size_t *n = fft->options.n, r = fft->options.procs[0];
    const size_t c = fft->options.procs[1], i = fft->rank / c, j = fft->rank % c;
    const size_t parts[3][3] = {{r, c, 1}, {r, 1, c}, {1, r, c}};
    const size_t own[3][3] = {{i, j, 0}, {i, 0, j}, {0, i, j}};
    const size_t all[3] = {n[0], n[1], fft->columns};
    for (int s = 0; s < 3; s++) {
        struct step *step = &path->step[s];
        for (int d = 0; d < 3; d++) {
            step->lo[d] = rc_fft_split(all[d], parts[s][d], own[s][d]);
            step->extent[d] = rc_fft_share(all[d], parts[s][d], own[s][d]);
        }
        step->stride[2] = 1;
        /* Pitches fit the largest part, so that all ranks have the same plans. */
        size_t most_1 = (all[1] + parts[s][1] - 1) / parts[s][1];
        size_t most_2 = (all[2] + parts[s][2] - 1) / parts[s][2];
        bool plain = fft->options.plain;
        step->stride[1] = rc_fft_row_pitch(most_2, fft->element, plain);
        step->stride[0] =
            rc_fft_plane_pitch(most_1, step->stride[1], fft->element, plain);
    }
}

static size_t bytes_of(const struct step *step, const struct rc_fft *fft)
{
    return step->extent[0] * step->stride[0] * fft->element;
}

static bool rows_are_nodes(const struct rc_fft *fft)
{
    const size_t *procs = fft->options.procs;
    if (procs[1] < 2 || fft->nodes.count != procs[0])
        return false;
    for (size_t i = 0; i < procs[0]; i++)
        if (fft->nodes.first[i + 1] - fft->nodes.first[i] != procs[1])
            return false;
    return true;
}

/* Places the arrays of the node's ranks one after the other, each in pages of its own.
 * Where there is no memory to share, path->shares stays false.
 */
static int share_arrays(struct grid_path *path, struct rc_fft *fft,
                        const size_t bytes[2], struct rc_error *err)
{
    enum { PAGE = 4096 };
    struct rc_error why = {.rank = -1};
    const size_t ranks = fft->nodes.ranks;
    uint64_t own[2] = {(bytes[0] + PAGE - 1) / PAGE * PAGE,
                       (bytes[1] + PAGE - 1) / PAGE * PAGE};
    uint64_t(*all)[2] = rc_arena_array(&path->arena, ranks, sizeof *all);
    path->peer = rc_arena_array(&path->arena, ranks, sizeof *path->peer);
    const int status =
        rc_agree(fft->comm, rc_arena_check(&path->arena, err, "the node's ranks"), err);
    if (status)
        return status;
    MPI_Allgather(own, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, fft->nodes.comm);
    size_t total = 0;
    for (size_t i = 0; i < ranks; i++)
        total += all[i][0] + all[i][1];
    const int alone = rc_fft_window_init(&path->window, fft->nodes.comm, total, &why);
    path->shares = rc_agree(fft->comm, alone, &why) == RC_OK;
    if (!path->shares)
        rc_fft_window_fini(&path->window);
    char *at = path->window.base;
    for (size_t i = 0; i < ranks && path->shares; i++)
        for (int s = 0; s < 2; s++) {
            path->peer[i][s] = at;
            at += all[i][s];
        }
    for (int s = 0; s < 2 && path->shares; s++) {
        path->memory[s] = path->peer[fft->nodes.rank][s];
        memset(path->memory[s], 0, bytes[s]); /* puts them in memory near by */
    }
    return RC_OK;
}

/* Steps 0 and 2 share memory.  A step that no exchange precedes uses the array of the
 * one before it: their layouts are the same.
 */
static int find_memory(struct grid_path *path, struct rc_fft *fft, struct rc_error *err)
{
    const size_t *procs = fft->options.procs;
    size_t bytes[2] = {bytes_of(&path->step[0], fft), bytes_of(&path->step[1], fft)};
    size_t last = bytes_of(&path->step[2], fft), most = 0;
    int place[3] = {0, procs[1] > 1, 0};
    place[2] = procs[0] > 1 ? !place[1] : place[1];
    bytes[place[2]] = last > bytes[place[2]] ? last : bytes[place[2]];
    if (!path->by_types && rows_are_nodes(fft)) {
        int status = share_arrays(path, fft, bytes, err);
        if (status)
            return status;
    }
    for (int i = 0; i < 2; i++) {
        if (!path->shares)
            path->memory[i] =
                i == 0 || place[1] || place[2] ? rc_fft_memory(bytes[i]) : NULL;
        most = bytes[i] > most ? bytes[i] : most;
    }
    if (!path->by_types) {
        path->send = rc_fft_memory(most);
        path->receive = rc_fft_memory(most);
    }
    for (int s = 0; s < 3; s++) {
        path->step[s].base = path->memory[place[s]];
        if (!path->step[s].base || (!path->by_types && !(path->send && path->receive)))
            return rc_fail(err, RC_ENOMEM, "no memory for %zu bytes on a rank", most);
    }
    return RC_OK;
}

/* Each peer's part: in step s a range of the axis that is whole there, in step s + 1 a
 * range of the axis that is whole then.
 */
static void place_parts(struct grid_path *path, const struct rc_fft *fft, int s)
{
    struct between *b = &path->between[s];
    const int whole[2] = {s == 0 ? 2 : 1, s == 0 ? 1 : 0};
    const size_t all[3] = {fft->options.n[0], fft->options.n[1], fft->columns};
    for (size_t p = 0; p < b->ranks; p++)
        for (int side = 0; side < 2; side++) {
            const struct step *step = &path->step[s + side];
            int axis = whole[side];
            for (int d = 0; d < 3; d++)
                b->extent[p][side][d] = step->extent[d];
            b->extent[p][side][axis] = rc_fft_share(all[axis], b->ranks, p);
            b->from[p][side] =
                rc_fft_split(all[axis], b->ranks, p) * step->stride[axis];
        }
}

static size_t product(const size_t extent[3])
{
    return extent[0] * extent[1] * extent[2];
}

static MPI_Datatype part_type(const struct rc_fft *fft, const size_t extent[3],
                              const size_t stride[3])
{
    MPI_Datatype row, rows, all;
    size_t e = fft->element;
    MPI_Type_contiguous((int)(extent[2] * (e / 8)), MPI_DOUBLE, &row);
    MPI_Type_create_hvector((int)extent[1], 1, (MPI_Aint)(stride[1] * e), row, &rows);
    MPI_Type_create_hvector((int)extent[0], 1, (MPI_Aint)(stride[0] * e), rows, &all);
    MPI_Type_free(&row);
    MPI_Type_free(&rows);
    return all;
}

/* Makes types that begin where the part does: byte counts do not reach far enough. */
static void make_types(struct grid_path *path, const struct rc_fft *fft, int s)
{
    struct between *b = &path->between[s];
    for (size_t p = 0; p < b->ranks; p++)
        for (int side = 0; side < 2; side++) {
            MPI_Aint at = (MPI_Aint)(b->from[p][side] * fft->element);
            int one = 1;
            MPI_Datatype part =
                part_type(fft, b->extent[p][side], path->step[s + side].stride);
            MPI_Type_create_hindexed(1, &one, &at, part, &b->type[side][p]);
            MPI_Type_commit(&b->type[side][p]);
            MPI_Type_free(&part);
            b->ones[side][p] = p != b->rank && product(b->extent[p][side]) > 0;
        }
}

static int create_between(struct grid_path *path, struct rc_fft *fft, int s,
                          struct rc_error *err)
{
    struct between *b = &path->between[s];
    size_t r = fft->options.procs[0], c = fft->options.procs[1];
    size_t i = fft->rank / c, j = fft->rank % c;
    b->ranks = s == 0 ? c : r;
    b->rank = s == 0 ? j : i;
    MPI_Comm_split(fft->comm, (int)(s == 0 ? i : j), (int)b->rank, &b->comm);
    b->extent = rc_arena_array(&path->arena, b->ranks, sizeof *b->extent);
    b->from = rc_arena_array(&path->arena, b->ranks, sizeof *b->from);
    b->zeros = rc_arena_array(&path->arena, b->ranks, sizeof *b->zeros);
    for (int side = 0; side < 2; side++) {
        b->ones[side] = rc_arena_array(&path->arena, b->ranks, sizeof(int));
        b->type[side] = rc_arena_array(&path->arena, b->ranks, sizeof(MPI_Datatype));
    }
    size_t *sent = rc_arena_array(&path->arena, b->ranks, sizeof *sent);
    size_t *received = rc_arena_array(&path->arena, b->ranks, sizeof *received);
    int status = rc_agree(
        fft->comm, rc_arena_check(&path->arena, err, "the ranks of a pencil"), err);
    if (status)
        return status;
    place_parts(path, fft, s);
    for (size_t p = 0; p < b->ranks; p++) {
        sent[p] = product(b->extent[p][0]);
        received[p] = product(b->extent[p][1]);
    }
    if (path->by_types)
        make_types(path, fft, s);
    else if (s == 1 || !path->shares)
        status = rc_agree(fft->comm,
                          rc_fft_exchange_init(&b->packed, b->comm, fft->element, sent,
                                               received, err),
                          err);
    return status;
}

static int create_axes(struct grid_path *path, struct rc_fft *fft, struct rc_error *err)
{
    const struct rc_fft_options *o = &fft->options;
    int status = RC_OK;
    for (int s = 0; s < 3; s++) {
        struct step *step = &path->step[s];
        int axis = 2 - s;
        struct rc_fft_shape shape = {.length = o->n[axis],
                                     .stride = s == 0 ? 1 : step->stride[axis],
                                     .dist = s == 0 ? step->stride[1] : 1,
                                     .count = s == 0 ? 8 : o->block,
                                     .tail = 1,
                                     .real = s == 0 && o->real,
                                     .step = s == 0     ? step->stride[1]
                                             : o->plain ? 1
                                                        : o->block};
        if ((status = rc_fft_axis_create(&fft->planner, &shape, &step->axis, err)) !=
            RC_OK)
            return status;
    }
    return RC_OK;
}

static void add_phases(struct grid_path *path, struct rc_fft *fft)
{
    static const char *const names[2][2][4] = {
        {{"pencil/fft2", "pencil/pack-row", "pencil/a2a-row", "pencil/unpack-row"},
         {"pencil/fft1", "pencil/pack-column", "pencil/a2a-column",
          "pencil/unpack-column"}},
        {{"w/fft2", "", "w/a2a-row", ""}, {"w/fft1", "", "w/a2a-column", ""}}};
    for (int s = 0; s < 3; s++) {
        const size_t *extent = path->step[s].extent;
        size_t outer = s == 2 ? extent[1] : extent[0];
        struct rc_fft_work work = {0};
        rc_fft_work_add(&work, path->step[s].axis, s == 0 ? extent[1] : extent[2],
                        outer);
        work.lines_read = work.lines_written =
            extent[0] * extent[1] * ((extent[2] * fft->element + 63) / 64);
        path->phase_fft[s] = rc_fft_phase_add(&fft->phases,
                                              s < 2 ? names[path->by_types][s][0]
                                              : path->by_types ? "w/fft0"
                                                               : "pencil/fft0",
                                              &work);
        struct between *b = &path->between[s];
        if (s == 2 || b->ranks == 1)
            continue;
        struct rc_fft_work sent = {0}, pack = {0}, nothing = {0};
        for (size_t p = 0; p < b->ranks; p++) {
            uint64_t bytes = product(b->extent[p][0]) * fft->element;
            pack.load_bytes += bytes;
            sent.sent_bytes += p != b->rank ? bytes : 0;
            sent.messages += p != b->rank && bytes > 0;
        }
        sent.mpi_bytes = sent.sent_bytes;
        if (b->packed.even)
            sent.mpi_bytes = pack.load_bytes;
        pack.store_bytes = pack.load_bytes;
        pack.lines_read = pack.lines_written = pack.load_bytes / 64;
        if (s == 0 && path->shares) {
            path->phase_share =
                rc_fft_phase_add(&fft->phases, "pencil/share-row", &pack);
            path->phase_fence =
                rc_fft_phase_add(&fft->phases, "pencil/fence", &nothing);
            continue;
        }
        if (!path->by_types)
            path->phase_pack[s] = rc_fft_phase_add(&fft->phases, names[0][s][1], &pack);
        path->phase_a2a[s] =
            rc_fft_phase_add(&fft->phases, names[path->by_types][s][2], &sent);
        if (!path->by_types)
            path->phase_unpack[s] =
                rc_fft_phase_add(&fft->phases, names[0][s][3], &pack);
    }
}

static struct rc_fft_box box_of(const struct step *step)
{
    struct rc_fft_box box = {.base = step->base};
    bool empty = product(step->extent) == 0;
    for (int d = 0; d < 3; d++) {
        box.lo[d] = step->lo[d];
        box.extent[d] = empty ? 0 : step->extent[d];
        box.stride[d] = step->stride[d];
    }
    if (empty)
        box.base = NULL;
    return box;
}

static int grid_create(struct rc_fft *fft, struct rc_error *err)
{
    struct grid_path *path = fft->own;
    path->by_types = fft->options.path == &rc_fft_w;
    path->between[0].comm = path->between[1].comm = MPI_COMM_NULL;
    place_steps(path, fft);
    int status = rc_agree(fft->comm, find_memory(path, fft, err), err);
    if (status != RC_OK)
        return status;
    for (int s = 0; s < 2; s++)
        if ((status = create_between(path, fft, s, err)) != RC_OK)
            return status;
    if ((status = create_axes(path, fft, err)) != RC_OK)
        return status;
    add_phases(path, fft);
    fft->in = box_of(&path->step[0]);
    fft->out = box_of(&path->step[fft->options.transposed ? 2 : 0]);
    return RC_OK;
}

static void close_between(struct between *b, bool by_types)
{
    for (size_t p = 0; p < b->ranks && by_types && b->type[0] && b->type[1]; p++)
        for (int side = 0; side < 2; side++)
            if (b->type[side][p])
                MPI_Type_free(&b->type[side][p]);
    rc_fft_exchange_fini(&b->packed);
    if (b->ranks > 0)
        MPI_Comm_free(&b->comm);
}

static void grid_destroy(struct rc_fft *fft)
{
    struct grid_path *path = fft->own;
    for (int s = 0; s < 3; s++)
        rc_fft_axis_close(path->step[s].axis);
    for (int s = 0; s < 2; s++) {
        close_between(&path->between[s], path->by_types);
        if (!path->shares)
            free(path->memory[s]);
    }
    rc_fft_window_fini(&path->window);
    rc_arena_free(&path->arena);
    free(path->send);
    free(path->receive);
}

/* Copies the parts of peers from an array into messages, in order, or back. */
static void pack(const struct between *b, const struct step *step, int side,
                 char *messages, size_t element, bool into_messages)
{
    for (size_t p = 0; p < b->ranks; p++) {
        const size_t *extent = b->extent[p][side];
        const size_t packed[3] = {extent[1] * extent[2], extent[2], 1};
        char *array = (char *)step->base + b->from[p][side] * element;
        if (into_messages)
            rc_fft_copy(messages, packed, array, step->stride, extent, element);
        else
            rc_fft_copy(array, step->stride, messages, packed, extent, element);
        messages += product(extent) * element;
    }
}

static void exchange_types(struct between *b, struct step *step, int s, int from,
                           size_t element)
{
    int to = !from;
    size_t own = b->rank;
    rc_fft_copy((char *)step[s + to].base + b->from[own][to] * element,
                step[s + to].stride,
                (char *)step[s + from].base + b->from[own][from] * element,
                step[s + from].stride, b->extent[own][from], element);
    MPI_Alltoallw(step[s + from].base, b->ones[from], b->zeros, b->type[from],
                  step[s + to].base, b->ones[to], b->zeros, b->type[to], b->comm);
}

static void fence(struct grid_path *path, struct rc_fft *fft)
{
    rc_fft_phase_begin(&fft->phases, path->phase_fence);
    rc_fft_window_fence(&path->window);
    rc_fft_phase_end(&fft->phases, path->phase_fence);
}

/* Exchanges steps 0 and 1 by reading the memory of the other ranks of the row.  A
 * rank's own part of the axis that was whole begins at the same place in all their
 * arrays.
 */
static void take_from_others(struct grid_path *path, struct rc_fft *fft, bool back)
{
    const struct between *b = &path->between[0];
    const int from = back, to = !back;
    fence(path, fft);
    rc_fft_phase_begin(&fft->phases, path->phase_share);
    for (size_t k = 0; k < b->ranks; k++) {
        const size_t p = (b->rank + k) % b->ranks; /* each at another peer at a time */
        rc_fft_copy((char *)path->step[to].base + b->from[p][to] * fft->element,
                    path->step[to].stride,
                    path->peer[p][from] + b->from[b->rank][from] * fft->element,
                    path->step[from].stride, b->extent[p][to], fft->element);
    }
    rc_fft_phase_end(&fft->phases, path->phase_share);
    fence(path, fft); /* before anyone writes where the others read */
}

/* Brings the arrays from step s to s + 1, or back. */
static void exchange(struct grid_path *path, struct rc_fft *fft, int s, bool back)
{
    struct between *b = &path->between[s];
    size_t first = back ? path->phase_unpack[s] : path->phase_pack[s];
    size_t last = back ? path->phase_pack[s] : path->phase_unpack[s];
    if (b->ranks == 1)
        return;
    if (s == 0 && path->shares) {
        take_from_others(path, fft, back);
        return;
    }
    if (!path->by_types) {
        rc_fft_phase_begin(&fft->phases, first);
        pack(b, &path->step[s + back], back, path->send, fft->element, true);
        rc_fft_phase_end(&fft->phases, first);
    }
    rc_fft_phase_begin(&fft->phases, path->phase_a2a[s]);
    if (path->by_types)
        exchange_types(b, path->step, s, back, fft->element);
    else
        rc_fft_exchange_run(&b->packed, path->send, path->receive, back);
    rc_fft_phase_end(&fft->phases, path->phase_a2a[s]);
    if (!path->by_types) {
        rc_fft_phase_begin(&fft->phases, last);
        pack(b, &path->step[s + !back], !back, path->receive, fft->element, false);
        rc_fft_phase_end(&fft->phases, last);
    }
}

static void transform(struct grid_path *path, struct rc_fft *fft, int s,
                      enum rc_fft_direction direction, double scale)
{
    const struct step *step = &path->step[s];
    bool by_rows = s == 2; /* columns along axis 0 begin in each row of plane 0 */
    size_t outer = by_rows ? step->extent[1] : step->extent[0];
    size_t total = s == 0 ? step->extent[1] : step->extent[2];
    size_t numbers = fft->options.n[2] * (fft->options.real ? 1 : 2);
    rc_fft_phase_begin(&fft->phases, path->phase_fft[s]);
    for (size_t i = 0; i < outer; i++) {
        char *at = (char *)step->base + i * step->stride[by_rows] * fft->element;
        rc_fft_axis_run(step->axis, direction, at, total);
        for (size_t y = 0; scale != 1 && s == 0 && y < total; y++)
            rc_fft_scale(at + y * step->stride[1] * fft->element, numbers,
                         fft->options.single, scale);
    }
    rc_fft_phase_end(&fft->phases, path->phase_fft[s]);
}

static void grid_forward(struct rc_fft *fft)
{
    struct grid_path *path = fft->own;
    for (int s = 0; s < 3; s++) {
        transform(path, fft, s, RC_FFT_FORWARD, 1);
        if (s < 2)
            exchange(path, fft, s, false);
    }
    for (int s = 1; s >= 0 && !fft->options.transposed; s--)
        exchange(path, fft, s, true);
}

static void grid_backward(struct rc_fft *fft, double scale)
{
    struct grid_path *path = fft->own;
    for (int s = 0; s < 2 && !fft->options.transposed; s++)
        exchange(path, fft, s, false);
    for (int s = 2; s >= 0; s--) {
        transform(path, fft, s, RC_FFT_BACKWARD, scale);
        if (s > 0)
            exchange(path, fft, s - 1, true);
    }
}

const struct rc_fft_path rc_fft_pencil = {
    .name = "pencil",
    .summary =
        "any grid of ranks: packed exchanges in its rows and columns; a row that "
        "is a node shares memory",
    .own_bytes = sizeof(struct grid_path),
    .usable = grid_usable,
    .create = grid_create,
    .destroy = grid_destroy,
    .forward = grid_forward,
    .backward = grid_backward,
};

const struct rc_fft_path rc_fft_w = {
    .name = "w",
    .summary = "the same by MPI_Alltoallw: MPI finds what goes where",
    .own_bytes = sizeof(struct grid_path),
    .usable = grid_usable,
    .create = grid_create,
    .destroy = grid_destroy,
    .forward = grid_forward,
    .backward = grid_backward,
};
