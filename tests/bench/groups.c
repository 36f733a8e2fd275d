/* groups.c - how good the packing of events into groups is, and what it costs
 *
 * All counters here are made up (tests/lib/counters.h).  Usage: bench_groups [PART...],
 * parts are: small, middle, unknown, large.  Without any: all of them.
 */
#include "campaign/grouping/groups.h"
#include "campaign/base/clock.h"
#include "tests/lib/counters.h"

#include <string.h>
#include <sys/resource.h>

struct result {
    size_t groups;
    uint64_t trials;
    double seconds;
};

static double now(void)
{
    return 1e-9 * (double)rc_clock_ns();
}

static int ignore_unfit(void *to, size_t index, const struct rc_trial *why,
                        struct rc_error *err)
{
    (void)to;
    (void)index;
    (void)why;
    (void)err;
    return 0;
}

static struct result measure(struct counters *c, const uint32_t *alike)
{
    const struct rc_grouping_setup setup = {.fits = counters_trial, .context = c};
    uint32_t *events = calloc(c->count + 1, sizeof *events);
    struct rc_groups_found packing = {0};
    struct rc_error err = {0};
    struct result result = {0};

    for (size_t i = 0; i < c->count; i++)
        events[i] = (uint32_t)i;
    double start = now();
    if (rc_grouping(events, alike, c->count, &setup, ignore_unfit, NULL, &packing,
                    &err))
        fprintf(stderr, "%s\n", err.text);
    result.seconds = now() - start;
    result.groups = packing.groups;
    result.trials = packing.trials;
    free(packing.group_of);
    free(events);
    return result;
}

#define WAYS 3

/* Random sets of up to 12 events: how many groups more than by brute force. */
static void small(void)
{
    static const char *const name[WAYS] = {"as shipped", "plain first-fit",
                                           "plain next-fit"};
    size_t over[WAYS][4] = {{0}}, sets = 5000;
    uint64_t seed = 2024, trials = 0;

    for (size_t run = 0; run < sets; run++) {
        struct counters c;
        counters_make(&c, 4 + run % 9, 2 + (unsigned)(run / 9 % 4),
                      (unsigned)(run / 36 % 3), (unsigned)(run % 4 * 15), &seed);
        counters_narrow(&c, (unsigned)(run % 3 * 40), 2 + (unsigned)(run / 9 % 4),
                        &seed);
        size_t fewest = counters_fewest(&c);
        struct result r = measure(&c, NULL);
        const size_t groups[WAYS] = {r.groups, counters_first_fit(&c, false),
                                     counters_first_fit(&c, true)};
        for (size_t w = 0; w < WAYS; w++) {
            size_t more = groups[w] - fewest;
            over[w][more < 3 ? more : 3]++;
        }
        trials += r.trials;
        counters_free(&c);
    }
    printf("small: %zu random sets of 4 to 12 events, 2 to 5 general and 0 to 2 fixed "
           "counters;\nsets by groups above the fewest possible (brute force); %.1f "
           "trials for each set\n",
           sets, (double)trials / (double)sets);
    printf("  %-26s %8s %8s %8s %8s\n", "", "+0", "+1", "+2", "more");
    for (size_t w = 0; w < WAYS; w++)
        printf("  %-26s %8zu %8zu %8zu %8zu\n", name[w], over[w][0], over[w][1],
               over[w][2], over[w][3]);
}

/* Sets that are too large for brute force, where counters are all that is
 * needed: then the fewest groups are known by Hall's theorem.
 */
static void middle(void)
{
    static const unsigned odds[] = {0, 20};
    uint64_t seed = 77;

    printf("middle: 60 random sets for each number of events, 4 to 8 counters; groups "
           "above the\nfewest possible (for sets with registers: above a lower bound), "
           "in %%\n");
    printf("  %8s %10s %10s %10s %12s %12s %12s\n", "events", "registers", "mean",
           "worst", "first-fit", "trials/set", "s/set");
    for (size_t o = 0; o < 2; o++)
        for (size_t count = 30; count <= 480; count *= 2) {
            double sum = 0, worst = 0, first = 0, trials = 0, seconds = 0;
            for (size_t run = 0; run < 60; run++) {
                struct counters c;
                counters_make(&c, count, 4 + (unsigned)(run % 4), (unsigned)(run % 2),
                              odds[o], &seed);
                counters_narrow(&c, (unsigned)(run % 3 * 40), 4 + (unsigned)(run % 4),
                                &seed);
                double bound = (double)counters_bound(&c);
                struct result r = measure(&c, NULL);
                double over = 100 * ((double)r.groups / bound - 1);
                sum += over;
                worst = over > worst ? over : worst;
                first += 100 * ((double)counters_first_fit(&c, false) / bound - 1);
                trials += (double)r.trials;
                seconds += r.seconds;
                counters_free(&c);
            }
            printf("  %8zu %10s %10.2f %10.2f %12.2f %12.0f %12.4f\n", count,
                   odds[o] ? "yes" : "no", sum / 60, worst, first / 60, trials / 60,
                   seconds / 60);
        }
}

