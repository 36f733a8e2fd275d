#include "tests/lib/test.h"

#include "kernels/memory.h"
#include "tests/lib/request.h"
#include "tests/unit/kernels/lru.h"
#include "tests/unit/kernels/step.h"

#include <math.h>
#include <string.h>

enum { DOT, GEMV, CAPPED, GEMM, COPY, SCALE, ADD, TRIAD };
enum { READ = TRIAD + 1, WRITE, UPDATE, WRITE_NT, READ_LINE, WRITE_LINE, UPDATE_LINE };

static const struct rc_geometry tiny = {.l1d = {1 << 10, 4},
                                        .l2 = {4 << 10, 8},
                                        .l3 = {16 << 10, 16},
                                        .line_bytes = 64,
                                        .vector_bits = 128};

static const enum rc_ideal told[] = {RC_IDEAL_MEM_RD, RC_IDEAL_MEM_WR, RC_IDEAL_LOADS,
                                     RC_IDEAL_STORES, RC_IDEAL_L3WB,   RC_IDEAL_INS,
                                     RC_IDEAL_OPS_DP};
enum { TOLD = sizeof told / sizeof told[0] };

static const struct rc_suite *memory(void)
{
    const struct rc_suite *suite = rc_suite_find("memory");

    assert_non_null(suite);
    return suite;
}

static struct rc_point a_point(int operation, int64_t m, int64_t n, int repetitions)
{
    return (struct rc_point){.name = "p", .axis = {operation, m, n, repetitions}};
}

static struct rc_kernel *ready(const struct rc_point *point)
{
    struct rc_error err = {0};
    struct rc_kernel *kernel;

    assert_int_equal(memory()->setup(REQUEST(&tiny), point, &kernel, &err), RC_OK);
    return kernel;
}

/* Only stores past the caches need more than any processor has. */
static bool can_run(int operation)
{
    return operation != WRITE_NT || rc_loop_code[RC_LOOP_WRITE_NT].run;
}

static void each_point(const struct rc_geometry *geometry,
                       void (*check)(const struct rc_geometry *,
                                     const struct rc_point *, const struct rc_points *))
{
    struct rc_points points = {0};
    struct rc_error err = {0};

    assert_int_equal(memory()->points(REQUEST(geometry), &points, &err), RC_OK);
    assert_true(points.count >= 12);
    for (size_t i = 0; i < points.count; i++)
        check(geometry, &points.point[i], &points);
    rc_points_fini(&points);
}

static void too_much_memory_is_refused_with_the_amounts(void **state)
{
    static const struct {
        int operation;
        int64_t m, n;
    } bad[] = {
        {DOT, 1, INT64_C(1) << 45},
        {GEMV, 1 << 23, 1 << 23},
        {COPY, 1, INT64_C(1) << 50},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_point point = a_point(bad[i].operation, bad[i].m, bad[i].n, 1);
        struct rc_kernel *kernel = (struct rc_kernel *)&point;
        struct rc_error err = {0};
        assert_int_equal(memory()->setup(REQUEST(&tiny), &point, &kernel, &err),
                         RC_ENOMEM);
        assert_null(kernel);
        assert_non_null(strstr(err.text, "point 'p': no memory for a buffer of "));
    }
}

static void the_batched_form_leaves_room_for_all_cores(void **state)
{
    const struct rc_suite *batched = rc_suite_find("memory-batched");
    struct rc_point point = a_point(DOT, 1, INT64_C(1) << 45, 1);
    struct rc_kernel *kernel = (struct rc_kernel *)&point;
    struct rc_error err = {0};

    (void)state;
    assert_non_null(batched);
    assert_int_equal(batched->setup(REQUEST(&tiny), &point, &kernel, &err), RC_ENOMEM);
    assert_null(kernel);
    assert_non_null(strstr(err.text, "point 'p': needs "));
    assert_non_null(strstr(err.text, ", a share of half the memory"));
    point = a_point(GEMV, 8, 8, 2);
    assert_int_equal(batched->setup(REQUEST(&tiny), &point, &kernel, &err), RC_OK);
    batched->run(kernel, 2);
    assert_int_equal(batched->verify(kernel, 2, &err), RC_OK);
    batched->teardown(kernel);
}

