/* Works out what detours cost each core: shares, percentiles, lines, slowdown at scale.
 */
#include "campaign/detours/losses.h"

#include "campaign/base/agree.h"
#include "campaign/base/gather.h"
#include "campaign/base/text.h"
#include "kernels/detour.h"
#include "solve/study/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t rc_noise_listed_ns(const struct rc_noise_detours *d)
{
    if (d->dropped == 0 || d->count == 0)
        return d->duration_ns;
    return d->detour[d->count - 1].start_ns + d->detour[d->count - 1].length_ns;
}

/* The grain of work and the number of cores of the slowdown. */
static const double grain_ns = 1e6, cores = 1e4;

/* The quantile of ascending numbers: a 'part' of them does not exceed it. */
static double quantile_of(const double *number, size_t count, double part)
{
    return count ? number[(size_t)((double)(count - 1) * part)] : NAN;
}

/* Lengths of detours, by size. */
static int find_lengths(const struct rc_noise_detours *d, struct rc_noise_loss *out,
                        struct rc_error *err)
{
    double *length = rc_calloc(d->count, sizeof *length);

    if (!length)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu detours", d->count);
    for (size_t i = 0; i < d->count; i++)
        length[i] = (double)d->detour[i].length_ns / 1e3;
    if (d->count > 0)
        qsort(length, d->count, sizeof *length, rc_order_reals);
    out->p50_us = quantile_of(length, d->count, 0.5);
    out->p99_us = quantile_of(length, d->count, 0.99);
    out->max_us = quantile_of(length, d->count, 1);
    free(length);
    return RC_OK;
}

/* Names the maker of most of a line's detours, not of most of their time: a thread that
 * came after one pulse may have had more than all pulses.
 */
static int find_who(const struct rc_noise_detours *d, const int8_t *line_of,
                    size_t line, struct rc_noise_period *out, struct rc_error *err)
{
    static const double ticks[] = {100, 250, 300, 1000};
    static const double longest_tick_ns = 50e3;
    uint64_t *made = rc_calloc(d->names, sizeof *made);
    size_t most = 0;

    if (!made)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu names", d->names);
    for (size_t i = 0; i < d->count; i++)
        if (line_of[i] == (int8_t)line)
            made[d->who[i]]++;
    for (size_t i = 1; i < d->names; i++)
        if (made[i] > made[most])
            most = i;
    const char *who = most == RC_NOISE_WHO_NOT_ASKED ? "" : d->name[most];
    /* A tick that nobody was asked about is known by its frequency, and is short. */
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++)
        if (most == RC_NOISE_WHO_NOT_ASKED && out->line.stolen_ns < longest_tick_ns &&
            fabs(out->line.hz / ticks[i] - 1) < 1e-3)
            who = RC_NOISE_TICK;
    rc_text_printable(out->who, sizeof out->who, who);
    free(made);
    return RC_OK;
}

static int find_periods(const struct rc_noise_detours *d, struct rc_noise_loss *out,
                        struct rc_error *err)
{
    struct rc_line line[RC_LINES_MOST];
    int8_t *line_of = rc_calloc(d->count, sizeof *line_of);
    size_t found = 0;
    int status = line_of ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for detours");

