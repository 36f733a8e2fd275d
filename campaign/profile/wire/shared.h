/* shared.h - the file in memory that a profiled program and the sampler of its node
 * share
 *
 * The launcher makes the file (in /dev/shm, for this user only) before the program is
 * there; the library that is preloaded into the program's processes writes into it; one
 * sampler for each node reads it and writes records into the journal.  No process waits
 * for another: data without room are counted and left out.
 *
 * The file begins with a struct rc_shared, in its first RC_SHARED_HEAD bytes.  It is
 * followed by blocks of RC_SHARED_BLOCK bytes, which take memory only once they are
 * used: one for each thread that has something to say.  Only that thread writes into
 * its block, but for 'state', 'tail' and the levels of rows.  A thread is identified by
 * its block; names, call paths and rows are numbered within a block, from 1 on, and 0
 * is none.
 *
 * This header is included by the preloaded library, so it needs nothing but C.
 */
#ifndef RC_CAMPAIGN_PROFILE_WIRE_SHARED_H
#define RC_CAMPAIGN_PROFILE_WIRE_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#define RC_SHARED_MAGIC UINT64_C(0x31656c6966706372) /* "rcpfile1" in memory */

/* Variables of the environment that the launcher sets. */
#define RC_SHARED_PATH_VARIABLE "ROLLCALL_PROFILE_SHARED" /* the path of the file */
#define RC_SHARED_SELF_VARIABLE "ROLLCALL_PROFILE_SELF"   /* pid and rank: "4711 3" */

/* A mark in the library's file.  The launcher, which does not load the library,
 * compares it with its own copy: both must have been compiled with the same header.
 */
struct rc_shared_mark {
    char text[28]; /* RC_SHARED_MARK */
    uint32_t version;
};
#define RC_SHARED_MARK "rollcall-profile's version:"

enum {
    RC_SHARED_VERSION = 18,     /* of this header: one more with each change */
    RC_SHARED_HEAD = 1 << 16,   /* bytes before the first block */
    RC_SHARED_BLOCK = 17 << 16, /* bytes of a block */
    RC_SHARED_COUNTERS = 8,     /* events that a thread counts at most */
    RC_SHARED_NAMES = 32768,    /* bytes of names in a block, each ended by a NUL */
    RC_SHARED_PATHS = 1024, /* call paths in a block, the first (0) being the root */
    RC_SHARED_CALLS = 1024, /* rows of MPI calls in a block */
    RC_SHARED_RING = 32768, /* entries of a ring: a power of 2 */
    RC_SHARED_TIMES = 16, /* classes of the time of a call, see struct rc_shared_call */
    RC_SHARED_ATTR = 128, /* bytes for a struct perf_event_attr */
    RC_SHARED_EVENT_NAME = 256,
    RC_SHARED_PROCESSES = 1024, /* of the program on a node that are watched */
    RC_SHARED_CPUS = 1024,      /* as many as a cpu_set_t has */
    RC_SHARED_OFFSETS = 64,     /* comparisons of clocks that wait for the sampler */
    RC_SHARED_DIR = 4096,
    RC_SHARED_WHY = 1024,  /* bytes of a reason for people */
    RC_SHARED_SET = 256,   /* bytes of what --set says */
    RC_SHARED_TIMED = 61,  /* each so many-th operation of the library is timed; odd, so
                            * that begins and ends of regions take turns */
    RC_SHARED_POLL_NS = 2, /* time of a poll that is only counted: profile_mpi.sh */
};

/* The unit of ticks. */
enum rc_shared_clock {
    RC_SHARED_NS,      /* of CLOCK_MONOTONIC_RAW */
    RC_SHARED_COUNTER, /* of the processor's own: TSC, or cntvct_el0 */
};

/* An event that every thread counts for itself, by perf_event_open() on itself. */
struct rc_shared_event {
    char name[RC_SHARED_EVENT_NAME];
    unsigned char attr[RC_SHARED_ATTR];
    uint32_t attr_bytes;
    uint32_t unused;
};

enum rc_shared_state {
    RC_SHARED_FREE,   /* taken by a thread with compare and exchange to: */
    RC_SHARED_MAKING, /* its memory is being got and filled in */
    RC_SHARED_OPEN,   /* written by its thread */
    RC_SHARED_CLOSED, /* the thread has ended: the sampler makes it free */
};

/* A process in which a launcher becomes the program. */
struct rc_shared_process {
    uint32_t pid;
    int32_t rank;   /* -1: there is none */
    uint64_t began; /* when, as the kernel says it in /proc/PID/stat */
};

