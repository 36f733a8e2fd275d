#include "tests/lib/test.h"

#include "campaign/records/campaign.h"
#include "tests/lib/record_lib.h"

#include <stdlib.h>

static struct rc_error err;

static void put(size_t index, uint32_t *type, struct rc_bytes *out)
{
    if (sample_put(index, type, out, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static struct rc_campaign *sample_campaign(size_t records)
{
    struct rc_campaign *h = rc_campaign_create();
    struct rc_bytes bytes = {0};
    uint32_t type;

    assert_non_null(h);
    for (size_t i = 0; i < records; i++) {
        put(i, &type, &bytes);
        if (rc_campaign_apply(h, type, bytes.byte, bytes.count, &err) != RC_OK)
            fail_msg("record %zu: %s", i, err.text);
    }
    rc_bytes_fini(&bytes);
    return h;
}

/* Copies of exactly the length, so that a sanitizer sees each byte too many. */
static int apply_cut(struct rc_campaign *h, uint32_t type, const struct rc_bytes *bytes,
                     size_t count)
{
    unsigned char *copy = malloc(count ? count : 1);
    int status;

    assert_non_null(copy);
    memcpy(copy, bytes->byte, count < bytes->count ? count : bytes->count);
    if (count > bytes->count)
        memset(copy + bytes->count, 0, count - bytes->count);
    err.text[0] = 0;
    status = rc_campaign_apply(h, type, copy, count, &err);
    free(copy);
    return status;
}

static void payloads_cut_at_any_byte_or_too_long_are_refused(void **state)
{
    struct rc_bytes bytes = {0};
    uint32_t type;

    (void)state;
    for (size_t i = 0; i < SAMPLE_RECORDS; i++) {
        struct rc_campaign *h = sample_campaign(i);
        put(i, &type, &bytes);
        for (size_t count = 0; count <= bytes.count + 1; count++) {
            if (count == bytes.count)
                continue;
            assert_int_equal(apply_cut(h, type, &bytes, count), RC_EUSAGE);
            assert_true(strlen(err.text) > 10);
        }
        assert_int_equal(apply_cut(h, type, &bytes, bytes.count), RC_OK);
        rc_campaign_close(h);
    }
    rc_bytes_fini(&bytes);
}

static void units_cut_at_any_byte_or_too_long_are_refused(void **state)
{
    struct sample_unit sample;
    struct rc_bytes bytes = {0};
    struct rc_record_unit unit;

    (void)state;
    sample_fill(&sample, 0, 0, SAMPLE_REPETITIONS, 1);
    assert_int_equal(rc_record_put_unit(&sample.unit, &sample.readings, &bytes, &err),
                     RC_OK);
    for (size_t count = 0; count <= bytes.count + 1; count++) {
        unsigned char *copy = rc_calloc(count, 1);
        assert_non_null(copy);
        memcpy(copy, bytes.byte, count < bytes.count ? count : bytes.count);
        assert_int_equal(rc_record_get_unit(copy, count, &unit, &err),
                         count == bytes.count ? RC_OK : RC_EUSAGE);
        struct rc_record_readings none = {0};
        for (uint32_t e = 0; e < 4; e++) /* the last one is not there */
            if (rc_record_get_event(copy, count, e, &none, &err) == RC_OK)
                assert_true(e < 3);
        free(copy);
    }
    rc_bytes_fini(&bytes);
}

static void what_does_not_go_with_what_is_there_is_refused(void **state)
{
    static const uint32_t far[] = {5}, other[] = {4};
    const uint64_t kind = rc_record_kind_id(sample_kind.key);
    struct rc_campaign *h = sample_campaign(SAMPLE_RECORDS);
    struct rc_record_kind k = sample_kind;
    struct rc_record_suite suite = sample_suite("flops"),
                           third = sample_suite("icache");
    struct rc_record_event event = sample_events[1];
    struct rc_record_group group = sample_groups[0];
    struct rc_bytes bytes = {0};

    (void)state;
#define REFUSED(type, put, message)                                                    \
    assert_int_equal(put, RC_OK);                                                      \
    assert_int_equal(rc_campaign_apply(h, type, bytes.byte, bytes.count, &err),        \
                     RC_EUSAGE);                                                       \
    if (!strstr(err.text, message))                                                    \
    fail_msg("expected '%s', found '%s'", message, err.text)

    k.shape = "another";
    REFUSED(RC_RECORD_KIND, rc_record_put(RC_RECORD_KIND, &k, &bytes, &err),
            "other content");
    k.key = "another key";
    REFUSED(RC_RECORD_KIND, rc_record_put(RC_RECORD_KIND, &k, &bytes, &err),
            "is there with another key");
    k.name = "";
    REFUSED(RC_RECORD_KIND, rc_record_put(RC_RECORD_KIND, &k, &bytes, &err),
            "without a name");
    REFUSED(RC_RECORD_SUITE,
            rc_record_put_list(RC_RECORD_SUITE, kind, 1, &suite, 1, &bytes, &err),
            "suite 1 is there with other content");
    REFUSED(RC_RECORD_SUITE,
            rc_record_put_list(RC_RECORD_SUITE, kind, 2, &suite, 1, &bytes, &err),
            "suite 'flops' is there as number 0");
    REFUSED(RC_RECORD_SUITE,
            rc_record_put_list(RC_RECORD_SUITE, kind, 3, &third, 1, &bytes, &err),
            "suites from number 3 on, and there are 2");
    REFUSED(RC_RECORD_SUITE,
            rc_record_put_list(RC_RECORD_SUITE, kind + 1, 2, &third, 1, &bytes, &err),
            "is not there");
    third.source_count = 1;
    REFUSED(RC_RECORD_SUITE,
            rc_record_put_list(RC_RECORD_SUITE, kind, 2, &third, 1, &bytes, &err),
            "iterations of 1 sources, and the kind has 2");
    third.point_count = 0;
    REFUSED(RC_RECORD_SUITE,
            rc_record_put_list(RC_RECORD_SUITE, kind, 2, &third, 1, &bytes, &err),
            "0 points of a suite, expected 1 or more");
    REFUSED(RC_RECORD_EVENTS,
            rc_record_put_list(RC_RECORD_EVENTS, kind, 0, &event, 1, &bytes, &err),
            "event 0 is there with other content");
    REFUSED(RC_RECORD_EVENTS,
            rc_record_put_list(RC_RECORD_EVENTS, kind, 6, &event, 1, &bytes, &err),
            "events from number 6 on, and there are 5");
    event.source = 2;
    REFUSED(RC_RECORD_EVENTS,
            rc_record_put_list(RC_RECORD_EVENTS, kind, 5, &event, 1, &bytes, &err),
            "of source 2, and the kind has 2");
    event.verdict = RC_VERDICT_COUNT;
    REFUSED(RC_RECORD_EVENTS,
            rc_record_put_list(RC_RECORD_EVENTS, kind, 5, &event, 1, &bytes, &err),
            "a verdict of 6, expected less than 6");
    group.own = 1;
    REFUSED(RC_RECORD_GROUPS,
            rc_record_put_list(RC_RECORD_GROUPS, kind, 0, &group, 1, &bytes, &err),
            "group 0 is there with other content");
    REFUSED(RC_RECORD_GROUPS,
            rc_record_put_list(RC_RECORD_GROUPS, kind, 4, &group, 1, &bytes, &err),
            "groups from number 4 on, and there are 3");
    group.own = 4;
    REFUSED(RC_RECORD_GROUPS,
            rc_record_put_list(RC_RECORD_GROUPS, kind, 3, &group, 1, &bytes, &err),
            "4 of 3 events are the group's own");
    group = (struct rc_record_group){.event = far, .count = 1, .own = 1};
    REFUSED(RC_RECORD_GROUPS,
            rc_record_put_list(RC_RECORD_GROUPS, kind, 3, &group, 1, &bytes, &err),
            "has event 5, and the kind has 5");
    group.event = other;
    REFUSED(RC_RECORD_GROUPS,
            rc_record_put_list(RC_RECORD_GROUPS, kind, 3, &group, 1, &bytes, &err),
            "has event 4 of source 1");
#undef REFUSED
    assert_int_equal(rc_campaign_apply(h, RC_RECORD_END, bytes.byte, 0, &err),
                     RC_EUSAGE);
    assert_int_equal(rc_campaign_apply(h, RC_RECORD_UNIT, "", 0, &err), RC_EUSAGE);
    assert_int_equal(rc_campaign_apply(h, 0, "", 0, &err), RC_EUSAGE);
    assert_int_equal(rc_campaign_apply(h, 99, "", 0, &err), RC_EUSAGE);
    assert_string_equal(err.text, "a record of type 99, expected 1 to 11");
    assert_int_equal(h->kind_count, 1);
    assert_int_equal(h->kind[0].event_count, SAMPLE_EVENTS);
    assert_int_equal(h->kind[0].suite_count, SAMPLE_SUITES);
    assert_int_equal(h->kind[0].group_count, SAMPLE_GROUPS);
    rc_bytes_fini(&bytes);
    rc_campaign_close(h);
}

static void a_count_that_the_payload_cannot_hold_is_refused(void **state)
{
    struct rc_campaign *h = sample_campaign(2);
    struct rc_bytes bytes = {0};
    uint32_t type;

    (void)state;
    put(2, &type, &bytes);
    memset(bytes.byte + 17, 0xff, 4);
    assert_int_equal(apply_cut(h, type, &bytes, bytes.count), RC_EUSAGE);
    assert_non_null(strstr(err.text, "4294967295 items, and "));
    rc_bytes_fini(&bytes);
    rc_campaign_close(h);
}

static void assert_kind_is_the_sample(const struct rc_campaign_kind *kind)
{
    assert_string_equal(kind->record.name, sample_kind.name);
    assert_string_equal(kind->record.source[0].counter_set, "spr \xff\x01 \n");
    assert_string_equal(kind->record.source[1].counter_set, "");
    assert_false(kind->record.source[0].deterministic);
    assert_true(kind->record.source[0].simulated);
    assert_int_equal(kind->event_count, SAMPLE_EVENTS);
    for (size_t i = 0; i < SAMPLE_EVENTS; i++) {
        const struct rc_record_event *e = &kind->event[i], *s = &sample_events[i];
        assert_string_equal(e->name, s->name);
        assert_string_equal(e->reason, s->reason ? s->reason : "");
        assert_string_equal(e->description, s->description ? s->description : "");
        assert_int_equal(e->source, s->source);
        assert_int_equal(e->scope, s->scope);
        assert_int_equal(e->verdict, s->verdict);
        assert_int_equal(e->simulated, s->simulated);
    }
    for (size_t i = 0; i < SAMPLE_GROUPS; i++) {
        const struct rc_record_group *g = &kind->group[i], *s = &sample_groups[i];
        assert_int_equal(g->count, s->count);
        assert_int_equal(g->own, s->own);
        assert_memory_equal(g->event, s->event, s->count * sizeof *s->event);
    }
}

static void what_is_written_is_read_back(void **state)
{
    struct rc_campaign *h = sample_campaign(SAMPLE_RECORDS);
    const struct rc_record_suite *suite = &h->kind[0].suite[1];

    (void)state;
    assert_string_equal(h->record.spec, "suites: [flops]\n");
    assert_int_equal(h->record.unix_time, 12345);
    assert_int_equal(h->kind_count, 1);
    assert_kind_is_the_sample(&h->kind[0]);
    assert_string_equal(suite->name, "dcache");
    assert_int_equal(suite->footprint, 2);
    assert_true(suite->all_cores);
    assert_string_equal(suite->axes[1], "stride %");
    assert_string_equal(suite->point[1].name, "p\xff");
    assert_int_equal(suite->point[0].axis[1], INT64_MIN);
    assert_int_equal(suite->point[2].axis[0], 7);
    assert_int_equal(suite->own_count, 1);
    assert_memory_equal(suite->basis, sample_basis, sizeof sample_basis);
    assert_int_equal(suite->bound_rows, SAMPLE_POINTS);
    assert_memory_equal(suite->low, sample_low, sizeof sample_low);
    assert_memory_equal(suite->high, sample_high, sizeof sample_high);
    assert_memory_equal(suite->iterations, sample_iterations, sizeof sample_iterations);
    assert_int_equal(h->run_count, 1);
    assert_true(h->run[0].ended);
    assert_int_equal(h->run[0].begin.ranks, 4);
    assert_int_equal(h->run[0].end.units_left, 6);
    assert_int_equal(h->origin_count, 1);
    assert_int_equal(h->origin[0].operation, RC_OPERATION_MEAN);
    assert_int_equal(h->origin[0].operand_count, 2);
    assert_memory_equal(&h->origin[0].operand[0].campaign, "campaign before\0", 16);
    assert_string_equal(h->origin[0].operand[0].name, "name \n\xff");
    assert_int_equal(h->origin[0].operand[0].unix_time, -1);
    assert_string_equal(h->origin[0].operand[1].directory, "b");
    assert_int_equal(rc_campaign_find_kind(h, h->kind[0].id), 0);
    assert_int_equal(rc_campaign_find_kind(h, 1), 1);
    assert_null(rc_campaign_find_unit(h, 0, 0, 0, ""));
    rc_campaign_close(h);
}

static void what_is_there_may_come_again_and_be_added_to(void **state)
{
    const uint64_t kind = rc_record_kind_id(sample_kind.key);
    struct rc_campaign *h = sample_campaign(SAMPLE_RECORDS);
    struct rc_record_event more[] = {sample_events[4], {.name = "NEW", .source = 1}};
    struct rc_bytes bytes = {0};
    uint32_t type;

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        put(i, &type, &bytes);
        assert_int_equal(rc_campaign_apply(h, type, bytes.byte, bytes.count, &err),
                         RC_OK);
    }
    put(8, &type, &bytes);
    assert_int_equal(rc_campaign_apply(h, type, bytes.byte, bytes.count, &err), RC_OK);
    assert_int_equal(h->origin_count, 1);
    assert_kind_is_the_sample(&h->kind[0]);
    assert_int_equal(h->kind[0].suite_count, SAMPLE_SUITES);
    assert_int_equal(h->kind[0].group_count, SAMPLE_GROUPS);
    assert_int_equal(
        rc_record_put_list(RC_RECORD_EVENTS, kind, 4, more, 2, &bytes, &err), RC_OK);
    assert_int_equal(
        rc_campaign_apply(h, RC_RECORD_EVENTS, bytes.byte, bytes.count, &err), RC_OK);
    assert_int_equal(h->kind[0].event_count, SAMPLE_EVENTS + 1);
    assert_string_equal(h->kind[0].event[SAMPLE_EVENTS].name, "NEW");
    rc_bytes_fini(&bytes);
    rc_campaign_close(h);
}

static void assert_reads_back(const struct sample_unit *sample)
{
    const size_t points = sample->unit.points, repetitions = sample->unit.repetitions;
    int64_t values[SAMPLE_REPETITIONS * SAMPLE_POINTS];
    uint64_t enabled[SAMPLE_REPETITIONS], running[SAMPLE_REPETITIONS];
    uint8_t status[SAMPLE_REPETITIONS];
    struct rc_record_readings out = {values, enabled, running, status};
    struct rc_bytes bytes = {0};
    struct rc_record_unit unit;

    assert_int_equal(rc_record_put_unit(&sample->unit, &sample->readings, &bytes, &err),
                     RC_OK);
    assert_int_equal(rc_record_get_unit(bytes.byte, bytes.count, &unit, &err), RC_OK);
    assert_string_equal(unit.place, sample->unit.place);
    assert_string_equal(unit.reason, sample->unit.reason ? sample->unit.reason : "");
    assert_int_equal(unit.kind, sample->unit.kind);
    assert_int_equal(unit.wall_ns, sample->unit.wall_ns);
    assert_int_equal(unit.begin_ns, sample->unit.begin_ns);
    assert_int_equal(unit.events, sample->unit.events);
    assert_int_equal(unit.repetitions, repetitions);
    for (uint32_t e = 0; e < unit.events; e++) {
        assert_int_equal(rc_record_get_event(bytes.byte, bytes.count, e, &out, &err),
                         RC_OK);
        const size_t row = e * repetitions;
        assert_memory_equal(values, sample->values + row * points,
                            repetitions * points * sizeof *values);
        assert_memory_equal(enabled, sample->enabled + row,
                            repetitions * sizeof *enabled);
        assert_memory_equal(running, sample->running + row,
                            repetitions * sizeof *running);
        assert_memory_equal(status, sample->status + row, repetitions);
    }
    rc_bytes_fini(&bytes);
}

static void readings_by_repetition_give_the_same_record(void **state)
{
    struct rc_bytes by_event = {0}, by_repetition = {0};
    struct sample_unit sample, turned;

    (void)state;
    sample_fill(&sample, 0, 0, SAMPLE_REPETITIONS, 5);
    turned = sample;
    const size_t events = sample.unit.events;
    const struct rc_record_readings sweeps = {turned.values, turned.enabled,
                                              turned.running, turned.status};
    assert_true(events > 1);
    for (size_t e = 0; e < events; e++)
        for (size_t r = 0; r < SAMPLE_REPETITIONS; r++) {
            const size_t from = e * SAMPLE_REPETITIONS + r, to = r * events + e;
            memcpy(turned.values + to * SAMPLE_POINTS,
                   sample.values + from * SAMPLE_POINTS,
                   SAMPLE_POINTS * sizeof *sample.values);
            turned.enabled[to] = sample.enabled[from];
            turned.running[to] = sample.running[from];
            turned.status[to] = sample.status[from];
        }
    assert_int_equal(
        rc_record_put_unit(&sample.unit, &sample.readings, &by_event, &err), RC_OK);
    assert_int_equal(rc_record_put_sweeps(&sample.unit, &sweeps, &by_repetition, &err),
                     RC_OK);
    assert_int_equal(by_event.count, by_repetition.count);
    assert_memory_equal(by_event.byte, by_repetition.byte, by_event.count);
    rc_bytes_fini(&by_event);
    rc_bytes_fini(&by_repetition);
}

/* Version 2 has no begin: its 8 bytes in front of the wall time are not there. */
/* The low end of one count, and the high end of another, in turn. */
static void counts_between_ends_that_are_none_are_refused(void **state)
{
    static const double bad[][2] = {{2, 1}, {-1, 3}, {NAN, 3}, {0, NAN}, {0, -1}};
    struct rc_campaign *h = sample_campaign(3);
    const uint64_t kind = rc_record_kind_id(sample_kind.key);

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double low[SAMPLE_POINTS][2] = {{0}}, high[SAMPLE_POINTS][2] = {{0}};
        struct rc_record_suite suite = sample_suite("flops");
        struct rc_bytes bytes = {0};
        low[1][1] = bad[i][0];
        high[1][1] = bad[i][1];
        suite.low = low[0];
        suite.high = high[0];
        assert_int_equal(
            rc_record_put_list(RC_RECORD_SUITE, kind, 0, &suite, 1, &bytes, &err),
            RC_OK);
        assert_int_equal(
            rc_campaign_apply(h, RC_RECORD_SUITE, bytes.byte, bytes.count, &err),
            RC_EUSAGE);
        assert_non_null(strstr(err.text, "expected 0 or more in order"));
        suite.bound_rows = 2;
        suite.low = suite.high = sample_high[0];
        assert_int_equal(
            rc_record_put_list(RC_RECORD_SUITE, kind, 0, &suite, 1, &bytes, &err),
            RC_OK);
        assert_int_equal(
            rc_campaign_apply(h, RC_RECORD_SUITE, bytes.byte, bytes.count, &err),
            RC_EUSAGE);
        assert_non_null(strstr(err.text, "bounds of 2 points, expected none or 3"));
        rc_bytes_fini(&bytes);
    }
    rc_campaign_close(h);
}

static void units_of_the_version_before_are_read(void **state)
{
    struct sample_unit sample;
    struct rc_bytes bytes = {0};
    struct rc_record_unit unit;
    int64_t values[SAMPLE_REPETITIONS * SAMPLE_POINTS];
    struct rc_record_readings out = {.values = values};

    (void)state;
    sample_fill(&sample, 0, 0, SAMPLE_REPETITIONS, 1);
    assert_int_equal(rc_record_put_unit(&sample.unit, &sample.readings, &bytes, &err),
                     RC_OK);
    const size_t begin = 1 + 8 + 4 + 4 + (5 + 0) + (5 + 2) + 4 + 4 + 4;
    memmove(bytes.byte + begin, bytes.byte + begin + 8, bytes.count - begin - 8);
    bytes.count -= 8;
    for (unsigned version = 0; version < 5; version++) {
        bytes.byte[0] = (unsigned char)version;
        assert_int_equal(rc_record_get_unit(bytes.byte, bytes.count, &unit, &err),
                         version == 2 ? RC_OK : RC_EUSAGE);
    }
    bytes.byte[0] = 2;
    assert_int_equal(rc_record_get_unit(bytes.byte, bytes.count, &unit, &err), RC_OK);
    assert_int_equal(unit.begin_ns, 0);
    assert_int_equal(unit.wall_ns, sample.unit.wall_ns);
    assert_int_equal(rc_record_get_event(bytes.byte, bytes.count, 2, &out, &err),
                     RC_OK);
    assert_memory_equal(values, sample.values + 2 * SAMPLE_REPETITIONS * SAMPLE_POINTS,
                        sizeof values);
    rc_bytes_fini(&bytes);
}

static void a_kind_of_the_version_before_may_come_again(void **state)
{
    struct rc_campaign *h = sample_campaign(SAMPLE_RECORDS);
    struct rc_bytes bytes = {0};
    uint32_t type;

    (void)state;
    put(1, &type, &bytes);
    bytes.byte[0] = 2;
    assert_int_equal(rc_campaign_apply(h, type, bytes.byte, bytes.count, &err), RC_OK);
    rc_bytes_fini(&bytes);
    rc_campaign_close(h);
}

static void origins_that_say_nothing_are_refused(void **state)
{
    static const struct rc_record_operand operand = {.name = "a"};
    static const struct {
        struct rc_record_origin origin;
        const char *expected;
    } bad[] = {
        {{.operation = 0, .operand = &operand, .operand_count = 1},
         "an operation of 0, expected 1 to 4"},
        {{.operation = RC_OPERATION_COUNT, .operand = &operand, .operand_count = 1},
         "an operation of 5, expected less than 5"},
        {{.operation = RC_OPERATION_MERGE},
         "0 operands of an origin, expected 1 or more"},
    };
    struct rc_campaign *h = sample_campaign(SAMPLE_RECORDS);
    struct rc_bytes bytes = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(rc_record_put(RC_RECORD_ORIGIN, &bad[i].origin, &bytes, &err),
                         RC_OK);
        assert_int_equal(
            rc_campaign_apply(h, RC_RECORD_ORIGIN, bytes.byte, bytes.count, &err),
            RC_EUSAGE);
        if (!strstr(err.text, bad[i].expected))
            fail_msg("expected '%s', found '%s'", bad[i].expected, err.text);
    }
    assert_int_equal(h->origin_count, 1);
    rc_bytes_fini(&bytes);
    rc_campaign_close(h);
}

