/* The governor: keeps the cost of the profile within a budget, a part of the program's
 * time.
 *
 * A quarter of the budget is for the preloaded library, in the program's own threads.
 * The sampler has a half if it has a processor of its own.  If not, it takes its time
 * from one rank, for which all others wait, however many they are: its part is of one
 * processor's time then.  A quarter is kept for costs that are not accounted for: the
 * start, and caches.  Samples of stacks may take what library and sampler leave, since
 * more samples show more.
 *
 * Each second the time of library and sampler is compared with the program's, and is
 * ascribed to its causes: call paths by their instances, groups of series by the time
 * of their readings, call paths and traced MPI calls by their entries in rings.  Then
 * rates are set so that the next second, if it is like this one, is within the budget.
 * Each change is a record.
 */
#include "campaign/profile/sampler/govern.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>

enum {
    SERIES_MOST = 6,   /* levels: from 10 readings a second to one in 6.4 s */
    PATH_MOST = 3,     /* more levels gain nothing: an unmeasured instance still takes
                        * half of the time of a measured one */
    COUNTED_MOST = 10, /* with counters: a twentieth */
    /* Costs of an instance, one with counters, and an MPI call, in proportion:
     * docs/profile.md has the figures.
     */
    INSTANCE_WEIGHT = 3,
    COUNTED_WEIGHT = 60,
    CALL_WEIGHT = 2,
    ENTRIES_LEAST = 1000, /* with fewer the time of an entry is not known */
    SPANS_MOST = 10,
    STACKS_MOST = 4,
    BEGIN_NS = 2000000000, /* the sampler's work of starting, which comes once */
    MATTERS = 50,          /* items below this fraction of the excess are left alone */
};
static const double beside_fixed = 0.25, /* see rc_profile_govern() */
    roomy = 0.8,                         /* of a part: rates are restored up to it */
    notable = 1e-3;                      /* of a part: cheaper items are left alone */

/* Parts of the budget; 'of_all' is for all costs that are accounted for. */
static const double of_all = 0.75, of_threads = 0.25, of_sampler = 0.5,
                    of_crowded_sampler = 0.25, /* of one processor's, with what the
                                                * threads leave of theirs */
    stacks_least = 0.03125, all_stacks_least = 0.25;

/* Numbers of a block when it was read last. */
struct seen {
    uint64_t place;
    uint64_t measured[RC_SHARED_PATHS], calls[RC_SHARED_CALLS]; /* so far */
    uint64_t more[RC_SHARED_PATHS],
        more_calls[RC_SHARED_CALLS]; /* in the last second */
    uint64_t polls;
};

/* A row of a block, or a group of series, that may be recorded less. */
struct item {
    enum rc_profile_rated what;
    uint32_t block;
    uint32_t number; /* of the row, or of the group */
    uint8_t was;     /* its level */
    double cost_ns;  /* at that level */
};

struct rc_profile_governor {
    struct rc_profile_writer *writer;
    const struct rc_shared *head;
    struct rc_profile_drain *drain;
    struct rc_profile_gauges *gauges;
    struct rc_profile_sampling *sampling; /* NULL: none */
    double budget;                        /* of the program's time */
    double readings_hz;                   /* of series at level 0 */
    struct seen **seen;                   /* [blocks]; NULL: not in use */
    struct item *item;
    struct rc_governed *governed; /* [item] */
    size_t count, item_room, governed_room;
    double part;     /* of the program's time, for the items at hand */
    double seconds;  /* since the last call, about one */
    double of_ns;    /* the program's time in them */
    double weights;  /* of all that threads recorded in them, without polls */
    double polls_ns; /* time in them of polls of MPI that were only counted */
    double entries;  /* in rings, in the same time */
    uint64_t began_ns;
    uint64_t at_ns, own_ns; /* time of the last call, and the library's time then */
};

