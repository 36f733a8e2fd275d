#include "tests/lib/test.h"

#include "campaign/base/files/file.h"
#include "kernels/kernel.h"
#include "solve/definitions/definitions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void bad_files_are_refused_with_file_line_and_expectation(void **state)
{
#define SUM "expected terms such as '2 SF_SCAL + S_SCAL - 0.5 M + 3'"
#define SHARE "expected a number above 0 and at most 1"
#define IDEAL                                                                          \
    "expected an ideal's name such as S_SCAL: a letter, then letters, digits and "     \
    "'_', 31 at most"
#define SUITE "expected a suite's name such as flops: letters, digits, '-' and '_'"
#define COUNT                                                                          \
    "expected a point's name and its count from 0 to 1e18, such as 'sp-scalar-24 24'"
#define METRIC(rest) "suite: branch\nmetrics:\n- metric: a\n  " rest
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "f.yaml:1: empty, expected a mapping of keys"},
        {"{}", "f.yaml:1: nothing is defined, expected 'suite', 'suites' or 'metrics'"},
        {"metrics: []",
         "f.yaml:1: nothing is defined, expected 'suite', 'suites' or 'metrics'"},
        {"suit: x", "f.yaml:1: unknown key 'suit', did you mean 'suite'?"},
        {"suite: ''", "f.yaml:1: suite: '', " SUITE},
        {"suite: a b", "f.yaml:1: suite: 'a b', " SUITE},
        {"suite: ../evil", "f.yaml:1: suite: '../evil', " SUITE},
        {"suites:\n- alpha: 1", "f.yaml:2: key 'suite' is missing"},
        {"suites:\n- suite: a\n  suites: []",
         "f.yaml:3: unknown key 'suites', did you mean 'suite'?"},
        {"alpha: 1", "f.yaml:1: settings without a suite, expected the key 'suite'"},
        {"suite: x\nalpha: 8x", "f.yaml:2: alpha: '8x', " SHARE},
        {"suite: x\nalpha: -5e-4", "f.yaml:2: alpha: '-5e-4', " SHARE},
        {"suite: x\nalpha: 0", "f.yaml:2: alpha: '0', " SHARE},
        {"suite: x\nalpha: nan", "f.yaml:2: alpha: 'nan', " SHARE},
        {"suite: x\nalpha: inf", "f.yaml:2: alpha: 'inf', " SHARE},
        {"suite: x\nalpha: .inf", "f.yaml:2: alpha: '.inf', " SHARE},
        {"suite: x\nalpha: ''", "f.yaml:2: alpha: '', " SHARE},
        {"suite: x\nresidual: 1.5", "f.yaml:2: residual: '1.5', " SHARE},
        {"suite: x\npurity: 1e-2 # fine\nresidual: 1%",
         "f.yaml:3: residual: '1%', " SHARE},
        {"suite: x\npurity: -1", "f.yaml:2: purity: '-1', " SHARE},
        {"suite: x\nnoise: automatic",
         "f.yaml:2: noise: 'automatic', expected auto or a number from 0 to 1e6"},
        {"suite: x\nnoise: -1e-10",
         "f.yaml:2: noise: '-1e-10', expected auto or a number from 0 to 1e6"},
        {"suite: x\nwithin: 0", "f.yaml:2: within: '0', " SHARE},
        {"suite: x\nwithin: 15%", "f.yaml:2: within: '15%', " SHARE},
        {"suite: x\nloose: [A, 2]", "f.yaml:2: loose[1]: '2', " IDEAL},
        {"suite: x\nideals: [A]\nloose: [B]",
         "f.yaml:3: loose[0]: 'B' is not in the basis of suite 'x', expected one that "
         "is"},
        {"loose: [A]", "f.yaml:1: settings without a suite, expected the key 'suite'"},
        {"suite: x\nnuisance: 2", "f.yaml:2: nuisance: '2', expected yes or no"},
        {"suite: x\nsingle: maybe", "f.yaml:2: single: 'maybe', expected yes or no"},
        {"single: yes", "f.yaml:1: settings without a suite, expected the key 'suite'"},
        {"suite: x\nplaces: mean", "f.yaml:2: places: 'mean', expected pool or median"},
        {"suite: x\nideals: [A, 'B C']", "f.yaml:2: ideals[1]: 'B C', " IDEAL},
        {"suite: x\nideals: [2A]", "f.yaml:2: ideals[0]: '2A', " IDEAL},
        {"suite: x\nideals: [a234567890123456789012345678901b]",
         "f.yaml:2: ideals[0]: 'a234567890123456789012345678901b', " IDEAL},
        {"suite: x\nideals: [A,\n B,\n A]", "f.yaml:4: ideals[2]: 'A' is given twice"},
        {"suite: x\ncolumns:\n- ideal: X", "f.yaml:3: key 'values' is missing"},
        {"suite: x\ncolumns:\n- ideal: X\n  values: []",
         "f.yaml:4: columns[0].values: 0 values, expected at least 1, and at most "
         "10000 "
         "in all"},
        {"suite: x\ncolumns:\n- ideal: X-Y\n  values: [p 1]",
         "f.yaml:3: columns[0].ideal: 'X-Y', " IDEAL},
        {"suite: x\ncolumns:\n- ideal: X\n  values:\n  - p 1\n  - q",
         "f.yaml:6: columns[0].values[1]: 'q', " COUNT},
        {"suite: x\ncolumns:\n- ideal: X\n  values: [p nan]",
         "f.yaml:4: columns[0].values[0]: 'p nan', " COUNT},
        {"suite: x\ncolumns:\n- ideal: X\n  values: [p -1]",
         "f.yaml:4: columns[0].values[0]: 'p -1', " COUNT},
        {"suite: x\ncolumns:\n- ideal: X\n  values: [' 1']",
         "f.yaml:4: columns[0].values[0]: ' 1', " COUNT},
        {"suite: x\ncolumns:\n- ideal: X\n  values: [p 1]\n- ideal: X\n  values: [p 1]",
         "f.yaml:5: column 'X' is given twice, first in f.yaml:3"},
        {"suite: branch\ncolumns:\n- ideal: CE\n  values: [p 1]",
         "f.yaml:3: column 'CE' is an ideal of suite 'branch' already, expected "
         "another "
         "name"},
        {"rates:\n- {rate: a, unit: b, formula: c}",
         "f.yaml:1: settings without a suite, expected the key 'suite'"},
        {"suite: x\nrates:\n- {rate: a, formula: c}",
         "f.yaml:3: key 'unit' is missing"},
        {"suite: x\nrates:\n- {rate: '', unit: b, formula: c}",
         "f.yaml:3: rates[0].rate: '', expected some text"},
        {"suite: x\nrates:\n- {rate: a, unit: '', formula: c}",
         "f.yaml:3: rates[0].unit: '', expected some text"},
        {"suite: x\nrates:\n- rate: a\n  unit: b\n  formula: 8 * mean(c)",
         "f.yaml:5: rates[0].formula: column 5: 'mean(', expected one of the functions "
         "sum, max and min"},
        {"suite: x\nrates:\n- {rate: a, unit: b, formula: c}\n- {rate: a, unit: b, "
         "formula: d}",
         "f.yaml:4: rate 'a' is given twice, first in f.yaml:3"},
        {"suite: x\nmetrics:\n- signature: T", "f.yaml:3: key 'metric' is missing"},
        {"metrics:\n- {metric: a, signature: T}",
         "f.yaml:2: metrics[0]: metric 'a' has no suite, expected the key 'suite'"},
        {"metrics:\n- {metric: a, suite: 'x/y', signature: T}",
         "f.yaml:2: metrics[0].suite: 'x/y', " SUITE},
        {"suite: x\nmetrics:\n- {metric: '', signature: T}",
         "f.yaml:3: metrics[0].metric: '', expected some text"},
        {"suite: x\nmetrics:\n- {metric: ' a', signature: T}",
         "f.yaml:3: metrics[0].metric: ' a', expected a name without blanks at its "
         "ends"},
        {"suite: x\nmetrics:\n- {metric: 'a[0]', signature: T}",
         "f.yaml:3: metrics[0].metric: 'a[0]', expected a name without '[' and ']', "
         "which "
         "stand around names in formulas"},
        {"suite: x\nmetrics:\n- {metric: \"a\\nb\", signature: T}",
         "f.yaml:3: metrics[0].metric: 'a?b', a line break or control character in it, "
         "expected one line"},
        {METRIC("preset: ''"), "f.yaml:3: metrics[0]: metric 'a' has neither, expected "
                               "one of 'signature' and "
                               "'formula'"},
        {METRIC("signature: T\n  formula: '[x]'"),
         "f.yaml:3: metrics[0]: metric 'a' has both, expected one of 'signature' and "
         "'formula'"},
        {METRIC("signature: T\n  preset: PAPI-X"),
         "f.yaml:5: metrics[0].preset: 'PAPI-X', expected a name such as PAPI_DP_OPS: "
         "letters, digits and '_', 63 at most"},
        {METRIC("signature: ''"),
         "f.yaml:4: metrics[0].signature: a sum that ends too early, " SUM},
        {METRIC("signature: CR -"),
         "f.yaml:4: metrics[0].signature: a sum that ends too early, " SUM},
        {METRIC("signature: CR T"),
         "f.yaml:4: metrics[0].signature: unexpected 'T', " SUM},
        {METRIC("signature: CR / 2"),
         "f.yaml:4: metrics[0].signature: unexpected '/ 2', " SUM},
        {METRIC("signature: 1.2.3 CR"), "f.yaml:4: metrics[0].signature: '1.2.3' is "
                                        "not a coefficient, expected a number "
                                        "up to 1e18"},
        {METRIC("signature: 1e999 CR"), "f.yaml:4: metrics[0].signature: '1e999' is "
                                        "not a coefficient, expected a number "
                                        "up to 1e18"},
        {METRIC("signature: CR + 3"), "f.yaml:4: metrics[0].signature: the number 3 "
                                      "stands alone, expected it with an "
                                      "ideal"},
        {METRIC("signature: nan CR"),
         "f.yaml:4: metrics[0].signature: unexpected 'CR', " SUM},
        {METRIC("signature: 0 CR"),
         "f.yaml:4: metrics[0].signature: all coefficients are 0, expected one that is "
         "not"},
        {METRIC("signature: CR - CR"), "f.yaml:3: metric 'a': the terms of 'CR - CR' "
                                       "cancel each other, expected some "
                                       "that do not"},
        {METRIC("signature: S_SCAL"),
         "f.yaml:3: metric 'a': no ideal 'S_SCAL' in the basis of suite 'branch', "
         "expected one of: CE, CR, T, D, M"},
        {METRIC("formula: '[x'"),
         "f.yaml:4: metrics[0].formula: column 1: a '[' without its ']', expected a "
         "metric in brackets such as [DP operations], a number or '('"},
        {METRIC("formula: '[no such thing]'"),
         "f.yaml:3: formula of 'a': no metric 'no such thing', expected one that a "
         "suite "
         "has"},
        {METRIC("formula: '[DP operation]'"),
         "f.yaml:3: formula of 'a': no metric 'DP operation', did you mean 'DP "
         "operations'?"},
        {METRIC("formula: '2 * [a]'"),
         "f.yaml:3: formula of 'a': 'a' is a formula itself, expected metrics with a "
         "signature"},
        {METRIC("formula: '2 * [taken rate]'"),
         "f.yaml:3: formula of 'a': 'taken rate' is a formula itself, expected metrics "
         "with a signature"},
        {METRIC("signature: T\n- {metric: a, suite: branch, signature: D}"),
         "f.yaml:5: metric 'a' is given twice, first in f.yaml:3"},
        {"suites:\n- suite: x\n- suite: y\n  metrics:\n  - {metric: a, signature: A}\n"
         "  - metric: b\n    signature: A A\n",
         "f.yaml:7: suites[1].metrics[1].signature: unexpected 'A', " SUM},
        {"suite: x\nmetrics: [*a]",
         "f.yaml:2: anchors and aliases are not accepted here: write it out"},
    };
    struct rc_definitions *definitions = *state;
    size_t count = rc_definitions_count(definitions);

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        int status = rc_definitions_add_text(definitions, "f.yaml", bad[i].text,
                                             strlen(bad[i].text), &err);
        assert_string_equal(err.text, bad[i].message);
        assert_int_equal(status, RC_EUSAGE);
        assert_int_equal(rc_definitions_count(definitions), count);
    }
}

