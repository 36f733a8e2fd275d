/* What all ranks must know of single events: their means and names. */
#include "campaign/base/agree.h"
#include "campaign/solve/parts.h"

#include <stdlib.h>
#include <string.h>

void rc_solve_means_fini(struct rc_solve_means *means)
{
    free((void *)means->mean);
    free(means->noise);
    free(means->data);
    *means = (struct rc_solve_means){0};
}

/* The means that this rank owns.  In front of each: 1 where it is here, or 0, and
 * the event's noise.
 */
static void put_means(const struct rc_solve_kind *k, const size_t *event, size_t events,
                      size_t width, double *data)
{
    for (size_t e = 0; e < events; e++) {
        double *at = data + e * width;
        if (rc_columns_owner(&k->grid, &k->layout, event[e]) != k->grid.rank)
            continue;
        const size_t local = rc_columns_local(&k->grid, &k->layout, event[e]);
        for (size_t i = 0; i < k->count; i++) {
            const struct rc_solve_suite *s = &k->suite[i];
            const size_t points = s->labels->point_count;
            if (s->row[local] != SIZE_MAX)
                memcpy(at + 2, s->mean + s->row[local] * points, points * sizeof *at);
            *at = s->row[local] != SIZE_MAX ||
                  s->event_class[local] == RC_CLASS_IRRELEVANT;
            at[1] = *at != 0 ? s->noise[local] : 0;
            at += 2 + points;
        }
    }
}

int rc_solve_share_means(struct rc_solve_kind *k, const size_t *event, size_t events,
                         struct rc_solve_means *out, struct rc_error *err)
{
    size_t width = 0;
    int status = RC_OK;

    for (size_t i = 0; i < k->count; i++)
        width += 2 + k->suite[i].labels->point_count;
    *out = (struct rc_solve_means){.events = events, .suites = k->count};
    out->mean = rc_calloc(events * k->count, sizeof *out->mean);
    out->data = rc_calloc(events * width, sizeof *out->data);
    out->noise = rc_calloc(events * k->count, sizeof *out->noise);
    if (!out->mean || !out->noise || !out->data || events * width > INT32_MAX)
        status = rc_solve_no_memory(err);
    status = rc_agree(k->how->comm, status, err);
    if (status != RC_OK) {
        rc_solve_means_fini(out);
        return status;
    }
    put_means(k, event, events, width, out->data);
    if (k->how->comm != MPI_COMM_NULL)
        MPI_Allreduce(MPI_IN_PLACE, out->data, (int)(events * width), MPI_DOUBLE,
                      MPI_SUM, k->how->comm);
    for (size_t e = 0; e < events; e++) {
        double *at = out->data + e * width;
        for (size_t i = 0; i < k->count; i++) {
            out->mean[e * k->count + i] = *at != 0 ? at + 2 : NULL;
            out->noise[e * k->count + i] = at[1];
            at += 2 + k->suite[i].labels->point_count;
        }
    }
    return RC_OK;
}

/* The names of those events that this rank owns, one behind the other with a 0 behind
 * each, and of their sources; the bytes that they take.
 */
static size_t put_names(const struct rc_solve_kind *k, const size_t *event,
                        size_t count, char *out)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        if (rc_columns_owner(&k->grid, &k->layout, event[i]) != k->grid.rank)
            continue;
        const size_t local = rc_columns_local(&k->grid, &k->layout, event[i]);
        const char *const text[] = {k->name[local], k->source_name[local]};
        for (size_t t = 0; t < 2; t++) {
            const size_t length = strlen(text[t]) + 1;
            if (out)
                memcpy(out + bytes, text[t], length);
            bytes += length;
        }
    }
    return bytes;
}

/* What all ranks put, one rank behind the other; where each begins is in 'from'. */
static char *gather_names(const struct rc_solve_kind *k, const size_t *event,
                          size_t count, int *bytes, int *from, struct rc_error *err)
{
    const int mine = (int)put_names(k, event, count, NULL);
    char *here = rc_calloc((size_t)mine, 1), *all = NULL;
    int total = 0;

    bytes[0] = mine;
    if (k->how->comm != MPI_COMM_NULL)
        MPI_Allgather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, k->how->comm);
    for (int r = 0; r < k->grid.ranks; r++) {
        from[r] = total;
        total += bytes[r];
    }
    all = rc_calloc((size_t)total, 1);
    if (rc_agree(k->how->comm, here && all ? RC_OK : rc_solve_no_memory(err), err) ==
        RC_OK) {
        put_names(k, event, count, k->how->comm == MPI_COMM_NULL ? all : here);
        if (k->how->comm != MPI_COMM_NULL)
            MPI_Allgatherv(here, mine, MPI_CHAR, all, bytes, from, MPI_CHAR,
                           k->how->comm);
    } else {
        free(all);
        all = NULL;
    }
    free(here);
    return all;
}

int rc_solve_names(struct rc_solve_kind *k, const size_t *event, size_t count,
                   const char **name, const char **source, struct rc_error *err)
{
    int *bytes = rc_calloc(2 * (size_t)k->grid.ranks, sizeof *bytes);
    int status = bytes ? RC_OK : rc_solve_no_memory(err);
    char *all = NULL;

    status = rc_agree(k->how->comm, status, err);
    if (status != RC_OK)
        goto out;
    int *at = bytes + k->grid.ranks; /* of the next name of each rank */
    all = gather_names(k, event, count, bytes, at, err);
    if (!all) {
        status = err->status;
        goto out;
    }
    for (size_t i = 0; i < count && status == RC_OK; i++) {
        const int owner = rc_columns_owner(&k->grid, &k->layout, event[i]);
        const char *text = all + at[owner], *behind = text + strlen(text) + 1;
        at[owner] += (int)(strlen(text) + strlen(behind) + 2);
        name[i] = rc_pool_intern(k->pool, text);
        if (source)
            source[i] = rc_pool_intern(k->pool, behind);
        if (!name[i] || (source && !source[i]))
            status = rc_solve_no_memory(err);
    }
    status = rc_agree(k->how->comm, status, err);
out:
    free(all);
    free(bytes);
    return status;
}
