/* A program that is profiled, for test_profile_preload.c: what it does is named by its
 * first word, with a number as its second.  It exits with 0, and prints nothing but
 * what it is asked for.
 */
#include "campaign/profile/rollcall.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char **words;

static void region_times(const char *name, long times)
{
    for (long i = 0; i < times; i++) {
        rc_region_begin(name);
        rc_region_end(name);
    }
}

static int do_nothing(long n)
{
    return n != 0;
}

static int do_nested(long n)
{
    for (long i = 0; i < n; i++) {
        rc_region_begin("outer");
        region_times("inner", 2);
        region_times("", 1);
        rc_region_end("outer");
    }
    region_times("inner", 1);
    return 0;
}

static int do_recursion(long n)
{
    for (long i = 0; i < n; i++)
        rc_region_begin("again");
    for (long i = 0; i < n; i++)
        rc_region_end("again");
    region_times("behind", 1);
    return 0;
}

/* Ends that have no beginning, that come too early, and NULL. */
static int do_mismatch(long n)
{
    rc_region_end("never");
    rc_region_begin("a");
    rc_region_begin("b");
    rc_region_begin("c");
    rc_region_end("a");
    rc_region_end("b");
    rc_region_begin(NULL);
    rc_region_end(NULL);
    rc_region_end(NULL);
    return do_nothing(n);
}

/* Names of so many bytes, all of them different, each twice; "inside" stands for itself
 * and inside of the last one.
 */
static int do_names(long n)
{
    char name[1000];
    region_times("inside", 1);
    for (int i = 0; i < 4000; i++) {
        snprintf(name, sizeof name, "%0*d", (int)n, i);
        region_times(name, 2);
    }
    rc_region_begin(name);
    region_times("inside", 3);
    rc_region_end(name);
    return 0;
}

static int do_long_name(long n)
{
    char name[1000];
    memset(name, 'x', sizeof name);
    name[n] = 'y';
    name[n + 1] = '\0';
    region_times(name, 1);
    name[n] = 'z';
    region_times(name, 1);
    return 0;
}

static int do_times(long n)
{
    rc_region_begin("outer");
    rc_region_begin("middle");
    region_times("inner", n);
    rc_region_end("middle");
    rc_region_end("outer");
    return 0;
}

static void *thread_times(void *data)
{
    rc_region_begin("thread");
    region_times("inner", *(const long *)data);
    rc_region_end("thread");
    return NULL;
}

