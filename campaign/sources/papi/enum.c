/* Lists the native events of all components of PAPI, with their qualifiers.
 *
 * A component has events, an event may have unit masks and modifiers, and PAPI lists
 * all three in different ways.  By the setting of the campaign an event becomes one
 * event, one for each unit mask, or also one for each combination of the modifiers that
 * change what counts (docs/source-papi.md).
 */
#include "campaign/sources/papi/parts.h"

#include <papi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of one enumeration, the same for all of its calls. */
struct walk {
    struct rc_source_state *state;
    const struct rc_enumerate *what;
    struct rc_event_sink *sink;
    struct rc_error *err;
    const PAPI_component_info_t *component; /* that is being walked */
    uint32_t index;
    uint32_t plain; /* number of the last event without modifiers */
    size_t seen;    /* native events of it so far, without qualifiers */

    /* The last PMU's scope: events of a PMU follow each other. */
    char pmu[PAPI_MIN_STR_LEN];
    uint32_t pmu_of;
    bool pmu_known;
    struct rc_papi_scope scope;
};

/* Modifiers of libpfm that are on or off and change what counts.  Not here:
 * sampling (period, freq, precise, hw_smpl), scheduling (excl, pinned, cpu),
 * numbers (c and other thresholds), invert (it only acts on a threshold), and
 * guest or host (mg, mh, g: they choose the machine, not what counts).
 */
static const char *const switches[] = {"e", "t", "intx", "intxcp"};
#define SWITCHES (sizeof switches / sizeof switches[0])

/* Privilege levels.  User level alone is left out: PAPI counts that where a name has
 * no level.  On x86 the kernel does not distinguish a hypervisor level.
 */
#define USER_AND_KERNEL ":u=1:k=1"
static const char *const levels[] = {
    ":u=0:k=1",
    USER_AND_KERNEL,
#if !defined(__x86_64__) && !defined(__i386__)
    ":u=0:k=0:h=1",
    ":u=1:k=1:h=1",
#endif
};
#define LEVELS (sizeof levels / sizeof levels[0])

/* Software events that the kernel counts on its own behalf: at user level
 * alone, PAPI's default, they are always 0.
 */
static const char *const in_kernel[] = {
    "perf::PERF_COUNT_SW_CONTEXT_SWITCHES",
    "perf::CONTEXT-SWITCHES",
    "perf::CS",
    "perf::PERF_COUNT_SW_CPU_MIGRATIONS",
    "perf::CPU-MIGRATIONS",
    "perf::MIGRATIONS",
    "perf::PERF_COUNT_SW_CGROUP_SWITCHES",
    "perf::CGROUP-SWITCHES",
};

/* Beginnings of names of software events, which take no hardware counter. */
static const char *const in_software[] = {
    "perf::PERF_COUNT_SW_",
    "perf::CPU-CLOCK",
    "perf::TASK-CLOCK",
    "perf::PAGE-FAULTS",
    "perf::FAULTS",
    "perf::CONTEXT-SWITCHES",
    "perf::CS",
    "perf::CPU-MIGRATIONS",
    "perf::MIGRATIONS",
    "perf::MINOR-FAULTS",
    "perf::MAJOR-FAULTS",
    "perf::CGROUP-SWITCHES",
    "perf::ALIGNMENT-FAULTS",
    "perf::EMULATION-FAULTS",
};

/* The scope of an event.  It is looked up once for the events of a PMU, which follow
 * each other: reading /sys for each of them would take seconds.  An event without a PMU
 * of libpfm in its name belongs to the component's main one, the last in its list; only
 * the kernel's components have PMUs.
 */
static const struct rc_papi_scope *scope_of(struct walk *walk, const char *name)
{
    const char *at = strstr(name, ":::"), *from = at ? at + 3 : name;
    const char *end = strstr(from, "::");
    char *const *main_pmu = walk->component->pmu_names;
    char pmu[PAPI_MIN_STR_LEN] = "";

    if (strncmp(walk->component->name, "perf_event", 10) == 0) {
        if (end && (size_t)(end - from) < sizeof pmu)
            snprintf(pmu, sizeof pmu, "%.*s", (int)(end - from), from);
        else
            for (size_t i = 0; i < PAPI_PMU_MAX && main_pmu[i]; i++)
                snprintf(pmu, sizeof pmu, "%s", main_pmu[i]);
    }
    if (!walk->pmu_known || walk->pmu_of != walk->index ||
        strcmp(pmu, walk->pmu) != 0) {
        rc_papi_scope("/sys", walk->state->cpu, walk->state->cpu_count,
                      walk->component->name, pmu, &walk->scope);
        memcpy(walk->pmu, pmu, sizeof pmu);
        walk->pmu_of = walk->index;
        walk->pmu_known = true;
    }
    return &walk->scope;
}

