/* Sums the rows of a launch's threads over ranks, by region and by MPI function.
 *
 * Each thread has its own numbers of names and paths, so that all is joined by name:
 * each name gets a row with a number for each rank, when it is met for the first time.
 */
#include "campaign/profile/read/sums.h"
#include "campaign/profile/read/labels.h"

#include "campaign/base/text.h"
#include "solve/waiting/waiting.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_TEXT = 4096 }; /* longer paths are cut */

/* Sums that are being made. */
struct adding {
    struct rc_profile_sums *sums;
    const char *within;
    struct rc_labels regions, functions; /* by name */
    struct rc_profile_own *own;          /* of the thread at hand */
    bool inside[RC_SHARED_PATHS];        /* of its paths: those that are wanted */
    uint64_t above[RC_SHARED_PATHS];     /* the path around the outermost of these */
};

/* Each path gives its time and counts to itself and takes them from the path around it,
 * so that one pass is enough, in any order.
 */
void rc_profile_own(const struct rc_profile_thread *thread, struct rc_profile_own *out)
{
    for (size_t p = 0; p < thread->path_count; p++) {
        const struct rc_profile_path *path = &thread->path[p];
        const double ns =
            p > 0 ? rc_profile_path_ns(path) : (double)rc_profile_thread_ns(thread);
        out->ns[p] = ns;
        out->mpi_ns[p] = 0;
        if (p > 0)
            out->ns[path->parent] -= ns;
        for (size_t c = 0; c < RC_SHARED_COUNTERS; c++) {
            out->count[p][c] = (double)path->count[c];
            if (p > 0)
                out->count[path->parent][c] -= (double)path->count[c];
        }
    }
    for (size_t i = 0; i < thread->call_count; i++)
        out->mpi_ns[thread->call[i].path] += (double)thread->call[i].ns;
    /* more inside than in all: instances were not measured, or not counted */
    for (size_t p = 0; p < thread->path_count; p++) {
        out->ns[p] = fmax(out->ns[p], 0);
        for (size_t c = 0; c < RC_SHARED_COUNTERS; c++)
            out->count[p][c] = fmax(out->count[p][c], 0);
    }
}

void rc_profile_choose(const struct rc_profile_thread *thread, const char *within,
                       bool *inside)
{
    inside[0] = !within;
    for (size_t p = 1; p < thread->path_count; p++) /* parents come first */
        inside[p] = inside[thread->path[p].parent] ||
                    (within && rc_text_glob(within, rc_profile_region_name(thread, p)));
}

static int compare_ranks(const void *a, const void *b)
{
    const struct rc_profile_rank *x = a, *y = b;

    if (x->rank != y->rank) /* -1 after all others */
        return (uint64_t)x->rank < (uint64_t)y->rank ? -1 : 1;
    if (x->rank >= 0)
        return 0;
    const int order = strcmp(x->node, y->node);
    return order ? order : (x->pid > y->pid) - (x->pid < y->pid);
}

/* The key of a thread's rank: by its rank alone where it has one, else by process. */
static struct rc_profile_rank rank_of(const struct rc_profile_node *node,
                                      const struct rc_profile_thread *thread)
{
    return (struct rc_profile_rank){.rank = thread->place.rank < 0 ? -1
                                                                   : thread->place.rank,
                                    .pid = thread->place.pid,
                                    .node = node->launch.node};
}

/* The ranks of the launch, each once, in order. */
static void number_ranks(struct rc_profile_sums *s)
{
    size_t count = 0;

    for (size_t n = 0; n < s->node_count; n++)
        s->threads += s->node[n].thread_count;
    s->rank = rc_arena_array(&s->arena, s->threads, sizeof *s->rank);
    for (size_t n = 0; s->rank && n < s->node_count; n++)
        for (size_t t = 0; t < s->node[n].thread_count; t++)
            s->rank[count++] = rank_of(&s->node[n], &s->node[n].thread[t]);
    if (count > 0)
        qsort(s->rank, count, sizeof *s->rank, compare_ranks);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_ranks(&s->rank[s->rank_count - 1], &s->rank[i]) != 0)
            s->rank[s->rank_count++] = s->rank[i];
}

size_t rc_profile_rank_number(const struct rc_profile_sums *sums,
                              const struct rc_profile_node *node,
                              const struct rc_profile_thread *thread)
{
    const struct rc_profile_rank key = rank_of(node, thread);
    const struct rc_profile_rank *found =
        bsearch(&key, sums->rank, sums->rank_count, sizeof key, compare_ranks);

    return found ? (size_t)(found - sums->rank) : 0; /* each thread has one */
}

