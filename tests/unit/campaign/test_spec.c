#include "campaign/cli/args.h"
#include "campaign/spec/options.h"
#include "tests/lib/test.h"

#include "campaign/base/text.h"
#include "campaign/spec/spec.h"
#include "io/journal/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int from_text(const char *text, struct rc_spec *spec, struct rc_error *err)
{
    return rc_spec_from_text("c.yaml", text, strlen(text), spec, err);
}

/* A list of what this build has is not written out here. */
static void assert_says(const char *text, const char *expected)
{
    const char *rest = strstr(expected, "...");

    if (rest && !rest[3])
        assert_memory_equal(text, expected, (size_t)(rest - expected));
    else
        assert_string_equal(text, expected);
}

static void bad_files_are_refused_with_file_line_and_expectation(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"name: ''", "c.yaml:1: name: '', expected a name of 1 to 4096 bytes"},
        {"source: papi", "c.yaml:1: 'source': expected a list, found a single value"},
        {"name: a\nsource:\n- papi\n- pappi",
         "c.yaml:4: source[1]: 'pappi', expected a source of this build, did you mean "
         "'papi'?"},
        {"source: ['']",
         "c.yaml:1: source[0]: '', expected a source of this build: auto, papi, ..."},
        {"suites: [nosuch]", "c.yaml:1: suites[0]: 'nosuch', expected a suite of this "
                             "build: flops, branch, ..."},
        {"axes:\n- bytes=1K\n- bytes=2K",
         "c.yaml:3: axes[1]: 'bytes=2K', expected one list for each axis"},
        {"axes: [bytes]", "c.yaml:1: axes[0]: 'bytes', expected NAME=LIST"},
        {"axes: [bytes=4..2]", "c.yaml:1: axes[0]: 'bytes=4..2', expected a range that "
                               "rises, not '4..2'"},
        {"axes: ['bytes=1..8*1']",
         "c.yaml:1: axes[0]: 'bytes=1..8*1', expected a factor of 2 or more, not '1'"},
        {"axes: bytes=1", "c.yaml:1: 'axes': expected a list, found a single value"},
        {"events:\n- ok\n- ''",
         "c.yaml:3: events[1]: '', expected a pattern: GLOB, !GLOB or @FILE"},
        {"events: ['!']",
         "c.yaml:1: events[0]: '!', expected a pattern: GLOB, !GLOB or @FILE"},
        {"events: ['@/nowhere/x']",
         "cannot open '/nowhere/x': No such file or directory"},
        {"scopes: [cpu]", "c.yaml:1: scopes[0]: 'cpu', expected core, l2, l3, numa, "
                          "package, node or device"},
        {"qualifiers: some",
         "c.yaml:1: qualifiers: 'some', expected none, umasks or all"},
        {"presets: 2", "c.yaml:1: presets: '2', expected yes or no"},
        {"repeat: 0", "c.yaml:1: repeat: '0', expected MIN, MIN:MAX, auto or auto:MAX, "
                      "whole numbers with 1 <= MIN <= MAX <= 1000000"},
        {"repeat: 5:4", "c.yaml:1: repeat: '5:4', expected MIN, MIN:MAX, auto or "
                        "auto:MAX, whole numbers with 1 <= MIN <= MAX <= 1000000"},
        {"repeat: 5x", "c.yaml:1: repeat: '5x', expected MIN, MIN:MAX, auto or "
                       "auto:MAX, whole numbers with 1 <= MIN <= MAX <= 1000000"},
        {"repeat: '5:'", "c.yaml:1: repeat: '5:', expected MIN, MIN:MAX, auto or "
                         "auto:MAX, whole numbers with 1 <= MIN <= MAX <= 1000000"},
        {"repeat: 1000001",
         "c.yaml:1: repeat: '1000001', expected MIN, MIN:MAX, auto or auto:MAX, whole "
         "numbers with 1 <= MIN <= MAX <= 1000000"},
        {"target: 0", "c.yaml:1: target: '0', expected a share such as 0.5% or 0.005, "
                      "above 0 and below 1"},
        {"target: 100%", "c.yaml:1: target: '100%', expected a share such as 0.5% or "
                         "0.005, above 0 and below 1"},
        {"target: nan", "c.yaml:1: target: 'nan', expected a share such as 0.5% or "
                        "0.005, above 0 and below 1"},
        {"target: '%'", "c.yaml:1: target: '%', expected a share such as 0.5% or "
                        "0.005, above 0 and below 1"},
        {"seed: -1", "c.yaml:1: seed: '-1', expected a whole number"},
        {"group_size: many",
         "c.yaml:1: group_size: 'many', expected a whole number up to "
         "1000000; 0: as many as count together"},
        {"reference: ''",
         "c.yaml:1: reference: '', expected auto, none or an event's name"},
        {"replicate: cores",
         "c.yaml:1: replicate: 'cores', expected none, node or core"},
        {"smt: 2", "c.yaml:1: smt: '2', expected yes or no"},
        {"sync: 0", "c.yaml:1: sync: '0', expected never, always or a duration such as "
                    "250ms, 30s, 5m, 1h30m or 2d of at least 1ms"},
        {"sync: 0.5ms",
         "c.yaml:1: sync: '0.5ms', expected never, always or a duration such as "
         "250ms, 30s, 5m, 1h30m or 2d of at least 1ms"},
        {"sync: -1s", "c.yaml:1: sync: '-1s', expected never, always or a duration "
                      "such as 250ms, 30s, 5m, 1h30m or 2d of at least 1ms"},
        {"definitions: m.yaml",
         "c.yaml:1: 'definitions': expected a list, found a single value"},
        {"definitions: ['']",
         "c.yaml:1: definitions[0]: '', expected a file's path of 1 to 4096 bytes"},
        {"metrics:\n- suite: flops", "c.yaml:2: key 'metric' is missing"},
        {"metrics:\n- {metric: a, signature: T}",
         "c.yaml:2: metrics[0]: metric 'a' has no suite, expected the key 'suite'"},
        {"metrics:\n- metric: a\n  suite: flop\n  signature: T",
         "c.yaml:3: metrics[0].suite: 'flop', expected a suite of this build, did you "
         "mean 'flops'?"},
        {"metrics:\n- metric: a\n  suite: branch\n",
         "c.yaml:2: metrics[0]: metric 'a' has neither, expected one of 'signature' "
         "and "
         "'formula'"},
        {"metrics:\n- metric: b\n  suite: branch\n  signature: T\n"
         "- metric: a\n  suite: branch\n  signature: 8x T",
         "c.yaml:7: metrics[1].signature: unexpected 'T', expected terms such as '2 "
         "SF_SCAL + S_SCAL - 0.5 M + 3'"},
        {"metrics:\n- metric: a\n  suite: branch\n  formula: '[x] +'",
         "c.yaml:4: metrics[0].formula: column 6: the formula ends, expected a metric "
         "in "
         "brackets such as [DP operations], a number or '('"},
        {"iterations: 5",
         "c.yaml:1: unknown key 'iterations', expected one of: name, "
         "source, suites, axes, events, scopes, qualifiers, presets, repeat, "
         "target, seed, group_size, reference, replicate, smt, sync, submit, "
         "definitions, metrics"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_spec spec;
        assert_true(from_text(bad[i].text, &spec, &err) < 0);
        assert_says(err.text, bad[i].message);
        assert_null(spec.name);
    }
}

