#include "tests/lib/test.h"

#include "solve/algebra/grid.h"
#include "solve/algebra/scalapack.h"
#include "tests/lib/columns.h"
#include "tests/lib/on_teams.h"

#include <limits.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const size_t blocks[] = {1, 2, 3, 7, 64, 1000};
static const size_t totals[] = {0, 1, 2, 5, 13, 64, 65, 400};

static void with_grid(MPI_Comm comm, void (*work)(const struct rc_grid *grid))
{
    struct rc_error err = {0};
    struct rc_grid grid;

    assert_int_equal(rc_grid_init(comm, &grid, &err), RC_OK);
    work(&grid);
    rc_grid_fini(&grid);
}

static void matrices_that_are_too_large_are_refused(void **state)
{
    static const struct {
        size_t rows, columns, block;
    } bad[] = {
        {(size_t)INT_MAX + 1, 1, 1},
        {1, (size_t)INT_MAX + 1, 1},
        {1, 1, (size_t)INT_MAX + 1},
        {100000, 100000, 100000}, /* for the rank that has the block */
        {SIZE_MAX, SIZE_MAX, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct rc_grid grid = {.comm = MPI_COMM_NULL, .ranks = 1};
        struct rc_error err = {0};
        struct rc_columns m = {.local = 77};
        assert_int_equal(
            rc_columns_init(&grid, bad[i].rows, bad[i].columns, bad[i].block, &m, &err),
            RC_EUNSUPPORTED);
        assert_non_null(strstr(err.text, "too many for ScaLAPACK on 1 ranks"));
        assert_null(m.data);
        rc_columns_fini(&m);
    }
}

static void no_memory_is_told(void **state)
{
    struct rc_grid grid = {.comm = MPI_COMM_NULL, .ranks = 1};
    struct rc_error err = {0};
    struct rc_columns m;

    (void)state;
    columns_fail_in = 1;
    assert_int_equal(rc_columns_init(&grid, 3, 4, 1, &m, &err), RC_ENOMEM);
    assert_string_equal(err.text, "no memory for 3 rows x 4 columns");
    assert_null(m.data);
}

static void what_is_zeroed_can_be_finished(void **state)
{
    struct rc_grid grid = {0};
    struct rc_columns m = {0};

    (void)state;
    rc_grid_fini(&grid);
    rc_grid_fini(&grid);
    rc_columns_fini(&m);
}

static void check_layout(const struct rc_grid *grid)
{
    const int zero = 0;

    for (size_t t = 0; t < COUNT(totals); t++)
        for (size_t b = 0; b < COUNT(blocks); b++) {
            struct rc_error err = {0};
            struct rc_columns m;
            const int n = (int)totals[t], block = (int)blocks[b];
            size_t mine = 0;
            assert_int_equal(rc_columns_init(grid, 3, totals[t], blocks[b], &m, &err),
                             RC_OK);
            assert_int_equal(m.local,
                             numroc_(&n, &block, &grid->rank, &zero, &grid->ranks));
            for (size_t g = 0; g < totals[t]; g++) {
                if (rc_columns_owner(grid, &m, g) != grid->rank)
                    continue;
                assert_int_equal(rc_columns_local(grid, &m, g), mine);
                assert_int_equal(rc_columns_global(grid, &m, mine), g);
                mine++;
            }
            assert_int_equal(mine, m.local);
            for (size_t i = 0; i < 3 * m.local; i++)
                assert_true(m.data[i] == 0);
            rc_columns_fini(&m);
        }
}

static void columns_are_where_scalapack_has_them(void **state)
{
    (void)state;
    with_grid(team_comm, check_layout);
    with_grid(MPI_COMM_NULL, check_layout);
}

static double entry(size_t i, size_t j)
{
    return (double)((i * 7 + j * 3) % 11) - 5;
}

static void fill(double *whole, size_t rows, size_t columns)
{
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            whole[i + j * rows] = entry(i, j);
}

/* out = 3 out - 2 left in, in whole numbers, so that all must be exact; 'left' has rows
 * below those that are wanted.
 */
static void check_product(const struct rc_grid *grid, size_t rows, size_t inner,
                          size_t columns, size_t block, size_t below)
{
    double left[21 * 20], right[20 * 400], before[20 * 400];
    const struct rc_whole l = {rows + below, inner, left};
    struct rc_columns in, out;

    fill(left, l.rows, l.columns);
    fill(right, inner, columns);
    fill(before, rows, columns);
    redistribution(grid, right, inner, columns, block, &in);
    redistribution(grid, before, rows, columns, block, &out);
    rc_columns_multiply(-2, &l, &in, 3, &out);
    for (size_t j = 0; j < out.local; j++)
        for (size_t i = 0; i < rows; i++) {
            size_t g = rc_columns_global(grid, &out, j);
            double sum = 3 * entry(i, g);
            for (size_t k = 0; k < inner; k++)
                sum -= 2 * entry(i, k) * entry(k, g);
            assert_true(out.data[i + j * rows] == sum);
        }
    rc_columns_fini(&out);
    rc_columns_fini(&in);
}

static void check_products(const struct rc_grid *grid)
{
    static const size_t rows[] = {0, 1, 8, 20};

    for (size_t t = 0; t < COUNT(totals); t++)
        for (size_t b = 0; b < COUNT(blocks); b++)
            for (size_t r = 0; r < COUNT(rows); r++)
                for (size_t k = 1; k < COUNT(rows); k++)
                    for (size_t below = 0; below < 2; below++)
                        check_product(grid, rows[r], rows[k], totals[t], blocks[b],
                                      below);
}

static void products_are_those_of_whole_matrices(void **state)
{
    (void)state;
    with_grid(team_comm, check_products);
    with_grid(MPI_COMM_NULL, check_products);
}

/* For an upper matrix with rubbish below its diagonal and rows below. */
static void check_solutions(const struct rc_grid *grid)
{
    enum { N = 6, ROWS = 8 };
    double left[ROWS * N], x[N * 400], b[N * 400];
    const struct rc_whole l = {ROWS, N, left};

    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < ROWS; i++)
            left[i + j * ROWS] = i > j ? NAN : i == j ? 2 : entry(i, j);
    fill(x, N, 400);
    for (size_t j = 0; j < 400; j++)
        for (size_t i = 0; i < N; i++) {
            b[i + j * N] = 0;
            for (size_t k = i; k < N; k++)
                b[i + j * N] += left[i + k * ROWS] * x[k + j * N];
        }
    for (size_t t = 0; t < COUNT(totals); t++)
        for (size_t k = 0; k < COUNT(blocks); k++) {
            struct rc_columns m;
            redistribution(grid, b, N, totals[t], blocks[k], &m);
            rc_columns_solve(grid, &l, &m);
            for (size_t j = 0; j < m.local; j++)
                for (size_t i = 0; i < N; i++)
                    assert_true(fabs(m.data[i + j * N] -
                                     entry(i, rc_columns_global(grid, &m, j))) < 1e-10);
            rc_columns_fini(&m);
        }
}

