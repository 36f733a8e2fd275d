/* Solves a small problem with a known answer by ScaLAPACK: the basis is powers of
 * numbers, and each event has whole numbers for coordinates.
 */
#include "solve/algebra/selftest.h"

#include "campaign/base/agree.h"
#include "solve/algebra/represent.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 24, COORDINATES = 4, EACH = 3 };

static double entry(size_t point, size_t coordinate)
{
    return pow(1.0 + (double)point / POINTS, (double)coordinate); /* full rank */
}

static double answer(size_t event, size_t coordinate)
{
    return (double)(event % 7 + coordinate + 1);
}

/* Takes the steps of a campaign, with a few events on each rank. */
static int solve_known(const struct rc_grid *grid, double *deviation,
                       struct rc_error *err)
{
    static const char *const names[COORDINATES] = {"1", "x", "x^2", "x^3"};
    double value[POINTS * COORDINATES], *residual = NULL;
    const struct rc_basis basis = {POINTS, COORDINATES, value, names};
    struct rc_columns readings, x = {0};
    size_t events = EACH * (size_t)grid->ranks;

    int status = rc_columns_init(grid, POINTS, events, 1, &readings, err);
    if ((status = rc_agree(grid->comm, status, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < COORDINATES; i++)
        for (size_t p = 0; p < POINTS; p++)
            value[p + i * POINTS] = entry(p, i);
    for (size_t j = 0; j < readings.local; j++)
        for (size_t p = 0; p < POINTS; p++)
            for (size_t i = 0; i < COORDINATES; i++)
                readings.data[p + j * POINTS] +=
                    entry(p, i) * answer(rc_columns_global(grid, &readings, j), i);
    status = rc_represent(grid, &basis, &readings, &x, &residual, err);
    for (size_t j = 0; j < x.local; j++)
        for (size_t i = 0; i < COORDINATES; i++) {
            double expected = answer(rc_columns_global(grid, &x, j), i);
            double off = fabs(x.data[i + j * COORDINATES] - expected);
            if (!(off <= *deviation))
                *deviation = isnan(off) ? INFINITY : off;
        }
out:
    free(residual);
    rc_columns_fini(&x);
    rc_columns_fini(&readings);
    return status;
}

int rc_solve_selftest(MPI_Comm comm, double *deviation, struct rc_error *err)
{
    struct rc_grid grid;
    double mine = 0;
    int status = rc_grid_init(comm, &grid, err);

    if (status != RC_OK)
        return status;
    status = solve_known(&grid, &mine, err);
    rc_grid_fini(&grid);
    if (status != RC_OK)
        return status;
    *deviation = mine;
    rc_team_reduce(comm, deviation, 1, MPI_DOUBLE, MPI_MAX);
    return RC_OK;
}