static void readings_of_any_size_are_read_back_event_by_event(void **state)
{
    static const int64_t odd[] = {INT64_MIN,     INT64_MAX, -1, INT64_MIN + 1, 0,
                                  INT64_MAX - 1, INT64_MIN, 1,  INT64_MIN + 1};
    struct sample_unit sample;

    (void)state;
    sample_fill(&sample, 1, 0, SAMPLE_REPETITIONS, 5);
    assert_reads_back(&sample);
    for (size_t shift = 0; shift < 9; shift++) {
        for (size_t i = 0; i < 3 * SAMPLE_REPETITIONS * SAMPLE_POINTS; i++)
            sample.values[i] = odd[(i * (shift + 1) + shift) % 9];
        sample.enabled[shift] = UINT64_MAX;
        sample.running[shift] = 0;
        sample.enabled[shift + 1] = 0;
        sample.running[shift + 1] = UINT64_MAX;
        sample.unit.status = RC_UNIT_INVALID;
        sample.unit.reason = "many\nreasons \xff";
        sample.unit.place = "n1 core 3";
        assert_reads_back(&sample);
    }
}

static void a_unit_without_repetitions_needs_no_readings(void **state)
{
    struct sample_unit sample;

    (void)state;
    sample_fill(&sample, 1, 0, 0, 5);
    sample.unit.status = RC_UNIT_FAILED;
    struct rc_record_readings none = {0};
    struct rc_bytes bytes = {0};
    struct rc_record_unit unit;
    sample.unit.points = 48;
    assert_int_equal(rc_record_put_unit(&sample.unit, NULL, &bytes, &err), RC_OK);
    assert_int_equal(rc_record_get_unit(bytes.byte, bytes.count, &unit, &err), RC_OK);
    assert_int_equal(unit.points, 48);
    assert_int_equal(rc_record_get_event(bytes.byte, bytes.count, 2, &none, &err),
                     RC_OK);
    assert_int_equal(rc_record_get_event(bytes.byte, bytes.count, 3, &none, &err),
                     RC_EUSAGE);
    rc_bytes_fini(&bytes);
}