static void a_cache_beyond_memory_is_refused(void **state)
{
    struct rc_geometry huge = tiny;
    struct rc_point point = a_point(DOT, 1, 8, 1);
    struct rc_kernel *kernel;
    struct rc_error err = {0};

    (void)state;
    huge.l3.bytes = UINT64_MAX;
    assert_int_equal(memory()->setup(REQUEST(&huge), &point, &kernel, &err), RC_ENOMEM);
    assert_null(kernel);
}

static void verify_refuses_what_was_not_done(void **state)
{
    static const struct {
        int operation;
        int64_t m, n;
    } cases[] = {
        {DOT, 1, 16},      {GEMV, 8, 8},        {CAPPED, 24, 8},      {GEMM, 8, 8},
        {COPY, 1, 16},     {SCALE, 1, 8},       {ADD, 1, 16},         {TRIAD, 1, 8},
        {READ, 1, 16},     {WRITE, 1, 16},      {UPDATE, 1, 8},       {WRITE_NT, 1, 16},
        {READ_LINE, 1, 8}, {WRITE_LINE, 1, 16}, {UPDATE_LINE, 1, 16},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rc_point point =
            a_point(cases[i].operation, cases[i].m, cases[i].n, 4); /* 4 copies */
        if (!can_run(cases[i].operation))
            continue;
        struct rc_kernel *kernel = ready(&point);
        struct rc_error err = {0};
        assert_int_equal(memory()->verify(kernel, 0, &err), RC_ECONFLICT);
        assert_string_equal(err.text, "point 'p': there was no run");
        for (uint64_t run = 1; run < 11; run++) { /* without prepare() between */
            memory()->run(kernel, run);
            assert_int_equal(memory()->verify(kernel, run, &err), RC_OK);
            assert_int_equal(memory()->verify(kernel, run + 1, &err), RC_ECONFLICT);
            assert_int_equal(memory()->verify(kernel, run - 1, &err), RC_ECONFLICT);
        }
        memory()->prepare(kernel);
        assert_int_equal(memory()->verify(kernel, 10, &err), RC_ECONFLICT);
        memory()->teardown(kernel);
    }
}

static void streams_compute_what_their_names_say(void **state)
{
    (void)state;
    for (int op = COPY; op <= TRIAD; op++) {
        struct rc_point point = a_point(op, 1, 24, 1);
        struct rc_kernel *kernel = ready(&point);
        struct rc_loop_operands at = rc_loop_operands(kernel, 0);
        const double *a = at.a, *b = at.b, *c = at.c;
        memory()->run(kernel, 1);
        for (int i = 0; i < 24; i++) {
            double want = op == COPY    ? a[i]
                          : op == SCALE ? 2 * a[i]
                          : op == ADD   ? a[i] + b[i]
                                        : a[i] + 2 * b[i];
            assert_true(c[i] == want);
        }
        memory()->teardown(kernel);
    }
}

