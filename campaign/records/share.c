/* Which units of a kind are a share's own: the payload of that record. */
#include "campaign/records/parts.h"

#include "campaign/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

int rc_record_put_share(const struct rc_record_share *share, struct rc_bytes *bytes,
                        struct rc_error *err)
{
    struct rc_out out;

    rc_out_begin(&out, bytes);
    rc_out_64(&out, share->kind);
    rc_out_32(&out, share->number);
    rc_out_32(&out, share->of);
    rc_out_64(&out, share->units);
    rc_out_count(&out, share->count);
    for (size_t i = 0; i < share->count; i++) {
        rc_out_32(&out, share->unit[i].suite);
        rc_out_32(&out, share->unit[i].group);
    }
    return rc_out_end(&out, "a share", err);
}

static bool is_behind(const struct rc_record_share_unit *a,
                      const struct rc_record_share_unit *b)
{
    return a->suite != b->suite ? a->suite > b->suite : a->group > b->group;
}

static void get_units(struct rc_in *in, struct rc_record_share_unit *unit, size_t count)
{
    for (size_t i = 0; in->status == RC_OK && i < count; i++) {
        unit[i].suite = rc_in_32(in);
        unit[i].group = rc_in_32(in);
        if (i > 0 && !is_behind(&unit[i], &unit[i - 1]))
            rc_in_wrong(in,
                        "unit %zu of a share is suite %" PRIu32 ", group %" PRIu32
                        ", expected one behind suite %" PRIu32 ", group %" PRIu32,
                        i, unit[i].suite, unit[i].group, unit[i - 1].suite,
                        unit[i - 1].group);
    }
}

int rc_record_get_share(const void *payload, size_t bytes, struct rc_record_share *out,
                        struct rc_error *err)
{
    struct rc_record_share_unit *unit;
    struct rc_in in;

    *out = (struct rc_record_share){0};
    rc_in_begin(&in, "a share", payload, bytes, err);
    out->kind = rc_in_64(&in);
    out->number = rc_in_32(&in);
    out->of = rc_in_32(&in);
    if (out->of > RC_SHARES_MOST || out->number >= out->of)
        rc_in_wrong(&in,
                    "share %" PRIu32 " of %" PRIu32
                    ", expected a number below that of at most %d shares",
                    out->number, out->of, RC_SHARES_MOST);
    out->units = rc_in_64(&in);
    out->count = rc_in_count(&in, 8, "units");
    if (out->count > out->units)
        rc_in_wrong(&in, "a share has %zu of %" PRIu64 " units", out->count,
                    out->units);
    out->unit = unit = rc_calloc(in.status == RC_OK ? out->count : 0, sizeof *unit);
    if (!unit)
        in.status =
            rc_fail(err, RC_ENOMEM, "no memory for a share of %zu units", out->count);
    else
        get_units(&in, unit, out->count);
    if (rc_in_end(&in) != RC_OK)
        rc_record_share_fini(out);
    return in.status;
}

void rc_record_share_fini(struct rc_record_share *share)
{
    free((void *)share->unit);
    *share = (struct rc_record_share){0};
}
