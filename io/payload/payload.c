/* Numbers and texts appended to payloads and read from them, with every length
 * checked.
 *
 * Errors are sticky: after the first one, writers append nothing and readers give 0 and
 * "", so that callers check once at the end of a record.
 */
#include "io/payload/payload.h"

#include "io/journal/journal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rc_bytes_fini(struct rc_bytes *bytes)
{
    free(bytes->byte);
    *bytes = (struct rc_bytes){0};
}

int rc_bytes_reserve(struct rc_bytes *bytes, size_t count)
{
    const size_t room = (bytes->count + count) * 2;

    if (count <= bytes->room - bytes->count)
        return 0;
    unsigned char *more = realloc(bytes->byte, room);
    bytes->failed |= !more;
    if (!more)
        return -1;
    bytes->byte = more;
    bytes->room = room;
    return 0;
}

void rc_bytes_add(struct rc_bytes *bytes, const void *data, size_t count)
{
    if (count == 0 || bytes->failed || rc_bytes_reserve(bytes, count))
        return;
    memcpy(bytes->byte + bytes->count, data, count);
    bytes->count += count;
}

void rc_out_begin(struct rc_out *out, uint8_t version, struct rc_bytes *bytes)
{
    *out = (struct rc_out){.bytes = bytes};
    bytes->count = 0;
    bytes->failed = false;
    rc_out_number(out, version, 1);
}

void rc_out_bytes(struct rc_out *out, const void *data, size_t count)
{
    struct rc_bytes *b = out->bytes;

    out->too_long |=
        count > b->room - b->count &&
        (count > RC_JOURNAL_PAYLOAD_MAX || b->count + count > RC_JOURNAL_PAYLOAD_MAX);
    if (!out->too_long)
        rc_bytes_add(b, data, count);
}

static void little_endian(unsigned char *out, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(number >> (8 * i));
}

void rc_out_number(struct rc_out *out, uint64_t number, size_t bytes)
{
    unsigned char little[8];

    out->too_long |= bytes < 8 && number >> (8 * bytes);
    little_endian(little, number, bytes);
    rc_out_bytes(out, little, bytes);
}

void rc_out_patch_32(struct rc_out *out, size_t at, uint32_t number)
{
    if (rc_out_is_good(out))
        little_endian(out->bytes->byte + at, number, 4);
}

void rc_out_varint(struct rc_out *out, uint64_t number)
{
    unsigned char coded[10];
    size_t bytes = 0;

    for (; number >= 0x80; number >>= 7)
        coded[bytes++] = (unsigned char)(number | 0x80);
    coded[bytes++] = (unsigned char)number;
    rc_out_bytes(out, coded, bytes);
}

void rc_out_text(struct rc_out *out, const char *text)
{
    size_t bytes = text ? strlen(text) : 0;

    rc_out_number(out, bytes, 4);
    rc_out_bytes(out, text, bytes);
    rc_out_number(out, 0, 1);
}

int rc_out_end(struct rc_out *out, const char *what, struct rc_error *err)
{
    const size_t count = out->bytes->count;

    if (rc_out_is_good(out) && count <= RC_JOURNAL_PAYLOAD_MAX)
        return RC_OK;
    out->bytes->count = 0;
    if (out->bytes->failed)
        return rc_fail(err, RC_ENOMEM, "no memory for %s of more than %zu bytes", what,
                       count);
    return rc_fail(err, RC_EUSAGE, "%s is longer than a record may be, %lu bytes", what,
                   (unsigned long)RC_JOURNAL_PAYLOAD_MAX);
}

void rc_in_wrong(struct rc_in *in, const char *format, ...)
{
    char text[256];
    va_list args;

    if (in->status != RC_OK)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    in->status =
        rc_fail(in->err, RC_EUSAGE, "%s, byte %zu: %s", in->what, in->at, text);
}

size_t rc_in_left(const struct rc_in *in)
{
    return in->bytes - in->at;
}