static void equal_repetitions_take_a_byte_for_each_value(void **state)
{
    struct sample_unit sample;
    struct rc_bytes few = {0}, many = {0};

    (void)state;
    sample_fill(&sample, 0, 2, 1, 0);
    for (size_t i = 0; i < SAMPLE_REPETITIONS * SAMPLE_POINTS; i++)
        sample.values[i] = INT64_C(123456789012);
    for (size_t i = 0; i < SAMPLE_REPETITIONS; i++)
        sample.enabled[i] = sample.running[i] = 100;
    assert_int_equal(rc_record_put_unit(&sample.unit, &sample.readings, &few, &err),
                     RC_OK);
    sample.unit.repetitions = SAMPLE_REPETITIONS;
    assert_int_equal(rc_record_put_unit(&sample.unit, &sample.readings, &many, &err),
                     RC_OK);
    assert_int_equal(many.count - few.count,
                     (SAMPLE_REPETITIONS - 1) * (SAMPLE_POINTS + 3));
    rc_bytes_fini(&few);
    rc_bytes_fini(&many);
}

/* The campaign after a record of that type, written again. */
static int put_again(const struct rc_campaign *h, uint32_t type, struct rc_bytes *out)
{
    const struct rc_campaign_kind *kind = h->kind;

    switch (type) {
    case RC_RECORD_CAMPAIGN:
        return rc_record_put(RC_RECORD_CAMPAIGN, &h->record, out, &err);
    case RC_RECORD_KIND:
        return rc_record_put(RC_RECORD_KIND, &kind->record, out, &err);
    case RC_RECORD_EVENTS:
        return rc_record_put_list(RC_RECORD_EVENTS, kind->id, 0, kind->event,
                                  kind->event_count, out, &err);
    case RC_RECORD_SUITE:
        return rc_record_put_list(RC_RECORD_SUITE, kind->id, kind->suite_count - 1,
                                  &kind->suite[kind->suite_count - 1], 1, out, &err);
    case RC_RECORD_GROUPS:
        return rc_record_put_list(RC_RECORD_GROUPS, kind->id, 0, kind->group,
                                  kind->group_count, out, &err);
    case RC_RECORD_RUN:
        return rc_record_put(RC_RECORD_RUN, &h->run[h->run_count - 1].begin, out, &err);
    case RC_RECORD_END:
        return rc_record_put(RC_RECORD_RUN, &h->run[h->run_count - 1].end, out, &err);
    case RC_RECORD_ORIGIN:
        return rc_record_put(RC_RECORD_ORIGIN, &h->origin[h->origin_count - 1], out,
                             &err);
    default:
        return rc_record_put(RC_RECORD_SHARE, &kind->share, out, &err);
    }
}

