/* Finds out which part of the time threads ran, and which calls took long while another
 * rank waited for a processor.
 *
 * The axis of time is cut into bins.  In each bin only the two ranks that waited for a
 * processor longest are kept: to any rank, the longer one of the two that it is not.
 */
#include "campaign/profile/read/instances.h"
#include "campaign/profile/read/sums.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS_MOST = 8192, CPUS_MOST = 8192 };

struct bin {
    double most, second; /* shares of the bin that two ranks waited */
    size_t most_at;      /* the rank of the first */
};

struct starved {
    const struct rc_profile_sums *sums;
    int64_t zero_ns; /* since 1970 */
    uint64_t bin_ns;
    size_t bins;
    struct bin *bin;
    double *share; /* [bin] of the thread at hand */
};

/* A stretch of a node's time as bins: from 'first' up to 'last', in parts of bins. */
struct stretch {
    double first, last;
};
static struct stretch stretch_of(const struct starved *s,
                                 const struct rc_profile_node *node, uint64_t from,
                                 uint64_t to)
{
    const double bins = (double)s->bins, width = (double)s->bin_ns;
    const double zero = (double)s->zero_ns,
                 first = ((double)rc_profile_unix_ns(node, from) - zero) / width,
                 last = ((double)rc_profile_unix_ns(node, to) - zero) / width;

    return (struct stretch){fmin(fmax(first, 0), bins), fmin(fmax(last, 0), bins)};
}

/* How much of bin 'b' is in the stretch. */
static double part_in(const struct stretch *x, size_t b)
{
    return fmax(fmin(x->last, (double)b + 1) - fmax(x->first, (double)b), 0);
}

static void add_thread(struct starved *s, const struct rc_profile_node *node,
                       const struct rc_profile_thread *thread)
{
    const size_t rank = rc_profile_rank_number(s->sums, node, thread);

    memset(s->share, 0, s->bins * sizeof *s->share);
    for (size_t i = 0; i < thread->run_count; i++) {
        const struct rc_profile_run *run = &thread->run[i];
        const struct stretch x = stretch_of(s, node, run->since_ns, run->at_ns);
        const double waited =
            fmin((double)run->waited_ns / (double)(run->at_ns - run->since_ns), 1);
        for (size_t b = (size_t)x.first; b < s->bins && (double)b < x.last; b++)
            s->share[b] += waited * part_in(&x, b);
    }
    for (size_t b = 0; b < s->bins; b++) {
        struct bin *bin = &s->bin[b];
        if (rank == bin->most_at || s->share[b] > bin->most) {
            if (rank != bin->most_at)
                bin->second = bin->most;
            bin->most_at = rank;
            bin->most = fmax(bin->most, s->share[b]);
        } else if (s->share[b] > bin->second) {
            bin->second = s->share[b];
        }
    }
}

static int find_bins(const struct rc_profile_sums *sums, struct starved *s,
                     struct rc_error *err)
{
    const uint64_t period = sums->node->launch.period_ns;

    s->sums = sums;
    s->zero_ns = rc_profile_zero_ns(sums->node, sums->node_count);
    s->bin_ns = sums->axis_ns / BINS_MOST + 1;
    s->bin_ns = s->bin_ns > period ? s->bin_ns : period;
    s->bins = (size_t)(sums->axis_ns / s->bin_ns) + 1;
    s->bin = rc_calloc(s->bins, sizeof *s->bin);
    s->share = rc_calloc(s->bins, sizeof *s->share);
    if (!s->bin || !s->share)
        return rc_fail(err, RC_ENOMEM, "no memory for what ranks ran");
    for (size_t b = 0; b < s->bins; b++)
        s->bin[b].most_at = SIZE_MAX;
    for (size_t n = 0; n < sums->node_count; n++)
        for (size_t t = 0; t < sums->node[n].thread_count; t++)
            add_thread(s, &sums->node[n], &sums->node[n].thread[t]);
    return RC_OK;
}

struct calling {
    const struct starved *starved;
    const struct rc_profile_node *node;
    size_t rank;
    double *rows;
};

