/* The planes of a node in shared memory: transforms along axes 2 and 1, plane by plane,
 * so that a plane is read from memory once.
 */
#include "kernels/fft3d/planes.h"

#include "campaign/base/agree.h"
#include "kernels/fft3d/split.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 8 /* rows that one call transforms */, LINE = 64 };

/* Bytes of the third cache of a core, as Linux states it (sysconf() adds up those of
 * other cores); 0: not known.
 */
static size_t third_cache(void)
{
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
    size_t kilobytes = 0;
    if (!file)
        return 0;
    if (fscanf(file, "%zuK", &kilobytes) != 1)
        kilobytes = 0;
    fclose(file);
    return kilobytes * 1024;
}

/* From half the third cache to two of them; all of less than half is there anyway. */
static bool is_about_a_cache(size_t bytes)
{
    const size_t cache = third_cache();
    return cache > 0 && bytes > cache / 2 && bytes / 2 <= cache;
}

void rc_fft_fetch(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += LINE)
        __builtin_prefetch((const char *)at + i, 1, 2);
}

/* This rank's range of all 'units', so many in each plane, where planes are few. */
static void share_of(const struct rc_fft_planes *planes, const struct rc_fft *fft,
                     size_t units, size_t *begin, size_t *end)
{
    const struct rc_fft_nodes *nodes = &fft->nodes;
    *begin = rc_fft_split(planes->count * units, nodes->ranks, nodes->rank);
    *end = rc_fft_split(planes->count * units, nodes->ranks, nodes->rank + 1);
}

void *rc_fft_planes_at(const struct rc_fft_planes *planes, const struct rc_fft *fft,
                       size_t x, size_t y, size_t z)
{
    return (char *)planes->base +
           (x * planes->plane + y * planes->row + z) * fft->element;
}

/* The address of a row of the input: in place, or in the array that stays. */
static void *input_at(const struct rc_fft_planes *planes, const struct rc_fft *fft,
                      size_t x, size_t y)
{
    return planes->input ? (char *)planes->input +
                               (x * planes->plane + y * planes->row) * fft->element
                         : rc_fft_planes_at(planes, fft, x, y, 0);
}

static int create_axes(struct rc_fft_planes *planes, struct rc_fft *fft,
                       struct rc_error *err)
{
    const struct rc_fft_options *o = &fft->options;
    struct rc_fft_shape rows = {.length = o->n[2],
                                .stride = 1,
                                .dist = planes->row,
                                .count = ROWS,
                                .tail = 1,
                                .real = o->real,
                                .apart = planes->input,
                                .step = planes->row};
    struct rc_fft_shape columns = {.length = o->n[1],
                                   .stride = planes->row,
                                   .dist = 1,
                                   .count = o->block,
                                   .tail = fft->columns % o->block,
                                   .step = o->plain ? 1 : o->block};
    int status = rc_fft_axis_create(&fft->planner, &rows, &planes->axis_2, err);
    if (status == RC_OK)
        status = rc_fft_axis_create(&fft->planner, &columns, &planes->axis_1, err);
    return status;
}

static void add_phases(struct rc_fft_planes *planes, struct rc_fft *fft,
                       const char *const names[3])
{
    const size_t *n = fft->options.n;
    size_t row_lines = (fft->columns * fft->element + 63) / 64;
    struct rc_fft_work work = {0}, rows = {0}, nothing = {0};
    size_t begin, end;
    if (planes->few) {
        share_of(planes, fft, n[1], &begin, &end);
        rc_fft_work_add(&rows, planes->axis_2, end - begin, 1);
        rows.lines_read = rows.lines_written = (end - begin) * row_lines;
        rows.lines_read *= planes->input ? 2 : 1; /* stores read their lines first */
        planes->phase_rows = rc_fft_phase_add(&fft->phases, names[1], &rows);
        share_of(planes, fft, planes->blocks, &begin, &end);
        for (size_t i = begin; i < end; i++) {
            size_t from = i % planes->blocks * fft->options.block;
            size_t left = fft->columns - from;
            size_t width = left < fft->options.block ? left : fft->options.block;
            rc_fft_work_add(&work, planes->axis_1, width, 1);
            work.lines_read += n[1] * ((width * fft->element + 63) / 64);
        }
        work.lines_written = work.lines_read;
    } else {
        size_t count = planes->end - planes->begin;
        rc_fft_work_add(&work, planes->axis_2, n[1], count);
        rc_fft_work_add(&work, planes->axis_1, fft->columns, count);
        work.lines_read = work.lines_written = count * n[1] * row_lines;
        work.lines_read *= planes->input ? 2 : 1;
    }
    planes->phase_planes = rc_fft_phase_add(&fft->phases, names[0], &work);
    planes->phase_fence = rc_fft_phase_add(&fft->phases, names[2], &nothing);
}

