/* The detour loop: reads the time stamp counter and notes where readings are far apart.
 *
 * The loop counts in ticks.  The length of a tick follows from the system's clock at
 * both ends of the measurement, which is exact to 1e-8 over seconds.  Only the end of
 * the loop and tau are calibrated, in 20 ms.  The histogram's lines and the list are in
 * memory before it begins: the loop touches nothing else.
 */
#include "kernels/detour.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/base/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
    TRIAL_NS = 20000000, /* a trial of the loop */
    TRIAL_TICKS = 10000, /* between two readings of the system's clock in a trial */
    ASK_NS = 100000000,  /* between two questions whether to stop */
    TAU_LEAST_NS = 1000,
    TAU_GAPS = 8,       /* median gaps */
    TAU_DEVIATIONS = 6, /* of quanta */
    ADDITIONS = 16384,  /* in a chain: some us */
    CHAINS = 2          /* the faster one counts */
};

struct rc_detour_loop {
    uint64_t tick_bin[RC_DETOUR_BINS]; /* gaps by ticks */
    uint64_t bin[RC_DETOUR_BINS];      /* the same by picoseconds */
    uint64_t tau;                      /* ticks */
    uint64_t stolen;                   /* ticks */
    uint64_t dropped;
    size_t count, most; /* gaps in 'gap', and room */
    bool backwards;     /* the counter ran backwards */
    uint64_t pace_ps[RC_DETOUR_PACES], pace_hz[RC_DETOUR_PACES];
    size_t paces;
    uint64_t *scratch;          /* [most] */
    struct rc_detour_gap gap[]; /* [most] in ticks at first */
};

uint32_t rc_detour_bin(uint64_t value)
{
    if (value < RC_DETOUR_PARTS)
        return (uint32_t)value;
    const unsigned octave = 63 - (unsigned)__builtin_clzll(value);
    return RC_DETOUR_PARTS * (octave - 4) +
           (uint32_t)(value >> (octave - 5) & (RC_DETOUR_PARTS - 1));
}

uint64_t rc_detour_bin_begin(uint32_t bin)
{
    if (bin < RC_DETOUR_PARTS)
        return bin;
    return (uint64_t)(RC_DETOUR_PARTS + bin % RC_DETOUR_PARTS)
           << (bin / RC_DETOUR_PARTS - 1);
}

uint64_t rc_detour_bin_middle(uint32_t bin)
{
    const uint64_t begin = rc_detour_bin_begin(bin);

    return bin < 2 * RC_DETOUR_PARTS
               ? begin
               : begin + (UINT64_C(1) << (bin / RC_DETOUR_PARTS - 2));
}

const char *rc_detour_judge_clock(bool invariant, const char *current,
                                  const char *available)
{
    if (!invariant)
        return "the processor does not say that its time stamp counter runs at one "
               "rate "
               "(cpuid 0x80000007, EDX bit 8)";
    if (*current && strcmp(current, "tsc") != 0 && !rc_word_listed(available, "tsc"))
        return "the kernel does not trust the time stamp counter (it is not among "
               "available_clocksource)";
    return NULL;
}

