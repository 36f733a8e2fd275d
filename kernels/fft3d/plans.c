/* Batches of 1D transforms: planned on one rank, timed again, and given to all.
 *
 * A planner's single timings are noise where other programs run: of several plannings
 * the one is kept whose plans are the fastest in several runs.  Planning uses memory of
 * its own with the strides of the real one; only its touched pages exist.
 */
#include "kernels/fft3d/plans.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"

#include <fftw3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct rc_fft_library {
    size_t element; /* bytes of a complex number */
    void *(*plan)(const struct rc_fft_shape *shape, size_t count,
                  enum rc_fft_direction direction, void *from, void *to,
                  unsigned flags);
    void (*run)(void *plan, const struct rc_fft_shape *shape,
                enum rc_fft_direction direction, void *from, void *to);
    void (*destroy)(void *plan);
    double (*operations)(void *plan);
    char *(*put_wisdom)(void);
    int (*take_wisdom)(const char *text);
    void (*forget_wisdom)(void);
};

#define FFTW(name) fftw_##name
#define NAME(name) double_##name
#define REAL double
#include "kernels/fft3d/plans_one.h"
#undef FFTW
#undef NAME
#undef REAL
#define FFTW(name) fftwf_##name
#define NAME(name) single_##name
#define REAL float
#include "kernels/fft3d/plans_one.h"

/* Plannings that compete, runs of each, and batches side by side in a run. */
enum { PLANNINGS = 3, RUNS = 7, BATCHES = 8, LINE = 64 };

/* FFTW's vector code needs numbers at multiples of so many bytes. */
enum { ALIGNED = 16 };

static const unsigned efforts[] = {
    [RC_FFT_ESTIMATE] = FFTW_ESTIMATE,
    [RC_FFT_MEASURE] = FFTW_MEASURE,
    [RC_FFT_PATIENT] = FFTW_PATIENT,
};

static int keep_found(struct rc_fft_planner *planner, char *text)
{
    if (!text || rc_grow(&planner->found, sizeof *planner->found, planner->found_count,
                         &planner->found_room)) {
        free(text);
        return -1;
    }
    planner->found[planner->found_count++] = text;
    return 0;
}

int rc_fft_planner_init(struct rc_fft_planner *planner, MPI_Comm comm, bool single,
                        enum rc_fft_effort effort, const char *wisdom,
                        struct rc_error *err)
{
    *planner = (struct rc_fft_planner){
        .comm = comm,
        .rank = rc_team_rank(comm),
        .library = single ? &single_library : &double_library,
        .effort = effort,
    };
    planner->library->forget_wisdom();
    if (!wisdom)
        return RC_OK;
    if (!planner->library->take_wisdom(wisdom))
        return rc_fail(err, RC_EUSAGE,
                       "this is not what a planner of %s precision has found",
                       single ? "single" : "double");
    if (planner->rank == 0 && keep_found(planner, strdup(wisdom)))
        return rc_fail(err, RC_ENOMEM, "no memory for what the planner found");
    return RC_OK;
}

void rc_fft_planner_fini(struct rc_fft_planner *planner)
{
    for (size_t i = 0; i < planner->found_count; i++)
        free(planner->found[i]);
    free(planner->found);
    *planner = (struct rc_fft_planner){.comm = MPI_COMM_NULL};
}

char *rc_fft_planner_wisdom(struct rc_fft_planner *planner)
{
    planner->library->forget_wisdom();
    for (size_t i = 0; i < planner->found_count; i++)
        planner->library->take_wisdom(planner->found[i]);
    return planner->library->put_wisdom();
}

static void destroy_plans(struct rc_fft_axis *axis)
{
    for (int i = 0; i < 4; i++)
        if (axis->plan[i / 2][i % 2])
            axis->library->destroy(axis->plan[i / 2][i % 2]);
    memset(axis->plan, 0, sizeof axis->plan);
}

/* Bytes of batches side by side, in whole lines. */
static size_t span_of(const struct rc_fft_shape *s, size_t element)
{
    size_t bytes =
        ((s->length - 1) * s->stride + BATCHES * s->count * s->dist + s->length) *
        element;
    return (bytes + LINE - 1) / LINE * LINE;
}

