/* binding.h - which core each rank works on */
#ifndef RC_CAMPAIGN_MACHINE_BINDING_H
#define RC_CAMPAIGN_MACHINE_BINDING_H

#include "campaign/machine/machine.h"

#include <mpi.h>

struct rc_binding_setup {
    const struct rc_machine *machine; /* that is measured */
    bool simulated; /* of another machine: every CPU is allowed, nothing is bound */
    bool smt;       /* hardware threads of a core may each have a worker */

    /* By CPU: whether this rank may use it.  NULL: as the machine says, which knows the
     * launcher's binding; in a simulation all.
     */
    const bool *allowed;
};

struct rc_binding {
    size_t cpu;     /* index in rc_machine_cpus() */
    size_t core;    /* index of its core, rc_cpu.unit[RC_SCOPE_CORE] */
    size_t sharing; /* other ranks of the node on the same core (with smt: CPU) */
};

/* Collective over 'node', the ranks of one node (MPI_COMM_NULL: alone), and the same
 * for the same input.  A rank that its launcher bound to one core stays there.  The
 * others are spread evenly over the cores that each may use: ranks that may use the
 * fewest choose first, and each takes the core with the fewest ranks; among those, one
 * of the fastest type; then one whose package, NUMA domain, L3 and L2 have the fewest
 * ranks; then the first in hwloc's order.
 *
 * On a real machine each rank is then bound, with its memory; a rank that cannot be
 * bound to its CPU is an error, since its readings would name a wrong place.
 * RC_ECONFLICT: the ranks do not see the same machine.  'remark' is one line for
 * people, the same on all ranks, or "": more ranks than cores, cores of several types,
 * memory that cannot be bound.
 */
int rc_binding_find(MPI_Comm node, const struct rc_binding_setup *setup,
                    struct rc_binding *out, char *remark, size_t room,
                    struct rc_error *err);

#endif
