#include "tests/lib/test.h"

#include "campaign/base/files/file.h"
#include "campaign/plan/kind_plan.h"
#include "campaign/records/event_numbers.h"
#include "tests/lib/fake_lib.h"

#include <unistd.h>

/* Two of the events count together, and the reference beside them. */
static const char machine[] =
    "name: tiny\n"
    "summary: a machine of a test\n"
    "topology: package:1 l3:1(size=8388608) l2:2(size=1048576) core:1 pu:1\n"
    "seed: 7\n"
    "banks:\n"
    "- {name: core, counters: 2, fixed: 1}\n"
    "references: [INSTRUCTIONS]\n"
    "events:\n"
    "- {name: INSTRUCTIONS, counts: INS, counters: fixed 0}\n"
    "- name: A_{n}\n"
    "  for: [n = 0..5]\n"
    "  counts: INS\n"
    "- {name: SECRET, verdict: not permitted, reason: needs a right}\n"
    "- {name: OLD, verdict: counts nothing, reason: reads 0}\n";

static char path[64];

static struct {
    struct rc_campaign *campaign;
    struct rc_catalogue *catalogue;
    struct rc_spec spec;
    size_t emitted[RC_RECORD_END + 1], remarks;
    char remark[512];
    bool is_new;
    struct rc_error err;
} t;

static int make_machine(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/rc_draft_%d.yaml", (int)getpid());
    return rc_file_replace(path, RC_FILE_GIVEN, machine, sizeof machine - 1, NULL);
}

static int remove_machine(void **state)
{
    (void)state;
    return unlink(path);
}

static int open_campaign(void **state)
{
    (void)state;
    memset(&t, 0, sizeof t);
    t.campaign = rc_campaign_create();
    return t.campaign ? 0 : -1;
}

static void close_catalogue(void)
{
    rc_catalogue_close(t.catalogue);
    rc_spec_fini(&t.spec);
    t.catalogue = NULL;
    memset(&t.spec, 0, sizeof t.spec);
}

static int close_campaign(void **state)
{
    (void)state;
    close_catalogue();
    rc_campaign_close(t.campaign);
    return 0;
}

static int count_record(void *context, uint32_t type, const struct rc_bytes *payload,
                        struct rc_error *err)
{
    (void)context;
    (void)err;
    assert_true(payload->count > 0);
    t.emitted[type]++;
    return RC_OK;
}

static void keep_remark(void *context, const char *line)
{
    (void)context;
    t.remarks++;
    snprintf(t.remark, sizeof t.remark, "%s", line);
}

static void open_catalogue(const char *lines, bool with_trial)
{
    char text[512];

    close_catalogue();
    snprintf(text, sizeof text, "source: ['model:%s']\n%s", path, lines);
    if (rc_spec_from_text("c.yaml", text, strlen(text), &t.spec, &t.err) != RC_OK ||
        rc_catalogue_open(&t.spec, with_trial, &t.catalogue, &t.err) != RC_OK)
        fail_msg("%s", t.err.text);
}

static int plan_open(void)
{
    const struct rc_kind_plan plan = {.spec = &t.spec,
                                      .catalogue = t.catalogue,
                                      .campaign = t.campaign,
                                      .emit = count_record,
                                      .remark = keep_remark};

    memset(t.emitted, 0, sizeof t.emitted);
    t.remarks = 0;
    return rc_kind_plan_kind(&plan, &t.err);
}

/* As a speaker does it: with trials where something is new. */
static int plan(const char *lines)
{
    open_catalogue(lines, false);
    assert_int_equal(rc_kind_plan_is_new(t.campaign, t.catalogue, &t.is_new, &t.err),
                     RC_OK);
    if (t.is_new)
        open_catalogue(lines, true);
    return plan_open();
}

static void plan_well(const char *lines)
{
    if (plan(lines) != RC_OK)
        fail_msg("%s", t.err.text);
}

static void assert_emitted(size_t kinds, size_t events, size_t suites, size_t groups)
{
    assert_int_equal(t.emitted[RC_RECORD_KIND], kinds);
    assert_int_equal(t.emitted[RC_RECORD_EVENTS], events);
    assert_int_equal(t.emitted[RC_RECORD_SUITE], suites);
    assert_int_equal(t.emitted[RC_RECORD_GROUPS], groups);
}

