/* idle.h - tests that wait, and look whether others do so asleep */
#ifndef RC_TESTS_LIB_IDLE_H
#define RC_TESTS_LIB_IDLE_H

#include <sys/resource.h>
#include <time.h>

static inline void nap_us(long us)
{
    struct timespec time = {us / 1000000, us % 1000000 * 1000};

    nanosleep(&time, NULL);
}

/* This process's, so far. */
static inline double cpu_seconds(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
}

#endif