#if defined(__x86_64__)
static inline uint64_t read_ticks(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

bool rc_detour_is_virtual(void)
{
    unsigned a, b, c = 0, d;

    return __get_cpuid(1, &a, &b, &c, &d) != 0 && c >> 31 != 0;
}

/* Adds a register: some processors add constants without the core's adders. */
static void add_chain(uint64_t loops)
{
    uint64_t sum = 0;
    const uint64_t one = 1;

    __asm__ volatile("1:\n"
                     ".rept 64\n"
                     "add %2, %0\n"
                     ".endr\n"
                     "sub $1, %1\n"
                     "jnz 1b\n"
                     : "+r"(sum), "+r"(loops)
                     : "r"(one)
                     : "cc");
}

int rc_detour_check_clock(struct rc_error *err)
{
    static const char folder[] = "/sys/devices/system/clocksource/clocksource0";
    char current[64], available[256], path[128];
    unsigned a, b, c, d = 0;

    snprintf(path, sizeof path, "%s/current_clocksource", folder);
    (void)rc_text_first_line(path, current, sizeof current);
    snprintf(path, sizeof path, "%s/available_clocksource", folder);
    (void)rc_text_first_line(path, available, sizeof available);
    const bool known = __get_cpuid(0x80000007, &a, &b, &c, &d) != 0;
    const char *why = rc_detour_judge_clock(known && (d >> 8 & 1), current, available);
    return why ? rc_fail(err, RC_EUNSUPPORTED, "detours cannot be measured: %s", why)
               : RC_OK;
}
#elif defined(__aarch64__)
static inline uint64_t read_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

static void add_chain(uint64_t loops)
{
    uint64_t sum = 0;
    const uint64_t one = 1;

    __asm__ volatile("1:\n"
                     ".rept 64\n"
                     "add %0, %0, %2\n"
                     ".endr\n"
                     "subs %1, %1, #1\n"
                     "b.ne 1b\n"
                     : "+r"(sum), "+r"(loops)
                     : "r"(one)
                     : "cc");
}

bool rc_detour_is_virtual(void)
{
    return false;
}

/* The architecture's counter runs at one rate by definition. */
int rc_detour_check_clock(struct rc_error *err)
{
    (void)err;
    return RC_OK;
}
#else
static inline uint64_t read_ticks(void)
{
    return 0;
}

static void add_chain(uint64_t loops)
{
    (void)loops;
}

bool rc_detour_is_virtual(void)
{
    return false;
}

int rc_detour_check_clock(struct rc_error *err)
{
    return rc_fail(
        err, RC_EUNSUPPORTED,
        "detours cannot be measured: there is no loop for this kind of processor");
}
#endif

static uint64_t raw_ns(void)
{
    struct timespec raw;

    clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
    return (uint64_t)raw.tv_sec * 1000000000 + (uint64_t)raw.tv_nsec;
}

/* One moment by both clocks: the system's reading with the counter's value in the
 * middle of it, from the fastest of some tries.
 */
struct moment {
    uint64_t ticks, ns;
};

static struct moment read_both(void)
{
    struct moment best = {0};
    uint64_t width = UINT64_MAX;

    for (int i = 0; i < 32; i++) {
        const uint64_t before = read_ticks();
        const uint64_t ns = raw_ns();
        const uint64_t after = read_ticks();
        if (after - before >= width)
            continue;
        width = after - before;
        best.ticks = before + width / 2;
        best.ns = ns;
    }
    return best;
}

/* Ticks in a nanosecond. */
static double rate_between(const struct moment *a, const struct moment *b)
{
    return b->ns > a->ns ? (double)(b->ticks - a->ticks) / (double)(b->ns - a->ns) : 0;
}

static void note_gap(struct rc_detour_loop *loop, uint64_t start, uint64_t length)
{
    if (length >> 63) {
        loop->backwards = true;
        return;
    }
    loop->stolen += length;
    if (loop->count == loop->most) {
        loop->dropped++;
        return;
    }
    loop->gap[loop->count++] = (struct rc_detour_gap){start, length};
}

/* The loop itself: reads until a reading is not before 'end', and returns that. */
static uint64_t read_until(struct rc_detour_loop *loop, uint64_t last, uint64_t end)
{
    while (last < end) {
        const uint64_t now = read_ticks();
        const uint64_t gap = now - last;
        loop->tick_bin[rc_detour_bin(gap)]++;
        if (gap > loop->tau)
            note_gap(loop, last, gap);
        last = now;
    }
    return last;
}

/* The time of additions that depend on each other, a cycle each: the core's clock. */
static uint64_t time_chain(void)
{
    uint64_t best = UINT64_MAX;

    for (int i = 0; i < CHAINS; i++) {
        const uint64_t begin = read_ticks();
        add_chain(ADDITIONS / 64);
        const uint64_t took = read_ticks() - begin;
        best = took < best ? took : best;
    }
    return best;
}

/* The state of a measurement. */
struct course {
    struct rc_detour_loop *loop;
    const struct rc_detour_setup *setup;
    double rate;                     /* ticks in a nanosecond, by the trial */
    size_t window;                   /* quanta between two chains */
    uint64_t chain[RC_DETOUR_PACES]; /* ticks of each chain */
    size_t chains;
    bool stopped;
};

/* Puts every quantum into the list as if it were a detour; sift_quanta() sorts them. */
static uint64_t work_until(struct course *c, uint64_t last, uint64_t end)
{
    struct rc_detour_loop *loop = c->loop;

    while (last < end && loop->count < loop->most) {
        if (loop->count % c->window == 0 && c->chains < RC_DETOUR_PACES)
            c->chain[c->chains++] = time_chain();
        const uint64_t begin = read_ticks();
        c->setup->work(c->setup->arg);
        last = read_ticks();
        note_gap(loop, begin, last - begin);
    }
    return last;
}

/* Runs to the end, or until told to stop; returns the last reading. */
static uint64_t run_course(struct course *c, uint64_t begin, uint64_t duration)
{
    const uint64_t ask = (uint64_t)(c->rate * ASK_NS), end = begin + duration;
    uint64_t last = begin;

    while (last < end && !c->stopped) {
        const uint64_t next = end - last > ask ? last + ask : end;
        const uint64_t now = c->setup->work ? work_until(c, last, next)
                                            : read_until(c->loop, last, next);
        if (now == last) /* the list is full of quanta */
            break;
        last = now;
        if (last < end && c->setup->stopped) {
            c->stopped = c->setup->stopped(c->setup->arg);
            last = read_ticks(); /* asking is not a detour */
        }
    }
    return last;
}

/* The bin that holds the median; RC_DETOUR_BINS: there is none. */
static uint32_t median_bin(const uint64_t *bin, uint64_t gaps)
{
    uint64_t before = 0;
    uint32_t i = 0;

    while (i < RC_DETOUR_BINS && (before += bin[i]) * 2 < gaps)
        i++;
    return i;
}

static uint64_t count_gaps(const uint64_t *bin)
{
    uint64_t gaps = 0;

    for (size_t i = 0; i < RC_DETOUR_BINS; i++)
        gaps += bin[i];
    return gaps;
}

static void forget(struct rc_detour_loop *loop)
{
    memset(loop->tick_bin, 0, sizeof loop->tick_bin);
    memset(loop->bin, 0, sizeof loop->bin);
    loop->tau = loop->stolen = loop->dropped = 0;
    loop->count = loop->paces = 0;
    loop->backwards = false;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A short run of the loop finds the rate, which gives the end, and tau.  It also brings
 * all code of the measurement into memory.
 */
static int try_loop(struct course *c, struct rc_error *err)
{
    struct rc_detour_loop *loop = c->loop;
    const struct moment a = read_both();
    uint64_t begin = read_ticks();

    loop->tau = 0;
    (void)read_until(loop, begin, begin + TRIAL_TICKS);
    (void)time_chain();
    if (c->setup->stopped)
        (void)c->setup->stopped(c->setup->arg);
    forget(loop);
    loop->tau = UINT64_MAX;
    do {
        begin = read_ticks();
        (void)read_until(loop, begin, begin + TRIAL_TICKS);
    } while (raw_ns() < a.ns + TRIAL_NS);
    const struct moment b = read_both();
    c->rate = rate_between(&a, &b);
    if (c->rate <= 0)
        return rc_fail(
            err, RC_EUNSUPPORTED,
            "detours cannot be measured: the time stamp counter stands still");
    const uint64_t median =
        rc_detour_bin_middle(median_bin(loop->tick_bin, count_gaps(loop->tick_bin)));
    forget(loop);
    loop->tau = larger((uint64_t)(c->rate * TAU_LEAST_NS), TAU_GAPS * median);
    return RC_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Sorts 'number'. */
static uint64_t median_of(uint64_t *number, size_t count)
{
    if (count == 0)
        return 0;
    qsort(number, count, sizeof *number, compare_numbers);
    return number[count / 2];
}

/* The window of a quantum in the list; the last one also has the rest that has no
 * chain.
 */
static size_t window_of(const struct course *c, size_t quantum)
{
    const size_t window = quantum / c->window;

    return window < c->chains ? window : c->chains - 1;
}

/* Keeps the quanta that took longer than others around them by more than tau; their
 * lengths become that difference.
 */
static void sift_quanta(struct course *c)
{
    struct rc_detour_loop *loop = c->loop;
    size_t kept = 0;

    /* Puts each window's median quantum, in ticks, into loop->pace_ps. */
    for (size_t first = 0, next; first < loop->count; first = next) {
        const size_t window = window_of(c, first);
        for (next = first; next < loop->count && window_of(c, next) == window; next++)
            loop->scratch[next - first] = loop->gap[next].length_ns;
        loop->pace_ps[window] = median_of(loop->scratch, next - first);
    }
    loop->paces = c->chains;
    for (size_t i = 0; i < loop->count; i++) {
        const uint64_t took = loop->gap[i].length_ns;
        const uint64_t usual = loop->pace_ps[window_of(c, i)];
        loop->tick_bin[rc_detour_bin(took)]++;
        loop->scratch[i] = took > usual ? took - usual : usual - took;
    }
    const double deviation = 1.4826 * (double)median_of(loop->scratch, loop->count);
    loop->tau = larger((uint64_t)(c->rate * TAU_LEAST_NS),
                       (uint64_t)(TAU_DEVIATIONS * deviation));
    loop->stolen = 0;
    for (size_t i = 0; i < loop->count; i++) {
        const struct rc_detour_gap one = loop->gap[i];
        const uint64_t usual = loop->pace_ps[window_of(c, i)];
        if (one.length_ns <= usual + loop->tau)
            continue;
        loop->stolen += one.length_ns - usual;
        loop->gap[kept++] = (struct rc_detour_gap){one.start_ns, one.length_ns - usual};
    }
    loop->count = kept;
}

/* Converts ticks to times, with the rate over the whole measurement. */
static void convert(struct course *c, double rate, uint64_t begin, uint64_t end,
                    struct rc_detour_seen *out)
{
    struct rc_detour_loop *loop = c->loop;

    out->gaps = count_gaps(loop->tick_bin);
    out->median_gap_ps = out->gaps == 0
                             ? 0
                             : (uint64_t)((double)rc_detour_bin_middle(
                                              median_bin(loop->tick_bin, out->gaps)) *
                                          1000 / rate);
    for (uint32_t i = 0; i < RC_DETOUR_BINS; i++)
        if (loop->tick_bin[i])
            loop->bin[rc_detour_bin((uint64_t)((double)rc_detour_bin_middle(i) * 1000 /
                                               rate))] += loop->tick_bin[i];
    for (size_t i = 0; i < loop->count; i++) {
        loop->gap[i].start_ns =
            (uint64_t)((double)(loop->gap[i].start_ns - begin) / rate);
        loop->gap[i].length_ns = (uint64_t)((double)loop->gap[i].length_ns / rate);
    }
    for (size_t i = 0; i < loop->paces; i++) {
        loop->pace_ps[i] = (uint64_t)((double)loop->pace_ps[i] * 1000 / rate);
        loop->pace_hz[i] =
            (uint64_t)(ADDITIONS * rate * 1e9 / (double)larger(c->chain[i], 1));
    }
    out->duration_ns = (uint64_t)((double)(end - begin) / rate);
    out->tau_ns = (uint64_t)((double)loop->tau / rate);
    out->stolen_ns = (uint64_t)((double)loop->stolen / rate);
}

int rc_detour_create(size_t most, struct rc_detour_loop **out, struct rc_error *err)
{
    const size_t room = most ? most : 1;
    struct rc_detour_loop *loop = NULL;
    size_t bytes;

    if (!__builtin_mul_overflow(room, sizeof loop->gap[0], &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *loop, &bytes))
        loop = malloc(bytes);
    *out = NULL;
    if (!loop)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu detours", most);
    memset(loop, 1, bytes); /* touches each page, which zeros need not do */
    forget(loop);
    loop->most = most;
    loop->scratch = malloc(room * sizeof *loop->scratch);
    if (!loop->scratch) {
        rc_detour_close(loop);
        return rc_fail(err, RC_ENOMEM, "no memory for %zu detours", most);
    }
    *out = loop;
    return RC_OK;
}

void rc_detour_close(struct rc_detour_loop *loop)
{
    if (loop)
        free(loop->scratch);
    free(loop);
}

/* Quanta in a window, so many that the windows suffice for a full list. */
static size_t quanta_of_window(const struct rc_detour_loop *loop)
{
    const size_t least = (loop->most + RC_DETOUR_PACES - 1) / RC_DETOUR_PACES;

    return least > RC_DETOUR_QUANTA ? least : RC_DETOUR_QUANTA;
}

int rc_detour_measure(struct rc_detour_loop *loop, const struct rc_detour_setup *setup,
                      struct rc_detour_seen *out, struct rc_error *err)
{
    struct rusage before, after;
    int status = rc_detour_check_clock(err);

    *out = (struct rc_detour_seen){.bin = loop->bin, .gap = loop->gap};
    if (status != RC_OK)
        return status;
    if (setup->duration_ns == 0 || setup->duration_ns > RC_DETOUR_LONGEST_NS)
        return rc_fail(
            err, RC_EUSAGE,
            "detours cannot be measured for %.17g s, expected more than 0 and "
            "a day at most",
            (double)setup->duration_ns / 1e9);
    struct course *c = rc_calloc(1, sizeof *c);
    if (!c)
        return rc_fail(err, RC_ENOMEM, "no memory for a measurement of detours");
    *c =
        (struct course){.loop = loop, .setup = setup, .window = quanta_of_window(loop)};
    memset(c->chain, 1, sizeof c->chain);
    forget(loop);
    if ((status = try_loop(c, err)) != RC_OK)
        goto out;
    getrusage(RUSAGE_THREAD, &after); /* touches the pages of its result and code */
    const struct moment a = read_both();
    getrusage(RUSAGE_THREAD, &before);
    const uint64_t begin = read_ticks();
    const uint64_t end =
        run_course(c, begin, (uint64_t)((double)setup->duration_ns * c->rate));
    getrusage(RUSAGE_THREAD, &after);
    const struct moment b = read_both();
    const double rate = rate_between(&a, &b);
    if (loop->backwards || rate <= 0) {
        status = rc_fail(err, RC_EUNSUPPORTED,
                         "detours cannot be measured: the time stamp counter ran "
                         "backwards");
        goto out;
    }
    if (setup->work)
        sift_quanta(c);
    convert(c, rate, begin, end, out);
    out->begin_ns = a.ns + (uint64_t)((double)(begin - a.ticks) / rate);
    out->faults = (uint64_t)(after.ru_minflt - before.ru_minflt + after.ru_majflt -
                             before.ru_majflt);
    out->switches = (uint64_t)(after.ru_nivcsw - before.ru_nivcsw);
    out->dropped = loop->dropped;
    out->stopped = c->stopped;
    out->count = loop->count;
    out->pace_ps = loop->pace_ps;
    out->pace_hz = loop->pace_hz;
    out->paces = loop->paces;
out:
    free(c);
    return status;
}
