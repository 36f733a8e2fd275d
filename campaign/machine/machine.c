/* The topology of a machine, read with hwloc, and binding to its parts.
 *
 * Only this file calls hwloc.  It fills plain arrays (CPUs, units, caches, geometry),
 * on which the other files of the room work.  hwloc differs between versions and
 * systems; the arrays must not, since the shape is a part of a kind's key and stays in
 * files.
 */
#include "campaign/machine/parts.h"

#include "campaign/base/files/file.h"
#include "campaign/base/memory.h"
#include "campaign/base/sandbox.h"
#include "campaign/base/text.h"

#include <hwloc.h>
#include <hwloc/plugins.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Numbers may have gaps, but none as wide as this. */
#define CPU_NUMBER_MAX 1048575

enum { TRY_S = 20 }; /* for hwloc to read a file */

/* Loads the topology; input.c checks descriptions before hwloc sees them. */
static int load_topology(hwloc_topology_t topology, enum rc_machine_from from,
                         const char *what, struct rc_error *err)
{
    char *text = NULL;
    size_t bytes;
    int status = RC_OK;

    switch (from) {
    case RC_MACHINE_THIS:
        if (hwloc_topology_load(topology))
            return rc_fail_errno(err, "hwloc cannot read the topology of this machine");
        return RC_OK;
    case RC_MACHINE_XML:
        if ((status = rc_file_read(what, RC_FILE_GIVEN, RC_MACHINE_XML_MAX, &text,
                                   &bytes, err)) != RC_OK)
            return status;
        if (hwloc_topology_set_xmlbuffer(topology, text, (int)bytes + 1) ||
            hwloc_topology_load(topology))
            status = rc_fail(
                err, RC_EUSAGE,
                "'%s' does not describe a machine, expected hwloc XML as written "
                "by lstopo",
                what);
        free(text);
        return status;
    case RC_MACHINE_SYNTHETIC:
        if ((status = rc_machine_check_synthetic(what, err)) != RC_OK)
            return status;
        if (hwloc_topology_set_synthetic(topology, what) ||
            hwloc_topology_load(topology))
            return rc_fail(err, RC_EUSAGE,
                           "'%s' is not a synthetic description of a machine, expected "
                           "one such as \"package:2 l3:4 core:8 pu:2\"",
                           what);
        return RC_OK;
    }
    return status;
}

static hwloc_obj_t ancestor(hwloc_obj_t obj, hwloc_obj_type_t type)
{
    while (obj && obj->type != type)
        obj = obj->parent;
    return obj;
}

static uint32_t index_of(hwloc_obj_t obj)
{
    return obj ? obj->logical_index : RC_NO_UNIT;
}

/* The first memory at the nearest object above 'pu'; of several there, hwloc puts the
 * ordinary one before the fast and the far ones.  A memory child is a NUMA node, or a
 * memory-side cache that holds one; memories to which 'pu' is not local (of GPUs, CXL)
 * are left out.
 */
static hwloc_obj_t nearest_memory(hwloc_obj_t pu)
{
    for (hwloc_obj_t obj = pu; obj; obj = obj->parent)
        for (hwloc_obj_t m = obj->memory_first_child; m; m = m->next_sibling) {
            hwloc_obj_t node = m;
            while (node && node->type != HWLOC_OBJ_NUMANODE)
                node = node->memory_first_child;
            if (node && hwloc_bitmap_isset(node->cpuset, pu->os_index))
                return node;
        }
    return NULL;
}

static size_t object_count(const struct rc_machine *machine, hwloc_obj_type_t type)
{
    int count = hwloc_get_nbobjs_by_type(machine->topology, type);

    return count > 0 ? (size_t)count : 0;
}

static hwloc_obj_t object(const struct rc_machine *machine, hwloc_obj_type_t type,
                          size_t index)
{
    return hwloc_get_obj_by_type(machine->topology, type, (unsigned)index);
}

/* The objects for the units of a scope; there may be no cores. */
static const hwloc_obj_type_t objects_of[] = {
    [RC_SCOPE_CORE] = HWLOC_OBJ_CORE,       [RC_SCOPE_L2] = HWLOC_OBJ_L2CACHE,
    [RC_SCOPE_L3] = HWLOC_OBJ_L3CACHE,      [RC_SCOPE_NUMA] = HWLOC_OBJ_NUMANODE,
    [RC_SCOPE_PACKAGE] = HWLOC_OBJ_PACKAGE, [RC_SCOPE_NODE] = HWLOC_OBJ_MACHINE,
};

