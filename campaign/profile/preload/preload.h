/* preload.h - the library that is preloaded into the processes of a profiled program
 *
 * It is a guest there: it links nothing but libc, allocates nothing but its blocks,
 * opens no file that stays open but its counters, handles no signal, writes to none of
 * the program's files and keeps errno.  A failure is counted or left out; the program
 * goes on.
 *
 * The calling thread's block is claimed at the first call that has something to say; it
 * is let go of when the thread ends.  A block is written between rc_preload_enter() and
 * rc_preload_leave():
 *
 *     struct rc_preload_block *block = rc_preload_enter();
 *     if (block) {
 *         ... rows and entries of 'block' ...
 *         rc_preload_leave();
 *     }
 *
 * A signal handler of the program that comes in between finds no block.  A block must
 * not be kept over a call that leaves this library: the process may fork in it.
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_PRELOAD_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_PRELOAD_H

#include "campaign/profile/wire/shared.h"
#include "campaign/profile/wire/ticks.h"

#include <stdbool.h>
#include <stddef.h>

/* Marks a function that the program, or a library that it loads, finds instead of the
 * one of this name; everything else is hidden.
 */
#define RC_PRELOAD_EXPORT __attribute__((visibility("default")))

/* Variables and functions that most calls need.  A program that has driven all else out
 * of its processor waits for each page of them, so they lie together.
 */
#define RC_PRELOAD_OFTEN __attribute__((section("rc_often")))
#define RC_PRELOAD_HOT __attribute__((hot))

enum {
    RC_PRELOAD_KNOWN = 64,       /* constant names whose call path is kept */
    RC_PRELOAD_DEPTH = 1024,     /* open regions that are kept; deeper ones are lost */
    RC_PRELOAD_NAME = 255,       /* bytes of a name that count: what follows is cut */
    RC_PRELOAD_SLOTS = 2048,     /* of hashes: a power of 2, more than rows */
    RC_PRELOAD_MPI_CALLS = 1024, /* names of MPI calls that the MPI layer can have */
    RC_PRELOAD_SITES = 64,       /* places of calls whose last row is kept */
    RC_PRELOAD_POLLS = 5,        /* functions of MPI that ask again and again */
};

/* The interface by which a region began: some end the last one without its name. */
enum rc_preload_api {
    RC_PRELOAD_NAMED,    /* ended by name */
    RC_PRELOAD_CONSTANT, /* likewise, and the name is the same for ever */
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
    uint64_t hash;        /* of its name, if it is lost */
    const char *constant; /* its name, if that is one; else NULL */
    uint32_t path;        /* 0: the tables were full, this instance is lost */
    uint8_t api;          /* enum rc_preload_api */
    bool in_ring;         /* its entrance is there, and its end will be */
    bool counted;         /* 'counts' are valid */
    struct rc_preload_counts counts; /* when it began */
};

/* The key of a row of MPI calls, in words that are compared as they are: the MPI
 * layer's own.
 */
struct rc_preload_call_key {
    uint64_t site;
    uint64_t which; /* path, number of the call, class of bytes, ranks */
};

/* Polls of one function of MPI, such as MPI_Test: after one that found nothing and was
 * over at once the next ones are only counted, more and more of them, until one is
 * timed again.
 */
struct rc_preload_poll {
    uint32_t left, given; /* how many more are counted only, of how many */
    uint32_t gap;         /* how many were given last */
    uint32_t row;         /* where they belong */
    uint64_t took;        /* ticks of the one that was timed */
    intptr_t request;     /* the first one of all, as they have no status; 0: any */
};

/* A block as its own process sees it: the part that the sampler reads, then the part
 * that only this library needs.  It is zeroed when a block is claimed, but for rows,
 * keys, frames, names and ring, which are written before they are counted.
 */