/* A row of zeros for each rank comes with it: ranks without the region count as 0. */
static void new_region(struct rc_profile_sums *s, const char *name, bool outside)
{
    const struct rc_profile_region region = {
        .name = rc_arena_text(&s->arena, name),
        .outside = outside,
        .by_rank = rc_arena_array(&s->arena, s->rank_count, sizeof(double))};

    rc_arena_append(&s->arena, &s->region, sizeof region, &s->region_count,
                    &s->region_room, &region);
}

/* The row of a region, which is new where it is met for the first time.  The row of
 * what is outside is not found, since a region may be called the same.  NULL: no
 * memory.
 */
static struct rc_profile_region *find_region(struct adding *a, const char *name)
{
    struct rc_profile_sums *s = a->sums;
    const size_t number = rc_labels_copy(&a->regions, name) + !a->within;

    if (number == s->region_count)
        new_region(s, name, false);
    s->arena.failed |= a->regions.memory.failed;
    return s->arena.failed ? NULL : &s->region[number];
}

/* The same of MPI functions, whose names live as long as the profile. */
static struct rc_profile_function *find_function(struct adding *a, const char *name)
{
    struct rc_profile_sums *s = a->sums;
    const size_t number = rc_labels_find(&a->functions, name);

    if (number == s->function_count) {
        const struct rc_profile_function function = {
            .name = name,
            .waits_for = "",
            .by_rank = rc_arena_array(&s->arena, s->rank_count, sizeof(double))};
        rc_arena_append(&s->arena, &s->function, sizeof function, &s->function_count,
                        &s->function_room, &function);
    }
    s->arena.failed |= a->functions.memory.failed;
    return s->arena.failed ? NULL : &s->function[number];
}

/* Whether no region around the path has its name. */
static bool is_outermost(const struct rc_profile_thread *thread, uint64_t path)
{
    const char *name = rc_profile_region_name(thread, path);

    while ((path = thread->path[path].parent) > 0)
        if (strcmp(rc_profile_region_name(thread, path), name) == 0)
            return false;
    return true;
}

/* Adds one path of a thread to the region, its rank and the whole. */
static void add_path(struct adding *a, const struct rc_profile_thread *thread, size_t p,
                     size_t rank, struct rc_profile_region *region)
{
    const struct rc_profile_path *path = &thread->path[p];
    struct rc_profile_sums *s = a->sums;

    if (p > 0) {
        region->visits += path->visits;
        region->measured += path->measured;
    }
    region->lost += path->lost;
    region->by_rank[rank] += a->own->ns[p];
    region->mpi_ns += a->own->mpi_ns[p];
    if (p == 0 || a->within || is_outermost(thread, p))
        region->inclusive_ns +=
            p > 0 ? rc_profile_path_ns(path) : (double)rc_profile_thread_ns(thread);
    for (size_t c = 0; c < RC_SHARED_COUNTERS; c++)
        region->count[c] += a->own->count[p][c];
    s->rank[rank].ns += a->own->ns[p];
    s->rank[rank].mpi_ns += a->own->mpi_ns[p];
    s->ns += a->own->ns[p];
    s->mpi_ns += a->own->mpi_ns[p];
}

/* Adds a row of MPI calls to its function, if its path is wanted. */
static void add_call(struct adding *a, const struct rc_profile_thread *thread,
                     const struct rc_profile_call *call, size_t rank)
{
    struct rc_profile_function *function =
        call->calls > 0 && a->inside[call->path]
            ? find_function(a, rc_profile_call_name(thread, call))
            : NULL;

    if (!function)
        return;
    function->calls += call->calls;
    function->bytes += call->bytes;
    if (call->longest_ns > function->longest_ns)
        function->longest_ns = call->longest_ns;
    function->by_rank[rank] += (double)call->ns;
    function->of_nodes[call->nodes].calls += call->calls;
    function->of_nodes[call->nodes].bytes += call->bytes;
    function->of_nodes[call->nodes].ns += (double)call->ns;
    const struct rc_profile_wait *wait = rc_profile_wait_of(thread, call);
    if (wait) {
        function->known += wait->known < call->calls ? wait->known : call->calls;
        function->waits_for = rc_waiting_name(wait->kind);
        function->waited_ns += (double)wait->waited_ns;
        function->completing_ns += (double)wait->completing_ns;
        if (wait->kind == RC_WAITING_LATE_SENDER)
            function->wrong_order_ns += (double)wait->part_ns;
    }
}

static void add_ran(struct rc_profile_ran *to, const struct rc_profile_ran *ran)
{
    to->seen_ns += ran->seen_ns;
    to->ran_ns += ran->ran_ns;
    to->waited_ns += ran->waited_ns;
}

/* Adds all that a thread says. Without a wanted region the first row of the regions is
 * what is outside of them.
 */
