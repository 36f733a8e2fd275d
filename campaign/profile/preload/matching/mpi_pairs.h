/* mpi_pairs.h - what belongs together in an exchange of ranks: inside of mpi_exchange.c
 * and mpi_pairs.c only
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_PAIRS_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_PAIRS_H

#include "campaign/profile/preload/matching/mpi_match.h"

/* One exchange, of this rank: what it sends is in the tables' 'out', what came in 'in'.
 */
struct rc_mpi_exchange {
    struct rc_mpi_world *w;
    struct rc_mpi_match *m;
    struct rc_mpi_tables *t;
    int *to, *from, *out, *in, *to_at, *from_at; /* [ranks]: events, and of numbers */
    uint32_t items, taken;                       /* of this rank; of others */
    bool truncated;                              /* others did not take all */
    uint32_t messages;                           /* received, whose sends are known */
    size_t stream_mask;                          /* one less than the table's places */
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

/* Common time that has passed, in ticks. */
static inline int64_t rc_mpi_ticks_of(const struct rc_mpi_exchange *x, int64_t time)
{
    return (int64_t)((double)time / x->w->line.rate);
}

/* The moment that a rank says of a collective that it entered then, so that the
 * greatest of all is what others wait for; INT64_MIN: nothing.
 */
int64_t rc_mpi_moment_said(uint8_t kind, bool root, int64_t enter);

/* Whether the event is of a collective of which nothing is known yet. */
static inline bool rc_mpi_is_together(const struct rc_mpi_event *event)
{
    return event->kind == RC_EVENT_TOGETHER || event->kind == RC_EVENT_LATER;
}

/* A collective of which it is known what was waited for: 'moment' is the greatest that
 * was said, for a scan by lower ranks alone.  Its event is gone then; that of one which
 * does not block becomes its moment.
 */
void rc_mpi_together_known(const struct rc_mpi_exchange *exchange,
                           struct rc_mpi_event *event, int64_t moment,
                           int64_t earliest_exit);

/* A call of which all that it completed is known: its event is gone then. */
void rc_mpi_complete_known(const struct rc_mpi_exchange *exchange,
                           struct rc_mpi_event *event);

/* A collective that does not block, and the call that completed it if there was one:
 * then its event is gone.
 */
void rc_mpi_moment_take(const struct rc_mpi_exchange *exchange,
                        struct rc_mpi_event *event);

/* Sends that have come, with the receives of this rank: the n-th of a stream with the
 * n-th.  Replies are filled in.
 */
void rc_mpi_messages_match(struct rc_mpi_exchange *exchange);

/* Finds which part of the waiting for these was because others were received before. */
void rc_mpi_order_judge(const struct rc_mpi_exchange *exchange);

/* Collectives of communicators whose first rank this is: known if all have said theirs.
 */
void rc_mpi_together_match(const struct rc_mpi_exchange *exchange);

#endif