static int put_unit_again(const struct rc_journal_record *record, struct rc_bytes *out)
{
    struct rc_record_unit unit;

    assert_int_equal(rc_record_get_unit(record->payload, record->bytes, &unit, &err),
                     RC_OK);
    const size_t rows = (size_t)unit.events * unit.repetitions;
    struct rc_record_readings all = {rc_calloc(rows * unit.points, sizeof *all.values),
                                     rc_calloc(rows, sizeof *all.enabled_ns),
                                     rc_calloc(rows, sizeof *all.running_ns),
                                     rc_calloc(rows, sizeof *all.status)};
    assert_true(all.values && all.enabled_ns && all.running_ns && all.status);
    for (uint32_t e = 0; e < unit.events; e++) {
        const size_t row = (size_t)e * unit.repetitions;
        struct rc_record_readings one = {all.values + row * unit.points,
                                         all.enabled_ns + row, all.running_ns + row,
                                         all.status + row};
        assert_int_equal(
            rc_record_get_event(record->payload, record->bytes, e, &one, &err), RC_OK);
    }
    int status = rc_record_put_unit(&unit, &all, out, &err);
    free(all.values);
    free(all.enabled_ns);
    free(all.running_ns);
    free(all.status);
    return status;
}

/* The bytes are those of the record and 'more' zeros among them: an event's 'state'. */
static void assert_zeros_added(const struct rc_bytes *bytes,
                               const struct rc_journal_record *record, size_t more)
{
    const char *now = (const char *)bytes->byte, *was = record->payload;
    size_t at = 1;

    for (size_t i = 1; i < bytes->count; i++)
        if (at < record->bytes && now[i] == was[at])
            at++;
        else
            assert_int_equal(now[i], 0);
    assert_int_equal(at, record->bytes);
    assert_int_equal(bytes->count, record->bytes + more);
}

