#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "campaign/machine/binding.h"
#include "tests/lib/on_teams.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TWO_SOCKETS "package:2 numa:1 l3:2 core:2 pu:2" /* 8 cores, 16 CPUs */

static struct rc_machine *synthetic(const char *text)
{
    struct rc_machine *machine;
    struct rc_error err = {0};

    assert_int_equal(rc_machine_open(RC_MACHINE_SYNTHETIC, text, &machine, &err), 0);
    return machine;
}

/* Where everybody is, as every rank knows it afterwards. */
struct seen {
    struct rc_binding *place;
    char remark[512];
    size_t in_core[64], in_l3[16], in_package[16];
};

static void look(struct rc_binding_setup setup, struct seen *seen)
{
    struct rc_error err = {0};
    char first[sizeof seen->remark];
    const struct rc_cpu *cpu = rc_machine_cpus(setup.machine, &(size_t){0});

    memset(seen, 0, sizeof *seen);
    seen->place = rc_calloc((size_t)size, sizeof *seen->place);
    setup.simulated = true;
    assert_int_equal(rc_binding_find(team_comm, &setup, &seen->place[rank],
                                     seen->remark, sizeof seen->remark, &err),
                     RC_OK);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, seen->place,
                  (int)sizeof *seen->place, MPI_BYTE, team_comm);
    memcpy(first, seen->remark, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, team_comm);
    assert_string_equal(seen->remark, first);
    for (int r = 0; r < size; r++) {
        const struct rc_cpu *at = &cpu[seen->place[r].cpu];
        assert_int_equal(seen->place[r].core, at->unit[RC_SCOPE_CORE]);
        seen->in_core[at->unit[RC_SCOPE_CORE]]++;
        if (at->unit[RC_SCOPE_L3] != RC_NO_UNIT)
            seen->in_l3[at->unit[RC_SCOPE_L3]]++;
        seen->in_package[at->unit[RC_SCOPE_PACKAGE]]++;
    }
}

static void assert_even(const size_t *loads, size_t count)
{
    size_t least = SIZE_MAX, most = 0;

    for (size_t i = 0; i < count; i++) {
        least = loads[i] < least ? loads[i] : least;
        most = loads[i] > most ? loads[i] : most;
    }
    assert_true(most - least <= 1);
}

/* All CPUs of cores [first, first + count). */
static bool *cores_of(const struct rc_machine *machine, size_t first, size_t count)
{
    size_t cpus;
    const struct rc_cpu *cpu = rc_machine_cpus(machine, &cpus);
    bool *allowed = rc_calloc(cpus, sizeof *allowed);

    for (size_t i = 0; i < cpus; i++)
        allowed[i] = cpu[i].unit[RC_SCOPE_CORE] >= first &&
                     cpu[i].unit[RC_SCOPE_CORE] < first + count;
    return allowed;
}

static void a_rank_without_cpus_is_heard_of_by_all(void **state)
{
    struct rc_machine *machine = synthetic("core:4 pu:2");
    const bool none[8] = {false};

    (void)state;
    for (int failing = 0; failing < size; failing++) {
        struct rc_binding_setup setup = {.machine = machine, .simulated = true};
        struct rc_error err = {0};
        struct rc_binding place;
        char remark[256];
        setup.allowed = rank == failing ? none : NULL;
        err.rank = -1;
        assert_int_equal(
            rc_binding_find(team_comm, &setup, &place, remark, sizeof remark, &err),
            RC_EMISSING);
        assert_string_equal(err.text, "this process may use none of the node's 8 CPUs");
        assert_int_equal(err.rank, failing);
        assert_string_equal(remark, "");
    }
    rc_machine_close(machine);
}

static void ranks_that_see_different_machines_are_refused(void **state)
{
    struct rc_machine *machine =
        synthetic(rank == size - 1 ? "core:4 pu:1" : "core:6 pu:1");
    struct rc_binding_setup setup = {.machine = machine, .simulated = true};
    struct rc_error err = {0};
    struct rc_binding place;
    char remark[256];

    (void)state;
    int status =
        rc_binding_find(team_comm, &setup, &place, remark, sizeof remark, &err);
    assert_int_equal(status, size == 1 ? RC_OK : RC_ECONFLICT);
    if (size > 1)
        assert_string_equal(err.text,
                            "this rank does not see the same machine (4 CPUs) "
                            "as the first rank of its node");
    rc_machine_close(machine);
}

