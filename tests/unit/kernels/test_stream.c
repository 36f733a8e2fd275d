/* The suite stream: its points, what it says of their work, and results that are wrong. */
#include "tests/lib/test.h"

#include "kernels/axes.h"
#include "kernels/buffer.h"
#include "kernels/stream/stream.h"
#include "tests/lib/request.h"
#include "tests/unit/kernels/step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXIS_KERNEL, AXIS_BYTES, AXIS_WORKERS, AXIS_STORE, AXIS_LEVEL, AXIS_CACHE };
enum { GUARD = 64, ROOM = 3 * 40 * RC_STREAM_BLOCK + 4 * GUARD };

#define ONE UINT64_C(0x3ff0000000000000)

static const uint32_t widths[] = {128, 256, 512};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

static struct rc_suite_request of_width(uint32_t bits)
{
    struct rc_suite_request request = rc_request_default;

    request.geometry.vector_bits = bits;
    return request;
}

static double element(size_t i, unsigned array)
{
    return (double)((i * 37 + array * 11) % 29 + 1);
}

/* Element i of a after a pass. */
static double result_of(unsigned kernel, double s, size_t i)
{
    const double a = element(i, 0), b = element(i, 1), c = element(i, 2);
    const double results[] = {b, s * b, b + c, b + s * c, a, s, s * a};

    return results[kernel];
}

/* Guards before, between and after the arrays keep their value. */
static void check_loop(rc_stream_loop *loop, unsigned kernel, size_t elements,
                       size_t shift, double *room)
{
    struct rc_stream_work work = {.elements = elements, .scale_bits = ONE};
    const size_t step = elements + GUARD;
    double sum = 0;

    for (size_t i = 0; i < ROOM; i++)
        room[i] = -7;
    for (unsigned array = 0; array < 3; array++)
        for (size_t i = 0; i < elements; i++)
            room[GUARD + shift + array * step + i] = element(i, array);
    for (size_t i = 0; i < elements; i++)
        sum += element(i, 0);
    work.a = room + GUARD + shift;
    work.b = work.a + step;
    work.c = work.b + step;
    assert_int_equal(loop(&work, 0), 0);
    for (size_t i = 0; i < elements; i++)
        assert_true(work.a[i] == element(i, 0));
    assert_int_equal(loop(&work, 1), 1);
    if (kernel == RC_STREAM_READ)
        assert_true(work.sum == sum);
    for (size_t i = 0; i < elements; i++)
        assert_true(work.a[i] == result_of(kernel, 1, i));
    assert_int_equal(loop(&work, 5), 5); /* the sixth pass is the last one */
    for (size_t i = 0; i < elements && kernel != RC_STREAM_UPDATE; i++)
        assert_true(work.a[i] == result_of(kernel, 1 + 5 * 0x1p-40, i));
    if (kernel == RC_STREAM_READ)
        assert_true(work.sum == 5 * sum);
    for (size_t i = 0; i < ROOM; i++) {
        const size_t at = i - GUARD - shift;
        if (i < GUARD + shift || at >= 3 * step || at % step >= elements)
            assert_true(room[i] == -7);
        else if (at >= step)
            assert_true(room[i] == element(at % step, (unsigned)(at / step)));
    }
}

static void loops_do_all_elements_and_no_others(void **state)
{
    double *room = aligned_alloc(4096, (ROOM * sizeof *room + 4095) / 4096 * 4096);

    (void)state;
    assert_non_null(room);
    for (size_t w = 0; w < WIDTHS; w++) {
        const struct rc_suite_request request = of_width(widths[w]);
        const struct rc_stream_loops *loops = rc_stream_loops_for(&request);
        for (unsigned k = 0; k < RC_STREAM_KERNELS; k++)
            for (unsigned s = 0; s < RC_STREAM_STORES; s++)
                for (size_t blocks = 1; blocks <= 40 && loops->loop[k][s]; blocks++)
                    check_loop(loops->loop[k][s], k, blocks * RC_STREAM_BLOCK,
                               8 * (blocks % 8), room);
    }
    free(room);
}