/* A group as its events' names: "A_0 A_1 + INSTRUCTIONS". */
static const char *group_text(size_t number)
{
    static char text[256];
    const struct rc_campaign_kind *kind = &t.campaign->kind[0];
    const struct rc_record_group *group = &kind->group[number];

    assert_true(number < kind->group_count);
    text[0] = 0;
    for (size_t i = 0; i < group->count; i++) {
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%s%s%s", i ? " " : "",
                 i == group->own ? "+ " : "", kind->event[group->event[i]].name);
    }
    return text;
}

static void assert_groups(size_t count, const char *const *texts)
{
    assert_int_equal(t.campaign->kind[0].group_count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(group_text(i), texts[i]);
}

static size_t times_listed(const char *name)
{
    const struct rc_campaign_kind *kind = &t.campaign->kind[0];
    size_t times = 0;

    for (size_t i = 0; i < kind->event_count; i++)
        times += strcmp(kind->event[i].name, name) == 0;
    return times;
}

static void nothing_that_counts_is_missing(void **state)
{
    (void)state;
    assert_int_equal(plan("suites: [flops]\nevents: [SECRET]"), RC_EMISSING);
    assert_non_null(strstr(
        t.err.text, "none of the 1 events that match counts on kind model-tiny-"));
    assert_int_equal(plan("suites: [flops]\nevents: [NO_SUCH_EVENT]"), RC_EMISSING);
    assert_non_null(strstr(t.err.text, "no event on kind model-tiny-"));
    assert_non_null(strstr(t.err.text, "matches 'NO_SUCH_EVENT'"));
}

static void a_suite_that_this_build_changed_is_a_conflict(void **state)
{
    struct rc_bytes payload = {0};
    const char *const ideals[] = {"INS"};
    const double basis[] = {1};
    const uint64_t iterations[] = {1};
    const struct rc_record_point point = {.name = "of old"};
    const struct rc_record_suite old = {.name = "flops",
                                        .point = &point,
                                        .point_count = 1,
                                        .ideals = ideals,
                                        .ideal_count = 1,
                                        .basis = basis,
                                        .iterations = iterations,
                                        .source_count = 1};

    (void)state;
    plan_well("suites: [branch]\nevents: ['A_*']");
    assert_int_equal(rc_record_put_list(RC_RECORD_SUITE, t.campaign->kind[0].id, 1,
                                        &old, 1, &payload, NULL),
                     RC_OK);
    assert_int_equal(rc_campaign_apply(t.campaign, RC_RECORD_SUITE, payload.byte,
                                       payload.count, NULL),
                     RC_OK);
    rc_bytes_fini(&payload);
    plan_well("suites: [branch]\nevents: ['A_*']");
    assert_int_equal(plan("suites: [branch, flops]\nevents: ['A_*']"), RC_ECONFLICT);
    assert_non_null(strstr(t.err.text, "suite 'flops' of this build has other points"));
}

static const char *const three[] = {"A_0 A_1 + INSTRUCTIONS", "A_2 A_3 + INSTRUCTIONS",
                                    "A_4 A_5 + INSTRUCTIONS"};

static void a_second_plan_of_the_same_emits_nothing(void **state)
{
    (void)state;
    plan_well("suites: [flops, branch]\nevents: ['A_*', SECRET]");
    assert_true(t.is_new);
    assert_emitted(1, 1, 2, 1);
    assert_groups(3, three);
    assert_int_equal(t.remarks, 1);
    plan_well("suites: [flops, branch]\nevents: ['A_*', SECRET]");
    assert_false(t.is_new);
    assert_emitted(0, 0, 0, 0);
    assert_int_equal(t.remarks, 0);
    plan_well("suites: [branch]\nevents: ['A_*', SECRET]");
    assert_emitted(0, 0, 0, 0);
    assert_groups(3, three);
}

static void only_what_is_new_is_grouped(void **state)
{
    static const char *const after[] = {"A_0 A_1 + INSTRUCTIONS", "A_2 + INSTRUCTIONS",
                                        "A_3 A_4 + INSTRUCTIONS", "A_5 + INSTRUCTIONS"};

    (void)state;
    plan_well("suites: [branch]\nevents: ['A_[0-2]']");
    plan_well("suites: [branch]\nevents: ['A_*']");
    assert_true(t.is_new);
    assert_emitted(0, 1, 0, 1);
    assert_groups(4, after);
    plan_well("suites: [branch, flops]\nevents: ['A_*']");
    assert_emitted(0, 0, 1, 0);
}

static void the_rest_of_a_group_that_is_wanted_in_part_is_grouped_anew(void **state)
{
    static const char *const after[] = {
        "A_0 A_1 + INSTRUCTIONS", "A_2 A_3 + INSTRUCTIONS", "A_4 A_5 + INSTRUCTIONS",
        "A_1 A_2 + INSTRUCTIONS"};

    (void)state;
    plan_well("suites: [branch]\nevents: ['A_*']");
    plan_well("suites: [branch]\nevents: ['A_*', '!A_0', '!A_3']");
    assert_emitted(0, 0, 0, 1);
    assert_groups(4, after);
    plan_well("suites: [branch]\nevents: ['A_*', '!A_0', '!A_3']");
    assert_false(t.is_new);
    assert_emitted(0, 0, 0, 0);
}

static void a_reference_that_no_pattern_takes_in_is_listed_once(void **state)
{
    (void)state;
    plan_well("suites: [branch]\nevents: [A_0]");
    assert_int_equal(times_listed("INSTRUCTIONS"), 1);
    assert_int_equal(t.campaign->kind[0].event_count, 2);
    plan_well("suites: [branch]\nevents: [A_0, A_1]");
    assert_int_equal(times_listed("INSTRUCTIONS"), 1);
    plan_well("suites: [branch]"); /* now it is wanted for itself */
    assert_int_equal(times_listed("INSTRUCTIONS"), 1);
    assert_int_equal(t.campaign->kind[0].event_count, 9);
    plan_well("suites: [branch]");
    assert_emitted(0, 0, 0, 0);
}

/* Else solve would miss its readings. */
static void a_reference_that_no_group_has_room_for_is_not_listed(void **state)
{
    (void)state;
    plan_well("suites: [branch]\nevents: [A_0]\ngroup_size: 1");
    assert_int_equal(times_listed("INSTRUCTIONS"), 0);
    assert_int_equal(t.campaign->kind[0].event_count, 1);
}

static void without_a_reference_groups_are_their_own(void **state)
{
    static const char *const both[] = {"A_0 A_1", "A_2 + INSTRUCTIONS"};

    (void)state;
    plan_well("suites: [branch]\nevents: [A_0, A_1]\nreference: none");
    assert_int_equal(times_listed("INSTRUCTIONS"), 0);
    plan_well("suites: [branch]\nevents: [A_0, A_1, A_2]");
    assert_groups(2, both);
}

static void verdicts_of_the_first_plan_stay(void **state)
{
    const struct rc_record_event *event;

    (void)state;
    plan_well("suites: [branch]");
    assert_string_equal(group_text(3), "OLD + INSTRUCTIONS"); /* it may count later */
    event = t.campaign->kind[0].event;
    assert_string_equal(event[7].name, "SECRET");
    assert_int_equal(event[7].verdict, RC_VERDICT_NOT_PERMITTED);
    assert_string_equal(event[7].reason, "needs a right");
    assert_int_equal(event[8].verdict, RC_VERDICT_COUNTS_NOTHING);
    assert_int_equal(event[0].verdict, RC_VERDICT_OK);
    plan_well("suites: [branch]");
    assert_false(t.is_new);
    assert_emitted(0, 0, 0, 0);
}

/* Catalogues made by hand: what a source says of its events is in 'event'. */
static void anything_counts(struct rc_source_state *state, const uint32_t *events,
                            size_t count, struct rc_trial *out)
{
    (void)state;
    (void)events;
    (void)count;
    *out = (struct rc_trial){.verdict = RC_VERDICT_OK};
}

static const struct rc_source counts_all =
    FAKE_SOURCE("counts-all", .any_number = true, .trial = anything_counts);
static const struct rc_source steps_little =
    FAKE_SOURCE("steps-little", .any_number = true, .trial = anything_counts,
                .runs_kernels = true, .instruction_budget = 1, .instructions_most = 1);

struct hand {
    struct rc_catalogue catalogue;
    struct rc_open_source source[2];
    struct rc_source_state state;
    struct rc_event *event;
    char (*name)[16];
};

/* 'count' events "E0", "E1", ... in the order of their names, all of source 0. */
static void hand_init(struct hand *hand, const struct rc_source *source, size_t count)
{
    *hand = (struct hand){.event = rc_calloc(count, sizeof *hand->event),
                          .name = rc_calloc(count, sizeof *hand->name)};
    hand->source[0] = (struct rc_open_source){
        .source = source, .state = &hand->state, .label = source->label};
    hand->source[1] = hand->source[0];
    hand->catalogue = (struct rc_catalogue){.source = hand->source,
                                            .source_count = 1,
                                            .event = hand->event,
                                            .count = count};
    assert_int_equal(rc_machine_open(RC_MACHINE_SYNTHETIC, "core:2 pu:1",
                                     &hand->catalogue.machine, &t.err),
                     RC_OK);
    rc_machine_kind(hand->catalogue.machine, NULL, "of a test", &hand->catalogue.kind);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(hand->name[i], sizeof *hand->name, "E%u", i);
        hand->event[i] = (struct rc_event){.name = hand->name[i],
                                           .description = "",
                                           .evidence = "",
                                           .reason = "",
                                           .number = i,
                                           .verdict = RC_VERDICT_OK};
    }
}

