/* sums.h - where the time of a launch went: regions, MPI functions and series, summed
 *
 * A rank is a process of the job, with all its threads and with the processes that it
 * started; a process without a rank stands for itself.  A region's own time is the time
 * of its instances less that of the regions inside of them; all regions and what is
 * outside of them add up to the time that the ranks' threads were there.  MPI calls are
 * part of the region around them.
 */
#ifndef RC_CAMPAIGN_PROFILE_READ_SUMS_H
#define RC_CAMPAIGN_PROFILE_READ_SUMS_H

#include "campaign/profile/read/read.h"

/* A number of each rank, in short. */
struct rc_profile_spread {
    double total, least, mean, most; /* ranks without any count as 0 */
    size_t least_at, most_at;        /* the first of these ranks, by number below */
};

struct rc_profile_rank {
    int64_t rank;     /* -1: a process without one */
    uint64_t pid;     /* of such a process */
    const char *node; /* of its first thread */
    size_t threads;
    double ns, mpi_ns; /* of all its threads */
    struct rc_profile_ran ran;
};

struct rc_profile_region {
    const char *name; /* or the path from the wanted region on */
    bool outside;     /* what is not inside of any region */
    uint64_t visits, measured, lost;
    struct rc_profile_spread own; /* ns without the regions inside */
    double *by_rank;              /* [rank] of the same */
    double inclusive_ns;          /* with them, of all ranks; instances of the region
                                   * within itself count once */
    double mpi_ns;                /* of 'own' */
    double count[RC_SHARED_COUNTERS]; /* of 'own', of all ranks */
};

struct rc_profile_function {
    const char *name;
    uint64_t calls, bytes, longest_ns;
    uint64_t known;        /* calls of which it is known how long they waited */
    const char *waits_for; /* what for, in words; "" where nothing is known */
    double waited_ns, completing_ns, wrong_order_ns; /* of those, of all ranks */
    double starved_ns; /* of long calls, likewise: while another rank waited for a
                        * processor; at most what they waited, where that is known */
    struct rc_profile_spread ns;
    double *by_rank; /* [rank] of the same */
    struct rc_profile_of_nodes {
        uint64_t calls, bytes;
        double ns;                           /* of all ranks */
    } of_nodes[RC_SHARED_SEVERAL_NODES + 1]; /* by the nodes that they are with */
};

/* One launch. */
struct rc_profile_sums {
    const struct rc_profile *profile;
    const struct rc_profile_node *node; /* of the launch, by name */
    size_t node_count;
    uint64_t threads, closed, killed;
    /* The program, from its begin to the end of its last process: since 1970, and how
     * long; and the axis of time, which the samplers' begin and end are the ends of.
     */
    int64_t began_unix_ns;
    uint64_t wall_ns, axis_ns;
    struct rc_profile_rank *rank; /* by rank, then by node and pid */
    size_t rank_count;
    struct rc_profile_region *region; /* by falling time of its own */
    size_t region_count, region_room;
    struct rc_profile_function *function; /* likewise */
    size_t function_count, function_room;
    double ns, mpi_ns;         /* of all threads; with a wanted region, inside of it */
    struct rc_profile_ran ran; /* of all threads, wherever they were */
    double starved_ns;         /* of calls: see struct rc_profile_function */
    struct rc_arena arena;
};

/* 'within' is a pattern of names: only what is inside of such regions, which are then
 * told apart by their paths; NULL: all.  RC_EMISSING: there is no such launch, or no
 * such region.  'profile' must live as long; rc_profile_sums_fini() in any case.
 */
int rc_profile_sum(const struct rc_profile *profile, uint64_t launch,
                   const char *within, struct rc_profile_sums *out,
                   struct rc_error *err);
void rc_profile_sums_fini(struct rc_profile_sums *sums);

/* starved.c: finds 'starved_ns', 0 before, by the instances of calls; with 'within' as
 * in rc_profile_sum().
 */
int rc_profile_starve(struct rc_profile_sums *sums, const char *within,
                      struct rc_error *err);

/* Tasks that could run on a node at a time, the program's and others', without the
 * sampler, and processors on which the program may run there: means of the nodes.  NAN:
 * not known.
 */
double rc_profile_tasks(const struct rc_profile_sums *sums);
double rc_profile_processors(const struct rc_profile_sums *sums);

/* The number of a launch in words, NULL: of the last. */
int rc_profile_choose_launch(const struct rc_profile *profile, const char *text,
                             uint64_t *launch, struct rc_error *err);

/* The number of a thread's rank among those of the launch. */
size_t rc_profile_rank_number(const struct rc_profile_sums *sums,
                              const struct rc_profile_node *node,
                              const struct rc_profile_thread *thread);

/* The own time of each path, and its counts: by number of the path, for
 * rc_profile_own().
 */
struct rc_profile_own {
    double ns[RC_SHARED_PATHS], mpi_ns[RC_SHARED_PATHS];
    double count[RC_SHARED_PATHS][RC_SHARED_COUNTERS];
};
void rc_profile_own(const struct rc_profile_thread *thread, struct rc_profile_own *out);

/* inside[path]: whether a path of the thread is inside of a region of that name, or is
 * one (NULL: all are).  There is room for all of them.
 */
void rc_profile_choose(const struct rc_profile_thread *thread, const char *within,
                       bool *inside);

/* A series in short: rates of counts, or the states themselves; NAN where there is no
 * valid reading.
 */
struct rc_profile_series_sum {
    size_t valid;
    double total; /* of counts; of those that count time, in seconds */
    double mean, least, most, last;
};
struct rc_profile_series_sum
rc_profile_series_sum(const struct rc_profile_series *series);

/* The unit of an event's values: "state"; "%" of one processor's time, or of time, of
 * events that count time (100: all of it); else "1/s".
 */
const char *rc_profile_unit(const struct rc_profile_event *event);

/* So many counts in so many ns as a rate in that unit. */
double rc_profile_rate(const struct rc_profile_event *event, double counts,
                       uint64_t ns);

/* The rate or the state of a reading, in that unit; NAN: it is not valid. */
double rc_profile_reading_value(const struct rc_profile_event *event,
                                const struct rc_profile_reading *reading);

#endif
