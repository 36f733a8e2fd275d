/* Numbers are sorted by samples:
 *
 *     sample_sort [N]                           100000, of all ranks
 *
 * Each rank sorts its part and gives P - 1 samples of it to all, which choose the same
 * P - 1 limits by them; each rank gets the numbers between two limits and sorts these.
 * The sums over all P ranks:
 *
 *     sort;own      n * ceil(log2 n) moves of a rank with n = N / P numbers
 *     sort;samples  MPI_Allgather   P calls, 8 * P * (P - 1) bytes
 *     sort;counts   MPI_Alltoall    P calls, 4 * P^2 bytes
 *     sort;numbers  MPI_Alltoallv   P calls, 8 * N bytes
 *
 * The result is right if no rank has a number that is less than one before it, or than
 * any of the ranks before, and if the numbers and their sum are as they were.
 */
#include "tests/apps/app.h"
#include "tests/apps/work.h"

#include <stdint.h>

struct part {
    size_t n;
    uint64_t *number;
};

/* The i-th number of all: bits of 'i', mixed as SplitMix64 does. */
static uint64_t number_of(uint64_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
    i = (i ^ i >> 27) * 0x94d049bb133111eb;
    return i ^ i >> 31;
}

/* Sorts the part in place. */
static void sort(struct part *part)
{
    uint64_t *room = app_memory(part->n, sizeof *room);
    uint64_t *sorted = work_sort(part->n, part->number, room);

    if (sorted != part->number) {
        room = part->number;
        part->number = sorted;
    }
    free(room);
}

/* The limits, of which there is one less than ranks, by samples of all ranks. */
static uint64_t *choose_limits(const struct part *part, size_t ranks)
{
    const size_t each = ranks - 1;
    struct part all = {ranks * each, app_memory(ranks * each, sizeof *all.number)};
    uint64_t *own = app_memory(each, sizeof *own),
             *limit = app_memory(each, sizeof *limit);

    for (size_t i = 0; i < each; i++)
        own[i] = part->n ? part->number[app_first(part->n, ranks, i + 1)] : UINT64_MAX;
    rc_region_begin("samples");
    MPI_Allgather(own, (int)each, MPI_UINT64_T, all.number, (int)each, MPI_UINT64_T,
                  MPI_COMM_WORLD);
    rc_region_end("samples");
    sort(&all);
    for (size_t i = 0; i < each; i++)
        limit[i] = all.number[(i + 1) * each];
    free(own);
    free(all.number);
    return limit;
}

/* Gives each rank the numbers from its limit on. */
static struct part exchange(const struct part *part, const uint64_t *limit,
                            size_t ranks)
{
    int *count = app_memory(4 * ranks, sizeof *count), *at = count + ranks,
        *coming = at + ranks, *coming_at = coming + ranks;
    struct part out = {0, NULL};
    size_t to = 0;

    for (size_t i = 0; i < part->n; i++) {
        while (to < ranks - 1 && part->number[i] >= limit[to])
            to++;
        count[to]++;
    }
    rc_region_begin("counts");
    MPI_Alltoall(count, 1, MPI_INT, coming, 1, MPI_INT, MPI_COMM_WORLD);
    rc_region_end("counts");
    for (size_t r = 0; r < ranks; r++) {
        if (r > 0)
            at[r] = at[r - 1] + count[r - 1];
        coming_at[r] = (int)out.n;
        out.n += (size_t)coming[r];
    }
    out.number = app_memory(out.n, sizeof *out.number);
    rc_region_begin("numbers");
    MPI_Alltoallv(part->number, count, at, MPI_UINT64_T, out.number, coming, coming_at,
                  MPI_UINT64_T, MPI_COMM_WORLD);
    rc_region_end("numbers");
    free(count);
    return out;
}

/* Whether all are in order, and the same as before: 'sum' is that of the own ones. */
static int is_sorted(const struct part *part, uint64_t sum, size_t n, size_t ranks)
{
    uint64_t own[5] = {part->n, UINT64_MAX, 0, 0, sum}, last = 0;
    uint64_t *all = app_memory(5 * ranks, sizeof *all), more = 0;
    int right = 1;

    for (size_t i = 0; i < part->n; i++) {
        right = right && (i == 0 || part->number[i - 1] <= part->number[i]);
        own[3] += part->number[i];
    }
    if (part->n) {
        own[1] = part->number[0];
        own[2] = part->number[part->n - 1];
    }
    PMPI_Allgather(own, 5, MPI_UINT64_T, all, 5, MPI_UINT64_T, MPI_COMM_WORLD);
    for (size_t r = 0; r < ranks; r++) {
        const uint64_t *of = all + 5 * r;
        right = right && (of[0] == 0 || of[1] >= last);
        last = of[0] ? of[2] : last;
        n -= of[0];
        more += of[3] - of[4];
    }
    free(all);
    return right && n == 0 && more == 0;
}

int main(int argc, char **argv)
{
    const size_t n = app_number(argc, argv, 1, 100000);
    uint64_t sum = 0;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const size_t ranks = (size_t)size, first = app_first(n, ranks, (size_t)rank);
    struct part part = {app_first(n, ranks, (size_t)rank + 1) - first, NULL};
    part.number = app_memory(part.n, sizeof *part.number);
    for (size_t i = 0; i < part.n; i++)
        sum += part.number[i] = number_of(first + i);

    rc_region_begin("sort");
    rc_region_begin("own");
    sort(&part);
    rc_region_end("own");
    uint64_t *limit = choose_limits(&part, ranks);
    struct part sorted = exchange(&part, limit, ranks);
    rc_region_begin("merge");
    sort(&sorted);
    rc_region_end("merge");
    rc_region_end("sort");

    const int right = is_sorted(&sorted, sum, n, ranks);
    free(limit);
    free(part.number);
    free(sorted.number);
    return app_end("sample_sort", right);
}
