#include "tests/lib/test.h"

#include "campaign/base/clock.h"
#include "campaign/base/files/data_files.h"
#include "campaign/base/text.h"
#include "campaign/sources/model/counters.h"
#include "campaign/sources/model/file.h"
#include "campaign/sources/model/random.h"
#include "campaign/sources/source.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern const struct rc_source rc_source_model;

/* A suite of this test's own: point 0 has simple counts, point 1 fractions, and
 * nobody knows its cycles or its cache misses.
 */
static struct rc_range expect(const struct rc_suite_request *request,
                              const struct rc_point *point, enum rc_ideal ideal)
{
    bool first = point->axis[0] == 0;

    (void)request;
    switch (ideal) {
    case RC_IDEAL_INS:
        return rc_exactly(first ? 100 : 7);
    case RC_IDEAL_S_SCAL:
        return rc_exactly(first ? 24 : 0);
    case RC_IDEAL_SF_SCAL:
        return rc_exactly(first ? 0 : 12);
    case RC_IDEAL_CR:
        return rc_exactly(first ? 2 : 2.5);
    case RC_IDEAL_M:
        return rc_exactly(first ? 0 : 0.5);
    case RC_IDEAL_CYC:
    case RC_IDEAL_L1DM:
        return rc_unknown();
    case RC_IDEAL_L2DH:
        return rc_between(1000, 2000);
    default:
        return rc_exactly(0);
    }
}

static const struct rc_suite suite = {.name = "test", .expect = expect};
static const struct rc_suite other_suite = {.name = "other", .expect = expect};
static const struct rc_point points[] = {{.name = "simple", .axis = {0}},
                                         {.name = "fractions", .axis = {1}}};

static struct rc_measurement measurement(uint32_t point, uint32_t repetition,
                                         uint64_t iterations, uint64_t place)
{
    return (struct rc_measurement){
        .suite = &suite,
        .request = &rc_request_default,
        .point = &points[point],
        .point_index = point,
        .repetition = repetition,
        .iterations = iterations,
        .where = {.place = place},
    };
}

static struct rc_source_state *open_machine(const char *argument, uint64_t seed)
{
    struct rc_source_setup setup = {.argument = argument, .seed = seed};
    struct rc_source_state *state = NULL;
    struct rc_error err = {0};

    if (rc_source_model.open(&setup, &state, &err) != RC_OK)
        print_error("%s\n", err.text);
    assert_non_null(state);
    return state;
}

#define BASIC RC_TEST_DATA "/machines/basic.yaml"

/* The events that enumerate() names, by their names. */
struct list {
    struct rc_event_sink sink;
    size_t count;
    struct seen {
        char name[64];
        enum rc_scope scope;
        uint32_t domain, alike;
        bool simulated;
        char description[200];
    } event[256];
};

static int add_to_list(struct rc_event_sink *sink, const struct rc_event_info *info,
                       struct rc_error *err)
{
    struct list *list = (struct list *)sink;
    struct seen *e = &list->event[list->count % 256];

    (void)err;
    list->count++;
    snprintf(e->name, sizeof e->name, "%s", info->name);
    snprintf(e->description, sizeof e->description, "%s", info->description);
    e->scope = info->scope;
    e->domain = info->domain;
    e->alike = info->alike;
    e->simulated = info->simulated;
    return RC_OK;
}

static struct list *list_events(struct rc_source_state *state)
{
    struct rc_enumerate what = {RC_QUALIFIERS_NONE, false};
    struct list *list = calloc(1, sizeof *list);

    assert_non_null(list);
    list->sink.add = add_to_list;
    assert_int_equal(rc_source_model.enumerate(state, &what, &list->sink, NULL), RC_OK);
    return list;
}

static uint32_t event(struct rc_source_state *state, const char *name)
{
    struct list *list = list_events(state);
    uint32_t found = UINT32_MAX;

    for (uint32_t i = 0; i < list->count && i < 256; i++)
        if (strcmp(list->event[i].name, name) == 0)
            found = i;
    free(list);
    if (found == UINT32_MAX)
        fail_msg("no event '%s'", name);
    return found;
}

static int64_t read_one(struct rc_source_state *state, uint32_t number,
                        const struct rc_measurement *what)
{
    struct rc_group_state *group;
    struct rc_reading reading;
    struct rc_error err = {0};

    assert_int_equal(rc_source_model.arm(state, &number, 1, &group, &err), RC_OK);
    assert_int_equal(rc_source_model.start(group, what, &err), RC_OK);
    assert_int_equal(rc_source_model.stop(group, &reading, &err), RC_OK);
    assert_int_equal(reading.enabled_ns, reading.running_ns);
    rc_source_model.disarm(group);
    return reading.value;
}

static enum rc_verdict try(struct rc_source_state *state, const char *const *names,
                           char *reason)
{
    struct rc_trial trial;
    uint32_t events[80];
    size_t count = 0;

    for (; names[count]; count++)
        events[count] = event(state, names[count]);
    rc_source_model.trial(state, events, count, &trial);
    memcpy(reason, trial.reason, sizeof trial.reason);
    return trial.verdict;
}

/* Bad files. */

#define HEAD "name: m\nbanks: [{name: core, counters: 4, fixed: 2}]\n"
#define EVENT HEAD "events:\n- name: A\n  "

#define TIME(found)                                                                    \
    "f.yaml:5: 'time': found '" found "', expected " RC_TEXT_DURATION ", at most 10s"

#define EFFECTS(found)                                                                 \
    "f.yaml:5: 'effects': found '" found "', expected 'node R', 'core R', 'outlier N " \
    "+P%', 'worker N +P%', at most 16 of these two, with commas between, R up to 1 "   \
    "and P up to 100"