/* The dearest item that can still be reduced, if it matters for an excess. */
static struct rc_governed *find_dearest(struct rc_governed *of, size_t count,
                                        double too_much)
{
    struct rc_governed *out = NULL;

    for (size_t i = 0; i < count; i++)
        if (of[i].level < of[i].most && of[i].cost_ns >= too_much / MATTERS &&
            (!out || of[i].cost_ns > out->cost_ns))
            out = &of[i];
    return out;
}

/* The cheapest item that was reduced. */
static struct rc_governed *find_cheapest(struct rc_governed *of, size_t count)
{
    struct rc_governed *out = NULL;

    for (size_t i = 0; i < count; i++)
        if (of[i].level > 0 && !of[i].for_good &&
            (!out || of[i].cost_ns < out->cost_ns))
            out = &of[i];
    return out;
}

/* One more level halves a cost, or ends it where there is only one level; reduced items
 * are restored as long as there is clearly room.  If the fixed cost alone is over the
 * budget, giving up all the rest would not help: the rest may take a quarter of it.
 */
void rc_profile_govern(struct rc_governed *of, size_t count, double fixed_ns,
                       double budget_ns)
{
    struct rc_governed *one;
    double sum = fixed_ns;

    budget_ns = fmax(budget_ns, (1 + beside_fixed) * fixed_ns);
    for (size_t i = 0; i < count; i++)
        sum += of[i].cost_ns;
    const bool over = sum > budget_ns;
    while (sum > budget_ns && (one = find_dearest(of, count, sum - budget_ns))) {
        const double saved = one->for_good ? one->cost_ns : one->cost_ns / 2;
        one->level++;
        one->cost_ns -= saved;
        sum -= saved;
    }
    while (!over && (one = find_cheapest(of, count)) &&
           sum + one->cost_ns <= roomy * budget_ns) {
        one->level--;
        sum += one->cost_ns;
        one->cost_ns *= 2;
    }
}

static bool is_counted(const struct rc_profile_governor *g)
{
    return g->head->event_count > 0;
}

/* The number of entries of the ring that 'measured' instances of a call path make. */
static double entries_of(const struct rc_shared_block *block, uint32_t path,
                         uint64_t measured)
{
    return 2 * ldexp((double)measured, -atomic_load(&block->ring_level[path]));
}

/* Adds what a block's thread has recorded since the block was read last; nothing for a
 * new block.
 */
static void look_at_block(struct rc_profile_governor *g, uint32_t number)
{
    uint64_t place;
    struct rc_shared_block *block = rc_profile_drain_block(g->drain, number, &place);
    struct seen *s = g->seen[number];
    const bool known = s && block && s->place == place;

    if (!known) {
        free(s);
        s = g->seen[number] = block ? rc_calloc(1, sizeof *s) : NULL;
    }
    if (!s)
        return;
    s->place = place;
    for (uint32_t i = 0; i < RC_SHARED_PATHS; i++) {
        const bool is = i > 0 && i < atomic_load(&block->path_count);
        const uint64_t measured = is ? block->path[i].measured : 0;
        s->more[i] = known && measured > s->measured[i] ? measured - s->measured[i] : 0;
        s->measured[i] = measured;
        g->weights +=
            (double)s->more[i] * (is_counted(g) ? COUNTED_WEIGHT : INSTANCE_WEIGHT);
        if (is)
            g->entries += entries_of(block, i, s->more[i]);
    }
    for (uint32_t i = 0; i < RC_SHARED_CALLS; i++) {
        const uint64_t calls =
            i < atomic_load(&block->call_count) ? block->call[i].calls : 0;
        s->more_calls[i] = known && calls > s->calls[i] ? calls - s->calls[i] : 0;
        s->calls[i] = calls;
        g->weights += (double)s->more_calls[i] * CALL_WEIGHT;
        if (g->head->trace && !atomic_load(&block->call_level[i]))
            g->entries += 2 * (double)s->more_calls[i];
    }
    const uint64_t polls = atomic_load(&block->polls);
    const double more = known && polls > s->polls ? (double)(polls - s->polls) : 0;
    s->polls = polls;
    g->polls_ns += more * RC_SHARED_POLL_NS;
    g->weights -= more * CALL_WEIGHT; /* they are calls, too */
}

