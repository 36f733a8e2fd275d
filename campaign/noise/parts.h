/* parts.h - data and functions that the files of the noise study share
 *
 * Each rank studies the events in its own pieces of a suite: piece i belongs to rank i
 * modulo the number of ranks.  Findings about nodes are gathered from all ranks.
 */
#ifndef RC_CAMPAIGN_NOISE_PARTS_H
#define RC_CAMPAIGN_NOISE_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/spec/patterns.h"
#include "io/noise/noise.h"
#include "io/store/store.h"
#include "io/text/rows.h"
#include "solve/study/components.h"
#include "solve/study/evidence.h"
#include "solve/study/outliers.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The verdict on an event's readings, in the order of rc_noise_verdict_names[]. */
enum rc_noise_verdict {
    RC_NOISE_NOT_READ,   /* no valid reading */
    RC_NOISE_UNRESOLVED, /* levels are missing, or none has half of the scatter */
    RC_NOISE_EXACT,      /* every reading is the same */
    RC_NOISE_DIFFERS,    /* exact in each place, and places differ */
    RC_NOISE_REPETITION, /* this level surely scatters, and has most of the scatter */
    RC_NOISE_CORE,
    RC_NOISE_NODE,
    RC_NOISE_VERDICTS
};
extern const char *const rc_noise_verdict_names[]; /* ended by NULL */
extern const char *const rc_noise_level_names[RC_LEVEL_COUNT];

/* The places of a suite, in order of their nodes. */
struct rc_noise_places {
    size_t count, nodes;
    size_t *place;          /* [count] its number in the store's suite */
    size_t *node;           /* [count] its node's number, ascending */
    const char **node_name; /* [nodes] */
    bool any;               /* units were measured once, wherever a core was free */
    bool cores;             /* places are parts of nodes */
};

/* The noise of an event.  Deviations are relative to the kind's median reading on each
 * point, variances are squares of these.
 */
struct rc_noise_event {
    uint64_t number; /* of the event in its kind */
    double median;   /* of counts per iteration, summed over the points */
    double mad;      /* median absolute deviation */
    /* Root mean square difference of pairs of readings; NAN: there are no pairs. */
    double distance[RC_LEVEL_COUNT];
    struct rc_component component[RC_LEVEL_COUNT];
    uint8_t verdict;
    bool has[RC_LEVEL_COUNT]; /* levels that can be told apart */
    bool heavy;               /* a few readings far off make most of the scatter */
    bool classes;             /* nodes are of two classes */
    bool judged;              /* nodes were compared */
};

/* An event on a node that is far from the others. */
struct rc_noise_off {
    uint64_t event;
    uint32_t suite, node; /* numbers in the kind; of the study's list of nodes */
    double delta, z, p;   /* 'delta' relative to the median of the others */
};

struct rc_noise_suite {
    size_t number; /* in the store's kind */
    const struct rc_store_suite *labels;
    struct rc_noise_places places;
    uint32_t *node; /* [node of places], or [place] with k->cores: number in the kind */
    size_t piece, pieces;         /* events in a piece, and number of pieces */
    struct rc_noise_event *event; /* wanted ones in this rank's pieces, ascending */
    size_t count, room;
    float *median; /* [event][place] of these, if k->medians */
    size_t median_room;
    uint64_t tally[RC_NOISE_VERDICTS]; /* of all ranks */
    uint64_t classes;                  /* events with two classes of nodes, likewise */
};

/* A node of the kind, or one of its cores, and what was found on it. */
struct rc_noise_node {
    const char *name;
    uint64_t off, of; /* events that are off on it, and that were compared */
    double p;         /* probability that any node is as far off by chance */
    struct rc_noise_off worst;
    const char *worst_event; /* NULL: it was not compared */
};

struct rc_noise_compared {
    uint64_t event;
    uint32_t suite;
};

