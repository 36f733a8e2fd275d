/* The detours of a directory's journals, into noise.h5: rank 0 reads and writes
 * them alone.  A record has the row of its loss, which names its periods; what
 * all rows have of detours, bins and names of causes lies behind each other.
 */
#include "campaign/noise/losses.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "kernels/detour.h"
#include "solve/study/scale.h"
#include "solve/study/tail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The worst is told of a day on a thousand cores. */
static const double tail_core_s = 86400.0 * 1000;

struct collected {
    const struct rc_noise_losses *losses;
    struct rc_noise_file_detours d;
    struct rc_noise_file_detour *detour; /* d's lists, which grow */
    struct rc_noise_file_bin *bin;
    const char **who;
    size_t detour_room, bin_room, who_room, period_room, tail_room, clock_room;
    struct rc_pool *pool;                               /* of names */
    double largest_ns[RC_SCALE_GRAINS][RC_SCALE_CORES]; /* summed over bare loops */
    size_t loops[RC_SCALE_GRAINS][RC_SCALE_CORES];
};

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for detours");
}

/* The loss of a record; NULL for a copy of one that was taken. */
static const struct rc_noise_loss *loss_of(const struct collected *c,
                                           const struct rc_journal_record *record)
{
    for (size_t i = 0; i < c->losses->count; i++) {
        const struct rc_noise_loss *l = &c->losses->loss[i];
        if (l->writer == record->writer && l->sequence == record->sequence)
            return c->d.record[i].duration_ns ? NULL : l;
    }
    return NULL;
}

/* The number of a cause among those of all records. */
static int number_cause(struct collected *c, const char *name, uint64_t *out)
{
    size_t n = 0;

    while (n < c->d.who_count && strcmp(c->who[n], name) != 0)
        n++;
    *out = n;
    if (n < c->d.who_count)
        return 0;
    if (rc_grow(&c->who, sizeof *c->who, n, &c->who_room))
        return -1;
    c->who[n] = rc_pool_copy(c->pool, name);
    c->d.who_count += c->who[n] != NULL;
    return c->who[n] ? 0 : -1;
}

static int take_lists(struct collected *c, const struct rc_noise_detours *d,
                      struct rc_error *err)
{
    uint64_t *cause = rc_calloc(d->names, sizeof *cause);
    int failed = cause ? 0 : -1;

    for (size_t i = 0; i < d->names && !failed; i++)
        failed = number_cause(c, d->name[i], &cause[i]);
    for (size_t i = 0; i < d->count && !failed; i++) {
        failed =
            rc_grow(&c->detour, sizeof *c->detour, c->d.detour_count, &c->detour_room);
        if (!failed)
            c->detour[c->d.detour_count++] =
                (struct rc_noise_file_detour){.start_ns = d->detour[i].start_ns,
                                              .length_ns = d->detour[i].length_ns,
                                              .who = cause[d->who[i]]};
    }
    for (size_t i = 0; i < d->bins && !failed; i++) {
        failed = rc_grow(&c->bin, sizeof *c->bin, c->d.bin_count, &c->bin_room);
        if (!failed)
            c->bin[c->d.bin_count++] = (struct rc_noise_file_bin){
                .begin_ps = rc_detour_bin_begin(d->bin[i]), .gaps = d->bin_count[i]};
    }
    free(cause);
    return failed ? fail_memory(err) : RC_OK;
}

static int take_periods(struct collected *c, const struct rc_noise_loss *l,
                        size_t record, struct rc_error *err)
{
    struct rc_noise_file_detours *d = &c->d;

    for (size_t i = 0; i < l->periods; i++) {
        const struct rc_line *line = &l->period[i].line;
        if (rc_grow(&d->period, sizeof *d->period, d->period_count, &c->period_room))
            return fail_memory(err);
        d->period[d->period_count++] =
            (struct rc_noise_file_period){.record = record,
                                          .hz = line->hz,
                                          .hz_error = line->hz_error,
                                          .phase_ns = line->phase_ns,
                                          .window_ns = line->window_ns,
                                          .stolen_ns = line->stolen_ns,
                                          .share = line->share,
                                          .pulses = line->pulses,
                                          .hits = line->hits,
                                          .who = l->period[i].who};
    }
    return RC_OK;
}

/* Where the list of detours was full, what follows is not known. */
static uint64_t listed_ns(const struct rc_noise_detours *d)
{
    if (d->dropped == 0 || d->count == 0)
        return d->duration_ns;
    return d->detour[d->count - 1].start_ns + d->detour[d->count - 1].length_ns;
}

static int take_tail(struct collected *c, const struct rc_noise_detours *d,
                     size_t record, struct rc_error *err)
{
    struct rc_noise_file_detours *to = &c->d;
    struct rc_tail tail;
    const int status =
        rc_tail_fit(d->detour, d->count, listed_ns(d), tail_core_s, &tail, err);

    if (status != RC_OK || isnan(tail.pareto.scale))
        return status;
    if (rc_grow(&to->tail, sizeof *to->tail, to->tail_count, &c->tail_room))
        return fail_memory(err);
    to->tail[to->tail_count++] =
        (struct rc_noise_file_tail){.record = record,
                                    .threshold_ns = tail.threshold_ns,
                                    .scale_ns = tail.pareto.scale,
                                    .shape = tail.pareto.shape,
                                    .rate_hz = tail.rate_hz,
                                    .worst_ns = tail.worst_ns,
                                    .worst_low_ns = tail.worst_low_ns,
                                    .worst_high_ns = tail.worst_high_ns};
    return RC_OK;
}

static int take_scale(struct collected *c, const struct rc_noise_detours *d,
                      struct rc_error *err)
{
    double largest_ns[RC_SCALE_CORES];
    int status = RC_OK;