static void a_resolved_file_reads_back_as_itself(void **state)
{
    static const char *const files[] = {
        "{}",
        "name: 'a: b # \"c\" \xf0\x9f\x98\x80'\nsource: [papi, auto]\nevents: ['*', "
        "'!a,b', "
        "'!perf::*', ' x ']\nscopes: [core, l3]\nqualifiers: all\npresets: on\n"
        "repeat: 7\ntarget: 0.3%\nseed: 18446744073709551615\ngroup_size: 4\n"
        "reference: 'none'\nreplicate: core\nsmt: on\nsync: 1500us\n",
        "sync: never\nreplicate: node",
        "suites: [branch]\naxes: ['bytes=32K..4M*2,1G', 'store=plain', 'w=1..3']\n",
        "sync: always",
        "sync: 2m",
        "sync: 106751d",
        "definitions: [/nowhere/a.yaml, ' b: c ']\nmetrics:\n- {metric: 'a: b', suite: "
        "flops, signature: '2 S_SCAL - 1e-3 D_SCAL', unit: '', preset: PAPI_X}\n"
        "- {metric: '\xc3\xa9 # x', suite: branch, formula: '[a: b] / [mispredicted]', "
        "description: \"a 'b' \\\"c\\\"\"}\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct rc_error err = {0};
        struct rc_spec spec, back;
        char *text, *again;
        size_t bytes, again_bytes;
        assert_int_equal(from_text(files[i], &spec, &err), RC_OK);
        assert_int_equal(rc_spec_text(&spec, &text, &bytes, &err), RC_OK);
        assert_int_equal(rc_spec_from_text("again", text, bytes, &back, &err), RC_OK);
        assert_int_equal(rc_spec_text(&back, &again, &again_bytes, &err), RC_OK);
        assert_string_equal(text, again);
        assert_int_equal(spec.seed, back.seed);
        assert_true(spec.target == back.target);
        assert_int_equal(spec.events.count, back.events.count);
        assert_int_equal(spec.replicate, back.replicate);
        assert_int_equal(spec.smt, back.smt);
        assert_int_equal(spec.sync_ms, back.sync_ms);
        assert_int_equal(spec.definitions.count, back.definitions.count);
        assert_int_equal(spec.metric_count, back.metric_count);
        rc_spec_fini(&spec);
        rc_spec_fini(&back);
        free(text);
        free(again);
    }
}

