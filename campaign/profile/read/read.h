/* read.h - what the journals of a profile's directory say, taken together
 *
 * Journals may come from strangers and may be damaged: what cannot be is left out,
 * counted, and the first such thing is kept in words.  Numbers of paths, names and
 * calls are within their lists, and a path's parent has a lower number than the path.
 *
 * Times of nodes are joined by comparisons of their clocks, which the ranks of an MPI
 * program make; where there are none, by what the wall clock of each node said when its
 * sampler began.
 */
#ifndef RC_CAMPAIGN_PROFILE_READ_READ_H
#define RC_CAMPAIGN_PROFILE_READ_READ_H

#include "campaign/base/arena.h"
#include "campaign/base/map.h"
#include "campaign/base/memory.h"
#include "campaign/clock/clock.h"
#include "campaign/profile/read/samples.h"
#include "campaign/profile/wire/parameters.h"
#include "campaign/profile/wire/records.h"
#include "io/journal/journal.h"

/* An entry of a ring, kept in 16 bytes: there may be many. */
struct rc_profile_mark {
    uint64_t at_ns;
    uint32_t number;
    uint8_t what; /* enum rc_shared_what */
};

/* A thread of the program: a place. */
struct rc_profile_thread {
    struct rc_profile_place place; /* its rank is the best that is known */
    struct rc_profile_close close; /* where 'closed', else zeros */
    bool closed;                   /* the sampler saw it end */
    uint64_t ended_ns;             /* else when its node was last heard of */
    struct rc_bytes names;         /* each ended by a NUL, and so is the last */
    struct rc_profile_path *path;  /* by number; the first is the root */
    size_t path_count, path_room;
    struct rc_profile_call *call; /* by number; the first is of all the others */
    size_t call_count, call_room;
    struct rc_profile_wait *wait; /* by number of the call; 'known' 0: nothing is */
    size_t wait_count, wait_room;
    struct rc_profile_waits waits; /* what is not of one row; without a list */
    struct rc_profile_run *run;    /* in the order of time, as far as it was read */
    size_t run_count, run_room;
    struct rc_profile_mark *mark; /* in the order of time, where they were asked for */
    size_t mark_count, mark_room;
};

struct rc_profile_series {
    struct rc_profile_event event;
    struct rc_profile_reading *reading; /* in the order of the journal */
    size_t count, room;
    const char *why; /* of those that are not valid, the last reason, or "" */
};

/* One launch on one node: what its sampler wrote. */
struct rc_profile_node {
    struct rc_profile_launch launch;
    struct rc_profile_thread *thread;
    size_t thread_count, thread_room;
    struct rc_profile_series *series;
    size_t series_count, series_room;
    struct rc_profile_cost *cost;
    size_t cost_count, cost_room;
    struct rc_profile_rate *rate; /* in the order of the journal; 'place' is the index
                                   * of its thread, 'number' of a series that of it */
    size_t rate_count, rate_room;
    struct rc_profile_samples samples; /* of stacks */
    struct rc_profile_end end;         /* where 'ended', else zeros */
    bool ended;
    uint64_t last_ns;      /* when it was last heard of */
    struct rc_clock clock; /* comparisons with the first node's */
    int64_t axis_ns;       /* ns since 1970 when that clock was 0; without any: the
                            * node's own */
    bool compared;         /* there are some */

    uint32_t writer;   /* for the reader alone, as what follows */
    struct rc_map map; /* from numbers of places to threads */
};

struct rc_profile {
    struct rc_journal_id id;
    struct rc_profile_node *node; /* by launch, then by name */
    size_t node_count, node_room;
    uint64_t launches;   /* one more than the number of the last */
    uint64_t records;    /* that were taken */
    uint64_t refused;    /* that were not understood */
    const char *refusal; /* the first of those, in words, or "" */
    const char **damage; /* one line for each journal in which something is wrong */
    size_t damage_count, damage_room;
    struct rc_pool *texts;
    struct rc_arena lists; /* of the records of launches */
};

