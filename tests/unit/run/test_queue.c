#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "campaign/queue/queue.h"
#include "tests/lib/idle.h"
#include "tests/lib/on_teams.h"

#include <stdlib.h>

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

static void different_lanes_of_any_rank_are_heard_by_all(void **state)
{
    (void)state;
    if (size == 1)
        skip();
    for (int failing = 0; failing < size; failing++)
        for (int swapped = 0; swapped < 2; swapped++) {
            const uint64_t usual[] = {3, 8}, fewer[] = {3, 7}, other[] = {8, 3};
            const uint64_t *bad = swapped ? other : fewer;
            struct rc_queue *queue;
            struct rc_error err = {0};
            assert_int_equal(rc_queue_create(team_comm, rank == failing ? bad : usual,
                                             2, &queue, &err),
                             RC_ECONFLICT);
            assert_null(queue);
            assert_string_equal(err.text,
                                "queue: the ranks were given different lanes");
        }
}

static void every_ticket_of_every_lane_is_drawn_exactly_once(void **state)
{
    enum { MOST = 500 };
    const uint64_t tickets[] = {0, 1, MOST, 37, 100, 3};
    const size_t lanes = sizeof tickets / sizeof tickets[0];

    (void)state;
    for (int ahead = 0; ahead < 2; ahead++) {
        int seen[sizeof tickets / sizeof tickets[0]][MOST] = {{0}};
        struct rc_queue *queue;
        struct rc_error err;

        assert_int_equal(rc_queue_create(team_comm, tickets, lanes, &queue, &err), 0);
        for (size_t i = 0; i < lanes; i++)
            drain(queue, (i + (size_t)rank) % lanes, seen[(i + (size_t)rank) % lanes],
                  ahead);
        rc_queue_close(queue);
        MPI_Allreduce(MPI_IN_PLACE, seen, (int)lanes * MOST, MPI_INT, MPI_SUM,
                      team_comm);
        for (size_t i = 0; i < lanes; i++)
            for (uint64_t j = 0; j < MOST; j++)
                assert_int_equal(seen[i][j], j < tickets[i]);
    }
}

static void a_lane_that_one_rank_draws_from_comes_in_order(void **state)
{
    uint64_t *tickets = rc_calloc((size_t)size, sizeof *tickets);
    struct rc_queue_stats stats;
    struct rc_queue *queue;
    struct rc_error err;
    uint64_t ticket, expected = 0;

    (void)state;
    for (int i = 0; i < size; i++)
        tickets[i] = 10 + (uint64_t)i;
    assert_int_equal(rc_queue_create(team_comm, tickets, (size_t)size, &queue, &err),
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
    free(tickets);
}

static void a_queue_of_one_process_needs_no_mpi(void **state)
{
    const uint64_t tickets[] = {3, 0};
    struct rc_queue *queue;
    struct rc_error err;
    uint64_t ticket;

    (void)state;
    assert_int_equal(rc_queue_create(MPI_COMM_NULL, tickets, 2, &queue, &err), RC_OK);
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
    assert_int_equal(rc_queue_create(MPI_COMM_NULL, tickets, 2, &queue, &err), RC_OK);
    rc_queue_stop(queue);
    assert_false(rc_queue_take(queue, 0, &ticket));
    rc_queue_close(queue);
}

static void one_who_stops_early_loses_at_most_what_it_drew(void **state)
{
    enum { TICKETS = 60 };
    const uint64_t tickets = TICKETS;
    struct rc_queue *queue;
    struct rc_error err;
    uint64_t ticket;
    int seen[TICKETS] = {0}, done = 0;

    (void)state;
    assert_int_equal(rc_queue_create(team_comm, &tickets, 1, &queue, &err), RC_OK);
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
    const uint64_t tickets[] = {1 << 30, 0, 1 << 20};
    struct rc_queue *queue;
    struct rc_error err;
    uint64_t ticket;

    (void)state;
    assert_int_equal(rc_queue_create(team_comm, tickets, 3, &queue, &err), RC_OK);
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
    const uint64_t tickets = 1;
    struct rc_queue *queue;
    struct rc_error err;
    double used;

    (void)state;
    assert_int_equal(rc_queue_create(team_comm, &tickets, 1, &queue, &err), RC_OK);
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
        cmocka_unit_test(different_lanes_of_any_rank_are_heard_by_all),
        cmocka_unit_test(every_ticket_of_every_lane_is_drawn_exactly_once),
        cmocka_unit_test(a_lane_that_one_rank_draws_from_comes_in_order),
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
