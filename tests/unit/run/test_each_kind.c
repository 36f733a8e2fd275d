#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/commands/each_kind.h"
#include "tests/lib/on_teams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks r and r + 3 share a node; node n1 has another kind than the rest. */
enum { NODES = 3 };

struct context {
    int node;
    int fails;   /* rank whose look() fails, or -1 */
    int renders; /* rank whose render() fails, or -1 */
    int odd;     /* node that answers differently, or -1 */
};

static int look(void *context, struct rc_kind *kind, struct rc_error *err)
{
    const struct context *c = context;

    if (c->fails == rank)
        return rc_fail(err, RC_EMISSING, "rank %d cannot look", rank);
    snprintf(kind->name, sizeof kind->name, "%s", c->node == 1 ? "other" : "usual");
    snprintf(kind->key, sizeof kind->key, "key of %s", kind->name);
    return RC_OK;
}

static int answer(void *context, size_t index, const char **name)
{
    static const char *const names[] = {"a", "b\n\033[1m", "c"};
    const struct context *c = context;

    if (index == 3)
        return -1;
    *name = names[index];
    return c->odd == c->node && index == 1;
}

static int render(void *context, const struct rc_each_kind_view *view, FILE *out,
                  struct rc_error *err)
{
    const struct context *c = context;
    char nodes[256];

    if (c->renders == rank)
        return rc_fail(err, RC_EIO, "rank %d cannot render", rank);
    fprintf(out, "%s: %s\n%s", view->kind->kind.name,
            rc_each_kind_nodes(view, nodes, sizeof nodes), view->differences);
    return RC_OK;
}

static const char *const values[] = {"good", "bad", NULL};
static const struct rc_each_kind each_kind = {.look = look,
                                              .answer = answer,
                                              .values = values,
                                              .render = render,
                                              .before = "[",
                                              .between = "|",
                                              .after = "]"};

/* Asks each kind; *text is what rank 0 printed. */
static int run(struct context *context, char **text, struct rc_error *err)
{
    char node[16];
    size_t bytes;
    FILE *out = open_memstream(text, &bytes);

    context->node = rank % NODES;
    snprintf(node, sizeof node, "n%d", context->node);
    setenv("SLURMD_NODENAME", node, 1);
    struct rc_each_kind mine = each_kind;
    mine.context = context;
    int status = rc_each_kind_run(team_comm, &mine, out, err);
    fclose(out);
    return status;
}

static void each_kind_answers_once(void **state)
{
    static const char *const expected[] = {
        "", "[usual: on node n0\n]", "[usual: on node n0\n|other: on node n1\n]",
        "[usual: on 2 nodes: n0, n2\n|other: on node n1\n]"};
    struct context context = {.fails = -1, .renders = -1, .odd = -1};
    struct rc_error err = {.rank = -1};
    char *text;

    (void)state;
    assert_int_equal(run(&context, &text, &err), RC_OK);
    assert_string_equal(text, rank ? "" : expected[size < NODES ? size : NODES]);
    free(text);
}

static void a_node_that_differs_is_named(void **state)
{
    struct context context = {.fails = -1, .renders = -1, .odd = 2};
    struct rc_error err = {.rank = -1};
    char *text;

    (void)state;
    assert_int_equal(run(&context, &text, &err), RC_OK);
    if (rank == 0 && size >= NODES)
        assert_string_equal(text, "[usual: on 2 nodes: n0, n2\nnode n2 differs in 1: "
                                  "b??[1m: bad, not good\n|other: on node n1\n]");
    free(text);
}

static void everyone_hears_when_a_leader_cannot_look_or_speak(void **state)
{
    (void)state;
    for (int bad = 0; bad < size; bad++) {
        struct context context = {.fails = bad, .renders = -1, .odd = -1};
        struct rc_error err = {.rank = -1};
        char *text;
        int expected = bad < NODES ? RC_EMISSING : RC_OK; /* others do not lead */
        assert_int_equal(run(&context, &text, &err), expected);
        assert_string_equal(expected == RC_OK || text[0] == 0 ? "" : text, "");
        free(text);
        context = (struct context){.fails = -1, .renders = bad, .odd = -1};
        expected = bad < 2 ? RC_EIO : RC_OK; /* ranks 0 and 1 speak for the kinds */
        assert_int_equal(run(&context, &text, &err), expected);
        if (expected != RC_OK)
            assert_int_equal(err.rank, bad);
        free(text);
    }
}

static void a_process_without_mpi_is_its_own_team(void **state)
{
    struct context context = {.node = 0, .fails = -1, .renders = -1, .odd = -1};
    struct rc_error err = {.rank = -1};
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    (void)state;
    setenv("SLURMD_NODENAME", "alone", 1);
    struct rc_each_kind mine = each_kind;
    mine.context = &context;
    assert_int_equal(rc_each_kind_run(MPI_COMM_NULL, &mine, out, &err), RC_OK);
    fclose(out);
    assert_string_equal(text, "[usual: on node alone\n]");
    free(text);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_answers_once),
        cmocka_unit_test(a_node_that_differs_is_named),
        cmocka_unit_test(everyone_hears_when_a_leader_cannot_look_or_speak),
        cmocka_unit_test(a_process_without_mpi_is_its_own_team),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
