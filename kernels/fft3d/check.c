/* Checks that a transform is right: known properties of Fourier transforms, by global
 * indices.
 */
#include "kernels/fft3d/check.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SERIAL_MOST = 64, GUARD = 0x5a };

/* A number of the input or of the result, by its global index. */
typedef double complex number_at(const struct rc_fft *fft, const size_t i[3]);

static uint64_t mixed(uint64_t key)
{
    key += 0x9e3779b97f4a7c15U;
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9U;
    key = (key ^ key >> 27) * 0x94d049bb133111ebU;
    return key ^ key >> 31;
}

/* A number of [-1/2, 1/2) that depends on the key. */
static double keyed(uint64_t key)
{
    return (double)(mixed(key) >> 11) / 0x1p53 - 0.5;
}

static uint64_t place_of(const struct rc_fft *fft, const size_t i[3])
{
    const size_t *n = fft->options.n;
    return ((uint64_t)i[0] * n[1] + i[1]) * n[2] + i[2];
}

static double complex noise(const struct rc_fft *fft, const size_t i[3])
{
    uint64_t key = 2 * place_of(fft, i);
    return fft->options.real ? keyed(key) : keyed(key) + I * keyed(key + 1);
}

/* The distance of shifts, and the index of waves, along each axis. */
static void offsets(const struct rc_fft *fft, size_t k[3])
{
    for (size_t d = 0; d < 3; d++)
        k[d] = (d + 1) % fft->options.n[d];
}

static double complex shifted(const struct rc_fft *fft, const size_t i[3])
{
    size_t k[3], from[3];
    offsets(fft, k);
    for (int d = 0; d < 3; d++)
        from[d] = (i[d] + fft->options.n[d] - k[d]) % fft->options.n[d];
    return noise(fft, from);
}

static double complex sum_of_both(const struct rc_fft *fft, const size_t i[3])
{
    return 2 * noise(fft, i) - 3 * shifted(fft, i);
}

static double complex delta(const struct rc_fft *fft, const size_t i[3])
{
    (void)fft;
    return i[0] + i[1] + i[2] == 0;
}

static double complex one(const struct rc_fft *fft, const size_t i[3])
{
    (void)fft, (void)i;
    return 1;
}

/* exp(2 pi i.k / N) */
static double complex turn(const struct rc_fft *fft, const size_t i[3])
{
    size_t k[3];
    double turns = 0;
    offsets(fft, k);
    for (int d = 0; d < 3; d++)
        turns += (double)(i[d] * k[d] % fft->options.n[d]) / (double)fft->options.n[d];
    return cexp(2 * M_PI * turns * I);
}

static double complex wave(const struct rc_fft *fft, const size_t i[3])
{
    return fft->options.real ? creal(turn(fft, i)) : turn(fft, i);
}

static double points(const struct rc_fft *fft)
{
    const size_t *n = fft->options.n;
    return (double)n[0] * (double)n[1] * (double)n[2];
}

/* A real wave is half the sum of two: one of k, one of -k. */
static double complex peak(const struct rc_fft *fft, const size_t i[3])
{
    size_t k[3];
    bool there = true, other = true;
    offsets(fft, k);
    for (int d = 0; d < 3; d++) {
        there = there && i[d] == k[d];
        other = other && i[d] == (fft->options.n[d] - k[d]) % fft->options.n[d];
    }
    return fft->options.real ? points(fft) * (there + other) / 2 : points(fft) * there;
}

static double complex read_number(const struct rc_fft *fft,
                                  const struct rc_fft_box *box, size_t offset)
{
    if (fft->options.single) {
        const float *at = (const float *)box->base + offset * (box->real ? 1 : 2);
        return box->real ? at[0] : at[0] + I * at[1];
    }
    const double *at = (const double *)box->base + offset * (box->real ? 1 : 2);
    return box->real ? at[0] : at[0] + I * at[1];
}

static void write_number(const struct rc_fft *fft, const struct rc_fft_box *box,
                         size_t offset, double complex value)
{
    if (fft->options.single) {
        float *at = (float *)box->base + offset * (box->real ? 1 : 2);
        at[0] = (float)creal(value);
        if (!box->real)
            at[1] = (float)cimag(value);
        return;
    }
    double *at = (double *)box->base + offset * (box->real ? 1 : 2);
    at[0] = creal(value);
    if (!box->real)
        at[1] = cimag(value);
}

/* The next element of a box: its global index and its offset; false after the last one.
 * 'at' begins as zeros.
 */
static bool next_of(const struct rc_fft_box *box, size_t at[3], size_t i[3],
                    size_t *offset)
{
    if (!box->base || at[0] == box->extent[0])
        return false;
    *offset = 0;
    for (int d = 0; d < 3; d++) {
        i[d] = box->lo[d] + at[d];
        *offset += at[d] * box->stride[d];
    }
    for (int d = 2; d >= 0; d--) {
        if (++at[d] < box->extent[d] || d == 0)
            break;
        at[d] = 0;
    }
    return true;
}

