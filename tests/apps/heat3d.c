/* Heat in a box, by 7 points, on PX * PY * PZ ranks:
 *
 *     heat3d [NX NY NZ [STEPS [PX PY PZ]]]      24 24 24 10, and ranks by MPI_Dims_create
 *
 * The sums over all ranks, S being STEPS:
 *
 *     heat;halo    MPI_Irecv, MPI_Isend   S * 2 * cuts calls, S * 16 * faces bytes
 *     heat;halo    MPI_Waitall            S * P
 *     heat;total   MPI_Allreduce          S * P calls, S * P * 8 bytes
 *     heat;update  S * NX * NY * NZ cells, each 9 operations, 7 loads, 1 store
 *
 *     cuts  = (PX - 1) * PY * PZ + PX * (PY - 1) * PZ + PX * PY * (PZ - 1)
 *     faces = (PX - 1) * NY * NZ + NX * (PY - 1) * NZ + NX * NY * (PZ - 1)
 *
 * The walls are cold.  The first field is an eigenvector of the step, so that the field
 * is known at all times, and so is its sum.
 */
#include "tests/apps/app.h"
#include "tests/apps/work.h"

#include <math.h>

static const double pi = 3.14159265358979323846, rate = 0.125;

enum { LOW, HIGH, SIDES };

struct box {
    size_t all[3], first[3],
        n[3];               /* cells of the box, before this block, in the block */
    size_t parts[3], at[3]; /* blocks of the box, and which one this is */
    int neighbours, neighbour[6];
    MPI_Datatype send[6], receive[6];
};

/* The layer of cells at 'index' across a dimension, 0 being the one around the block. */
static MPI_Datatype layer(const struct box *box, int across, size_t index)
{
    MPI_Datatype type;
    int size[3], part[3], start[3];

    for (int d = 0; d < 3; d++) {
        size[d] = (int)box->n[d] + 2;
        part[d] = d == across ? 1 : (int)box->n[d];
        start[d] = d == across ? (int)index : 1;
    }
    MPI_Type_create_subarray(3, size, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void place_block(struct box *box, int rank)
{
    size_t left = (size_t)rank;
    int stride = 1;

    for (int d = 2; d >= 0; d--) {
        box->at[d] = left % box->parts[d];
        left /= box->parts[d];
        box->first[d] = app_first(box->all[d], box->parts[d], box->at[d]);
        box->n[d] =
            app_first(box->all[d], box->parts[d], box->at[d] + 1) - box->first[d];
    }
    for (int d = 2; d >= 0; d--) {
        for (int side = LOW; side < SIDES; side++) {
            if (box->at[d] == (side == LOW ? 0 : box->parts[d] - 1))
                continue;
            const int i = box->neighbours++;
            box->neighbour[i] = rank + (side == LOW ? -stride : stride);
            box->send[i] = layer(box, d, side == LOW ? 1 : box->n[d]);
            box->receive[i] = layer(box, d, side == LOW ? 0 : box->n[d] + 1);
        }
        stride *= (int)box->parts[d];
    }
}

static void exchange(const struct box *box, double *u)
{
    MPI_Request request[12];
    int requests = 0;

    for (int i = 0; i < box->neighbours; i++) {
        MPI_Irecv(u, 1, box->receive[i], box->neighbour[i], 0, MPI_COMM_WORLD,
                  &request[requests++]);
        MPI_Isend(u, 1, box->send[i], box->neighbour[i], 0, MPI_COMM_WORLD,
                  &request[requests++]);
    }
    MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
}

/* Sets the field to 'factor' times the first one, or returns how far it is off. */
static double field(const struct box *box, double factor, double *u, int set)
{
    const size_t row = box->n[2] + 2, plane = (box->n[1] + 2) * row;
    double off = 0;

    for (size_t x = 1; x <= box->n[0]; x++) {
        for (size_t y = 1; y <= box->n[1]; y++) {
            for (size_t z = 1; z <= box->n[2]; z++) {
                const size_t at[3] = {x, y, z};
                double is = factor;
                for (int d = 0; d < 3; d++)
                    is *= sin(pi * (double)(box->first[d] + at[d]) /
                              (double)(box->all[d] + 1));
                double *cell = &u[x * plane + y * row + z];
                if (set)
                    *cell = is;
                off = fmax(off, fabs(*cell - is));
            }
        }
    }
    return off;
}

int main(int argc, char **argv)
{
    struct box box = {.neighbours = 0};
    int rank, ranks, parts[3] = {0}, right = 1;
    double total, growth = 1, first = 1;

    for (int d = 0; d < 3; d++) {
        box.all[d] = app_number(argc, argv, 1 + d, 24);
        if (argc > 5)
            parts[d] = (int)app_number(argc, argv, 5 + d, 1);
    }
    const size_t steps = app_number(argc, argv, 4, 10);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (parts[0] == 0)
        MPI_Dims_create(ranks, 3, parts);
    app_expect(parts[0] * parts[1] * parts[2] == ranks, "PX * PY * PZ ranks");
    for (int d = 0; d < 3; d++) {
        box.parts[d] = (size_t)parts[d];
        app_expect(box.parts[d] <= box.all[d], "a cell for each rank");
        growth += 2 * rate * (cos(pi / (double)(box.all[d] + 1)) - 1);
        first /= tan(pi / 2 / (double)(box.all[d] + 1));
    }
    place_block(&box, rank);
    const size_t cells = (box.n[0] + 2) * (box.n[1] + 2) * (box.n[2] + 2);
    double *u = app_memory(cells, sizeof *u), *v = app_memory(cells, sizeof *v);
    field(&box, 1, u, 1);

    rc_region_begin("heat");
    for (size_t step = 1; step <= steps; step++) {
        rc_region_begin("halo");
        exchange(&box, u);
        rc_region_end("halo");
        rc_region_begin("update");
        const double own = work_heat(box.n, rate, u, v);
        double *const old = u;
        u = v;
        v = old;
        rc_region_end("update");
        rc_region_begin("total");
        MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        rc_region_end("total");
        first *= growth;
        right = right && fabs(total - first) <= 1e-11 * fabs(first);
    }
    rc_region_end("heat");

    right = right && field(&box, pow(growth, (double)steps), u, 0) < 1e-11;
    for (int i = 0; i < box.neighbours; i++) {
        MPI_Type_free(&box.send[i]);
        MPI_Type_free(&box.receive[i]);
    }
    free(u);
    free(v);
    return app_end("heat3d", right);
}
