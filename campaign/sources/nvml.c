/* The nvml source: power, energy, load, clocks and links of NVIDIA's GPUs, as their
 * management library NVML reads them.
 *
 * The library is looked for when the source is opened, so that no build needs it.  The
 * same events are listed for every device; the trial says which of them a device does
 * not have.  A reading asks for counters at both ends, and for states at its end only,
 * since some take the library 20 ms.
 */
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/sources/counter.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct rc_source rc_source_nvml;

#define LIBRARY "libnvidia-ml.so.1"
enum { DEVICES_MOST = 1024, DEVICE_NAME = 96 };

/* Numbers and functions of NVML's interface, which stays as it is. */
enum { SM_CLOCK = 1, MEMORY_CLOCK = 2, PCIE_TX = 0, PCIE_RX = 1 };
enum { POWER_INSTANT = 186, IS_UNSIGNED_INT = 1 };
enum { NO_PERMISSION = 4, NO_FUNCTION = 13 };

/* The meanings of its errors, in words that live for ever. */
static const char *const words[] = {
    [0] = NULL,
    [3] = "the device does not support it",
    [NO_PERMISSION] = "no permission to read it",
    [9] = "NVIDIA's driver is not loaded",
    [NO_FUNCTION] = "the library is too old for it",
    [15] = "a gap: the device is lost",
    [16] = "a gap: the device must be reset",
};

struct field { /* nvmlFieldValue_t */
    unsigned id, scope;
    long long time, latency;
    int type, failed;
    union {
        unsigned number;
        unsigned long long large;
    } value;
};

/* A function of the library; it returns 0 or an error's number. */
union call {
    void *symbol; /* NULL: the library does not have it */
    int (*plain)(void);
    int (*count)(unsigned *count);
    int (*handle)(unsigned index, void **device);
    int (*name)(void *device, char *name, unsigned room);
    int (*numbers)(void *device, unsigned *numbers); /* one, or nvmlUtilization_t */
    int (*large)(void *device, unsigned long long *numbers); /* or nvmlMemory_t */
    int (*choice)(void *device, int choice, unsigned *number);
    int (*fields)(void *device, int count, struct field *fields);
};

/* Without these there is no source. */
enum { INIT, SHUTDOWN, COUNT, HANDLE, NAME, NEEDED };
static const char *const needed[NEEDED] = {
    "nvmlInit_v2", "nvmlShutdown", "nvmlDeviceGetCount_v2",
    "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetName"};

/* The values that are read from each device. */
static const struct value {
    const char *name, *what;
    const char *function; /* without "nvmlDeviceGet" in front */
    enum { NUMBERS, LARGE, COUNTER, CHOICE, FIELD } shape; /* of what it writes */
    int choice;     /* argument of the call, or index of the number to take */
    uint32_t apart; /* domain of the event, as reads differ in length: 0 takes 0.05 ms,
                     * 1 takes 4 ms (on an H100), 2 takes 20 ms */
} values[] = {
    {"power", "power in mW, or its mean over 1 s", "PowerUsage", NUMBERS, 0, 0},
    {"power_instant", "power in mW", "FieldValues", FIELD, POWER_INSTANT, 0},
    {"energy", "energy in mJ", "TotalEnergyConsumption", COUNTER, 0, 1},
    {"gpu_utilization", "% of time with a kernel", "UtilizationRates", NUMBERS, 0, 0},
    {"memory_utilization", "% of time with accesses", "UtilizationRates", NUMBERS, 1,
     0},
    {"memory_used", "memory in use in bytes", "MemoryInfo", LARGE, 2, 0},
    {"temperature", "temperature in degrees Celsius", "Temperature", CHOICE, 0, 0},
    {"sm_clock", "clock of its processors in MHz", "ClockInfo", CHOICE, SM_CLOCK, 0},
    {"memory_clock", "clock of its memory in MHz", "ClockInfo", CHOICE, MEMORY_CLOCK,
     0},
    {"pcie_rx", "kB/s received over 20 ms", "PcieThroughput", CHOICE, PCIE_RX, 2},
    {"pcie_tx", "kB/s sent over 20 ms", "PcieThroughput", CHOICE, PCIE_TX, 2},
};
enum { VALUES = sizeof values / sizeof values[0] };

struct device {
    void *handle;
    int failed; /* number of the error where it has no handle, else 0 */
    char name[DEVICE_NAME];
};

/* Events are numbered by device, then by value. */
struct rc_source_state {
    void *library;
    bool started;
    union call needed[NEEDED], value[VALUES];
    struct device *device;
    unsigned count;
};

