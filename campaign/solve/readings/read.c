/* Reads a suite's results in a stream: noise, means and first classes.
 *
 * A rank reads its events in pieces of whole chunks of the file.  A vector is what one
 * repetition counted on all points, per iteration; an event's vectors become its noise
 * and one mean (docs/solve.md, step 1).
 */
#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/gather.h"
#include "campaign/base/words.h"
#include "campaign/records/record.h"
#include "campaign/solve/parts.h"
#include "solve/algebra/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A piece of the results, and the mean and noise of one of its events. */
struct piece {
    struct rc_store_block block;
    size_t places, repetitions, points;
    double *vector;      /* [place * repetition][point], of one event */
    double *room;        /* [place * repetition], scratch */
    const double **side; /* [place]: vectors of one repetition */
    size_t most;         /* events that it has room for */
    const double *mean;  /* of the event at hand; average() sets it and the next two */
    double noise;        /* how far its vectors are from each other */
    size_t kept;         /* points of the mean */
};

/* Readings are in 'arena'; the vectors of one event stay until the step ends. */
static int piece_init(struct rc_solve_kind *k, const struct rc_store_suite *l,
                      size_t most, struct rc_arena *arena, struct piece *p)
{
    const size_t vectors = l->place_count * l->repetitions;

    *p = (struct piece){.places = l->place_count,
                        .repetitions = l->repetitions,
                        .points = l->point_count,
                        .most = most};
    p->block.values =
        rc_arena_array(arena, most * vectors, l->point_count * sizeof(int64_t));
    p->block.status = rc_arena_array(arena, most, vectors);
    p->vector =
        rc_arena_array(&k->step, (vectors + 1) * l->point_count, sizeof *p->vector);
    p->room = rc_arena_array(&k->step, vectors, sizeof *p->room);
    p->side = rc_arena_array(&k->step, l->place_count, sizeof *p->side);
    return rc_arena_check(arena->failed ? arena : &k->step, k->err,
                          "the readings of events");
}

/* One vector of the piece's event 'event'; false where it is not valid. */
static bool get_vector(const struct piece *p, const struct rc_store_suite *l,
                       size_t source, size_t vector, size_t event, double *out)
{
    const size_t row = event * p->places * p->repetitions + vector;
    const int64_t *value = p->block.values + row * p->points;
    const uint64_t *iterations = l->iterations + source * p->points;

    if (p->block.status[row] != RC_READING_OK)
        return false;
    for (size_t i = 0; i < p->points; i++) {
        if (iterations[i] == 0)
            out[i] = NAN;
        else if (value[i] == RC_STORE_MISSING_VALUE)
            return false;
        else
            out[i] = (double)value[i] / (double)iterations[i];
    }
    return true;
}

/* Whether all vectors of an event are valid and the same: the usual case, which is
 * found out before anything is computed.
 */
static bool is_repeated(const struct piece *p, size_t event)
{
    const size_t each = p->places * p->repetitions;
    const int64_t *value = p->block.values + event * each * p->points;

    for (size_t v = 0; v < each; v++)
        if (p->block.status[event * each + v] != RC_READING_OK ||
            memcmp(value, value + v * p->points, p->points * sizeof *value) != 0)
            return false;
    return each > 1 && p->repetitions > 1;
}

/* Puts the vectors of an event into 'p->vector', one after the other, and returns their
 * number: the medians over the places, or all valid ones.
 */
static size_t get_vectors(const struct rc_solve_suite *s, struct piece *p,
                          size_t source, size_t event)
{
    const bool medians =
        s->definition->places == RC_PLACES_MEDIAN && s->labels->place_count > 1;
    double *scratch = p->vector + p->repetitions * p->points;
    size_t count = 0;

    for (size_t v = 0; v < p->places * p->repetitions && !medians; v++)
        count +=
            get_vector(p, s->labels, source, v, event, p->vector + count * p->points);
    /* For each repetition the median over the places that have it.  The vectors of the
     * places follow the room for medians, where they fit since
     * (places - 1) (repetitions - 1) >= 0.
     */
    for (size_t r = 0; r < p->repetitions && medians; r++) {
        size_t sides = 0;
        for (size_t q = 0; q < p->places; q++) {
            double *at = scratch + sides * p->points;
            if (get_vector(p, s->labels, source, q * p->repetitions + r, event, at))
                p->side[sides++] = at;
        }
        if (sides)
            rc_noise_median(p->side, sides, p->points, p->room,
                            p->vector + count++ * p->points);
    }
    return count;
}

/* Removes from vectors the points that their source does not measure; returns how many
 * points are left.
 */
static size_t drop_unmeasured(const struct rc_store_suite *l, size_t source,
                              double *vector, size_t count)
{
    const uint64_t *iterations = l->iterations + source * l->point_count;
    size_t points = 0, to = 0;

    for (size_t i = 0; i < l->point_count; i++)
        points += iterations[i] != 0;
    for (size_t v = 0; v < count && points < l->point_count; v++)
        for (size_t i = 0; i < l->point_count; i++)
            if (iterations[i])
                vector[to++] = vector[v * l->point_count + i];
    return points;
}

