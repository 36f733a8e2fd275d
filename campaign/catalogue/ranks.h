/* ranks.h - the ranks of a job that work, their nodes, kinds and places */
#ifndef RC_CAMPAIGN_CATALOGUE_RANKS_H
#define RC_CAMPAIGN_CATALOGUE_RANKS_H

#include "campaign/catalogue/catalogue.h"
#include "campaign/machine/binding.h"
#include "campaign/machine/nodes.h"

/* A job, as one rank of it sees it. */
struct rc_ranks {
    MPI_Comm comm;         /* borrowed: the job */
    MPI_Comm kind;         /* the ranks of this rank's kind; rank 0 speaks for it */
    MPI_Comm node;         /* the ranks of this rank's node */
    struct rc_nodes nodes; /* of the job, the same on all ranks */
    struct rc_kinds kinds; /* likewise; its 'leaders' are of this rank's kind */
    struct rc_catalogue *catalogue; /* every rank's own, without trials */
    struct rc_binding place;        /* the core that this rank is bound to */
    struct rc_cpu cpu;              /* its processing unit */

    /* The unit of each scope to which this rank belongs; 0, for the whole node, if the
     * machine has none of that scope.
     */
    size_t unit[RC_SCOPE_COUNT];
    bool reads[RC_SCOPE_COUNT]; /* it is the lowest rank of the node in that unit */
    char remark[512];           /* of the placement, or "" */
};

/* Collective over 'comm' (or alone): opens the catalogue on every rank, sorts the
 * nodes into kinds and gives each rank its place.  rc_ranks_fini() in any case; it
 * is collective too.
 */
int rc_ranks_init(MPI_Comm comm, const struct rc_spec *spec, struct rc_ranks *out,
                  struct rc_error *err);
void rc_ranks_fini(struct rc_ranks *ranks); /* accepts a zeroed one */

/* The place of a unit that is repeated on each node or core, for this rank; else "". */
enum { RC_PLACE_LABEL = RC_NODE_NAME + 32 };
const char *rc_ranks_label(const struct rc_ranks *ranks, enum rc_replicate replicate,
                           enum rc_scope reach, char out[RC_PLACE_LABEL]);

#endif
