#include "tests/test.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "campaign/queue/queue.h"
#include "tests/idle.h"
#include "tests/on_teams.h"

#include <stdlib.h>
#include <string.h>

/* Drawn ahead or not, by ranks that do different amounts between draws. */
static void drain(struct rc_queue *queue, size_t lane, int *seen, bool ahead)
{
    uint64_t ticket;

    while (rc_queue_take(queue, lane, &ticket)) {
        seen[ticket]++;
        if (ahead)
            rc_queue_request(queue, lane);
        if (ticket % 7 == (uint64_t)rank)
            nap_us(200);
        rc_queue_progress(queue);
    }
    assert_false(rc_queue_take(queue, lane, &ticket)); /* and it stays so */
}

static void bad_lanes_of_any_rank_are_heard_by_all(void **state)
{
    const struct {
        struct rc_queue_lane lane;
        enum rc_status status;
        const char *message;
    } bad[] = {
        {{RC_QUEUE_MOST + 1, RC_QUEUE_ANY},
         RC_EUSAGE,
         "queue: lane 1: expected at most"},
        {{1, -2}, RC_EUSAGE, "queue: lane 1: expected a holder below"},
        {{1, size}, RC_EUSAGE, "queue: lane 1: expected a holder below"},
        {{7, RC_QUEUE_ANY},
         RC_ECONFLICT,
         "queue: the ranks were given different lanes"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (int failing = 0; failing < size; failing++) {
            struct rc_queue_lane lane[2] = {{3, 0}, {8, RC_QUEUE_ANY}};
            struct rc_queue *queue;
            struct rc_error err = {0};

            if (bad[i].status == RC_ECONFLICT && size == 1)
                continue;
            if (rank == failing)
                lane[1] = bad[i].lane;
            assert_int_equal(rc_queue_create(team_comm, lane, 2, &queue, &err),
                             bad[i].status);
            assert_null(queue);
            assert_ptr_equal(strstr(err.text, bad[i].message), err.text);
            if (bad[i].status == RC_EUSAGE)
                assert_int_equal(err.rank, failing);
        }
}

static void every_ticket_of_every_lane_is_drawn_exactly_once(void **state)
{
    enum { MOST = 500 };
    const struct rc_queue_lane lane[] = {{0, RC_QUEUE_ANY},    {1, RC_QUEUE_ANY},
                                         {MOST, RC_QUEUE_ANY}, {37, RC_QUEUE_ANY},
                                         {100, size - 1},      {3, 0}};
    const size_t lanes = sizeof lane / sizeof lane[0];

    (void)state;
    for (int ahead = 0; ahead < 2; ahead++) {
        int seen[sizeof lane / sizeof lane[0]][MOST] = {{0}};
        struct rc_queue *queue;
        struct rc_error err;

        assert_int_equal(rc_queue_create(team_comm, lane, lanes, &queue, &err), 0);
        for (size_t i = 0; i < lanes; i++)
            drain(queue, (i + (size_t)rank) % lanes, seen[(i + (size_t)rank) % lanes],
                  ahead);
        rc_queue_close(queue);
        MPI_Allreduce(MPI_IN_PLACE, seen, (int)lanes * MOST, MPI_INT, MPI_SUM,
                      team_comm);
        for (size_t i = 0; i < lanes; i++)
            for (uint64_t j = 0; j < MOST; j++)
                assert_int_equal(seen[i][j], j < lane[i].tickets);
    }
}

static void lanes_of_a_place_are_drawn_in_order_by_its_rank(void **state)
{
    struct rc_queue_lane *lane = rc_calloc((size_t)size, sizeof *lane);
    struct rc_queue_stats stats;
    struct rc_queue *queue;
    struct rc_error err;
    uint64_t ticket, expected = 0;

    (void)state;
    for (int i = 0; i < size; i++)
        lane[i] = (struct rc_queue_lane){10 + (uint64_t)i, i};
    assert_int_equal(rc_queue_create(team_comm, lane, (size_t)size, &queue, &err),
                     RC_OK);
    while (rc_queue_take(queue, (size_t)rank, &ticket)) {
        assert_int_equal(ticket, expected++);
        rc_queue_request(queue, (size_t)rank);
        rc_queue_request(queue, (size_t)rank); /* one is drawn ahead, not two */
    }
    assert_int_equal(expected, 10 + rank);
    rc_queue_stats(queue, &stats);
    assert_int_equal(stats.taken, expected);
    assert_int_equal(stats.draws, expected + 1);
    rc_queue_close(queue);
    free(lane);
}

static void a_queue_of_one_process_needs_no_mpi(void **state)
{
    const struct rc_queue_lane lane[] = {{3, RC_QUEUE_ANY}, {0, 0}};
    struct rc_queue *queue;
    struct rc_error err;
    uint64_t ticket;

    (void)state;
    assert_int_equal(rc_queue_create(MPI_COMM_NULL, lane, 2, &queue, &err), RC_OK);
    for (uint64_t i = 0; i < 3; i++) {
        assert_true(rc_queue_take(queue, 0, &ticket));
        assert_int_equal(ticket, i);
        rc_queue_request(queue, 0);
    }
    assert_false(rc_queue_take(queue, 0, &ticket));
    assert_false(rc_queue_take(queue, 1, &ticket));
    rc_queue_progress(queue);
    rc_queue_close(queue);
    rc_queue_close(NULL);
    assert_int_equal(rc_queue_create(MPI_COMM_NULL, lane, 2, &queue, &err), RC_OK);
    rc_queue_stop(queue);
    assert_false(rc_queue_take(queue, 0, &ticket));
    rc_queue_close(queue);
}

static void one_who_stops_early_loses_at_most_what_it_drew(void **state)
{
    enum { TICKETS = 60 };
    const struct rc_queue_lane lane = {TICKETS, RC_QUEUE_ANY};
    struct rc_queue *queue;
    struct rc_error err;
    uint64_t ticket;
    int seen[TICKETS] = {0}, done = 0;

    (void)state;
    assert_int_equal(rc_queue_create(team_comm, &lane, 1, &queue, &err), RC_OK);
    if (rank == size - 1) {
        if (rc_queue_take(queue, 0, &ticket))
            seen[ticket]++;
        rc_queue_request(queue, 0); /* never taken */
    } else {
        drain(queue, 0, seen, true);
    }
    rc_queue_close(queue);
    MPI_Allreduce(MPI_IN_PLACE, seen, TICKETS, MPI_INT, MPI_SUM, team_comm);
    for (int i = 0; i < TICKETS; i++) {
        assert_in_range(seen[i], 0, 1);
        done += seen[i];
    }
    assert_true(done >= (size > 1 ? TICKETS - 1 : 1));
}

static void one_who_is_told_to_stop_stops_all(void **state)
{
    const struct rc_queue_lane lane[] = {
        {1 << 30, RC_QUEUE_ANY}, {0, RC_QUEUE_ANY}, {1 << 20, 0}};
    struct rc_queue *queue;
    struct rc_error err;
    uint64_t ticket;

    (void)state;
    assert_int_equal(rc_queue_create(team_comm, lane, 3, &queue, &err), RC_OK);
    assert_true(rc_queue_take(queue, 0, &ticket));
    rc_queue_request(queue, 0);
    MPI_Barrier(team_comm); /* each has one before there are none */
    if (rank == size - 1)
        rc_queue_stop(queue);
    while (rc_queue_take(queue, 0, &ticket)) /* would take minutes */
        nap_us(200);
    assert_false(rc_queue_take(queue, 1, &ticket));
    rc_queue_stop(queue); /* by many, more than once */
    assert_false(rc_queue_take(queue, 2, &ticket));
    rc_queue_close(queue);
}

static void ranks_that_wait_for_the_others_sleep(void **state)
{
    const struct rc_queue_lane lane = {1, RC_QUEUE_ANY};
    struct rc_queue *queue;
    struct rc_error err;
    double used;

    (void)state;
    assert_int_equal(rc_queue_create(team_comm, &lane, 1, &queue, &err), RC_OK);
    used = cpu_seconds();
    if (rank == size - 1)
        nap_us(1000000);
    rc_queue_close(queue);
    used = cpu_seconds() - used;
    assert_true(used < 0.3); /* one that spins uses the whole second */
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_lanes_of_any_rank_are_heard_by_all),
        cmocka_unit_test(every_ticket_of_every_lane_is_drawn_exactly_once),
        cmocka_unit_test(lanes_of_a_place_are_drawn_in_order_by_its_rank),
        cmocka_unit_test(a_queue_of_one_process_needs_no_mpi),
        cmocka_unit_test(one_who_stops_early_loses_at_most_what_it_drew),
        cmocka_unit_test(one_who_is_told_to_stop_stops_all),
        cmocka_unit_test(ranks_that_wait_for_the_others_sleep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
