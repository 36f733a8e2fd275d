/* The computation of the programs in tests/apps, stepped by the soft source: operations
 * are those that work.h says, and so are the loads and stores of data: what a function
 * does more for a larger problem, its loops around being the same.
 */
#include "tests/lib/test.h"

#include "tests/apps/work.h"
#include "tests/unit/kernels/soft_bench.h"

enum { MOST = 4096 };
static double first[MOST], second[MOST], third[MOST];
static uint64_t keys[MOST], room[MOST];

struct counts {
    int64_t operations, loaded, stored;
};

static struct bench *bench;

static void begin(void)
{
    static const struct rc_suite suite = {.name = "work"};
    static const struct rc_measurement what = {.suite = &suite};
    struct rc_error err = {.text = ""};

    bench_need(rc_source_soft.start(bench->group, &what, &err), &err);
}

static struct counts end(void)
{
    struct rc_error err = {.text = ""};

    bench_need(rc_source_soft.stop(bench->group, bench->reading, &err), &err);
    return (struct counts){bench_read(bench, "soft::fp_dp_operations"),
                           bench_read(bench, "soft::bytes_loaded"),
                           bench_read(bench, "soft::bytes_stored")};
}

/* The larger problem has 'units' more than the smaller one, each of so many bytes. */
static void assert_more(struct counts larger, struct counts smaller, int64_t units,
                        int64_t loaded, int64_t stored)
{
    assert_int_equal(larger.loaded - smaller.loaded, units * loaded);
    assert_int_equal(larger.stored - smaller.stored, units * stored);
}

static struct counts heat(size_t x, size_t y, size_t z)
{
    const size_t n[3] = {x, y, z};

    begin();
    const double sum = work_heat(n, 0.125, first, second);
    const struct counts is = end();
    assert_true(sum == 0);
    assert_int_equal(is.operations, 9 * x * y * z + 2); /* and 1 - 6 c */
    return is;
}

static void a_cell_of_heat_is_9_operations_7_loads_and_1_store(void **state)
{
    (void)state;
    assert_more(heat(3, 4, 9), heat(3, 4, 5), 3 * 4 * 4, 7 * 8, 8);
    assert_more(heat(5, 2, 8), heat(5, 2, 1), 5 * 2 * 7, 7 * 8, 8);
}

static struct counts sparse(size_t rows, size_t each)
{
    static size_t row[MOST + 1];
    static int column[MOST];
    const struct work_matrix a = {rows, row, column, first};

    for (size_t i = 0; i <= rows; i++)
        row[i] = i * each;
    begin();
    work_sparse(&a, second, third);
    const struct counts is = end();
    assert_int_equal(is.operations, 2 * rows * each);
    return is;
}

static void an_element_of_a_sparse_matrix_is_2_operations_and_20_bytes(void **state)
{
    (void)state;
    assert_more(sparse(20, 27), sparse(20, 8), 20 * 19, 8 + 4 + 8, 0);
}

static struct counts vectors(int which, size_t n)
{
    double sum = 0;

    begin();
    if (which == 0)
        sum = work_dot(n, first, second);
    else if (which == 1)
        work_add(n, 2, first, second);
    else if (which == 2)
        work_turn(n, 2, first, second);
    else
        work_sums(n, second);
    const struct counts is = end();
    assert_true(sum == 0);
    assert_int_equal(is.operations, (which == 3 ? 1 : 2) * n);
    return is;
}

static void vectors_take_what_their_laws_say(void **state)
{
    (void)state;
    assert_more(vectors(0, 100), vectors(0, 30), 70, 16, 0);
    assert_more(vectors(1, 100), vectors(1, 30), 70, 16, 8);
    assert_more(vectors(2, 100), vectors(2, 30), 70, 16, 8);
    assert_more(vectors(3, 100), vectors(3, 30), 70, 8, 8);
}

static struct counts dense(size_t rows, size_t inner, size_t columns)
{
    begin();
    work_dense(rows, inner, columns, first, second, third);
    const struct counts is = end();
    assert_int_equal(is.operations, 2 * rows * inner * columns);
    return is;
}

static void a_product_of_matrices_is_2_operations_2_loads_and_1_store(void **state)
{
    (void)state;
    assert_more(dense(4, 5, 20), dense(4, 5, 6), 4 * 5 * 14, 16, 8);
}

/* A sort of one number does nothing: what is stored then is the bench's. */
static void a_sort_moves_n_log_n_numbers(void **state)
{
    static const struct {
        size_t n, passes;
    } of[] = {{1, 0}, {2, 1}, {100, 7}, {128, 7}, {129, 8}};

    int64_t nothing = 0;

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        for (size_t k = 0; k < of[i].n; k++)
            keys[k] = k * 7919 % 131;
        begin();
        const uint64_t *sorted = work_sort(of[i].n, keys, room);
        const struct counts is = end();
        for (size_t k = 1; k < of[i].n; k++)
            assert_true(sorted[k - 1] <= sorted[k]);
        nothing = i ? nothing : is.stored;
        assert_int_equal(is.stored - nothing, 8 * of[i].n * of[i].passes);
    }
}

static void a_loop_has_2_instructions(void **state)
{
    int64_t instructions[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        begin();
        assert_int_equal(work_loop(i ? 1000 : 100), i ? 1000 : 100);
        end();
        instructions[i] = bench_read(bench, "soft::instructions");
    }
    assert_int_equal(instructions[1] - instructions[0], 1800);
    assert_int_equal(work_loop(0), 0);
}

static int open_bench(void **state)
{
    (void)state;
    bench = bench_open(NULL);
    return 0;
}

static int close_bench(void **state)
{
    (void)state;
    bench_close(bench);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_of_heat_is_9_operations_7_loads_and_1_store),
        cmocka_unit_test(an_element_of_a_sparse_matrix_is_2_operations_and_20_bytes),
        cmocka_unit_test(vectors_take_what_their_laws_say),
        cmocka_unit_test(a_product_of_matrices_is_2_operations_2_loads_and_1_store),
        cmocka_unit_test(a_sort_moves_n_log_n_numbers),
        cmocka_unit_test(a_loop_has_2_instructions),
    };

    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