/* Fills in the places of the CPUs in the tree, and returns the number of cores.  CPUs
 * without a core object are cores of their own. hwloc numbers processing units so that
 * those of a core follow each other.
 */
static size_t place_cpus(struct rc_machine *machine)
{
    bool packages = object_count(machine, HWLOC_OBJ_PACKAGE) > 0;
    hwloc_obj_t last = NULL;
    size_t cores = 0;

    for (size_t i = 0; i < machine->cpu_count; i++) {
        hwloc_obj_t pu = object(machine, HWLOC_OBJ_PU, i);
        hwloc_obj_t core = ancestor(pu, HWLOC_OBJ_CORE);
        struct rc_cpu *cpu = &machine->cpus[i];
        cores += !core || core != last;
        last = core;
        cpu->os_index = pu->os_index;
        cpu->unit[RC_SCOPE_CORE] = (uint32_t)(cores - 1);
        cpu->unit[RC_SCOPE_L2] = index_of(ancestor(pu, HWLOC_OBJ_L2CACHE));
        cpu->unit[RC_SCOPE_L3] = index_of(ancestor(pu, HWLOC_OBJ_L3CACHE));
        cpu->unit[RC_SCOPE_NUMA] = index_of(nearest_memory(pu));
        cpu->unit[RC_SCOPE_PACKAGE] =
            packages ? index_of(ancestor(pu, HWLOC_OBJ_PACKAGE)) : 0;
        cpu->unit[RC_SCOPE_NODE] = 0;
        cpu->unit[RC_SCOPE_DEVICE] = RC_NO_UNIT;
    }
    return cores;
}

/* Marks the CPUs that this process may use: those of the batch system and the cgroup,
 * as hwloc knows them, and those of the launcher, which is the calling thread's
 * affinity.  The latter means something only on this very machine.
 */
static int mark_allowed(struct rc_machine *machine, struct rc_error *err)
{
    hwloc_bitmap_t allowed =
        hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(machine->topology));
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    int status = RC_OK;

    if (!allowed || !bound) {
        status = rc_fail(err, RC_ENOMEM, "no memory for a set of CPUs");
        goto out;
    }
    if (machine->this_system &&
        hwloc_get_cpubind(machine->topology, bound, HWLOC_CPUBIND_THREAD) == 0)
        hwloc_bitmap_and(allowed, allowed, bound);
    for (size_t i = 0; i < machine->cpu_count; i++)
        machine->cpus[i].allowed =
            hwloc_bitmap_isset(allowed, machine->cpus[i].os_index);
out:
    hwloc_bitmap_free(allowed);
    hwloc_bitmap_free(bound);
    return status;
}

/* Sets the CPUs' types of cores. hwloc numbers types from the most efficient to the
 * fastest.
 */
static int find_core_types(struct rc_machine *machine, struct rc_error *err)
{
    static const char *const names[] = {"CoreType", "LinuxCapacity"};
    struct rc_core_types types = {.count = 0};
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int kinds = hwloc_cpukinds_get_nr(machine->topology, 0);

    if (!set)
        return rc_fail(err, RC_ENOMEM, "no memory for a set of CPUs");
    for (int k = 0; k < kinds; k++) {
        struct hwloc_info_s *infos;
        unsigned info_count;
        if (hwloc_cpukinds_get_info(machine->topology, (unsigned)k, set, NULL,
                                    &info_count, &infos, 0))
            continue;
        /* hwloc also distinguishes cores by their highest frequency, which differs
         * between cores of one type.
         */
        const char *word = "";
        for (size_t n = 0; n < sizeof names / sizeof *names && !*word; n++)
            for (unsigned i = 0; i < info_count && !*word; i++)
                if (strcmp(infos[i].name, names[n]) == 0)
                    word = infos[i].value;
        uint8_t type = rc_core_types_index(&types, word);
        for (size_t i = 0; i < machine->cpu_count; i++)
            if (hwloc_bitmap_isset(set, machine->cpus[i].os_index))
                machine->cpus[i].core_type = type;
    }
    hwloc_bitmap_free(set);
    rc_machine_tell_core_types(machine, &types);
    return RC_OK;
}

/* Lists the units of all scopes, with the kernel's numbers.  A CPU without a core
 * object is a core of its own, whose number is that of the CPU.
 */