static void hand_fini(struct hand *hand)
{
    rc_machine_close(hand->catalogue.machine);
    free(hand->event);
    free(hand->name);
}

static int plan_by_hand(const struct hand *hand, const char *spec)
{
    assert_int_equal(rc_spec_from_text("c", spec, strlen(spec), &t.spec, &t.err),
                     RC_OK);
    const struct rc_kind_plan plan = {.spec = &t.spec,
                                      .catalogue = &hand->catalogue,
                                      .campaign = t.campaign,
                                      .emit = count_record,
                                      .remark = keep_remark};
    int status = rc_kind_plan_kind(&plan, &t.err);
    rc_spec_fini(&t.spec);
    return status;
}

static void groups_are_no_larger_than_a_unit_may_be(void **state)
{
    struct hand hand;
    bool seen[2500] = {false};
    size_t members = 0;

    (void)state;
    hand_init(&hand, &counts_all, 2500);
    assert_int_equal(plan_by_hand(&hand, "suites: [branch]"), RC_OK);
    const struct rc_campaign_kind *kind = &t.campaign->kind[0];
    assert_int_equal(kind->group_count, 3);
    for (size_t g = 0; g < kind->group_count; g++) {
        assert_in_range(kind->group[g].count, 1, RC_KIND_PLAN_GROUP_MOST);
        for (size_t i = 0; i < kind->group[g].count; i++) {
            assert_false(seen[kind->group[g].event[i]]);
            seen[kind->group[g].event[i]] = true;
        }
        members += kind->group[g].count;
    }
    assert_int_equal(members, 2500);
    rc_campaign_close(t.campaign);
    t.campaign = rc_campaign_create();
    assert_int_equal(plan_by_hand(&hand, "suites: [branch]\ngroup_size: 600"), RC_OK);
    assert_int_equal(t.campaign->kind[0].group_count, 5);
    hand_fini(&hand);
}

