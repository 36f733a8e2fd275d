/* The detours of a directory's journals, into noise.h5: rank 0 reads and writes
 * them alone.  A record has the row of its loss, which names its periods and says how
 * long its lists are; the detours, bins and names of causes of all rows follow each
 * other.
 */
#include "campaign/detours/losses.h"

#include "campaign/base/agree.h"
#include "campaign/base/map.h"
#include "campaign/base/text.h"
#include "kernels/detour.h"
#include "solve/study/scale.h"
#include "solve/study/tail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The worst detour is that of a day on a thousand cores. */
static const double tail_core_s = 86400.0 * 1000;

struct collected {
    const struct rc_noise_losses *losses;
    struct rc_noise_file_detours d; /* its lists have room for all */
    struct rc_noise_file_detour *detour;
    struct rc_noise_file_bin *bin;
    const char **who;
    struct rc_map by_name;                              /* of 'who' */
    double largest_ns[RC_SCALE_GRAINS][RC_SCALE_CORES]; /* summed over bare loops */
    size_t loops[RC_SCALE_GRAINS][RC_SCALE_CORES];
    struct rc_arena arena;
};

static bool has_name(const void *c, size_t item, const void *name)
{
    return strcmp(((const struct collected *)c)->who[item], name) == 0;
}

/* Room for what the losses say that there is. */
static int make_room(struct collected *c, struct rc_error *err)
{
    const struct rc_noise_losses *all = c->losses;
    struct rc_noise_file_detours *d = &c->d;
    size_t detours = 0, bins = 0, names = 0, periods = 0;

    for (size_t i = 0; i < all->count; i++) {
        detours += all->loss[i].detours - all->loss[i].dropped;
        bins += all->loss[i].bins;
        names += all->loss[i].names;
        periods += all->loss[i].periods;
    }
    c->by_name.same = has_name;
    d->journal_records = all->journals.records + all->journals.refused;
    d->record_count = all->count;
    d->detour = c->detour = rc_arena_array(&c->arena, detours, sizeof *c->detour);
    d->bin = c->bin = rc_arena_array(&c->arena, bins, sizeof *c->bin);
    d->who = c->who = rc_arena_array(&c->arena, names, sizeof(const char *));
    d->record = rc_arena_array(&c->arena, all->count, sizeof *d->record);
    d->period = rc_arena_array(&c->arena, periods, sizeof *d->period);
    d->tail = rc_arena_array(&c->arena, all->count, sizeof *d->tail);
    d->clock = rc_arena_array(&c->arena, all->count, sizeof *d->clock);
    d->scale = rc_arena_array(
        &c->arena, (size_t)RC_SCALE_GRAINS * RC_SCALE_CORES + all->together.count,
        sizeof *d->scale);
    const int status = rc_arena_check(&c->arena, err, "detours");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < all->count; i++)
        d->record[i] =
            (struct rc_noise_file_record){.node = "", .work = "", .quota = ""};
    return RC_OK;
}

/* Detours, each with the number that its cause has among those of all records, and the
 * bins of the histogram.
 */
static int take_lists(struct collected *c, const struct rc_noise_detours *d,
                      struct rc_error *err)
{
    uint64_t *cause = rc_calloc(d->names, sizeof *cause);
    int failed = cause ? 0 : -1;

    for (size_t i = 0; i < d->names && !failed; i++) {
        const uint64_t hash = rc_text_hash(d->name[i]);
        size_t at = rc_map_find(&c->by_name, c, hash, d->name[i]);
        if (at == RC_MAP_NONE) {
            at = c->d.who_count++;
            c->who[at] = rc_arena_text(&c->arena, d->name[i]);
            failed = rc_map_put(&c->by_name, c, hash, d->name[i], at);
        }
        cause[i] = at;
    }
    for (size_t i = 0; i < d->count && !failed; i++)
        c->detour[c->d.detour_count++] = (struct rc_noise_file_detour){
            d->detour[i].start_ns, d->detour[i].length_ns, cause[d->who[i]]};
    for (size_t i = 0; i < d->bins; i++)
        c->bin[c->d.bin_count++] =
            (struct rc_noise_file_bin){rc_detour_bin_begin(d->bin[i]), d->bin_count[i]};
    free(cause);
    return failed ? rc_fail(err, RC_ENOMEM, "no memory for %zu causes", d->names)
                  : rc_arena_check(&c->arena, err, "names of causes");
}

