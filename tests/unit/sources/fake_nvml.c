/* A made-up libnvidia-ml.so.1 for tests: its devices and values are lines "KEY NUMBER"
 * of the file that RC_FAKE_NVML names, read at each call.  A negative number is an
 * error's, and what has no line is not supported.  RC_FAKE_NVML_NAME is the name of all
 * devices. With RC_FAKE_OLD it lacks functions that came late, with RC_FAKE_EMPTY
 * nearly all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct field {
    unsigned id, scope;
    long long time, latency;
    int type, failed;
    union {
        unsigned number;
        unsigned long long large;
    } value;
};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetName(void *device, char *name, unsigned room);
int nvmlDeviceGetPowerUsage(void *device, unsigned *power);
int nvmlDeviceGetFieldValues(void *device, int count, struct field *fields);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *energy);
int nvmlDeviceGetUtilizationRates(void *device, unsigned *rates);
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *memory);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *temperature);
int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz);
int nvmlDeviceGetPcieThroughput(void *device, int way, unsigned *rate);

/* Returns 0, or the error's number; *out keeps its value then. */
static int find_line(const char *key, long long *out)
{
    const char *path = getenv("RC_FAKE_NVML");
    FILE *in = path ? fopen(path, "r") : NULL;
    char word[64];
    long long number;
    int failed = 3;

    while (in && fscanf(in, "%63s %lld", word, &number) == 2)
        if (strcmp(word, key) == 0) {
            failed = number < 0 ? (int)-number : 0;
            *out = failed ? *out : number;
        }
    if (in)
        fclose(in);
    return failed;
}

int nvmlInit_v2(void)
{
    long long ignored = 0;
    const int failed = find_line("init", &ignored);

    return failed == 3 ? 0 : failed;
}

#ifndef RC_FAKE_EMPTY
int nvmlShutdown(void)
{
    return 0;
}

/* A device's handle is the address of one of these. */
static char devices[256];

static int find_of(const void *device, const char *key, long long *out)
{
    char name[64];

    snprintf(name, sizeof name, "%d.%s", (int)((const char *)device - devices), key);
    return find_line(name, out);
}

static int find_number(const void *device, const char *key, unsigned *out)
{
    long long number = 0;
    const int failed = find_of(device, key, &number);

    if (!failed)
        *out = (unsigned)number;
    return failed;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    long long number = 0;
    const int failed = find_line("devices", &number);

    *count = (unsigned)number;
    return failed;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    unsigned ignored;

    if (index >= sizeof devices)
        return 2; /* an argument that is none */
    *device = devices + index;
    const int failed = find_number(*device, "handle", &ignored);
    return failed == 3 ? 0 : failed;
}

int nvmlDeviceGetName(void *device, char *name, unsigned room)
{
    const char *given = getenv("RC_FAKE_NVML_NAME");
    unsigned ignored;
    const int failed = find_number(device, "name", &ignored);

    if (failed && failed != 3)
        return failed;
    snprintf(name, room, "%s", given ? given : "Made-up GPU");
    return 0;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *power)
{
    return find_number(device, "power", power);
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned *rates)
{
    const int failed = find_number(device, "gpu", &rates[0]);

    return failed ? failed : find_number(device, "memory", &rates[1]);
}

int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *memory)
{
    long long used = 0;
    const int failed = find_of(device, "used", &used);

    memory[0] = 1ULL << 40;
    memory[1] = memory[0] - (unsigned long long)used;
    memory[2] = (unsigned long long)used;
    return failed;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *temperature)
{
    return sensor == 0 ? find_number(device, "temperature", temperature) : 2;
}

int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
    return clock == 1   ? find_number(device, "sm_clock", mhz)
           : clock == 2 ? find_number(device, "memory_clock", mhz)
                        : 2;
}

int nvmlDeviceGetPcieThroughput(void *device, int way, unsigned *rate)
{
    return way == 0   ? find_number(device, "pcie_tx", rate)
           : way == 1 ? find_number(device, "pcie_rx", rate)
                      : 2;
}

#ifndef RC_FAKE_OLD
int nvmlDeviceGetFieldValues(void *device, int count, struct field *fields)
{
    for (int i = 0; i < count; i++) {
        fields[i].type = 1;
        fields[i].failed = fields[i].id == 186 ? find_number(device, "power_instant",
                                                             &fields[i].value.number)
                                               : 3;
    }
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *energy)
{
    long long number = 0;
    const int failed = find_of(device, "energy", &number);

    *energy = (unsigned long long)number;
    return failed;
}
#endif
#endif