static const struct {
    const char *text, *message;
} bad_files[] = {
    {"", "f.yaml:1: empty, expected a mapping of keys"},
    {"name: m\nbanks: [{name: core, counters: 4}]\n",
     "f.yaml:1: key 'events' is missing"},
    {"name: m\nevents: [{name: A}]\n", "f.yaml:1: key 'banks' is missing"},
    {HEAD "events: [{name: A}]\nsneed: 3\n",
     "f.yaml:4: unknown key 'sneed', did you mean 'seed'?"},
    {HEAD "events: []\n", "f.yaml:3: 'events': no events, expected at least one"},
    {"name: ''\nbanks: [{name: a, counters: 1}]\nevents: [{name: A}]\n",
     "f.yaml:1: 'name': empty, expected a name"},
    {HEAD "seed: -1\nevents: [{name: A}]\n",
     "f.yaml:3: 'seed': found '-1', expected a whole number"},
    {HEAD "summary: |\n  two\n  lines\nevents: [{name: A}]\n",
     "f.yaml:3: 'summary': a line break or control character, expected one line"},
    {HEAD "topology: \"a\\tb\"\nevents: [{name: A}]\n",
     "f.yaml:3: 'topology': a line break or control character, expected one line"},
    /* banks */
    {"name: m\nbanks: []\nevents: [{name: A}]\n",
     "f.yaml:2: 'banks': 0 banks, expected 1 to 256"},
    {"name: m\nbanks: [{name: a, counters: many}]\nevents: [{name: A}]\n",
     "f.yaml:2: 'counters': found 'many', expected a whole number from 0 to 64"},
    {"name: m\nbanks: [{name: a, counters: 65}]\nevents: [{name: A}]\n",
     "f.yaml:2: 'counters': found '65', expected a whole number from 0 to 64"},
    {"name: m\nbanks: [{name: a, counters: 60, fixed: 5}]\nevents: [{name: A}]\n",
     "f.yaml:2: 'fixed': found '5', expected a whole number from 0 to 4"},
    {"name: m\nbanks: [{name: a, counters: 0}]\nevents: [{name: A}]\n",
     "f.yaml:2: 'counters': a bank without counters, expected at least 1"},
    {"name: m\nbanks: [{name: a, counters: unlimited, fixed: 1}]\nevents: [{name: "
     "A}]\n",
     "f.yaml:2: 'fixed': fixed counters in a bank of unlimited counters, expected one "
     "or the other"},
    {"name: m\nbanks:\n- {name: a, counters: 1}\n- {name: a, counters: 1}\n"
     "events: [{name: A}]\n",
     "f.yaml:4: 'name': bank 'a' is given twice"},
    {"name: m\nbanks: [{name: a, counters: 1, scope: socket}]\nevents: [{name: A}]\n",
     "f.yaml:2: 'scope': found 'socket', expected core, l2, l3, numa, package, node or "
     "device"},
    {"name: m\nbanks: [{name: a, counters: 1, bits: 64}]\nevents: [{name: A}]\n",
     "f.yaml:2: 'bits': found '64', expected a whole number from 1 to 63"},
    /* registers */
    {HEAD "registers: [{name: r, values: 0}]\nevents: [{name: A}]\n",
     "f.yaml:3: 'values': found '0', expected a whole number from 1 to 16"},
    {HEAD "registers: [{name: r s, values: 1}]\nevents: [{name: A}]\n",
     "f.yaml:3: 'name': 'r s' has a blank in it, expected one word"},
    {HEAD "registers:\n- {name: r, values: 1}\n- {name: r, values: 1}\n"
          "events: [{name: A}]\n",
     "f.yaml:5: 'name': register 'r' is given twice"},
    {EVENT "register: r 1\n",
     "f.yaml:5: 'register': no register 'r' in 'registers', expected 'NAME VALUE'"},
    {HEAD "registers: [{name: r, values: 1}]\nevents: [{name: A, register: r}]\n",
     "f.yaml:4: 'register': no value after 'r', expected 'NAME VALUE'"},
    /* references */
    {HEAD "references: [A, B]\nevents: [{name: A}]\n",
     "f.yaml:3: no event 'B' in 'events'"},
    /* names and ranges */
    {HEAD "events: [{name: ''}]\n", "f.yaml:3: 'name': empty, expected a name"},
    {HEAD "events:\n- name: A\n- name: B\n- name: A\n",
     "f.yaml:6: 'name': event 'A' is given twice, first by event line 1"},
    {HEAD "events:\n- name: A{i}\n  for: [i = 0..9]\n- name: A7\n",
     "f.yaml:6: 'name': event 'A7' is given twice, first by event line 1"},
    {HEAD "events:\n- name: A{i}{j}\n  for: [i = 1..11, j = 1..11]\n",
     "f.yaml:4: 'name': event 'A111' is given twice, first by event line 1"},
    {HEAD "events:\n- name: A{i}\n",
     "f.yaml:4: 'name': '{i}' names no variable of 'for' (a brace itself is '{{')"},
    {HEAD "events:\n- name: A{i\n  for: [i = 0..1]\n",
     "f.yaml:4: 'name': '{i' names no variable of 'for' (a brace itself is '{{')"},
    {HEAD "events:\n- name: A\n  for: [i = 0..1]\n",
     "f.yaml:4: 'name': variable 'i' is not in it, expected '{i}' so that names "
     "differ"},
    {HEAD "events:\n- name: A{i}\n  for: [i 0..1]\n",
     "f.yaml:5: 'for': 'i 0..1' is not a variable, expected 'NAME = FIRST..LAST' or "
     "'NAME "
     "= WORD WORD ...'"},
    {HEAD "events:\n- name: A{i}\n  for: ['= 0..1']\n",
     "f.yaml:5: 'for': '= 0..1' is not a variable, expected 'NAME = FIRST..LAST' or "
     "'NAME "
     "= WORD WORD ...'"},
    {HEAD "events:\n- name: A{i}\n  for: [i = ]\n",
     "f.yaml:5: 'for': variable 'i' has no values, expected 'NAME = FIRST..LAST' or "
     "'NAME = WORD WORD ...'"},
    {HEAD "events:\n- name: A{i}\n  for: [i = 5..1]\n",
     "f.yaml:5: 'for': variable 'i' runs downwards, expected FIRST..LAST"},
    {HEAD "events:\n- name: A{i}\n  for: [i = a b a]\n",
     "f.yaml:5: 'for': variable 'i' has the word 'a' twice"},
    {HEAD "events:\n- name: A{i}\n  for: [i = 0..1, i = 0..1]\n",
     "f.yaml:5: 'for': variable 'i' is given twice"},
    {HEAD "events:\n- name: A{i}\n  for: [i = 0..99999999999]\n",
     "f.yaml:5: 'for': variable 'i' has too many values, expected at most 16777216"},
    {HEAD "events:\n- name: A{i}\n  for: [i = 0..9999999]\n",
     "f.yaml:5: 'for': more than 4194304 events in this file, expected at most that "
     "many"},
    {HEAD "events:\n- name: A{i}.{j}.{k}\n"
          "  for: [i = 1..9999999, j = 1..9999999, k = 1..9999999]\n",
     "f.yaml:5: 'for': more than 4194304 events in this file, expected at most that "
     "many"},
    {HEAD "events:\n- name: A{i}.{j}\n  for: [i = 1..4000, j = 1..1000]\n"
          "- name: B{i}.{j}\n  for: [i = 1..4000, j = 1..1000]\n",
     "f.yaml:7: 'for': more than 4194304 events in this file, expected at most that "
     "many"},
    {HEAD "events:\n- name: A\n  for: [a=0..0, b=0..0, c=0..0, d=0..0, e=0..0, f=0..0, "
          "g=0..0, h=0..0, i=0..0]\n",
     "f.yaml:5: 'for': too many variables, expected at most 8"},
    {HEAD "events:\n- name: A\n  description: \"{x}\"\n",
     "f.yaml:5: 'description': '{x}' names no variable of 'for' (a brace itself is "
     "'{{')"},
    /* what is counted */
    {EVENT "counts: 2 S_SCALE\n",
     "f.yaml:5: 'counts': no ideal 'S_SCALE', did you mean 'S_SCAL'?"},
    {EVENT "counts: 2 zzzzzzzz\n",
     "f.yaml:5: 'counts': no ideal 'zzzzzzzz', expected one such as INS or S_SCAL"},
    {EVENT "counts: ''\n",
     "f.yaml:5: 'counts': a sum that ends too early, expected terms such as '2 SF_SCAL "
     "+ S_SCAL - 0.5 M + 3'"},
    {EVENT "counts: INS +\n",
     "f.yaml:5: 'counts': a sum that ends too early, expected terms such as '2 SF_SCAL "
     "+ S_SCAL - 0.5 M + 3'"},
    {EVENT "counts: INS CR\n", "f.yaml:5: 'counts': unexpected 'CR', expected terms "
                               "such as '2 SF_SCAL + S_SCAL - "
                               "0.5 M + 3'"},
    {EVENT "counts: 2 * + INS\n",
     "f.yaml:5: 'counts': unexpected '+ INS', expected terms such as '2 SF_SCAL + "
     "S_SCAL - 0.5 M + 3'"},
    {EVENT "counts: 1.2.3 INS\n",
     "f.yaml:5: 'counts': '1.2.3' is not a coefficient, expected a number up to 1e18"},
    {EVENT "counts: 1e99 INS\n",
     "f.yaml:5: 'counts': '1e99' is not a coefficient, expected a number up to 1e18"},
    {EVENT "background: INS $\n",
     "f.yaml:5: 'background': unexpected '$', expected terms such as '2 SF_SCAL + "
     "S_SCAL - 0.5 M + 3'"},
    {HEAD "events:\n- name: A{w}\n  for: [w = 128 256 1024]\n  counts: S_{w}\n",
     "f.yaml:6: 'counts': no ideal 'S_1024', did you mean 'S_128'?"},
    {HEAD "events:\n- name: A{i}.{j}\n  for: [i = 1..2000, j = 1..2000]\n"
          "  counts: 1.000000000000000000 INS + {i} CR + {j} CR\n",
     "f.yaml:6: 'counts': the sums of this file come to more than 16 MiB, expected "
     "fewer values of the variables in it"},
    {EVENT "offset: -3\n",
     "f.yaml:5: 'offset': found '-3', expected a number from 0 to "
     "1e18"},
    {EVENT "offset: nan\n",
     "f.yaml:5: 'offset': found 'nan', expected a number from 0 to 1e18"},
    {EVENT "noise: 1e-3\n",
     "f.yaml:5: 'noise': found '1e-3', expected 'relative R', 'absolute A' or both, "
     "with numbers from 0 to 1e18"},
    {EVENT "noise: gaussian 1e-3\n",
     "f.yaml:5: 'noise': found 'gaussian 1e-3', expected 'relative R', 'absolute A' or "
     "both, with numbers from 0 to 1e18"},
    {EVENT "noise: relative -1\n",
     "f.yaml:5: 'noise': found 'relative -1', expected 'relative R', 'absolute A' or "
     "both, with numbers from 0 to 1e18"},
    {EVENT "noise: relative 1e-3 50\n",
     "f.yaml:5: 'noise': found '50', expected 'relative R', 'absolute A' or both, with "
     "numbers from 0 to 1e18"},
    /* nodes, and what they make of events */
    {HEAD "nodes: 0\ntopology: core:2\nevents: [{name: A}]\n",
     "f.yaml:3: 'nodes': found '0', expected a whole number from 1 to 65536"},
    {HEAD "nodes: 4\nevents: [{name: A}]\n",
     "f.yaml:3: 'nodes': nodes without a 'topology', expected both"},
    {HEAD "nodes: 4\ntopology: core:2\neffects: outlier 4 +3%\nevents: [{name: A}]\n",
     "f.yaml:5: 'effects': an outlier 4 of 4 nodes, which are numbered from 0"},
    {HEAD "effects: core 1e-3, outlier 0 +3%\nevents: [{name: A}]\n",
     "f.yaml:3: 'effects': an outlier 0 of 0 nodes, which are numbered from 0"},
    {EVENT "effects: ''\n", EFFECTS("")},
    {EVENT "effects: node\n", EFFECTS("node")},
    {EVENT "effects: node 2\n", EFFECTS("node 2")},
    {EVENT "effects: node -1e-3\n", EFFECTS("node -1e-3")},
    {EVENT "effects: node 1e-3 core 1e-3\n", EFFECTS("node 1e-3 core 1e-3")},
    {EVENT "effects: node 1e-3,\n", EFFECTS("node 1e-3,")},
    {EVENT "effects: socket 1e-3\n", EFFECTS("socket 1e-3")},
    {EVENT "effects: outlier 0\n", EFFECTS("outlier 0")},
    {EVENT "effects: outlier 0 3%\n", EFFECTS("outlier 0 3%")},
    {EVENT "effects: worker 1\n", EFFECTS("worker 1")},
    {EVENT "effects: worker x +3%\n", EFFECTS("worker x +3%")},
    {EVENT "effects: workers 1 +3%\n", EFFECTS("workers 1 +3%")},
    {EVENT "effects: outlier 0 +3\n", EFFECTS("outlier 0 +3")},
    {EVENT "effects: outlier 0 +-3%\n", EFFECTS("outlier 0 +-3%")},
    {EVENT "effects: outlier 0 -101%\n", EFFECTS("outlier 0 -101%")},
    {EVENT "effects: outlier 3-1 +3%\n", EFFECTS("outlier 3-1 +3%")},
    {EVENT "effects: outlier n3 +3%\n", EFFECTS("outlier n3 +3%")},
    {EVENT "effects: outlier 0 +3% 4\n", EFFECTS("outlier 0 +3% 4")},
    {EVENT "time: -2ms\n", TIME("-2ms")},
    {EVENT "time: 2\n", TIME("2")},
    {EVENT "time: ''\n", TIME("")},
    {EVENT "time: soon\n", TIME("soon")},
    {EVENT "time: 10001ms\n", TIME("10001ms")},
    {EVENT "time: 300d\n", TIME("300d")},
    {EVENT "time: 999999999999999999999d\n", TIME("999999999999999999999d")},
    {HEAD "events:\n- name: A{i}\n  for: [i = 1..2]\n  time: \"{i}ms\"\n",
     "f.yaml:6: 'time': found '{i}ms', expected " RC_TEXT_DURATION ", at most 10s"},
    /* constraints and verdicts */
    {EVENT "bank: l3\n", "f.yaml:5: 'bank': no bank 'l3' in 'banks'"},
    {EVENT "scope: chip\n", "f.yaml:5: 'scope': found 'chip', expected core, l2, l3, "
                            "numa, package, node or device"},
    {EVENT "bits: 0\n",
     "f.yaml:5: 'bits': found '0', expected a whole number from 1 to "
     "63"},
    {EVENT "counters: 0-7\n",
     "f.yaml:5: 'counters': no programmable counter 7, this bank has 4 of them from 0 "
     "on"},
    {EVENT "counters: fixed 2\n",
     "f.yaml:5: 'counters': no fixed counter 2, this bank has 2 of them from 0 on"},
    {EVENT "counters: 3-1\n", "f.yaml:5: 'counters': '3-1' is not a counter, expected "
                              "one such as 'any', '0-3', '0 2' "
                              "or 'fixed 1'"},
    {EVENT "counters: all\n", "f.yaml:5: 'counters': 'all' is not a counter, expected "
                              "one such as 'any', '0-3', '0 2' "
                              "or 'fixed 1'"},
    {EVENT "counters: fixed\n", "f.yaml:5: 'counters': names no counter, expected one "
                                "such as 'any', '0-3', '0 2' or "
                                "'fixed 1'"},
    {"name: m\nbanks: [{name: a, counters: unlimited}]\n"
     "events: [{name: A, counters: 0}]\n",
     "f.yaml:3: 'counters': bank 'a' has unlimited counters, expected none"},
    {EVENT "verdict: maybe\n",
     "f.yaml:5: 'verdict': found 'maybe', expected ok, not permitted, unsupported, "
     "cannot be scheduled or counts nothing"},
    {EVENT "verdict: untried\n",
     "f.yaml:5: 'verdict': found 'untried', expected ok, not permitted, unsupported, "
     "cannot be scheduled or counts nothing"},
    {EVENT "verdict: unsupported\n",
     "f.yaml:5: 'verdict': no 'reason' goes with it, expected one"},
    {EVENT "reason: because\n",
     "f.yaml:5: 'reason': a reason for the verdict ok, expected none"},
};

