/* Trees of metrics: three machines of the literature with the statuses that follow from
 * their counters, bad files, values, and parents that are less than their children.
 */
#include "tests/lib/test.h"

#include "campaign/base/files/file.h"
#include "campaign/base/text.h"
#include "solve/hierarchy/hierarchy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 512 };

/* A machine of which these counters are counted. */
struct bench {
    struct rc_hierarchies *all;
    struct rc_hierarchy_event event[EVENTS];
    struct rc_hierarchy_machine machine;
    struct rc_hierarchy h;
};

static const char *path_of(const char *name, char path[512])
{
    snprintf(path, 512, "%s/hierarchies/%s", RC_TEST_DATA, name);
    return path;
}

static void add_counter(struct bench *b, const char *name)
{
    for (size_t i = 0; i < b->machine.event_count; i++)
        if (strcmp(b->event[i].name, name) == 0)
            return;
    assert_true(b->machine.event_count < EVENTS);
    b->event[b->machine.event_count++] =
        (struct rc_hierarchy_event){.name = name, .reason = "", .counted = true};
}

/* The counters of these groups of a METRICS.SPEC; NULL: of all groups. */
static void count_groups(struct bench *b, const char *const *group, const char *file)
{
    const char *counter[64];
    char path[512], line[4096];
    FILE *in = fopen(path_of(file, path), "r");

    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        char name[64];
        bool wanted = !group;
        if (sscanf(line, "aggroup %63s", name) != 1)
            continue;
        for (size_t g = 0; group && group[g]; g++)
            wanted |= strcmp(group[g], name) == 0;
        const size_t count = rc_hierarchies_group(b->all, name, counter, 64);
        assert_true(count > 0 && count <= 8);
        for (size_t i = 0; wanted && i < count; i++)
            add_counter(b, counter[i]);
    }
    fclose(in);
}

static void read_file(struct bench *b, const char *file)
{
    struct rc_error err = {.text = ""};
    char path[512];

    *b = (struct bench){.machine = {.kind = "test", .shape = "package:1 l2:1 core:1"}};
    b->machine.event = b->event;
    assert_int_equal(rc_hierarchies_create_empty(&b->all, &err), RC_OK);
    const int status = rc_hierarchies_add_file(b->all, path_of(file, path), &err);
    if (status != RC_OK)
        fail_msg("%s", err.text);
}

/* The same file as rollcall's own form. */
static void convert_file(struct bench *b, const char *file)
{
    struct rc_error err = {.text = ""};
    char path[512], *text, *yaml;
    size_t bytes, yaml_bytes;

    assert_int_equal(
        rc_file_read(path_of(file, path), RC_FILE_GIVEN, 1 << 20, &text, &bytes, &err),
        RC_OK);
    assert_true(rc_hierarchy_is_spec(text, bytes));
    assert_int_equal(
        rc_hierarchy_convert(file, text, bytes, "test", &yaml, &yaml_bytes, &err),
        RC_OK);
    assert_false(rc_hierarchy_is_spec(yaml, yaml_bytes));
    rc_hierarchies_close(b->all);
    assert_int_equal(rc_hierarchies_create_empty(&b->all, &err), RC_OK);
    const int status =
        rc_hierarchies_add_text(b->all, "converted", yaml, yaml_bytes, &err);
    if (status != RC_OK)
        fail_msg("%s\n%s", err.text, yaml);
    free(text);
    free(yaml);
}