static void unbound_ranks_get_cores_of_their_own_spread_over_the_units(void **state)
{
    struct rc_machine *machine = synthetic(TWO_SOCKETS);
    struct seen seen;

    (void)state;
    look((struct rc_binding_setup){.machine = machine}, &seen);
    assert_string_equal(seen.remark, "");
    assert_even(seen.in_core, 8);
    assert_even(seen.in_l3, 4);
    assert_even(seen.in_package, 2);
    for (int r = 0; r < size; r++) {
        assert_int_equal(seen.place[r].cpu % 2, 0); /* the first thread of the core */
        assert_int_equal(seen.place[r].sharing, 0);
    }
    free(seen.place);
    rc_machine_close(machine);
}

static void ranks_bound_to_a_core_stay_there_and_others_keep_away(void **state)
{
    struct rc_machine *machine = synthetic(TWO_SOCKETS);
    struct seen seen;
    bool *mine = cores_of(machine, (size_t)(7 - rank), 1);

    (void)state;
    look((struct rc_binding_setup){.machine = machine, .allowed = mine}, &seen);
    assert_string_equal(seen.remark, "");
    for (int r = 0; r < size; r++) {
        assert_int_equal(seen.place[r].core, 7 - r);
        assert_int_equal(seen.place[r].sharing, 0);
    }
    free(seen.place);
    /* Only the last rank is bound, to the core that an unbound one would take. */
    free(mine);
    mine = cores_of(machine, 0, rank == size - 1 ? 1 : 8);
    look((struct rc_binding_setup){.machine = machine, .allowed = mine}, &seen);
    assert_int_equal(seen.place[size - 1].core, 0);
    assert_int_equal(seen.in_core[0], 1);
    assert_string_equal(seen.remark, "");
    free(seen.place);
    free(mine);
    rc_machine_close(machine);
}

static void ranks_bound_to_one_core_together_share_it_and_it_is_said(void **state)
{
    struct rc_machine *machine = synthetic(TWO_SOCKETS);
    bool *mine = cores_of(machine, 5, 1);
    struct seen seen;
    char expected[256];

    (void)state;
    look((struct rc_binding_setup){.machine = machine, .allowed = mine}, &seen);
    snprintf(expected, sizeof expected,
             "%d ranks have 1 core: up to %d share one and disturb what the others "
             "measure (--smt gives each hardware thread a worker)",
             size, size);
    assert_string_equal(seen.remark, size == 1 ? "" : expected);
    for (int r = 0; r < size; r++) {
        assert_int_equal(seen.place[r].core, 5);
        assert_int_equal(seen.place[r].sharing, size - 1);
        assert_int_equal(seen.place[r].cpu, 10 + r % 2); /* both threads are used */
    }
    free(seen.place);
    free(mine);
    /* Two by two, though other cores are free. */
    mine = cores_of(machine, (size_t)rank / 2, 1);
    look((struct rc_binding_setup){.machine = machine, .allowed = mine}, &seen);
    if (size >= 3) {
        int pairs = size / 2;
        snprintf(
            expected, sizeof expected,
            "%d ranks have %d cores: up to 2 share one and disturb what the others "
            "measure (--smt gives each hardware thread a worker)",
            size, pairs + size % 2);
        assert_string_equal(seen.remark, expected);
    }
    free(seen.place);
    free(mine);
    rc_machine_close(machine);
}

static void ranks_bound_to_a_socket_spread_inside_it(void **state)
{
    struct rc_machine *machine = synthetic(TWO_SOCKETS);
    bool *mine = cores_of(machine, rank % 2 ? 4 : 0, 4);
    struct seen seen;

    (void)state;
    look((struct rc_binding_setup){.machine = machine, .allowed = mine}, &seen);
    assert_even(seen.in_core, 8);
    assert_even(seen.in_package, 2);
    assert_even(seen.in_l3, 2);
    assert_even(seen.in_l3 + 2, 2);
    assert_string_equal(seen.remark, "");
    for (int r = 0; r < size; r++)
        assert_int_equal(seen.place[r].core / 4, r % 2);
    free(seen.place);
    free(mine);
    rc_machine_close(machine);
}

