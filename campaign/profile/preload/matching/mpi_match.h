/* mpi_match.h - calls of ranks that belong together, kept until their waiting is known
 *
 * Each call that others may wait for, or that may wait for others, is kept as an event
 * of 32 bytes, in a table of fixed size.  At some calls that all ranks make at the same
 * time anyway, and in MPI_Finalize, ranks exchange their events: sends go to where they
 * were received, collectives of all ranks are reduced, those of some are sent to the
 * first of them.  The waiting that was found is added to the rows of the calls.
 *
 * Messages of one sender to one receiver with one tag in one communicator are received
 * in the order in which they were sent: so the n-th send is the n-th receive that was
 * posted.  That holds only as long as no event is missing.  Once one is (the table was
 * full, a request is not known), no messages are matched any more, on no rank, until
 * no message is under way: until as many have been received as have been sent, and no
 * receive is open that was posted meanwhile.  Events of collectives have numbers of
 * their own and need no such care.
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_MATCH_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_MATCH_H

#include "campaign/profile/preload/matching/mpi_world.h"
#include "campaign/profile/preload/preload.h"
#include "solve/waiting/waiting.h"

enum {
    RC_MATCH_EVENTS = 32768,   /* 1 MiB: one half may fill while none is exchanged */
    RC_MATCH_COMMS = 256,      /* communicators that are known */
    RC_MATCH_SLOTS = 8192,     /* of requests: a power of 2, half of which are used */
    RC_MATCH_HELD = 1024,      /* requests that one call may complete */
    RC_MATCH_LASTING = 1024,   /* persistent requests */
    RC_MATCH_ITEMS = 65536,    /* events of others that one rank takes at a time */
    RC_MATCH_STREAMS = 262144, /* a power of 2, twice as many as there can be */
};

enum rc_mpi_event_kind {
    RC_EVENT_GONE,     /* its waiting is known, or will not be */
    RC_EVENT_SEND,     /* blocking */
    RC_EVENT_ISEND,    /* it does not wait, others may for it */
    RC_EVENT_RECEIVE,  /* blocking */
    RC_EVENT_IRECEIVE, /* it does not wait; 'enter': posted */
    RC_EVENT_UNSEEN,   /* such a receive that has ended, and it is not known when */
    RC_EVENT_COMPLETE, /* a call that completed some of these */
    RC_EVENT_ACCESSED, /* after one of those, of a window */
    RC_EVENT_TOGETHER, /* a collective */
    RC_EVENT_LATER,    /* one that does not block */
    RC_EVENT_MOMENT,   /* such a one of which it is known until when those who complete
                        * it wait, or that this will not be known */
};
enum { RC_EVENT_UNKNOWN = RC_WAITING_KINDS }; /* what it waits for, or a part of it */
#define RC_EVENT_NOBODY UINT32_MAX            /* completed by a call without an event */

struct rc_mpi_event {
    uint64_t enter; /* ticks */
    union {
        uint64_t exit; /* ticks, of a call that is over */
        struct {       /* IRECEIVE, UNSEEN, LATER, MOMENT: which event completed it, */
            uint32_t by;      /* from 1 on; 0: none yet */
            uint32_t also_by; /* of a window: another that may have waited for it */
        } ended;
    };
    union {
        struct {               /* SEND to UNSEEN */
            int32_t peer, tag; /* a rank of the communicator */
        } message;
        struct {             /* TOGETHER, LATER */
            int32_t root;    /* -1: none */
            uint32_t number; /* among those of the communicator */
        } together;
        /* Common time. */
        int64_t until;       /* MOMENT; INT64_MIN: who completes it does not wait */
        int64_t longest;     /* COMPLETE: that it has waited so far, for 'waits_for' */
        int64_t last_access; /* ACCESSED: of those that the call before it waited for */
    };
    uint16_t row; /* in the home thread's block; 0: none */
    uint16_t comm;
    uint8_t kind;      /* enum rc_mpi_event_kind */
    uint8_t waits_for; /* enum rc_waiting_kind, or RC_EVENT_UNKNOWN; COMPLETE: NONE as
                        * long as nothing of it is known */
    uint16_t pending;  /* COMPLETE: how many of those are still to be told */
};
_Static_assert(sizeof(struct rc_mpi_event) == 32, "an event of 32 bytes");

/* Messages of a window that are waited for by the call that ends what another began: in
 * 'count' events from 'first' on, or without any (-1).
 */
struct rc_mpi_epoch {
    int64_t first;
    int count;
};

