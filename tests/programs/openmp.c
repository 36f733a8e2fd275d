/* openmp SLEEP - teams of OpenMP whose threads come late by known times, in ms of
 * SLEEP: three teams of 4 threads, of which thread k comes k * SLEEP after the first;
 * 8 SLEEP without any;
 * one in which they meet at a barrier; one in which they pass a critical section one
 * after the other, each for SLEEP; two of 2 threads, the second with a loop after which
 * threads wait for each other, and one that is within another.  Prints the sum
 * of what all threads did.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long pause_ms;

static void nap(int times)
{
    const long ms = pause_ms * times;
    const struct timespec nap = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&nap, NULL);
}

int main(int argc, char **argv)
{
    long done = 0;

    pause_ms = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(4) reduction(+ : done)
        {
            nap(omp_get_thread_num());
            done++;
        }
    }
    nap(8); /* alone: the three others are idle */
#pragma omp parallel num_threads(4) reduction(+ : done)
    {
        nap(omp_get_thread_num());
#pragma omp barrier
        done++;
    }
#pragma omp parallel num_threads(4) reduction(+ : done)
    {
#pragma omp critical
        nap(1);
        done++;
    }
#pragma omp parallel for num_threads(2) reduction(+ : done) schedule(dynamic, 1)
    for (int i = 0; i < 10; i++)
        done++;
#pragma omp parallel num_threads(2) reduction(+ : done)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 2; i++)
            nap(i);
        done++;
    }
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : done)
    {
#pragma omp parallel num_threads(2) reduction(+ : done)
        {
            nap(omp_get_thread_num());
            done++;
        }
    }
    printf("%ld\n", done);
    return 0;
}