static void sweeps_touch_the_words_that_their_names_say(void **state)
{
    (void)state;
    for (int op = READ; op <= UPDATE_LINE; op++) {
        const struct rc_point point = a_point(op, 1, 24, 1);
        const bool updates = op == UPDATE || op == UPDATE_LINE;
        const bool reads = op == READ || op == READ_LINE;
        if (!can_run(op))
            continue;
        struct rc_kernel *kernel = ready(&point);
        const struct rc_loop_operands at = rc_loop_operands(kernel, 0);
        uint64_t *a = at.a, *c = at.c;
        memory()->run(kernel, 3);
        for (uint64_t i = 0; i < 24; i++) {
            const bool touched = !reads && (op < READ_LINE || i % 8 == 7);
            assert_int_equal(a[i], !touched ? i + 1 : updates ? i + 4 : 3);
        }
        assert_int_equal(c[0], 3);
        assert_int_equal(c[1], reads ? 24 : 0);
        a[23]++;
        assert_int_equal(memory()->verify(kernel, 3, NULL), RC_ECONFLICT);
        a[23]--;
        a[0]++;
        assert_int_equal(memory()->verify(kernel, 3, NULL), RC_ECONFLICT);
        a[0]--;
        assert_int_equal(memory()->verify(kernel, 3, NULL), RC_OK);
        c[1]++; /* a sweep that ended early */
        assert_int_equal(memory()->verify(kernel, 3, NULL), RC_ECONFLICT);
        memory()->teardown(kernel);
    }
}

static void rows_of_a_capped_gemv_come_round_again(void **state)
{
    struct rc_point point = a_point(CAPPED, 21, 7, 1);
    struct rc_kernel *kernel = ready(&point);
    struct rc_loop_operands at = rc_loop_operands(kernel, 0);
    const double *a = at.a, *x = at.b, *y = at.c;

    (void)state;
    memory()->run(kernel, 1);
    for (int i = 0; i < 21; i++) {
        double sum = 0;
        for (int k = 0; k < 7; k++)
            sum += a[i % 7 * 7 + k] * x[k];
        assert_true(y[i] == sum);
    }
    memory()->teardown(kernel);
}

static void verify_sees_one_wrong_element_of_any_copy(void **state)
{
    (void)state;
    for (int op = DOT; op <= TRIAD; op++) {
        struct rc_point point = a_point(op, op == GEMV || op == GEMM ? 8 : 1, 8, 3);
        struct rc_kernel *kernel = ready(&point);
        memory()->run(kernel, 3);
        for (uint64_t copy = 0; copy < 3; copy++) {
            double *c = rc_loop_operands(kernel, copy).c;
            c[0] += 1;
            assert_int_equal(memory()->verify(kernel, 3, NULL), RC_ECONFLICT);
            c[0] -= 1;
        }
        assert_int_equal(memory()->verify(kernel, 3, NULL), RC_OK);
        memory()->teardown(kernel);
    }
}

