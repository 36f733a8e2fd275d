/* Finds the events that count the same as a given one, which users may take instead.
 *
 * Each rank lists the first RC_EQUIVALENTS_MAX of its own events; the first ones of all
 * ranks are among these, and are found once every rank has all lists.
 */
#include "campaign/base/memory.h"
#include "campaign/solve/joint/joint.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Events found for one request, first on this rank, then on all: the numbers of the
 * first ones in order, and counts as in struct rc_solve_equivalents.
 */
struct found {
    size_t event[RC_EQUIVALENTS_MAX];
    size_t count, all, untold;
};

/* Finds the events of this rank for all requests. */
static void find_local(const struct rc_solve_kind *k, const struct rc_solve_suite *s,
                       const struct rc_solve_equivalents *others, size_t count,
                       struct found *found)
{
    for (size_t i = 0; i < k->layout.local; i++) {
        const double *mine = s->x.data + i * s->coordinates;
        const size_t number = rc_columns_global(&k->grid, &k->layout, i);
        if (s->tier[i] != RC_PIVOT_FIRST)
            continue;
        for (size_t j = 0; j < count; j++) {
            const double *x = others[j].x;
            struct found *f = &found[j];
            size_t same = 0;
            while (same < s->ideals && fabs(mine[same] - x[same]) <= s->result.alpha)
                same++;
            if (same < s->ideals || number == others[j].self)
                continue;
            if (others[j].joint && !rc_solve_joint_same(k->joint, i, others[j].joint))
                continue;
            if (others[j].told && s->tried[i] == 0) {
                f->untold++;
                continue;
            }
            if (f->count < RC_EQUIVALENTS_MAX)
                f->event[f->count++] = number;
            f->all++;
        }
    }
}

/* Turns the lists of single ranks into those of all: the first ones that any found. */
static int join_all(struct rc_solve_kind *k, struct found *found, size_t count)
{
    const size_t ranks = (size_t)k->grid.ranks, bytes = count * sizeof *found;
    struct found *each = rc_arena_array(&k->step, ranks, bytes); /* [rank][count] */
    size_t *event = rc_arena_array(&k->step, ranks * RC_EQUIVALENTS_MAX, sizeof *event);
    int status = RC_OK;

    if (bytes > INT_MAX)
        status = rc_fail(k->err, RC_ENOMEM, "no memory for equal events");
    if ((status = rc_solve_agree_room(k, status, "equal events")) != RC_OK)
        return status;
    MPI_Allgather(found, (int)bytes, MPI_BYTE, each, (int)bytes, MPI_BYTE,
                  k->how->comm);
    for (size_t j = 0; j < count; j++) {
        struct found *out = &found[j];
        size_t all = 0;
        out->all = out->untold = 0;
        for (size_t r = 0; r < ranks; r++) {
            const struct found *part = &each[r * count + j];
            memcpy(event + all, part->event, part->count * sizeof *event);
            all += part->count;
            out->all += part->all;
            out->untold += part->untold;
        }
        qsort(event, all, sizeof *event, rc_order_sizes);
        out->count = all < RC_EQUIVALENTS_MAX ? all : RC_EQUIVALENTS_MAX;
        memcpy(out->event, event, out->count * sizeof *event);
    }
    return RC_OK;
}

int rc_solve_equivalents(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                         struct rc_solve_equivalents *others, size_t count)
{
    struct found *found = rc_arena_array(&k->step, count, sizeof *found);
    size_t *event, all = 0;
    const char **name;
    int status = rc_solve_agree_room(k, RC_OK, "equal events");

    if (status != RC_OK)
        return status;
    find_local(k, s, others, count, found);
    if (k->how->comm != MPI_COMM_NULL && (status = join_all(k, found, count)) != RC_OK)
        return status;
    for (size_t j = 0; j < count; j++)
        all += found[j].count;
    event = rc_arena_array(&k->arena, all, sizeof *event);
    name = rc_arena_array(&k->arena, all, sizeof *name);
    if ((status = rc_solve_agree_room(k, RC_OK, "equal events")) != RC_OK)
        return status;
    all = 0;
    for (size_t j = 0; j < count; j++) {
        memcpy(event + all, found[j].event, found[j].count * sizeof *event);
        all += found[j].count;
    }
    if ((status = rc_solve_names(k, event, all, name, NULL)) != RC_OK)
        return status;
    for (size_t j = 0; j < count; j++) {
        others[j].event = event;
        others[j].name = name;
        others[j].count = found[j].count;
        others[j].all = found[j].all;
        others[j].untold = found[j].untold;
        event += found[j].count;
        name += found[j].count;
    }
    return RC_OK;
}