/* So many threads at once, each with its number of instances. */
static int do_threads(long n)
{
    pthread_t thread[1024];
    long times[1024];
    for (long i = 0; i < n; i++) {
        times[i] = i + 1;
        if (pthread_create(&thread[i], NULL, thread_times, &times[i]))
            return 1;
    }
    for (long i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

/* So many threads one after the other, each for a byte that is read if 'in_step'. */
static int threads_in_turn(long n, bool in_step)
{
    for (long i = 0; i < n; i++) {
        pthread_t thread;
        char byte;
        if (in_step && read(0, &byte, 1) != 1)
            return 2;
        if (pthread_create(&thread, NULL, thread_times, &i))
            return 1;
        pthread_join(thread, NULL);
    }
    return 0;
}

static int do_one_by_one(long n)
{
    return threads_in_turn(n, false);
}

static int do_in_step(long n)
{
    return threads_in_turn(n, true);
}

static void *thread_waits(void *data)
{
    region_times("waits", 1);
    *(volatile long *)data = 1;
    for (;;)
        pause();
    return NULL;
}

static int do_exit_beside(long n)
{
    static volatile long there;
    pthread_t thread;
    if (pthread_create(&thread, NULL, thread_waits, (void *)&there))
        return 1;
    while (!there)
        sched_yield();
    return do_nothing(n);
}

static int do_exit_inside(long n)
{
    rc_region_begin("main");
    rc_region_begin("deep");
    exit(do_nothing(n));
}

static int do_quit(long n)
{
    rc_region_begin("main");
    _exit(do_nothing(n));
}

/* Files but the first three. */
static int open_files(void)
{
    int count = 0;
    for (int i = 3; i < 5000; i++)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

/* A child has as many files as its parent: its own counters', if any. */
static int do_fork(long n)
{
    int files = open_files();
    int status = 1;
    rc_region_begin("parent");
    for (long i = 0; i < n; i++) {
        pid_t child = fork();
        if (!child) {
            region_times("child", 3);
            exit(open_files() != files);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status)
            return 1;
    }
    rc_region_end("parent");
    return 0;
}

static int do_exec(long n)
{
    region_times("before", n);
    char *next[] = {words[0], "times", "2", NULL};
    execv("/proc/self/exe", next);
    return 1;
}

static volatile long handled;

static void on_signal(int signal)
{
    (void)signal;
    region_times("handler", 1);
    handled++;
}

/* Regions while a handler has its own, until it was there that often. */
static int do_signals(long n)
{
    struct itimerval often = {{0, 200}, {0, 200}};
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < n)
        region_times("main", 1);
    signal(SIGALRM, SIG_IGN);
    printf("%ld\n", handled);
    return 0;
}

/* State that calls leave: errno, and the least files that are free. */
static int do_leaves(long n)
{
    errno = 4711;
    region_times("main", n);
    if (errno != 4711)
        return 1;
    for (int least = 3; least < 10; least++) {
        if (open("/dev/null", O_RDONLY) != least)
            return 2;
    }
    return 0;
}

static void touch_pages(long n)
{
    size_t bytes = (size_t)n * 4096;
    char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(3);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
    munmap(memory, bytes);
}

static void *thread_pages(void *data)
{
    touch_pages(*(const long *)data);
    rc_region_begin("pages");
    touch_pages(*(const long *)data);
    rc_region_end("pages");
    return NULL;
}

static int do_pages(long n)
{
    pthread_t thread;
    thread_pages(&n);
    return pthread_create(&thread, NULL, thread_pages, &n) ||
           pthread_join(thread, NULL);
}

/* All files are closed, and others come in their places: nothing is read from them. */
static int do_close_all(long n)
{
    int pipes[2];
    char byte = 0;
    region_times("before", 1);
    for (int i = 3; i < 5000; i++)
        close(i);
    if (pipe2(pipes, O_NONBLOCK) || write(pipes[1], "x", 1) != 1)
        return 1;
    for (int i = 5; i < (int)n; i++)
        dup2(pipes[0], i);
    usleep(50000); /* before that, nobody looks */
    region_times("after", 5);
    int status = read(pipes[0], &byte, 1) != 1 || byte != 'x';
    for (int i = 3; i < (int)n; i++)
        close(i);
    return status;
}

/* A library that was loaded for itself alone names regions by tools' functions, which
 * are found, then, even when it was closed.
 */
static int do_tools(long n)
{
    void *library = dlopen(words[3], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*use)(long) = (int (*)(long))dlsym(library, "tools_use");
    int (*begin)(const char *) =
        (int (*)(const char *))dlsym(RTLD_DEFAULT, "PAPI_hl_region_begin");
    int (*end)(const char *) =
        (int (*)(const char *))dlsym(RTLD_DEFAULT, "PAPI_hl_region_end");
    if (!use || !begin || !end || use(n) || dlclose(library))
        return 2;
    return begin("papi") != 17 || end("papi") != 18;
}

/* Functions of a tool that is not there: the library that is preloaded has them. */

static int do_without_tools(long n)
{
    int (*push)(const char *) =
        (int (*)(const char *))dlsym(RTLD_DEFAULT, "nvtxRangePushA");
    int (*pop)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "nvtxRangePop");
    for (long i = 0; push && pop && i < n; i++) {
        if (push("push") != -2)
            return 1;
        rc_region_begin("left open");
        if (pop() != -2)
            return 2;
    }
    return !push || !pop;
}

static const struct {
    const char *name;
    int (*run)(long n);
} works[] = {
    {"nothing", do_nothing},
    {"nested", do_nested},
    {"recursion", do_recursion},
    {"mismatch", do_mismatch},
    {"names", do_names},
    {"long-name", do_long_name},
    {"times", do_times},
    {"threads", do_threads},
    {"one-by-one", do_one_by_one},
    {"in-step", do_in_step},
    {"exit-beside", do_exit_beside},
    {"exit-inside", do_exit_inside},
    {"quit", do_quit},
    {"fork", do_fork},
    {"exec", do_exec},
    {"signals", do_signals},
    {"leaves", do_leaves},
    {"pages", do_pages},
    {"close-all", do_close_all},
    {"tools", do_tools},
    {"without-tools", do_without_tools},
};

int main(int argc, char **argv)
{
    words = argv;
    for (size_t i = 0; argc > 2 && i < sizeof works / sizeof works[0]; i++) {
        if (!strcmp(argv[1], works[i].name))
            return works[i].run(strtol(argv[2], NULL, 10));
    }
    return 99;
}