    for (size_t g = 0; g < RC_SCALE_GRAINS && status == RC_OK; g++) {
        status =
            rc_scale_largest(d->detour, d->count, listed_ns(d), rc_scale_grain_ns[g],
                             rc_scale_cores, RC_SCALE_CORES, largest_ns, err);
        for (size_t p = 0; p < RC_SCALE_CORES && status == RC_OK; p++)
            if (!isnan(largest_ns[p])) {
                c->largest_ns[g][p] += largest_ns[p];
                c->loops[g][p]++;
            }
    }
    return status;
}

/* The line through a node's first and last comparison with the first node's
 * clock. */
static int take_clock(struct collected *c, const struct rc_noise_detours *d,
                      const char *node, struct rc_error *err)
{
    struct rc_noise_file_detours *to = &c->d;

    for (size_t i = 0; i < to->clock_count; i++)
        if (strcmp(to->clock[i].node, node) == 0)
            return RC_OK;
    if (d->clocks == 0)
        return RC_OK;
    if (rc_grow(&to->clock, sizeof *to->clock, to->clock_count, &c->clock_room))
        return fail_memory(err);
    const struct rc_clock_offset *a = &d->clock[0], *b = &d->clock[d->clocks - 1];
    const double first = ((double)a->low_ns + (double)a->high_ns) / 2;
    const double last = ((double)b->low_ns + (double)b->high_ns) / 2;
    const double apart = (double)(b->at_ns - a->at_ns);
    to->clock[to->clock_count++] = (struct rc_noise_file_clock){
        .node = node,
        .at_ns = (size_t)a->at_ns,
        .offset_ns = first,
        .drift = apart > 0 ? (last - first) / apart : NAN,
        .uncertainty_ns = ((double)a->high_ns - (double)a->low_ns) / 2};
    return RC_OK;
}

static int take_record(void *user, const struct rc_noise_detours *d,
                       const struct rc_journal_record *record, struct rc_error *err)
{
    struct collected *c = user;
    const struct rc_noise_loss *l = loss_of(c, record);
    int status;

    if (!l)
        return RC_OK;
    const size_t number = (size_t)(l - c->losses->loss);
    c->d.record[number] =
        (struct rc_noise_file_record){.node = l->node,
                                      .core = d->core,
                                      .round = d->round,
                                      .work = l->work,
                                      .alone = d->alone,
                                      .begin_ns = d->begin_ns,
                                      .duration_ns = d->duration_ns,
                                      .gaps = d->gaps,
                                      .tau_ns = d->tau_ns,
                                      .dropped = d->dropped,
                                      .median_gap_ps = d->median_gap_ps,
                                      .first = c->d.detour_count,
                                      .count = d->count,
                                      .first_bin = c->d.bin_count,
                                      .bins = d->bins};
    if ((status = take_lists(c, d, err)) != RC_OK ||
        (status = take_periods(c, l, number, err)) != RC_OK ||
        (status = take_tail(c, d, number, err)) != RC_OK ||
        (status = take_clock(c, d, l->node, err)) != RC_OK)
        return status;
    return d->work[0] || d->alone ? RC_OK : take_scale(c, d, err);
}

/* The mean of the cores, each taken as if all were like it. */
static int put_scale(struct collected *c, struct rc_error *err)
{
    struct rc_noise_file_detours *d = &c->d;

    d->scale = rc_calloc((size_t)RC_SCALE_GRAINS * RC_SCALE_CORES, sizeof *d->scale);
    if (!d->scale)
        return fail_memory(err);
    for (size_t g = 0; g < RC_SCALE_GRAINS; g++)
        for (size_t p = 0; p < RC_SCALE_CORES; p++)
            if (c->loops[g][p])
                d->scale[d->scale_count++] = (struct rc_noise_file_scale){
                    .grain_ns = rc_scale_grain_ns[g],
                    .ranks = rc_scale_cores[p],
                    .slowdown = 1 + c->largest_ns[g][p] / (double)c->loops[g][p] /
                                        rc_scale_grain_ns[g],
                    .measured = NAN};
    return RC_OK;
}

/* On rank 0: all of the journals. */
static int collect(const char *dir, struct collected *c, struct rc_error *err)
{
    struct rc_noise_journals journals;

    c->pool = rc_pool_create();
    c->d.record_count = c->losses->count;
    c->d.record = rc_calloc(c->losses->count, sizeof *c->d.record);
    if (!c->pool || !c->d.record)
        return fail_memory(err);
    for (size_t i = 0; i < c->losses->count; i++)
        c->d.record[i] = (struct rc_noise_file_record){.node = "", .work = ""};
    const int status =
        rc_noise_detours_read(MPI_COMM_NULL, dir, take_record, c, &journals, err);
    c->d.detour = c->detour;
    c->d.bin = c->bin;
    c->d.who = c->who;
    return status == RC_OK ? put_scale(c, err) : status;
}

int rc_noise_write_detours(MPI_Comm comm, const char *dir,
                           const struct rc_noise_losses *losses,
                           struct rc_noise_file *file, struct rc_error *err)
{
    struct collected c = {.losses = losses};
    int status = RC_OK;

    if (losses->count == 0)
        return RC_OK;
    if (rc_team_rank(comm) == 0)
        status = collect(dir, &c, err);
    if ((status = rc_agree(comm, status, err)) == RC_OK)
        status = rc_noise_file_put_detours(file, &c.d, err);
    free(c.d.record);
    free(c.d.period);
    free(c.d.tail);
    free(c.d.scale);
    free(c.d.clock);
    free(c.detour);
    free(c.bin);
    free((void *)c.who);
    rc_pool_close(c.pool);
    return status;
}
