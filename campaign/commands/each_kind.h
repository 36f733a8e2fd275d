/* each_kind.h - one answer for each kind of machine, and the nodes that differ
 *
 * Commands that examine nodes (doctor, events, plan) share this flow: the leader of
 * each node looks, nodes are sorted into kinds, nodes of one kind are compared with the
 * first of them, which speaks for the kind, and rank 0 prints the speakers' texts.
 */
#ifndef RC_CAMPAIGN_COMMANDS_EACH_KIND_H
#define RC_CAMPAIGN_COMMANDS_EACH_KIND_H

#include "campaign/base/error.h"
#include "campaign/machine/nodes.h"

#include <stddef.h>
#include <stdio.h>

/* The speaker's data for rendering. */
struct rc_each_kind_view {
    const struct rc_nodes *nodes;    /* all nodes of the job */
    const struct rc_node_kind *kind; /* the speaker's, with the numbers of its nodes */
    const char *differences;         /* a line for each node that differs, or "" */
};

/* The command's part. */
struct rc_each_kind {
    void *context; /* the caller's, of this rank: passed on to all of these */

    /* On node leaders: examines this node and sets its kind. */
    int (*look)(void *context, struct rc_kind *kind, struct rc_error *err);

    /* Answers by which nodes of one kind are compared, each with a name and a value;
     * 'values' has the values' words.  Returns the value of an answer; -1: there are no
     * more.
     */
    int (*answer)(void *context, size_t index, const char **name);
    const char *const *values;

    /* On speakers: writes the kind's part. */
    int (*render)(void *context, const struct rc_each_kind_view *view, FILE *out,
                  struct rc_error *err);

    uint32_t *
        ranks; /* gets the fewest ranks of a node before any looks; NULL: nobody asks */

    /* Shown for people meanwhile, "trying events"; NULL: nothing. */
    const char *doing;

    /* Written by rank 0 around and between the parts. */
    const char *before, *between, *after;
};

/* Collective over 'comm' (or alone).  Results go to 'out' on rank 0. */
int rc_each_kind_run(MPI_Comm comm, const struct rc_each_kind *each_kind, FILE *out,
                     struct rc_error *err);

/* The nodes of a kind as text: "on node n1", "on 64 nodes: n1, n2, ..., n8, ...". */
const char *rc_each_kind_nodes(const struct rc_each_kind_view *view, char *out,
                               size_t room);

#endif
