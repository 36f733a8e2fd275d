/* Running means and variances of a unit's repetitions, and whether they suffice.
 *
 * For each event and point the sums of values and of their squares are kept, so that
 * each repetition costs the same. stop_rule.h has the rule.
 */
#include "campaign/measure/stop_rule.h"

#include "campaign/base/arena.h"
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

struct rc_stop_rule {
    struct rc_stop_rule_limits rule;
    size_t events, points;
    uint32_t count;          /* of repetitions */
    struct moments *moments; /* [event][point] */
    struct rc_arena arena;   /* of the arrays below: */
    bool *differs;           /* [event]: two sweeps differed */
    bool *skip;              /* [event]: it does not count for the verdict */
    uint32_t *steady;        /* [event]: latest sweeps that equal the one before */
};

int rc_stop_rule_create(const struct rc_stop_rule_limits *rule, size_t events,
                        size_t points, struct rc_stop_rule **out, struct rc_error *err)
{
    struct rc_stop_rule *s = rc_calloc(1, sizeof *s);

    *out = NULL;
    if (!s)
        return rc_fail(err, RC_ENOMEM, "no memory to watch %zu events", events);
    *s = (struct rc_stop_rule){.rule = *rule, .events = events, .points = points};
    s->moments = rc_arena_array(&s->arena, events * points, sizeof *s->moments);
    s->differs = rc_arena_array(&s->arena, events, sizeof *s->differs);
    s->skip = rc_arena_array(&s->arena, events, sizeof *s->skip);
    s->steady = rc_arena_array(&s->arena, events, sizeof *s->steady);
    int status = rc_arena_check(&s->arena, err, "the repetitions of events");
    if (status == RC_OK)
        *out = s;
    else
        rc_stop_rule_close(s);
    return status;
}

void rc_stop_rule_close(struct rc_stop_rule *s)
{
    if (!s)
        return;
    rc_arena_free(&s->arena);
    free(s);
}

void rc_stop_rule_add(struct rc_stop_rule *s, const int64_t *values, const bool *skip)
{
    for (size_t e = 0; e < s->events; e++) {
        bool same = true;
        if (skip && skip[e])
            s->skip[e] = true;
        for (size_t p = 0; p < s->points; p++) {
            struct moments *m = &s->moments[e * s->points + p];
            const int64_t value = values[e * s->points + p];
            const bool again = value == m->last; /* than that of the previous sweep */
            if (s->count == 0)
                m->first = value;
            m->last = value;
            if (value == INT64_MIN || m->first == INT64_MIN)
                continue;
            double d = (double)value - (double)m->first;
            if (value != m->first) {
                s->differs[e] = true;
                if (d == 0) /* above 2^53 */
                    d = 1;
            }
            m->sum += d;
            m->squares += d * d;
            same &= again;
        }
        s->steady[e] = same && s->count > 0 ? s->steady[e] + 1 : 0;
    }
    s->count++;
}

/* Whether an event's sweeps are identical, if 'more' like the last one followed. */
static bool is_identical(const struct rc_stop_rule *s, size_t event, uint32_t more)
{
    if (!s->rule.settles)
        return !s->differs[event];
    return s->steady[event] + 1 + more >= s->rule.min;
}

double rc_stop_rule_student(uint32_t degrees_of_freedom)
{
    static const double table[] = {
        INFINITY, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201,    2.179,  2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080,
        2.074,    2.069,  2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    double n = degrees_of_freedom;

    if (degrees_of_freedom < sizeof table / sizeof table[0])
        return table[degrees_of_freedom];
    return 1.96 + 2.4 / n; /* within 0.003 for n > 30 */
}

double rc_stop_rule_width(const struct rc_stop_rule *s, size_t event)
{
    double n = s->count, variance = 0, norm = 0;

    if (!s->differs[event])
        return 0;
    for (size_t p = 0; p < s->points; p++) {
        const struct moments *m = &s->moments[event * s->points + p];
        if (m->first == INT64_MIN)
            continue;
        double mean = (double)m->first + m->sum / n;
        variance += fmax(0, m->squares - m->sum * m->sum / n) / (n - 1) / n;
        norm += mean * mean;
    }
    if (norm <= 0)
        return INFINITY;
    return rc_stop_rule_student(s->count - 1) * sqrt(variance / norm);
}

enum rc_stop rc_stop_rule_verdict(const struct rc_stop_rule *s)
{
    enum rc_stop stop = RC_STOP_DETERMINISTIC;

    if (s->count < s->rule.min)
        return RC_STOP_NONE;
    for (size_t e = 0; e < s->events && stop != RC_STOP_NONE; e++) {
        if (s->skip[e] || is_identical(s, e, 0))
            continue;
        stop =
            rc_stop_rule_width(s, e) < s->rule.target ? RC_STOP_PRECISE : RC_STOP_NONE;
    }
    if (s->count < 2) /* nothing to compare with */
        stop = RC_STOP_NONE;
    if (stop == RC_STOP_NONE && s->count >= s->rule.max)
        return RC_STOP_MOST;
    return stop;
}

bool rc_stop_rule_may_end(const struct rc_stop_rule *s)
{
    const double nearly = 1.5; /* no width shrinks as much by one more */

    if (s->count + 1 >= s->rule.max)
        return true;
    if (s->count + 1 < s->rule.min)
        return false;
    for (size_t e = 0; e < s->events && s->count > 1; e++)
        if (!s->skip[e] && !is_identical(s, e, 1) &&
            rc_stop_rule_width(s, e) > nearly * s->rule.target)
            return false;
    return true;
}
