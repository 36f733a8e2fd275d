/* rates_sample - a campaign.h5 and a metrics.h5 with rates of many sizes, as planted
 *
 * rates_sample DIR NODES [simulated]
 *
 * Suite 'stream' has kernels copy and triad, 1 and 2 workers, plain and streaming stores,
 * and 4 repetitions of each; caches are 48K, 2M and 32M, the last shared by all workers.
 * A worker moves 200, 80, 30 and 10 GB/s from each level, a little less near its end, and
 * of copy a tenth less; of memory two workers move 1.5 times what one does.  Sizes in L3 go
 * up so steeply that copy has no plateau there.  Repetitions differ by 0.1 %; the second
 * node is 10 % slower in memory.  The rate 'bandwidth with allocation' is 4/3 of that.
 */
#include "io/metrics/metrics.h"
#include "tests/bench/must.h"

#include <math.h>
#include <string.h>

enum { KERNELS = 2, WORKERS = 2, STORES = 2, SIZES = 15, REPETITIONS = 4, RATES = 2 };
enum { POINTS = KERNELS * WORKERS * STORES * SIZES, AXES = 6, NODES_MOST = 16 };

static const char *const kernel_names[KERNELS] = {"copy", "triad"},
                         *const store_names[STORES] = {"plain", "streaming"},
                         *const axes[AXES] = {"kernel", "bytes", "workers",
                                              "store",  "level", "cache"};
static int64_t axis[POINTS][AXES];
static char names[POINTS][48];
static const char *points[POINTS];
static double basis[POINTS];
static uint64_t iterations[POINTS];
static char node_names[NODES_MOST][16];
static const char *nodes[NODES_MOST];
static double values[RATES][NODES_MOST * REPETITIONS * POINTS],
    least[RATES][NODES_MOST * POINTS], median[RATES][NODES_MOST * POINTS],
    best[RATES][NODES_MOST * POINTS], low[RATES][NODES_MOST * POINTS],
    high[RATES][NODES_MOST * POINTS];

static void make_points(void)
{
    size_t p = 0;

    for (int k = 0; k < KERNELS; k++)
        for (int w = 1; w <= WORKERS; w++)
            for (int s = 0; s < STORES; s++)
                for (int i = 0; i < SIZES; i++, p++) {
                    const int64_t bytes = INT64_C(12288) << i;
                    const int64_t cache[] = {48 << 10, 2 << 20, (32 << 20) / w, 0};
                    int l = 0;
                    while (cache[l] && bytes > cache[l])
                        l++;
                    const int64_t is[AXES] = {k, bytes, w, s, l + 1, cache[l]};
                    memcpy(axis[p], is, sizeof is);
                    snprintf(names[p], sizeof names[p], "%s-%dK-w%d-%s",
                             kernel_names[k], (int)(bytes >> 10), w, store_names[s]);
                    points[p] = names[p];
                    basis[p] = (double)bytes;
                    iterations[p] = 1000;
                }
}

static double rate_of(size_t point, size_t node)
{
    static const double level[] = {200, 80, 30, 10};
    const int64_t *is = axis[point], l = is[4] - 1;
    const double filled = is[5] ? (double)is[1] / (double)is[5] : 0;
    double rate =
        level[l] * (is[0] ? 1 : 0.9) * (l == 3 && is[2] == 2 ? 1.5 : (double)is[2]);

    if (filled > 0.9)
        rate *= 0.7;
    if (l == 2 && is[0] == 0)
        rate *= pow(filled, -0.3);
    if (l == 3)
        rate *= (is[3] ? 1.3 : 1) * (node == 1 ? 0.9 : 1);
    return rate;
}

static void make_values(size_t count)
{
    for (int r = 0; r < RATES; r++)
        for (size_t n = 0; n < count; n++)
            for (size_t p = 0; p < POINTS; p++) {
                const double of = rate_of(p, n) * (r ? 4.0 / 3 : 1);
                const size_t i = n * POINTS + p;
                for (size_t k = 0; k < REPETITIONS; k++)
                    values[r][(n * REPETITIONS + k) * POINTS + p] =
                        of * (1 - 0.001 * (double)k);
                least[r][i] = 0.997 * of;
                best[r][i] = of;
                median[r][i] = 0.9985 * of;
                low[r][i] = high[r][i] = NAN; /* of 4 repetitions there is none */
            }
}

