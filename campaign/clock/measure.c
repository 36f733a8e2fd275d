/* The clocks of nodes compared by messages there and back, along a tree.
 *
 * A node that knows the offset of its clock (the parent) sends a message at t1 of its
 * own clock; the other one (the child) sees it at t2 of its clock and answers; the
 * answer is there at t3 of the parent's.  Whatever the messages took, the parent's
 * clock was between t1 and t3 when the child's was t2: so the child is off against the
 * parent by t1 - t2 at least and by t3 - t2 at most.  All messages together leave the
 * intersection.  While they go on the clocks drift, and what older messages said is
 * widened by that.  The best moment is kept.
 *
 * The tree is that of HCA3 (Hunold, Carpen-Amarie: Hierarchical clock synchronization
 * in MPI): first node 0 measures 1, then 0 and 1 measure 2 and 3, then 0..3
 * measure 4..7.
 */
#include "campaign/clock/measure.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <string.h>

enum {
    PINGS_LEAST = 100,
    PINGS_MOST = 1000,
    PINGS_IN_VAIN = 50, /* in a row that made the bounds no closer: no more of them */
    TAG_DOWN = 1,       /* to a child: struct message */
    TAG_UP = 2          /* to a parent: one number, t2 */
};

/* From the parent: answer at once, or what was found. */
struct message {
    int64_t ends; /* 0: answer */
    struct rc_clock_offset found;
};
enum { MESSAGE_NUMBERS = sizeof(struct message) / sizeof(int64_t) };

static int64_t now_ns(void)
{
    return (int64_t)rc_clock_raw_ns();
}

static int64_t width(const struct rc_clock_offset *o)
{
    return o->high_ns - o->low_ns;
}

/* The two messages that leave least room, below and above. */
struct closest {
    struct rc_clock_offset low, high;
};

/* Takes one more message in, and says what all of them leave when it came.  Where it
 * cannot be true beside the others a clock has jumped, or runs faster than it may: then
 * it counts alone.
 */
static struct rc_clock_offset narrow(struct closest *c,
                                     const struct rc_clock_offset *one)
{
    struct rc_clock_offset all = {
        .at_ns = one->at_ns,
        .low_ns = c->low.low_ns - rc_clock_drift_ns(one->at_ns - c->low.at_ns),
        .high_ns = c->high.high_ns + rc_clock_drift_ns(one->at_ns - c->high.at_ns)};
    const bool apart = one->high_ns < all.low_ns || all.high_ns < one->low_ns;

    if (apart || one->low_ns > all.low_ns) {
        c->low = *one;
        all.low_ns = one->low_ns;
    }
    if (apart || one->high_ns < all.high_ns) {
        c->high = *one;
        all.high_ns = one->high_ns;
    }
    return all;
}

/* One message there and back: by how much the child is off, as the parent knows itself.
 */
static struct rc_clock_offset ping(MPI_Comm comm, int child,
                                   const struct rc_clock *clock)
{
    const struct message answer = {.ends = 0};
    struct rc_clock_offset o;
    int64_t low, high;
    const int64_t t1 = now_ns();

    MPI_Send(&answer, MESSAGE_NUMBERS, MPI_INT64_T, child, TAG_DOWN, comm);
    MPI_Recv(&o.at_ns, 1, MPI_INT64_T, child, TAG_UP, comm, MPI_STATUS_IGNORE);
    const int64_t t3 = now_ns();
    (void)rc_clock_global(clock, t1, &low, NULL);
    (void)rc_clock_global(clock, t3, NULL, &high);
    o.low_ns = low - o.at_ns;
    o.high_ns = high - o.at_ns;
    return o;
}

/* The parent's side: sends messages until they make the bounds no closer, and then what
 * was found, which the child has as well.
 */
static void measure_child(MPI_Comm comm, int child, const struct rc_clock *clock)
{
    struct rc_clock_offset one = ping(comm, child, clock);
    struct closest closest = {.low = one, .high = one};
    struct message last = {.ends = 1, .found = one};

    for (int pings = 1, vain = 0;
         pings < PINGS_MOST && (pings < PINGS_LEAST || vain < PINGS_IN_VAIN); pings++) {
        one = ping(comm, child, clock);
        const struct rc_clock_offset all = narrow(&closest, &one);
        vain++;
        if (width(&all) < width(&last.found)) {
            last.found = all;
            vain = 0;
        }
    }
    MPI_Send(&last, MESSAGE_NUMBERS, MPI_INT64_T, child, TAG_DOWN, comm);
}

/* The child's side: answers until it is told what was found. */
static struct rc_clock_offset be_measured(MPI_Comm comm, int parent)
{
    struct message message;

    for (;;) {
        MPI_Recv(&message, MESSAGE_NUMBERS, MPI_INT64_T, parent, TAG_DOWN, comm,
                 MPI_STATUS_IGNORE);
        const int64_t t2 = now_ns();
        if (message.ends)
            return message.found;
        MPI_Send(&t2, 1, MPI_INT64_T, parent, TAG_UP, comm);
    }
}

/* Collective over one rank of each node: what this node finds of the quality.  It is
 * compared with a partner: 1 with 2, 3 with 4, ..., and one that is left over with 0.
 * But for 0 and 1 none of them is the other's parent.
 */
static struct rc_clock_quality check_pair(MPI_Comm comm, const struct rc_clock *clock)
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
        q.uncertainty_ns.value = (double)width(&clock->offset[clock->count - 1]) / 2;
        q.drift_ppm.value = rc_clock_drift_ppm(clock);
    }
    if (partner > node)
        measure_child(comm, partner, clock);
    if (partner < 0 || partner > node)
        return q;
    const struct rc_clock_offset direct = be_measured(comm, partner);
    int64_t low, high;
    const int64_t mine =
        rc_clock_global(clock, direct.at_ns, &low, &high) - direct.at_ns;
    const int64_t below = low - direct.at_ns - direct.high_ns,
                  above = direct.low_ns - (high - direct.at_ns);
    const int64_t differ = direct.low_ns + width(&direct) / 2 - mine;
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
        const int me = rc_team_rank(leaders), all = rc_team_size(leaders);
        for (int known = 1; known < all; known *= 2) {
            if (me < known && me + known < all)
                measure_child(leaders, me + known, clock);
            if (me >= known && me < 2 * known)
                clock->offset[clock->count++] = be_measured(leaders, me - known);
        }
        const struct rc_clock_quality mine = check_pair(leaders, clock);
        /* The largest of each number, and where it is. */
        MPI_Allreduce(&mine, quality, sizeof mine / sizeof(struct rc_clock_most),
                      MPI_DOUBLE_INT, MPI_MAXLOC, leaders);
        MPI_Comm_free(&leaders);
    }
    if (nodes->mine > 0) { /* the leader is the node's lowest rank */
        if (!nodes->leads)
            clock->count++;
        MPI_Bcast(&clock->offset[clock->count - 1], 3, MPI_INT64_T, 0, node);
    }
    MPI_Bcast(quality, sizeof *quality, MPI_BYTE, 0, node);
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
