/* mpi_pairs.h - finds calls of different ranks that belong together, in an exchange;
 * only for mpi_exchange.c
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_PAIRS_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_PAIRS_H

#include "campaign/profile/preload/matching/mpi_match.h"

/* One exchange, as this rank sees it.  The items it sends are in the tables' 'out', and
 * those it received in 'in'.
 */
struct rc_mpi_exchange {
    struct rc_mpi_world *w;
    struct rc_mpi_match *m;
    struct rc_mpi_tables *t;
    int *to, *from, *out, *in, *to_at, *from_at; /* [ranks]: items; of numbers */
    uint32_t items, taken;                       /* sent by this rank; received */
    bool truncated;                              /* others did not take all items */
    uint32_t messages;                           /* received, whose sends are known */
    size_t stream_mask;                          /* size of the table of streams, -1 */
};

static inline int64_t rc_mpi_time_of(const struct rc_mpi_exchange *x, uint64_t ticks)
{
    return rc_mpi_time(&x->w->line, ticks);
}

static inline struct rc_waiting_call rc_mpi_call_of(const struct rc_mpi_exchange *x,
                                                    const struct rc_mpi_event *event)
{
    return (struct rc_waiting_call){rc_mpi_time_of(x, event->enter),
                                    rc_mpi_time_of(x, event->exit)};
}

/* A length of common time, in ticks. */
static inline int64_t rc_mpi_ticks_of(const struct rc_mpi_exchange *x, int64_t time)
{
    return (int64_t)((double)time / x->w->line.rate);
}

/* The number that a rank reports for a collective that it entered at 'enter'.  The
 * greatest of all ranks' gives the moment until which others wait; INT64_MIN: this rank
 * does not matter.
 */
int64_t rc_mpi_moment_said(uint8_t kind, bool root, int64_t enter);

/* Whether the event is a collective whose waiting is not known yet. */
static inline bool rc_mpi_is_together(const struct rc_mpi_event *event)
{
    return event->kind == RC_EVENT_TOGETHER || event->kind == RC_EVENT_LATER;
}

/* Adds the waiting of a collective.  'moment' is the greatest number that a rank has
 * reported, for a scan only lower ranks.  The event becomes GONE, or MOMENT for a
 * collective that does not block.
 */
void rc_mpi_together_known(const struct rc_mpi_exchange *exchange,
                           struct rc_mpi_event *event, int64_t moment,
                           int64_t earliest_exit);

/* Adds the waiting of a call that completed requests, once it is known for all of them.
 * The event becomes GONE.
 */
void rc_mpi_complete_known(const struct rc_mpi_exchange *exchange,
                           struct rc_mpi_event *event);

/* If a collective that does not block was completed, adds its waiting to the call that
 * did so; its event becomes GONE.
 */
void rc_mpi_moment_take(const struct rc_mpi_exchange *exchange,
                        struct rc_mpi_event *event);

/* Matches the sends that came with the receives of this rank: the n-th of a stream with
 * the n-th.  Fills in the replies.
 */
void rc_mpi_messages_match(struct rc_mpi_exchange *exchange);

/* Finds the part of this waiting that was in the wrong order: another message, sent
 * before, was received later.
 */
void rc_mpi_order_judge(const struct rc_mpi_exchange *exchange);

/* Fills in the replies for collectives of communicators whose first rank this is.  A
 * moment is known if items of all ranks have come.
 */
void rc_mpi_together_match(const struct rc_mpi_exchange *exchange);

#endif
