/* Whether the detours of all cores strike together: those that the bare loop saw on all
 * of them at once, by the clock that their nodes share.
 *
 * The cores of a round began and ended at about the same time; what all of them have in
 * common is cut into windows (solve/study/synchrony.h).  Each rank adds the cores whose
 * journals it reads, and rank 0 gets the sum.  Several rounds are taken together.
 */
#include "campaign/detours/losses.h"

#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "solve/study/scale.h"
#include "solve/study/synchrony.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS_MOST = 16,      /* the last ones: older ones are left out */
    WINDOWS_MOST = 1 << 20 /* of a round and grain: the first ones */
};
static const double windows_least = 20; /* fewer tell nothing */

/* All cores that were measured at the same time. */
struct round {
    uint32_t number;
    size_t cores;
    size_t clocks; /* nodes whose clock was compared with no other: one is the first */
    const char *node; /* the last of these */
    int64_t begin_ns, end_ns;
    double unsure_ns; /* by so much at most their clocks are off */
    struct rc_synchrony windows[RC_SCALE_GRAINS]; /* of none: not known */
};

struct team {
    const struct rc_noise_losses *losses;
    int rank;
    struct round *round; /* by number */
    size_t rounds;
    bool *taken;           /* [loss] copies of journals hold a record twice */
    struct rc_arena arena; /* of these */
};

static bool is_together(const struct rc_noise_loss *l)
{
    return l->work[0] == 0 && !l->alone;
}

static bool is_before(const void *item, const void *key)
{
    return ((const struct round *)item)->number < *(const uint32_t *)key;
}

static struct round *round_of(const struct team *t, uint32_t number)
{
    const size_t at =
        rc_count_before(t->round, t->rounds, sizeof *t->round, &number, is_before);

    return at < t->rounds && t->round[at].number == number ? &t->round[at] : NULL;
}

/* The last rounds, and when all of their cores measured.  Losses are in order of their
 * nodes.
 */
static int find_rounds(struct team *t, struct rc_error *err)
{
    const struct rc_noise_losses *all = t->losses;
    uint32_t *number = rc_arena_array(&t->arena, all->count, sizeof *number);
    size_t count = 0, rounds = 0;

    t->round = rc_arena_array(&t->arena, ROUNDS_MOST, sizeof *t->round);
    t->taken = rc_arena_array(&t->arena, all->count, sizeof *t->taken);
    const int status = rc_arena_check(&t->arena, err, "rounds of detours");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < all->count; i++)
        if (is_together(&all->loss[i]))
            number[count++] = all->loss[i].round;
    if (count > 0)
        qsort(number, count, sizeof *number, rc_order_numbers);
    for (size_t i = 0; i < count; i++)
        if (rounds == 0 || number[rounds - 1] != number[i])
            number[rounds++] = number[i];
    t->rounds = rounds < ROUNDS_MOST ? rounds : ROUNDS_MOST;
    for (size_t i = 0; i < t->rounds; i++)
        t->round[i] = (struct round){.number = number[rounds - t->rounds + i],
                                     .node = "",
                                     .begin_ns = INT64_MIN,
                                     .end_ns = INT64_MAX};
    for (size_t i = 0; i < all->count; i++) {
        const struct rc_noise_loss *l = &all->loss[i];
        struct round *r = is_together(l) ? round_of(t, l->round) : NULL;
        if (!r)
            continue;
        r->cores++;
        r->clocks += !l->compared && strcmp(r->node, l->node) != 0;
        r->node = l->compared ? r->node : l->node;
        r->begin_ns = l->begin_ns > r->begin_ns ? l->begin_ns : r->begin_ns;
        r->end_ns = l->end_ns < r->end_ns ? l->end_ns : r->end_ns;
        r->unsure_ns = fmax(r->unsure_ns, l->unsure_ns);
    }
    return RC_OK;
}