static int write_again(void *user, const struct rc_journal_record *record,
                       struct rc_error *why)
{
    struct rc_campaign *h = user;
    struct rc_bytes bytes = {0};

    if (record->type == RC_RECORD_UNIT) {
        assert_int_equal(put_unit_again(record, &bytes), RC_OK);
    } else {
        if (rc_campaign_apply(h, record->type, record->payload, record->bytes, why))
            fail_msg("type %u: %s", record->type, why->text);
        assert_int_equal(put_again(h, record->type, &bytes), RC_OK);
    }
    if (record->type == RC_RECORD_EVENTS) {
        assert_zeros_added(&bytes, record, h->kind->event_count);
        rc_bytes_fini(&bytes);
        return RC_OK;
    }
    /* But for the version, and a suite's number of bounds, which is 0, and 'made_by',
     * which is empty.
     */
    const size_t more = record->type == RC_RECORD_SUITE ? 4 + 5 : 0;
    assert_int_equal(bytes.count, record->bytes + more);
    assert_memory_equal((const char *)bytes.byte + 1, (const char *)record->payload + 1,
                        record->bytes - 1);
    for (size_t i = 0; i < more; i++)
        assert_int_equal(((const char *)bytes.byte)[record->bytes + i], 0);
    rc_bytes_fini(&bytes);
    return RC_OK;
}