static void loops_are_of_the_widest_vectors_of_the_machine(void **state)
{
    const struct rc_suite_request none = {.workers = 0};

    (void)state;
    assert_int_equal(rc_stream_loops_for(&none)->vector_bits, 128);
    for (size_t w = 0; w < WIDTHS; w++) {
        struct rc_suite_request request = of_width(widths[w]);
        const struct rc_stream_loops *loops = rc_stream_loops_for(&request);
        assert_true(loops->vector_bits <= widths[w]);
        assert_non_null(strstr(loops->made_by, "-O3"));
        assert_string_equal(loops->made_by, rc_suite_stream.made_by(&request));
        request.geometry.fma = false;
        if (widths[w] == 256)
            assert_int_equal(rc_stream_loops_for(&request)->vector_bits, 128);
    }
}

static struct rc_point a_point(unsigned kernel, int64_t bytes, unsigned store)
{
    return (struct rc_point){.name = "p", .axis = {kernel, bytes, 1, store}};
}

static void useful_work_is_that_of_the_definitions(void **state)
{
    /* by element: bytes by the three conventions with plain and with streaming stores,
     * and operations */
    static const double each[RC_STREAM_KERNELS][2][4] = {
        [RC_STREAM_COPY] = {{16, 24, 8, 0}, {16, 16, 8, 0}},
        [RC_STREAM_SCALE] = {{16, 24, 16, 1}, {16, 16, 16, 1}},
        [RC_STREAM_SUM] = {{24, 32, 24, 1}, {24, 24, 24, 1}},
        [RC_STREAM_TRIAD] = {{24, 32, 24, 2}, {24, 24, 24, 2}},
        [RC_STREAM_READ] = {{8, 8, 8, 1}, {8, 8, 8, 1}},
        [RC_STREAM_WRITE] = {{8, 16, 8, 0}, {8, 8, 8, 0}},
        [RC_STREAM_UPDATE] = {{16, 16, 16, 1}, {16, 16, 16, 1}},
    };
    static const unsigned arrays[] = {2, 2, 3, 3, 1, 1, 1};
    static const enum rc_ideal useful[] = {RC_IDEAL_B_STREAM, RC_IDEAL_B_ALLOC,
                                           RC_IDEAL_B_ONCE, RC_IDEAL_OPS_USEFUL};

    (void)state;
    for (unsigned k = 0; k < RC_STREAM_KERNELS; k++)
        for (unsigned s = 0; s < RC_STREAM_STORES; s++) {
            /* half a block on top, which is left over */
            const int64_t bytes = 5 * 512 * arrays[k] + 256;
            const struct rc_point point = a_point(k, bytes, s);
            for (unsigned i = 0; i < RC_IDEAL_COUNT; i++) {
                const struct rc_range range =
                    rc_suite_stream.expect(&rc_request_default, &point, i);
                if (!rc_ideal_useful((enum rc_ideal)i))
                    assert_false(rc_range_says(range));
            }
            for (unsigned u = 0; u < 4; u++)
                assert_true(rc_expect(&rc_suite_stream, &rc_request_default, &point,
                                      useful[u]) ==
                            5 * RC_STREAM_BLOCK * each[k][s][u]);
        }
}

static struct rc_kernel *ready(unsigned kernel, int64_t bytes, unsigned store)
{
    const struct rc_point point = a_point(kernel, bytes, store);
    struct rc_error err = {0};
    struct rc_kernel *out;

    assert_int_equal(rc_suite_stream.setup(&rc_request_default, &point, &out, &err),
                     RC_OK);
    return out;
}

static int verify(const struct rc_kernel *kernel, uint64_t passes)
{
    struct rc_error err = {0};

    return rc_suite_stream.verify(kernel, passes, &err);
}

static bool exists(unsigned kernel, unsigned store)
{
    return rc_stream_loops_for(&rc_request_default)->loop[kernel][store];
}