    if (status != RC_OK ||
        (status = rc_lines_find(d->detour, d->count, rc_noise_listed_ns(d), line,
                                &found, line_of, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < found && i < RC_NOISE_PERIODS; i++) {
        out->period[i].line = line[i];
        status = find_who(d, line_of, i, &out->period[i], err);
        out->periods = i + 1;
        if (status != RC_OK)
            goto out;
    }
out:
    free(line_of);
    return status;
}

/* Sorts the paces of windows that had a quantum, ascending. */
static size_t sort_paces(const struct rc_noise_detours *d, const uint64_t *pace,
                         double *out)
{
    size_t count = 0;

    for (size_t i = 0; i < d->paces; i++)
        if (d->pace_ps[i] > 0 && d->pace_hz[i] > 0)
            out[count++] = (double)pace[i];
    if (count > 0)
        qsort(out, count, sizeof *out, rc_order_reals);
    return count;
}

/* Work is slower than in its fastest windows, the fifth of a hundred; and how much of
 * that follows from the clock: work takes cycles, and so do the additions by which the
 * clock is known.  Both are means of windows without the fifth of a hundred at either
 * end: additions, too, are interrupted.
 */
static int find_pace(const struct rc_noise_detours *d, struct rc_noise_loss *out,
                     struct rc_error *err)
{
    double *number = rc_calloc(d->paces, sizeof *number), work = 0, cycles = 0;

    if (!number)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu paces", d->paces);
    const size_t count = sort_paces(d, d->pace_hz, number);
    const size_t first = count / 20, kept = count - 2 * first;
    out->hz = quantile_of(number, count, 0.5);
    out->hz_low = quantile_of(number, count, 0.05);
    for (size_t i = first; i < first + kept; i++)
        cycles += number[first + kept - 1] / number[i];
    (void)sort_paces(d, d->pace_ps, number);
    for (size_t i = first; i < first + kept; i++)
        work += number[i] / number[first];
    out->clock = kept ? cycles / (double)kept - 1 : NAN;
    out->slower = kept ? work / (double)kept - 1 : NAN;
    free(number);
    return RC_OK;
}

static void find_totals(const struct rc_noise_detours *d, struct rc_noise_loss *out)
{
    const char *memory = rc_noise_condition(d, "memory");
    const char *traced = rc_noise_condition(d, "tracepoints");
    const char *why = "not locked: ";

    for (size_t i = 0; i < d->totals; i++)
        if (strcmp(d->total[i].name, "steal ms") == 0)
            out->steal = (double)d->total[i].count / 1e3 / out->time_s;
    rc_text_printable(out->quota, sizeof out->quota, rc_noise_condition(d, "cpu.max"));
    const char *period = strchr(out->quota, ' ');
    if (period)
        rc_text_append(out->held, sizeof out->held,
                       "cpu.max '%s', looks like a period of %.6g ms", out->quota,
                       strtod(period, NULL) / 1e3);
    if (strncmp(memory, why, strlen(why)) == 0)
        rc_text_printable(out->unlocked, sizeof out->unlocked, memory + strlen(why));
    if (strcmp(traced, RC_NOISE_TRACED) != 0 &&
        strcmp(traced, RC_NOISE_TRACE_UNWANTED) != 0)
        rc_text_printable(out->untraced, sizeof out->untraced, traced);
    out->shared = *rc_noise_condition(d, "core shared with") != 0;
}

/* When it was, for the clock that all nodes of its job share.  Offsets that make no
 * sense are none.
 */
static int find_times(const struct rc_noise_detours *d, struct rc_noise_loss *out,
                      struct rc_error *err)
{
    const uint64_t listed_ns = rc_noise_listed_ns(d);
    struct rc_error why = {.rank = -1};
    struct rc_clock clock = {.offset = NULL};

    if (d->clocks > 0 && rc_clock_decode(d->clock, d->clocks, &clock, &why) != RC_OK &&
        why.status != RC_EUSAGE) {
        *err = why;
        return why.status;
    }
    out->compared = clock.count > 0;
    for (uint64_t part = 0; part <= 2; part++) { /* bounds are widest in the middle */
        int64_t low, high;
        out->end_ns = rc_clock_global(
            &clock, (int64_t)(d->begin_ns + listed_ns / 2 * part), &low, &high);
        out->begin_ns = part ? out->begin_ns : out->end_ns;
        out->unsure_ns = fmax(out->unsure_ns, ((double)high - (double)low) / 2);
    }
    rc_clock_fini(&clock);
    return RC_OK;
}

int rc_noise_loss_find(const struct rc_noise_detours *d, struct rc_noise_loss *out,
                       struct rc_error *err)
{
    double largest_ns = NAN;

    memset(out, 0, sizeof *out);
    rc_text_printable(out->node, sizeof out->node, d->node);
    rc_text_printable(out->work, sizeof out->work, d->work);
    rc_text_printable(out->point, sizeof out->point, d->point);
    out->core = d->core;
    out->round = d->round;
    out->alone = d->alone;
    out->detours = d->count + d->dropped;
    out->dropped = d->dropped;
    out->faults = d->faults;
    out->names = d->names;
    out->bins = (uint32_t)d->bins;
    out->time_s = (double)d->duration_ns / 1e9;
    out->lost = (double)d->stolen_ns / (double)d->duration_ns;
    out->per_second = (double)out->detours / out->time_s;
    out->quantum_us = d->work[0] ? (double)d->median_gap_ps / 1e6 : NAN;
    out->hz = out->hz_low = out->slower = out->clock = NAN;
    find_totals(d, out);
    int status = find_times(d, out, err);
    if (status != RC_OK || (status = find_lengths(d, out, err)) != RC_OK ||
        (d->work[0] && (status = find_pace(d, out, err)) != RC_OK) ||
        (status = find_periods(d, out, err)) != RC_OK ||
        (status = rc_noise_causes_find(d, out, err)) != RC_OK)
        return status;
    status = rc_scale_largest(d->detour, d->count, rc_noise_listed_ns(d), grain_ns,
                              &cores, 1, &largest_ns, err);
    out->slowdown = 1 + largest_ns / grain_ns;
    return status;
}

/* The losses that a rank found. */
struct found {
    struct rc_noise_loss *loss;
    size_t count, room;
    int rank;
};

static int add_loss(void *user, const struct rc_noise_detours *d,
                    const struct rc_journal_record *record, struct rc_error *err)
{
    struct found *f = user;

    if (rc_grow(&f->loss, sizeof *f->loss, f->count, &f->room))
        return rc_fail(err, RC_ENOMEM, "no memory for what cores lost");
    struct rc_noise_loss *out = &f->loss[f->count];
    const int status = rc_noise_loss_find(d, out, err);
    out->reader = f->rank;
    out->writer = record->writer;
    out->sequence = record->sequence;
    f->count += status == RC_OK;
    return status;
}

/* By node, core, work, alone, round; then by the record, so that copies stand together.
 */
static int compare_losses(const void *a, const void *b)
{
    const struct rc_noise_loss *x = a, *y = b;
    const int names[] = {strcmp(x->node, y->node), 0, strcmp(x->work, y->work)};
    const uint64_t left[] = {0, x->core, 0, x->alone, x->round, x->writer, x->sequence};
    const uint64_t right[] = {0,        y->core,   0,          y->alone,
                              y->round, y->writer, y->sequence};

    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        if (i < 3 && names[i])
            return names[i];
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    }
    return 0;
}

const struct rc_noise_loss *rc_noise_loss_of(const struct rc_noise_losses *losses,
                                             const struct rc_noise_detours *d,
                                             const struct rc_journal_record *record)
{
    struct rc_noise_loss key = {.core = d->core,
                                .round = d->round,
                                .alone = d->alone,
                                .writer = record->writer,
                                .sequence = record->sequence};

    rc_text_printable(key.node, sizeof key.node, d->node);
    rc_text_printable(key.work, sizeof key.work, d->work);
    if (losses->count == 0)
        return NULL;
    const struct rc_noise_loss *found =
        bsearch(&key, losses->loss, losses->count, sizeof key, compare_losses);
    return found && found->detours == d->count + d->dropped &&
                   found->dropped == d->dropped && found->bins == d->bins &&
                   found->names == d->names
               ? found
               : NULL;
}

int rc_noise_losses_read(MPI_Comm comm, const char *dir, struct rc_noise_losses *out,
                         struct rc_error *err)
{
    struct found mine = {.rank = rc_team_rank(comm)};
    size_t kept = 0;
    struct rc_gathered all;
    int status;

    *out = (struct rc_noise_losses){.count = 0};
    status = rc_noise_detours_read(comm, dir, add_loss, &mine, &out->journals, err);
    if (status == RC_OK)
        status = rc_gather(comm, mine.loss, mine.count * sizeof *mine.loss, &all, err);
    free(mine.loss);
    if (status != RC_OK)
        return status;
    out->count = all.from[rc_team_size(comm)] / sizeof *out->loss;
    out->loss = (void *)all.byte;
    free(all.from);
    if (out->count > 0)
        qsort(out->loss, out->count, sizeof *out->loss, compare_losses);
    for (size_t i = 0; i < out->count; i++) /* copies of journals hold a record twice */
        if (kept == 0 || compare_losses(&out->loss[kept - 1], &out->loss[i]) != 0)
            out->loss[kept++] = out->loss[i];
    out->count = kept;
    return RC_OK;
}

void rc_noise_losses_fini(struct rc_noise_losses *losses)
{
    free(losses->loss);
    free(losses->together.step);
    *losses = (struct rc_noise_losses){.count = 0};
}
