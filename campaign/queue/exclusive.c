#include "campaign/queue/exclusive_parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A condition variable would be the obvious thing to sleep on, but one that is
 * shared between processes does not survive a waiter that is killed.  So: a
 * robust mutex for the board, and a futex of its own for each unit, on which a
 * killed waiter leaves no trace.
 */

enum { LOOK_NS = 100000000, IDLE_NS = 5000000 };

enum state { BUSY, QUIET, RESTING, WAITING, READING, GONE, DEAD };

struct member {
    pthread_mutex_t alive; /* held for life; the kernel tells when its owner died */
    size_t unit;
    uint64_t turn; /* of one who waits to read */
    enum state state;
    _Atomic uint32_t changes; /* of the unit whose first member this is */
};

struct rc_quiet_board {
    pthread_mutex_t lock; /* short: never held while somebody measures or sleeps */
    size_t members;
    uint64_t turns;
    struct member member[];
};

struct rc_quiet {
    struct rc_quiet_board *board;
    size_t bytes; /* mapped by us, or 0 */
    size_t self, unit;
    struct rc_quiet_idle idle;
};

typedef bool ready_fn(struct rc_quiet *quiet);

size_t rc_quiet_board_bytes(size_t members)
{
    return sizeof(struct rc_quiet_board) + members * sizeof(struct member);
}

static int robust_mutex(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attr;
    int error = pthread_mutexattr_init(&attr);

    if (error)
        return error;
    error = pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    if (!error)
        error = pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    if (!error)
        error = pthread_mutex_init(mutex, &attr);
    pthread_mutexattr_destroy(&attr);
    return error;
}

int rc_quiet_board_init(struct rc_quiet_board *board, size_t members,
                        struct rc_error *err)
{
    int error = robust_mutex(&board->lock);

    for (size_t i = 0; i < members && !error; i++)
        error = robust_mutex(&board->member[i].alive);
    if (error) {
        errno = error;
        return rc_fail_errno(err, "cannot make a mutex that processes share");
    }
    board->members = members;
    return RC_OK;
}

/* One who died with the lock may have left half a change, but every change is
 * of single words, and the dead are found by look_for_dead().
 */
