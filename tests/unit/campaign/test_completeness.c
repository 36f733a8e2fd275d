#include "tests/lib/test.h"

#include "campaign/records/completeness.h"
#include "tests/lib/record_lib.h"

#include <stdlib.h>

static struct rc_error err;

/* The sample's groups: two of the first source, core and device, and one of the
 * second, which does not measure the first point of a suite but the others.
 */
static struct rc_campaign *sample_campaign(void)
{
    struct rc_campaign *h = rc_campaign_create();
    struct rc_bytes bytes = {0};
    uint32_t type;

    assert_non_null(h);
    for (size_t i = 0; i < SAMPLE_RECORDS; i++) {
        assert_int_equal(sample_put(i, &type, &bytes, &err), RC_OK);
        assert_int_equal(rc_campaign_apply(h, type, bytes.byte, bytes.count, &err),
                         RC_OK);
    }
    rc_bytes_fini(&bytes);
    return h;
}

/* Units as rc_campaign_read() would have found them, in their order. */
static void set_units(struct rc_campaign *h, const struct rc_campaign_unit *unit,
                      size_t count, size_t places)
{
    free(h->unit);
    free(h->place);
    h->unit = rc_calloc(count, sizeof *unit);
    h->place = rc_calloc(places, sizeof *h->place);
    assert_true(h->unit && h->place);
    memcpy(h->unit, unit, count * sizeof *unit);
    h->unit_count = count;
    for (size_t i = 0; i < places; i++)
        h->place[i] = i ? "somewhere" : "";
    h->place_count = places;
}

static struct rc_completeness find(const struct rc_campaign *h,
                                   const struct rc_spec *spec)
{
    struct rc_completeness state;

    if (rc_completeness_find(h, spec, &state, &err) != RC_OK)
        fail_msg("%s", err.text);
    return state;
}

static void a_campaign_without_units_is_missing_each_group_of_each_suite(void **state)
{
    struct rc_campaign *h = sample_campaign();
    struct rc_completeness s = find(h, NULL);

    (void)state;
    assert_int_equal(s.count, SAMPLE_SUITES);
    assert_int_equal(s.suite[0].units, SAMPLE_GROUPS);
    assert_int_equal(s.suite[0].missing, SAMPLE_GROUPS);
    assert_int_equal(s.all.units, SAMPLE_SUITES * SAMPLE_GROUPS);
    assert_false(s.complete);
    assert_false(s.left_known);
    rc_completeness_fini(&s);
    rc_campaign_close(h);
}

static void a_campaign_without_suites_is_not_complete(void **state)
{
    struct rc_campaign *h = rc_campaign_create();
    struct rc_completeness s = find(h, NULL);

    (void)state;
    assert_int_equal(s.count, 0);
    assert_false(s.complete);
    rc_completeness_fini(&s);
    rc_campaign_close(h);
}

static void units_are_counted_by_how_they_ended(void **state)
{
    static const struct rc_campaign_unit units[] = {
        {.group = 0, .status = RC_UNIT_OK, .repetitions = 5, .wall_ns = 2048000},
        {.group = 1, .status = RC_UNIT_INVALID, .repetitions = 30, .wall_ns = 1},
        {.group = 2, .status = RC_UNIT_FAILED},
        {.suite = 1, .group = 0, .status = RC_UNIT_OK, .repetitions = 2},
        {.suite = 1, .group = 1, .status = RC_UNIT_OK, .repetitions = 7},
        {.suite = 1, .group = 2, .status = RC_UNIT_OK, .repetitions = 7},
    };
    struct rc_spec spec = {.repeat_min = 5};
    struct rc_campaign *h = sample_campaign();

    (void)state;
    set_units(h, units, 6, 1);
    struct rc_completeness s = find(h, NULL);
    assert_int_equal(s.suite[0].ok, 1);
    assert_int_equal(s.suite[0].invalid, 1);
    assert_int_equal(s.suite[0].failed, 1);
    assert_int_equal(s.suite[0].missing, 0);
    assert_int_equal(s.suite[0].repetitions_min, 5);
    assert_int_equal(s.suite[0].repetitions_max, 30);
    assert_int_equal(s.suite[0].events, 4);
    assert_int_equal(s.suite[0].unit_ns, 2048000);
    assert_int_equal(s.left_ns, 2 * 2048000);
    assert_true(s.left_known);
    assert_int_equal(s.suite[1].ok, 3);
    assert_false(s.complete);
    rc_completeness_fini(&s);
    s = find(h, &spec); /* two repetitions are fewer than it wants */
    assert_int_equal(s.suite[1].ok, 2);
    assert_int_equal(s.suite[1].missing, 1);
    rc_completeness_fini(&s);
    rc_campaign_close(h);
}

