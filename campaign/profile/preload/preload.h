/* preload.h - the library that is preloaded into the processes of a profiled program
 *
 * It must not disturb the program: it links only libc, allocates only its blocks, keeps
 * no files open except its counters', handles no signals, writes to none of the
 * program's files and restores errno.  If something cannot be recorded it is counted as
 * lost or left out, and the program goes on.
 *
 * A thread claims its block when it first has something to record, and releases it when
 * it ends.  A block is written between rc_preload_enter() and rc_preload_leave():
 *
 *     struct rc_preload_block *block = rc_preload_enter();
 *     if (block) {
 *         ... rows and entries of 'block' ...
 *         rc_preload_leave();
 *     }
 *
 * A signal handler of the program that runs between them gets no block.  Do not call
 * functions outside of this library between them: the process may fork there.
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_PRELOAD_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_PRELOAD_H

#include "campaign/profile/wire/shared.h"
#include "campaign/profile/wire/ticks.h"

#include <stdbool.h>
#include <stddef.h>

/* Marks a function that replaces the one of this name for the program and its
 * libraries.  All other functions are hidden from them.
 */
#define RC_PRELOAD_EXPORT __attribute__((visibility("default")))

/* Mark variables and functions that most calls use, so that they lie together: a
 * program that fills the caches itself waits for each page of them.
 */
#define RC_PRELOAD_OFTEN __attribute__((section("rc_often")))
#define RC_PRELOAD_HOT __attribute__((hot))

enum {
    RC_PRELOAD_KNOWN = 64,       /* constant names whose call path is kept */
    RC_PRELOAD_DEPTH = 1024,     /* open regions that are kept; deeper ones are lost */
    RC_PRELOAD_NAME = 255,       /* bytes of a name; the rest is cut off */
    RC_PRELOAD_SLOTS = 2048,     /* of a hash table: a power of 2, more than rows */
    RC_PRELOAD_MPI_CALLS = 1024, /* names of MPI calls, at most */
    RC_PRELOAD_SITES = 64,       /* places of calls whose last row is kept */
    RC_PRELOAD_POLLS = 5,        /* functions of MPI that programs call in loops */
};

/* The interface by which a region began.  Some end the innermost one without a name. */
enum rc_preload_api {
    RC_PRELOAD_NAMED,    /* ended by name */
    RC_PRELOAD_CONSTANT, /* likewise; the text at the name's address never changes */
    RC_PRELOAD_NVTX,
    RC_PRELOAD_ROCTX,
};

/* Counts of the thread's own events, and how long they counted. */
struct rc_preload_counts {
    uint64_t enabled, running; /* ns */
    uint64_t count[RC_SHARED_COUNTERS];
};

/* A region that is open. */
struct rc_preload_frame {
    uint64_t began;       /* ticks; 0: this instance is not measured */
    uint64_t hash;        /* of the name, if the instance is lost */
    const char *constant; /* the name, if it is RC_PRELOAD_CONSTANT; else NULL */
    uint32_t path;        /* 0: the tables were full, this instance is lost */
    uint8_t api;          /* enum rc_preload_api */
    bool in_ring;         /* its beginning is in the ring, so its end must follow */
    bool counted;         /* 'counts' are valid */
    struct rc_preload_counts counts; /* when it began */
};

/* The key of a row of MPI calls, as words.  The MPI layer puts it together. */
struct rc_preload_call_key {
    uint64_t site;
    uint64_t which; /* path, number of the function, class of bytes, ranks */
};

/* The polls of one function of MPI, such as MPI_Test.  After a poll that found nothing
 * and was short, some polls are counted without being timed, then one is timed again.
 * Each such gap is longer than the last.
 */
struct rc_preload_poll {
    uint32_t left, given; /* polls left in this gap; when some were last added */
    uint32_t gap;         /* length of the last gap */
    uint32_t row;         /* of MPI calls, to which the polls are added */
    uint64_t took;        /* ticks of the poll that was timed */
    intptr_t request;     /* the polls are for this one; 0: for any */
};

/* A block as its own process sees it: the part that the sampler reads, then the part
 * that only this library needs.  A claim zeroes it, except for rows, keys, frames,
 * names and the ring, whose entries are written before they are counted.
 */