/* A communicator within one group of ranks, or a window of such a group. */
struct rc_mpi_comm {
    intptr_t handle;     /* 0: it is freed */
    uint64_t id;         /* equal on all its ranks */
    rc_mpi_handle group; /* there until its place is used again */
    int size, rank;
    int first;              /* its rank 0, in MPI_COMM_WORLD */
    uint32_t next, since;   /* number of the next collective; at the last exchange */
    uint32_t made;          /* communicators that were made from it */
    bool used, wide, named; /* there is one; it has all ranks; events name it */
    /* A window's own: MPI_Win_start to MPI_Win_complete, MPI_Win_post to MPI_Win_wait;
     * when the last access ended, in ticks.
     */
    struct rc_mpi_epoch access, exposure;
    uint64_t accessed;
};

/* A request, and what it is. */
enum {
    RC_REQUEST_SEND = -1,
    RC_REQUEST_RECEIVE = -2,  /* without an event */
    RC_REQUEST_TOGETHER = -3, /* likewise, a collective */
    RC_REQUEST_IDLE = -4,     /* a persistent one that is not started */
};
struct rc_mpi_slot {
    intptr_t request; /* 0: none */
    int64_t event;    /* its number, or one of the above */
    uint16_t lasting; /* number of a persistent one, from 1 on; 0: it is none */
    uint16_t also;    /* so many more have the same handle, and are over */
};

/* The message of a persistent request, each time that it is started. */
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

/* The reply to an item: when the receive began, or for a collective the moment that it
 * waits for and the earliest end.
 */
struct rc_mpi_reply {
    int64_t when, ends;
};
#define RC_REPLY_LATER INT64_MIN         /* it is not received yet */
#define RC_REPLY_UNKNOWN (INT64_MIN + 1) /* and it will not be known */

/* An item of a collective by what it is matched by. */
struct rc_mpi_key {
    uint64_t comm;
    int32_t rank, tag;
    uint32_t number; /* of the item */
};

/* Messages of one rank with one tag: the items of those that nobody has received. */
struct rc_mpi_stream {
    uint64_t comm;
    int32_t rank, tag;
    uint32_t first, last; /* one more than their numbers; 0: there is none */
    bool used, waits;     /* waits: for a receive that is not complete */
};

/* A message that was received: in the event 'by', whose waiting it was if 'row'. */
struct rc_mpi_taken {
    uint32_t by;
    uint16_t row;
    uint32_t from;        /* rank of MPI_COMM_WORLD */
    int64_t sent, waited; /* common time; ticks */
};

/* Memory that is got once, and is there only as far as it is used. */
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
    uint32_t next[RC_MATCH_ITEMS]; /* of a stream's items: one more than its number */
    struct rc_mpi_taken taken[RC_MATCH_EVENTS];
    struct rc_waiting_message message[RC_MATCH_EVENTS];
};

struct rc_mpi_match {
    struct rc_mpi_tables *t;
    int *count;        /* [6][ranks]: of messages between all ranks */
    int64_t *earliest; /* [ranks], to judge the order of messages */
    bool on;           /* calls are matched; the same on all ranks */
    bool mute;         /* not all calls of this rank are seen any more */
    bool lost, off;    /* an event of a message is missing; and all ranks know */
    uint32_t events, comms, requests;
    uint32_t found;      /* the communicator that was looked for last */
    int held;            /* requests of the call that is under way */
    uint32_t wild;       /* receives that are posted and take any message */
    int64_t under_way;   /* messages sent less those received */
    int64_t blind;       /* receives that are posted without an event */
    uint64_t asked, ask; /* calls that may ask since the last exchange; the next does */
    const struct rc_preload_thread
        *home; /* whose rows are known: that called MPI_Init */
};
extern struct rc_mpi_match rc_match __attribute__((visibility("hidden")));

/* Whether the receive takes any message. */
static inline bool rc_mpi_is_wild(const struct rc_mpi_event *event)
{
    return event->message.peer == rc_mpi_abi.any_source ||
           event->message.tag == RC_MPI_ANY_TAG;
}

/* mpi_pairs.c: adds a call whose waiting is known now to its row; times in ticks.  Only
 * in the home thread. rc_mpi_match_part() adds how much of that is the 'part' of
 * calls.def.
 */
void rc_mpi_match_known(uint16_t row, enum rc_waiting_kind kind, int64_t waited,
                        int64_t completing);
void rc_mpi_match_part(uint16_t row, int64_t waited, bool same_source);

/* mpi_exchange.c, collective: whether no message is under way, on any rank. */
bool rc_mpi_is_quiet(struct rc_mpi_world *world, const struct rc_mpi_match *match);

/* mpi_exchange.c: all ranks of MPI_COMM_WORLD tell each other their events. */
void rc_mpi_exchange(struct rc_mpi_world *world, struct rc_mpi_match *match);

#endif
