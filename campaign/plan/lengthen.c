/* Gives points more iterations where their readings would be too short.
 *
 * Suites choose iterations for hardware counters, which count short kernels as well as
 * long ones.  A clock does not: what reading it costs is in each reading.  So points are
 * tried before a suite's record is made, by one process of a kind; from then on all
 * processes and later runs take the record's iterations.
 */
#include "campaign/plan/lengthen.h"

#include "campaign/base/text.h"
#include "campaign/cli/signals.h"
#include "campaign/measure/reading.h"
#include "kernels/own/own.h"

#include <string.h>

/* READINGS: of which the shortest counts, since any may be interrupted.  In a ns code
 * executes no more than INSTRUCTIONS_MOST, and by a suite's own estimate not nearly as
 * many cycles as CYCLES_MOST: points that last long enough by either are not tried.
 */
enum { DOUBLED_MOST = 20, READINGS = 3, INSTRUCTIONS_MOST = 32, CYCLES_MOST = 24 };

/* Points of a suite under one source. */
struct trial {
    const struct rc_kind_plan *plan;
    const struct rc_source *source;
    struct rc_group_state *group; /* of one event */
    uint64_t least_ns;
    size_t longer; /* points with more iterations */
};

/* The shortest of a few readings, with early end; UINT64_MAX: one failed. */
static uint64_t shortest_of(const struct trial *t, struct rc_kernel *kernel,
                            const struct rc_measurement *what)
{
    const struct rc_suite *suite = what->suite;
    const uint64_t warm =
        suite->prepare ? 0 : suite->iterations(what->request, what->point, 1);
    uint64_t shortest = UINT64_MAX, took;

    for (int i = 0; i < READINGS && shortest >= t->least_ns; i++) {
        struct rc_error ignored = {.rank = -1};
        struct rc_reading reading;
        bool verified;
        if (rc_reading_take(t->source, t->group, kernel, what, warm, NULL, &reading,
                            &took, &verified, &ignored) != RC_OK)
            return UINT64_MAX;
        if (reading.enabled_ns < shortest)
            shortest = reading.enabled_ns;
    }
    return shortest;
}

/* Whether nobody has to try how long a reading is. */
static bool lasts(const struct rc_measurement *what, uint64_t iterations, uint64_t ns)
{
    const struct rc_suite *suite = what->suite;
    const double least = (double)ns / (double)iterations;

    return rc_point_instructions(suite, what->request, what->point) >=
               least * INSTRUCTIONS_MOST ||
           rc_expect(suite, what->request, what->point, RC_IDEAL_CYC) >=
               least * CYCLES_MOST;
}

/* Finds the iterations of one point.  Failures of kernels and readings change nothing:
 * measuring says them, with the reason.
 */
static void lengthen_point(struct trial *t, struct rc_measurement *what,
                           uint64_t *iterations)
{
    const struct rc_suite *suite = what->suite;
    const bool once = suite->prepare && suite->footprint == RC_FOOTPRINT_MEMORY;
    const uint64_t first = *iterations;
    struct rc_error ignored = {.rank = -1};
    struct rc_kernel *kernel = NULL;
    char took[RC_TEXT_SHORT], least[RC_TEXT_SHORT], line[256];

    if (lasts(what, first, t->least_ns) ||
        suite->setup(what->request, what->point, &kernel, &ignored) != RC_OK)
        return;
    what->iterations = first;
    uint64_t shortest = shortest_of(t, kernel, what);
    for (int i = 0; i < DOUBLED_MOST && !once && shortest < t->least_ns; i++) {
        what->iterations *= 2;
        shortest = shortest_of(t, kernel, what);
    }
    suite->teardown(kernel);
    if (shortest == UINT64_MAX)
        return;
    *iterations = shortest < t->least_ns ? 0 : what->iterations;
    t->longer += *iterations > first;
    if (*iterations || !t->plan->remark)
        return;
    snprintf(line, sizeof line,
             "suite %s: point %s is left out for source %s: a reading takes %s%s, "
             "expected %s or longer",
             suite->name, what->point->name, t->source->name,
             rc_text_put_duration(took, shortest),
             once ? ", and cannot be repeated with the data out of caches"
                  : " even with 2^20 times the iterations",
             rc_text_put_duration(least, t->least_ns));
    t->plan->remark(t->plan->context, line);
}

/* Tries all points of a suite that the source measures. */
static void lengthen_suite(struct trial *t, struct rc_measurement *what,
                           const struct rc_suite_points *found, uint64_t *iterations)
{
    char line[256], least[RC_TEXT_SHORT];

    for (size_t i = 0; i < found->points.count; i++) {
        what->point = &found->points.point[i];
        what->point_index = (uint32_t)i;
        if (rc_own_is_name(what->suite->name))
            rc_signals_inside(what->point->name);
        if (iterations[i])
            lengthen_point(t, what, &iterations[i]);
        rc_signals_inside(NULL);
    }
    snprintf(line, sizeof line,
             "suite %s: %zu of %zu points have more iterations than usual under source "
             "%s, so that readings last %s or longer",
             what->suite->name, t->longer, found->points.count, t->source->name,
             rc_text_put_duration(least, t->least_ns));
    if (t->longer && t->plan->remark)
        t->plan->remark(t->plan->context, line);
}

void rc_kind_plan_lengthen(const struct rc_kind_plan *plan,
                           const struct rc_record_suite *known,
                           const struct rc_suite_request *request,
                           const struct rc_suite *suite, struct rc_suite_points *found)
{
    const struct rc_catalogue *c = plan->catalogue;
    const size_t points = found->points.count;

    for (uint32_t s = 0; s < c->source_count; s++) {
        struct trial t = {.plan = plan, .source = c->source[s].source};
        struct rc_measurement what = {.suite = suite, .request = request};
        uint64_t *iterations = found->iterations + s * points;
        struct rc_error ignored = {.rank = -1};
        size_t e = 0;
        if (!t.source->least_ns)
            continue;
        if (known && known->point_count == points &&
            known->source_count == c->source_count) {
            memcpy(iterations, known->iterations + s * points,
                   points * sizeof *iterations);
            continue;
        }
        while (e < c->count && c->event[e].source != s)
            e++;
        if (e == c->count || t.source->arm(c->source[s].state, &c->event[e].number, 1,
                                           &t.group, &ignored) != RC_OK)
            continue;
        t.least_ns = t.source->least_ns(c->source[s].state);
        lengthen_suite(&t, &what, found, iterations);
        t.source->disarm(t.group);
    }
}
