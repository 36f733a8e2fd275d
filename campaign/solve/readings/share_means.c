/* Shares the means and names of single events with all ranks. */
#include "campaign/base/gather.h"
#include "campaign/records/record.h"
#include "campaign/solve/parts.h"

#include <string.h>

/* Puts the means that this rank owns.  Before each: 1 if it is there, else 0; and the
 * event's noise.
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
                         struct rc_solve_means *out)
{
    size_t width = 0;
    int status = RC_OK;

    for (size_t i = 0; i < k->count; i++)
        width += 2 + k->suite[i].labels->point_count;
    out->mean = rc_arena_array(&k->step, events * k->count, sizeof *out->mean);
    out->noise = rc_arena_array(&k->step, events * k->count, sizeof *out->noise);
    double *data = rc_arena_array(&k->step, events * width, sizeof *data);
    if (events * width > INT32_MAX) /* MPI's counts are ints */
        status = rc_fail(k->err, RC_ENOMEM, "no memory for the means of events");
    if ((status = rc_solve_agree_room(k, status, "the means of events")) != RC_OK)
        return status;
    put_means(k, event, events, width, data);
    rc_team_reduce(k->how->comm, data, (int)(events * width), MPI_DOUBLE, MPI_SUM);
    for (size_t e = 0; e < events; e++) {
        double *at = data + e * width;
        for (size_t i = 0; i < k->count; i++) {
            out->mean[e * k->count + i] = *at != 0 ? at + 2 : NULL;
            out->noise[e * k->count + i] = at[1];
            at += 2 + k->suite[i].labels->point_count;
        }
    }
    return RC_OK;
}

int rc_solve_names(struct rc_solve_kind *k, const size_t *event, size_t count,
                   const char **name, const char **source)
{
    struct rc_gathered all = {0};
    struct rc_bytes mine = {0}; /* of own events: name and source, each with its 0 */
    size_t *at = rc_arena_array(&k->step, (size_t)k->grid.ranks, sizeof *at);
    int status = RC_OK;

    for (size_t i = 0; i < count; i++) {
        if (rc_columns_owner(&k->grid, &k->layout, event[i]) != k->grid.rank)
            continue;
        const size_t local = rc_columns_local(&k->grid, &k->layout, event[i]);
        rc_bytes_add(&mine, k->name[local], strlen(k->name[local]) + 1);
        rc_bytes_add(&mine, k->source_name[local], strlen(k->source_name[local]) + 1);
    }
    if (mine.failed)
        status = rc_fail(k->err, RC_ENOMEM, "no memory for names of events");
    if ((status = rc_solve_agree_room(k, status, "names of events")) == RC_OK)
        status = rc_gather(k->how->comm, mine.byte, mine.count, &all, k->err);
    rc_bytes_fini(&mine);
    if (status != RC_OK)
        return status;
    for (int r = 0; r < k->grid.ranks; r++)
        at[r] = all.from[r]; /* where the next name of the rank is */
    for (size_t i = 0; i < count; i++) {
        const int owner = rc_columns_owner(&k->grid, &k->layout, event[i]);
        const char *text = (const char *)all.byte + at[owner],
                   *behind = text + strlen(text) + 1;
        at[owner] += strlen(text) + strlen(behind) + 2;
        name[i] = rc_pool_intern(k->pool, text);
        if (source)
            source[i] = rc_pool_intern(k->pool, behind);
        if (!name[i] || (source && !source[i]))
            status = rc_fail(k->err, RC_ENOMEM, "no memory for names of events");
    }
    rc_gathered_fini(&all);
    return rc_solve_agree(k, status);
}