static void runs_that_stopped_early_or_ran_twice_are_found(void **state)
{
    (void)state;
    for (unsigned k = 0; k < RC_STREAM_KERNELS; k++)
        for (unsigned s = 0; s < RC_STREAM_STORES && exists(k, s); s++) {
            struct rc_kernel *kernel = ready(k, 16384, s);
            assert_int_equal(verify(kernel, 1), RC_ECONFLICT); /* there was no run */
            assert_int_equal(verify(kernel, 0), RC_ECONFLICT);
            rc_suite_stream.run(kernel, 0);
            assert_int_equal(verify(kernel, 0), RC_ECONFLICT);
            rc_suite_stream.run(kernel, 7);
            assert_int_equal(verify(kernel, 7), RC_OK);
            assert_int_equal(verify(kernel, 6), RC_ECONFLICT);
            assert_int_equal(verify(kernel, 8), RC_ECONFLICT);
            assert_int_equal(verify(kernel, 14), RC_ECONFLICT);
            rc_suite_stream.run(kernel, 3); /* without a prepare() between */
            assert_int_equal(verify(kernel, 3), RC_OK);
            rc_suite_stream.prepare(kernel);
            assert_int_equal(verify(kernel, 3), RC_ECONFLICT);
            rc_suite_stream.run(kernel, 2);
            assert_int_equal(verify(kernel, 2), RC_OK);
            rc_suite_stream.teardown(kernel);
        }
}

/* A pass more or less than was said shows in the values, too. */
static void values_tell_the_passes(void **state)
{
    static const unsigned tell[] = {RC_STREAM_SCALE, RC_STREAM_TRIAD, RC_STREAM_READ,
                                    RC_STREAM_WRITE, RC_STREAM_UPDATE};

    (void)state;
    for (size_t i = 0; i < sizeof tell / sizeof tell[0]; i++)
        for (uint64_t other = 999; other <= 1001; other++) {
            struct rc_kernel *kernel = ready(tell[i], 4096, RC_STREAM_PLAIN);
            struct rc_stream_work saved = *rc_stream_work_of(kernel);
            rc_suite_stream.run(kernel, 1000);
            *rc_stream_work_of(kernel) = saved;
            rc_stream_loops_for(&rc_request_default)
                ->loop[tell[i]][RC_STREAM_PLAIN](rc_stream_work_of(kernel), other);
            const int expected = tell[i] == RC_STREAM_UPDATE ? RC_ECONFLICT
                                 : other == 1000             ? RC_OK
                                                             : RC_ECONFLICT;
            assert_int_equal(verify(kernel, 1000), expected);
            rc_suite_stream.teardown(kernel);
        }
}

static void a_wrong_element_is_found_wherever_it_is(void **state)
{
    (void)state;
    for (unsigned k = 0; k < RC_STREAM_KERNELS; k++)
        for (unsigned s = 0; s < RC_STREAM_STORES && exists(k, s); s++) {
            struct rc_kernel *kernel = ready(k, 12288, s);
            const struct rc_stream_work *work = rc_stream_work_of(kernel);
            rc_suite_stream.run(kernel, 4);
            for (size_t i = 0; i < work->elements; i++) {
                const double was = work->a[i];
                work->a[i] = was + 0x1p-40;
                assert_int_equal(verify(kernel, 4), RC_ECONFLICT);
                work->a[i] = was;
            }
            assert_int_equal(verify(kernel, 4), RC_OK);
            if (k == RC_STREAM_READ) {
                rc_stream_work_of(kernel)->sum += 1;
                assert_int_equal(verify(kernel, 4), RC_ECONFLICT);
            }
            rc_suite_stream.teardown(kernel);
        }
}