static void take_periods(struct rc_noise_file_detours *to,
                         const struct rc_noise_loss *l, size_t record)
{
    for (size_t i = 0; i < l->periods; i++) {
        const struct rc_line *line = &l->period[i].line;
        to->period[to->period_count++] =
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
}

static int take_tail(struct rc_noise_file_detours *to, const struct rc_noise_detours *d,
                     size_t record, struct rc_error *err)
{
    struct rc_tail tail;
    const int status = rc_tail_fit(d->detour, d->count, rc_noise_listed_ns(d),
                                   tail_core_s, &tail, err);

    if (status != RC_OK)
        return status;
    if (!isnan(tail.pareto.scale))
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

    for (size_t g = 0; g < RC_SCALE_GRAINS; g++) {
        const int status = rc_scale_largest(d->detour, d->count, rc_noise_listed_ns(d),
                                            rc_scale_grain_ns[g], rc_scale_cores,
                                            RC_SCALE_CORES, largest_ns, err);
        if (status != RC_OK)
            return status;
        for (size_t p = 0; p < RC_SCALE_CORES; p++)
            if (!isnan(largest_ns[p])) {
                c->largest_ns[g][p] += largest_ns[p];
                c->loops[g][p]++;
            }
    }
    return RC_OK;
}

/* The line through the comparisons of a node's clock with the first node's before and
 * after a record.
 */
static void take_clock(struct rc_noise_file_detours *to,
                       const struct rc_noise_detours *d, const char *node,
                       size_t record)
{
    if (d->clocks == 0)
        return;
    const struct rc_clock_offset *a = &d->clock[0], *b = &d->clock[d->clocks - 1];
    const double first = ((double)a->low_ns + (double)a->high_ns) / 2;
    const double last = ((double)b->low_ns + (double)b->high_ns) / 2;
    const double apart = (double)b->at_ns - (double)a->at_ns;
    to->clock[to->clock_count++] = (struct rc_noise_file_clock){
        .node = node,
        .record = record,
        .at_ns = (size_t)a->at_ns,
        .offset_ns = first,
        .drift = apart > 0 ? (last - first) / apart : NAN,
        .uncertainty_ns = ((double)a->high_ns - (double)a->low_ns) / 2};
}

static int take_record(void *user, const struct rc_noise_detours *d,
                       const struct rc_journal_record *record, struct rc_error *err)
{
    struct collected *c = user;
    const struct rc_noise_loss *l = rc_noise_loss_of(c->losses, d, record);
    const size_t number = l ? (size_t)(l - c->losses->loss) : 0;
    int status;

    if (!l || c->d.record[number].node[0]) /* new since then; or a copy */
        return RC_OK;
    c->d.record[number] =
        (struct rc_noise_file_record){.node = l->node,
                                      .core = d->core,
                                      .round = d->round,
                                      .work = l->work,
                                      .quota = l->quota,
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
        (status = take_tail(&c->d, d, number, err)) != RC_OK)
        return status;
    take_periods(&c->d, l, number);
    take_clock(&c->d, d, l->node, number);
    return d->work[0] || d->alone ? RC_OK : take_scale(c, d, err);
}

/* The mean of the cores, each taken as if all were like it; then what was measured of
 * them together.
 */
static void put_scale(struct collected *c)
{
    struct rc_noise_file_detours *d = &c->d;

    for (size_t g = 0; g < RC_SCALE_GRAINS; g++)
        for (size_t p = 0; p < RC_SCALE_CORES; p++)
            if (c->loops[g][p])
                d->scale[d->scale_count++] = (struct rc_noise_file_scale){
                    .grain_ns = rc_scale_grain_ns[g],
                    .ranks = rc_scale_cores[p],
                    .slowdown = 1 + c->largest_ns[g][p] / (double)c->loops[g][p] /
                                        rc_scale_grain_ns[g],
                    .measured = NAN,
                    .synchrony = NAN,
                    .synchrony_error = NAN};
    for (size_t i = 0; i < c->losses->together.count; i++) {
        const struct rc_noise_step *s = &c->losses->together.step[i];
        d->scale[d->scale_count++] =
            (struct rc_noise_file_scale){s->grain_ns, (double)s->cores, s->independent,
                                         s->slowdown, s->synchrony,     s->error};
    }
}

int rc_noise_write_detours(MPI_Comm comm, const char *dir,
                           const struct rc_noise_losses *losses, struct rc_store *file,
                           struct rc_error *err)
{
    struct collected c = {.losses = losses};
    struct rc_noise_journals journals;
    int status = RC_OK;

    if (losses->count == 0)
        return RC_OK;
    if (rc_team_rank(comm) == 0 && (status = make_room(&c, err)) == RC_OK &&
        (status = rc_noise_detours_read(MPI_COMM_NULL, dir, take_record, &c, &journals,
                                        err)) == RC_OK)
        put_scale(&c);
    if ((status = rc_agree(comm, status, err)) == RC_OK)
        status = rc_noise_file_put_detours(file, &c.d, err);
    rc_map_fini(&c.by_name);
    rc_arena_free(&c.arena);
    return status;
}
