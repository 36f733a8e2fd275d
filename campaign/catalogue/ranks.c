/* Finds the node, kind and core of each rank of a job, and opens the kind's catalogue.
 *
 * Every rank opens the sources itself, since counters belong to a process; the events
 * are tried later, by one rank of each kind (plan/).
 */
#include "campaign/catalogue/ranks.h"

#include "campaign/base/agree.h"

#include <stdlib.h>
#include <string.h>

/* Collective over the node.  The lowest rank of each unit reads for it. */
static int find_readers(struct rc_ranks *ranks, struct rc_error *err)
{
    int size = rc_team_size(ranks->node), rank = rc_team_rank(ranks->node);
    size_t *all = rc_calloc((size_t)size * RC_SCOPE_COUNT, sizeof *all);
    int status =
        all ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for %d workers", size);

    if ((status = rc_agree(ranks->node, status, err)) != RC_OK)
        goto out;
    if (ranks->node == MPI_COMM_NULL)
        memcpy(all, ranks->unit, sizeof ranks->unit);
    else
        MPI_Allgather(ranks->unit, sizeof ranks->unit, MPI_BYTE, all,
                      sizeof ranks->unit, MPI_BYTE, ranks->node);
    for (int s = 0; s < RC_SCOPE_COUNT; s++) {
        ranks->reads[s] = true;
        for (int i = 0; i < rank; i++)
            ranks->reads[s] &=
                all[(size_t)i * RC_SCOPE_COUNT + (size_t)s] != ranks->unit[s];
    }
out:
    free(all);
    return status;
}

/* Refuses a rank that sees another machine than the first one of its node: what that
 * one's sources count is planned for all ranks of the node.
 */
static int check_machine(const struct rc_ranks *ranks, struct rc_error *err)
{
    const struct rc_node *node = &ranks->nodes.node[ranks->nodes.mine];
    const char *key = ranks->catalogue->kind.key;
    const char *first = ranks->kinds.kind[ranks->kinds.mine].kind.key;
    char found[RC_KIND_PART], expected[RC_KIND_PART];

    if (strcmp(key, first) == 0)
        return RC_OK;
    rc_machine_kind_part(key, first, found);
    rc_machine_kind_part(first, key, expected);
    return rc_fail(err, RC_ECONFLICT,
                   "this rank does not see the same machine as rank %d of node %s: "
                   "found '%s', expected '%s'; all ranks of a node need the same "
                   "sources and machine files",
                   node->leader, node->name, found, expected);
}

/* Collective over the node: binds this rank to a core of its own. */
static int find_place(struct rc_ranks *ranks, const struct rc_spec *spec,
                      struct rc_error *err)
{
    const struct rc_binding_setup setup = {.machine = ranks->catalogue->machine,
                                           .simulated =
                                               rc_catalogue_simulated(ranks->catalogue),
                                           .smt = spec->smt};
    size_t cpus;
    int status = rc_binding_find(ranks->node, &setup, &ranks->place, ranks->remark,
                                 sizeof ranks->remark, err);

    if (status != RC_OK)
        return status;
    ranks->cpu = rc_machine_cpus(ranks->catalogue->machine, &cpus)[ranks->place.cpu];
    for (int s = 0; s < RC_SCOPE_COUNT; s++)
        ranks->unit[s] = s < RC_SCOPE_NODE && ranks->cpu.unit[s] != RC_NO_UNIT
                             ? ranks->cpu.unit[s]
                             : 0;
    return find_readers(ranks, err);
}

int rc_ranks_init(MPI_Comm comm, const struct rc_spec *spec, struct rc_ranks *out,
                  struct rc_error *err)
{
    *out =
        (struct rc_ranks){.comm = comm, .kind = MPI_COMM_NULL, .node = MPI_COMM_NULL};
    out->kinds.leaders = MPI_COMM_NULL;
    int status = rc_nodes_find(comm, &out->nodes, err);
    if (status != RC_OK)
        return status;
    status = rc_catalogue_open(spec, false, &out->catalogue, err);
    if ((status = rc_agree(comm, status, err)) != RC_OK ||
        (status = rc_kinds_sort(&out->nodes, &out->catalogue->kind, &out->kinds,
                                err)) != RC_OK ||
        (status = rc_agree(comm, check_machine(out, err), err)) != RC_OK)
        return status;
    if (comm != MPI_COMM_NULL) {
        const int rank = rc_team_rank(comm);
        MPI_Comm_split(comm, (int)out->kinds.mine, rank, &out->kind);
        MPI_Comm_split(comm, (int)out->nodes.mine, rank, &out->node);
    }
    if ((status = rc_agree(comm, find_place(out, spec, err), err)) != RC_OK)
        return status;
    /* A worker of a team has a core of its own, and teams are the same on all nodes. */
    uint64_t cores = out->reads[RC_SCOPE_CORE];
    rc_team_sum(out->node, &cores, 1);
    rc_team_reduce(out->kind, &cores, 1, MPI_UINT64_T, MPI_MIN);
    out->catalogue->workers = (uint32_t)cores;
    return RC_OK;
}

void rc_ranks_fini(struct rc_ranks *ranks)
{
    if (ranks->kind != MPI_COMM_NULL && ranks->kinds.count)
        MPI_Comm_free(&ranks->kind);
    if (ranks->node != MPI_COMM_NULL && ranks->kinds.count)
        MPI_Comm_free(&ranks->node);
    rc_kinds_fini(&ranks->kinds);
    rc_nodes_fini(&ranks->nodes);
    rc_catalogue_close(ranks->catalogue);
    *ranks = (struct rc_ranks){.comm = MPI_COMM_NULL};
}

const char *rc_ranks_label(const struct rc_ranks *ranks, enum rc_replicate replicate,
                           enum rc_scope reach, char out[RC_PLACE_LABEL])
{
    const char *node = ranks->nodes.node[ranks->nodes.mine].name;

    out[0] = 0;
    if (replicate == RC_REPLICATE_NODE ||
        (replicate == RC_REPLICATE_CORE && reach >= RC_SCOPE_NODE))
        snprintf(out, RC_PLACE_LABEL, "%s", node);
    else if (replicate == RC_REPLICATE_CORE)
        snprintf(out, RC_PLACE_LABEL, "%s %s %zu", node, rc_scope_name(reach),
                 ranks->unit[reach]);
    return out;
}
