/* mpi_layer.h - how the preloaded library records calls of MPI
 *
 * The library defines the functions of MPI that solve/waiting/mpi_calls.h lists, for C,
 * Fortran (mpi_send_) and Fortran 2008 (mpi_send_f08_; in MPICH mpi_send_f08ts_ if
 * there is a buffer).  Each calls the function that the program would have called, and
 * then adds the call to a row of the thread's block.  Functions for C alone would miss
 * programs in Fortran, as Open MPI's mpi_send_ calls PMPI_Send.  MPICH's calls
 * MPI_Send: so a call inside of another one is not recorded.  A call that failed has no
 * bytes.
 *
 * Arguments of MPI's functions are integers, handles and addresses.  Each is passed on
 * as a word, unchanged, so the same functions serve all MPIs; mpi_abi.h has the
 * differences.  A program with an unknown MPI works as before, but its calls have no
 * bytes.  This library is not linked with MPI: it looks for MPI's functions when one of
 * them is first called.
 *
 * The bytes of a call are:
 *   a send, put, accumulate: bytes sent to the other rank; 0 to MPI_PROC_NULL
 *   MPI_Sendrecv: bytes sent
 *   MPI_Recv, MPI_Mrecv: bytes received, from the status
 *   MPI_Irecv, MPI_Imrecv, MPI_Get: bytes asked for
 *   MPI_Start, MPI_Startall: those of MPI_Send_init and MPI_Recv_init, which have 0
 *     themselves
 *   waiting and testing: 0
 *   collectives: what this rank contributes, the part for itself included.  Gather,
 *     reduction: its own buffer once.  Broadcast: the buffer, at the root.  Scatter (at
 *     the root), all-to-all: the sum of what all ranks get from it
 *   files: bytes asked for
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MPI_MPI_LAYER_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MPI_MPI_LAYER_H

#include "campaign/profile/preload/mpi/mpi_abi.h"

_Static_assert(sizeof(void *) == 8, "an MPI_Offset must fit into a word");

struct rc_mpi_args;

/* The role of a call in matching calls of different ranks, and the arguments of the
 * call that are in 'who' for that.
 */
enum rc_mpi_matched {
    RC_MPI_ALONE,              /* it is not matched */
    RC_MPI_SENDS,              /* to, tag */
    RC_MPI_RECEIVES,           /* from, tag */
    RC_MPI_SENDS_AND_RECEIVES, /* to, tag, from, tag */
    RC_MPI_SENDS_LATER,        /* to, tag, request */
    RC_MPI_RECEIVES_LATER,     /* from, tag, request */
    RC_MPI_SENDS_OFTEN,        /* to, tag, persistent request */
    RC_MPI_RECEIVES_OFTEN,     /* from, tag, persistent request: the last with a rank */
    RC_MPI_STARTS,             /* number of requests (0: one), requests */
    RC_MPI_TOGETHER_LATER,     /* as RC_MPI_TOGETHER, request */
    /* One-sided: mpi_windows.c */
    RC_MPI_MAKES_WINDOW,     /* the window that is made */
    RC_MPI_FENCES,           /* as RC_MPI_TOGETHER, window */
    RC_MPI_STARTS_ACCESS,    /* window, group */
    RC_MPI_ENDS_ACCESS,      /* window */
    RC_MPI_POSTS,            /* window, group */
    RC_MPI_WAITS_FOR_ACCESS, /* window, flag that it has ended (0: it always has) */
    RC_MPI_ACCESSES,         /* window */
    /* From here on there is work before the call, too. */
    RC_MPI_COMPLETES,    /* number of requests (0: one), requests, their statuses,
                          * enum rc_mpi_how */
    RC_MPI_TESTS,        /* likewise, and it does not wait */
    RC_MPI_TOGETHER,     /* a collective: enum rc_waiting_kind, root (0: none) */
    RC_MPI_MAKES,        /* the communicator that is made */
    RC_MPI_FREES,        /* (frees the communicator that is the first argument) */
    RC_MPI_FREES_WINDOW, /* (likewise a window) */
    RC_MPI_FORGETS,      /* (frees the request that is the first argument) */
};
enum rc_mpi_how {
    RC_MPI_ONE,  /* it completes at most one request, with one status */
    RC_MPI_ALL,  /* each request has its status */
    RC_MPI_SOME, /* arguments before the statuses: how many were completed, which */
};
enum { RC_MPI_ASKS_ALWAYS = 255 };
enum rc_mpi_poll {
    RC_MPI_IPROBE = 1,
    RC_MPI_TEST,
    RC_MPI_TESTALL,
    RC_MPI_TESTANY,
    RC_MPI_TESTSOME,
};
enum { RC_MPI_POLL_REQUESTS = 4 }; /* at most, of a poll that is not timed */