/* Events of 'classes' kinds; 'mixed': in random order, else kind by kind. */
static uint32_t *make_classes(struct counters *c, size_t count, size_t classes,
                              unsigned general, unsigned odd, bool mixed,
                              unsigned narrow, uint64_t seed)
{
    struct counters kinds;
    uint32_t *alike = calloc(count, sizeof *alike);

    counters_make(&kinds, classes, general, general > 4 ? 0 : 3, odd, &seed);
    counters_narrow(&kinds, narrow, general, &seed);
    *c = kinds;
    c->count = count;
    c->event = calloc(count, sizeof *c->event);
    for (size_t i = 0; i < count; i++) {
        size_t k = mixed ? counters_random(&seed) % classes : i * classes / count;
        c->event[i] = kinds.event[k];
        c->event[i].excludes = 0;
        alike[i] = (uint32_t)k + 1;
    }
    counters_free(&kinds);
    return alike;
}

static void print_large(const char *what, struct counters *c, const struct result *r,
                        bool plain)
{
    struct rusage usage;
    size_t bound = counters_bound(c);

    getrusage(RUSAGE_SELF, &usage);
    printf("  %-40s %8zu %8zu %7.2f", what, r->groups, bound,
           100 * ((double)r->groups / (double)bound - 1));
    if (plain)
        printf(" %9zu %9zu", counters_first_fit(c, false), counters_first_fit(c, true));
    else
        printf(" %9s %9s", "", "");
    printf(" %10llu %8.2f %8.1f\n", (unsigned long long)r->trials, r->seconds,
           (double)usage.ru_maxrss / 1024);
}

static void print_head(void)
{
    printf("  %-40s %8s %8s %7s %9s %9s %10s %8s %8s\n", "", "groups", "bound",
           "above %", "first-fit", "next-fit", "trials", "seconds", "MiB");
}

/* 5000 events of which nothing is known. */
static void unknown(void)
{
    static const unsigned general[] = {4, 6, 8};
    char what[64];

    printf("unknown: 5000 events, nothing known to be alike; at 0.1 ms a trial, 10000 "
           "trials are 1 s\n");
    print_head();
    for (size_t g = 0; g < 3; g++)
        for (unsigned way = 0; way < 8; way++) {
            unsigned odd = way % 2 * 10, narrow = way / 2 % 2 * 80;
            struct counters c;
            uint32_t *alike =
                make_classes(&c, 5000, 300, general[g], odd, way < 4, narrow, 99 + g);
            struct result r = measure(&c, NULL);
            snprintf(what, sizeof what, "%u counters%s%s, %s", c.counters,
                     odd ? ", registers" : "", narrow ? ", narrow" : "",
                     way < 4 ? "mixed" : "sorted");
            print_large(what, &c, &r, true);
            free(alike);
            counters_free(&c);
        }
}

/* As many events as on a Summit node, of some kinds. */
static void large(void)
{
    static const size_t classes[] = {20, 100, 1000};
    char what[64];

    printf("large: 427000 events in classes of alike ones\n");
    print_head();
    for (size_t k = 0; k < 3; k++)
        for (unsigned general = 4; general <= 8; general += 4)
            for (unsigned way = 0; way < 4; way++) {
                bool mixed = way % 2;
                unsigned narrow = way / 2 * 80;
                struct counters c;
                uint32_t *alike = make_classes(&c, 427000, classes[k], general, 0,
                                               mixed, narrow, 5 + k);
                struct result r = measure(&c, alike);
                snprintf(what, sizeof what, "%zu classes, %u counters, %s%s",
                         classes[k], c.counters, mixed ? "mixed" : "sorted",
                         narrow ? ", narrow" : "");
                print_large(what, &c, &r, false);
                free(alike);
                counters_free(&c);
            }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        {"large", large}, {"small", small}, {"middle", middle}, {"unknown", unknown}};
    size_t run = 0, count = sizeof parts / sizeof parts[0];

    for (size_t p = 0; p < count; p++) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], parts[p].name) == 0;
        if (wanted) {
            parts[p].run();
            fflush(stdout);
            run++;
        }
    }
    if (run < (argc < 2 ? count : (size_t)argc - 1)) {
        fprintf(stderr, "bench_groups: expected: small, middle, unknown, large\n");
        return 2;
    }
    return 0;
}