static int add(struct rc_definitions *definitions, const char *text,
               struct rc_error *err)
{
    return rc_definitions_add_text(definitions, "f.yaml", text, strlen(text), err);
}

/* 'count' items of a list, each by 'format' with its number. */
static char *many(const char *head, const char *format, size_t count)
{
    size_t room = strlen(head) + count * (strlen(format) + 20) + 1;
    char *text = malloc(room), *end = text;

    assert_non_null(text);
    end += sprintf(end, "%s", head);
    for (size_t i = 0; i < count; i++) {
        const char *mark = strchr(format, '#');
        end += sprintf(end, "%.*s%zu%s", (int)(mark - format), format, i, mark + 1);
    }
    return text;
}

static void files_that_ask_for_too_much_are_refused(void **state)
{
    struct rc_definitions *definitions = *state;
    const size_t left = 256 - rc_definitions_count(definitions); /* beside our own */
    char suites[100];
    const struct {
        const char *head, *format;
        size_t count;
        const char *message;
    } bad[] = {
        {"suites:\n", "- suite: s#\n", 300, suites},
        {"suite: x\nmetrics:\n", "- {metric: m#, signature: A}\n", 1025,
         "f.yaml:3: metrics: 1025 metrics up to here, expected at most 1024"},
        {"suite: x\ncolumns:\n", "- {ideal: I#, values: [p 1]}\n", 257,
         "f.yaml:3: columns: 257 columns, expected at most 256"},
        {"suite: x\nideals:\n", "- I#\n", 257,
         "f.yaml:3: ideals: 257 ideals, expected at most 256"},
        {"suite: x\ncolumns:\n- ideal: X\n  values:\n", "  - p# 1\n", 10001,
         "f.yaml:5: columns[0].values: 10001 values, expected at least 1, and at most "
         "10000 in all"},
        {"suite: x\nmetrics:\n- metric: a\n  signature: A", " + A#", 300,
         "f.yaml:4: metrics[0].signature: more than 256 terms, expected at most that "
         "many"},
        {"suite: x\nmetrics:\n- metric: a\n  signature: A", " + A#", 1000,
         "f.yaml:4: metrics[0].signature: 6891 bytes long, expected at most 4000"},
    };

    snprintf(suites, sizeof suites,
             "f.yaml:%zu: suite 's%zu' is one too many, expected at most 256", left + 2,
             left);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        char *text = many(bad[i].head, bad[i].format, bad[i].count);
        int status = add(definitions, text, &err);
        assert_string_equal(err.text, bad[i].message);
        assert_int_equal(status, RC_EUSAGE);
        free(text);
    }
}

