#include "campaign/catalogue/ranks.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void split(struct rc_crew *crew)
{
    int rank = rc_team_rank(crew->comm);

    if (crew->comm == MPI_COMM_NULL)
        return;
    MPI_Comm_split(crew->comm, (int)crew->kinds.mine, rank, &crew->kind);
    MPI_Comm_split(crew->comm, (int)crew->nodes.mine, rank, &crew->node);
}

static void find_units(struct rc_crew *crew)
{
    for (int s = 0; s < RC_SCOPE_COUNT; s++)
        crew->unit[s] = s < RC_SCOPE_NODE && crew->cpu.unit[s] != RC_NO_UNIT
                            ? crew->cpu.unit[s]
                            : 0;
}

/* The lowest rank of each unit reads for it. */
static int find_readers(struct rc_crew *crew, struct rc_error *err)
{
    int size = rc_team_size(crew->node), rank = rc_team_rank(crew->node);
    size_t *all = rc_calloc((size_t)size * RC_SCOPE_COUNT, sizeof *all);
    int status =
        all ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for %d workers", size);

    status = rc_agree(crew->node, status, err);
    if (status != RC_OK)
        goto out;
    if (crew->node == MPI_COMM_NULL)
        memcpy(all, crew->unit, sizeof crew->unit);
    else
        MPI_Allgather(crew->unit, sizeof crew->unit, MPI_BYTE, all, sizeof crew->unit,
                      MPI_BYTE, crew->node);
    for (int s = 0; s < RC_SCOPE_COUNT; s++) {
        crew->reads[s] = true;
        for (int i = 0; i < rank; i++)
            crew->reads[s] &=
                all[(size_t)i * RC_SCOPE_COUNT + (size_t)s] != crew->unit[s];
    }
out:
    free(all);
    return status;
}

static int find_place(struct rc_crew *crew, const struct rc_spec *spec,
                      struct rc_error *err)
{
    const struct rc_place_setup setup = {.machine = crew->catalogue->machine,
                                         .simulated =
                                             rc_catalogue_simulated(crew->catalogue),
                                         .smt = spec->smt};
    size_t cpus;
    int status = rc_place_find(crew->node, &setup, &crew->place, crew->remark,
                               sizeof crew->remark, err);

    if (status != RC_OK)
        return status;
    crew->cpu = rc_machine_cpus(crew->catalogue->machine, &cpus)[crew->place.cpu];
    find_units(crew);
    return find_readers(crew, err);
}

int rc_crew_init(MPI_Comm comm, const struct rc_spec *spec, struct rc_crew *out,
                 struct rc_error *err)
{
    *out = (struct rc_crew){.comm = comm, .kind = MPI_COMM_NULL, .node = MPI_COMM_NULL};
    out->kinds.leaders = MPI_COMM_NULL;
    int status = rc_nodes_find(comm, &out->nodes, err);
    if (status != RC_OK)
        return status;
    status = rc_catalogue_open(spec, false, &out->catalogue, err);
    status = rc_agree(comm, status, err);
    if (status == RC_OK)
        status = rc_kinds_sort(&out->nodes, &out->catalogue->kind, &out->kinds, err);
    if (status != RC_OK)
        return status;
    split(out);
    return rc_agree(comm, find_place(out, spec, err), err);
}

void rc_crew_fini(struct rc_crew *crew)
{
    if (crew->kind != MPI_COMM_NULL && crew->kinds.count)
        MPI_Comm_free(&crew->kind);
    if (crew->node != MPI_COMM_NULL && crew->kinds.count)
        MPI_Comm_free(&crew->node);
    rc_kinds_fini(&crew->kinds);
    rc_nodes_fini(&crew->nodes);
    rc_catalogue_close(crew->catalogue);
    *crew = (struct rc_crew){.comm = MPI_COMM_NULL};
}

const char *rc_crew_label(const struct rc_crew *crew, enum rc_replicate replicate,
                          enum rc_scope reach, char out[RC_PLACE_LABEL])
{
    const char *node = crew->nodes.node[crew->nodes.mine].name;

    out[0] = 0;
    if (replicate == RC_REPLICATE_NODE ||
        (replicate == RC_REPLICATE_CORE && reach >= RC_SCOPE_NODE))
        snprintf(out, RC_PLACE_LABEL, "%s", node);
    else if (replicate == RC_REPLICATE_CORE)
        snprintf(out, RC_PLACE_LABEL, "%s %s %zu", node, rc_scope_name(reach),
                 crew->unit[reach]);
    return out;
}
