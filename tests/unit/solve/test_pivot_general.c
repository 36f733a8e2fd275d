/* The specialised QR against the general ones: ScaLAPACK's PDGEQPF and LAPACK's
 * DGEQP3, which take the column with the largest norm that is left.  Another choice,
 * but of as many columns and the same span; and the same choice where the simplest
 * column is also the largest.
 */
#include "tests/lib/test.h"

#include "solve/algebra/pivot.h"
#include "solve/algebra/scalapack.h"
#include "tests/lib/columns.h"
#include "tests/lib/on_teams.h"

#include <stdio.h>

enum { MOST_ROWS = 10, MOST_COLUMNS = 150 };

#define ALPHA 5e-4

/* A general QR's pivots, on all ranks, and the absolute diagonal of R. */
struct general {
    size_t event[MOST_ROWS], count;
    double diagonal[MOST_ROWS];
};

static const int one = 1, zero = 0;

/* Position k of the factorized matrix is where column k was. */
static void collect(const struct rc_grid *grid, const struct rc_columns *m,
                    const int *order, struct general *out)
{
    for (size_t k = 0; k < out->count; k++) {
        double told[2] = {0};
        size_t local = rc_columns_local(grid, m, k);
        int owner = rc_columns_owner(grid, m, k);
        if (owner == grid->rank) {
            told[0] = order[local] - 1;
            told[1] = fabs(m->data[k + local * m->rows]);
        }
        if (grid->comm != MPI_COMM_NULL)
            MPI_Bcast(told, 2, MPI_DOUBLE, owner, grid->comm);
        out->event[k] = (size_t)told[0];
        out->diagonal[k] = told[1];
    }
}

static void general_qr(const struct rc_grid *grid, const double *whole, size_t rows,
                       size_t columns, size_t block, struct general *out)
{
    enum { ROOM = 64 * (MOST_COLUMNS + MOST_ROWS) };
    static double work[ROOM], tau[MOST_COLUMNS];
    const int m = (int)rows, n = (int)columns, nb = (int)block, room = ROOM;
    int order[MOST_COLUMNS] = {0}, descriptor[9], info = 0;
    struct rc_columns matrix;

    redistribution(grid, whole, rows, columns, block, &matrix);
    if (grid->comm == MPI_COMM_NULL) {
        dgeqp3_(&m, &n, matrix.data, &m, order, tau, work, &room, &info);
    } else {
        descinit_(descriptor, &m, &n, &m, &nb, &zero, &zero, &grid->context, &m, &info);
        pdgeqpf_(&m, &n, matrix.data, &one, &one, descriptor, order, tau, work, &room,
                 &info);
    }
    assert_int_equal(info, 0);
    out->count = rows < columns ? rows : columns;
    collect(grid, &matrix, order, out);
    rc_columns_fini(&matrix);
}

/* The rest of a rank's columns after the choice must be 0 for the events listed. */
static void expect_spanned(const struct rc_grid *grid, const struct rc_columns *m,
                           const struct rc_pivot *pivot, size_t count,
                           const size_t *event, size_t events)
{
    double remains[MOST_COLUMNS];
    struct rc_error err = {0};

    assert_int_equal(rc_pivot_remains(grid, m, pivot, count, remains, &err), RC_OK);
    for (size_t e = 0; e < events; e++)
        if (rc_columns_owner(grid, m, event[e]) == grid->rank)
            assert_true(remains[rc_columns_local(grid, m, event[e])] < 1e-9);
}

/* Columns in a space of so many dimensions, of whole numbers; some are 0. */
static void make(double *whole, size_t rows, size_t columns, size_t dimensions,
                 uint64_t *seed)
{
    double base[MOST_ROWS][MOST_ROWS];

    for (size_t r = 0; r < dimensions; r++)
        for (size_t i = 0; i < rows; i++)
            base[r][i] = floor(5 * columns_random(seed)) - 2;
    memset(whole, 0, rows * columns * sizeof *whole);
    for (size_t j = 0; j < columns; j++)
        for (size_t r = 0; r < dimensions; r++) {
            double u = columns_random(seed);
            double times = u < 0.6 ? 0 : floor(10 * u - 5);
            for (size_t i = 0; i < rows; i++)
                whole[i + j * rows] += times * base[r][i];
        }
}

