/* Numbers of a profile from which nodes of trees are made: counters, times,
 * efficiencies.
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

/* The sum of a place; 0 where nothing is there. */
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

/* Computing is the time, of a place or of a path in it, that is neither in MPI nor in
 * OpenMP, nor the profile's own, nor idle.
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

/* The share of the run's time that was computing.  On a network that takes no time
 * calls of MPI take what they wait for others, and no more.
 */
static void read_efficiency(const struct rc_cube *cube, struct rc_profile_numbers *out)
{
    static const int waits[] = {RC_TIME_BARRIER_WAIT,  RC_TIME_LATE_SENDER,
                                RC_TIME_LATE_RECEIVER, RC_TIME_EARLY_REDUCE,
                                RC_TIME_EARLY_SCAN,    RC_TIME_LATE_BROADCAST,
                                RC_TIME_NXN_WAIT,      RC_TIME_FENCE_WAIT,
                                RC_TIME_LATE_POST,     RC_TIME_EARLY_WAIT};
    double mean = 0, most = 0, most_ideal = 0, most_time = 0;
    size_t unused = 0, missing = 0;

    for (size_t l = 0; l < cube->places; l++) {
        const double computing = computing_of_place(cube, l);
        double ideal = computing + of_place(cube, "openmp", l, &unused);
        for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
            ideal += of_place(cube, rc_waiting_metrics[waits[i]].name, l, &missing);
        mean += computing / (double)cube->places;
        most = fmax(most, computing);
        most_ideal = fmax(most_ideal, ideal);
        most_time = fmax(most_time, of_place(cube, "time", l, &unused));
    }
    out->computing_s = mean * (double)cube->places / 1e9;
    out->load_balance = most > 0 ? mean / most : NAN;
    out->serialisation = missing == 0 && most_ideal > 0 ? most / most_ideal : NAN;
    out->transfer = missing == 0 && most_time > 0 ? most_ideal / most_time : NAN;
    out->communication_efficiency = most_time > 0 ? most / most_time : NAN;
}

/* A metric in one path and place; 0 where it lacks. */
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
 * their mean, of all regions.  Regions that one thread alone of several visits are
 * counted apart.
 */
static void read_imbalance(const struct rc_cube *cube, struct rc_profile_numbers *out)
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
    out->imbalance_above = above / 1e9;
    out->imbalance_below = below / 1e9;
    out->imbalance_single = single / 1e9;
}

/* Calls of MPI, and bytes handed to it, by what the functions do. */
static void read_calls(const struct rc_cube *cube, struct rc_profile_numbers *out)
{
    for (size_t p = 0; p < cube->paths; p++) {
        if (strcmp(cube->path[p].paradigm, "mpi") != 0)
            continue;
        enum rc_waiting_group of = rc_waiting_group_of(cube->path[p].name);
        if (of == RC_WAITING_SYNCHRONIZES_WINDOW)
            of = RC_WAITING_SYNCHRONIZES;
        for (size_t l = 0; l < cube->places; l++) {
            out->calls_of[of] += at(cube, "visits", p, l);
            out->bytes_of[of] += at(cube, "bytes", p, l);
        }
    }
    for (size_t g = 0; g < RC_WAITING_GROUPS; g++) {
        out->calls += out->calls_of[g];
        out->bytes += out->bytes_of[g];
    }
}

void rc_profile_numbers_of(const struct rc_cube *cube, struct rc_profile_numbers *out)
{
    *out = (struct rc_profile_numbers){.cube = cube,
                                       .instruction_scaling = NAN,
                                       .ipc_scaling = NAN,
                                       .frequency_scaling = NAN};
    read_efficiency(cube, out);
    read_imbalance(cube, out);
    read_calls(cube, out);
}

/* Numbers of a struct rc_profile_numbers, by name. */
#define READING(member)                                                                \
    {                                                                                  \
#member, offsetof(struct rc_profile_numbers, member)                           \
    }
#define OF_GROUP(member, name, group)                                                  \
    {                                                                                  \
#member "_" name,                                                              \
            offsetof(struct rc_profile_numbers, member##_of[RC_WAITING_##group])       \
    }
#define BY_GROUPS(member)                                                              \
    READING(member), OF_GROUP(member, "synchronization", SYNCHRONIZES),                \
        OF_GROUP(member, "point_to_point", POINT_TO_POINT),                            \
        OF_GROUP(member, "collective", COLLECTIVE),                                    \
        OF_GROUP(member, "one_sided", ONE_SIDED), OF_GROUP(member, "files", FILES)

static const struct {
    const char *name;
    size_t at;
} numbers[] = {READING(load_balance),
               READING(serialisation),
               READING(transfer),
               READING(communication_efficiency),
               READING(instruction_scaling),
               READING(ipc_scaling),
               READING(frequency_scaling),
               READING(imbalance_above),
               READING(imbalance_below),
               READING(imbalance_single),
               BY_GROUPS(calls),
               BY_GROUPS(bytes)};

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

struct rc_profile_number rc_profile_read_event(const struct rc_profile_numbers *from,
                                               const char *event)
{
    const size_t prefix = strlen(RC_PROFILE_READING);
    const struct rc_cube *cube = from->cube;

    if (strncmp(event, RC_PROFILE_READING, prefix) != 0)
        return sum_of(cube, rc_profile_find_event(cube, event));
    const char *name = event + prefix;
    const size_t metric = rc_cube_find_metric(cube, name);
    struct rc_profile_number out = sum_of(cube, metric);
    for (size_t i = 0; i < RC_TIMES; i++)
        if (strcmp(rc_waiting_metrics[i].name, name) == 0) {
            /* Paths without such calls have 0: that is nothing known of those with. */
            out.value = out.missing > 0 && !(out.value > 0) ? NAN : out.value / 1e9;
            out.variance /= 1e18;
        }
    for (size_t i = 0; metric == SIZE_MAX && i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].name, name) == 0)
            memcpy(&out.value, (const char *)from + numbers[i].at, sizeof out.value);
    return out;
}