static void files_that_are_not_there_are_named(void **state)
{
    struct rc_error err = {0};

    assert_int_equal(rc_definitions_add_file(*state, "/nowhere/m.yaml", &err),
                     RC_EMISSING);
    assert_string_equal(err.text,
                        "cannot open '/nowhere/m.yaml': No such file or directory");
}

/* A metric takes three lines. */
static void a_metric_is_added_to_a_known_suite(void **state)
{
    struct rc_definitions *definitions = *state;
    struct rc_error err = {0};
    size_t before = rc_definitions_find(definitions, "branch")->metric_count;

    assert_int_equal(add(definitions,
                         "suite: branch\nmetrics:\n"
                         "- {metric: jumps, signature: \"2 T + D - 0.5 T\"}\n",
                         &err),
                     RC_OK);
    const struct rc_suite_definition *suite =
        rc_definitions_find(definitions, "branch");
    const struct rc_metric_definition *metric = &suite->metric[before];
    assert_int_equal(suite->metric_count, before + 1);
    assert_int_equal(suite->ideal_count, 5);
    assert_true(suite->tau == 1e-10);
    assert_string_equal(metric->name, "jumps");
    assert_string_equal(metric->where, "f.yaml:3");
    assert_string_equal(metric->signature, "2 T + D - 0.5 T");
    assert_string_equal(metric->formula, "");
    assert_string_equal(metric->preset, "");
    assert_int_equal(metric->weight_count, 2);
    assert_string_equal(metric->weight[0].ideal, "T");
    assert_true(metric->weight[0].weight == 1.5);
    assert_string_equal(metric->weight[1].ideal, "D");
    assert_true(metric->weight[1].weight == 1);
}

