/* axis.h - a launch on its axis of time: what an export writes of instances and
 * readings
 *
 * The axis begins, at 0 ns, when the first sampler of the launch did.  A limit may
 * leave room for only some of the instances and readings in the wanted stretch of time:
 * then the instances stay that took longest, and from each series the least and the
 * most of each stretch of time, so that no peak is lost.  Instances are cut to the
 * wanted stretch.
 */
#ifndef RC_CAMPAIGN_PROFILE_READ_AXIS_H
#define RC_CAMPAIGN_PROFILE_READ_AXIS_H

#include "campaign/profile/read/sums.h"

#include <stdio.h>

/* One launch, and how much of it is wanted. */
struct rc_profile_choice {
    const char *launch;      /* its number; NULL: the last */
    size_t limit;            /* instances and readings at most; SIZE_MAX: all */
    uint64_t from_ns, to_ns; /* of the axis; to_ns 0: to the end */
    bool no_series;          /* readings are left out */
    const char *path;        /* of formats that write a directory */
    bool stacks;             /* folded: samples of stacks instead of regions */
    const char *metrics;     /* the page: a campaign whose metrics are computed; NULL */
    const char *trees;       /* the page: "A,B", trees of metrics that are filled */
    const char *dir;         /* of the profile: rc_profile_export() says it */
};

/* An instance of a region, or an MPI call, as it is to be written. */
struct rc_profile_piece {
    const struct rc_profile_node *node;
    const struct rc_profile_thread *thread;
    size_t track;              /* number of the thread in the launch, from 0 on */
    uint64_t begin_ns, end_ns; /* on the axis */
    size_t first, last;        /* numbers of its entries: who nests in whom */
    uint32_t number;           /* of the path, or of the row of MPI calls */
    bool call, open;           /* as in struct rc_profile_instance */
};

/* A valid reading that is to be written. */
struct rc_profile_point {
    size_t node; /* its number in the launch */
    const struct rc_profile_series *series;
    const struct rc_profile_reading *reading;
    uint64_t begin_ns, end_ns; /* on the axis: a rate holds from the reading before on,
                                * a state at its own time */
    double value;              /* rate in 1/s, or state */
};

struct rc_profile_axis {
    const struct rc_profile_sums *sums;
    const struct rc_profile_choice *choice;
    int64_t zero_unix_ns;                 /* 1970's ns of the axis' zero */
    size_t instances, readings;           /* that there are in the wanted time */
    size_t instances_stay, readings_stay; /* that are reported */
    uint64_t unmatched;                   /* instances without begin or end */
    size_t reading_most;                  /* of a series */
    uint64_t shortest; /* ns of an instance that is reported; of those that are just as
                        * long, the first 'ties' */
    size_t ties;
};

/* Told of what is to be written; each may be NULL.  A failure ends the walk. */
struct rc_profile_teller {
    void *arg;
    /* Before the pieces of a thread, also where it has none. */
    int (*thread)(void *arg, const struct rc_profile_node *node,
                  const struct rc_profile_thread *thread, size_t track,
                  struct rc_error *err);
    /* A piece begins, and ends: within a thread in the order of time, each end before
     * that of the piece around it.
     */
    int (*begin)(void *arg, const struct rc_profile_piece *piece, struct rc_error *err);
    int (*end)(void *arg, const struct rc_profile_piece *piece, struct rc_error *err);
    /* After the last piece of a thread. */
    int (*thread_end)(void *arg, struct rc_error *err);
    /* Before the readings of a series, and each of them, in the order of time. */
    int (*series)(void *arg, size_t node, const struct rc_profile_series *series,
                  struct rc_error *err);
    int (*reading)(void *arg, const struct rc_profile_point *point,
                   struct rc_error *err);
};

/* Finds out what there is and what stays; needs the entries of rings.  'out' holds no
 * memory; 'sums' and 'choice' must live as long.
 */
int rc_profile_axis_make(const struct rc_profile_sums *sums,
                         const struct rc_profile_choice *choice,
                         struct rc_profile_axis *out, struct rc_error *err);

/* Tells of the pieces of all threads, node by node; then of all series. */
int rc_profile_axis_pieces(struct rc_profile_axis *axis,
                           const struct rc_profile_teller *teller,
                           struct rc_error *err);
int rc_profile_axis_readings(struct rc_profile_axis *axis,
                             const struct rc_profile_teller *teller,
                             struct rc_error *err);

/* A time of a node on the axis; 0 where it is before the axis began. */
uint64_t rc_profile_axis_ns(const struct rc_profile_axis *axis,
                            const struct rc_profile_node *node, uint64_t at_ns);

/* The name of a piece: its region's, or its MPI function's. */
const char *rc_profile_piece_name(const struct rc_profile_piece *piece);

/* "rank 3 on n0", or "pid 4711 on n0": cut where the node's name is long. */
enum { RC_PROFILE_TITLE = 320 };
const char *rc_profile_rank_title(const struct rc_profile_rank *rank,
                                  char out[RC_PROFILE_TITLE]);

/* A property of the file: 'text', or where that is NULL 'number'.  How many readings
 * were written is known once they were reported.
 */
typedef void rc_profile_note(void *arg, const char *key, const char *text,
                             int64_t number);
void rc_profile_axis_notes(const struct rc_profile_axis *axis, rc_profile_note *note,
                           void *arg);

/* Lines on what the limit left out, once pieces and readings were reported. */
void rc_profile_axis_say(const struct rc_profile_axis *axis, FILE *left_out);

#endif