static bool is_in_kernel(const char *name)
{
    for (size_t i = 0; i < sizeof in_kernel / sizeof in_kernel[0]; i++)
        if (strcmp(name, in_kernel[i]) == 0)
            return true;
    return false;
}

/* Adds an event to the source's list and passes it on. */
static int add_event(struct walk *walk, const char *name, int code,
                     const char *description, bool preset, const char *useless)
{
    struct rc_source_state *state = walk->state;
    const struct rc_papi_scope *scope = scope_of(walk, name);
    struct rc_papi_event event = {.code = code,
                                  .component = walk->index,
                                  .plain = walk->plain,
                                  .useless = useless};
    struct rc_event_info info = {.name = name,
                                 .description = description,
                                 .scope = scope->scope,
                                 .evidence = scope->evidence,
                                 .preset = preset,
                                 .domain = walk->index};
    char full[128];

    for (size_t i = 0; i < sizeof in_software / sizeof in_software[0]; i++)
        if (strncmp(name, in_software[i], strlen(in_software[i])) == 0)
            info.alike = 1; /* any of them can replace any other */
    if (is_in_kernel(name)) {
        snprintf(full, sizeof full, "%s" USER_AND_KERNEL, name);
        if (PAPI_event_name_to_code(full, &event.code_kernel) != PAPI_OK)
            event.code_kernel = 0;
    }
    if (rc_grow(&state->event, sizeof *state->event, state->count, &state->room) ||
        !(event.name = rc_pool_copy(state->pool, name)))
        return rc_fail(walk->err, RC_ENOMEM, "no memory for %zu events", state->count);
    state->event[state->count++] = event;
    return walk->sink->add(walk->sink, &info, walk->err);
}

/* The name and description that PAPI has for a code; PAPI_EBUF where it cannot give the
 * full name.  PAPI keeps names in buffers of 64, 128 and 1024 bytes and cuts some: a
 * long one is believed only if PAPI finds the event by it.
 */
static int describe_code(int code, PAPI_event_info_t *info)
{
    int status, again;

    memset(info, 0, sizeof *info);
    status = PAPI_get_event_info(code, info);
    info->symbol[sizeof info->symbol - 1] = 0;
    info->long_descr[sizeof info->long_descr - 1] = 0;
    const size_t length = strlen(info->symbol);
    if (status == PAPI_OK &&
        (length == 0 || (length >= PAPI_MIN_STR_LEN - 1 &&
                         PAPI_event_name_to_code(info->symbol, &again) != PAPI_OK)))
        return PAPI_EBUF;
    return status;
}

/* Adds the event of a code.  One without a full name is named by its index in PAPI's
 * list, since its code differs each time that PAPI is asked.
 */
static int add_code(struct walk *walk, int code, bool preset)
{
    PAPI_event_info_t info;
    char name[PAPI_MAX_STR_LEN + 32], why[PAPI_MAX_STR_LEN];
    int status = describe_code(code, &info);

    walk->plain = (uint32_t)walk->state->count;
    if (status == PAPI_OK)
        return add_event(walk, info.symbol, code, info.long_descr, preset,
                         info.data_type == PAPI_DATATYPE_FP64
                             ? "its values are not whole numbers"
                             : NULL);
    snprintf(name, sizeof name, "%s:::#%zu", walk->component->name, walk->seen);
    snprintf(why, sizeof why, "PAPI cannot give its full name: %s",
             PAPI_strerror(status));
    return add_event(walk, name, code, why, preset, "PAPI cannot give its full name");
}

/* The qualifiers of an event: its unit masks, as codes, and which of the modifiers in
 * the tables above it can have.
 */
struct qualifiers {
    int *mask;
    size_t count, room;
    bool level, has[SWITCHES];
};

/* PAPI lists unit masks and modifiers alike, as events: "EVENT:MASK" and
 * "EVENT:modifier=0".  Their names begin with the event's.
 */
static int find_qualifiers(struct walk *walk, int event, const char *name,
                           struct qualifiers *q)
{
    PAPI_event_info_t info;
    size_t length = strlen(name);
    int code = event;

    while (PAPI_enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, (int)walk->index) ==
           PAPI_OK) {
        if (code == event || describe_code(code, &info) != PAPI_OK)
            break; /* this component has no list of its own for qualifiers */
        if (strncmp(info.symbol, name, length) != 0 || info.symbol[length] != ':')
            break;
        if (strchr(info.symbol + length, '=')) {
            const char *suffix = info.symbol + length + 1;
            const size_t bytes = strcspn(suffix, "=");
            q->level = q->level || (bytes == 1 && suffix[0] == 'k');
            for (size_t i = 0; i < SWITCHES; i++)
                q->has[i] = q->has[i] || (strlen(switches[i]) == bytes &&
                                          strncmp(suffix, switches[i], bytes) == 0);
            continue;
        }
        if (rc_grow(&q->mask, sizeof *q->mask, q->count, &q->room))
            return rc_fail(walk->err, RC_ENOMEM, "no memory for unit masks");
        q->mask[q->count++] = code;
    }
    return RC_OK;
}

