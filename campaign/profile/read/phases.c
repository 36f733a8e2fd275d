/* The phases of a launch, found in the series of its nodes and named by what the
 * program's threads did then.
 */
#include "campaign/profile/read/phases.h"

#include "campaign/profile/read/instances.h"
#include "campaign/profile/read/labels.h"
#include "campaign/profile/read/levels.h"
#include "solve/series/phases.h"
#include "solve/study/outliers.h"

#include <math.h>
#include <string.h>

enum {
    BINS_MOST = 2048, /* longer launches have longer bins: it takes their square */
    NAMES_MOST = 1024 /* others have one name together */
};
#define STALL_NS 10e6       /* that a node may stand still */
#define RATE_SCATTER 0.02   /* of the highest rate */
#define STATE_SCATTER 0.002 /* of the highest state */
#define WAITS_MORE 20.0     /* % of the time in which processes wait for others */

struct finding {
    const struct rc_profile_sums *sums;
    struct rc_profile_phases *out;
    struct rc_labels names;             /* that a phase may get */
    double *ns[NAMES_MOST + 1];         /* [name][phase] how long threads were there */
    double *alive_ns;                   /* [phase] of all threads */
    const struct rc_profile_node *node; /* whose instances are taken, */
    const struct rc_profile_thread *thread; /* and which thread's */
};

/* One of a state, or the rate of one count in a bin.  Time that is counted in ticks is
 * seen in bins of two ticks, too: whether a processor works tells them apart, of which
 * an eighth is what they scatter, but not less than a quarter of a tick.
 */
static double one_of(const struct rc_profile_event *event, uint64_t bin_ns)
{
    const double tick_ns = (double)event->tick_ns;
    double counts = 1;

    if (event->state)
        return 1;
    if (tick_ns > 0)
        counts = fmin(1, fmax(0.25, (double)bin_ns / 8 / tick_ns));
    return counts * rc_profile_rate(event, 1, bin_ns);
}

/* A series scatters by this part of its highest at least.  A node that stands still for
 * a moment, as virtual ones do, takes a part of all rates in two bins, which must be no
 * jump.
 */
static double least_part(const struct rc_profile_event *event, uint64_t bin_ns)
{
    return event->state
               ? STATE_SCATTER
               : fmax(RATE_SCATTER, STALL_NS / (2 * (double)bin_ns) / RC_PHASES_JUMP);
}

/* Whether the kernel counts it for all processes: where the program's own were counted,
 * too, a boundary in it may be others'.
 */
static bool is_of_all(const struct rc_profile_event *event)
{
    static const char *const of_all[] = {"stat:", "pressure:", "vmstat:", "meminfo:"};
    static const char sysfs[] = "sysfs:::";
    const size_t cut = sizeof sysfs - 1;

    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
        if (strncmp(event->name, sysfs, cut) == 0 &&
            strncmp(event->name + cut, of_all[i], strlen(of_all[i])) == 0)
            return true;
    return false;
}

/* How long processes wait for a processor: no phase of the program's, but it tells when
 * others disturb it.
 */
static const struct rc_profile_level *find_waits(const struct rc_profile_levels *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->level[i].event->name, "sysfs:::pressure:cpu:some_us") == 0)
            return &l->level[i];
    return NULL;
}

/* Keeps the boundaries around which processes wait about as long as mostly: where they
 * wait longer others came, or went, and the levels may be theirs.
 */
static size_t leave_disturbed(const struct rc_profile_levels *l, size_t *boundary,
                              size_t count, double *room)
{
    const struct rc_profile_level *waits = find_waits(l);
    size_t kept = 0, known = 0;

    for (size_t b = 0; waits && b < l->bins; b++)
        if (isfinite(waits->mean[b]))
            room[known++] = waits->mean[b];
    if (known == 0)
        return count;
    const double most = rc_median(room, known) + WAITS_MORE;
    for (size_t i = 0; i < count; i++) {
        const size_t t = boundary[i], from = t > 2 ? t - 2 : 0;
        if (!(rc_profile_level_mean(waits, from, t + 2) > most))
            boundary[kept++] = t;
    }
    return kept;
}

/* Makes the phases of boundaries, each with the event that stands out.  A series
 * scatters by one in a bin at least, be it a count or a state such as how many tasks
 * run, over the nodes that read it, and by a part of its highest: what is nearly
 * always at its most has no phase where it is a little less, nor has memory of which
 * others take some.
 */