static void put_class(struct rc_solve_suite *s, size_t local, enum rc_class class,
                      uint32_t reason)
{
    s->event_class[local] = (uint8_t) class;
    s->reason[local] = reason;
}

static uint32_t why_missing(const struct rc_solve_kind *k, const struct piece *p,
                            size_t event, size_t local)
{
    const size_t each = p->places * p->repetitions;

    for (size_t v = 0; v < each; v++)
        if (p->block.status[event * each + v] != RC_READING_MISSING)
            return RC_WHY_NO_VALID;
    if (k->verdict[local] == RC_VERDICT_OK || k->verdict[local] == RC_VERDICT_UNTRIED)
        return RC_WHY_NOT_MEASURED;
    return RC_WHY_VERDICT + k->verdict[local];
}

/* How many vectors an event must have: a single one does not show its noise. */
static size_t fewest(const struct rc_solve_suite *s)
{
    return s->definition->single ? 1 : 2;
}

/* Averages the vectors of an event; mean and noise are in 'p' until the next event.
 * Returns the number of vectors; if that is too few nothing else is set.
 */
static size_t average(const struct rc_solve_suite *s, struct piece *p, size_t source,
                      size_t event)
{
    size_t count;

    if (is_repeated(p, event) &&
        get_vector(p, s->labels, source, 0, event, p->vector)) {
        p->kept = drop_unmeasured(s->labels, source, p->vector, 1);
        p->mean = p->vector;
        p->noise = 0;
        return p->repetitions;
    }
    count = get_vectors(s, p, source, event);
    if (count < fewest(s))
        return count;
    p->kept = drop_unmeasured(s->labels, source, p->vector, count);
    double *room = p->vector + count * p->kept; /* there is room for one more */
    p->noise = count > 1 ? rc_noise_between(p->vector, count, p->kept, p->room) : 0;
    rc_noise_mean(p->vector, count, p->kept, room);
    p->mean = room;
    return count;
}

/* Gives the piece's event 'event' its noise, mean and class.  The mean of an event that
 * counts is kept in a row, with NAN where it is not measured, and in the matrix from
 * which its source's events are represented.
 */
static int judge_event(const struct rc_solve_kind *k, struct rc_solve_suite *s,
                       struct piece *p, size_t event, size_t local)
{
    const size_t source = rc_solve_source_number(s, k->source_name[local]);
    size_t count = 0, zero = 0;

    if (source < s->labels->source_count)
        count = average(s, p, source, event);
    if (count < fewest(s)) {
        put_class(s, local, RC_CLASS_INVALID,
                  count ? (uint32_t)RC_WHY_ONE_ONLY : why_missing(k, p, event, local));
        return RC_OK;
    }
    s->noise[local] = p->noise;
    while (zero < p->kept && p->mean[zero] == 0)
        zero++;
    if (zero == p->kept) {
        put_class(s, local, RC_CLASS_IRRELEVANT, RC_WHY_IRRELEVANT);
        return RC_OK;
    }
    put_class(s, local, p->noise == 0 && count > 1 ? RC_CLASS_EXACT : RC_CLASS_STEADY,
              0);
    if (k->state[local]) /* without a mean nothing is represented by it */
        return RC_OK;
    const struct rc_store_suite *l = s->labels;
    const struct rc_solve_source *from = &s->source[source];
    if (rc_grow(&s->mean, l->point_count * sizeof *s->mean, s->rows, &s->room))
        return rc_fail(k->err, RC_ENOMEM, "no memory for the means of %zu events",
                       s->rows);
    double *row = s->mean + s->rows * l->point_count;
    for (size_t i = 0, m = 0; i < l->point_count; i++)
        row[i] = l->iterations[source * l->point_count + i] ? p->mean[m++] : NAN;
    for (size_t i = 0; i < from->points && !from->no_basis; i++)
        from->mean.data[local * from->points + i] = row[from->point[i]];
    s->row[local] = s->rows++;
    return RC_OK;
}

/* Allocates a suite's data of local events. */
static int make_room(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    const size_t local = k->layout.local;
    struct rc_arena *arena = &k->arena;

    s->noise = rc_arena_array(arena, local, sizeof *s->noise);
    s->residual = rc_arena_array(arena, local, sizeof *s->residual);
    s->event_class = rc_arena_array(arena, local, 1);
    s->use = rc_arena_array(arena, local, 1);
    s->tier = rc_arena_array(arena, local, 1);
    s->tried = rc_arena_array(arena, local, sizeof *s->tried);
    s->loose = rc_arena_array(arena, local, sizeof *s->loose);
    s->reason = rc_arena_array(arena, local, sizeof *s->reason);
    s->row = rc_arena_array(arena, local, sizeof *s->row);
    int status = rc_arena_check(arena, k->err, "the events of a suite");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < local; i++) {
        s->noise[i] = s->residual[i] = NAN;
        s->row[i] = SIZE_MAX;
        s->tier[i] = RC_PIVOT_NEVER;
    }
    for (size_t i = 0; i < s->labels->source_count; i++)
        if (!s->source[i].no_basis &&
            (status = rc_columns_init(&k->grid, s->source[i].points, k->layout.columns,
                                      k->layout.block, &s->source[i].mean, k->err)) !=
                RC_OK)
            return status;
    return RC_OK;
}

