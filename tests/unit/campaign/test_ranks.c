#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/base/files/file.h"
#include "campaign/catalogue/ranks.h"
#include "tests/lib/on_teams.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char work[64];
static struct rc_error err;

/* Machines that are simulated: nobody is bound to their cores. */
static const struct {
    const char *name, *topology;
} machines[] = {
    {"whole", "package:2 l3:1(size=8388608) l2:2(size=1048576) core:2 pu:2"},
    {"flat", "core:2 pu:1"},
    {"twin", "package:2 l3:1(size=8388608) l2:2(size=1048576) core:2 pu:2"},
};

static int make_machines(void **state)
{
    char path[128], text[512];

    (void)state;
    if (rank == 0) {
        snprintf(work, sizeof work, "/tmp/rc_crew_XXXXXX");
        if (!mkdtemp(work))
            return -1;
    }
    MPI_Bcast(work, sizeof work, MPI_CHAR, 0, team_comm);
    for (size_t i = 0; rank == 0 && i < sizeof machines / sizeof machines[0]; i++) {
        snprintf(path, sizeof path, "%s/%s.yaml", work, machines[i].name);
        snprintf(text, sizeof text,
                 "name: %s\ntopology: %s\nbanks:\n- {name: core, counters: 2}\n"
                 "events:\n- {name: A, counts: INS}\n",
                 machines[i].name, machines[i].topology);
        if (rc_file_replace(path, RC_FILE_GIVEN, text, strlen(text), &err) != RC_OK)
            fail_msg("%s", err.text);
    }
    MPI_Barrier(team_comm);
    return 0;
}

static int remove_machines(void **state)
{
    char path[128];

    (void)state;
    MPI_Barrier(team_comm);
    for (size_t i = 0; rank == 0 && i < sizeof machines / sizeof machines[0]; i++) {
        snprintf(path, sizeof path, "%s/%s.yaml", work, machines[i].name);
        unlink(path);
    }
    return rank == 0 ? rmdir(work) : 0;
}

/* Collective: each rank with its machine and on the node that it pretends. */
static int open_ranks(MPI_Comm comm, const char *machine, const char *node,
                      struct rc_ranks *ranks)
{
    char text[256];
    struct rc_spec spec;

    setenv("SLURMD_NODENAME", node, 1);
    snprintf(text, sizeof text, "source: ['model:%s/%s.yaml']", work, machine);
    if (rc_spec_from_text("c.yaml", text, strlen(text), &spec, &err) != RC_OK)
        fail_msg("%s", err.text);
    int status = rc_ranks_init(comm, &spec, ranks, &err);
    rc_spec_fini(&spec);
    return status;
}

static void open_well(const char *machine, const char *node, struct rc_ranks *ranks)
{
    if (open_ranks(team_comm, machine, node, ranks) != RC_OK)
        fail_msg("rank %d: %s", rank, err.text);
}

/* Each rank's knowledge of itself. */
struct seat {
    size_t node, unit[RC_SCOPE_COUNT];
    bool reads[RC_SCOPE_COUNT];
};

static struct seat *gather(const struct rc_ranks *ranks)
{
    struct seat *seat = calloc((size_t)size, sizeof *seat);

    seat[rank].node = ranks->nodes.mine;
    memcpy(seat[rank].unit, ranks->unit, sizeof ranks->unit);
    memcpy(seat[rank].reads, ranks->reads, sizeof ranks->reads);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, seat, (int)sizeof *seat, MPI_BYTE,
                  team_comm);
    return seat;
}

/* The lowest rank of a node in its unit reads, and nobody else does. */
static void assert_readers(const struct rc_ranks *ranks)
{
    struct seat *seat = gather(ranks);

    for (int s = 0; s < RC_SCOPE_COUNT; s++)
        for (int r = 0; r < size; r++) {
            bool lowest = true;
            for (int other = 0; other < r; other++)
                lowest &= seat[other].node != seat[r].node ||
                          seat[other].unit[s] != seat[r].unit[s];
            assert_int_equal(seat[r].reads[s], lowest);
        }
    free(seat);
}

