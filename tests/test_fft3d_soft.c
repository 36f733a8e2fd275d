/* The work of the 3D-FFT's phases against the instruction-exact source: operations of a
 * phase are those of its plans' calls, and memory is read and written once a pass.
 *
 * With RC_FFT3D_LONG in the environment for more and larger grids: minutes of stepping.
 */
#include "tests/test.h"

#include "kernels/fft3d/check.h"
#include "kernels/fft3d/fft3d.h"
#include "kernels/fft3d/split.h"
#include "tests/soft_bench.h"

#include <mpi.h>

/* What was counted in each phase. */
struct counted {
    struct bench *bench;
    int64_t operations[RC_FFT_PHASES_MAX], loaded[RC_FFT_PHASES_MAX];
    int64_t stored[RC_FFT_PHASES_MAX];
    int64_t reads[RC_FFT_PHASES_MAX], writes[RC_FFT_PHASES_MAX];
    bool entered[RC_FFT_PHASES_MAX];
};

static void start(struct bench *bench)
{
    static const struct rc_suite suite = {.name = "fft3d"};
    static const struct rc_measurement what = {.suite = &suite};
    struct rc_error err = {.text = ""};
    bench_need(rc_source_soft.start(bench->group, &what, &err), &err);
}

static void stop(struct bench *bench)
{
    struct rc_error err = {.text = ""};
    bench_need(rc_source_soft.stop(bench->group, bench->reading, &err), &err);
}

static void count_phase(void *context, size_t phase, bool begins)
{
    struct counted *c = context;
    if (begins) {
        start(c->bench);
        return;
    }
    stop(c->bench);
    c->entered[phase] = true;
    c->operations[phase] = bench_read(c->bench, "soft::fp_dp_operations");
    c->loaded[phase] = bench_read(c->bench, "soft::bytes_loaded");
    c->stored[phase] = bench_read(c->bench, "soft::bytes_stored");
    c->reads[phase] = bench_read(c->bench, "soft::sim_memory_reads");
    c->writes[phase] = bench_read(c->bench, "soft::sim_memory_drained");
}

/* Operations and bytes of one call of a plan, for full batches or for what is left. */
struct call {
    int64_t operations, loaded, stored;
};

/* What is counted between start and stop: nothing, or so many transforms. */
static struct call count_run(struct bench *bench, const struct rc_fft_axis *axis,
                             void *at, size_t count)
{
    start(bench);
    rc_fft_axis_run(axis, RC_FFT_FORWARD, at, count);
    stop(bench);
    return (struct call){bench_read(bench, "soft::fp_dp_operations"),
                         bench_read(bench, "soft::bytes_loaded"),
                         bench_read(bench, "soft::bytes_stored")};
}

static struct call call_of(struct bench *bench, const struct rc_fft_axis *axis,
                           void *at, size_t count)
{
    struct call none = count_run(bench, axis, at, 0);
    struct call one = count_run(bench, axis, at, count);
    return (struct call){one.operations, one.loaded - none.loaded,
                         one.stored - none.stored};
}

static struct call calls_of(struct bench *bench, const struct rc_fft_phase *phase,
                            void *at)
{
    struct call sum = {0};
    for (size_t i = 0; i < RC_FFT_PARTS_MAX; i++) {
        const struct rc_fft_part *part = &phase->work.part[i];
        struct call full = {0}, tail = {0};
        if (part->full)
            full = call_of(bench, part->axis, at, part->axis->shape.count);
        if (part->tails)
            tail = call_of(bench, part->axis, at, part->axis->shape.tail);
        sum.operations += full.operations * (int64_t)part->full +
                          tail.operations * (int64_t)part->tails;
        sum.loaded +=
            full.loaded * (int64_t)part->full + tail.loaded * (int64_t)part->tails;
        sum.stored +=
            full.stored * (int64_t)part->full + tail.stored * (int64_t)part->tails;
    }
    return sum;
}

static struct rc_fft *created(const struct rc_fft_options *options)
{
    struct rc_fft *fft = NULL;
    struct rc_error err = {.text = ""};
    if (rc_fft_create(MPI_COMM_SELF, options, &fft, &err) != RC_OK)
        fail_msg("%s", err.text);
    return fft;
}

/* At most so many more: loops that are compiled load and store their own variables. */
static void is_near(const char *phase, const char *what, int64_t found,
                    int64_t expected, size_t more)
{
    printf("  %s: %s %lld, expected %lld (%+lld)\n", phase, what, (long long)found,
           (long long)expected, (long long)(found - expected));
    if (found < expected || found - expected > (int64_t)more)
        fail_msg("%s: %s %lld, expected %lld", phase, what, (long long)found,
                 (long long)expected);
}