/* Shares memory for all planes of the grid, or for those of the node. */
static int share_planes(struct rc_fft_planes *planes, struct rc_fft *fft, bool all,
                        struct rc_error *err)
{
    size_t bytes = planes->plane * fft->element;
    size_t arrays = fft->options.apart ? 2 : 1;
    int status = rc_fft_window_init(
        &planes->window, fft->nodes.comm,
        bytes * (all ? fft->options.n[0] : planes->count) * arrays, err);
    status = rc_agree(fft->comm, status, err);
    if (status) {
        rc_fft_window_fini(&planes->window);
        return status;
    }
    planes->all = all;
    planes->base = (char *)planes->window.base + (all ? bytes * planes->lo : 0);
    if (fft->options.apart)
        planes->input = (char *)planes->base + bytes * planes->count;
    return RC_OK;
}

int rc_fft_planes_init(struct rc_fft_planes *planes, struct rc_fft *fft,
                       const char *const names[3], bool all, struct rc_error *err)
{
    const struct rc_fft_options *o = &fft->options;
    const struct rc_fft_nodes *nodes = &fft->nodes;
    size_t begin = nodes->first[nodes->own], end = nodes->first[nodes->own + 1];
    memset(planes, 0, sizeof *planes);
    planes->lo = rc_fft_split(o->n[0], fft->ranks, begin);
    planes->count = rc_fft_split(o->n[0], fft->ranks, end) - planes->lo;
    planes->row = rc_fft_row_pitch(fft->columns, fft->element, o->plain);
    planes->plane = rc_fft_plane_pitch(o->n[1], planes->row, fft->element, o->plain);
    planes->blocks = (fft->columns + o->block - 1) / o->block;
    planes->begin = rc_fft_split(o->n[0], fft->ranks, fft->rank) - planes->lo;
    planes->end = rc_fft_split(o->n[0], fft->ranks, fft->rank + 1) - planes->lo;
    planes->few = planes->count < nodes->ranks;
    planes->fetches = is_about_a_cache(planes->count * planes->plane * fft->element);
    int status = all ? share_planes(planes, fft, true, err) : RC_ENOMEM;
    if (status)
        status = share_planes(planes, fft, false, err);
    fft->unshared = status != RC_OK;
    if (status)
        return status;
    /* The first rank to touch a page gets it in memory near by. */
    size_t own = planes->end - planes->begin;
    if (own > 0)
        memset(rc_fft_planes_at(planes, fft, planes->begin, 0, 0), 0,
               own * planes->plane * fft->element);
    rc_fft_window_fence(&planes->window);
    fft->padding = (struct rc_fft_padding){
        .base = own > 0 ? rc_fft_planes_at(planes, fft, planes->begin, 0, 0) : NULL,
        .used = fft->columns,
        .row = planes->row,
        .rows = o->n[1],
        .plane = planes->plane,
        .planes = own,
    };
    fft->in = (struct rc_fft_box){
        .lo = {planes->lo + planes->begin},
        .extent = {own, own ? o->n[1] : 0, own ? fft->columns : 0},
        .stride = {planes->plane, planes->row, 1},
        .base = fft->padding.base,
    };
    fft->out = fft->in;
    if (planes->input && own > 0) {
        fft->in.base = input_at(planes, fft, planes->begin, 0);
        memset(fft->in.base, 0, own * planes->plane * fft->element);
    }
    status = create_axes(planes, fft, err);
    if (status == RC_OK)
        add_phases(planes, fft, names);
    return status;
}

void rc_fft_planes_fini(struct rc_fft_planes *planes)
{
    rc_fft_axis_close(planes->axis_2);
    rc_fft_axis_close(planes->axis_1);
    rc_fft_window_fini(&planes->window);
}

void rc_fft_planes_fence(struct rc_fft_planes *planes, struct rc_fft *fft)
{
    rc_fft_phase_begin(&fft->phases, planes->phase_fence);
    rc_fft_window_fence(&planes->window);
    rc_fft_phase_end(&fft->phases, planes->phase_fence);
}

/* Transforms rows of one plane or of several, which need not be adjacent. */
static void transform_rows(struct rc_fft_planes *planes, struct rc_fft *fft,
                           enum rc_fft_direction direction, size_t begin, size_t end,
                           double scale)
{
    size_t rows = fft->options.n[1];
    size_t numbers = fft->options.n[2] * (fft->options.real ? 1 : 2);
    while (begin < end) {
        size_t x = begin / rows, y = begin % rows, most = rows - y;
        size_t count = end - begin < most ? end - begin : most;
        if (scale != 1 && count > ROWS)
            count = ROWS; /* they are scaled while they are in the nearest cache */
        void *in = input_at(planes, fft, x, y);
        void *at = rc_fft_planes_at(planes, fft, x, y, 0);
        const bool forward = direction == RC_FFT_FORWARD;
        rc_fft_axis_move(planes->axis_2, direction, forward ? in : at,
                         forward ? at : in, count);
        if (scale != 1)
            for (size_t i = 0; i < count; i++)
                rc_fft_scale(input_at(planes, fft, x, y + i), numbers,
                             fft->options.single, scale);
        begin += count;
    }
}

