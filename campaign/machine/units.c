/* Shared units and types of cores of a machine, from its processing units; and the
 * machine's getters.
 */
#include "campaign/machine/parts.h"

#include "campaign/base/text.h"

#include <string.h>

/* Lists the units of one scope.  CPUs are counted first, so that the lists of all units
 * fit into one array.  CPUs are sorted by core, so counting changes of core counts
 * cores.
 */
static void fill_scope(struct rc_machine *machine, enum rc_scope scope)
{
    struct rc_unit_list *list = &machine->units[scope];
    size_t start = 0;

    for (size_t i = 0; i < machine->cpu_count; i++)
        if (machine->cpus[i].unit[scope] != RC_NO_UNIT)
            list->unit[machine->cpus[i].unit[scope]].cpu_count++;
    for (size_t u = 0; u < list->count; u++) {
        struct rc_unit *unit = &list->unit[u];
        unit->os_index = RC_NO_UNIT;
        unit->cpus = list->members + start;
        start += unit->cpu_count;
        unit->cpu_count = 0;
    }
    for (uint32_t i = 0; i < machine->cpu_count; i++) {
        if (machine->cpus[i].unit[scope] == RC_NO_UNIT)
            continue;
        struct rc_unit *unit = &list->unit[machine->cpus[i].unit[scope]];
        list->members[(size_t)(unit->cpus - list->members) + unit->cpu_count++] = i;
    }
    for (size_t u = 0; u < list->count; u++) {
        struct rc_unit *unit = &list->unit[u];
        uint32_t last = RC_NO_UNIT;
        for (size_t i = 0; i < unit->cpu_count; i++) {
            const struct rc_cpu *cpu = &machine->cpus[unit->cpus[i]];
            unit->core_count += cpu->unit[RC_SCOPE_CORE] != last;
            unit->allowed_core_count += cpu->first_of_core;
            last = cpu->unit[RC_SCOPE_CORE];
        }
    }
}

int rc_machine_fill_units(struct rc_machine *machine,
                          const size_t counts[RC_SCOPE_COUNT], struct rc_error *err)
{
    struct rc_arena *arena = &machine->arena;

    for (enum rc_scope s = 0; s < RC_SCOPE_COUNT; s++)
        machine->units[s] = (struct rc_unit_list){
            .unit = rc_arena_array(arena, counts[s], sizeof(struct rc_unit)),
            .members = rc_arena_array(arena, machine->cpu_count, sizeof(uint32_t)),
            .count = counts[s]};
    uint32_t core = RC_NO_UNIT;
    for (size_t i = 0; i < machine->cpu_count; i++) {
        struct rc_cpu *cpu = &machine->cpus[i];
        cpu->first_of_core = cpu->allowed && cpu->unit[RC_SCOPE_CORE] != core;
        if (cpu->allowed)
            core = cpu->unit[RC_SCOPE_CORE];
    }
    const int status = rc_arena_check(arena, err, "the units of a machine");
    if (status != RC_OK)
        return status;
    for (enum rc_scope s = 0; s < RC_SCOPE_COUNT; s++)
        fill_scope(machine, s);
    return RC_OK;
}

uint8_t rc_core_types_index(struct rc_core_types *types, const char *word)
{
    size_t i = 0;

    while (i < types->count && strcmp(types->word[i], word) != 0)
        i++;
    if (i == RC_CORE_TYPES_MAX)
        return RC_CORE_TYPES_MAX - 1;
    if (i == types->count)
        types->word[types->count++] = word;
    return (uint8_t)i;
}

void rc_machine_tell_core_types(struct rc_machine *machine,
                                const struct rc_core_types *types)
{
    size_t cores[RC_CORE_TYPES_MAX] = {0};
    char text[1024] = "", word[40];

    for (size_t i = 0; i < machine->cpu_count; i++)
        if (i == 0 || machine->cpus[i].unit[RC_SCOPE_CORE] !=
                          machine->cpus[i - 1].unit[RC_SCOPE_CORE])
            cores[machine->cpus[i].core_type]++;
    for (size_t t = 0; types->count > 1 && t < types->count; t++)
        rc_text_append(text, sizeof text, "%s%s:%zu", t ? " " : "",
                       rc_text_printable(word, sizeof word, types->word[t]), cores[t]);
    machine->core_types = rc_arena_text(&machine->arena, text);
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
    const struct rc_unit_list *list = &machine->units[scope];

    return index < list->count ? &list->unit[index] : NULL;
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
