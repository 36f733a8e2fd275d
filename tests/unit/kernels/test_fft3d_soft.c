/* The work of the 3D-FFT's phases against the instruction-exact source.
 *
 * A phase is its loops around calls of FFTW.  The loops are stepped with calls that do
 * nothing, and one call of each plan is stepped alone: operations, bytes and
 * instructions of the phase are those of the loops and of as many calls as it says, to
 * the last one.  Re-sorts are loops of assembly: from one grid to another they grow by
 * just as many bytes as there are more elements.  And memory is read and written once
 * a pass.
 *
 * With RC_FFT3D_LONG in the environment for more and larger grids: minutes of stepping.
 */
#include "tests/lib/test.h"

#include "kernels/fft3d/check.h"
#include "kernels/fft3d/fft3d.h"
#include "kernels/fft3d/split.h"
#include "tests/unit/kernels/soft_bench.h"

#include <malloc.h>
#include <mpi.h>

/* Bytes that calls around a loop of assembly load at most. */
#if defined(__SANITIZE_ADDRESS__)
enum { AROUND = 65536 };
#else
enum { AROUND = 2048 };
#endif

/* The compared counts. */
enum { INSTRUCTIONS, OPERATIONS, LOADED, STORED, COUNTS };
static const char *const count_names[COUNTS] = {
    [INSTRUCTIONS] = "instructions",
    [OPERATIONS] = "operations",
    [LOADED] = "bytes loaded",
    [STORED] = "bytes stored",
};

struct count {
    int64_t of[COUNTS];
};

/* Counts in each phase of a pass. */
struct counted {
    struct bench *bench;
    struct count phase[RC_FFT_PHASES_MAX];
    int64_t reads[RC_FFT_PHASES_MAX], writes[RC_FFT_PHASES_MAX];
    bool entered[RC_FFT_PHASES_MAX];
};

/* While this is set what transforms and what scales does nothing. */
static bool idle;

#define WRAP_EXECUTE(name)                                                             \
    void __real_##name(void *plan, void *in, void *out);                               \
    void __wrap_##name(void *plan, void *in, void *out);                               \
    void __wrap_##name(void *plan, void *in, void *out)                                \
    {                                                                                  \
        if (!idle)                                                                     \
            __real_##name(plan, in, out);                                              \
    }
WRAP_EXECUTE(fftw_execute_dft)
WRAP_EXECUTE(fftw_execute_dft_r2c)
WRAP_EXECUTE(fftw_execute_dft_c2r)
WRAP_EXECUTE(fftwf_execute_dft)
WRAP_EXECUTE(fftwf_execute_dft_r2c)
WRAP_EXECUTE(fftwf_execute_dft_c2r)

void __real_rc_fft_scale(void *numbers, size_t count, bool single, double factor);
void __wrap_rc_fft_scale(void *numbers, size_t count, bool single, double factor);
void __wrap_rc_fft_scale(void *numbers, size_t count, bool single, double factor)
{
    if (!idle)
        __real_rc_fft_scale(numbers, count, single, factor);
}

/* Some plans take a buffer for each call, and the steps of malloc() depend on what was
 * freed before: while they are counted they have one that is always there.
 */
static bool counting;
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
enum { SPARE_BYTES = 1 << 20, SPARES = 4 };
static _Alignas(64) unsigned char spare[SPARES][SPARE_BYTES];
static size_t spares_taken;

void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

void *memalign(size_t alignment, size_t bytes)
{
    if (counting && alignment <= 64 && bytes <= SPARE_BYTES && spares_taken < SPARES)
        return spare[spares_taken++];
    return __libc_memalign(alignment, bytes);
}

void free(void *memory)
{
    uintptr_t at = (uintptr_t)memory - (uintptr_t)spare;
    if (at < sizeof spare)
        spares_taken--;
    else
        __libc_free(memory);
}
#endif