static void bad_files_are_refused_with_file_line_and_expectation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        struct rc_error err = {0};
        struct rc_model *model;
        const char *text = bad_files[i].text;
        assert_int_equal(rc_model_from_text("f.yaml", text, strlen(text), &model, &err),
                         RC_EUSAGE);
        assert_null(model);
        assert_string_equal(err.text, bad_files[i].message);
    }
}

static void texts_that_are_too_long_are_refused(void **state)
{
    static const struct {
        const char *key, *message;
        size_t length;
    } bad[] = {
        {"name", "'name': 256 characters long, expected at most 255", 256},
        {"description", "'description': 1001 characters long, expected at most 1000",
         1001},
        {"counts", "'counts': text of 2001 characters, expected at most 2000", 2001},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_model *model;
        char text[4096], value[2048] = "";
        memset(value, 'x', bad[i].length);
        snprintf(text, sizeof text, HEAD "events:\n- %s%s: %s\n",
                 strcmp(bad[i].key, "name") ? "name: A\n  " : "", bad[i].key, value);
        assert_int_equal(rc_model_from_text("f.yaml", text, strlen(text), &model, &err),
                         RC_EUSAGE);
        assert_non_null(strstr(err.text, bad[i].message));
    }
}

static void bad_arguments_name_the_machines_that_there_are(void **state)
{
    static const struct {
        const char *argument, *message;
        int status;
    } bad[] = {
        {NULL, "needs a machine: model:NAME with mi250x, spr, summit-node, zen3",
         RC_EUSAGE},
        {"", "needs a machine", RC_EUSAGE},
        {"sprr",
         "no machine 'sprr', expected mi250x, spr, summit-node, zen3, or a path",
         RC_EUSAGE},
        {"..", "is not the name of a data file", RC_EUSAGE},
        {"/nowhere/m.yaml", "cannot open '/nowhere/m.yaml'", RC_EMISSING},
        {"none.yaml", "cannot open 'none.yaml'", RC_EMISSING},
        {RC_TEST_DATA "/machines", "is a directory, expected a file", RC_EUSAGE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_source_setup setup = {.argument = bad[i].argument};
        struct rc_source_state *opened;
        struct rc_error err = {0};
        assert_int_equal(rc_source_model.open(&setup, &opened, &err), bad[i].status);
        assert_null(opened);
        if (!strstr(err.text, bad[i].message))
            fail_msg("'%s' is not in: %s", bad[i].message, err.text);
    }
}

/* Data files. */

static void names_of_data_files_never_leave_their_directory(void **state)
{
    static const char *const bad[] = {"",    ".",          "..",     "../spr.yaml",
                                      "a/b", "/etc/hosts", ".hidden"};
    char path[4096];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        assert_int_equal(rc_data_file_find("machines", bad[i], path, sizeof path, &err),
                         RC_EUSAGE);
        assert_int_equal(rc_data_file_find(bad[i], "spr.yaml", path, sizeof path, &err),
                         RC_EUSAGE);
    }
}

