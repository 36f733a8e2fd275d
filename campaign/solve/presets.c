/* The presets of PAPI at hand against what was derived.  Rank 0 alone asks PAPI; the
 * representations of the presets' events come from the ranks that own them.
 */
#include "campaign/catalogue/presets.h"
#include "campaign/base/agree.h"
#include "campaign/solve/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rc_solve_presets {
    struct rc_preset_list list; /* of rank 0 */
    bool usable;                /* the library is, on rank 0 */
    struct rc_pool *pool;
    char *names;        /* of all events of all presets, each with its 0 */
    const char **event; /* into 'names' */
    unsigned long bytes, count;
    size_t *local; /* where this rank has them, or SIZE_MAX */
};

void rc_solve_presets_close(struct rc_solve_presets *p)
{
    if (!p)
        return;
    rc_papi_presets_fini(&p->list);
    rc_pool_close(p->pool);
    free(p->names);
    free((void *)p->event);
    free(p->local);
    free(p);
}

static void count_names(struct rc_solve_presets *p)
{
    for (size_t i = 0; i < p->list.count; i++)
        for (size_t j = 0; j < p->list.preset[i].event_count; j++) {
            p->bytes += strlen(p->list.preset[i].event[j]) + 1;
            p->count++;
        }
}

static void copy_names(const struct rc_solve_presets *p)
{
    char *at = p->names;

    for (size_t i = 0; i < p->list.count; i++)
        for (size_t j = 0; j < p->list.preset[i].event_count; j++) {
            const size_t length = strlen(p->list.preset[i].event[j]) + 1;
            memcpy(at, p->list.preset[i].event[j], length);
            at += length;
        }
}

/* On rank 0.  Where PAPI cannot be used there are no presets to check. */
static int ask_library(struct rc_solve_presets *p, struct rc_error *err)
{
    struct rc_error none;
    int status;

    if (!(p->pool = rc_pool_create()))
        return rc_solve_no_memory(err);
    status = rc_papi_presets(p->pool, &p->list, &none);
    p->usable = status == RC_OK;
    count_names(p);
    return status == RC_ENOMEM ? rc_solve_no_memory(err) : RC_OK;
}

int rc_solve_presets_open(MPI_Comm comm, struct rc_solve_presets **out,
                          struct rc_error *err)
{
    const bool first = rc_team_rank(comm) == 0;
    struct rc_solve_presets *p = *out = rc_calloc(1, sizeof *p);
    int status = p ? RC_OK : rc_solve_no_memory(err);

    if (status == RC_OK && first)
        status = ask_library(p, err);
    status = rc_agree(comm, status, err);
    if (status == RC_OK && comm != MPI_COMM_NULL) {
        MPI_Bcast(&p->bytes, 1, MPI_UNSIGNED_LONG, 0, comm);
        MPI_Bcast(&p->count, 1, MPI_UNSIGNED_LONG, 0, comm);
    }
    if (status == RC_OK) {
        p->names = rc_calloc(p->bytes, 1);
        p->event = rc_calloc(p->count, sizeof *p->event);
        p->local = rc_calloc(p->count, sizeof *p->local);
        if (!p->names || !p->event || !p->local)
            status = rc_solve_no_memory(err);
        status = rc_agree(comm, status, err);
    }
    if (status != RC_OK) {
        rc_solve_presets_close(p);
        *out = NULL;
        return status;
    }
    if (first)
        copy_names(p);
    if (comm != MPI_COMM_NULL)
        MPI_Bcast(p->names, (int)p->bytes, MPI_CHAR, 0, comm);
    char *at = p->names;
    for (unsigned long i = 0; i < p->count; i++, at += strlen(at) + 1)
        p->event[i] = at;
    return RC_OK;
}

void rc_solve_presets_find(const struct rc_solve_kind *k)
{
    struct rc_solve_presets *p = k->presets;

    for (unsigned long i = 0; i < p->count; i++) {
        p->local[i] = SIZE_MAX;
        for (size_t e = 0; e < k->layout.local && p->local[i] == SIZE_MAX; e++)
            if (rc_preset_same_event(k->name[e], p->event[i]))
                p->local[i] = e;
    }
}

/* The coordinates of the presets' events, and in front 1 for each rank that has it. */
struct places {
    const struct rc_solve_presets *presets;
    size_t width;
    double *data;
};

static bool represent(void *context, const char *event, double *coordinates)
{
    const struct places *places = context;

    for (unsigned long i = 0; i < places->presets->count; i++) {
        const double *at = places->data + i * places->width;
        if (at[0] != 1 || strcmp(places->presets->event[i], event) != 0)
            continue;
        memcpy(coordinates, at + 1, (places->width - 1) * sizeof *at);
        return true;
    }
    return false;
}

static void gather(const struct rc_solve_kind *k, const struct rc_solve_suite *s,
                   struct places *places)
{
    const struct rc_solve_presets *p = k->presets;

    for (unsigned long i = 0; i < p->count; i++) {
        double *at = places->data + i * places->width;
        if (p->local[i] == SIZE_MAX || isnan(s->residual[p->local[i]]))
            continue;
        at[0] = 1;
        memcpy(at + 1, s->x.data + p->local[i] * s->coordinates,
               s->coordinates * sizeof *at);
    }
    if (k->how->comm != MPI_COMM_NULL)
        MPI_Allreduce(MPI_IN_PLACE, places->data, (int)(p->count * places->width),
                      MPI_DOUBLE, MPI_SUM, k->how->comm);
}

int rc_solve_check_presets(struct rc_solve_kind *k, struct rc_solve_suite *s,
                           struct rc_error *err)
{
    struct rc_suite_result *r = &s->result;
    struct places places = {.presets = k->presets, .width = 1 + s->coordinates};
    const struct rc_preset_places how = {.represent = represent, .context = &places};
    int status;

    places.data = rc_calloc(k->presets->count * places.width, sizeof *places.data);
    status = rc_agree(k->how->comm, places.data ? RC_OK : rc_solve_no_memory(err), err);
    if (status == RC_OK && s->x.rows > 0)
        gather(k, s, &places);
    if (status == RC_OK && rc_team_rank(k->how->comm) == 0 && k->presets->usable)
        status = rc_preset_check(&k->presets->list, k->labels->key, r, &how, k->pool,
                                 &r->preset, &r->preset_count, err);
    free(places.data);
    return rc_agree(k->how->comm, status, err);
}
