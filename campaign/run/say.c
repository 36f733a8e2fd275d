/* Messages of a run, for people and its log: ranks, work, signals and problems.
 *
 * People get one line from rank 0, whatever the number of ranks; the log also gets
 * lines of other ranks.
 */
#include "campaign/run/parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/text.h"
#include "campaign/cli/signals.h"
#include "campaign/cli/tell.h"

#include <inttypes.h>
#include <stdarg.h>

bool rc_run_is_first(const struct rc_run *w)
{
    return rc_team_rank(w->comm) == 0;
}

void rc_run_say(struct rc_run *w, const char *format, ...)
{
    char line[700];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (!line[0])
        return;
    if (w->progress)
        rc_progress_say(w->progress, "%s", line);
    else if (rc_run_is_first(w))
        rc_log_say(w->log, "%s", line);
}

void rc_run_warn(struct rc_run *w, const char *format, ...)
{
    char line[700];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (w->progress)
        rc_progress_warn(w->progress, "%s", line);
    else if (rc_run_is_first(w))
        rc_log_say(w->log, "%s", line);
}

/* A line for the log, from any rank, and for people who want details. */
void rc_run_detail(void *context, const char *line)
{
    struct rc_run *w = context;

    if (rc_tell_level() == RC_TELL_VERBOSE)
        rc_run_remark(w, line);
    else
        rc_log_say(w->log, "%s", line);
}

/* Any rank may be the one that plans for its kind: without a progress line, it writes
 * the remark to the standard error.
 */
void rc_run_remark(void *context, const char *line)
{
    struct rc_run *w = context;
    char printable[600];

    if (w->progress) {
        rc_progress_say(w->progress, "%s", line);
        return;
    }
    rc_log_say(w->log, "%s", line);
    if (rc_tell_level() > RC_TELL_QUIET)
        fprintf(stderr, "%s\n", rc_text_printable(printable, sizeof printable, line));
}

/* The ranks' sums so far. */
static uint64_t counted(const struct rc_run *w, size_t counter)
{
    return rc_rank_counters_value(w->rank_counters, counter);
}

static struct rc_progress_state progress_of(struct rc_run *w)
{
    return (struct rc_progress_state){.units = counted(w, RC_RANK_COUNTER_UNITS),
                                      .units_total = w->totals[0],
                                      .events = counted(w, RC_RANK_COUNTER_EVENTS),
                                      .invalid = counted(w, RC_RANK_COUNTER_INVALID),
                                      .failed = counted(w, RC_RANK_COUNTER_FAILED),
                                      .work_ns = counted(w, RC_RANK_COUNTER_COST_NS),
                                      .work_total_ns = w->totals[1],
                                      .wall_ns = w->wall_ns,
                                      .at = w->at};
}

/* Shows what the first rank is measuring. */
void rc_run_tick(void *context)
{
    struct rc_run *w = context;

    if (!w->progress)
        return;
    const struct rc_measure_at at = rc_measurer_at(w->measurer);
    w->at[0] = 0;
    if (at.suite)
        snprintf(w->at, sizeof w->at, "%.64s: repetition %" PRIu32 ", point %zu of %zu",
                 at.suite, at.repetition, at.point, at.points);
    const struct rc_progress_state state = progress_of(w);
    rc_progress_tick(w->progress, &state);
}

void rc_run_close_progress(struct rc_run *w)
{
    if (w->progress) {
        const struct rc_progress_state state = progress_of(w);
        rc_progress_close(w->progress, &state);
    }
    w->progress = NULL;
}