static void a_group_is_expected_wherever_its_like_was_measured(void **state)
{
    static const struct rc_campaign_unit units[] = {
        {.group = 0, .place = 1, .status = RC_UNIT_OK, .repetitions = 5},
        {.group = 0, .place = 2, .status = RC_UNIT_OK, .repetitions = 5},
        {.group = 1, .place = 3, .status = RC_UNIT_OK, .repetitions = 5},
        {.group = 2, .place = 1, .status = RC_UNIT_OK, .repetitions = 5},
    };
    static const uint32_t member = 3;
    const struct rc_record_group more = {.event = &member, .count = 1, .own = 1};
    struct rc_campaign *h = sample_campaign();
    struct rc_bytes bytes = {0};

    (void)state;
    set_units(h, units, 4, 4);
    struct rc_completeness s = find(h, NULL);
    assert_int_equal(s.suite[0].units, 4);
    assert_int_equal(s.suite[0].missing, 0);
    assert_int_equal(s.suite[0].places, 3);
    rc_completeness_fini(&s);
    /* A new group of core events goes where the others of its scope went. */
    assert_int_equal(
        rc_record_put_list(RC_RECORD_GROUPS, h->kind[0].id, 3, &more, 1, &bytes, &err),
        RC_OK);
    assert_int_equal(
        rc_campaign_apply(h, RC_RECORD_GROUPS, bytes.byte, bytes.count, &err), RC_OK);
    s = find(h, NULL);
    assert_int_equal(s.suite[0].units, 6);
    assert_int_equal(s.suite[0].missing, 2);
    rc_completeness_fini(&s);
    rc_bytes_fini(&bytes);
    rc_campaign_close(h);
}

/* The sample's says "suites: [flops]": nothing is missing of another suite. */
static void a_campaign_is_seen_by_its_own_file_while_that_can_be_read(void **state)
{
    static const struct {
        const char *text;
        bool known;
        size_t suites;
    } cases[] = {
        {NULL, false, SAMPLE_SUITES},
        {"suites: [", false, SAMPLE_SUITES},
        {"suites: [flops]\nsource: model:gone.yaml\nnone: 1\n", false, SAMPLE_SUITES},
        {"suites: [flops]\n", true, 1}};
    struct rc_campaign *h = sample_campaign();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rc_completeness s;
        struct rc_spec spec;
        bool known = !cases[i].known;
        h->record.spec = cases[i].text;
        assert_int_equal(rc_completeness_find_own(h, &spec, &known, &s, &err), RC_OK);
        assert_int_equal(known, cases[i].known);
        assert_int_equal(s.all.missing, cases[i].suites * SAMPLE_GROUPS);
        rc_completeness_fini(&s);
        if (known)
            rc_spec_fini(&spec);
    }
    rc_campaign_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_campaign_without_suites_is_not_complete),
        cmocka_unit_test(a_campaign_without_units_is_missing_each_group_of_each_suite),
        cmocka_unit_test(units_are_counted_by_how_they_ended),
        cmocka_unit_test(a_group_is_expected_wherever_its_like_was_measured),
        cmocka_unit_test(a_campaign_is_seen_by_its_own_file_while_that_can_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