static void data_files_of_the_environment_come_first(void **state)
{
    struct rc_error err = {0};
    char path[4096], list[100];

    (void)state;
    assert_int_equal(setenv("ROLLCALL_DATA", RC_TEST_DATA, 1), 0);
    assert_int_equal(
        rc_data_file_find("machines", "basic.yaml", path, sizeof path, &err), RC_OK);
    assert_string_equal(path, BASIC);
    assert_int_equal(rc_data_file_find("machines", "spr.yaml", path, sizeof path, &err),
                     RC_OK); /* from the build */
    rc_data_file_list("machines", ".yaml", list, sizeof list);
    assert_string_equal(list,
                        "basic, mi250x, nodes, opteron, power4, spr, summit-node, "
                        "ultrasparc, uneven, zen3");
    rc_data_file_list("machines", ".yaml", list, 10);
    assert_string_equal(list, "basic");
    unsetenv("ROLLCALL_DATA");
    assert_int_equal(
        rc_data_file_find("machines", "basic.yaml", path, sizeof path, &err),
        RC_EMISSING);
    assert_int_equal(rc_data_file_find("machines", "spr.yaml", path, 8, &err),
                     RC_EMISSING);
}

/* Values. */

static void events_without_noise_are_exact_combinations(void **state)
{
    static const struct {
        const char *name;
        int64_t values[2]; /* per 1000 iterations on the two points */
    } exact[] = {
        {"SUM", {24000 + 3000, 2 * 12000 - 250 + 3000}},
        {"NEGATIVE", {0, 0}},
        {"OFFSET", {100050, 7050}},
        {"NOTHING_PLANTED", {0, 0}},
        {"DEAD", {0, 0}},
        {"W_SCAL", {24000, 0}},
        {"W_128", {0, 0}},
        {"TIMES_3", {300000, 21000}},
    };
    struct rc_source_state *s = open_machine(BASIC, 1);

    (void)state;
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        for (uint32_t point = 0; point < 2; point++) {
            struct rc_measurement what = measurement(point, 0, 1000, 7);
            assert_int_equal(read_one(s, event(s, exact[i].name), &what),
                             exact[i].values[point]);
        }
    rc_source_model.close(s);
}

static void a_counter_wraps_at_its_bits(void **state)
{
    struct rc_source_state *s = open_machine(BASIC, 1);
    struct rc_measurement what = measurement(0, 0, UINT64_C(3) << 40, 7);
    uint64_t counted = 100 * (UINT64_C(3) << 40); /* more than 2^48 */

    (void)state;
    assert_true(counted > UINT64_C(1) << 48);
    assert_int_equal(read_one(s, event(s, "INS"), &what),
                     counted & ((UINT64_C(1) << 48) - 1));
    assert_int_equal(read_one(s, event(s, "INS_63"), &what), counted);
    assert_int_equal(read_one(s, event(s, "INS_8"), &what), counted & 255);
    what.iterations = UINT64_MAX; /* no overflow of anything else */
    assert_true(read_one(s, event(s, "INS_63"), &what) >= 0);
    rc_source_model.close(s);
}

struct moments {
    double mean, sigma;
};

static struct moments draw(struct rc_source_state *s, const char *name,
                           uint64_t iterations)
{
    enum { DRAWS = 4000 };
    uint32_t number = event(s, name);
    double sum = 0, squares = 0;

    for (uint32_t i = 0; i < DRAWS; i++) {
        struct rc_measurement what = measurement(0, i % 40, iterations, i / 40);
        double value = (double)read_one(s, number, &what);
        sum += value;
        squares += value * value;
    }
    double mean = sum / DRAWS;
    return (struct moments){mean, sqrt(squares / DRAWS - mean * mean)};
}

