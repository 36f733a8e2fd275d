/* nodes.h - the nodes of a job, and their kinds
 *
 * All of this also works for a process that is alone (MPI_COMM_NULL).
 */
#ifndef RC_CAMPAIGN_MACHINE_NODES_H
#define RC_CAMPAIGN_MACHINE_NODES_H

#include "campaign/base/error.h"
#include "campaign/machine/machine.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

/* One node of a job. */
struct rc_node {
    char name[RC_NODE_NAME]; /* rc_machine_node_name() there */
    int leader;              /* lowest rank on it */
    int ranks;               /* number of ranks on it */
};

/* All nodes of a job, the same on every rank except 'mine' and 'leads'. */
struct rc_nodes {
    MPI_Comm comm;        /* borrowed */
    struct rc_node *node; /* in the order of their leaders' ranks */
    size_t count;
    size_t mine; /* index of this rank's node */
    bool leads;  /* this rank is its node's leader */
};

/* Collective over 'comm'.  Finds the nodes by their names (a batch system's
 * name where there is one).  rc_nodes_fini() after success.
 */
int rc_nodes_find(MPI_Comm comm, struct rc_nodes *out, struct rc_error *err);
void rc_nodes_fini(struct rc_nodes *nodes);

/* One kind, and its nodes. */
struct rc_node_kind {
    struct rc_kind kind;
    size_t *nodes; /* indices of its nodes; the first one speaks for the kind */
    size_t node_count;
};

/* All kinds of a job. */
struct rc_kinds {
    struct rc_node_kind *kind; /* in the order of their first nodes */
    size_t count;
    size_t mine;      /* index of this rank's kind */
    bool speaks;      /* this rank leads the first node of its kind */
    MPI_Comm leaders; /* leaders of this kind's nodes, rank 0 is the speaker;
                       * MPI_COMM_NULL on other ranks and alone */
};

/* Collective.  'kind' is what the leader of a node found; other ranks may pass NULL.
 * rc_kinds_fini() is collective too, and accepts zeroed kinds.
 */
int rc_kinds_sort(const struct rc_nodes *nodes, const struct rc_kind *kind,
                  struct rc_kinds *out, struct rc_error *err);
void rc_kinds_fini(struct rc_kinds *kinds);

/* Collective.  Writes the texts of all kinds' speakers to 'out' on rank 0, in the order
 * of the kinds, separated by 'between'.
 */
void rc_kinds_print(const struct rc_nodes *nodes, const struct rc_kinds *kinds,
                    const char *text, size_t bytes, const char *between, FILE *out);

#endif
