#include "tests/lib/test.h"

#include "tests/lib/on_teams.h"
#include "tests/unit/kernels/soft_bench.h"
#include "tests/unit/kernels/soft_kernels.h"

/* Kernels whose addresses are alike on all ranks: a page-aligned buffer. */
static void (*const kernels[])(struct rc_kernel *buffer, uint64_t number) = {
    k_loop, k_scalar, k_sse, k_branches, k_sizes, k_crossings, k_random, k_strings,
};

static void all_ranks_at_once_count_the_same_of_every_event(void **state)
{
    static int64_t mine[BENCH_EVENTS], least[BENCH_EVENTS], most[BENCH_EVENTS];
    struct bench *bench = bench_open(NULL);

    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        const struct rc_suite suite = {.name = "test", .run = kernels[k]};
        memset(bench->buffer, 0, sizeof bench->buffer);
        MPI_Barrier(team_comm);
        bench_run(bench, &suite, bench->buffer, 0, 100);
        for (size_t i = 0; i < bench->count; i++)
            mine[i] = bench->reading[i].value;
        MPI_Allreduce(mine, least, (int)bench->count, MPI_INT64_T, MPI_MIN, team_comm);
        MPI_Allreduce(mine, most, (int)bench->count, MPI_INT64_T, MPI_MAX, team_comm);
        for (size_t i = 0; i < bench->count; i++)
            if (least[i] != most[i])
                fail_msg("kernel %zu: %s is %lld to %lld", k, bench->name[i],
                         (long long)least[i], (long long)most[i]);
    }
    bench_close(bench);
}

/* The same on any number of ranks, since it is what was written down here. */
static void counts_are_exact_on_every_rank(void **state)
{
    struct bench *bench = bench_open(NULL);
    const struct rc_suite suite = {.name = "test", .run = k_scalar};

    (void)state;
    for (uint64_t n = 1; n < 50; n += 12) {
        bench_run(bench, &suite, bench->buffer, 0, n);
        assert_int_equal(bench_read(bench, "soft::instructions"), 8 * n + 1);
        assert_int_equal(bench_read(bench, "soft::fp_dp_scalar"), 4 * n);
        assert_int_equal(bench_read(bench, "soft::fp_sp_scalar"), 2 * n);
        assert_int_equal(bench_read(bench, "soft::branch_taken"), n - 1);
        assert_int_equal(bench_read(bench, "soft::loads"), n + 1);
    }
    bench_close(bench);
}

/* A message that is sent and received while every instruction is stepped. */
static void exchange(struct rc_kernel *buffer, uint64_t number)
{
    int *word = (int *)buffer;

    (void)number;
    word[0] = rank;
    MPI_Sendrecv(&word[0], 1, MPI_INT, (rank + 1) % size, 0, &word[1], 1, MPI_INT,
                 (rank + size - 1) % size, 0, team_comm, MPI_STATUS_IGNORE);
}

static void mpi_itself_survives_being_stepped(void **state)
{
    struct bench *bench = bench_open(NULL);
    const struct rc_suite suite = {.name = "test", .run = exchange};

    (void)state;
    bench_run(bench, &suite, bench->buffer, 0, 1);
    assert_int_equal(((int *)(void *)bench->buffer)[1], (rank + size - 1) % size);
    assert_true(bench_read(bench, "soft::instructions") > 100);
    bench_close(bench);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ranks_at_once_count_the_same_of_every_event),
        cmocka_unit_test(counts_are_exact_on_every_rank),
        cmocka_unit_test(mpi_itself_survives_being_stepped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
