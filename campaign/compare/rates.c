/* Rates that changed between two campaigns: judged as an event's readings are (chance.c),
 * a repetition, or with many rows the mean of one, being a vector over the points that
 * both know.
 */
#include "campaign/base/memory.h"
#include "campaign/compare/parts.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = 3
}; /* with at least so many, a row is a vector, as places of events are */

/* A rate has no count that rounding could put off: as after so many iterations. */
#define ITERATIONS 1e15

/* A rate in one campaign. */
struct side {
    const struct rc_rate_result *rate;
    size_t *point; /* [common point]: its number */
    double *vector;
    size_t count;
};

static bool is_known(const struct rc_rate_result *r, size_t point)
{
    for (size_t n = 0; n < r->node_count; n++)
        if (!isnan(r->median[n * r->point_count + point]))
            return true;
    return false;
}

static size_t common_points(struct side side[2])
{
    size_t count = 0;

    for (size_t p = 0; p < side[0].rate->point_count; p++)
        for (size_t q = 0; q < side[1].rate->point_count; q++)
            if (strcmp(side[0].rate->point[p], side[1].rate->point[q]) == 0 &&
                is_known(side[0].rate, p) && is_known(side[1].rate, q)) {
                side[0].point[count] = p;
                side[1].point[count++] = q;
                break;
            }
    return count;
}

/* Fills in the vectors; one with a value that is not known is none. */
static void make_vectors(struct side *s, size_t points)
{
    const struct rc_rate_result *r = s->rate;

    for (size_t n = 0; n < r->node_count; n++) {
        const size_t first = s->count;
        for (size_t i = 0; i < r->repetitions; i++) {
            double *out = s->vector + s->count * points;
            bool whole = true;
            for (size_t p = 0; p < points; p++) {
                out[p] =
                    r->values[(n * r->repetitions + i) * r->point_count + s->point[p]];
                whole &= !isnan(out[p]);
            }
            s->count += whole;
        }
        if (r->node_count < ROWS || s->count == first)
            continue;
        double *mean = s->vector + first * points;
        for (size_t p = 0; p < points; p++) {
            double sum = 0;
            for (size_t v = first; v < s->count; v++)
                sum += s->vector[v * points + p];
            mean[p] = sum / (double)(s->count - first);
        }
        s->count = first + 1;
    }
}

/* The sum of all vectors' means, of which the sign of a change follows. */
static double mean_of(const struct side *s, size_t points)
{
    double sum = 0;

    for (size_t i = 0; i < s->count * points; i++)
        sum += s->vector[i];
    return sum / (double)s->count;
}

/* *off: how much less (below 0) or more the rate is after, as a share; 0: as before. */
static int judge_rate(const struct rc_compare_job *job, const struct rc_rate_result *a,
                      const struct rc_rate_result *b, double *off, struct rc_error *err)
{
    struct rc_arena arena = {0};
    struct side side[2] = {{.rate = a}, {.rate = b}};
    size_t vectors = 0;

    *off = 0;
    for (int s = 0; s < 2; s++) {
        const struct rc_rate_result *r = side[s].rate;
        const size_t all = r->node_count * r->repetitions;
        side[s].point = rc_arena_array(&arena, a->point_count, sizeof *side[s].point);
        side[s].vector =
            rc_arena_array(&arena, all, a->point_count * sizeof *side[s].vector);
        vectors += all;
    }
    double *iterations = rc_arena_array(&arena, a->point_count, sizeof *iterations);
    double *room = rc_arena_array(&arena, a->point_count + vectors, sizeof *room);
    const int status = rc_arena_check(&arena, err, "the values of rates");
    if (status != RC_OK)
        goto out;
    const size_t points = common_points(side);
    for (size_t p = 0; p < points; p++)
        iterations[p] = ITERATIONS;
    for (int s = 0; s < 2; s++)
        make_vectors(&side[s], points);
    if (points == 0 || side[0].count < 2 || side[1].count < 2)
        goto out;
    const struct rc_compare_judgement judged =
        rc_compare_judge(&(struct rc_compare_readings){side[0].vector, side[0].count},
                         &(struct rc_compare_readings){side[1].vector, side[1].count},
                         iterations, points, room);
    if (judged.counts < job->threshold || (job->compare.strict && judged.off > 0))
        *off =
            copysign(judged.off, mean_of(&side[1], points) - mean_of(&side[0], points));
out:
    rc_arena_free(&arena);
    return status;
}

/* The same rate in another campaign, or NULL. */
static const struct rc_rate_result *find_rate(const struct rc_suite_result *in,
                                              const struct rc_rate_result *rate)
{
    for (size_t i = 0; i < in->rate_count; i++)
        if (strcmp(in->rate[i].name, rate->name) == 0 &&
            strcmp(in->rate[i].unit, rate->unit) == 0 &&
            strcmp(in->rate[i].formula, rate->formula) == 0)
            return &in->rate[i];
    return NULL;
}

int rc_compare_rates(struct rc_compare_job *job, size_t column, size_t suite,
                     struct rc_error *err)
{
    struct rc_compare *c = &job->compare;
    struct rc_compare_column *of = &c->column[column];
    const struct rc_suite_result *a = c->suite[suite].result[of->reference],
                                 *b = c->suite[suite].result[column];
    struct rc_compare_group group = {.what = RC_CHANGE_RATES, .suite = suite};

    if (!a || !b || b->rate_count == 0)
        return RC_OK;
    group.change = rc_arena_array(&c->arena, b->rate_count, sizeof *group.change);
    struct rc_compare_event *name =
        rc_arena_array(&c->arena, b->rate_count, sizeof *name);
    int status = rc_arena_check(&c->arena, err, "rates that changed");
    for (size_t r = 0; r < b->rate_count && status == RC_OK; r++) {
        const struct rc_rate_result *before = find_rate(a, &b->rate[r]);
        double off = 0;
        name[r] = (struct rc_compare_event){b->rate[r].name, b->rate[r].unit, ""};
        if (before)
            status = judge_rate(job, before, &b->rate[r], &off, err);
        if (off != 0)
            group.change[group.count++] =
                (struct rc_compare_change){RC_COMPARE_NONE, r, NAN, NAN, off};
    }
    group.rate = name;
    if (status != RC_OK || group.count == 0)
        return status;
    if (rc_grow(&of->group, sizeof *of->group, of->group_count, &of->group_room))
        return rc_fail(err, RC_ENOMEM, "no memory for rates that changed");
    of->group[of->group_count++] = group;
    of->change_count += group.count;
    c->differences[RC_COMPARE_RATES] += group.count;
    return RC_OK;
}