static void syncs_are_never_always_or_milliseconds(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {{"{}", 1000},         {"sync: never", RC_JOURNAL_SYNC_NEVER},
                {"sync: 1ms", 1},     {"sync: always", RC_JOURNAL_SYNC_EACH},
                {"sync: 2.5s", 2500}, {"sync: 1h", 3600000}};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct rc_error err = {0};
        struct rc_spec spec;
        assert_int_equal(from_text(good[i].text, &spec, &err), RC_OK);
        assert_int_equal(spec.sync_ms, good[i].ms);
        rc_spec_fini(&spec);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");

    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

/* A command that takes all options that say what is measured, and how. */
static const struct rc_option *const options[] = {
    &rc_option_campaign,   &rc_option_source,
    &rc_option_suite,      &rc_option_axis,
    &rc_option_events,     &rc_option_scope,
    &rc_option_repeat,     &rc_option_seed,
    &rc_option_qualifiers, &rc_option_presets,
    &rc_option_smt,        &rc_option_sync,
    &rc_option_replicate,  NULL};
static const struct rc_command command = {
    .name = "all", .operands = "", .operands_most = SIZE_MAX, .options = options};

static int resolve_over(char **argv, int argc, const char *base, struct rc_spec *spec,
                        struct rc_error *err)
{
    struct rc_args args;

    assert_int_equal(rc_args_parse(&command, argc, argv, &args, err), RC_OK);
    int status = rc_spec_resolve(&args, base, RC_FILE_GIVEN, spec, err);
    rc_args_fini(&args);
    return status;
}

static int resolve(char **argv, int argc, struct rc_spec *spec, struct rc_error *err)
{
    return resolve_over(argv, argc, NULL, spec, err);
}

static void options_go_before_the_file_and_the_file_before_defaults(void **state)
{
    char path[] = "/tmp/rollcall-spec-XXXXXX";
    char *argv[] = {"plan",    "-c",   path, "--repeat", "3:4", "--scope", "core,l2",
                    "--scope", "node", "-e", "a,b",      "c",   NULL};
    struct rc_error err = {0};
    struct rc_spec spec;

    (void)state;
    close(mkstemp(path));
    write_file(path,
               "name: mine\nrepeat: 9\nseed: 5\nscopes: [device]\nevents: [x, y]\n");
    assert_int_equal(resolve(argv, 12, &spec, &err), RC_OK);
    assert_string_equal(spec.name, "mine");
    assert_int_equal(spec.seed, 5);
    assert_int_equal(spec.repeat_min, 3);
    assert_int_equal(spec.repeat_max, 4);
    assert_int_equal(spec.scopes.count, 3);
    assert_false(spec.scope_wanted[RC_SCOPE_DEVICE]);
    assert_int_equal(spec.events.count, 2);
    assert_string_equal(spec.events.item[0], "a,b");
    assert_string_equal(spec.events.item[1], "c");
    assert_string_equal(spec.sources.item[0], "auto");
    rc_spec_fini(&spec);
    unlink(path);
}

static void a_base_file_stands_where_no_other_is_given(void **state)
{
    char base[] = "/tmp/rollcall-base-XXXXXX", other[] = "/tmp/rollcall-other-XXXXXX";
    char *changed[] = {"run", "--repeat", "10", "--smt", "--sync", "never", NULL};
    char *given[] = {"run", "-c", other, "--replicate", "node", NULL};
    struct rc_error err = {0};
    struct rc_spec spec;

    (void)state;
    close(mkstemp(base));
    close(mkstemp(other));
    write_file(base, "name: base\nseed: 5\nrepeat: 3\nsync: 2s\n");
    write_file(other, "name: other\n");
    assert_int_equal(resolve_over(changed, 6, base, &spec, &err), RC_OK);
    assert_string_equal(spec.name, "base");
    assert_int_equal(spec.seed, 5);
    assert_int_equal(spec.repeat_min, 10);
    assert_int_equal(spec.sync_ms, RC_JOURNAL_SYNC_NEVER);
    assert_true(spec.smt);
    rc_spec_fini(&spec);
    assert_int_equal(resolve_over(given, 5, base, &spec, &err), RC_OK);
    assert_string_equal(spec.name, "other");
    assert_int_equal(spec.seed, 1);
    assert_int_equal(spec.replicate, RC_REPLICATE_NODE);
    rc_spec_fini(&spec);
    assert_int_equal(resolve_over(changed, 6, "/nowhere", &spec, &err), RC_EMISSING);
    assert_string_equal(err.text, "cannot open '/nowhere': No such file or directory");
    unlink(base);
    unlink(other);
}

static void changes_are_more_or_a_conflict_and_say_what(void **state)
{
    static const struct {
        const char *was, *is;
        enum rc_spec_change change;
        const char *lines;
    } pairs[] = {
        {"{}", "{}", RC_SPEC_SAME, ""},
        {"name: a\nsmt: no\nsync: 1s", "name: b\nsmt: yes\nsync: never", RC_SPEC_SAME,
         ""},
        {"suites: [flops, branch]\nscopes: [l2, core]\nsource: [auto, papi]",
         "suites: [branch, flops]\nscopes: [core, l2]\nsource: [papi, auto]",
         RC_SPEC_SAME, ""},
        {"{}",
         "definitions: [a.yaml]\nmetrics: [{metric: a, suite: branch, signature: T}]",
         RC_SPEC_SAME, ""},
        {"repeat: 5", "repeat: 5:30", RC_SPEC_SAME, ""},
        {"repeat: auto", "repeat: auto:30", RC_SPEC_SAME, ""},
        {"repeat: auto", "repeat: auto:8", RC_SPEC_MORE, "repeat: auto; now auto:8"},
        {"target: 0.5%", "target: 0.005", RC_SPEC_SAME, ""},
        {"suites: [flops, branch]", "suites: [flops]", RC_SPEC_MORE,
         "suites: flops, branch; now flops"},
        {"{}", "suites: [flops]", RC_SPEC_MORE, "suites: all; now flops"},
        {"events: [a, '!b']", "events: ['!b', a]", RC_SPEC_MORE,
         "events: a, !b; now !b, a"},
        {"events: [a]", "{}", RC_SPEC_MORE, "events: a; now all"},
        {"axes: [a=1, b=2]", "axes: [b=2, a=1]", RC_SPEC_SAME, ""},
        {"axes: ['a=1,2']", "{}", RC_SPEC_CONFLICT, "axes: a=1,2; now none"},
        {"{}", "axes: [a=1]", RC_SPEC_CONFLICT, "axes: none; now a=1"},
        {"axes: [a=1]", "axes: [a=2]", RC_SPEC_CONFLICT, "axes: a=1; now a=2"},
        {"scopes: [core]", "scopes: [core, l3]", RC_SPEC_MORE,
         "scopes: core; now core, l3"},
        {"source: [papi]", "source: [papi, 'model:spr']", RC_SPEC_MORE,
         "source: papi; now papi, model:spr"},
        {"{}", "repeat: 7\ntarget: 1%\nqualifiers: all\npresets: yes", RC_SPEC_MORE,
         "qualifiers: umasks; now all;presets: no; now yes;repeat: auto; now 7:30;"
         "target: 0.005; now 0.01"},
        {"{}", "group_size: 2\nreference: none\nreplicate: node", RC_SPEC_MORE,
         "group_size: 0; now 2;reference: auto; now none;replicate: none; now node"},
        {"{}", "seed: 2", RC_SPEC_CONFLICT, "seed: 1; now 2"},
        {"source: [papi, auto]", "source: [papi]", RC_SPEC_CONFLICT,
         "source: papi, auto; now papi"},
        {"{}", "source: [papi]\nsuites: [flops]", RC_SPEC_CONFLICT,
         "source: auto; now papi;suites: all; now flops"},
        {"events: [\"a\\nb\"]", "events: [a]", RC_SPEC_MORE, "events: a?b; now a"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct rc_error err = {0};
        struct rc_spec was, is;
        char lines[1000];
        assert_int_equal(from_text(pairs[i].was, &was, &err), RC_OK);
        assert_int_equal(from_text(pairs[i].is, &is, &err), RC_OK);
        assert_int_equal(rc_spec_compare(&was, &is, lines, sizeof lines),
                         pairs[i].change);
        assert_string_equal(lines, pairs[i].lines);
        rc_spec_fini(&was);
        rc_spec_fini(&is);
    }
}

static void differences_of_long_lists_are_cut(void **state)
{
    enum { PATTERNS = 3000 };
    char text[PATTERNS * 8] = "events: [", lines[1000], little[20];
    struct rc_error err = {0};
    struct rc_spec was, is;

    (void)state;
    for (int i = 0; i < PATTERNS; i++)
        rc_text_append(text, sizeof text, "E%d,", i);
    rc_text_append(text, sizeof text, "]");
    assert_int_equal(from_text("{}", &was, &err), RC_OK);
    assert_int_equal(from_text(text, &is, &err), RC_OK);
    assert_int_equal(rc_spec_compare(&was, &is, lines, sizeof lines), RC_SPEC_MORE);
    assert_memory_equal(lines, "events: all; now E0, E1, ", 25);
    assert_non_null(strstr(lines, ", ... (3000 in all)"));
    assert_true(strlen(lines) < 400);
    assert_int_equal(rc_spec_compare(&was, &is, little, sizeof little), RC_SPEC_MORE);
    assert_string_equal(little, "events: all; now E0");
    rc_spec_fini(&was);
    rc_spec_fini(&is);
}

static void bad_options_are_refused_by_name(void **state)
{
    static const struct {
        const char *option, *value, *message;
    } bad[] = {
        {"--repeat", "x",
         "--repeat: 'x', expected MIN, MIN:MAX, auto or auto:MAX, whole numbers with 1 "
         "<= MIN <= MAX <= 1000000"},
        {"--source", "none",
         "--source: 'none', expected a source of this build: auto, papi, ..."},
        {"--suite", "x",
         "--suite: 'x', expected a suite of this build: flops, branch, ..."},
        {"--suite", "",
         "--suite: '', expected a suite of this build: flops, branch, ..."},
        {"--scope", "core,",
         "--scope: '', expected core, l2, l3, numa, package, node or "
         "device"},
        {"--sync", "soon",
         "--sync: 'soon', expected never, always or a duration such as 250ms, 30s, 5m, "
         "1h30m or 2d of at least 1ms"},
        {"--seed", "1.5", "--seed: '1.5', expected a whole number"},
        {"--events", "", "--events: '', expected a pattern: GLOB, !GLOB or @FILE"},
        {"--events", "@", "cannot open '': No such file or directory"},
        {"--campaign", "/nowhere", "cannot open '/nowhere': No such file or directory"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *argv[] = {"plan", (char *)bad[i].option, (char *)bad[i].value, NULL};
        struct rc_error err = {0};
        struct rc_spec spec;
        assert_true(resolve(argv, 3, &spec, &err) < 0);
        assert_says(err.text, bad[i].message);
    }
}

static void pattern_files_hold_a_pattern_each_line(void **state)
{
    char path[] = "/tmp/rollcall-patterns-XXXXXX";
    char at[64], message[128];
    char *argv[] = {"plan", "-e", at, NULL};
    struct rc_error err = {0};
    struct rc_spec spec;

    (void)state;
    close(mkstemp(path));
    snprintf(at, sizeof at, "@%s", path);
    write_file(path, "# all of perf\r\nperf::*\n\n  !perf::PAGE*\n\tX Y\n");
    assert_int_equal(resolve(argv, 3, &spec, &err), RC_OK);
    assert_int_equal(spec.events.count, 3);
    assert_string_equal(spec.events.item[0], "perf::*");
    assert_string_equal(spec.events.item[2], "X Y");
    rc_spec_fini(&spec);
    write_file(path, "a\n@b\n");
    assert_int_equal(resolve(argv, 3, &spec, &err), RC_EUSAGE);
    snprintf(message, sizeof message, "%s:2: '@b', expected GLOB or !GLOB", path);
    assert_string_equal(err.text, message);
    unlink(path);
}

/* Resolves a campaign file that names 'definitions', whose text is given. */
static int resolve_definitions(const char *campaign, const char *definitions,
                               struct rc_spec *spec, struct rc_error *err)
{
    char path[] = "/tmp/rollcall-spec-XXXXXX", file[] = "/tmp/rollcall-metrics-XXXXXX";
    char *argv[] = {"plan", "-c", path, NULL};
    char text[1000];

    close(mkstemp(path));
    close(mkstemp(file));
    write_file(file, definitions);
    snprintf(text, sizeof text, "definitions: ['%s']\n%s", file, campaign);
    write_file(path, text);
    int status = resolve(argv, 3, spec, err);
    unlink(path);
    unlink(file);
    return status;
}

static void metrics_are_checked_when_the_campaign_file_is_read(void **state)
{
    static const struct {
        const char *campaign, *definitions, *message;
    } bad[] = {
        {"", "suite: branch\nalpha: 8x\n",
         ":2: alpha: '8x', expected a number above 0 and at most 1"},
        {"metrics:\n- metric: a\n  suite: branch\n  signature: TT\n", "suite: branch",
         ":3: metric 'a': no ideal 'TT' in the basis of suite 'branch', did you mean "
         "'T'?"},
        {"metrics:\n- metric: a\n  suite: branch\n  formula: '[mispredict]'\n",
         "suite: branch",
         ":3: formula of 'a': no metric 'mispredict', did you mean "
         "'mispredicted'?"},
        {"metrics:\n- {metric: a, suite: branch, signature: T}\n"
         "- {metric: a, suite: branch, signature: D}\n",
         "suite: branch", ":4: metric 'a' is given twice, first in "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_spec spec;
        assert_int_equal(
            resolve_definitions(bad[i].campaign, bad[i].definitions, &spec, &err),
            RC_EUSAGE);
        assert_memory_equal(err.text, "/tmp/rollcall-", 14);
        assert_non_null(strstr(err.text, bad[i].message));
    }
}

static void metrics_of_a_spec_are_added_to_definitions(void **state)
{
    struct rc_error err = {0};
    struct rc_definitions *definitions;
    struct rc_spec spec;

    (void)state;
    assert_int_equal(from_text("metrics:\n- metric: jumps\n  suite: branch\n"
                               "  signature: T + D\n",
                               &spec, &err),
                     RC_OK);
    assert_int_equal(rc_definitions_create(&definitions, &err), RC_OK);
    assert_int_equal(rc_spec_definitions(&spec, definitions, &err), RC_OK);
    const struct rc_suite_definition *branch =
        rc_definitions_find(definitions, "branch");
    const struct rc_metric_definition *metric = branch->metric;
    while (metric < branch->metric + branch->metric_count &&
           strcmp(metric->name, "jumps") != 0)
        metric++;
    assert_true(metric < branch->metric + branch->metric_count);
    assert_string_equal(metric->where, "c.yaml:2");
    assert_int_equal(metric->weight_count, 2);
    rc_definitions_close(definitions);
    rc_spec_fini(&spec);
}

/* A campaign's results can be read without it; its metrics cannot be derived. */
static void a_file_of_definitions_that_is_gone_is_named_when_it_is_needed(void **state)
{
    struct rc_error err = {0};
    struct rc_definitions *definitions;
    struct rc_spec spec;

    (void)state;
    assert_int_equal(from_text("definitions: [/nowhere/m.yaml]", &spec, &err), RC_OK);
    assert_int_equal(rc_definitions_create(&definitions, &err), RC_OK);
    assert_int_equal(rc_spec_definitions(&spec, definitions, &err), RC_EMISSING);
    assert_string_equal(err.text, "definitions of the campaign file: cannot open "
                                  "'/nowhere/m.yaml': No such file or directory");
    rc_definitions_close(definitions);
    rc_spec_fini(&spec);
}

static void the_last_matching_pattern_decides(void **state)
{
    struct rc_error err = {0};
    struct rc_spec spec;

    (void)state;
    assert_int_equal(from_text("events: ['a*', '!ab*', 'abc']", &spec, &err), RC_OK);
    assert_true(rc_spec_takes(&spec, "ax", RC_SCOPE_CORE));
    assert_false(rc_spec_takes(&spec, "abx", RC_SCOPE_CORE));
    assert_true(rc_spec_takes(&spec, "abc", RC_SCOPE_CORE));
    assert_false(rc_spec_takes(&spec, "x", RC_SCOPE_CORE));
    rc_spec_fini(&spec);
    assert_int_equal(from_text("events: ['!a*']\nscopes: [core]", &spec, &err), RC_OK);
    assert_true(rc_spec_takes(&spec, "x", RC_SCOPE_CORE));
    assert_false(rc_spec_takes(&spec, "ax", RC_SCOPE_CORE));
    assert_false(rc_spec_takes(&spec, "x", RC_SCOPE_L3));
    rc_spec_fini(&spec);
}

/* A suite of this test's own. */
static const struct rc_axis chosen[] = {
    {.name = "bytes", .unit = "", .least = 64, .most = 1 << 20, .summary = "size"},
    {.name = NULL}};
static const struct rc_suite axed = {.name = "axed", .chosen = chosen};

static void axes_are_those_of_suites_that_are_wanted(void **state)
{
    static const struct {
        char *suite, *axis;
        const char *message; /* NULL: it is taken */
    } given[] = {
        {"axed", "bytes=1K,2K", NULL},
        {"axed", "bytes=0",
         "suite 'axed': axis 'bytes': expected values of 64 to 1048576, not '0'"},
        {"axed", "byte=64",
         "axis 'byte': it cannot be chosen in the suites that are "
         "wanted, did you mean 'bytes'?"},
        {"branch", "bytes=64",
         "axis 'bytes': it cannot be chosen in the suites that "
         "are wanted, none of these suites has one"},
        {"axed", "bytes=8..4",
         "--axis: 'bytes=8..4', expected a range that rises, not '8..4'"},
        {"axed", "bytes", "--axis: 'bytes', expected NAME=LIST"},
    };
    char base[] = "/tmp/rollcall-base-XXXXXX";
    char *resumed[] = {"run", "--suite", "branch", NULL};
    struct rc_error err = {0};
    struct rc_spec spec;

    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        char *argv[] = {"run",    "--suite",     given[i].suite,
                        "--axis", given[i].axis, NULL};
        assert_int_equal(resolve(argv, 5, &spec, &err),
                         given[i].message ? RC_EUSAGE : RC_OK);
        if (given[i].message) {
            assert_string_equal(err.text, given[i].message);
            continue;
        }
        assert_int_equal(rc_spec_axes(&spec).count, 1);
        assert_string_equal(rc_spec_axes(&spec).item[0], given[i].axis);
        rc_spec_fini(&spec);
    }
    /* A campaign that exists may have axes of a suite that this run does not want. */
    close(mkstemp(base));
    write_file(base, "suites: [axed, branch]\naxes: [bytes=1K]\n");
    assert_int_equal(resolve_over(resumed, 3, base, &spec, &err), RC_OK);
    assert_int_equal(spec.axes.count, 1);
    rc_spec_fini(&spec);
    unlink(base);
}

static void say_line(void *arg, const char *line)
{
    rc_text_append(arg, 256, "%s;", line);
}

static void united_files_have_the_first_list_of_each_axis(void **state)
{
    static const char *const files[] = {"axes: [a=1, b=2]", "axes: [ab=3, b=4, a=1]"};
    struct rc_spec spec[2], all;
    const struct rc_spec *const both[] = {&spec[0], &spec[1]};
    char said[256] = "", *text = NULL;
    const struct rc_spec_unite job = {
        .spec = both, .count = 2, .say = say_line, .arg = said};
    struct rc_error err = {0};
    size_t bytes;

    (void)state;
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(from_text(files[i], &spec[i], &err), RC_OK);
    assert_int_equal(rc_spec_unite(&job, &text, &bytes, &err), RC_OK);
    assert_int_equal(rc_spec_from_text("all", text, bytes, &all, &err), RC_OK);
    assert_int_equal(all.axes.count, 3);
    assert_string_equal(all.axes.item[1], "b=2");
    assert_string_equal(all.axes.item[2], "ab=3");
    assert_string_equal(said, "campaign.yaml: axes: differs between the campaigns, the "
                              "result has b=2;");
    rc_spec_fini(&all);
    rc_spec_fini(&spec[0]);
    rc_spec_fini(&spec[1]);
    free(text);
}

static void a_file_that_cannot_be_written_leaves_the_old_one(void **state)
{
    char directory[] = "/tmp/rollcall-write-XXXXXX";
    char path[64], text[96] = "";
    struct rc_error err = {0};
    struct rc_spec spec;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/c.yaml", directory);
    assert_int_equal(from_text("{}", &spec, &err), RC_OK);
    assert_int_equal(rc_spec_write(&spec, path, RC_FILE_GIVEN, &err), RC_OK);
    assert_int_equal(access(path, R_OK), 0);
    snprintf(path, sizeof path, "%s/none/c.yaml", directory);
    assert_int_equal(rc_spec_write(&spec, path, RC_FILE_GIVEN, &err), RC_EMISSING);
    snprintf(text, sizeof text, "cannot create '%s", path);
    assert_memory_equal(err.text, text, strlen(text));
    snprintf(path, sizeof path, "%s/c.yaml", directory);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0); /* a directory cannot be replaced */
    assert_true(rc_spec_write(&spec, path, RC_FILE_GIVEN, &err) < 0);
    rmdir(path);
    assert_int_equal(rmdir(directory), 0); /* nothing was left behind */
    rc_spec_fini(&spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_with_file_line_and_expectation),
        cmocka_unit_test(a_resolved_file_reads_back_as_itself),
        cmocka_unit_test(syncs_are_never_always_or_milliseconds),
        cmocka_unit_test(a_base_file_stands_where_no_other_is_given),
        cmocka_unit_test(changes_are_more_or_a_conflict_and_say_what),
        cmocka_unit_test(differences_of_long_lists_are_cut),
        cmocka_unit_test(options_go_before_the_file_and_the_file_before_defaults),
        cmocka_unit_test(bad_options_are_refused_by_name),
        cmocka_unit_test(pattern_files_hold_a_pattern_each_line),
        cmocka_unit_test(metrics_are_checked_when_the_campaign_file_is_read),
        cmocka_unit_test(metrics_of_a_spec_are_added_to_definitions),
        cmocka_unit_test(a_file_of_definitions_that_is_gone_is_named_when_it_is_needed),
        cmocka_unit_test(the_last_matching_pattern_decides),
        cmocka_unit_test(axes_are_those_of_suites_that_are_wanted),
        cmocka_unit_test(united_files_have_the_first_list_of_each_axis),
        cmocka_unit_test(a_file_that_cannot_be_written_leaves_the_old_one),
    };
    if (rc_suite_add(&axed) != RC_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