/* A function of MPI.  Arguments are numbered from 1 on; 0: there is none. */
struct rc_mpi_call {
    const char *name;  /* "MPI_Send", in all languages */
    uint16_t number;   /* among all functions */
    uint8_t comm;      /* argument: the communicator */
    uint8_t status;    /* argument: a status that 'bytes' reads */
    uint8_t ierror;    /* argument: Fortran's return code */
    bool neighbours;   /* data goes to the neighbours in the communicator's topology */
    bool forgets;      /* its first argument is a request that it frees */
    bool begins, ends; /* MPI_Init, MPI_Finalize */
    bool descriptors;  /* buffers are addresses of descriptors of Fortran's arrays */
    /* The rule by which the bytes of a call are found if it succeeded, and the rule's
     * arguments; NULL: the call has no bytes.
     */
    uint64_t (*bytes)(const struct rc_mpi_args *args);
    uint8_t at[6];
    bool exchanges;  /* it receives, too: at[3], at[4] are count and type of that */
    uint8_t matched; /* enum rc_mpi_matched */
    uint8_t who[4];
    /* For a call that tests without waiting, and is often repeated (a poll): its enum
     * rc_mpi_poll, and the argument that says whether it found something.
     */
    uint8_t poll, flag;
    /* For a call that no rank leaves before all have entered, in which ranks may
     * exchange events: an argument, a count, that must not be 0 for that to be so, or
     * RC_MPI_ASKS_ALWAYS.
     */
    uint8_t asks;
};

/* The arguments of one call. */
struct rc_mpi_args {
    const struct rc_mpi_call *call;
    void *const *word;
    bool fortran; /* words are addresses of the arguments that C passes by value */
};

/* mpi_bytes.c: the rules, each with its arguments in 'at' */
uint64_t rc_mpi_message(const struct rc_mpi_args *);  /* count, type, peer or root */
uint64_t rc_mpi_element(const struct rc_mpi_args *);  /* type, peer */
uint64_t rc_mpi_received(const struct rc_mpi_args *); /* count, type */
/* Send buffer, count, type; count (or counts) and type to use instead if the buffer is
 * MPI_IN_PLACE; root.
 */
uint64_t rc_mpi_own(const struct rc_mpi_args *);
uint64_t rc_mpi_own_of_counts(const struct rc_mpi_args *);
/* Send buffer, count (counts), type (types); the same two for MPI_IN_PLACE. */
uint64_t rc_mpi_each(const struct rc_mpi_args *);
uint64_t rc_mpi_counts(const struct rc_mpi_args *);
uint64_t rc_mpi_counts_types(const struct rc_mpi_args *);
uint64_t rc_mpi_root(const struct rc_mpi_args *);         /* count, type, root */
uint64_t rc_mpi_root_each(const struct rc_mpi_args *);    /* likewise */
uint64_t rc_mpi_root_counts(const struct rc_mpi_args *);  /* counts, type, root */
uint64_t rc_mpi_reduced(const struct rc_mpi_args *);      /* counts, type */
uint64_t rc_mpi_reduced_each(const struct rc_mpi_args *); /* count, type */

/* To be called after a call that succeeded: fills in the number of ranks of its
 * communicator (0: it has none) and its bytes.  The first time it finds MPI's functions
 * and writes the process's rank into all blocks.  With an MPI that mpi_abi.c does not
 * know both stay 0.
 */
struct rc_mpi_record;
void rc_mpi_ask(const struct rc_mpi_args *args, struct rc_mpi_record *record);

/* Whether the program passed MPI_STATUS_IGNORE as this argument.  The layer then passes
 * an rc_mpi_status of its own.
 */
bool rc_mpi_fortran_status_ignored(const void *word);
static inline bool rc_mpi_status_ignored(const void *word, bool fortran)
{
    return fortran ? rc_mpi_fortran_status_ignored(word)
                   : rc_mpi_abi.names && (intptr_t)word == rc_mpi_abi.status_ignore;
}
struct rc_mpi_status {
    uint64_t room[RC_MPI_STATUS_WORDS];
};

/* Finds a predefined handle; false: the program's MPI has no variable of this name. */
bool rc_mpi_constant_find(const struct rc_mpi_constant *constant, rc_mpi_handle *out);

/* mpi_world.c: to be called before MPI_Init; marks this process as a rank. */
void rc_mpi_world_mark(void);

/* mpi_match.c: to be called after an MPI_Init that succeeded, and before MPI_Finalize.
 * Both exchange messages with all ranks of MPI_COMM_WORLD, if all have this library.
 * The second one returns the ticks that this rank waited for others: these belong to
 * MPI_Finalize, in which it would have waited otherwise.
 */
void rc_mpi_match_init(void);
uint64_t rc_mpi_match_finalize(void);

/* mpi_bytes.c: the argument of number 'n': an integer, or a handle as MPI's functions
 * in C take it.  '_made': the call makes it or frees it.  A request is the i-th of an
 * array.
 */