static void more_ranks_than_cores_work_and_it_is_said(void **state)
{
    struct rc_machine *machine = synthetic("package:1 core:2 pu:1");
    struct seen seen;
    char expected[256];

    (void)state;
    look((struct rc_binding_setup){.machine = machine}, &seen);
    assert_even(seen.in_core, 2);
    snprintf(expected, sizeof expected,
             "%d ranks have 2 cores: up to %d share one and disturb what the others "
             "measure",
             size, (size + 1) / 2);
    assert_string_equal(seen.remark, size > 2 ? expected : "");
    for (int r = 0; r < size; r++)
        assert_int_equal(seen.place[r].sharing, seen.in_core[seen.place[r].core] - 1);
    free(seen.place);
    rc_machine_close(machine);
}

static void hardware_threads_get_workers_when_asked_once_all_cores_have(void **state)
{
    struct rc_machine *machine = synthetic("package:2 core:1 pu:2");
    struct seen seen;
    size_t on_cpu[4] = {0};
    char expected[256];

    (void)state;
    look((struct rc_binding_setup){.machine = machine, .smt = true}, &seen);
    assert_even(seen.in_core, 2);
    for (int r = 0; r < size; r++)
        on_cpu[seen.place[r].cpu]++;
    assert_even(on_cpu, 4);
    for (int r = 0; r < size; r++)
        assert_int_equal(seen.place[r].sharing, on_cpu[seen.place[r].cpu] - 1);
    snprintf(expected, sizeof expected,
             "%d ranks have 4 hardware threads: up to 2 share one and disturb what the "
             "others measure",
             size);
    assert_string_equal(seen.remark, size > 4 ? expected : "");
    free(seen.place);
    rc_machine_close(machine);
}

static void only_cores_of_a_restricted_set_are_used(void **state)
{
    struct rc_machine *machine = synthetic(TWO_SOCKETS);
    bool allowed[16] = {[3] = true, [6] = true, [7] = true, [12] = true};
    struct seen seen;

    (void)state;
    look((struct rc_binding_setup){.machine = machine, .allowed = allowed}, &seen);
    assert_int_equal(seen.in_core[1] + seen.in_core[3] + seen.in_core[6], size);
    for (int r = 0; r < size; r++) {
        assert_true(allowed[seen.place[r].cpu]);
        assert_int_equal(seen.place[r].sharing > 0,
                         seen.in_core[seen.place[r].core] > 1);
    }
    assert_int_equal(*seen.remark != 0, size > 3);
    free(seen.place);
    rc_machine_close(machine);
}

static void who_may_use_less_chooses_first(void **state)
{
    struct rc_machine *machine = synthetic("core:8 pu:1");
    bool *mine = cores_of(machine, 0, (size_t)(size - rank)); /* one in the other */
    struct seen seen;

    (void)state;
    look((struct rc_binding_setup){.machine = machine, .allowed = mine}, &seen);
    for (int r = 0; r < size; r++)
        assert_int_equal(seen.place[r].core, size - 1 - r);
    assert_string_equal(seen.remark, "");
    free(seen.place);
    free(mine);
    rc_machine_close(machine);
}