static void more_memory_than_there_is_is_refused_with_the_amounts(void **state)
{
    const struct rc_point point = a_point(RC_STREAM_TRIAD, INT64_C(1) << 46, 0);
    struct rc_error err = {0};
    struct rc_kernel *kernel;

    (void)state;
    assert_int_equal(rc_suite_stream.setup(&rc_request_default, &point, &kernel, &err),
                     RC_ENOMEM);
    assert_null(kernel);
    assert_non_null(strstr(err.text, "point 'p': no memory for a buffer of "));
    assert_non_null(strstr(err.text, " is free"));
}

/* Sizes of 'copy' with plain stores and one worker. */
static size_t sizes_of(const struct rc_geometry *geometry, int64_t *sizes, size_t room)
{
    struct rc_points points = {0};
    struct rc_error err = {0};
    size_t count = 0;

    assert_int_equal(rc_suite_stream.points(REQUEST(geometry), &points, &err), RC_OK);
    for (size_t i = 0; i < points.count; i++) {
        const int64_t *axis = points.point[i].axis;
        assert_true(axis[AXIS_BYTES] >= 3 * 8 * RC_STREAM_BLOCK);
        assert_int_equal(points.point[i].workers, axis[AXIS_WORKERS]);
        if (axis[AXIS_KERNEL] == 0 && axis[AXIS_STORE] == 0 && count < room)
            sizes[count++] = axis[AXIS_BYTES];
    }
    rc_points_fini(&points);
    return count;
}

static size_t between(const int64_t *sizes, size_t count, uint64_t low, uint64_t high)
{
    size_t inside = 0;

    for (size_t i = 0; i < count; i++)
        inside += (uint64_t)sizes[i] > low && (uint64_t)sizes[i] < high;
    return inside;
}

static void sizes_go_from_l1_to_memory_with_two_in_each_level(void **state)
{
    static const uint64_t K = 1024;
    const struct rc_geometry machines[] = {
        rc_request_default.geometry,
        {.l1d = {48 * K, 12}, .l2 = {2048 * K, 16}, .l3 = {30 * 1024 * K, 20}},
        {.l1d = {32 * K, 8}, .l2 = {256 * K, 8}}, /* no L3 */
        {.l1d = {64 * K, 4}},                     /* nothing but L1 */
        {.l1d = {8 * K, 4}, .l2 = {24 * K, 8}, .l3 = {72 * K, 16}},
    };

    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        const struct rc_geometry *g = &machines[m];
        const uint64_t levels[] = {0, g->l1d.bytes, g->l2.bytes, g->l3.bytes};
        int64_t sizes[100];
        const size_t count = sizes_of(g, sizes, 100);
        uint64_t last = 0;
        for (size_t i = 1; i < count; i++)
            assert_true(sizes[i] > sizes[i - 1]);
        for (size_t i = 1; i < 4; i++) {
            if (levels[i])
                assert_true(between(sizes, count, levels[i - 1], levels[i]) >= 2);
            if (levels[i])
                last = levels[i];
        }
        assert_true((uint64_t)sizes[0] * 4 == levels[1]);
        assert_true((uint64_t)sizes[count - 1] == 4 * last);
    }
}

/* Nothing is known of the machine, its caches are too small to believe, or larger than
 * all memory.
 */
static void odd_machines_have_points_that_fit(void **state)
{
    const struct rc_geometry machines[] = {
        {.line_bytes = 64},
        {.l1d = {512, 2}, .l2 = {1024, 2}, .l3 = {1024, 1}},
        {.l1d = {UINT64_MAX, 1}, .l2 = {UINT64_MAX / 2, 1}},
    };

    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        int64_t sizes[100];
        const size_t count = sizes_of(&machines[m], sizes, 100);
        for (size_t i = 0; i < count; i++)
            assert_true((uint64_t)sizes[i] <= rc_buffer_most_bytes() / 2);
        if (m < 2)
            assert_true(count > 1);
    }
}

