/* mpi_layer.h - calls of MPI, as the preloaded library records them
 *
 * The library defines the functions of MPI that solve/waiting/mpi_calls.h lists, in C,
 * in Fortran (mpi_send_) and in Fortran 2008 (mpi_send_f08_; MPICH has mpi_send_f08ts_
 * where there is a buffer).  Open MPI's mpi_send_ calls PMPI_Send, so a layer in C
 * alone would see nothing of programs in Fortran; MPICH's calls MPI_Send.  Each calls
 * the function that the program would have called, and then adds the call to a row of
 * the thread's block. A call that MPI makes inside of another one is not counted, nor
 * is one that failed given bytes.
 *
 * Arguments of MPI's functions are integers, handles and addresses: each is passed as a
 * word, and handed on as it came.  So one form of function serves all MPIs; what they
 * differ in is in mpi_abi.h.  A program with an MPI that is not known works as before,
 * and its calls have no bytes.  Nothing here is linked with MPI: its functions are
 * looked for once one of them is called.
 *
 * The bytes of a call are:
 *   a send, put, accumulate: what goes to another rank; nothing to MPI_PROC_NULL
 *   MPI_Sendrecv: what is sent
 *   MPI_Recv, MPI_Mrecv: what came, from the status
 *   MPI_Irecv, MPI_Imrecv, MPI_Get: what was asked for
 *   MPI_Start, MPI_Startall: as the requests' MPI_Send_init and MPI_Recv_init say;
 *     those, and waiting and testing: 0
 *   collectives: what this rank contributes, its part for itself included: its own
 *     buffer once for a gather or a reduction; the root's for a broadcast, and for a
 *     scatter or an all-to-all what all ranks get from it
 *   files: what was asked for
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MPI_MPI_LAYER_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MPI_MPI_LAYER_H

#include "campaign/profile/preload/mpi/mpi_abi.h"

_Static_assert(sizeof(void *) == 8, "an MPI_Offset must fit into a word");

struct rc_mpi_args;

/* The role of a call among those that are matched with it, for waiting, and the
 * arguments 'who' that it is known by.
 */
enum rc_mpi_matched {
    RC_MPI_ALONE,              /* it is not matched */
    RC_MPI_SENDS,              /* to, tag */
    RC_MPI_RECEIVES,           /* from, tag */
    RC_MPI_SENDS_AND_RECEIVES, /* to, tag, from, tag */
    RC_MPI_SENDS_LATER,        /* to, tag, request */
    RC_MPI_RECEIVES_LATER,     /* from, tag, request */
    RC_MPI_SENDS_OFTEN,        /* likewise, each time that the request is started */
    RC_MPI_RECEIVES_OFTEN,     /* likewise */
    RC_MPI_STARTS,             /* how many requests (0: one), requests */
    RC_MPI_TOGETHER_LATER,     /* as RC_MPI_TOGETHER, request */
    /* One-sided: mpi_windows.c */
    RC_MPI_MAKES_WINDOW,     /* which is this argument */
    RC_MPI_FENCES,           /* as RC_MPI_TOGETHER, window */
    RC_MPI_STARTS_ACCESS,    /* window, group */
    RC_MPI_ENDS_ACCESS,      /* window */
    RC_MPI_POSTS,            /* window, group */
    RC_MPI_WAITS_FOR_ACCESS, /* window, whether it is over (0: it is) */
    RC_MPI_ACCESSES,         /* window */
    /* From here on something is to be done before the call, too. */
    RC_MPI_COMPLETES,    /* how many requests (0: one), requests, their statuses,
                          * enum rc_mpi_how */
    RC_MPI_TESTS,        /* likewise, and it does not wait */
    RC_MPI_TOGETHER,     /* a collective: enum rc_waiting_kind, root (0: none) */
    RC_MPI_MAKES,        /* a communicator, which is this argument */
    RC_MPI_FREES,        /* the communicator that is the first argument */
    RC_MPI_FREES_WINDOW, /* likewise a window */
    RC_MPI_FORGETS,      /* the request that is the first argument */
};
enum rc_mpi_how {
    RC_MPI_ONE,  /* at most one request, with one status */
    RC_MPI_ALL,  /* each has its status */
    RC_MPI_SOME, /* before the statuses: how many, and which */
};
enum { RC_MPI_ASKS_ALWAYS = 255 };
enum rc_mpi_poll {
    RC_MPI_IPROBE = 1,
    RC_MPI_TEST,
    RC_MPI_TESTALL,
    RC_MPI_TESTANY,
    RC_MPI_TESTSOME,
};
enum { RC_MPI_POLL_REQUESTS = 4 }; /* of a poll that may be counted only, at most */

