/* noise_detours_sample - DIR/noise.h5 of a campaign, with detours that were made up
 *
 * noise_detours_sample DIR CORES SECONDS
 *
 * On each core of two nodes a tick of 250 Hz takes 4 us, a thread of 10 Hz 80 us, and
 * others come at random, more seldom the longer.
 */
#include "campaign/base/mix.h"
#include "campaign/noise/parts.h"
#include "tests/bench/must.h"

#include <math.h>
#include <string.h>

enum { NODES = 2, OCTAVE = 32, BINS = 64 * OCTAVE };

struct sample {
    struct rc_noise_file_detours d;
    struct rc_noise_file_detour *detour;
    struct rc_noise_file_bin *bin;
    size_t room;
};

static double uniform(uint64_t *state)
{
    return ((double)(rc_mix_next(state) >> 11) + 0.5) / 0x1p53;
}

static void put_detour(struct sample *s, uint64_t gaps[BINS], double start_ns,
                       double length_ns, uint64_t who)
{
    struct rc_error err = {.rank = -1, .text = "no memory"};

    must(rc_grow(&s->detour, sizeof *s->detour, s->d.detour_count, &s->room) ? RC_ENOMEM
                                                                             : RC_OK,
         &err);
    s->detour[s->d.detour_count++] =
        (struct rc_noise_file_detour){(uint64_t)start_ns, (uint64_t)length_ns, who};
    gaps[(size_t)(OCTAVE * log2(length_ns))]++;
}

static int compare_start(const void *a, const void *b)
{
    const struct rc_noise_file_detour *x = a, *y = b;

    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void make_record(struct sample *s, size_t number, size_t cores, double seconds)
{
    static const char *const node[NODES] = {"n0", "n7"};
    struct rc_noise_file_record *r = &s->d.record[number];
    const double period[] = {4e6, 1e8}, length[] = {4000, 80000};
    uint64_t gaps[BINS] = {0}, state = number + 1;

    *r = (struct rc_noise_file_record){.node = node[number / cores],
                                       .core = number % cores,
                                       .work = "",
                                       .quota = number ? "" : "50000 100000",
                                       .duration_ns = (size_t)(seconds * 1e9),
                                       .gaps = (size_t)(seconds * 8e7),
                                       .tau_ns = 1000,
                                       .median_gap_ps = 11600,
                                       .first = s->d.detour_count,
                                       .first_bin = s->d.bin_count};
    gaps[OCTAVE * 7 / 2] = (uint64_t)(seconds * 8e7);
    for (size_t i = 0; i < 2; i++)
        for (double at = 1e5 * (double)(number + 1); at < seconds * 1e9;
             at += period[i])
            put_detour(s, gaps, at + 500 * uniform(&state),
                       length[i] * (1 + 0.1 * uniform(&state)), 3 + i);
    for (double at = 0; at < seconds * 1e9; at -= 3e7 * log(uniform(&state)))
        put_detour(s, gaps, at, 2000 / sqrt(uniform(&state)), 1);
    r->count = s->d.detour_count - r->first;
    qsort(s->detour + r->first, r->count, sizeof *s->detour, compare_start);
    for (size_t b = 0; b < BINS; b++)
        if (gaps[b])
            s->bin[s->d.bin_count++] = (struct rc_noise_file_bin){
                (uint64_t)(1e3 * exp2((double)b / OCTAVE)), gaps[b]};
    r->bins = s->d.bin_count - r->first_bin;
    for (size_t i = 0; i < 2; i++)
        s->d.period[s->d.period_count++] =
            (struct rc_noise_file_period){.record = number,
                                          .hz = 1e9 / period[i],
                                          .hz_error = 1e-5,
                                          .phase_ns = 1e5 * (double)(number + 1),
                                          .window_ns = 2000,
                                          .stolen_ns = length[i],
                                          .share = length[i] / period[i],
                                          .pulses = (size_t)(seconds * 1e9 / period[i]),
                                          .hits = (size_t)(seconds * 1e9 / period[i]),
                                          .who = i ? "thread thief:2211" : "tick"};
    s->d.tail[s->d.tail_count++] = (struct rc_noise_file_tail){
        number, 10000, 8000, 0.4, 1.4, 400000, 200000, 900000};
}

static void make_scale(struct rc_noise_file_detours *d)
{
    for (double grain = 1e5; grain < 2e7; grain *= 10)
        for (double ranks = 10; ranks < 2e6; ranks *= 10)
            d->scale[d->scale_count++] = (struct rc_noise_file_scale){
                grain, ranks, 1 + 3e4 * log10(ranks) / grain, NAN, NAN, NAN};
    d->scale[d->scale_count++] =
        (struct rc_noise_file_scale){1e6, 4, 1.04, 1.01, 0.25, 0.01};
}

int main(int argc, char **argv)
{
    static const char *const cause[] = {"", "unattributed (firmware, host)", "host",
                                        "tick", "thread thief:2211"};
    struct rc_error err = {.rank = -1, .text = "no memory"};
    const struct rc_patterns all = {0};
    struct rc_noise_kind k = {.comm = MPI_COMM_NULL, .patterns = &all, .medians = true};
    struct rc_store *store;
    struct rc_store *file;
    char from[256], to[256];

    if (argc < 4) {
        fprintf(stderr, "noise_detours_sample DIR CORES SECONDS\n");
        return 2;
    }
    const size_t cores = strtoul(argv[2], NULL, 10), count = NODES * cores;
    struct sample s = {.d = {.record = calloc(count, sizeof *s.d.record),
                             .period = calloc(2 * count, sizeof *s.d.period),
                             .tail = calloc(count, sizeof *s.d.tail),
                             .scale = calloc(32, sizeof *s.d.scale),
                             .record_count = count,
                             .who = cause,
                             .who_count = 5},
                       .bin = calloc(count * BINS, sizeof *s.bin)};
    must(s.d.record && s.d.period && s.d.tail && s.d.scale && s.bin ? RC_OK : RC_ENOMEM,
         &err);
    for (size_t i = 0; i < count; i++)
        make_record(&s, i, cores, strtod(argv[3], NULL));
    s.d.detour = s.detour;
    s.d.bin = s.bin;
    make_scale(&s.d);
    snprintf(from, sizeof from, "%.200s/campaign.h5", argv[1]);
    snprintf(to, sizeof to, "%.200s/noise.h5", argv[1]);
    must(rc_store_open(MPI_COMM_NULL, from, &store, &err), &err);
    must(rc_noise_file_create(MPI_COMM_NULL, to, rc_store_campaign(store), &file, &err),
         &err);
    must(rc_noise_kind_study(&k, store, 0, &err), &err);
    must(rc_noise_write(&k, file, &err), &err);
    must(rc_noise_file_put_detours(file, &s.d, &err), &err);
    must(rc_store_close(file, &err), &err);
    rc_noise_kind_fini(&k);
    must(rc_store_close(store, &err), &err);
    free(s.d.record);
    free(s.d.period);
    free(s.d.tail);
    free(s.d.scale);
    free(s.detour);
    free(s.bin);
    return 0;
}
