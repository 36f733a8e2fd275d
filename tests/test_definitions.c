#include "tests/test.h"

#include "campaign/base/file.h"
#include "kernels/kernel.h"
#include "solve/definitions.h"
#include "solve/formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int create(void **state)
{
    struct rc_error err = {0};
    struct rc_definitions *definitions;
    int status = rc_definitions_create(&definitions, &err);

    *state = definitions;
    if (status != RC_OK)
        print_error("%s\n", err.text);
    return status;
}

static int close_them(void **state)
{
    rc_definitions_close(*state);
    return 0;
}

static const struct rc_metric_definition *
find_metric(const struct rc_definitions *definitions, const char *suite,
            const char *metric)
{
    const struct rc_suite_definition *found = rc_definitions_find(definitions, suite);

    for (size_t i = 0; found && i < found->metric_count; i++)
        if (strcmp(found->metric[i].name, metric) == 0)
            return &found->metric[i];
    return NULL;
}

static void every_suite_has_definitions_and_the_other_way_round(void **state)
{
    struct rc_definitions *definitions = *state;
    const struct rc_suite *const *suite = rc_suites();
    size_t count = 0;

    for (; suite[count]; count++) {
        const struct rc_suite_definition *found =
            rc_definitions_find(definitions, suite[count]->name);
        assert_non_null(found);
        assert_true(found->metric_count > 0);
    }
    assert_int_equal(rc_definitions_count(definitions), count);
}

/* The definition may add exact ideals behind those of the suite. */
static void own_bases_begin_with_the_ideals_of_their_suites(void **state)
{
    struct rc_definitions *definitions = *state;

    for (size_t i = 0; i < rc_definitions_count(definitions); i++) {
        const struct rc_suite_definition *is = rc_definitions_suite(definitions, i);
        const struct rc_suite *suite = rc_suite_find(is->name);
        assert_true(is->ideal_count >= suite->ideal_count);
        for (size_t j = 0; j < is->ideal_count; j++) {
            enum rc_ideal ideal = rc_ideal_find(is->ideal[j]);
            assert_true(ideal != RC_IDEAL_COUNT);
            if (j < suite->ideal_count)
                assert_int_equal(ideal, suite->ideals[j]);
            else
                assert_true(rc_ideal_exact(ideal));
        }
    }
}

static void own_signatures_are_made_of_ideals_of_their_basis(void **state)
{
    struct rc_definitions *definitions = *state;

    for (size_t i = 0; i < rc_definitions_count(definitions); i++) {
        const struct rc_suite_definition *is = rc_definitions_suite(definitions, i);
        for (size_t m = 0; m < is->metric_count; m++) {
            const struct rc_metric_definition *metric = &is->metric[m];
            assert_true(!metric->signature[0] != !metric->formula[0]);
            assert_true(!metric->weight_count == !metric->signature[0]);
            assert_true(metric->description[0] && metric->unit[0]);
            for (size_t w = 0; w < metric->weight_count; w++) {
                size_t j = 0;
                while (j < is->ideal_count &&
                       strcmp(is->ideal[j], metric->weight[w].ideal) != 0)
                    j++;
                assert_true(j < is->ideal_count);
                assert_true(metric->weight[w].weight != 0);
            }
        }
    }
}

/* So that a formula's names and a preset mean one thing. */
static void own_metrics_and_presets_have_names_of_their_own(void **state)
{
    struct rc_definitions *definitions = *state;
    const struct rc_metric_definition *all[256];
    size_t count = 0;

    for (size_t i = 0; i < rc_definitions_count(definitions); i++) {
        const struct rc_suite_definition *is = rc_definitions_suite(definitions, i);
        for (size_t m = 0; m < is->metric_count; m++) {
            assert_true(count < sizeof all / sizeof all[0]);
            all[count++] = &is->metric[m];
        }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(all[i]->name, all[j]->name);
            if (all[i]->preset[0])
                assert_string_not_equal(all[i]->preset, all[j]->preset);
        }
}

