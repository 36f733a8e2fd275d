/* The simplest solved events of all ranks become the pool, the same on every rank. */
#include "campaign/solve/joint/joint_parts.h"

#include "campaign/base/gather.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_MOST = 512 /* events of the pool */ };

/* The numbers of an event that ranks exchange, before its coordinates. */
enum { OF_EVENT, OF_DOUBT, OF_REST, OF_NOISE, OF_RANGED, OF_SCORE, OF_CHOSEN, OF_ALL };

struct order {
    const double *row;
    size_t ideals;
};

static int compare_reals(double a, double b)
{
    return (a > b) - (a < b);
}

/* Sorts by coordinates; equal ones by doubt and noise, chosen events first. */
static int by_coordinates(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    int way = 0;

    for (size_t i = 0; i < x->ideals && way == 0; i++)
        way = compare_reals(x->row[OF_ALL + i], y->row[OF_ALL + i]);
    if (way == 0)
        way = compare_reals(x->row[OF_DOUBT], y->row[OF_DOUBT]);
    if (way == 0)
        way = compare_reals(x->row[OF_NOISE], y->row[OF_NOISE]);
    if (way == 0)
        way = compare_reals(y->row[OF_CHOSEN], x->row[OF_CHOSEN]);
    return way ? way : compare_reals(x->row[OF_EVENT], y->row[OF_EVENT]);
}

static int by_simplicity(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    int way = compare_reals(x->row[OF_DOUBT] > 0, y->row[OF_DOUBT] > 0);

    if (way == 0)
        way = compare_reals(x->row[OF_NOISE] > 0, y->row[OF_NOISE] > 0);
    if (way == 0)
        way = compare_reals(x->row[OF_SCORE], y->row[OF_SCORE]);
    if (way == 0)
        way = compare_reals(y->row[OF_CHOSEN], x->row[OF_CHOSEN]);
    return way ? way : compare_reals(x->row[OF_EVENT], y->row[OF_EVENT]);
}

/* Keeps one of all events without doubt that have the same coordinates, and sorts the
 * simplest first.  Returns how many are kept, at most POOL_MOST.
 */
static size_t sort_rows(struct order *order, size_t count)
{
    size_t kept = 0;

    qsort(order, count, sizeof *order, by_coordinates);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || order[i].row[OF_DOUBT] > 0 ||
            memcmp(order[kept - 1].row + OF_ALL, order[i].row + OF_ALL,
                   order[i].ideals * sizeof *order[i].row) != 0)
            order[kept++] = order[i];
    qsort(order, kept, sizeof *order, by_simplicity);
    return kept < POOL_MOST ? kept : POOL_MOST;
}

static bool is_chosen(const struct rc_solve_kind *k, size_t local)
{
    for (size_t t = 0; t < k->count; t++)
        if (k->suite[t].use[local] == RC_USE_CHOSEN)
            return true;
    return false;
}

int rc_joint_exchange(struct maker *m)
{
    struct rc_solve_joint *j = m->j;
    struct rc_solve_kind *k = m->k;
    const size_t width = OF_ALL + 2 * j->ideals;
    struct rc_gathered all = {0};
    struct order *order = rc_arena_array(&k->step, j->rows, sizeof *order);
    double *mine = rc_arena_array(&k->step, j->rows * width, sizeof *mine);
    double *sent = rc_arena_array(&k->step, POOL_MOST * width, sizeof *sent);
    size_t rows = 0;
    int status = rc_solve_agree_room(k, RC_OK, "the pool of events");

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < k->layout.local; i++) {
        if (j->row[i] == SIZE_MAX)
            continue;
        const double *x = j->x + j->row[i] * (2 * j->ideals + RC_JOINT_BEHIND);
        double *to = mine + rows * width;
        to[OF_EVENT] = (double)rc_columns_global(&k->grid, &k->layout, i);
        to[OF_DOUBT] = x[j->ideals + RC_JOINT_DOUBT];
        to[OF_REST] = x[j->ideals + RC_JOINT_REST];
        to[OF_NOISE] = x[j->ideals + RC_JOINT_NOISE];
        to[OF_RANGED] = x[j->ideals + RC_JOINT_RANGED];
        to[OF_SCORE] = rc_pivot_score(x, j->ideals, 1e-9);
        to[OF_CHOSEN] = is_chosen(k, i);
        memcpy(to + OF_ALL, x, j->ideals * sizeof *x);
        memcpy(to + OF_ALL + j->ideals, x + j->ideals + RC_JOINT_BEHIND,
               j->ideals * sizeof *x);
        order[rows++] = (struct order){to, j->ideals};
    }
    rows = sort_rows(order, rows);
    for (size_t i = 0; i < rows; i++)
        memcpy(sent + i * width, order[i].row, width * sizeof *sent);
    status = rc_gather(k->how->comm, sent, rows * width * sizeof *sent, &all, k->err);
    if (status != RC_OK)
        return status;
    rows = all.from[k->grid.ranks] / (width * sizeof *sent);
    order = rc_arena_array(&k->step, rows, sizeof *order);
    j->pool = rc_arena_array(&j->arena, POOL_MOST, sizeof *j->pool);
    j->pool_x = rc_arena_array(&j->arena, POOL_MOST * j->ideals, sizeof *j->pool_x);
    j->pool_doubt = rc_arena_array(&j->arena, POOL_MOST * j->ideals, sizeof(double));
    j->pool_rest = rc_arena_array(&j->arena, POOL_MOST, sizeof *j->pool_rest);
    j->pool_noise = rc_arena_array(&j->arena, POOL_MOST, sizeof *j->pool_noise);
    status = rc_arena_check(&j->arena, k->err, "the pool of events");
    if ((status = rc_solve_agree_room(k, status, "the pool of events")) == RC_OK) {
        for (size_t i = 0; i < rows; i++)
            order[i] =
                (struct order){(double *)(void *)all.byte + i * width, j->ideals};
        j->count = sort_rows(order, rows);
        for (size_t i = 0; i < j->count; i++) {
            const double *row = order[i].row;
            j->pool[i] = (struct rc_joint_event){.event = (size_t)row[OF_EVENT],
                                                 .doubt = row[OF_DOUBT],
                                                 .ranged = row[OF_RANGED] > 0};
            j->pool_rest[i] = row[OF_REST];
            j->pool_noise[i] = row[OF_NOISE];
            memcpy(j->pool_x + i * j->ideals, row + OF_ALL,
                   j->ideals * sizeof *j->pool_x);
            memcpy(j->pool_doubt + i * j->ideals, row + OF_ALL + j->ideals,
                   j->ideals * sizeof *j->pool_doubt);
        }
    }
    rc_gathered_fini(&all);
    return status;
}