static void all_workers_get_a_share_of_memory(void **state)
{
    struct rc_suite_request request = {.geometry.l1d = {32768, 8}, .workers = 5};
    struct rc_points points = {0};
    struct rc_error err = {0};
    size_t of_five = 0;

    (void)state;
    request.geometry.l2.bytes = rc_buffer_most_bytes() / 8;
    assert_int_equal(rc_suite_stream.points(&request, &points, &err), RC_OK);
    for (size_t i = 0; i < points.count; i++) {
        const uint64_t workers = points.point[i].workers;
        assert_true(workers == 1 || workers == 5);
        of_five += workers == 5;
        assert_true((uint64_t)points.point[i].axis[AXIS_BYTES] * workers <=
                    rc_buffer_most_bytes() / 2);
    }
    assert_in_range(of_five, 1, points.count / 2 - 1);
    rc_points_fini(&points);
}

static int points_of(const char *const *items, size_t count, uint32_t workers,
                     struct rc_points *points, struct rc_error *err)
{
    const struct rc_axes axes = {items, count};
    const struct rc_suite_request request = {
        .geometry = rc_request_default.geometry, .axes = &axes, .workers = workers};

    *points = (struct rc_points){0};
    *err = (struct rc_error){0};
    return rc_suite_stream.points(&request, points, err);
}

static void values_that_cannot_be_are_refused_with_what_there_is(void **state)
{
    static const struct {
        const char *item[2];
        const char *why;
    } bad[] = {
        {{"bytes=16K,512T", "workers=1"},
         "suite 'stream': axis 'bytes': 512 TiB for each of 1 workers, expected at "
         "most "},
        {{"bytes=1535", "workers=1"}, "axis 'bytes': expected "},
        {{"bytes=0", "workers=1"}, "axis 'bytes': expected "},
        {{"workers=0", "bytes=16K"}, "axis 'workers': expected "},
        {{"kernel=read,update", "store=streaming"},
         "suite 'stream': axis 'store': 'read' and 'update' have no streaming stores, "
         "expected plain ones or another kernel"},
        {{"kernel=triat", "store=plain"}, "axis 'kernel': expected "},
        {{"store=both", "bytes=16K"}, "axis 'store': expected "},
    };
    struct rc_points points;
    struct rc_error err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(points_of(bad[i].item, 2, 2, &points, &err), RC_EUSAGE);
        if (!strstr(err.text, bad[i].why))
            fail_msg("%s; expected %s", err.text, bad[i].why);
        rc_points_fini(&points);
    }
    /* Each of two workers may have a half of the memory. */
    char half[64];
    snprintf(half, sizeof half, "bytes=%llu",
             (unsigned long long)rc_buffer_most_bytes() + 4096);
    const char *const items[] = {half, "workers=1", "workers=2"};
    assert_int_equal(points_of(items, 2, 2, &points, &err), RC_OK);
    rc_points_fini(&points);
    assert_int_equal(
        points_of((const char *const[]){half, "workers=2"}, 2, 2, &points, &err),
        RC_EUSAGE);
    rc_points_fini(&points);
}

static void chosen_axes_make_the_points(void **state)
{
    static const char *const names[] = {
        "triad-16K-w1-plain",     "triad-64K-w1-plain",  "triad-16K-w1-streaming",
        "triad-64K-w1-streaming", "update-16K-w1-plain", "update-64K-w1-plain"};
    static const char *const items[] = {"bytes=16K,64K", "kernel=triad,update",
                                        "workers=1"};
    struct rc_points points;
    struct rc_error err;

    (void)state;
    assert_int_equal(points_of(items, 3, 2, &points, &err), RC_OK);
    assert_int_equal(points.count, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < points.count; i++)
        assert_string_equal(points.point[i].name, names[i]);
    rc_points_fini(&points);
}

