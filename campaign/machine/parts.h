/* parts.h - the parts of machine.c that do not depend on hwloc
 *
 * Only for this room. machine.c asks hwloc and leaves plain data here; the others work
 * on that.
 */
#ifndef RC_CAMPAIGN_MACHINE_PARTS_H
#define RC_CAMPAIGN_MACHINE_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/machine/machine.h"

/* The kernel's own limit.  A description with more is refused as a mistake before hwloc
 * spends minutes on it.
 */
#define RC_MACHINE_CPUS_MAX 8192
#define RC_MACHINE_XML_MAX ((size_t)64 << 20) /* of a file */

/* A cache that a core reaches, as hwloc describes it. */
struct rc_cache {
    uint64_t bytes; /* 0: there is none */
    uint32_t line_bytes;
    int ways; /* 0 unknown, -1 fully associative */
};

/* The units of one scope. */
struct rc_unit_list {
    struct rc_unit *unit;
    uint32_t *members; /* the CPUs of all units, unit by unit */
    size_t count;      /* of 'unit' */
};

struct hwloc_topology;

/* The machine that machine.h hides. */
struct rc_machine {
    struct hwloc_topology *topology; /* only for machine.c */
    bool this_system;                /* it is of this machine: CPUs can be bound */
    struct rc_arena arena;           /* of all arrays and strings */
    struct rc_cpu *cpus;             /* in hwloc's logical order */
    size_t cpu_count;
    struct rc_unit_list units[RC_SCOPE_COUNT];

    struct rc_cpu_model model;
    struct rc_geometry geometry;
    const char *shape, *core_types; /* the lines that machine.h describes */
};

/* Refuses a synthetic description that is empty or has more objects than a node can
 * have. hwloc finds all other mistakes.
 */
int rc_machine_check_synthetic(const char *text, struct rc_error *err);

/* Types of cores found so far, in order. */
#define RC_CORE_TYPES_MAX 16
struct rc_core_types {
    const char *word[RC_CORE_TYPES_MAX];
    size_t count;
};

/* The number of the type, which is added if it is new. */
uint8_t rc_core_types_index(struct rc_core_types *types, const char *word);

/* Makes the line for rc_machine_core_types() in machine->core_types. */
void rc_machine_tell_core_types(struct rc_machine *machine,
                                const struct rc_core_types *types);

/* Fills the units of all scopes from the units that the CPUs name; sets the CPUs'
 * 'first_of_core' from 'allowed' and the core.
 */
int rc_machine_fill_units(struct rc_machine *machine,
                          const size_t counts[RC_SCOPE_COUNT], struct rc_error *err);

/* Geometry of one core from its caches (bytes 0: there is none) and of the pages from
 * their sizes.  Unknown values are taken from rc_request_default.geometry.
 */
struct rc_core_caches {
    struct rc_cache l1d, l1i, l2, l3;
};
void rc_machine_set_geometry(struct rc_machine *machine, size_t cpu,
                             const struct rc_core_caches *caches);
void rc_machine_set_pages(struct rc_geometry *geometry, const uint64_t *bytes,
                          size_t count);

/* hwloc's words about family, model and stepping; NULL: not there. */
struct rc_machine_words {
    const char *vendor, *name, *family, *model, *stepping; /* x86 */
    const char *implementer, *part, *variant;              /* ARM */
    const char *revision;                                  /* ARM and POWER */
    const char *midr; /* ARM: that register from the kernel, where hwloc has no words */
    const char *platform;
};

/* The strings of the result are those of 'words' or constants. */
struct rc_cpu_model rc_machine_model_of(const struct rc_machine_words *words,
                                        const char *architecture);

#endif
