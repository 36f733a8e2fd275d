/* Waiting of MPI calls: planted times, time that is not waiting, clocks that are wrong.
 */
#include "tests/lib/test.h"

#include "solve/waiting/tree.h"

static struct rc_waiting_call call(int64_t enter, int64_t exit)
{
    return (struct rc_waiting_call){enter, exit};
}

/* Calls that say what cannot be wait neither less than nothing nor longer than they
 * took.
 */
static void wrong_clocks_give_no_waiting_beyond_the_call(void **state)
{
    const int64_t moments[] = {INT64_MIN, -5, 0, 99, 100, 150, 200, 201, INT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++)
        for (size_t k = 0; k < sizeof moments / sizeof moments[0]; k++) {
            const int64_t m = moments[i];
            const int64_t waits[] = {
                rc_waiting_late_sender(call(100, 200), m),
                rc_waiting_late_receiver(call(100, 200), m),
                rc_waiting_late_broadcast(call(100, 200), m),
                rc_waiting_early_reduce(call(100, 200), m),
                rc_waiting_early_scan(call(100, 200), m),
                rc_waiting_for_all(call(100, 200), m) +
                    rc_waiting_completion(call(100, 200), m, moments[k])};
            for (size_t w = 0; w < sizeof waits / sizeof waits[0]; w++)
                assert_in_range(waits[w], 0, 100);
        }
    assert_int_equal(rc_waiting_late_sender(call(7, 7), 9), 0);
    assert_true(rc_waiting_is_impossible(call(100, 200), 201));
    assert_false(rc_waiting_is_impossible(call(100, 200), 200));
}

static void receives_wait_for_senders_and_sends_for_receivers(void **state)
{
    (void)state;
    assert_int_equal(rc_waiting_late_sender(call(100, 200), 180), 80);
    assert_int_equal(rc_waiting_late_sender(call(100, 200), 90), 0);
    assert_int_equal(rc_waiting_late_receiver(call(100, 200), 150), 50);
    assert_int_equal(rc_waiting_late_receiver(call(100, 200), 50), 0);
    /* it had ended before: the message was kept by MPI */
    assert_int_equal(rc_waiting_late_receiver(call(100, 200), 200), 0);
    assert_int_equal(rc_waiting_late_receiver(call(100, 200), 300), 0);
}

/* Ranks enter at 100, 130, 190 and leave at 200, 210, 205. */
static void collectives_wait_for_the_last_and_then_complete(void **state)
{
    const struct rc_waiting_call rank[] = {call(100, 200), call(130, 210),
                                           call(190, 205)};
    const int64_t waits[] = {90, 60, 0}, completes[] = {0, 10, 5};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(rc_waiting_for_all(rank[i], 190), waits[i]);
        assert_int_equal(rc_waiting_completion(rank[i], 190, 200), completes[i]);
    }
    assert_int_equal(rc_waiting_late_broadcast(call(100, 200), 150), 50);
    assert_int_equal(rc_waiting_late_broadcast(call(100, 120), 150), 20);
    assert_int_equal(rc_waiting_early_reduce(call(100, 200), 130), 30);
    assert_int_equal(rc_waiting_early_reduce(call(100, 200), 70), 0);
    assert_int_equal(rc_waiting_early_scan(call(100, 200), 190), 90);
}

static void a_message_that_is_received_too_early_is_in_the_wrong_order(void **state)
{
    struct rc_waiting_message m[] = {{5, 0, 0}, {1, 1, 0}, {3, 0, 0},
                                     {4, 2, 0}, {2, 0, 0}, {9, 2, 0}};
    const enum rc_waiting_order expected[] = {
        RC_WAITING_SAME_SOURCE,  RC_WAITING_IN_ORDER, RC_WAITING_SAME_SOURCE,
        RC_WAITING_OTHER_SOURCE, RC_WAITING_IN_ORDER, RC_WAITING_IN_ORDER};
    int64_t earliest[3];

    (void)state;
    rc_waiting_order_judge(m, 6, earliest, 3);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(m[i].order, expected[i]);
    rc_waiting_order_judge(m, 0, earliest, 3);
}

static void a_late_complete_is_what_is_behind_the_last_access(void **state)
{
    (void)state;
    assert_int_equal(rc_waiting_late_complete(call(100, 200), 80, 130), 50);
    assert_int_equal(rc_waiting_late_complete(call(100, 200), 80, 50), 80);
    assert_int_equal(rc_waiting_late_complete(call(100, 200), 80, 190), 0);
    assert_int_equal(rc_waiting_late_complete(call(100, 200), 0, INT64_MIN), 0);
}

static void kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(rc_waiting_name(RC_WAITING_NONE), "");
    assert_string_equal(rc_waiting_name(RC_WAITING_KINDS), "");
    for (uint64_t i = 1; i < RC_WAITING_KINDS; i++)
        assert_true(rc_waiting_name(i)[0] != 0);
}

