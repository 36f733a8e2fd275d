/* Turns of the workers of a node: one reads a shared unit while its others sleep.
 *
 * The workers of a node map one board with a state for each of them; a worker waits
 * until the states of the others of its unit let it continue, and wakes them whenever
 * its own has changed.
 */
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

/* A condition variable that processes share does not survive a waiter that is killed.
 * So: a robust mutex for the board, and a futex of its own for each unit, on which a
 * killed waiter leaves no trace.
 */

/* The longest sleep before a check for dead members, and the time between two calls of
 * 'idle' if the caller sets none.
 */
enum { LOOK_NS = 100000000, IDLE_NS = 5000000 };

/* State of a worker: it works on something of its own; it is in rc_exclusive_rest(); it
 * asked to read; it reads; it left or was killed.
 */
enum state { BUSY, RESTING, WAITING, READING, GONE };

struct member {
    pthread_mutex_t alive; /* held for life; the kernel reports its owner's death */
    size_t unit;           /* as given to rc_exclusive_create() */
    uint64_t turn;         /* of a worker that waits to read */
    enum state state;
    _Atomic uint32_t changes; /* futex of the unit whose first member this is */
};

struct rc_exclusive_board {
    pthread_mutex_t lock; /* held briefly: never while anybody measures or sleeps */
    size_t members;
    uint64_t turns; /* number of the next turn */
    struct member member[];
};

/* One worker's view of the board. */
struct rc_exclusive {
    struct rc_exclusive_board *board;
    size_t bytes; /* mapped by us, or 0 */
    size_t self;  /* this worker's number among the members */
    size_t unit;
    struct rc_exclusive_idle idle;
};

/* Whether a waiting worker may continue.  The lock is held. */
typedef bool ready_fn(struct rc_exclusive *q);

size_t rc_exclusive_board_bytes(size_t members)
{
    return sizeof(struct rc_exclusive_board) + members * sizeof(struct member);
}

/* Makes a mutex that processes share and that reports its owner's death.  Returns 0 or
 * an errno.
 */
static int robust_mutex(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attr;
    int error = pthread_mutexattr_init(&attr);

    if (error)
        return error;
    if (!(error = pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED)) &&
        !(error = pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST)))
        error = pthread_mutex_init(mutex, &attr);
    pthread_mutexattr_destroy(&attr);
    return error;
}