/* The same machine in rollcall's own form, as people write it: "opteron.yaml". */
static void read_own(struct bench *b, const char *file)
{
    struct rc_error err = {.text = ""};
    char own[128], path[512];

    snprintf(own, sizeof own, "%.*s.yaml", (int)strcspn(file, "."), file);
    rc_hierarchies_close(b->all);
    assert_int_equal(rc_hierarchies_create_empty(&b->all, &err), RC_OK);
    if (rc_hierarchies_add_file(b->all, path_of(own, path), &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void fill(struct bench *b)
{
    struct rc_error err = {.text = ""};

    if (rc_hierarchy_fill(b->all, &b->machine, &b->h, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void close_bench(struct bench *b)
{
    rc_hierarchy_fini(&b->h);
    rc_hierarchies_close(b->all);
}

static const struct rc_hierarchy_node *node_of(const struct bench *b, const char *name)
{
    const size_t n = rc_hierarchy_find(&b->h, name);

    if (n == RC_HIERARCHY_NONE)
        fail_msg("no node %s", name);
    return &b->h.node[n];
}

static void expect_status(const struct bench *b, const char *name,
                          enum rc_hierarchy_status status)
{
    const struct rc_hierarchy_node *node = node_of(b, name);

    if (node->status != status)
        fail_msg("%s is %s (%s%s), expected %s", name,
                 rc_hierarchy_status_names[node->status], node->lacks, node->reason,
                 rc_hierarchy_status_names[status]);
}

struct expected {
    const char *file;
    size_t nodes, counters;
    size_t status[RC_HIERARCHY_STATUS_COUNT];
    const char *orphans;
};

static const struct expected machines[] = {
    {"opteron.spec",
     39,
     39,
     {[RC_HIERARCHY_MEASURED] = 6,
      [RC_HIERARCHY_COMPOSED] = 16,
      [RC_HIERARCHY_COMPUTED] = 10,
      [RC_HIERARCHY_VOID] = 7},
     "DC_L2_REFILL_I DC_SYS_REFILL_I FR_FPU_X87 FR_HW_INTS IC_MISS"},
    {"power4.spec",
     29,
     39,
     {[RC_HIERARCHY_MEASURED] = 3,
      [RC_HIERARCHY_COMPOSED] = 16,
      [RC_HIERARCHY_COMPUTED] = 5,
      [RC_HIERARCHY_INCOMPLETE] = 5},
     "PM_FPU_FIN"},
    {"ultrasparc.spec",
     42,
     35,
     {[RC_HIERARCHY_MEASURED] = 6,
      [RC_HIERARCHY_COMPOSED] = 11,
      [RC_HIERARCHY_COMPUTED] = 12,
      [RC_HIERARCHY_INCOMPLETE] = 3,
      [RC_HIERARCHY_VOID] = 10},
     "SI_ciq_flow"},
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_machine(const struct bench *b, const struct expected *e)
{
    size_t count[RC_HIERARCHY_STATUS_COUNT], nodes = 0;
    const char *orphan[EVENTS];
    char orphans[1024] = "";

    assert_int_equal(b->machine.event_count, e->counters);
    rc_hierarchy_tally(&b->h, count);
    for (int s = 0; s < RC_HIERARCHY_STATUS_COUNT; s++) {
        nodes += count[s];
        if (count[s] != e->status[s])
            fail_msg("%s: %zu nodes are %s, expected %zu", e->file, count[s],
                     rc_hierarchy_status_names[s], e->status[s]);
    }
    assert_int_equal(nodes, e->nodes);
    for (size_t i = 0; i < b->h.orphan_count; i++)
        orphan[i] = b->event[b->h.orphan[i]].name;
    qsort(orphan, b->h.orphan_count, sizeof *orphan, by_name);
    for (size_t i = 0; i < b->h.orphan_count; i++)
        rc_text_append(orphans, sizeof orphans, "%s%s", i ? " " : "", orphan[i]);
    assert_string_equal(orphans, e->orphans);
}

static void test_three_machines_have_the_statuses_of_the_literature(void **state)
{
    struct bench b;

    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++)
        for (int form = 0; form < 3; form++) {
            read_file(&b, machines[m].file);
            count_groups(&b, NULL, machines[m].file);
            char *kept[EVENTS]; /* names live as long as the files */
            for (size_t i = 0; i < b.machine.event_count; i++)
                b.event[i].name = kept[i] = strdup(b.event[i].name);
            if (form == 1)
                convert_file(&b, machines[m].file);
            if (form == 2)
                read_own(&b, machines[m].file);
            fill(&b);
            check_machine(&b, &machines[m]);
            for (size_t i = 0; i < b.machine.event_count; i++)
                free(kept[i]);
            close_bench(&b);
        }
}

/* Values of groups alone, in both forms. */
static const struct {
    const char *file, *group[3];
    size_t voids; /* 0: no matter */
    struct {
        const char *node;
        enum rc_hierarchy_status status;
    } expected[5];
} partial[] = {
    {"opteron.spec",
     {"DC2"},
     35,
     {{"DATA_ACCESS", RC_HIERARCHY_INCOMPLETE},
      {"DATA_HIT_L2", RC_HIERARCHY_COMPOSED},
      {"DATA_LOAD_FROM_L2", RC_HIERARCHY_COMPOSED},
      {"DATA_STORE_INTO_L2", RC_HIERARCHY_COMPOSED}}},
    {"opteron.spec",
     {"DC1"},
     0,
     {{"DATA_ACCESS", RC_HIERARCHY_MEASURED},
      {"DATA_HIT_L1", RC_HIERARCHY_COMPUTED},
      {"DATA_HIT_L2", RC_HIERARCHY_VOID}}},
    {"power4.spec",
     {"LX"},
     0,
     {{"DATA_ACCESS", RC_HIERARCHY_INCOMPLETE},
      {"DATA_HIT_L1", RC_HIERARCHY_COMPOSED},
      {"DATA_LOAD_FROM_L1", RC_HIERARCHY_COMPUTED}}},
    {"ultrasparc-alternative.spec",
     {"BMS"},
     0,
     {{"INSTRUCTION", RC_HIERARCHY_INCOMPLETE},
      {"BRANCH", RC_HIERARCHY_INCOMPLETE},
      {"BRANCH_MISP", RC_HIERARCHY_COMPOSED},
      {"BRANCH_PRED", RC_HIERARCHY_VOID}}},
    {"ultrasparc-alternative.spec",
     {"BMS", "BCS"},
     0,
     {{"BRANCH", RC_HIERARCHY_COMPOSED}, {"INSTRUCTION", RC_HIERARCHY_INCOMPLETE}}},
};

static void test_one_pass_leaves_incomplete_and_void_nodes(void **state)
{
    size_t count[RC_HIERARCHY_STATUS_COUNT];
    char *kept[EVENTS];
    struct bench b;

    (void)state;
    for (size_t p = 0; p < sizeof partial / sizeof partial[0]; p++)
        for (int own = 0; own < 2; own++) {
            read_file(&b, partial[p].file);
            count_groups(&b, partial[p].group, partial[p].file);
            for (size_t i = 0; i < b.machine.event_count; i++)
                b.event[i].name = kept[i] = strdup(b.event[i].name);
            if (own)
                read_own(&b, partial[p].file);
            fill(&b);
            for (size_t i = 0; i < 5 && partial[p].expected[i].node; i++)
                expect_status(&b, partial[p].expected[i].node,
                              partial[p].expected[i].status);
            rc_hierarchy_tally(&b.h, count);
            if (partial[p].voids)
                assert_int_equal(count[RC_HIERARCHY_VOID], partial[p].voids);
            if (partial[p].voids && !own)
                assert_non_null(
                    strstr(node_of(&b, "DATA_ACCESS")->lacks, "DATA_HIT_MEM"));
            for (size_t i = 0; i < b.machine.event_count; i++)
                free(kept[i]);
            close_bench(&b);
        }
}

static void read_text(struct bench *b, const char *text, const char *const *event)
{
    struct rc_error err = {.text = ""};

    *b = (struct bench){.machine = {.kind = "amd-opteron-5", .shape = "core:1 l2:1"}};
    b->machine.event = b->event;
    for (size_t i = 0; event && event[i]; i++)
        add_counter(b, event[i]);
    assert_int_equal(rc_hierarchies_create_empty(&b->all, &err), RC_OK);
    if (rc_hierarchies_add_text(b->all, "a.yaml", text, strlen(text), &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void test_values_are_summed_first_and_then_divided(void **state)
{
    struct rc_interval v[32];
    const double count[] = {100, 30, 20};
    struct bench b;

    (void)state;
    read_text(&b,
              "hierarchy: data\n"
              "events: [MISS]\n"
              "nodes:\n"
              "- {node: ACCESS, event: ACC, sum: HIT + MISSES}\n"
              "- {node: HIT, difference: ACCESS_COUNT - MISS}\n"
              "- {node: ACCESS_COUNT, event: 'AC[C]'}\n"
              "- {node: MISSES, sum: 2 MISS + L3}\n"
              "- {node: L3, absent: no l3}\n"
              "- {node: RATE, formula: '[MISSES] / [ACCESS]'}\n"
              "- {node: PE, product: RATE * RATE}\n"
              "- {node: GONE, metric: nothing such}\n",
              (const char *const[]){"papi::ACC", "MISS", "OTHER", NULL});
    fill(&b);
    assert_true(b.h.count <= 32);
    rc_hierarchy_value(&b.h, count, v);
    assert_true(v[rc_hierarchy_find(&b.h, "HIT")].value == 70);
    assert_true(v[rc_hierarchy_find(&b.h, "MISSES")].value == 60);
    assert_true(v[rc_hierarchy_find(&b.h, "L3")].value == 0);
    assert_true(fabs(v[rc_hierarchy_find(&b.h, "RATE")].value - 0.6) < 1e-15);
    assert_true(fabs(v[rc_hierarchy_find(&b.h, "PE")].value - 0.36) < 1e-15);
    assert_true(isnan(v[rc_hierarchy_find(&b.h, "GONE")].value));
    expect_status(&b, "MISSES", RC_HIERARCHY_COMPOSED);
    expect_status(&b, "L3", RC_HIERARCHY_VOID);
    assert_int_equal(b.h.orphan_count, 1);

    /* 70 + 60 is more than 100: the misses are counted twice */
    const double acc[] = {100, 50}, miss[] = {30, 0}, other[] = {1, 1};
    const double *const value[] = {acc, miss, other};
    const struct rc_hierarchy_cells cells = {
        .count = 2, .name = (const char *const[]){"x", "y"}, .value = value};
    struct rc_hierarchy_excess *found;
    struct rc_error err = {.text = ""};
    size_t many;
    assert_int_equal(rc_hierarchy_check(&b.h, &cells, &found, &many, &err), RC_OK);
    assert_int_equal(many, 1);
    assert_string_equal(b.h.node[found[0].node].name, "ACCESS");
    assert_true(found[0].cell == 0 && found[0].cells == 1);
    assert_true(fabs(found[0].parent - 100) < 1e-9 &&
                fabs(found[0].children - 130) < 1e-9);
    free(found);
    close_bench(&b);
}

static void test_lines_for_a_kind_go_over_the_others(void **state)
{
    static const char text[] = "hierarchy: data\n"
                               "nodes:\n"
                               "- {node: ACCESS, event: ACC, kind: 'amd-opteron*'}\n"
                               "- {node: ACCESS, sum: HIT + MISS}\n"
                               "- {node: HIT, event: H}\n"
                               "- {node: MISS, event: M, unit: misses}\n";
    static const char later[] = "hierarchy: data\nnodes:\n- {node: MISS, event: H}\n";
    const char *const event[] = {"ACC", "H", NULL};
    struct rc_error err = {.text = ""};
    struct bench b;

    (void)state;
    read_text(&b, text, event);
    fill(&b);
    expect_status(&b, "ACCESS", RC_HIERARCHY_MEASURED);
    assert_int_equal(node_of(&b, "ACCESS")->child_count, 2);
    rc_hierarchy_fini(&b.h);
    b.machine.kind = "intel";
    fill(&b);
    expect_status(&b, "ACCESS", RC_HIERARCHY_INCOMPLETE);
    assert_string_equal(node_of(&b, "ACCESS")->lacks, "MISS");
    rc_hierarchy_fini(&b.h);
    assert_int_equal(
        rc_hierarchies_add_text(b.all, "b.yaml", later, strlen(later), &err), RC_OK);
    fill(&b);
    expect_status(&b, "ACCESS", RC_HIERARCHY_COMPOSED);
    assert_string_equal(node_of(&b, "MISS")->unit, "");
    close_bench(&b);
}

static void test_solved_metrics_fill_nodes(void **state)
{
    static struct rc_term both[] = {{0, "A", 2.0000001, 2, 1.99, 2.01},
                                    {1, "B", 1, 1, 1, 1}},
                          less[] = {{0, "A", 1, 1, 1, 1}, {1, "B", -1, -1, -1, -1}},
                          one[] = {{1, "B", 1, 1, 1, 1}};
    static struct rc_metric_result metric[] = {
        {.name = "sum",
         .preset = "PAPI_SUM",
         .verdict = RC_METRIC_DEFINED,
         .rounded_holds = true,
         .term = both,
         .term_count = 2},
        {.name = "less", .verdict = RC_METRIC_DEFINED, .term = less, .term_count = 2},
        {.name = "one", .verdict = RC_METRIC_DEFINED, .term = one, .term_count = 1},
        {.name = "near",
         .verdict = RC_METRIC_APPROXIMATE,
         .term = one,
         .term_count = 1},
        {.name = "not", .verdict = RC_METRIC_REJECTED, .reason = "wrong in dcache"}};
    for (size_t i = 0; i < 5; i++) {
        metric[i].preset = metric[i].preset ? metric[i].preset : "";
        metric[i].reason = metric[i].reason ? metric[i].reason : "";
        metric[i].formula = "";
    }
    static const struct rc_suite_result suite = {
        .suite = "s", .metric = metric, .metric_count = 5};
    const struct rc_suite_result *const suites[] = {&suite};
    struct rc_interval v[32];
    struct bench b;

    (void)state;
    read_text(&b,
              "hierarchy: x\nnodes:\n- {node: S, metric: PAPI_SUM}\n"
              "- {node: L, metric: less}\n- {node: O, metric: one}\n"
              "- {node: N, metric: near}\n- {node: R, metric: not}\n"
              "- {node: T, sum: L + N}\n",
              (const char *const[]){"A", "B", NULL});
    b.machine.suite = suites;
    b.machine.suite_count = 1;
    b.event[0].simulated = true;
    fill(&b);
    expect_status(&b, "S", RC_HIERARCHY_COMPOSED);
    expect_status(&b, "L", RC_HIERARCHY_COMPUTED);
    expect_status(&b, "O", RC_HIERARCHY_MEASURED);
    expect_status(&b, "N", RC_HIERARCHY_COMPUTED);
    expect_status(&b, "R", RC_HIERARCHY_VOID);
    expect_status(&b, "T", RC_HIERARCHY_COMPOSED);
    assert_true(node_of(&b, "T")->approximate && node_of(&b, "T")->simulated);
    assert_false(node_of(&b, "O")->simulated || node_of(&b, "O")->approximate);
    assert_non_null(strstr(node_of(&b, "R")->reason, "wrong in dcache"));
    const struct rc_hierarchy_node *s = node_of(&b, "S");
    assert_int_equal(s->child_count, 2);
    assert_true(s->child[0].factor == 2 && b.h.node[s->child[0].node].is_event);
    rc_hierarchy_value(&b.h, (const double[]){10, 1}, v);
    const struct rc_interval sum = v[rc_hierarchy_find(&b.h, "S")];
    assert_true(sum.value == 21 && sum.low < 21 && sum.high > 21 && sum.high < 21.2);
    close_bench(&b);
}

/* Each is refused with one line that has these words in it. */
static const struct {
    const char *text, *words;
} bad[] = {
    {"hierarchy: x\nnodes:\n- {node: A, sum: B + C}\n- {node: B, sum: A}\n- {node: "
     "C}\n",
     "made from itself"},
    {"hierarchy: x\nnodes:\n- {node: A, sum: A}\n", "made from itself"},
    {"hierarchy: x\nnodes:\n- {node: A, formula: '[A] / 2'}\n", "made from itself"},
    {"hierarchy: x\nnodes:\n- {node: DATA, sum: HIT}\n- {node: HITS}\n",
     "did you mean 'HITS'"},
    {"hierarchy: x\nnodes:\n- {node: A}\n- {node: A}\n", "given twice"},
    {"hierarchy: x\nnodes:\n- {node: A, sum: B - C}\n", "no other operator"},
    {"hierarchy: x\nnodes:\n- {node: A, sum: B + B}\n", "twice"},
    {"hierarchy: x\nnodes:\n- {node: A, sum: B +}\n", "ends where a name"},
    {"hierarchy: x\nnodes:\n- {node: A, sum: ''}\n", "expected some text"},
    {"hierarchy: x\nnodes:\n- {node: 'a b'}\n", "without blanks"},
    {"hierarchy: x\nnodes:\n- {node: \"a\\u202eb\"}\n", "printable characters"},
    {"hierarchy: x\nnodes:\n- {node: \"a\\nb\"}\n", "on one line"},
    {"hierarchy: x\nnodes:\n- {node: A, absent: l3}\n", "expected 'no'"},
    {"hierarchy: x\nnodes:\n- {node: A, also: B}\n", "no node 'B'"},
    {"hierarchy: x\nnodes:\n- {node: A, formula: '[B'}\n", "column"},
    {"hierarchy: x\nnodes:\n- {node: A, event: ','}\n", "expected the name"},
    {"hierarchy: x\nnodes:\n- {name: A}\n", "name"},
    {"hierarchy: 'x y'\nnodes: []\n", "without blanks"},
    {"nodes: []\n", "hierarchy"},
    {"measure A = B + C\n", "one counter"},
    {"compose A = B - C\n", "no other operator"},
    {"measure A = \n", "expected one counter"},
    {"measure A B\n", "NAME ="},
    {"compose A = B + A\n", "made from itself"},
    {"measure A = B\nmeasure A = C\n", "second time"},
    {"measure A = B\nweigh A = C\n", "expected measure"},
    {"compute A = B *\n", "compute"},
    {"aggroup A =\n", "aggroup"},
    {"compute A = B / C\ncompute A = D\n", "second time"},
};

static void test_bad_files_are_one_line_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {.text = ""};
        struct rc_hierarchy h = {0};
        struct bench b = {.machine = {.kind = "k", .shape = ""}};
        assert_int_equal(rc_hierarchies_create_empty(&b.all, &err), RC_OK);
        b.machine.event = b.event;
        int status =
            rc_hierarchies_add_text(b.all, "f", bad[i].text, strlen(bad[i].text), &err);
        if (status == RC_OK)
            status = rc_hierarchy_fill(b.all, &b.machine, &h, &err);
        if (status != RC_EUSAGE || !strstr(err.text, bad[i].words) ||
            strchr(err.text, '\n') || strncmp(err.text, "f", 1) != 0)
            fail_msg("%s: status %d, '%s', expected '%s'", bad[i].text, status,
                     err.text, bad[i].words);
        rc_hierarchies_close(b.all);
    }
}

/* "node i: sum of what stands behind it", as deep or as long as is asked for. */
static int read_chain(size_t count, struct rc_error *err)
{
    struct bench b = {.machine = {.kind = "k", .shape = ""}};
    char *text = malloc(count * 64 + 64);
    size_t used = (size_t)sprintf(text, "hierarchy: x\nnodes:\n");

    for (size_t i = 0; i < count; i++)
        used += (size_t)sprintf(text + used,
                                i + 1 < count ? "- {node: N%zu, sum: N%zu}\n"
                                              : "- {node: N%zu}\n",
                                i, i + 1);
    b.machine.event = b.event;
    assert_int_equal(rc_hierarchies_create_empty(&b.all, err), RC_OK);
    int status = rc_hierarchies_add_text(b.all, "f", text, used, err);
    if (status == RC_OK)
        status = rc_hierarchy_fill(b.all, &b.machine, &b.h, err);
    close_bench(&b);
    free(text);
    return status;
}

static void test_deep_and_large_files_are_refused(void **state)
{
    struct rc_error err = {.text = ""};

    (void)state;
    assert_int_equal(read_chain(RC_HIERARCHY_DEPTH_MAX, &err), RC_OK);
    assert_int_equal(read_chain(RC_HIERARCHY_DEPTH_MAX + 1, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "lies deeper"));
    assert_int_equal(read_chain(10000, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "more than 4096 nodes"));
}

static void test_own_trees_can_be_filled_without_any_event(void **state)
{
    struct rc_error err = {.text = ""};
    struct bench b = {.machine = {.kind = "k", .shape = ""}};
    size_t count[RC_HIERARCHY_STATUS_COUNT];

    (void)state;
    b.machine.event = b.event;
    if (rc_hierarchies_create(&b.all, &err) != RC_OK)
        fail_msg("%s", err.text);
    fill(&b);
    rc_hierarchy_tally(&b.h, count);
    assert_true(count[RC_HIERARCHY_VOID] > 100);
    assert_int_equal(count[RC_HIERARCHY_VOID], b.h.count);
    assert_int_equal(node_of(&b, "INSTRUCTION")->child_count, 4);
    assert_int_equal(node_of(&b, "DATA_LOAD_FROM_L1")->depth, 2);
    close_bench(&b);
}

/* --- Machines with random trees, random events and noise --- */

enum { NODES = 40, CELLS = 30, REPEATS = 5, MACHINES = 1000 };

struct planted {
    size_t nodes, children[NODES], first[NODES]; /* children of a node stand together */
    double truth[NODES][CELLS], mean[NODES][CELLS], error[NODES][CELLS];
    bool has_event[NODES], known[NODES];
    char name[NODES][8];
    size_t twice; /* a parent of which a part counts twice, or NODES */
};

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double draw_normal(uint64_t *seed)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += draw(seed);
    return sum;
}

static void plant_tree(struct planted *p, uint64_t *seed)
{
    memset(p, 0, sizeof *p);
    p->nodes = 1;
    for (size_t n = 0; n < p->nodes; n++) {
        const size_t most = (size_t)(draw(seed) * 5);
        if (n > 0 && draw(seed) < 0.4)
            continue;
        p->first[n] = p->nodes;
        for (; p->children[n] < most + 1 && p->nodes < NODES; p->nodes++)
            p->children[n]++;
    }
    for (size_t n = p->nodes; n-- > 0;)
        for (size_t c = 0; c < CELLS; c++) {
            p->truth[n][c] = p->children[n] ? 0 : floor(draw(seed) * 1e6);
            for (size_t i = 0; i < p->children[n]; i++)
                p->truth[n][c] += p->truth[p->first[n] + i][c];
        }
    p->twice = NODES;
    for (size_t n = p->nodes; n-- > 0;) {
        p->has_event[n] = draw(seed) < (p->children[n] ? 0.5 : 0.85);
        p->known[n] = p->children[n] > 0;
        for (size_t i = 0; i < p->children[n]; i++)
            p->known[n] &= p->known[p->first[n] + i];
        /* all parts are known and the first has an event of its own */
        if (p->has_event[n] && p->known[n] && p->children[n] > 1 &&
            p->has_event[p->first[n]])
            p->twice = n;
        p->known[n] |= p->has_event[n];
    }
}

/* Counts of the events: the truth, with noise, and one of them its neighbour, too. */
static void plant_readings(struct planted *p, uint64_t *seed, bool twice)
{
    if (!twice)
        p->twice = NODES;
    for (size_t n = 0; n < p->nodes; n++)
        for (size_t c = 0; c < CELLS; c++) {
            const bool more = p->twice < NODES && n == p->first[p->twice];
            const double counts = p->truth[n][c] + (more ? p->truth[n + 1][c] : 0);
            double sum = 0, squares = 0;
            for (int r = 0; r < REPEATS; r++) {
                const double x = counts * (1 + 1e-3 * draw_normal(seed));
                sum += x;
                squares += x * x;
            }
            p->mean[n][c] = sum / REPEATS;
            /* as readings of campaigns have it: not less than what is usual */
            p->error[n][c] = fmax(
                sqrt(fmax(0, squares - sum * sum / REPEATS) / (REPEATS - 1) / REPEATS),
                1e-3 / sqrt(REPEATS) * p->mean[n][c]);
        }
}

static void read_planted(struct bench *b, struct planted *p)
{
    struct rc_error err = {.text = ""};
    char text[16384] = "hierarchy: x\nnodes:\n";

    for (size_t n = 0; n < p->nodes; n++) {
        snprintf(p->name[n], sizeof p->name[n], "E%zu", n);
        rc_text_append(text, sizeof text, "- {node: N%zu, event: E%zu", n, n);
        for (size_t i = 0; i < p->children[n]; i++)
            rc_text_append(text, sizeof text, "%s N%zu",
                           i ? " +" : ", sum:", p->first[n] + i);
        rc_text_append(text, sizeof text, "}\n");
    }
    *b = (struct bench){.machine = {.kind = "k", .shape = "", .event = b->event}};
    for (size_t n = 0; n < p->nodes; n++)
        b->event[b->machine.event_count++] = (struct rc_hierarchy_event){
            .name = p->name[n], .reason = "no", .counted = p->has_event[n]};
    b->machine.event = b->event;
    assert_int_equal(rc_hierarchies_create_empty(&b->all, &err), RC_OK);
    assert_int_equal(
        rc_hierarchies_add_text(b->all, "planted", text, strlen(text), &err), RC_OK);
    fill(b);
}

struct score {
    size_t composable, found, wrong, planted, flagged, others, false_flags;
};

static void score_planted(const struct planted *p, const struct bench *b,
                          struct score *s)
{
    const double *value[NODES], *error[NODES];
    struct rc_hierarchy_excess *excess;
    struct rc_error err = {.text = ""};
    struct rc_interval v[4 * NODES];
    double count[NODES];
    bool flagged = false;
    size_t many;

    for (size_t n = 0; n < p->nodes; n++) {
        value[n] = p->mean[n];
        error[n] = p->error[n];
        count[n] = p->truth[n][0];
    }
    assert_true(b->h.count <= 4 * NODES);
    rc_hierarchy_value(&b->h, count, v);
    for (size_t n = 0; n < p->nodes; n++) {
        char name[16];
        snprintf(name, sizeof name, "N%zu", n);
        const size_t at = rc_hierarchy_find(&b->h, name);
        const bool is_full = b->h.node[at].status > RC_HIERARCHY_INCOMPLETE;
        s->composable += p->known[n];
        s->found += p->known[n] && is_full;
        s->wrong += is_full && fabs(v[at].value - p->truth[n][0]) > 1e-6;
        s->wrong += !p->known[n] && is_full;
    }
    const struct rc_hierarchy_cells cells = {
        .count = CELLS, .name = NULL, .value = value, .error = error};
    assert_int_equal(rc_hierarchy_check(&b->h, &cells, &excess, &many, &err), RC_OK);
    for (size_t i = 0; i < many && p->twice < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "N%zu", p->twice);
        flagged |= strcmp(b->h.node[excess[i].node].name, name) == 0;
    }
    s->planted += p->twice < NODES;
    s->flagged += flagged;
    s->others += p->twice < NODES ? 0 : p->nodes;
    s->false_flags += p->twice < NODES ? 0 : many;
    free(excess);
}

static void test_random_machines_are_composed_and_double_counts_found(void **state)
{
    static struct planted p;
    struct score s = {0};
    struct bench b;

    (void)state;
    for (uint64_t m = 0; m < MACHINES; m++) {
        uint64_t seed = m * 7919 + 1;
        plant_tree(&p, &seed);
        plant_readings(&p, &seed, m % 2 == 0);
        read_planted(&b, &p);
        score_planted(&p, &b, &s);
        close_bench(&b);
    }
    print_message("%d machines: %zu of %zu composable nodes, %zu wrong; %zu of %zu "
                  "counted twice; %zu of %zu others flagged\n",
                  MACHINES, s.found, s.composable, s.wrong, s.flagged, s.planted,
                  s.false_flags, s.others);
    assert_true(s.composable > 1000 && s.planted > 100);
    assert_int_equal(s.found, s.composable);
    assert_int_equal(s.wrong, 0);
    assert_int_equal(s.flagged, s.planted);
    assert_true(s.false_flags * 100 <= s.others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_machines_are_composed_and_double_counts_found),
        cmocka_unit_test(test_three_machines_have_the_statuses_of_the_literature),
        cmocka_unit_test(test_one_pass_leaves_incomplete_and_void_nodes),
        cmocka_unit_test(test_values_are_summed_first_and_then_divided),
        cmocka_unit_test(test_lines_for_a_kind_go_over_the_others),
        cmocka_unit_test(test_solved_metrics_fill_nodes),
        cmocka_unit_test(test_bad_files_are_one_line_each),
        cmocka_unit_test(test_deep_and_large_files_are_refused),
        cmocka_unit_test(test_own_trees_can_be_filled_without_any_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