/* Makes all plans, in scratch memory 'at'; false where one cannot be made. */
static bool make_plans(struct rc_fft_axis *axis, unsigned flags, void *at)
{
    const struct rc_fft_shape *s = &axis->shape;
    void *to = (char *)at + (s->apart ? span_of(s, axis->element) : 0);
    destroy_plans(axis);
    for (int i = 0; i < 4; i++) {
        size_t count = i % 2 ? s->tail : s->count;
        if (count == 0)
            continue;
        size_t step = i % 2 ? s->tail * s->dist : 0;
        bool aligned = (s->step * axis->element) % ALIGNED == 0 &&
                       (step * axis->element) % ALIGNED == 0;
        axis->plan[i / 2][i % 2] =
            axis->library->plan(s, count, (enum rc_fft_direction)(i / 2), at, to,
                                aligned ? flags : flags | FFTW_UNALIGNED);
        if (!axis->plan[i / 2][i % 2])
            return false;
    }
    return true;
}

/* The shortest of several times of both directions for batches side by side. */
static uint64_t time_plans(const struct rc_fft_axis *axis, void *at)
{
    uint64_t least = UINT64_MAX;
    void *to =
        (char *)at + (axis->shape.apart ? span_of(&axis->shape, axis->element) : 0);
    for (int run = 0; run < RUNS; run++) {
        uint64_t begin = rc_clock_ns();
        for (int direction = 0; direction < 2; direction++)
            rc_fft_axis_move(axis, (enum rc_fft_direction)direction, at, to,
                             BATCHES * axis->shape.count);
        uint64_t ns = rc_clock_ns() - begin;
        least = ns < least ? ns : least;
    }
    return least;
}

/* The wisdom of the best of several plannings; NULL where there is no plan. */
static char *find_plans(struct rc_fft_planner *planner, struct rc_fft_axis *axis,
                        void *at)
{
    unsigned effort = efforts[planner->effort];
    if (make_plans(axis, effort | FFTW_WISDOM_ONLY, at))
        return planner->library->put_wisdom();
    char *best = NULL;
    uint64_t best_ns = UINT64_MAX;
    for (int i = 0; i < PLANNINGS; i++) {
        planner->library->forget_wisdom();
        if (!make_plans(axis, effort, at))
            break;
        uint64_t ns = time_plans(axis, at);
        if (ns >= best_ns)
            continue;
        free(best);
        best = planner->library->put_wisdom();
        best_ns = ns;
    }
    return best;
}

/* Collective: the first rank plans, all ranks get its wisdom. */
static int share_plans(struct rc_fft_planner *planner, struct rc_fft_axis *axis,
                       void *at, struct rc_error *err)
{
    char *text = planner->rank == 0 ? find_plans(planner, axis, at) : NULL;
    size_t bytes = text ? strlen(text) + 1 : 0;
    MPI_Bcast(&bytes, sizeof bytes, MPI_BYTE, 0, planner->comm);
    if (bytes == 0)
        return rc_fail(err, RC_EUNSUPPORTED, "FFTW has no plan for %zu points",
                       axis->shape.length);
    if (planner->rank > 0)
        text = malloc(bytes);
    int status = RC_OK;
    if (!text)
        status = rc_fail(err, RC_ENOMEM, "no memory for what the planner found");
    status = rc_agree(planner->comm, status, err);
    if (status) {
        free(text);
        return status;
    }
    rc_broadcast(planner->comm, 0, text, bytes);
    planner->library->take_wisdom(text);
    if (planner->rank > 0)
        free(text);
    else if (keep_found(planner, text))
        status = rc_fail(err, RC_ENOMEM, "no memory for what the planner found");
    return rc_agree(planner->comm, status, err);
}