static int find_boundaries(const struct rc_profile_sums *sums,
                           const struct rc_profile_levels *l,
                           struct rc_profile_phases *out, struct rc_error *err)
{
    const struct rc_profile_level *waits = find_waits(l);
    struct rc_arena arena = {0};
    double *value = rc_arena_array(&arena, l->count, l->bins * sizeof *value);
    double *scatter = rc_arena_array(&arena, l->count, sizeof *scatter);
    size_t *boundary = rc_arena_array(&arena, l->bins + 1, sizeof *boundary);
    size_t boundaries = 0;
    bool own = false;
    int status = rc_arena_check(&arena, err, "the phases of the profile");

    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < l->count; i++)
        own |= strcmp(l->level[i].event->source, "program") == 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct rc_profile_event *event = l->level[i].event;
        const double part = least_part(event, l->bin_ns);
        memcpy(value + i * l->bins, l->level[i].mean, l->bins * sizeof *value);
        scatter[i] = one_of(event, l->bin_ns) / (double)l->level[i].nodes;
        for (size_t b = 0; b < l->bins; b++)
            if ((own && is_of_all(event)) || &l->level[i] == waits)
                value[i * l->bins + b] = NAN;
            else if (l->level[i].given[b] > 0)
                scatter[i] = fmax(scatter[i], part * fabs(l->level[i].mean[b]));
    }
    status =
        rc_phases_find(value, l->count, l->bins, boundary, &boundaries, scatter, err);
    boundaries = leave_disturbed(l, boundary, boundaries, value);
    out->series = l->count;
    for (size_t i = 0; i < l->count; i++)
        out->used += scatter[i] > 0;
    if (status != RC_OK || boundaries == 0)
        goto out;
    out->phase = rc_arena_array(&out->arena, boundaries + 1, sizeof *out->phase);
    if ((status = rc_arena_check(&out->arena, err, "the phases of the profile"))) {
        goto out;
    }
    boundary[boundaries] = l->bins;
    for (size_t p = 0; p <= boundaries; p++) {
        struct rc_profile_phase *phase = &out->phase[p];
        const size_t a = p > 0 ? boundary[p - 1] : 0, b = boundary[p];
        double most = -1;
        *phase = (struct rc_profile_phase){
            .begin_ns = l->zero_unix_ns + (int64_t)(a * l->bin_ns),
            .end_ns = l->zero_unix_ns +
                      (int64_t)(b < l->bins ? b * l->bin_ns : sums->axis_ns),
            .mostly = "",
            .share = NAN};
        for (size_t i = 0; i < l->count; i++) {
            const double mean = rc_profile_level_mean(&l->level[i], a, b),
                         all = rc_profile_level_mean(&l->level[i], 0, l->bins);
            const double off = scatter[i] > 0 ? fabs(mean - all) / scatter[i] : NAN;
            if (off > most) {
                most = off;
                phase->event = l->level[i].event;
                phase->mean = mean;
                phase->all = all;
            }
        }
    }
    out->count = boundaries + 1;
out:
    rc_arena_free(&arena);
    return status;
}

