/* Which other events say the same as one: those that users may take in its place. */
#include "campaign/base/agree.h"
#include "campaign/solve/parts.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of local events, and then of all: at most RC_EQUIVALENTS_MAX, in order. */
struct found {
    size_t event[RC_EQUIVALENTS_MAX];
    size_t count, all;
};

static void find(const struct rc_solve_kind *k, const struct rc_solve_suite *s,
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
            if (f->count < RC_EQUIVALENTS_MAX)
                f->event[f->count++] = number;
            f->all++;
        }
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* Joins what the ranks found of one: 'each' is that of rank 0, others lie 'stride'
 * behind each other.  'room' holds all their events.
 */
static void join(const struct found *each, size_t stride, int ranks, size_t *room,
                 struct found *out)
{
    size_t count = 0;

    out->all = 0;
    for (int r = 0; r < ranks; r++, each += stride) {
        memcpy(room + count, each->event, each->count * sizeof *room);
        count += each->count;
        out->all += each->all;
    }
    qsort(room, count, sizeof *room, compare_numbers);
    out->count = count < RC_EQUIVALENTS_MAX ? count : RC_EQUIVALENTS_MAX;
    memcpy(out->event, room, out->count * sizeof *room);
}

static int join_all(const struct rc_solve_kind *k, struct found *found, size_t count,
                    struct rc_error *err)
{
    const size_t ranks = (size_t)k->grid.ranks, bytes = count * sizeof *found;
    struct found *each = rc_calloc(ranks, bytes);
    size_t *room = rc_calloc(ranks * RC_EQUIVALENTS_MAX, sizeof *room);
    int status = each && room && bytes <= INT_MAX ? RC_OK : rc_solve_no_memory(err);

    status = rc_agree(k->how->comm, status, err);
    if (status == RC_OK) {
        MPI_Allgather(found, (int)bytes, MPI_BYTE, each, (int)bytes, MPI_BYTE,
                      k->how->comm);
        for (size_t j = 0; j < count; j++)
            join(each + j, count, k->grid.ranks, room, &found[j]);
    }
    free(room);
    free(each);
    return status;
}

/* The events of all, one list behind the other, and their names. */
static int name_all(struct rc_solve_kind *k, const struct found *found, size_t count,
                    const char ***out, struct rc_error *err)
{
    size_t *event = rc_calloc(count * RC_EQUIVALENTS_MAX, sizeof *event), all = 0;
    const char **name = rc_calloc(count * RC_EQUIVALENTS_MAX, sizeof *name);
    int status = event && name ? RC_OK : rc_solve_no_memory(err);

    status = rc_agree(k->how->comm, status, err);
    for (size_t j = 0; j < count && status == RC_OK; j++) {
        memcpy(event + all, found[j].event, found[j].count * sizeof *event);
        all += found[j].count;
    }
    if (status == RC_OK)
        status = rc_solve_names(k, event, all, name, NULL, err);
    free(event);
    if (status == RC_OK)
        *out = name;
    else
        free((void *)name);
    return status;
}

static int put_list(const struct found *found, const char *const *name,
                    struct rc_solve_equivalents *out, struct rc_error *err)
{
    out->event = rc_calloc(found->count, sizeof *out->event);
    out->name = rc_calloc(found->count, sizeof *out->name);
    if (!out->event || !out->name)
        return rc_solve_no_memory(err);
    memcpy(out->event, found->event, found->count * sizeof *out->event);
    memcpy(out->name, name, found->count * sizeof *out->name);
    out->count = found->count;
    out->all = found->all;
    return RC_OK;
}

int rc_solve_equivalents(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                         struct rc_solve_equivalents *others, size_t count,
                         struct rc_error *err)
{
    struct found *found = rc_calloc(count, sizeof *found);
    const char **name = NULL;
    size_t at = 0;
    int status = found ? RC_OK : rc_solve_no_memory(err);

    status = rc_agree(k->how->comm, status, err);
    if (status != RC_OK)
        goto out;
    find(k, s, others, count, found);
    if (k->how->comm != MPI_COMM_NULL)
        status = join_all(k, found, count, err);
    if (status == RC_OK)
        status = name_all(k, found, count, &name, err);
    for (size_t j = 0; j < count && status == RC_OK; j++) {
        status = put_list(&found[j], name + at, &others[j], err);
        at += found[j].count;
    }
    status = rc_agree(k->how->comm, status, err);
    for (size_t j = 0; j < count && status != RC_OK; j++) {
        free(others[j].event);
        free((void *)others[j].name);
    }
out:
    free((void *)name);
    free(found);
    return status;
}