/* 4000 draws give a sigma within 1.1 % and a mean within 1.6 % of a sigma, one
 * standard deviation each; the bounds are 5 of them.
 */
static void noise_has_the_planted_size(void **state)
{
    struct rc_source_state *s = open_machine(BASIC, 1);
    struct moments m = draw(s, "RELATIVE", 1000000); /* 1e8 with 1e-3 */

    (void)state;
    print_message("relative: mean %.1f sigma %.1f\n", m.mean, m.sigma);
    assert_true(fabs(m.sigma / 1e5 - 1) < 0.06);
    assert_true(fabs(m.mean - 1e8) < 0.08 * 1e5);
    m = draw(s, "ABSOLUTE", 1000000);
    print_message("absolute: mean %.1f sigma %.1f\n", m.mean, m.sigma);
    assert_true(fabs(m.sigma / 500 - 1) < 0.06);
    m = draw(s, "BOTH", 1000000); /* hypot(300, 400) */
    print_message("both:     mean %.1f sigma %.1f\n", m.mean, m.sigma);
    assert_true(fabs(m.sigma / 500 - 1) < 0.06);
    rc_source_model.close(s);
}

static void noise_never_makes_a_count_negative(void **state)
{
    struct rc_source_state *s = open_machine(BASIC, 1);
    uint32_t number = event(s, "WILD");
    unsigned zeros = 0;

    (void)state;
    for (uint32_t i = 0; i < 400; i++) {
        struct rc_measurement what = measurement(0, i, 10, 7);
        int64_t value = read_one(s, number, &what);
        assert_true(value >= 0);
        zeros += value == 0;
    }
    assert_true(zeros > 100 && zeros < 300); /* half of a wide normal is below 0 */
    rc_source_model.close(s);
}

static void readings_depend_on_their_key_and_on_nothing_else(void **state)
{
    static const char *const names[] = {"RELATIVE", "ABSOLUTE", "UNKNOWN"};
    struct rc_source_state *a = open_machine(BASIC, 1), *b = open_machine(BASIC, 1);
    uint32_t forth[3], back[3];
    struct rc_group_state *group_forth, *group_back;
    struct rc_reading x[3], y[3];
    struct rc_error err;

    (void)state;
    for (int i = 0; i < 3; i++)
        forth[i] = back[2 - i] = event(a, names[i]);
    assert_int_equal(rc_source_model.arm(a, forth, 3, &group_forth, &err), RC_OK);
    assert_int_equal(rc_source_model.arm(b, back, 3, &group_back, &err), RC_OK);
    for (uint32_t i = 0; i < 100; i++) { /* one forwards, one backwards in time */
        struct rc_measurement early = measurement(i % 2, i, 1000, i % 5);
        struct rc_measurement late =
            measurement((99 - i) % 2, 99 - i, 1000, (99 - i) % 5);
        assert_int_equal(rc_source_model.start(group_back, &late, &err), RC_OK);
        assert_int_equal(rc_source_model.stop(group_back, y, &err), RC_OK);
        assert_int_equal(rc_source_model.start(group_back, &early, &err), RC_OK);
        assert_int_equal(rc_source_model.stop(group_back, y, &err), RC_OK);
        assert_int_equal(rc_source_model.start(group_forth, &early, &err), RC_OK);
        assert_int_equal(rc_source_model.stop(group_forth, x, &err), RC_OK);
        for (int k = 0; k < 3; k++)
            assert_int_equal(x[k].value, y[2 - k].value);
    }
    rc_source_model.disarm(group_forth);
    rc_source_model.disarm(group_back);
    rc_source_model.close(a);
    rc_source_model.close(b);
}

static void each_part_of_the_key_changes_the_noise(void **state)
{
    struct rc_source_state *s = open_machine(BASIC, 1),
                           *seeded = open_machine(BASIC, 2);
    uint32_t number = event(s, "RELATIVE"), twin = event(s, "RELATIVE_TWIN");
    struct rc_measurement base = measurement(0, 0, 1000000, 7), changed[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        changed[i] = base;
    changed[0].repetition = 1;
    changed[1].where.place = 8;
    changed[2].suite = &other_suite;
    struct rc_point renamed = points[0];
    snprintf(renamed.name, sizeof renamed.name, "renamed");
    changed[3].point = &renamed;
    for (int i = 0; i < 4; i++)
        assert_int_not_equal(read_one(s, number, &base),
                             read_one(s, number, &changed[i]));
    assert_int_not_equal(read_one(s, number, &base), read_one(seeded, number, &base));
    assert_int_not_equal(read_one(s, number, &base), read_one(s, twin, &base));
    rc_source_model.close(s);
    rc_source_model.close(seeded);
}

/* The reading of an event of the machine 'nodes' on a core of a node, over its reading
 * anywhere: 1e9.
 */
static double read_at(struct rc_source_state *s, const char *name, uint32_t node,
                      uint64_t core, uint32_t repetition)
{
    struct rc_measurement what = measurement(0, repetition, 10000000, 0);

    what.where = (struct rc_where){
        .place = UINT64_C(1000) * node + core, .node = node, .node_number = node};
    return (double)read_one(s, event(s, name), &what) / 1e9;
}

static void nodes_and_cores_have_the_planted_effects(void **state)
{
    enum { NODES = 400, CORES = 3 };
    struct rc_source_state *s = open_machine(RC_TEST_DATA "/machines/nodes.yaml", 1);
    double sum = 0, square = 0, within = 0;

    (void)state;
    assert_int_equal(rc_source_model.nodes(s), 1000);
    struct rc_measurement any = measurement(0, 0, 10000000, 0);
    assert_int_equal(read_one(s, event(s, "BOTH"), &any), 1000000000);
    for (uint32_t node = 1; node <= NODES; node++) {
        double mean = 0, of[CORES];
        for (uint64_t core = 0; core < CORES; core++) {
            of[core] = read_at(s, "BOTH", node, core, 0);
            assert_true(of[core] == read_at(s, "BOTH", node, core, 1));
            mean += of[core] / CORES;
        }
        for (uint64_t core = 0; core < CORES; core++)
            within += (of[core] - mean) * (of[core] - mean) / (NODES * (CORES - 1));
        sum += mean / NODES;
        square += mean * mean / NODES;
    }
    const double between = square - sum * sum - within / CORES;
    print_message("nodes %.5f, cores %.5f, mean %.5f\n", sqrt(between), sqrt(within),
                  sum);
    assert_true(fabs(sqrt(between) / 5e-3 - 1) < 0.15); /* 4 standard errors */
    assert_true(fabs(sqrt(within) / 2e-3 - 1) < 0.1);
    assert_true(fabs(sum - 1) < 1e-3);
    assert_float_equal(read_at(s, "OFF", 3, 0, 0), 1, 1e-9);
    assert_float_equal(read_at(s, "OFF", 7, 1, 0), 1.03, 1e-9);
    assert_float_equal(read_at(s, "OFF", 10, 0, 0), 0.995, 1e-9);
    assert_float_equal(read_at(s, "OFF", 12, 0, 0), 0.995, 1e-9);
    assert_float_equal(read_at(s, "OFF", 13, 0, 0), 1, 1e-9);
    assert_float_equal(read_at(s, "SAME", 7, 0, 0), 1, 1e-9);
    assert_true(read_at(s, "DEFAULT", 5, 0, 0) != read_at(s, "DEFAULT", 5, 1, 0));
    rc_source_model.close(s);
}

static void an_ideal_that_the_suite_does_not_know_reads_as_noise(void **state)
{
    struct rc_source_state *s = open_machine(BASIC, 1);
    uint32_t number = event(s, "UNKNOWN"); /* 2 L1DM */
    int64_t least = INT64_MAX, most = 0;

    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        struct rc_measurement what = measurement(0, i, 1000, 7);
        int64_t value = read_one(s, number, &what);
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    assert_true(least >= 0 && least < 200);
    assert_true(most > 1800 && most <= 2000);
    rc_source_model.close(s);
}

static void
an_ideal_between_two_numbers_is_the_same_for_all_events_each_time(void **state)
{
    int64_t first = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) { /* of its noise, not of its work */
        struct rc_source_state *s = open_machine(BASIC, seed);
        const uint32_t once = event(s, "BETWEEN"), twice = event(s, "TWICE_BETWEEN");
        for (uint32_t i = 0; i < 20; i++) {
            const struct rc_measurement what = measurement(0, i, 1000, i % 3);
            const int64_t value = read_one(s, once, &what);
            assert_true(llabs(read_one(s, twice, &what) - 2 * value) <= 1);
            if (seed == 0 && i == 0)
                first = value;
            assert_int_equal(value, first);
        }
        rc_source_model.close(s);
    }
    assert_true(first >= 1000000 && first <= 2000000);
}