static void start(struct bench *bench)
{
    static const struct rc_suite suite = {.name = "fft3d"};
    static const struct rc_measurement what = {.suite = &suite};
    struct rc_error err = {.text = ""};
    counting = true;
    bench_need(rc_source_soft.start(bench->group, &what, &err), &err);
}

static struct count stop(struct bench *bench)
{
    struct rc_error err = {.text = ""};
    bench_need(rc_source_soft.stop(bench->group, bench->reading, &err), &err);
    counting = false;
    return (struct count){{
        [INSTRUCTIONS] = bench_read(bench, "soft::instructions"),
        [OPERATIONS] = bench_read(bench, "soft::fp_dp_operations") +
                       bench_read(bench, "soft::fp_sp_operations"),
        [LOADED] = bench_read(bench, "soft::bytes_loaded"),
        [STORED] = bench_read(bench, "soft::bytes_stored"),
    }};
}

static void add(struct count *sum, struct count more, int64_t times)
{
    for (int i = 0; i < COUNTS; i++)
        sum->of[i] += times * more.of[i];
}

static void count_phase(void *context, size_t phase, bool begins)
{
    struct counted *c = context;
    if (begins) {
        start(c->bench);
        return;
    }
    add(&c->phase[phase], stop(c->bench), 1);
    c->entered[phase] = true;
    c->reads[phase] = bench_read(c->bench, "soft::sim_memory_reads");
    c->writes[phase] = bench_read(c->bench, "soft::sim_memory_drained");
}

static void run_pass(struct rc_fft *fft, enum rc_fft_direction direction)
{
    if (direction == RC_FFT_FORWARD)
        rc_fft_forward(fft);
    else
        rc_fft_backward(fft, 0.5);
}

/* A pass whose phases are stepped; 'without' calls that do anything. */
static struct counted count_pass(struct rc_fft *fft, struct bench *bench,
                                 enum rc_fft_direction direction, bool without)
{
    struct counted c = {.bench = bench};
    idle = without;
    run_pass(fft, direction); /* every function is bound, every table there */
    fft->phases.hook = count_phase;
    fft->phases.context = &c;
    run_pass(fft, direction);
    fft->phases.hook = NULL;
    idle = false;
    return c;
}

/* Counts that one call adds to the loops around it: of a plan, by its axis and how many
 * transforms it makes, or of scaling, where the axis is NULL.
 */
static struct count call_of(struct bench *bench, const struct rc_fft_axis *axis,
                            enum rc_fft_direction direction, bool single, void *at,
                            size_t count)
{
    struct count sum = {{0}};
    for (int without = 0; without < 2; without++) {
        idle = without;
        start(bench);
        if (axis)
            rc_fft_axis_run(axis, direction, at, count);
        else
            rc_fft_scale(at, count, single, 0.5);
        add(&sum, stop(bench), without ? -1 : 1);
    }
    idle = false;
    return sum;
}

static struct count calls_of(struct bench *bench, const struct rc_fft *fft,
                             const struct rc_fft_phase *phase,
                             enum rc_fft_direction direction, void *at)
{
    const struct rc_fft_options *o = &fft->options;
    struct count sum = {{0}};
    bool single = o->single;
    for (size_t i = 0; i < RC_FFT_PARTS_MAX; i++) {
        const struct rc_fft_part *part = &phase->work.part[i];
        const struct rc_fft_axis *axis = part->axis;
        if (part->full)
            add(&sum, call_of(bench, axis, direction, single, at, axis->shape.count),
                (int64_t)part->full);
        if (part->tails)
            add(&sum, call_of(bench, axis, direction, single, at, axis->shape.tail),
                (int64_t)part->tails);
    }
    if (direction == RC_FFT_FORWARD)
        return sum;
    /* The last pass of a backward transform scales row by row, or has a phase for it.
     */
    size_t row = o->n[2] * (o->real ? 1 : 2), rows = o->n[0] * o->n[1];
    if (strstr(phase->name, "/planes") || strcmp(phase->name, "pencil/fft2") == 0 ||
        strcmp(phase->name, "w/fft2") == 0)
        add(&sum, call_of(bench, NULL, direction, single, at, row), (int64_t)rows);
    else if (strstr(phase->name, "/scale"))
        add(&sum, call_of(bench, NULL, direction, single, at, 2 * rows * fft->columns),
            1);
    return sum;
}

