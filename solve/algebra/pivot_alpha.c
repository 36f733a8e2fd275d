/* Searches for the alpha with the best choice, and for the range that gives the same
 * choice.
 *
 * Alphas are tried on a logarithmic scale, since alpha is a relative error.  One
 * chooser serves all of them.
 */
#include "solve/algebra/pivot.h"
#include "solve/algebra/pivot_parts.h"

#include "campaign/base/agree.h"

#include <math.h>
#include <string.h>

/* The alphas that are tried: numbers 0 to 9 * steps. */
enum { DECADES = 9, MOST_STEPS = 10000 };

static double alpha_of(int number, int steps)
{
    return pow(10, (double)number / steps - DECADES);
}

/* A selection, for comparison with others. */
struct selection {
    struct rc_pivot *pivot;
    double *x; /* the chosen columns */
    size_t count;
};

/* The mean score of the chosen columns; 0 without any. */
static double mean_score(const struct selection *selection)
{
    double sum = 0;

    for (size_t k = 0; k < selection->count; k++)
        sum += selection->pivot[k].score;
    return selection->count > 0 ? sum / (double)selection->count : 0;
}

/* Numbers of alphas with one and the same selection. */
struct run {
    int first, last;
    size_t count; /* of events */
    double score; /* the mean; the lowest of the run */
};

/* The state of trying one alpha after the other. */
struct trials {
    const struct rc_grid *grid;
    const struct rc_columns *matrix;
    struct rc_arena arena; /* of selections and runs */
    double within;         /* columns that differ by no more are equivalent */
    struct rc_chooser *chooser;
    struct selection now, other;
    struct run *run; /* room for one for each alpha */
};

static void selection_init(struct rc_arena *arena, size_t rows, struct selection *out)
{
    out->pivot = rc_arena_array(arena, rows, sizeof *out->pivot);
    out->x = rc_arena_array(arena, rows * rows, sizeof *out->x);
}

static void trials_fini(struct trials *trials)
{
    rc_chooser_close(trials->chooser);
    rc_arena_free(&trials->arena);
}

/* Collective.  On failure there is nothing to fini. */
static int trials_init(const struct rc_grid *grid, const struct rc_columns *matrix,
                       const uint8_t *tier, double within, int steps,
                       struct trials *out, struct rc_error *err)
{
    int status = RC_OK;

    *out = (struct trials){.grid = grid, .matrix = matrix, .within = within};
    if (steps < 1 || steps > MOST_STEPS)
        status = rc_fail(err, RC_EUSAGE, "%d steps, expected 1 to %d", steps,
                         (int)MOST_STEPS);
    if ((status = rc_agree(grid->comm, status, err)) != RC_OK)
        return status;
    out->run =
        rc_arena_array(&out->arena, (size_t)steps * DECADES + 1, sizeof *out->run);
    selection_init(&out->arena, matrix->rows, &out->now);
    selection_init(&out->arena, matrix->rows, &out->other);
    status = rc_arena_check(&out->arena, err, "the trials of alpha");
    if ((status = rc_agree(grid->comm, status, err)) == RC_OK)
        status = rc_chooser_create(grid, matrix, tier, true, &out->chooser, err);
    if (status != RC_OK)
        trials_fini(out);
    return status;
}

/* Collective.  The choice for one alpha, with the chosen columns on all ranks, which
 * compare them.
 */
static void try_alpha(struct trials *t, double alpha, struct selection *out)
{
    const size_t rows = t->matrix->rows;

    out->count = rc_chooser_choose(t->chooser, alpha, out->pivot);
    if (t->within <= 0)
        return;
    memset(out->x, 0, rows * rows * sizeof *out->x);
    for (size_t k = 0; k < out->count; k++) {
        const size_t event = out->pivot[k].event;
        if (rc_columns_owner(t->grid, t->matrix, event) == t->grid->rank)
            memcpy(out->x + k * rows,
                   t->matrix->data + rows * rc_columns_local(t->grid, t->matrix, event),
                   rows * sizeof *out->x);
    }
    rc_team_reduce(t->grid->comm, out->x, (int)(rows * rows), MPI_DOUBLE, MPI_SUM);
}