/* Lines of "machine,suite,metric,event,coefficient,backward_error". */
static void published_metrics_are_there_in_the_published_order(void **state)
{
    struct rc_definitions *definitions = *state;
    struct rc_error err = {0};
    char *text, *rest = NULL, last_suite[64] = "";
    size_t bytes, found = 0, last = 0;

    assert_int_equal(rc_file_read(RC_TEST_DATA "/published_metrics.csv", 1 << 20, &text,
                                  &bytes, &err),
                     RC_OK);
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char suite[64], metric[64];
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%*[^,],%63[^,],%63[^,]", suite, metric), 2);
        const struct rc_metric_definition *is = find_metric(definitions, suite, metric);
        assert_non_null(is);
        size_t number = (size_t)(is - rc_definitions_find(definitions, suite)->metric);
        assert_true(strcmp(suite, last_suite) != 0 || number >= last);
        snprintf(last_suite, sizeof last_suite, "%s", suite);
        last = number;
        found++;
    }
    assert_int_equal(found, 57);
    free(text);
}

static void signatures_are_the_published_ones(void **state)
{
    struct rc_definitions *definitions = *state;
    static const struct {
        const char *suite, *metric;
        double weight[16];
    } published[] = {
        {"flops", "SP instructions", {1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2}},
        {"flops", "SP operations", {1, 4, 8, 16, 0, 0, 0, 0, 2, 8, 16, 32}},
        {"flops", "SP FMA instructions", {0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2}},
        {"flops", "DP instructions", {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2}},
        {"flops", "DP operations", {0, 0, 0, 0, 1, 2, 4, 8, 0, 0, 0, 0, 2, 4, 8, 16}},
        {"flops", "DP FMA instructions", {[12] = 2, 2, 2, 2}},
        {"branch", "unconditional", {0, 0, 0, 1, 0}},
        {"branch", "conditional taken", {0, 0, 1, 0, 0}},
        {"branch", "conditional not taken", {0, 1, -1, 0, 0}},
        {"branch", "mispredicted", {0, 0, 0, 0, 1}},
        {"branch", "correctly predicted", {0, 1, 0, 0, -1}},
        {"branch", "conditional retired", {0, 1, 0, 0, 0}},
        {"branch", "conditional executed", {1, 0, 0, 0, 0}},
        {"dcache", "L1 misses", {1, 0, 0, 0}},
        {"dcache", "L1 hits", {0, 1, 0, 0}},
        {"dcache", "L1 reads", {1, 1, 0, 0}},
        {"dcache", "L2 hits", {0, 0, 1, 0}},
        {"dcache", "L2 misses", {1, 0, -1, 0}},
        {"dcache", "L3 hits", {0, 0, 0, 1}},
        {"gpu-flops", "half add and subtract", {[0] = 1, [3] = 1}},
        {"gpu-flops",
         "single operations",
         {[1] = 1, [4] = 1, [7] = 1, [10] = 1, [13] = 2}},
    };

    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        const struct rc_suite_definition *suite =
            rc_definitions_find(definitions, published[i].suite);
        const struct rc_metric_definition *metric =
            find_metric(definitions, published[i].suite, published[i].metric);
        for (size_t j = 0; j < suite->ideal_count; j++) {
            double weight = 0;
            for (size_t w = 0; w < metric->weight_count; w++)
                if (strcmp(metric->weight[w].ideal, suite->ideal[j]) == 0)
                    weight = metric->weight[w].weight;
            assert_true(weight == published[i].weight[j]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            every_suite_has_definitions_and_the_other_way_round, create, close_them),
        cmocka_unit_test_setup_teardown(own_bases_begin_with_the_ideals_of_their_suites,
                                        create, close_them),
        cmocka_unit_test_setup_teardown(
            own_signatures_are_made_of_ideals_of_their_basis, create, close_them),
        cmocka_unit_test_setup_teardown(own_metrics_and_presets_have_names_of_their_own,
                                        create, close_them),
        cmocka_unit_test_setup_teardown(
            published_metrics_are_there_in_the_published_order, create, close_them),
        cmocka_unit_test_setup_teardown(signatures_are_the_published_ones, create,
                                        close_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