static struct rc_fft *created(const struct rc_fft_options *options)
{
    struct rc_fft *fft = NULL;
    struct rc_error err = {.text = ""};
    if (rc_fft_create(MPI_COMM_SELF, options, &fft, &err) != RC_OK)
        fail_msg("%s", err.text);
    rc_fft_fill(fft);
    return fft;
}

/* Whether it is, to the last one. */
static bool is_exact(const char *phase, int what, int64_t found, int64_t expected)
{
    printf("  %-18s %-13s %10lld, deviation %lld\n", phase, count_names[what],
           (long long)found, (long long)(found - expected));
    return found == expected;
}

/* A transform, and the one of a smaller grid that its re-sorts are compared with. */
struct pair {
    struct rc_fft *fft, *small;
    struct bench *bench;
    void *at; /* as large as the array */
};

static void check_pass(struct pair *pair, enum rc_fft_direction direction)
{
    const struct rc_fft *fft = pair->fft;
    struct counted all = count_pass(pair->fft, pair->bench, direction, false);
    struct counted loops = count_pass(pair->fft, pair->bench, direction, true);
    struct counted small = count_pass(pair->small, pair->bench, direction, false);
    size_t off = 0;
    for (size_t p = 0; p < fft->phases.count; p++) {
        const struct rc_fft_phase *phase = &fft->phases.phase[p];
        const struct rc_fft_work *w = &phase->work, *v;
        v = &pair->small->phases.phase[p].work;
        /* Only what is transformed back is scaled, and there one nest does for two. */
        assert_int_equal(
            all.entered[p],
            !strstr(phase->name, direction == RC_FFT_BACKWARD ? "-nest2" : "/scale"));
        if (!all.entered[p] || strstr(phase->name, "/a2a"))
            continue;
        struct count expected = loops.phase[p];
        add(&expected, calls_of(pair->bench, fft, phase, direction, pair->at), 1);
        if (w->exact && !strstr(phase->name, "/scale")) {
            /* Counts of loops that were stepped, too, but for another grid. */
            expected = small.phase[p];
            expected.of[INSTRUCTIONS] = all.phase[p].of[INSTRUCTIONS];
            expected.of[LOADED] += (int64_t)(w->load_bytes - v->load_bytes);
            expected.of[STORED] += (int64_t)(w->store_bytes - v->store_bytes);
            assert_true(small.phase[p].of[LOADED] < (int64_t)v->load_bytes + AROUND);
        }
        if (w->part[0].axis) {
            double planned = rc_fft_work_planned(w, direction);
            printf("  %-18s %-13s %10.0f nominal, %.0f planned\n", phase->name, "FLOPs",
                   w->flops, planned);
            assert_true(all.phase[p].of[OPERATIONS] > 0);
            assert_true(all.phase[p].of[LOADED] >= (int64_t)w->load_bytes);
            assert_true(all.phase[p].of[STORED] >= (int64_t)w->store_bytes);
        }
        for (int i = w->exact ? OPERATIONS : 0; i < COUNTS; i++)
            off += !is_exact(phase->name, i, all.phase[p].of[i], expected.of[i]);
    }
    fflush(stdout);
    assert_int_equal(off, 0);
}

static void check_work(struct rc_fft_options o, size_t n, bool both)
{
    size_t less = n / 2;
    struct pair pair = {.bench = bench_open(NULL),
                        .at = rc_fft_memory(n * n * (n + 8) * 64)};
    memset(pair.at, 0, n * n * (n + 8) * 64);
    for (int d = 0; d < 3; d++)
        o.n[d] = n;
    pair.fft = created(&o);
    for (int d = 0; d < 3; d++)
        o.n[d] = less;
    pair.small = created(&o);
    for (int direction = 0; direction < 1 + both; direction++) {
        printf("%s, N=%zu %s %s, %s\n", o.path->name, n, o.real ? "r2c" : "c2c",
               o.single ? "single" : "double", direction ? "backward" : "forward");
        check_pass(&pair, (enum rc_fft_direction)direction);
    }
    bench_close(pair.bench);
    free(pair.at);
    rc_fft_close(pair.fft);
    rc_fft_close(pair.small);
}

