#include "campaign/machine_parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <hwloc.h>
#include <hwloc/plugins.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Members of all units together: bounds what a hostile file can make of many
 * memories times many processing units.
 */
#define MEMBERS_MAX ((size_t)16 << 20)
#define TYPES_MAX 16

struct unit_list {
    struct rc_unit *unit;
    uint32_t *members; /* of all units, one after the other */
    size_t count;
};

struct rc_machine {
    hwloc_topology_t topology;
    bool this_system; /* CPUs can be bound */
    struct rc_pool *pool;
    struct rc_cpu *cpus;
    size_t cpu_count;
    struct unit_list units[RC_SCOPE_COUNT];
    struct rc_cache *caches;
    size_t cache_count, cache_room;
    struct rc_cpu_model model;
    struct rc_geometry geometry;
    const char *shape, *core_types;
};

/* hwloc says on stderr what it thinks of odd machines and files, once for each
 * rank.  It reads the variable once; a user's own setting is respected.
 */
static void hush_hwloc(void)
{
    bool ours = !getenv("HWLOC_HIDE_ERRORS");

    if (ours)
        setenv("HWLOC_HIDE_ERRORS", "2", 1);
    hwloc_hide_errors();
    if (ours)
        unsetenv("HWLOC_HIDE_ERRORS");
}

/* Disallowed objects are part of the shape, and instruction caches are left
 * out by hwloc unless asked for.
 */
static int prepare(hwloc_topology_t *topology)
{
    hush_hwloc();
    if (hwloc_topology_init(topology))
        return -1;
    if (hwloc_topology_set_flags(*topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
        hwloc_topology_set_icache_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_ALL))
        return -1;
    return 0;
}

static int load_xml(hwloc_topology_t topology, const char *path, struct rc_error *err)
{
    char *text;
    size_t bytes;
    int status = rc_machine_read(path, &text, &bytes, err);

    if (status != RC_OK)
        return status;
    if (hwloc_topology_set_xmlbuffer(topology, text, (int)bytes + 1) ||
        hwloc_topology_load(topology))
        status = rc_fail(err, RC_EUSAGE,
                         "'%s' describes no machine, expected hwloc XML as written by "
                         "lstopo",
                         path);
    free(text);
    return status;
}

static int load_synthetic(hwloc_topology_t topology, const char *text,
                          struct rc_error *err)
{
    int status = rc_machine_check_synthetic(text, err);

    if (status != RC_OK)
        return status;
    if (hwloc_topology_set_synthetic(topology, text) || hwloc_topology_load(topology))
        return rc_fail(
            err, RC_EUSAGE,
            "'%s' is no synthetic description of a machine, expected such as "
            "\"package:2 l3:4 core:8 pu:2\"",
            text);
    return RC_OK;
}