int rc_exclusive_board_init(struct rc_exclusive_board *board, size_t members,
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

/* A worker that died with the lock may have left half a change, but every change is of
 * single words, and look_for_dead() finds the dead.
 */
static void lock_board(struct rc_exclusive_board *board)
{
    if (pthread_mutex_lock(&board->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&board->lock);
}

/* The word on which the workers of our unit sleep. */
static _Atomic uint32_t *changes(struct rc_exclusive *q)
{
    size_t first = 0;

    while (q->board->member[first].unit != q->unit)
        first++;
    return &q->board->member[first].changes;
}

static void wake_all(struct rc_exclusive *q)
{
    _Atomic uint32_t *word = changes(q);

    atomic_fetch_add(word, 1);
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* The lock is held. */
static void become_state(struct rc_exclusive *q, enum state state)
{
    q->board->member[q->self].state = state;
    wake_all(q);
}

/* The lock is held.  A member whose mutex can be locked has left, or was killed. */
static void look_for_dead(struct rc_exclusive *q)
{
    struct rc_exclusive_board *board = q->board;

    for (size_t i = 0; i < board->members; i++) {
        struct member *other = &board->member[i];
        if (i == q->self || other->unit != q->unit || other->state == GONE)
            continue;
        int error = pthread_mutex_trylock(&other->alive);
        if (error == EBUSY)
            continue;
        if (error == EOWNERDEAD) {
            pthread_mutex_consistent(&other->alive);
            other->state = GONE;
            wake_all(q);
        }
        if (error == 0 || error == EOWNERDEAD)
            pthread_mutex_unlock(&other->alive);
    }
}

static size_t others_in(const struct rc_exclusive *q, enum state state)
{
    const struct rc_exclusive_board *board = q->board;
    size_t count = 0;

    for (size_t i = 0; i < board->members; i++)
        count += i != q->self && board->member[i].unit == q->unit &&
                 board->member[i].state == state;
    return count;
}

static bool nobody_reads(struct rc_exclusive *q)
{
    return others_in(q, READING) == 0;
}

static bool all_rest(struct rc_exclusive *q)
{
    /* The last one to rest made all of them busy: this one continues, whatever the
     * others do by now.
     */
    if (q->board->member[q->self].state != RESTING)
        return true;
    return nobody_reads(q) && others_in(q, WAITING) == 0 && others_in(q, BUSY) == 0;
}

/* Nobody reads or is busy, and nobody asked before this worker. */
static bool my_turn(struct rc_exclusive *q)
{
    const struct rc_exclusive_board *board = q->board;

    if (!nobody_reads(q) || others_in(q, BUSY) > 0)
        return false;
    for (size_t i = 0; i < board->members; i++)
        if (board->member[i].unit == q->unit && board->member[i].state == WAITING &&
            board->member[i].turn < board->member[q->self].turn)
            return false;
    return true;
}

/* The lock is held before and after, but released in between.  While somebody reads,
 * only the checks for dead members interrupt the sleep.
 */
static void wait_until(struct rc_exclusive *q, ready_fn *ready)
{
    _Atomic uint32_t *word = changes(q);
    uint64_t looked = rc_clock_ns();

    while (!ready(q)) {
        uint32_t seen = atomic_load(word);
        bool idle = q->idle.call && nobody_reads(q);
        const uint64_t most_ns = idle ? q->idle.every_ns : LOOK_NS;
        const struct timespec most = {(time_t)(most_ns / 1000000000),
                                      (long)(most_ns % 1000000000)};
        pthread_mutex_unlock(&q->board->lock);
        syscall(SYS_futex, word, FUTEX_WAIT, seen, &most, NULL, 0);
        if (idle)
            q->idle.call(q->idle.arg);
        lock_board(q->board);
        if (rc_clock_ns() - looked >= LOOK_NS) {
            look_for_dead(q);
            looked = rc_clock_ns();
        }
    }
}

void rc_exclusive_acquire(struct rc_exclusive *q)
{
    lock_board(q->board);
    q->board->member[q->self].turn = q->board->turns++;
    become_state(q, WAITING);
    wait_until(q, my_turn);
    /* Nobody waits for this state, so nobody is woken. */
    q->board->member[q->self].state = READING;
    pthread_mutex_unlock(&q->board->lock);
}

static void change_state(struct rc_exclusive *q, enum state state)
{
    lock_board(q->board);
    become_state(q, state);
    pthread_mutex_unlock(&q->board->lock);
}

void rc_exclusive_release(struct rc_exclusive *q)
{
    change_state(q, BUSY);
}

/* The last one to rest frees all at once: they are busy from then on, and some may rest
 * a second time before others have noticed.
 */
void rc_exclusive_rest(struct rc_exclusive *q)
{
    struct rc_exclusive_board *board = q->board;

    lock_board(board);
    become_state(q, RESTING);
    wait_until(q, all_rest);
    bool last = board->member[q->self].state == RESTING;
    for (size_t i = 0; last && i < board->members; i++)
        if (board->member[i].unit == q->unit && board->member[i].state == RESTING)
            board->member[i].state = BUSY;
    if (last)
        wake_all(q);
    pthread_mutex_unlock(&board->lock);
}

int rc_exclusive_join(struct rc_exclusive_board *board, size_t self, size_t unit,
                      const struct rc_exclusive_idle *idle, struct rc_exclusive **out,
                      struct rc_error *err)
{
    struct rc_exclusive *q = rc_calloc(1, sizeof *q);
    int error;

    *out = NULL;
    if (!q)
        return rc_fail(err, RC_ENOMEM, "no memory for a worker's exclusive use");
    *q = (struct rc_exclusive){.board = board, .self = self, .unit = unit};
    if (idle)
        q->idle = *idle;
    if (q->idle.every_ns == 0)
        q->idle.every_ns = IDLE_NS;
    error = pthread_mutex_lock(&board->member[self].alive);
    if (error) {
        free(q);
        errno = error;
        return rc_fail_errno(err, "cannot lock a worker's mutex");
    }
    board->member[self].unit = unit;
    board->member[self].state = BUSY;
    *out = q;
    return RC_OK;
}

/* The first rank makes the file; all map it, and its name is removed before
 * rc_exclusive_create() returns.
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

/* Collective: the board of a node, mapped by all of its ranks. */
static int open_board(MPI_Comm node, size_t bytes, void **board, struct rc_error *err)
{
    static unsigned made; /* makes the names of one process differ */
    bool first = rc_team_rank(node) == 0;
    char name[64];
    int status = RC_OK;

    *board = NULL;
    snprintf(name, sizeof name, "/rollcall-quiet-%ld-%u-%llx", (long)getpid(), made++,
             (unsigned long long)rc_clock_ns());
    rc_broadcast(node, 0, name, sizeof name);
    if (first && (status = map_board(name, true, bytes, board, err)) == RC_OK)
        status = rc_exclusive_board_init(*board, (size_t)rc_team_size(node), err);
    if ((status = rc_agree(node, status, err)) == RC_OK && !first)
        status = map_board(name, false, bytes, board, err);
    status = rc_agree(node, status, err);
    if (first)
        shm_unlink(name);
    return status;
}

int rc_exclusive_create(MPI_Comm node, size_t unit,
                        const struct rc_exclusive_idle *idle, struct rc_exclusive **out,
                        struct rc_error *err)
{
    size_t bytes = rc_exclusive_board_bytes((size_t)rc_team_size(node));
    void *board;
    int status = open_board(node, bytes, &board, err);

    *out = NULL;
    if (status == RC_OK) {
        if ((status = rc_exclusive_join(board, (size_t)rc_team_rank(node), unit, idle,
                                        out, err)) == RC_OK)
            (*out)->bytes = bytes;
        status = rc_agree(node, status, err); /* all have joined */
    }
    if (status != RC_OK) {
        if (*out)
            rc_exclusive_close(*out);
        else if (board)
            munmap(board, bytes);
        *out = NULL;
    }
    return status;
}

void rc_exclusive_close(struct rc_exclusive *q)
{
    if (!q)
        return;
    change_state(q, GONE);
    pthread_mutex_unlock(&q->board->member[q->self].alive);
    if (q->bytes)
        munmap(q->board, q->bytes);
    free(q);
}
