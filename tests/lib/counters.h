/* counters.h - made-up counters for tests and benchmarks of the packing
 *
 * Each event counts on some of at most 16 counters, fixed ones among them.
 * Events may need a shared register, of which only so many different values
 * can be held at once, and two events may exclude each other.
 */
#ifndef RC_TESTS_LIB_COUNTERS_H
#define RC_TESTS_LIB_COUNTERS_H

#include "campaign/sources/source.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNTERS_MOST 16
#define REGISTERS_MOST 4

struct counted {
    uint16_t counters; /* one bit each; 0: cannot count */
    uint8_t needs;     /* a register, from 1; 0: none */
    uint8_t value;     /* what it must hold */
    uint32_t excludes; /* events (of the first 32) that do not go with it */
};

struct counters {
    struct counted *event;
    size_t count;
    unsigned counters;
    unsigned values[REGISTERS_MOST]; /* that a register can hold at once */
    uint64_t calls;
};

static inline uint64_t counters_random(uint64_t *state)
{
    *state ^= *state << 13; /* xorshift64 */
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Finds a counter for an event, moving others: Kuhn's bipartite matching. */
static inline int counters_place(const struct counters *c, const uint32_t *events,
                                 size_t i, int *holds, unsigned *seen)
{
    for (unsigned k = 0; k < c->counters; k++) {
        if (!(c->event[events[i]].counters >> k & 1) || (*seen >> k & 1))
            continue;
        *seen |= 1u << k;
        if (holds[k] < 0 || counters_place(c, events, (size_t)holds[k], holds, seen)) {
            holds[k] = (int)i;
            return 1;
        }
    }
    return 0;
}

static inline int counters_registers(const struct counters *c, const uint32_t *events,
                                     size_t count)
{
    unsigned used[REGISTERS_MOST] = {0};

    for (size_t i = 0; i < count; i++) {
        const struct counted *e = &c->event[events[i]];
        int first = e->needs != 0;
        for (size_t j = 0; j < i && first; j++)
            first = c->event[events[j]].needs != e->needs ||
                    c->event[events[j]].value != e->value;
        if (first && ++used[e->needs - 1] > c->values[e->needs - 1])
            return 0;
    }
    return 1;
}

static inline int counters_fit(const struct counters *c, const uint32_t *events,
                               size_t count)
{
    int holds[COUNTERS_MOST];
    uint32_t excluded = 0;

    if (count > c->counters)
        return 0;
    for (unsigned k = 0; k < c->counters; k++)
        holds[k] = -1;
    for (size_t i = 0; i < count; i++) {
        unsigned seen = 0;
        excluded |= c->event[events[i]].excludes;
        if (!counters_place(c, events, i, holds, &seen))
            return 0;
    }
    for (size_t i = 0; i < count; i++)
        if (events[i] < 32 && (excluded >> events[i] & 1))
            return 0;
    return counters_registers(c, events, count);
}

static inline void counters_trial(void *context, const uint32_t *events, size_t count,
                                  struct rc_trial *out)
{
    struct counters *c = context;

    c->calls++;
    *out = (struct rc_trial){.verdict = RC_VERDICT_OK};
    if (counters_fit(c, events, count))
        return;
    out->verdict = RC_VERDICT_CANNOT_SCHEDULE;
    snprintf(out->reason, sizeof out->reason, "no counters for %zu events", count);
}

/* 'general' counters that most events may use, 'fixed' ones with events of
 * their own.  'odd': in how many of 100 events a register or an exclusion is
 * needed.
 */
static inline void counters_make(struct counters *c, size_t count, unsigned general,
                                 unsigned fixed, unsigned odd, uint64_t *seed)
{
    *c = (struct counters){.count = count, .counters = general + fixed};
    c->event = calloc(count ? count : 1, sizeof *c->event);
    for (unsigned r = 0; r < REGISTERS_MOST; r++)
        c->values[r] = 1 + (unsigned)(counters_random(seed) % 2);
    for (size_t i = 0; i < count; i++) {
        struct counted *e = &c->event[i];
        uint64_t r = counters_random(seed);
        uint64_t all = (1u << general) - 1, some = counters_random(seed) & all;
        e->counters = (uint16_t)(r % 3 == 0 || !some ? all : some);
        if (fixed && r / 3 % 8 == 0) {
            uint64_t bit = 1u << (general + r / 24 % fixed);
            e->counters = (uint16_t)(r / 64 % 2 ? bit : (bit | e->counters));
        }
        if (r / 1024 % 100 < odd) {
            e->needs = (uint8_t)(1 + counters_random(seed) % REGISTERS_MOST);
            e->value = (uint8_t)(counters_random(seed) % 4);
        }
        size_t other = i && i < 32 ? counters_random(seed) % i : 0;
        if (i && i < 32 && counters_random(seed) % 100 < odd) {
            e->excludes |= 1u << other;
            c->event[other].excludes |= 1u << i;
        }
    }
}

/* Leaves so many of 100 events only one or two of the first 'general' counters,
 * the low ones more often: sets that are hard to pack.
 */
static inline void counters_narrow(struct counters *c, unsigned percent,
                                   unsigned general, uint64_t *seed)
{
    for (size_t i = 0; i < c->count; i++) {
        uint64_t r = counters_random(seed);
        if (r % 100 >= percent)
            continue;
        uint64_t a = r / 100 % general, b = r / 10000 % general;
        uint64_t d = r / 1000000 % general;
        a = a < d ? a : d;
        c->event[i].counters = (uint16_t)(1u << a | (r >> 40 & 1 ? 1u << b : 0));
    }
}

static inline void counters_free(struct counters *c)
{
    free(c->event);
    *c = (struct counters){0};
}

/* Fewest groups by brute force over all subsets: at most 12 events. */
static inline unsigned counters_fewest(const struct counters *c)
{
    static unsigned char fits[4096], best[4096];
    unsigned all = (1u << c->count) - 1;

    best[0] = 0;
    for (unsigned set = 1; set <= all; set++) {
        uint32_t events[12];
        size_t n = 0;
        for (uint32_t i = 0; i < c->count; i++)
            if (set >> i & 1)
                events[n++] = i;
        fits[set] = (unsigned char)counters_fit(c, events, n);
    }
    for (unsigned set = 1; set <= all; set++) {
        unsigned first = set & -set;
        best[set] = 255;
        for (unsigned part = set; part; part = (part - 1) & set)
            if ((part & first) && fits[part] && best[set & ~part] + 1 < best[set])
                best[set] = (unsigned char)(best[set & ~part] + 1);
    }
    return best[all];
}

/* Fewest groups where counters are all that is needed: a set of counters can
 * take one event per group each (Hall's theorem).  A lower bound otherwise.
 */
static inline size_t counters_bound(const struct counters *c)
{
    size_t groups = 0;

    for (unsigned set = 1; set < 1u << c->counters; set++) {
        size_t within = 0, size = (size_t)__builtin_popcount(set);
        for (size_t i = 0; i < c->count; i++)
            within += c->event[i].counters && !(c->event[i].counters & ~set);
        if ((within + size - 1) / size > groups)
            groups = (within + size - 1) / size;
    }
    return groups;
}

/* Groups of plain first-fit, or with 'next' of next-fit. */
static inline size_t counters_first_fit(const struct counters *c, bool next)
{
    uint32_t(*group)[COUNTERS_MOST + 1] = calloc(c->count + 1, sizeof *group);
    size_t *size = calloc(c->count + 1, sizeof *size), groups = 0;

    for (uint32_t i = 0; i < c->count; i++) {
        size_t g = next && groups ? groups - 1 : 0;
        if (!counters_fit(c, &i, 1))
            continue;
        for (; g < groups; g++) {
            group[g][size[g]] = i;
            if (counters_fit(c, group[g], size[g] + 1))
                break;
        }
        group[g][size[g]++] = i;
        groups += g == groups;
    }
    free(group);
    free(size);
    return groups;
}

#endif