static void repetitions_adapt_to_the_size(void **state)
{
    static const struct {
        uint64_t n, repetitions;
    } cases[] = {{1, 513},   {8, 512},   {100, 489},  {1000, 268},
                 {2047, 10}, {2048, 10}, {100000, 10}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(rc_memory_repetitions(cases[i].n), cases[i].repetitions);
}

static void traffic_follows_the_published_formulas(void **state)
{
    struct rc_loop_shape dot = {RC_LOOP_NEST_DP, 1, 1, 4096, 1};
    struct rc_loop_shape gemv = {RC_LOOP_NEST_DP, 100, 1, 100, 100};
    struct rc_loop_shape capped = {RC_LOOP_NEST_DP, 5000, 1, 100, 100};
    struct rc_loop_shape gemm = {RC_LOOP_NEST_DP, 100, 100, 100, 100};
    struct rc_loop_shape copy = {RC_LOOP_COPY, 1, 1, 800, 1};
    struct rc_loop_shape triad = {RC_LOOP_TRIAD, 1, 1, 800, 1};
    const struct {
        const struct rc_loop_shape *shape;
        enum rc_written written;
        double reads, writes;
    } cases[] = {
        {&dot, RC_WRITTEN_PER_LINE, 2 * 8 * 4096 / 64., 0},
        {&gemv, RC_WRITTEN_PER_ELEMENT, 8 * (100 * 100 + 2 * 100) / 64.,
         64 * 100 / 64.},
        {&gemv, RC_WRITTEN_PER_LINE, 8 * (100 * 100 + 2 * 100) / 64., 8 * 100 / 64.},
        {&capped, RC_WRITTEN_PER_LINE, 8 * (5000 * 100 + 5000 + 100) / 64.,
         8 * 5000 / 64.},
        {&gemm, RC_WRITTEN_PER_LINE, 3 * 8 * 1e4 / 64, 8 * 1e4 / 64},
        {&gemm, RC_WRITTEN_PER_ELEMENT, 3 * 8 * 1e4 / 64, 64 * 1e4 / 64},
        {&copy, RC_WRITTEN_PER_LINE, 200, 100}, /* a line of C is read first */
        {&triad, RC_WRITTEN_PER_LINE, 300, 100},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rc_traffic found = rc_memory_traffic(cases[i].shape, cases[i].written);
        assert_true(found.reads == cases[i].reads);
        assert_true(found.writes == cases[i].writes);
    }
}

static void traffic_is_unknown_where_caches_decide(void **state)
{
    static const struct {
        int64_t m, n;
        int operation;
        bool known;
    } cases[] = {
        {1, 1 << 20, DOT, true}, {24, 24, GEMM, true},
        {32, 32, GEMM, false}, /* 24 N^2 is more than 16 KiB */
        {64, 64, GEMV, true},    {2048, 2048, GEMV, false}, /* x is evicted */
        {512, 64, CAPPED, true}, {512, 32, CAPPED, false},  /* A stays cached */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rc_point point = a_point(cases[i].operation, cases[i].m, cases[i].n, 0);
        assert_int_equal(
            !isnan(rc_expect(memory(), REQUEST(&tiny), &point, RC_IDEAL_MEM_RD)),
            cases[i].known);
        assert_int_equal(
            !isnan(rc_expect(memory(), REQUEST(&tiny), &point, RC_IDEAL_MEM_WR)),
            cases[i].known);
    }
}

static void exact_ideals_of_streams_are_counted_by_line(void **state)
{
    static const struct {
        int operation;
        double flops;
    } cases[] = {{COPY, 0}, {SCALE, 800}, {ADD, 800}, {TRIAD, 1600}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rc_point point = a_point(cases[i].operation, 1, 800, 0);
        assert_true(rc_expect(memory(), REQUEST(&tiny), &point, RC_IDEAL_OPS_DP) ==
                    cases[i].flops);
        assert_true(rc_expect(memory(), REQUEST(&tiny), &point, RC_IDEAL_D_128) ==
                    cases[i].flops / 2);
        assert_true(rc_expect(memory(), REQUEST(&tiny), &point, RC_IDEAL_D_SCAL) == 0);
        assert_true(rc_expect(memory(), REQUEST(&tiny), &point, RC_IDEAL_OPS_SP) == 0);
        assert_true(rc_expect(memory(), REQUEST(&tiny), &point, RC_IDEAL_T) == 100);
        assert_true(rc_expect(memory(), REQUEST(&tiny), &point, RC_IDEAL_CR) == 101);
        assert_true(rc_expect(memory(), REQUEST(&tiny), &point, RC_IDEAL_STORES) ==
                    401);
    }
}

static void check_point(const struct rc_geometry *geometry,
                        const struct rc_point *point, const struct rc_points *points)
{
    uint64_t n = (uint64_t)point->axis[2], m = (uint64_t)point->axis[1];

    assert_true(n >= 8 && m >= 1 && n % 8 == 0);
    assert_true(8 * n * (m < n ? m : n) <= UINT64_C(2) << 30);
    assert_true(memory()->iterations(REQUEST(geometry), point, 0) >= 1);
    assert_true(memory()->iterations(REQUEST(geometry), point, 0) <= 513);
    assert_int_equal(memory()->iterations(REQUEST(geometry), point, 1), 1);
    assert_false(rc_point_fits(memory(), REQUEST(geometry), point, 1));
    assert_true(point->unusable ||
                rc_expect(memory(), REQUEST(geometry), point, RC_IDEAL_INS) > 0);
    assert_int_equal(!point->unusable, can_run((int)point->axis[0]));
    for (const struct rc_point *other = points->point; other < point; other++)
        assert_string_not_equal(other->name, point->name);
}

static void geometries_of_all_sizes_give_points(void **state)
{
    static const uint64_t l3[] = {0,
                                  1,
                                  64,
                                  16 << 10,
                                  UINT64_C(8) << 20,
                                  UINT64_C(110) << 20,
                                  UINT64_C(512) << 20,
                                  UINT64_C(1) << 40,
                                  UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof l3 / sizeof l3[0]; i++) {
        struct rc_geometry geometry = rc_request_default.geometry;
        geometry.l3.bytes = l3[i];
        each_point(&geometry, check_point);
    }
    each_point(&(struct rc_geometry){0}, check_point);
}

static void check_known(const struct rc_geometry *geometry,
                        const struct rc_point *point, const struct rc_points *points)
{
    (void)points;
    assert_true(rc_expect(memory(), REQUEST(geometry), point, RC_IDEAL_MEM_WR) > 0);
    /* Lines that are stored to whole may be read first, or not. */
    assert_true(rc_expect(memory(), REQUEST(geometry), point, RC_IDEAL_MEM_RD) > 0 ||
                point->axis[0] == WRITE);
}

static void default_points_have_a_known_traffic(void **state)
{
    struct rc_geometry large = rc_request_default.geometry;

    (void)state;
    large.l3.bytes = UINT64_C(512) << 20;
    each_point(&tiny, check_known);
    each_point(&rc_request_default.geometry, check_known);
    each_point(&large, check_known);
}

static void check_run(const struct rc_geometry *geometry, const struct rc_point *point,
                      const struct rc_points *points)
{
    uint64_t iterations = memory()->iterations(REQUEST(geometry), point, 0);
    struct rc_error err = {0};
    struct rc_kernel *kernel;

    (void)points;
    if (point->unusable)
        return;
    assert_int_equal(memory()->setup(REQUEST(geometry), point, &kernel, &err), RC_OK);
    memory()->run(kernel, iterations);
    assert_int_equal(memory()->verify(kernel, iterations, &err), RC_OK);
    memory()->teardown(kernel);
}

static void every_point_of_a_tiny_machine_runs_and_verifies(void **state)
{
    (void)state;
    each_point(&tiny, check_run);
}

static void touch(struct lru_caches *cache, const void *at, bool write)
{
    lru_access(cache, (uint64_t)(uintptr_t)at, write);
}

static void touch_nest(struct lru_caches *cache, struct rc_loop_operands at,
                       uint64_t rows, uint64_t cols, uint64_t depth)
{
    const double *a = at.a, *b = at.b, *c = at.c;
    uint64_t kept = rows < depth ? rows : depth;

    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < cols; j++) {
            touch(cache, &c[i * cols + j], false);
            for (uint64_t k = 0; k < depth; k++) {
                touch(cache, &a[i % kept * depth + k], false);
                touch(cache, &b[k * cols + j], false);
            }
            touch(cache, &c[i * cols + j], true);
        }
}

