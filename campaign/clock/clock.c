/* Converts times of a node's clock to the first node's, from measured offsets.
 *
 * Bounds at a measurement are certain.  If the rate between two of them were constant,
 * the truth would lie between the lines through their low ends and through their high
 * ends.  A rate that differs from its mean by at most w moves it by at most w times the
 * time to the nearer end.
 */
#include "campaign/clock/clock.h"

#include "campaign/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Limit of times and their differences: sums of several of them still fit into 64 bits.
 */
#define FAR_NS (INT64_C(30) * 365 * 86400 * 1000000000)

enum { MILLION = 1000000 };

static int64_t part_ns(int64_t elapsed_ns, int64_t ppm)
{
    return elapsed_ns / (MILLION / ppm) + 1;
}

static bool is_far(int64_t ns)
{
    return ns < -FAR_NS || ns > FAR_NS;
}

int rc_clock_decode(const struct rc_clock_offset *offset, size_t count,
                    struct rc_clock *out, struct rc_error *err)
{
    *out = (struct rc_clock){.offset = NULL};
    for (size_t i = 0; i < count; i++) {
        const struct rc_clock_offset *o = &offset[i];
        if (is_far(o->at_ns) || is_far(o->low_ns) || is_far(o->high_ns) ||
            o->low_ns > o->high_ns || (i > 0 && o->at_ns <= offset[i - 1].at_ns))
            return rc_fail(err, RC_EUSAGE,
                           "measurement %zu of a clock: at %" PRId64 " ns from %" PRId64
                           " to %" PRId64
                           " ns, expected a later time than before, and a range",
                           i, o->at_ns, o->low_ns, o->high_ns);
    }
    out->offset = rc_calloc(count, sizeof *out->offset);
    if (!out->offset)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu measurements of a clock",
                       count);
    for (size_t i = 0; i < count; i++)
        out->offset[i] = offset[i];
    out->count = out->room = count;
    return RC_OK;
}

void rc_clock_fini(struct rc_clock *clock)
{
    free(clock->offset);
    *clock = (struct rc_clock){.offset = NULL};
}

static bool is_before(const void *item, const void *key)
{
    return ((const struct rc_clock_offset *)item)->at_ns < *(const int64_t *)key;
}

/* The offset at a time, with its bounds: between the lines through the measurements
 * before and after it, or those of the nearest one, widened by the drift since then.
 */
static struct rc_clock_offset offset_at(const struct rc_clock *clock, int64_t at_ns)
{
    const size_t before = rc_count_before(clock->offset, clock->count,
                                          sizeof *clock->offset, &at_ns, is_before);
    struct rc_clock_offset near = {.at_ns = at_ns};

    if (clock->count == 0)
        return near;
    if (before > 0 && before < clock->count) {
        const struct rc_clock_offset *b = &clock->offset[before], *a = b - 1;
        const int64_t since = at_ns - a->at_ns, until = b->at_ns - at_ns;
        const double f = (double)since / (double)(since + until);
        const int64_t wander =
            part_ns(since < until ? since : until, RC_CLOCK_WANDER_PPM);
        near.low_ns =
            a->low_ns + (int64_t)floor(f * (double)(b->low_ns - a->low_ns)) - wander;
        near.high_ns =
            a->high_ns + (int64_t)ceil(f * (double)(b->high_ns - a->high_ns)) + wander;
        return near;
    }
    near = clock->offset[before > 0 ? before - 1 : 0];
    const int64_t drift =
        rc_clock_drift_ns(before > 0 ? at_ns - near.at_ns : near.at_ns - at_ns);
    near.low_ns -= drift;
    near.high_ns += drift;
    return near;
}

int64_t rc_clock_global(const struct rc_clock *clock, int64_t local_ns, int64_t *low_ns,
                        int64_t *high_ns)
{
    const int64_t at_ns = local_ns < -FAR_NS  ? -FAR_NS
                          : local_ns > FAR_NS ? FAR_NS
                                              : local_ns;
    const struct rc_clock_offset o = offset_at(clock, at_ns);

    if (low_ns)
        *low_ns = at_ns + o.low_ns;
    if (high_ns)
        *high_ns = at_ns + o.high_ns;
    return at_ns + o.low_ns + (o.high_ns - o.low_ns) / 2;
}

double rc_clock_drift_ppm(const struct rc_clock *clock)
{
    if (clock->count < 2)
        return 0;
    const struct rc_clock_offset *b = &clock->offset[clock->count - 1], *a = b - 1;
    const int64_t faster = b->low_ns - a->high_ns, slower = a->low_ns - b->high_ns;
    const int64_t moved = faster > slower ? faster : slower;

    return moved > 0 ? (double)moved * MILLION / (double)(b->at_ns - a->at_ns) : 0;
}
