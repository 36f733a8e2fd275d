/* stream.c - one reading of a loop of the suite 'stream', for tests/bench/stream_likwid.sh
 *
 *   bench_stream KERNEL STORE BYTES PASSES PAGES CPU...
 *
 * A worker on each CPU passes over arrays of BYTES of its own.  It prints GB/s of all of
 * them, by the bytes that the loop names, in the time from the first begin to the last
 * end.  PAGES: 'huge', as the suite has them, or 'small'.
 */
#include "kernels/stream/stream.h"
#include "campaign/base/clock.h"

#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS_MOST = 256, PAUSE_US = 100000 };

/* Memory that the workers share. */
struct shared {
    _Atomic unsigned ready;
    uint64_t begin_ns[WORKERS_MOST], end_ns[WORKERS_MOST];
};

static struct rc_suite_request this_machine(bool huge)
{
    struct rc_suite_request request = rc_request_default;

    request.geometry.huge_page_bytes = huge ? UINT64_C(2) << 20 : 0;
    return request;
}

static void stop(const char *why)
{
    fprintf(stderr, "stream: %s\n", why);
    exit(1);
}

/* The work of a worker; never returns. */
static void work(struct shared *shared, unsigned me, unsigned workers, unsigned cpu,
                 const struct rc_suite_request *request, const struct rc_point *point,
                 uint64_t passes)
{
    struct rc_error err = {.text = ""};
    struct rc_kernel *kernel;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one))
        stop("no such CPU");
    if (rc_suite_stream.setup(request, point, &kernel, &err) != RC_OK)
        stop(err.text);
    rc_suite_stream.run(kernel, 1);
    (void)usleep(
        PAUSE_US); /* the scheduler owes it time then, as it owes likwid-bench */
    rc_suite_stream.prepare(kernel);
    atomic_fetch_add(&shared->ready, 1);
    while (atomic_load(&shared->ready) < workers)
        ;
    shared->begin_ns[me] = rc_clock_ns();
    rc_suite_stream.run(kernel, passes);
    shared->end_ns[me] = rc_clock_ns();
    if (rc_suite_stream.verify(kernel, passes, &err) != RC_OK)
        stop(err.text);
    rc_suite_stream.teardown(kernel);
    exit(0);
}

/* The number of a word of an axis. */
static int64_t word_of(const char *axis, const char *word)
{
    for (const struct rc_axis *a = rc_suite_stream.chosen; a->name; a++)
        for (int64_t i = 0; strcmp(a->name, axis) == 0 && a->words[i]; i++)
            if (strcmp(a->words[i], word) == 0)
                return i;
    stop("no such kernel or store");
    return 0;
}

int main(int argc, char **argv)
{
    const unsigned workers = argc > 6 ? (unsigned)argc - 6 : 0;
    const uint64_t passes = workers ? strtoull(argv[4], NULL, 10) : 0;
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t begin = UINT64_MAX, end = 0;
    int state, failed = 0;

    if (passes == 0 || workers > WORKERS_MOST || shared == MAP_FAILED)
        stop("expected KERNEL STORE BYTES PASSES PAGES CPU...");
    const bool huge = strcmp(argv[5], "huge") == 0;
    const struct rc_suite_request request = this_machine(huge);
    const struct rc_point point = {.name = "bench",
                                   .axis = {word_of("kernel", argv[1]),
                                            strtoll(argv[3], NULL, 10), workers,
                                            word_of("store", argv[2])}};
    if (!huge)
        (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    for (unsigned i = 0; i < workers; i++) {
        const pid_t child = fork();
        if (child == 0)
            work(shared, i, workers, (unsigned)atoi(argv[6 + i]), &request, &point,
                 passes);
        if (child < 0)
            stop("fork failed");
    }
    while (wait(&state) > 0)
        failed |= state;
    if (failed)
        return 1;
    for (unsigned i = 0; i < workers; i++) {
        begin = shared->begin_ns[i] < begin ? shared->begin_ns[i] : begin;
        end = shared->end_ns[i] > end ? shared->end_ns[i] : end;
    }
    printf("%.3f\n",
           workers * (double)passes *
               rc_expect(&rc_suite_stream, &request, &point, RC_IDEAL_B_STREAM) /
               (double)(end - begin));
    return 0;
}