/* Whether the ranks of the program's MPI_COMM_WORLD may exchange messages of the
 * library's own: only if all of them have it (preload/matching/mpi_world.c).
 */
enum rc_shared_together {
    RC_SHARED_UNDECIDED,
    RC_SHARED_ASKING,   /* one rank of the node asks the other nodes */
    RC_SHARED_TOGETHER, /* they may; this, or the next, is kept for good */
    RC_SHARED_APART,
};

/* A comparison of clocks: CLOCK_MONOTONIC_RAW of the node of MPI's rank 0 less that of
 * this node, when this one was at 'at_ns', was between 'low_ns' and 'high_ns'.
 */
struct rc_shared_offset {
    int64_t at_ns, low_ns, high_ns;
};

/* The head of the file.  Members that are not atomic are written by the launcher before
 * any process reads them.
 */
struct rc_shared {
    uint64_t magic;
    uint32_t version;
    uint32_t clock;      /* enum rc_shared_clock */
    uint32_t block_most; /* blocks that there can be */
    uint32_t event_count;
    uint64_t ticks_ns;   /* ns that 2^32 ticks take, for classes of times: about */
    uint64_t long_ticks; /* MPI calls that take longer are entered into rings */
    uint32_t trace;      /* all MPI calls are entered */
    uint32_t every;      /* regions: each so many-th instance is measured; 1: all */
    struct rc_shared_event event[RC_SHARED_COUNTERS];
    _Atomic uint32_t block_used;      /* blocks 0 .. block_used - 1 were used so far */
    _Atomic uint64_t no_block;        /* threads for which there was no room */
    _Atomic uint64_t filtered;        /* processes that filter their system calls */
    _Atomic uint64_t forks;           /* calls of fork(), each counted beforehand */
    uint64_t anchor_ticks, anchor_ns; /* one moment in ticks and by the raw clock */
    uint64_t launcher_began_ns;       /* by the raw clock: the node's first launcher */
    uint64_t program_began_ns;        /* likewise: just before its first process */
    _Atomic uint32_t process_count;   /* written by launchers, one at a time */
    struct rc_shared_process process[RC_SHARED_PROCESSES];
    _Atomic uint64_t cpus[RC_SHARED_CPUS / 64]; /* a bit for each CPU on which one of
                                                 * them might run when it began */
    char dir[RC_SHARED_DIR]; /* DIR, in which nodes find each other; "": not known */
    char no_stacks[RC_SHARED_WHY]; /* why no stacks are sampled; "": they are, or are
                                    * not wanted */
    char set[RC_SHARED_SET];       /* of the launcher that made the file */
    uint32_t no_waiting;           /* no calls are matched */
    _Atomic uint32_t together; /* enum rc_shared_together, of the ranks of 'world' */
    _Atomic uint64_t world;    /* which MPI_COMM_WORLD is the program's; 0: none yet */
    _Atomic uint32_t marked;   /* its ranks on this node that have called MPI_Init */
    /* A ring of comparisons of clocks: rank 0 of the node writes them. */
    _Atomic uint32_t offset_head, offset_tail;
    struct rc_shared_offset offset[RC_SHARED_OFFSETS];
    _Atomic uint32_t state[]; /* of blocks: enum rc_shared_state, block_most times */
};

/* Entries of a ring.  An instance of a call path gives two of them; so does an MPI call
 * that is entered into rings, and which belongs to the region around it.
 */
enum rc_shared_what {
    RC_SHARED_ENTER = 1,  /* 'number': a call path */
    RC_SHARED_LEAVE,      /* likewise */
    RC_SHARED_CALL_BEGAN, /* 'number': a row of MPI calls */
    RC_SHARED_CALL_ENDED,
};
struct rc_shared_entry {
    uint64_t ticks;
    uint32_t what, number;
};

/* A call path: the region 'name' inside of the path 'parent', with sums over its
 * instances, regions inside of them included.  If only each so many-th instance is
 * measured, it represents the unmeasured ones before it.
 */
struct rc_shared_path {
    uint32_t parent, name;
    uint64_t visits, measured;  /* all instances, and those that were measured */
    uint64_t ticks;             /* of 'stands_for' visits */
    uint64_t shortest, longest; /* of those measured */
    uint64_t lost; /* instances without counts: a counter did not count all the time */
    uint64_t count[RC_SHARED_COUNTERS];
    uint64_t stands_for; /* measured visits, and unmeasured ones that they represent */
};

/* The nodes of the ranks that a call sends to or receives from, as bits; of a
 * collective, those of its communicator.
 */
