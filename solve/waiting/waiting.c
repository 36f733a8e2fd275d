/* How long calls of MPI waited, from the times of those that belong together. */
#include "solve/waiting/waiting.h"

const char *rc_waiting_name(uint64_t kind)
{
    static const char *const name[RC_WAITING_KINDS] = {"",
                                                       "late sender",
                                                       "late receiver",
                                                       "wait at barrier",
                                                       "wait at NxN",
                                                       "late broadcast",
                                                       "early reduce",
                                                       "early scan",
                                                       "wait at fence",
                                                       "late post",
                                                       "early wait"};

    return kind < RC_WAITING_KINDS ? name[kind] : "";
}

/* The time from the call's beginning to 'moment', as far as the call lasts. */
static int64_t until(struct rc_waiting_call call, int64_t moment)
{
    if (moment > call.exit)
        moment = call.exit;
    return moment > call.enter ? moment - call.enter : 0;
}

int64_t rc_waiting_late_sender(struct rc_waiting_call receive, int64_t send_enter)
{
    return until(receive, send_enter);
}

int64_t rc_waiting_late_receiver(struct rc_waiting_call send, int64_t receive_enter)
{
    return send.exit > receive_enter ? until(send, receive_enter) : 0;
}

int64_t rc_waiting_for_all(struct rc_waiting_call call, int64_t latest_enter)
{
    return until(call, latest_enter);
}

int64_t rc_waiting_completion(struct rc_waiting_call call, int64_t latest_enter,
                              int64_t earliest_exit)
{
    const int64_t from = call.enter + until(call, latest_enter);

    if (earliest_exit < from)
        earliest_exit = from;
    return call.exit > earliest_exit ? call.exit - earliest_exit : 0;
}

int64_t rc_waiting_late_broadcast(struct rc_waiting_call call, int64_t root_enter)
{
    return until(call, root_enter);
}

int64_t rc_waiting_early_reduce(struct rc_waiting_call root, int64_t earliest_other)
{
    return until(root, earliest_other);
}

int64_t rc_waiting_late_complete(struct rc_waiting_call wait, int64_t waited,
                                 int64_t last_access)
{
    const int64_t until_access = until(wait, last_access);

    return waited > until_access ? waited - until_access : 0;
}

int64_t rc_waiting_early_scan(struct rc_waiting_call call, int64_t latest_lower)
{
    return until(call, latest_lower);
}

bool rc_waiting_is_impossible(struct rc_waiting_call receive, int64_t send_enter)
{
    return receive.exit < send_enter;
}

/* Goes from the last one to the first: the earliest of those after it. */
void rc_waiting_order_judge(struct rc_waiting_message *message, size_t count,
                            int64_t *earliest, size_t sources)
{
    int64_t of_all = INT64_MAX;

    for (size_t s = 0; s < sources; s++)
        earliest[s] = INT64_MAX;
    for (size_t i = count; i-- > 0;) {
        struct rc_waiting_message *m = &message[i];
        int64_t *of_source = &earliest[m->source];
        m->order = *of_source < m->sent ? RC_WAITING_SAME_SOURCE
                   : of_all < m->sent   ? RC_WAITING_OTHER_SOURCE
                                        : RC_WAITING_IN_ORDER;
        *of_source = m->sent < *of_source ? m->sent : *of_source;
        of_all = m->sent < of_all ? m->sent : of_all;
    }
}