static int load(hwloc_topology_t topology, enum rc_machine_from from, const char *what,
                struct rc_error *err)
{
    if (from == RC_MACHINE_XML)
        return load_xml(topology, what, err);
    if (from == RC_MACHINE_SYNTHETIC)
        return load_synthetic(topology, what, err);
    if (hwloc_topology_load(topology))
        return rc_fail_errno(err, "hwloc cannot read the topology of this machine");
    return RC_OK;
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

/* The NUMA node of a memory child: the child, or what a memory-side cache holds;
 * NULL where 'pu' is not local to it (memories of GPUs, CXL).
 */
static hwloc_obj_t node_of(hwloc_obj_t memory, hwloc_obj_t pu)
{
    while (memory && memory->type != HWLOC_OBJ_NUMANODE)
        memory = memory->memory_first_child;
    if (!memory || !hwloc_bitmap_isset(memory->cpuset, pu->os_index))
        return NULL;
    return memory;
}

/* The first memory that hangs on the nearest object above 'pu'; where several
 * hang there, hwloc puts the ordinary one before the fast and the far ones.
 */
static hwloc_obj_t nearest_memory(hwloc_obj_t pu)
{
    for (hwloc_obj_t obj = pu; obj; obj = obj->parent)
        for (hwloc_obj_t m = obj->memory_first_child; m; m = m->next_sibling) {
            hwloc_obj_t node = node_of(m, pu);
            if (node)
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

/* CPUs that belong to no core object are cores of their own.  hwloc numbers
 * processing units so that those of a core follow each other.
 */
static size_t place_cores(struct rc_machine *machine)
{
    hwloc_obj_t last = NULL;
    size_t cores = 0;

    for (size_t i = 0; i < machine->cpu_count; i++) {
        hwloc_obj_t pu = object(machine, HWLOC_OBJ_PU, i);
        hwloc_obj_t core = ancestor(pu, HWLOC_OBJ_CORE);
        if (!core || core != last)
            cores++;
        last = core;
        machine->cpus[i].unit[RC_SCOPE_CORE] = (uint32_t)(cores - 1);
    }
    return cores;
}

static void place_cpus(struct rc_machine *machine)
{
    bool packages = object_count(machine, HWLOC_OBJ_PACKAGE) > 0;

    for (size_t i = 0; i < machine->cpu_count; i++) {
        hwloc_obj_t pu = object(machine, HWLOC_OBJ_PU, i);
        struct rc_cpu *cpu = &machine->cpus[i];
        cpu->os_index = pu->os_index;
        cpu->unit[RC_SCOPE_L2] = index_of(ancestor(pu, HWLOC_OBJ_L2CACHE));
        cpu->unit[RC_SCOPE_L3] = index_of(ancestor(pu, HWLOC_OBJ_L3CACHE));
        cpu->unit[RC_SCOPE_NUMA] = index_of(nearest_memory(pu));
        cpu->unit[RC_SCOPE_PACKAGE] =
            packages ? index_of(ancestor(pu, HWLOC_OBJ_PACKAGE)) : 0;
        cpu->unit[RC_SCOPE_NODE] = 0;
        cpu->unit[RC_SCOPE_DEVICE] = RC_NO_UNIT;
    }
}

/* The batch system and the cgroup by hwloc's word; the launcher by the calling
 * thread's affinity, which only means something on this very machine.
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

static void mark_first_of_core(struct rc_machine *machine)
{
    uint32_t last = RC_NO_UNIT;

    for (size_t i = 0; i < machine->cpu_count; i++) {
        struct rc_cpu *cpu = &machine->cpus[i];
        if (!cpu->allowed || cpu->unit[RC_SCOPE_CORE] == last)
            continue;
        cpu->first_of_core = true;
        last = cpu->unit[RC_SCOPE_CORE];
    }
}

/* What sets types of cores apart.  hwloc also tells cores apart by their
 * highest frequency, which differs between cores of one make.
 */
static const char *core_type_word(const struct hwloc_info_s *infos, unsigned count)
{
    static const char *const names[] = {"CoreType", "LinuxCapacity"};

    for (size_t n = 0; n < 2; n++)
        for (unsigned i = 0; i < count; i++)
            if (strcmp(infos[i].name, names[n]) == 0)
                return infos[i].value;
    return "";
}

struct core_types {
    const char *word[TYPES_MAX];
    size_t cores[TYPES_MAX];
    size_t count;
};

static size_t core_type_index(struct core_types *types, const char *word)
{
    size_t i = 0;

    while (i < types->count && strcmp(types->word[i], word) != 0)
        i++;
    if (i == TYPES_MAX)
        return TYPES_MAX - 1;
    if (i == types->count)
        types->word[types->count++] = word;
    return i;
}

/* hwloc sorts kinds from the most efficient to the fastest. */
static void read_core_types(struct rc_machine *machine, struct core_types *types,
                            hwloc_bitmap_t set)
{
    int kinds = hwloc_cpukinds_get_nr(machine->topology, 0);

    for (int k = 0; k < kinds; k++) {
        struct hwloc_info_s *infos;
        unsigned info_count;
        if (hwloc_cpukinds_get_info(machine->topology, (unsigned)k, set, NULL,
                                    &info_count, &infos, 0))
            continue;
        size_t type = core_type_index(types, core_type_word(infos, info_count));
        for (size_t i = 0; i < machine->cpu_count; i++)
            if (hwloc_bitmap_isset(set, machine->cpus[i].os_index))
                machine->cpus[i].core_type = (uint8_t)type;
    }
}

static int find_core_types(struct rc_machine *machine, struct rc_error *err)
{
    struct core_types types = {.count = 0};
    char text[256] = "", word[48];
    size_t used = 0;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    if (!set)
        return rc_fail(err, RC_ENOMEM, "no memory for a set of CPUs");
    read_core_types(machine, &types, set);
    hwloc_bitmap_free(set);
    for (size_t i = 0; i < machine->cpu_count; i++)
        if (i == 0 || machine->cpus[i].unit[RC_SCOPE_CORE] !=
                          machine->cpus[i - 1].unit[RC_SCOPE_CORE])
            types.cores[machine->cpus[i].core_type]++;
    for (size_t t = 0; types.count > 1 && t < types.count && used < sizeof text; t++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%s:%zu", t ? " " : "",
            rc_text_printable(word, sizeof word, types.word[t]), types.cores[t]);
    machine->core_types = rc_pool_copy(machine->pool, text);
    return machine->core_types ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory");
}

/* All memories that are local to 'pu', nearest or not. */
static void each_memory(hwloc_obj_t pu, uint32_t cpu,
                        void (*add)(struct unit_list *, uint32_t unit, uint32_t cpu),
                        struct unit_list *list)
{
    for (hwloc_obj_t obj = pu; obj; obj = obj->parent)
        for (hwloc_obj_t m = obj->memory_first_child; m; m = m->next_sibling) {
            hwloc_obj_t node = node_of(m, pu);
            if (node)
                add(list, node->logical_index, cpu);
        }
}

static void count_member(struct unit_list *list, uint32_t unit, uint32_t cpu)
{
    (void)cpu;
    list->unit[unit].cpu_count++;
}

/* 'cpus' points into the members of the list that owns this unit. */
static void fill_member(struct unit_list *list, uint32_t unit, uint32_t cpu)
{
    struct rc_unit *u = &list->unit[unit];

    list->members[(size_t)(u->cpus - list->members) + u->cpu_count++] = cpu;
}

static void each_member(struct rc_machine *machine, enum rc_scope scope,
                        void (*add)(struct unit_list *, uint32_t unit, uint32_t cpu))
{
    struct unit_list *list = &machine->units[scope];

    for (size_t i = 0; i < machine->cpu_count; i++) {
        uint32_t unit = machine->cpus[i].unit[scope];
        if (scope == RC_SCOPE_NUMA)
            each_memory(object(machine, HWLOC_OBJ_PU, i), (uint32_t)i, add, list);
        else if (unit != RC_NO_UNIT)
            add(list, unit, (uint32_t)i);
    }
}

static void count_cores(const struct rc_machine *machine, struct rc_unit *unit)
{
    uint32_t last = RC_NO_UNIT;

    for (size_t i = 0; i < unit->cpu_count; i++) {
        const struct rc_cpu *cpu = &machine->cpus[unit->cpus[i]];
        unit->core_count += cpu->unit[RC_SCOPE_CORE] != last;
        unit->allowed_core_count += cpu->first_of_core;
        last = cpu->unit[RC_SCOPE_CORE];
    }
}

static int fill_units(struct rc_machine *machine, enum rc_scope scope, size_t count,
                      struct rc_error *err)
{
    struct unit_list *list = &machine->units[scope];
    size_t members = 0;

    list->unit = rc_calloc(count, sizeof *list->unit);
    if (!list->unit)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu units", count);
    list->count = count;
    each_member(machine, scope, count_member);
    for (size_t u = 0; u < count; u++)
        members += list->unit[u].cpu_count;
    if (members > MEMBERS_MAX)
        return rc_fail(err, RC_EUSAGE,
                       "a machine of %zu CPUs and %zu %s units: no node "
                       "is like that",
                       machine->cpu_count, count, rc_scope_name(scope));
    list->members = rc_calloc(members, sizeof *list->members);
    if (!list->members)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu units", count);
    members = 0;
    for (size_t u = 0; u < count; u++) {
        list->unit[u].cpus = list->members + members;
        members += list->unit[u].cpu_count;
        list->unit[u].cpu_count = 0;
    }
    each_member(machine, scope, fill_member);
    for (size_t u = 0; u < count; u++)
        count_cores(machine, &list->unit[u]);
    return RC_OK;
}

static void number_units(struct rc_machine *machine, enum rc_scope scope,
                         hwloc_obj_type_t type)
{
    struct unit_list *list = &machine->units[scope];

    for (size_t u = 0; u < list->count; u++) {
        hwloc_obj_t obj = object(machine, type, u);
        list->unit[u].os_index = obj ? obj->os_index : 0;
    }
}

static void number_cores(struct rc_machine *machine)
{
    for (size_t i = 0; i < machine->cpu_count; i++) {
        hwloc_obj_t pu = object(machine, HWLOC_OBJ_PU, i);
        hwloc_obj_t core = ancestor(pu, HWLOC_OBJ_CORE);
        machine->units[RC_SCOPE_CORE]
            .unit[machine->cpus[i].unit[RC_SCOPE_CORE]]
            .os_index = core ? core->os_index : pu->os_index;
    }
}

static int find_units(struct rc_machine *machine, size_t cores, struct rc_error *err)
{
    size_t packages = object_count(machine, HWLOC_OBJ_PACKAGE);
    const size_t counts[RC_SCOPE_COUNT] = {
        [RC_SCOPE_CORE] = cores,
        [RC_SCOPE_L2] = object_count(machine, HWLOC_OBJ_L2CACHE),
        [RC_SCOPE_L3] = object_count(machine, HWLOC_OBJ_L3CACHE),
        [RC_SCOPE_NUMA] = object_count(machine, HWLOC_OBJ_NUMANODE),
        [RC_SCOPE_PACKAGE] = packages ? packages : 1,
        [RC_SCOPE_NODE] = 1,
    };

    for (enum rc_scope s = 0; s < RC_SCOPE_COUNT; s++) {
        int status = fill_units(machine, s, counts[s], err);
        if (status != RC_OK)
            return status;
    }
    number_cores(machine);
    number_units(machine, RC_SCOPE_L2, HWLOC_OBJ_L2CACHE);
    number_units(machine, RC_SCOPE_L3, HWLOC_OBJ_L3CACHE);
    number_units(machine, RC_SCOPE_NUMA, HWLOC_OBJ_NUMANODE);
    number_units(machine, RC_SCOPE_PACKAGE, HWLOC_OBJ_PACKAGE);
    return RC_OK;
}

static bool same_cache(const struct rc_cache *a, const struct rc_cache *b)
{
    return a->level == b->level && a->type == b->type && a->bytes == b->bytes &&
           a->line_bytes == b->line_bytes && a->ways == b->ways &&
           a->cores_each == b->cores_each && a->cpus_each == b->cpus_each;
}

static int add_cache(struct rc_machine *machine, const struct rc_cache *cache)
{
    for (size_t i = 0; i < machine->cache_count; i++)
        if (same_cache(&machine->caches[i], cache)) {
            machine->caches[i].count++;
            return 0;
        }
    if (rc_grow(&machine->caches, sizeof *machine->caches, machine->cache_count,
                &machine->cache_room))
        return -1;
    machine->caches[machine->cache_count] = *cache;
    machine->caches[machine->cache_count++].count = 1;
    return 0;
}

static struct rc_cache describe_cache(hwloc_obj_t obj)
{
    static const char letters[] = {[HWLOC_OBJ_CACHE_UNIFIED] = 'u',
                                   [HWLOC_OBJ_CACHE_DATA] = 'd',
                                   [HWLOC_OBJ_CACHE_INSTRUCTION] = 'i'};
    const struct hwloc_cache_attr_s *cache = &obj->attr->cache;
    bool known = (unsigned)cache->type < sizeof letters;

    return (struct rc_cache){
        .level = cache->depth,
        .type = known ? letters[cache->type] : 'u',
        .bytes = cache->size,
        .line_bytes = cache->linesize,
        .ways = cache->associativity,
    };
}

/* Processing units under one cache follow each other, so one pass over them
 * meets every cache of a level once.
 */
static int find_caches_of(struct rc_machine *machine, hwloc_obj_type_t type)
{
    hwloc_obj_t last = NULL;
    struct rc_cache row = {0};
    uint32_t core = RC_NO_UNIT;

    for (size_t i = 0; i <= machine->cpu_count; i++) {
        hwloc_obj_t obj = NULL;
        if (i < machine->cpu_count)
            obj = ancestor(object(machine, HWLOC_OBJ_PU, i), type);
        if (obj != last) {
            if (last && add_cache(machine, &row))
                return -1;
            core = RC_NO_UNIT;
            if (obj)
                row = describe_cache(obj);
        }
        last = obj;
        if (!obj)
            continue;
        row.cpus_each++;
        row.cores_each += machine->cpus[i].unit[RC_SCOPE_CORE] != core;
        core = machine->cpus[i].unit[RC_SCOPE_CORE];
    }
    return 0;
}

static int find_caches(struct rc_machine *machine, struct rc_error *err)
{
    static const hwloc_obj_type_t types[] = {
        HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L1ICACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L2ICACHE,
        HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L3ICACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE};

    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        if (object_count(machine, types[t]) && find_caches_of(machine, types[t]))
            return rc_fail(err, RC_ENOMEM, "no memory for the caches");
    return RC_OK;
}

/* The digest of what hangs below 'obj'.  Children are summed up, so that it
 * does not depend on their order: of nodes built alike, each has other cores
 * switched off.  Groups are looked through: whether hwloc makes them depends
 * on the kernel.  Sizes of memories are no part of it.
 */
static uint64_t form(const struct rc_machine *machine, hwloc_obj_t obj)
{
    uint64_t sum = 0, hash;

    for (hwloc_obj_t c = obj->first_child; c; c = c->next_sibling)
        sum += form(machine, c);
    for (hwloc_obj_t c = obj->memory_first_child; c; c = c->next_sibling)
        sum += form(machine, c);
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

static int find_shape(struct rc_machine *machine, struct rc_error *err)
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
    char text[256];
    size_t used = 0;
    hwloc_obj_t root = hwloc_get_root_obj(machine->topology);

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t count = object_count(machine, parts[i].type);
        if (count)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s:%zu ",
                                     parts[i].name, count);
    }
    snprintf(text + used, sizeof text - used, "form:%016llx",
             (unsigned long long)form(machine, root));
    machine->shape = rc_pool_copy(machine->pool, text);
    return machine->shape ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory");
}

/* hwloc hangs its words on the package, or on the machine where there is no
 * package.  What names the processor is cut to a sensible length, and blanks
 * at its ends are dropped.
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
    return *clean ? rc_pool_copy(machine->pool, clean) : NULL;
}

static void find_model(struct rc_machine *machine)
{
    const struct rc_machine_words words = {
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

    if (!architecture && machine->this_system && uname(&system) == 0)
        architecture = rc_pool_copy(machine->pool, system.machine);
    machine->model = rc_machine_model_of(&words, architecture ? architecture : "");
}

static bool plausible_line(uint32_t bytes)
{
    return bytes >= 16 && bytes <= 1024 && (bytes & (bytes - 1)) == 0;
}

/* Ways that hwloc does not know are those of the default geometry; there are
 * never more ways than lines.
 */
static struct rc_cache_geometry cache_geometry(hwloc_obj_t obj, uint32_t line_bytes,
                                               uint32_t default_ways)
{
    struct rc_cache_geometry out = {0};

    if (!obj || obj->attr->cache.size < line_bytes)
        return out;
    uint64_t lines = obj->attr->cache.size / line_bytes;
    int ways = obj->attr->cache.associativity;
    uint64_t wanted = ways > 0 ? (uint64_t)ways : ways < 0 ? lines : default_ways;
    if (wanted > lines)
        wanted = lines;
    out.bytes = obj->attr->cache.size;
    out.ways = wanted > UINT32_MAX ? UINT32_MAX : (uint32_t)wanted;
    return out;
}

/* A core's memory, bound to its own domain, is kept in that domain's part of
 * an L3 that spans several domains (sub-NUMA clusters).
 */
static uint64_t l3_share(const struct rc_machine *machine, const struct rc_cpu *cpu,
                         uint64_t bytes)
{
    const struct rc_unit *l3 =
        rc_machine_unit(machine, RC_SCOPE_L3, cpu->unit[RC_SCOPE_L3]);
    size_t here = 0;

    if (!l3 || cpu->unit[RC_SCOPE_NUMA] == RC_NO_UNIT)
        return bytes;
    for (size_t i = 0; i < l3->cpu_count; i++)
        here +=
            machine->cpus[l3->cpus[i]].unit[RC_SCOPE_NUMA] == cpu->unit[RC_SCOPE_NUMA];
    return (uint64_t)((double)bytes * (double)here / (double)l3->cpu_count);
}

static void find_pages(struct rc_machine *machine, hwloc_obj_t node)
{
    struct rc_geometry *out = &machine->geometry;
    uint64_t smallest = 0, next = 0;

    if (!node || !node->attr)
        return;
    for (unsigned i = 0; i < node->attr->numanode.page_types_len; i++) {
        uint64_t bytes = node->attr->numanode.page_types[i].size;
        if (bytes < 512 || (bytes & (bytes - 1)))
            continue;
        if (!smallest || bytes < smallest) {
            next = smallest;
            smallest = bytes;
        } else if (bytes > smallest && (!next || bytes < next)) {
            next = bytes;
        }
    }
    if (smallest) {
        out->page_bytes = smallest;
        out->huge_page_bytes = next;
    }
}

/* The caches are those that the first CPU of the fastest type sees. */
static void find_geometry(struct rc_machine *machine)
{
    struct rc_geometry *out = &machine->geometry;
    const struct rc_geometry *unknown = &rc_geometry_default;
    size_t first = 0;

    for (size_t i = 1; i < machine->cpu_count; i++)
        if (machine->cpus[i].core_type > machine->cpus[first].core_type)
            first = i;
    hwloc_obj_t pu = object(machine, HWLOC_OBJ_PU, first);
    hwloc_obj_t l1d = ancestor(pu, HWLOC_OBJ_L1CACHE);
    hwloc_obj_t l3 = ancestor(pu, HWLOC_OBJ_L3CACHE);
    *out = *unknown;
    if (strncmp(machine->model.architecture, "ppc", 3) == 0)
        out->line_bytes = 128; /* the device tree often does not say */
    if (l1d) {
        uint32_t line = l1d->attr->cache.linesize;
        if (plausible_line(line))
            out->line_bytes = line;
        line = out->line_bytes;
        out->l1d = cache_geometry(l1d, line, unknown->l1d.ways);
        out->l1i =
            cache_geometry(ancestor(pu, HWLOC_OBJ_L1ICACHE), line, unknown->l1i.ways);
        out->l2 =
            cache_geometry(ancestor(pu, HWLOC_OBJ_L2CACHE), line, unknown->l2.ways);
        out->l3 = cache_geometry(l3, line, unknown->l3.ways);
        out->l3.bytes = l3_share(machine, &machine->cpus[first], out->l3.bytes);
    }
    find_pages(machine, nearest_memory(pu));
    if (machine->this_system)
        rc_machine_features(out);
    else if (strcmp(machine->model.architecture, "aarch64") == 0 ||
             strncmp(machine->model.architecture, "ppc64", 5) == 0)
        out->vector_bits = 128;
}

static int digest(struct rc_machine *machine, struct rc_error *err)
{
    int status;
    size_t cores;

    machine->cpu_count = object_count(machine, HWLOC_OBJ_PU);
    if (machine->cpu_count == 0 || machine->cpu_count > RC_MACHINE_CPUS_MAX)
        return rc_fail(err, RC_EUSAGE, "%zu processing units, expected 1 to %d",
                       machine->cpu_count, RC_MACHINE_CPUS_MAX);
    machine->cpus = rc_calloc(machine->cpu_count, sizeof *machine->cpus);
    machine->pool = rc_pool_create();
    if (!machine->cpus || !machine->pool)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu CPUs", machine->cpu_count);
    place_cpus(machine);
    cores = place_cores(machine);
    status = mark_allowed(machine, err);
    if (status != RC_OK)
        return status;
    mark_first_of_core(machine);
    if ((status = find_core_types(machine, err)) != RC_OK ||
        (status = find_units(machine, cores, err)) != RC_OK ||
        (status = find_caches(machine, err)) != RC_OK ||
        (status = find_shape(machine, err)) != RC_OK)
        return status;
    find_model(machine);
    find_geometry(machine);
    return RC_OK;
}

int rc_machine_open(enum rc_machine_from from, const char *what,
                    struct rc_machine **out, struct rc_error *err)
{
    int status;
    struct rc_machine *machine = rc_calloc(1, sizeof *machine);