/* Adds an item that may be recorded less, if it is dear enough or is reduced already.
 */
static void add_item(struct rc_profile_governor *g, const struct item *item,
                     uint8_t most)
{
    if (item->was == 0 && item->cost_ns < notable * g->part * g->of_ns)
        return;
    if (rc_grow(&g->item, sizeof *g->item, g->count, &g->item_room) ||
        rc_grow(&g->governed, sizeof *g->governed, g->count, &g->governed_room))
        return; /* it stays as it is, until there is memory */
    g->item[g->count] = *item;
    g->governed[g->count++] =
        (struct rc_governed){.cost_ns = item->cost_ns,
                             .level = item->was,
                             .most = most,
                             .for_good = item->what == RC_PROFILE_RATED_CALL};
}

/* The numbers of a block when it was read last, and how many call paths it has; NULL:
 * it was not read.
 */
static const struct seen *seen_of(struct rc_profile_governor *g, uint32_t number,
                                  const struct rc_shared_block **block, uint32_t *paths)
{
    uint64_t place;

    *block = rc_profile_drain_block(g->drain, number, &place);
    if (!*block || !g->seen[number])
        return NULL;
    const uint32_t count = atomic_load(&(*block)->path_count);
    *paths = count < RC_SHARED_PATHS ? count : RC_SHARED_PATHS;
    return g->seen[number];
}

/* Adds the call paths of a block, by the time of their instances in its thread. */
static void add_paths(struct rc_profile_governor *g, uint32_t number, double each_ns)
{
    const struct rc_shared_block *block;
    uint32_t paths;
    const struct seen *s = seen_of(g, number, &block, &paths);

    for (uint32_t i = 1; s && i < paths; i++)
        add_item(g,
                 &(struct item){RC_PROFILE_RATED_PATH, number, i,
                                atomic_load(&block->path_level[i]),
                                (double)s->more[i] * each_ns},
                 is_counted(g) ? COUNTED_MOST : PATH_MOST);
}

/* Adds the rows of a block that make entries of its ring, by the time that these take
 * in the sampler.
 */
static void add_spans(struct rc_profile_governor *g, uint32_t number, double entry_ns)
{
    const struct rc_shared_block *block;
    uint32_t paths;
    const struct seen *s = seen_of(g, number, &block, &paths);

    for (uint32_t i = 1; s && i < paths; i++)
        add_item(g,
                 &(struct item){RC_PROFILE_RATED_SPANS, number, i,
                                atomic_load(&block->ring_level[i]),
                                entries_of(block, i, s->more[i]) * entry_ns},
                 SPANS_MOST);
    for (uint32_t i = 0; s && g->head->trace && i < RC_SHARED_CALLS; i++)
        if (!atomic_load(&block->call_level[i]))
            add_item(g,
                     &(struct item){RC_PROFILE_RATED_CALL, number, i, 0,
                                    2 * (double)s->more_calls[i] * entry_ns},
                     1);
}

/* Adds the groups of series, by the time of their readings. */
static void add_series(struct rc_profile_governor *g)
{
    const size_t groups = rc_profile_gauges_count(g->gauges);

    for (size_t i = 0; i < groups; i++) {
        const struct rc_profile_gauge *gauge = rc_profile_gauges_at(g->gauges, i);
        add_item(g,
                 &(struct item){
                     RC_PROFILE_RATED_SERIES, 0, (uint32_t)i, gauge->level,
                     ldexp(gauge->ns * g->readings_hz * g->seconds, -gauge->level)},
                 SERIES_MOST);
    }
}

/* The place from which a thread reads the level of an item. */
static _Atomic uint8_t *level_in(struct rc_shared_block *block, const struct item *item)
{
    switch (item->what) {
    case RC_PROFILE_RATED_PATH:
        return &block->path_level[item->number];
    case RC_PROFILE_RATED_SPANS:
        return &block->ring_level[item->number];
    default:
        return &block->call_level[item->number];
    }
}

