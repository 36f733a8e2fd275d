/* trees.h - trees of metrics over what threads count
 *
 * A launch that is asked for trees counts the events of their nodes, as many in each
 * pass as count together; the numbers of nodes are computed when they are shown, from
 * all launches.  With a campaign nodes are what 'solve' found for the machine, else
 * they come from events by name.  Times and efficiencies, which every profile has, are
 * events named "profile::NAME" there.
 */
#ifndef RC_CAMPAIGN_PROFILE_TABLES_TREES_H
#define RC_CAMPAIGN_PROFILE_TABLES_TREES_H

#include "campaign/profile/tables/metrics.h"
#include "solve/cube/cube.h"
#include "solve/hierarchy/hierarchy.h"
#include "solve/waiting/tree.h"

#define RC_PROFILE_READING "profile::" /* how names of these events begin */

/* The trees that are asked for: names of hierarchies or nodes, and files of them. */
struct rc_profile_trees_request {
    const char *const *word; /* ended by NULL */
    const char *campaign;    /* or NULL */
    const char *node;        /* of the campaign's, on which the machine is found */
    const struct rc_cube
        *reference; /* of the run that this one is held against; NULL */
};

struct rc_profile_trees {
    struct rc_hierarchies *all;
    struct rc_results metrics; /* of the campaign */
    struct rc_arena arena;
    struct rc_pool *pool;
    struct rc_hierarchy_machine machine;
    struct rc_hierarchy_event *event; /* the machine's */
    struct rc_hierarchy h;
    bool *chosen;            /* [node] */
    bool *needed;            /* [event]: by chosen nodes */
    const char **instead;    /* [event]: one that counts the same, or NULL */
    char why[RC_ERROR_TEXT]; /* why the campaign's results are doubtful, or "" */
};

/* Whether an event can be counted, or was: NULL, or the reason why it is not. */
typedef const char *rc_profile_trees_test(void *context, const char *event);

/* Fills the trees with events that pass the test, which is asked only for those that
 * are needed.  rc_profile_trees_close() in any case.
 */
int rc_profile_trees_open(const struct rc_profile_trees_request *request,
                          rc_profile_trees_test *why_not, void *context,
                          struct rc_profile_trees *out, struct rc_error *err);
void rc_profile_trees_close(struct rc_profile_trees *trees);

/* Whether a word of a request is the path of a file: one with a dot or a slash. */
bool rc_profile_trees_is_file(const char *word);

/* Event number 'event' as threads are to count it, or one that is counted instead. */
const char *rc_profile_trees_event(const struct rc_profile_trees *trees, size_t event,
                                   char out[RC_SHARED_EVENT_NAME]);

/* Adds the events of the trees that plan->tree names to the plan, and sets the number
 * of passes to the fewest that count them.  RC_EMISSING: threads can count none of
 * them.
 */
int rc_profile_trees_plan(struct rc_profile_plan *plan, struct rc_error *err);

/* show_trees.c: the trees over a cube, as a table or the array "trees" of 'json'. */
int rc_profile_show_trees(const struct rc_profile_trees_request *request,
                          const struct rc_cube *cube, struct rc_json *json,
                          struct rc_error *err);

/* references.c: events that several passes count, such as cycles and instructions, of
 * which the runs differ by more than their noise: a line each, or the array
 * "passes_differ" of 'json'.
 */
int rc_profile_show_references(const struct rc_profile *profile, struct rc_json *json,
                               struct rc_error *err);

/* readings.c: the counter of a cube that an event of a tree is, or SIZE_MAX; and the
 * numbers of a cube that are events here; NAN: not measured.  *missing
 * is how many numbers lack in it.  *variance: of the number, from several launches; NAN
 * where there was one.
 */
struct rc_profile_number {
    double value, variance;
    size_t missing;
};

/* Numbers of a cube over all its threads; NAN: not known.  Scaling compares its run
 * with another one, and is NAN until that is said.
 */
struct rc_profile_numbers {
    const struct rc_cube *cube;
    double computing_s; /* of all threads */
    double load_balance, serialisation, transfer, communication_efficiency;
    double
        instruction_scaling;  /* instructions of the other one over those of this one */
    double ipc_scaling;       /* instructions per cycle over those of the other one */
    double frequency_scaling; /* cycles per second of computing, likewise */
    double imbalance_above, imbalance_below, imbalance_single; /* s */
    double calls, bytes;                                       /* of all of MPI, */
    double calls_of[RC_WAITING_GROUPS], bytes_of[RC_WAITING_GROUPS]; /* by function */
};
void rc_profile_numbers_of(const struct rc_cube *cube, struct rc_profile_numbers *out);
struct rc_profile_number rc_profile_read_event(const struct rc_profile_numbers *from,
                                               const char *event);
size_t rc_profile_find_event(const struct rc_cube *cube, const char *event);

#endif
