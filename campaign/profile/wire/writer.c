/* Puts records into the journal and turns ticks into ns, for all parts of the sampler.
 */
#include "campaign/profile/wire/writer.h"

#include "campaign/base/clock.h"
#include "campaign/profile/wire/ticks.h"
#include "io/journal/journal.h"

enum { APART_NS = 1000000 /* the least between moments that give a new rate */ };

int rc_profile_put(struct rc_profile_writer *writer,
                   const struct rc_profile_payload *payload)
{
    const int status = rc_profile_encode(payload, &writer->bytes, &writer->err);

    return status != RC_OK
               ? status
               : rc_journal_append(writer->journal, payload->type, writer->bytes.byte,
                                   writer->bytes.count, &writer->err);
}

/* The first moment is the launcher's, so that the first rate of the sampler's own is
 * from a long stretch.
 */
void rc_profile_clock_begin(struct rc_profile_clock *clock,
                            const struct rc_shared *head)
{
    *clock =
        (struct rc_profile_clock){.kind = head->clock,
                                  .ticks = head->anchor_ticks,
                                  .ns = head->anchor_ns,
                                  .ns_per_tick = (double)head->ticks_ns / 4294967296.0};
}

/* Reads the system's clock between two readings of the counter; the middle of these is
 * the same moment.
 */
void rc_profile_clock_update(struct rc_profile_clock *clock)
{
    const uint64_t before = rc_ticks(clock->kind), ns = rc_clock_raw_ns();
    const uint64_t ticks = before + (rc_ticks(clock->kind) - before) / 2;

    if (clock->kind == RC_SHARED_COUNTER && ns - clock->ns > APART_NS &&
        ticks > clock->ticks)
        clock->ns_per_tick = (double)(ns - clock->ns) / (double)(ticks - clock->ticks);
    clock->ticks = ticks;
    clock->ns = ns;
}

uint64_t rc_profile_clock_ns(const struct rc_profile_clock *clock, uint64_t ticks)
{
    if (clock->kind == RC_SHARED_NS)
        return ticks;
    return ticks <= clock->ticks
               ? clock->ns -
                     (uint64_t)((double)(clock->ticks - ticks) * clock->ns_per_tick)
               : clock->ns +
                     (uint64_t)((double)(ticks - clock->ticks) * clock->ns_per_tick);
}

double rc_profile_clock_lasted(const struct rc_profile_clock *clock, uint64_t ticks)
{
    return clock->kind == RC_SHARED_NS ? (double)ticks
                                       : (double)ticks * clock->ns_per_tick;
}