/* The next 'count' bytes, or NULL. */
static const unsigned char *take_bytes(struct rc_in *in, size_t count)
{
    if (rc_in_is_good(in) && count > rc_in_left(in))
        rc_in_wrong(in, "%zu bytes are left, expected %zu or more", rc_in_left(in),
                    count);
    if (in->status != RC_OK)
        return NULL;
    in->at += count;
    return in->byte + in->at - count;
}

uint64_t rc_in_number(struct rc_in *in, size_t bytes)
{
    const unsigned char *little = take_bytes(in, bytes);
    uint64_t number = 0;

    for (size_t i = 0; little && i < bytes; i++)
        number |= (uint64_t)little[i] << (8 * i);
    return number;
}

/* Every number has one code, so that equal contents are equal bytes. */
uint64_t rc_in_varint(struct rc_in *in)
{
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        const unsigned char *byte = take_bytes(in, 1);
        if (!byte)
            return 0;
        if ((shift == 63 && *byte > 1) || (shift > 0 && *byte == 0))
            break;
        number |= (uint64_t)(*byte & 0x7f) << shift;
        if (*byte < 0x80)
            return number;
    }
    rc_in_wrong(in, "found no number, expected one of 64 bits in its shortest form");
    return 0;
}

uint8_t rc_in_below(struct rc_in *in, uint8_t limit, const char *of)
{
    uint8_t number = (uint8_t)rc_in_number(in, 1);

    if (number < limit)
        return number;
    rc_in_wrong(in, "%s %u, expected less than %u", of, number, limit);
    return 0;
}

uint32_t rc_in_count(struct rc_in *in, size_t each, const char *of)
{
    uint32_t count = (uint32_t)rc_in_number(in, 4);

    if (count <= rc_in_left(in) / each)
        return rc_in_is_good(in) ? count : 0;
    rc_in_wrong(in, "%lu %s, and %zu bytes are left for them", (unsigned long)count, of,
                rc_in_left(in));
    return 0;
}

const char *rc_in_text(struct rc_in *in)
{
    uint32_t length = (uint32_t)rc_in_number(in, 4);
    const unsigned char *text = take_bytes(in, (size_t)length + 1);

    if (!text)
        return "";
    if (text[length] != 0 || (length > 0 && memchr(text, 0, length))) {
        rc_in_wrong(in, "a text of %lu bytes, expected a 0 after it and none inside",
                    (unsigned long)length);
        return "";
    }
    if (!in->texts)
        return (const char *)text;
    const char *kept = rc_pool_intern(in->texts, (const char *)text);
    if (!kept)
        in->status =
            rc_fail(in->err, RC_ENOMEM, "%s: no memory for its texts", in->what);
    return kept ? kept : "";
}

void rc_in_bytes(struct rc_in *in, void *out, size_t count)
{
    const unsigned char *from = take_bytes(in, count);

    if (from)
        memcpy(out, from, count);
    else
        memset(out, 0, count);
}

void *rc_in_room(struct rc_in *in, size_t count, size_t item_bytes)
{
    void *items =
        rc_in_is_good(in) ? rc_arena_array(in->lists, count, item_bytes) : NULL;

    if (!items && rc_in_is_good(in))
        in->status =
            rc_fail(in->err, RC_ENOMEM, "%s: no memory for %zu items", in->what, count);
    return items;
}

void rc_in_begin(struct rc_in *in, uint8_t newest, const char *what,
                 const void *payload, size_t bytes, struct rc_error *err)
{
    *in = (struct rc_in){.byte = payload, .bytes = bytes, .what = what, .err = err};
    in->version = (uint8_t)rc_in_number(in, 1);
    if (in->version < RC_PAYLOAD_OLDEST || in->version > newest)
        rc_in_wrong(in, "version %u, expected %d to %d", in->version, RC_PAYLOAD_OLDEST,
                    newest);
}

int rc_in_end(struct rc_in *in)
{
    if (rc_in_left(in) > 0)
        rc_in_wrong(in, "%zu bytes are left, expected the end", rc_in_left(in));
    return in->status;
}