static void touch_stream(struct lru_caches *cache, struct rc_loop_operands at, bool two,
                         uint64_t depth)
{
    const double *a = at.a, *b = at.b, *c = at.c;

    touch(cache, &a[depth - 1], true); /* the mark */
    for (uint64_t i = 0; i < depth; i += 2) {
        touch(cache, &a[i], false);
        if (two)
            touch(cache, &b[i], false);
        touch(cache, &c[i], true);
    }
}

static void touch_sweep(struct lru_caches *cache, struct rc_loop_operands at, int op,
                        uint64_t depth)
{
    const bool reads = op == READ || op == READ_LINE;
    const uint64_t *a = at.a;

    touch(cache, at.c, false); /* the mark */
    touch(cache, at.c, true);
    for (uint64_t i = op < READ_LINE ? 0 : 7; i < depth; i += op < READ_LINE ? 1 : 8) {
        if (op != WRITE && op != WRITE_LINE)
            touch(cache, &a[i], false);
        if (!reads)
            touch(cache, &a[i], true);
    }
}

/* Dirty lines that are left at the end count as written: they will be. */
static uint64_t written(const struct lru *lru)
{
    uint64_t lines = lru->written_back;

    for (uint64_t i = 0; i < lru->sets * lru->ways; i++)
        lines += lru->way[i].dirty;
    return lines;
}

