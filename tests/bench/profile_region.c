/* Prints what a region costs that begins and ends, in ns by median, and by how many
 * bytes the process grows for each: under the library of 'rollcall profile' without
 * events and with three of the kernel's, of PAPI's high-level interface with the same
 * three, and of a program that is not profiled.
 *
 *     bench_profile_region build/lib/librollcall-profile.so [INSTANCES]
 *
 * As many instances fit the ring as a sampler would take out: the ring is emptied while
 * the time stands.  PAPI gets a tenth of the instances, since it keeps them all.
 */
#include "campaign/base/clock.h"
#include "campaign/profile/rollcall.h"
#include "campaign/profile/wire/shared.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUND = 1000, ROUNDS = 100000, BLOCKS = 1 };

static struct rc_shared *shared;

/* Makes the shared file in a file system in memory: its path is in 'path'. */
static int shared_make(char *path, uint32_t events)
{
    static const uint64_t config[] = {PERF_COUNT_SW_PAGE_FAULTS,
                                      PERF_COUNT_SW_CONTEXT_SWITCHES,
                                      PERF_COUNT_SW_TASK_CLOCK};
    const size_t bytes = RC_SHARED_HEAD + BLOCKS * RC_SHARED_BLOCK;
    int file = mkstemp(path);
    if (file < 0 || ftruncate(file, (off_t)bytes))
        return -1;
    shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED)
        return -1;
    shared->magic = RC_SHARED_MAGIC;
    shared->version = RC_SHARED_VERSION;
    shared->clock = RC_SHARED_COUNTER;
    shared->block_most = BLOCKS;
    shared->every = 1;
    shared->event_count = events;
    for (uint32_t i = 0; i < events; i++) {
        const struct perf_event_attr attr = {
            .type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = config[i]};
        memcpy(shared->event[i].attr, &attr, sizeof attr);
        shared->event[i].attr_bytes = sizeof attr;
    }
    return 0;
}

static void ring_empty(void)
{
    struct rc_shared_block *block = (void *)((char *)shared + RC_SHARED_HEAD);
    if (shared)
        atomic_store(&block->tail, atomic_load(&block->head));
}

static int order_counts(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static long resident_bytes(void)
{
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

static void round_of_rollcall(void)
{
    for (int i = 0; i < ROUND; i++) {
        rc_region_begin("solve");
        rc_region_end("solve");
    }
}

static void round_of_papi(void)
{
    for (int i = 0; i < ROUND; i++) {
        PAPI_hl_region_begin("solve");
        PAPI_hl_region_end("solve");
    }
}

/* Times rounds, and prints one line. */
static void rounds_time(const char *what, void (*run)(void), size_t rounds)
{
    static uint64_t took[ROUNDS];
    memset(took, 0, sizeof took); /* its memory is there */
    for (int i = 0; i < 10; i++, ring_empty())
        run();
    long before = resident_bytes();
    for (size_t i = 0; i < rounds; i++, ring_empty()) {
        uint64_t began = rc_clock_raw_ns();
        run();
        took[i] = rc_clock_raw_ns() - began;
    }
    long grown = resident_bytes() - before;
    qsort(took, rounds, sizeof *took, order_counts);
    printf("%-28s %9zu %9.1f %9.1f %9.1f\n", what, rounds * ROUND,
           (double)took[rounds / 2] / ROUND, (double)took[rounds * 99 / 100] / ROUND,
           (double)grown / (double)(rounds * ROUND));
    fflush(stdout);
}

static int child_work(char **argv, size_t rounds)
{
    const char *path = getenv(RC_SHARED_PATH_VARIABLE);
    if (!strcmp(argv[1], "--papi")) {
        rounds_time("PAPI_hl, 3 events", round_of_papi, rounds / 10);
        _exit(0); /* without its files */
    }
    if (path) {
        int file = open(path, O_RDWR);
        shared = mmap(NULL, RC_SHARED_HEAD + BLOCKS * RC_SHARED_BLOCK,
                      PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        if (shared == MAP_FAILED || !atomic_load(&shared->block_used))
            return 1;
    }
    rounds_time(!path                 ? "rollcall.h, no profile"
                : shared->event_count ? "rollcall, 3 events"
                                      : "rollcall, no events",
                round_of_rollcall, rounds);
    if (path) {
        const struct rc_shared_block *block = (void *)((char *)shared + RC_SHARED_HEAD);
        printf("    lost: %" PRIu64 " entries, %" PRIu64 " counts; events: %s\n",
               atomic_load(&block->lost_entries), block->path[1].lost,
               shared->event_count ? strerror((int)block->counters_why) : "none");
    }
    return 0;
}

/* Runs this program again, under the library where 'library' says. */
static int child_run(char **argv, const char *mode, const char *library,
                     uint32_t events, const char *rounds)
{
    char path[] = "/dev/shm/bench-profile-XXXXXX", self[32];
    if (library && shared_make(path, events))
        return 1;
    pid_t child = fork();
    if (!child) {
        snprintf(self, sizeof self, "%ld 0", (long)getpid());
        if (library) {
            setenv(RC_SHARED_PATH_VARIABLE, path, 1);
            setenv(RC_SHARED_SELF_VARIABLE, self, 1);
            setenv("LD_PRELOAD", library, 1);
        }
        setenv("PAPI_EVENTS",
               "perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES,perf::TASK-CLOCK", 1);
        execl("/proc/self/exe", argv[0], mode, rounds, (char *)NULL);
        _exit(127);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (library)
        unlink(path);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s LIBRARY [INSTANCES]\n", argv[0]);
        return 2;
    }
    long instances = argc > 2 ? strtol(argv[2], NULL, 10) : 1000000;
    size_t rounds = instances < 10 * ROUND ? 10 : (size_t)instances / ROUND;
    rounds = rounds < ROUNDS ? rounds : ROUNDS;
    if (!strncmp(argv[1], "--", 2))
        return child_work(argv, rounds);
    char number[32];
    snprintf(number, sizeof number, "%zu", rounds * ROUND);
    printf("%-28s %9s %9s %9s %9s\n", "begin and end", "instances", "ns", "p99",
           "bytes");
    fflush(stdout);
    return child_run(argv, "--run", NULL, 0, number) ||
           child_run(argv, "--run", argv[1], 0, number) ||
           child_run(argv, "--run", argv[1], 3, number) ||
           child_run(argv, "--papi", NULL, 0, number);
}
