/* mpi_match.h - the tables of calls that are kept until their waiting is known
 *
 * Each call that another rank may wait for, or that may wait for another rank, is kept
 * as an event of 32 bytes, in a table of fixed size.  At some calls in which all ranks
 * meet anyway, and in MPI_Finalize, ranks exchange their events: a send goes to the
 * rank that received it, a collective of all ranks is reduced, one of some ranks is
 * sent to the first of these.  The waiting that is found is added to the rows of the
 * calls.
 *
 * Messages of one sender to one receiver with one tag in one communicator are received
 * in the order in which they were sent: so the n-th send belongs to the n-th receive
 * that was posted.  That holds only as long as no event is missing.  Once one is (the
 * table was full, a request is unknown), no rank matches messages until no message is
 * under way: until as many have been received as were sent, and no receive is open that
 * was posted meanwhile.  Collectives have numbers of their own, so a missing one does
 * not matter.
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_MATCH_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_MATCH_H

#include "campaign/profile/preload/matching/mpi_world.h"
#include "campaign/profile/preload/preload.h"
#include "solve/waiting/waiting.h"

enum {
    RC_MATCH_EVENTS = 32768,   /* 1 MiB; an exchange is due at half of them or before */
    RC_MATCH_COMMS = 256,      /* communicators that are known */
    RC_MATCH_SLOTS = 8192,     /* of requests: a power of 2; at most half are used */
    RC_MATCH_HELD = 1024,      /* requests that one call may complete */
    RC_MATCH_LASTING = 1024,   /* persistent requests */
    RC_MATCH_ITEMS = 65536,    /* items that a rank takes in one exchange */
    RC_MATCH_STREAMS = 262144, /* a power of 2, twice as many as there can be */
};

enum rc_mpi_event_kind {
    RC_EVENT_GONE,     /* its waiting is known, or never will be */
    RC_EVENT_SEND,     /* blocking */
    RC_EVENT_ISEND,    /* a send that does not wait; its receiver may wait for it */
    RC_EVENT_RECEIVE,  /* blocking */
    RC_EVENT_IRECEIVE, /* a receive that does not wait; 'enter': it was posted */
    RC_EVENT_UNSEEN,   /* such a receive that has ended at an unknown time */
    RC_EVENT_COMPLETE, /* a call that completed requests */
    RC_EVENT_ACCESSED, /* follows the COMPLETE event of MPI_Win_wait */
    RC_EVENT_TOGETHER, /* a collective */
    RC_EVENT_LATER,    /* a collective that does not block */
    RC_EVENT_MOMENT,   /* likewise; the time until which a call that completes it waits
                        * was found in an exchange, or cannot be found */
};
enum { RC_EVENT_UNKNOWN = RC_WAITING_KINDS }; /* it is not known what was waited for */
#define RC_EVENT_NOBODY UINT32_MAX            /* completed by a call without an event */

struct rc_mpi_event {
    uint64_t enter; /* ticks */
    union {
        uint64_t exit;        /* ticks, of a call that is over */
        struct {              /* IRECEIVE, UNSEEN, LATER, MOMENT */
            uint32_t by;      /* the event that completed it, from 1 on; 0: none yet */
            uint32_t also_by; /* of a window: another that may have waited for it */
        } ended;
    };
    union {
        struct {               /* SEND .. UNSEEN */
            int32_t peer, tag; /* a rank of the communicator */
        } message;
        struct {             /* TOGETHER, LATER */
            int32_t root;    /* -1: none */
            uint32_t number; /* among the communicator's collectives */
        } together;
        /* Common time. */
        int64_t until;   /* MOMENT; INT64_MIN: a call that completes it won't wait */
        int64_t longest; /* COMPLETE: the longest waiting found so far */
        int64_t last_access; /* ACCESSED: by the ranks that MPI_Win_wait waited for */
    };
    uint16_t row; /* in the home thread's block; 0: none */
    uint16_t comm;
    uint8_t kind;      /* enum rc_mpi_event_kind */
    uint8_t waits_for; /* enum rc_waiting_kind, or RC_EVENT_UNKNOWN; COMPLETE: the kind
                        * of 'longest', NONE before that is known */
    uint16_t pending;  /* COMPLETE: requests whose waiting is not known yet */
};
_Static_assert(sizeof(struct rc_mpi_event) == 32, "an event of 32 bytes");

/* An access or exposure of a window: the call that ends it waits for 'count' messages,
 * whose events begin at 'first', or have no events (-1).
 */
struct rc_mpi_epoch {
    int64_t first;
    int count;
};

/* A communicator within one group of ranks, or a window of such a group. */
struct rc_mpi_comm {
    intptr_t handle;     /* 0: it is freed */
    uint64_t id;         /* equal on all its ranks */
    rc_mpi_handle group; /* valid while 'used' */
    int size, rank;
    int first;              /* rank of MPI_COMM_WORLD that is rank 0 here */
    uint32_t next, since;   /* next collective's number: now, at the last exchange */
    uint32_t made;          /* communicators that were made from it */
    bool used, wide, named; /* the entry is in use; all ranks; events refer to it */
    /* For a window: from MPI_Win_start to MPI_Win_complete, from MPI_Win_post to
     * MPI_Win_wait; when the last access ended, in ticks.
     */
    struct rc_mpi_epoch access, exposure;
    uint64_t accessed;
};