static void triangular_systems_are_solved_for_every_column(void **state)
{
    (void)state;
    with_grid(team_comm, check_solutions);
    with_grid(MPI_COMM_NULL, check_solutions);
}

/* A few products on each of several grids, in turns. */
static void several_grids_live_at_once(void **state)
{
    struct rc_error err = {0};
    struct rc_grid all, again, alone, half;
    MPI_Comm part;

    (void)state;
    MPI_Comm_split(team_comm, rank % 2, -rank, &part);
    for (int turn = 0; turn < 20; turn++) {
        assert_int_equal(rc_grid_init(team_comm, &all, &err), RC_OK);
        assert_int_equal(rc_grid_init(part, &half, &err), RC_OK);
        assert_int_equal(rc_grid_init(MPI_COMM_NULL, &alone, &err), RC_OK);
        assert_int_equal(rc_grid_init(part, &again, &err), RC_OK);
        assert_int_equal(half.rank, rc_team_rank(part));
        assert_int_equal(half.ranks, rc_team_size(part));
        check_product(&all, 5, 4, 40, 3, false);
        check_product(&half, 5, 4, 40, 3, true);
        rc_grid_fini(turn % 2 ? &half : &again);
        check_product(turn % 2 ? &again : &half, 5, 4, 41, 2, false);
        check_product(&all, 3, 4, 40, 3, true);
        check_product(&alone, 3, 4, 40, 3, true);
        rc_grid_fini(turn % 2 ? &again : &half);
        rc_grid_fini(&all);
        rc_grid_fini(&alone);
    }
    MPI_Comm_free(&part);
}

static void norms_neither_overflow_nor_vanish(void **state)
{
    static const double column[][2] = {{3, -4}, {3e200, 4e200}, {3e-200, 4e-200}};

    (void)state;
    assert_true(fabs(rc_norm(column[0], 2) - 5) < 1e-15);
    assert_true(fabs(rc_norm(column[1], 2) / 5e200 - 1) < 1e-15);
    assert_true(fabs(rc_norm(column[2], 2) / 5e-200 - 1) < 1e-15);
    assert_true(rc_norm(column[0], 0) == 0);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_that_are_too_large_are_refused),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(what_is_zeroed_can_be_finished),
        cmocka_unit_test(columns_are_where_scalapack_has_them),
        cmocka_unit_test(products_are_those_of_whole_matrices),
        cmocka_unit_test(triangular_systems_are_solved_for_every_column),
        cmocka_unit_test(several_grids_live_at_once),
        cmocka_unit_test(norms_neither_overflow_nor_vanish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
