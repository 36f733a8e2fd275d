#include "tests/lib/test.h"

#include "campaign/catalogue/presets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define KEY                                                                            \
    "vendor=GenuineIntel; counters=papi: papi 7.0.0; perf_event 8: perf, spr, "        \
    "perf_raw"

static const char *const coordinates[] = {"SCAL", "P128", "FMA"};

/* A counts SCAL and twice FMA, B counts P128; A2 is an event equal to A. */
static struct rc_chosen chosen[] = {
    {.name = "A:ONE",
     .coordinate = (const double[]){1, 0, 2},
     .other_name = (const char *const[]){"A2"},
     .other_count = 1},
    {.name = "B", .coordinate = (const double[]){0, 1, 0}},
};

static struct rc_term terms[] = {
    {.name = "A:ONE", .coefficient = 1.0000001, .rounded = 1, .low = 1, .high = 1},
    {.name = "B", .coefficient = 2.01, .rounded = 2, .low = 1.9, .high = 2.1},
};

/* C counts all three once; D has no representation. */
static bool represent(void *context, const char *event, double *out)
{
    ++*(int *)context;
    if (!rc_preset_same_event(event, "C"))
        return false;
    out[0] = out[1] = out[2] = 1;
    return true;
}

static const struct {
    const char *derived, *postfix, *event[16];
    const char *outcome; /* of the metric A + 2 B */
} samples[] = {
    {"DERIVED_POSTFIX", "N0|N1|2|*|+|", {"A:ONE", "B"}, "agrees"},
    {"DERIVED_POSTFIX", "N1|2|*|N0|+", {"spr::a:one", "b"}, "agrees"},
    {"DERIVED_POSTFIX", "|N0|2|N1|*|+|", {"A:ONE", "B"}, "agrees"},
    {"DERIVED_POSTFIX", "N0|N1|N2|+|+", {"A:ONE", "B", "B"}, "agrees"},
    {"DERIVED_POSTFIX", "N0|N1|4|*|2|/|+", {"A:ONE", "B"}, "agrees"},
    {"DERIVED_ADD", "", {"A:ONE", "B", "B"}, "agrees"},
    {"DERIVED_POSTFIX",
     "N0|N1|2|*|+|",
     {"A2", "B"},
     "agrees: other events that count the same"},
    {"DERIVED_ADD", "", {"A:ONE", "B"}, "differs by -1 x B"},
    {"DERIVED_SUB", "", {"B", "A:ONE"}, "differs by -2 x A:ONE - 1 x B"},
    {"NOT_DERIVED", "", {"B"}, "differs by -1 x A:ONE - 1 x B"},
    {"DERIVED_POSTFIX",
     "N0|N1|N2|+|+|",
     {"A2", "B", "C"},
     "differs by 1 x SCAL + 1 x FMA"},
    {"NOT_DERIVED", "", {"C"}, "differs by -1 x P128 - 1 x FMA"},
    {"NOT_DERIVED", "", {"D"}, "cannot be checked: what 'D' counts is not known"},
    {"DERIVED_POSTFIX",
     "N0|N1|*|",
     {"A:ONE", "B"},
     "cannot be checked: it is not a sum of events"},
    {"DERIVED_POSTFIX",
     "N0|N1|/|",
     {"A:ONE", "B"},
     "cannot be checked: it is not a sum of events"},
    {"DERIVED_POSTFIX",
     "N0|1|+|",
     {"A:ONE"},
     "cannot be checked: it is not a sum of events"},
    {"DERIVED_POSTFIX",
     "N0|0|/|",
     {"A:ONE"},
     "cannot be checked: it is not a sum of events"},
    {"DERIVED_POSTFIX",
     "N7|",
     {"A:ONE"},
     "cannot be checked: it is not a sum of events"},
    {"DERIVED_POSTFIX",
     "N0|N1",
     {"A:ONE", "B"},
     "cannot be checked: it is not a sum of events"},
    {"DERIVED_POSTFIX",
     "+|",
     {"A:ONE"},
     "cannot be checked: it is not a sum of events"},
    {"DERIVED_POSTFIX", "", {"A:ONE"}, "cannot be checked: it is not a sum of events"},
    {"DERIVED_POSTFIX",
     "N0|#|*|",
     {"A:ONE"},
     "cannot be checked: it is not a sum of events"},
    {"DERIVED_PS", "", {"A:ONE", "B"}, "cannot be checked: it is not a sum of events"},
};

static size_t count_of(const char *const *list)
{
    size_t count = 0;

    while (count < 16 && list[count])
        count++;
    return count;
}

static struct rc_metric_result metric = {.name = "sum",
                                         .preset = "PAPI_FP_OPS",
                                         .formula = "",
                                         .verdict = RC_METRIC_DEFINED,
                                         .rounded_holds = true,
                                         .term = terms,
                                         .term_count = 2};

static void expect(const struct rc_preset_list *list, const char *key,
                   const char *outcome, const char *definition)
{
    const struct rc_suite_result suite = {.suite = "flops",
                                          .coordinate = coordinates,
                                          .coordinate_count = 3,
                                          .alpha = 5e-4,
                                          .chosen = chosen,
                                          .chosen_count = COUNT_OF(chosen),
                                          .metric = &metric,
                                          .metric_count = 1};
    struct rc_pool *pool = rc_pool_create();
    struct rc_preset_check *found = NULL;
    struct rc_error err = {.rank = -1};
    int calls = 0;
    const struct rc_preset_places places = {represent, &calls};
    size_t count = 0;

    assert_int_equal(
        rc_preset_check(list, key, &suite, &places, pool, &found, &count, &err), RC_OK);
    assert_int_equal(count, 1);
    assert_string_equal(found->preset, "PAPI_FP_OPS");
    assert_string_equal(found->metric, "sum");
    assert_string_equal(found->outcome, outcome);
    if (definition)
        assert_string_equal(found->definition, definition);
    free(found);
    rc_pool_close(pool);
}