struct rc_preload_block {
    struct rc_shared_block shared;
    uint32_t depth;   /* frames that are open */
    uint64_t beyond;  /* regions open beyond RC_PRELOAD_DEPTH */
    uint64_t pending; /* entries of the ring that the ends of open frames will need */
    uint64_t tail;    /* of the ring, when it was read last */
    /* For the MPI layer: a bit of 'polls' for each 'poll' that is in a gap; for each
     * place of a call the key and the row of its last call.
     */
    uint32_t polls;
    struct rc_preload_poll poll[RC_PRELOAD_POLLS];
    struct rc_preload_last {
        struct rc_preload_call_key key;
        uint32_t row;
    } call_last[RC_PRELOAD_SITES];
    /* Call paths of constant names that were found last, by the name's address. */
    struct rc_preload_known {
        const char *text;
        uint32_t parent, path;
    } known[RC_PRELOAD_KNOWN];
    struct rc_preload_counts root;        /* when the block was claimed */
    uint16_t path_slot[RC_PRELOAD_SLOTS]; /* rows of call paths, by parent and name */
    uint16_t call_slot[RC_PRELOAD_SLOTS]; /* rows of MPI calls, by key */
    /* Names of MPI calls, by the MPI layer's number of the function; 0: none yet. */
    uint16_t call_name[RC_PRELOAD_MPI_CALLS];
    struct rc_preload_call_key call_key[RC_SHARED_CALLS];
    struct rc_preload_frame frame[RC_PRELOAD_DEPTH];
};

_Static_assert(sizeof(struct rc_preload_block) <= RC_SHARED_BLOCK,
               "what the library needs for itself does not fit into a block");

/* The state of one thread; a child of fork() gets a copy. */
struct rc_preload_thread {
    struct rc_preload_block *block; /* NULL: not claimed yet, or released */
    uint32_t number;                /* of the block in the file */
    bool refused;                   /* there was no room, or the thread has ended */
    volatile bool busy;             /* between enter and leave */
    uint32_t until_timed;           /* operations until one is timed, for 'own_ticks' */
    uint64_t timed_from; /* ticks, when this operation began; 0: it is not timed */
    /* For the MPI layer: the stack frame of the MPI call that the thread is in; the
     * frame of a call in Fortran that has called rc_mpi_match_ask(), and the number of
     * its function, from 1 on.
     */
    uintptr_t outer, asked_frame;
    uint32_t asked;
    uint32_t counter_count;          /* events that are counted: all, or 0 */
    int counter[RC_SHARED_COUNTERS]; /* their files, the group's leader first */
    uint64_t counter_id;             /* of the leader, to recognise its file */
    uint64_t counter_checked;        /* ticks, when the file was checked last */
    /* The team of OpenMP whose work the thread has done, while its wait for the others
     * is not in the block yet, else 0; the place of the team; when the work was done.
     */
    _Atomic uint32_t team;
    uint32_t team_place;
    uint64_t team_ended;            /* ticks */
    struct rc_preload_thread *next; /* in the list of those with a block (blocks.c) */
};

extern _Thread_local struct rc_preload_thread rc_preload_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The head of the shared file, which stays mapped once rc_preload_on was true. */
extern struct rc_shared *rc_preload_head __attribute__((visibility("hidden")));

/* Numbers from the head, copied when it is mapped. */
struct rc_preload_said {
    uint32_t clock, trace;
    uint64_t ticks_ns, long_ticks;
};
extern struct rc_preload_said rc_preload_said __attribute__((visibility("hidden")));

/* Whether this process is being recorded: false before it begins and while it ends. */
extern atomic_bool rc_preload_on __attribute__((visibility("hidden")));

/* Whether the process has set a filter of system calls (seccomp).  From then on this
 * library makes no system calls of its own, as any might kill the process.
 */
extern atomic_bool rc_preload_filtered __attribute__((visibility("hidden")));

/* Ends recording in this process; NULL: it has not begun. */
extern void (*rc_preload_ends)(void) __attribute__((visibility("hidden")));

/* Claims a block for the calling thread; only rc_preload_enter() calls it.  NULL: there
 * is no room, and the thread will not ask again.
 */
struct rc_preload_block *rc_preload_claim(void);

/* Adds the time of this operation to 'own_ticks', once for itself and once for each
 * operation before it that was not timed.  Only rc_preload_leave() calls it.
 */
void rc_preload_timed(void);

/* The calling thread's block, to be used until rc_preload_leave().  NULL: nothing can
 * be recorded, and rc_preload_leave() must not be called.
 */
static inline struct rc_preload_block *rc_preload_enter(void)
{
    struct rc_preload_thread *self = &rc_preload_self;
    if (!atomic_load_explicit(&rc_preload_on, memory_order_relaxed) || self->busy ||
        self->refused)
        return NULL;
    self->busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    struct rc_preload_block *block = self->block ? self->block : rc_preload_claim();
    if (!block)
        self->busy = false;
    else if (--self->until_timed == 0)
        self->timed_from = rc_ticks(rc_preload_said.clock);
    return block;
}

static inline void rc_preload_leave(void)
{
    if (rc_preload_self.timed_from)
        rc_preload_timed();
    atomic_signal_fence(memory_order_seq_cst);
    rc_preload_self.busy = false;
}

/* The time now, by the clock of the shared file, whose head must be mapped. */
static inline uint64_t rc_preload_ticks(void)
{
    return rc_ticks(rc_preload_said.clock);
}

/* Adds to a counter of the calling thread's own block, to which no other thread writes.
 * A locked instruction would wait until all stores of the program are done.
 */