static void compare(const struct rc_grid *grid, const double *whole, size_t rows,
                    size_t columns, size_t block, bool same_choice)
{
    struct general general = {{0}, 0, {0}};
    struct rc_pivot pivot[MOST_ROWS], back[MOST_ROWS] = {{0}};
    struct rc_error err = {0};
    struct rc_columns m;
    const uint8_t tier[MOST_COLUMNS] = {0};
    size_t count, dimensions = 0, event[MOST_ROWS] = {0};

    general_qr(grid, whole, rows, columns, block, &general);
    while (dimensions < general.count &&
           general.diagonal[dimensions] >= ALPHA * sqrt((double)rows))
        dimensions++;
    redistribution(grid, whole, rows, columns, block, &m);
    assert_int_equal(rc_pivot_select(grid, &m, tier, ALPHA, pivot, &count, &err),
                     RC_OK);
    assert_int_equal(count, dimensions);
    for (size_t k = 0; k < count; k++) {
        event[k] = pivot[k].event;
        back[k].event = general.event[k];
        if (same_choice) {
            assert_int_equal(event[k], general.event[k]);
            assert_true(fabs(pivot[k].norm - general.diagonal[k]) < 1e-9);
        }
    }
    expect_spanned(grid, &m, pivot, count, general.event, dimensions);
    expect_spanned(grid, &m, back, dimensions, event, count);
    rc_columns_fini(&m);
}

static void on_both_grids(const double *whole, size_t rows, size_t columns,
                          bool same_choice)
{
    static const size_t blocks[] = {1, 4, 32, 200};
    struct rc_error err = {0};
    struct rc_grid grid, alone;

    assert_int_equal(rc_grid_init(team_comm, &grid, &err), RC_OK);
    assert_int_equal(rc_grid_init(MPI_COMM_NULL, &alone, &err), RC_OK);
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        compare(&grid, whole, rows, columns, blocks[b], same_choice);
    compare(&alone, whole, rows, columns, 1, same_choice);
    rc_grid_fini(&alone);
    rc_grid_fini(&grid);
}

static void as_many_events_with_the_same_span_are_chosen(void **state)
{
    static double whole[MOST_ROWS * MOST_COLUMNS];
    uint64_t seed = 41;

    (void)state;
    for (int run = 0; run < 40; run++) {
        size_t rows = 1 + (size_t)(columns_random(&seed) * MOST_ROWS);
        size_t columns = 1 + (size_t)(columns_random(&seed) * MOST_COLUMNS);
        size_t dimensions = (size_t)(columns_random(&seed) * (double)(rows + 1));
        make(whole, rows, columns, dimensions, &seed);
        on_both_grids(whole, rows, columns, false);
    }
}

/* Among columns with one number, below 1, the largest has the lowest score. */
static void the_same_events_are_chosen_where_simple_is_large(void **state)
{
    static double whole[MOST_ROWS * MOST_COLUMNS];
    uint64_t seed = 43;

    (void)state;
    for (int run = 0; run < 20; run++) {
        size_t rows = 1 + (size_t)(columns_random(&seed) * MOST_ROWS);
        size_t columns = rows + (size_t)(columns_random(&seed) * 100);
        memset(whole, 0, sizeof whole);
        for (size_t j = 0; j < columns; j++) /* by ten alphas and more apart */
            whole[(j * 7 + (size_t)run) % rows + j * rows] =
                1 - 5e-3 * (double)((j * 37 + 5) % 151);
        on_both_grids(whole, rows, columns, true);
    }
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_events_with_the_same_span_are_chosen),
        cmocka_unit_test(the_same_events_are_chosen_where_simple_is_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