#define OLD RC_TEST_DATA "/campaigns/"

/* Journals that the program of commit df45d32 wrote: a merged campaign and a share. */
static void records_of_an_older_program_are_written_again_byte_for_byte(void **state)
{
    static const struct {
        const char *path;
        uint64_t records;
    } old[] = {{OLD "merged-df45d32/journal/merged.rcj", 13},
               {OLD "share-df45d32/journal/draft.rcj", 6},
               {OLD "share-df45d32/journal/n1.rcj", 4}};
    struct rc_campaign *h = rc_campaign_create();
    const struct rc_journal_visitor visitor = {.record = write_again, .user = h};

    (void)state;
    assert_non_null(h);
    for (size_t i = 0; i < sizeof old / sizeof old[0]; i++) {
        struct rc_journal_report report;
        if (rc_journal_scan(old[i].path, NULL, &visitor, &report, &err) != RC_OK)
            fail_msg("%s: %s", old[i].path, err.text);
        assert_int_equal(report.records, old[i].records);
        assert_int_equal(report.damaged_bytes, 0);
    }
    rc_campaign_close(h);
}

static struct rc_campaign *read_old(const char *dir)
{
    struct rc_campaign *h;

    if (rc_campaign_read(MPI_COMM_NULL, dir, &h, &err) != RC_OK)
        fail_msg("%s: %s", dir, err.text);
    assert_string_equal(h->first_refusal, "");
    assert_string_equal(h->record.created_by, "rollcall 0.1.0+df45d32");
    assert_int_equal(h->kind_count, 1);
    return h;
}

