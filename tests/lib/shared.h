/* shared.h - numbers that the ranks of a test share on their host without MPI, so that
 * one can wait until the others have done something without helping them on: a test
 * that counts on a time instead fails where the machine is slow.
 */
#ifndef RC_TESTS_LIB_SHARED_H
#define RC_TESTS_LIB_SHARED_H

#include "tests/lib/test.h"

#include "campaign/base/clock.h"
#include "tests/lib/on_teams.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SHARED_NUMBERS = 64 };

/* Collective: an array of SHARED_NUMBERS zeros; free it by shared_free(). */
static inline _Atomic int *shared_create(void)
{
    const size_t bytes = SHARED_NUMBERS * sizeof(_Atomic int);
    char path[] = "/tmp/rc_shared_XXXXXX";
    int file = -1;

    if (rank == 0) {
        file = mkstemp(path);
        assert_true(file >= 0);
        assert_int_equal(ftruncate(file, (off_t)bytes), 0);
    }
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, team_comm);
    if (rank != 0)
        file = open(path, O_RDWR);
    assert_true(file >= 0);
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
    close(file);
    MPI_Barrier(team_comm);
    if (rank == 0)
        unlink(path);
    return shared;
}

static inline void shared_free(_Atomic int *shared)
{
    munmap((void *)shared, SHARED_NUMBERS * sizeof(_Atomic int));
}

/* Sleeps for that time, and then until all of the first 'count' numbers but that of
 * 'mine' are at least 'least'.  Whether they were in two minutes.
 */
static inline bool shared_await(_Atomic int *shared, int count, int mine, int least,
                                uint64_t ns)
{
    const uint64_t begin = rc_clock_ns();
    bool all = false;

    while (!all || rc_clock_ns() - begin < ns) {
        if (rc_clock_ns() - begin > UINT64_C(120000000000))
            return false;
        nap_us(1000);
        all = true;
        for (int i = 0; i < count; i++)
            all &= i == mine || atomic_load(&shared[i]) >= least;
    }
    return true;
}

#endif
