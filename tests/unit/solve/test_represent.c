#include "tests/lib/test.h"

#include "solve/algebra/represent.h"
#include "tests/lib/columns.h"
#include "tests/lib/on_teams.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct rc_grid grids[2];

static const size_t blocks[] = {1, 2, 3, 7, 64, 1000};

static const char *const letters[] = {"A", "B", "C", "D", "E"};

static void bases_that_are_none_are_refused_with_the_columns(void **state)
{
    static const struct {
        double value[5 * 5];
        size_t points, coordinates;
        const char *message;
    } bad[] = {
        {{0}, 4, 0, "the basis has no columns"},
        {{0}, 0, 2, "the basis has fewer points (0) than columns (2): 'A', 'B'"},
        {{1, 2, 3, 4},
         1,
         4,
         "the basis has fewer points (1) than columns (4): 'A', 'B', 'C', 'D'"},
        {{1, 2, NAN, 3, 1, 1},
         2,
         3,
         "the basis has numbers that are not finite in columns: 'B'"},
        {{-INFINITY, 2, 1, 3, 1, NAN},
         3,
         2,
         "the basis has numbers that are not finite in columns: 'A', 'B'"},
        {{1, 2, 3, 0, 0, 0},
         3,
         2,
         "the basis has columns that are 0 on all points: 'B'"},
        {{0, 0, 0, 0},
         2,
         2,
         "the basis has columns that are 0 on all points: 'A', 'B'"},
        {{1, 2, 3, 1, 2, 3},
         3,
         2,
         "the basis has columns that depend on each other: 'A', 'B'"},
        {{1, 2, 3, -1e9, -2e9, -3e9},
         3,
         2,
         "the basis has columns that depend on each other: 'A', 'B'"},
        {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0},
         4,
         4,
         "the basis has columns that depend on each other: 'A', 'C', 'D'"},
        {{1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0},
         4,
         4,
         "the basis has columns that depend on each other: 'A', 'B', 'C'"},
        /* Two relations that have nothing to do with each other: the first one. */
        {{0, 0, 0, 0, 3, 1, 2, 0, 0, 0, 0, 0, 1, 1, 0, 2, 4, 0, 0, 0, 0, 0, 2, 2, 0},
         5,
         5,
         "the basis has columns that depend on each other: 'B', 'D'"},
        {{1, 2, 3, 1 + 1e-12, 2, 3},
         3,
         2,
         "the basis has columns that depend on each other: 'A', 'B'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        const struct rc_basis basis = {bad[i].points, bad[i].coordinates, bad[i].value,
                                       letters};
        struct rc_error err = {0};
        assert_int_equal(rc_basis_check(&basis, NULL, &err), RC_EUSAGE);
        assert_string_equal(err.text, bad[i].message);
    }
}

static void a_bad_basis_represents_nothing(void **state)
{
    const double value[] = {1, 2, 3, 1, 2, 3}, readings[] = {1, 2, 3, 4, 5, 6};
    const struct rc_basis basis = {3, 2, value, letters};

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        struct rc_error err = {0};
        struct rc_columns m, x;
        double *residual;
        redistribution(&grids[g], readings, 3, 2, 1, &m);
        assert_int_equal(rc_represent(&grids[g], &basis, &m, &x, &residual, &err),
                         RC_EUSAGE);
        assert_null(x.data);
        assert_null(residual);
        rc_columns_fini(&m);
    }
}

static void long_lists_of_names_are_cut(void **state)
{
    static char text[200][40];
    static const char *name[200];
    const double *value = rc_calloc(200, sizeof *value);
    const struct rc_basis basis = {1, 200, value, name};
    struct rc_error err = {0};

    (void)state;
    for (size_t i = 0; i < 200; i++) {
        snprintf(text[i], sizeof text[i], "a rather long name of a column %zu", i);
        name[i] = text[i];
    }
    assert_int_equal(rc_basis_check(&basis, NULL, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "'a rather long name of a column 0', "));
    assert_non_null(strstr(err.text, " more"));
    free((void *)value);
}

static void good_bases_have_a_condition(void **state)
{
    static const struct {
        double value[6], condition;
    } good[] = {
        {{1, 0, 0, 0, 1, 0}, 1},
        {{24, 0, 0, 0, 1e-9, 0}, 1}, /* columns are scaled */
        {{1e300, 1e300, 0, 1e-300, -1e-300, 0}, 1},
        {{1, 0, 0, 1, 1, 0}, 2.414213562373095},
        {{1, 0, 0, 1, 1e-6, 0}, 2e6},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        const struct rc_basis basis = {3, 2, good[i].value, letters};
        struct rc_error err = {0};
        double condition = 0;
        assert_int_equal(rc_basis_check(&basis, &condition, &err), RC_OK);
        assert_true(fabs(condition / good[i].condition - 1) < 1e-6);
        assert_int_equal(rc_basis_check(&basis, NULL, &err), RC_OK);
    }
}