static inline void rc_preload_add(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_store_explicit(counter,
                          atomic_load_explicit(counter, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

/* The class of a time: see struct rc_shared_call. */
static inline unsigned rc_preload_time_class(uint64_t ticks)
{
    const uint64_t scale = rc_preload_said.ticks_ns;
    uint64_t ns = (uint64_t)(((unsigned __int128)ticks * scale) >> 32);
    if (ns < 128)
        return 0;
    unsigned class = 63U - (unsigned)__builtin_clzll(ns) - 6;
    return class < RC_SHARED_TIMES ? class : RC_SHARED_TIMES - 1;
}

/* The call path that the block's thread is in. */
static inline uint32_t rc_preload_path(const struct rc_preload_block *block)
{
    return atomic_load_explicit(&block->shared.open_path, memory_order_relaxed);
}

/* Whether the ring has room for 'wanted' entries and for the ends of all open regions
 * whose beginnings are in it.
 */
static inline bool rc_preload_room(struct rc_preload_block *block, uint64_t wanted)
{
    uint64_t head = atomic_load_explicit(&block->shared.head, memory_order_relaxed);
    uint64_t end = head + block->pending + wanted;
    if (end - block->tail > RC_SHARED_RING)
        block->tail = atomic_load_explicit(&block->shared.tail, memory_order_acquire);
    return end - block->tail <= RC_SHARED_RING;
}

/* Puts an entry into the ring; see rc_preload_room() first. */
static inline void rc_preload_entry(struct rc_preload_block *block, uint64_t ticks,
                                    enum rc_shared_what what, uint32_t number)
{
    uint64_t head = atomic_load_explicit(&block->shared.head, memory_order_relaxed);
    block->shared.ring[head % RC_SHARED_RING] =
        (struct rc_shared_entry){ticks, (uint32_t)what, number};
    atomic_store_explicit(&block->shared.head, head + 1, memory_order_release);
}

/* Puts an MPI call of this row into the ring, or counts it as lost. */
static inline void rc_preload_call_entries(struct rc_preload_block *block,
                                           uint64_t began, uint64_t ended, uint32_t row)
{
    if (!rc_preload_room(block, 2)) {
        atomic_fetch_add_explicit(&block->shared.lost_entries, 2, memory_order_relaxed);
        return;
    }
    rc_preload_entry(block, began, RC_SHARED_CALL_BEGAN, row);
    rc_preload_entry(block, ended, RC_SHARED_CALL_ENDED, row);
}

/* The number of a name in the block, to which it is added if it is new.  0: the block
 * has no room, or the name is "".  All names are searched, so keep the number.
 */
uint32_t rc_preload_name(struct rc_preload_block *block, const char *name,
                         size_t bytes);

/* Begins a region; a name that is NULL is "".  The end closes the innermost open region
 * of this name, or if the name is NULL the innermost one of this 'api', and all regions
 * that are open inside of it.  These are counted as repaired, and so is an end without
 * a beginning.  Call both functions outside of enter and leave.
 */
void rc_preload_region_begin(const char *name, enum rc_preload_api api);
void rc_preload_region_end(const char *name, enum rc_preload_api api);

/* Adds an instance of a region that is over, inside of the region that the block's
 * thread is in now.  It has times in ticks, but no event counts.  Call it between enter
 * and leave.
 */
void rc_preload_region_add(struct rc_preload_block *block, const char *name,
                           uint64_t began, uint64_t ended);

/* Writes the process's rank in MPI into all its blocks, also those claimed later.  Call
 * it outside of enter and leave.
 */
void rc_preload_world(int32_t rank, int32_t ranks);

/* The function of this name that the program would have called without this library,
 * whose own function of the name is 'own': the next one in the order of loading, else
 * one from a library that was loaded with RTLD_LOCAL, as Python does.  NULL: there is
 * none now.  A call takes microseconds, so keep the result; the function's library
 * stays loaded from then on.
 */
void *rc_preload_next(const char *name, void *own);

/* The loaded file that contains 'address', and the address it was loaded at ('base').
 * 'name' is the loader's, or for the program itself the one it was called by.  False:
 * there is none.  dladdr() would also search the file's symbols, which takes a third of
 * a millisecond for 50,000 of them.
 */
struct rc_preload_loaded {
    uintptr_t address, base;
    const char *name;
};
bool rc_preload_loaded_find(const void *address, struct rc_preload_loaded *out);

/* Declares 'next' as the next function of this name, which exists, since the program
 * calls it.
 */
#define RC_PRELOAD_NEXT(name)                                                          \
    static _Atomic(void *) kept;                                                       \
    void *found = atomic_load_explicit(&kept, memory_order_relaxed);                   \
    if (!found) {                                                                      \
        found = rc_preload_next(#name, (void *)(name));                                \
        atomic_store_explicit(&kept, found, memory_order_relaxed);                     \
    }                                                                                  \
    __typeof__(&(name)) next = (__typeof__(&(name)))found

#endif