/* The last level alone: what leaves it does not depend on the others. */
static void check_traffic(const struct rc_geometry *geometry,
                          const struct rc_point *point, const struct rc_points *points)
{
    const struct rc_cache_geometry levels[3] = {geometry->l3};
    uint64_t m = (uint64_t)point->axis[1], n = (uint64_t)point->axis[2];
    int op = (int)point->axis[0], iterations = 6;
    double reads = memory()->expect(REQUEST(geometry), point, RC_IDEAL_MEM_RD).high;
    double writes = rc_expect(memory(), REQUEST(geometry), point, RC_IDEAL_MEM_WR);
    struct lru_caches cache;

    (void)points;
    if (op == WRITE_NT) /* of no cache */
        return;
    struct rc_kernel *kernel = ready(point);
    const uint64_t copies = rc_loop_operands(kernel, 0).copies;
    assert_int_equal(lru_init(&cache, levels, 64), 0);
    if (point->axis[3] && point->axis[3] < iterations)
        iterations = (int)point->axis[3];
    for (uint64_t i = 0; i < (uint64_t)iterations; i++)
        if (op >= READ)
            touch_sweep(&cache, rc_loop_operands(kernel, i % copies), op, n);
        else if (op >= COPY)
            touch_stream(&cache, rc_loop_operands(kernel, i % copies), op >= ADD, n);
        else
            touch_nest(&cache, rc_loop_operands(kernel, i % copies), m,
                       op == GEMM ? n : 1, n);
    double read = (double)cache.level[0].misses / iterations;
    double wrote = (double)written(&cache.level[0]) / iterations;
    lru_fini(&cache);
    memory()->teardown(kernel);
    if (fabs(read - reads) > 0.01 * reads + 2 ||
        fabs(wrote - writes) > 0.01 * writes + 1)
        fail_msg("%s: %g reads and %g writes, expected %g and %g", point->name, read,
                 wrote, reads, writes);
}

static void a_simulated_cache_sees_the_traffic_that_is_expected(void **state)
{
    (void)state;
    each_point(&tiny, check_traffic);
}

static void stepping_counts_the_instructions_that_are_expected(void **state)
{
    (void)state;
    for (int op = DOT; op <= UPDATE_LINE; op++) {
        struct rc_point point = a_point(op,
                                        op == CAPPED               ? 16
                                        : op == GEMV || op == GEMM ? 8
                                                                   : 1,
                                        8, 2);
        if (!can_run(op))
            continue;
        struct rc_kernel *kernel = ready(&point);
        long counted = rc_step_iteration(memory(), kernel);
        memory()->teardown(kernel);
        if (counted < 0)
            skip();
        assert_int_equal(
            counted, (long)rc_expect(memory(), REQUEST(&tiny), &point, RC_IDEAL_INS));
    }
}

/* Eigenvalues of a symmetric matrix, on its diagonal at last: Jacobi's rotations. */
static void diagonalise(double a[TOLD][TOLD])
{
    for (int turn = 0; turn < 50; turn++)
        for (int p = 0; p < TOLD; p++)
            for (int q = p + 1; q < TOLD; q++) {
                const double angle = atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2;
                const double c = cos(angle), s = sin(angle);
                for (int i = 0; i < TOLD; i++) {
                    const double x = a[i][p], y = a[i][q];
                    a[i][p] = c * x - s * y;
                    a[i][q] = s * x + c * y;
                }
                for (int i = 0; i < TOLD; i++) {
                    const double x = a[p][i], y = a[q][i];
                    a[p][i] = c * x - s * y;
                    a[q][i] = s * x + c * y;
                }
            }
}

