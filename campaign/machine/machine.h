/* machine.h - the machine: topology, caches, shared units, binding, kind
 *
 * Only this room uses hwloc.
 */
#ifndef RC_CAMPAIGN_MACHINE_MACHINE_H
#define RC_CAMPAIGN_MACHINE_MACHINE_H

#include "campaign/base/error.h"
#include "campaign/base/words.h"
#include "kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RC_NO_UNIT UINT32_MAX

/* One processing unit (hardware thread) of the whole machine, allowed or not.  They are
 * in hwloc's logical order: those of a core, a cache, a package are neighbours,
 * whatever numbers the kernel gave them.
 *
 * Every CPU has a core, a package and a node: without core objects each CPU is a core
 * of its own, without package objects the machine is one package.  Its NUMA domain is
 * the nearest one; of several at the same place, that of the ordinary memory, not of
 * the fast or the far one.
 */
struct rc_cpu {
    uint32_t os_index;             /* the kernel's number */
    uint32_t unit[RC_SCOPE_COUNT]; /* by scope: index of its unit; RC_NO_UNIT: none */
    bool allowed;       /* by the batch system and cgroup, and (on this machine) by the
                         * affinity of the calling thread when the machine was opened */
    bool first_of_core; /* the lowest allowed one of its core */
    uint8_t core_type;  /* 0: the most economical type; faster ones are higher */
};

/* A shared unit: an L2, an L3, a NUMA domain, a package, the node; for RC_SCOPE_CORE
 * the core itself.  Its CPUs are those that name it in 'unit', in their order.  A NUMA
 * domain that is nearest to no CPU (memory of GPUs, CXL, high bandwidth beside ordinary
 * memory) has none.
 */
struct rc_unit {
    uint32_t os_index;         /* the kernel's number, RC_NO_UNIT if it gives none */
    const uint32_t *cpus;      /* indices into the array of CPUs */
    size_t cpu_count;          /* allowed ones and others */
    size_t core_count;         /* cores of these CPUs */
    size_t allowed_core_count; /* cores with an allowed CPU */
};

struct rc_machine;

enum rc_machine_from {
    RC_MACHINE_THIS,      /* the machine this process runs on; 'what' is NULL */
    RC_MACHINE_XML,       /* a file as written by lstopo */
    RC_MACHINE_SYNTHETIC, /* hwloc's synthetic description */
};

/* On success the caller owns *out and must rc_machine_close() it; on failure *out is
 * NULL.  Files and descriptions may come from anybody: wrong ones are RC_EUSAGE.  Open
 * this machine before binding to a part of it.
 */
int rc_machine_open(enum rc_machine_from from, const char *what,
                    struct rc_machine **out, struct rc_error *err);
void rc_machine_close(struct rc_machine *machine); /* accepts NULL */

/* All results below are borrowed from the machine.  An index past the end gives NULL.
 */
const struct rc_cpu *rc_machine_cpus(const struct rc_machine *machine, size_t *count);
size_t rc_machine_unit_count(const struct rc_machine *machine, enum rc_scope scope);
const struct rc_unit *rc_machine_unit(const struct rc_machine *machine,
                                      enum rc_scope scope, size_t index);

/* The processor as text; "" and -1 where the machine does not say.  ARM: vendor
 * by implementer, model is the part, stepping is variant * 256 + revision.
 * POWER: model and stepping are the halves of the PVR.
 */
struct rc_cpu_model {
    const char *vendor, *name; /* "GenuineIntel", the marketing name */
    const char *architecture;  /* "x86_64" */
    int family, model, stepping;
};
struct rc_cpu_model rc_machine_cpu_model(const struct rc_machine *machine);

/* Topology shape as one line: equal on machines built alike, whatever part of them a
 * batch system allows, e.g. "package:2 numa:8 l3:8 l2:64 core:64 pu:128
 * form:0123456789abcdef".  The last word is a digest of the tree, with the sizes of the
 * caches but not those of the memories.
 */
const char *rc_machine_shape(const struct rc_machine *machine);

/* Types of cores and their numbers, from type 0 up, such as "IntelAtom:8 IntelCore:6";
 * "" if all are of one type.
 */
const char *rc_machine_core_types(const struct rc_machine *machine);

/* Sizes by which suites choose their points: the caches that one core of the fastest
 * type has while the others of its units are quiet.  An L3 that spans several NUMA
 * domains counts with the part of the core's own domain.  Sizes that the machine does
 * not give are as in rc_request_default.geometry; docs/machine.md has the rules.
 */
struct rc_geometry rc_machine_geometry(const struct rc_machine *machine);

/* A kind: nodes with the same CPU, shape and counter set.  'key' says it in full;
 * 'name' is short, made of [a-z0-9-] and a '+', and is stable over runs: it names
 * groups and files.  Before the '+' comes the machine with a digest of its part of the
 * key, after it a digest of its set of counters, which depends on the sources.
 * 'simulated' is a simulated machine's name, else NULL.
 */
struct rc_kind {
    char name[64];
    char key[1024];
};
void rc_machine_kind(const struct rc_machine *machine, const char *simulated,
                     const char *counter_set, struct rc_kind *out);

/* Writes the first part of 'key' that is not in the key of another kind: a whole
 * "LABEL=VALUE" if it is short, else from the first word on that differs.
 */
#define RC_KIND_PART 160
void rc_machine_kind_part(const char *key, const char *other, char out[RC_KIND_PART]);

/* Removes the set of counters from the name. */
void rc_machine_kind_only(struct rc_kind *kind);

/* Binds the calling thread to one CPU (index into the array of CPUs), and its memory to
 * the NUMA domain of that CPU if the system can.  Only for RC_MACHINE_THIS; RC_EPERM
 * where the CPU is not allowed.
 */
int rc_machine_bind(const struct rc_machine *machine, size_t cpu, struct rc_error *err);

/* Binds only the memory; fails if it cannot be bound, unlike rc_machine_bind(). */
int rc_machine_bind_memory(const struct rc_machine *machine, size_t cpu,
                           struct rc_error *err);

#define RC_NODE_NAME 114

/* Name of the node this process runs on: the batch system's, else the host's.  Fit for
 * a file name: [A-Za-z0-9._-], not empty, no '.' or '-' in front, at most RC_NODE_NAME
 * bytes with its 0; if that took a change, a digest keeps different names apart.  The
 * buffer is the function's own; each call fills it again.
 */
const char *rc_machine_node_name(void);

#endif
