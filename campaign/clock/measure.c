/* Compares the clocks of nodes by messages there and back, along a tree (messages.c).
 */
#include "campaign/clock/measure.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/clock/messages.h"

#include <string.h>

static int64_t now_ns(void)
{
    return (int64_t)rc_clock_raw_ns();
}

static void send_numbers(void *comm, int peer, int tag, const int64_t *number,
                         int count)
{
    MPI_Send(number, count, MPI_INT64_T, peer, tag, *(MPI_Comm *)comm);
}

static void receive_numbers(void *comm, int peer, int tag, int64_t *number, int count)
{
    MPI_Recv(number, count, MPI_INT64_T, peer, tag, *(MPI_Comm *)comm,
             MPI_STATUS_IGNORE);
}

/* The last offset of a node's clock; NULL: it is the first node's. */
static const struct rc_clock_offset *last_offset(const struct rc_clock *clock)
{
    return clock->count > 0 ? &clock->offset[clock->count - 1] : NULL;
}

/* Collective over one rank of each node: this node's part of the quality.  It is
 * compared with a partner: 1 with 2, 3 with 4, ..., and one that is left over with 0.
 * Apart from 0 and 1, no partner is the other's parent.
 */
static struct rc_clock_quality check_pair(MPI_Comm comm,
                                          const struct rc_clock_wire *wire,
                                          const struct rc_clock *clock)
{
    const int node = rc_team_rank(comm), nodes = rc_team_size(comm);
    const int partner = node == 0 && nodes % 2 ? -1 /* none */
                        : node == 0            ? nodes - 1
                        : node % 2 == 0        ? node - 1
                        : node + 1 < nodes     ? node + 1
                                               : 0;
    struct rc_clock_quality q = {.uncertainty_ns = {.node = node},
                                 .pair_ns = {.node = node},
                                 .apart_ns = {.node = node},
                                 .drift_ppm = {.node = node}};

    if (clock->count > 0) {
        q.uncertainty_ns.value = (double)rc_clock_width(last_offset(clock)) / 2;
        q.drift_ppm.value = rc_clock_drift_ppm(clock);
    }
    if (partner > node)
        rc_clock_measure_child(wire, partner, last_offset(clock));
    if (partner < 0 || partner > node)
        return q;
    const struct rc_clock_offset direct = rc_clock_be_measured(wire, partner);
    int64_t low, high;
    const int64_t mine =
        rc_clock_global(clock, direct.at_ns, &low, &high) - direct.at_ns;
    const int64_t below = low - direct.at_ns - direct.high_ns,
                  above = direct.low_ns - (high - direct.at_ns);
    const int64_t differ = direct.low_ns + rc_clock_width(&direct) / 2 - mine;
    q.pair_ns.value = (double)(differ < 0 ? -differ : differ);
    q.apart_ns.value = (double)(below > 0 ? below : above > 0 ? above : 0);
    return q;
}

int rc_clock_measure(const struct rc_nodes *nodes, struct rc_clock *clock,
                     struct rc_clock_quality *quality, struct rc_error *err)
{
    MPI_Comm leaders, node;
    int status = RC_OK;

    memset(quality, 0, sizeof *quality);
    if (nodes->count < 2)
        return RC_OK;
    if (rc_grow(&clock->offset, sizeof *clock->offset, clock->count, &clock->room))
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu measurements of a clock",
                         clock->count + 1);
    status = rc_agree(nodes->comm, status, err);
    if (status != RC_OK)
        return status;
    MPI_Comm_split(nodes->comm, nodes->leads ? 0 : MPI_UNDEFINED, 0, &leaders);
    MPI_Comm_split(nodes->comm, (int)nodes->mine, 0, &node);
    if (nodes->leads) {
        const struct rc_clock_wire wire = {send_numbers, receive_numbers, now_ns,
                                           &leaders};
        clock->count +=
            rc_clock_measure_tree(&wire, rc_team_rank(leaders), rc_team_size(leaders),
                                  &clock->offset[clock->count]);
        *quality = check_pair(leaders, &wire, clock);
        /* The largest of each number, and its node. */
        rc_team_reduce(leaders, quality, sizeof *quality / sizeof(struct rc_clock_most),
                       MPI_DOUBLE_INT, MPI_MAXLOC);
        MPI_Comm_free(&leaders);
    }
    if (nodes->mine > 0) { /* the leader is the node's lowest rank */
        if (!nodes->leads)
            clock->count++;
        rc_broadcast(node, 0, &clock->offset[clock->count - 1], sizeof *clock->offset);
    }
    rc_broadcast(node, 0, quality, sizeof *quality);
    MPI_Comm_free(&node);
    return RC_OK;
}

bool rc_clock_holds(const struct rc_clock_quality *quality)
{
    return quality->apart_ns.value <= 0 &&
           quality->drift_ppm.value <= RC_CLOCK_DRIFT_PPM;
}

const char *rc_clock_quality_put(char *out, size_t room, const struct rc_nodes *nodes,
                                 const struct rc_clock_quality *quality)
{
    const struct rc_clock_quality *q = quality;

    out[0] = '\0';
    if (nodes->count < 2) {
        rc_text_append(out, room, "one node, one clock");
        return out;
    }
    rc_text_append(out, room,
                   "clocks of %zu nodes: known to %.0f ns (%s), pairs differ by at "
                   "most %.0f ns (%s)",
                   nodes->count, q->uncertainty_ns.value,
                   nodes->node[q->uncertainty_ns.node].name, q->pair_ns.value,
                   nodes->node[q->pair_ns.node].name);
    if (q->drift_ppm.value > 0)
        rc_text_append(out, room, ", drift %.2f ppm (%s)", q->drift_ppm.value,
                       nodes->node[q->drift_ppm.node].name);
    if (q->drift_ppm.value > RC_CLOCK_DRIFT_PPM)
        rc_text_append(out, room,
                       "; that is more than the %d ppm that bounds allow for",
                       RC_CLOCK_DRIFT_PPM);
    if (q->apart_ns.value > 0)
        rc_text_append(out, room,
                       "; %s is %.0f ns beyond its bounds: a clock was set, or runs "
                       "at another rate than it may",
                       nodes->node[q->apart_ns.node].name, q->apart_ns.value);
    return out;
}
