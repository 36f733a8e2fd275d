/* profile_duty WORD...: spends processor time in functions of known shares
 *
 *     work MS       70 % of it in duty_heavy(), 20 % in duty_light(), 10 % in
 *                   duty_work(), which calls them
 *     threads N MS  so many threads at once, each of which works
 *     deep N MS     in duty_deep(), which calls itself so many times first
 *     large MS      in duty_heavy(), called by duty_large() with 16 KiB in its frame
 *     loop N        N million times a step in duty_leaf(), which calls nothing
 *     child MS      a child process works, and is waited for
 *     exec          continues as a new program, with the following words
 *     sleep MS      takes no processor time
 *     exit N        ends
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OWN __attribute__((noinline))

static volatile double sum;

/* This thread's processor time. */
static inline __attribute__((always_inline)) void spend(double ms)
{
    struct timespec t;
    double now, end;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    end = (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6 + ms;
    do {
        for (int i = 0; i < 20000; i++)
            sum = sum + i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        now = (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
    } while (now < end);
}

OWN void duty_heavy(double ms);
OWN void duty_light(double ms);
OWN void duty_work(double ms);
OWN void duty_deep(long depth, double ms);
OWN void duty_large(double ms);
OWN void duty_leaf(long count);

void duty_heavy(double ms)
{
    spend(0.7 * ms);
}

void duty_light(double ms)
{
    spend(0.2 * ms);
}

/* In small turns, so that each moment has the same shares. */
void duty_work(double ms)
{
    const double turn = 30;

    for (long i = 0; i < (long)(ms / turn); i++) {
        duty_heavy(turn);
        duty_light(turn);
        spend(0.1 * turn);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): so that there is a deep stack */
void duty_deep(long depth, double ms)
{
    if (depth > 0)
        duty_deep(depth - 1, ms);
    else
        spend(ms);
    sum = sum + 1;
}

void duty_large(double ms)
{
    volatile char room[16384];

    for (size_t i = 0; i < sizeof room; i++) /* memory that is not there ends a copy */
        room[i] = 1;
    duty_heavy(ms / 0.7);
    sum = sum + room[0];
}

/* Compilers give it no frame. */
void duty_leaf(long count)
{
    for (long i = 0; i < count; i++)
        sum = sum + 1;
}

static void *thread_main(void *ms)
{
    duty_work(*(double *)ms);
    return NULL;
}

static void run_threads(long count, double ms)
{
    pthread_t thread[64];

    for (long i = 0; i < count && i < 64; i++)
        if (pthread_create(&thread[i], NULL, thread_main, &ms) != 0)
            exit(98);
    for (long i = 0; i < count && i < 64; i++)
        pthread_join(thread[i], NULL);
}

static void run_child(double ms)
{
    const pid_t child = fork();

    if (child == 0) {
        duty_work(ms);
        _exit(0);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child)
        exit(97);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "exec") == 0) {
            argv[i] = argv[0];
            execv(argv[0], argv + i);
            return 96;
        }
        if (i + 1 == argc)
            return 95;
        const double number = strtod(argv[++i], NULL);
        if (strcmp(word, "work") == 0)
            duty_work(number);
        else if (strcmp(word, "threads") == 0 && i + 1 < argc)
            run_threads((long)number, strtod(argv[++i], NULL));
        else if (strcmp(word, "deep") == 0 && i + 1 < argc)
            duty_deep((long)number, strtod(argv[++i], NULL));
        else if (strcmp(word, "large") == 0)
            duty_large(number);
        else if (strcmp(word, "loop") == 0)
            duty_leaf((long)(number * 1e6));
        else if (strcmp(word, "child") == 0)
            run_child(number);
        else if (strcmp(word, "sleep") == 0)
            usleep((useconds_t)(number * 1000));
        else if (strcmp(word, "exit") == 0)
            return (int)number;
        else
            return 94;
    }
    return 0;
}