static void fast_cores_come_first_and_slow_ones_are_said(void **state)
{
    struct rc_machine *machine;
    struct rc_error err = {0};
    struct seen seen;
    size_t cpus, slow = 0;
    char expected[256];

    (void)state;
    assert_int_equal(rc_machine_open(RC_MACHINE_XML,
                                     RC_TEST_DATA "/topologies/hybrid.xml", &machine,
                                     &err),
                     RC_OK); /* four fast cores of two threads, eight slow ones */
    const struct rc_cpu *cpu = rc_machine_cpus(machine, &cpus);
    for (int smt = 0; smt < 2; smt++, slow = 0) {
        look((struct rc_binding_setup){.machine = machine, .smt = smt}, &seen);
        for (int r = 0; r < size; r++) {
            slow += cpu[seen.place[r].cpu].core_type == 0;
            assert_int_equal(seen.place[r].sharing, 0);
            assert_int_equal(seen.in_core[seen.place[r].core], 1);
        }
        assert_int_equal(slow, size > 4 ? size - 4 : 0);
        snprintf(expected, sizeof expected,
                 "%zu of %d ranks work on slower cores than the rest", slow, size);
        assert_string_equal(seen.remark, slow ? expected : "");
        free(seen.place);
    }
    rc_machine_close(machine);
}

static void one_process_alone_needs_no_mpi(void **state)
{
    struct rc_machine *machine = synthetic("core:1 pu:1");
    struct rc_binding_setup setup = {.machine = machine, .simulated = true};
    struct rc_error err = {0};
    struct rc_binding place;
    char remark[64];

    (void)state;
    assert_int_equal(
        rc_binding_find(MPI_COMM_NULL, &setup, &place, remark, sizeof remark, &err),
        RC_OK);
    assert_int_equal(place.cpu, 0);
    assert_string_equal(remark, "");
    rc_machine_close(machine);
}

/* Where this process may run before a test binds it. */
static cpu_set_t unbound;

static int keep_binding(void **state)
{
    (void)state;
    return sched_getaffinity(0, sizeof unbound, &unbound);
}

static int restore_binding(void **state)
{
    (void)state;
    return sched_setaffinity(0, sizeof unbound, &unbound);
}

static void on_this_machine_each_rank_is_bound_to_its_cpu(void **state)
{
    struct rc_binding_setup setup = {0};
    struct rc_machine *machine, *again;
    struct rc_error err = {0};
    struct rc_binding place, second;
    char remark[512];
    size_t cpus;
    cpu_set_t set;

    (void)state;
    assert_int_equal(rc_machine_open(RC_MACHINE_THIS, NULL, &machine, &err), RC_OK);
    setup.machine = machine;
    assert_int_equal(
        rc_binding_find(team_comm, &setup, &place, remark, sizeof remark, &err), RC_OK);
    const struct rc_cpu *cpu = rc_machine_cpus(machine, &cpus);
    assert_true(cpu[place.cpu].allowed);
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    assert_int_equal(CPU_COUNT(&set), 1);
    assert_true(CPU_ISSET(cpu[place.cpu].os_index, &set));
    /* Opened again, the binding looks like a launcher's, and is kept. */
    assert_int_equal(rc_machine_open(RC_MACHINE_THIS, NULL, &again, &err), RC_OK);
    setup.machine = again;
    assert_int_equal(
        rc_binding_find(team_comm, &setup, &second, remark, sizeof remark, &err),
        RC_OK);
    assert_int_equal(second.cpu, place.cpu);
    rc_machine_close(machine);
    rc_machine_close(again);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_without_cpus_is_heard_of_by_all),
        cmocka_unit_test(ranks_that_see_different_machines_are_refused),
        cmocka_unit_test(unbound_ranks_get_cores_of_their_own_spread_over_the_units),
        cmocka_unit_test(ranks_bound_to_a_core_stay_there_and_others_keep_away),
        cmocka_unit_test(ranks_bound_to_one_core_together_share_it_and_it_is_said),
        cmocka_unit_test(ranks_bound_to_a_socket_spread_inside_it),
        cmocka_unit_test(more_ranks_than_cores_work_and_it_is_said),
        cmocka_unit_test(hardware_threads_get_workers_when_asked_once_all_cores_have),
        cmocka_unit_test(only_cores_of_a_restricted_set_are_used),
        cmocka_unit_test(who_may_use_less_chooses_first),
        cmocka_unit_test(fast_cores_come_first_and_slow_ones_are_said),
        cmocka_unit_test(one_process_alone_needs_no_mpi),
        cmocka_unit_test_setup_teardown(on_this_machine_each_rank_is_bound_to_its_cpu,
                                        keep_binding, restore_binding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