static int find_units(struct rc_machine *machine, size_t cores, struct rc_error *err)
{
    size_t counts[RC_SCOPE_COUNT] = {[RC_SCOPE_CORE] = cores};

    for (size_t s = RC_SCOPE_L2; s <= RC_SCOPE_NODE; s++)
        counts[s] = object_count(machine, objects_of[s]);
    if (counts[RC_SCOPE_PACKAGE] == 0)
        counts[RC_SCOPE_PACKAGE] = 1;
    const int status = rc_machine_fill_units(machine, counts, err);
    if (status != RC_OK)
        return status;
    for (size_t s = RC_SCOPE_L2; s <= RC_SCOPE_NODE; s++)
        for (size_t u = 0; u < counts[s]; u++) {
            hwloc_obj_t obj = object(machine, objects_of[s], u);
            machine->units[s].unit[u].os_index =
                obj && s != RC_SCOPE_NODE ? obj->os_index : 0;
        }
    for (size_t i = 0; i < machine->cpu_count; i++) {
        hwloc_obj_t pu = object(machine, HWLOC_OBJ_PU, i);
        hwloc_obj_t core = ancestor(pu, HWLOC_OBJ_CORE);
        machine->units[RC_SCOPE_CORE]
            .unit[machine->cpus[i].unit[RC_SCOPE_CORE]]
            .os_index = core ? core->os_index : pu->os_index;
    }
    return RC_OK;
}

/* The digest of the objects below 'obj'.  Children are summed up, so that it does not
 * depend on their order: nodes of one make differ in the cores that are switched off.
 * Groups are skipped, since hwloc makes them depending on the kernel.  Sizes of
 * memories are left out.  A tree too deep for this recursion was too deep for hwloc's
 * before.
 */
/* NOLINTNEXTLINE(misc-no-recursion) */
static uint64_t digest_of(const struct rc_machine *machine, hwloc_obj_t obj)
{
    uint64_t sum = 0, hash;

    for (hwloc_obj_t c = obj->first_child; c; c = c->next_sibling)
        sum += digest_of(machine, c);
    for (hwloc_obj_t c = obj->memory_first_child; c; c = c->next_sibling)
        sum += digest_of(machine, c);
    if (obj->type == HWLOC_OBJ_GROUP)
        return sum;
    hash = rc_text_hash(hwloc_obj_type_string(obj->type));
    if (hwloc_obj_type_is_cache(obj->type)) {
        const uint64_t cache[] = {obj->attr->cache.size, obj->attr->cache.linesize};
        hash = rc_text_hash_more(hash, cache, sizeof cache);
    }
    if (obj->type == HWLOC_OBJ_PU)
        hash = rc_text_hash_more(hash, &machine->cpus[obj->logical_index].core_type, 1);
    return rc_text_hash_more(hash, &sum, sizeof sum);
}

/* Writes the line that rc_machine_shape() gives: numbers of parts, and the digest. */
static void find_shape(struct rc_machine *machine)
{
    static const struct {
        const char *name;
        hwloc_obj_type_t type;
    } parts[] = {{"package", HWLOC_OBJ_PACKAGE},
                 {"die", HWLOC_OBJ_DIE},
                 {"numa", HWLOC_OBJ_NUMANODE},
                 {"l3", HWLOC_OBJ_L3CACHE},
                 {"l2", HWLOC_OBJ_L2CACHE},
                 {"core", HWLOC_OBJ_CORE},
                 {"pu", HWLOC_OBJ_PU}};
    char text[256] = "";
    hwloc_obj_t root = hwloc_get_root_obj(machine->topology);

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t count = object_count(machine, parts[i].type);
        if (count)
            rc_text_append(text, sizeof text, "%s:%zu ", parts[i].name, count);
    }
    rc_text_append(text, sizeof text, "form:%016llx",
                   (unsigned long long)digest_of(machine, root));
    machine->shape = rc_arena_text(&machine->arena, text);
}

/* hwloc attaches its words to the package, or to the machine if there is no package.
 * They are cut to a sensible length, without blanks at the ends.
 */
static const char *word_of(struct rc_machine *machine, const char *name)
{
    hwloc_obj_t package = object(machine, HWLOC_OBJ_PACKAGE, 0);
    const char *text = NULL;
    char clean[128];

    if (package)
        text = hwloc_obj_get_info_by_name(package, name);
    if (!text)
        text = hwloc_obj_get_info_by_name(hwloc_get_root_obj(machine->topology), name);
    if (!text)
        return NULL;
    rc_text_printable(clean, sizeof clean, text + strspn(text, " \t\n"));
    for (size_t end = strlen(clean); end > 0 && clean[end - 1] == ' '; end--)
        clean[end - 1] = 0;
    return *clean ? rc_arena_text(&machine->arena, clean) : NULL;
}