static int readers(const struct rc_ranks *ranks, enum rc_scope scope)
{
    int count = ranks->reads[scope];

    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, team_comm);
    return count;
}

static void a_rank_that_fails_fails_all(void **state)
{
    (void)state;
    for (int failing = 0; failing < size; failing++) {
        struct rc_ranks ranks;
        err.text[0] = 0;
        assert_int_equal(
            open_ranks(team_comm, rank == failing ? "none" : "whole", "n1", &ranks),
            RC_EMISSING);
        assert_int_equal(err.rank, failing);
        assert_non_null(strstr(err.text, "none.yaml"));
        rc_ranks_fini(&ranks);
    }
}

/* Also where it is another node's ranks that do. */
static void ranks_of_a_node_that_see_other_machines_are_refused(void **state)
{
    (void)state;
    for (int nodes = 1; nodes <= 2; nodes++)
        for (size_t i = 1; i < sizeof machines / sizeof machines[0]; i++) {
            struct rc_ranks ranks;
            int other = (size - 1) / nodes * nodes; /* of node 0, not its first */
            int status =
                open_ranks(team_comm, rank == other ? machines[i].name : "whole",
                           rank % nodes ? "odd" : "even", &ranks);
            assert_int_equal(status, size <= nodes ? RC_OK : RC_ECONFLICT);
            if (size > nodes) {
                assert_int_equal(err.rank, other);
                assert_non_null(
                    strstr(err.text, "as rank 0 of node even: found 'name="));
                assert_non_null(strstr(err.text, "', expected 'name=whole'; "));
            }
            rc_ranks_fini(&ranks);
        }
}

static void a_shared_unit_has_one_reader(void **state)
{
    static const int cores = 8, l2s = 4, packages = 2;
    struct rc_ranks ranks;

    (void)state;
    open_well("whole", "n1", &ranks);
    assert_readers(&ranks);
    assert_int_equal(readers(&ranks, RC_SCOPE_CORE), size < cores ? size : cores);
    assert_int_equal(readers(&ranks, RC_SCOPE_L2), size < l2s ? size : l2s);
    assert_int_equal(readers(&ranks, RC_SCOPE_L3), size < packages ? size : packages);
    assert_int_equal(readers(&ranks, RC_SCOPE_PACKAGE),
                     size < packages ? size : packages);
    assert_int_equal(readers(&ranks, RC_SCOPE_NODE), 1);
    assert_int_equal(readers(&ranks, RC_SCOPE_DEVICE), 1);
    assert_int_equal(ranks.reads[RC_SCOPE_NODE], rank == 0);
    rc_ranks_fini(&ranks);
}

static void what_a_machine_has_no_unit_of_has_one_reader_on_the_node(void **state)
{
    struct rc_ranks ranks;

    (void)state;
    open_well("flat", "n1", &ranks);
    assert_readers(&ranks);
    assert_int_equal(readers(&ranks, RC_SCOPE_CORE), size < 2 ? size : 2);
    for (int s = RC_SCOPE_L2; s < RC_SCOPE_COUNT; s++) {
        assert_int_equal(ranks.unit[s], 0);
        assert_int_equal(readers(&ranks, (enum rc_scope)s), 1);
    }
    if (size > 2)
        assert_true(ranks.remark[0]); /* more ranks than cores */
    rc_ranks_fini(&ranks);
}

/* Ranks 0, 2, 4 on one node, 1 and 3 on another. */
static void each_node_has_its_own_readers_and_places(void **state)
{
    int members, nodes = size > 1 ? 2 : 1;
    struct rc_ranks ranks;

    (void)state;
    open_well("whole", rank % 2 ? "odd" : "even", &ranks);
    assert_readers(&ranks);
    assert_int_equal(ranks.nodes.count, nodes);
    assert_int_equal(ranks.kinds.count, 1);
    assert_int_equal(readers(&ranks, RC_SCOPE_NODE), nodes);
    MPI_Comm_size(ranks.node, &members);
    assert_int_equal(members, rank % 2 ? size / 2 : (size + 1) / 2);
    MPI_Comm_size(ranks.kind, &members);
    assert_int_equal(members, size);
    if (rank < 2) /* the first of its node has the first core */
        assert_int_equal(ranks.place.core, 0);
    rc_ranks_fini(&ranks);
}