static void lock(struct rc_quiet_board *board)
{
    if (pthread_mutex_lock(&board->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&board->lock);
}

static void unlock(struct rc_quiet_board *board)
{
    pthread_mutex_unlock(&board->lock);
}

/* The word on which the workers of our unit sleep. */
static _Atomic uint32_t *changes(struct rc_quiet *quiet)
{
    size_t first = 0;

    while (quiet->board->member[first].unit != quiet->unit)
        first++;
    return &quiet->board->member[first].changes;
}

static void wake_all(struct rc_quiet *quiet)
{
    _Atomic uint32_t *word = changes(quiet);

    atomic_fetch_add(word, 1);
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void sleep_on(_Atomic uint32_t *word, uint32_t seen, uint64_t most_ns)
{
    struct timespec most = {(time_t)(most_ns / 1000000000),
                            (long)(most_ns % 1000000000)};

    syscall(SYS_futex, word, FUTEX_WAIT, seen, &most, NULL, 0);
}

static void become(struct rc_quiet *quiet, enum state state)
{
    quiet->board->member[quiet->self].state = state;
    wake_all(quiet);
}

/* The lock is held.  Whoever's mutex we can take has left it, or has died. */
static void look_for_dead(struct rc_quiet *quiet)
{
    struct rc_quiet_board *board = quiet->board;

    for (size_t i = 0; i < board->members; i++) {
        struct member *other = &board->member[i];
        if (i == quiet->self || other->unit != quiet->unit || other->state >= GONE)
            continue;
        int error = pthread_mutex_trylock(&other->alive);
        if (error == EBUSY)
            continue;
        if (error == EOWNERDEAD) {
            pthread_mutex_consistent(&other->alive);
            other->state = DEAD;
            wake_all(quiet);
        }
        if (error == 0 || error == EOWNERDEAD)
            pthread_mutex_unlock(&other->alive);
    }
}

static size_t others_in(const struct rc_quiet *quiet, enum state state)
{
    const struct rc_quiet_board *board = quiet->board;
    size_t count = 0;

    for (size_t i = 0; i < board->members; i++)
        count += i != quiet->self && board->member[i].unit == quiet->unit &&
                 board->member[i].state == state;
    return count;
}

static bool nobody_reads(struct rc_quiet *quiet)
{
    return others_in(quiet, READING) == 0;
}

static bool nobody_wants_to_read(struct rc_quiet *quiet)
{
    return nobody_reads(quiet) && others_in(quiet, WAITING) == 0;
}

static bool all_rest(struct rc_quiet *quiet)
{
    /* One that was waked from its rest and is busy again does not hold us back. */
    if (quiet->board->member[quiet->self].state != RESTING)
        return true;
    return nobody_wants_to_read(quiet) && others_in(quiet, BUSY) == 0;
}

static bool my_turn(struct rc_quiet *quiet)
{
    const struct rc_quiet_board *board = quiet->board;

    if (!nobody_reads(quiet) || others_in(quiet, BUSY) > 0)
        return false;
    for (size_t i = 0; i < board->members; i++)
        if (board->member[i].unit == quiet->unit && board->member[i].state == WAITING &&
            board->member[i].turn < board->member[quiet->self].turn)
            return false;
    return true;
}

/* The lock is held before and after, and not meanwhile.  While somebody reads,
 * only the long sleeps that look for the dead are interrupted.
 */
static void wait_until(struct rc_quiet *quiet, ready_fn *ready)
{
    _Atomic uint32_t *word = changes(quiet);
    uint64_t looked = rc_clock_ns();

    while (!ready(quiet)) {
        uint32_t seen = atomic_load(word);
        bool idle = quiet->idle.call && nobody_reads(quiet);
        unlock(quiet->board);
        sleep_on(word, seen, idle ? quiet->idle.every_ns : LOOK_NS);
        if (idle)
            quiet->idle.call(quiet->idle.arg);
        lock(quiet->board);
        if (rc_clock_ns() - looked >= LOOK_NS) {
            look_for_dead(quiet);
            looked = rc_clock_ns();
        }
    }
}

void rc_quiet_acquire(struct rc_quiet *quiet)
{
    lock(quiet->board);
    quiet->board->member[quiet->self].turn = quiet->board->turns++;
    become(quiet, WAITING);
    wait_until(quiet, my_turn);
    quiet->board->member[quiet->self].state = READING; /* nobody waits for that */
    unlock(quiet->board);
}

static void change(struct rc_quiet *quiet, enum state state)
{
    lock(quiet->board);
    become(quiet, state);
    unlock(quiet->board);
}

void rc_quiet_release(struct rc_quiet *quiet)
{
    change(quiet, BUSY);
}

void rc_quiet_enter(struct rc_quiet *quiet)
{
    change(quiet, QUIET);
}

void rc_quiet_exit(struct rc_quiet *quiet)
{
    lock(quiet->board);
    wait_until(quiet, nobody_reads);
    become(quiet, BUSY);
    unlock(quiet->board);
}

void rc_quiet_yield(struct rc_quiet *quiet)
{
    lock(quiet->board);
    if (!nobody_wants_to_read(quiet)) {
        become(quiet, QUIET);
        wait_until(quiet, nobody_wants_to_read);
        become(quiet, BUSY);
    }
    unlock(quiet->board);
}

/* The last to come frees all at once: they are busy from then on, and some may
 * rest a second time before others have noticed.
 */
void rc_quiet_rest(struct rc_quiet *quiet)
{
    struct rc_quiet_board *board = quiet->board;

    lock(board);
    become(quiet, RESTING);
    wait_until(quiet, all_rest);
    bool last = board->member[quiet->self].state == RESTING;
    for (size_t i = 0; last && i < board->members; i++)
        if (board->member[i].unit == quiet->unit && board->member[i].state == RESTING)
            board->member[i].state = BUSY;
    if (last)
        wake_all(quiet);
    unlock(board);
}

size_t rc_quiet_dead(const struct rc_quiet *quiet)
{
    size_t dead;

    lock(quiet->board);
    dead = others_in(quiet, DEAD);
    unlock(quiet->board);
    return dead;
}

int rc_quiet_join(struct rc_quiet_board *board, size_t self, size_t unit,
                  const struct rc_quiet_idle *idle, struct rc_quiet **out,
                  struct rc_error *err)
{
    struct rc_quiet *quiet = rc_calloc(1, sizeof *quiet);
    int error;

    *out = NULL;
    if (!quiet)
        return rc_fail(err, RC_ENOMEM, "no memory for a worker's quiet");
    quiet->board = board;
    quiet->self = self;
    quiet->unit = unit;
    if (idle)
        quiet->idle = *idle;
    if (quiet->idle.every_ns == 0)
        quiet->idle.every_ns = IDLE_NS;
    error = pthread_mutex_lock(&board->member[self].alive);
    if (error) {
        free(quiet);
        errno = error;
        return rc_fail_errno(err, "cannot lock a worker's mutex");
    }
    board->member[self].unit = unit;
    board->member[self].state = BUSY;
    *out = quiet;
    return RC_OK;
}

/* The first rank makes the file; all map it and the name is gone again before
 * rc_quiet_create() returns.
 */
static int map_board(const char *name, bool first, size_t bytes, void **out,
                     struct rc_error *err)
{
    int fd = shm_open(name, first ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
    int status = RC_OK, error;

    *out = NULL;
    if (fd < 0)
        return rc_fail_errno(err, "cannot open shared memory '%s'", name);
    error = first ? posix_fallocate(fd, 0, (off_t)bytes) : 0;
    if (error) {
        errno = error;
        status = rc_fail_errno(err, "cannot get %zu bytes of shared memory", bytes);
        goto out;
    }
    *out = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (*out == MAP_FAILED) {
        *out = NULL;
        status = rc_fail_errno(err, "cannot map shared memory '%s'", name);
    }
out:
    close(fd);
    return status;
}

static int open_board(MPI_Comm node, size_t bytes, void **board, struct rc_error *err)
{
    static unsigned made; /* names of one process must differ, that is all */
    bool first = rc_team_rank(node) == 0;
    char name[64];
    int status = RC_OK;

    *board = NULL;
    snprintf(name, sizeof name, "/rollcall-quiet-%ld-%u-%llx", (long)getpid(), made++,
             (unsigned long long)rc_clock_ns());
    if (node != MPI_COMM_NULL)
        MPI_Bcast(name, sizeof name, MPI_CHAR, 0, node);
    if (first) {
        status = map_board(name, true, bytes, board, err);
        if (status == RC_OK)
            status = rc_quiet_board_init(*board, (size_t)rc_team_size(node), err);
    }
    status = rc_agree(node, status, err);
    if (status == RC_OK && !first)
        status = map_board(name, false, bytes, board, err);
    status = rc_agree(node, status, err);
    if (first)
        shm_unlink(name);
    return status;
}

int rc_quiet_create(MPI_Comm node, size_t unit, const struct rc_quiet_idle *idle,
                    struct rc_quiet **out, struct rc_error *err)
{
    size_t bytes = rc_quiet_board_bytes((size_t)rc_team_size(node));
    void *board;
    int status = open_board(node, bytes, &board, err);

    *out = NULL;
    if (status == RC_OK) {
        status = rc_quiet_join(board, (size_t)rc_team_rank(node), unit, idle, out, err);
        if (status == RC_OK)
            (*out)->bytes = bytes;
        status = rc_agree(node, status, err); /* all have joined */
    }
    if (status != RC_OK) {
        if (*out)
            rc_quiet_close(*out);
        else if (board)
            munmap(board, bytes);
        *out = NULL;
    }
    return status;
}

void rc_quiet_close(struct rc_quiet *quiet)
{
    if (!quiet)
        return;
    change(quiet, GONE);
    pthread_mutex_unlock(&quiet->board->member[quiet->self].alive);
    if (quiet->bytes)
        munmap(quiet->board, quiet->bytes);
    free(quiet);
}