/* Adds to ns[phase] what lies in each phase of a time of a node. */
static void add_time(const struct finding *f, uint64_t begin_ns, uint64_t end_ns,
                     double sign, double *ns)
{
    const struct rc_profile_phases *out = f->out;
    const int64_t begin = rc_profile_unix_ns(f->node, begin_ns),
                  end = rc_profile_unix_ns(f->node, end_ns);
    size_t low = 0, high = out->count;

    while (low < high) { /* the first one that has not ended before it begins */
        const size_t middle = (low + high) / 2;
        if (out->phase[middle].end_ns <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < out->count && out->phase[low].begin_ns < end; low++) {
        const struct rc_profile_phase *phase = &out->phase[low];
        const int64_t from = begin > phase->begin_ns ? begin : phase->begin_ns,
                      to = end < phase->end_ns ? end : phase->end_ns;
        ns[low] += sign * (double)(to - from);
    }
}

/* The times of a name; those that are too many share one. */
static double *find_name(struct finding *f, const char *name)
{
    size_t number = rc_labels_find(&f->names, name);

    if (number > NAMES_MOST)
        number = NAMES_MOST;
    if (!f->ns[number])
        f->ns[number] = rc_arena_array(&f->out->arena, f->out->count, sizeof(double));
    return f->ns[number];
}

/* Adds what an instance took to its name, and takes it from what is around it. */
static void add_instance(void *arg, const struct rc_profile_instance *instance)
{
    struct finding *f = arg;
    const struct rc_profile_thread *thread = f->thread;
    const struct rc_profile_call *call = &thread->call[instance->number];
    const struct rc_profile_path *path = &thread->path[instance->number];
    const uint64_t around = instance->call ? call->path : path->parent;
    double *own =
        find_name(f, instance->call ? rc_profile_call_name(thread, call)
                                    : rc_profile_region_name(thread, instance->number));
    double *outer =
        around > 0 ? find_name(f, rc_profile_region_name(thread, around)) : f->ns[0];

    if (!own || !outer)
        return;
    add_time(f, instance->begin_ns, instance->end_ns, 1, own);
    add_time(f, instance->begin_ns, instance->end_ns, -1, outer);
}

/* The first name is of what is outside of all regions. */
static int name_phases(struct finding *f, struct rc_error *err)
{
    const struct rc_profile_sums *s = f->sums;

    f->alive_ns = rc_arena_array(&f->out->arena, f->out->count, sizeof *f->alive_ns);
    double *outside = find_name(f, "(outside of regions)");
    int status = rc_arena_check(&f->out->arena, err, "the phases of the profile");
    if (status != RC_OK)
        return status;
    for (size_t n = 0; n < s->node_count; n++)
        for (size_t t = 0; t < s->node[n].thread_count; t++) {
            f->node = &s->node[n];
            f->thread = &s->node[n].thread[t];
            add_time(f, f->thread->place.began_ns, f->thread->ended_ns, 1, outside);
            add_time(f, f->thread->place.began_ns, f->thread->ended_ns, 1, f->alive_ns);
            (void)rc_profile_instances(f->thread, add_instance, f);
        }
    if ((status = rc_labels_check(&f->names, err)) != RC_OK ||
        (status = rc_arena_check(&f->out->arena, err, "the phases of the profile")))
        return status;
    for (size_t p = 0; p < f->out->count; p++) {
        struct rc_profile_phase *phase = &f->out->phase[p];
        double most = 0;
        for (size_t i = 0; i <= NAMES_MOST && i < f->names.count; i++)
            if (f->ns[i][p] > most) {
                most = f->ns[i][p];
                phase->mostly = i < NAMES_MOST ? f->names.text[i] : "(other regions)";
            }
        if (f->alive_ns[p] > 0)
            phase->share = fmin(most / f->alive_ns[p], 1);
    }
    return RC_OK;
}

/* By which power of two the time between readings of a series is longer than
 * 'period_ns', half of the time or more: the budget may have them read less often than
 * was asked for.
 */
static uint64_t times_slower(const struct rc_profile_series *series, uint64_t period_ns)
{
    double weight[32] = {0}, whole = 0, below = 0;
    size_t k = 0;

    for (size_t i = 1; i < series->count; i++) {
        const uint64_t at = series->reading[i].at_ns,
                       was = series->reading[i - 1].at_ns;
        const double gap = at > was ? (double)(at - was) : 0;
        for (k = 0; k < 31 && gap > 1.5 * (double)period_ns * (double)(1ULL << k);)
            k++;
        weight[k] += gap;
        whole += gap;
    }
    for (k = 0; k < 31 && (below += weight[k]) < whole / 2;)
        k++;
    return UINT64_C(1) << k;
}

/* Bins are no shorter than the time between readings of the slowest series: a reading
 * that fills several does not make a level.
 */
static size_t most_bins(const struct rc_profile_sums *sums)
{
    const uint64_t period = sums->node->launch.period_ns;
    uint64_t slowest = 1;

    if (period == 0)
        return BINS_MOST;
    for (size_t n = 0; n < sums->node_count; n++)
        for (size_t i = 0; i < sums->node[n].series_count; i++) {
            const uint64_t times = times_slower(&sums->node[n].series[i], period);
            slowest = times > slowest ? times : slowest;
        }
    const uint64_t bins = sums->axis_ns / period / slowest + 1;
    return slowest > 1 && bins < BINS_MOST ? (size_t)bins : BINS_MOST;
}

int rc_profile_phases_find(const struct rc_profile_sums *sums,
                           struct rc_profile_phases *out, struct rc_error *err)
{
    struct finding f = {.sums = sums, .out = out};
    struct rc_profile_levels levels;
    int status = rc_profile_levels_find(sums, most_bins(sums), &levels, err);

    *out = (struct rc_profile_phases){.bin_ns = levels.bin_ns};
    if (status == RC_OK &&
        (status = find_boundaries(sums, &levels, out, err)) == RC_OK && out->count > 0)
        status = name_phases(&f, err);
    if (status != RC_OK)
        out->count = 0;
    rc_labels_fini(&f.names);
    rc_profile_levels_fini(&levels);
    return status;
}

void rc_profile_phases_fini(struct rc_profile_phases *phases)
{
    rc_arena_free(&phases->arena);
}