struct rc_preload_block {
    struct rc_shared_block shared;
    uint32_t depth;   /* frames that are open */
    uint64_t beyond;  /* regions open beyond RC_PRELOAD_DEPTH */
    uint64_t pending; /* entries that open frames will still need */
    uint64_t tail;    /* of the ring, when it was looked at last */
    /* The MPI layer's own: polls, a bit for each with a gap; by the place of a call
     * what its row stood for when it was made last.
     */
    uint32_t polls;
    struct rc_preload_poll poll[RC_PRELOAD_POLLS];
    struct rc_preload_last {
        struct rc_preload_call_key key;
        uint32_t row;
    } call_last[RC_PRELOAD_SITES];
    /* Call paths of constant names, by their addresses, as they were found last. */
    struct rc_preload_known {
        const char *text;
        uint32_t parent, path;
    } known[RC_PRELOAD_KNOWN];
    struct rc_preload_counts root;        /* when the block was claimed */
    uint16_t path_slot[RC_PRELOAD_SLOTS]; /* rows of call paths, by parent and name */
    uint16_t call_slot[RC_PRELOAD_SLOTS]; /* rows of calls: the MPI layer's own */
    /* Names of MPI calls by the MPI layer's own numbers, 0: none yet: its own. */
    uint16_t call_name[RC_PRELOAD_MPI_CALLS];
    struct rc_preload_call_key call_key[RC_SHARED_CALLS];
    struct rc_preload_frame frame[RC_PRELOAD_DEPTH];
};

_Static_assert(sizeof(struct rc_preload_block) <= RC_SHARED_BLOCK,
               "what the library needs for itself does not fit into a block");

/* The state of one thread; a child of fork() gets a copy. */
struct rc_preload_thread {
    struct rc_preload_block *block; /* NULL: none yet, or any more */
    uint32_t number;                /* the block's, in the file */
    bool refused;                   /* there was no room, or the thread has ended */
    volatile bool busy;             /* between enter and leave */
    uint32_t until_timed;           /* operations until one is timed, for 'own_ticks' */
    uint64_t timed_from; /* ticks, when this operation began; 0: it is not timed */
    /* The MPI layer's own: frame of the MPI call that the thread is in; number, from 1
     * on, of a function whose ranks have been asked in Fortran, and the frame there.
     */
    uintptr_t outer, asked_frame;
    uint32_t asked;
    uint32_t counter_count;          /* events that are counted: all, or 0 */
    int counter[RC_SHARED_COUNTERS]; /* their files, the group's leader first */
    uint64_t counter_id;             /* by which the leader's file is known */
    uint64_t counter_checked;        /* ticks, when it was looked at last */
    /* The team of OpenMP that the thread has left, as long as its wait for the others
     * has not been added, else 0; when it left it, and where the team was begun.
     */
    _Atomic uint32_t team;
    uint32_t team_place;
    uint64_t team_ended;            /* ticks */
    struct rc_preload_thread *next; /* of those that have a block; under a lock */
};

extern _Thread_local struct rc_preload_thread rc_preload_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The head of the shared file, which is there for good once rc_preload_on was true. */
extern struct rc_shared *rc_preload_head __attribute__((visibility("hidden")));

/* Numbers of the head, copied as soon as it is there. */
struct rc_preload_said {
    uint32_t clock, trace;
    uint64_t ticks_ns, long_ticks;
};
extern struct rc_preload_said rc_preload_said __attribute__((visibility("hidden")));

/* Whether this process is profiled: false before it begins, and while it ends. */
extern atomic_bool rc_preload_on __attribute__((visibility("hidden")));

/* Whether the process has set a filter of system calls (seccomp), which may kill it for
 * any: from then on this library makes none of its own.
 */
extern atomic_bool rc_preload_filtered __attribute__((visibility("hidden")));

/* Ends recording in this process; NULL: none has begun. */
extern void (*rc_preload_ends)(void) __attribute__((visibility("hidden")));

/* Claims a block for the calling thread, between enter and leave: NULL if there is
 * none, from then on.  rc_preload_enter() calls it.
 */
struct rc_preload_block *rc_preload_claim(void);

/* Between enter and leave: an operation that is timed ends; it stands for those before
 * it that were not.
 */
void rc_preload_timed(void);