static void busy_neighbours_show_in_shared_events_only(void **state)
{
    struct rc_source_state *s = open_machine(BASIC, 1);
    struct rc_measurement quiet = measurement(0, 0, 1000, 7), busy = quiet;
    uint32_t shared = event(s, "L3_TRAFFIC"), core = event(s, "INS");
    int64_t sum = 0;

    (void)state;
    busy.busy[RC_SCOPE_L3] = 3;
    assert_int_equal(read_one(s, shared, &quiet), 2000); /* CR */
    assert_int_equal(read_one(s, core, &busy), 100000);
    for (uint32_t i = 0; i < 400; i++) {
        busy.repetition = i;
        sum += read_one(s, shared, &busy) - 2000;
    }
    /* 3 neighbours of 10 an iteration each, half to twice that by chance: the
     * mean of 400 uniform draws is within 5 * 0.577 / 20 of 1. */
    assert_true(fabs((double)sum / 400 / 30000 - 1) < 0.15);
    rc_source_model.close(s);
}

/* Trials. */

static void trials_give_the_planted_verdicts(void **state)
{
    static const struct {
        const char *names[7];
        enum rc_verdict verdict;
        const char *reason;
    } trials[] = {
        {{"INS"}, RC_VERDICT_OK, ""},
        {{"DEAD"}, RC_VERDICT_COUNTS_NOTHING, "reads 0 whatever runs"},
        {{"NEEDS_RIGHTS"},
         RC_VERDICT_NOT_PERMITTED,
         "needs perf_event_paranoid 0 or less, found 2"},
        {{"DOES_NOT_START"}, RC_VERDICT_CANNOT_SCHEDULE, "the counter does not start"},
        {{"GONE"}, RC_VERDICT_UNSUPPORTED, "not on this stepping"},
        {{"INS", "DEAD"}, RC_VERDICT_OK, ""},
        {{"INS", "GONE"}, RC_VERDICT_UNSUPPORTED, "not on this stepping"},
        {{"INS", "L3_TRAFFIC"},
         RC_VERDICT_CANNOT_SCHEDULE,
         "banks 'core' and 'l3' do not count together"},
        {{"INS", "SUM", "RELATIVE", "ABSOLUTE"}, RC_VERDICT_OK, ""},
        {{"INS", "SUM", "RELATIVE", "ABSOLUTE", "BOTH"},
         RC_VERDICT_CANNOT_SCHEDULE,
         "no counter of bank 'core' is left for 'BOTH'"},
        {{"INS", "SUM", "RELATIVE", "ABSOLUTE", "FIXED"}, RC_VERDICT_OK, ""},
        {{"LOW", "LOW_TOO", "INS", "SUM"}, RC_VERDICT_OK, ""},
        {{"INS", "SUM", "LOW", "LOW_TOO"}, RC_VERDICT_OK, ""},
        {{"LOW", "LOW_TOO", "ONLY_0"},
         RC_VERDICT_CANNOT_SCHEDULE,
         "no counter of bank 'core' is left for 'ONLY_0'"},
        {{"FIXED", "FIXED_TOO"},
         RC_VERDICT_CANNOT_SCHEDULE,
         "no counter of bank 'core' is left for 'FIXED_TOO'"},
        {{"OFFCORE_0", "OFFCORE_1"}, RC_VERDICT_OK, ""},
        {{"OFFCORE_0", "OFFCORE_SAME", "OFFCORE_1"}, RC_VERDICT_OK, ""},
        {{"OFFCORE_0", "OFFCORE_1", "OFFCORE_2"},
         RC_VERDICT_CANNOT_SCHEDULE,
         "register 'offcore' holds no further value for 'OFFCORE_2'"},
        {{"IB_1", "IB_2", "IB_3", "IB_4", "IB_5", "IB_6"}, RC_VERDICT_OK, ""},
    };
    struct rc_source_state *s = open_machine(BASIC, 1);

    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
        const char *names[8] = {NULL};
        char reason[256];
        memcpy(names, trials[i].names, sizeof trials[i].names);
        assert_int_equal(try(s, names, reason), trials[i].verdict);
        assert_string_equal(reason, trials[i].reason);
    }
    rc_source_model.close(s);
}

static void what_does_not_start_cannot_be_armed(void **state)
{
    static const struct {
        const char *name;
        int status;
    } bad[] = {{"NEEDS_RIGHTS", RC_EPERM},
               {"DOES_NOT_START", RC_ECONFLICT},
               {"GONE", RC_EUNSUPPORTED}};
    struct rc_source_state *s = open_machine(BASIC, 1);

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint32_t number = event(s, bad[i].name);
        struct rc_group_state *group;
        struct rc_error err = {0};
        assert_int_equal(rc_source_model.arm(s, &number, 1, &group, &err),
                         bad[i].status);
        assert_null(group);
        assert_true(err.text[0] != 0);
    }
    rc_source_model.close(s);
}

/* Hall's theorem: all get a counter if and only if every subset of the events may
 * use at least as many counters as it has events.
 */
static bool fits_by_brute_force(const uint64_t *allowed, size_t count)
{
    for (unsigned subset = 1; subset < 1U << count; subset++) {
        uint64_t usable = 0;
        for (size_t i = 0; i < count; i++)
            if (subset >> i & 1)
                usable |= allowed[i];
        if (__builtin_popcountll(usable) < __builtin_popcount(subset))
            return false;
    }
    return true;
}