static void the_distance_of_a_column_is_a_share_of_it(void **state)
{
    static const double value[] = {1, 1, 0, 0, 3, 0};
    static const struct {
        size_t coordinates;
        double column[3], distance;
    } given[] = {
        {2, {1, 4, 0}, 0},
        {2, {0, 0, 9}, 1},
        {2, {0, 3, 4}, 0.8},
        {1, {1, -1, 0}, 1},
        {1, {2, 0, 0}, 0.7071067811865476},
        {0, {1, 2, 3}, 1},
        {2, {0, 0, 0}, 0},
        {0, {0, 0, 0}, 0},
        {2, {0, 3e300, 4e300}, 0.8},
        {2, {1, 1, 1e-9}, 7.071067811865476e-10},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(given); i++) {
        const struct rc_basis basis = {3, given[i].coordinates, value, letters};
        double distance = rc_basis_distance(&basis, given[i].column);
        assert_true(fabs(distance - given[i].distance) < 2e-16 * 4);
    }
}

static void a_distance_from_a_dependent_basis_is_one_from_its_span(void **state)
{
    static const double value[] = {1, 1, 0, 2, 2, 0, 0, 0, 0}, column[] = {1, 1, 1};
    const struct rc_basis basis = {3, 3, value, letters}, wide = {1, 3, value, letters};

    (void)state;
    assert_true(fabs(rc_basis_distance(&basis, column) - sqrt(1 / 3.0)) < 1e-15);
    assert_true(fabs(rc_basis_distance(&wide, column)) < 1e-15);
}

/* The published bases: flops has 24, 48, 96 instructions in its three loops. */
enum { FLOPS_POINTS = 48, FLOPS = 16, BRANCH_POINTS = 11, BRANCH = 5 };

static void make_flops(double *value, size_t columns)
{
    memset(value, 0, (size_t)FLOPS_POINTS * columns * sizeof *value);
    for (size_t p = 0; p < FLOPS_POINTS; p++) {
        size_t kernel = p / 3;
        value[p + kernel * FLOPS_POINTS] = (double)((kernel < 8 ? 24 : 12) << (p % 3));
        if (columns > FLOPS) /* a nuisance column: what the loop counts */
            value[p + columns * FLOPS_POINTS - FLOPS_POINTS] = 1;
    }
}

static const double branch[BRANCH][BRANCH_POINTS] = {
    {2, 2, 2, 2, 2.5, 2.5, 2.5, 3, 3, 2, 1},
    {2, 2, 2, 2, 2.5, 2.5, 2, 2.5, 2.5, 2, 1},
    {1.5, 1, 2, 1.5, 1.5, 2, 1.5, 1.5, 2, 1, 1},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0},
    {0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 0}};

/* Readings of events that are whole combinations, and what they are. */
static void make_exact(const struct rc_basis *basis, size_t events, double scale,
                       double *x, double *readings)
{
    uint64_t seed = 3;

    memset(readings, 0, basis->points * events * sizeof *readings);
    for (size_t j = 0; j < events; j++)
        for (size_t i = 0; i < basis->coordinates; i++) {
            double u = columns_random(&seed);
            x[i + j * basis->coordinates] =
                j == 0 || u < 0.6 ? 0 : scale * floor(1 + 16 * columns_random(&seed));
            for (size_t p = 0; p < basis->points; p++)
                readings[p + j * basis->points] +=
                    x[i + j * basis->coordinates] * basis->value[p + i * basis->points];
        }
}

/* Largest error of the coefficients, relative to the largest of the event. */
static double worst_error(const struct rc_grid *grid, const struct rc_columns *x,
                          const double *expected)
{
    double worst = 0;

    for (size_t j = 0; j < x->local; j++) {
        const double *column = expected + rc_columns_global(grid, x, j) * x->rows;
        double most = 0, error = 0;
        for (size_t i = 0; i < x->rows; i++) {
            most = fmax(most, fabs(column[i]));
            error = fmax(error, fabs(x->data[i + j * x->rows] - column[i]));
        }
        worst = fmax(worst, most > 0 ? error / most : error);
    }
    return worst;
}