static size_t size_of(const struct rc_fft_box *box)
{
    return box->base ? box->extent[0] * box->extent[1] * box->extent[2] : 0;
}

/* The barrier: memory may be shared, so all ranks fill theirs before anyone reads. */
static void fill(struct rc_fft *fft, number_at *value)
{
    size_t at[3] = {0}, i[3], offset;
    while (next_of(&fft->in, at, i, &offset))
        write_number(fft, &fft->in, offset, value(fft, i));
    MPI_Barrier(fft->comm);
}

void rc_fft_fill(struct rc_fft *fft)
{
    fill(fft, noise);
}

/* The numbers that a check compares with. */
struct expected {
    number_at *value;            /* by index; or */
    const double complex *kept;  /* in the order of the box; or */
    const double complex *whole; /* the whole result; */
    double factor;               /* multiplies them all */
};

static double complex expected_at(const struct rc_fft *fft, const struct expected *e,
                                  size_t count, const size_t i[3])
{
    if (e->value)
        return e->factor * e->value(fft, i);
    if (e->kept)
        return e->factor * e->kept[count];
    return e->factor *
           e->whole[(i[0] * fft->options.n[1] + i[1]) * fft->columns + i[2]];
}

/* Collective: the largest difference by the largest expected value. */
static double differ(struct rc_fft *fft, const struct rc_fft_box *box,
                     const struct expected *expected)
{
    double most[2] = {0, 0};
    size_t at[3] = {0}, i[3], offset, count = 0;
    while (next_of(box, at, i, &offset)) {
        double complex e = expected_at(fft, expected, count++, i);
        double error = cabs(read_number(fft, box, offset) - e);
        /* A result that is not a number is an error, too. */
        most[0] = error <= most[0] ? most[0] : isnan(error) ? INFINITY : error;
        most[1] = fmax(most[1], cabs(e));
    }
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, fft->comm);
    return most[1] > 0 ? most[0] / most[1] : most[0];
}

/* The state of a check that is under way. */
struct checker {
    struct rc_fft *fft;
    struct rc_fft_check *out;
    struct rc_error *err;
    double complex *kept; /* the result of noise, an element each of the box */
    int status;           /* the same on all ranks */
};

static void judge(struct checker *c, const char *what, double error)
{
    c->out->error = fmax(c->out->error, error);
    if (c->status == RC_OK && !(error <= c->out->limit))
        c->status = rc_fail(c->err, RC_EBROKEN,
                            "the check '%s' failed: the error is %.3g, expected at "
                            "most %.0e",
                            what, error, c->out->limit);
}

static void forward_of(struct checker *c, number_at *value, const char *what,
                       const struct expected *expected)
{
    fill(c->fft, value);
    rc_fft_forward(c->fft);
    judge(c, what, differ(c->fft, &c->fft->out, expected));
    MPI_Barrier(c->fft->comm);
}

static void keep_result(struct checker *c)
{
    size_t at[3] = {0}, i[3], offset, count = 0;
    fill(c->fft, noise);
    rc_fft_forward(c->fft);
    while (next_of(&c->fft->out, at, i, &offset))
        c->kept[count++] = read_number(c->fft, &c->fft->out, offset);
    MPI_Barrier(c->fft->comm);
}

/* The result of shifted noise is that of noise, turned back at each index. */
static void check_shift(struct checker *c)
{
    struct rc_fft *fft = c->fft;
    size_t at[3] = {0}, i[3], offset, count = 0;
    const struct expected kept = {.kept = c->kept, .factor = 1};
    while (next_of(&fft->out, at, i, &offset))
        c->kept[count++] *= conj(turn(fft, i));
    forward_of(c, shifted, "shift", &kept);
    /* Checks 2 a - 3 b, with both. */
    memset(at, 0, sizeof at);
    count = 0;
    while (next_of(&fft->out, at, i, &offset)) {
        c->kept[count] = 2 * c->kept[count] * turn(fft, i) - 3 * c->kept[count];
        count++;
    }
    forward_of(c, sum_of_both, "linearity", &kept);
}

/* The sum of squares of the result is the input's, times the number of points. */
static void check_parseval(struct checker *c)
{
    struct rc_fft *fft = c->fft;
    double sum[2] = {0, 0};
    size_t at[3] = {0}, i[3], offset, count = 0, n = fft->options.n[2];
    while (next_of(&fft->in, at, i, &offset))
        sum[0] += pow(cabs(noise(fft, i)), 2);
    memset(at, 0, sizeof at);
    while (next_of(&fft->out, at, i, &offset)) {
        bool twice = fft->options.real && i[2] > 0 && 2 * i[2] != n;
        sum[1] += (twice ? 2 : 1) * pow(cabs(c->kept[count++]), 2);
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, fft->comm);
    judge(c, "Parseval", fabs(sum[1] / points(fft) / sum[0] - 1));
}