static void what_is_given_again_takes_the_place_of_what_was_there(void **state)
{
    struct rc_definitions *definitions = *state;
    struct rc_error err = {0};
    size_t before = rc_definitions_find(definitions, "branch")->metric_count;

    assert_int_equal(add(definitions,
                         "suite: branch\nalpha: 0.25\nnoise: auto\nplaces: median\n"
                         "nuisance: no\nsingle: yes\nideals: [T, D, CR, INS]\nloose: "
                         "[D]\nwithin: 0.3\n"
                         "metrics:\n- {metric: mispredicted, signature: INS}\n"
                         "columns:\n- {ideal: MINE, values: ['random* 2', random 3]}\n",
                         &err),
                     RC_OK);
    const struct rc_suite_definition *suite =
        rc_definitions_find(definitions, "branch");
    assert_true(suite->alpha == 0.25);
    assert_true(isnan(suite->tau));
    assert_true(suite->residual == 1e-2);
    assert_int_equal(suite->places, RC_PLACES_MEDIAN);
    assert_false(suite->nuisance);
    assert_true(suite->single);
    assert_int_equal(suite->loose_count, 1);
    assert_string_equal(suite->loose[0], "D");
    assert_true(suite->within == 0.3);
    assert_int_equal(suite->ideal_count, 4);
    assert_string_equal(suite->ideal[3], "INS");
    assert_string_equal(suite->where, "f.yaml:1");
    assert_int_equal(suite->metric_count, before);
    assert_string_equal(suite->metric[3].name, "mispredicted");
    assert_string_equal(suite->metric[3].weight[0].ideal, "INS");
    assert_string_equal(suite->metric[3].preset, "");
    assert_int_equal(suite->column_count, 1);
    assert_true(rc_column_value(&suite->column[0], "random-work") == 2);
    assert_true(rc_column_value(&suite->column[0], "random") == 3);
    assert_true(rc_column_value(&suite->column[0], "loop") == 0);
    assert_int_equal(add(definitions,
                         "suite: branch\ncolumns:\n- {ideal: MINE, values: [loop 7]}\n",
                         &err),
                     RC_OK);
    suite = rc_definitions_find(definitions, "branch");
    assert_int_equal(suite->column_count, 1);
    assert_true(rc_column_value(&suite->column[0], "loop") == 7);
    assert_true(rc_column_value(&suite->column[0], "random") == 0);
}