static void check_work(const struct rc_fft_path *path, size_t n, bool real)
{
    struct rc_fft_options o = {.n = {n, n, n}, .path = path, .real = real};
    static struct counted c;
    o.resort = RC_FFT_RESORT_COMBINED;
    c = (struct counted){.bench = NULL};
    struct rc_fft *fft = created(&o);
    void *at = rc_fft_memory(n * n * (n + 8) * 64);
    c.bench = bench_open(NULL);
    memset(at, 0, n * n * (n + 8) * 64);
    rc_fft_fill(fft);
    fft->phases.hook = count_phase;
    fft->phases.context = &c;
    printf("%s, N=%zu %s\n", path->name, n, real ? "r2c" : "c2c");
    rc_fft_forward(fft);
    for (size_t p = 0; p < fft->phases.count; p++) {
        const struct rc_fft_phase *phase = &fft->phases.phase[p];
        const struct rc_fft_work *w = &phase->work;
        /* Only what is transformed back is scaled. */
        assert_int_equal(c.entered[p], strcmp(phase->name, "steps/scale") != 0);
        if (!c.entered[p])
            continue;
        if (w->part[0].axis) {
            size_t more = 2000 + 600 * rc_fft_work_calls(w);
            if (strcmp(phase->name, "slab/columns") == 0)
                more += w->load_bytes; /* gathered and scattered, piece by piece */
            struct call sum = calls_of(c.bench, phase, at);
            assert_true(sum.operations > 0);
            is_near(phase->name, "operations", c.operations[p], sum.operations, 0);
            is_near(phase->name, "bytes loaded", c.loaded[p], sum.loaded, more);
            is_near(phase->name, "bytes stored", c.stored[p], sum.stored, more);
        } else if (w->exact) {
            assert_int_equal(c.operations[p], 0);
            is_near(phase->name, "bytes loaded", c.loaded[p], (int64_t)w->load_bytes,
                    2000 + 64 * n * n);
            is_near(phase->name, "bytes stored", c.stored[p], (int64_t)w->store_bytes,
                    2000 + 64 * n * n);
        }
    }
    bench_close(c.bench);
    free(at);
    rc_fft_close(fft);
}

static void operations_of_phases_are_those_of_their_plans(void **state)
{
    bool all = getenv("RC_FFT3D_LONG");
    (void)state;
    check_work(&rc_fft_node, all ? 16 : 8, false);
    check_work(&rc_fft_steps, all ? 16 : 8, false);
    if (!all)
        return;
    check_work(&rc_fft_node, 15, false);
    check_work(&rc_fft_node, 30, false);
    check_work(&rc_fft_node, 16, true);
    check_work(&rc_fft_slab, 16, false);
    check_work(&rc_fft_pencil, 16, false);
}

/* Lines of memory of each pass of the node path, of those that the array has: caches
 * hold a plane, and not the array.
 */
static void check_traffic(bool plain, double most_read, double most_written,
                          double least_read)
{
    const size_t n = 32;
    struct rc_fft_options o = {.n = {n, n, n}, .path = &rc_fft_node, .plain = plain};
    static struct counted c;
    struct rc_fft *fft = created(&o);
    c.bench = bench_open("l1d=16K/8,l2=64K/8,l3=none");
    rc_fft_fill(fft);
    rc_fft_forward(fft); /* plans know their tables */
    rc_fft_fill(fft);
    fft->phases.hook = count_phase;
    fft->phases.context = &c;
    rc_fft_forward(fft);
    for (size_t p = 0; p < fft->phases.count; p++) {
        const struct rc_fft_phase *phase = &fft->phases.phase[p];
        double lines = (double)phase->work.lines_read;
        if (lines == 0)
            continue;
        double read = (double)c.reads[p] / lines, written = (double)c.writes[p] / lines;
        printf("  %s pitch, %s: %.3f R, %.3f W\n", plain ? "plain" : "odd", phase->name,
               read, written);
        assert_true(read <= most_read);
        assert_true(written <= most_written);
        if (strcmp(phase->name, "node/columns") == 0)
            assert_true(read >= least_read);
    }
    bench_close(c.bench);
    rc_fft_close(fft);
}

static void each_pass_reads_and_writes_memory_once(void **state)
{
    (void)state;
    if (!getenv("RC_FFT3D_LONG"))
        skip();
    check_traffic(false, 1.05, 1.005, 1);
    /* Without padding columns fall into the same sets, again and again. */
    check_traffic(true, 9, 9, 1.5);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_of_phases_are_those_of_their_plans),
        cmocka_unit_test(each_pass_reads_and_writes_memory_once),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