/* The words for a privilege level ("" for PAPI's own) and a set of switches,
 * or false where the event does not have them.
 */
static bool write_modifiers(const struct qualifiers *q, const char *level, unsigned set,
                            char *out, size_t room)
{
    int used = snprintf(out, room, "%s", level);

    for (size_t i = 0; i < SWITCHES; i++)
        if (set & 1u << i) {
            if (!q->has[i])
                return false;
            used += snprintf(out + used, room - (size_t)used, ":%s=1", switches[i]);
        }
    return used > 0;
}

/* Adds the event of a code, and where all qualifiers are wanted also with all
 * combinations of levels and switches but the one that the plain name stands for: at
 * most (LEVELS + 1) * 2^SWITCHES - 1.  PAPI is asked for their codes when they are
 * first tried: that takes milliseconds for events with hundreds of unit masks, and most
 * ranks only list them.
 */
static int add_with_modifiers(struct walk *walk, const struct qualifiers *q, int code)
{
    const size_t level_count = q->level ? LEVELS : 0;
    PAPI_event_info_t info;
    int status = add_code(walk, code, false);

    if (status != RC_OK || walk->what->qualifiers != RC_QUALIFIERS_ALL ||
        describe_code(code, &info) != PAPI_OK)
        return status;
    for (unsigned set = 0; set < 1u << SWITCHES; set++)
        for (size_t l = 0; l <= level_count; l++) {
            char more[64], name[sizeof info.symbol + sizeof more];
            if (!write_modifiers(q, l ? levels[l - 1] : "", set, more, sizeof more) ||
                (strcmp(more, USER_AND_KERNEL) == 0 && is_in_kernel(info.symbol)))
                continue;
            snprintf(name, sizeof name, "%s%s", info.symbol, more);
            status = add_event(walk, name, 0, info.long_descr, false, NULL);
            if (status != RC_OK)
                return status;
        }
    return RC_OK;
}

/* Adds a native event: as it is, or where it has unit masks, once for each of them. */
static int add_native(struct walk *walk, int code)
{
    struct qualifiers q = {0};
    PAPI_event_info_t info;

    if (walk->what->qualifiers == RC_QUALIFIERS_NONE ||
        describe_code(code, &info) != PAPI_OK)
        return add_code(walk, code, false);
    int status = find_qualifiers(walk, code, info.symbol, &q);
    if (status != RC_OK)
        goto out;
    if (q.count == 0)
        status = add_with_modifiers(walk, &q, code);
    for (size_t i = 0; i < q.count; i++) {
        if ((status = add_with_modifiers(walk, &q, q.mask[i])) != RC_OK)
            goto out;
    }
out:
    free(q.mask);
    return status;
}

/* 'mask' is PAPI_PRESET_MASK, or PAPI_UE_MASK for the events of the user's
 * PAPI_USER_EVENTS_FILE.
 */
static int walk_presets(struct walk *walk, int mask)
{
    int code = mask;
    int found = PAPI_enum_event(&code, PAPI_ENUM_FIRST);

    for (; found == PAPI_OK; found = PAPI_enum_event(&code, PAPI_ENUM_EVENTS)) {
        PAPI_event_info_t info;
        int component = PAPI_get_event_component(code), status;
        if (describe_code(code, &info) != PAPI_OK || info.count == 0)
            continue; /* PAPI's list has it, this machine's definitions do not */
        walk->index = component > 0 ? (uint32_t)component : 0;
        walk->component = PAPI_get_component_info((int)walk->index);
        if (!walk->component)
            continue;
        if ((status = add_code(walk, code, true)) != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_papi_enumerate(struct rc_source_state *state, const struct rc_enumerate *what,
                      struct rc_event_sink *sink, struct rc_error *err)
{
    struct walk walk = {.state = state, .what = what, .sink = sink, .err = err};
    int status;

    for (int i = 0; i < PAPI_num_components(); i++) {
        walk.index = (uint32_t)i;
        walk.component = PAPI_get_component_info(i);
        if (!walk.component || walk.component->disabled)
            continue;
        int code = (int)PAPI_NATIVE_MASK, last;
        int found = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, i);
        for (walk.seen = 0; found == PAPI_OK; walk.seen++) {
            if ((status = add_native(&walk, code)) != RC_OK)
                return status;
            last = code;
            found = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, i);
            if (code == last)
                break; /* some components repeat the last event for ever */
        }
    }
    if (!what->presets)
        return RC_OK;
    status = walk_presets(&walk, (int)PAPI_PRESET_MASK);
    return status == RC_OK ? walk_presets(&walk, (int)PAPI_UE_MASK) : status;
}