/* Why nothing is known of a round's windows of that grain; NULL: it is. */
static const char *why_not(const struct round *r, double grain_ns, char *out,
                           size_t room)
{
    const double shared_ns = (double)r->end_ns - (double)r->begin_ns;

    out[0] = 0;
    if (r->cores < 2)
        rc_text_append(out, room, "one core was measured");
    else if (r->clocks > 1)
        rc_text_append(out, room, "the clocks of its nodes were not compared");
    else if (shared_ns < windows_least * grain_ns)
        rc_text_append(out, room, "20 windows of %.6g ms need a longer --time",
                       grain_ns / 1e6);
    else if (r->unsure_ns > grain_ns / 2)
        rc_text_append(out, room,
                       "windows of %.6g ms need clocks that are known better than to "
                       "%.0f us",
                       grain_ns / 1e6, r->unsure_ns / 1e3);
    return out[0] ? out : NULL;
}

/* Makes windows where they are known, and notes why the last round has none. */
static int make_windows(struct team *t, char *missing, size_t room,
                        struct rc_error *err)
{
    char why[160];

    for (size_t i = 0; i < t->rounds; i++) {
        struct round *r = &t->round[i];
        for (size_t g = 0; g < RC_SCALE_GRAINS; g++) {
            const double grain_ns = rc_scale_grain_ns[g];
            if (why_not(r, grain_ns, why, sizeof why)) {
                if (i + 1 == t->rounds && !missing[0])
                    rc_text_append(missing, room, "%s", why);
                continue;
            }
            const double shared_ns = (double)r->end_ns - (double)r->begin_ns;
            const int status = rc_synchrony_init(
                &r->windows[g], grain_ns,
                (size_t)fmin(floor(shared_ns / grain_ns), WINDOWS_MOST), err);
            if (status != RC_OK)
                return status;
        }
    }
    return RC_OK;
}

static int add_core(void *user, const struct rc_noise_detours *d,
                    const struct rc_journal_record *record, struct rc_error *err)
{
    struct team *t = user;
    const struct rc_noise_loss *l = rc_noise_loss_of(t->losses, d, record);
    struct round *r = l && is_together(l) ? round_of(t, l->round) : NULL;
    const uint64_t listed_ns = rc_noise_listed_ns(d);

    (void)err;
    if (!r || l->reader != t->rank || t->taken[l - t->losses->loss] || listed_ns == 0)
        return RC_OK;
    t->taken[l - t->losses->loss] = true;
    const double rate = ((double)l->end_ns - (double)l->begin_ns) / (double)listed_ns;
    for (size_t g = 0; g < RC_SCALE_GRAINS; g++)
        if (r->windows[g].windows > 0)
            rc_synchrony_add(&r->windows[g], d->detour, d->count,
                             (double)(l->begin_ns - r->begin_ns), rate);
    return RC_OK;
}

/* Collective: what all readers found, on rank 0.  Ranks that read nothing, which are
 * most where a node has many cores, have no part in it.
 */
static void add_up(MPI_Comm comm, struct team *t)
{
    enum { NUMBERS = sizeof t->round->windows->bin / sizeof(double) };
    const struct rc_noise_losses *all = t->losses;
    bool reads = t->rank == 0;
    MPI_Comm readers;

    if (comm == MPI_COMM_NULL)
        return;
    for (size_t i = 0; i < all->count; i++)
        reads |= all->loss[i].reader == t->rank;
    MPI_Comm_split(comm, reads ? 0 : MPI_UNDEFINED, 0, &readers);
    for (size_t i = 0; i < t->rounds && reads; i++)
        for (size_t g = 0; g < RC_SCALE_GRAINS; g++) {
            struct rc_synchrony *w = &t->round[i].windows[g];
            const bool first = t->rank == 0;
            uint64_t cores = w->cores;
            MPI_Reduce(first ? MPI_IN_PLACE : w->largest, first ? w->largest : NULL,
                       (int)w->windows, MPI_FLOAT, MPI_MAX, 0, readers);
            MPI_Reduce(first ? MPI_IN_PLACE : &w->bin, first ? &w->bin : NULL, NUMBERS,
                       MPI_DOUBLE, MPI_SUM, 0, readers);
            MPI_Reduce(first ? MPI_IN_PLACE : &cores, first ? &cores : NULL, 1,
                       MPI_UINT64_T, MPI_SUM, 0, readers);
            w->cores = (size_t)cores;
        }
    if (reads)
        MPI_Comm_free(&readers);
}