static void take_call(void *arg, const struct rc_profile_instance *instance)
{
    const struct calling *c = arg;
    const struct starved *s = c->starved;

    if (!instance->call)
        return;
    const struct stretch x =
        stretch_of(s, c->node, instance->begin_ns, instance->end_ns);
    for (size_t b = (size_t)x.first; b < s->bins && (double)b < x.last; b++) {
        const struct bin *bin = &s->bin[b];
        c->rows[instance->number] +=
            part_in(&x, b) * (double)s->bin_ns *
            fmin(bin->most_at == c->rank ? bin->second : bin->most, 1);
    }
}

static void add_calls(const struct starved *starved, const struct rc_profile_node *node,
                      const struct rc_profile_thread *thread, double *rows)
{
    struct calling c = {.starved = starved,
                        .node = node,
                        .rank = rc_profile_rank_number(starved->sums, node, thread),
                        .rows = rows};

    memset(rows, 0, thread->call_count * sizeof *rows);
    (void)rc_profile_instances(thread, take_call, &c);
}

static struct rc_profile_function *function_of(const struct rc_profile_sums *sums,
                                               const char *name)
{
    for (size_t i = 0; i < sums->function_count; i++)
        if (strcmp(sums->function[i].name, name) == 0)
            return &sums->function[i];
    return NULL;
}

/* Adds a thread's calls in wanted regions to their functions. */
static void add_functions(const struct rc_profile_sums *sums,
                          const struct rc_profile_thread *thread, const char *within,
                          const double *rows)
{
    bool inside[RC_SHARED_PATHS];

    rc_profile_choose(thread, within, inside);
    for (size_t i = 0; i < thread->call_count; i++) {
        struct rc_profile_function *function =
            rows[i] > 0 && inside[thread->call[i].path]
                ? function_of(sums, rc_profile_call_name(thread, &thread->call[i]))
                : NULL;
        if (function)
            function->starved_ns += rows[i];
    }
}

int rc_profile_starve(struct rc_profile_sums *sums, const char *within,
                      struct rc_error *err)
{
    struct starved s = {.bins = 0};
    double rows[RC_SHARED_CALLS];
    int status;

    if (!(sums->ran.waited_ns > 0) || sums->function_count == 0)
        return RC_OK;
    status = find_bins(sums, &s, err);
    for (size_t n = 0; n < sums->node_count && status == RC_OK; n++)
        for (size_t t = 0; t < sums->node[n].thread_count; t++) {
            const struct rc_profile_thread *thread = &sums->node[n].thread[t];
            add_calls(&s, &sums->node[n], thread, rows);
            add_functions(sums, thread, within, rows);
        }
    for (size_t i = 0; i < sums->function_count; i++) {
        struct rc_profile_function *f = &sums->function[i];
        if (f->known > 0 && f->known == f->calls)
            f->starved_ns = fmin(f->starved_ns, f->waited_ns);
        sums->starved_ns += f->starved_ns;
    }
    free(s.bin);
    free(s.share);
    return status;
}

double rc_profile_tasks(const struct rc_profile_sums *sums)
{
    double all = 0;
    size_t nodes = 0;

    for (size_t n = 0; n < sums->node_count; n++)
        for (size_t i = 0; i < sums->node[n].series_count; i++) {
            const struct rc_profile_series *series = &sums->node[n].series[i];
            if (strcmp(series->event.name, "sysfs:::stat:procs_running") != 0)
                continue;
            const struct rc_profile_series_sum of = rc_profile_series_sum(series);
            if (of.valid == 0)
                continue;
            all += of.mean - 1; /* who reads it runs, too */
            nodes++;
        }
    return nodes > 0 ? all / (double)nodes : NAN;
}

double rc_profile_processors(const struct rc_profile_sums *sums)
{
    size_t all = 0;

    for (size_t n = 0; n < sums->node_count; n++) {
        bool is_in[CPUS_MOST] = {false};
        for (size_t t = 0; t < sums->node[n].thread_count; t++) {
            const char *list = sums->node[n].thread[t].place.cpus;
            unsigned long first, last;
            while (rc_text_next_range(&list, &first, &last))
                for (; first <= last && first < CPUS_MOST; first++)
                    is_in[first] = true;
        }
        for (size_t cpu = 0; cpu < CPUS_MOST; cpu++)
            all += is_in[cpu];
    }
    return all > 0 ? (double)all / (double)sums->node_count : NAN;
}