/* A request: the number of its event, or one of these. */
enum {
    RC_REQUEST_SEND = -1,
    RC_REQUEST_RECEIVE = -2,  /* a receive that has no event */
    RC_REQUEST_TOGETHER = -3, /* likewise a collective */
    RC_REQUEST_IDLE = -4,     /* a persistent request that is not started */
};
struct rc_mpi_slot {
    intptr_t request; /* the handle; 0: the slot is free */
    int64_t event;    /* a number, or one of the above */
    uint16_t lasting; /* number of a persistent one, from 1 on; 0: it is not */
    uint16_t also;    /* how many more requests have this handle; all are over */
};

/* A persistent request: its message each time that it is started. */
struct rc_mpi_lasting {
    int32_t peer, tag;
    uint16_t comm;
    bool used, receives;
};

/* An item that goes to another rank: a send, or one rank's part in a collective. */
struct rc_mpi_item {
    uint64_t comm;       /* its id */
    int64_t enter, exit; /* common time; of a scan 'exit' is the rank in its comm */
    int32_t tag;
    uint8_t kind;  /* enum rc_mpi_event_kind */
    uint8_t flags; /* enum rc_waiting_kind */
    uint8_t root, unused;
};
enum { RC_ITEM_NUMBERS = sizeof(struct rc_mpi_item) / sizeof(int64_t) };

/* The reply to an item: when the receive began, or for a collective the moment until
 * which it waited and the earliest end.
 */
struct rc_mpi_reply {
    int64_t when, ends;
};
#define RC_REPLY_LATER INT64_MIN         /* the message is not received yet */
#define RC_REPLY_UNKNOWN (INT64_MIN + 1) /* the time will never be known */

/* The key by which items of one collective are found. */
struct rc_mpi_key {
    uint64_t comm;
    int32_t rank, tag;
    uint32_t number; /* of the item */
};

/* Messages of one rank with one tag: the items that no receive has been found for. */
struct rc_mpi_stream {
    uint64_t comm;
    int32_t rank, tag;
    uint32_t first, last; /* numbers of items, plus 1; 0: there is none */
    bool used, waits;     /* waits: an earlier receive is not complete yet */
};

/* A message that was received in the call with the event 'by'; 'row' is the call's if
 * the receive was a blocking one, else 0.
 */
struct rc_mpi_taken {
    uint32_t by;
    uint16_t row;
    uint32_t from;        /* rank of MPI_COMM_WORLD */
    int64_t sent, waited; /* common time; ticks */
};

/* All tables.  Their memory is reserved once, and allocated when it is used. */
struct rc_mpi_tables {
    struct rc_mpi_event event[RC_MATCH_EVENTS];
    struct rc_mpi_slot slot[RC_MATCH_SLOTS];
    struct rc_mpi_lasting lasting[RC_MATCH_LASTING];
    struct rc_mpi_comm comm[RC_MATCH_COMMS];
    intptr_t held[RC_MATCH_HELD];
    uint64_t status[RC_MATCH_HELD][RC_MPI_STATUS_WORDS];
    int64_t mine[2 * RC_MATCH_EVENTS], all[2 * RC_MATCH_EVENTS];
    uint32_t number[RC_MATCH_EVENTS];
    struct rc_mpi_item out[RC_MATCH_EVENTS], in[RC_MATCH_ITEMS];
    struct rc_mpi_reply reply[RC_MATCH_ITEMS], answer[RC_MATCH_EVENTS];
    struct rc_mpi_key send[RC_MATCH_ITEMS];
    struct rc_mpi_stream stream[RC_MATCH_STREAMS];
    uint32_t next[RC_MATCH_ITEMS]; /* in the item's stream: its number, plus 1 */
    struct rc_mpi_taken taken[RC_MATCH_EVENTS];
    struct rc_waiting_message message[RC_MATCH_EVENTS];
};

struct rc_mpi_match {
    struct rc_mpi_tables *t;
    int *count;        /* [6][ranks]: arguments of Alltoallv */
    int64_t *earliest; /* [ranks], to judge the order of messages */
    bool on;           /* calls are matched; the same on all ranks */
    bool mute;         /* some calls of this rank were not recorded */
    bool lost, off;    /* an event of a message is missing; all ranks know that */
    uint32_t events, comms, requests;
    uint32_t found;      /* the communicator that was looked for last */
    int held;            /* requests of the call that is under way */
    uint32_t wild;       /* posted receives from any rank or with any tag */
    int64_t under_way;   /* messages sent less those received */
    int64_t blind;       /* posted receives without an event */
    uint64_t asked, ask; /* calls that could have asked; the number that will ask */
    const struct rc_preload_thread
        *home; /* that called MPI_Init; only its rows get waiting */
};
extern struct rc_mpi_match rc_match __attribute__((visibility("hidden")));

/* Whether the receive takes messages from any rank or with any tag. */
static inline bool rc_mpi_is_wild(const struct rc_mpi_event *event)
{
    return event->message.peer == rc_mpi_abi.any_source ||
           event->message.tag == RC_MPI_ANY_TAG;
}

/* mpi_pairs.c: rc_mpi_match_known() adds the waiting of a call, in ticks, to its row;
 * rc_mpi_match_part() adds how much of that is the 'part' of calls.def.  Both only in
 * the home thread.
 */
void rc_mpi_match_known(uint16_t row, enum rc_waiting_kind kind, int64_t waited,
                        int64_t completing);
void rc_mpi_match_part(uint16_t row, int64_t waited, bool same_source);

/* mpi_exchange.c, a collective: whether no message is under way on any rank. */
bool rc_mpi_is_quiet(struct rc_mpi_world *world, const struct rc_mpi_match *match);

/* mpi_exchange.c, a collective of MPI_COMM_WORLD: exchanges the events of all ranks. */
void rc_mpi_exchange(struct rc_mpi_world *world, struct rc_mpi_match *match);

#endif