/* The calling thread's block, until rc_preload_leave(); NULL: nothing is recorded, and
 * there is nothing to leave.
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

/* Now, for who has a block. */
static inline uint64_t rc_preload_ticks(void)
{
    return rc_ticks(rc_preload_said.clock);
}

/* Adds to a counter of the calling thread's own block, which no other thread writes to:
 * locked, it would wait for all that the program has stored.
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

/* The call path that the block's thread is in, as a row of MPI calls has it. */
static inline uint32_t rc_preload_path(const struct rc_preload_block *block)
{
    return atomic_load_explicit(&block->shared.open_path, memory_order_relaxed);
}

/* Whether the ring has room for 'wanted' entries beside those that open regions will
 * need for their ends, so that no entrance is without its end.
 */
static inline bool rc_preload_room(struct rc_preload_block *block, uint64_t wanted)
{
    uint64_t head = atomic_load_explicit(&block->shared.head, memory_order_relaxed);
    uint64_t end = head + block->pending + wanted;
    if (end - block->tail > RC_SHARED_RING)
        block->tail = atomic_load_explicit(&block->shared.tail, memory_order_acquire);
    return end - block->tail <= RC_SHARED_RING;
}

/* Puts an entry into the ring, which must have room. */
static inline void rc_preload_entry(struct rc_preload_block *block, uint64_t ticks,
                                    enum rc_shared_what what, uint32_t number)
{
    uint64_t head = atomic_load_explicit(&block->shared.head, memory_order_relaxed);
    block->shared.ring[head % RC_SHARED_RING] =
        (struct rc_shared_entry){ticks, (uint32_t)what, number};
    atomic_store_explicit(&block->shared.head, head + 1, memory_order_release);
}

/* Puts an MPI call into the ring, with its row; without room it is counted as lost. */
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

/* The number of a name in the block, which it is added to if it is not there.  0: there
 * is no room, or it is "".  It is looked for among all: keep the number.
 */
uint32_t rc_preload_name(struct rc_preload_block *block, const char *name,
                         size_t bytes);

/* A region begins and ends.  NULL as a name is "".  An end closes the innermost region
 * of this name, or for a NULL name the innermost one of this 'api', and those inside of
 * it that are still open; those are counted as repaired, and so is an end that finds no
 * beginning.  They enter and leave by themselves.
 */
void rc_preload_region_begin(const char *name, enum rc_preload_api api);
void rc_preload_region_end(const char *name, enum rc_preload_api api);

/* Adds an instance of a region that is over, by ticks, inside of where the thread of
 * the block is now.  It has no counts.  It stands between enter and leave.
 */
void rc_preload_region_add(struct rc_preload_block *block, const char *name,
                           uint64_t began, uint64_t ended);

/* Writes the process's rank, by MPI, into all its blocks: those that are there and
 * those to come.  Call it outside of enter and leave.
 */
void rc_preload_world(int32_t rank, int32_t ranks);

/* The function of this name that the program would have called without this library,
 * which defines it as 'own': the next one in the order of loading, else one of a
 * library that was loaded for another alone (RTLD_LOCAL, as Python does).  NULL: there
 * is none now.  It takes microseconds: keep what it returns; its library is not
 * unloaded from then on.
 */
void *rc_preload_next(const char *name, void *own);

/* The file with this address, as the loader names it (the program: as it was called),
 * and where it was loaded to; false: there is none.  dladdr() looks for a symbol, too,
 * of all that the file has: a third of a millisecond of a library with 50,000.
 */
struct rc_preload_loaded {
    uintptr_t address, base;
    const char *name;
};
bool rc_preload_loaded_find(const void *address, struct rc_preload_loaded *out);

/* Declares 'next' as the next function of this name, which is there: it was called. */
#define RC_PRELOAD_NEXT(name)                                                          \
    static _Atomic(void *) kept;                                                       \
    void *found = atomic_load_explicit(&kept, memory_order_relaxed);                   \
    if (!found) {                                                                      \
        found = rc_preload_next(#name, (void *)(name));                                \
        atomic_store_explicit(&kept, found, memory_order_relaxed);                     \
    }                                                                                  \
    __typeof__(&(name)) next = (__typeof__(&(name)))found

#endif
