/* The counts of the nodes' series while threads were in a region: memory and network of
 * whole nodes, by the events of processors and adapters that are known to count them.
 */
#include "campaign/fft3d/expected.h"

#include "campaign/base/text.h"
#include "campaign/profile/read/instances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Less than so many readings in an instance say nothing of it. */
#define READINGS_LEAST 2

/* Events by pattern, and the bytes of a count. */
static const struct {
    const char *pattern;
    enum rc_profile_traffic traffic;
    double bytes;
} events[] = {
    {"*PM_MBA*READ_BYTES*", RC_PROFILE_MEMORY_READ, 1}, /* POWER9 */
    {"*PM_MBA*WRITE_BYTES*", RC_PROFILE_MEMORY_WRITTEN, 1},
    {"*CAS_COUNT*RD*", RC_PROFILE_MEMORY_READ, 64}, /* Intel */
    {"*CAS_COUNT*WR*", RC_PROFILE_MEMORY_WRITTEN, 64},
    {"*CAS_CMD*RD*", RC_PROFILE_MEMORY_READ, 64}, /* AMD, from Zen 4 on */
    {"*CAS_CMD*WR*", RC_PROFILE_MEMORY_WRITTEN, 64},
    {"*port_xmit_data*", RC_PROFILE_NETWORK_SENT, 4}, /* InfiniBand */
};

/* When threads of a node were in the region, without overlap once merged. */
struct spans {
    const struct rc_profile_thread *thread;
    const char *region;
    struct span {
        uint64_t begin_ns, end_ns;
    } * span;
    size_t count, room;
    uint64_t instances;
    bool failed;
};

static void take(void *arg, const struct rc_profile_instance *instance)
{
    struct spans *s = arg;

    if (instance->call || instance->open ||
        strcmp(rc_profile_region_name(s->thread, instance->number), s->region) != 0)
        return;
    if (rc_grow(&s->span, sizeof *s->span, s->count, &s->room)) {
        s->failed = true;
        return;
    }
    s->span[s->count++] = (struct span){instance->begin_ns, instance->end_ns};
    s->instances++;
}

static int by_begin(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static void find_spans(const struct rc_profile_node *node, struct spans *s)
{
    size_t kept = 0;

    s->count = 0;
    for (size_t t = 0; t < node->thread_count; t++) {
        s->thread = &node->thread[t];
        (void)rc_profile_instances(s->thread, take, s);
    }
    if (s->count > 0)
        qsort(s->span, s->count, sizeof *s->span, by_begin);
    for (size_t i = 0; i < s->count; i++)
        if (kept > 0 && s->span[i].begin_ns <= s->span[kept - 1].end_ns) {
            if (s->span[i].end_ns > s->span[kept - 1].end_ns)
                s->span[kept - 1].end_ns = s->span[i].end_ns;
        } else {
            s->span[kept++] = s->span[i];
        }
    s->count = kept;
}

/* The count of the series in the spans, as if it had counted evenly between readings.
 */
static double counted_in(const struct rc_profile_series *series, const struct spans *s,
                         double *period_ns)
{
    double sum = 0, covered = 0;
    size_t valid = 0;

    for (size_t r = 0, first = 0; r < series->count; r++) {
        const struct rc_profile_reading *reading = &series->reading[r];
        if (reading->since_ns == 0 || reading->at_ns <= reading->since_ns)
            continue;
        const double length = (double)(reading->at_ns - reading->since_ns);
        covered += length;
        valid++;
        while (first < s->count && s->span[first].end_ns <= reading->since_ns)
            first++;
        for (size_t i = first; i < s->count && s->span[i].begin_ns < reading->at_ns;
             i++) {
            const uint64_t begin = s->span[i].begin_ns > reading->since_ns
                                       ? s->span[i].begin_ns
                                       : reading->since_ns;
            const uint64_t end =
                s->span[i].end_ns < reading->at_ns ? s->span[i].end_ns : reading->at_ns;
            sum += (double)reading->value * (double)(end - begin) / length;
        }
    }
    *period_ns = valid > 0 ? covered / (double)valid : INFINITY;
    return sum;
}

int rc_profile_traffic_of(const struct rc_profile_sums *sums, const char *region,
                          enum rc_profile_traffic traffic,
                          struct rc_profile_traffic_seen *out, struct rc_error *err)
{
    struct spans s = {.region = region};

    *out = (struct rc_profile_traffic_seen){.bytes = 0, .source = ""};
    for (size_t n = 0; n < sums->node_count && !s.failed; n++) {
        const struct rc_profile_node *node = &sums->node[n];
        bool found = false;
        for (size_t i = 0; i < node->series_count && !s.failed; i++) {
            const struct rc_profile_series *series = &node->series[i];
            const char *name = series->event.name;
            size_t e = 0;
            while (e < sizeof events / sizeof *events &&
                   (events[e].traffic != traffic ||
                    !rc_text_glob(events[e].pattern, name)))
                e++;
            if (e == sizeof events / sizeof *events)
                continue;
            if (!found)
                find_spans(node, &s);
            found = true;
            double period_ns, inside = 0;
            out->bytes += events[e].bytes * counted_in(series, &s, &period_ns);
            for (size_t k = 0; k < s.count; k++)
                inside += (double)(s.span[k].end_ns - s.span[k].begin_ns);
            if (s.count == 0 || inside / (double)s.count < READINGS_LEAST * period_ns)
                out->bytes = NAN;
            out->simulated |= series->event.simulated;
            snprintf(out->source, sizeof out->source, "%.*s", (int)strcspn(name, ":"),
                     name);
        }
    }
    out->instances = s.instances;
    free(s.span);
    return s.failed
               ? rc_fail(err, RC_ENOMEM, "no memory for instances of '%.100s'", region)
               : RC_OK;
}