static void a_suite_that_no_file_names_gets_the_defaults(void **state)
{
    struct rc_definitions *definitions = *state;
    struct rc_error err = {0};

    assert_null(rc_definitions_find(definitions, "mine"));
    assert_int_equal(
        add(definitions, "suite: mine\nmetrics:\n- {metric: a, signature: X}", &err),
        RC_OK);
    const struct rc_suite_definition *suite = rc_definitions_find(definitions, "mine");
    assert_int_equal(suite->ideal_count, 0);
    assert_true(suite->alpha == 5e-4 && suite->tau == 1e-10);
    assert_true(suite->residual == 1e-2 && suite->purity == 1e-2);
    assert_true(suite->nuisance);
    assert_false(suite->single);
    assert_int_equal(suite->places, RC_PLACES_POOL);
    assert_string_equal(suite->where, "f.yaml:1");
}

static void a_file_may_hold_several_suites(void **state)
{
    struct rc_definitions *definitions = *state;
    struct rc_error err = {0};

    assert_int_equal(add(definitions,
                         "suites:\n"
                         "- suite: mine\n  ideals: [X]\n"
                         "  metrics: [{metric: a, signature: X}]\n"
                         "- suite: branch\n  alpha: 0.5\n"
                         "metrics:\n- {metric: b, suite: flops, signature: S_SCAL}\n",
                         &err),
                     RC_OK);
    assert_non_null(find_metric(definitions, "mine", "a"));
    assert_non_null(find_metric(definitions, "flops", "b"));
    assert_true(rc_definitions_find(definitions, "branch")->alpha == 0.5);
}

