/* Reads a suite's results in a stream: noise, means and first classes. */
#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/words.h"
#include "campaign/records/record.h"
#include "campaign/solve/parts.h"
#include "solve/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 16 << 20 };

/* A piece of the results and what one event of it becomes. */
struct piece {
    struct rc_store_block block;
    size_t places, repetitions, points;
    double *vector; /* [place * repetition][point], of one event */
    double *room;
    const double **side; /* of the places of a repetition */
    size_t most;         /* events */
};

static void piece_fini(struct piece *p)
{
    free(p->block.values);
    free(p->block.status);
    free(p->vector);
    free(p->room);
    free((void *)p->side);
}

static int piece_init(const struct rc_store_suite *l, size_t most, struct piece *p,
                      struct rc_error *err)
{
    const size_t vectors = l->place_count * l->repetitions;

    *p = (struct piece){.places = l->place_count,
                        .repetitions = l->repetitions,
                        .points = l->point_count,
                        .most = most};
    p->block.values = rc_calloc(most * vectors, l->point_count * sizeof(int64_t));
    p->block.status = rc_calloc(most, vectors);
    p->vector = rc_calloc((vectors + 1) * l->point_count, sizeof *p->vector);
    p->room = rc_calloc(vectors, sizeof *p->room);
    p->side = rc_calloc(l->place_count, sizeof *p->side);
    if (p->block.values && p->block.status && p->vector && p->room && p->side)
        return RC_OK;
    return rc_solve_no_memory(err);
}

/* One reading per iteration: false where it is not valid. */
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

/* Whether all vectors of an event are valid and the same: most often so, and found out
 * before anything is computed of them.
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

/* All valid vectors of an event, one behind the other; their number. */
static size_t get_pooled(struct piece *p, const struct rc_store_suite *l, size_t source,
                         size_t event)
{
    size_t count = 0;

    for (size_t v = 0; v < p->places * p->repetitions; v++)
        count += get_vector(p, l, source, v, event, p->vector + count * p->points);
    return count;
}

/* For each repetition the median over the places that have it, whose vectors stand
 * behind the room of the medians: (places - 1) (repetitions - 1) >= 0.
 */
static size_t get_medians(struct piece *p, const struct rc_store_suite *l,
                          size_t source, size_t event)
{
    double *scratch = p->vector + p->repetitions * p->points;
    size_t count = 0;

    for (size_t r = 0; r < p->repetitions; r++) {
        size_t sides = 0;
        for (size_t q = 0; q < p->places; q++) {
            double *at = scratch + sides * p->points;
            if (get_vector(p, l, source, q * p->repetitions + r, event, at))
                p->side[sides++] = at;
        }
        if (sides)
            rc_noise_median(p->side, sides, p->points, p->room,
                            p->vector + count++ * p->points);
    }
    return count;
}

static bool takes_median(const struct rc_solve_suite *s)
{
    return s->definition && s->definition->places == RC_PLACES_MEDIAN &&
           s->labels->place_count > 1;
}

static size_t get_vectors(const struct rc_solve_suite *s, struct piece *p,
                          size_t source, size_t event)
{
    return takes_median(s) ? get_medians(p, s->labels, source, event)
                           : get_pooled(p, s->labels, source, event);
}

/* Vectors have no place for points that their source does not measure. */
static void squeeze(const struct rc_store_suite *l, size_t source, double *vector,
                    size_t count, size_t *points)
{
    const uint64_t *iterations = l->iterations + source * l->point_count;
    size_t to = 0;

    *points = 0;
    for (size_t i = 0; i < l->point_count; i++)
        *points += iterations[i] != 0;
    if (*points == l->point_count)
        return;
    for (size_t v = 0; v < count; v++)
        for (size_t i = 0; i < l->point_count; i++)
            if (iterations[i])
                vector[to++] = vector[v * l->point_count + i];
}

