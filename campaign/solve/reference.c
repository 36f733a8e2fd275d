/* Metrics by reference: events that count cycles, which are not a sum of instructions.
 *
 * The kernels of such a suite take a known time in cycles, since each instruction waits
 * for the one before it (kernels/cycles.c).  An event passes if it counts that time on
 * every point, within the residual that a representation may have, and keeps counting
 * where the core waits longer.  Its count divided by the time that passed during the
 * same readings is the clock rate (docs/solve.md).
 */
#include "campaign/base/text.h"
#include "campaign/records/record.h"
#include "campaign/solve/parts.h"

#include <math.h>
#include <string.h>

/* Where a result takes several cycles, a clock counts more than there are instructions:
 * at least this many for each instruction.
 */
static const double waiting_least = 1.5;

/* Possible clock rates of a core in GHz; outside of these the times are wrong. */
static const double clock_least = 0.01, clock_most = 20;

/* Judges an event that fits, by its mean on all points: RC_WHY_NOTHING: it is the
 * clock.
 */
static enum rc_solve_reason try_event(const struct rc_solve_suite *s,
                                      const double *mean)
{
    const double bound = s->definition->residual;

    for (size_t p = 0; p < s->labels->point_count; p++) {
        const double clock = s->ideal[p * s->ideals];
        if (isnan(mean[p])) /* not measured */
            continue;
        if (!isnan(clock) && fabs(mean[p] - clock) > bound * clock)
            return RC_WHY_RATE;
        if (isnan(clock) && mean[p] < waiting_least * rc_solve_ideal(s, "INS", p))
            return RC_WHY_WAITS;
    }
    return RC_WHY_NOTHING;
}

void rc_solve_reference_events(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    for (size_t i = 0; i < k->layout.local; i++) {
        if (s->tier[i] == RC_PIVOT_NEVER)
            continue;
        const enum rc_solve_reason why =
            try_event(s, s->mean + s->row[i] * s->labels->point_count);
        /* For a clock it does not matter whether it is a sum of other ideals, too. */
        s->tier[i] = why == RC_WHY_NOTHING ? RC_PIVOT_FIRST : RC_PIVOT_NEVER;
        s->use[i] = why == RC_WHY_NOTHING ? RC_USE_NONE : RC_USE_OUTSIDE;
        s->reason[i] = why;
    }
}

/* The rate of an event by wall time, in GHz, over all places and repetitions; all are 0
 * where the rate is not a possible one.
 */
struct rate {
    double mean, low, high;
};

static int find_rate(const struct rc_solve_kind *k, const struct rc_solve_suite *s,
                     size_t event, struct rate *out)
{
    const size_t vectors = s->labels->place_count * s->labels->repetitions;
    const size_t points = s->labels->point_count;
    struct rc_arena arena = {0};
    struct rc_store_block block = {
        .first = event,
        .count = 1,
        .values = rc_arena_array(&arena, vectors * points, sizeof *block.values),
        .enabled_ns = rc_arena_array(&arena, vectors, sizeof *block.enabled_ns),
        .status = rc_arena_array(&arena, vectors, 1)};
    double count = 0, ns = 0;
    int status = rc_arena_check(&arena, k->err, "the readings of an event");

    *out = (struct rate){0, INFINITY, 0};
    if (status != RC_OK || (status = rc_store_read_alone(k->store, k->number, s->number,
                                                         &block, k->err)) != RC_OK)
        goto out;
    for (size_t v = 0; v < vectors; v++) {
        double sum = 0;
        if (block.status[v] != RC_READING_OK || block.enabled_ns[v] == 0)
            continue;
        for (size_t p = 0; p < points; p++)
            if (block.values[v * points + p] != RC_STORE_MISSING_VALUE)
                sum += (double)block.values[v * points + p];
        out->low = fmin(out->low, sum / (double)block.enabled_ns[v]);
        out->high = fmax(out->high, sum / (double)block.enabled_ns[v]);
        count += sum;
        ns += (double)block.enabled_ns[v];
    }
    if (ns > 0 && count / ns >= clock_least && count / ns <= clock_most)
        out->mean = count / ns;
    else
        *out = (struct rate){0, 0, 0};
out:
    rc_arena_free(&arena);
    return status;
}

/* The first event of all ranks that counts at another rate than the core, or SIZE_MAX.
 */
static size_t other_clock(const struct rc_solve_kind *k, const struct rc_solve_suite *s)
{
    uint64_t first = UINT64_MAX;

    for (size_t i = 0; i < k->layout.local; i++)
        if (s->reason[i] == RC_WHY_RATE) {
            const uint64_t event = rc_columns_global(&k->grid, &k->layout, i);
            first = event < first ? event : first;
        }
    rc_team_reduce(k->how->comm, &first, 1, MPI_UINT64_T, MPI_MIN);
    return first == UINT64_MAX ? SIZE_MAX : (size_t)first;
}

/* Gives a metric for which no event is the clock its verdict and reason. */
static int judge_absent(struct rc_solve_kind *k, struct rc_solve_suite *s,
                        struct rc_metric_result *m)
{
    const size_t event = other_clock(k, s);
    const bool known = s->unread == 0 && !k->selected;
    struct rate rate = {0};
    const char *name = "";
    char text[RC_ERROR_TEXT] = "";
    int status = RC_OK;

    m->verdict = known ? RC_METRIC_ABSENT : RC_METRIC_UNKNOWN;
    rc_text_append(text, sizeof text,
                   "no event counts 1 for each addition that waits for another, and "
                   "goes on where the core waits longer");
    if (event != SIZE_MAX) {
        if ((status = rc_solve_agree(k, find_rate(k, s, event, &rate))) != RC_OK ||
            (status = rc_solve_names(k, &event, 1, &name, NULL)) != RC_OK)
            return status;
        rc_text_append(text, sizeof text, "; '%s' goes at another rate", name);
        if (rate.mean > 0)
            rc_text_append(text, sizeof text, ", %.3g to %.3g GHz: %s", rate.low,
                           rate.high,
                           rate.high - rate.low <= s->definition->residual * rate.mean
                               ? "time, or a reference clock"
                               : "neither cycles nor time");
    }
    m->reason = rc_solve_words(k, "%s", text);
    return RC_OK;
}

int rc_solve_reference_metrics(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    int status = RC_OK;

    for (size_t i = 0; i < s->result.metric_count && status == RC_OK; i++) {
        struct rc_metric_result *m = &s->result.metric[i];
        struct rate rate;
        if (m->term_count != 1) {
            status = judge_absent(k, s, m);
            continue;
        }
        if ((status = rc_solve_agree(k, find_rate(k, s, m->term->event, &rate))) !=
            RC_OK)
            break;
        m->verdict = RC_METRIC_REFERENCE;
        const char *before = m->reason;
        m->reason = rc_solve_words(
            k, "1 for each addition that waits for another, within %.2g on each point",
            s->definition->residual);
        if (rate.mean > 0)
            m->reason = rc_solve_words(
                k, "%s; the core ran at %.4g GHz (%.4g to %.4g) by wall time",
                m->reason, rate.mean, rate.low, rate.high);
        if (before[0])
            m->reason = rc_solve_words(k, "%s; %s", m->reason, before);
    }
    return status;
}