void rc_run_say_work(struct rc_run *w)
{
    double wall = (double)(rc_clock_ns() - w->began_ns) * rc_team_size(w->comm);
    double units = (double)counted(w, RC_RANK_COUNTER_UNIT_NS);
    double kernels = (double)counted(w, RC_RANK_COUNTER_KERNEL_NS);
    char took[RC_TEXT_SHORT];

    if (!rc_run_is_first(w) || w->totals[0] == 0)
        return;
    rc_run_say(w,
               "measured %" PRIu64 " of %" PRIu64
               " units in %s on %d rank%s: %.1f %% of "
               "their time in units, %.1f %% of that in kernels and counters",
               counted(w, RC_RANK_COUNTER_UNITS), w->totals[0],
               rc_text_put_duration(took, rc_clock_ns() - w->began_ns),
               rc_team_size(w->comm), rc_text_s((uint64_t)rc_team_size(w->comm)),
               100 * units / wall, units > 0 ? 100 * kernels / units : 0);
}

/* Logs the cost of sharing the work, summed over all ranks. */
void rc_run_log_queue(struct rc_run *w)
{
    struct rc_queue_stats own;

    rc_worker_stats(w->worker, &own);
    uint64_t sum[] = {own.taken, own.waits, own.request_ns, own.take_ns};
    rc_team_sum(w->comm, sum, sizeof sum / sizeof *sum);
    if (!rc_run_is_first(w) || sum[0] == 0)
        return;
    rc_log_say(w->log,
               "queue: %" PRIu64 " units drawn in %.3f s, %" PRIu64
               " waited for; %.2f us a unit to ask, %.2f us to take",
               sum[0], (double)(rc_clock_ns() - w->began_ns) / 1e9, sum[1],
               (double)sum[2] / 1e3 / (double)sum[0],
               (double)sum[3] / 1e3 / (double)sum[0]);
}

void rc_run_say_signal(struct rc_run *w)
{
    const int came = rc_team_most(w->comm, rc_signals_came());

    w->interrupted = came != 0;
    if (!w->interrupted)
        return;
    rc_run_warn(
        w,
        "stopped by signal %d; what was measured is safe, resume with: rollcall run "
        "-o '%.300s'%s",
        came, w->dir,
        rc_team_size(w->comm) > 1 ? " (under the launcher, on any number of ranks)"
                                  : "");
}

void rc_run_say_ranks(struct rc_run *w)
{
    const struct rc_catalogue *c = w->ranks.catalogue;
    char share[128];

    rc_run_say(w, "%s", w->opening.remark);
    rc_run_say(w, "%s", w->ranks.remark);
    if (!rc_run_is_first(w)) {
        if (w->ranks.nodes.leads && w->ranks.remark[0])
            rc_log_say(w->log, "%s", w->ranks.remark);
        return;
    }
    rc_run_say(w, "%s", c->remark);
    for (size_t i = 0; i < c->source_count; i++)
        rc_run_say(w, "source %s, %s: %s", c->source[i].source->name,
                   c->source[i].label, c->source[i].counter_set);
    rc_run_say(w, "%d rank%s on %zu node%s of %zu kind%s%s", rc_team_size(w->comm),
               rc_text_s((uint64_t)rc_team_size(w->comm)), w->ranks.nodes.count,
               rc_text_s(w->ranks.nodes.count), w->ranks.kinds.count,
               rc_text_s(w->ranks.kinds.count),
               w->opening.was_there ? "; resuming the campaign that is there" : "");
    if (rc_campaign_share(w->opening.campaign))
        rc_run_say(w,
                   "%s; it is not solved: 'rollcall merge' makes the campaign of all "
                   "shares",
                   rc_campaign_share_text(w->opening.campaign, share, sizeof share));
}

void rc_run_say_problems(struct rc_run *w)
{
    if (!rc_run_is_first(w) || !w->rank_counters)
        return;
    const uint64_t invalid = counted(w, RC_RANK_COUNTER_INVALID);
    const uint64_t failed = counted(w, RC_RANK_COUNTER_FAILED);
    w->incomplete =
        invalid + failed > 0 || counted(w, RC_RANK_COUNTER_UNITS) < w->totals[0];
    if (invalid + failed == 0)
        return;
    rc_run_warn(w,
                "%" PRIu64 " units have readings that must not be used, %" PRIu64
                " have none: 'rollcall status' and log.txt in '%.300s' say why",
                invalid, failed, w->dir);
}