static void campaigns_of_an_older_program_are_read(void **state)
{
    struct rc_campaign *h = read_old(OLD "merged-df45d32");
    const struct rc_campaign_kind *kind = &h->kind[0];
    const struct rc_record_suite *suite = &kind->suite[0];

    (void)state;
    assert_string_equal(kind->record.name, "model-spr-112c-5952b85c");
    assert_string_equal(kind->record.source[0].name, "model");
    assert_true(kind->record.source[0].simulated);
    assert_int_equal(kind->event_count, 19);
    assert_string_equal(kind->event[3].name, "BR_MISP_RETIRED:COND_NTAKEN");
    assert_string_equal(kind->event[3].evidence, "the machine file says so");
    assert_int_equal(kind->event[3].verdict, RC_VERDICT_OK);
    assert_string_equal(suite->name, "branch");
    assert_int_equal(suite->axis_count, 1);
    assert_string_equal(suite->axes[0], "pattern");
    assert_int_equal(suite->point_count, 11);
    assert_string_equal(suite->point[1].name, "never");
    assert_int_equal(suite->point[1].axis[0], 1);
    assert_int_equal(suite->bound_rows, 0);
    assert_null(suite->low);
    assert_int_equal(h->origin_count, 1);
    assert_int_equal(h->origin[0].operation, RC_OPERATION_MERGE);
    assert_int_equal(h->origin[0].operand_count, 2);
    assert_string_equal(h->origin[0].operand[1].directory, "oldsh/1");
    assert_int_equal(h->unit_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(h->unit[i].status, RC_UNIT_OK);
        assert_int_equal(h->unit[i].group, i);
        assert_in_range(h->unit[i].repetitions, 2, 3);
        assert_true(h->unit[i].begin_ns > UINT64_C(1700000000000000000));
    }
    rc_campaign_close(h);
    h = read_old(OLD "share-df45d32");
    assert_int_equal(h->kind[0].share.number, 1);
    assert_int_equal(h->kind[0].share.of, 2);
    assert_int_equal(h->kind[0].share.units, 3);
    assert_int_equal(h->kind[0].share.count, 2);
    assert_int_equal(h->unit_count, 2);
    assert_true(h->run[0].ended);
    assert_int_equal(h->run[0].begin.units_left, 2);
    rc_campaign_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payloads_cut_at_any_byte_or_too_long_are_refused),
        cmocka_unit_test(units_cut_at_any_byte_or_too_long_are_refused),
        cmocka_unit_test(what_does_not_go_with_what_is_there_is_refused),
        cmocka_unit_test(a_count_that_the_payload_cannot_hold_is_refused),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(what_is_there_may_come_again_and_be_added_to),
        cmocka_unit_test(counts_between_ends_that_are_none_are_refused),
        cmocka_unit_test(units_of_the_version_before_are_read),
        cmocka_unit_test(a_kind_of_the_version_before_may_come_again),
        cmocka_unit_test(origins_that_say_nothing_are_refused),
        cmocka_unit_test(readings_of_any_size_are_read_back_event_by_event),
        cmocka_unit_test(readings_by_repetition_give_the_same_record),
        cmocka_unit_test(a_unit_without_repetitions_needs_no_readings),
        cmocka_unit_test(records_of_an_older_program_are_written_again_byte_for_byte),
        cmocka_unit_test(campaigns_of_an_older_program_are_read),
        cmocka_unit_test(equal_repetitions_take_a_byte_for_each_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