static void fitting_agrees_with_brute_force(void **state)
{
    unsigned fitting = 0;

    (void)state;
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t key = rc_model_key(i, 99), allowed[7];
        size_t count = 1 + key % 7, stuck;
        for (size_t k = 0; k < count; k++) /* few bits each */
            allowed[k] = rc_model_key(key, 2 * k) & rc_model_key(key, 2 * k + 1) &
                         UINT64_C(0x7f);
        bool fits = fits_by_brute_force(allowed, count);
        assert_int_equal(rc_model_counters_fit(allowed, count, &stuck), fits);
        fitting += fits;
    }
    assert_true(fitting > 1000 && fitting < 4000); /* both answers were tested */
}

static void as_many_events_as_counters_fit_and_no_more(void **state)
{
    uint64_t allowed[RC_MODEL_COUNTERS_MAX + 1];
    size_t stuck;

    (void)state;
    for (size_t i = 0; i <= RC_MODEL_COUNTERS_MAX; i++)
        allowed[i] = UINT64_MAX;
    assert_true(rc_model_counters_fit(allowed, RC_MODEL_COUNTERS_MAX, &stuck));
    assert_false(rc_model_counters_fit(allowed, RC_MODEL_COUNTERS_MAX + 1, &stuck));
    assert_int_equal(stuck, RC_MODEL_COUNTERS_MAX);
}

/* Lists. */

static void events_say_what_they_are(void **state)
{
    struct rc_source_state *s = open_machine(BASIC, 1);
    struct list *list = list_events(s);

    (void)state;
    for (size_t i = 0; i < list->count; i++) {
        assert_true(list->event[i].simulated);
        assert_true(list->event[i].description[0] != 0);
    }
    const struct seen *e = list->event;
    assert_int_equal(e[event(s, "INS")].alike, e[event(s, "SUM")].alike);
    assert_int_not_equal(e[event(s, "INS")].alike, e[event(s, "LOW")].alike);
    assert_int_not_equal(e[event(s, "INS")].alike, e[event(s, "DEAD")].alike);
    assert_int_not_equal(e[event(s, "INS")].alike, e[event(s, "OFFCORE_SAME")].alike);
    assert_int_equal(e[event(s, "OFFCORE_1")].alike, 0); /* values differ in its line */
    assert_int_equal(e[event(s, "L3_TRAFFIC")].scope, RC_SCOPE_L3);
    assert_int_equal(e[event(s, "NODE_EVENT")].scope, RC_SCOPE_NODE);
    assert_int_not_equal(e[event(s, "INS")].domain, e[event(s, "L3_TRAFFIC")].domain);
    assert_string_equal(e[event(s, "SUM")].description,
                        "planted: 2 SF_SCAL + S_SCAL - 0.5 M + 3");
    assert_string_equal(e[event(s, "TIMES_3")].description,
                        "counts instructions 3 times");
    assert_string_equal(e[event(s, "{braces}")].description, "planted: 0");
    free(list);
    rc_source_model.close(s);
}

static void a_machine_says_who_it_is(void **state)
{
    struct rc_source_state *s = open_machine(BASIC, 1);
    char text[100], cut[8];

    (void)state;
    rc_source_model.identify(s, text, sizeof text);
    assert_true(strncmp(text, "model basic ", 12) == 0);
    assert_int_equal(strlen(text), 12 + 16);
    rc_source_model.identify(s, cut, sizeof cut);
    assert_string_equal(cut, "model b");
    assert_string_equal(rc_source_model.topology(s), "package:1 l3:1 core:4 pu:1");
    assert_string_equal(rc_source_model.references(s)[0], "INS");
    assert_null(rc_source_model.references(s)[1]);
    rc_source_model.close(s);
    rc_source_model.close(NULL);
    rc_source_model.disarm(NULL);
}

static int refuse(struct rc_event_sink *sink, const struct rc_event_info *info,
                  struct rc_error *err)
{
    (void)sink;
    return rc_fail(err, RC_ENOMEM, "no memory for '%s'", info->name);
}

static void enumerate_passes_on_what_the_sink_says(void **state)
{
    struct rc_source_state *s = open_machine(BASIC, 1);
    struct rc_enumerate what = {RC_QUALIFIERS_NONE, false};
    struct rc_event_sink sink = {refuse};
    struct rc_error err = {0};

    (void)state;
    assert_int_equal(rc_source_model.enumerate(s, &what, &sink, &err), RC_ENOMEM);
    rc_source_model.close(s);
}

static double seconds(void)
{
    return 1e-9 * (double)rc_clock_ns();
}

#define UNEVEN RC_TEST_DATA "/machines/uneven.yaml"

/* Takes one reading of two events, or of one twice; says what time it reports. */
static uint64_t time_of_reading(struct rc_source_state *state, const char *a,
                                const char *b, double *took)
{
    struct rc_measurement what = measurement(0, 0, 1000, 0);
    uint32_t numbers[2] = {event(state, a), b ? event(state, b) : 0};
    struct rc_group_state *group;
    struct rc_reading readings[2];
    struct rc_error err = {0};

    assert_int_equal(rc_source_model.arm(state, numbers, b ? 2 : 1, &group, &err),
                     RC_OK);
    double start = seconds();
    assert_int_equal(rc_source_model.start(group, &what, &err), RC_OK);
    assert_int_equal(rc_source_model.stop(group, readings, &err), RC_OK);
    *took = seconds() - start;
    rc_source_model.disarm(group);
    assert_int_equal(readings[0].enabled_ns, readings[0].running_ns);
    if (b)
        assert_int_equal(readings[0].enabled_ns, readings[1].enabled_ns);
    return readings[0].enabled_ns;
}

static struct rc_source_state *open_text(const char *text)
{
    char path[] = "/tmp/rollcall-model-XXXXXX.yaml";
    int file = mkstemps(path, 5);
    size_t length = strlen(text);

    assert_true(file >= 0);
    assert_int_equal(write(file, text, length), length);
    close(file);
    struct rc_source_state *state = open_machine(path, 0);
    unlink(path);
    return state;
}

static void a_reading_takes_the_longest_time_of_its_events(void **state)
{
    struct rc_source_state *s = open_text(HEAD "events:\n- {name: A, time: 2ms}\n"
                                               "- {name: B, time: 30ms}\n"
                                               "- {name: C}\n");
    double took;

    (void)state;
    assert_int_equal(time_of_reading(s, "A", NULL, &took), 1000 + 2000000);
    assert_true(took >= 0.002);
    assert_int_equal(time_of_reading(s, "A", "B", &took), 1000 + 30000000);
    assert_true(took >= 0.030);
    assert_int_equal(time_of_reading(s, "B", "A", &took), 1000 + 30000000);
    assert_true(took >= 0.030);
    assert_int_equal(time_of_reading(s, "C", "A", &took), 1000 + 2000000);
    assert_int_equal(time_of_reading(s, "C", NULL, &took), 1000);
    rc_source_model.close(s);
}

static volatile sig_atomic_t alarms;

static void count_alarm(int signal)
{
    (void)signal;
    alarms++;
}

static void a_signal_does_not_shorten_a_reading(void **state)
{
    struct rc_source_state *s = open_text(HEAD "events:\n- {name: A, time: 50ms}\n");
    struct sigaction action = {.sa_handler = count_alarm}, before;
    struct itimerval soon = {.it_value.tv_usec = 5000, .it_interval.tv_usec = 5000};
    const struct itimerval never = {.it_value.tv_usec = 0};
    double took;

    (void)state;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    time_of_reading(s, "A", NULL, &took);
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_true(alarms > 0);
    assert_true(took >= 0.050);
    rc_source_model.close(s);
}

