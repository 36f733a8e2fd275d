/* evidence.h - which nodes are off, by all events together
 *
 * Nodes of one kind have a number in each of many events, such as the median of their
 * readings.  A node is off where its numbers are farther from those of the nodes that
 * are not off than chance explains, over all events: by their number (many that are a
 * little off) or by the farthest (one that is very far off).  Events need not be
 * independent of each other.  "Node" is whatever has a number of its own, such as a
 * core.
 */
#ifndef RC_SOLVE_STUDY_EVIDENCE_H
#define RC_SOLVE_STUDY_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event's number on a node. */
struct rc_evidence_cell {
    uint32_t node;
    float value; /* relative, from any middle near to the nodes of its event */
    float error; /* standard error of the value by the node's own readings */
};

/* The events that one process holds.  Starts zeroed but for 'nodes'. */
struct rc_evidence {
    size_t nodes;
    struct rc_evidence_cell *cell; /* event after event */
    size_t cells, cell_room;
    size_t *end; /* [event] of its cells */
    size_t events, event_room;
};

/* Adds an event, whose nodes differ; -1: no memory. */
int rc_evidence_add(struct rc_evidence *evidence, const double *value,
                    const double *error, const uint32_t *node, size_t count);
void rc_evidence_fini(struct rc_evidence *evidence);

/* How processes that hold other events of the same nodes get the sum, and the largest,
 * of what each has; NULL: there is one process.
 */
struct rc_evidence_team {
    void (*sum)(void *arg, int64_t *number, size_t count);
    void (*most)(void *arg, int64_t *number, size_t count);
    void *arg;
};

/* Bytes of zeroed memory that judging takes. */
size_t rc_evidence_room(const struct rc_evidence *evidence);

/* Fills for each node p, the probability that chance makes any of so many nodes, none
 * of which is off, as far off.  Differences that are small against 'least' (relative)
 * count for little.  'apart' says which nodes are left out of those that the others are
 * held against.  Collective over the team, with the same result everywhere.
 */
void rc_evidence_judge(const struct rc_evidence *evidence, double least,
                       const struct rc_evidence_team *team, void *room, double *p,
                       bool *apart);

#endif
