/* Laws of metrics: bad files, and rollcall's own on a machine that has each metric. */
#include "tests/lib/test.h"

#include "campaign/base/arena.h"
#include "campaign/base/text.h"
#include "solve/definitions/definitions.h"
#include "solve/hierarchy/hierarchy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAW(text) "laws:\n- {" text "}\n"
#define WHY ", reason: why"

static void bad_files_are_refused_with_file_line_and_expectation(void **state)
{
#define PART "expected the name of a metric, or a number above 0 and a name"
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "f.yaml:1: empty, expected a mapping of keys"},
        {"identities: []", "f.yaml:1: unknown key 'identities', expected one of: laws"},
        {LAW("part: [a], reason: why"), "f.yaml:2: key 'whole' is missing"},
        {LAW("part: [a], whole: b"), "f.yaml:2: key 'reason' is missing"},
        {LAW("part: [a], whole: b, why: c" WHY),
         "f.yaml:2: unknown key 'why', expected one of: part, whole, reason"},
        {LAW("part: a, whole: b" WHY),
         "f.yaml:2: 'laws[0].part': expected a list, found a single value"},
        {LAW("part: [], whole: b" WHY), "f.yaml: Sequence with too few entries"},
        {LAW("whole: ''" WHY),
         "f.yaml:2: laws[0].whole: '', expected the name of a metric"},
        {LAW("whole: a, reason: \"b\\nc\""),
         "f.yaml:2: laws[0].reason: 'b?c', expected "
         "why it is a law, on one line"},
        {LAW("part: [a, ''], whole: b" WHY), "f.yaml:2: laws[0].part[1]: '', " PART},
        {LAW("part: [0 a], whole: b" WHY), "f.yaml:2: laws[0].part[0]: '0 a', " PART},
        {LAW("part: [-2 a], whole: b" WHY), "f.yaml:2: laws[0].part[0]: '-2 a', " PART},
        {LAW("part: [1.2.3 a], whole: b" WHY),
         "f.yaml:2: laws[0].part[0]: '1.2.3 a', " PART},
        {LAW("part: ['2 '], whole: b" WHY), "f.yaml:2: laws[0].part[0]: '2 ', " PART},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_hierarchies *all;
        assert_int_equal(rc_hierarchies_create_empty(&all, &err), RC_OK);
        const int status = rc_hierarchies_add_laws_text(all, "f.yaml", bad[i].text,
                                                        strlen(bad[i].text), &err);
        assert_string_equal(err.text, bad[i].message);
        assert_int_equal(status, RC_EUSAGE);
        rc_hierarchies_close(all);
    }
}

/* A machine whose events are the metrics, one each, and the trees and laws on it. */
struct bench {
    struct rc_arena arena;
    struct rc_definitions *definitions;
    struct rc_hierarchies *all;
    struct rc_hierarchy_machine machine;
    struct rc_hierarchy h;
};

static void add_metric(struct bench *b, const struct rc_metric_definition *d,
                       struct rc_hierarchy_event *event, struct rc_metric_result *out)
{
    struct rc_term *term = rc_arena_array(&b->arena, 1, sizeof *term);

    assert_non_null(term);
    *event =
        (struct rc_hierarchy_event){.name = d->name, .reason = "", .counted = true};
    *term = (struct rc_term){
        .name = d->name, .coefficient = 1, .rounded = 1, .low = 1, .high = 1};
    *out = (struct rc_metric_result){.name = d->name,
                                     .preset = d->preset,
                                     .formula = "",
                                     .reason = "",
                                     .verdict = RC_METRIC_DEFINED,
                                     .rounded_holds = true,
                                     .term = term,
                                     .term_count = 1};
}

