/* Means of the readings in campaign.h5, on which trees and metrics are tried. */
#include "campaign/solve/readings/means.h"

#include "campaign/base/arena.h"

#include <math.h>
#include <string.h>

/* A reading has counts besides the kernel's.  These may differ between events by at
 * least this much.
 */
static const double counts_besides = 2;
/* There are at most as many of these counts as in a suite's least reading, and at most
 * besides_times the least reading of all suites plus besides_more.
 */
static const double besides_times = 2, besides_more = 64;
/* Their number is taken as this many standard errors of a reading; trees tolerate eight
 * (solve/hierarchy/value.c).
 */
static const double besides_errors = 4;

/* Puts the means over valid repetitions and places, and their standard errors: those of
 * each point, or that of the whole suite if it is more.  Returns the least reading.
 */
static double put_means(const struct rc_store_suite *s, const uint64_t *iterations,
                        const struct rc_store_block *block, uint8_t ok, double *mean,
                        double *error)
{
    const size_t vectors = s->place_count * s->repetitions;
    double relative = 0, least = INFINITY;
    size_t some = 0;

    for (size_t p = 0; p < s->point_count; p++) {
        double sum = 0, squares = 0, n = 0;
        for (size_t v = 0; v < vectors; v++) {
            const int64_t x = block->values[v * s->point_count + p];
            if (block->status[v] != ok || x == RC_STORE_MISSING_VALUE || !iterations[p])
                continue;
            const double per = (double)x / (double)iterations[p];
            sum += per;
            squares += per * per;
            n++;
        }
        mean[p] = n > 0 ? sum / n : NAN;
        const double variance = n > 1 ? fmax(0, squares - sum * sum / n) / (n - 1) : 0;
        error[p] = n > 0 ? sqrt(variance / n) : 0;
        if (n > 1 && fabs(mean[p]) > 0) {
            relative += variance / (mean[p] * mean[p] * n);
            some++;
        }
        least = fmin(least, fabs(mean[p]) * (double)iterations[p]); /* ignores a NAN */
    }
    relative = some ? sqrt(relative / (double)some) : 0;
    for (size_t p = 0; p < s->point_count; p++)
        error[p] = fmax(error[p], isnan(mean[p]) ? 0 : relative * fabs(mean[p]));
    return least;
}

static const uint64_t *iterations_of(const struct rc_store_suite *s, const char *source)
{
    size_t from = 0;

    for (size_t i = 0; i < s->source_count; i++)
        if (strcmp(s->sources[i], source) == 0)
            from = i;
    return s->iterations + from * s->point_count;
}

static int read_suite(struct rc_store *store, size_t kind, size_t suite, size_t event,
                      const char *source, double *mean, double *error, double *least,
                      struct rc_error *err)
{
    const struct rc_store_suite *s = rc_store_suite(store, kind, suite);
    const size_t vectors = s->place_count * s->repetitions;
    struct rc_arena arena = {0};
    struct rc_store_block block = {
        .first = event,
        .count = 1,
        .values = rc_arena_array(&arena, vectors, s->point_count * sizeof(int64_t)),
        .status = rc_arena_array(&arena, vectors, 1)};
    uint8_t ok = 0;
    int status = rc_arena_check(&arena, err, "readings");

    for (size_t i = 0; i < s->status_count; i++)
        if (strcmp(s->statuses[i], "ok") == 0)
            ok = (uint8_t)i;
    if (status == RC_OK &&
        (status = rc_store_read_alone(store, kind, suite, &block, err)) == RC_OK)
        *least = put_means(s, iterations_of(s, source), &block, ok, mean, error);
    rc_arena_free(&arena);
    return status;
}

int rc_solve_read_means(struct rc_store *store, size_t kind, size_t event,
                        const char *source, double *mean, double *error,
                        struct rc_error *err)
{
    const size_t suites = rc_store_suite_count(store, kind);
    struct rc_arena arena = {0};
    double all = INFINITY, *least = rc_arena_array(&arena, suites, sizeof *least);
    int status = rc_arena_check(&arena, err, "readings");
    size_t at = 0;

    for (size_t i = 0; i < suites && status == RC_OK; i++) {
        status = read_suite(store, kind, i, event, source, mean + at, error + at,
                            &least[i], err);
        all = fmin(all, least[i]);
        at += rc_store_suite(store, kind, i)->point_count;
    }
    at = 0;
    for (size_t i = 0; i < suites && status == RC_OK; i++) {
        const struct rc_store_suite *s = rc_store_suite(store, kind, i);
        const uint64_t *iterations = iterations_of(s, source);
        const double besides =
            fmax(counts_besides,
                 fmin(least[i], besides_times * all + besides_more) / besides_errors);
        for (size_t p = 0; p < s->point_count; p++, at++)
            if (!isnan(mean[at]))
                error[at] = fmax(error[at], besides / (double)iterations[p]);
    }
    rc_arena_free(&arena);
    return status;
}
