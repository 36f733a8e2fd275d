#include "tests/lib/test.h"

#include "campaign/records/completeness.h"
#include "tests/lib/record_lib.h"

#include <stdlib.h>

static struct rc_error err;

static void apply(struct rc_campaign *h, size_t index)
{
    struct rc_bytes bytes = {0};
    uint32_t type;

    assert_int_equal(sample_put(index, &type, &bytes, &err), RC_OK);
    assert_int_equal(rc_campaign_apply(h, type, bytes.byte, bytes.count, &err), RC_OK);
    rc_bytes_fini(&bytes);
}

static struct rc_campaign *sample_campaign(void)
{
    struct rc_campaign *h = rc_campaign_create();

    assert_non_null(h);
    for (size_t i = 0; i < SAMPLE_RECORDS; i++)
        apply(h, i);
    return h;
}

/* Copies of exactly the length, so that a sanitizer sees each byte too many. */
static int apply_bytes(struct rc_campaign *h, const struct rc_bytes *bytes,
                       size_t count)
{
    unsigned char *copy = rc_calloc(count, 1);

    assert_non_null(copy);
    memcpy(copy, bytes->byte, count < bytes->count ? count : bytes->count);
    err.text[0] = 0;
    int status = rc_campaign_apply(h, RC_RECORD_SHARE, copy, count, &err);
    free(copy);
    return status;
}

static int apply_share(struct rc_campaign *h, const struct rc_record_share *share)
{
    struct rc_bytes bytes = {0};

    assert_int_equal(rc_record_put(RC_RECORD_SHARE, share, &bytes, &err), RC_OK);
    int status = apply_bytes(h, &bytes, bytes.count);
    rc_bytes_fini(&bytes);
    return status;
}

static const struct rc_record_share_unit some[] = {{0, 0}, {0, 2}, {1, 1}};

static struct rc_record_share sample_share(void)
{
    return (struct rc_record_share){.kind = rc_record_kind_id(sample_kind.key),
                                    .number = 2,
                                    .of = 5,
                                    .units = 6,
                                    .unit = some,
                                    .count = 3};
}

/* Numbers from strangers: each is refused with the reason, and nothing is a share. */
static void shares_that_cannot_be_are_refused(void **state)
{
    static const struct rc_record_share_unit twice[] = {{0, 1}, {0, 1}};
    static const struct rc_record_share_unit backwards[] = {{1, 0}, {0, 1}};
    static const struct rc_record_share_unit far_suite[] = {{2, 0}};
    static const struct rc_record_share_unit far_group[] = {{0, 3}, {1, 0}};
    static const struct rc_record_share_unit farthest[] = {{UINT32_MAX, UINT32_MAX}};
    const uint64_t kind = rc_record_kind_id(sample_kind.key);
    const struct {
        struct rc_record_share share;
        const char *says;
    } table[] = {
        {{kind, 0, 0, 6, some, 3}, "share 0 of 0, expected a number below"},
        {{kind, 5, 5, 6, some, 3}, "share 5 of 5, expected a number below"},
        {{kind, 0, 10001, 6, some, 3}, "of at most 10000 shares"},
        {{kind, UINT32_MAX, UINT32_MAX, 6, some, 3}, "of at most 10000 shares"},
        {{kind, 0, 2, 2, some, 3}, "a share has 3 of 2 units"},
        {{kind, 0, 2, 6, twice, 2}, "expected one after suite 0, group 1"},
        {{kind, 0, 2, 6, backwards, 2}, "expected one after suite 1, group 0"},
        {{kind, 0, 2, 6, far_suite, 1}, "suite 2, group 0, and the kind has 2 suites"},
        {{kind, 0, 2, 6, far_group, 2}, "suite 0, group 3, and the kind has 2 suites"},
        {{kind, 0, 2, 6, farthest, 1}, "suite 4294967295, group 4294967295, and the"},
        {{kind + 1, 0, 2, 6, some, 3}, "which is not there"},
    };
    struct rc_campaign *h = sample_campaign();

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(apply_share(h, &table[i].share), RC_EUSAGE);
        if (!strstr(err.text, table[i].says))
            fail_msg("%zu: expected '%s', found '%s'", i, table[i].says, err.text);
        assert_null(rc_campaign_share(h));
    }
    rc_campaign_close(h);
}

static void payloads_cut_at_any_byte_or_too_long_are_refused(void **state)
{
    const struct rc_record_share share = sample_share();
    struct rc_bytes bytes = {0};

    (void)state;
    assert_int_equal(rc_record_put(RC_RECORD_SHARE, &share, &bytes, &err), RC_OK);
    for (size_t count = 0; count <= bytes.count + 9; count++) {
        struct rc_campaign *h = sample_campaign();
        assert_int_equal(apply_bytes(h, &bytes, count),
                         count == bytes.count ? RC_OK : RC_EUSAGE);
        rc_campaign_close(h);
    }
    /* A count that the payload cannot hold asks for no memory. */
    memset(bytes.byte + 1 + 8 + 4 + 4 + 8, 0xff, 4);
    struct rc_campaign *h = sample_campaign();
    assert_int_equal(apply_bytes(h, &bytes, bytes.count), RC_EUSAGE);
    rc_campaign_close(h);
    rc_bytes_fini(&bytes);
}