/* The processor by hwloc's words, or the system's if hwloc has none. */
static void find_model(struct rc_machine *machine)
{
    char midr[32];
    struct rc_machine_words words = {
        .vendor = word_of(machine, "CPUVendor"),
        .name = word_of(machine, "CPUModel"),
        .family = word_of(machine, "CPUFamilyNumber"),
        .model = word_of(machine, "CPUModelNumber"),
        .stepping = word_of(machine, "CPUStepping"),
        .implementer = word_of(machine, "CPUImplementer"),
        .part = word_of(machine, "CPUPart"),
        .variant = word_of(machine, "CPUVariant"),
        .revision = word_of(machine, "CPURevision"),
        .platform = word_of(machine, "PlatformName"),
    };
    const char *architecture = word_of(machine, "Architecture");
    struct utsname system;

    /* hwloc 2.9 has no words for an aarch64 processor. */
    if (machine->this_system &&
        rc_text_first_line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
                           midr, sizeof midr) == 0)
        words.midr = midr;

    if (!architecture && machine->this_system && uname(&system) == 0)
        architecture = rc_arena_text(&machine->arena, system.machine);
    machine->model = rc_machine_model_of(&words, architecture ? architecture : "");
}

/* The caches are those of the first CPU of the fastest type.  Page sizes of this
 * machine come from the system, those of another from the topology's memories.
 */
static void find_geometry(struct rc_machine *machine)
{
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L1ICACHE,
                                             HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE};
    struct rc_cache cache[4] = {{0}};
    size_t first = 0, count = 0;
    uint64_t bytes[16];

    for (size_t i = 1; i < machine->cpu_count; i++)
        if (machine->cpus[i].core_type > machine->cpus[first].core_type)
            first = i;
    hwloc_obj_t pu = object(machine, HWLOC_OBJ_PU, first);
    for (size_t t = 0; t < 4; t++) {
        hwloc_obj_t obj = ancestor(pu, types[t]);
        if (obj)
            cache[t] = (struct rc_cache){.bytes = obj->attr->cache.size,
                                         .line_bytes = obj->attr->cache.linesize,
                                         .ways = obj->attr->cache.associativity};
    }
    const struct rc_core_caches caches = {
        .l1d = cache[0], .l1i = cache[1], .l2 = cache[2], .l3 = cache[3]};
    rc_machine_set_geometry(machine, first, &caches);
    if (machine->this_system)
        return;
    hwloc_obj_t node = nearest_memory(pu);
    for (unsigned i = 0; node && i < node->attr->numanode.page_types_len; i++)
        if (count < sizeof bytes / sizeof bytes[0])
            bytes[count++] = node->attr->numanode.page_types[i].size;
    rc_machine_set_pages(&machine->geometry, bytes, count);
}

/* Turns a loaded topology into the arrays of struct rc_machine. */
static int read_topology(struct rc_machine *machine, struct rc_error *err)
{
    machine->cpu_count = object_count(machine, HWLOC_OBJ_PU);
    if (machine->cpu_count == 0 || machine->cpu_count > RC_MACHINE_CPUS_MAX)
        return rc_fail(err, RC_EUSAGE, "%zu processing units, expected 1 to %d",
                       machine->cpu_count, RC_MACHINE_CPUS_MAX);
    machine->cpus =
        rc_arena_array(&machine->arena, machine->cpu_count, sizeof *machine->cpus);
    int status = rc_arena_check(&machine->arena, err, "the CPUs of a machine");
    if (status != RC_OK)
        return status;
    const size_t cores = place_cpus(machine);
    for (size_t i = 0; i < machine->cpu_count; i++)
        if (machine->cpus[i].os_index > CPU_NUMBER_MAX)
            return rc_fail(err, RC_EUSAGE,
                           "a CPU with number %" PRIu32 ", expected 0 to %d",
                           machine->cpus[i].os_index, CPU_NUMBER_MAX);
    if ((status = mark_allowed(machine, err)) != RC_OK)
        return status;
    if ((status = find_core_types(machine, err)) != RC_OK ||
        (status = find_units(machine, cores, err)) != RC_OK)
        return status;
    find_shape(machine); /* after the types of cores, which it contains */
    find_model(machine);
    find_geometry(machine);
    return rc_arena_check(&machine->arena, err, "the names of a machine");
}

/* The origin of a topology, as in rc_machine_open(). */
struct origin {
    enum rc_machine_from from;
    const char *what;
};

/* As rc_machine_open(), in this process.  Disallowed objects are part of the shape, and
 * hwloc leaves instruction caches out unless asked for. hwloc complains on stderr about
 * odd machines and files, once for each rank, unless a variable forbids it, which it
 * reads once; a user's own setting is respected.
 */