/* A function of MPI.  Arguments are numbered from 1 on, 0 is none. */
struct rc_mpi_call {
    const char *name;  /* "MPI_Send", in all languages */
    uint16_t number;   /* among all functions */
    uint8_t comm;      /* which argument is the communicator */
    uint8_t status;    /* which one is a status that 'bytes' reads */
    uint8_t ierror;    /* which one is Fortran's return code */
    bool neighbours;   /* data goes to the neighbours in the communicator's topology */
    bool forgets;      /* its first argument is a request that it frees */
    bool begins, ends; /* MPI_Init, MPI_Finalize */
    bool descriptors;  /* buffers are addresses of descriptors of Fortran's arrays */
    /* The bytes of a call that succeeded; NULL: none.  It looks at arguments 'at'. */
    uint64_t (*bytes)(const struct rc_mpi_args *args);
    uint8_t at[6];
    bool exchanges;  /* it receives, too: at[3], at[4] are count and type of that */
    uint8_t matched; /* enum rc_mpi_matched */
    uint8_t who[4];
    /* It asks whether something has come, often until it has: which of the slots of
     * struct rc_preload_poll it has, from 1 on, and which argument says so.
     */
    uint8_t poll, flag;
    /* No rank leaves before all have entered, if this argument, a count, is not 0:
     * there waiting of all ranks may be found out.
     */
    uint8_t asks;
};

/* The arguments of one call. */
struct rc_mpi_args {
    const struct rc_mpi_call *call;
    void *const *word;
    bool fortran; /* words are addresses of what C gives by value */
};

/* mpi_bytes.c: the rules of 'bytes', by what 'at' has */
uint64_t rc_mpi_message(const struct rc_mpi_args *);  /* count, type, peer or root */
uint64_t rc_mpi_element(const struct rc_mpi_args *);  /* type, peer */
uint64_t rc_mpi_received(const struct rc_mpi_args *); /* count, type */
/* Send buffer, count, type, and for MPI_IN_PLACE count, or counts, and type, then the
 * root.
 */
uint64_t rc_mpi_own(const struct rc_mpi_args *);
uint64_t rc_mpi_own_of_counts(const struct rc_mpi_args *);
/* Send buffer, count (counts), type (types), and for MPI_IN_PLACE the others. */
uint64_t rc_mpi_each(const struct rc_mpi_args *);
uint64_t rc_mpi_counts(const struct rc_mpi_args *);
uint64_t rc_mpi_counts_types(const struct rc_mpi_args *);
uint64_t rc_mpi_root(const struct rc_mpi_args *);         /* count, type, root */
uint64_t rc_mpi_root_each(const struct rc_mpi_args *);    /* likewise */
uint64_t rc_mpi_root_counts(const struct rc_mpi_args *);  /* counts, type, root */
uint64_t rc_mpi_reduced(const struct rc_mpi_args *);      /* counts, type */
uint64_t rc_mpi_reduced_each(const struct rc_mpi_args *); /* count, type */
/* Persistent requests: count, type, peer, request. */
uint64_t rc_mpi_request_made(const struct rc_mpi_args *);

/* After a call that succeeded: how many ranks its communicator has (0: it has none),
 * and its bytes.  The first one looks for what the rules need of MPI and tells all
 * blocks which rank this is.  Where MPI is of a kind that mpi_abi.c does not have, both
 * stay 0.
 */
struct rc_mpi_record;
void rc_mpi_ask(const struct rc_mpi_args *args, struct rc_mpi_record *record);