static void nodes_of_two_kinds_work_apart(void **state)
{
    int members;
    struct rc_ranks ranks;

    (void)state;
    open_well(rank % 2 ? "flat" : "whole", rank % 2 ? "odd" : "even", &ranks);
    assert_readers(&ranks);
    assert_int_equal(ranks.kinds.count, size > 1 ? 2 : 1);
    MPI_Comm_size(ranks.kind, &members);
    assert_int_equal(members, rank % 2 ? size / 2 : (size + 1) / 2);
    assert_int_equal(rc_team_rank(ranks.kind) == 0, ranks.kinds.speaks);
    rc_ranks_fini(&ranks);
}

static void places_are_named_by_what_is_repeated(void **state)
{
    char label[RC_PLACE_LABEL], expected[RC_PLACE_LABEL];
    struct rc_ranks ranks;

    (void)state;
    open_well("whole", "n1", &ranks);
    for (int s = 0; s < RC_SCOPE_COUNT; s++) {
        enum rc_scope reach = (enum rc_scope)s;
        assert_string_equal(rc_ranks_label(&ranks, RC_REPLICATE_NONE, reach, label),
                            "");
        assert_string_equal(rc_ranks_label(&ranks, RC_REPLICATE_NODE, reach, label),
                            "n1");
        snprintf(expected, sizeof expected, "n1 %s %zu", rc_scope_name(reach),
                 ranks.unit[s]);
        assert_string_equal(rc_ranks_label(&ranks, RC_REPLICATE_CORE, reach, label),
                            s < RC_SCOPE_NODE ? expected : "n1");
    }
    rc_ranks_fini(&ranks);
}

/* A name that is too long is cut, with a digest at its end. */
static void a_label_has_room_for_the_longest_name(void **state)
{
    char name[2 * RC_NODE_NAME], label[RC_PLACE_LABEL];
    struct rc_ranks ranks;

    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    open_well("whole", name, &ranks);
    const char *cut = ranks.nodes.node[ranks.nodes.mine].name;
    assert_in_range(strlen(cut), RC_NODE_NAME / 2, RC_NODE_NAME - 1);
    rc_ranks_label(&ranks, RC_REPLICATE_CORE, RC_SCOPE_PACKAGE, label);
    assert_memory_equal(label, cut, strlen(cut));
    assert_memory_equal(label + strlen(cut), " package ", 9);
    rc_ranks_fini(&ranks);
}

static void one_process_without_mpi_is_all_ranks(void **state)
{
    char label[RC_PLACE_LABEL];
    struct rc_ranks ranks;

    (void)state;
    assert_int_equal(open_ranks(MPI_COMM_NULL, "whole", "n1", &ranks), RC_OK);
    for (int s = 0; s < RC_SCOPE_COUNT; s++)
        assert_true(ranks.reads[s]);
    assert_string_equal(rc_ranks_label(&ranks, RC_REPLICATE_CORE, RC_SCOPE_CORE, label),
                        "n1 core 0");
    rc_ranks_fini(&ranks);
    assert_int_equal(open_ranks(MPI_COMM_NULL, "none", "n1", &ranks), RC_EMISSING);
    rc_ranks_fini(&ranks);
    memset(&ranks, 0, sizeof ranks);
    rc_ranks_fini(&ranks);
    rc_ranks_fini(&ranks);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_that_fails_fails_all),
        cmocka_unit_test(ranks_of_a_node_that_see_other_machines_are_refused),
        cmocka_unit_test(one_process_without_mpi_is_all_ranks),
        cmocka_unit_test(a_shared_unit_has_one_reader),
        cmocka_unit_test(what_a_machine_has_no_unit_of_has_one_reader_on_the_node),
        cmocka_unit_test(each_node_has_its_own_readers_and_places),
        cmocka_unit_test(nodes_of_two_kinds_work_apart),
        cmocka_unit_test(places_are_named_by_what_is_repeated),
        cmocka_unit_test(a_label_has_room_for_the_longest_name),
    };

    return cmocka_run_group_tests(tests, make_machines, remove_machines);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