static bool is_zero(const double *mean, size_t points)
{
    for (size_t i = 0; i < points; i++)
        if (mean[i] != 0)
            return false;
    return true;
}

/* Keeps the mean of an event that counts: with NAN where it is not measured, and
 * in the matrix that its source's events are represented from.
 */
static int keep_mean(struct rc_solve_suite *s, size_t source, size_t local,
                     const double *mean)
{
    const struct rc_store_suite *l = s->labels;
    struct rc_solve_source *from = &s->source[source];
    double *row, *column = from->mean.data + local * from->points;

    if (s->rows == s->room) {
        size_t room = s->room + s->room / 2 + 64;
        double *more = realloc(s->mean, room * l->point_count * sizeof *more);
        if (!more)
            return -1;
        s->mean = more;
        s->room = room;
    }
    row = s->mean + s->rows * l->point_count;
    for (size_t i = 0, m = 0; i < l->point_count; i++)
        row[i] = l->iterations[source * l->point_count + i] ? mean[m++] : NAN;
    for (size_t i = 0; i < from->points && !from->no_basis; i++)
        column[i] = row[from->point[i]];
    s->row[local] = s->rows++;
    return 0;
}

static void judge(struct rc_solve_suite *s, size_t local, enum rc_class class,
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

/* How many vectors an event must have: of one alone nobody knows the noise. */
static size_t fewest(const struct rc_solve_suite *s)
{
    return s->definition && s->definition->single ? 1 : 2;
}

/* The vectors of an event as one, which is in 'p' until the next event: their mean, how
 * far they are from each other, and their points.  How many they are; nothing is set
 * where there are too few.
 */
static size_t average(const struct rc_solve_suite *s, struct piece *p, size_t source,
                      size_t event, const double **mean, double *noise, size_t *points)
{
    size_t count;

    if (is_repeated(p, event) &&
        get_vector(p, s->labels, source, 0, event, p->vector)) {
        squeeze(s->labels, source, p->vector, 1, points);
        *mean = p->vector;
        *noise = 0;
        return p->repetitions;
    }
    count = get_vectors(s, p, source, event);
    if (count < fewest(s))
        return count;
    squeeze(s->labels, source, p->vector, count, points);
    double *room = p->vector + count * *points; /* there is room for one more */
    *noise = count > 1 ? rc_noise_between(p->vector, count, *points, p->room) : 0;
    rc_noise_mean(p->vector, count, *points, room);
    *mean = room;
    return count;
}

/* Event 'event' of the piece. */
static int take_event(struct rc_solve_kind *k, struct rc_solve_suite *s,
                      struct piece *p, size_t event, size_t local)
{
    const size_t source = rc_solve_source_number(s, k->source_name[local]);
    const double *mean = NULL;
    size_t points = 0, count = 0;
    double noise = NAN;

    if (source < s->labels->source_count)
        count = average(s, p, source, event, &mean, &noise, &points);
    if (count < fewest(s)) {
        judge(s, local, RC_CLASS_INVALID,
              count ? (uint32_t)RC_WHY_ONE_ONLY : why_missing(k, p, event, local));
        return 0;
    }
    s->noise[local] = noise;
    if (is_zero(mean, points)) {
        judge(s, local, RC_CLASS_IRRELEVANT, RC_WHY_IRRELEVANT);
        return 0;
    }
    judge(s, local, noise == 0 && count > 1 ? RC_CLASS_EXACT : RC_CLASS_STEADY, 0);
    return keep_mean(s, source, local, mean);
}

/* Events of a block, in pieces that begin where a chunk of the file does. */
struct range {
    size_t local, first, count;
};

static size_t piece_events(struct rc_solve_kind *k, const struct rc_solve_suite *s)
{
    const struct rc_store_suite *l = s->labels;
    const size_t chunk = rc_store_chunk(k->store, k->number, s->number);
    const size_t bytes = l->place_count * l->repetitions * l->point_count * 8;
    const size_t chunks = bytes ? PIECE_BYTES / (bytes * chunk + 1) : 1;

    return chunk * (chunks ? chunks : 1);
}

/* The piece behind 'before'; count 0 behind the last one. */
static struct range next_range(const struct rc_solve_kind *k, struct range before,
                               size_t most)
{
    struct range next = {.local = before.local + before.count};

    const size_t left = rc_columns_run(&k->grid, &k->layout, next.local, &next.first);

    next.count = most - next.first % most;
    if (next.count > left)
        next.count = left;
    return next;
}

static int take_piece(struct rc_solve_kind *k, struct rc_solve_suite *s,
                      struct piece *p, struct range range, struct rc_error *err)
{
    const uint64_t began = rc_clock_ns();
    int status = RC_OK;

    for (size_t e = 0; e < range.count && status == RC_OK; e++)
        if (take_event(k, s, p, e, range.local + e))
            status = rc_solve_no_memory(err);
    k->seconds[RC_STAGE_NOISE] += (double)(rc_clock_ns() - began) / 1e9;
    return status;
}

static int read_piece(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                      struct piece *p, struct range range, struct rc_error *err)
{
    const uint64_t began = rc_clock_ns();

    p->block.first = range.first;
    p->block.count = range.count;
    int status = rc_store_read_alone(k->store, k->number, s->number, &p->block, err);
    k->seconds[RC_STAGE_READ] += (double)(rc_clock_ns() - began) / 1e9;
    return status;
}

/* Nobody waits for another between pieces. */
static int read_pieces(struct rc_solve_kind *k, struct rc_solve_suite *s,
                       struct piece *p, struct rc_error *err)
{
    struct range range = next_range(k, (struct range){0}, p->most);
    int status = RC_OK;

    while (status == RC_OK && range.count > 0) {
        status = read_piece(k, s, p, range, err);
        if (status == RC_OK)
            status = take_piece(k, s, p, range, err);
        range = next_range(k, range, p->most);
    }
    const uint64_t done = rc_clock_ns();
    status = rc_agree(k->how->comm, status, err);
    k->seconds[RC_STAGE_READ] += (double)(rc_clock_ns() - done) / 1e9;
    return status;
}

static int make_room(struct rc_solve_kind *k, struct rc_solve_suite *s,
                     struct rc_error *err)
{
    const size_t local = k->layout.local;
    int status = RC_OK;

    s->noise = rc_calloc(local, sizeof *s->noise);
    s->residual = rc_calloc(local, sizeof *s->residual);
    s->event_class = rc_calloc(local, 1);
    s->use = rc_calloc(local, 1);
    s->tier = rc_calloc(local, 1);
    s->tried = rc_calloc(local, sizeof *s->tried);
    s->loose = rc_calloc(local, sizeof *s->loose);
    s->reason = rc_calloc(local, sizeof *s->reason);
    s->row = rc_calloc(local, sizeof *s->row);
    if (!s->noise || !s->residual || !s->event_class || !s->use || !s->tier ||
        !s->tried || !s->loose || !s->reason || !s->row)
        return rc_solve_no_memory(err);
    for (size_t i = 0; i < local; i++) {
        s->noise[i] = s->residual[i] = NAN;
        s->row[i] = SIZE_MAX;
        s->tier[i] = RC_PIVOT_NEVER;
    }
    for (size_t i = 0; i < s->labels->source_count && status == RC_OK; i++)
        if (!s->source[i].no_basis)
            status = rc_columns_init(&k->grid, s->source[i].points, k->layout.columns,
                                     k->layout.block, &s->source[i].mean, err);
    return status;
}

int rc_solve_read(struct rc_solve_kind *k, struct rc_solve_suite *s,
                  struct rc_error *err)
{
    struct piece piece = {0};
    int status = make_room(k, s, err);

    if (status == RC_OK)
        status = piece_init(s->labels, piece_events(k, s), &piece, err);
    status = rc_agree(k->how->comm, status, err);
    if (status == RC_OK)
        status = read_pieces(k, s, &piece, err);
    piece_fini(&piece);
    return status;
}

/* All ranks' noises that are numbers of events that count, on every rank. */
static int all_noises(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                      double **out, size_t *count, struct rc_error *err)
{
    MPI_Comm comm = k->how->comm;
    const int ranks = rc_team_size(comm);
    double *mine = rc_calloc(k->layout.local, sizeof *mine);
    int *counts = rc_calloc((size_t)ranks * 2, sizeof *counts), *from = NULL, kept = 0;
    int status = mine && counts ? RC_OK : rc_solve_no_memory(err);

    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < k->layout.local && status == RC_OK; i++)
        if (s->row[i] != SIZE_MAX)
            mine[kept++] = s->noise[i];
    *out = status == RC_OK ? rc_calloc(k->layout.columns, sizeof **out) : NULL;
    if (status == RC_OK && !*out)
        status = rc_solve_no_memory(err);
    status = rc_agree(comm, status, err);
    if (status == RC_OK && comm == MPI_COMM_NULL) {
        memcpy(*out, mine, (size_t)kept * sizeof *mine);
        *count = (size_t)kept;
    } else if (status == RC_OK) {
        from = counts + ranks;
        MPI_Allgather(&kept, 1, MPI_INT, counts, 1, MPI_INT, comm);
        for (int r = 0; r < ranks; r++) {
            from[r] = (int)*count;
            *count += (size_t)counts[r];
        }
        MPI_Allgatherv(mine, kept, MPI_DOUBLE, *out, counts, from, MPI_DOUBLE, comm);
    }
    free(counts);
    free(mine);
    return status;
}