enum rc_shared_nodes {
    RC_SHARED_NODES_UNKNOWN, /* or it has no such ranks */
    RC_SHARED_SAME_NODE,     /* all are on this node */
    RC_SHARED_OTHER_NODE,    /* none is */
    RC_SHARED_SEVERAL_NODES, /* some are */
};

/* Calls of one MPI function from one place of the program in one call path, with
 * messages of about the same size: 2^(log_bytes - 1) bytes at least and less than twice
 * that, 0 for none.
 */
struct rc_shared_call {
    uint32_t path, name;
    uint64_t site;  /* address that the call returns to, from the start of 'module' */
    uint32_t ranks; /* of the communicator; 0: the call has none */
    uint16_t log_bytes;
    uint16_t nodes;     /* enum rc_shared_nodes */
    uint32_t module;    /* name of the program or library that calls; 0: not known */
    uint32_t waits_for; /* enum rc_waiting_kind (solve/waiting/), of those 'known' */
#define CALL(member, ...) uint64_t member;
#define WAIT CALL
    /* How many calls took 2^(i + 6) ns at least and less than twice that; the first
     * also those that took less, the last those that took more.
     */
#define TIMES uint32_t time[RC_SHARED_TIMES];
#include "io/profile/calls.def"
};

/* A block.  'head' and 'tail' count entries from the first one on: the ring holds those
 * from tail to head - 1, each in place number % RC_SHARED_RING.  The thread writes an
 * entry, then moves 'head' (release); the sampler reads them, then moves 'tail'.  In
 * the same way the thread writes names, paths and calls before it moves 'names_used',
 * 'path_count' and 'call_count', so that a reader of these (acquire) finds complete
 * rows; numbers in rows change until the block is closed.
 */
struct rc_shared_block {
    uint32_t pid, tid; /* of the thread, as it sees them */
    int32_t rank;      /* as the launcher said, or MPI; -1: not known (yet) */
    int32_t ranks;     /* of MPI_COMM_WORLD; 0: not known (yet) */
    uint32_t child;    /* the process was started by the program, not by the launcher */
    uint64_t started;  /* ticks */
    _Atomic uint64_t ended; /* ticks; 0: not yet, or it was killed */
    /* Processor time of its process, where no thread has a block after it; 0: others
     * have, or it is not known.
     */
    _Atomic uint64_t process_ns;
    _Atomic uint64_t mpi_began,
        mpi_ended; /* ticks: MPI_Init returned, MPI_Finalize was called */
    _Atomic uint64_t lost_entries; /* the ring was full */
    _Atomic uint64_t lost_paths;   /* instances of regions: the table was full */
    _Atomic uint64_t repaired;     /* regions whose begin and end did not match */
    _Atomic uint64_t own_ticks; /* time of the library in this thread, estimated by each
                                 * RC_SHARED_TIMED-th of its operations */
    _Atomic uint64_t exchanges,
        exchange_ticks;          /* exchanges that find waiting, and their time */
    _Atomic uint64_t unmatched;  /* calls for which there was no room to match them */
    _Atomic uint64_t impossible; /* messages that arrived before they were sent */
    _Atomic uint64_t polls;      /* of MPI that were only counted */
    _Atomic uint64_t joined;     /* teams of OpenMP that another thread began */
    uint64_t counters_why;       /* errno why the events are not counted; 0: they are */
    _Atomic uint64_t head, tail;
    _Atomic uint32_t names_used; /* bytes; a name's number is where it begins, 0: "" */
    _Atomic uint32_t path_count; /* with the root */
    _Atomic uint32_t call_count; /* row 0 has the calls that found the table full */
    _Atomic uint32_t open_path;  /* where the thread is now */
    /* Levels, which the sampler writes: each 2^n-th instance of a path is measured (of
     * those that 'every' leaves), and each 2^n-th of these is entered into the ring;
     * calls of a row of MPI calls with a level other than 0 are not entered into the
     * ring, even with 'trace'.
     */
    _Atomic uint8_t path_level[RC_SHARED_PATHS], ring_level[RC_SHARED_PATHS];
    _Atomic uint8_t call_level[RC_SHARED_CALLS];
    char name[RC_SHARED_NAMES];
    struct rc_shared_path path[RC_SHARED_PATHS];
    struct rc_shared_call call[RC_SHARED_CALLS];
    struct rc_shared_entry ring[RC_SHARED_RING];
};

_Static_assert(sizeof(struct rc_shared_block) <= RC_SHARED_BLOCK,
               "a block is too large");
_Static_assert(sizeof(struct rc_shared) <= RC_SHARED_HEAD / 2, "the head is too large");

#endif