/* Puts a new level where it is obeyed, and writes a record of it. */
static void set_level(struct rc_profile_governor *g, const struct item *item,
                      uint8_t level)
{
    struct rc_profile_payload payload = {
        .type = RC_PROFILE_RATE,
        .rate = {.at_ns = rc_clock_raw_ns(),
                 .what = (uint8_t)item->what,
                 .number = item->number,
                 .every = item->what == RC_PROFILE_RATED_CALL ? 0 : 1U << level,
                 .cost_ns = (uint64_t)item->cost_ns,
                 .of_ns = (uint64_t)g->of_ns}};

    if (item->what == RC_PROFILE_RATED_SERIES) {
        struct rc_profile_gauge *gauge = rc_profile_gauges_at(g->gauges, item->number);
        gauge->level = level;
        payload.rate.number = gauge->event;
    } else if (item->what == RC_PROFILE_RATED_STACKS) {
        rc_profile_sampling_set_level(g->sampling, level);
        payload.rate.every = rc_profile_sampling_every(g->sampling);
    } else {
        struct rc_shared_block *block =
            rc_profile_drain_block(g->drain, item->block, &payload.rate.place);
        atomic_store(level_in(block, item), level);
    }
    (void)rc_profile_put(g->writer, &payload);
}

/* Sets the levels of the items, which are part of 'sum_ns', and forgets them.  Returns
 * what the sum becomes.
 */
static double govern_part(struct rc_profile_governor *g, double sum_ns)
{
    double fixed = sum_ns, saved = 0;

    for (size_t i = 0; i < g->count; i++)
        fixed -= g->item[i].cost_ns;
    rc_profile_govern(g->governed, g->count, fixed > 0 ? fixed : 0, g->part * g->of_ns);
    for (size_t i = 0; i < g->count; i++) {
        saved += g->item[i].cost_ns - g->governed[i].cost_ns;
        if (g->governed[i].level != g->item[i].was)
            set_level(g, &g->item[i], g->governed[i].level);
    }
    g->count = 0;
    return sum_ns - saved;
}

/* Instances on the axis of time are the first to become fewer and the last to come
 * back, since sums have them anyway.
 */
static double govern_spans(struct rc_profile_governor *g, uint32_t blocks,
                           double entry_ns, double sum_ns)
{
    for (uint32_t i = 0; i < blocks; i++)
        add_spans(g, i, entry_ns);
    return govern_part(g, sum_ns);
}

double rc_profile_sampler_part(bool crowded, double threads, double program_ns,
                               double elapsed_ns)
{
    const double left = fmax(0, of_threads - threads);

    return crowded ? (of_crowded_sampler + left) * elapsed_ns / program_ns : of_sampler;
}

double rc_profile_stacks_part(double threads, double sampler, size_t processes)
{
    const double count = processes > 0 ? (double)processes : 1;

    return fmax((of_all - threads - sampler) / count,
                fmin(stacks_least, all_stacks_least / count));
}

/* Limits samples of stacks by the parts of the budget that threads and sampler took. */
static void limit_stacks(struct rc_profile_governor *g, double threads, double sampler,
                         size_t processes)
{
    if (g->sampling)
        rc_profile_sampling_limit(
            g->sampling,
            g->budget * rc_profile_stacks_part(threads, sampler, processes));
}

/* The program's time is its processor time, or the time of one processor if that is
 * more, so that a program that waits has series, too.
 */