/* Transforms this rank's rows where planes are few. */
static void transform_few_rows(struct rc_fft_planes *planes, struct rc_fft *fft,
                               enum rc_fft_direction direction, double scale)
{
    size_t begin, end;
    share_of(planes, fft, fft->options.n[1], &begin, &end);
    rc_fft_phase_begin(&fft->phases, planes->phase_rows);
    transform_rows(planes, fft, direction, begin, end, scale);
    rc_fft_phase_end(&fft->phases, planes->phase_rows);
    rc_fft_planes_fence(planes, fft);
}

static void transform_few_columns(struct rc_fft_planes *planes, struct rc_fft *fft,
                                  enum rc_fft_direction direction)
{
    size_t begin, end, block = fft->options.block;
    share_of(planes, fft, planes->blocks, &begin, &end);
    rc_fft_phase_begin(&fft->phases, planes->phase_planes);
    for (size_t i = begin; i < end; i++) {
        size_t from = i % planes->blocks * block, left = fft->columns - from;
        rc_fft_axis_run(planes->axis_1, direction,
                        rc_fft_planes_at(planes, fft, i / planes->blocks, 0, from),
                        left < block ? left : block);
    }
    rc_fft_phase_end(&fft->phases, planes->phase_planes);
    rc_fft_planes_fence(planes, fft);
}

/* Transforms the columns of a plane; where the next plane, if there is one, is to be
 * fetched meanwhile, block by block.
 */
static void transform_columns(struct rc_fft_planes *planes, struct rc_fft *fft,
                              size_t x, bool is_next, size_t next)
{
    const size_t block = fft->options.block, bytes = planes->plane * fft->element;
    char *at = rc_fft_planes_at(planes, fft, x, 0, 0);
    if (!planes->fetches || !is_next) {
        rc_fft_axis_run(planes->axis_1, RC_FFT_FORWARD, at, fft->columns);
        return;
    }
    const char *other = rc_fft_planes_at(planes, fft, next, 0, 0);
    for (size_t i = 0; i < planes->blocks; i++) {
        size_t left = fft->columns - i * block, from = bytes * i / planes->blocks;
        rc_fft_fetch(other + from, bytes * (i + 1) / planes->blocks - from);
        rc_fft_axis_run(planes->axis_1, RC_FFT_FORWARD, at + i * block * fft->element,
                        left < block ? left : block);
    }
}

void rc_fft_planes_forward(struct rc_fft_planes *planes, struct rc_fft *fft)
{
    size_t rows = fft->options.n[1];
    if (planes->few) {
        transform_few_rows(planes, fft, RC_FFT_FORWARD, 1);
        transform_few_columns(planes, fft, RC_FFT_FORWARD);
        return;
    }
    /* The last plane goes first: the writer of the input, or the way back, has left it
     * in the cache.
     */
    rc_fft_phase_begin(&fft->phases, planes->phase_planes);
    for (size_t x = planes->end; x-- > planes->begin;) {
        transform_rows(planes, fft, RC_FFT_FORWARD, x * rows, (x + 1) * rows, 1);
        transform_columns(planes, fft, x, x > planes->begin, x - 1);
    }
    rc_fft_phase_end(&fft->phases, planes->phase_planes);
    rc_fft_planes_fence(planes, fft);
}

void rc_fft_planes_backward(struct rc_fft_planes *planes, struct rc_fft *fft,
                            double scale)
{
    size_t rows = fft->options.n[1];
    if (planes->few) {
        transform_few_columns(planes, fft, RC_FFT_BACKWARD);
        transform_few_rows(planes, fft, RC_FFT_BACKWARD, scale);
        return;
    }
    rc_fft_phase_begin(&fft->phases, planes->phase_planes);
    for (size_t x = planes->begin; x < planes->end; x++) {
        rc_fft_axis_run(planes->axis_1, RC_FFT_BACKWARD,
                        rc_fft_planes_at(planes, fft, x, 0, 0), fft->columns);
        transform_rows(planes, fft, RC_FFT_BACKWARD, x * rows, (x + 1) * rows, scale);
    }
    rc_fft_phase_end(&fft->phases, planes->phase_planes);
    rc_fft_planes_fence(planes, fft);
}