/* Adds the point to the products of all columns, each row in units of its lines.  L3WB
 * is whichever end of its range 'high' says.
 */
static bool add_row(const struct rc_geometry *geometry, const struct rc_point *point,
                    bool high, double gram[TOLD][TOLD])
{
    double row[TOLD];

    for (int i = 0; i < TOLD; i++) {
        const struct rc_range range =
            memory()->expect(REQUEST(geometry), point, told[i]);
        if (isinf(range.high) || (range.low < range.high && told[i] != RC_IDEAL_L3WB))
            return false;
        row[i] = (high ? range.high : range.low) / ((double)point->axis[2] / 8);
    }
    for (int i = 0; i < TOLD; i++)
        for (int k = 0; k < TOLD; k++)
            gram[i][k] += row[i] * row[k];
    return true;
}

/* The ratio of the largest to the least singular value, columns scaled to the same
 * length.
 */
static double condition_of(double gram[TOLD][TOLD])
{
    double scale[TOLD], least = INFINITY, most = 0;

    for (int i = 0; i < TOLD; i++)
        scale[i] = sqrt(gram[i][i]);
    for (int i = 0; i < TOLD; i++)
        for (int k = 0; k < TOLD; k++)
            gram[i][k] /= scale[i] * scale[k];
    diagonalise(gram);
    for (int i = 0; i < TOLD; i++) {
        least = fmin(least, gram[i][i]);
        most = fmax(most, gram[i][i]);
    }
    return least > 0 ? sqrt(most / least) : INFINITY;
}

/* Wherever L3WB lies in its range: it is not a part of stores past the caches. */
static void streams_and_sweeps_tell_traffic_from_accesses(void **state)
{
    struct rc_geometry large = rc_request_default.geometry;
    const struct rc_geometry *geometries[] = {&tiny, &rc_request_default.geometry,
                                              &large};

    (void)state;
    if (!can_run(WRITE_NT))
        skip();
    large.l3.bytes = UINT64_C(110) << 20;
    for (size_t g = 0; g < 3; g++)
        for (int high = 0; high < 2; high++) {
            double gram[TOLD][TOLD] = {{0}};
            struct rc_points points = {0};
            size_t rows = 0;
            assert_int_equal(memory()->points(REQUEST(geometries[g]), &points, NULL),
                             RC_OK);
            for (size_t i = 0; i < points.count; i++)
                if (points.point[i].axis[0] >= COPY)
                    rows += add_row(geometries[g], &points.point[i], high, gram);
            rc_points_fini(&points);
            const double condition = condition_of(gram);
            assert_int_equal(rows, 10); /* all but 'write', which may read or not */
            if (!(condition < 32))
                fail_msg("geometry %zu: condition number %g", g, condition);
        }
}

