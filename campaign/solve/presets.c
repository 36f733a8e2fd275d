/* Checks the presets of the PAPI at hand by the metrics that were derived.  Rank 0
 * alone asks PAPI; the representations of the presets' events come from the ranks that
 * own them.
 */
#include "campaign/catalogue/presets.h"
#include "campaign/base/agree.h"
#include "campaign/base/gather.h"
#include "campaign/records/record.h"
#include "campaign/solve/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rc_solve_presets {
    struct rc_preset_list list; /* of rank 0 */
    bool usable;                /* whether PAPI can be used, on rank 0 */
    struct rc_pool *pool;
    struct rc_gathered names; /* of all events of all presets, each with its 0 */
    struct rc_arena arena;    /* of what follows */
    const char **event;       /* into 'names' */
    size_t *local;            /* their numbers on this rank, or SIZE_MAX */
    size_t count;
};

void rc_solve_presets_close(struct rc_solve_presets *p)
{
    if (!p)
        return;
    rc_papi_presets_fini(&p->list);
    rc_pool_close(p->pool);
    rc_gathered_fini(&p->names);
    rc_arena_free(&p->arena);
    free(p);
}

/* On rank 0: gets the names of all events, one after the other.  Where PAPI cannot be
 * used there are no presets to check.
 */
static int ask_library(struct rc_solve_presets *p, struct rc_bytes *names,
                       struct rc_error *err)
{
    struct rc_error none;
    int status = RC_ENOMEM;

    if ((p->pool = rc_pool_create()))
        status = rc_papi_presets(p->pool, &p->list, &none);
    p->usable = status == RC_OK;
    for (size_t i = 0; i < p->list.count; i++)
        for (size_t j = 0; j < p->list.preset[i].event_count; j++) {
            const char *name = p->list.preset[i].event[j];
            rc_bytes_add(names, name, strlen(name) + 1);
        }
    return status == RC_ENOMEM || names->failed
               ? rc_fail(err, RC_ENOMEM, "no memory for PAPI's presets")
               : RC_OK;
}

int rc_solve_presets_open(MPI_Comm comm, struct rc_solve_presets **out,
                          struct rc_error *err)
{
    struct rc_solve_presets *p = *out = rc_calloc(1, sizeof *p);
    struct rc_bytes names = {0};
    int status = !p ? rc_fail(err, RC_ENOMEM, "no memory for PAPI's presets")
                 : rc_team_rank(comm) == 0 ? ask_library(p, &names, err)
                                           : RC_OK;

    if ((status = rc_agree(comm, status, err)) != RC_OK ||
        (status = rc_gather(comm, names.byte, names.count, &p->names, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < p->names.from[rc_team_size(comm)]; i++)
        p->count += p->names.byte[i] == 0;
    p->event = rc_arena_array(&p->arena, p->count, sizeof *p->event);
    p->local = rc_arena_array(&p->arena, p->count, sizeof *p->local);
    status = rc_arena_check(&p->arena, err, "PAPI's presets");
    if ((status = rc_agree(comm, status, err)) != RC_OK)
        goto out;
    const char *at = (const char *)p->names.byte;
    for (size_t i = 0; i < p->count; i++, at += strlen(at) + 1)
        p->event[i] = at;
out:
    rc_bytes_fini(&names);
    if (status != RC_OK) {
        rc_solve_presets_close(p);
        *out = NULL;
    }
    return status;
}

void rc_solve_presets_find(const struct rc_solve_kind *k)
{
    struct rc_solve_presets *p = k->presets;

    for (size_t i = 0; i < p->count; i++) {
        p->local[i] = SIZE_MAX;
        for (size_t e = 0; e < k->layout.local && p->local[i] == SIZE_MAX; e++)
            if (rc_preset_same_event(k->name[e], p->event[i]))
                p->local[i] = e;
    }
}

/* The coordinates of the presets' events.  Before those of each event is the number of
 * ranks that have it: 0 or 1, since an event has one owner.
 */
struct places {
    const struct rc_solve_presets *presets;
    size_t width;
    double *data;
};

static bool represent(void *context, const char *event, double *coordinates)
{
    const struct places *places = context;

    for (size_t i = 0; i < places->presets->count; i++) {
        const double *at = places->data + i * places->width;
        if (at[0] != 1 || strcmp(places->presets->event[i], event) != 0)
            continue;
        memcpy(coordinates, at + 1, (places->width - 1) * sizeof *at);
        return true;
    }
    return false;
}

int rc_solve_check_presets(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    const struct rc_solve_presets *p = k->presets;
    const size_t width = 1 + s->coordinates;
    struct rc_suite_result *r = &s->result;
    struct places places = {.presets = p, .width = width};
    const struct rc_preset_places how = {.represent = represent, .context = &places};

    places.data = rc_arena_array(&k->step, p->count * width, sizeof *places.data);
    int status = rc_solve_agree_room(k, RC_OK, "the presets' events");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < p->count && s->x.rows > 0; i++) {
        const size_t local = p->local[i];
        double *at = places.data + i * width;
        if (local == SIZE_MAX || isnan(s->residual[local]))
            continue;
        at[0] = 1;
        memcpy(at + 1, s->x.data + local * s->coordinates, s->coordinates * sizeof *at);
    }
    if (s->x.rows > 0 && k->how->comm != MPI_COMM_NULL)
        rc_team_reduce(k->how->comm, places.data, (int)(p->count * width), MPI_DOUBLE,
                       MPI_SUM);
    if (rc_team_rank(k->how->comm) == 0 && p->usable)
        status = rc_preset_check(&p->list, k->labels->key, r, &how, k->pool, &r->preset,
                                 &r->preset_count, k->err);
    return rc_solve_agree(k, status);
}