static void add_thread(struct adding *a, const struct rc_profile_node *node,
                       const struct rc_profile_thread *thread)
{
    struct rc_profile_sums *s = a->sums;
    const size_t rank = rc_profile_rank_number(s, node, thread);
    char text[PATH_TEXT];
    const struct rc_profile_ran ran = rc_profile_ran_of(thread);

    s->rank[rank].threads++;
    add_ran(&s->rank[rank].ran, &ran);
    add_ran(&s->ran, &ran);
    s->closed += thread->closed;
    s->killed += thread->closed && thread->close.killed;
    rc_profile_own(thread, a->own);
    /* Which of the thread's paths are wanted. */
    rc_profile_choose(thread, a->within, a->inside);
    for (size_t p = 1; p < thread->path_count; p++) {
        const uint64_t parent = thread->path[p].parent;
        a->above[p] = a->inside[parent] ? a->above[parent] : parent;
    }
    for (size_t p = 0; p < thread->path_count; p++) {
        if (!a->inside[p])
            continue;
        struct rc_profile_region *region = s->region;
        if (p > 0)
            region = find_region(a, a->within
                                        ? rc_profile_path_text(thread, a->above[p], p,
                                                               " > ", text, sizeof text)
                                        : rc_profile_region_name(thread, p));
        if (region)
            add_path(a, thread, p, rank, region);
    }
    for (size_t i = 0; i < thread->call_count; i++)
        add_call(a, thread, &thread->call[i], rank);
}

/* Where ranks are equal the first one is named. */
static struct rc_profile_spread spread_of(const double *by_rank, size_t ranks)
{
    struct rc_profile_spread out = {.least = INFINITY, .most = -INFINITY};

    for (size_t r = 0; r < ranks; r++) {
        out.total += by_rank[r];
        if (by_rank[r] < out.least)
            out.least = by_rank[out.least_at = r];
        if (by_rank[r] > out.most)
            out.most = by_rank[out.most_at = r];
    }
    if (ranks == 0)
        out.least = out.most = 0;
    else
        out.mean = out.total / (double)ranks;
    return out;
}

/* The longer ones first. */
static int compare_spreads(const struct rc_profile_spread *x,
                           const struct rc_profile_spread *y)
{
    return (x->total < y->total) - (x->total > y->total);
}

static int compare_regions(const void *a, const void *b)
{
    const struct rc_profile_region *x = a, *y = b;
    const int order = compare_spreads(&x->own, &y->own);

    return order ? order : strcmp(x->name, y->name);
}

static int compare_functions(const void *a, const void *b)
{
    const struct rc_profile_function *x = a, *y = b;
    const int order = compare_spreads(&x->ns, &y->ns);

    return order ? order : strcmp(x->name, y->name);
}

/* When the program began and ended on a node: where the sampler's last words do not say
 * it, as far as its threads do.  False: none of them tells.
 */
static bool program_times(const struct rc_profile_node *node, int64_t *begin,
                          int64_t *end)
{
    uint64_t from = node->end.program_began_ns, to = node->end.program_ended_ns;
    uint64_t first = UINT64_MAX, last = 0;

    for (size_t t = 0; t < node->thread_count; t++) {
        const struct rc_profile_thread *thread = &node->thread[t];
        first = thread->place.began_ns < first ? thread->place.began_ns : first;
        last = thread->ended_ns > last ? thread->ended_ns : last;
    }
    from = from ? from : first;
    to = to ? to : last;
    if (from > to)
        return false;
    *begin = rc_profile_unix_ns(node, from);
    *end = rc_profile_unix_ns(node, to);
    return true;
}

static uint64_t ns_between(int64_t begin, int64_t end)
{
    return end > begin ? (uint64_t)end - (uint64_t)begin : 0;
}

/* The nodes of the launch, and how long it took by their wall clocks. */
static int find_launch(struct rc_profile_sums *s, uint64_t launch, struct rc_error *err)
{
    const struct rc_profile *p = s->profile;
    int64_t end = INT64_MIN, from, to, program_end = INT64_MIN;

    s->began_unix_ns = INT64_MAX;

    for (size_t n = 0; n < p->node_count; n++) {
        const struct rc_profile_node *node = &p->node[n];
        if (node->launch.launch != launch)
            continue;
        if (s->node_count++ == 0)
            s->node = node;
        const int64_t heard =
            rc_profile_unix_ns(node, node->ended ? node->end.at_ns : node->last_ns);
        end = heard > end ? heard : end;
        if (!program_times(node, &from, &to))
            continue;
        s->began_unix_ns = from < s->began_unix_ns ? from : s->began_unix_ns;
        program_end = to > program_end ? to : program_end;
    }
    const int64_t begin = rc_profile_zero_ns(s->node, s->node_count);
    s->axis_ns = ns_between(begin, end);
    if (program_end == INT64_MIN) /* nothing is known but the axis */
        s->began_unix_ns = begin, program_end = end;
    s->wall_ns = ns_between(s->began_unix_ns, program_end);
    if (s->node_count > 0)
        return RC_OK;
    return rc_fail(err, RC_EMISSING, "no launch %" PRIu64 ", the last one is %" PRIu64,
                   launch, p->launches - 1);
}