/* The last of its metrics is wrong; all else is right. */
static void of_a_file_with_an_error_nothing_is_added(void **state)
{
    struct rc_definitions *definitions = *state;
    struct rc_error err = {0};
    size_t count = rc_definitions_count(definitions);
    size_t metrics = rc_definitions_find(definitions, "branch")->metric_count;

    assert_int_equal(add(definitions,
                         "suites:\n- suite: mine\n- suite: branch\n  alpha: 0.5\n"
                         "  columns: [{ideal: X, values: [loop 1]}]\n  metrics:\n"
                         "  - {metric: mispredicted, signature: D}\n"
                         "  - {metric: a, signature: X}\n"
                         "  - {metric: b, formula: '[c]'}\n",
                         &err),
                     RC_EUSAGE);
    const struct rc_suite_definition *suite =
        rc_definitions_find(definitions, "branch");
    assert_int_equal(rc_definitions_count(definitions), count);
    assert_int_equal(suite->metric_count, metrics);
    assert_int_equal(suite->column_count, 0);
    assert_true(suite->alpha == 5e-4);
    assert_string_equal(
        find_metric(definitions, "branch", "mispredicted")->weight[0].ideal, "M");
}

/* "rate" uses a metric that a later file takes away from under it. */
static void a_formula_stays_right_when_its_metrics_change(void **state)
{
    struct rc_definitions *definitions = *state;
    struct rc_error err = {0};

    assert_int_equal(add(definitions,
                         "suite: branch\nmetrics:\n"
                         "- {metric: retired, signature: CR}\n"
                         "- {metric: rate, formula: '[mispredicted] / [retired]'}\n",
                         &err),
                     RC_OK);
    assert_int_equal(add(definitions,
                         "suite: branch\nmetrics:\n"
                         "- {metric: retired, formula: '[mispredicted]'}\n",
                         &err),
                     RC_EUSAGE);
    assert_string_equal(err.text, "f.yaml:4: formula of 'rate': 'retired' is a formula "
                                  "itself, expected metrics with a signature");
}

static void metrics_are_found_in_their_own_suite_first(void **state)
{
    static const char own[] = "suite: dcache\nmetrics:\n"
                              "- {metric: misses, signature: L1DM}\n"
                              "- {metric: mispredicted, formula: '[misses]'}\n";
    struct rc_definitions *definitions = *state;
    struct rc_error err = {0};
    char with_rate[512];

    /* That of dcache is a formula, which formulas may not name; that of branch is none.
     */
    snprintf(with_rate, sizeof with_rate, "%s- {metric: rate, formula: '%s'}\n", own,
             "[mispredicted]");
    assert_int_equal(add(definitions, with_rate, &err), RC_EUSAGE);
    assert_string_equal(err.text, "f.yaml:5: formula of 'rate': 'mispredicted' is a "
                                  "formula itself, expected metrics with a signature");
    assert_int_equal(add(definitions, own, &err), RC_OK);
    assert_int_equal(add(definitions,
                         "suite: memory\nmetrics:\n"
                         "- {metric: rate, formula: '[mispredicted]'}\n",
                         &err),
                     RC_OK);
    assert_int_equal(add(definitions,
                         "suite: memory\nmetrics:\n"
                         "- {metric: rate, formula: '[nothing]'}\n",
                         &err),
                     RC_EUSAGE);
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
        assert_true(suite[count]->made_by ? found->rate_count > 0
                                          : found->metric_count > 0);
    }
    assert_int_equal(rc_definitions_count(definitions), count);
}

/* The definition may add exact ideals after those of the suite. */
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

    assert_int_equal(rc_file_read(RC_TEST_DATA "/published_metrics.csv", RC_FILE_GIVEN,
                                  1 << 20, &text, &bytes, &err),
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

/* Each on definitions of its own. */
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, close_them)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bad_files_are_refused_with_file_line_and_expectation),
        TEST(files_that_ask_for_too_much_are_refused),
        TEST(files_that_are_not_there_are_named),
        TEST(a_metric_is_added_to_a_known_suite),
        TEST(what_is_given_again_takes_the_place_of_what_was_there),
        TEST(a_suite_that_no_file_names_gets_the_defaults),
        TEST(a_file_may_hold_several_suites),
        TEST(of_a_file_with_an_error_nothing_is_added),
        TEST(a_formula_stays_right_when_its_metrics_change),
        TEST(metrics_are_found_in_their_own_suite_first),
        TEST(every_suite_has_definitions_and_the_other_way_round),
        TEST(own_bases_begin_with_the_ideals_of_their_suites),
        TEST(own_signatures_are_made_of_ideals_of_their_basis),
        TEST(own_metrics_and_presets_have_names_of_their_own),
        TEST(published_metrics_are_there_in_the_published_order),
        TEST(signatures_are_the_published_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
