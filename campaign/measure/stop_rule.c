#include "campaign/measure/stop_rule.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of differences from the first repetition: exact for counts whose spread
 * is below 2^53, however large they are.
 */
struct moments {
    int64_t first, last;
    double sum, squares;
};

struct rc_repeat {
    struct rc_repeat_rule rule;
    size_t events, points;
    uint32_t count;
    struct moments *moments; /* [event][point] */
    bool *differs, *skip;    /* [event] */
    uint32_t *steady;        /* [event]: latest sweeps that were as the one before */
};

int rc_repeat_create(const struct rc_repeat_rule *rule, size_t events, size_t points,
                     struct rc_repeat **out, struct rc_error *err)
{
    struct rc_repeat *repeat = rc_calloc(1, sizeof *repeat);

    *out = NULL;
    if (repeat) {
        repeat->rule = *rule;
        repeat->events = events;
        repeat->points = points;
        repeat->moments = rc_calloc(events * points, sizeof *repeat->moments);
        repeat->differs = rc_calloc(events, sizeof *repeat->differs);
        repeat->skip = rc_calloc(events, sizeof *repeat->skip);
        repeat->steady = rc_calloc(events, sizeof *repeat->steady);
    }
    if (!repeat || !repeat->moments || !repeat->differs || !repeat->skip ||
        !repeat->steady) {
        rc_repeat_close(repeat);
        return rc_fail(err, RC_ENOMEM, "no memory to watch %zu events", events);
    }
    *out = repeat;
    return RC_OK;
}

void rc_repeat_close(struct rc_repeat *repeat)
{
    if (!repeat)
        return;
    free(repeat->moments);
    free(repeat->differs);
    free(repeat->skip);
    free(repeat->steady);
    free(repeat);
}

/* Takes in one value of an event; false: it is not the one of the sweep before. */
static bool add_value(struct rc_repeat *repeat, size_t event, struct moments *m,
                      int64_t value)
{
    bool same = value == m->last;

    if (repeat->count == 0)
        m->first = value;
    m->last = value;
    if (value == INT64_MIN || m->first == INT64_MIN)
        return true;
    double d = (double)value - (double)m->first;
    if (value != m->first) {
        repeat->differs[event] = true;
        if (d == 0) /* above 2^53 */
            d = 1;
    }
    m->sum += d;
    m->squares += d * d;
    return same;
}

void rc_repeat_add(struct rc_repeat *repeat, const int64_t *values, const bool *skip)
{
    for (size_t e = 0; e < repeat->events; e++) {
        bool same = true;
        if (skip && skip[e])
            repeat->skip[e] = true;
        for (size_t p = 0; p < repeat->points; p++)
            same &= add_value(repeat, e, &repeat->moments[e * repeat->points + p],
                              values[e * repeat->points + p]);
        repeat->steady[e] = same && repeat->count > 0 ? repeat->steady[e] + 1 : 0;
    }
    repeat->count++;
}

/* Whether an event's sweeps are identical, were there 'more' like the last one. */
static bool is_identical(const struct rc_repeat *repeat, size_t event, uint32_t more)
{
    if (!repeat->rule.settles)
        return !repeat->differs[event];
    return repeat->steady[event] + 1 + more >= repeat->rule.min;
}

double rc_repeat_student(uint32_t degrees_of_freedom)
{
    static const double table[] = {
        INFINITY, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201,    2.179,  2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080,
        2.074,    2.069,  2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    double n = degrees_of_freedom;

    if (degrees_of_freedom < sizeof table / sizeof table[0])
        return table[degrees_of_freedom];
    return 1.96 + 2.4 / n; /* within 0.003 from 31 on */
}

double rc_repeat_width(const struct rc_repeat *repeat, size_t event)
{
    double n = repeat->count, variance = 0, norm = 0;

    if (!repeat->differs[event])
        return 0;
    for (size_t p = 0; p < repeat->points; p++) {
        const struct moments *m = &repeat->moments[event * repeat->points + p];
        if (m->first == INT64_MIN)
            continue;
        double mean = (double)m->first + m->sum / n;
        variance += fmax(0, m->squares - m->sum * m->sum / n) / (n - 1) / n;
        norm += mean * mean;
    }
    if (norm <= 0)
        return INFINITY;
    return rc_repeat_student(repeat->count - 1) * sqrt(variance / norm);
}

enum rc_stop rc_repeat_verdict(const struct rc_repeat *repeat)
{
    enum rc_stop stop = RC_STOP_DETERMINISTIC;

    if (repeat->count < repeat->rule.min)
        return RC_STOP_NONE;
    for (size_t e = 0; e < repeat->events && stop != RC_STOP_NONE; e++) {
        if (repeat->skip[e] || is_identical(repeat, e, 0))
            continue;
        stop = rc_repeat_width(repeat, e) < repeat->rule.target ? RC_STOP_PRECISE
                                                                : RC_STOP_NONE;
    }
    if (repeat->count < 2) /* nothing to compare with */
        stop = RC_STOP_NONE;
    if (stop == RC_STOP_NONE && repeat->count >= repeat->rule.max)
        return RC_STOP_MOST;
    return stop;
}

bool rc_repeat_may_end(const struct rc_repeat *repeat)
{
    const double nearly = 1.5; /* a width shrinks by less than that with one more */

    if (repeat->count + 1 >= repeat->rule.max)
        return true;
    if (repeat->count + 1 < repeat->rule.min)
        return false;
    for (size_t e = 0; e < repeat->events && repeat->count > 1; e++)
        if (!repeat->skip[e] && !is_identical(repeat, e, 1) &&
            rc_repeat_width(repeat, e) > nearly * repeat->rule.target)
            return false;
    return true;
}