/* Sums over all threads, then orders rows by their time. */
static int add_all(struct adding *a, struct rc_error *err)
{
    struct rc_profile_sums *s = a->sums;

    if (!a->within)
        new_region(s, "(outside of regions)", true);
    for (size_t n = 0; n < s->node_count && !s->arena.failed; n++)
        for (size_t t = 0; t < s->node[n].thread_count; t++)
            add_thread(a, &s->node[n], &s->node[n].thread[t]);
    if (rc_arena_check(&s->arena, err, "the sums of the profile"))
        return RC_ENOMEM;
    if (a->within && s->region_count == 0)
        return rc_fail(err, RC_EMISSING, "no region '%s' in this launch", a->within);
    for (size_t i = 0; i < s->region_count; i++)
        s->region[i].own = spread_of(s->region[i].by_rank, s->rank_count);
    for (size_t i = 0; i < s->function_count; i++)
        s->function[i].ns = spread_of(s->function[i].by_rank, s->rank_count);
    if (s->region_count > 0)
        qsort(s->region, s->region_count, sizeof *s->region, compare_regions);
    if (s->function_count > 0)
        qsort(s->function, s->function_count, sizeof *s->function, compare_functions);
    return RC_OK;
}

int rc_profile_sum(const struct rc_profile *profile, uint64_t launch,
                   const char *within, struct rc_profile_sums *out,
                   struct rc_error *err)
{
    struct adding a = {.sums = out, .within = within};
    int status;

    *out = (struct rc_profile_sums){.profile = profile};
    a.own = rc_arena_array(&out->arena, 1, sizeof *a.own);
    if ((status = find_launch(out, launch, err)) == RC_OK) {
        number_ranks(out);
        status = add_all(&a, err);
    }
    rc_labels_fini(&a.regions);
    rc_labels_fini(&a.functions);
    return status;
}

/* Rows are arrays that grew, what they point to is the arena's. */
void rc_profile_sums_fini(struct rc_profile_sums *sums)
{
    free(sums->region);
    free(sums->function);
    rc_arena_free(&sums->arena);
}

double rc_profile_rate(const struct rc_profile_event *event, double counts, uint64_t ns)
{
    return counts / (double)ns * (event->tick_ns ? 100 * (double)event->tick_ns : 1e9);
}

/* A rate needs to know since when: the first reading of a count has none. */
double rc_profile_reading_value(const struct rc_profile_event *event,
                                const struct rc_profile_reading *reading)
{
    if (event->state)
        return reading->value == INT64_MIN ? NAN : (double)reading->value;
    if (reading->since_ns == 0 || reading->since_ns >= reading->at_ns)
        return NAN;
    return rc_profile_rate(event, (double)reading->value,
                           reading->at_ns - reading->since_ns);
}

const char *rc_profile_unit(const struct rc_profile_event *event)
{
    return event->state ? "state" : event->tick_ns ? "%" : "1/s";
}

/* The mean of rates is one over time: all that was counted over all the time in which
 * it was. States have the same weight each.
 */
struct rc_profile_series_sum
rc_profile_series_sum(const struct rc_profile_series *series)
{
    struct rc_profile_series_sum out = {
        .mean = NAN, .least = NAN, .most = NAN, .last = NAN};
    const double of_one =
        series->event.tick_ns ? (double)series->event.tick_ns / 1e9 : 1;
    double weight = 0, sum = 0;

    for (size_t i = 0; i < series->count; i++) {
        const struct rc_profile_reading *r = &series->reading[i];
        const double value = rc_profile_reading_value(&series->event, r);
        if (isnan(value))
            continue;
        const double each = series->event.state ? 1 : (double)(r->at_ns - r->since_ns);
        out.valid++;
        out.total += series->event.state ? 0 : (double)r->value * of_one;
        sum += value * each;
        weight += each;
        out.least = fmin(out.least, value); /* of a number and NAN: the number */
        out.most = fmax(out.most, value);
        out.last = value;
    }
    if (weight > 0)
        out.mean = sum / weight;
    return out;
}

/* Launches are in order: the last one is that of the last node. */
int rc_profile_choose_launch(const struct rc_profile *profile, const char *text,
                             uint64_t *launch, struct rc_error *err)
{
    *launch = profile->node[profile->node_count - 1].launch.launch;
    if (text && rc_text_count(text, launch) != 0)
        return rc_fail(err, RC_EUSAGE,
                       "--launch '%s': expected the number of a launch, from 0 on",
                       text);
    return RC_OK;
}