int main(int argc, char **argv)
{
    struct rc_error err = {.rank = -1};
    const size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    char path[4096];
    struct rc_store *file;
    size_t number;

    if (count == 0 || count > NODES_MOST) {
        fprintf(stderr, "rates_sample DIR NODES [simulated]\n");
        return 2;
    }
    make_points();
    make_values(count);
    for (size_t n = 0; n < count; n++) {
        snprintf(node_names[n], sizeof node_names[n], "n%zu", n);
        nodes[n] = node_names[n];
    }
    const struct rc_store_event event = {.name = "time::wall",
                                         .source = "time",
                                         .verdict = RC_VERDICT_OK,
                                         .simulated = argc > 3};
    const struct rc_store_campaign campaign = {.id = "0123456789abcdef",
                                               .created_by = "rates_sample",
                                               .spec = "",
                                               .digest = "planted",
                                               .definitions = "planted",
                                               .source_labels =
                                                   (const char *const[]){"time"},
                                               .source_label_count = 1,
                                               .simulated = argc > 3};
    const struct rc_store_kind kind = {.name = "planted",
                                       .key = "planted",
                                       .shape = "core:2",
                                       .nodes = nodes,
                                       .node_count = count,
                                       .events = &event,
                                       .event_count = 1,
                                       .simulated = argc > 3};
    const struct rc_store_suite suite = {.name = "stream",
                                         .summary = "made up",
                                         .points = points,
                                         .point_count = POINTS,
                                         .axes = axes,
                                         .axis_count = AXES,
                                         .axis = axis[0],
                                         .ideals = (const char *const[]){"B_STREAM"},
                                         .ideal_count = 1,
                                         .own_count = 1,
                                         .basis = basis,
                                         .sources = (const char *const[]){"time"},
                                         .source_count = 1,
                                         .iterations = iterations,
                                         .places = nodes,
                                         .place_count = count,
                                         .repetitions = REPETITIONS,
                                         .statuses =
                                             (const char *const[]){"missing", "ok"},
                                         .status_count = 2};
    snprintf(path, sizeof path, "%s/campaign.h5", argv[1]);
    must(rc_store_create(MPI_COMM_NULL, path, &campaign, &file, &err), &err);
    must(rc_store_define_kind(file, &kind, &number, &err), &err);
    must(rc_store_define_suite(file, 0, &suite, &number, &err), &err);
    must(rc_store_close(file, &err), &err);

    struct rc_rate_result rates[RATES];
    static const char *const rate_names[RATES] = {"bandwidth",
                                                  "bandwidth with allocation"},
                             *const conventions[RATES] = {"stream", "allocate"};
    for (int r = 0; r < RATES; r++)
        rates[r] = (struct rc_rate_result){
            .name = rate_names[r],
            .unit = "GB/s",
            .convention = conventions[r],
            .formula =
                "workers * iterations * B_STREAM / (max(time::end) - min(time::begin))",
            .suite = suite.name,
            .node = nodes,
            .node_count = count,
            .repetitions = REPETITIONS,
            .point = points,
            .point_count = POINTS,
            .axis = axes,
            .axis_count = AXES,
            .parameter = axis[0],
            .values = values[r],
            .least = least[r],
            .median = median[r],
            .best = best[r],
            .low = low[r],
            .high = high[r]};
    const struct rc_suite_result result = {.suite = suite.name,
                                           .point = points,
                                           .point_count = POINTS,
                                           .reason = (const char *const[]){""},
                                           .reason_count = 1,
                                           .rate = rates,
                                           .rate_count = RATES};
    snprintf(path, sizeof path, "%s/metrics.h5", argv[1]);
    must(rc_metrics_create(MPI_COMM_NULL, path, &campaign, &file, &err), &err);
    must(rc_store_define_kind(file, &kind, NULL, &err), &err);
    must(rc_metrics_put_suite(file, &result, 1, &err), &err);
    must(rc_store_close(file, &err), &err);
    return 0;
}
