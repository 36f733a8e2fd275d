/* The cost of a profile, and the losses in it, in words. */
#include "campaign/profile/show/show_parts.h"

#include "campaign/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { LATE_NS = 200000000 /* a round of a sampler that began so late is said */ };

/* The reader of the remarks. */
struct teller {
    void (*tell)(void *arg, const char *line);
    void *arg;
};

static void say(const struct teller *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const struct teller *t, const char *format, ...)
{
    char line[RC_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    t->tell(t->arg, line);
}

/* A node: processor time was counted record by record, the rest from the begin on. */
static struct rc_profile_costs cost_of_node(const struct rc_profile_node *node)
{
    struct rc_profile_costs out = {.start_ns = (double)node->end.start_ns};

    for (size_t i = 0; i < node->cost_count; i++) {
        out.sampler_ns += (double)node->cost[i].sampler_ns;
        out.crowded_ns += (double)node->cost[i].crowded_ns;
        out.program_ns += (double)node->cost[i].program_ns;
    }
    if (node->cost_count > 0) {
        const struct rc_profile_cost *last = &node->cost[node->cost_count - 1];
        out.entries = last->entries;
        out.calls = last->calls;
        out.visits = last->visits;
        out.own_ns = (double)last->own_ns;
        out.samples_ns = (double)last->samples_ns;
    }
    for (size_t i = 0; i < node->thread_count; i++) {
        const struct rc_profile_waits *waits = &node->thread[i].waits;
        out.exchange_ns += (double)waits->exchange_ns;
        if (waits->exchanges > out.exchanges)
            out.exchanges = waits->exchanges;
    }
    return out;
}

/* By how much the program takes longer because of a node.  Threads note side by side;
 * while one of them is sampled, or has no processor because the sampler has it, all
 * others wait, if the program computes at all.
 */
static double longer_by(const struct rc_profile_costs *node, double wall_ns)
{
    const double busy = wall_ns > 0 ? node->program_ns / wall_ns : 0;
    const double threads = node->own_ns + node->exchange_ns;

    return node->start_ns + fmin(busy, 1) * (node->crowded_ns + node->samples_ns) +
           threads / fmax(busy, 1);
}

/* Nodes wait for the one that is delayed most. */
struct rc_profile_costs rc_profile_cost_of(const struct rc_profile_sums *sums)
{
    struct rc_profile_costs out = {0};

    for (size_t n = 0; n < sums->node_count; n++) {
        const struct rc_profile_costs node = cost_of_node(&sums->node[n]);
        out.sampler_ns += node.sampler_ns;
        out.crowded_ns += node.crowded_ns;
        out.program_ns += node.program_ns;
        out.entries += node.entries;
        out.calls += node.calls;
        out.visits += node.visits;
        out.own_ns += node.own_ns;
        out.samples_ns += node.samples_ns;
        out.exchange_ns += node.exchange_ns;
        if (node.exchanges > out.exchanges)
            out.exchanges = node.exchanges;
        out.start_ns = fmax(out.start_ns, node.start_ns);
        out.longer_ns = fmax(out.longer_ns, longer_by(&node, (double)sums->wall_ns));
    }
    return out;
}

/* Events that threads could not note. */
static void say_threads(const struct rc_profile_sums *s, const struct teller *t)
{
    uint64_t no_block = 0, entries = 0, paths = 0, repaired = 0, uncounted = 0,
             unmatched = 0, impossible = 0, names = 0;
    const char *why = "";

    for (size_t n = 0; n < s->node_count; n++) {
        const struct rc_profile_node *node = &s->node[n];
        no_block += node->end.no_block;
        for (size_t i = 0; i < node->thread_count; i++) {
            const struct rc_profile_thread *thread = &node->thread[i];
            entries += thread->close.lost_entries;
            paths += thread->close.lost_paths;
            names += rc_profile_names_lost(thread);
            repaired += thread->close.repaired;
            unmatched += thread->waits.unmatched;
            impossible += thread->waits.impossible;
            if (thread->place.counters_why[0] && uncounted++ == 0)
                why = thread->place.counters_why;
        }
    }
    if (names > 0)
        say(t,
            "%" PRIu64
            " call path%s and rows of MPI calls lost their names, or all that "
            "they had: they are called (name lost)",
            names, rc_text_s(names));
    if (no_block > 0)
        say(t, "%" PRIu64 " thread%s found no room: nothing of them is here", no_block,
            rc_text_s(no_block));
    if (entries > 0)
        say(t,
            "%" PRIu64 " entries found a ring full: these instances are in the sums "
            "and not on the axis of time",
            entries);
    if (paths > 0)
        say(t, "%" PRIu64 " instances found no row for their call path", paths);
    if (repaired > 0)
        say(t, "%" PRIu64 " ends of regions did not match a begin and were repaired",
            repaired);
    if (unmatched > 0)
        say(t,
            "%" PRIu64
            " MPI calls found no room to be matched: how long they waited is not known",
            unmatched);
    if (impossible > 0)
        say(t,
            "%" PRIu64
            " message%s arrived before they were sent: clocks are off by more "
            "than was measured",
            impossible, rc_text_s(impossible));
    if (uncounted > 0)
        say(t, "%" PRIu64 " thread%s did not count events: %s", uncounted,
            rc_text_s(uncounted), why);
    if (s->killed > 0)
        say(t,
            "%" PRIu64 " thread%s ended without a word, as by a signal: their last "
            "moments may be missing",
            s->killed, rc_text_s(s->killed));
    if (s->closed < s->threads)
        say(t, "%" PRIu64 " thread%s had not ended when the node was last heard of",
            s->threads - s->closed, rc_text_s(s->threads - s->closed));
}

/* Work that samplers could not do. */
static void say_node(const struct rc_profile_node *node, const struct teller *t)
{
    char late[RC_TEXT_SHORT];
    size_t unread = 0;
    const char *name = NULL, *reason = "";

    if (!node->ended)
        say(t,
            "node %s: its sampler has not ended by itself: what came later is not "
            "here",
            node->launch.node);
    if (node->ended && node->thread_count == 0 && node->end.no_block == 0)
        say(t,
            "node %s: no process had the preloaded library in it: there is nothing of "
            "regions and MPI calls",
            node->launch.node);
    if (node->end.filtered > 0)
        say(t,
            "node %s: %" PRIu64
            " process%s set a filter of system calls (seccomp): events "
            "were not counted then, nor threads that began recorded, and in strict "
            "mode "
            "nothing was",
            node->launch.node, node->end.filtered,
            rc_text_plural(node->end.filtered, "", "es"));
    if (node->end.late_ns > LATE_NS)
        say(t, "node %s: a round of its sampler began %s late", node->launch.node,
            rc_text_put_duration(late, node->end.late_ns));
    const struct rc_profile_samples *stacks = &node->samples;
    if (stacks->lost + stacks->full > 0)
        say(t,
            "node %s: %" PRIu64 " samples of stacks were lost, of %" PRIu64
            " the inner functions",
            node->launch.node, stacks->lost, stacks->full);
    if (stacks->missed > 0)
        say(t, "node %s: %" PRIu64 " time%s a thread could not be sampled: %s",
            node->launch.node, stacks->missed, rc_text_s(stacks->missed), stacks->why);
    else if (stacks->records > 0 && stacks->why[0])
        say(t, "node %s: %s", node->launch.node, stacks->why);
    for (size_t i = 0; i < node->series_count; i++)
        if (node->series[i].event.reason[0] && unread++ == 0) {
            name = node->series[i].event.name;
            reason = node->series[i].event.reason;
        }
    if (name)
        say(t, "node %s: %zu event%s not read, the first is %s: %s", node->launch.node,
            unread, rc_text_plural(unread, " was", "s were"), name, reason);
    for (size_t i = 0; i < node->series_count; i++)
        if (node->series[i].why[0])
            say(t, "node %s: %s: some readings are not valid: %s", node->launch.node,
                node->series[i].event.name, node->series[i].why);
}

/* First what concerns threads, then node by node. */
void rc_profile_say_lost(const struct rc_profile_sums *sums,
                         void (*tell)(void *arg, const char *line), void *arg)
{
    const struct teller t = {tell, arg};
    const uint64_t every = sums->node->launch.every;

    say_threads(sums, &t);
    for (size_t n = 0; n < sums->node_count; n++)
        say_node(&sums->node[n], &t);
    if (every > 1)
        say(&t,
            "each %" PRIu64
            "th instance of a region was measured, and stands for those "
            "that were not",
            every);
    if (rc_profile_rate_count(sums) > 0)
        say(&t, "to keep within the budget less was recorded: see the rates that were "
                "changed");
}

void rc_profile_say_damage(const struct rc_profile *p,
                           void (*tell)(void *arg, const char *line), void *arg)
{
    const struct teller t = {tell, arg};

    for (size_t i = 0; i < p->damage_count; i++)
        say(&t, "%s", p->damage[i]);
    if (p->refused > 0)
        say(&t, "%" PRIu64 " record%s of the journals not understood, the first: %s",
            p->refused, rc_text_plural(p->refused, " was", "s were"), p->refusal);
}