static void expect_exact(const struct rc_basis *basis, size_t events, double scale)
{
    double *x = rc_calloc(basis->coordinates * events, sizeof *x);
    double *readings = rc_calloc(basis->points * events, sizeof *readings);

    make_exact(basis, events, scale, x, readings);
    for (size_t g = 0; g < COUNT(grids); g++)
        for (size_t b = 0; b < COUNT(blocks); b++) {
            struct rc_error err = {0};
            struct rc_columns m, out;
            double *residual;
            redistribution(&grids[g], readings, basis->points, events, blocks[b], &m);
            assert_int_equal(rc_represent(&grids[g], basis, &m, &out, &residual, &err),
                             RC_OK);
            assert_int_equal(out.rows, basis->coordinates);
            assert_int_equal(out.columns, events);
            assert_int_equal(out.local, m.local);
            assert_true(worst_error(&grids[g], &out, x) < 1e-14);
            for (size_t j = 0; j < out.local; j++)
                assert_true(residual[j] >= 0 && residual[j] < 2e-15);
            free(residual);
            rc_columns_fini(&out);
            rc_columns_fini(&m);
        }
    free(readings);
    free(x);
}

static void events_that_are_whole_combinations_are_exact(void **state)
{
    static double flops[FLOPS_POINTS * (FLOPS + 1)];
    static const size_t events[] = {0, 1, 2, 40, 333};
    static const double scale[] = {1, 0x1p30, 1e-6};

    (void)state;
    for (size_t e = 0; e < COUNT(events); e++)
        for (size_t s = 0; s < COUNT(scale); s++) {
            make_flops(flops, FLOPS);
            expect_exact(&(struct rc_basis){FLOPS_POINTS, FLOPS, flops, NULL},
                         events[e], scale[s]);
            make_flops(flops, FLOPS + 1);
            expect_exact(&(struct rc_basis){FLOPS_POINTS, FLOPS + 1, flops, NULL},
                         events[e], scale[s]);
            expect_exact(&(struct rc_basis){BRANCH_POINTS, BRANCH, branch[0], NULL},
                         events[e], scale[s]);
        }
}

static void the_residual_is_what_is_left_as_a_share(void **state)
{
    static const double value[] = {1, 1, 0, 0, 3, 0},
                        readings[][3] = {{0, 3, 4},
                                         {0, 0, 2},
                                         {0, 0, 0},
                                         {1, 1, 0},
                                         {0, 3e200, 4e200}};
    static const double expected[] = {0.8, 1, 0, 0, 0.8};
    const struct rc_basis basis = {3, 2, value, letters};

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        struct rc_error err = {0};
        struct rc_columns m, x;
        double *residual;
        redistribution(&grids[g], readings[0], 3, COUNT(readings), 2, &m);
        assert_int_equal(rc_represent(&grids[g], &basis, &m, &x, &residual, &err),
                         RC_OK);
        for (size_t j = 0; j < x.local; j++) {
            size_t event = rc_columns_global(&grids[g], &x, j);
            assert_true(fabs(residual[j] - expected[event]) < 1e-15);
            if (event == 0) /* -0 A + 1 B would be wrong: A takes nothing of B */
                assert_true(fabs(x.data[j * 2] - 0) < 1e-15 &&
                            fabs(x.data[j * 2 + 1] - 1) < 1e-15);
        }
        free(residual);
        rc_columns_fini(&x);
        rc_columns_fini(&m);
    }
}

static void a_basis_of_one_point_and_column_will_do(void **state)
{
    static const double value[] = {4}, readings[] = {8, 0, -2};

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        const struct rc_basis basis = {1, 1, value, letters};
        struct rc_error err = {0};
        struct rc_columns m, x;
        double *residual;
        redistribution(&grids[g], readings, 1, 3, 1, &m);
        assert_int_equal(rc_represent(&grids[g], &basis, &m, &x, &residual, &err),
                         RC_OK);
        for (size_t j = 0; j < x.local; j++)
            assert_true(fabs(x.data[j] - readings[rc_columns_global(&grids[g], &x, j)] /
                                             4) < 1e-15);
        free(residual);
        rc_columns_fini(&x);
        rc_columns_fini(&m);
    }
}

/* Many events, as many ranks: compared with the normal equations in long double. */
static void noisy_events_have_their_least_squares(void **state)
{
    enum { EVENTS = 29 };
    static double readings[EVENTS * BRANCH_POINTS];
    const struct rc_basis basis = {BRANCH_POINTS, BRANCH, branch[0], letters};
    uint64_t seed = 9;

    (void)state;
    for (size_t i = 0; i < COUNT(readings); i++)
        readings[i] = columns_random(&seed);
    for (size_t g = 0; g < COUNT(grids); g++) {
        struct rc_error err = {0};
        struct rc_columns m, x;
        double *residual;
        redistribution(&grids[g], readings, BRANCH_POINTS, EVENTS, 4, &m);
        assert_int_equal(rc_represent(&grids[g], &basis, &m, &x, &residual, &err),
                         RC_OK);
        for (size_t j = 0; j < x.local; j++) {
            const double *event =
                readings + rc_columns_global(&grids[g], &x, j) * BRANCH_POINTS;
            long double left[BRANCH_POINTS], norm = 0;
            for (size_t p = 0; p < BRANCH_POINTS; p++) {
                left[p] = event[p];
                for (size_t i = 0; i < BRANCH; i++)
                    left[p] -= (long double)branch[i][p] * x.data[i + j * BRANCH];
                norm += (long double)event[p] * event[p];
            }
            long double sum = 0;
            for (size_t i = 0; i < BRANCH; i++) { /* orthogonal to every column */
                long double along = 0;
                for (size_t p = 0; p < BRANCH_POINTS; p++)
                    along += left[p] * branch[i][p];
                assert_true(fabsl(along) < 1e-13L);
            }
            for (size_t p = 0; p < BRANCH_POINTS; p++)
                sum += left[p] * left[p];
            assert_true(fabsl(sqrtl(sum / norm) - residual[j]) < 1e-14L);
        }
        free(residual);
        rc_columns_fini(&x);
        rc_columns_fini(&m);
    }
}