struct rc_noise_kind {
    MPI_Comm comm;
    struct rc_store *store;
    size_t number;
    const struct rc_store_kind *labels;
    const struct rc_patterns *patterns;
    const char *const *suites; /* wanted ones, NULL: all */

    /* Places are judged instead of nodes, by the other places of their nodes: each node
     * below is a place then.
     */
    bool cores;
    struct rc_noise_suite *suite;
    size_t suite_count;
    struct rc_evidence evidence; /* this rank's events in which nodes are compared, */
    struct rc_noise_compared *compared; /* and which these are */
    size_t compared_room;
    struct rc_noise_off *off; /* candidates, and at the end those to be reported */
    size_t off_count, off_room;
    uint64_t tests; /* comparisons of a node, over all events */
    struct rc_noise_node *node;
    size_t nodes;
    struct rc_arena arena; /* of suites, their places and nodes */
    struct rc_pool *pool;
    bool medians; /* of places are kept, for noise.h5 */
};

/* places.c: not collective; the arrays are the arena's */
int rc_noise_places_find(const struct rc_store_kind *kind,
                         const struct rc_store_suite *suite, struct rc_arena *arena,
                         struct rc_noise_places *places, struct rc_error *err);

/* event.c: room for the readings of one event at a time; not collective */
struct rc_noise_study {
    struct rc_arena arena; /* of all arrays */
    const struct rc_noise_suite *suite;
    bool cores;      /* as in struct rc_noise_kind */
    double *vector;  /* [reading][point] per iteration, of valid readings */
    double *reading; /* [reading] as one number, relative */
    double *room;    /* scratch */
    struct rc_intervals intervals;
    size_t *node, *count; /* nesting of the event's own places */
    double *node_median, *node_error;
    size_t nodes; /* of this event */
    uint32_t *node_number;
    size_t *place;       /* [place of the nesting] its number in the suite's places */
    float *place_median; /* [place of the suite], NAN: no reading */
};
int rc_noise_study_init(const struct rc_noise_suite *suite, bool cores,
                        struct rc_noise_study *study, struct rc_error *err);
void rc_noise_study_fini(struct rc_noise_study *study);

/* Finds the event's verdict and, if 'out->judged', study->node_median and node_error of
 * its nodes, whose numbers are in study->node_number.  'values' and 'status' are as in
 * the store.
 */
void rc_noise_study_event(struct rc_noise_study *study, const int64_t *values,
                          const uint8_t *status, size_t source,
                          struct rc_noise_event *out);

/* read.c: collective.  Fills suites and candidates of kind 'number' of the store, and
 * judges its nodes.  'k' has the settings; call rc_noise_kind_fini() in any case.
 */
int rc_noise_kind_study(struct rc_noise_kind *k, struct rc_store *store, size_t number,
                        struct rc_error *err);
void rc_noise_kind_fini(struct rc_noise_kind *k);

/* nodes.c: collective.  Finds which nodes are off, by all events, and which events are
 * off on each: the same on every rank.
 */
int rc_noise_judge_nodes(struct rc_noise_kind *k, struct rc_error *err);

/* show.c: on rank 0.  Prints the kind's nodes and levels as text, or as members of the
 * object that is open in 'json'.
 */
int rc_noise_show(const struct rc_noise_kind *k, struct rc_json *json,
                  struct rc_error *err);

/* show.c: likewise for the kind's cores. */
int rc_noise_show_cores(const struct rc_noise_kind *k, struct rc_json *json,
                        struct rc_error *err);

/* rows.c: collective.  Adds a row for each event whose verdict is listed (NULL: any) to
 * 'rows', which is on rank 0 alone, NULL on the others.
 */
extern const struct rc_column rc_noise_columns[];
int rc_noise_list(const struct rc_noise_kind *k, const bool *verdict,
                  struct rc_rows *rows, struct rc_error *err);

/* write.c: collective.  Puts the kind, with all of its events, into the file. */
int rc_noise_write(const struct rc_noise_kind *k, struct rc_store *file,
                   struct rc_error *err);

#endif
