/* Reads two campaigns' readings, event by event, and has them judged (chance.c).
 *
 * They are in campaign.h5 beside metrics.h5.  A vector is one repetition's counts on
 * the points that both have, per iteration; if many places were measured, it is the
 * mean of a place, since places scatter more than repetitions.
 */
#include "campaign/compare/parts.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/records/record.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PLACES = 3 }; /* with at least so many, a place is a vector */

struct rc_store *rc_compare_open_readings(const char *operand,
                                          const struct rc_store_campaign *results)
{
    struct rc_error unknown = {.rank = -1}; /* readings are optional */
    struct rc_store *store = NULL;
    char path[PATH_MAX], copy[PATH_MAX];
    struct stat found;

    snprintf(copy, sizeof copy, "%s", operand);
    const char *dir =
        stat(operand, &found) == 0 && S_ISDIR(found.st_mode) ? operand : dirname(copy);
    if (rc_campaign_dir_results(dir, path, sizeof path, &unknown) != RC_OK ||
        rc_store_open(MPI_COMM_NULL, path, &store, &unknown) != RC_OK)
        return NULL;
    const struct rc_store_campaign *own = rc_store_campaign(store);
    if (strcmp(own->id, results->id) == 0 && strcmp(own->digest, results->digest) == 0)
        return store;
    (void)rc_store_close(store, &unknown);
    return NULL;
}

/* A campaign's readings of a suite. */
struct side {
    struct rc_store *store;
    size_t kind, suite;
    const struct rc_store_suite *labels;
    const struct rc_compare_column *column;
    size_t *point; /* [common point]: its number */
    size_t each;   /* vectors of an event, at most */
    struct rc_store_block block;
    double *vector; /* [each][common point], of the present event */
};

static bool open_side(const struct rc_compare_job *job, size_t column,
                      const char *suite, struct side *side)
{
    *side = (struct side){.store = job->readings[job->operand[column]],
                          .column = &job->compare.column[column]};
    if (!side->store)
        return false;
    side->kind = rc_store_find_kind(side->store, side->column->kind->name);
    side->suite = rc_store_find_suite(side->store, side->kind, suite);
    if (side->kind == rc_store_kind_count(side->store) ||
        side->suite == rc_store_suite_count(side->store, side->kind) ||
        rc_store_kind(side->store, side->kind)->event_count !=
            side->column->event_count)
        return false;
    side->labels = rc_store_suite(side->store, side->kind, side->suite);
    side->each = side->labels->place_count * side->labels->repetitions;
    return true;
}

static void make_side(struct rc_arena *arena, struct side *s, size_t points,
                      size_t events)
{
    const struct rc_store_suite *l = s->labels;

    s->point = rc_arena_array(arena, points, sizeof *s->point);
    s->block.values =
        rc_arena_array(arena, events * s->each, l->point_count * sizeof(int64_t));
    s->block.status = rc_arena_array(arena, events, s->each);
    s->vector = rc_arena_array(arena, s->each, points * sizeof *s->vector);
}

static size_t source_of(const struct side *s, size_t event)
{
    size_t i = 0;

    while (i < s->labels->source_count &&
           strcmp(s->labels->sources[i], s->column->event[event].source) != 0)
        i++;
    return i;
}

/* Fills in one vector; false: it is not valid. */
static bool get_vector(const struct side *s, size_t row, const uint64_t *iterations,
                       size_t points, double *out)
{
    const int64_t *value = s->block.values + row * s->labels->point_count;

    if (s->block.status[row] != RC_READING_OK)
        return false;
    for (size_t p = 0; p < points; p++) {
        if (value[s->point[p]] == RC_STORE_MISSING_VALUE)
            return false;
        out[p] = (double)value[s->point[p]] / (double)iterations[s->point[p]];
    }
    return true;
}

/* Fills in the vectors of the block's event 'at'; returns their number. */
static size_t get_vectors(const struct side *s, size_t at, const uint64_t *iterations,
                          size_t points)
{
    const size_t places = s->labels->place_count, repetitions = s->labels->repetitions;
    size_t count = 0;

    for (size_t q = 0; q < places; q++) {
        const size_t first = count;
        for (size_t r = 0; r < repetitions; r++)
            count += get_vector(s, (at * places + q) * repetitions + r, iterations,
                                points, s->vector + count * points);
        if (places < PLACES || count == first)
            continue;
        double *mean = s->vector + first * points;
        for (size_t p = 0; p < points; p++) {
            double sum = 0;
            for (size_t v = first; v < count; v++)
                sum += s->vector[v * points + p];
            mean[p] = sum / (double)(count - first);
        }
        count = first + 1;
    }
    return count;
}

