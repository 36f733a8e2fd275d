/* Loads, stores, bytes and operations that the compiler put into the loops of 'stream', by
 * stepping them: those of the arrays, and no others.
 */
#include "tests/lib/test.h"

#include "kernels/stream/stream.h"
#include "tests/unit/kernels/soft_bench.h"

static const char *const events[] = {
    "soft::bytes_loaded", "soft::bytes_stored",     "soft::loads",
    "soft::stores",       "soft::streaming_stores", "soft::fp_dp_operations",
};
enum { EVENTS = sizeof events / sizeof events[0] };

/* Counts of one more pass. */
static void count_pass(struct bench *bench, struct rc_kernel *kernel, int64_t *count)
{
    for (uint64_t passes = 1; passes <= 2; passes++) {
        rc_suite_stream.prepare(kernel);
        bench_run(bench, &rc_suite_stream, kernel, 0, passes);
        for (size_t e = 0; e < EVENTS; e++) {
            const int64_t now = bench_read(bench, events[e]);
            count[e] = passes == 1 ? now : now - count[e];
        }
    }
}

static void compiled_loops_do_what_is_declared_of_them(void **state)
{
    static const int64_t loads[] = {1, 1, 2, 2, 1, 0, 1};
    static const uint32_t widths[] = {128, 256, 512};
    struct bench *bench = bench_open(NULL);

    (void)state;
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        struct rc_suite_request request = rc_request_default;
        request.geometry.vector_bits = widths[w];
        const struct rc_stream_loops *loops = rc_stream_loops_for(&request);
        const int64_t vector = loops->vector_bits / 8;
        for (unsigned k = 0; k < RC_STREAM_KERNELS; k++)
            for (unsigned s = 0; s < RC_STREAM_STORES && loops->loop[k][s]; s++) {
                const struct rc_point point = {.name = "p", .axis = {k, 24576, 1, s}};
                const int64_t ops = (int64_t)rc_expect(&rc_suite_stream, &request,
                                                       &point, RC_IDEAL_OPS_USEFUL),
                              named = (int64_t)rc_expect(&rc_suite_stream, &request,
                                                         &point, RC_IDEAL_B_STREAM);
                struct rc_error err = {0};
                struct rc_kernel *kernel;
                int64_t found[EVENTS];
                assert_int_equal(rc_suite_stream.setup(&request, &point, &kernel, &err),
                                 RC_OK);
                const int64_t array =
                    (int64_t)(8 * rc_stream_work_of(kernel)->elements);
                count_pass(bench, kernel, found);
                const int64_t read = loads[k] * array, written = named - read;
                const int64_t expected[EVENTS] = {read,
                                                  written,
                                                  read / vector,
                                                  written / vector,
                                                  s ? written / vector : 0,
                                                  ops};
                for (size_t e = 0; e < EVENTS; e++)
                    if (found[e] != expected[e])
                        fail_msg("%lld-bit, kernel %u, store %u: %s is %lld, "
                                 "expected %lld",
                                 (long long)vector * 8, k, s, events[e],
                                 (long long)found[e], (long long)expected[e]);
                rc_suite_stream.teardown(kernel);
            }
    }
    bench_close(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_loops_do_what_is_declared_of_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