/* Events to represent while ranks run out of memory. */
static struct rc_columns small;

static int represent_small(const struct rc_grid *grid, struct rc_error *err)
{
    static const double value[] = {1, 1, 0, 0, 3, 0};
    const struct rc_basis basis = {3, 2, value, letters};
    struct rc_columns x;
    double *residual;
    int status = rc_represent(grid, &basis, &small, &x, &residual, err);

    assert_true((status == RC_OK) == (residual != NULL));
    assert_true((status == RC_OK) == (x.data != NULL));
    free(residual);
    rc_columns_fini(&x);
    return status;
}

static void all_hear_of_each_rank_without_memory(void **state)
{
    static const double readings[][3] = {{1, 1, 0}, {0, 3, 4}, {5, 5, 5}, {1, 2, 3}};

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        redistribution(&grids[g], readings[0], 3, COUNT(readings), 1, &small);
        columns_fail_each_rank(&grids[g], represent_small);
        rc_columns_fini(&small);
    }
}

/* Each rank in turn has a basis that is none. */
static void all_hear_of_a_rank_with_a_bad_basis(void **state)
{
    static const double readings[][3] = {{1, 1, 0}, {0, 3, 4}, {5, 5, 5}, {1, 2, 3}};
    const struct rc_grid *grid = &grids[0];

    (void)state;
    for (int bad = 0; bad < grid->ranks; bad++) {
        const double value[] = {1, 1, 0, 0, grid->rank == bad ? NAN : 3, 0};
        const struct rc_basis basis = {3, 2, value, letters};
        struct rc_error err = {0};
        struct rc_columns m, x;
        double *residual;
        redistribution(grid, readings[0], 3, COUNT(readings), 1, &m);
        assert_int_equal(rc_represent(grid, &basis, &m, &x, &residual, &err),
                         RC_EUSAGE);
        assert_int_equal(err.rank, bad);
        assert_null(x.data);
        assert_null(residual);
        rc_columns_fini(&m);
    }
}

static void checks_of_a_basis_survive_no_memory(void **state)
{
    static const double value[] = {1, 1, 0, 0, 3, 0};
    const struct rc_basis basis = {3, 2, value, letters};
    struct rc_error err = {0};

    (void)state;
    for (int fail_in = 1; fail_in <= 6; fail_in++) {
        columns_fail_in = fail_in;
        assert_int_equal(rc_basis_check(&basis, NULL, &err), RC_ENOMEM);
        columns_fail_in = fail_in;
        assert_true(rc_basis_distance(&basis, value) == -1);
    }
    columns_fail_in = 0;
    assert_int_equal(rc_basis_check(&basis, NULL, &err), RC_OK);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bases_that_are_none_are_refused_with_the_columns),
        cmocka_unit_test(a_bad_basis_represents_nothing),
        cmocka_unit_test(long_lists_of_names_are_cut),
        cmocka_unit_test(good_bases_have_a_condition),
        cmocka_unit_test(the_distance_of_a_column_is_a_share_of_it),
        cmocka_unit_test(a_distance_from_a_dependent_basis_is_one_from_its_span),
        cmocka_unit_test(events_that_are_whole_combinations_are_exact),
        cmocka_unit_test(the_residual_is_what_is_left_as_a_share),
        cmocka_unit_test(a_basis_of_one_point_and_column_will_do),
        cmocka_unit_test(noisy_events_have_their_least_squares),
        cmocka_unit_test(all_hear_of_each_rank_without_memory),
        cmocka_unit_test(all_hear_of_a_rank_with_a_bad_basis),
        cmocka_unit_test(checks_of_a_basis_survive_no_memory),
    };
    struct rc_error err = {0};

    if (rc_grid_init(team_comm, &grids[0], &err) ||
        rc_grid_init(MPI_COMM_NULL, &grids[1], &err))
        MPI_Abort(MPI_COMM_WORLD, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rc_grid_fini(&grids[0]);
    rc_grid_fini(&grids[1]);
    return failed;
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