struct armed {
    uint32_t event;
    /* Numbers at the start (of counters only) and at the end. */
    struct rc_counter_number number[2];
    const char *why[2]; /* reason why there is no such number, or NULL */
};

struct rc_group_state {
    struct rc_polled polled;
    struct rc_source_state *source;
    struct armed armed[];
};

static const char *words_of(int failed)
{
    const bool known = failed >= 0 && (size_t)failed < sizeof words / sizeof words[0];

    return known && (words[failed] || !failed) ? words[failed]
                                               : "a gap: the library failed";
}

static void nvml_close(struct rc_source_state *state)
{
    if (!state)
        return;
    if (state->started)
        state->needed[SHUTDOWN].plain();
    if (state->library)
        dlclose(state->library);
    free(state->device);
    free(state);
}

/* Starts the library and lists its devices; one that cannot be opened keeps the reason.
 */
static int start_library(struct rc_source_state *state, struct rc_error *err)
{
    for (size_t i = 0; i < NEEDED; i++) {
        state->needed[i].symbol = dlsym(state->library, needed[i]);
        if (!state->needed[i].symbol)
            return rc_fail(err, RC_EUNSUPPORTED,
                           "source 'nvml': " LIBRARY " has no function %s", needed[i]);
    }
    for (size_t i = 0; i < VALUES; i++) {
        char name[64];
        snprintf(name, sizeof name, "nvmlDeviceGet%s", values[i].function);
        state->value[i].symbol = dlsym(state->library, name);
    }
    int failed = state->needed[INIT].plain();
    state->started = !failed;
    if (!failed)
        failed = state->needed[COUNT].count(&state->count);
    if (failed)
        return rc_fail(err, RC_EUNSUPPORTED,
                       "source 'nvml': no NVIDIA device can be used: %s (error %d)",
                       words_of(failed), failed);
    if (!state->count || state->count > DEVICES_MOST)
        return rc_fail(err, RC_EUNSUPPORTED,
                       "source 'nvml': " LIBRARY " lists %u devices, expected 1 to %d",
                       state->count, DEVICES_MOST);
    state->device = rc_calloc(state->count, sizeof *state->device);
    if (!state->device)
        return rc_fail(err, RC_ENOMEM, "source 'nvml': no memory for %u devices",
                       state->count);
    for (unsigned i = 0; i < state->count; i++) {
        struct device *device = &state->device[i];
        device->failed = state->needed[HANDLE].handle(i, &device->handle);
        if (device->failed ||
            state->needed[NAME].name(device->handle, device->name, DEVICE_NAME - 1))
            snprintf(device->name, DEVICE_NAME, "unknown");
        rc_text_printable(device->name, DEVICE_NAME, device->name);
    }
    return RC_OK;
}

static int nvml_open(const struct rc_source_setup *setup, struct rc_source_state **out,
                     struct rc_error *err)
{
    *out = NULL;
    if (setup->argument)
        return rc_fail(err, RC_EUSAGE,
                       "source 'nvml' takes no argument, found 'nvml:%s'",
                       setup->argument);
    struct rc_source_state *state = rc_calloc(1, sizeof *state);
    if (!state)
        return rc_fail(err, RC_ENOMEM, "source 'nvml': no memory");
    state->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    int status = state->library
                     ? start_library(state, err)
                     : rc_fail(err, RC_EUNSUPPORTED,
                               "source 'nvml': no NVIDIA driver here: %s", dlerror());
    if (status != RC_OK) {
        nvml_close(state);
        return status;
    }
    *out = state;
    return RC_OK;
}

/* The number of devices, and their names: equal ones in a row once. */
static void nvml_identify(struct rc_source_state *state, char *out, size_t room)
{
    const struct device *device = state->device;

    snprintf(out, room, "NVIDIA devices: %u", state->count);
    for (unsigned i = 0; i < state->count; i++)
        if (!i || strcmp(device[i].name, device[i - 1].name) != 0)
            rc_text_append(out, room, ", %s", device[i].name);
}

static int nvml_enumerate(struct rc_source_state *state,
                          const struct rc_enumerate *what, struct rc_event_sink *sink,
                          struct rc_error *err)
{
    char name[64], description[256];