/* Finds the points that both sides have and measure by these sources. */
static size_t common_points(struct side *side, const uint64_t *const iterations[2])
{
    size_t count = 0;

    for (size_t p = 0; p < side[0].labels->point_count; p++)
        for (size_t q = 0; q < side[1].labels->point_count; q++)
            if (iterations[0][p] && iterations[1][q] &&
                strcmp(side[0].labels->points[p], side[1].labels->points[q]) == 0) {
                side[0].point[count] = p;
                side[1].point[count++] = q;
                break;
            }
    return count;
}

/* A column and its reference in a suite, whose events are judged one by one. */
struct judging {
    struct side side[2];
    size_t source[2], points; /* of the latest events; number of their common points */
    const uint64_t *iterations[2];
    double *least, *room; /* [point]: the smaller iterations; for rc_compare_judge() */
    double threshold;
    struct rc_compare_judged *out;
};

/* Events of a source follow each other: its points are found once. */
static void judge_event(struct judging *j, size_t at, size_t before, size_t after)
{
    const size_t source[2] = {source_of(&j->side[0], before),
                              source_of(&j->side[1], after)};
    struct rc_compare_readings readings[2];

    for (int s = 0; s < 2; s++)
        if (source[s] == j->side[s].labels->source_count ||
            j->side[1].column->state[after])
            return; /* states may be times of a node's own clock */
    if (source[0] != j->source[0] || source[1] != j->source[1] || !j->iterations[0]) {
        for (int s = 0; s < 2; s++) {
            j->source[s] = source[s];
            j->iterations[s] = j->side[s].labels->iterations +
                               source[s] * j->side[s].labels->point_count;
        }
        j->points = common_points(j->side, j->iterations);
        for (size_t p = 0; p < j->points; p++) {
            const uint64_t a = j->iterations[0][j->side[0].point[p]],
                           b = j->iterations[1][j->side[1].point[p]];
            j->least[p] = (double)(a < b ? a : b);
        }
    }
    for (int s = 0; s < 2; s++)
        readings[s] = (struct rc_compare_readings){
            j->side[s].vector,
            get_vectors(&j->side[s], at, j->iterations[s], j->points)};
    if (j->points == 0 || readings[0].count < 2 || readings[1].count < 2)
        return;
    const struct rc_compare_judgement judgement =
        rc_compare_judge(&readings[0], &readings[1], j->least, j->points, j->room);
    j->out[after] =
        (struct rc_compare_judged){.known = true,
                                   .counts = judgement.counts < j->threshold,
                                   .noise = judgement.noise < j->threshold,
                                   .off = judgement.off};
}

int rc_compare_judge_suite(struct rc_compare_job *job, size_t column, const char *suite,
                           const size_t *match, struct rc_compare_judged *out,
                           struct rc_error *err)
{
    const struct rc_compare_column *c = &job->compare.column[column];
    struct judging j = {.threshold = job->threshold, .out = out};
    struct rc_arena arena = {0};
    size_t piece = SIZE_MAX, points, vectors = 0;
    int status;

    if (!open_side(job, c->reference, suite, &j.side[0]) ||
        !open_side(job, column, suite, &j.side[1]))
        return RC_OK;
    for (int s = 0; s < 2; s++) {
        const size_t most =
            rc_store_piece(j.side[s].store, j.side[s].kind, j.side[s].suite);
        piece = most < piece ? most : piece;
        vectors += j.side[s].each;
    }
    points = j.side[0].labels->point_count;
    for (int s = 0; s < 2; s++)
        make_side(&arena, &j.side[s], points, piece);
    j.least = rc_arena_array(&arena, points, sizeof *j.least);
    j.room = rc_arena_array(&arena, points + vectors, sizeof *j.room);
    if ((status = rc_arena_check(&arena, err, "the readings of events")) != RC_OK)
        goto out;
    for (size_t i = 0, count; i < c->event_count && status == RC_OK; i += count) {
        /* Events that follow each other in both are read together. */
        for (count = 1; match[i] != RC_COMPARE_NONE && count < piece &&
                        i + count < c->event_count &&
                        match[i + count] == match[i] + count;)
            count++;
        if (match[i] == RC_COMPARE_NONE)
            continue;
        const size_t first[2] = {match[i], i};
        for (int s = 0; s < 2 && status == RC_OK; s++) {
            j.side[s].block.first = first[s];
            j.side[s].block.count = count;
            status = rc_store_read_alone(j.side[s].store, j.side[s].kind,
                                         j.side[s].suite, &j.side[s].block, err);
        }
        for (size_t k = 0; k < count && status == RC_OK; k++)
            judge_event(&j, k, match[i] + k, i + k);
    }
out:
    rc_arena_free(&arena);
    return status;
}