/* The last cache is shared by as many workers as have cores on it. */
static void points_say_the_level_that_holds_their_arrays(void **state)
{
    static const struct {
        int64_t bytes, workers, level, cache;
    } expected[] = {{32 << 10, 1, 1, 32 << 10}, {33 << 10, 1, 2, 1 << 20},
                    {1 << 20, 8, 2, 1 << 20},   {8 << 20, 1, 3, 8 << 20},
                    {4 << 20, 2, 3, 4 << 20},   {5 << 20, 2, 4, 0},
                    {2 << 20, 8, 3, 2 << 20},   {3 << 20, 8, 4, 0}};
    struct rc_points points;
    struct rc_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        char items[3][64] = {"kernel=triad", "", ""};
        snprintf(items[1], sizeof items[1], "bytes=%lld", (long long)expected[i].bytes);
        snprintf(items[2], sizeof items[2], "workers=%lld",
                 (long long)expected[i].workers);
        const char *const item[] = {items[0], items[1], items[2]};
        const struct rc_axes axes = {item, 3};
        struct rc_suite_request request = rc_request_default;
        request.geometry.l3_cores = 4;
        request.axes = &axes;
        points = (struct rc_points){0};
        assert_int_equal(rc_suite_stream.points(&request, &points, &err), RC_OK);
        for (size_t p = 0; p < points.count; p++) {
            assert_int_equal(points.point[p].axis[AXIS_LEVEL], expected[i].level);
            assert_int_equal(points.point[p].axis[AXIS_CACHE], expected[i].cache);
        }
        rc_points_fini(&points);
    }
}

/* So that a budget holds; where ptrace is not permitted, nothing is checked. */
static void instructions_of_a_pass_are_within_the_budget(void **state)
{
    (void)state;
    for (size_t w = 0; w < WIDTHS; w++)
        for (unsigned k = 0; k < RC_STREAM_KERNELS; k++) {
            const struct rc_suite_request request = of_width(widths[w]);
            const struct rc_point point = a_point(k, 6144, RC_STREAM_PLAIN);
            struct rc_error err = {0};
            struct rc_kernel *kernel;
            assert_int_equal(rc_suite_stream.setup(&request, &point, &kernel, &err),
                             RC_OK);
            const long steps = rc_step_iteration(&rc_suite_stream, kernel);
            const uint64_t n = rc_suite_stream.iterations(&request, &point, 100000);
            assert_true(n > 1);
            if (steps > 0)
                assert_true(n * (uint64_t)steps <= 100000);
            rc_suite_stream.teardown(kernel);
        }
}

static void points_that_take_too_long_to_step_are_left_out(void **state)
{
    const struct rc_point small = a_point(RC_STREAM_COPY, 16384, 0),
                          large = a_point(RC_STREAM_COPY, INT64_C(1) << 30, 0);
    const struct rc_suite_request *request = &rc_request_default;

    (void)state;
    assert_true(rc_point_fits(&rc_suite_stream, request, &large, 0));
    assert_false(rc_point_fits(&rc_suite_stream, request, &large, 1000000));
    assert_true(rc_point_fits(&rc_suite_stream, request, &small, 1000));
    assert_false(rc_point_fits(&rc_suite_stream, request, &small, 200));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_do_all_elements_and_no_others),
        cmocka_unit_test(loops_are_of_the_widest_vectors_of_the_machine),
        cmocka_unit_test(useful_work_is_that_of_the_definitions),
        cmocka_unit_test(runs_that_stopped_early_or_ran_twice_are_found),
        cmocka_unit_test(values_tell_the_passes),
        cmocka_unit_test(a_wrong_element_is_found_wherever_it_is),
        cmocka_unit_test(more_memory_than_there_is_is_refused_with_the_amounts),
        cmocka_unit_test(sizes_go_from_l1_to_memory_with_two_in_each_level),
        cmocka_unit_test(odd_machines_have_points_that_fit),
        cmocka_unit_test(all_workers_get_a_share_of_memory),
        cmocka_unit_test(points_say_the_level_that_holds_their_arrays),
        cmocka_unit_test(values_that_cannot_be_are_refused_with_what_there_is),
        cmocka_unit_test(chosen_axes_make_the_points),
        cmocka_unit_test(instructions_of_a_pass_are_within_the_budget),
        cmocka_unit_test(points_that_take_too_long_to_step_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