    (void)what;
    for (uint32_t i = 0; i < state->count * VALUES; i++) {
        const struct value *value = &values[i % VALUES];
        const bool counts = value->shape == COUNTER;
        const struct rc_event_info info = {.name = name,
                                           .description = description,
                                           .scope = RC_SCOPE_DEVICE,
                                           .evidence = "NVML reads it from a GPU",
                                           .state = !counts,
                                           .domain = value->apart,
                                           .alike = 1};
        snprintf(name, sizeof name, "nvml:::device_%" PRIu32 ":%s", i / VALUES,
                 value->name);
        snprintf(description, sizeof description, "%s: %s, %s",
                 state->device[i / VALUES].name, value->what,
                 counts ? "a counter" : "a state: its value at the end");
        int status = sink->add(sink, &info, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Reads the current value of an event; returns 0 or the error's number. */
static int read_value(const struct rc_source_state *state, uint32_t event,
                      uint64_t *out)
{
    const struct device *device = &state->device[event / VALUES];
    const struct value *value = &values[event % VALUES];
    const union call call = state->value[event % VALUES];
    const int choice = value->choice;
    struct field field = {.id = (unsigned)choice};
    unsigned number[2] = {0};
    unsigned long long large[3] = {0};
    int failed = device->failed;

    if (failed || !call.symbol)
        return failed ? failed : NO_FUNCTION;
    switch (value->shape) {
    case NUMBERS:
        failed = call.numbers(device->handle, number);
        *out = number[choice];
        break;
    case LARGE:
    case COUNTER:
        failed = call.large(device->handle, large);
        *out = large[choice];
        break;
    case CHOICE:
        failed = call.choice(device->handle, choice, number);
        *out = number[0];
        break;
    case FIELD:
        failed = call.fields(device->handle, 1, &field);
        failed = failed ? failed : field.failed;
        *out = field.type == IS_UNSIGNED_INT ? field.value.number : field.value.large;
        break;
    }
    return failed;
}

static bool is_counter(const struct armed *armed)
{
    return values[armed->event % VALUES].shape == COUNTER;
}

static void nvml_read(struct rc_group_state *group, bool end)
{
    for (size_t i = 0; i < group->polled.count; i++) {
        struct armed *armed = &group->armed[i];
        if (end || is_counter(armed))
            armed->why[end] = words_of(
                read_value(group->source, armed->event, &armed->number[end].size));
    }
}

static const char *nvml_number(const struct rc_group_state *group, size_t index,
                               bool end, struct rc_counter_number *out)
{
    *out = group->armed[index].number[end];
    return group->armed[index].why[end];
}

static struct rc_counter_rule nvml_rule(const struct rc_group_state *group,
                                        size_t index)
{
    return (struct rc_counter_rule){.state = !is_counter(&group->armed[index])};
}

static void nvml_turn(struct rc_group_state *group)
{
    for (size_t i = 0; i < group->polled.count; i++) {
        struct armed *armed = &group->armed[i];
        if (is_counter(armed)) {
            armed->number[0] = armed->number[1];
            armed->why[0] = armed->why[1];
        }
    }
}

static const struct rc_polled_way way = {nvml_read, nvml_number, nvml_rule, nvml_turn};

static void nvml_disarm(struct rc_group_state *group)
{
    free(group);
}

static int nvml_arm(struct rc_source_state *state, const uint32_t *events, size_t count,
                    struct rc_group_state **out, struct rc_error *err)
{
    struct rc_group_state *group =
        rc_calloc(1, sizeof *group + count * sizeof group->armed[0]);

    *out = NULL;
    if (!group)
        return rc_fail(err, RC_ENOMEM, "no memory for a group of %zu events", count);
    group->polled = (struct rc_polled){.way = &way, .count = count};
    group->source = state;
    for (size_t i = 0; i < count; i++) {
        const uint32_t event = events[i];
        if (event >= state->count * VALUES) {
            free(group);
            return rc_fail(err, RC_EMISSING, "nvml: no event number %" PRIu32, event);
        }
        group->armed[i].event = event;
    }
    *out = group;
    return RC_OK;
}

static void nvml_trial(struct rc_source_state *state, const uint32_t *events,
                       size_t count, struct rc_trial *out)
{
    uint64_t value;

    rc_polled_trial(&rc_source_nvml, state, events, count, out);
    if (out->verdict == RC_VERDICT_UNSUPPORTED && count == 1 &&
        events[0] < state->count * VALUES &&
        read_value(state, events[0], &value) == NO_PERMISSION)
        out->verdict = RC_VERDICT_NOT_PERMITTED;
}

const struct rc_source rc_source_nvml = {
    .name = "nvml",
    .summary = "power, energy, load and clocks of NVIDIA's GPUs",
    .label = "real",
    .runs_kernels = true,
    .any_number = true,
    .open = nvml_open,
    .close = nvml_close,
    .identify = nvml_identify,
    .enumerate = nvml_enumerate,
    .trial = nvml_trial,
    .arm = nvml_arm,
    .disarm = nvml_disarm,
    .start = rc_polled_start,
    .stop = rc_polled_stop,
    .lap = rc_polled_lap,
};