int rc_fft_axis_create(struct rc_fft_planner *planner, const struct rc_fft_shape *shape,
                       struct rc_fft_axis **out, struct rc_error *err)
{
    struct rc_fft_axis *axis = rc_calloc(1, sizeof *axis);
    size_t bytes = span_of(shape, planner->library->element) * (shape->apart ? 2 : 1);
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int status = RC_OK;
    *out = axis;
    if (!axis || at == MAP_FAILED)
        status = rc_fail(err, RC_ENOMEM, "no memory to plan transforms of %zu points",
                         shape->length);
    else
        *axis = (struct rc_fft_axis){.library = planner->library,
                                     .shape = *shape,
                                     .element = planner->library->element};
    status = rc_agree(planner->comm, status, err);
    if (status)
        goto out;
    if (planner->effort != RC_FFT_ESTIMATE)
        status = share_plans(planner, axis, at, err);
    if (status)
        goto out;
    unsigned known = efforts[planner->effort];
    if (planner->effort != RC_FFT_ESTIMATE)
        known |= FFTW_WISDOM_ONLY;
    if (!make_plans(axis, known, at) && !make_plans(axis, FFTW_ESTIMATE, at))
        status = rc_fail(err, RC_EUNSUPPORTED, "FFTW has no plan for %zu points",
                         shape->length);
    else
        for (int i = 0; i < 4; i++)
            if (axis->plan[i / 2][i % 2])
                axis->planned[i / 2][i % 2] =
                    axis->library->operations(axis->plan[i / 2][i % 2]);
    status = rc_agree(planner->comm, status, err);
out:
    if (at != MAP_FAILED)
        munmap(at, bytes);
    if (status) {
        rc_fft_axis_close(axis);
        *out = NULL;
    }
    return status;
}

void rc_fft_axis_close(struct rc_fft_axis *axis)
{
    if (axis && axis->library)
        destroy_plans(axis);
    free(axis);
}

void rc_fft_axis_move(const struct rc_fft_axis *axis, enum rc_fft_direction direction,
                      void *from, void *to, size_t total)
{
    const struct rc_fft_shape *s = &axis->shape;
    char *in = from, *out = to;
    for (int tail = 0; tail < 2; tail++) {
        const size_t count = tail ? s->tail : s->count;
        const size_t bytes = count * s->dist * axis->element;
        for (; total > 0 && total >= count; total -= count) {
            axis->library->run(axis->plan[direction][tail], s, direction, in, out);
            in += bytes;
            out += bytes;
        }
    }
}

void rc_fft_axis_run(const struct rc_fft_axis *axis, enum rc_fft_direction direction,
                     void *at, size_t total)
{
    rc_fft_axis_move(axis, direction, at, at, total);
}

struct rc_fft_serial {
    double *in;
    fftw_complex *out;
    fftw_plan plan;
};

int rc_fft_serial_create(const size_t n[3], bool real, enum rc_fft_effort effort,
                         struct rc_fft_serial **out, struct rc_error *err)
{
    struct rc_fft_serial *serial = *out = rc_calloc(1, sizeof *serial);
    int points[3] = {(int)n[0], (int)n[1], (int)n[2]};
    size_t rows = n[0] * n[1], columns = real ? n[2] / 2 + 1 : n[2];
    if (serial) {
        serial->in = fftw_malloc(rows * n[2] * (real ? 8 : 16));
        serial->out = fftw_malloc(rows * columns * 16);
    }
    if (serial && serial->in && serial->out)
        serial->plan = real ? fftw_plan_dft_r2c(3, points, serial->in, serial->out,
                                                efforts[effort])
                            : fftw_plan_dft(3, points, (fftw_complex *)serial->in,
                                            serial->out, FFTW_FORWARD, efforts[effort]);
    if (serial && serial->plan)
        return RC_OK;
    rc_fft_serial_close(serial);
    *out = NULL;
    return rc_fail(err, RC_ENOMEM, "no memory for %zu x %zu x %zu numbers on a rank",
                   n[0], n[1], n[2]);
}

void rc_fft_serial_forward(struct rc_fft_serial *serial)
{
    fftw_execute(serial->plan);
}

void *rc_fft_serial_in(struct rc_fft_serial *serial)
{
    return serial->in;
}

void *rc_fft_serial_out(struct rc_fft_serial *serial)
{
    return serial->out;
}

void rc_fft_serial_close(struct rc_fft_serial *serial)
{
    if (!serial)
        return;
    if (serial->plan)
        fftw_destroy_plan(serial->plan);
    fftw_free(serial->in);
    fftw_free(serial->out);
    free(serial);
}