static void a_share_owns_its_units_and_a_whole_campaign_all(void **state)
{
    const struct rc_record_share share = sample_share();
    struct rc_campaign *h = sample_campaign();
    char text[128];

    (void)state;
    for (uint32_t i = 0; i < SAMPLE_SUITES * SAMPLE_GROUPS; i++)
        assert_true(
            rc_campaign_owns(&h->kind[0], i / SAMPLE_GROUPS, i % SAMPLE_GROUPS));
    assert_string_equal(rc_campaign_share_text(h, text, sizeof text), "");
    assert_int_equal(apply_share(h, &share), RC_OK);
    for (uint32_t i = 0; i < SAMPLE_SUITES * SAMPLE_GROUPS; i++) {
        bool own = false;
        for (size_t u = 0; u < 3; u++)
            own = own || some[u].suite * SAMPLE_GROUPS + some[u].group == i;
        assert_int_equal(
            rc_campaign_owns(&h->kind[0], i / SAMPLE_GROUPS, i % SAMPLE_GROUPS), own);
    }
    assert_string_equal(rc_campaign_share_text(h, text, sizeof text),
                        "share 2 of 5 (counted from 0): 3 of the campaign's 6 units");
    rc_campaign_close(h);
}

static void a_share_may_come_again_and_another_one_is_refused(void **state)
{
    struct rc_record_share share = sample_share();
    struct rc_campaign *h = sample_campaign();

    (void)state;
    assert_int_equal(apply_share(h, &share), RC_OK);
    assert_int_equal(apply_share(h, &share), RC_OK);
    share.count = 2;
    assert_int_equal(apply_share(h, &share), RC_EUSAGE);
    assert_non_null(strstr(err.text, "is there with other content"));
    share = sample_share();
    share.number = 3;
    assert_int_equal(apply_share(h, &share), RC_EUSAGE);
    assert_string_equal(err.text, "share 3 of 5, and this is share 2 of 5");
    assert_int_equal(rc_campaign_share(h)->count, 3);
    rc_campaign_close(h);
}

static void a_share_without_units_of_a_kind_owns_none(void **state)
{
    struct rc_record_share share = sample_share();
    struct rc_campaign *h = sample_campaign();
    struct rc_completeness s;

    (void)state;
    share.count = 0;
    assert_int_equal(apply_share(h, &share), RC_OK);
    assert_non_null(rc_campaign_share(h));
    for (uint32_t i = 0; i < SAMPLE_SUITES * SAMPLE_GROUPS; i++)
        assert_false(
            rc_campaign_owns(&h->kind[0], i / SAMPLE_GROUPS, i % SAMPLE_GROUPS));
    assert_int_equal(rc_completeness_find(h, NULL, &s, &err), RC_OK);
    assert_int_equal(s.all.units, 0);
    assert_false(s.complete); /* nothing is not a campaign that is done */
    rc_completeness_fini(&s);
    rc_campaign_close(h);
}

static void set_units(struct rc_campaign *h, const struct rc_campaign_unit *unit,
                      size_t count)
{
    free(h->unit);
    h->unit = rc_calloc(count, sizeof *unit);
    assert_non_null(h->unit);
    memcpy(h->unit, unit, count * sizeof *unit);
    h->unit_count = count;
}

/* Units that are not its own may be there: the journals of two shares in one place. */
static void only_its_own_units_are_counted(void **state)
{
    static const struct rc_campaign_unit units[] = {
        {.group = 0, .status = RC_UNIT_OK, .repetitions = 5, .wall_ns = 2048000},
        {.group = 1, .status = RC_UNIT_FAILED}, /* another share's */
        {.group = 2, .status = RC_UNIT_OK, .repetitions = 5, .wall_ns = 2048000},
        {.suite = 1, .group = 0, .status = RC_UNIT_OK, .repetitions = 9}, /* likewise */
        {.suite = 1, .group = 1, .status = RC_UNIT_OK, .repetitions = 5},
    };
    const struct rc_record_share share = sample_share();
    struct rc_campaign *h = sample_campaign();
    struct rc_completeness s;

    (void)state;
    assert_int_equal(apply_share(h, &share), RC_OK);
    set_units(h, units, 3);
    assert_int_equal(rc_completeness_find(h, NULL, &s, &err), RC_OK);
    assert_int_equal(s.suite[0].units, 2);
    assert_int_equal(s.suite[0].ok, 2);
    assert_int_equal(s.suite[0].failed, 0);
    assert_int_equal(s.suite[1].units, 1);
    assert_int_equal(s.suite[1].missing, 1);
    assert_false(s.complete);
    rc_completeness_fini(&s);
    set_units(h, units, 5);
    assert_int_equal(rc_completeness_find(h, NULL, &s, &err), RC_OK);
    assert_int_equal(s.all.units, 3);
    assert_int_equal(s.all.ok, 3);
    assert_int_equal(s.suite[1].repetitions_max, 5);
    assert_int_equal(s.left_ns, 0);
    assert_true(s.complete);
    rc_completeness_fini(&s);
    rc_campaign_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_that_cannot_be_are_refused),
        cmocka_unit_test(payloads_cut_at_any_byte_or_too_long_are_refused),
        cmocka_unit_test(a_share_owns_its_units_and_a_whole_campaign_all),
        cmocka_unit_test(a_share_may_come_again_and_another_one_is_refused),
        cmocka_unit_test(a_share_without_units_of_a_kind_owns_none),
        cmocka_unit_test(only_its_own_units_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