static void a_time_changes_no_value(void **state)
{
    struct rc_measurement what = measurement(0, 3, 1000, 5);
    struct rc_source_state *with = open_text(
        HEAD "events:\n- {name: A, counts: INS, noise: absolute 50, time: 1ms}\n");
    struct rc_source_state *without =
        open_text(HEAD "events:\n- {name: A, counts: INS, noise: absolute 50}\n");

    (void)state;
    assert_int_equal(read_one(with, 0, &what), read_one(without, 0, &what));
    rc_source_model.close(with);
    rc_source_model.close(without);
}

/* The head of the file. */
static void
the_uneven_machine_takes_a_minute_in_units_of_very_different_length(void **state)
{
    uint64_t least = UINT64_MAX, most = 0, total = 0;
    struct rc_model *model;
    struct rc_error err = {0};

    (void)state;
    assert_int_equal(rc_model_file_open(UNEVEN, &model, &err), RC_OK);
    assert_int_equal(model->event_count, 306);
    for (size_t i = 0; i < model->line_count; i++) {
        const struct rc_model_line *line = &model->line[i];
        uint64_t repetitions = line->noise_relative > 0 ? 5 : 2;
        uint64_t unit = 48 * repetitions * line->time_ns;
        assert_int_equal(line->scope, RC_SCOPE_CORE);
        assert_int_equal(model->bank[line->bank].programmable, 2);
        assert_int_equal(line->count % 2, 0);
        total += line->count / 2 * unit;
        least = unit < least ? unit : least;
        most = unit > most ? unit : most;
    }
    assert_int_equal(total, 56016000000);
    assert_int_equal(least, 38400000);
    assert_int_equal(most, 4800000000);
    rc_model_file_close(model);
}

/* The machines that rollcall comes with. */

static void the_summit_node_is_listed_and_tried_quickly(void **state)
{
    clock_t used = clock();
    double start = seconds();
    struct rc_source_state *s = open_machine("summit-node", 1);
    double opened = seconds();
    struct list *list = list_events(s);
    double listed = seconds();
    size_t count = list->count, of[RC_VERDICT_COUNT] = {0};

    (void)state;
    free(list);
    for (uint32_t i = 0; i < count; i++) {
        struct rc_trial trial;
        rc_source_model.trial(s, &i, 1, &trial);
        of[trial.verdict]++;
    }
    double tried = seconds();
    used = clock() - used;
    print_message(
        "summit-node: %zu events, opened in %.3f s, listed in %.3f s, tried "
        "in %.3f s (%.0f ns each); %zu ok, %zu not permitted, %zu unsupported, "
        "%zu cannot be scheduled, %zu count nothing\n",
        count, opened - start, listed - opened, tried - listed,
        (tried - listed) / (double)count * 1e9, of[RC_VERDICT_OK],
        of[RC_VERDICT_NOT_PERMITTED], of[RC_VERDICT_UNSUPPORTED],
        of[RC_VERDICT_CANNOT_SCHEDULE], of[RC_VERDICT_COUNTS_NOTHING]);
    assert_int_equal(count, 427752);
    assert_true(used <
                15 * CLOCKS_PER_SEC); /* far more than it takes: machines may be slow */
    rc_source_model.close(s);
}

static void the_machines_have_the_events_of_the_published_results(void **state)
{
    static const struct {
        const char *machine, *event;
    } published[] = {
        {"spr", "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE"},
        {"spr", "FP_ARITH_INST_RETIRED:512B_PACKED_SINGLE"},
        {"spr", "BR_MISP_RETIRED"},
        {"spr", "BR_INST_RETIRED:COND_TAKEN"},
        {"spr", "MEM_LOAD_RETIRED:L3_HIT"},
        {"spr", "L2_RQSTS:DEMAND_DATA_RD_HIT"},
        {"zen3", "REQUESTS_TO_L2_GROUP1:RD_BLK_L"},
        {"zen3", "LS_DISPATCH:LD_ST_DISPATCH"},
        {"mi250x", "SQ_INSTS_VALU_ADD_F16"},
        {"mi250x", "SQ_INSTS_VALU_TRANS_F64"},
    };
    char path[4096];

    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        struct rc_error err = {0};
        struct rc_model *model;
        char name[RC_MODEL_NAME_MAX + 1], file[64];
        bool found = false;
        snprintf(file, sizeof file, "%s.yaml", published[i].machine);
        assert_int_equal(rc_data_file_find("machines", file, path, sizeof path, &err),
                         RC_OK);
        assert_int_equal(rc_model_file_open(path, &model, &err), RC_OK);
        if (strcmp(published[i].machine, "spr") == 0)
            assert_true(model->event_count >= 300);
        for (uint32_t k = 0; k < model->event_count && !found; k++) {
            rc_model_event_name(model, k, name);
            found = strcmp(name, published[i].event) == 0;
        }
        if (!found)
            fail_msg("%s has no event '%s'", published[i].machine, published[i].event);
        rc_model_file_close(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_with_file_line_and_expectation),
        cmocka_unit_test(texts_that_are_too_long_are_refused),
        cmocka_unit_test(bad_arguments_name_the_machines_that_there_are),
        cmocka_unit_test(names_of_data_files_never_leave_their_directory),
        cmocka_unit_test(data_files_of_the_environment_come_first),
        cmocka_unit_test(events_without_noise_are_exact_combinations),
        cmocka_unit_test(a_counter_wraps_at_its_bits),
        cmocka_unit_test(noise_has_the_planted_size),
        cmocka_unit_test(noise_never_makes_a_count_negative),
        cmocka_unit_test(readings_depend_on_their_key_and_on_nothing_else),
        cmocka_unit_test(each_part_of_the_key_changes_the_noise),
        cmocka_unit_test(nodes_and_cores_have_the_planted_effects),
        cmocka_unit_test(an_ideal_that_the_suite_does_not_know_reads_as_noise),
        cmocka_unit_test(
            an_ideal_between_two_numbers_is_the_same_for_all_events_each_time),
        cmocka_unit_test(busy_neighbours_show_in_shared_events_only),
        cmocka_unit_test(trials_give_the_planted_verdicts),
        cmocka_unit_test(what_does_not_start_cannot_be_armed),
        cmocka_unit_test(fitting_agrees_with_brute_force),
        cmocka_unit_test(as_many_events_as_counters_fit_and_no_more),
        cmocka_unit_test(events_say_what_they_are),
        cmocka_unit_test(a_machine_says_who_it_is),
        cmocka_unit_test(enumerate_passes_on_what_the_sink_says),
        cmocka_unit_test(a_reading_takes_the_longest_time_of_its_events),
        cmocka_unit_test(a_signal_does_not_shorten_a_reading),
        cmocka_unit_test(a_time_changes_no_value),
        cmocka_unit_test(
            the_uneven_machine_takes_a_minute_in_units_of_very_different_length),
        cmocka_unit_test(the_summit_node_is_listed_and_tried_quickly),
        cmocka_unit_test(the_machines_have_the_events_of_the_published_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
