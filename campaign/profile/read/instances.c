/* Matches entries of a ring: begins are on a stack until their ends come. */
#include "campaign/profile/read/instances.h"

/* A region within itself has another path each time, so that no more can be open. */
enum { OPEN_MOST = 2 * RC_SHARED_PATHS };

/* The entry by which an instance begins, by the one at its end. */
static uint8_t begin_of(uint8_t end)
{
    return end == RC_SHARED_LEAVE ? RC_SHARED_ENTER : RC_SHARED_CALL_BEGAN;
}

uint64_t rc_profile_instances(const struct rc_profile_thread *thread,
                              void (*take)(void *arg,
                                           const struct rc_profile_instance *instance),
                              void *arg)
{
    const struct rc_profile_mark *open[OPEN_MOST] = {NULL};
    size_t depth = 0;
    uint64_t lost = 0;

    for (size_t i = 0; i < thread->mark_count; i++) {
        const struct rc_profile_mark *m = &thread->mark[i];
        size_t at = depth;
        if (m->what == RC_SHARED_ENTER || m->what == RC_SHARED_CALL_BEGAN) {
            if (depth < OPEN_MOST)
                open[depth++] = m;
            else
                lost++;
            continue;
        }
        while (at > 0 && (open[at - 1]->number != m->number ||
                          open[at - 1]->what != begin_of(m->what)))
            at--;
        if (at == 0 || open[at - 1]->at_ns > m->at_ns) {
            lost++;
            continue;
        }
        lost += depth - at; /* begun inside, and never ended */
        depth = at - 1;
        take(arg, &(struct rc_profile_instance){
                      .begin_ns = open[depth]->at_ns,
                      .end_ns = m->at_ns,
                      .first = (size_t)(open[depth] - thread->mark),
                      .last = i,
                      .number = m->number,
                      .call = m->what == RC_SHARED_CALL_ENDED});
    }
    while (depth-- > 0) {
        const struct rc_profile_mark *m = open[depth];
        const uint64_t end = thread->ended_ns;
        take(arg,
             &(struct rc_profile_instance){.begin_ns = m->at_ns,
                                           .end_ns = end > m->at_ns ? end : m->at_ns,
                                           .first = (size_t)(m - thread->mark),
                                           .last = SIZE_MAX,
                                           .number = m->number,
                                           .call = m->what == RC_SHARED_CALL_BEGAN,
                                           .open = true});
    }
    return lost;
}