static void phases_do_what_their_loops_and_calls_do(void **state)
{
    (void)state;
    for (size_t p = 0; rc_fft_paths[p]; p++) {
        struct rc_fft_options o = {.path = rc_fft_paths[p],
                                   .resort = RC_FFT_RESORT_COMBINED};
        bool main_path = o.path == &rc_fft_node || o.path == &rc_fft_steps;
        if (!getenv("RC_FFT3D_LONG")) {
            if (main_path)
                check_work(o, 8, true);
            continue;
        }
        check_work(o, 16, true);
        check_work(o, 15, true);
        if (main_path)
            check_work(o, 30, false);
        o.resort = RC_FFT_RESORT_NESTS;
        o.real = true;
        check_work(o, 16, true);
        o.single = true;
        check_work(o, 15, true);
    }
}

/* Lines of memory that a phase of the node path reads and writes. */
static struct counted traffic_of(const size_t n[3], bool plain, struct rc_fft **out)
{
    struct rc_fft_options o = {
        .n = {n[0], n[1], n[2]}, .path = &rc_fft_node, .plain = plain};
    struct bench *bench = bench_open("l1d=16K/8,l2=64K/8,l3=none");
    *out = created(&o);
    struct counted c = count_pass(*out, bench, RC_FFT_FORWARD, false);
    bench_close(bench);
    return c;
}

/* Lines of memory of each pass of the node path by those that the array has: caches
 * hold a plane, and not the array.  From half of the array to all of it, so that what
 * calls have on the stack, a dozen lines that stay in caches and are written when they
 * are drained, is in both.
 */
static void check_traffic(bool plain, const char *name, int axis, double most_read,
                          double most_written, double least_read)
{
    static const size_t whole[3] = {32, 32, 32};
    size_t half[3] = {32, 32, 32};
    struct rc_fft *fft[2];
    half[axis] = 16;
    struct counted c[2] = {traffic_of(half, plain, &fft[0]),
                           traffic_of(whole, plain, &fft[1])};
    for (size_t p = 0; p < fft[1]->phases.count; p++) {
        if (strcmp(fft[1]->phases.phase[p].name, name) != 0)
            continue;
        double lines[2];
        for (int i = 0; i < 2; i++)
            lines[i] = (double)fft[i]->phases.phase[p].work.lines_read;
        double more = lines[1] - lines[0];
        double read = (double)(c[1].reads[p] - c[0].reads[p]) / more;
        double written = (double)(c[1].writes[p] - c[0].writes[p]) / more;
        printf("  %s pitch, %s: %.4f R, %.4f W (with the stack %.4f R, %.4f W)\n",
               plain ? "plain" : "odd", name, read, written,
               (double)c[1].reads[p] / lines[1], (double)c[1].writes[p] / lines[1]);
        assert_true(read <= most_read);
        assert_true(written <= most_written);
        assert_true(read >= least_read);
    }
    rc_fft_close(fft[0]);
    rc_fft_close(fft[1]);
}

static void each_pass_reads_and_writes_memory_once(void **state)
{
    (void)state;
    if (!getenv("RC_FFT3D_LONG"))
        skip();
    check_traffic(false, "node/planes", 0, 1.05, 1.0, 0.99);
    check_traffic(false, "node/columns", 1, 1.05, 1.0, 0.99);
    /* Without padding columns fall into the same sets, again and again. */
    check_traffic(true, "node/columns", 1, 9, 9, 1.5);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_do_what_their_loops_and_calls_do),
        cmocka_unit_test(each_pass_reads_and_writes_memory_once),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