static inline int rc_mpi_integer(const struct rc_mpi_args *args, unsigned n)
{
    void *word = args->word[n - 1];
    return args->fortran ? *(const int *)word : (int)(intptr_t)word;
}
rc_mpi_handle rc_mpi_comm(const struct rc_mpi_args *args, unsigned n);
rc_mpi_handle rc_mpi_comm_made(const struct rc_mpi_args *args, unsigned n);
rc_mpi_handle rc_mpi_window(const struct rc_mpi_args *args, unsigned n);
rc_mpi_handle rc_mpi_window_made(const struct rc_mpi_args *args, unsigned n);
rc_mpi_handle rc_mpi_group(const struct rc_mpi_args *args, unsigned n);
rc_mpi_handle rc_mpi_request(const struct rc_mpi_args *args, unsigned n, int i);
bool rc_mpi_statuses_ignored(const struct rc_mpi_args *args, unsigned n);
bool rc_mpi_usable(void); /* if not, do not ask for handles */

/* matching/: calls that other ranks wait for, or that wait for other ranks.
 *
 * rc_mpi_match_ask() is called before each call with 'asks', and may exchange events
 * with all ranks.  If so it sets 'asked' to the time when it began.  It returns the
 * ticks that this rank waited for others, which it would else have done in the call.
 *
 * rc_mpi_match_begin() is called before a matched call, from RC_MPI_COMPLETES on, and
 * may change arguments in 'word'.  For polls that are not timed rc_mpi_match_hold() is
 * called afterwards instead, with the requests as they were before.
 *
 * rc_mpi_match_end() is called after a matched call, when that has its row.
 * rc_mpi_match_mute() is called when some calls are not recorded any more.
 */
uint64_t rc_mpi_match_ask(const struct rc_mpi_args *args, uint64_t *asked);
void rc_mpi_match_begin(const struct rc_mpi_args *args, void **word);
bool rc_mpi_match_takes_any(void); /* whether the call needs statuses, as one of its
                                    * receives is from any rank or with any tag */
void rc_mpi_match_hold(const rc_mpi_handle *request, int count);
void rc_mpi_match_mute(void);
void rc_mpi_match_end(const struct rc_mpi_args *args,
                      const struct rc_mpi_record *record, uint32_t row, int code);

/* mpi_nodes.c: enum rc_shared_nodes of the ranks that a call, which succeeded, sends to
 * or receives from.  rc_mpi_nodes_forget() is to be called when a communicator is made
 * or freed, since MPI may give its handle to another one.
 */
uint32_t rc_mpi_nodes(const struct rc_mpi_args *args);
void rc_mpi_nodes_forget(void);

/* mpi_bytes.c: whether the 8 bytes at 'address', a multiple of 8, can be read. */
bool rc_mpi_is_readable(uintptr_t address);

/* To be called before a request is freed: forgets its bytes. */
void rc_mpi_request_freed(const struct rc_mpi_args *args);

/* mpi_requests.c: keeps how many bytes a persistent request sends, or receives (then
 * with the bit below), each time it is started, and above RC_MPI_REQUEST_NODES the
 * nodes of its peer; for all threads of the process.  If the table is full it does not,
 * and 0 will be found.
 */
#define RC_MPI_REQUEST_RECEIVES (UINT64_C(1) << 63)
enum { RC_MPI_REQUEST_NODES = 61 };
void rc_mpi_requests_keep(intptr_t request, uint64_t bytes);
uint64_t rc_mpi_requests_find(intptr_t request);
void rc_mpi_requests_forget(intptr_t request);

/* mpi_rows.c: adds a call to its row in the thread's block, and to the ring if it is to
 * be there.  Returns the number of the row; 0: there was no room for one.
 */
struct rc_mpi_record {
    const struct rc_mpi_call *call;
    const void *site;      /* the address that it returns to */
    uint64_t began, ended; /* ticks */
    uint32_t ranks;
    uint32_t nodes;       /* enum rc_shared_nodes */
    struct rc_mpi_moved { /* as in calls.def */
        uint64_t bytes, received;
        uint32_t started, started_receives;
    } moved;
    uint64_t apart; /* as in calls.def */
    uint64_t own;   /* ticks that the library took before the call; 0: not known */
    /* Before a poll: the program has passed room for a status.  After it: it found
     * nothing, and some of the next ones need not be timed.
     */
    bool in_vain;
    rc_mpi_handle request; /* the first one, of a poll in vain without status; else 0 */
};
uint32_t rc_mpi_record(const struct rc_mpi_record *record);

/* Adds polls that were not timed to their rows; to be called between enter and leave.
 */
struct rc_preload_block;
void rc_mpi_polls_add(struct rc_preload_block *block);

/* To be called before a call: the data that its end will need come into the cache while
 * MPI works.
 */
void rc_mpi_record_expect(const void *site);
void rc_mpi_match_expect(void);

#endif