    *out = NULL;
    if (!machine)
        return rc_fail(err, RC_ENOMEM, "no memory for a machine");
    if (prepare(&machine->topology)) {
        status = rc_fail_errno(err, "hwloc cannot start");
        goto out;
    }
    status = load(machine->topology, from, what, err);
    if (status != RC_OK)
        goto out;
    machine->this_system =
        from == RC_MACHINE_THIS && hwloc_topology_is_thissystem(machine->topology);
    status = digest(machine, err);
    if (status != RC_OK) {
        if (what)
            rc_error_prefix(err, "'%s': ", what);
        goto out;
    }
    *out = machine;
    machine = NULL;
out:
    rc_machine_close(machine);
    return status;
}

void rc_machine_close(struct rc_machine *machine)
{
    if (!machine)
        return;
    for (size_t s = 0; s < RC_SCOPE_COUNT; s++) {
        free(machine->units[s].unit);
        free(machine->units[s].members);
    }
    if (machine->topology)
        hwloc_topology_destroy(machine->topology);
    rc_pool_close(machine->pool);
    free(machine->cpus);
    free(machine->caches);
    free(machine);
}

const struct rc_cpu *rc_machine_cpus(const struct rc_machine *machine, size_t *count)
{
    *count = machine->cpu_count;
    return machine->cpus;
}

size_t rc_machine_unit_count(const struct rc_machine *machine, enum rc_scope scope)
{
    return machine->units[scope].count;
}

const struct rc_unit *rc_machine_unit(const struct rc_machine *machine,
                                      enum rc_scope scope, size_t index)
{
    return index < machine->units[scope].count ? &machine->units[scope].unit[index]
                                               : NULL;
}

size_t rc_machine_cache_count(const struct rc_machine *machine)
{
    return machine->cache_count;
}

const struct rc_cache *rc_machine_cache(const struct rc_machine *machine, size_t index)
{
    return index < machine->cache_count ? &machine->caches[index] : NULL;
}

struct rc_cpu_model rc_machine_cpu_model(const struct rc_machine *machine)
{
    return machine->model;
}

const char *rc_machine_shape(const struct rc_machine *machine)
{
    return machine->shape;
}

const char *rc_machine_core_types(const struct rc_machine *machine)
{
    return machine->core_types;
}

struct rc_geometry rc_machine_geometry(const struct rc_machine *machine)
{
    return machine->geometry;
}

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