static const char *const pmus[] = {"spr"};

static void every_form_of_a_preset_is_compared_with_the_metric(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        const struct rc_preset preset = {.name = "PAPI_FP_OPS",
                                         .derived = samples[i].derived,
                                         .postfix = samples[i].postfix,
                                         .event = samples[i].event,
                                         .event_count = count_of(samples[i].event)};
        const struct rc_preset_list list = {"PAPI 7.0.0", pmus, 1, &preset, 1};
        expect(&list, KEY, samples[i].outcome, NULL);
    }
}

static void the_definition_is_said_as_the_library_has_it(void **state)
{
    static const char *const events[] = {"A:ONE", "B"};
    struct rc_preset preset = {"PAPI_FP_OPS", "DERIVED_POSTFIX", "N0|N1|2|*|+|", events,
                               2};
    const struct rc_preset_list list = {"PAPI 7.0.0", pmus, 1, &preset, 1};

    (void)state;
    expect(&list, KEY, "agrees", "N0|N1|2|*|+ of A:ONE, B");
    preset = (struct rc_preset){"PAPI_FP_OPS", "DERIVED_ADD", "", events, 2};
    expect(&list, KEY, "differs by -1 x B", "DERIVED_ADD of A:ONE, B");
}

static void a_preset_that_is_not_there_or_of_other_counters_is_not_checked(void **state)
{
    static const char *const events[] = {"A:ONE", "B"};
    const struct rc_preset preset = {"PAPI_TOT_INS", "DERIVED_ADD", "", events, 2};
    const struct rc_preset_list list = {"PAPI 7.0.0", pmus, 1, &preset, 1};

    (void)state;
    expect(&list, KEY,
           "cannot be checked: PAPI 7.0.0 has no definition of it for these counters",
           "");
    expect(&list, "counters=papi: papi 7.0.0; perf_event 8: perf, spr2, perf_raw",
           "cannot be checked: PAPI 7.0.0 here knows counters other than the kind's",
           "");
    expect(&list, "",
           "cannot be checked: PAPI 7.0.0 here knows counters other than the kind's",
           "");
}

static void a_metric_that_there_is_not_is_not_checked(void **state)
{
    static const char *const events[] = {"A:ONE", "B"};
    const struct rc_preset preset = {"PAPI_FP_OPS", "DERIVED_ADD", "", events, 2};
    const struct rc_preset_list list = {"PAPI 7.0.0", pmus, 1, &preset, 1};

    (void)state;
    metric.verdict = RC_METRIC_ABSENT;
    expect(&list, KEY, "cannot be checked: the metric is not on this machine", NULL);
    metric.verdict = RC_METRIC_REJECTED;
    expect(&list, KEY, "cannot be checked: the metric is rejected", NULL);
    metric.verdict = RC_METRIC_DEFINED;
    metric.formula = "[a] / [b]";
    expect(&list, KEY, "cannot be checked: the metric is a formula", NULL);
    metric.formula = "";
}

static void coefficients_that_were_not_rounded_agree_within_their_interval(void **state)
{
    static const char *const events[] = {"A:ONE", "B"};
    const struct rc_preset preset = {"PAPI_FP_OPS", "DERIVED_POSTFIX", "N0|N1|2|*|+",
                                     events, 2};
    const struct rc_preset_list list = {"PAPI 7.0.0", pmus, 1, &preset, 1};

    (void)state;
    metric.rounded_holds = false;
    expect(&list, KEY, "agrees", NULL);
    terms[1].low = 2.005;
    expect(&list, KEY, "differs by -0.01 x B", NULL);
    terms[1].low = 1.9;
    metric.rounded_holds = true;
}

/* Where there is no PMU, as in most virtual machines, the list is empty. */
static void the_presets_of_the_papi_at_hand_are_whole(void **state)
{
    struct rc_pool *pool = rc_pool_create();
    struct rc_preset_list list;
    struct rc_error err = {.rank = -1};

    (void)state;
    int status = rc_papi_presets(pool, &list, &err);
    if (status != RC_OK)
        assert_int_equal(status, RC_EUNSUPPORTED);
    for (size_t i = 0; i < list.count; i++) {
        assert_true(list.preset[i].name[0] != 0);
        assert_true(list.preset[i].event_count > 0);
        for (size_t e = 0; e < list.preset[i].event_count; e++)
            assert_true(list.preset[i].event[e][0] != 0);
    }
    rc_papi_presets_fini(&list);
    assert_int_equal(list.count, 0);
    rc_pool_close(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_a_preset_is_compared_with_the_metric),
        cmocka_unit_test(the_definition_is_said_as_the_library_has_it),
        cmocka_unit_test(
            a_preset_that_is_not_there_or_of_other_counters_is_not_checked),
        cmocka_unit_test(a_metric_that_there_is_not_is_not_checked),
        cmocka_unit_test(
            coefficients_that_were_not_rounded_agree_within_their_interval),
        cmocka_unit_test(the_presets_of_the_papi_at_hand_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
