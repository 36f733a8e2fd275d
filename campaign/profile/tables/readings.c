/* Numbers of a profile that nodes of trees are made of: counters, times, efficiencies.
 */
#include "campaign/profile/tables/trees.h"
#include "solve/waiting/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct rc_profile_number nothing = {.value = NAN, .variance = NAN};

/* Over all paths and places; NAN where all numbers lack. */
static struct rc_profile_number sum_of(const struct rc_cube *cube, size_t metric)
{
    struct rc_profile_number out = {.value = NAN};
    const size_t cells = cube->paths * cube->places;
    bool several = false;

    if (metric == SIZE_MAX)
        return nothing;
    out.value = rc_cube_sum(cube, metric, 0, &out.missing);
    for (size_t i = 0; i < cells; i++) {
        const struct rc_cube_cell *cell = rc_cube_cell(cube, metric, 0, i);
        several |= cell->n > 1;
        out.variance += cell->n > 1 ? cell->m2 / (cell->n * (cell->n - 1)) : 0;
    }
    if (!several)
        out.variance = NAN;
    return out;
}

/* Of a place, 0 where nothing is there. */
static double of_place(const struct rc_cube *cube, const char *name, size_t place,
                       size_t *missing)
{
    const size_t metric = rc_cube_find_metric(cube, name);
    double sum = 0;

    for (size_t p = 0; metric != SIZE_MAX && p < cube->paths; p++) {
        const struct rc_cube_cell *cell = rc_cube_cell(cube, metric, p, place);
        if (rc_cube_is_missing(cell))
            ++*missing;
        else
            sum += cell->mean;
    }
    return sum;
}

/* What of the run's time was computing.  On a network that takes no time calls of MPI
 * take what they wait for others, and no more.
 */
struct efficiency {
    double mean_computing, most_computing; /* of threads */
    double most_ideal;                     /* computing and waiting */
    double most;                           /* of all */
    size_t missing_waits;
};

/* Of a place, or with a path in that alone: what is neither in MPI nor in OpenMP, nor
 * the profile's own, nor idle.
 */
static const char *const not_computing[] = {"mpi", "openmp", "overhead",
                                            "idle_threads"};

static double computing_of_place(const struct rc_cube *cube, size_t place)
{
    size_t unused = 0;
    double ns = of_place(cube, "time", place, &unused);

    for (size_t i = 0; i < sizeof not_computing / sizeof *not_computing; i++)
        ns -= of_place(cube, not_computing[i], place, &unused);
    return ns;
}

static struct efficiency measure(const struct rc_cube *cube)
{
    static const int waits[] = {RC_TIME_BARRIER_WAIT,  RC_TIME_LATE_SENDER,
                                RC_TIME_LATE_RECEIVER, RC_TIME_EARLY_REDUCE,
                                RC_TIME_EARLY_SCAN,    RC_TIME_LATE_BROADCAST,
                                RC_TIME_NXN_WAIT,      RC_TIME_FENCE_WAIT,
                                RC_TIME_LATE_POST,     RC_TIME_EARLY_WAIT};
    struct efficiency e = {0};
    size_t unused = 0;

    for (size_t l = 0; l < cube->places; l++) {
        const double time = of_place(cube, "time", l, &unused);
        const double computing = computing_of_place(cube, l);
        double ideal = computing + of_place(cube, "openmp", l, &unused);
        for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
            ideal +=
                of_place(cube, rc_waiting_metrics[waits[i]].name, l, &e.missing_waits);
        e.mean_computing += computing / (double)cube->places;
        e.most_computing = fmax(e.most_computing, computing);
        e.most_ideal = fmax(e.most_ideal, ideal);
        e.most = fmax(e.most, time);
    }
    return e;
}

static struct rc_profile_number ratio(double of, double by, bool known)
{
    return (struct rc_profile_number){.value = known && by > 0 ? of / by : NAN,
                                      .variance = NAN};
}

/* Of a metric in one path and place; 0 where it lacks. */
static double at(const struct rc_cube *cube, const char *name, size_t path,
                 size_t place)
{
    const size_t metric = rc_cube_find_metric(cube, name);
    const struct rc_cube_cell *cell =
        metric == SIZE_MAX ? NULL : rc_cube_cell(cube, metric, path, place);

    return cell && !rc_cube_is_missing(cell) ? cell->mean : 0;
}

static double computing_at(const struct rc_cube *cube, size_t path, size_t place)
{
    double ns = at(cube, "time", path, place);

    for (size_t i = 0; i < sizeof not_computing / sizeof *not_computing; i++)
        ns -= at(cube, not_computing[i], path, place);
    return ns;
}

/* By how much the threads that visit a region compute longer in it, or shorter, than
 * their mean, of all regions; in ns.  What one thread alone of several does is apart.
 */
static struct rc_profile_number imbalance(const struct rc_cube *cube, const char *which)
{
    double above = 0, below = 0, single = 0;