/* Does the whole transform on each rank, for small grids. */
static void check_serial(struct checker *c)
{
    struct rc_fft *fft = c->fft;
    const size_t *n = fft->options.n;
    struct rc_fft_serial *serial = NULL;
    if (c->status || n[0] > SERIAL_MOST || n[1] > SERIAL_MOST || n[2] > SERIAL_MOST)
        return; /* an earlier failure is one on all ranks */
    int status =
        rc_fft_serial_create(n, fft->options.real, RC_FFT_ESTIMATE, &serial, c->err);
    c->status = rc_agree(fft->comm, status, c->err);
    if (c->status == RC_OK) {
        struct rc_fft_box all = {.extent = {n[0], n[1], n[2]},
                                 .stride = {n[1] * n[2], n[2], 1},
                                 .real = fft->options.real,
                                 .base = rc_fft_serial_in(serial)};
        struct rc_fft in_double = *fft;
        in_double.options.single = false;
        size_t at[3] = {0}, i[3], offset;
        while (next_of(&all, at, i, &offset))
            write_number(&in_double, &all, offset, noise(fft, i));
        rc_fft_serial_forward(serial);
        const struct expected whole = {.whole = rc_fft_serial_out(serial), .factor = 1};
        forward_of(c, noise, "the transform on one rank", &whole);
    }
    rc_fft_serial_close(serial);
}

static void check_back(struct checker *c)
{
    struct rc_fft *fft = c->fft;
    const struct expected all = {.value = noise, .factor = points(fft)};
    const struct expected scaled = {.value = noise, .factor = 1};
    fill(fft, noise);
    rc_fft_forward(fft);
    rc_fft_backward(fft, 1);
    judge(c, "forward and backward", differ(fft, &fft->in, &all));
    fill(fft, noise);
    rc_fft_forward(fft);
    rc_fft_backward(fft, 1 / points(fft));
    judge(c, "forward and backward, scaled", differ(fft, &fft->in, &scaled));
}

/* The same input twice gives the same bits: 'kept' has the first result.  The bits are
 * reported as a sum over all numbers, each mixed with its place, so that runs can be
 * compared.
 */
static void check_bits(struct checker *c)
{
    const struct expected kept = {.kept = c->kept, .factor = 1};
    size_t at[3] = {0}, i[3], offset, count = 0;
    keep_result(c);
    while (next_of(&c->fft->out, at, i, &offset)) {
        uint64_t part[2], place = place_of(c->fft, i);
        memcpy(part, &c->kept[count++], sizeof part);
        c->out->bits += mixed(mixed(mixed(place) ^ part[0]) ^ part[1]);
    }
    MPI_Allreduce(MPI_IN_PLACE, &c->out->bits, 1, MPI_UINT64_T, MPI_SUM, c->fft->comm);
    fill(c->fft, noise);
    rc_fft_forward(c->fft);
    double error = differ(c->fft, &c->fft->out, &kept);
    judge(c, "the same bits again", error > 0 ? INFINITY : 0);
}

/* Fills the padding of rows and planes, or counts its bytes that have changed. */
static size_t guard_padding(struct rc_fft *fft, bool set)
{
    const struct rc_fft_padding *p = &fft->padding;
    size_t e = fft->element, wrong = 0;
    for (size_t x = 0; p->base && x < p->planes; x++)
        for (size_t y = 0; y < p->rows; y++) {
            size_t end = y + 1 < p->rows ? p->row : p->plane - y * p->row;
            unsigned char *row =
                (unsigned char *)p->base + (x * p->plane + y * p->row) * e;
            if (set)
                memset(row + p->used * e, GUARD, (end - p->used) * e);
            for (size_t i = p->used * e; i < end * e; i++)
                wrong += row[i] != GUARD;
        }
    return wrong;
}

int rc_fft_check(struct rc_fft *fft, struct rc_fft_check *out, struct rc_error *err)
{
    static const struct expected ones = {.value = one, .factor = 1};
    static const struct expected peaks = {.value = peak, .factor = 1};
    struct checker c = {.fft = fft, .out = out, .err = err};
    *out = (struct rc_fft_check){.limit = fft->options.single ? 1e-5 : 1e-12};
    c.kept = rc_calloc(size_of(&fft->out) + 1, sizeof *c.kept);
    if (!c.kept)
        c.status = rc_fail(err, RC_ENOMEM, "no memory for a second result");
    c.status = rc_agree(fft->comm, c.status, err);
    bool named = fft->phases.named;
    fft->phases.named = false;
    guard_padding(fft, true);
    if (c.status == RC_OK) {
        forward_of(&c, delta, "delta", &ones);
        forward_of(&c, wave, "plane wave", &peaks);
        check_serial(&c);
        keep_result(&c);
        check_parseval(&c);
        check_shift(&c);
        check_bits(&c);
        check_back(&c);
        uint64_t wrong = guard_padding(fft, false);
        MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_UINT64_T, MPI_SUM, fft->comm);
        judge(&c, "padding is left alone", wrong ? INFINITY : 0);
    }
    fft->phases.named = named;
    free(c.kept);
    return rc_agree(fft->comm, c.status, err);
}
