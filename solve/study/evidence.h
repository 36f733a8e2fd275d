/* evidence.h - which nodes are off, by all events together
 *
 * Nodes of one kind have a number in each of many events, such as the median of their
 * readings.  A node is off where its numbers are farther from those of the nodes that
 * are not off than chance explains, over all events: because many are a little off, or
 * because one is very far off.  Events need not be independent of each other.  A "node"
 * may be anything with a number of its own, such as a core.
 */
#ifndef RC_SOLVE_STUDY_EVIDENCE_H
#define RC_SOLVE_STUDY_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event's number on a node. */
struct rc_evidence_cell {
    uint32_t node;
    float value; /* relative, from any middle near the nodes of its event */
    float error; /* standard error of the value by the node's own readings */
};

/* The events that one process holds.  All but 'nodes' starts zeroed. */
struct rc_evidence {
    size_t nodes;
    struct rc_evidence_cell *cell; /* event after event */
    size_t cells, cell_room;
    size_t *end; /* [event] end of its cells */
    size_t events, event_room;
};

/* Adds an event of different nodes; -1: no memory. */
int rc_evidence_add(struct rc_evidence *evidence, const double *value,
                    const double *error, const uint32_t *node, size_t count);
void rc_evidence_fini(struct rc_evidence *evidence);

/* Sums, and maxima, over processes that hold other events of the same nodes; NULL:
 * there is one process.
 */
struct rc_evidence_team {
    void (*sum)(void *arg, int64_t *number, size_t count);
    void (*most)(void *arg, int64_t *number, size_t count);
    void *arg;
};

/* Bytes of zeroed memory that rc_evidence_judge() needs. */
size_t rc_evidence_room(const struct rc_evidence *evidence);

/* Fills p for each node: the probability that chance makes any of so many nodes, none
 * of which is off, as far off.  Differences that are small against 'least' (relative)
 * count for little.  'apart' marks nodes with which the others are not compared.
 * Collective over the team, with the same result everywhere.
 */
void rc_evidence_judge(const struct rc_evidence *evidence, double least,
                       const struct rc_evidence_team *team, void *room, double *p,
                       bool *apart);

#endif