/* A function's waiting is a part of what it does: below that in the tree. */
static void functions_have_their_place_in_the_tree(void **state)
{
    static const struct {
        const char *function;
        int group, wait;
    } all[] = {{"MPI_Barrier", RC_TIME_SYNCHRONIZATION, RC_TIME_BARRIER_WAIT},
               {"MPI_Allreduce", RC_TIME_COLLECTIVE, RC_TIME_NXN_WAIT},
               {"MPI_Allgatherv", RC_TIME_COLLECTIVE, RC_TIME_NXN_WAIT},
               {"MPI_Alltoallw", RC_TIME_COLLECTIVE, RC_TIME_NXN_WAIT},
               {"MPI_Reduce_scatter_block", RC_TIME_COLLECTIVE, RC_TIME_NXN_WAIT},
               {"MPI_Reduce", RC_TIME_COLLECTIVE, RC_TIME_EARLY_REDUCE},
               {"MPI_Gatherv", RC_TIME_COLLECTIVE, RC_TIME_EARLY_REDUCE},
               {"MPI_Scan", RC_TIME_COLLECTIVE, RC_TIME_EARLY_SCAN},
               {"MPI_Scatter", RC_TIME_COLLECTIVE, RC_TIME_LATE_BROADCAST},
               {"MPI_Recv", RC_TIME_POINT_TO_POINT, RC_TIME_LATE_SENDER},
               {"MPI_Waitall", RC_TIME_POINT_TO_POINT, RC_TIME_LATE_SENDER},
               {"MPI_Ssend", RC_TIME_POINT_TO_POINT, RC_TIME_LATE_RECEIVER},
               {"MPI_Isend", RC_TIME_POINT_TO_POINT, -1},
               {"MPI_Put", RC_TIME_RMA, -1},
               {"MPI_Win_fence", RC_TIME_SYNCHRONIZATION_RMA, RC_TIME_FENCE_WAIT},
               {"MPI_Win_complete", RC_TIME_SYNCHRONIZATION_RMA, RC_TIME_LATE_POST},
               {"MPI_Win_wait", RC_TIME_SYNCHRONIZATION_RMA, RC_TIME_EARLY_WAIT},
               {"MPI_Win_post", RC_TIME_SYNCHRONIZATION_RMA, -1},
               {"MPI_File_write_all", RC_TIME_FILES, -1},
               {"MPI_Init_thread", RC_TIME_BEGIN_END, -1},
               {"MPI_Comm_rank", RC_TIME_MPI, -1},
               {"MPI_Recvx", RC_TIME_MPI, -1},
               {"MPI_Waitx", RC_TIME_MPI, -1},
               {"other calls", RC_TIME_MPI, -1},
               {"", RC_TIME_MPI, -1}};

    (void)state;
    assert_int_equal(rc_waiting_moves_of("MPI_Issend"), RC_WAITING_SENDS);
    assert_int_equal(rc_waiting_moves_of("MPI_Imrecv"), RC_WAITING_RECEIVES);
    assert_int_equal(rc_waiting_moves_of("MPI_Sendrecv_replace"), RC_WAITING_EXCHANGES);
    assert_int_equal(rc_waiting_moves_of("MPI_Recv_init"), RC_WAITING_MOVES_NONE);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int group =
            rc_waiting_metric_of_group(rc_waiting_group_of(all[i].function));
        const int wait = rc_waiting_metric_of_kind(rc_waiting_kind_of(all[i].function));
        assert_int_equal(group, all[i].group);
        assert_int_equal(wait, all[i].wait);
        if (wait >= 0)
            assert_int_equal(rc_waiting_metrics[wait].parent, group);
    }
    assert_int_equal(rc_waiting_metric_of_region("omp critical"),
                     RC_TIME_OPENMP_CRITICAL);
    assert_int_equal(rc_waiting_metric_of_region("omp parallel a+0x1"),
                     RC_TIME_EXECUTION);
    assert_int_equal(rc_waiting_metric_of_region("omp"), -1);
    assert_int_equal(rc_waiting_metric_of_region("solve"), -1);
}

/* Each metric has a name of its own and follows its parent. */
static void the_tree_of_times_is_a_tree(void **state)
{
    (void)state;
    for (int i = 0; i < RC_TIMES; i++) {
        const struct rc_waiting_metric *m = &rc_waiting_metrics[i];
        assert_true(m->name && m->title && m->description);
        assert_true(m->parent < i &&
                    (m->parent >= 0 || i == RC_TIME || i == RC_TIME_NOT_RUNNING));
        for (int k = 0; k < i; k++)
            assert_string_not_equal(m->name, rc_waiting_metrics[k].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_their_place_in_the_tree),
        cmocka_unit_test(the_tree_of_times_is_a_tree),
        cmocka_unit_test(wrong_clocks_give_no_waiting_beyond_the_call),
        cmocka_unit_test(receives_wait_for_senders_and_sends_for_receivers),
        cmocka_unit_test(collectives_wait_for_the_last_and_then_complete),
        cmocka_unit_test(a_message_that_is_received_too_early_is_in_the_wrong_order),
        cmocka_unit_test(a_late_complete_is_what_is_behind_the_last_access),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