static bool as_good(const struct trials *t, const struct selection *a, size_t i,
                    const struct selection *b, size_t j)
{
    size_t rows = t->matrix->rows;

    if (a->pivot[i].event == b->pivot[j].event)
        return true;
    for (size_t r = 0; r < rows && t->within > 0; r++)
        if (fabs(a->x[i * rows + r] - b->x[j * rows + r]) > t->within)
            return false;
    return t->within > 0;
}

/* Whether each column of the first selection has an equivalent in the second one. */
static bool all_in(const struct trials *t, const struct selection *a,
                   const struct selection *b)
{
    for (size_t i = 0; i < a->count; i++) {
        size_t j = 0;
        while (j < b->count && !as_good(t, a, i, b, j))
            j++;
        if (j == b->count)
            return false;
    }
    return true;
}

/* Whether the events are the same or equivalent, in any order: where norms are nearly
 * equal, the order changes with alpha.
 */
static bool are_equal(const struct trials *t)
{
    return t->now.count == t->other.count && all_in(t, &t->now, &t->other) &&
           all_in(t, &t->other, &t->now);
}

int rc_pivot_range(const struct rc_grid *grid, const struct rc_columns *matrix,
                   const uint8_t *tier, double alpha, int steps, double *low,
                   double *high, struct rc_error *err)
{
    struct trials trials;
    int first = 0;

    *low = *high = alpha;
    int status;
    if ((status = rc_agree(grid->comm, rc_pivot_check_alpha(alpha, err), err)) ||
        (status = trials_init(grid, matrix, tier, alpha, steps, &trials, err)))
        return status;
    try_alpha(&trials, alpha, &trials.other);
    while (first <= DECADES * steps && alpha_of(first, steps) <= alpha)
        first++;
    for (int i = first; i <= DECADES * steps; i++) {
        try_alpha(&trials, alpha_of(i, steps), &trials.now);
        if (!are_equal(&trials))
            break;
        *high = alpha_of(i, steps);
    }
    for (int i = first - 1; i >= 0; i--) {
        try_alpha(&trials, alpha_of(i, steps), &trials.now);
        if (!are_equal(&trials))
            break;
        *low = alpha_of(i, steps);
    }
    trials_fini(&trials);
    return RC_OK;
}

/* The widest run, with two conditions.  Where alpha is below the noise, all numbers
 * count as they are, and the same events, which are not simple, may be chosen over
 * powers of ten: so the mean score must be at most twice the lowest.  The lowest score
 * of all would be to choose next to nothing: so at least half as many events as
 * possible must be chosen.
 */
static const struct run *best_of(const struct run *run, size_t count)
{
    const struct run *best = NULL;
    double least = INFINITY;
    size_t most = 0;

    for (size_t r = 0; r < count; r++)
        most = run[r].count > most ? run[r].count : most;
    for (size_t r = 0; r < count; r++)
        if (2 * run[r].count >= most)
            least = fmin(least, run[r].score);
    for (size_t r = 0; r < count; r++)
        if (2 * run[r].count >= most && run[r].score <= 2 * least &&
            (!best || run[r].last - run[r].first > best->last - best->first))
            best = &run[r];
    return best;
}

int rc_pivot_scan(const struct rc_grid *grid, const struct rc_columns *matrix,
                  const uint8_t *tier, int steps, double *alpha, double *low,
                  double *high, struct rc_error *err)
{
    struct trials trials;
    size_t count = 0;

    int status = trials_init(grid, matrix, tier, 0, steps, &trials, err);
    if (status != RC_OK)
        return status;
    try_alpha(&trials, alpha_of(0, steps), &trials.other);
    /* Each run begins with alpha number 'next', whose selection is in trials.other. */
    for (int next = 0; next <= DECADES * steps; count++) {
        struct run run = {next, next, trials.other.count, mean_score(&trials.other)};
        for (int i = next + 1; i <= DECADES * steps; i++) {
            try_alpha(&trials, alpha_of(i, steps), &trials.now);
            if (!are_equal(&trials))
                break;
            run.score = fmin(run.score, mean_score(&trials.now));
            run.last = i;
        }
        struct selection spare = trials.other;
        trials.other = trials.now;
        trials.now = spare;
        trials.run[count] = run;
        next = run.last + 1;
    }
    const struct run *best = best_of(trials.run, count);
    *low = alpha_of(best->first, steps);
    *high = alpha_of(best->last, steps);
    *alpha = alpha_of((best->first + best->last) / 2, steps);
    trials_fini(&trials);
    return RC_OK;
}
