/* place.h - which core each rank works on */
#ifndef RC_CAMPAIGN_PLACE_H
#define RC_CAMPAIGN_PLACE_H

#include "campaign/machine.h"

#include <mpi.h>

struct rc_place_setup {
    const struct rc_machine *machine; /* the one that is measured */
    bool simulated; /* it is not this machine: every CPU is allowed, nothing is bound */
    bool smt;       /* hardware threads of a core may each have a worker */
};

struct rc_place {
    size_t cpu;       /* index in rc_machine_cpus() */
    size_t core;      /* index of its core, rc_cpu.unit[RC_SCOPE_CORE] */
    size_t sharing;   /* other ranks of the node on the same core (with smt: CPU) */
    bool by_launcher; /* the launcher had bound this rank to one core already */
};

/* Collective over 'node', the ranks of one node (MPI_COMM_NULL: alone).  A rank
 * that its launcher bound to one core stays there.  The others are spread evenly
 * over the cores that each may use, the least taken first, in hwloc's order, so
 * that shared units (L3, NUMA domain, package) get equally many.  On a real
 * machine each rank is then bound, with its memory.  'remark' is one line for
 * people, the same on all ranks, or "": more ranks than cores, memory that
 * cannot be bound, ...
 */
int rc_place_find(MPI_Comm node, const struct rc_place_setup *setup,
                  struct rc_place *out, char *remark, size_t room,
                  struct rc_error *err);

#endif