static int open_machine(const struct origin *origin, struct rc_machine **out,
                        struct rc_error *err)
{
    int status;
    const bool ours = !getenv("HWLOC_HIDE_ERRORS");
    struct rc_machine *machine = rc_calloc(1, sizeof *machine);

    *out = NULL;
    if (!machine)
        return rc_fail(err, RC_ENOMEM, "no memory for a machine");
    if (ours)
        setenv("HWLOC_HIDE_ERRORS", "2", 1);
    hwloc_hide_errors();
    if (ours)
        unsetenv("HWLOC_HIDE_ERRORS");
    if (hwloc_topology_init(&machine->topology) ||
        hwloc_topology_set_flags(machine->topology,
                                 HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
        hwloc_topology_set_icache_types_filter(machine->topology,
                                               HWLOC_TYPE_FILTER_KEEP_ALL)) {
        status = rc_fail_errno(err, "hwloc cannot start");
        goto out;
    }
    status = load_topology(machine->topology, origin->from, origin->what, err);
    if (status != RC_OK)
        goto out;
    machine->this_system = origin->from == RC_MACHINE_THIS &&
                           hwloc_topology_is_thissystem(machine->topology);
    status = read_topology(machine, err);
    if (status != RC_OK) {
        if (origin->what)
            rc_error_prefix(err, "'%s': ", origin->what);
        goto out;
    }
    *out = machine;
    machine = NULL;
out:
    rc_machine_close(machine);
    return status;
}

static void try_to_open(const void *origin)
{
    struct rc_machine *machine;

    open_machine(origin, &machine, NULL);
    rc_machine_close(machine);
}

/* hwloc crashes on some files, such as one where an object lacks its
 * complete_cpuset (2.9), so a file is first opened by a child.
 */
int rc_machine_open(enum rc_machine_from from, const char *what,
                    struct rc_machine **out, struct rc_error *err)
{
    const struct origin origin = {from, what};

    *out = NULL;
    if (from == RC_MACHINE_XML &&
        rc_sandbox_run(try_to_open, &origin, TRY_S, NULL) != RC_SURVIVED)
        return rc_fail(err, RC_EUSAGE,
                       "'%s' contradicts itself: hwloc cannot make a machine from it",
                       what);
    return open_machine(&origin, out, err);
}

void rc_machine_close(struct rc_machine *machine)
{
    if (!machine)
        return;
    if (machine->topology)
        hwloc_topology_destroy(machine->topology);
    rc_arena_free(&machine->arena);
    free(machine);
}

/* Refuses a CPU that cannot be bound to, or must not be. */
static int may_bind(const struct rc_machine *machine, size_t cpu, struct rc_error *err)
{
    if (!machine->this_system)
        return rc_fail(
            err, RC_EUNSUPPORTED,
            "cannot bind: the topology is not that of the machine this runs on");
    if (cpu >= machine->cpu_count)
        return rc_fail(err, RC_EMISSING, "cannot bind to CPU number %zu of %zu", cpu,
                       machine->cpu_count);
    if (!machine->cpus[cpu].allowed)
        return rc_fail(err, RC_EPERM,
                       "CPU %u is not among those that the batch system, cgroup or "
                       "launcher gave to this process",
                       machine->cpus[cpu].os_index);
    return RC_OK;
}

int rc_machine_bind_memory(const struct rc_machine *machine, size_t cpu,
                           struct rc_error *err)
{
    int status = may_bind(machine, cpu, err);

    if (status != RC_OK)
        return status;
    hwloc_obj_t node = nearest_memory(object(machine, HWLOC_OBJ_PU, cpu));
    if (!node)
        return rc_fail(err, RC_EMISSING, "CPU %u has no memory of its own",
                       machine->cpus[cpu].os_index);
    if (hwloc_set_membind(machine->topology, node->nodeset, HWLOC_MEMBIND_BIND,
                          HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET))
        return rc_fail_errno(err, "cannot bind memory to NUMA domain %u",
                             node->os_index);
    return RC_OK;
}

int rc_machine_bind(const struct rc_machine *machine, size_t cpu, struct rc_error *err)
{
    int status = may_bind(machine, cpu, err);

    if (status != RC_OK)
        return status;
    if (hwloc_set_cpubind(machine->topology, object(machine, HWLOC_OBJ_PU, cpu)->cpuset,
                          HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT))
        return rc_fail_errno(err, "cannot bind to CPU %u", machine->cpus[cpu].os_index);
    rc_machine_bind_memory(machine, cpu, NULL); /* as far as the system can */
    return RC_OK;
}