static void a_suite_that_cannot_run_here_is_said_and_missed(void **state)
{
    struct hand hand;

    (void)state;
    hand_init(&hand, &steps_little, 1);
    assert_int_equal(plan_by_hand(&hand, "suites: [flops]"), RC_EMISSING);
    assert_non_null(strstr(t.err.text, "no suite can run on kind "));
    assert_non_null(strstr(t.remark, "suite flops is left out on kind "));
    assert_non_null(strstr(t.remark, "none of its points can run here"));
    hand_fini(&hand);
}

static struct rc_record_event named(uint32_t source, const char *name)
{
    return (struct rc_record_event){.source = source, .name = name};
}

static void events_are_found_by_their_names_in_whatever_order(void **state)
{
    struct hand hand;
    struct rc_event_numbers map;
    struct rc_record_event event[] = {named(0, "E0"), named(0, "E2"),  named(0, "GONE"),
                                      named(1, "E1"), named(0, "REF"), named(7, "E0")};
    const struct rc_campaign_kind kind = {.event = event, .event_count = 6};

    (void)state;
    hand_init(&hand, &counts_all, 4); /* E0 E1 E2 E3, and E1 of another source */
    hand.catalogue.source_count = 2;
    hand.event[3].name = "E1";
    hand.event[3].source = 1;
    hand.event[3].number = 70;
    hand.event[2].number = 52;
    hand.source[0].offered[RC_REFERENCES_MOST - 1] =
        (struct rc_event){.name = "REF", .number = 99};
    assert_int_equal(rc_event_numbers_make(&kind, &hand.catalogue, &map, &t.err),
                     RC_OK);
    assert_memory_equal(
        map.listed,
        ((uint32_t[]){0, 2, RC_EVENT_ABSENT, 3, RC_EVENT_ABSENT, RC_EVENT_ABSENT}),
        6 * sizeof *map.listed);
    assert_memory_equal(map.number,
                        ((uint32_t[]){0, 52, RC_EVENT_ABSENT, 70, 99, RC_EVENT_ABSENT}),
                        6 * sizeof *map.number);
    assert_memory_equal(map.of_listed, ((uint32_t[]){0, RC_EVENT_ABSENT, 1, 3}),
                        4 * sizeof *map.of_listed);
    assert_int_equal(map.events, 6);
    rc_event_numbers_fini(&map);
    rc_event_numbers_fini(&map);
    hand_fini(&hand);
}