    for (size_t p = 0; p < cube->paths; p++) {
        double sum = 0, visitors = 0;
        for (size_t l = 0; l < cube->places; l++) {
            const bool visits = at(cube, "visits", p, l) > 0;
            visitors += visits;
            sum += visits ? computing_at(cube, p, l) : 0;
        }
        for (size_t l = 0; visitors > 0 && l < cube->places; l++) {
            if (at(cube, "visits", p, l) <= 0)
                continue;
            const double more = computing_at(cube, p, l) - sum / visitors;
            above += fmax(more, 0);
            below += fmax(-more, 0);
        }
        if (visitors == 1 && cube->places > 1)
            single += sum;
    }
    const double ns = strcmp(which, "above") == 0   ? above
                      : strcmp(which, "below") == 0 ? below
                                                    : single;
    return (struct rc_profile_number){.value = ns / 1e9, .variance = NAN};
}

/* Calls of MPI, or bytes handed to it, by what the functions do; NULL: all. */
static struct rc_profile_number calls(const struct rc_cube *cube, const char *metric,
                                      const char *group)
{
    static const char *const groups[RC_WAITING_GROUPS] = {
        [RC_WAITING_SYNCHRONIZES] = "synchronization",
        [RC_WAITING_SYNCHRONIZES_WINDOW] = "synchronization",
        [RC_WAITING_POINT_TO_POINT] = "point_to_point",
        [RC_WAITING_COLLECTIVE] = "collective",
        [RC_WAITING_ONE_SIDED] = "one_sided",
        [RC_WAITING_FILES] = "files"};
    double sum = 0;
    bool known = !group;

    for (size_t g = 0; g < RC_WAITING_GROUPS && !known; g++)
        known = groups[g] && strcmp(groups[g], group) == 0;
    if (!known)
        return nothing;
    for (size_t p = 0; p < cube->paths; p++) {
        if (strcmp(cube->path[p].paradigm, "mpi") != 0)
            continue;
        const char *of = groups[rc_waiting_group_of(cube->path[p].name)];
        for (size_t l = 0;
             (!group || (of && strcmp(of, group) == 0)) && l < cube->places; l++)
            sum += at(cube, metric, p, l);
    }
    return (struct rc_profile_number){.value = sum, .variance = NAN};
}

double rc_profile_computing_s(const struct rc_cube *cube)
{
    return measure(cube).mean_computing * (double)cube->places / 1e9;
}

static struct rc_profile_number efficiency_of(const struct rc_profile_source *source,
                                              const char *name)
{
    const struct efficiency e = measure(source->cube);

    static const char above[] = "imbalance_", of_calls[] = "calls",
                      of_bytes[] = "bytes";
    if (strncmp(name, above, strlen(above)) == 0)
        return imbalance(source->cube, name + strlen(above));
    if (strncmp(name, of_calls, strlen(of_calls)) == 0)
        return calls(source->cube, "visits",
                     name[strlen(of_calls)] ? name + strlen(of_calls) + 1 : NULL);
    if (strncmp(name, of_bytes, strlen(of_bytes)) == 0)
        return calls(source->cube, "bytes",
                     name[strlen(of_bytes)] ? name + strlen(of_bytes) + 1 : NULL);
    if (strcmp(name, "load_balance") == 0)
        return ratio(e.mean_computing, e.most_computing, true);
    if (strcmp(name, "serialisation") == 0)
        return ratio(e.most_computing, e.most_ideal, e.missing_waits == 0);
    if (strcmp(name, "transfer") == 0)
        return ratio(e.most_ideal, e.most, e.missing_waits == 0);
    if (strcmp(name, "communication_efficiency") == 0)
        return ratio(e.most_computing, e.most, true);
    if (strcmp(name, "instruction_scaling") == 0)
        return ratio(source->instructions, 1, true);
    if (strcmp(name, "ipc_scaling") == 0)
        return ratio(source->ipc, 1, true);
    if (strcmp(name, "frequency_scaling") == 0)
        return ratio(source->frequency, 1, true);
    return nothing;
}

size_t rc_profile_find_event(const struct rc_cube *cube, const char *event)
{
    const size_t metric = rc_cube_find_metric(cube, event);
    char own[RC_SHARED_EVENT_NAME];

    if (metric != SIZE_MAX)
        return metric;
    /* without rights to the kernel's part only the program's is counted */
    snprintf(own, sizeof own, "%.240s:u", event);
    return rc_cube_find_metric(cube, own);
}

struct rc_profile_number rc_profile_read_event(const struct rc_profile_source *source,
                                               const char *event)
{
    const size_t prefix = strlen(RC_PROFILE_READING);
    const struct rc_cube *cube = source->cube;

    if (strncmp(event, RC_PROFILE_READING, prefix) != 0)
        return sum_of(cube, rc_profile_find_event(cube, event));
    for (size_t i = 0; i < RC_TIMES; i++)
        if (strcmp(rc_waiting_metrics[i].name, event + prefix) == 0) {
            struct rc_profile_number ns =
                sum_of(cube, rc_cube_find_metric(cube, event + prefix));
            /* Paths without such calls have 0: that is nothing known of those with. */
            ns.value = ns.missing > 0 && !(ns.value > 0) ? NAN : ns.value / 1e9;
            ns.variance /= 1e18;
            return ns;
        }
    const size_t metric = rc_cube_find_metric(cube, event + prefix);
    return metric != SIZE_MAX ? sum_of(cube, metric)
                              : efficiency_of(source, event + prefix);
}
