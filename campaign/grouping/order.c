/* An order for first-fit in which events that compete for scarce counters come first.
 *
 * The counters of an event are not known, so some groups that fit serve as probes: in
 * each place of a probe, the event is replaced by an event of each class.  Places that
 * take it represent the counters that it can use.  The events that are left are a load
 * on their places; a class whose places all have a high load has to come early, and the
 * loads change from group to group.
 */
#include "campaign/grouping/parts.h"

#include <stdlib.h>
#include <string.h>

#define PLACES_MOST 64 /* bits of a signature */
#define PROBE_MOST 32  /* with larger groups counters are not scarce */
#define SAMPLE 256     /* classes from which probes are made */
#define ROUNDS 8       /* probes at most */

#define CLASSES_FEW 64 /* up to here classes are not skipped by their signatures */

struct pressed {
    struct rc_grouping_order order; /* first: rerank() casts its address */
    struct rc_packer *p;            /* whose arena has the arrays by class */
    uint64_t *signature;            /* by class: places that take it */
    double *pressure;               /* by class */
    uint32_t *sorted;               /* classes by pressure */
    const uint32_t *left;           /* by class: events that are still to be placed */

    uint32_t *used; /* by class: number of probes that have it */

    size_t place_count;                /* in all probes */
    uint32_t probe[PLACES_MOST];       /* events of the probes */
    uint32_t probe_start[PLACES_MOST]; /* by place: where its probe begins */
    uint32_t probe_size[PLACES_MOST];
};

/* An event of the class that is not in the probe, or RC_GROUPING_UNFIT. */
static uint32_t other_than(const struct rc_packer *p, size_t class,
                           const uint32_t *probe, size_t size)
{
    for (size_t i = p->start[class]; i < p->start[class + 1]; i++) {
        size_t j = 0;
        while (j < size && probe[j] != p->members[i])
            j++;
        if (j == size)
            return p->members[i];
    }
    return RC_GROUPING_UNFIT;
}

/* Whether the probe still fits with an event of the class in this place. */
static bool place_takes(struct pressed *s, size_t place, size_t class)
{
    uint32_t set[PLACES_MOST];
    size_t start = s->probe_start[place], size = s->probe_size[place];

    if (s->p->class_of[s->probe[place]] == class)
        return true;
    uint32_t item = other_than(s->p, class, s->probe + start, size);
    if (item == RC_GROUPING_UNFIT)
        return false;
    memcpy(set, s->probe + start, size * sizeof *set);
    set[place - start] = item;
    return rc_packer_fits(s->p, set, size);
}

/* A different number for each class, in no order. */
static uint32_t shuffle(uint32_t class)
{
    return (class + 1) * 0x9e3779b1u;
}

/* Order in which classes go into a probe: the least used ones first, so that probes
 * differ.
 */
static int by_use(const void *a, const void *b, void *pressed)
{
    const struct pressed *s = pressed;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (s->used[x] != s->used[y])
        return s->used[x] < s->used[y] ? -1 : 1;
    return shuffle(x) < shuffle(y) ? -1 : shuffle(x) > shuffle(y);
}

/* Adds one event of each class in turn, repeatedly, until no more fit or there are
 * PROBE_MOST.  Returns the probe's size.
 */
static size_t build_probe(struct pressed *s, const uint32_t *sample, size_t count,
                          uint32_t *probe)
{
    struct rc_packer *p = s->p;
    size_t size = 0, before;

    do {
        before = size;
        for (size_t i = 0; i < count && size < PROBE_MOST && !p->spent; i++) {
            uint32_t item = other_than(p, sample[i], probe, size);
            if (item == RC_GROUPING_UNFIT)
                continue;
            probe[size] = item;
            size += rc_packer_fits(p, probe, size + 1);
        }
    } while (size > before && size < PROBE_MOST);
    return size;
}

/* Builds probes from a sample of the classes.  The first one shows how many events fit
 * together; if that are PROBE_MOST, no probes are kept.
 */
static void choose_probes(struct pressed *s, size_t places)
{
    struct rc_packer *p = s->p;
    uint32_t probe[PROBE_MOST], *sample = s->sorted;
    size_t count = 0;

    for (uint32_t c = 0; c < p->classes; c++)
        if (p->alone[c] != RC_GROUPING_DEAD)
            sample[count++] = c;
    qsort_r(sample, count, sizeof *sample, by_use, s);
    if (count > SAMPLE)
        count = SAMPLE;
    for (size_t round = 0; round < ROUNDS && !p->spent; round++) {
        qsort_r(sample, count, sizeof *sample, by_use, s);
        size_t size = build_probe(s, sample, count, probe);
        if (round == 0)
            s->order.full = size;
        if (!size || size == PROBE_MOST || s->place_count + size > places)
            return;
        for (size_t i = 0; i < size; i++) {
            s->used[p->class_of[probe[i]]]++;
            s->probe_start[s->place_count + i] = (uint32_t)s->place_count;
            s->probe_size[s->place_count + i] = (uint32_t)size;
        }
        memcpy(s->probe + s->place_count, probe, size * sizeof *probe);
        s->place_count += size;
    }
}

/* The order is by falling pressure; then classes that fit into fewer places come first,
 * then those with more events left.
 */
