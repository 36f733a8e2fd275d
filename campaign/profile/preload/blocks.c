/* blocks.c - the blocks of a process: each thread claims one and releases it */
#include "campaign/profile/preload/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* State that all threads of the process share.  Members after 'lock' are only changed
 * by the thread that holds it.
 */
static struct {
    struct rc_preload_file file;
    pthread_key_t key; /* its destructor is called when a thread ends */
    bool keyed;
    pthread_mutex_t lock;
    bool masked;      /* the thread that holds the lock has masked all signals */
    sigset_t signals; /* if so: those that it had masked before */
    struct rc_preload_thread *threads; /* those that have a block */
    _Atomic uint32_t count;            /* of 'threads' */
    int32_t rank, ranks;               /* MPI's; rank -1: not known */
    uint32_t child; /* whether the program itself started this process */
} process = {.lock = PTHREAD_MUTEX_INITIALIZER, .rank = -1};

/* Signals are masked while the lock is held: a handler might call fork(), which takes
 * the lock again.
 */
static void process_lock(void)
{
    const bool masked = !atomic_load(&rc_preload_filtered);
    sigset_t all, before;
    sigfillset(&all);
    if (masked)
        pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&process.lock);
    process.masked = masked;
    if (masked)
        process.signals = before;
}

static void process_unlock(void)
{
    const bool masked = process.masked;
    sigset_t before = process.signals;
    pthread_mutex_unlock(&process.lock);
    if (masked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Takes a free block and returns its number, or block_most if none is free. */
static uint32_t number_take(struct rc_shared *head)
{
    for (uint32_t i = 0; i < head->block_most; i++) {
        uint32_t state = RC_SHARED_FREE;
        if (!atomic_compare_exchange_strong(&head->state[i], &state, RC_SHARED_MAKING))
            continue;
        uint32_t used = atomic_load(&head->block_used);
        while (used <= i &&
               !atomic_compare_exchange_weak(&head->block_used, &used, i + 1))
            ;
        return i;
    }
    return head->block_most;
}

static off_t block_offset(uint32_t number)
{
    return RC_SHARED_HEAD + (off_t)number * RC_SHARED_BLOCK;
}

/* Maps a block.  Its memory is allocated here, since a later write would end the
 * program if the file system were full.  NULL: there is no room, or the file is gone.
 */
static struct rc_preload_block *block_map(uint32_t number)
{
    void *memory = MAP_FAILED;
    struct stat is;
    int file = open(process.file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return NULL;
    if (!fstat(file, &is) && is.st_dev == process.file.device &&
        is.st_ino == process.file.inode &&
        !posix_fallocate(file, block_offset(number), RC_SHARED_BLOCK))
        memory = mmap(NULL, RC_SHARED_BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                      block_offset(number));
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Prepares a block for the calling thread.  Another thread may have used it before, so
 * all that is read before it is written is zeroed.
 */
static void block_fill(struct rc_preload_block *block, uint32_t number)
{
    struct rc_shared_block *shared = &block->shared;
    memset(shared, 0, offsetof(struct rc_shared_block, name) + 1);
    memset(&shared->path[0], 0, sizeof shared->path[0]);
    memset(&shared->call[0], 0, sizeof shared->call[0]);
    memset((char *)block + sizeof *shared, 0,
           offsetof(struct rc_preload_block, call_key) - sizeof *shared);
    shared->pid = (uint32_t)getpid();
    shared->tid = (uint32_t)syscall(SYS_gettid);
    shared->names_used = shared->path_count = shared->call_count = 1;
    shared->started = rc_preload_ticks();
    shared->counters_why = (uint64_t)rc_preload_counters_open();
    if (rc_preload_self.counter_count)
        rc_preload_counters_read(shared->started, &block->root);
    process_lock();
    shared->rank = process.rank;
    shared->ranks = process.ranks;
    shared->child = process.child;
    rc_preload_self.block = block;
    rc_preload_self.number = number;
    rc_preload_self.next = process.threads;
    process.threads = &rc_preload_self;
    process.count++;
    process_unlock();
}

/* The thread has no block if a signal handler forked during the operation and this is
 * the child.  An operation that took as long as a long MPI call was preempted, so it is
 * not counted.
 */
void rc_preload_timed(void)
{
    struct rc_preload_thread *self = &rc_preload_self;
    uint64_t took = rc_preload_ticks() - self->timed_from;
    uint64_t most = rc_preload_said.long_ticks;
    if (self->block && (!most || took < most))
        atomic_fetch_add_explicit(&self->block->shared.own_ticks,
                                  took * RC_SHARED_TIMED, memory_order_relaxed);
    self->timed_from = 0;
    self->until_timed = RC_SHARED_TIMED;
}

/* A processor time, in ns; 0: not known. */
static uint64_t cpu_ns(clockid_t clock)
{
    const uint64_t second = 1000000000;
    struct timespec t;
    if (atomic_load(&rc_preload_filtered) || clock_gettime(clock, &t))
        return 0;
    return (uint64_t)t.tv_sec * second + (uint64_t)t.tv_nsec;
}

/* The calling thread's processor time, in ticks. */
static uint64_t cpu_ticks(void)
{
    const double ns = (double)cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    return (uint64_t)(rc_preload_said.clock == RC_SHARED_NS || !rc_preload_said.ticks_ns
                          ? ns
                          : ns * 4294967296.0 / (double)rc_preload_said.ticks_ns);
}

/* The cost of a claim is taken in processor time: where thousands of threads begin at
 * once, most of the elapsed time of a claim is waiting for a processor.
 */
struct rc_preload_block *rc_preload_claim(void)
{
    struct rc_shared *head = rc_preload_head;
    struct rc_preload_block *block = NULL;
    if (atomic_load(&rc_preload_filtered)) {
        atomic_fetch_add(&head->no_block, 1);
        rc_preload_self.refused = true;
        return NULL;
    }
    uint64_t began = cpu_ticks();
    int kept = errno, cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    uint32_t number = number_take(head);
    if (number < head->block_most && !(block = block_map(number)))
        atomic_store(&head->state[number], RC_SHARED_FREE);
    if (block) {
        block_fill(block, number);
        atomic_store(&block->shared.own_ticks, cpu_ticks() - began);
        atomic_store(&head->state[number], RC_SHARED_OPEN);
        if (process.keyed)
            pthread_setspecific(process.key, block);
    } else {
        atomic_fetch_add(&head->no_block, 1);
    }
    rc_preload_self.refused = !block;
    pthread_setcancelstate(cancel, NULL);
    errno = kept;
    return block;
}

void rc_preload_block_release(uint64_t ticks)
{
    struct rc_preload_thread *self = &rc_preload_self, **at = &process.threads;
    struct rc_preload_block *block = self->block;
    self->block = NULL;
    process_lock();
    while (*at != self)
        at = &(*at)->next;
    *at = self->next;
    const bool last = atomic_fetch_sub(&process.count, 1) == 1;
    process_unlock();
    rc_preload_counters_close(self);
    if (last)
        atomic_store(&block->shared.process_ns, cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
    atomic_store(&block->shared.ended, ticks);
    if (!atomic_load(&rc_preload_filtered))
        munmap(block, RC_SHARED_BLOCK);
    atomic_store(&rc_preload_head->state[self->number], RC_SHARED_CLOSED);
}

bool rc_preload_is_alone(void)
{
    return atomic_load_explicit(&process.count, memory_order_relaxed) == 1;
}

static void fork_prepare(void)
{
    atomic_fetch_add(&rc_preload_head->forks, 1);
    process_lock();
}

/* A child has copies of its parent's mappings, to which it must not write, and of the
 * files of its counters.  If a signal handler forked while the thread was writing to
 * its block, that block stays mapped until the child ends.
 */
static void fork_child(void)
{
    struct rc_preload_thread *self = &rc_preload_self;
    for (struct rc_preload_thread *each = process.threads; each; each = each->next) {
        rc_preload_counters_close(each);
        if ((each != self || !self->busy) && !atomic_load(&rc_preload_filtered))
            munmap(each->block, RC_SHARED_BLOCK);
    }
    process.threads = NULL;
    process.count = 0;
    process.child = 1;
    self->block = NULL;
    atomic_store(&self->team, 0); /* the wait belongs to the parent */
    process_unlock();
}

/* Closes the blocks that this process had before an exec, which left them open. */
static void blocks_before_exec(int file)
{
    struct rc_shared *head = rc_preload_head;
    uint64_t ticks = rc_preload_ticks();
    uint32_t pid;
    for (uint32_t i = 0; i < atomic_load(&head->block_used); i++) {
        off_t at = block_offset(i);
        if (atomic_load(&head->state[i]) == RC_SHARED_OPEN &&
            pread(file, &pid, sizeof pid, at) == sizeof pid &&
            pid == (uint32_t)getpid() &&
            pwrite(file, &ticks, sizeof ticks,
                   at + (off_t)offsetof(struct rc_shared_block, ended)) == sizeof ticks)
            atomic_store(&head->state[i], RC_SHARED_CLOSED);
    }
}

void rc_preload_blocks_begin(const struct rc_preload_file *file, int opened,
                             const char *self, void (*thread_ends)(void *))
{
    long pid = -1;
    int rank = -1;
    process.file = *file;
    if (self && sscanf(self, "%ld %d", &pid, &rank) < 1)
        pid = -1;
    process.rank = rank < 0 ? -1 : rank;
    process.child = pid != (long)getpid();
    process.keyed = !pthread_key_create(&process.key, thread_ends);
    pthread_atfork(fork_prepare, process_unlock, fork_child);
    blocks_before_exec(opened);
    atomic_store(&rc_preload_on, true);
    if ((!process.child || rc_preload_head->event_count) && rc_preload_enter())
        rc_preload_leave();
}

void rc_preload_blocks_end(uint64_t ticks,
                           void (*each_ends)(struct rc_preload_thread *))
{
    const uint64_t taken_ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    process_lock();
    for (struct rc_preload_thread *each = process.threads; each; each = each->next) {
        each_ends(each);
        atomic_store(&each->block->shared.process_ns, taken_ns);
        atomic_store(&each->block->shared.ended, ticks);
    }
    process_unlock();
}

void rc_preload_world(int32_t rank, int32_t ranks)
{
    process_lock();
    process.rank = rank;
    process.ranks = ranks;
    for (const struct rc_preload_thread *each = process.threads; each;
         each = each->next) {
        each->block->shared.rank = rank;
        each->block->shared.ranks = ranks;
    }
    process_unlock();
}