/* Reads DIR/journal.  'marks': entries of rings, too, which are many.  Where a sampler
 * is about to end, it is waited for, for half a second at most.  RC_EMISSING: no
 * profile is there.  On success *out is the caller's, to be closed; else it is NULL.
 */
int rc_profile_read(const char *dir, bool marks, struct rc_profile **out,
                    struct rc_error *err);
void rc_profile_close(struct rc_profile *profile); /* accepts NULL */

/* The parameters of a launch, p being the first.  RC_EUSAGE: its nodes do not have the
 * same, or a formula is not above 0; 'out' has those before it then.
 */
int rc_profile_parameters_of(const struct rc_profile *profile, uint64_t launch,
                             struct rc_profile_parameters *out, struct rc_error *err);

/* The same as rc_profile_parameters_text(), and what is wrong; returns 'out'. */
const char *rc_profile_parameters_said(const struct rc_profile *profile,
                                       uint64_t launch,
                                       char out[RC_PROFILE_PARAMETERS_TEXT]);

/* Names teams of OpenMP by the functions around them, as far as files say them: part of
 * rc_profile_read().
 */
int rc_profile_name_teams(struct rc_profile *profile, struct rc_error *err);

/* Whether DIR is the directory of a profile: its first journal begins as those do. */
bool rc_profile_is_in(const char *dir);

/* ns since 1970 of a time of the node, by the wall clock of the node that clocks were
 * compared with, or where they were not by its own.
 */
int64_t rc_profile_unix_ns(const struct rc_profile_node *node, uint64_t at_ns);

/* The zero of their axis, as that says it: when the first of the samplers of 'count'
 * nodes from 'node' on began.
 */
int64_t rc_profile_zero_ns(const struct rc_profile_node *node, size_t count);

/* How times of the nodes of a launch, that are 'count' from 'node' on, are joined, in a
 * few words such as "clocks of 2 nodes compared, known to 1.2 us".  Returns 'out'.
 */
enum { RC_PROFILE_CLOCKS_TEXT = 160 };
const char *rc_profile_clocks_text(const struct rc_profile_node *node, size_t count,
                                   char out[RC_PROFILE_CLOCKS_TEXT]);

/* A name of a thread's; "(name lost)" where it was. */
const char *rc_profile_name(const struct rc_profile_thread *thread, uint64_t number);

/* The name of the region of a path that is not the root; "(no name)" of one that the
 * program has given none, "(name lost)" where it was.
 */
const char *rc_profile_region_name(const struct rc_profile_thread *thread,
                                   uint64_t path);

/* How many call paths and rows of MPI calls have lost their names. */
size_t rc_profile_names_lost(const struct rc_profile_thread *thread);

/* The name of an MPI function; "other calls" of the row of those that found no other.
 */
const char *rc_profile_call_name(const struct rc_profile_thread *thread,
                                 const struct rc_profile_call *call);

/* The name of an enum rc_shared_nodes: "same node", "other node", "several nodes"; "":
 * not known.
 */
const char *rc_profile_nodes_name(uint64_t nodes);

/* The names from inside of path 'above' (0: the root) to a path that is inside of it,
 * with 'between' between them, as far as they fit; "" for 'above' itself.  Returns
 * 'out'.
 */
const char *rc_profile_path_text(const struct rc_profile_thread *thread, uint64_t above,
                                 uint64_t path, const char *between, char *out,
                                 size_t room);

/* The waiting of a row of calls, as far as it is known; NULL: nothing is. */
const struct rc_profile_wait *rc_profile_wait_of(const struct rc_profile_thread *thread,
                                                 const struct rc_profile_call *call);

/* The time of all visits of a path, as far as is known: where some were not measured,
 * as long as those that were; but not what is open still.
 */
double rc_profile_path_ns(const struct rc_profile_path *path);

/* How long the thread ran, as far as is known. */
uint64_t rc_profile_thread_ns(const struct rc_profile_thread *thread);

/* The time of threads that the sampler saw, how long they ran in it, and how long they
 * could have run and waited for a processor.
 */
struct rc_profile_ran {
    double seen_ns, ran_ns, waited_ns;
};

struct rc_profile_ran rc_profile_ran_of(const struct rc_profile_thread *thread);

#endif
