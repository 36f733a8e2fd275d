/* The record of detours: its head by the list of fields, then its lists.
 *
 * After the head come the histogram, the detours and the paces, as numbers of as few
 * bytes as they need: a bin as the distance from the one before, a detour as the time
 * since the one before ended, its length and its name.  A tick of the kernel takes
 * about seven bytes.
 */
#include "campaign/records/detours.h"

#include "campaign/records/parts.h"
#include "kernels/detour.h"

#include <inttypes.h>
#include <string.h>

const char *const rc_noise_who_names[RC_NOISE_WHO_NAMES] = {
    [RC_NOISE_WHO_NOT_ASKED] = "",
    [RC_NOISE_WHO_UNATTRIBUTED] = "unattributed (firmware, host)",
    [RC_NOISE_WHO_HOST] = "host",
};

static const struct rc_form *detours_form(void)
{
    return rc_record_shape(RC_RECORD_DETOURS)->form;
}

const char *rc_noise_condition(const struct rc_noise_detours *d, const char *name)
{
    for (size_t i = 0; i < d->conditions; i++)
        if (strcmp(d->condition[i].name, name) == 0)
            return d->condition[i].value;
    return "";
}

int rc_record_put_detours(const struct rc_noise_detours *d, struct rc_bytes *bytes,
                          struct rc_error *err)
{
    struct rc_out out;
    uint64_t before = 0;

    rc_out_begin(&out, RC_RECORD_VERSION, bytes);
    rc_form_put(&out, detours_form(), d);
    rc_out_number(&out, d->bins, 4);
    for (size_t i = 0; i < d->bins; i++) {
        rc_out_varint(&out, d->bin[i] - before);
        rc_out_varint(&out, d->bin_count[i]);
        before = d->bin[i];
    }
    before = 0;
    rc_out_number(&out, d->count, 4);
    for (size_t i = 0; i < d->count; i++) {
        rc_out_varint(&out, d->detour[i].start_ns - before);
        rc_out_varint(&out, d->detour[i].length_ns);
        rc_out_varint(&out, d->who[i]);
        before = d->detour[i].start_ns + d->detour[i].length_ns;
    }
    rc_out_number(&out, d->paces, 4);
    for (size_t i = 0; i < d->paces; i++) {
        rc_out_varint(&out, d->pace_ps[i]);
        rc_out_varint(&out, d->pace_hz[i]);
    }
    return rc_out_end(&out, "a list of detours", err);
}

/* The counts must add up to the number of gaps; checking them against the rest avoids
 * an overflow.
 */
static void get_histogram(struct rc_in *in, struct rc_noise_detours *d)
{
    uint64_t left = d->gaps, bin = 0;

    d->bins = rc_in_count(in, 2, "bins of a histogram");
    d->bin = rc_in_room(in, d->bins, sizeof *d->bin);
    d->bin_count = rc_in_room(in, d->bins, sizeof *d->bin_count);
    for (size_t i = 0; i < d->bins && rc_in_is_good(in); i++) {
        const uint64_t step = rc_in_varint(in), count = rc_in_varint(in);
        if (step >= RC_DETOUR_BINS - bin || (i > 0 && step == 0))
            rc_in_wrong(in,
                        "bin %" PRIu64 " after bin %" PRIu64
                        ", expected ascending ones below %d",
                        bin + step, bin, RC_DETOUR_BINS);
        if (count == 0 || count > left)
            rc_in_wrong(in,
                        "%" PRIu64 " gaps in a bin, expected 1 or more, and %" PRIu64
                        " in all",
                        count, d->gaps);
        bin += step;
        left -= count;
        d->bin[i] = (uint32_t)bin;
        d->bin_count[i] = count;
    }
    if (left > 0)
        rc_in_wrong(in, "%" PRIu64 " gaps are in no bin", left);
}

/* Detours must follow each other, and lie inside of the time that was measured. */
static void get_list(struct rc_in *in, struct rc_noise_detours *d)
{
    uint64_t end = 0;

    d->count = rc_in_count(in, 3, "detours");
    d->detour = rc_in_room(in, d->count, sizeof *d->detour);
    d->who = rc_in_room(in, d->count, sizeof *d->who);
    for (size_t i = 0; i < d->count && rc_in_is_good(in); i++) {
        const uint64_t wait = rc_in_varint(in), length = rc_in_varint(in);
        const uint64_t who = rc_in_varint(in);
        if (wait > d->duration_ns - end || length > d->duration_ns - end - wait)
            rc_in_wrong(in,
                        "detour %zu of %" PRIu64 " ns, %" PRIu64
                        " ns after the one before, in a measurement of %" PRIu64 " ns",
                        i, length, wait, d->duration_ns);
        if (who >= d->names)
            rc_in_wrong(in, "detour %zu has name %" PRIu64 " of %zu", i, who, d->names);
        d->detour[i] = (struct rc_detour){end + wait, length};
        d->who[i] = (uint16_t)who;
        end += wait + length;
    }
}

int rc_record_get_detours(const void *payload, size_t bytes, struct rc_arena *arena,
                          struct rc_noise_detours *out, struct rc_error *err)
{
    struct rc_in in;

    rc_in_begin(&in, RC_RECORD_VERSION, "detours", payload, bytes, err);
    in.lists = arena;
    rc_form_get(&in, detours_form(), out);
    get_histogram(&in, out);
    get_list(&in, out);
    out->paces = rc_in_count(&in, 2, "paces");
    out->pace_ps = rc_in_room(&in, out->paces, sizeof *out->pace_ps);
    out->pace_hz = rc_in_room(&in, out->paces, sizeof *out->pace_hz);
    for (size_t i = 0; i < out->paces && rc_in_is_good(&in); i++) {
        out->pace_ps[i] = rc_in_varint(&in);
        out->pace_hz[i] = rc_in_varint(&in);
    }
    return rc_in_end(&in);
}

int rc_record_get_round(const void *payload, size_t bytes, uint32_t *round,
                        struct rc_error *err)
{
    struct rc_in in;

    rc_in_begin(&in, RC_RECORD_VERSION, "detours", payload, bytes, err);
    (void)rc_in_text(&in);
    (void)rc_in_number(&in, 4);
    *round = (uint32_t)rc_in_number(&in, 4);
    if (*round >= RC_NOISE_ROUNDS_MOST)
        rc_in_wrong(&in, "round %" PRIu32 ", expected less than %d", *round,
                    RC_NOISE_ROUNDS_MOST);
    return in.status;
}