static double wanted_threshold(const struct rc_solve_kind *k,
                               const struct rc_solve_suite *s)
{
    if (k->how->tau_gap)
        return NAN;
    if (k->how->tau > 0)
        return k->how->tau;
    return s->definition ? s->definition->tau : NAN;
}

/* The gap between noises in which a threshold lies. */
static void gap_around(const double *noise, size_t count, double tau, double *low,
                       double *high)
{
    *low = 0;
    *high = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (noise[i] <= tau)
            *low = fmax(*low, noise[i]);
        else
            *high = fmin(*high, noise[i]);
    }
}

int rc_solve_threshold(struct rc_solve_kind *k, struct rc_solve_suite *s,
                       struct rc_error *err)
{
    struct rc_suite_result *r = &s->result;
    double *noise = NULL;
    size_t count = 0;
    int status = all_noises(k, s, &noise, &count, err);

    if (status == RC_OK) {
        r->tau = wanted_threshold(k, s);
        r->tau_auto = isnan(r->tau);
        if (r->tau_auto)
            r->tau = rc_noise_threshold(noise, count, &r->tau_low, &r->tau_high);
        else
            gap_around(noise, count, r->tau, &r->tau_low, &r->tau_high);
        for (size_t i = 0; i < k->layout.local; i++)
            if (s->row[i] != SIZE_MAX && s->noise[i] > r->tau)
                judge(s, i, RC_CLASS_NOISY, RC_WHY_NOISY);
    }
    free(noise);
    return status;
}

int rc_solve_vectors(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                     size_t event, size_t source, double **vector, size_t *count,
                     struct rc_error *err)
{
    struct piece piece = {0};
    size_t points = 0;
    int status = piece_init(s->labels, 1, &piece, err);

    *vector = NULL;
    *count = 0;
    if (status == RC_OK) {
        piece.block.first = event;
        piece.block.count = 1;
        status = rc_store_read_alone(k->store, k->number, s->number, &piece.block, err);
    }
    if (status == RC_OK) {
        *count = get_vectors(s, &piece, source, 0);
        squeeze(s->labels, source, piece.vector, *count, &points);
        *vector = piece.vector;
        piece.vector = NULL;
    }
    piece_fini(&piece);
    return status;
}