static void open_bench(struct bench *b, const char *laws)
{
    struct rc_error err = {.text = ""};
    int status = rc_definitions_create(&b->definitions, &err);

    assert_int_equal(status, RC_OK);
    const size_t suites = rc_definitions_count(b->definitions);
    struct rc_suite_result *suite = rc_arena_array(&b->arena, suites, sizeof *suite);
    const struct rc_suite_result **list =
        rc_arena_array(&b->arena, suites, sizeof(struct rc_suite_result *));
    struct rc_hierarchy_event *event = rc_arena_array(&b->arena, 1000, sizeof *event);
    size_t events = 0;
    assert_true(suite && list && event);
    for (size_t s = 0; s < suites; s++) {
        const struct rc_suite_definition *d = rc_definitions_suite(b->definitions, s);
        struct rc_metric_result *metric =
            rc_arena_array(&b->arena, d->metric_count, sizeof *metric);
        assert_non_null(metric);
        list[s] = &suite[s];
        suite[s] = (struct rc_suite_result){.suite = d->name, .metric = metric};
        for (size_t m = 0; m < d->metric_count && events < 1000; m++)
            if (!d->metric[m].formula[0])
                add_metric(b, &d->metric[m], &event[events++],
                           &metric[suite[s].metric_count++]);
    }
    b->machine = (struct rc_hierarchy_machine){.kind = "test",
                                               .shape = "",
                                               .event = event,
                                               .event_count = events,
                                               .suite = list,
                                               .suite_count = suites};
    status = laws ? rc_hierarchies_create_empty(&b->all, &err)
                  : rc_hierarchies_create(&b->all, &err);
    if (status == RC_OK)
        status = laws ? rc_hierarchies_add_laws_text(b->all, "f.yaml", laws,
                                                     strlen(laws), &err)
                      : rc_hierarchies_add_laws(b->all, &err);
    if (status == RC_OK)
        status = rc_hierarchy_fill(b->all, &b->machine, &b->h, &err);
    if (status != RC_OK)
        fail_msg("%s", err.text);
}

static void close_bench(struct bench *b)
{
    rc_hierarchy_fini(&b->h);
    rc_hierarchies_close(b->all);
    rc_definitions_close(b->definitions);
    rc_arena_free(&b->arena);
}

static bool is_metric(const struct rc_hierarchy_node *node, const char *name)
{
    return node->metric && strcmp(node->metric->name, name) == 0;
}

/* Whether a node of that metric is the node or below it. */
static bool is_in(const struct rc_hierarchy *h, const struct rc_hierarchy_node *node,
                  const char *metric)
{
    for (size_t i = 0; i < node->child_count; i++) {
        const struct rc_hierarchy_node *child = &h->node[node->child[i].node];
        if (is_metric(child, metric) || is_in(h, child, metric))
            return true;
    }
    return false;
}

/* Whether a tree, or with 'laws' a law, says that the part is no more than the whole.
 */
static bool is_said(const struct rc_hierarchy *h, bool laws, const char *part,
                    const char *whole)
{
    for (size_t n = 0; n < h->count; n++) {
        const struct rc_hierarchy_node *node = &h->node[n];
        if ((laws || !node->law) && !node->overlaps && is_metric(node, whole) &&
            is_in(h, node, part))
            return true;
    }
    return false;
}

static void own_laws_have_metrics_that_are_there_and_are_said_once(void **state)
{
    struct bench b = {0};
    size_t laws = 0;

    (void)state;
    open_bench(&b, NULL);
    for (size_t n = 0; n < b.h.count; n++) {
        const struct rc_hierarchy_node *node = &b.h.node[n];
        size_t said = 0;
        if (!node->law || !node->child_count)
            continue;
        laws++;
        if (!node->metric)
            fail_msg("%s: no such whole: %s", node->where, node->law);
        for (size_t i = 0; i < node->child_count; i++) {
            const struct rc_hierarchy_node *part = &b.h.node[node->child[i].node];
            if (!part->metric)
                fail_msg("%s: no such part: %s", node->where, node->law);
            said += is_said(&b.h, false, part->metric->name, node->metric->name);
        }
        if (said == node->child_count)
            fail_msg("%s: a tree says it: %s", node->where, node->law);
        assert_true(rc_hierarchy_has_rest(&b.h, n));
    }
    assert_true(laws > 50);
    close_bench(&b);
}