/* All in order, and all turned round. */
static void many_events_are_mapped_in_any_order(void **state)
{
    enum { EVENTS = 20000 };
    struct rc_record_event *event = rc_calloc(EVENTS, sizeof *event);
    const struct rc_campaign_kind kind = {.event = event, .event_count = EVENTS};
    struct rc_event_numbers map;
    struct hand hand;

    (void)state;
    hand_init(&hand, &counts_all, EVENTS);
    for (uint32_t turned = 0; turned < 2; turned++) {
        for (uint32_t i = 0; i < EVENTS; i++)
            event[i] = named(0, hand.event[turned ? EVENTS - 1 - i : i].name);
        assert_int_equal(rc_event_numbers_make(&kind, &hand.catalogue, &map, &t.err),
                         RC_OK);
        for (uint32_t i = 0; i < EVENTS; i++) {
            assert_int_equal(map.listed[i], turned ? EVENTS - 1 - i : i);
            assert_int_equal(map.of_listed[map.listed[i]], i);
        }
        rc_event_numbers_fini(&map);
    }
    hand_fini(&hand);
    free(event);
}

static void nothing_maps_to_nothing(void **state)
{
    const struct rc_campaign_kind none = {.event_count = 0};
    struct rc_event_numbers map;
    struct hand hand;

    (void)state;
    hand_init(&hand, &counts_all, 0);
    assert_int_equal(rc_event_numbers_make(&none, &hand.catalogue, &map, &t.err),
                     RC_OK);
    assert_int_equal(map.events, 0);
    rc_event_numbers_fini(&map);
    hand_fini(&hand);
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, open_campaign, close_campaign)
    const struct CMUnitTest tests[] = {
        FRESH(nothing_that_counts_is_missing),
        FRESH(a_suite_that_cannot_run_here_is_said_and_missed),
        FRESH(a_suite_that_this_build_changed_is_a_conflict),
        FRESH(a_second_plan_of_the_same_emits_nothing),
        FRESH(only_what_is_new_is_grouped),
        FRESH(the_rest_of_a_group_that_is_wanted_in_part_is_grouped_anew),
        FRESH(a_reference_that_no_pattern_takes_in_is_listed_once),
        FRESH(a_reference_that_no_group_has_room_for_is_not_listed),
        FRESH(without_a_reference_groups_are_their_own),
        FRESH(verdicts_of_the_first_plan_stay),
        FRESH(groups_are_no_larger_than_a_unit_may_be),
        FRESH(nothing_maps_to_nothing),
        FRESH(events_are_found_by_their_names_in_whatever_order),
        FRESH(many_events_are_mapped_in_any_order),
    };

    return cmocka_run_group_tests(tests, make_machine, remove_machine);
}
