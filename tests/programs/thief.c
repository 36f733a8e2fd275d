/* Takes the time of a core in pulses whose truth it writes down, for
 * tests/bench/noise_thief.sh.
 *
 * thief CPU PERIOD_US STEAL_US SECONDS [POISSON_SEED]: on that CPU, above everything at
 * SCHED_FIFO 60, it sleeps until each multiple of the period (or, with a seed, for
 * times that are drawn with that mean) and spins for STEAL_US.  Prints a line "BEGIN
 * END" for each pulse, in ns of CLOCK_MONOTONIC_RAW.
 */
#include "campaign/base/mix.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { PRIORITY = 60 };

struct pulse {
    uint64_t begin, end;
};

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
    const struct timespec until = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

static struct pulse spin(uint64_t ns)
{
    const uint64_t begin = now_ns(CLOCK_MONOTONIC_RAW);
    struct pulse p = {begin, begin};

    while (p.end - begin < ns)
        p.end = now_ns(CLOCK_MONOTONIC_RAW);
    return p;
}

/* On the CPU, above others, in memory; says what could not be done. */
static int take_cpu(long cpu)
{
    const struct sched_param param = {.sched_priority = PRIORITY};
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        fprintf(stderr, "thief: CPU %ld: %s\n", cpu, strerror(errno));
        return 1;
    }
    if (sched_setscheduler(0, SCHED_FIFO, &param) != 0)
        fprintf(stderr, "thief: no SCHED_FIFO: %s\n", strerror(errno));
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        fprintf(stderr, "thief: memory is not locked: %s\n", strerror(errno));
    return 0;
}

static size_t steal(struct pulse *pulse, size_t most, uint64_t period, uint64_t length,
                    uint64_t time, uint64_t seed)
{
    const uint64_t start = now_ns(CLOCK_MONOTONIC) + 1000000;
    uint64_t next = start, state = seed;
    size_t count = 0;

    while (count < most && next < start + time) {
        sleep_until(next);
        pulse[count++] = spin(length);
        if (!seed) {
            next = start + count * period;
            continue;
        }
        const double part = (double)((rc_mix_next(&state) >> 11) + 1) * 0x1p-53;
        next += (uint64_t)(-log(part) * (double)period);
    }
    return count;
}

int main(int argc, char **argv)
{
    double number[5] = {0};

    for (int i = 1; i < argc && i <= 5; i++) {
        char *end;
        number[i - 1] = strtod(argv[i], &end);
        if (end == argv[i] || *end || number[i - 1] < 0)
            argc = 0;
    }
    if (argc < 5 || argc > 6 || number[1] < 1) {
        fprintf(stderr, "usage: thief CPU PERIOD_US STEAL_US SECONDS [POISSON_SEED]\n");
        return 2;
    }
    const size_t most = (size_t)(number[3] * 1e6 / number[1] * 2) + 16;
    struct pulse *pulse = calloc(most, sizeof *pulse);
    if (!pulse || take_cpu((long)number[0]))
        return 1;
    const size_t count =
        steal(pulse, most, (uint64_t)(number[1] * 1000), (uint64_t)(number[2] * 1000),
              (uint64_t)(number[3] * 1e9), argc == 6 ? (uint64_t)number[4] + 1 : 0);
    for (size_t i = 0; i < count; i++)
        printf("%" PRIu64 " %" PRIu64 "\n", pulse[i].begin, pulse[i].end);
    free(pulse);
    return 0;
}
