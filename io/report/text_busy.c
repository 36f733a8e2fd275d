/* How busy the workers were: from the units' begin, time, and time in kernels in the
 * journal.  Units do not name their run: the run is found by its begin.
 */
#include "io/report/text_parts.h"

#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* A run, as seen by its units: nothing is measured between runs. */
struct stretch {
    uint64_t begin_ns;          /* of the run, to the second */
    uint32_t ranks;             /* of the run */
    uint64_t first_ns, last_ns; /* begin of its first unit, end of its last one */
    uint64_t busy_ns;           /* sum of the units' times */
    uint64_t kernel_ns;         /* of that, in kernels */
    size_t units;
};

static int by_begin(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;

    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

static bool has_begun(const void *run, const void *begin_ns)
{
    return ((const struct stretch *)run)->begin_ns <= *(const uint64_t *)begin_ns;
}

/* For all runs: the time of workers is that of all of a run's ranks between its first
 * and last unit.
 */
static void say_busy(struct rc_page *page, const struct stretch *run, size_t count)
{
    double busy = 0, kernel = 0, there = 0, seconds = 0;
    char text[RC_TEXT_SHORT];

    for (size_t i = 0; i < count; i++) {
        const double span = (double)(run[i].last_ns - run[i].first_ns) / 1e9;
        seconds += span;
        there += span * run[i].ranks;
        busy += (double)run[i].busy_ns / 1e9;
        kernel += (double)run[i].kernel_ns / 1e9;
    }
    if (there <= 0 || busy <= 0)
        return;
    rc_page_line(page, 2,
                 "from the first unit to the last it took %s; workers measured in "
                 "%.0f %% of that, and kernels ran in %.0f %% of what they measured",
                 rc_text_put_duration(text, (uint64_t)(seconds * 1e9)),
                 100 * busy / there, 100 * kernel / busy);
    rc_page_end(page);
}

void rc_report_text_busy(const struct rc_report *report, struct rc_page *page)
{
    struct stretch *run = rc_calloc(report->run_count, sizeof *run);
    size_t unknown = 0;

    if (!run)
        return; /* the report works without it */
    for (size_t i = 0; i < report->run_count; i++) {
        struct tm at = {0}; /* of "2026-11-21T06:12:03Z"; 0 if it is not a time */
        const time_t seconds =
            strptime(report->run[i].begin, "%Y-%m-%dT%H:%M:%SZ", &at) ? timegm(&at) : 0;
        run[i] = (struct stretch){.ranks = report->run[i].ranks};
        if (seconds > 0)
            run[i].begin_ns = (uint64_t)seconds * 1000000000U;
    }
    qsort(run, report->run_count, sizeof *run, by_begin);
    for (size_t i = 0; i < report->unit_count; i++) {
        const struct rc_report_unit *unit = &report->unit[i];
        const uint64_t begin = unit->begin_ns, end = begin + unit->wall_ns;
        const size_t begun =
            rc_count_before(run, report->run_count, sizeof *run, &begin, has_begun);
        if (begun == 0 || begin == 0) {
            unknown++;
            continue;
        }
        struct stretch *s = &run[begun - 1]; /* the last run that began before */
        if (s->units++ == 0 || begin < s->first_ns)
            s->first_ns = begin;
        s->last_ns = end > s->last_ns ? end : s->last_ns;
        s->busy_ns += unit->wall_ns;
        s->kernel_ns += unit->kernel_ns;
    }
    say_busy(page, run, report->run_count);
    if (unknown) {
        rc_page_line(page, 2, "when %zu unit%s measured is not known", unknown,
                     rc_text_plural(unknown, " was", "s were"));
        rc_page_end(page);
    }
    free(run);
}