/* Whether the program wants no status ('word': the argument), so that the layer gives
 * one of its own, which has room in an rc_mpi_status.
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

/* A handle that is always there; false: the program's MPI has none by its name. */
bool rc_mpi_constant_find(const struct rc_mpi_constant *constant, rc_mpi_handle *out);

/* mpi_world.c: before MPI_Init. */
void rc_mpi_world_mark(void);

/* mpi_match.c: after an MPI_Init that succeeded, and before MPI_Finalize: messages are
 * exchanged with all ranks of MPI_COMM_WORLD, if all have this library.  Before
 * MPI_Finalize ranks wait for each other here, as they would there: so many ticks are
 * the call's, the rest is the library's.
 */
void rc_mpi_match_init(void);
uint64_t rc_mpi_match_finalize(void);

/* mpi_bytes.c: arguments by their numbers: an integer, the communicator, one that a
 * call has made, a window, one that a call has made or frees, a group, a request of an
 * array.  Handles as MPI's functions in C take them.
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
bool rc_mpi_usable(void); /* else none of them may be asked for */

/* matching/: calls of this process that others wait for, or that wait for others.
 * Before a call that 'asks', which all ranks make: the ticks that this rank waited for
 * the others there, which it would have done in the call, and since when, if it did;
 * before a call that is matched, whose arguments may be changed in 'word', and after
 * it, when it has been added to a row; once not all calls are recorded any more.
 * rc_mpi_match_hold() stands in place of rc_mpi_match_begin() where the requests were
 * kept before the call.
 */
uint64_t rc_mpi_match_ask(const struct rc_mpi_args *args, uint64_t *asked);
void rc_mpi_match_begin(const struct rc_mpi_args *args, void **word);
bool rc_mpi_match_takes_any(void); /* a receive among the call's requests takes any
                                    * message, so that its status is needed */
void rc_mpi_match_hold(const rc_mpi_handle *request, int count);
void rc_mpi_match_mute(void);
void rc_mpi_match_end(const struct rc_mpi_args *args,
                      const struct rc_mpi_record *record, uint32_t row, int code);

/* mpi_bytes.c: whether the program's 8 bytes from a multiple of 8 on can be read. */
bool rc_mpi_is_readable(uintptr_t address);

/* Before a request is freed: its bytes are forgotten. */
void rc_mpi_request_freed(const struct rc_mpi_args *args);

/* mpi_requests.c: how many bytes a start of a persistent request sends, or receives:
 * then with this bit, for all threads of the process.  Full: it is not kept, and found
 * as 0.
 */
#define RC_MPI_REQUEST_RECEIVES (UINT64_C(1) << 63)
void rc_mpi_requests_keep(intptr_t request, uint64_t bytes);
uint64_t rc_mpi_requests_find(intptr_t request);
void rc_mpi_requests_forget(intptr_t request);

/* mpi_rows.c: one call, which returns to 'site', for the rows of the thread's block and
 * its ring.  Returns the number of the row; 0: it has none of its own.
 */
struct rc_mpi_record {
    const struct rc_mpi_call *call;
    const void *site;
    uint64_t began, ended; /* ticks */
    uint32_t ranks;
    struct rc_mpi_moved { /* as calls.def has them */
        uint64_t bytes, received;
        uint32_t started, started_receives;
    } moved;
    uint64_t apart;
    uint64_t own; /* ticks before it that the library took; 0: not known */
    /* Before a poll: it has room for a status; after it: it found nothing, and the next
     * ones may be quick.
     */
    bool in_vain;
    rc_mpi_handle request; /* of such a poll without a status: its first; else 0 */
};
uint32_t rc_mpi_record(const struct rc_mpi_record *record);

/* Between enter and leave: adds the polls that were only counted to their rows. */
struct rc_preload_block;
void rc_mpi_polls_add(struct rc_preload_block *block);

/* Before a call: what its end will need comes into the cache while MPI works. */
void rc_mpi_record_expect(const void *site);
void rc_mpi_match_expect(void);

#endif