static void shares_are_no_more_than_1_by_a_law_or_a_tree(void **state)
{
    struct bench b = {0};
    size_t shares = 0;

    (void)state;
    open_bench(&b, NULL);
    for (size_t s = 0; s < rc_definitions_count(b.definitions); s++) {
        const struct rc_suite_definition *d = rc_definitions_suite(b.definitions, s);
        for (size_t m = 0; m < d->metric_count; m++) {
            char part[100], whole[100];
            if (strncmp(d->metric[m].description, "share of ", 9) != 0)
                continue;
            if (sscanf(d->metric[m].formula, "[%99[^]]] / [%99[^]]]", part, whole) != 2)
                fail_msg("'%s' is no share", d->metric[m].name);
            if (!is_said(&b.h, true, part, whole))
                fail_msg("no law: '%s' is no more than '%s'", part, whole);
            shares++;
        }
    }
    assert_true(shares > 5);
    close_bench(&b);
}

static void a_law_is_broken_by_more_than_noise(void **state)
{
    static const char text[] =
        "laws:\n- {part: [2 L2 hits, L2 misses], whole: L1 misses, reason: why}\n";
    double count[3][3] = {{1, 2, 3}, {1, 2, -1}, {2, 6, 5}};
    double deviation[3][3] = {{0, 0, 0}, {0, 0, 0.2}, {0, 0, 0}};
    static const char *const name[] = {"L2 hits", "L2 misses", "L1 misses"};
    const double *value[1000] = {NULL}, *error[1000] = {NULL};
    struct rc_hierarchy_excess *found;
    struct rc_error err = {0};
    struct bench b = {0};
    size_t many;

    (void)state;
    open_bench(&b, text);
    for (size_t e = 0; e < b.machine.event_count; e++)
        for (size_t i = 0; i < 3; i++)
            if (strcmp(b.machine.event[e].name, name[i]) == 0) {
                value[e] = count[i];
                error[e] = deviation[i];
            }
    const struct rc_hierarchy_cells cells = {
        .count = 3, .value = value, .error = error};
    assert_int_equal(rc_hierarchy_check(&b.h, &cells, &found, &many, &err), RC_OK);
    assert_int_equal(many,
                     1); /* -1 of 0.2 is noise; so is what that makes of the sum */
    assert_string_equal(b.h.node[found->node].law,
                        "2 L2 hits + L2 misses <= L1 misses (why)");
    assert_int_equal(found->cells, 1);
    assert_int_equal(found->cell, 0);
    assert_true(found->children == 3 && found->parent == 2);
    free(found);

    /* The error of L1 misses was stated: 20 % of all that they count. */
    struct rc_metric_check check = {.suite = "dcache", .points = 3, .rounded = 0.2};
    for (size_t s = 0; s < b.machine.suite_count; s++)
        for (size_t m = 0; m < b.machine.suite[s]->metric_count; m++)
            if (strcmp(b.machine.suite[s]->metric[m].name, "L1 misses") == 0) {
                b.machine.suite[s]->metric[m].check = &check;
                b.machine.suite[s]->metric[m].check_count = 1;
            }
    rc_hierarchy_fini(&b.h);
    assert_int_equal(rc_hierarchy_fill(b.all, &b.machine, &b.h, &err), RC_OK);
    assert_int_equal(rc_hierarchy_check(&b.h, &cells, &found, &many, &err), RC_OK);
    assert_int_equal(many, 0);

    /* Those on other suites, where it counts more, are not added. */
    static const size_t group[] = {0, 1, 1};
    struct rc_hierarchy_cells apart = cells;
    apart.group = group;
    check.rounded = 0.1;
    rc_hierarchy_fini(&b.h);
    assert_int_equal(rc_hierarchy_fill(b.all, &b.machine, &b.h, &err), RC_OK);
    assert_int_equal(rc_hierarchy_check(&b.h, &apart, &found, &many, &err), RC_OK);
    assert_int_equal(many, 1);
    free(found);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_with_file_line_and_expectation),
        cmocka_unit_test(own_laws_have_metrics_that_are_there_and_are_said_once),
        cmocka_unit_test(shares_are_no_more_than_1_by_a_law_or_a_tree),
        cmocka_unit_test(a_law_is_broken_by_more_than_noise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