static void what_caches_see_of_sweeps_is_bounded(void **state)
{
    static const struct {
        int operation;
        enum rc_ideal ideal;
        double low, high;
    } cases[] = {
        /* 1024 lines; L1, L2 and L3 of tiny hold 16, 64 and 256 */
        {READ, RC_IDEAL_MEM_RD, 1025, 1025},
        {READ, RC_IDEAL_MEM_WR, 1, 1},
        {READ, RC_IDEAL_L1WB, 0, 1},
        {READ, RC_IDEAL_L1IM, 0, INFINITY}, /* tiny has no L1I */
        {WRITE, RC_IDEAL_MEM_RD, 0, 1025},
        {WRITE, RC_IDEAL_MEM_WR, 1025, 1025},
        {WRITE, RC_IDEAL_L3WB, 0, 1025},
        {WRITE_LINE, RC_IDEAL_MEM_RD, 1025, 1025},
        {WRITE_LINE, RC_IDEAL_L1WB, 1009, 1025},
        {WRITE_LINE, RC_IDEAL_L2WB, 945, 1025},
        {WRITE_LINE, RC_IDEAL_L3WB, 689, 1025},
        {WRITE_NT, RC_IDEAL_MEM_RD, 1, 1},
        {WRITE_NT, RC_IDEAL_MEM_WR, 1025, 1025},
        {WRITE_NT, RC_IDEAL_L1WB, 0, 0},
        {WRITE_NT, RC_IDEAL_L3WB, 0, 0},
        {UPDATE_LINE, RC_IDEAL_MEM_WR, 1025, 1025},
        {UPDATE, RC_IDEAL_MEM_RD, 1025, 1025},
        {COPY, RC_IDEAL_MEM_RD, 2048, 2048},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct rc_point point = a_point(cases[i].operation, 1, 8192, 0);
        const struct rc_range range =
            memory()->expect(REQUEST(&tiny), &point, cases[i].ideal);
        if (range.low != cases[i].low || range.high != cases[i].high)
            fail_msg("case %zu: %g to %g, expected %g to %g", i, range.low, range.high,
                     cases[i].low, cases[i].high);
    }
    struct rc_point point = a_point(READ_LINE, 1, 8192, 0);
    const double loads = rc_expect(memory(), REQUEST(&tiny), &point, RC_IDEAL_LOADS);
    assert_true(loads >= 1024 && loads < 1024 + 10);
    assert_true(memory()->expect(REQUEST(&tiny), &point, RC_IDEAL_L1DM).high == loads);
    assert_true(memory()->expect(REQUEST(&tiny), &point, RC_IDEAL_L1DM).low == 0);
    assert_true(memory()->expect(&rc_request_default, &point, RC_IDEAL_L1IM).high ==
                16);
}

static void the_batched_form_has_the_same_points(void **state)
{
    const struct rc_suite *batched = rc_suite_find("memory-batched");

    (void)state;
    assert_non_null(batched);
    assert_true(batched->all_cores && !memory()->all_cores);
    assert_ptr_equal(batched->points, memory()->points);
    assert_ptr_equal(batched->expect, memory()->expect);
    assert_int_equal(batched->footprint, RC_FOOTPRINT_MEMORY);
    memory()->teardown(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_much_memory_is_refused_with_the_amounts),
        cmocka_unit_test(the_batched_form_leaves_room_for_all_cores),
        cmocka_unit_test(a_cache_beyond_memory_is_refused),
        cmocka_unit_test(verify_refuses_what_was_not_done),
        cmocka_unit_test(verify_sees_one_wrong_element_of_any_copy),
        cmocka_unit_test(streams_compute_what_their_names_say),
        cmocka_unit_test(sweeps_touch_the_words_that_their_names_say),
        cmocka_unit_test(streams_and_sweeps_tell_traffic_from_accesses),
        cmocka_unit_test(what_caches_see_of_sweeps_is_bounded),
        cmocka_unit_test(rows_of_a_capped_gemv_come_round_again),
        cmocka_unit_test(repetitions_adapt_to_the_size),
        cmocka_unit_test(traffic_follows_the_published_formulas),
        cmocka_unit_test(traffic_is_unknown_where_caches_decide),
        cmocka_unit_test(exact_ideals_of_streams_are_counted_by_line),
        cmocka_unit_test(geometries_of_all_sizes_give_points),
        cmocka_unit_test(default_points_have_a_known_traffic),
        cmocka_unit_test(every_point_of_a_tiny_machine_runs_and_verifies),
        cmocka_unit_test(a_simulated_cache_sees_the_traffic_that_is_expected),
        cmocka_unit_test(stepping_counts_the_instructions_that_are_expected),
        cmocka_unit_test(the_batched_form_has_the_same_points),
    };
    if (rc_loop_usable())
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