static int by_pressure(const void *a, const void *b, void *pressed)
{
    const struct pressed *s = pressed;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (s->pressure[x] != s->pressure[y])
        return s->pressure[x] > s->pressure[y] ? -1 : 1;
    int bits_x = __builtin_popcountll(s->signature[x]);
    int bits_y = __builtin_popcountll(s->signature[y]);
    if (bits_x != bits_y)
        return bits_x < bits_y ? -1 : 1;
    if (s->left[x] != s->left[y])
        return s->left[x] > s->left[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* Each class loads the places that it can use, equally; its pressure is the smallest of
 * their loads.  A class without a place has the highest pressure.  'order' is the first
 * member of struct pressed.
 */
static void rerank_classes(struct rc_grouping_order *order, const uint32_t *left)
{
    struct pressed *s = (struct pressed *)order;
    double load[PLACES_MOST] = {0};

    s->left = left;
    for (size_t c = 0; c < s->p->classes; c++)
        for (uint64_t bits = s->signature[c]; bits; bits &= bits - 1)
            load[__builtin_ctzll(bits)] +=
                left[c] / (double)__builtin_popcountll(s->signature[c]);
    for (size_t c = 0; c < s->p->classes; c++) {
        s->pressure[c] = s->signature[c] ? 1e300 : 2e300;
        for (uint64_t bits = s->signature[c]; bits; bits &= bits - 1)
            if (load[__builtin_ctzll(bits)] < s->pressure[c])
                s->pressure[c] = load[__builtin_ctzll(bits)];
    }
    qsort_r(s->sorted, s->p->classes, sizeof *s->sorted, by_pressure, s);
    for (size_t i = 0; i < s->p->classes; i++)
        order->rank[s->sorted[i]] = (uint32_t)i;
}

/* First-fit by pressure, which is computed again as the classes run out. */
static void fill_pressed(struct pressed *s, struct rc_grouping_plan *plan,
                         size_t *fewest)
{
    struct rc_packer *p = s->p;
    uint32_t *left = rc_arena_array(&p->arena, p->classes, sizeof *left);
    uint32_t *first = rc_arena_array(&p->arena, p->classes, sizeof *first);

    if (p->arena.failed)
        return;
    for (uint32_t c = 0; c < p->classes; c++) {
        s->sorted[c] = c;
        if (p->alone[c] != RC_GROUPING_DEAD)
            left[c] = (uint32_t)rc_packer_class_size(p, c);
    }
    if (p->classes > CLASSES_FEW)
        s->order.signature = s->signature;
    rerank_classes(&s->order, left);
    memcpy(first, s->sorted, p->classes * sizeof *first);
    rc_grouping_fill(p, &s->order, plan);
    uint32_t *taken = rc_arena_array(&p->arena, p->classes, sizeof *taken);
    size_t events = 0, in_group = 0;
    if (plan->groups == SIZE_MAX || !taken)
        return;
    /* A lower bound: in the order of the first group, the classes up to any one of them
     * need at least all their events divided by those in that group.
     */
    for (size_t i = 0; i < p->count; i++)
        taken[p->class_of[i]] += plan->group_of[i] == 0;
    for (size_t i = 0; i < p->classes; i++) {
        if (p->alone[first[i]] == RC_GROUPING_DEAD)
            continue;
        events += rc_packer_class_size(p, first[i]);
        in_group += taken[first[i]];
        if (in_group && (events + in_group - 1) / in_group > *fewest)
            *fewest = (events + in_group - 1) / in_group;
    }
}

/* Finds the signatures first; without probes there is no plan. */
void rc_grouping_by_pressure(struct rc_packer *p, struct rc_grouping_plan *plan,
                             size_t *fewest)
{
    const uint64_t affordable = (p->limit - p->trials) / 2 / (p->classes + 1);
    struct pressed s = {.p = p,
                        .order = {.patience = SIZE_MAX, .rerank = rerank_classes}};

    plan->groups = SIZE_MAX;
    *fewest = 1;
    s.signature = rc_arena_array(&p->arena, p->classes, sizeof *s.signature);
    s.pressure = rc_arena_array(&p->arena, p->classes, sizeof *s.pressure);
    s.sorted = rc_arena_array(&p->arena, p->classes, sizeof *s.sorted);
    s.order.rank = rc_arena_array(&p->arena, p->classes, sizeof *s.order.rank);
    s.used = rc_arena_array(&p->arena, p->classes, sizeof *s.used);
    if (p->arena.failed)
        return;
    choose_probes(&s, affordable < PLACES_MOST ? affordable : PLACES_MOST);
    for (uint32_t c = 0; c < p->classes; c++)
        for (size_t place = 0; place < s.place_count; place++)
            if (p->alone[c] != RC_GROUPING_DEAD)
                s.signature[c] |= (uint64_t)place_takes(&s, place, c) << place;
    if (s.place_count && !p->spent)
        fill_pressed(&s, plan, fewest);
}

void rc_grouping_shuffled(struct rc_packer *p, size_t patience,
                          struct rc_grouping_plan *plan)
{
    struct rc_grouping_order order = {
        .patience = patience,
        .rank = rc_arena_array(&p->arena, p->classes, sizeof *order.rank)};

    for (uint32_t c = 0; order.rank && c < p->classes; c++)
        order.rank[c] = shuffle(c);
    rc_grouping_fill(p, &order, plan);
}