/* Averages all rounds with so many cores, weighted by their windows. */
static struct rc_noise_step take_step(const struct team *t, size_t cores, size_t grain)
{
    double windows = 0, measured = 0, independent = 0, square = 0;

    for (size_t i = 0; i < t->rounds; i++) {
        const struct rc_synchrony *w = &t->round[i].windows[grain];
        if (t->round[i].cores != cores || w->windows == 0)
            continue;
        const struct rc_synchrony_found is = rc_synchrony_find(w);
        const double part = (double)w->windows;
        windows += part;
        measured += part * is.measured;
        independent += part * is.independent;
        square += part * is.error * part * is.error;
    }
    const double grain_ns = windows > 0 ? rc_scale_grain_ns[grain] : NAN;
    return (struct rc_noise_step){
        .cores = cores,
        .grain_ns = grain_ns,
        .slowdown = 1 + measured / windows / grain_ns,
        .independent = 1 + independent / windows / grain_ns,
        .synchrony = independent > 0 ? measured / independent : NAN,
        .error = independent > 0 ? sqrt(square) / independent : NAN};
}

/* On rank 0: a row for each number of cores and grain of which something is known. */
static int take_steps(const struct team *t, struct rc_noise_together *out,
                      struct rc_error *err)
{
    out->step = rc_calloc(t->rounds * RC_SCALE_GRAINS, sizeof *out->step);
    if (!out->step)
        return rc_fail(err, RC_ENOMEM, "no memory for rounds of detours");
    for (size_t i = 0; i < t->rounds; i++) {
        bool done = false;
        for (size_t j = 0; j < i; j++)
            done |= t->round[j].cores == t->round[i].cores;
        for (size_t g = 0; g < RC_SCALE_GRAINS && !done; g++) {
            const struct rc_noise_step step = take_step(t, t->round[i].cores, g);
            if (!isnan(step.grain_ns))
                out->step[out->count++] = step;
        }
    }
    return RC_OK;
}

int rc_noise_together_find(MPI_Comm comm, const char *dir,
                           struct rc_noise_losses *losses, struct rc_error *err)
{
    struct rc_noise_together *out = &losses->together;
    struct team t = {.losses = losses, .rank = rc_team_rank(comm)};
    struct rc_noise_journals journals;
    bool any = false;
    int status = rc_agree(comm, find_rounds(&t, err), err);

    if (status != RC_OK)
        goto out;
    status = make_windows(&t, out->missing, sizeof out->missing, err);
    if ((status = rc_agree(comm, status, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < t.rounds; i++)
        for (size_t g = 0; g < RC_SCALE_GRAINS; g++)
            any |= t.round[i].windows[g].windows > 0;
    if (!any) /* the same on all ranks */
        goto out;
    status = rc_noise_detours_read(comm, dir, add_core, &t, &journals, err);
    if (status != RC_OK)
        goto out;
    add_up(comm, &t);
    if (t.rank == 0)
        status = take_steps(&t, out, err);
    status = rc_agree(comm, status, err);
out:
    for (size_t i = 0; i < t.rounds; i++)
        for (size_t g = 0; g < RC_SCALE_GRAINS; g++)
            rc_synchrony_fini(&t.round[i].windows[g]);
    rc_arena_free(&t.arena);
    return status;
}
