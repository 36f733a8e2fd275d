/* Any bytes as records, each with a byte for its type and two for its length, on
 * top of a small campaign: refused with one line and nothing changed, or taken.
 * Units that are taken have room for their readings; these, and detours, are the same
 * after they were written and read again.
 */
#include "campaign/records/campaign.h"
#include "tests/lib/detours_lib.h"
#include "tests/lib/record_lib.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct counts {
    size_t kinds, runs, origins, events, suites, groups, shares, share_units;
};

static struct counts count(const struct rc_campaign *h)
{
    struct counts c = {
        .kinds = h->kind_count, .runs = h->run_count, .origins = h->origin_count};

    for (size_t i = 0; i < h->kind_count; i++) {
        c.events += h->kind[i].event_count;
        c.suites += h->kind[i].suite_count;
        c.groups += h->kind[i].group_count;
        c.shares += h->kind[i].share.of;
        c.share_units += h->kind[i].share.count;
    }
    return c;
}

static struct rc_campaign *start(void)
{
    struct rc_campaign *h = rc_campaign_create();
    struct rc_bytes bytes = {0};
    uint32_t type;

    for (size_t i = 0; h && i < SAMPLE_RECORDS - 2; i++)
        if (sample_put(i, &type, &bytes, NULL) != RC_OK ||
            rc_campaign_apply(h, type, bytes.byte, bytes.count, NULL) != RC_OK)
            abort();
    rc_bytes_fini(&bytes);
    return h;
}

static void must_say_why(const struct rc_error *err)
{
    if (err->status != RC_EUSAGE || !err->text[0] || strchr(err->text, '\n'))
        abort();
}

static struct rc_record_readings room_for(const struct rc_record_unit *unit)
{
    const size_t rows = (size_t)unit->events * unit->repetitions;
    struct rc_record_readings r = {rc_calloc(rows * unit->points, sizeof *r.values),
                                   rc_calloc(rows, sizeof *r.enabled_ns),
                                   rc_calloc(rows, sizeof *r.running_ns),
                                   rc_calloc(rows, sizeof *r.status)};

    if (!r.values || !r.enabled_ns || !r.running_ns || !r.status)
        abort();
    return r;
}

static void free_readings(struct rc_record_readings *r)
{
    free(r->values);
    free(r->enabled_ns);
    free(r->running_ns);
    free(r->status);
}

/* All events, each on its own; false where one is refused. */
static bool read_events(const void *payload, size_t bytes,
                        const struct rc_record_unit *unit, struct rc_record_readings *r)
{
    struct rc_error err = {.text = ""};
    const size_t each = unit->repetitions;

    for (uint32_t e = 0; e < unit->events; e++) {
        struct rc_record_readings one = {
            r->values + e * each * unit->points, r->enabled_ns + e * each,
            r->running_ns + e * each, r->status + e * each};
        if (rc_record_get_event(payload, bytes, e, &one, &err) != RC_OK) {
            must_say_why(&err);
            return false;
        }
    }
    return true;
}

static void take_unit(const void *payload, size_t bytes)
{
    struct rc_error err = {.text = ""};
    struct rc_record_unit unit, again;
    struct rc_bytes copy = {0};

    if (rc_record_get_unit(payload, bytes, &unit, &err) != RC_OK) {
        must_say_why(&err);
        return;
    }
    if (unit.events > 0 &&
        (uint64_t)unit.events * unit.repetitions * unit.points > bytes)
        abort();
    if (unit.events == 0)
        unit.repetitions = 0;
    struct rc_record_readings r = room_for(&unit), s = room_for(&unit);
    const size_t rows = (size_t)unit.events * unit.repetitions;
    if (read_events(payload, bytes, &unit, &r)) {
        if (rc_record_put_unit(&unit, &r, &copy, &err) != RC_OK ||
            rc_record_get_unit(copy.byte, copy.count, &again, &err) != RC_OK ||
            again.wall_ns != unit.wall_ns || again.begin_ns != unit.begin_ns ||
            strcmp(again.place, unit.place) != 0 ||
            !read_events(copy.byte, copy.count, &again, &s) ||
            memcmp(r.values, s.values, rows * unit.points * sizeof *r.values) != 0 ||
            memcmp(r.running_ns, s.running_ns, rows * sizeof *r.running_ns) != 0)
            abort();
    }
    rc_bytes_fini(&copy);
    free_readings(&r);
    free_readings(&s);
}

/* Records that are taken are written and read again as the same. */
static void take_detours(const void *payload, size_t bytes)
{
    struct rc_error err = {.text = ""};
    struct rc_noise_detours d, again;
    struct rc_arena arena = {0};
    struct rc_bytes copy = {0};
    uint32_t round;

    if (rc_record_get_detours(payload, bytes, &arena, &d, &err) != RC_OK) {
        must_say_why(&err);
    } else if (rc_record_get_round(payload, bytes, &round, &err) != RC_OK ||
               round != d.round || rc_record_put_detours(&d, &copy, &err) != RC_OK ||
               rc_record_get_detours(copy.byte, copy.count, &arena, &again, &err) !=
                   RC_OK ||
               strcmp(d.node, again.node) != 0 || !same_lists(&d, &again)) {
        abort();
    }
    rc_arena_free(&arena);
    rc_bytes_fini(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rc_campaign *h = start();

    if (!h)
        abort();
    for (size_t at = 0; at + 3 <= size;) {
        struct rc_error err = {.text = ""};
        const uint32_t type = data[at];
        size_t bytes = data[at + 1] + 256 * (size_t)data[at + 2];
        at += 3;
        if (bytes > size - at)
            bytes = size - at;
        unsigned char *payload = rc_calloc(bytes, 1); /* so that its end is guarded */
        if (!payload)
            abort();
        memcpy(payload, data + at, bytes);
        at += bytes;
        const struct counts before = count(h);
        if (type == RC_RECORD_UNIT)
            take_unit(payload, bytes);
        else if (type == RC_RECORD_DETOURS)
            take_detours(payload, bytes);
        else if (rc_campaign_apply(h, type, payload, bytes, &err) != RC_OK) {
            const struct counts after = count(h);
            must_say_why(&err);
            if (memcmp(&before, &after, sizeof before) != 0)
                abort();
        }
        free(payload);
    }
    rc_campaign_close(h);
    return 0;
}