/* Readings of kernels that a compiler made are not looked at (basis.c). */
static int pass_by(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    const int status = rc_solve_agree(k, make_room(k, s));

    for (size_t i = 0; i < k->layout.local && status == RC_OK; i++)
        put_class(s, i, RC_CLASS_INVALID, rc_why_compiled(k));
    return status;
}

int rc_solve_read(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    const size_t most = rc_store_piece(k->store, k->number, s->number);
    struct piece p;
    size_t local = 0, left;
    uint64_t then;
    int status;

    if (s->labels->made_by)
        return pass_by(k, s);
    if ((status = make_room(k, s)) == RC_OK)
        status = piece_init(k, s->labels, most, &k->step, &p);
    if ((status = rc_solve_agree(k, status)) != RC_OK)
        return status;
    /* A rank reads its local events in pieces that begin with a chunk of the file.
     * Ranks do not wait for each other between pieces; they agree on the status at the
     * end.
     */
    while ((left = rc_columns_run(&k->grid, &k->layout, local, &p.block.first)) > 0) {
        const uint64_t began = rc_clock_ns();
        p.block.count = p.most - p.block.first % p.most;
        if (p.block.count > left)
            p.block.count = left;
        status = rc_store_read_alone(k->store, k->number, s->number, &p.block, k->err);
        then = rc_clock_ns();
        k->seconds[RC_STAGE_READ] += (double)(then - began) / 1e9;
        for (size_t e = 0; e < p.block.count && status == RC_OK; e++)
            status = judge_event(k, s, &p, e, local++);
        k->seconds[RC_STAGE_NOISE] += (double)(rc_clock_ns() - then) / 1e9;
        if (status != RC_OK)
            break;
    }
    then = rc_clock_ns();
    status = rc_solve_agree(k, status);
    k->seconds[RC_STAGE_READ] += (double)(rc_clock_ns() - then) / 1e9;
    return status;
}

int rc_solve_threshold(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    struct rc_suite_result *r = &s->result;
    struct rc_gathered all = {0};
    double *mine = rc_arena_array(&k->step, k->layout.local, sizeof *mine);
    size_t kept = 0;
    int status = rc_solve_agree_room(k, RC_OK, "noises");

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < k->layout.local; i++)
        if (s->row[i] != SIZE_MAX)
            mine[kept++] = s->noise[i];
    /* The noises of all ranks' events that count. */
    status = rc_gather(k->how->comm, mine, kept * sizeof *mine, &all, k->err);
    if (status != RC_OK)
        return status;
    double *noise = (void *)all.byte;
    const size_t count = all.from[k->grid.ranks] / sizeof *noise;
    r->tau = k->how->tau > 0 ? k->how->tau : s->definition->tau;
    r->tau_auto = k->how->tau_gap || isnan(r->tau);
    if (r->tau_auto) {
        r->tau = rc_noise_threshold(noise, count, &r->tau_low, &r->tau_high);
    } else { /* the gap between noises in which the threshold lies */
        r->tau_low = 0;
        r->tau_high = INFINITY;
        for (size_t i = 0; i < count; i++)
            if (noise[i] <= r->tau)
                r->tau_low = fmax(r->tau_low, noise[i]);
            else
                r->tau_high = fmin(r->tau_high, noise[i]);
    }
    for (size_t i = 0; i < k->layout.local; i++)
        if (s->row[i] != SIZE_MAX && s->noise[i] > r->tau)
            put_class(s, i, RC_CLASS_NOISY, RC_WHY_NOISY);
    rc_gathered_fini(&all);
    return RC_OK;
}

int rc_solve_vectors(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                     size_t event, size_t source, double **vector, size_t *count)
{
    struct rc_arena arena = {0};
    struct piece piece;
    int status = piece_init(k, s->labels, 1, &arena, &piece);

    piece.block.first = event;
    piece.block.count = 1;
    if (status != RC_OK ||
        (status = rc_store_read_alone(k->store, k->number, s->number, &piece.block,
                                      k->err)) != RC_OK)
        goto out;
    *count = get_vectors(s, &piece, source, 0);
    drop_unmeasured(s->labels, source, piece.vector, *count);
    *vector = piece.vector;
out:
    rc_arena_free(&arena);
    return status;
}