void rc_profile_governor_second(struct rc_profile_governor *g,
                                const struct rc_profile_cost *cost,
                                const struct rc_profile_sampler_taken *taken)
{
    const uint32_t used = atomic_load(&g->head->block_used);
    const uint32_t blocks = used < g->head->block_most ? used : g->head->block_most;
    const double elapsed = (double)(cost->at_ns - g->at_ns);
    const double own_ns =
        cost->own_ns > g->own_ns ? (double)(cost->own_ns - g->own_ns) : 0;

    g->seconds = elapsed / 1e9;
    g->readings_hz = 1e9 / (double)taken->read_ns;
    g->of_ns = (double)cost->program_ns > elapsed ? (double)cost->program_ns : elapsed;
    g->own_ns = cost->own_ns;
    g->at_ns = cost->at_ns;
    g->weights = g->entries = g->polls_ns = 0;
    for (uint32_t i = 0; i < blocks; i++)
        look_at_block(g, i);
    const double others_ns = own_ns > g->polls_ns ? own_ns - g->polls_ns : 0;
    const double unit = g->weights > 0 ? others_ns / g->weights : 0;
    g->part = of_threads * g->budget;
    for (uint32_t i = 0; i < blocks; i++)
        add_paths(g, i, unit * (is_counted(g) ? COUNTED_WEIGHT : INSTANCE_WEIGHT));
    govern_part(g, own_ns);
    const double entry_ns =
        g->entries >= ENTRIES_LEAST ? (double)taken->drain_ns / g->entries : 0;
    const bool begins = g->at_ns - g->began_ns < (uint64_t)BEGIN_NS;
    const double threads = own_ns / g->of_ns / g->budget;
    const double sampler =
        (double)cost->sampler_ns / (taken->crowded ? elapsed : g->of_ns) / g->budget;
    limit_stacks(g, begins ? fmin(threads, of_threads) : threads,
                 begins ? of_crowded_sampler : sampler, taken->processes);
    g->part =
        g->budget * rc_profile_sampler_part(taken->crowded, threads, g->of_ns, elapsed);
    double sum_ns = begins ? 0 : (double)cost->sampler_ns;
    const bool over = sum_ns > g->part * g->of_ns;
    if (over)
        sum_ns = govern_spans(g, blocks, entry_ns, sum_ns);
    add_series(g);
    if (g->sampling && !begins)
        add_item(g,
                 &(struct item){RC_PROFILE_RATED_STACKS, 0, 0,
                                rc_profile_sampling_level(g->sampling),
                                (double)taken->stacks_ns},
                 STACKS_MOST);
    sum_ns = govern_part(g, sum_ns);
    if (!over)
        govern_spans(g, blocks, entry_ns, sum_ns);
}

int rc_profile_governor_open(const struct rc_profile_shared *shared,
                             struct rc_profile_drain *drain,
                             struct rc_profile_gauges *gauges,
                             struct rc_profile_sampling *sampling,
                             const struct rc_profile_plan *plan,
                             struct rc_profile_writer *writer,
                             struct rc_profile_governor **out, struct rc_error *err)
{
    struct rc_profile_governor *g = rc_calloc(1, sizeof *g);

    *out = g;
    if (g)
        g->seen = rc_calloc(shared->head->block_most, sizeof(struct seen *));
    if (!g || !g->seen) {
        rc_profile_governor_close(g);
        *out = NULL;
        return rc_fail(err, RC_ENOMEM, "no memory for the sampler");
    }
    g->writer = writer;
    g->head = shared->head;
    g->drain = drain;
    g->gauges = gauges;
    g->sampling = sampling;
    g->budget = (double)plan->budget_ppm / 1e6;
    g->part = of_sampler * g->budget;
    g->readings_hz = 1e9 / (double)plan->period_ns;
    g->began_ns = g->at_ns = rc_clock_raw_ns();
    g->seconds = 1; /* of one processor: the program is not there yet */
    g->of_ns = 1e9;
    limit_stacks(g, 0, of_crowded_sampler, 1);
    add_series(g);
    govern_part(g, 0);
    return RC_OK;
}

void rc_profile_governor_close(struct rc_profile_governor *g)
{
    if (!g)
        return;
    for (uint32_t i = 0; g->seen && i < g->head->block_most; i++)
        free(g->seen[i]);
    free(g->seen);
    free(g->item);
    free(g->governed);
    free(g);
}
